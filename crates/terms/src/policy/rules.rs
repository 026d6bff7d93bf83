//! The policy keys that choose by an expression: `search.prefer` among the minimal nodes of a
//! search of levels [Sweeney 2001; De Spoelberch, algorithm 1, `preferred`], and `search.choose`
//! among the columns that Mondrian can cut [De Spoelberch, algorithm 3, `choose_dim`].

use serde::{Deserialize, Serialize};

use super::{By, Policy, Role};
use crate::error::{Error, Fault, Result, nearest};
use crate::expression::{Expression, OfColumn, Vocabulary};
use crate::fault;
use crate::registry::{Algorithm, LossKind};

/// Which of several nodes is to be preferred; ties go to the loss. The words are those of Samarati
/// 2001.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Preference {
    /// The one of least loss.
    #[default]
    Loss,
    /// The one of least absolute distance: Σ of the levels.
    Absolute,
    /// The one of least relative distance: Σ of level over height.
    Relative,
    /// The one with most distinct released tuples.
    Distribution,
    /// The one that suppresses fewest rows.
    Suppression,
    /// The one with the least value of an expression.
    Expression(String),
}

impl Preference {
    /// The words, as policies write them.
    pub const WORDS: &'static [&'static str] =
        &["loss", "absolute", "relative", "distribution", "suppression"];

    /// The expression that it stands for; none for the loss.
    pub fn expression(&self) -> Option<&str> {
        match self {
            Preference::Loss => None,
            Preference::Absolute => Some("absolute"),
            Preference::Relative => Some("relative"),
            Preference::Distribution => Some("-classes"),
            Preference::Suppression => Some("suppressed"),
            Preference::Expression(text) => Some(text),
        }
    }

    /// Whether it is one of the words.
    pub fn is_word(&self) -> bool {
        !matches!(self, Preference::Expression(_))
    }
}

impl From<String> for Preference {
    fn from(text: String) -> Self {
        match text.as_str() {
            "loss" => Preference::Loss,
            "absolute" => Preference::Absolute,
            "relative" => Preference::Relative,
            "distribution" => Preference::Distribution,
            "suppression" => Preference::Suppression,
            _ => Preference::Expression(text),
        }
    }
}

impl From<Preference> for String {
    fn from(preference: Preference) -> Self {
        match preference {
            Preference::Loss => "loss".into(),
            Preference::Absolute => "absolute".into(),
            Preference::Relative => "relative".into(),
            Preference::Distribution => "distribution".into(),
            Preference::Suppression => "suppression".into(),
            Preference::Expression(text) => text,
        }
    }
}

/// What `search.prefer` can name beside the losses.
const OF_NODES: [&str; 4] = ["loss", "suppressed", "classes", "rows"];

/// What it can name of a column.
const OF_LEVELS: [OfColumn; 2] =
    [OfColumn { name: "level", condition: false }, OfColumn { name: "height", condition: false }];

/// What `search.choose` can name.
const OF_CUTS: [&str; 10] =
    ["range", "gain", "entropy", "target", "share", "width", "values", "weight", "rows", "depth"];

/// What it can name of a column.
const OF_CUT_COLUMNS: [OfColumn; 1] = [OfColumn { name: "is", condition: true }];

/// Reads an expression that ranks nodes.
///
/// # Errors
/// As [`Expression::parse`].
pub fn node_expression(text: &str, columns: &[&str]) -> Result<Expression> {
    let losses = LossKind::of_tables().map(LossKind::key);
    let variables: Vec<&str> = OF_NODES.into_iter().chain(losses).collect();
    let vocabulary = Vocabulary { variables: &variables, of_columns: &OF_LEVELS, columns };
    Expression::parse(text, &vocabulary)
}

/// Reads an expression that ranks the columns of a region.
///
/// # Errors
/// As [`Expression::parse`].
pub fn cut_expression(text: &str, columns: &[&str]) -> Result<Expression> {
    let vocabulary = Vocabulary { variables: &OF_CUTS, of_columns: &OF_CUT_COLUMNS, columns };
    Expression::parse(text, &vocabulary)
}

impl Policy {
    /// The expression by which minimal nodes are ranked; none where the least loss decides, or a
    /// word that Samarati's algorithm knows itself.
    pub fn node_preference(&self) -> Option<&str> {
        let own = self.search.algorithm == Algorithm::Samarati && self.search.prefer.is_word();
        self.search.prefer.expression().filter(|_| !own)
    }

