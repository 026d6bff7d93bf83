//! `demo`, and inspect → release → verify with no hand edit, on tables laid out in many ways.

use serde_json::Value;

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{people, people_with_gaps};

#[test]
fn demo_makes_a_proven_release() {
    let env = TestEnv::new();
    let run = env.run("demo sample --rows 10000").ok();
    assert!(run.stdout.contains("k-anonymity holds"), "{}", run.said());
    let mut names: Vec<String> = env.listing().keys().map(|p| p.display().to_string()).collect();
    names.retain(|n| n.contains("sample/"));
    let ends = ["certificate.json", "patients.csv", "policy.toml", "release.csv", "report.html"];
    assert!(names.iter().zip(ends).all(|(n, end)| n.ends_with(end)) && names.len() == 5, "{names:?}");
    let release = Table::read(&env.bytes("sample/release.csv"), ',');
    release.is_anonymous(&["birth_date", "sex", "zip", "ethnicity", "admission_date"], 5);
    assert!(release.rows.len() >= 9800, "at most 2 % are suppressed");
    assert!(!release.columns.iter().any(|c| c == "name" || c == "record_number" || c == "note"));
    env.run("verify sample/release.csv --policy sample/policy.toml").ok();
    env.run("verify sample/release.csv --policy sample/policy.toml --original sample/patients.csv").ok();
    // The folder that the demo points a newcomer to works from there, too.
    env.run("release sample/policy.toml --seed 2").ok();
    env.run("demo sample --rows 10000").ok();
}

#[test]
fn demo_works_for_any_number_of_patients() {
    for rows in [100, 101, 500, 2000, 5000, 19_999, 20_000] {
        for seed in [1, 2] {
            let env = TestEnv::new();
            let release = env.run(&format!("demo d --rows {rows} --seed {seed} --json")).ok().json();
            assert_eq!(release["rows"], rows);
            assert!(release["released"].as_u64().unwrap() * 100 >= rows * 98, "{release}");
            env.run("verify d/release.csv --policy d/policy.toml --original d/patients.csv").ok();
        }
    }
    TestEnv::new().run("demo d --rows 99").fails(2).says(&["99", "at least 100 patients"]);
}

#[test]
fn demo_does_not_write_over_what_is_not_its_own() {
    let env = TestEnv::new();
    env.run("demo d --rows 200").ok();
    // Its own files are made again, and a changed policy is not lost.
    env.run("demo d --rows 200").ok();
    env.write("d/policy.toml", env.text("d/policy.toml").replace("k = 5", "k = 4"));
    let before = env.listing();
    env.run("demo d --rows 200").fails(2).says(&["d/policy.toml", "exists already", "--force"]);
    env.run("demo d --rows 300").fails(2).says(&["d/policy.toml", "d/patients.csv"]);
    assert_eq!(env.listing(), before);
    env.run("demo d --rows 300 --force").ok();
    assert_eq!(Table::read(&env.bytes("d/patients.csv"), ',').rows.len(), 300);
    // A release that somebody else made.
    let env = TestEnv::with(&[("d/release.csv", "precious\n")]);
    env.run("demo d --rows 200").fails(2).says(&["d/release.csv", "--force"]);
    assert_eq!(env.text("d/release.csv"), "precious\n");
}

/// A table as bytes, and the delimiter that its release has.
struct Layout {
    file: &'static str,
    bytes: Vec<u8>,
    delimiter: char,
}

fn layout(file: &'static str, table: &Table, delimiter: char, change: impl Fn(String) -> Vec<u8>) -> Layout {
    Layout { file, bytes: change(table.write(delimiter)), delimiter }
}

fn latin1(text: String) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c as u32).unwrap()).collect()
}

