//! Differential privacy from the policy to the verdict: exactly the sampled rows are released, the
//! certificate reveals nothing else, and the secret stays where it is.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use throng::policy::Policy;
use throng::pseudonym::Key;
use throng::sampling::{Draw, Sampling};

use crate::env::TestEnv;
use crate::naive::Table;

const SECRET: &str = "7d1f-nobody-will-guess-this-one";

const POLICY: &str = r#"version = 1
[input]
path = "wards.csv"
[output]
path = "out.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [20], low = 0, high = 100 } }
min_level = 1
max_level = 1
[columns.sex]
role = "quasi"
max_level = 0
[columns.ward]
role = "quasi"
hierarchy = { order = { fanout = [2], values = ["a", "b", "c", "d"] } }
min_level = 1
max_level = 1
[privacy]
models = [{ differential_privacy = { epsilon = 1.0, delta = 1e-4, key_file = "secret.key" } }]
"#;

/// ε = 1 and δ = 10⁻⁴ require classes of this many rows.
const K: usize = 47;

const WITH_ORIGINAL: &str = "verify out.csv --policy p.toml --original wards.csv";

/// People of few kinds, some of them rare, some without an age.
fn wards(rows: usize) -> Table {
    let row = |i: usize| {
        let age = if i.is_multiple_of(7) { String::new() } else { (5 + (i * i + 7 * i) % 80).to_string() };
        let ward = if i.is_multiple_of(13) { "d" } else { ["a", "b", "c"][i % 3] };
        vec![format!("P{i:05}"), age, ["f", "m"][i % 2].to_owned(), ward.to_owned()]
    };
    Table {
        columns: ["name", "age", "sex", "ward"].map(String::from).to_vec(),
        rows: (0..rows).map(row).collect(),
    }
}

fn folder(table: &Table, policy: &str) -> TestEnv {
    TestEnv::with(&[
        ("wards.csv", &table.write(',')),
        ("p.toml", policy),
        ("secret.key", &format!("{SECRET}\n")),
    ])
}

type Counts = BTreeMap<Vec<String>, usize>;

/// What must be released, counted by class: the draw by its description, intervals and groups by
/// hand.
fn expected(env: &TestEnv, table: &Table, seed: u64) -> Counts {
    let sampling = Sampling::new(1.0, 1e-4).unwrap();
    // By age, sex and ward; a missing cell, which is empty here, comes first.
    let mut sorted: Vec<&[String]> = table.rows.iter().map(|row| &row[1..]).collect();
    sorted.sort();
    let mut bytes = Vec::new();
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.bytes());
    };
    ["age", "sex", "ward"].iter().for_each(|name| text(&mut bytes, name));
    for same in sorted.chunk_by(|a, b| a == b) {
        same[0].iter().for_each(|cell| match cell.is_empty() {
            true => bytes.extend(u64::MAX.to_le_bytes()),
            false => text(&mut bytes, cell),
        });
        bytes.extend((same.len() as u64).to_le_bytes());
    }
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let key = Key::new(SECRET.as_bytes()).unwrap();
    let mut draw = Draw::new(&sampling, &key, seed, &Policy::digest(&env.text("p.toml")), &digest);
    let mut counts = Counts::new();
    for row in sorted.into_iter().filter(|_| draw.next_row()) {
        let age = row[0].parse::<u32>().map(|age| format!("[{}, {})", age / 20 * 20, age / 20 * 20 + 20));
        let ward = if "ab".contains(&row[2]) { "{a, b}" } else { "{c, d}" };
        *counts.entry(vec![age.unwrap_or_default(), row[1].clone(), ward.into()]).or_default() += 1;
    }
    counts.retain(|_, count| *count >= K);
    counts
}

fn counted(table: &Table) -> Counts {
    let mut counts = Counts::new();
    table.rows.iter().for_each(|row| *counts.entry(row.clone()).or_default() += 1);
    counts
}

#[test]
fn the_drawn_rows_are_released_and_the_certificate_tells_nothing_beside() {
    let table = wards(3000);
    let env = folder(&table, POLICY);
    let said = env.run("release p.toml").ok().stdout;
    assert!(said.contains("differential privacy holds: required 47"), "{said}");
    assert!(said.contains("3,000 read, 1,") && said.contains(" drawn, "), "{said}");
    let out = Table::read(&env.bytes("out.csv"), ',');
    assert_eq!(out.columns, ["age", "sex", "ward"]);
    assert_eq!(counted(&out), expected(&env, &table, 0));
    assert!(out.rows.len() > 1000 && counted(&out).keys().any(|class| class[0].is_empty()));

    let certificate = env.json("out.certificate.json");
    assert_eq!(certificate["rows"], out.rows.len());
    assert_eq!((&certificate["suppressed"], &certificate["withheld"]), (&0.into(), &0.into()));
    assert_eq!(certificate["input"], serde_json::json!({ "path": "wards.csv", "sha256": "", "rows": 0 }));
    assert_eq!(certificate["loss"], serde_json::json!({}));
    assert_eq!(certificate["search"]["seconds"], 0.0);
    assert_eq!(certificate["sampling"]["k"], K);
    assert!((certificate["sampling"]["beta"].as_f64().unwrap() - 0.632_120_558_8).abs() < 1e-9);
    let written: Vec<_> =
        env.listing().into_iter().filter(|(path, _)| !path.ends_with("secret.key")).collect();
    assert!(written.iter().all(|(_, bytes)| {
        !bytes.as_ref().is_some_and(|b| String::from_utf8_lossy(b).contains("nobody-will-guess"))
    }));
    let page = env.text("out.report.html");
    assert!(page.contains("It is not differentially private") && page.contains("Of 3,000 rows of the input"));

    let alone = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(alone["differential privacy"]["holds"], true);
    assert_eq!(alone["truth"]["unchecked"], true);
    let with = env.run(&format!("{WITH_ORIGINAL} --json")).ok().json();
    assert!(with.as_object().unwrap().values().all(|finding| finding["unchecked"].is_null()), "{with:#}");
}

