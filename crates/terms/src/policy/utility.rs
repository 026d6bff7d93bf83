//! What a recipient must be able to compute: limits on the width of the bounds of statistics
//! [Xiang 2014, 3], and the mode that looks for the largest k within them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Column, Form, ModelSpec, Policy, Role};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::hierarchy::Spec;
use crate::registry::{LossKind, StatisticKind};

/// A statistic of one column, or of two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatisticSpec {
    /// Which statistic.
    pub statistic: StatisticKind,
    /// Its column.
    pub column: String,
    /// The second column of a covariance or correlation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// How wide the bounds may be, in the unit of the statistic. In `privacy.utility` it is the
    /// limit and required; in a loss it is what widths are divided by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

impl StatisticSpec {
    /// What it is of: `mean of age`, `correlation of age and weight`.
    pub fn name(&self) -> String {
        match &self.with {
            Some(with) => format!("{} of {} and {with}", self.statistic, self.column),
            None => format!("{} of {}", self.statistic, self.column),
        }
    }

    /// The limit on its width; 0 where none is given, which is a mistake that the check reports.
    pub fn limit(&self) -> f64 {
        self.width.unwrap_or(0.0)
    }

    /// What a verifier calls the claim: `utility: mean of age within 5`.
    pub fn claim(&self) -> String {
        format!("utility: {} within {}", self.name(), self.limit())
    }

    /// Its columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        [Some(&self.column), self.with.as_ref()].into_iter().flatten().map(String::as_str)
    }
}

/// What is made as large as possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maximize {
    /// The k of k-anonymity; `privacy.k` is the least that is accepted.
    K,
}

impl Policy {
    /// The policy with the k that a certificate states, where the policy maximizes k.
    pub fn at_reached_k(&self, reached: Option<u64>) -> Cow<'_, Policy> {
        match (self.privacy.maximize, reached) {
            (Some(Maximize::K), Some(k)) => {
                let mut policy = self.clone();
                policy.privacy.given_k = Some(k);
                Cow::Owned(policy)
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// The statistics that the search loses least of, if it does so by their widths.
    pub fn width_loss(&self) -> Option<&[StatisticSpec]> {
        (self.search.loss.parameters().kind == LossKind::Width)
            .then(|| self.search.loss.statistics().unwrap_or(&self.privacy.utility))
    }

    /// The columns whose cells are read as numbers, because a statistic of them is bounded.
    pub fn bounded_columns(&self) -> BTreeSet<&str> {
        let loss = self.width_loss().unwrap_or_default();
        self.privacy.utility.iter().chain(loss).flat_map(StatisticSpec::columns).collect()
    }
}

/// Errors that do not depend on the table.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    domains(policy, faults);
    let mut seen = BTreeSet::new();
    for (at, asked) in policy.privacy.utility.iter().enumerate() {
        let key = format!("privacy.utility.{at}");
        statistic(policy, asked, &key, faults);
        if asked.width.is_none() {
            faults.push(
                fault!(
                    Input,
                    "policy.utility-without-width",
                    "the limit on the width of {statistic} is missing",
                    statistic = asked.name()
                )
                .key(key.clone())
                .help("give `width`: how wide the bounds of the statistic may be, for instance width = 5"),
            );
        }
        if !seen.insert(asked.name()) {
            faults.push(
                fault!(
                    Input,
                    "policy.utility-twice",
                    "{statistic} is listed twice",
                    statistic = asked.name()
                )
                .key(key)
                .help("keep the narrower width"),
            );
        }
    }
    loss(policy, faults);
    maximize(policy, faults);
    if !policy.bounded_columns().is_empty() {
        combinations(policy, faults);
    }
}

fn domains(policy: &Policy, faults: &mut Vec<Fault>) {
    for (name, column) in &policy.columns {
        let Some([low, high]) = column.domain else { continue };
        if !(low.is_finite() && high.is_finite() && low < high) {
            faults.push(
                fault!(
                    Input,
                    "policy.domain-inverted",
                    "a domain goes from a number to a greater one, and this one from {low} to {high}",
                    low = low,
                    high = high
                )
                .key(format!("columns.{name}.domain"))
                .help("write the least and the greatest value that are possible, as in domain = [0, 120]"),
            );
        }
    }
}

/// Errors of one statistic.
fn statistic(policy: &Policy, asked: &StatisticSpec, key: &str, faults: &mut Vec<Fault>) {
    let pairs = asked.statistic.entry().of_pairs;
    match &asked.with {
        None if pairs => faults.push(
            fault!(
                Input,
                "policy.utility-needs-two-columns",
                "a {statistic} is of two columns",
                statistic = asked.statistic
            )
            .key(key)
            .help("name the second column: with = \"…\""),
        ),
        Some(_) if !pairs => faults.push(
            fault!(
                Input,
                "policy.utility-of-one-column",
                "the {statistic} is of one column",
                statistic = asked.statistic
            )
            .key(format!("{key}.with"))
            .help("remove `with`"),
        ),
        Some(with) if *with == asked.column => faults.push(
            fault!(
                Input,
                "policy.utility-of-same-column",
                "a {statistic} is of two columns, and both are `{column}`",
                statistic = asked.statistic,
                column = with
            )
            .key(format!("{key}.with")),
        ),
        _ => {}
    }
    if asked.width.is_some_and(|width| !(width.is_finite() && width >= 0.0)) {
        faults.push(
            fault!(
                Input,
                "policy.utility-width-negative",
                "a width of {width} cannot be met",
                width = asked.limit()
            )
            .key(format!("{key}.width"))
            .help("give 0 or more, in the unit of the statistic"),
        );
    }
    let columns = [("column", Some(&asked.column)), ("with", asked.with.as_ref())];
    for (part, name) in columns.into_iter().filter_map(|(part, name)| Some((part, name?))) {
        faults.extend(column(policy, name).map(|fault| fault.key(format!("{key}.{part}"))));
    }
}

/// What keeps a column from having bounds.
fn column(policy: &Policy, name: &str) -> Option<Fault> {
    let Some(column) = policy.columns.get(name) else {
        let names = policy.columns.keys().map(String::as_str);
        let fault = fault!(Input, "policy.no-such-column", "there is no column `{column}`", column = name);
        return Some(match nearest(name, names) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault,
        });
    };
    if column.role != Role::Quasi {
        return Some(other_role(name, column));
    }
    let why = match column.hierarchy() {
        Spec::Date(_) => "holds dates",
        Spec::Postal(_) | Spec::Zip3(_) | Spec::Icd9 | Spec::Icd10 => "holds codes, which have no mean",
        Spec::Priority(_) => "holds categories, which have no mean",
        Spec::Poset(_) => "has a poset, whose cells are not numbers",
        _ if matches!(column.form, Some(Form::Mean | Form::Median)) => {
            "is released as means or medians, from which no bound follows"
        }
        _ => return None,
    };
    let fault = fault!(Input, "policy.utility-without-bounds", "`{column}` {why}", column = name, why = why);
    Some(fault.help("statistics are bounded in columns of numbers: choose another column"))
}

