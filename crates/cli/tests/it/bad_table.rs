//! Invalid tables and hierarchy files: exit code 2, the place and the remedy, nothing written, and
//! no cell quoted except the offending one.

use crate::env::TestEnv;
use crate::people::{people, policy};

/// Every cell that is nobody's business has this in it.
const CANARY: &str = "canary";

const TABLE: &str = "name,age,zip,illness\n\
    canary-ann,31,1010,canary-flu\ncanary-bob,35,1011,canary-flu\ncanary-cid,52,1020,canary-cold\n\
    canary-dee,57,1021,canary-gout\ncanary-eve,33,1010,canary-flu\ncanary-fay,58,1020,canary-flu\n";

const ZIP: &str = "1010;101*;*\n1011;101*;*\n1020;102*;*\n1021;102*;*\n";

const POLICY: &str = r#"version = 1
[input]
path = "t.csv"
[output]
path = "out.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [10, 20], low = 0, high = 100 } }
[columns.zip]
role = "quasi"
hierarchy = { file = "zip.csv" }
[columns.illness]
role = "sensitive"
[privacy]
k = 2
suppression = 0.25
"#;

fn env(table: &[u8], zip: &str) -> TestEnv {
    let env = TestEnv::with(&[("p.toml", POLICY), ("zip.csv", zip)]);
    env.write("t.csv", table);
    env
}

/// Runs a release that must fail, and looks at what it says and leaves.
#[track_caller]
fn refused(env: &TestEnv, line: &str, says: &[&str]) {
    let before = env.listing();
    let run = env.run(line).fails(2);
    run.says(says);
    assert!(run.stderr.contains("help:"), "there is no remedy\n{}", run.said());
    assert!(!run.stderr.contains(CANARY) && run.stdout.is_empty(), "{}", run.said());
    assert_eq!(env.listing(), before, "{}", run.said());
}

#[test]
fn the_fixture_itself_is_fine() {
    let env = env(TABLE.as_bytes(), ZIP);
    env.run("release p.toml").ok();
    assert_eq!(env.names().len(), 6);
}

fn with(line: &str) -> Vec<u8> {
    [TABLE, line].concat().into_bytes()
}

#[test]
fn a_table_that_cannot_be_read() {
    let replaced = |from: &str, to: &str| TABLE.replace(from, to).into_bytes();
    let cases: &[(Vec<u8>, &[&str])] = &[
        (with("canary-gil,31,1010\n"), &["t.csv:8", "3 cells, the header has 4"]),
        (with("canary-gil,31,1010,canary,canary\n"), &["t.csv:8", "5 cells, the header has 4", "quotes"]),
        (with("canary\n"), &["t.csv:8", "1 cell, the header has 4"]),
        (with("\"canary-gil,31,1010,canary\n"), &["t.csv:8", "a quote is opened and never closed"]),
        (replaced("\ncanary-cid", "\n\n\ncanary-x,1\ncanary-cid"), &["t.csv:6", "2 cells"]),
        (replaced(",", ";"), &["t.csv:1", "one column", "input.delimiter = \";\""]),
        (replaced(",", "\t"), &["t.csv:1", "one column", "input.delimiter = \"\\t\""]),
        (replaced(",", "|"), &["t.csv:1", "one column", "input.delimiter = \"|\""]),
        (
            [&with("")[..], b"canary-\xe9,31,1010,canary\n"].concat(),
            &["t.csv:8", "`name` is not UTF-8", "latin-1"],
        ),
        (
            [&with("")[..], b"canary,31,1010,\xff\xfe\n"].concat(),
            &["t.csv:8", "`illness` is not UTF-8", "latin-1"],
        ),
        ([b"n\xe4me", &TABLE.as_bytes()[4..]].concat(), &["t.csv:1", "first line is not UTF-8", "latin-1"]),
        (replaced("illness", "age"), &["`age.2`"]),
        (replaced("illness", ""), &["`column_4`"]),
        (b"name,age,zip,illness\n".to_vec(), &["t.csv", "no rows"]),
        (b"name,age,zip,illness".to_vec(), &["t.csv", "no rows"]),
        (Vec::new(), &["t.csv", "the file is empty"]),
        (replaced("31", "old"), &["t.csv", "column `age`", "`old` is not a number", "input.null"]),
        (replaced("31", "\x1b[31mred"), &["column `age`", "`\\u{1b}[31mred` is not a number"]),
        (replaced("1021", "9999"), &["zip.csv", "column `zip`", "`9999` has no row", "add a row"]),
        (replaced("illness", "ill.ness"), &["columns.illness", "did you mean `ill.ness`"]),
    ];
    for (table, says) in cases {
        refused(&env(table, ZIP), "release p.toml", says);
    }
}

