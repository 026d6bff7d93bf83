//! Releases that must not happen: stopped, changed under way, nowhere to go. Nothing is left
//! behind.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use throng::error::{Error, Kind};
use throng::watch::{Cancel, Event, Stage, Watch};
use throng_engine::{Job, PolicyFile, Source};

use crate::support::{ENGINE, Folder, job, read, release};

const POLICY: &str = "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"r.csv\"\n\
                      [privacy]\nk = 2\nsuppression = 0.1\n\
                      [columns.q]\nrole = \"quasi\"\nhierarchy = { file = \"h.csv\" }\n\
                      [columns.n]\nrole = \"keep\"\n[search]\nalgorithm = \"auto\"\n";

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

/// A watch that reports to a listener, which may cancel.
fn watch(listener: impl Fn(Event<'_>, &Cancel) + Send + Sync + 'static) -> Watch {
    let cancel = Cancel::new();
    let handle = cancel.clone();
    Watch::new(cancel).listening(move |event| listener(event, &handle))
}

/// Whether an event is of a stage.
fn is(event: Event<'_>, wanted: Stage) -> bool {
    matches!(event, Event::Done { stage, .. } if stage == wanted)
}

/// A watch that asks to stop at the nth event of a stage, and counts the events of the stage.
fn stopping_at(stage: Stage, nth: usize, request: fn(&Cancel)) -> (Watch, Arc<AtomicUsize>) {
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    let watch = watch(move |event, cancel| {
        if is(event, stage) && counted.fetch_add(1, Ordering::Relaxed) + 1 == nth {
            request(cancel);
        }
    });
    (watch, seen)
}

#[test]
fn a_request_from_the_start_stops_the_reading() {
    let (folder, policy) = folder(100_000);
    let (watch, read) = stopping_at(Stage::Reading, usize::MAX, Cancel::finish);
    watch.cancel().finish();
    let error = ENGINE.release(&Job { watch, ..job(&policy) }).unwrap_err();
    assert_eq!(kind(&error), Kind::Cancelled);
    assert!(error.to_string().contains("nothing was written"), "{error}");
    assert_eq!(read.load(Ordering::Relaxed), 0, "batches read after the request");
    nothing_is_left(&folder);
}

/// Hashing, exploring for the report and verifying come after the release was written to where it
/// waits; the first hash is the key of the row order, the last ones are the verifier's.
#[test]
fn a_request_at_any_stage_stops_and_leaves_nothing_behind() {
    for (stage, nth) in [
        (Stage::Reading, 1),
        (Stage::Writing, 1),
        (Stage::Writing, 14),
        (Stage::Exploring, 1),
        (Stage::Verifying, 1),
        (Stage::Verifying, 14),
    ] {
        for request in [Cancel::finish, Cancel::abort] {
            let (folder, policy) = folder(100_000);
            let (watch, seen) = stopping_at(stage, nth, request);
            let error = ENGINE.release(&Job { watch, ..job(&policy) }).map(|done| done.paths).unwrap_err();
            assert_eq!(kind(&error), Kind::Cancelled, "{stage:?} {nth}: {error}");
            assert_eq!(seen.load(Ordering::Relaxed), nth, "{stage:?}: work after the request");
            nothing_is_left(&folder);
        }
    }
}

/// A request to finish during the search releases the best so far, and only a second one stops what
/// comes after.
#[test]
fn a_request_during_the_search_releases_the_best_so_far() {
    let (first, policy) = folder(3_000);
    let finish = |event: Event<'_>, cancel: &Cancel| {
        if matches!(event, Event::Searching(_)) {
            cancel.finish();
        }
    };
    let done = ENGINE.release(&Job { watch: watch(finish), ..job(&policy) }).unwrap();
    assert!(done.verdict.holds() && first.path("r.csv").exists());

    for stage in [Stage::Writing, Stage::Exploring, Stage::Verifying] {
        let (second, policy) = folder(3_000);
        let watch = watch(move |event, cancel| {
            finish(event, cancel);
            if is(event, stage) {
                cancel.abort();
            }
        });
        let error = ENGINE.release(&Job { watch, ..job(&policy) }).map(|done| done.paths).unwrap_err();
        assert_eq!(kind(&error), Kind::Cancelled, "{stage:?}: {error}");
        nothing_is_left(&second);
    }
}

/// An abort during the search is no request to release.
#[test]
fn an_abort_during_the_search_releases_nothing() {
    let (folder, policy) = folder(3_000);
    let watch = watch(|event, cancel| {
        if matches!(event, Event::Searching(_)) {
            cancel.abort();
        }
    });
    let error = ENGINE.release(&Job { watch, ..job(&policy) }).map(|done| done.paths).unwrap_err();
    assert_eq!(kind(&error), Kind::Cancelled, "{error}");
    nothing_is_left(&folder);
}

