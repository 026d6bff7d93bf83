//! The lattice over the table of a policy, node by node.

use throng::decide::{Choice, choose};
use throng::error::{Kind, Result};
use throng::explore::{self, Explored};
use throng::policy::Policy;
use throng::search::{self, Problem};
use throng::watch::Watch;

use crate::Engine;
use crate::policy_file::{PolicyFile, in_table};

/// Which lattice to explore.
pub struct Exploration<'a> {
    /// The policy.
    pub policy: &'a PolicyFile,
    /// Only nodes within a number of steps of the chosen one.
    pub around: Option<u32>,
    /// Reports progress, and may stop it.
    pub watch: Watch,
}

impl Engine {
    /// The lattice of a policy. When no node is safe it has no chosen node.
    ///
    /// # Errors
    /// What cannot be read or does not fit, a lattice too large to list;
    /// [`throng::error::Kind::Cancelled`] when asked to stop.
    pub fn explore(&self, asked: &Exploration<'_>) -> Result<Explored> {
        let (policy, watch) = (&asked.policy.policy, &asked.watch);
        let strategy = search::strategy(policy.search.algorithm.of_levels())?;
        let (source, columns) = self.open(asked.policy, watch)?;
        let seed = policy.search.seed;
        let grouped = self.read_grouped(asked.policy, (&source, &columns), seed, Vec::new(), watch)?.grouped;
        let load = |path: &str| asked.policy.load(path);
        let (problem, _) =
            Problem::watched(policy, grouped, &load, watch).map_err(|e| in_table(e, &source))?;
        if asked.around.is_none() {
            explore::listable(&problem)?;
        }
        // Rounds over unsafe rows have no place in a lattice.
        let mut levels: Policy = policy.for_levels();
        levels.search.local = false;
        levels.check()?;
        let chosen = match choose(&levels, &problem, None, watch) {
            Err(error) if error.is_all(Kind::Unsolvable) => None,
            chosen => Some(chosen?),
        };
        watch.check()?;
        let gap = chosen.as_ref().map_or(0.0, |chosen| chosen.gap);
        let best = chosen.and_then(|chosen| match chosen.choice {
            Choice::Levels(best) => Some(best),
            Choice::Steps(_) | Choice::Regions(_) => None,
        });
        let choice = explore::Choice { algorithm: strategy.name().into(), best, gap };
        let explored = match asked.around {
            Some(steps) => explore::around(&problem, &choice, steps, watch),
            None => explore::explore(&problem, &choice, watch),
        };
        explored.map(|explored| explored.named_by(policy, &problem))
    }
}
