//! MinGen (mission A1; I 2.4, S 6): every node is checked, the best safe one wins.
//!
//! The oracle for all other strategies, and exact for every model and loss. Costs all nodes.

use super::{Budget, Evaluator, Outcome, Problem, Progress, Solution, Strategy};
use crate::error::Fault;

pub(super) struct MinGen;

impl Strategy for MinGen {
    fn name(&self) -> &'static str {
        "mingen"
    }

    fn refuses(&self, _: &Problem) -> Option<Fault> {
        None
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, budget: &Budget<'_>) -> Outcome {
        let problem = evaluator.problem();
        let nodes = problem.lattice.nodes();
        let mut best: Option<Solution> = None;
        let mut least = u64::MAX;
        for node in problem.lattice.iter() {
            if (budget.cancelled)() {
                return best.map_or(Outcome::Cancelled, |best| Outcome::Found { gap: best.loss, best });
            }
            let judgement = evaluator.judge(&node);
            least = least.min(judgement.suppressed);
            if judgement.safe {
                let solution = evaluator.solution(&node);
                if best.as_ref().is_none_or(|b| solution.better_than(b)) {
                    best = Some(solution);
                }
            }
            (budget.progress)(Progress {
                checked: evaluator.account().checked,
                nodes,
                best: best.as_ref().map(|b| b.loss),
                bound: None,
            });
        }
        best.map_or(Outcome::Infeasible { least }, |best| Outcome::Found { best, gap: 0.0 })
    }
}
