//! Rank correlations: Spearman's ρ and Kendall's τ.
//!
//! The rank of a cell lies between the number of cells that are certainly below it and that of
//! cells that can be. Spearman's ρ is the correlation of mean ranks, whose mean is always (n +
//! 1)/2, so that its numerator is bounded cell by cell. Kendall's τ counts pairs of rows that are
//! certainly in the same or in the opposite order; it is τ-a, in which ties count as zero [Kendall
//! 1938]. Both are enclosures unless the order of all cells is known. Costs two sorts and a Fenwick
//! tree; with few different pairs of cells, all pairs of these.

use rustc_hash::FxHashMap;

use crate::bounds::Bounds;
use crate::data::Intervals;
use crate::means::EMPTY;
use crate::rounding::{EnclosedSum, Enclosure};
use crate::variance::{Divisor, variance};

/// Different pairs of cells that are compared one by one at most.
const COMPARED: usize = 3000;
const WEIGHTED: &str = "rows with weights have no ranks";
const FEW: &str = "a rank correlation needs at least two rows";
const UNEQUAL: &str = "the two columns have different numbers of cells";

/// Why two columns have no rank correlation.
fn unfit(x: &Intervals, y: &Intervals) -> Option<&'static str> {
    if x.len() != y.len() {
        return Some(UNEQUAL);
    }
    if x.is_empty() {
        return Some(EMPTY);
    }
    if x.weights().is_some() || y.weights().is_some() {
        return Some(WEIGHTED);
    }
    (x.len() < 2).then_some(FEW)
}

