//! Loss of value information [Katirai 2006, "Method 3"]: the mean over rows of the sum over columns
//! of the worth of the original value minus that of the released value, in bits. `worth.rs` defines
//! the worth of a value.
//!
//! **Monotonicity.** A value is worth at least as much as its ancestors, so generalization never
//! lowers the cost of a cell: the loss is monotone if suppressed rows are not counted (the
//! default). If they are counted, a suppressed cell loses the whole worth of its value. Beyond the
//! loss by generalization, that is the worth of the generalized value: the surplus. It only grows
//! towards the bottom, where more rows are suppressed and values are worth more. There is no
//! trade-off, because a suppressed row would then cost by its original value, which the classes of
//! a node do not contain.
//!
//! Sums over leaves follow the order of leaves at every level, so rounding preserves monotonicity.
//! Costs one pass over the suppressed classes.

use super::columns::{aggregate, terms, total};
use super::price::ColumnSums;
use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::policy::Aggregate;
use crate::registry::LossKind;
use crate::worth::Worths;

pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, weights| Box::new(ValueInformation::new(marginals, weights, asked.counted)),
    cells: CellLoss::Columns(of_cells),
};

fn of_cells(sums: &ColumnSums, price: &Price, asked: &Asked) -> f64 {
    let hidden = if asked.counted { sums.worth } else { sums.lost_worth[1] };
    (sums.lost_worth[0] + hidden) / (price.rows as f64).max(1.0)
}

/// One column.
struct Column {
    /// Level → Σ over all rows of the bits lost by generalization.
    lost: Vec<f64>,
    worths: Worths,
}

pub(super) struct ValueInformation {
    columns: Vec<Column>,
    weights: Vec<f64>,
    rows: f64,
    count_suppressed: bool,
}

impl ValueInformation {
    pub(super) fn new(marginals: &Marginals, weights: &[f64], count_suppressed: bool) -> Self {
        let column = |(counts, worths): (&super::marginals::ColumnCounts, &Worths)| {
            let lost = |level: usize| {
                let leaves = counts.levels[0].rows.iter().zip(&counts.codes[level]).enumerate();
                let cost = |(leaf, (&rows, &code)): (usize, (&u64, &u32))| {
                    rows as f64 * (worths.at(0, leaf as u32) - worths.at(level, code))
                };
                leaves.map(cost).fold(0.0, |a, b| a + b)
            };
            Column { lost: (0..=counts.height()).map(lost).collect(), worths: worths.clone() }
        };
        ValueInformation {
            columns: marginals.columns.iter().zip(&marginals.worths).map(column).collect(),
            weights: weights.to_vec(),
            rows: (marginals.rows as f64).max(1.0),
            count_suppressed,
        }
    }

    /// Column by column, the weighted parts.
    fn columns(&self, node: &Node, surplus: &[f64]) -> impl ExactSizeIterator<Item = f64> {
        let part = move |(c, column): (usize, &Column)| {
            let bits = column.lost[node.level(c)] + surplus.get(c).copied().unwrap_or(0.0);
            self.weights[c] * bits / self.rows
        };
        self.columns.iter().enumerate().map(part)
    }

    /// Column by column, what the suppressed rows lose beyond generalization.
    fn surplus(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        if !self.count_suppressed || flags.rows() == 0 {
            return Vec::new();
        }
        (0..view.columns()).map(|column| self.hidden(view, flags, column)).collect()
    }

    /// What the suppressed rows' generalized values are worth.
    fn hidden(&self, view: &View<'_>, flags: &Flags, column: usize) -> f64 {
        let level = view.node().level(column);
        let mut counts = Vec::new();
        super::cells::count(view, flags, column, &mut counts);
        let worth =
            |(code, &rows): (usize, &u64)| rows as f64 * self.columns[column].worths.at(level, code as u32);
        counts.iter().enumerate().filter(|(_, rows)| **rows > 0).map(worth).fold(0.0, |a, b| a + b)
    }
}

impl Loss for ValueInformation {
    fn kind(&self) -> LossKind {
        LossKind::ValueMi
    }

    fn monotone(&self) -> bool {
        !self.count_suppressed
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        aggregate(Aggregate::Sum, self.parts(view, flags).into_iter())
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        aggregate(Aggregate::Sum, self.columns(node, surplus))
    }

    fn terms(&self, node: &Node, surplus: &[f64]) -> Option<Vec<f64>> {
        terms(Aggregate::Sum, self.columns(node, surplus))
    }

    fn total(&self, sum: f64) -> f64 {
        total(Aggregate::Sum, self.weights.len(), sum)
    }

    fn evidence(&self, view: &View<'_>, flags: &Flags, _: Allowed) -> Evidence {
        Evidence { above: self.bound(view.node(), &[]), surplus: self.surplus(view, flags) }
    }

    fn parts(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        self.columns(view.node(), &self.surplus(view, flags)).collect()
    }
}