/// Half-formed regions are no release: a request is a cancellation, a time limit is not.
#[test]
fn regions_that_are_not_finished_are_not_released() {
    let (folder, _) = folder(3_000);
    let policy = folder.policy(&POLICY.replace("\"auto\"", "\"k-similar\""));
    let limited = Job { time_limit: Some(Duration::ZERO), ..job(&policy) };
    let error = ENGINE.release(&limited).map(|done| done.paths).unwrap_err();
    assert_eq!(kind(&error), Kind::Unsolvable, "{error}");
    assert!(error.to_string().contains("time limit"), "{error}");
    nothing_is_left(&folder);
    for stage in [Stage::Forming, Stage::Writing, Stage::Verifying] {
        let (watch, _) = stopping_at(stage, 1, Cancel::finish);
        let error = ENGINE.release(&Job { watch, ..job(&policy) }).map(|done| done.paths).unwrap_err();
        assert_eq!(kind(&error), Kind::Cancelled, "{stage:?}: {error}");
        nothing_is_left(&folder);
    }
}

/// The proof of a release by regions forms them again, which can be stopped too.
#[test]
fn verifying_can_be_stopped_at_any_stage() {
    let (folder, _) = folder(3_000);
    let policy = folder.policy(&POLICY.replace("\"auto\"", "\"mondrian\""));
    let done = release(&policy).unwrap();
    let source = Source::open(&policy.policy.input, policy.folder()).unwrap();
    for stage in [Stage::Reading, Stage::Forming, Stage::Hashing, Stage::Verifying] {
        let (watch, _) = stopping_at(stage, 1, Cancel::finish);
        let output = folder.path("r.csv");
        let error = ENGINE.verify(&policy, &output, &done.certificate, Some(&source), &watch).unwrap_err();
        assert_eq!(kind(&error), Kind::Cancelled, "{stage:?}: {error}");
    }
}

