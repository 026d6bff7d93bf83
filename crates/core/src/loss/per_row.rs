//! The loss of single rows, for losses that are means over rows: `prec` of a row is 1 − prec_row
//! [Katirai 2006, equation 2].
//!
//! A row is priced by the same definition as a table, as the only row of one, with what is known of
//! the whole table: leaves, and information about the targets. So the mean over rows is the loss of
//! the table. Losses that are sums, that look at other rows, or that aggregate columns by maximum or
//! geometric mean have no such parts. Costs one definition per class and loss.

use super::price::Price;
use super::{Asked, LossParameters};
use crate::error::Result;
use crate::policy::Aggregate;
use crate::recoded::Recoded;
use crate::registry::LossKind;

/// Class of a recoded table → what each of its rows costs; none if the loss is not a mean over
/// rows.
///
/// # Errors
/// A parameter that the loss does not have, or a loss of labels for a table without a target.
pub fn row_losses(
    recoded: &Recoded,
    parameters: &LossParameters,
    weights: &[f64],
) -> Result<Option<Vec<f64>>> {
    if !is_mean_over_rows(&Asked::new(parameters)) {
        return Ok(None);
    }
    let cost = |class: usize| Price::of_row(recoded, class).loss(parameters, weights);
    (0..recoded.base().len()).map(cost).collect::<Result<Vec<f64>>>().map(Some)
}

fn is_mean_over_rows(asked: &Asked) -> bool {
    let linear = matches!(asked.aggregate, Aggregate::Mean | Aggregate::Sum);
    match asked.kind {
        LossKind::Prec | LossKind::Vinterbo | LossKind::ColumnMi | LossKind::ValueMi | LossKind::Lm => linear,
        LossKind::Ambiguity => true,
        // Sums over rows: a part of the sum belongs to no row.
        LossKind::Entropy | LossKind::ConditionalEntropy | LossKind::ILoss => false,
        // A row by itself has no class, and no level.
        LossKind::Dm | LossKind::DmStar | LossKind::Aecs | LossKind::Cm => false,
        LossKind::Height | LossKind::Absolute | LossKind::Relative => false,
        // A statistic is of all rows.
        LossKind::Width => false,
    }
}
