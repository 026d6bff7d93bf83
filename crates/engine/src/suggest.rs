//! Reads the table of a policy once and tries the policy with other settings.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use throng::error::Result;
use throng::search::{Grouped, Problem};
use throng::suggest::{self, Asked, Scope, Suggestion, candidates, narrowed};
use throng::watch::Watch;

use crate::Engine;
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::policy_file::{PolicyFile, in_table};

/// What to try.
pub struct Trial<'a> {
    /// The policy.
    pub policy: &'a PolicyFile,
    /// Which points, and for how long.
    pub scope: Scope,
    /// Reports progress. A request to finish ends it with the points so far.
    pub watch: Watch,
}

impl Trial<'_> {
    /// Refuses, before any work, files that would be written over something.
    ///
    /// # Errors
    /// What is there, or is read.
    pub fn check_files<'a>(
        &self,
        files: impl IntoIterator<Item = &'a Path>,
        existing: Existing,
    ) -> Result<()> {
        OverwriteGuard::of_policy(self.policy).release_of(self.policy).check(files, existing)
    }

    /// The same for a folder of results; an earlier comparison, which has them all, is replaced.
    ///
    /// # Errors
    /// As [`check_files`](Self::check_files).
    pub fn check_folder(&self, to: &Path, names: &[&str], existing: Existing) -> Result<()> {
        if !to.is_dir() {
            return Ok(());
        }
        let paths: Vec<PathBuf> = names.iter().map(|name| to.join(name)).collect();
        let earlier = paths.iter().all(|path| path.is_file());
        let existing = if earlier { Existing::Replaced } else { existing };
        self.check_files(paths.iter().map(PathBuf::as_path), existing)
    }
}

impl Engine {
    /// Tries a policy with other settings. Nothing is released.
    ///
    /// # Errors
    /// What cannot be read or does not fit;
    /// [`Kind::Cancelled`](throng::error::Kind::Cancelled) when asked to stop.
    pub fn suggest(&self, trial: &Trial<'_>) -> Result<Suggestion> {
        let (policy, watch) = (&trial.policy.policy, &trial.watch);
        suggest::check(policy, &trial.scope)?;
        let started = Instant::now();
        let problem = self.pose_with_classes(trial.policy, watch)?;
        watch.check()?;
        let limit = Duration::from_secs_f64(trial.scope.seconds);
        // The policy's own search may take half of the time, so that others are tried too.
        let half = started.elapsed() + limit.saturating_sub(started.elapsed()) / 2;
        let until = |end: Duration| watch.clone().limited(move || started.elapsed() >= end);
        let load = |path: &str| trial.policy.load(path);
        let clock = || started.elapsed().as_secs_f64();
        let asked = Asked {
            policy,
            problem: &problem,
            load: &load,
            scope: trial.scope.clone(),
            clock: &clock,
            first: until(half),
        };
        suggest::suggest(&asked, &until(limit))
    }

    /// The problem of a policy, with a column that a classifier can predict where there is one.
    fn pose_with_classes(&self, file: &PolicyFile, watch: &Watch) -> Result<Problem> {
        let policy = &file.policy;
        let (source, columns) = self.open(file, watch)?;
        self.check_types(&source, policy)?;
        let (quasi, mut measured) = policy.grouped_columns(&columns);
        let needed = measured.len();
        measured.extend(candidates(policy, &columns, &measured));
        let read = self
            .read_table(&source, policy, (&quasi, &measured), Vec::new(), watch)
            .map_err(|e| in_table(e, &source))?;
        let population = self.group_population(file, &quasi, watch)?;
        let grouped = Grouped { population, ..Grouped::new(quasi, measured, read.counted) };
        let grouped = narrowed(grouped, needed, &policy.input.null);
        let load = |path: &str| file.load(path);
        let (problem, _) =
            Problem::watched(policy, grouped, &load, watch).map_err(|e| in_table(e, &source))?;
        Ok(problem)
    }
}
