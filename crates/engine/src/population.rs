//! The population that a policy names, read like an input: grouped for the search, and once more
//! for the verifier.
//!
//! Only the quasi-identifiers are read. The layout is that of the input (delimiter, quote,
//! encoding, missing cells); its own extension determines the format. One scan each time, one batch
//! in memory.

use std::collections::BTreeMap;

use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::policy::{Format, Header, Input, Policy, Role};
use throng::release::FileFacts;
use throng::search::Population;
use throng::watch::Watch;

use crate::Engine;
use crate::cells::unfit;
use crate::digest::Digesting;
use crate::policy_file::PolicyFile;
use crate::source::Source;

impl PolicyFile {
    /// Finds the population that models compare with, where the policy names one.
    ///
    /// # Errors
    /// As [`Source::open`], at the policy's key.
    pub(crate) fn population(&self) -> Result<Option<Source>> {
        let Some((key, path)) = self.policy.population() else { return Ok(None) };
        let input = &self.policy.input;
        let input = Input {
            path: path.to_owned(),
            format: Format::of_input(path).or(input.format),
            // That the table's first line holds names says nothing of another file's.
            header: input.header.filter(|header| *header == Header::None),
            ..input.clone()
        };
        Source::open(&input, self.folder()).map(Some).map_err(|e| e.map(|fault| fault.key(&key)))
    }

    /// What a certificate says of the population, by the digests of the policy's files.
    pub(crate) fn population_facts(
        &self,
        files: &BTreeMap<String, String>,
        people: u64,
    ) -> Result<Option<FileFacts>> {
        let (Some(source), Some((_, path))) = (self.population()?, self.policy.population()) else {
            return Ok(None);
        };
        let sha256 = files.get(path).cloned();
        let sha256 = sha256.ok_or_else(|| Fault::bug("the population has no digest"))?;
        Ok(Some(FileFacts { path: source.name, sha256, rows: people }))
    }
}

impl Engine {
    /// Groups the population by the quasi-identifiers, in the table's order.
    pub(crate) fn group_population(
        &self,
        policy: &PolicyFile,
        quasi: &[String],
        watch: &Watch,
    ) -> Result<Option<Population>> {
        let Some(source) = self.checked_population(policy)? else { return Ok(None) };
        let grouped = self.group(&source, quasi, watch)?;
        Ok(Some(Population { dictionaries: grouped.dictionaries, tuples: grouped.tuples }))
    }

    /// The population must have every quasi-identifier, in a form that is text.
    fn check_population(&self, source: &Source, policy: &Policy) -> Result<()> {
        let schema = self.schema(source)?;
        let key = policy.population().map(|(key, _)| key).unwrap_or_default();
        let fault = |name: &str| match schema.fields().iter().find(|field| field.name() == name) {
            Some(field) => unfit(name, field.data_type()).map(|fault| fault.file(&source.name)),
            None => Some(
                fault!(
                    Input,
                    "population.no-such-column",
                    "the population has no column `{column}`",
                    column = name
                )
                .file(&source.name)
                .key(&key)
                .help("give a table with every quasi-identifier of the policy, by the same names"),
            ),
        };
        Error::check(policy.with_role(Role::Quasi).into_iter().filter_map(fault).collect())
    }

    /// The population that the verifier reads, where the policy names one.
    ///
    /// # Errors
    /// When it lacks a quasi-identifier.
    pub(crate) fn checked_population(&self, policy: &PolicyFile) -> Result<Option<Source>> {
        let Some(source) = policy.population()? else { return Ok(None) };
        let source = self.with_cells(source, &policy.policy.input)?;
        self.check_population(&source, &policy.policy)?;
        Ok(Some(source.digested(Digesting::Published)))
    }
}
