//! Proposes codes for missing values: texts such as `NA`, and numbers such as −9 and 999.
//!
//! `input.null` holds for all columns of a table, so a code is proposed only where it means missing
//! in every column that is released and has it. Texts such as `NA` and `?` mean missing; words such
//! as `unknown` do among numbers and dates, and are categories elsewhere. A number is a code where
//! it is isolated from all others of its column and repeated. What is in doubt becomes a question.
//! Costs one sort of the distinct numbers per column.

use serde::Serialize;

use super::names::meaning;
use super::sample::Sample;
use super::shape::{bit, number};
use super::traits::Traits;

/// Texts that usually mean that a cell is missing; [`WORDS`] of them, the last, only among numbers
/// and dates.
pub(super) const PLACEHOLDERS: [&str; 33] = [
    "",
    "?",
    "NA",
    "N/A",
    "n/a",
    "na",
    "n.a.",
    "N.A.",
    "k.A.",
    "k. A.",
    "<NA>",
    "NULL",
    "null",
    "Null",
    "#NULL!",
    "nan",
    "NaN",
    "NaT",
    "-",
    "--",
    ".",
    "..",
    "missing",
    "Missing",
    "#N/A",
    "\\N",
    "9999-12-31",
    "0000-00-00",
    "None",
    "none",
    "unknown",
    "Unknown",
    "UNKNOWN",
];

/// How many of the [`PLACEHOLDERS`], from the end, are words that can be categories.
const WORDS: usize = 5;

/// Cells per placeholder.
pub(super) type Placeholders = [u64; PLACEHOLDERS.len()];

/// Which placeholder a value is. Most values are none by their first character and length.
pub(super) fn placeholder(value: &str) -> Option<usize> {
    let likely = match value.as_bytes() {
        [] => true,
        [b'9' | b'0', ..] => value.len() == 10,
        [b'-' | b'.' | b'?', ..] => value.len() <= 2,
        [b'N' | b'n' | b'k' | b'<' | b'#' | b'm' | b'M' | b'\\' | b'u' | b'U', ..] => value.len() <= 7,
        _ => false,
    };
    likely.then(|| PLACEHOLDERS.iter().position(|p| *p == value))?
}

/// A code that is proposed for `input.null`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MissingCode {
    /// The code, as written in the cells.
    pub code: String,
    /// Cells that hold it.
    pub cells: u64,
    /// Columns that hold it.
    pub columns: Vec<String>,
    /// Why it means missing.
    pub reason: String,
}

/// A code that may mean missing in one column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Doubt {
    pub code: String,
    pub column: String,
    pub cells: u64,
    /// What speaks against it.
    pub but: String,
}

/// What a code is in one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meant {
    Missing,
    Value,
    Unclear,
}

/// One column: its name, the texts that were set aside, and the other values.
pub(super) struct Column<'a> {
    pub name: &'a str,
    pub placeholders: &'a Placeholders,
    pub sample: &'a Sample,
    pub traits: &'a Traits,
    /// Whether a value that becomes missing by mistake would matter.
    pub matters: bool,
}

/// The texts that mean missing in all columns, as indices of [`PLACEHOLDERS`], and the doubtful.
pub(super) fn texts(columns: &[Column]) -> (Vec<usize>, Vec<MissingCode>, Vec<Doubt>) {
    let (mut nulls, mut codes, mut doubts) = (Vec::new(), Vec::new(), Vec::new());
    // The empty text is missing unless the user said otherwise.
    for (at, &code) in PLACEHOLDERS.iter().enumerate().skip(1) {
        let holding = || columns.iter().filter(move |c| c.placeholders[at] > 0);
        let meant: Vec<Meant> = holding().map(|c| text_means(at, c)).collect();
        let missing = meant.contains(&Meant::Missing);
        if missing && meant.iter().all(|m| *m == Meant::Missing) {
            let among = at >= PLACEHOLDERS.len() - WORDS;
            let reason =
                if among { "it stands among numbers or dates" } else { "this text usually means missing" };
            nulls.push(at);
            codes.push(MissingCode {
                code: code.into(),
                cells: holding().map(|c| c.placeholders[at]).sum(),
                columns: holding().map(|c| c.name.into()).collect(),
                reason: reason.into(),
            });
            continue;
        }
        for (column, meant) in holding().zip(&meant).filter(|(_, m)| **m != Meant::Value) {
            let but = match meant {
                Meant::Unclear => "it can also be a place",
                _ => "it is a value of another column",
            };
            doubts.push(Doubt {
                code: code.into(),
                column: column.name.into(),
                cells: column.placeholders[at],
                but: but.into(),
            });
        }
    }
    (nulls, codes, doubts)
}

fn text_means(at: usize, column: &Column) -> Meant {
    let figures = column.traits.all(bit::NUMBER) || column.traits.format().is_some();
    let place = || {
        meaning(column.name).word.is_some_and(|w| w.label.contains("country") || w.label.contains("place"))
    };
    match PLACEHOLDERS[at] {
        _ if at >= PLACEHOLDERS.len() - WORDS => {
            if figures {
                Meant::Missing
            } else {
                Meant::Value
            }
        }
        // Namibia and North America, among codes of two letters; a town in Thailand.
        "NA" | "na" if place() && column.traits.length.0 == 2 => Meant::Unclear,
        "nan" if place() => Meant::Unclear,
        // Positive and negative.
        "-" if column.sample.count("+").is_some() => Meant::Value,
        _ => Meant::Missing,
    }
}

