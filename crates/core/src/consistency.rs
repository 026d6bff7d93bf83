//! Which notion of anonymity a recoded table has: k-anonymity, (k,1), (1,k) or (k,k)
//! [Gionis 2008].
//!
//! A released row is *true of* an original if each of its cells covers the original value.
//! (k,1): every released row is true of at least k originals. (1,k): of every original at least k
//! released rows are true. (k,k): both. k-anonymity implies all of them and follows from none.
//! Originals are those of released rows: a suppressed person hides nobody. What a cell covers
//! follows from its text alone, because a recipient sees nothing else.
//!
//! Each notion is reported as the largest k for which it holds, found by counting. Values of a
//! column are numbered so that most cells cover a range of numbers. Distinct originals are points
//! and distinct released rows are boxes, both in a tree of bounds [Bentley 1975]. Only the least
//! count matters, so counting ends at the least count so far, and a subtree inside a box is counted
//! at once. Costs about (log n + k) · columns per distinct row where cells are narrow, and at most
//! all pairs of distinct rows; and one test per distinct cell and value of a poset.

pub(crate) mod tree;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use self::tree::{Range, Tree};
use crate::cell::{Cell, number};
use crate::error::Result;
use crate::hierarchy::{Hierarchy, TOP};
use crate::policy::Form;
use crate::recoded::Recoded;
use crate::release::NotionFacts;
use crate::space::long_sets_are_intervals;
use crate::table::Code;
use crate::watch::Watch;

/// Distinct rows between two looks at the watch.
const STRIDE: usize = 4096;

/// The notions of a recoded table whose cells are written in some forms; none where no row is
/// released.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn notions(
    recoded: &Recoded,
    hierarchies: &[Hierarchy],
    forms: &[Form],
    watch: &Watch,
) -> Result<Option<NotionFacts>> {
    let Some(k) = recoded.classes().min() else { return Ok(None) };
    let columns: Vec<Column> = recoded
        .columns()
        .iter()
        .zip(hierarchies.iter().zip(forms))
        .map(|(values, (hierarchy, &form))| Column::new(hierarchy, form, &values.labels))
        .collect();
    let counted = Counted::new(recoded, &columns);
    let k_one = least(counted.boxes.len(), watch, |at, limit| counted.originals(at, limit))?;
    let one_k = least(counted.points.len(), watch, |at, limit| counted.released(at, limit))?;
    Ok(Some(NotionFacts::new(k, k_one, one_k)))
}

/// The least of some counts. A count may stop at a limit.
fn least(items: usize, watch: &Watch, count: impl Fn(usize, u64) -> u64 + Sync) -> Result<u64> {
    let least = AtomicU64::new(u64::MAX);
    for start in (0..items).step_by(STRIDE) {
        watch.check()?;
        (start..items.min(start + STRIDE)).into_par_iter().for_each(|at| {
            least.fetch_min(count(at, least.load(Ordering::Relaxed)), Ordering::Relaxed);
        });
    }
    Ok(least.into_inner())
}

/// What the cells of a column cover.
struct Column {
    /// Leaf → its number.
    ranks: Vec<u32>,
    /// Label → what it covers.
    covers: Vec<Cover>,
}

/// The numbers of the values that a cell covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) range: Range,
    /// All of them in order, if others are between them.
    pub(crate) scattered: Option<Vec<u32>>,
}

impl Cover {
    pub(crate) fn new(mut ranks: Vec<u32>) -> Self {
        ranks.sort_unstable();
        ranks.dedup();
        let (Some(&low), Some(&high)) = (ranks.first(), ranks.last()) else {
            return Cover { range: Range { low: 1, high: 0 }, scattered: None };
        };
        let whole = (high - low) as usize + 1 == ranks.len();
        Cover { range: Range { low, high }, scattered: (!whole).then_some(ranks) }
    }

    pub(crate) fn has(&self, rank: u32) -> bool {
        match &self.scattered {
            Some(ranks) => ranks.binary_search(&rank).is_ok(),
            None => self.range.has(rank),
        }
    }
}

