//! Shuffles rows before they are written, because the order of a table can identify people
//! (unsorted matching).
//!
//! Rows are dealt at random to buckets, and each bucket is permuted when it is written: every order
//! is equally likely. How many buckets there are follows from the table alone, so that a key gives
//! one order at any number of threads and within any memory. Buckets that do not fit into memory
//! spill to an unnamed file beside the output. Memory is what may wait, and some buckets of at most
//! 16 MB or 65,536 rows. Threads deal the rows that they read; others permute and encode buckets
//! while one writes.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, interleave_record_batch, take_record_batch};
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use throng::error::{Fault, Result};
use throng::watch::{Stage, Watch};

use crate::error::unwritable;
use crate::pipeline::{self, pipeline};
use crate::scan::threads;
use crate::sink::{GROUP, GROUP_BYTES, Sink, Written};

/// The most rows of a bucket, and the most bytes that are expected of one.
const BUCKET: u64 = 1 << 16;
const BUCKET_BYTES: u64 = 1 << 24;
/// The least rows of a bucket.
const FEW: u64 = 1 << 6;
/// Bytes that wait in memory where no limit is given.
const WAITING: usize = 1 << 25;
/// What helps where rows cannot wait on disk.
const SPILLING: &str = "rows wait in the folder of the output until they are shuffled, and take about as much space as the release: \
                        free twice that, check its permissions, or let more of them wait in memory (--memory); nothing was left behind";
/// The random streams that permute buckets; those before deal pieces of the table.
const PERMUTING: u64 = 1 << 62;

fn bucket_rows(row_bytes: u64) -> u64 {
    (BUCKET_BYTES / row_bytes.max(1)).clamp(FEW, BUCKET)
}

/// The bytes that are expected of a bucket.
pub(crate) fn bucket_bytes(rows: u64, row_bytes: u64) -> u64 {
    row_bytes * bucket_rows(row_bytes).min(rows)
}

/// How rows are dealt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    key: Option<[u8; 32]>,
    buckets: u32,
    /// Buckets that are encoded together.
    together: usize,
}

/// Rows of a piece of the table, ordered by their buckets.
pub(crate) struct Dealt {
    rows: RecordBatch,
    /// Bucket → where its rows end.
    ends: Vec<u32>,
}

impl Plan {
    /// With a key, rows are shuffled. `rows` and `row_bytes` are estimates.
    pub(crate) fn new(key: Option<[u8; 32]>, rows: u64, row_bytes: u64) -> Self {
        let size = bucket_rows(row_bytes);
        let together = (GROUP_BYTES as u64 / (size * row_bytes.max(1))).clamp(1, GROUP as u64 / size);
        let buckets = rows.div_ceil(size).clamp(1, u64::from(u32::MAX)) as u32;
        Plan { key, buckets, together: together as usize }
    }

    /// Deals the rows of the piece with this number.
    pub(crate) fn deal(&self, piece: u64, rows: RecordBatch) -> Result<Dealt> {
        let count = rows.num_rows();
        let (Some(key), true) = (self.key, self.buckets > 1) else {
            return Ok(Dealt { rows, ends: vec![count as u32] });
        };
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(piece);
        let buckets: Vec<u32> = (0..count).map(|_| rng.random_range(0..self.buckets)).collect();
        let mut ends = vec![0; self.buckets as usize + 1];
        buckets.iter().for_each(|&bucket| ends[bucket as usize + 1] += 1);
        for bucket in 1..ends.len() {
            ends[bucket] += ends[bucket - 1];
        }
        let mut order = vec![0; count];
        for (row, &bucket) in buckets.iter().enumerate() {
            let place = &mut ends[bucket as usize];
            order[*place as usize] = row as u32;
            *place += 1;
        }
        ends.pop();
        let rows =
            take_record_batch(&rows, &UInt32Array::from(order)).map_err(|e| Fault::bug(e.to_string()))?;
        Ok(Dealt { rows, ends })
    }
}

impl Dealt {
    /// Its rows in a bucket.
    fn part(&self, bucket: usize) -> Option<RecordBatch> {
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before]);
        let count = self.ends[bucket] - start;
        (count > 0).then(|| self.rows.slice(start as usize, count as usize))
    }
}

/// Writes rows in a random order, or in their own.
pub(crate) struct Shuffle<'a> {
    sink: Sink,
    plan: Plan,
    dealt: Vec<Dealt>,
    /// Bytes of what was dealt, and how many may wait.
    bytes: usize,
    most: usize,
    spill: Option<Spill>,
    expected: u64,
    watch: &'a Watch,
}

impl<'a> Shuffle<'a> {
    /// `rows` is how many to expect; `memory` limits the bytes that wait for their turn.
    pub(crate) fn new(sink: Sink, plan: Plan, rows: u64, memory: Option<usize>, watch: &'a Watch) -> Self {
        let most = memory.unwrap_or(WAITING);
        Shuffle { sink, plan, dealt: Vec::new(), bytes: 0, most, spill: None, expected: rows, watch }
    }

