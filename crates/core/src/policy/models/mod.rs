//! How a policy asks for models beside k: `privacy.models`, a list of tables with one key each, such as
//! `{ l_diversity = { column = "diagnosis", l = 3 } }`.
//!
//! What a model means is said where models are made; here is what it is called, which parameters it takes and in
//! which range, as far as that can be told without the table: one file per model, one line in the list below.
//! Several entries hold together.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Policy, Role, Suppressed};
use crate::error::{Fault, nearest};

/// What is wrong with a parameter: its part of the key, and the fault.
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

    /// What certificates call it.
    fn claim(&self) -> String;

    /// Parameters out of range, each with the remedy.
    fn unfit(&self) -> Vec<Unfit>;

    /// What does not fit the rest of the policy.
    fn misplaced(&self, _policy: &Policy) -> Vec<Unfit> {
        Vec::new()
    }

    /// Whether it is defined beside a k.
    fn needs_k(&self) -> bool {
        false
    }

    /// Whether it looks at the hierarchy of its column.
    fn reads_hierarchy(&self) -> bool {
        false
    }
}

/// Makes the list of models: one line each with its file, its key and what it asks for.
macro_rules! models {
    ($($(#[$about:meta])* $file:ident => $Model:ident,)*) => {
        $(mod $file;)*
        $(pub use $file::$Model;)*

        /// One entry of `privacy.models`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ModelSpec {
            $($(#[$about])* $Model($Model),)*
        }

        impl ModelSpec {
            /// Its key in the policy.
            pub fn key(&self) -> &'static str {
                match self {
                    $(ModelSpec::$Model(_) => stringify!($file),)*
                }
            }

            fn asked(&self) -> &dyn Ask {
                match self {
                    $(ModelSpec::$Model(asked) => asked,)*
                }
            }
        }
    };
}

models! {
    /// Several values of a sensitive column in every class.
    l_diversity => LDiversity,
    /// Values spread in every class nearly as in the whole table.
    t_closeness => TCloseness,
    /// Several values in every class, beside k rows.
    p_sensitive => PSensitive,
    /// No value too frequent in any class, beside k rows.
    alpha_k => AlphaK,
    /// Several numbers that are far apart in every class.
    k_e => KE,
    /// No row's value likely to be under the label that its person fears.
    personalized => Personalized,
    /// Nobody's value likely to whoever knows a few implications.
    ck_safety => CkSafety,
    /// No value likelier than 1/m even to whoever knows how the release was chosen.
    m_confidentiality => MConfidentiality,
    /// No value much more or less likely than in the whole table.
    delta_disclosure => DeltaDisclosure,
    /// No value much more likely than in the whole table.
    beta_likeness => BetaLikeness,
    /// Few rows that are alone in their class.
    sample_uniqueness => SampleUniqueness,
    /// A low average risk.
    average_risk => AverageRisk,
    /// A low average risk, and no small class.
    strict_average_risk => StrictAverageRisk,
    /// Few people who are unique in the population.
    population_uniqueness => PopulationUniqueness,
    /// No attack pays, or every row pays in spite of attacks.
    profitability => Profitability,
    /// No rare value of a column.
    rare_values => RareValues,
    /// Several people of the population in every class.
    k_map => KMap,
    /// Several people of the population in every class, as far as that can be told from a part of it.
    j_anonymity => JAnonymity,
    /// No share of the population's people in the release too high or too low, in any class.
    delta_presence => DeltaPresence,
    /// Nobody's row changes much of what may be released.
    differential_privacy => DifferentialPrivacy,
}

pub use beta_likeness::Likeness;
pub use k_map::People;
pub use l_diversity::Diversity;
pub use population_uniqueness::Estimator;
pub use profitability::Game;
pub use t_closeness::Distance;

impl ModelSpec {
    /// The sensitive column that it is about; none for a model of the quasi-identifiers alone.
    pub fn column(&self) -> Option<&str> {
        self.asked().column()
    }

    /// The column that holds what each row is guarded against, where there is one; it is not released.
    pub fn guard(&self) -> Option<&str> {
        self.asked().guard()
    }

    /// What certificates call it.
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
}

/// A limit of a share.
fn share(part: &'static str, value: f64, example: &str) -> Vec<Unfit> {
    if (0.0..=1.0).contains(&value) {
        return Vec::new();
    }
    let fault = Fault::input(format!("{part} cannot be {value}"));
    vec![(part, fault.help(format!("give a share from 0 to 1, for instance {example}")))]
}

/// A limit of a share that is never 0.
fn share_above_0(part: &'static str, value: f64, example: &str) -> Vec<Unfit> {
    if value > 0.0 && value <= 1.0 {
        return Vec::new();
    }
    let fault = Fault::input(format!("{part} cannot be {value}"));
    vec![(part, fault.help(format!("give a share above 0 and at most 1, for instance {example}")))]
}

fn above_0(part: &'static str, value: f64) -> Vec<Unfit> {
    if value.is_finite() && value > 0.0 {
        return Vec::new();
    }
    vec![(
        part,
        Fault::input(format!("{part} cannot be {value}")).help("give a number above 0, for instance 1"),
    )]
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

    /// Whether people are counted or predicted at the levels of a node.
    pub(super) fn counts_people(&self) -> bool {
        let predicts = |model: &ModelSpec| matches!(model, ModelSpec::JAnonymity(_));
        self.population().is_some() || self.privacy.models.iter().any(predicts)
    }

    /// Differential privacy, where it is asked for.
    pub fn differential_privacy(&self) -> Option<&DifferentialPrivacy> {
        self.privacy.models.iter().find_map(|model| match model {
            ModelSpec::DifferentialPrivacy(asked) => Some(asked),
            _ => None,
        })
    }

    /// The columns, other than quasi-identifiers, whose values models look at, in name order.
    pub fn judged(&self) -> BTreeSet<&str> {
        self.privacy.models.iter().flat_map(|model| model.asked().judges(self)).collect()
    }

    /// The columns that hold what rows are guarded against, in name order; none is released.
    pub fn guards(&self) -> BTreeSet<&str> {
        self.privacy.models.iter().filter_map(ModelSpec::guard).collect()
    }
}

/// What is wrong with the models whatever the table is.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let mut claims = BTreeSet::new();
    for (at, model) in policy.privacy.models.iter().enumerate() {
        let key = format!("privacy.models.{at}.{}", model.key());
        let model = model.asked();
        let unfit = model.unfit().into_iter().chain(model.misplaced(policy));
        faults.extend(unfit.map(|(part, fault)| fault.key(format!("{key}.{part}"))));
        if let Some(column) = model.column() {
            faults.extend(not_sensitive(policy, column).map(|fault| fault.key(format!("{key}.column"))));
        }
        if model.needs_k() && policy.privacy.k.is_none() && policy.privacy.anonymity.is_none() {
            faults.push(
                Fault::input("this model is defined beside a k, and there is none")
                    .key(key.clone())
                    .help("give privacy.k, for instance k = 5"),
            );
        }
        faults.extend(other_population(policy, model).map(|f| f.key(format!("{key}.population"))));
        if !claims.insert(model.claim()) {
            faults.push(
                Fault::input(format!("\"{}\" is asked for twice", model.claim()))
                    .key(key)
                    .help("keep the stricter one"),
            );
        }
    }
    differential_privacy::check(policy, faults);
    if policy.output.suppressed == Suppressed::Starred && !policy.judged().is_empty() {
        faults.push(
            Fault::input("starred rows would show their sensitive values, which no model then judges")
                .key("output.suppressed")
                .help(
                    "write suppressed = \"dropped\" or \"cells\", or remove the models of sensitive columns",
                ),
        );
    }
}

/// A table is drawn from one population.
fn other_population(policy: &Policy, model: &dyn Ask) -> Option<Fault> {
    let (_, first) = policy.population()?;
    let other = model.population().filter(|path| *path != first)?;
    Some(
        Fault::input(format!("`{other}` is another population than `{first}`"))
            .help("name one table that holds everybody in every model"),
    )
}

fn not_sensitive(policy: &Policy, column: &str) -> Option<Fault> {
    match policy.columns.get(column) {
        Some(c) if c.role == Role::Sensitive => None,
        Some(c) => {
            Some(Fault::input(format!("`{column}` has role \"{}\", not \"sensitive\"", c.role.name())).help(
                match c.role {
                    Role::Quasi => {
                        "a quasi-identifier is generalized and cannot be judged as sensitive too: \
                         name another column, or change its role"
                    }
                    _ => "give the column role = \"sensitive\", or name another",
                },
            ))
        }
        None => {
            let fault = Fault::input(format!("there is no column `{column}`"));
            let sensitive = policy.with_role(Role::Sensitive);
            Some(match nearest(column, sensitive.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None if sensitive.is_empty() => fault.help("give a column role = \"sensitive\" and name it"),
                None => fault.help(format!("sensitive columns are {}", super::check::list(sensitive))),
            })
        }
    }
}
