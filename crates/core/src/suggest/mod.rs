//! Suggest: tries a policy with other methods, k, limits on suppression and limits on columns, and
//! measures for each what it keeps and what risk is left.
//!
//! Every [`Point`] is decided as a release with its policy would be; its figures are those of that
//! release. The table is grouped once: a point only poses the problem anew
//! ([`Problem::again`]). Which points are planned follows from the policy, the sizes of the table
//! and the seconds that are given, by estimates that read no clock. The caller's watch may end the
//! plan earlier; then points are missing, and those that are there are the same.
//!
//! Costs the algorithms, and for every point a few passes over the classes.

mod accuracy;
mod classify;
mod front;
mod grouped;
mod hints;
mod measure;
mod method;
mod numbers;
mod plan;
mod settings;
mod text;

pub use accuracy::explained;
pub use classify::{Accuracy, Classifier, few_classes};
pub use front::beats;
pub use grouped::{candidates, narrowed};
pub use hints::{Effect, Hint, hints};
pub use measure::{ColumnMeasured, Measured, SampleRow};
pub use method::{METHODS, Method};
pub use numbers::{Correlation, NumberFacts};
pub use plan::{Plan, Scope};
pub use settings::{ColumnChange, Settings};
pub use text::{comparison_csv, comparison_text, suggestion_text};

use serde::Serialize;

use crate::decide::{Chosen, Decision, choose};
use crate::error::{Error, Kind, Result};
use crate::fault;
use crate::policy::Policy;
use crate::search::{Load, Problem};
use crate::watch::{Event, Watch};

/// Seconds since some time that does not change. The core never reads a clock, so the caller does.
pub type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// How a point ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// There is a release.
    Solved,
    /// Nothing safe is within the limits.
    NoSolution,
    /// The settings do not go together with the rest of the policy.
    Refused,
    /// The time was over; the figures are those of the best result so far.
    Stopped,
}

/// Settings with what came of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// Its number, from 1, in the order of the plan.
    pub id: usize,
    /// What was tried.
    pub settings: Settings,
    /// How it ended.
    pub status: Status,
    /// Why there are no figures, where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether these are the settings of the policy.
    pub current: bool,
    /// Whether no other point has both less risk and less loss.
    pub front: bool,
    /// Whether it is the recommended one.
    pub recommended: bool,
    /// Whether it assumes that outsiders do not know a column that the policy protects.
    pub assumes: bool,
    /// How long the search took; the only figure that is not the same each time.
    pub seconds: f64,
    /// The figures of the release.
    #[serde(flatten)]
    pub measured: Option<Measured>,
}

/// All points of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Suggestion {
    /// The rows of the table.
    pub rows: u64,
    /// The quasi-identifiers.
    pub columns: Vec<String>,
    /// Points that were planned.
    pub planned: usize,
    /// Whether all of them were tried.
    pub finished: bool,
    /// Whether more points would have been planned with more seconds.
    pub shortened: bool,
    /// The number of the recommended point.
    pub recommended: Option<usize>,
    /// What the classifier predicts, and how well from the original rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier: Option<Classifier>,
    /// The points, in the order of the plan.
    pub points: Vec<Point>,
}

impl Suggestion {
    /// A point by its number.
    pub fn point(&self, id: usize) -> Option<&Point> {
        self.points.iter().find(|point| point.id == id)
    }

    /// The points by loss; those without a release last.
    pub fn by_loss(&self) -> Vec<&Point> {
        let mut points: Vec<&Point> = self.points.iter().collect();
        let loss = |point: &Point| point.measured.as_ref().map_or(f64::INFINITY, |measured| measured.loss);
        points.sort_by(|a, b| loss(a).total_cmp(&loss(b)).then(a.id.cmp(&b.id)));
        points
    }
}

