//! Complementary release [Sweeney 2002; Katirai 2006]: two releases of the same table are joined on
//! the columns that both show unchanged.
//!
//! A target's row is among the rows of each release that can be the target's, with the same
//! sensitive values in both. At most as many rows are left as have the same values on both sides.
//! The attack succeeds if they can belong to fewer than k people.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use throng_terms::error::{Fault, Result};
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::owners::{Chosen, total};
use crate::rate::Rate;
use crate::scene::Scene;
use crate::view::{Histograms, Targets, View};

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
        let facts = |pair: &Pair<'_>| {
            let both = both(&pair.values[0], &pair.values[1]);
            let left = pair.fewest(0, &both, k).min(pair.fewest(1, &both, k));
            let alone = [0, 1].map(|side| pair.most(side, k));
            [left > 0 && left < k, alone.iter().any(|&people| people > 0 && people < k)]
        };
        let [success, control] = two.counted(facts, |_, facts, _| *facts);
        Ok(vec![Finding::new(self, two.rate(success), (two.rate(control), "each of the two releases alone"))])
    }
}

/// Value → rows that have it in both releases: one person's at the most.
fn both(first: &[(Code, u32)], second: &[(Code, u32)]) -> Vec<(Code, u32)> {
    let rows = |entry: &(Code, u32)| {
        let other = second.binary_search_by_key(&entry.0, |other| other.0).map_or(0, |at| second[at].1);
        (entry.0, entry.1.min(other))
    };
    first.iter().map(rows).filter(|entry| entry.1 > 0).collect()
}

/// Two releases and the targets in both, with some sensitive columns as one.
pub(crate) struct Two<'a> {
    views: [&'a View; 2],
    targets: [&'a Targets; 2],
    values: [Histograms; 2],
    /// Release → row of those that have owners → its values as one.
    owned: [Vec<Code>; 2],
    /// Target → its values as one.
    own: Vec<Code>,
}

/// What two releases have about a group of targets.
pub(crate) struct Pair<'a> {
    two: &'a Two<'a>,
    group: usize,
    /// Release → values of the rows that can be the target's.
    pub(crate) values: [Vec<(Code, u32)>; 2],
}

impl Pair<'_> {
    fn classes(&self, side: usize) -> &[u32] {
        self.two.targets[side].classes(self.group)
    }

    /// The fewest people to whom some rows of a release can belong, up to a limit.
    pub(crate) fn fewest(&self, side: usize, rows: &[(Code, u32)], limit: u64) -> u64 {
        let view = self.two.views[side];
        let all = [(0, total(rows) as u32)];
        let same_values = view.owners.as_ref().is_none_or(|owners| owners.same_values);
        let rows = if same_values { rows } else { &all };
        view.fewest(self.classes(side), Some(&Chosen { rows, values: &self.two.owned[side] }), limit)
    }

    /// The most people to whom all rows of a release that can be the target's belong, up to a
    /// limit.
    pub(crate) fn most(&self, side: usize, limit: u64) -> u64 {
        self.two.views[side].most(self.classes(side), total(&self.values[side]), limit)
    }
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

    fn of(views: [&'a View; 2], targets: [&'a Targets; 2], columns: &[usize]) -> Self {
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
        let own = (0..targets[0].len()).map(|target| one(&targets[0].values, target)).collect();
        let owned = views.map(|view| match &view.owners {
            Some(owners) if owners.same_values => {
                (0..owners.rows()).map(|row| one(&owners.values, row)).collect()
            }
            Some(owners) => vec![0; owners.rows()],
            None => Vec::new(),
        });
        Two { views, targets, values, owned, own }
    }

    /// Counts the targets of whom tests hold, given what follows from both releases about the group
    /// of a target, and the target's values.
    pub(crate) fn counted<F, const N: usize>(
        &self,
        facts: impl Fn(&Pair<'_>) -> F + Sync,
        tests: impl Fn(&Pair<'_>, &F, Code) -> [bool; N] + Sync,
    ) -> [u64; N] {
        // Targets are grouped by the same columns on both sides, so groups are the same.
        let of_group = |group: usize| {
            let values = [0, 1].map(|side| self.values[side].merged(self.targets[side].classes(group)));
            let pair = Pair { two: self, group, values };
            let facts = facts(&pair);
            let mut found = [0; N];
            for &target in self.targets[0].groups.rows(group) {
                let hold = tests(&pair, &facts, self.own[target as usize]);
                found.iter_mut().zip(hold).for_each(|(found, holds)| *found += u64::from(holds));
            }
            found
        };
        let sum = |a: [u64; N], b: [u64; N]| std::array::from_fn(|at| a[at] + b[at]);
        (0..self.targets[0].groups.len()).into_par_iter().map(of_group).reduce(|| [0; N], sum)
    }

    /// Successes among all targets.
    pub(crate) fn rate(&self, successes: u64) -> Rate {
        Rate::new(successes, self.targets[0].len() as u64)
    }
}
