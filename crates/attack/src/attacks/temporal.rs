//! Temporal attack [Sweeney 2002; Katirai 2006]: a table is released again after rows were added or
//! removed; what differs belongs to the people who came or left.
//!
//! The other release is the earlier one. Among the rows that can be the target's, those beyond what
//! the earlier release has with the same values are new. The attack is on targets who look new, and
//! succeeds if the new rows can belong to fewer than k people. With the original of the earlier
//! release, the same is done for people of it whose rows are gone.

use throng_terms::error::Result;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use super::complementary::{Pair, Two};
use crate::attack::{Attack, Criterion, Finding, Need};
use crate::rate::Rate;
use crate::scene::Scene;

pub(crate) struct Temporal;

impl Attack for Temporal {
    fn name(&self) -> &'static str {
        "temporal"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Linkability
    }

    fn means(&self) -> &'static str {
        "The adversary knows that the target was added after an earlier release, or removed; the rows that are new, or gone, and can be the target's belong to fewer than k people."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Other, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, _: &Watch) -> Result<Vec<Finding>> {
        let k = scene.roles.k.max(2);
        let found = |two: &Two<'_>, form, control| {
            let (success, alone) = changed(two, k);
            Finding::new(self, success, (alone, control)).form(form)
        };
        let mut findings =
            vec![found(&Two::new(scene, &scene.sensitive)?, "added", "the later release alone")];
        if let Some(removed) = Two::removed(scene, &scene.sensitive) {
            findings.push(found(&removed, "removed", "the earlier release alone"));
        }
        Ok(findings)
    }
}

/// Successes among the targets whose value the first release has more often than the second, and
/// those that the first release gives away alone.
fn changed(two: &Two<'_>, k: u64) -> (Rate, Rate) {
    let facts = |pair: &Pair<'_>| {
        let [first, second] = &pair.values;
        let there = |value: Code| second.binary_search_by_key(&value, |entry| entry.0);
        let beyond = |entry: &(Code, u32)| {
            (entry.0, entry.1.saturating_sub(there(entry.0).map_or(0, |at| second[at].1)))
        };
        let beyond: Vec<(Code, u32)> = first.iter().map(beyond).filter(|entry| entry.1 > 0).collect();
        let few = !beyond.is_empty() && pair.fewest(0, &beyond, k) < k;
        (beyond, few, pair.most(0, k) < k)
    };
    let [targets, success, control] = two.counted(facts, |_, (beyond, few, alone), own| {
        let differs = beyond.binary_search_by_key(&own, |entry| entry.0).is_ok();
        [differs, differs && *few, differs && *alone]
    });
    (Rate::new(success, targets), Rate::new(control, targets))
}
