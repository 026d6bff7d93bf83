//! Privacy models: the conditions that make a class unsafe. One file per model, which the list of
//! models in `policy/models` declares.
//!
//! A model of the values of a sensitive column is a [`ClassModel`]: it judges one class at a time,
//! regardless of how the class was formed. A model of the whole table is a [`TableFigure`] with a
//! limit. Any other model implements [`PrivacyModel`] directly. What is known of a model before it
//! judges is data, its [`ModelFacts`]. `Build` makes a model of its parameters.

mod class;
mod distance;
mod facts;
mod j_counted;
mod j_predicted;
mod k_anonymity;
mod linkable;
mod min_rows;
mod nesting;
mod no_missing;
mod subjects;
mod table;

// One file per model that a policy can ask for, with the name of its key.
throng_terms::model_modules!();

pub use class::{Bound, Class, ClassFacts, ClassModel, min_unreleasable_rows};
pub use delta_presence::{LeastPresent, MostPresent};
pub use facts::{ModelFacts, Requirement, Scope, Verdict};
pub use j_counted::JCounted;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use linkable::Linkable;
pub use min_rows::MinRows;
pub use nesting::{Nesting, TraceCode};
pub use no_missing::NoMissing;
pub use subjects::Subjects;
pub use table::{FigureFacts, TableFigure, TableModel};

use crate::classes::{Classes, Flags, View};
use crate::deletion::Deletion;
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::policy::ModelSpec;
use crate::table::{Code, Dictionary};
use crate::watch::Watch;

/// A sensitive column as models know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sensitive {
    /// Which of the measured columns it is.
    pub measured: usize,
    /// The code of a missing cell, where there is one.
    pub missing: Option<Code>,
}

/// A sensitive column with its values in the whole table, from which models are made.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// Its name.
    pub name: &'a str,
    /// Which of the measured columns it is.
    pub measured: usize,
    /// Code → value.
    pub texts: &'a Dictionary,
    /// Code → rows of the table.
    pub rows: &'a [u64],
    /// Its hierarchy, where it has one.
    pub hierarchy: Option<&'a Hierarchy>,
    /// Whether the hierarchy lists values in an order that somebody gave them.
    pub listed: bool,
}

impl Values<'_> {
    /// What class-wise models keep of it.
    pub fn sensitive(&self) -> Sensitive {
        Sensitive { measured: self.measured, missing: self.texts.missing() }
    }

    /// How many values occur, a missing cell not among them.
    pub fn present(&self) -> usize {
        let missing = self.texts.missing();
        let occurs = |(code, rows): (usize, &u64)| *rows > 0 && Some(code as Code) != missing;
        self.rows.iter().enumerate().filter(|&(code, rows)| occurs((code, rows))).count()
    }

    /// Code → whether it is one of the named values; without names all are.
    ///
    /// # Errors
    /// A named value that the column does not have.
    fn named(&self, values: Option<&[String]>) -> Result<Vec<bool>> {
        let mut named = vec![values.is_none(); self.rows.len()];
        for value in values.into_iter().flatten() {
            let Some(code) = self.texts.get(Some(value)) else {
                return Err(fault!(
                    Data,
                    "model.no-such-value",
                    "`{column}` has no value `{value}`",
                    column = self.name,
                    value = value
                )
                .key("values")
                .help("correct or remove it")
                .into());
            };
            named[code as usize] = true;
        }
        Ok(named)
    }

    /// Code → share of the table's rows.
    fn shares(&self) -> Vec<f64> {
        let all = self.rows.iter().sum::<u64>().max(1) as f64;
        self.rows.iter().map(|&rows| rows as f64 / all).collect()
    }
}

/// A guarantee that classes meet or violate.
pub trait PrivacyModel: Send + Sync {
    /// Its properties.
    fn facts(&self) -> &ModelFacts;

