//! Releases that must not happen: stopped, changed under way, nowhere to go. Nothing is left behind.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use throng::error::{Error, Kind};
use throng_engine::{Job, PolicyFile, Stage};

use crate::support::{ENGINE, Folder, job, read, release};

const POLICY: &str = "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"r.csv\"\n\
                      [privacy]\nk = 2\nsuppression = 0.1\n\
                      [columns.q]\nrole = \"quasi\"\nhierarchy = { file = \"h.csv\" }\n\
                      [columns.n]\nrole = \"keep\"\n";

/// Rows of two columns, and a hierarchy that knows more values than occur.
fn folder(rows: usize) -> (Folder, PolicyFile) {
    let folder = Folder::new();
    folder.write("t.csv", table(rows));
    folder.write("h.csv", "a;ab\nb;ab\nc;cd\nd;cd\n");
    let policy = folder.policy(POLICY);
    (folder, policy)
}

fn table(rows: usize) -> String {
    let row = |i: usize| format!("{},{i}\n", ["a", "b", "c"][i % 3]);
    std::iter::once("q,n\n".to_owned()).chain((0..rows).map(row)).collect()
}

const INPUTS: [&str; 3] = ["h.csv", "policy.toml", "t.csv"];

fn nothing_is_left(folder: &Folder) {
    assert_eq!(folder.names(), INPUTS);
}

fn kind(error: &Error) -> Kind {
    error.faults()[0].kind
}

#[test]
fn an_interrupt_from_the_start_stops_the_reading() {
    let (folder, policy) = folder(100_000);
    let read = AtomicUsize::new(0);
    let progress = |stage: Stage| {
        assert!(matches!(stage, Stage::Reading(_)), "{stage:?}");
        read.fetch_add(1, Ordering::Relaxed);
    };
    let error = ENGINE.release(&Job { interrupts: &|| 1, progress: &progress, ..job(&policy) }).unwrap_err();
    assert_eq!(kind(&error), Kind::Unsolvable);
    assert!(error.to_string().contains("nothing was written"), "{error}");
    assert_eq!(read.load(Ordering::Relaxed), 1, "batches read after the interrupt");
    nothing_is_left(&folder);
}

#[test]
fn an_interrupt_stops_the_writing() {
    let (folder, policy) = folder(100_000);
    let interrupts = AtomicUsize::new(0);
    let progress = |stage: Stage| {
        if let Stage::Writing(..) = stage {
            interrupts.fetch_add(1, Ordering::Relaxed);
        }
    };
    let count = || interrupts.load(Ordering::Relaxed);
    let error = ENGINE.release(&Job { interrupts: &count, progress: &progress, ..job(&policy) }).unwrap_err();
    assert_eq!(kind(&error), Kind::Unsolvable);
    assert_eq!(count(), 1, "batches written after the interrupt");
    nothing_is_left(&folder);
}

/// An interrupt during the search means: release the best so far, or nothing where there is none.
#[test]
fn an_interrupt_of_the_search_releases_the_best_so_far() {
    let (folder, policy) = folder(3_000);
    let reading_is_over = AtomicBool::new(false);
    let progress = |stage: Stage| {
        if let Stage::Reading(3_000) = stage {
            reading_is_over.store(true, Ordering::Relaxed);
        }
    };
    // The last batch itself is still asked about once.
    let asked = AtomicUsize::new(0);
    let interrupts =
        || usize::from(reading_is_over.load(Ordering::Relaxed) && asked.fetch_add(1, Ordering::Relaxed) > 0);
    match ENGINE.release(&Job { interrupts: &interrupts, progress: &progress, ..job(&policy) }) {
        Ok(done) => assert!(done.verdict.holds() && folder.path("r.csv").exists()),
        Err(error) => {
            assert_eq!(kind(&error), Kind::Unsolvable, "{error}");
            nothing_is_left(&folder);
        }
    }
}

/// Changes the table once, when the given stage is reached.
fn changed(rows: usize, at: fn(Stage) -> bool, to: &str) -> (Folder, Error) {
    let (folder, policy) = folder(rows);
    let done = AtomicBool::new(false);
    let path = folder.path("t.csv");
    let progress = |stage: Stage| {
        if at(stage) && !done.swap(true, Ordering::Relaxed) {
            fs::write(&path, to).unwrap();
        }
    };
    let error = ENGINE.release(&Job { progress: &progress, ..job(&policy) }).map(|d| d.paths).unwrap_err();
    assert!(done.load(Ordering::Relaxed));
    (folder, error)
}

