//! Released cells as numbers: what can be behind a text, given what is known of its column.
//!
//! | cell | numbers |
//! | --- | --- |
//! | `35` | 35 |
//! | `[20, 35)`, `< 20`, `>= 90` | between the bounds, which count as possible |
//! | `{3, 1, 2}` | one of them |
//! | `3*`, `**7` | hidden characters are digits: 30 to 39; 7 to 997 |
//! | a label of the column's hierarchy | the values under it |
//! | `1950-07-27`, `1950-07-27 - 1952-08-15` | days since 1970-01-01 |
//! | `2020-03`, `[2020, 2025)`, with a policy | the days of the period |
//! | `*` | the column's domain, or any number |
//!
//! Bounds that are open are treated as closed: an enclosure stays true, and the closed bound is the
//! limit of values that are possible. A text is read once per distinct text and column, so that a
//! table costs a look-up per cell.

use rustc_hash::FxHashMap;
use throng_terms::cell::{Cell, Masked, number};
use throng_terms::error::Fault;
use throng_terms::fault;
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::table::Code;

use crate::data::Span;
use crate::periods::{day, period};

/// What a column's cells are read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Numbers.
    Numbers,
    /// Days since 1970-01-01.
    Dates,
}

/// Reads the cells of a column.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    domain: Option<(f64, f64)>,
    labels: FxHashMap<String, Span>,
    scale: Option<Scale>,
    unit: Option<String>,
    /// Whether the column's hierarchy is one of dates, so that `2020` is a year.
    dates: bool,
}

impl Reader {
    /// Of a column about which nothing is known.
    pub fn new() -> Self {
        Reader::default()
    }

    /// With the least and the greatest value that the column can have: what `*` means.
    #[must_use]
    pub fn with_domain(mut self, low: f64, high: f64) -> Self {
        self.domain = Some((low, high));
        self
    }

    /// With the labels of the column's hierarchy, as far as the values under them are numbers or
    /// dates. The values also bound what `*` means, unless a domain is given.
    #[must_use]
    pub fn with_hierarchy(mut self, hierarchy: &Hierarchy) -> Self {
        let leaves = 0..hierarchy.leaf_count() as Code;
        let values: Vec<Option<f64>> = leaves
            .map(|leaf| hierarchy.leaf_value(leaf).and_then(|text| read(text).map(|(x, _)| x)))
            .collect();
        for level in 1..=hierarchy.height() {
            let mut spans: Vec<Option<(f64, f64, bool)>> = vec![None; hierarchy.size(level)];
            for (&code, value) in hierarchy.codes(level).iter().zip(&values) {
                let span = &mut spans[code as usize];
                *span = match (*span, value) {
                    (None, Some(x)) => Some((*x, *x, false)),
                    (Some((low, high, _)), Some(x)) => Some((low.min(*x), high.max(*x), true)),
                    (_, None) => Some((f64::NEG_INFINITY, f64::INFINITY, true)),
                };
            }
            for (code, span) in spans.into_iter().enumerate() {
                let label = hierarchy.label(level, code as Code);
                if let (Some(label), Some((low, high, gaps))) = (label, span)
                    && label != TOP
                    && low.is_finite()
                {
                    // A label of several levels can stand for the values under it at each of them.
                    let known = self.labels.entry(label.to_owned()).or_insert(Span { low, high, gaps });
                    *known = Span {
                        low: known.low.min(low),
                        high: known.high.max(high),
                        gaps: known.gaps || gaps,
                    };
                }
            }
        }
        // A value that is written like a label can stand for itself as well.
        for (leaf, value) in values.iter().enumerate() {
            let text = hierarchy.leaf_value(leaf as Code);
            if let (Some(&x), Some(span)) = (value.as_ref(), text.and_then(|text| self.labels.get_mut(text)))
            {
                let gaps = span.gaps || x < span.low || x > span.high;
                *span = Span { low: span.low.min(x), high: span.high.max(x), gaps };
            }
        }
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        if self.domain.is_none() && !known.is_empty() && known.len() == values.len() {
            let low = known.iter().copied().fold(f64::INFINITY, f64::min);
            let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            self.domain = Some((low, high));
        }
        self
    }

