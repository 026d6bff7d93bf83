//! Replaced identifiers: true releases pass, and exactly the manipulations fail that can be
//! detected without the key.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::hand::{people, tamper};
use super::random::case_at;
use super::{Case, Made, Row, broken};

const REPLACED: &str = "role = \"identifier\"\ntransform = { substitute = { key_env = \"KEY\" } }";

/// The nine people with made-up names, all of three letters; bob comes twice.
fn named() -> Case {
    let mut case = people();
    case.policy = case.policy.replace("role = \"identifier\"", REPLACED);
    case.rows[0][0] = Some("bob".into());
    case
}

fn starred() -> Case {
    let mut case = named();
    case.policy = case.policy.replace("\"dropped\"", "\"starred\"");
    case
}

fn name(row: usize, value: &'static str) -> impl Fn(&mut Made) {
    move |made| made.rows[row][0] = Some(value.into())
}

#[test]
fn a_true_release_holds_and_says_what_it_proves() {
    for (case, made_up) in [(named(), 7), (starred(), 8)] {
        let made = case.release();
        assert_eq!(made.columns[0], "name");
        let verdict = case.judge(&made, true);
        assert!(verdict.holds(), "{verdict:#?}");
        let expected =
            format!("8 identifiers in the original, {made_up} made-up ones in the release, none in common");
        assert!(verdict.claims["identifiers: name"].found.starts_with(&expected), "{verdict:#?}");
        let verdict = case.judge(&made, false);
        assert!(verdict.holds() && verdict.claims["identifiers: name"].unchecked);
    }
}

#[test]
fn without_a_transform_there_is_no_column_and_no_claim() {
    let case = people();
    let made = case.release();
    assert!(!made.columns.contains(&"name".to_owned()));
    assert!(case.judge(&made, true).claims.keys().all(|claim| !claim.starts_with("identifiers")));
}

#[test]
fn identifiers_that_were_changed() {
    let claim = "identifiers: name";
    for case in [named(), starred()] {
        let made = case.release();
        let (bob, cid) = (made.rows[0][0].clone().unwrap(), made.rows[2][0].clone().unwrap());
        assert_eq!(made.rows[1][0], Some(bob.clone()), "bob comes twice");
        // A raw name: that of somebody else is as bad as one's own.
        tamper(&case, name(2, "cid"), claim, "");
        tamper(&case, name(2, "gus"), claim, "");
        // Two people with one made-up name, one with two.
        tamper(&case, |made| made.rows[3][0] = Some(cid.clone()), claim, "");
        tamper(&case, name(1, "zzz"), claim, "");
        // A name that is written unlike the others can be seen without the original.
        tamper(&case, name(2, "zzzz"), claim, claim);
        tamper(&case, name(2, "Zzz"), claim, claim);
        tamper(&case, |made| made.rows[2][0] = None, claim, "");
        // The rows of one person given to another.
        let swap = |a: usize, b: usize| {
            move |made: &mut Made| {
                let kept = made.rows[a][0].clone();
                made.rows[a][0] = made.rows[b][0].clone();
                made.rows[b][0] = kept;
            }
        };
        tamper(&case, swap(1, 2), claim, "");
        // Who has which made-up name cannot be seen, and is nobody's concern: another key would do
        // the same.
        tamper(&case, swap(2, 4), "", "");
        tamper(&case, name(2, "zzz"), "", "");
        // All with other names.
        let rename = |made: &mut Made| {
            made.rows
                .iter_mut()
                .for_each(|row| row[0] = row[0].as_deref().map(|name| name.chars().rev().collect()));
        };
        tamper(&case, rename, "", "");
    }
}

#[test]
fn a_release_of_the_original_names_is_refused() {
    let case = named();
    let mut made = case.release();
    for (row, original) in made.rows.iter_mut().zip(&case.rows) {
        row[0] = original[0].clone();
    }
    let verdict = case.judge(&made, true);
    assert_eq!(broken(&verdict), ["identifiers: name"]);
    let found = &verdict.claims["identifiers: name"].found;
    assert!(found.contains("7 values of the original are in the release"), "{found}");
    assert!(!found.contains("bob"), "an identifier must not be told");
}

#[test]
fn a_level_that_is_not_there_is_told() {
    let case = named();
    let mut made = case.release();
    made.certificate.release.levels.insert("zip".into(), 9);
    made.seal();
    let verdict = case.judge(&made, true);
    let finding = &verdict.claims["identifiers: name"];
    assert!(!finding.holds && finding.found.contains("levels do not fit"), "{finding:?}");
}

/// Where the identifier stands in a random case.
const ID: usize = 8;

/// A random case with identifiers of two digits; some repeat and some are missing.
fn with_identifiers() -> impl Strategy<Value = Case> {
    let identifier = prop_oneof![8 => (0_u8..5).prop_map(|i| Some(format!("1{i}"))), 1 => Just(None)];
    (case_at(None), prop::collection::vec(identifier, 25)).prop_map(|(mut case, identifiers)| {
        let column =
            "[columns]\nid = { role = \"identifier\", transform = { substitute = { key_env = \"K\" } } }\n";
        case.policy = case.policy.replace("[columns]\n", column);
        case.columns.push("id".into());
        case.rows.iter_mut().zip(identifiers).for_each(|(row, identifier)| row.push(identifier));
        case
    })
}

/// The cells of a row besides the identifier.
type Others<'a> = &'a [Option<String>];

/// What can be seen of identifiers without a key: how many have which rows, and which rows have
/// none.
fn seen(rows: &[Row]) -> (Vec<Vec<Others<'_>>>, Vec<Others<'_>>) {
    let mut people: BTreeMap<&Option<String>, Vec<Others<'_>>> = BTreeMap::new();
    rows.iter().for_each(|row| people.entry(&row[ID]).or_default().push(&row[..ID]));
    people.values_mut().for_each(|rows| rows.sort());
    let nobody = people.remove(&None).unwrap_or_default();
    let mut people: Vec<_> = people.into_values().collect();
    people.sort();
    (people, nobody)
}

proptest! {
    #[test]
    fn true_replacements_hold(case in with_identifiers()) {
        for original in [true, false] {
            let verdict = case.judge(&case.release(), original);
            prop_assert_eq!(broken(&verdict), Vec::<&str>::new(), "{:#?}", verdict);
        }
    }

    #[test]
    fn a_change_is_seen_if_it_can_be(
        case in with_identifiers(),
        changes in prop::collection::vec((any::<Index>(), select(vec!["40", "41", "42", "43", "44", "99", "13", "-"])), 1..4),
    ) {
        let made = case.release();
        prop_assume!(!made.rows.is_empty());
        let mut changed = made.clone();
        for (row, value) in changes {
            let row = row.index(made.rows.len());
            changed.rows[row][ID] = (value != "-").then(|| value.to_owned());
        }
        let originals: BTreeSet<&Option<String>> = case.rows.iter().filter_map(|row| row.last()).collect();
        let raw = changed.rows.iter().any(|row| row[ID].is_some() && originals.contains(&row[ID]));
        let fine = !raw && seen(&changed.rows) == seen(&made.rows);
        let verdict = case.judge(&changed, true);
        prop_assert_eq!(verdict.claims["identifiers: id"].holds, fine, "{:#?}", verdict);
        prop_assert!(verdict.claims["truth"].holds, "the other cells are as they were");
    }
}