#[test]
fn a_hierarchy_file_that_cannot_be_used() {
    let cases: &[(&str, &[&str])] = &[
        (
            "1010;101*;*\n1011;101*;*\n1020;102*;*\n",
            &["zip.csv", "column `zip`", "`1021` has no row", "add a row"],
        ),
        (
            "1010;101*;*\n1011;101*\n1020;102*;*\n1021;102*;*\n",
            &["zip.csv:2", "`1011` has 2 cells, most have 3"],
        ),
        (
            "1010;a;b;*\n1011;a;c;*\n1020;d;b;*\n1021;d;b;*\n",
            &["zip.csv:2", "not nested", "`a`", "in line 1"],
        ),
        ("1010;101*;*\n1010;102*;*\n", &["zip.csv:2", "`1010` is given two different paths", "line 1"]),
        ("", &["zip.csv", "the hierarchy has no rows"]),
        ("\n\n", &["zip.csv", "the hierarchy has no rows"]),
        ("\"1010;101*\n", &["zip.csv:1", "quote is opened and never closed"]),
    ];
    for (zip, says) in cases {
        refused(&env(TABLE.as_bytes(), zip), "release p.toml", says);
    }
    let env = env(TABLE.as_bytes(), ZIP);
    std::fs::remove_file(env.path("zip.csv")).unwrap();
    refused(&env, "release p.toml", &["zip.csv", "column `zip`", "No such file"]);
    env.write("zip.csv", b"1010;\xe9;*\n");
    refused(&env, "release p.toml", &["zip.csv", "is not UTF-8"]);
    std::fs::remove_file(env.path("zip.csv")).unwrap();
    std::fs::create_dir(env.path("zip.csv")).unwrap();
    refused(&env, "release p.toml", &["zip.csv", "cannot be read"]);
}

/// Six rows of JSON with this for the illness.
fn json(illness: &str) -> String {
    (0..6)
        .map(|i| {
            format!("{{\"name\":\"canary-{i}\",\"age\":{},\"zip\":\"1010\",\"illness\":{illness}}}\n", 31 + i)
        })
        .collect()
}

#[test]
fn other_formats_that_cannot_be_read() {
    let good = json("\"canary-flu\"");
    let cases: &[(&str, String, &[&str])] = &[
        ("t.json", json("{\"of\":\"canary\"}"), &["t.json", "column `illness`", "Struct", "drop"]),
        ("t.json", json("[\"canary\"]"), &["t.json", "column `illness`", "List", "drop"]),
        ("t.json", good.replace("\"1010\"", "[\"canary\"]"), &["t.json", "column `zip`", "List"]),
        (
            "t.json",
            format!("[{}", good.trim_end().replace('\n', ",")),
            &["t.json", "not closed", "export it again"],
        ),
        ("t.json", good.clone() + "{\"name\":\"canary\",\"age\":\n", &["t.json:7", "ends too early"]),
        ("t.json", good.clone() + "canary\n", &["t.json:7", "is not a JSON object"]),
        ("t.json", good.clone() + "7\n", &["t.json:7", "not an object"]),
        ("t.json", String::new(), &["t.json", "the file is empty"]),
        ("t.parquet", TABLE.to_owned(), &["t.parquet", "cannot be read", "input.format"]),
        ("t.parquet", "PAR1canaryPAR1".to_owned(), &["t.parquet", "cannot be read"]),
        ("t.parquet", String::new(), &["t.parquet", "the file is empty"]),
        ("t.arrow", TABLE.to_owned(), &["t.arrow", "cannot be read", "input.format"]),
        ("t.arrow", String::new(), &["t.arrow", "the file is empty"]),
        ("t.xlsx", TABLE.to_owned(), &["t.xlsx", "not a workbook", "input.format"]),
        ("t.dat", TABLE.to_owned(), &["t.dat", "does not show the format", "input.format"]),
    ];
    for (file, text, says) in cases {
        let env = TestEnv::with(&[("zip.csv", ZIP), (file, text)]);
        env.write("p.toml", POLICY.replace("\"t.csv\"", &format!("{file:?}")));
        refused(&env, "release p.toml", says);
    }
    // A column that is not released may hold anything.
    let env = TestEnv::with(&[("zip.csv", ZIP), ("t.json", &json("{\"of\":\"canary\"}"))]);
    env.write("p.toml", POLICY.replace("\"t.csv\"", "\"t.json\"").replace("sensitive", "drop"));
    env.run("release p.toml").ok();
}

#[test]
fn a_parquet_file_that_was_cut_off() {
    let env = env(TABLE.as_bytes(), ZIP);
    env.run("release p.toml --out cut.parquet").ok();
    let whole = env.bytes("cut.parquet");
    env.write("cut.parquet", &whole[..whole.len() / 2]);
    refused(&env, "verify cut.parquet --policy p.toml", &["cut.parquet", "cannot be read"]);
    env.write("q.toml", POLICY.replace("\"t.csv\"", "\"cut.parquet\""));
    refused(&env, "release q.toml", &["cut.parquet", "cannot be read"]);
    refused(&env, "inspect cut.parquet --write r.toml", &["cut.parquet", "cannot be read"]);
}

