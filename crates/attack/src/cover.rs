//! What released cells cover: the codes of specific values that can be behind a cell.
//!
//! A cell covers a value if it is the value, if its form says so (interval, set, mask, `*`; see
//! [`Cell`]), if it is a label of the column's hierarchy above the value, or if it is a period and
//! the value is a date in it. Covered codes are runs of codes; most cells have one. Costs a binary
//! search per interval, and one pass over the distinct values per cell of another form.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use throng_statistics::cells::Reader;
use throng_terms::cell::{Cell, Interval, Masked};
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::table::Code;

use crate::table::{Column, Scale};

/// Codes in ascending runs that do not touch; both ends belong to a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Runs(Vec<(Code, Code)>);

impl Runs {
    /// All codes of a column of this size.
    pub fn all(size: usize) -> Self {
        Runs(if size == 0 { Vec::new() } else { vec![(0, size as Code - 1)] })
    }

    /// Some codes, in any order.
    pub fn of(mut codes: Vec<Code>) -> Self {
        codes.sort_unstable();
        codes.dedup();
        let mut runs: Vec<(Code, Code)> = Vec::new();
        for code in codes {
            match runs.last_mut() {
                Some(last) if last.1 + 1 == code => last.1 = code,
                _ => runs.push((code, code)),
            }
        }
        Runs(runs)
    }

    /// Whether a code is one of them.
    pub fn has(&self, code: Code) -> bool {
        let at = self.0.partition_point(|run| run.1 < code);
        self.0.get(at).is_some_and(|run| run.0 <= code)
    }

    /// Whether some code between two bounds is one of them.
    pub fn meets(&self, low: Code, high: Code) -> bool {
        let at = self.0.partition_point(|run| run.1 < low);
        self.0.get(at).is_some_and(|run| run.0 <= high)
    }

    /// Whether every code between two bounds is one of them.
    pub fn holds(&self, low: Code, high: Code) -> bool {
        let at = self.0.partition_point(|run| run.1 < low);
        self.0.get(at).is_some_and(|run| run.0 <= low && high <= run.1)
    }

    /// The codes.
    pub fn codes(&self) -> impl Iterator<Item = Code> {
        self.0.iter().flat_map(|&(low, high)| low..=high)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn with(self, code: Code) -> Self {
        if self.has(code) { self } else { Runs::of(self.codes().chain([code]).collect()) }
    }

    /// Whether some code is in both.
    pub fn crosses(&self, other: &Runs) -> bool {
        self.0.iter().any(|&(low, high)| other.meets(low, high))
    }

    /// The first and the last code of every run.
    pub(crate) fn ends(&self) -> &[(Code, Code)] {
        &self.0
    }
}

/// What a missing cell means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is known: a missing cell covers every value, and every cell covers a missing value.
    Unknown,
    /// It is a value like others.
    Value,
}

/// What a released cell is beside specific values.
#[derive(Debug, Clone)]
pub struct Covered {
    /// The codes that it covers.
    pub runs: Runs,
    /// Whether it says nothing: `*`, or missing where that is unknown.
    pub anything: bool,
    /// Whether it is a specific value: neither a generalized form nor a label.
    pub specific: bool,
    /// The code of the value that it is.
    pub same: Option<Code>,
    /// Share of the specific rows that it covers.
    pub share: f64,
}

/// Code of a released cell → what it covers among the values of another column.
pub fn covers(
    released: &Column,
    specific: &Column,
    hierarchy: Option<&Hierarchy>,
    missing: Missing,
) -> Vec<Covered> {
    let labels = hierarchy.map(|hierarchy| Labels::new(hierarchy, specific));
    let all = (0..specific.size() as Code).map(|code| specific.dictionary.count(code)).sum();
    let context =
        Context { specific, labels, missing, all, by_text: by_text(specific), reader: reader(specific) };
    let codes: Vec<Code> = (0..released.size() as Code).collect();
    codes.par_iter().map(|&code| context.covered(released.dictionary.value(code))).collect()
}

