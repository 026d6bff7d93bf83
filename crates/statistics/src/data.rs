//! Interval data: a low, a high and perhaps a weight for every cell.
//!
//! One array per quantity, filled cell by cell while a table is read. A cell that is a set of
//! numbers is kept as the least interval around it and marked, because numbers between its values
//! are not possible. Weights count rows: a cell of weight 2 stands for two rows with the same
//! value. Costs 16 bytes per cell, 24 with weights.

use rayon::prelude::*;
use throng_terms::error::Result;
use throng_terms::fault;

use crate::rounding::{Enclosure, Sum};

/// Cells that a thread looks at before it looks for more. Sums are merged in the order of these
/// parts, so that results do not depend on the number of threads.
pub(crate) const PART: usize = 1 << 16;

/// The numbers that can be behind a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The least one, or what all are above.
    pub low: f64,
    /// The greatest one, or what all are below.
    pub high: f64,
    /// Whether some numbers in between are impossible.
    pub gaps: bool,
}

impl Span {
    /// All numbers from one to another.
    pub fn between(low: f64, high: f64) -> Self {
        Span { low, high, gaps: false }
    }
}

/// Cells of one column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Intervals {
    low: Vec<f64>,
    high: Vec<f64>,
    /// Empty if every cell counts once.
    weights: Vec<f64>,
    /// Cells whose numbers have gaps.
    gaps: Vec<u32>,
}

impl Intervals {
    /// Cells between bounds, in pairs.
    ///
    /// ```
    /// use throng_statistics::{Intervals, mean};
    ///
    /// let ages = Intervals::new(&[(20.0, 30.0), (35.0, 35.0), (30.0, 40.0)])?;
    /// let mean = mean(&ages);
    /// assert!(mean.exact && mean.has(85.0 / 3.0) && mean.has(35.0) && !mean.has(28.0));
    /// # Ok::<(), throng_terms::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Inverted bounds and what is not a number.
    pub fn new(pairs: &[(f64, f64)]) -> Result<Self> {
        let mut data = Intervals::default();
        pairs.iter().try_for_each(|&(low, high)| data.push(Span::between(low, high)))?;
        Ok(data)
    }

    /// Exact numbers.
    ///
    /// # Errors
    /// What is not a finite number.
    pub fn points(values: &[f64]) -> Result<Self> {
        let mut data = Intervals::default();
        values.iter().try_for_each(|&x| data.push(Span::between(x, x)))?;
        Ok(data)
    }

    /// Adds a cell that counts once.
    ///
    /// # Errors
    /// Inverted bounds and what is not a number.
    pub fn push(&mut self, span: Span) -> Result<()> {
        self.add(span, 1.0)
    }