    /// Flags the classes that violate the model in the table without the classes flagged already.
    fn violations(&self, classes: &View<'_>, flags: &mut Flags);

    /// The requirement, and the figure of the classes that are not flagged; none for a rule that is
    /// not a guarantee.
    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict>;

    /// Whether it was asked to stop, and may have left a judgement incomplete: nothing that it
    /// flagged or found can then be relied on. Once it is true, it stays true.
    fn is_stopped(&self) -> bool {
        false
    }

    /// What it judges at a time.
    fn scope(&self) -> Scope<'_> {
        Scope::Classes
    }

    /// A model of single sets of rows that suffices for it, where it judges all classes together:
    /// what methods aim at that form one region after the other.
    fn aim(&self) -> Option<&dyn ClassModel> {
        None
    }
}

/// Flags every class that violates some model, in the table without the flagged ones; then, where
/// models of the whole table ask for it, the smallest classes.
///
/// # Errors
/// As [`check_complete`].
pub fn judge(models: &[Box<dyn PrivacyModel>], classes: &View<'_>, flags: &mut Flags) -> Result<()> {
    judge_by(&models.iter().map(|model| &**model).collect::<Vec<_>>(), classes, flags);
    check_complete(models)
}

/// Fails if a model was asked to stop, so that what the models flagged or found before this call
/// may be incomplete. To be called after judgements and before anything follows from them.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled).
pub fn check_complete(models: &[Box<dyn PrivacyModel>]) -> Result<()> {
    if models.iter().any(|model| model.is_stopped()) { Err(Error::cancelled()) } else { Ok(()) }
}

/// Judges by some of the models, which may be stopped: see [`check_complete`].
pub fn judge_by(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    flags.reset(classes.len());
    flag_all(models, classes, flags);
}

/// The same, until it is known that more than `most` rows are flagged; whether they are not, and
/// the flags therefore complete.
pub fn judge_within(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags, most: u64) -> bool {
    flags.reset(classes.len());
    flags.stop_above(most);
    flag_all(models, classes, flags);
    !flags.exceeded()
}

fn flag_all(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    settle(models, classes, flags);
    let settled = flags.classes();
    for model in models.iter().filter(|model| model.facts().judged_last) {
        if flags.exceeded() {
            return;
        }
        model.violations(classes, flags);
    }
    if flags.classes() > settled {
        settle(models, classes, flags);
    }
    if !flags.exceeded() {
        table::without_smallest(models, classes, flags);
    }
}

/// Flags until nothing changes, without the models that come last; or until too many rows are.
fn settle(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    let early = models.iter().copied().filter(|model| !model.facts().judged_last);
    let (of_labels, others): (Vec<_>, Vec<_>) = early.partition(|model| model.facts().judges_labels);
    loop {
        settle_classes(&others, classes, flags);
        if of_labels.is_empty() || flags.exceeded() {
            return;
        }
        // Side by side, so that the result does not depend on their order.
        let before = flags.clone();
        for model in &of_labels {
            let mut own = before.clone();
            model.violations(classes, &mut own);
            own.iter().for_each(|class| flags.flag(class, classes.counts()[class]));
        }
        if flags.classes() == before.classes() {
            return;
        }
    }
}

/// The same by models of classes over all columns or a group of them.
fn settle_classes(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    let repeated = models.iter().any(|model| model.facts().needs_fixpoint);
    loop {
        let before = flags.classes();
        for model in models {
            if flags.exceeded() {
                return;
            }
            model.violations(classes, flags);
        }
        if !repeated || flags.classes() == before {
            return;
        }
    }
}

