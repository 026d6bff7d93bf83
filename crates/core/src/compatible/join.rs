//! Splits tuples that ask and tuples that have rows by one column after the other. A tuple that
//! asks is in one part only, so that its count is written once.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::items::{Item, Layout};
use super::patterns::Patterns;
use super::sums::sum_compatible;
use super::{Tuples, Wanted};

/// Pairs that are compared without a further look.
const FEW_PAIRS: usize = 256;
/// Pairs that are worth a look at whether to stop.
const MANY_PAIRS: usize = 1 << 12;
/// Pairs that are worth another thread.
const THREAD_PAIRS: usize = 1 << 20;
/// How many tuples are compared first, in those that are expected to reach the limit.
const PROBES: f64 = 2.0;
/// Tuples that are compared between two looks at the limit.
const CHUNK: usize = 16;
/// How much longer than a comparison it takes to copy a tuple in a split,
const COPY: f64 = 8.0;
/// and to add it to an array.
const ADD: f64 = 6.0;

/// Tuples of a part: those without a value in the last column, and those with the part's value.
pub(super) type Have<'a, const W: usize> = [&'a [Item<W>]; 2];

pub(super) struct Join<'a, const W: usize> {
    tuples: &'a Tuples<'a>,
    layout: &'a Layout,
    wanted: Wanted<'a>,
    counts: Vec<AtomicU64>,
    /// Rows of tuples that were found to be below the limit.
    failed: AtomicU64,
}

/// Buffers of a thread.
struct Scratch<const W: usize> {
    /// Depth → tuples by value.
    items: Vec<Vec<Item<W>>>,
    ends: Vec<u32>,
    rows: Vec<u64>,
    all: Vec<u64>,
}

/// A part of the tuples that ask: the place of their value, and where they are.
struct Run {
    place: usize,
    from: usize,
    to: usize,
}

impl<'a, const W: usize> Join<'a, W> {
    pub fn new(tuples: &'a Tuples<'a>, layout: &'a Layout, wanted: Wanted<'a>) -> Self {
        let counts = tuples.rows.iter().map(|_| AtomicU64::new(0)).collect();
        Join { tuples, layout, wanted, counts, failed: AtomicU64::new(0) }
    }

