//! The derivation against the definition of differential privacy, against the theorem as it is
//! printed, and against values from arithmetic with 40 digits; the draw against its own
//! description.

use proptest::prelude::*;

use super::*;
use crate::policy::sampling_limits::LEAST_DELTA;

/// The chance that j of n rows are drawn, one factor after the other.
fn chance(j: u64, n: u64, beta: f64) -> f64 {
    let factors = (1..=j).map(|i| ((n - j + i) as f64 / i as f64).ln() + beta.ln());
    (factors.sum::<f64>() + (n - j) as f64 * (1.0 - beta).ln()).exp()
}

/// The theorem's d, from as many n as matter.
fn printed(k: u64, epsilon: f64, beta: f64) -> f64 {
    let gamma = (epsilon.exp() - 1.0 + beta) / epsilon.exp();
    let first = (k as f64 / gamma - 1.0).ceil() as u64;
    let tail = |n: u64| {
        let least = (gamma * n as f64).floor() as u64 + 1;
        (least..=n).map(|j| chance(j, n, beta)).sum::<f64>()
    };
    (first..2 * first + 100).map(tail).fold(0.0, f64::max)
}

/// The chances of what a class of n rows can look like in the release: nothing, or as many rows as
/// were drawn.
fn outcomes(n: u64, k: u64, beta: f64) -> Vec<f64> {
    let mut outcomes = vec![0.0; n as usize + 1];
    (0..=n).for_each(|j| outcomes[if j < k { 0 } else { j as usize }] += chance(j, n, beta));
    outcomes
}

/// The least δ with which one row more or less in a class goes unnoticed, by the definition: Σ of
/// what is more than e^ε as likely on one side, for the worse of the two.
fn noticed(n: u64, k: u64, epsilon: f64, beta: f64) -> f64 {
    let (with, mut without) = (outcomes(n, k, beta), outcomes(n - 1, k, beta));
    without.push(0.0);
    let beyond = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - epsilon.exp() * b).max(0.0)).sum()
    };
    beyond(&with, &without).max(beyond(&without, &with))
}

/// Made with mpmath from the theorem: every n, 40 digits. The first is also plain: with ε = ln 2
/// half of the rows are drawn, and γ = 3/4.
#[test]
fn known_values() {
    let ln2 = std::f64::consts::LN_2;
    for (epsilon, delta, k) in [
        (ln2, 1e-3, 31),
        (ln2, 1e-5, 55),
        (0.1, 1e-3, 26),
        (0.1, 1e-6, 60),
        (0.25, 1e-4, 38),
        (0.5, 1e-5, 51),
        (0.5, 1e-6, 63),
        (1.0, 1e-4, 47),
        (1.0, 1e-5, 61),
        (1.0, 1e-6, 74),
        (1.5, 1e-4, 62),
        (2.0, 1e-5, 113),
        (2.0, 1e-6, 131),
    ] {
        let sampling = Sampling::new(epsilon, delta).unwrap();
        assert_eq!(sampling.k(), k, "epsilon {epsilon}, delta {delta}");
        let beta = 1.0 - (-epsilon).exp();
        assert!(sampling.beta() <= beta && beta - sampling.beta() < 1e-9, "epsilon {epsilon}");
    }
}

/// Of a class of one row a draw shows nothing or all: with k = 1 a person would be seen with
/// probability β.
#[test]
fn one_row_is_never_enough() {
    for epsilon in [0.01, 0.5, 3.0] {
        let sampling = Sampling::new(epsilon, 0.009).unwrap();
        assert!(sampling.k() > 1);
        assert!((noticed(1, 1, epsilon, sampling.beta()) - sampling.beta()).abs() < 1e-12);
    }
}

/// The ends of the range are reached, and their k is what it can be estimated to be: for a large ε
/// all rows of a class are drawn with probability β^k; for a small one the draws are nearly Poisson
/// of half of k.
#[test]
fn the_ends_of_the_range() {
    let large = Sampling::new(10.0, 1e-6).unwrap();
    let rows = 1e-6f64.ln() / large.beta().ln();
    assert_eq!(large.k(), rows.ceil() as u64);
    let small = Sampling::new(0.001, 1e-6).unwrap();
    assert!((55..=62).contains(&small.k()), "{}", small.k());
    assert!(Sampling::new(10.0, LEAST_DELTA).is_ok() && Sampling::new(0.001, LEAST_DELTA).is_ok());
}

