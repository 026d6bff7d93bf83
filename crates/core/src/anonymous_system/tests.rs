//! The checks against the definitions, by all pairs of released tuples and external rows.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::watch::Watch;

const SIZE: u32 = 5;
const PEOPLE: u32 = 7;

/// A system of two linked columns and one column outside QI; values and cells outside QI are the
/// letters a to c, and code 0 is missing.
#[derive(Debug, Clone)]
struct Case {
    /// Column → code → covered numbers.
    covers: Vec<Vec<BTreeSet<u32>>>,
    /// Cells, and the code that is shown.
    released: Vec<([usize; 2], usize)>,
    external: Vec<(u32, [u32; 2])>,
    population: Vec<bool>,
    /// Subject and code of the value.
    private: Option<Vec<(Option<u32>, usize)>>,
    /// Whether released rows correspond to the first private rows.
    corresponds: bool,
    k: u64,
}

fn letter(code: usize) -> Option<String> {
    (code > 0).then(|| ["a", "b", "c"][code - 1].to_owned())
}

impl Case {
    fn system(&self) -> System {
        let cover = |numbers: &BTreeSet<u32>| Cover::new(numbers.iter().copied().collect());
        let known = self.private.as_ref().filter(|_| self.corresponds);
        let rows =
            |private: &Vec<_>| (0..self.released.len()).map(|row| (row % private.len()) as u32).collect();
        System {
            sizes: vec![SIZE; 2],
            covers: self.covers.iter().map(|column| column.iter().map(cover).collect()).collect(),
            released: Released {
                cells: self.released.iter().flat_map(|row| row.0.map(|code| code as Code)).collect(),
                origin: known.map_or_else(Vec::new, rows),
                shown: self.released.iter().map(|row| row.1 as Code).collect(),
                texts: vec![(0..4).map(|code| Shown::new(letter(code).as_deref())).collect()],
            },
            external: External {
                entities: self.external.iter().map(|row| row.0).collect(),
                values: self.external.iter().flat_map(|row| row.1).collect(),
            },
            population: self.population.clone(),
            private: self.private.as_ref().map(|rows| Private {
                subjects: rows.iter().map(|row| row.0).collect(),
                values: rows.iter().map(|row| row.1 as Code).collect(),
                texts: vec![(0..4).map(letter).collect()],
            }),
            unprotected: Vec::new(),
            k: self.k,
        }
    }

    /// g(t) of a released row.
    fn maps_to(&self, row: usize) -> BTreeSet<u32> {
        let cells = [0, 1].map(|column| &self.covers[column][self.released[row].0[column]]);
        let is_true = |cell: &BTreeSet<u32>, value: u32| {
            if value == UNKNOWN { !cell.is_empty() } else { cell.contains(&value) }
        };
        let possible = cells.iter().all(|cell| !cell.is_empty());
        let all = |values: &[u32; 2]| possible && cells.iter().zip(values).all(|(cell, &v)| is_true(cell, v));
        self.external.iter().filter(|row| all(&row.1)).map(|row| row.0).collect()
    }

    fn subjects(&self) -> Option<BTreeSet<u32>> {
        self.private.as_ref().map(|rows| rows.iter().filter_map(|row| row.0).collect())
    }

    fn own(&self, row: usize) -> Option<u32> {
        let private = self.private.as_ref().filter(|_| self.corresponds)?;
        private[row % private.len()].0
    }

    /// Property 9: the rows that disclose.
    fn disclosed(&self) -> u64 {
        let Some(subjects) = self.subjects() else { return 0 };
        let rows = 0..self.released.len();
        let discloses = |row: &usize| {
            let found = self.maps_to(*row);
            let only = match found.len() {
                1 => *found.first().unwrap(),
                _ => return false,
            };
            let tuples = (0..self.released.len()).filter(|&other| self.maps_to(other).contains(&only));
            let shown = self.released[*row].1;
            let private = self.private.as_ref().unwrap();
            let accurate = shown > 0 && private.iter().any(|p| p.0 == Some(only) && p.1 == shown);
            subjects.contains(&only) && accurate && tuples.count() < 2
        };
        rows.filter(discloses).count() as u64
    }

