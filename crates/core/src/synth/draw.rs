//! Seeded draws in integer arithmetic: below a number, by weight, from a bell curve.
//!
//! Implemented here rather than taken from a library, because a library may change how it uses
//! random words between versions, which would change every table. A draw by weight costs one random
//! word, one multiplication and one look-up.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A source of draws.
#[derive(Debug)]
pub(super) struct Draw(ChaCha8Rng);

impl Draw {
    /// The source that belongs to a seed.
    pub(super) fn new(seed: u64) -> Self {
        Draw(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Goes to the given random word, as if all before it had been drawn.
    pub(super) fn skip_to(&mut self, word: u128) {
        self.0.set_word_pos(word);
    }

    /// A number from 0 to `end` − 1.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(end)) >> 32) as u32
    }

    /// Whether something happens that does so `times` in 1,000 times.
    pub(super) fn per_mille(&mut self, times: u32) -> bool {
        self.below(1000) < times
    }

    /// One of several, all alike.
    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// One of several by weight, as its index. Spends exactly one random word.
    #[inline]
    pub(super) fn pick(&mut self, weights: &Weights) -> u32 {
        let scaled = u64::from(self.0.next_u32()) * weights.slots.len() as u64;
        let index = (scaled >> 32) as u32;
        let slot = weights.slots[index as usize];
        if (scaled as u32) < slot.own { index } else { slot.other }
    }

    /// A number from a bell curve with mean 0 and deviation 1: twelve uniform draws added up, which
    /// needs no logarithm and never leaves −6 … 6.
    pub(super) fn bell(&mut self) -> f64 {
        let mut sum = 0;
        for _ in 0..3 {
            let word = self.0.next_u64();
            sum += (0..4).map(|part| (word >> (16 * part)) as u16 as i32).sum::<i32>();
        }
        (f64::from(sum) - 12.0 * 32767.5) / 65536.0
    }
}

/// Draws below large numbers, each without the slight unevenness that a multiplication leaves.
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    /// The source that belongs to a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Draws(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from 0 to `end` − 1; `end` is above 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // Words of the last, incomplete run of `end` numbers are thrown away.
        let room = u64::MAX - u64::MAX % end;
        loop {
            let word = self.0.next_u64();
            if word < room {
                return word % end;
            }
        }
    }
}

/// Weights prepared for drawing (Walker's alias method).
#[derive(Debug, Clone)]
pub(super) struct Weights {
    slots: Vec<Slot>,
}

/// A slot is hit as often as any other; its own index keeps `own` / 2³² of the hits.
#[derive(Debug, Clone, Copy)]
struct Slot {
    own: u32,
    other: u32,
}

impl Weights {
    /// Prepares weights; at least one must be above 0. Weight 0 is never drawn.
    ///
    /// Whole numbers throughout, so that slots come out full exactly and no remainder is left over.
    pub(super) fn new(weights: impl IntoIterator<Item = u64>) -> Self {
        let weights: Vec<u128> = weights.into_iter().map(u128::from).collect();
        let total: u128 = weights.iter().sum();
        let mut left: Vec<u128> = weights.iter().map(|w| w * weights.len() as u128).collect();
        let mut slots: Vec<Slot> =
            (0..weights.len()).map(|i| Slot { own: u32::MAX, other: i as u32 }).collect();
        let (mut low, mut high): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&i| left[i] < total);
        while let (Some(small), Some(&large)) = (low.pop(), high.last()) {
            slots[small] = Slot { own: ((left[small] << 32) / total) as u32, other: large as u32 };
            left[large] -= total - left[small];
            if left[large] < total {
                high.pop();
                low.push(large);
            }
        }
        Weights { slots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed 3, a million draws: every share within 0.002 of its weight, weight 0 never.
    #[test]
    fn picks_by_weight() {
        let weights = [5, 0, 1, 90, 3, 0, 1];
        let prepared = Weights::new(weights);
        let mut draw = Draw::new(3);
        let mut seen = [0u32; 7];
        for _ in 0..1_000_000 {
            seen[draw.pick(&prepared) as usize] += 1;
        }
        for (seen, weight) in seen.into_iter().zip(weights) {
            assert!((f64::from(seen) / 1e6 - weight as f64 / 100.0).abs() < 0.002);
            assert_eq!(seen == 0, weight == 0);
        }
    }

    /// Seed 4, 100,000 draws: mean within 0.02 of 0, variance within 0.02 of 1.
    #[test]
    fn the_bell_is_standard() {
        let mut draw = Draw::new(4);
        let drawn: Vec<f64> = (0..100_000).map(|_| draw.bell()).collect();
        let mean = drawn.iter().sum::<f64>() / 1e5;
        let variance = drawn.iter().map(|x| x * x).sum::<f64>() / 1e5 - mean * mean;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn skipping_is_drawing() {
        let (mut all, mut rest) = (Draw::new(9), Draw::new(9));
        let drawn: Vec<u32> = (0..100).map(|_| all.below(1000)).collect();
        rest.skip_to(37);
        assert_eq!(rest.below(1000), drawn[37]);
    }
}
