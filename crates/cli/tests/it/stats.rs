//! `throng stats`: bounds that hold for the original, and what it rejects.

use serde_json::Value;

use crate::env::TestEnv;

const RELEASE: &str = "\
age,sex,bp,n
\"[20, 30)\",F,120,1
\"[30, 40)\",M,\"[130, 140]\",2
*,F,\"{110, 120}\",1
45,M,150,1
\"[20, 50]\",*,\"[110, 120]\",3
";

fn bounds(json: &Value, column: &str, statistic: &str) -> (f64, f64) {
    let found = &json[column][statistic];
    let end = |name: &str| found[name].as_f64().unwrap_or_else(|| panic!("{column} {statistic}: {found}"));
    assert!(found["exact"].is_boolean() && found["method"].is_string(), "{found}");
    (end("low"), end("high"))
}

#[test]
fn json_is_column_then_statistic() {
    let env = TestEnv::with(&[("r.csv", RELEASE)]);
    let json = env.run("stats r.csv --domain age=0..100 --json").ok().json();
    assert_eq!(bounds(&json, "age", "mean"), (23.0, 53.0));
    assert_eq!(bounds(&json, "age", "median"), (20.0, 45.0));
    assert_eq!(bounds(&json, "bp", "mean"), (124.0, 130.0));
    assert_eq!(json["age"]["mean"]["exact"], true);
    assert_eq!(json["age"]["cells"]["suppressed"], 1);
    for statistic in
        ["variance", "stddev", "q25", "q75", "iqr", "skewness", "kurtosis", "cv", "geometric_mean"]
    {
        let (low, high) = bounds(&json, "bp", statistic);
        assert!(low <= high, "{statistic}");
    }
    assert!(json.get("sex").is_none());
    // Without a domain the star has no bound, and the answer says so.
    let json = env.run("stats r.csv --json").ok().json();
    assert!(json["age"]["mean"]["low"].is_null() && json["age"]["mean"]["reason"].is_string());
    assert_eq!(json["age"]["median"]["low"], 20.0);
}

#[test]
fn suppressed_rows_count() {
    let env = TestEnv::with(&[("r.csv", RELEASE)]);
    let json = env.run("stats r.csv --column age --domain age=0..100 --suppressed 5 --json").ok().json();
    assert_eq!(bounds(&json, "age", "mean"), (11.5, 76.5));
    assert_eq!(json["age"]["cells"]["omitted"], 5);
}

#[test]
fn groups_pairs_and_models_are_computed() {
    let env = TestEnv::with(&[("r.csv", RELEASE)]);
    let line =
        "stats r.csv --by sex --column age --column bp --domain age=0..100 --pairs --cross sex,n --json";
    let json = env.run(line).ok().json();
    let groups = json["age"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 3);
    assert_eq!((&groups[0]["by"]["sex"], &groups[1]["by"]["sex"]), (&"*".into(), &"F".into()));
    assert!(json["age"]["pairs"]["bp"]["kendall"]["low"].as_f64().unwrap() >= -1.0);
    assert_eq!(json["sex"]["cross"]["n"]["certain"], serde_json::json!([[2, 0, 0], [1, 1, 0]]));
    let run = env.run_args(
        &["stats", "r.csv", "--column", "bp", "--column", "n", "--regress", "bp ~ n", "--json"],
        &[],
    );
    let json = run.ok().json();
    assert_eq!(json["bp"]["regression"][0]["kind"], "linear");
    let slope = &json["bp"]["regression"][0]["coefficients"]["n"];
    assert!(slope["exact"].as_bool().unwrap() && slope["low"].as_f64() < slope["high"].as_f64());
}

#[test]
fn dates_are_days() {
    let release = "born\n1950-07-27 - 1952-08-15\n*\n1960-01-01\n";
    let env = TestEnv::with(&[("r.csv", release)]);
    let text = env.run("stats r.csv --domain born=1940-01-01..1999-12-31").ok().stdout;
    assert!(text.contains("1950-07-27   1960-01-01  sharp") && !text.contains("harmonic"), "{text}");
    let json = env.run("stats r.csv --domain born=1940-01-01..1999-12-31 --json").ok().json();
    assert_eq!(json["born"]["cells"]["days"], true);
    assert_eq!(bounds(&json, "born", "max"), (-3653.0, 10956.0));
}

#[test]
fn weights_count_rows() {
    let env = TestEnv::with(&[("r.csv", RELEASE)]);
    let json = env.run("stats r.csv --column bp --weights n --json").ok().json();
    // (120 + 2·130 + 110 + 150 + 3·110) / 8 and (120 + 2·140 + 120 + 150 + 3·120) / 8.
    assert_eq!(bounds(&json, "bp", "mean"), (121.25, 128.75));
}

