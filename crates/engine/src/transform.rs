//! Rewrites rows as decided, streaming. A [`Recoding`] turns the codes of a batch into codes of
//! labels; kept columns are passed through as they are, and identifiers are replaced where the
//! policy asks for it.
//!
//! Costs what the recoding costs, and a hash per cell of the other columns, to count what they
//! show.

use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow::array::{Array, ArrayRef, StringArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use rustc_hash::FxHashMap;
use throng::decide::DELETED;
use throng::deletion::Deletion;
use throng::error::{Fault, Result};
use throng::exposure::{Exposure, add_to_hashes};
use throng::hierarchy::TOP;
use throng::policy::{Column, Format, Policy, Suppressed};
use throng::recoding::{Recoding, RowClasses, RowCounter};
use throng::table::{Code, Dictionary};
use throng::verify::ValueCounts;
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::{Cells, text};
use crate::deleted::RowsLeft;
use crate::draw::SampledTable;
use crate::encode::{code_type, narrowed};
use crate::group::content_keys;
use crate::leveled::Leveled;
use crate::shift::Shifts;
use crate::shuffle::{Dealt, Plan, Shuffle};
use crate::sink::{Sink, Written};
use crate::source::{Source, changed};
use crate::substitute::Substitutes;
use crate::table::TextBatch;
use crate::typed::keyed_text;

/// What to rewrite, how, and where to.
pub struct Transform<'a> {
    /// The table.
    pub source: &'a Source,
    /// What the holder asked for.
    pub policy: &'a Policy,
    /// What was decided.
    pub recoding: &'a Recoding,
    /// Finds the class of every row, if requested.
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
        let rewriter = Rewriter::new(job, &released, &schema)?;
        let (labels, kept) = (rewriter.labels_of_columns(), Arc::clone(&rewriter.schema));
        let sink = Sink::create(job.output, job.policy, kept, labels)?;
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
        let plan = Plan::new(key, expected, rewriter.row_bytes(job.source, job.rows));
        let mut shuffle = Shuffle::new(sink, plan, expected, self.memory_of_shuffle(), job.watch);
        let mut rows = 0;
        let mut sampled = job.sampled.map(SampledTable::rows);
        let places = rewriter.quasi_places();
        let encoder = Encoder::new(job, &released, &rewriter.quasi);
        let left = RowsLeft::new(job.deletion, &released)?;
        // The verifier counts values itself, before rare ones are deleted. Counts do not depend on
        // the order of batches.
        let counted =
            ValueCounts::new(job.policy, &released).filter(|_| job.sampled.is_none()).map(Mutex::new);
        // What depends on the rows before is done in order, everything else on all cores.
        let in_order = job.sampled.is_some() || job.recoding.divides();
        let step = |stream: u64, batch: RecordBatch| -> Result<Step> {
            if job.sampled.is_some() {
                return Ok(Step { stream, read: 0, batch: Some(batch), encoded: None, ready: None });
            }
            let read = batch.num_rows() as u64;
            if let Some(counted) = &counted {
                let batch = TextBatch::new(&batch, &released)?;
                counted.lock().map_err(|_| Fault::bug("a thread that counted values stopped"))?.add(&batch);
            }
            let (batch, left) = left.filter(batch)?;
            let encoded = encoder.encode(&batch)?;
            if in_order {
                return Ok(Step {
                    stream,
                    read,
                    batch: Some(batch),
                    encoded: Some((encoded, left)),
                    ready: None,
                });
            }
            let asked = job.row_classes.map(|_| (encoded.clone(), left));
            let (rewritten, shown) = rewriter.rewrite(&batch, encoded, &mut RowCounter::default())?;
            let ready = Some((plan.deal(stream, rewritten)?, shown));
            Ok(Step { stream, read, batch: None, encoded: asked, ready })
        };
        let map = |number: u64, batches: Vec<RecordBatch>| {
            let streams = (number << STREAMS)..;
            streams.zip(batches).map(|(stream, batch)| step(stream, batch)).collect::<Result<Vec<_>>>()
        };
        let mut classes = ClassesOfRows::new(job.row_classes);
        let (mut exposure, mut counter) = (rewriter.exposure(), RowCounter::default());
        self.scan_numbered(job.source, &scanned, job.watch, map, |steps| {
            for Step { stream, mut read, mut batch, mut encoded, ready } in steps {
                if let (Some(sampled), Some(whole)) = (&mut sampled, &mut batch) {
                    *whole = sampled.filter(whole, &places)?;
                    read = whole.num_rows() as u64;
                    encoded = Some((encoder.encode(whole)?, None));
                }
                rows += read;
                if let Some((encoded, left)) = &encoded {
                    classes.add(encoded, left.as_deref());
                }
                let (dealt, shown) = match (ready, batch, encoded) {
                    (Some(ready), ..) => ready,
                    (None, Some(batch), Some((encoded, _))) => {
                        let (rewritten, shown) = rewriter.rewrite(&batch, encoded, &mut counter)?;
                        (plan.deal(stream, rewritten)?, shown)
                    }
                    _ => return Err(Fault::bug("a batch was not encoded").into()),
                };
                if let Some(shown) = shown {
                    shown.count(&mut exposure);
                }
                shuffle.push(dealt)?;
                job.watch.done(Stage::Writing, rows, Some(job.rows))?;
            }
            Ok(())
        })?;
        if rows != job.rows {
            return Err(changed().file(&job.source.name).into());
        }
        let exposed = exposure.finish();
        let counted = counted.and_then(|counted| counted.into_inner().ok());
        Ok(Written { exposed, classes_of_rows: classes.found, counted, ..shuffle.finish()? })
    }
}

