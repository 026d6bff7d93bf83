//! Rare values [Katirai 2006, "Attributes occurring less than k times"]: a value that few people
//! have shows even where it is suppressed, because nobody else's value is.
//!
//! The adversary knows one quasi-identifier of the target, which fewer than k people have, and looks
//! at this column alone: if fewer than k released cells can be that value, the target is one of
//! these rows, whatever the other columns say.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::rate::Rate;
use crate::scene::{Scene, Targets};

pub(crate) struct Rare;

impl Attack for Rare {
    fn name(&self) -> &'static str {
        "rare"
    }

    fn criterion(&self) -> Criterion {
        Criterion::SinglingOut
    }

    fn means(&self) -> &'static str {
        "The adversary knows one value that fewer than k people have; fewer than k released cells of this column can be it."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original]
    }

    fn run(&self, scene: &Scene, _: &Watch) -> Result<Vec<Finding>> {
        let covering: Vec<Vec<u64>> =
            (0..scene.roles.quasi.len()).map(|column| covering(scene, column)).collect();
        let k = scene.roles.k.max(2);
        let rare = |targets: &Targets, target: usize, column: usize| {
            let code = targets.codes[column][target] as usize;
            (scene.counts[column][code] < k).then(|| covering[column][code])
        };
        let count = |targets: &Targets| {
            let (mut all, mut found) = (0, 0);
            for target in 0..targets.len() {
                let columns: Vec<u64> =
                    (0..covering.len()).filter_map(|column| rare(targets, target, column)).collect();
                all += u64::from(!columns.is_empty());
                found += u64::from(columns.iter().any(|&rows| rows > 0 && rows < k));
            }
            Rate::new(found, all)
        };
        let success = count(scene.targets()?);
        let control = match &scene.outside {
            Some(outside) => (count(outside), "people outside the release with a rare value"),
            None => (
                Rate::new(
                    (success.targets * k / scene.view.rows().max(1) as u64).min(success.targets),
                    success.targets,
                ),
                "k released rows picked at random",
            ),
        };
        Ok(vec![Finding::new(self, success, control)])
    }
}

/// Specific code of a column → released rows whose cell covers it.
fn covering(scene: &Scene, column: usize) -> Vec<u64> {
    let covers = &scene.view.covers[column];
    let mut rows = vec![0u64; covers.len()];
    scene.view.quasi[column].codes.iter().for_each(|&code| rows[code as usize] += 1);
    // Sums of differences, so that a cell costs its runs and not its codes.
    let mut steps = vec![0i64; scene.counts[column].len() + 1];
    for (covered, &rows) in covers.iter().zip(&rows) {
        for &(low, high) in covered.runs.ends() {
            steps[low as usize] += rows as i64;
            steps[high as usize + 1] -= rows as i64;
        }
    }
    let mut sum = 0;
    let sums = steps.iter().map(|step| {
        sum += step;
        sum as u64
    });
    sums.take(scene.counts[column].len()).collect()
}
