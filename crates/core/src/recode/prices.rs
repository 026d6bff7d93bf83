//! Costs of regions, as integers.
//!
//! A *price* combines the cost of a cell and the recipient's preference in one number: the cost of
//! [`Axis::cost`] in the upper 32 bits, and the same cost times (1 − tolerance) in the lower 32
//! bits. Prices of columns are added and compared directly, which orders regions by cost, and
//! regions of equal cost by how little they distort what the recipient wants to keep. Integer sums
//! do not depend on order, so they can be updated incrementally and bounds are exact.
//!
//! Costs one look-up per column with few values, otherwise one call of [`Axis::cost`]. Memory: 8
//! bytes for every pair of values of columns with few values.

use crate::space::Axis;
use crate::table::Code;

use super::index::Probe;

/// A cost, then a preference.
pub type Price = u64;

/// All columns at the top cost about this together; leaves room for rounding.
const WHOLE: f64 = (1 << 30) as f64;
/// Most values of a column whose pairs are all priced beforehand.
const PAIRS: usize = 256;
/// Most values of a column that are priced beforehand for every region that grows.
const PROFILE: usize = 2048;

/// The cost of a price.
pub fn cost(price: Price) -> u64 {
    price >> 32
}

/// The preference of a price.
pub fn preference(price: Price) -> u64 {
    price & u64::from(u32::MAX)
}

/// The columns with their prices.
pub struct Prices<'a> {
    axes: &'a [Axis],
    /// Column → the two scales.
    scales: Vec<(f64, f64)>,
    /// Column → low → high → price; empty where there are too many.
    pairs: Vec<Vec<Price>>,
}

impl<'a> Prices<'a> {
    /// Prices of columns, and how much distortion of each the recipient tolerates.
    pub fn new(axes: &'a [Axis], tolerance: &[f64]) -> Self {
        let all: f64 = axes.iter().map(Axis::weight).sum();
        let scale = if all > 0.0 { WHOLE / all } else { 0.0 };
        let scales = (0..axes.len()).map(|c| {
            let kept = 1.0 - tolerance.get(c).copied().unwrap_or(1.0).clamp(0.0, 1.0);
            (scale, scale * kept)
        });
        let mut prices = Prices { axes, scales: scales.collect(), pairs: Vec::new() };
        prices.pairs = (0..axes.len()).map(|column| prices.all_pairs(column)).collect();
        prices
    }

    fn all_pairs(&self, column: usize) -> Vec<Price> {
        let values = self.axes[column].len();
        if values > PAIRS {
            return Vec::new();
        }
        let pair = |at: usize| {
            let (a, b) = ((at / values) as Code, (at % values) as Code);
            self.computed(column, a.min(b), a.max(b))
        };
        (0..values * values).map(pair).collect()
    }

    fn computed(&self, column: usize, low: Code, high: Code) -> Price {
        let cost = self.axes[column].cost(low, high);
        let (first, second) = self.scales[column];
        (((cost * first).round() as u64) << 32) | (cost * second).round() as u64
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.axes.len()
    }

    /// The price of a cell that covers a range of ranks.
    pub fn cell(&self, column: usize, low: Code, high: Code) -> Price {
        let pairs = &self.pairs[column];
        if pairs.is_empty() {
            return self.computed(column, low, high);
        }
        pairs[low as usize * self.axes[column].len() + high as usize]
    }

    /// The price of a row of a region.
    pub fn row(&self, ranges: &[(Code, Code)]) -> Price {
        ranges.iter().enumerate().map(|(column, &(low, high))| self.cell(column, low, high)).sum()
    }

    /// The price of a row of a region that a point is added to.
    pub fn joined(&self, ranges: &[(Code, Code)], point: &[Code]) -> Price {
        let cell = |(column, (&(low, high), &rank)): (usize, (&(Code, Code), &Code))| {
            self.cell(column, low.min(rank), high.max(rank))
        };
        ranges.iter().zip(point).enumerate().map(cell).sum()
    }
}

/// What a row of a growing region would cost with any further point: the distance by which the
/// nearest is found.
pub struct Profile<'a> {
    prices: &'a Prices<'a>,
    ranges: Vec<(Code, Code)>,
    /// Column → where its prices start; none where the column has too many values.
    starts: Vec<Option<usize>>,
    /// Rank of a further point → price, column after column.
    known: Vec<Price>,
}

