//! Cost of joining rows by least upper bound, shared by Greedy and Partition [Katirai 2006].
//!
//! Every column has its own order: ranges of ranks for levels and intervals, a [`Poset`] if the
//! policy specifies one. A set of points is represented by what its values have in common, column
//! by column, so joining a point and pricing the result need no other point. The price is Katirai's
//! measure of a row, Σ over columns of weight · measure, as a 31-bit share of the weights: sums are
//! exact and independent of order.
//!
//! Values are numbered within the current points. The cost of each pair of values is tabulated if
//! there are few; pricing a row against all points then costs one look-up and one addition per
//! cell, or per block of columns ([`rows`]). Columns of labels are priced by the labels above a value
//! ([`rings`]).

mod greedy;
mod guided;
mod pack;
mod partition;
mod rings;
mod rows;
mod worth;
#[cfg(test)]
mod tests;

pub use greedy::{Greedy, own_sets};
pub use partition::Partition;

use self::rings::Rings;
use self::rows::{Block, Row, blocks};
use self::worth::Worth;
use super::points::Points;
use super::region::Field;
use crate::poset::{Common, Poset};
use crate::space::{Axis, Space};
use crate::table::Code;

/// What a row of nothing costs.
pub(super) const ALL: f64 = (1u32 << 31) as f64;
/// The largest number of values of a column for which all pairs are tabulated.
const TABLED: usize = 3072;
/// The same where rings tell the price of a pair: they are found sooner than a place in a table that
/// exceeds the cache.
const TABLED_RINGS: usize = 512;
/// The largest number of values of a column for which prices with a group are cached.
const KEPT: usize = 1024;
/// A price that is not known; none is as high.
const UNKNOWN: u32 = u32::MAX;

/// How values of a column are joined.
#[derive(Clone, Copy)]
enum Join<'a> {
    Ranks(&'a Axis),
    Poset(&'a Poset),
}

/// What some values of a column have in common.
#[derive(Debug, Clone)]
enum State {
    /// The lowest and the highest number of a value: numbers are in the order of ranks.
    Ranks(u32, u32),
    Common(Common),
}

/// One column of some points.
struct Column<'a> {
    join: Join<'a>,
    /// The cost of its cell without information.
    full: f64,
    /// The information of cells about the targets, if that is the measure.
    worth: Option<Worth<'a>>,
    /// Point → number of its value.
    numbers: Vec<u32>,
    /// Number → rank, or code in the poset.
    values: Vec<Code>,
    /// Number and number → what both cost together; empty where there are too many.
    pairs: Vec<u32>,
    /// The labels above each value, where prices follow from them and pairs are too many.
    rings: Option<Rings>,
}

/// The columns of some points.
pub(super) struct Meets<'a> {
    columns: Vec<Column<'a>>,
    blocks: Vec<Block>,
    /// The columns: those with looked-up prices first, then those of few values, so most candidates
    /// exceed the limit before the last column is computed.
    order: Vec<usize>,
}

/// The cost of a group with each value of a column, computed on demand. Columns with tabulated
/// prices, or with too many values, have none.
#[derive(Default)]
pub(in crate::recode) struct Kept {
    columns: Vec<Vec<u32>>,
}

impl Kept {
    /// Forgets it all, for another group.
    pub(super) fn clear(&mut self, meets: &Meets<'_>) {
        self.columns.resize(meets.columns.len(), Vec::new());
        for (kept, column) in self.columns.iter_mut().zip(&meets.columns) {
            kept.clear();
            if matches!(column.join, Join::Poset(_)) && column.values.len() <= KEPT {
                kept.resize(column.values.len(), UNKNOWN);
            }
        }
    }
}

/// What some points have in common, and what a row of it costs.
#[derive(Debug, Clone)]
pub(super) struct Group {
    states: Vec<State>,
    cost: u32,
}

impl Group {
    pub(super) fn cost(&self) -> u32 {
        self.cost
    }
}

/// What two ranks of a column cost together: how far apart they are.
pub(super) fn spread(space: &Space, column: usize, a: Code, b: Code) -> u64 {
    let axis = &space.axes()[column];
    let cost = match axis.poset() {
        Some(poset) => axis.weight() * poset.pair(axis.leaf(a), axis.leaf(b)),
        None => axis.cost(a.min(b), a.max(b)),
    };
    (cost * f64::from(1u32 << 20)) as u64
}

