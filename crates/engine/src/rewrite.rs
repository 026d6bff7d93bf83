//! Turns batches of a table into batches of its release, on any thread: codes of labels for
//! quasi-identifiers, pseudonyms, shifted dates, scrubbed texts, and all else as it is.
//!
//! Costs what the recoding costs, and what the replacements cost.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use rustc_hash::FxHashMap;
use throng::error::{Error, Fault, Result};
use throng::exposure::{Exposure, add_to_hashes};
use throng::hierarchy::TOP;
use throng::policy::{Column, Suppressed};
use throng::recoding::{Recoding, RowCounter};
use throng::release::TextFacts;
use throng::table::{Code, Dictionary};

use crate::Engine;
use crate::cells::{Cells, text};
use crate::deleted::RowsLeft;
use crate::encode::{code_type, narrowed};
use crate::group::content_keys;
use crate::leveled::Leveled;
use crate::notes::{KnownCells, TextColumns};
use crate::shift::Shifts;
use crate::source::Source;
use crate::substitute::Substitutes;
use crate::transform::Transform;
use crate::typed::keyed_text;

/// What released rows show beside quasi-identifiers.
pub(crate) struct Shown {
    /// Hashes of their released quasi-identifiers.
    hashes: Vec<u64>,
    /// Columns with their places in an [`Exposure`].
    columns: Vec<(usize, Cells)>,
}

impl Shown {
    pub(crate) fn count(self, exposure: &mut Exposure) {
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

/// The codes of a batch, per quasi-identifier, and the contents of its rows where these matter.
#[derive(Clone)]
pub(crate) struct Encoded {
    pub(crate) codes: Vec<Vec<Code>>,
    pub(crate) keys: Vec<u64>,
}

/// Looks up the codes of a batch.
pub(crate) struct Encoder<'a> {
    names: Vec<String>,
    /// For each released column the quasi-identifier it is.
    quasi: Vec<Option<usize>>,
    dictionaries: &'a [Dictionary],
    width: usize,
    /// The columns that distinguish rows of equal quasi-identifiers, in name order, where rows of
    /// these become different cells.
    content: Option<Vec<usize>>,
}

impl<'a> Encoder<'a> {
    fn new(job: &Transform<'a>, names: &[String], quasi: &[Option<usize>]) -> Self {
        let content = || {
            let place = |name: &str| names.iter().position(|other| other == name);
            job.policy.content_columns().into_iter().filter_map(place).collect()
        };
        Encoder {
            names: names.to_vec(),
            quasi: quasi.to_vec(),
            dictionaries: job.dictionaries,
            width: job.recoding.columns.len(),
            content: job.recoding.divides().then(content),
        }
    }

    pub(crate) fn encode(&self, batch: &RecordBatch) -> Result<Encoded> {
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

/// What turns the rows of a table into rows of the release.
pub(crate) struct Rewriting<'a> {
    /// The released columns.
    pub(crate) released: Vec<String>,
    /// The columns that are read: the released ones first.
    pub(crate) scanned: Vec<String>,
    pub(crate) rewriter: Rewriter<'a>,
    pub(crate) encoder: Encoder<'a>,
    pub(crate) left: RowsLeft<'a>,
}

impl<'a> Rewriting<'a> {
    /// Of a table that was opened.
    pub(crate) fn new(engine: &Engine, job: &Transform<'a>) -> Result<Self> {
        let columns = engine.columns(job.source)?;
        let schema = engine.schema(job.source)?;
        if job.policy.scrubbed().any(|(name, _)| !job.texts.has(name)) {
            return Err(Fault::bug("text would be released that nothing scrubs").into());
        }
        let is_released = |c: &String| job.policy.columns.get(c).is_some_and(Column::released);
        let released: Vec<String> = columns.into_iter().filter(is_released).collect();
        // The person of a row is read, too, where dates depend on it, and its identifiers where
        // texts may have them.
        let identifiers = job.texts.known().iter().map(|known| known.name.as_str());
        let mut scanned = released.clone();
        for name in job.shifts.subject().into_iter().chain(identifiers) {
            if !scanned.iter().any(|other| other == name) {
                scanned.push(name.to_owned());
            }
        }
        let rewriter = Rewriter::new(job, &released, &scanned, &schema)?;
        let encoder = Encoder::new(job, &released, &rewriter.quasi);
        let left = RowsLeft::new(job.deletion, &released)?;
        Ok(Rewriting { released, scanned, rewriter, encoder, left })
    }

    /// Whether what a row becomes depends on the rows before.
    pub(crate) fn in_order(&self) -> bool {
        self.rewriter.recoding.divides()
    }

    /// The rows of a batch that are left, which of these are released if not all are, and what they
    /// become.
    pub(crate) fn rewritten(
        &self,
        batch: RecordBatch,
        counter: &mut RowCounter,
    ) -> Result<(RecordBatch, Option<UInt32Array>, RecordBatch)> {
        let (batch, _) = self.left.filter(batch)?;
        let encoded = self.encoder.encode(&batch)?;
        let Rewritten { batch: rewritten, kept, .. } = self.rewriter.rewrite(&batch, encoded, counter)?;
        Ok((batch, kept, rewritten))
    }

