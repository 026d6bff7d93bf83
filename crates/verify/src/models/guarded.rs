//! Personalized privacy: independent implementation for the verifier, which compares the guarding
//! nodes of a class's rows, known only from the original, with the values of the class. Costs one
//! pass over a class's values per guarding node in it.

use std::collections::BTreeSet;

use super::super::classes::{Interner, MISSING};
use super::{Limit, Measure, Seen, judge_columns};
use throng_terms::hierarchy::Hierarchy;
use throng_terms::policy::Personalized;

judge_columns!(Personalized);

/// Number of a value → the numbers of the guarding nodes above it; none if unknown, which counts as
/// under all.
pub(super) type Under = Vec<Option<BTreeSet<u32>>>;

impl Measure for Personalized {
    fn limit(&self) -> Limit {
        Limit::Most(self.breach)
    }

    fn guard(&self) -> Option<&str> {
        Some(&self.guard)
    }

    /// The largest share of values under a guarding node of the class.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        let Some((nodes, under)) = class.guards else { return f64::INFINITY };
        let present: Vec<&(u32, u64)> = class.values.iter().filter(|(value, _)| *value != MISSING).collect();
        let all: u64 = present.iter().map(|(_, rows)| rows).sum();
        let share = |node: u32| {
            let has =
                |value: u32| under.get(value as usize).is_none_or(|under| is_under(under.as_ref(), node));
            let rows: u64 = present.iter().filter(|(value, _)| has(*value)).map(|(_, rows)| rows).sum();
            rows as f64 / all.max(1) as f64
        };
        let guarding = nodes.iter().map(|(node, _)| *node).filter(|node| *node != MISSING);
        guarding.map(share).fold(0.0, f64::max)
    }
}

fn is_under(nodes: Option<&BTreeSet<u32>>, node: u32) -> bool {
    nodes.is_none_or(|nodes| nodes.contains(&node))
}

/// The guarding nodes over every value of a file; a node that is not a label guards against every
/// value.
pub(super) fn under(hierarchy: &Hierarchy, values: &Interner, nodes: &Interner) -> Under {
    let labels = |level: usize| (0..hierarchy.size(level)).map(move |code| (level, code as u32));
    let known: BTreeSet<&str> = (0..=hierarchy.height())
        .flat_map(labels)
        .filter_map(|(level, code)| hierarchy.label(level, code))
        .collect();
    let strange = |node: &u32| nodes.value(*node).is_some_and(|text| !known.contains(text));
    let strange: BTreeSet<u32> = (0..nodes.len() as u32).filter(strange).collect();
    let over = |value: u32| {
        let leaf = hierarchy.leaf(Some(values.value(value)?))?;
        let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
        let own = (0..=hierarchy.height()).filter_map(label).filter_map(|label| nodes.get(Some(label)));
        Some(own.chain(strange.iter().copied()).collect())
    };
    (0..values.len() as u32).map(over).collect()
}
