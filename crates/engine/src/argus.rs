//! Reads the table that `throng argus` works on, and writes what it was made into: rows streamed, in random order, staged and renamed as a
//! release is, with the verdict beside it in place of a certificate.
//!
//! One pass to read and one to write; a look-up per cell, and one per row where cells are blanked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, DictionaryArray, StringArray, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use datafusion::arrow::record_batch::RecordBatch;
use throng::argus::{self, Argus, Paper, Subject};
use throng::error::{Fault, Result};
use throng::policy::{Column, Format, Policy, Role};
use throng::release::{FileFacts, PolicyFacts};
use throng::search::{self, Problem};
use throng::table::{Code, Dictionary};

use crate::Engine;
use crate::cells::{Cells, text};
use crate::digest::{digest_files, order_key};
use crate::leveled::Leveled;
use crate::paths::Staging;
use crate::release::{PolicyFile, in_table};
use crate::shuffle::Shuffle;
use crate::sink::{Sink, Written};
use crate::source::Source;
use crate::spared::{Existing, Spared};
use crate::substitute::Substitutes;

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

    /// Refuses a place that cannot be written to, or where something else is, above all a certified release.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_output(&self, output: &Path, existing: Existing) -> Result<()> {
        let verdict = Held::verdict_path(output);
        let name = output.display().to_string();
        if Format::of_path(&name).is_none() {
            let help = "end it in .csv, .parquet, .json or .arrow";
            return Err(Fault::input("does not tell the format").file(name).help(help).into());
        }
        let mut spared = Spared::of_policy(&self.policy).release_of(&self.policy);
        let mut faults = Vec::new();
        for path in [output, &verdict] {
            faults.extend(spared.claim(path, "the table that it is the verdict of", existing));
        }
        let certificate = output.with_extension("certificate.json");
        if certificate.exists() {
            faults.push(
                Fault::input("has the name of a certified release, which this is not")
                    .file(name)
                    .help(format!("{} is there; give it another name", certificate.display())),
            );
        }
        throng::error::Error::check(faults)
    }
}

impl Engine {
    /// Reads the table of a policy to be worked on. Calls `progress` with the rows so far, which may stop it.
    ///
    /// # Errors
    /// What cannot be read or does not fit.
    pub fn hold(&self, policy: &PolicyFile, progress: &dyn Fn(u64) -> Result<()>) -> Result<Held> {
        let (source, columns) = self.open(policy)?;
        let quasi = |name: &&String| policy.policy.columns.get(*name).is_some_and(|c| c.role == Role::Quasi);
        let quasi: Vec<String> = columns.iter().filter(quasi).cloned().collect();
        argus::check(&policy.policy, &quasi)?;
        let keys = policy.keys()?;
        self.check_weights(&source, &policy.policy)?;
        let grouped = self.group_quasi(policy, (&source, &columns), None, progress)?;
        let rows = grouped.tuples.rows();
        let load = |path: &str| policy.load(path);
        let (dictionaries, measured) = grouped.dictionaries.split_at(quasi.len());
        let leveled = search::leveled(&policy.policy, &grouped.measured, measured, &load)
            .map_err(|e| in_table(e, &source))?;
        let leveled = Leveled::new(leveled, (&grouped.measured, measured))?;
        let dictionaries = dictionaries.to_vec();
        let (problem, maps) =
            Problem::new(&policy.policy, grouped, &load).map_err(|e| in_table(e, &source))?;
        let substitutes = self.substitutes(&source, &policy.policy, keys, &|| progress(rows))?;
        let policy = policy.clone();
        Ok(Held { policy, source, problem, maps, dictionaries, leveled, substitutes, rows })
    }