struct Context<'a> {
    specific: &'a Column,
    labels: Option<Labels>,
    missing: Missing,
    /// Rows of the specific values.
    all: u64,
    /// Codes in the order of texts.
    by_text: Vec<Code>,
    /// Reads periods, where values are dates.
    reader: Option<Reader>,
}

fn by_text(column: &Column) -> Vec<Code> {
    column.dictionary.by_value()
}

fn reader(column: &Column) -> Option<Reader> {
    (column.scale == Scale::Dates).then(|| Reader::new().with_dates())
}

impl Context<'_> {
    fn covered(&self, text: Option<&str>) -> Covered {
        let (dictionary, size) = (&self.specific.dictionary, self.specific.size());
        let same = dictionary.get(text);
        let anything = match text {
            Some(text) => text == TOP && same.is_none(),
            None => self.missing == Missing::Unknown,
        };
        let (mut runs, mut specific) = match text {
            _ if anything => (Runs::all(size), false),
            None => (Runs::of(same.into_iter().collect()), true),
            Some(text) => self.of_text(text, same),
        };
        if let (Missing::Unknown, Some(unknown)) = (self.missing, dictionary.missing()) {
            specific &= runs.is_empty() || same.is_some();
            runs = runs.with(unknown);
        }
        let rows: u64 = runs.codes().map(|code| dictionary.count(code)).sum();
        let all = self.all.max(1) as f64;
        Covered { runs, anything, specific, same, share: rows as f64 / all }
    }

    /// Codes under a text, and whether the text is a specific value.
    fn of_text(&self, text: &str, same: Option<Code>) -> (Runs, bool) {
        let labelled = self.labels.as_ref().and_then(|labels| labels.get(text));
        let mut codes: Vec<Code> = labelled.map(<[Code]>::to_vec).unwrap_or_default();
        codes.extend(same);
        let cell = Cell::parse(text);
        let mut specific = labelled.is_none() && matches!(cell, Cell::Value(_));
        match &cell {
            Cell::Interval(interval) => codes.extend(self.in_interval(interval)),
            Cell::Masked(masked) => codes.extend(self.in_mask(masked, &cell)),
            Cell::Set(values) => codes.extend(values.iter().flat_map(|value| self.member(value))),
            Cell::Range(first, last) => codes.extend(self.between(first, last)),
            Cell::Anything | Cell::Value(_) => {}
        }
        if codes.is_empty()
            && let Some(mut reader) = self.reader.clone()
            && let Ok(span) = reader.read(text)
        {
            let numbers = &self.specific.numbers;
            let inside = |code: &Code| {
                let x = numbers[*code as usize];
                span.low <= x && x <= span.high
            };
            codes.extend((0..self.specific.size() as Code).filter(inside));
            specific &= span.low == span.high;
        }
        (Runs::of(codes), specific)
    }

    /// The codes of a value of a set, which may be a label.
    fn member(&self, value: &str) -> Vec<Code> {
        let labelled = self.labels.as_ref().and_then(|labels| labels.get(value)).unwrap_or_default();
        labelled.iter().copied().chain(self.specific.dictionary.get(Some(value))).collect()
    }

    fn in_interval(&self, interval: &Interval) -> Vec<Code> {
        if self.specific.scale == Scale::Numbers {
            let numbers = &self.specific.numbers;
            let from = usize::from(self.specific.dictionary.missing().is_some());
            let below = |x: &f64| if interval.from_low { *x < interval.low } else { *x <= interval.low };
            let up_to = |x: &f64| if interval.to_high { *x <= interval.high } else { *x < interval.high };
            let low = from + numbers[from..].partition_point(below);
            let high = from + numbers[from..].partition_point(up_to);
            return (low as Code..high.max(low) as Code).collect();
        }
        self.filtered(&Cell::Interval(*interval))
    }

    /// Codes of the values that a form covers by itself.
    fn filtered(&self, cell: &Cell) -> Vec<Code> {
        let covers =
            |code: &Code| self.specific.dictionary.value(*code).is_some_and(|value| cell.covers(value));
        (0..self.specific.size() as Code).filter(covers).collect()
    }

    fn in_mask(&self, masked: &Masked, cell: &Cell) -> Vec<Code> {
        if !masked.begins {
            return self.filtered(cell);
        }
        let text = |code: Code| self.specific.dictionary.value(code).unwrap_or_default();
        let shown = masked.shown.as_str();
        let start = self.by_text.partition_point(|&code| text(code) < shown);
        let begun = self.by_text[start..].iter().take_while(|&&code| text(code).starts_with(shown));
        begun.copied().filter(|&code| cell.covers(text(code))).collect()
    }

    /// Values from one to another: by the order of the hierarchy, or by size.
    fn between(&self, first: &str, last: &str) -> Vec<Code> {
        if let Some(codes) = self.labels.as_ref().and_then(|labels| labels.between(first, last)) {
            return codes;
        }
        let ends = [first, last].map(throng_statistics::cells::value);
        match ends {
            [Some(low), Some(high)] if self.specific.scale != Scale::Text => {
                let inside = |code: &Code| {
                    let x = self.specific.numbers[*code as usize];
                    low <= x && x <= high
                };
                (0..self.specific.size() as Code).filter(inside).collect()
            }
            _ => self.filtered(&Cell::Range(first.into(), last.into())),
        }
    }
}

