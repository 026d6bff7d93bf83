//! Why no release is accurate enough, and which changes would help: each one is tried on this table
//! before it is named.
//!
//! The release of least loss without the limits shows by how much each statistic misses. Then these
//! changes are tried one by one, and those that meet every limit are named: a smaller k, other
//! methods, a column less, suppression, and more rows. More rows are the same rows repeated, which
//! is an estimate and named so. What is tried follows from estimates of cost, never from a clock, so
//! that the same table has the same advice everywhere. Costs at most [`SECONDS`] by estimate, and
//! one decision at least.

use super::method::Method;
use super::settings::{ColumnChange, Settings};
use super::{Found, posed_anew};
use crate::decide::{Decision, choose, choose_first};
use crate::error::{Error, Fault, Kind, Result};
use crate::fault;
use crate::policy::{LossSpec, Policy};
use crate::registry::Algorithm;
use crate::search::{Load, Problem};
use crate::utility::{Bounded, short};
use crate::watch::{Stage, Watch};

/// What all trials may cost, by estimate, in seconds of the reference machine.
const SECONDS: f64 = 8.0;
/// A trial costs this many times its search: regions may be formed four times.
const TRIAL: f64 = 4.0;
/// How often rows are repeated.
const TIMES: [u32; 4] = [2, 4, 8, 16];
/// Columns that are left out, each by itself.
const COLUMNS: usize = 4;
/// The limit on suppression that is tried.
const SHARE: f64 = 0.05;

