//! What the released file holds: every format, generalized, starred, kept, and nothing else.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, DurationSecondArray,
    Float64Array, Int8Array, Int64Array, StringArray, Time32SecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampSecondArray, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int8Type, Schema, TimeUnit};
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use throng::error::Kind;
use throng_engine::shape;

use crate::support::{
    Folder, Row, batch, columns_of, read, read_csv, release, sorted, write_arrow, write_parquet,
};

const FORMATS: [&str; 4] = ["csv", "parquet", "json", "arrow"];

/// Three values of `sex` too rare for k = 2, one row without a value.
const TABLE: &str = "\
name,age,sex,city,note
Ann,31,f,Bonn,\"a,1\"
Bob,32,m,Bonn,\"say \"\"x\"\"\"
Cem,33,m,Köln,
Dan,39,x,Köln,\"two
lines\"
Eve,31,f,Bonn,5
Fay,34,f,Bonn,6
Gil,38,m,,7
";

const SEX: &str = "f;any\nm;any\nx;any\n";

fn policy(output: &str, more: &str) -> String {
    format!(
        "version = 1\n\
         [input]\npath = \"t.csv\"\n\
         [output]\npath = \"{output}\"\n{more}\n\
         [columns.name]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi\"\nmin_level = 1\nmax_level = 1\n\
         hierarchy = {{ intervals = {{ widths = [10], low = 30, high = 40 }} }}\n\
         [columns.sex]\nrole = \"quasi\"\nmax_level = 0\nhierarchy = {{ file = \"sex.csv\" }}\n\
         [columns.city]\nrole = \"keep\"\n\
         [columns.note]\nrole = \"sensitive\"\n\
         [privacy]\nk = 2\nsuppression = 0.2\n"
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", TABLE);
    folder.write("sex.csv", SEX);
    folder
}

fn expected(starred: bool) -> Vec<Row> {
    let row = |age: &str, sex: &str, city: &str, note: &str| -> Row {
        [age, sex, city, note].iter().map(|c| (!c.is_empty()).then(|| (*c).to_owned())).collect()
    };
    let age = "[30, 40)";
    let mut rows = vec![
        row(age, "f", "Bonn", "a,1"),
        row(age, "m", "Bonn", "say \"x\""),
        row(age, "m", "Köln", ""),
        row(age, "f", "Bonn", "5"),
        row(age, "f", "Bonn", "6"),
        row(age, "m", "", "7"),
    ];
    if starred {
        rows.push(row("*", "*", "Köln", "two\nlines"));
    }
    sorted(rows)
}

#[test]
fn every_format_has_the_same_rows() {
    for format in FORMATS {
        for starred in [false, true] {
            let folder = folder();
            let output = format!("r.{format}");
            let more = if starred { "suppressed = \"starred\"" } else { "" };
            let done = release(&folder.policy(&policy(&output, more))).unwrap();
            assert!(done.verdict.holds());
            assert_eq!(done.certificate.release.suppressed, 1, "{format}");
            assert_eq!(done.certificate.columns, ["age", "sex", "city", "note"]);
            let table = read(&folder.path(&output));
            assert_eq!(table.0.len(), 4, "{format}: {:?}", table.0);
            let found = sorted(columns_of(&table, &["age", "sex", "city", "note"]));
            assert_eq!(found, expected(starred), "{format}, starred: {starred}");
            let names = folder.names();
            let papers =
                ["policy.toml", "r.certificate.json", output.as_str(), "r.report.html", "sex.csv", "t.csv"];
            assert_eq!(names, sorted(papers.map(String::from).to_vec()));
        }
    }
}

#[test]
fn the_order_can_be_kept() {
    for format in FORMATS {
        let folder = folder();
        let output = format!("r.{format}");
        release(&folder.policy(&policy(&output, "keep_order = true\nsuppressed = \"starred\""))).unwrap();
        let notes: Vec<Row> = columns_of(&read(&folder.path(&output)), &["note"]);
        let notes: Vec<&str> = notes.iter().map(|r| r[0].as_deref().unwrap_or_default()).collect();
        assert_eq!(notes, ["a,1", "say \"x\"", "", "two\nlines", "5", "6", "7"], "{format}");
    }
}

#[test]
fn delimiters_of_input_and_output() {
    let folder = folder();
    let text = policy("r.csv", "delimiter = \"\\t\"");
    release(&folder.policy(&text)).unwrap();
    let tabs = read_csv(&folder.path("r.csv"), b'\t');
    assert_eq!(sorted(tabs.1), expected(false));
    // Without one of its own the output has that of the input.
    folder.write("t.csv", TABLE.replace(',', ";").replace("a;1", "a,1"));
    let text = policy("r.csv", "").replace("path = \"t.csv\"", "path = \"t.csv\"\ndelimiter = \";\"");
    release(&folder.policy(&text)).unwrap();
    assert_eq!(sorted(read_csv(&folder.path("r.csv"), b';').1), expected(false));
}

#[test]
fn a_release_is_as_readable_as_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    release(&folder.policy(&policy("r.csv", ""))).unwrap();
    let mode = |name: &str| fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    for name in ["r.csv", "r.certificate.json", "r.report.html"] {
        assert_eq!(mode(name), mode("t.csv"), "{name}");
    }
}

