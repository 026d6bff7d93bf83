//! Three adversaries [El Emam 2008]: the prosecutor knows that a person is in the table, the
//! journalist knows only that a person is in the population, the marketer wants to re-identify as
//! many people as possible and accepts errors.
//!
//! The prosecutor finds a person among the rows of a class, the journalist among the people of the
//! population's class. Without a table of the population, a class of f rows sampled with
//! probability p is assumed to represent f plus a negative binomial number of people
//! [Benedetti 1998], and the risk is the mean of 1/F under that distribution: ∫₀¹ v^(f−1)/(1 + cv)
//! dv with c = (1 − p)/p. Costs by classes.

/// The largest class for which the recurrence is run; beyond it the series needs few terms.
const RECURRENCE: u64 = 40;

/// Risks of rows, summed up over classes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Rows {
    /// The riskiest row's.
    pub highest: f64,
    /// Of all rows.
    pub mean: f64,
    /// The share of rows above the threshold.
    pub above: f64,
}

impl Rows {
    /// Of classes, each with its rows and the risk of every row in it.
    pub fn of(classes: impl Iterator<Item = (u64, f64)>, threshold: f64) -> Self {
        let (mut rows, mut above) = (0u64, 0u64);
        let mut of = Rows::default();
        for (count, risk) in classes {
            rows += count;
            of.highest = of.highest.max(risk);
            of.mean += count as f64 * risk;
            above += if risk > threshold { count } else { 0 };
        }
        if rows > 0 {
            of.mean /= rows as f64;
            of.above = above as f64 / rows as f64;
        }
        of
    }
}

/// The mean of 1/F, with F = `rows` plus the failures before this many successes of probability p.
pub(super) fn expected_inverse(rows: u64, p: f64) -> f64 {
    let f = rows as f64;
    if p >= 1.0 {
        return 1.0 / f;
    }
    let c = (1.0 - p) / p;
    if c >= 1.0 && rows <= RECURRENCE {
        // Errors shrink by 1/c at each step.
        return (1..rows).fold(c.ln_1p() / c, |before, step| (1.0 / step as f64 - before) / c);
    }
    // p/f · Σ n!/((f + 1)…(f + n)) · (1 − p)^n: positive terms that fall faster than (1 − p)^n.
    let (mut term, mut sum, mut n) = (1.0, 0.0, 0.0);
    while term > 1e-17 * sum {
        sum += term;
        n += 1.0;
        term *= n / (f + n) * (1.0 - p);
    }
    p / f * sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_mean_is_that_of_the_distribution(rows in 1u64..60, p in 0.02f64..1.0) {
            // P(F) = C(F − 1, f − 1) p^f (1 − p)^(F − f), added up until nothing is left.
            let mut probability = p.powi(rows as i32);
            let (mut size, mut mean, mut mass) = (rows, 0.0, 0.0);
            while mass < 1.0 - 1e-12 && size < 200_000 {
                mean += probability / size as f64;
                mass += probability;
                probability *= size as f64 / (size + 1 - rows) as f64 * (1.0 - p);
                size += 1;
            }
            prop_assert!((expected_inverse(rows, p) - mean).abs() < 1e-9);
        }

        #[test]
        fn nobody_is_safer_in_a_larger_sample(rows in 1u64..100, p in 0.0001f64..0.9) {
            prop_assert!(expected_inverse(rows, p) <= expected_inverse(rows, p * 1.1) + 1e-15);
            prop_assert!(expected_inverse(rows + 1, p) <= expected_inverse(rows, p) + 1e-15);
            prop_assert!(expected_inverse(rows, p) <= 1.0 / rows as f64 + 1e-15);
        }
    }

    #[test]
    fn rows_are_summed_by_hand() {
        // Two uniques and a class of four: (1 + 1 + 4 · 1/4) / 6.
        let of = Rows::of([(1, 1.0), (1, 1.0), (4, 0.25)].into_iter(), 0.25);
        assert_eq!((of.highest, of.mean, of.above), (1.0, 0.5, 2.0 / 6.0));
        assert_eq!(Rows::of(std::iter::empty(), 0.2), Rows::default());
    }
}
