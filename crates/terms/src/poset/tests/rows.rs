//! Rows: Katirai's example 10, and his fold beside the least cells above all.

use proptest::sample::Index;

use super::graphs::{ZIPS, graph_file, of_file};
use super::*;

/// [Katirai 2006], example 10; the traits are what both have, where his comment prints 011.
#[test]
fn rows_as_k_prints_them() {
    let ages = poset("{ range = { low = 10, high = 90 } }", &["[10, 30]", "[20, 35]"]);
    let zips = of_file(ZIPS, &["0213", "0214"]);
    let traits = poset("{ bits = 3 }", &["011", "001"]);
    let rows = Row::new([(&ages, 1.0), (&zips, 1.0), (&traits, 1.0)]);
    let mut common = rows.only(&[0, 0, 0]);
    rows.join(&mut common, &[1, 1, 1]);
    let written = |cell: &str| vec![Some(cell.to_owned())];
    assert_eq!(rows.lub(&common), [written("[10, 35]"), written("021"), written("001")]);
    assert_eq!(rows.measure(&common), 25.0 / 80.0 + 0.75 + 2.0 / 3.0);
    let folded = rows.fold(&rows.alone(&[0, 0, 0]), &[1, 1, 1]);
    let cells: Vec<Common> = folded.iter().map(|set| set[0].clone()).collect();
    assert_eq!(rows.lub(&cells), rows.lub(&common));
}

/// A fold goes on from the least cells, and may miss one that is above all: x is above a, b and c,
/// but y is less above a and b.
#[test]
fn a_fold_can_end_higher() {
    let nodes = of_file("*;10\nx;5;*\ny;2;*\na;0;x;y\nb;0;x;y\nc;0;x\n", &["a", "b", "c"]);
    let rows = Row::new([(&nodes, 1.0)]);
    let sets = rows.fold(&rows.fold(&rows.alone(&[0]), &[1]), &[2]);
    assert_eq!(nodes.lub(&sets[0][0]), [Some("*".into())]);
    assert_eq!(lub(&nodes, &[0, 1, 2]), ["x"]);
    // Of a LUB set of two, the cell that fits the next row better is taken.
    let nodes = of_file("*;10\nx;2;*\ny;2;*\na;0;x;y\nb;0;x;y\nc;0;y\n", &["a", "b", "c"]);
    let rows = Row::new([(&nodes, 1.0)]);
    let sets = rows.fold(&rows.alone(&[0]), &[1]);
    assert_eq!(sets[0].len(), 2);
    let sets = rows.fold(&sets, &[2]);
    assert_eq!(nodes.lub(&sets[0][0]), [Some("y".into())]);
}

proptest! {
    /// Definition 4 by all combinations of cells; and never below the least cells above all rows.
    #[test]
    fn folds_are_definition_4(
        parents in proptest::collection::vec(proptest::collection::vec(any::<Index>(), 1..4), 2..10),
        picked in proptest::collection::vec((any::<Index>(), 0..4u32), 2..5),
    ) {
        let (text, above) = graph_file(&parents, None);
        let names: Vec<String> = (0..above.len()).map(|at| format!("n{at}")).collect();
        let nodes = of_file(&text, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let zips = of_file(ZIPS, &["02138", "02139", "02140", "0214"]);
        let rows = Row::new([(&nodes, 2.0), (&zips, 1.0)]);
        let values: Vec<[Code; 2]> = picked.iter().map(|(at, zip)| [at.index(above.len()) as Code, *zip]).collect();
        let mut sets = rows.alone(&values[0]);
        let mut exact = rows.only(&values[0]);
        for value in &values[1..] {
            let mut least = f64::INFINITY;
            for a in &sets[0] {
                for b in &sets[1] {
                    let mut combination = [a.clone(), b.clone()];
                    rows.join(&mut combination, value);
                    least = least.min(rows.measure(&combination));
                }
            }
            sets = rows.fold(&sets, value);
            rows.join(&mut exact, value);
            for a in &sets[0] {
                for b in &sets[1] {
                    prop_assert_eq!(rows.measure(&[a.clone(), b.clone()]), least);
                }
            }
            prop_assert!(rows.measure(&exact) <= least);
        }
    }
}
