//! Katirai's printed examples, and the laws of least upper bounds for every kind.

use proptest::prelude::*;

use super::*;

mod codes;
mod dates;
mod graphs;
mod implied;
mod rows;

fn no_file(path: &str) -> Result<String> {
    Err(Fault::bug(format!("no file `{path}`")).into())
}

fn built(spec: &str, values: &[&str], load: &dyn Fn(&str) -> Result<String>) -> Result<Poset> {
    #[derive(serde::Deserialize)]
    struct Written {
        poset: Spec,
    }
    let Written { poset } = toml::from_str(&format!("poset = {spec}")).unwrap();
    let values = values.iter().map(|v| (!v.is_empty()).then(|| (*v).into())).collect();
    Poset::build(&poset, values, load)
}

fn poset(spec: &str, values: &[&str]) -> Poset {
    built(spec, values, &no_file).unwrap()
}

fn refused(spec: &str, values: &[&str], file: &str) -> String {
    built(spec, values, &|_| Ok(file.into())).unwrap_err().to_string()
}

fn joined(poset: &Poset, values: &[Code]) -> Common {
    let mut common = poset.only(values[0]);
    values[1..].iter().for_each(|&value| poset.join(&mut common, value));
    common
}

fn lub(poset: &Poset, values: &[Code]) -> Vec<String> {
    poset.lub_of(values).into_iter().map(|cell| cell.unwrap_or("missing".into())).collect()
}

/// The values under a cell, and the neighbours of a line, are those that the cell is true of.
#[test]
fn values_under_a_cell_are_those_that_it_covers() {
    let nodes = "*\nu;;*\nv;;*\na;;u;v\nb;;v\nc;;u";
    let dates = ["1978-02-13", "19780215", "1978-06-15", "1990-01-01", ""];
    let numbers = ["3", "1", "3.0", "", "12", "-4"];
    for (spec, values, cells) in [
        (
            "{ range = {} }",
            &numbers[..],
            &["[1, 3]", "3", "(1, 12)", "< 3", "x", "[5, 6]", "*", "[3, 1]"][..],
        ),
        ("{ range = {} }", &["3", "[1, 4]", "[2, 2]", ""], &["[1, 4]", "[2, 9]", "2", "*", "3"]),
        ("{ bits = 3 }", &["011", "001", "111", ""], &["001", "011", "100", "000", "01", "*"]),
        (
            "{ birth = { base = \"2006-01-01\", ages = [5, 30] } }",
            &dates,
            &["1978-02-15", "1978-06-15", "1978-02-13", "y", "*"],
        ),
        ("{ file = \"f\" }", &["a", "b", "c", ""], &["u", "v", "a", "*", "none"]),
    ] {
        let poset = built(spec, values, &|_| Ok(nodes.into())).unwrap();
        for cell in cells.iter().map(|cell| Some(*cell)).chain([None]) {
            let covered = |code: &Code| poset.covers(cell, poset.value(*code));
            let expected: Vec<Code> = (0..poset.len() as Code).filter(covered).collect();
            assert_eq!(poset.under(cell), expected, "{spec} {cell:?}");
            let Some((line, cell)) = poset.line().zip(cell) else { continue };
            let mut near = line[poset.stretch(cell)].to_vec();
            near.sort_unstable();
            let present = expected.into_iter().filter(|&code| poset.value(code).is_some());
            assert_eq!(near, present.collect::<Vec<_>>(), "{spec} {cell}");
        }
    }
}

/// [Katirai 2006], examples 1 and 2, and the first method of anonymizing fields.
#[test]
fn ranges_as_k_prints_them() {
    let ages =
        poset("{ range = { low = 0, high = 120, worthless = 25 } }", &["[10, 25]", "[8,20]", "40", ""]);
    assert_eq!(lub(&ages, &[0, 1]), ["[8, 25]"]);
    assert_eq!(ages.pair(0, 1), 17.0 / 25.0);
    assert_eq!(lub(&ages, &[0, 2]), ["[10, 40]"], "worth nothing where 25 are the most, and still a range");
    assert_eq!(ages.pair(0, 2), 1.0);
    assert_eq!(lub(&ages, &[3, 3]), ["missing"]);
    assert_eq!(lub(&ages, &[1, 3]), ["*"]);
    let ages = poset("{ range = { low = 10, high = 90 } }", &["[10, 30]", "[20, 35]"]);
    assert_eq!(lub(&ages, &[0, 1]), ["[10, 35]"]);
}

