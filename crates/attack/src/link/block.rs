//! Blocking: which pairs of rows are compared.
//!
//! A rule names one or two columns; it pairs a released tuple with the external tuples that its
//! cells cover there. A generalized cell pairs with every value that it covers; a cell that says
//! nothing pairs with nobody. Pairs of several rules are a union: a later rule leaves out what an
//! earlier one has. A released tuple that a rule pairs with more external tuples than the limit is
//! in a crowd, and the rule leaves it out. Costs a box in a tree per released tuple, rule and pass,
//! and the pairs.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::compare::{BITS, Cache, Comparer};
use super::model::Patterns;
use crate::cover::Runs;
use crate::groups::Groups;
use crate::sample::mixed;
use crate::tree::Tree;

/// Pairs that are compared at the most, about.
const BUDGET: f64 = 3e8;
/// External tuples beside a released tuple at the most.
const CROWD: u64 = 20_000;
/// Rules that choose the pairs at the most.
const RULES: usize = 5;
/// Pairs of a rule from which the model is estimated, about; and external tuples beside a released
/// one on average at the most, so that matches are not too rare among the pairs. Cheap rules, which
/// have more of them, come first.
const TRAINING: f64 = 1e7;
const DENSE: f64 = 50_000.0;
/// Released tuples from which the cost of a rule is estimated.
const SAMPLED: usize = 2000;
/// Columns that rules are made of at the most: those with the most values.
const COLUMNS: usize = 7;
/// Released tuples that a thread takes at once.
const CHUNK: usize = 1024;

/// Some columns on which pairs agree.
pub(crate) struct Rule {
    pub(crate) columns: Vec<usize>,
    tree: Tree,
    /// Number of a tuple of the tree → external tuple.
    ids: Vec<u32>,
    /// External tuples beside a released tuple on average, without crowds.
    average: f64,
    /// External tuples beside each of a sample of released tuples.
    sampled: Vec<u64>,
}

/// The tuples on both sides.
pub(crate) struct Sides<'a> {
    pub(crate) released: &'a Groups,
    pub(crate) external: &'a Groups,
    pub(crate) comparers: &'a [Comparer<'a>],
    /// Column → code of the missing external value.
    pub(crate) missing: Vec<Option<u32>>,
}

