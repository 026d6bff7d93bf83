//! Small random changes of bytes, for tests that have no fuzzer: what a typing error, a cut-off
//! copy or another program would do to a file. The same seed gives the same changes.

/// A source of small random numbers (xorshift64*).
pub struct Chance(u64);

impl Chance {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Chance(seed ^ 0x9E37_79B9_7F4A_7C15 | 1)
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }
}

/// Pieces that mean something to one reader or another.
const PIECES: [&[u8]; 24] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\"",
    b"\"\"",
    b",",
    b";",
    b"\t",
    b"*",
    b"\xEF\xBB\xBF",
    b"\0",
    b"\xFF",
    b"\xC3\xA9",
    b"0",
    b"-1",
    b"1e308",
    b"nan",
    b"18446744073709551615",
    b"[",
    b"]",
    b"{",
    b"}",
    b"=",
    b"null",
];

/// One of the seeds with a few changes.
pub fn mutated(seeds: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = seeds[chance.below(seeds.len())].clone();
    for _ in 0..1 + chance.below(4) {
        let at = chance.below(bytes.len() + 1);
        let end = (at + 1 + chance.below(12)).min(bytes.len()).max(at);
        match chance.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
            1 if at < bytes.len() => bytes[at] = chance.below(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let copied = bytes[at..end].to_vec();
                let to = chance.below(bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
            5 => {
                let other = &seeds[chance.below(seeds.len())];
                let from = chance.below(other.len() + 1);
                let until = (from + chance.below(64)).min(other.len());
                bytes.splice(at..at, other[from..until].iter().copied());
            }
            _ => {
                let piece = PIECES[chance.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}
