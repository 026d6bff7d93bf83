//! Histograms: for each class, the counts of the values of one further column in its rows.
//!
//! Models of sensitive values [Machanavajjhala 2006] and losses of labels [Iyengar 2002] are
//! computed from them. The lists of all classes are contiguous (compressed sparse rows), each in
//! ascending order of codes, so a class has one list regardless of what it was merged from. Memory
//! grows with distinct (class, value) pairs; merging costs one step per pair, plus one step per
//! class and value if there are few values, or a sort of each merged list otherwise.

use crate::error::{Fault, Result};
use crate::table::Code;

/// The values of one column in every class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Class → where its list starts; one more than classes, or none when nothing was counted.
    offsets: Vec<u32>,
    codes: Vec<Code>,
    counts: Vec<u32>,
    /// One more than the highest code.
    values: usize,
    /// Where it is not 0, no class has more values than this: others are left out.
    most: usize,
}

/// Counters per pair up to which every class and value has one: they are read once each, in order,
/// which is worth several visits to lists that lie about.
const DENSE: usize = 8;

/// Buffers that are kept from merge to merge.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Merged class → where its members start in `members`.
    starts: Vec<u32>,
    members: Vec<u32>,
    /// Code → rows of the class at hand; or class and code → rows.
    rows: Vec<u32>,
    /// Codes that the class at hand has.
    seen: Vec<Code>,
}

