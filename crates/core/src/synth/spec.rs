//! Synthetic tables from a specification file: each column drawn from its own distribution, or all
//! together from a network.
//!
//! [Katirai 2006, "Synthetic Data Generation"]: rows are drawn from marginals, each column
//! independently. Correlations of a real table come from a network (see [`crate::network`]), which
//! the caller fits. As strict as a policy: all errors are reported at once with their position.
//! Draws are integer arithmetic, so a seed gives the same bytes everywhere; a cell costs about 20
//! ns.

use std::fmt::Write;

use chrono::{Days, NaiveDate};
use serde::Deserialize;

use super::draw::{Draw, Weights};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::policy::{grammar_fault, locate};
use crate::table::delimited::write_cell;

/// The specifications that come with the program: name and text.
pub const SHIPPED: [(&str, &str); 1] = [("county", include_str!("county.toml"))];

/// A specification of a synthetic table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The version of this format: 1.
    pub version: u32,
    /// A policy whose table a network is fitted to, which all columns are then drawn from.
    #[serde(default)]
    pub network: Option<String>,
    /// Columns that are drawn by themselves.
    #[serde(default)]
    pub columns: Vec<ColumnSpec>,
}

/// A column that is drawn by itself: exactly one of the kinds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSpec {
    /// Its name.
    pub name: String,
    /// Listed values.
    #[serde(default)]
    pub values: Option<Vec<String>>,
    /// Their weights; default: all alike.
    #[serde(default)]
    pub weights: Option<Vec<u64>>,
    /// Whole numbers from ranges.
    #[serde(default)]
    pub ranges: Option<Vec<Range>>,
    /// Days.
    #[serde(default)]
    pub dates: Option<Dates>,
    /// Codes in which every part is within the one before it.
    #[serde(default)]
    pub nested: Option<Vec<Part>>,
    /// A file of values and counts.
    #[serde(default)]
    pub file: Option<String>,
    /// The share of cells that are missing; default 0.
    #[serde(default)]
    pub missing: f64,
}

/// Whole numbers, all alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The lowest.
    pub low: i64,
    /// The highest.
    pub high: i64,
    /// How often the range is drawn, beside the others; default 1.
    #[serde(default = "one")]
    pub weight: u64,
}

fn one() -> u64 {
    1
}

/// Days, all alike.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dates {
    /// The first, as in 2024-02-29.
    pub from: String,
    /// The last.
    pub to: String,
}

impl Dates {
    /// The first day and how many there are, where they can be drawn.
    fn days(&self) -> Option<(NaiveDate, u32)> {
        let day = |text: &str| text.parse::<NaiveDate>().ok();
        let (from, to) = (day(&self.from)?, day(&self.to)?);
        let days = u32::try_from((to - from).num_days() + 1).ok()?;
        (days > 0).then_some((from, days))
    }
}

/// A part of a nested code: numbers from `first`, written with leading zeros; the first are the
/// most frequent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Digits.
    pub width: u32,
    /// The first number.
    pub first: u64,
    /// How many numbers there are.
    pub count: u32,
}

impl Spec {
    /// Reads a specification and checks all that can be checked without its files.
    ///
    /// # Errors
    /// Every mistake found, each with its key and, where possible, its place in the text.
    pub fn parse(text: &str) -> Result<Spec> {
        let spec: Spec = toml::from_str(text).map_err(|e| Error::from(grammar_fault(&e, text)))?;
        Error::check(spec.faults()).map_err(|e| locate(e, text))?;
        Ok(spec)
    }

    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.version != 1 {
            let fault = fault!(
                Input,
                "synth.unknown-version",
                "version {version} is not known",
                version = self.version
            )
            .key("version");
            faults.push(fault.help("write `version = 1`"));
        }
        if self.network.is_some() != self.columns.is_empty() {
            let fault = match self.columns.is_empty() {
                true => fault!(Input, "synth.no-columns", "the table has no columns").key("version"),
                false => fault!(Input, "synth.columns-and-network", "the table has columns and a network")
                    .key("network"),
            };
            faults.push(fault.help("give either [[columns]], or network = \"policy.toml\""));
        }
        for (i, column) in self.columns.iter().enumerate() {
            if column.name.trim().is_empty() {
                faults.push(
                    fault!(Input, "synth.unnamed-column", "a column needs a name")
                        .key(format!("columns.{i}.name")),
                );
            }
            if self.columns[..i].iter().any(|other| other.name == column.name) {
                let fault = fault!(
                    Input,
                    "synth.duplicate-column",
                    "there are two columns `{name}`",
                    name = &column.name
                );
                faults.push(fault.key(format!("columns.{i}.name")).help("name every column once"));
            }
            column.faults(&format!("columns.{i}"), &mut faults);
        }
        faults
    }
}

