//! Discernibility metric [Bayardo 2005; El Emam 2009, figure 3].
//!
//! DM = Σ over released classes |E|² + n·suppressed. DM* = Σ over all classes |E|². DM* is monotone
//! because merging two classes adds 2·|E|·|F|. DM is not monotone; DM ≥ DM* is its bound.
//!
//! With a trade-off, DM = g·Σ over released classes |E|² + s·n·suppressed; it is monotone if
//! suppression is free.
//!
//! **Bound by columns.** For a given number of suppressed rows, the remaining rows cost least in
//! classes of equal size: the bound is the minimum of that over all numbers of rows that the node
//! may suppress.
//!
//! **Bound by classes.** Let b be a node, t a safe node above it, and m the least rows of a released
//! class. A row of class E at b is in a class of t that contains E. DM: the row costs at least
//! g·max(|E|, m) if it is released, otherwise s·n; the lesser of the two, over all rows, is
//! `above`. If t is below T and T suppresses the row in a class F ⊇ E, then t suppresses it too: it
//! costs s·n, which exceeds its part of `above` by at least (s·n − g·max(|F|, m))⁺. The sum of that
//! is the surplus of T, and `above` + surplus bounds every node between b and T. DM*: a row of a
//! class with fewer than m rows at b is suppressed at t, or in a class of m rows at least. At most
//! the allowed number of rows is suppressed; `above` grants that to the smallest classes, where it
//! saves most, and charges the other rows m.

use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price, Tradeoff};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::registry::LossKind;

/// DM.
pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, _| Box::new(Discernibility::new(marginals, true, asked.tradeoff)),
    cells: CellLoss::Whole(of_cells),
};

/// DM*.
pub(super) const UNSUPPRESSED: Definition = Definition {
    build: |asked, marginals, _| Box::new(Discernibility::new(marginals, false, asked.tradeoff)),
    cells: CellLoss::Whole(|price, _, _| price.squares[1] as f64),
};

fn of_cells(price: &Price, asked: &Asked, _: &[f64]) -> f64 {
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    let hidden = u128::from(price.rows) * u128::from(price.suppressed);
    generalized * price.squares[0] as f64 + suppressed * hidden as f64
}

pub(super) struct Discernibility {
    suppressed: bool,
    tradeoff: Tradeoff,
    rows: f64,
    classes: usize,
    /// Column → level → number of values that occur.
    sizes: Vec<Vec<usize>>,
}

impl Discernibility {
    pub(super) fn new(marginals: &Marginals, suppressed: bool, tradeoff: Tradeoff) -> Self {
        Discernibility {
            suppressed,
            tradeoff,
            rows: marginals.rows as f64,
            classes: marginals.classes,
            sizes: occurring(marginals),
        }
    }

    /// The least cost of `classes` classes if at least `hidden` rows are suppressed.
    fn uneven(&self, classes: f64, hidden: f64) -> f64 {
        let Tradeoff { generalized: g, suppressed: s } = self.tradeoff;
        let n = self.rows;
        let cost = |hidden: f64| s * n * hidden + g * (n - hidden) * (n - hidden) / classes;
        // Where its slope s·n − 2·g·(n − hidden) / classes is 0, or at the end nearest to it.
        let flat = if g > 0.0 { n - s * n * classes / (2.0 * g) } else { hidden };
        cost(flat.clamp(hidden, n))
    }
}

/// Column → level → how many of its values occur.
pub(super) fn occurring(marginals: &Marginals) -> Vec<Vec<usize>> {
    let level = |l: &super::marginals::LevelCounts| l.rows.iter().filter(|&&n| n > 0).count();
    marginals.columns.iter().map(|c| c.levels.iter().map(level).collect()).collect()
}

/// The most classes that a node can have.
pub(super) fn most_classes(sizes: &[Vec<usize>], classes: usize, node: &Node) -> f64 {
    let product = sizes.iter().zip(node.levels()).map(|(s, &l)| s[l as usize] as f64).product::<f64>();
    product.min(classes as f64).max(1.0)
}