#[test]
fn a_table_that_changes_between_the_passes_is_refused() {
    let searching = |stage: Stage| matches!(stage, Stage::Searching(_));
    let verifying = |stage: Stage| matches!(stage, Stage::Verifying);
    let original = table(300);
    let more = original.clone() + "a,300\n";
    let fewer = original.replace("a,297\n", "");
    let unknown = original.replace("a,297\n", "d,297\n");
    let regrouped = original.replace("a,", "b,");
    for (what, at, to) in [
        ("a row more", searching as fn(Stage) -> bool, &more),
        ("a row less", searching, &fewer),
        ("a new value", searching, &unknown),
        ("a row more after it was written", verifying, &more),
        ("other values after it was written", verifying, &regrouped),
    ] {
        let (folder, error) = changed(300, at, to);
        assert_ne!(kind(&error), Kind::Input, "{what}: {error}");
        assert_ne!(kind(&error), Kind::Unsolvable, "{what}: {error}");
        nothing_is_left(&folder);
    }
    let (_, error) = changed(300, searching, &more);
    assert!(error.to_string().contains("changed while it was being released"), "{error}");
}

/// The same rows, counted and written as if they were other classes: only the verifier can see it.
#[test]
fn values_that_swap_between_the_passes_are_refused() {
    let mut rare = table(300);
    rare.push_str("c,300\n");
    let (folder, policy) = {
        let folder = Folder::new();
        folder.write("t.csv", table(300) + "d,300\nd,301\n");
        folder.write("h.csv", "a;ab\nb;ab\nc;cd\nd;cd\n");
        let policy = folder.policy(POLICY);
        (folder, policy)
    };
    let path = folder.path("t.csv");
    let once = AtomicBool::new(false);
    let progress = |stage: Stage| {
        if matches!(stage, Stage::Searching(_)) && !once.swap(true, Ordering::Relaxed) {
            fs::write(&path, rare.clone() + "d,301\n").unwrap();
        }
    };
    let error = ENGINE.release(&Job { progress: &progress, ..job(&policy) }).map(|d| d.paths).unwrap_err();
    assert!(error.to_string().contains("verifier") || error.to_string().contains("changed"), "{error}");
    nothing_is_left(&folder);
}

#[test]
fn a_table_that_vanishes_is_refused() {
    let (folder, policy) = folder(300);
    let path = folder.path("t.csv");
    let progress = |stage: Stage| {
        if matches!(stage, Stage::Searching(_)) {
            drop(fs::remove_file(&path));
        }
    };
    let error = ENGINE.release(&Job { progress: &progress, ..job(&policy) }).unwrap_err();
    assert!(error.to_string().contains("t.csv"), "{error}");
    assert_eq!(folder.names(), ["h.csv", "policy.toml"]);
}

#[test]
fn no_solution_leaves_nothing_behind() {
    let (folder, _) = folder(9);
    let policy = folder.policy(
        &POLICY
            .replace("k = 2", "k = 5")
            .replace("{ file = \"h.csv\" }", "{ file = \"h.csv\" }\nmax_level = 0"),
    );
    let error = release(&policy).unwrap_err();
    assert_eq!(kind(&error), Kind::Unsolvable);
    assert!(error.to_string().contains("privacy.suppression"), "{error}");
    nothing_is_left(&folder);
}

/// The share that the message proposes must be enough.
#[test]
fn the_remedy_of_an_unsolvable_policy_works() {
    let folder = Folder::new();
    let rows: String = (0..37).map(|i| format!("v{i}\n")).collect();
    folder.write("t.csv", "q\n".to_owned() + &rows + "v0\n");
    let text = |share: &str| {
        format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"r.csv\"\n\
             [privacy]\nk = 2\nsuppression = {share}\n[columns.q]\nrole = \"quasi\"\nmax_level = 0\n"
        )
    };
    let error = release(&folder.policy(&text("0.5"))).unwrap_err().to_string();
    let share = error.split("privacy.suppression to ").nth(1).unwrap().split(' ').next().unwrap();
    let done = release(&folder.policy(&text(share))).unwrap();
    assert_eq!(done.certificate.release.released, 2);
}

#[test]
fn outputs_that_cannot_be_written() {
    let (folder, policy) = folder(30);
    folder.write("file", "not a folder");
    fs::create_dir(folder.path("taken.csv")).unwrap();
    let before = folder.names();
    let mut targets = vec![folder.path("none/r.csv"), folder.path("file/r.csv"), folder.path("taken.csv")];
    if cfg!(target_os = "linux") {
        // Not even root can make files here.
        targets.push(PathBuf::from("/proc/r.csv"));
    }
    for target in targets {
        let error = ENGINE.release(&Job { output: Some(target.clone()), ..job(&policy) }).unwrap_err();
        assert_eq!(kind(&error), Kind::System, "{error}");
        assert!(error.to_string().contains(&target.display().to_string()), "{error}");
        assert_eq!(folder.names(), before);
    }
}

