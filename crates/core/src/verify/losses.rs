//! The certificate's losses, computed again from their definitions.
//!
//! Plain sums over classes and values, in floating point, sharing nothing with the search. n rows, S of
//! them suppressed; column i at level t of h with D leaves. Sources: El Emam et al. (DM, DM*, entropy,
//! Prec), Samarati and Sweeney (distances, Prec), Iyengar (LM). A loss that is not in the list is left
//! unchecked. Costs one pass over the generalized classes per loss.

use std::collections::BTreeMap;

use super::classes::MISSING;
use super::levels::Chain;
use super::truth::Generalized;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong};
use crate::hierarchy::Hierarchy;
use crate::policy::{Aggregate, LossParameters, Policy};

/// By how much a stated loss may differ, of its size or of 1 where it is smaller: rounding, in another
/// order of adding.
const TOLERANCE: f64 = 1e-9;

/// What losses are computed from.
pub(super) struct Facts<'a> {
    pub(super) rows: u64,
    pub(super) suppressed: u64,
    /// Rows per released class; 0 is no class.
    pub(super) counts: &'a [u64],
    pub(super) chains: &'a [Chain<'a>],
    /// The original, where it is there.
    pub(super) source: Option<&'a Generalized>,
}

/// A loss that cannot be told, and why.
type Told = Result<f64, &'static str>;

const NO_DEFINITION: &str = "not checked: no second definition of this loss";

/// One finding per loss of the certificate.
pub(super) fn losses(
    stated: &BTreeMap<String, f64>,
    policy: &Policy,
    facts: &Facts<'_>,
) -> Vec<(String, Finding)> {
    let finding = |(key, &stated): (&String, &f64)| {
        let weight = |chain: &Chain<'_>| policy.columns[chain.name].weight.unwrap_or(1.0);
        let target = policy.search.loss.parameters();
        let found = if *key == target.name {
            // What the search lost least of: with the policy's parameters and weights.
            facts.loss(&target, &facts.chains.iter().map(weight).collect::<Vec<_>>())
        } else {
            let plain = LossParameters { name: key.clone(), aggregate: None, count_suppressed: None };
            facts.loss(&plain, &vec![1.0; facts.chains.len()])
        };
        (format!("loss: {key}"), judge(stated, found))
    };
    stated.iter().map(finding).collect()
}

fn judge(stated: f64, found: Told) -> Finding {
    let found = match found {
        Ok(found) => found,
        Err(why) => return Finding::unchecked(why),
    };
    let near =
        found == stated || (found - stated).abs() <= TOLERANCE * found.abs().max(stated.abs()).max(1.0);
    let mut wrong = Wrong::default();
    if !near {
        wrong.push(format!("{found}, the certificate says {stated}"));
    }
    Finding::of(&wrong, || format!("{found}, as certified"))
}

