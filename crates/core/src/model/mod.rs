//! Privacy models: the conditions that make a class unsafe. One file per model, one line here.
//!
//! A model of the values of a sensitive column is a [`ClassModel`]: it judges one class at a time,
//! regardless of how the class was formed. A model of the whole table is a [`TableFigure`] with a
//! limit. Any other model implements [`PrivacyModel`] directly. What is known of a model before it
//! judges is data, its [`ModelFacts`].

mod alpha_k;
mod average_risk;
mod beta_likeness;
mod ck_safety;
mod class;
mod delta_disclosure;
mod delta_presence;
mod differential_privacy;
mod distance;
mod facts;
mod j_counted;
mod j_predicted;
mod k_anonymity;
mod k_e;
mod k_map;
mod l_diversity;
mod m_confidentiality;
mod min_rows;
mod no_missing;
mod p_sensitive;
mod personalized;
mod population_uniqueness;
mod profitability;
mod rare_values;
mod sample_uniqueness;
mod t_closeness;
mod table;

pub use alpha_k::AlphaK;
pub use average_risk::AverageRisk;
pub use beta_likeness::BetaLikeness;
pub use ck_safety::CkSafety;
pub use class::{Bound, Class, ClassFacts, ClassModel, min_unreleasable_rows};
pub use delta_disclosure::DeltaDisclosure;
pub use delta_presence::{LeastPresent, MostPresent};
pub use facts::{ModelFacts, Requirement, Scope, Verdict};
pub use j_counted::JCounted;
pub use j_predicted::JPredicted;
pub use k_anonymity::KAnonymity;
pub use k_e::KE;
pub use k_map::KMap;
pub use l_diversity::LDiversity;
pub use m_confidentiality::MConfidentiality;
pub use min_rows::MinRows;
pub use no_missing::NoMissing;
pub use p_sensitive::PSensitive;
pub use personalized::Personalized;
pub use population_uniqueness::PopulationUniqueness;
pub use profitability::Profitability;
pub use rare_values::RareValues;
pub use sample_uniqueness::SampleUniqueness;
pub use t_closeness::TCloseness;
pub use table::{FigureFacts, TableFigure, TableModel};

use crate::classes::{Classes, Flags, View};
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::policy::{DeltaPresence, ModelSpec, People};
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

    /// What it judges at a time.
    fn scope(&self) -> Scope<'_> {
        Scope::Classes
    }
}

/// Flags every class that violates some model, in the table without the flagged ones; then, where
/// models of the whole table ask for it, the smallest classes.
pub fn judge(models: &[Box<dyn PrivacyModel>], classes: &View<'_>, flags: &mut Flags) {
    judge_by(&models.iter().map(|model| &**model).collect::<Vec<_>>(), classes, flags);
}

/// The same by some of the models.
pub fn judge_by(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    flags.reset(classes.len());
    settle(models, classes, flags);
    let settled = flags.classes();
    for model in models.iter().filter(|model| model.facts().judged_last) {
        model.violations(classes, flags);
    }
    if flags.classes() > settled {
        settle(models, classes, flags);
    }
    table::without_smallest(models, classes, flags);
}

