//! The figures of a release beside its original: losses, models and risk, as in a certificate, and
//! why some are unavailable.
//!
//! A suppressed row counts as the root. Losses that do not count suppression take it for a row at
//! the level of all others, where every column has one level, and for an unchanged row otherwise.

use std::collections::BTreeMap;

use super::cells::Compared;
use super::{Correspondence, Inputs, Measures};
use crate::class_risk::{class_sizes, risks, table_sizes};
use crate::error::Result;
use crate::lattice::Node;
use crate::loss::Price;
use crate::model::{ModelFacts, check_complete};
use crate::policy::{LossParameters, Missing, Policy};
use crate::predict::{Scope, Scored};
use crate::registry::{LossKind, MODEL_LOSS};
use crate::release::Claim;
use crate::row_figures::RowFigures;
use crate::stars::Stars;

const NEEDS_ROWS: &str = "needs row correspondence";
const NEEDS_COMMAND: &str = "needs the command of the model, which is run for releases and comparisons alone";
const UNTRUE: &str = "is not defined, because cells are not true of the original";
const SEVERAL_LEVELS: &str = "is not defined, because cells of a column are at several levels";

/// Losses with their parts by column, and why some have none.
#[derive(Default)]
struct Losses {
    loss: BTreeMap<String, f64>,
    by_column: BTreeMap<String, BTreeMap<String, f64>>,
    unavailable: BTreeMap<String, String>,
}

impl Compared {
    pub(super) fn measures(&self, inputs: &Inputs<'_>) -> Result<Measures> {
        let (policy, blind) = (inputs.policy, matches!(inputs.rows, Correspondence::None));
        let Losses { loss, by_column, mut unavailable } = self.losses(policy, blind)?;
        let judged: Vec<usize> =
            (0..self.measured.len()).filter(|&at| self.unjudged(policy, blind, &[at]).is_none()).collect();
        let released = self.recoded.released(&judged)?;
        let (view, flags) = (released.view(), released.flags());
        let mut privacy = BTreeMap::new();
        for model in self.problem.models.iter() {
            let ModelFacts { claim, needs, .. } = model.facts();
            match self.unjudged(policy, blind, needs) {
                Some(reason) => drop(unavailable.insert(claim.clone(), reason)),
                None => privacy.extend(model.verdict(&view, flags).map(|v| {
                    (claim.clone(), Claim { required: v.required, achieved: v.achieved, holds: v.holds })
                })),
            }
        }
        check_complete(&self.problem.models)?;
        let problem = &self.problem;
        let wildcard = policy.input.missing == Missing::Wildcard;
        let before = table_sizes(&problem.classes, &problem.hierarchies, wildcard, inputs.watch)?;
        let stars = Stars::of(&view, flags);
        let rows = problem.classes.rows();
        let level = |node: &Node| {
            problem.names.iter().enumerate().map(|(at, name)| (name.clone(), node.level(at))).collect()
        };
        Ok(Measures {
            correspondence: inputs.rows.name(),
            rows,
            released: stars.rows - stars.blank,
            suppressed: rows - (stars.rows - stars.blank),
            withheld: rows - stars.rows,
            levels: self.node.as_ref().map(level).unwrap_or_default(),
            untrue: (!blind).then(|| self.untrue.clone()),
            loss,
            loss_by_column: by_column,
            privacy,
            risk: risks(&before, &class_sizes(&view, flags, wildcard, inputs.watch)?),
            unavailable,
        })
    }

    /// The figures of single rows, for losses that have a figure and are means over rows.
    pub(super) fn row_figures(&self, policy: &Policy) -> Result<RowFigures> {
        let names = &self.problem.names;
        let asked = policy.search.loss.parameters();
        let (plain, weights) = (vec![1.0; names.len()], policy.weights(names));
        let loss = |kind: LossKind| {
            let own = kind == asked.kind;
            let parameters = if own { asked } else { LossParameters::new(kind) };
            let known = !kind.needs_target() || self.problem.classes.targets() > 0;
            let defined = known && self.undefined(&parameters, false).is_none();
            defined.then_some((parameters, if own { &weights[..] } else { &plain[..] }))
        };
        RowFigures::new(&self.recoded, LossKind::of_tables().filter_map(loss))
    }

