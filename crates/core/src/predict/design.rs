//! The design matrix of linear models, and the solution of their equations.
//!
//! Coordinates: a constant, every number standardized by mean and deviation, and one per category.
//! The coordinates of a category sum to the constant, and columns may be collinear; a small ridge
//! [Hoerl 1970] makes the solution unique. Costs rows × coordinates² and coordinates³.

use super::sheet::{Feature, Sheet};
use crate::error::Result;
use crate::fault;

/// Most coordinates: 32 MB of equations, solved in seconds.
const MOST: usize = 2_000;

/// How features become coordinates.
#[derive(Debug, Clone)]
pub(super) struct Design {
    features: Vec<Feature>,
    /// Feature → mean and deviation; 0 and 1 for categories.
    scales: Vec<(f64, f64)>,
    width: usize,
}

impl Design {
    pub(super) fn new(sheet: &Sheet) -> Self {
        let all = sheet.weight();
        let scale = |(at, feature): (usize, &Feature)| {
            if *feature != Feature::Number {
                return (0.0, 1.0);
            }
            let mean = sheet.rows().iter().map(|r| r.weight * r.cells[at]).sum::<f64>() / all;
            let spread = |r: &super::sheet::Line| r.weight * (r.cells[at] - mean).powi(2);
            let deviation = (sheet.rows().iter().map(spread).sum::<f64>() / all).sqrt();
            (mean, if deviation > 0.0 { deviation } else { 1.0 })
        };
        let wide = |feature: &Feature| match feature {
            Feature::Number => 1,
            Feature::Category(of) => *of as usize,
        };
        let features = sheet.features().to_vec();
        Design {
            scales: features.iter().enumerate().map(scale).collect(),
            width: 1 + features.iter().map(wide).sum::<usize>(),
            features,
        }
    }

    /// Coordinates of a row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Refuses more coordinates than equations can be solved for.
    pub(super) fn bounded(&self) -> Result<()> {
        if self.width <= MOST {
            return Ok(());
        }
        Err(fault!(
            Data,
            "predict.too-many-values",
            "the features have {values} values in all, and a linear model takes {limit} at most",
            values = self.width,
            limit = MOST
        )
        .help("name features with fewer values, or ask for a \"tree\" or a \"forest\"")
        .into())
    }

    /// The coordinate of a cell of a feature that is not 0, and what it is.
    pub(super) fn coordinate(&self, feature: usize, cell: f64) -> (usize, f64) {
        let wide = |feature: &Feature| match feature {
            Feature::Number => 1,
            Feature::Category(of) => *of as usize,
        };
        let at = 1 + self.features[..feature].iter().map(wide).sum::<usize>();
        match self.features[feature] {
            Feature::Number => {
                let (mean, deviation) = self.scales[feature];
                (at, (cell - mean) / deviation)
            }
            Feature::Category(_) => (at + cell as usize, 1.0),
        }
    }

    /// The coordinates of a row that are not 0.
    pub(super) fn each(&self, cells: &[f64], mut each: impl FnMut(usize, f64)) {
        each(0, 1.0);
        let mut at = 1;
        for ((feature, &cell), (mean, deviation)) in self.features.iter().zip(cells).zip(&self.scales) {
            match feature {
                Feature::Number => {
                    each(at, (cell - mean) / deviation);
                    at += 1;
                }
                Feature::Category(of) => {
                    each(at + cell as usize, 1.0);
                    at += *of as usize;
                }
            }
        }
    }

    /// Σ coefficient × coordinate.
    pub(super) fn sum(&self, coefficients: &[f64], cells: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(cells, |at, x| sum += coefficients[at] * x);
        sum
    }

    /// Solves (Σ w·x·xᵀ + ridge) b = Σ w·x·y − ridge·from for rows with weights w and values y; the
    /// constant is not penalized.
    pub(super) fn solve(
        &self,
        rows: impl Iterator<Item = (Vec<f64>, f64, f64)>,
        ridge: f64,
        from: &[f64],
    ) -> Result<Vec<f64>> {
        let n = self.width;
        let (mut matrix, mut right) = (vec![0.0; n * n], vec![0.0; n]);
        let mut row: Vec<(usize, f64)> = Vec::new();
        for (cells, weight, value) in rows {
            row.clear();
            self.each(&cells, |at, x| row.push((at, x)));
            for &(i, x) in &row {
                right[i] += x * value;
                row.iter().for_each(|&(j, y)| matrix[i * n + j] += weight * x * y);
            }
        }
        for i in 1..n {
            matrix[i * n + i] += ridge;
            right[i] -= ridge * from[i];
        }
        cholesky(matrix, right, n)
    }
}

/// Solves a positive definite system (Cholesky).
fn cholesky(mut a: Vec<f64>, mut b: Vec<f64>, n: usize) -> Result<Vec<f64>> {
    for i in 0..n {
        for j in 0..=i {
            let sum = a[i * n + j] - (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return Err(fault!(
                        Data,
                        "predict.dependent-features",
                        "the columns of the model depend on each other"
                    )
                    .help("leave out features that repeat each other, or ask for a \"tree\"")
                    .into());
                }
                a[i * n + i] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    for i in 0..n {
        b[i] = (b[i] - (0..i).map(|k| a[i * n + k] * b[k]).sum::<f64>()) / a[i * n + i];
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - (i + 1..n).map(|k| a[k * n + i] * b[k]).sum::<f64>()) / a[i * n + i];
    }
    Ok(b)
}
