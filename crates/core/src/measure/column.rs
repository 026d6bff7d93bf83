//! What released cells of one column mean, by its hierarchy or by the cell itself, and what they
//! cover.
//!
//! A text is first looked for among the labels of the hierarchy, then read as an interval, a set or
//! a masked value. A number in a column of numbers stands for the value behind it and covers what
//! lies between the two, as a mean does. A label may stand at several levels: then it is that of
//! the column's one level, where all cells are at one, or of the least level at which it is true of
//! the row. Costs one pass over the leaves per distinct text.

use rustc_hash::FxHashMap;

use super::notation;
use crate::cell::{Cell, Interval, number};
use crate::error::Result;
use crate::fault;
use crate::hierarchy::{Hierarchy, TOP};
use crate::policy::Form;
use crate::recoded::{Value, entropy};
use crate::space::all_numbers;
use crate::table::Code;
use crate::worth::Worths;

/// What a text means.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    /// The cell is missing.
    Missing,
    /// The label of these values, by level.
    Labels(Vec<(usize, Code)>),
    /// One of these leaves.
    Leaves(Vec<Code>),
    /// Anything.
    Anything,
    /// A number that stands for a value.
    Number(f64),
    /// A cell of a poset: its measure, and the leaves that it is true of.
    Poset(f64, Vec<Code>),
}

/// What a text is for the rows of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shown {
    /// A value of the hierarchy at a level.
    Label(usize, Code),
    /// What the text alone covers.
    Text,
    /// Everything.
    All,
    /// What lies between the number that is shown and that of the leaf.
    Between(Code),
}

/// The values that a text covers, whatever row it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Covered {
    /// All of them.
    All,
    /// Those at some places of [`Column::by_number`].
    Numbers(std::ops::Range<usize>),
    /// These.
    Leaves(Vec<Code>),
}

/// Whether a cell is true of the value behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    /// It is, or no value is known.
    True,
    /// It is another number.
    Moved,
    /// It is not.
    False,
}

/// A column of the release.
pub(super) struct Column<'a> {
    name: &'a str,
    hierarchy: &'a Hierarchy,
    /// How the policy's method writes cells, where it forms regions.
    form: Option<Form>,
    /// Leaves by number; empty unless all are numbers.
    numbers: Vec<(f64, Code)>,
    /// Leaf → rows of the original.
    rows: &'a [u64],
    worths: Option<&'a Worths>,
    /// Label → the values that have it, by level.
    labels: FxHashMap<&'a str, Vec<(usize, Code)>>,
    /// Level → value → its leaves.
    under: Vec<Vec<Vec<Code>>>,
}

impl<'a> Column<'a> {
    /// A column whose leaves have some rows in the original.
    pub(super) fn new(
        name: &'a str,
        hierarchy: &'a Hierarchy,
        form: Option<Form>,
        (rows, worths): (&'a [u64], Option<&'a Worths>),
    ) -> Self {
        let mut labels: FxHashMap<&str, Vec<(usize, Code)>> = FxHashMap::default();
        let mut under = Vec::new();
        for level in 0..=hierarchy.height() {
            let mut leaves = vec![Vec::new(); hierarchy.size(level)];
            for (leaf, &code) in hierarchy.codes(level).iter().enumerate() {
                leaves[code as usize].push(leaf as Code);
            }
            under.push(leaves);
            for code in 0..hierarchy.size(level) as Code {
                if let Some(label) = hierarchy.label(level, code) {
                    labels.entry(label).or_default().push((level, code));
                }
            }
        }
        let mut numbers = Vec::new();
        if all_numbers(hierarchy) {
            let leaf = |leaf: Code| Some((number(hierarchy.leaf_value(leaf)?)?, leaf));
            numbers.extend((0..hierarchy.leaf_count() as Code).filter_map(leaf));
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        Column { name, hierarchy, form, numbers, rows, worths, labels, under }
    }

    /// The hierarchy.
    pub(super) fn hierarchy(&self) -> &'a Hierarchy {
        self.hierarchy
    }

