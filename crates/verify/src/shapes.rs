//! The leaves that released cells cover, by the hierarchy or by the meaning of the cell, for the
//! verifier.
//!
//! Pairs of text and label are numbers. A label is read once; what it covers is a value of the
//! hierarchy, whose sums are known, a stretch of a [`Line`], or a list of leaves that the label
//! itself spells out. Costs, per column, a sort of its leaves and a pass over them per level; per
//! label, one reading and two binary searches; per pair, one comparison per level. A poset whose
//! values have no line costs one test per label and value.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::classes::{Interner, MISSING, UNKNOWN};
use super::line::{Line, Sum};
use super::pace::Pace;
use super::pairs::Pairs;
use super::stand_ins::{StandIns, are_intervals, stand_ins};
use super::target_information::TargetInformation;
use throng_terms::cell::{Cell, Interval, number};
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::policy::Form;

/// What a cell covers that stands for a value.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// The shapes of the pairs of a column.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// Shapes with their rows; pairs of one label that follow each other share them.
    distinct: Vec<(Shape, u64)>,
    /// Pair → its shape, or [`UNKNOWN`] where the cell is not true of the text.
    of: Vec<u32>,
    /// Whether there is such a pair.
    untrue: bool,
}

impl Shapes {
    /// The shape of a pair; none where the cell is not true of the text.
    pub(super) fn get(&self, pair: usize) -> Option<Shape> {
        self.distinct.get(self.of[pair] as usize).map(|(shape, _)| *shape)
    }

    /// The shape of all pairs of a label, where it is one; none where it is not, or where some cell
    /// of the column is not true of its text.
    pub(super) fn common(&self, pairs: Range<usize>) -> Option<Shape> {
        let of_label = self.of.get(pairs).filter(|_| !self.untrue)?;
        // Numbers of shapes rise from pair to pair.
        (of_label.first()? == of_label.last()?).then(|| self.distinct[of_label[0] as usize].0)
    }

    /// All shapes with their rows; none where some cell is not true of its text.
    pub(super) fn all(&self) -> Option<&[(Shape, u64)]> {
        (!self.untrue).then_some(&self.distinct)
    }

    /// Adds the shape of the next pair with its rows; an equal one that came just before is used
    /// again.
    fn push(&mut self, shape: Option<Shape>, rows: u64) {
        let Some(shape) = shape else {
            self.untrue = true;
            return self.of.push(UNKNOWN);
        };
        match self.distinct.last_mut() {
            Some((last, known)) if *last == shape => *known += rows,
            _ => self.distinct.push((shape, rows)),
        }
        self.of.push(self.distinct.len() as u32 - 1);
    }
}

/// A label that was read: what it is true of, and what it covers.
enum Meaning {
    /// Nothing but the text that it is.
    Itself,
    /// Anything.
    Anything(Shape),
    /// Numbers between two bounds.
    Interval(Interval, Shape),
    /// Some leaves, in order.
    Leaves(Vec<u32>, Shape),
    /// Some places of the line.
    Stretch(Range<usize>, Shape),
    /// A number that stands for others, the places before it, and those that are not above it.
    Number(f64, usize, usize),
}

/// How the cells of a column are read.
pub(super) struct Shown<'a> {
    form: Form,
    hierarchy: &'a Hierarchy,
    texts: &'a Interner,
    labels: &'a Interner,
    information: Option<&'a TargetInformation>,
    /// Number of a text → its leaf, or [`UNKNOWN`].
    leaf_of: Vec<u32>,
    /// Leaf → rows of the original.
    rows: Vec<u64>,
    /// Level → value → number of its label in the release and what it covers; of labels only.
    values: Vec<Vec<(u32, Sum)>>,
    /// Leaves in an order in which cells cover neighbours, where there is one.
    line: Option<Line<'a>>,
    /// Leaf → its place in the line, or [`UNKNOWN`].
    places: Vec<u32>,
    /// Place → the number of its leaf, where the line has numbers.
    numbers: Vec<f64>,
    /// Value of the stated order → its place there; place → how many before it are leaves.
    order: FxHashMap<&'a str, usize>,
    listed: Vec<usize>,
    /// Labels in place of sets; intervals are where a set column has a line.
    stand_ins: StandIns<'a>,
}

