//! Complementary release [Sweeney 2002; Katirai 2006]: two releases of the same table are joined on
//! the columns that both show unchanged.
//!
//! A target's row is among the rows of each release that can be the target's, with the same
//! sensitive values in both. At most as many people are left as there are rows with the same values
//! on both sides. The attack succeeds if fewer than k are left.

use rustc_hash::FxHashMap;
use throng_terms::error::{Fault, Result};
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::rate::Rate;
use crate::scene::{Histograms, Scene, Targets, View};

pub(crate) struct Complementary;

impl Attack for Complementary {
    fn name(&self) -> &'static str {
        "complementary"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Linkability
    }

    fn means(&self) -> &'static str {
        "The adversary joins two releases on what both show unchanged; fewer than k people are left for the target."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Other, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, _: &Watch) -> Result<Vec<Finding>> {
        let two = Two::new(scene, &scene.sensitive)?;
        let k = scene.roles.k.max(2);
        let (success, control) = two.counted(
            |first, second, _| {
                let left = left(first, second);
                left > 0 && left < k
            },
            |first, second, _| {
                let sums = [first, second].map(|one| one.iter().map(|entry| u64::from(entry.1)).sum::<u64>());
                sums.iter().any(|&rows| rows > 0 && rows < k)
            },
        );
        Ok(vec![Finding::new(self, success, (control, "each of the two releases alone"))])
    }
}

/// People who are left: rows with the same values in both releases.
fn left(first: &[(Code, u32)], second: &[(Code, u32)]) -> u64 {
    let rows = |entry: &(Code, u32)| {
        let other = second.binary_search_by_key(&entry.0, |other| other.0).map_or(0, |at| second[at].1);
        u64::from(entry.1.min(other))
    };
    first.iter().map(rows).sum()
}

/// Two releases and the targets in both, with some sensitive columns as one.
pub(crate) struct Two<'a> {
    first: &'a Targets,
    second: &'a Targets,
    values: [Histograms; 2],
    /// Target → its values as one.
    own: Vec<Code>,
}

impl<'a> Two<'a> {
    pub(crate) fn new(scene: &'a Scene, columns: &[usize]) -> Result<Self> {
        let missing = || Fault::bug("an attack has no second release");
        let other = scene.other.as_ref().ok_or_else(missing)?;
        let targets = [scene.targets()?, scene.other_targets.as_ref().ok_or_else(missing)?];
        Ok(Two::of([&scene.view, other], targets, columns))
    }

    /// The earlier release first, and people of its original as targets; none without it.
    pub(crate) fn removed(scene: &'a Scene, columns: &[usize]) -> Option<Self> {
        let (other, [later, earlier]) = (scene.other.as_ref()?, scene.earlier_targets.as_ref()?);
        Some(Two::of([other, &scene.view], [earlier, later], columns))
    }

    fn of(views: [&View; 2], [first, second]: [&'a Targets; 2], columns: &[usize]) -> Self {
        let mut known: FxHashMap<Vec<Code>, Code> = FxHashMap::default();
        let mut one = |values: &[Vec<Code>], row: usize| {
            let tuple: Vec<Code> = columns.iter().map(|&column| values[column][row]).collect();
            let next = known.len() as Code;
            *known.entry(tuple).or_insert(next)
        };
        let values = views.map(|view| {
            let values: Vec<Code> = (0..view.rows()).map(|row| one(&view.values, row)).collect();
            view.histograms(&values)
        });
        let own = (0..first.len()).map(|target| one(&first.values, target)).collect();
        Two { first, second, values, own }
    }

    /// Counts the targets of whom two tests hold, given their values in both releases.
    pub(crate) fn counted(
        &self,
        attack: impl Fn(&[(Code, u32)], &[(Code, u32)], Code) -> bool,
        control: impl Fn(&[(Code, u32)], &[(Code, u32)], Code) -> bool,
    ) -> (Rate, Rate) {
        let (mut succeeded, mut controlled) = (0, 0);
        // Targets are grouped by the same columns on both sides, so groups are the same.
        for group in 0..self.first.groups.len() {
            let first = self.values[0].merged(self.first.classes(group));
            let second = self.values[1].merged(self.second.classes(group));
            for &target in self.first.groups.rows(group) {
                let own = self.own[target as usize];
                succeeded += u64::from(attack(&first, &second, own));
                controlled += u64::from(control(&first, &second, own));
            }
        }
        let all = self.first.len() as u64;
        (Rate::new(succeeded, all), Rate::new(controlled, all))
    }
}
