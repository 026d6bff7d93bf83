//! The fields that values imply, as levels: how many labels each has, and who shares one.

use crate::hierarchy::{self, Hierarchy};
use crate::table::{Code, Dictionary};

fn implied(spec: &str, values: &[&str], file: &str) -> Hierarchy {
    #[derive(serde::Deserialize)]
    struct Written {
        poset: super::Spec,
    }
    let Written { poset } = toml::from_str(&format!("poset = {spec}")).unwrap();
    let mut dictionary = Dictionary::new();
    for value in values {
        dictionary.add((!value.is_empty()).then_some(*value), 1);
    }
    let plain =
        hierarchy::build(&hierarchy::Spec::Poset(poset), &dictionary, &|_: &str| Ok(file.into())).unwrap();
    let levels = plain.implied();
    assert_eq!((plain.height(), levels.leaf_count()), (1, plain.leaf_count()));
    for leaf in 0..plain.leaf_count() as Code {
        assert_eq!(plain.leaf_value(leaf), levels.leaf_value(leaf));
    }
    levels
}

fn sizes(hierarchy: &Hierarchy) -> Vec<usize> {
    (0..=hierarchy.height()).map(|level| hierarchy.size(level)).collect()
}

#[test]
fn every_kind_implies_its_ancestors() {
    let zips = ["02139", "02138", "02140", "02141"];
    let of = implied("{ file = \"zips.csv\" }", &zips, super::graphs::ZIPS);
    assert_eq!(sizes(&of), [4, 2, 1], "0213 and 0214; 021 is above all");
    // Tract, then place: two blocks share both.
    let blocks = "all\nT1;;all\nT2;;all\nP1;;all\nP2;;all\na;;T1;P1\nb;;T1;P2\nc;;T2;P1\nd;;T1;P1\n";
    let of = implied("{ file = \"blocks.csv\" }", &["a", "b", "c", "d"], blocks);
    assert_eq!(sizes(&of), [4, 3, 2, 1]);
    let leaf = |value: &str| of.leaf(Some(value)).unwrap();
    assert_eq!(of.generalize(leaf("a"), 1), of.generalize(leaf("d"), 1));
    assert_eq!(of.generalize(leaf("a"), 2), of.generalize(leaf("b"), 2));
    assert_ne!(of.generalize(leaf("a"), 2), of.generalize(leaf("c"), 2));
    // Chapters with their frequencies, then codes.
    let codes = "*;1\nA;0.5;*\nB;0.5;*\na1;0;A\na2;0;A\nb1;0;B\n";
    let spec = "{ codes = { file = \"codes.csv\", most = 3 } }";
    let of = implied(spec, &["a1; b1", "a2; b1", "a1:2", "a1; a2", "b1"], codes);
    assert_eq!(sizes(&of), [5, 3, 1]);
    let spec = "{ birth = { base = \"2006-01-01\", ages = [5, 30, 50] } }";
    let dates = ["1978-02-13", "1978-02-15", "1978-06-15", "1980-01-01", "1950-01-01"];
    assert_eq!(sizes(&implied(spec, &dates, "")), [5, 4, 3, 2, 1], "month, year, band");
    let numbers = ["0", "5", "12", "19", "40"];
    assert_eq!(sizes(&implied("{ range = { worthless = 20 } }", &numbers, "")), [5, 3, 2, 1]);
    assert_eq!(sizes(&implied("{ bits = 3 }", &["110", "100", "011", "010"], "")), [4, 3, 2, 1]);
    assert_eq!(sizes(&implied("\"suppress\"", &["a", "b"], "")), [2, 1]);
}

/// The missing value is by itself at every level but the highest.
#[test]
fn missing_values_imply_nothing() {
    let of = implied("{ bits = 3 }", &["110", "100", "011", "010", ""], "");
    assert_eq!(sizes(&of), [5, 4, 3, 1]);
    assert!((0..3).all(|level| of.missing_at(level).is_some()) && of.missing_at(3).is_none());
    // Without a poset nothing changes.
    let path = |leaf: &str| hierarchy::Path { leaf: leaf.into(), labels: vec!["g".into()] };
    let plain = Hierarchy::new(vec![path("a"), path("b")], false).unwrap();
    assert_eq!(sizes(&plain.implied()), sizes(&plain));
}
