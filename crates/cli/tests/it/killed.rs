//! `throng release` with a ledger, killed with SIGKILL at many moments while another one writes:
//! nothing that was accepted is lost, and nothing has a final name without its entry.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::env::TestEnv;
use crate::ledger::{env, ledger, policy};

const ROUNDS: u32 = 25;

/// When a run is killed.
enum Moment {
    /// After a share of the time that a whole run takes.
    After(Duration),
    /// As soon as a file is there, and a little later.
    Once(String, Duration),
}

/// Moments over the whole run, and around the append and the rename, which take little of it.
fn moment(round: u32, whole: Duration) -> Moment {
    let later = Duration::from_micros(u64::from(round) * 40);
    match round % 3 {
        0 => Moment::After(whole * (round + 1) / ROUNDS),
        1 => Moment::Once("ledger.db-journal".into(), later),
        _ => Moment::Once(format!("{round}-killed.certificate.json"), later / 4),
    }
}

/// The release of a round by a writer; all are to the same recipient.
fn start(env: &TestEnv, round: u32, writer: &str) -> Child {
    let name = format!("{round}-{writer}");
    env.write(
        &format!("{name}.toml"),
        policy("people.csv", &format!("{name}.csv"), [1, 1], &ledger("a", "refuse")),
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.args(["release", &format!("{name}.toml")]).current_dir(env.path(""));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills a run at its moment, or lets it end before.
fn kill(env: &TestEnv, run: &mut Child, moment: &Moment) {
    let mut ended = || run.try_wait().unwrap().is_some();
    match moment {
        Moment::After(time) => std::thread::sleep(*time),
        Moment::Once(file, later) => {
            while !env.path(file).exists() && !ended() {
                std::hint::spin_loop();
            }
            let reached = Instant::now();
            while reached.elapsed() < *later {
                std::hint::spin_loop();
            }
        }
    }
    run.kill().unwrap();
    run.wait().unwrap();
}

/// Path → SHA-256 and seal of every release that the ledger has.
fn entries(env: &TestEnv) -> BTreeMap<String, (String, String)> {
    let shown = env.run("ledger show last.toml --json").ok();
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let entry =
        |entry: &serde_json::Value| (text(entry, "output"), (text(entry, "sha256"), text(entry, "seal")));
    shown["entries"].as_array().unwrap().iter().map(entry).collect()
}

/// Everything with a final name is whole and has its entry. Returns how many releases there are.
fn check_names(env: &TestEnv) -> usize {
    let entries = entries(env);
    let mut releases = 0;
    for name in env.names() {
        if name == "people.csv" {
            continue;
        }
        if let Some(stem) = name.strip_suffix(".certificate.json") {
            let (_, seal) = entries.get(&format!("{stem}.csv")).unwrap_or_else(|| panic!("no entry: {name}"));
            assert_eq!(env.json(&name)["seal"], **seal, "{name}");
        } else if name.ends_with(".html") {
            assert!(env.text(&name).trim_end().ends_with("</html>"), "{name} is cut short");
        } else if name.ends_with(".csv") {
            let (sha256, _) = entries.get(&name).unwrap_or_else(|| panic!("no entry: {name}"));
            let found: String = Sha256::digest(env.bytes(&name)).iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(found, *sha256, "{name}");
            assert!(env.path(&name.replace(".csv", ".certificate.json")).exists(), "{name}");
            releases += 1;
        }
    }
    releases
}

#[test]
fn a_release_that_is_killed_at_any_moment_loses_no_accepted_one() {
    let env = env();
    env.write("last.toml", policy("people.csv", "last.csv", [1, 1], &ledger("a", "refuse")));
    let started = Instant::now();
    assert!(start(&env, 0, "first").wait().unwrap().success());
    let whole = started.elapsed();
    let mut accepted = entries(&env);
    for round in 1..=ROUNDS {
        // The other one goes on, and is never disturbed by the one that dies.
        let mut killed = start(&env, round, "killed");
        let mut other = start(&env, round, "other");
        kill(&env, &mut killed, &moment(round, whole));
        assert!(other.wait().unwrap().success(), "round {round}");
        let now = entries(&env);
        for (path, entry) in &accepted {
            assert_eq!(now.get(path), Some(entry), "the entry of {path} is lost in round {round}");
        }
        assert!(now.contains_key(&format!("{round}-other.csv")), "round {round}");
        accepted = now;
    }
    let published = check_names(&env);
    assert!(published > ROUNDS as usize && published <= accepted.len());
    env.run("ledger check last.toml").ok();
    env.run("release last.toml").ok();
    let left: Vec<String> = env.names().into_iter().filter(|name| name.starts_with(".throng-")).collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(entries(&env).len(), accepted.len() + 1);
    assert_eq!(check_names(&env), published + 1);
    env.run("verify last.csv --policy last.toml --original people.csv").ok();
}
