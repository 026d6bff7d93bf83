//! Coefficients of linear and logistic regression as enclosures.
//!
//! The coefficients b solve Σ x(y − μ(xb)) = 0, with μ(z) = z or 1/(1 + e^−z). For data within
//! cells, Krawczyk's operator proves where the solutions of all originals lie [Krawczyk 1969;
//! Neumaier 1990, 5.1]: K(B) = b₀ − C·g(b₀) + (I − C·J(B))(B − b₀). If K(B) lies inside B, every
//! original has exactly one solution, and it lies in K(B). C is an approximate inverse of the
//! Jacobian J, applied row by row, so that with exact predictors a linear regression has sharp
//! bounds. Columns are shifted and scaled first. If cells are so wide that no box is mapped into
//! itself, there is no bound, and the answer says so. Each step is one pass over the distinct rows,
//! times the square of the number of columns.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::bounds::Bounds;
use crate::data::Intervals;
use crate::rounding::{EnclosedSum, Enclosure};

/// Steps of the search for a box, and of Newton's method for its middle.
const STEPS: usize = 40;
const TOO_WIDE: &str = "the cells are too wide to bound the coefficients";
const SINGULAR: &str = "the columns depend on each other, or separate the outcomes";

/// The outcome's mean as a function of the predictors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The outcome is a number.
    Linear,
    /// The outcome is 0 or 1.
    Logistic,
}

/// Coefficients.
#[derive(Debug, Clone, Serialize)]
pub struct Regression {
    /// The outcome where all predictors are 0; for a logistic regression, its log-odds.
    pub intercept: Bounds,
    /// One per predictor.
    pub coefficients: Vec<Bounds>,
}

/// The coefficients of a regression of an outcome on predictors.
///
/// ```
/// use throng_statistics::{Intervals, Link, regress};
///
/// let x = Intervals::points(&[0.0, 1.0, 2.0, 3.0])?;
/// let y = Intervals::new(&[(0.9, 1.1), (2.9, 3.1), (4.9, 5.1), (6.9, 7.1)])?;
/// let found = regress(&[&x], &y, Link::Linear);
/// let slope = found.coefficients[0];
/// assert!(slope.exact && slope.has(2.0) && slope.width() < 0.2);
/// # Ok::<(), throng_terms::error::Error>(())
/// ```
pub fn regress(predictors: &[&Intervals], outcome: &Intervals, link: Link) -> Regression {
    let none = |reason| Regression {
        intercept: Bounds::none(reason),
        coefficients: vec![Bounds::none(reason); predictors.len()],
    };
    let all = || predictors.iter().copied().chain([outcome]);
    if all().any(|column| column.len() != outcome.len()) {
        return none("the columns have different numbers of cells");
    }
    if outcome.len() <= predictors.len() {
        return none("there are fewer rows than coefficients");
    }
    if all().any(|column| !column.is_bounded()) {
        return none("a cell has no bound: state the column's domain");
    }
    let in_unit = |column: &Intervals| {
        column.low().iter().all(|&x| x >= 0.0) && column.high().iter().all(|&x| x <= 1.0)
    };
    if link == Link::Logistic && !in_unit(outcome) {
        return none("the outcome of a logistic regression is 0 or 1");
    }
    let scaled: Vec<Scaled> = predictors.iter().map(|column| Scaled::new(column)).collect();
    let rows = rows(predictors, outcome, &scaled);
    let problem = Problem { rows, size: predictors.len() + 1, link };
    match problem.solve() {
        Err(reason) => none(reason),
        Ok(found) => {
            let sharp = link == Link::Linear && predictors.iter().all(|column| column.is_exact());
            let method = if sharp { "linear" } else { "krawczyk" };
            unscaled(&found, &scaled, &problem, |at| Bounds::sharp(at, method).exactly(sharp))
        }
    }
}

/// The middle and the size of a column, as floats that are used exactly.
struct Scaled {
    middle: f64,
    size: f64,
}

impl Scaled {
    fn new(column: &Intervals) -> Self {
        let n = column.len() as f64;
        let mid = |at: usize| column.at(at).mid();
        let middle = (0..column.len()).map(mid).sum::<f64>() / n;
        let square = (0..column.len()).map(|at| (mid(at) - middle).powi(2)).sum::<f64>() / n;
        // A power of two: dividing by it is exact.
        let size = if square > 0.0 { square.sqrt().log2().round().exp2() } else { 1.0 };
        Scaled { middle, size }
    }
}

/// A distinct row: 1 and the predictors, the outcome, and its weight.
struct Row {
    x: Vec<Enclosure>,
    y: Enclosure,
    weight: f64,
}

