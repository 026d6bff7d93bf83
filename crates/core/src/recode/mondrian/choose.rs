//! Chooses the column of a region to cut: the one with the highest score that can be cut.
//!
//! | by | score of a column |
//! | --- | --- |
//! | range | cost of its range, as a share of the largest [LeFevre 2006] |
//! | gain | saving in cell cost per row, over ½ + the bits that separate the parts |
//! | entropy | the entropy of its bins in the region, in bits, times its weight |
//! | target | information gain of its cut about the targets [LeFevre 2006b] |
//!
//! The divisor of *gain*: about log2(rows / k) bits separate all rows, so cuts into many parts must
//! be worth it.
//!
//! A policy may write a score of its own (`search.choose`) [De Spoelberch, algorithm 3,
//! `choose_dim`]. Any column may be tried then, in the order of the expression's values; "not a
//! number" counts as −∞. `gain` and `target` are 0 for a column that cannot be cut.
//!
//! Ties go to the first column. Costs one pass over the points for the ranges, one per column for
//! entropy, two for the gain, and one per column and target. On adult and on generated tables,
//! cells cost 10 to 15 % less by gain than by range; without the ½, or without a divisor, they cost
//! 0 to 10 % more.

use super::Cutter;
use super::cut::Column;
use super::points::{Rank, Region, Scratch};
use crate::error::{Fault, Result};
use crate::expression::{Expression, Variable};
use crate::policy::{By, cut_expression};
use crate::recoded::entropy;

/// An expression that ranks columns, with where its variables come from.
pub(super) struct Rule {
    expression: Expression,
    sources: Vec<Source>,
}

/// Where the value of a variable comes from.
enum Source {
    /// The score of a choice that is built in.
    Score(By),
    /// The part of the column's range that the region covers, from 0 to 1.
    Share,
    /// The difference of the numbers that the region covers, or how many leaves.
    Width,
    /// Distinct values in the region.
    Values,
    Weight,
    Rows,
    /// Cuts that made the region.
    Depth,
    /// Whether the column is this one; none is one that is not cut here.
    Is(Option<usize>),
}

impl Rule {
    /// Reads an expression for some columns of all.
    pub(super) fn new(text: &str, names: &[String], all: &[String]) -> Result<Self> {
        let columns: Vec<&str> = all.iter().map(String::as_str).collect();
        let expression = cut_expression(text, &columns)?;
        let source = |variable: &Variable| match variable {
            Variable::Plain(name) => match name.as_str() {
                "range" => Some(Source::Score(By::Range)),
                "gain" => Some(Source::Score(By::Gain)),
                "entropy" => Some(Source::Score(By::Entropy)),
                "target" => Some(Source::Score(By::Target)),
                "share" => Some(Source::Share),
                "width" => Some(Source::Width),
                "values" => Some(Source::Values),
                "weight" => Some(Source::Weight),
                "rows" => Some(Source::Rows),
                "depth" => Some(Source::Depth),
                _ => None,
            },
            Variable::OfColumn { column, .. } => {
                Some(Source::Is(names.iter().position(|name| name == column)))
            }
        };
        let sources = expression.variables().iter().map(source).collect::<Option<_>>();
        let sources = sources.ok_or_else(|| Fault::bug("a variable of search.choose has no value"))?;
        Ok(Rule { expression, sources })
    }
}