    /// What a text means.
    ///
    /// # Errors
    /// A text that is neither a label nor covers any value.
    pub(super) fn meaning(&self, text: Option<&str>) -> Result<Meaning> {
        let Some(text) = text else { return Ok(Meaning::Missing) };
        let found = self.of_text(text);
        found.ok_or_else(|| {
            fault!(
                Data,
                "measure.unknown-cell",
                "`{value}` is not a label of the column's hierarchy and covers none of its values",
                value = text
            )
            .column(self.name)
            .help("add the label to the hierarchy, or list the text under input.null if it means missing")
            .into()
        })
    }

    fn of_text(&self, text: &str) -> Option<Meaning> {
        let labels = || self.labels.get(text).cloned().map(Meaning::Labels);
        let leaf = || Some(Meaning::Labels(vec![(0, self.hierarchy.leaf(Some(text))?)]));
        match self.form {
            Some(Form::Mean | Form::Median) => self.of_number(text).or_else(labels),
            Some(Form::Interval | Form::Range) => leaf().or_else(|| self.of_cell(text)).or_else(labels),
            Some(Form::Set) => leaf().or_else(|| self.of_set(text)).or_else(labels),
            Some(Form::Poset) => self.of_poset(text),
            Some(Form::Label) | None => labels().or_else(|| self.of_poset(text)),
        }
        .or_else(|| self.of_cell(text))
        .or_else(|| self.of_number(text))
    }

    fn of_number(&self, text: &str) -> Option<Meaning> {
        number(text).filter(|_| !self.numbers.is_empty()).map(Meaning::Number)
    }

    /// The leaves of a set, or of the label in place of one: it has the same at every level where it
    /// stands, whatever else it looks like.
    fn of_set(&self, text: &str) -> Option<Meaning> {
        if matches!(notation::parse(text, self.hierarchy), Cell::Set(_) | Cell::Anything) {
            return self.of_cell(text);
        }
        let mut labels =
            self.labels.get(text)?.iter().map(|&(level, code)| &self.under[level][code as usize]);
        let first = labels.next()?;
        labels.all(|leaves| leaves == first).then(|| Meaning::Leaves(first.clone()))
    }

    /// The leaves that an interval, a set, a range or a masked value covers.
    fn of_cell(&self, text: &str) -> Option<Meaning> {
        let cell = notation::parse(text, self.hierarchy);
        let leaves: Vec<Code> = match &cell {
            Cell::Anything => return Some(Meaning::Anything),
            Cell::Value(_) => return None,
            Cell::Range(first, last) => self.hierarchy.between(first, last)?.collect(),
            Cell::Set(values) => {
                let mut leaves = Vec::new();
                for value in values {
                    // The least value with this label: another one may have the name of a branch.
                    let &(level, code) = self.labels.get(value.as_str())?.first()?;
                    leaves.extend(&self.under[level][code as usize]);
                }
                leaves.sort_unstable();
                leaves.dedup();
                leaves
            }
            Cell::Interval(_) | Cell::Masked(_) => {
                let covered = |leaf: &Code| self.hierarchy.leaf_value(*leaf).is_some_and(|v| cell.covers(v));
                (0..self.hierarchy.leaf_count() as Code).filter(covered).collect()
            }
        };
        (!leaves.is_empty()).then_some(Meaning::Leaves(leaves))
    }

    fn of_poset(&self, text: &str) -> Option<Meaning> {
        let poset = self.hierarchy.poset()?;
        let measure = poset.measure_of(Some(text))?;
        let covered = |leaf: &Code| poset.covers(Some(text), self.hierarchy.leaf_value(*leaf));
        let leaves: Vec<Code> = (0..self.hierarchy.leaf_count() as Code).filter(covered).collect();
        (!leaves.is_empty()).then_some(Meaning::Poset(measure, leaves))
    }

    /// The leaves in the order of their numbers; empty unless all are numbers.
    pub(super) fn by_number(&self) -> &[(f64, Code)] {
        &self.numbers
    }

