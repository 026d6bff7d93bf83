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
//! were safe. Costs one look-up per label of each of a class's values, among the guarding nodes of
//! the class.

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
    guards: Guards,
}

/// The guarding nodes over each value.
#[derive(Debug, Clone, Default)]
struct Guards {
    /// Code of a value → where its guarding nodes begin; they end where those of the next one begin.
    begin: Vec<u32>,
    nodes: Vec<Code>,
}

impl Guards {
    fn over(&self, value: Code) -> &[Code] {
        &self.nodes[self.begin[value as usize] as usize..self.begin[value as usize + 1] as usize]
    }
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
        let labels = guarding_labels(hierarchy, guard);
        Error::check(unknown(&labels, column.name, guard))?;
        let guards = guards(hierarchy, &labels, column);
        let (column, guard) = (column.sensitive(), guard.sensitive());
        let needs = vec![column.measured, guard.measured];
        let facts = ModelFacts { needs, ..ModelFacts::new(ModelKind::Personalized, claim) };
        Ok(Personalized { facts, column, guard, breach: asked.breach, guards })
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
        let mut under = vec![0u64; nodes.len()];
        for (value, n) in present {
            for node in self.guards.over(value) {
                // Codes of a class are ascending.
                if let Ok(at) = nodes.binary_search(node) {
                    under[at] += u64::from(n);
                }
            }
        }
        under.into_iter().max().unwrap_or(0) as f64 / rows.max(1) as f64
    }
}

/// Level → label → the guarding node that it is.
fn guarding_labels(hierarchy: &Hierarchy, guard: &Values<'_>) -> Vec<Vec<Option<Code>>> {
    let node = |level: usize, code: usize| {
        // A label that is missing is none, as is a missing node.
        hierarchy.label(level, code as Code).and_then(|label| guard.texts.get(Some(label)))
    };
    let of_level = |level: usize| (0..hierarchy.size(level)).map(|code| node(level, code)).collect();
    (0..=hierarchy.height()).map(of_level).collect()
}

/// The guarding nodes over each value of a column.
fn guards(hierarchy: &Hierarchy, labels: &[Vec<Option<Code>>], column: &Values<'_>) -> Guards {
    let mut guards = Guards { begin: vec![0], nodes: Vec::new() };
    for value in 0..column.rows.len() as Code {
        let from = guards.nodes.len();
        let leaf = column.texts.value(value).and_then(|value| hierarchy.leaf(Some(value)));
        for (level, labels) in labels.iter().enumerate() {
            let node = leaf.and_then(|leaf| labels[hierarchy.generalize(leaf, level) as usize]);
            // One label may be there at several levels.
            if let Some(node) = node.filter(|node| !guards.nodes[from..].contains(node)) {
                guards.nodes.push(node);
            }
        }
        guards.begin.push(guards.nodes.len() as u32);
    }
    guards
}

/// The first guarding node that is not a label.
fn unknown(labels: &[Vec<Option<Code>>], column: &str, guard: &Values<'_>) -> Vec<Fault> {
    let mut known = vec![false; guard.texts.len()];
    labels.iter().flatten().flatten().for_each(|&node| known[node as usize] = true);
    let nodes = (0..guard.texts.len() as Code).filter(|&code| guard.rows[code as usize] > 0);
    let wrong = nodes.filter(|&code| !known[code as usize]).find_map(|code| guard.texts.value(code));
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
