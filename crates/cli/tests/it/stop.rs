//! A search that cannot end is stopped: by Ctrl-C, or after the seconds given. What is left is a verified
//! release and an honest gap.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use throng::synth::Wide;

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
    policy += "[privacy]\nk = 5\nsuppression = 1.0\n[search]\nloss = { name = \"lm\", aggregate = \"geometric\" }\n";
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
    assert!(gap > 0.0 && gap <= loss && loss < 0.9, "loss {loss}, gap {gap}");
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
fn ctrl_c_releases_the_best_so_far() {
    let env = wide(3_000);
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.args(["release", "wide.toml", "--out", "c.csv", "--json"]).current_dir(env.path(""));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    is_honest(&env, &serde_json::from_slice(&output.stdout).unwrap(), "c.csv");
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}
