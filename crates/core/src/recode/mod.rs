//! Local recoding: further steps for the rows that the chosen node leaves flagged. One file per
//! method of choosing steps.
//!
//! [`apply`] defines steps: it takes any nodes and finds for every class the first step at which it
//! is safe among the rows that no earlier step released. A method only proposes nodes, as a
//! strategy only proposes nodes to the evaluator.
//!
//! **Why the whole release is safe.** Every step judges its rows on their own. The release combines
//! the rows of all steps, and classes of two steps with equal labels become one. For k-anonymity,
//! over all columns or over a group, a row is safe if k rows equal it; added rows can only increase
//! that number, and the same holds for compatible rows if missing cells are wildcards. A rule on
//! single rows (no missing cell) does not depend on other rows. For any other model, joining two
//! safe classes must give a safe one, which is what monotone means; a model that is not monotone is
//! rejected by name. [`prove`] then judges the actual release, so correctness does not depend on
//! this argument.

mod boxes;
mod cells;
mod clusters;
mod exact;
mod group;
mod groups;
mod index;
mod lub;
mod mdav;
mod metric;
mod mondrian;
mod own;
mod points;
mod polish;
mod prices;
pub mod region;
mod regions;
mod similar;
#[cfg(test)]
mod tests;
mod written;

pub use cells::cells;
pub use own::{OwnCells, OwnSets, own_cells};
pub use regions::{Ground, Regional, axes, guided_regions, made, method, methods, regions};

use std::sync::Arc;

use crate::classes::{Classes, Flags, View};
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::lattice::{Lattice, Node};
use crate::model::{PrivacyModel, judge};
use crate::recoded::{Recoded, Released};
use crate::recoding::Steps;
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
/// A model under which it cannot be done.
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
    stepped(classes, view.hierarchies(), models, nodes, true).map(Some)
}

/// A release by successive nodes, proven; on request with the cells that later nodes star.
///
/// # Errors
/// A model under which it cannot be done.
pub fn stepped(
    classes: &Arc<Classes>,
    hierarchies: &[Hierarchy],
    models: &[Box<dyn PrivacyModel>],
    nodes: Vec<Node>,
    stars: bool,
) -> Result<Local> {
    let steps = apply(classes, hierarchies, models, nodes)?;
    let recoded = Recoded::of_steps(classes, hierarchies, &steps)?;
    let released = prove(&recoded, models)?;
    Ok(Local { steps, recoded, released, stars })
}

/// Applies nodes one after the other to the rows that are left. Costs one grouping of these per
/// step.
///
/// # Errors
/// A model under which rows of two steps cannot be put together; no node.
pub fn apply(
    classes: &Classes,
    hierarchies: &[Hierarchy],
    models: &[Box<dyn PrivacyModel>],
    nodes: Vec<Node>,
) -> Result<Steps> {
    if nodes.len() > 1 {
        refuse(models)?;
    }
    let needs = needs(models);
    let mut step_of: Vec<Option<usize>> = vec![None; classes.len()];
    let mut left: Vec<u32> = (0..classes.len() as u32).collect();
    let mut flags = Flags::default();
    for (step, node) in nodes.iter().enumerate() {
        let part = classes.part(&left);
        let (groups, of_class) = group(&part, hierarchies, node, &needs);
        judge(models, &View::new(&part, hierarchies, node, &groups), &mut flags);
        let mut rest = Vec::new();
        for (&class, &group) in left.iter().zip(&of_class) {
            if flags.has(group as usize) {
                rest.push(class);
            } else {
                step_of[class as usize] = Some(step);
            }
        }
        left = rest;
    }
    Steps::new(nodes, step_of)
}

/// Judges a release whatever steps it came from; returned as a table of its own with nothing
/// flagged in it.
///
/// # Errors
/// A class that is not safe, which would be a mistake of ours.
pub fn prove(recoded: &Recoded, models: &[Box<dyn PrivacyModel>]) -> Result<Released> {
    let released = recoded.released(&needs(models))?;
    let mut flags = Flags::default();
    judge(models, &released.view(), &mut flags);
    if flags.rows() > 0 {
        return Err(Fault::bug(format!("{} rows of the release are not safe", flags.rows())).into());
    }
    Ok(released)
}

/// The measured columns that models read.
fn needs(models: &[Box<dyn PrivacyModel>]) -> Vec<usize> {
    let mut needs: Vec<usize> = models.iter().flat_map(|model| model.facts().needs.iter().copied()).collect();
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// Rejects models for which two safe classes can make an unsafe one.
fn refuse(models: &[Box<dyn PrivacyModel>]) -> Result<()> {
    let faults = models.iter().filter(|model| !model.facts().monotone).map(|model| {
        fault!(
            Input,
            "release.form-needs-monotone-models",
            "flagged rows cannot be released in another form under {model}: classes that are safe apart may not be \
             so together",
            model = &model.facts().claim
        )
        .key("output.suppressed")
        .help("write suppressed = \"dropped\" or \"starred\"")
    });
    crate::error::Error::check(faults.collect())
}
