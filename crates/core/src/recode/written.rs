//! The cells of regions: for every region and column, the least cell of the column's form that is
//! true of all rows, and what it covers.
//!
//! A cell is derived from ranks (see `space.rs`) and written once, however many regions use it.
//! Losses need what a cell covers: for numbers in place of values, and for labels that occur at
//! several levels, this depends on the row. Costs one pass over the cells of all points, and for
//! each distinct cell what [`covered`](super::covered) states; with targets, or where a cell does
//! not cover neighbours, one pass over the ranks that it covers.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::covered::{Covered, Stretches};
use super::region::{Share, Texts};
use super::regions::Ground;
use crate::cell::{number, write_interval, write_range, write_set};
use crate::classes::Classes;
use crate::error::Result;
use crate::hierarchy::{Hierarchy, TOP};
use crate::policy::Form;
use crate::recoded::{Recoded, TargetWorths, Value, Values, entropy};
use crate::space::{Axis, Space};
use crate::table::Code;
use crate::worth::Worths;

/// What the cell of a region is made of, in one column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Made {
    /// The value at a level above a rank.
    Label { level: usize, low: Code },
    /// The ranks from one to another.
    Range(Code, Code),
    /// Some ranks.
    Set(Vec<Code>),
    /// A number that stands for the ranks from one to another.
    Number { text: String, low: Code, high: Code },
    /// The same for a row at a rank: it covers what lies between.
    Moved { text: String, rank: Code },
}

/// Writes the cells of sets of rows that are not regions yet.
pub(super) struct Writer<'a> {
    lists: Vec<Listed<'a>>,
    decimals: Vec<usize>,
}

impl<'s> Writer<'s> {
    pub(super) fn new(ground: &'s Ground<'_>, space: &'s Space) -> Self {
        let lists = (0..space.axes().len()).map(|column| Listed::new(ground, space, column)).collect();
        Writer { lists, decimals: ground.hierarchies.iter().map(decimals).collect() }
    }
}

impl Texts for Writer<'_> {
    fn text(&self, column: usize, ranks: &[Code]) -> Option<String> {
        let mut ranks: Vec<(Code, u32)> = ranks.iter().map(|&rank| (rank, 1)).collect();
        let list = &self.lists[column];
        list.written(&make(list.axis, &mut ranks, self.decimals[column])).0
    }
}

/// Larger regions that regions lie within: tier → region → larger one, and the tier of every
/// column, which has the cells of that; columns of the last tier have those of the regions
/// themselves.
pub(super) type Within<'a> = (&'a [Vec<u32>], &'a [usize]);

/// The cells of all regions, column by column.
pub(super) struct Columns<'a> {
    lists: Vec<Listed<'a>>,
    /// Column → region → its cell, and the place of that.
    made: Vec<Vec<(Made, Code)>>,
}

