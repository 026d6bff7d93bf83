//! A process that is killed while it appends loses no accepted release and leaves no half one.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use throng_terms::watch::Watch;

use crate::support::open;

/// The example that appends until it is killed: it is built with the tests, beside their folder.
pub fn append() -> Command {
    let tests = std::env::current_exe().unwrap();
    let profile = tests.ancestors().nth(2).unwrap();
    Command::new(profile.join("examples").join(format!("append{}", std::env::consts::EXE_SUFFIX)))
}

#[test]
fn repeated_kills_lose_no_accepted_release() {
    const KILLS: u64 = 25;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    let mut accepted: Vec<String> = Vec::new();
    for kill in 0..KILLS {
        // Two at once, so that one is killed while the other one waits.
        let mut writers = ["a", "b"].map(|name| {
            let mut command = append();
            command.arg(&path).arg(name).stdout(Stdio::piped()).stderr(Stdio::null());
            command.spawn().unwrap()
        });
        std::thread::sleep(Duration::from_millis(20 + 7 * kill));
        for writer in &mut writers {
            writer.kill().unwrap();
        }
        for mut writer in writers {
            let mut text = String::new();
            writer.stdout.take().unwrap().read_to_string(&mut text).unwrap();
            writer.wait().unwrap();
            // The last line may be cut short by the kill.
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            accepted.extend(whole.lines().map(str::to_owned));
        }
        let ledger = open(&path).unwrap();
        for line in &accepted {
            let (number, seal) = line.split_once(' ').unwrap();
            let (entry, _) =
                ledger.sealed(seal).unwrap_or_else(|| panic!("{line} is lost after kill {kill}"));
            assert_eq!(entry.number.to_string(), number);
        }
    }
    assert!(accepted.len() > 10, "{} releases were accepted", accepted.len());
    assert!(open(&path).unwrap().check(&Watch::none()).unwrap().holds);
}
