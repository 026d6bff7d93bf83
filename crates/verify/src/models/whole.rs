//! Models of the whole table: independent implementations for the verifier, from the sorted list of
//! class sizes.
//!
//! If a release may not contain all classes, the smallest go first, classes of equal size together,
//! and then all classes that the other guarantees no longer allow. The first set within every limit
//! is the one that must be released. Costs one sort per distinct size that goes.

use super::super::claims::Judged;
use super::super::verdict::{Finding, Wrong};
use super::limit::ROUNDING;
use super::{JudgedBy, Limit, Rule, judge_sizes, unlike};
use throng_terms::policy::{AverageRisk, SampleUniqueness, StrictAverageRisk};
use throng_terms::release::Certificate;

judge_sizes!(SampleUniqueness, AverageRisk, StrictAverageRisk);

/// How a model judges the rows per class of a whole table.
pub(super) trait Whole: std::fmt::Debug + Send + Sync {
    /// The limit of the figure.
    fn limit(&self) -> Limit;

    /// The figure of a table whose classes have these sizes, ascending and not empty; none if it
    /// cannot be computed.
    fn figure(&self, rows: &[u64]) -> Option<f64>;

    /// The rows that every class must have by itself.
    fn least(&self) -> u64 {
        1
    }

    /// How close two computations of the figure come.
    fn near(&self) -> f64 {
        ROUNDING
    }
}

impl Whole for SampleUniqueness {
    fn limit(&self) -> Limit {
        Limit::Most(self.max)
    }

    fn figure(&self, rows: &[u64]) -> Option<f64> {
        let alone = rows.iter().take_while(|&&rows| rows == 1).count();
        Some(alone as f64 / rows.iter().sum::<u64>() as f64)
    }
}

/// The mean over rows of 1 by the rows of their class.
fn chance(rows: &[u64]) -> f64 {
    let all: u64 = rows.iter().sum();
    rows.len() as f64 / all as f64
}

impl Whole for AverageRisk {
    fn limit(&self) -> Limit {
        Limit::Most(self.max)
    }

    fn figure(&self, rows: &[u64]) -> Option<f64> {
        Some(chance(rows))
    }
}

impl Whole for StrictAverageRisk {
    fn limit(&self) -> Limit {
        Limit::Most(self.max)
    }

    fn figure(&self, rows: &[u64]) -> Option<f64> {
        Some(chance(rows))
    }

    fn least(&self) -> u64 {
        self.k
    }
}

/// The rows of the classes that have some, ascending.
fn ascending(counts: &[u64]) -> Vec<u64> {
    let mut rows: Vec<u64> = counts.iter().copied().filter(|&rows| rows > 0).collect();
    rows.sort_unstable();
    rows
}

/// Takes the rows of the smallest classes away, and those that `stable` then does not let stay,
/// until every model of the whole table holds.
pub(in super::super) fn without_smallest(
    rules: &[Rule],
    mut counts: Vec<u64>,
    stable: impl Fn(Vec<u64>) -> Vec<u64>,
) -> Vec<u64> {
    let whole = rules.iter().filter_map(|rule| match &rule.by {
        JudgedBy::Whole(by) => Some(by.as_ref()),
        _ => None,
    });
    let whole: Vec<&dyn Whole> = whole.collect();
    if whole.is_empty() {
        return counts;
    }
    let met = |by: &&dyn Whole, rows: &[u64]| by.figure(rows).is_some_and(|f| by.limit().met(f));
    loop {
        let rows = ascending(&counts);
        let Some(&fewest) = rows.first() else { return counts };
        if whole.iter().all(|by| met(by, &rows)) {
            return counts;
        }
        counts.iter_mut().filter(|count| **count == fewest).for_each(|count| *count = 0);
        counts = stable(counts);
    }
}

/// Compares the figure of all released classes with the requirement and the certificate.
pub(super) fn claim(rule: &Rule, by: &dyn Whole, certificate: &Certificate, judged: &Judged) -> Finding {
    let rows = ascending(&judged.counts);
    let stated = certificate.release.privacy.get(&rule.claim);
    let mut wrong = Wrong::default();
    if rows.is_empty() {
        wrong.extend(unlike("the table reaches", stated, None, by.near()));
        return Finding::of(&wrong, || "no row is released".into());
    }
    let found = by.figure(&rows);
    match found {
        Some(figure) if rule.holds(figure) => {}
        Some(figure) => {
            wrong.push(format!("the table reaches {figure}, at most {} is allowed", rule.required()));
        }
        None => wrong.push("what the table reaches cannot be computed"),
    }
    if rows[0] < by.least() {
        wrong.push(format!("the smallest class has {} rows, {} are required", rows[0], by.least()));
    }
    wrong.extend(unlike("the table reaches", stated, found, by.near()));
    Finding::of(&wrong, || {
        let figure = found.unwrap_or(f64::NAN);
        format!("the table reaches {figure}, at most {} is allowed", rule.required())
    })
}