impl Facts<'_> {
    fn loss(&self, parameters: &LossParameters, weights: &[f64]) -> Told {
        let counted = parameters.count_suppressed;
        let how = parameters.aggregate;
        match (parameters.name.as_str(), counted, how) {
            ("height" | "absolute", None | Some(false), None) => {
                Ok(aggregate(Aggregate::Sum, &self.heights(|t, _| t)?, weights))
            }
            ("relative", None | Some(false), None) => {
                Ok(aggregate(Aggregate::Sum, &self.heights_known(|t, h| t / h)?, weights))
            }
            ("prec", _, None) => {
                let share = if counted == Some(true) { self.share_suppressed() } else { 0.0 };
                let parts = self.heights_known(|t, h| (1.0 - share) * t / h + share)?;
                Ok(aggregate(Aggregate::Mean, &parts, weights))
            }
            ("dm", None | Some(true), None) => Ok(self.discernibility()),
            ("dm*", None | Some(false), None) => Ok(squares(self.source()?)),
            ("aecs", None | Some(true), None) => {
                let classes = self.counts.iter().filter(|&&count| count > 0).count();
                Ok(self.rows as f64 / (classes + usize::from(self.suppressed > 0)).max(1) as f64)
            }
            ("ambiguity", None | Some(true), None) => self.ambiguity(),
            ("entropy", _, _) => {
                let parts = self.entropies(counted == Some(true))?;
                Ok(aggregate(how.unwrap_or(Aggregate::Sum), &parts, weights))
            }
            ("lm", _, _) => {
                let parts = self.leaf_shares(counted != Some(false))?;
                Ok(aggregate(how.unwrap_or(Aggregate::Mean), &parts, weights))
            }
            _ => Err(NO_DEFINITION),
        }
    }

    fn source(&self) -> Result<&Generalized, &'static str> {
        let source = self.source.ok_or(WITHOUT_ORIGINAL)?;
        if source.unknown().is_empty() {
            Ok(source)
        } else {
            Err("not checked: the original has values that their hierarchy does not know")
        }
    }

    fn share_suppressed(&self) -> f64 {
        self.mean(self.suppressed as f64)
    }

    /// Over all rows; nothing is lost of no rows.
    fn mean(&self, sum: f64) -> f64 {
        if self.rows == 0 { 0.0 } else { sum / self.rows as f64 }
    }

    /// Something of each column's level and, where it is known, its highest level.
    fn heights(&self, part: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>, &'static str> {
        let of = |chain: &Chain<'_>| {
            let height = chain.hierarchy.as_ref().map_or(f64::NAN, |h| h.height() as f64);
            chain.level.map(|level| part(level as f64, height))
        };
        self.chains.iter().map(of).collect::<Option<_>>().ok_or("not checked: a level is not given")
    }

    fn heights_known(&self, part: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>, &'static str> {
        if self.chains.iter().any(|chain| chain.hierarchy.is_none()) {
            return Err(WITHOUT_ORIGINAL);
        }
        self.heights(part)
    }

    /// DM: Σ over released classes |E|² + n·S.
    fn discernibility(&self) -> f64 {
        let squares: f64 = self.counts.iter().map(|&count| count as f64 * count as f64).sum();
        squares + self.rows as f64 * self.suppressed as f64
    }

    /// The mean over rows of the product of the leaves under the cells; a suppressed row may be anything.
    fn ambiguity(&self) -> Told {
        let source = self.source()?;
        let leaves = self.leaves()?;
        let everything: f64 = leaves.iter().map(|(_, all)| all).product();
        let mut sum = self.suppressed as f64 * everything;
        for class in 0..source.classes.len() {
            let tuple = source.classes.tuples.tuple(class);
            let product: f64 =
                tuple.iter().zip(&leaves).map(|(&cell, (under, _))| under[cell as usize]).product();
            sum += source.stay[class] as f64 * product;
        }
        Ok(self.mean(sum))
    }

    /// Per column: number of a generalized value → leaves under it; and all leaves.
    fn leaves(&self) -> Result<Vec<(Vec<f64>, f64)>, &'static str> {
        let of = |chain: &Chain<'_>| {
            let (hierarchy, level) = chain.at()?;
            Some((under(hierarchy, level), hierarchy.leaf_count() as f64))
        };
        self.chains
            .iter()
            .map(of)
            .collect::<Option<_>>()
            .ok_or("not checked: a level does not fit its hierarchy")
    }

    /// LM per column: (mean share of leaves − 1/D) / (1 − 1/D); where suppressed rows count, their share
    /// is 1.
    fn leaf_shares(&self, counted: bool) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source);
        let mut parts = Vec::new();
        for (column, (under, all)) in self.leaves()?.iter().enumerate() {
            let mut sum = 0.0;
            for (value, count) in self.values(source, column).iter().enumerate() {
                let out = if counted { hidden[column][value] } else { 0.0 };
                sum += (count - out) * under[value] / all + out;
            }
            let least = 1.0 / all;
            // A column of one leaf has nothing to lose.
            parts.push(if *all > 1.0 { (self.mean(sum) - least).max(0.0) / (1.0 - least) } else { 0.0 });
        }
        Ok(parts)
    }

    /// Non-uniform entropy per column: Σ over rows −log2(count of the value / count of the generalized
    /// value) over the whole table; counted: and the entropy of the suppressed rows' generalized values.
    fn entropies(&self, counted: bool) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source);
        let mut parts = Vec::new();
        for (column, (map, interner)) in source.maps.iter().zip(&source.interners).enumerate() {
            let general = self.values(source, column);
            let mut sum = 0.0;
            for (text, &value) in map.iter().enumerate() {
                let count = interner.count(text as u32) as f64;
                if count > 0.0 {
                    sum -= count * (count / general[value as usize]).log2();
                }
            }
            for &count in hidden[column].iter().filter(|&&count| counted && count > 0.0) {
                sum -= count * (count / self.suppressed as f64).log2();
            }
            parts.push(sum);
        }
        Ok(parts)
    }

    /// Number of a generalized value → its rows in the whole table.
    fn values(&self, source: &Generalized, column: usize) -> Vec<f64> {
        let mut rows = vec![0.0; width(&self.chains[column])];
        for (text, &value) in source.maps[column].iter().enumerate() {
            rows[value as usize] += source.interners[column].count(text as u32) as f64;
        }
        rows
    }

    /// Column → number of a generalized value → its suppressed rows.
    fn suppressed_values(&self, source: &Generalized) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = self.chains.iter().map(|chain| vec![0.0; width(chain)]).collect();
        for (tuple, tally) in source.suppressed() {
            for (column, &value) in rows.iter_mut().zip(tuple) {
                column[value as usize] += tally.rows as f64;
            }
        }
        rows
    }
}

