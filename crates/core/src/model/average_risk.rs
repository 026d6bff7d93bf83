//! Average risk and strict average risk (mission P15; ARX's models of these names): whoever links every released row with
//! its person gets few right on average.
//!
//! One of the rows of a class is picked right with probability 1 over its rows, so the average over rows is classes / rows; it is
//! the marketer risk that reports show. The average hides who is worst off; the strict model asks for k rows in every class too. Merging
//! classes lowers the average, and so does leaving out the smallest. Costs nothing beyond the count of classes.

use super::table::TableFigure;
use crate::error::Fault;
use crate::population::Sizes;

/// Classes by rows.
#[derive(Debug, Clone, Copy)]
pub struct AverageRisk {
    /// The least rows of a class.
    pub k: u64,
}

impl AverageRisk {
    /// What a table of so many rows cannot reach.
    pub fn unreachable(self, max: f64, rows: u64) -> Option<Fault> {
        if self.k > rows {
            let fault =
                Fault::data(format!("k = {} is larger than the table, which has {rows} rows", self.k));
            return Some(
                fault.key("k").help("no generalization can reach it: lower k, or release more rows at once"),
            );
        }
        if 1.0 <= max * rows as f64 * (1.0 + 1e-9) {
            return None;
        }
        let fault =
            Fault::data(format!("even as one class the {rows} rows of the table have a risk above {max}"));
        Some(fault.key("max").help("raise max, or release more rows at once"))
    }
}

impl TableFigure for AverageRisk {
    fn figure(&self, sizes: &Sizes) -> Option<f64> {
        Some(sizes.classes() as f64 / sizes.rows() as f64)
    }

    fn least(&self) -> u64 {
        self.k
    }

    fn falls(&self) -> bool {
        true
    }
}
