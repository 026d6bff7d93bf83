//! A table as points in space: the input of methods that form regions of rows.
//!
//! The leaves of every column are ordered so that related leaves are adjacent: numbers by size if
//! cells become intervals or long sets do, values as the policy states if cells become ranges of
//! these, otherwise by branches of the hierarchy. A cell that covers some leaves covers a *range*
//! of ranks, and the cost of the range follows from its two ends. In hierarchy order, the least
//! value above a set of leaves is the one above its first and its last; so unions, distances and
//! bounds need two numbers per column, whatever the form of the cells. Missing values rank last and
//! join others only at the top. Costs leaves · log leaves per column once; then two look-ups per
//! range.

use std::sync::Arc;

use crate::cell::number;
use crate::classes::{Classes, Codes};
use crate::error::{Error, Result};
use crate::fault;
use crate::hierarchy::{Hierarchy, TOP};
use crate::lattice::Lattice;
use crate::model::PrivacyModel;
use crate::policy::{Form, Policy};
use crate::poset::Poset;
use crate::predict::Guide;
use crate::registry::Algorithm;
use crate::table::Code;

/// How the cost of a range is measured; 0 for one leaf, 1 for all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Measure {
    /// By leaves: (leaves − 1) / (all − 1), the loss "lm".
    #[default]
    Leaves,
    /// By levels: level / height, the loss "prec".
    Levels,
}

/// One column: its leaves in order.
#[derive(Debug, Clone)]
pub struct Axis {
    form: Form,
    /// Rank → leaf, and back.
    leaves: Vec<Code>,
    ranks: Vec<Code>,
    /// Rank → number, or its place in a stated order; empty if cells are neither.
    numbers: Vec<f64>,
    /// Rank of the missing value, the last, where there is one.
    missing: Option<Code>,
    joins: Joins,
    height: usize,
    /// Whether values that share a label share every label above.
    nested: bool,
    /// Level → rank → first rank under the same value, and last.
    under: Vec<Vec<(Code, Code)>>,
    measure: Measure,
    weight: f64,
    poset: Option<Arc<Poset>>,
    /// The most values of a set; a cell of more is a label, an interval or `*`.
    listed: usize,
    /// Rank → first and last rank of the same number, where intervals stand for sets; else empty.
    equal: Vec<(Code, Code)>,
    /// Level → rank → the least level from there on whose label above the rank can stand for a set;
    /// empty where `*` is the only one.
    clear: Vec<Vec<u8>>,
}

impl Axis {
    /// The leaves of a hierarchy in order, for cells of a form.
    ///
    /// # Errors
    /// Values that are not finite numbers where the form needs them.
    pub fn new(name: &str, hierarchy: &Hierarchy, form: Form, measure: Measure, weight: f64) -> Result<Self> {
        let missing = hierarchy.missing();
        let mut leaves: Vec<Code> =
            (0..hierarchy.leaf_count() as Code).filter(|&leaf| Some(leaf) != missing).collect();
        let intervals = form == Form::Set && long_sets_are_intervals(hierarchy);
        let (mut numbers, mut equal) = (Vec::new(), Vec::new());
        if form.numeric() {
            numbers = in_order(name, hierarchy, &mut leaves)?;
        } else if intervals {
            let sizes = in_order(name, hierarchy, &mut leaves)?;
            // The missing value is none of them, and last.
            equal = spans(hierarchy.leaf_count(), |rank| sizes.get(rank));
        } else if form == Form::Range {
            // Leaves are in the order that the policy states, or in that of dates.
            numbers = (0..leaves.len()).map(|place| place as f64).collect();
        } else {
            // Branch by branch, from the top.
            let path =
                |leaf: Code| (0..=hierarchy.height()).rev().map(move |l| hierarchy.generalize(leaf, l));
            leaves.sort_by(|&a, &b| path(a).cmp(path(b)));
        }
        let height = hierarchy.height();
        leaves.extend(missing);
        let join = |pair: &[Code]| {
            let same =
                |&level: &usize| hierarchy.generalize(pair[0], level) == hierarchy.generalize(pair[1], level);
            (0..=height).find(same).unwrap_or(height) as u8
        };
        let joins = Joins::new(leaves.windows(2).map(join).collect());
        let mut ranks = vec![0; leaves.len()];
        leaves.iter().enumerate().for_each(|(rank, &leaf)| ranks[leaf as usize] = rank as Code);
        let under = |level: usize| {
            let codes = hierarchy.codes(level);
            spans(leaves.len(), |rank| codes[leaves[rank] as usize])
        };
        let under = (0..=height).map(under).collect();
        let missing = missing.map(|leaf| ranks[leaf as usize]);
        let poset = hierarchy.poset().cloned();
        let listed = usize::MAX;
        let clear = if form == Form::Set { clear_levels(hierarchy, &leaves) } else { Vec::new() };
        Ok(Axis {
            form,
            leaves,
            ranks,
            numbers,
            missing,
            joins,
            height,
            nested: hierarchy.nested(),
            under,
            measure,
            weight,
            poset,
            listed,
            equal,
            clear,
        })
    }

