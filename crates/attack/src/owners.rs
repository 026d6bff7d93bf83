//! The owners of released rows: the fewest and the most people to whom some of them can belong.
//!
//! A table with several rows per person is released without the column that says whose they are.
//! The holder scores attacks with the original, which has it. Every released row is a row of the
//! original that its cells cover, and no row of the original is released twice. Which one it is
//! does not follow where classes overlap or where rows were withheld, so people are bounded from
//! both sides. Successes are counted with the fewest people and controls with the most: a rate of
//! success is never too low, and a control never too high.
//!
//! For some released rows of some classes, two lower bounds hold, and the greater one counts:
//!
//! - *By capacity.* A person can own at most as many of the rows as they have rows of the original
//!   that the classes cover, with the same sensitive values. At least as many people are needed as
//!   it takes to own all of the rows, those with the most rows first.
//! - *By certainty.* A row of the original that no other class covers is in one of the classes, or
//!   was withheld. The number of withheld rows is known for every set of classes that overlap, so
//!   only that many such rows can be absent, and the people of all others are there.
//!
//! Where classes do not overlap and nothing was withheld, the second bound is the number of people,
//! and so is the upper bound: all people with a row that the classes cover. If the release shows
//! whose its rows are, under whatever name, its own rows are counted. Costs a box per class, and
//! the pairs of classes and original tuples.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use throng_terms::table::Code;

use crate::cover::Runs;
use crate::groups::Groups;
use crate::table::Column;
use crate::tree::Tree;
use crate::view::{View, counted};

/// Pairs of classes and original rows at the most; with more, nothing is certain.
const PAIRS: u64 = 400_000_000;
/// Classes whose original tuples are listed at a time.
const CHUNK: usize = 4096;

/// Some of the released rows of some classes, by their sensitive values.
pub(crate) struct Chosen<'a> {
    /// Value → rows that are chosen, by value.
    pub(crate) rows: &'a [(Code, u32)],
    /// Source row → value.
    pub(crate) values: &'a [Code],
}

/// Rows that have an owner: those of the original, or the released ones if they show it.
pub(crate) struct Owners {
    /// Source row → person.
    people: Vec<Code>,
    /// Sensitive column → source row → shared code.
    pub(crate) values: Vec<Vec<Code>>,
    /// Whether the release has the sensitive values of its source.
    pub(crate) same_values: bool,
    /// Released row → all its sensitive values as one; the same for source rows.
    joint: [Vec<Code>; 2],
    /// The most source rows of a person.
    most_rows: u64,
    /// The original; none if the release shows whose its rows are.
    original: Option<Original>,
}

struct Original {
    /// Quasi-identifiers that it has, by number.
    columns: Vec<usize>,
    /// Distinct quasi-identifiers.
    tuples: Groups,
    /// The tuples, each with the number of its rows.
    tree: Tree,
    certain: Option<Certain>,
}

/// What follows from all classes together.
struct Certain {
    /// Tuple → classes that cover it.
    degrees: Vec<u32>,
    /// Class → its set of classes that overlap.
    sets: Vec<u32>,
    /// Set → rows of the original that its classes cover and that were withheld.
    withheld: Vec<u64>,
}

impl Owners {
    /// The owners of released rows that show them: place among the rows that show something →
    /// person.
    pub(crate) fn shown(view: &View, people: Vec<Code>, sensitive: &[usize]) -> Self {
        Owners::new(view, people, view.values.clone(), (sensitive, None))
    }

    /// The owners of the rows of an original, given its quasi-identifiers with their numbers, in
    /// the codes of the view.
    pub(crate) fn of_original(
        view: &View,
        columns: &[(usize, Column)],
        people: Vec<Code>,
        values: Vec<Vec<Code>>,
        sensitive: &[usize],
    ) -> Self {
        let coded: Vec<&Column> = columns.iter().map(|(_, column)| column).collect();
        let tuples = Groups::new(&coded, people.len());
        let tree = Tree::new(columns.len(), tuples.len(), |at| tuples.tuple(at), |at| tuples.count(at));
        let columns = columns.iter().map(|(at, _)| *at).collect();
        let mut original = Original { columns, tuples, tree, certain: None };
        original.certain = original.certain(view);
        Owners::new(view, people, values, (sensitive, Some(original)))
    }

    fn new(
        view: &View,
        people: Vec<Code>,
        values: Vec<Vec<Code>>,
        (sensitive, original): (&[usize], Option<Original>),
    ) -> Self {
        let mut joint = joint([(&view.values, view.rows()), (&values, people.len())], sensitive);
        let same_values = occur(&joint);
        if !same_values {
            joint.iter_mut().for_each(|codes| codes.fill(0));
        }
        let mut rows: FxHashMap<Code, u64> = FxHashMap::default();
        people.iter().for_each(|&person| *rows.entry(person).or_default() += 1);
        let most_rows = rows.values().copied().max().unwrap_or(1);
        Owners { people, values, same_values, joint, most_rows, original }
    }

