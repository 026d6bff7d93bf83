//! Cuts one column of a region: assigns its points to bins, and combines bins into parts.
//!
//! Numbers, and values in a stated order: one bin each, in order. A missing value is not a number,
//! so if there are any, the first cut tried separates them from the numbers. Otherwise, or if they
//! are too few to stand alone, the cut that makes the sides most equal is tried, with missing
//! values last. Without models, no other cut is tried; with models, the others are.
//!
//! Hierarchy: the least value above the region has child values; each child that occurs is a bin.
//! Safe bins become one part each, and the others are pooled; an unsafe pool absorbs the smallest
//! safe parts until it is safe. Values without a hierarchy that are written as sets are cut in two
//! by frequency where no value can stand alone: as numbers are, in the order of their ranks.
//!
//! Costs one look-up per point and, if models judge, a tally of the points of every bin.

use rayon::prelude::*;

use super::Cutter;
use super::points::{Rank, Region, Scratch};
use crate::policy::{Cut, Form};
use crate::recode::region::Tally;
use crate::space::Axis;
use crate::table::Code;

/// An axis with what it takes to find bins.
pub(super) struct Scale<'a> {
    pub(super) axis: &'a Axis,
    /// Level → rank → how many values of the level come before its own; empty where leaves are
    /// in a total order.
    before: Vec<Vec<u32>>,
}

impl<'a> Scale<'a> {
    pub(super) fn new(axis: &'a Axis) -> Self {
        let count = |level: usize| {
            let mut before = 0;
            let number = |rank: Code| {
                before += u32::from(rank > 0 && axis.branch(rank, level).0 == rank);
                before
            };
            (0..axis.len() as Code).map(number).collect()
        };
        let levels = if axis.ordered() { 0 } else { axis.height() };
        Scale { axis, before: (0..levels).map(count).collect() }
    }

    /// Rank → bin of all values that a region with two or more has, the lowest bin being any
    /// number.
    fn bins(&self, low: Code, high: Code) -> Option<&[u32]> {
        // At the least level where all are one, they are several just below.
        let below = self.axis.level(low, high).saturating_sub(1);
        if self.axis.ordered() { None } else { self.before.get(below).map(Vec::as_slice) }
    }
}

/// A column of a region and its range.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) at: usize,
    pub(super) low: Code,
    pub(super) high: Code,
}

/// More bins than this many per point are numbered anew.
const SPARSE: usize = 4;