    /// Of a column of dates, in which `2020` is a year and `2020-03` a month.
    #[must_use]
    pub fn with_dates(mut self) -> Self {
        self.dates = true;
        self
    }

    /// Numbers or dates: what the cells so far were.
    pub fn scale(&self) -> Option<Scale> {
        self.scale
    }

    /// What `*` means, and a row that was left out.
    pub fn anything(&self) -> Span {
        let (low, high) = self.domain.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Span::between(low, high)
    }

    /// The numbers that can be behind a text.
    ///
    /// # Errors
    /// An inverted interval, a text that is not a number, and numbers in different units.
    pub fn read(&mut self, text: &str) -> Result<Span, Box<Fault>> {
        if let Some(&span) = self.labels.get(text) {
            return Ok(span);
        }
        if let Some((low, high)) = period(text).filter(|_| self.dates) {
            self.note(Scale::Dates, text)?;
            return Ok(self.within_domain(Span::between(low, high)));
        }
        if let Some(x) = number(text).filter(|_| !self.dates) {
            self.note(Scale::Numbers, text)?;
            return Ok(Span::between(x, x));
        }
        let (span, scale) = match Cell::parse(text) {
            Cell::Anything => return Ok(self.anything()),
            Cell::Interval(interval) => (Span::between(interval.low, interval.high), Scale::Numbers),
            Cell::Value(value) => self.value(&value)?,
            Cell::Range(first, last) => self.range(&first, &last, text)?,
            Cell::Set(values) => self.set(&values)?,
            Cell::Masked(masked) => match digits(&masked) {
                Some(span) => (span, Scale::Numbers),
                None => return Err(not_a_number(text).into()),
            },
        };
        self.note(scale, text)?;
        Ok(self.within_domain(span))
    }

    /// What remains of an open end, given the domain.
    fn within_domain(&self, span: Span) -> Span {
        let (low, high) = self.domain.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        // Only an end without a bound follows the domain: a released cell is true, and a stated
        // domain may be too small.
        let low = if span.low.is_finite() { span.low } else { low.min(span.high) };
        let high = if span.high.is_finite() { span.high } else { high.max(span.low) };
        Span { low, high, ..span }
    }

    fn note(&mut self, scale: Scale, text: &str) -> Result<(), Box<Fault>> {
        match self.scale.replace(scale) {
            Some(before) if before != scale => Err(fault!(
                Data,
                "statistics.mixed-units",
                "`{value}` is mixed with {other}",
                value = text,
                other = if scale == Scale::Dates { "numbers" } else { "dates" }
            )
            .help("a column has a statistic if its cells are all numbers or all dates")
            .into()),
            _ => Ok(()),
        }
    }

    fn value(&mut self, value: &str) -> Result<(Span, Scale), Box<Fault>> {
        if let Some((x, scale)) = read(value) {
            return Ok((Span::between(x, x), scale));
        }
        if let Some(unit) = unit(value) {
            return Err(self.other_unit(value, unit).into());
        }
        Err(inverted(value).unwrap_or_else(|| not_a_number(value)).into())
    }

    /// The fault of a number with a unit.
    fn other_unit(&mut self, value: &str, unit: &str) -> Fault {
        let help = "convert all cells to one unit and write plain numbers";
        match self.unit.replace(unit.to_owned()) {
            Some(before) if before != unit => fault!(
                Data,
                "statistics.mixed-units",
                "`{value}` is in another unit than cells in {unit}",
                value = value,
                unit = before
            )
            .help(help),
            _ if self.scale.is_some() => fault!(
                Data,
                "statistics.mixed-units",
                "`{value}` has a unit, and other cells are plain numbers",
                value = value
            )
            .help(help),
            _ => fault!(Data, "statistics.unit", "`{value}` has a unit", value = value).help(help),
        }
    }