impl<'s> Columns<'s> {
    /// `shown` are the shares that the cells of regions are to be true of. Where regions lie within
    /// larger ones, some columns have the cells of those.
    pub(super) fn new(
        ground: &'s Ground<'_>,
        space: &'s Space,
        shown: &[Share],
        (regions, within): (usize, Option<Within<'_>>),
    ) -> Self {
        let members = Members::new(shown, regions);
        let (within, tiers) = within.unwrap_or_default();
        let larger = |within: &Vec<u32>| {
            let outer = |share: &Share| Share { region: within[share.region as usize], ..*share };
            let count = within.iter().map(|&outer| outer as usize + 1).max().unwrap_or(0);
            (Members::new(&shown.iter().map(outer).collect::<Vec<_>>(), count), count)
        };
        let larger: Vec<(Members, usize)> = within.iter().map(larger).collect();
        let mut made: Vec<Vec<Made>> = Vec::new();
        for (column, axis) in space.axes().iter().enumerate() {
            let decimals = decimals(&ground.hierarchies[column]);
            let mut ranks = Vec::new();
            let mut make = |shares: &[Share]| {
                ranks.clear();
                let rank = |share: &Share| (space.rank(share.point as usize, column), share.rows);
                ranks.extend(shares.iter().map(rank));
                make(axis, &mut ranks, decimals)
            };
            let tier = tiers.get(column).copied().unwrap_or(within.len());
            made.push(match within.get(tier).zip(larger.get(tier)) {
                Some((within, (larger, count))) => {
                    let cells: Vec<Made> = (0..*count).map(|region| make(larger.of(region))).collect();
                    within.iter().map(|&outer| cells[outer as usize].clone()).collect()
                }
                None => (0..regions).map(|region| make(members.of(region))).collect(),
            });
        }
        rise(ground, space, &mut made);
        let mut lists: Vec<Listed<'s>> =
            (0..made.len()).map(|column| Listed::new(ground, space, column)).collect();
        for (list, worths) in lists.iter_mut().zip(Worths::of(ground.classes, ground.hierarchies)) {
            list.add_worths(worths);
        }
        let placed = |(made, list): (Vec<Made>, &mut Listed<'s>)| {
            list.find(&made);
            made.into_iter().map(|made| (made.clone(), list.place(&made))).collect()
        };
        let made = made.into_iter().zip(&mut lists).map(placed).collect();
        Columns { lists, made }
    }

    /// The table as the regions make it. A suppressed class keeps its values: losses that do not
    /// count its rows take them for nothing lost.
    pub(super) fn recoded(
        mut self,
        ground: &Ground<'_>,
        space: &Space,
        shares: &[Share],
        parted: bool,
    ) -> Result<Recoded> {
        let classes = ground.classes;
        let suppressed = unshared(classes, shares);
        let (mut cells, mut fates, mut members, mut counts) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut next = shares.iter().peekable();
        for (class, &held) in suppressed.iter().enumerate() {
            while let Some(share) = next.next_if(|share| share.point as usize == class) {
                for (column, list) in self.lists.iter_mut().enumerate() {
                    let (made, place) = &self.made[column][share.region as usize];
                    cells.push(match list.by_row {
                        true => list.place_of_row(made, space.rank(class, column)),
                        false => *place,
                    });
                }
                fates.push(false);
                members.push(class as u32);
                counts.push(share.rows);
            }
            if held {
                for (column, list) in self.lists.iter_mut().enumerate() {
                    let rank = space.rank(class, column);
                    cells.push(list.place(&Made::Range(rank, rank)));
                }
                fates.push(true);
                members.push(class as u32);
                counts.push(classes.counts()[class]);
            }
        }
        let values = self.lists.into_iter().map(|list| list.values).collect();
        match parted {
            true => Recoded::of_parts(classes.parted(&members, counts)?, values, cells, fates),
            false => Recoded::new(classes, values, cells, fates),
        }
    }
}

/// Class → whether no region has it.
fn unshared(classes: &Classes, shares: &[Share]) -> Vec<bool> {
    let mut unshared = vec![true; classes.len()];
    shares.iter().for_each(|share| unshared[share.point as usize] = false);
    unshared
}

/// Shares by region.
struct Members {
    shares: Vec<Share>,
    /// Region → where its shares begin; one more at the end.
    starts: Vec<usize>,
}

impl Members {
    fn new(shares: &[Share], regions: usize) -> Self {
        let mut shares = shares.to_vec();
        shares.sort_unstable_by_key(|share| (share.region, share.point));
        let mut starts = vec![0; regions + 1];
        shares.iter().for_each(|share| starts[share.region as usize + 1] += 1);
        for region in 0..regions {
            starts[region + 1] += starts[region];
        }
        Members { shares, starts }
    }