fn rows(predictors: &[&Intervals], outcome: &Intervals, scaled: &[Scaled]) -> Vec<Row> {
    let mut places: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    let mut rows: Vec<Row> = Vec::new();
    for at in 0..outcome.len() {
        let ends = predictors.iter().copied().chain([outcome]).map(|column| column.at(at));
        let key: Vec<u64> = ends.flat_map(|cell| [cell.low.to_bits(), cell.high.to_bits()]).collect();
        let weight = outcome.weight(at);
        let whole = weight.fract() == 0.0 && weight < 1e9;
        if let Some(&place) = places.get(&key).filter(|_| whole) {
            rows[place].weight += weight;
            continue;
        }
        let shift = |(column, scale): (&&Intervals, &Scaled)| {
            (column.at(at) - Enclosure::point(scale.middle)) / Enclosure::point(scale.size)
        };
        let x = [Enclosure::point(1.0)].into_iter().chain(predictors.iter().zip(scaled).map(shift)).collect();
        if whole {
            places.insert(key, rows.len());
        }
        rows.push(Row { x, y: outcome.at(at), weight });
    }
    rows
}

/// The coefficients of the columns as they are given.
fn unscaled(
    found: &[Enclosure],
    scaled: &[Scaled],
    problem: &Problem,
    bounds: impl Fn(Enclosure) -> Bounds,
) -> Regression {
    let of = |(b, scale): (&Enclosure, &Scaled)| *b / Enclosure::point(scale.size);
    let slopes: Vec<Enclosure> = found[1..].iter().zip(scaled).map(of).collect();
    let shift = |(b, scale): (&Enclosure, &Scaled)| *b * Enclosure::point(scale.middle);
    let shifts = slopes.iter().zip(scaled).map(shift).fold(Enclosure::ZERO, |sum, term| sum + term);
    // The intercept is a difference of quantities that depend on each other: not sharp.
    let alone = problem.size == 1;
    let intercept = bounds(found[0] - shifts);
    Regression {
        intercept: intercept.exactly(intercept.exact && alone),
        coefficients: slopes.into_iter().map(bounds).collect(),
    }
}

type Matrix = Vec<Vec<f64>>;

struct Problem {
    rows: Vec<Row>,
    size: usize,
    link: Link,
}

