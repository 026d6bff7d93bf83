//! Which files a path names: patterns, their order, and names that look like something else.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use throng::error::Kind;
use throng::policy::{Encoding, Input};

use crate::support::{ENGINE, Folder, Row, batch, input, row, rows, write_arrow, write_parquet};

/// The first cell of every row.
fn first(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|r| r[0].as_deref().unwrap_or("-")).collect()
}

#[test]
fn files_of_a_pattern_come_in_path_order() {
    for encoding in [Encoding::Utf8, Encoding::Latin1] {
        let folder = Folder::new();
        // Written out of order, and with names whose order as paths differs from that as texts.
        for (name, cell) in [
            ("in/b.csv", "5"),
            ("in-2/a.csv", "6"),
            ("in/a.csv", "3"),
            ("in/a b.csv", "1"),
            ("in/a-é.csv", "2"),
            ("in/a.txt", "x"),
            ("in/a0.csv", "4"),
        ] {
            folder.write(name, format!("v,w\n{cell},w\n{cell},w\n"));
        }
        let source = folder.open_as(&Input { encoding, ..input("in*/*.csv") }).unwrap();
        let expected: Vec<String> = source
            .files
            .iter()
            .map(|f| std::fs::read_to_string(f).unwrap().lines().nth(1).unwrap()[..1].to_owned())
            .flat_map(|c| [c.clone(), c])
            .collect();
        assert!(source.files.is_sorted());
        assert_eq!(first(&rows(&source).unwrap()), expected, "{encoding:?}");
        assert_eq!(expected.len(), 12);
    }
}

#[test]
fn many_files_come_in_path_order() {
    let folder = Folder::new();
    for i in 0..120 {
        folder.write(&format!("part-{i:03}.csv"), format!("v\n{i}\n"));
    }
    let found = rows(&folder.open("part-*.csv").unwrap()).unwrap();
    let expected: Vec<Row> = (0..120).map(|i| row(&[&i.to_string()])).collect();
    assert_eq!(found, expected);
}

#[test]
fn headers_must_agree() {
    let folder = Folder::new();
    folder.write("1.csv", "a,b\n1,2\n");
    folder.write("2.csv", "a,b\n3,4\n");
    assert_eq!(rows(&folder.open("*.csv").unwrap()).unwrap(), [row(&["1", "2"]), row(&["3", "4"])]);
    for other in ["b,a\n3,4\n", "a\n3\n", "a,b,c\n1,2,3\n", "a,B\n1,2\n"] {
        folder.write("2.csv", other);
        let error = folder.open("*.csv").unwrap_err();
        assert_eq!(error.faults()[0].kind, Kind::Data);
        let text = error.to_string();
        assert!(text.contains("2.csv:1:") && text.contains("1.csv"), "{text}");
    }
}

#[test]
fn columns_of_parquet_and_arrow_files_must_agree() {
    let text = |s: &str| Arc::new(StringArray::from(vec![s])) as ArrayRef;
    let number = || Arc::new(Int64Array::from(vec![1])) as ArrayRef;
    let write = [write_parquet, write_arrow];
    for (ending, write) in ["parquet", "arrow"].into_iter().zip(write) {
        let folder = Folder::new();
        let pattern = format!("*.{ending}");
        write(&folder.path(&format!("1.{ending}")), &[batch(vec![("a", text("x")), ("b", text("y"))])]);
        let second = folder.path(&format!("2.{ending}"));
        write(&second, &[batch(vec![("a", text("z")), ("b", text("w"))])]);
        let source = folder.open(&pattern).unwrap();
        assert_eq!(rows(&source).unwrap(), [row(&["x", "y"]), row(&["z", "w"])]);
        for other in [
            vec![("a", text("z"))],
            vec![("a", text("z")), ("c", text("w"))],
            vec![("a", text("z")), ("b", text("w")), ("c", text("w"))],
            vec![("b", text("z")), ("a", text("w"))],
            vec![("a", text("z")), ("b", number())],
        ] {
            write(&second, &[batch(other)]);
            let error = folder.open(&pattern).and_then(|s| rows(&s)).unwrap_err();
            assert_eq!(error.faults()[0].kind, Kind::Data, "{error}");
            assert!(error.to_string().contains(&format!("2.{ending}")), "{error}");
        }
    }
}

