//! Decides what to release: from a policy and a grouped table to what every row becomes.
//!
//! This is the only place that knows which algorithm does what. [`choose`] runs it: a search of
//! levels, the same followed by rounds over the rows that it leaves unsafe, a method that forms
//! regions, or the best of several (`best.rs`). [`decide`] then works out what every class of the table becomes and proves that the
//! result is safe. A [`Decision`] owns all of it: release, comparison, exploration and report use
//! the same one.
//!
//! Costs the algorithm, and one pass over the classes and their cells.

mod assignment;
mod best;
mod facts;
mod figures;
mod holder;
mod maximize;
mod remedy;
mod scored;
mod useful;

pub use assignment::DecidedAssignment;
pub use facts::Circumstances;
pub use figures::Figures;
pub use holder::{DELETED, WriteText};
pub use maximize::{Maximized, decide_maximizing};
pub use scored::ModelErrors;

use std::collections::BTreeMap;

use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;
use crate::people::check_alike;
use crate::policy::{Form, Policy, Suppressed};
use crate::predict::{Fitted, Guide};
use crate::recode::{self, Local, OwnSets, Regional};
use crate::recoded::{Recoded, Released};
use crate::recoding::{Share, Steps};
use crate::registry::Algorithm;
use crate::release::{RegionFacts, Release, SearchFacts, StepFacts};
use crate::search::{self, Account, Evaluator, Outcome, Problem, Solution};
use crate::space::Guiding;
use crate::watch::Watch;

/// What an algorithm chose.
pub enum Choice {
    /// One level per column, for all rows.
    Levels(Solution),
    /// Nodes one after the other: rows that are unsafe at one go on to the next.
    Steps(Vec<Node>),
    /// Sets of rows that share their cells.
    Regions(Box<Regional>),
}

/// What an algorithm chose, and how it got there.
pub struct Chosen {
    /// The choice.
    pub choice: Choice,
    /// Its loss, as the policy measures it.
    pub loss: f64,
    /// How much less the best possible result could lose: 0 where none can, and the whole loss
    /// where no bound is known.
    pub gap: f64,
    /// Nodes that were checked and compared.
    pub account: Account,
    /// The algorithm whose result it is, where "best" chose it.
    pub method: Option<Algorithm>,
}

/// How rows are recoded.
#[derive(Debug)]
pub enum Way {
    /// All released rows are at one node.
    Levels(Node),
    /// Rows are released at several nodes, one after the other.
    Steps {
        /// The nodes, and which of them releases each class.
        steps: Steps,
        /// Whether steps after the first do nothing but suppress cells.
        stars: bool,
    },
    /// Rows are released in regions.
    Regions {
        /// Number of regions.
        count: u64,
        /// How cells of each column are written.
        forms: Vec<Form>,
        /// Whether rows of equal values are in several regions.
        parted: bool,
        /// Which rows of each class are in which region, by class and then region.
        shares: Vec<Share>,
        /// The sets that regions have their cells in common with, where these overlap.
        own: Option<OwnSets>,
    },
}

/// What is to be released.
#[derive(Debug)]
#[non_exhaustive]
pub struct Decision {
    /// How rows are recoded.
    pub way: Way,
    /// What every class of the table becomes.
    pub recoded: Recoded,
    /// The classes of the release, proven to be safe.
    pub released: Released,
    /// The loss, as the policy measures it.
    pub loss: f64,
    /// How it was found. The caller, who has a clock, sets the seconds.
    pub search: SearchFacts,
    /// The errors of the policy's model, and the loss that follows from them.
    pub model: Option<ModelErrors>,
}

/// Decides what to release. `guide` is the policy's model where that is not built in: it guides a
/// method, or only measures the result.
///
/// # Errors
/// An algorithm that is not defined for the policy;
/// [`Kind::Unsolvable`](crate::error::Kind::Unsolvable) where nothing safe is within the limits;
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) where the watch stops it before there is a
/// result.
pub fn decide(
    policy: &Policy,
    problem: &Problem,
    guide: Option<&dyn Guide>,
    watch: &Watch,
) -> Result<Decision> {
    let fitted = if guide.is_none() { fitted(policy, problem)? } else { None };
    let guide = guide.or(fitted.as_ref().map(|fitted| fitted as &dyn Guide));
    let mut decision = decide_again(policy, problem, guide, watch)?;
    if let Some(guide) = guide {
        decision.score(policy, problem, guide)?;
    }
    Ok(decision)
}