impl Problem {
    /// The box that holds the coefficients of every original.
    fn solve(&self) -> Result<Vec<Enclosure>, &'static str> {
        let middle = self.newton().ok_or(SINGULAR)?;
        let inverse = inverse(&self.jacobian_at(&middle)).ok_or(SINGULAR)?;
        let step = self.step(&middle, &inverse);
        let mut around: Vec<Enclosure> = step.iter().map(|&d| widened(d, 0.1)).collect();
        for _ in 0..STEPS {
            if around.iter().any(|d| !d.width().is_finite() || d.width() > 1e9) {
                return Err(TOO_WIDE);
            }
            let mapped = self.krawczyk(&middle, &inverse, &step, &around);
            let inside = |(new, old): (&Enclosure, &Enclosure)| old.low < new.low && new.high < old.high;
            if mapped.iter().zip(&around).all(inside) {
                return Ok(self.tightened(&middle, &inverse, &step, mapped));
            }
            around = mapped.iter().zip(&around).map(|(new, old)| widened(new.hull(*old), 0.1)).collect();
        }
        Err(TOO_WIDE)
    }

    /// Maps a box that holds all solutions into itself a few times, and adds the middle.
    fn tightened(
        &self,
        middle: &[f64],
        inverse: &Matrix,
        step: &[Enclosure],
        mut around: Vec<Enclosure>,
    ) -> Vec<Enclosure> {
        for _ in 0..6 {
            let mapped = self.krawczyk(middle, inverse, step, &around);
            around = mapped.iter().zip(&around).map(|(new, old)| new.meet(*old)).collect();
        }
        around.iter().zip(middle).map(|(&d, &b)| d + Enclosure::point(b)).collect()
    }

    /// The mean of the outcome, and its derivative.
    fn mean(&self, z: Enclosure) -> (Enclosure, Enclosure) {
        let one = Enclosure::point(1.0);
        if self.link == Link::Linear {
            return (z, one);
        }
        let at = |z: f64| one / (one + Enclosure::point(-z).exp());
        let slope = |z: f64| at(z) * (one - at(z));
        let mean = Enclosure { low: at(z.low).low, high: at(z.high).high };
        let (near, far) = (z.magnitude_low(), z.magnitude());
        (mean, Enclosure { low: slope(far).low.max(0.0), high: slope(near).high })
    }

    /// C·Σ x(y − μ(x·middle)): what Newton's step can be, for all originals.
    fn step(&self, middle: &[f64], inverse: &Matrix) -> Vec<Enclosure> {
        let mut sums = vec![EnclosedSum::default(); self.size];
        for Row { x, y, weight } in &self.rows {
            let rest = *y - self.mean(product(x, middle)).0;
            for (sum, row) in sums.iter_mut().zip(inverse) {
                sum.add(Enclosure::point(*weight) * product(x, row) * rest);
            }
        }
        sums.iter().map(EnclosedSum::total).collect()
    }

    /// Krawczyk's operator, relative to the middle.
    fn krawczyk(
        &self,
        middle: &[f64],
        inverse: &Matrix,
        step: &[Enclosure],
        around: &[Enclosure],
    ) -> Vec<Enclosure> {
        let n = self.size;
        let mut sums = vec![EnclosedSum::default(); n * n];
        for Row { x, weight, .. } in &self.rows {
            let shift = x.iter().zip(around).fold(Enclosure::ZERO, |sum, (x, d)| sum + *x * *d);
            let slope = self.mean(product(x, middle) + shift).1 * Enclosure::point(*weight);
            for (i, row) in inverse.iter().enumerate() {
                let left = product(x, row) * slope;
                (0..n).for_each(|j| sums[i * n + j].add(left * x[j]));
            }
        }
        let mapped = |i: usize| {
            let rest = (0..n).map(|j| {
                let unit = Enclosure::point(f64::from(u8::from(i == j)));
                (unit - sums[i * n + j].total()) * around[j]
            });
            rest.fold(step[i], |sum, term| sum + term)
        };
        (0..n).map(mapped).collect()
    }

    /// The coefficients of the midpoints, in floats.
    fn newton(&self) -> Option<Vec<f64>> {
        let mut b = vec![0.0; self.size];
        for _ in 0..STEPS {
            let inverse = inverse(&self.jacobian_at(&b))?;
            let mut gradient = vec![0.0; self.size];
            for Row { x, y, weight } in &self.rows {
                let z: f64 = x.iter().zip(&b).map(|(x, b)| x.mid() * b).sum();
                let mean = if self.link == Link::Linear { z } else { 1.0 / (1.0 + (-z).exp()) };
                gradient.iter_mut().zip(x).for_each(|(g, x)| *g += weight * x.mid() * (y.mid() - mean));
            }
            let step: Vec<f64> =
                inverse.iter().map(|row| row.iter().zip(&gradient).map(|(c, g)| c * g).sum()).collect();
            b.iter_mut().zip(&step).for_each(|(b, d)| *b += d);
            let size = step.iter().fold(0.0, |most: f64, d| most.max(d.abs()));
            if !size.is_finite() || b.iter().any(|b| b.abs() > 1e6) {
                return None;
            }
            if size < 1e-13 * b.iter().fold(1.0, |most: f64, b| most.max(b.abs())) {
                break;
            }
        }
        Some(b)
    }

    /// Σ μ'·x·xᵀ of the midpoints, in floats.
    fn jacobian_at(&self, b: &[f64]) -> Matrix {
        let mut sums = vec![vec![0.0; self.size]; self.size];
        for Row { x, weight, .. } in &self.rows {
            let z: f64 = x.iter().zip(b).map(|(x, b)| x.mid() * b).sum();
            let mean = 1.0 / (1.0 + (-z).exp());
            let slope = if self.link == Link::Linear { 1.0 } else { mean * (1.0 - mean) };
            for i in 0..self.size {
                for j in 0..self.size {
                    sums[i][j] += weight * slope * x[i].mid() * x[j].mid();
                }
            }
        }
        sums
    }
}

/// Σ x·b with given coefficients.
fn product(x: &[Enclosure], b: &[f64]) -> Enclosure {
    x.iter().zip(b).fold(Enclosure::ZERO, |sum, (x, b)| sum + *x * Enclosure::point(*b))
}

/// Somewhat wider.
fn widened(d: Enclosure, share: f64) -> Enclosure {
    let more = share * d.width() + 1e-12;
    Enclosure { low: d.low - more, high: d.high + more }
}

