//! Losses: what a node, or a release cell by cell, costs the recipient. One file per family, with
//! both definitions; which there are is in the registry ([`LossKind`]).
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
mod iloss;
mod lm;
mod marginals;
mod per_row;
mod prec;
mod price;
mod tradeoff;
mod value_mi;
mod width;

pub use marginals::{Marginals, TargetCounts};
pub use per_row::row_losses;
pub use price::Price;

use std::sync::Arc;

use self::price::ColumnSums;
use self::tradeoff::Tradeoff;
use self::width::Width;
use crate::classes::{Flags, View};
use crate::error::{Error, Result};
use crate::fault;
use crate::lattice::Node;
use crate::policy::{Aggregate, LossParameters, check_loss, no_target};
use crate::registry::LossKind;
use crate::utility::Utility;

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
    fn evidence(&self, view: &View<'_>, _: &Flags, _: Allowed) -> Evidence {
        Evidence { above: self.bound(view.node(), &[]), surplus: Vec::new() }
    }

    /// Whether the classes of a node bound the nodes above it better than its columns do, so that
    /// it pays to form them.
    fn by_classes(&self) -> bool {
        false
    }

    /// A lower bound of the loss of every safe node between a bottom and a top, from
    /// [`Evidence::above`] of the bottom and the surplus of the top. Never below either bound by
    /// itself.
    fn bound_between(&self, bottom: &Node, above: f64, surplus: &[f64]) -> f64 {
        self.bound(bottom, surplus).max(above)
    }

    /// [`Loss::bound`] as one term per column: [`Loss::total`] of their sum. A column's term
    /// depends on its level and its part of the surplus, and never falls with either. None if the
    /// loss is not such a sum.
    fn terms(&self, _: &Node, _: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// The bound that terms add up to; never falls with their sum.
    fn total(&self, sum: f64) -> f64 {
        sum
    }

    /// The loss of each column, with its weight; none if the loss is not a sum over columns.
    fn parts(&self, _: &View<'_>, _: &Flags) -> Vec<f64> {
        Vec::new()
    }
}

/// What is known of every safe node before it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowed {
    /// A class of fewer rows is never released.
    pub min_rows: u64,
    /// More rows are never suppressed.
    pub max_suppressed: u64,
}

/// Evidence of a node's classes about other nodes, for monotone models: suppressed rows only
/// increase towards the bottom, and classes only merge towards the top.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// A lower bound of the cost of every safe generalization. Holds for any model, because it
    /// does not depend on which classes are suppressed.
    pub above: f64,
    /// What suppressed rows add at least to every specialization, in the loss's own parts; empty
    /// for nothing.
    pub surplus: Vec<f64>,
}

/// How a loss is defined.
struct Definition {
    /// The loss of nodes.
    build: fn(&Asked, &Marginals, &[f64]) -> Box<dyn Loss>,
    /// The loss of cells.
    cells: CellLoss,
}

/// How a loss of cells is defined.
enum CellLoss {
    /// The loss of a column, without its weight; the columns are aggregated.
    Columns(fn(&ColumnSums, &Price, &Asked) -> f64),
    /// The loss of the whole release, with the weights of columns.
    Whole(fn(&Price, &Asked, &[f64]) -> f64),
}

/// A loss with its parameters, those that a policy does not give at their defaults.
struct Asked {
    kind: LossKind,
    aggregate: Aggregate,
    /// Whether suppressed rows count.
    counted: bool,
    tradeoff: Tradeoff,
}

impl Asked {
    fn new(parameters: &LossParameters) -> Self {
        // The counts that values are worth something by are in the marginals.
        let LossParameters { kind, aggregate, count_suppressed, tradeoff, rare: _ } = *parameters;
        Asked {
            kind,
            aggregate: kind.aggregate(aggregate),
            counted: kind.counts_suppressed(count_suppressed),
            tradeoff: Tradeoff::new(tradeoff.unwrap_or(0.5)),
        }
    }
}

/// Where each loss is defined; that of statistics, whose cells are read as numbers, is in
/// `utility.rs`.
const fn definition(kind: LossKind) -> Option<Definition> {
    Some(match kind {
        LossKind::Height | LossKind::Absolute | LossKind::Relative => height::DEFINITION,
        LossKind::Prec | LossKind::Vinterbo => prec::DEFINITION,
        LossKind::ColumnMi => prec::INFORMATION,
        LossKind::ValueMi => value_mi::DEFINITION,
        LossKind::Dm => discernibility::DEFINITION,
        LossKind::DmStar => discernibility::UNSUPPRESSED,
        LossKind::Entropy => entropy::DEFINITION,
        LossKind::ConditionalEntropy => conditional::DEFINITION,
        LossKind::Lm => lm::DEFINITION,
        LossKind::Ambiguity => ambiguity::DEFINITION,
        LossKind::Aecs => aecs::DEFINITION,
        LossKind::Cm => classification::DEFINITION,
        LossKind::ILoss => iloss::DEFINITION,
        LossKind::Width => return None,
    })
}

/// The losses that are defined for a table: those of targets only where there is one.
pub fn defined(marginals: &Marginals) -> impl Iterator<Item = LossKind> {
    let labels = !marginals.targets.is_empty();
    LossKind::of_tables().filter(move |kind| labels || !kind.needs_target())
}

/// Makes the loss of a policy, with what it does not say at its default.
///
/// # Errors
/// A parameter that the loss does not have, or a loss of labels for a table without a target.
pub fn build(parameters: &LossParameters, marginals: &Marginals, weights: &[f64]) -> Result<Box<dyn Loss>> {
    Error::check(check_loss(parameters))?;
    let asked = Asked::new(parameters);
    if asked.kind.needs_target() && marginals.targets.is_empty() {
        return Err(no_target(asked.kind).into());
    }
    let definition = definition(asked.kind).ok_or_else(of_statistics)?;
    Ok((definition.build)(&asked, marginals, weights))
}

/// Makes the loss `width` of a policy's statistics, with whether rows may be suppressed.
pub fn of_widths(utility: Arc<Utility>, suppresses: bool) -> Box<dyn Loss> {
    Box::new(Width::new(utility, suppresses))
}

/// The fault of the loss of statistics where a policy lists none.
fn of_statistics() -> Error {
    fault!(Input, "policy.width-without-statistics", "the loss \"width\" has no statistics")
        .key("search.loss")
        .help("list them in the policy: loss = { name = \"width\", statistics = […] }")
        .into()
}