impl Histogram {
    /// Counts (class, code, rows) triples, in any order, of `classes` classes.
    ///
    /// # Errors
    /// A class that there is not, or more rows than 32 bits can count.
    pub fn new(classes: usize, triples: &[(u32, Code, u32)]) -> Result<Self> {
        let rows: u64 = triples.iter().map(|&(_, _, rows)| u64::from(rows)).sum();
        if rows > u64::from(u32::MAX) || triples.iter().any(|&(class, _, _)| class as usize >= classes) {
            return Err(Fault::bug("a histogram of classes that are not there").into());
        }
        // Every triple as a class of its own, merged by the class it belongs to.
        let single = Histogram {
            offsets: (0..=triples.len() as u32).collect(),
            codes: triples.iter().map(|t| t.1).collect(),
            counts: triples.iter().map(|t| t.2).collect(),
            values: triples.iter().map(|t| t.1 as usize + 1).max().unwrap_or(0),
            most: 0,
        };
        let ids: Vec<u32> = triples.iter().map(|t| t.0).collect();
        let mut merged = Histogram::default();
        single.merge(&ids, classes, &mut merged, &mut Scratch::default());
        Ok(merged)
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of (class, value) pairs.
    pub fn pairs(&self) -> usize {
        self.codes.len()
    }

    /// One more than the highest code.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The codes that occur in a class, ascending, and the rows of each.
    pub fn class(&self, class: usize) -> (&[Code], &[u32]) {
        let list = self.offsets[class] as usize..self.offsets[class + 1] as usize;
        (&self.codes[list.clone()], &self.counts[list])
    }

    /// The histogram of some of the classes, in the order given; where nothing was counted,
    /// nothing.
    #[must_use]
    pub fn part(&self, classes: &[u32]) -> Histogram {
        let mut part = Histogram { values: self.values, most: self.most, ..Histogram::default() };
        if self.offsets.is_empty() {
            return part;
        }
        part.offsets.push(0);
        for &class in classes {
            let (codes, counts) = self.class(class as usize);
            part.codes.extend_from_slice(codes);
            part.counts.extend_from_slice(counts);
            part.offsets.push(part.codes.len() as u32);
        }
        part
    }

    /// Some values of every class, up to `most` of them, without their rows: enough to see whether
    /// a class, merged with any others, has that many. Merging then costs by classes, not by pairs.
    #[must_use]
    pub fn witnesses(&self, most: usize) -> Histogram {
        let mut some = Histogram { values: self.values, most: most.max(1), ..Histogram::default() };
        some.offsets.push(0);
        for class in 0..self.len() {
            let codes = self.class(class).0;
            some.codes.extend_from_slice(&codes[..codes.len().min(some.most)]);
            some.offsets.push(some.codes.len() as u32);
        }
        some.counts.resize(some.codes.len(), 1);
        some
    }

    /// The histogram of merged classes: class i becomes part of class `ids[i]` of `merged` ones.
    pub fn merge(&self, ids: &[u32], merged: usize, to: &mut Histogram, scratch: &mut Scratch) {
        (to.values, to.most) = (self.values, self.most);
        to.offsets.clear();
        to.codes.clear();
        to.counts.clear();
        to.offsets.push(0);
        if self.most > 0 {
            self.merge_witnesses(ids, merged, to, scratch);
        } else if merged * self.values <= DENSE * self.pairs() {
            self.merge_dense(ids, merged, to, scratch);
        } else {
            self.merge_sparse(ids, merged, to, scratch);
        }
    }

    /// With a counter for every class and value: nothing is sorted, and lists are read in their
    /// order.
    fn merge_dense(&self, ids: &[u32], merged: usize, to: &mut Histogram, scratch: &mut Scratch) {
        let rows = &mut scratch.rows;
        rows.clear();
        rows.resize(merged * self.values, 0);
        for (class, &id) in ids.iter().enumerate() {
            let (codes, counts) = self.class(class);
            let at = id as usize * self.values;
            for (&code, &count) in codes.iter().zip(counts) {
                rows[at + code as usize] += count;
            }
        }
        for class in rows.chunks_exact(self.values.max(1)) {
            for (code, &count) in class.iter().enumerate().filter(|(_, count)| **count > 0) {
                to.codes.push(code as Code);
                to.counts.push(count);
            }
            to.offsets.push(to.codes.len() as u32);
        }
        // Without any value there is no chunk to end.
        to.offsets.resize(merged + 1, to.codes.len() as u32);
    }

    /// With counters for one class at a time: its members are listed first.
    fn merge_sparse(&self, ids: &[u32], merged: usize, to: &mut Histogram, scratch: &mut Scratch) {
        scratch.sort(ids, merged);
        scratch.rows.clear();
        scratch.rows.resize(self.values, 0);
        for class in 0..merged {
            let members = scratch.starts[class] as usize..scratch.starts[class + 1] as usize;
            match scratch.members[members.clone()] {
                [only] => {
                    let (codes, counts) = self.class(only as usize);
                    to.codes.extend_from_slice(codes);
                    to.counts.extend_from_slice(counts);
                }
                _ => self.add(members, to, scratch),
            }
            to.offsets.push(to.codes.len() as u32);
        }
    }

    /// A class that has witnesses enough keeps them; others collect those of their members.
    fn merge_witnesses(&self, ids: &[u32], merged: usize, to: &mut Histogram, scratch: &mut Scratch) {
        scratch.sort(ids, merged);
        let Scratch { starts, members, rows: seen, .. } = scratch;
        seen.clear();
        seen.resize(self.values, 0);
        for class in 0..merged {
            let members = &members[starts[class] as usize..starts[class + 1] as usize];
            let list = |member: &u32| self.class(*member as usize).0;
            let enough = members.iter().map(list).find(|list| list.len() >= self.most || members.len() == 1);
            match enough {
                Some(list) => to.codes.extend_from_slice(list),
                None => {
                    let start = to.codes.len();
                    for &code in members.iter().flat_map(list) {
                        // Marks of earlier classes are other numbers.
                        let mark = class as u32 + 1;
                        if std::mem::replace(&mut seen[code as usize], mark) != mark {
                            to.codes.push(code);
                        }
                        if to.codes.len() - start == self.most {
                            break;
                        }
                    }
                }
            }
            to.offsets.push(to.codes.len() as u32);
        }
        to.counts.resize(to.codes.len(), 1);
    }

    /// Adds the lists of some members up and appends them.
    fn add(&self, members: std::ops::Range<usize>, to: &mut Histogram, scratch: &mut Scratch) {
        let Scratch { members: all, rows, seen, .. } = scratch;
        for &member in &all[members] {
            let (codes, counts) = self.class(member as usize);
            for (&code, &count) in codes.iter().zip(counts) {
                if rows[code as usize] == 0 {
                    seen.push(code);
                }
                rows[code as usize] += count;
            }
        }
        seen.sort_unstable();
        for code in seen.drain(..) {
            to.codes.push(code);
            to.counts.push(std::mem::take(&mut rows[code as usize]));
        }
    }
}

impl Scratch {
    /// Lists the members of every merged class: a counting sort.
    fn sort(&mut self, ids: &[u32], merged: usize) {
        self.starts.clear();
        self.starts.resize(merged + 1, 0);
        for &id in ids {
            self.starts[id as usize + 1] += 1;
        }
        for class in 0..merged {
            self.starts[class + 1] += self.starts[class];
        }
        let mut next = self.starts.clone();
        self.members.clear();
        self.members.resize(ids.len(), 0);
        for (member, &id) in ids.iter().enumerate() {
            let at = &mut next[id as usize];
            self.members[*at as usize] = member as u32;
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn lists(histogram: &Histogram) -> Vec<Vec<(Code, u32)>> {
        let list = |c| {
            let (codes, counts) = histogram.class(c);
            codes.iter().copied().zip(counts.iter().copied()).collect()
        };
        (0..histogram.len()).map(list).collect()
    }

    /// By the definition: a map per class.
    fn counted(classes: usize, triples: impl Iterator<Item = (u32, Code, u32)>) -> Vec<Vec<(Code, u32)>> {
        let mut maps = vec![BTreeMap::new(); classes];
        for (class, code, rows) in triples {
            *maps[class as usize].entry(code).or_insert(0) += rows;
        }
        maps.into_iter().map(|m| m.into_iter().collect()).collect()
    }

    proptest! {
        #[test]
        fn merging_twice_counts_like_a_map(
            triples in prop::collection::vec((0u32..20, 0u32..9, 1u32..5), 0..200),
            first in prop::collection::vec(0u32..7, 20),
            second in prop::collection::vec(0u32..3, 7),
        ) {
            let base = Histogram::new(20, &triples).unwrap();
            prop_assert_eq!(lists(&base), counted(20, triples.iter().copied()));
            let (mut once, mut twice, mut scratch) = (Histogram::default(), Histogram::default(), Scratch::default());
            base.merge(&first, 7, &mut once, &mut scratch);
            once.merge(&second, 3, &mut twice, &mut scratch);
            let to = |class: u32| second[first[class as usize] as usize];
            prop_assert_eq!(lists(&twice), counted(3, triples.iter().map(|t| (to(t.0), t.1, t.2))));
            let part = base.part(&[7, 3, 7]);
            prop_assert_eq!(lists(&part), [7, 3, 7].map(|c| lists(&base)[c].clone()));
            let ids: Vec<u32> = (0..20).map(to).collect();
            let mut straight = Histogram::default();
            base.merge(&ids, 3, &mut straight, &mut scratch);
            prop_assert_eq!(&straight, &twice);
            // Either way to merge, whichever was taken.
            for way in [Histogram::merge_dense, Histogram::merge_sparse] {
                let mut to = Histogram { offsets: vec![0], values: base.values, ..Histogram::default() };
                way(&base, &ids, 3, &mut to, &mut scratch);
                prop_assert_eq!(&to, &twice);
            }
        }

        /// Witnesses show whether merged classes have enough values, however they were merged.
        #[test]
        fn witnesses_tell_whether_values_are_enough(
            triples in prop::collection::vec((0u32..20, 0u32..12, 1u32..5), 0..120),
            first in prop::collection::vec(0u32..7, 20),
            second in prop::collection::vec(0u32..3, 7),
            most in 1usize..8,
        ) {
            let base = Histogram::new(20, &triples).unwrap();
            let (mut once, mut twice, mut scratch) = (Histogram::default(), Histogram::default(), Scratch::default());
            base.witnesses(most).merge(&first, 7, &mut once, &mut scratch);
            once.merge(&second, 3, &mut twice, &mut scratch);
            let to = |class: u32| second[first[class as usize] as usize];
            let all = counted(3, triples.iter().map(|t| (to(t.0), t.1, t.2)));
            for (class, all) in all.iter().enumerate() {
                let (some, ones) = twice.class(class);
                prop_assert_eq!(some.len(), all.len().min(most));
                prop_assert_eq!(ones, vec![1; some.len()]);
                prop_assert!(some.iter().all(|code| all.iter().any(|(other, _)| other == code)));
            }
            prop_assert_eq!(lists(&twice.part(&[2, 0])), [2, 0].map(|class| lists(&twice)[class].clone()));
        }
    }

    #[test]
    fn a_class_that_is_not_there_is_refused() {
        assert!(Histogram::new(2, &[(2, 0, 1)]).is_err());
        assert!(Histogram::new(1, &[(0, 0, u32::MAX), (0, 1, 1)]).is_err());
    }
}
