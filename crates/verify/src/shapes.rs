//! The leaves that released cells cover, by the hierarchy or by the meaning of the cell, for the
//! verifier.
//!
//! Costs one pass over all leaves per distinct interval or label; pairs of one label are adjacent,
//! so it is parsed once.

use super::classes::Interner;
use super::target_information::TargetInformation;
use throng_terms::cell::{Cell, number};
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::policy::Form;

/// What a cell covers that stands for a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Leaves of the hierarchy.
    pub(super) leaves: f64,
    /// The least level at which they are one value; of a poset, whose height is 1, the measure of
    /// the cell.
    pub(super) level: f64,
    /// Rows of the original, and the entropy of the values among them.
    pub(super) rows: f64,
    pub(super) bits: f64,
    /// Its information about the targets, if needed and known.
    pub(super) worth: f64,
    /// Bit l: the cell is the label of the value at level l; all bits if cells are not labels.
    pub(super) levels: u128,
}

/// How the cells of a column are read.
pub(super) struct Shown<'a> {
    form: Form,
    hierarchy: &'a Hierarchy,
    /// The order of values that the policy states, where it states one.
    order: Option<&'a [String]>,
    /// Leaf → its number, where it is one, and rows of the original.
    leaves: Vec<(Option<f64>, f64)>,
    information: Option<&'a TargetInformation>,
    /// The interval or set that was read last, and what it covers: pairs of one label come
    /// together.
    last: Option<(String, Cell, Shape)>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(
        form: Form,
        (hierarchy, order): (&'a Hierarchy, Option<&'a [String]>),
        interner: &Interner,
        information: Option<&'a TargetInformation>,
    ) -> Self {
        let leaf = |leaf: usize| {
            let text = hierarchy.leaf_value(leaf as u32);
            let rows = interner.get(text).map_or(0, |text| interner.count(text));
            (text.and_then(number), rows as f64)
        };
        let leaves = (0..hierarchy.leaf_count()).map(leaf).collect();
        Shown { form, hierarchy, order, leaves, information, last: None }
    }

    /// What a cell covers that stands for a value; none where it is not true of it.
    pub(super) fn shape(&mut self, text: Option<&str>, label: Option<&str>) -> Option<Shape> {
        let leaf = self.hierarchy.leaf(text)?;
        if self.form == Form::Label {
            return self.label(leaf, label);
        }
        if self.form == Form::Poset {
            return self.of_poset(leaf, text, label);
        }
        if label == Some(TOP) && text != Some(TOP) {
            return Some(self.of((0..self.leaves.len() as u32).collect(), Some(self.hierarchy.height())));
        }
        if label == text {
            return Some(self.of(vec![leaf], None));
        }
        let (label, text) = (label?, text?);
        if self.form == Form::Range {
            return self.range(leaf, text, label);
        }
        if self.form.truthful() {
            let (cell, shape) = self.read(label)?;
            return cell.covers(text).then_some(shape);
        }
        // Whether it is the right number is another question; it costs what the value was moved by.
        let (x, shown) = (number(text)?, number(label)?);
        // Texts of the same number are not moved.
        let leaves = if x == shown { vec![leaf] } else { self.between(x.min(shown), x.max(shown)) };
        Some(self.of(leaves, None))
    }

    /// A cell of a poset: its meaning is tested against every value.
    fn of_poset(&mut self, leaf: u32, text: Option<&str>, label: Option<&str>) -> Option<Shape> {
        let poset = self.hierarchy.poset()?;
        if !poset.covers(label, text) {
            return None;
        }
        let Some(label) = label else { return Some(self.of(vec![leaf], None)) };
        if let Some((_, _, shape)) = self.last.as_ref().filter(|(text, ..)| text == label) {
            return Some(*shape);
        }
        let under = |leaf: &u32| poset.covers(Some(label), self.hierarchy.leaf_value(*leaf));
        let leaves = (0..self.leaves.len() as u32).filter(under).collect();
        let level = poset.measure_of(Some(label))?;
        let shape = Shape { level, ..self.of(leaves, None) };
        self.last = Some((label.to_owned(), Cell::Anything, shape));
        Some(shape)
    }

    /// A range of the stated order, by the policy's list alone: none where the value is not listed
    /// between its ends.
    fn range(&mut self, leaf: u32, text: &str, label: &str) -> Option<Shape> {
        let Some(order) = self.order else { return self.dates(leaf, label) };
        let values = stretch(order, label)?;
        if !values.iter().any(|value| value == text) {
            return None;
        }
        if let Some((_, _, shape)) = self.last.as_ref().filter(|(text, ..)| text == label) {
            return Some(*shape);
        }
        let leaves = values.iter().map(|value| self.hierarchy.leaf(Some(value))).collect::<Option<_>>()?;
        let shape = self.of(leaves, None);
        self.last = Some((label.to_owned(), Cell::Anything, shape));
        Some(shape)
    }

    /// A range of dates, whose order follows from themselves: none where the value is not between
    /// its ends.
    fn dates(&mut self, leaf: u32, label: &str) -> Option<Shape> {
        let Cell::Range(first, last) = Cell::parse(label) else { return None };
        let leaves = self.hierarchy.between(&first, &last).filter(|leaves| leaves.contains(&leaf))?;
        if let Some((_, _, shape)) = self.last.as_ref().filter(|(text, ..)| text == label) {
            return Some(*shape);
        }
        let shape = self.of(leaves.collect(), None);
        self.last = Some((label.to_owned(), Cell::Anything, shape));
        Some(shape)
    }

    /// An interval or a set, and what it covers; none where a label is neither, or not what the
    /// form says.
    fn read(&mut self, label: &str) -> Option<(Cell, Shape)> {
        if let Some((_, cell, shape)) = self.last.as_ref().filter(|(text, ..)| text == label) {
            return Some((cell.clone(), *shape));
        }
        let cell = Cell::parse(label);
        let leaves = match (self.form, &cell) {
            (Form::Interval, Cell::Interval(interval)) => self.between(interval.low, interval.high),
            (Form::Set, Cell::Set(values)) => {
                values.iter().map(|value| self.hierarchy.leaf(Some(value))).collect::<Option<_>>()?
            }
            _ => return None,
        };
        let shape = self.of(leaves, None);
        self.last = Some((label.to_owned(), cell.clone(), shape));
        Some((cell, shape))
    }

    /// The leaves whose numbers lie between two.
    fn between(&self, low: f64, high: f64) -> Vec<u32> {
        let inside = |leaf: &u32| self.leaves[*leaf as usize].0.is_some_and(|x| low <= x && x <= high);
        (0..self.leaves.len() as u32).filter(inside).collect()
    }

    /// The least level that makes a label of a leaf, and every level that does.
    fn label(&self, leaf: u32, label: Option<&str>) -> Option<Shape> {
        let at = |level: usize| self.hierarchy.label(level, self.hierarchy.generalize(leaf, level)) == label;
        let levels: Vec<usize> = (0..=self.hierarchy.height()).filter(|&level| at(level)).collect();
        let least = *levels.first()?;
        let value = self.hierarchy.generalize(leaf, least);
        let under = (0..self.leaves.len() as u32).filter(|&l| self.hierarchy.generalize(l, least) == value);
        let bits = levels.iter().fold(0, |bits, &level| bits | 1 << level.min(127));
        Some(Shape { levels: bits, ..self.of(under.collect(), Some(least)) })
    }

    /// Some leaves, at the least level at which they are one value unless another is given.
    fn of(&self, leaves: Vec<u32>, level: Option<usize>) -> Shape {
        let hierarchy = self.hierarchy;
        let one = |level: &usize| {
            let codes = || leaves.iter().map(|&leaf| hierarchy.generalize(leaf, *level));
            codes().next() == codes().max() && codes().next() == codes().min()
        };
        let level = level.or_else(|| (0..=hierarchy.height()).find(one)).unwrap_or(hierarchy.height());
        let rows: f64 = leaves.iter().map(|&leaf| self.leaves[leaf as usize].1).sum();
        let shares = leaves.iter().map(|&leaf| self.leaves[leaf as usize].1 / rows);
        let bits = 0.0 - shares.filter(|&p| p > 0.0).map(|p| p * p.log2()).sum::<f64>();
        let worth = self.information.map_or(0.0, |information| information.cell(hierarchy, &leaves, level));
        Shape { leaves: leaves.len() as f64, level: level as f64, rows, bits, worth, levels: u128::MAX }
    }
}

