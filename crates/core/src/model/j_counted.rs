//! j-anonymity, counted [Katirai 2006, "Introducing the concept of j-anonymity"]: the table is part
//! of a population, so a class of fewer than k rows may be released if a larger table of the
//! population contains enough rows like it.
//!
//! The larger table contains this one and is a random sample of the population. Given that a person
//! is in it, a class of k − 1 people has t or more rows there with probability at most 1 −
//! confidence; a class of t rows there is safe. This is k-map's estimate with one correction: the
//! rows of this table are drawn from the larger one, more likely from large classes, so each number
//! of rows is weighted by itself. If the larger table is the whole population, t = k and the model
//! equals k-map. A class of k rows here has at least k there, and t is at most k. The confidence
//! holds for each class, not jointly.
//!
//! Monotone: merging adds rows, and suppressing rows changes nobody outside the table. Costs one
//! pass over the classes.

use super::k_map::{fewest_people, flag_fewer, rows_for};
use super::{ModelFacts, PrivacyModel, Verdict};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::fault;
use crate::policy::{JAnonymity, ModelKind};
use crate::release::{Foresight, PredictedFacts};

/// Released rows whose class has fewer than k rows.
pub(super) fn rows_below(k: u64, classes: &View<'_>, flags: &Flags) -> u64 {
    let released = (0..classes.len()).filter(|&class| !flags.has(class));
    released.map(|class| u64::from(classes.counts()[class])).filter(|&rows| rows < k).sum()
}

/// The least number of rows in a larger table that likely represents k people.
#[derive(Debug, Clone)]
pub struct JCounted {
    facts: ModelFacts,
    k: u64,
    people: u64,
    confidence: f64,
    /// Rows of the larger table.
    larger: u64,
    /// Rows that a class needs there.
    needed: u64,
}

impl JCounted {
    /// From a policy's parameters and the number of rows of the larger table.
    ///
    /// # Errors
    /// Fewer people than rows.
    pub fn new(claim: String, asked: &JAnonymity, larger: u64) -> Result<Self> {
        let (k, confidence) = (asked.k, asked.confidence());
        let people = asked.people.unwrap_or(larger);
        enough(people, larger, "larger table")?;
        Ok(JCounted {
            facts: ModelFacts::monotone(ModelKind::JAnonymity, claim),
            k,
            people,
            confidence,
            larger,
            needed: rows_of_a_person(k, people, larger, 1.0 - confidence),
        })
    }

    /// The largest number of people that a class with this many rows in the larger table is assumed
    /// to have.
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

    /// The people that it predicts of the released classes.
    fn predicted(&self, classes: &View<'_>, flags: &Flags) -> PredictedFacts {
        PredictedFacts {
            k: self.k,
            people: self.people,
            confidence: self.confidence,
            from: Foresight::Population,
            rows: rows_below(self.k, classes, flags),
            edges: Vec::new(),
        }
    }
}

/// The least rows that a class of k − 1 people, of whom a given one has a row, reaches with at most
/// the error.
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
    Err(fault!(
        Data,
        "population.smaller-than-table",
        "the {table} has {rows} rows, more than the {people} people of the population",
        table = table,
        rows = rows,
        people = people
    )
    .key("people")
    .help("give the number of people that it was drawn from, its own among them")
    .into())
}

impl PrivacyModel for JCounted {
    fn facts(&self) -> &ModelFacts {
        &self.facts
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
            predicted: Some(self.predicted(classes, flags)),
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// A larger table that is the whole population counts people; one that is a part requires fewer
    /// rows than people, and covers more.
    #[test]
    fn larger_tables() {
        let counted = |people: Option<u64>, larger: u64| {
            let asked = JAnonymity {
                k: 10,
                people,
                confidence: Some(0.95),
                population: Some("p".into()),
                parents: None,
            };
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

    /// Classes of 4 people in larger tables of 60 of 2,000: of the rows there, from which a table
    /// is drawn, at most the error share passes for a class of 5 people. If classes were drawn
    /// uniformly, twice as many would.
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
        // 24,000 rows: the standard error of a share of 0.05 is 0.0014, or twice that for rows that
        // come in pairs.
        assert!(passed / rows < error, "{}", passed / rows);
        assert!(would / rows > 1.5 * error, "{}", would / rows);
    }

    /// Every way to draw 4 of 10 people, of whom 3 are in the class: 105, 63 and 7 of 210 have 1, 2
    /// and 3 of them. One of the three, who is drawn in 84, has 1, 2 and 3 rows in his class in 35,
    /// 42 and 7 of these.
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
