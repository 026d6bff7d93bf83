//! Counts the rows that are compatible with a tuple: they agree wherever both have a value.
//!
//! Compatibility is not an equivalence: (1, ?) and (?, 2) both match (1, 2) and need not match each
//! other's matches, so counts cannot come from one grouping. Tuples that ask and tuples that have
//! rows are split together, column by column: those with a value meet those with the same value and
//! those without one, and tuples without a value meet all. Cells of a tuple are bit fields of a few
//! words, so that two tuples are compared by one operation per word. Where few patterns of missing
//! cells remain, patterns are joined by hash instead, each on the columns that both have. Where a
//! count need not be exact from a limit on, a few tuples that are spread over all are compared
//! first: tuples that most match are done then, and only rare ones are split.
//!
//! **Cost.** The least of two estimates, for every part of a split: Σ over columns of (prefixes that
//! ask) × (tuples that match the prefix), or tuples × patterns of missing cells; with a limit at
//! most as much more for the first comparisons, limit / (share of pairs that match) per tuple.
//! Parts are counted in parallel; what is below the limit does not depend on it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::table::Code;

/// The code of a cell that is not there.
pub const ABSENT: Code = Code::MAX;

/// Pairs that are compared one by one.
const FEW_PAIRS: usize = 256;
/// Pairs that are worth a look at patterns and at whether to stop.
const MANY_PAIRS: usize = 1 << 12;
/// Pairs that are worth another thread.
const THREAD_PAIRS: usize = 1 << 20;
/// How many tuples are compared first, in those that are expected to reach the limit.
const PROBES: f64 = 2.0;
/// Tuples whose patterns are counted before all are grouped by pattern.
const SAMPLE: usize = 64;
/// How much longer a look-up in a table takes than the comparison of two tuples.
const LOOK_UP: f64 = 4.0;

/// Tuples with rows, and how exactly to count.
pub struct Tuples<'a> {
    /// Column → tuple → code, or [`ABSENT`].
    pub columns: &'a [Vec<Code>],
    /// Tuple → its rows. Tuples without rows ask for nothing.
    pub rows: &'a [u64],
    /// A count that reaches this need not be exact.
    pub enough: u64,
    /// Whether to give up; counts are then too small.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Tuples<'_> {
    /// For each tuple the rows that are compatible with it, its own included; 0 for a tuple without
    /// rows.
    pub fn matches(&self) -> Vec<u64> {
        let (fields, words) = fields(self.columns);
        match words {
            0 | 1 => Join::<1>::new(self, fields).matches(),
            2 => Join::<2>::new(self, fields).matches(),
            3..=4 => Join::<4>::new(self, fields).matches(),
            5..=16 => Join::<16>::new(self, fields).matches(),
            _ => Join::<64>::new(self, fields).matches(),
        }
    }
}

/// The bits of a column's cells.
#[derive(Debug, Clone, Copy)]
struct Field {
    column: usize,
    word: usize,
    shift: u32,
    mask: u64,
}

/// One field per column with more than one value, missing cells counted, and the number of words.
fn fields(columns: &[Vec<Code>]) -> (Vec<Field>, usize) {
    let (mut fields, mut word, mut used) = (Vec::new(), 0, 0);
    for (column, codes) in columns.iter().enumerate() {
        if codes.iter().all(|code| Some(code) == codes.first()) {
            continue;
        }
        let most = codes.iter().filter(|&&code| code != ABSENT).max().copied().unwrap_or(0);
        let bits = (u32::BITS - most.leading_zeros()).max(1);
        if used + bits > u64::BITS {
            (word, used) = (word + 1, 0);
        }
        fields.push(Field { column, word, shift: used, mask: (1 << bits) - 1 });
        used += bits;
    }
    (fields, word + 1)
}

/// A tuple.
#[derive(Clone, Copy)]
struct Item<const W: usize> {
    /// Its cells; 0 where there is none.
    cells: [u64; W],
    /// All bits of the cells that are not there.
    gaps: [u64; W],
    rows: u64,
}

impl<const W: usize> Item<W> {
    fn matches(&self, other: &Item<W>) -> bool {
        (0..W).all(|w| (self.cells[w] ^ other.cells[w]) & !(self.gaps[w] | other.gaps[w]) == 0)
    }

    /// The code in a column, or [`ABSENT`].
    fn code(&self, field: &Field) -> Code {
        if self.gaps[field.word] >> field.shift & 1 == 1 {
            return ABSENT;
        }
        (self.cells[field.word] >> field.shift & field.mask) as Code
    }
}

