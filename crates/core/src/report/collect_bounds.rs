//! What the recipient can compute for certain: bounds of statistics beside their originals. For the
//! holder, because the originals are exact.
//!
//! These are the statistics that the policy limits, and mean, median and standard deviation of
//! every column of numbers. A column with missing cells is left out: a suppressed cell could be one
//! of them. Costs one pass over the distinct cells of a column per statistic.

use super::facts::{BoundFacts, NumberFacts};
use crate::policy::{Policy, StatisticSpec};
use crate::recoded::Recoded;
use crate::registry::StatisticKind;
use crate::search::Problem;
use crate::utility::Utility;

/// Columns whose statistics are listed though no limit is.
const COLUMNS: usize = 6;
const KINDS: [StatisticKind; 3] = [StatisticKind::Mean, StatisticKind::Median, StatisticKind::Stddev];

/// The bounds, those with limits first.
pub(super) fn bounds(
    policy: &Policy,
    problem: &Problem,
    recoded: &Recoded,
    numbers: &[NumberFacts],
) -> Vec<BoundFacts> {
    let mut found: Vec<BoundFacts> = measured(policy, problem, recoded, &policy.privacy.utility);
    for column in numbers.iter().filter(|column| !column.dates).take(COLUMNS) {
        let spec =
            |statistic| StatisticSpec { statistic, column: column.column.clone(), with: None, width: None };
        let specs: Vec<StatisticSpec> = KINDS.map(spec).to_vec();
        let known: Vec<String> = found.iter().map(|bound| bound.statistic.clone()).collect();
        let specs: Vec<StatisticSpec> =
            specs.into_iter().filter(|spec| !known.contains(&spec.name())).collect();
        found.extend(measured(policy, problem, recoded, &specs));
    }
    found
}

/// The bounds of some statistics; none where a column has none.
fn measured(
    policy: &Policy,
    problem: &Problem,
    recoded: &Recoded,
    specs: &[StatisticSpec],
) -> Vec<BoundFacts> {
    let mut asked = policy.clone();
    asked.privacy.utility = specs.to_vec();
    let Problem { names, hierarchies, classes, .. } = problem;
    let Ok(Some(utility)) = Utility::new(&asked, names, hierarchies, classes) else { return Vec::new() };
    let Ok(bounded) = utility.bounded(recoded) else { return Vec::new() };
    let originals = utility.originals(hierarchies, classes);
    let fact = |(bounded, original): (crate::utility::Bounded, Option<f64>)| {
        let claim = bounded.claim();
        Some(BoundFacts {
            statistic: bounded.spec.name(),
            original: original?,
            low: claim.low,
            high: claim.high,
            required: bounded.spec.width,
        })
    };
    bounded.into_iter().zip(originals).filter_map(fact).collect()
}
