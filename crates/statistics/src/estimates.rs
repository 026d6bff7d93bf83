//! Point estimates from cells. They are not bounds: each rests on an assumption, which it names.
//!
//! `uniform` assumes that values are spread evenly within every cell [Bertrand 2000; Billard 2007].
//! `em` fits the distribution that makes the cells most likely [Turnbull 1976]: rows are shared
//! among the pieces between neighbouring bounds in proportion to the present distribution, until
//! nothing changes [Dempster 1977]. Within a piece, values are spread evenly. Each step costs the
//! number of distinct cells and pieces. Ends without a bound are cut at the outermost finite bound.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::data::Intervals;

/// Pieces of the distribution at most: more bounds are thinned out.
const PIECES: usize = 512;
/// Steps at most, and the change of the distribution at which they end.
const STEPS: usize = 500;
const SETTLED: f64 = 1e-9;

/// An estimate; not a bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The variance, divided by the rows minus one.
    pub variance: f64,
    /// The median.
    pub median: f64,
    /// What is assumed.
    pub assumes: &'static str,
}

/// What the estimates assume.
pub const UNIFORM: &str = "values are spread evenly within every cell";
/// What the estimates by EM assume.
pub const EM: &str = "cells say nothing about values but that they lie inside; most likely distribution";

/// Estimates from the cells as they are: every value is spread evenly within its cell.
pub fn uniform(data: &Intervals) -> Option<Estimate> {
    let pieces = Pieces::new(data)?;
    let total: f64 = pieces.cells.iter().map(|cell| cell.weight).sum();
    let part = |cell: &Part| {
        let (low, high) = (pieces.start(cell.first), pieces.end(cell.last));
        (cell.weight / total, f64::midpoint(low, high), high - low)
    };
    let mean: f64 = pieces.cells.iter().map(part).map(|(share, middle, _)| share * middle).sum();
    let square =
        |(share, middle, width): (f64, f64, f64)| share * ((middle - mean).powi(2) + width * width / 12.0);
    let variance: f64 = pieces.cells.iter().map(part).map(square).sum();
    let shares = pieces.spread_evenly();
    Some(Estimate {
        mean,
        variance: variance * total / (total - 1.0).max(f64::MIN_POSITIVE),
        median: pieces.quantile(&shares, 0.5),
        assumes: UNIFORM,
    })
}

/// Estimates from the distribution that makes the cells most likely.
pub fn em(data: &Intervals) -> Option<Estimate> {
    let distribution = Distribution::new(data)?;
    let (pieces, shares) = (&distribution.pieces, &distribution.shares);
    let total: f64 = pieces.cells.iter().map(|cell| cell.weight).sum();
    let of = |piece: usize| (shares[piece], f64::midpoint(pieces.start(piece), pieces.end(piece)));
    let all = || (0..shares.len()).map(of);
    let mean: f64 = all().map(|(share, middle)| share * middle).sum();
    let width = |piece: usize| pieces.end(piece) - pieces.start(piece);
    let square = |(piece, (share, middle)): (usize, (f64, f64))| {
        share * ((middle - mean).powi(2) + width(piece).powi(2) / 12.0)
    };
    let variance: f64 = all().enumerate().map(square).sum();
    Some(Estimate {
        mean,
        variance: variance * total / (total - 1.0).max(f64::MIN_POSITIVE),
        median: pieces.quantile(shares, 0.5),
        assumes: EM,
    })
}

/// Equal cells: the pieces that they cover, first and last.
#[derive(Debug, Clone, Copy)]
struct Part {
    first: usize,
    last: usize,
    weight: f64,
}

/// The line cut at bounds of cells: points at which exact cells lie, and the ranges in between.
#[derive(Debug, Clone)]
struct Pieces {
    /// Cuts, in order. Piece 2i is the point at cut i, piece 2i + 1 the range to the next one.
    cuts: Vec<f64>,
    cells: Vec<Part>,
    /// Whether an exact cell lies at a cut.
    points: Vec<bool>,
}

impl Pieces {
    fn new(data: &Intervals) -> Option<Self> {
        let mut cuts: Vec<f64> =
            data.low().iter().chain(data.high()).copied().filter(|x| x.is_finite()).collect();
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.dedup();
        if cuts.len() > PIECES {
            let every = |i: usize| cuts[i * (cuts.len() - 1) / (PIECES - 1)];
            cuts = (0..PIECES).map(every).collect();
        }
        if cuts.is_empty() {
            return None;
        }
        let mut pieces = Pieces { points: vec![false; cuts.len()], cuts, cells: Vec::new() };
        let mut places: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for at in 0..data.len() {
            let (first, last) = pieces.covered(data.low()[at], data.high()[at]);
            if first == last && first % 2 == 0 {
                pieces.points[first / 2] = true;
            }
            let place = *places.entry((first, last)).or_insert(pieces.cells.len());
            match pieces.cells.get_mut(place) {
                Some(cell) => cell.weight += data.weight(at),
                None => pieces.cells.push(Part { first, last, weight: data.weight(at) }),
            }
        }
        Some(pieces)
    }