/// [Katirai 2006], example 5 (with AND, as he defines it; his comment prints an OR), and a value
/// without traits. 9007199254740993 is not a 64-bit float: it would be released as its neighbour.
#[test]
fn numbers_that_ranges_cannot_tell_apart_are_refused() {
    let text = refused("{ range = {} }", &["9007199254740992", "9007199254740993"], "");
    assert!(text.contains("`9007199254740992` has more than 15 digits"), "{text}");
    assert!(refused("{ range = {} }", &["[1, 1.234567890123456]"], "").contains("more than 15 digits"));
    // Zeros at either end are not significant digits.
    poset("{ range = {} }", &["123456789012345000000", "0.00000123456789012345", "-1.23456789012345e99"]);
    for (key, end) in [("low", "-inf"), ("high", "inf"), ("high", "nan")] {
        let text = refused(&format!("{{ range = {{ {key} = {end} }} }}"), &["1", "2"], "");
        assert!(text.contains("is not an end of ranges"), "{text}");
    }
}

#[test]
fn bits_are_what_all_have() {
    let traits = poset("{ bits = 3 }", &["011", "001", "000", "110", ""]);
    assert_eq!(lub(&traits, &[0, 1]), ["001"]);
    assert_eq!(traits.pair(0, 1), 2.0 / 3.0);
    assert_eq!(lub(&traits, &[0, 3]), ["010"]);
    assert_eq!(lub(&traits, &[1, 3]), ["*"]);
    assert_eq!(lub(&traits, &[2]), ["*"], "no trait is shown");
    assert_eq!(lub(&traits, &[0]), ["011"]);
    assert!(traits.covers(Some("001"), Some("011")) && !traits.covers(Some("011"), Some("001")));
    assert!(!traits.covers(Some("01"), Some("011")) && !traits.covers(Some("001"), None));
    let wide = format!("1{}", "0".repeat(63));
    assert_eq!(lub(&poset("{ bits = 64 }", &[&wide]), &[0]), [wide]);
    let text = refused("{ bits = 3 }", &["011", "01", "0x1"], "");
    assert!(text.contains("`01` is not a text of 3 characters 0 and 1, and neither is one other"), "{text}");
    assert!(refused("{ bits = 65 }", &[], "").contains("from 1 to 64"));
    assert!(refused("{ bits = 0 }", &[], "").contains("from 1 to 64"));
}

