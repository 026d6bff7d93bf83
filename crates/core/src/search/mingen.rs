//! MinGen [Sweeney 2002; De Spoelberch, 2.4.1]: checks every node and returns the best safe one.
//!
//! With a preference, the preferred one of the minimal safe nodes. The oracle for all other
//! strategies; exact for every model and loss. Costs one check per node.

use super::prefer::{Minimal, preferred};
use super::{Evaluator, Outcome, Problem, Solution, Strategy};
use crate::error::Fault;
use crate::registry::Algorithm;
use crate::watch::{Event, Progress, Watch};

pub(super) struct MinGen;

impl Strategy for MinGen {
    fn algorithm(&self) -> Algorithm {
        Algorithm::MinGen
    }

    fn refuses(&self, _: &Problem) -> Option<Fault> {
        None
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
        let prefers = evaluator.problem().preference.is_some();
        check_all(evaluator, prefers, watch)
    }
}

/// The least loss of all safe nodes, whatever the policy prefers and whether or not levels nest.
pub(super) fn least_loss(evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
    check_all(evaluator, false, watch)
}

fn check_all(evaluator: &mut Evaluator<'_>, prefers: bool, watch: &Watch) -> Outcome {
    let problem = evaluator.problem();
    let nodes = problem.lattice.nodes();
    let mut best: Option<Solution> = None;
    let (mut least, mut minimal) = (u64::MAX, Minimal::default());
    for node in problem.lattice.iter() {
        if watch.should_finish() {
            if let Some(stopped) = preferred(evaluator, minimal.nodes(), false, watch) {
                return stopped;
            }
            return best.map_or(Outcome::Cancelled, |best| Outcome::Found { gap: best.loss, best });
        }
        let judgement = evaluator.judge(&node);
        least = least.min(judgement.suppressed);
        let safe = judgement.safe && evaluator.useful(&node);
        if safe && prefers {
            // Nodes come after those below them.
            minimal.add(&node);
        } else if safe {
            let solution = evaluator.solution(&node);
            if best.as_ref().is_none_or(|b| solution.better_than(b)) {
                best = Some(solution);
            }
        }
        watch.report(Event::Searching(Progress {
            checked: evaluator.account().checked,
            nodes,
            best: best.as_ref().map(|b| b.loss),
            bound: None,
        }));
    }
    if let Some(found) = preferred(evaluator, minimal.nodes(), true, watch) {
        return found;
    }
    best.map_or(Outcome::Infeasible { least }, |best| Outcome::Found { best, gap: 0.0 })
}
