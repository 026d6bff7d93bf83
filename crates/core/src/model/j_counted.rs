//! j-anonymity, counted (mission P13; Katirai, *A Theory and Toolkit for the Mathematics of Privacy*, "Introducing the concept of j-anonymity"):
//! a table is a part of a population, so rows of which fewer than k are alike in the table may stay where a larger part of the population
//! has enough like them.
//!
//! The larger table holds this one and was drawn by chance from the people. Given that a person is in it, a class of k − 1 people has
//! t rows or more there with a probability of at most 1 − confidence; a class of t rows there is safe. That is k-map's estimate, but
//! for the person: the rows of this table were drawn from the larger one, from large classes sooner than from small ones, so a
//! number of rows counts as many times as it has rows. Where the larger table is everybody, t = k and this is k-map. A class of k rows here has as many there, and t
//! is at most k. For each class by itself, not for all together.
//!
//! Monotone: merging adds rows, and leaving rows out changes nobody outside of the table. Costs a pass over the classes.

use super::k_map::{fewest_people, flag_fewer, rows_for};
use super::{PrivacyModel, Verdict};
use crate::classes::{Flags, View};
use crate::error::{Fault, Result};
use crate::policy::JAnonymity;
use crate::release::{Foresight, PredictedFacts};

/// Released rows whose class has fewer than k rows.
pub(super) fn rows_below(k: u64, classes: &View<'_>, flags: &Flags) -> u64 {
    let released = (0..classes.len()).filter(|&class| !flags.has(class));
    released.map(|class| u64::from(classes.counts()[class])).filter(|&rows| rows < k).sum()
}

/// At least so many rows in a larger table that k people are likely behind them.
#[derive(Debug, Clone)]
pub struct JCounted {
    claim: String,
    k: u64,
    people: u64,
    confidence: f64,
    /// Rows of the larger table.
    larger: u64,
    /// Rows that a class needs there.
    needed: u64,
}

impl JCounted {
    /// As a policy asks, beside a larger table of so many rows.
    ///
    /// # Errors
    /// Fewer people than rows.
    pub fn new(claim: String, asked: &JAnonymity, larger: u64) -> Result<Self> {
        let (k, confidence) = (asked.k, asked.confidence());
        let people = asked.people.unwrap_or(larger);
        enough(people, larger, "larger table")?;
        Ok(JCounted {
            claim,
            k,
            people,
            confidence,
            larger,
            needed: rows_of_a_person(k, people, larger, 1.0 - confidence),
        })
    }

    /// The most people that a class of so many rows in the larger table is taken to have.
    fn most(&self, rows: u64) -> u64 {
        let error = 1.0 - self.confidence;
        let enough = |k: u64| rows_of_a_person(k, self.people, self.larger, error) <= rows;
        // Doubled first, because what a number costs grows with it.
        let mut high = rows.max(1);
        while high < self.people && enough(high) {
            high = high.saturating_mul(2).min(self.people);
        }
        greatest(rows, high, enough)
    }
}

/// The least rows that a class of k − 1 people, of whom a given one has a row, reaches with at most the error.
fn rows_of_a_person(k: u64, people: u64, larger: u64, error: f64) -> u64 {
    rows_for(k, people, larger, error, |rows| rows as f64)
}

/// The greatest number from one that fits to another, where all below one that fits do, too.
pub(super) fn greatest(mut low: u64, mut high: u64, fits: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let mid = low + (high - low).div_ceil(2);
        if fits(mid) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    low
}

/// Refuses fewer people than rows.
pub(super) fn enough(people: u64, rows: u64, table: &str) -> Result<()> {
    if people >= rows {
        return Ok(());
    }
    Err(Fault::data(format!("the {table} has {rows} rows, more than the {people} people of the population"))
        .key("people")
        .help("give the number of people that it was drawn from, its own among them")
        .into())
}

impl PrivacyModel for JCounted {
    fn name(&self) -> String {
        self.claim.clone()
    }

    fn monotone(&self) -> bool {
        true
    }

