//! Policy syntax of templates and of the statement.
//!
//! `template = "hipaa-safe-harbor"`, or a table with parameters. A template is a list of rules, such
//! as those of a regulation; a release checks the policy against them. The core reads templates and
//! checks the rules. `[statement]` has the words that the statement for an ethics board repeats.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Policy;
use crate::error::{Fault, nearest};
use crate::fault;

/// The template of a policy: its name, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum TemplateSpec {
    /// The name of a template, or the path of its file.
    Name(String),
    /// The same with parameters.
    Settings(TemplateSettings),
}

/// A template with its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateSettings {
    /// The name of a template, or the path of its file.
    pub name: String,
    /// The year in which ages are counted: people born 90 years before it are 90 or older.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
    /// A file with the people of each three-digit ZIP prefix: `prefix,population`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<String>,
    /// Column → what it holds, where its name does not say it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
}

/// What the statement says beside the figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// What the release is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Who receives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// How long the recipient keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention: Option<String>,
    /// Who answers questions about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
}

impl<'de> Deserialize<'de> for TemplateSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;

        impl<'de> serde::de::Visitor<'de> for NameOrTable {
            type Value = TemplateSpec;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the name of a template, or a table such as { name = \"wp29\" }")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<TemplateSpec, E> {
                Ok(TemplateSpec::Name(name.to_owned()))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<TemplateSpec, A::Error> {
                let table = serde::de::value::MapAccessDeserializer::new(map);
                TemplateSettings::deserialize(table).map(TemplateSpec::Settings)
            }
        }

        deserializer.deserialize_any(NameOrTable)
    }
}

impl TemplateSpec {
    /// The name, or the path of the file.
    pub fn name(&self) -> &str {
        match self {
            TemplateSpec::Name(name) => name,
            TemplateSpec::Settings(settings) => &settings.name,
        }
    }

    /// The parameters, where there are any.
    pub fn settings(&self) -> Option<&TemplateSettings> {
        match self {
            TemplateSpec::Name(_) => None,
            TemplateSpec::Settings(settings) => Some(settings),
        }
    }

    /// The path of the template's file; none for a template of Throng.
    pub fn file(&self) -> Option<&str> {
        TemplateSpec::is_path(self.name()).then(|| self.name())
    }

    /// Whether a name is the path of a file: it ends in `.toml`.
    pub fn is_path(name: &str) -> bool {
        name.ends_with(".toml")
    }

    /// The files that the check reads: the template, where it is a file, and the population.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let population = self.settings().and_then(|settings| settings.population.as_deref());
        self.file().into_iter().chain(population)
    }
}

/// Errors that do not depend on the table. Whether there is such a template is known to the core.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let Some(template) = &policy.template else { return };
    if template.name().is_empty() {
        faults.push(
            fault!(Input, "template.no-name", "no template is named")
                .key("template")
                .help("`throng inspect --template list` lists the templates"),
        );
    }
    let columns = template.settings().into_iter().flat_map(|settings| settings.columns.keys());
    for name in columns.filter(|name| !policy.columns.contains_key(*name)) {
        let fault = fault!(Input, "policy.no-such-column", "there is no column `{column}`", column = name)
            .key(format!("template.columns.{name}"));
        let near = nearest(name, policy.columns.keys().map(String::as_str));
        faults.push(match near {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("remove it"),
        });
    }
}