    fn of(&self, region: usize) -> &[Share] {
        &self.shares[self.starts[region]..self.starts[region + 1]]
    }
}

/// The cell of a region in a column, from the ranks of its rows and how many have each.
fn make(axis: &Axis, ranks: &mut [(Code, u32)], decimals: usize) -> Made {
    ranks.sort_unstable();
    let (low, high) = (ranks.first().map_or(0, |r| r.0), ranks.last().map_or(0, |r| r.0));
    if low == high && axis.form() != Form::Poset {
        return Made::Range(low, high);
    }
    // A missing value beside others: nothing less than everything is true of both.
    if !matches!(axis.form(), Form::Label | Form::Poset) && axis.missing() == Some(high) {
        return Made::Range(0, high);
    }
    match axis.form() {
        Form::Label => {
            let level = axis.level(low, high);
            Made::Label { level, low: axis.branch(low, level).0 }
        }
        Form::Interval => {
            let (low, high) = axis.ties(low, high);
            Made::Range(low, high)
        }
        Form::Range => Made::Range(low, high),
        Form::Set | Form::Poset => {
            let mut set: Vec<Code> = ranks.iter().map(|r| r.0).collect();
            set.dedup();
            Made::Set(set)
        }
        Form::Mean => {
            let number = |rank: Code| axis.number(rank).unwrap_or_default();
            let sum: f64 = ranks.iter().map(|&(rank, rows)| number(rank) * f64::from(rows)).sum();
            let rows: f64 = ranks.iter().map(|r| f64::from(r.1)).sum();
            // Adding zero turns −0 into 0.
            Made::Number { text: format!("{:.decimals$}", sum / rows + 0.0), low, high }
        }
        Form::Median => {
            // The lower one: it is a number of the table, and sets that have it in common have it
            // together.
            let half = ranks.iter().map(|r| u64::from(r.1)).sum::<u64>().div_ceil(2);
            let mut seen = 0;
            let median = ranks.iter().find(|r| {
                seen += u64::from(r.1);
                seen >= half
            });
            let number = median.and_then(|r| axis.number(r.0)).unwrap_or_default();
            Made::Number { text: number.to_string(), low, high }
        }
    }
}

/// Decimals of a mean: two more than the numbers have.
fn decimals(hierarchy: &Hierarchy) -> usize {
    let leaves = (0..hierarchy.leaf_count() as Code).filter_map(|leaf| hierarchy.leaf_value(leaf));
    let decimals = leaves.filter_map(|text| text.trim().split_once('.')).map(|(_, after)| after.len());
    decimals.max().unwrap_or(0).min(12) + 2
}

/// Brings labels to their least level, and linked ones to the highest of theirs.
fn rise(ground: &Ground<'_>, space: &Space, made: &mut [Vec<Made>]) {
    let level = |made: &Made| match made {
        Made::Label { level, .. } => *level,
        _ => 0,
    };
    for dimension in 0..ground.lattice.dimensions() {
        let columns = ground.lattice.columns_along(dimension);
        let labels = columns.iter().all(|&column| space.axes()[column].form() == Form::Label);
        let least = columns.iter().map(|&column| ground.lattice.range(column).0).max().unwrap_or(0);
        if !labels || (least == 0 && columns.len() == 1) {
            continue;
        }
        for region in 0..made[columns[0]].len() {
            let highest =
                columns.iter().map(|&column| level(&made[column][region])).max().unwrap_or(0).max(least);
            for &column in columns {
                let low = match &made[column][region] {
                    Made::Label { low, .. } | Made::Range(low, _) | Made::Number { low, .. } => *low,
                    Made::Moved { rank, .. } => *rank,
                    Made::Set(set) => set.first().copied().unwrap_or(0),
                };
                if highest > 0 {
                    let low = space.axes()[column].branch(low, highest).0;
                    made[column][region] = Made::Label { level: highest, low };
                }
            }
        }
    }
}

/// The values of a column as they are found, each once.
struct Listed<'a> {
    hierarchy: &'a Hierarchy,
    axis: &'a Axis,
    /// Rows of the table by rank, and by place in the line of a poset that has one.
    rows: Stretches,
    line: Stretches,
    /// Whether what a cell covers depends on the row: numbers cover what lies between, and a label
    /// that stands at several levels is that of the least at which it is the row's.
    by_row: bool,
    values: Values,
    /// The information of its values about the targets, if there are any.
    worths: Option<Worths>,
    places: FxHashMap<Made, Code>,
    labels: FxHashMap<Option<String>, Code>,
}

impl<'a> Listed<'a> {
    fn new(ground: &'a Ground<'_>, space: &'a Space, column: usize) -> Self {
        let (hierarchy, axis) = (&ground.hierarchies[column], &space.axes()[column]);
        let mut rows = vec![0; axis.len()];
        for (point, &count) in space.counts().iter().enumerate() {
            rows[space.rank(point, column) as usize] += u64::from(count);
        }
        let (height, leaves) = (hierarchy.height(), hierarchy.leaf_count());
        let values = Values { values: Vec::new(), labels: Vec::new(), height, leaves, targets: None };
        let by_row = match axis.form() {
            Form::Label => {
                (0..leaves as Code).any(|leaf| (1..=height).any(|l| same_label(hierarchy, leaf, l) < l))
            }
            Form::Mean | Form::Median => true,
            Form::Interval | Form::Range | Form::Set | Form::Poset => false,
        };
        let (places, labels) = (FxHashMap::default(), FxHashMap::default());
        let on_line = |&leaf: &Code| rows[axis.rank(leaf) as usize];
        let line = hierarchy.poset().and_then(|poset| poset.line()).unwrap_or_default();
        let line = Stretches::new(line.iter().map(on_line).collect());
        let rows = Stretches::new(rows);
        Listed { hierarchy, axis, rows, line, by_row, values, worths: None, places, labels }
    }

