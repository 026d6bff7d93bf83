//! Information of the original's columns and values about the targets, recomputed [Katirai 2006,
//! "Method 2" and "Method 3"].
//!
//! Uses other formulas than the search: the information of a column is H(C) − H(C|X); that of a
//! value is the mean over its own rows of |log2 p(c|v)/p(c)|. A value with fewer rows than the
//! policy says has none of its own; the worth of a value is the maximum over itself and its
//! ancestors. With several targets, the mean. Costs one pass over the distinct tuples per column
//! and target, and one over the labels of every hierarchy value.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use super::classes::Interner;
use super::labels::Labels;
use super::levels::Chain;
use super::pace::Pace;
use throng_terms::error::Result;
use throng_terms::hierarchy::Hierarchy;

/// Labels and their rows, each label once.
type Counts = Vec<(u32, f64)>;

/// The information of one column.
#[derive(Debug, Clone)]
pub(super) struct TargetInformation {
    pub(super) mutual: f64,
    /// Level → value → its worth.
    worths: Vec<Vec<f64>>,
    /// Target → leaf → labels.
    leaves: Vec<Vec<Counts>>,
    /// Target → label → rows of the whole table, and all of them.
    all: Vec<(Vec<f64>, f64)>,
    /// Fewer rows have no information.
    few: f64,
}

/// Sums over the leaves of a line, for one target: how many rows of each label lie before a place.
#[derive(Debug, Clone)]
pub(super) struct Ahead {
    labels: usize,
    /// Place · labels + label → rows.
    rows: Vec<u64>,
}

/// The most sums of an [`Ahead`], 16 MB; a target with more labels is counted leaf by leaf.
const MOST_SUMS: usize = 1 << 21;

impl Ahead {
    fn new(leaves: &[u32], target: &[Counts], labels: usize) -> Option<Self> {
        let sums = (leaves.len() + 1).checked_mul(labels).filter(|&sums| sums <= MOST_SUMS)?;
        let mut rows = Vec::with_capacity(sums);
        rows.resize(labels, 0);
        for &leaf in leaves {
            rows.extend_from_within(rows.len() - labels..);
            let last = rows.len() - labels;
            for &(label, count) in &target[leaf as usize] {
                rows[last + label as usize] += count as u64;
            }
        }
        Some(Ahead { labels, rows })
    }

    /// The labels of a stretch, with their rows.
    fn between(&self, places: Range<usize>) -> Counts {
        let at = |place: usize| &self.rows[place * self.labels..(place + 1) * self.labels];
        let rows = at(places.end).iter().zip(at(places.start)).map(|(end, start)| (end - start) as f64);
        rows.enumerate().filter(|(_, rows)| *rows > 0.0).map(|(label, rows)| (label as u32, rows)).collect()
    }
}

/// The information of every column; none if there is no target, or if a hierarchy is unknown or
/// lacks a value.
pub(super) fn target_information(
    labels: &[Labels],
    interners: &[Interner],
    chains: &[Chain<'_>],
    few: f64,
    pace: &Pace<'_>,
) -> Result<Option<Vec<TargetInformation>>> {
    if labels.is_empty() {
        return Ok(None);
    }
    let shared = pace.shared();
    let columns = chains.par_iter().enumerate().map(|(at, chain)| {
        let pace = shared.of_thread(at);
        let Some(hierarchy) = chain.hierarchy.as_ref() else { return Ok(None) };
        let mut targets = Vec::new();
        for target in labels {
            match leaves(target, at, (hierarchy, &interners[at]), &pace)? {
                Some(leaves) => targets.push(leaves),
                None => return Ok(None),
            }
        }
        TargetInformation::new(hierarchy, targets, few, &pace).map(Some)
    });
    let columns: Vec<Option<TargetInformation>> = columns.collect::<Result<_>>()?;
    Ok(columns.into_iter().collect())
}

/// Leaf → labels of a target; none where the hierarchy lacks a value.
fn leaves(
    target: &Labels,
    column: usize,
    (hierarchy, interner): (&Hierarchy, &Interner),
    pace: &Pace<'_>,
) -> Result<Option<Vec<Counts>>> {
    let leaf = |text: u32| hierarchy.leaf(interner.value(text));
    let leaf_of: Vec<Option<u32>> = (0..interner.len() as u32).map(leaf).collect();
    let mut met: Vec<(u32, u32, u64)> = Vec::new();
    for ((text, label), rows) in target.met(column) {
        pace.step()?;
        let Some(leaf) = leaf_of[text as usize] else { return Ok(None) };
        met.push((leaf, label, rows));
    }
    met.sort_unstable();
    let mut leaves = vec![Counts::new(); hierarchy.leaf_count()];
    for same in met.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        pace.step()?;
        let rows: u64 = same.iter().map(|met| met.2).sum();
        leaves[same[0].0 as usize].push((same[0].1, rows as f64));
    }
    Ok(Some(leaves))
}

