//! A policy with another algorithm: the keys that only other algorithms take are left out.

use super::{Policy, Preference};
use crate::registry::Algorithm;

impl Policy {
    /// The same policy with another algorithm, and with or without `search.local`. Keys that this
    /// algorithm does not take are removed; `search.model` stays. The result is not checked: call
    /// [`Policy::check`].
    #[must_use]
    pub fn with_algorithm(&self, algorithm: Algorithm, local: bool) -> Policy {
        let mut policy = self.clone();
        let search = &mut policy.search;
        let samarati = search.algorithm == Algorithm::Samarati;
        search.algorithm = algorithm;
        search.local = local;
        search.mondrian = search.mondrian.filter(|_| algorithm == Algorithm::Mondrian);
        search.boxes = search.boxes.take().filter(|_| algorithm == Algorithm::Boxes);
        search.greedy = search.greedy.filter(|_| algorithm == Algorithm::Greedy);
        search.partition = search.partition.filter(|_| algorithm == Algorithm::Partition);
        search.choose = search.choose.take().filter(|_| algorithm == Algorithm::Mondrian);
        let entry = algorithm.entry();
        // A word in a policy of Samarati's algorithm is for that algorithm alone.
        let others = samarati && search.prefer.is_word() && algorithm != Algorithm::Samarati;
        if !entry.prefers || others {
            search.prefer = Preference::default();
        }
        for column in policy.columns.values_mut() {
            column.tolerance = column.tolerance.filter(|_| entry.uses_tolerance);
            column.linking = column.linking.filter(|_| entry.uses_linking);
            column.form = column.form.filter(|_| algorithm.forms_regions());
        }
        if !entry.uses_linking {
            policy.privacy.quasi.values_mut().for_each(|group| group.linking.clear());
        }
        policy
    }
}
