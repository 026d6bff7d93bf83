//! Every way to build a hierarchy, in a policy of its own, and `throng hierarchy`.

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::Draw;

/// A column `v` of one kind of value, its hierarchy, and the label of the first value per level
/// from 1.
struct Kind {
    spec: &'static str,
    values: Vec<String>,
    labels: &'static [&'static str],
}

fn kind(spec: &'static str, values: &[&str], labels: &'static [&'static str]) -> Kind {
    Kind { spec, values: values.iter().map(|v| (*v).to_owned()).collect(), labels }
}

fn kinds() -> Vec<Kind> {
    let dates = ["2021-03-14", "2021-03-20", "2021-11-02", "2022-01-01", "2019-02-28"];
    let numbers = ["34", "35", "38", "52", "57", "90"];
    let places = ["02138", "02139", "02141", "90210", "90211"];
    let words = ["apple", "pear", "plum", "fig"];
    vec![
        kind("{ file = \"h.csv\" }", &words, &["pome", "*"]),
        kind("{ file = { path = \"h.csv\", delimiter = \";\" } }", &words, &["pome", "*"]),
        kind(
            "{ intervals = { widths = [5, 10, 20], low = 0, high = 100 } }",
            &numbers,
            &["[30, 35)", "[30, 40)", "[20, 40)", "*"],
        ),
        kind(
            "{ intervals = { bounds = [[0, 20, 40, 60], [0, 60]] } }",
            &numbers,
            &["[20, 40)", "[0, 60)", "*"],
        ),
        kind("{ order = { fanout = [2, 2] } }", &words, &["{apple, fig}", "{apple, fig, pear, plum}", "*"]),
        kind(
            "{ order = { fanout = [2], values = [\"fig\", \"apple\", \"pear\", \"plum\"] } }",
            &words,
            &["{fig, apple}", "*"],
        ),
        kind("{ mask = { from = \"right\" } }", &places, &["0213*", "021**", "02***", "0****", "*"]),
        kind("{ mask = { from = \"left\", char = \"#\", step = 2 } }", &places, &["##138", "####8", "*"]),
        kind(
            "{ date = { levels = [\"month\", \"quarter\", \"year\", \"5-year\"] } }",
            &dates,
            &["2021-03", "2021-Q1", "2021", "[2020, 2025)", "*"],
        ),
        kind("{ date = {} }", &dates, &["2021-03", "2021-Q1", "2021", "[2020, 2025)", "[2020, 2030)", "*"]),
        kind(
            "{ date = { levels = [\"year\"], format = \"%d.%m.%Y\" } }",
            &["14.03.2021", "01.01.2022"],
            &["2021", "*"],
        ),
        kind("{ priority = { keep = [2, 1] } }", &["a", "a", "a", "b", "b", "c"], &["a", "a", "*"]),
        kind("icd9", &["250.01", "250.02", "401.9", "V10.1"], &["250", "249-259", "3 240-279", "*"]),
        kind("icd10", &["E11.9", "E11.2", "I10", "J45.0"], &["E11", "E10-E14", "IV E00-E90", "*"]),
        kind("{ postal = { keep = [3, 2] } }", &places, &["021**", "02***", "*"]),
        kind("suppress", &words, &["*"]),
    ]
}

const HIERARCHY: &str = "apple;pome;*\npear;pome;*\nplum;stone;*\nfig;other;*\n";

/// 120 rows with the values of a kind, more of the first ones, and a second quasi-identifier.
fn table(values: &[String]) -> String {
    let mut draw = Draw::new(41);
    let mut text = String::from("v,sex,x\n");
    for i in 0..120 {
        let at = draw.below(values.len() as u64).min(draw.below(values.len() as u64)) as usize;
        text += &format!("{},{},{i}\n", values[at], draw.of(&["F", "M"]));
    }
    text
}

fn policy(spec: &str, level: usize) -> String {
    let spec = if spec.starts_with('{') { spec.to_owned() } else { format!("{spec:?}") };
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"out.csv\"\n[columns.v]\nrole = \"quasi\"\n\
         hierarchy = {spec}\nmin_level = {level}\nmax_level = {level}\n[columns.sex]\nrole = \"quasi\"\n\
         [columns.x]\nrole = \"keep\"\n[privacy]\nk = 3\nsuppression = 0.5\n[search]\nalgorithm = \"auto\"\n"
    )
}

