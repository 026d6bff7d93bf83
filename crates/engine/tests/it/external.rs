//! Models that are commands: their input, and the errors of those that fail.

use std::path::Path;
use std::time::{Duration, Instant};

use throng::predict::{Guide, Known, Reader, Row};
use throng::table::Dictionary;
use throng::watch::Watch;
use throng_engine::External;

/// A shell command over an age and a sex.
fn shell(script: &str, seconds: u64) -> External {
    let ages = Dictionary::of([Some("10"), Some("30")]);
    let sexes = Dictionary::of([Some("F"), Some("M, or \"m\"")]);
    let known = |values| Known { values, hierarchy: None, codes: false };
    let reader = Reader::new(&[known(&ages), known(&sexes)]);
    let command = ["sh", "-c", script].map(String::from).to_vec();
    let features = vec!["age".into(), "sex".into()];
    External::new(command, Path::new("."), (features, reader), seconds, Watch::none())
}

fn row(age: Option<&str>, sex: Option<&str>) -> Row {
    vec![age.map(String::from), sex.map(String::from)]
}

fn fails(script: &str, rows: usize) -> String {
    let rows = vec![row(Some("secret-of-somebody"), Some("F")); rows];
    let text = shell(script, 1).predict(&rows).unwrap_err().to_string();
    assert!(text.contains("search.model.command") && !text.contains("secret"), "{text}");
    text
}

#[test]
fn rows_go_in_and_numbers_come_out() {
    // The age is the first cell.
    let model = shell("tail -n +2 | cut -d, -f1", 20);
    let rows = [row(Some("12.5"), Some("F")), row(Some("[10, 20]"), Some("*")), row(None, None)];
    assert_eq!(model.predict(&rows).unwrap(), [12.5, 15.0, 20.0]);
    assert_eq!(model.features(), ["age", "sex"]);
    assert!(model.predict(&[]).unwrap().is_empty());
}

#[test]
fn what_may_be_several_is_averaged() {
    // Women cost 1 and all others 3.
    let model = shell("tail -n +2 | sed 's/.*,F$/1/; t; s/.*/3/'", 20);
    let rows = [row(Some("1"), Some("*")), row(Some("1"), Some("F")), row(Some("1"), None)];
    assert_eq!(model.predict(&rows).unwrap(), [2.0, 1.0, 3.0]);
}

#[test]
fn cells_are_quoted_as_csv_does() {
    // Says how many bytes the second line has.
    let model = shell("sed -n 2p | tr -d '\\n' | wc -c", 20);
    let said = model.predict(&[row(Some("7"), Some("M, or \"m\""))]).unwrap();
    assert_eq!(said, ["7,\"M, or \"\"m\"\"\"".len() as f64]);
}

#[test]
fn a_large_batch_neither_blocks_nor_is_cut() {
    let model = shell("tail -n +2 | cut -d, -f1", 60);
    let rows: Vec<Row> = (0..50_000).map(|i| row(Some(&i.to_string()), Some("F"))).collect();
    let said = model.predict(&rows).unwrap();
    assert!(said.len() == 50_000 && said[49_999] == 49_999.0);
}

#[test]
fn failures_are_told_without_the_data() {
    assert!(fails("cat >/dev/null; exit 3", 1).contains("exit code 3"));
    assert!(fails("cat >/dev/null; echo 1", 2).contains("1 lines for 2 rows"));
    assert!(fails("cat >/dev/null; echo 1; echo 2; echo 3", 2).contains("3 lines for 2 rows"));
    assert!(
        fails("cat >/dev/null; echo 1; echo secret", 2)
            .contains("line 2 of what the model wrote is not a number")
    );
    assert!(fails("cat >/dev/null; echo NaN", 1).contains("line 1"));
    assert!(fails("cat >/dev/null; yes 1", 1).contains("more than one number per row"));
    assert!(fails("cat >/dev/null; kill -9 $$", 1).contains("ended from outside"));
    // It may end before it has read everything, if it answers.
    assert_eq!(shell("echo 5", 20).predict(&[row(Some("1"), None)]).unwrap(), [5.0]);
}

#[test]
fn a_model_that_hangs_is_ended() {
    let started = Instant::now();
    assert!(fails("exec sleep 100", 1).contains("within 1 seconds"));
    // Also one that closes its answer and goes on.
    assert!(fails("echo 1; exec >&-; exec sleep 100", 1).contains("within 1 seconds"));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_model_that_is_not_there_is_named() {
    let ages = Dictionary::of([Some("10")]);
    let reader = Reader::new(&[Known { values: &ages, hierarchy: None, codes: false }]);
    let command = vec!["no-such-program".to_owned()];
    let model = External::new(command, Path::new("."), (vec!["age".into()], reader), 1, Watch::none());
    let text = model.predict(&[vec![Some("1".into())]]).unwrap_err().to_string();
    assert!(text.contains("`no-such-program` cannot be started"), "{text}");
}

#[test]
fn the_same_rows_must_be_answered_alike() {
    let folder = tempfile::tempdir().unwrap();
    let counts = folder.path().join("runs").display().to_string();
    let model = shell(&format!("cat > /dev/null; echo x >> {counts}; wc -l < {counts}"), 20);
    let rows = [row(Some("1"), Some("F"))];
    assert_eq!(model.predict(&rows).unwrap(), [1.0]);
    // Other rows may be answered differently, the same may not.
    assert_eq!(model.predict(&[row(Some("2"), Some("F"))]).unwrap(), [2.0]);
    let text = model.predict(&rows).unwrap_err().to_string();
    assert!(text.contains("search.model.command") && text.contains("gives other numbers"), "{text}");
    let model = shell("cat > /dev/null; echo 5", 20);
    assert!((0..3).all(|_| model.predict(&rows).unwrap() == [5.0]));
}
