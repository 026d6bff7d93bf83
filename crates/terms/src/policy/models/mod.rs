//! Policy syntax of privacy models beside k: `privacy.models`, a list of tables with one key each,
//! such as `{ l_diversity = { column = "diagnosis", l = 3 } }`.
//!
//! The `model` module defines what a model means. This module defines its key, its parameters and
//! their ranges, as far as they can be checked without the table: one file per model, one line in
//! the list below. All entries of a policy must hold.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Policy, Role, Suppressed};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::registry::ModelEntry;

/// Errors of a parameter: its part of the key, and the fault.
type Unfit = (&'static str, Fault);

/// What an entry says of itself.
trait Ask {
    /// The sensitive column that it is about; none for a model of the quasi-identifiers alone.
    fn column(&self) -> Option<&str> {
        None
    }

    /// The columns, other than quasi-identifiers, whose values it looks at.
    fn judges<'a>(&'a self, _policy: &'a Policy) -> Vec<&'a str> {
        self.column().into_iter().collect()
    }

    /// The column that holds what each row is guarded against, where there is one.
    fn guard(&self) -> Option<&str> {
        None
    }

    /// The table of the population that it compares with, where it does.
    fn population(&self) -> Option<&str> {
        None
    }

    /// Its name in certificates.
    fn claim(&self) -> String;

    /// Parameters out of range, each with the remedy.
    fn unfit(&self) -> Vec<Unfit>;

    /// What does not fit the rest of the policy.
    fn misplaced(&self, _policy: &Policy) -> Vec<Unfit> {
        Vec::new()
    }

    /// Whether, with these parameters, it is defined beside a k only.
    fn needs_k(&self) -> bool {
        false
    }

    /// Whether it looks at the hierarchy of its column.
    fn reads_hierarchy(&self) -> bool {
        false
    }

    /// Why it is not defined for regions of rows, and what to write instead; none where it is.
    fn without_regions(&self) -> Option<NoRegions> {
        None
    }

    /// Why it cannot judge a quasi-identifier, whose labels are known only at the level that the
    /// search chooses; none where it can.
    fn needs_values(&self) -> Option<NeedsValues> {
        None
    }
}

/// Why a model is not defined for regions of rows.
pub(super) struct NoRegions {
    /// The reason.
    pub(super) reason: &'static str,
    /// What to write instead.
    pub(super) help: &'static str,
}

/// What is said where nothing but levels will do.
const CHOOSE_LEVELS: &str = "remove it, or choose an algorithm that chooses levels: auto does for all models";

/// Why a model cannot judge labels of a level that is searched.
struct NeedsValues {
    /// The parameter at fault.
    part: &'static str,
    /// The reason.
    reason: &'static str,
    /// What to write instead.
    help: &'static str,
}

/// Makes the list of models: one line each with its file, its key and what it asks for. A model has
/// an entry of the registry, `ENTRY`, next to its parameters. The first token is a dollar sign, for
/// the macros that this one makes.
macro_rules! models {
    ($dollar:tt $($(#[doc = $help:literal])* $file:ident => $Model:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::*;)*

        /// One entry of `privacy.models`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ModelSpec {
            $($(#[doc = $help])* $Model($Model),)*
        }

        crate::registry::kinds! {
            /// A privacy model beside k.
            ModelKind(crate::registry::Family::Model) => ModelEntry;
            $($Model = ModelEntry {
                key: stringify!($file),
                help: concat!($($help),*).trim_ascii(),
                ..$Model::ENTRY
            },)*
        }

        impl ModelSpec {
            /// Which model it is.
            pub const fn kind(&self) -> ModelKind {
                match self {
                    $(ModelSpec::$Model(_) => ModelKind::$Model,)*
                }
            }

            fn asked(&self) -> &dyn Ask {
                match self {
                    $(ModelSpec::$Model(asked) => asked,)*
                }
            }
        }

        /// Calls the same method on the parameters of a model, whichever it is:
        /// `each_model!(spec, asked => asked.build())`. A type that lacks the method does not
        /// compile.
        #[macro_export]
        macro_rules! each_model {
            ($dollar spec:expr, $dollar asked:ident => $dollar body:expr) => {
                match $dollar spec {
                    $($crate::policy::ModelSpec::$Model($dollar asked) => $dollar body,)*
                }
            };
        }

        /// Declares a module for every model, in the file that has its key as its name.
        #[macro_export]
        macro_rules! model_modules {
            () => {
                $(mod $file;)*
            };
        }
    };
}

models! {
    $
    /// l-diversity: several values of a sensitive column in every class.
    l_diversity => LDiversity,
    /// t-closeness: the distribution in every class is close to that of the whole table.
    t_closeness => TCloseness,
    /// (n, t)-closeness: n rows in every class, or a distribution close to that of the whole table.
    n_t_closeness => NTCloseness,
    /// p-sensitive k-anonymity: p values and k rows in every class.
    p_sensitive => PSensitive,
    /// (α, k)-anonymity: no value has a share above α in a class, and k rows in every class.
    alpha_k => AlphaK,
    /// (k, e)-anonymity: k different numbers with a range of e in every class.
    k_e => KE,
    /// Personalized privacy: a bounded probability for the label that each person guards.
    personalized => Personalized,
    /// (c, k)-safety: no value becomes likely to an adversary who knows k implications.
    ck_safety => CkSafety,
    /// m-confidentiality: no value is likelier than 1/m, even to an adversary who knows the
    /// algorithm.
    m_confidentiality => MConfidentiality,
    /// δ-disclosure privacy: no value is much more or less likely than in the whole table.
    delta_disclosure => DeltaDisclosure,
    /// β-likeness: no value is much more likely than in the whole table.
    beta_likeness => BetaLikeness,
    /// Sample uniqueness: few unique rows.
    sample_uniqueness => SampleUniqueness,
    /// Average risk: a bounded marketer risk.
    average_risk => AverageRisk,
    /// Strict average risk: a bounded marketer risk and a minimum class size.
    strict_average_risk => StrictAverageRisk,
    /// Population uniqueness: few people are unique in the population.
    population_uniqueness => PopulationUniqueness,
    /// Profitability: no attack pays, or every row pays despite attacks.
    profitability => Profitability,
    /// Rare values: what occurs in fewer than k rows is deleted, or suppressed.
    rare_values => RareValues,
    /// (k,1)-anonymity: every released row is true of k originals. Weaker than k-anonymity.
    k_one => KOne,
    /// k-map: k people of the population in every class.
    k_map => KMap,
    /// j-anonymity: several people of the population in every class, as estimated from a part of
    /// it.
    j_anonymity => JAnonymity,
    /// δ-presence: the share of the population in the release is bounded in every class.
    delta_presence => DeltaPresence,
    /// (ε, δ)-differential privacy.
    differential_privacy => DifferentialPrivacy,
}

impl ModelSpec {
    /// What the registry knows of it.
    pub const fn entry(&self) -> &'static ModelEntry {
        self.kind().entry()
    }

    /// Its key in the policy.
    pub const fn key(&self) -> &'static str {
        self.entry().key
    }

    /// The sensitive column that it is about; none for a model of the quasi-identifiers alone.
    pub fn column(&self) -> Option<&str> {
        self.asked().column()
    }

    /// The column that holds what each row is guarded against, where there is one; it is not
    /// released.
    pub fn guard(&self) -> Option<&str> {
        self.asked().guard()
    }

    /// Its name in certificates.
    pub fn claim(&self) -> String {
        self.asked().claim()
    }

    /// The table of the population that it compares with, where it does.
    pub fn population(&self) -> Option<&str> {
        self.asked().population()
    }

    /// Whether it looks at the hierarchy of its column.
    pub fn reads_hierarchy(&self) -> bool {
        self.asked().reads_hierarchy()
    }

    /// Why it is not defined for regions of rows; none where it is.
    pub(super) fn without_regions(&self) -> Option<NoRegions> {
        self.asked().without_regions()
    }
}

/// The fault of a parameter that cannot have a value.
fn out_of_range(parameter: &str, value: impl std::fmt::Display) -> Fault {
    fault!(
        Input,
        "model.parameter-out-of-range",
        "{parameter} cannot be {value}",
        parameter = parameter,
        value = value
    )
}

/// A limit of a share.
fn share(part: &'static str, value: f64, example: &str) -> Vec<Unfit> {
    if (0.0..=1.0).contains(&value) {
        return Vec::new();
    }
    let fault = out_of_range(part, value);
    vec![(part, fault.help(format!("give a share from 0 to 1, for instance {example}")))]
}

/// A limit of a share that is never 0.
fn share_above_0(part: &'static str, value: f64, example: &str) -> Vec<Unfit> {
    if value > 0.0 && value <= 1.0 {
        return Vec::new();
    }
    let fault = out_of_range(part, value);
    vec![(part, fault.help(format!("give a share above 0 and at most 1, for instance {example}")))]
}

fn above_0(part: &'static str, value: f64) -> Vec<Unfit> {
    if value.is_finite() && value > 0.0 {
        return Vec::new();
    }
    vec![(part, out_of_range(part, value).help("give a number above 0, for instance 1"))]
}

impl Policy {
    /// Whether a model looks at the hierarchy of a sensitive column.
    pub(super) fn judged_by_hierarchy(&self, column: &str) -> bool {
        self.privacy.models.iter().any(|model| model.reads_hierarchy() && model.column() == Some(column))
    }

    /// The table of the population that models compare with, and the key that names it.
    pub fn population(&self) -> Option<(String, &str)> {
        self.privacy.models.iter().enumerate().find_map(|(at, model)| {
            Some((format!("privacy.models.{at}.{}.population", model.key()), model.population()?))
        })
    }

    /// Differential privacy, if the policy uses it.
    pub fn differential_privacy(&self) -> Option<&DifferentialPrivacy> {
        self.privacy.models.iter().find_map(|model| match model {
            ModelSpec::DifferentialPrivacy(asked) => Some(asked),
            _ => None,
        })
    }

    /// The k of (k,1)-anonymity, if the policy accepts that in place of k-anonymity.
    pub fn k_one(&self) -> Option<u64> {
        self.privacy.models.iter().find_map(|model| match model {
            ModelSpec::KOne(asked) => Some(asked.k),
            _ => None,
        })
    }

    /// The columns, other than quasi-identifiers, whose values models look at, in name order.
    pub fn judged(&self) -> BTreeSet<&str> {
        let judged = self.privacy.models.iter().flat_map(|model| model.asked().judges(self));
        judged.filter(|name| !self.is_quasi(name)).collect()
    }

    /// The quasi-identifier that a model judges, where it judges one: a sensitive column that
    /// somebody can link on.
    pub fn linkable<'a>(&self, model: &'a ModelSpec) -> Option<&'a str> {
        model.column().filter(|name| self.is_quasi(name))
    }

    fn is_quasi(&self, column: &str) -> bool {
        self.columns.get(column).is_some_and(|column| column.role == Role::Quasi)
    }

    /// The columns that hold what rows are guarded against, in name order; none is released.
    pub fn guards(&self) -> BTreeSet<&str> {
        self.privacy.models.iter().filter_map(ModelSpec::guard).collect()
    }
}