/// A number of one column that may be a code.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Suspect {
    pub text: String,
    pub cells: u64,
    /// Whether it is isolated and repeated, rather than perhaps a code.
    pub sure: bool,
}

/// Numbers that stand for missing values in many tables.
const LOW: [f64; 13] =
    [-9.0, -99.0, -999.0, -9999.0, -99999.0, -8.0, -88.0, -888.0, -7.0, -77.0, -777.0, -66.0, -666.0];
const HIGH: [f64; 17] = [
    99.0, 999.0, 9999.0, 99999.0, 999_999.0, 98.0, 998.0, 9998.0, 97.0, 997.0, 9997.0, 88.0, 888.0, 8888.0,
    77.0, 777.0, 7777.0,
];

/// The distinct numbers other than codes that are needed to see that a code is isolated.
const FEWEST: usize = 3;

/// The numbers of a column that look like codes. Only where all values are numbers and counted.
pub(super) fn suspects(column: &Column) -> Vec<Suspect> {
    let numeric = column.traits.all(bit::NUMBER);
    // Digits with leading zeros are not numbers.
    let coded = column.traits.all(bit::DIGITS) && !column.traits.all(bit::INTEGER);
    if !numeric || coded || !column.sample.exact() {
        return Vec::new();
    }
    let mut numbers: Vec<(f64, u64, &str)> =
        column.sample.iter().filter_map(|s| number(&s.text).map(|x| (x, s.count, &*s.text))).collect();
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(b.2)));
    let (first, mut found) = below(&numbers);
    found.extend(above(&numbers[first..]));
    found
}

/// The codes at the lower end, and how many numbers they are.
fn below(numbers: &[(f64, u64, &str)]) -> (usize, Vec<Suspect>) {
    let negative = numbers.partition_point(|n| n.0 < 0.0);
    let (codes, rest) = numbers.split_at(negative);
    let small = |x: f64| x.fract() == 0.0 && (-6.0..0.0).contains(&x);
    if codes.is_empty() || rest.len() < FEWEST {
        return (0, Vec::new());
    }
    if codes.iter().all(|n| LOW.contains(&n.0) || small(n.0)) {
        // −1 to −6 are codes in many surveys, and ordinary numbers next to 0.
        let near = codes.iter().any(|n| small(n.0));
        let often = codes.iter().map(|n| n.1).sum::<u64>() >= 5;
        let found = codes.iter().filter(|_| !near || often).map(|n| suspect(n, !near && n.1 >= 2));
        return (negative, found.collect());
    }
    // Other numbers are negative, too: then the least must be far from all of them.
    let far = LOW.contains(&numbers[0].0) && isolated(numbers[1].0 - numbers[0].0, &numbers[1..]);
    if far && numbers[0].1 >= 3 { (1, vec![suspect(&numbers[0], true)]) } else { (0, Vec::new()) }
}

/// The codes at the upper end.
fn above(numbers: &[(f64, u64, &str)]) -> Vec<Suspect> {
    let most = numbers.iter().rev().take_while(|n| HIGH.contains(&n.0)).count();
    let most = most.min(numbers.len().saturating_sub(FEWEST));
    for codes in (1..=most).rev() {
        let (rest, codes) = numbers.split_at(numbers.len() - codes);
        let gap = codes[0].0 - rest[rest.len() - 1].0;
        let nines = codes.iter().any(|n| nines(n.0) && n.1 >= 3);
        if nines && isolated(gap, rest) {
            return codes.iter().map(|n| suspect(n, n.1 >= 2)).collect();
        }
    }
    // A pile of nines at the end of a range without a gap may be a code or a limit.
    let Some((last, rest)) = numbers.split_last().filter(|(last, _)| nines(last.0) && most > 0) else {
        return Vec::new();
    };
    let near: u64 = rest.iter().rev().take(5).map(|n| n.1).sum();
    if last.1 >= 3 && last.1 > near { vec![suspect(last, false)] } else { Vec::new() }
}

fn suspect(&(_, cells, text): &(f64, u64, &str), sure: bool) -> Suspect {
    Suspect { text: text.into(), cells, sure }
}

fn nines(x: f64) -> bool {
    [99.0, 999.0, 9999.0, 99999.0, 999_999.0].contains(&x)
}

/// Whether a gap is wider than the whole range of the other numbers.
fn isolated(gap: f64, rest: &[(f64, u64, &str)]) -> bool {
    let range = rest[rest.len() - 1].0 - rest[0].0;
    gap > range && gap >= 5.0
}

