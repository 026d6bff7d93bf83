//! Information of the original's columns and values about the targets, recomputed [Katirai 2006,
//! "Method 2" and "Method 3"].
//!
//! Uses other formulas than the search: the information of a column is H(C) − H(C|X); that of a
//! value is the mean over its own rows of |log2 p(c|v)/p(c)|. A value with fewer rows than the
//! policy says has none of its own; the worth of a value is the maximum over itself and its
//! ancestors. With several targets, the mean. Costs one pass over the distinct tuples per column
//! and target, and one over the labels of every hierarchy value.

use std::collections::BTreeMap;

use super::classes::Interner;
use super::labels::Labels;
use super::levels::Chain;
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

/// The information of every column; none if there is no target, or if a hierarchy is unknown or
/// lacks a value.
pub(super) fn target_information(
    labels: &[Labels],
    interners: &[Interner],
    chains: &[Chain<'_>],
    few: f64,
) -> Option<Vec<TargetInformation>> {
    let column = |(at, chain): (usize, &Chain<'_>)| {
        let hierarchy = chain.hierarchy.as_ref()?;
        let leaf = |text: u32| hierarchy.leaf(interners[at].value(text));
        let mut targets: Vec<Vec<Counts>> = Vec::new();
        for target in labels {
            let mut leaves = vec![BTreeMap::<u32, f64>::new(); hierarchy.leaf_count()];
            for ((text, label), rows) in target.met(at) {
                *leaves[leaf(text)? as usize].entry(label).or_default() += rows as f64;
            }
            targets.push(leaves.into_iter().map(|counts| counts.into_iter().collect()).collect());
        }
        (!targets.is_empty()).then(|| TargetInformation::new(hierarchy, targets, few))
    };
    chains.iter().enumerate().map(column).collect()
}

impl TargetInformation {
    fn new(hierarchy: &Hierarchy, leaves: Vec<Vec<Counts>>, few: f64) -> Self {
        let mutual = mean(leaves.iter().map(|leaves| mutual(leaves, few)));
        let all = leaves.iter().map(|target| whole(target)).collect();
        let mut information = TargetInformation { mutual, worths: Vec::new(), leaves, all, few };
        let top = hierarchy.height();
        let own = |level: usize| {
            let mut under = vec![Vec::new(); hierarchy.size(level)];
            (0..hierarchy.leaf_count() as u32)
                .for_each(|leaf| under[hierarchy.generalize(leaf, level) as usize].push(leaf));
            under.iter().map(|leaves| information.of(leaves)).collect()
        };
        let mut worths: Vec<Vec<f64>> = (0..=top).map(own).collect();
        if !hierarchy.nested() {
            information.worths = unnested(hierarchy, &worths);
            return information;
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
        information
    }

    /// The information of the rows of some leaves.
    fn of(&self, leaves: &[u32]) -> f64 {
        mean(self.leaves.iter().zip(&self.all).map(|(target, (all, table))| {
            let mine = sum(leaves.iter().map(|&leaf| &target[leaf as usize]), all.len());
            let rows = total(&mine);
            if rows < self.few.max(1.0) {
                return 0.0;
            }
            let share = |label: u32| all[label as usize] / table;
            let bits = |&(label, n): &(u32, f64)| n / rows * ((n / rows) / share(label)).log2().abs();
            mine.iter().map(bits).sum()
        }))
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
/// of the other have it.
fn unnested(hierarchy: &Hierarchy, own: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let leaves = || 0..hierarchy.leaf_count() as u32;
    let worth = |level: usize, code: usize| {
        let under = || leaves().filter(move |&leaf| hierarchy.generalize(leaf, level) as usize == code);
        let above = (level..own.len()).filter_map(|above| {
            let values: std::collections::BTreeSet<u32> =
                under().map(|leaf| hierarchy.generalize(leaf, above)).collect();
            if let [only] = values.into_iter().collect::<Vec<_>>()[..] {
                Some(own[above][only as usize])
            } else {
                None
            }
        });
        above.fold(0.0, f64::max)
    };
    (0..own.len()).map(|level| (0..own[level].len()).map(|code| worth(level, code)).collect()).collect()
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