/// The same decision without the errors of the model, to know what the rows of a release became.
/// A model that does not guide is not needed.
///
/// # Errors
/// As [`decide`].
pub fn decide_again(
    policy: &Policy,
    problem: &Problem,
    guide: Option<&dyn Guide>,
    watch: &Watch,
) -> Result<Decision> {
    let chosen = choose(policy, problem, guide, watch)?;
    Decision::new(policy, problem, chosen, &watch.acknowledge())
}

/// The same decision by the facts of a certificate: of the methods that "best" can choose only the
/// one that was chosen runs.
///
/// # Errors
/// As [`decide`].
pub fn decide_as_certified(
    policy: &Policy,
    problem: &Problem,
    guide: Option<&dyn Guide>,
    certified: &SearchFacts,
    watch: &Watch,
) -> Result<Decision> {
    let method = certified.method.as_deref().and_then(Algorithm::from_key);
    let method = method.filter(|method| runs_best(policy) && best::MEMBERS.contains(method));
    let chosen = match method {
        Some(method) => useful::best(policy, problem, &[method], watch)?,
        None => choose(policy, problem, guide, watch)?,
    };
    Decision::new(policy, problem, chosen, &watch.acknowledge())
}

/// The same decision where a certificate states the levels: what every class becomes follows from
/// them without a search.
///
/// # Errors
/// Levels that the hierarchies do not have.
pub fn decide_at_levels(
    policy: &Policy,
    problem: &Problem,
    certified: &Release,
    watch: &Watch,
) -> Result<Decision> {
    let node = |levels: &BTreeMap<String, usize>| {
        let level = |(name, hierarchy): (&String, &Hierarchy)| {
            let level = levels.get(name).copied().filter(|level| *level <= hierarchy.height());
            let unknown = || {
                fault!(
                    Input,
                    "certificate.unknown-level",
                    "the certificate has no level of `{column}` that its hierarchy has",
                    column = name
                )
                .help("verify with the policy and the hierarchies that were released with")
            };
            let level = level.and_then(|level| u8::try_from(level).ok());
            level.ok_or_else(|| Error::from(unknown()))
        };
        let levels: Result<Vec<u8>> =
            problem.names.iter().zip(problem.hierarchies.iter()).map(level).collect();
        Ok::<Node, Error>(Node::new(levels?))
    };
    let rescued = policy.output.suppressed == Suppressed::Cells;
    let choice = match certified.steps.len() {
        0..=1 => Choice::Levels(Solution { node: node(&certified.levels)?, loss: 0.0, suppressed: 0 }),
        // Which cells are suppressed follows from the first step.
        _ if rescued => {
            Choice::Levels(Solution { node: node(&certified.steps[0].levels)?, loss: 0.0, suppressed: 0 })
        }
        _ => Choice::Steps(certified.steps.iter().map(|step| node(&step.levels)).collect::<Result<_>>()?),
    };
    let chosen = Chosen { choice, loss: 0.0, gap: 0.0, account: Account::default(), method: None };
    Decision::new(policy, problem, chosen, &watch.acknowledge())
}

