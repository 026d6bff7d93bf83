//! Linear regression: ridge least squares [Hoerl 1970], for numbers.
//!
//! The ridge is a millionth of the rows' weight: enough for a unique solution, too little to
//! matter. Costs rows × coordinates² and coordinates³.

use super::design::Design;
use super::sheet::{Sheet, Target};
use super::{Model, unfit};
use crate::error::Result;

/// The ridge as a part of the rows' weight.
pub(super) const RIDGE: f64 = 1e-6;

struct Linear {
    design: Design,
    coefficients: Vec<f64>,
}

pub(super) fn fit(sheet: &Sheet, _: u64) -> Result<Box<dyn Model>> {
    if sheet.target() != Target::Number {
        return Err(unfit("linear", sheet.target()).into());
    }
    let design = Design::new(sheet);
    design.bounded()?;
    let rows = sheet.rows().iter().map(|row| (row.cells.clone(), row.weight, row.weight * row.target));
    let coefficients = design.solve(rows, RIDGE * sheet.weight(), &vec![0.0; design.width()])?;
    Ok(Box::new(Linear { design, coefficients }))
}

impl Model for Linear {
    fn predict(&self, cells: &[f64]) -> Vec<f64> {
        vec![self.design.sum(&self.coefficients, cells)]
    }

    fn adds(&self, cell: Option<(usize, f64)>) -> Option<f64> {
        let (at, x) = cell.map_or((0, 1.0), |(feature, cell)| self.design.coordinate(feature, cell));
        Some(self.coefficients[at] * x)
    }
}
