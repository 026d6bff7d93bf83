//! Typed formats: every simple type has one text, and what has none is refused by name.

use std::fs;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int8Array, Int64Array, LargeStringArray, ListArray, NullArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampSecondArray,
    UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int8Type, Int32Type};
use arrow::ipc::writer::StreamWriter;
use throng::error::Kind;
use throng::policy::Input;
use throng::watch::Watch;

use crate::support::{ENGINE, Folder, Row, batch, input, row, rows, strings, write_arrow, write_parquet};

/// 2020-02-29T12:34:56.789 in milliseconds.
const LEAP: i64 = 1_582_979_696_789;

/// One column per type, with the text that its cells must have.
fn typed() -> Vec<(&'static str, ArrayRef, [Option<&'static str>; 3])> {
    let micro = |tz: Option<&str>| -> ArrayRef {
        let array = TimestampMicrosecondArray::from(vec![Some(LEAP * 1000), None, Some(0)]);
        Arc::new(array.with_timezone_opt(tz.map(String::from)))
    };
    vec![
        (
            "int",
            Arc::new(Int64Array::from(vec![Some(-7), None, Some(i64::MAX)])),
            [Some("-7"), None, Some("9223372036854775807")],
        ),
        ("tiny", Arc::new(Int8Array::from(vec![Some(-128), None, Some(0)])), [Some("-128"), None, Some("0")]),
        (
            "unsigned",
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(1)])),
            [Some("18446744073709551615"), None, Some("1")],
        ),
        (
            "float",
            Arc::new(Float64Array::from(vec![Some(0.1), None, Some(-2.0)])),
            [Some("0.1"), None, Some("-2.0")],
        ),
        (
            "single",
            Arc::new(Float32Array::from(vec![Some(0.1), None, Some(16_777_216.0)])),
            [Some("0.1"), None, Some("16777216.0")],
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(12345), None, Some(-5)])
                    .with_precision_and_scale(9, 2)
                    .unwrap(),
            ),
            [Some("123.45"), None, Some("-0.05")],
        ),
        (
            "truth",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
            [Some("true"), None, Some("false")],
        ),
        (
            "date",
            Arc::new(Date32Array::from(vec![Some(18_321), None, Some(-1)])),
            [Some("2020-02-29"), None, Some("1969-12-31")],
        ),
        ("time", micro(None), [Some("2020-02-29T12:34:56.789"), None, Some("1970-01-01T00:00:00")]),
        ("utc", micro(Some("UTC")), [Some("2020-02-29T12:34:56.789Z"), None, Some("1970-01-01T00:00:00Z")]),
        ("text", Arc::new(StringArray::from(vec![Some("x"), None, Some("")])), [Some("x"), None, Some("")]),
        (
            "large",
            Arc::new(LargeStringArray::from(vec![Some("é"), None, Some("007")])),
            [Some("é"), None, Some("007")],
        ),
        (
            "view",
            Arc::new(StringViewArray::from(vec![Some("longer than twelve bytes"), None, Some("s")])),
            [Some("longer than twelve bytes"), None, Some("s")],
        ),
        (
            "keyed",
            Arc::new(vec![Some("p"), None, Some("p")].into_iter().collect::<DictionaryArray<Int32Type>>()),
            [Some("p"), None, Some("p")],
        ),
        (
            "narrow",
            Arc::new(vec![Some("p"), None, Some("q")].into_iter().collect::<DictionaryArray<Int8Type>>()),
            [Some("p"), None, Some("q")],
        ),
    ]
}

fn expected() -> Vec<Row> {
    (0..3).map(|i| typed().iter().map(|(_, _, texts)| texts[i].map(String::from)).collect()).collect()
}

/// Without texts that mean missing: an empty text stays one.
fn as_it_is(path: &str) -> Input {
    Input { null: Vec::new(), ..input(path) }
}

fn typed_batch() -> RecordBatch {
    batch(typed().into_iter().map(|(name, array, _)| (name, array)).collect())
}

#[test]
fn types_of_parquet_as_text() {
    let folder = Folder::new();
    write_parquet(&folder.path("t.parquet"), &[typed_batch()]);
    assert_eq!(rows(&folder.open_as(&as_it_is("t.parquet")).unwrap()).unwrap(), expected());
}

#[test]
fn types_of_arrow_as_text() {
    let folder = Folder::new();
    write_arrow(&folder.path("t.arrow"), &[typed_batch()]);
    assert_eq!(rows(&folder.open_as(&as_it_is("t.arrow")).unwrap()).unwrap(), expected());
}