    /// Number of source rows.
    pub(crate) fn rows(&self) -> usize {
        self.people.len()
    }

    /// The fewest people who can own some released rows of some classes, up to a limit.
    pub(crate) fn fewest_of(&self, view: &View, classes: &[u32], rows: &[u32], limit: u64) -> u64 {
        if self.original.is_none() {
            let people: FxHashSet<Code> = rows.iter().map(|&row| self.people[row as usize]).collect();
            return limit.min(people.len() as u64);
        }
        let rows = counted(rows.iter().map(|&row| self.joint[0][row as usize]));
        self.fewest(view, classes, Some(&Chosen { rows: &rows, values: &self.joint[1] }), limit)
    }

    /// The fewest people who can own rows of some classes: the chosen ones, or all. More than the
    /// limit are as many as the limit.
    pub(crate) fn fewest(
        &self,
        view: &View,
        classes: &[u32],
        chosen: Option<&Chosen<'_>>,
        limit: u64,
    ) -> u64 {
        let all = view.rows_of(classes);
        let wanted = chosen.map_or(all, |chosen| total(chosen.rows));
        if wanted == 0 || wanted.div_ceil(self.most_rows) >= limit {
            return limit.min(wanted);
        }
        let own;
        let chosen = match chosen {
            Some(chosen) => chosen,
            None => {
                let rows = classes.iter().flat_map(|&class| view.classes.rows(class as usize));
                own = counted(rows.map(|&row| self.joint[0][row as usize]));
                &Chosen { rows: &own, values: &self.joint[1] }
            }
        };
        let people = self.shares(view, classes, chosen);
        let mut capacities: Vec<u64> = people.iter().map(|share| share.capacity).collect();
        let mut certain: Vec<u64> = people.iter().map(|share| share.certain).filter(|&x| x > 0).collect();
        let absent = self.withheld(classes) + (all - wanted.min(all));
        let by_capacity = needed(&mut capacities, wanted);
        let by_certainty = certain.len() as u64 - removable(&mut certain, absent);
        by_capacity.max(by_certainty).max(1).min(limit)
    }

    /// The most people who can own this number of rows of some classes, up to a limit.
    pub(crate) fn most(&self, view: &View, classes: &[u32], wanted: u64, limit: u64) -> u64 {
        let enough = wanted.min(limit) as usize;
        let mut people: FxHashSet<Code> = FxHashSet::default();
        let mut go_on = |rows: &[u32]| {
            for &row in rows {
                if people.len() < enough {
                    people.insert(self.people[row as usize]);
                }
            }
            people.len() < enough
        };
        for &class in classes {
            let class = class as usize;
            let more = match &self.original {
                None => go_on(view.classes.rows(class)),
                Some(original) => original
                    .tree
                    .until(&original.query(view, class), |tuple| go_on(original.tuples.rows(tuple as usize))),
            };
            if !more {
                break;
            }
        }
        // Rows that nobody of the original can own are not of one person.
        if people.is_empty() { enough as u64 } else { people.len() as u64 }
    }

    /// Calls `take` with the source rows that classes cover, and whether each is in one of them or
    /// withheld for certain.
    fn each(&self, view: &View, classes: &[u32], mut take: impl FnMut(u32, bool)) {
        let Some(original) = &self.original else {
            let rows = classes.iter().flat_map(|&class| view.classes.rows(class as usize));
            return rows.for_each(|&row| take(row, true));
        };
        let mut tuples: Vec<u32> = Vec::new();
        for &class in classes {
            original.tree.each(&original.query(view, class as usize), |tuple| tuples.push(tuple));
        }
        tuples.sort_unstable();
        for same in tuples.chunk_by(|a, b| a == b) {
            let of = same[0] as usize;
            let certain = original.certain.as_ref().is_some_and(|all| all.degrees[of] == same.len() as u32);
            original.tuples.rows(of).iter().for_each(|&row| take(row, certain));
        }
    }

    /// What each person can own of some chosen rows.
    fn shares(&self, view: &View, classes: &[u32], chosen: &Chosen<'_>) -> Vec<Share> {
        let mut rows: Vec<(Code, Code, bool)> = Vec::new();
        self.each(view, classes, |row, certain| {
            rows.push((self.people[row as usize], chosen.values[row as usize], certain));
        });
        rows.sort_unstable();
        let of_value = |same: &[(Code, Code, bool)]| {
            let at = chosen.rows.binary_search_by_key(&same[0].1, |entry| entry.0);
            at.map_or(0, |at| u64::from(chosen.rows[at].1).min(same.len() as u64))
        };
        let of_person = |rows: &[(Code, Code, bool)]| Share {
            capacity: rows.chunk_by(|a, b| a.1 == b.1).map(of_value).sum(),
            certain: rows.iter().filter(|row| row.2).count() as u64,
        };
        rows.chunk_by(|a, b| a.0 == b.0).map(of_person).collect()
    }