/// Bits of a random stream that count the batches of a piece.
const STREAMS: u32 = 20;

/// A batch on its way: what is left to do in order.
struct Step {
    stream: u64,
    /// Rows that were read.
    read: u64,
    /// What is rewritten in order, and what it is rewritten from.
    batch: Option<RecordBatch>,
    encoded: Option<(Encoded, Option<Vec<bool>>)>,
    /// What was rewritten on another thread.
    ready: Option<(Dealt, Option<Shown>)>,
}

/// What released rows show beside quasi-identifiers.
struct Shown {
    /// Hashes of their released quasi-identifiers.
    hashes: Vec<u64>,
    /// Columns with their places in an [`Exposure`].
    columns: Vec<(usize, Cells)>,
}

impl Shown {
    fn count(self, exposure: &mut Exposure) {
        let classes: Vec<u32> = self.hashes.into_iter().map(|hash| exposure.class(hash)).collect();
        for (column, cells) in self.columns {
            let mut row = classes.iter();
            cells.each(&mut |cell| {
                if let Some(class) = row.next() {
                    exposure.cell(column, *class, cell);
                }
            });
        }
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

    /// Adds the rows of a batch. Rows that are not `left` are deleted.
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

/// The codes of a batch, per quasi-identifier, and the contents of its rows where these matter.
#[derive(Clone)]
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
            cells(i)?.interned().look_up(name, &self.dictionaries[q], &mut codes[q])?;
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
    labels: Vec<StringArray>,
    stars: bool,
    /// The columns whose exposure is counted; per released column its place among them.
    exposing: Vec<String>,
    exposed: Vec<Option<usize>>,
    /// Per quasi-identifier, code of a label → first code of the same text. Classes differ if
    /// these codes differ.
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
            // Text is released as codes of labels, whether it changes or not.
            let kind = original.data_type();
            let text = matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
            let rewritten =
                quasi.is_some_and(|q| recoding.columns[q].changed || stars || keyed || deleted || text);
            let replaced = job.substitutes.has(name) || job.leveled.has(name) || job.shifts.has(name);
            let kind = match rewritten {
                true => keyed_text(),
                // Views would keep what they were cut from in memory.
                false if text || keyed || replaced => DataType::Utf8,
                false => kind.clone(),
            };
            fields.push(Field::new(name, kind, true));
        }
        let labels = recoding
            .columns
            .iter()
            .map(|c| {
                let labels = c.labels.iter().map(Option::as_deref).chain([Some(TOP)]);
                labels.collect::<StringArray>()
            })
            .collect();
        // Made-up values of identifiers are nothing that anybody knows.
        let counted =
            |(name, quasi): &(&String, &Option<usize>)| quasi.is_none() && !job.substitutes.has(name);
        let columns: Vec<&String> =
            released.iter().zip(&quasi).filter(counted).map(|(name, _)| name).collect();
        Ok(Rewriter {
            exposed: released.iter().map(|name| columns.iter().position(|c| *c == name)).collect(),
            exposing: columns.into_iter().cloned().collect(),
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
        })
    }

    /// The places of the quasi-identifiers in a batch, as the table was counted, with their names.
    fn quasi_places(&self) -> Vec<(usize, String)> {
        let mut places: Vec<(usize, usize)> =
            self.quasi.iter().enumerate().filter_map(|(at, q)| q.map(|q| (q, at))).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, at)| (at, self.names[at].clone())).collect()
    }

    /// Nothing shown yet.
    fn exposure(&self) -> Exposure {
        Exposure::new(self.exposing.iter().cloned())
    }

    /// The quasi-identifier that a released column is, if it becomes codes of labels.
    fn coded(&self, column: usize) -> Option<usize> {
        self.quasi[column].filter(|_| *self.schema.field(column).data_type() == keyed_text())
    }

    /// The labels of the columns that become codes.
    fn labels_of_columns(&self) -> Vec<Option<StringArray>> {
        let labels = |column: usize| self.coded(column).map(|q| self.labels[q].clone());
        (0..self.names.len()).map(labels).collect()
    }

    /// Bytes of a released row in memory, by the size of the table's files.
    fn row_bytes(&self, source: &Source, rows: u64) -> u64 {
        let coded = (0..self.names.len()).filter_map(|column| self.coded(column));
        let coded: u64 =
            coded.map(|q| code_type(self.labels[q].len()).primitive_width().unwrap_or(4) as u64).sum();
        if (0..self.names.len()).all(|column| self.coded(column).is_some()) {
            return coded;
        }
        let size = |file: &std::path::PathBuf| {
            let bytes = std::fs::metadata(file).map_or(0, |file| file.len());
            let packed = file.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
            if packed || source.format != Format::Csv { 4 * bytes } else { bytes }
        };
        coded + source.files.iter().map(size).sum::<u64>() / rows.max(1)
    }

    fn rewrite(
        &self,
        batch: &RecordBatch,
        encoded: Encoded,
        counter: &mut RowCounter,
    ) -> Result<(RecordBatch, Option<Shown>)> {
        let Encoded { mut codes, keys } = encoded;
        let kept = self.recoding.recode(&mut codes, &keys, counter);
        // Suppressed rows stay where they are released as stars.
        let kept = kept.filter(|_| !self.stars).map(UInt32Array::from);
        let mut shown = (!self.exposing.is_empty()).then(|| Shown {
            hashes: self.hashes(&codes, batch.num_rows(), kept.as_ref()),
            columns: Vec::new(),
        });
        let (mut fields, mut arrays) = (Vec::new(), Vec::with_capacity(self.names.len()));
        for (i, name) in self.names.iter().enumerate() {
            let array = match self.coded(i) {
                Some(q) => narrowed(&codes[q], self.labels[q].len()),
                None if self.leveled.has(name) => self.leveled.replace(name, batch.column(i))?,
                None if self.shifts.has(name) => {
                    self.shifts.replace(name, batch.column(i), batch.column(self.person))?
                }
                None if self.substitutes.has(name) => self.substitutes.replace(name, batch.column(i))?,
                None => self.typed(i, name, Arc::clone(batch.column(i)))?,
            };
            let array = match &kept {
                Some(rows) => take(&array, rows, None).map_err(|e| Fault::bug(e.to_string()))?,
                None => array,
            };
            if let (Some(column), Some(shown)) = (self.exposed[i], &mut shown) {
                shown.columns.push((column, Cells::new(name, &array)?));
            }
            let array = if self.coded(i).is_some() { array } else { self.typed(i, name, array)? };
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let rows = kept.map_or(batch.num_rows(), |kept| kept.len());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let rewritten = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options);
        Ok((rewritten.map_err(|e| Fault::bug(e.to_string()))?, shown))
    }

    /// Hashes of the released quasi-identifiers of the rows that stay.
    fn hashes(&self, codes: &[Vec<Code>], rows: usize, kept: Option<&UInt32Array>) -> Vec<u64> {
        let mut hashes = vec![0; rows];
        let columns = codes.iter().zip(&self.texts);
        columns.for_each(|(codes, texts)| add_to_hashes(&mut hashes, codes, texts));
        match kept {
            Some(kept) => kept.values().iter().map(|&at| hashes[at as usize]).collect(),
            None => hashes,
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
}