impl<'a> Meets<'a> {
    pub(super) fn new(field: &'a Field<'_>, points: &Points<'_>) -> Self {
        let space = field.space;
        let worths = |at: usize| field.aims.worths.get(at).map(Worth::new);
        // If values are priced by information, a column weighs as much as its best value.
        let weight = |at: usize, axis: &Axis| worths(at).map_or(axis.weight(), |worth| worth.most);
        let weights: f64 = space.axes().iter().enumerate().map(|(at, axis)| weight(at, axis)).sum();
        let unit = if weights > 0.0 { ALL / weights } else { 0.0 };
        let column = |(at, axis): (usize, &'a Axis)| {
            let mut values: Vec<Code> = (0..points.len() as u32).map(|p| points.ranks(p)[at]).collect();
            let ranks = values.clone();
            values.sort_unstable();
            values.dedup();
            let number = |rank: &Code| values.partition_point(|value| value < rank) as u32;
            let numbers = ranks.iter().map(number).collect();
            let full = weight(at, axis) * unit;
            let (join, values) = match axis.poset() {
                Some(poset) => (Join::Poset(poset), values.iter().map(|&rank| axis.leaf(rank)).collect()),
                None => (Join::Ranks(axis), values),
            };
            Column { join, full, worth: worths(at), numbers, values, pairs: Vec::new(), rings: None }.priced()
        };
        let columns: Vec<Column<'a>> = space.axes().iter().enumerate().map(column).collect();
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&at| (matches!(columns[at].join, Join::Poset(_)), columns[at].values.len(), at));
        Meets { blocks: blocks(&columns, points.len()), order, columns }
    }

    /// What a point costs by itself: more than 0 where a value is not minimal.
    pub(super) fn alone(&self, point: u32) -> u32 {
        self.columns.iter().map(|column| column.pair(column.number(point), column.number(point))).sum()
    }

    /// What a row of two points costs.
    pub(super) fn pair(&self, a: u32, b: u32) -> u32 {
        self.columns.iter().map(|column| column.pair(column.number(a), column.number(b))).sum()
    }

    /// What a row of a point and each of some points costs, these in ascending order.
    pub(super) fn row_of(&self, point: u32, others: &[u32], costs: &mut Vec<u32>, row: &mut Row) {
        costs.clear();
        costs.resize(others.len(), 0);
        let mut single = vec![true; self.columns.len()];
        for block in self.blocks.iter().filter(|block| block.pays(others.len())) {
            block.add(&self.columns, point, others, costs, row);
            block.columns().iter().for_each(|&at| single[at] = false);
        }
        for column in
            self.columns.iter().zip(&single).filter(|(_, single)| **single).map(|(column, _)| column)
        {
            let own = column.number(point);
            let targets = costs.iter_mut().zip(others);
            if !column.pairs.is_empty() || others.len() >= column.values.len() {
                let with = column.row(own, &mut row.scratch);
                targets.for_each(|(cost, &other)| *cost += with[column.number(other) as usize]);
            } else if let Some(rings) = &column.rings {
                let above = rings.above(own);
                targets.for_each(|(cost, &other)| *cost += above.price(column.number(other)));
            } else {
                let only = column.only(own);
                targets.for_each(|(cost, &other)| *cost += column.with(&only, column.number(other)));
            }
        }
    }

    /// A point as a group.
    pub(super) fn start(&self, point: u32) -> Group {
        let states: Vec<State> =
            self.columns.iter().map(|column| column.only(column.number(point))).collect();
        Group { states, cost: self.alone(point) }
    }

    /// What a row of a group and one more point costs.
    pub(super) fn with(&self, group: &Group, point: u32) -> u32 {
        let columns = self.columns.iter().zip(&group.states);
        columns.map(|(column, state)| column.with(state, column.number(point))).sum()
    }

    /// The same, from what was kept of this group; some more than `limit` where it is more than
    /// that.
    pub(super) fn within(&self, group: &Group, point: u32, limit: u32, kept: &mut Kept) -> u32 {
        let mut cost = 0;
        for &at in &self.order {
            let (column, state) = (&self.columns[at], &group.states[at]);
            let number = column.number(point);
            cost += match kept.columns[at].get_mut(number as usize) {
                Some(kept) => {
                    if *kept == UNKNOWN {
                        *kept = column.with(state, number);
                    }
                    *kept
                }
                None => column.with(state, number),
            };
            if cost > limit {
                break;
            }
        }
        cost
    }

    /// Joins a point to a group.
    pub(super) fn join(&self, group: &mut Group, point: u32) {
        group.cost = 0;
        for (column, state) in self.columns.iter().zip(&mut group.states) {
            column.join(state, column.number(point));
            group.cost += column.price(state);
        }
    }

    /// What some points have in common; none where there are none.
    pub(super) fn group(&self, members: impl IntoIterator<Item = u32>) -> Option<Group> {
        let mut members = members.into_iter();
        let mut group = self.start(members.next()?);
        for point in members {
            let joined = self.columns.iter().zip(&mut group.states);
            joined.for_each(|(column, state)| column.join(state, column.number(point)));
        }
        group.cost = self.columns.iter().zip(&group.states).map(|(column, state)| column.price(state)).sum();
        Some(group)
    }

    /// What a row costs that is true of some points.
    pub(super) fn cost(&self, members: impl IntoIterator<Item = u32>) -> u32 {
        self.group(members).map_or(0, |group| group.cost)
    }
}