impl Column {
    fn new(hierarchy: &Hierarchy, form: Form, labels: &[Option<String>]) -> Self {
        let leaves = hierarchy.leaf_count() as Code;
        let mut order: Vec<Code> = (0..leaves).collect();
        let numbers: Vec<Option<f64>> =
            (0..leaves).map(|leaf| hierarchy.leaf_value(leaf).and_then(number)).collect();
        let intervals = form == Form::Interval || form == Form::Set && long_sets_are_intervals(hierarchy);
        match form {
            // Labels of a set column cover neighbours, too.
            Form::Label | Form::Set if !intervals => order.sort_by_cached_key(|&leaf| {
                let levels = (0..=hierarchy.height()).rev();
                levels.map(|level| hierarchy.generalize(leaf, level)).collect::<Vec<Code>>()
            }),
            _ => order.sort_by(|&a, &b| {
                let key = |leaf: Code| numbers[leaf as usize].unwrap_or(f64::INFINITY);
                key(a).total_cmp(&key(b)).then(a.cmp(&b))
            }),
        }
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &leaf)| ranks[leaf as usize] = rank as u32);
        let covers = match form {
            Form::Label => by_levels(hierarchy, &ranks, labels),
            Form::Poset => by_poset(hierarchy, &ranks, labels),
            _ => by_meaning(hierarchy, (form, intervals), (&ranks, &order, &numbers), labels),
        };
        Column { ranks, covers }
    }
}

/// A label covers the leaves that have it at some level.
fn by_levels(hierarchy: &Hierarchy, ranks: &[u32], labels: &[Option<String>]) -> Vec<Cover> {
    let mut under: FxHashMap<Option<&str>, Vec<u32>> = FxHashMap::default();
    for leaf in 0..hierarchy.leaf_count() as Code {
        for level in 0..=hierarchy.height() {
            let label = hierarchy.label(level, hierarchy.generalize(leaf, level));
            under.entry(label).or_default().push(ranks[leaf as usize]);
        }
    }
    labels.iter().map(|label| Cover::new(under.remove(&label.as_deref()).unwrap_or_default())).collect()
}

/// A cell of a poset covers what the poset says.
fn by_poset(hierarchy: &Hierarchy, ranks: &[u32], labels: &[Option<String>]) -> Vec<Cover> {
    let covered = |label: &Option<String>| {
        let covers = |leaf: &Code| {
            let poset = hierarchy.poset();
            poset.is_some_and(|poset| poset.covers(label.as_deref(), hierarchy.leaf_value(*leaf)))
        };
        let leaves = (0..hierarchy.leaf_count() as Code).filter(covers);
        Cover::new(leaves.map(|leaf| ranks[leaf as usize]).collect())
    };
    labels.par_iter().map(covered).collect()
}

/// Intervals, ranges and sets cover what they say, labels in place of sets what is under them, `*`
/// everything, and anything else itself.
fn by_meaning(
    hierarchy: &Hierarchy,
    (form, intervals): (Form, bool),
    (ranks, order, numbers): (&[u32], &[Code], &[Option<f64>]),
    labels: &[Option<String>],
) -> Vec<Cover> {
    let numeric = numbers.iter().flatten().count();
    let number_at = |rank: usize| numbers[order[rank] as usize].unwrap_or(f64::INFINITY);
    // The first rank whose number is not before a bound.
    let first = |before: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0, numeric);
        while low < high {
            let middle = (low + high) / 2;
            if before(number_at(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    };
    let rank = |leaf: Code| ranks[leaf as usize];
    let clear = if form == Form::Set { hierarchy.clear_labels() } else { FxHashMap::default() };
    let covered = |label: &Option<String>| {
        let mut own: Vec<u32> = hierarchy.leaf(label.as_deref()).map(rank).into_iter().collect();
        match label.as_deref().map(|text| (text, form, Cell::parse(text))) {
            Some((TOP, ..)) => own = (0..ranks.len() as u32).collect(),
            Some((_, _, Cell::Interval(interval))) if intervals => {
                let low = first(&|x| x < interval.low || x == interval.low && !interval.from_low);
                let end = first(&|x| x < interval.high || x == interval.high && interval.to_high);
                own.extend(low as u32..end.max(low) as u32);
            }
            Some((_, Form::Range, Cell::Range(first, last))) => {
                own.extend(hierarchy.between(&first, &last).into_iter().flatten().map(rank));
            }
            Some((_, Form::Set, Cell::Set(values))) => {
                own.extend(values.iter().filter_map(|value| hierarchy.leaf(Some(value))).map(rank));
            }
            Some((text, ..)) => own.extend(clear.get(text).into_iter().flatten().map(|&leaf| rank(leaf))),
            None => {}
        }
        Cover::new(own)
    };
    labels.par_iter().map(covered).collect()
}

/// Distinct originals and distinct released rows.
struct Counted<'a> {
    columns: &'a [Column],
    width: usize,
    /// Original → column → number of its value; and rows.
    points: Vec<u64>,
    ranks: Vec<u32>,
    /// Released row → column → label.
    boxes: Vec<u64>,
    labels: Vec<Code>,
    /// Original → the released row that it became.
    own: Vec<u32>,
    of_points: Tree,
    of_boxes: Tree,
}

