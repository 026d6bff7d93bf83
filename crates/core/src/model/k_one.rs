//! (k,1)-anonymity [Gionis 2008]: every released row is true of at least k originals.
//!
//! It is weaker than k-anonymity: the released rows that are true of a person need not look alike,
//! and there may be one alone. Whether a row is true of an original depends on its cells and on the
//! table, and classes of a release show neither. So this model flags nothing and has no verdict of
//! classes: rows that have k originals by construction are counted when all cells are known
//! (see [`crate::consistency`]).

use super::{Build, ModelFacts, PrivacyModel, Setting, Verdict};
use crate::classes::{Flags, View};
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{KOne as Asked, ModelKind};

/// At least k originals for every released row.
#[derive(Debug, Clone)]
struct KOne {
    facts: ModelFacts,
}

impl PrivacyModel for KOne {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, _: &View<'_>, _: &mut Flags) {}

    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }
}

impl Build for Asked {
    fn build(&self, claim: String, _: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(KOne { facts: ModelFacts::monotone(ModelKind::KOne, claim) }))
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        (self.k > setting.rows).then(|| {
            fault!(
                Data,
                "model.k-above-rows",
                "k = {k} is larger than the table, which has {rows} rows",
                k = self.k,
                rows = setting.rows
            )
            .key("k")
            .help("no generalization can reach it: lower k, or release more rows at once")
        })
    }
}