impl TargetInformation {
    fn new(hierarchy: &Hierarchy, leaves: Vec<Vec<Counts>>, few: f64, pace: &Pace<'_>) -> Result<Self> {
        let mutual = mean(leaves.iter().map(|leaves| mutual(leaves, few)));
        let all = leaves.iter().map(|target| whole(target)).collect();
        let mut information = TargetInformation { mutual, worths: Vec::new(), leaves, all, few };
        let top = hierarchy.height();
        let mut worths: Vec<Vec<f64>> = Vec::new();
        for level in 0..=top {
            let mut under = vec![Vec::new(); hierarchy.size(level)];
            for (leaf, &code) in hierarchy.codes(level).iter().enumerate() {
                under[code as usize].push(leaf as u32);
            }
            let mut own = Vec::with_capacity(under.len());
            for leaves in &under {
                pace.steps(1 + leaves.len() as u64)?;
                own.push(information.of(leaves));
            }
            worths.push(own);
        }
        if !hierarchy.nested() {
            information.worths = unnested(hierarchy, &worths);
            return Ok(information);
        }
        for leaf in 0..hierarchy.leaf_count() as u32 {
            let mut most = 0.0f64;
            for level in (0..=top).rev() {
                let worth = &mut worths[level][hierarchy.generalize(leaf, level) as usize];
                most = most.max(*worth);
                *worth = most;
            }
        }
        information.worths = worths;
        Ok(information)
    }

    /// The information of the rows of some leaves.
    fn of(&self, leaves: &[u32]) -> f64 {
        let of_target = |(target, all): (&Vec<Counts>, &(Vec<f64>, f64))| {
            let mine = sum(leaves.iter().map(|&leaf| &target[leaf as usize]), all.0.len());
            self.bits(&mine, all)
        };
        mean(self.leaves.iter().zip(&self.all).map(of_target))
    }

    /// The sums over a line of leaves, per target; none where there would be too many.
    pub(super) fn ahead(&self, leaves: &[u32]) -> Vec<Option<Ahead>> {
        let of_target =
            |(target, all): (&Vec<Counts>, &(Vec<f64>, f64))| Ahead::new(leaves, target, all.0.len());
        self.leaves.iter().zip(&self.all).map(of_target).collect()
    }

    /// The same as [`TargetInformation::of`], of the leaves at some places of a line. Costs one step
    /// per label, or one per leaf and label of the stretch where sums would be too many.
    pub(super) fn of_stretch(&self, leaves: &[u32], places: Range<usize>, ahead: &[Option<Ahead>]) -> f64 {
        mean(self.leaves.iter().zip(&self.all).zip(ahead).map(|((target, all), ahead)| match ahead {
            Some(ahead) => self.bits(&ahead.between(places.clone()), all),
            None => {
                let mine = sum(leaves.iter().map(|&leaf| &target[leaf as usize]), all.0.len());
                self.bits(&mine, all)
            }
        }))
    }

