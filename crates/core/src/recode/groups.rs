//! Groups of points that are formed one after the other, and what becomes of points that are left over.
//!
//! A point that is left over joins the nearest group that stays safe with it. Where none does, it joins the nearest, and the next nearest are merged with that
//! until it is safe; that ends, because all points are safe together. Costs a judgement per group that is asked.

use super::points::Points;
use super::region::{Share, Tally};

/// Groups, some of which may have been merged with others and are empty.
#[derive(Debug, Default)]
pub struct Groups {
    /// Group → points.
    pub members: Vec<Vec<u32>>,
}

impl Groups {
    /// Puts a point into one of the groups, which are given by number, the nearest first; only the first `asked` of them are asked whether they
    /// stay safe. Without any group, the point is one of its own.
    pub fn settle(
        &mut self,
        points: &Points<'_>,
        point: u32,
        nearest: &[usize],
        asked: usize,
        tally: &mut Tally,
    ) {
        let Some(&first) = nearest.first() else {
            self.members.push(vec![point]);
            return;
        };
        let with = |group: usize| self.members[group].iter().copied().chain([point]);
        let mut stays = |&&group: &&usize| points.safe(with(group), tally);
        let fits = match points.judge().absorbs() {
            true => Some(first),
            false => nearest.iter().take(asked).find(&mut stays).copied(),
        };
        let group = fits.unwrap_or(first);
        self.members[group].push(point);
        let mut others = nearest[1..].iter();
        while fits.is_none() && !points.safe(self.members[group].iter().copied(), tally) {
            let Some(&other) = others.next() else { break };
            let merged = std::mem::take(&mut self.members[other]);
            self.members[group].extend(merged);
        }
    }

    /// The groups as regions, numbered from 0 in the order of their first points, and how many there are.
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