    /// The losses that look at labels and that the preference names.
    pub(super) fn preferred_labels(&self) -> Vec<LossKind> {
        let columns = self.with_role(Role::Quasi);
        let read = self.node_preference().map(|text| node_expression(text, &columns));
        let Some(Ok(expression)) = read else { return Vec::new() };
        let named = LossKind::of_tables().filter(|kind| expression.names(kind.key()));
        named.filter(|kind| kind.needs_target()).collect()
    }
}

/// Errors that do not depend on the table.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    preference(policy, faults);
    choice(policy, faults);
}

fn preference(policy: &Policy, faults: &mut Vec<Fault>) {
    let search = &policy.search;
    let Some(text) = search.prefer.expression() else { return };
    let key = "search.prefer";
    if !search.algorithm.of_levels().entry().prefers {
        let able = Algorithm::keys_with(|entry| entry.prefers).join(", ");
        let instead = match search.algorithm {
            Algorithm::Mondrian => "search.choose says which column is cut first; ",
            Algorithm::Datafly => "columns.NAME.tolerance says which column is generalized first; ",
            _ => "",
        };
        faults.push(
            fault!(
                Input,
                "policy.algorithm-without-preference",
                "algorithm \"{algorithm}\" has no preference: it does not compare minimal nodes",
                algorithm = search.algorithm
            )
            .key(key)
            .help(format!("{instead}minimal nodes are compared by {able}")),
        );
        return;
    }
    if search.local && policy.node_preference().is_some() {
        faults.push(
            fault!(
                Input,
                "policy.preference-with-local-search",
                "a preference is among the minimal nodes of the whole table, and search.local releases rows at several nodes"
            )
            .key(key)
            .help("remove search.local, or search.prefer"),
        );
    }
    match node_expression(text, &policy.with_role(Role::Quasi)) {
        Ok(_) => faults.extend(without_target(policy, &policy.preferred_labels())),
        Err(error) => faults.extend(wrong(&error, key).map(|fault| with_word(fault, text))),
    }
}

/// The faults of an expression, under its key.
fn wrong<'a>(error: &'a Error, key: &'a str) -> impl Iterator<Item = Fault> + 'a {
    error.faults().iter().cloned().map(move |fault| fault.key(key))
}

/// A single name may be a misspelt word of Samarati's.
fn with_word(fault: Fault, text: &str) -> Fault {
    let help = fault.help.clone().unwrap_or_default();
    match nearest(text.trim(), Preference::WORDS.iter().copied()) {
        Some(word) if fault.code == "expression.no-such-variable" => {
            fault.help(format!("did you mean `{word}`? Otherwise: {help}"))
        }
        _ => fault,
    }
}

fn without_target(policy: &Policy, labels: &[LossKind]) -> Option<Fault> {
    let loss = labels.first().filter(|_| policy.with_role(Role::Target).is_empty())?;
    Some(no_target(loss.key()).key("search.prefer"))
}

/// The fault of a variable that counts labels where no column has them.
fn no_target(variable: &str) -> Fault {
    fault!(
        Input,
        "expression.no-target",
        "`{variable}` counts labels, and no column has role \"target\"",
        variable = variable
    )
    .help("give the column whose values are to be predicted role = \"target\", or name another variable")
}

