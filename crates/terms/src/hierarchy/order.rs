//! Sorted values in groups of a fan-out: A, B, C, D → {A, B} {C, D} → `*`.
//!
//! Numbers are sorted by size if every value is a number, all other values by text, or the policy
//! lists the order. A list without fan-outs has no groups: cells of regions are then ranges of it.
//! A group is a run of the sorted values, and a group of the next level is a run
//! of groups, so levels nest as long as labels distinguish the groups of one level; [`names`]
//! ensures that. Costs one sort and values × levels.

use std::collections::HashSet;

use super::build::{path, show, unfit, values};
use super::{Order, Path};
use crate::cell::number;
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::table::Dictionary;

/// How many members a group names before it gives only the first and the last.
const NAMED: usize = 4;

/// One level per fan-out, then the top. Listed values are all leaves, whether they occur or not.
pub(super) fn paths(spec: &Order, dictionary: &Dictionary) -> Result<Vec<Path>> {
    let mut faults = fanout(spec);
    let (sorted, numeric) = if spec.values.is_empty() {
        natural(values(dictionary).collect())
    } else {
        faults.extend(listed(&spec.values, dictionary));
        (spec.values.iter().map(String::as_str).collect(), false)
    };
    Error::check(faults)?;
    let mut labels = vec![Vec::with_capacity(spec.fanout.len() + 1); sorted.len()];
    let mut size: usize = 1;
    for &fanout in &spec.fanout {
        size = size.saturating_mul(fanout);
        let names = names(&sorted, size, numeric);
        for (i, labels) in labels.iter_mut().enumerate() {
            labels.push(names[i / size].clone());
        }
    }
    Ok(sorted.iter().zip(labels).map(|(value, labels)| path(value, labels)).collect())
}

fn fanout(spec: &Order) -> Vec<Fault> {
    let fault = if spec.fanout.is_empty() && spec.values.is_empty() {
        fault!(Input, "hierarchy.fanout-is-empty", "`fanout` lists no level")
    } else if let Some(small) = spec.fanout.iter().find(|&&f| f < 2) {
        fault!(Input, "hierarchy.fanout-too-small", "a fan-out of {fanout} makes no groups", fanout = small)
    } else {
        return Vec::new();
    };
    vec![fault.help("list 2 or more per level, for instance fanout = [3, 2]")]
}

/// The values by size where all are numbers, else by text; and which of the two it was.
fn natural(mut values: Vec<&str>) -> (Vec<&str>, bool) {
    let numbers: Option<Vec<f64>> = values.iter().map(|v| number(v)).collect();
    let Some(numbers) = numbers else {
        values.sort_unstable();
        return (values, false);
    };
    let mut both: Vec<(f64, &str)> = numbers.into_iter().zip(values).collect();
    both.sort_unstable_by(|(x, a), (y, b)| x.total_cmp(y).then_with(|| a.cmp(b)));
    (both.into_iter().map(|(_, value)| value).collect(), true)
}

fn listed(listed: &[String], dictionary: &Dictionary) -> Vec<Fault> {
    let mut known = HashSet::new();
    let twice = listed.iter().find(|value| !known.insert(value.as_str()));
    let twice = twice.map(|value| {
        fault!(Input, "hierarchy.value-listed-twice", "`values` lists `{value}` twice", value = show(value))
            .help("list every value once")
    });
    let unlisted: Vec<&str> = values(dictionary).filter(|v| !known.contains(v)).collect();
    let unlisted = unfit(
        &unlisted,
        |value| fault!(Data, "hierarchy.value-not-listed", "`{value}` is not among `values`", value = value),
        |value, count, more| {
            fault!(
                Data,
                "hierarchy.value-not-listed",
                "{count} values are not among `values`: `{value}` and {more} more",
                count = count,
                value = value,
                more = more
            )
        },
    );
    let unlisted =
        unlisted.map(|fault| fault.help("add it to `values` where it belongs, or list it under input.null"));
    twice.into_iter().chain(unlisted).collect()
}

/// The labels of the groups of `size`, no two the same.
fn names(sorted: &[&str], size: usize, numeric: bool) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::with_capacity(sorted.len().div_ceil(size));
    for group in sorted.chunks(size) {
        let wanted = name(group, numeric);
        let mut name = wanted.clone();
        // Texts may hold the very marks that labels are made of: {A, B} may be a value, too.
        for n in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            name = format!("{wanted} ({n})");
        }
        names.push(name);
    }
    names
}

fn name(group: &[&str], numeric: bool) -> String {
    match group {
        [] => String::new(),
        [one] => (*one).into(),
        [first, .., last] if numeric => format!("[{first}, {last}]"),
        few if few.len() <= NAMED => format!("{{{}}}", few.join(", ")),
        [first, .., last] => format!("{first} … {last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(fanout: &[usize], listed: &[&str], column: &[&str]) -> Result<Vec<String>> {
        let spec =
            Order { fanout: fanout.to_vec(), values: listed.iter().map(|v| (*v).to_owned()).collect() };
        let dictionary = Dictionary::of(column.iter().map(|v| Some(*v)));
        let paths = paths(&spec, &dictionary)?;
        Ok(paths.into_iter().map(|p| format!("{}: {}", p.leaf, p.labels.join(" | "))).collect())
    }

    #[test]
    fn numbers_by_size() {
        let rows = order(&[2, 2], &[], &["10", "9", "1", "2", "100"]).unwrap();
        assert_eq!(
            rows,
            [
                "1: [1, 2] | [1, 10] | *",
                "2: [1, 2] | [1, 10] | *",
                "9: [9, 10] | [1, 10] | *",
                "10: [9, 10] | [1, 10] | *",
                "100: 100 | 100 | *",
            ]
        );
    }

    #[test]
    fn texts_by_text() {
        let rows = order(&[2, 3], &[], &["e", "d", "c", "b", "a", "10"]).unwrap();
        assert_eq!(rows[0], "10: {10, a} | 10 … e | *");
        assert_eq!(rows[5], "e: {d, e} | 10 … e | *");
        assert_eq!(order(&[4], &[], &["a", "b", "c", "d"]).unwrap()[0], "a: {a, b, c, d} | *");
    }

    #[test]
    fn as_listed_with_values_that_do_not_occur() {
        let rows = order(&[2], &["none", "primary", "degree"], &["degree", "none"]).unwrap();
        assert_eq!(rows, ["none: {none, primary} | *", "primary: {none, primary} | *", "degree: degree | *"]);
    }

    #[test]
    fn labels_of_one_level_differ() {
        // Both groups would be {a, b, c}.
        let rows = order(&[2], &["a", "b, c", "a, b", "c"], &[]).unwrap();
        assert_eq!(rows[1], "b, c: {a, b, c} | *");
        assert_eq!(rows[2], "a, b: {a, b, c} (2) | *");
    }

    #[test]
    fn faults_are_collected() {
        let column = ["f", "g", "h", "i", "j", "k", "a"];
        let error = order(&[1], &["a", "a"], &column).unwrap_err();
        assert_eq!(error.faults().len(), 3, "{error}");
        assert!(error.to_string().contains("6 values are not among `values`: `f` and 5 more"));
        assert!(order(&[], &[], &["a"]).is_err());
        assert_eq!(order(&[], &["b", "a"], &["a"]).unwrap(), ["b: *", "a: *"], "an order alone");
    }

    #[test]
    fn huge_fanouts_do_not_overflow() {
        let rows = order(&[usize::MAX, usize::MAX], &[], &["b", "a"]).unwrap();
        assert_eq!(rows[0], "a: {a, b} | {a, b} | *");
    }
}
