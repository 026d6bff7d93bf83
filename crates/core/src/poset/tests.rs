//! K's printed examples, and the laws of least upper bounds for every kind.

use proptest::prelude::*;

use super::*;

fn no_file(path: &str) -> Result<String> {
    Err(Fault::bug(format!("no file `{path}`")).into())
}

fn poset(spec: &str, values: &[&str]) -> Poset {
    #[derive(serde::Deserialize)]
    struct Written {
        poset: Spec,
    }
    let Written { poset } = toml::from_str(&format!("poset = {spec}")).unwrap();
    let values = values.iter().map(|v| (!v.is_empty()).then(|| (*v).into())).collect();
    Poset::build(&poset, values, &no_file).unwrap()
}

fn lub(poset: &Poset, values: &[Code]) -> Vec<String> {
    poset.lub_of(values).into_iter().map(|cell| cell.unwrap_or("missing".into())).collect()
}

/// K, examples 1 and 2, and the first method of anonymizing fields.
#[test]
fn ranges_as_k_prints_them() {
    let ages =
        poset("{ range = { low = 0, high = 120, worthless = 25 } }", &["[10, 25]", "[8,20]", "40", ""]);
    assert_eq!(lub(&ages, &[0, 1]), ["[8, 25]"]);
    assert_eq!(ages.pair(0, 1), 17.0 / 25.0);
    assert_eq!(lub(&ages, &[0, 2]), ["*"], "30 years are worth nothing where 25 are the most");
    assert_eq!(ages.pair(0, 2), 1.0);
    assert_eq!(lub(&ages, &[3, 3]), ["missing"]);
    assert_eq!(lub(&ages, &[1, 3]), ["*"]);
    let ages = poset("{ range = { low = 10, high = 90 } }", &["[10, 30]", "[20, 35]"]);
    assert_eq!(lub(&ages, &[0, 1]), ["[10, 35]"]);
}

/// The laws, for values of a poset: idempotent, in any order, above every value, and of no less measure than any of them.
fn laws(poset: &Poset, values: &[Code]) -> std::result::Result<(), TestCaseError> {
    let common = |values: &[Code]| {
        let mut common = poset.only(values[0]);
        values[1..].iter().for_each(|&value| poset.join(&mut common, value));
        common
    };
    let all = common(values);
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
    let mut back: Vec<Code> = values.to_vec();
    back.reverse();
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
    }

    #[test]
    fn suppression_keeps_the_laws(picked in proptest::collection::vec(0..4u32, 1..5)) {
        laws(&poset("\"suppress\"", &["a", "b", "", "d"]), &picked)?;
    }
}
