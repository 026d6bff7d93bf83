//! A 128-bit hash per row over the cells that a release must leave unchanged.
//!
//! A class of the release and its source rows are compared by the sum of these hashes: a sum needs
//! no order and 16 bytes per class (an additive multiset hash, [Clarke 2003]). The hash is
//! SipHash-1-3 with 128 bits of output [Aumasson 2012], one compression per 7 bytes of a short
//! cell.
//!
//! **Security.** Any accidental change, and any change by a person who does not know the key, goes
//! undetected with a probability near 2⁻¹²⁸. The key is not secret: it follows from the digests of
//! the released and of the original file that the certificate states, and those are claims of their
//! own. A forger must therefore search by trial, every trial with another key. This is an argument
//! and not a proof: the hash is designed for secret keys, not to resist somebody who also forges
//! the certificate and has unlimited time.

use sha2::{Digest, Sha256};

/// Marks a missing cell; a text of up to 7 bytes is marked by its length.
const MISSING: u64 = 0xfe;
/// Marks a text of 8 bytes or more, whose length follows.
const LONG: u64 = 0xff;

/// The hash of no cells under a key; every row starts from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowHash {
    v: [u64; 4],
}

impl RowHash {
    /// The start for a release and its original, known by their digests.
    pub(super) fn keyed(output_sha256: &str, input_sha256: &str) -> Self {
        let key = Sha256::new()
            .chain_update("throng verify rows\n")
            .chain_update(output_sha256)
            .chain_update("\n")
            .chain_update(input_sha256)
            .finalize();
        let word = |at: usize| key[at..at + 8].iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
        let mut hash = RowHash::start(word(0), word(8));
        // The variant with 128 bits of output differs from the short one here and at the end.
        hash.v[1] ^= 0xee;
        hash
    }

    fn start(k0: u64, k1: u64) -> Self {
        RowHash {
            v: [
                k0 ^ 0x736f_6d65_7073_6575,
                k1 ^ 0x646f_7261_6e64_6f6d,
                k0 ^ 0x6c79_6765_6e65_7261,
                k1 ^ 0x7465_6462_7974_6573,
            ],
        }
    }

    /// Adds the next cell. The first word contains its length, so that ("a", "bc") differs from
    /// ("ab", "c") and a missing cell from an empty one.
    pub(super) fn cell(&mut self, cell: Option<&str>) {
        let Some(text) = cell.map(str::as_bytes) else {
            return self.word(MISSING);
        };
        if text.len() < 8 {
            return self.word(padded(text) << 8 | text.len() as u64);
        }
        self.word(LONG | (text.len() as u64) << 8);
        for part in text.chunks(8) {
            self.word(padded(part));
        }
    }

    /// Takes in numbers; how many must be known beforehand.
    pub(super) fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|number| self.word(*number));
    }

    /// The number of the row.
    pub(super) fn finish(mut self) -> [u64; 2] {
        self.v[2] ^= 0xee;
        self.rounds(3);
        let low = self.v.iter().fold(0, |a, b| a ^ b);
        self.v[1] ^= 0xdd;
        self.rounds(3);
        [low, self.v.iter().fold(0, |a, b| a ^ b)]
    }

    fn word(&mut self, word: u64) {
        self.v[3] ^= word;
        self.rounds(1);
        self.v[0] ^= word;
    }

    fn rounds(&mut self, rounds: usize) {
        let [mut a, mut b, mut c, mut d] = self.v;
        for _ in 0..rounds {
            a = a.wrapping_add(b);
            b = b.rotate_left(13) ^ a;
            a = a.rotate_left(32);
            c = c.wrapping_add(d);
            d = d.rotate_left(16) ^ c;
            a = a.wrapping_add(d);
            d = d.rotate_left(21) ^ a;
            c = c.wrapping_add(b);
            b = b.rotate_left(17) ^ c;
            c = c.rotate_left(32);
        }
        self.v = [a, b, c, d];
    }
}

/// Up to 8 bytes as a number, the first byte lowest. Read as a first and a last part that may
/// overlap, which is quicker than byte by byte.
pub(super) fn padded(part: &[u8]) -> u64 {
    let n = part.len();
    if let Some(whole) = part.first_chunk::<8>() {
        u64::from_le_bytes(*whole)
    } else if let (Some(first), Some(last)) = (part.first_chunk::<4>(), part.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4))
    } else if n > 0 {
        let byte = |at: usize| u64::from(part[at]) << (8 * at);
        byte(0) | byte(n / 2) | byte(n - 1)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hasher};

    use super::*;

    /// The standard library's default hasher is SipHash-1-3 with the key 0, 0 and 64 bits.
    #[test]
    fn rounds_are_those_of_siphash() {
        let mut theirs = DefaultHasher::new();
        theirs.write_u64(0x0123_4567_89ab_cdef);
        theirs.write_u64(42);
        let mut ours = RowHash::start(0, 0);
        ours.word(0x0123_4567_89ab_cdef);
        ours.word(42);
        ours.word(16 << 56);
        ours.v[2] ^= 0xff;
        ours.rounds(3);
        assert_eq!(theirs.finish(), ours.v.iter().fold(0, |a, b| a ^ b));
    }

    #[test]
    fn padding_keeps_every_byte() {
        let text = *b"abcdefgh";
        for n in 0..=8 {
            let naive = text[..n].iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
            assert_eq!(padded(&text[..n]), naive);
        }
    }

    #[test]
    fn where_a_cell_ends_matters() {
        let hash = |cells: &[Option<&str>]| {
            let mut hash = RowHash::keyed("a", "b");
            cells.iter().for_each(|cell| hash.cell(*cell));
            hash.finish()
        };
        let rows: [&[Option<&str>]; 10] = [
            &[Some("a"), Some("bc")],
            &[Some("ab"), Some("c")],
            &[Some(""), Some("abc")],
            &[None, Some("abc")],
            &[Some("abc"), None],
            &[Some("abc"), Some("")],
            &[Some("abc"), Some("\0")],
            &[Some("abcdefgh"), Some("")],
            &[Some("abcdefg"), Some("h")],
            &[Some("abcdefgh\0"), Some("")],
        ];
        for (i, a) in rows.iter().enumerate() {
            for (j, b) in rows.iter().enumerate() {
                assert_eq!(i == j, hash(a) == hash(b), "{a:?} {b:?}");
            }
        }
        assert_ne!(RowHash::keyed("a", "b").finish(), RowHash::keyed("a", "c").finish());
    }
}
