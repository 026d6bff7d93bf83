//! Explicit posets and level hierarchies against the definition, and what is wrong with files.

use proptest::sample::Index;

use super::*;
use crate::hierarchy::Path;

/// [Katirai 2006], figure 1 and example 3.
pub(super) const ZIPS: &str =
    "*;4\n021;3;*\n0213;2;021\n0214;2;021\n02139;1;0213\n02138;1;0213\n02140;1;0214\n02141;1;0214\n";

pub(super) fn of_file(file: &str, values: &[&str]) -> Poset {
    built("{ file = \"nodes.csv\" }", values, &|_| Ok(file.into())).unwrap()
}

#[test]
fn matrix_posets_as_k_prints_them() {
    let zips = of_file(ZIPS, &["0213", "0214", "02139", "02138", "02141", ""]);
    assert_eq!(lub(&zips, &[0, 1]), ["021"]);
    assert_eq!(zips.pair(0, 1), 0.75);
    assert_eq!(lub(&zips, &[2, 3]), ["0213"]);
    assert_eq!(lub(&zips, &[2, 3, 4]), ["021"]);
    assert_eq!(lub(&zips, &[2, 0]), ["0213"], "a value above another");
    assert_eq!(lub(&zips, &[2, 5]), ["*"]);
    // Example 4: the root is its own parent, and all measures are the same.
    let codes = of_file("*,1,*\n008,1,*\n031,1,*\n038,1,*", &["008", "031"]);
    assert_eq!(lub(&codes, &[0, 0]), ["008"], "the node itself, though its parent has its measure");
    assert_eq!(lub(&codes, &[0, 1]), ["*"]);
    assert_eq!((codes.pair(0, 0), codes.pair(0, 1)), (0.0, 1.0), "heights count");
    // Its diagnoses as multisets: a code that all have is in the cell.
    let load = |_: &str| Ok("*,1,*\n008,1,*\n031,1,*\n038,1,*".into());
    let sets =
        built("{ codes = { file = \"nodes.csv\", most = 2 } }", &["008; 031", "008; 038"], &load).unwrap();
    assert_eq!((lub(&sets, &[0, 1]), sets.pair(0, 1)), (vec!["008".into()], 0.5));
}

/// [Katirai 2006], figure 3: ages that may be generalized in two ways.
#[test]
fn a_node_has_several_parents() {
    let ages = "[10, 40];;\n[10, 30];;[10, 40]\n[20, 40];;[10, 40]\n[10, 20];;[10, 30]\n[20, 30];;[10, 30];[20, 40]\n[30, 40];;[20, 40]\n";
    let ages = of_file(ages, &["[10, 20]", "[20, 30]", "[30, 40]"]);
    assert_eq!(lub(&ages, &[0, 1]), ["[10, 30]"]);
    assert_eq!(lub(&ages, &[1, 2]), ["[20, 40]"]);
    assert_eq!(lub(&ages, &[0, 2]), ["[10, 40]"]);
    assert_eq!((ages.pair(0, 0), ages.pair(0, 1), ages.pair(0, 2)), (0.0, 0.5, 1.0));
    // A block lies in a tract and in a place; both are least.
    let blocks = of_file("all\ntract;;all\nplace;;all\na;;tract;place\nb;;place;tract\n", &["a", "b"]);
    assert_eq!(lub(&blocks, &[0, 1]), ["tract", "place"], "in the order of the file");
}

