//! The answer in one sentence: how many people can be singled out, and whether the estimators agree.

use super::Risk;
use crate::population::Estimator;

/// Estimates that differ by more than this factor, and by more than [`APART`], disagree.
const FACTOR: f64 = 1.5;
/// A share of the population.
const APART: f64 = 0.01;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskVerdict {
    /// Whether any row is above the threshold.
    pub high: bool,
    /// The finding: "49,834 of 50,000 people can be singled out".
    pub finding: String,
    /// What it means.
    pub meaning: String,
}

impl Risk {
    /// The answer in one sentence.
    pub fn verdict(&self) -> RiskVerdict {
        let value = |name: &str| self.figures.get(name).and_then(|figure| figure.value);
        let rows: u64 = self.class_sizes.iter().map(|band| band.rows).sum();
        let unique = value("sample_unique_rows").unwrap_or(0.0) as u64;
        let above = value("rows_at_risk").unwrap_or(0.0);
        let smallest = value("smallest_class").unwrap_or(0.0) as u64;
        let columns = self.columns.join(", ");
        let threshold = self.guidance.threshold;
        let of = format!("{} of {}", integer(unique), integer(rows));
        match (unique, above > 0.0) {
            (0, false) => RiskVerdict {
                high: false,
                finding: format!("Nobody is above the risk threshold of {threshold}"),
                meaning: format!(
                    "every combination of {columns} is shared by at least {} rows",
                    integer(smallest)
                ),
            },
            (0, true) => RiskVerdict {
                high: true,
                finding: "Nobody can be singled out, but small groups can".into(),
                meaning: format!(
                    "{:.1} % of the rows are above the risk threshold of {threshold}; the smallest group has {} rows",
                    100.0 * above,
                    integer(smallest)
                ),
            },
            (1, high) => RiskVerdict {
                high,
                finding: format!("{of} people can be singled out"),
                meaning: format!("one row is the only one with its combination of {columns}"),
            },
            (_, high) => RiskVerdict {
                high,
                finding: format!("{of} people can be singled out"),
                meaning: format!(
                    "no other row has their combination of {columns}, counting one row per person"
                ),
            },
        }
    }

    /// A sentence where the estimates of population uniques differ widely.
    pub fn disagreement(&self) -> Option<String> {
        let people = self.figures.get("population")?.value?;
        let estimate = |estimator: &Estimator| {
            let value = self.figures.get(estimator.name())?.value?;
            Some((estimator.name(), value / people))
        };
        let all: Vec<(&str, f64)> = Estimator::ALL.iter().filter_map(estimate).collect();
        let low = all.iter().map(|(_, share)| *share).fold(f64::INFINITY, f64::min);
        let high = all.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        if all.len() < 2 || high - low <= APART || high <= FACTOR * low {
            return None;
        }
        let named: Vec<String> =
            all.iter().map(|(name, share)| format!("{name} {:.1} %", 100.0 * share)).collect();
        let trusted = match self.figures.get("dankar").map(|figure| figure.means.as_str()) {
            Some(means) => {
                format!(" Dankar's rule prefers {}.", means.rsplit(' ').next().unwrap_or_default())
            }
            None => String::new(),
        };
        Some(format!(
            "The estimators disagree on the share of people who are unique in the population: {}. Treat it as uncertain.{trusted}",
            named.join(", ")
        ))
    }
}

/// A whole number with its thousands apart.
pub(super) fn integer(n: u64) -> String {
    let digits = n.to_string();
    let apart = |(i, c): (usize, char)| {
        let comma = i > 0 && (digits.len() - i).is_multiple_of(3);
        comma.then_some(',').into_iter().chain(std::iter::once(c))
    };
    digits.chars().enumerate().flat_map(apart).collect()
}
