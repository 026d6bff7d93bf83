//! The leaves of a column in an order in which cells cover neighbours, with sums over all leaves up
//! to each: what a stretch of neighbours covers follows from its two ends.
//!
//! Entropies are sums of n·log2 n in fixed point, so that the difference of two sums has no error of
//! its own. Costs one pass over the leaves per level of the hierarchy and 28 bytes per leaf, 4 more
//! per level; a stretch costs one step per level.

use std::ops::Range;

use super::shapes::Shape;
use super::target_information::{Ahead, TargetInformation};
use throng_terms::hierarchy::Hierarchy;

/// Fixed point: units of 2⁻⁵⁰.
const ONE: f64 = (1u64 << 50) as f64;

/// n·log2 n.
fn n_log_n(n: u64) -> u128 {
    if n < 2 { 0 } else { (n as f64 * (n as f64).log2() * ONE) as u128 }
}

/// What is added up over some leaves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    /// Rows of the original.
    rows: u64,
    /// Leaves that have rows.
    present: u32,
    n_log_n: u128,
}

impl Sum {
    /// Adds a leaf with its rows.
    pub(super) fn add(&mut self, rows: u64) {
        self.rows += rows;
        self.present += u32::from(rows > 0);
        self.n_log_n += n_log_n(rows);
    }

    fn less(self, other: Sum) -> Sum {
        Sum {
            rows: self.rows - other.rows,
            present: self.present - other.present,
            n_log_n: self.n_log_n - other.n_log_n,
        }
    }

    pub(super) fn rows(self) -> f64 {
        self.rows as f64
    }

    /// The entropy of the leaves among the rows.
    pub(super) fn bits(self) -> f64 {
        if self.present < 2 {
            return 0.0;
        }
        let rows = self.rows as f64;
        (rows.log2() - self.n_log_n as f64 / ONE / rows).max(0.0)
    }
}

/// Leaves in some order.
pub(super) struct Line<'a> {
    hierarchy: &'a Hierarchy,
    leaves: Vec<u32>,
    /// Place → the sum over all leaves before it; one more than leaves.
    sums: Vec<Sum>,
    /// Level → place → where the leaves from there on stop being one value.
    runs: Vec<Vec<u32>>,
    information: Option<(&'a TargetInformation, Vec<Option<Ahead>>)>,
}

impl<'a> Line<'a> {
    /// Of leaves with these rows.
    pub(super) fn new(
        hierarchy: &'a Hierarchy,
        leaves: Vec<u32>,
        rows: &[u64],
        information: Option<&'a TargetInformation>,
    ) -> Self {
        let mut sums = vec![Sum::default()];
        let mut sum = Sum::default();
        for &leaf in &leaves {
            sum.add(rows[leaf as usize]);
            sums.push(sum);
        }
        let runs = (0..=hierarchy.height()).map(|level| runs(hierarchy.codes(level), &leaves)).collect();
        let information = information.map(|information| (information, information.ahead(&leaves)));
        Line { hierarchy, leaves, sums, runs, information }
    }

    /// What a stretch of places covers, at the least level at which its leaves are one value.
    pub(super) fn shape(&self, places: Range<usize>) -> Shape {
        let Range { start, end } = places;
        let height = self.hierarchy.height();
        let one = |level: &usize| start == end || self.runs[*level][start] as usize >= end;
        let level = (0..=height).find(one);
        let sum = self.sums[end].less(self.sums[start]);
        let leaves = &self.leaves[start..end];
        let worth = self.information.as_ref().map_or(0.0, |(information, ahead)| {
            // Leaves that are one value have it in common; of others, the first is looked at.
            let first = if level.is_some() { leaves.first() } else { leaves.iter().min() };
            let level = level.unwrap_or(height);
            let above =
                first.map_or(0.0, |&leaf| information.value(level, self.hierarchy.generalize(leaf, level)));
            information.of_stretch(leaves, start..end, ahead).max(above)
        });
        Shape {
            leaves: leaves.len() as f64,
            level: level.unwrap_or(height) as f64,
            rows: sum.rows(),
            bits: sum.bits(),
            worth,
            levels: u128::MAX,
        }
    }
}

/// Place → the first place from there on whose leaf has another code.
fn runs(codes: &[u32], leaves: &[u32]) -> Vec<u32> {
    let mut runs = vec![leaves.len() as u32; leaves.len()];
    for place in (1..leaves.len()).rev() {
        let same = codes[leaves[place - 1] as usize] == codes[leaves[place] as usize];
        runs[place - 1] = if same { runs[place] } else { place as u32 };
    }
    runs
}
