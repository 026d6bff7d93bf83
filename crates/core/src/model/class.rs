//! Class-wise models: models that judge a class only by the values of one sensitive column in it.
//!
//! They do not depend on lattice or node, so any method that forms sets of rows can use them. Each
//! is a [`ClassModel`], which makes it a [`PrivacyModel`] that judges every class of a view. Costs
//! one pass over the histogram of the column. Classes that are already flagged are skipped, so
//! cheaper models come first.

use super::{ModelFacts, PrivacyModel, Requirement, Scope, Verdict};
use crate::classes::{Flags, View};
use crate::table::Code;

/// Figures closer than this count as equal: rounding must not distinguish l equally frequent values
/// from l values.
const ROUNDING: f64 = 1e-9;

/// A set of rows as a model sees it: the values of a column that occur, ascending, and the rows of
/// each.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// The values.
    pub codes: &'a [Code],
    /// The rows of each.
    pub counts: &'a [u32],
}

impl<'a> Class<'a> {
    /// The rows.
    pub fn rows(self) -> f64 {
        self.counts.iter().map(|&n| f64::from(n)).sum()
    }

    /// The values and rows without those of a missing cell.
    pub fn present(self, missing: Option<Code>) -> impl Iterator<Item = (Code, u32)> + Clone + 'a {
        let all = self.codes.iter().copied().zip(self.counts.iter().copied());
        all.filter(move |&(code, _)| Some(code) != missing)
    }
}

/// What the figure of a class is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// It must be at least this.
    AtLeast(f64),
    /// It must be at most this.
    AtMost(f64),
    /// It must be less than this; for figures that are quotients of whole numbers, which rounding
    /// cannot bring there.
    Below(f64),
    /// It must be less than this by more than rounding.
    WellBelow(f64),
}

impl Bound {
    /// The required number.
    pub fn required(self) -> f64 {
        match self {
            Bound::AtLeast(bound) | Bound::AtMost(bound) => bound,
            Bound::Below(bound) | Bound::WellBelow(bound) => bound,
        }
    }

    /// Whether a figure keeps to it. Figures within rounding of a bound that they may reach reach
    /// it; a bound that must not be reached is exact.
    pub fn holds(self, figure: f64) -> bool {
        match self {
            Bound::AtLeast(bound) => figure >= bound - ROUNDING * bound.abs().max(1.0),
            Bound::AtMost(bound) => figure <= bound + ROUNDING * bound.abs().max(1.0),
            Bound::Below(bound) => figure < bound,
            Bound::WellBelow(bound) => figure < bound - ROUNDING * bound.abs().max(1.0),
        }
    }

    /// A bound of four digits that a figure keeps to and that is as near to the figure as can be;
    /// none where no bound would do.
    pub fn relaxed_to(self, figure: f64) -> Option<f64> {
        let digits = 1e4;
        let relaxed = match self {
            Bound::AtLeast(_) => (figure * digits).floor() / digits,
            Bound::AtMost(_) => (figure * digits).ceil() / digits,
            Bound::Below(_) | Bound::WellBelow(_) => ((figure * digits).ceil() + 1.0) / digits,
        };
        (relaxed.is_finite() && relaxed > 0.0).then_some(relaxed)
    }

    /// The one of two figures that is further from keeping to it.
    pub fn worse(self, a: f64, b: f64) -> f64 {
        match self {
            Bound::AtLeast(_) => a.min(b),
            Bound::AtMost(_) | Bound::Below(_) | Bound::WellBelow(_) => a.max(b),
        }
    }
}

/// The properties of a model that judges a set of rows by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassFacts {
    /// Those that all models have.
    pub model: ModelFacts,
    /// The measured column.
    pub column: usize,
    /// What figures are compared with.
    pub bound: Bound,
    /// Whether a safe class stays safe when it is merged with any other, safe or not. A property of
    /// the definition alone: it does not depend on how many rows may be suppressed.
    pub absorbs: bool,
}

impl ClassFacts {
    /// A model whose safe classes are safe together, but not with every other class.
    pub fn new(requirement: impl Into<Requirement>, claim: String, column: usize, bound: Bound) -> Self {
        let model =
            ModelFacts { needs: vec![column], class_wise: true, ..ModelFacts::new(requirement, claim) };
        ClassFacts { model, column, bound, absorbs: false }
    }

    /// Whether no row may be suppressed. Then all classes of a safe node are safe, and the classes
    /// of a node above are unions of safe ones: the model is monotone.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.model.monotone |= strict;
        self
    }

    /// A safe class stays safe with any other, so the model is monotone.
    #[must_use]
    pub fn absorbing(mut self) -> Self {
        (self.absorbs, self.model.monotone) = (true, true);
        self
    }

    /// A class of fewer rows cannot be safe, whatever values they have.
    #[must_use]
    pub fn min_safe_rows(mut self, rows: u64) -> Self {
        self.model.min_safe_rows = rows;
        self
    }
}

/// A model that judges a set of rows by the values of one measured column in it. Two safe sets must
/// be safe together.
pub trait ClassModel: Send + Sync {
    /// Its properties.
    fn class_facts(&self) -> &ClassFacts;

    /// How far a class goes.
    fn figure(&self, class: Class<'_>) -> f64;

    /// A lower bound of the unreleased rows, however a class is split into classes whose safe ones
    /// are released; 0 if unknown.
    ///
    /// Most models have it from this: safe parts are safe together. Where a figure D of shares is
    /// convex and at most M, and rows are left out of a class of n rows until it is at most t, then
    /// n·D ≤ (n − left out)·t + left out·M.
    fn unreleasable_rows(&self, _class: Class<'_>) -> f64 {
        0.0
    }
}

/// The rows that a class of n rows must lose to come from a convex figure, which is at most 1, to a
/// lower one.
pub(super) fn to_reach(asked: f64, figure: f64, rows: f64) -> f64 {
    let asked = asked + ROUNDING;
    if figure > asked { rows * (figure - asked) / (1.0 - asked) } else { 0.0 }
}

impl<M: ClassModel> PrivacyModel for M {
    fn facts(&self) -> &ModelFacts {
        &self.class_facts().model
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let &ClassFacts { bound, column, .. } = self.class_facts();
        for class in 0..classes.len() {
            if !flags.has(class) && !bound.holds(self.figure(seen(classes, column, class))) {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let &ClassFacts { bound, column, .. } = self.class_facts();
        let figures = (0..classes.len()).filter(|&class| !flags.has(class));
        let figures = figures.map(|class| self.figure(seen(classes, column, class)));
        Some(Verdict::within(bound, figures.reduce(|a, b| bound.worse(a, b))))
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Class(self)
    }
}

/// Rows at least of the classes that are not flagged which no node below releases; 0 where that is
/// not known.
pub fn min_unreleasable_rows(model: &dyn PrivacyModel, classes: &View<'_>, flags: &Flags) -> u64 {
    let Some(model) = model.scope().class_model() else { return 0 };
    let column = model.class_facts().column;
    let open = (0..classes.len()).filter(|&class| !flags.has(class));
    // Whole rows, and none by rounding.
    let rows = |class| (model.unreleasable_rows(seen(classes, column, class)) - 1e-6).ceil().max(0.0) as u64;
    open.map(rows).sum()
}

fn seen<'a>(classes: &View<'a>, column: usize, class: usize) -> Class<'a> {
    let (codes, counts) = classes.histogram(column, class);
    Class { codes, counts }
}