    pub(crate) fn push(&mut self, dealt: Dealt) -> Result<()> {
        if self.plan.key.is_none() {
            return self.sink.write(dealt.rows);
        }
        self.bytes += dealt.rows.get_array_memory_size() + 4 * dealt.ends.len();
        self.dealt.push(dealt);
        // One bucket would be read back at once.
        if self.bytes > self.most && self.plan.buckets > 1 { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<()> {
        let name = self.sink.name();
        let fail = |e: &dyn std::fmt::Display| unwritable(&name, e).map(|fault| fault.help(SPILLING));
        let dealt = std::mem::take(&mut self.dealt);
        self.bytes = 0;
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => {
                let file = tempfile::tempfile_in(self.sink.folder()).map_err(|e| fail(&e.kind()))?;
                let blocks = vec![Vec::new(); self.plan.buckets as usize];
                self.spill.insert(Spill { file, end: 0, blocks })
            }
        };
        for bucket in 0..self.plan.buckets as usize {
            let parts: Vec<RecordBatch> = dealt.iter().filter_map(|dealt| dealt.part(bucket)).collect();
            if let Some(first) = parts.first() {
                let rows = concat_batches(first.schema_ref(), &parts).map_err(|e| fail(&e))?;
                spill.write(bucket, &rows).map_err(|e| fail(&e))?;
            }
            self.watch.check()?;
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Written> {
        let Shuffle { mut sink, plan, dealt, mut spill, expected, watch, .. } = self;
        let Some(key) = plan.key else {
            watch.check()?;
            return sink.finish();
        };
        let name = sink.name();
        let (encoder, mut append) = sink.parts();
        let produce = |send: &mut pipeline::Send<'_, Vec<(usize, Vec<RecordBatch>)>>| {
            let buckets: Vec<usize> = (0..plan.buckets as usize).collect();
            for group in buckets.chunks(plan.together) {
                let mut buckets = Vec::with_capacity(group.len());
                for &bucket in group {
                    let mut parts = match &mut spill {
                        Some(spill) => spill.read(bucket).map_err(|e| unwritable(&name, &e))?,
                        None => Vec::new(),
                    };
                    parts.extend(dealt.iter().filter_map(|dealt| dealt.part(bucket)));
                    buckets.push((bucket, parts));
                }
                if !send(buckets) {
                    break;
                }
            }
            Ok(())
        };
        let work = |_, buckets: Vec<(usize, Vec<RecordBatch>)>| {
            let permuted = buckets.into_iter().map(|(bucket, parts)| permuted(key, &plan, bucket, &parts));
            let permuted: Vec<RecordBatch> = permuted.filter_map(Result::transpose).collect::<Result<_>>()?;
            let Some(first) = permuted.first() else { return Ok(None) };
            let rows = match &permuted[..] {
                [one] => one.clone(),
                several => {
                    concat_batches(first.schema_ref(), several).map_err(|e| Fault::bug(e.to_string()))?
                }
            };
            drop(permuted);
            Ok(Some((rows.num_rows(), encoder.encode(&rows)?)))
        };
        pipeline(threads(), produce, work, |encoded| {
            watch.check()?;
            let Some((rows, encoded)) = encoded else { return Ok(()) };
            let written = append(rows, encoded)?;
            watch.done(Stage::Writing, written, Some(expected))
        })?;
        drop(append);
        watch.check()?;
        sink.finish()
    }
}

/// The rows of a bucket in a random order; none if it has none.
fn permuted(key: [u8; 32], plan: &Plan, bucket: usize, parts: &[RecordBatch]) -> Result<Option<RecordBatch>> {
    if parts.is_empty() {
        return Ok(None);
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    if plan.buckets > 1 {
        rng.set_stream(PERMUTING + bucket as u64);
    }
    let rows = parts.iter().enumerate().flat_map(|(at, part)| (0..part.num_rows()).map(move |row| (at, row)));
    let mut order: Vec<(usize, usize)> = rows.collect();
    // Fisher–Yates.
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last as u32) as usize);
    }
    let parts: Vec<&RecordBatch> = parts.iter().collect();
    interleave_record_batch(&parts, &order).map(Some).map_err(|e| Fault::bug(e.to_string()).into())
}

/// Rows that wait in a file, bucket by bucket.
struct Spill {
    file: File,
    end: u64,
    /// Bucket → where its blocks are, and how long they are.
    blocks: Vec<Vec<(u64, u64)>>,
}

impl Spill {
    fn write(&mut self, bucket: usize, rows: &RecordBatch) -> Result<(), Box<dyn std::error::Error>> {
        let mut writer = StreamWriter::try_new(Vec::new(), rows.schema_ref())?;
        writer.write(rows)?;
        let block = writer.into_inner()?;
        self.file.write_all(&block)?;
        self.blocks[bucket].push((self.end, block.len() as u64));
        self.end += block.len() as u64;
        Ok(())
    }

    /// The rows of a bucket, in the order in which they came.
    fn read(&mut self, bucket: usize) -> Result<Vec<RecordBatch>, Box<dyn std::error::Error>> {
        let mut rows = Vec::new();
        for &(start, length) in &self.blocks[bucket] {
            self.file.seek(SeekFrom::Start(start))?;
            for batch in StreamReader::try_new(BufReader::new((&self.file).take(length)), None)? {
                rows.push(batch?);
            }
        }
        Ok(rows)
    }
}
