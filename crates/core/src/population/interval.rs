//! Sampling error of an estimate: the interval in which it would lie for other samples.
//!
//! A bootstrap by class sizes [Efron 1979]: the number of classes of each size is redrawn from a
//! Poisson distribution around the observed number, the estimate is repeated, and the middle 95 %
//! of these estimates are the interval. Independent draws vary a little more than a sample without
//! replacement, so the interval is slightly conservative. It does not include the estimator's bias.
//! Seeded; 200 estimates, computed in parallel.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{Estimator, Sample, Sizes};

/// The share of intervals that should cover.
pub const LEVEL: f64 = 0.95;
const DRAWS: u64 = 200;
/// From here on a Poisson number is drawn as a rounded normal one: the error is far below the
/// interval's own.
const NORMAL: f64 = 500.0;

/// The interval of an estimate; none where fewer than half of the drawn samples can be estimated.
pub fn interval(estimator: Estimator, sample: &Sample, seed: u64) -> Option<(f64, f64)> {
    let mut estimates: Vec<f64> = (0..DRAWS)
        .into_par_iter()
        .filter_map(|draw| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(draw + 1);
            let sizes = redrawn(sample.sizes(), &mut rng);
            (sizes.rows() > 0).then(|| estimator.estimate(&sample.with(sizes)))?
        })
        .collect();
    if (estimates.len() as u64) < DRAWS / 2 {
        return None;
    }
    estimates.sort_unstable_by(f64::total_cmp);
    let last = (estimates.len() - 1) as f64;
    let quantile = |q: f64| estimates[(q * last).round() as usize];
    Some((quantile((1.0 - LEVEL) / 2.0), quantile((1.0 + LEVEL) / 2.0)))
}

fn redrawn(sizes: &Sizes, rng: &mut ChaCha8Rng) -> Sizes {
    let drawn = sizes.iter().map(|(size, classes)| (size, poisson(classes as f64, rng)));
    Sizes::new(drawn.filter(|&(_, classes)| classes > 0).collect())
}

fn poisson(mean: f64, rng: &mut ChaCha8Rng) -> u64 {
    if mean > NORMAL {
        let (u, v) = (1.0 - uniform(rng), uniform(rng));
        let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        return (mean + mean.sqrt() * normal).round().max(0.0) as u64;
    }
    // Arrivals in a unit of time (Knuth), in logarithms so that nothing underflows.
    let mut left = mean;
    let mut arrivals = 0;
    loop {
        left += (1.0 - uniform(rng)).ln();
        if left < 0.0 {
            return arrivals;
        }
        arrivals += 1;
    }
}

/// A number from 0 to below 1.
pub(super) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}
