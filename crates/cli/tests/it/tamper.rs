//! Whatever is changed after a release, `throng verify` ends with exit code 1 and names the claim.

use std::collections::BTreeSet;

use serde_json::Value;
use throng::policy::{Form, Policy};
use throng::release::{Certificate, Release};

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

/// A folder with people and their release; some rows are suppressed.
fn released() -> TestEnv {
    released_into("out.csv", people(400, 71))
}

fn released_into(out: &str, people: Table) -> TestEnv {
    let changes = [("suppression = 0.05", "suppression = 0.2"), ("\"out.csv\"", &format!("{out:?}"))];
    let env = TestEnv::with(&[("people.csv", &people.write(',')), ("p.toml", &policy(&changes))]);
    env.run("release p.toml").ok();
    env
}

/// The claims that do not hold, the same in JSON and in words.
#[track_caller]
fn refuted(env: &TestEnv, line: &str) -> BTreeSet<String> {
    let verdict = env.run(&format!("verify {line} --json")).fails(1).json();
    let wrong: BTreeSet<String> = verdict
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, f)| f["holds"] == false)
        .map(|(c, _)| c.clone())
        .collect();
    let run = env.run(&format!("verify {line}")).fails(1);
    for claim in &wrong {
        let told = run.stdout.lines().any(|l| l.starts_with(claim.as_str()) && l.contains("DOES NOT HOLD"));
        assert!(told, "{claim} is not told\n{}", run.said());
    }
    assert!(run.stdout.contains("do not use this release"), "{}", run.said());
    wrong
}

const ALONE: &str = "out.csv --policy p.toml";
const WITH_ORIGINAL: &str = "out.csv --policy p.toml --original people.csv";

#[track_caller]
fn refutes(env: &TestEnv, line: &str, claims: &[&str], name: &str) {
    let wrong = refuted(env, line);
    for claim in claims {
        assert!(wrong.contains(*claim), "{name}: {claim} is not among {wrong:?}");
    }
}

/// Puts a changed certificate in place, sealed anew, as a forger would.
fn forge(env: &TestEnv, change: impl FnOnce(&mut Release, &mut Vec<String>, &mut u64)) {
    let mut c: Certificate = serde_json::from_value(env.json("out.certificate.json")).unwrap();
    change(&mut c.release, &mut c.columns, &mut c.classes);
    let sealed = Certificate::new(c.release, c.columns, c.classes).unwrap();
    env.write("out.certificate.json", serde_json::to_string(&sealed).unwrap());
}

/// A change to the released table.
struct Change {
    name: &'static str,
    change: fn(&mut Table),
    /// What is wrong even where the certificate has the digest and the rows of the changed file.
    alone: &'static [&'static str],
    with_original: &'static [&'static str],
}

fn smallest_class_row(table: &Table) -> usize {
    let at: Vec<usize> = QUASI.iter().map(|c| table.at(c)).collect();
    let same = |a: &[String], b: &[String]| at.iter().all(|&i| a[i] == b[i]);
    let size = |row: &Vec<String>| table.rows.iter().filter(|other| same(row, other)).count();
    (0..table.rows.len()).min_by_key(|&i| size(&table.rows[i])).unwrap()
}

/// Gives a row of the smallest class another label that the column has; the first of the columns
/// that has two.
fn other_label(table: &mut Table, columns: &[&str]) {
    let row = smallest_class_row(table);
    for at in columns.iter().map(|column| table.at(column)) {
        if let Some(other) = table.rows.iter().map(|r| &r[at]).find(|label| **label != table.rows[row][at]) {
            table.rows[row][at] = other.clone();
            return;
        }
    }
    panic!("all of {columns:?} have one label");
}