    /// Adds a cell with a weight.
    ///
    /// # Errors
    /// Inverted bounds, what is not a number, and a weight that is negative or not finite.
    pub fn push_weighted(&mut self, span: Span, weight: f64) -> Result<()> {
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(fault!(
                Data,
                "statistics.bad-weight",
                "a weight is {weight}, and weights count rows",
                weight = weight
            )
            .help("use weights that are zero or more")
            .into());
        }
        if weight > 0.0 {
            if self.weights.is_empty() {
                self.weights = vec![1.0; self.low.len()];
            }
            self.add(span, weight)?;
        }
        Ok(())
    }

    fn add(&mut self, Span { low, high, gaps }: Span, weight: f64) -> Result<()> {
        let valid = low <= high && low < f64::INFINITY && high > f64::NEG_INFINITY;
        if !valid {
            return Err(fault!(
                Data,
                "statistics.inverted-interval",
                "an interval goes from {low} to {high}",
                low = low,
                high = high
            )
            .help("write the lower bound first")
            .into());
        }
        if gaps {
            self.gaps.push(self.low.len() as u32);
        }
        // Adding zero turns −0 into 0, so that equal bounds have equal bits.
        self.low.push(low + 0.0);
        self.high.push(high + 0.0);
        if !self.weights.is_empty() || weight != 1.0 {
            self.weights.resize(self.low.len() - 1, 1.0);
            self.weights.push(weight);
        }
        Ok(())
    }

    /// The cells at some places.
    #[must_use]
    pub fn part(&self, places: &[u32]) -> Intervals {
        let of = |from: &[f64]| places.iter().map(|&at| from[at as usize]).collect::<Vec<f64>>();
        let weights = if self.weights.is_empty() { Vec::new() } else { of(&self.weights) };
        let mut gaps = Vec::new();
        if !self.gaps.is_empty() {
            let all: rustc_hash::FxHashSet<u32> = self.gaps.iter().copied().collect();
            gaps = (0..places.len() as u32).filter(|&at| all.contains(&places[at as usize])).collect();
        }
        Intervals { low: of(&self.low), high: of(&self.high), weights, gaps }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// The lower bounds.
    pub fn low(&self) -> &[f64] {
        &self.low
    }

    /// The upper bounds.
    pub fn high(&self) -> &[f64] {
        &self.high
    }

    /// The weights; none if every cell counts once.
    pub fn weights(&self) -> Option<&[f64]> {
        (!self.weights.is_empty()).then_some(&self.weights[..])
    }

    /// The weight of a cell.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights.get(at).copied().unwrap_or(1.0)
    }

    /// The numbers of a cell, from the least to the greatest.
    pub fn at(&self, at: usize) -> Enclosure {
        Enclosure { low: self.low[at], high: self.high[at] }
    }

    /// The cells whose numbers have gaps.
    pub fn gaps(&self) -> &[u32] {
        &self.gaps
    }

    /// Whether every cell is one number.
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// Whether every cell is bounded on both sides.
    pub fn is_bounded(&self) -> bool {
        self.low.iter().chain(&self.high).all(|x| x.is_finite())
    }

    /// The sum of the weights: the number of rows.
    pub fn total_weight(&self) -> Enclosure {
        match self.weights() {
            None => Enclosure::point(self.len() as f64),
            Some(weights) => sum_of(weights),
        }
    }

    /// Calls `make` with parts of the places, on all cores, and returns the results in order.
    pub(crate) fn parts<T: Send>(&self, make: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
        let n = self.len();
        let starts: Vec<usize> = (0..n).step_by(PART).collect();
        starts.into_par_iter().map(|start| make(start..(start + PART).min(n))).collect()
    }
}

/// The sum of some floats.
pub(crate) fn sum_of(terms: &[f64]) -> Enclosure {
    let part = |part: &[f64]| {
        let mut sum = Sum::default();
        part.iter().for_each(|&x| sum.add(x));
        sum
    };
    let parts: Vec<Sum> = terms.par_chunks(PART).map(part).collect();
    let mut all = Sum::default();
    parts.iter().for_each(|part| all.merge(part));
    all.total()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_an_interval_is_refused() {
        for (low, high) in [(2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, f64::INFINITY)] {
            let error = Intervals::new(&[(low, high)]).unwrap_err();
            assert!(error.has_code("statistics.inverted-interval"), "{low} {high}");
        }
        for weight in [-1.0, f64::NAN, f64::INFINITY] {
            let error = Intervals::default().push_weighted(Span::between(1.0, 2.0), weight).unwrap_err();
            assert!(error.has_code("statistics.bad-weight"));
        }
    }

    #[test]
    fn cells_of_weight_zero_do_not_count() {
        let mut data = Intervals::new(&[(1.0, 2.0)]).unwrap();
        data.push_weighted(Span::between(5.0, 6.0), 0.0).unwrap();
        data.push_weighted(Span { low: 3.0, high: 4.0, gaps: true }, 2.5).unwrap();
        assert_eq!((data.len(), data.weights()), (2, Some(&[1.0, 2.5][..])));
        assert_eq!(data.total_weight(), Enclosure::point(3.5));
        let part = data.part(&[1]);
        assert_eq!((part.low(), part.gaps(), part.weight(0)), (&[3.0][..], &[0][..], 2.5));
        data.push(Span::between(0.0, 0.0)).unwrap();
        assert_eq!(data.weights(), Some(&[1.0, 2.5, 1.0][..]));
    }
}
