//! The claim that an identifier was replaced one to one by pseudonyms, checked without the key.
//!
//! Rows have no numbers, so an identifier is characterized by its rows: how many it has in each
//! released class, and with which other cells (as a sum of row hashes). The expected
//! characteristics of each original identifier are computed from the original; the release must
//! have the same ones with the same frequencies. Then some one-to-one replacement leads from the
//! original to the release, and rows of one person stay rows of one person. In addition, no
//! original value may occur in the release, and all values must have the same format, because
//! different formats would distinguish people. It is not proven that the values come from the key:
//! swapping the pseudonyms of two people with identical characteristics is undetectable.
//!
//! Memory grows with distinct pairs of identifier and class, about 50 bytes each, and with the
//! texts; time grows with rows, one look-up each.

use super::classes::{Classes, Interner, MISSING, UNKNOWN};
use super::rowhash::RowHash;
use super::side::Side;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::policy::Policy;

/// What the claim about a column is called.
pub(super) fn claim(column: &str) -> String {
    format!("identifiers: {column}")
}

/// The columns whose identifiers are replaced, in name order.
pub(super) fn replaced(policy: &Policy) -> impl Iterator<Item = &str> {
    policy.columns.iter().filter(|(_, column)| column.is_replaced()).map(|(name, _)| name.as_str())
}

/// One such column of one of the two files, as it streams by.
#[derive(Debug)]
pub(super) struct Identifiers {
    /// Its place in the header.
    pub(super) place: Option<usize>,
    texts: Interner,
    /// Identifier and class, with their rows and the sum of their hashes.
    pairs: Classes,
    /// The batch at hand.
    batch: Vec<u32>,
}

impl Identifiers {
    pub(super) fn new(place: Option<usize>) -> Self {
        Identifiers { place, texts: Interner::new(), pairs: Classes::new(2), batch: Vec::new() }
    }

    pub(super) fn begin(&mut self) {
        self.batch.clear();
    }

    /// The next cell of the batch.
    pub(super) fn cell(&mut self, cell: Option<&str>) {
        let number = self.texts.add(cell);
        self.batch.push(number);
    }

    /// The class and the hash of a row of the batch.
    pub(super) fn row(&mut self, row: usize, class: usize, hash: [u64; 2]) {
        let identifier = self.batch.get(row).copied().unwrap_or(MISSING);
        self.pairs.row(&[identifier, class as u32], hash);
    }

    /// The most that was numbered.
    pub(super) fn len(&self) -> usize {
        self.texts.len().max(self.pairs.len())
    }

    /// Distinct values, not counting missing ones.
    fn distinct(&self) -> u64 {
        self.texts.len() as u64 - 1
    }

    fn values(&self) -> impl Iterator<Item = &str> {
        (1..self.texts.len() as u32).filter_map(|number| self.texts.value(number))
    }
}

/// The original to compare with.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// Its identifiers, and the released class of each of its classes, as `truth::places` has it.
    Known(&'a [Identifiers], &'a [u32]),
    /// It cannot be generalized as claimed.
    Unfit,
    /// It is not there.
    None,
}

/// The finding of one column.
pub(super) fn identifiers(at: usize, released: &Side, source: Source<'_>, start: RowHash) -> Finding {
    let made_up = &released.identifiers[at];
    let mut wrong = Wrong::default();
    let shapes = shapes(made_up);
    if shapes > 1 {
        wrong.push(format!("values are written in {shapes} ways, which distinguishes people"));
    }
    let (source, places) = match source {
        Source::Known(source, places) => (source, places),
        Source::Unfit => {
            wrong.push("the claimed levels do not fit the hierarchies");
            return Finding::of(&wrong, String::new);
        }
        Source::None => {
            let finding = Finding::of(&wrong, String::new);
            return if finding.holds { Finding::unchecked(WITHOUT_ORIGINAL) } else { finding };
        }
    };
    let originals = &source[at];
    let kept = made_up.values().filter(|value| originals.texts.get(Some(value)).is_some()).count() as u64;
    if kept > 0 {
        wrong.push(format!("{} of the original {} in the release", several(kept, "value"), are(kept)));
    }
    let expected = looks(&expected(originals, places), originals.texts.len(), start);
    let found = looks(&made_up.pairs, made_up.texts.len(), start);
    let (only_found, only_expected) = differences(&found, &expected);
    if only_found + only_expected > 0 {
        wrong.push(format!(
            "{} of the release {} the rows of no original one, and {} of the original {} not found again",
            several(only_found, "identifier"),
            if only_found == 1 { "has" } else { "have" },
            several(only_expected, "identifier"),
            are(only_expected),
        ));
    }
    Finding::of(&wrong, || {
        format!(
            "{} in the original, {} in the release, none in common; each of these has the rows of one of those",
            several(originals.distinct(), "identifier"),
            several(made_up.distinct(), "made-up one"),
        )
    })
}

fn are(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// In how many ways values are written: digits, small letters and capitals each count as one sign.
fn shapes(identifiers: &Identifiers) -> usize {
    let sign = |c: char| match c {
        '0'..='9' => '0',
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        other => other,
    };
    let mut shapes = Interner::new();
    identifiers.values().for_each(|value| {
        shapes.add(Some(&value.chars().map(sign).collect::<String>()));
    });
    shapes.len() - 1
}

/// The pairs of the original with each class replaced by the released one that its rows must be in;
/// `places` has the released class of every class of the original, or [`UNKNOWN`] where its rows
/// are suppressed.
fn expected(originals: &Identifiers, places: &[u32]) -> Classes {
    let mut expected = Classes::new(2);
    for pair in 0..originals.pairs.len() {
        let [identifier, class] = *originals.pairs.tuples.tuple(pair) else { continue };
        let place = places.get(class as usize).copied().unwrap_or(UNKNOWN);
        if place != UNKNOWN {
            expected.add(&[identifier, place], originals.pairs.tally(pair));
        }
    }
    expected
}

/// One number for every identifier that has rows, made of all its rows; sorted, so that only how
/// many look alike is left of who is who. That a cell is missing is a part of its look.
fn looks(pairs: &Classes, identifiers: usize, start: RowHash) -> Vec<[u64; 2]> {
    let mut sums = vec![([0u64; 2], false); identifiers];
    for pair in 0..pairs.len() {
        let [identifier, class] = *pairs.tuples.tuple(pair) else { continue };
        let mut hash = start;
        let missing = u64::from(identifier == MISSING);
        hash.numbers(&[missing, u64::from(class)]);
        hash.numbers(&pairs.tally(pair).words());
        let (sum, used) = &mut sums[identifier as usize];
        let number = hash.finish();
        *sum = [0, 1].map(|half| sum[half].wrapping_add(number[half]));
        *used = true;
    }
    let mut looks: Vec<_> = sums.into_iter().filter(|(_, used)| *used).map(|(sum, _)| sum).collect();
    looks.sort_unstable();
    looks
}

/// How many numbers of either sorted list the other one lacks.
fn differences(a: &[[u64; 2]], b: &[[u64; 2]]) -> (u64, u64) {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    ((a.len() - common) as u64, (b.len() - common) as u64)
}
