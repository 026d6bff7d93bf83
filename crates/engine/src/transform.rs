//! Rewrites rows as decided, streaming. A [`Recoding`] turns the codes of a batch into codes of
//! labels; kept columns are passed through as they are, and identifiers are replaced where the
//! policy asks for it.
//!
//! Costs what the recoding costs, and a hash per cell of the other columns, to count what they
//! show.

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow::array::{ArrayRef, DictionaryArray, StringArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use arrow::record_batch::RecordBatch;
use rustc_hash::FxHashMap;
use throng::decide::DELETED;
use throng::deletion::Deletion;
use throng::error::{Fault, Result};
use throng::exposure::{Exposure, add_to_hashes};
use throng::fault;
use throng::hierarchy::TOP;
use throng::policy::{Column, Policy, Suppressed};
use throng::recoding::{Recoding, RowClasses, RowCounter};
use throng::table::{Code, Dictionary};
use throng::verify::ValueCounts;
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::{Cells, text};
use crate::deleted::RowsLeft;
use crate::draw::SampledTable;
use crate::group::content_keys;
use crate::leveled::Leveled;
use crate::shift::Shifts;
use crate::shuffle::Shuffle;
use crate::sink::{Sink, Written};
use crate::source::Source;
use crate::substitute::Substitutes;
use crate::table::TextBatch;

/// What to rewrite, how, and where to.
pub struct Transform<'a> {
    /// The table.
    pub source: &'a Source,
    /// What the holder asked for.
    pub policy: &'a Policy,
    /// What was decided.
    pub recoding: &'a Recoding,
    /// Finds the class of every row, where that is asked for.
    pub row_classes: Option<&'a RowClasses>,
    /// The values of the quasi-identifiers, as grouping found them.
    pub dictionaries: &'a [Dictionary],
    /// The made-up values of identifiers.
    pub substitutes: &'a Substitutes,
    /// The columns whose dates are shifted.
    pub shifts: &'a Shifts,
    /// The columns, other than quasi-identifiers, whose values become others.
    pub leveled: &'a Leveled,
    /// What is deleted from the table.
    pub deletion: Option<&'a Deletion>,
    /// The whole table, where only sampled rows are released.
    pub(crate) sampled: Option<&'a SampledTable>,
    /// Rows of the table, or of the sampled part of it, as grouping counted them.
    pub rows: u64,
    /// The seed of the row order.
    pub seed: u64,
    /// Where the release goes.
    pub output: &'a Path,
    /// Reports the rows so far, and may stop it.
    pub watch: &'a Watch,
}

