//! The plan: which points are tried, in which order.
//!
//! First the policy as it is; then the other methods with its k and limits; then, with the best of
//! these, other k, limits on suppression and limits on columns. A point is planned while the
//! estimates of all points fit into the seconds that are given, and the plan ends at [`MOST`]
//! points. The plan depends on results and estimates alone, so it is the same on every machine.

use std::collections::VecDeque;

use super::method::{METHODS, Method};
use super::settings::{ColumnChange, Settings};
use super::{Measured, Point};
use crate::policy::Policy;
use crate::search::Problem;

/// The most points of a plan.
pub const MOST: usize = 60;
/// Columns whose role is changed: those that lose most.
const ROLES: usize = 3;
/// Columns whose highest level is changed.
const LEVELS: usize = 3;
/// Limits on suppression that are tried beside that of the policy.
const SHARES: [f64; 3] = [0.0, 0.05, 0.1];

/// What is to be planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    /// The k beside that of the policy; empty for half and twice of it.
    pub k: Vec<u64>,
    /// The seconds that all points may take, by estimate.
    pub seconds: f64,
    /// Whether limits on suppression and columns vary too, and rows, means, correlations and a
    /// classifier are looked at; otherwise methods and k alone.
    pub limits: bool,
}

/// Points that are still to be tried.
#[derive(Debug)]
pub struct Plan {
    scope: Scope,
    stage: usize,
    queue: VecDeque<Settings>,
    planned: usize,
    /// Seconds that are left, by estimate.
    left: f64,
    shortened: bool,
}

impl Plan {
    /// Nothing is tried yet.
    pub fn new(policy: &Policy, problem: &Problem, scope: &Scope) -> Self {
        let own = Settings::of(policy);
        let left = scope.seconds - own.method.seconds(problem);
        let queue = VecDeque::from([own]);
        Plan { scope: scope.clone(), stage: 0, queue, planned: 1, left, shortened: false }
    }

    /// Points that are planned so far.
    pub fn planned(&self) -> usize {
        self.planned
    }

    /// Whether a point was left out because the estimates do not fit into the seconds.
    pub fn shortened(&self) -> bool {
        self.shortened
    }

    /// The next point, given those that were tried.
    pub fn next(&mut self, policy: &Policy, problem: &Problem, tried: &[Point]) -> Option<Settings> {
        while self.queue.is_empty() && self.stage < 2 {
            self.stage += 1;
            let more = match self.stage {
                1 => other_methods(policy),
                _ => self.variations(policy, problem, tried),
            };
            for settings in more {
                self.add(settings, problem, tried);
            }
        }
        self.queue.pop_front()
    }

    /// Plans a point unless it is planned already or does not fit.
    fn add(&mut self, settings: Settings, problem: &Problem, tried: &[Point]) {
        let known = tried.iter().any(|point| point.settings == settings) || self.queue.contains(&settings);
        if known {
            return;
        }
        let seconds = settings.method.seconds(problem);
        if seconds > self.left || self.planned == MOST {
            self.shortened = true;
            return;
        }
        self.left -= seconds;
        self.planned += 1;
        self.queue.push_back(settings);
    }

    /// Other k with every method; limits on suppression and columns with the best one so far.
    fn variations(&self, policy: &Policy, problem: &Problem, tried: &[Point]) -> Vec<Settings> {
        let own = Settings::of(policy);
        let best = best(tried).map_or(own.clone(), |point| point.settings.clone());
        let mut found = Vec::new();
        for k in self.other_k(&own) {
            let methods = Method::all(policy).into_iter();
            found.extend(methods.map(|method| own.with_method(method, policy).with_k(k)));
        }
        if !self.scope.limits {
            return found;
        }
        let changes = role_changes(problem, tried);
        found.extend(changes.into_iter().map(|change| best.with_change(change)));
        // Methods that form regions suppress hardly any row.
        let by_levels = |method: &Method| !method.algorithm.forms_regions() && !method.local;
        let levels = [own.method].into_iter().chain(METHODS).find(by_levels).unwrap_or(own.method);
        for share in SHARES.into_iter().filter(|share| own.suppression != Some(*share)) {
            found.push(own.with_method(levels, policy).with_suppression(share));
        }
        found.extend(raised(policy).into_iter().map(|change| best.with_change(change)));
        if by_levels(&own.method) {
            let kept = kept(problem, tried).into_iter();
            found.extend(kept.map(|change| own.with_change(change)));
        }
        found
    }

    /// The k that are tried beside that of the policy.
    fn other_k(&self, own: &Settings) -> Vec<u64> {
        let Some(k) = own.k else { return Vec::new() };
        let mut all = match self.scope.k.is_empty() {
            true => vec![k.div_ceil(2).max(2), k.saturating_mul(2)],
            false => self.scope.k.clone(),
        };
        all.retain(|other| *other != k);
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn other_methods(policy: &Policy) -> Vec<Settings> {
    let own = Settings::of(policy);
    Method::all(policy).into_iter().map(|method| own.with_method(method, policy)).collect()
}

/// The solved point of least loss.
fn best(tried: &[Point]) -> Option<&Point> {
    let solved = tried.iter().filter_map(|point| Some((point, point.measured.as_ref()?)));
    solved.min_by(|(_, a), (_, b)| a.loss.total_cmp(&b.loss)).map(|(point, _)| point)
}

/// The quasi-identifiers by what they lose in the best point so far; where there is none, those
/// with most values first.
fn dearest(problem: &Problem, tried: &[Point]) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..problem.names.len()).collect();
    let lost = |measured: &Measured, column: usize| {
        let found = measured.columns.iter().find(|found| found.name == problem.names[column]);
        found.map_or(0.0, |found| found.lm)
    };
    match best(tried).and_then(|point| point.measured.as_ref()) {
        Some(measured) => {
            columns.sort_by(|&a, &b| lost(measured, b).total_cmp(&lost(measured, a)));
        }
        None => columns.sort_by_key(|&column| std::cmp::Reverse(problem.hierarchies[column].leaf_count())),
    }
    columns
}

/// The dearest columns dropped, and made sensitive.
pub(super) fn role_changes(problem: &Problem, tried: &[Point]) -> Vec<ColumnChange> {
    // Without them a table with a population, or with deleted values, would have to be read again.
    let fixed = !problem.classes.people().is_empty() || problem.deletion.is_some();
    if problem.names.len() < 2 || fixed {
        return Vec::new();
    }
    let name = |column: usize| problem.names[column].clone();
    let changes = |column: usize| [ColumnChange::Drop(name(column)), ColumnChange::Sensitive(name(column))];
    dearest(problem, tried).into_iter().take(ROLES).flat_map(changes).collect()
}

/// Columns without the highest level that the policy gives them.
fn raised(policy: &Policy) -> Vec<ColumnChange> {
    let limited = policy.columns.iter().filter(|(_, column)| column.max_level.is_some());
    let change = |(name, _): (&String, _)| ColumnChange::MaxLevel { column: name.clone(), level: None };
    limited.map(change).take(LEVELS).collect()
}

/// Columns that the policy's own point loses, kept below the top of their hierarchy.
fn kept(problem: &Problem, tried: &[Point]) -> Vec<ColumnChange> {
    let lost = tried.first().and_then(|point| point.measured.as_ref()).map_or(&[][..], |m| &m.lost);
    let change = |name: &String| {
        let column = problem.names.iter().position(|other| other == name)?;
        let level = problem.lattice.range(column).1.checked_sub(1)?;
        Some(ColumnChange::MaxLevel { column: name.clone(), level: Some(level) })
    };
    lost.iter().filter_map(change).take(LEVELS).collect()
}
