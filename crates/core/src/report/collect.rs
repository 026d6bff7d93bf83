//! Fills [`Facts`] from what a search found: one pass over the classes before, one over those
//! after.

use std::collections::BTreeMap;

use super::facts::{
    ChosenLevel, ColumnFacts, ColumnLoss, Facts, LatticeFacts, LevelFacts, LossFacts, PolicySummary,
    StarFacts, bars, size_bins,
};
use super::text::{count, integer};
use super::words::{exposures, searched, untold};
use crate::class_risk::{ClassRisk, THRESHOLD};
use crate::decide::{Decision, Figures};
use crate::error::Result;
use crate::explore::{Choice, Explored, cheap, explore};
use crate::exposure::Exposed;
use crate::hierarchy;
use crate::loss::Marginals;
use crate::policy::{Form, Limit, Missing, Policy, Role, Suppressed, Transform};
use crate::registry::{LossKind, MODEL_LOSS};
use crate::release::{NotionFacts, Release};
use crate::search::{Problem, Solution};
use crate::table::Code;
use crate::watch::Watch;
use crate::worth::Worths;

/// Bars of one chart, at most.
const BARS: usize = 12;

/// What was done to a column that holds nothing any more.
const EMPTY: &str = "suppressed completely: every value is *";
/// What is done to an identifier that is not removed.
const REPLACED: &str = "replaced by made-up values, one for one";

/// What a report is about.
pub struct Subject<'a> {
    /// What was asked for.
    pub policy: &'a Policy,
    /// Where that was written.
    pub policy_path: String,
    /// Where the certificate goes.
    pub certificate_path: String,
    /// All columns of the table, in order.
    pub columns: &'a [String],
    /// What was solved.
    pub problem: &'a Problem,
    /// What was decided.
    pub decision: &'a Decision,
    /// The figures of the decision.
    pub figures: &'a Figures,
    /// What columns beside the quasi-identifiers show.
    pub exposed: &'a [Exposed],
    /// What was released.
    pub release: Release,
}

/// The facts of a release.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn collect(subject: Subject<'_>, watch: &Watch) -> Result<Facts> {
    let marginals = Marginals::new(&subject.problem.classes, &subject.problem.hierarchies);
    let Figures { stars, sizes_before, sizes_after, .. } = subject.figures;
    let lattice = lattice(&subject, watch)?;
    Ok(Facts {
        title: subject.policy.input.path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
        policy: summary(&subject),
        columns: subject.columns.iter().map(|name| column(&subject, &marginals, name)).collect(),
        classes_before: size_bins(sizes_before),
        classes_after: size_bins(sizes_after),
        risk_before: ClassRisk::new(sizes_before, THRESHOLD),
        risk_after: ClassRisk::new(sizes_after, THRESHOLD),
        lattice,
        losses: losses(&subject),
        stars: StarFacts { share: stars.share(subject.release.withheld), blank: stars.blank },
        exposures: exposures(subject.policy, &exposed(&subject)),
        warnings: warnings(&subject, &marginals.worths),
        release: subject.release,
    })
}

/// What columns show; of quasi-identifiers, values that one released row has.
fn exposed(subject: &Subject<'_>) -> Vec<Exposed> {
    let of_quasi = subject.problem.names.iter().enumerate().map(|(q, name)| {
        let labels = released_labels(subject, q);
        Exposed {
            column: name.clone(),
            rows: subject.figures.stars.rows,
            values: labels.len() as u64,
            unique: labels.iter().filter(|(_, rows)| *rows == 1).count() as u64,
            exact: true,
            classes: 0,
            uniform: 0,
            uniform_rows: 0,
            uniform_exact: true,
        }
    });
    subject.exposed.iter().cloned().chain(of_quasi).collect()
}

