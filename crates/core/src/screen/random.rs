//! What a random column tells of a target: nothing, but the estimate says more the more values it has.
//!
//! Every row draws one of the values, all alike, whatever its target (Katirai, figures 16 and 17). Rows are drawn target value by target
//! value, so that one counter per value is enough: MI = log2 n + (Σ f(n_xc) − Σ f(n_x) − Σ f(n_c)) / n with f(m) = m·log2 m.
//! One draw per row and run; 8 bytes per value.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The mean mutual information, in bits, of a target with the given rows per value and random columns of so many values.
/// Each (seed, stream) has draws of its own, so that columns do not depend on each other.
pub(super) fn mean(targets: &[u64], values: u64, (runs, seed, stream): (u32, u64, u64)) -> f64 {
    if values < 2 {
        return 0.0;
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    let mut counts = Counts { of_value: vec![0; values as usize], both: vec![0; values as usize] };
    (0..runs).map(|_| counts.run(targets, &mut random)).sum::<f64>() / f64::from(runs)
}

struct Counts {
    of_value: Vec<u32>,
    /// Rows of each value with the target value at hand.
    both: Vec<u32>,
}

impl Counts {
    fn run(&mut self, targets: &[u64], random: &mut ChaCha8Rng) -> f64 {
        let rows: u64 = targets.iter().sum();
        self.of_value.fill(0);
        let mut sum = f(rows) - targets.iter().map(|&n| f(n)).sum::<f64>();
        let mut drawn = Vec::new();
        for &target in targets {
            drawn.clear();
            for _ in 0..target {
                let value = below(random, self.of_value.len() as u64);
                self.of_value[value] += 1;
                self.both[value] += 1;
                if self.both[value] == 1 {
                    drawn.push(value);
                }
            }
            sum +=
                drawn.iter().map(|&value| f(u64::from(std::mem::take(&mut self.both[value])))).sum::<f64>();
        }
        sum -= self.of_value.iter().map(|&n| f(u64::from(n))).sum::<f64>();
        (sum / rows as f64).max(0.0)
    }
}

/// A number from 0 to `end` − 1; at most 2³² values are told apart, so 64 bits leave no unevenness that counts.
fn below(random: &mut ChaCha8Rng, end: u64) -> usize {
    ((u128::from(random.next_u64()) * u128::from(end)) >> 64) as usize
}

fn f(rows: u64) -> f64 {
    if rows == 0 { 0.0 } else { rows as f64 * (rows as f64).log2() }
}