/// The values that a text is, in a stated order: one of them, or a range; none where it is neither.
pub(super) fn stretch<'o>(order: &'o [String], text: &str) -> Option<&'o [String]> {
    let place = |end: &str| order.iter().position(|value| value == end);
    if let Some(only) = place(text) {
        return order.get(only..=only);
    }
    let Cell::Range(first, last) = Cell::parse(text) else { return None };
    let (first, last) = (place(&first)?, place(&last)?);
    order.get(first..=last).filter(|_| first < last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_terms::hierarchy::{File, Order, Spec, build};
    use throng_terms::poset::{self, Codes};

    const NODES: &str = "*\n427;;*\n427.89;;427\n427.81;;427\n031;;*\n031.0;;031";

    /// A range is true of what the policy lists between its ends, and of nothing else.
    #[test]
    fn ranges_follow_the_stated_order() {
        let order = ["low", "mid", "a - b", "high"].map(String::from);
        let mut interner = Interner::new();
        for value in ["mid", "low", "high", "mid"] {
            interner.add(Some(value));
        }
        let spec = Spec::Order(Order { fanout: Vec::new(), values: order.to_vec() });
        let hierarchy = build(&spec, &interner.dictionary(), &|_| unreachable!()).unwrap();
        let mut shown = Shown::new(Form::Range, (&hierarchy, Some(&order)), &interner, None);
        let mut covered = |value: &str, cell: &str| {
            let shape = shown.shape(Some(value), Some(cell))?;
            Some((shape.leaves, shape.rows))
        };
        assert_eq!(covered("mid", "low - \"a - b\""), Some((3.0, 3.0)));
        assert_eq!(covered("low", "low - \"a - b\""), Some((3.0, 3.0)), "read once");
        assert_eq!(covered("high", "low - \"a - b\""), None);
        assert_eq!(covered("mid", "mid"), Some((1.0, 2.0)));
        assert_eq!(covered("mid", "*"), Some((4.0, 4.0)));
        for other in ["high - low", "low - other", "low", "{low, mid}", "[low, mid]", "low - a - b"] {
            assert_eq!(covered("mid", other), None, "{other}");
        }
    }

    /// A range of dates is true of the dates of the table that are not before or after it.
    #[test]
    fn ranges_of_dates_follow_the_calendar() {
        let mut interner = Interner::new();
        for value in ["30.01.2020", "01.02.2020", "15.12.2019", "30.01.2020"] {
            interner.add(Some(value));
        }
        let hierarchy = build(&Spec::Suppress, &interner.dictionary(), &|_| unreachable!()).unwrap();
        let mut shown = Shown::new(Form::Range, (&hierarchy, None), &interner, None);
        let mut covered = |value: &str, cell: &str| {
            let shape = shown.shape(Some(value), Some(cell))?;
            Some((shape.leaves, shape.rows))
        };
        assert_eq!(covered("30.01.2020", "15.12.2019 - 30.01.2020"), Some((2.0, 3.0)));
        assert_eq!(covered("15.12.2019", "15.12.2019 - 30.01.2020"), Some((2.0, 3.0)), "read once");
        assert_eq!(covered("01.02.2020", "15.12.2019 - 30.01.2020"), None);
        assert_eq!(covered("30.01.2020", "01.02.2020 - 15.12.2019"), None, "the wrong way round");
        assert_eq!(covered("30.01.2020", "01.01.2020 - 01.02.2020"), None, "an end of another table");
        assert_eq!(covered("30.01.2020", "*"), Some((3.0, 4.0)));
    }

    /// A cell with more pairs or occurrences than the policy allows does not stand for its value,
    /// although it is true; a shortened one does, at a loss.
    #[test]
    fn multisets_beyond_the_limits_are_rejected() {
        let values = ["427.89:10; 031.0:2; 427.81", "427.89:3; 031.0", "031.0:2"];
        let mut interner = Interner::new();
        for value in values {
            interner.add(Some(value));
        }
        let codes = Codes { file: File::Path("icd9.csv".into()), most: 2, most_occurrences: Some(12) };
        let spec = Spec::Poset(poset::Spec::Codes(codes));
        let hierarchy = build(&spec, &interner.dictionary(), &|_| Ok(NODES.into())).unwrap();
        let mut shown = Shown::new(Form::Poset, (&hierarchy, None), &interner, None);
        let mut level = |value: &str, cell: &str| Some(shown.shape(Some(value), Some(cell))?.level);
        assert_eq!(level(values[0], values[0]), None, "three pairs, thirteen occurrences");
        assert_eq!(level(values[0], "427.89; 031.0; 427"), None, "three pairs");
        assert_eq!(level(values[0], "427.89:10; 031.0:2"), Some(1.0 - 12.0 / 13.0));
        assert_eq!(level(values[1], values[1]), Some(1.0 - 4.0 / 13.0), "equal rows");
        assert_eq!(level(values[1], "427.89:4; 031.0"), None, "not true");
    }
}
