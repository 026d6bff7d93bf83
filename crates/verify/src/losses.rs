//! The certificate's losses, recomputed from their definitions.
//!
//! Plain floating-point sums over classes and values, independent of the search. Notation: n rows,
//! S of them suppressed; column i at level t of h with D leaves; a trade-off multiplies the cost of
//! released rows by g and that of suppressed rows by s. With several steps, every cell has the
//! level of the step that released its row, a suppressed row that of the first; heights are those
//! of the first step. Sources: [El Emam 2009] (DM, DM*, entropy, Prec), [Samarati 1998] (distances,
//! Prec), [Iyengar 2002] (LM, CM), [Gionis 2007] (conditional entropy), [Katirai 2006] (Vinterbo's
//! measure, mutual information of columns and values). A loss that is not in the list is not
//! checked. Costs one pass over the generalized classes per loss.

use std::collections::BTreeMap;

use super::classes::{Interner, MISSING, Tuples};
use super::levels::{Chain, number};
use super::region_losses::RegionFacts;
use super::source::{ByLevel, Generalized, Layer};
use super::told::Tells;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong};
use throng_terms::hierarchy::Hierarchy;
use throng_terms::policy::{Aggregate, LossParameters, Policy};
use throng_terms::registry::LossKind;

/// By how much a stated loss may differ, of its size or of 1 where it is smaller: rounding, in
/// another order of adding.
const TOLERANCE: f64 = 1e-9;

/// The input of losses.
pub(super) struct Facts<'a> {
    pub(super) rows: u64,
    pub(super) suppressed: u64,
    /// Rows per released class; 0 means that there is no class.
    pub(super) counts: &'a [u64],
    pub(super) chains: &'a [Chain<'a>],
    /// The original, where it is there.
    pub(super) source: Option<&'a Generalized>,
    /// The original and its regions, where rows were put into such.
    pub(super) regions: Option<RegionFacts<'a>>,
}

/// A loss, or why it cannot be computed.
type Told = Result<f64, &'static str>;

/// What a trade-off multiplies the cost of released and of suppressed rows by.
#[derive(Clone, Copy)]
pub(super) struct Factors {
    pub(super) g: f64,
    pub(super) s: f64,
}

impl Factors {
    pub(super) fn of(tradeoff: Option<f64>) -> Self {
        match tradeoff {
            Some(tau) if tau < 0.5 => Factors { g: 1.0, s: 2.0 * tau },
            Some(tau) => Factors { g: 2.0 - 2.0 * tau, s: 1.0 },
            None => Factors { g: 1.0, s: 1.0 },
        }
    }
}

const UNFIT: &str = "not checked: a level does not fit its hierarchy";
pub(super) const UNTOLD: &str = "not checked: it is not known what the columns tell of a target";
pub(super) const NO_DEFINITION: &str = "not checked: no second definition of this loss";

/// One finding per loss of the certificate.
pub(super) fn losses(
    stated: &BTreeMap<String, f64>,
    policy: &Policy,
    facts: &Facts<'_>,
) -> Vec<(String, Finding)> {
    let finding = |(key, &stated): (&String, &f64)| {
        let weight = |chain: &Chain<'_>| policy.weight(chain.name);
        let target = policy.search.loss.parameters();
        let found = match LossKind::from_key(key) {
            // What the search lost least of: with the policy's parameters and weights.
            Some(kind) if kind == target.kind => {
                facts.loss(&target, &facts.chains.iter().map(weight).collect::<Vec<_>>())
            }
            Some(kind) => facts.loss(&LossParameters::new(kind), &vec![1.0; facts.chains.len()]),
            None => Err(NO_DEFINITION),
        };
        (format!("loss: {key}"), judge(stated, found))
    };
    stated.iter().map(finding).collect()
}