#[test]
fn every_builder_makes_its_labels() {
    for Kind { spec, values, labels } in kinds() {
        let env = TestEnv::with(&[("t.csv", &table(&values)), ("h.csv", HIERARCHY)]);
        for (level, label) in std::iter::once(values[0].as_str()).chain(labels.iter().copied()).enumerate() {
            env.write("p.toml", policy(spec, level));
            let release = env.run("release p.toml --json").ok().json();
            assert_eq!(release["levels"]["v"], level, "{spec}");
            let table = Table::read(&env.bytes("out.csv"), ',');
            assert!(table.column("v").contains(&label), "{spec} level {level}: {:?}", table.column("v"));
            table.is_anonymous(&["v", "sex"], 3);
            env.run("verify out.csv --policy p.toml").ok();
            env.run("verify out.csv --policy p.toml --original t.csv").ok();
        }
        env.write("p.toml", policy(spec, labels.len() + 1));
        env.run("release p.toml").fails(2).says(&["columns.v.m", "level"]);
    }
}

#[test]
fn build_check_and_show_agree() {
    for Kind { spec, values, labels } in kinds() {
        let env = TestEnv::with(&[("t.csv", &table(&values)), ("h.csv", HIERARCHY)]);
        let build = ["hierarchy", "build", spec, "--input", "t.csv", "--column", "v"];
        let shown = env.run_args(&build, &[]).ok().stdout;
        env.run_args(&[&build[..], &["--out", "built.csv"]].concat(), &[]).ok();
        assert_eq!(env.text("built.csv"), shown, "{spec}");
        // One row per value, the value first, then its labels.
        let row = shown.lines().find(|l| l.starts_with(&format!("{};", values[0]))).unwrap();
        assert_eq!(row.split(';').count(), labels.len() + 1, "{spec}: {row}");

        let facts = env.run("hierarchy check built.csv --input t.csv --column v --json").ok().json();
        let mut distinct = values.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(facts["values_checked"], distinct.len(), "{spec}");
        assert_eq!(facts["levels"].as_array().unwrap().len(), labels.len() + 1, "{spec}");
        let said = env.run("hierarchy check built.csv").ok().stdout;
        assert!(said.contains("levels nest"), "{said}");
        let tree = env.run("hierarchy show built.csv").ok().stdout;
        assert!(tree.starts_with("*\n") && tree.contains(&values[0]), "{spec}: {tree}");
        assert_eq!(env.run("hierarchy show built.csv --depth 0").ok().stdout.lines().count(), 1);

        // As a file it makes the same release.
        env.write("p.toml", policy(spec, 1));
        env.run("release p.toml").ok();
        env.write("f.toml", policy("{ file = \"built.csv\" }", 1));
        env.run("release f.toml --out again.csv").ok();
        assert_eq!(env.bytes("out.csv"), env.bytes("again.csv"), "{spec}");
    }
}

