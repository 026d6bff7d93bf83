//! What cells cover, by sums and look-ups, against the definition: every pair of text and label by
//! itself, leaf by leaf.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::classes::Interner;
use super::super::meanings::{Meanings, Strangers};
use super::super::pace::Pace;
use super::super::shapes::{Shape, Shown};
use throng_terms::cell::{Cell, number};
use throng_terms::hierarchy::{Hierarchy, Order, Path, Spec, TOP, build};
use throng_terms::policy::Form;
use throng_terms::poset::{self, Range};
use throng_terms::watch::Watch;

/// Values of which some are the same number, some are none, and one is what a cell looks like.
const VALUES: [&str; 14] =
    ["0", "1", "1.0", "2", "3", "3.0", "4.5", "7", "-1", "x", "[1, 3]", "*", "12", "{1, 2}"];

const LABELS: [&str; 28] = [
    "*",
    "1",
    "3",
    "x",
    "[1, 3]",
    "(1, 3]",
    "[1, 3)",
    "< 3",
    ">= 4",
    "[-1, 12]",
    "[5, 6]",
    "[3, 1]",
    "{1, 2}",
    "{1, 1.0, 12}",
    "{1, nothing}",
    "2.5",
    "-1",
    "0 - 3",
    "1 - 4.5",
    "3 - 0",
    "low",
    "a",
    "b",
    "ab",
    "none",
    "x - 12",
    "[3, 3]",
    "1e0",
];

const POINTS: [&str; 9] = ["0", "1", "1.0", "2", "3", "3.0", "4.5", "7", "12"];
/// A value that makes the points codes, and not numbers.
const CODE: &str = "07";

/// Leaves → "a" or "b" by their place → "ab"; the last level may have two values.
fn labelled(missing: bool, topped: bool) -> Hierarchy {
    let path = |(at, value): (usize, &&str)| {
        let low = if at < 6 { "a" } else { "b" };
        let high = if topped || at < 10 { "ab" } else { "low" };
        Path { leaf: (*value).into(), labels: vec![(*value).into(), low.into(), high.into()] }
    };
    let nested: Vec<Path> = VALUES.iter().enumerate().map(path).collect();
    Hierarchy::new(nested, missing).unwrap_or_else(|_| {
        let path = |value: &&str| Path { leaf: (*value).into(), labels: vec!["ab".into()] };
        Hierarchy::new(VALUES.iter().map(path).collect(), missing).unwrap()
    })
}

/// What is above points: nothing, nothing above them and a code, or a label.
const ABOVE: [&str; 3] = ["nothing", CODE, "a"];

fn pointed(missing: bool, above: &str) -> Hierarchy {
    let labels = if above == "a" { vec!["a".into()] } else { Vec::new() };
    let path = |value: &str| Path { leaf: value.into(), labels: labels.clone() };
    let code = (above == CODE).then_some(CODE);
    Hierarchy::new(POINTS.into_iter().chain(code).map(path).collect(), missing).unwrap()
}

/// Whether an interval can be in place of a set: the leaves are points with nothing above them.
fn has_intervals(hierarchy: &Hierarchy) -> bool {
    let mut leaves = (0..hierarchy.leaf_count() as u32).filter_map(|leaf| hierarchy.leaf_value(leaf));
    hierarchy.label(1, 0) == Some(TOP) && leaves.all(|leaf| POINTS.contains(&leaf))
}

fn built(spec: &Spec, texts: &Interner) -> Hierarchy {
    build(spec, &texts.dictionary(), &|_| unreachable!()).unwrap()
}