/// The labels of a hierarchy over the values of a column.
struct Labels {
    /// Label of a level above 0 → codes of the column under it.
    under: FxHashMap<String, Vec<Code>>,
    /// Value of an ordered hierarchy → its place.
    places: FxHashMap<String, Code>,
    /// Place → code of the column.
    at: Vec<Option<Code>>,
}

impl Labels {
    fn new(hierarchy: &Hierarchy, column: &Column) -> Self {
        let mut under: FxHashMap<String, Vec<Code>> = FxHashMap::default();
        let mut at = vec![None; hierarchy.leaf_count()];
        for code in 0..column.size() as Code {
            let Some(leaf) = hierarchy.leaf(column.dictionary.value(code)) else { continue };
            at[leaf as usize] = Some(code);
            for level in 1..=hierarchy.height() {
                let label = hierarchy.label(level, hierarchy.generalize(leaf, level));
                if let Some(label) = label.filter(|label| *label != TOP) {
                    match under.get_mut(label) {
                        Some(codes) if codes.last() == Some(&code) => {}
                        Some(codes) => codes.push(code),
                        None => {
                            under.insert(label.to_owned(), vec![code]);
                        }
                    }
                }
            }
        }
        let mut places = FxHashMap::default();
        if hierarchy.ordered() {
            for leaf in 0..hierarchy.leaf_count() as Code {
                if let Some(value) = hierarchy.leaf_value(leaf) {
                    places.insert(value.to_owned(), leaf);
                }
            }
        }
        Labels { under, places, at }
    }

    fn get(&self, label: &str) -> Option<&[Code]> {
        self.under.get(label).map(|codes| &codes[..])
    }

