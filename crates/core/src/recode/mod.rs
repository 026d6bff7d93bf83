//! Local recoding: further steps for the rows that the chosen node leaves flagged. One file per
//! method of choosing steps.
//!
//! [`apply`] defines steps: it takes any nodes and finds for every class the first step at which it
//! is safe among the rows that no earlier step released. A method only proposes nodes, as a
//! strategy only proposes nodes to the evaluator.
//!
//! **Why the whole release is safe.** Every step judges its rows on their own. The release combines
//! the rows of all steps, and classes of two steps with equal labels become one. `safe_union.rs`
//! shows that this is safe for most models, and lets a step release no more than is safe beside the
//! steps before it for the others. [`prove`] then judges the actual release, so correctness does
//! not depend on this argument.

mod boxes;
mod cells;
mod clusters;
mod covered;
mod exact;
mod group;
mod groups;
mod index;
mod lub;
mod mdav;
mod metric;
mod mondrian;
mod near;
mod own;
mod packed;
mod people;
mod persons;
mod points;
mod polish;
mod prices;
mod reform;
pub mod region;
mod regions;
mod similar;
#[cfg(test)]
mod tests;
mod tours;
mod trim;
mod written;

pub use cells::cells;
pub use own::{OwnCells, OwnSets, own_cells};
pub use region::Method;
pub use regions::{Ground, Regional, axes, guided_regions, made, method, methods, regions, regions_by};
pub use similar::Similar;

use std::sync::Arc;

use crate::classes::{Classes, Flags, View};
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::lattice::{Lattice, Node};
use crate::model::{PrivacyModel, judge, measured_needs};
use crate::recoded::{Recoded, Released};
use crate::recoding::Steps;
use crate::safe_union::safe_union;
use crate::watch::Watch;
use group::group;

/// A release in several steps.
#[derive(Debug)]
pub struct Local {
    /// The steps, and what each releases.
    pub steps: Steps,
    /// What every class of the table became.
    pub recoded: Recoded,
    /// The release, proven to be safe.
    pub released: Released,
    /// Whether steps after the first do nothing but star cells.
    pub stars: bool,
}

/// Releases flagged rows of the chosen node with as few suppressed cells as can be found; none
/// where nothing is flagged, or nothing would help.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn local(
    classes: &Arc<Classes>,
    (view, flags): (&View<'_>, &Flags),
    lattice: &Lattice,
    models: &[Box<dyn PrivacyModel>],
    watch: &Watch,
) -> Result<Option<Local>> {
    if flags.rows() == 0 {
        return Ok(None);
    }
    let nodes = cells(view, flags, lattice, models, watch)?;
    if nodes.len() == 1 {
        return Ok(None);
    }
    let local = stepped(classes, view.hierarchies(), models, nodes, true)?;
    Ok(Some(local).filter(|local| local.steps.nodes().len() > 1))
}

/// A release by successive nodes, proven; on request with the cells that later nodes star.
///
/// # Errors
/// A release that is not safe, which would be a mistake of ours; when asked to stop.
pub fn stepped(
    classes: &Arc<Classes>,
    hierarchies: &[Hierarchy],
    models: &[Box<dyn PrivacyModel>],
    nodes: Vec<Node>,
    stars: bool,
) -> Result<Local> {
    let steps = without_idle(apply(classes, hierarchies, models, nodes)?, classes)?;
    let recoded = Recoded::of_steps(classes, hierarchies, &steps)?;
    let released = prove(&recoded, models)?;
    Ok(Local { steps, recoded, released, stars })
}

/// Applies nodes one after the other to the rows that are left. Costs one grouping of these per
/// step.
///
/// # Errors
/// No node; when asked to stop.
pub fn apply(
    classes: &Arc<Classes>,
    hierarchies: &[Hierarchy],
    models: &[Box<dyn PrivacyModel>],
    nodes: Vec<Node>,
) -> Result<Steps> {
    let needs = measured_needs(models);
    let mut step_of: Vec<Option<usize>> = vec![None; classes.len()];
    let mut left: Vec<u32> = (0..classes.len() as u32).collect();
    let mut flags = Flags::default();
    for (step, node) in nodes.iter().enumerate() {
        let part = classes.part(&left);
        let (groups, of_class) = group(&part, hierarchies, node, &needs);
        judge(models, &View::new(&part, hierarchies, node, &groups), &mut flags)?;
        for (&class, &group) in left.iter().zip(&of_class) {
            step_of[class as usize] = (!flags.has(group as usize)).then_some(step);
        }
        step_of = safe_union((classes, hierarchies), models, &nodes[..=step], step_of)?;
        left.retain(|&class| step_of[class as usize].is_none());
    }
    Steps::new(nodes, step_of)
}

/// The same steps without those after the first that release nothing.
fn without_idle(steps: Steps, classes: &Classes) -> Result<Steps> {
    let rows = steps.rows(classes);
    let busy: Vec<usize> = (0..rows.len()).filter(|&step| step == 0 || rows[step] > 0).collect();
    if busy.len() == rows.len() {
        return Ok(steps);
    }
    let nodes = busy.iter().map(|&step| steps.nodes()[step].clone()).collect();
    let place = |class: usize| busy.iter().position(|&step| Some(step) == steps.of(class));
    Steps::new(nodes, (0..classes.len()).map(place))
}

/// Judges a release whatever steps it came from; returned as a table of its own with nothing
/// flagged in it.
///
/// # Errors
/// A class that is not safe, which would be a mistake of ours; when asked to stop.
pub fn prove(recoded: &Recoded, models: &[Box<dyn PrivacyModel>]) -> Result<Released> {
    let released = recoded.released(&measured_needs(models))?;
    let mut flags = Flags::default();
    judge(models, &released.view(), &mut flags)?;
    if flags.rows() > 0 {
        return Err(Fault::bug(format!("{} rows of the release are not safe", flags.rows())).into());
    }
    Ok(released)
}