#[test]
fn a_time_zone_does_not_change_when_it_was() {
    let local = TimestampMillisecondArray::from(vec![LEAP]).with_timezone("+02:00");
    let seconds = TimestampSecondArray::from(vec![LEAP / 1000]);
    let folder = Folder::new();
    let table = batch(vec![("local", Arc::new(local)), ("seconds", Arc::new(seconds))]);
    write_arrow(&folder.path("t.arrow"), std::slice::from_ref(&table));
    write_parquet(&folder.path("t.parquet"), &[table]);
    for name in ["t.arrow", "t.parquet"] {
        let found = rows(&folder.open(name).unwrap()).unwrap();
        assert_eq!(found, [row(&["2020-02-29T12:34:56.789Z", "2020-02-29T12:34:56"])], "{name}");
    }
}

#[test]
fn json_lines_as_text() {
    let folder = Folder::new();
    let text = concat!(
        "{\"i\":1,\"f\":1.5,\"b\":true,\"s\":\"007\",\"u\":\"\\u00e9\\n\\\"\"}\n",
        "{\"s\":\"x\",\"i\":-2}\n",
        "\n",
        "{\"i\":null,\"f\":2,\"b\":false,\"s\":\"\",\"u\":\"}\"}\n",
    );
    folder.write("t.jsonl", text);
    let source = folder.open_as(&as_it_is("t.jsonl")).unwrap();
    assert_eq!(ENGINE.columns(&source).unwrap(), strings(&["i", "f", "b", "s", "u"]));
    let some = |s: &str| Some(s.to_owned());
    assert_eq!(
        rows(&source).unwrap(),
        [
            row(&["1", "1.5", "true", "007", "é\n\""]),
            vec![some("-2"), None, None, some("x"), None],
            vec![None, some("2.0"), some("false"), some(""), some("}")],
        ]
    );
}

/// A reader that looks at the first thousand lines only would lose a column, or a type.
#[test]
fn json_lines_that_change_their_mind_late() {
    let folder = Folder::new();
    let mut text: String = (0..3000).map(|i| format!("{{\"a\":{i}}}\n")).collect();
    text.push_str("{\"a\":0.5,\"late\":\"x\"}\n");
    folder.write("t.json", text);
    let source = folder.open("t.json").unwrap();
    assert_eq!(ENGINE.columns(&source).unwrap(), strings(&["a", "late"]));
    let all = rows(&source).unwrap();
    assert_eq!(all.len(), 3001);
    assert_eq!(all[3000], row(&["0.5", "x"]));
}

#[test]
fn numbers_and_text_in_one_json_column_are_refused_at_their_line() {
    let folder = Folder::new();
    for (text, place) in [
        ("{\"a\":\"x\"}\n{\"a\":1}\n", "t.json:2: column `a`: holds a number"),
        ("{\"a\":true}\n{\"a\":\"x\"}\n", "t.json:1: column `a`: holds a truth value"),
    ] {
        folder.write("t.json", text);
        let error = rows(&folder.open("t.json").unwrap()).unwrap_err();
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[test]
fn texts_that_mean_missing_in_every_format() {
    let folder = Folder::new();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["NA", "", "x"]));
    let keyed: ArrayRef = Arc::new(["NA", "", "x"].into_iter().collect::<DictionaryArray<Int8Type>>());
    let number: ArrayRef = Arc::new(Int64Array::from(vec![-9, 0, 1]));
    let table = batch(vec![("t", text), ("k", keyed), ("n", number)]);
    write_parquet(&folder.path("t.parquet"), std::slice::from_ref(&table));
    write_arrow(&folder.path("t.arrow"), &[table]);
    folder.write("t.csv", "t,k,n\nNA,NA,-9\n,,0\nx,x,1\n");
    folder.write("t.json", "{\"t\":\"NA\",\"k\":\"NA\",\"n\":-9}\n{\"t\":\"\",\"k\":\"\",\"n\":0}\n{\"t\":\"x\",\"k\":\"x\",\"n\":1}\n");
    for name in ["t.csv", "t.parquet", "t.arrow", "t.json"] {
        let found = |null: &[&str]| {
            rows(&folder.open_as(&Input { null: strings(null), ..input(name) }).unwrap()).unwrap()
        };
        let some = |s: &str| Some(s.to_owned());
        assert_eq!(
            found(&[]),
            [row(&["NA", "NA", "-9"]), row(&["", "", "0"]), row(&["x", "x", "1"])],
            "{name}"
        );
        assert_eq!(
            found(&["NA", "-9"]),
            [vec![None, None, None], row(&["", "", "0"]), row(&["x", "x", "1"])],
            "{name}"
        );
        assert_eq!(
            found(&["", "NA"]),
            [vec![None, None, some("-9")], vec![None, None, some("0")], row(&["x", "x", "1"])],
            "{name}"
        );
    }
}

