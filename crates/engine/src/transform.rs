//! Rewrites rows as decided, streaming. A [`Recoding`] turns the codes of a batch into codes of
//! labels; kept columns are passed through as they are, and identifiers are replaced and texts
//! scrubbed where the policy asks for it.
//!
//! Costs what the recoding costs, and a hash per cell of the other columns, to count what they
//! show.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use arrow::record_batch::RecordBatch;
use throng::decide::DELETED;
use throng::deletion::Deletion;
use throng::error::{Fault, Result};
use throng::policy::Policy;
use throng::recoding::{Recoding, RowClasses, RowCounter};
use throng::release::TextFacts;
use throng::table::Dictionary;
use throng::verify::ValueCounts;
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::draw::SampledTable;
use crate::leveled::Leveled;
use crate::notes::TextColumns;
use crate::rewrite::{Encoded, Rewriting, Shown};
use crate::shift::Shifts;
use crate::shuffle::{Dealt, Plan, Shuffle};
use crate::sink::{Sink, Written};
use crate::source::{Source, changed};
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
    /// Finds the class of every row, if requested.
    pub row_classes: Option<&'a RowClasses>,
    /// The values of the quasi-identifiers, as grouping found them.
    pub dictionaries: &'a [Dictionary],
    /// The made-up values of identifiers.
    pub substitutes: &'a Substitutes,
    /// The columns whose dates are shifted.
    pub shifts: &'a Shifts,
    /// The columns whose texts are scrubbed.
    pub texts: &'a TextColumns,
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
        let Rewriting { released, scanned, rewriter, encoder, left } = Rewriting::new(self, job)?;
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
            let rewritten = rewriter.rewrite(&batch, encoded, &mut RowCounter::default())?;
            let ready = Some((plan.deal(stream, rewritten.batch)?, rewritten.shown, rewritten.text));
            Ok(Step { stream, read, batch: None, encoded: asked, ready })
        };
        let map = |number: u64, batches: Vec<RecordBatch>| {
            let streams = (number << STREAMS)..;
            streams.zip(batches).map(|(stream, batch)| step(stream, batch)).collect::<Result<Vec<_>>>()
        };
        let mut classes = ClassesOfRows::new(job.row_classes);
        let (mut exposure, mut counter) = (rewriter.exposure(), RowCounter::default());
        let mut text: BTreeMap<String, TextFacts> = BTreeMap::new();
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
                let (dealt, shown, scrubbed) = match (ready, batch, encoded) {
                    (Some(ready), ..) => ready,
                    (None, Some(batch), Some((encoded, _))) => {
                        let rewritten = rewriter.rewrite(&batch, encoded, &mut counter)?;
                        (plan.deal(stream, rewritten.batch)?, rewritten.shown, rewritten.text)
                    }
                    _ => return Err(Fault::bug("a batch was not encoded").into()),
                };
                if let Some(shown) = shown {
                    shown.count(&mut exposure);
                }
                for (name, facts) in scrubbed {
                    text.entry(name).or_default().add(&facts);
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
        Ok(Written { exposed, classes_of_rows: classes.found, counted, text, ..shuffle.finish()? })
    }
}

/// Bits of a random stream that count the batches of a piece.
const STREAMS: u32 = 20;

/// What was rewritten: the dealt rows, what they show, and what was scrubbed in them.
type Ready = (Dealt, Option<Shown>, Vec<(String, TextFacts)>);

/// A batch on its way: what is left to do in order.
struct Step {
    stream: u64,
    /// Rows that were read.
    read: u64,
    /// What is rewritten in order, and what it is rewritten from.
    batch: Option<RecordBatch>,
    encoded: Option<(Encoded, Option<Vec<bool>>)>,
    /// What was rewritten on another thread.
    ready: Option<Ready>,
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