impl Engine {
    /// Writes the release, to a temporary name first.
    ///
    /// # Errors
    /// What cannot be read or written; then nothing is left behind.
    pub fn transform(&self, job: &Transform<'_>) -> Result<Written> {
        let columns = self.columns(job.source)?;
        let schema = self.schema(job.source)?;
        let released: Vec<String> =
            columns.into_iter().filter(|c| job.policy.columns.get(c).is_some_and(Column::released)).collect();
        // The person of a row is read, too, where dates depend on it.
        let person = job.shifts.subject().filter(|subject| !released.iter().any(|name| name == subject));
        let scanned: Vec<String> = released.iter().cloned().chain(person.map(String::from)).collect();
        let mut rewriter = Rewriter::new(job, &released, &schema)?;
        let sink = Sink::create(job.output, job.policy, Arc::clone(&rewriter.schema))?;
        let deleted = job.deletion.map_or(0, |deletion| deletion.facts().rows);
        let held = if rewriter.stars { 0 } else { job.recoding.suppressed_rows() };
        let expected = job.rows - deleted - held;
        let key = match job.sampled {
            // What follows from the table and the seed alone would reveal the rest to somebody who
            // knows nearly all of it.
            Some(sampled) => Some(sampled.sample.order),
            None if job.policy.output.keep_order => None,
            None => Some(job.source.digests(job.watch)?.order_key(job.seed)?),
        };
        let mut shuffle = Shuffle::new(sink, expected, key, job.watch);
        let mut rows = 0;
        let mut sampled = job.sampled.map(SampledTable::rows);
        let places = rewriter.quasi_places();
        let encoder = Encoder::new(job, &released, &rewriter.quasi);
        let left = RowsLeft::new(job.deletion, &released)?;
        // The verifier counts values itself, before rare ones are deleted. Counts do not depend on
        // the order of batches.
        let counted =
            ValueCounts::new(job.policy, &released).filter(|_| job.sampled.is_none()).map(Mutex::new);
        let encode = |batch: RecordBatch| -> Result<_> {
            let read = batch.num_rows() as u64;
            if let Some(counted) = &counted {
                let batch = TextBatch::new(&batch, &released)?;
                counted.lock().map_err(|_| Fault::bug("a thread that counted values stopped"))?.add(&batch);
            }
            let (batch, left) = left.filter(batch)?;
            let encoded = encoder.encode(&batch)?;
            Ok((read, batch, Some((encoded, left))))
        };
        // Codes are looked up on all cores. What depends on the rows before is done in order.
        let map = |batches: Vec<RecordBatch>| match job.sampled {
            Some(_) => Ok(batches.into_iter().map(|batch| (0, batch, None)).collect()),
            None => batches.into_iter().map(&encode).collect::<Result<Vec<_>>>(),
        };
        let mut classes = ClassesOfRows::new(job.row_classes);
        self.scan_map(job.source, &scanned, job.watch, map, |encoded| {
            for (read, batch, encoded) in encoded {
                let (read, batch, (encoded, left)) = match (encoded, &mut sampled) {
                    (Some(encoded), _) => (read, batch, encoded),
                    (None, sampled) => {
                        let rows = sampled.as_mut().map(|rows| rows.filter(&batch, &places)).transpose()?;
                        let batch = rows.unwrap_or(batch);
                        let encoded = encoder.encode(&batch)?;
                        (batch.num_rows() as u64, batch, (encoded, None))
                    }
                };
                rows += read;
                classes.add(&encoded, left.as_deref());
                shuffle.push(rewriter.rewrite(&batch, encoded)?)?;
                job.watch.done(Stage::Writing, rows, Some(job.rows))?;
            }
            Ok(())
        })?;
        if rows != job.rows {
            return Err(fault!(
                Data,
                "table.changed-while-reading",
                "the table changed while it was being released"
            )
            .file(&job.source.name)
            .help("release a copy that nobody writes to")
            .into());
        }
        let exposed = rewriter.exposure.finish();
        let counted = counted.and_then(|counted| counted.into_inner().ok());
        Ok(Written { exposed, classes_of_rows: classes.found, counted, ..shuffle.finish()? })
    }
}

/// The class of every row so far.
struct ClassesOfRows<'a> {
    find: Option<&'a RowClasses>,
    counter: RowCounter,
    found: Vec<u32>,
}

impl<'a> ClassesOfRows<'a> {
    fn new(find: Option<&'a RowClasses>) -> Self {
        ClassesOfRows { find, counter: RowCounter::default(), found: Vec::new() }
    }

    /// Adds the rows of a batch, of which some are `left` and the others deleted.
    fn add(&mut self, encoded: &Encoded, left: Option<&[bool]>) {
        let Some(find) = self.find else { return };
        let mut classes = find.of(encoded.codes.clone(), &encoded.keys, &mut self.counter).into_iter();
        match left {
            None => self.found.extend(classes),
            Some(left) => {
                let class = |left: &bool| if *left { classes.next().unwrap_or(DELETED) } else { DELETED };
                self.found.extend(left.iter().map(class));
            }
        }
    }
}

/// What generalized columns are made of.
fn keyed_text() -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))
}

/// The codes of a batch, per quasi-identifier, and the contents of its rows where these matter.
struct Encoded {
    codes: Vec<Vec<Code>>,
    keys: Vec<u64>,
}

/// Looks up the codes of a batch.
struct Encoder<'a> {
    names: &'a [String],
    /// For each released column the quasi-identifier it is.
    quasi: Vec<Option<usize>>,
    dictionaries: &'a [Dictionary],
    width: usize,
    /// The columns that distinguish rows of equal quasi-identifiers, in name order, where rows of
    /// these become different cells.
    content: Option<Vec<usize>>,
}