    /// The same, with labels, intervals or `*` in place of sets of more values.
    #[must_use]
    pub fn listing(self, most: usize) -> Self {
        Axis { listed: most, ..self }
    }

    /// Whether a set of this many values is not written as a set: it is too long, or says nothing.
    pub fn unlisted(&self, values: usize) -> bool {
        let all = values + usize::from(self.missing.is_some()) == self.len();
        all && values > 2 || values > self.listed
    }

    /// The ranks that the cell covers which is written in place of a set from one rank to another.
    pub fn stand_in(&self, low: Code, high: Code) -> (Code, Code) {
        match self.spans_sets() {
            true => (self.equal[low as usize].0, self.equal[high as usize].1),
            false => self.branch(low, self.clear_level(low, high)),
        }
    }

    /// Whether that cell is an interval of numbers, and not a label.
    pub fn spans_sets(&self) -> bool {
        !self.equal.is_empty()
    }

    /// The level of the label that is written in place of a set from one rank to another; at the
    /// highest level that is `*`.
    pub fn clear_level(&self, low: Code, high: Code) -> usize {
        let level = self.level(low, high);
        self.clear.get(level).map_or(self.height, |clear| usize::from(clear[low as usize]))
    }

    /// Whether anything other than `*` can stand for sets.
    pub fn has_stand_ins(&self) -> bool {
        self.spans_sets() || !self.clear.is_empty()
    }

    /// How its cells are written.
    pub fn form(&self) -> Form {
        self.form
    }

    /// What its values have in common, by leaf, where that does not follow from ranks.
    pub fn poset(&self) -> Option<&Poset> {
        self.poset.as_deref()
    }

    /// How the cost of a range is measured.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// How many leaves there are.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The leaf at a rank.
    pub fn leaf(&self, rank: Code) -> Code {
        self.leaves[rank as usize]
    }

    /// The rank of a leaf.
    pub fn rank(&self, leaf: Code) -> Code {
        self.ranks[leaf as usize]
    }

    /// The number at a rank, where leaves are numbers, or its place in a stated order; none for the
    /// missing value.
    pub fn number(&self, rank: Code) -> Option<f64> {
        self.numbers.get(rank as usize).copied()
    }

    /// Whether leaves are numbers in order of size.
    pub fn numeric(&self) -> bool {
        self.form.numeric()
    }

    /// Whether leaves are in a total order, of size or stated.
    pub fn ordered(&self) -> bool {
        self.form.ordered()
    }

    /// The rank of the missing value.
    pub fn missing(&self) -> Option<Code> {
        self.missing
    }

    /// The highest level of the hierarchy.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Whether values that share a label share every label above: then the leaves under a label are a
    /// range of ranks, and these ranges nest.
    pub fn nested(&self) -> bool {
        self.nested
    }

