//! (c, k)-safety [Martin 2007]: independent implementation for the verifier, which enumerates the
//! adversary's choices of atoms.
//!
//! Within a class, every division of atoms among people is tried, one person after the other; over
//! classes, the worst atoms outside a class are combined by divide and conquer. Costs the
//! partitions of k + 1 per class, and k² per class and halving.

use super::super::sensitive::present;
use super::{Limit, Measure, Seen, judge_columns};
use throng_terms::policy::CkSafety;

judge_columns!(CkSafety);

impl Measure for CkSafety {
    fn limit(&self) -> Limit {
        Limit::WellUnder(self.c)
    }

    /// The probability that an adversary gives to somebody's value at worst.
    fn together(&self, classes: &[&[(u32, u64)]]) -> Option<Vec<f64>> {
        let atoms = self.knowledge + 1;
        let bags: Vec<Bag> = classes.iter().map(|values| Bag::new(values, atoms)).collect();
        let mut figures = vec![0.0; bags.len()];
        if !bags.is_empty() {
            alone(&bags, &vec![1.0; atoms + 1], &mut figures);
        }
        Some(figures)
    }

    /// A class by itself, which is the least that it reaches among others.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        self.together(&[class.values]).and_then(|figures| figures.first().copied()).unwrap_or(1.0)
    }
}

/// A class as a bag of values.
struct Bag {
    /// The share of the most frequent value.
    top: f64,
    /// Atoms → the least probability that all of them, or of fewer, are false.
    escapes: Vec<f64>,
}

impl Bag {
    fn new(values: &[(u32, u64)], atoms: usize) -> Self {
        let mut rows = present(values);
        rows.sort_unstable();
        rows.reverse();
        let all: u64 = rows.iter().sum();
        let escapes = (0..=atoms).map(|atoms| escape(&rows, all, atoms, atoms)).collect();
        Bag { top: rows.first().map_or(0.0, |top| *top as f64 / all as f64), escapes }
    }
}

/// The least probability that the remaining people of a class, none of them assigned a value yet,
/// avoid the remaining atoms, each at most `each` of the most frequent values. People with more
/// values to avoid come first and take a rarer value.
fn escape(rows: &[u64], people: u64, atoms: usize, each: usize) -> f64 {
    if atoms == 0 || people == 0 {
        return 1.0;
    }
    let all: u64 = rows.iter().sum();
    let dealt = all - people;
    let one = |values: usize| {
        let to_avoid: u64 = rows.iter().take(values).sum();
        let free = (all - to_avoid).saturating_sub(dealt) as f64 / people as f64;
        if free == 0.0 { 0.0 } else { free * escape(rows, people - 1, atoms - values, values) }
    };
    (1..=atoms.min(each)).map(one).fold(1.0, f64::min)
}

/// Figures of classes whose outsiders have these least probabilities.
fn alone(bags: &[Bag], outside: &[f64], figures: &mut [f64]) {
    if let [bag] = bags {
        let atoms = outside.len() - 1;
        let least = (1..=atoms).map(|own| bag.escapes[own] * outside[atoms - own]).fold(1.0, f64::min);
        figures[0] = if bag.top > 0.0 { bag.top / (bag.top + least) } else { 0.0 };
        return;
    }
    let (left, right) = bags.split_at(bags.len() / 2);
    let (of_left, of_right) = figures.split_at_mut(left.len());
    alone(left, &joined(outside, right), of_left);
    alone(right, &joined(outside, left), of_right);
}

/// The least probabilities with more classes to choose atoms from.
fn joined(outside: &[f64], bags: &[Bag]) -> Vec<f64> {
    bags.iter().fold(outside.to_vec(), |least, bag| {
        let best = |atoms: usize| {
            let shared = (0..=atoms).map(|own| bag.escapes[own] * least[atoms - own]);
            shared.fold(1.0, f64::min)
        };
        (0..least.len()).map(best).collect()
    })
}
