//! k-map [Sweeney 2001; Samarati 1998]: every released class has at least k people in the
//! population that the table was drawn from, whether or not they are in the table.
//!
//! Weaker than k-anonymity over the same columns, because everybody in the table is in the
//! population: a single row may be released if enough other people match it. It protects against an
//! adversary who knows the population but not who is in the table. Monotone: merging classes adds
//! their people, and suppressing rows does not change the population. Where rows are released in
//! regions, people are those who match the cells, counted in `recode/people.rs`. Costs one pass over
//! the classes.
//!
//! **Estimated**, if only the size of the population is known [El Emam 2008, hypothesis testing]:
//! the table is assumed to be a random sample of the population. The number of rows of a class of k
//! − 1 people is hypergeometric. Given that it has any, let r be the least number that it reaches
//! or exceeds with probability at most the significance level. A class of r rows is then assumed to
//! have k people; a class of even fewer people reaches r less often. r is at most k, and equals k
//! if the table is the population. The significance applies per class, not jointly: among many
//! classes of k − 1 people that share may be wrong. Costs one pass over the possible numbers of
//! rows.

use super::{Build, MinRows, ModelFacts, PrivacyModel, Scope, Setting, Verdict, enough_people};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::policy::{KMap as Asked, ModelKind, People};

/// At least k people per class.
#[derive(Debug, Clone)]
pub struct KMap {
    facts: ModelFacts,
    k: u64,
}

impl KMap {
    /// Of at least k people.
    pub fn new(claim: String, k: u64) -> Self {
        KMap { facts: ModelFacts::monotone(ModelKind::KMap, claim), k }
    }
}

/// The people of a class; nobody where no population is known, so that nothing is safe then.
pub(super) fn people(classes: &View<'_>, class: usize) -> u64 {
    classes.people().map_or(0, |people| u64::from(people[class]))
}

/// Flags the classes of fewer people than needed.
pub(super) fn flag_fewer(needed: u64, classes: &View<'_>, flags: &mut Flags) {
    for class in (0..classes.len()).filter(|&class| people(classes, class) < needed) {
        flags.flag(class, classes.counts()[class]);
    }
}

/// The people of the released class that has fewest.
pub(super) fn fewest_people(classes: &View<'_>, flags: &Flags) -> Option<u64> {
    let released = (0..classes.len()).filter(|&class| !flags.has(class));
    released.map(|class| people(classes, class)).min()
}

impl PrivacyModel for KMap {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        flag_fewer(self.k, classes, flags);
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        Some(Verdict::at_least(self.k, fewest_people(classes, flags)))
    }

    fn scope(&self) -> Scope<'_> {
        Scope::People(self.k)
    }
}

/// At least k of `people` people, for a table of `rows` rows: the least number of rows per class
/// that likely represents k people.
pub(super) fn estimated(claim: String, k: u64, people: u64, rows: u64, significance: f64) -> MinRows {
    MinRows::new(ModelKind::KMap, claim, rows_for(k, people, rows, significance, |_| 1.0))
}

/// A probability that is above a limit by no more than this part of it is at the limit: half of a
/// population has ties that rounding would decide.
const TIE: f64 = 1e-9;

