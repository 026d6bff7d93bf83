//! Combines per-column losses into the loss of a table. Costs one addition per column.

use crate::policy::Aggregate;

/// Puts weighted column losses together; `parts` are given in column order.
pub(super) fn aggregate(how: Aggregate, parts: impl ExactSizeIterator<Item = f64>) -> f64 {
    let m = parts.len().max(1) as f64;
    // Adding zero turns the −0 that a sum of nothing can be into 0.
    0.0 + match how {
        Aggregate::Mean => parts.sum::<f64>() / m,
        Aggregate::Sum => parts.sum(),
        Aggregate::Max => parts.fold(0.0, f64::max),
        Aggregate::Geometric => parts.map(|p| p + 1.0).product::<f64>().powf(1.0 / m) - 1.0,
    }
}
