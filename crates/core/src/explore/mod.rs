//! Explore: lists the lattice of a problem node by node: which nodes are safe, their losses, which
//! nodes OLA settles by predictive tagging, which are k-minimal, and which one was chosen
//! [El Emam 2009, "Methods"].
//!
//! Unlike a search it forms the classes of every node, so it costs nodes × classes, less the
//! savings of roll-ups from lower nodes; at most [`LISTED`] nodes. Threads take runs of neighbouring
//! nodes. [`around`] lists only nodes near the chosen one, whatever the size of the lattice.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use crate::error::Result;
use crate::fault;
use crate::hierarchy::{Hierarchy, Spec, level_names};
use crate::lattice::{Lattice, Node};
use crate::model::check_complete;
use crate::policy::Policy;
use crate::search::{Evaluator, Problem, Solution, judged};
use crate::watch::{Counter, Stage, Watch};

/// The most nodes that are listed one by one.
pub const LISTED: u128 = 200_000;
/// Nodes that a thread takes at a time.
const RUN: usize = 32;

/// The node that a search settled on.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The search that chose it.
    pub algorithm: String,
    /// The node; none when no node is safe, or none was found.
    pub best: Option<Solution>,
    /// How much better an unseen node could be; 0 when the chosen one is proven to be the best.
    pub gap: f64,
}

/// A lattice, or the part of it around the chosen node.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explored {
    /// The quasi-identifiers, in the order of every node's levels.
    pub columns: Vec<String>,
    /// Column → level → what it is, such as "decade of birth"; empty where that is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub level_names: Vec<Vec<String>>,
    /// Positions of the columns that rise together; most columns are alone.
    pub steps: Vec<Vec<usize>>,
    /// Rows of the table.
    pub rows: u64,
    /// How many of them may be suppressed.
    pub max_suppressed: u64,
    /// The loss that is listed.
    pub loss: String,
    /// The search that chose.
    pub algorithm: String,
    /// Whether the chosen node is proven to be the best.
    pub optimal: bool,
    /// The nodes in numbers.
    pub summary: Summary,
    /// The nodes, in lexicographic order of their levels.
    pub nodes: Vec<NodeFacts>,
}

impl Explored {
    /// The same with the names of levels, which follow from the policy's hierarchies.
    #[must_use]
    pub fn named_by(mut self, policy: &Policy, problem: &Problem) -> Self {
        let names = |(name, hierarchy): (&String, &Hierarchy)| {
            let spec = policy.columns.get(name).map_or(Spec::Suppress, |column| column.hierarchy());
            level_names(&spec, name, hierarchy.height())
        };
        self.level_names = self.columns.iter().zip(&*problem.hierarchies).map(names).collect();
        self
    }

    /// A node's levels, each with its name where that says more than the number.
    pub fn levels_in_words(&self, node: &NodeFacts) -> String {
        let level = |(at, (column, &level)): (usize, (&String, &u8))| match self.level_name(at, level) {
            Some(name) => format!("{column} {level} ({name})"),
            None => format!("{column} {level}"),
        };
        let levels = self.columns.iter().zip(&node.levels).enumerate().map(level);
        levels.collect::<Vec<_>>().join(", ")
    }

    /// What a level of a column is, where that says more than its number.
    pub fn level_name(&self, column: usize, level: u8) -> Option<&str> {
        let name = self.level_names.get(column)?.get(usize::from(level))?;
        (level > 0 && !name.starts_with("level ")).then_some(name.as_str())
    }
}

/// The listed nodes in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Nodes of the whole lattice; the largest number stands for more.
    #[serde(with = "crate::release::nodes")]
    pub nodes: u128,
    /// Nodes listed.
    pub listed: u64,
    /// How far from the chosen node the list goes; none when it is the whole lattice.
    pub around: Option<u32>,
    /// Safe nodes.
    pub safe: u64,
    /// Nodes that OLA settles by predictive tagging; none if unknown.
    pub tagged: Option<u64>,
    /// k-minimal nodes.
    pub minimal: u64,
    /// Levels of the chosen node; none when no node is safe.
    pub chosen: Option<Vec<u8>>,
    /// By height, lowest first.
    pub heights: Vec<HeightFacts>,
}

