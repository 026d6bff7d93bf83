//! Skewness and kurtosis as enclosures, and confidence limits of the mean.
//!
//! The range of means is cut into pieces. For a piece around m₀, the third and fourth powers of
//! (x − m₀) are added up cell by cell, with a multiplier for the condition that their mean is near
//! m₀ (Lagrange), and corrected for the width of the piece. The result is divided by the bounds of
//! the standard deviation, and never exceeds what any table of this many rows can have [Wilkins
//! 1944; Dalén 1987]. Costs a pass per piece and multiplier; equal cells are added up first.
//!
//! A confidence limit is the mean ± t·s/√n with the t of the rows [Xiang 2014, 4]. Both limits are
//! enclosed by the bounds of mean and deviation.

use rustc_hash::FxHashMap;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::bounds::Bounds;
use crate::data::Intervals;
use crate::means::{EMPTY, mean};
use crate::rounding::{EnclosedSum, Enclosure};
use crate::variance::{Divisor, Spread};

/// Pieces that the range of means is cut into, and cells × pieces × multipliers at most.
const PIECES: usize = 64;
const WORK: usize = 1 << 22;
const POWERS: &str = "pieces";

/// Skewness and kurtosis.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The third central moment: the mean of (x − m)³.
    pub third_moment: Bounds,
    /// The third central moment divided by the cube of the population's standard deviation.
    pub skewness: Bounds,
    /// The fourth central moment divided by the square of the population's variance; 3 for a normal
    /// distribution.
    pub kurtosis: Bounds,
}

impl Shape {
    /// Of cells, whose variance is known.
    pub fn new(data: &Intervals, spread: &Spread) -> Self {
        if data.is_empty() {
            let none = Bounds::none(EMPTY);
            return Shape { third_moment: none, skewness: none, kurtosis: none };
        }
        let variance = spread.variance(Divisor::Population).enclosed();
        let rows = data.total_weight();
        let (third, fourth) = if data.is_bounded() {
            Groups::new(data).moments(mean(data).enclosed(), variance, rows)
        } else {
            (Enclosure::ANY, Enclosure { low: 0.0, high: f64::INFINITY })
        };
        let sharp = data.is_exact();
        let bounds = |at: Enclosure| {
            let method = if sharp { "points" } else { POWERS };
            Bounds::sharp(at, method).exactly(sharp)
        };
        let third_moment = bounds(third);
        if variance.high == 0.0 {
            let none = Bounds::none("all cells are the same number");
            return Shape { third_moment, skewness: none, kurtosis: none };
        }
        // The share of the lightest row bounds how far a single row can stand out.
        let least = (0..data.len()).map(|at| data.weight(at)).fold(f64::INFINITY, f64::min);
        let share = Enclosure::point(least) / rows;
        let one = Enclosure::point(1.0);
        let product = share * (one - share);
        let skewest = ((one - share - share).square() / product).sqrt().high;
        let heaviest = (one / product - Enclosure::point(3.0)).high.max(1.0);
        let deviation = variance.sqrt();
        let skewness = (third / (deviation * variance)).meet(Enclosure { low: -skewest, high: skewest });
        let kurtosis = (fourth / variance.square()).meet(Enclosure { low: 1.0, high: heaviest });
        Shape { third_moment, skewness: bounds(skewness), kurtosis: bounds(kurtosis) }
    }
}

/// Equal cells, with their rows.
struct Groups {
    cells: Vec<(Enclosure, f64)>,
}

impl Groups {
    fn new(data: &Intervals) -> Self {
        let mut places: FxHashMap<(u64, u64), usize> = FxHashMap::default();
        let mut cells: Vec<(Enclosure, f64)> = Vec::new();
        for at in 0..data.len() {
            let cell = data.at(at);
            let weight = data.weight(at);
            // Fractions of weights are kept apart: their sum would be rounded.
            let whole = weight.fract() == 0.0 && weight < 1e9;
            let key = (cell.low.to_bits(), cell.high.to_bits());
            match places.get(&key).filter(|_| whole) {
                Some(&place) if cells[place].1 < 1e15 => cells[place].1 += weight,
                _ => {
                    if whole {
                        places.insert(key, cells.len());
                    }
                    cells.push((cell, weight));
                }
            }
        }
        Groups { cells }
    }

    /// The third and the fourth central moment.
    fn moments(&self, means: Enclosure, variance: Enclosure, rows: Enclosure) -> (Enclosure, Enclosure) {
        let width = means.high - means.low;
        let most = (WORK / self.cells.len().max(1) / 6).clamp(1, PIECES);
        let pieces = if width > 0.0 { most } else { 1 };
        let mut found: Option<(Enclosure, Enclosure)> = None;
        for piece in 0..pieces {
            let from = means.low + width * piece as f64 / pieces as f64;
            let to = if piece + 1 == pieces {
                means.high
            } else {
                means.low + width * (piece + 1) as f64 / pieces as f64
            };
            let here = self.around(Enclosure { low: from, high: to.max(from) }, variance, rows);
            found = Some(found.map_or(here, |(third, fourth)| (third.hull(here.0), fourth.hull(here.1))));
        }
        let (third, fourth) = found.unwrap_or((Enclosure::ANY, Enclosure::ANY));
        // The fourth moment is at least the square of the variance.
        (third, Enclosure { low: fourth.low.max(variance.square().low), high: fourth.high })
    }

