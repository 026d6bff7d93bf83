//! Made-up data: patients to try Throng on, and skewed or wide tables to measure it with.
//!
//! Everything here is a function of a seed and comes out the same on every platform: draws and
//! choices are integer arithmetic, and the few real numbers use only operations that IEEE 754 fixes
//! to the last bit. Tables come row by row, so that memory is the caller's choice; a patient costs a
//! microsecond, a skewed cell 10 ns. Nothing here describes a person or a place that exists.

mod diagnoses;
mod draw;
mod exact;
mod notes;
pub mod patients;
mod people;
pub mod skewed;
mod wide;

pub(crate) use draw::Draws;
pub use patients::{Patient, patients};
pub use skewed::Skewed;
pub use wide::Wide;

/// The policy that goes with [`patients::csv`], with a comment for every line.
pub const DEMO_POLICY: &str = include_str!("demo_policy.toml");

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
        assert_eq!((policy.privacy.k, policy.privacy.suppression), (Some(5), 0.02));
        assert_eq!(policy.search.loss.parameters().name, "entropy");
    }

    /// Decade, sex, county, most frequent ethnicity or other, year: within every limit of the policy.
    #[test]
    fn the_demo_has_a_release() {
        use chrono::Datelike;
        use std::collections::HashMap;
        for seed in 0..5 {
            let mut classes: HashMap<_, u32> = HashMap::new();
            for p in patients(50_000, seed) {
                let ethnicity = p.ethnicity.map(|e| e == "White");
                let decade = p.birth_date.year() / 10;
                *classes
                    .entry((decade, p.sex, p.zip / 100, ethnicity, p.admission_date.year()))
                    .or_default() += 1;
            }
            let suppressed: u32 = classes.values().filter(|&&rows| rows < 5).sum();
            assert!(suppressed < 1000, "seed {seed}: {suppressed} of 50,000 rows");
        }
    }
}