    /// Rows of the original that some classes cover and that may have been withheld.
    fn withheld(&self, classes: &[u32]) -> u64 {
        let Some(original) = &self.original else { return 0 };
        let Some(certain) = &original.certain else { return u64::MAX / 2 };
        let mut sets: Vec<u32> = classes.iter().map(|&class| certain.sets[class as usize]).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.iter().map(|&set| certain.withheld[set as usize]).sum()
    }
}

impl Original {
    /// The cells of a class in the columns of the original.
    fn query<'v>(&self, view: &'v View, class: usize) -> Vec<&'v Runs> {
        let all = view.query(class);
        self.columns.iter().map(|&at| all[at]).collect()
    }

    /// Which classes cover a tuple, and how many rows each set of overlapping classes lost.
    fn certain(&self, view: &View) -> Option<Certain> {
        let (tuples, tree) = (&self.tuples, &self.tree);
        let count = view.classes.len();
        let covered: Vec<u64> =
            (0..count).into_par_iter().map(|class| tree.count(&self.query(view, class))).collect();
        if covered.iter().sum::<u64>() > PAIRS {
            return None;
        }
        let mut degrees = vec![0; tuples.len()];
        let mut first = vec![u32::MAX; tuples.len()];
        let mut sets: Vec<u32> = (0..count as u32).collect();
        let classes: Vec<usize> = (0..count).collect();
        for chunk in classes.chunks(CHUNK) {
            let listed = |&class: &usize| {
                let mut found = Vec::new();
                tree.each(&self.query(view, class), |tuple| found.push(tuple));
                (class as u32, found)
            };
            for (class, found) in chunk.par_iter().map(listed).collect::<Vec<_>>() {
                for tuple in found {
                    let tuple = tuple as usize;
                    degrees[tuple] += 1;
                    match first[tuple] {
                        u32::MAX => first[tuple] = class,
                        other => unite(&mut sets, class, other),
                    }
                }
            }
        }
        (0..count as u32).for_each(|class| sets[class as usize] = root(&mut sets, class));
        let mut withheld = vec![0i64; count];
        for tuple in (0..tuples.len()).filter(|&tuple| degrees[tuple] > 0) {
            withheld[sets[first[tuple] as usize] as usize] += i64::from(tuples.count(tuple));
        }
        for (class, &covered) in covered.iter().enumerate() {
            // Rows that are not of the original take nobody's place.
            withheld[sets[class] as usize] -= u64::from(view.classes.count(class)).min(covered) as i64;
        }
        let withheld = withheld.into_iter().map(|rows| rows.max(0) as u64).collect();
        Some(Certain { degrees, sets, withheld })
    }
}

/// What a person can own.
struct Share {
    /// Chosen rows at the most.
    capacity: u64,
    /// Rows that are in the classes or withheld.
    certain: u64,
}

/// How many of the greatest numbers it takes to reach a sum; all of them if they do not.
fn needed(numbers: &mut [u64], sum: u64) -> u64 {
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let mut left = sum;
    let enough = |number: &&u64| {
        let more = left > 0 && **number > 0;
        left = left.saturating_sub(**number);
        more
    };
    numbers.iter().take_while(enough).count() as u64
}

/// How many of the least numbers have at most a sum.
fn removable(numbers: &mut [u64], sum: u64) -> u64 {
    numbers.sort_unstable();
    let mut left = sum;
    let fits = |number: &&u64| {
        let fits = **number <= left;
        left = left.saturating_sub(**number);
        fits
    };
    numbers.iter().take_while(fits).count() as u64
}

pub(crate) fn total(rows: &[(Code, u32)]) -> u64 {
    rows.iter().map(|entry| u64::from(entry.1)).sum()
}

/// Some sensitive columns of two tables as one: table → row → code.
fn joint<const N: usize>(tables: [(&Vec<Vec<Code>>, usize); N], columns: &[usize]) -> [Vec<Code>; N] {
    let mut known: FxHashMap<Vec<Code>, Code> = FxHashMap::default();
    tables.map(|(values, rows)| {
        let code = |row: usize| {
            let tuple: Vec<Code> = columns.iter().map(|&column| values[column][row]).collect();
            let next = known.len() as Code;
            *known.entry(tuple).or_insert(next)
        };
        (0..rows).map(code).collect()
    })
}

/// Whether every value occurs in the source at least as often as in the release.
fn occur([released, source]: &[Vec<Code>; 2]) -> bool {
    let mut left: FxHashMap<Code, i64> = FxHashMap::default();
    source.iter().for_each(|&code| *left.entry(code).or_default() += 1);
    released.iter().for_each(|&code| *left.entry(code).or_default() -= 1);
    left.values().all(|&left| left >= 0)
}

/// The set of a class, in a forest in which every class points towards its set.
fn root(sets: &mut [u32], class: u32) -> u32 {
    let mut at = class;
    while sets[at as usize] != at {
        sets[at as usize] = sets[sets[at as usize] as usize];
        at = sets[at as usize];
    }
    at
}

fn unite(sets: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(sets, a), root(sets, b));
    sets[a.max(b) as usize] = a.min(b);
}
