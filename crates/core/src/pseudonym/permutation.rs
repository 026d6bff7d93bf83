//! Keyed permutations of the values of a shape: a table for few values, a Feistel network for many.
//!
//! Of fewer than [`NETWORK_FROM`] values each has a number from HMAC-SHA256, and a value becomes
//! the one whose place is the rank of its number (the prefix cipher of Black and Rogaway 2002).
//! Every permutation is as likely as any other if the numbers are random, so that knowing some
//! pairs says nothing about the rest. The table is made when it is first used: a quarter of an HMAC
//! and 8 bytes per value.
//!
//! From [`NETWORK_FROM`] values on, which NIST SP 800-38G Rev. 1 asks of its networks too,
//! alternating halves are changed by HMAC-SHA256 of the other half in [`ROUNDS`] rounds (Luby and
//! Rackoff 1988; the rounds of FF1). Nothing is remembered; a value costs an HMAC per round and 8
//! signs.

use std::sync::OnceLock;

use super::key::Key;

/// The least number of values for which there is a network.
pub(super) const NETWORK_FROM: u128 = 1_000_000;
/// Rounds of a network; each changes one half by the other.
const ROUNDS: u8 = 10;

/// A permutation of all values whose signs have these sizes.
pub(super) struct Permutation {
    key: Key,
    sizes: Vec<u8>,
    /// Only for few values.
    table: Option<OnceLock<Table>>,
}

impl std::fmt::Debug for Permutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Permutation")
    }
}

impl Permutation {
    pub(super) fn new(key: Key, sizes: Vec<u8>) -> Self {
        let values = sizes.iter().fold(1, |n: u128, size| n.saturating_mul((*size).into()));
        Permutation { key, sizes, table: (values < NETWORK_FROM).then(OnceLock::new) }
    }

    /// What a value becomes.
    pub(super) fn forward(&self, mut numbers: Vec<u8>) -> Vec<u8> {
        if let Some(table) = self.table() {
            return self.signs(table.forward[self.place(&numbers)]);
        }
        (0..ROUNDS).for_each(|round| self.round(round, &mut numbers, |a, b, size| (a + b) % size));
        numbers
    }

    /// What becomes a value.
    pub(super) fn backward(&self, mut numbers: Vec<u8>) -> Vec<u8> {
        if let Some(table) = self.table() {
            return self.signs(table.backward[self.place(&numbers)]);
        }
        let undo = |a: u32, b: u32, size: u32| (a + size - b) % size;
        (0..ROUNDS).rev().for_each(|round| self.round(round, &mut numbers, undo));
        numbers
    }

    fn table(&self) -> Option<&Table> {
        let values = || self.sizes.iter().map(|size| u32::from(*size)).product();
        Some(self.table.as_ref()?.get_or_init(|| Table::new(&self.key, values())))
    }

    /// The place of a value among all, the last sign counting fastest.
    fn place(&self, numbers: &[u8]) -> usize {
        let signs = numbers.iter().zip(&self.sizes);
        signs.fold(0, |place, (sign, size)| place * usize::from(*size) + usize::from(*sign))
    }

    /// The value at a place.
    fn signs(&self, mut place: u32) -> Vec<u8> {
        let mut signs = vec![0; self.sizes.len()];
        for (sign, size) in signs.iter_mut().zip(&self.sizes).rev() {
            let size = u32::from(*size);
            *sign = (place % size) as u8;
            place /= size;
        }
        signs
    }

    /// Changes one half, sign by sign, by what the key makes of the other.
    fn round(&self, round: u8, numbers: &mut [u8], change: impl Fn(u32, u32, u32) -> u32) {
        let middle = numbers.len().div_ceil(2);
        let (first, second) = numbers.split_at_mut(middle);
        let (first_sizes, second_sizes) = self.sizes.split_at(middle);
        let (changed, sizes, other) = match round % 2 {
            0 => (first, first_sizes, second),
            _ => (second, second_sizes, first),
        };
        for (block, (signs, sizes)) in changed.chunks_mut(8).zip(sizes.chunks(8)).enumerate() {
            let code = self.key.hmac(&[&[round], &(block as u32).to_be_bytes(), other]);
            for ((sign, size), word) in signs.iter_mut().zip(sizes).zip(code.chunks(4)) {
                // 32 bits for 26 signs or fewer: no sign is likelier than another by more than 1 in
                // 10⁸.
                let word = word.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
                let size = u32::from(*size);
                *sign = change(u32::from(*sign), word % size, size) as u8;
            }
        }
    }
}

/// A permutation of places and its inverse.
struct Table {
    forward: Vec<u32>,
    backward: Vec<u32>,
}

impl Table {
    /// The ranks of keyed numbers. Of a million numbers of 64 bits two are the same with a chance
    /// of 3 in 10⁸; the lower place is then first.
    fn new(key: &Key, values: u32) -> Self {
        let mut numbered: Vec<(u64, u32)> = Vec::with_capacity(values as usize);
        for block in 0..values.div_ceil(4) {
            let code = key.hmac(&[b"rank", &block.to_be_bytes()]);
            let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            numbered.extend(code.chunks(8).map(number).zip(4 * block..values));
        }
        numbered.sort_unstable();
        let backward: Vec<u32> = numbered.into_iter().map(|(_, place)| place).collect();
        let mut forward = vec![0; backward.len()];
        for (rank, place) in (0..).zip(&backward) {
            forward[*place as usize] = rank;
        }
        Table { forward, backward }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn permutation(key: u32, sizes: &[u8]) -> Permutation {
        Permutation::new(Key::of(&key.to_be_bytes()), sizes.to_vec())
    }

    /// All of a small shape, by table and by network.
    #[test]
    fn every_value_is_taken_once_and_found_back() {
        for sizes in [&[10][..], &[26], &[10, 10], &[26, 10, 10], &[10, 26, 10, 2]] {
            let by_table = permutation(1, sizes);
            let by_network = Permutation { table: None, ..permutation(1, sizes) };
            let values: u32 = sizes.iter().map(|size| u32::from(*size)).product();
            for permutation in [by_table, by_network] {
                let mut seen = BTreeSet::new();
                for place in 0..values {
                    let value = permutation.signs(place);
                    assert_eq!(permutation.place(&value), place as usize);
                    let made = permutation.forward(value.clone());
                    assert_eq!(permutation.backward(made.clone()), value);
                    seen.insert(made);
                }
                assert_eq!(seen.len(), values as usize);
            }
        }
    }

    #[test]
    fn only_small_shapes_have_a_table() {
        assert!(permutation(1, &[10; 5]).table.is_some());
        assert!(permutation(1, &[10; 6]).table.is_none());
        assert!(permutation(1, &[26; 60]).table.is_none());
    }

    /// Two digits of one sign under 9,000 keys: each of 90 pairs about 100 times; 5 deviations are
    /// 50. One known pair says nothing about another.
    #[test]
    fn a_known_pair_does_not_give_another_away() {
        let mut counts = [[0i32; 10]; 10];
        for key in 0..9000 {
            let permutation = permutation(key, &[10]);
            let (a, b) = (permutation.forward(vec![0])[0], permutation.forward(vec![1])[0]);
            counts[usize::from(a)][usize::from(b)] += 1;
        }
        for (a, row) in counts.iter().enumerate() {
            for (b, count) in row.iter().enumerate() {
                assert!(if a == b { *count == 0 } else { (count - 100).abs() < 50 }, "{a} {b}: {count}");
            }
        }
    }
}