const CHANGES: &[Change] = &[
    Change {
        name: "a quasi-identifier",
        change: |t| other_label(t, &QUASI),
        alone: &["k-anonymity"],
        with_original: &["truth"],
    },
    Change {
        name: "a quasi-identifier that no hierarchy has",
        change: |t| {
            let at = t.at("age");
            t.rows[7][at] = "thirty-ish".into();
        },
        alone: &["classes", "k-anonymity"],
        with_original: &["levels", "truth"],
    },
    Change {
        name: "an emptied quasi-identifier",
        change: |t| {
            let at = t.at("age");
            t.rows[7][at] = String::new();
        },
        alone: &["classes", "k-anonymity"],
        with_original: &["truth"],
    },
    Change {
        name: "a sensitive cell",
        change: |t| other_label(t, &["illness"]),
        alone: &[],
        with_original: &["truth"],
    },
    Change {
        name: "a kept cell",
        change: |t| {
            let at = t.at("cost");
            t.rows[3][at] += "1";
        },
        alone: &[],
        with_original: &["truth"],
    },
    Change {
        name: "two sensitive cells swapped",
        change: |t| {
            let at = t.at("illness");
            let mut rows = 1..t.rows.len();
            let other =
                rows.find(|&i| t.rows[i][at] != t.rows[0][at] && t.rows[i][..4] != t.rows[0][..4]).unwrap();
            let cell = t.rows[0][at].clone();
            t.rows[0][at] = std::mem::replace(&mut t.rows[other][at], cell);
        },
        alone: &[],
        with_original: &["truth"],
    },
    Change {
        name: "a row dropped",
        change: |t| {
            let row = smallest_class_row(t);
            t.rows.remove(row);
        },
        alone: &["certificate"],
        with_original: &["truth"],
    },
    Change {
        name: "a row doubled",
        change: |t| t.rows.push(t.rows[5].clone()),
        alone: &["certificate"],
        with_original: &["truth"],
    },
    Change {
        name: "one row for another of its class",
        change: |t| {
            let mut rows = 1..t.rows.len();
            let twin = rows.find(|&i| t.rows[i][..4] == t.rows[0][..4] && t.rows[i] != t.rows[0]).unwrap();
            t.rows[twin] = t.rows[0].clone();
        },
        alone: &[],
        with_original: &["truth"],
    },
    Change {
        name: "a column with the number of the row",
        change: |t| {
            t.columns.push("row".into());
            t.rows.iter_mut().enumerate().for_each(|(i, row)| row.push(i.to_string()));
        },
        alone: &["columns"],
        with_original: &["columns"],
    },
    Change {
        name: "a removed column put back",
        change: |t| {
            t.columns.insert(0, "name".into());
            t.rows.iter_mut().for_each(|row| row.insert(0, "Ann".into()));
        },
        alone: &["columns"],
        with_original: &["columns"],
    },
    Change {
        name: "a column left out",
        change: |t| {
            t.columns.pop();
            t.rows.iter_mut().for_each(|row| drop(row.pop()));
        },
        alone: &["columns"],
        with_original: &["columns"],
    },
    Change {
        name: "two columns changed places",
        change: |t| {
            t.columns.swap(0, 1);
            t.rows.iter_mut().for_each(|row| row.swap(0, 1));
        },
        alone: &["columns"],
        with_original: &["columns"],
    },
];

#[test]
fn a_changed_release_is_found() {
    for Change { name, change, alone, with_original } in CHANGES {
        let env = released();
        let mut table = Table::read(&env.bytes("out.csv"), ',');
        change(&mut table);
        let text = table.write(',');
        env.write("out.csv", &text);
        refutes(&env, ALONE, &["output"], name);
        refutes(&env, WITH_ORIGINAL, &["output"], name);
        refutes(&env, WITH_ORIGINAL, with_original, name);
        // A forger who knows how certificates are made can mend the digest, but not the rest.
        forge(&env, |release, _, _| {
            release.output.sha256 = Policy::digest(&text);
            release.output.rows = table.rows.len() as u64;
        });
        refutes(&env, WITH_ORIGINAL, with_original, name);
        if alone.is_empty() {
            env.run(&format!("verify {ALONE}")).ok();
        } else {
            refutes(&env, ALONE, alone, name);
        }
    }
}

#[test]
fn rows_in_another_order_are_another_file() {
    let env = released();
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    table.rows.sort();
    env.write("out.csv", table.write(','));
    assert_eq!(refuted(&env, WITH_ORIGINAL), BTreeSet::from(["output".to_owned()]));
}

#[test]
fn an_edited_certificate_is_found() {
    let edits: &[(&str, Value)] = &[
        ("/rows", 401.into()),
        ("/released", 1.into()),
        ("/suppressed", 0.into()),
        ("/levels/age", 0.into()),
        ("/loss/entropy", 1.5.into()),
        ("/privacy/k-anonymity/achieved", 50.0.into()),
        ("/privacy/k-anonymity/required", 4.0.into()),
        ("/privacy/k-anonymity/holds", false.into()),
        ("/search/optimal", false.into()),
        ("/search/gap", 0.5.into()),
        ("/input/sha256", "00".into()),
        ("/input/path", "other.csv".into()),
        ("/output/rows", 3.into()),
        ("/policy/sha256", "00".into()),
        ("/seed", 99.into()),
        ("/version", "9.9.9".into()),
        ("/columns/0", "aged".into()),
        ("/classes", 1.into()),
        ("/seal", "00".into()),
    ];
    let env = released();
    let sealed = env.json("out.certificate.json");
    for (path, value) in edits {
        let mut edited = sealed.clone();
        let place = edited.pointer_mut(path).unwrap();
        assert_ne!(place, value, "{path}");
        *place = value.clone();
        env.write("out.certificate.json", edited.to_string());
        refutes(&env, ALONE, &["certificate"], path);
    }
    // Laid out otherwise it is the same certificate.
    env.write("out.certificate.json", sealed.to_string());
    env.run(&format!("verify {WITH_ORIGINAL}")).ok();
}

