//! The points of a part of a table, for methods that compare points with points: numbered from 0,
//! their ranks contiguous. Also divides a table into such parts.
//!
//! What compares every point with every other would not end on a million of them. So large tables
//! are cut first, by Bentley's rule for trees of points (1975), but where a cut separates least:
//! where neighbours are farthest apart, such as between two branches below the top of a hierarchy,
//! which hardly any region would cross. Parts are safe each, and each can be worked at by itself,
//! so that cores can share them. Where models leave no such cut, because neighbours have like
//! sensitive values, every other point goes to one side, in order of the sensitive values: the
//! sides are then as like the whole as they can be. How far a table is cut depends on its points
//! alone, never on the machine.
//!
//! Costs points · log points per column and cut, and 4 · (columns + 2) bytes per point.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::index::{Spread, cut_in};
use super::region::{Field, Judge, Share, Tally};
use crate::error::Result;
use crate::table::Code;

/// The points of a part.
pub struct Points<'a> {
    judge: Judge<'a>,
    width: usize,
    /// Point → what the table calls it, ascending.
    numbers: Vec<u32>,
    ranks: Vec<Code>,
    counts: Vec<u32>,
}

impl<'a> Points<'a> {
    /// Some points of a table.
    pub fn new(field: &Field<'a>, points: &[u32]) -> Self {
        let space = field.space;
        let width = space.axes().len();
        let mut numbers = points.to_vec();
        numbers.sort_unstable();
        let ranks = |&point: &u32| (0..width).map(move |column| space.rank(point as usize, column));
        let counts = numbers.iter().map(|&point| space.counts()[point as usize]).collect();
        let ranks = numbers.iter().flat_map(ranks).collect();
        Points { judge: field.judge.clone(), width, ranks, numbers, counts }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The ranks of a point.
    pub fn ranks(&self, point: u32) -> &[Code] {
        &self.ranks[point as usize * self.width..][..self.width]
    }

    /// The ranks of all points, end to end.
    pub fn all_ranks(&self) -> &[Code] {
        &self.ranks
    }

    /// The rows of a point.
    pub fn rows(&self, point: u32) -> u64 {
        u64::from(self.counts[point as usize])
    }

    /// What the table calls a point.
    pub fn number(&self, point: u32) -> u32 {
        self.numbers[point as usize]
    }

    /// The points that the table calls by these names. All of them must be here.
    pub fn places(&self, names: &[u32]) -> Vec<u32> {
        let place = |name: &u32| self.numbers.binary_search(name).unwrap_or(0) as u32;
        names.iter().map(place).collect()
    }

    /// What makes regions safe.
    pub fn judge(&self) -> &Judge<'a> {
        &self.judge
    }

    /// Whether there are rows enough for two regions.
    fn divisible(&self) -> bool {
        let rows: u64 = self.counts.iter().map(|&rows| u64::from(rows)).sum();
        rows >= self.judge.least().saturating_mul(2)
    }

    /// All points as the only region.
    fn one_region(&self) -> (Vec<Share>, u32) {
        let shares = self.numbers.iter().zip(&self.counts);
        (shares.map(|(&point, &rows)| Share { point, region: 0, rows }).collect(), 1)
    }

    /// Adds a point to a set of rows.
    pub fn add(&self, tally: &mut Tally, point: u32) {
        self.judge.add(tally, self.number(point));
    }

    /// Whether some points are safe together; `tally` is empty and stays so.
    pub fn safe(&self, members: impl Iterator<Item = u32> + Clone, tally: &mut Tally) -> bool {
        let rows: u64 = members.clone().map(|point| self.rows(point)).sum();
        if rows < self.judge.least() || self.judge.counts_only() {
            return rows >= self.judge.least();
        }
        let (safe, added) = self.judge.fill(tally, members.clone().map(|point| self.number(point)));
        members.take(added).for_each(|point| self.judge.remove(tally, self.number(point)));
        safe
    }
}

