//! A search that cannot end is stopped: by Ctrl-C, or after the seconds given. What is left is a
//! verified release and an honest gap. Any other work that is stopped leaves nothing behind.

#[cfg(unix)]
use std::fs::{File, OpenOptions};
#[cfg(unix)]
use std::io::Write;
#[cfg(unix)]
use std::process::Command;
#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use serde_json::Value;
use throng::synth::Wide;

#[cfg(unix)]
use crate::background::Background;
use crate::env::TestEnv;
use crate::naive::Table;

/// The wide table with all its hierarchies: 5 · 10¹³ nodes.
pub fn wide(rows: usize) -> TestEnv {
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

#[test]
fn rounds_have_time_left_in_a_lattice_that_cannot_be_finished() {
    let env = wide(2_000);
    env.write("wide.toml", env.text("wide.toml").replace("[search]", "[search]\nlocal = true"));
    let release = env.run("release wide.toml --out w.csv --seconds 3 --json").ok().json();
    assert!(release["steps"].as_array().is_some_and(|steps| steps.len() > 1), "{release:#}");
    env.run("verify w.csv --policy wide.toml --original wide.csv").ok();
}

#[cfg(unix)]
#[test]
fn ctrl_c_releases_the_best_so_far() {
    let env = wide(3_000);
    let mut running = env.start(&["release", "wide.toml", "--out", "c.csv", "--json"]);
    running.says("best loss");
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
    assert!(is_staging(env), "{:?}", env.names());
    (running, pipe)
}

/// Every signal that ends a program by default and can be caught. The pipe stays open, so that no
/// watch is asked: the program ends itself.
#[cfg(unix)]
#[test]
fn a_signal_during_verification_leaves_nothing_behind() {
    for signal in ["INT", "TERM", "HUP", "QUIT", "XCPU", "XFSZ", "ALRM", "VTALRM", "PROF", "USR1", "USR2"] {
        let env = piped();
        let (running, _pipe) = verifying(&env);
        running.signal(signal);
        let (code, out, said) = running.ended();
        assert_eq!((code, out.as_str()), (130, ""), "{signal}: {said}");
        assert!(signal == "QUIT" || said.contains("stopped; nothing was written"), "{signal}: {said}");
        assert_eq!(env.names(), INPUTS, "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn a_stopped_program_says_so_in_json() {
    let env = piped();
    let mut running = env.start(&["release", "p.toml", "--json"]);
    running.says(": ");
    running.signal("INT");
    let (code, _, said) = running.ended();
    let error: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    assert_eq!((code, &error["error"]["faults"][0]["code"]), (130, &Value::from("cancelled")), "{said}");
    assert_eq!(env.names(), INPUTS);
}

/// Nobody reads what it writes; that is no reason to leave something behind.
#[cfg(unix)]
#[test]
fn a_closed_pipe_does_not_stop_a_release() {
    let env = piped();
    let (running, mut pipe) = verifying(&env);
    running.signal("PIPE");
    pipe.write_all(b"a;x\nb;x\n").unwrap();
    drop(pipe);
    let (code, _, said) = running.ended();
    assert_eq!(code, 0, "{said}");
    assert!(env.path("r.csv").exists() && !is_staging(&env));
}

#[cfg(unix)]
fn is_staging(env: &TestEnv) -> bool {
    env.names().iter().any(|name| name.starts_with(".throng-"))
}

/// Only a run that was given no time leaves something, and the next one in that folder removes it.
#[cfg(unix)]
#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let env = piped();
    let (running, _pipe) = verifying(&env);
    running.signal("KILL");
    running.ended();
    assert!(is_staging(&env));
    env.write("h2.csv", "a;x\nb;x\n");
    env.write("p2.toml", env.text("p.toml").replace("h.csv", "h2.csv"));
    env.write(".throng-notes", "not a temporary file");
    env.run("release p2.toml").ok();
    let left: Vec<String> = env.names().into_iter().filter(|name| name.starts_with(".throng-")).collect();
    assert_eq!(left, [".throng-notes"]);
}

#[cfg(unix)]
#[test]
fn what_a_running_process_uses_is_not_removed() {
    let env = piped();
    let (running, mut pipe) = verifying(&env);
    env.write("h2.csv", "a;x\nb;x\n");
    env.write("p2.toml", env.text("p.toml").replace("h.csv", "h2.csv").replace("r.csv", "r2.csv"));
    env.run("release p2.toml").ok();
    assert!(is_staging(&env));
    pipe.write_all(b"a;x\nb;x\n").unwrap();
    drop(pipe);
    let (code, _, said) = running.ended();
    assert_eq!(code, 0, "{said}");
    assert!(env.path("r.csv").exists() && env.path("r2.csv").exists() && !is_staging(&env));
}

/// Signals to a command that has begun to write leave what was there before.
#[cfg(unix)]
fn stopped_while_writing(env: &TestEnv, arguments: &[&str], signals: &[&str]) {
    let before = env.names();
    let running = env.start(arguments);
    running.until(|| is_staging(env));
    for signal in signals {
        running.signal(signal);
    }
    let (code, _, said) = running.ended();
    assert_eq!(code, 130, "{arguments:?} {signals:?}: {said}");
    assert_eq!(env.names(), before, "{arguments:?} {signals:?}");
}

#[cfg(unix)]
#[test]
fn other_commands_leave_nothing_behind() {
    let env = TestEnv::new();
    // Many rows, so that all of them are still writing when the signal comes.
    let table = "q\n".to_owned() + &"a\nb\n".repeat(1_000_000);
    env.write("t.csv", table);
    env.write(
        "p.toml",
        "version = 1\n[input]\npath = \"t.csv\"\n[privacy]\nk = 2\n[columns.q]\nrole = \"quasi\"\n\
         hierarchy = { mask = {} }\n",
    );
    for signals in [&["INT"][..], &["TERM"], &["INT", "INT", "INT"]] {
        stopped_while_writing(&env, &["synth", "county", "--rows", "50000000", "--out", "s.csv"], signals);
        stopped_while_writing(&env, &["augment", "p.toml", "--out", "f.csv"], signals);
        stopped_while_writing(&env, &["argus", "p.toml", "--do", "suppress", "--out", "a.csv"], signals);
    }
}

#[cfg(unix)]
#[test]
fn a_stopped_scrub_writes_no_document_and_no_page() {
    let env = TestEnv::new();
    let letter = "Dear Dr. Hayes,\nI saw James Ellison (MRN 32-841-09787) on 3 May 2021.\n\n".repeat(1_000);
    for at in 0..400 {
        env.write(&format!("letters/{at}.txt"), &letter);
    }
    for signals in [&["INT"][..], &["TERM"], &["INT", "INT", "INT"]] {
        stopped_while_writing(
            &env,
            &["scrub", "letters", "--out", "scrubbed", "--page", "page.html"],
            signals,
        );
    }
    assert_eq!(env.names(), ["letters"]);
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
    assert!(env.path("r.csv").exists() && !is_staging(&env));
}

/// The pipe stays open, so that no watch is asked: only the signals end it.
#[cfg(unix)]
#[test]
fn the_last_signal_exits_at_once_and_leaves_nothing_behind() {
    for signals in [&["INT", "INT", "INT"][..], &["TERM", "TERM"], &["INT", "TERM", "HUP"]] {
        let env = piped();
        let (running, _pipe) = verifying(&env);
        signals.iter().for_each(|signal| running.signal(signal));
        let (code, _, said) = running.ended();
        assert_eq!(code, 130, "{signals:?}: {said}");
        assert_eq!(env.names(), INPUTS, "{signals:?}");
    }
}

/// Standard error is a pipe that is full and that nobody reads, as a terminal is whose connection is
/// down: what the program says blocks.
#[cfg(target_os = "linux")]
#[test]
fn a_stalled_terminal_does_not_keep_it_from_stopping() {
    const PIPE: usize = 1 << 16;
    for signal in ["INT", "TERM"] {
        let env = piped();
        let (_unread, mut stalled) = std::io::pipe().unwrap();
        stalled.write_all(&[b'.'; PIPE]).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command.args(["release", "p.toml"]).current_dir(env.path("")).env("THRONG_PROGRESS", "plain");
        let mut child = command.stderr(stalled).spawn().unwrap();
        // By then its first line is due.
        std::thread::sleep(Duration::from_millis(1500));
        let number = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &number]).status().unwrap().success());
        let asked = Instant::now();
        let ended = loop {
            match child.try_wait().unwrap() {
                None if asked.elapsed() > Duration::from_secs(30) => break None,
                None => std::thread::sleep(Duration::from_millis(10)),
                ended => break ended,
            }
        };
        if ended.is_none() {
            child.kill().unwrap();
        }
        assert_eq!(ended.and_then(|ended| ended.code()), Some(130), "{signal}");
        assert_eq!(env.names(), INPUTS, "{signal}");
    }
}

/// A stage that reports nothing is still seen to go on.
#[cfg(unix)]
#[test]
fn progress_goes_on_in_a_silent_stage() {
    let env = piped();
    let mut running = env.start(&["release", "p.toml"]);
    running.says(" s");
    running.says(" s");
    asked_for(&env).write_all(b"a;x\nb;x\n").unwrap();
    running.says("reading: ");
    running.signal("TERM");
    assert_eq!(running.ended().0, 130);
}
