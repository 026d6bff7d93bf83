//! The estimator of Zayatz [Zayatz 1991]: assumes that population classes have the size
//! distribution of the sample's, and applies Bayes' rule to estimate how many sample uniques are
//! population uniques.
//!
//! Of a class of F people, exactly one is drawn with the hypergeometric probability. The estimate
//! is the share of sample uniques that are population uniques, times the sample uniques, over the
//! sampling fraction. It always exists, and it is too high for small fractions, because a sample
//! has more uniques than its population. Costs by the largest class.

use super::Sample;

/// The estimated number of population uniques.
pub fn zayatz(sample: &Sample) -> f64 {
    let unique = sample.sizes().of_size(1) as f64;
    if unique == 0.0 {
        // Then it may be that no class could be drawn just once, and there is no share to take.
        return 0.0;
    }
    let (n, people) = (sample.sizes().rows() as f64, sample.population() as f64);
    let mut drawn_once = 0.0;
    // The probability that none of the F − 1 others is drawn, carried along as F grows.
    let (mut none_else, mut reached) = (1.0f64, 1u64);
    for (size, classes) in sample.sizes().iter() {
        while reached < size && none_else > 0.0 {
            let others = (reached - 1) as f64;
            none_else *= ((people - n - others) / (people - 1.0 - others)).max(0.0);
            reached += 1;
        }
        drawn_once += classes as f64 * size as f64 * sample.fraction() * none_else;
    }
    let share = unique * sample.fraction() / drawn_once;
    share * unique / sample.fraction()
}
