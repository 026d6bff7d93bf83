//! Sample uniqueness (mission P15; ARX's model of that name): few of the released rows are alone in their class.
//!
//! A row that is alone in the release is one person for whoever knows the quasi-identifiers and knows that the person is in
//! it. k = 2 allows none; this allows a share. Costs one look-up.

use super::table::TableFigure;
use crate::population::Sizes;

/// The share of rows that are alone in their class.
#[derive(Debug, Clone, Copy)]
pub struct SampleUniqueness;

impl TableFigure for SampleUniqueness {
    fn figure(&self, sizes: &Sizes) -> Option<f64> {
        Some(sizes.of_size(1) as f64 / sizes.rows() as f64)
    }

    fn falls(&self) -> bool {
        true
    }
}
