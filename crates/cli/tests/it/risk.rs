//! `throng risk`: its output, and what it rejects.

use serde_json::Value;
use throng::synth::Wide;

use crate::env::TestEnv;

const PEOPLE: &str = "\
age,sex,zip,w
30,f,02138,10
30,f,02138,10
30,m,02138,20
41,m,02139,5
41,,02139,5
";

fn value(json: &Value, figure: &str) -> f64 {
    json[figure]["value"].as_f64().unwrap_or_else(|| panic!("{figure}: {json}"))
}

#[test]
fn figures_are_told_by_name() {
    let env = TestEnv::with(&[("p.csv", PEOPLE)]);
    let json = env.run("risk p.csv --qi age,sex,zip --json").ok().json();
    assert_eq!(value(&json, "rows"), 5.0);
    assert_eq!(value(&json, "classes"), 4.0);
    assert_eq!(value(&json, "sample_unique_rows"), 3.0);
    assert_eq!(value(&json, "prosecutor"), 1.0);
    assert_eq!(value(&json, "marketer"), 0.8);
    assert_eq!(json["combinations"].as_array().unwrap().len(), 7);
    assert_eq!(json["prosecutor"]["low"], json["prosecutor"]["high"]);
    assert!(json["prosecutor"]["means"].as_str().unwrap().contains("100.0 %"));
    assert!(json.get("pitman").is_none());
    let text = env.run("risk p.csv --qi age,sex,zip").ok().stdout;
    env.run("risk p.csv --qi age,sex,zip --report r.html").ok();
    assert!(env.text("r.html").contains("Special uniques") && !env.text("r.html").contains("02138"));
    assert!(text.contains("sample_unique_rows") && text.contains("age, sex"), "{text}");
}

#[test]
fn missing_cells_mean_what_is_said() {
    let env = TestEnv::with(&[("p.csv", PEOPLE)]);
    let of = |missing: &str| {
        env.run(&format!("risk p.csv --qi age,sex,zip --json --missing {missing}")).ok().json()
    };
    assert_eq!(value(&of("value"), "sample_unique_rows"), 3.0);
    // The row without sex may be the one above it.
    assert_eq!(value(&of("wildcard"), "sample_unique_rows"), 1.0);
    assert_eq!(value(&of("suppress"), "sample_unique_rows"), 2.0);
    assert_eq!(value(&of("suppress"), "left_out"), 1.0);
    // The two men of 41 are one class and indistinguishable.
    assert_eq!(value(&of("wildcard --population p.csv"), "journalist"), 1.0);
    assert_eq!(value(&of("wildcard --population p.csv"), "population_unique_rows"), 1.0);
    assert_eq!(value(&of("suppress --population p.csv"), "population"), 4.0);
    let none = of("wildcard --population 500");
    assert!(none["pitman"]["value"].is_null() && none["dankar"]["value"].is_null());
    assert!(none["pitman"]["means"].as_str().unwrap().contains("overlap"));
    assert!(value(&none, "journalist") < 1.0);
}

#[test]
fn a_population_is_a_number_a_share_weights_or_a_table() {
    let everybody = format!("{PEOPLE}30,m,02138,1\n41,m,02139,1\n41,m,02139,1\n50,f,02139,1\n");
    let env = TestEnv::with(&[("p.csv", PEOPLE), ("all.csv", &everybody)]);
    let of = |rest: &str| env.run(&format!("risk p.csv --qi age,sex,zip --json {rest}")).ok().json();
    assert_eq!(value(&of("--population 500"), "sampling_fraction"), 0.01);
    assert_eq!(value(&of("--fraction 0.01"), "population"), 500.0);
    assert_eq!(value(&of("--weights w"), "population"), 50.0);
    let counted = of("--population all.csv");
    assert_eq!(value(&counted, "population"), 9.0);
    assert_eq!(value(&counted, "population_unique_rows"), 2.0);
    // 2 rows of 1/2, one of 1/2, one of 1/3, one of 1.
    assert!((value(&counted, "journalist_mean") - (1.5 + 1.0 / 3.0 + 1.0) / 5.0).abs() < 1e-12);
    assert_eq!(of("--population 500"), of("--fraction 0.01"));
}

#[test]
fn a_release_knows_its_columns() {
    let env = TestEnv::new();
    env.run("demo d --rows 1000").fails(0);
    let before = env.run("risk d/patients.csv --policy d/policy.toml --json").ok().json();
    let release = env.json("d/certificate.json")["output"]["path"].as_str().unwrap().to_owned();
    let after = env.run(&format!("risk {release} --policy d/policy.toml --json")).ok().json();
    assert_eq!(before["columns"], after["columns"]);
    assert!(value(&before, "sample_unique_rows") > 0.0);
    assert!(value(&after, "smallest_class") >= 5.0);
}

const STARS: &str = "version = 1
[input]
path = \"p.csv\"
[output]
path = \"out.csv\"
suppressed = \"starred\"
[columns.age]
role = \"quasi\"
max_level = 0
[columns.sex]
role = \"quasi\"
max_level = 0
[columns.zip]
role = \"quasi\"
[columns.w]
role = \"keep\"
[privacy]
k = 2
suppression = 0.9
";

