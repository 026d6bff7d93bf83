//! Temporal attack [Sweeney 2002; Katirai 2006]: a table is released again after rows were added;
//! what is new belongs to the people who were added.
//!
//! The other release is the earlier one. Among the rows that can be the target's, those beyond what
//! the earlier release has with the same values are new. The attack is on targets who look new, and
//! succeeds if fewer than k new rows can be theirs. Exchange the releases for rows that were removed.

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
        "The adversary knows that the target was added after an earlier release; fewer than k new rows can be the target's."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Other, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, _: &Watch) -> Result<Vec<Finding>> {
        let two = Two::new(scene, &scene.sensitive)?;
        let k = scene.roles.k.max(2);
        let looks_new = |now: &[(Code, u32)], before: &[(Code, u32)], own: Code| {
            let count =
                |all: &[(Code, u32)]| all.iter().find(|entry| entry.0 == own).map_or(0, |entry| entry.1);
            count(now) > count(before)
        };
        let new_rows = |now: &[(Code, u32)], before: &[(Code, u32)]| -> u64 {
            let rows = |entry: &(Code, u32)| {
                let old = before.binary_search_by_key(&entry.0, |other| other.0).map_or(0, |at| before[at].1);
                u64::from(entry.1.saturating_sub(old))
            };
            now.iter().map(rows).sum()
        };
        let (targets, success) = two
            .counted(looks_new, |now, before, own| looks_new(now, before, own) && new_rows(now, before) < k);
        let (_, control) = two.counted(looks_new, |now, before, own| {
            let rows: u64 = now.iter().map(|entry| u64::from(entry.1)).sum();
            looks_new(now, before, own) && rows < k
        });
        let of = |found: Rate| Rate::new(found.successes, targets.successes);
        Ok(vec![Finding::new(self, of(success), (of(control), "the later release alone"))])
    }
}
