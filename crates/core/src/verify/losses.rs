//! The certificate's losses, computed again from their definitions.
//!
//! Plain sums over classes and values, in floating point, sharing nothing with the search. n rows, S of
//! them suppressed; column i at level t of h with D leaves; a trade-off multiplies what released rows cost
//! by g and what suppressed ones do by s. Sources: El Emam et al. (DM, DM*, entropy, Prec), Samarati and
//! Sweeney (distances, Prec), Iyengar (LM, CM), Gionis and Tassa (conditional entropy). A loss that is not in the list is left
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

/// What a trade-off multiplies the cost of released and of suppressed rows by.
#[derive(Clone, Copy)]
struct Factors {
    g: f64,
    s: f64,
}

impl Factors {
    fn of(tradeoff: Option<f64>) -> Self {
        match tradeoff {
            Some(tau) if tau < 0.5 => Factors { g: 1.0, s: 2.0 * tau },
            Some(tau) => Factors { g: 2.0 - 2.0 * tau, s: 1.0 },
            None => Factors { g: 1.0, s: 1.0 },
        }
    }
}

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
            facts.loss(&LossParameters::named(key), &vec![1.0; facts.chains.len()])
        };
        (format!("loss: {key}"), judge(stated, found))
    };
    stated.iter().map(finding).collect()
}

/// One finding per loss of which the certificate gives the columns' parts: defaults, no weights.
pub(super) fn by_column(
    stated: &BTreeMap<String, BTreeMap<String, f64>>,
    facts: &Facts<'_>,
) -> Vec<(String, Finding)> {
    let finding = |(key, stated): (&String, &BTreeMap<String, f64>)| {
        let found = match facts.parts(&LossParameters::named(key)) {
            Ok(parts) => judge_columns(stated, facts.chains, &parts),
            Err(why) => Finding::unchecked(why),
        };
        (format!("loss by column: {key}"), found)
    };
    stated.iter().map(finding).collect()
}