/// Latin-1 comes out as UTF-8.
#[test]
fn the_encoding_of_a_release_is_utf_8() {
    let folder = folder();
    let latin1: Vec<u8> = TABLE.chars().map(|c| u8::try_from(c).unwrap()).collect();
    folder.write("t.csv", latin1);
    let text = policy("r.csv", "").replace("path = \"t.csv\"", "path = \"t.csv\"\nencoding = \"latin-1\"");
    release(&folder.policy(&text)).unwrap();
    assert_eq!(sorted(read(&folder.path("r.csv")).1), expected(false));
}

/// Columns of every type that has a text, four rows each, with a missing cell.
fn typed() -> Vec<(&'static str, ArrayRef)> {
    let keyed = || ["p", "q", "p", "q"].into_iter();
    vec![
        ("int", Arc::new(Int64Array::from(vec![Some(1), None, Some(-3), Some(i64::MIN)]))),
        ("tiny", Arc::new(Int8Array::from(vec![Some(1), None, Some(-3), Some(4)]))),
        ("big", Arc::new(UInt64Array::from(vec![Some(1), None, Some(3), Some(u64::MAX)]))),
        ("float", Arc::new(Float64Array::from(vec![Some(0.1), None, Some(1e300), Some(-0.0)]))),
        ("truth", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]))),
        ("date", Arc::new(Date32Array::from(vec![Some(0), None, Some(18_321), Some(-700_000)]))),
        (
            "moment",
            Arc::new(Date64Array::from(vec![Some(0), None, Some(86_400_000), Some(1_582_979_696_789)])),
        ),
        ("second", Arc::new(TimestampSecondArray::from(vec![Some(0), None, Some(1), Some(-1)]))),
        ("micro", Arc::new(TimestampMicrosecondArray::from(vec![Some(0), None, Some(1), Some(-1)]))),
        ("utc", Arc::new(TimestampMicrosecondArray::from(vec![0, 1, 2, 3]).with_timezone("UTC"))),
        ("local", Arc::new(TimestampMillisecondArray::from(vec![0, 1, 2, 3]).with_timezone("+05:30"))),
        ("clock", Arc::new(Time32SecondArray::from(vec![Some(0), None, Some(3600), Some(86_399)]))),
        ("span", Arc::new(DurationSecondArray::from(vec![Some(0), None, Some(3600), Some(-5)]))),
        (
            "money",
            Arc::new(
                Decimal128Array::from(vec![Some(1), None, Some(-300), Some(45)])
                    .with_precision_and_scale(12, 2)
                    .unwrap(),
            ),
        ),
        ("keyed", Arc::new(keyed().collect::<DictionaryArray<Int8Type>>())),
        (
            "number keys",
            Arc::new(DictionaryArray::<Int8Type>::new(
                Int8Array::from(vec![Some(0), None, Some(1), Some(0)]),
                Arc::new(Int64Array::from(vec![7, 8])),
            )),
        ),
        ("text", Arc::new(StringArray::from(vec![Some("x"), None, Some("007"), Some("é\n\",")]))),
    ]
}

fn typed_policy(input: &str, output: &str) -> String {
    let mut text = format!(
        "version = 1\n[input]\npath = \"{input}\"\n[output]\npath = \"{output}\"\nkeep_order = true\n\
         [search]\nalgorithm = \"auto\"\n[privacy]\nk = 1\n[columns.q]\nrole = \"quasi\"\n"
    );
    for (name, _) in typed() {
        text.push_str(&format!("[columns.\"{name}\"]\nrole = \"keep\"\n"));
    }
    text
}

