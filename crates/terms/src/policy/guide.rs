//! The policy keys of the model that guides a method or measures a release: a built-in model, or a
//! command [Katirai 2006, "The Greedy-DXCG Algorithm" and "Proposed Measure 2"].
//!
//! The engine runs the command. It receives the cells of its features as rows of CSV and returns
//! one number per row.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::check::{list, not_quasi};
use super::{Policy, Role, is_default};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::registry::{self, Algorithm, Family, Predictor};

/// How long a command may take for one batch of rows, in seconds, unless the policy says otherwise.
pub const SECONDS: u64 = 60;

/// What a model predicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Predicts {
    /// A number.
    Number,
    /// The likelihood of the second of two classes.
    Class,
}

/// The model that guides a method, or only measures what it releases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuideSpec {
    /// A model that is fitted to the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<String>,
    /// A program and its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The column that is predicted.
    pub target: String,
    /// Whether the target holds numbers or classes; default: numbers if all its cells are numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicts: Option<Predicts>,
    /// The quasi-identifiers that it is predicted from; default: all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub features: Option<Vec<String>>,
    /// How long the command may take for one batch of rows; default [`SECONDS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Whether it guides the algorithm; if not, it only measures the release.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub guides: bool,
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_yes(guides: &bool) -> bool {
    *guides
}

impl GuideSpec {
    /// The name of the model in results: that of a built-in model, or `command`.
    pub fn name(&self) -> &str {
        self.builtin.as_deref().unwrap_or("command")
    }
}

/// Errors that do not depend on the table.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let Some(guide) = &policy.search.model else { return };
    let key = |part: &str| format!("search.model.{part}");
    let algorithm = policy.search.algorithm;
    if guide.guides && !algorithm.entry().guided {
        let guided = Algorithm::keys_with(|entry| entry.guided);
        faults.push(
            fault!(
                Input,
                "policy.algorithm-not-guided",
                "algorithm \"{algorithm}\" is not guided by a model",
                algorithm = algorithm
            )
            .key("search.model")
            .help(format!(
                "ask for algorithm \"{}\", or set guides = false: then it only measures the release",
                guided.join("\" or \"")
            )),
        );
    }
    if guide.guides && policy.search.greedy.is_some() {
        let fault = fault!(
            Input,
            "policy.greedy-with-model",
            "a beam and a tabu search go by measure, and a model guides"
        )
        .key("search.greedy");
        faults.push(fault.help("remove it, or set search.model.guides = false"));
    }
    match (&guide.builtin, guide.command.as_slice()) {
        (Some(name), []) => {
            if Predictor::from_key(name).is_none() {
                faults.push(registry::unknown(Family::Predictor, name).key(key("builtin")));
            }
            if guide.seconds.is_some() {
                let fault =
                    fault!(Input, "policy.seconds-without-command", "only a command can take too long")
                        .key(key("seconds"));
                faults.push(fault.help("remove it"));
            }
        }
        (None, [program, ..]) if !program.is_empty() => {}
        (None, [_, ..]) => {
            let fault = fault!(Input, "policy.command-without-program", "the program has no name")
                .key(key("command"));
            faults.push(fault.help("write for instance command = [\"python3\", \"model.py\"]"));
        }
        (both, _) => {
            let fault = match both {
                Some(_) => {
                    fault!(Input, "policy.builtin-and-command", "has both `builtin` and `command`")
                }
                None => fault!(Input, "policy.guide-without-model", "has no model"),
            };
            let help = "give either builtin = \"linear\", or command = [\"python3\", \"model.py\"]";
            faults.push(fault.key("search.model").help(help));
        }
    }
    if guide.seconds == Some(0) {
        faults.push(
            fault!(Input, "policy.seconds-are-zero", "no command answers in no time")
                .key(key("seconds"))
                .help("give 1 or more"),
        );
    }
    columns(policy, guide, faults);
}

