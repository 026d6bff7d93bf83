//! Identifiers replaced by pseudonyms: one for one, the same everywhere, and never a real one.

use std::collections::{BTreeMap, BTreeSet};

use throng::policy::Policy;
use throng::release::Certificate;

use crate::env::{Run, TestEnv};
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

const SECRET: &str = "9f2c1b7a-no-one-will-guess-this";
const ID: &str = "[columns.id]\nrole = \"identifier\"";

/// The people policy with made-up ids, and more changes.
fn replaced(place: &str, changes: &[(&str, &str)]) -> String {
    let id = format!("{ID}\ntransform = {{ substitute = {{ {place} }} }}");
    policy(&[&[(ID, id.as_str())], changes].concat())
}

/// Every third row is a second row of the person before.
fn visits(rows: usize, seed: u64) -> Table {
    let mut table = people(rows, seed);
    for row in (2..rows).step_by(3) {
        table.rows[row][0] = table.rows[row - 1][0].clone();
    }
    table
}

fn folder(table: &Table, changes: &[(&str, &str)]) -> TestEnv {
    TestEnv::with(&[
        ("people.csv", &table.write(',')),
        ("p.toml", &replaced("key_file = \"secret.key\"", changes)),
        ("secret.key", &format!("{SECRET}\n")),
    ])
}

const WITH_ORIGINAL: &str = "verify out.csv --policy p.toml --original people.csv";

#[test]
fn made_up_identifiers_are_one_for_one_and_verified() {
    for suppressed in ["dropped", "starred"] {
        let output = format!("path = \"out.csv\"\nsuppressed = \"{suppressed}\"");
        let original = visits(600, 91);
        let env = folder(&original, &[("path = \"out.csv\"", &output), ("n = 0.05", "n = 0.2")]);
        env.run("release p.toml").ok();
        let out = Table::read(&env.bytes("out.csv"), ',');
        out.without_stars(&QUASI).is_anonymous(&QUASI, 5);
        let (real, made): (BTreeSet<&str>, BTreeSet<&str>) =
            (original.column("id").into_iter().collect(), out.column("id").into_iter().collect());
        assert!(real.is_disjoint(&made));
        assert!(made.iter().all(|id| id.len() == 6 && id.as_bytes()[0].is_ascii_uppercase()));
        assert!(made.iter().all(|id| id[1..].bytes().all(|b| b.is_ascii_digit())), "{made:?}");
        // Illness and cost lead back to the row, so they show whom a pseudonym belongs to.
        let key = |t: &Table, row: &[String]| (row[t.at("illness")].clone(), row[t.at("cost")].clone());
        let by_cells: BTreeMap<_, BTreeSet<&str>> =
            original.rows.iter().fold(BTreeMap::new(), |mut map, row| {
                map.entry(key(&original, row)).or_insert_with(BTreeSet::new).insert(row[0].as_str());
                map
            });
        let mut pairs: BTreeMap<&str, &str> = BTreeMap::new();
        for row in &out.rows {
            let owners = &by_cells[&key(&out, row)];
            if let [owner] = owners.iter().copied().collect::<Vec<_>>()[..] {
                assert_eq!(*pairs.entry(owner).or_insert(&row[0]), row[0], "one person has two ids");
            }
        }
        let distinct: BTreeSet<&&str> = pairs.values().collect();
        assert!(pairs.len() > 300 && distinct.len() == pairs.len(), "two people have one id");

        let verdict = env.run(&format!("{WITH_ORIGINAL} --json")).ok().json();
        assert_eq!(verdict["identifiers: id"]["holds"], true);
        assert!(verdict["identifiers: id"]["found"].as_str().unwrap().contains("none in common"));
        let alone = env.run("verify out.csv --policy p.toml --json").ok().json();
        assert_eq!(alone["identifiers: id"]["unchecked"], true);
    }
}

#[test]
fn the_secret_is_in_nothing_that_is_written_or_said() {
    let env = folder(&people(200, 92), &[]);
    let run = env.run("release p.toml --json").ok();
    for (name, bytes) in env.listing() {
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        assert_eq!(text.contains(SECRET), name.ends_with("secret.key"), "{name:?}");
    }
    assert!(!run.said().contains(SECRET));
    assert!(env.text("out.report.html").contains("pseudonyms"));
}

