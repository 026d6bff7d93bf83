//! Inputs that are not there, outputs that cannot be written, and disks that fill up: nothing is
//! left behind, and nothing that was there is touched.

use crate::env::TestEnv;
use crate::people::{people, policy};

/// A folder with people, a hierarchy file, a folder and a policy with these changes.
fn env(changes: &[(&str, &str)]) -> TestEnv {
    let file = (
        "[columns.city]\nrole = \"quasi\"",
        "[columns.city]\nrole = \"quasi\"\nhierarchy = { file = \"city.csv\" }",
    );
    let changes: Vec<(&str, &str)> = changes.iter().copied().chain([file]).collect();
    let env = TestEnv::with(&[
        ("people.csv", &people(300, 91).write(',')),
        ("city.csv", "Köln;Rhine;*\nBonn;Rhine;*\nSaint-Étienne;Loire;*\n"),
        ("p.toml", &policy(&changes)),
    ]);
    std::fs::create_dir(env.path("folder.csv")).unwrap();
    env
}

#[track_caller]
fn refused(env: &TestEnv, line: &str, says: &[&str]) {
    let before = env.listing();
    let run = env.run(line).fails(2);
    run.says(says);
    assert!(run.stderr.contains("help:"), "there is no remedy\n{}", run.said());
    assert!(!run.stderr.contains(".throng-"), "a temporary name is shown\n{}", run.said());
    assert_eq!(env.listing(), before, "{}", run.said());
}

#[test]
fn an_input_that_is_not_there() {
    let cases: &[(&str, &[&str])] = &[
        ("nope.csv", &["nope.csv", "no such file", "relative to the policy"]),
        ("people.csv/nope.csv", &["people.csv/nope.csv", "no such file"]),
        ("folder.csv", &["folder.csv", "is a folder without files", "part files"]),
        ("nope-*.csv", &["nope-*.csv", "no file matches"]),
        ("[.csv", &["[.csv", "is not a pattern"]),
    ];
    for (path, says) in cases {
        let env = env(&[("\"people.csv\"", &format!("{path:?}"))]);
        let before = env.listing();
        env.run("release p.toml").fails(2).says(says);
        env.run_args(&["inspect", path, "--write", "q.toml"], &[]).fails(2).says(&says[..2]);
        assert_eq!(env.listing(), before, "{path}");
    }
}

#[test]
fn an_output_that_cannot_be_there() {
    let output = "path = \"out.csv\"";
    let cases: &[(&str, &[&str])] = &[
        ("path = \"no/out.csv\"", &["p.toml:5", "output.path", "there is no folder no"]),
        ("path = \"people.csv/out.csv\"", &["p.toml:5", "output.path", "there is no folder people.csv"]),
        ("path = \"folder.csv\"", &["p.toml:5", "it is a folder"]),
        ("path = \"people.csv\"", &["p.toml:5", "over the input", "another name"]),
        ("path = \"./folder.csv/../people.csv\"", &["p.toml:5", "over the input"]),
        ("path = \"city.csv\"", &["p.toml:5", "over a hierarchy"]),
        ("path = \"out.csv\"\nreport = \"people.csv\"", &["p.toml:6", "output.report", "over the input"]),
        (
            "path = \"out.csv\"\ncertificate = \"p.toml\"",
            &["p.toml:6", "output.certificate", "over the policy"],
        ),
        ("path = \"out.csv\"\ncertificate = \"out.csv\"", &["p.toml:6", "another part of the release"]),
        ("path = \"out.csv\"\nreport = \"./out.csv\"", &["p.toml:6", "another part of the release"]),
        (
            "path = \"out.csv\"\nreport = \"r\"\ncertificate = \"r\"",
            &["p.toml:6", "another part of the release"],
        ),
        (
            "path = \"out.csv\"\nreport = \"no/r.html\"",
            &["p.toml:6", "output.report", "there is no folder no"],
        ),
        (
            "path = \"out.csv\"\ncertificate = \"no/c.json\"",
            &["p.toml:6", "output.certificate", "there is no folder no"],
        ),
        ("path = \"out.csv\"\nreport = \"folder.csv\"", &["p.toml:6", "it is a folder"]),
        ("path = \"out.csv\"\ncertificate = \"folder.csv\"", &["p.toml:6", "it is a folder"]),
        // Root could put a file in the place of a device.
        ("path = \"out.csv\"\nreport = \"/dev/null\"", &["p.toml:6", "it is not a file"]),
    ];
    for (line, says) in cases {
        refused(&env(&[(output, line)]), "release p.toml", says);
    }
}

#[test]
fn an_argument_that_cannot_be_written_to() {
    let cases: &[(&str, &[&str])] = &[
        ("release p.toml --out no/out.csv", &["no/out.csv", "there is no folder no"]),
        ("release p.toml --out p.toml/out.csv", &["p.toml/out.csv", "there is no folder p.toml"]),
        ("release p.toml --out people.csv", &["people.csv", "over the input"]),
        ("release p.toml --out folder.csv", &["folder.csv", "it is a folder"]),
        ("release p.toml --out out", &["out", "does not show the format", ".csv"]),
        ("release p.toml --out p.toml", &["p.toml", "does not show the format"]),
        ("release p.toml --out /dev/full", &["/dev/full", "does not show the format"]),
        ("inspect people.csv --write no/q.toml", &["no/q.toml", "there is no folder no"]),
        ("inspect people.csv --write p.toml", &["p.toml", "exists already", "--force"]),
        ("inspect people.csv --write folder.csv", &["folder.csv", "it is a folder"]),
        ("demo people.csv/demo", &["people.csv/demo", "cannot be made"]),
    ];
    let env = env(&[]);
    for (line, says) in cases {
        refused(&env, line, says);
    }
}