impl Sides<'_> {
    /// The cells of a released tuple in some columns; none where one of them says nothing.
    fn query(&self, released: usize, columns: &[usize]) -> Option<Vec<&Runs>> {
        let tuple = self.released.tuple(released);
        columns
            .iter()
            .map(|&column| {
                let covered = &self.comparers[column].covers[tuple[column] as usize];
                (!covered.anything && !covered.runs.is_empty()).then_some(&covered.runs)
            })
            .collect()
    }

    fn agree(&self, released: usize, external: usize, columns: &[usize]) -> bool {
        let (a, b) = (self.released.tuple(released), self.external.tuple(external));
        columns.iter().all(|&column| {
            let covered = &self.comparers[column].covers[a[column] as usize];
            !covered.anything && self.missing[column] != Some(b[column]) && covered.runs.has(b[column])
        })
    }

    /// The pattern of a pair.
    fn pattern(&self, released: usize, external: usize, caches: &mut [Cache]) -> u64 {
        let (a, b) = (self.released.tuple(released), self.external.tuple(external));
        let columns = self.comparers.iter().zip(caches).zip(a.iter().zip(b)).enumerate();
        columns.fold(0, |pattern, (at, ((comparer, cache), (&a, &b)))| {
            pattern | u64::from(comparer.level(a, b, cache)) << (BITS * at as u32)
        })
    }

    /// The tree of the external tuples whose values in some columns are known.
    fn rule(&self, columns: Vec<usize>) -> Rule {
        let known = |at: &u32| {
            let tuple = self.external.tuple(*at as usize);
            columns.iter().all(|&column| self.missing[column] != Some(tuple[column]))
        };
        let ids: Vec<u32> = (0..self.external.len() as u32).filter(known).collect();
        let width = columns.len();
        let flat: Vec<u32> = ids
            .iter()
            .flat_map(|&at| columns.iter().map(move |&column| self.external.tuple(at as usize)[column]))
            .collect();
        let tree = Tree::new(width, ids.len(), |at| &flat[at * width..][..width], |_| 1);
        let mut rule = Rule { columns, tree, ids, average: 0.0, sampled: Vec::new() };
        let step = self.released.len().div_ceil(SAMPLED).max(1);
        let sampled: Vec<usize> = (0..self.released.len()).step_by(step).collect();
        rule.sampled = sampled.par_iter().map(|&at| self.size(at, &rule)).collect();
        let all: u64 = rule.sampled.iter().sum();
        rule.average = all as f64 / sampled.len().max(1) as f64;
        rule
    }

    /// External tuples that a rule pairs a released tuple with.
    fn size(&self, released: usize, rule: &Rule) -> u64 {
        self.query(released, &rule.columns).map_or(0, |query| rule.tree.count(&query))
    }

    /// Calls `take` with the external tuples that some rules pair a released tuple with, each once.
    /// Returns whether a rule left a crowd out.
    fn each(&self, released: usize, rules: &[&Rule], crowd: u64, mut take: impl FnMut(usize)) -> bool {
        // A rule that leaves a crowd out has no pairs that later rules would repeat.
        let mut used: Vec<&Rule> = Vec::with_capacity(rules.len());
        let mut crowded = false;
        for rule in rules {
            let Some(query) = self.query(released, &rule.columns) else { continue };
            if rule.tree.count(&query) > crowd {
                crowded = true;
                continue;
            }
            rule.tree.each(&query, |id| {
                let external = rule.ids[id as usize] as usize;
                if !used.iter().any(|earlier| self.agree(released, external, &earlier.columns)) {
                    take(external);
                }
            });
            used.push(rule);
        }
        crowded
    }

    /// Counts the patterns of the pairs of some rules, in pairs of rows. `keep` chooses released
    /// tuples.
    pub(crate) fn patterns(
        &self,
        rules: &[&Rule],
        crowd: u64,
        keep: impl Fn(usize) -> bool + Sync,
    ) -> Patterns {
        let count = |start: usize| {
            let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
            let mut caches: Vec<Cache> = self.comparers.iter().map(|_| Cache::new()).collect();
            for released in (start..(start + CHUNK).min(self.released.len())).filter(|&at| keep(at)) {
                let rows = u64::from(self.released.count(released));
                self.each(released, rules, crowd, |external| {
                    let pattern = self.pattern(released, external, &mut caches);
                    *counts.entry(pattern).or_default() += rows * u64::from(self.external.count(external));
                });
            }
            counts
        };
        let starts: Vec<usize> = (0..self.released.len()).step_by(CHUNK).collect();
        let merge = |mut a: FxHashMap<u64, u64>, b: FxHashMap<u64, u64>| {
            b.into_iter().for_each(|(pattern, pairs)| *a.entry(pattern).or_default() += pairs);
            a
        };
        let all = starts.into_par_iter().map(count).reduce(FxHashMap::default, merge);
        let mut patterns: Patterns = all.into_iter().collect();
        patterns.sort_unstable();
        patterns
    }

    /// Calls `make` with every released tuple and its pairs: external tuple and pattern; returns
    /// what it makes, in order.
    pub(crate) fn scored<T: Send>(
        &self,
        rules: &[&Rule],
        crowd: u64,
        make: impl Fn(usize, &[(u32, u64)], bool) -> T + Sync,
    ) -> Vec<T> {
        let part = |start: usize| -> Vec<T> {
            let mut caches: Vec<Cache> = self.comparers.iter().map(|_| Cache::new()).collect();
            let mut pairs = Vec::new();
            let one = |released: usize| {
                pairs.clear();
                let crowded = self.each(released, rules, crowd, |external| {
                    pairs.push((external as u32, self.pattern(released, external, &mut caches)));
                });
                make(released, &pairs, crowded)
            };
            (start..(start + CHUNK).min(self.released.len())).map(one).collect()
        };
        let starts: Vec<usize> = (0..self.released.len()).step_by(CHUNK).collect();
        starts.into_par_iter().flat_map_iter(part).collect()
    }
}