/// Says of an error of [`decide`](crate::decide::decide) by how much statistics miss their limits,
/// and which changes would help. Other errors stay as they are.
///
/// # Errors
/// [`Kind::Cancelled`] when asked to stop.
pub fn explained(
    (policy, problem, load): (&Policy, &Problem, Load<'_>),
    error: Error,
    watch: &Watch,
) -> Result<Error> {
    let limited = problem.utility.as_ref().filter(|utility| utility.limits());
    // A search that ran out of time does not know whether there is a release.
    let asked = error.is_all(Kind::Unsolvable) && !error.has_code("search.time-limit");
    let Some(utility) = limited.filter(|_| asked) else { return Ok(error) };
    let quiet = watch.clone().quiet();
    let relaxed = without_limits(policy);
    let released = problem.again(&relaxed, load, &quiet).and_then(|posed| {
        let chosen = choose(&relaxed, &posed, None, &quiet)?;
        Decision::new(&relaxed, &posed, chosen, &quiet.acknowledge())
    });
    // Where nothing is safe either, the limits on statistics are not what is wrong.
    let Ok(released) = released else { return watch.check().map(|()| error) };
    let bounded = utility.bounded(&released.recoded)?;
    let mut trials = Trials { posed: (policy, problem, load), left: SECONDS, tried: 0, watch };
    let helps = trials.all()?;
    Ok(fault(&bounded, &helps, trials.tried).into())
}

fn fault(bounded: &[Bounded], helps: &[String], tried: u64) -> Fault {
    let missed: Vec<String> = bounded.iter().filter(|b| !b.holds()).map(Bounded::miss).collect();
    let fault = match missed.is_empty() {
        // The release of least loss is not the one that was refused.
        true => fault!(Unsolvable, "utility.not-met", "no release that was found is accurate enough"),
        false => fault!(
            Unsolvable,
            "utility.not-met",
            "no release is accurate enough. The best one without limits has {misses}",
            misses = missed.join("; ")
        ),
    };
    let widths = bounded.iter().filter(|b| !b.holds() && b.bounds.is_finite());
    let widths: Vec<String> =
        widths.map(|b| format!("{} within {}", b.spec.name(), short(1.0005 * b.bounds.width()))).collect();
    let wider = match widths.is_empty() {
        true => "state columns.NAME.domain, so that a suppressed cell has bounds".to_owned(),
        false => format!("the same settings meet {}", widths.join(" and ")),
    };
    fault.key("privacy.utility").help(match helps.is_empty() {
        true => format!("none of {tried} changes that were tried on this table helps; {wider}"),
        false => format!("tried on this table, and accurate enough: {}; or {wider}", helps.join("; or ")),
    })
}

/// The policy without limits on statistics; a loss of them keeps its statistics.
fn without_limits(policy: &Policy) -> Policy {
    let mut relaxed = policy.clone();
    if let Some(statistics) = policy.width_loss().filter(|_| policy.search.loss.statistics().is_none()) {
        relaxed.search.loss = LossSpec::OfStatistics {
            parameters: policy.search.loss.parameters(),
            statistics: statistics.to_vec(),
        };
    }
    relaxed.privacy.utility.clear();
    relaxed.privacy.maximize = None;
    relaxed
}

struct Trials<'a> {
    posed: (&'a Policy, &'a Problem, Load<'a>),
    /// What may still be spent, by estimate.
    left: f64,
    tried: u64,
    watch: &'a Watch,
}

impl Trials<'_> {
    /// The changes that help, as phrases.
    fn all(&mut self) -> Result<Vec<String>> {
        let (policy, problem, _) = self.posed;
        let own = Settings::of(policy);
        let mut helps = Vec::new();
        helps.extend(self.smaller_k(&own)?.map(|k| format!("privacy.k = {k}")));
        let boxes = Method { algorithm: Algorithm::Boxes, local: false, loss: None };
        let own_loss = |method: Method| Method { loss: None, ..method };
        let others = Method::all(policy).into_iter().skip(1).map(own_loss).chain([boxes]);
        let others = others.filter(|method| {
            (method.algorithm, method.local) != (policy.search.algorithm, policy.search.local)
        });
        let mut found = None;
        for method in others {
            found = self.helps(&own.with_method(method, policy))?;
            if found.is_some() {
                break;
            }
        }
        helps.extend(found);
        let bounded = policy.bounded_columns();
        let free: Vec<&String> =
            problem.names.iter().filter(|name| !bounded.contains(name.as_str())).take(COLUMNS).collect();
        let leaves_out =
            problem.names.len() > 1 && problem.classes.people().is_empty() && problem.deletion.is_none();
        for name in free.into_iter().filter(|_| leaves_out) {
            if let Some(change) = self.helps(&own.with_change(ColumnChange::Drop(name.clone())))? {
                helps.push(change);
                break;
            }
        }
        if own.suppression.is_none_or(|share| share < SHARE) {
            helps.extend(self.helps(&own.with_suppression(SHARE))?);
        }
        helps.extend(self.more_rows()?);
        Ok(helps)
    }

    /// Whether a trial of this method may be spent, and counts it.
    fn spend(&mut self, method: Method, times: f64) -> Result<bool> {
        let cost = times * TRIAL * method.seconds(self.posed.1);
        if cost > self.left {
            return Ok(false);
        }
        self.left -= cost;
        self.tried += 1;
        self.watch.done(Stage::Suggesting, self.tried, None)?;
        Ok(true)
    }

    /// Settings as a phrase, if they meet every limit.
    fn helps(&mut self, settings: &Settings) -> Result<Option<String>> {
        match self.meets(settings)? {
            Some(changed) => Ok(Some(changed.assignments(self.posed.0)?.join(", "))),
            None => Ok(None),
        }
    }

    /// The policy with some settings, if it has a release that meets every limit.
    fn meets(&mut self, settings: &Settings) -> Result<Option<Policy>> {
        if !self.spend(settings.method, 1.0)? {
            return Ok(None);
        }
        let quiet = self.watch.clone().quiet();
        // A change that fails for any reason does not help.
        let found = posed_anew(self.posed, settings, None, &quiet).and_then(|(policy, problem)| {
            let chosen = choose_first(&policy, &problem, &quiet)?;
            Found::new(policy, problem, chosen, &quiet)
        });
        self.watch.check()?;
        Ok(found.ok().map(|found| found.policy))
    }

    /// The largest smaller k that meets every limit, by halving the gap.
    fn smaller_k(&mut self, own: &Settings) -> Result<Option<u64>> {
        let (mut works, mut fails) = (1, own.k.unwrap_or(1));
        while works + 1 < fails {
            let k = works + (fails - works) / 2;
            match self.meets(&own.with_k(k))? {
                Some(_) => works = k,
                None => fails = k,
            }
        }
        Ok((works > 1).then_some(works))
    }

    /// The least number of rows that meets every limit, of those that are tried.
    fn more_rows(&mut self) -> Result<Option<String>> {
        let (policy, problem, load) = self.posed;
        let plain = problem.classes.histograms().is_empty() && problem.classes.people().is_empty();
        for times in TIMES.into_iter().filter(|_| plain) {
            if !self.spend(Method::of(policy), 1.0)? {
                break;
            }
            let quiet = self.watch.clone().quiet();
            let found = problem.again_repeated(times, policy, load, &quiet).and_then(|posed| {
                let chosen = choose_first(policy, &posed, &quiet)?;
                Decision::new(policy, &posed, chosen, &quiet.acknowledge())
            });
            self.watch.check()?;
            if found.is_ok() {
                let rows = problem.classes.rows() * u64::from(times);
                return Ok(Some(format!(
                    "{rows} rows in place of {} (an estimate: the same rows {times} times)",
                    problem.classes.rows()
                )));
            }
        }
        Ok(None)
    }
}