fn quoted(text: &Table) -> String {
    let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
    writer.write_record(&text.columns).unwrap();
    text.rows.iter().for_each(|row| writer.write_record(row).unwrap());
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Cells on one line each, so that the line ends can be changed.
fn flat(mut table: Table) -> Table {
    table.rows.iter_mut().flatten().for_each(|cell| *cell = cell.replace('\n', " "));
    table
}

#[test]
fn inspect_release_verify_without_a_hand_edit() {
    let plain = String::into_bytes;
    let table = people(500, 1);
    let mut named = people(500, 2);
    named.columns = [
        "Patient ID",
        "full name",
        "age, in years",
        "zip.code",
        "sex",
        "city",
        "a \"day\"",
        "illness",
        "cost",
    ]
    .map(String::from)
    .to_vec();
    let layouts = [
        layout("comma.csv", &table, ',', plain),
        layout("semicolon.csv", &table, ';', plain),
        layout("tab.tsv", &table, '\t', plain),
        layout("bar.txt", &table, '|', plain),
        layout("quoted.csv", &table, ',', |_| quoted(&table).into_bytes()),
        layout("crlf.csv", &flat(people(500, 3)), ',', |t| t.replace('\n', "\r\n").into_bytes()),
        layout("bom.csv", &named, ';', |t| [b"\xEF\xBB\xBF", t.as_bytes()].concat()),
        layout("bom_crlf_quoted.csv", &named, ',', |_| {
            [b"\xEF\xBB\xBF", quoted(&flat(named.clone())).replace('\n', "\r\n").as_bytes()].concat()
        }),
        layout("latin.csv", &table, ';', latin1),
        layout("no_last_line_end.csv", &table, ',', |t| t.trim_end().to_owned().into_bytes()),
        layout("missing.csv", &people_with_gaps(500, 4, ""), ',', plain),
        layout("with space é.csv", &people(300, 5), ',', plain),
    ];
    for Layout { file, bytes, delimiter } in layouts {
        let env = TestEnv::new();
        env.write(file, &bytes);
        env.run_args(&["inspect", file, "--write", "policy.toml"], &[]).ok();
        let release = env.run("release policy.toml --json").ok().json();
        let out = release["output"]["path"].as_str().unwrap();
        let read = Table::read(&env.bytes(out), delimiter);
        check(file, &read, &release);
        for original in [&[][..], &["--original", file]] {
            env.run_args(&[&["verify", out, "--policy", "policy.toml"], original].concat(), &[]).ok();
        }
    }
}

/// A release of people compared with its own summary, recounted.
fn check(name: &str, table: &Table, release: &Value) {
    let forms = release["regions"]["forms"].as_object().unwrap();
    let quasi: Vec<&str> = forms.keys().map(String::as_str).collect();
    assert!(quasi.len() >= 4, "{name}: {quasi:?}");
    assert!(
        !table.columns.iter().any(|c| ["id", "name", "Patient ID", "full name"].contains(&c.as_str())),
        "{name}"
    );
    assert_eq!(
        release["privacy"]["k-anonymity"]["achieved"].as_f64(),
        table.rarest(&quasi).map(|n| n as f64),
        "{name}"
    );
    table.is_anonymous(&quasi, 5);
    let count = |key: &str| release[key].as_u64().unwrap();
    assert_eq!(count("released"), table.rows.len() as u64, "{name}");
    assert_eq!(count("released") + count("suppressed"), count("rows"), "{name}");
    assert!(count("suppressed") * 20 <= count("rows"), "{name}: at most 5 %");
    let cells: Vec<&String> = table.rows.iter().flatten().collect();
    assert!(
        !cells.iter().any(|c| c.starts_with("P000") || c.starts_with("José ")),
        "{name}: identifiers are gone"
    );
    assert!(cells.iter().any(|c| c.contains("so-called \"cold\"")), "{name}: quotes survive");
}

#[test]
fn inspect_writes_a_policy_that_works_from_another_folder() {
    let env = TestEnv::new();
    env.write("data/deep/people.csv", people(300, 6).write(','));
    std::fs::create_dir_all(env.path("policies/a")).unwrap();
    env.run("inspect data/deep/people.csv --write policies/a/p.toml --k 3 --suppression 0.1").ok();
    let text = env.text("policies/a/p.toml");
    assert!(text.contains("../../data/deep/people.csv") && text.contains("k = 3"), "{text}");
    let release = env.run("release policies/a/p.toml --json").ok().json();
    let out = release["output"]["path"].as_str().unwrap();
    assert!(out.starts_with("policies/a/"), "paths are relative to the policy: {out}");
    Table::read(&env.bytes(out), ',').is_anonymous(&["age", "zip", "sex", "city"], 3);
    env.run_args(
        &["verify", out, "--policy", "policies/a/p.toml", "--original", "data/deep/people.csv"],
        &[],
    )
    .ok();
}

#[test]
fn inspect_takes_the_word_of_its_user() {
    let env = TestEnv::new();
    // Cells with more commas than semicolons, and two texts that mean missing.
    let mut table = people_with_gaps(300, 9, "n/a");
    table.rows.iter_mut().step_by(5).for_each(|row| row[5] = "?".into());
    table.rows.iter_mut().for_each(|row| row[1] = format!("a, b, c, {}", row[1]));
    env.write("people.csv", table.write(';'));
    let args =
        ["inspect", "people.csv", "--write", "p.toml", "--delimiter", ";", "--null", "n/a", "--null", "?"];
    env.run_args(&args, &[]).ok();
    let text = env.text("p.toml");
    assert!(text.contains("null = [\"\", \"n/a\", \"?\"]") && text.contains("delimiter = \";\""), "{text}");
    let release = env.run("release p.toml --json").ok().json();
    let out = release["output"]["path"].as_str().unwrap();
    env.run(&format!("verify {out} --policy p.toml --original people.csv")).ok();
    let released = Table::read(&env.bytes(out), ';');
    released.is_anonymous(&["age", "zip", "sex", "city"], 5);
    assert!(
        !released.rows.iter().flatten().any(|cell| cell == "n/a" || cell == "?"),
        "missing cells are empty"
    );
}

#[test]
fn inspect_finds_hierarchy_files_by_name() {
    let env = TestEnv::new();
    env.write("people.csv", people(300, 7).write(','));
    env.write("people_hierarchy_city.csv", "Köln;Rhine;*\nBonn;Rhine;*\nSaint-Étienne;Loire;*\n");
    env.run("inspect people.csv --write p.toml").ok();
    assert!(env.text("p.toml").contains("people_hierarchy_city.csv"), "{}", env.text("p.toml"));
    env.run("release p.toml").ok();
    env.run("inspect people.csv --write p.toml --force --top").ok();
}

#[test]
fn several_files_are_one_table() {
    let env = TestEnv::new();
    let table = people(600, 8);
    for (i, rows) in table.rows.chunks(250).enumerate() {
        let part = Table { columns: table.columns.clone(), rows: rows.to_vec() };
        env.write(&format!("visits/part-{i}.csv"), part.write(','));
    }
    env.write("people.csv", table.write(','));
    env.run_args(&["inspect", "visits/part-*.csv", "--write", "many.toml"], &[]).ok();
    env.run("inspect people.csv --write one.toml").ok();
    let many = env.run("release many.toml --out many.csv --json").ok().json();
    let one = env.run("release one.toml --out one.csv --json").ok().json();
    assert_eq!((&many["rows"], &many["levels"], &many["loss"]), (&one["rows"], &one["levels"], &one["loss"]));
    let read = |file: &str| Table::read(&env.bytes(file), ',').sorted();
    assert_eq!(read("many.csv"), read("one.csv"));
    env.run_args(&["verify", "many.csv", "--policy", "many.toml", "--original", "visits/part-*.csv"], &[])
        .ok();
    let run = env.run_args(
        &["verify", "many.csv", "--policy", "many.toml", "--original", "visits/part-[01].csv"],
        &[],
    );
    let run = run.fails(1);
    assert!(run.stdout.contains("input") && run.stdout.contains("DOES NOT HOLD"), "{}", run.said());
}