impl ColumnSpec {
    fn faults(&self, key: &str, faults: &mut Vec<Fault>) {
        let kinds = [
            self.values.is_some(),
            self.ranges.is_some(),
            self.dates.is_some(),
            self.nested.is_some(),
            self.file.is_some(),
        ];
        let kinds = kinds.iter().filter(|given| **given).count();
        let mut wrong = |part: &str, fault: Fault, help: &str| {
            let key = if part.is_empty() { key.to_owned() } else { format!("{key}.{part}") };
            faults.push(fault.key(key).help(help));
        };
        if kinds != 1 {
            let fault = fault!(
                Input,
                "synth.one-kind-per-column",
                "column `{name}` is drawn in {kinds} ways",
                name = &self.name,
                kinds = kinds
            );
            wrong("", fault, "give one of values, ranges, dates, nested and file");
        }
        if !(0.0..=1.0).contains(&self.missing) {
            let fault = fault!(Input, "synth.not-a-share", "{value} is not a share", value = self.missing);
            wrong("missing", fault, "give a number from 0 to 1");
        }
        let values = self.values.as_ref();
        if values.is_some_and(Vec::is_empty) {
            wrong("values", fault!(Input, "synth.no-values", "is empty"), "list at least one value");
        }
        if let Some(weights) = &self.weights {
            if values.map(Vec::len) != Some(weights.len()) {
                let fault = fault!(
                    Input,
                    "synth.weights-without-values",
                    "{weights} weights do not belong to as many values",
                    weights = weights.len()
                );
                wrong("weights", fault, "give one weight for each of values");
            } else if !drawable(weights.iter().copied()) {
                wrong(
                    "weights",
                    fault!(Input, "synth.bad-weights", "nothing can be drawn by these"),
                    WEIGHTS,
                );
            }
        }
        if let Some(ranges) = &self.ranges {
            if !drawable(ranges.iter().map(|range| range.weight)) {
                let fault = fault!(Input, "synth.bad-range-weights", "nothing can be drawn from these");
                wrong("ranges", fault, WEIGHTS);
            }
            for range in ranges.iter().filter(|r| r.size().is_none()) {
                let fault = fault!(
                    Input,
                    "synth.not-a-range",
                    "{low} to {high} is not a range",
                    low = range.low,
                    high = range.high
                );
                wrong("ranges", fault, "low is at most high, and at most 2³² numbers lie between");
            }
        }
        if self.dates.as_ref().is_some_and(|dates| dates.days().is_none()) {
            let help = "give the first day and the last, each as in 2024-02-29";
            wrong("dates", fault!(Input, "synth.no-days", "there is no day between these"), help);
        }
        if let Some(parts) = &self.nested {
            let bad = |part: &&Part| {
                part.width == 0 || part.width > 18 || !(1..=MOST).contains(&part.count) || !part.fits()
            };
            if parts.is_empty() || parts.iter().any(|part| bad(&part)) {
                let help = "each part has 1 to 18 digits and 1 to 1000000 numbers, and its last number has no more digits than that";
                wrong("nested", fault!(Input, "synth.bad-parts", "these are not parts of a code"), help);
            }
        }
    }
}

/// Most numbers of a part: each has a weight in memory.
const MOST: u32 = 1_000_000;

const WEIGHTS: &str = "give whole numbers, not all of them 0, whose sum is below 2⁶³";

/// Whether weights can be drawn by.
fn drawable(weights: impl Iterator<Item = u64>) -> bool {
    let sum = weights.map(u128::from).sum::<u128>();
    sum > 0 && sum < 1 << 63
}

impl Range {
    /// How many numbers it has, where they can be drawn.
    fn size(&self) -> Option<u32> {
        let size = i128::from(self.high) - i128::from(self.low) + 1;
        u32::try_from(size).ok().filter(|&n| n > 0)
    }
}

