//! The text form of a generalized cell, and its parser: one syntax for all methods.
//!
//! | written | means |
//! | --- | --- |
//! | `02138` | the value itself, or a label of a hierarchy |
//! | `[20, 35]`, `[20, 35)`, `< 20`, `>= 90` | between bounds; a round bracket excludes its bound |
//! | `{A, B}` | one of these values |
//! | `Masters - PhD` | from one value to another, in an order that the policy states |
//! | `0213*`, `*138` | a value that begins or ends so; a star for every hidden character |
//! | `*` | anything |
//!
//! Within `{…}` a value that has a comma, a brace, a quote or a space at an end is written in
//! double quotes, with `""` for a quote; so is an end of a range that has one of these, a star or
//! ` - `, or begins or ends like it. Only the column's hierarchy can decide whether a text is a
//! form or a value that looks like one. Costs one pass over the text. `readers/` contains parsers
//! in other languages; `readers/cases.csv` tests all of them.

/// A cell as it is read.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// `*`: anything.
    Anything,
    /// A value or a label.
    Value(String),
    /// A number between two bounds.
    Interval(Interval),
    /// One of some values.
    Set(Vec<String>),
    /// From one value to another in an order that the column's policy states: first and last.
    Range(String, String),
    /// A text whose beginning or end is shown.
    Masked(Masked),
}

/// A number between two bounds; an infinite bound is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Whether the lower bound is one of the numbers.
    pub from_low: bool,
    /// Whether the upper bound is one of the numbers.
    pub to_high: bool,
}

impl Interval {
    /// Whether a number lies in it.
    pub fn has(&self, x: f64) -> bool {
        let above = if self.from_low { x >= self.low } else { x > self.low };
        let below = if self.to_high { x <= self.high } else { x < self.high };
        above && below
    }
}

/// A text whose beginning or end is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// What is shown.
    pub shown: String,
    /// How many characters are hidden.
    pub hidden: usize,
    /// Whether the beginning is shown; otherwise the end is.
    pub begins: bool,
}

impl Cell {
    /// Reads a cell.
    pub fn parse(text: &str) -> Cell {
        if text == "*" {
            return Cell::Anything;
        }
        let parsed = interval(text).map(Cell::Interval).or_else(|| set(text).map(Cell::Set));
        let parsed = parsed.or_else(|| range(text).map(|(first, last)| Cell::Range(first, last)));
        let parsed = parsed.or_else(|| masked(text).map(Cell::Masked));
        parsed.unwrap_or_else(|| Cell::Value(text.into()))
    }

    /// Whether an original value can be behind the cell. What lies between the ends of a range
    /// depends on the order of the column, so only the ends are known here; see
    /// [`Hierarchy::between`](crate::hierarchy::Hierarchy::between).
    pub fn covers(&self, value: &str) -> bool {
        match self {
            Cell::Anything => true,
            Cell::Value(shown) => shown == value,
            Cell::Interval(interval) => number(value).is_some_and(|x| interval.has(x)),
            Cell::Set(values) => values.iter().any(|shown| shown == value),
            Cell::Range(first, last) => first == value || last == value,
            Cell::Masked(Masked { shown, hidden, begins }) => {
                let rest = if *begins { value.strip_prefix(&**shown) } else { value.strip_suffix(&**shown) };
                rest.is_some_and(|rest| rest.chars().count() == *hidden)
            }
        }
    }
}

/// The closed interval between two values, or the value where both are the same.
pub fn write_interval(low: &str, high: &str) -> String {
    if low == high { low.into() } else { format!("[{}, {}]", low.trim(), high.trim()) }
}

/// The range between two values of an order, or the value where both are the same.
pub fn write_range(first: &str, last: &str) -> String {
    let end = |value: &str| if plain_end(value) { value.into() } else { in_quotes(value) };
    if first == last { first.into() } else { [end(first), end(last)].join(TO) }
}