/// Forms regions of parts of at most `most` points, in parallel; none when stopped. `form` numbers
/// the regions of a part from 0 and says how many there are.
pub fn by_parts(
    field: &Field<'_>,
    points: &[u32],
    most: usize,
    spread: Spread<'_>,
    form: impl Fn(&Points<'_>) -> Option<(Vec<Share>, u32)> + Sync,
) -> Result<Option<Vec<Share>>> {
    by_reporting_parts(field, points, most, spread, |part, _| form(part))
}

/// Forms regions of parts of at most `most` points, in parallel; none when stopped. `form` numbers
/// the regions of a part from 0 and says how many there are; it reports the share of its work that
/// is done.
pub fn by_reporting_parts(
    field: &Field<'_>,
    points: &[u32],
    most: usize,
    spread: Spread<'_>,
    form: impl Fn(&Points<'_>, &dyn Fn(f64)) -> Option<(Vec<Share>, u32)> + Sync,
) -> Result<Option<Vec<Share>>> {
    let formed = each_part(field, points, most, spread, |part, progress| match part.divisible() {
        true => form(part, progress),
        false => Some(part.one_region()),
    });
    let Some(formed) = formed else { return Ok(None) };
    let mut first = 0;
    let mut shares = Vec::with_capacity(points.len());
    for (part, regions) in formed {
        shares.extend(part.into_iter().map(|share| Share { region: share.region + first, ..share }));
        first += regions;
    }
    Ok(Some(shares))
}

/// Forms regions of small sets of points, each by itself, in parallel; none when stopped.
fn each_set(
    field: &Field<'_>,
    sets: &[Vec<u32>],
    form: impl Fn(&Points<'_>) -> Option<(Vec<Share>, u32)> + Sync,
) -> Option<Vec<Vec<Share>>> {
    let formed = |set: &Vec<u32>| {
        let points = Points::new(field, set);
        let formed = if points.divisible() { form(&points)? } else { points.one_region() };
        Some(formed.0)
    };
    sets.par_iter().map(formed).collect()
}

/// The same for sets of any size: those of more than `most` points are left to `run`, one by one.
pub fn each_set_or(
    field: &Field<'_>,
    sets: &[Vec<u32>],
    (most, run): (usize, impl Fn(&[u32]) -> Result<Option<Vec<Share>>>),
    form: impl Fn(&Points<'_>) -> Option<(Vec<Share>, u32)> + Sync,
) -> Result<Option<Vec<Vec<Share>>>> {
    let small: Vec<Vec<u32>> = sets.iter().filter(|set| set.len() <= most).cloned().collect();
    let Some(small) = each_set(field, &small, form) else { return Ok(None) };
    let mut small = small.into_iter();
    let mut formed = Vec::with_capacity(sets.len());
    for set in sets {
        let shares = if set.len() <= most { small.next() } else { run(set)? };
        let Some(shares) = shares else { return Ok(None) };
        formed.push(shares);
    }
    Ok(Some(formed))
}

/// What is found in each part of at most `most` points, in the order of the parts; none when
/// stopped.
pub fn each_part<T: Send>(
    field: &Field<'_>,
    points: &[u32],
    most: usize,
    spread: Spread<'_>,
    find: impl Fn(&Points<'_>, &dyn Fn(f64)) -> Option<T> + Sync,
) -> Option<Vec<T>> {
    if points.is_empty() {
        return Some(Vec::new());
    }
    let parts = parts(field, points, most, spread)?;
    // Thousandths of points.
    let done = AtomicU64::new(0);
    one_each(&parts, |part| {
        let part = Points::new(field, part);
        let own = AtomicU64::new(0);
        let progress = |share: f64| {
            let reached = (share.clamp(0.0, 1.0) * 1000.0 * part.len() as f64) as u64;
            let more = reached.saturating_sub(own.fetch_max(reached, Ordering::Relaxed));
            let all = done.fetch_add(more, Ordering::Relaxed) + more;
            field.report(all as f64 / 1000.0 / points.len() as f64);
        };
        let found = find(&part, &progress)?;
        progress(1.0);
        Some(found)
    })
}

/// Works at parts, each core at one at a time; none when any was stopped.
///
/// Work at a part may be parallel itself. A core that waits for others there helps them, but begins
/// no other part meanwhile: it would be held up by that one, and all that remains of the first with
/// it.
fn one_each<T: Send>(parts: &[Vec<u32>], work: impl Fn(&[u32]) -> Option<T> + Sync) -> Option<Vec<T>> {
    let next = AtomicUsize::new(0);
    let worked = Mutex::new(Vec::with_capacity(parts.len()));
    rayon::broadcast(|_| {
        while let Some((at, part)) = parts.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(formed) = work(part) else { break };
            if let Ok(mut worked) = worked.lock() {
                worked.push((at, formed));
            }
        }
    });
    let mut worked = worked.into_inner().ok().filter(|worked| worked.len() == parts.len())?;
    worked.sort_unstable_by_key(|(at, _)| *at);
    Some(worked.into_iter().map(|(_, formed)| formed).collect())
}

/// Cuts points into parts of at most `most`, each safe; larger where a cut would leave a side that
/// is not. None when stopped.
fn parts(field: &Field<'_>, points: &[u32], most: usize, spread: Spread<'_>) -> Option<Vec<Vec<u32>>> {
    let all = Points::new(field, points);
    let mut parts = Vec::new();
    cut_parts(field, &all, (0..all.len() as u32).collect(), (most, spread), &mut parts)?;
    Some(parts)
}

/// The parts of a part in order, the two sides of a cut at the same time.
fn cut_parts(
    field: &Field<'_>,
    all: &Points<'_>,
    part: Vec<u32>,
    (most, spread): (usize, Spread<'_>),
    done: &mut Vec<Vec<u32>>,
) -> Option<()> {
    if field.watch.should_finish() {
        return None;
    }
    let mut tally = field.judge.tally();
    let sides = if part.len() > most { halves(all, part.clone(), spread, &mut tally) } else { None };
    let Some((left, right)) = sides else {
        done.push(part.iter().map(|&point| all.number(point)).collect());
        return Some(());
    };
    let mut after = Vec::new();
    let (first, second) = rayon::join(
        || cut_parts(field, all, left, (most, spread), done),
        || cut_parts(field, all, right, (most, spread), &mut after),
    );
    first.and(second)?;
    done.append(&mut after);
    Some(())
}

/// Two safe sides of a part, cut where it separates least.
fn halves(
    all: &Points<'_>,
    mut part: Vec<u32>,
    spread: Spread<'_>,
    tally: &mut Tally,
) -> Option<(Vec<u32>, Vec<u32>)> {
    let points = (all.width, all.all_ranks());
    let mut cuts: Vec<(bool, u64, usize, usize)> = (0..all.width)
        .filter_map(|column| {
            let (central, apart, place) = cut_in(column, &mut part, points, spread)?;
            Some((central, apart, column, place))
        })
        .collect();
    // The farthest apart first, then the first column.
    cuts.sort_by_key(|&(central, apart, column, _)| (std::cmp::Reverse((central, apart)), column));
    let mut safe = |left: &[u32], right: &[u32]| {
        all.safe(left.iter().copied(), tally) && all.safe(right.iter().copied(), tally)
    };
    let cut = cuts.into_iter().find_map(|(_, _, column, place)| {
        let _ = cut_in(column, &mut part, points, spread);
        let (left, right) = part.split_at(place);
        safe(left, right).then(|| (left.to_vec(), right.to_vec()))
    });
    if cut.is_some() || all.judge.counts_only() {
        return cut;
    }
    let (left, right) = alternate(all, part);
    safe(&left, &right).then_some((left, right))
}

/// Every other point of a part, in order of the sensitive values and then of the ranks.
fn alternate(all: &Points<'_>, mut part: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
    part.sort_by_cached_key(|&point| (all.judge.commonest(all.number(point)), all.ranks(point).to_vec()));
    let side = |first: usize| {
        let mut side: Vec<u32> = part.iter().copied().skip(first).step_by(2).collect();
        side.sort_unstable();
        side
    };
    (side(0), side(1))
}

#[cfg(test)]
mod tests {
    use super::super::region::Judge;
    use super::super::tests::{Majority, field, valued};
    use super::*;
    use crate::model::ClassModel;
    use crate::policy::Search;

    /// The lower half of the numbers has one value, the upper half the other: no cut leaves two
    /// safe sides, and yet parts are small.
    #[test]
    fn where_no_cut_is_safe_every_other_point_is_taken() {
        let values: Vec<&[u32]> = (0..64).map(|at| if at < 32 { &[0][..] } else { &[1][..] }).collect();
        let made = valued(&values);
        let (search, majority) = (Search::default(), Majority::new(0.6));
        let models: Vec<&dyn ClassModel> = vec![&majority];
        let field = field(&made, &search, Judge::new(&made.classes, 2, models));
        let all: Vec<u32> = (0..64).collect();
        let parts = parts(&field, &all, 10, &|_, a, b| u64::from(a.abs_diff(b))).unwrap();
        assert!(parts.iter().all(|part| part.len() <= 10), "{parts:?}");
        let mut tally = field.judge.tally();
        for part in &parts {
            tally.clear();
            part.iter().for_each(|&point| field.judge.add(&mut tally, point));
            assert!(field.judge.safe(&tally), "{part:?}");
        }
        let mut together = parts.concat();
        together.sort_unstable();
        assert_eq!(together, all);
    }
}