/// Errors of the models whatever the table is.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let mut claims = BTreeSet::new();
    for (at, model) in policy.privacy.models.iter().enumerate() {
        let key = format!("privacy.models.{at}.{}", model.key());
        let (entry, model) = (model.entry(), model.asked());
        let unfit = model.unfit().into_iter().chain(model.misplaced(policy));
        faults.extend(unfit.map(|(part, fault)| fault.key(format!("{key}.{part}"))));
        if let Some(column) = model.column() {
            faults.extend(not_sensitive(policy, column).map(|fault| fault.key(format!("{key}.column"))));
            faults
                .extend(not_linkable(policy, model, column).map(|(part, f)| f.key(format!("{key}.{part}"))));
        }
        if (entry.needs_k || model.needs_k())
            && policy.privacy.given_k.is_none()
            && policy.privacy.anonymity.is_none()
        {
            faults.push(
                fault!(Input, "model.needs-k", "this model is defined beside a k, and there is none")
                    .key(key.clone())
                    .help("give privacy.k, for instance k = 5"),
            );
        }
        faults.extend(other_population(policy, model).map(|f| f.key(format!("{key}.population"))));
        if !claims.insert(model.claim()) {
            faults.push(
                fault!(Input, "model.listed-twice", "\"{model}\" is listed twice", model = model.claim())
                    .key(key)
                    .help("keep the stricter one"),
            );
        }
    }
    differential_privacy::check(policy, faults);
    faults.extend(at_several_levels(policy));
    if policy.output.suppressed == Suppressed::Starred && !policy.judged().is_empty() {
        faults.push(
            fault!(
                Input,
                "model.starred-rows-not-judged",
                "starred rows would show their sensitive values, which no model then judges"
            )
            .key("output.suppressed")
            .help("write suppressed = \"dropped\" or \"cells\", or remove the models of sensitive columns"),
        );
    }
}

