//! One-to-one assignment of released rows to external rows.
//!
//! The odds of a pair are prior odds × the ratio of its pattern. A released row belongs to at most
//! one external row, so the probability of a pair is its odds over those of all pairs of the row
//! and of belonging to nobody; the same holds for the external row, and the lower one counts. A
//! pair whose probability reaches the threshold on both sides becomes a link. Its rows are then
//! taken, which raises the probabilities of others, so the same is done again until nothing
//! changes. With a threshold from 0.5, no row can have two links, and the result does not depend on
//! any order. Costs the kept pairs per round.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use super::block::{Plan, Sides};
use super::model::{Patterns, Weights};
use crate::groups::Groups;

/// Pairs that are kept at the most.
const KEPT: u64 = 40_000_000;
/// Pairs of lower odds are not kept, as long as there are few enough.
const FLOOR: f64 = 1e-3;
/// The least probability that a row belongs to nobody of the other table.
const NOBODY: f64 = 0.01;
/// Ranges of probability in which guesses are counted.
pub(super) const TENTHS: usize = 10;
/// Rounds at the most.
const ROUNDS: usize = 50;

/// A link between a released and an external tuple of one row each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Linked {
    pub(super) released: u32,
    pub(super) external: u32,
    pub(super) pattern: u64,
    pub(super) probability: f64,
}

/// What was assigned.
pub(super) struct Assignment {
    pub(super) links: Vec<Linked>,
    /// Sum over released rows of the probability of their best guess, and its variance.
    pub(super) expected: f64,
    pub(super) variance: f64,
    /// Tenth of the probability of the best guess → released rows.
    pub(super) certainty: [u64; TENTHS],
    /// Released rows that were left out of all rules as crowds.
    pub(super) crowded: u64,
}

/// What is kept of a released tuple.
struct Row {
    /// External tuples with patterns whose odds are above the floor.
    kept: Vec<(u32, u64)>,
    /// The odds of all its pairs.
    odds: f64,
    best: f64,
    crowded: bool,
}

/// Assigns rows, given the patterns of all pairs and the prior.
pub(super) fn assign(
    sides: &Sides<'_>,
    plan: &Plan,
    weights: &Weights,
    (patterns, prior): (&Patterns, f64),
    threshold: f64,
    watch: &Watch,
) -> Result<Assignment> {
    let odds: Vec<f64> =
        patterns.iter().map(|&(pattern, _)| prior / (1.0 - prior) * weights.ratio(pattern)).collect();
    let of = |pattern: u64| patterns.binary_search_by_key(&pattern, |p| p.0).map_or(0.0, |at| odds[at]);
    let floor = floor(patterns, &odds);
    let rows: Vec<Row> = sides.scored(&plan.compared(), plan.crowd, |_, pairs, crowded| {
        let mut row = Row { kept: Vec::new(), odds: 0.0, best: 0.0, crowded: crowded && pairs.is_empty() };
        for &(external, pattern) in pairs {
            let odds = of(pattern);
            row.odds += odds * f64::from(sides.external.count(external as usize));
            row.best = row.best.max(odds);
            if odds >= floor {
                row.kept.push((external, pattern));
            }
        }
        row
    });
    watch.check()?;
    let mut of_external = vec![0.0; sides.external.len()];
    for (at, row) in rows.iter().enumerate() {
        let count = f64::from(sides.released.count(at));
        row.kept
            .iter()
            .for_each(|&(external, pattern)| of_external[external as usize] += count * of(pattern));
    }
    let alone = Alone::new(sides, prior);
    let mut assignment = guesses(sides, &rows, &of_external, (&of, &alone));
    let mut of_released: Vec<f64> = rows.iter().map(|row| row.odds).collect();
    let mut taken = vec![false; sides.external.len()];
    let mut open: Vec<usize> = (0..rows.len()).filter(|&at| sides.released.count(at) == 1).collect();
    for _ in 0..ROUNDS {
        watch.check()?;
        let mut found = Vec::new();
        for &at in &open {
            let link = rows[at].kept.iter().find_map(|&(external, pattern)| {
                let (odds, e) = (of(pattern), external as usize);
                let probability = alone.probability(odds, of_released[at], of_external[e]);
                let single = !taken[e] && sides.external.count(e) == 1;
                (single && probability >= threshold).then_some((external, pattern, probability))
            });
            if let Some((external, pattern, probability)) = link {
                found.push(Linked { released: at as u32, external, pattern, probability });
            }
        }
        if found.is_empty() {
            break;
        }
        take(&found, &rows, (&mut of_released, &mut of_external), &mut taken, &of);
        open.retain(|&at| found.binary_search_by_key(&(at as u32), |link| link.released).is_err());
        assignment.links.extend(found);
    }
    Ok(assignment)
}

