//! Background knowledge [Machanavajjhala 2006; Martin 2007]: the adversary rules out as many
//! sensitive values as they know facts about the target, and one value is left.
//!
//! An attack database rules out more values: those that nobody with the target's other values has.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::scene::Scene;
use crate::view::Belief;

pub(crate) struct Background;

impl Attack for Background {
    fn name(&self) -> &'static str {
        "background"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary knows the target's quasi-identifiers and m values that the target does not have, and what an attack database rules out; only the target's value is left."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for &column in &scene.sensitive {
            watch.check()?;
            let facts = scene.settings.facts;
            let found = |belief: &Belief<'_>, target: u32, own| {
                let out = |value| scene.ruled_out.has(column, target, value);
                let left = belief.values.iter().filter(|entry| !out(entry.0)).count();
                left <= facts + 1 && belief.count(own) > 0 && !out(own)
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
