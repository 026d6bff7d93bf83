//! Error messages: file and line, the user's own words, and nothing of the machinery.

use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use throng::error::{Error, Kind};
use throng::policy::{Encoding, Input};
use throng::watch::Watch;
use throng_engine::PolicyFile;

use crate::support::{ENGINE, Folder, batch, input, release, rows, write_arrow, write_parquet};

/// Words that mean something only to those who know what is under the bonnet.
const JARGON: [&str; 26] = [
    "DataFusion",
    "Execution error",
    "External error",
    "External:",
    "Internal error",
    "Arrow error",
    "Arrow:",
    "ArrowError",
    "Parquet error",
    "Csv error",
    "Json error",
    "Ipc error",
    "Io error",
    "Parser error",
    "Schema error",
    "Cast error",
    "Compute error",
    "Invalid argument error",
    "Error during planning",
    "Object Store error",
    "Object at location",
    "LocalFileSystem",
    "EOF:",
    "NYI:",
    "JoinError",
    "backtrace",
];

/// The message has all the parts and no jargon.
fn says(error: &Error, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "lacks {part:?}: {text}");
    }
    for word in JARGON {
        assert!(!text.contains(word), "says {word:?}: {text}");
    }
    assert!(!text.contains("file:///"), "{text}");
    assert!(error.faults().iter().all(|f| f.kind != Kind::Bug), "{text}");
}

/// What reading a table fails with.
fn failure(name: &str, bytes: impl AsRef<[u8]>, input: &Input) -> Error {
    let folder = Folder::new();
    folder.write(name, bytes);
    folder.open_as(input).and_then(|source| rows(&source)).unwrap_err()
}

#[test]
fn lines_with_too_few_or_too_many_cells() {
    let csv = input("t.csv");
    says(&failure("t.csv", "a,b\n1,2\n3\n", &csv), &["t.csv:3:", "has 1 cell", "the header has 2"]);
    says(&failure("t.csv", "a,b\n1,2,3\n", &csv), &["t.csv:2:", "has 3 cells", "quotes"]);
    // Lines within cells count.
    says(&failure("t.csv", "a,b\n\"1\n\n1\",2\n3\n", &csv), &["t.csv:5:"]);
    let latin1 = Input { encoding: Encoding::Latin1, ..csv.clone() };
    says(&failure("t.csv", b"a,b\n\xe9,2\n3\n", &latin1), &["t.csv:3:", "has 1 cell"]);
    // Far into the file.
    let long = "a,b\n".to_owned() + &"1,2\n".repeat(30_000) + "3\n" + &"1,2\n".repeat(30_000);
    says(&failure("t.csv", long, &csv), &["t.csv:30002:"]);
}

#[test]
fn the_file_of_many_is_named() {
    let folder = Folder::new();
    folder.write("a.csv", "a,b\n1,2\n");
    folder.write("b.csv", "a,b\n1,2\n1\n");
    let error = folder.open("*.csv").and_then(|source| rows(&source)).unwrap_err();
    says(&error, &["b.csv:3:"]);
}

#[test]
fn text_that_is_not_utf_8() {
    let csv = input("t.csv");
    says(
        &failure("t.csv", b"a,b\n1,ok\n2,\xe9\n", &csv),
        &["t.csv:3:", "column `b`", "not UTF-8", "input.encoding = \"latin-1\""],
    );
    // Together the two cells are UTF-8, each of them is not.
    says(&failure("t.csv", b"a,b\n1,x\xc3\n\xa9,2\n", &csv), &["t.csv:2:", "column `b`", "not UTF-8"]);
    says(&failure("t.csv", b"a,gr\xf6sse\n1,2\n", &csv), &["t.csv:1:", "UTF-8", "latin-1"]);
}

#[test]
fn lines_that_are_not_json() {
    let json = input("t.json");
    let fine = "{\"a\":1}\n";
    says(&failure("t.json", fine.to_owned() + "{\"a\":\n", &json), &["t.json:2:"]);
    says(&failure("t.json", fine.to_owned() + "nothing\n", &json), &["t.json:2:"]);
    says(&failure("t.json", fine.repeat(5_000) + "[1]\n", &json), &["t.json:5001:"]);
    says(&failure("t.json", "{\"a\":1}\n{\"a\":\"x\"}\n", &json), &["t.json:1:", "`a`", "a number"]);
    says(&failure("t.json", b"{\"a\":\"\xff\"}\n", &json), &["t.json:1:"]);
    says(&failure("t.json", "", &json), &["t.json", "empty"]);
}

#[test]
fn files_that_are_something_else() {
    for (name, bytes) in [
        ("t.parquet", &b"a,b\n1,2\n"[..]),
        ("t.parquet", b"PAR1 and then nothing that would follow PAR1"),
        ("t.arrow", b"a,b\n1,2\n"),
        ("t.arrow", b"ARROW1\0\0 and then nothing of the kind at all ARROW1"),
        ("t.json", b"PAR1\0\x01\x02\x03"),
    ] {
        says(&failure(name, bytes, &input(name)), &[name]);
    }
    // A Parquet file under the name of an Arrow file, and the other way round.
    let folder = Folder::new();
    let table = batch(vec![("a", Arc::new(StringArray::from(vec!["x"])) as ArrayRef)]);
    write_parquet(&folder.path("p.arrow"), std::slice::from_ref(&table));
    write_arrow(&folder.path("a.parquet"), &[table]);
    for name in ["p.arrow", "a.parquet"] {
        says(&folder.open(name).and_then(|s| rows(&s)).unwrap_err(), &[name]);
    }
}

