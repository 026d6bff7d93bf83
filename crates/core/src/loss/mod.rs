//! Losses: what a node costs the recipient. One file per family, one line in [`NAMES`].
//!
//! Definitions are those of the user guide ("How the numbers are defined"). Sums over rows are kept
//! in integers, and everything else is added up in one fixed order, so that a loss has the same bits
//! whatever the classes were rolled up from.

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
mod parameters;
mod prec;
mod price;
mod tradeoff;
mod value_mi;

pub use marginals::{Marginals, TargetCounts};
pub use parameters::check;
pub(crate) use parameters::no_target;
pub use price::Price;

use self::tradeoff::Tradeoff;
use crate::classes::{Flags, View};
use crate::error::{Error, Result};
use crate::lattice::Node;
use crate::policy::{Aggregate, LossParameters};

/// What a node costs.
pub trait Loss: Send + Sync {
    /// What policies and certificates call it.
    fn name(&self) -> &'static str;

    /// Whether no generalization of a node costs less than the node, with monotone models.
    fn monotone(&self) -> bool;

    /// The measured columns whose histograms it reads.
    fn needs(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The loss of a node with these classes suppressed.
    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64;

    /// What the node costs at least, told from the columns and from the surplus of one of its generalizations;
    /// an empty surplus tells nothing. Never falls from a node to its generalization, nor with the surplus.
    fn bound(&self, node: &Node, surplus: &[f64]) -> f64;

    /// What the classes of a node tell of other nodes.
    fn evidence(&self, view: &View<'_>, _: &Flags) -> Evidence {
        Evidence { above: self.bound(view.node(), &[]), surplus: Vec::new() }
    }

    /// What each column loses, with its weight; none where the loss does not fall apart into columns.
    fn parts(&self, _: &View<'_>, _: &Flags) -> Vec<f64> {
        Vec::new()
    }
}

/// What the classes of a node tell of other nodes, with monotone models: suppressed rows only grow in number
/// towards the bottom, and classes only merge towards the top.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// What every generalization costs at least.
    pub above: f64,
    /// What suppressed rows add at least to every specialization, in the loss's own parts; empty for nothing.
    pub surplus: Vec<f64>,
}

/// All losses, as policies name them.
pub const NAMES: [&str; 15] = [
    "height",
    "absolute",
    "relative",
    "prec",
    "dm",
    "dm*",
    "entropy",
    "conditional-entropy",
    "lm",
    "ambiguity",
    "aecs",
    "cm",
    "vinterbo",
    "column-mi",
    "value-mi",
];

/// The losses that look at the labels of targets.
const LABELLED: [&str; 3] = ["cm", "column-mi", "value-mi"];

/// Whether a loss looks at the labels of targets, and so is not defined without one.
pub fn labelled(name: &str) -> bool {
    LABELLED.contains(&name)
}

/// The losses that can be told of a table: those of labels only where there is a target.
pub fn defined(marginals: &Marginals) -> impl Iterator<Item = &'static str> {
    let labels = !marginals.targets.is_empty();
    NAMES.into_iter().filter(move |&name| labels || !labelled(name))
}

/// Makes the loss that a policy asks for, with what it does not say at its default.
///
/// # Errors
/// An unknown name, a parameter that the loss does not have, or a loss of labels for a table without a target.
pub fn build(parameters: &LossParameters, marginals: &Marginals, weights: &[f64]) -> Result<Box<dyn Loss>> {
    Error::check(check(parameters))?;
    let LossParameters { name, aggregate, count_suppressed, tradeoff } = parameters;
    let tradeoff = Tradeoff::new(tradeoff.unwrap_or(0.5));
    let counted = |default: bool| count_suppressed.unwrap_or(default);
    let how = |default: Aggregate| aggregate.unwrap_or(default);
    if labelled(name) && marginals.targets.is_empty() {
        return Err(no_target(name).into());
    }
    Ok(match name.as_str() {
        "height" => Box::new(height::Height::new("height", marginals, weights)),
        "absolute" => Box::new(height::Height::new("absolute", marginals, weights)),
        "relative" => Box::new(height::Height::new("relative", marginals, weights)),
        "prec" => Box::new(prec::Prec::new("prec", marginals, weights, counted(false), tradeoff)),
        "vinterbo" => Box::new(prec::Prec::new("vinterbo", marginals, weights, counted(false), tradeoff)),
        "column-mi" => {
            let told = marginals.worths.iter().zip(weights).map(|(worths, w)| w * worths.mutual());
            let weights: Vec<f64> = told.collect();
            Box::new(prec::Prec::new("column-mi", marginals, &weights, counted(false), tradeoff))
        }
        "value-mi" => Box::new(value_mi::ValueInformation::new(marginals, weights, counted(false))),
        "dm" => Box::new(discernibility::Discernibility::new(marginals, true, tradeoff)),
        "dm*" => Box::new(discernibility::Discernibility::new(marginals, false, tradeoff)),
        "entropy" => {
            let (how, counted) = (how(Aggregate::Sum), counted(false));
            Box::new(entropy::Entropy::new(marginals, weights, how, counted, tradeoff))
        }
        "conditional-entropy" => {
            let how = how(Aggregate::Sum);
            Box::new(conditional::ConditionalEntropy::new(marginals, weights, how, tradeoff))
        }
        "lm" => {
            let (how, counted) = (how(Aggregate::Mean), counted(true));
            Box::new(lm::LossMetric::new(marginals, weights, how, counted, tradeoff))
        }
        "ambiguity" => Box::new(ambiguity::Ambiguity::new(marginals, tradeoff)),
        "aecs" => Box::new(aecs::AverageClass::new(marginals)),
        "cm" => Box::new(classification::Classification::new(marginals, tradeoff)),
        other => return Err(parameters::unknown(other).into()),
    })
}