/// One more than the highest number of a generalized value.
fn width(chain: &Chain<'_>) -> usize {
    chain.at().map_or(1, |(hierarchy, level)| hierarchy.size(level) + 1)
}

/// Number of a generalized value → leaves under it.
fn under(hierarchy: &Hierarchy, level: usize) -> Vec<f64> {
    let mut leaves = vec![1.0];
    leaves
        .extend((0..hierarchy.size(level) as u32).map(|code| f64::from(hierarchy.leaves_under(level, code))));
    if let Some(code) = hierarchy.missing_at(level) {
        leaves[MISSING as usize] = f64::from(hierarchy.leaves_under(level, code));
    }
    leaves
}

/// DM*: Σ over all classes |E|². Rows held back for a missing cell are in the class that they look like.
fn squares(source: &Generalized) -> f64 {
    let mut sum = 0.0;
    for class in 0..source.classes.len() {
        let twin = source.forced.tuples.get(source.classes.tuples.tuple(class));
        let held = twin.map_or(0, |twin| source.forced.tally(twin).rows);
        sum += ((source.classes.tally(class).rows + held) as f64).powi(2);
    }
    for class in 0..source.forced.len() {
        if source.classes.tuples.get(source.forced.tuples.tuple(class)).is_none() {
            sum += (source.forced.tally(class).rows as f64).powi(2);
        }
    }
    sum
}

/// Puts the columns' parts together, each multiplied by its weight.
fn aggregate(how: Aggregate, parts: &[f64], weights: &[f64]) -> f64 {
    let weighted = || parts.iter().zip(weights).map(|(part, weight)| part * weight);
    let m = parts.len().max(1) as f64;
    match how {
        Aggregate::Mean => weighted().sum::<f64>() / m,
        Aggregate::Sum => weighted().sum(),
        Aggregate::Max => weighted().fold(0.0, f64::max),
        Aggregate::Geometric => weighted().map(|part| (part + 1.0).powf(1.0 / m)).product::<f64>() - 1.0,
    }
}
