//! Frequency priority: the most frequent values stay, the rest are pooled.
//!
//! Level l keeps the `keep[l - 1]` most frequent values and calls all others `other`. As the kept
//! values of a level are among those of the level below, the levels nest. Costs one sort of the
//! distinct values.

use super::build::{falling, path, show};
use super::{Path, Priority};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::table::Dictionary;

/// One level per entry of `keep`, then the top; equal counts go to the first in text order.
pub(super) fn paths(spec: &Priority, dictionary: &Dictionary) -> Result<Vec<Path>> {
    let mut faults: Vec<Fault> = falling(&spec.keep, "[20, 5]").into_iter().collect();
    if dictionary.get(Some(&spec.other)).is_some() {
        faults.push(
            fault!(
                Data,
                "hierarchy.name-of-rest-is-value",
                "`{value}` is a value of the column and the name of the rest",
                value = show(&spec.other)
            )
            .help("give the rest another name with `other`"),
        );
    }
    Error::check(faults)?;
    let mut ranked: Vec<(&str, u64)> = dictionary.present().collect();
    ranked.sort_unstable_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
    let labels = |rank: usize, value: &str| {
        let kept = spec.keep.iter().map(|&keep| if rank < keep { value } else { &spec.other });
        kept.map(str::to_owned).collect()
    };
    Ok(ranked.iter().enumerate().map(|(rank, (value, _))| path(value, labels(rank, value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column() -> Dictionary {
        let mut dictionary = Dictionary::new();
        for (value, count) in [("d", 1), ("c", 5), ("a", 3), ("b", 3)] {
            dictionary.add(Some(value), count);
        }
        dictionary
    }

    fn spec(keep: &[usize], other: &str) -> Priority {
        Priority { keep: keep.to_vec(), other: other.into() }
    }

    #[test]
    fn keeps_the_most_frequent_and_breaks_ties_by_text() {
        let paths = paths(&spec(&[3, 2, 1], "rest"), &column()).unwrap();
        let row = |leaf: &str| paths.iter().find(|p| p.leaf == leaf).unwrap().labels.join(" ");
        assert_eq!(row("c"), "c c c *");
        assert_eq!(row("a"), "a a rest *");
        assert_eq!(row("b"), "b rest rest *");
        assert_eq!(row("d"), "rest rest rest *");
    }

    #[test]
    fn faults_are_collected() {
        let error = paths(&spec(&[2, 2], "d"), &column()).unwrap_err();
        assert_eq!(error.faults().len(), 2, "{error}");
        assert!(error.to_string().contains("`d` is a value of the column"), "{error}");
    }

    #[test]
    fn keeping_more_than_there_are_keeps_all() {
        let paths = paths(&spec(&[9], "rest"), &column()).unwrap();
        assert!(paths.iter().all(|p| p.labels[0] == p.leaf));
    }
}