#[test]
fn files_are_refused_with_the_line() {
    let refused = |file: &str| refused("{ file = \"nodes.csv\" }", &[], file);
    for (file, found) in [
        (
            "*\na;;*\nb;;c\nc;;d\nd;;b\ne;;b",
            "nodes.csv:3: a cycle: `b` is below `c` is below `d` is below `b`",
        ),
        ("a;;a;b\nb;;\n", "nodes.csv:1: a cycle: `a` is below `a`"),
        ("a;;b\nb;;a\n", "nodes.csv:1: a cycle: `a` is below `b` is below `a`"),
        ("root\nplace;;root\na;;plaec", "nodes.csv:3: `a` has the parent `plaec`, which is not a node"),
        ("root\nplace;;root\na;;plaec", "did you mean `place`?"),
        ("a\nb\n", "nodes.csv:2: two roots: neither `a` nor `b` has a parent"),
        ("a\nb;;a\n\nb;;a", "nodes.csv:4: node `b` is given twice, first in line 2"),
        ("a;1\nb;x;a", "nodes.csv:2: `x` is not a measure of `b`"),
        ("a;1\nb;-1;a", "nodes.csv:2: `-1` is not a measure of `b`"),
        ("a;1\nb;;a", "nodes.csv:2: `b` has no measure, and others have"),
        (
            "a;1\nb;0.5;a\nc;0.7;b",
            "nodes.csv:3: non-monotone measure: `c` has 0.7, and its parent `b` has 0.5",
        ),
        ("a;0\nb;0;a", "nodes.csv:1: the root `a` has the measure 0"),
        ("root\n*;;root\na;;*", "nodes.csv:2: `*` has a parent"),
        ("a\n;;a", "nodes.csv:2: the node has no name"),
        ("\n\n", "nodes.csv: the poset has no nodes"),
        ("a;\"x", "nodes.csv:1: a quote is opened and never closed"),
    ] {
        let text = refused(file);
        assert!(text.contains(found), "{file:?}: {text}");
    }
    let text = super::refused("{ file = \"nodes.csv\" }", &["a", "c"], "*\na;;*");
    assert!(text.contains("`c` is not a node of nodes.csv"), "{text}");
    let delimited = "{ file = { path = \"n\", delimiter = \"|\" } }";
    assert!(built(delimited, &["a;b"], &|_| Ok("*\na;b||*".into())).is_ok());
    assert!(built("{ file = \"n\" }", &["a, b"], &|_| Ok("*\n\"a, b\",,*\n\"c, d\",,*".into())).is_ok());
}

/// A random graph as a file: node i has parents among those before it; measures are given or not.
pub(super) fn graph_file(parents: &[Vec<Index>], steps: Option<&[u8]>) -> (String, Vec<Vec<usize>>) {
    let above: Vec<Vec<usize>> = parents
        .iter()
        .enumerate()
        .map(|(at, picks)| picks.iter().map(|pick| if at == 0 { 0 } else { pick.index(at) }).collect())
        .collect();
    let mut measures = vec![100i32];
    let mut text = String::from(if steps.is_some() { "n0;100\n" } else { "n0\n" });
    for at in 1..above.len() {
        let least = above[at].iter().map(|&parent| measures[parent]).min().unwrap();
        measures.push(steps.map_or(0, |steps| (least - i32::from(steps[at % steps.len()])).max(0)));
        let measure = steps.map(|_| measures[at].to_string()).unwrap_or_default();
        let names: Vec<String> = above[at].iter().map(|parent| format!("n{parent}")).collect();
        text += &format!("n{at};{measure};{}\n", names.join(";"));
    }
    (text, above)
}

/// The nodes above a node and itself, by walking up.
fn ancestors(above: &[Vec<usize>], node: usize) -> std::collections::BTreeSet<usize> {
    let mut found = std::collections::BTreeSet::from([node]);
    if node > 0 {
        above[node].iter().for_each(|&parent| found.extend(ancestors(above, parent)));
    }
    found
}

/// Definition 3: the common ancestors of least measure; among those of the same measure none that
/// is above another, in the order of the file.
fn least_by_definition(poset: &Poset, above: &[Vec<usize>], values: &[Code]) -> Vec<String> {
    let over = values.iter().map(|&value| ancestors(above, value as usize));
    let common = over.reduce(|a, b| a.intersection(&b).copied().collect()).unwrap();
    let measure = |node: usize| poset.measure(&poset.only(node as Code));
    let least = common.iter().map(|&node| measure(node)).fold(f64::INFINITY, f64::min);
    let tied: Vec<usize> = common.into_iter().filter(|&node| measure(node) == least).collect();
    let lowest =
        |&&node: &&usize| !tied.iter().any(|&low| low != node && ancestors(above, low).contains(&node));
    tied.iter().filter(lowest).map(|node| format!("n{node}")).collect()
}