/// The ranks that each cell can have, from 1; equal numbers share their mean rank.
pub fn ranks(data: &Intervals) -> Intervals {
    let sorted = |ends: &[f64]| {
        let mut sorted = ends.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    let (low, high) = (sorted(data.low()), sorted(data.high()));
    let below = |x: f64| high.partition_point(|&end| end < x);
    let above = |x: f64| low.len() - low.partition_point(|&end| end <= x);
    let n = data.len();
    let exact = data.is_exact();
    let mut ranks = Intervals::default();
    for at in 0..n {
        let cell = data.at(at);
        let (first, last) = (below(cell.low) + 1, n - above(cell.high));
        let (mut from, mut to) = (first as f64, last as f64);
        if exact {
            (from, to) = ((from + to) / 2.0, (from + to) / 2.0);
        }
        // Ranks are valid cells.
        let _ = ranks.push(crate::data::Span::between(from, to));
    }
    ranks
}

/// Spearman's rank correlation.
pub fn spearman(x: &Intervals, y: &Intervals) -> Bounds {
    if let Some(reason) = unfit(x, y) {
        return Bounds::none(reason);
    }
    let n = x.len() as f64;
    let (rx, ry) = (ranks(x), ranks(y));
    let middle = Enclosure::point(n + 1.0) / Enclosure::point(2.0);
    let mut sum = EnclosedSum::default();
    (0..x.len()).for_each(|at| sum.add((rx.at(at) - middle) * (ry.at(at) - middle)));
    let covariance = sum.total() / Enclosure::point(n);
    // The ranks vary most without ties.
    let most = (Enclosure::point(n).square() - Enclosure::point(1.0)) / Enclosure::point(12.0);
    let spread = |ranks: &Intervals| {
        let found = variance(ranks, Divisor::Population);
        Enclosure { low: found.low, high: found.high.min(most.high) }
    };
    let (vx, vy) = (spread(&rx), spread(&ry));
    if vx.high == 0.0 || vy.high == 0.0 {
        return Bounds::none("a column does not vary");
    }
    let product = (vx * vy).sqrt();
    let quotient = |x: f64, upper: bool| {
        // The denominator that is worst for this side.
        let by = if (x > 0.0) == upper { product.low } else { product.high };
        match by == 0.0 {
            true => x * f64::INFINITY,
            false => {
                let at = Enclosure::point(x) / Enclosure::point(by);
                if upper { at.high } else { at.low }
            }
        }
    };
    let low = if covariance.low == 0.0 { 0.0 } else { quotient(covariance.low, false) };
    let high = if covariance.high == 0.0 { 0.0 } else { quotient(covariance.high, true) };
    let at = Enclosure { low: low.max(-1.0), high: high.min(1.0) };
    let sharp = x.is_exact() && y.is_exact();
    Bounds::sharp(at, if sharp { "points" } else { "ranks" }).exactly(sharp)
}

/// Kendall's rank correlation τ-a: pairs of rows in the same order minus those in the opposite one,
/// divided by all pairs.
pub fn kendall(x: &Intervals, y: &Intervals) -> Bounds {
    if let Some(reason) = unfit(x, y) {
        return Bounds::none(reason);
    }
    let n = x.len() as f64;
    let pairs = Enclosure::point(n) * Enclosure::point(n - 1.0) / Enclosure::point(2.0);
    let groups = groups(x, y);
    let (least, most) = match groups.len() <= COMPARED {
        true => compared(&groups),
        false => counted(x, y),
    };
    let at = Enclosure { low: least as f64, high: most as f64 } / pairs;
    let at = at.meet(Enclosure { low: -1.0, high: 1.0 });
    Bounds::sharp(at, if least == most { "points" } else { "pairs" }).exactly(least == most)
}

/// Equal pairs of cells, with their rows.
fn groups(x: &Intervals, y: &Intervals) -> Vec<(Enclosure, Enclosure, i64)> {
    let mut groups: Vec<(Enclosure, Enclosure, i64)> = Vec::new();
    let mut places: FxHashMap<[u64; 4], usize> = FxHashMap::default();
    for at in 0..x.len() {
        let (a, b) = (x.at(at), y.at(at));
        let place = *places.entry([a.low, a.high, b.low, b.high].map(f64::to_bits)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.2 += 1,
            None => groups.push((a, b, 1)),
        }
    }
    groups
}

/// The least and the greatest sign of a − b.
fn signs(a: Enclosure, b: Enclosure) -> (i64, i64) {
    let least = |a: f64, b: f64| match a.total_cmp(&b) {
        std::cmp::Ordering::Less => -1,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    };
    (least(a.low, b.high), least(a.high, b.low))
}

/// The least and the greatest sum of the orders of all pairs, group by group.
fn compared(groups: &[(Enclosure, Enclosure, i64)]) -> (i64, i64) {
    let (mut least, mut most) = (0, 0);
    for (at, &(x, y, rows)) in groups.iter().enumerate() {
        let mut add = |(x, y): (Enclosure, Enclosure), (other_x, other_y), pairs: i64| {
            let ((a, b), (c, d)) = (signs(x, other_x), signs(y, other_y));
            let products = [a * c, a * d, b * c, b * d];
            least += pairs * products.iter().min().copied().unwrap_or(0);
            most += pairs * products.iter().max().copied().unwrap_or(0);
        };
        add((x, y), (x, y), rows * (rows - 1) / 2);
        for &(other_x, other_y, others) in &groups[at + 1..] {
            add((x, y), (other_x, other_y), rows * others);
        }
    }
    (least, most)
}

/// The same from the pairs whose order is certain; all others can be either way.
fn counted(x: &Intervals, y: &Intervals) -> (i64, i64) {
    let n = x.len();
    let order = |ends: &[f64]| {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_unstable_by(|&a, &b| ends[a].total_cmp(&ends[b]));
        order
    };
    let (by_high, by_low) = (order(x.high()), order(x.low()));
    let rank = |ends: &[f64]| {
        let mut sorted = ends.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    let (highs, lows) = (rank(y.high()), rank(y.low()));
    let [mut high_tree, mut low_tree] = [Fenwick::new(n), Fenwick::new(n)];
    let (mut same, mut opposite, mut inserted) = (0, 0, 0);
    for &at in &by_low {
        // All rows that are certainly below this one in x.
        while inserted < n && x.high()[by_high[inserted]] < x.low()[at] {
            let other = by_high[inserted];
            high_tree.add(highs.partition_point(|&end| end < y.high()[other]));
            low_tree.add(lows.partition_point(|&end| end < y.low()[other]));
            inserted += 1;
        }
        same += high_tree.below(highs.partition_point(|&end| end < y.low()[at]));
        opposite += inserted as i64 - low_tree.below(lows.partition_point(|&end| end <= y.high()[at]));
    }
    let all = (n as i64) * (n as i64 - 1) / 2;
    if x.is_exact() && y.is_exact() {
        return (same - opposite, same - opposite);
    }
    (2 * same - all, all - 2 * opposite)
}

/// Counts by place [Fenwick 1994].
struct Fenwick(Vec<i64>);

impl Fenwick {
    fn new(places: usize) -> Self {
        Fenwick(vec![0; places + 1])
    }

    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// How many were added at places before this one.
    fn below(&self, place: usize) -> i64 {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two lower bounds, each with a width.
    type Cell = (i32, i32, i32, i32);

    proptest! {
        /// What is counted with a tree is what comparing all pairs finds, where that is certain.
        #[test]
        fn counting_agrees_with_comparing(
            cells in prop::collection::vec((0i32..12, 0i32..4, 0i32..12, 0i32..4), 2..40),
            exact in any::<bool>(),
        ) {
            let wide = |w: i32| if exact { 0 } else { w };
            let of = |pick: fn(&Cell) -> (i32, i32)| {
                let pairs: Vec<(f64, f64)> = cells.iter().map(|cell| {
                    let (low, width) = pick(cell);
                    (f64::from(low), f64::from(low + wide(width)))
                }).collect();
                Intervals::new(&pairs).unwrap()
            };
            let (x, y) = (of(|c| (c.0, c.1)), of(|c| (c.2, c.3)));
            let (least, most) = compared(&groups(&x, &y));
            let (below, above) = counted(&x, &y);
            prop_assert!(below <= least && most <= above);
            if exact {
                prop_assert_eq!((least, most), (below, above));
            }
        }
    }
}
