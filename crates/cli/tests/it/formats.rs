//! CSV, Parquet, newline JSON and Arrow, as input and as output.

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{COLUMNS, QUASI, people, people_with_gaps, policy};

const FORMATS: [&str; 4] = ["csv", "parquet", "json", "arrow"];

/// Copies a table into another format: a release that changes nothing.
#[track_caller]
fn copy(env: &TestEnv, from: &str, to: &str, columns: &[&str]) {
    let mut text = format!(
        "version = 1\n[input]\npath = {from:?}\n[output]\npath = {to:?}\nkeep_order = true\n[privacy]\nk = 1\n[search]\nalgorithm = \"auto\"\n"
    );
    for (i, column) in columns.iter().enumerate() {
        let role = if i == 0 { "role = \"quasi\"\nmax_level = 0" } else { "role = \"keep\"" };
        text += &format!("[columns.{column}]\n{role}\n");
    }
    env.write("copy.toml", text);
    env.run("release copy.toml").ok();
}

/// A file of any format as a table of texts.
#[track_caller]
fn read(env: &TestEnv, file: &str, columns: &[&str]) -> Table {
    copy(env, file, "copy.csv", columns);
    Table::read(&env.bytes("copy.csv"), ',')
}

#[test]
fn a_copy_through_every_format_changes_no_cell() {
    let env = TestEnv::new();
    let table = people_with_gaps(300, 11, "");
    env.write("a.csv", table.write(','));
    for pair in
        ["a.csv", "b.parquet", "c.json", "d.arrow", "e.json", "f.arrow", "g.parquet", "h.csv"].windows(2)
    {
        copy(&env, pair[0], pair[1], &COLUMNS);
    }
    assert_eq!(Table::read(&env.bytes("h.csv"), ','), table);
    assert!(env.bytes("b.parquet").starts_with(b"PAR1"));
    assert!(env.bytes("d.arrow").starts_with(b"ARROW1"));
    assert!(env.text("c.json").lines().all(|line| line.starts_with("{\"id\":\"P0")));
}

#[test]
fn every_format_can_be_released_into_every_format() {
    let env = TestEnv::new();
    let table = people(400, 12);
    env.write("people.csv", table.write(','));
    for format in &FORMATS[1..] {
        copy(&env, "people.csv", &format!("people.{format}"), &COLUMNS);
    }
    let mut releases = Vec::new();
    for from in FORMATS {
        for to in FORMATS {
            env.write(
                "p.toml",
                policy(&[
                    ("\"people.csv\"", &format!("\"people.{from}\"")),
                    ("\"out.csv\"", &format!("\"out.{to}\"")),
                ]),
            );
            let release = env.run("release p.toml --json").ok().json();
            for original in ["".to_owned(), format!(" --original people.{from}")] {
                env.run(&format!("verify out.{to} --policy p.toml{original}")).ok();
            }
            let released =
                read(&env, &format!("out.{to}"), &["age", "zip", "sex", "city", "illness", "cost"]);
            released.is_anonymous(&QUASI, 5);
            assert_eq!(release["released"].as_u64(), Some(released.rows.len() as u64), "{from} {to}");
            releases.push((from, to, released.sorted()));
        }
    }
    let first = &releases[0].2;
    for (from, to, release) in &releases {
        assert_eq!(release, first, "{from} into {to}");
    }
}

#[test]
fn inspect_reads_every_format() {
    for format in FORMATS {
        let env = TestEnv::new();
        env.write("people.csv", people(300, 13).write(','));
        if format != "csv" {
            copy(&env, "people.csv", &format!("people.{format}"), &COLUMNS);
        }
        let input = format!("people.{format}");
        env.run(&format!("inspect {input} --write p.toml")).ok();
        let release = env.run("release p.toml --json").ok().json();
        let out = release["output"]["path"].as_str().unwrap();
        env.run(&format!("verify {out} --policy p.toml --original {input}")).ok();
        let quasi: Vec<&str> =
            release["regions"]["forms"].as_object().unwrap().keys().map(String::as_str).collect();
        assert!(quasi.len() >= 4, "{format}: {quasi:?}");
    }
}

