//! Models of the whole table: models that judge the sizes of all released classes by one figure
//! with an upper limit.
//!
//! **Which rows are suppressed.** Smaller classes go first, and classes of one size go together, so
//! no class is suppressed in place of an equally rare one. The choice is therefore one number: the
//! least size that stays. For every such size, the other models leave a largest set of classes that
//! is safe; larger sizes leave less. The smallest size whose set satisfies every limit is chosen.
//! The result is the largest set of this form, whatever the order of models, classes and threads. A
//! figure need not fall as the size grows; the empty set satisfies every limit.
//!
//! Sizes count rows that are equal in all quasi-identifiers, missing cells included. If missing
//! cells are wildcards, a row has more matches than are counted. Costs one pass over the classes if
//! the limit is met; otherwise a sort and one figure per distinct size.

use super::{ModelFacts, PrivacyModel, Scope, Verdict, settle};
use crate::classes::{Flags, View};
use crate::policy::ModelKind;
use crate::population::Sizes;

/// What a model of the whole table looks at.
pub trait TableFigure: Send + Sync {
    /// Its properties.
    fn facts(&self) -> FigureFacts;

    /// The figure of these classes, from 0 to 1; none if it cannot be computed, which never
    /// satisfies a limit. There is at least one class.
    fn figure(&self, sizes: &Sizes) -> Option<f64>;
}

/// The properties of a figure of the whole table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FigureFacts {
    /// The least rows of every class.
    pub min_rows: u64,
    /// Whether merging classes cannot raise the figure, as long as no row is left out.
    pub falls_when_merged: bool,
}

/// A model of the whole table.
pub struct TableModel {
    facts: ModelFacts,
    max: f64,
    min_rows: u64,
    figure: Box<dyn TableFigure>,
}

impl TableModel {
    /// A figure with its limit; `strict` where no row may be suppressed.
    ///
    /// Only then can it be monotone: rows that are suppressed at one node may come back at a node
    /// above it, in classes that are still small, and drive others out.
    pub fn new(
        kind: ModelKind,
        claim: String,
        max: f64,
        strict: bool,
        figure: impl TableFigure + 'static,
    ) -> Self {
        let FigureFacts { min_rows, falls_when_merged } = figure.facts();
        let facts = ModelFacts { monotone: strict && falls_when_merged, ..ModelFacts::new(kind, claim) };
        TableModel { facts, max, min_rows, figure: Box::new(figure) }
    }

    /// Whether classes of these sizes are within the limit.
    pub fn holds(&self, sizes: &Sizes) -> bool {
        let within = |figure: f64| figure <= self.max + ROUNDING;
        sizes.classes() == 0 || self.figure.figure(sizes).is_some_and(within)
    }
}

/// How close to its limit a figure counts as within it: shares are quotients that were rounded.
const ROUNDING: f64 = 1e-9;

impl PrivacyModel for TableModel {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        flags.flag_below(classes.counts(), self.min_rows);
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let sizes = sizes(classes, flags);
        let achieved = (sizes.classes() > 0).then(|| self.figure.figure(&sizes)).flatten();
        let least = sizes.smallest().is_none_or(|smallest| smallest >= self.min_rows);
        Some(Verdict::new(self.max, achieved, least && self.holds(&sizes)))
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Table(self)
    }
}

/// The sizes of the classes that are not flagged.
fn sizes(classes: &View<'_>, flags: &Flags) -> Sizes {
    let left = classes.counts().iter().enumerate().filter(|&(class, _)| !flags.has(class));
    Sizes::of(left.map(|(_, &count)| u64::from(count)))
}

/// Flags the smallest classes, and whatever the other models then flag, until every model of the
/// whole table holds.
pub(super) fn without_smallest(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    let whole: Vec<&TableModel> = models.iter().filter_map(|model| model.scope().table_model()).collect();
    if whole.is_empty() {
        return;
    }
    let holds = |sizes: &Sizes| whole.iter().all(|model| model.holds(sizes));
    let mut left = sizes(classes, flags);
    if holds(&left) {
        return;
    }
    let repeated = models.iter().any(|model| model.facts().needs_fixpoint);
    let counts = classes.counts();
    let mut order: Vec<usize> = (0..classes.len()).filter(|&class| !flags.has(class)).collect();
    order.sort_by_key(|&class| counts[class]);
    for equal in order.chunk_by(|&a, &b| counts[a] == counts[b]) {
        equal.iter().for_each(|&class| flags.flag(class, counts[class]));
        left = left.above(u64::from(counts[equal[0]]));
        if repeated {
            let before = flags.classes();
            settle(models, classes, flags);
            if flags.classes() > before {
                left = sizes(classes, flags);
            }
        }
        if holds(&left) {
            return;
        }
    }
}