/// What a certificate says of regions and leaves out of figures is held against the policy.
#[test]
fn forged_facts_of_regions_are_found() {
    let changes = [("suppression = 0.05", "suppression = 0.05\n[search]\nalgorithm = \"greedy\"")];
    let env = TestEnv::with(&[("people.csv", &people(200, 5).write(',')), ("p.toml", &policy(&changes))]);
    env.run("release p.toml").ok();
    let sealed = env.json("out.certificate.json");
    type Named = (&'static str, fn(&mut Release));
    let forgeries: [Named; 7] = [
        ("no region", |r| r.regions.as_mut().unwrap().count = 0),
        ("more regions than rows", |r| r.regions.as_mut().unwrap().count = 201),
        ("another form", |r| {
            let forms = &mut r.regions.as_mut().unwrap().forms;
            forms.values_mut().for_each(|form| *form = Form::Poset);
        }),
        ("another algorithm", |r| r.search.algorithm = "auto".into()),
        ("optimal", |r| r.search.optimal = true),
        ("no loss", |r| r.loss.clear()),
        ("no risk", |r| r.risk = None),
    ];
    for (name, change) in forgeries {
        forge(&env, |release, _, _| change(release));
        refutes(&env, ALONE, &["certificate"], name);
        env.write("out.certificate.json", sealed.to_string());
    }
    env.run(&format!("verify {WITH_ORIGINAL}")).ok();
}

/// Name, what a forger writes, what is wrong without and with the original.
type Forgery = (
    &'static str,
    fn(&mut Release, &mut Vec<String>, &mut u64),
    &'static [&'static str],
    &'static [&'static str],
);

const FORGERIES: &[Forgery] = &[
    (
        "rows",
        |r, _, _| {
            (r.rows, r.input.rows) = (r.rows + 1, r.rows + 1);
            (r.suppressed, r.withheld) = (r.suppressed + 1, r.withheld + 1);
        },
        &["loss: dm"],
        &["input", "truth"],
    ),
    ("suppressed", |r, _, _| r.suppressed += 1, &["certificate"], &["certificate"]),
    ("withheld", |r, _, _| r.withheld -= 1, &["certificate"], &["truth"]),
    (
        "released",
        |r, _, _| (r.released, r.suppressed) = (r.released - 1, r.suppressed + 1),
        &["output"],
        &["output"],
    ),
    ("a level", |r, _, _| *r.levels.get_mut("age").unwrap() += 1, &["loss: height"], &["levels", "truth"]),
    ("no level", |r, _, _| r.levels.retain(|name, _| name != "age"), &["certificate"], &["levels"]),
    (
        "a level beyond the top",
        |r, _, _| *r.levels.get_mut("sex").unwrap() = 9,
        &["loss: height"],
        &["levels", "truth"],
    ),
    ("entropy", |r, _, _| *r.loss.get_mut("entropy").unwrap() *= 0.999, &[], &["loss: entropy"]),
    ("lm", |r, _, _| *r.loss.get_mut("lm").unwrap() += 0.001, &[], &["loss: lm"]),
    (
        "a column's part",
        |r, _, _| *r.loss_by_column.get_mut("lm").unwrap().get_mut("age").unwrap() += 0.001,
        &[],
        &["loss by column: lm"],
    ),
    ("dm", |r, _, _| *r.loss.get_mut("dm").unwrap() -= 1.0, &["loss: dm"], &["loss: dm"]),
    (
        "achieved",
        |r, _, _| r.privacy.get_mut("k-anonymity").unwrap().achieved = Some(6.0),
        &["k-anonymity"],
        &["k-anonymity"],
    ),
    (
        "required",
        |r, _, _| r.privacy.get_mut("k-anonymity").unwrap().required = 6.0,
        &["certificate"],
        &["certificate"],
    ),
    ("no guarantee", |r, _, _| r.privacy.clear(), &["certificate", "k-anonymity"], &["certificate"]),
    ("classes", |_, _, classes| *classes += 1, &["classes"], &["classes"]),
    ("columns", |_, columns, _| columns.reverse(), &["columns"], &["columns"]),
    ("the digest of the release", |r, _, _| r.output.sha256 = "0".repeat(64), &["output"], &["output"]),
    ("the digest of the input", |r, _, _| r.input.sha256 = "0".repeat(64), &[], &["input"]),
    ("the digest of the policy", |r, _, _| r.policy.sha256 = "0".repeat(64), &["policy"], &["policy"]),
];