/// The least rows that a class of k − 1 people reaches, once it has any, with at most the given
/// probability. Numbers of rows count by a weight, where a class is looked at the sooner the more
/// rows it has.
pub(super) fn rows_for(k: u64, people: u64, rows: u64, significance: f64, weigh: impl Fn(u64) -> f64) -> u64 {
    let few = k.saturating_sub(1);
    let most = few.min(rows);
    let least = (rows + few).saturating_sub(people);
    // ln of P(j + 1) ÷ P(j) of the hypergeometric distribution.
    let step = |j: u64| {
        let up = (few - j) as f64 * (rows - j) as f64;
        (up / ((j + 1) as f64 * (people + j + 1 - few - rows) as f64)).ln()
    };
    let mut weight = 0.0;
    let mut greatest = 0.0f64;
    for j in least..most {
        weight += step(j);
        greatest = greatest.max(weight);
    }
    let (mut seen, mut at) = (0.0, 0.0);
    for j in least..=most {
        seen += if j > 0 { weigh(j) * f64::exp(at - greatest) } else { 0.0 };
        at += if j < most { step(j) } else { 0.0 };
    }
    let (mut tail, mut needed) = (0.0, most + 1);
    for j in (least.max(1)..=most).rev() {
        tail += weigh(j) * (weight - greatest).exp();
        if tail > significance * (1.0 + TIE) * seen {
            break;
        }
        needed = j;
        weight -= if j > least { step(j - 1) } else { 0.0 };
    }
    needed.max(1)
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        let People::Number(people) = self.population else {
            return Ok(Box::new(KMap::new(claim, self.k)));
        };
        enough_people(people, setting.rows)?;
        Ok(Box::new(estimated(claim, self.k, people, setting.rows, self.significance())))
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn rows_for(k: u64, people: u64, rows: u64, significance: f64) -> u64 {
        super::rows_for(k, people, rows, significance, |_| 1.0)
    }

    /// Every way to draw 4 of 10 people, of whom 3 are in the class, by hand: 35, 105, 63 and 7 of
    /// 210 have 0, 1, 2 and 3.
    #[test]
    fn counted_by_hand() {
        assert_eq!(rows_for(4, 10, 4, 7.0 / 175.0 + 1e-9), 3);
        assert_eq!(rows_for(4, 10, 4, 7.0 / 175.0 - 1e-9), 4, "not even all three are certain enough");
        assert_eq!(rows_for(4, 10, 4, 70.0 / 175.0 + 1e-9), 2);
        assert_eq!(rows_for(4, 10, 4, 0.999), 2, "one row is always seen");
        assert_eq!(rows_for(5, 100, 100, 0.05), 5, "the table is the population");
        assert_eq!(rows_for(1, 100, 10, 0.05), 1, "one person is behind every row");
        assert_eq!(
            rows_for(5, 1_000_000_000, 10, 0.05),
            2,
            "two of four in so large a population are improbable"
        );
    }

    /// Of the draws of 150 of 300 people that have any of 93, those with 47 of them or more are ½ +
    /// 3·10⁻³⁸.
    #[test]
    fn a_tie_is_within_the_limit() {
        assert_eq!(rows_for(94, 300, 150, 0.5), 47);
        assert_eq!(rows_for(94, 300, 150, 0.5 - 1e-6), 48);
    }

    /// More certainty, or a larger part of the population, never needs fewer rows.
    #[test]
    fn it_rises_with_the_sample_and_with_certainty() {
        let needed: Vec<u64> = (1..=10).map(|tenth| rows_for(20, 1000, tenth * 100, 0.05)).collect();
        assert!(needed.windows(2).all(|pair| pair[0] <= pair[1]), "{needed:?}");
        assert!(needed[0] > 1 && needed[0] < 20 && needed[9] == 20, "{needed:?}");
        let needed: Vec<u64> = [0.2, 0.1, 0.01, 1e-6].map(|s| rows_for(20, 1000, 200, s)).into();
        assert!(needed.windows(2).all(|pair| pair[0] <= pair[1]), "{needed:?}");
    }

    /// Classes of 9 people in samples of one in five: of those seen at all, no more than the
    /// significance pass for 10.
    #[test]
    fn classes_of_fewer_people_seldom_pass() {
        let (k, people, rows, significance) = (10, 900, 180, 0.05);
        let needed = rows_for(k, people, rows, significance) as usize;
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let (mut seen, mut passed, mut almost) = (0.0, 0.0, 0.0);
        for _ in 0..200 {
            let mut all: Vec<usize> = (0..people as usize).map(|person| person / 9).collect();
            let mut counts = vec![0usize; 100];
            for left in (people as usize - rows as usize..people as usize).rev() {
                let at = (u64::from(random.next_u32()) * (left as u64 + 1)) >> 32;
                counts[all.swap_remove(at as usize)] += 1;
            }
            seen += counts.iter().filter(|&&n| n > 0).count() as f64;
            passed += counts.iter().filter(|&&n| n >= needed).count() as f64;
            almost += counts.iter().filter(|&&n| n + 1 >= needed).count() as f64;
        }
        // 17,000 classes: the standard error of a share of 0.05 is 0.0017.
        assert!(passed / seen < significance + 0.008, "{}", passed / seen);
        assert!(almost / seen > significance, "{}: one row fewer would not do", almost / seen);
    }
}