/// The definition: the leaves of a label in a column of sets; none unless it is no value, no set, not
/// `*`, and has the same leaves at all of its levels.
fn in_place_of_a_set(hierarchy: &Hierarchy, label: &str) -> Option<Vec<u32>> {
    if label == TOP || label.starts_with('{') || hierarchy.leaf(Some(label)).is_some() {
        return None;
    }
    let all = 0..hierarchy.leaf_count() as u32;
    let at = |leaf: u32, level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
    let under =
        |level: usize| -> Vec<u32> { all.clone().filter(|&leaf| at(leaf, level) == Some(label)).collect() };
    let found: Vec<Vec<u32>> = (1..=hierarchy.height()).map(under).filter(|l| !l.is_empty()).collect();
    found.first().filter(|first| found.iter().all(|leaves| leaves == *first)).cloned()
}

/// The definition: which leaves a cell covers that stands for a text, and at which level.
fn naive(
    form: Form,
    (hierarchy, order): (&Hierarchy, Option<&[String]>),
    texts: &Interner,
    (text, label): (Option<&str>, Option<&str>),
) -> Option<Shape> {
    let all = 0..hierarchy.leaf_count() as u32;
    let leaf = hierarchy.leaf(text)?;
    let size = |leaf: u32| hierarchy.leaf_value(leaf).and_then(number);
    let within = |low: f64, high: f64| {
        all.clone().filter(move |&l| size(l).is_some_and(|x| low <= x && x <= high)).collect()
    };
    let of = |leaves: Vec<u32>, level: Option<f64>, levels: u128| {
        let one = |level: &usize| {
            leaves.iter().all(|&l| hierarchy.generalize(l, *level) == hierarchy.generalize(leaves[0], *level))
        };
        let found = (0..=hierarchy.height()).find(one).unwrap_or(hierarchy.height()) as f64;
        let rows = |l: u32| texts.get(hierarchy.leaf_value(l)).map_or(0, |text| texts.count(text)) as f64;
        let sum: f64 = leaves.iter().map(|&l| rows(l)).sum();
        let shares = leaves.iter().map(|&l| rows(l) / sum).filter(|&p| p > 0.0);
        Shape {
            leaves: leaves.len() as f64,
            level: level.unwrap_or(found),
            rows: sum,
            bits: 0.0 - shares.map(|p| p * p.log2()).sum::<f64>(),
            worth: 0.0,
            levels,
        }
    };
    if form == Form::Label {
        let at = |l: &usize| hierarchy.label(*l, hierarchy.generalize(leaf, *l)) == label;
        let levels: Vec<usize> = (0..=hierarchy.height()).filter(at).collect();
        let least = *levels.first()?;
        let code = hierarchy.generalize(leaf, least);
        let leaves = all.filter(|&l| hierarchy.generalize(l, least) == code).collect();
        return Some(of(leaves, Some(least as f64), levels.iter().fold(0, |bits, l| bits | 1 << l)));
    }
    if form == Form::Poset {
        let poset = hierarchy.poset().unwrap();
        if !poset.covers(label, text) {
            return None;
        }
        let Some(_) = label else { return Some(of(vec![leaf], None, u128::MAX)) };
        let leaves = all.filter(|&l| poset.covers(label, hierarchy.leaf_value(l))).collect();
        return Some(of(leaves, Some(poset.measure_of(label)?), u128::MAX));
    }
    if label == Some(TOP) && text != Some(TOP) {
        return Some(of(all.collect(), Some(hierarchy.height() as f64), u128::MAX));
    }
    if label == text {
        return Some(of(vec![leaf], None, u128::MAX));
    }
    let label = label?;
    let in_place = in_place_of_a_set(hierarchy, label).filter(|_| form == Form::Set);
    if let Some(leaves) = in_place {
        return leaves.contains(&leaf).then(|| of(leaves, None, u128::MAX));
    }
    let text = text?;
    let leaves: Vec<u32> = match (form, Cell::parse(label)) {
        (Form::Interval, cell @ Cell::Interval(interval)) if cell.covers(text) => {
            within(interval.low, interval.high)
        }
        (Form::Set, cell @ Cell::Interval(interval)) if has_intervals(hierarchy) && cell.covers(text) => {
            within(interval.low, interval.high)
        }
        (Form::Set, Cell::Set(values)) if values.iter().any(|value| value == text) => {
            values.iter().map(|value| hierarchy.leaf(Some(value))).collect::<Option<_>>()?
        }
        (Form::Range, Cell::Range(first, last)) => {
            let place = |value: &str| order?.iter().position(|other| other == value);
            let (from, to) = (place(&first)?, place(&last)?);
            let listed = order?.get(from..=to).filter(|_| from < to && place(label).is_none())?;
            let _ = listed.iter().position(|value| value == text)?;
            listed.iter().map(|value| hierarchy.leaf(Some(value))).collect::<Option<_>>()?
        }
        (Form::Mean | Form::Median, _) => {
            let (x, shown) = (number(text)?, number(label)?);
            if x == shown { vec![leaf] } else { within(x.min(shown), x.max(shown)) }
        }
        _ => return None,
    };
    Some(of(leaves, None, u128::MAX))
}

