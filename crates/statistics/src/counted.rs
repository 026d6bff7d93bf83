//! Bounds of statistics of cells that many rows share: every row has a value of its own in its
//! cell. They are what a policy limits by `privacy.utility`.
//!
//! A cell of weight w in [`Intervals`] stands for w rows with the same value; a cell with w rows
//! stands for w values. That makes no difference to means and quantiles, which are least with all
//! lower bounds and greatest with all upper bounds, nor to the least variance, whose values lie as
//! close to one point as they can. The greatest variance of separate values is at most the dual
//! bound min over c of Σ w·max (x − c)²/W, which exceeds it by at most the square of half of one
//! row's share in the mean (`variance/upper.rs`); that bound is used here. For covariances, with the
//! middles a and b of the bounds of the means m and n, E(x − a)(y − b) is bounded cell by cell, and
//! (m − a)(n − b) by both bounds. Correlations are the quotient.
//!
//! Costs a sort of the distinct cells, or a pass over the distinct pairs of cells; rows do not
//! matter.

use throng_terms::error::Result;
use throng_terms::registry::StatisticKind;

use crate::bounds::Bounds;
use crate::data::{Intervals, Span};
use crate::means::{EMPTY, mean};
use crate::quantiles::quantile;
use crate::rounding::{EnclosedSum, Enclosure};
use crate::variance::{Divisor, Spread};

/// Distinct cells of a column with the rows of each.
///
/// ```
/// use throng_statistics::{Counted, Span};
/// use throng_terms::registry::StatisticKind;
///
/// // Three people of 20 to 30 and one of 40.
/// let cells = [(Span::between(20.0, 30.0), 3), (Span::between(40.0, 40.0), 1)];
/// let ages = Counted::new(cells)?;
/// let mean = ages.bounds(StatisticKind::Mean);
/// assert_eq!((mean.low, mean.high, mean.width()), (25.0, 32.5, 7.5));
/// // The three can differ from each other.
/// let variance = ages.bounds(StatisticKind::Variance);
/// assert!(variance.has(275.0 / 3.0)); // 20, 20, 30 and 40
/// # Ok::<(), throng_terms::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counted {
    data: Intervals,
}

impl Counted {
    /// Of cells with their rows.
    ///
    /// # Errors
    /// Inverted bounds and what is not a number.
    pub fn new(cells: impl IntoIterator<Item = (Span, u64)>) -> Result<Self> {
        let mut data = Intervals::default();
        for (span, rows) in cells {
            data.push_weighted(span, rows as f64)?;
        }
        Ok(Counted { data })
    }

    /// The bounds of a statistic of one column.
    pub fn bounds(&self, statistic: StatisticKind) -> Bounds {
        if self.data.is_empty() {
            return Bounds::none(EMPTY);
        }
        let spread = || Spread::of_counts(&self.data);
        match statistic {
            StatisticKind::Mean => mean(&self.data),
            StatisticKind::Variance => spread().variance(Divisor::Sample),
            StatisticKind::VariancePopulation => spread().variance(Divisor::Population),
            StatisticKind::Stddev => spread().deviation(Divisor::Sample),
            StatisticKind::Covariance | StatisticKind::Correlation => {
                Bounds::none("a statistic of two columns")
            }
            _ => match statistic.entry().share {
                Some(share) => quantile(&self.data, share),
                None => Bounds::none("not a statistic of one column"),
            },
        }
    }
}

/// Distinct pairs of cells of two columns with the rows of each.
#[derive(Debug, Clone)]
pub struct CountedPairs {
    cells: Vec<(Enclosure, Enclosure, f64)>,
    rows: Enclosure,
    means: [Enclosure; 2],
    variances: [Enclosure; 2],
}

