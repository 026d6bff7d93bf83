//! Hierarchy files: one row per leaf, most specific first, no header (ARX's format).
//!
//! The text is delimited (`table/delimited.rs`) with `;`, `,` or tab between cells; what the
//! delimiter is, is found from the text where it is not given. All rows are leaves, whether their
//! values occur in the data or not, because what a value could have been is part of what its label
//! says. Costs a few passes over the text.

use rustc_hash::FxHashMap;

use super::build::{show, unfit, values};
use super::{Assembly, File, Hierarchy, NESTED, Path};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::table::delimited::{self, Row, records};
use crate::table::{Code, Dictionary};

/// Delimiters in order of preference: the rarer inside labels, the earlier.
pub(crate) const DELIMITERS: [char; 3] = [';', '\t', ','];

/// The leaves and labels of a hierarchy file, which must hold every value of the data.
pub(super) fn assembly(
    spec: &File,
    dictionary: &Dictionary,
    load: &dyn Fn(&str) -> Result<String>,
) -> Result<Assembly> {
    let (_, assembly) = read(&load(spec.path())?, spec.delimiter(), spec.path())?;
    let absent: Vec<&str> = values(dictionary).filter(|value| !assembly.knows(value)).collect();
    let fault = unfit(
        &absent,
        |value| {
            fault!(
                Data,
                "hierarchy.value-not-in-file",
                "`{value}` has no row in the hierarchy file",
                value = value
            )
        },
        |value, count, more| {
            fault!(
                Data,
                "hierarchy.value-not-in-file",
                "{count} values have no row in the hierarchy file: `{value}` and {more} more",
                count = count,
                value = value,
                more = more
            )
        },
    );
    let help = "add a row for it, or list it under input.null";
    Error::check(fault.map(|fault| fault.file(spec.path()).help(help)).into_iter().collect())?;
    Ok(assembly)
}

/// Reads the text of a hierarchy file; `file` is what faults call it.
///
/// # Errors
/// Rows of different length, a value with two different rows, and levels that do not nest, each
/// with its line; a text without rows or with a quote that is never closed.
pub fn parse(text: &str, delimiter: Option<char>, file: &str) -> Result<Vec<Path>> {
    let (rows, assembly) = read(text, delimiter, file)?;
    let mut rows = rows.iter();
    // A row that is there twice is one path.
    let mut next = |leaf| rows.find(|row| assembly.leaf(&row.cells[0]) == Some(leaf)).map(path);
    Ok((0..assembly.leaf_count() as Code).filter_map(&mut next).collect())
}

/// The rows of a file and what they are together. Faults with their lines are looked for only where
/// there are any.
fn read(text: &str, delimiter: Option<char>, file: &str) -> Result<(Vec<Row>, Assembly)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows = match delimiter {
        Some(delimiter) => records(text, delimiter),
        None => detect(text),
    };
    let rows = rows.map_err(|error| error.map(|fault| fault.file(file)))?;
    let mut faults = ragged(&rows);
    if rows.is_empty() {
        faults.push(
            fault!(Input, "hierarchy.file-is-empty", "the hierarchy has no rows")
                .help("write one row per value"),
        );
    }
    if faults.is_empty() {
        let mut assembly = Assembly::default();
        rows.iter().for_each(|row| assembly.add(&row.cells[0], row.cells.iter().skip(1)));
        if assembly.nests() {
            return Ok((rows, assembly));
        }
        let rows = distinct(rows, &mut faults);
        if faults.is_empty() {
            faults = nesting(&rows);
        }
    }
    Err(few(faults).map(|fault| fault.file(file)))
}

/// Writes a hierarchy as a file that [`parse`] reads back; the missing leaf is left out, as it has
/// no text. The delimiter is not a quote or a line break.
pub fn write(hierarchy: &Hierarchy, delimiter: char) -> String {
    let mut text = String::new();
    for leaf in 0..hierarchy.leaf_count() as Code {
        let Some(value) = hierarchy.leaf_value(leaf) else { continue };
        write_cell(&mut text, value, delimiter);
        for level in 1..=hierarchy.height() {
            text.push(delimiter);
            let label = hierarchy.label(level, hierarchy.generalize(leaf, level));
            write_cell(&mut text, label.unwrap_or_default(), delimiter);
        }
        text.push('\n');
    }
    text
}

/// Every delimiter is quoted, not only the one in use, so that detection cannot be misled.
pub(crate) fn write_cell(text: &mut String, cell: &str, delimiter: char) {
    let [first, second, third] = DELIMITERS;
    delimited::write_cell(text, cell, &[delimiter, first, second, third, '\u{feff}']);
}

