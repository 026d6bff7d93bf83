//! MinGen [Sweeney 2002; De Spoelberch, 2.4.1]: checks every node and returns the best safe one.
//!
//! The oracle for all other strategies; exact for every model and loss. Costs one check per node.

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
        let problem = evaluator.problem();
        let nodes = problem.lattice.nodes();
        let mut best: Option<Solution> = None;
        let mut least = u64::MAX;
        for node in problem.lattice.iter() {
            if watch.should_finish() {
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
            watch.report(Event::Searching(Progress {
                checked: evaluator.account().checked,
                nodes,
                best: best.as_ref().map(|b| b.loss),
                bound: None,
            }));
        }
        best.map_or(Outcome::Infeasible { least }, |best| Outcome::Found { best, gap: 0.0 })
    }
}
