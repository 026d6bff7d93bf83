//! Distances between values for numeric methods: boxes and microaggregation.
//!
//! Numbers differ by their difference in standard deviations; means and standard deviations are
//! taken over all rows of the table that have a number. Values in a stated order are as far apart
//! as their places in it, in the same way. Labels differ by the level at which they meet over the
//! height of the hierarchy. The distance of a missing value from any number is the range of the
//! column. Distances are non-negative floating-point numbers computed in one fixed order; their bit
//! patterns sort like their values, so they serve as keys.
//!
//! Costs one pass over the points; then two look-ups per difference, or one where the differences
//! of a point from all values of a column are at hand ([`Differences`]).

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

/// Columns with at most this many values have their differences from a point in a table.
const FEW: usize = 256;

/// How far a point is from the values of every column. A point is compared with many others, so
/// that differences are worked out once where values are few.
pub struct Differences<'m, 'a> {
    metric: &'m Metric<'a>,
    from: Vec<Code>,
    /// Column → where its differences start; none where it has many values.
    starts: Vec<Option<usize>>,
    known: Vec<f64>,
}

impl<'m, 'a> Differences<'m, 'a> {
    /// Of no point yet.
    pub fn new(metric: &'m Metric<'a>) -> Self {
        let mut values = 0;
        let start = |axis: &Axis| {
            (axis.len() <= FEW).then(|| {
                values += axis.len();
                values - axis.len()
            })
        };
        let starts = metric.axes.iter().map(start).collect();
        Differences { metric, from: Vec::new(), starts, known: vec![0.0; values] }
    }

    /// Changes the point.
    pub fn begin(&mut self, from: &[Code]) {
        self.from.clear();
        self.from.extend_from_slice(from);
        for (column, (&rank, start)) in from.iter().zip(&self.starts).enumerate() {
            let Some(start) = *start else { continue };
            let known = &mut self.known[start..start + self.metric.axes[column].len()];
            let differences = (0..).map(|other| self.metric.apart(column, rank, other));
            known.iter_mut().zip(differences).for_each(|(known, apart)| *known = apart);
        }
    }

    /// How far the point is from a value of a column.
    #[inline]
    fn of(&self, column: usize, rank: Code) -> f64 {
        match self.starts[column] {
            Some(start) => self.known[start + rank as usize],
            None => self.metric.apart(column, self.from[column], rank),
        }
    }
}

/// The greatest of the differences from a point, each times how much its column counts there.
pub struct Greatest<'d, 'm, 'a> {
    /// The differences.
    pub differences: &'d Differences<'m, 'a>,
    /// Column → what a unit of difference counts.
    pub units: &'d [f64],
}

impl Probe for Greatest<'_, '_, '_> {
    fn key(&self, point: &[Code]) -> u64 {
        let columns = point.iter().zip(self.units).enumerate();
        let far = columns.map(|(column, (&rank, unit))| self.differences.of(column, rank) * unit);
        key(far.fold(0.0, f64::max))
    }

    fn bound(&self, ranges: &[(Code, Code)]) -> u64 {
        let far = |(column, (&(low, high), unit)): (usize, (&(Code, Code), &f64))| {
            // As `Metric::at_least`: the nearest end is nearest.
            let from = self.differences.from[column];
            self.differences.of(column, from.max(low).min(high)) * unit
        };
        key(ranges.iter().zip(self.units).enumerate().map(far).fold(0.0, f64::max))
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

        /// The greatest difference by its definition, from either of two points, with and without
        /// tables of differences; and in a box, that of its nearest values.
        #[test]
        fn the_greatest_difference_is_that_of_some_column(
            made in table(30, ANY, ANY),
            picked in proptest::collection::vec(any::<u16>(), 3),
            units in proptest::collection::vec(0.0f64..4.0, 8),
        ) {
            let metric = Metric::new(&made.space);
            let width = made.space.axes().len();
            let point = |at: usize| -> Vec<Code> {
                let point = picked[at] as usize % made.space.len();
                (0..width).map(|column| made.space.rank(point, column)).collect()
            };
            let (a, b, c) = (point(0), point(1), point(2));
            let units: Vec<f64> = (0..width).map(|column| units[column % units.len()]).collect();
            let apart = |column: usize| metric.apart(column, a[column], b[column]) * units[column];
            let expected = key((0..width).map(apart).fold(0.0, f64::max));
            let box_of = |column: usize| (b[column].min(c[column]), b[column].max(c[column]));
            let ranges: Vec<(Code, Code)> = (0..width).map(box_of).collect();
            let nearest = |column: usize| metric.at_least(column, a[column], ranges[column]) * units[column];
            let bound = key((0..width).map(nearest).fold(0.0, f64::max));
            for tables in [true, false] {
                let mut differences = Differences::new(&metric);
                if !tables {
                    differences.starts.fill(None);
                }
                for (from, to) in [(&b, &a), (&a, &b)] {
                    differences.begin(from);
                    let found = Greatest { differences: &differences, units: &units };
                    prop_assert_eq!(found.key(to), expected);
                }
                let found = Greatest { differences: &differences, units: &units };
                prop_assert_eq!(found.bound(&ranges), bound);
            }
        }
    }
}
