//! Rewrites rows as decided, streaming: one look-up per generalized cell, one per row when anything
//! is flagged, and one more per flagged row when there are further steps. Kept columns are passed through as
//! they are, identifiers replaced where the policy asks for it.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, DictionaryArray, StringArray, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use datafusion::arrow::record_batch::RecordBatch;
use throng::error::{Fault, Result};
use throng::hierarchy::TOP;
use throng::policy::{Column, Policy, Suppressed};
use throng::recoding::{Dealer, Recoding};
use throng::sampling::Draw;
use throng::table::{Code, Dictionary};

use crate::Engine;
use crate::cells::{Cells, text};
use crate::digest::order_key;
use crate::leveled::Leveled;
use crate::shuffle::Shuffle;
use crate::sink::{Sink, Written};
use crate::source::Source;
use crate::substitute::Substitutes;

/// What to rewrite, how, and where to.
pub struct Transform<'a> {
    /// The table.
    pub source: &'a Source,
    /// What the holder asked for.
    pub policy: &'a Policy,
    /// What was decided.
    pub recoding: &'a Recoding,
    /// The values of the quasi-identifiers, as grouping found them.
    pub dictionaries: &'a [Dictionary],
    /// The made-up values of identifiers.
    pub substitutes: &'a Substitutes,
    /// The sensitive columns that are released at a level.
    pub leveled: &'a Leveled,
    /// The rows of the table that are released at all, where they are drawn.
    pub draw: Option<&'a Draw>,
    /// Rows of the table, or of the drawn part of it, as grouping counted them.
    pub rows: u64,
    /// The seed of the row order.
    pub seed: u64,
    /// Where the release goes.
    pub output: &'a Path,
    /// Told the rows so far; may stop it.
    pub progress: &'a dyn Fn(u64) -> Result<()>,
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
        let mut rewriter = Rewriter::new(job, &released, &schema)?;
        let sink = Sink::create(job.output, job.policy, Arc::clone(&rewriter.schema))?;
        let expected = if rewriter.stars { job.rows } else { job.rows - job.recoding.suppressed_rows() };
        let key = match job.draw {
            // What follows from the table and the seed alone would tell somebody who knows nearly all of it the rest.
            Some(draw) => Some(draw.order()),
            None if job.policy.output.keep_order => None,
            None => Some(order_key(&job.source.files, job.seed)?),
        };
        let mut shuffle = Shuffle::new(sink, expected, key);
        let mut rows = 0;
        let mut draw = job.draw.cloned();
        self.scan_drawn(job.source, &released, draw.as_mut(), |batch| {
            rows += batch.num_rows() as u64;
            shuffle.push(rewriter.rewrite(&batch)?)?;
            (job.progress)(rows)
        })?;
        if rows != job.rows {
            return Err(Fault::data("the table changed while it was being released")
                .file(&job.source.name)
                .help("release a copy that nobody writes to")
                .into());
        }
        shuffle.finish()
    }
}

/// What generalized columns are made of.
fn keyed_text() -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))
}

/// Turns batches of the table into batches of the release.
struct Rewriter<'a> {
    recoding: &'a Recoding,
    dictionaries: &'a [Dictionary],
    substitutes: &'a Substitutes,
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
    /// Codes of the table, where flagged rows go on to further steps; otherwise empty.
    raw: Vec<Vec<Code>>,
    dealer: Dealer,
}

