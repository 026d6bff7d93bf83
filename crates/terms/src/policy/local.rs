//! The policy keys of local recoding: how cells are written, and how regions of rows are formed.

use serde::{Deserialize, Serialize};

use super::models::NoRegions;
use super::{Missing, ModelKind, ModelSpec, Policy, Role, Suppressed, is_default};
use crate::cell::Cell;
use crate::error::Fault;
use crate::fault;
use crate::registry::Algorithm;

/// How a cell of a region is written, where a method forms regions of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The least label of the hierarchy that is true of all rows of the region.
    #[default]
    Label,
    /// The least interval with the numbers of all rows of the region: `[20, 35]`. Dates are written
    /// from the first to the last: `2020-01-31 - 2020-03-01`, and certified as a range.
    Interval,
    /// The values of all rows of the region: `{A, B}`.
    Set,
    /// The mean of the numbers of all rows of the region.
    Mean,
    /// The median of the numbers of all rows of the region.
    Median,
    /// The least cell of the column's poset that is true of all rows of the region.
    Poset,
    /// From the first to the last value of all rows of the region, in the order that the column
    /// states, or by date: `Masters - PhD`.
    Range,
}

impl Form {
    /// Whether values must be numbers.
    pub fn numeric(self) -> bool {
        matches!(self, Form::Interval | Form::Mean | Form::Median)
    }

    /// Whether values are in a total order, by size or as stated: they can be cut in two anywhere.
    pub fn ordered(self) -> bool {
        self.numeric() || self == Form::Range
    }

    /// Whether a cell is true of every row of its region.
    pub fn truthful(self) -> bool {
        !matches!(self, Form::Mean | Form::Median)
    }
}

/// How Mondrian cuts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mondrian {
    /// Whether rows of equal values stay together.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cut: Cut,
    /// Which column is cut.
    #[serde(default, skip_serializing_if = "is_default")]
    pub by: By,
    /// Whether rows then move between neighbouring regions while that lowers the cost; default: for
    /// strict cuts by gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refine: Option<bool>,
}

impl Mondrian {
    /// Whether regions are refined. Cuts by other scores aim at something else than cost.
    pub fn refines(self) -> bool {
        self.cut == Cut::Strict && self.refine.unwrap_or(self.by == By::Gain)
    }
}

/// Whether rows of equal values stay together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// They do.
    #[default]
    Strict,
    /// Rows at the median may go to either side, so that sides are equal.
    Relaxed,
}

/// Which column of a region Mondrian cuts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The one whose values spread over the largest part of the column's range.
    Range,
    /// The column with the highest information gain per cut: narrower cells for most rows, relative
    /// to the bits used.
    #[default]
    Gain,
    /// The one whose values have most entropy.
    Entropy,
    /// The column whose cut has the highest information gain about the target.
    Target,
}

/// How greedy sets are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Greedy {
    /// How many sets of each row are kept while rows are added; 1 is Katirai's, more is a beam
    /// search.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub beam: usize,
    /// Passes of a tabu search after regions are formed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tabu: usize,
}

/// How often Partition tries to split a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// Tries before a set stays together; 1 is Katirai's.
    #[serde(default = "tries")]
    pub tries: usize,
}

impl Default for Partition {
    fn default() -> Self {
        Partition { tries: tries() }
    }
}

fn tries() -> usize {
    16
}

fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_one(n: &usize) -> bool {
    *n == 1
}

/// What boxes are to be good for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boxes {
    /// What the recipient wants to compute.
    #[serde(default, skip_serializing_if = "is_default")]
    pub statistic: Statistic,
    /// The columns to compute it for. Default: all columns with numbers; the first two of them for
    /// a statistic of two columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

/// A statistic that the recipient wants narrow bounds for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// The mean of each column.
    #[default]
    Mean,
    /// The variance of each column.
    Variance,
    /// The covariance of two columns.
    Covariance,
    /// The correlation of two columns.
    Correlation,
}

impl Policy {
    /// Whether rows are recoded by regions instead of levels.
    pub fn forms_regions(&self) -> bool {
        self.search.algorithm.forms_regions() && self.needs_levels().is_none()
    }