/// Two rows are alike and stay, the others are starred.
#[test]
fn suppressed_rows_of_a_release_are_no_class() {
    let env = TestEnv::with(&[("p.csv", PEOPLE), ("policy.toml", STARS)]);
    env.run("release policy.toml").ok();
    assert_eq!(env.text("out.csv").matches("*,*,*").count(), 3, "{}", env.text("out.csv"));
    for by in ["--certificate out.certificate.json", "--policy policy.toml"] {
        let known = env.run(&format!("risk out.csv {by} --json")).ok().json();
        assert_eq!((value(&known, "rows"), value(&known, "suppressed")), (2.0, 3.0), "{by}");
        assert_eq!(value(&known, "classes"), 1.0);
        assert_eq!(known["columns"].as_array().unwrap().len(), 3);
        // Whichever columns are requested, all of them determine which rows were suppressed.
        let some = env.run(&format!("risk out.csv {by} --qi sex --weights w --json")).ok().json();
        assert_eq!((value(&some, "rows"), value(&some, "population")), (2.0, 50.0), "{by}");
    }
    let unknown = env.run("risk out.csv --qi age,sex,zip --json").ok().json();
    assert_eq!((value(&unknown, "rows"), value(&unknown, "starred_rows")), (5.0, 3.0));
}

/// More combinations of columns than can be counted while the test waits.
#[cfg(unix)]
#[test]
fn ctrl_c_stops_it() {
    let env = TestEnv::new();
    let names: Vec<String> = (0..Wide::COLUMNS).map(Wide::name).collect();
    let mut table = names.join(",") + "\n";
    for row in Wide::new(1).rows().take(200_000) {
        table += &(row.iter().map(ToString::to_string).collect::<Vec<_>>().join(",") + "\n");
    }
    env.write("wide.csv", table);
    let qi = names.join(",");
    let mut running = env.start(&["risk", "wide.csv", "--max-size", "5", "--report", "r.html", "--qi", &qi]);
    running.says("counting special uniques: ");
    running.signal("INT");
    let (code, out, said) = running.ended();
    assert_eq!((code, out.as_str()), (130, ""), "{said}");
    assert!(said.contains("stopped"), "{said}");
    assert_eq!(env.names(), ["wide.csv"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let bad = PEOPLE.replace("f,02138,10", "f,02138,-1");
    let none = PEOPLE.replace("20\n", "\n");
    let few = "agee\n1\n";
    let part = "age,sex\n30,f\n30,f\n41,m\n30,x\n";
    let other =
        "version = 1\n[input]\npath = \"p.csv\"\n[columns.height]\nrole = \"quasi\"\n[privacy]\nk = 2\n";
    let little = PEOPLE.replace("02138", "0").replace("02139", "1");
    let env = TestEnv::with(&[
        ("p.csv", &little),
        ("bad.csv", &bad),
        ("none.csv", &none),
        ("few.csv", few),
        ("part.csv", part),
        ("other.toml", other),
    ]);
    for (line, words) in [
        ("p.csv", &["--qi", "no column is named", "--policy"][..]),
        ("p.csv --qi agee,sex", &["agee", "did you mean `age`?"]),
        ("p.csv --qi age,age", &["`age` is named twice"]),
        ("p.csv --qi age --max-size 0", &["--max-size", "1 or more"]),
        ("p.csv --qi age --threshold 2", &["--threshold", "from 0 to 1"]),
        ("p.csv --qi age --threshold -0.1", &["--threshold", "from 0 to 1"]),
        ("p.csv --qi age --fraction 0", &["--fraction", "above 0"]),
        ("p.csv --qi age --population 3", &["smaller than its sample of 5 rows"]),
        ("p.csv --qi age --population nobody.csv", &["nobody.csv"]),
        ("p.csv --qi age --population -3", &["--population", "`-3` is not a number of people"]),
        ("p.csv --qi age --population 1e6", &["--population", "whole number"]),
        ("p.csv --qi age --population few.csv", &["--population", "did you mean `agee`?"]),
        (
            "p.csv --qi age,sex --population part.csv",
            &["--population", "2 combinations of values are in fewer rows"],
        ),
        ("p.csv --qi age --fraction 1.5", &["--fraction", "at most 1"]),
        ("bad.csv --qi age --weights w", &["`-1` is not a weight", "w`", "from 0", "--weights"]),
        ("none.csv --qi age --weights w", &["a weight is missing", "w`", "--weights"]),
        ("p.csv --qi age --weights zip", &["--weights", "smaller than its sample of 5 rows"]),
        ("p.csv --qi age --weights sex", &["is not a weight"]),
        ("p.csv --qi age --weights ww", &["--weights", "there is no column `ww`", "did you mean `w`?"]),
        ("p.csv --qi age,w --weights w", &["--weights", "`w` is named twice"]),
        ("p.csv --certificate nowhere.json", &["nowhere.json"]),
        ("p.csv --policy other.toml", &["--policy", "there is no column `height`"]),
    ] {
        env.run(&format!("risk {line}")).fails(2).says(words);
    }
}
