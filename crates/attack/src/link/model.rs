//! The model of Fellegi and Sunter, estimated without known matches [Fellegi 1969; Jaro 1989].
//!
//! A pair of rows has a pattern: one level of agreement per column. m is the probability of a level
//! among pairs of the same person, u among pairs of different people; columns are independent given
//! that. The weight of a level is log2(m/u). u follows from random pairs, which are nearly all of
//! different people; m is found by expectation maximization over the counts of patterns, as Splink
//! does [Linacre 2022]. A column whose agreement chose the pairs (blocking) is not estimated from
//! them. Costs patterns × iterations.

use serde::Serialize;

use super::compare::{BITS, LEVELS, SAME, UNKNOWN, level_of};

/// Iterations at the most, and the change that ends them.
const ITERATIONS: usize = 1000;
const CHANGE: f64 = 1e-7;
/// No probability is below this one: a level that was not seen is not impossible.
const LEAST: f64 = 1e-9;

/// Patterns with their numbers of pairs, sorted.
pub(crate) type Patterns = Vec<(u64, u64)>;

/// m and u of every column and level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Weights {
    /// Column → level → probability among pairs of the same person.
    pub m: Vec<[f64; LEVELS]>,
    /// Column → level → probability among pairs of different people.
    pub u: Vec<[f64; LEVELS]>,
    /// Column → whether m was estimated; otherwise it is assumed that 90 of 100 matches agree.
    pub estimated: Vec<bool>,
}

impl Weights {
    /// Weights with u from random pairs, and m to start with.
    pub(crate) fn new(u: Vec<[f64; LEVELS]>) -> Self {
        let u: Vec<[f64; LEVELS]> = u.into_iter().map(known).collect();
        let m = u.iter().map(start).collect();
        Weights { m, estimated: vec![false; u.len()], u }
    }

    /// How much more probable a pattern is among pairs of the same person.
    pub(crate) fn ratio(&self, pattern: u64) -> f64 {
        (0..self.m.len()).map(|column| self.bayes(column, level_of(pattern, column))).product()
    }

    /// m/u of a level.
    pub(crate) fn bayes(&self, column: usize, level: u8) -> f64 {
        match level {
            UNKNOWN => 1.0,
            level => self.m[column][level as usize] / self.u[column][level as usize],
        }
    }

    /// The weight of a level in bits.
    pub fn bits(&self, column: usize, level: u8) -> f64 {
        self.bayes(column, level).log2()
    }
}

/// Probabilities of levels, of the pairs that are not unknown.
fn known(shares: [f64; LEVELS]) -> [f64; LEVELS] {
    let all: f64 = shares[1..].iter().sum();
    let mut known = shares.map(|share| if all > 0.0 { (share / all).max(LEAST) } else { LEAST });
    known[UNKNOWN as usize] = 0.0;
    known
}

/// m before anything is estimated: nine of ten matches agree, in the levels that occur.
fn start(u: &[f64; LEVELS]) -> [f64; LEVELS] {
    let mut m = [LEAST; LEVELS];
    m[UNKNOWN as usize] = 0.0;
    let occurs = |level: &usize| u[*level] > LEAST || *level == SAME as usize;
    let agreeing: Vec<usize> = (2..LEVELS).filter(occurs).collect();
    // Better agreement is more probable: 1, 10, 100, … shares.
    let shares: f64 = (0..agreeing.len()).map(|at| 10f64.powi(at as i32)).sum();
    for (at, &level) in agreeing.iter().enumerate() {
        m[level] = 0.9 * 10f64.powi(at as i32) / shares;
    }
    m[1] = 0.1;
    m
}

/// What a run of expectation maximization found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session {
    /// Column → m; none of columns that chose the pairs.
    pub(crate) m: Vec<Option<[f64; LEVELS]>>,
    /// Share of matches among the pairs.
    pub(crate) share: f64,
    /// Pairs.
    pub(crate) pairs: u64,
}