/// What is tried, and how.
pub struct Asked<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// Its problem.
    pub problem: &'a Problem,
    /// Reads the policy's hierarchy files.
    pub load: Load<'a>,
    /// Which points to plan.
    pub scope: Scope,
    /// Measures the seconds of searches.
    pub clock: Clock<'a>,
    /// Watches the policy's own point, which must not take the time of all others.
    pub first: Watch,
}

/// Tries the points of a plan. A watch that asks to finish ends the plan with the points so far.
///
/// # Errors
/// A policy for which there is nothing to try; [`Kind::Cancelled`] when asked to stop at once.
pub fn suggest(asked: &Asked<'_>, watch: &Watch) -> Result<Suggestion> {
    let Asked { policy, problem, scope, .. } = asked;
    check(policy, scope)?;
    let classifier = if scope.limits { Classifier::new(policy, problem) } else { None };
    let mut plan = Plan::new(policy, problem, scope);
    let mut points: Vec<Point> = Vec::new();
    let mut finished = true;
    let mut last: Option<(Settings, f64, Found)> = None;
    while let Some(settings) = plan.next(policy, problem, &points) {
        let current = points.is_empty();
        if !current && watch.should_finish() {
            finished = false;
            break;
        }
        watch.report(Event::Run {
            done: points.len() as u64,
            of: plan.planned().max(points.len() + 1) as u64,
            table: &settings.change.as_ref().map_or("all columns".into(), ColumnChange::words),
            algorithm: &settings.method.name(),
            k: settings.k.unwrap_or(0),
        });
        let watch = if current { &asked.first } else { watch };
        let again = last.take().filter(|(before, ..)| same_problem(before, &settings));
        let point = Point { current, ..Point::new(points.len() + 1, settings) };
        match tried(asked, point, again, classifier.as_ref(), watch)? {
            Some((point, found)) => {
                last = found.map(|found| (point.settings.clone(), point.seconds, found));
                points.push(point);
            }
            None => {
                finished = false;
                break;
            }
        }
    }
    // A request to finish was honoured; one to stop at once leaves nothing.
    watch.acknowledge().check()?;
    front::mark_front(&mut points);
    front::mark_recommended(&mut points);
    Ok(Suggestion {
        rows: problem.classes.rows(),
        columns: problem.names.clone(),
        planned: plan.planned().max(points.len()),
        finished,
        shortened: plan.shortened(),
        recommended: points.iter().find(|point| point.recommended).map(|point| point.id),
        classifier,
        points,
    })
}

/// Refuses, before anything is read, a policy for which there is nothing to try.
///
/// # Errors
/// Differential privacy, under which nothing may be chosen by looking at the data; k where the
/// policy has none.
pub fn check(policy: &Policy, scope: &Scope) -> Result<()> {
    if policy.differential_privacy().is_some() {
        return Err(fault!(
            Input,
            "suggest.differential-privacy",
            "with differential privacy, settings must not be chosen by their results on this table"
        )
        .key("privacy.models")
        .help("choose levels on a public table of the same kind, or remove the model")
        .into());
    }
    if policy.privacy.k().is_none() && !scope.k.is_empty() {
        return Err(fault!(Input, "suggest.no-k", "the policy has no privacy.k to change")
            .key("privacy")
            .help("give privacy.k, or leave out --k")
            .into());
    }
    Ok(())
}

/// Whether two settings differ in nothing but the role of a column that is not a quasi-identifier
/// in either, so that they have the same decision.
fn same_problem(a: &Settings, b: &Settings) -> bool {
    let (Some(before), Some(after)) = (&a.change, &b.change) else { return false };
    let left_out = before.leaves_out() && after.leaves_out() && before.column() == after.column();
    left_out && *b == Settings { change: b.change.clone(), ..a.clone() }
}

impl Point {
    /// Settings that are about to be tried.
    fn new(id: usize, settings: Settings) -> Self {
        Point {
            id,
            status: Status::Solved,
            reason: None,
            current: false,
            front: false,
            recommended: false,
            assumes: matches!(settings.change, Some(ColumnChange::Sensitive(_))),
            settings,
            seconds: 0.0,
            measured: None,
        }
    }
}

