//! Ledgers that somebody edited, that two write to, whose key is lost, or whose disk is full.

use std::path::Path;
use std::sync::Barrier;

use rusqlite::Connection;
use throng_ledger::{Ledger, OnConflict, Place, Secret};
use throng_terms::error::Error;
use throng_terms::watch::Watch;

use crate::support::{AT, facts, offer, open};

/// A ledger of three releases.
fn three(path: &Path) {
    let mut ledger = open(path).unwrap();
    for seal in ["1", "2", "3"] {
        let release = offer("a", 2, &[(1, 1, 1), (2, 1, 2)]);
        ledger.append_release(&release, facts(seal), AT.into(), &Watch::none()).unwrap();
    }
}

fn code(error: &Error) -> &'static str {
    let [fault] = error.faults() else { panic!("one fault: {error:?}") };
    assert!(fault.help.is_some(), "{fault}");
    fault.code
}

/// What opening and checking finds after a change by hand.
fn after(change: &str) -> Result<(), &'static str> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    three(&path);
    Connection::open(&path).unwrap().execute_batch(change).unwrap();
    let ledger = open(&path).map_err(|e| code(&e))?;
    ledger.check(&Watch::none()).map(drop).map_err(|e| code(&e))
}

#[test]
fn every_edit_is_found() {
    assert_eq!(after("SELECT 1"), Ok(()));
    let edits = [
        "UPDATE throng_entry SET text = replace(text, '\"recipient\":\"a\"', '\"recipient\":\"b\"') WHERE number = 2",
        "DELETE FROM throng_entry WHERE number = 3",
        "DELETE FROM throng_entry WHERE number = 1",
        "DELETE FROM throng_ledger",
        "UPDATE throng_ledger SET head = 2",
        "UPDATE throng_entry SET code = zeroblob(32) WHERE number = 3",
        "DELETE FROM throng_part WHERE entry = 2",
        "UPDATE throng_part SET bytes = zeroblob(length(bytes)) WHERE entry = 2",
        "UPDATE throng_part SET bytes = zeroblob(3) WHERE entry = 2",
        "DELETE FROM throng_entry; DELETE FROM throng_part",
    ];
    for edit in edits {
        assert_eq!(after(edit), Err("ledger.broken-chain"), "{edit}");
    }
    assert_eq!(after("UPDATE throng_ledger SET schema = 9"), Err("ledger.unknown-schema"));
}

/// Opens and checks a ledger whose file has these bytes: what its entries are, or the code of a
/// fault that comes with a remedy.
fn with_bytes(bytes: &[u8]) -> Result<Vec<throng_ledger::chain::Entry>, &'static str> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    std::fs::write(&path, bytes).unwrap();
    let ledger = open(&path).map_err(|e| code(&e))?;
    ledger.check(&Watch::none()).map_err(|e| code(&e))?;
    Ok(ledger.entries().to_vec())
}

#[test]
fn a_flipped_byte_is_found_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    three(&path);
    let whole = std::fs::read(&path).unwrap();
    let entries = with_bytes(&whole).unwrap();
    assert_eq!(entries.len(), 3);
    let expected = [
        "ledger.broken-chain",
        "ledger.damaged",
        "ledger.other-key",
        "ledger.unknown-schema",
        "ledger.unreachable",
    ];
    let (mut found, mut state) = (0, 7u64);
    for flip in 0..300 {
        // Bytes that SQLite does not use are zero; every other one is tried more often.
        let mut at = 0;
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            at = (state >> 33) as usize % whole.len();
            if whole[at] != 0 {
                break;
            }
        }
        let mut changed = whole.clone();
        changed[at] = !changed[at];
        match with_bytes(&changed) {
            Ok(read) => assert_eq!(read, entries, "flip {flip} at {at} changed what is read"),
            Err(code) => {
                assert!(expected.contains(&code), "flip {flip} at {at}: {code}");
                found += 1;
            }
        }
    }
    assert!(found > 50, "{found} of 300 flips were found");
}

#[test]
fn a_file_that_was_cut_short_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    three(&path);
    let whole = std::fs::read(&path).unwrap();
    // Page by page, and within pages.
    let cuts = (1..whole.len() / 4096).map(|page| page * 4096).chain([1, 50, 99, 100, 3000, whole.len() - 1]);
    for cut in cuts {
        let found = with_bytes(&whole[..cut]).err().unwrap_or_else(|| panic!("cut to {cut} was not found"));
        assert!(["ledger.damaged", "ledger.broken-chain"].contains(&found), "cut to {cut}: {found}");
    }
    // Only a release takes an empty file for a new ledger.
    std::fs::write(&path, "").unwrap();
    let closed = Ledger::open(Place::File(&path), "test", crate::support::secret(), false);
    assert_eq!(code(&closed.err().unwrap()), "ledger.damaged");
}