/// Estimates m of the columns that did not choose the pairs. `matches` is a first guess of the
/// number of matches among them: from a share that is far off, rare matches would take very long to
/// appear. There are at most `most`, because a row has one match: without this limit, pairs that
/// agree in part by chance would be taken for matches where they are far more frequent.
pub(crate) fn estimate(
    weights: &Weights,
    patterns: &Patterns,
    blocked: &[usize],
    (matches, most): (f64, f64),
) -> Session {
    let width = weights.m.len();
    let free: Vec<usize> = (0..width).filter(|column| !blocked.contains(column)).collect();
    // Patterns of the free columns alone.
    let mut merged = Patterns::new();
    let mask: u64 = free.iter().map(|&column| 7 << (BITS * column as u32)).sum();
    let mut masked: Vec<(u64, u64)> =
        patterns.iter().map(|&(pattern, count)| (pattern & mask, count)).collect();
    masked.sort_unstable();
    for (pattern, count) in masked {
        match merged.last_mut() {
            Some(last) if last.0 == pattern => last.1 += count,
            _ => merged.push((pattern, count)),
        }
    }
    let pairs: u64 = merged.iter().map(|pattern| pattern.1).sum();
    let mut current = weights.clone();
    let mut share = (matches / pairs.max(1) as f64).clamp(1e-9, 0.5);
    for _ in 0..ITERATIONS {
        let (next, matches) = step(&current, &merged, &free, share);
        let changed = (0..width)
            .flat_map(|column| (1..LEVELS).map(move |level| (column, level)))
            .map(|(column, level)| (next[column][level] - current.m[column][level]).abs())
            .fold(0.0, f64::max);
        current.m = next;
        let next = (matches.min(most) / pairs.max(1) as f64).clamp(1e-12, 1.0 - 1e-9);
        let before = std::mem::replace(&mut share, next);
        if changed < CHANGE && (share - before).abs() < CHANGE {
            break;
        }
    }
    let m = (0..width).map(|column| free.contains(&column).then(|| current.m[column])).collect();
    Session { m, share, pairs }
}

/// One step: m given the probability of each pattern to be a match, and the expected matches.
fn step(weights: &Weights, patterns: &Patterns, free: &[usize], share: f64) -> (Vec<[f64; LEVELS]>, f64) {
    let mut sums = vec![[0.0; LEVELS]; weights.m.len()];
    let mut matches = 0.0;
    let odds = share / (1.0 - share);
    for &(pattern, count) in patterns {
        let ratio: f64 = free.iter().map(|&c| weights.bayes(c, level_of(pattern, c))).product();
        let matched = count as f64 * (odds * ratio) / (1.0 + odds * ratio);
        matches += matched;
        free.iter().for_each(|&c| sums[c][level_of(pattern, c) as usize] += matched);
    }
    let m = sums.iter().enumerate().map(|(column, sums)| {
        let all: f64 = sums[1..].iter().sum();
        if !free.contains(&column) || all <= 0.0 {
            return weights.m[column];
        }
        let mut m = sums.map(|sum| (sum / all).max(LEAST));
        m[UNKNOWN as usize] = 0.0;
        m
    });
    (m.collect(), matches)
}

/// Puts sessions together: m of a column is the mean over the sessions that estimated it, weighted
/// by their expected matches.
pub(crate) fn combine(weights: &mut Weights, sessions: &[Session]) {
    for column in 0..weights.m.len() {
        let of = |session: &Session| Some((session.m[column]?, session.share * session.pairs as f64));
        let found: Vec<([f64; LEVELS], f64)> = sessions.iter().filter_map(of).collect();
        let all: f64 = found.iter().map(|found| found.1).sum();
        if all <= 0.0 {
            continue;
        }
        let mut m = [0.0; LEVELS];
        for (of_session, matches) in &found {
            m.iter_mut().zip(of_session).for_each(|(m, x)| *m += x * matches / all);
        }
        weights.m[column] = m;
        weights.estimated[column] = true;
    }
}

