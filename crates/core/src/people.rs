//! The people whom rows belong to, where a table names them: who keeps rows, and how many share all
//! of theirs.
//!
//! Costs one step per distinct pair of tuple and person; where rows of a person can be linked, a
//! sort of these pairs.

use crate::classes::Classes;
use crate::error::Error;
use crate::fault;
use crate::policy::Policy;
use crate::release::PeopleFacts;
use crate::table::Code;
use crate::tuples::Tuples;

/// The same tuples, where cells of some columns are missing if their person has several values
/// there: then l values are values of l people. A column is given with the code of a missing cell.
#[must_use]
pub fn single_values(
    tuples: &Tuples,
    columns: &[(usize, Code)],
    person: usize,
    is_missing: impl Fn(usize, Code) -> bool,
) -> Tuples {
    let people = (0..tuples.len()).map(|at| tuples.code(at, person) as usize + 1).max().unwrap_or(0);
    let mut several = vec![vec![false; people]; columns.len()];
    for (&(column, _), several) in columns.iter().zip(&mut several) {
        let mut value_of: Vec<Option<Code>> = vec![None; people];
        for at in 0..tuples.len() {
            let (value, person) = (tuples.code(at, column), tuples.code(at, person) as usize);
            if !is_missing(column, value) {
                several[person] |= *value_of[person].get_or_insert(value) != value;
            }
        }
    }
    let mut single = Tuples::new(tuples.width());
    for at in 0..tuples.len() {
        let (row, count) = tuples.get(at);
        let (mut row, person) = (row.to_vec(), row[person] as usize);
        for (&(column, missing), several) in columns.iter().zip(&several) {
            row[column] = if several[person] { missing } else { row[column] };
        }
        single.insert(&row, count);
    }
    single
}

/// How many people may lose all their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeopleLimit {
    /// The people of the table.
    pub people: u64,
    /// How many of them may lose all their rows.
    pub max_withheld: u64,
}

impl PeopleLimit {
    /// Refuses a release that leaves more people out.
    ///
    /// # Errors
    /// Too many people without a row.
    pub fn check(self, facts: &PeopleFacts) -> Result<(), Error> {
        if facts.withheld <= self.max_withheld {
            return Ok(());
        }
        let share = (facts.withheld as f64 / self.people.max(1) as f64 * 1e4).ceil() / 1e4;
        Err(fault!(
            Unsolvable,
            "people.too-many-withheld",
            "{withheld} of {people} people would lose all their rows, and {allowed} may",
            withheld = facts.withheld,
            people = self.people,
            allowed = self.max_withheld
        )
        .key("privacy.suppression")
        .help(format!("raise privacy.suppression to {share} or more, or lower k"))
        .into())
    }
}

/// What becomes of the people of a table whose classes are suppressed or not; none where rows
/// belong to nobody.
pub fn people_facts(classes: &Classes, suppressed: impl Fn(usize) -> bool) -> Option<PeopleFacts> {
    let subjects = classes.subjects()?;
    // Person → 1 for a released row, 2 for a suppressed one.
    let mut fate = vec![0u8; subjects.values()];
    for class in 0..subjects.len() {
        let bit = if suppressed(class) { 2 } else { 1 };
        subjects.class(class).0.iter().for_each(|&person| fate[person as usize] |= bit);
    }
    let count = |wanted: &[u8]| fate.iter().filter(|fate| wanted.contains(fate)).count() as u64;
    Some(PeopleFacts {
        people: count(&[1, 2, 3]),
        released: count(&[1, 3]),
        withheld: count(&[2]),
        partly: count(&[3]),
        alike: None,
    })
}

/// Of the people with released rows, the fewest who have the same rows: as many in each class.
/// `look` is the released class of a class of the table, none where it is suppressed.
pub fn fewest_alike(classes: &Classes, look: impl Fn(usize) -> Option<usize>) -> Option<u64> {
    let subjects = classes.subjects()?;
    let mut rows: Vec<(u32, usize, u32)> = Vec::new();
    for class in 0..subjects.len() {
        let Some(look) = look(class) else { continue };
        let (people, counts) = subjects.class(class);
        rows.extend(people.iter().zip(counts).map(|(&person, &count)| (person, look, count)));
    }
    rows.sort_unstable();
    rows.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if same { next.2 } else { 0 };
        same
    });
    let profile = |rows: &[(u32, usize, u32)]| rows.iter().map(|&(_, look, n)| (look, n)).collect::<Vec<_>>();
    let mut profiles: Vec<_> = rows.chunk_by(|a, b| a.0 == b.0).map(profile).collect();
    profiles.sort_unstable();
    profiles.chunk_by(|a, b| a == b).map(|alike| alike.len() as u64).min()
}

