//! (α, k)-anonymity [Wong 2006]: every class has at least k rows, and no value of a sensitive
//! column has a share above α in it.
//!
//! The figure of a class is the largest share of any value, or of any value that the policy names.
//! Missing cells protect nobody: shares count only rows that have a value. A class in which every
//! value is missing reveals nothing; its figure is 0.
//!
//! The share in a union lies between the shares in its parts, so a union of safe classes is safe. A
//! safe class may still be merged into a large unsafe one, so the model is monotone only if no row
//! may be suppressed. Costs one pass over a class's values.

use super::class::{Bound, Class, ClassFacts, ClassModel, to_reach};
use super::{Build, PrivacyModel, Sensitive, Setting, Values};
use crate::error::Result;
use crate::policy::{AlphaK as Asked, ModelKind};
use crate::table::Code;

/// No value too frequent in any class.
#[derive(Debug, Clone)]
pub struct AlphaK {
    facts: ClassFacts,
    column: Sensitive,
    alpha: f64,
    /// Code → whether it counts.
    counts: Vec<bool>,
}

impl AlphaK {
    /// From a policy's parameters, for a column; `strict` if no row may be suppressed.
    ///
    /// # Errors
    /// A named value that the column does not have.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Result<Self> {
        let counts = column.named(asked.values.as_deref())?;
        let bound = Bound::AtMost(asked.alpha);
        let facts = ClassFacts::new(ModelKind::AlphaK, claim, column.measured, bound).strict(strict);
        Ok(AlphaK { facts, column: column.sensitive(), alpha: asked.alpha, counts })
    }
}

impl ClassModel for AlphaK {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    fn unreleasable_rows(&self, class: Class<'_>) -> f64 {
        let rows: u64 = class.present(self.column.missing).map(|(_, n)| u64::from(n)).sum();
        to_reach(self.alpha, self.figure(class), rows as f64)
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        let present = class.present(self.column.missing);
        let rows: u64 = present.clone().map(|(_, n)| u64::from(n)).sum();
        let counted = present.filter(|&(code, _): &(Code, u32)| self.counts[code as usize]);
        let most = counted.map(|(_, n)| n).max().unwrap_or(0);
        f64::from(most) / rows.max(1) as f64
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(AlphaK::new(claim, self, setting.column()?, setting.strict)?))
    }
}
