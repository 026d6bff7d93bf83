//! Delimited text: what a cell is, whatever is in it and however it is encoded.

use proptest::prelude::*;
use throng::policy::{Encoding, Format, Input};
use throng::watch::Watch;

use crate::support::{ENGINE, Folder, Row, input, row, rows, strings};

/// Reads a text with the given settings.
fn scan(text: impl AsRef<[u8]>, input: &Input) -> Vec<Row> {
    let folder = Folder::new();
    folder.write("t.csv", text);
    rows(&folder.open_as(input).unwrap()).unwrap()
}

#[test]
fn quotes_delimiters_and_line_breaks_within_cells() {
    let text = "a,b,c\n\"x,1\",\"say \"\"hi\"\"\",\"two\nlines\"\n  padded , 007,-0\n";
    let expected = [row(&["x,1", "say \"hi\"", "two\nlines"]), row(&["  padded ", " 007", "-0"])];
    assert_eq!(scan(text, &input("t.csv")), expected);
}

#[test]
fn line_breaks_of_windows_and_no_break_at_the_end() {
    let expected = [row(&["1", "x\r\ny"]), row(&["2", "z"])];
    assert_eq!(scan("a,b\r\n1,\"x\r\ny\"\r\n2,z\r\n", &input("t.csv")), expected);
    assert_eq!(scan("a,b\r\n1,\"x\r\ny\"\r\n2,z", &input("t.csv")), expected);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    for text in ["\u{feff}a,b\n1,2\n", "\u{feff}\"a\",b\n1,2\n"] {
        let folder = Folder::new();
        folder.write("t.csv", text);
        let source = folder.open("t.csv").unwrap();
        assert_eq!(ENGINE.columns(&source).unwrap(), strings(&["a", "b"]));
        assert_eq!(rows(&source).unwrap(), [row(&["1", "2"])]);
    }
}

#[test]
fn an_empty_cell_is_missing_only_where_the_policy_says_so() {
    let text = "a,b\n,x\n\"\",y\nNA,\n";
    let some = |s: &str| Some(s.to_owned());
    assert_eq!(
        scan(text, &input("t.csv")),
        [vec![None, some("x")], vec![None, some("y")], vec![some("NA"), None]]
    );
    let kept = Input { null: strings(&["NA"]), ..input("t.csv") };
    assert_eq!(scan(text, &kept), [row(&["", "x"]), row(&["", "y"]), vec![None, some("")]]);
    let kept = Input { encoding: Encoding::Latin1, ..kept };
    assert_eq!(scan(text, &kept), [row(&["", "x"]), row(&["", "y"]), vec![None, some("")]]);
}

#[test]
fn one_column_can_miss_a_cell() {
    assert_eq!(scan("a\n\"\"\nx\n", &input("t.csv")), [vec![None], row(&["x"])]);
}

#[test]
fn other_delimiters_and_quotes() {
    let semicolons = Input { delimiter: ';', quote: '\'', ..input("t.csv") };
    assert_eq!(scan("a;b\n'x;''y';\"z\"\n", &semicolons), [row(&["x;'y", "\"z\""])]);
    let tabs = Input { delimiter: '\t', ..input("t.csv") };
    assert_eq!(scan("a\tb\nx,y\tz\n", &tabs), [row(&["x,y", "z"])]);
}

#[test]
fn names_are_taken_as_they_are_written() {
    let folder = Folder::new();
    folder.write("t.csv", "A,a,\"b.c\",\"d \"\"e\"\"\",Größe,\"x,y\",$,count(*)\n1,2,3,4,5,6,7,8\n");
    let source = folder.open("t.csv").unwrap();
    let names = strings(&["A", "a", "b.c", "d \"e\"", "Größe", "x,y", "$", "count(*)"]);
    assert_eq!(ENGINE.columns(&source).unwrap(), names);
    for (i, name) in names.iter().enumerate() {
        let mut found = Vec::new();
        ENGINE
            .scan(&source, std::slice::from_ref(name), &Watch::none(), |batch| {
                found.push((batch.num_columns(), batch.column(0).clone()));
                Ok(())
            })
            .unwrap();
        let [(1, cells)] = found.as_slice() else { panic!("{name}: {found:?}") };
        let cells = throng_engine::Cells::new(name, cells).unwrap();
        assert_eq!(cells.get(0), Some((i + 1).to_string().as_str()), "{name}");
    }
}

