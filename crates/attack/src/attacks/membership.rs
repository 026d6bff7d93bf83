//! Membership: is the target in the release at all? [Nergiz 2007a; Homer 2008]
//!
//! With a population, the adversary knows how many people fit the cells that cover the target, and
//! claims that the target is in the release if at least half of them are. Without one, they claim
//! it if anything covers the target. The control is the same claim about people outside, or about
//! the target as if their rows were not there.

use throng_terms::error::Result;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::cover::Runs;
use crate::groups::Groups;
use crate::rate::Rate;
use crate::scene::Scene;
use crate::tree::Tree;
use crate::view::Targets;

pub(crate) struct Membership;

impl Attack for Membership {
    fn name(&self) -> &'static str {
        "membership"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary knows the target's quasi-identifiers and claims that the target is in the release if most people like the target are."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let targets = scene.targets()?;
        let finding = match (&scene.outside, &scene.population) {
            (Some(outside), Some(population)) => {
                let columns: Vec<_> = population.columns.iter().collect();
                let people = People::new(scene, &Groups::new(&columns, population.rows));
                watch.check()?;
                let success = people.claimed(scene, targets);
                Finding::new(self, success, (people.claimed(scene, outside), "people outside the release"))
            }
            _ => {
                let success = scene.counted(targets, |classes| !classes.is_empty());
                let control = scene.counted(targets, |classes| scene.view.fewest(classes, None, 2) > 1);
                Finding::new(self, success, (control, "the release without the target's own rows"))
            }
        };
        Ok(vec![finding])
    }
}

/// Class → people of the population whom its cells cover.
struct People(Vec<u64>);

impl People {
    fn new(scene: &Scene, groups: &Groups) -> Self {
        use rayon::prelude::*;
        let tuple = |at: usize| -> &[Code] { groups.tuple(at) };
        let tree = Tree::new(scene.roles.quasi.len(), groups.len(), tuple, |at| groups.count(at));
        let covered = |class: usize| {
            let query: Vec<&Runs> = scene.view.query(class);
            tree.count(&query)
        };
        People((0..scene.view.classes.len()).into_par_iter().map(covered).collect())
    }

    /// Targets of whom the adversary claims that they are in the release.
    fn claimed(&self, scene: &Scene, targets: &Targets) -> Rate {
        scene.counted(targets, |classes| {
            let claims = |&class: &u32| {
                let rows = u64::from(scene.view.classes.count(class as usize));
                2 * rows >= self.0[class as usize]
            };
            classes.iter().any(claims)
        })
    }
}