    /// Why the algorithm "best" searches levels in place of regions: the first setting that is not
    /// defined for regions. None where it forms regions, and for all other algorithms.
    pub fn needs_levels(&self) -> Option<String> {
        if self.search.algorithm != Algorithm::Best {
            return None;
        }
        let loss = self.search.loss.parameters().kind;
        let settings = [
            (self.search.local, "search.local searches levels in rounds".to_owned()),
            (self.search.prefer.expression().is_some(), "search.prefer ranks levels".to_owned()),
            (
                self.input.missing == Missing::Wildcard,
                "input.missing = \"wildcard\" is defined for levels only".to_owned(),
            ),
            (
                self.output.suppressed != Suppressed::Dropped,
                "output.suppressed keeps suppressed rows, which only levels can".to_owned(),
            ),
            (loss.sums_levels(), format!("the loss \"{loss}\" adds up levels")),
        ];
        let setting = settings.into_iter().find_map(|(given, reason)| given.then_some(reason));
        setting.or_else(|| self.privacy.models.iter().find_map(|model| self.model_of_levels(model)))
    }

    /// Why a model needs levels; none where it judges regions.
    fn model_of_levels(&self, model: &ModelSpec) -> Option<String> {
        let claim = model.claim();
        if let Some(NoRegions { reason, .. }) = model.without_regions() {
            return Some(format!("\"{claim}\" is not defined for regions of rows: {reason}"));
        }
        if let Some(column) = self.linkable(model) {
            return Some(format!("\"{claim}\" judges the quasi-identifier `{column}` at one level"));
        }
        // Regions are formed one by one, and need not satisfy these.
        let whole = matches!(
            model.kind(),
            ModelKind::SampleUniqueness
                | ModelKind::AverageRisk
                | ModelKind::StrictAverageRisk
                | ModelKind::PopulationUniqueness
        );
        let whole = whole || matches!(model, ModelSpec::RareValues(asked) if asked.deletes().is_none());
        whole.then(|| format!("\"{claim}\" judges all classes together"))
    }

    /// The same policy for a search of levels: "auto" in place of "best", and no forms of cells.
    #[must_use]
    pub fn for_levels(&self) -> Policy {
        let mut policy = self.clone();
        if policy.search.algorithm == Algorithm::Best {
            policy.search.algorithm = Algorithm::Best.of_levels();
            policy.columns.values_mut().for_each(|column| column.form = None);
        }
        policy
    }
}

/// Errors that do not depend on the table.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let algorithm = policy.search.algorithm;
    let search = &policy.search;
    let only = |key: &str, given: bool, with: Algorithm| {
        (given && algorithm != with).then(|| {
            fault!(
                Input,
                "policy.section-of-other-algorithm",
                "only \"{needed}\" has it, and the algorithm is \"{algorithm}\"",
                needed = with,
                algorithm = algorithm
            )
            .key(key)
            .help(format!("remove it, or write algorithm = \"{with}\""))
        })
    };
    faults.extend(only("search.mondrian", search.mondrian.is_some(), Algorithm::Mondrian));
    if search.mondrian.is_some_and(|mondrian| mondrian.refine == Some(true) && !mondrian.refines()) {
        faults.push(
            fault!(
                Input,
                "policy.refine-needs-strict-cuts",
                "regions of relaxed cuts divide equal rows and cannot be refined"
            )
            .key("search.mondrian.refine")
            .help("write cut = \"strict\", or remove refine"),
        );
    }
    faults.extend(only("search.boxes", search.boxes.is_some(), Algorithm::Boxes));
    faults.extend(only("search.greedy", search.greedy.is_some(), Algorithm::Greedy));
    faults.extend(only("search.partition", search.partition.is_some(), Algorithm::Partition));
    if policy.search.partition.is_some_and(|partition| partition.tries == 0) {
        faults.push(
            fault!(Input, "policy.partition-tries-are-zero", "a set is to be split at least once")
                .key("search.partition.tries")
                .help("give 1 or more"),
        );
    }
    if policy.search.greedy.is_some_and(|greedy| !(1..=64).contains(&greedy.beam)) {
        faults.push(
            fault!(Input, "policy.beam-out-of-range", "a beam is 1 to 64 sets wide")
                .key("search.greedy.beam"),
        );
    }
    if policy.search.local && !algorithm.of_levels().takes_rounds() {
        faults.push(
            fault!(
                Input,
                "policy.algorithm-already-local",
                "search.local cannot be combined with \"{algorithm}\", which is local already",
                algorithm = algorithm
            )
            .key("search.local")
            .help("remove search.local; it applies to algorithms that search levels"),
        );
    }
    if policy.forms_regions() {
        regions(policy, faults);
        if !algorithm.entry().k_anonymous {
            own_sets(policy, faults);
        }
    } else if policy.search.local {
        rounds(policy, faults);
    }
    posets(policy, faults);
    ranges(policy, faults);
    for (name, column) in policy.columns.iter().filter(|(_, column)| column.form.is_some()) {
        let key = format!("columns.{name}.form");
        if column.role != Role::Quasi {
            faults.push(
                fault!(
                    Input,
                    "policy.column-not-generalized",
                    "a column with role \"{role}\" is not generalized",
                    role = column.role.name()
                )
                .key(key)
                .help("remove `form`, or give the column role = \"quasi\""),
            );
        } else if !policy.forms_regions() {
            faults.push(form_without_regions(policy).key(key));
        }
    }
}

