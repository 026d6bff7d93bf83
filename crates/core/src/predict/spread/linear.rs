//! Linear and logistic regression with a ridge [Hoerl 1970] on the expected values of cells.
//!
//! Coordinates are a constant, every number standardized, and the chance of every category. If a
//! value is spread within its cell independently of the target, a regression on expected values has
//! the coefficients of the original (Berkson's error model) [Carroll 2006, 3.2]. Newton's method,
//! whose equations are solved by conjugate gradients, so that no matrix is formed: a step costs the
//! rows × columns, and the parts of the distinct cells. Several classes are fitted one against the
//! rest.

use super::{Column, Model, Recipe, Sample, Spread};
use crate::predict::sheet::Target;

/// Newton steps, and conjugate gradients of each, at most.
const STEPS: usize = 25;
const GRADIENTS: usize = 60;
/// A gradient as small as this part of the weight is none.
const CLOSE: f64 = 1e-7;

/// How the cells of a column become coordinates.
#[derive(Debug, Clone, Copy)]
enum Axis {
    /// Its place, mean and deviation.
    Number(usize, f64, f64),
    /// The place of the first part.
    Category(usize),
}

impl Axis {
    /// Σ coefficient × coordinate of a cell.
    fn score(self, coefficients: &[f64], cell: &Spread) -> f64 {
        match self {
            Axis::Number(at, mean, deviation) => coefficients[at] * (cell.mean - mean) / deviation,
            Axis::Category(at) => {
                cell.parts.iter().map(|&(part, share)| share * coefficients[at + part as usize]).sum()
            }
        }
    }

    /// Adds a cell's coordinates, or their squares, times a number.
    fn add(self, to: &mut [f64], cell: &Spread, times: f64, squared: bool) {
        let power = |x: f64| if squared { x * x } else { x };
        match self {
            Axis::Number(at, mean, deviation) => to[at] += times * power((cell.mean - mean) / deviation),
            Axis::Category(at) => {
                cell.parts.iter().for_each(|&(part, share)| to[at + part as usize] += times * power(share))
            }
        }
    }
}

struct Linear {
    axes: Vec<Axis>,
    /// Class → coefficients; one entry for numbers, and for two classes that of the second.
    fitted: Vec<Vec<f64>>,
    target: Target,
}

pub(super) fn fit(recipe: &Recipe, sample: &Sample) -> impl Model + use<> {
    let problem = Regression::new(sample, recipe.ridge * sample.weight());
    let fitted = match sample.target() {
        Target::Number => {
            let weight = sample.weight();
            let mean = sample.targets.iter().zip(&sample.weights).map(|(y, w)| y * w).sum::<f64>() / weight;
            let centred: Vec<f64> = sample.targets.iter().map(|y| y - mean).collect();
            let mut coefficients = problem.linear(&centred);
            coefficients[0] += mean;
            vec![coefficients]
        }
        Target::Class(of) => {
            let wanted: Vec<u32> = if of == 2 { vec![1] } else { (0..of).collect() };
            wanted.iter().map(|&class| problem.logistic(f64::from(class))).collect()
        }
    };
    Linear { axes: problem.axes, fitted, target: sample.target() }
}

/// A sample with its coordinates.
struct Regression<'a> {
    sample: &'a Sample,
    axes: Vec<Axis>,
    width: usize,
    ridge: f64,
}

impl<'a> Regression<'a> {
    fn new(sample: &'a Sample, ridge: f64) -> Self {
        let mut width = 1;
        let mut axes = Vec::new();
        for (column, cells) in sample.columns.iter().zip(&sample.cells) {
            let at = width;
            width += if column.ordered { 1 } else { column.parts };
            axes.push(if column.ordered {
                standardized(sample, column, cells, at)
            } else {
                Axis::Category(at)
            });
        }
        Regression { sample, axes, width, ridge }
    }

    /// Row → Σ coefficient × coordinate.
    fn apply(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut sums = vec![coefficients[0]; self.sample.len()];
        for ((column, cells), axis) in self.sample.columns.iter().zip(&self.sample.cells).zip(&self.axes) {
            let scores: Vec<f64> = column.cells.iter().map(|cell| axis.score(coefficients, cell)).collect();
            sums.iter_mut().zip(cells).for_each(|(sum, &cell)| *sum += scores[cell as usize]);
        }
        sums
    }

    /// Coordinate → Σ over rows of a number × the coordinate, or its square.
    fn adjoint(&self, numbers: &[f64], squared: bool) -> Vec<f64> {
        let mut sums = vec![0.0; self.width];
        sums[0] = numbers.iter().sum();
        for ((column, cells), axis) in self.sample.columns.iter().zip(&self.sample.cells).zip(&self.axes) {
            let mut by_cell = vec![0.0; column.cells.len()];
            cells.iter().zip(numbers).for_each(|(&cell, number)| by_cell[cell as usize] += number);
            let cells = column.cells.iter().zip(&by_cell).filter(|(_, number)| **number != 0.0);
            cells.for_each(|(cell, &number)| axis.add(&mut sums, cell, number, squared));
        }
        sums
    }

