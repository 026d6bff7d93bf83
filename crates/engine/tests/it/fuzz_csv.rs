//! The fuzz target of the table reader, without a fuzzer: the seeds of `fuzz/seeds/csv` and
//! mutations of them, read as both encodings, against a plain reader that sees the whole text at
//! once.
//!
//! It is a test of this crate and not a target of `fuzz/`, because a second workspace would build
//! Arrow a second time.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use throng::error::{Kind, Result};
use throng::policy::{Encoding, Input};
use throng::watch::Watch;

use crate::mutate::{Chance, mutated};
use crate::support::{ENGINE, Folder, Row, effort, input, rows};

/// What reading must keep, whatever the bytes are.
fn csv(data: &[u8], folder: &Folder) {
    folder.write("t.csv", data);
    for encoding in [Encoding::Utf8, Encoding::Latin1] {
        let settings = Input { encoding, null: Vec::new(), ..input("t.csv") };
        let text: Vec<u8> = match encoding {
            Encoding::Latin1 => data.iter().map(|&b| windows_1252(b)).collect::<String>().into_bytes(),
            _ => data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data).to_vec(),
        };
        match (scanned(folder, &settings), plain(&text)) {
            (Ok(found), Some(expected)) => assert_eq!(found, expected, "{encoding:?}"),
            (Err(error), None) => {
                let kind = error.faults()[0].kind;
                assert!([Kind::Data, Kind::Input].contains(&kind), "{encoding:?}: {error}");
                assert!(error.to_string().contains("t.csv"), "{encoding:?}: {error}");
                assert!(!error.to_string().contains(" error: "), "{encoding:?}: {error}");
            }
            (Ok(found), None) => panic!("{encoding:?}: read, though it is no table: {found:?}"),
            (Err(error), Some(_)) => panic!("{encoding:?}: not read, though it is a table: {error}"),
        }
    }
}

/// A byte as windows-1252 has it; the five bytes without a character are control characters.
fn windows_1252(byte: u8) -> char {
    let upper = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    match byte {
        0x80..=0x9f => upper.chars().nth(usize::from(byte - 0x80)).unwrap(),
        _ => char::from(byte),
    }
}

/// The table by the engine; every way of reading it must find the same rows.
fn scanned(folder: &Folder, settings: &Input) -> Result<(Vec<String>, Vec<Row>)> {
    let source = folder.open_as(settings)?;
    let columns = ENGINE.columns(&source)?;
    let all = rows(&source)?;
    assert!(all.iter().all(|row| row.len() == columns.len()));
    assert_eq!(rows(&source)?, all, "another scan, other rows");
    let grouped = ENGINE.group(&source, &columns, &Watch::none())?;
    assert_eq!(grouped.tuples.rows(), all.len() as u64);
    for (i, dictionary) in grouped.dictionaries.iter().enumerate() {
        let counted: u64 = (0..dictionary.len()).map(|code| dictionary.count(code as u32)).sum();
        assert_eq!(counted, all.len() as u64);
        assert!(all.iter().all(|row| dictionary.get(row[i].as_deref()).is_some()));
    }
    Ok((columns, all))
}

/// The table by the definition: a header, and rows of as many cells, all UTF-8 and without NUL bytes.
fn plain(text: &[u8]) -> Option<(Vec<String>, Vec<Row>)> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
    let records: Option<Vec<Vec<String>>> = reader
        .byte_records()
        .map(|record| record.ok()?.iter().map(|c| String::from_utf8(c.to_vec()).ok()).collect())
        .collect();
    let mut records = records?.into_iter();
    let header = records.next()?;
    let rows: Vec<Row> = records.map(|row| row.into_iter().map(Some).collect()).collect();
    let fits =
        rows.iter().all(|row| row.len() == header.len()) && !ends_in_quotes(text) && !text.contains(&0);
    fits.then(|| (own_names(&header), rows))
}

/// Whether the last cell opens a quote that nothing closes. A quote opens a cell at its start alone,
/// and two of them within quotes are one.
fn ends_in_quotes(text: &[u8]) -> bool {
    let (mut quoted, mut start) = (false, true);
    let mut bytes = text.iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if quoted && bytes.peek() == Some(&&b'"') => drop(bytes.next()),
            b'"' if quoted => quoted = false,
            b'"' if start => quoted = true,
            _ => {}
        }
        start = !quoted && [b',', b'\n', b'\r'].contains(byte);
    }
    quoted
}

/// A name of its own for every column: a first one without a name is `row`, another one has its
/// place, and one that has the name of another its number.
fn own_names(header: &[String]) -> Vec<String> {
    let mut taken: Vec<String> = header.iter().filter(|name| !name.trim().is_empty()).cloned().collect();
    let mut names = Vec::new();
    for (i, name) in header.iter().enumerate() {
        let before = header[..i].iter().filter(|other| *other == name).count();
        let wanted = match (name.trim().is_empty(), i) {
            (true, 0) => "row".to_owned(),
            (true, _) => format!("column_{}", i + 1),
            (false, _) if before == 0 => {
                names.push(name.clone());
                continue;
            }
            (false, _) => format!("{name}.{}", before + 1),
        };
        let numbered = (2..).map(|n| format!("{wanted}.{n}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken.contains(name));
        taken.push(free.clone().unwrap());
        names.extend(free);
    }
    names
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/csv");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn tables_that_anybody_could_write() {
    let folder = Folder::new();
    let seeds = seeds();
    let run = |data: &[u8]| {
        if catch_unwind(AssertUnwindSafe(|| csv(data, &folder))).is_err() {
            panic!("with {:?}", data.escape_ascii().to_string());
        }
    };
    seeds.iter().for_each(|seed| run(seed));
    for seed in 0..effort(1_000) {
        run(&mutated(&seeds, &mut Chance::new(seed.into())));
    }
}