fn typed_batch() -> RecordBatch {
    let mut columns = typed();
    columns.push(("q", Arc::new(Int64Array::from(vec![1, 2, 3, 4]))));
    batch(columns)
}

/// Whatever the formats, the verifier must read out of the release what it reads out of the
/// original.
#[test]
fn every_type_survives_every_format() {
    for from in ["parquet", "arrow"] {
        for to in FORMATS {
            let folder = Folder::new();
            let input = format!("t.{from}");
            let write = if from == "parquet" { write_parquet } else { write_arrow };
            write(&folder.path(&input), &[typed_batch()]);
            let done = release(&folder.policy(&typed_policy(&input, &format!("r.{to}"))))
                .unwrap_or_else(|e| panic!("{from} to {to}: {e}"));
            assert!(done.verdict.holds(), "{from} to {to}");
        }
    }
}

#[test]
fn types_stay_where_nothing_is_generalized() {
    let folder = Folder::new();
    write_parquet(&folder.path("t.parquet"), &[typed_batch()]);
    for to in ["r.parquet", "r.arrow"] {
        release(&folder.policy(&typed_policy("t.parquet", to))).unwrap();
        let schema = if to == "r.parquet" {
            let file = File::open(folder.path(to)).unwrap();
            Arc::clone(ParquetRecordBatchReaderBuilder::try_new(file).unwrap().schema())
        } else {
            FileReader::try_new(File::open(folder.path(to)).unwrap(), None).unwrap().schema()
        };
        let kind = |name: &str| schema.field_with_name(name).unwrap().data_type().clone();
        assert_eq!(kind("q"), DataType::Int64, "{to}");
        assert_eq!(kind("int"), DataType::Int64, "{to}");
        assert_eq!(kind("tiny"), DataType::Int8, "{to}");
        assert_eq!(kind("float"), DataType::Float64, "{to}");
        assert_eq!(kind("truth"), DataType::Boolean, "{to}");
        assert_eq!(kind("date"), DataType::Date32, "{to}");
        assert_eq!(kind("micro"), DataType::Timestamp(TimeUnit::Microsecond, None), "{to}");
        assert_eq!(kind("money"), DataType::Decimal128(12, 2), "{to}");
        assert!(kind("text").is_string(), "{to}");
    }
}

/// A hierarchy with more leaves than the keys of the column can number.
#[test]
fn narrow_keys_do_not_limit_the_hierarchy() {
    let folder = Folder::new();
    let leaves: String = (0..400).map(|i| format!("v{i:03};*\n")).collect();
    folder.write("h.csv", leaves);
    let values = ["v399", "v300", "v399", "v300"];
    let keyed: ArrayRef = Arc::new(values.into_iter().collect::<DictionaryArray<Int8Type>>());
    write_parquet(&folder.path("t.parquet"), &[batch(vec![("q", keyed)])]);
    let text = "version = 1\n[input]\npath = \"t.parquet\"\n[output]\npath = \"r.parquet\"\nkeep_order = true\n\
                [privacy]\nk = 2\n[columns.q]\nrole = \"quasi\"\nhierarchy = { file = \"h.csv\" }\n[search]\nalgorithm = \"auto\"\n";
    let done = release(&folder.policy(text)).unwrap();
    assert_eq!(done.certificate.release.levels["q"], 0);
    let found: Vec<String> =
        read(&folder.path("r.parquet")).1.into_iter().map(|r| r[0].clone().unwrap()).collect();
    assert_eq!(found, values);
}

/// A column of numbers becomes text once one of its values is a range or a star.
#[test]
fn generalized_numbers_are_text() {
    let folder = Folder::new();
    let ages: ArrayRef = Arc::new(Int64Array::from(vec![Some(31), Some(38), None, None, Some(77)]));
    let rest: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]));
    write_parquet(&folder.path("t.parquet"), &[batch(vec![("age", ages), ("n", rest)])]);
    for (to, starred) in [("r.parquet", true), ("r.arrow", true), ("r.json", true), ("r.csv", false)] {
        let more = if starred { "suppressed = \"starred\"" } else { "" };
        let text = format!(
            "version = 1\n[input]\npath = \"t.parquet\"\n[output]\npath = \"{to}\"\nkeep_order = true\n{more}\n\
             [privacy]\nk = 2\nsuppression = 0.2\n[columns.n]\nrole = \"keep\"\n\
             [columns.age]\nrole = \"quasi\"\nmax_level = 1\nhierarchy = {{ intervals = {{ widths = [10] }} }}\n[search]\nalgorithm = \"auto\"\n"
        );
        let done = release(&folder.policy(&text)).unwrap();
        assert_eq!(done.certificate.release.levels["age"], 1);
        let found = columns_of(&read(&folder.path(to)), &["age", "n"]);
        let some = |s: &str| Some(s.to_owned());
        let mut expected = vec![
            vec![some("[30, 40)"), some("1")],
            vec![some("[30, 40)"), some("2")],
            vec![None, some("3")],
            vec![None, some("4")],
        ];
        if starred {
            expected.push(vec![some("*"), some("5")]);
        }
        assert_eq!(found, expected, "{to}");
    }
}

