//! t-closeness (mission P4; Li, Li, Venkatasubramanian 2007): in every class the values of a sensitive column are
//! spread nearly as in the whole table, so that finding a person's class tells little about the person's value.
//!
//! The figure of a class is the earth mover's distance between p, the shares of the values in the class, and q, their shares
//! in the whole input table, suppressed rows included:
//! - *equal*: all values are equally far apart; ½·Σ|p − q|.
//! - *ordered*: values are as far apart as their places in an order; Σ|Σ up to here of p − q| / (places − 1).
//! - *hierarchical*: as far apart as the level of their lowest common label, over the height of the hierarchy; for every
//!   inner label level/height times the lesser of what its children have too much and too little, added up.
//!
//! A missing cell is one more value: that a value is missing must not tell much either. It has no place in an
//! order, so there it is refused; a hierarchy has one for it.
//!
//! The distance is convex, so a union of close classes is close. A close class may be merged with one that is
//! not, into one that is not: monotone only where nothing may be suppressed.
//!
//! Costs a pass over the class's values (equal) or over all values of the column (ordered) and labels of its hierarchy.

use super::class::{Bound, Class, ClassModel, to_reach};
use super::{
    Values,
    distance::{Order, Tree, with_room},
};
use crate::error::{Fault, Result};
use crate::policy::{Distance, TCloseness as Asked};

/// Values spread nearly as in the whole table.
#[derive(Debug, Clone)]
pub struct TCloseness {
    claim: String,
    measured: usize,
    t: f64,
    /// Code → its share of the table.
    shares: Vec<f64>,
    ground: Ground,
    strict: bool,
}

/// How far apart two values are.
#[derive(Debug, Clone)]
enum Ground {
    Equal,
    Ordered(Order),
    Hierarchical(Tree),
}

impl TCloseness {
    /// As a policy asks for it, of a column; `strict` where no row may be suppressed.
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
        let (measured, shares) = (column.measured, column.shares());
        Ok(TCloseness { claim, measured, t: asked.t, shares, ground, strict })
    }

    /// Calls `each` with every value's code and the surplus of its share in the class over that in the table.
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

/// The least ½·Σ|p − q| of any class of so many rows: each value has its share rounded down, and those that are
/// rounded most have one row more.
fn least_surplus(shares: &[f64], rows: u64) -> f64 {
    let exact = shares.iter().map(|share| share * rows as f64);
    let mut missed: Vec<f64> = exact.map(|x| x - x.floor()).collect();
    missed.sort_by(|a, b| b.total_cmp(a));
    let whole: f64 = missed.iter().sum();
    missed.iter().take(whole.round() as usize).map(|missed| 1.0 - missed).sum::<f64>() / rows as f64
}

impl ClassModel for TCloseness {
    fn claim(&self) -> &str {
        &self.claim
    }

    fn column(&self) -> usize {
        self.measured
    }

    fn absorbs(&self) -> bool {
        self.strict
    }

    fn bound(&self) -> Bound {
        Bound::AtMost(self.t)
    }

    /// Whole rows come only so near to the table's shares, and what is moved between values is moved as far as the
    /// nearest two are apart.
    fn fewest(&self) -> u64 {
        let values = self.shares.iter().filter(|&&share| share > 0.0).count();
        let nearest = match &self.ground {
            Ground::Equal => 1.0,
            Ground::Ordered(order) => order.nearest(values),
            Ground::Hierarchical(tree) => tree.nearest(),
        };
        let close = |rows: u64| nearest * least_surplus(&self.shares, rows) <= self.t + 1e-9;
        (1..=FEWEST).find(|&rows| close(rows)).unwrap_or(FEWEST)
    }

    fn behind(&self, class: Class<'_>) -> f64 {
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