    /// Whether it is an ADS0, adheres to null-map, wrong-map and k-map.
    fn holds(&self) -> [Option<bool>; 4] {
        let found: Vec<BTreeSet<u32>> = (0..self.released.len()).map(|row| self.maps_to(row)).collect();
        let inside = |entity: u32| self.population[entity as usize];
        let of_population = self.external.iter().all(|row| inside(row.0));
        let enough = found.iter().all(|found| found.len() as u64 >= self.k);
        let Some(subjects) = self.subjects() else {
            let nobody = found.iter().all(BTreeSet::is_empty);
            let wrong = if of_population && found.len() > 2 { None } else { Some(false) };
            let null = if nobody { Some(true) } else { None };
            return match of_population {
                true => [None, null, wrong, Some(enough)],
                false => [Some(false); 4],
            };
        };
        let rows = self.private.as_ref().unwrap().len();
        let ads0 = of_population
            && rows == subjects.len()
            && subjects.iter().all(|&entity| inside(entity))
            && self.disclosed() == 0;
        let those = |found: &BTreeSet<u32>| found.intersection(&subjects).copied().collect::<Vec<u32>>();
        let null = found.iter().all(|found| those(found).is_empty());
        let one = found.len() > 2 && found.iter().all(|found| those(found).len() == 1);
        let others =
            || found.iter().enumerate().all(|(row, found)| those(found).first() != self.own(row).as_ref());
        let wrong = match (one, self.corresponds) {
            (false, _) => Some(false),
            (true, true) => Some(others()),
            (true, false) => None,
        };
        let to_own = |row: usize| self.own(row).is_some_and(|own| found[row].contains(&own));
        let k = enough && (!self.corresponds || (0..found.len()).all(to_own));
        let and = |own: Option<bool>| if ads0 { own } else { Some(false) };
        [Some(ads0), and(Some(null)), and(wrong), and(Some(k))]
    }
}

fn case() -> impl Strategy<Value = Case> {
    let value = prop_oneof![9 => 0..SIZE, 1 => Just(UNKNOWN)];
    let cover = prop::collection::btree_set(0..SIZE, 0..=SIZE as usize);
    let covers = prop::collection::vec(prop::collection::vec(cover, 4), 2);
    let released = prop::collection::vec(([0..4usize, 0..4usize], 0..4usize), 1..7);
    let external = prop::collection::vec((0..PEOPLE, [value.clone(), value]), 0..12);
    let population = prop::collection::vec(prop::bool::weighted(0.98), PEOPLE as usize);
    let subject = prop_oneof![30 => (0..PEOPLE).prop_map(Some), 1 => Just(None)];
    // Mostly different people.
    let several = prop::collection::vec((subject, 0..4usize), 1..6);
    let distinct = prop::collection::btree_set(0..PEOPLE, 1..6)
        .prop_flat_map(|people| {
            let codes = prop::collection::vec(0..4usize, people.len());
            (Just(people), codes)
        })
        .prop_map(|(people, codes)| people.into_iter().map(Some).zip(codes).collect::<Vec<_>>())
        .prop_shuffle();
    let private = prop::option::weighted(0.8, prop_oneof![1 => several, 5 => distinct]);
    (covers, released, external, population, private, any::<bool>(), 1..4u64).prop_map(
        |(covers, released, external, population, private, corresponds, k)| Case {
            covers,
            released,
            external,
            population,
            private,
            corresponds,
            k,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn verdicts_and_counts_are_those_of_the_definitions(case in case()) {
        let found = check(&case.system(), &Watch::none()).unwrap();
        let verdicts = [found.ads0.holds, found.null_map.holds, found.wrong_map.holds, found.k_map.holds];
        prop_assert_eq!(verdicts, case.holds(), "{:#?}", found);
        let rows = 0..case.released.len();
        let maps: Vec<BTreeSet<u32>> = rows.clone().map(|row| case.maps_to(row)).collect();
        let count = |of: &dyn Fn(usize) -> bool| rows.clone().filter(|&row| of(row)).count() as u64;
        let subjects = case.subjects();
        let known = subjects.is_some() && case.corresponds;
        let to_own = |row: usize| case.own(row).is_some_and(|own| maps[row].contains(&own));
        let expected = TupleCounts {
            released: case.released.len() as u64,
            nobody: count(&|row| maps[row].is_empty()),
            unique: count(&|row| maps[row].len() == 1),
            unique_and_correct: known.then(|| count(&|row| maps[row].len() == 1 && to_own(row))),
            wrong_only: known
                .then(|| count(&|row| case.own(row).is_some() && !maps[row].is_empty() && !to_own(row))),
            no_subject: subjects.as_ref().map(|subjects| count(&|row| maps[row].is_disjoint(subjects))),
            fewer_than_k: count(&|row| (maps[row].len() as u64) < case.k),
            least: maps.iter().map(|maps| maps.len() as u64).min(),
        };
        prop_assert_eq!(found.tuples, expected);
        if let Some(subjects) = subjects {
            prop_assert_eq!(found.ads0.properties[&9].violations, case.disclosed());
            prop_assert_eq!(found.entities.subjects, Some(subjects.len() as u64));
        }
        prop_assert!(text(&found).contains("k-map"));
    }
}