impl<'a> Encoder<'a> {
    fn new(job: &Transform<'a>, names: &'a [String], quasi: &[Option<usize>]) -> Self {
        let content = || {
            let place = |name: &str| names.iter().position(|other| other == name);
            job.policy.content_columns().into_iter().filter_map(place).collect()
        };
        Encoder {
            names,
            quasi: quasi.to_vec(),
            dictionaries: job.dictionaries,
            width: job.recoding.columns.len(),
            content: job.recoding.divides().then(content),
        }
    }

    fn encode(&self, batch: &RecordBatch) -> Result<Encoded> {
        let mut codes = vec![Vec::new(); self.width];
        let cells = |at: usize| Cells::new(&self.names[at], batch.column(at));
        for (i, name) in self.names.iter().enumerate() {
            let Some(q) = self.quasi[i] else { continue };
            cells(i)?.look_up(name, &self.dictionaries[q], &mut codes[q])?;
        }
        let mut keys = Vec::new();
        if let Some(content) = &self.content {
            let content = content.iter().map(|&at| cells(at)).collect::<Result<Vec<_>>>()?;
            keys = content_keys(&content, batch.num_rows());
        }
        Ok(Encoded { codes, keys })
    }
}

/// Turns batches of the table into batches of the release.
struct Rewriter<'a> {
    recoding: &'a Recoding,
    substitutes: &'a Substitutes,
    shifts: &'a Shifts,
    /// Where a batch has the person of a row, where dates are shifted.
    person: usize,
    leveled: &'a Leveled,
    names: Vec<String>,
    schema: SchemaRef,
    /// For each released column the quasi-identifier it is.
    quasi: Vec<Option<usize>>,
    /// For each quasi-identifier its labels; the last one is the star of suppressed rows.
    labels: Vec<ArrayRef>,
    stars: bool,
    /// Codes of the table, then of the release, per quasi-identifier.
    codes: Vec<Vec<Code>>,
    counter: RowCounter,
    /// Counts what the other columns show; per released column its place there.
    exposure: Exposure,
    exposed: Vec<Option<usize>>,
    /// Per quasi-identifier, code of a label → first code of the same text: what tells classes
    /// apart.
    texts: Vec<Vec<Code>>,
}

/// Code of a label → the first code with the same text; the last one is the star of suppressed
/// rows.
fn first_codes(labels: &[Option<String>]) -> Vec<Code> {
    let mut first: FxHashMap<Option<&str>, Code> = FxHashMap::default();
    let labels = labels.iter().map(Option::as_deref).chain([Some(TOP)]);
    labels.enumerate().map(|(code, label)| *first.entry(label).or_insert(code as Code)).collect()
}

impl<'a> Rewriter<'a> {
    fn new(job: &Transform<'a>, released: &[String], schema: &Schema) -> Result<Self> {
        let recoding = job.recoding;
        let quasi: Vec<Option<usize>> =
            released.iter().map(|c| recoding.columns.iter().position(|q| &q.name == c)).collect();
        let stars = job.policy.output.suppressed == Suppressed::Starred && recoding.suppressed_rows() > 0;
        let mut fields = Vec::new();
        for (name, quasi) in released.iter().zip(&quasi) {
            let original = schema.field_with_name(name).map_err(|e| Fault::bug(e.to_string()))?;
            // The keys of a keyed column may be too narrow for the leaves of its hierarchy.
            let keyed = matches!(original.data_type(), DataType::Dictionary(_, value) if value.is_string());
            let deleted = job.deletion.is_some_and(|deletion| deletion.deletes_cells(name));
            let rewritten = quasi.is_some_and(|q| recoding.columns[q].changed || stars || keyed || deleted);
            let kind = match rewritten {
                true => keyed_text(),
                false if job.substitutes.has(name) || job.leveled.has(name) || job.shifts.has(name) => {
                    DataType::Utf8
                }
                false => original.data_type().clone(),
            };
            fields.push(Field::new(name, kind, true));
        }
        let labels = recoding
            .columns
            .iter()
            .map(|c| {
                let labels = c.labels.iter().map(Option::as_deref).chain([Some(TOP)]);
                Arc::new(labels.collect::<StringArray>()) as ArrayRef
            })
            .collect();
        // Made-up values of identifiers are nothing that anybody knows.
        let counted =
            |(name, quasi): &(&String, &Option<usize>)| quasi.is_none() && !job.substitutes.has(name);
        let columns: Vec<&String> =
            released.iter().zip(&quasi).filter(counted).map(|(name, _)| name).collect();
        Ok(Rewriter {
            exposed: released.iter().map(|name| columns.iter().position(|c| *c == name)).collect(),
            exposure: Exposure::new(columns.into_iter().cloned()),
            texts: recoding.columns.iter().map(|c| first_codes(&c.labels)).collect(),
            recoding,
            substitutes: job.substitutes,
            shifts: job.shifts,
            person: released.iter().position(|n| job.shifts.subject() == Some(n)).unwrap_or(released.len()),
            leveled: job.leveled,
            names: released.to_vec(),
            schema: Arc::new(Schema::new(fields)),
            quasi,
            labels,
            stars,
            codes: vec![Vec::new(); recoding.columns.len()],
            counter: RowCounter::default(),
        })
    }