/// The probability that a random pair of rows is a match, given the patterns of all pairs that can
/// be one; `pairs` is the number of all pairs of rows, `most` the most matches that there can be.
pub(crate) fn prior(weights: &Weights, patterns: &Patterns, pairs: f64, most: f64) -> f64 {
    let ratios: Vec<(f64, f64)> =
        patterns.iter().map(|&(pattern, count)| (weights.ratio(pattern), count as f64)).collect();
    let mut prior = (most / pairs).clamp(1e-15, 0.5);
    for _ in 0..ITERATIONS {
        let odds = prior / (1.0 - prior);
        let matches: f64 =
            ratios.iter().map(|(ratio, count)| count * odds * ratio / (1.0 + odds * ratio)).sum();
        let next = (matches.min(most) / pairs).clamp(1e-15, 0.5);
        let change = (next - prior).abs() / prior;
        prior = next;
        if change < CHANGE {
            break;
        }
    }
    prior
}

#[cfg(test)]
mod tests {
    use super::super::compare::DIFFERENT;
    use super::*;

    /// A pattern of levels.
    fn pattern(levels: &[u8]) -> u64 {
        levels.iter().enumerate().map(|(at, &level)| u64::from(level) << (BITS * at as u32)).sum()
    }

    fn shares(same: f64) -> [f64; LEVELS] {
        let mut shares = [0.0; LEVELS];
        (shares[DIFFERENT as usize], shares[SAME as usize]) = (1.0 - same, same);
        shares
    }

    /// Expected counts of a known model give the model back.
    #[test]
    fn a_known_model_is_found_again() {
        let (m, u, share, pairs) = ([0.95, 0.9, 0.8], [0.01, 0.05, 0.5], 0.2, 1e6);
        let mut patterns = Patterns::new();
        for bits in 0..8u64 {
            let agree = |at: usize| bits >> at & 1 == 1;
            let of =
                |p: &[f64; 3]| (0..3).map(|at| if agree(at) { p[at] } else { 1.0 - p[at] }).product::<f64>();
            let count = pairs * (share * of(&m) + (1.0 - share) * of(&u));
            let levels: Vec<u8> = (0..3).map(|at| if agree(at) { SAME } else { DIFFERENT }).collect();
            patterns.push((pattern(&levels), count.round() as u64));
        }
        patterns.sort_unstable();
        let weights = Weights::new(u.iter().map(|&u| shares(u)).collect());
        let session = estimate(&weights, &patterns, &[], (0.1 * pairs, pairs));
        assert!((session.share - share).abs() < 0.002, "{}", session.share);
        for (at, &m) in m.iter().enumerate() {
            let found = session.m[at].unwrap()[SAME as usize];
            assert!((found - m).abs() < 0.005, "{found} is not {m}");
        }
        // A column that chose the pairs is not estimated.
        assert_eq!(estimate(&weights, &patterns, &[1], (0.1 * pairs, pairs)).m[1], None);
        let mut weights = weights;
        combine(&mut weights, &[session]);
        let prior = prior(&weights, &patterns, pairs, pairs);
        assert!((prior - share).abs() < 0.005, "{prior}");
    }

    #[test]
    fn what_is_unknown_has_no_weight() {
        let weights = Weights::new(vec![shares(0.1), shares(0.5)]);
        assert_eq!(weights.ratio(pattern(&[UNKNOWN, UNKNOWN])), 1.0);
        assert!(weights.ratio(pattern(&[SAME, UNKNOWN])) > 1.0);
        assert!(weights.ratio(pattern(&[DIFFERENT, UNKNOWN])) < 1.0);
        assert!((weights.bits(0, SAME) - (0.9f64 / 0.1).log2()).abs() < 1e-9);
    }
}