fn summary(subject: &Subject<'_>) -> PolicySummary {
    let policy = subject.policy;
    let parameters = policy.search.loss.parameters();
    let mut loss = parameters.kind.to_string();
    if let Some(aggregate) = parameters.aggregate {
        loss += &format!(", {aggregate:?}").to_lowercase();
    }
    if let Some(counted) = parameters.count_suppressed {
        loss += if counted { ", suppressed rows count" } else { ", suppressed rows do not count" };
    }
    if let Some(tradeoff) = parameters.tradeoff {
        loss += &format!(", trade-off {tradeoff}");
    }
    if let Some(rare) = parameters.rare {
        loss += &format!(", values with fewer than {rare} rows left out");
    }
    let limit = integer(subject.problem.max_suppressed);
    PolicySummary {
        path: subject.policy_path.clone(),
        certificate: Some(subject.certificate_path.clone()),
        k: policy.privacy.k(),
        anonymity: policy.privacy.anonymity,
        groups: policy
            .privacy
            .quasi
            .iter()
            .map(|(name, g)| format!("{name}: {} at least {} times", g.columns.join(", "), g.k))
            .collect(),
        suppression_limit: match policy.suppression() {
            Limit::Share(_) if subject.release.sampling.is_some() => "none".into(),
            Limit::Share(share) => format!("{} % ({limit} rows)", share * 100.0),
            Limit::Rows(_) => format!("{limit} rows"),
        },
        algorithm: searched(&policy.search),
        local: policy.search.local,
        loss,
        missing: match policy.input.missing {
            Missing::Value => "a value of its own",
            Missing::Wildcard => "matches everything",
            Missing::Suppress => "the row is suppressed",
        }
        .into(),
        keep_order: if policy.output.keep_order { "kept" } else { "shuffled" }.into(),
        suppressed: match policy.output.suppressed {
            Suppressed::Dropped => "left out",
            Suppressed::Starred => "kept with * in every quasi-identifier",
            Suppressed::Cells => "kept with * in as few quasi-identifiers as can be found, or left out",
        }
        .into(),
    }
}

fn column(subject: &Subject<'_>, marginals: &Marginals, name: &str) -> ColumnFacts {
    let Some(column) = subject.policy.columns.get(name) else {
        return ColumnFacts::new(name, Role::Drop, "removed");
    };
    let quasi = subject.problem.names.iter().position(|n| n == name);
    match quasi {
        Some(q) => quasi_column(subject, marginals, name, q),
        None => {
            let action = match column.role {
                Role::Identifier | Role::Subject if column.released() => REPLACED,
                Role::Subject => "removed: it names the person that a row belongs to",
                Role::Identifier => "removed: it names people",
                Role::Text => "removed: free text can name people",
                Role::Drop => "removed",
                _ if column.shift().is_some() => "dates shifted per person",
                _ => "released as it is",
            };
            ColumnFacts { released: column.released(), ..ColumnFacts::new(name, column.role, action) }
        }
    }
}

fn quasi_column(subject: &Subject<'_>, marginals: &Marginals, name: &str, q: usize) -> ColumnFacts {
    let hierarchy = &subject.problem.hierarchies[q];
    let node = subject.decision.node(subject.problem);
    let level = node.level(q);
    let (min_level, max_level, height) = subject.problem.lattice.range(q);
    let spec = subject.policy.columns.get(name).map_or(hierarchy::Spec::Suppress, |c| c.hierarchy());
    let leaves = &marginals.columns[q].levels[0].rows;
    let label =
        |level: usize, code: usize| hierarchy.label(level, code as Code).unwrap_or("(missing)").to_owned();
    let after = released_labels(subject, q);
    let floor = subject.policy.privacy.k().unwrap_or(1);
    let before = leaves.iter().enumerate().filter(|(_, n)| **n > 0).map(|(c, &n)| (label(0, c), n));
    let starred = starred(subject, name, height);
    let frequent =
        leaves.iter().enumerate().max_by_key(|(i, n)| (**n, std::cmp::Reverse(*i))).map_or(0, |(i, _)| i);
    ColumnFacts {
        hierarchy: Some(hierarchy::describe(&spec)),
        level: (!locally(subject)).then_some(level),
        empty: subject.figures.stars.empty(q),
        height,
        min_level,
        max_level,
        weight: subject.policy.weight(name),
        distinct_before: leaves.iter().filter(|n| **n > 0).count() as u64,
        distinct_after: after.len() as u64,
        missing: hierarchy.missing().map_or(0, |m| leaves[m as usize]),
        loss: loss(subject, marginals, q),
        starred,
        before: bars(before, BARS, floor),
        after: bars(after, BARS, floor),
        ladder: (0..=height)
            .map(|l| {
                // A table without rows may have no values.
                let code = hierarchy.codes(l).get(frequent).map(|&code| code as usize);
                // A value that few rows have is not named, here as little as in the charts.
                let named = code.filter(|&code| marginals.columns[q].levels[l].rows[code] >= floor);
                let example = named.map_or_else(|| "…".into(), |code| label(l, code));
                LevelFacts { level: l, size: hierarchy.size(l) as u64, example }
            })
            .collect(),
        ..ColumnFacts::new(
            name,
            Role::Quasi,
            (subject.figures.stars.empty(q).then(|| EMPTY.to_owned()))
                .or_else(|| in_region(subject, name))
                .or_else(|| in_steps(subject, name))
                .unwrap_or_else(|| action(level, height, starred))
                + &judged_by(subject, name),
        )
    }
}

