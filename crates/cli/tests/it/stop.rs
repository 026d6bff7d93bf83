//! A search that cannot end is stopped: by Ctrl-C, or after the seconds given. What is left is a
//! verified release and an honest gap. Any other work that is stopped leaves nothing behind.

#[cfg(unix)]
use std::fs::{File, OpenOptions};
#[cfg(unix)]
use std::io::Write;
#[cfg(unix)]
use std::process::Command;

use serde_json::Value;
use throng::synth::Wide;

#[cfg(unix)]
use crate::background::Background;
use crate::env::TestEnv;
use crate::naive::Table;

/// The wide table with all its hierarchies: 5 · 10¹³ nodes.
fn wide(rows: usize) -> TestEnv {
    let env = TestEnv::new();
    let names: Vec<String> = (0..Wide::COLUMNS).map(Wide::name).collect();
    let mut policy = String::from("version = 1\n[input]\npath = \"wide.csv\"\n");
    for (column, name) in names.iter().enumerate() {
        let line = |p: throng::hierarchy::Path| [vec![p.leaf], p.labels, vec!["*".into()]].concat().join(";");
        let file: Vec<String> = Wide::paths(column).into_iter().map(line).collect();
        env.write(&format!("{name}.csv"), file.join("\n"));
        policy += &format!("[columns.{name}]\nrole = \"quasi\"\nhierarchy = {{ file = \"{name}.csv\" }}\n");
    }
    policy += "[privacy]\nk = 5\nsuppression = 1.0\n[search]\nalgorithm = \"auto\"\nloss = { name = \"lm\", aggregate = \"geometric\" }\n";
    env.write("wide.toml", policy);
    let mut table = names.join(",") + "\n";
    for row in Wide::new(1).rows().take(rows) {
        let cells: Vec<String> =
            row.iter().zip(&names).map(|(code, name)| format!("{name}_{code}")).collect();
        table += &(cells.join(",") + "\n");
    }
    env.write("wide.csv", table);
    env
}

/// The release is safe by counting, verified, and says how far from optimal it can be.
fn is_honest(env: &TestEnv, release: &Value, out: &str) {
    let names: Vec<String> = (0..Wide::COLUMNS).map(Wide::name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Table::read(&env.bytes(out), ',').is_anonymous(&names, 5);
    env.run(&format!("verify {out} --policy wide.toml --original wide.csv")).ok();
    let (loss, gap) = (release["loss"]["lm"].as_f64().unwrap(), release["search"]["gap"].as_f64().unwrap());
    assert_eq!(release["search"]["optimal"], false);
    assert!(gap > 0.0 && gap <= loss && loss <= 1.0, "loss {loss}, gap {gap}");
}

#[test]
fn after_the_seconds_given_the_best_so_far_is_released() {
    let env = wide(3_000);
    let release = env.run("release wide.toml --out w.csv --seconds 1 --json").ok().json();
    is_honest(&env, &release, "w.csv");
    for wrong in ["-1", "soon", "1e99", "NaN"] {
        let run = env.run(&format!("release wide.toml --out x.csv --seconds={wrong}"));
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("such as 30 or 0.5"), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_releases_the_best_so_far() {
    let env = wide(3_000);
    let mut running = env.start(&["release", "wide.toml", "--out", "c.csv", "--json"]);
    running.says("searching: ");
    running.signal("INT");
    let (code, out, said) = running.ended();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("press Ctrl-C again to stop"), "{said}");
    is_honest(&env, &serde_json::from_str(&out).unwrap(), "c.csv");
}

/// What is in the folder before a release, and after one that was stopped.
const INPUTS: [&str; 3] = ["h.csv", "p.toml", "t.csv"];

/// A table whose hierarchy is a pipe: the program waits wherever it reads the hierarchy until
/// somebody writes it.
#[cfg(unix)]
fn piped() -> TestEnv {
    let policy = "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"r.csv\"\n[privacy]\nk = 2\n\
                  [columns.q]\nrole = \"quasi\"\nhierarchy = { file = \"h.csv\" }\n";
    let env = TestEnv::with(&[("t.csv", &("q\n".to_owned() + &"a\nb\n".repeat(50))), ("p.toml", policy)]);
    assert!(Command::new("mkfifo").arg(env.path("h.csv")).status().unwrap().success());
    env
}

/// Opens the hierarchy for writing, which waits until the program reads it.
#[cfg(unix)]
fn asked_for(env: &TestEnv) -> File {
    OpenOptions::new().write(true).open(env.path("h.csv")).unwrap()
}

/// A release that waits for its hierarchy in the verifier, and the end of the pipe.
#[cfg(unix)]
fn verifying(env: &TestEnv) -> (Background, File) {
    let mut running = env.start(&["release", "p.toml"]);
    // The file is hashed and read before the search, and hashed and read again by the verifier.
    // Each reader must be gone before the next one is served.
    for line in ["reading: ", "writing: ", "verifying: "] {
        asked_for(env).write_all(b"a;x\nb;x\n").unwrap();
        running.says(line);
    }
    let pipe = asked_for(env);
    assert!(env.names().iter().any(|name| name.starts_with(".throng-")), "{:?}", env.names());
    (running, pipe)
}

#[cfg(unix)]
#[test]
fn a_signal_during_verification_leaves_nothing_behind() {
    for signal in ["INT", "TERM", "HUP"] {
        let env = piped();
        let (mut running, mut pipe) = verifying(&env);
        running.signal(signal);
        running.says("stopping");
        pipe.write_all(b"a;x\nb;x\n").unwrap();
        drop(pipe);
        let (code, out, said) = running.ended();
        assert_eq!((code, out.as_str()), (130, ""), "{signal}: {said}");
        assert!(said.contains("stopped; nothing was written"), "{signal}: {said}");
        assert_eq!(env.names(), INPUTS, "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn what_waits_is_released_when_no_signal_comes() {
    let env = piped();
    let (running, mut pipe) = verifying(&env);
    pipe.write_all(b"a;x\nb;x\n").unwrap();
    drop(pipe);
    let (code, _, said) = running.ended();
    assert_eq!(code, 0, "{said}");
    assert!(env.path("r.csv").exists() && !env.names().iter().any(|name| name.starts_with(".throng-")));
}

/// The pipe stays open, so that no watch is asked: only the signals end it.
#[cfg(unix)]
#[test]
fn the_last_signal_exits_at_once_and_leaves_nothing_behind() {
    for signals in [&["INT", "INT", "INT"][..], &["TERM", "TERM"], &["INT", "TERM", "HUP"]] {
        let env = piped();
        let (mut running, _pipe) = verifying(&env);
        let (last, first) = signals.split_last().unwrap();
        for signal in first {
            running.signal(signal);
            running.says("stopping");
        }
        running.signal(last);
        let (code, _, said) = running.ended();
        assert_eq!(code, 130, "{signals:?}: {said}");
        assert_eq!(env.names(), INPUTS, "{signals:?}");
    }
}
