//! Composition [Ganta 2008]: two recipients put their releases together and intersect the sensitive
//! values that each leaves the target.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use super::complementary::Two;
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
            let only = |values: &[u32], own: u32| values == [own];
            let (success, control) = two.counted(
                |first, second, own| {
                    let both = first.iter().filter(|entry| second.iter().any(|other| other.0 == entry.0));
                    only(&both.map(|entry| entry.0).collect::<Vec<u32>>(), own)
                },
                |first, second, own| {
                    [first, second]
                        .iter()
                        .any(|one| only(&one.iter().map(|entry| entry.0).collect::<Vec<_>>(), own))
                },
            );
            let control = (control, "each of the two releases alone");
            findings.push(Finding::new(self, success, control).about(&scene.roles.sensitive[column]));
        }
        Ok(findings)
    }
}