#[test]
fn papers_that_cannot_be_written() {
    for (key, path) in [("report", "none/report.html"), ("certificate", "none/c.json"), ("report", "taken")] {
        let (folder, _) = folder(30);
        fs::create_dir(folder.path("taken")).unwrap();
        let text = POLICY.replace("path = \"r.csv\"", &format!("path = \"r.csv\"\n{key} = \"{path}\""));
        let policy = folder.policy(&text);
        let before = folder.names();
        let error = release(&policy).unwrap_err();
        assert!(error.to_string().contains(path), "{error}");
        assert_eq!(folder.names(), before, "{key} = {path}");
    }
}

/// Root may write anywhere, so that the test first tries whether it is let.
#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_to() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, policy) = folder(30);
    let locked = folder.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    let result = ENGINE.release(&Job { output: Some(locked.join("r.csv")), ..job(&policy) });
    if fs::write(locked.join("probe"), "").is_err() {
        assert_eq!(kind(&result.unwrap_err()), Kind::System);
        assert_eq!(fs::read_dir(&locked).unwrap().count(), 0);
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_read_is_never_written_over() {
    for (from, to) in [
        ("path = \"r.csv\"", "path = \"t.csv\""),
        ("path = \"r.csv\"", "path = \"./t.csv\""),
        ("path = \"r.csv\"", "path = \"h.csv\""),
        ("path = \"r.csv\"", "path = \"r.csv\"\ncertificate = \"t.csv\""),
        ("path = \"r.csv\"", "path = \"r.csv\"\nreport = \"policy.toml\""),
        ("path = \"r.csv\"", "path = \"r.csv\"\nreport = \"r.csv\""),
        ("path = \"r.csv\"", "path = \"r.csv\"\nreport = \"same\"\ncertificate = \"same\""),
    ] {
        let (folder, _) = folder(30);
        let text = POLICY.replace(from, to);
        let policy = folder.policy(&text);
        let error = release(&policy).map(|d| d.paths).expect_err(to);
        assert_eq!(kind(&error), Kind::Input, "{to}: {error}");
        nothing_is_left(&folder);
        assert_eq!(fs::read_to_string(folder.path("t.csv")).unwrap(), table(30), "{to}");
    }
    #[cfg(unix)]
    {
        let (folder, policy) = folder(30);
        std::os::unix::fs::symlink(folder.path("t.csv"), folder.path("link.csv")).unwrap();
        let error = ENGINE.release(&Job { output: Some(folder.path("link.csv")), ..job(&policy) });
        assert_eq!(kind(&error.unwrap_err()), Kind::Input);
        assert_eq!(fs::read_to_string(folder.path("t.csv")).unwrap(), table(30));
    }
}

#[test]
fn a_release_replaces_an_older_one() {
    let (folder, policy) = folder(30);
    folder.write("r.csv", "older");
    folder.write("r.certificate.json", "older");
    let done = release(&policy).unwrap();
    assert_eq!(read(&folder.path("r.csv")).1.len(), 30);
    let text = fs::read_to_string(folder.path("r.certificate.json")).unwrap();
    let certificate: throng::release::Certificate = serde_json::from_str(&text).unwrap();
    assert_eq!(certificate, done.certificate);
    assert!(certificate.sealed().unwrap());
    // A failure leaves the older one as it is.
    folder.write("t.csv", "q,n\na,1\n");
    let before = fs::read(folder.path("r.csv")).unwrap();
    release(&policy).unwrap_err();
    assert_eq!(fs::read(folder.path("r.csv")).unwrap(), before);
    assert_eq!(fs::read_to_string(folder.path("r.certificate.json")).unwrap(), text);
}

/// All rows may be suppressed: then there is a file with a header and nothing else, and still a proof.
#[test]
fn a_release_of_no_row() {
    for output in ["r.csv", "r.parquet", "r.arrow", "r.json"] {
        let folder = Folder::new();
        folder.write("t.csv", "q,n\na,1\nb,2\n");
        let text = format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"{output}\"\n[privacy]\nk = 2\n\
             suppression = 1.0\n[columns.q]\nrole = \"quasi\"\nmax_level = 0\n[columns.n]\nrole = \"keep\"\n"
        );
        match release(&folder.policy(&text)) {
            Ok(done) => {
                assert_eq!(done.certificate.release.released, 0, "{output}");
                assert!(done.verdict.holds());
                assert!(read(&folder.path(output)).1.is_empty());
            }
            // A file of JSON lines without a line has no columns to be verified.
            Err(error) => {
                assert_eq!(output, "r.json", "{error}");
                assert_eq!(kind(&error), Kind::Unsolvable, "{error}");
                assert!(
                    error.to_string().contains("r.json") && !error.to_string().contains(".throng-"),
                    "{error}"
                );
                assert_eq!(folder.names(), ["policy.toml", "t.csv"]);
            }
        }
    }
}

#[test]
fn a_table_without_rows_is_refused() {
    let (folder, policy) = folder(0);
    let error = release(&policy).unwrap_err();
    assert_eq!(kind(&error), Kind::Data);
    nothing_is_left(&folder);
}
