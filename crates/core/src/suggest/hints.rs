//! The changes of a policy that would keep most, measured: what a release and its report end with.
//!
//! They are looked for only where a release lost something to speak of: more than 2 % of the cells
//! of quasi-identifiers are `*`, a column holds nothing else, or rows are suppressed. By estimate
//! they cost a fiftieth of the release, or a few milliseconds; no clock is read, so that the same
//! release has the same hints everywhere. The certificate does not contain them.
//!
//! The change that helps most releases by levels is "best". It is tried by the first of its methods,
//! than which it is never worse. Where that costs too much, it is tried on a part of the table: runs of
//! neighbouring classes, in which people are as close to each other as in the whole table. A set of
//! rows that is safe there is safe in the whole table, so that the part loses at least what the whole
//! table would lose on its rows.

use serde::Serialize;

use super::measure::Certified;
use super::method::Method;
use super::settings::{ColumnChange, Settings};
use super::{Found, posed_anew};
use crate::decide::{Decision, Figures, choose_first};
use crate::describe::outsiders_know;
use crate::error::Result;
use crate::policy::Policy;
use crate::registry::Algorithm;
use crate::search::{Load, Problem};
use crate::watch::{Stage, Watch};

/// The most hints.
const MOST: usize = 3;
/// The share of stars from which hints are looked for.
const STARS: f64 = 0.02;
/// What all hints may cost, by estimate, in seconds of the reference machine: the least, and the
/// share of a release that spends [`PER_CELL`] seconds on each cell of a quasi-identifier.
const COST: (f64, f64) = (0.0015, 0.02);
const PER_CELL: f64 = 1.5e-7;
/// A trial costs this many times its search: it also works out cells and figures.
const TRIAL: f64 = 2.0;
/// The runs of neighbouring classes in a part of a table, and the fewest classes worth a trial.
const RUNS: usize = 16;
const FEWEST: usize = 500;
/// What a hint has to gain: of the loss metric, and relative to it.
const GAIN: (f64, f64) = (0.01, 0.05);
/// A limit on suppression that is tried.
const SHARE: f64 = 0.05;
/// Columns whose role is changed.
const ROLES: usize = 2;

/// A figure before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Effect<T> {
    /// In the release.
    pub before: T,
    /// With the change.
    pub after: T,
}

/// A change of the policy that would keep more.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hint {
    /// What to change, as a phrase.
    pub change: String,
    /// The column that figures are without, where its role would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<String>,
    /// The share of cells that are `*`.
    pub stars: Effect<f64>,
    /// Columns that hold nothing but `*`.
    pub lost: Effect<usize>,
    /// The loss metric.
    pub lm: Effect<f64>,
    /// Rows that are suppressed.
    pub suppressed: Effect<u64>,
    /// The rows that the change was tried on, where that is a part of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried_on: Option<u64>,
}

impl Hint {
    /// The measured effects, as a phrase.
    pub fn effects(&self) -> String {
        let Hint { stars, lost, lm, suppressed, .. } = self;
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let mut parts = vec![format!("stars {} → {}", percent(stars.before), percent(stars.after))];
        if lost.before != lost.after {
            parts.push(format!("columns lost {} → {}", lost.before, lost.after));
        }
        parts.push(format!("LM {:.3} → {:.3}", lm.before, lm.after));
        if suppressed.before != suppressed.after {
            parts.push(format!("rows suppressed {} → {}", suppressed.before, suppressed.after));
        }
        let of = self.without.as_ref().map_or(String::new(), |_| " of the other columns".into());
        let on = self.tried_on.map_or(String::new(), |rows| format!(" (measured on {rows} rows)"));
        parts.join(", ") + &of + &on
    }

    /// The change with its effects.
    pub fn words(&self) -> String {
        format!("{}: {}", self.change, self.effects())
    }

    fn gain(&self) -> f64 {
        self.lm.before - self.lm.after
    }

    fn is_worth_a_line(&self) -> bool {
        self.gain() >= GAIN.0.max(GAIN.1 * self.lm.before) && self.stars.after <= self.stars.before
    }
}

/// What is figured of a release, without one of its columns or with all.
struct Kept {
    stars: f64,
    lost: usize,
    lm: f64,
    suppressed: u64,
}

