//! The memory that a release may take: what does not fit waits on disk, and a limit below what the
//! work needs is refused.
//!
//! Rows wait for the shuffle; everything else grows with distinct rows and with what threads have in
//! hand. The need is an estimate from counts, so that it is known before the work begins and is the
//! same in every run with the same number of threads.

use throng::error::Result;
use throng::fault;
use throng::policy::{Column, Missing, Policy, Role};
use throng::registry::Algorithm;
use throng::search::Grouped;

use crate::Engine;
use crate::scan::threads;
use crate::shuffle;
use crate::source::Source;

/// The program, its tables of names and the buffers of files.
const PROGRAM: u64 = 64 << 20;
/// What a thread has in hand: a piece that is read, a group of rows that is written.
const THREAD: u64 = 16 << 20;
/// What a distinct row takes in a column, and beside its columns: classes, the search's index, what
/// became of it, the verifier's classes. These and the following bytes are above what was measured
/// with 0.02 to 6 million distinct rows of 3 to 40 columns; see `docs/performance.md`.
const CELL: u64 = 10;
const CLASS: u64 = 80;
/// Its value in a column that models or losses judge: counts of values per class, in the table, in
/// groupings and in the verifier.
const MEASURED: u64 = 170;
/// The same in a target, beside that.
const TARGET: u64 = 100;
/// Groupings that a search of the lattice stores, per thread.
const SEARCHED: u64 = 60;
/// What rounds over unsafe rows keep of it: its round, and the classes of what is left.
const ROUND: u64 = 90;
/// Its place among regions, and a cell of it there.
const REGION: u64 = 280;
const REGION_CELL: u64 = 5;
/// Sets that `greedy` compares it with.
const GREEDY: u64 = 1100;
/// What counts of compatible rows take: a tuple of bits, and a copy of it in every split.
const COMPATIBLE: u64 = 360;
/// A distinct row of the population.
const PERSON: u64 = 80;
/// A distinct value of a column: its texts, its place in hierarchies, what is known of its labels.
const VALUE: u64 = 400;
/// The same in regions, where sets and means of values are written.
const REGION_VALUE: u64 = 400;
/// An identifier that is replaced.
const IDENTIFIER: u64 = 260;
/// Buckets of rows that are shuffled and encoded at a time: per thread, and for the one that reads
/// them.
const BUCKETS: u64 = 4;
const BUCKETS_READ: u64 = 2;
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
        let extent = Extent { distinct, columns, ..Extent::default() };
        let need = extent.need(threads() as u64);
        match self.memory {
            Some(memory) if EARLY * memory < distinct * (CLASS + columns * CELL) => Err(fault!(
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

    /// Refuses a limit that is too low for a table.
    pub(crate) fn check_memory(&self, extent: &Extent) -> Result<()> {
        let need = extent.need(threads() as u64);
        match self.memory {
            Some(memory) if memory < need => Err(fault!(
                Input,
                "release.too-little-memory",
                "the table has {distinct} distinct rows and needs about {need} MiB; the limit is {limit} MiB",
                distinct = extent.distinct,
                need = need.div_ceil(1 << 20),
                limit = memory >> 20
            )
            .help(format!("give --memory {}M, or fewer --threads", need.div_ceil(1 << 20)))
            .into()),
            _ => Ok(()),
        }
    }
}

/// What the memory of a release grows with.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    /// Distinct rows by the columns that are grouped.
    pub(crate) distinct: u64,
    /// Columns that are grouped; of these, those that models or losses judge, and the targets.
    pub(crate) columns: u64,
    pub(crate) measured: u64,
    pub(crate) targets: u64,
    /// Distinct values of all of them.
    pub(crate) values: u64,
    /// Distinct rows of the population beside the table.
    pub(crate) people: u64,
    /// Distinct identifiers that are replaced.
    pub(crate) identifiers: u64,
    /// Bytes of the rows that are shuffled at a time, where columns are released as they are.
    pub(crate) bucket: u64,
    /// How the release is decided.
    pub(crate) way: Way,
    /// Whether missing cells match everything.
    pub(crate) wildcard: bool,
}

/// How a release is decided, as far as memory depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Way {
    /// One node after the other, without a search.
    #[default]
    Path,
    /// A search of the lattice, which stores groupings.
    Search,
    /// Such a search, and rounds over the rows that it leaves.
    Rounds,
    /// Regions of rows.
    Regions,
    /// Regions that `greedy` forms.
    Greedy,
}

impl Way {
    fn of(policy: &Policy) -> Self {
        match policy.search.algorithm {
            Algorithm::Greedy | Algorithm::GreedyRows => Way::Greedy,
            _ if policy.forms_regions() => Way::Regions,
            _ if policy.search.local => Way::Rounds,
            Algorithm::Datafly => Way::Path,
            _ => Way::Search,
        }
    }
}