/// Refuses a release in which a recipient sees which rows belong together, and fewer than k people
/// have the same rows.
///
/// # Errors
/// People who can be told apart by all their rows.
pub fn check_alike(policy: &Policy, facts: &PeopleFacts) -> Result<(), Error> {
    let (Some(alike), Some(k)) = (facts.alike, policy.privacy.k()) else { return Ok(()) };
    if alike >= k {
        return Ok(());
    }
    let column = policy.subject().unwrap_or_default();
    Err(fault!(
        Unsolvable,
        "people.rows-can-be-linked",
        "the rows of one person can be linked in the release, and the smallest group of people with the same rows \
         has size {alike}; {k} are required",
        alike = alike,
        k = k
    )
    .key(format!("columns.{column}"))
    .help(
        "remove `transform` from the subject and the identifiers, so that they are not released; or keep one row per \
         person; or give columns that differ between the rows of a person, such as dates, role = \"drop\" or a higher \
         min_level",
    )
    .into())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::classes::Codes;
    use crate::histogram::Histogram;

    proptest! {
        #[test]
        fn people_are_counted_by_the_definition(
            rows in prop::collection::vec((0u32..6, 0u32..8), 1..60),
            suppressed in prop::collection::vec(any::<bool>(), 6),
            looks in prop::collection::vec(0usize..3, 6),
        ) {
            let triples: Vec<(u32, u32, u32)> = rows.iter().map(|&(class, person)| (class, person, 1)).collect();
            let counts = (0..6).map(|class| rows.iter().filter(|row| row.0 == class).count() as u32).collect();
            let classes = Classes::new(1, Codes::Wide((0..6).collect()), counts).unwrap();
            let classes = classes.measured(vec![Histogram::new(6, &triples).unwrap()]).unwrap();
            prop_assert_eq!(people_facts(&classes, |_| false), None);
            let classes = classes.with_targets(0).with_subject(Some(0));
            let with = |kept: bool| -> BTreeSet<u32> {
                let row = rows.iter().filter(|row| suppressed[row.0 as usize] != kept);
                row.map(|row| row.1).collect()
            };
            let (kept, lost) = (with(true), with(false));
            let facts = people_facts(&classes, |class| suppressed[class]).unwrap();
            prop_assert_eq!(facts.people, kept.union(&lost).count() as u64);
            prop_assert_eq!(facts.released, kept.len() as u64);
            prop_assert_eq!(facts.withheld, lost.difference(&kept).count() as u64);
            prop_assert_eq!(facts.partly, lost.intersection(&kept).count() as u64);
            let mut profiles: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
            for &(class, person) in rows.iter().filter(|row| !suppressed[row.0 as usize]) {
                profiles.entry(person).or_default().push(looks[class as usize]);
            }
            profiles.values_mut().for_each(|looks| looks.sort_unstable());
            let alike = |looks: &Vec<usize>| profiles.values().filter(|other| *other == looks).count() as u64;
            let look = |class: usize| (!suppressed[class]).then(|| looks[class]);
            prop_assert_eq!(fewest_alike(&classes, look), profiles.values().map(alike).min());
        }
    }

    #[test]
    fn values_of_people_with_several_are_left_out() {
        // Person, value; 9 is missing.
        let rows = [[0, 1], [0, 1], [1, 1], [1, 2], [2, 3], [2, 9], [3, 9]];
        let mut tuples = Tuples::new(2);
        rows.iter().for_each(|row| {
            tuples.insert(row, 1);
        });
        let single = single_values(&tuples, &[(1, 9)], 0, |_, code| code == 9);
        let found: BTreeMap<Vec<u32>, u32> =
            (0..single.len()).map(|at| (single.get(at).0.to_vec(), single.get(at).1)).collect();
        let expected = [([0, 1], 2), ([1, 9], 2), ([2, 3], 1), ([2, 9], 1), ([3, 9], 1)];
        assert_eq!(found, expected.map(|(row, rows)| (row.to_vec(), rows)).into());
    }

    #[test]
    fn the_remedy_is_enough() {
        let limit = PeopleLimit { people: 1000, max_withheld: 10 };
        let facts = |withheld| PeopleFacts { people: 1000, withheld, ..PeopleFacts::default() };
        assert!(limit.check(&facts(10)).is_ok());
        let error = limit.check(&facts(13)).unwrap_err();
        assert!(error.has_code("people.too-many-withheld"), "{error}");
        assert!(error.faults()[0].help.as_ref().unwrap().contains("0.013"), "{error}");
    }
}