impl Kept {
    fn of(certified: &Certified, without: Option<&str>) -> Self {
        let columns = certified.columns.iter().filter(|column| Some(column.name.as_str()) != without);
        let columns: Vec<_> = columns.collect();
        let mean = |sum: f64| sum / columns.len().max(1) as f64;
        Kept {
            stars: mean(columns.iter().map(|column| column.stars).sum()),
            lost: certified.lost.iter().filter(|name| Some(name.as_str()) != without).count(),
            lm: mean(columns.iter().map(|column| column.lm).sum()),
            suppressed: certified.suppressed,
        }
    }
}

/// The hints for a release, those that keep most first.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn hints(
    (policy, problem, load): (&Policy, &Problem, Load<'_>),
    (decision, figures): (&Decision, &Figures),
    watch: &Watch,
) -> Result<Vec<Hint>> {
    let current = Certified::new(problem, decision, figures);
    let worth = current.stars > STARS || !current.lost.is_empty() || current.suppressed > 0;
    // A choice by results would break differential privacy; regions that overlap have no figures.
    if !worth || policy.differential_privacy().is_some() || decision.own_sets().is_some() {
        return Ok(Vec::new());
    }
    let mut looked = Looked { posed: (policy, problem, load), current, left: 0.0, tries: 0, watch };
    let cells = problem.classes.rows() as f64 * problem.names.len() as f64;
    looked.left = (COST.1 * PER_CELL * cells).max(COST.0);
    let own = Settings::of(policy);
    let mut found = Vec::new();
    found.extend(looked.portfolio(&own)?);
    let searches = Method::all(policy).into_iter().skip(1).filter(|method| !method.algorithm.forms_regions());
    let searches = searches.map(|method| own.with_method(method, policy)).collect();
    found.extend(looked.best(searches)?);
    // Nobody can decide that outsiders do not know a date of birth.
    let doubtful = looked.current.columns.iter().filter(|column| !outsiders_know(&column.name));
    let dearest = doubtful.take(ROLES).filter(|_| roles_change(problem));
    let dearest = dearest.map(|column| own.with_change(ColumnChange::Sensitive(column.name.clone())));
    found.extend(looked.best(dearest.collect())?);
    let limits = looked.limits(&own);
    found.extend(looked.best(limits)?);
    let more = own.suppression.is_none_or(|share| share < SHARE) && !policy.forms_regions();
    found.extend(looked.best(more.then(|| own.with_suppression(SHARE)).into_iter().collect())?);
    found.sort_by(|a, b| b.gain().total_cmp(&a.gain()));
    found.truncate(MOST);
    Ok(found)
}

/// Whether a quasi-identifier can be left out of the grouped table.
fn roles_change(problem: &Problem) -> bool {
    problem.names.len() > 1 && problem.classes.people().is_empty() && problem.deletion.is_none()
}

/// Whether sets of rows are judged by themselves, so that a part of the table can stand for it.
fn judged_alone(policy: &Policy, problem: &Problem) -> bool {
    let plain = problem.classes.people().is_empty() && problem.people.is_none() && problem.deletion.is_none();
    plain && policy.privacy.models.is_empty()
}

/// Some of the classes, in runs that are spread evenly.
fn runs(classes: usize, wanted: usize) -> Vec<u32> {
    let length = wanted.div_ceil(RUNS).min(classes / RUNS);
    let first = |run: usize| run * classes / RUNS;
    (0..RUNS).flat_map(|run| first(run)..first(run) + length).map(|class| class as u32).collect()
}

struct Looked<'a> {
    posed: (&'a Policy, &'a Problem, Load<'a>),
    current: Certified,
    /// What may still be spent, by estimate.
    left: f64,
    /// Settings that were tried.
    tries: u64,
    watch: &'a Watch,
}

