//! The random baseline: the estimated mutual information of a random column, which grows with its
//! number of values.
//!
//! Every row draws one of the values uniformly, independent of its target [Katirai 2006, figures 16
//! and 17]. Rows are drawn target value by target value, so one counter per value suffices: MI =
//! log2 n + (Σ f(n_xc) − Σ f(n_x) − Σ f(n_c)) / n with f(m) = m·log2 m. One draw per row and run; 8
//! bytes per value.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::Result;
use crate::watch::Watch;

/// The mean mutual information, in bits, of a target with the given rows per value and random
/// columns of a number of values. Each (seed, stream) has draws of its own, so that columns do not
/// depend on each other.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub(super) fn mean(
    targets: &[u64],
    values: u64,
    (runs, seed, stream): (u32, u64, u64),
    watch: &Watch,
) -> Result<f64> {
    if values < 2 {
        return Ok(0.0);
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    let mut counts = Counts { of_value: vec![0; values as usize], both: vec![0; values as usize] };
    let mut sum = 0.0;
    for _ in 0..runs {
        watch.check()?;
        sum += counts.run(targets, &mut random);
    }
    Ok(sum / f64::from(runs))
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

/// A number from 0 to `end` − 1; at most 2³² values are distinguished, so the bias of 64 bits is
/// negligible.
fn below(random: &mut ChaCha8Rng, end: u64) -> usize {
    ((u128::from(random.next_u64()) * u128::from(end)) >> 64) as usize
}

fn f(rows: u64) -> f64 {
    if rows == 0 { 0.0 } else { rows as f64 * (rows as f64).log2() }
}
