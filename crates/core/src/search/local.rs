//! Local recoding by steps (mission A9; as ARX does it, Prasser et al. 2020): rows that one node leaves unsafe are searched again by
//! themselves, round after round.
//!
//! Every round solves the problem of the rows that are left, with the policy's lattice and models, and releases what is
//! safe at its node. A round may leave [`LEFT`] of its rows and does not count them in its loss: so it finds the node of least
//! generalization that releases a tenth, and rows that are alike leave first, hardly generalized. What a node costs is told from the
//! rows of the round. Rounds end when nothing is left or nothing more can be released; if more is left then than the
//! policy lets be suppressed, the last rounds are taken back until the rows that they had can be released by one. That ends, because the
//! table itself can be: it has a node that suppresses few enough rows before this begins.
//!
//! It only proposes nodes. Whether steps cost less than the one node that was found is told by the policy's loss; otherwise that node
//! stands alone. Costs a search per round; of rounds there are about ln(rows / k) / ln(1 / [`LEFT`]), and they get ever smaller:
//! together some 20 searches of the whole table.

use super::{Account, Budget, Evaluator, Outcome, Problem, Solution, Strategy, max_suppressed, solve};
use crate::classes::Classes;
use crate::error::{Error, Fault, Result};
use crate::lattice::Node;
use crate::loss::{self, Loss, Marginals, Price};
use crate::policy::LossParameters;
use crate::recoded::Recoded;
use crate::recoding::Steps;
use crate::tuples::Tuples;

/// The share of its rows that a round may leave. On adult (k = 5, LM) steps cost 0.066 at 0.7, 0.061 at 0.8, 0.056 at 0.9 and 0.054
/// at 0.95, which takes twice as long.
const LEFT: f64 = 0.9;

/// What a search in rounds found.
#[derive(Debug)]
pub struct Rounds {
    /// The nodes of the steps; one where further steps are no gain.
    pub nodes: Vec<Node>,
    /// What the policy's loss is with them.
    pub loss: f64,
    /// What the rounds did.
    pub account: Account,
}

/// A round: the classes that it began with, its node, and the classes that it left.
struct Round {
    began: Vec<u32>,
    node: Node,
    left: Vec<u32>,
}

/// Searches the rows that are left again and again, with the policy's loss and the weights of columns; `best` is what a search of the whole table found. The problem is the same afterwards.
///
/// # Errors
/// Models under which rows of two steps cannot be put together; a strategy that refuses a round.
pub fn local(
    problem: &mut Problem,
    (asked, weights): (&LossParameters, &[f64]),
    strategy: &dyn Strategy,
    best: &Solution,
    budget: &Budget<'_>,
) -> Result<Rounds> {
    refuse(problem)?;
    let mut search = Search {
        of_rounds: uncounted(asked),
        asked,
        weights,
        strategy,
        budget,
        limit: problem.max_suppressed,
        account: Account::default(),
        problem,
    };
    let rounds = search.rounds()?;
    let one = Rounds { nodes: vec![best.node.clone()], loss: best.loss, account: search.account };
    if rounds.is_empty() {
        return Ok(one);
    }
    let loss = search.price(&rounds)?;
    let nodes = rounds.into_iter().map(|round| round.node).collect();
    Ok(if loss < best.loss { Rounds { nodes, loss, ..one } } else { one })
}

/// Steps are judged each by itself and then put together, which must not make anything unsafe.
fn refuse(problem: &Problem) -> Result<()> {
    let faults = problem.models.iter().filter(|model| !model.monotone()).map(|model| {
        let name = model.name();
        Fault::input(format!(
            "rows cannot be searched again under {name}: classes that are safe apart may not be so together"
        ))
        .key("search.local")
        .help("remove it")
    });
    Error::check(faults.collect())
}

/// The loss of what is released alone, where a policy may ask for that.
fn uncounted(asked: &LossParameters) -> LossParameters {
    let free = LossParameters { count_suppressed: Some(false), tradeoff: None, ..asked.clone() };
    if loss::check(&free).is_empty() { free } else { asked.clone() }
}

struct Search<'a> {
    problem: &'a mut Problem,
    asked: &'a LossParameters,
    of_rounds: LossParameters,
    weights: &'a [f64],
    strategy: &'a dyn Strategy,
    budget: &'a Budget<'a>,
    /// Rows that may be suppressed in the end.
    limit: u64,
    account: Account,
}

