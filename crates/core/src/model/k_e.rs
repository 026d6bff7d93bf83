//! (k, e)-anonymity [Zhang 2007]: every class has at least k different numbers of a sensitive
//! column, and their range is at least e.
//!
//! The figure of a class is that range, or 0 if it has fewer than k numbers; e is above 0, so such
//! a class is never safe. Different spellings of a number are one number. Missing cells do not
//! count and protect nobody.
//!
//! Merging keeps the numbers of a class, so the model is monotone. Costs one pass over a class's
//! values, and a sort if some number has two spellings.

use super::class::{Bound, Class, ClassFacts, ClassModel};
use super::distance::number;
use super::{Build, PrivacyModel, Sensitive, Setting, Values};
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{KE as Asked, ModelKind};
use crate::table::Code;

/// At least k numbers that are at least e apart in every class.
#[derive(Debug, Clone)]
pub struct KE {
    facts: ClassFacts,
    column: Sensitive,
    k: usize,
    /// Code → number; of a missing cell and of values that do not occur it is not read.
    numbers: Vec<f64>,
    /// Whether two values are the same number.
    twins: bool,
}

impl KE {
    /// From a policy's parameters, for a column; `k` is the policy's.
    ///
    /// # Errors
    /// A value that is not a number.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, k: Option<u64>) -> Result<Self> {
        let Some(k) = asked.k.or(k) else { return Err(Fault::bug("(k, e)-anonymity without a k").into()) };
        let numbers = numbers(column)?;
        let twins = different(occurring(column, &numbers).collect()) < column.present();
        let facts =
            ClassFacts::new(ModelKind::KE, claim, column.measured, Bound::AtLeast(asked.e)).absorbing();
        Ok(KE { facts, column: column.sensitive(), k: k as usize, numbers, twins })
    }

    /// Requirements that no class can meet: more numbers than the column has, or a wider range.
    pub(super) fn unreachable(asked: &Asked, column: &Values<'_>, k: Option<u64>) -> Option<Fault> {
        let (name, k) = (column.name, asked.k.or(k)?);
        let all: Vec<f64> = occurring(column, &numbers(column).ok()?).collect();
        let range = range(all.iter().copied());
        let many = different(all) as u64;
        if k > many {
            let fault = fault!(
                Data,
                "model.k-above-numbers",
                "k = {k} but `{column}` has {numbers} different numbers",
                k = k,
                column = name,
                numbers = many
            )
            .key("k");
            return Some(fault.help("no class can have that many: give k_e a lower k of its own"));
        }
        let wide = Bound::AtLeast(asked.e).holds(range);
        (!wide).then(|| {
            fault!(
                Data,
                "model.e-above-range",
                "e = {e} but the numbers of `{column}` are {range} apart",
                e = asked.e,
                column = name,
                range = range
            )
            .key("e")
            .help("no class can be wider: lower e")
        })
    }
}

/// Code → number.
fn numbers(column: &Values<'_>) -> Result<Vec<f64>> {
    let parse = |code: usize| match column.texts.value(code as Code) {
        Some(text) if column.rows[code] > 0 => number(text).ok_or_else(|| {
            fault!(
                Data,
                "model.not-a-number",
                "value `{value}` of `{column}` is not a number",
                value = text,
                column = column.name
            )
            .key("column")
            .help("k_e is for numbers: correct the cell, or ask for l_diversity of this column")
            .into()
        }),
        _ => Ok(f64::NAN),
    };
    (0..column.rows.len()).map(parse).collect()
}

/// The numbers that occur.
fn occurring<'a>(column: &'a Values<'_>, numbers: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    let occurs = numbers.iter().zip(column.rows).filter(|(number, rows)| **rows > 0 && !number.is_nan());
    occurs.map(|(number, _)| *number)
}

fn different(mut numbers: Vec<f64>) -> usize {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.dedup();
    numbers.len()
}

/// The greatest less the least; 0 of none.
fn range(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let greatest = numbers.clone().fold(f64::NEG_INFINITY, f64::max);
    let least = numbers.fold(f64::INFINITY, f64::min);
    if greatest < least { 0.0 } else { greatest - least }
}

impl ClassModel for KE {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        let numbers = class.present(self.column.missing).map(|(code, _)| self.numbers[code as usize]);
        let many = numbers.clone().count();
        let enough = many >= self.k && (!self.twins || different(numbers.clone().collect()) >= self.k);
        if enough { range(numbers) } else { 0.0 }
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(KE::new(claim, self, setting.column()?, setting.k)?))
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        KE::unreachable(self, setting.column?, setting.k)
    }
}