proptest! {
    #[test]
    fn explicit_posets_keep_the_laws_and_are_least(
        parents in proptest::collection::vec(proptest::collection::vec(any::<Index>(), 1..4), 1..12),
        steps in proptest::option::of(proptest::collection::vec(0..20u8, 1..5)),
        picked in proptest::collection::vec(any::<Index>(), 1..5),
    ) {
        let (text, above) = graph_file(&parents, steps.as_deref());
        let names: Vec<String> = (0..above.len()).map(|at| format!("n{at}")).collect();
        let poset = of_file(&text, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let values: Vec<Code> = picked.iter().map(|at| at.index(above.len()) as Code).collect();
        laws(&poset, &values)?;
        prop_assert_eq!(&lub(&poset, &values), &least_by_definition(&poset, &above, &values));
        for (node, name) in names.iter().enumerate() {
            for &value in &values {
                let is_above = ancestors(&above, value as usize).contains(&node);
                prop_assert_eq!(poset.covers(Some(name), poset.value(value)), is_above);
            }
        }
    }

    /// A hierarchy as a poset is what the hierarchy says, and so is the file of nodes that is
    /// written from it.
    #[test]
    fn levels_are_a_poset(
        codes in proptest::collection::btree_set(0..64u32, 1..12),
        picked in proptest::collection::vec(any::<Index>(), 1..5),
        missing in any::<bool>(),
    ) {
        let label = |code: u32, level: usize| format!("{level}:{}", code >> (2 * level));
        let paths = codes.iter().map(|&code| Path { leaf: label(code, 0), labels: (1..=3).map(|l| label(code, l)).collect() });
        let hierarchy = Hierarchy::new(paths.collect(), missing).unwrap();
        let poset = Poset::of_levels(&hierarchy);
        let values: Vec<Code> = picked.iter().map(|at| at.index(hierarchy.leaf_count()) as Code).collect();
        laws(&poset, &values)?;
        let together = |&level: &usize| values.iter().all(|&v| hierarchy.generalize(v, level) == hierarchy.generalize(values[0], level));
        let level = (0..=hierarchy.height()).find(together).unwrap();
        let with_missing = hierarchy.missing().is_some_and(|missing| values.contains(&missing));
        if !with_missing {
            let label = hierarchy.label(level, hierarchy.generalize(values[0], level)).map(String::from);
            prop_assert_eq!(poset.lub_of(&values), [label]);
            prop_assert_eq!(poset.measure(&joined(&poset, &values)), level as f64 / hierarchy.height() as f64);
            let leaves: Vec<&str> = (0..hierarchy.leaf_count() as Code).map(|leaf| hierarchy.leaf_value(leaf).unwrap_or_default()).collect();
            let explicit = of_file(&nodes_of(&hierarchy), &leaves);
            prop_assert_eq!(explicit.lub_of(&values), poset.lub_of(&values));
            prop_assert_eq!(explicit.measure(&joined(&explicit, &values)), poset.measure(&joined(&poset, &values)));
        }
    }
}

/// A hierarchy as a file of nodes, every node once.
fn nodes_of(hierarchy: &Hierarchy) -> String {
    let mut lines: Vec<String> = Vec::new();
    for leaf in (0..hierarchy.leaf_count() as Code).filter(|&leaf| Some(leaf) != hierarchy.missing()) {
        for level in 0..=hierarchy.height() {
            let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level)).unwrap();
            let parent = if level < hierarchy.height() { label(level + 1) } else { "" };
            let line = format!("{};;{parent}", label(level));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines.join("\n")
}

/// Twenty thousand nodes on five levels, some with a second and a third parent.
#[test]
fn a_large_poset_is_closed() {
    let names: Vec<String> = (0..20_000).map(|at| format!("n{at}")).collect();
    let poset = of_file(&large(20_000), &names.iter().map(String::as_str).collect::<Vec<_>>());
    // n14001 has the parent n1166, n14000 has n1166 and n1165, n13986 has n1165, n1164 and n1163;
    // all of these lie below n97.
    assert_eq!(lub(&poset, &[14_001, 14_000]), ["n1166"]);
    assert_eq!(lub(&poset, &[14_000, 13_986]), ["n1165"]);
    assert_eq!(lub(&poset, &[14_001, 13_986]), ["n97"]);
    assert_eq!(lub(&poset, &[19_999, 1]), ["n0"]);
    assert_eq!(poset.measure(&poset.only(0)), 1.0);
}

/// A made-up classification: node i's first parent is i / 12, further ones are neighbours of it.
fn large(nodes: usize) -> String {
    let mut text = String::new();
    for at in 0..nodes {
        let first = at / 12;
        let mut line = format!("n{at};;{}", if at == 0 { String::new() } else { format!("n{first}") });
        for (every, step) in [(7, 1), (21, 2)] {
            if at % every == 0 && first > 12 {
                line += &format!(";n{}", first - step);
            }
        }
        text += &line;
        text.push('\n');
    }
    text
}