fn other_role(name: &str, column: &Column) -> Fault {
    let fault = fault!(
        Input,
        "policy.utility-of-other-role",
        "`{column}` has role \"{role}\", and only quasi-identifiers are generalized",
        column = name,
        role = column.role.name()
    );
    fault.help(match column.released() {
        true => "the column is released as it is: every statistic of the released rows is exact",
        false => "the column is not released: choose another one",
    })
}

/// Errors of a loss by widths.
fn loss(policy: &Policy, faults: &mut Vec<Fault>) {
    let key = "search.loss.statistics";
    match (policy.search.loss.parameters().kind == LossKind::Width, policy.search.loss.statistics()) {
        (true, None) if policy.privacy.utility.is_empty() => faults.push(
            fault!(Input, "policy.width-without-statistics", "the loss \"width\" has no statistics")
                .key("search.loss")
                .help("list them: loss = { name = \"width\", statistics = [{ statistic = \"mean\", column = \"…\" }] }"),
        ),
        (true, Some(statistics)) => {
            if statistics.is_empty() {
                faults.push(
                    fault!(Input, "policy.width-without-statistics", "the loss \"width\" has no statistics")
                        .key(key),
                );
            }
            for (at, asked) in statistics.iter().enumerate() {
                statistic(policy, asked, &format!("{key}.{at}"), faults);
                if asked.width == Some(0.0) {
                    faults.push(
                        fault!(Input, "policy.width-of-zero", "widths cannot be divided by 0")
                            .key(format!("{key}.{at}.width"))
                            .help("give more than 0, or leave it out"),
                    );
                }
            }
        }
        (false, Some(_)) => faults.push(
            fault!(
                Input,
                "policy.statistics-of-other-loss",
                "only the loss \"width\" has statistics, and the loss is \"{loss}\"",
                loss = policy.search.loss.parameters().kind
            )
            .key(key)
            .help("remove them, or write name = \"width\""),
        ),
        _ => {}
    }
}

fn maximize(policy: &Policy, faults: &mut Vec<Fault>) {
    if policy.privacy.maximize.is_none() {
        return;
    }
    let fault = |fault: Fault, help: &str| fault.key("privacy.maximize").help(help.to_owned());
    if policy.privacy.utility.is_empty() {
        faults.push(fault(
            fault!(Input, "policy.maximize-without-utility", "nothing limits k: the policy has no utility"),
            "list statistics under privacy.utility, or give the k that you need",
        ));
    }
    if policy.privacy.given_k.is_none() {
        faults.push(fault(
            fault!(Input, "policy.maximize-without-k", "the least k that is accepted is missing"),
            "give privacy.k, for instance k = 2",
        ));
    }
    if policy.search.model.is_some() {
        faults.push(fault(
            fault!(Input, "policy.maximize-with-model", "k cannot be maximized beside search.model"),
            "remove one of them",
        ));
    }
}

/// Settings under which bounds of statistics are not defined.
fn combinations(policy: &Policy, faults: &mut Vec<Fault>) {
    let deletes =
        |model: &ModelSpec| matches!(model, ModelSpec::RareValues(asked) if asked.deletes().is_some());
    let other = if policy.differential_privacy().is_some() {
        Some("differential privacy draws rows at random")
    } else if policy.privacy.models.iter().any(deletes) {
        Some("rare values are deleted before anything else")
    } else {
        None
    };
    let key = if policy.privacy.utility.is_empty() { "search.loss" } else { "privacy.utility" };
    faults.extend(other.map(|why| {
        fault!(
            Input,
            "policy.utility-not-defined",
            "statistics of the original have no bounds here: {why}",
            why = why
        )
        .key(key)
        .help("remove the statistics, or the model")
    }));
}
