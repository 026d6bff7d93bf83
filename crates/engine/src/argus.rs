//! Reads the table that `throng argus` works on, and writes what it was made into: staged and
//! renamed as a release is, with the verdict beside it in place of a certificate.
//!
//! One pass to read and one to write.

use std::path::{Path, PathBuf};

use throng::argus::{self, Argus, Paper, Subject};
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::{Format, Role};
use throng::release::{FileFacts, PolicyFacts};
use throng::search::{self, Problem};
use throng::table::{Code, Dictionary};
use throng::watch::Watch;

use crate::Engine;
use crate::digest::Digesting;
use crate::leveled::Leveled;
use crate::notes::TextColumns;
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::paths::Staging;
use crate::policy_file::{PolicyFile, in_table};
use crate::prepare::GroupedRead;
use crate::shift::Shifts;
use crate::source::Source;
use crate::substitute::{self, Substitutes};
use crate::transform::Transform;

/// A table that was read to be worked on.
pub struct Held {
    policy: PolicyFile,
    source: Source,
    problem: Problem,
    /// Column → code of the table's dictionary → leaf.
    maps: Vec<Vec<Code>>,
    /// Of the quasi-identifiers.
    dictionaries: Vec<Dictionary>,
    leveled: Leveled,
    substitutes: Substitutes,
    rows: u64,
}

impl Held {
    /// Begins to work on it.
    ///
    /// # Errors
    /// As [`Argus::new`].
    pub fn begin(&self) -> Result<Argus<'_>> {
        let Problem { names, hierarchies, classes, lattice, .. } = &self.problem;
        Argus::new(&self.policy.policy, Subject { names, hierarchies, classes, lattice })
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Where the verdict of a table that is written goes.
    pub fn verdict_path(output: &Path) -> PathBuf {
        output.with_extension("verdict.json")
    }

    /// Refuses a place that cannot be written to, or where something else is, above all a certified
    /// release.
    ///
    /// # Errors
    /// The errors.
    pub fn check_output(&self, output: &Path, existing: Existing) -> Result<()> {
        let verdict = Held::verdict_path(output);
        let name = output.display().to_string();
        Format::of_output(&name).map_err(|fault| fault.file(&name))?;
        let mut guard = OverwriteGuard::of_policy(&self.policy).release_of(&self.policy);
        let mut faults = Vec::new();
        for path in [output, &verdict] {
            faults.extend(guard.claim(path, "the table that it is the verdict of", existing));
        }
        let certificate = output.with_extension("certificate.json");
        if certificate.exists() {
            faults.push(
                fault!(
                    Input,
                    "argus.name-of-release",
                    "has the name of a certified release, which this is not"
                )
                .file(name)
                .help(format!("{} is there; give it another name", certificate.display())),
            );
        }
        throng::error::Error::check(faults)
    }
}

impl Engine {
    /// Reads the table of a policy to be worked on.
    ///
    /// # Errors
    /// What cannot be read or does not fit.
    pub fn hold(&self, policy: &PolicyFile, watch: &Watch) -> Result<Held> {
        let (source, columns) = self.open(policy, watch)?;
        let source = source.digested(Digesting::WithOrder);
        let quasi = |name: &&String| policy.policy.columns.get(*name).is_some_and(|c| c.role == Role::Quasi);
        let quasi: Vec<String> = columns.iter().filter(quasi).cloned().collect();
        argus::check(&policy.policy, &quasi)?;
        let keys = policy.keys()?;
        let replaced = substitute::replaced(&policy.policy, &keys);
        let seed = policy.policy.search.seed;
        let table = self.read_grouped(policy, (&source, &columns), seed, replaced, watch)?;
        let GroupedRead { grouped, originals, .. } = table;
        let rows = grouped.tuples.rows();
        let load = |path: &str| policy.load(path);
        let (dictionaries, measured) = grouped.dictionaries.split_at(quasi.len());
        let leveled = search::leveled(&policy.policy, &grouped, &load).map_err(|e| in_table(e, &source))?;
        let leveled = Leveled::new(leveled, (&grouped.measured, measured))?;
        let dictionaries = dictionaries.to_vec();
        let (problem, maps) =
            Problem::watched(&policy.policy, grouped, &load, watch).map_err(|e| in_table(e, &source))?;
        let substitutes = Substitutes::new(keys, originals, (&source, seed), watch)?;
        let policy = policy.clone();
        Ok(Held { policy, source, problem, maps, dictionaries, leveled, substitutes, rows })
    }

    /// Writes the table as it is now, and its verdict beside it; both or neither.
    ///
    /// # Errors
    /// As [`Held::check_output`], and what cannot be read or written.
    pub fn write_argus(
        &self,
        held: &Held,
        argus: &Argus<'_>,
        (output, existing): (&Path, Existing),
        watch: &Watch,
    ) -> Result<Paper> {
        held.check_output(output, existing)?;
        let stage = Staging::of(output)?;
        let waiting = stage.output.display().to_string();
        let written = self.transform(&Transform {
            row_classes: None,
            source: &held.source,
            policy: &held.policy.policy,
            recoding: &argus.recoding(&held.maps),
            dictionaries: &held.dictionaries,
            substitutes: &held.substitutes,
            shifts: &Shifts::default(),
            texts: &TextColumns::default(),
            leveled: &held.leveled,
            deletion: held.problem.deletion.as_ref(),
            sampled: None,
            rows: held.rows,
            seed: held.policy.policy.search.seed,
            output: &stage.output,
            watch,
        });
        let written = written.map_err(|e| {
            e.map(|fault| match &fault.place.file {
                Some(file) if *file == waiting => fault.file(output.display().to_string()),
                _ => fault,
            })
        })?;
        let paper = Paper {
            certified: false,
            verdict: argus.verdict()?,
            steps: argus.steps(),
            input: FileFacts {
                path: held.policy.policy.input.path.clone(),
                sha256: held.source.digests(watch)?.published.clone(),
                rows: held.rows,
            },
            output: FileFacts {
                path: output.display().to_string(),
                sha256: written.sha256,
                rows: written.rows,
            },
            policy: PolicyFacts { sha256: held.policy.sha256.clone() },
            seed: held.policy.policy.search.seed,
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let json = serde_json::to_string_pretty(&paper).map_err(|e| Fault::bug(e.to_string()))?;
        stage.place(output, vec![(&Held::verdict_path(output), json + "\n")])?;
        Ok(paper)
    }
}