impl CountedPairs {
    /// Of pairs of cells with their rows.
    ///
    /// # Errors
    /// Inverted bounds and what is not a number.
    pub fn new(pairs: impl IntoIterator<Item = (Span, Span, u64)>) -> Result<Self> {
        let (mut x, mut y) = (Intervals::default(), Intervals::default());
        let mut cells = Vec::new();
        let enclosure = |span: Span| Enclosure { low: span.low, high: span.high };
        for (a, b, rows) in pairs.into_iter().filter(|pair| pair.2 > 0) {
            x.push_weighted(a, rows as f64)?;
            y.push_weighted(b, rows as f64)?;
            cells.push((enclosure(a), enclosure(b), rows as f64));
        }
        let spread = |data: &Intervals| Spread::of_counts(data).variance(Divisor::Population).enclosed();
        Ok(CountedPairs {
            cells,
            rows: x.total_weight(),
            means: [mean(&x).enclosed(), mean(&y).enclosed()],
            variances: [spread(&x), spread(&y)],
        })
    }

    /// The bounds of a statistic of two columns.
    pub fn bounds(&self, statistic: StatisticKind) -> Bounds {
        if self.cells.is_empty() {
            return Bounds::none(EMPTY);
        }
        match statistic {
            StatisticKind::Covariance => self.covariance(),
            StatisticKind::Correlation => self.correlation(),
            _ => Bounds::none("not a statistic of two columns"),
        }
    }

    fn population(&self) -> Enclosure {
        let [m, n] = self.means;
        let bounded = |cell: Enclosure| cell.low.is_finite() && cell.high.is_finite();
        if !self.cells.iter().all(|&(x, y, _)| bounded(x) && bounded(y)) {
            return Enclosure::ANY;
        }
        let (a, b) = (Enclosure::point(m.mid()), Enclosure::point(n.mid()));
        let mut sum = EnclosedSum::default();
        for &(x, y, rows) in &self.cells {
            sum.add(Enclosure::point(rows) * ((x - a) * (y - b)));
        }
        sum.total() / self.rows - (m - a) * (n - b)
    }

    fn covariance(&self) -> Bounds {
        let less = self.rows - Enclosure::point(1.0);
        if less.low <= 0.0 {
            return Bounds::none("a sample covariance needs more than one row");
        }
        Bounds::enclosure(self.population() * (self.rows / less), "corners")
    }

    fn correlation(&self) -> Bounds {
        let [x, y] = self.variances;
        let whole = Enclosure { low: -1.0, high: 1.0 };
        let deviations = (x * y).sqrt();
        // Also where a deviation can be zero: then nothing follows.
        let at = if deviations.low > 0.0 { self.population() / deviations } else { whole };
        Bounds::enclosure(at.meet(whole), "quotient")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Cells with few distinct bounds, the rows of each, and a value in every row.
    fn cells() -> impl Strategy<Value = Vec<((f64, f64), Vec<f64>)>> {
        let cell = (-8i32..8, 0i32..6).prop_flat_map(|(low, width)| {
            let (low, high) = (f64::from(low) / 2.0, f64::from(low + width) / 2.0);
            let values = proptest::collection::vec(0.0..=1.0, 1..4);
            (
                Just((low, high)),
                values.prop_map(move |at: Vec<f64>| {
                    at.iter().map(|share| (low + share * (high - low)).clamp(low, high)).collect()
                }),
            )
        });
        proptest::collection::vec(cell, 1..6)
    }

    fn counted(cells: &[((f64, f64), Vec<f64>)]) -> Counted {
        Counted::new(cells.iter().map(|((low, high), rows)| (Span::between(*low, *high), rows.len() as u64)))
            .unwrap()
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n)
    }

    fn type_7(values: &[f64], share: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = share * (sorted.len() - 1) as f64;
        let (low, part) = (at.floor() as usize, at.fract());
        sorted[low] + part * (sorted[(low + 1).min(sorted.len() - 1)] - sorted[low])
    }

    fn near(bounds: Bounds, value: f64) -> bool {
        let slack = 1e-9 * value.abs().max(1.0);
        bounds.low <= value + slack && value - slack <= bounds.high
    }

