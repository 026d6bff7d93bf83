//! `throng measure`: releases of other tools, written by hand; those of Throng; and bad inputs.

use serde_json::Value;

use crate::env::TestEnv;
use crate::tutorial::{appears, blocks, page, typed};
use crate::twelve;

const PATIENTS: &str = "\
id,age,sex,zip,illness
1,21,f,02138,flu
2,25,f,02139,angina
3,34,m,02138,flu
4,38,m,02139,asthma
5,47,m,02141,flu
6,49,m,02142,gout
";

const POLICY: &str = r#"version = 1
[input]
path = "patients.csv"
[columns.id]
role = "keep"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [10, 20] } }
[columns.sex]
role = "quasi"
[columns.zip]
role = "quasi"
hierarchy = { mask = {} }
[columns.illness]
role = "sensitive"
[privacy]
k = 2
models = [{ l_diversity = { column = "illness", l = 2 } }]
"#;

/// Global levels as ARX writes them, with a suppressed row that is starred, semicolons between
/// cells, and its own intervals.
const ARX: &str = "\
age;sex;zip;illness
[20, 30[;f;0213*;flu
[20, 30[;f;0213*;angina
[30, 40[;m;0213*;flu
[30, 40[;m;0213*;asthma
*;*;*;flu
*;*;*;gout
";

/// Global recoding by `cut` and local suppression, as sdcMicro writes them.
const SDC: &str = "\
\"id\",\"age\",\"sex\",\"zip\",\"illness\"
4,\"(30,40]\",\"m\",NA,\"asthma\"
3,\"(30,40]\",\"m\",NA,\"flu\"
2,\"(20,30]\",\"f\",NA,\"angina\"
1,\"(20,30]\",\"f\",NA,\"flu\"
";

fn env() -> TestEnv {
    TestEnv::with(&[("patients.csv", PATIENTS), ("p.toml", POLICY), ("arx.csv", ARX), ("sdc.csv", SDC)])
}

fn near(json: &Value, value: f64) {
    let found = json.as_f64().unwrap_or_else(|| panic!("{json} is not a number"));
    assert!((found - value).abs() < 1e-9, "{found}, not {value}");
}

#[test]
fn releases_of_arx_are_measured() {
    let env = env();
    let line = "measure arx.csv --original patients.csv --policy p.toml --same-order --starred --json";
    let json = env.run(line).ok().json();
    assert_eq!((&json["rows"], &json["released"], &json["withheld"]), (&6.into(), &4.into(), &2.into()));
    assert_eq!(json["correspondence"], "order");
    // Two classes of two rows, and two suppressed rows.
    near(&json["loss"]["dm"], 4.0 + 4.0 + 6.0 * 2.0);
    near(&json["loss"]["aecs"], 6.0 / 3.0);
    // Ages of two values each, ZIP codes of two, of six ages, two sexes and four ZIP codes.
    let released = 4.0 * (1.0 / 5.0 + 0.0 + 1.0 / 3.0);
    near(&json["loss"]["lm"], (released + 2.0 * 3.0) / 6.0 / 3.0);
    assert_eq!(json["privacy"]["k-anonymity"]["achieved"], 2.0);
    assert_eq!(json["risk"]["after"]["smallest"], 2);
    for column in ["age", "sex", "zip"] {
        assert_eq!(json["untrue"][column], 0, "{json}");
    }
    // Taken for a class, the starred rows are safe as well.
    let json = env.run(&line.replace("--starred ", "")).ok().json();
    near(&json["loss"]["dm"], 12.0);
    assert_eq!(json["withheld"], 0);
}

#[test]
fn releases_of_sdcmicro_are_measured() {
    let env = env();
    let line = "measure sdc.csv --original patients.csv --policy p.toml --key id --null NA --json";
    let json = env.run(line).ok().json();
    assert_eq!(json["correspondence"], "key");
    assert_eq!((&json["rows"], &json["withheld"]), (&6.into(), &2.into()));
    near(&json["loss"]["dm"], 4.0 + 4.0 + 6.0 * 2.0);
    // A suppressed cell covers everything.
    near(&json["loss"]["lm"], (4.0 * (1.0 / 5.0 + 0.0 + 1.0) + 2.0 * 3.0) / 6.0 / 3.0);
    near(&json["loss_by_column"]["lm"]["zip"], 1.0);
    near(&json["loss_by_column"]["entropy"]["sex"], 0.0);
    assert_eq!(json["untrue"]["zip"], 0);
    assert!(json["unavailable"]["height"].as_str().unwrap().contains("several levels"), "{json}");
}

#[test]
fn without_correspondence_nothing_is_guessed() {
    let env = env();
    let json =
        env.run("measure sdc.csv --original patients.csv --policy p.toml --null NA --json").ok().json();
    assert_eq!(json["correspondence"], "none");
    assert!(json["untrue"].is_null());
    near(&json["loss"]["dm"], 4.0 + 4.0 + 6.0 * 2.0);
    assert_eq!(json["unavailable"]["entropy"], "needs row correspondence");
    assert_eq!(json["unavailable"]["dm*"], "needs row correspondence");
    assert!(json["loss"].get("entropy").is_none());
    let text = env.run("measure sdc.csv --original patients.csv --policy p.toml --null NA").ok().stdout;
    assert!(text.contains("row correspondence is not known"), "{text}");
}

#[test]
fn untrue_cells_are_counted_and_models_may_fail() {
    let env = env();
    // The sex of row 1 was swapped, and the age of row 2 moved to another decade.
    let swapped = "id,age,sex,zip,illness\n1,\"[20, 30)\",m,02138,flu\n2,\"[30, 40)\",f,02139,angina\n";
    env.write("swapped.csv", swapped);
    let line = "measure swapped.csv --original patients.csv --policy p.toml --key id";
    let json = env.run(&format!("{line} --json")).fails(1).json();
    assert_eq!((&json["untrue"]["sex"], &json["untrue"]["age"]), (&1.into(), &1.into()));
    assert_eq!(json["untrue"]["zip"], 0);
    assert!(json["unavailable"]["entropy"].as_str().unwrap().contains("not true"));
    assert_eq!(json["privacy"]["k-anonymity"]["holds"], false);
    let text = env.run(line).fails(1).stdout;
    assert!(text.contains("DOES NOT HOLD: 1, required 2"), "{text}");
    assert!(text.contains("cells that are not true of the original"), "{text}");
}

#[test]
fn own_releases_have_the_figures_of_their_certificates() {
    let env = env();
    for (name, more) in [
        ("levels", "suppression = 0.4\n[output]\npath = \"out.csv\"\n"),
        ("regions", "[output]\npath = \"out.csv\"\n[search]\nalgorithm = \"mondrian\"\n"),
    ] {
        let policy = POLICY.replace("l = 2", "l = 1");
        env.write(&format!("{name}.toml"), format!("{policy}{more}"));
        env.run(&format!("release {name}.toml --out {name}.csv")).ok();
        let certificate = env.json(&format!("{name}.certificate.json"));
        let line = format!("measure {name}.csv --original patients.csv --policy {name}.toml --key id --json");
        let json = env.run(&line).ok().json();
        assert_eq!(json["privacy"], certificate["privacy"], "{name}");
        assert_eq!(json["risk"], certificate["risk"], "{name}");
        for (loss, value) in certificate["loss"].as_object().unwrap() {
            near(&json["loss"][loss], value.as_f64().unwrap());
        }
    }
}

#[test]
fn bad_inputs_are_refused_with_codes() {
    let env = env();
    let head = "id,age,sex,zip,illness\n";
    for (name, text) in [
        ("narrow.csv", "id,age,sex,illness\n1,21,f,flu\n2,25,f,flu\n".to_owned()),
        ("short.csv", format!("{head}1,21,f,02138,flu\n2,25,f,02139,flu\n")),
        ("label.csv", format!("{head}1,twenties,f,02138,flu\n2,twenties,f,02139,flu\n")),
        ("far.csv", format!("{head}1,90-99,f,02138,flu\n2,90-99,f,02139,flu\n")),
        ("twice.csv", format!("{head}1,21,f,02138,flu\n1,25,f,02139,flu\n")),
        ("keyless.csv", format!("{head}1,21,f,02138,flu\n,25,f,02139,flu\n")),
        ("other.csv", format!("{head}1,21,f,02138,flu\n77,25,f,02139,flu\n")),
        ("long.csv", format!("{PATIENTS}7,21,f,02138,flu\n")),
        ("empty.csv", head.to_owned()),
        ("void.csv", String::new()),
    ] {
        env.write(name, text);
    }
    let before = env.listing();
    for (line, code) in [
        ("narrow.csv --key id", "measure.no-such-column"),
        ("short.csv --same-order", "measure.row-counts-differ"),
        ("label.csv --key id", "measure.unknown-cell"),
        ("far.csv", "measure.unknown-cell"),
        ("twice.csv --key id", "measure.repeated-key"),
        ("keyless.csv --key id", "measure.missing-key"),
        ("other.csv --key id", "measure.unknown-key"),
        ("short.csv --key ssn", "measure.no-such-column"),
        ("long.csv", "measure.more-rows-than-original"),
        ("empty.csv --key id", "measure.empty-release"),
        ("void.csv", "table.empty-file"),
        ("missing.csv", "file.not-found"),
    ] {
        let run = env.run(&format!("measure {line} --original patients.csv --policy p.toml --json")).fails(2);
        assert!(run.stderr.contains(&format!("\"{code}\"")), "{line}: {}", run.said());
        assert_eq!(run.stdout, "", "{line}");
    }
    // A policy in place of the release, and a release in place of the policy.
    env.run("measure p.toml --original patients.csv --policy p.toml").fails(2);
    env.run("measure arx.csv --original patients.csv --policy arx.csv").fails(2);
    env.run("measure arx.csv --original patients.csv --policy p.toml --key id --same-order").fails(2);
    env.run("measure arx.csv --policy p.toml").fails(2).says(&["--original"]);
    assert_eq!(env.listing(), before, "nothing is written");
}

const PEOPLE: &str = "\
id,age,sex,zip
1,21,f,02138
2,25,f,02139
3,34,m,02138
4,38,m,02139
5,47,m,02141
6,49,m,02142
7,33,m,02138
";

#[test]
fn protection_is_checked_against_a_population() {
    let env = env();
    env.write("people.csv", PEOPLE);
    let line = "--original patients.csv --policy p.toml --population people.csv --truth id --json";
    // Rows of nothing but `*` map to everybody.
    let json = env.run(&format!("measure arx.csv --same-order {line}")).ok().json();
    assert_eq!((&json["ads0"]["holds"], &json["k_map"]["holds"]), (&true.into(), &true.into()), "{json}");
    assert_eq!((&json["null_map"]["holds"], &json["wrong_map"]["holds"]), (&false.into(), &false.into()));
    assert_eq!(json["tuples"]["least"], 2);
    assert_eq!(json["entities"]["population"], 7);
    // The original as its own release.
    let json = env.run(&format!("measure patients.csv --key id {line}")).fails(1).json();
    assert_eq!(json["ads0"]["properties"]["9"]["violations"], 6, "{json}");
    assert_eq!(json["tuples"]["unique_and_correct"], 6);
    // Encrypted quasi-identifiers, which the losses of `measure` refuse.
    env.write("encrypted.csv", "age,sex,zip,illness\nx1,y1,z1,flu\nx2,y2,z2,gout\n");
    let json = env.run(&format!("measure encrypted.csv {line}")).ok().json();
    assert_eq!((&json["null_map"]["holds"], &json["tuples"]["nobody"]), (&true.into(), &2.into()), "{json}");
    // Outsiders have diagnoses as well.
    env.write("clinic.csv", "id,sex,illness\n1,f,flu\n3,m,flu\n");
    let json = env.run(&format!("measure arx.csv --same-order {line} --external clinic.csv")).fails(1).json();
    assert_eq!(json["ads0"]["properties"]["4"]["columns"][0], "illness", "{json}");
    // Without names of people, only numbers of candidates are known.
    let text = env
        .run("measure arx.csv --original patients.csv --policy p.toml --population people.csv")
        .ok()
        .stdout;
    assert!(text.contains("ADS0       is not known") && text.contains("k-map      holds"), "{text}");
}

#[test]
fn populations_that_do_not_fit_are_refused() {
    let env = env();
    for (name, text) in [
        ("people.csv", PEOPLE.to_owned()),
        ("narrow.csv", "id,age,sex\n1,21,f\n".to_owned()),
        ("empty.csv", "id,age,sex,zip\n".to_owned()),
        ("unnamed.csv", format!("{PEOPLE},50,f,02138\n")),
        ("phones.csv", "id,phone\n1,123\n".to_owned()),
    ] {
        env.write(name, text);
    }
    let before = env.listing();
    for (line, code) in [
        ("--population narrow.csv --truth id", "measure.no-such-column"),
        ("--population people.csv --truth ssn", "measure.no-such-column"),
        ("--population empty.csv --truth id", "measure.empty-table"),
        ("--population unnamed.csv --truth id", "measure.missing-person"),
        ("--population people.csv --truth id --external phones.csv", "measure.no-linked-column"),
        ("--population missing.csv --truth id", "file.not-found"),
    ] {
        let run = env.run(&format!("measure arx.csv --original patients.csv --policy p.toml --json {line}"));
        let run = run.fails(2);
        assert!(run.stderr.contains(&format!("\"{code}\"")), "{line}: {}", run.said());
    }
    let line = "measure arx.csv --original patients.csv --policy p.toml";
    env.run(&format!("{line} --truth id")).fails(2).says(&["--population"]);
    env.run(&format!("{line} --population people.csv --external phones.csv")).fails(2).says(&["--truth"]);
    env.run(&format!("{line} --population people.csv --rows rows.csv")).fails(2);
    assert_eq!(env.listing(), before, "nothing is written");
}

#[test]
fn what_the_page_shows_is_what_appears() {
    let text = page("measure.md");
    let steps: Vec<_> =
        blocks(&text).iter().filter(|block| block.kind == "console").flat_map(typed).collect();
    assert!(steps.len() >= 2, "{} commands", steps.len());
    appears("measure.md", &twelve::env(), &steps);
}
