//! δ-disclosure privacy (mission P15; Brickell and Shmatikov 2008): no class makes a value of a sensitive column much
//! more or much less likely than the whole table does: |ln(p/q)| < δ for every value of the table.
//!
//! p is its share in the class, q in the whole input table, suppressed rows included. A value of the table that a class
//! lacks is told not to be there, which is endlessly far. A missing cell is one more value.
//!
//! That p is between q·e^−δ and q·e^δ holds for a union of classes for which it holds; a safe class may be lost in
//! an unsafe one. Monotone only where nothing may be suppressed. Costs a pass over a class's values.

use super::Values;
use super::class::{Bound, Class, ClassModel};

/// No value much more or less likely than in the table.
#[derive(Debug, Clone)]
pub struct DeltaDisclosure {
    claim: String,
    measured: usize,
    delta: f64,
    /// Code → its share of the table.
    shares: Vec<f64>,
    /// How many values the table has.
    values: usize,
    strict: bool,
}

impl DeltaDisclosure {
    /// Of a column; `strict` where no row may be suppressed.
    pub fn new(claim: String, delta: f64, column: &Values<'_>, strict: bool) -> Self {
        let values = column.rows.iter().filter(|&&rows| rows > 0).count();
        DeltaDisclosure { claim, measured: column.measured, delta, shares: column.shares(), values, strict }
    }
}

impl ClassModel for DeltaDisclosure {
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
        Bound::WellBelow(self.delta)
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        if class.codes.len() < self.values {
            return f64::INFINITY;
        }
        let rows: f64 = class.counts.iter().map(|&n| f64::from(n)).sum();
        let ratio = |(&code, &n): (&u32, &u32)| f64::from(n) / rows / self.shares[code as usize];
        class
            .codes
            .iter()
            .zip(class.counts)
            .map(ratio)
            .fold(0.0, |most: f64, ratio| most.max(ratio.ln().abs()))
    }
}