impl Cutter<'_> {
    /// Finds the cut of a region; whether there is one.
    pub(super) fn choose<T: Rank>(
        &self,
        region: &Region<'_, T>,
        (rows, depth): (u64, u32),
        scratch: &mut Scratch<T>,
    ) -> bool {
        if rows < 2 * self.field.judge.least() {
            return false;
        }
        region.bounds(&mut scratch.bounds, self.large);
        let mut promises = std::mem::take(&mut scratch.promises);
        promises.clear();
        for at in 0..scratch.bounds.len() {
            let (low, high) = scratch.bounds[at];
            if low < high {
                let column = Column { at, low: low.into(), high: high.into() };
                let promise = match &self.rule {
                    Some(rule) => self.ruled(rule, region, (rows, depth), column, scratch),
                    None => self.promise(self.options.by, region, column, scratch),
                };
                promises.push((promise, column));
            }
        }
        promises.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.at.cmp(&b.1.at)));
        let hopeless = |promise: f64| self.rule.is_none() && promise < 0.0;
        let found = promises
            .iter()
            .any(|&(promise, column)| !hopeless(promise) && self.try_cut(region, column, scratch));
        scratch.promises = promises;
        found
    }

    fn try_cut<T: Rank>(&self, region: &Region<'_, T>, column: Column, scratch: &mut Scratch<T>) -> bool {
        self.bin(region, column, scratch);
        self.cut(region, column, scratch)
    }

    /// What a column promises; less than nothing where it is known that it cannot be cut.
    fn promise<T: Rank>(
        &self,
        by: By,
        region: &Region<'_, T>,
        column: Column,
        scratch: &mut Scratch<T>,
    ) -> f64 {
        let axis = self.scales[column.at].axis;
        match by {
            By::Range => axis.cost(column.low, column.high),
            By::Gain if self.try_cut(region, column, scratch) => self.narrower(region, column, scratch),
            By::Entropy => {
                self.bin(region, column, scratch);
                axis.weight() * entropy(scratch.bin_rows.iter().copied())
            }
            By::Target if self.try_cut(region, column, scratch) => self.information_gain(region, scratch),
            By::Gain | By::Target => -1.0,
        }
    }

    /// What the policy's expression says of a column: a number that is not −0.
    fn ruled<T: Rank>(
        &self,
        rule: &Rule,
        region: &Region<'_, T>,
        (rows, depth): (u64, u32),
        column: Column,
        scratch: &mut Scratch<T>,
    ) -> f64 {
        let (axis, Column { at, low, high }) = (self.scales[column.at].axis, column);
        let value = |source: &Source| match source {
            Source::Score(by) => self.promise(*by, region, column, scratch).max(0.0),
            Source::Share => axis.share(low, high),
            Source::Width => axis.width(low, high),
            Source::Values => distinct(region, at, &mut scratch.present) as f64,
            Source::Weight => axis.weight(),
            Source::Rows => rows as f64,
            Source::Depth => f64::from(depth),
            Source::Is(column) => f64::from(u8::from(*column == Some(at))),
        };
        let values: Vec<f64> = rule.sources.iter().map(value).collect();
        let value = rule.expression.evaluate(&values);
        if value.is_nan() { f64::NEG_INFINITY } else { value + 0.0 }
    }

    /// What a cut takes off the cost of its column's cells, for the bits that it takes.
    fn narrower<T: Rank>(&self, region: &Region<'_, T>, column: Column, scratch: &mut Scratch<T>) -> f64 {
        let axis = self.scales[column.at].axis;
        let Scratch { spans, rows, bins, part_of, parted, .. } = scratch;
        spans.clear();
        spans.resize(rows.len(), (u32::MAX, 0));
        let mut widen = |part: u32, rank: u32| {
            let (low, high) = &mut spans[part as usize];
            (*low, *high) = (rank.min(*low), rank.max(*high));
        };
        for (row, &bin) in region.ranks.chunks_exact(region.width).zip(&*bins) {
            widen(part_of[bin as usize], row[column.at].into());
            if parted.is_some_and(|(parted, _)| parted == bin) {
                widen(0, row[column.at].into());
            }
        }
        let all: u64 = rows.iter().sum();
        let cost = |(&(low, high), &rows): (&(u32, u32), &u64)| rows as f64 * axis.cost(low, high);
        let after = spans.iter().zip(&*rows).map(cost).sum::<f64>() / all as f64;
        let gain = axis.cost(column.low, column.high) - after;
        self.factors[column.at] * gain.max(0.0) / (entropy(rows.iter().copied()) + 0.5)
    }

    /// The information gain of a cut about the targets, in bits per row. Rows that a relaxed cut
    /// divides are counted in the second part.
    fn information_gain<T: Rank>(&self, region: &Region<'_, T>, scratch: &Scratch<T>) -> f64 {
        let classes = self.field.judge.classes();
        let mut gain = 0.0;
        for target in &classes.histograms()[..classes.targets()] {
            let values = target.values();
            let mut rows = vec![0u64; values * scratch.parts()];
            for (&point, &bin) in region.ids.iter().zip(&scratch.bins) {
                let part = &mut rows[scratch.part_of[bin as usize] as usize * values..][..values];
                let (codes, counts) = target.class(point as usize);
                codes.iter().zip(counts).for_each(|(&code, &n)| part[code as usize] += u64::from(n));
            }
            let all: u64 = rows.iter().sum();
            let whole = (0..values).map(|value| rows.iter().skip(value).step_by(values).sum());
            let within: f64 = rows
                .chunks_exact(values)
                .map(|part| {
                    let share = part.iter().sum::<u64>() as f64 / all as f64;
                    if share > 0.0 { share * entropy(part.iter().copied()) } else { 0.0 }
                })
                .sum();
            gain += entropy(whole) - within;
        }
        // Rounding must not turn a cut without information into an impossible one.
        gain.max(0.0)
    }
}

/// How many values of a column occur in a region.
fn distinct<T: Rank>(region: &Region<'_, T>, column: usize, present: &mut Vec<u32>) -> usize {
    present.clear();
    present.extend(region.ranks.chunks_exact(region.width).map(|row| -> u32 { row[column].into() }));
    present.sort_unstable();
    present.dedup();
    present.len()
}