/// A form of cells where levels are chosen.
fn form_without_regions(policy: &Policy) -> Fault {
    let fault = fault!(
        Input,
        "policy.form-without-regions",
        "\"{algorithm}\" writes labels of hierarchies and nothing else",
        algorithm = policy.search.algorithm.of_levels()
    );
    match policy.needs_levels() {
        Some(reason) => fault.help(format!("remove it: {reason}, so levels are chosen")),
        None => {
            let able = Algorithm::keys_with(|entry| entry.forms_regions).join(", ");
            fault.help(format!("remove it, or choose one of the algorithms {able}"))
        }
    }
}

/// Cells that are ranges need an order, and must not be mistaken for one of its values.
fn ranges(policy: &Policy, faults: &mut Vec<Fault>) {
    for (name, column) in policy.columns.iter().filter(|(_, column)| column.role == Role::Quasi) {
        let asked = column.form == Some(Form::Range);
        let Some(order) = column.stated_order() else {
            if asked {
                faults.push(
                    fault!(
                        Input,
                        "policy.form-without-order",
                        "\"range\" is from one value to another, and the column states no order of its values"
                    )
                    .key(format!("columns.{name}.form"))
                    .help(
                        "list the values in order: hierarchy = { order = { values = [\"low\", \"high\"] } }",
                    ),
                );
            }
            continue;
        };
        let place = |value: &str| order.values.iter().position(|listed| listed == value);
        let written = asked || (column.form.is_none() && order.fanout.is_empty() && policy.forms_regions());
        let mistaken = order.values.iter().find_map(|value| match Cell::parse(value) {
            Cell::Range(first, last) if place(&first)? < place(&last)? => Some((value, first, last)),
            _ => None,
        });
        if let Some((value, first, last)) = mistaken.filter(|_| written) {
            faults.push(
                fault!(
                    Input,
                    "policy.value-reads-as-range",
                    "the value `{value}` would read as the range from `{first}` to `{last}`",
                    value = value,
                    first = first,
                    last = last
                )
                .key(format!("columns.{name}.hierarchy"))
                .help("write form = \"set\""),
            );
        }
    }
}