    /// The least level at which all leaves of a range are one value.
    pub fn level(&self, low: Code, high: Code) -> usize {
        if low == high { 0 } else { usize::from(self.joins.most(low as usize, high as usize)) }
    }

    /// The ranks that a cell covers which must cover a range: for labels those under the least
    /// common value, otherwise the range; everything where a missing value meets others.
    pub fn covered(&self, low: Code, high: Code) -> (Code, Code) {
        if self.form == Form::Label {
            return self.under[self.level(low, high)][low as usize];
        }
        match self.missing {
            Some(missing) if high == missing && low != missing => (0, missing),
            _ => (low, high),
        }
    }

    /// What a cell costs that covers a range, from 0 for one leaf to the column's weight for all.
    pub fn cost(&self, low: Code, high: Code) -> f64 {
        self.weight * self.share(low, high)
    }

    /// The same without the weight: from 0 for one leaf to 1 for all.
    pub fn share(&self, low: Code, high: Code) -> f64 {
        if low == high || self.leaves.len() < 2 {
            return 0.0;
        }
        match self.measure {
            Measure::Levels => self.level(low, high) as f64 / self.height as f64,
            Measure::Leaves => self.covered_share(self.covered(low, high)),
        }
    }

    /// The share of the label at a level over a rank.
    pub fn label_share(&self, level: usize, rank: Code) -> f64 {
        if level == 0 || self.leaves.len() < 2 {
            return 0.0;
        }
        match self.measure {
            Measure::Levels => level as f64 / self.height as f64,
            Measure::Leaves => self.covered_share(self.under[level][rank as usize]),
        }
    }

    fn covered_share(&self, (low, high): (Code, Code)) -> f64 {
        f64::from(high - low) / (self.leaves.len() - 1) as f64
    }

    /// The share of the leaves that is left open by what is written in place of a set from one rank
    /// to another.
    pub fn stand_in_share(&self, low: Code, high: Code) -> f64 {
        if self.leaves.len() < 2 {
            return 0.0;
        }
        self.covered_share(self.stand_in(low, high))
    }

    /// The share of the leaves that a set of this many present values leaves open; `*` stands for
    /// one that is not listed.
    pub fn set_share(&self, values: usize) -> f64 {
        match values {
            0 | 1 => 0.0,
            _ if self.unlisted(values) || values >= self.len() => 1.0,
            _ => (values - 1) as f64 / (self.leaves.len() - 1) as f64,
        }
    }

    /// How wide a cell is that covers a range: the difference of its numbers, or its leaves where
    /// they are not numbers.
    pub fn width(&self, low: Code, high: Code) -> f64 {
        let (low, high) = self.covered(low, high);
        let last = if self.missing == Some(high) && low < high { high - 1 } else { high };
        match (self.number(low), self.number(last)) {
            (Some(least), Some(greatest)) => greatest - least,
            _ => f64::from(high - low + 1),
        }
    }

    /// A range of numbers with all leaves that are one of its ends, however they are written.
    pub fn ties(&self, low: Code, high: Code) -> (Code, Code) {
        let equal = |a: Code, b: Code| self.number(a).is_some() && self.number(a) == self.number(b);
        let first = (0..low).rev().take_while(|&rank| equal(rank, low)).last().unwrap_or(low);
        let last =
            (high + 1..self.len() as Code).take_while(|&rank| equal(rank, high)).last().unwrap_or(high);
        (first, last)
    }

    /// The ranks of the numbers between that of a rank and another; the rank alone where they are
    /// the same.
    pub fn between(&self, rank: Code, to: f64) -> (Code, Code) {
        let Some(from) = self.number(rank).filter(|&from| from != to) else { return (rank, rank) };
        let (low, high) = (from.min(to), from.max(to));
        let first = self.numbers.partition_point(|&x| x < low) as Code;
        let last = self.numbers.partition_point(|&x| x <= high) as Code;
        (first, last.max(first + 1) - 1)
    }

