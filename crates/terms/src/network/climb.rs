//! Structure learning: greedy hill climbing on BIC over the fields of all columns
//! [Heckerman 1995; Katirai 2006, step 3].
//!
//! It starts without edges and takes the move that gains most, until none gains: add a parent to a
//! field, delete one, shift one to another level of its column, or reverse an edge. Columns never
//! form a cycle, a field has at most one parent per column and at most the given number of parents,
//! and inference in the result needs tables of at most [`MOST_CELLS`]. Of equal moves the first is
//! taken, in the order of columns and levels.
//!
//! Guaranteed: no single move gains, so that the score is never below that of no edges. Not
//! guaranteed: the best of all structures (exact.rs finds it for small tables). Scores are kept, so that a move costs the families of one
//! or two fields; a family whose price alone exceeds what it could gain is not counted.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::plan::{Link, MOST_CELLS, plan};
use super::score::{Counts, Field, Score};
use crate::hierarchy::Hierarchy;
use crate::watch::{Counter, Stage, Watch};

/// A family by the places of its fields, its parents ascending.
type Key = (usize, Vec<usize>);

/// Below every score.
const NOT_YET: Score = Score::MIN / 4;

/// A change of the structure. The order is that of preference among equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Move {
    Delete { child: usize, parent: usize },
    Add { child: usize, parent: usize },
    Shift { child: usize, from: usize, to: usize },
    Reverse { child: usize, parent: usize },
}

/// The best structure found.
#[derive(Debug)]
pub(super) struct Found {
    /// Families with parents.
    pub(super) families: Vec<Link>,
    /// The score of all fields.
    pub(super) score: Score,
    /// Edges that gain and would need larger tables than inference may make.
    pub(super) refused: usize,
}

/// Climbs from no edges.
pub(super) fn climb(
    counts: &Counts<'_>,
    hierarchies: &[Hierarchy],
    most_parents: usize,
    watch: &Watch,
) -> crate::error::Result<Found> {
    let fields = counts.fields();
    let mut climb = Climb {
        parents: vec![Vec::new(); fields.len()],
        counts,
        hierarchies,
        most_parents,
        known: FxHashMap::default(),
        counter: Counter::new(watch, Stage::Measuring, None),
        refused: BTreeSet::new(),
        fields,
    };
    let alone: Vec<Key> = (0..climb.fields.len()).map(|field| (field, Vec::new())).collect();
    climb.learn(alone)?;
    while let Some(next) = climb.best()? {
        climb.parents = climb.after(next);
    }
    let families = climb.links(&climb.parents);
    let score = (0..climb.fields.len()).map(|field| climb.score(field)).sum();
    Ok(Found { families, score, refused: climb.refused.len() })
}

struct Climb<'a> {
    counts: &'a Counts<'a>,
    hierarchies: &'a [Hierarchy],
    most_parents: usize,
    fields: Vec<Field>,
    /// Field → its parents, ascending.
    parents: Vec<Vec<usize>>,
    /// Scores of families, or, of those that were not counted, what they cannot exceed.
    known: FxHashMap<Key, Result<Score, Score>>,
    counter: Counter<'a>,
    /// Edges that were too large.
    refused: BTreeSet<(usize, usize)>,
}

