//! Tables without a header line: every command that reads one refuses it and quotes no cell.

use crate::env::{Run, TestEnv};

/// Rows that have what tables about people have.
const ROWS: [&str; 8] = [
    "Quimby,2007-04-07,w,10115,178.1,F32.1",
    "Schmidt,1984-01-02,m,02139,165.0,E11.9",
    "Kaya,1971-12-30,w,80331,171.5,I10",
    "Lee,1990-06-15,m,20095,180.2,J45.0",
    "Okafor,2001-09-21,m,10117,169.9,F32.0",
    "Meyer,1965-03-11,w,50667,158.4,E10.1",
    "Rossi,1958-07-19,m,70173,174.7,I25.1",
    "Novak,1979-11-05,w,04109,162.3,K35.8",
];

fn table() -> String {
    ROWS.join("\n") + "\n"
}

/// A policy for columns of these names.
fn policy(names: &[&str], header: &str) -> String {
    let mut text = format!(
        "version = 1\n[input]\npath = \"t.csv\"\n{header}\n[output]\npath = \"out.csv\"\n\
         [privacy]\nk = 2\nsuppression = 1\n"
    );
    for name in names {
        text += &format!("[columns.{name:?}]\nrole = \"quasi\"\n");
    }
    text
}

const GENERATED: [&str; 6] = ["column_1", "column_2", "column_3", "column_4", "column_5", "column_6"];

#[track_caller]
fn is_refused(run: &Run) {
    run.says(&[
        "t.csv:1",
        "the first line looks like data, not column names",
        "--header none",
        "input.header",
    ]);
    for cell in ROWS.iter().flat_map(|row| row.split(',')).filter(|cell| cell.len() > 1) {
        assert!(!run.said().contains(cell), "{cell} is quoted\n{}", run.said());
    }
}

#[test]
fn every_command_that_reads_a_table_refuses_it() {
    let env = TestEnv::with(&[("t.csv", &table()), ("zip.csv", "10115;1*;*\n")]);
    // A policy that has the first row's cells as columns does not confirm that they are names.
    let cells: Vec<&str> = ROWS[0].split(',').collect();
    env.write("p.toml", policy(&cells, ""));
    env.write(
        "e.toml",
        "version = 1\n[[tables]]\nname = \"t\"\npolicy = \"p.toml\"\n[grid]\nalgorithms = [\"auto\"]\n\
         losses = [\"entropy\"]\nk = [2]\nsuppression = [0.05]\n",
    );
    env.write("s.toml", "version = 1\nnetwork = \"p.toml\"\n");
    let hand = TestEnv::with(&[("t.csv", "name,age\nAnn,34\nBo,35\nCy,34\nDi,35\n")]);
    let names = ["name", "age"];
    hand.write("p.toml", policy(&names, ""));
    hand.run("release p.toml").ok();
    let before = env.listing();
    for line in [
        "inspect t.csv",
        "inspect t.csv --write new.toml",
        "inspect t.csv --json",
        "screen t.csv --target w",
        "risk t.csv --qi w",
        "risk t.csv --policy p.toml",
        "release p.toml",
        "explore p.toml",
        "compare e.toml",
        "network p.toml",
        "argus p.toml --do show",
        "augment p.toml --out new.csv",
        "synth s.toml --rows 3 --out new.csv",
        "hierarchy build suppress --input t.csv --column w",
        "hierarchy check zip.csv --input t.csv --column 10115",
    ] {
        let run = env.run(line).fails(2);
        // The typed column is the user's own word.
        assert!(run.stdout.is_empty(), "{}", run.said());
        run.says(&["the first line looks like data, not column names"]);
        // JSON has the place in fields of its own.
        if line.contains("--json") {
            run.says(&["\"file\":\"t.csv\",\"line\":1"]);
        } else if !line.contains("10115") {
            is_refused(&run);
        }
    }
    assert_eq!(env.listing(), before);
    // Nor does verify take one for the original.
    hand.write("t.csv", "Ann,34\nBo,35\nCy,34\nDi,35\nEd,34\n");
    hand.run("verify out.csv --policy p.toml --original t.csv").fails(2).says(&["looks like data"]);
}

