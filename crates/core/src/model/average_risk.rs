//! Average risk and strict average risk, as in ARX: an adversary who links every released row to a
//! person is right for few rows on average.
//!
//! A row of a class of n rows is linked correctly with probability 1/n, so the average over rows is
//! classes / rows. This is the marketer risk that reports show. The average does not bound the
//! worst case; the strict model also requires k rows in every class. Merging classes lowers the
//! average, and so does suppressing the smallest ones. Costs nothing beyond the count of classes.

use super::table::{FigureFacts, TableFigure};
use super::{Build, PrivacyModel, Setting, TableModel};
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{AverageRisk as Asked, ModelKind};
use crate::population::Sizes;

/// Classes by rows.
#[derive(Debug, Clone, Copy)]
pub struct AverageRisk {
    /// The least rows of a class.
    pub k: u64,
}

impl AverageRisk {
    /// The error if a table of `rows` rows cannot reach the limit.
    pub fn unreachable(self, max: f64, rows: u64) -> Option<Fault> {
        if self.k > rows {
            let fault = fault!(
                Data,
                "model.k-above-rows",
                "k = {k} is larger than the table, which has {rows} rows",
                k = self.k,
                rows = rows
            );
            return Some(
                fault.key("k").help("no generalization can reach it: lower k, or release more rows at once"),
            );
        }
        if 1.0 <= max * rows as f64 * (1.0 + 1e-9) {
            return None;
        }
        let fault = fault!(
            Data,
            "model.risk-out-of-reach",
            "even as one class the {rows} rows of the table have a risk above {limit}",
            rows = rows,
            limit = max
        );
        Some(fault.key("max").help("raise max, or release more rows at once"))
    }
}

impl TableFigure for AverageRisk {
    fn facts(&self) -> FigureFacts {
        FigureFacts { min_rows: self.k, falls_when_merged: true }
    }

    fn figure(&self, sizes: &Sizes) -> Option<f64> {
        Some(sizes.classes() as f64 / sizes.rows() as f64)
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        let figure = AverageRisk { k: 1 };
        Ok(Box::new(TableModel::new(ModelKind::AverageRisk, claim, self.max, setting.strict, figure)))
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        AverageRisk { k: 1 }.unreachable(self.max, setting.rows)
    }
}
