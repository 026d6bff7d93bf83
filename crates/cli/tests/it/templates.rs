//! `throng inspect --template`, the rules in terminal, report and JSON, and the statement that can
//! be passed on.

use crate::env::TestEnv;
use crate::naive::Table;

/// A year that no test depends on the clock for.
const YEAR: &str = "2026";

fn patients(rows: usize) -> Table {
    let columns = [
        "mrn",
        "patient_name",
        "email",
        "birth_date",
        "age",
        "zip",
        "city",
        "admitted",
        "sex",
        "diagnosis",
        "note",
    ];
    let row = |i: usize| {
        let year = 1925 + (i * 37) % 90;
        vec![
            format!("MRN{:07}", 7 * i + 1),
            format!("Given{i} Family{}", i % 83),
            format!("someone{i}@mail.example"),
            format!("{year}-{:02}-{:02}", 1 + i % 12, 1 + (i * 5) % 28),
            (2025 - year).to_string(),
            if i.is_multiple_of(9) {
                format!("036{:02}", i % 90)
            } else {
                format!("02{}{:02}", 1 + i % 5, i % 90)
            },
            ["Springfield", "Riverton", "Lakeside"][i % 3].to_owned(),
            format!("2024-{:02}-{:02}", 1 + (i * 3) % 12, 1 + (i * 11) % 28),
            ["female", "male"][i % 2].to_owned(),
            ["asthma", "diabetes", "fracture", "migraine"][(i / 3) % 4].to_owned(),
            format!("The patient number {i} was seen by the physician again and complained of pain."),
        ]
    };
    Table { columns: columns.map(String::from).to_vec(), rows: (0..rows).map(row).collect() }
}

fn inspected(template: &str) -> TestEnv {
    let env = TestEnv::with(&[("patients.csv", &patients(400).write(','))]);
    let line = format!("inspect patients.csv --template {template} --year {YEAR} --write policy.toml");
    let run = env.run(&line).ok();
    assert!(run.stdout.contains("rules satisfied"), "{}", run.said());
    env
}

#[test]
fn a_misspelt_template_is_reported_before_a_table_is_read() {
    let env = TestEnv::new();
    let run = env.run("inspect nope.csv --template hippa-safe-harbor").fails(2);
    run.says(&["there is no template `hippa-safe-harbor`", "did you mean `hipaa-safe-harbor`?"]);
    let run = env.run("inspect nope.csv --template HIPAA").fails(2);
    run.says(&["there is no template `HIPAA`", "did you mean `hipaa-safe-harbor` or `hipaa-expert`?"]);
    let run = env.run("inspect nope.csv --template mine.toml").fails(2);
    run.says(&["mine.toml: there is no such file", "lists the templates"]);
    env.run("inspect nope.csv --suppression 7").fails(2).says(&["a share from 0 to 1"]);
}

#[test]
fn json_states_the_rules_that_the_proposed_policy_satisfies() {
    let env = TestEnv::with(&[("patients.csv", &patients(400).write(','))]);
    let line = format!("inspect patients.csv --template hipaa-safe-harbor --year {YEAR} --json");
    let found = env.run(&line).ok().json();
    assert_eq!(found["template"]["name"], "hipaa-safe-harbor");
    let rules = found["template"]["rules"].as_array().unwrap();
    assert!(rules.len() > 20 && rules.iter().all(|rule| rule["satisfied_by"].is_string()), "{rules:?}");
    assert_eq!(found["columns"].as_array().unwrap().len(), 11);
    let written = env.run(&format!("{line} --write policy.toml")).ok().json();
    assert_eq!(written, found);
    assert!(env.run("inspect patients.csv --json").ok().json().get("template").is_none());
}

