//! What all attacks have in common: a trait, what they find, and their list.

use serde::Serialize;
use throng_terms::error::{Result, nearest};
use throng_terms::fault;
use throng_terms::watch::Watch;

use crate::attacks;
use crate::rate::{Above, Rate};
use crate::scene::Scene;

/// A risk in the terms of the opinion on anonymisation techniques [WP29 2014].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// A person's row can be isolated.
    SinglingOut,
    /// Rows of the same person in two tables can be linked.
    Linkability,
    /// A value can be deduced with significant probability.
    Inference,
}

impl Criterion {
    /// All of them.
    pub const ALL: [Criterion; 3] = [Criterion::SinglingOut, Criterion::Linkability, Criterion::Inference];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::SinglingOut => "singling out",
            Criterion::Linkability => "linkability",
            Criterion::Inference => "inference",
        }
    }
}

/// What an attack needs beside the release and its policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The original, whose rows are the targets.
    Original,
    /// Another release about the same people.
    Other,
    /// A sensitive column that all tables have.
    Sensitive,
    /// A model of the policy that limits the share of sensitive values.
    Bound,
    /// An adversary who knows all quasi-identifiers.
    AllColumns,
}

impl Need {
    fn is_met(self, scene: &Scene) -> bool {
        match self {
            Need::Original => scene.targets.is_some(),
            Need::Other => scene.other.is_some(),
            Need::Sensitive => !scene.sensitive.is_empty(),
            Need::Bound => !scene.roles.bounds.is_empty(),
            Need::AllColumns => !scene.roles.partly_known,
        }
    }

    /// What to give.
    fn means(self) -> &'static str {
        match self {
            Need::Original => "needs --original",
            Need::Other => "needs --other, a second release",
            Need::Sensitive => "needs a sensitive column in all tables",
            Need::Bound => "needs a policy with a model that limits sensitive values, such as l_diversity",
            Need::AllColumns => "needs an attack database with all quasi-identifiers",
        }
    }
}

/// An attack on a release.
pub trait Attack: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The risk that it measures.
    fn criterion(&self) -> Criterion;

    /// Who succeeds how, and what the control is, in two sentences.
    fn means(&self) -> &'static str;

    /// What it needs.
    fn needs(&self) -> &'static [Need];

    /// Attacks; one finding, or one per sensitive column.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](throng_terms::error::Kind::Cancelled) when asked to stop.
    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>>;
}

/// What an attack found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The attack.
    pub attack: &'static str,
    /// The risk that it measures.
    pub criterion: Criterion,
    /// The sensitive column that was attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Which form of the attack it is, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<&'static str>,
    /// Whom it attacked and how often it succeeded.
    #[serde(flatten)]
    pub success: Rate,
    /// The control.
    pub control: Rate,
    /// What the control is.
    pub control_is: &'static str,
    /// The share of the success that the control does not explain.
    pub risk: Above,
    /// Who succeeds how.
    pub means: &'static str,
}

impl Finding {
    /// A finding of an attack.
    pub(crate) fn new(
        attack: &dyn Attack,
        success: Rate,
        (control, control_is): (Rate, &'static str),
    ) -> Self {
        Finding {
            attack: attack.name(),
            criterion: attack.criterion(),
            column: None,
            form: None,
            risk: Above::new(&success, &control),
            success,
            control,
            control_is,
            means: attack.means(),
        }
    }

    /// The same about a sensitive column.
    pub(crate) fn about(mut self, column: &str) -> Self {
        self.column = Some(column.to_owned());
        self
    }

    /// The same, of a form of the attack.
    pub(crate) fn form(mut self, form: &'static str) -> Self {
        self.form = Some(form);
        self
    }

    /// The sensitive column or the form, or both.
    pub(crate) fn detail(&self) -> String {
        let parts: Vec<&str> = self.column.as_deref().into_iter().chain(self.form).collect();
        if parts.is_empty() { "–".to_owned() } else { parts.join(", ") }
    }

    /// Its name in a picture.
    pub(crate) fn label(&self) -> String {
        self.form.map_or_else(|| self.attack.to_owned(), |form| format!("{}, {form}", self.attack))
    }

    /// Whether the attack succeeds more often than its control, beyond chance.
    pub fn succeeds(&self) -> bool {
        self.success.successes > 0 && self.risk.low > 0.0
    }
}

/// An attack that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The attack.
    pub attack: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// All attacks, in the order of a scorecard.
pub fn all() -> [&'static dyn Attack; 14] {
    [
        &attacks::singling_out::SinglingOut,
        &attacks::rare::Rare,
        &attacks::linkability::Linkability,
        &attacks::unsorted::Unsorted,
        &attacks::complementary::Complementary,
        &attacks::temporal::Temporal,
        &attacks::membership::Membership,
        &attacks::homogeneity::Homogeneity,
        &attacks::skewness::Skewness,
        &attacks::background::Background,
        &attacks::minimality::Minimality,
        &attacks::differencing::Differencing,
        &attacks::inference::Inference,
        &attacks::composition::Composition,
    ]
}

/// An attack by its name.
///
/// # Errors
/// A name that no attack has.
pub fn named(name: &str) -> Result<&'static dyn Attack> {
    let all = all();
    all.iter().find(|attack| attack.name() == name).copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|attack| attack.name()).collect();
        let help = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the attacks are {}", names.join(", ")),
        };
        fault!(Input, "attack.no-such-attack", "there is no attack `{name}`", name = name).help(help).into()
    })
}

/// Runs an attack whose needs must be met.
///
/// # Errors
/// A need that is not met, and [`Attack::run`].
pub fn run(attack: &dyn Attack, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
    if let Some(reason) = unmet(attack, scene) {
        return Err(fault!(
            Input,
            "attack.need-not-met",
            "attack `{name}` {reason}",
            name = attack.name(),
            reason = reason
        )
        .help("give it, or run `throng attack all` for the attacks that need less")
        .into());
    }
    attack.run(scene, watch)
}

/// Why an attack cannot be run.
pub(crate) fn unmet(attack: &dyn Attack, scene: &Scene) -> Option<&'static str> {
    attack.needs().iter().find(|need| !need.is_met(scene)).map(|need| need.means())
}