    /// The values that a text covers; none of them where it means nothing in this column. An
    /// interval of numbers costs a binary search.
    pub(super) fn covered(&self, text: Option<&str>) -> Covered {
        let Some(text) = text else { return Covered::All };
        let value = match self.form {
            Some(Form::Interval | Form::Range) => self.hierarchy.leaf(Some(text)).is_some(),
            // A label in place of a set may look like an interval, but not like a set.
            Some(Form::Set) => match notation::parse(text, self.hierarchy) {
                Cell::Set(_) => self.hierarchy.leaf(Some(text)).is_some(),
                _ => self.labels.contains_key(text),
            },
            _ => self.labels.contains_key(text),
        };
        if !value && self.hierarchy.poset().is_none() {
            match notation::parse(text, self.hierarchy) {
                Cell::Interval(interval) if !self.numbers.is_empty() => {
                    return Covered::Numbers(self.within(&interval));
                }
                // Of a set that has other values as well, those that are known.
                Cell::Set(values) => {
                    let labels = values.iter().filter_map(|value| self.labels.get(value.as_str())?.first());
                    return Covered::Leaves(self.leaves_under(labels));
                }
                _ => {}
            }
        }
        match self.of_text(text) {
            Some(Meaning::Anything | Meaning::Missing) => Covered::All,
            Some(Meaning::Number(x)) => {
                let only = Interval { low: x, high: x, from_low: true, to_high: true };
                Covered::Numbers(self.within(&only))
            }
            Some(Meaning::Leaves(leaves) | Meaning::Poset(_, leaves)) => Covered::Leaves(leaves),
            Some(Meaning::Labels(labels)) => Covered::Leaves(self.leaves_under(labels.iter())),
            None => Covered::Leaves(Vec::new()),
        }
    }