/// The models of a quasi-identifier, as the end of a sentence.
fn judged_by(subject: &Subject<'_>, name: &str) -> String {
    let models = subject.policy.privacy.models.iter();
    let models = models.filter(|model| subject.policy.linkable(model) == Some(name));
    let claims: Vec<String> = models.map(|model| model.claim()).collect();
    if claims.is_empty() { String::new() } else { format!("; judged by {}", claims.join(" and ")) }
}

/// Whether rows have levels or cells of their own, so that there is no chosen node.
fn locally(subject: &Subject<'_>) -> bool {
    subject.release.regions.is_some() || subject.policy.search.local && subject.release.steps.len() > 1
}

/// What was done to a column where rows were put into regions.
fn in_region(subject: &Subject<'_>, name: &str) -> Option<String> {
    let form = subject.release.regions.as_ref()?.forms.get(name)?;
    let cells = match form {
        Form::Label => "the least label that is true of all its rows",
        Form::Interval => "the interval that its numbers span",
        Form::Set => "the set of its values",
        Form::Range => "the range from its first to its last value",
        Form::Mean => "the mean of its numbers",
        Form::Median => "the median of its numbers",
        Form::Poset => "the least cell of its poset that is true of all its rows",
    };
    Some(format!("recoded region by region: {cells}"))
}

/// What was done to a column where rows were searched again.
fn in_steps(subject: &Subject<'_>, name: &str) -> Option<String> {
    let steps = &subject.release.steps;
    let levels = || steps.iter().filter_map(|step| step.levels.get(name));
    let (low, high) = (levels().min()?, levels().max()?);
    (subject.policy.search.local && low < high)
        .then(|| format!("generalized to levels {low} to {high}, step by step"))
}

fn action(level: usize, height: usize, starred: u64) -> String {
    let stars = match starred {
        0 => String::new(),
        n => format!("; {} starred", count(n, "cell")),
    };
    match level {
        0 => format!("kept as it is{stars}"),
        l if l == height => EMPTY.into(),
        l => format!("generalized to level {l} of {height}{stars}"),
    }
}

/// Cells of a column that are at the top only because a later step put them there.
fn starred(subject: &Subject<'_>, name: &str, height: usize) -> u64 {
    if subject.policy.search.local {
        return 0;
    }
    let top = |levels: &BTreeMap<String, usize>| levels.get(name) == Some(&height);
    let release = &subject.release;
    let steps = release.steps.iter().filter(|step| top(&step.levels) && !top(&release.levels));
    steps.map(|step| step.rows).sum()
}

/// The labels that released rows have in a column, with the rows.
fn released_labels(subject: &Subject<'_>, q: usize) -> Vec<(String, u64)> {
    let recoded = &subject.decision.recoded;
    let labels = recoded.columns()[q].labels.iter();
    let labels = labels.map(|label| label.as_deref().unwrap_or("(missing)").to_owned());
    labels.zip(recoded.released_rows(q)).filter(|(_, rows)| *rows > 0).collect()
}

/// What a column lost, as the certificate says it; bits as a share of those that the column had.
fn loss(subject: &Subject<'_>, marginals: &Marginals, q: usize) -> Option<ColumnLoss> {
    let name = &subject.problem.names[q];
    let part = |loss: &str| subject.release.loss_by_column.get(loss)?.get(name).copied();
    let n = marginals.rows as f64;
    let leaves = marginals.columns[q].levels[0].rows.iter().filter(|&&c| c > 0);
    let whole: f64 = leaves.map(|&c| -(c as f64) * (c as f64 / n).log2()).sum();
    let share = |bits: f64| if whole > 0.0 { bits / whole } else { 0.0 };
    Some(ColumnLoss {
        lm: part("lm")?,
        entropy_share: share(part("entropy")?),
        conditional_share: share(part("conditional-entropy")?),
        prec: part("prec")?,
    })
}

fn lattice(subject: &Subject<'_>, watch: &Watch) -> Result<LatticeFacts> {
    let lattice = &subject.problem.lattice;
    let node = subject.decision.node(subject.problem);
    let chosen = subject.problem.names.iter().enumerate().map(|(i, name)| {
        let (min, max, height) = lattice.range(i);
        ChosenLevel { column: name.clone(), level: node.level(i), min, max, height }
    });
    Ok(LatticeFacts {
        nodes: lattice.nodes(),
        checked: subject.release.search.checked,
        chosen: chosen.collect(),
        bottom: lattice.bottom().height() as usize,
        top: lattice.top().height() as usize,
        height: node.height() as usize,
        profile: lattice.profile(),
        explored: explored(subject, watch)?,
    })
}

