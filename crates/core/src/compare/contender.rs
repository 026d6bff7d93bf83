//! Who takes part in a comparison: the algorithms of a policy, searches of levels followed by
//! rounds, and Greedy without disjoint sets. All but the last decide as a release does.

use super::predicted::Trial;
use super::run::Clock;
use super::{Run, Status};
use crate::decide::{Choice, Decision, choose};
use crate::error::{Error, Fault, Kind, Result};
use crate::fault;
use crate::loss::Price;
use crate::policy::{Policy, Preference};
use crate::recode;
use crate::registry::{Algorithm, Family, unknown_among};
use crate::search::Problem;
use crate::watch::Watch;

/// Behind the name of a search that goes on with the rows that it leaves unsafe.
const LOCALLY: &str = "+local";

/// Greedy without making its sets disjoint. In a comparison it runs beside algorithms whose releases
/// are k-anonymous, under the same policy.
const ROWS: &str = Algorithm::GreedyRows.key();

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Contender {
    /// An algorithm as a policy asks for it.
    Algorithm(Algorithm),
    /// A search of levels that goes on with the rows that it leaves unsafe.
    Rounds(Algorithm),
    /// Greedy as Katirai (2006) has it: every row with the cells of its own set. Its releases are
    /// not k-anonymous.
    Rows,
}

impl Contender {
    /// The one of a name.
    ///
    /// # Errors
    /// An unknown name, with the nearest and all known ones.
    pub(super) fn named(name: &str) -> Result<Contender> {
        if name == ROWS {
            return Ok(Contender::Rows);
        }
        if let Some(algorithm) = Algorithm::from_key(name) {
            return Ok(Contender::Algorithm(algorithm));
        }
        let rounds = name.strip_suffix(LOCALLY).and_then(Algorithm::from_key);
        let rounds = rounds.filter(|algorithm| algorithm.takes_rounds()).map(Contender::Rounds);
        rounds.ok_or_else(|| unknown(name).into())
    }

    /// What results call it.
    pub(super) fn name(self) -> String {
        match self {
            Contender::Algorithm(algorithm) => algorithm.to_string(),
            Contender::Rounds(algorithm) => format!("{algorithm}{LOCALLY}"),
            Contender::Rows => ROWS.into(),
        }
    }

    /// The algorithm that runs.
    pub(super) fn algorithm(self) -> Algorithm {
        match self {
            Contender::Algorithm(algorithm) | Contender::Rounds(algorithm) => algorithm,
            Contender::Rows => Algorithm::Greedy,
        }
    }

    /// The policy under which it runs, without the parameters of other algorithms.
    ///
    /// # Errors
    /// What the algorithm is not defined for.
    fn policy(self, policy: &Policy) -> Result<Policy> {
        let mut policy = policy.clone();
        let (algorithm, search) = (self.algorithm(), &mut policy.search);
        let samarati = search.algorithm == Algorithm::Samarati;
        search.algorithm = algorithm;
        search.local = matches!(self, Contender::Rounds(_));
        search.model = search.model.take().filter(|_| algorithm.guided());
        search.mondrian = search.mondrian.filter(|_| algorithm == Algorithm::Mondrian);
        search.boxes = search.boxes.take().filter(|_| algorithm == Algorithm::Boxes);
        search.greedy = search.greedy.filter(|_| algorithm == Algorithm::Greedy);
        search.partition = search.partition.filter(|_| algorithm == Algorithm::Partition);
        search.choose = search.choose.take().filter(|_| algorithm == Algorithm::Mondrian);
        let entry = algorithm.entry();
        // A word in a policy of Samarati's algorithm is for that algorithm alone.
        let others = samarati && search.prefer.is_word() && algorithm != Algorithm::Samarati;
        if !entry.prefers || others {
            search.prefer = Preference::default();
        }
        for column in policy.columns.values_mut() {
            column.tolerance = column.tolerance.filter(|_| entry.uses_tolerance);
            column.linking = column.linking.filter(|_| entry.uses_linking);
            column.form = column.form.filter(|_| algorithm.forms_regions());
        }
        if !entry.uses_linking {
            policy.privacy.quasi.values_mut().for_each(|group| group.linking.clear());
        }
        policy.check()?;
        Ok(policy)
    }
}

/// The fault for a name that nobody in a comparison has.
fn unknown(name: &str) -> Fault {
    let fault = unknown_among(Family::Algorithm, name, &Family::Algorithm.keys());
    let names = fault.help.clone().unwrap_or_default();
    fault.help(format!(
        "{names}; {LOCALLY} behind a search of levels lets it go on with the rows that it leaves unsafe"
    ))
}