    /// The pieces that a cell covers, its ends included: whole ones, where cuts were thinned out.
    fn covered(&self, low: f64, high: f64) -> (usize, usize) {
        let last = self.cuts.len() - 1;
        // The cuts at or below the lower bound, and at or above the upper one.
        let below = self.cuts.partition_point(|&cut| cut <= low).saturating_sub(1);
        let above = self.cuts.partition_point(|&cut| cut < high).min(last);
        let first = if self.cuts[below] < low { 2 * below + 1 } else { 2 * below };
        let end = if self.cuts[above] > high { (2 * above).saturating_sub(1) } else { 2 * above };
        (first.min(end), end.max(first))
    }

    fn start(&self, piece: usize) -> f64 {
        self.cuts[piece / 2]
    }

    fn end(&self, piece: usize) -> f64 {
        self.cuts[piece.div_ceil(2).min(self.cuts.len() - 1)]
    }

    fn count(&self) -> usize {
        2 * self.cuts.len() - 1
    }

    /// Shares of pieces if every cell is spread evenly over its width, or is a point.
    fn spread_evenly(&self) -> Vec<f64> {
        let total: f64 = self.cells.iter().map(|cell| cell.weight).sum();
        let mut shares = vec![0.0; self.count()];
        for cell in &self.cells {
            let width = self.end(cell.last) - self.start(cell.first);
            let part = |piece: usize| match width > 0.0 {
                true => (self.end(piece) - self.start(piece)) / width,
                false => 1.0,
            };
            (cell.first..=cell.last).for_each(|piece| shares[piece] += part(piece) * cell.weight / total);
        }
        shares
    }

    /// Where the shares reach a sum, evenly spread within a piece.
    fn quantile(&self, shares: &[f64], of: f64) -> f64 {
        let mut sum = 0.0;
        for (piece, &share) in shares.iter().enumerate() {
            if sum + share >= of && share > 0.0 {
                let part = ((of - sum) / share).clamp(0.0, 1.0);
                return self.start(piece) + part * (self.end(piece) - self.start(piece));
            }
            sum += share;
        }
        self.end(shares.len() - 1)
    }
}

/// The distribution that makes the cells most likely.
#[derive(Debug, Clone)]
pub struct Distribution {
    pieces: Pieces,
    shares: Vec<f64>,
}

impl Distribution {
    /// Fits it; none if no cell has a bound.
    pub fn new(data: &Intervals) -> Option<Self> {
        let pieces = Pieces::new(data)?;
        let mut shares = pieces.spread_evenly();
        // An exact value can recur: its point takes part wherever cells cover it.
        for (cut, _) in pieces.points.iter().enumerate().filter(|(_, point)| **point) {
            shares[2 * cut] = shares[2 * cut].max(1e-6);
        }
        let total: f64 = pieces.cells.iter().map(|cell| cell.weight).sum();
        for _ in 0..STEPS {
            let next = step(&pieces, &shares, total);
            let change: f64 = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).sum();
            shares = next;
            if change < SETTLED {
                break;
            }
        }
        Some(Distribution { pieces, shares })
    }

    /// The logarithm of the likelihood, per row.
    pub fn log_likelihood(&self) -> f64 {
        let total: f64 = self.pieces.cells.iter().map(|cell| cell.weight).sum();
        let term = |cell: &Part| {
            let inside: f64 = self.shares[cell.first..=cell.last].iter().sum();
            cell.weight / total * inside.max(f64::MIN_POSITIVE).ln()
        };
        self.pieces.cells.iter().map(term).sum()
    }

    /// The sums of the shares up to every piece, for [`draw`](Self::draw).
    pub(crate) fn sums(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let upto = |share: &f64| {
            sum += share;
            sum
        };
        self.shares.iter().map(upto).collect()
    }

    /// The bounds of a cell, an end without a bound cut at the outermost one; none where nothing is
    /// left.
    pub(crate) fn cut(&self, low: f64, high: f64) -> Option<(f64, f64)> {
        let (first, last) = (self.pieces.cuts.first()?, self.pieces.cuts.last()?);
        let low = if low.is_finite() { low } else { first.min(high) };
        let high = if high.is_finite() { high } else { last.max(low) };
        (low < high).then_some((low, high))
    }

    /// A value from the part of the distribution that lies in a cell, for a number from 0 to 1.
    pub(crate) fn draw(&self, sums: &[f64], low: f64, high: f64, at: f64) -> f64 {
        let (first, last) = self.pieces.covered(low, high);
        let before = if first == 0 { 0.0 } else { sums[first - 1] };
        let inside = sums[last] - before;
        let clamp = |x: f64| x.max(low).min(high);
        if inside <= 0.0 {
            let (from, to) = (clamp(self.pieces.start(first)), clamp(self.pieces.end(last)));
            return from + at * (to - from);
        }
        let target = before + at * inside;
        let piece = sums[first..=last].partition_point(|&sum| sum < target) + first;
        let piece = piece.min(last);
        let share = self.shares[piece].max(f64::MIN_POSITIVE);
        let under = if piece == 0 { 0.0 } else { sums[piece - 1] };
        let part = ((target - under) / share).clamp(0.0, 1.0);
        let (start, end) = (self.pieces.start(piece), self.pieces.end(piece));
        clamp(start + part * (end - start))
    }
}