    fn range(&mut self, first: &str, last: &str, text: &str) -> Result<(Span, Scale), Box<Fault>> {
        match (read(first), read(last)) {
            (Some((low, scale)), Some((high, other))) if scale == other => {
                if low > high {
                    return Err(inverted_range(text).into());
                }
                Ok((Span::between(low, high), scale))
            }
            _ => Err(not_a_number(text).into()),
        }
    }

    fn set(&mut self, values: &[String]) -> Result<(Span, Scale), Box<Fault>> {
        let mut all: Option<(Span, Scale)> = None;
        for value in values {
            let (span, scale) = match self.labels.get(value) {
                Some(&span) => (span, Scale::Numbers),
                None => self.value(value)?,
            };
            all = Some(match all {
                None => (span, scale),
                Some((so_far, before)) => {
                    if before != scale {
                        self.note(before, value)?;
                        self.note(scale, value)?;
                    }
                    let (low, high) = (so_far.low.min(span.low), so_far.high.max(span.high));
                    (Span { low, high, gaps: low < high }, scale)
                }
            });
        }
        all.ok_or_else(|| not_a_number("{}").into())
    }
}

/// A text as a number, or as a date in days since 1970-01-01.
pub fn value(text: &str) -> Option<f64> {
    read(text.trim()).map(|(x, _)| x)
}

/// A text as a number or as a date.
fn read(text: &str) -> Option<(f64, Scale)> {
    number(text).map(|x| (x, Scale::Numbers)).or_else(|| day(text).map(|x| (x, Scale::Dates)))
}

/// The numbers behind a mask, if what is hidden are digits.
fn digits(masked: &Masked) -> Option<Span> {
    let filled = |digit: &str| {
        let hidden = digit.repeat(masked.hidden);
        number(&if masked.begins {
            format!("{}{hidden}", masked.shown)
        } else {
            format!("{hidden}{}", masked.shown)
        })
    };
    let plain = masked.shown.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
    let (a, b) = (filled("0")?, filled("9")?);
    (plain && masked.hidden < 16).then(|| Span { low: a.min(b), high: a.max(b), gaps: !masked.begins })
}

/// What follows the number in a text such as `70 kg`.
fn unit(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')))?;
    let (start, unit) = text.split_at(end);
    let letters = !unit.trim().is_empty() && unit.chars().all(|c| c.is_alphabetic() || "% /°µ²³".contains(c));
    (number(start).is_some() && letters).then(|| unit.trim())
}

/// The fault of a text that is an interval but for the order of its bounds.
fn inverted(text: &str) -> Option<Fault> {
    let inner = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    let (low, high) = inner.split_once(',')?;
    let (low, high) = (number(low)?, number(high)?);
    (low > high).then(|| inverted_range(text))
}

fn inverted_range(text: &str) -> Fault {
    fault!(Data, "statistics.inverted-interval", "the bounds of `{value}` are inverted", value = text)
        .help("write the lower bound first")
}