    /// How much its cost counts.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The ranks at which the value at a level ends that a rank is under: first and last. Only for
    /// leaves in the order of the hierarchy.
    pub fn branch(&self, rank: Code, level: usize) -> (Code, Code) {
        self.under[level][rank as usize]
    }
}

/// How cells of regions are written in a column: as the policy says, or as its values suggest.
/// Intervals of dates are ranges in order of time.
pub fn form_of(policy: &Policy, name: &str, hierarchy: &Hierarchy) -> Form {
    let column = policy.columns.get(name);
    let spec = column.and_then(|column| column.hierarchy.as_ref());
    let dates = spec.is_none() && hierarchy.ordered();
    match column.and_then(|column| column.form) {
        Some(Form::Interval) if dates => return Form::Range,
        Some(form) => return form,
        None => {}
    }
    match spec {
        _ if hierarchy.poset().is_some() => Form::Poset,
        Some(spec) if spec.stated_order().is_some_and(|order| order.fanout.is_empty()) => Form::Range,
        Some(_) => Form::Label,
        None if needs_label(policy, name) => Form::Label,
        None if dates => Form::Range,
        None if all_numbers(hierarchy) && !any_code(hierarchy) => Form::Interval,
        None => Form::Set,
    }
}

/// Whether the policy asks for a level of a column, which only labels have, and leaves the form of
/// its cells to "best".
fn needs_label(policy: &Policy, name: &str) -> bool {
    let least = policy.columns.get(name).and_then(|column| column.min_level).unwrap_or(0);
    let linked = policy.search.linked.iter().flatten().any(|linked| linked == name);
    policy.search.algorithm == Algorithm::Best && (least > 0 || linked)
}

/// Whether a column has a value such as `02138`: digits after a zero are a code and not a number.
fn any_code(hierarchy: &Hierarchy) -> bool {
    let code = |text: &str| {
        let digits = text.trim();
        digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    (0..hierarchy.leaf_count() as Code).filter_map(|leaf| hierarchy.leaf_value(leaf)).any(code)
}

/// Whether a set of too many values becomes the interval of its numbers: the column holds numbers,
/// and has neither labels other than `*` nor an order of its own.
pub fn long_sets_are_intervals(hierarchy: &Hierarchy) -> bool {
    let unlabelled = hierarchy.height() == 1 && hierarchy.label(1, 0) == Some(TOP);
    unlabelled && !hierarchy.ordered() && all_numbers(hierarchy) && !any_code(hierarchy)
}

/// Whether a column holds numbers and nothing else, and some.
pub fn all_numbers(hierarchy: &Hierarchy) -> bool {
    let leaves = || (0..hierarchy.leaf_count() as Code).filter_map(|leaf| hierarchy.leaf_value(leaf));
    leaves().next().is_some() && leaves().all(|text| number(text).is_some())
}

/// Sorts leaves by the numbers that they are, and gives these.
fn in_order(name: &str, hierarchy: &Hierarchy, leaves: &mut [Code]) -> Result<Vec<f64>> {
    let text = |leaf: Code| hierarchy.leaf_value(leaf).unwrap_or_default();
    let faults = leaves.iter().filter(|&&leaf| number(text(leaf)).is_none()).map(|&leaf| {
        fault!(
            Data,
            "table.not-a-finite-number",
            "`{value}` is not a finite number, and cells of the column are to be numbers or intervals of them",
            value = text(leaf)
        )
            .column(name)
            .help("list it under input.null if it means missing; or give the column a hierarchy and form = \"label\", or an order of its values and form = \"range\"")
    });
    Error::check(faults.take(1).collect())?;
    let key = |leaf: Code| number(text(leaf)).unwrap_or(0.0);
    leaves.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then_with(|| text(a).cmp(text(b))));
    Ok(leaves.iter().map(|&leaf| key(leaf)).collect())
}