    /// Every loss with its defaults; that of the policy as the policy asks.
    fn losses(&self, policy: &Policy, blind: bool) -> Result<Losses> {
        let problem = &self.problem;
        let bottom = Node::new(vec![0; problem.names.len()]);
        let price = Price::new(&self.recoded, self.node.as_ref().unwrap_or(&bottom));
        let plain = vec![1.0; problem.names.len()];
        let asked = policy.search.loss.parameters();
        let mut losses = Losses::default();
        for kind in LossKind::of_tables() {
            if kind.needs_target() && problem.classes.targets() == 0 {
                continue;
            }
            let parameters = LossParameters::new(kind);
            let own = kind == asked.kind;
            let counted = if own { &asked } else { &parameters };
            match self.undefined(counted, blind) {
                Some(reason) => drop(losses.unavailable.insert(kind.to_string(), reason)),
                None => {
                    let weights = if own { &policy.weights(&problem.names) } else { &plain };
                    losses.loss.insert(kind.to_string(), price.loss(counted, weights)?);
                }
            }
            let parts = price.parts(&parameters, &plain);
            if self.undefined(&parameters, blind).is_none() && !parts.is_empty() {
                let parts = problem.names.iter().cloned().zip(parts).collect();
                losses.by_column.insert(kind.to_string(), parts);
            }
        }
        self.model_loss(policy, blind, &mut losses)?;
        Ok(losses)
    }

    /// The loss of the policy's model, fitted to the original, if it is built in.
    fn model_loss(&self, policy: &Policy, blind: bool, losses: &mut Losses) -> Result<()> {
        let Some(spec) = &policy.search.model else { return Ok(()) };
        let reason = match &spec.builtin {
            None => NEEDS_COMMAND,
            Some(_) if blind => NEEDS_ROWS,
            Some(name) => {
                let problem = &self.problem;
                let predicted = problem.predicted(spec)?;
                let fitted = problem.fitted(policy, name, problem.features(spec), &predicted)?;
                let scored = Scored::new(&fitted, &self.recoded, (&problem.names, &problem.hierarchies))?;
                let truth = (predicted.column, &predicted.labels.numbers[..]);
                match scored.errors(&self.recoded, truth, Scope::All) {
                    Some(errors) => {
                        losses.loss.insert(MODEL_LOSS.to_owned(), errors.moved.mean);
                        return Ok(());
                    }
                    None => NEEDS_ROWS,
                }
            }
        };
        losses.unavailable.insert(MODEL_LOSS.to_owned(), reason.to_owned());
        Ok(())
    }

    /// Why a loss has no figure, if so.
    fn undefined(&self, parameters: &LossParameters, blind: bool) -> Option<String> {
        let kind = parameters.kind;
        let withheld = self.recoded.suppressed_rows() > 0;
        let uncounted = withheld && !kind.counts_suppressed(parameters.count_suppressed);
        let targets = self.problem.classes.targets();
        let reason = match kind {
            LossKind::Height | LossKind::Absolute | LossKind::Relative if self.node.is_none() => {
                SEVERAL_LEVELS
            }
            LossKind::Cm if blind => {
                let absent = (0..targets).find(|&at| !self.shown[at])?;
                return Some(no_column(&self.measured[absent]));
            }
            LossKind::Entropy | LossKind::ValueMi if blind => NEEDS_ROWS,
            LossKind::Entropy | LossKind::ValueMi if self.untrue_labels => UNTRUE,
            LossKind::DmStar | LossKind::ConditionalEntropy if blind && withheld => NEEDS_ROWS,
            LossKind::Lm if blind && uncounted && self.node.is_some() => NEEDS_ROWS,
            LossKind::Prec
            | LossKind::Lm
            | LossKind::ILoss
            | LossKind::Vinterbo
            | LossKind::ColumnMi
            | LossKind::Ambiguity
            | LossKind::ConditionalEntropy
                if self.unexplained =>
            {
                NEEDS_ROWS
            }
            _ => return None,
        };
        Some(reason.to_owned())
    }

    /// Why a model of some measured columns is not judged, if so.
    fn unjudged(&self, policy: &Policy, blind: bool, needs: &[usize]) -> Option<String> {
        let guards = policy.guards();
        let absent = needs.iter().copied().filter(|&at| !self.shown[at]);
        // What rows are guarded against is never released.
        let mut absent = absent.filter(|&at| blind || !guards.contains(self.measured[at].as_str()));
        let at = absent.next()?;
        let guard = guards.contains(self.measured[at].as_str());
        Some(if guard { NEEDS_ROWS.to_owned() } else { no_column(&self.measured[at]) })
    }
}

fn no_column(name: &str) -> String {
    format!("the release has no column `{name}`")
}
