//! Puts rows of several nodes together, so that the whole stays safe: local recoding judges the
//! rows of every step by themselves, and rows of two steps with equal labels become one class.
//!
//! Most models need nothing of this. For k-anonymity, over all columns or over a group, a row is
//! safe if k rows equal it, and added rows can only increase that number; the same holds for every
//! monotone model. A class-wise model may be spoilt by rows of an unsafe class, but two classes
//! that are safe apart are safe together
//! ([`ModelFacts::unites`](crate::model::ModelFacts::unites)). So whatever each step finds safe,
//! all of it is.
//!
//! Two kinds of models are different. Under personalized privacy {gout, gout} of people who fear
//! flu and {flu, flu, flu} of people who do not are safe apart and unsafe together. A model of the
//! whole table judges all classes at once. Under these a step joins what was released before only
//! as far as all of it is safe: rows of the step in classes that are unsafe in the whole stay
//! behind, which is repeated until nothing is unsafe; where that leaves an unsafe class without a
//! row of the step, the whole step stays behind. What was released before is never touched and was
//! safe, so the result is safe. It may not be the largest safe set.
//!
//! Costs nothing for models of the first kind; otherwise a grouping and a judgement of the release
//! per step and repetition.

use std::sync::Arc;

use crate::classes::{Classes, Flags};
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;
use crate::model::{PrivacyModel, judge, measured_needs};
use crate::recoded::Recoded;
use crate::recoding::Steps;

/// Class → the step that releases it, where the last of the nodes may only release what is safe
/// beside the rows of the steps before, which are safe by themselves.
///
/// # Errors
/// Classes and steps that do not fit, which would be a mistake of ours; when asked to stop.
pub fn safe_union(
    (classes, hierarchies): (&Arc<Classes>, &[Hierarchy]),
    models: &[Box<dyn PrivacyModel>],
    nodes: &[Node],
    mut step_of: Vec<Option<usize>>,
) -> Result<Vec<Option<usize>>> {
    let last = nodes.len().saturating_sub(1);
    if last == 0 || models.iter().all(|model| model.facts().unites()) {
        return Ok(step_of);
    }
    let needs = measured_needs(models);
    let mut flags = Flags::default();
    while step_of.contains(&Some(last)) {
        let steps = Steps::new(nodes.to_vec(), step_of.iter().copied())?;
        let recoded = Recoded::of_steps(classes, hierarchies, &steps)?;
        let released = recoded.released(&needs)?;
        judge(models, &released.view(), &mut flags)?;
        if flags.rows() == 0 {
            break;
        }
        let places = recoded.released_places();
        let unsafe_now = |class: usize| flags.has(places[recoded.look_of(class)] as usize);
        let last_step = (0..step_of.len()).filter(|&class| step_of[class] == Some(last));
        let (left, joined): (Vec<usize>, Vec<usize>) = last_step.partition(|&class| unsafe_now(class));
        // What is unsafe though no row of the step is in it cannot be helped by leaving a part out.
        let behind = if left.is_empty() { joined } else { left };
        behind.into_iter().for_each(|class| step_of[class] = None);
    }
    Ok(step_of)
}
