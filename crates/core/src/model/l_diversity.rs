//! l-diversity [Machanavajjhala 2006]: every class has several values of a sensitive column, so
//! that finding a person's class does not reveal the person's value.
//!
//! - *distinct*: at least l values. The figure is their number.
//! - *entropy*: H ≥ log l. The figure is exp H, which is at most the number of values, so there are
//!   at least l of them.
//! - *recursive* (c, l): r₁ < c·(r_l + … + r_m), with r₁ ≥ … ≥ r_m the rows of the values. The
//!   figure is r₁ over that sum; it is infinite if there are fewer than l values.
//!
//! Missing cells protect nobody: figures count only rows that have a value, and a class without any
//! value is unsafe.
//!
//! **Monotonicity.** Merging keeps the values of a class, so distinct diversity is monotone.
//! Merging can raise the share of the most frequent value. Entropy (concave) and recursive
//! diversity of a union are no worse than those of the worse part, so a node above a node without
//! unsafe classes is safe; but a safe class may be merged into a large unsafe one. They are
//! monotone only if no row may be suppressed.
//!
//! Costs one pass over a class's values; recursive diversity costs l steps for each of them.

use super::class::{Bound, Class, ClassFacts, ClassModel, to_reach};
use super::{Build, PrivacyModel, Sensitive, Setting, Values};
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{Diversity, LDiversity as Asked, ModelKind};

/// Several values in every class.
#[derive(Debug, Clone)]
pub struct LDiversity {
    facts: ClassFacts,
    column: Sensitive,
    asked: Asked,
}

impl LDiversity {
    /// From a policy's parameters, for a column; `strict` if no row may be suppressed.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Self {
        let bound = match (asked.kind, asked.c) {
            (Diversity::Recursive, Some(c)) => Bound::Below(c),
            _ => Bound::AtLeast(asked.l),
        };
        let facts = ClassFacts::new(ModelKind::LDiversity, claim, column.measured, bound).strict(strict);
        // A safe class has l values.
        let facts = facts.min_safe_rows((asked.l - 1e-6).ceil() as u64);
        let facts = if asked.kind == Diversity::Distinct { facts.absorbing() } else { facts };
        LDiversity { facts, column: column.sensitive(), asked: asked.clone() }
    }

    /// Requirements that no class can meet: more values than the column has.
    pub(super) fn unreachable(asked: &Asked, column: &Values<'_>) -> Option<Fault> {
        let present = column.present();
        if asked.l > present as f64 {
            let help = match asked.kind {
                Diversity::Entropy => "no class can be that diverse: lower l",
                _ => "no class can have that many: lower l",
            };
            let fault = fault!(
                Data,
                "model.l-above-values",
                "l = {l} but `{column}` has {values} values",
                l = asked.l,
                column = column.name,
                values = present
            );
            return Some(fault.key("l").help(help));
        }
        None
    }

    fn entropy(&self, class: Class<'_>) -> f64 {
        let counts = class.present(self.column.missing).map(|(_, n)| f64::from(n));
        let rows: f64 = counts.clone().sum();
        if rows == 0.0 {
            return 0.0;
        }
        // log n − Σ c·log c / n is one logarithm per value and no division.
        (rows.ln() - counts.map(|n| n * n.ln()).sum::<f64>() / rows).exp()
    }

    /// The rows of the most frequent value, and of all from the l-th on.
    fn ranked(&self, class: Class<'_>) -> (f64, f64) {
        let counts = class.present(self.column.missing).map(|(_, n)| n);
        let rows: u64 = counts.clone().map(u64::from).sum();
        let frequent = self.asked.l as usize - 1;
        let most = counts.clone().max().unwrap_or(0);
        (f64::from(most), (rows - most_frequent(counts, frequent)) as f64)
    }

    fn recursive(&self, class: Class<'_>) -> f64 {
        let (most, rare) = self.ranked(class);
        if rare == 0.0 { f64::INFINITY } else { most / rare }
    }
}

/// The rows of the n most frequent values.
fn most_frequent(counts: impl Iterator<Item = u32>, n: usize) -> u64 {
    const FEW: usize = 32;
    if n > FEW {
        let mut all: Vec<u32> = counts.collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        return all.iter().take(n).map(|&n| u64::from(n)).sum();
    }
    // Short lists are kept sorted in place, because this runs for every class of every node.
    let mut top = [0u32; FEW];
    for mut count in counts {
        for place in &mut top[..n] {
            if count > *place {
                std::mem::swap(place, &mut count);
            }
        }
    }
    top[..n].iter().map(|&n| u64::from(n)).sum()
}

impl ClassModel for LDiversity {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    /// Entropy is concave: that of the class is at least what the released share has of log l.
    /// Recursive diversity asks that r₁ − c·(r_l + … + r_m), which is convex and at most the rows,
    /// is below 0.
    fn unreleasable_rows(&self, class: Class<'_>) -> f64 {
        let rows: f64 = class.present(self.column.missing).map(|(_, n)| f64::from(n)).sum();
        match (self.asked.kind, self.asked.c) {
            (Diversity::Entropy, _) if rows > 0.0 => {
                // What counts as l within rounding.
                let asked = (self.asked.l * (1.0 - 1e-9)).ln();
                if asked > 0.0 { to_reach(0.0, 1.0 - self.entropy(class).ln() / asked, rows) } else { 0.0 }
            }
            (Diversity::Recursive, Some(c)) if rows > 0.0 => {
                let (most, rare) = self.ranked(class);
                to_reach(0.0, (most - c * rare) / rows, rows)
            }
            _ => 0.0,
        }
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        match self.asked.kind {
            Diversity::Distinct => class.present(self.column.missing).count() as f64,
            Diversity::Entropy => self.entropy(class),
            Diversity::Recursive => self.recursive(class),
        }
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(LDiversity::new(claim, self, setting.column()?, setting.strict)))
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        LDiversity::unreachable(self, setting.column?)
    }
}