impl Cutter<'_> {
    /// Puts the points of a region into bins of a column, in order of rank.
    pub(super) fn bin<T: Rank>(&self, region: &Region<'_, T>, column: Column, scratch: &mut Scratch<T>) {
        let Column { at, low, high } = column;
        let Scratch { bins, bin_rows, present, .. } = scratch;
        let table = self.scales[at].bins(low, high);
        let number = |rank: Code| table.map_or(rank, |table| table[rank as usize]);
        let (first, width) = (number(low), region.width);
        let bin = |row: &[T]| number(row[at].into()) - first;
        bins.clear();
        if region.ids.len() > self.large {
            region.ranks.par_chunks_exact(width).map(bin).collect_into_vec(bins);
        } else {
            bins.extend(region.ranks.chunks_exact(width).map(bin));
        }
        let mut count = (number(high) - first) as usize + 1;
        if count > SPARSE * bins.len() + 64 {
            present.clear();
            present.extend_from_slice(bins);
            present.sort_unstable();
            present.dedup();
            let place = |bin: &u32| present.binary_search(bin).unwrap_or(0) as u32;
            bins.iter_mut().for_each(|bin| *bin = place(bin));
            count = present.len();
        }
        bin_rows.clear();
        bin_rows.resize(count, 0);
        for (&bin, &rows) in bins.iter().zip(region.rows) {
            bin_rows[bin as usize] += u64::from(rows);
        }
    }

    /// Puts bins into parts; whether there is an allowed cut.
    pub(super) fn cut<T: Rank>(
        &self,
        region: &Region<'_, T>,
        column: Column,
        scratch: &mut Scratch<T>,
    ) -> bool {
        scratch.parted = None;
        let axis = self.scales[column.at].axis;
        if !axis.ordered() {
            let flat = axis.form() == Form::Set && axis.height() <= 1;
            return self.cut_values(region, scratch) || flat && self.cut_numbers(region, scratch);
        }
        let apart = scratch.bin_rows.len() - 1;
        if axis.missing() == Some(column.high) && self.sides_safe(region, apart, scratch) {
            return in_two(scratch, apart);
        }
        match self.options.cut {
            Cut::Strict => self.cut_numbers(region, scratch),
            Cut::Relaxed => in_halves(scratch),
        }
    }

    /// The allowed cut in two that leaves sides most alike.
    fn cut_numbers<T: Rank>(&self, region: &Region<'_, T>, scratch: &mut Scratch<T>) -> bool {
        let Some(best) = most_alike(&scratch.bin_rows, |_| true) else { return false };
        if self.sides_safe(region, best, scratch) {
            return in_two(scratch, best);
        }
        if self.field.judge.counts_only() {
            return false;
        }
        let safe = self.safe_cuts(region, scratch);
        most_alike(&scratch.bin_rows, |first| safe[first]).is_some_and(|first| in_two(scratch, first))
    }

    /// Whether the bins before one are safe together, and the others.
    fn sides_safe<T: Rank>(&self, region: &Region<'_, T>, first: usize, scratch: &Scratch<T>) -> bool {
        let judge = &self.field.judge;
        let low: u64 = scratch.bin_rows[..first].iter().sum();
        let high: u64 = scratch.bin_rows[first..].iter().sum();
        if low.min(high) < judge.least() || judge.counts_only() {
            return low.min(high) >= judge.least();
        }
        if !judge.settles() {
            let mut sides = [judge.tally(), judge.tally()];
            for (&point, &bin) in region.ids.iter().zip(&scratch.bins) {
                judge.add(&mut sides[usize::from(bin as usize >= first)], point);
            }
            return sides.iter().all(|side| judge.safe(side));
        }
        let side = |second: bool| {
            let points = region.ids.iter().zip(&scratch.bins);
            let points = points.filter(move |(_, bin)| (**bin as usize >= first) == second);
            judge.fill(&mut judge.tally(), points.map(|(&point, _)| point)).0
        };
        side(false) && side(true)
    }

    /// First bin of the second side → whether models find both sides safe.
    fn safe_cuts<T: Rank>(&self, region: &Region<'_, T>, scratch: &Scratch<T>) -> Vec<bool> {
        let judge = &self.field.judge;
        let points = ByBin::new(region, scratch);
        let mut side = judge.tally();
        let mut safe = vec![false; scratch.bin_rows.len()];
        for (bin, safe) in safe.iter_mut().enumerate() {
            *safe = judge.safe(&side);
            if !(*safe && judge.settles()) {
                points.of(bin).for_each(|point| judge.add(&mut side, point));
            }
        }
        side.clear();
        for (bin, safe) in safe.iter_mut().enumerate().rev() {
            *safe = judge.fill(&mut side, points.of(bin)).0 && *safe;
        }
        safe
    }

    /// A part for every value that is safe, and one for the others with as many of those as it
    /// needs.
    fn cut_values<T: Rank>(&self, region: &Region<'_, T>, scratch: &mut Scratch<T>) -> bool {
        let judge = &self.field.judge;
        let points = (!judge.counts_only()).then(|| ByBin::new(region, scratch));
        let mut tally = judge.tally();
        let mut safe = |bin: usize, rows: u64| {
            let Some(points) = points.as_ref().filter(|_| rows >= judge.least()) else {
                return rows >= judge.least();
            };
            tally.clear();
            judge.fill(&mut tally, points.of(bin)).0
        };
        let Scratch { bin_rows, part_of, present, .. } = scratch;
        // 1 for a bin that stands alone.
        part_of.clear();
        part_of.extend(bin_rows.iter().enumerate().map(|(bin, &rows)| u32::from(safe(bin, rows))));
        present.clear();
        present.extend((0..bin_rows.len() as u32).filter(|&bin| part_of[bin as usize] == 1));
        // The smallest last, of equals the first.
        present.sort_unstable_by_key(|&bin| std::cmp::Reverse((bin_rows[bin as usize], bin)));
        let pooled = || bin_rows.iter().enumerate().filter(|&(bin, &rows)| rows > 0 && part_of[bin] == 0);
        let mut pool: u64 = pooled().map(|(_, &rows)| rows).sum();
        if pool > 0 {
            let mut pool_tally = judge.tally();
            if let Some(points) = &points {
                let all = pooled().flat_map(|(bin, _)| points.of(bin));
                all.for_each(|point| judge.add(&mut pool_tally, point));
            }
            let holds = |rows: u64, tally: &Tally| match points {
                None => rows >= judge.least(),
                Some(_) => judge.safe(tally),
            };
            while !holds(pool, &pool_tally) {
                let Some(bin) = present.pop() else { return false };
                part_of[bin as usize] = 0;
                pool += bin_rows[bin as usize];
                let taken = points.as_ref().map(|points| points.of(bin as usize));
                taken.into_iter().flatten().for_each(|point| judge.add(&mut pool_tally, point));
            }
        }
        number_parts(scratch, pool)
    }
}