fn choice(policy: &Policy, faults: &mut Vec<Fault>) {
    let Some(text) = &policy.search.choose else { return };
    let key = "search.choose";
    if policy.search.algorithm != Algorithm::Mondrian {
        faults.push(
            fault!(
                Input,
                "policy.algorithm-without-cuts",
                "algorithm \"{algorithm}\" cuts no columns; only \"mondrian\" does",
                algorithm = policy.search.algorithm
            )
            .key(key)
            .help("remove it, or write algorithm = \"mondrian\"; search.prefer ranks the nodes of a search of levels"),
        );
        return;
    }
    if policy.search.mondrian.is_some_and(|mondrian| mondrian.by != By::default()) {
        faults.push(
            fault!(
                Input,
                "policy.two-choices-of-columns",
                "search.mondrian.by and search.choose both say which column is cut"
            )
            .key(key)
            .help("remove one of them; every word of `by` is a variable of `choose`"),
        );
    }
    match cut_expression(text, &policy.with_role(Role::Quasi)) {
        Ok(expression) => {
            if expression.names("target") && policy.with_role(Role::Target).is_empty() {
                faults.push(no_target("target").key(key));
            }
        }
        Err(error) => faults.extend(wrong(&error, key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(search: &str) -> Result<Policy> {
        Policy::parse(&format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[columns]\nage.role = \"quasi\"\n\"marital-status\".role = \"quasi\"\n\
             pay.role = \"sensitive\"\n[privacy]\nk = 2\n[search]\n{search}\n"
        ))
    }

    fn refused(search: &str, code: &str, parts: &[&str]) {
        let error = parse(search).expect_err(search);
        let text = error.to_string();
        assert!(error.has_code(code), "{search}: {text} is not {code}");
        assert!(parts.iter().all(|part| text.contains(part)), "{search}: {text}");
    }

    #[test]
    fn a_preference_is_a_word_or_an_expression_and_survives() {
        for (text, word) in [("relative", true), ("relative * 1", false), ("-classes", false)] {
            let policy = parse(&format!("prefer = \"{text}\"")).unwrap();
            assert_eq!(policy.search.prefer.is_word(), word, "{text}");
            assert_eq!(policy.node_preference(), Some(text));
            assert_eq!(String::from(policy.search.prefer.clone()), text);
            assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
            assert_eq!(Policy::parse(&policy.to_json().unwrap()).unwrap(), policy);
        }
        for word in Preference::WORDS {
            let policy = parse(&format!("algorithm = \"samarati\"\nprefer = \"{word}\"")).unwrap();
            assert_eq!(
                (String::from(policy.search.prefer.clone()).as_str(), policy.node_preference()),
                (*word, None)
            );
        }
        assert_eq!(parse("prefer = \"loss\"").unwrap().search, parse("").unwrap().search);
    }

    #[test]
    fn every_loss_is_a_variable() {
        for kind in LossKind::of_tables() {
            let expression = node_expression(&format!("\"{kind}\""), &[]).unwrap();
            assert!(expression.names(kind.key()), "{kind}");
        }
    }

    #[test]
    fn mistakes_are_refused_by_name() {
        refused("prefer = 'levle(age)'", "expression.no-such-function", &["search.prefer", "`level`"]);
        refused(
            "prefer = 'level(pay)'",
            "expression.no-such-column",
            &["search.prefer", "quasi-identifiers are age"],
        );
        refused("prefer = 'suppresion'", "expression.no-such-variable", &["did you mean `suppression`"]);
        refused("prefer = 'cm + height'", "expression.no-target", &["search.prefer", "`cm`"]);
        refused("prefer = 'range'", "expression.no-such-variable", &["search.prefer"]);
        refused("prefer = 'height'\nlocal = true", "policy.preference-with-local-search", &["search.prefer"]);
        refused("prefer = 'suppression'\nlocal = true", "policy.preference-with-local-search", &[]);
        assert!(parse("algorithm = \"samarati\"\nprefer = 'suppression'\nlocal = true").is_ok());
        let able = |algorithm: &&Algorithm| !algorithm.of_levels().entry().prefers;
        for algorithm in Algorithm::ALL.iter().filter(able) {
            let search = format!("algorithm = \"{algorithm}\"\nprefer = 'height'");
            refused(
                &search,
                "policy.algorithm-without-preference",
                &["auto, ola, incognito, samarati, mingen"],
            );
        }
        refused(
            "algorithm = \"mondrian\"\nprefer = 'height'",
            "policy.algorithm-without-preference",
            &["search.choose"],
        );
        refused("choose = 'range'", "policy.algorithm-without-cuts", &["search.choose", "search.prefer"]);
        let mondrian = |rest: &str| format!("algorithm = \"mondrian\"\n{rest}");
        assert!(parse(&mondrian("choose = 'if(is(\"marital-status\"), 2, 1) * range'")).is_ok());
        assert!(parse(&mondrian("choose = 'range'\nmondrian = { cut = \"relaxed\" }")).is_ok());
        refused(&mondrian("choose = 'rnage'"), "expression.no-such-variable", &["search.choose", "`range`"]);
        refused(&mondrian("choose = 'target'"), "expression.no-target", &["search.choose"]);
        refused(
            &mondrian("choose = 'range'\nmondrian = { by = \"entropy\" }"),
            "policy.two-choices-of-columns",
            &["search.choose"],
        );
    }

    #[test]
    fn m_confidentiality_refuses_preferences_that_look_at_labels() {
        let policy = |prefer: &str| {
            Policy::parse(&format!(
                "version = 1\n[input]\npath = \"x.csv\"\n[columns]\nage.role = \"quasi\"\npay.role = \"sensitive\"\n\
                 job.role = \"target\"\n[privacy]\nk = 2\nmodels = [{{ m_confidentiality = {{ column = \"pay\", m = 2 }} }}]\n\
                 [search]\nprefer = '{prefer}'\n"
            ))
        };
        assert!(policy("height + dm").is_ok());
        for loss in ["cm", "\"column-mi\"", "\"value-mi\""] {
            let error = policy(&format!("height + {loss}")).unwrap_err();
            assert!(error.has_code("model.choice-depends-on-labels"), "{error}");
        }
    }
}