#[test]
fn a_part_without_its_header_is_refused_and_not_quoted() {
    let env = TestEnv::with(&[
        ("p.toml", &policy(&["name", "age"], "").replace("t.csv", "part-*.csv")),
        ("part-1.csv", "name,age\nAnn,34\nBo,35\n"),
        ("part-2.csv", "Cy,37\nDi,36\nEd,38\n"),
    ]);
    let run = env.run("release p.toml").fails(2);
    run.says(&["part-2.csv:1", "looks like data"]);
    assert!(!run.stderr.contains("Cy") && !run.stderr.contains("37"), "{}", run.said());
    // Text alone does not look like data beside text, but it is another header.
    env.write("part-2.csv", "Cyrus,Bonn\nDiana,Ulm\n");
    env.write("part-1.csv", "name,city\nAnn,Bonn\nBo,Ulm\n");
    let run = env.run("release p.toml").fails(2);
    run.says(&["part-2.csv:1", "is not that of part-1.csv", "cell 1"]);
    assert!(!run.stderr.contains("Cyrus") && !run.stderr.contains("Diana"), "{}", run.said());
}

#[test]
fn a_file_without_a_header_is_read_with_generated_names() {
    for (encoding, text) in [
        ("", table().into_bytes()),
        ("", [b"\xEF\xBB\xBF", table().as_bytes()].concat()),
        ("encoding = \"latin-1\"", table().into_bytes()),
    ] {
        let env = TestEnv::new();
        env.write("t.csv", &text);
        env.write("p.toml", policy(&GENERATED, &format!("header = \"none\"\n{encoding}")));
        let release = env.run("release p.toml --json").ok().json();
        assert_eq!(release["rows"], 8, "{encoding}");
        assert_eq!(
            env.text("out.csv").lines().next(),
            Some("column_1,column_2,column_3,column_4,column_5,column_6")
        );
        env.run("verify out.csv --policy p.toml --original t.csv").ok();
        env.run("explore p.toml").ok();
        let found = env.run("hierarchy build suppress --input t.csv --column column_1 --header none").ok();
        assert!(
            found.stdout.lines().any(|line| line == "Quimby;*"),
            "the first row is whole: {}",
            found.said()
        );
    }
}

#[test]
fn inspect_writes_the_stated_header() {
    let env = TestEnv::with(&[("t.csv", &table())]);
    env.run("inspect t.csv --header none --write p.toml").ok();
    let written = env.text("p.toml");
    assert!(written.contains("\nheader = \"none\"\n") && written.contains("[columns.column_6]"), "{written}");
    assert!(!written.contains("Quimby"), "{written}");
    env.run("release p.toml").ok();
    env.run("inspect t.csv --header first-line --write q.toml").ok();
    assert!(env.text("q.toml").contains("\nheader = \"first-line\"\n"));
    let plain = TestEnv::with(&[("t.csv", "name,age\nAnn,34\nBo,35\n")]);
    plain.run("inspect t.csv --write p.toml").ok();
    assert!(!plain.text("p.toml").contains("header ="));
}

#[test]
fn names_that_look_like_data_can_be_confirmed() {
    let env = TestEnv::with(&[("t.csv", "7,12\n5,3\n5,3\n9,14\n9,14\n")]);
    env.write("p.toml", policy(&["7", "12"], ""));
    env.run("release p.toml").fails(2).says(&["looks like data"]);
    env.write("p.toml", policy(&["7", "12"], "header = \"first-line\""));
    env.run("release p.toml").ok();
    assert_eq!(env.text("out.csv").lines().next(), Some("7,12"));
    env.run("verify out.csv --policy p.toml --original t.csv").ok();
    env.run("risk out.csv --policy p.toml").ok();
    env.run("risk t.csv --qi 7 --header first-line").ok();
    env.write("p.toml", policy(&["7", "12"], "header = \"second-line\""));
    env.run("release p.toml").fails(2).says(&["second-line", "first-line", "none"]);
}

/// Files without a header line and of different width are refused by numbers alone.
#[test]
fn files_without_a_header_need_the_same_width() {
    let env = TestEnv::with(&[
        ("p.toml", &policy(&["column_1", "column_2"], "header = \"none\"").replace("t.csv", "part-*.csv")),
        ("part-1.csv", "Ann,34\nBo,35\n"),
        ("part-2.csv", "Cyrus,36,1\n"),
    ]);
    let run = env.run("release p.toml").fails(2);
    run.says(&["part-2.csv:1", "it has 3 cells, not 2"]);
    env.write("part-2.csv", "Cyrus,36\nDiana,37,1\n");
    env.run("release p.toml").fails(2).says(&["part-2.csv:2", "3 cells, the first line has 2"]);
    env.write("part-2.csv", "Cyrus,36\nDiana,37\n");
    assert_eq!(env.run("release p.toml --json").ok().json()["rows"], 4);
}