impl<'a> Rewriter<'a> {
    fn new(job: &Transform<'a>, released: &[String], schema: &Schema) -> Result<Self> {
        let recoding = job.recoding;
        let quasi: Vec<Option<usize>> =
            released.iter().map(|c| recoding.columns.iter().position(|q| &q.name == c)).collect();
        let stars = job.policy.output.suppressed == Suppressed::Starred && recoding.flags_any();
        let mut fields = Vec::new();
        for (name, quasi) in released.iter().zip(&quasi) {
            let original = schema.field_with_name(name).map_err(|e| Fault::bug(e.to_string()))?;
            // The keys of a keyed column may be too narrow for the leaves of its hierarchy.
            let keyed = matches!(original.data_type(), DataType::Dictionary(_, value) if value.is_string());
            let rewritten = quasi.is_some_and(|q| recoding.columns[q].highest > 0 || stars || keyed);
            let kind = match rewritten {
                true => keyed_text(),
                false if job.substitutes.has(name) || job.leveled.has(name) => DataType::Utf8,
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
        Ok(Rewriter {
            recoding,
            dictionaries: job.dictionaries,
            substitutes: job.substitutes,
            leveled: job.leveled,
            names: released.to_vec(),
            schema: Arc::new(Schema::new(fields)),
            quasi,
            labels,
            stars,
            codes: vec![Vec::new(); recoding.columns.len()],
            raw: vec![Vec::new(); if recoding.rescues() { recoding.columns.len() } else { 0 }],
            dealer: Dealer::default(),
        })
    }

    fn rewrite(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        self.encode(batch)?;
        let kept = self.suppress(batch.num_rows());
        let mut arrays = Vec::with_capacity(self.names.len());
        for (i, name) in self.names.iter().enumerate() {
            let array = match self.quasi[i] {
                Some(q) if *self.schema.field(i).data_type() == keyed_text() => self.generalized(q)?,
                None if self.leveled.has(name) => self.leveled.replace(name, batch.column(i))?,
                None if self.substitutes.has(name) => self.substitutes.replace(name, batch.column(i))?,
                _ => Arc::clone(batch.column(i)),
            };
            let array = match &kept {
                Some(rows) => take(&array, rows, None).map_err(|e| Fault::bug(e.to_string()))?,
                None => array,
            };
            arrays.push(self.typed(i, name, array)?);
        }
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(|e| Fault::bug(e.to_string()).into())
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
        datafusion::arrow::compute::cast(&array, wanted).map_err(|e| Fault::bug(e.to_string()).into())
    }

    /// Generalized codes of the batch, per quasi-identifier.
    fn encode(&mut self, batch: &RecordBatch) -> Result<()> {
        for (i, name) in self.names.iter().enumerate() {
            let Some(q) = self.quasi[i] else { continue };
            let cells = Cells::new(name, batch.column(i))?;
            cells.look_up(name, &self.dictionaries[q], &mut self.codes[q])?;
            if let Some(raw) = self.raw.get_mut(q) {
                raw.clone_from(&self.codes[q]);
            }
            if self.recoding.deals() {
                continue;
            }
            let map = &self.recoding.columns[q].codes;
            self.codes[q].iter_mut().for_each(|code| *code = map[*code as usize]);
        }
        Ok(())
    }

    /// The rows that stay, unless all do; starred rows stay, with every code that of the star, and rows that a
    /// later step releases with the codes of that step.
    fn suppress(&mut self, rows: usize) -> Option<UInt32Array> {
        let mut row = vec![0; self.codes.len()];
        let mut kept = Vec::with_capacity(rows);
        if self.recoding.deals() {
            for at in 0..rows {
                row.iter_mut().zip(&self.codes).for_each(|(cell, column)| *cell = column[at]);
                let stays = self.recoding.deal(&mut row, &mut self.dealer);
                if stays {
                    kept.push(at as u32);
                }
                // What a row that is left out would have had is never looked at; any label will do.
                let codes = row.iter().map(|&code| if stays { code } else { 0 });
                self.codes.iter_mut().zip(codes).for_each(|(column, code)| column[at] = code);
            }
            return (kept.len() < rows).then(|| UInt32Array::from(kept));
        }
        if !self.recoding.flags_any() {
            return None;
        }
        for at in 0..rows {
            row.iter_mut().zip(&self.codes).for_each(|(cell, column)| *cell = column[at]);
            if !self.recoding.flags(&row) {
                kept.push(at as u32);
            } else if self.rescue(at, &mut row) {
                self.codes.iter_mut().zip(&row).for_each(|(column, code)| column[at] = *code);
                kept.push(at as u32);
            } else if self.stars {
                for (column, labels) in self.codes.iter_mut().zip(&self.labels) {
                    column[at] = labels.len() as Code - 1;
                }
            }
        }
        (!self.stars).then(|| UInt32Array::from(kept))
    }

    /// Whether a later step releases a flagged row, which then holds its codes.
    fn rescue(&self, at: usize, row: &mut [Code]) -> bool {
        row.iter_mut().zip(&self.raw).for_each(|(cell, column)| *cell = column[at]);
        !self.raw.is_empty() && self.recoding.rescue(row)
    }

    fn generalized(&self, q: usize) -> Result<ArrayRef> {
        let keys = UInt32Array::from(self.codes[q].clone());
        let array = DictionaryArray::<UInt32Type>::try_new(keys, Arc::clone(&self.labels[q]))
            .map_err(|e| Fault::bug(e.to_string()))?;
        Ok(Arc::new(array))
    }
}
