//! What a policy's `input` does to the rows of its files, done to the batches of a scan.
//!
//! Joined files are read when a table is opened, once; memory holds their distinct keys with their
//! codes. Batches are prepared on all cores, before anything else sees them. Costs what
//! [`Preparation`] costs, and a copy of the rows that stay where some do not.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use arrow::array::{ArrayRef, BooleanArray, StringArray};
use arrow::compute::{filter_record_batch, nullif};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::{Format, Header, Input};
use throng::preparation::{CellSource, Change, JoinedFile, KeyedFile, Origin, Preparation, Run};
use throng::reading::CellReader;
use throng::release::PreparationFacts;
use throng::watch::Watch;

use crate::Engine;
use crate::cells::Cells;
use crate::digest::Digesting;
use crate::policy_file::{PolicyFile, explain_delimiter};
use crate::source::Source;
use crate::table::FileTable;

/// The preparation of a source, and the digests of the files that were read for it.
#[derive(Debug)]
pub(crate) struct SourcePreparation {
    preparation: Preparation,
    /// The columns of the files.
    filed: Vec<String>,
    /// Path in the policy → SHA-256.
    digests: BTreeMap<String, String>,
}

/// One pass over a source.
pub(crate) struct Pass<'a> {
    of: &'a SourcePreparation,
    run: Run<'a>,
    /// The columns of the files that are read, by their places and names.
    pub(crate) needs: Vec<usize>,
    pub(crate) names: Vec<String>,
    /// Those of them that the preparation itself looks at.
    looked_at: Vec<usize>,
    /// The columns of the prepared table that are handed on.
    columns: Vec<usize>,
}

impl CellSource for Cells {
    fn get(&self, row: usize) -> Option<&str> {
        Cells::get(self, row)
    }
}

impl PolicyFile {
    /// A table in a file that the policy names beside its input.
    pub(crate) fn joined(&self, path: &str) -> Result<Source> {
        let input = &self.policy.input;
        let input = Input {
            path: path.to_owned(),
            format: Format::of_input(path).or(input.format),
            // That the table's first line holds names says nothing of another file's.
            header: input.header.filter(|header| *header == Header::None),
            ..input.as_filed()
        };
        Source::open(&input, self.folder())
    }
}

impl Engine {
    /// A table of files with what the policy does to its rows.
    ///
    /// # Errors
    /// Joined files that cannot be read, and columns that are not there.
    pub(crate) fn prepared(&self, source: Source, policy: &PolicyFile, watch: &Watch) -> Result<Source> {
        let input = &policy.policy.input;
        if !input.prepares() {
            return Ok(source);
        }
        let filed = self.columns(&source)?;
        let mut digests = BTreeMap::new();
        let open = |path: &str| policy.joined(path).map(|file| file.digested(Digesting::Published));
        let (mut joined, mut keyed) = (Vec::new(), Vec::new());
        for (at, join) in input.join.iter().enumerate() {
            let key = format!("input.join.{at}");
            let here = |fault: Fault| named(fault, &join.path, &key);
            let file = open(&join.path).map_err(|e| e.map(here))?;
            let table = FileTable::new(self, &file).map_err(|e| e.map(here))?;
            joined.push(JoinedFile::read(&table, join, watch).map_err(|e| e.map(here))?);
            digests.insert(join.path.clone(), file.digests(watch)?.published.clone());
        }
        let steps = input.prepare.iter().enumerate();
        for (at, present) in steps.filter_map(|(at, step)| Some((at, step.present_in.as_ref()?))) {
            let key = format!("input.prepare.{at}.present_in");
            let here = |fault: Fault| named(fault, &present.path, &key);
            let file = open(&present.path).map_err(|e| e.map(here))?;
            let table = FileTable::new(self, &file).map_err(|e| e.map(here))?;
            keyed.push(KeyedFile::read(&table, present, watch).map_err(|e| e.map(here))?);
            digests.insert(present.path.clone(), file.digests(watch)?.published.clone());
        }
        let preparation = Preparation::new(input, &filed, joined, keyed)
            .map_err(|e| explain_delimiter(e, &source, &filed))?;
        let preparation = Some(Arc::new(SourcePreparation { preparation, filed, digests }));
        Ok(Source { preparation, prepared: Arc::default(), ..source })
    }

    /// A table of files whose cells are read as the input states, and that is not prepared
    /// otherwise. Columns that it does not have are passed over.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn with_cells(&self, source: Source, input: &Input) -> Result<Source> {
        let filed = self.columns(&source)?;
        let mut cells = input.cells.clone();
        cells.retain(|name, _| filed.contains(name));
        if cells.is_empty() {
            return Ok(source);
        }
        let input = Input { cells, ..input.as_filed() };
        let preparation = Preparation::new(&input, &filed, Vec::new(), Vec::new())?;
        let preparation = SourcePreparation { preparation, filed, digests: BTreeMap::new() };
        Ok(Source { preparation: Some(Arc::new(preparation)), prepared: Arc::default(), ..source })
    }
}

/// Names the file in faults about its cells, and the policy's key in others.
fn named(fault: Fault, path: &str, key: &str) -> Fault {
    let fault =
        if fault.place.key.is_none() && fault.place.column.is_none() { fault.key(key) } else { fault };
    if fault.place.file.is_none() { fault.file(path) } else { fault }
}

