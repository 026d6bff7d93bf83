//! Order statistics: median, quantiles, interquartile range, exceedance, and the empirical
//! distribution as a p-box [Ferson 2003; Ferson 2007, 4.4, 4.8].
//!
//! A quantile grows with every value, so all lower and all upper bounds give sharp bounds. The
//! definition is the usual interpolation between order statistics [Hyndman 1996, type 7], where a
//! cell of weight w counts as w rows. The lower bound of the interquartile range is sharp: values
//! are moved as close to one point as they can be, and that point is one of four. Its upper bound
//! is sharp for single order statistics (Hall's condition: enough cells for both sides), and a sum
//! of such bounds otherwise. Costs two sorts; everything else is a search or one pass.

use rayon::prelude::*;
use serde::Serialize;

use crate::bounds::Bounds;
use crate::data::Intervals;
use crate::means::EMPTY;
use crate::rounding::{Enclosure, add_down, add_up};

const ORDER: &str = "order-statistics";

/// Bounds in order of size, and how many rows lie at or below each.
#[derive(Debug, Clone)]
struct Ends {
    values: Vec<f64>,
    /// Rows up to and including each value, rounded down and up; empty if every cell counts once.
    rows: Vec<(f64, f64)>,
}

impl Ends {
    fn new(values: &[f64], weights: Option<&[f64]>) -> Self {
        let Some(weights) = weights else {
            return Ends { values: sorted(values), rows: Vec::new() };
        };
        let mut pairs: Vec<(f64, f64)> = values.iter().copied().zip(weights.iter().copied()).collect();
        pairs.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut sum = (0.0, 0.0);
        let rows = pairs.iter().map(|&(_, weight)| {
            sum = (add_down(sum.0, weight), add_up(sum.1, weight));
            sum
        });
        let rows = rows.collect();
        Ends { values: pairs.into_iter().map(|(value, _)| value).collect(), rows }
    }

    /// The value of the row at a place, counted from 0; with weights, a lower or an upper bound of
    /// it.
    fn row(&self, place: f64, upper: bool) -> f64 {
        let last = self.values.len() - 1;
        let at = match self.rows.is_empty() {
            true => place.max(0.0) as usize,
            false => self.rows.partition_point(|&(down, up)| if upper { down <= place } else { up <= place }),
        };
        self.values[at.min(last)]
    }

    /// The number of rows whose value is at most x, or below it; rounded down and up.
    fn rows_to(&self, x: f64, inclusive: bool) -> Enclosure {
        let count = self.values.partition_point(|&value| if inclusive { value <= x } else { value < x });
        match (count, self.rows.get(count.wrapping_sub(1))) {
            (0, _) => Enclosure::ZERO,
            (_, Some(&(low, high))) => Enclosure { low, high },
            (_, None) => Enclosure::point(count as f64),
        }
    }
}

/// Floats in order of size: as integers, which sort faster.
fn sorted(values: &[f64]) -> Vec<f64> {
    // The order of `f64::total_cmp`: negative numbers have their other bits inverted.
    let key = |x: f64| {
        let bits = x.to_bits() as i64;
        bits ^ (((bits >> 63) as u64) >> 1) as i64
    };
    let mut keys: Vec<i64> = values.iter().map(|&x| key(x)).collect();
    keys.par_sort_unstable();
    let value = |key: i64| f64::from_bits((key ^ (((key >> 63) as u64) >> 1) as i64) as u64);
    keys.into_iter().map(value).collect()
}

/// Where a quantile lies among the rows: between a row and the next one.
#[derive(Debug, Clone, Copy)]
struct Position {
    row: f64,
    /// The part of the next row.
    share: f64,
}

/// The empirical distribution as a p-box: between the distribution of the upper bounds and that of
/// the lower bounds.
#[derive(Debug, Clone)]
pub struct PBox {
    low: Ends,
    high: Ends,
    total: Enclosure,
    /// Whether every cell counts once.
    unweighted: bool,
}

impl PBox {
    /// Of cells; none if there are none.
    pub fn new(data: &Intervals) -> Option<Self> {
        let ends = |values: &[f64]| Ends::new(values, data.weights());
        (!data.is_empty()).then(|| PBox {
            low: ends(data.low()),
            high: ends(data.high()),
            total: data.total_weight(),
            unweighted: data.weights().is_none(),
        })
    }

    /// The rows.
    pub(crate) fn rows(&self) -> Enclosure {
        self.total
    }

    /// The rows below x and those up to it, of the upper or of the lower bounds.
    pub(crate) fn rows_below(&self, x: f64, upper: bool) -> (Enclosure, Enclosure) {
        let ends = if upper { &self.high } else { &self.low };
        (ends.rows_to(x, false), ends.rows_to(x, true))
    }

    /// The share of rows up to x, or below it.
    pub(crate) fn shares(&self, x: f64, inclusive: bool) -> Enclosure {
        let (low, high) = (self.high.rows_to(x, inclusive).low, self.low.rows_to(x, inclusive).high);
        Enclosure { low, high } / self.total
    }

