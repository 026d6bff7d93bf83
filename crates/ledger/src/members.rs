//! The subjects of a release as columns: digests, classes and sensitive values as numbers.
//!
//! A record is a released row; where a recipient can see which rows belong together, it is a
//! person. Records are sorted by subject, then by content. Classes and values are numbers within
//! the release, given in the order of the records, so that they say nothing about cells. A record
//! takes 20 bytes, 8 more where subjects have several rows, and 4 more per sensitive column.
//! Parts of [`PART`] records are stored and read one by one.

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use crate::secret::SubjectDigest;

/// Records of a part.
pub const PART: usize = 1 << 16;

/// One released row before it is sorted and numbered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// Whom it belongs to.
    pub subject: SubjectDigest,
    /// Distinguishes the rows of a person; the same row has the same content in every release.
    pub content: u64,
    /// The class of the release, by any number.
    pub class: u64,
    /// The value of every sensitive column, by any number.
    pub values: Vec<u64>,
}

/// Records, sorted and numbered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    /// Whom each record belongs to, ascending.
    pub subjects: Vec<SubjectDigest>,
    /// The content of each record; empty if nobody has several.
    pub contents: Vec<u64>,
    /// The class of each record.
    pub classes: Vec<u32>,
    /// Sensitive column → the value of each record.
    pub values: Vec<Vec<u32>>,
}

impl Members {
    /// Sorts and numbers records of this many sensitive columns. Costs a sort.
    pub fn new(mut records: Vec<Record>, columns: usize) -> Self {
        records.sort_unstable();
        let several = records.windows(2).any(|pair| pair[0].subject == pair[1].subject);
        let mut members = Members { values: vec![Vec::new(); columns], ..Members::default() };
        let mut classes = Numbers::default();
        let mut values = vec![Numbers::default(); columns];
        for record in &records {
            members.subjects.push(record.subject);
            if several {
                members.contents.push(record.content);
            }
            members.classes.push(classes.of(record.class));
            for (column, numbers) in values.iter_mut().enumerate() {
                members.values[column].push(numbers.of(record.values.get(column).copied().unwrap_or(0)));
            }
        }
        members
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.subjects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty()
    }

    /// Number of subjects.
    pub fn people(&self) -> u64 {
        self.subjects.chunk_by(|a, b| a == b).count() as u64
    }

    /// Number of classes.
    pub fn class_count(&self) -> u32 {
        self.classes.iter().max().map_or(0, |most| most + 1)
    }

    /// The same without some subjects, which are sorted.
    #[must_use]
    pub fn without(&self, left_out: &[SubjectDigest]) -> Self {
        let kept: Vec<usize> =
            (0..self.len()).filter(|&at| left_out.binary_search(&self.subjects[at]).is_err()).collect();
        let pick = |from: &[u32]| kept.iter().map(|&at| from[at]).collect::<Vec<u32>>();
        Members {
            subjects: kept.iter().map(|&at| self.subjects[at]).collect(),
            contents: match self.contents.is_empty() {
                true => Vec::new(),
                false => kept.iter().map(|&at| self.contents[at]).collect(),
            },
            classes: pick(&self.classes),
            values: self.values.iter().map(|values| pick(values)).collect(),
        }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.len().div_ceil(PART)
    }

    /// The bytes of a part: subjects, contents if there are any, classes, values column by column.
    pub fn part(&self, number: usize) -> Vec<u8> {
        let range = number * PART..self.len().min((number + 1) * PART);
        let mut bytes = Vec::with_capacity(range.len() * (28 + 4 * self.values.len()));
        self.subjects[range.clone()].iter().for_each(|s| bytes.extend(s.to_be_bytes()));
        if !self.contents.is_empty() {
            self.contents[range.clone()].iter().for_each(|c| bytes.extend(c.to_le_bytes()));
        }
        let mut numbers = |from: &[u32]| from.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        numbers(&self.classes[range.clone()]);
        self.values.iter().for_each(|values| numbers(&values[range.clone()]));
        bytes
    }

