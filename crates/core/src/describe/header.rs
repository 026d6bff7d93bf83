//! Whether the first line of a delimited file already is a row of data instead of column names.
//!
//! A file without a header line must not be read as if it had one: the first person's cells would
//! become column names, which policies, releases, certificates and reports repeat.
//!
//! The first cell of every column is compared with the values below it. If it is one more value,
//! it has their kind: a date over dates, a number in the range of the numbers, a code of the same
//! pattern, a category that occurs again. If it is a name, it lacks what nearly all values have in
//! common. Each column gives points to one side or to none, and the first line is data when that
//! side has more points. Numbers are weak evidence because wide tables have numbers as names:
//! years and evenly spaced labels (`0,1,2`, `1990,1991,1992`) count for neither side.
//!
//! Cost: one pass over the sampled cells, and one set of distinct values per column.

use std::collections::HashSet;

use super::missing::placeholder;
use super::shape::{self, Shapes, bit, look};

/// Lines after the first that are compared with it.
pub const SAMPLED_LINES: usize = 1000;

/// Fewer values than this are weak evidence.
const FEW: usize = 20;

/// Patterns that hardly any column name has.
const DISTINCTIVE: Shapes = bit::EMAIL
    | bit::URL
    | bit::IP
    | bit::MAC
    | bit::UUID
    | bit::SSN
    | bit::PHONE
    | bit::IBAN
    | bit::VIN
    | bit::POSTAL_CA
    | bit::POSTAL_UK
    | bit::ICD10_DOT
    | bit::DATES;

/// Patterns that are personal wherever they stand.
const PERSONAL: Shapes = bit::EMAIL | bit::IP | bit::MAC | bit::UUID | bit::SSN | bit::PHONE | bit::IBAN;

/// What the first cell of a column suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// It is one more value, with points for it.
    Data(u32),
    /// It is a name, with points for it.
    Name(u32),
    /// It could be either.
    Neither,
}

/// The number of cells of the first line that are like the values below them, when the line as a
/// whole looks like a row of data; `None` when it looks like column names. `rows` are the lines
/// that follow, or a sample of them; they may be ragged.
pub fn first_line_is_data(first: &[String], rows: &[Vec<String>]) -> Option<usize> {
    let first: Vec<&str> = first.iter().map(|cell| cell.trim()).collect();
    let repeated = repeated_names(&first, rows);
    let labels = labels(&first);
    let (mut columns, mut data, mut names) = (0, 0, 0);
    for (i, cell) in first.iter().enumerate() {
        let below = rows.iter().filter(|row| !repeated || !same(&first, row));
        let values = below.filter_map(|row| row.get(i)).map(|value| value.trim());
        let values: Vec<&str> = values.filter(|value| placeholder(value).is_none()).collect();
        match evidence(cell, &values, labels.contains(&i)) {
            Evidence::Data(points) => (columns, data) = (columns + 1, data + points),
            Evidence::Name(points) => names += points,
            Evidence::Neither => {}
        }
    }
    let filled = first.iter().filter(|cell| placeholder(cell).is_none()).count();
    let wordless = !first.iter().any(|cell| cell.contains(char::is_alphabetic));
    if wordless && filled > labels.len() && names == 0 {
        return Some(columns.max(1));
    }
    (data > names).then_some(columns)
}

fn same(first: &[&str], row: &[String]) -> bool {
    first.len() == row.len() && first.iter().zip(row).all(|(a, b)| *a == b.trim())
}

/// Whether lines equal to the first are few enough to be its repetition, as where files with
/// headers were joined: values that are data repeat more often or not at all.
fn repeated_names(first: &[&str], rows: &[Vec<String>]) -> bool {
    let repeated = rows.iter().filter(|row| same(first, row)).count();
    first.len() > 1 && repeated * 20 < rows.len()
}

/// The columns whose first cells are numbers that label columns: years in order, or three or more
/// whole numbers in even steps.
fn labels(first: &[&str]) -> Vec<usize> {
    let numbers: Vec<(usize, i64)> = first
        .iter()
        .enumerate()
        .filter(|(_, cell)| look(cell, bit::INTEGER).shapes & bit::INTEGER != 0)
        .filter_map(|(i, cell)| Some((i, cell.parse().ok()?)))
        .collect();
    let steps: Vec<i64> = numbers.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
    let even = steps.len() >= 2 && steps[0] != 0 && steps.iter().all(|step| *step == steps[0]);
    let ordered = steps.iter().all(|step| *step > 0) || steps.iter().all(|step| *step < 0);
    let years = !steps.is_empty() && ordered && numbers.iter().all(|(_, n)| is_year(*n as f64));
    if even || years { numbers.into_iter().map(|(i, _)| i).collect() } else { Vec::new() }
}

