//! Logistic regression for classes by Newton's method with a ridge; several classes are fitted one
//! against the rest.
//!
//! The ridge, a ten-thousandth of the rows' weight, keeps separable classes from infinite
//! coefficients. A step that lowers the likelihood is halved. Costs at most 60 times a linear
//! regression, per class.

use super::design::Design;
use super::sheet::{Sheet, Target};
use super::{Model, unfit};
use crate::error::Result;

const RIDGE: f64 = 1e-4;
const STEPS: usize = 60;
/// A step that changes no coefficient by more is the last.
const CLOSE: f64 = 1e-10;

struct Logistic {
    design: Design,
    /// Class → coefficients; one entry where there are two classes, of the second.
    classes: Vec<Vec<f64>>,
    of: usize,
}

pub(super) fn fit(sheet: &Sheet, _: u64) -> Result<Box<dyn Model>> {
    let Target::Class(of) = sheet.target() else { return Err(unfit("logistic", sheet.target()).into()) };
    let design = Design::new(sheet);
    design.bounded()?;
    let wanted: Vec<u32> = if of == 2 { vec![1] } else { (0..of).collect() };
    let classes = wanted.iter().map(|&class| one(sheet, &design, class)).collect::<Result<_>>()?;
    Ok(Box::new(Logistic { design, classes, of: of as usize }))
}

/// One class against all others.
fn one(sheet: &Sheet, design: &Design, class: u32) -> Result<Vec<f64>> {
    let ridge = RIDGE * sheet.weight();
    let is = |target: f64| f64::from(u8::from(target == f64::from(class)));
    let mut now = vec![0.0; design.width()];
    let mut cost = penalized(sheet, design, class, &now, ridge);
    for _ in 0..STEPS {
        let rows = sheet.rows().iter().map(|row| {
            let p = share(design.sum(&now, &row.cells));
            (row.cells.clone(), (row.weight * p * (1.0 - p)).max(1e-12), row.weight * (is(row.target) - p))
        });
        let step = design.solve(rows, ridge, &now)?;
        let mut by = 1.0;
        let moved = loop {
            let moved: Vec<f64> = now.iter().zip(&step).map(|(at, step)| at + by * step).collect();
            let next = penalized(sheet, design, class, &moved, ridge);
            if next <= cost || by < 1e-6 {
                cost = next.min(cost);
                break moved;
            }
            by /= 2.0;
        };
        let most = step.iter().map(|s| (by * s).abs()).fold(0.0, f64::max);
        now = moved;
        if most < CLOSE {
            break;
        }
    }
    Ok(now)
}

/// Minus the logarithm of the likelihood, and what the ridge adds to it.
fn penalized(sheet: &Sheet, design: &Design, class: u32, coefficients: &[f64], ridge: f64) -> f64 {
    let row = |row: &super::sheet::Line| {
        let x = design.sum(coefficients, &row.cells);
        let x = if row.target == f64::from(class) { -x } else { x };
        // log(1 + eˣ) without overflow.
        row.weight * (x.max(0.0) + (-x.abs()).exp().ln_1p())
    };
    let held: f64 = coefficients[1..].iter().map(|c| c * c).sum();
    sheet.rows().iter().map(row).sum::<f64>() + ridge / 2.0 * held
}

fn share(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Model for Logistic {
    fn predict(&self, cells: &[f64]) -> Vec<f64> {
        let shares: Vec<f64> =
            self.classes.iter().map(|coefficients| share(self.design.sum(coefficients, cells))).collect();
        if self.of == 2 {
            return vec![1.0 - shares[0], shares[0]];
        }
        let all: f64 = shares.iter().sum();
        let even = 1.0 / shares.len().max(1) as f64;
        shares.iter().map(|share| if all > 0.0 { share / all } else { even }).collect()
    }
}
