//! The trade-off: which points no other one beats, and which one is recommended.
//!
//! A point beats another if neither its risk nor its loss is higher, and one of the two is lower.
//! Risk is the highest risk of a released row, 1 / smallest class; loss is the mean loss metric over
//! the quasi-identifiers of the given policy. Costs the square of the number of points.

use super::{Measured, Point};

/// Risk and loss of a point.
fn figures(measured: &Measured) -> (f64, f64) {
    (measured.risk.prosecutor, measured.loss)
}

/// Whether risk and loss `a` beat `b`.
pub fn beats(a: (f64, f64), b: (f64, f64)) -> bool {
    a.0 <= b.0 && a.1 <= b.1 && (a.0 < b.0 || a.1 < b.1)
}

/// Marks the points that no other one beats. Points that assume that outsiders do not know a column
/// are left aside: their risk is that of fewer columns. So are points without released rows.
pub(super) fn mark_front(points: &mut [Point]) {
    let compared = |point: &Point| {
        let measured = point.measured.as_ref().filter(|measured| measured.released > 0)?;
        (!point.assumes).then(|| figures(measured))
    };
    let all: Vec<Option<(f64, f64)>> = points.iter().map(compared).collect();
    for (point, own) in points.iter_mut().zip(&all) {
        point.front = own.is_some_and(|own| !all.iter().flatten().any(|&other| beats(other, own)));
    }
}

/// Marks the recommended point: the least loss among those that ask for at least as much
/// protection as the policy, release every column in its role, and keep its limits on suppression
/// and levels. Of equal ones, the one with fewer suppressed rows, then the first that was tried.
/// Where none of these has a solution, the least loss of all that release every column in its role.
pub(super) fn mark_recommended(points: &mut [Point]) {
    let within = |point: &Point| {
        let Some(first) = points.first() else { return false };
        let (own, asked) = (&point.settings, &first.settings);
        own.k >= asked.k && own.suppression <= asked.suppression && own.change.is_none()
    };
    let whole = |point: &Point| !point.settings.change.as_ref().is_some_and(super::ColumnChange::leaves_out);
    let best = |fits: &dyn Fn(&Point) -> bool| {
        let found = points.iter().enumerate().filter(|(_, point)| fits(point));
        let found = found.filter_map(|(at, point)| Some((at, point.measured.as_ref()?)));
        let found = found.filter(|(_, measured)| measured.released > 0);
        let key = |measured: &Measured| (measured.loss, measured.suppressed);
        let least = found.min_by(|(_, a), (_, b)| {
            let ((a, fewer), (b, more)) = (key(a), key(b));
            a.total_cmp(&b).then(fewer.cmp(&more))
        });
        least.map(|(at, _)| at)
    };
    let at = best(&within).or_else(|| best(&whole));
    if let Some(at) = at {
        points[at].recommended = true;
    }
}
