//! Local recoding by rounds [Prasser 2020]: the rows that one node leaves unsafe are searched again
//! on their own, round after round.
//!
//! Every round solves the problem of the remaining rows with the policy's lattice and models, and
//! releases the rows that are safe at its node, as far as they are safe beside the rounds before
//! (`safe_union.rs`). A round may leave [`LEFT`] of its rows, which do not count in its loss: so it
//! finds the node of least generalization that releases a tenth, and similar rows are released
//! first with little generalization. The cost of a node is computed from the rows of the round.
//! Rounds end when no row is left or no more can be released. If more rows are left than the policy
//! allows to suppress, the last rounds are undone until one round can release their rows. This
//! terminates, because the whole table has a node that suppresses few enough rows.
//!
//! A search that is stopped keeps the rounds that are complete. The rows that they leave are
//! released at the node of the whole table, and at the most general one where that is not enough;
//! none of this searches.
//!
//! It only proposes nodes. The policy's loss decides whether steps cost less than the one node that
//! was found; otherwise that node stands alone. Costs a search per round; of rounds there are about
//! ln(rows / k) / ln(1 / [`LEFT`]), and they get ever smaller: together some 20 searches of
//! the whole table.

use std::sync::Arc;

use super::{Account, Evaluator, Outcome, Problem, Solution, Strategy, max_suppressed, solve};
use crate::classes::Classes;
use crate::error::{Error, Result};
use crate::lattice::Node;
use crate::loss::{self, Loss, Marginals, Price};
use crate::model::check_complete;
use crate::people::people_facts;
use crate::policy::{LossParameters, check_loss};
use crate::recoded::Recoded;
use crate::recoding::Steps;
use crate::safe_union::safe_union;
use crate::watch::Watch;

/// The share of its rows that a round may leave. On adult (k = 5, LM) steps cost 0.066 at 0.7,
/// 0.061 at 0.8, 0.056 at 0.9 and 0.054 at 0.95, which takes twice as long.
const LEFT: f64 = 0.9;

/// The share of the time limit, where there is one, that the search of the whole table has, and the
/// share of the rest that each round has: a lattice that cannot be finished leaves no time for the
/// next search otherwise.
pub(crate) const FIRST: f64 = 0.3;
const NEXT: f64 = 0.2;

/// What a search in rounds found.
#[derive(Debug)]
pub struct Rounds {
    /// The nodes of the steps; one if further steps do not reduce the loss.
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

/// Searches the rows that are left again and again, with the policy's loss and the weights of
/// columns; `best` is what a search of the whole table found.
///
/// # Errors
/// A strategy that refuses a round; when asked to stop.
pub fn local(
    problem: &Problem,
    (asked, weights): (&LossParameters, &[f64]),
    strategy: &dyn Strategy,
    best: &Solution,
    watch: &Watch,
) -> Result<Rounds> {
    let mut search = Search {
        of_rounds: uncounted(asked),
        asked,
        weights,
        strategy,
        watch,
        limit: problem.max_suppressed,
        account: Account::default(),
        used: FIRST,
        problem,
    };
    let rounds = search.rounds(&best.node)?;
    let one = Rounds { nodes: vec![best.node.clone()], loss: best.loss, account: search.account };
    if rounds.is_empty() || withholds_too_many(problem, &rounds) {
        return Ok(one);
    }
    let loss = search.price(&rounds)?;
    let nodes = rounds.into_iter().map(|round| round.node).collect();
    Ok(if loss < best.loss { Rounds { nodes, loss, ..one } } else { one })
}

/// The loss of what is released alone, where a policy may ask for that.
fn uncounted(asked: &LossParameters) -> LossParameters {
    let free = LossParameters { count_suppressed: Some(false), tradeoff: None, ..*asked };
    if check_loss(&free).is_empty() { free } else { *asked }
}

struct Search<'a> {
    problem: &'a Problem,
    asked: &'a LossParameters,
    of_rounds: LossParameters,
    weights: &'a [f64],
    strategy: &'a dyn Strategy,
    watch: &'a Watch,
    /// Rows that may be suppressed in the end.
    limit: u64,
    account: Account,
    /// The share of the time that the searches so far have.
    used: f64,
}