#[test]
fn a_key_from_the_environment_is_the_same_key() {
    let table = people(200, 93);
    let env = folder(&table, &[]);
    env.run("release p.toml").ok();
    let expected = env.bytes("out.csv");
    env.write("p.toml", replaced("key_env = \"THRONG_TEST_KEY\"", &[]));
    let release = |key: &str| env.run_args(&["release", "p.toml"], &[("THRONG_TEST_KEY", key)]);
    release(SECRET).ok();
    assert_eq!(env.bytes("out.csv"), expected);
    env.run(WITH_ORIGINAL).ok();
    release("another secret of some length").ok();
    let ids = |bytes: &[u8]| -> BTreeSet<String> {
        Table::read(bytes, ',').column("id").into_iter().map(String::from).collect()
    };
    assert!(ids(&env.bytes("out.csv")).intersection(&ids(&expected)).count() < 3, "another key, other ids");
    let told = |run: Run, words: &[&str]| {
        let run = run.fails(2);
        run.says(words);
        assert!(!run.said().contains("short secret"), "{}", run.said());
    };
    told(release(""), &["columns.id.transform", "`THRONG_TEST_KEY`", "not set, or is empty", "openssl"]);
    told(env.run("release p.toml"), &["`THRONG_TEST_KEY`", "export THRONG_TEST_KEY="]);
    told(release("short secret"), &["columns.id.transform", "12 bytes", "16 or more"]);
}

#[test]
fn one_key_gives_one_value_in_two_tables() {
    let table = people(300, 94);
    let ids = |table: &Table| {
        // The cost stays as it is and leads from one release to the other.
        let env = folder(table, &[("k = 5", "k = 2")]);
        env.run("release p.toml").ok();
        let out = Table::read(&env.bytes("out.csv"), ',');
        let (id, cost) = (out.at("id"), out.at("cost"));
        out.rows.iter().map(|row| (row[cost].clone(), row[id].clone())).collect::<BTreeSet<_>>()
    };
    let part = Table { columns: table.columns.clone(), rows: table.rows[..200].to_vec() };
    let (whole, part) = (ids(&table), ids(&part));
    let common = part.intersection(&whole).count();
    assert!(part.len() > 150 && common * 10 > part.len() * 9, "{common} of {}", part.len());
}

#[test]
fn a_changed_identifier_is_found() {
    type Change = fn(&mut Table, &Table);
    let changes: [(&str, Change); 5] = [
        ("a real one", |out, original| out.rows[3][0] = original.rows[0][0].clone()),
        ("somebody else's", |out, _| out.rows[3][0] = out.rows[4][0].clone()),
        ("all real ones", |out, original| {
            let (cost, at) = (out.at("cost"), original.at("cost"));
            for row in &mut out.rows {
                row[0] = original.rows.iter().find(|o| o[at] == row[cost]).unwrap()[0].clone();
            }
        }),
        ("one emptied", |out, _| out.rows[3][0] = String::new()),
        ("one written otherwise", |out, _| out.rows[3][0] = "P-1".into()),
    ];
    for (name, change) in changes {
        let original = people(300, 95);
        let env = folder(&original, &[]);
        env.run("release p.toml").ok();
        let mut out = Table::read(&env.bytes("out.csv"), ',');
        change(&mut out, &original);
        let text = out.write(',');
        env.write("out.csv", &text);
        // The forger mends the digest and the seal.
        let mut c: Certificate = serde_json::from_value(env.json("out.certificate.json")).unwrap();
        c.release.output.sha256 = Policy::digest(&text);
        let sealed = Certificate::new(c.release, c.columns, c.classes).unwrap();
        env.write("out.certificate.json", serde_json::to_string(&sealed).unwrap());
        let verdict = env.run(&format!("{WITH_ORIGINAL} --json")).fails(1).json();
        assert_eq!(verdict["identifiers: id"]["holds"], false, "{name}: {verdict}");
        assert!(!verdict.to_string().contains("P00"), "{name}: an identifier is shown: {verdict}");
    }
}

