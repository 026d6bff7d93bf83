//! The memory layout of Mondrian's points: ids, rows and ranks side by side, so that a region is a
//! contiguous run and its passes are sequential.
//!
//! A cut assigns every point of a region to a *bin* (a number, or a value of the hierarchy) and
//! every bin to a *part*; a counting sort then makes the parts contiguous again. Costs 8 bytes and
//! the ranks per point, twice while it moves.

use rayon::prelude::*;

use super::cut::Column;
use crate::space::Space;

/// Ranks as narrow as they go.
pub(super) trait Rank: Copy + Default + Ord + Into<u32> + Send + Sync {}

impl Rank for u16 {}
impl Rank for u32 {}

/// Points laid end to end.
#[derive(Default)]
pub(super) struct Points<T> {
    width: usize,
    ids: Vec<u32>,
    /// Rows of each, fewer than the point has if it was divided.
    rows: Vec<u32>,
    /// Row by row.
    ranks: Vec<T>,
}

/// A run of points.
#[derive(Clone, Copy)]
pub(super) struct Region<'a, T> {
    pub(super) width: usize,
    pub(super) ids: &'a [u32],
    pub(super) rows: &'a [u32],
    pub(super) ranks: &'a [T],
}

impl<T: Rank> Points<T> {
    /// Some points of a space whose ranks are given.
    pub(super) fn new(space: &Space, ranks: &[T], points: &[u32]) -> Self {
        let width = space.axes().len();
        let mut moved = vec![T::default(); points.len() * width];
        if width > 0 {
            let rows = moved.par_chunks_exact_mut(width).zip(points);
            rows.for_each(|(to, &p)| to.copy_from_slice(&ranks[p as usize * width..][..width]));
        }
        let rows = points.iter().map(|&p| space.counts()[p as usize]).collect();
        Points { width, ids: points.to_vec(), rows, ranks: moved }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The points from a place on.
    pub(super) fn from(&self, start: usize) -> Region<'_, T> {
        Region {
            width: self.width,
            ids: &self.ids[start..],
            rows: &self.rows[start..],
            ranks: &self.ranks[start * self.width..],
        }
    }

    /// Forgets the points from a place on.
    pub(super) fn truncate(&mut self, start: usize) {
        self.ids.truncate(start);
        self.rows.truncate(start);
        self.ranks.truncate(start * self.width);
    }

    /// A part of all points by itself, moved by all threads.
    pub(super) fn part(&self, scratch: &Scratch<T>, part: usize) -> Points<T> {
        let (places, width) = (scratch.part_places(part), self.width);
        let ids = places.par_iter().map(|&at| self.ids[at as usize]).collect();
        let rows = places.par_iter().map(|&at| self.rows[at as usize]).collect();
        let mut ranks = vec![T::default(); places.len() * width];
        let moved = ranks.par_chunks_exact_mut(width).zip(places);
        moved.for_each(|(to, &at)| to.copy_from_slice(&self.ranks[at as usize * width..][..width]));
        let mut part_of = Points { width, ids, rows, ranks };
        scratch.share(part, &mut part_of.rows);
        part_of
    }

    /// Puts the points from a place on in the order of parts, the last part first.
    pub(super) fn arrange(&mut self, start: usize, scratch: &mut Scratch<T>) {
        let width = self.width;
        let from = self.len();
        // What is moved is written behind, then pushed down over what it came from.
        for part in (0..scratch.parts()).rev() {
            let first = self.len();
            for &at in scratch.part_places(part) {
                let at = start + at as usize;
                self.ids.push(self.ids[at]);
                self.rows.push(self.rows[at]);
                self.ranks.extend_from_within(at * width..(at + 1) * width);
            }
            scratch.share(part, &mut self.rows[first..]);
        }
        let moved = self.len() - from;
        self.ids.copy_within(from.., start);
        self.rows.copy_within(from.., start);
        self.ranks.copy_within(from * width.., start * width);
        self.truncate(start + moved);
    }
}

impl<T: Rank> Region<'_, T> {
    /// Column → lowest and highest rank; found by all threads where there are more points than
    /// `large`.
    pub(super) fn bounds(&self, bounds: &mut Vec<(T, T)>, large: usize) {
        bounds.clear();
        if self.width == 0 || self.ids.is_empty() {
            return;
        }
        let widen = |bounds: &mut [(T, T)], row: &[T]| {
            for ((low, high), &rank) in bounds.iter_mut().zip(row) {
                *low = rank.min(*low);
                *high = rank.max(*high);
            }
        };
        let first = || self.ranks[..self.width].iter().map(|&rank| (rank, rank)).collect::<Vec<_>>();
        if self.ids.len() <= large {
            bounds.extend(self.ranks[..self.width].iter().map(|&rank| (rank, rank)));
            self.ranks.chunks_exact(self.width).for_each(|row| widen(bounds, row));
            return;
        }
        let chunks = self.ranks.par_chunks(self.width << 13).map(|chunk| {
            let mut bounds = first();
            chunk.chunks_exact(self.width).for_each(|row| widen(&mut bounds, row));
            bounds
        });
        let both = |mut a: Vec<(T, T)>, b: Vec<(T, T)>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = (a.0.min(b.0), a.1.max(b.1)));
            a
        };
        bounds.extend(chunks.reduce(first, both));
    }
}

