//! The preference among minimal nodes (`search.prefer`) [Sweeney 2001; De Spoelberch, algorithm 1]:
//! of the safe nodes that have no safe node below them, the one with the least value of an
//! expression.
//!
//! "Not a number" counts as +∞, so such a node comes last. Ties go to the lower loss, then to the
//! lower height and the first levels, as without a preference. The gap stays a statement about the
//! loss: every safe node is above a minimal one, so the least bound of the minimal nodes bounds all
//! safe nodes; where models and loss are monotone, their least loss is the optimum.
//!
//! Costs the classes of every minimal node, and per node one pass for each loss that the expression
//! names.

use super::{Evaluator, Outcome, Problem, Solution};
use crate::error::{Fault, Result};
use crate::expression::{Expression, Variable};
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;
use crate::loss::{self, Loss, Marginals};
use crate::policy::{LossParameters, Policy, node_expression};
use crate::registry::LossKind;
use crate::watch::Watch;

/// An expression that ranks nodes, with where its variables come from.
pub struct Ranking {
    expression: Expression,
    sources: Vec<Source>,
}

/// Where the value of a variable comes from.
enum Source {
    /// The loss of the search, as the policy asks for it.
    Searched,
    /// Another loss, with its defaults and without weights, as certificates state it.
    Loss(Box<dyn Loss>),
    Suppressed,
    Classes,
    Rows(u64),
    /// The level of a column.
    Level(usize),
    /// The highest level of a column's hierarchy.
    Height(usize),
}

impl Ranking {
    /// The ranking of a policy, where it has one.
    pub(super) fn of(
        policy: &Policy,
        names: &[String],
        hierarchies: &[Hierarchy],
        marginals: &Marginals,
    ) -> Result<Option<Self>> {
        let searched = policy.search.loss.parameters().kind;
        let text = policy.node_preference().filter(|_| policy.search.algorithm.of_levels().entry().prefers);
        text.map(|text| Ranking::new(text, searched, (names, hierarchies), marginals)).transpose()
    }

    /// Reads an expression for some columns; `searched` is the loss of the search.
    ///
    /// # Errors
    /// As [`Expression::parse`]; a loss of labels for a table without a target.
    pub fn new(
        text: &str,
        searched: LossKind,
        (names, hierarchies): (&[String], &[Hierarchy]),
        marginals: &Marginals,
    ) -> Result<Self> {
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let expression = node_expression(text, &columns)?;
        let plain = vec![1.0; names.len()];
        let source = |variable: &Variable| match variable {
            Variable::Plain(name) => match name.as_str() {
                "loss" => Ok(Source::Searched),
                "suppressed" => Ok(Source::Suppressed),
                "classes" => Ok(Source::Classes),
                "rows" => Ok(Source::Rows(marginals.rows)),
                name => match LossKind::from_key(name) {
                    Some(kind) if kind == searched => Ok(Source::Searched),
                    Some(kind) => {
                        loss::build(&LossParameters::new(kind), marginals, &plain).map(Source::Loss)
                    }
                    None => Err(Fault::bug(format!("the variable `{name}` has no value")).into()),
                },
            },
            Variable::OfColumn { function, column } => {
                let at = names.iter().position(|name| name == column);
                let at = at.ok_or_else(|| Fault::bug(format!("`{column}` is not a quasi-identifier")))?;
                Ok(match function.as_str() {
                    "level" => Source::Level(at),
                    _ => Source::Height(hierarchies[at].height()),
                })
            }
        };
        let sources = expression.variables().iter().map(source).collect::<Result<_>>()?;
        Ok(Ranking { expression, sources })
    }

    /// The measured columns whose histograms it reads.
    pub(super) fn needs(&self) -> Vec<usize> {
        let losses = self.sources.iter().filter_map(|source| match source {
            Source::Loss(loss) => Some(loss.needs()),
            _ => None,
        });
        losses.flatten().collect()
    }

    /// What a safe node is ranked by: less is better, and it is a number.
    pub(super) fn value(&self, evaluator: &mut Evaluator<'_>, solution: &Solution) -> f64 {
        let (view, flags) = evaluator.classes(&solution.node);
        let value = |source: &Source| match source {
            Source::Searched => solution.loss,
            Source::Loss(loss) => loss.loss(&view, flags),
            Source::Suppressed => solution.suppressed as f64,
            Source::Classes => (view.len() - flags.classes()) as f64,
            Source::Rows(rows) => *rows as f64,
            Source::Level(column) => solution.node.level(*column) as f64,
            Source::Height(height) => *height as f64,
        };
        let values: Vec<f64> = self.sources.iter().map(value).collect();
        let value = self.expression.evaluate(&values);
        if value.is_nan() { f64::INFINITY } else { value }
    }
}

/// A solution with what it is ranked by.
pub(super) struct Ranked {
    pub(super) value: f64,
    pub(super) solution: Solution,
}

impl Ranked {
    /// Whether this one is to be preferred: by its value, then as solutions are.
    pub(super) fn better_than(&self, other: &Ranked) -> bool {
        self.value < other.value || self.value == other.value && self.solution.better_than(&other.solution)
    }
}

/// Minimal nodes of the safe nodes that are seen in an order in which every node comes after those
/// below it.
#[derive(Default)]
pub(super) struct Minimal(Vec<Node>);

impl Minimal {
    /// Adds a safe node; whether it is minimal.
    pub(super) fn add(&mut self, node: &Node) -> bool {
        let minimal = !self.0.iter().any(|below| below.below(node));
        if minimal {
            self.0.push(node.clone());
        }
        minimal
    }

    pub(super) fn nodes(self) -> Vec<Node> {
        self.0
    }
}

/// The preferred one of the minimal nodes; none where there is no such node, or no preference.
/// `finished` says whether these are all of them.
pub(super) fn preferred(
    evaluator: &mut Evaluator<'_>,
    minimal: Vec<Node>,
    finished: bool,
    watch: &Watch,
) -> Option<Outcome> {
    let problem = evaluator.problem();
    let ranking = problem.preference.as_ref()?;
    let exact = problem.loss.monotone() && monotone(problem);
    let (mut best, mut finished): (Option<Ranked>, bool) = (None, finished);
    let mut least = f64::INFINITY;
    for node in minimal {
        if best.is_some() && watch.should_finish() {
            finished = false;
            break;
        }
        let solution = evaluator.solution(&node);
        least = least.min(if exact { solution.loss } else { problem.loss.bound(&node, &[]) });
        let ranked = Ranked { value: ranking.value(evaluator, &solution), solution };
        if best.as_ref().is_none_or(|best| ranked.better_than(best)) {
            best = Some(ranked);
        }
    }
    let best = best?.solution;
    let bound = if finished { least } else { problem.loss.bound(&problem.lattice.bottom(), &[]) };
    Some(Outcome::Found { gap: (best.loss - bound).max(0.0), best })
}

/// Whether every model is monotone, so that everything above a safe node is safe.
pub(super) fn monotone(problem: &Problem) -> bool {
    problem.models.iter().all(|model| model.facts().monotone)
}
