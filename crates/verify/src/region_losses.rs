//! The losses of a release by regions, recomputed from their definitions, cell by cell.
//!
//! As in `losses.rs`, with the leaves that a cell covers in place of a level: n rows, S of them
//! suppressed; a cell covers some of the D leaves and is a single value from some level of h on. A
//! suppressed row counts as the root, or, for losses that do not count suppression, as itself.
//! Heights and distances are defined on levels only, so they do not apply. Costs one pass over the
//! pairs of value and cell per loss.

use super::losses::{Factors, NO_DEFINITION, UNTOLD, aggregate};
use super::regions::{Column, Regions};
use super::shapes::Shape;
use super::side::Side;
use throng_terms::policy::{Aggregate, LossParameters};
use throng_terms::registry::LossKind;

/// The input of losses.
pub(super) struct RegionFacts<'a> {
    pub(super) regions: &'a Regions,
    pub(super) released: &'a Side,
    /// Rows per released class; 0 means that there is no class.
    pub(super) counts: &'a [u64],
    /// Released rows that do not have the most frequent label of their class, per target.
    pub(super) minorities: Vec<u64>,
}

const UNTRUE: &str = "not checked: a cell is not true of its row";

impl RegionFacts<'_> {
    /// A loss of the whole release.
    pub(super) fn loss(&self, asked: &LossParameters, weights: &[f64]) -> Result<f64, &'static str> {
        let Factors { g, s } = Factors::of(asked.tradeoff);
        let (rows, hidden) = (self.regions.rows as f64, self.regions.suppressed() as f64);
        let how = |default: Aggregate| asked.aggregate.unwrap_or(default);
        let classes = self.counts.iter().filter(|&&count| count > 0).count();
        let square = |&count: &u64| (count as f64).powi(2);
        match asked.kind {
            LossKind::Prec | LossKind::Lm => {
                Ok(aggregate(how(Aggregate::Mean), &self.parts(asked)?, weights))
            }
            LossKind::Entropy
            | LossKind::ConditionalEntropy
            | LossKind::Vinterbo
            | LossKind::ColumnMi
            | LossKind::ValueMi => Ok(aggregate(how(Aggregate::Sum), &self.parts(asked)?, weights)),
            LossKind::Dm => Ok(g * self.counts.iter().map(square).sum::<f64>() + s * rows * hidden),
            LossKind::DmStar => Ok(self.regions.looks(self.released, self.counts).iter().map(square).sum()),
            LossKind::Aecs => Ok(rows / (classes + usize::from(hidden > 0.0)).max(1) as f64),
            LossKind::Ambiguity => {
                let everything: f64 = self.regions.columns.iter().map(|column| column.all).product();
                let mut sum = s * hidden * everything;
                for (count, shapes) in self.regions.released(self.released) {
                    let product: Option<f64> = shapes.map(|shape| shape.map(|shape| shape.leaves)).product();
                    sum += g * count as f64 * product.ok_or(UNTRUE)?;
                }
                Ok(sum / rows.max(1.0))
            }
            LossKind::Cm if !self.minorities.is_empty() => {
                let targets = self.minorities.len() as f64;
                let minority = self.minorities.iter().sum::<u64>() as f64;
                Ok((g * minority / targets + s * hidden) / rows.max(1.0))
            }
            LossKind::Cm | LossKind::Height | LossKind::Absolute | LossKind::Relative => Err(NO_DEFINITION),
        }
    }

    /// The loss of each column.
    pub(super) fn parts(&self, asked: &LossParameters) -> Result<Vec<f64>, &'static str> {
        let columns = self.regions.columns.iter().enumerate();
        columns.map(|(at, column)| self.part(asked, at, column)).collect()
    }

    fn part(&self, asked: &LossParameters, at: usize, column: &Column) -> Result<f64, &'static str> {
        let Factors { g, s } = Factors::of(asked.tradeoff);
        let rows = (self.regions.rows as f64).max(1.0);
        let hidden = self.regions.suppressed() as f64;
        let interner = &self.regions.interners[at];
        let count = |text: u32| interner.count(text) as f64;
        match asked.kind {
            LossKind::Prec | LossKind::Vinterbo | LossKind::ColumnMi => {
                let held = if asked.count_suppressed == Some(true) { s * hidden } else { 0.0 };
                let levels = (g * sum(column, |_, shape| shape.level / column.height)? + held) / rows;
                match asked.kind {
                    LossKind::ColumnMi => Ok(levels * column.mutual.ok_or(UNTOLD)?),
                    _ => Ok(levels),
                }
            }
            LossKind::ValueMi => {
                let worths = column.worths.as_ref().ok_or(UNTOLD)?;
                let lost = sum(column, |text, shape| (worths[text as usize] - shape.worth).max(0.0))?;
                let held = column.hidden.iter().zip(worths).map(|(&n, worth)| n as f64 * worth);
                let held: f64 = if asked.count_suppressed == Some(true) { held.sum() } else { 0.0 };
                Ok((lost + held) / rows)
            }
            LossKind::Lm if column.all <= 1.0 => Ok(0.0),
            LossKind::Lm => {
                let held = if asked.count_suppressed == Some(false) { 0.0 } else { s * hidden };
                Ok((g * sum(column, |_, shape| (shape.leaves - 1.0) / (column.all - 1.0))? + held) / rows)
            }
            LossKind::Entropy => {
                let bits = sum(column, |text, shape| -(count(text) / shape.rows).log2())?;
                let held = column.hidden.iter().filter(|&&n| n > 0).map(|&n| n as f64);
                let held: f64 = held.map(|n| -n * (n / hidden).log2()).sum();
                Ok(g * bits + if asked.count_suppressed == Some(true) { s * held } else { 0.0 })
            }
            LossKind::ConditionalEntropy => {
                let shares = (0..interner.len() as u32).map(|text| count(text) / rows);
                let whole: f64 = shares.filter(|&p| p > 0.0).map(|p| -p * p.log2()).sum();
                Ok(g * sum(column, |_, shape| shape.bits)? + s * hidden * whole)
            }
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
}

/// Σ over released rows of something of value and cell.
fn sum(column: &Column, part: impl Fn(u32, Shape) -> f64) -> Result<f64, &'static str> {
    let mut sum = 0.0;
    for &(pair, rows) in &column.pairs {
        let shape = column.shapes.get(&pair).copied().flatten().ok_or(UNTRUE)?;
        sum += rows as f64 * part(pair.0, shape);
    }
    Ok(sum)
}