impl Search<'_> {
    /// The rounds; none where no more than one node is needed, or when stopped.
    fn rounds(&mut self) -> Result<Vec<Round>> {
        let mut rounds: Vec<Round> = Vec::new();
        let mut left: Vec<u32> = (0..self.problem.classes.len() as u32).collect();
        while !left.is_empty() {
            let most = max_suppressed(LEFT, self.rows(&left));
            let parameters = self.of_rounds.clone();
            let Some(round) = self.round(left, &parameters, most)? else { break };
            left = round.left.clone();
            rounds.push(round);
            if (self.budget.cancelled)() {
                return Ok(Vec::new());
            }
        }
        // What is left cannot be released by itself.
        while rounds.last().is_some_and(|round| self.rows(&round.left) > self.limit) {
            let Some(Round { began, .. }) = rounds.pop() else { break };
            let parameters = self.asked;
            if !rounds.is_empty()
                && let Some(round) = self.round(began, parameters, self.limit)?
            {
                rounds.push(round);
                break;
            }
        }
        Ok(rounds)
    }

    fn rows(&self, classes: &[u32]) -> u64 {
        classes.iter().map(|&class| u64::from(self.problem.classes.counts()[class as usize])).sum()
    }

    /// Solves the problem of some classes of which so many rows may be left; none where that cannot be done.
    fn round(&mut self, began: Vec<u32>, parameters: &LossParameters, most: u64) -> Result<Option<Round>> {
        let part = self.problem.classes.part(&began);
        let marginals = Marginals::new(&part, &self.problem.hierarchies);
        let loss = loss::build(parameters, &marginals, self.weights)?;
        let (strategy, budget) = (self.strategy, self.budget);
        let (solved, flagged) = narrowed(self.problem, part, loss, most, |problem| {
            let solved = solve(problem, strategy, budget);
            let flagged = match &solved {
                Ok((Outcome::Found { best, .. }, _)) => flagged(problem, &best.node),
                _ => Vec::new(),
            };
            (solved, flagged)
        });
        let (outcome, account) = solved?;
        self.account.checked += account.checked;
        self.account.compared += account.compared;
        let Outcome::Found { best, .. } = outcome else { return Ok(None) };
        let left = flagged.into_iter().map(|class| began[class as usize]).collect();
        Ok(Some(Round { began, node: best.node, left }))
    }

    /// What the policy's loss is of all rounds together.
    fn price(&self, rounds: &[Round]) -> Result<f64> {
        let mut step_of = vec![None; self.problem.classes.len()];
        for (step, round) in rounds.iter().enumerate() {
            round.began.iter().for_each(|&class| step_of[class as usize] = Some(step));
            round.left.iter().for_each(|&class| step_of[class as usize] = None);
        }
        let nodes: Vec<Node> = rounds.iter().map(|round| round.node.clone()).collect();
        let first = nodes[0].clone();
        let steps = Steps::new(nodes, step_of)?;
        let recoded = Recoded::of_steps(&self.problem.classes, &self.problem.hierarchies, &steps)?;
        Price::new(&recoded, &first).loss(self.asked, self.weights)
    }
}

/// Runs something on the problem of a part of its classes.
fn narrowed<R>(
    problem: &mut Problem,
    part: Classes,
    loss: Box<dyn Loss>,
    most: u64,
    run: impl FnOnce(&Problem) -> R,
) -> R {
    let whole = std::mem::replace(&mut problem.classes, part);
    let of_whole = std::mem::replace(&mut problem.loss, loss);
    let limit = std::mem::replace(&mut problem.max_suppressed, most);
    let result = run(problem);
    problem.classes = whole;
    problem.loss = of_whole;
    problem.max_suppressed = limit;
    result
}

/// The classes of a problem that are unsafe at a node.
fn flagged(problem: &Problem, node: &Node) -> Vec<u32> {
    let mut evaluator = Evaluator::new(problem);
    let (view, flags) = evaluator.classes(node);
    let width = view.columns();
    let mut unsafe_tuples = Tuples::new(width);
    let mut row = vec![0; width];
    for class in flags.iter() {
        row.iter_mut().enumerate().for_each(|(column, cell)| *cell = view.code(class, column));
        unsafe_tuples.insert(&row, 0);
    }
    let classes = &problem.classes;
    let is_unsafe = |&class: &u32| {
        for (column, (cell, hierarchy)) in row.iter_mut().zip(&problem.hierarchies).enumerate() {
            *cell = hierarchy.generalize(classes.code(class as usize, column), node.level(column));
        }
        unsafe_tuples.find(&row).is_some()
    };
    (0..classes.len() as u32).filter(is_unsafe).collect()
}