    /// The least and the greatest number that can occur.
    pub fn range(&self) -> (f64, f64) {
        (self.low.values[0], self.high.values[self.high.values.len() - 1])
    }

    /// The share of rows with a value of at most x.
    pub fn share_to(&self, x: f64) -> Bounds {
        let low = self.high.rows_to(x, true).low;
        let high = self.low.rows_to(x, true).high;
        self.share(low, high)
    }

    /// The share of rows with a value above x: the exceedance risk.
    pub fn exceedance(&self, x: f64) -> Bounds {
        let low = self.total - self.low.rows_to(x, true);
        let high = self.total - self.high.rows_to(x, true);
        self.share(low.low.max(0.0), high.high)
    }

    fn share(&self, low: f64, high: f64) -> Bounds {
        let at = Enclosure { low, high } / self.total;
        Bounds::sharp(Enclosure { low: at.low.max(0.0), high: at.high.min(1.0) }, "endpoints")
    }

    /// The quantile of a share between 0 and 1.
    pub fn quantile(&self, share: f64) -> Bounds {
        if !(0.0..=1.0).contains(&share) {
            return Bounds::none("a quantile is that of a share between 0 and 1");
        }
        let [from, to] = self.positions(share);
        let low = value(&self.low, from, false).low;
        let high = value(&self.high, to, true).high;
        Bounds::sharp(Enclosure { low, high }, ORDER)
    }

    /// The place of a quantile among the rows, rounded down and up.
    fn positions(&self, share: f64) -> [Position; 2] {
        let one = Enclosure::point(1.0);
        let place = (self.total - one) * Enclosure::point(share);
        [place.low, place.high].map(|place| {
            let place = place.max(0.0);
            Position { row: place.floor(), share: place - place.floor() }
        })
    }

    /// The median.
    pub fn median(&self) -> Bounds {
        self.quantile(0.5)
    }

    /// The interquartile range.
    pub fn interquartile(&self, data: &Intervals) -> Bounds {
        let (first, third) = (self.quantile(0.25), self.quantile(0.75));
        let wide = third.enclosed() - first.enclosed();
        let low = self.least_interquartile();
        match self.greatest_interquartile(data) {
            Some((high, exact)) => {
                let at = Enclosure { low, high: high.min(wide.high) };
                // A cell that is a set need not reach the point that all are moved to.
                Bounds::sharp(at, ORDER).exactly(exact && data.gaps().is_empty())
            }
            None => Bounds::enclosure(Enclosure { low, high: wide.high }, ORDER),
        }
    }

    /// The lower bound of the interquartile range. All values are moved to one point as far as they
    /// can be; then every order statistic is that point, or its bound that is nearest to it. The
    /// range is piecewise linear in the point, with kinks at the bounds of the four order
    /// statistics that take part.
    fn least_interquartile(&self) -> f64 {
        let ([_, first], [third, _]) = (self.positions(0.25), self.positions(0.75));
        let ends = |row: f64| (self.low.row(row, false), self.high.row(row, true));
        let rows = [first.row, first.row + 1.0, third.row, third.row + 1.0];
        let [a, b, c, d] = rows.map(ends);
        let at = |point: f64| {
            let moved = |(low, high): (f64, f64)| Enclosure::point(point.max(low).min(high));
            let of = |x: Enclosure, y: Enclosure, share: f64| {
                if share == 0.0 { x } else { x + Enclosure::point(share) * (y - x) }
            };
            of(moved(c), moved(d), third.share) - of(moved(a), moved(b), first.share)
        };
        let points = [a, b, c, d].into_iter().flat_map(|(low, high)| [low, high]);
        let least = points.filter(|x| x.is_finite()).map(|point| at(point).low).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least.max(0.0) } else { 0.0 }
    }

    /// The upper bound of the interquartile range and whether it is sharp; none with weights, where
    /// cells count differently and rows cannot be exchanged.
    fn greatest_interquartile(&self, data: &Intervals) -> Option<(f64, bool)> {
        if !self.unweighted {
            return None;
        }
        let ([_, first], [_, third]) = (self.positions(0.25), self.positions(0.75));
        let order = ByBounds::new(data);
        // Each quartile is a mixture of two rows. Their differences are paired so that what is left
        // of both mixtures is used up: at most three pairs.
        let mut high = Enclosure::ZERO;
        let mut left = [(first.row, 1.0 - first.share), (first.row + 1.0, first.share)];
        let mut right = [(third.row, 1.0 - third.share), (third.row + 1.0, third.share)];
        let (mut i, mut j, mut pairs) = (0, 0, 0);
        while i < 2 && j < 2 {
            let share = left[i].1.min(right[j].1);
            if share > 0.0 {
                let apart = order.apart(left[i].0 as usize, right[j].0 as usize);
                high = high + Enclosure::point(share) * Enclosure::point(apart);
                pairs += 1;
            }
            left[i].1 -= share;
            right[j].1 -= share;
            if left[i].1 <= 0.0 {
                i += 1;
            } else {
                j += 1;
            }
        }
        Some((high.high, pairs == 1))
    }

    /// The p-box at evenly spaced shares: what a plot shows and a program reads.
    pub fn outline(&self, steps: usize) -> Outline {
        let shares: Vec<f64> = (0..=steps).map(|step| step as f64 / steps.max(1) as f64).collect();
        let at = |&share: &f64| self.quantile(share);
        let bounds: Vec<Bounds> = shares.iter().map(at).collect();
        let finite = |x: f64| x.is_finite().then_some(x);
        Outline {
            low: bounds.iter().map(|b| finite(b.low)).collect(),
            high: bounds.iter().map(|b| finite(b.high)).collect(),
            shares,
        }
    }
}