/// A step of EM: every cell is shared among its pieces in proportion to the present shares.
fn step(pieces: &Pieces, shares: &[f64], total: f64) -> Vec<f64> {
    let mut sums = vec![0.0; shares.len() + 1];
    for (at, share) in shares.iter().enumerate() {
        sums[at + 1] = sums[at] + share;
    }
    // What every piece's share is multiplied by: the sum over the cells that cover it.
    let mut factor = vec![0.0; shares.len() + 1];
    for cell in &pieces.cells {
        let inside = sums[cell.last + 1] - sums[cell.first];
        if inside > 0.0 {
            factor[cell.first] += cell.weight / inside;
            factor[cell.last + 1] -= cell.weight / inside;
        }
    }
    let mut running = 0.0;
    let next = shares.iter().zip(&factor).map(|(share, change)| {
        running += change;
        (share * running / total).max(0.0)
    });
    let next: Vec<f64> = next.collect();
    let sum: f64 = next.iter().sum();
    if sum > 0.0 { next.into_iter().map(|share| share / sum).collect() } else { shares.to_vec() }
}

/// Tables in which every cell is one number within its bounds [Rubin 1987].
#[derive(Debug, Clone)]
pub struct Imputations {
    /// One list of values per imputation, in the order of the cells.
    pub values: Vec<Vec<f64>>,
    /// Whether a cell was imputed; exact cells stay as they are.
    pub imputed: Vec<bool>,
}

/// An estimate pooled over imputations: not a bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pooled {
    /// The mean of the estimates.
    pub estimate: f64,
    /// Its standard error: within and between imputations.
    pub standard_error: f64,
    /// The standard deviation between imputations alone.
    pub spread: f64,
    /// The number of imputations.
    pub imputations: usize,
    /// What is assumed.
    pub assumes: &'static str,
}

/// Fills every cell with values that fit it, drawn from the most likely distribution. Of a set, one
/// of its ends is drawn, because values between them need not be possible.
pub fn impute(data: &Intervals, imputations: usize, seed: u64) -> Option<Imputations> {
    let distribution = Distribution::new(data)?;
    let sums = distribution.sums();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let gaps: rustc_hash::FxHashSet<u32> = data.gaps().iter().copied().collect();
    let mut once = || -> Vec<f64> {
        let value = |at: usize| {
            let (low, high) = (data.low()[at], data.high()[at]);
            if low == high {
                return low;
            }
            let x: f64 = random.random();
            match gaps.contains(&(at as u32)) {
                true => {
                    if x < 0.5 {
                        low
                    } else {
                        high
                    }
                }
                false => distribution.draw(&sums, low, high, x),
            }
        };
        (0..data.len()).map(value).collect()
    };
    let values = (0..imputations).map(|_| once()).collect();
    Some(Imputations {
        values,
        imputed: (0..data.len()).map(|at| data.low()[at] < data.high()[at]).collect(),
    })
}

impl Imputations {
    /// The mean, pooled by Rubin's rules: the variance within imputations, and that between them
    /// times 1 + 1/m.
    pub fn mean(&self) -> Option<Pooled> {
        let n = self.imputed.len() as f64;
        if n < 2.0 {
            return None;
        }
        let of = |values: &Vec<f64>| {
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
            (mean, squares / (n - 1.0) / n)
        };
        let all: Vec<(f64, f64)> = self.values.iter().map(of).collect();
        pooled(&all)
    }
}