/// Rank → first and last rank of the run of equal ones that it is in.
fn spans<T: PartialEq>(ranks: usize, at: impl Fn(usize) -> T) -> Vec<(Code, Code)> {
    let mut spans = Vec::with_capacity(ranks);
    while spans.len() < ranks {
        let start = spans.len();
        let end = (start..ranks).take_while(|&rank| at(rank) == at(start)).last().unwrap_or(start);
        spans.resize(end + 1, (start as Code, end as Code));
    }
    spans
}

/// Level → rank → the least level from there on whose label above the rank is clear, or the highest;
/// nothing where no label below the highest is, or where the ranks under labels do not nest.
fn clear_levels(hierarchy: &Hierarchy, leaves: &[Code]) -> Vec<Vec<u8>> {
    let height = hierarchy.height();
    if height < 2 || !hierarchy.nested() {
        return Vec::new();
    }
    let labels = hierarchy.clear_labels();
    let mut levels = vec![vec![height as u8; leaves.len()]];
    for level in (0..height).rev() {
        let clear = |(rank, &leaf): (usize, &Code)| {
            let label = hierarchy.label(level, hierarchy.generalize(leaf, level));
            let known = label.is_some_and(|label| level > 0 && labels.contains_key(label));
            if known { level as u8 } else { levels[levels.len() - 1][rank] }
        };
        let clear = leaves.iter().enumerate().map(clear).collect();
        levels.push(clear);
    }
    levels.reverse();
    let any = levels[0].iter().any(|&level| usize::from(level) < height);
    if any { levels } else { Vec::new() }
}

/// The level at which neighbours meet, and the highest of any range of them in two look-ups.
#[derive(Debug, Clone)]
struct Joins {
    /// Power p → place → highest of 2^p from there.
    rows: Vec<Vec<u8>>,
}

impl Joins {
    fn new(joins: Vec<u8>) -> Self {
        let mut rows = vec![joins];
        for power in 0.. {
            let (below, step) = (&rows[power], 1 << power);
            if below.len() <= step {
                break;
            }
            rows.push((0..below.len() - step).map(|i| below[i].max(below[i + step])).collect());
        }
        Joins { rows }
    }

    /// The highest between two different ranks.
    fn most(&self, low: usize, high: usize) -> u8 {
        let power = (high - low).ilog2() as usize;
        let row = &self.rows[power];
        row[low].max(row[high - (1 << power)])
    }
}

/// A table as points: a rank per column, and the rows of each.
#[derive(Debug, Clone)]
pub struct Space {
    axes: Vec<Axis>,
    points: Codes,
    counts: Vec<u32>,
}

impl Space {
    /// The classes of a table as points; point i is class i.
    pub fn new(classes: &Classes, axes: Vec<Axis>) -> Self {
        let ranks = |column: usize, code: Code| axes[column].rank(code);
        let width = axes.len().max(1);
        let points = match classes.codes() {
            Codes::Narrow(codes) => Codes::Narrow(
                codes.iter().enumerate().map(|(i, &c)| ranks(i % width, Code::from(c)) as u16).collect(),
            ),
            Codes::Wide(codes) => {
                Codes::Wide(codes.iter().enumerate().map(|(i, &c)| ranks(i % width, c)).collect())
            }
        };
        Space { axes, points, counts: classes.counts().to_vec() }
    }

    /// The columns.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Ranks of all points, row by row.
    pub fn points(&self) -> &Codes {
        &self.points
    }

    /// The rank of a point in a column.
    pub fn rank(&self, point: usize, column: usize) -> Code {
        let at = point * self.axes.len() + column;
        match &self.points {
            Codes::Narrow(ranks) => Code::from(ranks[at]),
            Codes::Wide(ranks) => ranks[at],
        }
    }