    /// Reads a part of some records.
    pub fn read_part(bytes: &[u8], layout: Layout) -> Option<Self> {
        let width = layout.width();
        let records = bytes.len() / width;
        if bytes.len() != records * width || records == 0 || records > PART {
            return None;
        }
        let (subjects, rest) = bytes.split_at(16 * records);
        let (contents, mut rest) = rest.split_at(if layout.contents { 8 * records } else { 0 });
        let mut numbers = || {
            let (these, others) = rest.split_at(4 * records);
            rest = others;
            these.chunks_exact(4).map(|n| n.iter().rev().fold(0, |v, &b| v << 8 | u32::from(b))).collect()
        };
        let classes = numbers();
        let values = (0..layout.columns).map(|_| numbers()).collect();
        let subjects = subjects.chunks_exact(16);
        let contents = contents.chunks_exact(8);
        Some(Members {
            subjects: subjects.map(|s| s.iter().fold(0, |v, &b| v << 8 | u128::from(b))).collect(),
            contents: contents.map(|c| c.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b))).collect(),
            classes,
            values,
        })
    }

    /// How its parts are laid out.
    pub fn layout(&self) -> Layout {
        Layout { contents: !self.contents.is_empty(), columns: self.values.len() }
    }
}

/// How the parts of a release are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whether records have contents.
    pub contents: bool,
    /// Number of sensitive columns.
    pub columns: usize,
}

impl Layout {
    fn width(self) -> usize {
        20 + if self.contents { 8 } else { 0 } + 4 * self.columns
    }
}

/// Subjects as the bytes of parts, for those that were withheld.
pub fn subject_parts(subjects: &[SubjectDigest]) -> Vec<Vec<u8>> {
    let part = |part: &[SubjectDigest]| part.iter().flat_map(|s| s.to_be_bytes()).collect();
    subjects.chunks(PART).map(part).collect()
}

/// Reads a part of subjects.
pub fn read_subjects(bytes: &[u8]) -> Option<Vec<SubjectDigest>> {
    let whole = bytes.len().is_multiple_of(16);
    whole.then(|| bytes.chunks_exact(16).map(|s| s.iter().fold(0, |v, &b| v << 8 | u128::from(b))).collect())
}

/// SHA-256 of parts, each preceded by its length.
#[derive(Debug, Clone, Default)]
pub struct PartsDigest(Sha256);

impl PartsDigest {
    /// Adds the next part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The digest of all parts.
    pub fn finish(self) -> String {
        crate::hex(&self.0.finalize())
    }
}

/// Numbers in the order in which their keys come.
#[derive(Debug, Clone, Default)]
struct Numbers(FxHashMap<u64, u32>);

impl Numbers {
    fn of(&mut self, key: u64) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(key).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(subject: u128, content: u64, class: u64, value: u64) -> Record {
        Record { subject, content, class, values: vec![value] }
    }

    #[test]
    fn parts_are_read_as_they_were_written() {
        let few = vec![record(9, 1, 70, 5), record(2, 1, 80, 6), record(3, 1, 70, 6)];
        let many = (0..PART as u64 + 3).map(|at| record(u128::from(at / 2) << 90, at, at % 7, at % 3));
        for (records, parts) in [(few, 1), (many.collect(), 2)] {
            let members = Members::new(records, 1);
            assert_eq!(members.parts(), parts);
            let mut read = Members { values: vec![Vec::new()], ..Members::default() };
            for part in 0..members.parts() {
                let part = Members::read_part(&members.part(part), members.layout()).unwrap();
                read.subjects.extend(part.subjects);
                read.contents.extend(part.contents);
                read.classes.extend(part.classes);
                read.values[0].extend(&part.values[0]);
            }
            assert_eq!(read, members);
        }
    }

    #[test]
    fn numbers_follow_the_order_of_subjects_and_not_of_rows() {
        let records = vec![record(9, 1, 70, 5), record(2, 1, 80, 6), record(3, 1, 70, 6)];
        let mut turned = records.clone();
        turned.reverse();
        let members = Members::new(records, 1);
        assert_eq!(members.classes, [0, 1, 1]);
        assert_eq!(members.values, [[0, 0, 1]]);
        assert!(members.contents.is_empty());
        assert_eq!(members, Members::new(turned, 1));
    }

    #[test]
    fn damaged_parts_are_refused() {
        let members = Members::new(vec![record(1, 1, 1, 1), record(2, 1, 1, 1)], 1);
        let bytes = members.part(0);
        assert!(Members::read_part(&bytes[1..], members.layout()).is_none());
        assert!(Members::read_part(&[], members.layout()).is_none());
        assert!(read_subjects(&[0; 17]).is_none());
    }

    #[test]
    fn left_out_subjects_are_gone_with_all_their_rows() {
        let members = Members::new(vec![record(1, 1, 1, 1), record(1, 2, 2, 1), record(2, 1, 1, 2)], 1);
        let left = members.without(&[1]);
        assert_eq!((left.subjects.as_slice(), left.len(), left.people()), (&[2][..], 1, 1));
    }
}