impl Search<'_> {
    /// The rounds; none where no more than one node is needed, or when stopped before one was
    /// complete.
    fn rounds(&mut self, best: &Node) -> Result<Vec<Round>> {
        let mut rounds: Vec<Round> = Vec::new();
        let mut left: Vec<u32> = (0..self.problem.classes.len() as u32).collect();
        while !left.is_empty() && !self.watch.should_finish() {
            let most = max_suppressed(LEFT, self.rows(&left));
            let parameters = self.of_rounds;
            let Some(round) = self.round(&rounds, left, &parameters, most)? else { break };
            left = round.left.clone();
            rounds.push(round);
        }
        // What is left cannot be released by itself.
        while rounds.last().is_some_and(|round| self.rows(&round.left) > self.limit) {
            if self.watch.should_finish() {
                return self.completed(rounds, best);
            }
            let Some(Round { began, .. }) = rounds.pop() else { break };
            let parameters = self.asked;
            if !rounds.is_empty()
                && let Some(round) = self.round(&rounds, began, parameters, self.limit)?
                && self.rows(&round.left) <= self.limit
            {
                rounds.push(round);
                break;
            }
        }
        if self.watch.should_finish() { self.completed(rounds, best) } else { Ok(rounds) }
    }

    /// Ends rounds that were stopped: what they leave is released at the node of the whole table,
    /// and at the most general node where that leaves too many rows. Rounds are taken back until
    /// few enough rows are left.
    fn completed(&mut self, mut rounds: Vec<Round>, best: &Node) -> Result<Vec<Round>> {
        let top = self.problem.lattice.top();
        while let Some(last) = rounds.last() {
            let (mut left, mut tail) = (last.left.clone(), 0);
            for node in [best, &top] {
                if left.is_empty() || (node == &top && self.rows(&left) <= self.limit) {
                    break;
                }
                if let Some(round) = self.at(&rounds, left.clone(), node)? {
                    left = round.left.clone();
                    rounds.push(round);
                    tail += 1;
                }
            }
            if self.rows(&left) <= self.limit {
                break;
            }
            rounds.truncate(rounds.len() - tail - 1);
        }
        Ok(rounds)
    }

    /// A round at a given node; none where it releases nothing.
    fn at(&mut self, rounds: &[Round], began: Vec<u32>, node: &Node) -> Result<Option<Round>> {
        let part = self.problem.classes.part(&began);
        let marginals = Marginals::new(&part, &self.problem.hierarchies);
        let loss = loss::build(self.asked, &marginals, self.weights)?;
        let flagged = narrowed(self.problem, part, loss, self.limit, |problem| flagged(problem, node))?;
        let left: Vec<u32> = flagged.into_iter().map(|class| began[class as usize]).collect();
        self.united(rounds, Round { began, node: node.clone(), left })
    }

    /// A round as far as its rows are safe beside those of the rounds before; none where it then
    /// releases nothing.
    fn united(&self, rounds: &[Round], mut round: Round) -> Result<Option<Round>> {
        let Problem { classes, hierarchies, models, .. } = self.problem;
        if models.iter().all(|model| model.facts().unites()) {
            return Ok((round.left.len() < round.began.len()).then_some(round));
        }
        let nodes: Vec<Node> = rounds.iter().chain([&round]).map(|round| round.node.clone()).collect();
        let step_of = step_of(classes.len(), rounds.iter().chain([&round]));
        let step_of = safe_union((classes, hierarchies), models, &nodes, step_of)?;
        round.left = round.began.iter().copied().filter(|&class| step_of[class as usize].is_none()).collect();
        Ok((round.left.len() < round.began.len()).then_some(round))
    }

    fn rows(&self, classes: &[u32]) -> u64 {
        classes.iter().map(|&class| u64::from(self.problem.classes.counts()[class as usize])).sum()
    }

    /// Solves the problem of some classes, with a number of rows that may be left; none if that is
    /// impossible.
    fn round(
        &mut self,
        rounds: &[Round],
        began: Vec<u32>,
        parameters: &LossParameters,
        most: u64,
    ) -> Result<Option<Round>> {
        let part = self.problem.classes.part(&began);
        let marginals = Marginals::new(&part, &self.problem.hierarchies);
        let loss = loss::build(parameters, &marginals, self.weights)?;
        self.used += NEXT * (1.0 - self.used);
        let (strategy, watch) = (self.strategy, &self.watch.within(self.used));
        let (outcome, account, flagged) = narrowed(self.problem, part, loss, most, |problem| {
            let (outcome, account) = solve(problem, strategy, watch)?;
            let flagged = match &outcome {
                Outcome::Found { best, .. } => flagged(problem, &best.node)?,
                _ => Vec::new(),
            };
            Ok::<_, Error>((outcome, account, flagged))
        })?;
        self.account.checked += account.checked;
        self.account.compared += account.compared;
        let Outcome::Found { best, .. } = outcome else { return Ok(None) };
        let left = flagged.into_iter().map(|class| began[class as usize]).collect();
        self.united(rounds, Round { began, node: best.node, left })
    }

    /// What the policy's loss is of all rounds together.
    fn price(&self, rounds: &[Round]) -> Result<f64> {
        let step_of = step_of(self.problem.classes.len(), rounds);
        let nodes: Vec<Node> = rounds.iter().map(|round| round.node.clone()).collect();
        let first = nodes[0].clone();
        let steps = Steps::new(nodes, step_of)?;
        let recoded = Recoded::of_steps(&self.problem.classes, &self.problem.hierarchies, &steps)?;
        Price::new(&recoded, &first).loss(self.asked, self.weights)
    }
}