#[test]
fn templates_are_listed() {
    let env = TestEnv::new();
    let run = env.run("inspect --template list").ok();
    for name in ["hipaa-safe-harbor", "hipaa-expert", "ema-0070", "wp29", "public-use", "scientific-use"] {
        assert!(run.stdout.lines().any(|line| line.starts_with(name)), "{}", run.stdout);
    }
    let listed = env.run("inspect --template list --json").ok().json();
    assert_eq!(listed.as_array().unwrap().len(), run.stdout.lines().count());
    assert!(listed[0]["source"].as_str().unwrap().contains("164.514"));
    env.run("inspect").fails(2);
    env.run("inspect --template wp29").fails(2).says(&["arguments.no-table"]);
    env.write("t.csv", "age,sex\n1,f\n2,m\n");
    env.run("inspect t.csv --template wp30").fails(2).says(&["template.unknown-name", "wp29"]);
    env.run("inspect t.csv --year 2026").fails(2);
}

#[test]
fn safe_harbor_from_the_table_to_the_verified_release() {
    let env = inspected("hipaa-safe-harbor");
    let policy = env.text("policy.toml");
    for words in
        ["# rule ages (164.514(b)(2)(i)(C)): Ages of 90", "min_level = 1", "year = 2026", "[statement]"]
    {
        assert!(policy.contains(words), "{words}\n{policy}");
    }
    let run = env.run("release policy.toml").ok();
    for words in
        ["template    HIPAA Safe Harbor: 24 of 24 rules satisfied; 1 has to be confirmed", "statement "]
    {
        assert!(run.stdout.contains(words), "{}", run.said());
    }
    let out = Table::read(&env.bytes("patients-release.csv"), ',');
    for gone in ["mrn", "patient_name", "email", "city", "note"] {
        assert!(!out.columns.iter().any(|column| column == gone), "{gone}");
    }
    let digits = |text: &&str| text.chars().filter(char::is_ascii_digit).count();
    assert!(out.column("zip").iter().all(|zip| digits(zip) <= 3 && *zip != "036"));
    assert!(out.column("zip").contains(&"000") && out.column("age").contains(&">= 90"));
    assert!(out.column("birth_date").contains(&"< 1937"));
    assert!(out.column("admitted").iter().all(|date| !date.contains('-')), "{:?}", out.column("admitted"));
    let verdict =
        env.run("verify patients-release.csv --policy policy.toml --original patients.csv --certificate patients-certificate.json --json");
    assert_eq!(verdict.ok().json()["template"]["holds"], true);
    let json = env.run("release policy.toml --json").ok().json();
    let rules = json["template"]["rules"].as_array().unwrap().clone();
    assert_eq!(rules.len(), 25);
    assert!(
        rules.iter().all(|rule| rule["holds"] != false && rule["satisfied_by"].is_string()),
        "{rules:#?}"
    );
    let report = env.text("patients-report.html");
    assert!(report.contains("Rules of HIPAA Safe Harbor") && report.contains("164.514(b)(2)(i)(C)"));
}

#[test]
fn the_statement_can_be_passed_on() {
    for template in ["hipaa-safe-harbor", "wp29", "cms-cell-size"] {
        let env = inspected(template);
        let policy = env.text("policy.toml").replace("purpose = \"\"", "purpose = \"Study of asthmatics\"");
        env.write("policy.toml", policy);
        env.run("release policy.toml").ok();
        let page = env.text("patients-statement.html");
        for words in ["Study of asthmatics", "to be filled in", "birth_date", "Signature", "can be passed on"]
        {
            assert!(page.contains(words), "{template}: {words}");
        }
        let certificate = env.json("patients-certificate.json");
        for digest in
            [&certificate["seal"], &certificate["output"]["sha256"], &certificate["policy"]["sha256"]]
        {
            assert!(page.contains(digest.as_str().unwrap()), "{template}: {digest}");
        }
        // Digests can contain any digits.
        let parts = page
            .split("<code class=\"hash\">")
            .map(|part| part.split_once("</code>").map_or(part, |(_, rest)| rest));
        let plain: String = parts.collect::<String>().replace("asthmatics", "");
        let mut cells: Vec<String> = patients(400).rows.into_iter().flatten().collect();
        cells.retain(|cell| cell.len() > 3);
        cells.sort();
        cells.dedup();
        let shown: Vec<&String> = cells.iter().filter(|cell| plain.contains(cell.as_str())).collect();
        assert!(cells.len() > 1000 && shown.is_empty(), "{template}: {shown:?}");
    }
}

