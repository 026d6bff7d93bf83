//! Models that judge a class by the values of one sensitive column, by their definitions, and
//! parameters to try. The verifier and the search are both tested against this file, which shares
//! nothing with either: values are compared as texts, row by row.

#![allow(dead_code, reason = "each of the two uses a part")]

use std::collections::{BTreeMap, BTreeSet};

use throng_terms::policy::{
    AlphaK, Distance, Diversity, KE, LDiversity, Likeness, ModelSpec, NTCloseness, TCloseness,
};

type Cell = Option<String>;

/// The whole table, as far as models know it.
pub struct Whole<'a> {
    /// The sensitive cells of all rows.
    pub cells: &'a [Cell],
    /// The labels of a value, from level 1 to below the top.
    pub labels: &'a dyn Fn(&str) -> Vec<String>,
    /// The policy's k.
    pub k: Option<u64>,
}

/// What figures are compared with.
#[derive(Debug, Clone, Copy)]
pub enum Need {
    Least(f64),
    Most(f64),
    Under(f64),
}

impl Need {
    pub fn number(self) -> f64 {
        match self {
            Need::Least(number) | Need::Most(number) | Need::Under(number) => number,
        }
    }

    /// Whether a figure is enough.
    pub fn met(self, figure: f64) -> bool {
        match self {
            Need::Least(number) => figure >= number - 1e-9,
            Need::Most(number) => figure <= number + 1e-9,
            Need::Under(number) => figure < number,
        }
    }

    /// The worse of two figures.
    pub fn worse(self, a: f64, b: f64) -> f64 {
        if matches!(self, Need::Least(_)) { a.min(b) } else { a.max(b) }
    }
}

/// Models to try, as policies write them: of one column, and, where an order has no place for a
/// missing cell, of another that always has a value.
pub fn models(column: &str, complete: &str) -> Vec<String> {
    let mut models = Vec::new();
    let mut add = |key: &str, parameters: String| {
        let column = if parameters.contains("\"ordered\"") { complete } else { column };
        models.push(format!("{{ {key} = {{ column = \"{column}\", {parameters} }} }}"));
    };
    for l in [1, 2, 3] {
        add("l_diversity", format!("l = {l}"));
        add("l_diversity", format!("kind = \"entropy\", l = {}", f64::from(l) * 0.9 + 0.1));
        add("l_diversity", format!("kind = \"entropy\", l = {l}"));
        add("p_sensitive", format!("p = {l}"));
        for c in [0.5, 1.0, 1.5, 2.0, 4.0] {
            add("l_diversity", format!("kind = \"recursive\", l = {l}, c = {c}"));
        }
    }
    for t in [0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8] {
        for distance in ["equal", "ordered", "hierarchical"] {
            add("t_closeness", format!("distance = \"{distance}\", t = {t}"));
            for n in [2, 4, 9] {
                add("n_t_closeness", format!("n = {n}, distance = \"{distance}\", t = {t}"));
            }
        }
    }
    for alpha in [0.1, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0] {
        add("alpha_k", format!("alpha = {alpha}"));
        add("alpha_k", format!("alpha = {alpha}, values = [\"0\", \"4\"]"));
    }
    for e in [1, 2, 3, 4] {
        add("k_e", format!("e = {e}"));
        add("k_e", format!("e = {e}, k = {}", 5 - e));
    }
    for limit in [0.1, 0.4, 0.7, 1.0, 1.1, 1.5, 1.9] {
        add("delta_disclosure", format!("delta = {limit}"));
        add("beta_likeness", format!("beta = {limit}"));
        add("beta_likeness", format!("beta = {limit}, kind = \"enhanced\""));
    }
    models
}

/// Whether a model has no place for a missing cell.
pub fn refuses_missing(asked: &ModelSpec) -> bool {
    matches!(
        asked,
        ModelSpec::TCloseness(TCloseness { distance: Distance::Ordered, .. })
            | ModelSpec::NTCloseness(NTCloseness { distance: Distance::Ordered, .. })
    )
}

/// What the rows of a class reach, and what they must; none for a model that does not judge a class
/// by its values alone.
pub fn reached(asked: &ModelSpec, class: &[Cell], whole: &Whole<'_>) -> Option<(f64, Need)> {
    let present: Vec<Cell> = class.iter().filter(|cell| cell.is_some()).cloned().collect();
    let values: BTreeSet<&Cell> = present.iter().collect();
    Some(match asked {
        ModelSpec::LDiversity(asked) => diversity(asked, &present),
        ModelSpec::TCloseness(asked) => (distance(asked, class, whole), Need::Most(asked.t)),
        ModelSpec::NTCloseness(asked) => {
            let supersets = [class, whole.cells].into_iter().filter(|rows| rows.len() as u64 >= asked.n);
            let far = |cells| distance(&asked.closeness(), class, &Whole { cells, ..*whole });
            (supersets.map(far).fold(f64::INFINITY, f64::min), Need::Most(asked.t))
        }
        ModelSpec::PSensitive(asked) => (values.len() as f64, Need::Least(asked.p as f64)),
        ModelSpec::AlphaK(AlphaK { alpha, values, .. }) => {
            (largest_share(&present, values.as_deref()), Need::Most(*alpha))
        }
        ModelSpec::MConfidentiality(asked) => {
            (largest_share(&present, asked.values.as_deref()), Need::Most(1.0 / asked.m))
        }
        ModelSpec::KE(KE { e, k, .. }) => {
            let numbers: Vec<f64> = values.iter().map(|cell| number(cell)).collect();
            let apart = numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a - b).abs()));
            let enough = numbers.len() as u64 >= k.or(whole.k).unwrap();
            (if enough { apart.fold(0.0, f64::max) } else { 0.0 }, Need::Least(*e))
        }
        ModelSpec::DeltaDisclosure(asked) => {
            let apart = shares(class, whole).into_iter().map(|(p, q)| (p / q).ln().abs());
            (apart.fold(0.0, f64::max), Need::Under(asked.delta))
        }
        ModelSpec::BetaLikeness(asked) => {
            let gains = shares(class, whole).into_iter().filter(|(p, q)| p > q).map(|(p, q)| {
                let limit = match asked.kind {
                    Likeness::Basic => asked.beta,
                    Likeness::Enhanced => asked.beta.min(-q.ln()),
                };
                (p - q) / q * asked.beta / limit
            });
            (gains.fold(0.0, f64::max), Need::Most(asked.beta))
        }
        _ => return None,
    })
}