#[test]
fn a_forged_certificate_is_found() {
    for (name, change, alone, with_original) in FORGERIES {
        let env = released();
        forge(&env, change);
        refutes(&env, WITH_ORIGINAL, with_original, name);
        if alone.is_empty() {
            env.run(&format!("verify {ALONE}")).ok();
        } else {
            refutes(&env, ALONE, alone, name);
        }
    }
}

#[test]
fn another_policy_is_found() {
    let env = released();
    let followed = env.text("p.toml");
    let others = [
        ("k = 5", "k = 4", &["policy", "certificate"][..]),
        ("k = 5", "k = 6", &["policy", "certificate", "k-anonymity"]),
        ("suppression = 0.2", "suppression = 0.001", &["policy", "certificate"]),
        ("role = \"sensitive\"", "role = \"drop\"", &["policy", "columns"]),
        ("[columns.cost]\nrole = \"keep\"", "[columns.cost]\nrole = \"identifier\"", &["policy", "columns"]),
        ("high = 100 } }", "high = 100 } }\nmax_level = 0", &["policy", "levels"]),
        ("version = 1", "version = 1 # the same but for a remark", &["policy"]),
    ];
    for (from, to, claims) in others {
        env.write("other.toml", followed.replace(from, to));
        refutes(&env, "out.csv --policy other.toml", claims, to);
    }
}

#[test]
fn another_original_is_found() {
    let env = released();
    let mut original = Table::read(&env.bytes("people.csv"), ',');
    let at = original.at("illness");
    original.rows[0][at] = "something else".into();
    env.write("other.csv", original.write(','));
    refutes(&env, "out.csv --policy p.toml --original other.csv", &["input", "truth"], "a cell");
    original.rows.pop();
    env.write("other.csv", original.write(','));
    refutes(&env, "out.csv --policy p.toml --original other.csv", &["input", "truth"], "a row");
}

#[test]
fn swapped_releases_are_found() {
    // Two seeds of one table: the same rows in another order.
    let env = released();
    env.run("release p.toml --out a.csv --seed 1").ok();
    env.run("release p.toml --out b.csv --seed 2").ok();
    refutes(&env, "a.csv --policy p.toml --certificate b.certificate.json", &["output"], "seeds");
    // Two tables of one policy.
    let other = released_into("out.csv", people(400, 72));
    env.write("out.csv", other.bytes("out.csv"));
    refutes(&env, ALONE, &["output"], "tables");
    refutes(&env, WITH_ORIGINAL, &["output", "truth"], "tables");
}

#[test]
fn a_starred_row_with_its_value_back_is_found() {
    let changes = [
        ("suppression = 0.05", "suppression = 0.3"),
        ("path = \"out.csv\"", "path = \"out.csv\"\nsuppressed = \"starred\""),
    ];
    let env = TestEnv::with(&[("people.csv", &people(300, 73).write(',')), ("p.toml", &policy(&changes))]);
    env.run("release p.toml").ok();
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    let starred = |row: &&mut Vec<String>| row[..4].iter().all(|c| c == "*");
    let labels = table.rows.iter().find(|row| row[0] != "*").unwrap()[..4].to_vec();
    let row = table.rows.iter_mut().find(starred).expect("a row is starred");
    row[0].clone_from(&labels[0]);
    let text = table.write(',');
    env.write("out.csv", &text);
    forge(&env, |release, _, _| release.output.sha256 = Policy::digest(&text));
    refutes(&env, ALONE, &["output", "k-anonymity"], "starred");
    refutes(&env, WITH_ORIGINAL, &["truth"], "starred");
}

/// Puts an entry into the metadata of a Parquet file, as a tool does that leaves its traces: field
/// 5 of the footer, a list of one key with its value, before field 6, the name of the writer.
fn with_metadata(file: &[u8], writer: &str) -> Vec<u8> {
    let end = file.len() - 8;
    let length = u32::from_le_bytes(file[end..end + 4].try_into().unwrap()) as usize;
    let (data, footer) = file[..end].split_at(end - length);
    let created_by = [&[0x28, writer.len() as u8], writer.as_bytes()].concat();
    let at =
        footer.windows(created_by.len()).position(|bytes| bytes == created_by).expect("the writer is named");
    let entry = [&[0x19, 0x1C, 0x18, 5], &b"owner"[..], &[0x18, 3], b"Ann", &[0x00]].concat();
    let mut footer = [&footer[..at], &entry, &[0x18], &footer[at + 1..]].concat();
    let length = footer.len() as u32;
    footer.extend(length.to_le_bytes());
    [data, &footer, b"PAR1"].concat()
}