/// What does not go together with posets.
fn posets(policy: &Policy, faults: &mut Vec<Fault>) {
    let algorithm = policy.search.algorithm;
    for (name, column) in &policy.columns {
        let key = |part: &str| format!("columns.{name}.{part}");
        if column.form == Some(Form::Poset) {
            faults.push(
                fault!(
                    Input,
                    "policy.form-without-poset",
                    "\"poset\" is what cells of a column with a poset are"
                )
                .key(key("form"))
                .help("give the column a poset, and remove `form`"),
            );
        }
        if column.poset.is_none() {
            continue;
        }
        if column.role != Role::Quasi {
            let help = "remove `poset`, or give the column role = \"quasi\"";
            faults.push(
                fault!(
                    Input,
                    "policy.column-not-generalized",
                    "a column with role \"{role}\" is not generalized",
                    role = column.role.name()
                )
                .key(key("poset"))
                .help(help),
            );
        }
        if column.hierarchy.is_some() {
            faults.push(
                fault!(Input, "policy.hierarchy-and-poset", "a column has a hierarchy or a poset, not both")
                    .key(key("poset"))
                    .help("remove one of them"),
            );
        }
        let levels = [
            ("form", column.form.is_some()),
            ("min_level", column.min_level.is_some()),
            ("max_level", column.max_level.is_some()),
            ("tolerance", column.tolerance.is_some()),
        ];
        for (part, _) in levels.into_iter().filter(|(_, given)| *given) {
            faults.push(
                fault!(
                    Input,
                    "policy.poset-has-no-levels",
                    "a poset has no levels, and its cells are written in one way"
                )
                .key(key(part))
                .help("remove it, or give the column a hierarchy"),
            );
        }
        if !algorithm.entry().takes_posets {
            let able = Algorithm::keys_with(|entry| entry.takes_posets).join(", ");
            let help = format!("choose one of the algorithms {able}, or give the column a hierarchy");
            faults.push(
                fault!(
                    Input,
                    "policy.algorithm-without-posets",
                    "\"{algorithm}\" cannot use a poset: it needs levels",
                    algorithm = algorithm
                )
                .key(key("poset"))
                .help(help),
            );
        }
    }
    let linked = policy.search.linked.iter().flatten();
    let posets = linked.filter(|name| policy.columns.get(*name).is_some_and(|c| c.poset.is_some()));
    for name in posets {
        faults.push(
            fault!(
                Input,
                "policy.linked-column-has-poset",
                "`{column}` has a poset, which has no level to link",
                column = name
            )
            .key("search.linked")
            .help("remove the column there"),
        );
    }
}

/// What does not go together with rows that are searched again.
fn rounds(policy: &Policy, faults: &mut Vec<Fault>) {
    let mut refuse = |wrong: bool, key: &str, fault: Fault, help: &str| {
        if wrong {
            faults.push(fault.key(key).help(help));
        }
    };
    refuse(
        policy.output.suppressed != Suppressed::Dropped,
        "output.suppressed",
        fault!(
            Input,
            "policy.local-search-keeps-suppressed",
            "search.local releases flagged rows at levels of their own, and what is left then is dropped"
        ),
        "write suppressed = \"dropped\", or remove search.local",
    );
    refuse(
        policy.privacy.most_general(),
        "search.local",
        fault!(
            Input,
            "policy.local-search-of-most-general",
            "anonymity level 1 requires the most general release, and there is nothing to search"
        ),
        "remove it",
    );
    refuse(
        policy.differential_privacy().is_some(),
        "search.local",
        fault!(
            Input,
            "policy.local-search-of-fixed-levels",
            "with differential privacy all levels are fixed, and there is nothing to search"
        ),
        "remove it",
    );
    let one_level = |model: &ModelSpec| model.entry().one_level;
    refuse(
        policy.population().is_some() || policy.privacy.models.iter().any(one_level),
        "search.local",
        fault!(
            Input,
            "policy.local-search-at-several-levels",
            "people and payments are counted at one level per column, and rows that are searched again are at several"
        ),
        "remove it, or the model",
    );
}

