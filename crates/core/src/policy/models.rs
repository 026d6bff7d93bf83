//! How a policy asks for models beside k: `privacy.models`, a list of tables with one key each, such as
//! `{ l_diversity = { column = "diagnosis", l = 3 } }`.
//!
//! What a model means is said where models are made; here is what it is called, which parameters it takes and in
//! which range, as far as that can be told without the table. Several entries hold together.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Policy, Role, Suppressed};
use crate::error::{Fault, nearest};

/// One entry of `privacy.models`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSpec {
    /// Several values of a sensitive column in every class.
    LDiversity(LDiversity),
    /// Values spread in every class nearly as in the whole table.
    TCloseness(TCloseness),
    /// Several values in every class, beside k rows.
    PSensitive(PSensitive),
    /// No value too frequent in any class, beside k rows.
    AlphaK(AlphaK),
    /// No value much more or less likely than in the whole table.
    DeltaDisclosure(DeltaDisclosure),
    /// No value much more likely than in the whole table.
    BetaLikeness(BetaLikeness),
}

/// l-diversity of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LDiversity {
    /// The sensitive column.
    pub column: String,
    /// What counts as diverse.
    #[serde(default)]
    pub kind: Diversity,
    /// How many values; a whole number, but for entropy.
    pub l: f64,
    /// How much more frequent than the rare values the most frequent one may be; only for recursive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
}

/// What counts as diverse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Diversity {
    /// So many values occur.
    #[default]
    Distinct,
    /// The values are as evenly spread as so many equally frequent ones.
    Entropy,
    /// The most frequent value is not too frequent beside the rare ones.
    Recursive,
}

/// t-closeness of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TCloseness {
    /// The sensitive column.
    pub column: String,
    /// How far apart two values are.
    #[serde(default)]
    pub distance: Distance,
    /// The largest distance allowed, from 0 to 1.
    pub t: f64,
    /// The values in order; only for ordered. Default: by number, by date, or as a hierarchy file has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
}

/// How far apart two values are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// All alike.
    #[default]
    Equal,
    /// As their places in an order.
    Ordered,
    /// As their lowest common label in the column's hierarchy.
    Hierarchical,
}

/// p-sensitive k-anonymity of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PSensitive {
    /// The sensitive column.
    pub column: String,
    /// How many values.
    pub p: u64,
}

/// (α, k)-anonymity of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlphaK {
    /// The sensitive column.
    pub column: String,
    /// The largest share of a value, above 0 and at most 1.
    pub alpha: f64,
    /// The values that must not be too frequent; default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
}

/// δ-disclosure privacy of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaDisclosure {
    /// The sensitive column.
    pub column: String,
    /// What |ln(p/q)| must stay below; above 0.
    pub delta: f64,
}

/// β-likeness of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetaLikeness {
    /// The sensitive column.
    pub column: String,
    /// The largest gain (p − q)/q; above 0.
    pub beta: f64,
    /// Which limit frequent values have.
    #[serde(default)]
    pub kind: Likeness,
}

/// Which limit frequent values have under β-likeness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// The same as all.
    #[default]
    Basic,
    /// Also −ln q.
    Enhanced,
}