/// Decides as a release does, and measures it; none when stopped.
pub(super) fn decided(
    contender: Contender,
    (policy, problem): (&Policy, &Problem),
    watch: &Watch,
    (run, clock, trial): (Run, Clock<'_>, Option<&Trial>),
) -> Result<Option<Run>> {
    if contender.algorithm().forms_regions()
        && let Some(reason) = without_levels(contender, policy)
    {
        return Ok(Some(Run { status: Status::Refused, reason: Some(reason), ..run }));
    }
    let policy = match contender.policy(policy) {
        Ok(policy) => policy,
        Err(error) => return Ok(Some(unsolved(run, &error))),
    };
    let started = clock();
    let chosen = choose(&policy, problem, None, watch);
    let run = Run { seconds: Some(clock() - started), ..run };
    if watch.should_finish() {
        return Ok(None);
    }
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(error) if error.is_cancelled() => return Ok(None),
        Err(error) => return Ok(Some(unsolved(run, &error))),
    };
    let levels = !contender.algorithm().forms_regions();
    let run = Run {
        value: Some(chosen.loss),
        checked: levels.then_some(chosen.account.checked),
        compared: levels.then_some(chosen.account.compared),
        ..run
    };
    if let (Choice::Levels(best), None, Contender::Algorithm(_)) = (&chosen.choice, trial, contender) {
        let levels = problem.names.iter().enumerate().map(|(i, n)| (n.clone(), best.node.level(i))).collect();
        return Ok(Some(Run { levels, suppressed: Some(best.suppressed), ..run }));
    }
    let decision = match Decision::new(&policy, problem, chosen, watch) {
        Ok(decision) => decision,
        Err(error) => return Ok(Some(unsolved(run, &error))),
    };
    let levels = match contender {
        Contender::Algorithm(_) => decision.levels(&problem.names),
        _ => run.levels.clone(),
    };
    let suppressed = Some(decision.recoded.suppressed_rows());
    let predicted = trial.map(|trial| trial.predicted(problem, &decision.recoded)).transpose()?.flatten();
    Ok(Some(Run { levels, suppressed, predicted, ..run }))
}

/// A run that found nothing safe, or that the algorithm is not defined for.
fn unsolved(run: Run, error: &Error) -> Run {
    let status = if error.is_all(Kind::Unsolvable) { Status::NoSolution } else { Status::Refused };
    let reason = error.faults().first().map(|fault| fault.message.clone());
    Run { status, reason, value: None, checked: None, compared: None, ..run }
}

/// Why a loss that adds up levels has no value; none for other losses.
fn without_levels(contender: Contender, policy: &Policy) -> Option<String> {
    let kind = policy.search.loss.parameters().kind;
    let name = contender.name();
    kind.sums_levels().then(|| format!("\"{kind}\" adds up levels, and \"{name}\" chooses none"))
}

/// A comparison does not start commands.
fn commanded() -> Fault {
    fault!(Input, "experiment.model-command", "a comparison does not run the command of `search.model`")
        .key("search.model.command")
        .help("write builtin = \"linear\" or another model, remove search.model, or leave \"greedy\" out of the grid")
}

/// Refuses a table whose policy has a command that guides one of the contenders.
pub(super) fn refuse_commands(contenders: &[Contender], table: &str, policy: &Policy) -> Result<()> {
    let guided = |contender: &Contender| contender.algorithm().guided();
    let command = policy.search.model.as_ref().is_some_and(|spec| spec.builtin.is_none());
    match command && contenders.iter().any(guided) {
        true => Err(commanded().within(format_args!("table `{table}`")).into()),
        false => Ok(()),
    }
}

/// Prices what Greedy would release of every row's own set, and finds which notion of anonymity
/// that has; none when stopped.
pub(super) fn rows(
    (policy, problem): (&Policy, &Problem),
    watch: &Watch,
    (run, clock, trial): (Run, Clock<'_>, Option<&Trial>),
) -> Result<Option<Run>> {
    if policy.search.model.is_some() {
        let reason = Some(format!("\"{ROWS}\" is not guided by a model, and the policy asks for one"));
        return Ok(Some(Run { status: Status::Refused, reason, ..run }));
    }
    if let Some(reason) = without_levels(Contender::Rows, policy) {
        return Ok(Some(Run { status: Status::Refused, reason: Some(reason), ..run }));
    }
    let policy = match Contender::Rows.policy(policy) {
        Ok(policy) => policy,
        Err(error) => return Ok(Some(unsolved(run, &error))),
    };
    let started = clock();
    let formed = recode::own_cells(&policy, &problem.ground(), watch);
    let seconds = Some(clock() - started);
    let (recoded, own) = match formed {
        Ok(Some(formed)) => (formed.recoded, formed.own),
        Ok(None) => return Ok(None),
        Err(error) => {
            return Ok(Some(unsolved(run, &error)));
        }
    };
    let parameters = policy.search.loss.parameters();
    let price = Price::new(&recoded, &problem.lattice.bottom());
    let value = price.loss(&parameters, &policy.weights(&problem.names))?;
    let notion = own.notions.and_then(|notions| notions.strongest(run.k)).unwrap_or("none").to_owned();
    let predicted = trial.map(|trial| trial.predicted(problem, &recoded)).transpose()?.flatten();
    let suppressed = Some(recoded.suppressed_rows());
    Ok(Some(Run { value: Some(value), suppressed, seconds, notion: Some(notion), predicted, ..run }))
}
