//! After any sequence of accepted releases every subject has k candidates, by brute force.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use throng_ledger::{Ledger, OnConflict, PUBLIC};
use throng_terms::watch::Watch;

use crate::support::{AT, facts, offer, open};

/// Subject → class and value.
type Table = BTreeMap<u128, (u64, u64)>;

/// What a step offers: who receives it, whom it may collude with, whether to recode, k, the table.
type Step = (usize, Option<usize>, bool, u64, Table);

const NAMES: [&str; 4] = [PUBLIC, "a", "b", "c"];

/// People who come and go, in classes that change from release to release.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let table = proptest::collection::btree_map(0..16u128, (0..3u64, 0..3u64), 0..16);
    let step = (0..4usize, proptest::option::weighted(0.2, 1..4usize), any::<bool>(), 2..4u64, table);
    proptest::collection::vec(step, 1..7)
}

/// A table in which small classes are put together, as a release that is safe alone has them.
fn safe_alone(table: &Table, k: u64) -> Table {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    table.values().for_each(|(class, _)| *sizes.entry(*class).or_default() += 1);
    table.iter().filter(|(_, (class, _))| sizes[class] >= k).map(|(s, cell)| (*s, *cell)).collect()
}

/// An accepted release: recipient, k and table.
type Accepted = (usize, u64, Table);

/// The recipients who see what one of them sees.
fn together(of: usize, collusions: &[(usize, usize)]) -> BTreeSet<usize> {
    let mut all = BTreeSet::from([of, 0]);
    loop {
        let more =
            collusions.iter().filter(|(a, b)| *a != 0 && *b != 0 && all.contains(a) != all.contains(b));
        let more: Vec<usize> = more.flat_map(|(a, b)| [*a, *b]).collect();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

/// The fewest candidates beside the k that is promised, and the fewest values, by the definition.
fn judge(seen: &[&Accepted]) -> Result<(), TestCaseError> {
    let people: BTreeSet<u128> = seen.iter().flat_map(|(_, _, table)| table.keys().copied()).collect();
    let trace =
        |s: &u128| seen.iter().map(|(_, _, table)| table.get(s).map(|cell| cell.0)).collect::<Vec<_>>();
    for s in &people {
        let alike: Vec<&u128> = people.iter().filter(|other| trace(other) == trace(s)).collect();
        let k = seen.iter().filter(|(_, _, table)| table.contains_key(s)).map(|(_, k, _)| *k).max();
        prop_assert!(alike.len() as u64 >= k.unwrap_or(0), "{s} has {} candidates of {k:?}", alike.len());
        for (_, _, table) in seen {
            let Some((class, _)) = table.get(s) else { continue };
            let whole: BTreeSet<u64> =
                table.values().filter(|(other, _)| other == class).map(|cell| cell.1).collect();
            let values: BTreeSet<u64> = alike.iter().map(|other| table[other].1).collect();
            prop_assert!(values.len() >= whole.len().min(2), "a value of {s} is certain");
        }
    }
    Ok(())
}

/// Offers a release and returns what was accepted of it.
fn release(ledger: &mut Ledger, (to, with, recode, k, table): &Step, number: usize) -> Option<Table> {
    let mut table = safe_alone(table, *k);
    // As a release does it: withhold, decide again, and ask again.
    for _ in 0..20 {
        let rows: Vec<(u128, u64, u64)> = table.iter().map(|(s, (c, v))| (*s, *c, *v)).collect();
        let mut offer = offer(NAMES[*to], *k, &rows);
        offer.colludes_with = with.iter().map(|with| NAMES[*with].to_owned()).collect();
        let on_conflict = if *recode { OnConflict::Recode } else { OnConflict::Refuse };
        let accepted = ledger.judge(&offer, on_conflict, &Watch::none()).ok()?;
        if accepted.withhold.is_empty() {
            ledger.append_release(&offer, facts(&number.to_string()), AT.into(), &Watch::none()).unwrap();
            return Some(table);
        }
        table.retain(|s, _| accepted.withhold.binary_search(s).is_err());
        table = safe_alone(&table, *k);
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nobody_has_fewer_than_k_candidates_after_any_accepted_releases(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = open(&folder.path().join("ledger.db")).unwrap();
        let (mut accepted, mut collusions): (Vec<Accepted>, Vec<(usize, usize)>) = Default::default();
        for (number, step) in steps.iter().enumerate() {
            if let Some(table) = release(&mut ledger, step, number) {
                collusions.extend(step.1.map(|with| (step.0, with)));
                accepted.push((step.0, step.3, table));
            }
            for of in 0..NAMES.len() {
                let view = together(of, &collusions);
                let seen: Vec<&Accepted> = accepted.iter().filter(|(to, ..)| view.contains(to)).collect();
                judge(&seen)?;
            }
        }
        prop_assert_eq!(ledger.releases().count(), accepted.len());
        prop_assert!(ledger.check(&Watch::none()).unwrap().holds);
    }
}

#[test]
fn colluding_recipients_are_one_view_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = open(&folder.path().join("ledger.db")).unwrap();
    let watch = Watch::none();
    let first = offer("a", 2, &[(1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 2, 2)]);
    let second = offer("b", 2, &[(1, 1, 1), (3, 1, 2), (2, 2, 1), (4, 2, 2)]);
    assert!(ledger.judge(&first, OnConflict::Refuse, &watch).unwrap().withhold.is_empty());
    ledger.append_release(&first, facts("1"), AT.into(), &watch).unwrap();
    assert!(ledger.judge(&second, OnConflict::Refuse, &watch).is_ok());
    let mut colluding = second.clone();
    colluding.colludes_with = vec!["a".into()];
    let refused = ledger.judge(&colluding, OnConflict::Refuse, &watch).unwrap_err();
    assert_eq!(refused.faults()[0].code, "ledger.too-few-candidates");
    // Everybody has what is public.
    let public = throng_ledger::Offer { recipient: PUBLIC.into(), ..second.clone() };
    assert!(ledger.judge(&public, OnConflict::Refuse, &watch).is_err());
    // Declared later, the earlier releases conflict by themselves.
    ledger.append_release(&second, facts("2"), AT.into(), &watch).unwrap();
    let mut third = offer("a", 2, &[(1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 2, 2)]);
    third.colludes_with = vec!["b".into()];
    let refused = ledger.judge(&third, OnConflict::Recode, &watch).unwrap_err();
    assert_eq!(refused.faults()[0].code, "ledger.earlier-conflict");
}