impl Part {
    fn fits(&self) -> bool {
        let last = u128::from(self.first) + u128::from(self.count) - 1;
        last < 10_u128.pow(self.width)
    }
}

/// What a column's cells are drawn from.
#[derive(Debug, Clone)]
enum Source {
    Values(Vec<String>, Weights),
    Ranges(Vec<Range>, Weights),
    Dates(NaiveDate, u32),
    Nested(Vec<(Part, Weights)>),
}

/// A synthetic table: draws rows of columns that know nothing of each other.
#[derive(Debug)]
pub struct Marginals {
    names: Vec<String>,
    /// The sources, and of a million cells how many are missing.
    columns: Vec<(Source, u32)>,
    draw: Draw,
}

impl Marginals {
    /// The table that belongs to a specification of columns and a seed. `load` gives the text of a
    /// file that it names.
    ///
    /// # Errors
    /// Files that cannot be read or hold no values and counts.
    pub fn new(spec: &Spec, seed: u64, load: &dyn Fn(&str) -> Result<String>) -> Result<Self> {
        let mut columns = Vec::new();
        for (i, column) in spec.columns.iter().enumerate() {
            let missing = (column.missing * 1e6).round() as u32;
            let source = source(column, load).map_err(|e| e.map(|f| in_column(f, i)))?;
            columns.push((source, missing));
        }
        let names = spec.columns.iter().map(|column| column.name.clone()).collect();
        Ok(Marginals { names, columns, draw: Draw::new(seed) })
    }

    /// The columns' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Appends the next row as CSV.
    pub fn write_row(&mut self, text: &mut String) {
        let row = text.len();
        for (i, (source, missing)) in self.columns.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            // Drawn in any case, so that other cells do not hang on it.
            let start = text.len();
            source.write(&mut self.draw, text);
            if *missing > 0 && self.draw.below(1_000_000) < *missing {
                text.truncate(start);
            }
        }
        end_row(row, text);
    }
}

fn in_column(fault: Fault, i: usize) -> Fault {
    if fault.place.key.is_none() && fault.place.file.is_none() {
        fault.key(format!("columns.{i}.file"))
    } else {
        fault
    }
}

fn source(column: &ColumnSpec, load: &dyn Fn(&str) -> Result<String>) -> Result<Source> {
    if let Some(values) = &column.values {
        let weights = column.weights.clone().unwrap_or_else(|| vec![1; values.len()]);
        return Ok(Source::Values(values.clone(), Weights::new(weights)));
    }
    if let Some(ranges) = &column.ranges {
        return Ok(Source::Ranges(ranges.clone(), Weights::new(ranges.iter().map(|r| r.weight))));
    }
    if let Some(dates) = &column.dates {
        let (from, days) = dates.days().ok_or_else(|| Fault::bug("dates were not checked"))?;
        return Ok(Source::Dates(from, days));
    }
    if let Some(parts) = &column.nested {
        // Sizes fall as 1/(i + 3): crowded at the front, and nobody alone at the end.
        let sizes =
            |part: &Part| Weights::new((0..u64::from(part.count)).map(|i| 1_000_000_000_000 / (i + 3)));
        return Ok(Source::Nested(parts.iter().map(|part| (*part, sizes(part))).collect()));
    }
    let path = column.file.as_deref().unwrap_or_default();
    counted(&load(path)?).map_err(|e| e.map(|f| f.file(path)))
}

/// A file of values and counts: a header, then one value and count per line, separated by the last
/// comma.
fn counted(text: &str) -> Result<Source> {
    let (mut values, mut weights, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let parts =
            line.rsplit_once(',').and_then(|(value, count)| Some((value, count.trim().parse().ok()?)));
        match parts {
            Some((value, count)) => {
                values.push(unquoted(value));
                weights.push(count);
            }
            None if faults.len() < 10 => {
                let fault =
                    fault!(Input, "synth.not-a-count", "this is not a value and a count").line(i as u64 + 1);
                faults.push(fault.help("after a header, every line is a value, a comma and a whole number"));
            }
            None => {}
        }
    }
    Error::check(faults)?;
    if !drawable(weights.iter().copied()) {
        return Err(fault!(Input, "synth.bad-counts", "nothing can be drawn by these counts")
            .help(WEIGHTS)
            .into());
    }
    Ok(Source::Values(values, Weights::new(weights)))
}