impl<'a> Counted<'a> {
    fn new(recoded: &Recoded, columns: &'a [Column]) -> Self {
        let width = columns.len();
        let (base, looks) = (recoded.base(), recoded.look_labels());
        // A look without released rows is not in the release.
        let mut places = vec![0; recoded.looks().len()];
        let (mut boxes, mut labels) = (Vec::new(), Vec::new());
        for (look, found) in recoded.looks().iter().enumerate().filter(|(_, look)| look.released > 0) {
            places[look] = boxes.len() as u32;
            boxes.push(found.released);
            labels.extend((0..width).map(|column| looks.code(look, column)));
        }
        let (mut points, mut ranks, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for class in (0..base.len()).filter(|&class| !recoded.suppresses(class)) {
            points.push(u64::from(base.counts()[class]));
            own.push(places[recoded.look_of(class)]);
            ranks.extend((0..width).map(|column| columns[column].ranks[base.code(class, column) as usize]));
        }
        let cover = |(at, &label): (usize, &Code)| columns[at % width.max(1)].covers[label as usize].range;
        let ranges: Vec<Range> = labels.iter().enumerate().map(cover).collect();
        let of_boxes = Tree::new(width, &ranges, &boxes);
        let ranges: Vec<Range> = ranks.iter().map(|&rank| Range { low: rank, high: rank }).collect();
        let of_points = Tree::new(width, &ranges, &points);
        Counted { columns, width, points, ranks, boxes, labels, own, of_points, of_boxes }
    }

    fn cover(&self, released: usize, column: usize) -> &Cover {
        &self.columns[column].covers[self.labels[released * self.width + column] as usize]
    }

    fn covers(&self, released: usize, point: usize) -> bool {
        let rank = |column: usize| self.ranks[point * self.width + column];
        (0..self.width).all(|column| self.cover(released, column).has(rank(column)))
    }

    /// The originals that a released row is true of, counted up to a limit.
    fn originals(&self, released: usize, limit: u64) -> u64 {
        let query: Vec<Range> = (0..self.width).map(|column| self.cover(released, column).range).collect();
        let whole = (0..self.width).all(|column| self.cover(released, column).scattered.is_none());
        self.of_points.count(&query, (limit, whole), |point| self.covers(released, point))
    }

    /// The released rows that are true of an original, counted up to a limit.
    fn released(&self, point: usize, limit: u64) -> u64 {
        let own = self.own[point] as usize;
        if self.boxes[own] >= limit && self.covers(own, point) {
            return self.boxes[own];
        }
        let ranks = &self.ranks[point * self.width..][..self.width];
        let query: Vec<Range> = ranks.iter().map(|&rank| Range { low: rank, high: rank }).collect();
        self.of_boxes.count(&query, (limit, false), |released| self.covers(released, point))
    }
}

#[cfg(test)]
mod tests;
