//! What can happen to a ledger, its key and its disk: every fault is found, names a remedy, and
//! nothing is released.

use std::process::Command;

use crate::env::{Run, TestEnv};
use crate::ledger::{SECRET, env, ledger, policy};

/// A run that fails with a code of the contract, names a fault and a remedy, and releases nothing.
#[track_caller]
fn refused(env: &TestEnv, run: &Run, exit: i32, fault: &str) {
    assert_eq!(run.code, exit, "{}", run.said());
    assert!(run.stderr.contains(fault), "{}", run.said());
    assert!(run.stderr.contains("help"), "{}", run.said());
    let left = env.names().into_iter().filter(|name| name.starts_with("two.") && name != "two.toml");
    assert_eq!(left.count(), 0, "{:?}", env.names());
}

/// One release to `a`, and the policy of another one.
fn released() -> TestEnv {
    let env = env();
    for name in ["one", "two"] {
        let text = policy("people.csv", &format!("{name}.csv"), [1, 1], &ledger("a", "refuse"));
        env.write(&format!("{name}.toml"), text);
    }
    assert_eq!(env.run("release one.toml").code, 0);
    env
}

#[test]
fn a_ledger_that_was_cut_short_stops_a_release() {
    let env = released();
    let whole = env.bytes("ledger.db");
    for cut in [1, 300, 4096, whole.len() / 2, whole.len() - 4096] {
        env.write("ledger.db", &whole[..cut]);
        refused(&env, &env.run("release two.toml"), 2, "ledger.");
        let run = env.run("ledger check one.toml");
        assert_eq!(run.code, 1, "cut to {cut}: {}", run.said());
        assert_eq!(run.stdout.matches("restore the last backup").count(), 1, "{}", run.said());
    }
    env.write("ledger.db", "");
    assert_eq!(env.run("ledger check one.toml").code, 1);
    env.write("ledger.db", &whole);
    env.run("ledger check one.toml").ok();
    assert_eq!(env.run("release two.toml").code, 0);
}

#[test]
fn a_lost_key_and_another_one_stop_a_release() {
    let env = released();
    std::fs::remove_file(env.path("secret.key")).unwrap();
    refused(&env, &env.run("release two.toml"), 2, "secret.key");
    let check = env.run("ledger check one.toml");
    assert!(check.code == 2 && check.stderr.contains("restore the key from a backup"), "{}", check.said());
    env.write("secret.key", "another key than before, long enough\n");
    refused(&env, &env.run("release two.toml"), 2, "ledger.other-key");
    env.write("secret.key", SECRET);
    assert_eq!(env.run("release two.toml").code, 0);
}

#[test]
fn a_database_that_cannot_be_reached_stops_a_release() {
    let env = released();
    let url = "url = \"postgresql://throng@127.0.0.1:1/ledgers\"";
    env.write("two.toml", env.text("two.toml").replace("path = \"ledger.db\"", url));
    refused(&env, &env.run("release two.toml"), 2, "ledger.unreachable");
    assert_eq!(env.run("ledger check two.toml").code, 2);
}

/// A folder that nobody can write to, not even who owns it.
#[cfg(target_os = "linux")]
#[test]
fn a_ledger_in_a_read_only_folder_stops_a_release() {
    let env = released();
    std::fs::create_dir(env.path("fixed")).unwrap();
    std::fs::copy(env.path("ledger.db"), env.path("fixed/ledger.db")).unwrap();
    for ledger in ["fixed/ledger.db", "fixed/new.db"] {
        let text = env.text("one.toml").replace("one.csv", "two.csv");
        env.write("two.toml", text.replace("\"ledger.db\"", &format!("\"{ledger}\"")));
        let script = "mount --bind fixed fixed && mount -o remount,ro,bind fixed || exit 9\nexec \"$0\" release two.toml";
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_throng")]).current_dir(env.path(""));
        let Ok(ran) = command.output() else { return };
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        if ran.status.code() == Some(9) || said.contains("unshare") {
            // Machines that do not let a process mount have no such folder.
            assert!(said.contains("ermitted") || said.contains("ermission"), "{said}");
            return;
        }
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains("ledger.unwritable") || said.contains("ledger.unreachable"), "{said}");
        assert!(said.contains("help: check") && !env.path("two.csv").exists(), "{said}");
    }
}

/// Two releases at once, each safe alone and not beside the other.
#[test]
fn of_two_conflicting_releases_at_once_one_is_refused() {
    for round in 0..3 {
        let env = env();
        let five = |text: String| text.replace("k = 3", "k = 5");
        env.write("a.toml", five(policy("people.csv", "a.csv", [2, 0], &ledger("a", "refuse"))));
        env.write("b.toml", five(policy("people.csv", "b.csv", [1, 2], &ledger("a", "refuse"))));
        let runs = std::thread::scope(|scope| {
            let env = &env;
            let runs = ["a", "b"].map(|name| scope.spawn(move || env.run(&format!("release {name}.toml"))));
            runs.map(|run| run.join().unwrap())
        });
        let mut codes = [runs[0].code, runs[1].code];
        codes.sort_unstable();
        assert_eq!(codes, [0, 1], "round {round}: {}{}", runs[0].said(), runs[1].said());
        let (won, lost) = if runs[0].code == 0 { ("a", &runs[1]) } else { ("b", &runs[0]) };
        assert!(lost.stderr.contains("ledger.too-few-candidates"), "{}", lost.said());
        assert!(lost.stderr.contains("help"), "{}", lost.said());
        let files = env.names().into_iter().filter(|name| name.ends_with(".csv") && name != "people.csv");
        assert_eq!(files.collect::<Vec<_>>(), [format!("{won}.csv")]);
        env.run("ledger check a.toml").ok();
    }
}
