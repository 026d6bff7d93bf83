//! Multisets of codes against `multisets.py`, which finds bounds by brute force and shares nothing
//! with the program.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use throng_terms::hierarchy::File;
use throng_terms::poset::{Codes, Poset, Spec};

const FOUND: &str = include_str!("multisets.jsonl");

#[derive(Deserialize)]
struct Case {
    nodes: String,
    most: u32,
    most_occurrences: Option<u32>,
    values: Vec<String>,
    bounds: Vec<Bound>,
}

#[derive(Deserialize)]
struct Bound {
    group: Vec<u32>,
    /// All least cells: which of them is released is not part of the definition.
    cells: Vec<String>,
    measure: [u32; 2],
}

/// A cell as the script writes it: nodes in order, each with how often it occurs.
fn canonical(cell: &str) -> String {
    let pair = |part: &str| {
        let (node, count) = part.trim().split_once(':').unwrap_or((part.trim(), "1"));
        (node.to_owned(), count.to_owned())
    };
    if cell == "*" {
        return cell.into();
    }
    let pairs: BTreeMap<String, String> = cell.split(';').map(pair).collect();
    pairs.iter().map(|(node, count)| format!("{node}:{count}")).collect::<Vec<_>>().join("; ")
}

#[test]
fn bounds_are_those_of_brute_force() {
    let mut limited = 0;
    for line in FOUND.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let Case { most, most_occurrences, .. } = case;
        let spec = Spec::Codes(Codes { file: File::Path("nodes.csv".into()), most, most_occurrences });
        let values = case.values.iter().cloned().map(Some).collect();
        let poset = Poset::build(&spec, values, &|_| Ok(case.nodes.clone())).unwrap();
        for Bound { group, cells, measure } in &case.bounds {
            let common = poset.common(group);
            let found = poset.lub(&common).remove(0).unwrap();
            assert!(cells.contains(&canonical(&found)), "{found} in {line}");
            let measure = f64::from(measure[0]) / f64::from(measure[1]);
            assert!((poset.measure(&common) - measure).abs() < 1e-6, "{found} in {line}");
            assert!((poset.measure_of(Some(&found)).unwrap() - measure).abs() < 1e-6, "{found} in {line}");
            let own = |at: &u32| poset.covers(Some(&found), poset.value(*at));
            assert!(group.iter().all(own), "{found} in {line}");
            limited +=
                usize::from(group.len() == 1 && canonical(&case.values[group[0] as usize]) != cells[0]);
        }
    }
    assert!(limited > 100, "limits matter: {limited}");
}

/// The recorded bounds are what the script finds; nothing to compare where there is no Python.
#[test]
fn the_script_finds_the_recorded_bounds() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/multisets.py");
    let Ok(output) = Command::new("python3").arg(script).output() else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap() == FOUND, "run multisets.py again");
}