impl ModelSpec {
    /// Its key in the policy.
    pub fn key(&self) -> &'static str {
        match self {
            ModelSpec::LDiversity(_) => "l_diversity",
            ModelSpec::TCloseness(_) => "t_closeness",
            ModelSpec::PSensitive(_) => "p_sensitive",
            ModelSpec::AlphaK(_) => "alpha_k",
            ModelSpec::DeltaDisclosure(_) => "delta_disclosure",
            ModelSpec::BetaLikeness(_) => "beta_likeness",
        }
    }

    /// The sensitive column that it is about; none for a model of the quasi-identifiers alone.
    pub fn column(&self) -> Option<&str> {
        match self {
            ModelSpec::LDiversity(asked) => Some(&asked.column),
            ModelSpec::TCloseness(asked) => Some(&asked.column),
            ModelSpec::PSensitive(asked) => Some(&asked.column),
            ModelSpec::AlphaK(asked) => Some(&asked.column),
            ModelSpec::DeltaDisclosure(asked) => Some(&asked.column),
            ModelSpec::BetaLikeness(asked) => Some(&asked.column),
        }
    }

    /// What certificates call it.
    pub fn claim(&self) -> String {
        match self {
            ModelSpec::LDiversity(asked) => {
                let kind = match asked.kind {
                    Diversity::Distinct => "distinct",
                    Diversity::Entropy => "entropy",
                    Diversity::Recursive => "recursive",
                };
                format!("{kind} l-diversity: {}", asked.column)
            }
            ModelSpec::TCloseness(asked) => {
                let distance = match asked.distance {
                    Distance::Equal => "equal",
                    Distance::Ordered => "ordered",
                    Distance::Hierarchical => "hierarchical",
                };
                format!("{distance} t-closeness: {}", asked.column)
            }
            ModelSpec::PSensitive(asked) => format!("p-sensitivity: {}", asked.column),
            ModelSpec::AlphaK(asked) => format!("alpha-k-anonymity: {}", asked.column),
            ModelSpec::DeltaDisclosure(asked) => format!("delta-disclosure: {}", asked.column),
            ModelSpec::BetaLikeness(asked) => {
                let kind = match asked.kind {
                    Likeness::Basic => "basic",
                    Likeness::Enhanced => "enhanced",
                };
                format!("{kind} beta-likeness: {}", asked.column)
            }
        }
    }

    /// Parameters out of range, each with its part of the key and the remedy.
    fn unfit(&self) -> Vec<(&'static str, Fault)> {
        match self {
            ModelSpec::LDiversity(asked) => asked.unfit(),
            ModelSpec::TCloseness(asked) => asked.unfit(),
            ModelSpec::PSensitive(asked) if asked.p == 0 => {
                vec![(
                    "p",
                    Fault::input("p cannot be 0").help("give a whole number from 1 up, for instance 2"),
                )]
            }
            ModelSpec::PSensitive(_) => Vec::new(),
            ModelSpec::AlphaK(asked) => asked.unfit(),
            ModelSpec::DeltaDisclosure(asked) => above_0("delta", asked.delta),
            ModelSpec::BetaLikeness(asked) => above_0("beta", asked.beta),
        }
    }

    /// Whether it is defined beside a k.
    fn needs_k(&self) -> bool {
        matches!(self, ModelSpec::PSensitive(_) | ModelSpec::AlphaK(_))
    }

    /// Whether it looks at the hierarchy of its column.
    pub fn reads_hierarchy(&self) -> bool {
        matches!(self, ModelSpec::TCloseness(asked) if asked.distance != Distance::Equal)
    }
}

impl LDiversity {
    fn unfit(&self) -> Vec<(&'static str, Fault)> {
        let mut faults = Vec::new();
        let whole = self.kind != Diversity::Entropy;
        if !self.l.is_finite() || self.l < 1.0 || whole && self.l.fract() != 0.0 {
            let help = if whole { "give a whole number from 1 up" } else { "give a number from 1 up" };
            faults.push(("l", Fault::input(format!("l cannot be {}", self.l)).help(help)));
        }
        match (self.kind, self.c) {
            (Diversity::Recursive, None) => {
                let fault = Fault::input("recursive l-diversity needs c");
                faults.push(("kind", fault.help("give c, for instance c = 3, or another kind")));
            }
            (Diversity::Recursive, Some(c)) if !(c.is_finite() && c > 0.0) => {
                faults.push((
                    "c",
                    Fault::input(format!("c cannot be {c}")).help("give a number above 0, for instance 3"),
                ));
            }
            (Diversity::Distinct | Diversity::Entropy, Some(_)) => {
                faults.push((
                    "c",
                    Fault::input("only recursive l-diversity has a c")
                        .help("remove `c`, or write kind = \"recursive\""),
                ));
            }
            _ => {}
        }
        faults
    }
}