/// Whether rounds leave out more people than may be, where rows belong to people.
fn withholds_too_many(problem: &Problem, rounds: &[Round]) -> bool {
    let Some(limit) = problem.people else { return false };
    let step_of = step_of(problem.classes.len(), rounds);
    let facts = people_facts(&problem.classes, |class| step_of[class].is_none());
    facts.is_some_and(|facts| facts.withheld > limit.max_withheld)
}

/// Class → the round that releases it.
fn step_of<'a>(classes: usize, rounds: impl IntoIterator<Item = &'a Round>) -> Vec<Option<usize>> {
    let mut step_of = vec![None; classes];
    for (step, round) in rounds.into_iter().enumerate() {
        round.began.iter().for_each(|&class| step_of[class as usize] = Some(step));
        round.left.iter().for_each(|&class| step_of[class as usize] = None);
    }
    step_of
}

/// Runs something on the problem of a part of its classes.
fn narrowed<R>(
    problem: &Problem,
    part: Classes,
    loss: Box<dyn Loss>,
    most: u64,
    run: impl FnOnce(&Problem) -> R,
) -> R {
    run(&Problem {
        names: problem.names.clone(),
        hierarchies: Arc::clone(&problem.hierarchies),
        measured: Vec::new(),
        classes: part.into(),
        lattice: problem.lattice.clone(),
        models: Arc::clone(&problem.models),
        loss,
        max_suppressed: most,
        // All rounds together are judged in the end.
        people: None,
        profile: problem.profile.clone(),
        // Policies that prefer by an expression have no rounds.
        preference: None,
        deletion: problem.deletion.clone(),
        // The same goes for statistics.
        utility: None,
    })
}

/// The classes of a problem that are unsafe at a node.
///
/// # Errors
/// When asked to stop.
fn flagged(problem: &Problem, node: &Node) -> Result<Vec<u32>> {
    let mut evaluator = Evaluator::new(problem);
    let (view, flags) = evaluator.classes(node);
    let flagged = view.flagged_members(flags);
    check_complete(&problem.models)?;
    Ok((0..flagged.len() as u32).filter(|&class| flagged[class as usize]).collect())
}