fn not_a_number(text: &str) -> Fault {
    let shown: String = text.chars().take(40).collect();
    fault!(Data, "statistics.not-a-number", "`{value}` is not a number", value = shown).help(
        "choose columns of numbers with --column, or give the policy, whose hierarchy says what labels mean",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use throng_terms::hierarchy::Path;

    use super::*;

    fn span(text: &str) -> (f64, f64, bool) {
        let span = Reader::new().read(text).unwrap();
        (span.low, span.high, span.gaps)
    }

    fn code(texts: &[&str]) -> &'static str {
        let mut reader = Reader::new();
        texts.iter().find_map(|text| reader.read(text).err()).unwrap().code
    }

    #[test]
    fn cells_are_spans() {
        let inf = f64::INFINITY;
        assert_eq!(span("35"), (35.0, 35.0, false));
        assert_eq!(span("[20, 35)"), (20.0, 35.0, false));
        assert_eq!(span("< 20"), (-inf, 20.0, false));
        assert_eq!(span(">= 90"), (90.0, inf, false));
        assert_eq!(span("{3, 1, 2}"), (1.0, 3.0, true));
        assert_eq!(span("3*"), (30.0, 39.0, false));
        assert_eq!(span("-3*"), (-39.0, -30.0, false));
        assert_eq!(span("**7"), (7.0, 997.0, true));
        assert_eq!(span("1.5*"), (1.50, 1.59, false));
        assert_eq!(span("*"), (-inf, inf, false));
        assert_eq!(span("1970-01-02"), (1.0, 1.0, false));
        assert_eq!(span("1970-01-01 - 1971-01-01"), (0.0, 365.0, false));
    }

    #[test]
    fn a_domain_bounds_what_is_open() {
        let mut reader = Reader::new().with_domain(0.0, 120.0);
        let mut at = |text: &str| reader.read(text).map(|span| (span.low, span.high)).unwrap();
        assert_eq!(at("*"), (0.0, 120.0));
        assert_eq!(at("< 20"), (0.0, 20.0));
        assert_eq!(at(">= 90"), (90.0, 120.0));
        assert_eq!(at(">= 130"), (130.0, 130.0), "a released cell is true, whatever the domain says");
    }

    #[test]
    fn labels_mean_the_values_under_them() {
        let path =
            |leaf: &str, label: &str| Path { leaf: leaf.into(), labels: vec![label.into(), "*".into()] };
        let paths = vec![path("1", "young"), path("17", "young"), path("40", "old"), path("90", "old")];
        let mut reader = Reader::new().with_hierarchy(&Hierarchy::new(paths, false).unwrap());
        let mut at = |text: &str| reader.read(text).map(|span| (span.low, span.high, span.gaps)).unwrap();
        assert_eq!(at("young"), (1.0, 17.0, true));
        assert_eq!(at("{young, 90}"), (1.0, 90.0, true));
        assert_eq!(at("*"), (1.0, 90.0, false));
    }

    /// A value that is also the label of other values can be either.
    #[test]
    fn values_written_like_labels_mean_both() {
        let path =
            |leaf: &str, label: &str| Path { leaf: leaf.into(), labels: vec![label.into(), "*".into()] };
        let paths = vec![path("1", "2"), path("2", "9"), path("8", "9"), path("9", "9")];
        let mut reader = Reader::new().with_hierarchy(&Hierarchy::new(paths, false).unwrap());
        let mut at = |text: &str| reader.read(text).map(|span| (span.low, span.high, span.gaps)).unwrap();
        assert_eq!(at("2"), (1.0, 2.0, true));
        assert_eq!(at("9"), (2.0, 9.0, true));
        assert_eq!(at("8"), (8.0, 8.0, false));
    }

    #[test]
    fn bad_cells_are_explained() {
        assert_eq!(code(&["[35, 20]"]), "statistics.inverted-interval");
        assert_eq!(code(&["2000-01-01 - 1999-01-01"]), "statistics.inverted-interval");
        assert_eq!(code(&["old"]), "statistics.not-a-number");
        assert_eq!(code(&["{1, old}"]), "statistics.not-a-number");
        assert_eq!(code(&["B*"]), "statistics.not-a-number");
        assert_eq!(code(&["70 kg"]), "statistics.unit");
        assert_eq!(code(&["70", "154 lb"]), "statistics.mixed-units");
        assert_eq!(code(&["70", "1999-01-01"]), "statistics.mixed-units");
        let mut reader = Reader::new();
        assert_eq!(reader.read("70 kg").unwrap_err().code, "statistics.unit");
        assert_eq!(reader.read("154 lb").unwrap_err().code, "statistics.mixed-units");
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in ".*") {
            let _ = Reader::new().read(&text);
        }

        /// What a cell covers lies in its span.
        #[test]
        fn covered_numbers_lie_within(low in -50i32..50, width in 0i32..30, x in -60i32..90, form in 0u8..4) {
            let high = low + width;
            let text = match form {
                0 => format!("[{low}, {high}]"),
                1 => format!("[{low}, {high})"),
                2 => format!("< {high}"),
                _ => format!("{{{low}, {high}}}"),
            };
            let span = Reader::new().read(&text).unwrap();
            if Cell::parse(&text).covers(&x.to_string()) {
                prop_assert!(span.low <= f64::from(x) && f64::from(x) <= span.high);
            }
        }
    }
}
