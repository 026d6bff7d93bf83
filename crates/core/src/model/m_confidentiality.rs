//! m-confidentiality (mission P9; Wong, Fu, Wang, Pei 2007): who knows the quasi-identifiers of everybody, the policy and
//! how Throng works links nobody to a sensitive value with a probability above 1/m.
//!
//! A search that generalizes no further than a model of sensitive values asks for tells by how far it went that
//! less would not have done: the minimality attack. Held-back classes tell the same. The paper's MASK hides that by changing
//! values; here nothing is there to be hidden:
//! - The node is chosen, and rows are held back, by the quasi-identifiers alone: this model flags no class, no other model
//!   of a sensitive column and no loss of labels may be asked for beside it.
//! - Where then a class that is to be released has a value with a share above 1/m, nothing is released at all.
//!
//! **Why that is enough.** What is released is told by the quasi-identifiers and, for every released class, by how often
//! each value is in it. Take a table that leads to the release. Deal the values of a class anew to its people, in any way:
//! the quasi-identifiers are the same, so node and held-back rows are, and the class has the same values, so that
//! whether anything is released is the same too. All dealings are equally likely, and in a share r/n of them a given
//! person has a value that r of the n rows of the class have. That is the probability given all that is known, and at
//! most 1/m. It is exact: the test mounts the attack on every table of a few rows.
//!
//! A holder who is refused and asks again with another k makes the choice depend on values after all; the refusal is
//! not to be told either. The figure of a class is the largest share of a value, or of one that is named, of the rows that
//! have a value. It flags nothing, so it is no hindrance to a strategy. Costs a pass over a class's values, once.

use super::class::{Bound, Class};
use super::{PrivacyModel, Sensitive, Values, Verdict};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::policy::MConfidentiality as Asked;

/// No value too frequent in any class, without any choice that depends on values.
#[derive(Debug, Clone)]
pub struct MConfidentiality {
    claim: String,
    column: Sensitive,
    share: f64,
    /// Code → whether it counts.
    counts: Vec<bool>,
}

impl MConfidentiality {
    /// As a policy asks for it, of a column.
    ///
    /// # Errors
    /// A named value that the column does not have.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>) -> Result<Self> {
        let counts = column.named(asked.values.as_deref())?;
        Ok(MConfidentiality { claim, column: column.sensitive(), share: 1.0 / asked.m, counts })
    }

    fn figure(&self, classes: &View<'_>, class: usize) -> f64 {
        let (codes, counts) = classes.histogram(self.column.measured, class);
        let present = Class { codes, counts }.present(self.column.missing);
        let rows: u64 = present.clone().map(|(_, n)| u64::from(n)).sum();
        let counted = present.filter(|&(code, _)| self.counts[code as usize]);
        let most = counted.map(|(_, n)| n).max().unwrap_or(0);
        f64::from(most) / rows.max(1) as f64
    }
}

impl PrivacyModel for MConfidentiality {
    fn name(&self) -> String {
        self.claim.clone()
    }

    fn monotone(&self) -> bool {
        true
    }

    fn cascades(&self) -> bool {
        false
    }

    fn needs(&self) -> Vec<usize> {
        vec![self.column.measured]
    }

    /// None: which class is held back must tell nothing of its values.
    fn blind(&self) -> bool {
        true
    }

    fn violations(&self, _: &View<'_>, _: &mut Flags) {}

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let left = (0..classes.len()).filter(|&class| !flags.has(class));
        let achieved = left.map(|class| self.figure(classes, class)).reduce(f64::max);
        let holds = achieved.is_none_or(|figure| Bound::AtMost(self.share).holds(figure));
        Some(Verdict { required: self.share, achieved, holds })
    }
}
