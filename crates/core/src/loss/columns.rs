//! Combines per-column losses into the loss of a table, and takes the combination apart again for
//! bounds of some columns by themselves. Costs one addition per column.

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

/// Terms whose sum gives the same by [`total`], to within rounding; none for a maximum.
pub(super) fn terms(how: Aggregate, parts: impl Iterator<Item = f64>) -> Option<Vec<f64>> {
    match how {
        Aggregate::Mean | Aggregate::Sum => Some(parts.collect()),
        Aggregate::Geometric => Some(parts.map(f64::ln_1p).collect()),
        Aggregate::Max => None,
    }
}

/// What terms with this sum give together, of `columns` columns.
pub(super) fn total(how: Aggregate, columns: usize, sum: f64) -> f64 {
    let m = columns.max(1) as f64;
    match how {
        Aggregate::Mean => sum / m,
        Aggregate::Sum | Aggregate::Max => sum,
        Aggregate::Geometric => (sum / m).exp_m1(),
    }
}
