//! Strict average risk: [average risk](super::average_risk) with at least k rows in every class.

use super::average_risk::AverageRisk;
use super::{Build, PrivacyModel, Setting, TableModel};
use crate::error::{Fault, Result};
use crate::policy::{ModelKind, StrictAverageRisk as Asked};

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        let (kind, figure) = (ModelKind::StrictAverageRisk, AverageRisk { k: self.k });
        Ok(Box::new(TableModel::new(kind, claim, self.max, setting.strict, figure)))
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        AverageRisk { k: self.k }.unreachable(self.max, setting.rows)
    }
}