/// The definition: whether a cell is true of a value that need not be a leaf.
fn is_true(
    form: Form,
    (hierarchy, order): (&Hierarchy, &[String]),
    cell: Option<&str>,
    value: Option<&str>,
) -> bool {
    if form == Form::Poset {
        return hierarchy.poset().unwrap().covers(cell, value);
    }
    if form == Form::Label {
        let Some(leaf) = hierarchy.leaf(value) else { return false };
        let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
        return (0..=hierarchy.height()).any(|level| label(level) == cell);
    }
    if cell == Some(TOP) || cell == value {
        return true;
    }
    let leaves = cell.filter(|_| form == Form::Set).and_then(|cell| in_place_of_a_set(hierarchy, cell));
    if let Some(leaves) = leaves {
        return hierarchy.leaf(value).is_some_and(|leaf| leaves.contains(&leaf));
    }
    let (Some(cell), Some(value)) = (cell, value) else { return false };
    let place = |value: &str| order.iter().position(|other| other == value);
    match (form, Cell::parse(cell)) {
        (Form::Range, Cell::Range(first, last)) if place(cell).is_none() => {
            let ends = place(&first).zip(place(&last)).filter(|(first, last)| first < last);
            ends.zip(place(value)).is_some_and(|((first, last), at)| first <= at && at <= last)
        }
        (Form::Interval, cell @ Cell::Interval(_)) | (Form::Set, cell @ Cell::Set(_)) => cell.covers(value),
        (Form::Set, cell @ Cell::Interval(_)) if has_intervals(hierarchy) => cell.covers(value),
        _ => false,
    }
}