    /// Solves (Σ w·x·xᵀ + ridge) d = right by conjugate gradients with the diagonal as
    /// preconditioner; the constant is not penalized.
    fn solve(&self, weights: &[f64], right: &[f64], accuracy: f64) -> Vec<f64> {
        let mut diagonal = self.adjoint(weights, true);
        diagonal.iter_mut().skip(1).for_each(|d| *d += self.ridge);
        diagonal.iter_mut().for_each(|d| *d = if *d > 0.0 { *d } else { 1.0 });
        let times = |v: &[f64]| {
            let rows: Vec<f64> = self.apply(v).iter().zip(weights).map(|(z, w)| z * w).collect();
            let mut product = self.adjoint(&rows, false);
            product.iter_mut().zip(v).skip(1).for_each(|(p, v)| *p += self.ridge * v);
            product
        };
        let (mut found, mut rest) = (vec![0.0; self.width], right.to_vec());
        let scaled = |rest: &[f64]| -> Vec<f64> { rest.iter().zip(&diagonal).map(|(r, d)| r / d).collect() };
        let mut direction = scaled(&rest);
        let mut length = dot(&rest, &direction);
        let end = accuracy * accuracy * length;
        for _ in 0..GRADIENTS.max(self.width.min(4 * GRADIENTS)) {
            if length <= end || length <= 0.0 {
                break;
            }
            let product = times(&direction);
            let step = length / dot(&direction, &product);
            if !step.is_finite() {
                break;
            }
            found.iter_mut().zip(&direction).for_each(|(f, d)| *f += step * d);
            rest.iter_mut().zip(&product).for_each(|(r, p)| *r -= step * p);
            let next = scaled(&rest);
            let longer = dot(&rest, &next);
            let turn = longer / length;
            direction.iter_mut().zip(&next).for_each(|(d, n)| *d = n + turn * *d);
            length = longer;
        }
        found
    }

    fn linear(&self, targets: &[f64]) -> Vec<f64> {
        let weighted: Vec<f64> = targets.iter().zip(&self.sample.weights).map(|(y, w)| y * w).collect();
        self.solve(&self.sample.weights, &self.adjoint(&weighted, false), 1e-9)
    }

    /// One class against all others.
    fn logistic(&self, class: f64) -> Vec<f64> {
        let weights = &self.sample.weights;
        let is: Vec<f64> = self.sample.targets.iter().map(|y| f64::from(u8::from(*y == class))).collect();
        let mut now = vec![0.0; self.width];
        let mut sums = self.apply(&now);
        let mut cost = self.cost(&sums, &is, &now);
        let enough = CLOSE * self.sample.weight();
        for _ in 0..STEPS {
            let chances: Vec<f64> = sums.iter().map(|&z| chance(z)).collect();
            let errors: Vec<f64> =
                chances.iter().zip(&is).zip(weights).map(|((p, y), w)| w * (y - p)).collect();
            let mut gradient = self.adjoint(&errors, false);
            gradient.iter_mut().zip(&now).skip(1).for_each(|(g, b)| *g -= self.ridge * b);
            if gradient.iter().all(|g| g.abs() <= enough) {
                break;
            }
            let curvature: Vec<f64> =
                chances.iter().zip(weights).map(|(p, w)| (w * p * (1.0 - p)).max(1e-12)).collect();
            let step = self.solve(&curvature, &gradient, 1e-3);
            let mut by = 1.0;
            let (moved, there, less) = loop {
                let moved: Vec<f64> = now.iter().zip(&step).map(|(at, step)| at + by * step).collect();
                let there = self.apply(&moved);
                let less = self.cost(&there, &is, &moved);
                if less <= cost || by < 1e-6 {
                    break (moved, there, less);
                }
                by /= 2.0;
            };
            if less > cost {
                break;
            }
            (now, sums, cost) = (moved, there, less);
        }
        now
    }

    /// Minus the logarithm of the likelihood, and what the ridge adds to it.
    fn cost(&self, sums: &[f64], is: &[f64], coefficients: &[f64]) -> f64 {
        let row = |((z, y), w): ((&f64, &f64), &f64)| {
            let x = if *y > 0.5 { -z } else { *z };
            // log(1 + eˣ) without overflow.
            w * (x.max(0.0) + (-x.abs()).exp().ln_1p())
        };
        let held: f64 = coefficients[1..].iter().map(|c| c * c).sum();
        sums.iter().zip(is).zip(&self.sample.weights).map(row).sum::<f64>() + self.ridge / 2.0 * held
    }
}

fn standardized(sample: &Sample, column: &Column, cells: &[u32], at: usize) -> Axis {
    let all = sample.weight();
    let of = |cell: &u32| column.cells[*cell as usize].mean;
    let mean = cells.iter().zip(&sample.weights).map(|(cell, w)| w * of(cell)).sum::<f64>() / all;
    let squares = cells.iter().zip(&sample.weights).map(|(cell, w)| w * (of(cell) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / all).sqrt();
    Axis::Number(at, mean, if deviation > 0.0 { deviation } else { 1.0 })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn chance(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

impl Model for Linear {
    fn predict(&self, cells: &[&Spread]) -> Vec<f64> {
        let sum = |coefficients: &Vec<f64>| {
            let columns = self.axes.iter().zip(cells);
            coefficients[0] + columns.map(|(axis, cell)| axis.score(coefficients, cell)).sum::<f64>()
        };
        let sums = self.fitted.iter().map(sum);
        match self.target {
            Target::Number => sums.collect(),
            Target::Class(2) => {
                let chances: Vec<f64> = sums.map(chance).collect();
                vec![1.0 - chances[0], chances[0]]
            }
            Target::Class(of) => {
                let chances: Vec<f64> = sums.map(chance).collect();
                let all: f64 = chances.iter().sum();
                let even = 1.0 / f64::from(of.max(1));
                chances.iter().map(|share| if all > 0.0 { share / all } else { even }).collect()
            }
        }
    }
}