#[test]
fn several_batches_and_row_groups() {
    let part = |from: i64| batch(vec![("n", Arc::new(Int64Array::from_iter_values(from..from + 10_000)))]);
    let parts: Vec<RecordBatch> = (0..4).map(|i| part(i * 10_000)).collect();
    let folder = Folder::new();
    write_parquet(&folder.path("t.parquet"), &parts);
    write_arrow(&folder.path("t.arrow"), &parts);
    let lines: String = (0..40_000).map(|i| format!("{{\"n\":{i}}}\n")).collect();
    folder.write("t.json", lines);
    for name in ["t.parquet", "t.arrow", "t.json"] {
        let source = folder.open(name).unwrap();
        let (mut next, mut batches) = (0i64, 0);
        ENGINE
            .scan(&source, &strings(&["n"]), &Watch::none(), |batch| {
                let cells = throng_engine::Cells::new("n", batch.column(0)).unwrap();
                for i in 0..cells.len() {
                    assert_eq!(cells.get(i), Some(next.to_string().as_str()), "{name}");
                    next += 1;
                }
                batches += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(next, 40_000, "{name}");
        assert!(batches > 3, "{name}: {batches}");
    }
}

/// The stream format has no footer, but the same ending.
#[test]
fn arrow_streams() {
    let folder = Folder::new();
    let file = fs::File::create(folder.path("t.arrow")).unwrap();
    let mut writer = StreamWriter::try_new(file, &typed_batch().schema()).unwrap();
    writer.write(&typed_batch()).unwrap();
    writer.finish().unwrap();
    assert_eq!(rows(&folder.open_as(&as_it_is("t.arrow")).unwrap()).unwrap(), expected());
}

#[test]
fn a_dictionary_that_changes_between_batches() {
    let part = |values: &[Option<&str>]| {
        batch(vec![(
            "d",
            Arc::new(values.iter().copied().collect::<DictionaryArray<Int8Type>>()) as ArrayRef,
        )])
    };
    let folder = Folder::new();
    write_parquet(&folder.path("t.parquet"), &[part(&[Some("a"), None]), part(&[Some("b"), Some("a")])]);
    let found = rows(&folder.open("t.parquet").unwrap()).unwrap();
    assert_eq!(found, [row(&["a"]), vec![None], row(&["b"]), row(&["a"])]);
}

#[test]
fn a_column_of_nothing_is_missing() {
    let folder = Folder::new();
    let table = batch(vec![
        ("n", Arc::new(NullArray::new(2)) as ArrayRef),
        ("a", Arc::new(StringArray::from(vec!["x", "y"]))),
    ]);
    write_arrow(&folder.path("t.arrow"), &[table]);
    let some = |s: &str| Some(s.to_owned());
    assert_eq!(
        rows(&folder.open("t.arrow").unwrap()).unwrap(),
        [vec![None, some("x")], vec![None, some("y")]]
    );
}

#[test]
fn nested_and_binary_columns_are_refused_by_name() {
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)])]));
    let inner: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    let structure: ArrayRef =
        Arc::new(StructArray::from(vec![(Arc::new(Field::new("i", DataType::Utf8, true)), inner)]));
    let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![b"x".as_slice()]));
    for (what, array) in [("List", list), ("Struct", structure), ("Binary", bytes)] {
        let folder = Folder::new();
        let table = batch(vec![("fine", Arc::new(StringArray::from(vec!["x"]))), ("odd one", array)]);
        write_parquet(&folder.path("t.parquet"), std::slice::from_ref(&table));
        write_arrow(&folder.path("t.arrow"), &[table]);
        for name in ["t.parquet", "t.arrow"] {
            let source = folder.open(name).unwrap();
            let error = rows(&source).unwrap_err();
            assert_eq!(error.faults()[0].kind, Kind::Data);
            assert!(error.to_string().contains("column `odd one`"), "{what} in {name}: {error}");
            // A column that is not asked for hurts nobody.
            assert!(ENGINE.group(&source, &strings(&["fine"]), &Watch::none()).is_ok());
        }
    }
    let folder = Folder::new();
    folder.write("t.json", "{\"a\":1,\"o\":{\"b\":2}}\n");
    let error = rows(&folder.open("t.json").unwrap()).unwrap_err().to_string();
    assert!(error.contains("column `o`"), "{error}");
}

#[test]
fn a_file_that_is_not_what_its_name_says() {
    for name in ["t.parquet", "t.arrow", "t.json"] {
        let folder = Folder::new();
        folder.write(name, "a,b\n1,2\n");
        let error = folder.open(name).and_then(|s| rows(&s)).unwrap_err();
        assert_eq!(error.faults()[0].kind, Kind::Data, "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

/// Cutting a file anywhere must be an error or fewer rows, never a panic.
#[test]
fn files_cut_short() {
    let folder = Folder::new();
    write_parquet(&folder.path("t.parquet"), &[typed_batch()]);
    write_arrow(&folder.path("t.arrow"), &[typed_batch()]);
    for name in ["t.parquet", "t.arrow"] {
        let whole = fs::read(folder.path(name)).unwrap();
        for part in [0, 1, 4, 12, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
            folder.write(name, &whole[..part]);
            let error = folder.open(name).and_then(|s| rows(&s)).unwrap_err();
            assert_eq!(error.faults()[0].kind, Kind::Data, "{name} {part}: {error}");
        }
    }
}