#[test]
fn several_files_that_do_not_fit_together() {
    let env = TestEnv::with(&[
        ("zip.csv", ZIP),
        ("p.toml", &POLICY.replace("\"t.csv\"", "\"part-*.csv\"")),
        ("part-1.csv", TABLE),
        ("part-2.csv", &TABLE.replace("illness", "sickness")),
    ]);
    refused(&env, "release p.toml", &["part-2.csv:1", "not that of part-1.csv", "same header"]);
    env.write("part-2.csv", "age,name,zip,illness\n31,canary,1010,canary\n");
    refused(&env, "release p.toml", &["part-2.csv:1", "not that of part-1.csv"]);
    env.write("part-2.csv", TABLE.replace(",canary-gout", ""));
    refused(&env, "release p.toml", &["part-2.csv:5", "3 cells"]);
    env.write("part-2.csv", "");
    refused(&env, "release p.toml", &["part-2.csv", "the file is empty"]);
}

#[test]
fn inspect_refuses_what_it_cannot_read() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("e.csv", "", &["e.csv", "the file is empty"]),
        ("e.csv", "a,b\ncanary,canary\ncanary\n", &["e.csv:3", "1 cell"]),
        ("e.parquet", "canary", &["e.parquet", "cannot be read"]),
        ("e.json", "[1]\n", &["e.json:1", "not an object"]),
        ("e.data", "a,b\n1,2\n", &["e.data", "does not show the format"]),
    ];
    for (file, text, says) in cases {
        let env = TestEnv::with(&[(file, text)]);
        refused(&env, &format!("inspect {file} --write p.toml"), says);
    }
    // A header without rows can be described, but no policy follows from it.
    let env = TestEnv::with(&[("e.csv", "a,b\n")]);
    let before = env.listing();
    env.run("inspect e.csv --write p.toml").fails(2).says(&["nothing is left to release"]);
    assert_eq!(env.listing(), before);
}

#[test]
fn a_certificate_or_release_that_cannot_be_read() {
    let env = env(TABLE.as_bytes(), ZIP);
    env.run("release p.toml").ok();
    let certificate = env.text("out.certificate.json");
    let cases: &[(&[u8], &[&str])] = &[
        (b"", &["c.json:1", "is not a certificate"]),
        (b"canary", &["c.json:1", "is not a certificate"]),
        (b"{\"rows\": 3}", &["c.json:1", "is not a certificate"]),
        (b"{\n\"rows\": 6,\n\"released\": \"six\"\n}", &["c.json:", "is not a certificate"]),
        (&certificate.as_bytes()[..certificate.len() / 2], &["c.json:", "is not a certificate"]),
        (b"\xff\xfe", &["c.json", "cannot be read"]),
    ];
    for (bytes, says) in cases {
        env.write("c.json", bytes);
        refused(&env, "verify out.csv --policy p.toml --certificate c.json", says);
    }
    refused(&env, "verify out.csv --policy p.toml --certificate nope.json", &["nope.json", "cannot be read"]);
    refused(&env, "verify nope.csv --policy p.toml", &["nope.csv", "no such file"]);
    refused(&env, "verify out.csv --policy p.toml --original nope.csv", &["nope.csv", "no such file"]);
    env.write("out.csv", "");
    refused(&env, "verify out.csv --policy p.toml", &["out.csv", "the file is empty"]);
    std::fs::remove_file(env.path("out.certificate.json")).unwrap();
    refused(&env, "verify out.csv --policy p.toml", &["out.certificate.json", "--certificate"]);
}

#[test]
fn a_weight_is_a_number() {
    let policy = policy(&[("[columns.cost]\nrole = \"keep\"", "[columns.cost]\nrole = \"weight\"")]);
    let mut table = people(200, 121);
    let release = |table: &crate::naive::Table| {
        let env = TestEnv::with(&[("people.csv", &table.write(',')), ("p.toml", &policy)]);
        let before = env.listing();
        (env.run("release p.toml"), env.listing() == before)
    };
    table.rows[3][8] = String::new();
    release(&table).0.ok();
    for cell in ["much", "-1", "nan", "1e999", "1,5"] {
        table.rows[7][8] = cell.into();
        let (run, unchanged) = release(&table);
        let run = run.fails(2);
        run.says(&["people.csv", "`cost`", &format!("`{cell}` in row 8"), "number from 0", "\"keep\""]);
        assert!(unchanged && !run.stderr.contains("José"), "{}", run.said());
    }
}