impl Climb<'_> {
    /// The score of a field with its current parents.
    fn score(&self, field: usize) -> Score {
        let known = self.known.get(&(field, self.parents[field].clone()));
        known.and_then(|score| score.ok()).unwrap_or(NOT_YET)
    }

    fn column(&self, field: usize) -> usize {
        self.fields[field].0
    }

    fn links(&self, parents: &[Vec<usize>]) -> Vec<Link> {
        let links = parents.iter().enumerate().filter(|(_, parents)| !parents.is_empty());
        let field = |&at: &usize| self.fields[at];
        links.map(|(child, parents)| (self.fields[child], parents.iter().map(field).collect())).collect()
    }

    /// The families that a move makes.
    fn families(&self, change: Move) -> Vec<Key> {
        let without = |child: usize, parent: usize| -> Key {
            (child, self.parents[child].iter().copied().filter(|&other| other != parent).collect())
        };
        let with = |(child, mut parents): Key, parent: usize| -> Key {
            parents.push(parent);
            parents.sort_unstable();
            (child, parents)
        };
        match change {
            Move::Delete { child, parent } => vec![without(child, parent)],
            Move::Add { child, parent } => vec![with((child, self.parents[child].clone()), parent)],
            Move::Shift { child, from, to } => vec![with(without(child, from), to)],
            Move::Reverse { child, parent } => {
                vec![without(child, parent), with((parent, self.parents[parent].clone()), child)]
            }
        }
    }

    fn after(&self, change: Move) -> Vec<Vec<usize>> {
        let mut parents = self.parents.clone();
        for (field, now) in self.families(change) {
            parents[field] = now;
        }
        parents
    }

    /// Counts the families that are not known and could gain.
    fn learn(&mut self, keys: Vec<Key>) -> crate::error::Result<()> {
        let field = |&at: &usize| self.fields[at];
        let scored = keys.into_par_iter().map(|(child, parents)| {
            self.counter.one()?;
            let over: Vec<Field> = parents.iter().map(field).collect();
            // A likelihood is at most 1, so the price bounds the score.
            let bound = self.counts.price(self.fields[child], &over).map_or(NOT_YET, |price| -price);
            let score = match bound > self.score(child) {
                true => self.counts.score(self.fields[child], &over).ok_or(bound),
                false => Err(bound),
            };
            Ok(((child, parents), score))
        });
        let scored: Vec<(Key, Result<Score, Score>)> = scored.collect::<crate::error::Result<_>>()?;
        self.known.extend(scored);
        Ok(())
    }

    /// The best move that gains and stays within the size of inference.
    fn best(&mut self) -> crate::error::Result<Option<Move>> {
        let moves = self.moves();
        let mut missing: Vec<Key> = moves.iter().flat_map(|&change| self.families(change)).collect();
        missing.retain(|key| match self.known.get(key) {
            None => true,
            Some(Ok(_)) => false,
            Some(Err(bound)) => *bound > self.score(key.0),
        });
        missing.sort_unstable();
        missing.dedup();
        self.learn(missing)?;
        let gain = |change: Move| -> Option<Score> {
            let parts = self.families(change).into_iter();
            parts.map(|key| Some(self.known.get(&key)?.ok()? - self.score(key.0))).sum()
        };
        let gains = moves.into_iter().filter_map(|change| Some((gain(change)?, change)));
        let mut gains: Vec<(Score, Move)> = gains.filter(|(gain, _)| *gain > 0).collect();
        gains.sort_unstable_by_key(|&(gain, change)| (Reverse(gain), change));
        for (_, change) in gains {
            if plan(self.hierarchies, &self.links(&self.after(change))).1 <= MOST_CELLS {
                return Ok(Some(change));
            }
            if let Move::Add { child, parent } = change {
                self.refused.insert((child, parent));
            }
        }
        Ok(None)
    }

    /// All moves that keep the columns free of cycles.
    fn moves(&self) -> Vec<Move> {
        let reached = self.reached(None);
        let mut moves = Vec::new();
        for child in 0..self.fields.len() {
            for &parent in &self.parents[child] {
                moves.push(Move::Delete { child, parent });
                let others = 0..self.fields.len();
                let same = others.filter(|&to| to != parent && self.column(to) == self.column(parent));
                moves.extend(same.map(|to| Move::Shift { child, from: parent, to }));
                let cycle = self.reached(Some((child, parent)))[self.column(parent)][self.column(child)];
                if self.room(parent, child) && !cycle {
                    moves.push(Move::Reverse { child, parent });
                }
            }
            let fits = |&parent: &usize| {
                self.room(child, parent) && !reached[self.column(child)][self.column(parent)]
            };
            moves.extend((0..self.fields.len()).filter(fits).map(|parent| Move::Add { child, parent }));
        }
        moves
    }

    /// Whether a field can have one more parent, of a column that it has none of.
    fn room(&self, child: usize, parent: usize) -> bool {
        self.parents[child].len() < self.most_parents
            && self.column(child) != self.column(parent)
            && self.parents[child].iter().all(|&other| self.column(other) != self.column(parent))
    }

    /// Column → columns that edges lead to from it, without one edge.
    fn reached(&self, without: Option<(usize, usize)>) -> Vec<Vec<bool>> {
        let columns = self.hierarchies.len();
        let mut reached = vec![vec![false; columns]; columns];
        for (child, parents) in self.parents.iter().enumerate() {
            for &parent in parents.iter().filter(|&&parent| Some((child, parent)) != without) {
                reached[self.column(parent)][self.column(child)] = true;
            }
        }
        for over in 0..columns {
            for from in 0..columns {
                if reached[from][over] {
                    let further: Vec<usize> = (0..columns).filter(|&to| reached[over][to]).collect();
                    further.into_iter().for_each(|to| reached[from][to] = true);
                }
            }
        }
        reached
    }
}