/// The set of some values, or the value if there is one. Numbers come first and by size, all others
/// by their characters: any other order could reveal the order of rows.
pub fn write_set<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let mut values: Vec<&str> = values.into_iter().collect();
    let key = |value: &str| number(value).unwrap_or(f64::INFINITY);
    values.sort_by(|a, b| key(a).total_cmp(&key(b)).then_with(|| a.cmp(b)));
    if let [only] = values[..] {
        return only.into();
    }
    let quoted: Vec<String> = values.into_iter().map(quoted).collect();
    format!("{{{}}}", quoted.join(", "))
}

/// What is between the ends of a range.
const TO: &str = " - ";

fn quoted(value: &str) -> String {
    if plain(value) { value.into() } else { in_quotes(value) }
}

/// Whether a value of a set needs no quotes.
fn plain(value: &str) -> bool {
    !value.is_empty() && value.trim() == value && !value.contains([',', '{', '}', '"'])
}

/// Whether an end of a range needs no quotes: it must not look like another form or hide where the
/// range is cut.
fn plain_end(value: &str) -> bool {
    let dashed = value.contains(TO) || value.starts_with("- ") || value.ends_with(" -");
    plain(value) && !value.contains('*') && !dashed
}

fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('"', "\"\""))
}

/// The finite number that a text is, spaces around it aside.
pub fn number(text: &str) -> Option<f64> {
    // Adding zero turns −0 into 0, which is the same number and must sort and print as it.
    text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x + 0.0)
}

fn interval(text: &str) -> Option<Interval> {
    if let Some(low) = text.strip_prefix(">= ").and_then(number) {
        return Some(Interval { low, high: f64::INFINITY, from_low: true, to_high: false });
    }
    if let Some(high) = text.strip_prefix("< ").and_then(number) {
        return Some(Interval { low: f64::NEG_INFINITY, high, from_low: false, to_high: false });
    }
    let (from_low, to_high) = (text.starts_with('['), text.ends_with(']'));
    let inner = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    let (low, high) = inner.split_once(", ")?;
    let (low, high) = (number(low)?, number(high)?);
    (low <= high).then_some(Interval { low, high, from_low, to_high })
}

fn set(text: &str) -> Option<Vec<String>> {
    let mut rest = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut values = Vec::new();
    loop {
        let (value, after) = if let Some(inner) = rest.strip_prefix('"') {
            quoted_value(inner)?
        } else {
            let end = rest.find(", ").unwrap_or(rest.len());
            let value = &rest[..end];
            plain(value).then(|| (value.to_owned(), &rest[end..]))?
        };
        values.push(value);
        if after.is_empty() {
            return Some(values);
        }
        rest = after.strip_prefix(", ")?;
    }
}

fn range(text: &str) -> Option<(String, String)> {
    let (first, rest) = match text.strip_prefix('"') {
        Some(inner) => quoted_value(inner)?,
        None => {
            let end = text.find(TO)?;
            let first = &text[..end];
            plain_end(first).then(|| (first.to_owned(), &text[end..]))?
        }
    };
    let rest = rest.strip_prefix(TO)?;
    let last = match rest.strip_prefix('"') {
        Some(inner) => quoted_value(inner).filter(|(_, after)| after.is_empty())?.0,
        None => plain_end(rest).then(|| rest.to_owned())?,
    };
    (first != last).then_some((first, last))
}

/// The value up to the closing quote, and what follows.
fn quoted_value(inner: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = inner;
    loop {
        let end = rest.find('"')?;
        value.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                value.push('"');
                rest = more;
            }
            None => return Some((value, rest)),
        }
    }
}