#[test]
fn another_key_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    three(&path);
    let other = Secret::new(b"another secret than that").unwrap();
    let error = Ledger::open(Place::File(&path), "test", other, true).err().unwrap();
    assert_eq!(code(&error), "ledger.other-key");
}

#[test]
fn what_is_not_a_ledger_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    std::fs::write(&path, "not a database, but a text that is long enough to be read as one").unwrap();
    assert_eq!(code(&open(&path).err().unwrap()), "ledger.damaged");
    let missing = folder.path().join("no").join("ledger.db");
    assert_eq!(code(&open(&missing).err().unwrap()), "ledger.unwritable");
    let missing = folder.path().join("none.db");
    let closed = Ledger::open(Place::File(&missing), "test", crate::support::secret(), false);
    assert_eq!(code(&closed.err().unwrap()), "ledger.not-found");
    assert!(!missing.exists());
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    three(&path);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn two_writers_take_turns_and_the_second_one_is_judged_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    // Each is safe alone, and not beside the other.
    let offers = [
        offer("a", 2, &[(1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 2, 2)]),
        offer("a", 2, &[(1, 1, 1), (3, 1, 2), (2, 2, 1), (4, 2, 2)]),
    ];
    let barrier = Barrier::new(2);
    let write = |at: usize| {
        let mut ledger = open(&path).unwrap();
        ledger.judge(&offers[at], OnConflict::Refuse, &Watch::none()).unwrap();
        barrier.wait();
        let appended = ledger.append_release(&offers[at], facts(&at.to_string()), AT.into(), &Watch::none());
        appended.map(drop).map_err(|e| code(&e))
    };
    let results = std::thread::scope(|scope| {
        let writers = [0, 1].map(|at| scope.spawn(move || write(at)));
        writers.map(|writer| writer.join().unwrap())
    });
    let mut results = results.to_vec();
    results.sort_by_key(Result::is_err);
    assert_eq!(results, [Ok(()), Err("ledger.too-few-candidates")]);
    let ledger = open(&path).unwrap();
    assert_eq!(ledger.entries().len(), 1);
    assert!(ledger.check(&Watch::none()).unwrap().holds);
}

#[test]
fn many_writers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    open(&path).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..5 {
                    let mut ledger = open(path).unwrap();
                    let release = offer("a", 2, &[(1, 1, 1), (2, 1, 2)]);
                    let seal = format!("{writer} {number}");
                    ledger.append_release(&release, facts(&seal), AT.into(), &Watch::none()).unwrap();
                }
            });
        }
    });
    let ledger = open(&path).unwrap();
    assert_eq!(ledger.releases().count(), 20);
    for writer in 0..4 {
        for number in 0..5 {
            assert!(ledger.sealed(&format!("{writer} {number}")).is_some());
        }
    }
}

/// A disk of two megabytes, on which a process appends until it is full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_appends_nothing_and_loses_nothing() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let script = "mkdir disk && mount -t tmpfs -o size=2m tmpfs disk || exit 9\n\
                  \"$0\" disk/ledger.db a >accepted 2>fault; cp disk/ledger.db* .";
    let append = crate::killed::append();
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script]).arg(append.get_program()).current_dir(folder.path());
    let Ok(ran) = command.output() else { return };
    if !ran.status.success() {
        // Machines that do not let a process mount have no small disks.
        assert!(String::from_utf8_lossy(&ran.stderr).contains("ermitted"), "{ran:?}");
        return;
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("fault").contains("ledger.disk-full"), "{}", read("fault"));
    let accepted = read("accepted");
    let mut ledger = open(&folder.path().join("ledger.db")).unwrap();
    assert!(accepted.lines().count() > 3);
    assert_eq!(ledger.entries().len(), accepted.lines().count());
    assert!(ledger.check(&Watch::none()).unwrap().holds);
    let release = offer("b", 2, &[(1, 1, 1), (2, 1, 2)]);
    ledger.append_release(&release, facts("next"), AT.into(), &Watch::none()).unwrap();
}

#[test]
fn projects_share_a_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.db");
    three(&path);
    let other = Secret::new(b"another secret than that").unwrap();
    let ledger = Ledger::open(Place::File(&path), "other", other, true).unwrap();
    assert!(ledger.entries().is_empty());
}