#[test]
fn a_broken_rule_is_refused_or_named() {
    let env = inspected("hipaa-safe-harbor");
    let before = env.listing();
    let policy = env.text("policy.toml");
    let age = policy.find("[columns.age]").unwrap();
    let broken = policy[..age].to_owned() + &policy[age..].replacen("min_level = 1\n", "", 1);
    env.write("broken.toml", &broken);
    env.run("release broken.toml")
        .fails(2)
        .says(&["template.rule-not-satisfied", "rule ages (164.514(b)(2)(i)(C))"]);
    env.run("policy check broken.toml").fails(1).says(&["template.rule-not-satisfied"]);
    assert_eq!(env.listing().len(), before.len() + 1, "nothing was written");

    let env = inspected("wp29");
    let policy = env.text("policy.toml").replace("\nk = 10\n", "\nk = 3\n");
    env.write("policy.toml", policy);
    let run = env.run("release policy.toml").ok();
    assert!(
        run.stdout.contains("WARNING     Rule singling-out (singling out) of WP29 criteria"),
        "{}",
        run.said()
    );
    assert!(env.text("patients-report.html").contains("Rule singling-out (singling out)"));
    assert!(env.text("patients-statement.html").contains("privacy.k = 3, and 10 is needed"));
    let verify =
        "verify patients-release.csv --policy policy.toml --certificate patients-certificate.json --json";
    let verdict = env.run(verify).ok().json();
    assert!(verdict["template"]["found"].as_str().unwrap().contains("singling-out"), "{verdict}");
}

#[test]
fn the_people_of_zip_prefixes_and_a_template_of_ones_own_are_files() {
    let env = TestEnv::with(&[
        ("data/patients.csv", &patients(300).write(',')),
        ("data/zip3.csv", "prefix,population\n021,30000\n022,30000\n036,30000\n"),
    ]);
    std::fs::create_dir(env.path("policies")).unwrap();
    let line = format!(
        "inspect data/patients.csv --template hipaa-safe-harbor --year {YEAR} --population data/zip3.csv --write policies/p.toml"
    );
    env.run(&line).ok();
    let policy = env.text("policies/p.toml");
    assert!(policy.contains("population = \"../data/zip3.csv\""), "{policy}");
    env.run("release policies/p.toml").ok();
    let out = Table::read(&env.bytes("policies/patients-release.csv"), ',');
    assert!(out.column("zip").contains(&"036") && !out.column("zip").contains(&"023"));
    assert!(env.json("policies/patients-certificate.json")["files"]["../data/zip3.csv"].is_string());
    let own = "format = 1\nname = \"ours\"\ntitle = \"Ours\"\nsource = \"our board\"\nsummary = \"Own rules.\"\n\
               [privacy]\nk = 4\nsuppression = 0.1\n[[rules]]\nid = \"k\"\ntext = \"At least four rows.\"\nrequire = { k = 4 }\n";
    env.write("ours.toml", own);
    env.run("inspect data/patients.csv --template ours.toml --write ours.toml")
        .fails(2)
        .says(&["file.would-overwrite"]);
    env.run("inspect data/patients.csv --template ours.toml --write policies/q.toml").ok();
    assert!(env.text("policies/q.toml").contains("name = \"../ours.toml\""));
    let run = env.run("release policies/q.toml").ok();
    assert!(run.stdout.contains("template    Ours: 1 of 1 rules satisfied"), "{}", run.said());
    env.run("policy bundle policies/q.toml --out policies/q.bundle.json").ok();
    env.run("release policies/q.bundle.json").ok();
}
