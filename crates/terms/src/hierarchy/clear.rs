//! Labels that mean one thing wherever they are read: what a cell of a set column can be where its
//! set is too long.
//!
//! Such a column also shows values and sets of them, so a label that could be read as one of these,
//! or that stands for other values at another level, is not clear. Costs a pass over the leaves per
//! level, and four bytes per leaf and level.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::{Hierarchy, TOP};
use crate::table::Code;

impl Hierarchy {
    /// Clear label → the leaves under it, in order of their codes.
    pub fn clear_labels(&self) -> FxHashMap<&str, Vec<Code>> {
        // No leaves for a label that has others at another level.
        let mut found: FxHashMap<&str, Vec<Code>> = FxHashMap::default();
        for level in 1..=self.height() {
            let mut under = vec![Vec::new(); self.size(level)];
            for (leaf, &code) in self.codes(level).iter().enumerate() {
                under[code as usize].push(leaf as Code);
            }
            for (code, leaves) in under.into_iter().enumerate() {
                let label = self.label(level, code as Code);
                match label.filter(|label| self.may_be_clear(label)).map(|label| found.entry(label)) {
                    Some(Entry::Vacant(entry)) => {
                        entry.insert(leaves);
                    }
                    Some(Entry::Occupied(mut entry)) if *entry.get() != leaves => entry.get_mut().clear(),
                    _ => {}
                }
            }
        }
        found.retain(|_, leaves| !leaves.is_empty());
        found
    }

    /// Whether a label looks like nothing else: neither a value, nor a set, nor `*`, nor a missing
    /// cell.
    fn may_be_clear(&self, label: &str) -> bool {
        let taken = label.is_empty() || label == TOP || self.leaf(Some(label)).is_some();
        // A reader of sets of other programs takes `{a,b}` for one, too.
        !taken && !label.starts_with('{')
    }
}

#[cfg(test)]
mod tests {
    use super::super::Path;
    use super::*;

    #[test]
    fn labels_with_two_meanings_are_not_clear() {
        // `b` is a value, too; `up` has other leaves at the next level; `d` has the same ones.
        let paths = [
            ("a", ["b", "up", "all"]),
            ("b", ["b", "up", "all"]),
            ("c", ["up", "up", "all"]),
            ("e", ["d", "d", "all"]),
            ("f", ["d", "d", "all"]),
            ("g", ["{a,b}", "*", "all"]),
            ("h", ["", "h h", "all"]),
        ];
        let path = |(leaf, labels): (&str, [&str; 3])| Path {
            leaf: leaf.into(),
            labels: labels.map(String::from).to_vec(),
        };
        let hierarchy = Hierarchy::new(paths.map(path).to_vec(), true).unwrap();
        let clear = hierarchy.clear_labels();
        let leaf = |value: &str| hierarchy.leaf(Some(value)).unwrap();
        assert_eq!(clear.get("d"), Some(&vec![leaf("e"), leaf("f")]));
        assert_eq!(clear.get("h h"), Some(&vec![leaf("h")]));
        // The missing value is under the highest label.
        assert_eq!(clear.get("all").map(Vec::len), Some(8));
        let mut labels: Vec<&str> = clear.into_keys().collect();
        labels.sort_unstable();
        assert_eq!(labels, ["all", "d", "h h"]);
    }
}
