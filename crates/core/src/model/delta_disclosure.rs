//! δ-disclosure privacy [Brickell 2008]: |ln(p/q)| < δ for every value of a sensitive column and
//! every class.
//!
//! p is the share of the value in the class, q its share in the whole input table, suppressed rows
//! included. A value of the table that is absent from a class has infinite distance. A missing cell
//! counts as one more value.
//!
//! q·e^−δ < p < q·e^δ carries over to a union of classes. A safe class may still be merged into an
//! unsafe one, so the model is monotone only if no row may be suppressed. Costs one pass over a
//! class's values.

use super::class::{Bound, Class, ClassFacts, ClassModel};
use super::{Build, PrivacyModel, Setting, Values};
use crate::error::Result;
use crate::policy::{DeltaDisclosure as Asked, ModelKind};

/// No value much more or less likely than in the table.
#[derive(Debug, Clone)]
pub struct DeltaDisclosure {
    facts: ClassFacts,
    /// Code → its share of the table.
    shares: Vec<f64>,
    /// How many values the table has.
    values: usize,
}

impl DeltaDisclosure {
    /// Of a column; `strict` where no row may be suppressed.
    pub fn new(claim: String, delta: f64, column: &Values<'_>, strict: bool) -> Self {
        let values = column.rows.iter().filter(|&&rows| rows > 0).count();
        let (bound, shares) = (Bound::WellBelow(delta), column.shares());
        let facts = ClassFacts::new(ModelKind::DeltaDisclosure, claim, column.measured, bound);
        let facts = facts.strict(strict).min_safe_rows(min_rows(delta, &shares, values));
        DeltaDisclosure { facts, shares, values }
    }
}

/// The rarest value of the table is in a safe class, and no more likely than it may be.
fn min_rows(delta: f64, shares: &[f64], values: usize) -> u64 {
    let rarest = shares.iter().copied().filter(|&share| share > 0.0).fold(1.0, f64::min);
    let rows = (1.0 / (rarest * delta.exp()) - 1e-6).ceil();
    (values as u64).max(rows as u64)
}

impl ClassModel for DeltaDisclosure {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
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

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(DeltaDisclosure::new(claim, self.delta, setting.column()?, setting.strict)))
    }

    fn safe_when_coarser(&self) -> bool {
        true
    }
}
