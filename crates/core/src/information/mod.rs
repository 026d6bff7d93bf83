//! How much a column tells of another: mutual information, of columns and of single values.
//!
//! From Katirai, *A Theory and Toolkit for the Mathematics of Privacy*: the information of a column with respect to a
//! target ("Method 2"), the point-wise information of a value ("Method 3"), and the advice to leave rare values
//! out, because estimates are biased towards them ("How we calculate mutual information scores"). Everything is told from
//! counts of pairs of codes, in bits; a call costs a sort of the distinct pairs. Counts are added up in one order, so
//! the same counts give the same bits in whatever order they come.

mod contingency;
mod pointwise;

pub use contingency::{Contingency, entropy};
pub use pointwise::{pointwise, worth};

/// Values with fewer rows than these are left out of an estimate unless something else is asked for.
pub const RARE: u64 = 6;

/// The mutual information of two columns, in bits: from (value, target value, rows), in any order, a pair perhaps several
/// times. Values with fewer than `rare` rows are left out; target values stay.
pub fn mutual(counts: &[(u32, u32, u64)], rare: u64) -> f64 {
    Contingency::new(counts).without_rare(rare).mutual()
}

#[cfg(test)]
mod tests;
