//! t-closeness [Li 2007]: in every class the distribution of a sensitive column is close to that of
//! the whole table, so that finding a person's class reveals little about the person's value.
//!
//! The figure of a class is the earth mover's distance between p, the shares of the values in the
//! class, and q, their shares in the whole input table, suppressed rows included:
//! - *equal*: all values are equally far apart; ½·Σ|p − q|.
//! - *ordered*: the ground distance is the distance of places in an order; Σ|Σ up to here of p − q|
//!   / (places − 1).
//! - *hierarchical*: the ground distance is the level of the lowest common label over the height of
//!   the hierarchy; the sum over inner labels of level/height times the lesser of the surplus and
//!   the deficit of its children.
//!
//! A missing cell counts as one more value, because the fact that it is missing must not reveal
//! much either. It has no place in an order, so *ordered* rejects it; a hierarchy has a place for
//! it.
//!
//! The distance is convex, so a union of close classes is close. A close class may still be merged
//! into one that is not, so the model is monotone only if no row may be suppressed.
//!
//! Costs one pass over the class's values (equal), and a sort of them with two binary searches
//! (ordered) or the labels (hierarchical) of each.

use super::class::{Bound, Class, ClassFacts, ClassModel, to_reach};
use super::distance::{Order, Tree};
use super::{Build, PrivacyModel, Setting, Values};
use crate::error::{Fault, Result};
use crate::policy::{Distance, ModelKind, TCloseness as Asked};

/// Values spread nearly as in the whole table.
#[derive(Debug, Clone)]
pub struct TCloseness {
    facts: ClassFacts,
    t: f64,
    /// Code → its share of the table.
    shares: Vec<f64>,
    ground: Ground,
}

/// How far apart two values are.
#[derive(Debug, Clone)]
enum Ground {
    Equal,
    Ordered(Order),
    Hierarchical(Tree),
}

impl TCloseness {
    /// From a policy's parameters, for a column; `strict` if no row may be suppressed.
    ///
    /// # Errors
    /// A column without an order or a hierarchy where the distance needs one.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Result<Self> {
        let ground = match asked.distance {
            Distance::Equal => Ground::Equal,
            Distance::Ordered => Ground::Ordered(Order::new(column, asked.order.as_deref())?),
            Distance::Hierarchical => match column.hierarchy {
                Some(hierarchy) => Ground::Hierarchical(Tree::new(column, hierarchy)?),
                None => return Err(Fault::bug("a distance over a hierarchy that is not there").into()),
            },
        };
        let (bound, shares) = (Bound::AtMost(asked.t), column.shares());
        let facts = ClassFacts::new(ModelKind::TCloseness, claim, column.measured, bound);
        let facts = facts.strict(strict).min_safe_rows(min_rows(asked.t, &shares, &ground));
        Ok(TCloseness { facts, t: asked.t, shares, ground })
    }

    /// Only values that are too frequent count, and these are in the class.
    fn equal(&self, class: Class<'_>) -> f64 {
        let rows = class.rows();
        let pairs = class.codes.iter().zip(class.counts);
        pairs.map(|(&code, &n)| (f64::from(n) / rows - self.shares[code as usize]).max(0.0)).sum()
    }
}

/// How many rows a class is shown to need at most; beyond, shares come near to any.
const FEWEST: u64 = 1000;

/// Shares that occur, and how many values have each. They are far fewer than values: n rows have
/// at most √(2n).
fn distinct(shares: &[f64]) -> Vec<(f64, u64)> {
    let mut sorted: Vec<f64> = shares.iter().copied().filter(|&share| share > 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect()
}

/// The least ½·Σ|p − q| of any class of this many rows: each value has its share rounded down, and
/// the values with the largest remainders get one more row.
fn least_surplus(shares: &[(f64, u64)], rows: u64) -> f64 {
    let remainder = |&(share, values): &(f64, u64)| {
        let exact = share * rows as f64;
        (exact - exact.floor(), values)
    };
    let mut missed: Vec<(f64, u64)> = shares.iter().map(remainder).collect();
    missed.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let whole: f64 = missed.iter().map(|(missed, values)| missed * *values as f64).sum();
    let mut left = whole.round() as u64;
    let mut surplus = 0.0;
    for (missed, values) in missed {
        let more = values.min(left);
        surplus += (1.0 - missed) * more as f64;
        left -= more;
    }
    surplus / rows as f64
}

/// Whole rows come only so near to the table's shares, and what is moved between values is moved as
/// far as the nearest two are apart.
fn min_rows(t: f64, shares: &[f64], ground: &Ground) -> u64 {
    let shares = distinct(shares);
    let values = shares.iter().map(|&(_, values)| values as usize).sum();
    let nearest = match ground {
        Ground::Equal => 1.0,
        Ground::Ordered(order) => order.nearest(values),
        Ground::Hierarchical(tree) => tree.nearest(),
    };
    let close = |rows: u64| nearest * least_surplus(&shares, rows) <= t + 1e-9;
    (1..=FEWEST).find(|&rows| close(rows)).unwrap_or(FEWEST)
}

impl ClassModel for TCloseness {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    fn unreleasable_rows(&self, class: Class<'_>) -> f64 {
        to_reach(self.t, self.figure(class), class.rows())
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        match &self.ground {
            Ground::Equal => self.equal(class),
            Ground::Ordered(order) => order.distance(class),
            Ground::Hierarchical(tree) => tree.distance(class),
        }
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(TCloseness::new(claim, self, setting.column()?, setting.strict)?))
    }

    fn safe_when_coarser(&self) -> bool {
        self.distance == Distance::Equal
    }
}