#[test]
#[cfg(unix)]
fn a_link_to_the_input_is_the_input() {
    let env = env(&[]);
    std::os::unix::fs::symlink(env.path("people.csv"), env.path("link.csv")).unwrap();
    refused(&env, "release p.toml --out link.csv", &["link.csv", "over the input"]);
}

/// The release has some 10 kB, the report more, the certificate less: whichever is in the way,
/// nothing is left.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_nothing_behind() {
    for format in ["csv", "parquet", "json", "arrow"] {
        let mut failures = 0;
        for blocks in [0, 1, 4, 16, 40] {
            let env = env(&[]);
            let before = env.listing();
            let run = env.run_on_full_disk(blocks, &format!("release p.toml --out out.{format}"));
            if run.code == 0 {
                continue;
            }
            failures += 1;
            let run = run.fails(2);
            run.says(&["cannot be written", "File too large", "free space"]);
            assert!(run.stderr.contains("error[file.unwritable]: out."), "{}", run.said());
            assert!(!run.stderr.contains(".throng-"), "{}", run.said());
            assert_eq!(env.listing(), before, "{blocks} {}", run.said());
        }
        assert!(failures >= 3, "{format}: only {failures} limits were too small");
    }
}

/// 30 MB of notes in a memory that lets 8 MB wait, and no room on the disk for the rest.
#[test]
#[cfg(unix)]
fn a_full_disk_while_rows_wait_leaves_nothing_behind() {
    let env = TestEnv::new();
    let line = |row: usize| format!("{},{row:0500}\n", row % 7);
    env.write("t.csv", "q,note\n".to_owned() + &(0..120_000).map(line).collect::<String>());
    let policy = "version = 1\ninput.path = \"t.csv\"\noutput.path = \"out.csv\"\nprivacy.k = 3\n\
                  search.algorithm = \"datafly\"\n[columns.q]\nrole = \"quasi\"\n[columns.note]\nrole = \"keep\"\n";
    env.write("p.toml", policy);
    let before = env.listing();
    let run = env.run_on_full_disk(4000, "release p.toml --threads 2 --memory 270M").fails(2);
    run.says(&["cannot be written", "File too large", "free twice"]);
    assert!(!run.stderr.contains(".throng-"), "{}", run.said());
    assert_eq!(env.listing(), before);
    env.run("release p.toml --threads 2 --memory 20M").fails(2).says(&["needs about", "--memory"]);
    for wrong in ["0", "-1", "1.5", "all"] {
        env.run(&format!("release p.toml --threads={wrong}")).fails(2).says(&["at least 1"]);
    }
    env.run("release p.toml --threads 5000").fails(2).says(&["5000 threads"]);
    env.run("release p.toml --memory much").fails(2).says(&["500M"]);
    assert_eq!(env.listing(), before);
}

#[test]
#[cfg(unix)]
fn a_full_disk_spares_an_older_release() {
    let env = env(&[]);
    env.run("release p.toml --seed 1").ok();
    let before = env.listing();
    env.run_on_full_disk(4, "release p.toml --seed 2").fails(2);
    assert_eq!(env.listing(), before);
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_error() {
    let env = env(&[]);
    let program = env!("CARGO_BIN_EXE_throng");
    let line = format!("'{program}' inspect people.csv > /dev/full; echo $?; '{program}' --help | head -n 1");
    let said =
        std::process::Command::new("sh").args(["-c", &line]).current_dir(env.path("")).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(!stderr.contains("panicked"), "{stderr}");
    // A full disk is one.
    assert!(stdout.starts_with("2\n"), "{stdout}");
    assert!(stderr.contains("standard output cannot be written"), "{stderr}");
}

/// A script cannot judge a partial result unless the exit code shows it.
#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_to_standard_output_is_an_error() {
    let env = env(&[]);
    env.run("release p.toml").ok();
    let program = env!("CARGO_BIN_EXE_throng");
    for line in [
        "hierarchy build suppress --input people.csv --column city",
        "synth county --show",
        "screen people.csv --target city",
        "network p.toml --json",
        "inspect people.csv --json",
        "explore p.toml --json",
        "risk people.csv --qi city --json",
        "release p.toml --json",
        "verify out.csv --policy p.toml --json",
    ] {
        let full = format!("'{program}' {line} > /dev/full");
        let said = std::process::Command::new("sh").args(["-c", &full]).current_dir(env.path("")).output();
        let said = said.unwrap();
        let stderr = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{line}\n{stderr}");
        assert!(stderr.contains("standard output cannot be written"), "{line}\n{stderr}");
        // A reader may close the pipe early.
        let closed = format!("'{program}' {line} | true; exit ${{PIPESTATUS[0]}}");
        let said =
            std::process::Command::new("bash").args(["-c", &closed]).current_dir(env.path("")).output();
        assert_eq!(said.unwrap().status.code(), Some(0), "{line}");
    }
}
