//! Linkability: the released rows that can be the target's are one person's [WP29 2014; Sweeney
//! 2001].
//!
//! The exact join with everybody whom the adversary could look for. `throng attack link` links with
//! a given table, and also what agrees in part.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::rate::Rate;
use crate::scene::Scene;

pub(crate) struct Linkability;

impl Attack for Linkability {
    fn name(&self) -> &'static str {
        "linkability"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Linkability
    }

    fn means(&self) -> &'static str {
        "The adversary knows the target's quasi-identifiers; the released rows that can be the target's belong to exactly one person."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original]
    }

    fn run(&self, scene: &Scene, _: &Watch) -> Result<Vec<Finding>> {
        let view = &scene.view;
        let success = scene.counted(scene.targets()?, |classes| view.fewest(classes, None, 2) == 1);
        let control = match &scene.outside {
            Some(outside) => {
                let alone = |classes: &[u32]| view.most(classes, view.rows_of(classes), 2) == 1;
                (scene.counted(outside, alone), "people outside the release")
            }
            None => {
                // A row picked at random is right once in as many rows as there are.
                let right = success.targets / scene.view.rows().max(1) as u64;
                (Rate::new(right.min(success.targets), success.targets), "a released row picked at random")
            }
        };
        Ok(vec![Finding::new(self, success, control)])
    }
}
