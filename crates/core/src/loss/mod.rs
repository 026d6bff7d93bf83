//! Losses: what a node costs the recipient. One file per family; which there are is in the
//! registry ([`LossKind`]).
//!
//! The user guide defines each loss ("How the numbers are defined"). Sums over rows are integers,
//! and all other sums are added in one fixed order, so a loss has the same bits regardless of the
//! classes that it was rolled up from.

mod aecs;
mod ambiguity;
mod cells;
mod classification;
mod columns;
mod conditional;
mod discernibility;
mod entropy;
mod height;
mod lm;
mod marginals;
mod prec;
mod price;
mod tradeoff;
mod value_mi;

pub use marginals::{Marginals, TargetCounts};
pub use price::Price;

use self::tradeoff::Tradeoff;
use crate::classes::{Flags, View};
use crate::error::{Error, Result};
use crate::lattice::Node;
use crate::policy::{LossParameters, check_loss, no_target};
use crate::registry::LossKind;

/// The cost of a node.
pub trait Loss: Send + Sync {
    /// Which loss it is.
    fn kind(&self) -> LossKind;

    /// Whether no generalization of a node costs less than the node, with monotone models.
    fn monotone(&self) -> bool;

    /// The measured columns whose histograms it reads.
    fn needs(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The loss of a node with these classes suppressed.
    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64;

    /// A lower bound of the node's loss, from the columns and from the surplus of one of its
    /// generalizations; an empty surplus adds nothing. Never falls from a node to its
    /// generalization, nor with the surplus.
    fn bound(&self, node: &Node, surplus: &[f64]) -> f64;

    /// Evidence of a node's classes about other nodes.
    fn evidence(&self, view: &View<'_>, _: &Flags) -> Evidence {
        Evidence { above: self.bound(view.node(), &[]), surplus: Vec::new() }
    }

    /// The loss of each column, with its weight; none if the loss is not a sum over columns.
    fn parts(&self, _: &View<'_>, _: &Flags) -> Vec<f64> {
        Vec::new()
    }
}

/// Evidence of a node's classes about other nodes, for monotone models: suppressed rows only
/// increase towards the bottom, and classes only merge towards the top.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// A lower bound of the cost of every generalization.
    pub above: f64,
    /// What suppressed rows add at least to every specialization, in the loss's own parts; empty
    /// for nothing.
    pub surplus: Vec<f64>,
}

/// The losses that are defined for a table: those of targets only where there is one.
pub fn defined(marginals: &Marginals) -> impl Iterator<Item = LossKind> {
    let labels = !marginals.targets.is_empty();
    LossKind::ALL.iter().copied().filter(move |kind| labels || !kind.needs_target())
}

/// Makes the loss of a policy, with what it does not say at its default.
///
/// # Errors
/// A parameter that the loss does not have, or a loss of labels for a table without a target.
pub fn build(parameters: &LossParameters, marginals: &Marginals, weights: &[f64]) -> Result<Box<dyn Loss>> {
    Error::check(check_loss(parameters))?;
    let LossParameters { kind, aggregate, count_suppressed, tradeoff } = *parameters;
    let tradeoff = Tradeoff::new(tradeoff.unwrap_or(0.5));
    let (counted, how) = (kind.counts_suppressed(count_suppressed), kind.aggregate(aggregate));
    if kind.needs_target() && marginals.targets.is_empty() {
        return Err(no_target(kind).into());
    }
    Ok(match kind {
        LossKind::Height | LossKind::Absolute | LossKind::Relative => {
            Box::new(height::Height::new(kind, marginals, weights))
        }
        LossKind::Prec | LossKind::Vinterbo => {
            Box::new(prec::Prec::new(kind, marginals, weights, counted, tradeoff))
        }
        LossKind::ColumnMi => {
            let told = marginals.worths.iter().zip(weights).map(|(worths, w)| w * worths.mutual());
            let weights: Vec<f64> = told.collect();
            Box::new(prec::Prec::new(kind, marginals, &weights, counted, tradeoff))
        }
        LossKind::ValueMi => Box::new(value_mi::ValueInformation::new(marginals, weights, counted)),
        LossKind::Dm => Box::new(discernibility::Discernibility::new(marginals, true, tradeoff)),
        LossKind::DmStar => Box::new(discernibility::Discernibility::new(marginals, false, tradeoff)),
        LossKind::Entropy => Box::new(entropy::Entropy::new(marginals, weights, how, counted, tradeoff)),
        LossKind::ConditionalEntropy => {
            Box::new(conditional::ConditionalEntropy::new(marginals, weights, how, tradeoff))
        }
        LossKind::Lm => Box::new(lm::LossMetric::new(marginals, weights, how, counted, tradeoff)),
        LossKind::Ambiguity => Box::new(ambiguity::Ambiguity::new(marginals, tradeoff)),
        LossKind::Aecs => Box::new(aecs::AverageClass::new(marginals)),
        LossKind::Cm => Box::new(classification::Classification::new(marginals, tradeoff)),
    })
}
