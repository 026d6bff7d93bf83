//! Re-identification risk of the released rows, recounted: the figures of a certificate's `risk`.
//!
//! The risk of a row is 1 over the number of rows that cannot be distinguished from it; starred
//! rows have none. Costs one step per released class. Of the figures before the release, which
//! guarantee nothing, only the number of rows is checked.

use super::claims::Judged;
use super::groups::View;
use super::pace::Pace;
use super::side::Side;
use super::verdict::{Finding, Wrong};
use throng_terms::error::Result;
use throng_terms::policy::Missing;
use throng_terms::release::{Release, Risks, RowRisk};

/// Figures that are sums of fractions may differ by this much.
const CLOSE: f64 = 1e-9;

/// Whether the figures are those of the released rows; none where the certificate has none.
pub(super) fn risk(
    release: &Release,
    missing: Missing,
    released: &Side,
    judged: &Judged,
    pace: &Pace<'_>,
) -> Result<Option<Finding>> {
    let Some(claimed) = release.risk.as_ref() else { return Ok(None) };
    let found = of_rows((released, &judged.counts), missing, claimed.threshold, pace)?;
    let mut wrong = Wrong::default();
    for (name, claimed, found) in pairs(claimed, &found) {
        // NaN is not close to anything.
        let close = (claimed - found).abs() <= CLOSE;
        if !close {
            wrong.push(format!("{name} is {found}, the certificate says {claimed}"));
        }
    }
    let left = release.rows.saturating_sub(release.deleted_rows());
    if claimed.before.rows != left {
        wrong.push(format!("risk before is of {} rows, the input has {left}", claimed.before.rows));
    }
    Ok(Some(Finding::of(&wrong, || {
        format!(
            "the highest risk of a released row is {:.4}, the mean {:.4}",
            found.prosecutor, found.marketer
        )
    })))
}

fn pairs(claimed: &Risks, found: &RowRisk) -> [(&'static str, f64, f64); 7] {
    let after = &claimed.after;
    [
        ("rows", after.rows as f64, found.rows as f64),
        ("classes", after.classes as f64, found.classes as f64),
        ("unique_rows", after.unique_rows as f64, found.unique_rows as f64),
        ("smallest", after.smallest as f64, found.smallest as f64),
        ("prosecutor", after.prosecutor, found.prosecutor),
        ("marketer", after.marketer, found.marketer),
        ("at_risk", after.at_risk, found.at_risk),
    ]
}

fn of_rows(
    (released, counts): (&Side, &[u64]),
    missing: Missing,
    threshold: f64,
    pace: &Pace<'_>,
) -> Result<RowRisk> {
    let columns: Vec<usize> = (0..released.classes.tuples.width()).collect();
    let sizes = View::new(&released.classes.tuples, &columns, pace)?.sizes(counts, missing, pace)?;
    let mut found = RowRisk { smallest: u64::MAX, ..RowRisk::default() };
    for (&rows, &size) in counts.iter().zip(&sizes).filter(|(rows, _)| **rows > 0) {
        let risk = 1.0 / size as f64;
        found.rows += rows;
        found.classes += 1;
        found.smallest = found.smallest.min(size);
        found.unique_rows += if size == 1 { rows } else { 0 };
        found.prosecutor = found.prosecutor.max(risk);
        found.marketer += rows as f64 * risk;
        found.at_risk += if risk > threshold { rows as f64 } else { 0.0 };
    }
    if found.rows == 0 {
        return Ok(RowRisk::default());
    }
    found.marketer /= found.rows as f64;
    found.at_risk /= found.rows as f64;
    Ok(found)
}
