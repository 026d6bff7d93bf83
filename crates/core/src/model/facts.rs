//! What is known of a model before it judges: data that each model fills in when it is made.

use super::class::{Bound, ClassModel};
use super::table::TableModel;
use crate::policy::ModelKind;
use crate::release::PredictedFacts;

/// Which requirement of a policy a model stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// `privacy.k` or the k of a group of columns.
    KAnonymity,
    /// `input.missing = "suppress"`: a rule, not a guarantee.
    NoMissing,
    /// An entry of `privacy.models`.
    Model(ModelKind),
    /// None: a model that a program brings along.
    Custom,
}

impl From<ModelKind> for Requirement {
    fn from(kind: ModelKind) -> Self {
        Requirement::Model(kind)
    }
}

/// The properties of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFacts {
    /// What it stands for.
    pub requirement: Requirement,
    /// Its name in certificates.
    pub claim: String,
    /// Whether a row that is safe at a node is safe at every generalization of it.
    pub monotone: bool,
    /// Whether it judges every class by itself, and classes that are safe apart are safe together.
    pub class_wise: bool,
    /// Whether leaving out other classes can make a class unsafe. Then flagging is repeated until
    /// nothing changes: what remains is the largest set of rows that is safe by itself.
    pub needs_fixpoint: bool,
    /// Whether it judges a class among the classes that no other model flags. What it leaves must
    /// stay safe when further classes are left out.
    pub judged_last: bool,
    /// Whether it judges the labels of a quasi-identifier, by the rows that no other model flags.
    /// Such models judge side by side when all others have settled. Only for views of a node.
    pub judges_labels: bool,
    /// Whether it holds only because the choice of the release does not depend on the values that
    /// it is about.
    pub value_independent: bool,
    /// The measured columns whose histograms it reads.
    pub needs: Vec<usize>,
    /// A class of fewer rows cannot be safe.
    pub min_safe_rows: u64,
}

impl ModelFacts {
    /// A model that judges every class by itself, reads no measured column and is not monotone.
    pub fn new(requirement: impl Into<Requirement>, claim: impl Into<String>) -> Self {
        ModelFacts {
            requirement: requirement.into(),
            claim: claim.into(),
            monotone: false,
            class_wise: false,
            needs_fixpoint: false,
            judged_last: false,
            judges_labels: false,
            value_independent: false,
            needs: Vec::new(),
            min_safe_rows: 1,
        }
    }

    /// The same for a monotone model.
    pub fn monotone(requirement: impl Into<Requirement>, claim: impl Into<String>) -> Self {
        ModelFacts { monotone: true, ..ModelFacts::new(requirement, claim) }
    }

    /// Whether the rows of two safe releases are safe together, where classes with equal labels
    /// become one. A monotone model finds a class safe that is joined with any other; a class-wise
    /// one a class that is joined with a safe one.
    pub fn unites(&self) -> bool {
        self.monotone || self.class_wise
    }
}

/// What a model judges at a time.
#[derive(Clone, Copy)]
pub enum Scope<'a> {
    /// The classes of a node.
    Classes,
    /// One set of rows, however it was formed.
    Class(&'a dyn ClassModel),
    /// The sizes of all classes together, beside the classes that it flags one by one.
    Table(&'a TableModel),
    /// The least number of people of the population who must match a class.
    People(u64),
    /// The people whom the rows of one set belong to.
    Subjects {
        /// The measured column that names them.
        column: usize,
        /// The least number of them.
        least: u64,
    },
}

impl<'a> Scope<'a> {
    /// The model for arbitrary sets of rows; none if it needs all classes of a node.
    pub fn class_model(self) -> Option<&'a dyn ClassModel> {
        match self {
            Scope::Class(model) => Some(model),
            Scope::Classes | Scope::Table(_) | Scope::People(_) | Scope::Subjects { .. } => None,
        }
    }

    /// The model of all sizes together.
    pub fn table_model(self) -> Option<&'a TableModel> {
        match self {
            Scope::Table(model) => Some(model),
            Scope::Classes | Scope::Class(_) | Scope::People(_) | Scope::Subjects { .. } => None,
        }
    }

    /// The people of the population that a class needs; none if it is not judged by them.
    pub fn people(self) -> Option<u64> {
        match self {
            Scope::People(least) => Some(least),
            Scope::Classes | Scope::Class(_) | Scope::Table(_) | Scope::Subjects { .. } => None,
        }
    }

    /// The measured column of the people whom rows belong to, and how many of them a set needs.
    pub fn subjects(self) -> Option<(usize, u64)> {
        match self {
            Scope::Subjects { column, least } => Some((column, least)),
            Scope::Classes | Scope::Class(_) | Scope::Table(_) | Scope::People(_) => None,
        }
    }
}

/// What a model requires and what was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Required.
    pub required: f64,
    /// Reached; none when nothing is left.
    pub achieved: Option<f64>,
    /// Whether the one meets the other.
    pub holds: bool,
    /// The people that the model predicted, where it predicts people.
    pub predicted: Option<PredictedFacts>,
}

impl Verdict {
    /// A verdict without a prediction.
    pub fn new(required: f64, achieved: Option<f64>, holds: bool) -> Self {
        Verdict { required, achieved, holds, predicted: None }
    }

    /// The least count that was found, where a number is required.
    pub fn at_least(required: u64, least: Option<u64>) -> Self {
        let holds = least.is_none_or(|least| least >= required);
        Verdict::new(required as f64, least.map(|least| least as f64), holds)
    }

    /// The worst figure that was found, against its bound.
    pub fn within(bound: Bound, worst: Option<f64>) -> Self {
        Verdict::new(bound.required(), worst, worst.is_none_or(|figure| bound.holds(figure)))
    }
}