/// The same levels on a table that lacks some rows of the one for which they were found, or by a
/// problem with fewer models. How far another choice could improve on that is not known.
///
/// # Errors
/// Regions, which are not levels; levels that the hierarchies do not have; more rows suppressed
/// than may be; as [`Decision::new`].
pub fn decide_at_levels_of(
    policy: &Policy,
    problem: &Problem,
    found: &Decision,
    watch: &Watch,
) -> Result<Decision> {
    let node = |node: &Node| -> Result<Node> {
        let fits = problem.hierarchies.iter().enumerate().all(|(i, h)| node.level(i) <= h.height());
        fits.then(|| node.clone()).ok_or_else(|| Fault::bug("a hierarchy lost levels").into())
    };
    let at = |node: Node| Choice::Levels(Solution { node, loss: 0.0, suppressed: 0 });
    let choice = match &found.way {
        Way::Levels(levels) => at(node(levels)?),
        // Which cells are suppressed follows from the first step.
        Way::Steps { steps, stars: true } => at(node(&steps.nodes()[0])?),
        Way::Steps { steps, .. } => Choice::Steps(steps.nodes().iter().map(node).collect::<Result<_>>()?),
        Way::Regions { .. } => return Err(Fault::bug("regions are not levels").into()),
    };
    let account = Account { checked: found.search.checked, ..Account::default() };
    let method = found.search.method.as_deref().and_then(Algorithm::from_key);
    let chosen = Chosen { choice, loss: 0.0, gap: 0.0, account, method };
    let mut decision = Decision::new(policy, problem, chosen, &watch.acknowledge())?;
    if decision.recoded.suppressed_rows() > problem.max_suppressed {
        return Err(remedy::infeasible(problem, decision.recoded.suppressed_rows()));
    }
    decision.loss = figures::loss_of(policy, problem, &decision.recoded, &decision.node(problem))?;
    (decision.search.optimal, decision.search.gap) = (false, decision.loss);
    Ok(decision)
}

/// Whether the best of several methods is chosen.
fn runs_best(policy: &Policy) -> bool {
    policy.search.algorithm == Algorithm::Best && policy.forms_regions()
}

/// The policy's model, fitted to the table, if it is built in.
fn fitted(policy: &Policy, problem: &Problem) -> Result<Option<Fitted>> {
    let Some(spec) = &policy.search.model else { return Ok(None) };
    let Some(name) = &spec.builtin else { return Ok(None) };
    problem.fitted(policy, name, problem.features(spec), &problem.predicted(spec)?).map(Some)
}

/// Runs the algorithm that a policy asks for.
///
/// # Errors
/// As [`decide`].
pub fn choose(
    policy: &Policy,
    problem: &Problem,
    guide: Option<&dyn Guide>,
    watch: &Watch,
) -> Result<Chosen> {
    if runs_best(policy) {
        useful::best(policy, problem, &best::MEMBERS, watch)
    } else if policy.forms_regions() {
        useful::regions(policy, problem, watch, &|forming| {
            choose_regions(policy, forming, problem, guide, watch)
        })
    } else {
        choose_levels(policy, problem, watch)
    }
}

/// Runs the algorithm that a policy asks for, of several methods only the first, and without
/// refining its regions: "best" only improves on that.
///
/// # Errors
/// As [`decide`].
pub fn choose_first(policy: &Policy, problem: &Problem, watch: &Watch) -> Result<Chosen> {
    if !runs_best(policy) {
        return choose(policy, problem, None, watch);
    }
    let mut policy = policy.clone();
    policy.search.mondrian.get_or_insert_default().refine = Some(false);
    useful::best(&policy, problem, &best::MEMBERS[..1], watch)
}

fn choose_levels(policy: &Policy, problem: &Problem, watch: &Watch) -> Result<Chosen> {
    let algorithm = policy.search.algorithm.of_levels();
    let method = (algorithm != policy.search.algorithm).then_some(algorithm);
    let strategy = search::strategy(algorithm)?;
    let first = watch.within(if policy.search.local { search::FIRST } else { 1.0 });
    let (mut outcome, mut account) = search::solve(problem, strategy, &first)?;
    if matches!(outcome, Outcome::Cancelled) && !watch.should_finish() {
        (outcome, account) = search::solve(problem, strategy, watch)?;
    }
    let bounded = problem.utility.is_some();
    let (best, gap) = match outcome {
        Outcome::Found { best, gap } => (best, gap),
        Outcome::Cancelled => return Err(remedy::stopped_before_a_result(watch)),
        Outcome::Infeasible { .. } if policy.search.local && bounded => {
            return useful::rounds(policy, problem, (strategy, method), (None, account), watch);
        }
        Outcome::Infeasible { least } => return Err(remedy::infeasible(problem, least)),
    };
    if !policy.search.local {
        return Ok(Chosen { loss: best.loss, choice: Choice::Levels(best), gap, account, method });
    }
    if bounded {
        return useful::rounds(policy, problem, (strategy, method), (Some(best), account), watch);
    }
    let weights = policy.weights(&problem.names);
    let loss = policy.search.loss.parameters();
    let rounds = search::local(problem, (&loss, &weights), strategy, &best, watch)?;
    account.checked += rounds.account.checked;
    account.compared += rounds.account.compared;
    let choice = match rounds.nodes.len() {
        1 => Choice::Levels(best),
        _ => Choice::Steps(rounds.nodes),
    };
    // No bound is known on what other rounds would cost.
    Ok(Chosen { choice, loss: rounds.loss, gap: rounds.loss, account, method })
}