/// The measured columns that models read, each once.
pub fn measured_needs(models: &[Box<dyn PrivacyModel>]) -> Vec<usize> {
    let mut needs: Vec<usize> = models.iter().flat_map(|model| model.facts().needs.iter().copied()).collect();
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// What a model is made in: the table as far as it is known before the search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Setting<'a> {
    /// The sensitive column that the model is about, where it is about one.
    pub column: Option<&'a Values<'a>>,
    /// The quasi-identifiers, in the table's order.
    pub quasi: &'a [String],
    /// All measured columns, without their hierarchies.
    pub measured: &'a [Values<'a>],
    /// Rows of the table.
    pub rows: u64,
    /// The classes of the table, beside the population where there is one.
    pub classes: Option<&'a Classes>,
    /// The hierarchies of the quasi-identifiers.
    pub hierarchies: &'a [Hierarchy],
    /// How many of them may be suppressed.
    pub max_suppressed: u64,
    /// The column of guarding nodes, where the model has one.
    pub guard: Option<&'a Values<'a>>,
    /// Whether no row may be suppressed.
    pub strict: bool,
    /// The policy's k, where it asks for one.
    pub k: Option<u64>,
    /// What was deleted from the table before.
    pub deletion: Option<&'a Deletion>,
    /// Reports how far a model that has to be fitted is, and may stop it.
    pub watch: Option<&'a Watch>,
}

impl<'a> Setting<'a> {
    fn column(&self) -> Result<&'a Values<'a>> {
        self.column.ok_or_else(|| Fault::bug("a model without its column").into())
    }

    /// Everybody in the population beside the table.
    fn people(&self) -> u64 {
        let people = self.classes.map_or(&[][..], Classes::people);
        people.iter().map(|&people| u64::from(people)).sum()
    }

    fn guard(&self) -> Result<&'a Values<'a>> {
        self.guard.ok_or_else(|| Fault::bug("a model without its guarding nodes").into())
    }
}

/// How the search makes a model of the parameters in a policy.
trait Build {
    /// The model; `claim` is its name in certificates.
    ///
    /// # Errors
    /// Parameters that do not fit the table; the fault's key is the parameter.
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>>;

    /// The other half of a model that bounds two figures, if the policy requests it.
    fn other_half(&self) -> Option<Box<dyn PrivacyModel>> {
        None
    }

    /// Whether a safe class stays safe when some of its values become one, in the whole table too.
    fn safe_when_coarser(&self) -> bool {
        false
    }

    /// A requirement that no class of the table can meet, whatever the search does; the fault's key
    /// is the parameter at fault.
    fn unreachable(&self, _setting: &Setting<'_>) -> Option<Fault> {
        None
    }
}

/// The model of a policy.
///
/// # Errors
/// Parameters that do not fit the table; the fault's key is the parameter.
pub fn build(asked: &ModelSpec, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
    let claim = asked.claim();
    throng_terms::each_model!(asked, asked => asked.build(claim, setting))
}

/// Whether a class that the model finds safe stays safe when some of its values become one, in the
/// whole table too.
pub fn safe_when_coarser(asked: &ModelSpec) -> bool {
    throng_terms::each_model!(asked, asked => asked.safe_when_coarser())
}

/// A table must not be larger than the population that it was drawn from.
fn enough_people(people: u64, rows: u64) -> Result<()> {
    if people >= rows {
        return Ok(());
    }
    Err(fault!(
        Data,
        "population.smaller-than-table",
        "the {table} has {rows} rows, more than the {people} people of the population",
        table = "table",
        rows = rows,
        people = people
    )
    .key("population")
    .help("give the number of people that the table was drawn from, the table's own among them")
    .into())
}

/// The other half of a model that bounds two figures, if the policy requests it.
pub fn other_half(asked: &ModelSpec) -> Option<Box<dyn PrivacyModel>> {
    throng_terms::each_model!(asked, asked => asked.other_half())
}

/// Requirements that no class of the table can meet, whatever the search does; the fault's key is
/// the parameter at fault.
pub fn unreachable(asked: &ModelSpec, setting: &Setting<'_>) -> Option<Fault> {
    throng_terms::each_model!(asked, asked => asked.unreachable(setting))
}