fn columns(policy: &Policy, guide: &GuideSpec, faults: &mut Vec<Fault>) {
    match policy.columns.get(&guide.target) {
        None => {
            let near = nearest(&guide.target, policy.columns.keys().map(String::as_str));
            let fault = fault!(
                Input,
                "policy.no-such-column",
                "there is no column `{column}`",
                column = guide.target
            )
            .key("search.model.target");
            let targets = list(policy.with_role(Role::Target));
            faults.push(match near {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None if targets.is_empty() => fault.help("give a column of the policy role = \"target\""),
                None => fault.help(format!("columns with role \"target\" are {targets}")),
            });
        }
        Some(column) if column.role != Role::Target => faults.push(
            fault!(
                Input,
                "policy.not-a-target",
                "`{column}` has role \"{role}\", not \"target\"",
                column = guide.target,
                role = column.role.name()
            )
            .key("search.model.target")
            .help("give it role = \"target\": what is predicted is not generalized"),
        ),
        Some(_) => {}
    }
    let Some(features) = &guide.features else { return };
    let quasi: BTreeSet<&str> = policy.with_role(Role::Quasi).into_iter().collect();
    if features.is_empty() {
        let fault = fault!(Input, "policy.no-features", "nothing is predicted from nothing")
            .key("search.model.features");
        faults.push(fault.help("name quasi-identifiers, or leave it out: then all are features"));
    }
    for (i, feature) in features.iter().enumerate() {
        if features[..i].contains(feature) {
            let fault =
                fault!(Input, "policy.feature-listed-twice", "has `{feature}` twice", feature = feature)
                    .key("search.model.features");
            faults.push(fault.help("name it once"));
        } else if policy.columns.get(feature).is_none_or(|column| column.role != Role::Quasi) {
            let fault = not_quasi(policy, feature, &quasi).key("search.model.features");
            let help = || format!("quasi-identifiers are {}", list(quasi.iter().copied()));
            faults.push(if fault.help.is_some() { fault } else { fault.help(help()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(model: &str) -> Result<Policy, String> {
        let text = format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[columns]\nage.role = \"quasi\"\nsex.role = \"quasi\"\ncost.role = \"target\"\n\
             note.role = \"drop\"\n[privacy]\nk = 2\n[search]\n{model}\n"
        );
        Policy::parse(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn models_are_read() {
        let policy = parse(
            "algorithm = \"greedy\"\nmodel = { command = [\"python3\", \"m.py\"], target = \"cost\", features = [\"sex\"], seconds = 5 }",
        );
        let model = policy.unwrap().search.model.unwrap();
        assert_eq!(
            (model.command.len(), model.seconds, model.features),
            (2, Some(5), Some(vec!["sex".into()]))
        );
        let policy =
            parse("algorithm = \"greedy\"\nmodel = { builtin = \"linear\", target = \"cost\" }").unwrap();
        let model = policy.search.model.unwrap();
        assert_eq!((model.name(), model.predicts, model.guides), ("linear", None, true));
    }

    #[test]
    fn a_model_that_only_measures_goes_with_any_algorithm() {
        let measures = "builtin = \"logistic\", target = \"cost\", predicts = \"class\", guides = false";
        for algorithm in ["ola", "greedy", "mondrian"] {
            let policy = parse(&format!("algorithm = \"{algorithm}\"\nmodel = {{ {measures} }}")).unwrap();
            let model = policy.search.model.clone().unwrap();
            assert_eq!((model.predicts, model.guides), (Some(Predicts::Class), false));
            let written = toml::to_string(&policy).unwrap();
            assert!(written.contains("guides = false") && written.contains("predicts = \"class\""));
        }
        let text = parse(&format!("model = {{ {} }}", measures.replace("false", "true"))).unwrap_err();
        assert!(text.contains("\"best\" is not guided") && text.contains("guides = false"), "{text}");
        let text =
            parse("model = { builtin = \"tree\", target = \"cost\", predicts = \"words\" }").unwrap_err();
        assert!(text.contains("number") && text.contains("class"), "{text}");
    }

    #[test]
    fn mistakes_are_told_by_name() {
        let wrong = |model: &str, parts: &[&str]| {
            let text = parse(&format!("algorithm = \"greedy\"\nmodel = {{ {model} }}")).unwrap_err();
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        };
        wrong(
            "builtin = \"lineer\", target = \"cost\"",
            &["search.model.builtin", "did you mean \"linear\"?"],
        );
        wrong("builtin = \"linear\", command = [\"x\"], target = \"cost\"", &["search.model", "both"]);
        wrong("target = \"cost\"", &["has no model", "builtin"]);
        wrong("command = [\"\"], target = \"cost\"", &["search.model.command", "no name"]);
        wrong("builtin = \"linear\", target = \"cost\", seconds = 3", &["search.model.seconds", "command"]);
        wrong("command = [\"x\"], target = \"cost\", seconds = 0", &["search.model.seconds"]);
        wrong("builtin = \"linear\", target = \"cots\"", &["search.model.target", "did you mean `cost`?"]);
        wrong("builtin = \"linear\", target = \"age\"", &["search.model.target", "\"quasi\""]);
        wrong("builtin = \"linear\", target = \"weight\"", &["search.model.target", "\"target\" are `cost`"]);
        wrong(
            "builtin = \"linear\", target = \"cost\", features = [\"sxe\", \"height\"]",
            &["did you mean `sex`?", "quasi-identifiers are `age`, `sex`"],
        );
        wrong("builtin = \"linear\", target = \"cost\", features = []", &["search.model.features"]);
        wrong("builtin = \"linear\", target = \"cost\", features = [\"age\", \"age\"]", &["`age` twice"]);
        wrong(
            "builtin = \"linear\", target = \"cost\", features = [\"note\"]",
            &["\"drop\"", "not \"quasi\""],
        );
        let text = parse("model = { builtin = \"linear\", target = \"cost\" }").unwrap_err();
        assert!(text.contains("\"best\" is not guided"), "{text}");
    }
}
