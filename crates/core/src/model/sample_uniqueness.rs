//! Sample uniqueness, as in ARX: the share of released rows that are unique in their class is
//! bounded.
//!
//! An adversary who knows the quasi-identifiers of a person in the release identifies a unique row.
//! k = 2 allows no unique row; this model allows a share. Costs one look-up.

use super::table::{FigureFacts, TableFigure};
use super::{Build, PrivacyModel, Setting, TableModel};
use crate::error::Result;
use crate::policy::{ModelKind, SampleUniqueness as Asked};
use crate::population::Sizes;

/// The share of rows that are alone in their class.
#[derive(Debug, Clone, Copy)]
pub struct SampleUniqueness;

impl TableFigure for SampleUniqueness {
    fn facts(&self) -> FigureFacts {
        FigureFacts { min_rows: 1, falls_when_merged: true }
    }

    fn figure(&self, sizes: &Sizes) -> Option<f64> {
        Some(sizes.of_size(1) as f64 / sizes.rows() as f64)
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        let kind = ModelKind::SampleUniqueness;
        Ok(Box::new(TableModel::new(kind, claim, self.max, setting.strict, SampleUniqueness)))
    }
}
