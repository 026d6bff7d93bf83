//! Skewness [Li 2007]: the target's value is far more frequent among the rows that can be theirs
//! than in the whole table, so that the release says more about them than about anybody.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::scene::Scene;
use crate::view::Belief;

pub(crate) struct Skewness;

impl Attack for Skewness {
    fn name(&self) -> &'static str {
        "skewness"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary knows the target's quasi-identifiers; among the rows that can be the target's, their value is the more probable one and at least twice as frequent as in the release."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for &column in &scene.sensitive {
            watch.check()?;
            let shares = &scene.shares[column];
            let found = |belief: &Belief<'_>, _: u32, own: u32| {
                let share = f64::from(belief.count(own)) / belief.rows.max(1) as f64;
                share >= 0.5 && share >= 2.0 * shares[own as usize]
            };
            let success = scene.believed(column, &scene.view.values[column], found)?;
            let control = scene.believed(column, &scene.dealt(column), found)?;
            let name = &scene.roles.sensitive[column];
            let control = (control, "the same values dealt to the released rows at random");
            findings.push(Finding::new(self, success, control).about(name));
        }
        Ok(findings)
    }
}
