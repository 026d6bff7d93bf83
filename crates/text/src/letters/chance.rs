//! A seeded source of small random numbers: splitmix64. The same seed gives the same letters on
//! every platform. A draw costs about a nanosecond.

/// A source of random numbers.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// Starts from a seed and a number of a letter; neighbours have nothing in common.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut chance = Chance(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
        chance.next();
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// True in this number of cases out of a thousand.
    pub fn permille(&mut self, share: usize) -> bool {
        self.below(1000) < share
    }

    /// One of the items; the slice is not empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}
