//! (α, k)-anonymity (mission P6; Wong, Li, Fu, Wang 2006): beside k rows, no value of a sensitive column is
//! more frequent in a class than α.
//!
//! The figure of a class is the largest share of a value, or of one of those that the policy names. Missing cells
//! protect nobody: shares are of the rows that have a value. Where none has, nothing is told, and the figure is 0.
//!
//! A share in a union is between those in its parts, so a union of safe classes is safe; a safe class may be lost
//! in a large unsafe one. Monotone only where nothing may be suppressed. Costs a pass over a class's values.

use super::class::{Bound, Class, ClassModel, to_reach};
use super::{Sensitive, Values};
use crate::error::Result;
use crate::policy::AlphaK as Asked;
use crate::table::Code;

/// No value too frequent in any class.
#[derive(Debug, Clone)]
pub struct AlphaK {
    claim: String,
    column: Sensitive,
    alpha: f64,
    /// Code → whether it counts.
    counts: Vec<bool>,
    strict: bool,
}

impl AlphaK {
    /// As a policy asks for it, of a column; `strict` where no row may be suppressed.
    ///
    /// # Errors
    /// A named value that the column does not have.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Result<Self> {
        let counts = column.named(asked.values.as_deref())?;
        Ok(AlphaK { claim, column: column.sensitive(), alpha: asked.alpha, counts, strict })
    }
}

impl ClassModel for AlphaK {
    fn claim(&self) -> &str {
        &self.claim
    }

    fn column(&self) -> usize {
        self.column.measured
    }

    fn absorbs(&self) -> bool {
        self.strict
    }

    fn bound(&self) -> Bound {
        Bound::AtMost(self.alpha)
    }

    fn behind(&self, class: Class<'_>) -> f64 {
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
