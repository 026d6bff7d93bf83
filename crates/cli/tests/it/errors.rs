//! Errors for people and for programs: code, exit code, JSON, and how much of a cell is quoted.

use serde_json::Value;

use crate::env::{Run, TestEnv};
use crate::people::{people, policy};

fn env() -> TestEnv {
    TestEnv::with(&[
        ("people.csv", &people(300, 91).write(',')),
        (
            "unsafe.toml",
            &policy(&[
                ("k = 5", "k = 299"),
                ("suppression = 0.05", "suppression = 0"),
                ("high = 100 } }", "high = 100 } }\nmax_level = 0"),
            ]),
        ),
        (
            "three.toml",
            &policy(&[
                ("k = 5", "k = 0"),
                ("suppression = 0.05", "suppression = 5"),
                ("\"out.csv\"", "\"out\""),
            ]),
        ),
    ])
}

/// The faults of a run with `--json`: standard error is one JSON object on one line, and standard
/// output is empty.
#[track_caller]
fn faults(run: &Run) -> Vec<Value> {
    assert!(run.stdout.is_empty() && run.stderr.lines().count() == 1, "{}", run.said());
    let document: Value = serde_json::from_str(&run.stderr).unwrap_or_else(|e| panic!("{e}\n{}", run.said()));
    assert_eq!(document.as_object().unwrap().keys().collect::<Vec<_>>(), ["error"]);
    document["error"]["faults"].as_array().unwrap().clone()
}

#[test]
fn people_see_the_code_before_the_message() {
    let env = env();
    let run = env.run("release nope.toml").fails(2);
    let missing = "error[file.not-found]: nope.toml: there is no such file\n";
    assert!(run.stderr.starts_with(missing), "{}", run.said());
    assert!(run.stderr.contains("\n  help: check the path"), "{}", run.said());
    let run = env.run("inspect nope.csv").fails(2);
    assert!(
        run.stderr.starts_with("error[file.not-found]: nope.csv: there is no such file\n"),
        "{}",
        run.said()
    );
    // At a line of the policy, the code stands above the message.
    let run = env.run("release unsafe.toml").fails(1);
    assert!(run.stderr.starts_with("search.no-safe-node\n\n  × privacy.suppression: no "), "{}", run.said());
}

#[test]
fn programs_read_one_object_with_code_and_arguments() {
    let env = env();
    std::fs::create_dir(env.path("folder.toml")).unwrap();
    let run = env.run("release folder.toml --json").fails(2);
    let [fault] = &faults(&run)[..] else { panic!("{}", run.said()) };
    assert_eq!(fault["code"], "file.unreadable");
    assert_eq!(fault["kind"], "system");
    assert_eq!(fault["file"], "folder.toml");
    let reason = fault["arguments"]["reason"].as_str().unwrap();
    assert_eq!(fault["message"], format!("cannot be read: {reason}"));
    assert!(fault["help"].as_str().unwrap().starts_with("check the disk and the path"), "{fault}");

    let run = env.run("release unsafe.toml --json").fails(1);
    let [fault] = &faults(&run)[..] else { panic!("{}", run.said()) };
    assert_eq!(fault["code"], "search.no-safe-node");
    assert_eq!(fault["kind"], "unsolvable");
    assert_eq!(fault["key"], "privacy.suppression");
    assert_eq!(fault["arguments"]["rows"], "300");
    assert_eq!(fault["arguments"]["allowed"], "0");
    let least = fault["arguments"]["least"].as_str().unwrap();
    assert!(fault["message"].as_str().unwrap().contains(&format!("{least} of 300 rows")), "{fault}");
}

#[test]
fn all_faults_are_in_one_object() {
    let env = env();
    let run = env.run("release three.toml --json").fails(2);
    let faults = faults(&run);
    assert_eq!(faults.len(), 3, "{}", run.said());
    for fault in &faults {
        assert_eq!(fault["kind"], "input", "{fault}");
        let code = fault["code"].as_str().unwrap();
        assert!(code.contains('.') && code != "uncoded", "{fault}");
    }
}

#[test]
fn the_form_of_an_error_does_not_change_the_exit_code() {
    let env = env();
    let lines = [
        "release unsafe.toml",
        "release three.toml",
        "inspect nope.csv",
        "risk people.csv --qi nope",
        "screen people.csv --target nope",
        "verify nope.csv --policy unsafe.toml",
        "hierarchy check nope.csv",
        "compare nope.toml --out results",
        "synth nope.toml --rows 5 --out x.csv",
        "argus unsafe.toml --do nope",
    ];
    for line in lines {
        let text = env.run(line);
        assert!(text.code > 0 && text.stdout.is_empty(), "{}", text.said());
        let json = env.run(&format!("{line} --json")).fails(text.code);
        for fault in faults(&json) {
            let code = fault["code"].as_str().unwrap();
            let (plain, at_line) = (format!("error[{code}]: "), format!("{code}\n\n  × "));
            assert!(text.stderr.contains(&plain) || text.stderr.contains(&at_line), "{}", text.said());
        }
    }
}

/// Wrong options are found before it is known whether `--json` is given.
#[test]
fn wrong_options_are_reported_as_text() {
    let run = env().run("release unsafe.toml --json --nope").fails(2);
    assert!(run.stderr.starts_with("error: ") && run.stdout.is_empty(), "{}", run.said());
}

/// The value has what could end a quotation early, and what acts on a terminal.
#[test]
fn one_value_is_quoted_and_a_long_one_is_cut() {
    let long = format!("x`\u{1b}[31m{}", "y".repeat(10_000));
    let env = TestEnv::new();
    env.write("t.csv", format!("age,charges\n31,10\n32,20\n33,{long}\n34,SECOND\n35,30\n"));
    let line = "screen t.csv --target charges --above 15";
    let cut = format!("x`\\u{{1b}}[31m{}…", "y".repeat(53));

    let text = env.run(line).fails(2);
    let expected = format!("error[screen.not-a-number]: t.csv: column `charges`: `{cut}` is not a number\n");
    assert!(text.stderr.starts_with(&expected), "{}", text.said());
    assert!(text.stderr.len() < 1_000 && !text.stderr.contains("SECOND"), "{}", text.said());

    let json = env.run(&format!("{line} --json")).fails(2);
    let [fault] = &faults(&json)[..] else { panic!("{}", json.said()) };
    assert_eq!(fault["message"], format!("`{cut}` is not a number"));
    assert_eq!(fault["arguments"]["value"], cut);
    assert_eq!(fault["column"], "charges");
    assert!(json.stderr.len() < 1_000 && !json.stderr.contains("SECOND"), "{}", json.said());
}