/// A floating-point number that is none has no JSON: what cannot be written truly is not written at
/// all.
#[test]
fn what_a_format_cannot_hold_is_refused() {
    let folder = Folder::new();
    let odd: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, f64::INFINITY]));
    let q: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    write_parquet(&folder.path("t.parquet"), &[batch(vec![("odd", odd), ("q", q)])]);
    for to in FORMATS {
        let text = format!(
            "version = 1\n[input]\npath = \"t.parquet\"\n[output]\npath = \"r.{to}\"\n[privacy]\nk = 1\n\
             [columns.q]\nrole = \"quasi\"\n[columns.odd]\nrole = \"keep\"\n"
        );
        match release(&folder.policy(&text)) {
            Ok(done) => assert!(done.verdict.holds() && to != "json"),
            Err(error) => {
                assert_eq!(to, "json", "{error}");
                assert_eq!(error.faults()[0].kind, Kind::Data, "{error}");
                assert!(error.to_string().contains("column `odd`"), "{error}");
                assert!(!folder.path("r.json").exists());
            }
        }
    }
}

/// A missing cell and an empty text are two things, also where both look alike in delimited text.
#[test]
fn missing_cells_of_delimited_text() {
    let folder = Folder::new();
    let v: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("")]));
    let q: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    write_parquet(&folder.path("t.parquet"), &[batch(vec![("v", v), ("q", q)])]);
    folder.write("t.csv", "v,q\nx,1\n,2\nNA,3\n");
    let policy = |input: &str, null: &str| {
        format!(
            "version = 1\n[input]\npath = \"{input}\"\nnull = {null}\n[output]\npath = \"r.csv\"\nkeep_order = true\n\
             [search]\nalgorithm = \"auto\"\n[privacy]\nk = 1\n[columns.q]\nrole = \"quasi\"\n[columns.v]\nrole = \"keep\"\n"
        )
    };
    for (input, null, expected) in [
        ("t.parquet", "[\"\"]", "v,q\nx,1\n,2\n,3\n"),
        ("t.parquet", "[\"NA\"]", "v,q\nx,1\nNA,2\n,3\n"),
        ("t.csv", "[\"\"]", "v,q\nx,1\n,2\nNA,3\n"),
        ("t.csv", "[\"NA\"]", "v,q\nx,1\n,2\nNA,3\n"),
        ("t.csv", "[\"NA\", \"\"]", "v,q\nx,1\n,2\n,3\n"),
        ("t.csv", "[]", "v,q\nx,1\n,2\nNA,3\n"),
    ] {
        release(&folder.policy(&policy(input, null))).unwrap_or_else(|e| panic!("{input} {null}: {e}"));
        // The writer may quote an empty text.
        let found = fs::read_to_string(folder.path("r.csv")).unwrap().replace("\"\"", "");
        assert_eq!(found, expected, "{input} {null}");
    }
    let error = release(&folder.policy(&policy("t.parquet", "[]"))).unwrap_err();
    assert_eq!(error.faults()[0].kind, Kind::Data, "{error}");
    assert!(error.to_string().contains("column `v`") && error.to_string().contains("input.null"), "{error}");
}

/// The input's metadata must not travel along.
fn with_metadata() -> RecordBatch {
    let plain = typed_batch();
    let secret = BTreeMap::from([("owner", "Dr. Who")]);
    let map = || secret.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let fields: Vec<Field> =
        plain.schema().fields().iter().map(|f| f.as_ref().clone().with_metadata(map())).collect();
    let schema = Schema::new(fields).with_metadata(map());
    RecordBatch::try_new(Arc::new(schema), plain.columns().to_vec()).unwrap()
}

