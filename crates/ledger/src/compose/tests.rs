use super::*;
use crate::members::Record;
use proptest::prelude::*;

const K: u64 = 2;

/// A release from subject, content, class and value.
fn release(rows: &[(u128, u64, u64, u64)]) -> Members {
    let record = |&(subject, content, class, value): &(u128, u64, u64, u64)| Record {
        subject,
        content,
        class,
        values: vec![value],
    };
    Members::new(rows.iter().map(record).collect(), 1)
}

fn join(releases: &[Members], values: u32) -> Joined {
    let joining = |members: &Members| Joining {
        promise: Promise { k: K, values: vec![values] },
        parts: Box::new(Whole::new(members.clone())) as Box<dyn Parts>,
    };
    Joined::new(releases.iter().map(joining).collect(), &Watch::none()).unwrap()
}

fn plain(classes: &[(u128, u64)]) -> Members {
    release(&classes.iter().map(|&(subject, class)| (subject, 0, class, subject as u64)).collect::<Vec<_>>())
}

#[test]
fn releases_that_cut_classes_differently_leave_single_candidates() {
    // By age 1 2 | 3 4 and by place 1 3 | 2 4: safe apart, and everybody is alone in both.
    let (by_age, by_place) =
        (plain(&[(1, 1), (2, 1), (3, 2), (4, 2)]), plain(&[(1, 1), (3, 1), (2, 2), (4, 2)]));
    assert!(join(std::slice::from_ref(&by_age), 1).conflicts().is_empty());
    let joined = join(&[by_age.clone(), by_place], 1);
    assert_eq!(joined.fewest(), Some(1));
    assert_eq!(joined.conflicts().len(), 4);
    // The same release twice reveals nothing.
    assert!(join(&[by_age.clone(), by_age], 1).conflicts().is_empty());
}

#[test]
fn one_who_joins_or_leaves_is_exposed() {
    let (before, after) = (plain(&[(1, 1), (2, 1), (3, 1)]), plain(&[(1, 1), (2, 1), (3, 1), (4, 1)]));
    for releases in [[before.clone(), after.clone()], [after, before]] {
        let conflicts = join(&releases, 1).conflicts();
        assert_eq!(conflicts.len(), 1);
        assert_eq!((conflicts[0].people, conflicts[0].k, conflicts[0].exposed), (1, K, None));
    }
    let two = plain(&[(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]);
    assert!(join(&[plain(&[(1, 1), (2, 1), (3, 1)]), two], 1).conflicts().is_empty());
}

#[test]
fn a_value_that_becomes_certain_is_found() {
    // Two candidates are left for everybody; those in both classes 1 have the same value.
    let first = release(&[(1, 0, 1, 7), (2, 0, 1, 7), (3, 0, 1, 8), (4, 0, 1, 9)]);
    let second = release(&[(1, 0, 1, 7), (2, 0, 1, 7), (5, 0, 1, 8), (6, 0, 1, 8)]);
    let conflicts = join(&[first.clone(), second], 2).conflicts();
    let exposed: Vec<_> = conflicts.iter().map(|conflict| conflict.exposed).collect();
    assert_eq!(exposed, [Some((0, 0)), Some((1, 0))]);
    // A class of a single value was exposed before: the ledger blames nobody else for it.
    let alike = release(&[(1, 0, 1, 7), (2, 0, 1, 7)]);
    assert!(join(&[alike.clone(), alike], 2).conflicts().is_empty());
}

#[test]
fn rows_of_a_person_are_matched_by_content_and_then_by_order() {
    // Visits 10 and 20 of persons 1 and 2; visit 30 comes later.
    let first = release(&[(1, 10, 1, 0), (1, 20, 2, 0), (2, 11, 1, 0), (2, 21, 2, 0)]);
    let second =
        release(&[(1, 10, 5, 0), (1, 15, 7, 0), (1, 20, 6, 0), (2, 11, 5, 0), (2, 16, 7, 0), (2, 21, 6, 0)]);
    let joined = join(&[first, second], 1);
    assert!(joined.conflicts().is_empty());
    // 1 → 5, 2 → 6, and a new one.
    assert_eq!((joined.traces(), joined.people()), (3, 2));
    // A person with many rows is one candidate.
    let alone = release(&[(1, 1, 1, 0), (1, 2, 1, 0), (1, 3, 1, 0)]);
    assert_eq!(join(&[alone], 1).conflicts()[0].people, 1);
}

/// Subject → class and value, if the subject is in the release.
type Table = Vec<Option<(u8, u8)>>;

fn tables() -> impl Strategy<Value = Vec<Table>> {
    let cell = prop_oneof![1 => Just(None), 4 => (0..3u8, 0..3u8).prop_map(Some)];
    (1..14usize).prop_flat_map(move |people| {
        let table = proptest::collection::vec(cell.clone(), people);
        proptest::collection::vec(table, 1..4)
    })
}

fn members(table: &Table) -> Members {
    let rows = table.iter().enumerate().filter_map(|(subject, cell)| {
        let (class, value) = (*cell)?;
        Some((subject as u128, 0, u64::from(class), u64::from(value)))
    });
    release(&rows.collect::<Vec<_>>())
}

/// Whether every subject has k candidates and two values in every release, by the definition.
fn safe(tables: &[Table]) -> bool {
    let people = tables[0].len();
    let trace = |s: usize| tables.iter().map(|table| table[s].map(|(class, _)| class)).collect::<Vec<_>>();
    (0..people).filter(|&s| tables.iter().any(|table| table[s].is_some())).all(|s| {
        let alike: Vec<usize> = (0..people).filter(|&other| trace(other) == trace(s)).collect();
        let values = |table: &Table, of: &[usize]| {
            of.iter()
                .filter_map(|&s| table[s])
                .map(|(_, value)| value)
                .collect::<std::collections::BTreeSet<_>>()
                .len()
        };
        alike.len() as u64 >= K
            && tables.iter().all(|table| {
                let Some((class, _)) = table[s] else { return true };
                let whole: Vec<usize> =
                    (0..people).filter(|&other| table[other].is_some_and(|(c, _)| c == class)).collect();
                values(table, &alike) >= 2.min(values(table, &whole))
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn conflicts_are_those_of_the_definition(tables in tables()) {
        let joined = join(&tables.iter().map(members).collect::<Vec<_>>(), 2);
        prop_assert_eq!(joined.conflicts().is_empty(), safe(&tables));
    }

    /// Withholding makes every release safe beside the ones before.
    #[test]
    fn withholding_repairs_every_release(tables in tables()) {
        let mut before: Vec<Table> = Vec::new();
        for mut last in tables {
            let mut rounds = 0;
            loop {
                let all: Vec<Table> = before.iter().cloned().chain([last.clone()]).collect();
                let joined = join(&all.iter().map(members).collect::<Vec<_>>(), 2);
                if joined.conflicts().is_empty() {
                    prop_assert!(safe(&all));
                    break;
                }
                let withheld = joined.withhold(rounds >= 6);
                prop_assert!(withheld.is_some());
                withheld.unwrap().iter().for_each(|&subject| last[subject as usize] = None);
                rounds += 1;
                prop_assert!(rounds < 12);
            }
            before.push(last);
        }
    }
}
