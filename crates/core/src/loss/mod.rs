//! Losses: what a node costs the recipient. One file per family, one line in [`NAMES`].
//!
//! Definitions are those of the user guide ("How the numbers are defined"). Sums over rows are kept
//! in integers, and everything else is added up in one fixed order, so that a loss has the same bits
//! whatever the classes were rolled up from.

mod aecs;
mod ambiguity;
mod columns;
mod discernibility;
mod entropy;
mod height;
mod lm;
mod marginals;
mod prec;

pub use marginals::Marginals;

use crate::classes::{Flags, View};
use crate::error::{Fault, Result, nearest};
use crate::lattice::Node;
use crate::policy::{Aggregate, LossParameters};

/// What a node costs.
pub trait Loss: Send + Sync {
    /// What policies and certificates call it.
    fn name(&self) -> &'static str;

    /// Whether no generalization of a node costs less than the node.
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
pub const NAMES: [&str; 10] =
    ["height", "absolute", "relative", "prec", "dm", "dm*", "entropy", "lm", "ambiguity", "aecs"];

/// Makes the loss that a policy asks for, with what it does not say at its default.
///
/// # Errors
/// An unknown name, or a parameter that the loss does not have.
pub fn build(parameters: &LossParameters, marginals: &Marginals, weights: &[f64]) -> Result<Box<dyn Loss>> {
    let LossParameters { name, aggregate, count_suppressed } = parameters;
    fixed(parameters)?;
    Ok(match name.as_str() {
        "height" => Box::new(height::Height::new("height", marginals, weights)),
        "absolute" => Box::new(height::Height::new("absolute", marginals, weights)),
        "relative" => Box::new(height::Height::new("relative", marginals, weights)),
        "prec" => Box::new(prec::Prec::new(marginals, weights, count_suppressed.unwrap_or(false))),
        "dm" => Box::new(discernibility::Discernibility::new(marginals, true)),
        "dm*" => Box::new(discernibility::Discernibility::new(marginals, false)),
        "entropy" => Box::new(entropy::Entropy::new(
            marginals,
            weights,
            aggregate.unwrap_or(Aggregate::Sum),
            count_suppressed.unwrap_or(false),
        )),
        "lm" => Box::new(lm::LossMetric::new(
            marginals,
            weights,
            aggregate.unwrap_or(Aggregate::Mean),
            count_suppressed.unwrap_or(true),
        )),
        "ambiguity" => Box::new(ambiguity::Ambiguity::new(marginals)),
        "aecs" => Box::new(aecs::AverageClass::new(marginals)),
        other => return Err(unknown(other)),
    })
}

fn unknown(name: &str) -> crate::error::Error {
    let near = nearest(name, NAMES).map_or(String::new(), |n| format!("did you mean \"{n}\"? "));
    Fault::input(format!("there is no loss \"{name}\""))
        .key("search.loss")
        .help(format!("{near}losses are {}", NAMES.join(", ")))
        .into()
}

/// Refuses parameters that a loss does not have.
fn fixed(parameters: &LossParameters) -> Result<()> {
    let name = parameters.name.as_str();
    if parameters.aggregate.is_some() && !matches!(name, "entropy" | "lm") && NAMES.contains(&name) {
        return Err(Fault::input(format!("loss \"{name}\" has no aggregate"))
            .key("search.loss.aggregate")
            .help("only \"lm\" and \"entropy\" are put together from columns in several ways")
            .into());
    }
    let always = match name {
        "dm" | "ambiguity" | "aecs" => Some(true),
        "dm*" | "height" | "absolute" | "relative" => Some(false),
        _ => None,
    };
    match (always, parameters.count_suppressed) {
        (Some(always), Some(asked)) if always != asked => Err(Fault::input(format!(
            "loss \"{name}\" {} suppressed rows by its definition",
            if always { "counts" } else { "does not count" }
        ))
        .key("search.loss.count_suppressed")
        .help(if name == "dm" { "\"dm*\" is the form that does not count them" } else { "leave it out" })
        .into()),
        _ => Ok(()),
    }
}
