//! Files of other programs. `people.*`, `packed.sav` and `pandas117.dta` were written by pandas and
//! ReadStat from one table, with labels and declared missing values; `people.sas7bdat` is a file of
//! the `sas7bdat` crate's tests (MIT).

use std::path::Path;

use throng::policy::Input;
use throng_engine::Source;

use crate::support::{ENGINE, Folder, input, rows, rows_of};
use crate::workbooks::{Cell, workbook};

fn open(name: &str, labels: bool) -> Source {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    Source::open(&Input { labels, ..input(name) }, &folder).unwrap()
}

/// All cells but those of `note`, a line per row.
fn lines(source: &Source) -> Vec<String> {
    let columns: Vec<String> = ENGINE.columns(source).unwrap().into_iter().filter(|c| c != "note").collect();
    let cell = |cell: Option<String>| cell.unwrap_or_else(|| "∅".into());
    let rows = rows_of(source, &columns).unwrap();
    let lines = rows.into_iter().map(|row| row.into_iter().map(cell).collect::<Vec<_>>().join("|"));
    std::iter::once(columns.join("|")).chain(lines).collect()
}

const PEOPLE: [&str; 5] = [
    "name|sex|age|height|born|seen",
    "Zoë|male|34|1.5|1984-03-17|2020-01-02T03:04:05",
    "Bo|female|98|0.3|1920-01-01|2020-01-02T00:00:00",
    "∅|male|∅|∅|∅|∅",
    "Max Mustermann mit sehr langem Namen|∅|7|180.25|2001-12-31|1999-12-31T23:59:59",
];

#[test]
fn spss_files_are_read_plain_packed_and_compressed() {
    for name in ["people.sav", "people.zsav", "packed.sav"] {
        let source = open(name, true);
        assert_eq!(lines(&source), PEOPLE, "{name}");
        let notes = rows_of(&source, &["note".into()]).unwrap();
        let note = |row: usize| notes[row][0].clone().unwrap_or_default();
        assert_eq!((note(0), note(3)), ("x".repeat(300), "é".repeat(200)), "{name}");
        assert_eq!((note(1).as_str(), note(2).as_str()), ("y", ""), "{name}");
    }
}

#[test]
fn labels_are_read_where_every_value_has_one() {
    // 98 is "98 or older", and 34 has no label.
    let source = open("people.sav", true);
    assert_eq!(lines(&source)[2].split('|').nth(2), Some("98"));
    for name in ["people.sav", "people.dta"] {
        let plain = lines(&open(name, false));
        assert_eq!(plain[1].split('|').nth(1), Some("1"), "{name}");
        assert_eq!(lines(&open(name, true))[1].split('|').nth(1), Some("male"), "{name}");
    }
}

#[test]
fn stata_files_are_read() {
    let found = lines(&open("people.dta", true));
    let mut expected = PEOPLE.map(String::from);
    // Nothing is declared missing here.
    expected[3] = expected[3].replacen("male|∅", "male|99", 1);
    assert_eq!(found, expected);
    // Long strings, whole numbers and single precision.
    let found = lines(&open("pandas117.dta", true));
    assert_eq!(found[0], "name|age|height|born|seen|count|small");
    assert_eq!(found[1], "Zoë|34|1.5|1984-03-17|2020-01-02T03:04:05|1|0.1");
    assert_eq!(found[3], "∅|99|∅|∅|∅|3|0.3");
}

#[test]
fn sas_files_are_read() {
    let source = open("people.sas7bdat", true);
    assert_eq!(lines(&source)[..2], ["ID|SBP|DBP|GENDER|AGE|WT", "1|120|80|é|15|115"]);
    // Columns in another order, and one twice, as a release asks for them.
    let asked = ["AGE", "ID", "AGE"].map(String::from);
    assert_eq!(rows_of(&source, &asked).unwrap()[1], ["25", "2", "25"].map(|c| Some(c.to_owned())));
}

#[test]
fn cut_files_are_refused() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folder = Folder::new();
    for name in ["people.sav", "people.zsav", "packed.sav", "people.dta", "people.sas7bdat"] {
        let bytes = std::fs::read(fixtures.join(name)).unwrap();
        for len in [3, 200, bytes.len() / 2, bytes.len() * 9 / 10] {
            folder.write(name, &bytes[..len]);
            let read = folder.open(name).and_then(|source| rows(&source));
            let error = read.map(|rows| rows.len()).unwrap_err();
            assert!(error.faults()[0].help.is_some(), "{name}: {error}");
        }
    }
}

#[test]
fn sheets_are_found_by_name_or_by_their_cells() {
    let folder = Folder::new();
    let header: &[Cell] = &[Cell::Text("name"), Cell::Text("seen")];
    folder.write(
        "t.xlsx",
        workbook(&[
            ("Empty", &[]),
            (
                "A",
                &[
                    header,
                    &[Cell::Text("Ann"), Cell::Date(43_832.5)],
                    &[],
                    &[Cell::None, Cell::Date(43_833.0)],
                ],
            ),
            ("B", &[header, &[Cell::Text("Bo"), Cell::Date(0.5)]]),
        ]),
    );
    let read = |sheet: Option<&str>| {
        let stated = Input { sheet: sheet.map(String::from), ..input("t.xlsx") };
        folder.open_as(&stated).map(|source| lines(&source))
    };
    let first = ["name|seen", "Ann|2020-01-02T12:00:00", "∅|2020-01-03T00:00:00"];
    assert_eq!(read(None).unwrap(), first);
    assert_eq!(read(Some("A")).unwrap(), first);
    assert_eq!(read(Some("B")).unwrap(), ["name|seen", "Bo|12:00:00"]);
    let error = read(Some("C")).unwrap_err();
    assert!(error.has_code("table.no-such-sheet"), "{error}");
    assert!(error.faults()[0].help.as_ref().unwrap().contains("Empty, A, B"), "{error}");
}
