//! Search: finds the safe node of the lattice with the least loss, or the minimal one that the
//! policy prefers. It decides; it touches no row.
//!
//! A strategy only chooses the next node; the [`Evaluator`] forms and judges classes, so that all
//! strategies are counted alike. Adding one is one file, one entry in the
//! registry and one line in [`strategy`].

mod advice;
mod again;
mod auto;
mod blocks;
mod boxes;
mod composite;
mod crew;
mod datafly;
mod evaluate;
mod guided;
mod improve;
mod incognito;
mod ladder;
mod local;
mod merge;
mod mingen;
mod ola;
mod pool;
mod population;
mod prefer;
mod problem;
mod profile;
mod samarati;
mod score;
mod shares;
mod tags;
mod waypoints;

pub use advice::{Relax, relax};
pub use auto::LARGE;
pub use evaluate::{Evaluator, Judgement};
pub use guided::Predicted;
pub(crate) use local::FIRST;
pub use local::{Rounds, local};
pub(crate) use ola::judged;
pub use population::Population;
pub use prefer::Ranking;
pub(crate) use problem::measured_labels;
pub use problem::{Grouped, Leveled, Load, TraceRule, hierarchies, leveled, max_suppressed};
pub use profile::{ColumnProfile, Profile};

use std::sync::Arc;

use crate::classes::Classes;
use crate::deletion::Deletion;
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::lattice::{Lattice, Node};
use crate::loss::Loss;
use crate::model::{PrivacyModel, check_complete};
use crate::people::PeopleLimit;
use crate::registry::Algorithm;
use crate::table::Dictionary;
use crate::utility::Utility;
use crate::watch::Watch;

/// What is to be solved: the least loss among the nodes of a lattice that the models find safe.
pub struct Problem {
    /// Names of the quasi-identifiers.
    pub names: Vec<String>,
    /// Their hierarchies.
    pub hierarchies: Arc<[Hierarchy]>,
    /// The measured columns, targets first, with their labels by the codes of the histograms.
    pub measured: Vec<(String, Dictionary)>,
    /// Distinct tuples of their leaves.
    pub classes: Arc<Classes>,
    /// The nodes allowed.
    pub lattice: Lattice,
    /// What makes a class unsafe.
    pub models: Arc<Vec<Box<dyn PrivacyModel>>>,
    /// What a node costs.
    pub loss: Box<dyn Loss>,
    /// How many rows may be suppressed.
    pub max_suppressed: u64,
    /// How many people may lose all their rows, where rows belong to people.
    pub people: Option<PeopleLimit>,
    /// What Datafly knows of recipient and adversary, and its seed.
    pub profile: Profile,
    /// What ranks minimal nodes, where not the loss does.
    pub preference: Option<Ranking>,
    /// What was deleted from the table; all else is about the table that is left.
    pub deletion: Option<Deletion>,
    /// The statistics whose bounds the policy limits or the loss measures.
    pub utility: Option<Arc<Utility>>,
}

/// A node that is safe, with what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The node.
    pub node: Node,
    /// Its loss.
    pub loss: f64,
    /// Rows suppressed at it.
    pub suppressed: u64,
}

impl Solution {
    /// The order in which solutions are preferred: lower loss, lower height, first levels.
    fn key(&self) -> (f64, u32, &Node) {
        (self.loss, self.node.height(), &self.node)
    }

    /// Whether this one is to be preferred.
    pub fn better_than(&self, other: &Solution) -> bool {
        self.key() < other.key()
    }
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The best node, and whether that is proven; `gap` is how much better an unseen one could be.
    Found {
        /// The best node seen.
        best: Solution,
        /// 0 when proven to be the best.
        gap: f64,
    },
    /// No node is safe within the limits; of those checked, one suppresses `least` rows and none
    /// fewer.
    Infeasible {
        /// Rows flagged at the most general node.
        least: u64,
    },
    /// Stopped before any safe node was seen.
    Cancelled,
}

/// The work of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[non_exhaustive]
pub struct Account {
    /// Nodes whose classes were formed and judged.
    pub checked: u64,
    /// Nodes whose loss was computed to be compared.
    pub compared: u64,
    /// The node-complexity score of the checks; only of [`solve_scored`].
    pub score: Option<f64>,
}

/// A way to look for the best node.
pub trait Strategy: Sync {
    /// The algorithm that it is.
    fn algorithm(&self) -> Algorithm;

    /// What policies call it.
    fn name(&self) -> &'static str {
        self.algorithm().key()
    }

    /// Why it cannot solve a problem, with what can; `None` when it can.
    fn refuses(&self, problem: &Problem) -> Option<Fault>;

    /// Looks.
    fn run(&self, evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome;
}

