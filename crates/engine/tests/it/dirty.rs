//! Forty-odd files as they are found in practice: each is read correctly, or refused with line,
//! value and remedy. A few are ambiguous, which only their holder can settle.
//!
//! Files are generated here from the table of cases; their cells are compared as text, with `∅` for
//! a missing one.

use std::io::Write;

use throng::describe::{self, Answers};
use throng::error::{Error, Result};
use throng::policy::Policy;
use throng::watch::Watch;
use throng_engine::{Inspected, sniff};

use crate::support::{ENGINE, Folder, rows_of};
use crate::workbooks::{Cell, workbook};

/// What should become of a file.
enum Expected {
    /// The header and the rows.
    Cells(&'static [&'static str]),
    /// A fault with this code, at this line, whose text contains these parts.
    Refused(&'static str, Option<u64>, &'static [&'static str]),
    /// A column that can be read in two ways, and the option that settles it.
    Ambiguous(&'static str, &'static str),
}

use Expected::{Ambiguous, Cells, Refused};

type Case = (&'static str, Vec<u8>, Expected);

fn text(name: &'static str, text: &str, expected: Expected) -> Case {
    (name, text.as_bytes().to_vec(), expected)
}

/// Rows with little in them that look like a table: a header and rows whose values repeat.
fn cases() -> Vec<Case> {
    let mut cases = layouts();
    cases.extend(damage());
    cases.extend(numbers());
    cases.extend(dates());
    cases.extend(names());
    cases.extend(others());
    cases
}

fn layouts() -> Vec<Case> {
    let plain: &[&str] = &["name|age", "Ann|31", "Bo|42"];
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    vec![
        text("bom.csv", "\u{feff}name,age\nAnn,31\nBo,42\n", Cells(plain)),
        text("mixed-line-ends.csv", "name,age\r\nAnn,31\nBo,42\r\n", Cells(plain)),
        text("old-mac-line-ends.csv", "name,age\rAnn,31\rBo,42\r", Cells(plain)),
        text("no-last-line-end.csv", "name,age\nAnn,31\nBo,42", Cells(plain)),
        text("blank-lines.csv", "\n\nname,age\nAnn,31\n\n\nBo,42\n\n", Cells(plain)),
        text("tabs.txt", "name\tage\nAnn\t31\nBo\t42\n", Cells(plain)),
        text("pipes.csv", "name|age\nAnn|31\nBo|42\n", Cells(plain)),
        text(
            "semicolons-in-quotes.csv",
            "name;note\nAnn;\"a; b\"\nBo;\"c \"\"d\"\"; e\"\n",
            Cells(&["name|note", "Ann|a; b", "Bo|c \"d\"; e"]),
        ),
        text("title.csv", "Report of 2020\n\nname,age,sex\nAnn,31,f\nBo,42,m\n", {
            Cells(&["name|age|sex", "Ann|31|f", "Bo|42|m"])
        }),
        text("comments-above.csv", "# a\n# b\nname;age;sex\nAnn;31;f\nBo;42;m\n", {
            Cells(&["name|age|sex", "Ann|31|f", "Bo|42|m"])
        }),
        (
            "latin-1.csv",
            b"name,town\nZo\xeb,K\xf6ln\nBo,\x80rsted\n".to_vec(),
            Cells(&["name|town", "Zoë|Köln", "Bo|€rsted"]),
        ),
        ("utf-16.csv", utf16("\u{feff}name\tage\nAnn\t31\nBo\t42\n"), Cells(plain)),
        ("compressed.csv.gz", gzip(b"name,age\nAnn,31\nBo,42\n"), Cells(plain)),
        text("trailing-delimiters.csv", "name;age;\nAnn;31;\nBo;42;\n", {
            Cells(&["name|age|column_3", "Ann|31|∅", "Bo|42|∅"])
        }),
        text("header-only.csv", "name,age\n", Cells(&["name|age"])),
    ]
}

fn damage() -> Vec<Case> {
    let mut cut = gzip("name,age\n".repeat(1000).as_bytes());
    cut.truncate(cut.len() - 9);
    vec![
        text("empty.csv", "", Refused("table.empty-file", None, &["the file is empty"])),
        text("no-header.csv", "Ann,1984-03-17,10115\nBo,1990-01-02,10117\nCy,1991-05-06,10119\n", {
            Refused("table.no-header-line", Some(1), &["looks like data", "--header none"])
        }),
        text("unclosed-quote.csv", "name,note\nAnn,ok\nBo,\"never\nCy,ok\nDi,ok\n", {
            Refused("table.unclosed-quote", Some(3), &["never closed", "input.quote"])
        }),
        text("ragged.csv", "name,age\nAnn,31\nBo,42,x\nCy,7\nDi,8\nEd,9\n", {
            Refused("table.wrong-cell-count", Some(3), &["has 3 cells", "needs quotes"])
        }),
        text("row-names-of-r.csv", "name,age\n1,Ann,31\n2,Bo,42\n3,Cy,7\n4,Di,8\n5,Ed,9\n", {
            Refused("table.wrong-cell-count", Some(2), &["has 3 cells", "row.names = FALSE", "needs quotes"])
        }),
        text("too-short.csv", "name;age;sex\nAnn;31;f\nBo;42\nCy;1;f\nDi;2;f\nEd;3;m\n", {
            Refused("table.wrong-cell-count", Some(3), &["has 2 cells", "a cell is missing"])
        }),
        text("comment-within.csv", "name,age\nAnn,31\n# a comment\nBo,42\nCy,7\nDi,8\n", {
            Refused("table.wrong-cell-count", Some(3), &["comments are not rows"])
        }),
        (
            "nul.csv",
            b"name,age\nAnn,31\nB\0o,42\n".to_vec(),
            Refused("table.nul-byte", Some(3), &["NUL byte", "utf-16"]),
        ),
        (
            "half-utf-8.csv",
            [&b"name,age\n"[..], &b"Ann,31\n".repeat(200_000), b"B\xf6,42\n"].concat(),
            Cells(&["name|age", "Ann|31"]),
        ),
        (
            "workbook.csv",
            workbook(&[("People", &[&[Cell::Text("name")], &[Cell::Text("Ann")]])]),
            Refused("table.not-text", None, &["looks like excel", "input.format = \"excel\""]),
        ),
        ("cut.csv.gz", cut, Refused("table.undecodable", None, &["it is damaged"])),
        (
            "cut.xlsx",
            {
                let mut book = workbook(&[("People", &[&[Cell::Text("name")], &[Cell::Text("Ann")]])]);
                book.truncate(book.len() / 2);
                book
            },
            Refused("table.undecodable", None, &["it is damaged", "input.format"]),
        ),
        text("unknown.dat", "name,age\nAnn,31\n", {
            Refused("table.unknown-format", None, &["does not show the format", "--format"])
        }),
    ]
}

fn numbers() -> Vec<Case> {
    vec![
        text("decimal-comma.csv", "name;height\nAnn;174,2\nBo;180\n", {
            Cells(&["name|height", "Ann|174.2", "Bo|180"])
        }),
        text("euros.csv", "name;pay\nAnn;1.234,56 €\nBo;-7,00 €\n", {
            Cells(&["name|pay", "Ann|1234.56", "Bo|-7.00"])
        }),
        text("dollars.csv", "name,pay\nAnn,\"$1,234.50\"\nBo,$3\n", {
            Cells(&["name|pay", "Ann|1234.50", "Bo|3"])
        }),
        text("percent.csv", "name,share\nAnn,12.5%\nBo,7 %\n", Cells(&["name|share", "Ann|12.5", "Bo|7"])),
        text("apostrophes.csv", "name,pay\nAnn,12'345.60\nBo,7\n", {
            Cells(&["name|pay", "Ann|12345.60", "Bo|7"])
        }),
        text("plain-numbers.csv", "name,x,y\nAnn,-0,1e5\nBo,3.0,2\n", {
            Cells(&["name|x|y", "Ann|-0|1e5", "Bo|3.0|2"])
        }),
        text("leading-zeros.csv", "name,zip\nAnn,02139\nBo,02140\n", {
            Cells(&["name|zip", "Ann|02139", "Bo|02140"])
        }),
        text("thousands-or-not.csv", "name,pay\nAnn,\"45,000\"\nBo,\"52,500\"\n", {
            Ambiguous("pay", "--decimal")
        }),
        text("mixed-currencies.csv", "name,pay\nAnn,$3\nBo,€4\n", Cells(&["name|pay", "Ann|$3", "Bo|€4"])),
    ]
}

fn dates() -> Vec<Case> {
    let born: &[&str] = &["name|born", "Ann|1984-03-17", "Bo|2001-12-31"];
    let as_written = |rows| Cells(rows);
    vec![
        text("iso-dates.csv", "name,born\nAnn,1984-03-17\nBo,2001-12-31\n", Cells(born)),
        text("day-first.csv", "name,born\nAnn,17/03/1984\nBo,31/12/2001\n", {
            as_written(&["name|born", "Ann|17/03/1984", "Bo|31/12/2001"])
        }),
        text("month-first.csv", "name,born\nAnn,03/17/1984\nBo,12/31/2001\n", {
            as_written(&["name|born", "Ann|03/17/1984", "Bo|12/31/2001"])
        }),
        text("two-digit-years.csv", "name,born\nAnn,17.03.84\nBo,31.12.01\n", Cells(born)),
        text("either-first.csv", "name,born\nAnn,03/04/1984\nBo,12/11/2001\n", {
            Ambiguous("born", "--dates day-first")
        }),
        text("english-months.csv", "name,born\nAnn,17-Mar-84\nBo,31-Dec-01\n", Cells(born)),
        text("english-names.csv", "name;born\nAnn;March 17, 1984\nBo;December 31, 2001\n", Cells(born)),
        text("german-months.csv", "name;born\nAnn;17. März 1984\nBo;31. Dezember 2001\n", Cells(born)),
        text("times.csv", "name,seen\nAnn,9:05\nBo,14:35\n", Cells(&["name|seen", "Ann|09:05", "Bo|14:35"])),
        text("noon.csv", "name,seen\nAnn,1/13/2020 3:05 PM\nBo,1/2/2020 12:05 AM\n", {
            Cells(&["name|seen", "Ann|2020-01-13T15:05:00", "Bo|2020-01-02T00:05:00"])
        }),
    ]
}

fn names() -> Vec<Case> {
    vec![
        text("pandas-index.csv", ",name,age\n0,Ann,31\n1,Bo,42\n", {
            Cells(&["row|name|age", "0|Ann|31", "1|Bo|42"])
        }),
        text("same-names.csv", "name,age,age\nAnn,31,32\nBo,42,43\n", {
            Cells(&["name|age|age.2", "Ann|31|32", "Bo|42|43"])
        }),
        text("missing-codes.csv", "name,age\nAnn,NA\nBo,\nCy,31\n", {
            Cells(&["name|age", "Ann|NA", "Bo|∅", "Cy|31"])
        }),
    ]
}

fn others() -> Vec<Case> {
    let header: &[Cell] = &[Cell::Text("name"), Cell::Text("age"), Cell::Text("born")];
    vec![
        text("array.json", "[\n {\"name\": \"Ann\", \"age\": 31},\n {\"name\": \"Bo\", \"age\": 42}\n]\n", {
            Cells(&["name|age", "Ann|31", "Bo|42"])
        }),
        text("lines.json", "{\"name\":\"Ann\",\"age\":31}\n\n{\"name\":\"Bo\"}\n", {
            Cells(&["name|age", "Ann|31", "Bo|∅"])
        }),
        text("nested.json", "{\"name\":\"Ann\",\"tags\":[1,2]}\n{\"name\":\"Bo\",\"tags\":[]}\n", {
            Cells(&["name", "Ann", "Bo"])
        }),
        text("broken.json", "{\"name\":\"Ann\"}\n{\"name\":\n{\"name\":\"Cy\"}\n", {
            Refused("table.json-cut-short", Some(2), &["ends too early", "one object per line"])
        }),
        text("open-array.json", "[{\"name\":\"Ann\"},\n{\"name\":\"Bo\"}\n", {
            Refused("table.json-array-not-closed", None, &["not closed", "export it again"])
        }),
        (
            "titled.xlsx",
            workbook(&[
                ("Empty", &[]),
                (
                    "People",
                    &[
                        &[Cell::Text("Report of 2020")],
                        &[],
                        header,
                        &[Cell::Text("Ann"), Cell::Number(31.0), Cell::Date(30_758.0)],
                        &[Cell::Text("Bo"), Cell::Number(0.1 + 0.2), Cell::None],
                    ],
                ),
            ]),
            Cells(&["name|age|born", "Ann|31|1984-03-17", "Bo|0.3|∅"]),
        ),
        ("not-a.dta", b"<stata_dta><header>cut".to_vec(), {
            Refused("table.undecodable", None, &["input.format"])
        }),
        ("not-a.sav", b"$FL2 and nothing else".to_vec(), { Refused("table.undecodable", None, &["SPSS"]) }),
        ("not-a.sas7bdat", vec![0; 5000], Refused("table.undecodable", None, &["SAS"])),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The header and the first rows of a file, as `inspect` finds them and a release reads them.
fn read(folder: &Folder, name: &str) -> Result<(Inspected, Vec<String>)> {
    let path = folder.path(name).display().to_string();
    let inspected = ENGINE.inspect(sniff(&path)?, &Answers::default(), &Watch::none())?;
    let nested = |column: &&describe::ColumnDescription| column.kind != describe::Kind::Nested;
    let columns = inspected.description.columns.iter().filter(nested);
    let columns: Vec<String> = columns.map(|column| column.name.clone()).collect();
    let source = ENGINE.open_table(&inspected.input, std::path::Path::new(""))?;
    let mut lines = vec![columns.join("|")];
    let cell = |cell: Option<String>| cell.unwrap_or_else(|| "∅".into());
    let all = rows_of(&source, &columns)?;
    lines.extend(all.into_iter().map(|row| row.into_iter().map(cell).collect::<Vec<_>>().join("|")));
    Ok((inspected, lines))
}

fn refused(name: &str, error: &Error, code: &str, line: Option<u64>, says: &[&str]) {
    let fault = &error.faults()[0];
    assert_eq!((fault.code, fault.place.line), (code, line), "{name}: {error}");
    let file = fault.place.file.as_deref().unwrap_or_default();
    assert!(file.ends_with(name), "{name}: {file}");
    let text = format!("{} {}", fault.message, fault.help.as_deref().unwrap_or_default());
    for part in says {
        assert!(text.contains(part), "{name}: {part} is not in {text}");
    }
    assert!(fault.help.is_some(), "{name}: nothing says what to do");
}

#[test]
fn dirty_files_are_read_correctly_or_refused() {
    let cases = cases();
    assert!(cases.len() >= 40, "{}", cases.len());
    let folder = Folder::new();
    for (name, bytes, expected) in cases {
        folder.write(name, bytes);
        match (read(&folder, name), expected) {
            (Ok((_, found)), Cells(expected)) => {
                assert_eq!(found[..expected.len().min(found.len())], *expected, "{name}");
                assert!(found.len() == expected.len() || name == "half-utf-8.csv", "{name}: {found:?}");
            }
            (Err(error), Refused(code, line, says)) => refused(name, &error, code, line, says),
            (Ok((inspected, _)), Ambiguous(column, help)) => {
                let Inspected { input, description } = inspected;
                let error = describe::policy(&description, &input, 2, 0.0, "out").unwrap_err();
                let fault = &error.faults()[0];
                assert_eq!(fault.code, "inspect.ambiguous-cells", "{name}");
                assert_eq!(fault.place.column.as_deref(), Some(column), "{name}");
                assert!(fault.help.as_ref().unwrap().contains(help), "{name}");
                assert!(description.detected.iter().any(|found| found.contains(help)), "{name}");
            }
            (Ok((_, found)), _) => panic!("{name} was read: {found:?}"),
            (Err(error), _) => panic!("{name} was refused: {error}"),
        }
    }
}

#[test]
fn what_was_detected_is_reported_and_written_into_the_policy() {
    let folder = Folder::new();
    folder.write("t.csv", "Report\nname;pay;born\nAnn;1.234,56 €;17-Mar-84\nBo;-7,00 €;3-Dec-01\n");
    let (inspected, _) = read(&folder, "t.csv").unwrap();
    let Inspected { input, description } = inspected;
    let policy = describe::policy(&description, &input, 2, 0.0, "out").unwrap();
    for line in [
        "skip = 1\n",
        "delimiter = \";\"\n",
        "pay = { number = { decimal = \",\", thousands = \".\", unit = \"€\" } }\n",
        "born = { date = { format = \"%d-%b-%y\", from_year = 1930 } }\n",
        "# Detected: 1 line above the header is skipped\n",
        "# Detected: cells of `born` are dates as %d-%b-%y, years from 1930 to 2029\n",
    ] {
        assert!(policy.contains(line), "{line}\n{policy}");
    }
    let shown = describe::table(&description, false);
    assert!(shown.contains("detected: cells are divided by ';'"), "{shown}");
}

/// A code such as `k.A.` is not written like the numbers of its column. It is proposed as missing,
/// and the policy reads the table.
#[test]
fn codes_for_missing_values_among_decimal_commas() {
    let folder = Folder::new();
    let rows = |row: usize| match row % 20 {
        7 => "k.A.;f\n".to_owned(),
        _ => format!("{},{};{}\n", 11 + row % 5, row % 10, ["m", "f"][row % 2]),
    };
    folder.write("labor.csv", format!("Wert;Geschlecht\n{}", (0..200).map(rows).collect::<String>()));
    let path = folder.path("labor.csv").display().to_string();
    let inspected = ENGINE.inspect(sniff(&path).unwrap(), &Answers::default(), &Watch::none()).unwrap();
    let Inspected { input, description } = inspected;
    assert_eq!((description.columns[0].kind.name(), description.columns[0].missing), ("decimal", 10));
    let codes: Vec<_> = description.missing_codes.iter().map(|c| (c.code.as_str(), c.cells)).collect();
    assert_eq!(codes, [("k.A.", 10)]);
    let policy = Policy::parse(&describe::policy(&description, &input, 2, 0.0, "out").unwrap()).unwrap();
    assert!(policy.input.null.contains(&"k.A.".to_owned()) && policy.input.cells.contains_key("Wert"));
}

#[test]
fn a_cell_that_is_not_written_as_stated_is_refused_with_its_line() {
    let folder = Folder::new();
    let path = folder.write("t.csv", "x;pay\na;1,5\nb;2,5\nc;NA\nd;12..5\n").display().to_string();
    let mut input = sniff(&path).unwrap();
    input.null.push("NA".into());
    let reading = "[input]\npath = \"x\"\n[input.cells]\npay = { number = { decimal = \",\" } }\n";
    let text = format!("version = 1\n{reading}[columns.x]\nrole = \"quasi\"\n[privacy]\nk = 2\n");
    input.cells = Policy::parse(&text).unwrap().input.cells;
    let source = ENGINE.open_table(&input, std::path::Path::new("")).unwrap();
    let error = rows_of(&source, &["x".into(), "pay".into()]).unwrap_err();
    refused("t.csv", &error, "prepare.unreadable-cell", Some(5), &["`12..5`", "input.null", "input.cells"]);
}

#[test]
fn folders_of_parts_are_one_table() {
    let folder = Folder::new();
    folder.write("t.csv/part-00000.csv", "name,age\nAnn,31\n");
    folder.write("t.csv/part-00001.csv", "name,age\nBo,42\n");
    folder.write("t.csv/_SUCCESS", "");
    folder.write("t.csv/.part-00000.csv.crc", "crc");
    let (inspected, found) = read(&folder, "t.csv").unwrap();
    assert_eq!(found, ["name|age", "Ann|31", "Bo|42"]);
    assert!(inspected.description.detected.contains(&"2 files are read as one table".to_owned()));
    folder.write("t.csv/part-00002.csv", "name,years\nCy,7\n");
    let error = read(&folder, "t.csv").map(|(_, found)| found).unwrap_err();
    refused("part-00002.csv", &error, "table.different-header", Some(1), &["cell 2", "same header line"]);
    folder.write("mixed/a.csv", "a\n1\n");
    folder.write("mixed/b.parquet", "PAR1");
    let error = folder.open("mixed").unwrap_err();
    assert!(error.has_code("file.mixed-folder"), "{error}");
    folder.write("nested/y=2020/a.csv", "a\n1\n");
    assert!(folder.open("nested").unwrap_err().has_code("file.nested-folder"));
    folder.write("bare/_SUCCESS", "");
    assert!(folder.open("bare").unwrap_err().has_code("file.empty-folder"));
}

#[test]
fn a_thousand_columns_are_read() {
    let folder = Folder::new();
    let line = |cell: &dyn Fn(usize) -> String| (0..1000).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(&|at| format!("c{at}"));
    (0..50).for_each(|row| text += &line(&|at| ((row * 7 + at) % 13).to_string()));
    folder.write("wide.csv", text);
    let (inspected, found) = read(&folder, "wide.csv").unwrap();
    assert_eq!((inspected.description.columns.len(), found.len()), (1000, 51));
    assert!(found[50].ends_with(&((49 * 7 + 999) % 13).to_string()));
}
