//! Reads the tables of an experiment and writes its results: all files or none.

use std::path::{Path, PathBuf};

use throng::compare::{Experiment, Table, TableSpec, expand};
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::policy::EXPERIMENT;
use throng::predict::{Commands, Guide, Place, Started};
use throng::watch::Watch;

use crate::Engine;
use crate::error::{unreadable, unwritable};
use crate::external::External;
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::policy_file::PolicyFile;
use crate::sink::{folder, write_atomically};
use crate::staging;

/// An experiment with where it came from.
#[derive(Debug, Clone)]
pub struct ExperimentFile {
    /// Its content.
    pub experiment: Experiment,
    /// Its text.
    pub text: String,
    /// Where it is.
    pub path: PathBuf,
}

impl ExperimentFile {
    /// Reads an experiment.
    ///
    /// # Errors
    /// A file that cannot be read, or an experiment with mistakes.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| unreadable(&name, &e))?;
        let text = EXPERIMENT.text(&name, &bytes)?;
        let experiment = Experiment::parse(text).map_err(|e| e.map(|f| f.file(&name)))?;
        Ok(ExperimentFile { experiment, text: text.to_owned(), path: path.to_owned() })
    }

    /// Gives faults about the experiment's keys their place in it.
    #[must_use]
    pub fn located(&self, error: Error) -> Error {
        let name = self.path.display().to_string();
        throng::policy::locate(error, &self.text)
            .map(|f| if f.place.span.is_some() && f.place.file.is_none() { f.file(&name) } else { f })
    }

    /// A path of the experiment: variables are replaced, and it is relative to the experiment.
    fn path_of(&self, path: &str) -> Result<PathBuf> {
        let expanded = expand(path, &|name| std::env::var(name).ok())?;
        Ok(self.folder().join(expanded))
    }

    /// Refuses, before any work, a folder for the results in which one of these files would be
    /// written over something. An earlier comparison, which has them all, is replaced.
    ///
    /// # Errors
    /// Policies that cannot be read, and what is wrong with the folder.
    pub fn check_folder(&self, to: &Path, names: &[&str], existing: Existing) -> Result<()> {
        if !to.is_dir() {
            return Ok(());
        }
        let paths: Vec<PathBuf> = names.iter().map(|name| to.join(name)).collect();
        let earlier = paths.iter().all(|path| path.is_file());
        let existing = if earlier { Existing::Replaced } else { existing };
        self.overwrite_guard()?.check(paths.iter().map(PathBuf::as_path), existing)
    }

    /// Everything that it reads.
    fn overwrite_guard(&self) -> Result<OverwriteGuard> {
        let mut guard = OverwriteGuard::default().and("the experiment", &self.path);
        for (i, spec) in self.experiment.tables.iter().enumerate() {
            let Some(policy) = &spec.policy else { continue };
            let read = self.policy(spec, policy, &format!("tables.{i}"))?;
            // It may be read as if it stood elsewhere.
            guard = guard.with(OverwriteGuard::of_policy(&read)).and("the policy", &self.path_of(policy)?);
        }
        let command = self.experiment.prediction.iter().flat_map(|prediction| &prediction.command);
        let named = command.map(|part| self.folder().join(part)).filter(|path| path.is_file());
        Ok(named.fold(guard, |guard, path| guard.and("a part of the model", &path)))
    }

    /// The folder that its paths are relative to.
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// What starts the commands of its models: that of a policy in the folder of the policy, its
    /// own in its folder.
    ///
    /// # Errors
    /// Policies that cannot be read.
    pub fn commands(&self) -> Result<ExperimentCommands> {
        let folder = |(i, spec): (usize, &TableSpec)| match &spec.policy {
            Some(policy) => Ok(self.policy(spec, policy, &format!("tables.{i}"))?.folder().to_owned()),
            None => Ok(PathBuf::new()),
        };
        let tables = self.experiment.tables.iter().enumerate().map(folder).collect::<Result<_>>()?;
        Ok(ExperimentCommands { tables, experiment: self.folder().to_owned() })
    }

    /// The policy of a table, as if it stood in the folder that its paths are relative to.
    fn policy(&self, spec: &TableSpec, policy: &str, key: &str) -> Result<PolicyFile> {
        let at = |part: &str| {
            let key = format!("{key}.{part}");
            move |error: Error| error.map(|fault| fault.key(&key))
        };
        let path = self.path_of(policy).map_err(at("policy"))?;
        let (mut file, _) = PolicyFile::read(&path)?;
        if let Some(folder) = &spec.folder {
            let folder = self.path_of(folder).map_err(at("folder"))?;
            file.path = folder.join(path.file_name().unwrap_or_default());
        }
        Ok(file)
    }
}

