//! Temporal attack [Sweeney 2002; Katirai 2006]: a table is released again after rows were added or
//! removed; what differs belongs to the people who came or left.
//!
//! The other release is the earlier one. Among the rows that can be the target's, those beyond what
//! the earlier release has with the same values are new. The attack is on targets who look new, and
//! succeeds if fewer than k new rows can be theirs. With the original of the earlier release, the
//! same is done for people of it whose rows are gone.

use throng_terms::error::Result;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use super::complementary::Two;
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
        "The adversary knows that the target was added after an earlier release, or removed; fewer than k rows that are new, or gone, can be the target's."
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
    let differs = |first: &[(Code, u32)], second: &[(Code, u32)], own: Code| {
        let count = |all: &[(Code, u32)]| all.iter().find(|entry| entry.0 == own).map_or(0, |entry| entry.1);
        count(first) > count(second)
    };
    let beyond = |first: &[(Code, u32)], second: &[(Code, u32)]| -> u64 {
        let rows = |entry: &(Code, u32)| {
            let there = second.binary_search_by_key(&entry.0, |other| other.0).map_or(0, |at| second[at].1);
            u64::from(entry.1.saturating_sub(there))
        };
        first.iter().map(rows).sum()
    };
    let (targets, success) =
        two.counted(differs, |first, second, own| differs(first, second, own) && beyond(first, second) < k);
    let (_, control) = two.counted(differs, |first, second, own| {
        let rows: u64 = first.iter().map(|entry| u64::from(entry.1)).sum();
        differs(first, second, own) && rows < k
    });
    let of = |found: Rate| Rate::new(found.successes, targets.successes);
    (of(success), of(control))
}