impl<'a> Profile<'a> {
    /// Of no region yet.
    pub fn new(prices: &'a Prices<'a>) -> Self {
        let mut end = 0;
        let start = |axis: &Axis| {
            (axis.len() <= PROFILE).then(|| {
                end += axis.len();
                end - axis.len()
            })
        };
        let starts = prices.axes.iter().map(start).collect();
        let none = (Code::MAX, 0);
        Profile { prices, ranges: vec![none; prices.width()], starts, known: vec![0; end] }
    }

    /// Of the region that is only a point.
    pub fn begin(&mut self, point: &[Code]) {
        for (column, &rank) in point.iter().enumerate() {
            self.set(column, (rank, rank));
        }
    }

    /// Adds a point to the region.
    pub fn add(&mut self, point: &[Code]) {
        for (column, &rank) in point.iter().enumerate() {
            let (low, high) = self.ranges[column];
            self.set(column, (low.min(rank), high.max(rank)));
        }
    }

    fn set(&mut self, column: usize, range: (Code, Code)) {
        if self.ranges[column] == range {
            return;
        }
        self.ranges[column] = range;
        let Some(start) = self.starts[column] else { return };
        let (low, high) = range;
        let values = self.prices.axes[column].len();
        for (rank, known) in self.known[start..start + values].iter_mut().enumerate() {
            let rank = rank as Code;
            *known = self.prices.cell(column, low.min(rank), high.max(rank));
        }
    }

    fn cell(&self, column: usize, rank: Code) -> Price {
        match self.starts[column] {
            Some(start) => self.known[start + rank as usize],
            None => {
                let (low, high) = self.ranges[column];
                self.prices.cell(column, low.min(rank), high.max(rank))
            }
        }
    }
}

impl Probe for Profile<'_> {
    fn key(&self, point: &[Code]) -> u64 {
        point.iter().enumerate().map(|(column, &rank)| self.cell(column, rank)).sum()
    }

    fn bound(&self, ranges: &[(Code, Code)]) -> u64 {
        // Costs only grow with the range, so that no point of a box costs less than its nearest
        // end.
        let mut price = 0;
        for (column, (own, around)) in self.ranges.iter().zip(ranges).enumerate() {
            let nearest = if around.1 < own.0 {
                around.1
            } else if around.0 > own.1 {
                around.0
            } else {
                own.0
            };
            price += self.cell(column, nearest);
        }
        price
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::table;
    use super::*;
    use crate::policy::Form;

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Prices are the costs of [`Axis::cost`], a profile is what it says, and its bound holds
        /// for every point of a box.
        #[test]
        fn prices_are_costs(made in table(30, ANY, ANY), picked in proptest::collection::vec(any::<u16>(), 6)) {
            let axes = made.space.axes();
            let tolerance: Vec<f64> = (0..axes.len()).map(|column| [0.25, 1.0][column % 2]).collect();
            let prices = Prices::new(axes, &tolerance);
            let point = |at: usize| -> Vec<Code> {
                let point = picked[at] as usize % made.space.len();
                (0..axes.len()).map(|column| made.space.rank(point, column)).collect()
            };
            let range = |a: &[Code], b: &[Code]| -> Vec<(Code, Code)> {
                a.iter().zip(b).map(|(&a, &b)| (a.min(b), a.max(b))).collect()
            };
            let (ranges, third) = (range(&point(0), &point(1)), point(2));
            let all: f64 = axes.iter().map(Axis::weight).sum();
            if all > 0.0 {
                let priced = cost(prices.row(&ranges)) as f64 * all / WHOLE;
                prop_assert!((priced - made.space.cost(&ranges)).abs() < 1e-7);
                let kept = ranges.iter().zip(axes).zip(&tolerance);
                let kept: f64 = kept.map(|((&(low, high), axis), t)| (1.0 - t) * axis.cost(low, high)).sum();
                prop_assert!((preference(prices.row(&ranges)) as f64 * all / WHOLE - kept).abs() < 1e-7);
            }
            let mut profile = Profile::new(&prices);
            profile.begin(&point(0));
            profile.add(&point(1));
            let union: Vec<_> = ranges.iter().zip(&third).map(|(r, &p)| (r.0.min(p), r.1.max(p))).collect();
            prop_assert_eq!(profile.key(&third), prices.row(&union));
            prop_assert_eq!(prices.joined(&ranges, &third), prices.row(&union));
            // Any box around the third point.
            let around = range(&point(3), &point(4)).into_iter().zip(&third);
            let around: Vec<_> = around.map(|((low, high), &p)| (low.min(p), high.max(p))).collect();
            prop_assert!(profile.bound(&around) <= profile.key(&third));
        }
    }
}