impl<'a> Shown<'a> {
    /// Reads labels of a column that stand for texts of the original.
    pub(super) fn new(
        form: Form,
        (hierarchy, order): (&'a Hierarchy, Option<&'a [String]>),
        (texts, labels): (&'a Interner, &'a Interner),
        information: Option<&'a TargetInformation>,
        pace: &Pace<'_>,
    ) -> Result<Self> {
        let mut rows = vec![0; hierarchy.leaf_count()];
        let mut leaf_of = Vec::with_capacity(texts.len());
        for text in 0..texts.len() as u32 {
            pace.step()?;
            let leaf = hierarchy.leaf(texts.value(text));
            if let Some(leaf) = leaf {
                rows[leaf as usize] = texts.count(text);
            }
            leaf_of.push(leaf.unwrap_or(UNKNOWN));
        }
        let mut shown = Shown {
            form,
            hierarchy,
            texts,
            labels,
            information,
            leaf_of,
            rows,
            values: Vec::new(),
            line: None,
            places: Vec::new(),
            numbers: Vec::new(),
            order: FxHashMap::default(),
            listed: Vec::new(),
            stand_ins: StandIns::default(),
        };
        if form == Form::Set {
            shown.stand_ins = stand_ins(hierarchy, pace)?;
        }
        if form == Form::Label {
            shown.read_levels(pace)?;
        } else if let Some(leaves) = shown.lined(order) {
            shown.places = vec![UNKNOWN; hierarchy.leaf_count()];
            leaves.iter().enumerate().for_each(|(at, &leaf)| shown.places[leaf as usize] = at as u32);
            shown.line = Some(Line::new(hierarchy, leaves, &shown.rows, information));
        }
        pace.look()?;
        Ok(shown)
    }

    /// The labels of every level, and what they cover.
    fn read_levels(&mut self, pace: &Pace<'_>) -> Result<()> {
        for level in 0..=self.hierarchy.height() {
            let mut values = Vec::with_capacity(self.hierarchy.size(level));
            for code in 0..self.hierarchy.size(level) as u32 {
                pace.step()?;
                let number = self.labels.get(self.hierarchy.label(level, code));
                values.push((number.unwrap_or(UNKNOWN), Sum::default()));
            }
            for (&code, &rows) in self.hierarchy.codes(level).iter().zip(&self.rows) {
                values[code as usize].1.add(rows);
            }
            self.values.push(values);
        }
        Ok(())
    }

    /// The leaves in an order in which cells of the form cover neighbours; none where there is none.
    fn lined(&mut self, order: Option<&'a [String]>) -> Option<Vec<u32>> {
        let all = 0..self.hierarchy.leaf_count() as u32;
        match (self.form, order) {
            (Form::Poset, _) => self.hierarchy.poset()?.line().map(<[u32]>::to_vec),
            (Form::Range, Some(order)) => {
                let mut leaves = Vec::new();
                for (at, value) in order.iter().enumerate() {
                    self.order.entry(value).or_insert(at);
                    self.listed.push(leaves.len());
                    leaves.extend(self.hierarchy.leaf(Some(value)));
                }
                self.listed.push(leaves.len());
                Some(leaves)
            }
            (Form::Range, None) => Some(all.collect()),
            (Form::Set, _) if !are_intervals(self.hierarchy) => None,
            (Form::Interval | Form::Mean | Form::Median | Form::Set, _) => {
                let size = |leaf: u32| Some((self.hierarchy.leaf_value(leaf).and_then(number)?, leaf));
                let mut sizes: Vec<(f64, u32)> = all.filter_map(size).collect();
                sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.numbers = sizes.iter().map(|size| size.0).collect();
                Some(sizes.into_iter().map(|size| size.1).collect())
            }
            _ => None,
        }
    }

    /// The shapes of pairs, which are sorted by label; `right` says of labels whether they are the
    /// numbers that they should be.
    pub(super) fn shapes(&self, pairs: &Pairs, right: Option<&[bool]>, pace: &Pace<'_>) -> Result<Shapes> {
        // A label of a poset without a line is tested against all values.
        let tested = self.form == Form::Poset && self.line.is_none();
        let cost = if tested { self.rows.len() as u64 } else { 8 };
        let mut shapes = Shapes::default();
        for of_label in pairs.chunk_by(|a, b| a.0.1 == b.0.1) {
            let Some(&((_, label), _)) = of_label.first() else { continue };
            let right = right.is_none_or(|right| right[label as usize]);
            if self.form == Form::Label {
                for &((text, label), rows) in of_label {
                    pace.step()?;
                    shapes.push(self.label(text, label).filter(|_| right), rows);
                }
                continue;
            }
            let shown = self.labels.value(label);
            let itself = self.texts.get(shown);
            let meaning = self.meaning(shown);
            pace.steps(cost)?;
            for &((text, _), rows) in of_label {
                pace.step()?;
                shapes.push(self.shape(&meaning, text, itself == Some(text)).filter(|_| right), rows);
            }
        }
        Ok(shapes)
    }

