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
//! Costs one pass over the class's values (equal), or over all values of the column (ordered) and
//! the labels of its hierarchy (hierarchical).

use super::class::{Bound, Class, ClassFacts, ClassModel, to_reach};
use super::distance::{Order, Tree, with_room};
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

    /// Calls `each` with every value's code and the surplus of its share in the class over that in
    /// the table.
    fn surplus(&self, class: Class<'_>, mut each: impl FnMut(usize, f64)) {
        let rows = class.rows();
        let mut next = class.codes.iter().zip(class.counts).peekable();
        for (code, share) in self.shares.iter().enumerate() {
            let here = next.next_if(|(c, _)| **c as usize == code).map_or(0.0, |(_, &n)| f64::from(n) / rows);
            each(code, here - share);
        }
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

/// The least ½·Σ|p − q| of any class of this many rows: each value has its share rounded down, and
/// the values with the largest remainders get one more row.
fn least_surplus(shares: &[f64], rows: u64) -> f64 {
    let exact = shares.iter().map(|share| share * rows as f64);
    let mut missed: Vec<f64> = exact.map(|x| x - x.floor()).collect();
    missed.sort_by(|a, b| b.total_cmp(a));
    let whole: f64 = missed.iter().sum();
    missed.iter().take(whole.round() as usize).map(|missed| 1.0 - missed).sum::<f64>() / rows as f64
}

/// Whole rows come only so near to the table's shares, and what is moved between values is moved as
/// far as the nearest two are apart.
fn min_rows(t: f64, shares: &[f64], ground: &Ground) -> u64 {
    let values = shares.iter().filter(|&&share| share > 0.0).count();
    let nearest = match ground {
        Ground::Equal => 1.0,
        Ground::Ordered(order) => order.nearest(values),
        Ground::Hierarchical(tree) => tree.nearest(),
    };
    let close = |rows: u64| nearest * least_surplus(shares, rows) <= t + 1e-9;
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
            Ground::Ordered(order) => with_room(order.places(), |room| {
                self.surplus(class, |code, surplus| order.add(code, surplus, room));
                order.distance(room)
            }),
            Ground::Hierarchical(tree) => with_room(tree.room(), |room| {
                self.surplus(class, |code, surplus| tree.add(code, surplus, room));
                tree.distance(room)
            }),
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
