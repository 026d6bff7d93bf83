//! Hierarchies, from files and from builders: whatever is accepted nests, and can be written and
//! read back.

use serde::{Deserialize, Serialize};
use throng::error::Error;
use throng::hierarchy::{Hierarchy, Path, Spec, build, describe, file};
use throng::table::{Code, Dictionary};

/// Reads the bytes as a hierarchy file.
pub fn hierarchy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for delimiter in [None, Some(';'), Some(','), Some('\t'), Some('|')] {
        match file::parse(text, delimiter, "h.csv") {
            Ok(paths) => accepted(paths),
            Err(error) => refused(&error, text),
        }
    }
}

fn accepted(paths: Vec<Path>) {
    assert!(!paths.is_empty());
    assert!(paths.iter().all(|p| p.labels.len() == paths[0].labels.len()));
    for missing in [false, true] {
        let hierarchy =
            Hierarchy::new(paths.clone(), missing).unwrap_or_else(|e| panic!("it does not nest: {e}"));
        nests(&hierarchy);
        assert_eq!(hierarchy.missing().is_some(), missing);
        for path in &paths {
            let leaf =
                hierarchy.leaf(Some(&path.leaf)).unwrap_or_else(|| panic!("{:?} is no leaf", path.leaf));
            for (level, label) in path.labels.iter().enumerate() {
                let code = hierarchy.generalize(leaf, level + 1);
                assert_eq!(hierarchy.label(level + 1, code), Some(label.as_str()));
            }
        }
        if !missing {
            is_written_and_read(&hierarchy);
        }
    }
}

/// Writing and reading changes nothing, whether the delimiter is given or detected.
fn is_written_and_read(hierarchy: &Hierarchy) {
    for delimiter in [';', ',', '\t'] {
        let text = file::write(hierarchy, delimiter);
        for told in [Some(delimiter), None] {
            let paths = file::parse(&text, told, "h.csv").unwrap_or_else(|e| {
                panic!("written with {delimiter:?}, but not read with {told:?}: {e}\n{text}")
            });
            let again = Hierarchy::new(paths, false).unwrap();
            assert_eq!(labels(&again), labels(hierarchy), "{delimiter:?}, {told:?}: {text}");
        }
    }
}

/// Every leaf with its labels from level 0 upwards, in the order of the leaves.
fn labels(hierarchy: &Hierarchy) -> Vec<Vec<Option<String>>> {
    let path = |leaf: Code| {
        (0..=hierarchy.height())
            .map(|level| hierarchy.label(level, hierarchy.generalize(leaf, level)).map(String::from))
            .collect()
    };
    (0..hierarchy.leaf_count() as Code).map(path).collect()
}

/// A chain of domains, each a coarsening of the one below, the last with one value.
fn nests(hierarchy: &Hierarchy) {
    assert!(hierarchy.height() > 0);
    assert_eq!(hierarchy.size(hierarchy.height()), 1);
    assert_eq!(hierarchy.size(0), hierarchy.leaf_count());
    for level in 0..=hierarchy.height() {
        let codes = hierarchy.codes(level);
        assert_eq!(codes.len(), hierarchy.leaf_count());
        let mut under = vec![0u32; hierarchy.size(level)];
        codes.iter().for_each(|&code| under[code as usize] += 1);
        for (code, &count) in under.iter().enumerate() {
            assert_eq!(hierarchy.leaves_under(level, code as Code), count);
            // A hierarchy of no leaves has a top, under which there is nothing.
            assert!(count > 0 || hierarchy.leaf_count() == 0, "nothing is under a label of level {level}");
        }
        if level < hierarchy.height() {
            let mut parent = vec![None; hierarchy.size(level)];
            for (&low, &high) in codes.iter().zip(hierarchy.codes(level + 1)) {
                let known = *parent[low as usize].get_or_insert(high);
                assert_eq!(known, high, "a label of level {level} has two parents");
            }
        }
        let mut labels: Vec<_> =
            (0..hierarchy.size(level)).map(|c| hierarchy.label(level, c as Code)).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), hierarchy.size(level), "two codes of level {level} have one label");
    }
}

fn refused(error: &Error, text: &str) {
    let lines = text.split(['\n', '\r']).count() as u64;
    assert!(!error.faults().is_empty());
    for fault in error.faults() {
        assert!(!fault.message.is_empty());
        assert_eq!(fault.place.file.as_deref(), Some("h.csv"), "{fault}");
        assert!(fault.place.line.is_none_or(|line| (1..=lines).contains(&line)), "{fault}");
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    hierarchy: Spec,
}

/// Values that a hierarchy is built on: enough for every builder, few enough to be quick.
const VALUES: usize = 64;

/// Reads the bytes up to a line `---` as the policy syntax of a hierarchy, and builds it on the
/// lines that follow; an empty line is a missing value. A hierarchy file has these lines, too.
pub fn hierarchy_spec(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (spec, rest) = text.split_once("\n---\n").unwrap_or((text, ""));
    let Ok(Asked { hierarchy: spec }) = toml::from_str::<Asked>(spec) else { return };

    let written = toml::to_string(&Asked { hierarchy: spec.clone() }).unwrap();
    let again: Asked =
        toml::from_str(&written).unwrap_or_else(|e| panic!("written, but not read: {e}\n{written}"));
    assert_eq!(toml::to_string(&again).unwrap(), written);
    assert!(!describe(&spec).is_empty());

    let values: Vec<Option<&str>> =
        rest.lines().take(VALUES).map(|v| Some(v).filter(|v| !v.is_empty())).collect();
    let load = |_: &str| Ok(rest.to_owned());
    let forwards = Dictionary::of(values.iter().copied());
    let backwards = Dictionary::of(values.iter().rev().copied());
    match (build(&spec, &forwards, &load), build(&spec, &backwards, &load)) {
        (Ok(hierarchy), Ok(other)) => built(&hierarchy, &other, &forwards),
        (Err(error), Err(_)) => assert!(!error.faults().is_empty()),
        (a, b) => panic!("the order of the values decides: {:?} and {:?}", a.err(), b.err()),
    }
}

fn built(hierarchy: &Hierarchy, other: &Hierarchy, values: &Dictionary) {
    nests(hierarchy);
    assert_eq!(hierarchy.height(), other.height(), "the order of the values decides on the levels");
    assert_eq!(hierarchy.missing().is_some(), values.missing().is_some());
    for code in 0..values.len() as Code {
        let value = values.value(code);
        let (Some(leaf), Some(same)) = (hierarchy.leaf(value), other.leaf(value)) else {
            panic!("{value:?} is no leaf");
        };
        assert_eq!(hierarchy.label(0, hierarchy.generalize(leaf, 0)), value);
        for level in 0..=hierarchy.height() {
            let (a, b) = (hierarchy.generalize(leaf, level), other.generalize(same, level));
            assert_eq!(hierarchy.label(level, a), other.label(level, b), "the order of the values decides");
        }
    }
}
