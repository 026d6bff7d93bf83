//! Figures of single rows, for the holder alone: whether a row is suppressed, how many rows look
//! like it, its precision [Katirai 2006, equation 2], and its part of every loss that is a mean over
//! rows.
//!
//! Written as CSV with a line for every row of the input. A figure is one value per class of the
//! recoded table. Costs eight bytes per class and figure.

use std::fmt::Write;

use crate::error::Result;
use crate::loss::row_losses;
use crate::policy::LossParameters;
use crate::recoded::Recoded;
use crate::registry::LossKind;

/// The figures of the rows of a recoded table.
#[derive(Debug, Clone)]
pub struct RowFigures {
    /// Class → rows of the release that look like its rows; none if they are suppressed.
    sizes: Vec<Option<u64>>,
    /// Figure → class → value.
    figures: Vec<(String, Vec<f64>)>,
}

impl RowFigures {
    /// Of some losses with their weights, those that are means over rows; others have no part in a
    /// row.
    ///
    /// # Errors
    /// Parameters that a loss does not have.
    pub fn new<'a>(
        recoded: &Recoded,
        losses: impl IntoIterator<Item = (LossParameters, &'a [f64])>,
    ) -> Result<Self> {
        let classes = 0..recoded.base().len();
        let size = |class: usize| {
            let look = &recoded.looks()[recoded.look_of(class)];
            (!recoded.suppresses(class)).then_some(look.released)
        };
        let mut figures = Vec::new();
        let mut precision = None;
        let plain = vec![1.0; recoded.columns().len()];
        for (parameters, weights) in losses {
            let Some(values) = row_losses(recoded, &parameters, weights)? else { continue };
            if parameters.kind == LossKind::Prec {
                let loss = row_losses(recoded, &LossParameters::new(LossKind::Prec), &plain)?;
                precision = loss.map(|loss| loss.iter().map(|loss| 1.0 - loss).collect::<Vec<f64>>());
            }
            figures.push((parameters.kind.to_string(), values));
        }
        figures.splice(0..0, precision.map(|values| ("precision".to_owned(), values)));
        Ok(RowFigures { sizes: classes.map(size).collect(), figures })
    }

    /// With one more figure: class → value.
    #[must_use]
    pub fn with(mut self, name: &str, values: Vec<f64>) -> Self {
        self.figures.push((name.to_owned(), values));
        self
    }

    /// Figure → class → value.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.figures.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// Writes a line for every row; `of_row` has the class of each, in order. A row without a class
    /// was deleted before anything else, and has no figures.
    ///
    /// # Errors
    /// What `write` returns.
    pub fn write(&self, of_row: &[u32], write: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        let names = self.figures.iter().map(|(name, _)| format!(",{name}"));
        write(&format!("row,suppressed,class_size{}\n", names.collect::<String>()))?;
        let mut line = String::new();
        for (row, &class) in of_row.iter().enumerate() {
            line.clear();
            let class = ((class as usize) < self.sizes.len()).then_some(class as usize);
            let size = class.and_then(|class| self.sizes[class]);
            let _ = write!(line, "{},{},", row + 1, size.is_none());
            let _ = size.map_or(Ok(()), |size| write!(line, "{size}"));
            for (_, values) in &self.figures {
                line.push(',');
                let _ = class.map_or(Ok(()), |class| write!(line, "{}", values[class]));
            }
            line.push('\n');
            write(&line)?;
        }
        Ok(())
    }
}