fn unquoted(cell: &str) -> String {
    match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => cell.to_owned(),
    }
}

impl Source {
    // Writing to a string cannot fail, hence the ignored results.
    fn write(&self, draw: &mut Draw, text: &mut String) {
        match self {
            Source::Values(values, weights) => quoted(&values[draw.pick(weights) as usize], text),
            Source::Ranges(ranges, weights) => {
                let range = ranges[draw.pick(weights) as usize];
                let number = range.low + i64::from(draw.below(range.size().unwrap_or(1)));
                let _ = write!(text, "{number}");
            }
            Source::Dates(from, days) => {
                let day = from.checked_add_days(Days::new(u64::from(draw.below(*days))));
                let _ = write!(text, "{}", day.unwrap_or(*from));
            }
            Source::Nested(parts) => {
                for (part, sizes) in parts {
                    let number = part.first + u64::from(draw.pick(sizes));
                    let _ = write!(text, "{number:0width$}", width = part.width as usize);
                }
            }
        }
    }
}

/// Ends a row that started at a place. A single empty cell is written in quotes, because readers
/// skip an empty line.
pub fn end_row(start: usize, text: &mut String) {
    text.push_str(if text.len() == start { "\"\"\n" } else { "\n" });
}

/// A cell, in quotes where CSV needs them.
pub fn quoted(cell: &str, text: &mut String) {
    write_cell(text, cell, &[',']);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn no_file(_: &str) -> Result<String> {
        Err(fault!(System, "file.not-expected", "there are no files").into())
    }

    fn drawn(text: &str, seed: u64, rows: usize, load: &dyn Fn(&str) -> Result<String>) -> Vec<Vec<String>> {
        let mut table = Marginals::new(&Spec::parse(text).unwrap(), seed, load).unwrap();
        let mut csv = String::new();
        (0..rows).for_each(|_| table.write_row(&mut csv));
        csv.lines().map(|line| line.split(',').map(String::from).collect()).collect()
    }

    fn shares(rows: &[Vec<String>], column: usize) -> BTreeMap<&str, f64> {
        let mut shares = BTreeMap::new();
        for row in rows {
            *shares.entry(row[column].as_str()).or_default() += 1.0 / rows.len() as f64;
        }
        shares
    }

    /// Seed 1, 20,000 rows: every share within 0.015 of the specified one.
    #[test]
    fn columns_are_drawn_as_they_say() {
        let text = r#"
            version = 1
            [[columns]]
            name = "sex"
            values = ["F", "M"]
            weights = [3, 1]
            missing = 0.1
            [[columns]]
            name = "age"
            ranges = [{ low = -1, high = 1, weight = 2 }, { low = 50, high = 50 }]
            [[columns]]
            name = "day"
            dates = { from = "2024-02-28", to = "2024-03-01" }
            [[columns]]
            name = "code"
            nested = [{ width = 2, first = 7, count = 1 }, { width = 3, first = 1, count = 2 }]
            [[columns]]
            name = "town"
            file = "towns.csv"
        "#;
        let load = |path: &str| {
            assert_eq!(path, "towns.csv");
            Ok("town,people\n\"New \"\"Old\"\" Town\",30\nElsewhere,10\nNowhere,0\n".to_owned())
        };
        let rows = drawn(text, 1, 20_000, &load);
        let near = |column: usize, expected: &[(&str, f64)]| {
            let found = shares(&rows, column);
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (value, share) in expected {
                assert!((found[value] - share).abs() < 0.015, "{value}: {found:?}");
            }
        };
        near(0, &[("F", 0.675), ("M", 0.225), ("", 0.1)]);
        near(1, &[("-1", 2.0 / 9.0), ("0", 2.0 / 9.0), ("1", 2.0 / 9.0), ("50", 1.0 / 3.0)]);
        near(2, &[("2024-02-28", 1.0 / 3.0), ("2024-02-29", 1.0 / 3.0), ("2024-03-01", 1.0 / 3.0)]);
        // 1/3 to 1/4.
        near(3, &[("07001", 4.0 / 7.0), ("07002", 3.0 / 7.0)]);
        near(4, &[("\"New \"\"Old\"\" Town\"", 0.75), ("Elsewhere", 0.25)]);
        assert_eq!(rows[..50], drawn(text, 1, 50, &load));
        assert_ne!(rows[..50], drawn(text, 2, 50, &load));
    }

    #[test]
    fn a_row_of_nothing_is_a_row() {
        let text = "version = 1\n[[columns]]\nname = \"a\"\nvalues = [\"x\"]\nmissing = 1.0\n";
        let mut csv = String::new();
        Marginals::new(&Spec::parse(text).unwrap(), 1, &no_file).unwrap().write_row(&mut csv);
        assert_eq!(csv, "\"\"\n");
        let two = format!("{text}[[columns]]\nname = \"b\"\nvalues = [\"\"]\n");
        csv.clear();
        Marginals::new(&Spec::parse(&two).unwrap(), 1, &no_file).unwrap().write_row(&mut csv);
        assert_eq!(csv, ",\n");
        let much = "version = 1\n[[columns]]\nname = \"a\"\nnested = [{ width = 10, first = 0, count = 4000000000 }]";
        assert!(Spec::parse(much).unwrap_err().to_string().contains("1000000 numbers"));
    }

    #[test]
    fn the_county_is_a_county() {
        let rows = drawn(SHIPPED[0].1, 1, 2_000, &no_file);
        assert!(rows.iter().all(|row| row.len() == 7));
        for row in &rows {
            assert!(
                row[0].len() == 15
                    && row[0].starts_with("99990")
                    && row[0].bytes().all(|b| b.is_ascii_digit())
            );
            assert!((0..105).contains(&row[1].parse::<u32>().unwrap()));
            assert!(row[3..].iter().all(|cell| cell == "yes" || cell == "no"));
        }
        // Blocks nest in 30 tracts, and the first tract is the largest.
        let tracts: BTreeMap<&str, usize> = rows.iter().fold(BTreeMap::new(), |mut tracts, row| {
            *tracts.entry(&row[0][5..11]).or_default() += 1;
            tracts
        });
        assert_eq!(tracts.len(), 30);
        assert_eq!(tracts.iter().max_by_key(|(_, rows)| **rows).unwrap().0, &"820101");
        assert!((shares(&rows, 2)["F"] - 0.53).abs() < 0.05);
        assert!((shares(&rows, 3)["yes"] - 0.09).abs() < 0.03);
    }

    #[test]
    fn mistakes_are_all_reported() {
        let text = r#"
            version = 2
            network = "p.toml"
            [[columns]]
            name = "a"
            values = ["x"]
            weights = [1, 2]
            missing = 2
            [[columns]]
            name = "a"
            ranges = [{ low = 3, high = 2 }]
            file = "f.csv"
            [[columns]]
            name = "b"
            nested = [{ width = 2, first = 99, count = 2 }]
            [[columns]]
            name = "c"
            dates = { from = "2024-01-02", to = "2024-01-01" }
            [[columns]]
            name = "d"
            values = ["x", "y"]
            weights = [0, 0]
        "#;
        let said = Spec::parse(text).unwrap_err().to_string();
        for words in [
            "version 2",
            "columns and a network",
            "2 weights do not",
            "2 is not a share",
            "two columns `a`",
            "drawn in 2 ways",
            "3 to 2 is not a range",
            "not parts of a code",
            "no day between",
            "nothing can be drawn by these",
        ] {
            assert!(said.contains(words), "{words}: {said}");
        }
        assert!(Spec::parse("version = 1").unwrap_err().to_string().contains("has no columns"));
        let said = Spec::parse("version = 1\nnetwrk = \"p\"").unwrap_err().to_string();
        assert!(said.contains("network"), "{said}");
        let spec = Spec::parse("version = 1\n[[columns]]\nname = \"a\"\nfile = \"f.csv\"").unwrap();
        let said = |text: &'static str| {
            Marginals::new(&spec, 1, &move |_| Ok(text.to_owned())).err().unwrap().to_string()
        };
        assert!(
            said("v,n\nx;3\ny,2\nz,-1\n").contains("f.csv:2")
                && said("v,n\nx;3\ny,2\nz,-1\n").contains("f.csv:4")
        );
        assert!(said("v,n\nx,0\n").contains("nothing can be drawn"));
    }
}
