//! Covariance and Pearson's correlation of two columns of cells.
//!
//! For any a and b, the covariance is E(x − a)(y − b) − (m − a)(n − b) with the means m and n. The
//! first term is bounded cell by cell, by the four corners of a pair of cells. The range of m is
//! cut into pieces with a in the middle, and b is the minimum of a convex function: it plays the
//! part of a Lagrange multiplier for the mean. If one column is exact, the covariance is linear in
//! the other one and the bounds are sharp; for few rows all corners are enumerated [Ferson 2007,
//! 4.9]. In general the problem is NP-hard [Kreinovich 2006]. Costs a pass per piece and step;
//! equal pairs of cells are added up first.

use rustc_hash::FxHashMap;

use crate::bounds::Bounds;
use crate::data::Intervals;
use crate::means::{EMPTY, mean};
use crate::rounding::{EnclosedSum, Enclosure};
use crate::variance::{Divisor, Spread};

/// Rows whose corners are enumerated at most: 4^9 of them.
const FEW: usize = 9;
/// Pieces of the range of means, steps of the search for b, and cells × pieces × steps at most.
const PIECES: usize = 48;
const STEPS: usize = 24;
const WORK: usize = 1 << 26;

const UNEQUAL: &str = "the two columns have different numbers of cells";
const CONSTANT: &str = "a column does not vary";

/// Two columns of the same rows; the weights are those of the first.
#[derive(Debug, Clone)]
pub struct Pairs {
    /// Equal pairs of cells with their weight.
    cells: Vec<(Enclosure, Enclosure, f64)>,
    rows: Enclosure,
    means: [Enclosure; 2],
    variances: [Enclosure; 2],
    exact: [bool; 2],
    count: usize,
}

