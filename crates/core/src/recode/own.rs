//! Rows with cells of their own: Greedy as printed [Katirai 2006, figure 11], `greedy-rows`.
//!
//! Every row is released with the least upper bound of its own set: itself and the rows that
//! increase the measure least, until there are k. A row can be in many sets, so the released rows
//! of a set need not look alike. Each is true of the k rows of its set, which is (k,1)-anonymity
//! [Gionis 2008], and nothing more is promised. What it happens to reach beyond that is counted.
//!
//! Limits hold as for regions: rows that no allowed level makes equal are in different parts, and
//! parts of fewer than k rows are suppressed. Costs what [`own_sets`] costs, one pass over the
//! members of all sets, and the counts of [`consistency`](crate::consistency).

use super::lub::own_sets;
use super::region::Share;
use super::regions::{Ground, Regional, axes, field, parts, proven};
use super::written::Columns;
use crate::consistency::notions;
use crate::error::Result;
use crate::policy::{Form, Policy};
use crate::recoded::Recoded;
use crate::release::NotionFacts;
use crate::space::{Axis, Space};
use crate::watch::Watch;

/// Sets that overlap, and what is reached with them.
#[derive(Debug, Clone)]
pub struct OwnSets {
    /// The rows that a set needs.
    pub k: u64,
    /// Region → the points of its set, its own point first.
    pub sets: Vec<Vec<u32>>,
    /// The notions of anonymity of the release; none where no row is released.
    pub notions: Option<NotionFacts>,
}

/// A table whose rows have cells of their own. Nothing is proven of it.
#[derive(Debug)]
pub struct OwnCells {
    /// Every point that is released, in a region of its own.
    pub shares: Vec<Share>,
    /// How cells of each column are written.
    pub forms: Vec<Form>,
    /// What every point became.
    pub recoded: Recoded,
    /// The sets.
    pub own: OwnSets,
}

/// Gives every row the cells of its own set; none when stopped.
///
/// # Errors
/// As [`regions`](super::regions()).
pub fn own_cells(policy: &Policy, ground: &Ground<'_>, watch: &Watch) -> Result<Option<OwnCells>> {
    let space = Space::new(ground.classes, axes(policy, ground)?);
    let field = field(policy, (ground, &space), false, watch);
    let mut sets = Vec::new();
    for part in parts(policy, ground, &field, None)? {
        let Some(found) = own_sets(&field, &part) else { return Ok(None) };
        sets.extend(found);
    }
    sets.sort_unstable_by_key(|set| set[0]);
    let share = |region: usize, point: u32| Share {
        point,
        region: region as u32,
        rows: space.counts()[point as usize],
    };
    let shares: Vec<Share> = sets.iter().enumerate().map(|(at, set)| share(at, set[0])).collect();
    let members = sets.iter().enumerate().flat_map(|(at, set)| set.iter().map(move |&point| (at, point)));
    let members: Vec<Share> = members.map(|(region, point)| share(region, point)).collect();
    let columns = Columns::new(ground, &space, &members, (sets.len(), None));
    let recoded = columns.recoded(ground, &space, &shares, false)?;
    let forms: Vec<Form> = space.axes().iter().map(Axis::form).collect();
    let notions = notions(&recoded, ground.hierarchies, &forms, watch)?;
    let own = OwnSets { k: field.judge.least(), sets, notions };
    Ok(Some(OwnCells { shares, forms, recoded, own }))
}

/// The same as a release. Of the models only rules on single rows are judged: the policy asks for
/// no other.
pub(super) fn own_regional(policy: &Policy, ground: &Ground<'_>, watch: &Watch) -> Result<Option<Regional>> {
    let Some(OwnCells { shares, forms, recoded, own }) = own_cells(policy, ground, watch)? else {
        return Ok(None);
    };
    let released = proven(&recoded, ground.models, None)?;
    Ok(Some(Regional { shares, forms, recoded, released, parted: false, own: Some(own) }))
}