    /// Reads a label.
    fn meaning(&self, label: Option<&str>) -> Meaning {
        let Some(label) = label else { return Meaning::Itself };
        if self.form == Form::Poset {
            return self.of_poset(label).unwrap_or(Meaning::Itself);
        }
        if label == TOP {
            return Meaning::Anything(self.everything());
        }
        let Some(line) = &self.line else { return self.set(label).unwrap_or(Meaning::Itself) };
        let stretch = |places: Range<usize>| Meaning::Stretch(places.clone(), line.shape(places));
        match self.form {
            Form::Range => self.range(label).map_or(Meaning::Itself, stretch),
            Form::Interval | Form::Set => match Cell::parse(label) {
                Cell::Interval(interval) => {
                    let from = self.before(interval.low);
                    let shape = line.shape(from..self.until(interval.high).max(from));
                    Meaning::Interval(interval, shape)
                }
                Cell::Set(_) if self.form == Form::Set => self.set(label).unwrap_or(Meaning::Itself),
                _ => Meaning::Itself,
            },
            // Whether it is the right number is another question; it costs what values were moved by.
            _ => match number(label) {
                Some(shown) => Meaning::Number(shown, self.before(shown), self.until(shown)),
                None => Meaning::Itself,
            },
        }
    }

    /// The places of the line before a number, and those that are not above it.
    fn before(&self, x: f64) -> usize {
        self.numbers.partition_point(|&y| y < x)
    }

    fn until(&self, x: f64) -> usize {
        self.numbers.partition_point(|&y| y <= x)
    }

    /// A cell of a poset: its meaning is tested against the values; none if it is not one.
    fn of_poset(&self, label: &str) -> Option<Meaning> {
        let poset = self.hierarchy.poset()?;
        let level = poset.measure_of(Some(label))?;
        if label == TOP {
            return Some(Meaning::Anything(Shape { level, ..self.everything() }));
        }
        if let Some(line) = &self.line {
            let places = poset.stretch(label);
            return Some(Meaning::Stretch(places.clone(), Shape { level, ..line.shape(places) }));
        }
        let leaves = poset.under(Some(label));
        let shape = Shape { level, ..self.listed(&leaves) };
        Some(Meaning::Leaves(leaves, shape))
    }

    /// The places of a range: by the policy's list alone where it states an order, else by dates,
    /// whose order follows from themselves.
    fn range(&self, label: &str) -> Option<Range<usize>> {
        // One of the values is that value, whatever it looks like.
        if self.order.contains_key(label) {
            return None;
        }
        let Cell::Range(first, last) = Cell::parse(label) else { return None };
        if self.listed.is_empty() {
            let leaves = self.hierarchy.between(&first, &last)?;
            return Some(*leaves.start() as usize..*leaves.end() as usize + 1);
        }
        let (first, last) = (*self.order.get(&*first)?, *self.order.get(&*last)?);
        let (from, to) = (self.listed[first], self.listed[last + 1]);
        // All values between the ends must be leaves.
        (first < last && to - from == last + 1 - first).then_some(from..to)
    }

    /// A set of leaves, or a label in place of a set.
    fn set(&self, label: &str) -> Option<Meaning> {
        if let Some(leaves) = self.stand_ins.get(label) {
            return Some(Meaning::Leaves(leaves.clone(), self.listed(leaves)));
        }
        let Cell::Set(values) = Cell::parse(label) else { return None };
        let leaf = |value: &String| self.hierarchy.leaf(Some(value));
        let mut leaves: Vec<u32> = values.iter().map(leaf).collect::<Option<_>>()?;
        let shape = self.listed(&leaves);
        leaves.sort_unstable();
        Some(Meaning::Leaves(leaves, shape))
    }

    /// What a label covers that was read, and that stands for a text; none where it is not true of
    /// it.
    fn shape(&self, meaning: &Meaning, text: u32, itself: bool) -> Option<Shape> {
        let leaf = self.leaf_of[text as usize];
        if leaf == UNKNOWN {
            return None;
        }
        // A cell of a poset that is the text may cover others, too.
        if itself && (self.form != Form::Poset || text == MISSING) {
            return Some(self.single(leaf));
        }
        let place = || self.places.get(leaf as usize).map(|&place| place as usize);
        match meaning {
            Meaning::Itself => None,
            Meaning::Anything(shape) => Some(*shape),
            Meaning::Interval(interval, shape) => {
                self.numbers.get(place()?).is_some_and(|&x| interval.has(x)).then_some(*shape)
            }
            Meaning::Leaves(leaves, shape) => leaves.binary_search(&leaf).is_ok().then_some(*shape),
            Meaning::Stretch(places, shape) => places.contains(&place()?).then_some(*shape),
            Meaning::Number(shown, before, until) => {
                let x = *self.numbers.get(place()?)?;
                // Texts of the same number are not moved.
                if x == *shown {
                    return Some(self.single(leaf));
                }
                let moved = if x < *shown { self.before(x)..*until } else { *before..self.until(x) };
                self.line.as_ref().map(|line| line.shape(moved))
            }
        }
    }

