//! From a policy to its grouped table and the problem that it is, as every command needs it.
//!
//! Reads the table once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use throng::error::{Error, Result};
use throng::policy::{Column, Policy, Role};
use throng::pseudonym::Originals;
use throng::recoding::{Contents, Recoding};
use throng::rows::Counted;
use throng::search::{self, Grouped, Problem, TraceRule};
use throng::table::{Code, Dictionary};
use throng::watch::Watch;

use crate::Engine;
use crate::cells::unfit;
use crate::digest::Digesting;
use crate::draw::SampledTable;
use crate::group::TableRead;
use crate::left_out::{LeftOut, TRACES};
use crate::leveled::Leveled;
use crate::memory::Extent;
use crate::notes::TextColumns;
use crate::paths::Paths;
use crate::policy_file::{PolicyFile, explain_delimiter, in_table};
use crate::release::Job;
use crate::shift::Shifts;
use crate::source::Source;
use crate::substitute::{self, Substitutes};
use crate::transform::Transform;

/// A table that was read and grouped, and the problem that it is.
pub(crate) struct Prepared {
    pub(crate) source: Source,
    pub(crate) columns: Vec<String>,
    pub(crate) paths: Paths,
    pub(crate) seed: u64,
    /// The whole table, where rows are sampled.
    pub(crate) sampled: Option<SampledTable>,
    /// The contents of rows, where rows of equal quasi-identifiers may become different cells.
    pub(crate) contents: Option<Contents>,
    pub(crate) dictionaries: Vec<Dictionary>,
    /// Rows of the table, or of the drawn part of it; people of the population; rows that were
    /// read.
    pub(crate) rows: u64,
    pub(crate) people: u64,
    pub(crate) read: u64,
    /// The digests of the files that the policy names, from before they were read.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) leveled: Leveled,
    pub(crate) problem: Problem,
    pub(crate) maps: Vec<Vec<Code>>,
    pub(crate) substitutes: Substitutes,
    pub(crate) shifts: Shifts,
    pub(crate) texts: TextColumns,
}

impl Prepared {
    /// What rewrites the table, without the classes of rows.
    pub(crate) fn transform<'a>(
        &'a self,
        policy: &'a Policy,
        recoding: &'a Recoding,
        output: &'a Path,
        watch: &'a Watch,
    ) -> Transform<'a> {
        Transform {
            source: &self.source,
            policy,
            recoding,
            row_classes: None,
            dictionaries: &self.dictionaries,
            substitutes: &self.substitutes,
            shifts: &self.shifts,
            texts: &self.texts,
            leveled: &self.leveled,
            deletion: self.problem.deletion.as_ref(),
            sampled: self.sampled.as_ref(),
            rows: self.rows,
            seed: self.seed,
            output,
            watch,
        }
    }
}

/// The problem of a table that was grouped, whose classes are to nest with earlier releases where
/// the source has traces; and for each column the way from dictionary codes to leaves.
pub(crate) fn pose(
    policy: &Policy,
    (source, grouped): (&Source, Grouped),
    load: search::Load<'_>,
    watch: &Watch,
) -> Result<(Problem, Vec<Vec<Code>>)> {
    let left_out = source.left_out.as_ref();
    let traced = left_out.and_then(|left_out| Some((left_out.traces()?, left_out.values())));
    let posed = match traced {
        Some((traces, values)) => {
            let rule = TraceRule { k: &|trace| traces.k(trace), values };
            Problem::with_traces(policy, grouped, Some(&rule), load, watch)
        }
        None => Problem::watched(policy, grouped, load, watch),
    };
    posed.map_err(|e| in_table(e, source))
}

/// What one pass over a table finds, grouped as its policy asks.
pub(crate) struct GroupedRead {
    pub(crate) grouped: Grouped,
    pub(crate) sampled: Option<SampledTable>,
    pub(crate) contents: Option<Contents>,
    pub(crate) originals: Vec<Originals>,
}