/// A table is drawn from one population.
fn other_population(policy: &Policy, model: &dyn Ask) -> Option<Fault> {
    let (_, first) = policy.population()?;
    let other = model.population().filter(|path| *path != first)?;
    Some(
        fault!(
            Input,
            "model.two-populations",
            "`{other}` is another population than `{first}`",
            other = other,
            first = first
        )
        .help("name one table that holds everybody in every model"),
    )
}

fn not_sensitive(policy: &Policy, column: &str) -> Option<Fault> {
    match policy.columns.get(column) {
        Some(c) if matches!(c.role, Role::Sensitive | Role::Quasi) => None,
        Some(c) => Some(
            fault!(
                Input,
                "model.not-a-sensitive-column",
                "`{column}` has role \"{role}\", neither \"sensitive\" nor \"quasi\"",
                column = column,
                role = c.role.name()
            )
            .help("give the column role = \"sensitive\", or \"quasi\" if somebody can link on it, or name another"),
        ),
        None => {
            let fault =
                fault!(Input, "policy.no-such-column", "there is no column `{column}`", column = column);
            let sensitive = policy.with_role(Role::Sensitive);
            Some(match nearest(column, sensitive.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None if sensitive.is_empty() => fault.help("give a column role = \"sensitive\" and name it"),
                None => fault.help(format!("sensitive columns are {}", super::check::list(sensitive))),
            })
        }
    }
}

