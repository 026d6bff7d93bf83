//! Templates: rules of regulations, guidelines and conventions as files.
//!
//! A template says which settings a policy has to have, rule by rule, with the source of each. It
//! is used twice. [`Applied::new`] changes a description so that the policy that `throng inspect`
//! writes satisfies the rules. [`checked`] judges any policy that names a template, before it is
//! released. Both look at what columns hold ([`Category`]), at the policy, and at no cell. The
//! templates of Throng are in `crates/core/templates`; a holder can write others. Costs rules ×
//! columns.

mod apply;
mod check;
mod draft;
mod parameters;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::describe::Category;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::policy::{ModelSpec, Policy, TemplateSpec, grammar_fault};
use crate::release::TemplateFacts;

pub use apply::Applied;
pub use draft::policy;
pub use parameters::{Parameters, year_of};

/// The format of templates that this version reads.
const FORMAT: u32 = 1;

/// The templates of Throng, in the order in which they are listed.
const OWN: [(&str, &str); 8] = [
    ("hipaa-safe-harbor", include_str!("../../templates/hipaa-safe-harbor.toml")),
    ("hipaa-expert", include_str!("../../templates/hipaa-expert.toml")),
    ("ema-0070", include_str!("../../templates/ema-0070.toml")),
    ("wp29", include_str!("../../templates/wp29.toml")),
    ("cms-cell-size", include_str!("../../templates/cms-cell-size.toml")),
    ("nhs-small-numbers", include_str!("../../templates/nhs-small-numbers.toml")),
    ("public-use", include_str!("../../templates/public-use.toml")),
    ("scientific-use", include_str!("../../templates/scientific-use.toml")),
];

/// A list of rules with the settings that satisfy them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// The version of the format of templates: 1.
    pub format: u32,
    /// How policies name it.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// The regulation, guideline or paper that it follows.
    pub source: String,
    /// What it is for, in one sentence.
    pub summary: String,
    /// The settings of the guarantee.
    pub privacy: Settings,
    /// Its rules.
    pub rules: Vec<Rule>,
}

/// The settings of the guarantee that a policy gets.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The k over all quasi-identifiers.
    pub k: u64,
    /// The share of rows that may be suppressed.
    pub suppression: f64,
    /// Models as a policy writes them.
    #[serde(default)]
    pub models: Vec<ModelSpec>,
    /// The distinct l-diversity of every sensitive column.
    #[serde(default)]
    pub diversity: Option<u64>,
    /// The least rows of every value of a sensitive column.
    #[serde(default)]
    pub rare_values: Option<u64>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name within the template.
    pub id: String,
    /// The part of the source that it is from.
    #[serde(default)]
    pub cites: String,
    /// What it requires, in one sentence.
    pub text: String,
    /// What the policy must have.
    pub require: Requirement,
    /// Whether a policy that does not satisfy it is refused; otherwise the holder is warned.
    #[serde(default)]
    pub required: bool,
}

/// What a rule requires of a policy.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Requirement {
    /// Columns of these categories are not released.
    Removed(Vec<Category>),
    /// Dates are shown as years or longer periods.
    YearOnly(Vec<Category>),
    /// Numbers from a limit on are one category.
    TopCoded {
        /// Of columns of these categories.
        columns: Vec<Category>,
        /// The limit.
        from: f64,
    },
    /// Dates and years of birth of people of an age or older are one category.
    Births {
        /// Of columns of these categories.
        columns: Vec<Category>,
        /// The age in years.
        age: i32,
    },
    /// ZIP codes have three digits, and prefixes with few people are 000.
    Zip3 {
        /// Of columns of these categories.
        columns: Vec<Category>,
        /// The most people of a prefix that becomes 000.
        people: u64,
        /// The prefixes with no more people, where no table of people is given.
        restricted: Vec<String>,
        /// Where this list comes from.
        list: String,
    },
    /// Every class has at least this many rows.
    K(u64),
    /// The chance to pick the right row is at most this, rounded to two digits.
    MaxRisk(f64),
    /// Every sensitive column is judged by a model; l-diversity has at least this l.
    Diversity(u64),
    /// Values of sensitive columns with fewer rows are not released.
    RareValues(u64),
    /// No identifier is replaced by a pseudonym.
    NoPseudonyms,
    /// No column has role `keep`.
    NothingKept,
    /// The order of rows does not follow the input.
    Shuffled,
    /// Nothing that a policy has: the holder confirms it.
    Confirmed,
}

