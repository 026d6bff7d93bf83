//! A model of a sensitive column that somebody can link on, such as a salary that helps to disclose
//! a diagnosis [Xiang 2014, 2]: a quasi-identifier that is judged as well.
//!
//! The column counts for k and for the models of all other columns, and the search chooses its
//! level. Its own model protects it against an adversary who knows every other quasi-identifier of
//! a person: classes are those over all quasi-identifiers but this one, and what is judged are the
//! labels that they show at the level of the release. An adversary sees labels, and different labels
//! of one level have no value in common, so l labels are at least l values.
//!
//! **Suppression.** A class that is unsafe is suppressed whole. Whatever other models suppress is
//! left out of it first, so these models judge after the others have settled, all of them by the
//! same rows, and that is repeated until nothing changes ([`judge`](super::judge)).
//!
//! **Monotonicity.** Generalizing other columns merges classes, and safe classes are safe together.
//! Generalizing the column itself merges labels: there are fewer of them, and one is more frequent,
//! so that diversity, p-sensitivity and (α, k)-anonymity can be lost. What compares with the whole
//! table at the same level cannot: shares of merged labels are no further apart than before. So
//! t-closeness, (n, t)-closeness, δ-disclosure and basic β-likeness are monotone where no row may
//! be suppressed, and no other model is. (Enhanced β-likeness allows less gain to a label that is
//! more frequent in the table.)
//!
//! Costs one ranking of the classes by all columns but one, and a sort of them.

use super::k_anonymity::project;
use super::{Class, ClassModel, ModelFacts, PrivacyModel, Verdict};
use crate::classes::{Flags, View};
use crate::error::{Fault, Result};
use crate::table::Code;

/// A model of a quasi-identifier.
pub struct Linkable {
    facts: ModelFacts,
    /// Which of the quasi-identifiers it is.
    column: usize,
    /// Level → the model of the labels of that level, whose codes are those of the hierarchy.
    levels: Vec<Box<dyn PrivacyModel>>,
}

/// The rows that are equal in all other columns.
struct Alike {
    classes: Vec<usize>,
    figure: f64,
}

impl Linkable {
    /// Of a quasi-identifier, by a class-wise model for each of its levels. `monotone` where no row
    /// may be suppressed and merged labels keep a class safe.
    ///
    /// # Errors
    /// No level, or a model that does not judge a class by itself.
    pub fn new(column: usize, levels: Vec<Box<dyn PrivacyModel>>, monotone: bool) -> Result<Self> {
        let class_wise = levels.iter().all(|model| model.scope().class_model().is_some());
        let first = levels.first().filter(|_| class_wise).map(|model| model.facts());
        let Some(ModelFacts { requirement, claim, .. }) = first else {
            return Err(Fault::bug("a quasi-identifier with a model that does not judge classes").into());
        };
        let facts = ModelFacts::new(*requirement, claim.clone());
        let facts = ModelFacts { monotone, needs_fixpoint: true, judges_labels: true, ..facts };
        Ok(Linkable { facts, column, levels })
    }

    fn at<'a>(&'a self, view: &View<'_>) -> Option<&'a dyn ClassModel> {
        self.levels.get(view.node().level(self.column))?.scope().class_model()
    }

    /// The classes that are not flagged, by the other columns, with their figures.
    fn alike(&self, view: &View<'_>, flags: &Flags) -> Vec<Alike> {
        let Some(model) = self.at(view) else { return Vec::new() };
        let others: Vec<usize> = (0..view.columns()).filter(|&column| column != self.column).collect();
        let ids = project(view, &others);
        let left = (0..view.len()).filter(|&class| !flags.has(class));
        let mut left: Vec<(u32, Code, usize)> =
            left.map(|class| (ids[class], view.code(class, self.column), class)).collect();
        left.sort_unstable();
        let (mut codes, mut counts) = (Vec::new(), Vec::new());
        let mut judged = |alike: &[(u32, Code, usize)]| {
            codes.clear();
            counts.clear();
            codes.extend(alike.iter().map(|&(_, code, _)| code));
            counts.extend(alike.iter().map(|&(.., class)| view.counts()[class]));
            let figure = model.figure(Class { codes: &codes, counts: &counts });
            Alike { classes: alike.iter().map(|&(.., class)| class).collect(), figure }
        };
        left.chunk_by(|a, b| a.0 == b.0).map(&mut judged).collect()
    }
}

impl PrivacyModel for Linkable {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, view: &View<'_>, flags: &mut Flags) {
        let Some(bound) = self.at(view).map(|model| model.class_facts().bound) else { return };
        for alike in self.alike(view, flags).into_iter().filter(|alike| !bound.holds(alike.figure)) {
            alike.classes.into_iter().for_each(|class| flags.flag(class, view.counts()[class]));
        }
    }

    fn verdict(&self, view: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let bound = self.at(view)?.class_facts().bound;
        let figures = self.alike(view, flags).into_iter().map(|alike| alike.figure);
        Some(Verdict::within(bound, figures.reduce(|a, b| bound.worse(a, b))))
    }
}