#[test]
fn damaged_pages() {
    let folder = Folder::new();
    let text: Vec<String> = (0..5_000).map(|i| format!("some text {i}")).collect();
    let table = batch(vec![("a", Arc::new(StringArray::from(text)) as ArrayRef)]);
    for (name, write) in
        [("t.parquet", write_parquet as fn(&std::path::Path, &[_])), ("t.arrow", write_arrow)]
    {
        write(&folder.path(name), std::slice::from_ref(&table));
        let whole = fs::read(folder.path(name)).unwrap();
        for at in [8, 40, whole.len() / 3, whole.len() - 200] {
            let mut bytes = whole.clone();
            bytes[at..at + 24].fill(0xff);
            folder.write(name, bytes);
            // A changed character is not visible damage.
            if let Err(error) = folder.open(name).and_then(|s| rows(&s)) {
                says(&error, &[name]);
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn files_that_vanish_or_cannot_be_read() {
    let folder = Folder::new();
    folder.write("t.csv", "a\n1\n");
    let table = batch(vec![("a", Arc::new(StringArray::from(vec!["x"])) as ArrayRef)]);
    write_parquet(&folder.path("t.parquet"), &[table]);
    folder.write("t.json", "{\"a\":1}\n");
    for name in ["t.csv", "t.parquet", "t.json"] {
        let source = folder.open(name).unwrap();
        fs::remove_file(folder.path(name)).unwrap();
        let error = ENGINE.scan(&source, &["a".into()], &Watch::none(), |_| Ok(())).unwrap_err();
        says(&error, &[name]);
        assert_eq!(error.faults()[0].kind, Kind::System, "{error}");
    }
}

#[test]
fn a_column_that_is_not_there() {
    let folder = Folder::new();
    folder.write("t.csv", "a\n1\n");
    for encoding in [Encoding::Utf8, Encoding::Latin1] {
        let source = folder.open_as(&Input { encoding, ..input("t.csv") }).unwrap();
        says(&ENGINE.scan(&source, &["b".into()], &Watch::none(), |_| Ok(())).unwrap_err(), &["b"]);
    }
}

const POLICY: &str = "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"r.csv\"\n[privacy]\nk = 1\n\
                      [columns.a]\nrole = \"quasi\"\n[columns.b]\nrole = \"keep\"\n";

/// What a release fails with.
fn refusal(table: &str, policy: &str) -> Error {
    let folder = Folder::new();
    folder.write("t.csv", table);
    let error = release(&folder.policy(policy)).map(|d| d.paths).unwrap_err();
    assert_eq!(folder.names(), ["policy.toml", "t.csv"]);
    error
}

#[test]
fn policies_that_do_not_fit() {
    says(&refusal("a;b\n1;2\n", POLICY), &["t.csv:1:", "one column", "input.delimiter = \";\""]);
    says(&refusal("a,b,c\n1,2,3\n", POLICY), &["`c`", "role"]);
    says(&refusal("a\n1\n", POLICY), &["columns.b"]);
    says(&refusal("a,b\n1,2\n3\n", POLICY), &["t.csv:3:"]);
    says(&refusal("a,b\n1,2\n", &POLICY.replace("k = 1", "k = 2")), &["privacy.k", "1 row"]);
    let file = POLICY.replace("role = \"quasi\"", "role = \"quasi\"\nhierarchy = { file = \"h.csv\" }");
    says(&refusal("a,b\n1,2\n", &file), &["h.csv"]);
    let dates = POLICY.replace("role = \"quasi\"", "role = \"quasi\"\nhierarchy = { date = {} }");
    says(&refusal("a,b\nmonday,2\n", &dates), &["t.csv", "`a`", "monday"]);
    let level = POLICY.replace("role = \"quasi\"", "role = \"quasi\"\nmax_level = 7");
    says(&refusal("a,b\n1,2\n", &level), &["columns.a"]);
    let strategy = POLICY.to_owned() + "[search]\nalgorithm = \"olla\"\n";
    says(&throng::policy::Policy::parse(&strategy).unwrap_err(), &["search.algorithm", "ola"]);
    let loss = POLICY.to_owned() + "[search]\nloss = \"entropie\"\n";
    says(&throng::policy::Policy::parse(&loss).unwrap_err(), &["entropy"]);
}

#[test]
fn policies_that_cannot_be_read() {
    let folder = Folder::new();
    let read = |name: &str| PolicyFile::read(&folder.path(name)).map(|_| ()).unwrap_err();
    says(&read("none.toml"), &["none.toml"]);
    folder.write("bad.toml", "version = 1\n[input\n");
    says(&read("bad.toml"), &["bad.toml"]);
    folder.write("latin1.toml", b"version = 1 # \xe9\n");
    says(&read("latin1.toml"), &["latin1.toml", "UTF-8"]);
    folder.write("t.csv", "a,b\n1,2\n");
    folder.write("h.csv", b"\xe9;x\n");
    let policy = folder.policy(&POLICY.replace("\"quasi\"", "\"quasi\"\nhierarchy = { file = \"h.csv\" }"));
    says(&release(&policy).unwrap_err(), &["h.csv", "UTF-8"]);
    folder.write("h.csv", "1;x\n1;y\n");
    says(&release(&policy).unwrap_err(), &["h.csv:2:"]);
}