#[test]
fn what_cannot_be_replaced_is_refused() {
    let mut uneven = people(200, 96);
    uneven.rows[7][0] = "P1".into();
    let mut crowded = people(200, 97);
    crowded.rows.iter_mut().enumerate().for_each(|(i, row)| row[0] = format!("{}", i % 10));
    let mut foreign = people(200, 98);
    foreign.rows.iter_mut().for_each(|row| row[0] = "Ä1".into());
    let cases: [(&Table, &[&str]); 3] = [
        (&uneven, &["people.csv", "`id`", "A99999", "A9", "leading zeros"]),
        (&crowded, &["people.csv", "`id`", "10 values", "too many", "written as 9"]),
        (&foreign, &["people.csv", "`id`", "not ASCII", "leave out `transform`"]),
    ];
    for (table, says) in cases {
        let env = folder(table, &[]);
        let before = env.listing();
        env.run("release p.toml").fails(2).says(says);
        assert_eq!(env.listing(), before);
    }
}

#[test]
fn the_key_is_needed_and_never_written_over() {
    let env = folder(&people(200, 99), &[]);
    env.run("release p.toml").ok();
    std::fs::remove_file(env.path("secret.key")).unwrap();
    env.run("release p.toml").fails(2).says(&["columns.id.transform", "cannot be read", "> secret.key"]);
    env.run(WITH_ORIGINAL).ok();
    env.write("secret.key", "");
    env.run("release p.toml").fails(2).says(&["the key has 0 bytes"]);
    let place = "key_file = \"secret.csv\"";
    let over = replaced(place, &[("\"out.csv\"", "\"secret.csv\"")]);
    env.write("secret.csv", SECRET);
    env.write("p.toml", over);
    env.run("release p.toml").fails(2).says(&["would be written over a key"]);
    assert_eq!(env.text("secret.csv"), SECRET);
}

#[test]
fn missing_identifiers_stay_missing_and_none_is_made_up() {
    let mut table = people(300, 100);
    table.rows.iter_mut().step_by(4).for_each(|row| row[0] = String::new());
    let env = folder(&table, &[]);
    env.run("release p.toml").ok();
    env.run(WITH_ORIGINAL).ok();
    let out = Table::read(&env.bytes("out.csv"), ',');
    let missing = out.column("id").iter().filter(|id| id.is_empty()).count();
    assert!(missing > 50 && missing <= 75, "{missing}");
    // A column without a single value.
    table.rows.iter_mut().for_each(|row| row[0] = String::new());
    let env = folder(&table, &[]);
    env.run("release p.toml").ok();
    env.run(WITH_ORIGINAL).ok();
}

#[test]
fn every_format_can_be_replaced_and_threads_change_nothing() {
    for format in ["csv", "parquet", "json", "arrow"] {
        let env = folder(&visits(900, 101), &[]);
        let mut all = Vec::new();
        for threads in ["1", "4"] {
            let out = format!("t{threads}.{format}");
            env.run_args(&["release", "p.toml", "--out", &out], &[("RAYON_NUM_THREADS", threads)]).ok();
            env.run(&format!("verify {out} --policy p.toml --original people.csv")).ok();
            all.push(env.bytes(&out));
        }
        assert_eq!(all[0], all[1], "{format}");
        // And from that format again.
        env.write("again.toml", env.text("p.toml").replace("people.csv", &format!("t1.{format}")));
        env.write(
            "again.toml",
            env.text("again.toml").replace("[columns.name]\nrole = \"identifier\"\n", ""),
        );
        env.write("again.toml", env.text("again.toml").replace("[columns.day]\nrole = \"drop\"\n", ""));
        let plain =
            ["intervals = { widths = [5, 10, 20], low = 0, high = 100 }", "postal = { keep = [3, 2] }"];
        for hierarchy in plain {
            let text = env.text("again.toml").replace(&format!("hierarchy = {{ {hierarchy} }}\n"), "");
            env.write("again.toml", text);
        }
        env.run("release again.toml --out again.csv").ok();
        env.run(&format!("verify again.csv --policy again.toml --original t1.{format}")).ok();
    }
}
