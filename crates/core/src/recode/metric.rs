//! Distances between values for numeric methods: boxes and microaggregation.
//!
//! Numbers differ by their difference in standard deviations; means and standard deviations are
//! taken over all rows of the table that have a number. Values in a stated order are as far apart
//! as their places in it, in the same way. Labels differ by the level at which they meet over the
//! height of the hierarchy. The distance of a missing value from any number is the range of the
//! column. Distances are non-negative floating-point numbers computed in one fixed order; their bit
//! patterns sort like their values, so they serve as keys.
//!
//! Costs one pass over the points; then two look-ups per difference.

use super::index::Probe;
use crate::space::{Axis, Space};
use crate::table::Code;

/// A column as distances see it.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// Whether its values are numbers, or places in a stated order.
    pub numeric: bool,
    /// The mean of its numbers.
    pub mean: f64,
    /// Their standard deviation; 1 for labels.
    pub deviation: f64,
    /// What one unit of difference adds to a distance: weight over deviation; nothing where all
    /// numbers are the same.
    pub unit: f64,
    /// How far its numbers reach.
    reach: f64,
}

impl Scale {
    /// How far a missing value is from a number.
    pub fn reach(&self) -> f64 {
        self.reach
    }
}

/// All columns of a table.
pub struct Metric<'a> {
    /// The columns.
    pub axes: &'a [Axis],
    /// Their scales.
    pub scales: Vec<Scale>,
}

impl<'a> Metric<'a> {
    /// The scales of a table.
    pub fn new(space: &'a Space) -> Self {
        let scales = (0..space.axes().len()).map(|column| scale(space, column)).collect();
        Metric { axes: space.axes(), scales }
    }

    /// How far apart two values of a column are: a difference of numbers, or a share of the height.
    pub fn apart(&self, column: usize, a: Code, b: Code) -> f64 {
        let axis = &self.axes[column];
        if a == b {
            return 0.0;
        }
        if !self.scales[column].numeric {
            return axis.level(a.min(b), a.max(b)) as f64 / axis.height().max(1) as f64;
        }
        match (axis.number(a), axis.number(b)) {
            (Some(x), Some(y)) => (x - y).abs(),
            _ => self.scales[column].reach,
        }
    }

    /// At most how far a value is from any value of a range.
    pub fn at_least(&self, column: usize, a: Code, (low, high): (Code, Code)) -> f64 {
        // In order of size, and in the order of a hierarchy, the nearest end is nearest; a missing
        // value is last and farther than any number.
        if (low..=high).contains(&a) { 0.0 } else { self.apart(column, a, if a < low { low } else { high }) }
    }

    /// How far apart two values of a column are among others, for cutting tables: in millionths of
    /// a unit.
    pub fn spread(&self, column: usize, a: Code, b: Code) -> u64 {
        (self.apart(column, a, b) * self.scales[column].unit * 1e6) as u64
    }

    /// The number of a point in a column in standard deviations from the mean; 0 where it has none.
    pub fn standardized(&self, column: usize, rank: Code) -> f64 {
        let scale = &self.scales[column];
        let number = self.axes[column].number(rank);
        number.filter(|_| scale.deviation > 0.0).map_or(0.0, |x| (x - scale.mean) / scale.deviation)
    }
}

fn scale(space: &Space, column: usize) -> Scale {
    let axis = &space.axes()[column];
    let weight = axis.weight();
    if !axis.ordered() {
        return Scale { numeric: false, mean: 0.0, deviation: 1.0, unit: weight, reach: 1.0 };
    }
    let numbers = || {
        let rows = space.counts().iter().enumerate();
        rows.filter_map(|(p, &rows)| Some((axis.number(space.rank(p, column))?, f64::from(rows))))
    };
    let rows: f64 = numbers().map(|(_, rows)| rows).sum::<f64>().max(1.0);
    let mean = numbers().map(|(x, rows)| x * rows).sum::<f64>() / rows;
    let variance = numbers().map(|(x, rows)| (x - mean) * (x - mean) * rows).sum::<f64>() / rows;
    let deviation = variance.sqrt();
    let unit = if deviation > 0.0 { weight / deviation } else { 0.0 };
    // Of all leaves, in order of size, whether a row has them or not: no two numbers may be farther
    // apart than a missing value.
    let present = axis.len() - usize::from(axis.missing().is_some());
    let ends = (axis.number(0), axis.number(present.saturating_sub(1) as Code));
    let reach = match ends {
        (Some(low), Some(high)) if high > low => high - low,
        // Where all numbers are the same, a missing value is still not one of them.
        _ => 1.0,
    };
    Scale { numeric: true, mean, deviation, unit, reach }
}

/// The key of a distance.
pub fn key(distance: f64) -> u64 {
    distance.to_bits()
}

/// The squared Euclidean distance from a point, in units of every column.
pub struct Euclid<'m, 'a, 'p> {
    /// The columns.
    pub metric: &'m Metric<'a>,
    /// The point.
    pub from: &'p [Code],
}

impl Euclid<'_, '_, '_> {
    fn sum(&self, apart: impl Fn(usize, Code) -> f64) -> u64 {
        let squared = |(column, &rank): (usize, &Code)| {
            let far = apart(column, rank) * self.metric.scales[column].unit;
            far * far
        };
        key(self.from.iter().enumerate().map(squared).sum())
    }
}

impl Probe for Euclid<'_, '_, '_> {
    fn key(&self, point: &[Code]) -> u64 {
        self.sum(|column, rank| self.metric.apart(column, rank, point[column]))
    }

    fn bound(&self, ranges: &[(Code, Code)]) -> u64 {
        self.sum(|column, rank| self.metric.at_least(column, rank, ranges[column]))
    }
}

/// The greatest of the differences from a point, each times how much its column counts there.
pub struct Greatest<'m, 'a, 'p> {
    /// The columns.
    pub metric: &'m Metric<'a>,
    /// The point.
    pub from: &'p [Code],
    /// Column → what a unit of difference counts.
    pub units: &'p [f64],
}

impl Greatest<'_, '_, '_> {
    fn most(&self, apart: impl Fn(usize, Code) -> f64) -> u64 {
        let far = |(column, &rank): (usize, &Code)| apart(column, rank) * self.units[column];
        key(self.from.iter().enumerate().map(far).fold(0.0, f64::max))
    }
}

impl Probe for Greatest<'_, '_, '_> {
    fn key(&self, point: &[Code]) -> u64 {
        self.most(|column, rank| self.metric.apart(column, rank, point[column]))
    }

    fn bound(&self, ranges: &[(Code, Code)]) -> u64 {
        self.most(|column, rank| self.metric.at_least(column, rank, ranges[column]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::table;
    use super::*;
    use crate::policy::Form;

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Median, Form::Range];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// What a bound says of a box holds for all ranks in it, and missing values are farthest.
        #[test]
        fn bounds_hold_for_every_value_of_a_range(made in table(30, ANY, ANY), ends in (any::<u16>(), any::<u16>())) {
            let metric = Metric::new(&made.space);
            for (column, axis) in made.space.axes().iter().enumerate() {
                let count = axis.len() as Code;
                let (a, b) = (Code::from(ends.0) % count, Code::from(ends.1) % count);
                let (low, high) = (a.min(b), a.max(b));
                for from in 0..count {
                    let least = (low..=high).map(|rank| metric.apart(column, from, rank));
                    let least = least.fold(f64::INFINITY, f64::min);
                    prop_assert_eq!(metric.at_least(column, from, (low, high)), least);
                }
            }
        }
    }
}
