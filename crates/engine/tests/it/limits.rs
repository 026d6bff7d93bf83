//! Threads and memory: whatever the limits, the same bytes; and tables that change meanwhile.

use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::ThreadPoolBuilder;
use throng::error::Result;
use throng::watch::{Cancel, Event, Stage, Watch};
use throng_engine::{Done, Engine, Job};

use crate::support::{ENGINE, Folder, job, read, sorted};

fn policy(output: &str) -> String {
    format!(
        "version = 1\ninput.path = \"t.csv\"\noutput.path = \"{output}\"\nsearch.algorithm = \"datafly\"\n\
         privacy.k = 3\nprivacy.suppression = 0.1\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [10], low = 0, high = 100 }} }}\n\
         [columns.place]\nrole = \"quasi\"\n[columns.note]\nrole = \"keep\"\n"
    )
}

/// Rows with notes of some length, a few of them empty, and ages that are rare.
fn folder(rows: usize, note: usize) -> Folder {
    let folder = Folder::new();
    let line = |row: usize| {
        let place = ["Ulm", "Bonn", "\"Kiel, old\"", ""][row * row % 4];
        let age = if row % 5000 == 1 { 99 } else { row % 7 * 10 };
        let note = if row % 11 == 3 { String::new() } else { format!("{row:0note$}") };
        format!("{age},{place},{note}\n")
    };
    folder.write("t.csv", format!("age,place,note\n{}", (0..rows).map(line).collect::<String>()));
    folder
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

fn release(engine: &Engine, folder: &Folder, output: &str) -> Result<Done> {
    engine.release(&job(&folder.policy(&policy(output))))
}

#[test]
fn the_same_bytes_at_any_number_of_threads() {
    let folder = folder(150_000, 6);
    for output in ["out.csv", "out.parquet", "out.arrow"] {
        let bytes = |threads: usize| {
            let done = on_threads(threads, || release(&ENGINE, &folder, output).unwrap());
            assert!(done.verdict.holds());
            fs::read(folder.path(output)).unwrap()
        };
        let one = bytes(1);
        assert!(one == bytes(2) && one == bytes(5), "{output}");
    }
    // Every format has the same rows.
    let rows = |output: &str| sorted(read(&folder.path(output)).1);
    assert!(rows("out.csv") == rows("out.parquet") && rows("out.csv") == rows("out.arrow"));
}

#[test]
fn what_does_not_fit_waits_on_disk_and_too_little_is_refused() {
    let folder = folder(60_000, 500);
    on_threads(2, || {
        release(&ENGINE, &folder, "out.csv").unwrap();
        let free = fs::read(folder.path("out.csv")).unwrap();
        let names = folder.names();
        let refused = release(&Engine::new().within(Some(1 << 20)), &folder, "out.csv").unwrap_err();
        assert!(refused.has_code("release.too-little-memory"), "{refused}");
        let words: Vec<String> = refused.to_string().split(' ').map(String::from).collect();
        let need = words.iter().position(|word| word == "about").unwrap() + 1;
        let need = words[need].parse::<u64>().unwrap() << 20;
        assert!(release(&Engine::new().within(Some(need - (2 << 20))), &folder, "out.csv").is_err());
        // 30 MB of notes, and room for 8.
        release(&Engine::new().within(Some(need)), &folder, "out.csv").unwrap();
        assert!(fs::read(folder.path("out.csv")).unwrap() == free);
        assert_eq!(folder.names(), names);
    });
}

/// Reading does not go on when the distinct rows alone exceed the limit by far.
#[test]
fn many_distinct_rows_are_refused_while_they_are_read() {
    let folder = folder(40_000, 6);
    let policy = folder.policy(&policy("out.csv").replace("role = \"keep\"", "role = \"quasi\""));
    let refused = Engine::new().within(Some(1 << 18)).release(&job(&policy)).unwrap_err();
    assert!(refused.has_code("release.far-too-little-memory"), "{refused}");
    assert_eq!(folder.names(), ["policy.toml", "t.csv"]);
}

/// A row is appended while the table is read, and another time while it is rewritten.
#[test]
fn a_table_that_grows_is_refused_and_nothing_is_left() {
    for stage in [Stage::Reading, Stage::Writing] {
        let folder = folder(40_000, 6);
        let (path, grown) = (folder.path("t.csv"), AtomicBool::new(false));
        let grow = move |event: Event<'_>| {
            let here = matches!(event, Event::Done { stage: now, .. } if now == stage);
            if here && !grown.swap(true, Ordering::Relaxed) {
                let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
                file.write_all(b"10,Ulm,more\n").unwrap();
            }
        };
        let policy = folder.policy(&policy("out.csv"));
        let refused = ENGINE
            .release(&Job { watch: Watch::new(Cancel::new()).listening(grow), ..job(&policy) })
            .unwrap_err();
        assert!(refused.has_code("table.changed-while-reading"), "{stage:?}: {refused}");
        assert_eq!(folder.names(), ["policy.toml", "t.csv"]);
    }
}