fn judge_columns(stated: &BTreeMap<String, f64>, chains: &[Chain<'_>], parts: &[f64]) -> Finding {
    let mut wrong = Wrong::default();
    for (chain, &found) in chains.iter().zip(parts) {
        match stated.get(chain.name) {
            Some(&stated) if near(found, stated) => {}
            Some(stated) => {
                wrong.push(format!("{found} in `{}`, the certificate says {stated}", chain.name));
            }
            None => wrong.push(format!("nothing is said of `{}`", chain.name)),
        }
    }
    for name in stated.keys().filter(|name| chains.iter().all(|chain| chain.name != **name)) {
        wrong.push(format!("`{name}` is no quasi-identifier"));
    }
    Finding::of(&wrong, || "as certified in every column".into())
}

fn near(found: f64, stated: f64) -> bool {
    found == stated || (found - stated).abs() <= TOLERANCE * found.abs().max(stated.abs()).max(1.0)
}

fn judge(stated: f64, found: Told) -> Finding {
    let found = match found {
        Ok(found) => found,
        Err(why) => return Finding::unchecked(why),
    };
    let mut wrong = Wrong::default();
    if !near(found, stated) {
        wrong.push(format!("{found}, the certificate says {stated}"));
    }
    Finding::of(&wrong, || format!("{found}, as certified"))
}

impl Facts<'_> {
    fn loss(&self, parameters: &LossParameters, weights: &[f64]) -> Told {
        let LossParameters { name, aggregate: how, count_suppressed: counted, tradeoff } = parameters;
        let factors = Factors::of(*tradeoff);
        match (name.as_str(), counted, how, tradeoff) {
            ("height" | "absolute", None | Some(false), None, None) => {
                Ok(aggregate(Aggregate::Sum, &self.heights(|t, _| t)?, weights))
            }
            ("relative", None | Some(false), None, None) => {
                Ok(aggregate(Aggregate::Sum, &self.heights_known(|t, h| t / h)?, weights))
            }
            ("dm", None | Some(true), None, _) => Ok(self.discernibility(factors)),
            ("dm*", None | Some(false), None, None) => Ok(squares(self.source()?)),
            ("aecs", None | Some(true), None, None) => {
                let classes = self.counts.iter().filter(|&&count| count > 0).count();
                Ok(self.rows as f64 / (classes + usize::from(self.suppressed > 0)).max(1) as f64)
            }
            ("ambiguity", None | Some(true), None, _) => self.ambiguity(factors),
            ("cm", None | Some(true), None, _) => self.classification(factors),
            ("prec", _, None, _) => Ok(aggregate(Aggregate::Mean, &self.parts(parameters)?, weights)),
            ("lm", ..) => Ok(aggregate(how.unwrap_or(Aggregate::Mean), &self.parts(parameters)?, weights)),
            ("entropy" | "conditional-entropy", ..) => {
                Ok(aggregate(how.unwrap_or(Aggregate::Sum), &self.parts(parameters)?, weights))
            }
            _ => Err(NO_DEFINITION),
        }
    }

    /// Column by column, for losses that are put together from columns.
    fn parts(&self, parameters: &LossParameters) -> Result<Vec<f64>, &'static str> {
        let counted = parameters.count_suppressed;
        let factors = Factors::of(parameters.tradeoff);
        match parameters.name.as_str() {
            "prec" => {
                let share = if counted == Some(true) { self.share_suppressed() } else { 0.0 };
                self.heights_known(|t, h| (1.0 - share) * factors.g * t / h + share * factors.s)
            }
            "entropy" => self.entropies(counted == Some(true), factors),
            "conditional-entropy" if counted != Some(false) => self.conditional_entropies(factors),
            "lm" => self.leaf_shares(counted != Some(false), factors),
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
    fn discernibility(&self, Factors { g, s }: Factors) -> f64 {
        let squares: f64 = self.counts.iter().map(|&count| count as f64 * count as f64).sum();
        g * squares + s * self.rows as f64 * self.suppressed as f64
    }

    /// The mean over rows of the product of the leaves under the cells; a suppressed row may be anything.
    fn ambiguity(&self, Factors { g, s }: Factors) -> Told {
        let source = self.source()?;
        let leaves = self.leaves()?;
        let everything: f64 = leaves.iter().map(|(_, all)| all).product();
        let mut sum = s * self.suppressed as f64 * everything;
        for class in 0..source.classes.len() {
            let tuple = source.classes.tuples.tuple(class);
            let product: f64 =
                tuple.iter().zip(&leaves).map(|(&cell, (under, _))| under[cell as usize]).product();
            sum += g * source.stay[class] as f64 * product;
        }
        Ok(self.mean(sum))
    }

    /// CM: the share of rows that are suppressed or do not have the majority label of their class; the mean over
    /// targets.
    fn classification(&self, Factors { g, s }: Factors) -> Told {
        let minorities = &self.source()?.minorities;
        if minorities.is_empty() {
            return Err("not checked: no column is a target");
        }
        let minority: u64 = minorities.iter().sum();
        Ok(self.mean(g * minority as f64 / minorities.len() as f64 + s * self.suppressed as f64))
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

    /// LM per column: the mean over rows of (leaves under the cell − 1) / (D − 1); where suppressed rows count,
    /// each counts 1.
    fn leaf_shares(&self, counted: bool, Factors { g, s }: Factors) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source);
        let mut parts = Vec::new();
        for (column, (under, all)) in self.leaves()?.iter().enumerate() {
            let mut sum = 0.0;
            for (value, count) in self.values(source, column).iter().enumerate() {
                let out = if counted { hidden[column][value] } else { 0.0 };
                sum += g * (count - out) * (under[value] - 1.0) + s * out * (all - 1.0);
            }
            // A column of one leaf has nothing to lose.
            parts.push(if *all > 1.0 { self.mean(sum) / (all - 1.0) } else { 0.0 });
        }
        Ok(parts)
    }

    /// Non-uniform entropy per column: Σ over rows −log2(count of the value / count of the generalized
    /// value) over the whole table; counted: and the entropy of the suppressed rows' generalized values.
    fn entropies(&self, counted: bool, Factors { g, s }: Factors) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source);
        let mut parts = Vec::new();
        for (column, (map, interner)) in source.maps.iter().zip(&source.interners).enumerate() {
            let general = self.values(source, column);
            let mut sum = 0.0;
            for (text, &value) in map.iter().enumerate() {
                let count = interner.count(text as u32) as f64;
                if count > 0.0 {
                    sum -= g * count * (count / general[value as usize]).log2();
                }
            }
            for &count in hidden[column].iter().filter(|&&count| counted && count > 0.0) {
                sum -= s * count * (count / self.suppressed as f64).log2();
            }
            parts.push(sum);
        }
        Ok(parts)
    }

    /// Conditional entropy per column: Σ over released rows of the entropy of the texts under their value,
    /// counted in the whole table, and the entropy of all texts for each suppressed row.
    fn conditional_entropies(&self, Factors { g, s }: Factors) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source);
        let mut parts = Vec::new();
        for (column, (map, interner)) in source.maps.iter().zip(&source.interners).enumerate() {
            let general = self.values(source, column);
            let mut bits = vec![0.0; general.len()];
            let mut all = 0.0;
            for (text, &value) in map.iter().enumerate() {
                let count = interner.count(text as u32) as f64;
                if count > 0.0 {
                    let (under, of) = (count / general[value as usize], count / self.rows as f64);
                    bits[value as usize] -= under * under.log2();
                    all -= of * of.log2();
                }
            }
            let kept = general.iter().zip(&hidden[column]).map(|(count, out)| count - out);
            let released: f64 = kept.zip(&bits).map(|(rows, bits)| rows * bits).sum();
            parts.push(g * released + s * self.suppressed as f64 * all);
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