/// Forms regions by one policy, which differs from the other in weights alone, and measures them by
/// the other.
fn choose_regions(
    policy: &Policy,
    forming: &Policy,
    problem: &Problem,
    guide: Option<&dyn Guide>,
    watch: &Watch,
) -> Result<Chosen> {
    let Some(spec) = policy.search.model.as_ref().filter(|spec| spec.guides) else {
        return in_regions(policy, problem, recode::regions(forming, &problem.ground(), watch)?, watch);
    };
    let fitted = if guide.is_none() { fitted(policy, problem)? } else { None };
    let guide = guide.or(fitted.as_ref().map(|fitted| fitted as &dyn Guide));
    let guide = guide.ok_or_else(|| Fault::bug("a model that is not built in is missing"))?;
    let predicted = problem.predicted(spec)?;
    let guiding = Guiding { guide, target: predicted.column, numbers: &predicted.labels.numbers };
    let formed = recode::guided_regions(forming, &problem.ground(), guiding, watch)?;
    in_regions(policy, problem, formed, watch)
}

/// Runs the algorithm that a policy asks for, guided by a model that the policy does not name.
///
/// # Errors
/// As [`decide`], and an algorithm that no model guides.
pub fn choose_guided(
    policy: &Policy,
    problem: &Problem,
    guiding: Guiding<'_>,
    watch: &Watch,
) -> Result<Chosen> {
    let formed = recode::guided_regions(policy, &problem.ground(), guiding, watch)?;
    in_regions(policy, problem, formed, watch)
}

/// Regions that were formed, and what they lose.
fn in_regions(policy: &Policy, problem: &Problem, formed: Option<Regional>, watch: &Watch) -> Result<Chosen> {
    let regional = formed.ok_or_else(|| remedy::stopped_before_a_result(watch))?;
    let loss = figures::loss_of(policy, problem, &regional.recoded, &problem.lattice.bottom())?;
    // No bound is known on what other regions would cost.
    let choice = Choice::Regions(Box::new(regional));
    Ok(Chosen { choice, loss, gap: loss, account: Account::default(), method: None })
}

impl Decision {
    /// Works out what a choice does to every class, and proves that the result is safe.
    ///
    /// # Errors
    /// A model under which rows of several steps cannot be put together;
    /// [`Kind::Unsolvable`](crate::error::Kind::Unsolvable) where a model that must not influence
    /// the choice is not met by it; [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to
    /// stop.
    pub fn new(policy: &Policy, problem: &Problem, chosen: Chosen, watch: &Watch) -> Result<Self> {
        let Chosen { choice, loss, gap, account, method } = chosen;
        let search = SearchFacts {
            algorithm: policy.search.algorithm.to_string(),
            method: method.map(|method| method.to_string()),
            reason: policy.needs_levels(),
            k: None,
            nodes: if policy.forms_regions() { 0 } else { problem.lattice.nodes() },
            checked: account.checked,
            optimal: gap == 0.0,
            gap,
            seconds: 0.0,
        };
        let (way, recoded, released) = match choice {
            Choice::Levels(best) => at_node(policy, problem, best.node, watch)?,
            Choice::Steps(nodes) => {
                let Problem { classes, hierarchies, models, .. } = problem;
                of_steps(recode::stepped(classes, hierarchies, models, nodes, false)?)
            }
            Choice::Regions(regional) => of_regions(*regional),
        };
        let mut decision = Decision { way, recoded, released, loss, search, model: None };
        if let Way::Steps { stars: true, .. } = decision.way {
            // Rows that are released with suppressed cells cost more than the node that was found.
            decision.loss = figures::loss_of(policy, problem, &decision.recoded, &decision.node(problem))?;
        }
        remedy::unmet(&decision.claims(problem)?)?;
        remedy::too_wide(&decision.bounded(problem)?)?;
        if let (Some(limit), Some(facts)) = (problem.people, decision.people(policy)) {
            limit.check(&facts)?;
            check_alike(policy, &facts)?;
        }
        Ok(decision)
    }

