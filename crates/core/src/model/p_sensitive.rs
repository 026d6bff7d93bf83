//! p-sensitive k-anonymity (mission P5; Truta and Vinay 2006): beside k rows, every class has at least p values of
//! a sensitive column.
//!
//! The figure is the number of values. A missing cell is none. Merging leaves a class the values that it has, so
//! it is monotone. Costs a pass over a class's values.

use super::class::{Bound, Class, ClassModel};
use super::{Sensitive, Values};
use crate::error::Fault;

/// At least p values in every class.
#[derive(Debug, Clone)]
pub struct PSensitive {
    claim: String,
    column: Sensitive,
    p: u64,
}

impl PSensitive {
    /// At least p values of a column.
    pub fn new(claim: String, p: u64, column: &Values<'_>) -> Self {
        PSensitive { claim, column: column.sensitive(), p }
    }

    /// What no class can reach: more values than the column has.
    pub(super) fn unreachable(p: u64, column: &Values<'_>) -> Option<Fault> {
        let present = column.present() as u64;
        (p > present).then(|| {
            Fault::data(format!("p = {p} but `{}` has {present} values", column.name))
                .key("p")
                .help("no class can have that many: lower p")
        })
    }
}

impl ClassModel for PSensitive {
    fn claim(&self) -> &str {
        &self.claim
    }

    fn column(&self) -> usize {
        self.column.measured
    }

    fn absorbs(&self) -> bool {
        true
    }

    fn bound(&self) -> Bound {
        Bound::AtLeast(self.p as f64)
    }

    fn fewest(&self) -> u64 {
        self.p
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        class.present(self.column.missing).count() as f64
    }
}