    /// Rows of every point.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// What a region costs per row: Σ over columns of what its ranges cost.
    pub fn cost(&self, ranges: &[(Code, Code)]) -> f64 {
        self.axes.iter().zip(ranges).map(|(axis, &(low, high))| axis.cost(low, high)).sum()
    }
}

/// The table that is to be released, and what it has to keep to.
pub struct Ground<'a> {
    /// Names of the quasi-identifiers.
    pub names: &'a [String],
    /// Their hierarchies.
    pub hierarchies: &'a [Hierarchy],
    /// Distinct tuples of their leaves.
    pub classes: &'a Arc<Classes>,
    /// The levels allowed.
    pub lattice: &'a Lattice,
    /// The models that judge a region.
    pub models: &'a [Box<dyn PrivacyModel>],
    /// How many rows may be suppressed.
    pub max_suppressed: u64,
    /// Decides what is left to chance.
    pub seed: u64,
}

/// A model that predicts a column from released rows.
#[derive(Clone, Copy)]
pub struct Guiding<'a> {
    /// The model.
    pub guide: &'a dyn Guide,
    /// The measured column that it predicts.
    pub target: usize,
    /// Code of the target → the number that it is.
    pub numbers: &'a [f64],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Path;

    fn hierarchy(paths: &[(&str, &[&str])], missing: bool) -> Hierarchy {
        let path = |(leaf, labels): &(&str, &[&str])| Path {
            leaf: (*leaf).into(),
            labels: labels.iter().map(|l| (*l).into()).collect(),
        };
        Hierarchy::new(paths.iter().map(path).collect(), missing).unwrap()
    }

    #[test]
    fn ranges_cost_what_their_least_common_value_does() {
        // Leaves of two branches, mixed in the file.
        let zip: [(&str, &[&str]); 4] =
            [("a1", &["a", "*"]), ("b1", &["b", "*"]), ("a2", &["a", "*"]), ("a3", &["a", "*"])];
        let hierarchy = hierarchy(&zip, true);
        for measure in [Measure::Leaves, Measure::Levels] {
            let axis = Axis::new("zip", &hierarchy, Form::Label, measure, 1.0).unwrap();
            let leaves: Vec<_> = (0..5).map(|rank| hierarchy.leaf_value(axis.leaf(rank))).collect();
            assert_eq!(leaves, [Some("a1"), Some("a2"), Some("a3"), Some("b1"), None]);
            assert_eq!(axis.cost(1, 1), 0.0);
            assert_eq!(axis.cost(0, 1), 0.5, "two of three under `a`, priced as the three");
            assert_eq!(axis.cost(0, 2), 0.5);
            assert_eq!(axis.cost(2, 3), 1.0);
            assert_eq!((axis.cost(3, 4), axis.cost(0, 4)), (1.0, 1.0));
            assert_eq!(axis.covered(0, 1), (0, 2));
        }
    }

    #[test]
    fn numbers_are_ordered_by_size_and_missing_meets_them_at_the_top() {
        let ages: [(&str, &[&str]); 4] = [("100", &[]), ("20", &[]), ("9", &[]), ("35", &[])];
        let axis = Axis::new("age", &hierarchy(&ages, true), Form::Interval, Measure::Leaves, 2.0).unwrap();
        let numbers: Vec<_> = (0..5).map(|rank| axis.number(rank)).collect();
        assert_eq!(numbers, [Some(9.0), Some(20.0), Some(35.0), Some(100.0), None]);
        assert_eq!(axis.cost(1, 2), 0.5, "one of four steps, at weight 2");
        assert_eq!(axis.covered(3, 4), (0, 4));
        assert_eq!(axis.cost(3, 4), 2.0);
        let text: [(&str, &[&str]); 2] = [("9", &[]), ("NaN", &[])];
        let refused = Axis::new("age", &hierarchy(&text, false), Form::Interval, Measure::Leaves, 1.0);
        assert!(refused.unwrap_err().to_string().contains("`NaN` is not a finite number"));
    }
}
