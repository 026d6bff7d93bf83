//! Predicted people from their definitions: hypergeometric probabilities from counts of selections,
//! probabilities of classes from all possible rows, limits by summing the density.

use std::collections::BTreeMap;

use super::Row;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::network::{EdgeFacts, Entries, Fit, fit};
use throng_terms::policy::JAnonymity;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

/// In how many ways k of n can be chosen.
fn ways(n: u64, k: u64) -> f64 {
    if k > n { 0.0 } else { (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product() }
}

/// The number of people that this many rows of a larger table likely represent.
pub(super) fn counted(asked: &JAnonymity, rows: u64, larger: u64) -> u64 {
    let people = asked.people.unwrap_or(larger);
    let needed = |k: u64| {
        // One of the k − 1 is there, and so are j − 1 of the others.
        let chance = |j: u64| ways(k - 2, j - 1) * ways(people + 1 - k, larger - j);
        let tail = |t: u64| (t..k).filter(|&j| j <= larger).map(chance).sum::<f64>();
        (1..k).find(|&t| tail(t) <= (1.0 - asked.confidence()) * tail(1)).unwrap_or(k)
    };
    (1..=people).take_while(|&k| needed(k) <= rows).last().unwrap_or(0)
}

/// A level of a column.
type Field = (usize, usize);

/// A table as a network sees it.
pub(super) struct Seen {
    hierarchies: Vec<Hierarchy>,
    rows: Vec<Vec<Code>>,
    pub(super) edges: Vec<EdgeFacts>,
    /// Fields with their parents.
    families: BTreeMap<Field, Vec<Field>>,
}

impl Seen {
    pub(super) fn new(names: &[String], hierarchies: Vec<Hierarchy>, rows: &[Row], parents: usize) -> Self {
        let leaves = |row: &Row| {
            row.iter().zip(&hierarchies).map(|(cell, h)| h.leaf(cell.as_deref()).unwrap()).collect()
        };
        let rows: Vec<Vec<Code>> = rows.iter().map(leaves).collect();
        let codes = (0..names.len()).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
        let entries = Entries::new(codes, vec![1; rows.len()]).unwrap();
        let asked = Fit { parents, ..Fit::default() };
        let edges = fit(names, &hierarchies, &entries, asked, &Watch::none()).unwrap().facts().edges;
        let place = |name: &String| names.iter().position(|n| n == name).unwrap();
        let mut families: BTreeMap<Field, Vec<Field>> = BTreeMap::new();
        for edge in &edges {
            let family = families.entry((place(&edge.to), edge.to_level)).or_default();
            family.push((place(&edge.from), edge.from_level));
        }
        Seen { hierarchies, rows, edges, families }
    }

    /// Rows that have all of some labels.
    fn count(&self, labels: &[(Field, Code)]) -> f64 {
        let has = |row: &Vec<Code>, &((c, level), label): &(Field, Code)| {
            self.hierarchies[c].generalize(row[c], level) == label
        };
        self.rows.iter().filter(|row| labels.iter().all(|label| has(row, label))).count() as f64
    }

    /// The probability of a row of leaves.
    fn joint(&self, row: &[Code]) -> f64 {
        let label = |(c, level): Field| self.hierarchies[c].generalize(row[c], level);
        let field = |(c, level): Field| {
            let (h, up) = (&self.hierarchies[c], (c, level + 1));
            let mut siblings: Vec<Code> = (0..h.leaf_count() as Code)
                .filter(|&leaf| h.generalize(leaf, level + 1) == label(up))
                .map(|leaf| h.generalize(leaf, level))
                .collect();
            siblings.sort_unstable();
            siblings.dedup();
            let own = self.count(&[((c, level), label((c, level)))]) + 1.0 / siblings.len() as f64;
            let alone = own / (self.count(&[(up, label(up))]) + 1.0);
            let Some(parents) = self.families.get(&(c, level)) else { return alone };
            let known: Vec<(Field, Code)> = parents.iter().map(|&parent| (parent, label(parent))).collect();
            let with = |field: Field| self.count(&[&known[..], &[(field, label(field))]].concat());
            (with((c, level)) + alone) / (with(up) + 1.0)
        };
        let column =
            |c: usize| (0..self.hierarchies[c].height()).map(|level| field((c, level))).product::<f64>();
        (0..row.len()).map(column).product()
    }

    /// The people who are likely to look like a row at some levels.
    pub(super) fn people(&self, asked: &JAnonymity, row: usize, levels: &[usize]) -> u64 {
        let alike = |c: usize| -> Vec<Code> {
            let h = &self.hierarchies[c];
            let label = h.generalize(self.rows[row][c], levels[c]);
            (0..h.leaf_count() as Code).filter(|&leaf| h.generalize(leaf, levels[c]) == label).collect()
        };
        let mut possible = vec![Vec::new()];
        for c in 0..levels.len() {
            let longer = |start: &Vec<Code>| -> Vec<Vec<Code>> {
                alike(c).into_iter().map(|leaf| [start.clone(), vec![leaf]].concat()).collect()
            };
            possible = possible.iter().flat_map(longer).collect();
        }
        let inside = |other: &&Vec<Code>| possible.contains(other);
        let count = self.rows.iter().filter(inside).count() as u64;
        let p: f64 = possible.iter().map(|row| self.joint(row)).sum();
        let error = (1.0 - asked.confidence()) / 2.0;
        let others = asked.people.unwrap() - self.rows.len() as u64;
        let beside = p * self.rows.len() as f64 - 2.0;
        if beside <= 0.0 {
            return count;
        }
        let limit = lower_limit(beside, self.rows.len() as f64 - 1.0, error);
        // In logarithms, because the ways are too many for a number.
        let (mut ways, mut short, mut surely) = (0.0, 0.0, 0);
        while surely < others {
            let (j, rest) = (surely as f64, (others - surely) as f64);
            short += f64::exp(ways + j * limit.ln() + rest * (-limit).ln_1p());
            if short > error {
                break;
            }
            ways += (rest / (j + 1.0)).ln();
            surely += 1;
        }
        count + surely
    }
}

/// The share below which x of n and more have the chance of the error: the density t^(x−1)·(1 −
/// t)^(n−x) is added up, for x below 1 over u = t^x, in which it is bounded.
fn lower_limit(x: f64, n: f64, error: f64) -> f64 {
    let (power, others) = (x.max(1.0) - 1.0, (n - x).max(0.0));
    let root = x.min(1.0);
    let density = |u: f64| u.powf(power) * (1.0 - u.powf(1.0 / root)).max(0.0).powf(others);
    let all = integral(density, 1.0);
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..60 {
        let mid = (low + high) / 2.0;
        if integral(density, mid) < error * all { low = mid } else { high = mid }
    }
    high.powf(1.0 / root)
}

/// From 0 to an end, by points that crowd at both ends [Takahasi 1974].
fn integral(of: impl Fn(f64) -> f64, end: f64) -> f64 {
    let part = |i: i32| {
        let s = f64::from(i) / 32.0;
        let at = 1.0 / (1.0 + (-std::f64::consts::PI * s.sinh()).exp());
        of(end * at) * end * at * (1.0 - at) * std::f64::consts::PI * s.cosh() / 32.0
    };
    (-128..=128).map(part).sum()
}