impl Pairs {
    /// Of the cells of two columns.
    ///
    /// # Errors
    /// Why there is no pair.
    pub fn new(x: &Intervals, y: &Intervals) -> Result<Self, &'static str> {
        if x.len() != y.len() {
            return Err(UNEQUAL);
        }
        if x.is_empty() {
            return Err(EMPTY);
        }
        let y = &weighted_as(y, x);
        let spread = |data: &Intervals| Spread::new(data).variance(Divisor::Population).enclosed();
        Ok(Pairs {
            cells: grouped(x, y),
            rows: x.total_weight(),
            means: [mean(x).enclosed(), mean(y).enclosed()],
            variances: [spread(x), spread(y)],
            exact: [x.is_exact(), y.is_exact()],
            count: x.len(),
        })
    }

    /// The covariance.
    pub fn covariance(&self, divisor: Divisor) -> Bounds {
        let found = self.population();
        if divisor == Divisor::Population {
            return found;
        }
        let less = self.rows - Enclosure::point(1.0);
        if less.low <= 0.0 {
            return Bounds::none("a sample covariance needs more than one row");
        }
        let at = found.enclosed() * (self.rows / less);
        Bounds { low: at.low, high: at.high, ..found }
    }

    fn population(&self) -> Bounds {
        let infinite = |cell: Enclosure| !(cell.low.is_finite() && cell.high.is_finite());
        if self.cells.iter().any(|&(x, y, _)| infinite(x) || infinite(y)) {
            return Bounds::enclosure(Enclosure::ANY, "unbounded");
        }
        // By Cauchy and Schwarz the product of the deviations is a bound as well.
        let most = (self.variances[0] * self.variances[1]).sqrt().high;
        let most = Enclosure { low: -most, high: most };
        if self.exact[0] || self.exact[1] {
            let method = if self.exact[0] && self.exact[1] { "points" } else { "linear" };
            return Bounds::sharp(self.linear().meet(most), method);
        }
        if self.count <= FEW && self.cells.iter().all(|&(_, _, w)| w == 1.0) {
            return Bounds::sharp(self.enumerated().meet(most), "enumeration");
        }
        let high = self.most(1.0);
        let low = -self.most(-1.0);
        Bounds::enclosure(Enclosure { low, high }.meet(most), "pieces")
    }

    /// The covariance if one column is exact: Σ w(x − m)(y − b)/W, with the exact mean m.
    fn linear(&self) -> Enclosure {
        let exact = usize::from(!self.exact[0]);
        let m = self.means[exact];
        let b = Enclosure::point(self.means[1 - exact].mid());
        let mut sum = EnclosedSum::default();
        for &(x, y, weight) in &self.cells {
            let (x, y) = if exact == 0 { (x, y) } else { (y, x) };
            sum.add(Enclosure::point(weight) * (x - m) * (y - b));
        }
        sum.total() / self.rows
    }

    /// The covariance over all corners.
    fn enumerated(&self) -> Enclosure {
        let n = self.cells.len();
        let mut range: Option<Enclosure> = None;
        for choice in 0..1usize << (2 * n) {
            let [mut xy, mut x, mut y] = [EnclosedSum::default(); 3];
            for (at, &(cell_x, cell_y, _)) in self.cells.iter().enumerate() {
                let bits = choice >> (2 * at);
                let a = Enclosure::point(if bits & 1 == 1 { cell_x.high } else { cell_x.low });
                let b = Enclosure::point(if bits & 2 == 2 { cell_y.high } else { cell_y.low });
                xy.add(a * b);
                x.add(a);
                y.add(b);
            }
            let found = xy.total() / self.rows - x.total() / self.rows * (y.total() / self.rows);
            range = Some(range.map_or(found, |range| range.hull(found)));
        }
        range.unwrap_or(Enclosure::ANY)
    }

    /// An upper bound of the covariance of sign·x and y.
    fn most(&self, sign: f64) -> f64 {
        let flip = |x: Enclosure| if sign < 0.0 { -x } else { x };
        let cells: Vec<(Enclosure, Enclosure, f64)> =
            self.cells.iter().map(|&(x, y, weight)| (flip(x), y, weight)).collect();
        let (mx, my) = (flip(self.means[0]), self.means[1]);
        let pieces = (WORK / STEPS / cells.len().max(1)).clamp(1, PIECES);
        let width = mx.high - mx.low;
        let edge = |piece: usize| mx.low + width * piece as f64 / pieces as f64;
        let piece = |piece: usize| {
            let to = if piece + 1 == pieces { mx.high } else { edge(piece + 1) };
            let part = Enclosure { low: edge(piece).min(to), high: to };
            most_in(&cells, part, my, self.rows)
        };
        (0..pieces).map(piece).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Pearson's correlation.
    pub fn correlation(&self) -> Bounds {
        let [x, y] = self.variances;
        if x.high == 0.0 || y.high == 0.0 {
            return Bounds::none(CONSTANT);
        }
        let sharp = self.exact == [true; 2];
        let quotient = self.population().enclosed() / (x * y).sqrt();
        // With a deviation that can be zero, the sign is still known.
        let quotient = if quotient == Enclosure::ANY { self.signed((x * y).sqrt().high) } else { quotient };
        let at = quotient.meet(Enclosure { low: -1.0, high: 1.0 });
        Bounds::sharp(at, if sharp { "points" } else { "quotient" }).exactly(sharp)
    }

    fn signed(&self, most: f64) -> Enclosure {
        let covariance = self.population().enclosed();
        let least = |x: f64| (Enclosure::point(x) / Enclosure::point(most)).low;
        match (covariance.low > 0.0, covariance.high < 0.0) {
            (true, _) => Enclosure { low: least(covariance.low), high: 1.0 },
            (_, true) => Enclosure { low: -1.0, high: -least(-covariance.high) },
            _ => Enclosure::ANY,
        }
    }

    /// The slope of the line that predicts y from x with the least squares.
    pub fn slope(&self) -> Bounds {
        if self.variances[0].high == 0.0 {
            return Bounds::none(CONSTANT);
        }
        let at = self.population().enclosed() / self.variances[0];
        if at == Enclosure::ANY {
            return Bounds::none("the first column need not vary");
        }
        let sharp = self.exact[0];
        let method = if self.exact == [true; 2] { "points" } else { "quotient" };
        Bounds::sharp(at, method).exactly(sharp)
    }
}