/// A p-box at some shares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outline {
    /// Shares of rows, from 0 to 1.
    pub shares: Vec<f64>,
    /// The lower bound of the quantile of each; none where it is infinite.
    pub low: Vec<Option<f64>>,
    /// The upper bound.
    pub high: Vec<Option<f64>>,
}

/// A value between a row and the next one.
fn value(ends: &Ends, at: Position, upper: bool) -> Enclosure {
    let this = ends.row(at.row, upper);
    let next = ends.row(at.row + 1.0, upper);
    if at.share == 0.0 || this == next {
        return Enclosure::point(this);
    }
    if !(this.is_finite() && next.is_finite()) {
        return Enclosure::point(if upper { next } else { this });
    }
    let (this, next) = (Enclosure::point(this), Enclosure::point(next));
    // Rounding must not leave the two values.
    (this + Enclosure::point(at.share) * (next - this)).meet(Enclosure { low: this.low, high: next.high })
}

/// Cells in order of their lower and of their upper bounds.
struct ByBounds<'a> {
    data: &'a Intervals,
    by_low: Vec<u32>,
    by_high: Vec<u32>,
}

impl<'a> ByBounds<'a> {
    fn new(data: &'a Intervals) -> Self {
        let order = |ends: &[f64]| {
            let mut order: Vec<u32> = (0..data.len() as u32).collect();
            order
                .par_sort_unstable_by(|&a, &b| ends[a as usize].total_cmp(&ends[b as usize]).then(a.cmp(&b)));
            order
        };
        ByBounds { by_low: order(data.low()), by_high: order(data.high()), data }
    }

    /// How far the order statistics of two places, counted from 0, can be apart. Some cells, `a` of
    /// them, must lie at or below some t, and `m` others at or above some u. That is possible
    /// exactly if `a` cells reach down to t, `m` cells reach up to u, and `a` plus `m` cells do one
    /// or the other [Hall 1935]. For every t the greatest u only grows, so that both move once.
    fn apart(&self, first: usize, second: usize) -> f64 {
        let n = self.data.len();
        let second = second.min(n - 1);
        let first = first.min(second);
        if first == second {
            return 0.0;
        }
        let (a, m) = (first + 1, n - second);
        let (low, high) = (self.data.low(), self.data.high());
        let mut reaches_down = vec![false; n];
        let (mut down, mut up) = (0, 0);
        // Cells that reach up to the m-th greatest upper bound, and more while they are needed: the
        // pointer counts how many of the greatest bounds are allowed.
        let mut best = f64::NEG_INFINITY;
        // Number of cells that reach neither t nor u, for u at the pointer; start with u as low as
        // possible and raise it.
        let mut taken: Vec<bool> = vec![true; n];
        let mut neither = 0;
        let mut at = 0;
        while down < n {
            let t = low[self.by_low[down] as usize];
            while down < n && low[self.by_low[down] as usize] == t {
                let cell = self.by_low[down] as usize;
                reaches_down[cell] = true;
                if !taken[cell] {
                    neither -= 1;
                }
                down += 1;
            }
            if down < a {
                continue;
            }
            // Raise u past the least bounds while enough cells are left.
            while at < n {
                let u = high[self.by_high[at] as usize];
                let mut end = at;
                let mut more = 0;
                while end < n && high[self.by_high[end] as usize] == u {
                    more += usize::from(!reaches_down[self.by_high[end] as usize]);
                    end += 1;
                }
                if n - end < m || n - (neither + more) < a + m {
                    break;
                }
                self.by_high[at..end].iter().for_each(|&cell| taken[cell as usize] = false);
                neither += more;
                (at, up) = (end, end);
            }
            let u = high[self.by_high[up.min(n - 1)] as usize];
            best = best.max(add_up(u, -t));
        }
        best.max(0.0)
    }
}

/// The quantile of a share between 0 and 1; see [`PBox`] for several.
pub fn quantile(data: &Intervals, share: f64) -> Bounds {
    PBox::new(data).map_or(Bounds::none(EMPTY), |pbox| pbox.quantile(share))
}

/// The median.
pub fn median(data: &Intervals) -> Bounds {
    quantile(data, 0.5)
}

/// The interquartile range.
pub fn interquartile_range(data: &Intervals) -> Bounds {
    PBox::new(data).map_or(Bounds::none(EMPTY), |pbox| pbox.interquartile(data))
}
