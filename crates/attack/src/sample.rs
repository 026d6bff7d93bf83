//! Samples and shuffles that follow from a seed.
//!
//! What is drawn depends on the seed and on the sorted content of tables, never on the order of
//! rows or on the number of threads.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A random number generator of a purpose.
pub(crate) fn generator(seed: u64, purpose: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(mixed(seed, purpose))
}

/// A number that depends on two others, and looks like chance (SplitMix64).
pub(crate) fn mixed(seed: u64, at: u64) -> u64 {
    let mut x = seed.wrapping_add(at.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// At most `most` of the given items, in their order.
pub(crate) fn sample(items: &[u32], most: usize, seed: u64, purpose: u64) -> Vec<u32> {
    if items.len() <= most {
        return items.to_vec();
    }
    let mut places: Vec<u32> = (0..items.len() as u32).collect();
    let (chosen, _) = places.partial_shuffle(&mut generator(seed, purpose), most);
    chosen.sort_unstable();
    chosen.iter().map(|&place| items[place as usize]).collect()
}

/// Numbers up to a limit in another order.
pub(crate) fn shuffled(count: usize, seed: u64, purpose: u64) -> Vec<u32> {
    let mut places: Vec<u32> = (0..count as u32).collect();
    places.shuffle(&mut generator(seed, purpose));
    places
}