/// One point with its decision, or with why there is none; nothing when it was stopped and is not
/// the policy's own.
fn tried(
    asked: &Asked<'_>,
    mut point: Point,
    again: Option<(Settings, f64, Found)>,
    classifier: Option<&Classifier>,
    watch: &Watch,
) -> Result<Option<(Point, Option<Found>)>> {
    let found = match again {
        Some((_, seconds, found)) => {
            point.seconds = seconds;
            // The settings must go together with the rest of the policy all the same.
            point.settings.policy(asked.policy).map(|_| found)
        }
        None => {
            let started = (asked.clock)();
            // Points are reported, and not what happens within them.
            let posed = (asked.policy, asked.problem, asked.load);
            let found = decided(posed, &point.settings, &watch.clone().quiet());
            point.seconds = (asked.clock)() - started;
            found
        }
    };
    let stopped = watch.should_finish();
    if stopped && !point.current {
        return Ok(None);
    }
    match found {
        Ok(found) => {
            point.status = if stopped { Status::Stopped } else { Status::Solved };
            let detailed = asked.scope.limits;
            point.measured =
                Some(found.measured(asked.problem, &point.settings, (detailed, classifier), watch)?);
            Ok(Some((point, Some(found))))
        }
        Err(error) if error.is_cancelled() => Err(error),
        Err(error) => {
            let unsolvable = error.is_all(Kind::Unsolvable) || error.is_all(Kind::Data);
            point.status = if unsolvable { Status::NoSolution } else { Status::Refused };
            point.reason = Some(reason(&error));
            Ok(Some((point, None)))
        }
    }
}

/// The first fault, as a phrase.
fn reason(error: &Error) -> String {
    error.faults().first().map(|fault| fault.message.clone()).unwrap_or_default()
}

/// A decision under some settings, with its policy and problem.
struct Found {
    policy: Policy,
    problem: Problem,
    decision: Decision,
}

/// Decides as a release with these settings would.
fn decided(posed: (&Policy, &Problem, Load<'_>), settings: &Settings, watch: &Watch) -> Result<Found> {
    let (policy, problem) = posed_anew(posed, settings, None, watch)?;
    let chosen = choose(&policy, &problem, None, watch)?;
    Found::new(policy, problem, chosen, watch)
}

/// The policy with some settings, and its problem: of all classes, or of some.
fn posed_anew(
    (given, base, load): (&Policy, &Problem, Load<'_>),
    settings: &Settings,
    members: Option<&[u32]>,
    watch: &Watch,
) -> Result<(Policy, Problem)> {
    let mut policy = settings.policy(given)?;
    if let Some(model) = &policy.search.model
        && (!model.guides || model.builtin.is_none())
    {
        if model.guides {
            return Err(fault!(
                Input,
                "suggest.model-command",
                "a command guides the search, and is not run here"
            )
            .key("search.model.command")
            .help("run `throng release` to see its figures")
            .into());
        }
        // It measures and does not decide.
        policy.search.model = None;
    }
    let left_out = settings.change.as_ref().filter(|change| change.leaves_out());
    let column = left_out.and_then(|c| base.names.iter().position(|name| name == c.column()));
    let problem = match (column, members) {
        (Some(column), _) => base.again_without(column, &policy, load, watch)?,
        (None, Some(members)) => base.again_on(members, &policy, load, watch)?,
        (None, None) => base.again(&policy, load, watch)?,
    };
    Ok((policy, problem))
}

impl Found {
    fn new(policy: Policy, problem: Problem, chosen: Chosen, watch: &Watch) -> Result<Self> {
        let decision = Decision::new(&policy, &problem, chosen, &watch.acknowledge())?;
        Ok(Found { policy, problem, decision })
    }
}