    /// Measures what was decided with the policy's model, if it has one.
    ///
    /// # Errors
    /// Those of the model.
    pub fn score(&mut self, policy: &Policy, problem: &Problem, guide: &dyn Guide) -> Result<()> {
        if let Some(spec) = &policy.search.model {
            self.model = scored::errors(problem, spec, guide, &self.recoded)?;
        }
        Ok(())
    }

    /// The node of the released rows, of the first step, or the lattice's bottom where rows are in
    /// regions.
    pub fn node(&self, problem: &Problem) -> Node {
        match &self.way {
            Way::Levels(node) => node.clone(),
            Way::Steps { steps, .. } => steps.nodes()[0].clone(),
            Way::Regions { .. } => problem.lattice.bottom(),
        }
    }

    /// Quasi-identifier → level; with several steps, at the first; with regions, none.
    pub fn levels(&self, names: &[String]) -> BTreeMap<String, usize> {
        let node = match &self.way {
            Way::Levels(node) => node,
            Way::Steps { steps, .. } => &steps.nodes()[0],
            Way::Regions { .. } => return BTreeMap::new(),
        };
        names.iter().enumerate().map(|(i, name)| (name.clone(), node.level(i))).collect()
    }

    /// The steps as a certificate states them; none for one node and for regions.
    pub fn step_facts(&self, names: &[String], hierarchies: &[Hierarchy]) -> Vec<StepFacts> {
        let Way::Steps { steps, stars } = &self.way else { return Vec::new() };
        let rows = steps.rows(self.recoded.base());
        let facts = |(step, node): (usize, &Node)| StepFacts {
            levels: names.iter().enumerate().map(|(i, name)| (name.clone(), node.level(i))).collect(),
            rows: rows[step],
            starred: match stars {
                true => rows[step] * steps.starred(step, hierarchies).len() as u64,
                false => 0,
            },
        };
        steps.nodes().iter().enumerate().map(facts).collect()
    }

    /// The sets that regions have their cells in common with, where these overlap.
    pub fn own_sets(&self) -> Option<&OwnSets> {
        match &self.way {
            Way::Regions { own, .. } => own.as_ref(),
            Way::Levels(_) | Way::Steps { .. } => None,
        }
    }

    /// The regions as a certificate states them.
    pub fn region_facts(&self, names: &[String]) -> Option<RegionFacts> {
        let Way::Regions { count, forms, parted, .. } = &self.way else { return None };
        let forms = names.iter().cloned().zip(forms.iter().copied()).collect();
        Some(RegionFacts { count: *count, forms, parted: *parted })
    }
}

fn at_node(
    policy: &Policy,
    problem: &Problem,
    node: Node,
    watch: &Watch,
) -> Result<(Way, Recoded, Released)> {
    let Problem { classes, hierarchies, lattice, models, .. } = problem;
    let released = Evaluator::measuring(problem).released(node.clone())?;
    let (view, flags) = (released.view(), released.flags());
    if policy.output.suppressed == Suppressed::Cells
        && let Some(local) = recode::local(classes, (&view, flags), lattice, models, watch)?
    {
        return Ok(of_steps(local));
    }
    let recoded = Recoded::of_node(classes, hierarchies, &node, &view.flagged_members(flags))?;
    Ok((Way::Levels(node), recoded, released))
}

fn of_steps(local: Local) -> (Way, Recoded, Released) {
    let Local { steps, recoded, released, stars } = local;
    (Way::Steps { steps, stars }, recoded, released)
}

fn of_regions(regional: Regional) -> (Way, Recoded, Released) {
    let Regional { shares, forms, recoded, released, parted, own } = regional;
    let count = shares.iter().map(|share| u64::from(share.region) + 1).max().unwrap_or(0);
    (Way::Regions { count, forms, parted, shares, own }, recoded, released)
}