    /// Both moments of originals with a mean in a piece.
    fn around(&self, piece: Enclosure, variance: Enclosure, rows: Enclosure) -> (Enclosure, Enclosure) {
        let m = piece.mid();
        let offset = piece - Enclosure::point(m);
        let [three, four, six] = [3.0, 4.0, 6.0].map(Enclosure::point);
        // E(x − mean)³ = E d³ − 3δV − δ³ with d = x − m and δ = mean − m.
        let cubes = self.mean_power(m, offset, variance, rows, 3);
        let third = cubes - three * offset * variance - offset.cube();
        // E(x − mean)⁴ = E d⁴ − 4δ·E d³ + 6δ²V + 3δ⁴.
        let fourths = self.mean_power(m, offset, variance, rows, 4);
        let square = offset.square();
        let fourth = fourths - four * offset * cubes + six * square * variance + three * square.square();
        (third, fourth)
    }

    /// The mean of (x − m)^p, for originals whose mean is m + δ: Σ max(d^p − λd) + λ·W·δ for the
    /// best of some multipliers λ, and the same from below.
    fn mean_power(
        &self,
        m: f64,
        offset: Enclosure,
        variance: Enclosure,
        rows: Enclosure,
        p: u8,
    ) -> Enclosure {
        let scale = if p == 3 { variance.mid() * 3.0 } else { variance.mid().powf(1.5) * 4.0 };
        let multipliers: &[f64] = if p == 3 { &[0.0, 0.5, 1.0] } else { &[0.0, -1.0, 1.0] };
        let mut best = Enclosure::ANY;
        for &multiplier in multipliers {
            let multiplier = if scale.is_finite() { multiplier * scale } else { 0.0 };
            let mut sum = EnclosedSum::default();
            for &(cell, weight) in &self.cells {
                let d = cell - Enclosure::point(m);
                sum.add(Enclosure::point(weight) * power_less(d, multiplier, p));
            }
            let found = sum.total() / rows + Enclosure::point(multiplier) * offset;
            best = best.meet(found);
        }
        best
    }
}

/// The range of d^p − λd over an interval: at its ends and where the derivative is zero. Rounding
/// of that place is covered by the flatness of the function there and a margin.
fn power_less(d: Enclosure, multiplier: f64, p: u8) -> Enclosure {
    let at = |x: f64| {
        let x = Enclosure::point(x);
        let power = if p == 3 { x.cube() } else { x.square().square() };
        power - Enclosure::point(multiplier) * x
    };
    let mut range = at(d.low).hull(at(d.high));
    let mut turn = |x: f64| {
        // A place that rounding has moved out of the interval counts as well.
        let near = 1e-12 * x.abs();
        if d.low - near < x && x < d.high + near {
            // Between two floats around the turning point the function changes by less than the
            // curvature times the square of their distance.
            let value = at(x);
            let margin = 1e-14 * (value.magnitude() + (multiplier * x).abs());
            range = range.hull(Enclosure { low: value.low - margin, high: value.high + margin });
        }
    };
    if p == 3 {
        let x = (multiplier / 3.0).max(0.0).sqrt();
        turn(x);
        turn(-x);
    } else {
        turn((multiplier / 4.0).cbrt());
    }
    range
}

/// Skewness and kurtosis.
pub fn shape(data: &Intervals) -> Shape {
    Shape::new(data, &Spread::new(data))
}

/// The confidence limits of the mean: what its lower and its upper limit lie in.
pub fn confidence_limits(data: &Intervals, spread: &Spread, level: f64) -> (Bounds, Bounds) {
    let rows = data.total_weight();
    let none = |reason| (Bounds::none(reason), Bounds::none(reason));
    if !(level > 0.0 && level < 1.0) {
        return none("a confidence level lies between 0 and 1");
    }
    if rows.low <= 1.0 {
        return none("confidence limits need more than one row");
    }
    let Ok(t) = StudentsT::new(0.0, 1.0, rows.mid() - 1.0) else { return none(EMPTY) };
    let t = Enclosure::point(t.inverse_cdf(f64::midpoint(1.0, level)));
    let (mean, deviation) = (mean(data), spread.deviation(Divisor::Sample));
    let margin = t * deviation.enclosed() / rows.sqrt();
    let sharp = data.is_exact();
    let method = if sharp { "points" } else { "mean-and-deviation" };
    let bounds = |at: Enclosure| Bounds::sharp(at, method).exactly(sharp);
    (bounds(mean.enclosed() - margin), bounds(mean.enclosed() + margin))
}