/// The laws, for values of a poset: idempotent, in any order, above every value, and of no less
/// measure than any of them.
fn laws(poset: &Poset, values: &[Code]) -> std::result::Result<(), TestCaseError> {
    let common = |values: &[Code]| joined(poset, values);
    let all = common(values);
    // A number stands for one text, and a text has one number.
    for part in 1..values.len() {
        let (a, b) = (common(&values[..part]), common(&values[part..]));
        for (a, b) in [(&a, &b), (&a, &all), (&b, &all)] {
            if let (Some(x), Some(y)) = (poset.number(a), poset.number(b)) {
                prop_assert_eq!(x == y, poset.lub(a)[0] == poset.lub(b)[0], "{:?} {:?}", a, b);
            }
        }
    }
    for cell in poset.lub(&all) {
        for &value in values {
            prop_assert!(
                poset.covers(cell.as_deref(), poset.value(value)),
                "{cell:?} of {:?}",
                poset.value(value)
            );
        }
    }
    let cell = poset.lub(&all)[0].clone();
    let covered: Vec<Code> =
        (0..poset.len() as Code).filter(|&v| poset.covers(cell.as_deref(), poset.value(v))).collect();
    prop_assert_eq!(poset.covered(&all), covered, "{:?}", cell);
    // As it is written it can stand for more than what was joined, and for no less.
    let written = poset.measure_of(cell.as_deref());
    prop_assert!(
        written.is_some_and(|written| written >= poset.measure(&all) - 1e-9),
        "{:?} {:?}",
        cell,
        written
    );
    let mut back: Vec<Code> = values.to_vec();
    back.reverse();
    prop_assert_eq!(&common(&back), &all);
    prop_assert_eq!(poset.lub(&common(&back)), poset.lub(&all));
    let twice: Vec<Code> = values.iter().chain(values).copied().collect();
    prop_assert_eq!(poset.lub(&common(&twice)), poset.lub(&all));
    for &value in values {
        prop_assert!(poset.measure(&poset.only(value)) <= poset.measure(&all));
    }
    let (&last, first) = values.split_last().unwrap();
    if !first.is_empty() {
        prop_assert_eq!(poset.with(&common(first), last), poset.measure(&all));
        prop_assert!(poset.measure(&common(first)) <= poset.measure(&all));
    }
    prop_assert!((0.0..=1.0).contains(&poset.measure(&all)));
    Ok(())
}

proptest! {
    #[test]
    fn ranges_keep_the_laws(
        ends in proptest::collection::vec((0..50i32, 0..20i32), 1..8),
        worthless in proptest::option::of(1..60i32),
        picked in proptest::collection::vec(any::<proptest::sample::Index>(), 1..6),
    ) {
        let texts: Vec<String> = ends.iter().map(|(low, width)| match width {
            0 => low.to_string(),
            _ => format!("[{low}, {}]", low + width),
        }).chain([String::new()]).collect();
        let spec = worthless.map_or("{ range = {} }".into(), |w| format!("{{ range = {{ worthless = {w} }} }}"));
        let poset = poset(&spec, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        let values: Vec<Code> = picked.iter().map(|at| at.index(texts.len()) as Code).collect();
        laws(&poset, &values)?;
        // No other range between two ends is true of all values and narrower.
        let measure = poset.measure(&joined(&poset, &values));
        let most = ends.iter().map(|(low, width)| low + width).max().unwrap() - ends.iter().map(|(low, _)| *low).min().unwrap();
        let both = ends.iter().flat_map(|(low, width)| [*low, low + width]);
        let points: Vec<i32> = both.collect();
        for (low, high) in points.iter().flat_map(|low| points.iter().map(move |high| (low, high))).filter(|(l, h)| l < h) {
            let cell = format!("[{low}, {high}]");
            if values.iter().all(|&value| poset.covers(Some(&cell), poset.value(value))) {
                prop_assert!(f64::from(high - low) / f64::from(worthless.unwrap_or(most)) >= measure, "{cell}");
            }
        }
    }

    #[test]
    fn bits_keep_the_laws_and_are_least(
        masks in proptest::collection::vec(0..32u32, 1..6),
        picked in proptest::collection::vec(any::<proptest::sample::Index>(), 1..6),
    ) {
        let texts: Vec<String> = masks.iter().map(|mask| format!("{mask:05b}")).chain([String::new()]).collect();
        let poset = poset("{ bits = 5 }", &texts.iter().map(String::as_str).collect::<Vec<_>>());
        let values: Vec<Code> = picked.iter().map(|at| at.index(texts.len()) as Code).collect();
        laws(&poset, &values)?;
        let measure = poset.measure(&joined(&poset, &values));
        for mask in 0..32u32 {
            let cell = format!("{mask:05b}");
            if values.iter().all(|&value| poset.covers(Some(&cell), poset.value(value))) {
                prop_assert!(f64::from(mask.count_zeros() - 27) / 5.0 >= measure, "{cell} is less");
            }
        }
    }

    #[test]
    fn suppression_keeps_the_laws(picked in proptest::collection::vec(0..4u32, 1..5)) {
        laws(&poset("\"suppress\"", &["a", "b", "", "d"]), &picked)?;
    }
}