#[test]
fn what_is_out_of_range_is_named() {
    for (epsilon, delta, key) in [
        (0.0, 1e-6, "epsilon"),
        (-1.0, 1e-6, "epsilon"),
        (f64::NAN, 1e-6, "epsilon"),
        (f64::INFINITY, 1e-6, "epsilon"),
        (1.0, 0.0, "delta"),
        (1.0, f64::NAN, "delta"),
        (1.0, 0.64, "delta"),
        (0.01, 0.01, "delta"),
    ] {
        let error = Sampling::new(epsilon, delta).unwrap_err();
        assert_eq!(error.faults()[0].place.key.as_deref(), Some(key), "{error}");
        assert!(error.faults()[0].help.is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// By the definition: one row more or less in a class of any size changes no chance by more
    /// than e^ε, but for δ.
    #[test]
    fn keeps_what_it_promises(epsilon in 0.05f64..2.0, digits in 1.6f64..5.0) {
        let delta = 10f64.powf(-digits);
        let sampling = Sampling::new(epsilon, delta).unwrap();
        for n in 1..4 * sampling.k() {
            prop_assert!(noticed(n, sampling.k(), epsilon, sampling.beta()) <= delta, "class of {n}");
        }
    }

    /// The smallest k of the theorem as it is printed.
    #[test]
    fn is_the_smallest_k_of_the_theorem(epsilon in 0.1f64..2.0, digits in 1.6f64..5.0) {
        let delta = 10f64.powf(-digits);
        let sampling = Sampling::new(epsilon, delta).unwrap();
        prop_assert!(printed(sampling.k(), epsilon, sampling.beta()) <= delta);
        prop_assert!(printed(sampling.k() - 1, epsilon, sampling.beta()) > delta);
    }

    #[test]
    fn more_privacy_needs_larger_classes(epsilon in 0.05f64..3.0, digits in 2.0f64..8.0) {
        let k = |digits: f64| Sampling::new(epsilon, 10f64.powf(-digits)).unwrap().k();
        prop_assert!(k(digits) <= k(digits + 0.5));
    }
}

fn draw(secret: &[u8], seed: u64, policy: &str, table: &str) -> Draw {
    let sampling = Sampling::new(std::f64::consts::LN_2, 1e-3).unwrap();
    Draw::new(&sampling, &Key::new(secret).unwrap(), seed, policy, table)
}

fn drawn(mut draw: Draw, rows: usize) -> Vec<bool> {
    (0..rows).map(|_| draw.next_row()).collect()
}

/// Half of 40,000 rows, give or take five standard deviations: by chance one key in two million
/// fails.
#[test]
fn the_share_is_drawn() {
    let rows = drawn(draw(b"0123456789abcdef", 0, "p", "t"), 40_000);
    let count = rows.iter().filter(|drawn| **drawn).count() as f64;
    assert!((count - 20_000.0).abs() < 5.0 * 100.0, "{count}");
    // Neighbours do not know of each other: both drawn, or neither, in half of all pairs.
    let alike = rows.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
    assert!((alike - 20_000.0).abs() < 5.0 * 100.0, "{alike}");
}

#[test]
fn every_part_makes_another_draw() {
    let base = drawn(draw(b"0123456789abcdef", 0, "p", "t"), 200);
    assert_eq!(base, drawn(draw(b"0123456789abcdef", 0, "p", "t"), 200));
    for other in [
        draw(b"0123456789abcdeg", 0, "p", "t"),
        draw(b"0123456789abcdef", 1, "p", "t"),
        draw(b"0123456789abcdef", 0, "q", "t"),
        draw(b"0123456789abcdef", 0, "p", "u"),
    ] {
        assert_ne!(draw(b"0123456789abcdef", 0, "p", "t").order(), other.order());
        assert_ne!(base, drawn(other, 200));
    }
}

/// Made with Python's hmac, hashlib and struct from the description at the top of the module.
#[test]
fn the_draw_is_the_one_that_is_described() {
    let rows = drawn(draw(b"0123456789abcdef", 7, "policy", "table"), 24);
    let text: String = rows.iter().map(|drawn| if *drawn { '1' } else { '0' }).collect();
    assert_eq!(text, "011011110001000000001100");
}
