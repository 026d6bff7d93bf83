//! Tables that are prepared: what is printed, certified and proven from the command line, and what
//! failures say about people.

use std::fmt::Write as _;

use crate::env::TestEnv;
use crate::naive::Table;

const POLICY: &str = "version = 1\n\
    [input]\npath = \"demo.csv\"\nwhere = \"state = 'MA'\"\n\
    [[input.join]]\npath = \"dx.csv\"\nkey = \"mrn\"\ncodes = \"dx\"\ncolumn = \"diagnoses\"\n\
    [[input.prepare]]\ncap = { column = \"age\", from = 90, label = \"90\" }\n\
    [[input.prepare]]\nredundant = { column = \"race_full\", of = \"race\" }\n\
    [output]\npath = \"out.csv\"\n\
    [columns]\nmrn.role = \"identifier\"\nstate.role = \"drop\"\nrace.role = \"quasi\"\n\
    age = { role = \"quasi\", hierarchy = { intervals = { widths = [10, 50], low = 0, high = 100 } } }\n\
    diagnoses.role = \"keep\"\n\
    [privacy]\nk = 3\nsuppression = 0.1\n";

fn env() -> TestEnv {
    let (mut demo, mut dx) = (String::from("mrn,age,state,race,race_full\n"), String::from("mrn,dx\n"));
    for i in 0..120u32 {
        let (state, race) = (["MA", "NH"][i as usize % 2], ["WHITE", "BLACK"][i as usize % 4 / 2]);
        writeln!(demo, "secret-{i},{},{state},{},{race}", i * 7 % 97, i % 4 / 2).unwrap();
        (0..i % 3).for_each(|turn| writeln!(dx, "secret-{i},{}", 400 + (i + turn) % 4).unwrap());
    }
    TestEnv::with(&[("demo.csv", &demo), ("dx.csv", &dx), ("p.toml", POLICY)])
}

#[test]
fn a_release_states_what_was_prepared() {
    let env = env();
    let said = env.run("release p.toml").ok().stdout;
    assert!(said.contains("prepared    120 rows read, 60 eligible: state = 'MA'\n"), "{said}");
    assert!(said.contains("prepared    redundant race_full: of race: 0 rows\n"), "{said}");
    let release = env.run("release p.toml --json").ok().json();
    let preparation = &release["preparation"];
    assert_eq!(preparation["read"], 120);
    assert_eq!(preparation["eligible"], 60);
    assert_eq!(preparation["rows"], release["rows"]);
    assert_eq!(preparation["where"], "state = 'MA'");
    assert_eq!(preparation["joined"][0]["unmatched_rows"], 0);
    assert_eq!(env.json("out.certificate.json")["preparation"], *preparation);
    assert!(env.text("out.report.html").contains("120 rows read"));
    let out = Table::read(&env.bytes("out.csv"), ',');
    assert!(out.rarest(&["age", "race"]).unwrap() >= 3);
    assert_eq!(out.rows.len() as u64, release["output"]["rows"].as_u64().unwrap());
    let verdict = env.run("verify out.csv --policy p.toml --original demo.csv --json").ok().json();
    assert_eq!(verdict["preparation"]["holds"], true);
    assert!(verdict["preparation"]["unchecked"].is_null());
    let verdict = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict["preparation"]["unchecked"], true);
}

#[test]
fn failures_name_no_key() {
    let env = env();
    let mut dx = env.text("dx.csv");
    dx += "secret-9001,400\n";
    env.write("dx.csv", &dx);
    let failed = env.run("release p.toml").fails(2);
    failed.says(&["prepare.unmatched-rows", "1 rows with 1 keys", "unmatched"]);
    assert!(!failed.stderr.contains("secret-"), "{}", failed.said());
    env.write(
        "p.toml",
        POLICY.replace("column = \"diagnoses\"\n", "column = \"diagnoses\"\nunmatched = \"drop\"\n"),
    );
    env.run("release p.toml").ok();
    let demo = env.text("demo.csv");
    env.write("demo.csv", format!("{demo}secret-1,3,MA,0,WHITE\n"));
    let failed = env.run("release p.toml").fails(2);
    failed.says(&["prepare.key-not-unique"]);
    assert!(!failed.stderr.contains("secret-"), "{}", failed.said());
    env.write("demo.csv", demo.replacen("WHITE", "OTHER", 1));
    let failed = env.run("release p.toml").fails(2);
    failed.says(&["prepare.not-redundant"]);
    assert!(!failed.stderr.contains("secret-") && !failed.stderr.contains("OTHER"), "{}", failed.said());
}

#[test]
fn mistakes_in_conditions_are_shown_at_their_line() {
    let env = env();
    for (condition, words) in [
        ("stat = 'MA'", ["predicate.no-such-column", "did you mean `state`?"]),
        ("state = (SELECT 1)", ["predicate.subquery", "cannot contain a query"]),
        ("count(mrn) > 1", ["predicate.aggregate", "count"]),
        ("age < random()", ["predicate.not-repeatable", "random"]),
    ] {
        env.write("p.toml", POLICY.replace("state = 'MA'", condition));
        let failed = env.run("release p.toml").fails(2);
        failed.says(&words);
        failed.says(&["p.toml:4:9"]);
    }
}

/// docs/preparation.md shows what a release of `examples/preparation` prints.
#[test]
fn the_page_shows_what_its_example_prints() {
    let env = TestEnv::new();
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/preparation");
    env.write("policy.toml", std::fs::read(example.join("policy.toml")).unwrap());
    let script = example.join("make.py");
    let made = std::process::Command::new("python3").arg(script).current_dir(env.path("")).status();
    assert!(made.expect("python3 is missing: `make tools` installs it").success());
    let said = env.run("release policy.toml").ok().stdout;
    let shown = crate::tutorial::page("preparation.md");
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("prepared ")).collect();
    assert_eq!(lines.len(), 7, "{said}");
    assert!(shown.contains(&lines.join("\n")), "{said}");
    // The policy of the page is the beginning of that of the example.
    let policy = env.text("policy.toml");
    let lines = shown.lines().skip_while(|line| *line != "[input]");
    let page: String = lines.take_while(|line| *line != "[columns.diagnoses]").collect();
    assert!(page.contains("cut = "), "{page}");
    assert!(policy.lines().collect::<String>().contains(&page), "{page}");
}