/// The rows under the delimiter that makes them all equally long, or else most of them.
///
/// While looking, a quote opens after any delimiter; where that leaves a quote open, quotes count
/// as they will be read.
fn detect(text: &str) -> Result<Vec<Row>> {
    let as_read = |delimiter: char| records(text, delimiter).map(|rows| widths(&rows)).unwrap_or_default();
    let anywhere = delimited::widths(text, &DELIMITERS).and_then(|widths| fitting(&widths));
    let found = anywhere.or_else(|| fitting(&DELIMITERS.map(as_read)));
    // Where nothing divides the rows there is one column, unless a quote is open.
    records(text, found.unwrap_or(DELIMITERS[0]))
}

/// The first delimiter that makes all rows equally long and divides them, or else the one that does
/// so to most.
fn fitting(widths: &[Vec<usize>]) -> Option<char> {
    let mut best: Option<(usize, char)> = None;
    for (delimiter, widths) in DELIMITERS.into_iter().zip(widths) {
        let (width, count) = usual(widths);
        if width > 1 && count == widths.len() {
            return Some(delimiter);
        }
        if width > 1 && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, delimiter));
        }
    }
    best.map(|(_, delimiter)| delimiter)
}

fn widths(rows: &[Row]) -> Vec<usize> {
    rows.iter().map(|row| row.cells.len()).collect()
}

/// The most usual number of cells (the larger of two), and how many rows have it.
fn usual(widths: &[usize]) -> (usize, usize) {
    let mut widths = widths.to_vec();
    widths.sort_unstable();
    let runs = widths.chunk_by(|a, b| a == b).map(|run| (run[0], run.len()));
    runs.max_by_key(|&(width, count)| (count, width)).unwrap_or_default()
}

/// Rows of another length than most.
fn ragged(rows: &[Row]) -> Vec<Fault> {
    let (width, _) = usual(&widths(rows));
    let other = rows.iter().filter(|row| row.cells.len() != width);
    let fault = |row: &Row| {
        let count = row.cells.len();
        let value = show(&row.cells[0]);
        let fault = match count {
            1 => fault!(
                Input,
                "hierarchy.row-of-other-length",
                "the row of `{value}` has {count} cell, most have {width}",
                value = value,
                count = count,
                width = width
            ),
            _ => fault!(
                Input,
                "hierarchy.row-of-other-length",
                "the row of `{value}` has {count} cells, most have {width}",
                value = value,
                count = count,
                width = width
            ),
        };
        fault.line(row.line).help("every row needs the value and one label per level")
    };
    other.map(fault).collect()
}

/// One row per value; the same row twice is harmless, two rows for one value are not.
fn distinct(rows: Vec<Row>, faults: &mut Vec<Fault>) -> Vec<Row> {
    let mut first: FxHashMap<String, usize> = FxHashMap::default();
    let mut kept: Vec<Row> = Vec::with_capacity(rows.len());
    for row in rows {
        match first.get(&row.cells[0]) {
            None => {
                first.insert(row.cells[0].to_owned(), kept.len());
                kept.push(row);
            }
            Some(&i) if kept[i].cells == row.cells => {}
            Some(&i) => faults.push(
                fault!(
                    Input,
                    "hierarchy.value-has-two-rows",
                    "value `{value}` is given two different paths, the first in line {first_line}",
                    value = show(&row.cells[0]),
                    first_line = kept[i].line
                )
                .line(row.line)
                .help("keep one row per value"),
            ),
        }
    }
    kept
}

/// Rows that share a label with an earlier row, but not the label above it.
fn nesting(rows: &[Row]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let width = rows.first().map_or(0, |row| row.cells.len());
    for below in 1..width.saturating_sub(1) {
        let mut first: FxHashMap<&str, &Row> = FxHashMap::default();
        for row in rows {
            let earlier = *first.entry(&row.cells[below]).or_insert(row);
            let (a, b) = (&earlier.cells, &row.cells);
            if a[below + 1] != b[below + 1] {
                let fault = fault!(
                    Input,
                    "hierarchy.levels-do-not-nest",
                    "levels are not nested: `{label}` at level {level} is under two labels at level {above}, the other in line {line}",
                    label = show(&b[below]),
                    level = below,
                    above = below + 1,
                    line = earlier.line
                );
                faults.push(fault.line(row.line).help(NESTED));
            }
        }
    }
    faults
}

/// The first fault, and how many more there are: every one quotes a value, and a file that is not a
/// hierarchy may hold people.
pub(crate) fn few(mut faults: Vec<Fault>) -> Error {
    let more = faults.len().saturating_sub(1);
    let next = faults.get(1).and_then(|fault| fault.place.line);
    faults.truncate(1);
    if more > 0 {
        let mut rest = match more {
            1 => fault!(Input, "hierarchy.more-faults", "and {more} more fault of this kind", more = more),
            _ => fault!(Input, "hierarchy.more-faults", "and {more} more faults of this kind", more = more),
        };
        rest.place.line = next;
        faults.push(rest);
    }
    match Error::check(faults) {
        Err(error) => error,
        Ok(()) => Fault::bug("a hierarchy file failed without a fault").into(),
    }
}

