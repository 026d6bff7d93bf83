//! Grouping against a map that counts rows one by one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{ArrayRef, DictionaryArray, StringArray};
use arrow::datatypes::Int32Type;
use proptest::prelude::*;
use throng::classes::Classes;
use throng::policy::Input;
use throng::table::Code;
use throng::watch::{Event, Stage, Watch};
use throng_engine::{GroupedTable, Source};

use crate::support::{ENGINE, Folder, Row, batch, input, rows, strings, write_parquet};

fn group(source: &Source, columns: &[String]) -> GroupedTable {
    ENGINE.group(source, columns, &Watch::none()).unwrap()
}

/// The combinations with their counts, as texts.
fn counted(grouped: GroupedTable) -> BTreeMap<Row, u32> {
    let GroupedTable { dictionaries, tuples, .. } = grouped;
    let identity: Vec<Vec<Code>> = dictionaries.iter().map(|d| (0..d.len() as Code).collect()).collect();
    let classes = Classes::of_tuples(tuples, &identity).unwrap();
    let text = |class: usize, column: usize| {
        dictionaries[column].value(classes.code(class, column)).map(String::from)
    };
    (0..classes.len())
        .map(|class| ((0..dictionaries.len()).map(|i| text(class, i)).collect(), classes.counts()[class]))
        .collect()
}

fn naive(rows: impl IntoIterator<Item = Row>) -> BTreeMap<Row, u32> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row).or_insert(0) += 1;
    }
    counts
}