/// Tuples by their code in a column; those without one come last.
struct Split {
    ids: Vec<u32>,
    /// Code, and where its tuples begin and end; ascending.
    runs: Vec<(Code, usize, usize)>,
}

impl Split {
    /// The tuples without a code.
    fn absent(&self) -> &[u32] {
        match self.runs.last() {
            Some(&(ABSENT, from, to)) => &self.ids[from..to],
            _ => &[],
        }
    }

    fn with(&self, code: Code) -> &[u32] {
        match self.runs.binary_search_by_key(&code, |run| run.0) {
            Ok(at) => &self.ids[self.runs[at].1..self.runs[at].2],
            Err(_) => &[],
        }
    }
}

/// Tuples by the cells that they lack, among columns not split yet.
type Patterns<const W: usize> = BTreeMap<[u64; W], Vec<u32>>;

struct Join<'a, const W: usize> {
    tuples: &'a Tuples<'a>,
    items: Vec<Item<W>>,
    /// In the order in which they are split.
    fields: Vec<Field>,
    /// Field → its codes.
    fans: Vec<usize>,
    /// Field → the share of pairs of tuples that match in it.
    shares: Vec<f64>,
    counts: Vec<AtomicU64>,
}

impl<'a, const W: usize> Join<'a, W> {
    fn new(tuples: &'a Tuples<'a>, fields: Vec<Field>) -> Self {
        let item = |(tuple, &rows): (usize, &u64)| {
            let mut item = Item { cells: [0; W], gaps: [0; W], rows };
            for field in &fields {
                match tuples.columns[field.column][tuple] {
                    ABSENT => item.gaps[field.word] |= field.mask << field.shift,
                    code => item.cells[field.word] |= u64::from(code) << field.shift,
                }
            }
            item
        };
        let items: Vec<Item<W>> = tuples.rows.iter().enumerate().map(item).collect();
        let mut measured: Vec<(Field, usize, f64)> = fields.iter().map(|f| measured(f, &items)).collect();
        // Columns that leave fewest tuples for the parts that they make come first.
        let rate = |&(_, fan, share): &(Field, usize, f64)| -share.ln() / (fan.max(2) as f64).ln();
        measured.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
        let own = |item: &Item<W>| AtomicU64::new(if item.rows >= tuples.enough { item.rows } else { 0 });
        Join {
            tuples,
            fields: measured.iter().map(|m| m.0).collect(),
            fans: measured.iter().map(|m| m.1).collect(),
            shares: measured.iter().map(|m| m.2).collect(),
            counts: items.iter().map(own).collect(),
            items,
        }
    }

