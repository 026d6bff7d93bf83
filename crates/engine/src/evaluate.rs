//! Reads the table of a policy once and evaluates what models learn from its releases.

use std::path::Path;
use std::time::{Duration, Instant};

use throng::error::Result;
use throng::evaluate::{self, Asked, Evaluation, Scope, needed};
use throng::search::Grouped;
use throng::watch::Watch;

use crate::Engine;
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::policy_file::{PolicyFile, in_table};

/// What to evaluate.
pub struct Evaluating<'a> {
    /// The policy.
    pub policy: &'a PolicyFile,
    /// Target, settings and models.
    pub scope: Scope,
    /// Reports progress. A request to finish ends it with the settings so far.
    pub watch: Watch,
}

impl Evaluating<'_> {
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
}

impl Engine {
    /// Evaluates what models learn from releases of a policy's table. Nothing is released.
    ///
    /// # Errors
    /// What cannot be read or does not fit; a target that cannot be predicted;
    /// [`Kind::Cancelled`](throng::error::Kind::Cancelled) when asked to stop.
    pub fn evaluate(&self, evaluating: &Evaluating<'_>) -> Result<Evaluation> {
        let Evaluating { policy: file, scope, watch } = evaluating;
        let (source, columns) = self.open(file, watch)?;
        self.check_types(&source, &file.policy)?;
        let needed = needed(&file.policy, &columns, scope)?;
        let read = self
            .read_table(&source, &needed.policy, (&needed.quasi, &needed.measured), Vec::new(), watch)
            .map_err(|e| in_table(e, &source))?;
        let population = self.group_population(file, &needed.quasi, watch)?;
        let grouped = Grouped {
            population,
            ..Grouped::new(needed.quasi.clone(), needed.measured.clone(), read.counted)
        };
        let load = |path: &str| file.load(path);
        // The selection has its seconds for itself, counted from its first question on.
        let started = std::sync::OnceLock::<Instant>::new();
        let limit = scope.seconds.map(Duration::from_secs_f64);
        let selecting = watch
            .clone()
            .limited(move || limit.is_some_and(|limit| started.get_or_init(Instant::now).elapsed() >= limit));
        let asked = Asked { needed: &needed, grouped: &grouped, load: &load, scope, selecting };
        evaluate::evaluate(&asked, watch).map_err(|e| in_table(e, &source))
    }
}