    /// Writes the table as it is now, and its verdict beside it; both or neither. Calls `progress` with the rows so far, which may
    /// stop it.
    ///
    /// # Errors
    /// As [`Held::check_output`], and what cannot be read or written.
    pub fn write_argus(
        &self,
        held: &Held,
        argus: &Argus<'_>,
        (output, existing): (&Path, Existing),
        progress: &dyn Fn(u64) -> Result<()>,
    ) -> Result<Paper> {
        held.check_output(output, existing)?;
        let stage = Staging::of(output)?;
        let waiting = stage.output.display().to_string();
        let written = self.rewrite(held, argus, &stage.output, progress).map_err(|e| {
            e.map(|fault| match &fault.place.file {
                Some(file) if *file == waiting => fault.file(output.display().to_string()),
                _ => fault,
            })
        })?;
        let paper = Paper {
            certified: false,
            verdict: argus.verdict(),
            steps: argus.steps(),
            input: FileFacts {
                path: held.policy.policy.input.path.clone(),
                sha256: digest_files(&held.source.files)?,
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

    fn rewrite(
        &self,
        held: &Held,
        argus: &Argus<'_>,
        output: &Path,
        progress: &dyn Fn(u64) -> Result<()>,
    ) -> Result<Written> {
        let policy: &Policy = &held.policy.policy;
        let released = |name: &String| policy.columns.get(name).is_some_and(Column::released);
        let released: Vec<String> = self.columns(&held.source)?.into_iter().filter(released).collect();
        let schema = self.schema(&held.source)?;
        let mut rewriter = Rewriter::new(held, argus.cells(&held.maps), released, &schema)?;
        let sink = Sink::create(output, policy, Arc::clone(&rewriter.schema))?;
        let key = match policy.output.keep_order {
            true => None,
            false => Some(order_key(&held.source.files, policy.search.seed)?),
        };
        let mut shuffle = Shuffle::new(sink, held.rows, key);
        let mut rows = 0;
        let names = rewriter.names.clone();
        self.scan(&held.source, &names, |batch| {
            rows += batch.num_rows() as u64;
            shuffle.push(rewriter.rewrite(&batch)?)?;
            progress(rows)
        })?;
        if rows != held.rows {
            return Err(Fault::data("the table changed while it was being worked on")
                .file(&held.source.name)
                .help("work on a copy that nobody writes to")
                .into());
        }
        shuffle.finish()
    }
}

/// Turns batches of the table into batches of what is written.
struct Rewriter<'a> {
    held: &'a Held,
    cells: argus::Cells,
    names: Vec<String>,
    schema: SchemaRef,
    /// For each written column the quasi-identifier it is.
    quasi: Vec<Option<usize>>,
    /// For each quasi-identifier its labels.
    labels: Vec<ArrayRef>,
}

fn keyed_text() -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))
}

impl<'a> Rewriter<'a> {
    fn new(held: &'a Held, cells: argus::Cells, names: Vec<String>, schema: &Schema) -> Result<Self> {
        let quasi: Vec<Option<usize>> =
            names.iter().map(|name| held.problem.names.iter().position(|q| q == name)).collect();
        let mut fields = Vec::new();
        for (name, quasi) in names.iter().zip(&quasi) {
            let original = schema.field_with_name(name).map_err(|e| Fault::bug(e.to_string()))?.data_type();
            let keyed = matches!(original, DataType::Dictionary(_, value) if value.is_string());
            let kind = match quasi {
                Some(q) if !cells.same(*q) || keyed => keyed_text(),
                None if held.substitutes.has(name) || held.leveled.has(name) => DataType::Utf8,
                _ => original.clone(),
            };
            fields.push(Field::new(name, kind, true));
        }
        let labels = (0..held.problem.names.len())
            .map(|q| {
                Arc::new(cells.labels(q).iter().map(Option::as_deref).collect::<StringArray>()) as ArrayRef
            })
            .collect();
        Ok(Rewriter { held, cells, names, schema: Arc::new(Schema::new(fields)), quasi, labels })
    }

    fn rewrite(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let keys = self.recoded(batch)?;
        let mut arrays = Vec::with_capacity(self.names.len());
        for (i, name) in self.names.iter().enumerate() {
            let wanted = self.schema.field(i).data_type();
            let array = match self.quasi[i] {
                Some(q) if *wanted == keyed_text() => self.generalized(q, &keys[q])?,
                None if self.held.leveled.has(name) => self.held.leveled.replace(name, batch.column(i))?,
                None if self.held.substitutes.has(name) => {
                    self.held.substitutes.replace(name, batch.column(i))?
                }
                _ => Arc::clone(batch.column(i)),
            };
            // A reader may give views where the schema says text.
            arrays.push(match array.data_type() == wanted {
                true => array,
                false if *wanted == DataType::Utf8 => text(name, &array)?,
                false => {
                    datafusion::arrow::compute::cast(&array, wanted).map_err(|e| Fault::bug(e.to_string()))?
                }
            });
        }
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(|e| Fault::bug(e.to_string()).into())
    }

    /// Quasi-identifier → row → code of its label, where it has one.
    fn recoded(&self, batch: &RecordBatch) -> Result<Vec<Vec<Option<Code>>>> {
        let width = self.held.problem.names.len();
        let mut codes = vec![Vec::new(); width];
        for (i, name) in self.names.iter().enumerate() {
            if let Some(q) = self.quasi[i] {
                let cells = Cells::new(name, batch.column(i))?;
                cells.look_up(name, &self.held.dictionaries[q], &mut codes[q])?;
            }
        }
        let mut keys = vec![Vec::with_capacity(batch.num_rows()); width];
        let (mut row, mut cells) = (vec![0; width], Vec::new());
        for at in 0..batch.num_rows() {
            row.iter_mut().zip(&codes).for_each(|(cell, column)| *cell = column[at]);
            self.cells.recode(&mut row, &mut cells);
            keys.iter_mut().zip(&cells).for_each(|(column, cell)| column.push(*cell));
        }
        Ok(keys)
    }

    fn generalized(&self, q: usize, keys: &[Option<Code>]) -> Result<ArrayRef> {
        let keys = UInt32Array::from(keys.to_vec());
        let array = DictionaryArray::<UInt32Type>::try_new(keys, Arc::clone(&self.labels[q]))
            .map_err(|e| Fault::bug(e.to_string()))?;
        Ok(Arc::new(array))
    }
}
