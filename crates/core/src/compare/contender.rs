//! Who takes part in a comparison: the algorithms of a policy, searches of levels followed by
//! rounds, Greedy guided by a model, and Greedy without disjoint sets. All but the last decide as a
//! release does.

use super::experiment::Prediction;
use super::predicted::Judge;
use super::run::Clock;
use super::{Run, Status};
use crate::decide::{Choice, Chosen, Decision, choose, choose_guided};
use crate::error::{Error, Fault, Kind, Result};
use crate::fault;
use crate::loss::Price;
use crate::policy::{GuideSpec, Policy, SECONDS};
use crate::predict::{Commands, Guide, Place, Started};
use crate::recode;
use crate::recoded::Recoded;
use crate::registry::{Algorithm, Family, Predictor, unknown_among};
use crate::search::Problem;
use crate::watch::Watch;

/// Behind the name of a search that goes on with the rows that it leaves unsafe.
const LOCALLY: &str = "+local";

/// Greedy without making its sets disjoint. In a comparison it runs beside algorithms whose releases
/// are k-anonymous, under the same policy.
const ROWS: &str = Algorithm::GreedyRows.key();

/// Before the name of the model that guides Greedy.
const GREEDY: &str = "greedy+";

/// Greedy guided by the model of a policy or experiment; beside it, `greedy` goes by the loss.
const GUIDED: &str = "greedy+model";

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Contender {
    /// An algorithm as a policy asks for it.
    Algorithm(Algorithm),
    /// Greedy guided by `search.model` of the policy, or by the model of the experiment
    /// (Greedy-DXCG in Katirai 2006).
    Guided,
    /// Greedy guided by a built-in model that is fitted to the sample.
    GuidedBy(Predictor),
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
        if name == GUIDED {
            return Ok(Contender::Guided);
        }
        if let Some(model) = name.strip_prefix(GREEDY).and_then(Predictor::from_key) {
            return Ok(Contender::GuidedBy(model));
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
            Contender::Guided => GUIDED.into(),
            Contender::GuidedBy(model) => format!("{GREEDY}{model}"),
            Contender::Rows => ROWS.into(),
        }
    }

    /// Whether its cells are not bound to one level per column, so that it can lose less than the
    /// optimum of levels.
    pub(super) fn recodes_locally(self) -> bool {
        matches!(self, Contender::Rounds(_)) || self.algorithm().forms_regions()
    }

    /// Whether it draws lots, so that another seed can give another result.
    pub(super) fn draws(self) -> bool {
        matches!(self.algorithm(), Algorithm::Best | Algorithm::Datafly | Algorithm::KSimilar)
    }

    /// The built-in model that guides it, if it names one.
    pub(super) fn model(self) -> Option<Predictor> {
        match self {
            Contender::GuidedBy(model) => Some(model),
            _ => None,
        }
    }

    /// The algorithm that runs.
    pub(super) fn algorithm(self) -> Algorithm {
        match self {
            Contender::Algorithm(algorithm) | Contender::Rounds(algorithm) => algorithm,
            Contender::Guided | Contender::GuidedBy(_) | Contender::Rows => Algorithm::Greedy,
        }
    }

    /// The policy under which it runs, without the parameters of other algorithms.
    ///
    /// # Errors
    /// What the algorithm is not defined for.
    fn policy(self, policy: &Policy, field: &Field<'_>) -> Result<Policy> {
        let rounds = matches!(self, Contender::Rounds(_));
        let mut policy = policy.with_algorithm(self.algorithm(), rounds);
        let search = &mut policy.search;
        search.model = search.model.take().filter(|_| self.guided(field));
        if let Some(model) = &mut search.model {
            model.guides = true;
        }
        let modelled = search.model.is_some() || matches!(self, Contender::Guided | Contender::GuidedBy(_));
        search.greedy = search.greedy.filter(|_| !modelled);
        policy.check()?;
        let runs = if self == Contender::Rows { Algorithm::GreedyRows } else { self.algorithm() };
        policy.check_subject(runs, modelled)?;
        Ok(policy)
    }

    /// Whether the model of the policy guides it: without `greedy+model` in the grid, `greedy` is
    /// guided as the policy says.
    fn guided(self, field: &Field<'_>) -> bool {
        match self {
            Contender::Guided => true,
            Contender::Algorithm(algorithm) => algorithm.guided() && !field.apart,
            Contender::GuidedBy(_) | Contender::Rounds(_) | Contender::Rows => false,
        }
    }
}