    /// The least level that makes a label of a text, and every level that does.
    fn label(&self, text: u32, label: u32) -> Option<Shape> {
        let leaf = self.leaf_of[text as usize];
        if leaf == UNKNOWN {
            return None;
        }
        let (mut least, mut levels) = (None, 0u128);
        for (level, values) in self.values.iter().enumerate() {
            let code = self.hierarchy.generalize(leaf, level);
            if values[code as usize].0 == label {
                least = least.or(Some((level, code)));
                levels |= 1 << level.min(127);
            }
        }
        let (level, code) = least?;
        let sum = self.values[level][code as usize].1;
        Some(Shape {
            leaves: f64::from(self.hierarchy.leaves_under(level, code)),
            level: level as f64,
            rows: sum.rows(),
            bits: sum.bits(),
            // It is the most of the value itself and of those above it.
            worth: self.information.map_or(0.0, |information| information.value(level, code)),
            levels,
        })
    }

    /// A leaf by itself.
    fn single(&self, leaf: u32) -> Shape {
        let code = self.hierarchy.generalize(leaf, 0);
        Shape {
            leaves: 1.0,
            level: 0.0,
            rows: self.rows[leaf as usize] as f64,
            bits: 0.0,
            worth: self.information.map_or(0.0, |information| information.value(0, code)),
            levels: u128::MAX,
        }
    }

    /// All leaves, at the highest level.
    fn everything(&self) -> Shape {
        let all: Vec<u32> = (0..self.rows.len() as u32).collect();
        self.at(&all, self.hierarchy.height())
    }

    /// Some leaves, at the least level at which they are one value.
    fn listed(&self, leaves: &[u32]) -> Shape {
        let hierarchy = self.hierarchy;
        let one = |level: &usize| {
            let mut codes = leaves.iter().map(|&leaf| hierarchy.generalize(leaf, *level));
            codes.next().is_none_or(|first| codes.all(|code| code == first))
        };
        self.at(leaves, (0..=hierarchy.height()).find(one).unwrap_or(hierarchy.height()))
    }

    fn at(&self, leaves: &[u32], level: usize) -> Shape {
        let mut sum = Sum::default();
        leaves.iter().for_each(|&leaf| sum.add(self.rows[leaf as usize]));
        let worth =
            self.information.map_or(0.0, |information| information.cell(self.hierarchy, leaves, level));
        let (rows, bits) = (sum.rows(), sum.bits());
        Shape { leaves: leaves.len() as f64, level: level as f64, rows, bits, worth, levels: u128::MAX }
    }
}

/// The values that a text is, in a stated order: one of them, or a range; none where it is neither.
pub(super) fn is_stretch(order: &FxHashMap<&str, usize>, text: &str) -> bool {
    if order.contains_key(text) {
        return true;
    }
    let Cell::Range(first, last) = Cell::parse(text) else { return false };
    order.get(&*first).zip(order.get(&*last)).is_some_and(|(first, last)| first < last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_terms::hierarchy::{File, Order, Spec, build};
    use throng_terms::poset::{self, Codes};
    use throng_terms::watch::Watch;

    /// What a cell covers that stands for a text; none where it is not true of it.
    fn covered(
        form: Form,
        (hierarchy, order): (&Hierarchy, Option<&[String]>),
        texts: &Interner,
        (value, cell): (&str, &str),
    ) -> Option<Shape> {
        let (watch, mut labels) = (Watch::none(), Interner::new());
        let pace = Pace::new(&watch, 0);
        let pair = ((texts.get(Some(value)).unwrap(), labels.add(Some(cell))), 1);
        let shown = Shown::new(form, (hierarchy, order), (texts, &labels), None, &pace).unwrap();
        shown.shapes(&vec![pair], None, &pace).unwrap().get(0)
    }

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
        let covered = |value: &str, cell: &str| {
            let shape = covered(Form::Range, (&hierarchy, Some(&order)), &interner, (value, cell))?;
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
        let covered = |value: &str, cell: &str| {
            let shape = covered(Form::Range, (&hierarchy, None), &interner, (value, cell))?;
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
        let level = |value: &str, cell: &str| {
            Some(covered(Form::Poset, (&hierarchy, None), &interner, (value, cell))?.level)
        };
        assert_eq!(level(values[0], values[0]), None, "three pairs, thirteen occurrences");
        assert_eq!(level(values[0], "427.89; 031.0; 427"), None, "three pairs");
        assert_eq!(level(values[0], "427.89:10; 031.0:2"), Some(1.0 - 12.0 / 13.0));
        assert_eq!(level(values[1], values[1]), Some(1.0 - 4.0 / 13.0), "equal rows");
        assert_eq!(level(values[1], "427.89:4; 031.0"), None, "not true");
    }
}