    fn matches(self) -> Vec<u64> {
        let with_rows = (0..self.items.len() as u32).filter(|&id| self.items[id as usize].rows > 0);
        let have: Vec<u32> = with_rows.collect();
        let asked = have.iter().copied().filter(|&id| self.items[id as usize].rows < self.tuples.enough);
        self.count(&asked.collect::<Vec<_>>(), &have, 0);
        self.counts.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// Adds to the tuples that ask the rows of those that match them; both are split by the first
    /// `depth` fields.
    fn count(&self, asked: &[u32], have: &[u32], depth: usize) {
        let pairs = asked.len().saturating_mul(have.len());
        if pairs == 0 {
            return;
        }
        if depth == self.fields.len() {
            let rows = have.iter().map(|&id| self.items[id as usize].rows).sum();
            asked.iter().for_each(|&id| self.add(id, rows));
        } else if pairs <= FEW_PAIRS || asked.len() <= 2 {
            self.compare(asked, have);
        } else if pairs <= MANY_PAIRS {
            self.split(asked, have, depth);
        } else if !(self.tuples.stopped)() {
            let left = self.probed(asked, have, depth);
            let asked = left.as_deref().unwrap_or(asked);
            if !self.joined(asked, have, depth) {
                self.split(asked, have, depth);
            }
        }
    }

    /// The tuples that do not reach the limit among some that are spread over all; none where that
    /// is not expected to pay.
    fn probed(&self, asked: &[u32], have: &[u32], depth: usize) -> Option<Vec<u32>> {
        let share: f64 = self.shares[depth..].iter().product();
        let wanted = PROBES * self.tuples.enough as f64 / share;
        let splitting = self.cost_of_splits(asked.len() as f64, have.len() as f64, depth);
        if wanted * 2.0 > have.len() as f64 || wanted * asked.len() as f64 > splitting {
            return None;
        }
        // Odd, and prime to most lengths: neighbours are alike.
        let step = (have.len() as f64 / wanted) as usize | 1;
        let reaches = |&id: &u32| {
            let mine = &self.items[id as usize];
            let mut rows = 0;
            for theirs in have.iter().step_by(step).map(|&id| &self.items[id as usize]) {
                rows += if mine.matches(theirs) { theirs.rows } else { 0 };
                if rows >= self.tuples.enough {
                    self.add(id, rows);
                    return true;
                }
            }
            false
        };
        Some(asked.par_iter().filter(|id| !reaches(id)).copied().collect())
    }

    fn add(&self, id: u32, rows: u64) {
        self.counts[id as usize].fetch_add(rows, Ordering::Relaxed);
    }

    fn compare(&self, asked: &[u32], have: &[u32]) {
        for &id in asked {
            let mine = &self.items[id as usize];
            let mut rows = 0;
            for theirs in have.iter().map(|&id| &self.items[id as usize]) {
                rows += if mine.matches(theirs) { theirs.rows } else { 0 };
                if rows >= self.tuples.enough {
                    break;
                }
            }
            self.add(id, rows);
        }
    }

    fn split(&self, asked: &[u32], have: &[u32], depth: usize) {
        let (asking, having) = (self.by_code(asked, depth), self.by_code(have, depth));
        let part = |&(code, from, to): &(Code, usize, usize)| {
            let asked = &asking.ids[from..to];
            match code {
                ABSENT => self.count(asked, &having.ids, depth + 1),
                code => self.count(asked, &[having.with(code), having.absent()].concat(), depth + 1),
            }
        };
        match asked.len().saturating_mul(have.len()) >= THREAD_PAIRS {
            true => asking.runs.par_iter().for_each(part),
            false => asking.runs.iter().for_each(part),
        }
    }

    fn by_code(&self, list: &[u32], depth: usize) -> Split {
        let (field, fan) = (&self.fields[depth], self.fans[depth]);
        let code = |&id: &u32| self.items[id as usize].code(field);
        if fan > list.len() {
            let mut keyed: Vec<u64> =
                list.iter().map(|id| u64::from(code(id)) << 32 | u64::from(*id)).collect();
            keyed.sort_unstable();
            let ids: Vec<u32> = keyed.iter().map(|&key| key as u32).collect();
            let mut runs: Vec<(Code, usize, usize)> = Vec::new();
            for (at, code) in keyed.iter().map(|key| (key >> 32) as Code).enumerate() {
                match runs.last_mut() {
                    Some(run) if run.0 == code => run.2 = at + 1,
                    _ => runs.push((code, at, at + 1)),
                }
            }
            return Split { ids, runs };
        }
        // The last place is for tuples without a code.
        let place = |id: &u32| (code(id) as usize).min(fan);
        let mut ends = vec![0; fan + 1];
        list.iter().for_each(|id| ends[place(id)] += 1);
        let mut runs = Vec::new();
        let mut from = 0;
        for (at, end) in ends.iter_mut().enumerate().filter(|(_, n)| **n > 0) {
            let to = from + *end;
            runs.push((if at == fan { ABSENT } else { at as Code }, from, to));
            (*end, from) = (from, to);
        }
        let mut ids = vec![0; list.len()];
        for id in list {
            let next = &mut ends[place(id)];
            ids[*next] = *id;
            *next += 1;
        }
        Split { ids, runs }
    }

    /// Joins patterns if that is cheaper than to split on; whether it did.
    fn joined(&self, asked: &[u32], have: &[u32], depth: usize) -> bool {
        let (ask, has) = (asked.len() as f64, have.len() as f64);
        let splitting = self.cost_of_splits(ask, has, depth);
        if LOOK_UP * 2.0 * (ask + has) >= splitting {
            return false;
        }
        let mut rest = [0; W];
        self.fields[depth..].iter().for_each(|field| rest[field.word] |= field.mask << field.shift);
        // A few tuples have at most as many patterns as all.
        let some = |list: &[u32]| self.sampled(list, &rest) as f64;
        if LOOK_UP * (ask * some(have) + has * some(asked)) >= splitting {
            return false;
        }
        let (asking, having) = (self.patterns(asked, &rest), self.patterns(have, &rest));
        let joining = LOOK_UP * (ask * having.len() as f64 + has * asking.len() as f64);
        if joining < splitting {
            having.par_iter().for_each(|(gaps, tuples)| self.join((gaps, tuples), &asking, &rest));
        }
        joining < splitting
    }

    /// Tuples that are copied or compared by splits from here on, if columns are independent.
    fn cost_of_splits(&self, ask: f64, has: f64, depth: usize) -> f64 {
        let (mut prefixes, mut left, mut cost) = (1.0, has, 0.0);
        for field in depth..self.fields.len() {
            prefixes *= self.fans[field] as f64;
            left *= self.shares[field];
            cost += ask.min(prefixes) * left;
            if prefixes > ask {
                break;
            }
        }
        cost
    }

    /// Patterns of some of these tuples, spread over all.
    fn sampled(&self, list: &[u32], rest: &[u64; W]) -> usize {
        let some = list.iter().step_by(list.len().div_ceil(SAMPLE).max(1));
        let mut patterns: Vec<[u64; W]> = some.map(|&id| both(&self.items[id as usize].gaps, rest)).collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns.len()
    }

    fn patterns(&self, list: &[u32], rest: &[u64; W]) -> Patterns<W> {
        let mut patterns = Patterns::new();
        for &id in list {
            let gaps = both(&self.items[id as usize].gaps, rest);
            patterns.entry(gaps).or_default().push(id);
        }
        patterns
    }

    /// Adds the rows of one pattern to all that ask, by the cells that both have.
    fn join(&self, (gaps, have): (&[u64; W], &[u32]), asking: &Patterns<W>, rest: &[u64; W]) {
        // Patterns that lack the same cells together look up the same parts of tuples.
        let mut by_gaps: BTreeMap<[u64; W], Vec<&[u32]>> = BTreeMap::new();
        for (theirs, asked) in asking {
            let together = std::array::from_fn(|w| gaps[w] | theirs[w]);
            by_gaps.entry(together).or_default().push(asked);
        }
        let mut table = Table::default();
        for (together, asking) in by_gaps {
            if (self.tuples.stopped)() {
                return;
            }
            let seen: [u64; W] = std::array::from_fn(|w| rest[w] & !together[w]);
            table.begin(have.len());
            for item in have.iter().map(|&id| &self.items[id as usize]) {
                table.add(both(&item.cells, &seen), item.rows);
            }
            for &id in asking.into_iter().flatten() {
                if self.counts[id as usize].load(Ordering::Relaxed) < self.tuples.enough {
                    self.add(id, table.rows(&both(&self.items[id as usize].cells, &seen)));
                }
            }
        }
    }
}

fn both<const W: usize>(a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|w| a[w] & b[w])
}