/// The probability that neither row of a pair belongs to anybody of the other table. Where every
/// released row belongs to somebody, it is small, and a row with one candidate belongs to them.
struct Alone(f64);

impl Alone {
    /// By the expected number of matches.
    fn new(sides: &Sides<'_>, prior: f64) -> Self {
        let of = |others: &Groups| (1.0 - prior * others.order().len() as f64).max(NOBODY);
        Alone(of(sides.external) * of(sides.released))
    }

    /// The probability of a pair, given the odds of all pairs of either of its rows: an external
    /// row belongs to one released row at the most, and the other way round.
    fn probability(&self, odds: f64, of_released: f64, of_external: f64) -> f64 {
        if odds > 0.0 { odds / (self.0 + of_released.max(of_external).max(odds)) } else { 0.0 }
    }
}

/// Takes the rows of links out of the odds of all others.
fn take(
    found: &[Linked],
    rows: &[Row],
    (of_released, of_external): (&mut [f64], &mut [f64]),
    taken: &mut [bool],
    of: &impl Fn(u64) -> f64,
) {
    let mut now = vec![false; taken.len()];
    for link in found {
        now[link.external as usize] = true;
        taken[link.external as usize] = true;
        for &(external, pattern) in &rows[link.released as usize].kept {
            let left = &mut of_external[external as usize];
            *left = (*left - of(pattern)).max(0.0);
        }
    }
    for (left, row) in of_released.iter_mut().zip(rows) {
        let gone = row.kept.iter().filter(|pair| now[pair.0 as usize]);
        *left = gone.fold(*left, |left, pair| (left - of(pair.1)).max(0.0));
    }
}

/// The best guess for every released row: it is right with the lower of the probabilities of both
/// sides, because an external row is right at most once.
fn guesses(
    sides: &Sides<'_>,
    rows: &[Row],
    of_external: &[f64],
    (of, alone): (&impl Fn(u64) -> f64, &Alone),
) -> Assignment {
    let mut all =
        Assignment { links: Vec::new(), expected: 0.0, variance: 0.0, certainty: [0; TENTHS], crowded: 0 };
    for (at, row) in rows.iter().enumerate() {
        let count = sides.released.count(at);
        let of_pair = |&(external, pattern): &(u32, u64)| {
            alone.probability(of(pattern), row.odds, of_external[external as usize])
        };
        let best = match row.kept.is_empty() {
            true => alone.probability(row.best, row.odds, 0.0),
            false => row.kept.iter().map(of_pair).fold(0.0, f64::max),
        };
        all.expected += f64::from(count) * best;
        all.variance += f64::from(count) * best * (1.0 - best);
        all.certainty[((TENTHS as f64 * best) as usize).min(TENTHS - 1)] += u64::from(count);
        all.crowded += if row.crowded { u64::from(count) } else { 0 };
    }
    all
}

/// The least odds of a pair that is kept: the list has room for a limited number.
fn floor(patterns: &Patterns, odds: &[f64]) -> f64 {
    let mut order: Vec<(f64, u64)> =
        patterns.iter().zip(odds).map(|(pattern, &odds)| (odds, pattern.1)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut kept = 0;
    for (odds, pairs) in order {
        kept += pairs;
        if kept > KEPT {
            return odds.max(FLOOR) * (1.0 + 1e-9);
        }
    }
    FLOOR
}