/// The rules of a link.
pub(crate) struct Plan {
    rules: Vec<Rule>,
    /// Rules that choose the pairs, by number.
    pub(crate) compared: Vec<usize>,
    /// Rules that the model is estimated from, by number, with the share of released tuples.
    pub(crate) training: Vec<(usize, f64)>,
    /// The most external tuples beside a released tuple.
    pub(crate) crowd: u64,
}

impl Plan {
    pub(crate) fn rule(&self, at: usize) -> &Rule {
        &self.rules[at]
    }

    pub(crate) fn compared(&self) -> Vec<&Rule> {
        self.compared.iter().map(|&at| &self.rules[at]).collect()
    }

    /// Chooses rules by their cost.
    pub(crate) fn new(sides: &Sides<'_>, sizes: &[usize]) -> Self {
        let width = sizes.len();
        let mut columns: Vec<usize> = (0..width).collect();
        columns.sort_by_key(|&column| (std::cmp::Reverse(sizes[column]), column));
        columns.truncate(COLUMNS);
        columns.sort_unstable();
        let singles = columns.iter().map(|&a| vec![a]);
        let pairs =
            columns.iter().flat_map(|&a| columns.iter().filter(move |&&b| b > a).map(move |&b| vec![a, b]));
        let wanted: Vec<Vec<usize>> =
            if width <= 3 { singles.chain(pairs).collect() } else { pairs.collect() };
        let mut rules: Vec<Rule> = wanted.into_iter().map(|columns| sides.rule(columns)).collect();
        rules.retain(|rule| rule.average > 0.0);
        rules.sort_by(|a, b| a.average.total_cmp(&b.average).then_with(|| a.columns.cmp(&b.columns)));
        let released = sides.released.len() as f64;
        let training = training(&rules, width, released);
        let (compared, crowd) = affordable(&rules, released);
        Plan { rules, compared, training, crowd }
    }
}

/// Rules from which the model can be estimated: at least two columns are free, and matches are not
/// too rare. As few as estimate every column twice.
fn training(rules: &[Rule], width: usize, released: f64) -> Vec<(usize, f64)> {
    let mut times = vec![0; width];
    let mut chosen = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let free: Vec<usize> = (0..width).filter(|column| !rule.columns.contains(column)).collect();
        let useful = free.iter().any(|&column| times[column] < 2);
        if free.len() < 2 || rule.average > DENSE || !useful {
            continue;
        }
        free.iter().for_each(|&column| times[column] += 1);
        chosen.push((at, (TRAINING / (rule.average * released).max(1.0)).min(1.0)));
    }
    chosen
}

/// The cheapest rules within the budget, and the limit of a crowd.
fn affordable(rules: &[Rule], released: f64) -> (Vec<usize>, u64) {
    let cost = |rule: &Rule, crowd: u64| {
        let pairs: u64 = rule.sampled.iter().filter(|&&size| size <= crowd).sum();
        pairs as f64 / rule.sampled.len().max(1) as f64 * released
    };
    let mut crowd = CROWD;
    while crowd > 1 && rules.first().is_some_and(|rule| cost(rule, crowd) > BUDGET) {
        crowd /= 2;
    }
    let (mut chosen, mut spent) = (Vec::new(), 0.0);
    for (at, rule) in rules.iter().enumerate() {
        let cost = cost(rule, crowd);
        if chosen.is_empty() || (spent + cost <= BUDGET && chosen.len() < RULES) {
            chosen.push(at);
            spent += cost;
        }
    }
    (chosen, crowd)
}

/// Whether a released tuple is in a sample of a share of them.
pub(crate) fn sampled(at: usize, share: f64, seed: u64) -> bool {
    share >= 1.0 || (mixed(seed, at as u64) as f64) < share * u64::MAX as f64
}