#[test]
fn metadata_in_a_parquet_release_is_found() {
    let env = released_into("out.parquet", people(400, 74));
    env.run("verify out.parquet --policy p.toml --original people.csv").ok();
    let version = env.json("out.certificate.json")["version"].as_str().unwrap().to_owned();
    let marked = with_metadata(&env.bytes("out.parquet"), &format!("throng {version}"));
    env.write("out.parquet", &marked);
    let line = "out.parquet --policy p.toml --original people.csv";
    assert_eq!(refuted(&env, line), BTreeSet::from(["output".to_owned(), "shape".to_owned()]));
    let found = env.run(&format!("verify {line} --json")).json()["shape"]["found"].to_string();
    assert!(found.contains("owner") && !found.contains("Ann"), "{found}");
}

#[test]
fn another_writer_of_a_parquet_release_is_found() {
    let env = released_into("out.parquet", people(400, 75));
    let mut bytes = env.bytes("out.parquet");
    let at = bytes.windows(7).rposition(|w| w == b"throng ").unwrap();
    bytes[at..at + 7].copy_from_slice(b"thrang ");
    env.write("out.parquet", &bytes);
    refutes(&env, "out.parquet --policy p.toml", &["output", "shape"], "writer");
}

#[test]
fn tampering_with_other_formats_is_found() {
    let env = released_into("out.json", people(400, 76));
    let text = env.text("out.json").replacen("\"sex\":\"", "\"sex\":\"x", 1);
    env.write("out.json", text);
    refutes(&env, "out.json --policy p.toml", &["output", "classes", "k-anonymity"], "json");
    refutes(&env, "out.json --policy p.toml --original people.csv", &["output", "truth"], "json");

    // A release of one format under the certificate of another.
    env.run("release p.toml --out a.csv").ok();
    env.run("release p.toml --out b.arrow").ok();
    let line = "b.arrow --policy p.toml --certificate a.certificate.json --original people.csv";
    refutes(&env, line, &["output"], "format");
}

/// A folder with people some of whose cells are starred.
fn starred() -> TestEnv {
    let changes = [
        ("suppression = 0.05", "suppression = 0.3"),
        ("path = \"out.csv\"", "path = \"out.csv\"\nsuppressed = \"cells\""),
    ];
    let env = TestEnv::with(&[("people.csv", &people(300, 22).write(',')), ("p.toml", &policy(&changes))]);
    env.run("release p.toml").ok();
    env.run(&format!("verify {WITH_ORIGINAL}")).ok();
    env.run(&format!("verify {ALONE}")).ok();
    env
}

#[test]
fn steps_of_a_release_cannot_be_forged() {
    type Forgery = fn(&mut Release, &mut Vec<String>, &mut u64);
    let forgeries: [(&str, Forgery, &str); 5] = [
        ("no steps", |r, _, _| r.steps.clear(), "truth"),
        ("one step fewer", |r, _, _| drop(r.steps.pop()), "certificate"),
        (
            "a row moved between steps",
            |r, _, _| {
                r.steps[0].rows -= 1;
                r.steps[1].rows += 1;
            },
            "truth",
        ),
        ("more stars", |r, _, _| r.steps[1].starred += 1, "levels"),
        ("other levels", |r, _, _| *r.steps[1].levels.get_mut("zip").unwrap() ^= 1, "levels"),
    ];
    for (name, forgery, claim) in forgeries {
        let env = starred();
        forge(&env, forgery);
        refutes(&env, WITH_ORIGINAL, &[claim], name);
    }
}

#[test]
fn a_star_taken_away_is_found() {
    let env = starred();
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    let columns: Vec<usize> = QUASI.iter().map(|c| table.at(c)).collect();
    let at = columns.into_iter().find(|&at| {
        let stars = table.rows.iter().filter(|row| row[at] == "*").count();
        stars > 0 && stars < table.rows.len()
    });
    let at = at.unwrap();
    let label = table.rows.iter().map(|row| &row[at]).find(|cell| *cell != "*").unwrap().clone();
    let row = table.rows.iter().position(|row| row[at] == "*").unwrap();
    table.rows[row][at] = label;
    env.write("out.csv", table.write(','));
    refutes(&env, WITH_ORIGINAL, &["output", "truth"], "a star taken away");
}
