//! Local recoding: what becomes of rows that the chosen node leaves flagged. One file per way to choose steps.
//!
//! [`apply`] says what steps are: it takes any nodes and finds for every class the first step at which it is
//! safe among the rows that no earlier step released. A chooser only proposes nodes, as a strategy only
//! proposes nodes to the evaluator.
//!
//! **Why the whole is safe.** Every step judges its rows by themselves. The release puts the rows of all
//! steps together, and classes of two steps that share all labels become one. For k-anonymity, over all columns
//! or over a group of them, a row is safe when k rows look like it; rows that are added can only add to
//! these, and the same goes for the rows that are compatible with it where missing cells are wildcards. A rule
//! on single rows (no missing cell) does not look at others at all. For any other model it must hold
//! that joining two safe classes makes a safe one, which is what monotone says; a model that is not monotone
//! is refused by name. [`prove`] then judges the release as it is, so that nothing hangs on this argument.

mod boxes;
mod cells;
mod clusters;
mod group;
mod groups;
mod index;
mod lub;
mod mdav;
mod metric;
mod mondrian;
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
pub use lub::{Notions, unpacked};
pub use regions::{Ground, Regional, axes, greedy_rows, guided_regions, made, method, regions};

use crate::classes::{Classes, Flags, View};
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::lattice::{Lattice, Node};
use crate::model::{PrivacyModel, judge};
use crate::policy::Suppressed;
use crate::recoded::{Recoded, Released};
use crate::recoding::Steps;
use crate::release::StepFacts;
use group::group;
use region::Method;

/// All methods that form regions of rows.
pub const METHODS: [&dyn Method; 6] =
    [&mondrian::Mondrian, &similar::Similar, &boxes::Boxes, &mdav::Mdav, &lub::Greedy, &lub::Partition];

/// A release in several steps.
#[derive(Debug)]
pub struct Local<'a> {
    /// The steps, and what each releases.
    pub steps: Steps,
    /// What every class of the table became.
    pub recoded: Recoded<'a>,
    /// The release, proven to be safe.
    pub released: Released,
    /// Whether steps after the first do nothing but star cells.
    stars: bool,
}

/// What becomes of the flagged rows of the chosen node as a policy asks for it; none where they are suppressed as
/// whole rows, because it asks for that, or nothing is flagged, or nothing would help.
///
/// # Errors
/// A model under which it cannot be done.
pub fn local<'a>(
    asked: Suppressed,
    classes: &'a Classes,
    (view, flags): (&View<'_>, &Flags),
    lattice: &Lattice,
    models: &[Box<dyn PrivacyModel>],
) -> Result<Option<Local<'a>>> {
    if asked != Suppressed::Cells || flags.rows() == 0 {
        return Ok(None);
    }
    let nodes = cells(view, flags, lattice, models)?;
    if nodes.len() == 1 {
        return Ok(None);
    }
    stepped(classes, view.hierarchies(), models, nodes, true).map(Some)
}

/// A release by nodes one after the other, proven; where it is to be told of, with the cells that later ones star.
///
/// # Errors
/// A model under which it cannot be done.
pub fn stepped<'a>(
    classes: &'a Classes,
    hierarchies: &[Hierarchy],
    models: &[Box<dyn PrivacyModel>],
    nodes: Vec<Node>,
    stars: bool,
) -> Result<Local<'a>> {
    let steps = apply(classes, hierarchies, models, nodes)?;
    let recoded = Recoded::of_steps(classes, hierarchies, &steps)?;
    let released = prove(&recoded, models)?;
    Ok(Local { steps, recoded, released, stars })
}

impl Local<'_> {
    /// The steps as a certificate tells them.
    pub fn facts(&self, names: &[String], hierarchies: &[Hierarchy]) -> Vec<StepFacts> {
        let rows = self.steps.rows(self.recoded.base());
        let facts = |(step, node): (usize, &Node)| StepFacts {
            levels: names.iter().enumerate().map(|(i, name)| (name.clone(), node.level(i))).collect(),
            rows: rows[step],
            starred: match self.stars {
                true => rows[step] * self.steps.starred(step, hierarchies).len() as u64,
                false => 0,
            },
        };
        self.steps.nodes().iter().enumerate().map(facts).collect()
    }
}

/// Applies nodes one after the other to the rows that are left. Costs one grouping of these per step.
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

/// Judges a release whatever steps it came from; returned as a table of its own with nothing flagged in it.
///
/// # Errors
/// A class that is not safe, which would be a mistake of ours.
pub fn prove(recoded: &Recoded<'_>, models: &[Box<dyn PrivacyModel>]) -> Result<Released> {
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
    let mut needs: Vec<usize> = models.iter().flat_map(|model| model.needs()).collect();
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// Refuses models of which two safe classes can make an unsafe one.
fn refuse(models: &[Box<dyn PrivacyModel>]) -> Result<()> {
    let faults = models.iter().filter(|model| !model.monotone()).map(|model| {
        Fault::input(format!(
            "flagged rows cannot be released in another form under {}: classes that are safe apart may not be \
             so together",
            model.name()
        ))
        .key("output.suppressed")
        .help("write suppressed = \"dropped\" or \"starred\"")
    });
    crate::error::Error::check(faults.collect())
}
