//! The notion of anonymity that a recoding satisfies: k-anonymity, (k,1), (1,k) or (k,k)
//! [Gionis 2008]. Katirai's Greedy is (k,1).
//!
//! A released row is *consistent* with an original row if each of its cells is true of the original
//! value. (k,1): every released row is consistent with at least k originals. (1,k): every original
//! is consistent with at least k released rows. (k,k): both. k-anonymity (every released row equals
//! k − 1 others) implies all of them and follows from none.
//!
//! Each notion is reported as the largest k for which it holds, found by counting; counts end at
//! `enough`. Costs released tuples · points if a notion does not hold, and less where counts end
//! early.

use rustc_hash::FxHashMap;

use super::greedy::Set;
use crate::policy::Form;
use crate::space::{Axis, Space};
use crate::table::Code;

/// The largest k for which each notion holds, at most `enough`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notions {
    /// Every released row looks like k − 1 others.
    pub k: u64,
    /// Every released row is consistent with k originals.
    pub k_one: u64,
    /// Every original is consistent with k released rows.
    pub one_k: u64,
}

impl Notions {
    /// The largest k for which a recoding is (k,k)-anonymous.
    pub fn k_k(&self) -> u64 {
        self.k_one.min(self.one_k)
    }

    /// The strongest notion that holds for a k, as it is written; none where none does.
    pub fn strongest(&self, k: u64) -> Option<&'static str> {
        match self {
            _ if self.k >= k => Some("k-anonymity"),
            _ if self.k_k() >= k => Some("(k,k)"),
            _ if self.k_one >= k => Some("(k,1)"),
            _ if self.one_k >= k => Some("(1,k)"),
            _ => None,
        }
    }
}

/// What cells of a column are true of.
#[derive(Debug, Default)]
pub(super) struct Covers {
    /// Column → cell → rank → whether it is true of it.
    truths: Vec<Vec<Vec<bool>>>,
}

impl Covers {
    /// Of the cells that some sets of points have in common, column by column; and those cells, set
    /// by set.
    pub(super) fn new(space: &Space, sets: &[Set]) -> (Self, Vec<Code>) {
        let width = space.axes().len();
        let mut truths = vec![Vec::new(); width];
        let mut cells = vec![0; sets.len() * width];
        for (column, axis) in space.axes().iter().enumerate() {
            let mut known: FxHashMap<Vec<Code>, Code> = FxHashMap::default();
            let mut cell_of: FxHashMap<(Vec<bool>, Option<String>), Code> = FxHashMap::default();
            for (at, set) in sets.iter().enumerate() {
                let mut ranks: Vec<Code> =
                    set.members.iter().map(|&point| space.rank(point as usize, column)).collect();
                ranks.sort_unstable();
                ranks.dedup();
                cells[at * width + column] = *known.entry(ranks).or_insert_with_key(|ranks| {
                    *cell_of.entry(truth(axis, ranks)).or_insert_with_key(|(truth, _)| {
                        truths[column].push(truth.clone());
                        truths[column].len() as Code - 1
                    })
                });
            }
        }
        (Covers { truths }, cells)
    }

    fn consistent(&self, space: &Space, cells: &[Code], point: u32) -> bool {
        let covers = |column: usize| {
            let rank = space.rank(point as usize, column) as usize;
            self.truths[column][cells[column] as usize][rank]
        };
        (0..cells.len()).all(covers)
    }
}

/// Rank → whether the least cell above some ranks is true of it; and how a poset writes it, because
/// there several cells may be true of the same ranks.
fn truth(axis: &Axis, ranks: &[Code]) -> (Vec<bool>, Option<String>) {
    let mut truth = vec![false; axis.len()];
    let mut text = None;
    let (low, high) = (ranks.first().copied().unwrap_or(0), ranks.last().copied().unwrap_or(0));
    match axis.poset() {
        Some(poset) => {
            let leaves: Vec<Code> = ranks.iter().map(|&rank| axis.leaf(rank)).collect();
            let common = poset.common(&leaves);
            text = poset.lub(&common).into_iter().next().flatten();
            let covered = poset.covered(&common);
            covered.into_iter().for_each(|leaf| truth[axis.rank(leaf) as usize] = true);
        }
        None if axis.form() == Form::Set && axis.missing() != Some(high) => {
            ranks.iter().for_each(|&rank| truth[rank as usize] = true);
        }
        None => {
            let (low, high) = axis.covered(low, high);
            truth[low as usize..=high as usize].fill(true);
        }
    }
    (truth, text)
}

/// The notions of a recoding in which every point gets the cells that its set has in common.
pub(super) fn notions(space: &Space, sets: &[Set], enough: u64) -> Notions {
    let width = space.axes().len();
    let (covers, cells) = Covers::new(space, sets);
    let own = |at: usize| &cells[at * width..][..width];
    let rows = |point: u32| u64::from(space.counts()[point as usize]);
    let mut looks: FxHashMap<&[Code], u64> = FxHashMap::default();
    for (at, set) in sets.iter().enumerate() {
        *looks.entry(own(at)).or_default() += rows(set.members[0]);
    }
    let k = looks.values().copied().min().unwrap_or(0);
    let all = || sets.iter().map(|set| set.members[0]);
    let matched = |at: usize| {
        let mut count = 0;
        for point in all() {
            if count >= enough {
                break;
            }
            if covers.consistent(space, own(at), point) {
                count += rows(point);
            }
        }
        count.min(enough)
    };
    let k_one = (0..sets.len()).map(matched).min().unwrap_or(0);
    let matching = |point: u32| {
        let mut count = 0;
        for (at, set) in sets.iter().enumerate() {
            if count >= enough {
                break;
            }
            if covers.consistent(space, own(at), point) {
                count += rows(set.members[0]);
            }
        }
        count.min(enough)
    };
    let one_k = all().map(matching).min().unwrap_or(0);
    Notions { k: k.min(enough), k_one, one_k }
}
