//! Cells starred in the released file: every format, typed columns, and nothing starred where
//! nothing is unsafe.

use std::fs::File;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::datatypes::{DataType, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use throng::release::StepFacts;
use throng::watch::Watch;
use throng_engine::Source;

use crate::support::{ENGINE, Folder, Row, batch, columns_of, read, release, sorted, write_parquet};

/// With k = 2: two pairs are safe, two rows share their city and two their age, and one shares
/// nothing.
const ROWS: [(i64, &str, &str); 9] = [
    (30, "Bonn", "a"),
    (30, "Bonn", "b"),
    (40, "Köln", "c"),
    (40, "Köln", "d"),
    (50, "Ulm", "e"),
    (60, "Ulm", "f"),
    (70, "Jena", "g"),
    (70, "Gera", "h"),
    (90, "Trier", "i"),
];

fn folder(rows: &[(i64, &str, &str)]) -> Folder {
    let folder = Folder::new();
    let ages: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.0)));
    let cities: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|r| r.1)));
    let notes: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|r| r.2)));
    let columns = vec![("age", ages), ("city", cities), ("note", notes)];
    write_parquet(&folder.path("t.parquet"), &[batch(columns)]);
    folder
}

fn policy(output: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.parquet\"\n[output]\npath = \"{output}\"\nsuppressed = \"cells\"\n\
         [columns.age]\nrole = \"quasi\"\nmax_level = 0\n[columns.city]\nrole = \"quasi\"\nmax_level = 0\n\
         [columns.note]\nrole = \"sensitive\"\n[privacy]\nk = 2\nsuppression = 0.6\n"
    )
}

fn schema(folder: &Folder) -> Arc<Schema> {
    let file = File::open(folder.path("r.parquet")).unwrap();
    Arc::clone(ParquetRecordBatchReaderBuilder::try_new(file).unwrap().schema())
}

#[test]
fn every_format_has_its_cells_starred() {
    let starred = |row: &(i64, &str, &str)| -> Option<Row> {
        let (age, city) = match row.2 {
            "e" | "f" => ("*".into(), row.1),
            "g" | "h" => (row.0.to_string(), "*"),
            "i" => return None,
            _ => (row.0.to_string(), row.1),
        };
        Some(vec![Some(age), Some(city.into()), Some(row.2.into())])
    };
    let expected: Vec<Row> = sorted(ROWS.iter().filter_map(starred).collect());
    for format in ["csv", "parquet", "json", "arrow"] {
        let folder = folder(&ROWS);
        let output = format!("r.{format}");
        let policy = folder.policy(&policy(&output));
        let done = release(&policy).unwrap();
        let found = columns_of(&read(&folder.path(&output)), &["age", "city", "note"]);
        assert_eq!(sorted(found), expected, "{format}");
        let facts = &done.certificate.release;
        assert_eq!((facts.released, facts.suppressed), (8, 1));
        let step = |age, city, rows, starred| StepFacts {
            levels: [("age".to_owned(), age), ("city".to_owned(), city)].into(),
            rows,
            starred,
        };
        assert_eq!(facts.steps, [step(0, 0, 4, 0), step(1, 0, 2, 2), step(0, 1, 2, 2)]);
        // The losses are of these cells: four of 18 are at the top; the row left out is as the
        // first step has it.
        assert_eq!(facts.loss["prec"], 4.0 / 18.0);
        assert_eq!(facts.loss["dm"], 16.0 + 9.0);
        assert!(done.verdict.unchecked().next().is_none(), "{:?}", done.verdict);
        let alone =
            ENGINE.verify(&policy, &folder.path(&output), &done.certificate, None, &Watch::none()).unwrap();
        assert!(alone.holds(), "{alone:?}");
        let starred: Vec<u64> = done.facts.columns.iter().map(|c| c.starred).collect();
        assert_eq!(starred, [2, 2, 0]);
    }
}

#[test]
fn a_column_with_a_star_is_text_and_one_without_keeps_its_type() {
    let folder_with = folder(&ROWS);
    release(&folder_with.policy(&policy("r.parquet"))).unwrap();
    assert!(schema(&folder_with).field(0).data_type().is_string() || is_keyed(&schema(&folder_with)));
    let safe = folder(&ROWS[..4]);
    let done = release(&safe.policy(&policy("r.parquet"))).unwrap();
    assert_eq!(schema(&safe).field(0).data_type(), &DataType::Int64);
    assert!(done.certificate.release.steps.is_empty());
    let json = serde_json::to_value(&done.certificate).unwrap();
    assert!(json.get("steps").is_none(), "what was not done is not told");
    // Only cities are starred.
    let city = folder(&[&ROWS[..4], &ROWS[6..8]].concat());
    release(&city.policy(&policy("r.parquet"))).unwrap();
    assert_eq!(schema(&city).field(0).data_type(), &DataType::Int64);
}

fn is_keyed(schema: &Schema) -> bool {
    matches!(schema.field(0).data_type(), DataType::Dictionary(_, value) if value.is_string())
}

#[test]
fn nothing_that_helps_leaves_one_step() {
    let folder = folder(&[&ROWS[..4], &ROWS[8..]].concat());
    let done = release(&folder.policy(&policy("r.csv"))).unwrap();
    let facts = &done.certificate.release;
    assert_eq!((facts.released, facts.suppressed), (4, 1));
    assert!(facts.steps.is_empty());
}

/// Replaced identifiers are followed through all steps: people with rows in several of them are
/// found again, and two that were exchanged in a row each are not.
#[test]
fn replaced_identifiers_go_through_the_steps() {
    let folder = Folder::new();
    let table: Vec<String> = ROWS
        .iter()
        .enumerate()
        .map(|(i, (age, city, note))| format!("{age},{city},{note},P{:03}", i % 4))
        .collect();
    folder.write("t.csv", format!("age,city,note,id\n{}\n", table.join("\n")));
    folder.write("secret.key", "a secret of many bytes");
    let text = policy("r.csv")
        .replace("t.parquet", "t.csv")
        .replace("suppressed =", "keep_order = true\nsuppressed =")
        + "[columns.id]\nrole = \"identifier\"\ntransform = { substitute = { key_file = \"secret.key\" } }\n";
    let policy = folder.policy(&text);
    let done = release(&policy).unwrap();
    assert!(done.verdict.holds());
    assert!(
        done.verdict.claims["identifiers: id"]
            .found
            .contains("4 identifiers in the original, 4 made-up ones")
    );
    assert_eq!(done.certificate.release.steps.len(), 3);

    let source = Source::open(&policy.policy.input, policy.folder()).unwrap();
    let judge = || {
        ENGINE
            .verify(&policy, &folder.path("r.csv"), &done.certificate, Some(&source), &Watch::none())
            .unwrap()
    };
    assert!(judge().holds());
    let released = std::fs::read_to_string(folder.path("r.csv")).unwrap();
    let mut rows: Vec<Vec<&str>> = released.lines().map(|line| line.split(',').collect()).collect();
    let (safe, starred) = ["a", "f"].map(|note| rows.iter().position(|row| row[2] == note).unwrap()).into();
    assert_eq!(rows[starred][0], "*");
    let kept = rows[safe][3];
    rows[safe][3] = rows[starred][3];
    rows[starred][3] = kept;
    let tampered: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    std::fs::write(folder.path("r.csv"), tampered.join("\n") + "\n").unwrap();
    let verdict = judge();
    let finding = &verdict.claims["identifiers: id"];
    assert!(!finding.holds && finding.found.contains("the rows of no original one"), "{}", finding.found);
}