/// The nodes of one height.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HeightFacts {
    /// The sum of the levels.
    pub height: u32,
    /// Nodes.
    pub nodes: u64,
    /// Safe ones.
    pub safe: u64,
    /// Those that OLA settles by prediction.
    pub tagged: u64,
    /// Those of them that are safe.
    pub tagged_safe: u64,
    /// k-minimal ones.
    pub minimal: u64,
    /// The least loss of a safe one.
    pub loss: Option<f64>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeFacts {
    /// One level per quasi-identifier.
    pub levels: Vec<u8>,
    /// Their sum.
    pub height: u32,
    /// Whether it needs no more suppression than is allowed.
    pub safe: bool,
    /// The rows that it needs suppressed.
    pub suppressed: u64,
    /// Its loss, with these rows suppressed.
    pub loss: f64,
    /// Whether OLA settles it by predictive tagging, without forming its classes; none if unknown.
    pub tagged: Option<bool>,
    /// Whether it is safe and no direct specialization of it is.
    pub minimal: bool,
    /// Whether the search chose it.
    pub chosen: bool,
}

/// Every node of the lattice.
///
/// # Errors
/// A lattice of more than [`LISTED`] nodes; [`crate::error::Kind::Cancelled`] when asked to stop.
pub fn explore(problem: &Problem, choice: &Choice, watch: &Watch) -> Result<Explored> {
    listable(problem)?;
    let nodes: Vec<Node> = problem.lattice.iter().collect();
    // A list that a time limit cut short would be wrong.
    let watch = &watch.clone().unlimited();
    // With a model that is not monotone, or levels that do not nest, nothing follows from another
    // node's verdict.
    let monotone = problem.nested() && problem.models.iter().all(|m| m.facts().monotone);
    let mut explored = list(problem, choice, watch, &nodes, None)?;
    if monotone {
        let safe: Vec<bool> = explored.nodes.iter().map(|node| node.safe).collect();
        explored.nodes.iter_mut().for_each(|node| node.tagged = Some(true));
        let formed = judged(&problem.lattice, &safe, watch);
        formed.into_iter().for_each(|node| explored.nodes[node].tagged = Some(false));
        watch.check()?;
        explored.summary = summary(&problem.lattice, &explored.nodes, None);
    }
    Ok(explored)
}

/// Whether a lattice can be listed node by node.
///
/// # Errors
/// A lattice of more than [`LISTED`] nodes, with what to do.
pub fn listable(problem: &Problem) -> Result<()> {
    let size = problem.lattice.nodes();
    if size > LISTED {
        return Err(fault!(
            Input,
            "explore.lattice-too-large",
            "the lattice has {nodes} nodes; {limit} can be listed",
            nodes = size,
            limit = LISTED
        )
        .key("columns")
        .help(
            "look at the nodes near the chosen one (--around 2), or narrow the lattice: set max_level and \
                 min_level, link columns, or coarsen long hierarchies",
        )
        .into());
    }
    Ok(())
}

/// The nodes within a number of steps of the chosen one; linked columns take a step together. Tags
/// are unknown, because they require a walk of the whole lattice.
///
/// # Errors
/// No chosen node, more than [`LISTED`] nodes; [`crate::error::Kind::Cancelled`] when asked to stop.
pub fn around(problem: &Problem, choice: &Choice, steps: u32, watch: &Watch) -> Result<Explored> {
    let Some(best) = &choice.best else {
        return Err(fault!(Unsolvable, "explore.no-chosen-node", "no node was chosen to look around").into());
    };
    let mut near = BTreeSet::from([best.node.clone()]);
    let mut rim = vec![best.node.clone()];
    for _ in 0..steps {
        let beside = |node: &Node| -> Vec<Node> {
            problem.lattice.successors(node).chain(problem.lattice.predecessors(node)).collect()
        };
        rim = rim.iter().flat_map(beside).filter(|node| near.insert(node.clone())).collect();
        if near.len() as u128 > LISTED {
            return Err(fault!(
                Input,
                "explore.too-many-nodes-around",
                "more than {limit} nodes are within {steps} steps",
                limit = LISTED,
                steps = steps
            )
            .help("ask for fewer steps: --around 1")
            .into());
        }
    }
    list(problem, choice, watch, &near.into_iter().collect::<Vec<_>>(), Some(steps))
}

/// Whether exploring costs so little that a report can have it: some tenths of a second.
pub fn cheap(problem: &Problem) -> bool {
    const NODES: u128 = 4_096;
    const WORK: u128 = 20_000_000;
    let nodes = problem.lattice.nodes();
    nodes <= NODES && nodes * problem.classes.len() as u128 <= WORK
}