fn path(row: &Row) -> Path {
    let mut cells = row.cells.iter().map(String::from);
    Path { leaf: cells.next().unwrap_or_default(), labels: cells.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        let paths = parse(text, None, "h.csv").unwrap();
        paths.into_iter().map(|p| format!("{}: {}", p.leaf, p.labels.join(" | "))).collect()
    }

    fn refused(text: &str) -> Vec<String> {
        let error = parse(text, None, "h.csv").unwrap_err();
        error.faults().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_what_arx_writes() {
        assert_eq!(rows("34;30-39;*\n45;40-49;*\n"), ["34: 30-39 | *", "45: 40-49 | *"]);
        assert_eq!(rows("\u{feff}a,x\r\nb,x\r\n\r\n"), ["a: x", "b: x"]);
        assert_eq!(rows("a\tx, y\tz\nb\tx, y\tz"), ["a: x, y | z", "b: x, y | z"]);
        assert_eq!(rows("\"a;1\";\"say \"\"x\"\"\"\n5\" disk;y"), ["a;1: say \"x\"", "5\" disk: y"]);
        assert_eq!(rows("a;x\na;x\n"), ["a: x"], "the same row twice");
        assert_eq!(rows(";empty\n b;empty"), [": empty", " b: empty"], "nothing is trimmed");
    }

    #[test]
    fn finds_the_delimiter() {
        assert_eq!(rows("20;[20, 25);[20, 40)\n30;[30, 35);[20, 40)")[0], "20: [20, 25) | [20, 40)");
        assert_eq!(rows("a; b,x\nc,x"), ["a; b: x", "c: x"], "`;` is not in every row");
        assert_eq!(rows("a,\"x;y\"\nb,\"p;q\""), ["a: x;y", "b: p;q"], "`;` is within quotes");
        assert_eq!(rows("a;x,\"y\nb;z"), ["a: x,\"y", "b: z"], "a quote within a cell");
        assert_eq!(rows("\"a\nb\",x\nc,x"), ["a\nb: x", "c: x"]);
        assert_eq!(rows("a\nb"), ["a: ", "b: "], "one column: leaves only");
        let paths = parse("a|x", Some('|'), "h.csv").unwrap();
        assert_eq!(paths[0].labels, ["x"]);
    }

    #[test]
    fn faults_have_lines() {
        assert_eq!(
            refused("a;x;*\n\"b\n1\";y\nc;x\nd;x;*\ne;x;*"),
            [
                "h.csv:2: the row of `b\\n1` has 2 cells, most have 3",
                "h.csv:4: and 1 more fault of this kind"
            ]
        );
        assert_eq!(
            refused("a;x\n\nb;x\na;y"),
            ["h.csv:4: value `a` is given two different paths, the first in line 1"]
        );
        assert_eq!(refused("a;\"x\nb;y"), ["h.csv:1: a quote is opened and never closed"]);
        assert_eq!(refused("\n\n"), ["h.csv: the hierarchy has no rows"]);
        let nested = refused("a;x;p\nb;y;q\nc;x;q");
        assert_eq!(nested.len(), 1);
        assert!(nested[0].starts_with("h.csv:3: levels are not nested: `x` at level 1"), "{nested:?}");
        assert!(nested[0].ends_with("two labels at level 2, the other in line 1"), "{nested:?}");
        assert!(parse("a\"b", Some('"'), "h.csv").is_err());
    }

    #[test]
    fn many_faults_are_counted() {
        let text: String = (0..20).map(|i| format!("a;{i}\n")).collect();
        let faults = refused(&text);
        assert_eq!(faults.len(), 2);
        assert_eq!(faults[1], "h.csv:3: and 18 more faults of this kind");
    }

    #[test]
    fn values_without_a_row_are_named() {
        let spec = File::Path("sex.csv".into());
        let load = |_: &str| Ok("f;person\nm;person\n".to_owned());
        let column = Dictionary::of([Some("f"), Some("x"), None]);
        let error = assembly(&spec, &column, &load).unwrap_err();
        assert_eq!(
            error.to_string(),
            concat!(
                "sex.csv: `x` has no row in the hierarchy file\n",
                "  help: add a row for it, or list it under input.null"
            )
        );
        let column = Dictionary::of([Some("f")]);
        assert_eq!(assembly(&spec, &column, &load).unwrap().leaf_count(), 2, "m is a leaf, too");
    }

    #[test]
    fn writes_what_it_reads() {
        let text = "\"a;1\";\"x \"\"y\"\"\";*\nb;\"p,q\";*\n";
        let hierarchy = Hierarchy::new(parse(text, None, "h.csv").unwrap(), true).unwrap();
        assert_eq!(write(&hierarchy, ';'), text);
    }
}