    fn leaves_under<'b>(&self, labels: impl Iterator<Item = &'b (usize, Code)>) -> Vec<Code> {
        labels.flat_map(|&(level, code)| &self.under[level][code as usize]).copied().collect()
    }

    /// The places of the numbers in an interval.
    fn within(&self, interval: &Interval) -> std::ops::Range<usize> {
        let before = |x: f64| x < interval.low || x == interval.low && !interval.from_low;
        let until = |x: f64| x < interval.high || x == interval.high && interval.to_high;
        let start = self.numbers.partition_point(|n| before(n.0));
        start..self.numbers.partition_point(|n| until(n.0)).max(start)
    }

    /// Level → whether a text is the label of a leaf there; of any leaf where none is known.
    pub(super) fn levels(&self, text: Option<&str>, leaf: Option<Code>) -> Vec<bool> {
        let hierarchy = self.hierarchy;
        let at = |level: usize| match (leaf, text) {
            (Some(leaf), _) => hierarchy.label(level, hierarchy.generalize(leaf, level)) == text,
            (None, None) => hierarchy.missing_at(level).is_some(),
            (None, Some(text)) => self.labels.get(text).is_some_and(|at| at.iter().any(|a| a.0 == level)),
        };
        (0..=hierarchy.height()).map(at).collect()
    }

    /// What a text is for the rows of a leaf, and whether it is true of them; `level` is that of
    /// all cells of the column, where there is one. None where it depends on the leaf, which is not
    /// known.
    pub(super) fn shown(
        &self,
        (text, meaning): (Option<&str>, &Meaning),
        leaf: Option<Code>,
        level: Option<usize>,
    ) -> Option<(Shown, Truth)> {
        let value = |leaf: Code| {
            let level = level.unwrap_or(0);
            Shown::Label(level, self.hierarchy.generalize(leaf, level))
        };
        let covers = |leaves: &[Code]| leaf.is_none_or(|leaf| leaves.contains(&leaf));
        let truth = |holds: bool| if holds { Truth::True } else { Truth::False };
        Some(match meaning {
            Meaning::Anything => (Shown::All, Truth::True),
            // Missing where the original is not: the cell was suppressed.
            Meaning::Missing => match (leaf, self.hierarchy.missing()) {
                (None, Some(missing)) => (value(missing), Truth::True),
                (Some(leaf), Some(missing)) if leaf == missing => (value(missing), Truth::True),
                _ => (Shown::All, Truth::True),
            },
            Meaning::Leaves(leaves) | Meaning::Poset(_, leaves) => (Shown::Text, truth(covers(leaves))),
            Meaning::Number(shown) => self.moved(*shown, leaf?),
            Meaning::Labels(labels) => self.label(text, labels, leaf, level)?,
        })
    }

    fn label(
        &self,
        text: Option<&str>,
        labels: &[(usize, Code)],
        leaf: Option<Code>,
        level: Option<usize>,
    ) -> Option<(Shown, Truth)> {
        let true_of = |&&(level, code): &&(usize, Code)| {
            leaf.is_none_or(|leaf| self.hierarchy.generalize(leaf, level) == code)
        };
        let at_level = |at: &&(usize, Code)| level.is_none_or(|level| at.0 == level);
        let found = labels.iter().filter(at_level).find(true_of).or_else(|| labels.iter().find(true_of));
        if let Some(&(level, code)) = found {
            return Some((Shown::Label(level, code), Truth::True));
        }
        if text == Some(TOP) {
            return Some((Shown::All, Truth::True));
        }
        if let (Some(leaf), Some(shown)) = (leaf, text.and_then(number).filter(|_| !self.numbers.is_empty()))
        {
            return Some(self.moved(shown, leaf));
        }
        labels.first().map(|&(level, code)| (Shown::Label(level, code), Truth::False))
    }

    /// A number in place of a leaf.
    fn moved(&self, shown: f64, leaf: Code) -> (Shown, Truth) {
        match self.hierarchy.leaf_value(leaf).and_then(number) {
            // A number where there was none says nothing true.
            None => (Shown::All, Truth::False),
            Some(own) if own == shown => (Shown::Label(0, leaf), Truth::True),
            Some(_) => (Shown::Between(leaf), Truth::Moved),
        }
    }

    /// What is covered, without a label.
    pub(super) fn value(&self, (text, meaning): (Option<&str>, &Meaning), shown: Shown) -> Value {
        let all = || (0..self.hierarchy.leaf_count() as Code).collect::<Vec<Code>>();
        let height = self.hierarchy.height();
        match (shown, meaning) {
            (Shown::Label(level, code), _) => self.covering(&self.under[level][code as usize], level),
            (Shown::Text, Meaning::Leaves(leaves)) => self.covering(leaves, self.common(leaves)),
            (Shown::Text, Meaning::Poset(measure, leaves)) => {
                let level = usize::from(leaves.len() > 1) * height;
                Value { measure: *measure, ..self.covering(leaves, level) }
            }
            (Shown::Between(leaf), _) => {
                let leaves = self.between(text.and_then(number).unwrap_or_default(), leaf);
                self.covering(&leaves, self.common(&leaves))
            }
            (Shown::All | Shown::Text, _) => self.covering(&all(), height),
        }
    }

    /// A leaf as it is.
    pub(super) fn leaf(&self, leaf: Code, level: usize) -> (Option<&'a str>, Shown) {
        let code = self.hierarchy.generalize(leaf, level);
        (self.hierarchy.label(level, code), Shown::Label(level, code))
    }

    fn covering(&self, leaves: &[Code], level: usize) -> Value {
        let rows = leaves.iter().map(|&leaf| self.rows[leaf as usize]);
        let worth = |worths: &Worths| {
            let first = leaves.first().copied().unwrap_or(0);
            worths.of_cell(leaves, level, self.hierarchy.generalize(first, level))
        };
        Value {
            level,
            measure: level as f64,
            leaves: leaves.len() as u32,
            rows: rows.clone().sum(),
            bits: entropy(rows),
            label: 0,
            worth: self.worths.map_or(0.0, worth),
        }
    }

    /// The least level at which some leaves are one value.
    fn common(&self, leaves: &[Code]) -> usize {
        let one = |level: &usize| {
            let mut codes = leaves.iter().map(|&leaf| self.hierarchy.generalize(leaf, *level));
            let first = codes.next();
            codes.all(|code| Some(code) == first)
        };
        (0..=self.hierarchy.height()).find(one).unwrap_or(self.hierarchy.height())
    }

    /// The leaves from that of a row to a number.
    fn between(&self, shown: f64, leaf: Code) -> Vec<Code> {
        let own = self.hierarchy.leaf_value(leaf).and_then(number).unwrap_or(shown);
        let (low, high) = (own.min(shown), own.max(shown));
        let first = self.numbers.partition_point(|n| n.0 < low);
        let last = self.numbers.partition_point(|n| n.0 <= high);
        self.numbers[first..last].iter().map(|n| n.1).collect()
    }
}