impl Column<'_> {
    fn number(&self, point: u32) -> u32 {
        self.numbers[point as usize]
    }

    /// With what makes prices quick to find: all pairs where they are few, rings where there are.
    fn priced(mut self) -> Self {
        self.rings = Rings::new(&self);
        if self.values.len() <= if self.rings.is_some() { TABLED_RINGS } else { TABLED } {
            let mut pairs = Vec::with_capacity(self.values.len() * self.values.len());
            let mut scratch = Vec::new();
            for number in 0..self.values.len() as u32 {
                pairs.extend_from_slice(self.row(number, &mut scratch));
            }
            (self.pairs, self.rings) = (pairs, None);
        }
        self
    }

    /// A value and each of all: what both cost together.
    fn row<'s>(&'s self, number: u32, scratch: &'s mut Vec<u32>) -> &'s [u32] {
        let values = self.values.len();
        if !self.pairs.is_empty() {
            return &self.pairs[number as usize * values..][..values];
        }
        if let Some(rings) = &self.rings {
            rings.above(number).row(values, scratch);
            return scratch;
        }
        scratch.clear();
        let only = self.only(number);
        scratch.extend((0..values as u32).map(|other| self.with(&only, other)));
        scratch
    }

    fn pair(&self, a: u32, b: u32) -> u32 {
        match self.pairs.is_empty() {
            true => self.with(&self.only(a), b),
            false => self.pairs[a as usize * self.values.len() + b as usize],
        }
    }

    fn only(&self, number: u32) -> State {
        match self.join {
            Join::Ranks(_) => State::Ranks(number, number),
            Join::Poset(poset) => State::Common(poset.only(self.values[number as usize])),
        }
    }

    fn join(&self, state: &mut State, number: u32) {
        match (state, self.join) {
            (State::Ranks(low, high), _) => (*low, *high) = ((*low).min(number), (*high).max(number)),
            (State::Common(common), Join::Poset(poset)) => poset.join(common, self.values[number as usize]),
            (State::Common(_), Join::Ranks(_)) => {}
        }
    }

    fn with(&self, state: &State, number: u32) -> u32 {
        match (state, self.join) {
            (State::Ranks(low, high), Join::Ranks(axis)) => {
                self.of_ranks(axis, (*low).min(number), (*high).max(number))
            }
            (State::Common(common), Join::Poset(poset)) => match &self.worth {
                None => self.scaled(poset.with(common, self.values[number as usize])),
                Some(worth) => {
                    let mut joined = common.clone();
                    poset.join(&mut joined, self.values[number as usize]);
                    self.scaled(worth.of_common(poset, &joined))
                }
            },
            _ => self.full as u32,
        }
    }

    fn price(&self, state: &State) -> u32 {
        match (state, self.join) {
            (State::Ranks(low, high), Join::Ranks(axis)) => self.of_ranks(axis, *low, *high),
            (State::Common(common), Join::Poset(poset)) => {
                let worth = self.worth.as_ref();
                self.scaled(
                    worth.map_or_else(|| poset.measure(common), |worth| worth.of_common(poset, common)),
                )
            }
            _ => self.full as u32,
        }
    }

    /// What a range of values costs, by the numbers of its ends.
    fn of_ranks(&self, axis: &Axis, low: u32, high: u32) -> u32 {
        if !self.pairs.is_empty() {
            return self.pairs[low as usize * self.values.len() + high as usize];
        }
        if let Some(rings) = &self.rings {
            return rings.above(low).price(high);
        }
        let (low, high) = (self.values[low as usize], self.values[high as usize]);
        match &self.worth {
            Some(worth) => self.scaled(worth.of_ranks(axis, low, high)),
            None if axis.weight() > 0.0 => self.scaled(axis.cost(low, high) / axis.weight()),
            None => 0,
        }
    }

    fn scaled(&self, measure: f64) -> u32 {
        (measure * self.full) as u32
    }
}