/// The strategy of an algorithm.
///
/// # Errors
/// An algorithm that forms regions and chooses no levels.
pub fn strategy(algorithm: Algorithm) -> Result<&'static dyn Strategy> {
    match algorithm {
        Algorithm::Auto => Ok(&auto::Auto),
        Algorithm::Ola => Ok(&ola::Ola),
        Algorithm::Incognito => Ok(&incognito::Incognito),
        Algorithm::Samarati => Ok(&samarati::Samarati),
        Algorithm::Datafly => Ok(&datafly::Datafly),
        Algorithm::MinGen => Ok(&mingen::MinGen),
        Algorithm::Best => Err(Fault::bug("\"best\" runs other algorithms, and is not a strategy").into()),
        Algorithm::Mondrian
        | Algorithm::KSimilar
        | Algorithm::CellMinGen
        | Algorithm::Boxes
        | Algorithm::Mdav
        | Algorithm::Greedy
        | Algorithm::GreedyRows
        | Algorithm::Partition => Err(fault!(
            Input,
            "search.algorithm-forms-regions",
            "\"{algorithm}\" forms regions of rows and chooses no levels",
            algorithm = algorithm
        )
        .key("search.algorithm")
        .help("`throng release` and `throng compare` run it; here, choose an algorithm that chooses levels")
        .into()),
    }
}

/// All strategies, in the order of the registry.
pub fn strategies() -> Vec<&'static dyn Strategy> {
    Algorithm::ALL.iter().filter_map(|&algorithm| strategy(algorithm).ok()).collect()
}

/// Solves a problem with a strategy.
///
/// # Errors
/// A strategy that is not defined for the problem's models or loss, by name, with the alternatives;
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) where a model was stopped.
pub fn solve(problem: &Problem, strategy: &dyn Strategy, watch: &Watch) -> Result<(Outcome, Account)> {
    if let Some(fault) = refuses(problem, strategy) {
        return Err(fault.into());
    }
    let mut evaluator = Evaluator::new(problem);
    let outcome = strategy.run(&mut evaluator, watch);
    check_complete(&problem.models)?;
    Ok((outcome, evaluator.account()))
}

/// Like [`solve`], whatever the bounds of the policy's statistics are.
///
/// # Errors
/// As [`solve`].
pub fn solve_unlimited(
    problem: &Problem,
    strategy: &dyn Strategy,
    watch: &Watch,
) -> Result<(Outcome, Account)> {
    if let Some(fault) = refuses(problem, strategy) {
        return Err(fault.into());
    }
    let mut evaluator = Evaluator::new(problem).unlimited();
    let outcome = strategy.run(&mut evaluator, watch);
    check_complete(&problem.models)?;
    Ok((outcome, evaluator.account()))
}

/// The least loss of all safe nodes, whatever the policy prefers.
pub fn least_loss(problem: &Problem, watch: &Watch) -> Outcome {
    let mut evaluator = Evaluator::new(problem);
    // Branch and bound needs levels that nest.
    let outcome = match problem.nested() {
        true => auto::least_loss(&mut evaluator, watch),
        false => mingen::least_loss(&mut evaluator, watch),
    };
    if check_complete(&problem.models).is_ok() { outcome } else { Outcome::Cancelled }
}

/// A lower bound of the loss of every safe node, from blocks of at most `width` dimensions that are
/// solved with at most `checks` checks each; `auto` uses it where a lattice is too large. None if
/// the loss is not made of one term per column, or when asked to stop. Levels must nest.
pub fn block_bound(problem: &Problem, width: usize, checks: u64, watch: &Watch) -> Option<f64> {
    let mut evaluator = Evaluator::new(problem);
    let floor = blocks::floor(&mut crew::Crew::new(&mut evaluator), (width, checks), watch, &|_| {});
    floor.filter(|_| check_complete(&problem.models).is_ok())
}

/// Like [`solve`], and computes the node-complexity score, for which it keeps every checked node.
///
/// # Errors
/// As [`solve`].
pub fn solve_scored(problem: &Problem, strategy: &dyn Strategy, watch: &Watch) -> Result<(Outcome, Account)> {
    if let Some(fault) = refuses(problem, strategy) {
        return Err(fault.into());
    }
    let mut evaluator = Evaluator::new(problem);
    evaluator.keep_trace();
    let outcome = strategy.run(&mut evaluator, watch);
    check_complete(&problem.models)?;
    Ok((outcome, Account { score: evaluator.score(), ..evaluator.account() }))
}

/// Why a strategy cannot solve a problem: levels that do not nest, or what it says itself.
fn refuses(problem: &Problem, strategy: &dyn Strategy) -> Option<Fault> {
    let algorithm = strategy.algorithm();
    let unnested = problem.hierarchies.iter().position(|hierarchy| !hierarchy.nested());
    let unnested = unnested.filter(|_| !algorithm.entry().takes_unnested);
    let fault = unnested.map(|column| algorithm.not_nested(&problem.names[column]));
    fault.or_else(|| strategy.refuses(problem))
}

/// The most nodes that a strategy may keep a tag for.
const TAGGED: u128 = 1 << 26;

/// Refuses lattices whose nodes cannot all be tagged.
fn too_large(problem: &Problem, strategy: &str) -> Option<Fault> {
    let nodes = problem.lattice.nodes();
    (nodes > TAGGED).then(|| {
        fault!(
            Input,
            "search.lattice-too-large",
            "the lattice has {nodes} nodes; \"{algorithm}\" can hold {limit}",
            nodes = nodes,
            algorithm = strategy,
            limit = TAGGED
        )
        .key("search")
        .help("narrow it: set max_level and min_level, link columns, or coarsen long hierarchies")
    })
}
