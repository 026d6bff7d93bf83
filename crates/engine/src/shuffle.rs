//! Shuffles rows before they are written, because the order of a table can identify people
//! (unsorted matching).
//!
//! A table that fits is permuted in memory. A larger one is distributed at random over buckets that
//! spill to unnamed temporary files beside the output, and each bucket is permuted when it is read
//! back: every order is equally likely, memory is one bucket, and a key gives one order on any
//! machine.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};

use arrow::array::UInt32Array;
use arrow::compute::{concat_batches, take_record_batch};
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use arrow::record_batch::RecordBatch;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use throng::error::{Fault, Result};
use throng::watch::{Stage, Watch};

use crate::error::unwritable;
use crate::sink::{Sink, Written};

/// Rows that are permuted in memory at once.
const BUCKET: u64 = 1 << 18;
/// Rows written at once.
const SLICE: usize = 8192;

/// Writes rows in a random order, or in their own.
pub(crate) struct Shuffle<'a> {
    sink: Sink,
    order: Order,
    expected: u64,
    watch: &'a Watch,
}

enum Order {
    Kept,
    Memory { rng: ChaCha8Rng, batches: Vec<RecordBatch> },
    Buckets { rng: ChaCha8Rng, buckets: Vec<Bucket> },
}

impl<'a> Shuffle<'a> {
    /// With a key rows are shuffled; `rows` is how many to expect.
    pub(crate) fn new(sink: Sink, rows: u64, key: Option<[u8; 32]>, watch: &'a Watch) -> Self {
        let order = match key {
            None => Order::Kept,
            Some(key) => {
                let rng = ChaCha8Rng::from_seed(key);
                if rows <= BUCKET {
                    Order::Memory { rng, batches: Vec::new() }
                } else {
                    let buckets = (0..rows.div_ceil(BUCKET).min(512)).map(|_| Bucket::default()).collect();
                    Order::Buckets { rng, buckets }
                }
            }
        };
        Shuffle { sink, order, expected: rows, watch }
    }

    pub(crate) fn push(&mut self, batch: RecordBatch) -> Result<()> {
        match &mut self.order {
            Order::Kept => self.sink.write(&batch),
            Order::Memory { batches, .. } => {
                batches.push(batch);
                Ok(())
            }
            Order::Buckets { rng, buckets } => deal(&batch, rng, buckets, &self.sink),
        }
    }

    pub(crate) fn finish(self) -> Result<Written> {
        let Shuffle { mut sink, order, expected, watch } = self;
        let of = Some(expected);
        match order {
            Order::Kept => {}
            Order::Memory { mut rng, batches } => write_permuted(&mut sink, &batches, &mut rng, (watch, of))?,
            Order::Buckets { mut rng, buckets } => {
                for bucket in buckets {
                    watch.check()?;
                    let batches = bucket.read(&sink)?;
                    write_permuted(&mut sink, &batches, &mut rng, (watch, of))?;
                }
            }
        }
        watch.check()?;
        sink.finish()
    }
}

/// Sends every row to a bucket of its own.
fn deal(batch: &RecordBatch, rng: &mut ChaCha8Rng, buckets: &mut [Bucket], sink: &Sink) -> Result<()> {
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); buckets.len()];
    for row in 0..batch.num_rows() as u32 {
        rows[rng.random_range(0..buckets.len() as u32) as usize].push(row);
    }
    for (bucket, rows) in buckets.iter_mut().zip(rows) {
        if !rows.is_empty() {
            bucket.push(pick(batch, rows)?, sink)?;
        }
    }
    Ok(())
}

fn pick(batch: &RecordBatch, rows: Vec<u32>) -> Result<RecordBatch> {
    take_record_batch(batch, &UInt32Array::from(rows)).map_err(|e| Fault::bug(e.to_string()).into())
}

fn write_permuted(
    sink: &mut Sink,
    batches: &[RecordBatch],
    rng: &mut impl Rng,
    (watch, of): (&Watch, Option<u64>),
) -> Result<()> {
    let Some(first) = batches.first() else { return Ok(()) };
    let all = concat_batches(&first.schema(), batches).map_err(|e| Fault::bug(e.to_string()))?;
    let mut order: Vec<u32> = (0..all.num_rows() as u32).collect();
    // Fisher–Yates.
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last as u32) as usize);
    }
    for rows in order.chunks(SLICE) {
        sink.write(&pick(&all, rows.to_vec())?)?;
        watch.done(Stage::Writing, sink.rows(), of)?;
    }
    Ok(())
}

/// Rows on their way, in memory until there are enough for a write.
#[derive(Default)]
struct Bucket {
    waiting: Vec<RecordBatch>,
    rows: usize,
    spill: Option<StreamWriter<BufWriter<File>>>,
}

impl Bucket {
    fn push(&mut self, batch: RecordBatch, sink: &Sink) -> Result<()> {
        self.rows += batch.num_rows();
        self.waiting.push(batch);
        if self.rows < SLICE {
            return Ok(());
        }
        let fail = |e: &dyn std::fmt::Display| unwritable(&sink.name(), e);
        let schema = self.waiting[0].schema();
        let batch = concat_batches(&schema, &self.waiting).map_err(|e| fail(&e))?;
        self.waiting.clear();
        self.rows = 0;
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => {
                let file = tempfile::tempfile_in(sink.folder()).map_err(|e| fail(&e))?;
                let writer = StreamWriter::try_new(BufWriter::new(file), &schema).map_err(|e| fail(&e))?;
                self.spill.insert(writer)
            }
        };
        spill.write(&batch).map_err(|e| fail(&e))
    }

    /// All rows, in the order in which they came.
    fn read(self, sink: &Sink) -> Result<Vec<RecordBatch>> {
        let fail = |e: &dyn std::fmt::Display| unwritable(&sink.name(), e);
        let mut batches = Vec::new();
        if let Some(spill) = self.spill {
            let mut file =
                spill.into_inner().map_err(|e| fail(&e))?.into_inner().map_err(|e| fail(&e.into_error()))?;
            file.seek(SeekFrom::Start(0)).map_err(|e| fail(&e))?;
            for batch in StreamReader::try_new(BufReader::new(file), None).map_err(|e| fail(&e))? {
                batches.push(batch.map_err(|e| fail(&e))?);
            }
        }
        batches.extend(self.waiting);
        Ok(batches)
    }
}