/// The codes of a field, and the share of pairs of tuples that match in it.
fn measured<const W: usize>(field: &Field, items: &[Item<W>]) -> (Field, usize, f64) {
    let mut counts = vec![0u64; field.mask as usize + 1];
    let mut absent = 0u64;
    for item in items.iter().filter(|item| item.rows > 0) {
        match item.code(field) {
            ABSENT => absent += 1,
            code => counts[code as usize] += 1,
        }
    }
    let fan = counts.iter().rposition(|&n| n > 0).map_or(0, |last| last + 1);
    let all = (absent + counts.iter().sum::<u64>()).max(1) as f64;
    let share = |n: u64| n as f64 / all;
    let matching: f64 = counts.iter().map(|&n| share(n) * (share(n) + share(absent))).sum();
    (*field, fan, (matching + share(absent)).max(f64::MIN_POSITIVE))
}

/// Rows by the cells of tuples: open addressing with linear probing.
struct Table<const W: usize> {
    /// Entry + 1; 0 is free.
    slots: Vec<u32>,
    entries: Vec<([u64; W], u64)>,
}

impl<const W: usize> Default for Table<W> {
    fn default() -> Self {
        Table { slots: Vec::new(), entries: Vec::new() }
    }
}

impl<const W: usize> Table<W> {
    /// Forgets everything and makes room for a number of tuples.
    fn begin(&mut self, tuples: usize) {
        self.slots.clear();
        self.slots.resize((2 * tuples).next_power_of_two().max(16), 0);
        self.entries.clear();
    }

    /// The slot of some cells: theirs, or a free one.
    fn slot(&self, cells: &[u64; W]) -> usize {
        let hash = cells
            .iter()
            .fold(0u64, |hash, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        while self.slots[at] != 0 && self.entries[self.slots[at] as usize - 1].0 != *cells {
            at = (at + 1) & mask;
        }
        at
    }

    fn add(&mut self, cells: [u64; W], rows: u64) {
        let slot = self.slot(&cells);
        match self.slots[slot] {
            0 => {
                self.entries.push((cells, rows));
                self.slots[slot] = self.entries.len() as u32;
            }
            entry => self.entries[entry as usize - 1].1 += rows,
        }
    }

    fn rows(&self, cells: &[u64; W]) -> u64 {
        match self.slots[self.slot(cells)] {
            0 => 0,
            entry => self.entries[entry as usize - 1].1,
        }
    }
}