fn masked(text: &str) -> Option<Masked> {
    let begun = text.trim_end_matches('*');
    let ended = text.trim_start_matches('*');
    let hidden = |shown: &str| text.len() - shown.len();
    let plain = |shown: &str| !shown.is_empty() && !shown.contains('*');
    if hidden(begun) > 0 && plain(begun) {
        return Some(Masked { shown: begun.into(), hidden: hidden(begun), begins: true });
    }
    (hidden(ended) > 0 && plain(ended)).then(|| Masked {
        shown: ended.into(),
        hidden: hidden(ended),
        begins: false,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a line of the list that all readers share says of a text.
    fn listed(kind: &str, bounds: [&str; 4], parts: &str) -> Cell {
        let [low, high, from_low, to_high] = bounds;
        let parts_of = || parts.split('|').map(String::from).collect::<Vec<_>>();
        match kind {
            "anything" => Cell::Anything,
            "value" => Cell::Value(parts.into()),
            "interval" => Cell::Interval(Interval {
                low: low.parse().unwrap(),
                high: high.parse().unwrap(),
                from_low: from_low == "true",
                to_high: to_high == "true",
            }),
            "set" => Cell::Set(parts_of()),
            "range" => {
                let [first, last] = parts_of().try_into().unwrap();
                Cell::Range(first, last)
            }
            "masked" => {
                let [shown, hidden, begins] = parts_of().try_into().unwrap();
                Cell::Masked(Masked { shown, hidden: hidden.parse().unwrap(), begins: begins == "true" })
            }
            other => panic!("there is no kind {other}"),
        }
    }

    #[test]
    fn forms_are_read_as_documented() {
        let cases = include_str!("../../../readers/cases.csv").lines().skip(1);
        let mut seen = 0;
        for line in cases {
            let fields: Vec<&str> = line.split(';').collect();
            let [text, kind, low, high, from_low, to_high, parts] = fields[..] else { panic!("{line}") };
            assert_eq!(Cell::parse(text), listed(kind, [low, high, from_low, to_high], parts), "{text}");
            seen += 1;
        }
        assert!(seen > 30, "{seen} cases");
    }

    #[test]
    fn a_cell_covers_what_it_says() {
        for (text, inside, outside) in [
            ("[20, 35)", "20", "35"),
            ("[20, 35]", "35.0", "35.1"),
            ("< 20", "-7", "20"),
            (">= 90", "90", "89"),
            ("{A, B}", "B", "C"),
            ("Masters - PhD", "PhD", "Bachelors"),
            ("0213*", "02139", "0213"),
            ("*", "anything", ""),
            ("Black", "Black", "White"),
        ] {
            let cell = Cell::parse(text);
            assert!(cell.covers(inside), "{text} covers {inside}");
            assert!(text == "*" || !cell.covers(outside), "{text} does not cover {outside}");
        }
    }

    #[test]
    fn sets_are_in_an_order_of_their_own() {
        assert_eq!(write_set(["waiter", "10", "9", "cook", "-1.5"]), "{-1.5, 9, 10, cook, waiter}");
        assert_eq!(write_set(["b"]), "b");
    }

    proptest! {
        #[test]
        fn sets_are_read_back(values in proptest::collection::btree_set(".{0,6}", 2..5)) {
            let text = write_set(values.iter().map(String::as_str));
            prop_assert_eq!(&text, &write_set(values.iter().rev().map(String::as_str)), "in any order");
            let Cell::Set(mut found) = Cell::parse(&text) else { panic!("{text} is a set") };
            found.sort();
            prop_assert_eq!(found, values.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn ranges_are_read_back(
            first in r#"( - |-| |"|\*|\{|\[|,|[ab1]|.){0,5}"#,
            last in r#"( - |-| |"|\*|\}|\]|,|[ab1]|.){0,5}"#,
        ) {
            let text = write_range(&first, &last);
            match first == last {
                true => prop_assert_eq!(text, first),
                false => prop_assert_eq!(Cell::parse(&text), Cell::Range(first, last)),
            }
        }

        #[test]
        fn intervals_are_read_back(low in -1e9..1e9f64, width in 0.001..1e9f64) {
            let high = low + width;
            let text = write_interval(&low.to_string(), &high.to_string());
            let interval = Interval { low, high, from_low: true, to_high: true };
            prop_assert_eq!(Cell::parse(&text), Cell::Interval(interval));
        }

        #[test]
        fn nothing_makes_it_panic(text in ".*") {
            let _ = Cell::parse(&text).covers(&text);
        }
    }
}