impl SourcePreparation {
    /// What reads the cells of a column that are not written plainly.
    pub(crate) fn reader(&self, column: &str) -> Option<&CellReader> {
        self.preparation.reader(column)
    }

    /// The columns of the prepared table, from those of the files.
    pub(crate) fn schema(&self, filed: &Schema) -> SchemaRef {
        let columns = self.preparation.columns().iter().enumerate();
        Arc::new(Schema::new(columns.map(|(at, name)| self.field(at, name, filed)).collect::<Vec<_>>()))
    }

    fn field(&self, column: usize, name: &str, filed: &Schema) -> Field {
        match self.preparation.origin(column) {
            Origin::Written => Field::new(name, DataType::Utf8, true),
            Origin::Filed { cleared, .. } => match filed.field_with_name(name) {
                Ok(field) => field.clone().with_nullable(field.is_nullable() || cleared),
                Err(_) => Field::new(name, DataType::Utf8, true),
            },
        }
    }

    /// Begins to read some columns of the prepared table.
    ///
    /// # Errors
    /// Columns that it does not have.
    pub(crate) fn pass(&self, source: &Source, columns: &[String]) -> Result<Pass<'_>> {
        let known = self.preparation.columns();
        let place = |name: &String| {
            let place = known.iter().position(|column| column == name);
            place.ok_or_else(|| crate::scan::no_column(source, name))
        };
        let columns = columns.iter().map(place).collect::<Result<Vec<usize>>>()?;
        let needs = self.preparation.needs(&columns);
        let names = needs.iter().map(|&place| self.filed[place].clone()).collect();
        let looked_at = self.preparation.needs(&[]);
        Ok(Pass { of: self, run: self.preparation.run(), needs, names, looked_at, columns })
    }

    /// The files that were joined must be those whose digests the certificate states.
    ///
    /// # Errors
    /// A file that changed in between.
    pub(crate) fn check_digests(&self, files: &BTreeMap<String, String>) -> Result<()> {
        match self.digests.iter().find(|(path, sha256)| files.get(*path) != Some(sha256)) {
            None => Ok(()),
            Some((path, _)) => {
                let changed = fault!(
                    Data,
                    "table.changed-while-reading",
                    "the table changed while it was being released"
                );
                Err(changed.file(path).help("release a copy that nobody writes to").into())
            }
        }
    }
}

impl Pass<'_> {
    /// Prepares batches; those without rows are left out.
    ///
    /// # Errors
    /// Cells that have no text form, and codes and counts that are none.
    pub(crate) fn apply(&self, batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>> {
        let mut prepared = Vec::with_capacity(batches.len());
        for batch in batches {
            let batch = self.prepare(&batch)?;
            if batch.num_rows() > 0 {
                prepared.push(batch);
            }
        }
        Ok(prepared)
    }

    fn prepare(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let column = |place: usize| self.needs.iter().position(|need| *need == place);
        let array = |place: usize| column(place).map(|at| batch.column(at));
        let text = |&place: &usize| {
            let array = array(place).ok_or_else(|| Fault::bug("a column was not read"))?;
            Cells::new(&self.of.filed[place], array)
        };
        let cells = self.looked_at.iter().map(text).collect::<Result<Vec<Cells>>>()?;
        let mut filed: Vec<Option<&dyn CellSource>> = vec![None; self.of.filed.len()];
        self.looked_at.iter().zip(&cells).for_each(|(&place, cells)| filed[place] = Some(cells));
        let outcome = self.run.apply(batch.num_rows(), &filed)?;
        let schema = batch.schema();
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for &at in &self.columns {
            fields.push(self.of.field(at, &self.of.preparation.columns()[at], &schema));
            arrays.push(match (outcome.changes.get(&at), self.of.preparation.origin(at)) {
                (Some(Change::Written(cells)), _) => {
                    Arc::new(cells.iter().map(Option::as_deref).collect::<StringArray>()) as ArrayRef
                }
                (change, Origin::Filed { place, .. }) => {
                    let array = array(place).ok_or_else(|| Fault::bug("a column was not read"))?;
                    match change {
                        Some(Change::Cleared(cleared)) => {
                            let mask: BooleanArray = cleared.iter().map(|cleared| Some(*cleared)).collect();
                            nullif(array, &mask).map_err(|e| Fault::bug(e.to_string()))?
                        }
                        _ => Arc::clone(array),
                    }
                }
                (_, Origin::Written) => return Err(Fault::bug("a column was not written").into()),
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let whole = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
            .map_err(|e| Fault::bug(e.to_string()))?;
        match outcome.kept {
            None => Ok(whole),
            Some(kept) => filter_record_batch(&whole, &BooleanArray::from(kept))
                .map_err(|e| Fault::bug(e.to_string()).into()),
        }
    }

    /// Notes what a pass that reached the end found.
    ///
    /// # Errors
    /// As [`Run::finish`].
    pub(crate) fn finish(self, facts: &OnceLock<PreparationFacts>) -> Result<()> {
        let found = self.run.finish()?;
        facts.get_or_init(|| found);
        Ok(())
    }
}
