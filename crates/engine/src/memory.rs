//! The memory that a release may take: what does not fit waits on disk, and a limit below what the
//! work needs is refused.
//!
//! Rows wait for the shuffle; everything else grows with distinct rows and with what threads have in
//! hand. The need is an estimate from counts, so that it is known before the work begins and is the
//! same in every run with the same number of threads.

use throng::error::Result;
use throng::fault;

use crate::Engine;
use crate::scan::threads;

/// The program, its tables of names and the buffers of files.
const PROGRAM: u64 = 64 << 20;
/// What a thread has in hand: a piece that is read, a group of rows that is written.
const THREAD: u64 = 16 << 20;
/// What a distinct row takes in a column, and beside its columns: classes, the search's index, what
/// became of it, the verifier's classes. Where regions are formed, also its place among them.
/// Measured with 0.02 to 6 million distinct rows of 5 to 9 columns; see `docs/performance.md`.
const CELL: u64 = 10;
const CLASS: u64 = 80;
const REGION: u64 = 250;
/// How far reading exceeds a limit to find out what is needed.
const EARLY: u64 = 8;
/// Threads beyond this are a slip of the keyboard.
const MOST_THREADS: usize = 1024;
/// What has to be able to wait.
const WAITING: u64 = 8 << 20;

impl Engine {
    /// The same engine within a limit of bytes; with none, it takes what it needs.
    #[must_use]
    pub fn within(self, memory: Option<u64>) -> Self {
        Engine { memory }
    }

    /// Lets the whole program use this many threads. Only the first call counts.
    ///
    /// # Errors
    /// More threads than the system starts.
    pub fn use_threads(threads: usize) -> Result<()> {
        if threads > MOST_THREADS {
            return Err(fault!(
                Input,
                "release.too-many-threads",
                "{threads} threads are more than {most}",
                threads = threads,
                most = MOST_THREADS
            )
            .help("give no more than the cores of this machine")
            .into());
        }
        // An error says that threads were started before; they stay.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        Ok(())
    }

    /// The rest of the limit, in which rows wait for the shuffle.
    pub(crate) fn memory_of_shuffle(&self) -> Option<usize> {
        let fixed = PROGRAM + threads() as u64 * THREAD;
        self.memory.map(|memory| (memory.saturating_sub(fixed) / 4).max(WAITING) as usize)
    }

    /// Refuses a limit while a table is read, as soon as its distinct rows alone take [`EARLY`] times as
    /// much. Otherwise reading itself could take any amount.
    pub(crate) fn check_memory_so_far(&self, rows: u64, distinct: u64, columns: u64) -> Result<()> {
        let need = need(distinct, columns, threads() as u64, false);
        match self.memory {
            Some(memory) if EARLY * memory < distinct * class(columns) => Err(fault!(
                Input,
                "release.far-too-little-memory",
                "the first {rows} rows have {distinct} distinct ones, which need about {need} MiB; the limit is {limit} MiB",
                rows = rows,
                distinct = distinct,
                need = need.div_ceil(1 << 20),
                limit = memory >> 20
            )
            .help("give more with --memory, or group columns of many values first, such as dates by month")
            .into()),
            _ => Ok(()),
        }
    }

    /// Refuses a limit that is too low for a table with this many distinct rows and columns.
    pub(crate) fn check_memory(&self, distinct: u64, columns: u64, regions: bool) -> Result<()> {
        let need = need(distinct, columns, threads() as u64, regions);
        match self.memory {
            Some(memory) if memory < need => Err(fault!(
                Input,
                "release.too-little-memory",
                "the table has {distinct} distinct rows and needs about {need} MiB; the limit is {limit} MiB",
                distinct = distinct,
                need = need.div_ceil(1 << 20),
                limit = memory >> 20
            )
            .help(format!("give --memory {}M, or fewer --threads", need.div_ceil(1 << 20)))
            .into()),
            _ => Ok(()),
        }
    }
}

fn need(distinct: u64, columns: u64, threads: u64, regions: bool) -> u64 {
    let regions = if regions { REGION } else { 0 };
    PROGRAM + threads * THREAD + WAITING + distinct * (class(columns) + regions)
}

/// What a distinct row takes.
fn class(columns: u64) -> u64 {
    CLASS + columns * CELL
}
