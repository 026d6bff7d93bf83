//! Class-wise models: those that judge a class by the values of one sensitive column in it and by nothing else.
//!
//! They know neither lattice nor node, so that whatever forms sets of rows can ask about any set. Each is a
//! [`ClassModel`]; that makes it a [`PrivacyModel`], which asks it about every class of a view. Costs one pass over
//! the histogram of the column; classes that are flagged already are not asked about, so models that cost less
//! come first.

use super::{PrivacyModel, Verdict};
use crate::classes::{Flags, View};
use crate::table::Code;

/// How close two figures may be before they count as the same: rounding must not tell l equally frequent values
/// from l values.
const ROUNDING: f64 = 1e-9;

/// A set of rows as a model sees it: the values of a column that occur, ascending, and the rows of each.
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
    /// It must be less than this; for figures that are quotients of whole numbers, which rounding cannot bring there.
    Below(f64),
    /// It must be less than this by more than rounding.
    WellBelow(f64),
}

impl Bound {
    /// The number asked for.
    pub fn required(self) -> f64 {
        match self {
            Bound::AtLeast(bound) | Bound::AtMost(bound) => bound,
            Bound::Below(bound) | Bound::WellBelow(bound) => bound,
        }
    }

    /// Whether a figure keeps to it. Figures within rounding of a bound that they may reach reach it; a bound that
    /// must not be reached is exact.
    pub fn holds(self, figure: f64) -> bool {
        match self {
            Bound::AtLeast(bound) => figure >= bound - ROUNDING * bound.abs().max(1.0),
            Bound::AtMost(bound) => figure <= bound + ROUNDING * bound.abs().max(1.0),
            Bound::Below(bound) => figure < bound,
            Bound::WellBelow(bound) => figure < bound - ROUNDING * bound.abs().max(1.0),
        }
    }

    /// The one of two figures that is further from keeping to it.
    fn worse(self, a: f64, b: f64) -> f64 {
        match self {
            Bound::AtLeast(_) => a.min(b),
            Bound::AtMost(_) | Bound::Below(_) | Bound::WellBelow(_) => a.max(b),
        }
    }
}

/// A model that judges a set of rows by the values of one measured column in it.
pub trait ClassModel: Send + Sync {
    /// What certificates call it.
    fn claim(&self) -> &str;

    /// The measured column.
    fn column(&self) -> usize;

    /// Whether a safe class stays safe when it is merged with any other, safe or not.
    fn absorbs(&self) -> bool;

    /// What figures are compared with.
    fn bound(&self) -> Bound;

    /// How far a class goes.
    fn figure(&self, class: Class<'_>) -> f64;

    /// A class of fewer rows cannot be safe, whatever values they have.
    fn fewest(&self) -> u64 {
        1
    }

    /// Rows at least that are not released, however a class is split into classes of which the safe ones are released;
    /// 0 where that is not known.
    ///
    /// Most models have it from this: safe parts are safe together. Where a figure D of shares is convex and at most
    /// M, and rows are left out of a class of n rows until it is at most t, then n·D ≤ (n − left out)·t + left out·M.
    fn behind(&self, _class: Class<'_>) -> f64 {
        0.0
    }
}

/// The rows that a class of n rows must lose to come from a convex figure, which is at most 1, to a lower one.
pub(super) fn to_reach(asked: f64, figure: f64, rows: f64) -> f64 {
    let asked = asked + ROUNDING;
    if figure > asked { rows * (figure - asked) / (1.0 - asked) } else { 0.0 }
}

impl<M: ClassModel> PrivacyModel for M {
    fn name(&self) -> String {
        self.claim().into()
    }

    fn monotone(&self) -> bool {
        self.absorbs()
    }

    fn cascades(&self) -> bool {
        false
    }

    fn needs(&self) -> Vec<usize> {
        vec![self.column()]
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let bound = self.bound();
        for class in 0..classes.len() {
            if !flags.has(class) && !bound.holds(self.figure(seen(classes, self.column(), class))) {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let bound = self.bound();
        let figures = (0..classes.len()).filter(|&class| !flags.has(class));
        let figures = figures.map(|class| self.figure(seen(classes, self.column(), class)));
        let achieved = figures.reduce(|a, b| bound.worse(a, b));
        Some(Verdict {
            required: bound.required(),
            achieved,
            holds: achieved.is_none_or(|figure| bound.holds(figure)),
        })
    }

    fn fewest(&self) -> u64 {
        ClassModel::fewest(self)
    }

    fn held_back(&self, classes: &View<'_>, flags: &Flags) -> u64 {
        let open = (0..classes.len()).filter(|&class| !flags.has(class));
        // Whole rows, and none by rounding.
        open.map(|class| (self.behind(seen(classes, self.column(), class)) - 1e-6).ceil().max(0.0) as u64)
            .sum()
    }

    fn of_class(&self) -> Option<&dyn ClassModel> {
        Some(self)
    }
}

fn seen<'a>(classes: &View<'a>, column: usize, class: usize) -> Class<'a> {
    let (codes, counts) = classes.histogram(column, class);
    Class { codes, counts }
}
