//! Personalized privacy: independent implementation for the verifier, which compares the guarding
//! nodes of a class's rows, known only from the original, with the values of the class. Costs, per
//! class, one step per value and level of its hierarchy and one look-up per guarding node.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::classes::{Interner, MISSING};
use super::{Limit, Measure, Seen, judge_columns};
use throng_terms::hierarchy::Hierarchy;
use throng_terms::policy::Personalized;

judge_columns!(Personalized);

/// Which guarding nodes are above which values.
#[derive(Debug, Default)]
pub(super) struct Under {
    /// Number of a value → the numbers of the guarding nodes above it; none if unknown, which counts
    /// as under all.
    over: Vec<Option<Vec<u32>>>,
    /// Nodes that are not labels: they guard against every value.
    strange: FxHashSet<u32>,
}

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
        let present = || class.values.iter().filter(|(value, _)| *value != MISSING);
        let all: u64 = present().map(|(_, rows)| rows).sum();
        // Rows under each node, and under all.
        let (mut rows_under, mut everywhere) = (FxHashMap::<u32, u64>::default(), 0);
        for &(value, rows) in present() {
            match under.over.get(value as usize).and_then(Option::as_ref) {
                Some(nodes) => nodes.iter().for_each(|node| *rows_under.entry(*node).or_default() += rows),
                None => everywhere += rows,
            }
        }
        let share = |node: u32| {
            let rows = match under.strange.contains(&node) {
                true => all,
                false => rows_under.get(&node).copied().unwrap_or(0) + everywhere,
            };
            rows as f64 / all.max(1) as f64
        };
        let guarding = nodes.iter().map(|(node, _)| *node).filter(|node| *node != MISSING);
        guarding.map(share).fold(0.0, f64::max)
    }
}

/// The guarding nodes over every value of a file; a node that is not a label guards against every
/// value.
pub(super) fn under(hierarchy: &Hierarchy, values: &Interner, nodes: &Interner) -> Under {
    let labels = |level: usize| (0..hierarchy.size(level)).map(move |code| (level, code as u32));
    let known: FxHashSet<&str> = (0..=hierarchy.height())
        .flat_map(labels)
        .filter_map(|(level, code)| hierarchy.label(level, code))
        .collect();
    let strange = |node: &u32| nodes.value(*node).is_some_and(|text| !known.contains(text));
    let over = |value: u32| {
        let leaf = hierarchy.leaf(Some(values.value(value)?))?;
        let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
        let own = (0..=hierarchy.height()).filter_map(label).filter_map(|label| nodes.get(Some(label)));
        let mut own: Vec<u32> = own.collect();
        own.sort_unstable();
        own.dedup();
        Some(own)
    };
    Under {
        over: (0..values.len() as u32).map(over).collect(),
        strange: (0..nodes.len() as u32).filter(strange).collect(),
    }
}
