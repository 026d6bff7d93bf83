//! Mutual information against its definition, and against what must be true of it.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

type Counts = Vec<(u32, u32, u64)>;

fn counts() -> impl Strategy<Value = Counts> {
    prop::collection::vec((0u32..6, 0u32..4, 0u64..30), 1..40)
}

/// H(C|X) by its definition: the mean entropy of the target within each value.
fn conditional(counts: &[(u32, u32, u64)]) -> f64 {
    let all: u64 = counts.iter().map(|t| t.2).sum();
    let within = |x: u32| {
        let of = |c: u32| counts.iter().filter(|t| (t.0, t.1) == (x, c)).map(|t| t.2).sum::<u64>();
        let rows: u64 = (0..9).map(of).sum();
        if rows == 0 { 0.0 } else { rows as f64 / all as f64 * entropy((0..9).map(of)) }
    };
    (0..9).map(within).sum()
}

fn swapped(counts: &[(u32, u32, u64)]) -> Counts {
    counts.iter().map(|&(x, c, n)| (c, x, n)).collect()
}

proptest! {
    #[test]
    fn it_is_what_the_value_takes_from_the_entropy_of_the_target(counts in counts()) {
        let found = mutual(&counts, 0);
        let table = Contingency::new(&counts);
        if table.rows() > 0 {
            prop_assert!((found - (table.target_entropy() - conditional(&counts))).abs() < 1e-12);
        }
        prop_assert!(found >= 0.0);
        prop_assert!(found <= table.target_entropy().min(table.value_entropy()) + 1e-12);
        prop_assert!((found - mutual(&swapped(&counts), 0)).abs() < 1e-12);
    }

    #[test]
    fn order_does_not_matter(counts in counts(), rare in 0u64..40, by in 0usize..40) {
        let mut turned = counts.clone();
        turned.rotate_left(by % counts.len());
        turned.reverse();
        prop_assert_eq!(mutual(&counts, rare).to_bits(), mutual(&turned, rare).to_bits());
    }

    #[test]
    fn independent_columns_tell_nothing(
        x in prop::collection::vec(1u64..50, 1..6),
        c in prop::collection::vec(1u64..50, 1..6),
    ) {
        let pairs: Counts = x.iter().enumerate()
            .flat_map(|(i, a)| c.iter().enumerate().map(move |(j, b)| (i as u32, j as u32, a * b)))
            .collect();
        prop_assert!(mutual(&pairs, 0) < 1e-12);
        // The worth of a value is nothing, too.
        let all: Vec<u64> = c.iter().map(|b| b * x.iter().sum::<u64>()).collect();
        let with: Vec<u64> = c.iter().map(|b| b * x[0]).collect();
        prop_assert!(worth(&with, &all) < 1e-12);
    }

    /// [Katirai 2006, appendix 1]: tables of different lengths can be compared.
    #[test]
    fn the_number_of_rows_does_not_matter(counts in counts(), t in 1u64..1000) {
        let more: Counts = counts.iter().map(|&(x, c, n)| (x, c, t * n)).collect();
        prop_assert!((mutual(&counts, 0) - mutual(&more, 0)).abs() < 1e-12);
    }

    #[test]
    fn rare_values_are_left_out_and_nothing_else(counts in counts(), rare in 0u64..60) {
        let rows = |x: u32| counts.iter().filter(|t| t.0 == x).map(|t| t.2).sum::<u64>();
        let kept: Counts = counts.iter().copied().filter(|t| rows(t.0) >= rare).collect();
        prop_assert_eq!(mutual(&counts, rare).to_bits(), mutual(&kept, 0).to_bits());
    }

    /// Without absolute values, the worth of values weighted by rows is the information of the
    /// column; with them it is at least that.
    #[test]
    fn what_values_are_worth_adds_up(counts in counts()) {
        let table = Contingency::new(&counts);
        let cell = |x: u32, c: u32| counts.iter().filter(|t| (t.0, t.1) == (x, c)).map(|t| t.2).sum::<u64>();
        let all: Vec<u64> = (0..4).map(|c| (0..6).map(|x| cell(x, c)).sum()).collect();
        let (mut signed, mut absolute) = (0.0, 0.0);
        for &(x, rows) in table.values() {
            let with: Vec<u64> = (0..4).map(|c| cell(x, c)).collect();
            let share = rows as f64 / table.rows() as f64;
            absolute += share * worth(&with, &all);
            for c in 0..4 {
                if with[c] > 0 {
                    let p = with[c] as f64 / table.rows() as f64;
                    signed += p * pointwise(with[c], rows, all[c], table.rows());
                }
            }
        }
        prop_assert!((signed - table.mutual()).abs() < 1e-12);
        prop_assert!(absolute >= table.mutual() - 1e-12);
    }
}

#[test]
fn values_computed_by_hand() {
    // A copy of a fair coin carries one bit; half of the rows carry nothing about which coin it
    // was.
    assert_eq!(mutual(&[(0, 0, 5), (1, 1, 5)], 0), 1.0);
    assert_eq!(mutual(&[(0, 0, 5), (1, 1, 5), (1, 1, 0), (0, 0, 5), (1, 1, 5)], 0), 1.0);
    // p = 1/2, 1/4, 1/4; p(x) = 3/4, 1/4; p(c) = 1/2, 1/2.
    let expected = 0.5 * (4f64 / 3.0).log2() + 0.25 * (2f64 / 3.0).log2() + 0.25;
    assert!((mutual(&[(0, 0, 20), (0, 1, 10), (1, 1, 10)], 0) - expected).abs() < 1e-15);
    assert_eq!(mutual(&[], RARE), 0.0);
    assert_eq!(mutual(&[(0, 0, 5), (1, 1, 5)], RARE), 0.0);
    assert_eq!(pointwise(0, 3, 3, 6), f64::NEG_INFINITY);
    assert_eq!(pointwise(3, 3, 3, 6), 1.0);
    assert_eq!(worth(&[4, 0], &[4, 4]), 1.0);
    // Half of the value's rows meet a target of three quarters, half one of a quarter:
    // |log2(2/3)|/2 + |log2(2)|/2.
    assert!((worth(&[2, 2], &[12, 4]) - (0.5 * (1.5f64).log2() + 0.5)).abs() < 1e-15);
    assert_eq!(worth(&[0, 0], &[1, 1]), 0.0);
}

/// [Katirai 2006, appendix 1], where counts are drawn: larger samples of one distribution come
/// nearer to its information.
#[test]
fn larger_samples_come_nearer() {
    // p(0,0) = 4/10, p(0,1) = 1/10, p(1,0) = 2/10, p(1,1) = 3/10.
    let shares = [(0, 0, 4), (0, 1, 1), (1, 0, 2), (1, 1, 3)];
    let truth = mutual(&shares, 0);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    // The mean distance over 40 samples falls as 1/√n: ten times for a hundredfold sample. The test
    // requires five.
    let mut distance = |rows: usize| {
        let sample = |random: &mut ChaCha8Rng| {
            let mut counts = shares.map(|(x, c, _)| (x, c, 0u64));
            for _ in 0..rows {
                counts[[0, 0, 0, 0, 1, 2, 2, 3, 3, 3][random.random_range(0..10)]].2 += 1;
            }
            (mutual(&counts, 0) - truth).abs()
        };
        (0..40).map(|_| sample(&mut random)).sum::<f64>() / 40.0
    };
    let (few, many) = (distance(100), distance(10_000));
    assert!(many < few / 5.0 && many < 0.01, "{few} {many}");
}
