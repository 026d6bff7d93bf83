//! Losses that are sums over cells: the cost of a released cell depends on its column, level and
//! value; a suppressed cell has one fixed cost.
//!
//! **Bound.** A row is either released or suppressed, so in each column it costs at least the
//! lesser of the two. `least` sums that over all rows. It never decreases with the level: where
//! leaves are counted, each cell only grows; where bits are counted, c·H of a value is at least the
//! sum over its parts, and so is c times a constant. Rows suppressed at a top are suppressed at
//! every node below it. Compared with `least`, such a row costs at least the difference between a
//! suppressed cell and the most expensive cell under its value at the top (its *peak*): this is the
//! surplus. `least` and surplus together bound every node between a bottom and a top.
//!
//! Costs one pass over the suppressed classes and over the values of each column's level.

use super::marginals::{ColumnCounts, Marginals};
use crate::classes::{Flags, View};
use crate::lattice::Node;

/// One column.
struct Costs {
    /// Level → value → rows.
    rows: Vec<Vec<u64>>,
    /// Level → value → what a released cell costs.
    released: Vec<Vec<f64>>,
    /// The cost of a suppressed cell.
    suppressed: f64,
    /// Level → Σ over rows of what they cost when all are released.
    total: Vec<f64>,
    /// Level → Σ over rows of the lesser cost.
    least: Vec<f64>,
    /// Level → value → the dearest of the cells under it, at most a suppressed one.
    peak: Vec<Vec<f64>>,
}

/// All columns.
pub(super) struct CellCosts {
    columns: Vec<Costs>,
}

impl CellCosts {
    /// `released` gives a column's costs by level and value, `suppressed` that of a suppressed
    /// cell.
    pub(super) fn new(
        marginals: &Marginals,
        released: impl Fn(&ColumnCounts) -> Vec<Vec<f64>>,
        suppressed: impl Fn(&ColumnCounts) -> f64,
    ) -> Self {
        let column = |c: &ColumnCounts| Costs::new(c, released(c), suppressed(c));
        CellCosts { columns: marginals.columns.iter().map(column).collect() }
    }

    /// Column by column, what the cells of a node cost.
    pub(super) fn sums(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        let mut counts = Vec::new();
        let mut column = |(c, costs): (usize, &Costs)| {
            let level = view.node().level(c);
            if flags.rows() == 0 {
                return costs.total[level];
            }
            count(view, flags, c, &mut counts);
            let kept = costs.rows[level].iter().zip(&counts).map(|(all, hidden)| all - hidden);
            sum(kept, &costs.released[level]) + flags.rows() as f64 * costs.suppressed
        };
        self.columns.iter().enumerate().map(&mut column).collect()
    }

    /// Column by column, what a node costs at least, with the surplus of one of its
    /// generalizations.
    pub(super) fn bounds<'a>(
        &'a self,
        node: &'a Node,
        surplus: &'a [f64],
    ) -> impl ExactSizeIterator<Item = f64> + 'a {
        let bound =
            |(c, costs): (usize, &Costs)| costs.least[node.level(c)] + surplus.get(c).copied().unwrap_or(0.0);
        self.columns.iter().enumerate().map(bound)
    }

    /// Column by column, what the suppressed rows of a node add at least to every specialization.
    pub(super) fn surplus(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        if flags.rows() == 0 {
            return Vec::new();
        }
        let mut counts = Vec::new();
        let mut surplus = |(c, costs): (usize, &Costs)| {
            count(view, flags, c, &mut counts);
            let above = costs.peak[view.node().level(c)].iter().map(|peak| costs.suppressed - peak);
            sum(counts.iter().copied(), &above.collect::<Vec<_>>())
        };
        self.columns.iter().enumerate().map(&mut surplus).collect()
    }
}

impl Costs {
    fn new(column: &ColumnCounts, released: Vec<Vec<f64>>, suppressed: f64) -> Self {
        let rows: Vec<Vec<u64>> = column.levels.iter().map(|l| l.rows.clone()).collect();
        let lesser = |costs: &Vec<f64>| costs.iter().map(|&c| c.min(suppressed)).collect::<Vec<_>>();
        let capped: Vec<Vec<f64>> = released.iter().map(lesser).collect();
        let sums = |costs: &[Vec<f64>]| {
            rows.iter().zip(costs).map(|(rows, costs)| sum(rows.iter().copied(), costs)).collect()
        };
        Costs {
            total: sums(&released),
            least: sums(&capped),
            peak: peaks(column, &capped),
            rows,
            released,
            suppressed,
        }
    }
}

/// Level → value → the dearest cell under it, of the values that occur.
fn peaks(column: &ColumnCounts, capped: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut so_far = vec![0.0; column.levels[0].rows.len()];
    let level = |(costs, codes): (&Vec<f64>, &Vec<u32>)| {
        let mut peaks = vec![0.0f64; costs.len()];
        let leaves = so_far.iter_mut().zip(codes).zip(&column.levels[0].rows).filter(|(_, rows)| **rows > 0);
        for ((so_far, &code), _) in leaves {
            *so_far = costs[code as usize].max(*so_far);
            peaks[code as usize] = peaks[code as usize].max(*so_far);
        }
        peaks
    };
    capped.iter().zip(&column.codes).map(level).collect()
}

/// Σ of rows × cost in the order of values, so that a sum has the same bits however its classes
/// came about.
fn sum(rows: impl Iterator<Item = u64>, costs: &[f64]) -> f64 {
    rows.zip(costs)
        .filter(|(rows, _)| *rows > 0)
        .map(|(rows, cost)| rows as f64 * cost)
        .fold(0.0, |a, b| a + b)
}

/// Value of a column at the node's level → suppressed rows.
pub(super) fn count(view: &View<'_>, flags: &Flags, column: usize, counts: &mut Vec<u64>) {
    let values = view.hierarchies()[column].size(view.node().level(column));
    counts.clear();
    if values == 1 {
        return counts.push(flags.rows());
    }
    counts.resize(values, 0);
    view.flagged(flags, column, |code, rows| counts[code as usize] += u64::from(rows));
}