/// What a model of a quasi-identifier lacks.
fn not_linkable(policy: &Policy, model: &dyn Ask, column: &str) -> Option<Unfit> {
    let given = policy.columns.get(column).filter(|column| column.role == Role::Quasi)?;
    let unlinked = NeedsValues {
        part: "column",
        reason: "with linking = 0 it is released unchanged",
        help: "give the column role = \"sensitive\"",
    };
    let unlinked = (given.linking == Some(0.0)).then_some(unlinked);
    let NeedsValues { part, reason, help } = unlinked.or_else(|| model.needs_values())?;
    let fault = fault!(
        Input,
        "model.not-for-quasi-identifiers",
        "the model cannot judge the quasi-identifier `{column}`: {reason}",
        column = column,
        reason = reason
    );
    Some((part, fault.help(help)))
}

/// What releases a quasi-identifier that a model judges at several levels, where its labels cannot
/// be counted as values.
fn at_several_levels(policy: &Policy) -> Vec<Fault> {
    let mut judged = policy.privacy.models.iter().filter_map(|m| Some((m.claim(), policy.linkable(m)?)));
    let Some((claim, column)) = judged.next() else { return Vec::new() };
    let algorithm = policy.search.algorithm;
    let refused = [
        (policy.forms_regions(), "search.algorithm", format!("\"{algorithm}\""), LEVELS),
        (policy.search.local, "search.local", "search.local".to_owned(), "remove it"),
        (
            policy.output.suppressed == Suppressed::Cells,
            "output.suppressed",
            "suppressed = \"cells\"".to_owned(),
            "write suppressed = \"dropped\" or \"starred\"",
        ),
    ];
    let fault = |(_, key, what, help): (bool, &str, String, &str)| {
        fault!(
            Input,
            "model.quasi-identifier-at-several-levels",
            "{what} releases `{column}` in cells that can overlap, and \"{model}\" counts them as different values",
            what = what,
            column = column,
            model = claim
        )
        .key(key)
        .help(help)
    };
    refused.into_iter().filter(|(refused, ..)| *refused).map(fault).collect()
}

const LEVELS: &str = "choose an algorithm that chooses levels, for instance \"auto\", or give the column role = \"sensitive\" if nobody can link on it";
