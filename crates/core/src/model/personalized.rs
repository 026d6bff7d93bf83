//! Personalized privacy [Xiao 2006]: every person chooses a guarding node, a label of the sensitive
//! column's hierarchy; the probability that the person has a value under it must not exceed a
//! limit.
//!
//! The breach probability of a row is the share of its class's values under the row's guarding
//! node; the figure of a class is the maximum over its rows. A value is under each of its labels,
//! itself included. A row without a guarding node is not guarded. The root guards against every
//! value: such a row can be released only if breach = 1 or if no row of the class has a value.
//! Missing sensitive cells protect nobody: shares count only rows that have a value.
//!
//! Not monotone, even without suppression: a class whose rows guard against flu and have none,
//! merged with a class of flu whose rows do not guard against it, is unsafe although both parts
//! were safe. Costs one pass over a class's values per guarding node in it.

use super::class::{Bound, Class};
use super::{Build, ModelFacts, PrivacyModel, Sensitive, Setting, Values, Verdict};
use crate::classes::{Flags, View};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::policy::{ModelKind, Personalized as Asked};
use crate::table::Code;

/// No row's value is likely to be under the row's guarding node.
#[derive(Debug, Clone)]
pub struct Personalized {
    facts: ModelFacts,
    column: Sensitive,
    guard: Sensitive,
    breach: f64,
    /// Code of a guarding node → code of a value → whether it is under it.
    under: Vec<Vec<bool>>,
}

impl Personalized {
    /// From a policy's parameters, for a column and the column of its guarding nodes.
    ///
    /// # Errors
    /// Guarding nodes that the hierarchy does not have.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, guard: &Values<'_>) -> Result<Self> {
        let Some(hierarchy) = column.hierarchy else {
            return Err(Fault::bug("guarding nodes of a hierarchy that is not there").into());
        };
        Error::check(unknown(hierarchy, column.name, guard))?;
        let under = |node: Code| {
            let node = guard.texts.value(node);
            let has = |value: Code| {
                let leaf = column.texts.value(value).and_then(|value| hierarchy.leaf(Some(value)));
                leaf.is_some_and(|leaf| node.is_some_and(|node| has_label(hierarchy, leaf, node)))
            };
            (0..column.rows.len() as Code).map(has).collect()
        };
        let under = (0..guard.texts.len() as Code).map(under).collect();
        let (column, guard) = (column.sensitive(), guard.sensitive());
        let needs = vec![column.measured, guard.measured];
        let facts = ModelFacts { needs, ..ModelFacts::new(ModelKind::Personalized, claim) };
        Ok(Personalized { facts, column, guard, breach: asked.breach, under })
    }

    fn bound(&self) -> Bound {
        Bound::AtMost(self.breach)
    }

    /// The largest breach probability of a row in a class.
    fn figure(&self, classes: &View<'_>, class: usize) -> f64 {
        let (codes, counts) = classes.histogram(self.column.measured, class);
        let (nodes, _) = classes.histogram(self.guard.measured, class);
        let present = Class { codes, counts }.present(self.column.missing);
        let rows: u64 = present.clone().map(|(_, n)| u64::from(n)).sum();
        let guarding = nodes.iter().filter(|node| Some(**node) != self.guard.missing);
        let most = guarding.map(|&node| {
            let under = &self.under[node as usize];
            present
                .clone()
                .filter(|&(value, _)| under[value as usize])
                .map(|(_, n)| u64::from(n))
                .sum::<u64>()
        });
        most.max().unwrap_or(0) as f64 / rows.max(1) as f64
    }
}

fn has_label(hierarchy: &Hierarchy, leaf: Code, label: &str) -> bool {
    let at = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
    (0..=hierarchy.height()).any(|level| at(level) == Some(label))
}

/// The first guarding node that is not a label.
fn unknown(hierarchy: &Hierarchy, column: &str, guard: &Values<'_>) -> Vec<Fault> {
    let labels = |level: usize| {
        (0..hierarchy.size(level)).filter_map(move |code| hierarchy.label(level, code as Code))
    };
    let all: std::collections::BTreeSet<&str> = (0..=hierarchy.height()).flat_map(labels).collect();
    let nodes = (0..guard.texts.len() as Code).filter(|&code| guard.rows[code as usize] > 0);
    let wrong = nodes.filter_map(|code| guard.texts.value(code)).find(|node| !all.contains(node));
    let fault = |node: &str| {
        let fault = fault!(
            Data,
            "model.guard-not-a-label",
            "`{value}` of `{guard}` is not a label of the hierarchy of `{column}`",
            value = node,
            guard = guard.name,
            column = column
        );
        let none = "a guarding node is a label at any level; a missing cell guards nothing";
        fault.key("guard").help(none)
    };
    wrong.map(fault).into_iter().collect()
}

impl PrivacyModel for Personalized {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        for class in 0..classes.len() {
            if !flags.has(class) && !self.bound().holds(self.figure(classes, class)) {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let left = (0..classes.len()).filter(|&class| !flags.has(class));
        let achieved = left.map(|class| self.figure(classes, class)).reduce(f64::max);
        Some(Verdict::within(self.bound(), achieved))
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(Personalized::new(claim, self, setting.column()?, setting.guard()?)?))
    }
}