fn is_year(number: f64) -> bool {
    number.fract() == 0.0 && (1800.0..=2100.0).contains(&number)
}

fn evidence(cell: &str, values: &[&str], label: bool) -> Evidence {
    if placeholder(cell).is_some() {
        return Evidence::Neither;
    }
    let shapes = look(cell, bit::ALL).shapes;
    if values.is_empty() {
        return if shapes & PERSONAL != 0 { Evidence::Data(2) } else { Evidence::Neither };
    }
    let share = |fits: &dyn Fn(&str) -> bool| {
        values.iter().filter(|value| fits(value)).count() as f64 / values.len() as f64
    };
    let distinctive = shapes & DISTINCTIVE;
    if distinctive != 0 && share(&|value| look(value, distinctive).shapes != 0) >= 0.5 {
        return Evidence::Data(2);
    }
    if let Some(number) = number(cell)
        && share(&|value| self::number(value).is_some()) >= 0.8
    {
        return numeric(cell, number, values, label);
    }
    if coded(cell) && share(&|value| mask(value) == mask(cell)) >= 0.1 {
        return Evidence::Data(2);
    }
    of_text(cell, values)
}

/// A number over numbers.
fn numeric(cell: &str, number: f64, values: &[&str], label: bool) -> Evidence {
    let padded = |text: &str| text.len() > 1 && text.starts_with('0') && !text.contains(['.', ',']);
    let share = |fits: &dyn Fn(&str) -> bool| {
        values.iter().filter(|value| fits(value)).count() as f64 / values.len() as f64
    };
    // Postal codes and record numbers, of equal length with leading zeros in some.
    let codes = padded(cell) || values.iter().any(|value| padded(value));
    if codes && share(&|value| mask(value) == mask(cell)) >= 0.5 {
        return Evidence::Data(2);
    }
    let years = share(&|value| self::number(value).is_some_and(is_year)) >= 0.8;
    if !years && (label || is_year(number)) {
        return Evidence::Neither;
    }
    let numbers = values.iter().filter_map(|value| self::number(value));
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), n| (l.min(n), h.max(n)));
    let margin = (high - low) * if values.len() < FEW { 0.5 } else { 0.1 };
    if !(low - margin..=high + margin).contains(&number) {
        return Evidence::Neither;
    }
    let fraction = |text: &str| text.contains(['.', ',']);
    Evidence::Data(if fraction(cell) && share(&fraction) >= 0.5 { 2 } else { 1 })
}

/// A cell that is neither a number over numbers nor of a pattern that its column has.
fn of_text(cell: &str, values: &[&str]) -> Evidence {
    let distinct = values.iter().collect::<HashSet<_>>().len();
    let categories = values.len() >= FEW && distinct * 10 <= values.len();
    if values.contains(&cell) {
        return Evidence::Data(if categories { 2 } else { 1 });
    }
    if !cell.contains(char::is_alphabetic) {
        return Evidence::Neither;
    }
    let nearly_all = |fits: &dyn Fn(&str) -> bool| {
        values.iter().filter(|value| fits(value)).count() * 20 >= values.len() * 19
    };
    let digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let unlike = nearly_all(&|value| number(value).is_some())
        || !digit(cell) && nearly_all(&digit)
        || nearly_all(&|value| look(value, DISTINCTIVE).shapes != 0);
    if categories || unlike {
        return Evidence::Name(if values.len() < FEW { 1 } else { 2 });
    }
    Evidence::Neither
}

/// The number that a text is, with a point or a comma before its fraction.
fn number(text: &str) -> Option<f64> {
    shape::number(text).or_else(|| {
        let fraction = text.split_once(',')?.1;
        let plain = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| shape::number(&text.replacen(',', ".", 1)))?
    })
}

/// Whether a text has the form of a code: digits among letters or marks, and no space.
fn coded(text: &str) -> bool {
    text.len() >= 3
        && text.contains(|c: char| c.is_ascii_digit())
        && !text.contains(char::is_whitespace)
        && number(text).is_none()
}

/// A text with every digit as `0` and every letter as `a` or `A`.
fn mask(text: &str) -> String {
    let kind = |c: char| match c {
        '0'..='9' => '0',
        c if c.is_uppercase() => 'A',
        c if c.is_alphabetic() => 'a',
        c => c,
    };
    text.chars().map(kind).collect()
}
