//! The values of sensitive columns in every class, counted independently for the verifier.
//!
//! While rows stream, each pair of class and value has a counter. Then the pairs are laid out class
//! by class, and merged as classes are merged. Memory grows with distinct pairs; columns that no
//! model judges cost nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::classes::{Classes, Interner, MISSING};
use super::side::{Cells, each};
use throng_terms::error::Result;
use throng_terms::policy::Policy;

/// One sensitive column as it streams by.
#[derive(Debug)]
pub(super) struct Sensitive {
    place: Option<usize>,
    pub(super) interner: Interner,
    /// (Class, value) with its rows; (class, value, person) where rows belong to people.
    pairs: Classes,
    /// The values of the batch at hand.
    batch: Vec<u32>,
}

impl Sensitive {
    fn new(name: &str, columns: &[String]) -> Self {
        Sensitive {
            place: columns.iter().position(|column| column == name),
            interner: Interner::new(),
            pairs: Classes::new(2),
            batch: Vec::new(),
        }
    }

    /// The columns that the policy's models judge, in name order.
    pub(super) fn of(policy: &Policy, columns: &[String]) -> Vec<Sensitive> {
        policy.judged().into_iter().map(|name| Sensitive::new(name, columns)).collect()
    }

    /// The columns of guarding nodes, which the original alone has, in name order.
    pub(super) fn guards(policy: &Policy, columns: &[String]) -> Vec<Sensitive> {
        policy.guards().into_iter().map(|name| Sensitive::new(name, columns)).collect()
    }

    /// The column of the people whom rows belong to, which the original alone names.
    pub(super) fn subject(policy: &Policy, columns: &[String]) -> Option<Sensitive> {
        policy.subject().map(|name| Sensitive::new(name, columns))
    }

    /// Its place in the header.
    pub(super) fn place(&self) -> Option<usize> {
        self.place
    }

    /// Counts the person of every row, too: values are those of people who have one.
    pub(super) fn of_people(self) -> Self {
        Sensitive { pairs: Classes::new(3), ..self }
    }

    /// The value of a row of the batch.
    pub(super) fn value(&self, row: usize) -> u32 {
        self.batch[row]
    }

    /// Whether the file does not have the column.
    pub(super) fn is_absent(&self) -> bool {
        self.place.is_none()
    }

    /// Reads the column's cells of some rows.
    pub(super) fn begin(&mut self, rows: usize, cells: &mut Cells<'_>) -> Result<()> {
        let Sensitive { place, interner, batch, .. } = self;
        batch.clear();
        each(*place, rows, cells, |cell| batch.push(interner.add(cell)))
    }

    /// Counts a row of the batch in its class, of a person where that is known.
    pub(super) fn row(&mut self, row: usize, class: usize, person: Option<u32>) {
        let (class, value) = (class as u32, self.batch[row]);
        match person.filter(|_| self.pairs.tuples.width() == 3) {
            Some(person) => self.pairs.row(&[class, value, person], [0, 0]),
            None => self.pairs.row(&[class, value], [0, 0]),
        };
    }

    /// The people who have several values of the column.
    fn several(&self) -> FxHashSet<u32> {
        let (mut first, mut several) = (FxHashMap::default(), FxHashSet::default());
        for at in 0..self.pairs.len() {
            let [_, value, person] = *self.pairs.tuples.tuple(at) else { continue };
            if value != MISSING && *first.entry(person).or_insert(value) != value {
                several.insert(person);
            }
        }
        several
    }

    /// Counts labels in place of values; a value without one stays as it is, and is like no label.
    pub(super) fn relabel<'a>(&mut self, label: impl Fn(u32) -> Option<&'a Option<String>>) {
        let mut interner = Interner::new();
        let numbers: Vec<u32> = (0..self.interner.len() as u32)
            .map(|value| {
                let text = label(value).map_or_else(|| self.interner.value(value), |label| label.as_deref());
                interner.count_in(text, self.interner.count(value))
            })
            .collect();
        let mut pairs = Classes::new(self.pairs.tuples.width());
        for at in 0..self.pairs.len() {
            let mut pair = self.pairs.tuples.tuple(at).to_vec();
            pair[1] = numbers[pair[1] as usize];
            pairs.add(&pair, self.pairs.tally(at));
        }
        (self.interner, self.pairs) = (interner, pairs);
    }

    /// The values of this many classes; where rows belong to people, a value of somebody who has
    /// several is missing.
    pub(super) fn values(&self, classes: usize) -> Values {
        let several = self.several();
        let triple = |at: usize| {
            let pair = self.pairs.tuples.tuple(at);
            let single = pair.get(2).is_none_or(|person| !several.contains(person));
            (pair[0] as usize, if single { pair[1] } else { MISSING }, self.pairs.tally(at).rows)
        };
        Values::new(classes, (0..self.pairs.len()).map(triple).collect())
    }
}

/// The values of a column, class by class: number and rows of each, ascending by number.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// Class → where its list starts; one more than classes.
    starts: Vec<usize>,
    lists: Vec<(u32, u64)>,
}

impl Values {
    /// From (class, value, rows), in any order; equal ones are added up.
    fn new(classes: usize, mut triples: Vec<(usize, u32, u64)>) -> Self {
        triples.sort_unstable();
        triples.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if same { next.2 } else { 0 };
            same
        });
        let mut starts = vec![0; classes + 1];
        triples.iter().for_each(|triple| starts[triple.0 + 1] += 1);
        (0..classes).for_each(|class| starts[class + 1] += starts[class]);
        Values { starts, lists: triples.into_iter().map(|(_, value, rows)| (value, rows)).collect() }
    }

    /// The values of a class, a missing cell among them as [`MISSING`].
    pub(super) fn class(&self, class: usize) -> &[(u32, u64)] {
        &self.lists[self.starts[class]..self.starts[class + 1]]
    }

    /// The same for classes that were merged: pairs of an old class and the new one that it became
    /// part of.
    pub(super) fn merged(&self, moves: impl Iterator<Item = (usize, usize)>, classes: usize) -> Values {
        let triples =
            moves.flat_map(|(from, to)| self.class(from).iter().map(move |&(v, rows)| (to, v, rows)));
        Values::new(classes, triples.collect())
    }
}

/// The rows of the values that are not missing.
pub(super) fn present(values: &[(u32, u64)]) -> Vec<u64> {
    values.iter().filter(|(value, _)| *value != MISSING).map(|&(_, rows)| rows).collect()
}