    /// From now on values carry their worth.
    fn add_worths(&mut self, worths: Worths) {
        self.values.targets = Some(TargetWorths::new(&worths, self.hierarchy));
        self.worths = Some(worths);
    }

    /// The information about the targets of a cell that covers some ranks.
    fn worth(&self, level: usize, covered: &Covered) -> f64 {
        let Some(worths) = &self.worths else { return 0.0 };
        let leaves: Vec<Code> = match covered {
            Covered::Span(low, high) => (*low..=*high).map(|rank| self.axis.leaf(rank)).collect(),
            Covered::Ranks(ranks) => ranks.iter().map(|&rank| self.axis.leaf(rank)).collect(),
            // In the order of leaves, as of other posets.
            Covered::Line(places) => {
                let line = self.hierarchy.poset().and_then(|poset| poset.line()).unwrap_or_default();
                let mut leaves = line[places.clone()].to_vec();
                leaves.sort_unstable();
                leaves
            }
        };
        let Some(&first) = leaves.first() else { return 0.0 };
        worths.of_cell(&leaves, level, self.hierarchy.generalize(first, level))
    }

    /// How many values a cell covers, their rows, and the entropy of these.
    fn covers(&self, covered: &Covered) -> (usize, u64, f64) {
        let (values, (rows, bits)) = match covered {
            Covered::Span(low, high) => {
                let places = *low as usize..*high as usize + 1;
                (places.len(), self.rows.stretch(places))
            }
            Covered::Line(places) => (places.len(), self.line.stretch(places.clone())),
            Covered::Ranks(ranks) => {
                let rows = ranks.iter().map(|&rank| self.rows.rows(rank as usize));
                (ranks.len(), (rows.clone().sum(), entropy(rows)))
            }
        };
        (values, rows, bits)
    }

    /// The place of the value that a cell is for a row at a rank.
    fn place_of_row(&mut self, made: &Made, rank: Code) -> Code {
        match made {
            Made::Label { level, .. } => {
                let level = same_label(self.hierarchy, self.axis.leaf(rank), *level);
                self.place(&Made::Label { level, low: self.axis.branch(rank, level).0 })
            }
            Made::Number { text, .. } => self.place(&Made::Moved { text: text.clone(), rank }),
            other => self.place(other),
        }
    }

    /// The place of a value.
    fn place(&mut self, made: &Made) -> Code {
        if let Some(&place) = self.places.get(made) {
            return place;
        }
        let found = self.found(made);
        self.list(made.clone(), found)
    }

    /// Lists many cells; new ones are computed in parallel.
    fn find(&mut self, made: &[Made]) {
        let mut seen = FxHashSet::default();
        let new: Vec<&Made> =
            made.iter().filter(|made| !self.places.contains_key(made) && seen.insert(*made)).collect();
        let found: Vec<(Option<String>, Value)> = new.par_iter().map(|made| self.found(made)).collect();
        for (made, found) in new.into_iter().zip(found) {
            self.list(made.clone(), found);
        }
    }

    /// How a cell is written, and what it covers; its label is numbered when it is listed.
    fn found(&self, made: &Made) -> (Option<String>, Value) {
        let (text, level, covered) = self.written(made);
        let measure = match (made, self.hierarchy.poset()) {
            (Made::Set(_), Some(poset)) => poset.measure_of(text.as_deref()).unwrap_or(1.0),
            _ => level as f64,
        };
        let (leaves, rows, bits) = self.covers(&covered);
        let worth = self.worth(level, &covered);
        let value = Value { level, measure, leaves: leaves as u32, rows, bits, label: 0, worth };
        (text, value)
    }

    fn list(&mut self, made: Made, (text, value): (Option<String>, Value)) -> Code {
        let labels = &mut self.values.labels;
        let label = *self.labels.entry(text.clone()).or_insert_with(|| {
            labels.push(text);
            labels.len() as Code - 1
        });
        self.values.values.push(Value { label, ..value });
        let place = self.values.values.len() as Code - 1;
        self.places.insert(made, place);
        place
    }