    /// The information of some rows about one target.
    fn bits(&self, mine: &Counts, (all, table): &(Vec<f64>, f64)) -> f64 {
        let rows = total(mine);
        if rows < self.few.max(1.0) {
            return 0.0;
        }
        let share = |label: u32| all[label as usize] / table;
        let bits = |&(label, n): &(u32, f64)| n / rows * ((n / rows) / share(label)).log2().abs();
        mine.iter().map(bits).sum()
    }

    /// The worth of a value.
    pub(super) fn value(&self, level: usize, code: u32) -> f64 {
        self.worths[level][code as usize]
    }

    /// The worth of a cell that covers some leaves, with their least common value.
    pub(super) fn cell(&self, hierarchy: &Hierarchy, leaves: &[u32], level: usize) -> f64 {
        let above = leaves.first().map_or(0.0, |&leaf| self.value(level, hierarchy.generalize(leaf, level)));
        self.of(leaves).max(above)
    }
}

/// The most that a value or a value above it is worth, where a value is above another if all leaves
/// of the other have it. Costs one pass over the leaves per pair of levels.
fn unnested(hierarchy: &Hierarchy, own: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let worth = |level: usize| {
        let mut most = own[level].clone();
        for above in level + 1..own.len() {
            // Value → the value above that its leaves have, as long as it is one.
            let mut over: Vec<Option<(u32, bool)>> = vec![None; own[level].len()];
            for (&low, &high) in hierarchy.codes(level).iter().zip(hierarchy.codes(above)) {
                let over = &mut over[low as usize];
                *over = Some((high, over.is_none_or(|(first, one)| one && first == high)));
            }
            for (most, over) in most.iter_mut().zip(over) {
                if let Some((high, true)) = over {
                    *most = most.max(own[above][high as usize]);
                }
            }
        }
        most.into_iter().map(|most| most.max(0.0)).collect()
    };
    (0..own.len()).map(worth).collect()
}

/// H(C) − H(C|X) over the rows of leaves that are not few.
fn mutual(leaves: &[Counts], few: f64) -> f64 {
    let kept: Vec<&Counts> = leaves.iter().filter(|counts| total(counts) >= few).collect();
    let all = sum(kept.iter().copied(), 0);
    let rows = total(&all).max(1.0);
    let within: f64 = kept.iter().map(|counts| total(counts) / rows * entropy(counts)).sum();
    (entropy(&all) - within).max(0.0)
}

fn entropy(counts: &Counts) -> f64 {
    let all = total(counts);
    0.0 - counts.iter().map(|(_, n)| n / all * (n / all).log2()).sum::<f64>()
}

fn total(counts: &Counts) -> f64 {
    counts.iter().map(|(_, rows)| rows).sum()
}

/// Label → rows of all leaves, and all of them.
fn whole(leaves: &[Counts]) -> (Vec<f64>, f64) {
    let labels = leaves.iter().flatten().map(|(label, _)| *label as usize + 1).max().unwrap_or(0);
    let mut all = vec![0.0; labels];
    leaves.iter().flatten().for_each(|(label, rows)| all[*label as usize] += rows);
    let rows = all.iter().sum();
    (all, rows)
}

/// Labels with their rows in all parts. With many parts there is a counter for each of the labels,
/// with few they are looked up.
fn sum<'a>(parts: impl Iterator<Item = &'a Counts>, labels: usize) -> Counts {
    let parts: Vec<&Counts> = parts.collect();
    if parts.iter().map(|part| part.len()).sum::<usize>() < labels / 8 || labels == 0 {
        let mut all = BTreeMap::<u32, f64>::new();
        parts.into_iter().flatten().for_each(|(label, rows)| *all.entry(*label).or_default() += rows);
        return all.into_iter().collect();
    }
    let mut all = vec![0.0; labels];
    parts.into_iter().flatten().for_each(|(label, rows)| all[*label as usize] += rows);
    let met = all.into_iter().enumerate().filter(|(_, rows)| *rows > 0.0);
    met.map(|(label, rows)| (label as u32, rows)).collect()
}

fn mean(of: impl ExactSizeIterator<Item = f64>) -> f64 {
    let targets = of.len().max(1) as f64;
    of.sum::<f64>() / targets
}
