//! Composition [Ganta 2008]: two recipients put their releases together and intersect the sensitive
//! values that each leaves the target.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use super::complementary::{Pair, Two};
use crate::attack::{Attack, Criterion, Finding, Need};
use crate::scene::Scene;

pub(crate) struct Composition;

impl Attack for Composition {
    fn name(&self) -> &'static str {
        "composition"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary has two releases; the only value that both leave the target is the target's."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Other, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for &column in &scene.sensitive {
            watch.check()?;
            let two = Two::new(scene, &[column])?;
            let values = |all: &[(u32, u32)]| all.iter().map(|entry| entry.0).collect::<Vec<u32>>();
            let facts = |pair: &Pair<'_>| {
                let [first, second] = [&pair.values[0], &pair.values[1]].map(|all| values(all));
                let both: Vec<u32> = first.iter().filter(|value| second.contains(value)).copied().collect();
                [both, first, second]
            };
            let [success, control] = two.counted(facts, |_, [both, first, second], own| {
                let only = |values: &Vec<u32>| values[..] == [own];
                [only(both), only(first) || only(second)]
            });
            let (success, control) = (two.rate(success), two.rate(control));
            let control = (control, "each of the two releases alone");
            findings.push(Finding::new(self, success, control).about(&scene.roles.sensitive[column]));
        }
        Ok(findings)
    }
}