#[test]
fn columns_come_in_the_order_asked_for() {
    for encoding in [Encoding::Utf8, Encoding::Latin1] {
        let folder = Folder::new();
        folder.write("t.csv", "a,b,c\n1,2,3\n");
        let source = folder.open_as(&Input { encoding, ..input("t.csv") }).unwrap();
        let mut seen = Vec::new();
        let asked = strings(&["c", "a"]);
        ENGINE
            .scan(&source, &asked, &Watch::none(), |batch| {
                for (array, name) in batch.columns().iter().zip(&asked) {
                    seen.push(throng_engine::Cells::new(name, array)?.get(0).map(String::from));
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(seen, row(&["3", "1"]), "{encoding:?}");
    }
}

#[test]
fn many_batches_come_in_order() {
    let count = 50_000;
    let text: String =
        std::iter::once("n,t\n".into()).chain((0..count).map(|i| format!("{i},x{}\n", i % 7))).collect();
    for encoding in [Encoding::Utf8, Encoding::Latin1] {
        let folder = Folder::new();
        folder.write("t.csv", &text);
        let source = folder.open_as(&Input { encoding, ..input("t.csv") }).unwrap();
        let mut batches = 0;
        ENGINE
            .scan(&source, &strings(&["n"]), &Watch::none(), |_| {
                batches += 1;
                Ok(())
            })
            .unwrap();
        assert!(batches > 3, "{batches}");
        let all = rows(&source).unwrap();
        assert_eq!(all.len(), count);
        for (i, row) in all.iter().enumerate() {
            assert_eq!(row[0].as_deref(), Some(i.to_string().as_str()));
        }
    }
}

#[test]
fn a_header_alone_is_a_table_without_rows() {
    for encoding in [Encoding::Utf8, Encoding::Latin1] {
        for text in ["a,b", "a,b\n", "a,b\r\n"] {
            assert!(scan(text, &Input { encoding, ..input("t.csv") }).is_empty());
        }
    }
}

#[test]
fn the_format_can_be_stated_where_the_name_does_not_tell() {
    let folder = Folder::new();
    folder.write("table.dat", "a\nx\n");
    let stated = Input { format: Some(Format::Csv), ..input("table.dat") };
    assert_eq!(rows(&folder.open_as(&stated).unwrap()).unwrap(), [row(&["x"])]);
}

/// Writes rows as a standard writer does.
fn written(cells: &[Vec<String>], delimiter: u8, quote: u8, crlf: bool) -> Vec<u8> {
    let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .quote(quote)
        .terminator(terminator)
        .from_writer(Vec::new());
    let names: Vec<String> = (0..cells[0].len()).map(|i| format!("c{i}")).collect();
    writer.write_record(&names).unwrap();
    cells.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

/// Tables of at least one row, with everything in their cells that could be taken for something
/// else.
fn tables(cell: &'static str) -> impl Strategy<Value = Vec<Vec<String>>> {
    (1usize..4).prop_flat_map(move |width| prop::collection::vec(prop::collection::vec(cell, width), 1..12))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_a_writer_quotes_is_read_back(
        cells in tables("[ab,;|\t\"'\r\n é€𝄞\u{feff}\\\\]{0,6}"),
        delimiter in prop::sample::select(vec![',', ';', '\t', '|']),
        quote in prop::sample::select(vec!['"', '\'']),
        crlf in any::<bool>(),
    ) {
        let settings = Input { delimiter, quote, null: Vec::new(), ..input("t.csv") };
        let found = scan(written(&cells, delimiter as u8, quote as u8, crlf), &settings);
        let expected: Vec<Row> = cells.into_iter().map(|r| r.into_iter().map(Some).collect()).collect();
        prop_assert_eq!(found, expected);
    }

    /// The cells are long enough for the decoder to need its buffer more than once.
    #[test]
    fn latin_1_reads_like_utf_8(cells in tables("[ -~¡-ÿ€“”Ÿ\n]{0,40}"), times in 1usize..200) {
        let cells: Vec<Vec<String>> = std::iter::repeat_n(cells, times).flatten().collect();
        let text = String::from_utf8(written(&cells, b',', b'"', false)).unwrap();
        let byte = |c: char| match c {
            '€' => 0x80,
            '“' => 0x93,
            '”' => 0x94,
            'Ÿ' => 0x9f,
            other => u8::try_from(other).unwrap(),
        };
        let latin1: Vec<u8> = text.chars().map(byte).collect();
        let utf8 = scan(text, &input("t.csv"));
        prop_assert_eq!(scan(latin1, &Input { encoding: Encoding::Latin1, ..input("t.csv") }), utf8);
    }
}