    fn cascades(&self) -> bool {
        false
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        flag_fewer(self.needed, classes, flags);
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let least = fewest_people(classes, flags);
        Some(Verdict {
            required: self.k as f64,
            achieved: least.map(|rows| self.most(rows) as f64),
            holds: least.is_none_or(|rows| rows >= self.needed),
        })
    }

    fn predicted(&self, classes: &View<'_>, flags: &Flags) -> Option<PredictedFacts> {
        Some(PredictedFacts {
            k: self.k,
            people: self.people,
            confidence: self.confidence,
            from: Foresight::Population,
            rows: rows_below(self.k, classes, flags),
            edges: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// A larger table that is everybody counts people; one that is a part asks for fewer rows than people, and tells of more.
    #[test]
    fn larger_tables() {
        let counted = |people: Option<u64>, larger: u64| {
            let asked = JAnonymity { k: 10, people, confidence: Some(0.95), population: Some("p".into()) };
            JCounted::new("j".into(), &asked, larger)
        };
        let whole = counted(None, 500).unwrap();
        assert_eq!((whole.needed, whole.most(7), whole.most(500)), (10, 7, 500));
        let part = counted(Some(5000), 500).unwrap();
        assert!(part.needed < 10 && part.needed > 1);
        for rows in 1..40 {
            let most = part.most(rows);
            let chance = |k: u64| rows_of_a_person(k, 5000, 500, 1.0 - part.confidence);
            assert!(chance(most) <= rows && chance(most + 1) > rows, "{rows} rows, {most} people");
        }
        assert!(counted(Some(400), 500).is_err());
    }

    /// Classes of 4 people in larger tables of 60 of 2,000: of the rows there, from which a table is drawn, no more than the error pass for
    /// one of 5 people. Were classes asked about alike, twice as many would.
    #[test]
    fn rows_of_fewer_people_seldom_pass() {
        let (k, people, larger, error) = (5, 2000, 60, 0.05);
        let (of_a_person, of_a_class) =
            (rows_of_a_person(k, people, larger, error), rows_for(k, people, larger, error, |_| 1.0));
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let (mut rows, mut passed, mut would) = (0.0, 0.0, 0.0);
        for _ in 0..400 {
            let mut left: Vec<u64> = (0..people).map(|person| person / 4).collect();
            let mut counts = vec![0u64; 500];
            for _ in 0..larger {
                let at = (u64::from(random.next_u32()) * left.len() as u64) >> 32;
                counts[left.swap_remove(at as usize) as usize] += 1;
            }
            let of = |needed: u64| counts.iter().filter(|&&n| n >= needed).sum::<u64>() as f64;
            (rows, passed, would) = (rows + of(1), passed + of(of_a_person), would + of(of_a_class));
        }
        // 24,000 rows: the standard error of a share of 0.05 is 0.0014, or twice that for rows that come in pairs.
        assert!(passed / rows < error, "{}", passed / rows);
        assert!(would / rows > 1.5 * error, "{}", would / rows);
    }

    /// Every way to draw 4 of 10 people, of whom 3 are in the class: 105, 63 and 7 of 210 have 1, 2 and 3 of them. One of the three,
    /// who is drawn in 84, has 1, 2 and 3 rows in his class in 35, 42 and 7 of these.
    #[test]
    fn a_person_is_in_the_larger_table_sooner_with_others() {
        assert_eq!(rows_of_a_person(4, 10, 4, 7.0 / 84.0 + 1e-9), 3);
        assert_eq!(rows_of_a_person(4, 10, 4, 7.0 / 84.0 - 1e-9), 4);
        assert_eq!(rows_of_a_person(4, 10, 4, 49.0 / 84.0 + 1e-9), 2);
        assert_eq!(rows_of_a_person(4, 10, 4, 49.0 / 84.0 - 1e-9), 3);
        assert_eq!(rows_of_a_person(1, 10, 4, 0.05), 1);
        assert_eq!(rows_of_a_person(7, 10, 10, 0.05), 7);
    }
}