#[test]
fn numbers_truth_values_and_nulls_keep_their_types() {
    let env = TestEnv::new();
    let cells = |i: u32| match i % 5 {
        0 => "null".to_owned(),
        n => format!("{}.25", n * 10),
    };
    // A column that starts with nulls, one that has nothing else, and one that is not in every row.
    let rows: String = (0..2500)
        .map(|i| {
            let late = if i < 2000 { "null".to_owned() } else { i.to_string() };
            let rare = if i % 3 == 0 { format!(",\"rare\":{}", i % 2 == 0) } else { String::new() };
            format!(
                "{{\"age\":{},\"weight\":{},\"late\":{late},\"never\":null{rare}}}\n",
                20 + i % 40,
                cells(i)
            )
        })
        .collect();
    env.write("a.json", rows);
    let columns = ["age", "weight", "late", "never", "rare"];
    for pair in ["a.json", "b.parquet", "c.json", "d.arrow", "e.csv"].windows(2) {
        copy(&env, pair[0], pair[1], &columns);
    }
    let table = Table::read(&env.bytes("e.csv"), ',');
    assert_eq!(table.columns, columns);
    assert_eq!(table.rows.len(), 2500);
    assert_eq!(table.rows[0], ["20", "", "", "", "true"]);
    assert_eq!(table.rows[2499], ["39", "40.25", "2499", "", "false"]);
    let line = env.text("c.json").lines().nth(1).unwrap().to_owned();
    assert_eq!(line, r#"{"age":21,"weight":10.25,"late":null,"never":null,"rare":null}"#);

    // Generalizing typed columns: intervals over numbers, and the null as a value of its own.
    env.write(
        "p.toml",
        "version = 1\n[input]\npath = \"b.parquet\"\n[output]\npath = \"out.json\"\n[privacy]\nk = 30\nsuppression = 0.1\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = { widths = [10, 20] } }\nmin_level = 1\n\
         [columns.weight]\nrole = \"quasi\"\nhierarchy = { intervals = { bounds = [[0, 15, 30], [0, 30]] } }\n\
         [columns.late]\nrole = \"sensitive\"\n[columns.never]\nrole = \"keep\"\n[columns.rare]\nrole = \"target\"\n",
    );
    env.run("release p.toml").ok();
    env.run("verify out.json --policy p.toml --original b.parquet").ok();
    read(&env, "out.json", &columns).is_anonymous(&["age", "weight"], 30);
}

#[test]
fn several_parquet_files_are_one_table() {
    let env = TestEnv::new();
    let table = people(400, 14);
    for (i, rows) in table.rows.chunks(150).enumerate() {
        env.write("part.csv", Table { columns: table.columns.clone(), rows: rows.to_vec() }.write(','));
        copy(&env, "part.csv", &format!("part-{i}.parquet"), &COLUMNS);
    }
    env.write(
        "p.toml",
        policy(&[("\"people.csv\"", "\"part-*.parquet\""), ("\"out.csv\"", "\"out.parquet\"")]),
    );
    let release = env.run("release p.toml --json").ok().json();
    assert_eq!(release["rows"], 400);
    env.run("verify out.parquet --policy p.toml --original part-*.parquet").ok();
    read(&env, "out.parquet", &["age", "zip", "sex", "city", "illness", "cost"]).is_anonymous(&QUASI, 5);
}

#[test]
fn the_format_can_be_said_where_the_name_does_not_tell() {
    let env = TestEnv::new();
    env.write("people.data", people(300, 15).write(','));
    env.write("p.toml", policy(&[("path = \"people.csv\"", "path = \"people.data\"\nformat = \"csv\"")]));
    env.run("release p.toml").ok();
    env.run("verify out.csv --policy p.toml --original people.data").ok();
}