/// A template as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its source.
    pub source: String,
    /// What it is for.
    pub summary: String,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Text that is not a template, and every mistake in one.
    pub fn parse(text: &str) -> Result<Self> {
        let template: Template = toml::from_str(text).map_err(|e| Error::from(grammar_fault(&e, text)))?;
        Error::check(template.faults())?;
        Ok(template)
    }

    /// The template of Throng with a name.
    ///
    /// # Errors
    /// A name that none has.
    pub fn named(name: &str) -> Result<Self> {
        match OWN.iter().find(|(own, _)| *own == name) {
            Some((_, text)) => Template::parse(text),
            None => Err(unknown(name).into()),
        }
    }

    /// The templates of Throng.
    ///
    /// # Errors
    /// Only if one of them is broken, which would be a mistake of ours.
    pub fn list() -> Result<Vec<Listed>> {
        let listed = |(_, text): &(&str, &str)| {
            let Template { name, title, source, summary, .. } = Template::parse(text)?;
            Ok(Listed { name, title, source, summary })
        };
        OWN.iter().map(listed).collect()
    }

    /// The template that a policy or an argument names: one of Throng, or a file that `load` reads.
    ///
    /// # Errors
    /// A name that none has, a file that cannot be read, or one with mistakes.
    pub fn find(name: &str, load: &dyn Fn(&str) -> Result<String>) -> Result<Self> {
        if !TemplateSpec::is_path(name) {
            return Template::named(name);
        }
        let text = load(name)?;
        Template::parse(&text).map_err(|e| e.map(|fault| fault.file(name)))
    }

    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.format != FORMAT {
            let fault = fault!(
                Input,
                "template.unknown-format",
                "format {format} is not known",
                format = self.format
            );
            faults.push(fault.key("format").help("write format = 1"));
        }
        if self.rules.is_empty() {
            let fault = fault!(Input, "template.no-rules", "the template has no rules");
            faults.push(fault.key("rules").help("add [[rules]] with id, text and require"));
        }
        let mut seen = BTreeSet::new();
        for rule in self.rules.iter().filter(|rule| !seen.insert(rule.id.as_str())) {
            let fault = fault!(
                Input,
                "template.rule-twice",
                "two rules have the id `{rule}`",
                rule = rule.id.escape_debug()
            );
            faults.push(fault.key("rules").help("give every rule an id of its own"));
        }
        faults
    }
}

fn unknown(name: &str) -> Fault {
    let fault = fault!(
        Input,
        "template.unknown-name",
        "there is no template `{template}`",
        template = name.escape_debug()
    );
    let small = name.to_lowercase();
    let names = || OWN.iter().map(|(own, _)| *own);
    let mut near: Vec<&str> = nearest(name, names()).into_iter().collect();
    if near.is_empty() && small.len() > 2 {
        near = names().filter(|own| own.contains(&small)).collect();
    }
    let near: Vec<String> = near.iter().map(|near| format!("`{near}`")).collect();
    let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) };
    fault.help(format!(
        "{near}`throng inspect --template list` lists the templates; the path of a file ends in .toml"
    ))
}

/// Checks a policy against the template that it names, which `load` reads where it is a file; none
/// where it names none.
///
/// # Errors
/// A template that does not exist or has mistakes; and every rule that the template requires and
/// the policy does not satisfy.
pub fn checked(policy: &Policy, load: &dyn Fn(&str) -> Result<String>) -> Result<Option<TemplateFacts>> {
    let Some(facts) = facts(policy, load)? else { return Ok(None) };
    let refused = facts.broken().filter(|rule| rule.required).map(|rule| {
        fault!(
            Input,
            "template.rule-not-satisfied",
            "rule {rule} of {template}: {problem}",
            rule = rule.title(),
            template = facts.name,
            problem = rule.satisfied_by
        )
        .key("template")
        .help(
            "change the policy; say under template.columns what a column holds if its name misleads; \
             or remove `template` to release without the rules",
        )
    });
    Error::check(refused.collect())?;
    Ok(Some(facts))
}

/// What a policy satisfies of the template that it names; nothing is refused.
///
/// # Errors
/// A template that does not exist or has mistakes.
pub fn facts(policy: &Policy, load: &dyn Fn(&str) -> Result<String>) -> Result<Option<TemplateFacts>> {
    let Some(spec) = &policy.template else { return Ok(None) };
    let named = |e: Error| e.map(|f| if f.place.file.is_none() { f.key("template") } else { f });
    let template = Template::find(spec.name(), load).map_err(named)?;
    let parameters = Parameters::of(spec, load)?;
    Ok(Some(check::judge(&template, &parameters, policy)))
}