fn squares(counts: impl Iterator<Item = u32>) -> u128 {
    counts.map(|n| u128::from(n) * u128::from(n)).sum()
}

/// Σ over all rows of the size of their class, at least `min_rows` for all but `spared` of them.
fn squares_at_least(counts: &[u32], min_rows: u64, spared: u64) -> u128 {
    let small = |count: &&u32| u64::from(**count) < min_rows;
    let mut by_size = std::collections::BTreeMap::<u32, u64>::new();
    counts.iter().filter(small).for_each(|&count| *by_size.entry(count).or_default() += u64::from(count));
    let mut sum = squares(counts.iter().copied());
    let mut spared = spared;
    for (size, rows) in by_size {
        let charged = rows.saturating_sub(spared);
        spared = spared.saturating_sub(rows);
        sum += u128::from(charged) * u128::from(min_rows - u64::from(size));
    }
    sum
}

impl Loss for Discernibility {
    fn kind(&self) -> LossKind {
        if self.suppressed { LossKind::Dm } else { LossKind::DmStar }
    }

    fn monotone(&self) -> bool {
        !self.suppressed || self.tradeoff.free()
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        if !self.suppressed {
            return squares(view.counts().iter().copied()) as f64;
        }
        let kept = view.counts().iter().enumerate().filter(|(c, _)| !flags.has(*c)).map(|(_, &n)| n);
        let (kept, hidden) = (squares(kept), u128::from(view.rows()) * u128::from(flags.rows()));
        match self.tradeoff {
            even if even.even() => (kept + hidden) as f64,
            Tradeoff { generalized, suppressed } => generalized * kept as f64 + suppressed * hidden as f64,
        }
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        let classes = most_classes(&self.sizes, self.classes, node);
        if !self.tradeoff.even() {
            return self.uneven(classes, surplus.first().copied().unwrap_or(0.0));
        }
        // Released rows cost least if all their classes have equal size. A single class gives no
        // bound: it is released or suppressed as a whole.
        match surplus {
            [hidden, _] if classes >= 2.0 => {
                let kept = self.rows - hidden;
                self.rows * hidden + kept * kept / classes
            }
            _ => self.rows * self.rows / classes,
        }
    }

    fn by_classes(&self) -> bool {
        true
    }

    fn bound_between(&self, bottom: &Node, above: f64, surplus: &[f64]) -> f64 {
        self.bound(bottom, surplus).max(above + surplus.get(1).copied().unwrap_or(0.0))
    }

    /// The surplus is the suppressed rows, and what they cost beyond their class.
    fn evidence(&self, view: &View<'_>, flags: &Flags, allowed: Allowed) -> Evidence {
        // No class is larger than the table.
        let min_rows = allowed.min_rows.min(view.rows());
        if !self.suppressed {
            let above = squares_at_least(view.counts(), min_rows, allowed.max_suppressed) as f64;
            return Evidence { above, surplus: Vec::new() };
        }
        let Tradeoff { generalized, suppressed } = self.tradeoff;
        let released = |n: u32| generalized * u64::from(n).max(min_rows) as f64;
        let row = |n: u32| released(n).min(suppressed * self.rows);
        let above = match self.tradeoff.even() {
            true => squares_at_least(view.counts(), min_rows, 0) as f64,
            false => view.counts().iter().map(|&n| row(n) * f64::from(n)).sum(),
        };
        let beyond = |class: usize| {
            let n = view.counts()[class];
            (suppressed * self.rows - row(n)) * f64::from(n)
        };
        let hidden = flags.rows() as f64;
        let surplus = match flags.rows() {
            0 => Vec::new(),
            _ => vec![hidden, flags.iter().map(beyond).sum()],
        };
        Evidence { above, surplus }
    }
}
