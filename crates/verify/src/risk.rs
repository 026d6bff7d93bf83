//! Re-identification risk of the released rows, recounted: the figures of a certificate's `risk`.
//!
//! The risk of a row is 1 over the number of rows that cannot be distinguished from it, or of the
//! people whom these belong to; starred rows have none. Costs one step per released class. Of the
//! figures before the release, which guarantee nothing, only the number of rows is checked.

use super::claims::Judged;
use super::groups::View;
use super::side::Side;
use super::verdict::{Finding, Wrong};
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
    people: Option<&[u64]>,
) -> Option<Finding> {
    let claimed = release.risk.as_ref()?;
    let columns: Vec<usize> = (0..released.classes.tuples.width()).collect();
    let sizes = match people {
        Some(people) => people.to_vec(),
        None => View::new(&released.classes.tuples, &columns).sizes(&judged.counts, missing),
    };
    let found = of_rows(&sizes, &judged.counts, claimed.threshold);
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
    Some(Finding::of(&wrong, || {
        format!(
            "the highest risk of a released row is {:.4}, the mean {:.4}",
            found.prosecutor, found.marketer
        )
    }))
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

/// The figures of classes with these sizes and rows.
fn of_rows(sizes: &[u64], counts: &[u64], threshold: f64) -> RowRisk {
    let mut found = RowRisk { smallest: u64::MAX, ..RowRisk::default() };
    for (&rows, &size) in counts.iter().zip(sizes).filter(|(rows, _)| **rows > 0) {
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
        return RowRisk::default();
    }
    found.marketer /= found.rows as f64;
    found.at_risk /= found.rows as f64;
    found
}