/// Changes the table once, when the given stage is reached.
fn changed(rows: usize, at: fn(Event<'_>) -> bool, to: &str) -> (Folder, Error) {
    let (folder, policy) = folder(rows);
    let done = Arc::new(AtomicBool::new(false));
    let (path, to, once) = (folder.path("t.csv"), to.to_owned(), Arc::clone(&done));
    let watch = watch(move |event, _| {
        if at(event) && !once.swap(true, Ordering::Relaxed) {
            fs::write(&path, &to).unwrap();
        }
    });
    let error = ENGINE.release(&Job { watch, ..job(&policy) }).map(|d| d.paths).unwrap_err();
    assert!(done.load(Ordering::Relaxed));
    (folder, error)
}

#[test]
fn a_table_that_changes_between_the_passes_is_refused() {
    let searching = |event: Event<'_>| matches!(event, Event::Searching(_));
    let verifying = |event: Event<'_>| is(event, Stage::Verifying);
    let original = table(300);
    let more = original.clone() + "a,300\n";
    let fewer = original.replace("a,297\n", "");
    let unknown = original.replace("a,297\n", "d,297\n");
    let regrouped = original.replace("a,", "b,");
    for (what, at, to) in [
        ("a row more", searching as fn(Event<'_>) -> bool, &more),
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
    let watch = watch(move |event, _| {
        if matches!(event, Event::Searching(_)) && !once.swap(true, Ordering::Relaxed) {
            fs::write(&path, rare.clone() + "d,301\n").unwrap();
        }
    });
    let error = ENGINE.release(&Job { watch, ..job(&policy) }).map(|d| d.paths).unwrap_err();
    assert!(error.to_string().contains("verifier") || error.to_string().contains("changed"), "{error}");
    nothing_is_left(&folder);
}

#[test]
fn a_table_that_vanishes_is_refused() {
    let (folder, policy) = folder(300);
    let path = folder.path("t.csv");
    let watch = watch(move |event, _| {
        if matches!(event, Event::Searching(_)) {
            drop(fs::remove_file(&path));
        }
    });
    let error = ENGINE.release(&Job { watch, ..job(&policy) }).unwrap_err();
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
             [privacy]\nk = 2\nsuppression = {share}\n[columns.q]\nrole = \"quasi\"\nmax_level = 0\n[search]\nalgorithm = \"auto\"\n"
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
    assert!(certificate.sealed());
    // A failure leaves the older one as it is.
    folder.write("t.csv", "q,n\na,1\n");
    let before = fs::read(folder.path("r.csv")).unwrap();
    release(&policy).unwrap_err();
    assert_eq!(fs::read(folder.path("r.csv")).unwrap(), before);
    assert_eq!(fs::read_to_string(folder.path("r.certificate.json")).unwrap(), text);
}

/// All rows may be suppressed: then there is a file with a header and nothing else, and still a
/// proof.
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

/// Thirty rows of two columns: many that are alike, some that are not.
fn local_folder() -> (Folder, PolicyFile) {
    let folder = Folder::new();
    let alike = (0..10).map(|_| (0, 0));
    let rows = alike.chain((0..10).map(|i| (1, i % 7))).chain((0..10).map(|i| (i % 5, i % 3)));
    let rows: String = rows.map(|(a, b)| format!("a{a},b{b}\n")).collect();
    folder.write("t.csv", format!("a,b\n{rows}"));
    let policy = folder.policy(
        "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"r.csv\"\n[privacy]\nk = 3\n\
         [columns.a]\nrole = \"quasi\"\n[columns.b]\nrole = \"quasi\"\n[search]\nloss = \"lm\"\nlocal = true\n",
    );
    (folder, policy)
}

/// However early local recoding is stopped, what it releases is proven and no optimum is claimed;
/// rounds that were complete are released.
#[test]
fn local_recoding_that_is_stopped_claims_no_optimum() {
    let (_folder, policy) = local_folder();
    let complete = release(&policy).unwrap().certificate.release;
    assert!(complete.steps.len() > 2, "{:?}", complete.steps);
    let (mut ended, mut kept) = (0, 0);
    for nodes in 1..200 {
        let cancel = Cancel::new();
        let (stop, checked) = (cancel.clone(), AtomicUsize::new(0));
        let watch = Watch::new(cancel).listening(move |event| {
            if matches!(event, Event::Searching(_)) && checked.fetch_add(1, Ordering::Relaxed) + 1 == nodes {
                stop.finish();
            }
        });
        let done = ENGINE.release(&Job { watch, ..job(&policy) }).unwrap();
        let facts = done.certificate.release;
        assert!(done.verdict.holds());
        assert_eq!((facts.search.optimal, facts.search.gap), (false, facts.loss["lm"]), "{nodes}");
        ended += usize::from(facts.steps != complete.steps);
        kept += usize::from(facts.steps.len() > 1 && facts.steps != complete.steps);
    }
    assert!(ended > 0 && kept > 0, "{ended} {kept}");
}

/// A column of stars, a class of stars, unique values, and classes with one value of a sensitive
/// column.
#[test]
fn what_a_release_shows_and_hides_is_counted() {
    let folder = Folder::new();
    // The class a1 has one diagnosis, a2 two; six rows of others are unsafe at the leaves of a.
    let row = |i: usize| match i {
        0..4 => format!("a1,b{i},{i}00,flu,x\n"),
        4..8 => format!("a2,b{i},{},{},x\n", i / 2, ["flu", "cold"][i % 2]),
        _ => format!("c{i},b{i},7,cold,x\n"),
    };
    let rows: String = (0..14).map(row).collect();
    folder.write("t.csv", format!("a,b,amount,diagnosis,same\n{rows}"));
    let text = |search: &str| {
        format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"r.csv\"\n[privacy]\nk = 4\n[columns.a]\nrole = \"quasi\"\n\
             [columns.b]\nrole = \"quasi\"\n[columns.amount]\nrole = \"sensitive\"\n[columns.diagnosis]\nrole = \"sensitive\"\n\
             [columns.same]\nrole = \"keep\"\n[search]\nloss = \"lm\"\n{search}\n"
        )
    };
    let done = release(&folder.policy(&text("local = true"))).unwrap();
    let facts = &done.certificate.release;
    assert_eq!((facts.released, facts.suppressed, facts.withheld), (8, 6, 0));
    assert_eq!(done.facts.empty_columns(), ["b"]);
    assert_eq!((done.facts.stars.blank, done.facts.stars.share), (6, 20.0 / 28.0));
    let told = |start: &str| done.facts.exposures.iter().find(|words| words.starts_with(start)).cloned();
    let unique = told("`amount` (sensitive): 28.6").expect("unique amounts");
    assert!(unique.contains("(4)"), "{unique}");
    let uniform = "`diagnosis` (sensitive): 2 of 3 classes (10 rows) have a single value.";
    assert!(told(uniform).is_some(), "{:?}", done.facts.exposures);
    // A column with one value gives nothing away.
    assert_eq!(told("`same`"), None);
    let page = fs::read_to_string(folder.path("r.report.html")).unwrap();
    assert!(page.contains(uniform) && page.contains("b holds nothing but *."), "{page}");

    // All at the top: every row is suppressed, and none withheld.
    let top = text("").replace("role = \"quasi\"", "role = \"quasi\"\nmin_level = 1");
    let done = release(&folder.policy(&top)).unwrap();
    let facts = &done.certificate.release;
    assert_eq!((facts.released, facts.suppressed, facts.withheld), (0, 14, 0));
    assert_eq!(facts.output.rows, 14);
}