/// Buffers that are kept from region to region, and the cut at hand.
#[derive(Default)]
pub(super) struct Scratch<T> {
    /// Column → lowest and highest rank.
    pub(super) bounds: Vec<(T, T)>,
    /// Columns that can be cut, and what each promises.
    pub(super) promises: Vec<(f64, Column)>,
    /// Part → lowest and highest rank in the column that is cut.
    pub(super) spans: Vec<(u32, u32)>,
    /// Point of the region → bin.
    pub(super) bins: Vec<u32>,
    /// Bin → rows.
    pub(super) bin_rows: Vec<u64>,
    /// Bin → part.
    pub(super) part_of: Vec<u32>,
    /// Part → rows.
    pub(super) rows: Vec<u64>,
    /// The bin whose rows are divided although it is in the second part, and how many of them go to
    /// the first.
    pub(super) parted: Option<(u32, u64)>,
    /// Bins that are present, where they are few among many; bins that can stand alone.
    pub(super) present: Vec<u32>,
    /// Places in the region, by part.
    order: Vec<u32>,
    second: Vec<u32>,
    /// Part → where its places start; one more than parts.
    starts: Vec<usize>,
    /// Of the point that is in both parts, the rows that the first has and those that the second
    /// has.
    shares: Option<(u32, u32)>,
}

impl<T> Scratch<T> {
    /// How many parts the cut has.
    pub(super) fn parts(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn part_rows(&self, part: usize) -> u64 {
        self.rows[part]
    }

    /// Places in the region of a part's points.
    pub(super) fn part_places(&self, part: usize) -> &[u32] {
        &self.order[self.starts[part]..self.starts[part + 1]]
    }

    /// Finds the places of all parts.
    pub(super) fn sort(&mut self, region: &Region<'_, T>) {
        self.shares = None;
        if let Some((bin, rows)) = self.parted {
            return self.sort_parted(region, bin, rows);
        }
        let Scratch { bins, part_of, starts, order, .. } = self;
        starts.clear();
        starts.resize(self.rows.len() + 1, 0);
        for &bin in &*bins {
            starts[part_of[bin as usize] as usize + 1] += 1;
        }
        (1..starts.len()).for_each(|part| starts[part] += starts[part - 1]);
        order.clear();
        order.resize(bins.len(), 0);
        for (place, &bin) in bins.iter().enumerate() {
            let next = &mut starts[part_of[bin as usize] as usize];
            order[*next] = place as u32;
            *next += 1;
        }
        // Every start has moved to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// The same for two parts that share a bin, and at most one point of it: the first part takes
    /// points of the bin in their order.
    fn sort_parted(&mut self, region: &Region<'_, T>, parted: u32, mut wanted: u64) {
        let Scratch { bins, part_of, starts, order, second, .. } = self;
        order.clear();
        second.clear();
        let mut both = None;
        for (place, (&bin, &rows)) in (0..).zip(bins.iter().zip(region.rows)) {
            let first = match bin == parted {
                false => part_of[bin as usize] == 0,
                true => wanted > 0,
            };
            if bin == parted && first {
                if u64::from(rows) > wanted {
                    both = Some(place);
                    self.shares = Some((wanted as u32, rows - wanted as u32));
                    wanted = 0;
                    continue;
                }
                wanted -= u64::from(rows);
            }
            if first { &mut *order } else { &mut *second }.push(place);
        }
        // The last of the first part is the first of the second.
        order.extend(both);
        let middle = order.len();
        order.extend(both);
        order.append(second);
        starts.clear();
        starts.extend([0, middle, order.len()]);
    }

    /// Gives the rows of a part's points, as they were before the cut, the shares that the part has
    /// of them.
    fn share(&self, part: usize, rows: &mut [u32]) {
        let Some((first, second)) = self.shares else { return };
        let at = if part == 0 {
            rows.last_mut().map(|n| (n, first))
        } else {
            rows.first_mut().map(|n| (n, second))
        };
        if let Some((rows, share)) = at {
            *rows = share;
        }
    }
}
