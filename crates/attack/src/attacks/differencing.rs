//! Differencing [Xiang 2014, 2; Denning 1979]: two statistics about nearly the same people differ
//! by one person's value.
//!
//! Statistics are answered for groups of at least k released rows. The adversary asks about the
//! rows that share all quasi-identifiers of the target but one, and about the same rows without
//! those that share this one, too. If both groups have at least k rows and the difference can be
//! the rows of one person alone, the values of these rows are the difference. With a second
//! release, classes that differ by one row between the releases are found in the same way.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use throng_terms::error::Result;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::groups::Groups;
use crate::rate::Rate;
use crate::scene::Scene;
use crate::table::Column;
use crate::view::View;

pub(crate) struct Differencing;

impl Attack for Differencing {
    fn name(&self) -> &'static str {
        "differencing"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary subtracts statistics of two groups of at least k rows; the difference is one person's value."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Sensitive]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let view = &scene.view;
        let k = scene.roles.k.max(2);
        let mut exposed = vec![false; view.classes.len()];
        for column in 0..view.quasi.len() {
            watch.check()?;
            let wider = wider(view, column);
            for (class, exposed) in exposed.iter_mut().enumerate() {
                *exposed |= wider[class] >= u64::from(view.classes.count(class)) + k;
            }
        }
        let alone = |class: usize| match exposed[class] && view.fewest(&[class as u32], None, 2) == 1 {
            true => u64::from(view.classes.count(class)),
            false => 0,
        };
        let mut found: u64 = (0..view.classes.len()).into_par_iter().map(alone).sum();
        if let Some(other) = &scene.other {
            found += between(view, other, k);
        }
        let rows = view.rows() as u64;
        let success = Rate::new(found.min(rows), rows);
        let best = |&column: &usize| scene.shares[column].iter().copied().fold(0.0, f64::max);
        let findings = scene.sensitive.iter().map(|column| {
            // A guess of the most frequent value for those whose value the difference reveals.
            let guessed = (best(column) * success.successes as f64).round() as u64;
            let control = Rate::new(guessed.min(success.successes), rows);
            Finding::new(self, success, (control, "the most frequent value, for the same people"))
                .about(&scene.roles.sensitive[*column])
        });
        Ok(findings.collect())
    }
}

/// Class → rows that share all quasi-identifiers but one.
fn wider(view: &View, column: usize) -> Vec<u64> {
    let others: Vec<Column> = view
        .quasi
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != column)
        .map(|(_, column)| column.clone())
        .collect();
    if others.is_empty() {
        return vec![view.rows() as u64; view.classes.len()];
    }
    let groups = Groups::new(&others.iter().collect::<Vec<_>>(), view.rows());
    let of_rows = groups.of_rows();
    let size = |class: usize| u64::from(groups.count(of_rows[view.classes.rows(class)[0] as usize] as usize));
    (0..view.classes.len()).into_par_iter().map(size).collect()
}

/// Classes of the same cells that two releases have with one row more or less.
fn between(view: &View, other: &View, k: u64) -> u64 {
    let texts = |view: &View, class: usize| -> Vec<Option<String>> {
        let tuple = view.classes.tuple(class).iter().zip(&view.quasi);
        tuple
            .map(|(&code, column): (&Code, &Column)| column.dictionary.value(code).map(str::to_owned))
            .collect()
    };
    let sizes: FxHashMap<Vec<Option<String>>, u64> = (0..other.classes.len())
        .map(|class| (texts(other, class), u64::from(other.classes.count(class))))
        .collect();
    let differs = |class: &usize| {
        let rows = u64::from(view.classes.count(*class));
        sizes
            .get(&texts(view, *class))
            .is_some_and(|&before| before.abs_diff(rows) == 1 && before.min(rows) >= k)
    };
    (0..view.classes.len()).filter(differs).count() as u64
}
