//! Models of the table as a whole: those that judge the sizes of all released classes together, by one figure that
//! must not be above a limit.
//!
//! **Which rows go.** Classes with few rows go first, and classes of one size go together: no class is held back in place of
//! another that is as rare. So the choice is one number, the least size that stays. For every such size the other models leave a largest set
//! of classes that is safe by itself; larger sizes leave less. The smallest size whose set is within every limit is
//! taken, so what stays is the largest set of this form, whatever the order of the models, of the classes and of the
//! threads. A figure need not fall as the size grows; no class at all is within every limit.
//!
//! Sizes count rows that are equal in all quasi-identifiers, missing cells included. Where these are wildcards a row has more
//! company than is counted. Costs a pass over the classes where the limit is met; a sort of them, and one figure per distinct
//! size, where it is not.

use super::{PrivacyModel, Verdict, settle};
use crate::classes::{Flags, View};
use crate::population::Sizes;

/// What a model of the whole table looks at.
pub trait TableFigure: Send + Sync {
    /// What these classes reach, from 0 to 1; none where that cannot be told, which is never enough. There is a class.
    fn figure(&self, sizes: &Sizes) -> Option<f64>;

    /// The least rows of every class.
    fn least(&self) -> u64 {
        1
    }

    /// Whether merging classes cannot raise the figure, as long as no row is left out.
    fn falls(&self) -> bool;
}

/// A model of the whole table.
pub struct TableModel {
    claim: String,
    max: f64,
    strict: bool,
    figure: Box<dyn TableFigure>,
}

impl TableModel {
    /// A figure with its limit; `strict` where no row may be suppressed.
    pub fn new(claim: String, max: f64, strict: bool, figure: impl TableFigure + 'static) -> Self {
        TableModel { claim, max, strict, figure: Box::new(figure) }
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
    fn name(&self) -> String {
        self.claim.clone()
    }

    /// Only where nothing is suppressed: rows that are held back at one node may come back at a node above it, in classes
    /// that are still small, and drive others out.
    fn monotone(&self) -> bool {
        self.strict && self.figure.falls()
    }

    fn cascades(&self) -> bool {
        false
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        flags.flag_below(classes.counts(), self.figure.least());
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let sizes = sizes(classes, flags);
        let achieved = (sizes.classes() > 0).then(|| self.figure.figure(&sizes)).flatten();
        let least = sizes.smallest().is_none_or(|smallest| smallest >= self.figure.least());
        Some(Verdict { required: self.max, achieved, holds: least && self.holds(&sizes) })
    }

    fn of_table(&self) -> Option<&TableModel> {
        Some(self)
    }
}

/// The sizes of the classes that are not flagged.
fn sizes(classes: &View<'_>, flags: &Flags) -> Sizes {
    let left = classes.counts().iter().enumerate().filter(|&(class, _)| !flags.has(class));
    Sizes::of(left.map(|(_, &count)| u64::from(count)))
}

/// Flags the smallest classes, and whatever the other models then flag, until every model of the whole table holds.
pub(super) fn without_smallest(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    let whole: Vec<&TableModel> = models.iter().filter_map(|model| model.of_table()).collect();
    if whole.is_empty() {
        return;
    }
    let holds = |sizes: &Sizes| whole.iter().all(|model| model.holds(sizes));
    let mut left = sizes(classes, flags);
    if holds(&left) {
        return;
    }
    let cascades = models.iter().any(|model| model.cascades());
    let counts = classes.counts();
    let mut order: Vec<usize> = (0..classes.len()).filter(|&class| !flags.has(class)).collect();
    order.sort_by_key(|&class| counts[class]);
    for equal in order.chunk_by(|&a, &b| counts[a] == counts[b]) {
        equal.iter().for_each(|&class| flags.flag(class, counts[class]));
        left = left.above(u64::from(counts[equal[0]]));
        if cascades {
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
