//! From a policy to its grouped table, as every command needs it, and the lattice over that table.

use throng::error::Result;
use throng::explore::{self, Choice, Explored};
use throng::policy::Role;
use throng::sampling::Draw;
use throng::search::{self, Budget, Grouped, Outcome, Problem};

use crate::Engine;
use crate::error::stopped;
use crate::release::{PolicyFile, Stage, explain_delimiter, in_table};
use crate::source::Source;

/// Which lattice to explore and whom to tell.
pub struct Exploration<'a> {
    /// The policy.
    pub policy: &'a PolicyFile,
    /// Only nodes at most so many steps from the chosen one.
    pub around: Option<u32>,
    /// How often the user asked to stop.
    pub interrupts: &'a (dyn Fn() -> usize + Sync),
    /// Told how far it is.
    pub progress: &'a (dyn Fn(Stage) + Sync),
}

impl Engine {
    /// Finds the table of a policy and checks that they fit each other.
    pub(crate) fn open(&self, policy: &PolicyFile) -> Result<(Source, Vec<String>)> {
        let source = Source::open(&policy.policy.input, policy.folder())?;
        let columns = self.columns(&source)?;
        policy.policy.bind(&columns).map_err(|e| explain_delimiter(e, &source, &columns))?;
        Ok((source, columns))
    }

    /// Groups the quasi-identifiers of a table that was opened, and measures its targets, the sensitive columns
    /// that models judge or that have a level, and the columns of guarding nodes in the classes, of the rows that are
    /// drawn where a draw is given; and the population beside it, where models compare with one.
    pub(crate) fn group_quasi(
        &self,
        policy: &PolicyFile,
        (source, columns): (&Source, &[String]),
        draw: Option<&mut Draw>,
        progress: &dyn Fn(u64) -> Result<()>,
    ) -> Result<Grouped> {
        self.check_types(source, &policy.policy)?;
        let with = |role: Role| -> Vec<String> {
            let has = |name: &&String| policy.policy.columns.get(*name).is_some_and(|c| c.role == role);
            columns.iter().filter(has).cloned().collect()
        };
        let (quasi, mut measured) = (with(Role::Quasi), with(Role::Target));
        let judged = policy.policy.judged();
        let leveled: Vec<&str> = policy.policy.leveled().into_iter().map(|(name, _)| name).collect();
        let wanted = |name: &&String| {
            let asked = judged.contains(name.as_str()) || leveled.contains(&name.as_str());
            asked && !measured.contains(name)
        };
        let more: Vec<String> = columns.iter().filter(wanted).cloned().collect();
        measured.extend(more);
        let guards = policy.policy.guards();
        measured.extend(columns.iter().filter(|name| guards.contains(name.as_str())).cloned());
        let mut grouped = self
            .measure_drawn((source, draw), &quasi, &measured, progress)
            .map_err(|e| in_table(e, source))?;
        let read = grouped.tuples.rows();
        grouped.population = self.group_population(policy, &quasi, &|rows| progress(read + rows))?;
        Ok(grouped)
    }

    /// The grouped table of a policy. Calls `progress` with the rows so far, which may stop it.
    ///
    /// # Errors
    /// What cannot be read or does not fit.
    pub fn read(&self, policy: &PolicyFile, progress: &dyn Fn(u64) -> Result<()>) -> Result<Grouped> {
        let (source, columns) = self.open(policy)?;
        let mut draw = policy.draw(&source, policy.policy.search.seed)?;
        self.group_quasi(policy, (&source, &columns), draw.as_mut(), progress)
    }

    /// The lattice of a policy. When no node is safe it has no chosen node.
    ///
    /// # Errors
    /// What cannot be read or does not fit, a lattice too large to list; [`throng::error::Kind::Unsolvable`] when stopped.
    pub fn explore(&self, asked: &Exploration<'_>) -> Result<Explored> {
        let policy = &asked.policy.policy;
        let strategy = search::strategy(&policy.search.algorithm)?;
        let (source, columns) = self.open(asked.policy)?;
        let mut draw = asked.policy.draw(&source, policy.search.seed)?;
        let grouped = self.group_quasi(asked.policy, (&source, &columns), draw.as_mut(), &|rows| {
            (asked.progress)(Stage::Reading(rows));
            match (asked.interrupts)() {
                0 => Ok(()),
                _ => Err(stopped()),
            }
        })?;
        let load = |path: &str| asked.policy.load(path);
        let (problem, _) = Problem::new(policy, grouped, &load).map_err(|e| in_table(e, &source))?;
        if asked.around.is_none() {
            explore::listable(&problem)?;
        }
        let budget = Budget {
            cancelled: &|| (asked.interrupts)() > 0,
            progress: &|p| (asked.progress)(Stage::Searching(p)),
        };
        let (outcome, _) = search::solve(&problem, strategy, &budget)?;
        if (asked.interrupts)() > 0 {
            return Err(stopped());
        }
        let (best, gap) = match outcome {
            Outcome::Found { best, gap } => (Some(best), gap),
            Outcome::Infeasible { .. } | Outcome::Cancelled => (None, 0.0),
        };
        let choice = Choice { algorithm: strategy.name().into(), best, gap };
        match asked.around {
            Some(steps) => explore::around(&problem, &choice, steps, &budget),
            None => explore::explore(&problem, &choice, &budget),
        }
    }
}