    /// How a value is written, the level of the least hierarchy value above it, and the ranks that
    /// it covers.
    fn written(&self, made: &Made) -> (Option<String>, usize, Covered) {
        let text = |rank: Code| self.hierarchy.leaf_value(self.axis.leaf(rank));
        let span = Covered::Span;
        match made {
            Made::Range(low, high) if low == high => (text(*low).map(String::from), 0, span(*low, *low)),
            Made::Label { level, low } => {
                let code = self.hierarchy.generalize(self.axis.leaf(*low), *level);
                let (first, last) = self.axis.branch(*low, *level);
                (self.hierarchy.label(*level, code).map(String::from), *level, span(first, last))
            }
            Made::Range(low, high) if self.axis.missing() == Some(*high) => {
                (Some(TOP.into()), self.hierarchy.height(), span(*low, *high))
            }
            Made::Range(low, high) => {
                let (first, last) = (text(*low).unwrap_or_default(), text(*high).unwrap_or_default());
                let written = match self.axis.form() {
                    Form::Range => write_range(first, last),
                    _ => write_interval(first, last),
                };
                (Some(written), self.axis.level(*low, *high), span(*low, *high))
            }
            Made::Set(set) if self.axis.form() == Form::Poset => self.above(set),
            Made::Set(set) => {
                let (low, high) = (set.first().copied().unwrap_or(0), set.last().copied().unwrap_or(0));
                if self.axis.unlisted(set.len()) {
                    return self.stand_in(low, high);
                }
                let written = write_set(set.iter().map(|&rank| text(rank).unwrap_or_default()));
                (Some(written), self.axis.level(low, high), Covered::Ranks(set.clone()))
            }
            Made::Number { text, low, high } => {
                (Some(text.clone()), self.axis.level(*low, *high), span(*low, *high))
            }
            Made::Moved { text, rank } => {
                let shown = number(text).unwrap_or_default();
                let (low, high) = self.axis.between(*rank, shown);
                (Some(text.clone()), self.axis.level(low, high), span(low, high))
            }
        }
    }
}

impl Listed<'_> {
    /// What is written in place of a set that is too long: the interval of its numbers, the least
    /// clear label above it, or `*`.
    fn stand_in(&self, low: Code, high: Code) -> (Option<String>, usize, Covered) {
        let (first, last) = self.axis.stand_in(low, high);
        if self.axis.spans_sets() {
            return self.written(&Made::Range(first, last));
        }
        let (level, height) = (self.axis.clear_level(low, high), self.hierarchy.height());
        let code = self.hierarchy.generalize(self.axis.leaf(low), level);
        match self.hierarchy.label(level, code).filter(|_| level < height) {
            // A label below may cover the same leaves without being clear: levels count leaves.
            Some(label) => (Some(label.into()), self.axis.level(first, last), Covered::Span(first, last)),
            None => (Some(TOP.into()), height, Covered::Span(0, self.axis.len() as Code - 1)),
        }
    }

    /// The first of the least cells above some values of a poset.
    fn above(&self, ranks: &[Code]) -> (Option<String>, usize, Covered) {
        let Some(poset) = self.hierarchy.poset() else {
            let all = Covered::Span(0, self.axis.len() as Code - 1);
            return (Some(TOP.into()), self.hierarchy.height(), all);
        };
        let leaves: Vec<Code> = ranks.iter().map(|&rank| self.axis.leaf(rank)).collect();
        let common = poset.common(&leaves);
        let cell = poset.lub(&common).into_iter().next().unwrap_or_else(|| Some(TOP.into()));
        let on_line = poset.line().and(cell.as_deref()).filter(|text| *text != TOP);
        let (values, covered) = match on_line.map(|text| poset.stretch(text)) {
            Some(places) => (places.len(), Covered::Line(places)),
            None => {
                let ranks = poset.covered(&common).into_iter().map(|leaf| self.axis.rank(leaf));
                let ranks: Vec<Code> = ranks.collect();
                (ranks.len(), Covered::Ranks(ranks))
            }
        };
        (cell, usize::from(values > 1) * self.hierarchy.height(), covered)
    }
}

/// The least level at which a leaf has the label that it has at a level.
fn same_label(hierarchy: &Hierarchy, leaf: Code, level: usize) -> usize {
    let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
    (0..level).find(|&least| label(least) == label(level)).unwrap_or(level)
}