/// Starts the commands of an experiment's models.
#[derive(Debug, Clone)]
pub struct ExperimentCommands {
    /// The folders of the tables' policies.
    tables: Vec<PathBuf>,
    experiment: PathBuf,
}

impl Commands for ExperimentCommands {
    fn start(&self, started: Started<'_>) -> Result<Box<dyn Guide>> {
        let Started { command, place, seconds, features, watch, .. } = started;
        let (folder, key) = match place {
            Place::Policy(table) => (self.tables.get(table), "search.model.command"),
            Place::Experiment => (Some(&self.experiment), "prediction.command"),
        };
        let folder = folder.ok_or_else(|| Fault::bug("a table has no folder"))?;
        let external = External::new(command.to_vec(), folder, features, seconds, watch.clone());
        Ok(Box::new(external.named_by(key)))
    }
}

impl Engine {
    /// Reads or makes up the tables of an experiment.
    ///
    /// # Errors
    /// Tables that cannot be read or do not fit their policy, variables that are not set.
    pub fn tables(&self, file: &ExperimentFile, watch: &Watch) -> Result<Vec<Table>> {
        let table = |(i, spec): (usize, &TableSpec)| {
            watch.check()?;
            let name = spec.name.clone();
            match (&spec.policy, spec.synth) {
                (Some(policy), _) => {
                    let policy = file.policy(spec, policy, &format!("tables.{i}"))?;
                    let grouped = self.read(&policy, watch)?;
                    let asked = policy.policy.clone();
                    Ok(Table::new(name, asked, grouped, Box::new(move |path| policy.load(path))))
                }
                (None, Some(kind)) => {
                    Table::made_up(name, kind, spec.rows.unwrap_or(0), spec.seed.unwrap_or(1))
                }
                (None, None) => Err(Fault::bug("a table without rows passed the check").into()),
            }
        };
        file.experiment.tables.iter().enumerate().map(table).collect()
    }

    /// Writes files into a folder, which is made if it is not there. All of them are written under
    /// another name first and then given their own, so that a full disk leaves nothing behind.
    ///
    /// # Errors
    /// A folder that cannot be written to, and one in which the experiment would be written over.
    pub fn write_folder(&self, of: &ExperimentFile, to: &Path, files: &[(String, String)]) -> Result<()> {
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        // Other existing files were checked before the work.
        of.check_folder(to, &names, Existing::Replaced)?;
        self.write_results(to, files)
    }

    /// The same for files that were all checked before the work.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn write_results(&self, to: &Path, files: &[(String, String)]) -> Result<()> {
        let name = to.display().to_string();
        let fail = |e: &std::io::Error| unwritable(&name, e);
        let new = !to.exists();
        if !new && !to.is_dir() {
            return Err(fault!(System, "file.not-a-folder", "cannot be written: it is not a folder")
                .file(&name)
                .help("give another folder")
                .into());
        }
        let waiting = staging::Folder::new(folder(to)).map_err(|e| unwritable(&name, &e.kind()))?;
        for (file, text) in files {
            write_atomically(&waiting.path().join(file), text.as_bytes())
                .map_err(|e| e.map(|fault| fault.file(to.join(file).display().to_string())))?;
        }
        let _all_or_none = staging::publishing();
        if new {
            std::fs::create_dir(to).map_err(|e| fail(&e))?;
        }
        for (file, _) in files {
            std::fs::rename(waiting.path().join(file), to.join(file)).map_err(|e| fail(&e))?;
        }
        Ok(())
    }
}
