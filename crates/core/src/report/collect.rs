//! Fills [`Facts`] from what a search found: one pass over the classes before, one over those
//! after.

use std::collections::BTreeMap;

use super::collect_bounds::bounds;
use super::collect_statistics::{Compared, statistics};
use super::facts::{
    ChosenLevel, ColumnFacts, ColumnLoss, Facts, LatticeFacts, LevelFacts, LossFacts, PolicySummary,
    StarFacts, StatisticsFacts, bars, size_bins,
};
use super::scrubbed;
use super::text::{count, integer};
use super::words::{exposures, searched, uninformative};
use crate::class_risk::{ClassRisk, THRESHOLD};
use crate::decide::{Decision, Figures};
use crate::error::Result;
use crate::explore::{Choice, Explored, cheap, explore};
use crate::exposure::Exposed;
use crate::hierarchy::{self, Hierarchy, Spec, level_names};
use crate::loss::Marginals;
use crate::policy::{Column, Form, Limit, Missing, Policy, Role, Suppressed, Transform};
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
const REPLACED: &str = "replaced by pseudonyms, one for each value";

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
    let specs: Vec<Spec> = subject.problem.names.iter().map(|name| spec(subject.policy, name)).collect();
    let compared = Compared {
        names: &subject.problem.names,
        specs: &specs,
        hierarchies: &subject.problem.hierarchies,
        recoded: &subject.decision.recoded,
        floor: subject.policy.privacy.k().unwrap_or(1),
    };
    let found = statistics(&compared, watch)?;
    let bounds = bounds(subject.policy, subject.problem, &subject.decision.recoded, &found.numbers);
    Ok(Facts {
        statistics: StatisticsFacts { bounds, ..found },
        title: subject.policy.input.path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
        policy: summary(&subject),
        columns: subject.columns.iter().map(|name| reasoned(&subject, &marginals, name)).collect(),
        classes_before: size_bins(sizes_before),
        classes_after: size_bins(sizes_after),
        risk_before: ClassRisk::new(sizes_before, THRESHOLD),
        risk_after: ClassRisk::new(sizes_after, THRESHOLD),
        lattice,
        losses: losses(&subject),
        stars: StarFacts { share: stars.share(subject.release.withheld), blank: stars.blank },
        exposures: exposures(subject.policy, &exposed(&subject)),
        warnings: warnings(&subject, &marginals.worths),
        // They are measured after the release, by the caller.
        suggestions: Vec::new(),
        release: subject.release,
    })
}

/// The hierarchy of a column as the policy states it.
fn spec(policy: &Policy, column: &str) -> Spec {
    policy.columns.get(column).map_or(Spec::Suppress, |c| c.hierarchy())
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
            Missing::Value => "a separate value",
            Missing::Wildcard => "matches everything",
            Missing::Suppress => "the row is suppressed",
        }
        .into(),
        keep_order: if policy.output.keep_order { "kept" } else { "shuffled" }.into(),
        suppressed: match policy.output.suppressed {
            Suppressed::Dropped => "left out",
            Suppressed::Starred => "kept with * in every quasi-identifier",
            Suppressed::Cells => {
                "kept with * in a few quasi-identifiers where that is enough, otherwise left out"
            }
        }
        .into(),
        statement: policy.statement.clone().unwrap_or_default(),
    }
}

/// A column with the holder's reason for its role.
fn reasoned(subject: &Subject<'_>, marginals: &Marginals, name: &str) -> ColumnFacts {
    let reason = subject.policy.columns.get(name).and_then(|column| column.reason.clone());
    ColumnFacts { reason, ..column(subject, marginals, name) }
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
                Role::Text if column.scrub().is_some() => {
                    let facts = subject.release.text.get(name).map(scrubbed::phrase).unwrap_or_default();
                    let action = format!("scrubbed: {facts}");
                    return ColumnFacts { released: true, ..ColumnFacts::new(name, column.role, action) };
                }
                Role::Text => "removed: free text can name people",
                Role::Drop => "removed",
                _ if column.shift().is_some() => "dates shifted per person",
                _ => "released unchanged",
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
    let spec = spec(subject.policy, name);
    let names = level_names(&spec, name, height);
    let leaves = &marginals.columns[q].levels[0].rows;
    let label =
        |level: usize, code: usize| hierarchy.label(level, code as Code).unwrap_or("(missing)").to_owned();
    let after = released_labels(subject, q);
    let floor = subject.policy.privacy.k().unwrap_or(1);
    let before = leaves.iter().enumerate().filter(|(_, n)| **n > 0).map(|(c, &n)| (label(0, c), n));
    let starred = starred(subject, name, height);
    let unstated = |column: &Column| column.hierarchy.is_none() && column.poset.is_none();
    let fitted = leaves.len() > 2
        && subject.policy.forms_regions()
        && subject.policy.columns.get(name).is_some_and(unstated);
    ColumnFacts {
        // Sets and intervals of regions do not come from a hierarchy.
        hierarchy: (!fitted).then(|| hierarchy::describe(&spec)),
        level_names: names.clone(),
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
        ladder: ladder(hierarchy, &|level, code| marginals.columns[q].levels[level].rows[code], floor),
        ..ColumnFacts::new(
            name,
            Role::Quasi,
            (subject.figures.stars.empty(q).then(|| EMPTY.to_owned()))
                .or_else(|| in_region(subject, name))
                .or_else(|| in_steps(subject, name, &names))
                .unwrap_or_else(|| action(level, &names, starred))
                + &judged_by(subject, name),
        )
    }
}