/// The share of the rows that have a cell.
fn share(rows: &[Cell], cell: &Cell) -> f64 {
    rows.iter().filter(|other| *other == cell).count() as f64 / rows.len() as f64
}

/// The shares of every value of the table, a missing cell among them, in a class and in the table.
fn shares(class: &[Cell], whole: &Whole<'_>) -> Vec<(f64, f64)> {
    let values: BTreeSet<&Cell> = whole.cells.iter().collect();
    values.into_iter().map(|value| (share(class, value), share(whole.cells, value))).collect()
}

fn largest_share(present: &[Cell], named: Option<&[String]>) -> f64 {
    let counts = |cell: &&Cell| named.is_none_or(|named| named.iter().any(|n| Some(n) == cell.as_ref()));
    present.iter().filter(counts).map(|cell| share(present, cell)).fold(0.0, f64::max)
}

fn diversity(asked: &LDiversity, present: &[Cell]) -> (f64, Need) {
    let values: BTreeSet<&Cell> = present.iter().collect();
    match asked.kind {
        Diversity::Distinct => (values.len() as f64, Need::Least(asked.l)),
        Diversity::Entropy => {
            let product: f64 = values.iter().map(|v| share(present, v)).map(|p| p.powf(-p)).product();
            (if present.is_empty() { 0.0 } else { product }, Need::Least(asked.l))
        }
        Diversity::Recursive => {
            let rows = |value: &&Cell| present.iter().filter(|cell| cell == value).count();
            let mut rows: Vec<usize> = values.iter().map(rows).collect();
            rows.sort_unstable_by(|a, b| b.cmp(a));
            let tail: usize = rows.iter().skip(asked.l as usize - 1).sum();
            let most = rows.first().copied().unwrap_or(0);
            let figure = if tail > 0 { most as f64 / tail as f64 } else { f64::INFINITY };
            (figure, Need::Under(asked.c.unwrap()))
        }
    }
}

fn number(cell: &Cell) -> f64 {
    cell.as_ref().unwrap().parse().unwrap()
}

/// The least work that makes one distribution of the other.
fn distance(asked: &TCloseness, class: &[Cell], whole: &Whole<'_>) -> f64 {
    let values: BTreeSet<&Cell> = whole.cells.iter().collect();
    let mut values: Vec<&Cell> = values.into_iter().collect();
    let surplus = |values: &[&Cell]| -> Vec<f64> {
        values.iter().map(|value| share(class, value) - share(whole.cells, value)).collect()
    };
    match asked.distance {
        Distance::Equal => moved(&surplus(&values), &[1.0], |_, _| 1.0),
        Distance::Ordered => {
            values.sort_by(|a, b| number(a).total_cmp(&number(b)));
            // Sources and sinks from left to right are matched in order.
            let steps = (values.len().max(2) - 1) as f64;
            moved(&surplus(&values), &[f64::MAX], |a, b| a.abs_diff(b) as f64 / steps)
        }
        Distance::Hierarchical => {
            let labels: BTreeMap<&Cell, Vec<String>> = values
                .iter()
                .map(|cell| (*cell, cell.as_ref().map_or(Vec::new(), |text| (whole.labels)(text))))
                .collect();
            let height = labels.values().map(Vec::len).max().unwrap_or(0) + 1;
            // A missing cell joins the others at the top alone.
            let level = |a: usize, b: usize| {
                let common = labels[values[a]].iter().zip(&labels[values[b]]).position(|(a, b)| a == b);
                common.map_or(height, |at| at + 1)
            };
            let levels: Vec<f64> = (1..=height).map(|level| level as f64 / height as f64).collect();
            moved(&surplus(&values), &levels, |a, b| level(a, b) as f64 / height as f64)
        }
    }
}

/// What must be moved, times how far, when whatever is nearest is moved first; right where
/// distances are those of a tree, and on a line when taken from left to right.
fn moved(surplus: &[f64], nearest: &[f64], far: impl Fn(usize, usize) -> f64) -> f64 {
    let mut left = surplus.to_vec();
    let mut cost = 0.0;
    for &reach in nearest {
        for from in 0..left.len() {
            for to in 0..left.len() {
                let amount = left[from].min(-left[to]);
                if amount > 0.0 && far(from, to) <= reach {
                    left[from] -= amount;
                    left[to] += amount;
                    cost += amount * far(from, to);
                }
            }
        }
    }
    cost
}