/// One finding per loss for which the certificate lists the columns' parts: defaults, no weights.
pub(super) fn by_column(
    stated: &BTreeMap<String, BTreeMap<String, f64>>,
    facts: &Facts<'_>,
) -> Vec<(String, Finding)> {
    let finding = |(key, stated): (&String, &BTreeMap<String, f64>)| {
        let parts = match LossKind::from_key(key) {
            Some(kind) => facts.parts(&LossParameters::new(kind)),
            None => Err(NO_DEFINITION),
        };
        let found = match parts {
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

/// Whether a loss is defined with these parameters.
fn defined(parameters: &LossParameters) -> bool {
    let LossParameters { kind, aggregate, count_suppressed, tradeoff } = *parameters;
    match kind {
        LossKind::Height | LossKind::Absolute | LossKind::Relative | LossKind::DmStar => {
            aggregate.is_none() && tradeoff.is_none() && count_suppressed != Some(true)
        }
        LossKind::Aecs => aggregate.is_none() && tradeoff.is_none() && count_suppressed != Some(false),
        LossKind::Dm | LossKind::Ambiguity | LossKind::Cm => {
            aggregate.is_none() && count_suppressed != Some(false)
        }
        LossKind::Prec | LossKind::Vinterbo | LossKind::ColumnMi => aggregate.is_none(),
        LossKind::ValueMi => aggregate.is_none() && tradeoff.is_none(),
        LossKind::Lm | LossKind::Entropy | LossKind::ConditionalEntropy => true,
    }
}

impl Facts<'_> {
    fn loss(&self, parameters: &LossParameters, weights: &[f64]) -> Told {
        if let Some(regions) = &self.regions {
            return regions.loss(parameters, weights);
        }
        if !defined(parameters) {
            return Err(NO_DEFINITION);
        }
        let factors = Factors::of(parameters.tradeoff);
        let columns = |default: Aggregate| {
            let how = parameters.aggregate.unwrap_or(default);
            Ok(aggregate(how, &self.parts(parameters)?, weights))
        };
        match parameters.kind {
            LossKind::Height | LossKind::Absolute => {
                Ok(aggregate(Aggregate::Sum, &self.heights(|t, _| t)?, weights))
            }
            LossKind::Relative => Ok(aggregate(Aggregate::Sum, &self.heights_known(|t, h| t / h)?, weights)),
            LossKind::Dm => Ok(self.discernibility(factors)),
            LossKind::DmStar => Ok(self.squares(self.source()?)),
            LossKind::Aecs => {
                let classes = self.counts.iter().filter(|&&count| count > 0).count();
                Ok(self.rows as f64 / (classes + usize::from(self.suppressed > 0)).max(1) as f64)
            }
            LossKind::Ambiguity => self.ambiguity(factors),
            LossKind::Cm => self.classification(factors),
            LossKind::Prec | LossKind::Lm => columns(Aggregate::Mean),
            LossKind::Vinterbo
            | LossKind::ColumnMi
            | LossKind::ValueMi
            | LossKind::Entropy
            | LossKind::ConditionalEntropy => columns(Aggregate::Sum),
        }
    }

    /// Column by column, for losses that are put together from columns.
    fn parts(&self, parameters: &LossParameters) -> Result<Vec<f64>, &'static str> {
        if let Some(regions) = &self.regions {
            return regions.parts(parameters);
        }
        let counted = parameters.count_suppressed;
        let factors = Factors::of(parameters.tradeoff);
        match parameters.kind {
            LossKind::Prec | LossKind::Vinterbo => self.precisions(counted == Some(true), factors),
            LossKind::ColumnMi => {
                let levels = self.precisions(counted == Some(true), factors)?;
                Ok(self.told()?.iter().zip(levels).map(|(told, level)| told.mutual * level).collect())
            }
            LossKind::ValueMi => self.untold(counted == Some(true)),
            LossKind::Entropy => self.entropies(counted == Some(true), factors),
            LossKind::ConditionalEntropy => match counted {
                Some(false) => Err(NO_DEFINITION),
                _ => self.conditional_entropies(factors),
            },
            LossKind::Lm => self.leaf_shares(counted != Some(false), factors),
            LossKind::Height
            | LossKind::Absolute
            | LossKind::Relative
            | LossKind::Dm
            | LossKind::DmStar
            | LossKind::Ambiguity
            | LossKind::Aecs
            | LossKind::Cm => Err(NO_DEFINITION),
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
            chain.first().map(|level| part(level as f64, height))
        };
        self.chains.iter().map(of).collect::<Option<_>>().ok_or("not checked: a level is not given")
    }

    fn heights_known(&self, part: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>, &'static str> {
        if self.chains.iter().any(|chain| chain.hierarchy.is_none()) {
            return Err(WITHOUT_ORIGINAL);
        }
        self.heights(part)
    }

    /// Prec per column: the mean over rows of level / highest level; where suppressed rows count,
    /// theirs is 1.
    fn precisions(&self, counted: bool, Factors { g, s }: Factors) -> Result<Vec<f64>, &'static str> {
        let share = if counted { self.share_suppressed() } else { 0.0 };
        let first = self.heights_known(|t, h| t / h)?;
        if self.chains.iter().all(|chain| chain.levels.len() == 1) {
            return Ok(first.iter().map(|part| (1.0 - share) * g * part + share * s).collect());
        }
        let source = self.source()?;
        let heights = self.heights_known(|_, h| h)?;
        let part = |(column, &height): (usize, &f64)| {
            let levels = source.texts[column].iter();
            let rows = |texts: &Vec<u64>| texts.iter().map(|&n| n as f64).sum::<f64>();
            let sum: f64 = levels.map(|(&level, texts)| rows(texts) * level as f64 / height).sum();
            g * self.mean(sum) + share * (s - g * first[column])
        };
        Ok(heights.iter().enumerate().map(part).collect())
    }

    /// DM: Σ over released classes |E|² + n·S.
    fn discernibility(&self, Factors { g, s }: Factors) -> f64 {
        let squares: f64 = self.counts.iter().map(|&count| count as f64 * count as f64).sum();
        g * squares + s * self.rows as f64 * self.suppressed as f64
    }

    /// The mean over rows of the product of the leaves under the cells; a suppressed row may be
    /// anything.
    fn ambiguity(&self, Factors { g, s }: Factors) -> Told {
        let source = self.source()?;
        let everything: f64 = self.all_leaves()?.iter().product();
        let mut sum = s * self.suppressed as f64 * everything;
        for layer in &source.layers {
            let leaves = self.leaves(layer)?;
            for (tuple, rows) in layer.kept() {
                let product: f64 =
                    tuple.iter().zip(&leaves).map(|(&cell, under)| under[cell as usize]).product();
                sum += g * rows as f64 * product;
            }
        }
        Ok(self.mean(sum))
    }

    /// CM: the share of rows that are suppressed or do not have the majority label of their class;
    /// the mean over targets.
    fn classification(&self, Factors { g, s }: Factors) -> Told {
        let minorities = &self.source()?.minorities;
        if minorities.is_empty() {
            return Err("not checked: no column is a target");
        }
        let minority: u64 = minorities.iter().sum();
        Ok(self.mean(g * minority as f64 / minorities.len() as f64 + s * self.suppressed as f64))
    }

    fn hierarchy(&self, column: usize) -> Result<&Hierarchy, &'static str> {
        self.chains[column].hierarchy.as_ref().ok_or(WITHOUT_ORIGINAL)
    }

    /// Per column all leaves.
    fn all_leaves(&self) -> Result<Vec<f64>, &'static str> {
        (0..self.chains.len()).map(|column| Ok(self.hierarchy(column)?.leaf_count() as f64)).collect()
    }

    /// Per column, at the levels of a step: number of a generalized value → leaves under it.
    fn leaves(&self, layer: &Layer) -> Result<Vec<Vec<f64>>, &'static str> {
        let levels = layer.levels.iter().enumerate();
        levels.map(|(column, &level)| Ok(under(self.hierarchy(column)?, level))).collect()
    }

    /// LM per column: the mean over rows of (leaves under the cell − 1) / (D − 1); where suppressed
    /// rows count, each counts 1.
    fn leaf_shares(&self, counted: bool, Factors { g, s }: Factors) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source)?;
        let mut parts = Vec::new();
        for (column, all) in self.all_leaves()?.into_iter().enumerate() {
            let mut sum = 0.0;
            for (&level, texts) in &source.texts[column] {
                let beyond = |value: usize, under: &[f64]| under[value] - 1.0;
                let under = under(self.hierarchy(column)?, level);
                let map = source.maps[column].get(&level).ok_or(UNFIT)?;
                let cells = texts.iter().zip(map).map(|(&n, &v)| n as f64 * beyond(v as usize, &under));
                sum += g * cells.sum::<f64>();
                // Suppressed rows were counted at the first level.
                if counted && self.chains[column].first() == Some(level) {
                    let out = hidden[column].iter().enumerate();
                    sum += out.map(|(v, n)| n * (s * (all - 1.0) - g * beyond(v, &under))).sum::<f64>();
                }
            }
            // A column of one leaf has nothing to lose.
            parts.push(if all > 1.0 { self.mean(sum) / (all - 1.0) } else { 0.0 });
        }
        Ok(parts)
    }

    /// Non-uniform entropy per column: Σ over rows −log2(count of the value / count of the
    /// generalized value) over the whole table; counted: and the entropy of the suppressed rows'
    /// generalized values.
    fn entropies(&self, counted: bool, Factors { g, s }: Factors) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source)?;
        let mut parts = Vec::new();
        for (column, interner) in source.interners.iter().enumerate() {
            let mut sum = 0.0;
            for (&level, texts) in &source.texts[column] {
                let map = source.maps[column].get(&level).ok_or(UNFIT)?;
                let general = self.values(map, interner, column, level)?;
                for (text, (&rows, &value)) in texts.iter().zip(map).enumerate().filter(|(_, t)| *t.0 > 0) {
                    let count = interner.count(text as u32) as f64;
                    sum -= g * rows as f64 * (count / general[value as usize]).log2();
                }
            }
            for &count in hidden[column].iter().filter(|&&count| counted && count > 0.0) {
                sum -= s * count * (count / self.suppressed as f64).log2();
            }
            parts.push(sum);
        }
        Ok(parts)
    }

    /// Conditional entropy per column: Σ over released rows of the entropy of the texts under their
    /// value, counted in the whole table, and the entropy of all texts for each suppressed row.
    fn conditional_entropies(&self, Factors { g, s }: Factors) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source)?;
        let mut parts = Vec::new();
        for (column, interner) in source.interners.iter().enumerate() {
            let mut released = 0.0;
            for (&level, texts) in &source.texts[column] {
                let map = source.maps[column].get(&level).ok_or(UNFIT)?;
                let bits = self.bits(map, interner, column, level)?;
                let mut kept = vec![0.0; bits.len()];
                texts.iter().zip(map).for_each(|(&rows, &value)| kept[value as usize] += rows as f64);
                // Suppressed rows were counted at the first level.
                if self.chains[column].first() == Some(level) {
                    kept.iter_mut().zip(&hidden[column]).for_each(|(kept, out)| *kept -= out);
                }
                released += kept.iter().zip(&bits).map(|(rows, bits)| rows * bits).sum::<f64>();
            }
            let shares = (0..interner.len() as u32).map(|text| self.mean(interner.count(text) as f64));
            let all: f64 = shares.filter(|&of| of > 0.0).map(|of| -of * of.log2()).sum();
            parts.push(g * released + s * self.suppressed as f64 * all);
        }
        Ok(parts)
    }

    fn told(&self) -> Result<&[Tells], &'static str> {
        self.source()?.told.as_deref().ok_or(UNTOLD)
    }

    /// Per column, the mean over rows of the information lost about the targets by generalizing the
    /// text; counted: a suppressed row carries no information.
    fn untold(&self, counted: bool) -> Result<Vec<f64>, &'static str> {
        let source = self.source()?;
        let hidden = self.suppressed_values(source)?;
        let mut parts = Vec::new();
        for (column, told) in self.told()?.iter().enumerate() {
            let hierarchy = self.hierarchy(column)?;
            let mut sum = 0.0;
            for (&level, texts) in &source.texts[column] {
                for (text, &rows) in texts.iter().enumerate().filter(|(_, rows)| **rows > 0) {
                    let leaf = hierarchy.leaf(source.interners[column].value(text as u32)).ok_or(UNFIT)?;
                    let now = told.value(level, hierarchy.generalize(leaf, level));
                    sum += rows as f64 * (told.value(0, leaf) - now);
                }
                // Suppressed rows were counted at the first level, and their information there is
                // lost, too.
                if counted && self.chains[column].first() == Some(level) {
                    let code = |code: usize| number(hierarchy, level, code as u32) as usize;
                    let values = (0..hierarchy.size(level))
                        .map(|at| hidden[column][code(at)] * told.value(level, at as u32));
                    sum += values.sum::<f64>();
                }
            }
            parts.push(self.mean(sum));
        }
        Ok(parts)
    }

    /// Number of a generalized value → entropy of the texts under it in the whole table.
    fn bits(
        &self,
        map: &[u32],
        interner: &Interner,
        column: usize,
        level: usize,
    ) -> Result<Vec<f64>, &'static str> {
        let general = self.values(map, interner, column, level)?;
        let mut bits = vec![0.0; general.len()];
        for (text, &value) in map.iter().enumerate() {
            let under = interner.count(text as u32) as f64 / general[value as usize];
            bits[value as usize] -= if under > 0.0 { under * under.log2() } else { 0.0 };
        }
        Ok(bits)
    }

    /// Number of a generalized value → its rows in the whole table.
    fn values(
        &self,
        map: &[u32],
        interner: &Interner,
        column: usize,
        level: usize,
    ) -> Result<Vec<f64>, &'static str> {
        let mut rows = vec![0.0; self.hierarchy(column)?.size(level) + 1];
        for (text, &value) in map.iter().enumerate() {
            rows[value as usize] += interner.count(text as u32) as f64;
        }
        Ok(rows)
    }

    /// Column → number of a generalized value of the first level → its suppressed rows.
    fn suppressed_values(&self, source: &Generalized) -> Result<Vec<Vec<f64>>, &'static str> {
        let width = |chain: &Chain<'_>| chain.at(0).map(|(h, level)| h.size(level) + 1);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for chain in self.chains {
            rows.push(vec![0.0; width(chain).ok_or(UNFIT)?]);
        }
        for class in 0..source.held.len() {
            let held = source.held.tally(class).rows as f64;
            for (column, &value) in rows.iter_mut().zip(source.held.tuples.tuple(class)) {
                column[value as usize] += held;
            }
        }
        Ok(rows)
    }

    /// DM*: Σ over all classes |E|², distinguished by labels; suppressed rows are in their class at
    /// the first step.
    fn squares(&self, source: &Generalized) -> f64 {
        let held =
            (0..source.held.len()).map(|at| (source.held.tuples.tuple(at), source.held.tally(at).rows));
        if let [only] = source.layers.as_slice() {
            // Labels of one level are all different, and a class is suppressed as a whole.
            return only.kept().chain(held).map(|(_, rows)| (rows as f64).powi(2)).sum();
        }
        let mut looks = Tuples::new(self.chains.len());
        let mut sums: Vec<f64> = Vec::new();
        let mut add = |levels: &[usize], (tuple, rows): (&[u32], u64)| {
            let cells = tuple.iter().zip(levels).zip(&source.looks);
            let number = |((&cell, level), labels): ((&u32, &usize), &ByLevel<Vec<u32>>)| {
                labels.get(level).map_or(MISSING, |labels| labels[cell as usize])
            };
            let look: Vec<u32> = cells.map(number).collect();
            let at = looks.intern(&look);
            if at == sums.len() {
                sums.push(0.0);
            }
            sums[at] += rows as f64;
        };
        for layer in &source.layers {
            layer.kept().for_each(|class| add(&layer.levels, class));
        }
        if let Some(first) = source.layers.first() {
            held.for_each(|class| add(&first.levels, class));
        }
        sums.iter().map(|rows| rows.powi(2)).sum()
    }
}

/// Number of a generalized value → leaves under it.
pub(super) fn under(hierarchy: &Hierarchy, level: usize) -> Vec<f64> {
    let mut leaves = vec![1.0];
    leaves
        .extend((0..hierarchy.size(level) as u32).map(|code| f64::from(hierarchy.leaves_under(level, code))));
    if let Some(code) = hierarchy.missing_at(level) {
        leaves[MISSING as usize] = f64::from(hierarchy.leaves_under(level, code));
    }
    leaves
}

/// Puts the columns' parts together, each multiplied by its weight.
pub(super) fn aggregate(how: Aggregate, parts: &[f64], weights: &[f64]) -> f64 {
    let weighted = || parts.iter().zip(weights).map(|(part, weight)| part * weight);
    let m = parts.len().max(1) as f64;
    match how {
        Aggregate::Mean => weighted().sum::<f64>() / m,
        Aggregate::Sum => weighted().sum(),
        Aggregate::Max => weighted().fold(0.0, f64::max),
        Aggregate::Geometric => weighted().map(|part| (part + 1.0).powf(1.0 / m)).product::<f64>() - 1.0,
    }
}
