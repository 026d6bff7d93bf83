//! The population that a policy names, read like an input: grouped for the search, and once more for the verifier.
//!
//! Only the quasi-identifiers are read. It is laid out like the input (delimiter, quote, encoding, missing cells);
//! its own name tells the format. One scan each time, one batch in memory.

use throng::error::{Error, Fault, Result};
use throng::policy::{Format, Input, Policy, Role};
use throng::release::FileFacts;
use throng::search::Population;
use throng::verify::Verifier;

use crate::Engine;
use crate::cells::unfit;
use crate::digest::digest_files;
use crate::release::PolicyFile;
use crate::source::Source;

impl PolicyFile {
    /// Finds the population that models compare with, where the policy names one.
    ///
    /// # Errors
    /// As [`Source::open`], at the policy's key.
    pub(crate) fn population(&self) -> Result<Option<Source>> {
        let Some((key, path)) = self.policy.population() else { return Ok(None) };
        let input = &self.policy.input;
        let input =
            Input { path: path.to_owned(), format: Format::of_path(path).or(input.format), ..input.clone() };
        Source::open(&input, self.folder()).map(Some).map_err(|e| e.map(|fault| fault.key(&key)))
    }
}

impl Engine {
    /// Groups the population by the quasi-identifiers, in the table's order. Calls `progress` with the rows so far,
    /// which may stop it.
    pub(crate) fn group_population(
        &self,
        policy: &PolicyFile,
        quasi: &[String],
        progress: &dyn Fn(u64) -> Result<()>,
    ) -> Result<Option<Population>> {
        let Some(source) = policy.population()? else { return Ok(None) };
        self.check_population(&source, &policy.policy)?;
        let grouped = self.group(&source, quasi, progress)?;
        Ok(Some(Population { dictionaries: grouped.dictionaries, tuples: grouped.tuples }))
    }

    /// The population must have every quasi-identifier, in a form that is text.
    fn check_population(&self, source: &Source, policy: &Policy) -> Result<()> {
        let schema = self.schema(source)?;
        let key = policy.population().map(|(key, _)| key).unwrap_or_default();
        let fault = |name: &str| match schema.fields().iter().find(|field| field.name() == name) {
            Some(field) => unfit(name, field.data_type()).map(|fault| fault.file(&source.name)),
            None => Some(
                Fault::input(format!("the population has no column `{name}`"))
                    .file(&source.name)
                    .key(&key)
                    .help("give a table with every quasi-identifier of the policy, by the same names"),
            ),
        };
        Error::check(policy.with_role(Role::Quasi).into_iter().filter_map(fault).collect())
    }

    /// What a certificate says of the population.
    pub(crate) fn population_facts(&self, policy: &PolicyFile, people: u64) -> Result<Option<FileFacts>> {
        let Some(source) = policy.population()? else { return Ok(None) };
        let sha256 = digest_files(&source.files)?;
        Ok(Some(FileFacts { path: source.name.clone(), sha256, rows: people }))
    }

    /// Feeds the population to the verifier, where the policy names one.
    ///
    /// # Errors
    /// When it cannot be read, or lacks a quasi-identifier.
    pub(crate) fn read_population(&self, verifier: &mut Verifier<'_>, policy: &PolicyFile) -> Result<()> {
        let Some(source) = policy.population()? else { return Ok(()) };
        self.check_population(&source, &policy.policy)?;
        verifier.population_sha256(digest_files(&source.files)?);
        let columns: Vec<String> =
            policy.policy.with_role(Role::Quasi).into_iter().map(String::from).collect();
        verifier.population_columns(&columns);
        self.feed(&source, &columns, |rows, cells| verifier.population_batch(rows, cells))
    }
}