/// The rows as delimited text; a missing cell is empty.
fn text(rows: &[Row]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names: Vec<String> = (0..rows[0].len()).map(|i| format!("c{i}")).collect();
    writer.write_record(&names).unwrap();
    for row in rows {
        writer.write_record(row.iter().map(|c| c.as_deref().unwrap_or_default())).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn groups_like_a_map(
        table in (1usize..5).prop_flat_map(|width| {
            let cell = prop::option::weighted(0.9, "[a-c]{1,2}|é|\"");
            prop::collection::vec(prop::collection::vec(cell, width), 1..300)
        }),
    ) {
        let folder = Folder::new();
        folder.write("t.csv", text(&table));
        let source = folder.open("t.csv").unwrap();
        let columns = ENGINE.columns(&source).unwrap();
        let grouped = group(&source, &columns);
        prop_assert_eq!(grouped.tuples.rows(), table.len() as u64);
        for (i, dictionary) in grouped.dictionaries.iter().enumerate() {
            let single = naive(table.iter().map(|row| vec![row[i].clone()]));
            prop_assert_eq!(dictionary.len(), single.len());
            for (cell, count) in single {
                let code = dictionary.get(cell[0].as_deref()).unwrap();
                prop_assert_eq!(dictionary.count(code), u64::from(count));
            }
        }
        prop_assert_eq!(counted(grouped), naive(table.clone()));
        // Some of the columns, in another order.
        let some: Vec<String> = columns.iter().rev().take(2).cloned().collect();
        let width = columns.len();
        let picked = table.into_iter().map(|row| (0..some.len()).map(|i| row[width - 1 - i].clone()).collect());
        prop_assert_eq!(counted(group(&source, &some)), naive(picked));
    }
}

/// More values in a column than two bytes can number, and more than eight batches.
#[test]
fn groups_many_values_over_many_batches() {
    let count = 150_000;
    let row = |i: usize| {
        let cell = |s: String| Some(s);
        vec![
            cell(format!("v{}", i * 7919 % 70_001)),
            cell((i % 3).to_string()),
            (!i.is_multiple_of(5)).then(|| "x".into()),
        ]
    };
    let table: Vec<Row> = (0..count).map(row).collect();
    let folder = Folder::new();
    folder.write("t.csv", text(&table));
    let source = folder.open("t.csv").unwrap();
    let mut batches = 0;
    ENGINE
        .scan(&source, &strings(&["c0"]), &Watch::none(), |_| {
            batches += 1;
            Ok(())
        })
        .unwrap();
    assert!(batches > 8, "{batches}");
    let columns = ENGINE.columns(&source).unwrap();
    let grouped = group(&source, &columns);
    assert!(grouped.dictionaries[0].len() > 65_536);
    assert_eq!(counted(grouped), naive(table));
}

/// Keys that differ from batch to batch stand for the same values.
#[test]
fn groups_keyed_text_by_its_values() {
    let part = |values: Vec<Option<&str>>| {
        let plain = StringArray::from(vec!["p"; values.len()]);
        let keyed: DictionaryArray<Int32Type> = values.into_iter().collect();
        batch(vec![("k", Arc::new(keyed) as ArrayRef), ("p", Arc::new(plain))])
    };
    let folder = Folder::new();
    let parts = [part(vec![Some("a"), Some("b"), None]), part(vec![Some("b"), None, Some("a"), Some("c")])];
    write_parquet(&folder.path("t.parquet"), &parts);
    let source = folder.open("t.parquet").unwrap();
    let found = counted(group(&source, &strings(&["k", "p"])));
    assert_eq!(found, naive(rows(&source).unwrap()));
    assert_eq!(found.len(), 4);
}

#[test]
fn an_empty_cell_is_a_value_where_it_is_not_missing() {
    let folder = Folder::new();
    folder.write("t.csv", "a\n\"\"\nx\n\"\"\n");
    let missing = group(&folder.open("t.csv").unwrap(), &strings(&["a"]));
    assert_eq!(missing.dictionaries[0].get(None).map(|c| missing.dictionaries[0].count(c)), Some(2));
    let kept = folder.open_as(&Input { null: Vec::new(), ..input("t.csv") }).unwrap();
    let kept = group(&kept, &strings(&["a"]));
    assert_eq!(kept.dictionaries[0].missing(), None);
    assert_eq!(kept.dictionaries[0].get(Some("")).map(|c| kept.dictionaries[0].count(c)), Some(2));
}

#[test]
fn progress_counts_the_rows_and_can_stop() {
    let folder = Folder::new();
    folder.write("t.csv", "a\n".to_owned() + &"x\n".repeat(40_000));
    let source = folder.open("t.csv").unwrap();
    let last = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&last);
    let watch = Watch::none().listening(move |event| {
        let Event::Done { stage: Stage::Reading, done, of: None } = event else { panic!("{event:?}") };
        assert!(seen.swap(done, Ordering::Relaxed) < done);
    });
    ENGINE.group(&source, &strings(&["a"]), &watch).unwrap();
    assert_eq!(last.load(Ordering::Relaxed), 40_000);

    last.store(0, Ordering::Relaxed);
    watch.cancel().finish();
    let Err(error) = ENGINE.group(&source, &strings(&["a"]), &watch) else { panic!("was not stopped") };
    assert!(error.is_cancelled(), "{error}");
    assert_eq!(last.load(Ordering::Relaxed), 0);
}

#[test]
fn measured_columns_are_counted_in_their_classes() {
    let folder = Folder::new();
    folder.write("t.csv", "label,a\nyes,1\nno,1\nyes,1\n,2\nNA,2\nyes,2\n");
    let mut input = input("t.csv");
    input.null = strings(&["", "NA"]);
    let source = folder.open_as(&input).unwrap();
    let grouped = ENGINE.measure(&source, &strings(&["a"]), &strings(&["label"]), &Watch::none()).unwrap();
    assert_eq!((&grouped.names[..], &grouped.measured[..]), (&strings(&["a"])[..], &strings(&["label"])[..]));
    let identity: Vec<Vec<Code>> =
        grouped.dictionaries.iter().map(|d| (0..d.len() as Code).collect()).collect();
    let classes = Classes::of_measured(grouped.tuples, 1, &identity).unwrap();
    assert_eq!(classes.counts(), [3, 3]);
    let label = |class: usize| {
        let (codes, counts) = classes.histograms()[0].class(class);
        let name = |&code: &Code| grouped.dictionaries[1].value(code).map(String::from);
        codes.iter().map(name).zip(counts.iter().copied()).collect::<Vec<_>>()
    };
    assert_eq!(label(0), [(Some("yes".into()), 2), (Some("no".into()), 1)]);
    assert_eq!(label(1), [(Some("yes".into()), 1), (None, 2)]);
}
