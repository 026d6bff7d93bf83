//! Rare values [Katirai 2006, "Attributes occurring less than k times"]: a value that few people
//! have shows even where it is suppressed, because nobody else's value is.
//!
//! The adversary knows one quasi-identifier of the target, which fewer than k people have, and
//! looks at this column alone: if the released rows whose cell can be that value belong to fewer
//! than k people, the target is one of them, whatever the other columns say.

use rustc_hash::FxHashMap;
use throng_terms::error::Result;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::rate::Rate;
use crate::scene::Scene;
use crate::view::{Targets, View};

pub(crate) struct Rare;

impl Attack for Rare {
    fn name(&self) -> &'static str {
        "rare"
    }

    fn criterion(&self) -> Criterion {
        Criterion::SinglingOut
    }

    fn means(&self) -> &'static str {
        "The adversary knows one value that fewer than k people have; the released rows whose cell can be it belong to fewer than k people."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original]
    }

    fn run(&self, scene: &Scene, _: &Watch) -> Result<Vec<Finding>> {
        let columns: Vec<ByCell> = (0..scene.roles.quasi.len()).map(|at| ByCell::new(scene, at)).collect();
        let k = scene.roles.k.max(2);
        let count = |targets: &Targets, people: fn(&View, &[u32], u64) -> u64| {
            // Target → whether one of its values is rare, and whether one gives it away.
            let mut found = vec![[false; 2]; targets.len()];
            for (at, column) in columns.iter().enumerate() {
                let mut known: FxHashMap<Code, bool> = FxHashMap::default();
                for (target, &code) in targets.codes[at].iter().enumerate() {
                    if scene.counts[at][code as usize] < k {
                        let few = known.entry(code).or_insert_with(|| {
                            let rows = column.rows[code as usize];
                            let few = || people(&scene.view, &column.classes(scene, code), k) < k;
                            rows > 0 && (rows < k || (scene.view.owners.is_some() && few()))
                        });
                        found[target][0] = true;
                        found[target][1] |= *few;
                    }
                }
            }
            let sum = |at: usize| found.iter().filter(|found| found[at]).count() as u64;
            Rate::new(sum(1), sum(0))
        };
        let success = count(scene.targets()?, |view, classes, k| view.fewest(classes, None, k));
        let control = match &scene.outside {
            Some(outside) => (count(outside, most), "people outside the release with a rare value"),
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

fn most(view: &View, classes: &[u32], k: u64) -> u64 {
    view.most(classes, view.rows_of(classes), k)
}

/// The classes of a release by their cell in one column.
struct ByCell {
    column: usize,
    /// Specific code → released rows whose cell covers it.
    rows: Vec<u64>,
    /// Released code → classes that have it; empty where rows have no owners.
    classes: Vec<Vec<u32>>,
}

impl ByCell {
    fn new(scene: &Scene, column: usize) -> Self {
        let mut classes = vec![Vec::new(); scene.view.covers[column].len()];
        if scene.view.owners.is_some() {
            for class in 0..scene.view.classes.len() {
                classes[scene.view.classes.tuple(class)[column] as usize].push(class as u32);
            }
        }
        ByCell { column, rows: covering(scene, column), classes }
    }

    /// Classes whose cell covers a specific code.
    fn classes(&self, scene: &Scene, code: Code) -> Vec<u32> {
        let cells = scene.view.covers[self.column].iter().zip(&self.classes);
        cells
            .filter(|(covered, _)| covered.runs.has(code))
            .flat_map(|(_, classes)| classes)
            .copied()
            .collect()
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