impl Engine {
    /// Reads and groups the table and makes the problem of it.
    pub(crate) fn prepare(&self, job: &Job<'_>, left_out: Option<Arc<LeftOut>>) -> Result<Prepared> {
        let (policy, watch) = (&job.policy.policy, &job.watch);
        let (source, columns) = self.open(job.policy, watch)?;
        let digest_key = job.policy.digest_secret()?;
        let source = Source { left_out, digest_key, ..source.digested(Digesting::WithOrder) };
        let paths = Paths::new(job.policy, job.output.as_deref())?;
        paths.check(job.policy, &job.holder)?;
        if policy.differential_privacy().is_some() {
            job.holder.refuse_drawn()?;
        }
        let keys = job.policy.keys()?;
        let shifts = job.policy.shifts()?;
        let texts = job.policy.texts()?;
        let seed = job.seed.unwrap_or(policy.search.seed);
        let files = job.policy.files(watch)?;
        source.preparation.iter().try_for_each(|preparation| preparation.check_digests(&files))?;

        let replaced = substitute::replaced(policy, &keys);
        let table = self.read_grouped(job.policy, (&source, &columns), seed, replaced, watch)?;
        let GroupedRead { grouped, sampled, contents, originals } = table;
        let dictionaries = grouped.dictionaries.clone();
        let rows = grouped.tuples.rows();
        let people = grouped.population.as_ref().map_or(0, |population| population.tuples.rows());
        let read = sampled.as_ref().map_or(rows, |sampled| sampled.sample.rows);
        let load = |path: &str| job.policy.load(path);
        let identifiers = originals.iter().map(|originals| originals.len() as u64).sum();
        self.check_memory(&Extent { identifiers, ..Extent::of(policy, &source, &grouped) })?;
        let quasi = grouped.names.len();
        let leveled = search::leveled(policy, &grouped, &load).map_err(|e| in_table(e, &source))?;
        let leveled = Leveled::new(leveled, (&grouped.measured, &dictionaries[quasi..]))?;
        let (mut problem, maps) = pose(policy, (&source, grouped), &load, watch)?;
        problem.profile.seed = seed;

        let substitutes = Substitutes::new(keys, originals, (&source, seed), watch)?;
        Ok(Prepared {
            source,
            columns,
            paths,
            seed,
            sampled,
            contents,
            dictionaries,
            rows,
            people,
            read,
            files,
            leveled,
            problem,
            maps,
            substitutes,
            shifts,
            texts,
        })
    }

    /// Finds the table of a policy, reads the files that are joined with it, and checks that they fit
    /// each other.
    pub(crate) fn open(&self, policy: &PolicyFile, watch: &Watch) -> Result<(Source, Vec<String>)> {
        let source = Source::open(&policy.policy.input, policy.folder())?;
        let source = self.prepared(source, policy, watch)?;
        let columns = self.columns(&source)?;
        policy.policy.bind(&columns).map_err(|e| explain_delimiter(e, &source, &columns))?;
        Ok((source, columns))
    }

    /// Groups the quasi-identifiers of a table that was opened, and measures its targets, the
    /// sensitive columns that models judge or that have a level, and the columns of guarding nodes
    /// in the classes; the sampled rows alone, where the policy samples; and the population beside
    /// it, where models compare with one.
    pub(crate) fn read_grouped(
        &self,
        policy: &PolicyFile,
        (source, columns): (&Source, &[String]),
        seed: u64,
        replaced: Vec<(String, Originals)>,
        watch: &Watch,
    ) -> Result<GroupedRead> {
        self.check_types(source, &policy.policy)?;
        let sampling = policy.sampling(source)?;
        let (quasi, mut measured) = policy.policy.grouped_columns(columns);
        if source.left_out.as_ref().is_some_and(|left_out| left_out.traces().is_some()) {
            measured.push(TRACES.to_owned());
        }
        let read = self
            .read_table(source, &policy.policy, (&quasi, &measured), replaced, watch)
            .map_err(|e| in_table(e, source))?;
        let TableRead { mut counted, contents, originals } = read;
        let sampled = sampling.map(|sampling| {
            let whole = std::mem::replace(&mut counted, Counted::new(0));
            let (sampled, part) = SampledTable::new(sampling, (seed, &policy.sha256), &quasi, whole);
            counted = part;
            sampled
        });
        let population = self.group_population(policy, &quasi, watch)?;
        let grouped = Grouped { population, ..Grouped::new(quasi, measured, counted) };
        Ok(GroupedRead { grouped, sampled, contents, originals })
    }

    /// The grouped table of a policy.
    ///
    /// # Errors
    /// What cannot be read or does not fit.
    pub fn read(&self, policy: &PolicyFile, watch: &Watch) -> Result<Grouped> {
        let (source, columns) = self.open(policy, watch)?;
        let seed = policy.policy.search.seed;
        Ok(self.read_grouped(policy, (&source, &columns), seed, Vec::new(), watch)?.grouped)
    }

    /// Refuses columns whose cells have no text form before anything is read.
    pub(crate) fn check_types(&self, source: &Source, policy: &Policy) -> Result<()> {
        let schema = self.schema(source)?;
        let scrubs = policy.scrubbed().next().is_some();
        let read = |name: &String| {
            let column = policy.columns.get(name);
            // Texts are searched for identifiers.
            let searched = scrubs && column.is_some_and(|column| column.role == Role::Identifier);
            let released = column.is_some_and(Column::released);
            released || searched || policy.subject() == Some(name.as_str())
        };
        let faults = schema.fields().iter().filter(|field| read(field.name()));
        let faults = faults.filter_map(|field| unfit(field.name(), field.data_type()));
        Error::check(faults.map(|fault| fault.file(&source.name)).collect())
    }
}