impl Looked<'_> {
    /// The settings that keep most, if they keep enough.
    fn best(&mut self, settings: Vec<Settings>) -> Result<Option<Hint>> {
        let mut best: Option<Hint> = None;
        for settings in settings {
            let cost = TRIAL * settings.method.seconds(self.posed.1);
            if cost > self.left {
                continue;
            }
            self.left -= cost;
            self.tries += 1;
            self.watch.done(Stage::Suggesting, self.tries, None)?;
            let hint = self.tried(&settings)?;
            let better = |hint: &Hint| best.as_ref().is_none_or(|best| hint.gain() > best.gain());
            if let Some(hint) = hint.filter(Hint::is_worth_a_line).filter(better) {
                best = Some(hint);
            }
        }
        Ok(best)
    }

    /// What "best" keeps, by the first of its methods: on the table, or on a part of it.
    fn portfolio(&mut self, own: &Settings) -> Result<Option<Hint>> {
        let (policy, problem, _) = self.posed;
        // Where regions are not defined, "best" is a search of levels.
        let levels = Method::BEST.policy(policy).needs_levels().is_some();
        if policy.search.algorithm == Algorithm::Best || levels {
            return Ok(None);
        }
        let (first, classes) =
            (Method { algorithm: Algorithm::Mondrian, ..Method::BEST }, problem.classes.len());
        let whole = TRIAL * first.seconds(problem);
        let part = match whole <= self.left {
            true => None,
            // Costs grow a little faster than the classes, so that the part costs less than its share.
            false => Some((classes as f64 * self.left / whole) as usize),
        };
        if part.is_some_and(|part| part < FEWEST || !judged_alone(policy, problem)) {
            return Ok(None);
        }
        self.left = (self.left - whole).max(0.0);
        let hint = self.tried_on(&own.with_method(Method::BEST, policy), part)?;
        Ok(hint.filter(Hint::is_worth_a_line))
    }

    /// What settings keep; none where they have no release.
    fn tried(&self, settings: &Settings) -> Result<Option<Hint>> {
        self.tried_on(settings, None)
    }

    /// What settings keep on the table, or on a part of some classes.
    fn tried_on(&self, settings: &Settings, part: Option<usize>) -> Result<Option<Hint>> {
        self.watch.check()?;
        let table = self.posed.1;
        let members = part.map(|part| runs(table.classes.len(), part));
        // A hint that fails is left out. It is not a reason to refuse a proven release.
        let quiet = self.watch.clone().quiet();
        let found =
            posed_anew(self.posed, settings, members.as_deref(), &quiet).and_then(|(policy, problem)| {
                let chosen = choose_first(&policy, &problem, &quiet)?;
                Found::new(policy, problem, chosen, &quiet)
            });
        let Ok(Found { policy, problem, decision }) = found else {
            return self.watch.check().map(|()| None);
        };
        let Ok(figures) = decision.figures(&policy, &problem, &quiet) else { return Ok(None) };
        let after = Certified::new(&problem, &decision, &figures);
        let left_out = settings.change.as_ref().filter(|change| change.leaves_out());
        let without = left_out.map(|change| change.column().to_owned());
        let [before, mut after] = [&self.current, &after].map(|of| Kept::of(of, without.as_deref()));
        let tried_on = members.map(|_| problem.classes.rows());
        if let Some(rows) = tried_on {
            let scale = table.classes.rows() as f64 / rows.max(1) as f64;
            after.suppressed = (after.suppressed as f64 * scale).ceil() as u64;
        }
        Ok(Some(Hint {
            change: words(settings, (self.posed.0, &policy))?,
            without,
            stars: Effect { before: before.stars, after: after.stars },
            lost: Effect { before: before.lost, after: after.lost },
            lm: Effect { before: before.lm, after: after.lm },
            suppressed: Effect { before: before.suppressed, after: after.suppressed },
            tried_on,
        }))
    }

    /// Lost columns kept below the top of their hierarchy, where levels are searched.
    fn limits(&self, own: &Settings) -> Vec<Settings> {
        let (policy, problem, _) = self.posed;
        if policy.forms_regions() {
            return Vec::new();
        }
        let change = |name: &String| {
            let column = problem.names.iter().position(|other| other == name)?;
            let level = problem.lattice.range(column).1.checked_sub(1)?;
            Some(ColumnChange::MaxLevel { column: name.clone(), level: Some(level) })
        };
        let changes = self.current.lost.iter().filter_map(change).take(ROLES);
        changes.map(|change| own.with_change(change)).collect()
    }
}

/// What to write into the policy.
fn words(settings: &Settings, (policy, changed): (&Policy, &Policy)) -> Result<String> {
    let assigned = changed.assignments(policy)?.join(", ");
    Ok(match &settings.change {
        Some(ColumnChange::Sensitive(column)) => format!("if outsiders cannot know `{column}`, {assigned}"),
        _ => assigned,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_apart_and_within_the_table() {
        assert_eq!(runs(64, 32), (0..16).flat_map(|run| [4 * run, 4 * run + 1]).collect::<Vec<u32>>());
        for (classes, wanted) in [(500, 499), (1_000, 500), (99_999, 700), (17, 16)] {
            let found = runs(classes, wanted);
            assert!(
                found.is_sorted_by(|a, b| a < b) && found.iter().all(|&class| (class as usize) < classes)
            );
            assert!(found.len() <= wanted + RUNS, "{} of {wanted}", found.len());
        }
    }
}