/// Of the suspects per column, those that mean missing in the whole table, and the doubtful.
pub(super) fn numbers(columns: &[Column], suspects: &[Vec<Suspect>]) -> (Vec<MissingCode>, Vec<Doubt>) {
    let (mut codes, mut doubts): (Vec<MissingCode>, _) = (Vec::new(), Vec::new());
    for (column, suspect) in columns.iter().zip(suspects).flat_map(|(c, s)| s.iter().map(move |s| (c, s))) {
        let other = columns.iter().zip(suspects).find(|(other, known)| {
            let sure = known.iter().any(|s| s.text == suspect.text && s.sure);
            other.matters && !sure && may_hold(other, &suspect.text)
        });
        let but = match other {
            _ if !suspect.sure => Some("it can also be an ordinary number".to_owned()),
            Some((other, _)) => Some(format!("`{}` has it as an ordinary value", other.name)),
            None => None,
        };
        if let Some(but) = but {
            let (code, column, cells) = (suspect.text.clone(), column.name.into(), suspect.cells);
            doubts.push(Doubt { code, column, cells, but });
            continue;
        }
        match codes.iter_mut().find(|c| c.code == suspect.text) {
            Some(code) => {
                code.cells += suspect.cells;
                code.columns.push(column.name.into());
            }
            None => codes.push(MissingCode {
                code: suspect.text.clone(),
                cells: suspect.cells,
                columns: vec![column.name.into()],
                reason: "it is repeated and far from all other numbers".into(),
            }),
        }
    }
    (codes, doubts)
}

/// Whether a column has a text among its values, as far as is known.
fn may_hold(column: &Column, text: &str) -> bool {
    if column.sample.exact() {
        return column.sample.count(text).is_some();
    }
    let (low, high) = column.traits.range;
    column.traits.all(bit::NUMBER) && number(text).is_some_and(|x| (low..=high).contains(&x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of a column of the given values, and whether they are sure.
    fn codes(values: &[(&str, u64)]) -> Vec<(String, bool)> {
        let (mut sample, mut traits) = (Sample::new(1000), Traits::new());
        for (value, count) in values {
            sample.add_count(value, *count);
            traits.see(value);
        }
        let placeholders = [0; PLACEHOLDERS.len()];
        let column = Column {
            name: "x",
            placeholders: &placeholders,
            sample: &sample,
            traits: &traits,
            matters: true,
        };
        suspects(&column).into_iter().map(|s| (s.text, s.sure)).collect()
    }

    fn with(rest: std::ops::Range<u32>, codes: &[(&str, u64)]) -> Vec<(String, bool)> {
        let numbers: Vec<String> = rest.map(|n| n.to_string()).collect();
        let mut values: Vec<(&str, u64)> = numbers.iter().map(|n| (n.as_str(), 10)).collect();
        values.extend(codes);
        self::codes(&values)
    }

    #[test]
    fn isolated_and_repeated_numbers_are_codes() {
        let sure = |text: &str| (text.to_owned(), true);
        assert_eq!(with(140..200, &[("999", 7)]), [sure("999")]);
        assert_eq!(with(0..18, &[("99", 7), ("98", 2)]), [sure("98"), sure("99")]);
        assert_eq!(with(1950..2020, &[("9999", 3)]), [sure("9999")]);
        assert_eq!(with(0..18, &[("-9", 2)]), [sure("-9")]);
        assert_eq!(with(0..90, &[("-9", 4), ("-88", 2)]), [sure("-88"), sure("-9")]);
        assert_eq!(with(140..200, &[("999", 7), ("-9", 3)]), [sure("-9"), sure("999")]);
        assert_eq!(with(140..200, &[("999.0", 7)]), [sure("999.0")]);
    }

    #[test]
    fn ordinary_numbers_are_not() {
        assert_eq!(with(0..120, &[]), []);
        assert_eq!(with(0..98, &[("99", 1)]), []);
        assert_eq!(with(900..1100, &[]), []);
        assert_eq!(with(140..200, &[("999", 2)]), []);
        assert_eq!(with(0..1, &[("999", 9)]), [], "too few others");
        assert_eq!(codes(&[("-9", 5), ("-3.5", 4), ("2", 4), ("8", 4)]), []);
        assert_eq!(codes(&[("007", 5), ("012", 4), ("013", 4), ("999", 4)]), []);
        assert_eq!(codes(&[("a", 5), ("1", 4), ("2", 4), ("3", 9), ("999", 4)]), []);
    }

    #[test]
    fn what_may_be_either_is_in_doubt() {
        assert_eq!(with(0..90, &[("99", 200)]), [("99".to_owned(), false)]);
        assert_eq!(with(0..90, &[("-1", 9)]), [("-1".to_owned(), false)]);
        assert_eq!(with(0..90, &[("-9", 1)]), [("-9".to_owned(), false)]);
        let run = with(0..90, &[("-3", 9), ("-2", 9), ("-1", 9), ("-7", 2)]);
        assert!(run.len() == 4 && run.iter().all(|(_, sure)| !sure), "minutes before zero: {run:?}");
    }

    #[test]
    fn every_placeholder_is_found() {
        for (at, text) in PLACEHOLDERS.iter().enumerate() {
            assert_eq!(placeholder(text), Some(at), "{text}");
        }
        assert_eq!(placeholder("Nancy"), None);
        assert_eq!(placeholder("9"), None);
    }
}