    /// A column of what rows become, with labels in place of their codes.
    pub(crate) fn text(&self, column: usize, array: &ArrayRef) -> Result<ArrayRef> {
        let bug = |e: ArrowError| Fault::bug(e.to_string()).into();
        match self.rewriter.coded(column) {
            Some(q) => take(&self.rewriter.labels[q], array, None).map_err(bug),
            None => Ok(Arc::clone(array)),
        }
    }
}

/// What a batch becomes.
pub(crate) struct Rewritten {
    pub(crate) batch: RecordBatch,
    pub(crate) shown: Option<Shown>,
    /// The rows that are released, if not all are.
    kept: Option<UInt32Array>,
    /// Text column → what was scrubbed.
    pub(crate) text: Vec<(String, TextFacts)>,
}

/// Turns batches of the table into batches of the release.
pub(crate) struct Rewriter<'a> {
    recoding: &'a Recoding,
    substitutes: &'a Substitutes,
    shifts: &'a Shifts,
    /// Where a batch has the person of a row, where dates are shifted.
    person: usize,
    texts: &'a TextColumns,
    /// Where a batch has the columns that texts are searched for, in their order.
    known: Vec<usize>,
    leveled: &'a Leveled,
    names: Vec<String>,
    pub(crate) schema: SchemaRef,
    /// For each released column the quasi-identifier it is.
    quasi: Vec<Option<usize>>,
    /// For each quasi-identifier its labels; the last one is the star of suppressed rows.
    labels: Vec<StringArray>,
    pub(crate) stars: bool,
    /// The columns whose exposure is counted; per released column its place among them.
    exposing: Vec<String>,
    exposed: Vec<Option<usize>>,
    /// Per quasi-identifier, code of a label → first code of the same text. Classes differ if
    /// these codes differ.
    first_codes: Vec<Vec<Code>>,
}

/// Code of a label → the first code with the same text; the last one is the star of suppressed
/// rows.
fn first_codes(labels: &[Option<String>]) -> Vec<Code> {
    let mut first: FxHashMap<Option<&str>, Code> = FxHashMap::default();
    let labels = labels.iter().map(Option::as_deref).chain([Some(TOP)]);
    labels.enumerate().map(|(code, label)| *first.entry(label).or_insert(code as Code)).collect()
}

impl<'a> Rewriter<'a> {
    fn new(job: &Transform<'a>, released: &[String], scanned: &[String], schema: &Schema) -> Result<Self> {
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
            let replaced = job.substitutes.has(name)
                || job.leveled.has(name)
                || job.shifts.has(name)
                || job.texts.has(name);
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
        // Made-up values of identifiers are nothing that anybody knows, and texts hardly repeat.
        let counted = |(name, quasi): &(&String, &Option<usize>)| {
            quasi.is_none() && !job.substitutes.has(name) && !job.texts.has(name)
        };
        let place = |name: &str| {
            let place = scanned.iter().position(|other| other == name);
            let unread = || Fault::bug("a column that texts are searched for is not read");
            place.ok_or_else(|| Error::from(unread()))
        };
        let known = job.texts.known().iter().map(|known| place(&known.name)).collect::<Result<_>>()?;
        let columns: Vec<&String> =
            released.iter().zip(&quasi).filter(counted).map(|(name, _)| name).collect();
        Ok(Rewriter {
            exposed: released.iter().map(|name| columns.iter().position(|c| *c == name)).collect(),
            exposing: columns.into_iter().cloned().collect(),
            first_codes: recoding.columns.iter().map(|c| first_codes(&c.labels)).collect(),
            recoding,
            substitutes: job.substitutes,
            shifts: job.shifts,
            person: scanned.iter().position(|n| job.shifts.subject() == Some(n)).unwrap_or(released.len()),
            texts: job.texts,
            known,
            leveled: job.leveled,
            names: released.to_vec(),
            schema: Arc::new(Schema::new(fields)),
            quasi,
            labels,
            stars,
        })
    }

    /// The places of the quasi-identifiers in a batch, as the table was counted, with their names.
    pub(crate) fn quasi_places(&self) -> Vec<(usize, String)> {
        let mut places: Vec<(usize, usize)> =
            self.quasi.iter().enumerate().filter_map(|(at, q)| q.map(|q| (q, at))).collect();
        places.sort_unstable();
        places.into_iter().map(|(_, at)| (at, self.names[at].clone())).collect()
    }

    /// Nothing shown yet.
    pub(crate) fn exposure(&self) -> Exposure {
        Exposure::new(self.exposing.iter().cloned())
    }

    /// The quasi-identifier that a released column is, if it becomes codes of labels.
    fn coded(&self, column: usize) -> Option<usize> {
        self.quasi[column].filter(|_| *self.schema.field(column).data_type() == keyed_text())
    }