fn list(
    problem: &Problem,
    choice: &Choice,
    watch: &Watch,
    nodes: &[Node],
    around: Option<u32>,
) -> Result<Explored> {
    let mut evaluator = Evaluator::new(problem);
    // A part of the lattice is no walk over boxes.
    let whole = if around.is_none() { evaluator.fork().walking() } else { evaluator.fork() };
    let best = choice.best.as_ref().map(|b| &b.node);
    let mut facts = judge_all(whole, nodes, watch)?;
    let chosen = facts.iter_mut().zip(nodes).filter(|(_, node)| Some(*node) == best);
    chosen.for_each(|(facts, _)| facts.chosen = true);
    let safe: HashMap<&Node, bool> =
        nodes.iter().zip(&facts).map(|(node, facts)| (node, facts.safe)).collect();
    for (node, facts) in nodes.iter().zip(&mut facts) {
        watch.check()?;
        facts.minimal = facts.safe && minimal(&problem.lattice, node, &safe, &mut evaluator);
    }
    check_complete(&problem.models)?;
    Ok(Explored {
        columns: problem.names.clone(),
        level_names: Vec::new(),
        steps: (0..problem.lattice.dimensions()).map(|d| problem.lattice.columns_along(d).to_vec()).collect(),
        rows: problem.classes.rows(),
        max_suppressed: problem.max_suppressed,
        loss: problem.loss.kind().key().to_owned(),
        algorithm: choice.algorithm.clone(),
        optimal: choice.best.is_some() && choice.gap == 0.0,
        summary: summary(&problem.lattice, &facts, around),
        nodes: facts,
    })
}

/// Judges nodes on all cores: a free thread takes the next [`RUN`] of them, in an order in which they
/// mostly roll up from each other.
fn judge_all(evaluator: Evaluator<'_>, nodes: &[Node], watch: &Watch) -> Result<Vec<NodeFacts>> {
    let done = Counter::new(watch, Stage::Exploring, Some(nodes.len() as u64));
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_cached_key(|&node| evaluator.walk_order(&nodes[node]));
    let next = AtomicUsize::new(0);
    let work = |_: usize| {
        let mut evaluator = evaluator.fork();
        let mut found = Vec::new();
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            let Some(some) = order.chunks(RUN).nth(run) else { return Ok(found) };
            for &node in some {
                done.one()?;
                found.push((node, judge_one(&mut evaluator, &nodes[node])));
            }
        }
    };
    let threads = rayon::current_num_threads().min(nodes.len().div_ceil(RUN));
    let found: Vec<Vec<(usize, NodeFacts)>> =
        (0..threads).into_par_iter().map(work).collect::<Result<_>>()?;
    let mut found: Vec<(usize, NodeFacts)> = found.into_iter().flatten().collect();
    found.sort_unstable_by_key(|(node, _)| *node);
    Ok(found.into_iter().map(|(_, facts)| facts).collect())
}

fn judge_one(evaluator: &mut Evaluator<'_>, node: &Node) -> NodeFacts {
    let judgement = evaluator.judge(node);
    NodeFacts {
        levels: node.levels().to_vec(),
        height: node.height(),
        safe: judgement.safe,
        suppressed: judgement.suppressed,
        loss: evaluator.solution(node).loss,
        tagged: None,
        minimal: false,
        chosen: false,
    }
}

/// Whether no direct specialization of a safe node is safe; those outside the list are judged.
fn minimal(
    lattice: &Lattice,
    node: &Node,
    safe: &HashMap<&Node, bool>,
    evaluator: &mut Evaluator<'_>,
) -> bool {
    lattice.predecessors(node).all(|below| match safe.get(&below) {
        Some(safe) => !safe,
        None => !evaluator.judge(&below).safe,
    })
}

fn summary(lattice: &Lattice, nodes: &[NodeFacts], around: Option<u32>) -> Summary {
    let mut heights: BTreeMap<u32, HeightFacts> = BTreeMap::new();
    for node in nodes {
        let at = heights.entry(node.height).or_default();
        let tagged = node.tagged == Some(true);
        at.height = node.height;
        at.nodes += 1;
        at.safe += u64::from(node.safe);
        at.tagged += u64::from(tagged);
        at.tagged_safe += u64::from(tagged && node.safe);
        at.minimal += u64::from(node.minimal);
        if node.safe {
            at.loss = Some(at.loss.map_or(node.loss, |least| least.min(node.loss)));
        }
    }
    let count = |of: fn(&NodeFacts) -> bool| nodes.iter().filter(|n| of(n)).count() as u64;
    let has_tags = nodes.first().is_some_and(|n| n.tagged.is_some());
    Summary {
        nodes: lattice.nodes(),
        listed: nodes.len() as u64,
        around,
        safe: count(|n| n.safe),
        tagged: has_tags.then(|| count(|n| n.tagged == Some(true))),
        minimal: count(|n| n.minimal),
        chosen: nodes.iter().find(|n| n.chosen).map(|n| n.levels.clone()),
        heights: heights.into_values().collect(),
    }
}