impl Extent {
    /// The extent of a table that was grouped, without the identifiers that are replaced.
    pub(crate) fn of(policy: &Policy, source: &Source, grouped: &Grouped) -> Self {
        let (quasi, measured) = (grouped.names.len(), grouped.measured.len());
        let is_target = |name: &&String| policy.columns.get(*name).is_some_and(|c| c.role == Role::Target);
        let kept = |column: &Column| column.released() && column.role != Role::Quasi;
        let rows = grouped.tuples.rows();
        Extent {
            distinct: grouped.tuples.len() as u64,
            columns: (quasi + measured) as u64,
            measured: measured as u64,
            targets: grouped.measured.iter().filter(is_target).count() as u64,
            values: grouped.dictionaries.iter().map(|values| values.len() as u64).sum(),
            people: grouped.population.as_ref().map_or(0, |people| people.tuples.len() as u64),
            identifiers: 0,
            bucket: match policy.columns.values().any(kept) {
                true => shuffle::bucket_bytes(rows, source.text_bytes() / rows.max(1)),
                false => 0,
            },
            way: Way::of(policy),
            wildcard: policy.input.missing == Missing::Wildcard,
        }
    }

    /// Bytes that a release takes at most.
    fn need(&self, threads: u64) -> u64 {
        let of_way = match self.way {
            Way::Path => 0,
            Way::Search => threads * SEARCHED,
            Way::Rounds => threads * SEARCHED + ROUND,
            Way::Regions => REGION + self.columns * REGION_CELL,
            Way::Greedy => REGION + self.columns * REGION_CELL + GREEDY,
        };
        let value = VALUE + if matches!(self.way, Way::Regions | Way::Greedy) { REGION_VALUE } else { 0 };
        let compatible = if self.wildcard { COMPATIBLE } else { 0 };
        let columns = self.columns * CELL + self.measured * MEASURED + self.targets * TARGET;
        PROGRAM
            + threads * THREAD
            + WAITING
            + self.bucket * (threads * BUCKETS + BUCKETS_READ)
            + self.distinct * (CLASS + columns + of_way + compatible)
            + self.values * value
            + self.people * PERSON
            + self.identifiers * IDENTIFIER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// Nine columns and no row.
    const EXTENT: Extent = Extent {
        distinct: 0,
        columns: 9,
        measured: 0,
        targets: 0,
        values: 0,
        people: 0,
        identifiers: 0,
        bucket: 0,
        way: Way::Path,
        wildcard: false,
    };

    #[test]
    fn wildcards_add_to_every_distinct_row() {
        for distinct in [0, 1, 99_989, 999_263] {
            let plain = Extent { distinct, ..EXTENT };
            let wildcard = Extent { wildcard: true, ..plain };
            assert_eq!(wildcard.need(2) - plain.need(2), distinct * COMPATIBLE);
        }
        let blank = Extent { distinct: 999_263, values: 239, wildcard: true, ..EXTENT };
        assert!((540..640).contains(&(blank.need(2) / MIB)), "{}", blank.need(2) / MIB);
    }

    #[test]
    fn what_is_larger_needs_no_less() {
        let least = Extent { distinct: 1000, columns: 5, values: 10, ..EXTENT };
        let larger = [
            Extent { distinct: 1001, ..least },
            Extent { columns: 6, ..least },
            Extent { measured: 1, ..least },
            Extent { targets: 1, ..least },
            Extent { values: 11, ..least },
            Extent { people: 1, ..least },
            Extent { identifiers: 1, ..least },
            Extent { bucket: 1, ..least },
            Extent { way: Way::Search, ..least },
            Extent { way: Way::Rounds, ..least },
            Extent { way: Way::Regions, ..least },
            Extent { way: Way::Greedy, ..least },
            Extent { wildcard: true, ..least },
        ];
        for larger in larger {
            assert!(larger.need(2) > least.need(2), "{larger:?}");
            assert!(larger.need(3) > larger.need(2), "{larger:?}");
        }
    }

    #[test]
    fn the_way_of_a_policy_follows_from_its_algorithm() {
        let way = |search: &str| {
            let text = format!(
                "version = 1\n[input]\npath = \"x\"\n[columns.a]\nrole = \"quasi\"\n\
                 [privacy]\nk = 2\n[search]\nalgorithm = \"{search}\n"
            );
            Way::of(&Policy::parse(&text).unwrap())
        };
        assert_eq!(way("datafly\""), Way::Path);
        assert_eq!(way("auto\""), Way::Search);
        assert_eq!(way("auto\"\nlocal = true"), Way::Rounds);
        assert_eq!(way("mondrian\""), Way::Regions);
        assert_eq!(way("greedy\""), Way::Greedy);
    }
}