    fn between(&self, first: &str, last: &str) -> Option<Vec<Code>> {
        let (first, last) = (*self.places.get(first)?, *self.places.get(last)?);
        (first <= last).then(|| self.at[first as usize..=last as usize].iter().copied().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use throng_terms::hierarchy::Path;

    use super::*;

    fn texts(column: &Column, covered: &Covered) -> Vec<String> {
        covered.runs.codes().filter_map(|code| column.dictionary.value(code).map(String::from)).collect()
    }

    fn covered(values: &[&str], cell: &str, hierarchy: Option<&Hierarchy>) -> Vec<String> {
        let specific = Column::new("c", values.iter().copied().map(Some));
        let released = Column::new("c", [Some(cell)]);
        texts(&specific, &covers(&released, &specific, hierarchy, Missing::Unknown)[0])
    }

    #[test]
    fn forms_cover_what_they_say() {
        let ages = ["19", "20", "35", "36", "90"];
        assert_eq!(covered(&ages, "[20, 36)", None), ["20", "35"]);
        assert_eq!(covered(&ages, ">= 36", None), ["36", "90"]);
        assert_eq!(covered(&ages, "{20, 90}", None), ["20", "90"]);
        assert_eq!(covered(&ages, "*", None).len(), 5);
        assert_eq!(covered(&ages, "20 - 36", None), ["20", "35", "36"]);
        assert_eq!(covered(&["02138", "02139", "0213", "10001"], "0213*", None), ["02138", "02139"]);
        assert_eq!(covered(&["02138", "12138"], "*2138", None), ["02138", "12138"]);
        let days = ["1960-06-30", "1960-07-31", "1961-01-01"];
        assert_eq!(covered(&days, "1960", None), ["1960-06-30", "1960-07-31"]);
        assert_eq!(covered(&days, "1960-07", None), ["1960-07-31"]);
        assert_eq!(covered(&days, "1961-01-01", None), ["1961-01-01"]);
    }

    #[test]
    fn labels_cover_the_values_below_them() {
        let path = |leaf: &str, label: &str| Path { leaf: leaf.into(), labels: vec![label.into()] };
        let paths = vec![path("flu", "lung"), path("asthma", "lung"), path("ulcer", "stomach")];
        let hierarchy = Hierarchy::new(paths, false).unwrap();
        let values = ["asthma", "flu", "ulcer", "burn"];
        assert_eq!(covered(&values, "lung", Some(&hierarchy)), ["asthma", "flu"]);
        assert_eq!(covered(&values, "{lung, burn}", Some(&hierarchy)), ["asthma", "burn", "flu"]);
        assert_eq!(covered(&values, "nothing", Some(&hierarchy)), [""; 0]);
    }

    #[test]
    fn a_missing_value_is_unknown_or_a_value() {
        let specific = Column::new("c", [Some("a"), None]);
        let released = Column::new("c", [Some("a"), None]);
        let sizes = |missing| {
            let all = covers(&released, &specific, None, missing);
            all.iter().map(|covered| covered.runs.codes().count()).collect::<Vec<_>>()
        };
        // Code 0 is the missing cell.
        assert_eq!(sizes(Missing::Unknown), [2, 2]);
        assert_eq!(sizes(Missing::Value), [1, 1]);
    }

    proptest! {
        #[test]
        fn runs_are_sets(codes in prop::collection::vec(0..30u32, 0..20), low in 0..30u32, width in 0..10u32) {
            let runs = Runs::of(codes.clone());
            let high = low + width;
            prop_assert_eq!(runs.has(low), codes.contains(&low));
            prop_assert_eq!(runs.meets(low, high), (low..=high).any(|code| codes.contains(&code)));
            prop_assert_eq!(runs.holds(low, high), (low..=high).all(|code| codes.contains(&code)));
        }

        /// A cell covers what [`Cell::covers`] says, however it is found.
        #[test]
        fn covers_are_those_of_the_cells(
            numbers in prop::collection::btree_set(-20..40i32, 1..12),
            low in -25..40i32,
            width in 0..20i32,
            open in any::<bool>(),
        ) {
            let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            let values: Vec<&str> = texts.iter().map(String::as_str).collect();
            let cell = format!("[{low}, {}{}", low + width, if open { ')' } else { ']' });
            let mut expected: Vec<String> =
                texts.iter().filter(|text| Cell::parse(&cell).covers(text)).cloned().collect();
            expected.sort_by_key(|text| text.parse::<i32>().unwrap());
            prop_assert_eq!(covered(&values, &cell, None), expected);
        }
    }
}
