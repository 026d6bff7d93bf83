//! p-sensitive k-anonymity [Truta 2006]: every class has at least k rows and at least p values of a
//! sensitive column.
//!
//! The figure is the number of values; missing cells do not count. Merging keeps the values of a
//! class, so the model is monotone. Costs one pass over a class's values.

use super::class::{Bound, Class, ClassFacts, ClassModel};
use super::{Build, PrivacyModel, Sensitive, Setting, Values};
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{ModelKind, PSensitive as Asked};

/// At least p values in every class.
#[derive(Debug, Clone)]
pub struct PSensitive {
    facts: ClassFacts,
    column: Sensitive,
}

impl PSensitive {
    /// At least p values of a column.
    pub fn new(claim: String, p: u64, column: &Values<'_>) -> Self {
        let bound = Bound::AtLeast(p as f64);
        let facts = ClassFacts::new(ModelKind::PSensitive, claim, column.measured, bound);
        PSensitive { facts: facts.absorbing().min_safe_rows(p), column: column.sensitive() }
    }

    /// Requirements that no class can meet: more values than the column has.
    pub(super) fn unreachable(p: u64, column: &Values<'_>) -> Option<Fault> {
        let present = column.present() as u64;
        (p > present).then(|| {
            fault!(
                Data,
                "model.p-above-values",
                "p = {p} but `{column}` has {values} values",
                p = p,
                column = column.name,
                values = present
            )
            .key("p")
            .help("no class can have that many: lower p")
        })
    }
}

impl ClassModel for PSensitive {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        class.present(self.column.missing).count() as f64
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(PSensitive::new(claim, self.p, setting.column()?)))
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        PSensitive::unreachable(self.p, setting.column?)
    }
}