    /// The places of the quasi-identifiers in a batch, as the table was counted, with their names.
    fn quasi_places(&self) -> Vec<(usize, String)> {
        let mut places: Vec<(usize, usize)> =
            self.quasi.iter().enumerate().filter_map(|(at, q)| q.map(|q| (q, at))).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, at)| (at, self.names[at].clone())).collect()
    }

    fn rewrite(&mut self, batch: &RecordBatch, encoded: Encoded) -> Result<RecordBatch> {
        self.codes = encoded.codes;
        let kept = self.recoding.recode(&mut self.codes, &encoded.keys, &mut self.counter);
        // Suppressed rows stay where they are released as stars.
        let kept = kept.filter(|_| !self.stars).map(UInt32Array::from);
        let classes = self.classes(batch.num_rows(), kept.as_ref());
        let mut arrays = Vec::with_capacity(self.names.len());
        for (i, name) in self.names.iter().enumerate() {
            let array = match self.quasi[i] {
                Some(q) if *self.schema.field(i).data_type() == keyed_text() => self.generalized(q)?,
                None if self.leveled.has(name) => self.leveled.replace(name, batch.column(i))?,
                None if self.shifts.has(name) => {
                    self.shifts.replace(name, batch.column(i), batch.column(self.person))?
                }
                None if self.substitutes.has(name) => self.substitutes.replace(name, batch.column(i))?,
                _ => Arc::clone(batch.column(i)),
            };
            let array = match &kept {
                Some(rows) => take(&array, rows, None).map_err(|e| Fault::bug(e.to_string()))?,
                None => array,
            };
            if let Some(column) = self.exposed[i] {
                let mut row = classes.iter();
                let exposure = &mut self.exposure;
                Cells::new(name, &array)?.each(&mut |cell| {
                    if let Some(class) = row.next() {
                        exposure.cell(column, *class, cell);
                    }
                });
            }
            arrays.push(self.typed(i, name, array)?);
        }
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(|e| Fault::bug(e.to_string()).into())
    }

    /// The released classes of the rows that stay.
    fn classes(&mut self, rows: usize, kept: Option<&UInt32Array>) -> Vec<u32> {
        if self.exposure.is_empty() {
            return Vec::new();
        }
        let mut hashes = vec![0; rows];
        let columns = self.codes.iter().zip(&self.texts);
        columns.for_each(|(codes, texts)| add_to_hashes(&mut hashes, codes, texts));
        match kept {
            Some(kept) => kept.values().iter().map(|&at| self.exposure.class(hashes[at as usize])).collect(),
            None => hashes.into_iter().map(|hash| self.exposure.class(hash)).collect(),
        }
    }

    /// A reader may give views where the schema says text.
    fn typed(&self, column: usize, name: &str, array: ArrayRef) -> Result<ArrayRef> {
        let wanted = self.schema.field(column).data_type();
        if array.data_type() == wanted {
            return Ok(array);
        }
        if *wanted == DataType::Utf8 {
            return text(name, &array);
        }
        arrow::compute::cast(&array, wanted).map_err(|e| Fault::bug(e.to_string()).into())
    }

    fn generalized(&self, q: usize) -> Result<ArrayRef> {
        let keys = UInt32Array::from(self.codes[q].clone());
        let array = DictionaryArray::<UInt32Type>::try_new(keys, Arc::clone(&self.labels[q]))
            .map_err(|e| Fault::bug(e.to_string()))?;
        Ok(Arc::new(array))
    }
}