/// Flags until nothing changes, without the models that come last.
fn settle(models: &[&dyn PrivacyModel], classes: &View<'_>, flags: &mut Flags) {
    let repeated = models.iter().any(|model| model.facts().needs_fixpoint);
    loop {
        let before = flags.classes();
        for model in models.iter().filter(|model| !model.facts().judged_last) {
            model.violations(classes, flags);
        }
        if !repeated || flags.classes() == before {
            return;
        }
    }
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
    /// The policy's seed.
    pub seed: u64,
    /// How many of them may be suppressed.
    pub max_suppressed: u64,
    /// The column of guarding nodes, where the model has one.
    pub guard: Option<&'a Values<'a>>,
    /// Whether no row may be suppressed.
    pub strict: bool,
    /// The policy's k, where it asks for one.
    pub k: Option<u64>,
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

/// The model of a policy.
///
/// # Errors
/// Parameters that do not fit the table; the fault's key is the parameter.
pub fn build(asked: &ModelSpec, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
    let (kind, claim, strict) = (asked.kind(), asked.claim(), setting.strict);
    Ok(match asked {
        ModelSpec::LDiversity(l) => Box::new(LDiversity::new(claim, l, setting.column()?, strict)),
        ModelSpec::TCloseness(t) => Box::new(TCloseness::new(claim, t, setting.column()?, strict)?),
        ModelSpec::PSensitive(p) => Box::new(PSensitive::new(claim, p.p, setting.column()?)),
        ModelSpec::AlphaK(a) => Box::new(AlphaK::new(claim, a, setting.column()?, strict)?),
        ModelSpec::KE(ke) => Box::new(KE::new(claim, ke, setting.column()?, setting.k)?),
        ModelSpec::Personalized(p) => {
            Box::new(Personalized::new(claim, p, setting.column()?, setting.guard()?)?)
        }
        ModelSpec::CkSafety(ck) => Box::new(CkSafety::new(claim, ck, setting.column()?, strict)),
        ModelSpec::MConfidentiality(m) => Box::new(MConfidentiality::new(claim, m, setting.column()?)?),
        ModelSpec::DeltaDisclosure(d) => {
            Box::new(DeltaDisclosure::new(claim, d.delta, setting.column()?, strict))
        }
        ModelSpec::BetaLikeness(b) => Box::new(BetaLikeness::new(claim, b, setting.column()?, strict)),
        ModelSpec::SampleUniqueness(s) => {
            Box::new(TableModel::new(kind, claim, s.max, strict, SampleUniqueness))
        }
        ModelSpec::AverageRisk(a) => {
            Box::new(TableModel::new(kind, claim, a.max, strict, AverageRisk { k: 1 }))
        }
        ModelSpec::StrictAverageRisk(a) => {
            Box::new(TableModel::new(kind, claim, a.max, strict, AverageRisk { k: a.k }))
        }
        ModelSpec::PopulationUniqueness(p) => {
            Box::new(TableModel::new(kind, claim, p.max, strict, PopulationUniqueness::new(p, setting.rows)?))
        }
        ModelSpec::Profitability(p) => Box::new(Profitability::new(claim, p)),
        ModelSpec::RareValues(r) => Box::new(RareValues::new(claim, r, setting)?),
        ModelSpec::KMap(asked) => match asked.population {
            People::Table(_) => Box::new(KMap::new(claim, asked.k)),
            People::Number(people) => {
                enough_people(people, setting.rows)?;
                Box::new(k_map::estimated(claim, asked.k, people, setting.rows, asked.significance()))
            }
        },
        ModelSpec::JAnonymity(asked) if asked.population.is_some() => {
            Box::new(JCounted::new(claim, asked, setting.people())?)
        }
        ModelSpec::JAnonymity(asked) => Box::new(JPredicted::new(claim, asked, setting)?),
        ModelSpec::DeltaPresence(d) => Box::new(MostPresent::new(claim, d.max, strict || d.min > 0.0)),
        ModelSpec::DifferentialPrivacy(d) => Box::new(differential_privacy::differential_privacy(claim, d)?),
    })
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
    match asked {
        ModelSpec::DeltaPresence(d) if d.min > 0.0 => {
            Some(Box::new(LeastPresent::new(DeltaPresence::LEAST.into(), d.min)))
        }
        _ => None,
    }
}

/// Requirements that no class of the table can meet, whatever the search does; the fault's key is
/// the parameter at fault.
pub fn unreachable(asked: &ModelSpec, setting: &Setting<'_>) -> Option<Fault> {
    match asked {
        ModelSpec::LDiversity(l) => LDiversity::unreachable(l, setting.column?),
        ModelSpec::PSensitive(p) => PSensitive::unreachable(p.p, setting.column?),
        ModelSpec::KE(ke) => KE::unreachable(ke, setting.column?, setting.k),
        ModelSpec::AverageRisk(a) => AverageRisk { k: 1 }.unreachable(a.max, setting.rows),
        ModelSpec::StrictAverageRisk(a) => AverageRisk { k: a.k }.unreachable(a.max, setting.rows),
        ModelSpec::RareValues(r) => RareValues::unreachable(r, setting),
        _ => None,
    }
}