#[test]
fn mistakes_in_hierarchies_are_named() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["check", "nope.csv"], &["nope.csv", "cannot be read", "help"]),
        (&["check", "loop.csv"], &["loop.csv:2", "not nested", "`pome`"]),
        (&["check", "ragged.csv"], &["ragged.csv:2", "`pear`", "2 cells, most have 3"]),
        (&["check", "empty.csv"], &["empty.csv", "no rows"]),
        (&["check", "binary.csv"], &["binary.csv", "UTF-8"]),
        (
            &["check", "short.csv", "--input", "t.csv", "--column", "v"],
            &["short.csv", "`fig`", "no row", "add a row"],
        ),
        (&["check", "h.csv", "--input", "t.csv", "--column", "vv"], &["t.csv", "`vv`", "did you mean `v`"]),
        (&["check", "h.csv", "--input", "nope.csv", "--column", "v"], &["nope.csv", "no such file"]),
        (&["show", "loop.csv"], &["loop.csv:2"]),
        (&["build", "maks", "--input", "t.csv", "--column", "v"], &["`maks`", "`mask`"]),
        (&["build", "{ mask = ", "--input", "t.csv", "--column", "v"], &["{ mask = ", "help"]),
        (
            &["build", "icd10", "--input", "t.csv", "--column", "v"],
            &["column `v`", "apple", "codes look like"],
        ),
        (
            &["build", "suppress", "--input", "t.csv", "--column", "v", "--out", "no/x.csv"],
            &["no/x.csv", "there is no folder no"],
        ),
        (
            &["build", "suppress", "--input", "t.csv", "--column", "v", "--out", "h.csv/x.csv"],
            &["h.csv/x.csv", "there is no folder h.csv"],
        ),
    ];
    let words: Vec<String> = ["apple", "pear", "plum", "fig"].map(String::from).to_vec();
    let env = TestEnv::with(&[
        ("t.csv", &table(&words)),
        ("h.csv", HIERARCHY),
        ("loop.csv", "apple;pome;a\npear;pome;b\n"),
        ("ragged.csv", "apple;pome;*\npear;pome\nfig;x;*\n"),
        ("empty.csv", ""),
        ("short.csv", "apple;pome;*\npear;pome;*\nplum;stone;*\n"),
    ]);
    env.write("binary.csv", (0..=255).collect::<Vec<u8>>());
    let before = env.listing();
    for (args, words) in cases {
        let run = env.run_args(&[&["hierarchy"], *args].concat(), &[]).fails(2);
        run.says(words);
        assert_eq!(run.stdout, "", "{args:?}");
        assert_eq!(env.listing(), before, "{args:?}");
    }
}

#[test]
fn hierarchies_as_json() {
    let env = TestEnv::with(&[("t.csv", "city\nBoston\nBoston\nLynn\n\"\"\nSalem\n")]);
    let build =
        ["hierarchy", "build", "{ priority = { keep = [2, 1] } }", "--input", "t.csv", "--column", "city"];
    let built = env.run_args(&[&build[..], &["--out", "h.csv", "--json"]].concat(), &[]).ok().json();
    assert_eq!(built["levels"], serde_json::json!([4, 4, 3, 1]));
    let rows = built["rows"].as_array().unwrap();
    assert!(rows.contains(&serde_json::json!(["Salem", "other", "other", "*"])), "{built}");
    assert!(rows.contains(&serde_json::json!([null, null, null, "*"])), "missing is null: {built}");
    env.write("h.csv", "apple;pome;fruit\npear;pome;fruit\nplum;stone;fruit\n");
    let whole = env.run("hierarchy show h.csv --json").ok().json();
    let expected = [["apple", "pome", "fruit"], ["pear", "pome", "fruit"], ["plum", "stone", "fruit"]];
    assert_eq!(whole["rows"], serde_json::json!(expected));
    assert_eq!(
        (&whole["lowest"], &whole["leaves"], &whole["top_added"]),
        (&0.into(), &3.into(), &false.into())
    );
    let part = env.run("hierarchy show h.csv --depth 1 --json").ok().json();
    assert_eq!(part["rows"], serde_json::json!([["pome", "fruit"], ["stone", "fruit"]]));
    assert_eq!(part["lowest"], 1);
    let checked = env.run("hierarchy check h.csv --json").ok().json();
    assert_eq!(checked["levels"], serde_json::json!([3, 2, 1]));
}
