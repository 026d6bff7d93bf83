//! From an acceptable risk to k: which k keeps it, and what some choices of k mean for a table.
//!
//! A person known to be in the table is found with probability 1/k at most. A person known only to be
//! in the population is found among the people of a class, so a smaller k can do; the risk of a class
//! of k rows is estimated as in `adversaries.rs`. The anonymity level is the one for which Figure 27
//! of [Sweeney 2001] has this k: k is 1 % of the level's share of the rows. Sweeney also warns (4.2)
//! that about 100 people were not enough where all of them could be asked at once: no k makes up for
//! that. Costs one pass over the classes for each k.

use serde::Serialize;

use super::adversaries::expected_inverse;

/// The k that are always shown, as far as the table has that many rows.
const USUAL: [u64; 8] = [2, 3, 5, 10, 20, 50, 100, 1000];
/// Classes that are larger are not looked for.
const LARGEST: u64 = 1_000_000;

/// Which k an acceptable risk requires.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Guidance {
    /// The highest acceptable risk.
    pub threshold: f64,
    /// The least k if it is known who is in the table; none if no risk is acceptable.
    pub prosecutor: Option<u64>,
    /// The least k if it is known only who is in the population; none without its size.
    pub journalist: Option<u64>,
    /// These and the usual k, ascending.
    pub choices: Vec<Choice>,
}

/// A k, and what it means for the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The k.
    pub k: u64,
    /// The highest risk of a person known to be in the table.
    pub prosecutor: f64,
    /// The expected risk of a person known to be in the population.
    pub journalist: Option<f64>,
    /// The anonymity level that has this k in a table of this size; none above 1.
    pub anonymity: Option<f64>,
    /// Rows in classes of fewer rows: those that must change.
    pub rows_below: u64,
}

impl Guidance {
    /// Of classes, each with its rows and the rows that cannot be distinguished from it; `fraction` is
    /// the share of the population that is in the table.
    pub(super) fn new(classes: &[(u64, u64)], threshold: f64, fraction: Option<f64>) -> Self {
        let rows: u64 = classes.iter().map(|class| class.0).sum();
        let risk = |k: u64| fraction.map(|fraction| expected_inverse(k, fraction));
        let prosecutor = least(|k| 1.0 / k as f64 <= threshold);
        let journalist = fraction.and_then(|f| least(|k| expected_inverse(k, f) <= threshold));
        let mut ks: Vec<u64> = USUAL.into_iter().chain(prosecutor).chain(journalist).collect();
        ks.sort_unstable();
        ks.dedup();
        ks.retain(|&k| k <= rows);
        let choice = |k: u64| {
            let anonymity = k as f64 / (0.01 * rows as f64);
            Choice {
                k,
                prosecutor: 1.0 / k as f64,
                journalist: risk(k),
                anonymity: (anonymity <= 1.0).then_some(anonymity),
                rows_below: classes.iter().filter(|class| class.1 < k).map(|class| class.0).sum(),
            }
        };
        Guidance { threshold, prosecutor, journalist, choices: ks.into_iter().map(choice).collect() }
    }
}

/// The least k that is enough, where a larger one always is.
fn least(enough: impl Fn(u64) -> bool) -> Option<u64> {
    if !enough(LARGEST) {
        return None;
    }
    let (mut low, mut high) = (1, LARGEST);
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_smaller_k_is_enough(threshold in 0.001f64..1.0, fraction in 0.01f64..1.0) {
            let found = Guidance::new(&[(1, 1)], threshold, Some(fraction));
            let (prosecutor, journalist) = (found.prosecutor.unwrap(), found.journalist.unwrap());
            prop_assert!(1.0 / prosecutor as f64 <= threshold);
            prop_assert!(prosecutor == 1 || 1.0 / (prosecutor - 1) as f64 > threshold);
            prop_assert!(expected_inverse(journalist, fraction) <= threshold);
            prop_assert!(journalist == 1 || expected_inverse(journalist - 1, fraction) > threshold);
            prop_assert!(journalist <= prosecutor);
        }
    }

    #[test]
    fn choices_count_the_rows_that_must_change() {
        // A unique row, a pair, and classes of 5 and 92 rows.
        let classes = [(1, 1), (2, 2), (5, 5), (92, 92)];
        let found = Guidance::new(&classes, 0.25, None);
        assert_eq!((found.prosecutor, found.journalist), (Some(4), None));
        let below: Vec<(u64, u64)> = found.choices.iter().map(|c| (c.k, c.rows_below)).collect();
        assert_eq!(below, [(2, 1), (3, 3), (4, 3), (5, 3), (10, 8), (20, 8), (50, 8), (100, 100)]);
        assert_eq!(Guidance::new(&classes, 0.0, None).prosecutor, None);
    }

    /// Sweeney's voters: 54,805 rows, and level 0.7 is k = 383.
    #[test]
    fn levels_are_those_of_the_voters() {
        let found = Guidance::new(&[(54_805, 54_805)], 1.0 / 383.0, None);
        let choice = found.choices.iter().find(|choice| choice.k == 383).unwrap();
        assert!((choice.anonymity.unwrap() - 0.7).abs() < 0.002, "{choice:?}");
    }
}