    /// All originals whose rows take bounds of their cells.
    fn corners(cells: &[((f64, f64), Vec<f64>)]) -> Vec<Vec<f64>> {
        let rows: Vec<(f64, f64)> =
            cells.iter().flat_map(|(cell, rows)| std::iter::repeat_n(*cell, rows.len())).collect();
        let pick = |choice: usize| {
            rows.iter()
                .enumerate()
                .map(move |(at, &(low, high))| if choice >> at & 1 == 1 { high } else { low })
        };
        (0..1usize << rows.len().min(12)).map(|choice| pick(choice).collect()).collect()
    }

    proptest! {
        #[test]
        fn every_original_lies_within(cells in cells()) {
            let counted = counted(&cells);
            let values: Vec<f64> = cells.iter().flat_map(|(_, rows)| rows.clone()).collect();
            let (mean, variance) = moments(&values);
            prop_assert!(near(counted.bounds(StatisticKind::Mean), mean));
            prop_assert!(near(counted.bounds(StatisticKind::VariancePopulation), variance));
            if values.len() > 1 {
                let sample = variance * values.len() as f64 / (values.len() - 1) as f64;
                prop_assert!(near(counted.bounds(StatisticKind::Variance), sample));
                prop_assert!(near(counted.bounds(StatisticKind::Stddev), sample.sqrt()));
            }
            for &kind in StatisticKind::ALL {
                if let Some(share) = kind.entry().share {
                    prop_assert!(near(counted.bounds(kind), type_7(&values, share)), "{kind}");
                }
            }
        }

        /// Rows of one cell can differ, and the dual bound exceeds the greatest variance by little.
        #[test]
        fn the_greatest_variance_is_that_of_separate_rows(cells in cells()) {
            let rows: usize = cells.iter().map(|(_, rows)| rows.len()).sum();
            prop_assume!(rows <= 10);
            let found = counted(&cells).bounds(StatisticKind::VariancePopulation);
            let most = corners(&cells).iter().map(|values| moments(values).1).fold(0.0, f64::max);
            let widest = cells.iter().map(|((low, high), _)| high - low).fold(0.0, f64::max);
            let slack = (widest / 2.0 / rows as f64).powi(2);
            prop_assert!(found.high >= most - 1e-9, "{} below {most}", found.high);
            prop_assert!(found.high <= most + slack + 1e-9, "{} above {most} + {slack}", found.high);
        }

        #[test]
        fn pairs_lie_within(x in cells(), y in cells()) {
            let n = x.len().min(y.len());
            let mut pairs = Vec::new();
            let (mut xs, mut ys) = (Vec::new(), Vec::new());
            for ((a, of_a), (b, of_b)) in x[..n].iter().zip(&y[..n]) {
                let rows = of_a.len().min(of_b.len());
                pairs.push((Span::between(a.0, a.1), Span::between(b.0, b.1), rows as u64));
                xs.extend(&of_a[..rows]);
                ys.extend(&of_b[..rows]);
            }
            prop_assume!(xs.len() > 1);
            let counted = CountedPairs::new(pairs).unwrap();
            let ((mx, vx), (my, vy)) = (moments(&xs), moments(&ys));
            let products = xs.iter().zip(&ys).map(|(a, b)| (a - mx) * (b - my));
            let covariance = products.sum::<f64>() / xs.len() as f64;
            let sample = covariance * xs.len() as f64 / (xs.len() - 1) as f64;
            prop_assert!(near(counted.bounds(StatisticKind::Covariance), sample));
            if vx > 1e-9 && vy > 1e-9 {
                prop_assert!(near(counted.bounds(StatisticKind::Correlation), covariance / (vx * vy).sqrt()));
            }
        }
    }

    #[test]
    fn what_has_no_bound_says_so() {
        assert!(!Counted::new([]).unwrap().bounds(StatisticKind::Mean).is_finite());
        let anything = Span::between(f64::NEG_INFINITY, f64::INFINITY);
        let open = Counted::new([(anything, 1), (Span::between(0.0, 1.0), 9)]).unwrap();
        assert!(!open.bounds(StatisticKind::Mean).is_finite());
        let median = open.bounds(StatisticKind::Median);
        assert_eq!((median.low, median.high), (0.0, 1.0), "one row of ten is not the median");
        assert!(!open.bounds(StatisticKind::Variance).is_finite());
    }
}