fn above_0(part: &'static str, value: f64) -> Vec<(&'static str, Fault)> {
    if value.is_finite() && value > 0.0 {
        return Vec::new();
    }
    vec![(
        part,
        Fault::input(format!("{part} cannot be {value}")).help("give a number above 0, for instance 1"),
    )]
}

impl AlphaK {
    fn unfit(&self) -> Vec<(&'static str, Fault)> {
        let mut faults = Vec::new();
        if !(self.alpha > 0.0 && self.alpha <= 1.0) {
            let fault = Fault::input(format!("alpha cannot be {}", self.alpha));
            faults.push(("alpha", fault.help("give a share above 0 and at most 1, for instance 0.5")));
        }
        if self.values.as_ref().is_some_and(Vec::is_empty) {
            let fault = Fault::input("no value is named");
            faults
                .push(("values", fault.help("name the values that matter, or remove `values`: then all do")));
        }
        faults
    }
}

impl TCloseness {
    fn unfit(&self) -> Vec<(&'static str, Fault)> {
        let mut faults = Vec::new();
        if !(0.0..=1.0).contains(&self.t) {
            let fault = Fault::input(format!("t cannot be {}", self.t));
            faults.push((
                "t",
                fault.help(
                    "give a number from 0 (spread as in the whole table) to 1 (any way), for instance 0.2",
                ),
            ));
        }
        let Some(order) = &self.order else { return faults };
        if self.distance != Distance::Ordered {
            let fault = Fault::input("only the ordered distance has an order");
            faults.push(("order", fault.help("remove `order`, or write distance = \"ordered\"")));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = order.iter().find(|value| !seen.insert(*value)) {
            faults.push(("order", Fault::input(format!("`{twice}` is listed twice"))));
        }
        faults
    }
}

impl Policy {
    /// Whether a model looks at the hierarchy of a sensitive column.
    pub(super) fn judged_by_hierarchy(&self, column: &str) -> bool {
        self.privacy.models.iter().any(|model| model.reads_hierarchy() && model.column() == Some(column))
    }

    /// The sensitive columns that models judge, in name order.
    pub fn judged(&self) -> BTreeSet<&str> {
        self.privacy.models.iter().filter_map(ModelSpec::column).collect()
    }
}

/// What is wrong with the models whatever the table is.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let mut claims = BTreeSet::new();
    for (at, model) in policy.privacy.models.iter().enumerate() {
        let key = format!("privacy.models.{at}.{}", model.key());
        faults.extend(model.unfit().into_iter().map(|(part, fault)| fault.key(format!("{key}.{part}"))));
        if let Some(column) = model.column() {
            faults.extend(not_sensitive(policy, column).map(|fault| fault.key(format!("{key}.column"))));
            faults.extend(flat(policy, model, column).map(|fault| fault.key(format!("{key}.distance"))));
        }
        if model.needs_k() && policy.privacy.k.is_none() && policy.privacy.anonymity.is_none() {
            faults.push(
                Fault::input("this model is defined beside a k, and there is none")
                    .key(key.clone())
                    .help("give privacy.k, for instance k = 5"),
            );
        }
        if !claims.insert(model.claim()) {
            faults.push(
                Fault::input(format!("\"{}\" is asked for twice", model.claim()))
                    .key(key)
                    .help("keep the stricter one"),
            );
        }
    }
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

/// A distance over a hierarchy that the column does not have.
fn flat(policy: &Policy, model: &ModelSpec, column: &str) -> Option<Fault> {
    let hierarchical =
        matches!(model, ModelSpec::TCloseness(asked) if asked.distance == Distance::Hierarchical);
    let without = policy.columns.get(column).is_some_and(|c| c.hierarchy.is_none());
    (hierarchical && without).then(|| {
        Fault::input(format!("`{column}` has no hierarchy"))
            .help(format!("give columns.{column} a hierarchy, or use distance = \"equal\""))
    })
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
