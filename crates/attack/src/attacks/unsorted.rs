//! Unsorted matching [Sweeney 2002; Katirai 2006]: two releases of the same table list their rows
//! in the same order, so that the rows at the same place are the same person's.
//!
//! The adversary lays the releases side by side. A pair of rows can be one person's if every
//! quasi-identifier has a value that both cells cover, and if the sensitive values are the same.
//! The attack succeeds if the pairs with the same cells in both releases can belong to fewer than k
//! people. The control lays them side by side in a random order.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::rate::Rate;
use crate::sample::shuffled;
use crate::scene::Scene;
use crate::view::View;

pub(crate) struct Unsorted;

impl Attack for Unsorted {
    fn name(&self) -> &'static str {
        "unsorted"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Linkability
    }

    fn means(&self) -> &'static str {
        "The adversary lays two releases side by side; the pairs of rows at the same place that have the same cells belong to fewer than k people."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Other]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let Some(other) = &scene.other else { return Ok(Vec::new()) };
        let control_is = "the second release in a random order";
        let (rows, others) = scene.all_rows;
        if Some(rows) != others {
            // Rows at the same place are not the same person's.
            let none = Rate::new(0, rows as u64);
            return Ok(vec![Finding::new(self, none, (none, control_is))]);
        }
        let side_by_side: Vec<u32> = (0..rows as u32).collect();
        let success = pairs(scene, other, &side_by_side);
        watch.check()?;
        let control = pairs(scene, other, &shuffled(rows, scene.settings.seed, 30));
        Ok(vec![Finding::new(self, success, (control, control_is))])
    }
}

/// Row of a release → its place among those that show something.
fn places(view: &View, rows: usize) -> Vec<Option<u32>> {
    let mut places = vec![None; rows];
    view.shown.iter().enumerate().for_each(|(place, &row)| places[row as usize] = Some(place as u32));
    places
}

/// Rows whose pair can be one person's and is one of those alike that fewer than k people have;
/// `beside` has the row of the second release for every row of the first.
fn pairs(scene: &Scene, other: &View, beside: &[u32]) -> Rate {
    let view = &scene.view;
    let (first, second) = (places(view, beside.len()), places(other, beside.len()));
    let classes = [view.classes.of_rows(), other.classes.of_rows()];
    let mut known: FxHashMap<(u32, u32), bool> = FxHashMap::default();
    let mut alike: FxHashMap<(u32, u32), [Vec<u32>; 2]> = FxHashMap::default();
    for (row, &partner) in beside.iter().enumerate() {
        let (Some(a), Some(b)) = (first[row], second[partner as usize]) else { continue };
        let same = |&column: &usize| view.values[column][a as usize] == other.values[column][b as usize];
        if !scene.sensitive.iter().all(same) {
            continue;
        }
        let pair = (classes[0][a as usize], classes[1][b as usize]);
        let fits = known.entry(pair).or_insert_with(|| {
            let cells = view.query(pair.0 as usize).into_iter().zip(other.query(pair.1 as usize));
            cells.into_iter().all(|(a, b)| a.crosses(b))
        });
        if *fits {
            let rows = alike.entry(pair).or_default();
            rows[0].push(a);
            rows[1].push(b);
        }
    }
    let k = scene.roles.k.max(2);
    let found = |(&(a, b), rows): (&(u32, u32), &[Vec<u32>; 2])| {
        let people = view.fewest_of(&[a], &rows[0], k).min(other.fewest_of(&[b], &rows[1], k));
        if people < k { rows[0].len() as u64 } else { 0 }
    };
    Rate::new(alike.par_iter().map(found).sum(), beside.len() as u64)
}