    /// Tuple → count, and the rows that were found to be below the limit.
    pub fn counts(self) -> (Vec<u64>, u64) {
        let have = self.sorted();
        let is_asked = |item: &&Item<W>| {
            let done = item.rows >= self.tuples.enough;
            if done {
                self.counts[item.id as usize].store(item.rows, Ordering::Relaxed);
            }
            !done
        };
        let ask: Cow<'_, [Item<W>]> = match self.wanted.asked {
            // Nothing to copy where all ask.
            None if have.iter().all(|item| item.rows < self.tuples.enough) => Cow::Borrowed(&have),
            None => have.iter().filter(is_asked).copied().collect(),
            Some(asked) => {
                let mut asks = vec![false; self.tuples.rows.len()];
                asked.iter().for_each(|&id| asks[id as usize] = true);
                have.iter().filter(|item| asks[item.id as usize]).filter(is_asked).copied().collect()
            }
        };
        self.count(&ask, [&have, &[]], 0, &mut self.scratch());
        (self.counts.into_iter().map(AtomicU64::into_inner).collect(), self.failed.into_inner())
    }

    fn sorted(&self) -> Vec<Item<W>> {
        let rows = self.tuples.rows;
        let with_rows = (0..rows.len()).into_par_iter().filter(|&id| rows[id] > 0);
        let mut items: Vec<Item<W>> =
            with_rows.map(|id| self.layout.item(self.tuples.columns, id, rows[id])).collect();
        items.par_sort_unstable_by_key(|item| (item.cells, item.id));
        items
    }

    fn scratch(&self) -> Scratch<W> {
        let items = vec![Vec::new(); self.layout.fields.len()];
        Scratch { items, ends: Vec::new(), rows: Vec::new(), all: Vec::new() }
    }

    /// Whether more rows are below the limit than matter.
    fn refuted(&self) -> bool {
        self.wanted.most < u64::MAX && self.failed.load(Ordering::Relaxed) > self.wanted.most
    }

    /// Counts for the tuples that ask; both are split by the first `depth` fields.
    fn count(&self, ask: &[Item<W>], have: Have<'_, W>, depth: usize, scratch: &mut Scratch<W>) {
        let n = have[0].len() + have[1].len();
        let pairs = ask.len().saturating_mul(n);
        if pairs == 0 {
            return;
        }
        // Every tuple has rows, so that only few have too few.
        if !self.wanted.exact && (n as u64) < self.tuples.enough && rows_of(have) < self.tuples.enough {
            self.fail(ask.iter().map(|item| item.rows).sum());
        } else if depth == self.layout.fields.len() {
            let rows = rows_of(have);
            ask.iter().for_each(|item| self.found(item, rows));
        } else if pairs <= FEW_PAIRS || ask.len() <= 2 {
            self.compare(ask, have);
        } else if pairs <= MANY_PAIRS {
            self.go_on(ask, have, depth, scratch);
        } else if !(self.tuples.stopped)() && !self.refuted() {
            match self.probed(ask, have, depth) {
                Some(left) => self.go_on(&left, have, depth, scratch),
                None => self.go_on(ask, have, depth, scratch),
            }
        }
    }

    /// Ends or splits a part, whichever is expected to cost least.
    fn go_on(&self, ask: &[Item<W>], have: Have<'_, W>, depth: usize, scratch: &mut Scratch<W>) {
        let (q, n) = (ask.len() as f64, (have[0].len() + have[1].len()) as f64);
        let (compared, summed) = (q * n, self.cost_of_sums(q, n, depth));
        let split = self.cost_of_split(q, n, depth);
        if self.joined(compared.min(summed).min(split), ask, have, depth) {
        } else if compared <= summed.min(split) {
            self.compare(ask, have);
        } else if summed <= split {
            self.sum(ask, have, depth, scratch);
        } else {
            self.split(ask, have, depth, scratch);
        }
    }

    /// Joins patterns if that costs less than a number of comparisons; whether it did.
    fn joined(&self, cost: f64, ask: &[Item<W>], have: Have<'_, W>, depth: usize) -> bool {
        let rest = self.layout.rest(depth);
        let Some((asking, having)) = Patterns::cheaper_than(cost, ask, have, &rest) else { return false };
        let count = |item: &Item<W>| &self.counts[item.id as usize];
        let done = |item: &Item<W>| count(item).load(Ordering::Relaxed) >= self.tuples.enough;
        let add = |item: &Item<W>, rows: u64| {
            count(item).fetch_add(rows, Ordering::Relaxed);
        };
        asking.join(&having, (done, add), || (self.tuples.stopped)());
        ask.iter().for_each(|item| self.found(item, count(item).load(Ordering::Relaxed)));
        true
    }

    /// What a part is expected to cost, in comparisons, if columns are independent.
    fn cost(&self, q: f64, n: f64, depth: usize) -> f64 {
        let ended = (q * n).min(self.cost_of_sums(q, n, depth));
        // A split copies all tuples at least.
        if ended <= COPY * n || depth == self.layout.fields.len() {
            return ended;
        }
        ended.min(self.cost_of_split(q, n, depth))
    }

    fn cost_of_sums(&self, q: f64, n: f64, depth: usize) -> f64 {
        match self.layout.few_cells(depth) {
            Some(cells) => cells as f64 * (self.layout.fields.len() - depth + 1) as f64 + ADD * (q + n),
            None => f64::INFINITY,
        }
    }

    fn cost_of_split(&self, q: f64, n: f64, depth: usize) -> f64 {
        let field = &self.layout.fields[depth];
        let parts = q.min(field.radix as f64);
        COPY * n + parts * self.cost(q / parts, n * field.share, depth + 1)
    }

    /// The tuples that do not reach the limit among some that are spread over all; none where that
    /// is not expected to pay.
    fn probed(&self, ask: &[Item<W>], have: Have<'_, W>, depth: usize) -> Option<Vec<Item<W>>> {
        let n = have[0].len() + have[1].len();
        let wanted = PROBES * self.tuples.enough as f64 / self.layout.shares[depth];
        let (q, most) = (ask.len() as f64, n as f64);
        if wanted * 2.0 > most || wanted * q > self.cost(q, most, depth) {
            return None;
        }
        // Odd, and prime to most lengths: neighbours are alike.
        let step = (most / wanted) as usize | 1;
        let reaches = |asking: &Item<W>| {
            let mut rows = 0;
            for item in have.into_iter().flat_map(|list| list.iter().step_by(step)) {
                rows += item.rows_for(asking);
                if rows >= self.tuples.enough {
                    self.found(asking, rows);
                    return true;
                }
            }
            false
        };
        let left = |asking: &&Item<W>| !reaches(asking);
        Some(match ask.len().saturating_mul(wanted as usize) >= THREAD_PAIRS {
            true => ask.par_iter().filter(left).copied().collect(),
            false => ask.iter().filter(left).copied().collect(),
        })
    }

    /// Writes the count of a tuple.
    fn found(&self, asking: &Item<W>, rows: u64) {
        self.counts[asking.id as usize].store(rows, Ordering::Relaxed);
        if rows < self.tuples.enough && self.wanted.most < u64::MAX {
            self.fail(asking.rows);
        }
    }

    fn fail(&self, rows: u64) {
        self.failed.fetch_add(rows, Ordering::Relaxed);
    }

    fn compare(&self, ask: &[Item<W>], have: Have<'_, W>) {
        for asking in ask {
            let mut rows = 0;
            for chunk in have.iter().flat_map(|list| list.chunks(CHUNK)) {
                rows += chunk.iter().map(|item| item.rows_for(asking)).sum::<u64>();
                if rows >= self.tuples.enough {
                    break;
                }
            }
            self.found(asking, rows);
        }
    }

    /// Sums the rows of every combination of the fields that remain.
    fn sum(&self, ask: &[Item<W>], have: Have<'_, W>, depth: usize, scratch: &mut Scratch<W>) {
        let cells = self.layout.cells[depth];
        let at = |item: &Item<W>| (item.tail % cells as u32) as usize;
        let rows = &mut scratch.rows;
        rows.clear();
        rows.resize(cells as usize, 0);
        have.into_iter().flatten().for_each(|item| rows[at(item)] += item.rows);
        let radices = self.layout.fields[depth..].iter().map(|field| field.radix as usize);
        sum_compatible(rows, radices, &mut scratch.all);
        ask.iter().for_each(|asking| self.found(asking, rows[at(asking)]));
    }

    fn split(&self, ask: &[Item<W>], have: Have<'_, W>, depth: usize, scratch: &mut Scratch<W>) {
        let field = &self.layout.fields[depth];
        let mut sorted = std::mem::take(&mut scratch.items[depth]);
        let items: &[Item<W>] = match have {
            // At the beginning they are sorted.
            [all, []] if depth == 0 => all,
            _ => {
                self.by_place(have, depth, &mut sorted, &mut scratch.ends);
                &sorted
            }
        };
        let items_of = |place: usize| {
            let from = items.partition_point(|item| item.place(field) < place);
            &items[from..from + items[from..].partition_point(|item| item.place(field) == place)]
        };
        let absent = items_of(0);
        let part = |run: &Run, scratch: &mut Scratch<W>| {
            let have = if run.place == 0 { [items, &[]] } else { [absent, items_of(run.place)] };
            self.count(&ask[run.from..run.to], have, depth + 1, scratch);
        };
        let mut runs: Vec<Run> = Vec::new();
        for (at, place) in ask.iter().map(|item| item.place(field)).enumerate() {
            match runs.last_mut() {
                Some(run) if run.place == place => run.to = at + 1,
                _ => runs.push(Run { place, from: at, to: at + 1 }),
            }
        }
        if depth == 0 && self.wanted.most < u64::MAX {
            runs.sort_by_key(|run| run.to - run.from);
        }
        match ask.len().saturating_mul(items.len()) >= THREAD_PAIRS {
            true => runs.par_iter().for_each_init(|| self.scratch(), |scratch, run| part(run, scratch)),
            false => runs.iter().for_each(|run| part(run, scratch)),
        }
        scratch.items[depth] = sorted;
    }

    /// Sorts tuples by their value in a field.
    fn by_place(&self, have: Have<'_, W>, depth: usize, to: &mut Vec<Item<W>>, ends: &mut Vec<u32>) {
        let field = &self.layout.fields[depth];
        to.clear();
        if field.radix as usize > have[0].len() + have[1].len() {
            have.into_iter().for_each(|list| to.extend_from_slice(list));
            to.sort_by_key(|item| item.place(field));
            return;
        }
        ends.clear();
        ends.resize(field.radix as usize, 0);
        have.into_iter().flatten().for_each(|item| ends[item.place(field)] += 1);
        let mut from = 0;
        for end in ends.iter_mut() {
            from += std::mem::replace(end, from);
        }
        to.extend_from_slice(have[0]);
        to.extend_from_slice(have[1]);
        for item in have.into_iter().flatten() {
            let next = &mut ends[item.place(field)];
            to[*next as usize] = *item;
            *next += 1;
        }
    }
}

fn rows_of<const W: usize>(have: Have<'_, W>) -> u64 {
    have.into_iter().flatten().map(|item| item.rows).sum()
}
