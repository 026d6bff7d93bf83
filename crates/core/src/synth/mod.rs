//! Synthetic data: patients to try Throng on, skewed or wide tables for benchmarks, and tables from
//! a specification.
//!
//! Everything is a function of a seed and identical on every platform: draws and choices are
//! integer arithmetic, and the few real numbers use only operations that IEEE 754 defines to the
//! last bit. Tables are produced row by row, so memory is the caller's choice; a patient costs a
//! microsecond, a skewed cell 10 ns. Nothing here describes an existing person or place.

mod diagnoses;
mod draw;
mod exact;
pub mod hospital;
mod notes;
pub mod patients;
mod people;
pub mod skewed;
pub mod spec;
mod wide;

pub(crate) use draw::Draws;
pub use hospital::{Inpatient, inpatients};
pub use patients::{Patient, patients};
pub use skewed::Skewed;
pub use wide::Wide;

/// The policy that goes with [`patients::csv`], with a comment for every line.
pub const DEMO_POLICY: &str = include_str!("demo_policy.toml");

/// Fewer patients than these have no release within the levels of [`DEMO_POLICY`].
pub const DEMO_ROWS: usize = 20_000;

/// The policy for this many patients: if they are few, its highest levels are comments, because the
/// guarantee costs small tables more.
pub fn demo_policy(rows: usize) -> String {
    let text = DEMO_POLICY.replace("50,000 made-up patients", &format!("{rows} made-up patients"));
    if rows >= DEMO_ROWS {
        return text;
    }
    let note = "# The limits are comments here: so few patients need more freedom.\n";
    let text = text.replace("\n[columns.birth_date]\n", &format!("{note}\n[columns.birth_date]\n"));
    let line = |line: &str| match line.starts_with("max_level") {
        true => format!("# {line}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, Role};

    #[test]
    fn the_demo_policy_fits_the_demo_table() {
        let policy = Policy::parse(DEMO_POLICY).unwrap();
        policy.bind(&patients::COLUMNS.map(String::from)).unwrap();
        assert_eq!(policy.with_role(Role::Identifier), ["name", "record_number"]);
        assert_eq!(
            policy.with_role(Role::Quasi),
            ["admission_date", "birth_date", "ethnicity", "sex", "zip"]
        );
        assert_eq!(policy.with_role(Role::Text), ["note"]);
        assert_eq!((policy.privacy.k(), policy.privacy.suppression), (Some(5), Some(0.02)));
        assert_eq!(policy.search.loss.parameters().kind.key(), "entropy");
    }

    #[test]
    fn the_demo_policy_of_few_patients_has_no_highest_levels() {
        let limits = |rows: usize| {
            let policy = Policy::parse(&demo_policy(rows)).unwrap();
            policy.columns.values().filter(|column| column.max_level.is_some()).count()
        };
        assert_eq!((limits(100), limits(DEMO_ROWS - 1), limits(DEMO_ROWS), limits(50_000)), (0, 0, 5, 5));
        assert!(
            demo_policy(100).contains("100 made-up patients") && demo_policy(100).contains("more freedom")
        );
        assert_eq!(demo_policy(50_000).replace("50000 made-up", "50,000 made-up"), DEMO_POLICY);
    }

    /// Decade, sex, county, most frequent ethnicity or other, year: within every limit of the
    /// policy.
    #[test]
    fn the_demo_has_a_release() {
        use chrono::Datelike;
        use std::collections::HashMap;
        for (rows, seed) in (0..5).map(|seed| (50_000, seed)).chain((0..20).map(|seed| (DEMO_ROWS, seed))) {
            let mut classes: HashMap<_, u32> = HashMap::new();
            for p in patients(rows, seed) {
                let ethnicity = p.ethnicity.map(|e| e == "White");
                let decade = p.birth_date.year() / 10;
                // The state, which the policy allows, where there are fewer.
                let place = if rows == DEMO_ROWS { p.zip / 1000 } else { p.zip / 100 };
                *classes.entry((decade, p.sex, place, ethnicity, p.admission_date.year())).or_default() += 1;
            }
            let suppressed: u32 = classes.values().filter(|&&rows| rows < 5).sum();
            assert!(suppressed as usize <= rows / 50, "seed {seed}: {suppressed} of {rows} rows");
        }
    }
}