/// The inverse by elimination with pivots, in floats; none if there is none.
fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let n = matrix.len();
    let unit = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    let mut rows: Matrix =
        matrix.iter().enumerate().map(|(i, row)| row.iter().copied().chain(unit(i)).collect()).collect();
    for i in 0..n {
        let pivot = (i..n).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        let by = rows[i][i];
        let scale = matrix.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        if by.is_nan() || by.abs() <= 1e-12 * scale {
            return None;
        }
        rows[i].iter_mut().for_each(|x| *x /= by);
        let own = rows[i].clone();
        for (j, row) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let _ = j;
            let factor = row[i];
            row.iter_mut().zip(&own).for_each(|(x, y)| *x -= factor * y);
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The coefficients of exact data, in floats.
    fn coefficients(columns: &[Vec<f64>], y: &[f64], link: Link) -> Option<Vec<f64>> {
        let exact: Vec<Intervals> = columns.iter().map(|c| Intervals::points(c).unwrap()).collect();
        let plain: Vec<Scaled> = columns.iter().map(|_| Scaled { middle: 0.0, size: 1.0 }).collect();
        let outcome = Intervals::points(y).unwrap();
        let rows = rows(&exact.iter().collect::<Vec<_>>(), &outcome, &plain);
        Problem { rows, size: columns.len() + 1, link }.newton()
    }

    fn numbers(n: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec((-400i32..400).prop_map(|x| f64::from(x) / 100.0), n)
    }

    fn has(bounds: &Bounds, truth: f64) -> bool {
        bounds.low <= truth + 1e-7 && truth - 1e-7 <= bounds.high
    }

    proptest! {
        #[test]
        fn originals_lie_within(
            x in numbers(20), z in numbers(20), noise in numbers(20),
            shifts in prop::collection::vec(0u8..=4, 60), width in prop_oneof![Just(0.0), 0.0..0.4f64],
            logistic in any::<bool>(),
        ) {
            let link = if logistic { Link::Logistic } else { Link::Linear };
            let y: Vec<f64> = (0..20).map(|i| {
                let line = 0.5 + x[i] - 0.5 * z[i] + noise[i] * 0.8;
                if logistic { f64::from(u8::from(line > 0.0)) } else { line }
            }).collect();
            // Cells around the originals, which lie anywhere in them.
            let cell = |v: f64, at: usize, width: f64| {
                let t = f64::from(shifts[at]) / 4.0;
                (v - width * t, v + width * (1.0 - t))
            };
            let cells = |v: &[f64], from: usize, width: f64| {
                let pairs: Vec<(f64, f64)> = (0..20).map(|i| cell(v[i], from + i, width)).collect();
                Intervals::new(&pairs).unwrap()
            };
            let (dx, dz) = (cells(&x, 0, width * 0.1), cells(&z, 20, width * 0.1));
            let dy = cells(&y, 40, if logistic { 0.0 } else { width });
            let found = regress(&[&dx, &dz], &dy, link);
            let Some(truth) = coefficients(&[x, z], &y, link) else { return Ok(()) };
            if found.coefficients[0].reason.is_none() {
                prop_assert!(has(&found.intercept, truth[0]), "{found:?} {truth:?}");
                prop_assert!(has(&found.coefficients[0], truth[1]), "{found:?} {truth:?}");
                prop_assert!(has(&found.coefficients[1], truth[2]), "{found:?} {truth:?}");
            }
            if width == 0.0 && truth.iter().all(|b| b.abs() < 20.0) {
                prop_assert!(found.coefficients[0].width() < 1e-6, "{found:?}");
            }
        }

        /// With exact predictors, the bounds of a slope are those of the corners of the outcomes.
        #[test]
        fn linear_bounds_are_sharp(x in numbers(6), y in numbers(6), widths in prop::collection::vec(0.0..2f64, 6)) {
            let cells: Vec<(f64, f64)> = y.iter().zip(&widths).map(|(y, w)| (*y, y + w)).collect();
            let found = regress(&[&Intervals::points(&x).unwrap()], &Intervals::new(&cells).unwrap(), Link::Linear);
            let found = found.coefficients[0];
            let corners = (0..64usize).filter_map(|choice| {
                let y: Vec<f64> = (0..6).map(|i| if choice >> i & 1 == 1 { cells[i].1 } else { cells[i].0 }).collect();
                coefficients(std::slice::from_ref(&x), &y, Link::Linear).map(|b| b[1])
            });
            let all: Vec<f64> = corners.collect();
            if all.len() == 64 && found.reason.is_none() {
                let least = all.iter().copied().fold(f64::INFINITY, f64::min);
                let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let size = least.abs().max(most.abs()).max(1.0);
                prop_assert!(found.exact);
                prop_assert!((found.low - least).abs() < 1e-6 * size, "{found:?} {least}");
                prop_assert!((found.high - most).abs() < 1e-6 * size, "{found:?} {most}");
            }
        }
    }

    #[test]
    fn what_cannot_be_bounded_says_so() {
        let x = Intervals::new(&[(0.0, 100.0), (1.0, 90.0), (2.0, 80.0), (3.0, 3.0)]).unwrap();
        let y = Intervals::points(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(regress(&[&x], &y, Link::Linear).coefficients[0].reason, Some(TOO_WIDE));
        assert_eq!(regress(&[&y, &y], &y, Link::Linear).coefficients[0].reason, Some(SINGULAR));
        let binary = Intervals::points(&[0.0, 0.0, 1.0, 1.0]).unwrap();
        assert_eq!(regress(&[&y], &binary, Link::Logistic).intercept.reason, Some(SINGULAR), "separated");
        assert!(regress(&[&y], &y, Link::Logistic).intercept.reason.unwrap().contains("0 or 1"));
        assert!(regress(&[&y, &y, &y, &y], &y, Link::Linear).intercept.reason.is_some());
    }
}
