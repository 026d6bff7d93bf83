//! Homogeneity [Machanavajjhala 2006]: all rows that can be the target's have one sensitive value,
//! so that the value is known although the row is not.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::scene::Scene;
use crate::view::Belief;

pub(crate) struct Homogeneity;

impl Attack for Homogeneity {
    fn name(&self) -> &'static str {
        "homogeneity"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary knows the target's quasi-identifiers; all rows that can be the target's have the target's value."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for &column in &scene.sensitive {
            watch.check()?;
            let found =
                |belief: &Belief<'_>, _: u32, own| matches!(belief.values, [(value, _)] if *value == own);
            let success = scene.believed(column, &scene.view.values[column], found)?;
            let control = scene.believed(column, &scene.dealt(column), found)?;
            let name = &scene.roles.sensitive[column];
            let control = (control, "the same values dealt to the released rows at random");
            findings.push(Finding::new(self, success, control).about(name));
        }
        Ok(findings)
    }
}