/// The same cells with the weights of others.
fn weighted_as(data: &Intervals, like: &Intervals) -> Intervals {
    let mut copy = Intervals::default();
    for at in 0..data.len() {
        let cell = data.at(at);
        let span = crate::data::Span::between(cell.low, cell.high);
        // Both are valid already.
        let _ = copy.push_weighted(span, like.weight(at));
    }
    copy
}

/// Equal pairs of cells, with their weights where these are whole.
fn grouped(x: &Intervals, y: &Intervals) -> Vec<(Enclosure, Enclosure, f64)> {
    let key = |a: Enclosure, b: Enclosure| [a.low, a.high, b.low, b.high].map(f64::to_bits);
    let mut places: FxHashMap<[u64; 4], usize> = FxHashMap::default();
    let mut cells: Vec<(Enclosure, Enclosure, f64)> = Vec::new();
    // Few rows are kept apart, because equal ones can differ in the original.
    let apart = x.len() <= FEW;
    for at in 0..x.len() {
        let (a, b, weight) = (x.at(at), y.at(at), x.weight(at));
        let whole = weight.fract() == 0.0 && weight < 1e9 && !apart;
        match places.get(&key(a, b)).filter(|_| whole) {
            Some(&place) if cells[place].2 < 1e15 => cells[place].2 += weight,
            _ => {
                if whole {
                    places.insert(key(a, b), cells.len());
                }
                cells.push((a, b, weight));
            }
        }
    }
    cells
}

/// An upper bound of the covariance if the mean of x lies in a piece.
fn most_in(cells: &[(Enclosure, Enclosure, f64)], piece: Enclosure, my: Enclosure, rows: Enclosure) -> f64 {
    let a = piece.mid();
    let corner = |b: f64| {
        let term = |&(x, y, weight): &(Enclosure, Enclosure, f64)| {
            let (left, right, below, above) = (x.low - a, x.high - a, y.low - b, y.high - b);
            weight * (left * below).max(left * above).max(right * below).max(right * above)
        };
        cells.iter().map(term).sum::<f64>()
    };
    let b = least_convex(my.low, my.high, corner);
    let (a, b) = (Enclosure::point(a), Enclosure::point(b));
    let mut sum = EnclosedSum::default();
    cells.iter().for_each(|&(x, y, weight)| sum.add(Enclosure::point(weight) * ((x - a) * (y - b))));
    (sum.total() / rows - (piece - a) * (my - b)).high
}

/// Where a convex function is least, by golden sections.
fn least_convex(mut from: f64, mut to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_895;
    let at = |from: f64, to: f64| (to - SECTION * (to - from), from + SECTION * (to - from));
    let (mut left, mut right) = at(from, to);
    let (mut below, mut above) = (f(left), f(right));
    for _ in 0..STEPS - 3 {
        if below < above {
            (to, right, above) = (right, left, below);
            left = at(from, to).0;
            below = f(left);
        } else {
            (from, left, below) = (left, right, above);
            right = at(from, to).1;
            above = f(right);
        }
    }
    f64::midpoint(from, to)
}

/// The covariance of two columns.
pub fn covariance(x: &Intervals, y: &Intervals, divisor: Divisor) -> Bounds {
    Pairs::new(x, y).map_or_else(Bounds::none, |pairs| pairs.covariance(divisor))
}

/// Pearson's correlation of two columns.
pub fn correlation(x: &Intervals, y: &Intervals) -> Bounds {
    Pairs::new(x, y).map_or_else(Bounds::none, |pairs| pairs.correlation())
}