/// Lines leave out what is missing, so that a file without a column is nothing strange.
#[test]
fn json_files_may_lack_a_column() {
    let folder = Folder::new();
    folder.write("1.json", "{\"a\":\"x\"}\n");
    folder.write("2.json", "{\"a\":\"y\",\"b\":\"z\"}\n");
    let found = rows(&folder.open("*.json").unwrap()).unwrap();
    assert_eq!(found, [vec![Some("x".into()), None], row(&["y", "z"])]);
}

/// None of these characters may be taken for a pattern, a URL or an escape.
const NAMES: [&str; 16] = [
    "with space.csv",
    "brackets[1].csv",
    "percent%20.csv",
    "100%.csv",
    "größe-日本.csv",
    "hash#tag.csv",
    "question?.csv",
    "star*.csv",
    "plus+and&.csv",
    "colon:.csv",
    "quote'\".csv",
    "brace{1}.csv",
    "tilde~.csv",
    "semi;comma,.csv",
    "back\\slash.csv",
    "data.tar.csv",
];

#[test]
fn file_names_are_no_patterns() {
    for name in NAMES {
        let folder = Folder::new();
        folder.write(name, "a\nright\n");
        // A file that the name would match, were it a pattern.
        folder.write("brackets1.csv", "a\nwrong\n");
        folder.write("percent .csv", "a\nwrong\n");
        folder.write("starfish.csv", "a\nwrong\n");
        let found = folder.open(name).and_then(|s| rows(&s)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(first(&found), ["right"], "{name}");
    }
}

#[test]
fn file_names_of_other_formats() {
    for name in ["a b.parquet", "a[1]%20é#?.parquet", "a b.arrow", "a[1]%20é#?.arrow"] {
        let folder = Folder::new();
        let table = batch(vec![("a", Arc::new(StringArray::from(vec!["right"])) as ArrayRef)]);
        if name.ends_with("parquet") {
            write_parquet(&folder.path(name), &[table]);
        } else {
            write_arrow(&folder.path(name), &[table]);
        }
        let found = folder.open(name).and_then(|s| rows(&s)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(first(&found), ["right"], "{name}");
    }
    let folder = Folder::new();
    folder.write("a[1]%20é#?.json", "{\"a\":\"right\"}\n");
    assert_eq!(first(&rows(&folder.open("a[1]%20é#?.json").unwrap()).unwrap()), ["right"]);
}

#[test]
fn the_folder_of_a_policy_is_no_pattern_either() {
    let folder = Folder::new();
    folder.write("run [1] 100%/a.csv", "a\nright\n");
    let base = folder.path("run [1] 100%");
    let source = throng_engine::Source::open(&input("*.csv"), &base).unwrap();
    assert_eq!(first(&rows(&source).unwrap()), ["right"]);
}

#[test]
fn what_is_not_there_is_named() {
    let folder = Folder::new();
    folder.write("sub/a.csv", "a\n1\n");
    folder.write("nothing/_SUCCESS", "");
    folder.write("empty.csv", "");
    for (path, part) in [
        ("none.csv", "none.csv"),
        ("*.tsv", "no file matches"),
        ("nothing", "is a folder without files"),
        ("[", "is not a pattern"),
        ("empty.csv", "empty"),
        ("sub/a.csv/b.csv", "b.csv"),
    ] {
        let error = folder.open(path).unwrap_err().to_string();
        assert!(error.contains(part), "{path}: {error}");
    }
    folder.write("table.dat", "a\n1\n");
    let error = folder.open("table.dat").unwrap_err().to_string();
    assert!(error.contains("table.dat") && error.contains("input.format"), "{error}");
}

#[test]
fn every_column_has_a_name_of_its_own() {
    let folder = Folder::new();
    folder.write("t.csv", "a,,a,b,\n1,2,3,4,5\n");
    let source = folder.open("t.csv").unwrap();
    assert_eq!(ENGINE.columns(&source).unwrap(), ["a", "column_2", "a.2", "b", "column_5"]);
    assert_eq!(rows(&source).unwrap(), [row(&["1", "2", "3", "4", "5"])]);
}