#[test]
fn the_same_draw_again_and_another_for_every_other_seed_key_and_table() {
    let table = wards(1500);
    let env = folder(&table, POLICY);
    env.run("release p.toml").ok();
    let first = env.bytes("out.csv");
    env.run("release p.toml").ok();
    assert_eq!(first, env.bytes("out.csv"));
    let mut counts = vec![counted(&Table::read(&first, ','))];
    env.run("release p.toml --seed 5").ok();
    counts.push(counted(&Table::read(&env.bytes("out.csv"), ',')));
    assert_eq!(counts[1], expected(&env, &table, 5));
    env.run(WITH_ORIGINAL).ok();
    env.write("secret.key", "another secret, as long as it needs");
    env.run(WITH_ORIGINAL).fails(1);
    env.run("release p.toml").ok();
    counts.push(counted(&Table::read(&env.bytes("out.csv"), ',')));
    let mut more = table;
    more.rows.push(["P", "5", "f", "a"].map(String::from).to_vec());
    env.write("wards.csv", more.write(','));
    env.run(WITH_ORIGINAL).fails(1);
    env.run("release p.toml").ok();
    counts.push(counted(&Table::read(&env.bytes("out.csv"), ',')));
    for (at, counts_of_one) in counts.iter().enumerate() {
        assert!(!counts[..at].contains(counts_of_one), "draw {at} is not new");
    }
}

/// The order of rows follows from the secret: with the seed and the table alone somebody could try
/// out a person.
#[test]
fn the_order_of_rows_is_secret() {
    let table = wards(1500);
    let env = folder(&table, POLICY);
    env.run("release p.toml").ok();
    let rows = Table::read(&env.bytes("out.csv"), ',').rows;
    let mut sorted = rows.clone();
    sorted.sort();
    assert_ne!(rows, sorted);
    let runs = rows.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(runs < rows.len() / 4, "{runs} of {} rows are followed by their like", rows.len());
}

#[test]
fn small_tables_release_nothing_and_are_not_refused() {
    for rows in [1, 20] {
        let env = folder(&wards(rows), POLICY);
        env.run("release p.toml").ok();
        assert!(Table::read(&env.bytes("out.csv"), ',').rows.is_empty());
        env.run(WITH_ORIGINAL).ok();
    }
}

#[test]
fn a_class_that_is_too_small_is_found() {
    let env = folder(&wards(1500), POLICY);
    env.run("release p.toml").ok();
    let mut out = Table::read(&env.bytes("out.csv"), ',');
    out.rows.push(["[80, 100)", "f", "{c, d}"].map(String::from).to_vec());
    env.write("out.csv", out.write(','));
    let verdict = env.run("verify out.csv --policy p.toml --json").fails(1).json();
    for claim in ["differential privacy", "output", "classes"] {
        assert_eq!(verdict[claim]["holds"], false, "{claim}");
    }
}

#[test]
fn other_formats_and_missing_cells() {
    let env = folder(&wards(1500), &POLICY.replace("out.csv", "out.parquet"));
    env.run("release p.toml").ok();
    env.run("verify out.parquet --policy p.toml --original wards.csv").ok();
    let suppress = POLICY.replace("path = \"wards.csv\"", "path = \"wards.csv\"\nmissing = \"suppress\"");
    env.write("p.toml", suppress);
    env.run("release p.toml").ok();
    assert!(Table::read(&env.bytes("out.csv"), ',').rows.iter().all(|row| !row[0].is_empty()));
    env.run(WITH_ORIGINAL).ok();
    env.write("wards.json", "{\"name\": \"P\", \"age\": 5, \"sex\": \"f\", \"ward\": \"a\"}\n");
    env.write("p.toml", POLICY.replace("wards.csv", "wards.json"));
    env.run("release p.toml").fails(2).says(&[
        "input.path",
        "follows from all of its rows",
        "CSV or Parquet",
    ]);
}

#[test]
fn what_is_missing_is_named() {
    let env = folder(&wards(200), &POLICY.replace("key_file = \"secret.key\"", "key_env = \"WARD_KEY\""));
    env.run("release p.toml").fails(2).says(&["differential_privacy.key_env", "`WARD_KEY` is not set"]);
    let set = |value: &str| env.run_args(&["release", "p.toml"], &[("WARD_KEY", value)]);
    set("short").fails(2).says(&["the key has 5 bytes, it needs 16"]);
    set(SECRET).ok();
    env.run(WITH_ORIGINAL).fails(2).says(&["`WARD_KEY` is not set"]);
    env.run("verify out.csv --policy p.toml").ok();
    env.write("p.toml", POLICY.replace("max_level = 0\n", ""));
    env.run("release p.toml").fails(2).says(&[
        "columns.sex.max_level",
        "must not be chosen by looking",
        "fix it",
    ]);
}
