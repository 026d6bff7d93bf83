//! The answer in one sentence: how many people can be singled out, and whether the estimators agree.

use super::Risk;
use crate::population::Estimator;

/// Estimates that differ by more than this factor, and by more than [`APART`], disagree.
const FACTOR: f64 = 1.25;
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
        // Where a column names the person of a row, classes have people.
        let subjects = value("people").map(|people| people as u64);
        let counted = if subjects.is_some() { "people" } else { "rows" };
        if let Some(people) = subjects.filter(|_| unique > 0) {
            return RiskVerdict {
                high: above > 0.0,
                finding: format!("{of} rows single out a person"),
                meaning: format!(
                    "nobody else has their combination of {columns}; the rows belong to {} people",
                    integer(people)
                ),
            };
        }
        match (unique, above > 0.0) {
            (0, false) => RiskVerdict {
                high: false,
                finding: format!("Nobody is above the risk threshold of {threshold}"),
                meaning: format!(
                    "every combination of {columns} is shared by at least {} {counted}",
                    integer(smallest)
                ),
            },
            (0, true) => RiskVerdict {
                high: true,
                finding: "Nobody can be singled out, but small groups can".into(),
                meaning: format!(
                    "{:.1} % of the rows are above the risk threshold of {threshold}; the smallest group has {} {counted}",
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

#[cfg(test)]
mod tests {
    use super::super::{Asked, Figure, Figures, Population, Table, assess};
    use super::*;
    use crate::policy::Missing;
    use crate::table::Dictionary;
    use crate::tuples::Tuples;
    use crate::watch::Watch;

    /// A table of one column whose values have these rows each.
    fn risk(rows: &[u32]) -> Risk {
        let mut dictionary = Dictionary::new();
        let mut tuples = Tuples::new(1);
        for (at, &rows) in rows.iter().enumerate() {
            tuples.insert(&[dictionary.add(Some(&at.to_string()), u64::from(rows))], rows);
        }
        let table = Table::new(vec!["zip".into()], vec![dictionary], tuples);
        let population = Population::Unknown;
        let asked = Asked { max_size: 1, threshold: 0.2, missing: Missing::Value, population, seed: 1 };
        assess(&table, &asked, &Watch::none()).unwrap()
    }

    #[test]
    fn the_verdict_counts_people_who_can_be_singled_out() {
        let verdict = |rows: &[u32]| {
            let verdict = risk(rows).verdict();
            (verdict.high, verdict.finding)
        };
        assert_eq!(verdict(&[1, 1, 1_998]), (true, "2 of 2,000 people can be singled out".into()));
        assert_eq!(verdict(&[2, 8]), (true, "Nobody can be singled out, but small groups can".into()));
        assert_eq!(verdict(&[5, 8]), (false, "Nobody is above the risk threshold of 0.2".into()));
    }

    #[test]
    fn rows_of_one_person_are_not_people() {
        let verdict = |rows: &[u32]| {
            let mut risk = risk(rows);
            risk.figures.put("people", Figure::exact(700.0, ""));
            (risk.verdict().finding, risk.verdict().meaning)
        };
        let (finding, meaning) = verdict(&[1, 1, 1_998]);
        assert_eq!(finding, "2 of 2,000 rows single out a person");
        assert_eq!(meaning, "nobody else has their combination of zip; the rows belong to 700 people");
        assert!(verdict(&[5, 8]).1.ends_with("at least 5 people"), "{}", verdict(&[5, 8]).1);
    }

    #[test]
    fn estimators_that_differ_widely_are_said_to_disagree() {
        let said = |pitman: f64, zayatz: f64| {
            let mut figures = Figures::default();
            figures.put("population", Figure::exact(1_000.0, ""));
            figures.put("pitman", Figure::exact(pitman, ""));
            figures.put("zayatz", Figure::exact(zayatz, ""));
            figures.put("dankar", Figure::exact(pitman, "the estimate to trust by Dankar's rule: pitman"));
            Risk { figures, ..risk(&[1]) }.disagreement()
        };
        let text = said(650.0, 990.0).unwrap();
        assert!(text.contains("pitman 65.0 %, zayatz 99.0 %") && text.ends_with("prefers pitman."), "{text}");
        assert_eq!(said(930.0, 990.0), None);
        assert_eq!(said(1.0, 5.0), None, "both are next to nobody");
        assert_eq!(risk(&[1]).disagreement(), None, "nothing was estimated");
    }
}
