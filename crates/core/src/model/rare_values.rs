//! Rare values [Katirai 2006, who deletes data items that occur fewer than k times]: an adversary
//! who knows that a person has a rare value finds the person by it, whatever the column.
//!
//! Where the table is judged, rare values were deleted before any class was formed
//! (`deletion.rs`), and no class violates the model. Its figure is the number of rows that the
//! rarest value of the table has which was not deleted, or k where no value is left.
//!
//! Where the release is judged, every value of the selected columns occurs in at least k released
//! rows: for a quasi-identifier
//! the value at its released level, for any other column the original value. A class with a rarer
//! value is suppressed. That makes other values rarer, so the step is repeated until nothing
//! changes; the result is the largest set of classes without a rare value. A missing cell counts as
//! one more value in every column, even where it is a wildcard, because an adversary can know that
//! it is missing.
//!
//! For quasi-identifiers alone the model is monotone, like k-anonymity over one column. A class can
//! be merged with one that has a rare value of another column, so with such columns it is monotone
//! only if no row may be suppressed. Costs two passes over the histograms per round.

use super::{Build, ModelFacts, PrivacyModel, Setting, Verdict};
use crate::classes::{Flags, View};
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{ModelKind, RareIn, RareValues as Asked};

/// At least k rows of every value.
#[derive(Debug, Clone)]
pub struct RareValues {
    facts: ModelFacts,
    k: u64,
    /// Which of the quasi-identifiers.
    quasi: Vec<usize>,
    /// Which of the measured columns.
    measured: Vec<usize>,
}

impl RareValues {
    /// From a policy's parameters, for a table's columns.
    ///
    /// # Errors
    /// A column that is neither a quasi-identifier nor measured, which would be a mistake of ours.
    pub fn new(claim: String, asked: &Asked, setting: &Setting<'_>) -> Result<Self> {
        let wanted = |name: &str| asked.columns.as_ref().is_none_or(|c| c.iter().any(|c| c == name));
        let quasi = (0..setting.quasi.len()).filter(|&at| wanted(&setting.quasi[at])).collect::<Vec<_>>();
        let measured = setting.measured.iter().filter(|values| wanted(values.name));
        let measured: Vec<usize> = measured.map(|values| values.measured).collect();
        let known = |name: &&String| {
            setting.quasi.contains(name) || setting.measured.iter().any(|values| values.name == name.as_str())
        };
        if let Some(name) = asked.columns.iter().flatten().find(|name| !known(name)) {
            return Err(Fault::bug(format!("`{name}` was not measured")).into());
        }
        let facts = ModelFacts {
            monotone: setting.strict || measured.is_empty(),
            needs_fixpoint: true,
            needs: measured.clone(),
            ..ModelFacts::new(ModelKind::RareValues, claim)
        };
        Ok(RareValues { facts, k: asked.k, quasi, measured })
    }

    /// Rows with rare values of a column that is not generalized: no node can release them.
    pub fn unreachable(asked: &Asked, setting: &Setting<'_>) -> Option<Fault> {
        if asked.judge == RareIn::Table {
            return None;
        }
        let wanted = |name: &str| asked.columns.as_ref().is_none_or(|c| c.iter().any(|c| c == name));
        for values in setting.measured.iter().filter(|values| wanted(values.name)) {
            let rare: u64 = values.rows.iter().filter(|&&rows| rows < asked.k).sum();
            if rare > setting.max_suppressed {
                let (name, k, most) = (values.name, asked.k, setting.max_suppressed);
                return Some(
                    fault!(
                        Data,
                        "model.too-many-rare-values",
                        "{rows} rows have values of `{column}` that occur fewer than {k} times; {allowed} may be suppressed",
                        rows = rare,
                        column = name,
                        k = k,
                        allowed = most
                    )
                    .key(if asked.columns.is_some() { "columns" } else { "k" })
                    .help(format!(
                        "raise privacy.suppression, lower k, list other `columns`, or give `{name}` role = \"drop\""
                    )),
                );
            }
        }
        None
    }

    /// Calls `each` with the column, the code and the rows of every value of a class; columns in
    /// the order of `sums`.
    fn values(&self, classes: &View<'_>, class: usize, mut each: impl FnMut(usize, usize, u64)) {
        let rows = u64::from(classes.counts()[class]);
        for (place, &column) in self.quasi.iter().enumerate() {
            each(place, classes.code(class, column) as usize, rows);
        }
        for (place, &column) in self.measured.iter().enumerate() {
            let (codes, counts) = classes.histogram(column, class);
            for (&code, &count) in codes.iter().zip(counts) {
                each(self.quasi.len() + place, code as usize, u64::from(count));
            }
        }
    }

    /// Column → code → rows among the classes that are not flagged.
    fn sums(&self, classes: &View<'_>, flags: &Flags) -> Vec<Vec<u64>> {
        let mut sums: Vec<Vec<u64>> = vec![Vec::new(); self.quasi.len() + self.measured.len()];
        for class in (0..classes.len()).filter(|&class| !flags.has(class)) {
            self.values(classes, class, |place, code, rows| {
                let column = &mut sums[place];
                if column.len() <= code {
                    column.resize(code + 1, 0);
                }
                column[code] += rows;
            });
        }
        sums
    }
}

impl PrivacyModel for RareValues {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let sums = self.sums(classes, flags);
        for class in 0..classes.len() {
            if flags.has(class) {
                continue;
            }
            let mut rare = false;
            self.values(classes, class, |place, code, _| rare |= sums[place][code] < self.k);
            if rare {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let sums = self.sums(classes, flags);
        let least = sums.iter().flatten().copied().filter(|&rows| rows > 0).min();
        Some(Verdict::at_least(self.k, least))
    }
}

/// No value of fewer than k rows of the table: rare ones were deleted.
#[derive(Debug, Clone)]
struct NoneRare {
    facts: ModelFacts,
    k: u64,
    least: u64,
}

impl PrivacyModel for NoneRare {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, _: &View<'_>, _: &mut Flags) {}

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let released = (0..classes.len()).any(|class| !flags.has(class));
        Some(Verdict::at_least(self.k, released.then_some(self.least)))
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        if self.judge == RareIn::Release {
            return Ok(Box::new(RareValues::new(claim, self, setting)?));
        }
        let deletion = setting.deletion.ok_or_else(|| Fault::bug("rare values were not deleted"))?;
        let least = deletion.least(&claim).unwrap_or(self.k);
        let facts = ModelFacts::monotone(ModelKind::RareValues, claim);
        Ok(Box::new(NoneRare { facts, k: self.k, least }))
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        RareValues::unreachable(self, setting)
    }
}