/// Numbers the parts of bins that stand alone in order, and gives the last number to all others.
fn number_parts<T>(scratch: &mut Scratch<T>, pool: u64) -> bool {
    let Scratch { bin_rows, part_of, rows, .. } = scratch;
    rows.clear();
    let alone = part_of.iter().filter(|&&part| part == 1).count() as u32;
    for (part, &bin_rows) in part_of.iter_mut().zip(&*bin_rows) {
        if *part == 1 {
            *part = rows.len() as u32;
            rows.push(bin_rows);
        } else {
            *part = alone;
        }
    }
    if pool > 0 {
        rows.push(pool);
    }
    rows.len() > 1
}

/// The points of a region bin by bin.
struct ByBin<'a> {
    ids: &'a [u32],
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl<'a> ByBin<'a> {
    fn new<T: Rank>(region: &Region<'a, T>, scratch: &Scratch<T>) -> Self {
        let mut starts = vec![0; scratch.bin_rows.len() + 1];
        scratch.bins.iter().for_each(|&bin| starts[bin as usize + 1] += 1);
        (1..starts.len()).for_each(|bin| starts[bin] += starts[bin - 1]);
        let mut next = starts.clone();
        let mut places = vec![0; scratch.bins.len()];
        for (place, &bin) in scratch.bins.iter().enumerate() {
            places[next[bin as usize] as usize] = place as u32;
            next[bin as usize] += 1;
        }
        ByBin { ids: region.ids, starts, places }
    }

    fn of(&self, bin: usize) -> impl Iterator<Item = u32> + '_ {
        let places = &self.places[self.starts[bin] as usize..self.starts[bin + 1] as usize];
        places.iter().map(|&place| self.ids[place as usize])
    }
}

/// Of the cuts in two that are allowed, the first of those that leave sides most alike, as the
/// first bin of the second side.
fn most_alike(rows: &[u64], allowed: impl Fn(usize) -> bool) -> Option<usize> {
    let all: u64 = rows.iter().sum();
    let mut before = 0;
    let mut best = None;
    for (bin, &rows) in rows.iter().enumerate() {
        let apart = all.abs_diff(2 * before);
        // An empty bin makes no other cut.
        if before > 0 && rows > 0 && best.is_none_or(|(least, _)| apart < least) && allowed(bin) {
            best = Some((apart, bin));
        }
        before += rows;
    }
    best.map(|(_, bin)| bin)
}

/// Cuts before a bin.
fn in_two<T>(scratch: &mut Scratch<T>, first: usize) -> bool {
    let Scratch { bin_rows, part_of, rows, .. } = scratch;
    part_of.clear();
    part_of.extend((0..bin_rows.len()).map(|bin| u32::from(bin >= first)));
    rows.clear();
    rows.extend([bin_rows[..first].iter().sum::<u64>(), bin_rows[first..].iter().sum()]);
    true
}

/// Cuts in the middle of the rows, which may be within a bin.
fn in_halves<T>(scratch: &mut Scratch<T>) -> bool {
    let all: u64 = scratch.bin_rows.iter().sum();
    let half = all / 2;
    let mut before = 0;
    let within = |&rows: &u64| {
        before += rows;
        before > half
    };
    let Some(bin) = scratch.bin_rows.iter().position(within) else { return false };
    in_two(scratch, bin);
    if scratch.rows[0] < half {
        scratch.parted = Some((bin as u32, half - scratch.rows[0]));
    }
    scratch.rows.clear();
    scratch.rows.extend([half, all - half]);
    true
}