/// The lattice node by node, where that costs little beside the release itself.
fn explored(subject: &Subject<'_>, watch: &Watch) -> Result<Option<Explored>> {
    if locally(subject) || !cheap(subject.problem) {
        return Ok(None);
    }
    let node = subject.decision.node(subject.problem);
    let target = subject.policy.search.loss.parameters().kind;
    let loss = subject.release.loss.get(target.key()).copied().unwrap_or_default();
    let best = Some(Solution { node, loss, suppressed: subject.decision.recoded.suppressed_rows() });
    let search = &subject.release.search;
    let choice = Choice { algorithm: search.algorithm.clone(), best, gap: search.gap };
    explore(subject.problem, &choice, watch).map(Some)
}

fn losses(subject: &Subject<'_>) -> Vec<LossFacts> {
    let target = subject.policy.search.loss.parameters().kind;
    let fact = |&kind: &LossKind| {
        let value = *subject.release.loss.get(kind.key())?;
        Some(LossFacts::new(kind.key(), value, kind == target))
    };
    let model = subject.release.loss.get(MODEL_LOSS);
    let model = model.map(|&value| LossFacts {
        name: MODEL_LOSS.to_owned(),
        value,
        explanation: "Mean distance between what the model predicts from a row as released and untouched."
            .into(),
        target: false,
    });
    LossKind::ALL.iter().filter_map(fact).chain(model).collect()
}

/// What (k,1)-anonymity does not protect against.
fn not_alike(notions: &NotionFacts) -> String {
    format!(
        "The release is (k,1)-anonymous and not k-anonymous: every row is true of {}, but rows need not look alike. Somebody who \
         knows that a person is in the table looks for the rows that are true of this person, and finds {} in the worst case \
         ((1,k) {}, (k,k) {}); the smallest class has {}. With \"greedy\" in place of \"greedy-rows\" it would be k-anonymous.",
        count(notions.k_one, "original"),
        count(notions.one_k, "row"),
        notions.one_k,
        notions.k_k,
        count(notions.k, "row")
    )
}

/// What the holder should look at before the release goes out.
fn warnings(subject: &Subject<'_>, worths: &[Worths]) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(untold(subject.policy, &subject.problem.names, worths));
    warnings.extend(subject.release.notions.as_ref().map(not_alike));
    if subject.policy.output.keep_order {
        warnings.push(
            "The rows are in the order of the input: whoever knows that order can tell who is who. \
             Remove output.keep_order unless the recipient needs it."
                .into(),
        );
    }
    let outside = [Role::Keep, Role::Target, Role::Weight];
    let kept: Vec<&str> = outside.into_iter().flat_map(|role| subject.policy.with_role(role)).collect();
    if !kept.is_empty() {
        warnings.push(format!(
            "Released as it is, outside the guarantee: {}. Make sure that nobody can link on it.",
            kept.join(", ")
        ));
    }
    for (name, column) in subject.policy.columns.iter().filter(|(_, column)| column.is_replaced()) {
        let key = column.transform.as_ref().and_then(Transform::key);
        warnings.push(match key {
            Some(_) => format!(
                "The made-up values of {name} still tell which rows belong to one person, here and in every release with \
                 the same key. Whoever has the key and knows a value can find its rows: keep the key from the recipient."
            ),
            None => format!("The numbers of {name} still show which rows of this release belong to one person."),
        });
    }
    if subject.release.sampling.is_some() {
        warnings.push(
            "This page counts rows that were not drawn or not released. It is not differentially private: pass on the release and \
             its certificate, not this page, and keep the key that rows were drawn by to yourself."
                .into(),
        );
        warnings.push(
            "What is promised is promised of one release: the epsilons and the deltas of all releases about the same people add up."
                .into(),
        );
    }
    if subject.policy.input.missing == Missing::Wildcard {
        warnings.push(
            "A missing cell matches everything in the guarantee; in the figures of risk it is a value of its own.".into(),
        );
    }
    for (i, name) in subject.problem.names.iter().enumerate() {
        if subject.problem.hierarchies[i].topped() {
            warnings.push(format!(
                "The hierarchy of {name} has several values at its top; a level * was put above."
            ));
        }
    }
    warnings
}