/// What runs have in common.
pub(super) struct Field<'a> {
    /// The table, by its position.
    pub(super) table: usize,
    /// Whether the grid has `greedy+model`, so that `greedy` is not guided.
    pub(super) apart: bool,
    /// Starts commands.
    pub(super) commands: Option<&'a dyn Commands>,
    /// The model of the experiment.
    pub(super) judge: Option<&'a Judge>,
    pub(super) clock: Clock<'a>,
}

/// The fault for a name that nobody in a comparison has.
fn unknown(name: &str) -> Fault {
    let mut keys = Family::Algorithm.keys();
    keys.push(GUIDED);
    let fault = unknown_among(Family::Algorithm, name, &keys);
    let names = fault.help.clone().unwrap_or_default();
    fault.help(format!(
        "{names}; {LOCALLY} behind a search of levels lets it go on with the rows that it leaves unsafe, and \
         {GREEDY} before a built-in model lets that guide"
    ))
}

/// Decides as a release does, and measures it; none when stopped.
pub(super) fn decided(
    contender: Contender,
    (policy, problem): (&Policy, &Problem),
    watch: &Watch,
    (run, field): (Run, &Field<'_>),
) -> Result<Option<Run>> {
    if contender.algorithm().forms_regions()
        && let Some(reason) = without_levels(contender, policy)
    {
        return Ok(Some(Run { status: Status::Refused, reason: Some(reason), ..run }));
    }
    let policy = match contender.policy(policy, field) {
        Ok(policy) => policy,
        Err(error) => return Ok(Some(unsolved(run, &error))),
    };
    let started = (field.clock)();
    let chosen = chosen(contender, (&policy, problem), field, watch);
    let run = Run { seconds: Some((field.clock)() - started), ..run };
    if watch.should_finish() {
        return Ok(None);
    }
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(error) if error.is_cancelled() => return Ok(None),
        // A command that fails would fail in every run.
        Err(error) if error.is_all(Kind::System) => return Err(error),
        Err(error) => return Ok(Some(unsolved(run, &error))),
    };
    let levels = !contender.algorithm().forms_regions();
    let run = Run {
        value: Some(chosen.loss),
        checked: levels.then_some(chosen.account.checked),
        compared: levels.then_some(chosen.account.compared),
        ..run
    };
    if let (Choice::Levels(best), None, Contender::Algorithm(_)) = (&chosen.choice, field.judge, contender) {
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
    let run = Run { levels, suppressed, ..run };
    judged(run, field, problem, &decision.recoded)
}

/// Runs the algorithm, with its model where it has one.
fn chosen(
    contender: Contender,
    (policy, problem): (&Policy, &Problem),
    field: &Field<'_>,
    watch: &Watch,
) -> Result<Chosen> {
    let by = match (contender, &policy.search.model) {
        (Contender::GuidedBy(model), _) => Some(model),
        (Contender::Guided, None) => None,
        (_, Some(spec)) if spec.builtin.is_none() => {
            let guide = started(spec, (policy, problem), field, watch)?;
            return choose(policy, problem, Some(&*guide), watch);
        }
        _ => return choose(policy, problem, None, watch),
    };
    let guiding = field.judge.and_then(|judge| judge.guiding(by));
    let guiding = guiding.ok_or_else(|| Fault::bug("a grid without a model passed the check"))?;
    choose_guided(policy, problem, guiding, watch)
}

/// The command of a policy's model.
fn started(
    spec: &GuideSpec,
    (policy, problem): (&Policy, &Problem),
    field: &Field<'_>,
    watch: &Watch,
) -> Result<Box<dyn Guide>> {
    let commands = field.commands.ok_or_else(|| Fault::bug("a command passed the check"))?;
    let features = problem.features(spec);
    let reader = problem.reader(policy, &features)?;
    commands.start(Started {
        command: &spec.command,
        place: Place::Policy(field.table),
        seconds: spec.seconds.unwrap_or(SECONDS),
        features: (features, reader),
        watch,
    })
}

/// A run with the errors of the experiment's model, if it has one; none when stopped.
fn judged(run: Run, field: &Field<'_>, problem: &Problem, recoded: &Recoded) -> Result<Option<Run>> {
    let Some(judge) = field.judge else { return Ok(Some(run)) };
    match judge.predicted(problem, recoded) {
        Ok(predicted) => Ok(Some(Run { predicted, ..run })),
        Err(error) if error.is_cancelled() => Ok(None),
        Err(error) => Err(error),
    }
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

/// The fault for a command where nobody can start one.
fn commanded(key: &str) -> Fault {
    fault!(Input, "experiment.model-command", "a comparison of tables in memory runs no commands")
        .key(key)
        .help("name a built-in model such as \"linear\", or compare files with `throng compare`")
}

/// The fault for an algorithm that lacks its model.
fn unguided(algorithm: &str) -> Fault {
    fault!(Input, "experiment.no-model", "no model guides \"{algorithm}\"", algorithm = algorithm)
        .key("grid.algorithms")
}

/// Refuses a grid that would ignore a model, or that lacks one.
pub(super) fn check_models(
    contenders: &[Contender],
    (table, policy): (&str, &Policy),
    prediction: Option<&Prediction>,
    commands: bool,
) -> Result<()> {
    let of_table = |fault: Fault| Err(fault.within(format_args!("table `{table}`")).into());
    let apart = contenders.contains(&Contender::Guided);
    if !commands && prediction.is_some_and(|asked| asked.builtin().is_none()) {
        return Err(commanded("prediction.command").into());
    }
    if prediction.is_none()
        && let Some(by) = contenders.iter().find(|contender| matches!(contender, Contender::GuidedBy(_)))
    {
        let help = "add [prediction], which says what is predicted, and from what";
        return Err(unguided(&by.name()).help(help).into());
    }
    let Some(spec) = &policy.search.model else {
        let help = "give the policy of the table search.model, or the experiment [prediction]";
        return match apart && prediction.is_none() {
            true => of_table(unguided(GUIDED).help(help)),
            false => Ok(()),
        };
    };
    let guided = |contender: &Contender| matches!(contender, Contender::Algorithm(by) if by.guided());
    if !(apart || spec.guides && contenders.iter().any(guided)) {
        return of_table(
            fault!(Input, "experiment.model-not-used", "`search.model` guides no algorithm of the grid")
                .key("grid.algorithms")
                .help(format!("add \"{GUIDED}\", or remove search.model; [prediction] measures every run")),
        );
    }
    if spec.builtin.is_none() && !commands {
        return of_table(commanded("search.model.command"));
    }
    Ok(())
}

/// Prices what Greedy would release of every row's own set, and finds which notion of anonymity
/// that has; none when stopped.
pub(super) fn rows(
    (policy, problem): (&Policy, &Problem),
    watch: &Watch,
    (run, field): (Run, &Field<'_>),
) -> Result<Option<Run>> {
    if policy.search.model.is_some() && !field.apart {
        let reason = Some(format!(
            "\"{ROWS}\" is not guided by a model, and the policy asks for one; add \"{GUIDED}\" to compare both"
        ));
        return Ok(Some(Run { status: Status::Refused, reason, ..run }));
    }
    if let Some(reason) = without_levels(Contender::Rows, policy) {
        return Ok(Some(Run { status: Status::Refused, reason: Some(reason), ..run }));
    }
    let policy = match Contender::Rows.policy(policy, field) {
        Ok(policy) => policy,
        Err(error) => return Ok(Some(unsolved(run, &error))),
    };
    let started = (field.clock)();
    let formed = recode::own_cells(&policy, &problem.ground(), watch);
    let seconds = Some((field.clock)() - started);
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
    let suppressed = Some(recoded.suppressed_rows());
    let run = Run { value: Some(value), suppressed, seconds, notion: Some(notion), ..run };
    judged(run, field, problem, &recoded)
}