/// What an example value becomes level by level: one whose label changes often, so that the levels
/// can be seen, and of several the most frequent one. Labels that fewer rows than `floor` have are
/// not shown. `rows` gives the rows of a code at a level.
pub(super) fn ladder(
    hierarchy: &Hierarchy,
    rows: &dyn Fn(usize, usize) -> u64,
    floor: u64,
) -> Vec<LevelFacts> {
    let levels = 0..=hierarchy.height();
    let shown = |level: usize, leaf: usize| {
        let code = hierarchy.codes(level)[leaf] as usize;
        (rows(level, code) >= floor).then(|| hierarchy.label(level, code as Code).unwrap_or("(missing)"))
    };
    let changes = |&leaf: &usize| {
        let labels: Vec<&str> = levels.clone().filter_map(|level| shown(level, leaf)).collect();
        let changes = labels.windows(2).filter(|pair| pair[0] != pair[1]).count();
        (changes, rows(0, leaf), std::cmp::Reverse(leaf))
    };
    let present = |leaf: &usize| hierarchy.leaf_value(*leaf as Code).is_some();
    let example = (0..hierarchy.leaf_count()).filter(present).max_by_key(changes);
    let fact = |level: usize| LevelFacts {
        level,
        size: hierarchy.size(level) as u64,
        example: example.and_then(|leaf| shown(level, leaf)).unwrap_or("…").to_owned(),
    };
    levels.clone().map(fact).collect()
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
        Form::Label => "the most precise label that covers all of them",
        Form::Interval => "the interval that covers all of them",
        Form::Set => "the set of their values",
        Form::Range => "the range from their first to their last value",
        Form::Mean => "the mean of their numbers",
        Form::Median => "the median of their numbers",
        Form::Poset => "the most precise cell of the poset that covers all of them",
    };
    Some(format!("each group of similar rows gets {cells}"))
}

/// What was done to a column where rows were searched again.
fn in_steps(subject: &Subject<'_>, name: &str, names: &[String]) -> Option<String> {
    let steps = &subject.release.steps;
    let levels = || steps.iter().filter_map(|step| step.levels.get(name));
    let (low, high) = (*levels().min()?, *levels().max()?);
    (subject.policy.search.local && low < high).then(|| {
        format!("generalized step by step: from {} to {} (levels {low} to {high})", names[low], names[high])
    })
}

fn action(level: usize, names: &[String], starred: u64) -> String {
    let stars = match starred {
        0 => String::new(),
        n => format!("; {} starred", count(n, "cell")),
    };
    let (height, name) = (names.len() - 1, &names[level]);
    match level {
        0 => format!("unchanged{stars}"),
        l if l == height => EMPTY.into(),
        _ if name.starts_with("level ") => format!("generalized to {name}{stars}"),
        l => format!("generalized to {name} (level {l} of {height}){stars}"),
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
    let explored = explore(subject.problem, &choice, watch)?;
    Ok(Some(explored.named_by(subject.policy, subject.problem)))
}

fn losses(subject: &Subject<'_>) -> Vec<LossFacts> {
    let target = subject.policy.search.loss.parameters().kind;
    let fact = |kind: LossKind| {
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
    LossKind::ALL.iter().copied().filter_map(fact).chain(model).collect()
}

/// What (k,1)-anonymity does not protect against.
fn not_alike(notions: &NotionFacts) -> String {
    format!(
        "The release is (k,1)-anonymous, not k-anonymous: every row covers {}, but rows can differ. Someone who \
         knows that a person is in the table can look for the rows that cover this person, and finds {} in the worst case \
         ((1,k) {}, (k,k) {}); the smallest class has {}. Use \"greedy\" instead of \"greedy-rows\" for k-anonymity.",
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
    warnings.extend(uninformative(subject.policy, &subject.problem.names, worths));
    warnings.extend(subject.release.notions.as_ref().map(not_alike));
    if subject.policy.output.keep_order {
        warnings.push(
            "The rows are in the order of the input: anyone who knows that order can identify people. \
             Remove output.keep_order unless the recipient needs it."
                .into(),
        );
    }
    let outside = [Role::Keep, Role::Target, Role::Weight];
    let kept: Vec<&str> = outside.into_iter().flat_map(|role| subject.policy.with_role(role)).collect();
    if !kept.is_empty() {
        warnings.push(format!(
            "Released unchanged, outside the guarantee: {}. Make sure that nobody can link on it.",
            kept.join(", ")
        ));
    }
    for (name, column) in subject.policy.columns.iter().filter(|(_, column)| column.is_replaced()) {
        let key = column.transform.as_ref().and_then(Transform::key);
        warnings.push(match key {
            Some(_) => format!(
                "The pseudonyms of {name} still show which rows belong to one person, here and in every release with \
                 the same key. Anyone who has the key and knows a value can find its rows: keep the key secret."
            ),
            None => format!("The numbers of {name} still show which rows of this release belong to one person."),
        });
    }
    for (name, _) in subject.policy.scrubbed() {
        warnings.push(format!(
            "The texts of {name} were scrubbed by a program, and no program finds everything that identifies somebody: read a \
             sample before passing the release on."
        ));
    }
    if subject.release.sampling.is_some() {
        warnings.push(
            "This page counts rows that were not drawn or not released. It is not differentially private: pass on the release and \
             its certificate, not this page, and keep the key of the draw secret."
                .into(),
        );
        warnings.push(
            "The guarantee is about one release: the epsilons and deltas of all releases about the same people add up."
                .into(),
        );
    }
    if subject.policy.input.missing == Missing::Wildcard {
        warnings.push(
            "In the guarantee a missing cell matches everything; in the figures of risk it is a separate value.".into(),
        );
    }
    for (i, name) in subject.problem.names.iter().enumerate() {
        if subject.problem.hierarchies[i].topped() {
            warnings.push(format!(
                "The hierarchy of {name} has several values at its top level; a level * was added above."
            ));
        }
    }
    warnings
}
