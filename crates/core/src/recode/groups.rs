//! Groups of points that are formed one after the other, and the assignment of remaining points.
//!
//! A point that is left over joins the nearest group that stays safe with it. Where none of the
//! nearest does, it joins the nearest group, and that is merged
//! with others until it is safe: each time with the nearest of some that brings it closer to being
//! safe, or with the nearest if none does. Merging
//! ends with a safe group or with one group, which is safe when all points are in it. So this works
//! for every model that all points satisfy together, whether a safe
//! group absorbs further rows (distinct l-diversity) or can be spoilt by them (t-closeness).
//!
//! A point costs a judgement for each of the nearest [`ASKED`] groups, and as many for each group
//! that is merged.

use super::points::Points;
use super::region::{Share, Tally};

/// How many of the nearest groups are judged before groups are merged, and for each merge.
pub const ASKED: usize = 64;

/// Where a point goes that is left over.
#[derive(Debug, PartialEq, Eq)]
pub enum Settled {
    /// Into this group, which stays safe.
    Joins(usize),
    /// Into the first of these groups, together with all points of the others.
    Merges(Vec<usize>),
}

/// Where a point goes, by the groups that have points, the nearest first. Each
/// decision looks at `asked` of them. None if there is no group. `tally` is empty and stays so.
pub fn settled<'m>(
    points: &Points<'_>,
    point: u32,
    (nearest, asked): (&[usize], usize),
    members: impl Fn(usize) -> &'m [u32],
    tally: &mut Tally,
) -> Option<Settled> {
    let &first = nearest.first()?;
    let judge = points.judge();
    if judge.absorbs() {
        return Some(Settled::Joins(first));
    }
    let with = |group: usize| members(group).iter().copied().chain([point]);
    if let Some(&fits) = nearest.iter().take(asked).find(|&&group| points.safe(with(group), tally)) {
        return Some(Settled::Joins(fits));
    }
    let mut merged = vec![first];
    let mut others = nearest[1..].to_vec();
    with(first).for_each(|point| points.add(tally, point));
    while !judge.safe(tally) && !others.is_empty() {
        let short = judge.short(tally);
        let mut helps = |&group: &usize| {
            members(group).iter().for_each(|&point| points.add(tally, point));
            let after = judge.short(tally);
            members(group).iter().for_each(|&point| judge.remove(tally, points.number(point)));
            after < short
        };
        let at = others.iter().take(asked).position(&mut helps).unwrap_or(0);
        let next = others.remove(at);
        members(next).iter().for_each(|&point| points.add(tally, point));
        merged.push(next);
    }
    tally.clear();
    Some(Settled::Merges(merged))
}

/// Groups. Those that were merged into others are empty.
#[derive(Debug, Default)]
pub struct Groups {
    /// Group → points.
    pub members: Vec<Vec<u32>>,
}

impl Groups {
    /// Puts a point into one of the groups that have points, which are given by number, the nearest
    /// first; `asked` of them are looked at for each
    /// decision. Without any group, the point is one of its own.
    pub fn settle(
        &mut self,
        points: &Points<'_>,
        point: u32,
        nearest: &[usize],
        asked: usize,
        tally: &mut Tally,
    ) {
        let members = |group: usize| &self.members[group][..];
        match settled(points, point, (nearest, asked), members, tally) {
            None => self.members.push(vec![point]),
            Some(Settled::Joins(group)) => self.members[group].push(point),
            Some(Settled::Merges(groups)) => {
                let mut all: Vec<u32> =
                    groups.iter().flat_map(|&group| std::mem::take(&mut self.members[group])).collect();
                all.push(point);
                self.members[groups[0]] = all;
            }
        }
    }

    /// The groups as regions, numbered from 0 in the order of their first points, and how many
    /// there are.
    pub fn shares(&self, points: &Points<'_>) -> (Vec<Share>, u32) {
        let mut groups: Vec<Vec<u32>> =
            self.members.iter().filter(|group| !group.is_empty()).cloned().collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        let share = |region: usize, point: u32| {
            let rows = points.rows(point) as u32;
            Share { point: points.number(point), region: region as u32, rows }
        };
        let shares = |(region, group): (usize, &Vec<u32>)| -> Vec<Share> {
            group.iter().map(|&point| share(region, point)).collect()
        };
        let mut shares: Vec<Share> = groups.iter().enumerate().flat_map(shares).collect();
        shares.sort_unstable();
        (shares, groups.len() as u32)
    }
}