#[test]
fn no_metadata_is_released() {
    let folder = Folder::new();
    write_parquet(&folder.path("t.parquet"), &[with_metadata()]);
    write_arrow(&folder.path("t.arrow"), &[with_metadata()]);
    for from in ["t.parquet", "t.arrow"] {
        for to in ["r.parquet", "r.arrow"] {
            release(&folder.policy(&typed_policy(from, to))).unwrap();
            let found = shape(&folder.path(to)).unwrap();
            assert_eq!(found.metadata, Vec::<String>::new(), "{from} to {to}");
            assert_eq!(found.fault(), None);
            assert_eq!(found.writer.is_some(), to == "r.parquet");
            assert!(found.writer.is_none_or(|w| w.starts_with("throng ")));
            let bytes = fs::read(folder.path(to)).unwrap();
            let has = |text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
            assert!(!has("Dr. Who") && !has("owner"), "{from} to {to}");
        }
    }
}

#[test]
fn metadata_in_a_file_is_found() {
    let folder = Folder::new();
    let table = batch(vec![("k", Arc::new(StringArray::from(vec!["x"])) as ArrayRef)]);
    let parquet = |name: &str, properties: WriterProperties| {
        let file = File::create(folder.path(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, table.schema(), Some(properties)).unwrap();
        writer.write(&table).unwrap();
        writer.close().unwrap();
        shape(&folder.path(name)).unwrap()
    };
    let entry = KeyValue::new("secret".into(), "x".to_owned());
    let found = parquet(
        "a.parquet",
        WriterProperties::builder()
            .set_created_by("throng 0".into())
            .set_key_value_metadata(Some(vec![entry]))
            .build(),
    );
    assert!(found.fault().is_some_and(|f| f.contains("secret")), "{found:?}");
    let found = parquet("b.parquet", WriterProperties::builder().set_created_by("other".into()).build());
    assert!(found.fault().is_some(), "{found:?}");

    let arrow = |name: &str, footer: bool, schema: Schema| {
        let table = RecordBatch::try_new(Arc::new(schema), table.columns().to_vec()).unwrap();
        let mut writer =
            FileWriter::try_new(File::create(folder.path(name)).unwrap(), &table.schema()).unwrap();
        writer.write(&table).unwrap();
        if footer {
            writer.write_metadata("in the footer", "x");
        }
        writer.finish().unwrap();
        shape(&folder.path(name)).unwrap()
    };
    let field = || Field::new("k", DataType::Utf8, true);
    let map = |k: &str| std::collections::HashMap::from([(k.to_owned(), "x".to_owned())]);
    assert_eq!(arrow("0.arrow", false, Schema::new(vec![field()])).fault(), None);
    for (name, footer, schema, part) in [
        ("1.arrow", false, Schema::new(vec![field()]).with_metadata(map("of table")), "of table"),
        ("2.arrow", false, Schema::new(vec![field().with_metadata(map("of column"))]), "k.of column"),
        ("3.arrow", true, Schema::new(vec![field()]), "in the footer"),
    ] {
        let found = arrow(name, footer, schema);
        assert!(found.fault().is_some_and(|f| f.contains(part)), "{part}: {found:?}");
    }
}

/// A dictionary or an array's buffer could hold what no released row has: the values of suppressed
/// rows.
#[test]
fn suppressed_values_are_nowhere_in_the_file() {
    let contains = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    for format in FORMATS {
        let folder = folder();
        folder.write("t.csv", TABLE.replace(",x,", ",unusual,").replace("lines", "of a kind"));
        folder.write("sex.csv", SEX.replace("x;", "unusual;"));
        let output = folder.path(&format!("r.{format}"));
        release(&folder.policy(&policy(&format!("r.{format}"), ""))).unwrap();
        let mut parts = vec![fs::read(&output).unwrap()];
        if format == "parquet" {
            parts.extend(pages(&output));
        }
        assert!(parts.iter().any(|part| contains(part, "Bonn")), "{format}: looks at nothing");
        for secret in ["Ann", "Dan", "name", "unusual", "of a kind", "any"] {
            assert!(!parts.iter().any(|part| contains(part, secret)), "{format}: {secret}");
        }
    }
}

/// All pages of a Parquet file, not compressed.
fn pages(path: &std::path::Path) -> Vec<Vec<u8>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut pages = Vec::new();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).unwrap();
        for column in 0..group.num_columns() {
            let mut of_column = group.get_column_page_reader(column).unwrap();
            while let Some(page) = of_column.get_next_page().unwrap() {
                pages.push(page.buffer().to_vec());
            }
        }
    }
    pages
}