/// Estimates of several imputations, each with its variance, pooled by Rubin's rules: the variance
/// within imputations, and that between them times 1 + 1/m. None of fewer than two.
pub(crate) fn pooled(all: &[(f64, f64)]) -> Option<Pooled> {
    let m = all.len() as f64;
    if all.len() < 2 {
        return None;
    }
    let estimate = all.iter().map(|x| x.0).sum::<f64>() / m;
    let within = all.iter().map(|x| x.1).sum::<f64>() / m;
    let between = all.iter().map(|x| (x.0 - estimate).powi(2)).sum::<f64>() / (m - 1.0);
    Some(Pooled {
        estimate,
        standard_error: (within + (1.0 + 1.0 / m) * between).sqrt(),
        spread: between.sqrt(),
        imputations: all.len(),
        assumes: EM,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cells() -> impl Strategy<Value = Vec<(f64, f64)>> {
        let cell = (0i32..30, prop_oneof![Just(0), 0i32..15]);
        prop::collection::vec(cell.prop_map(|(low, width)| (f64::from(low), f64::from(low + width))), 2..40)
    }

    /// A step of EM by its definition, cell by cell and piece by piece.
    fn step_by_definition(pieces: &Pieces, shares: &[f64]) -> Vec<f64> {
        let total: f64 = pieces.cells.iter().map(|cell| cell.weight).sum();
        let mut next = vec![0.0; shares.len()];
        for cell in &pieces.cells {
            let inside: f64 = shares[cell.first..=cell.last].iter().sum();
            for piece in cell.first..=cell.last {
                next[piece] += cell.weight / total * shares[piece] / inside;
            }
        }
        next
    }

    proptest! {
        #[test]
        fn a_step_is_that_of_the_definition(cells in cells()) {
            let pieces = Pieces::new(&Intervals::new(&cells).unwrap()).unwrap();
            let shares = pieces.spread_evenly();
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let found = step(&pieces, &shares, pieces.cells.iter().map(|cell| cell.weight).sum());
            for (a, b) in found.iter().zip(&step_by_definition(&pieces, &shares)) {
                prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
        }

        /// EM never makes the cells less likely, and its estimates lie within the bounds.
        #[test]
        fn estimates_lie_within_bounds(cells in cells()) {
            let data = Intervals::new(&cells).unwrap();
            let even = Distribution { shares: Pieces::new(&data).unwrap().spread_evenly(), pieces: Pieces::new(&data).unwrap() };
            let fitted = Distribution::new(&data).unwrap();
            prop_assert!(fitted.log_likelihood() >= even.log_likelihood() - 1e-4);
            for estimate in [uniform(&data).unwrap(), em(&data).unwrap()] {
                let mean = crate::mean(&data);
                prop_assert!(mean.low - 1e-6 <= estimate.mean && estimate.mean <= mean.high + 1e-6, "{estimate:?} {mean:?}");
                prop_assert!(estimate.variance >= 0.0);
            }
        }

        #[test]
        fn imputed_values_fit_their_cells(cells in cells(), seed in 0u64..100) {
            let data = Intervals::new(&cells).unwrap();
            let found = impute(&data, 3, seed).unwrap();
            for values in &found.values {
                for (x, (low, high)) in values.iter().zip(&cells) {
                    prop_assert!(low <= x && x <= high);
                }
            }
            let pooled = found.mean().unwrap();
            let mean = crate::mean(&data);
            prop_assert!(mean.low - 1e-9 <= pooled.estimate && pooled.estimate <= mean.high + 1e-9);
            prop_assert!(pooled.standard_error >= pooled.spread);
            prop_assert_eq!(impute(&data, 3, seed).unwrap().values, found.values, "the same seed");
        }
    }

    #[test]
    fn exact_cells_are_estimated_as_they_are() {
        let data = Intervals::points(&[1.0, 2.0, 3.0, 6.0]).unwrap();
        for estimate in [uniform(&data).unwrap(), em(&data).unwrap()] {
            assert!((estimate.mean - 3.0).abs() < 1e-9, "{estimate:?}");
            assert!((estimate.variance - 14.0 / 3.0).abs() < 1e-6, "{estimate:?}");
        }
        assert_eq!(impute(&data, 2, 1).unwrap().mean().unwrap().spread, 0.0);
        let open = Intervals::new(&[(f64::NEG_INFINITY, f64::INFINITY)]).unwrap();
        assert!(em(&open).is_none() && uniform(&open).is_none() && impute(&open, 2, 1).is_none());
    }

    /// [Turnbull 1976]: rows are drawn to where cells overlap.
    #[test]
    fn overlaps_draw_rows() {
        let data = Intervals::new(&[(0.0, 10.0), (8.0, 20.0), (8.0, 10.0)]).unwrap();
        let found = em(&data).unwrap();
        assert!((found.mean - 9.0).abs() < 1e-3, "{found:?}");
        assert!((uniform(&data).unwrap().mean - 28.0 / 3.0).abs() < 1e-9);
    }
}
