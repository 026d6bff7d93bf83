//! The counts against counting all pairs, with cells made at random: they need not be true of the
//! row that they are of.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::classes::{Classes, Codes};
use crate::hierarchy::Path;
use crate::recoded::{Value, Values};

/// A hierarchy of eight leaves and three levels; "1" is a leaf and a label of level 2.
fn hierarchy() -> Hierarchy {
    let labels = |i: usize| vec![format!("{}x", i / 2), (i / 4).to_string()];
    let path = |i: usize| Path { leaf: i.to_string(), labels: labels(i) };
    Hierarchy::new((0..8).map(path).collect(), true).unwrap()
}

/// The same numbers with nothing above them.
fn flat() -> Hierarchy {
    let path = |i: usize| Path { leaf: i.to_string(), labels: Vec::new() };
    Hierarchy::new((0..8).map(path).collect(), true).unwrap()
}

/// Cells of each form, whether they are true of anything or not.
const LABELS: [Option<&str>; 12] = [
    None,
    Some("*"),
    Some("1"),
    Some("0"),
    Some("0x"),
    Some("2x"),
    Some("3x"),
    Some("5"),
    Some("[1, 6]"),
    Some("[0, 4)"),
    Some("{0, 5, 7}"),
    Some("nothing"),
];

/// Whether a cell is true of a value, by its meaning.
fn covers(form: Form, hierarchy: &Hierarchy, label: Option<&str>, value: Option<&str>) -> bool {
    let leaf = hierarchy.leaf(value).unwrap();
    match form {
        Form::Label => {
            (0..=hierarchy.height()).any(|l| hierarchy.label(l, hierarchy.generalize(leaf, l)) == label)
        }
        _ => {
            let cell = label.map(Cell::parse);
            let formed = match (form, &cell) {
                (Form::Interval, Some(Cell::Interval(_))) | (Form::Set, Some(Cell::Set(_))) => true,
                // In place of a long set.
                (Form::Set, Some(Cell::Interval(_))) => hierarchy.height() == 1,
                _ => false,
            };
            // "1" is a value, and nothing else.
            let branch = form == Form::Set && ["0x", "2x", "3x"].map(Some).contains(&label);
            label == Some("*")
                || label == value
                || branch && hierarchy.label(1, hierarchy.generalize(leaf, 1)) == label
                || formed && cell.is_some_and(|cell| value.is_some_and(|value| cell.covers(value)))
        }
    }
}

/// Row by row: leaves, cells and whether it is suppressed.
type Row = ([u32; 2], [u32; 2], bool);

fn recoded(rows: &[Row]) -> Recoded {
    let codes = rows.iter().flat_map(|row| row.0).collect();
    let base = Classes::new(2, Codes::Wide(codes), vec![1; rows.len()]).unwrap();
    let value = |label: usize| Value {
        level: 0,
        measure: 0.0,
        leaves: 1,
        rows: 1,
        bits: 0.0,
        label: label as Code,
        worth: 0.0,
    };
    let labels: Vec<Option<String>> = LABELS.iter().map(|label| label.map(String::from)).collect();
    let values = Values {
        values: (0..LABELS.len()).map(value).collect(),
        labels,
        height: 3,
        leaves: 9,
        targets: None,
    };
    let cells = rows.iter().flat_map(|row| row.1).collect();
    let suppressed = rows.iter().map(|row| row.2).collect();
    Recoded::new(&Arc::new(base), vec![values.clone(), values], cells, suppressed).unwrap()
}

proptest! {
    #[test]
    fn notions_are_those_of_counting_all_pairs(
        rows in prop::collection::vec(([0..9u32, 0..9u32], [0..12u32, 0..12u32], prop::bool::weighted(0.2)), 1..60),
        forms in [0..3usize, 0..3usize],
        plain: bool,
    ) {
        let hierarchy = if plain { flat() } else { hierarchy() };
        let forms = forms.map(|form| [Form::Label, Form::Interval, Form::Set][form]);
        let kept: Vec<&Row> = rows.iter().filter(|row| !row.2).collect();
        let found = notions(&recoded(&rows), &[hierarchy.clone(), hierarchy.clone()], &forms, &Watch::none()).unwrap();
        let holds = |released: &Row, original: &Row| {
            (0..2).all(|c| covers(forms[c], &hierarchy, LABELS[released.1[c] as usize], hierarchy.leaf_value(original.0[c])))
        };
        let least = |of: &dyn Fn(&Row, &Row) -> bool| {
            kept.iter().map(|row| kept.iter().filter(|other| of(row, other)).count() as u64).min()
        };
        let expected = least(&|row, other| row.1 == other.1).map(|k| {
            let k_one = least(&|row, other| holds(row, other)).unwrap();
            NotionFacts::new(k, k_one, least(&|row, other| holds(other, row)).unwrap())
        });
        prop_assert_eq!(found, expected);
    }
}
