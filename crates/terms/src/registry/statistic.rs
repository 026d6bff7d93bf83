//! Statistics whose bounds a policy can limit: which there are, and whether they are of one column
//! or of two.
//!
//! The names are those of `throng stats`. What the bounds are is defined in the user guide ("How
//! the numbers are defined").

use super::Family;
use super::kinds;

/// What the registry knows of a statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatisticEntry {
    /// How a policy writes it.
    pub key: &'static str,
    /// What it is, in one line for a data manager.
    pub help: &'static str,
    /// Whether it is of two columns.
    pub of_pairs: bool,
    /// For a quantile, the share of rows at or below it.
    pub share: Option<f64>,
}

impl StatisticEntry {
    const fn new(key: &'static str, help: &'static str) -> Self {
        StatisticEntry { key, help, of_pairs: false, share: None }
    }

    const fn quantile(key: &'static str, help: &'static str, share: f64) -> Self {
        StatisticEntry { share: Some(share), ..StatisticEntry::new(key, help) }
    }

    const fn of_pairs(key: &'static str, help: &'static str) -> Self {
        StatisticEntry { of_pairs: true, ..StatisticEntry::new(key, help) }
    }
}

kinds! {
    /// A statistic of the original that a recipient bounds from the release.
    StatisticKind(Family::Statistic) => StatisticEntry;

    Mean = StatisticEntry::new("mean", "The mean."),
    Median = StatisticEntry::quantile("median", "The median.", 0.5),
    Min = StatisticEntry::quantile("min", "The least value.", 0.0),
    Max = StatisticEntry::quantile("max", "The greatest value.", 1.0),
    Q05 = StatisticEntry::quantile("q05", "The value that 5 % of the rows are at or below.", 0.05),
    Q25 = StatisticEntry::quantile("q25", "The first quartile.", 0.25),
    Q75 = StatisticEntry::quantile("q75", "The third quartile.", 0.75),
    Q95 = StatisticEntry::quantile("q95", "The value that 95 % of the rows are at or below.", 0.95),
    Variance = StatisticEntry::new("variance", "The variance, divided by the rows minus one."),
    VariancePopulation = StatisticEntry::new("variance_population", "The variance, divided by the rows."),
    Stddev = StatisticEntry::new("stddev", "The square root of the variance."),
    Covariance = StatisticEntry::of_pairs("covariance", "The covariance, divided by the rows minus one."),
    Correlation = StatisticEntry::of_pairs("correlation", "Pearson's correlation."),
}