#[test]
fn text_and_page_are_for_people() {
    let env = TestEnv::with(&[("r.csv", RELEASE)]);
    let text = env.run("stats r.csv --domain age=0..100 --exceeds 40 --page s.html").ok().stdout;
    for part in ["age: 5 cells", "exceeds_40", "sharp", "estimate, most likely", "Left out: sex"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(env.text("s.html").contains("<svg") && env.text("s.html").contains("<h2>age</h2>"));
    let again = env.run("stats r.csv --domain age=0..100 --page s.html");
    assert_eq!(again.code, 2, "{}", again.stderr);
    env.run("stats r.csv --domain age=0..100 --page s.html --force").ok();
    assert_eq!(env.run("stats r.csv --page r.csv --force").code, 2, "the release is not overwritten");
}

#[test]
fn bad_input_is_explained() {
    let env = TestEnv::with(&[
        ("r.csv", RELEASE),
        ("inverted.csv", "x\n\"[2, 1]\"\n3\n"),
        ("units.csv", "x\n70 kg\n154 lb\n"),
        ("text.csv", "x\n1\n2\n3\nthree\n"),
        ("stars.csv", "x,y\n*,1\n*,2\n"),
        ("weights.csv", "x,w\n1,2\n2,-1\n"),
    ]);
    for (line, code) in [
        ("stats inverted.csv", "statistics.inverted-interval"),
        ("stats units.csv", "statistics.mixed-units"),
        ("stats text.csv", "statistics.not-a-number"),
        ("stats stars.csv --column x", "statistics.suppressed-column"),
        ("stats weights.csv --column x --weights w", "statistics.bad-weight"),
        ("stats r.csv --column agee", "statistics.no-such-column"),
        ("stats r.csv --column sex", "statistics.not-a-number"),
        ("stats r.csv --domain age=5..1", "arguments.domain"),
        ("stats r.csv --cross sex", "arguments.cross"),
        ("stats r.csv --regress bp", "arguments.formula"),
        ("stats r.csv --level 2", "arguments.level"),
    ] {
        let run = env.run(&format!("{line} --json"));
        assert_eq!(run.code, 2, "{line}: {}", run.stderr);
        assert!(run.stderr.contains(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains("help"), "{line}: {}", run.stderr);
    }
    let across = TestEnv::with(&[("x.csv", "x\n\"[-1, 2]\"\n3\n")]);
    let json = across.run("stats x.csv --json").ok().json();
    assert!(json["x"]["harmonic_mean"]["reason"].as_str().unwrap().contains("negative"));
    assert!(json["x"]["harmonic_mean"]["low"].is_null());
}

/// The whole way: statistics of the original lie within the bounds that its release gives, for
/// levels and for regions, with suppressed rows.
#[test]
fn originals_lie_within_the_bounds_of_their_release() {
    let ages: Vec<i32> = (0..400).map(|i| 18 + (i * 37 + i * i % 11) % 70).collect();
    let rows: String =
        ages.iter().enumerate().map(|(i, age)| format!("{age},{}\n", ["F", "M"][i * 7 % 5 % 2])).collect();
    for (algorithm, hierarchy) in [
        ("auto", "hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }"),
        ("mondrian", ""),
        ("boxes", ""),
    ] {
        let policy = format!(
            "version = 1\n[input]\npath = \"p.csv\"\n[output]\npath = \"r.csv\"\n\
             [columns.age]\nrole = \"quasi\"\n{hierarchy}\n[columns.sex]\nrole = \"quasi\"\n\
             [privacy]\nk = 5\nsuppression = 0.05\n[search]\nalgorithm = \"{algorithm}\"\n"
        );
        let env = TestEnv::with(&[("p.csv", &format!("age,sex\n{rows}")), ("policy.toml", &policy)]);
        env.run("release policy.toml").ok();
        let json = env.run("stats r.csv --policy policy.toml --domain age=0..120 --json").ok().json();
        let n = ages.len() as f64;
        let mean = ages.iter().sum::<i32>() as f64 / n;
        let variance = ages.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let mut sorted = ages.clone();
        sorted.sort_unstable();
        let median = f64::from(sorted[199] + sorted[200]) / 2.0;
        let truths =
            [("mean", mean), ("variance", variance), ("stddev", variance.sqrt()), ("median", median)];
        for (statistic, truth) in truths {
            let (low, high) = bounds(&json, "age", statistic);
            assert!(low <= truth && truth <= high, "{algorithm}: {statistic} {low} {truth} {high}");
            assert!(low < high, "{algorithm}: {statistic}");
        }
        let counted = json["age"]["cells"]["count"].as_u64().unwrap();
        assert_eq!(counted, 400, "{algorithm}: suppressed rows count");
    }
}