fn same(found: Option<Shape>, expected: Option<Shape>) -> bool {
    match (found, expected) {
        (Some(a), Some(b)) => {
            (a.bits - b.bits).abs() < 1e-12 && Shape { bits: 0.0, ..a } == Shape { bits: 0.0, ..b }
        }
        (None, None) => true,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The places that a label covers are those of the texts that it is true of, whether or not the
    /// hierarchy knows them.
    #[test]
    fn meanings_are_those_of_the_definition(
        form in select(vec![Form::Label, Form::Interval, Form::Set, Form::Range, Form::Poset]),
        values in prop::collection::vec(0..VALUES.len(), 1..12),
        missing in prop::bool::ANY,
        labels in prop::collection::vec(0..LABELS.len() + 1, 1..12),
        above in prop::option::of(select(ABOVE.to_vec())),
    ) {
        let mut texts = Interner::new();
        for value in values {
            texts.add(Some(if form == Form::Poset { POINTS[value % POINTS.len()] } else { VALUES[value] }));
        }
        if missing {
            texts.add(None);
        }
        let order = VALUES.map(String::from);
        let hierarchy = match form {
            Form::Poset => built(&Spec::Poset(poset::Spec::Range(Range::default())), &texts),
            Form::Range => built(&Spec::Order(Order { fanout: Vec::new(), values: order.to_vec() }), &texts),
            Form::Set if above.is_some() => pointed(missing, above.unwrap_or_default()),
            _ => labelled(missing, true),
        };
        if matches!(form, Form::Label | Form::Interval | Form::Set) {
            texts.add(Some("2.5"));
        }
        let mut released = Interner::new();
        for &label in &labels {
            released.add(LABELS.get(label).copied());
        }
        let watch = Watch::none();
        let known = (&texts, Strangers::ByMeaning);
        let meanings = Meanings::new((form, &hierarchy), known, &released, &Pace::new(&watch, 0)).unwrap();
        for label in 0..released.len() as u32 {
            for text in (0..texts.len() as u32).filter(|&text| texts.count(text) > 0) {
                let (cell, value) = (released.value(label), texts.value(text));
                let found = meanings.spans[label as usize].covers(meanings.places[text as usize]);
                let expected = is_true(form, (&hierarchy, &order), cell, value);
                prop_assert_eq!(found, expected, "{:?} {:?} {:?}", form, cell, value);
            }
        }
    }

    /// All forms: ties of numbers, missing values, texts and labels of no leaf, `*`, ends that are
    /// open or the wrong way round, leaves without rows.
    #[test]
    fn shapes_are_those_of_the_definition(
        form in select(vec![Form::Label, Form::Interval, Form::Set, Form::Mean, Form::Median, Form::Range, Form::Poset]),
        rows in prop::collection::vec((0..VALUES.len(), 1..40u64), 1..12),
        strangers in prop::bool::ANY,
        missing in prop::bool::ANY,
        topped in prop::bool::ANY,
        labels in prop::collection::vec(0..LABELS.len() + 1, 1..10),
        order in prop::sample::subsequence(VALUES.to_vec(), 2..VALUES.len()).prop_shuffle(),
        above in prop::option::of(select(ABOVE.to_vec())),
    ) {
        let mut texts = Interner::new();
        let points = form == Form::Poset;
        for (value, count) in &rows {
            let value = if points { POINTS[value % POINTS.len()] } else { VALUES[*value] };
            texts.count_in(Some(value), *count);
        }
        if missing {
            texts.count_in(None, 3);
        }
        let order: Vec<String> = order.into_iter().map(String::from).collect();
        let hierarchy = match form {
            Form::Poset => built(&Spec::Poset(poset::Spec::Range(Range::default())), &texts),
            Form::Range => {
                let listed = Spec::Order(Order { fanout: Vec::new(), values: VALUES.map(String::from).to_vec() });
                built(&listed, &texts)
            }
            Form::Set if above.is_some() => pointed(missing, above.unwrap_or_default()),
            _ => labelled(missing, topped),
        };
        if strangers && !points && form != Form::Range {
            texts.count_in(Some("stranger"), 2);
        }
        let order = (form == Form::Range).then_some(&order[..]);
        let mut released = Interner::new();
        for &label in &labels {
            released.add(LABELS.get(label).copied());
        }
        let all_texts: Vec<u32> = (0..texts.len() as u32).filter(|&text| texts.count(text) > 0).collect();
        let mut pairs: Vec<((u32, u32), u64)> = Vec::new();
        for label in 0..released.len() as u32 {
            pairs.extend(all_texts.iter().map(|&text| ((text, label), 1)));
        }
        let watch = Watch::none();
        let pace = Pace::new(&watch, 0);
        let shown = Shown::new(form, (&hierarchy, order), (&texts, &released), None, &pace).unwrap();
        let shapes = shown.shapes(&pairs, None, &pace).unwrap();
        for (at, &((text, label), _)) in pairs.iter().enumerate() {
            let pair = (texts.value(text), released.value(label));
            let expected = naive(form, (&hierarchy, order), &texts, pair);
            prop_assert!(same(shapes.get(at), expected), "{:?} {:?}: {:?}, {:?}", form, pair, shapes.get(at), expected);
        }
    }
}