/// What does not go together with rows that have the cells of a set of their own: their releases
/// are (k,1)-anonymous and not k-anonymous, which the policy has to accept by name.
fn own_sets(policy: &Policy, faults: &mut Vec<Fault>) {
    let algorithm = policy.search.algorithm;
    let privacy = &policy.privacy;
    let key = match privacy {
        _ if privacy.given_k.is_some() => Some("privacy.k"),
        _ if privacy.anonymity.is_some() => Some("privacy.anonymity"),
        _ if !privacy.quasi.is_empty() => Some("privacy.quasi"),
        _ => policy.k_one().is_none().then_some("search.algorithm"),
    };
    if let Some(key) = key {
        let fault = fault!(
            Input,
            "policy.algorithm-not-k-anonymous",
            "\"{algorithm}\" releases (k,1)-anonymous tables, which are not k-anonymous: a released row is true of k \
             originals, but one released row alone may be true of a person who is known to be in the table",
            algorithm = algorithm
        );
        let k = privacy.k().or(policy.k_one()).unwrap_or(5);
        let help = format!(
            "choose \"greedy\", the same with disjoint sets, whose releases are k-anonymous; to accept \
             (k,1)-anonymity, write models = [{{ k_one = {{ k = {k} }} }}] and remove privacy.k, anonymity and quasi"
        );
        faults.push(fault.key(key).help(help));
    }
    let judges_classes = |model: &ModelSpec| match model {
        ModelSpec::KOne(_) => false,
        // What is rare in the table goes before anything else is done.
        ModelSpec::RareValues(rare) => rare.deletes().is_none(),
        _ => true,
    };
    for (at, model) in privacy.models.iter().enumerate().filter(|(_, model)| judges_classes(model)) {
        faults.push(
            fault!(
                Input,
                "policy.model-without-classes",
                "\"{model}\" judges classes of rows that look alike, and \"{algorithm}\" makes none",
                model = model.claim(),
                algorithm = algorithm
            )
            .key(format!("privacy.models.{at}"))
            .help("remove it, or choose \"greedy\""),
        );
    }
    for (name, column) in &policy.columns {
        if let Some(form) = column.form.filter(|form| !form.truthful()) {
            faults.push(
                fault!(
                    Input,
                    "policy.form-not-true",
                    "cells written as {form} are not true of other originals, and (k,1)-anonymity counts those",
                    form = form.name()
                )
                .key(format!("columns.{name}.form"))
                .help("write form = \"interval\", or remove it"),
            );
        }
    }
}

/// What methods that form regions are not defined for.
fn regions(policy: &Policy, faults: &mut Vec<Fault>) {
    let algorithm = policy.search.algorithm;
    let mut refuse = |wrong: bool, key: &str, fault: Fault, help: &str| {
        if wrong {
            faults.push(fault.key(key).help(help));
        }
    };
    refuse(
        policy.input.missing == Missing::Wildcard,
        "input.missing",
        fault!(
            Input,
            "policy.regions-with-wildcards",
            "\"{algorithm}\" does not know missing cells that match everything",
            algorithm = algorithm
        ),
        "write missing = \"value\" or \"suppress\", or choose an algorithm that chooses levels",
    );
    refuse(
        policy.output.suppressed != Suppressed::Dropped,
        "output.suppressed",
        fault!(
            Input,
            "policy.regions-keep-suppressed",
            "\"{algorithm}\" releases every row that it can, and the others are left out",
            algorithm = algorithm
        ),
        "remove it",
    );
    let loss = policy.search.loss.parameters().kind;
    refuse(
        loss.sums_levels(),
        "search.loss",
        fault!(
            Input,
            "policy.regions-with-level-loss",
            "\"{loss}\" adds up levels, and \"{algorithm}\" chooses none",
            loss = loss,
            algorithm = algorithm
        ),
        "write loss = \"lm\", \"prec\" or \"entropy\", for instance",
    );
    for (at, model) in policy.privacy.models.iter().enumerate() {
        let Some(NoRegions { reason, help }) = model.without_regions() else { continue };
        refuse(
            true,
            &format!("privacy.models.{at}"),
            fault!(
                Input,
                "policy.model-without-regions",
                "\"{model}\" is not defined for regions of rows: {reason}",
                model = model.claim(),
                reason = reason
            ),
            help,
        );
    }
    let (key, help) = match algorithm {
        Algorithm::Mondrian => ("search.mondrian.cut", "write cut = \"strict\""),
        _ => ("search.algorithm", "choose \"k-similar\", for instance"),
    };
    let replaced = policy.columns.iter().find(|(_, c)| c.is_replaced() || c.level.is_some());
    if let Some((name, _)) = replaced.filter(|_| policy.divides_equal_rows()) {
        refuse(
            true,
            key,
            fault!(
                Input,
                "policy.divided-rows-not-verifiable",
                "rows of equal values would be divided, and `{column}` is released in another form: that could not be verified",
                column = name
            ),
            help,
        );
    }
}