    /// The labels of the columns that become codes.
    pub(crate) fn labels_of_columns(&self) -> Vec<Option<StringArray>> {
        let labels = |column: usize| self.coded(column).map(|q| self.labels[q].clone());
        (0..self.names.len()).map(labels).collect()
    }

    /// Bytes of a released row in memory, by the size of the table's files.
    pub(crate) fn row_bytes(&self, source: &Source, rows: u64) -> u64 {
        let coded = (0..self.names.len()).filter_map(|column| self.coded(column));
        let coded: u64 =
            coded.map(|q| code_type(self.labels[q].len()).primitive_width().unwrap_or(4) as u64).sum();
        if (0..self.names.len()).all(|column| self.coded(column).is_some()) {
            return coded;
        }
        coded + source.text_bytes() / rows.max(1)
    }

    pub(crate) fn rewrite(
        &self,
        batch: &RecordBatch,
        encoded: Encoded,
        counter: &mut RowCounter,
    ) -> Result<Rewritten> {
        let Encoded { mut codes, keys } = encoded;
        let kept = self.recoding.recode(&mut codes, &keys, counter);
        // Suppressed rows stay where they are released as stars.
        let kept = kept.filter(|_| !self.stars).map(UInt32Array::from);
        let mut shown = (!self.exposing.is_empty()).then(|| Shown {
            hashes: self.hashes(&codes, batch.num_rows(), kept.as_ref()),
            columns: Vec::new(),
        });
        let mut whole = Vec::with_capacity(self.names.len());
        for (i, name) in self.names.iter().enumerate() {
            whole.push(match self.coded(i) {
                Some(q) => narrowed(&codes[q], self.labels[q].len()),
                None if self.leveled.has(name) => self.leveled.replace(name, batch.column(i))?,
                None if self.shifts.has(name) => {
                    self.shifts.replace(name, batch.column(i), batch.column(self.person))?
                }
                None if self.substitutes.has(name) => self.substitutes.replace(name, batch.column(i))?,
                None => self.typed(i, name, Arc::clone(batch.column(i)))?,
            });
        }
        let scrubbed = self.scrub(batch, &codes, &whole, kept.as_ref())?;
        let mut text = Vec::with_capacity(scrubbed.len());
        let mut scrubbed = scrubbed.into_iter();
        let (mut fields, mut arrays) = (Vec::new(), Vec::with_capacity(self.names.len()));
        for (i, (name, array)) in self.names.iter().zip(whole).enumerate() {
            let array = match (&kept, self.texts.has(name)) {
                (_, true) => {
                    let (array, facts) = scrubbed.next().ok_or_else(|| Fault::bug("a text is missing"))?;
                    text.push((name.clone(), facts));
                    array
                }
                (Some(rows), _) => take(&array, rows, None).map_err(|e| Fault::bug(e.to_string()))?,
                (None, _) => array,
            };
            if let (Some(column), Some(shown)) = (self.exposed[i], &mut shown) {
                shown.columns.push((column, Cells::new(name, &array)?));
            }
            let array = if self.coded(i).is_some() { array } else { self.typed(i, name, array)? };
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let rows = kept.as_ref().map_or(batch.num_rows(), Array::len);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let rewritten = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options);
        let batch = rewritten.map_err(|e| Fault::bug(e.to_string()))?;
        Ok(Rewritten { batch, shown, kept, text })
    }

    /// The scrubbed texts of the rows that stay, column by column; `whole` has what all rows of the
    /// other columns become.
    fn scrub(
        &self,
        batch: &RecordBatch,
        codes: &[Vec<Code>],
        whole: &[ArrayRef],
        kept: Option<&UInt32Array>,
    ) -> Result<Vec<(ArrayRef, TextFacts)>> {
        if self.known.is_empty() && !self.names.iter().any(|name| self.texts.has(name)) {
            return Ok(Vec::new());
        }
        let mut known = Vec::with_capacity(self.known.len());
        for (column, &place) in self.texts.known().iter().zip(&self.known) {
            let quasi = self.quasi.get(place).copied().flatten();
            let released = match (quasi, whole.get(place)) {
                (Some(q), _) => Some(Cells::Keyed(codes[q].clone().into(), self.labels[q].clone())),
                (None, Some(released)) => Some(Cells::new(&column.name, released)?),
                (None, None) => None,
            };
            let original = Cells::new(&column.name, batch.column(place))?;
            known.push(KnownCells { column, original, released });
        }
        let rows: Vec<u32> = match kept {
            Some(kept) => kept.values().to_vec(),
            None => (0..batch.num_rows() as u32).collect(),
        };
        let texts = self.names.iter().enumerate().filter(|(_, name)| self.texts.has(name));
        texts.map(|(at, name)| self.texts.replace(name, batch.column(at), &rows, &known)).collect()
    }

    /// Hashes of the released quasi-identifiers of the rows that stay.
    fn hashes(&self, codes: &[Vec<Code>], rows: usize, kept: Option<&UInt32Array>) -> Vec<u64> {
        let mut hashes = vec![0; rows];
        let columns = codes.iter().zip(&self.first_codes);
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
