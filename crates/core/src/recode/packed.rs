//! Points laid out for speed: ranks in vectors of eight 16-bit lanes, and prices in tables.
//!
//! Values are numbered within the points at hand, so a lane suffices. What some points cover is the
//! least and the highest lane of every column, which two vector instructions per eight columns
//! find; its price is one look-up per column with few values. Columns of sets that are priced by
//! their values have a word of bits instead. Costs are those of [`Prices`], without preferences.
//!
//! Costs points · log points per column to number the values, 2 bytes per cell, and 4 bytes for
//! every pair of values of columns with few of them.

use super::points::Points;
use super::prices::{Prices, cost};
use crate::table::Code;

/// Lanes of a vector.
const WIDE: usize = 8;
/// Eight columns of a point.
type Lanes = [i16; WIDE];
/// Most values that a lane can number.
const VALUES: usize = 1 << 15;
/// Most values of a column whose pairs are tabled.
const TABLED: usize = 256;

/// A column of ranges.
struct Ranged {
    column: usize,
    /// Where its table starts, and how many values it has; none where prices are computed.
    table: Option<(usize, usize)>,
    /// Number of a value → rank; empty where ranks are numbers enough.
    ranks: Vec<Code>,
}

/// Some points.
pub struct Packed<'a> {
    prices: &'a Prices<'a>,
    /// Vectors of a point.
    chunks: usize,
    lanes: Vec<Lanes>,
    columns: Vec<Ranged>,
    tables: Vec<u32>,
    /// Columns that have a word, and the words of all points.
    sets: Vec<usize>,
    words: Vec<u64>,
}

/// What some points cover.
#[derive(Clone, Default, Debug)]
pub struct Cover {
    low: Vec<Lanes>,
    high: Vec<Lanes>,
    words: Vec<u64>,
}

impl<'a> Packed<'a> {
    /// Packs points; none where a column has too many values for a lane.
    pub fn new(points: &Points<'_>, prices: &'a Prices<'a>) -> Option<Self> {
        let (sets, ranged): (Vec<usize>, Vec<usize>) =
            (0..points.width()).partition(|&column| prices.by_values(column));
        let chunks = ranged.len().div_ceil(WIDE);
        let mut lanes = vec![[0; WIDE]; chunks * points.len()];
        let (mut columns, mut tables) = (Vec::new(), Vec::new());
        for (place, &column) in ranged.iter().enumerate() {
            let ranks = numbered(points, column, |point, number| {
                lanes[point * chunks + place / WIDE][place % WIDE] = number;
            });
            let values = ranks.len();
            if values > VALUES {
                return None;
            }
            let table = (values <= TABLED).then_some((tables.len(), values));
            if table.is_some() {
                let cell = |a: Code, b: Code| cost(prices.cell(column, a.min(b), a.max(b))) as u32;
                tables.extend(ranks.iter().flat_map(|&a| ranks.iter().map(move |&b| cell(a, b))));
            }
            columns.push(Ranged { column, table, ranks });
        }
        let word = |point: u32| sets.iter().map(move |&column| 1 << points.ranks(point)[column]);
        let words = (0..points.len() as u32).flat_map(word).collect();
        Some(Packed { prices, chunks, lanes, columns, tables, sets, words })
    }

    /// Covers nothing.
    pub fn clear(&self, cover: &mut Cover) {
        cover.low.clear();
        cover.low.resize(self.chunks, [i16::MAX; WIDE]);
        cover.high.clear();
        cover.high.resize(self.chunks, [0; WIDE]);
        cover.words.clear();
        cover.words.resize(self.sets.len(), 0);
    }

    /// Covers a further point.
    #[inline]
    pub fn add(&self, cover: &mut Cover, point: u32) {
        let at = point as usize * self.chunks;
        widen(&mut cover.low, &mut cover.high, &self.lanes[at..at + self.chunks]);
        let words = self.words[point as usize * self.sets.len()..].iter();
        cover.words.iter_mut().zip(words).for_each(|(word, own)| *word |= own);
    }

    /// Covers what another does, and a further point.
    #[inline]
    pub fn join(&self, cover: &Cover, point: u32, joined: &mut Cover) {
        if joined.low.len() != self.chunks || joined.words.len() != self.sets.len() {
            self.clear(joined);
        }
        let at = point as usize * self.chunks;
        let point_lanes = &self.lanes[at..at + self.chunks];
        widen_to((&cover.low, &cover.high), point_lanes, (&mut joined.low, &mut joined.high));
        let words = self.words[point as usize * self.sets.len()..].iter();
        let words = cover.words.iter().zip(words).map(|(word, own)| word | own);
        joined.words.iter_mut().zip(words).for_each(|(to, word)| *to = word);
    }

    /// What a row costs in the cells that are true of some points; there is at least one.
    #[inline]
    pub fn cost(&self, cover: &Cover) -> u64 {
        let ends = cover.low.as_flattened().iter().zip(cover.high.as_flattened());
        let mut sum = 0;
        for (column, (&low, &high)) in self.columns.iter().zip(ends) {
            sum += match column.table {
                Some((start, values)) => self.tables[start + low as usize * values + high as usize],
                None => self.computed(column, low, high),
            };
        }
        let mut sum = u64::from(sum);
        for (&column, &word) in self.sets.iter().zip(&cover.words) {
            sum += cost(self.prices.of_values(column, word));
        }
        sum
    }

    fn computed(&self, column: &Ranged, low: i16, high: i16) -> u32 {
        let (low, high) = (column.ranks[low as usize], column.ranks[high as usize]);
        cost(self.prices.cell(column.column, low, high)) as u32
    }
}

/// Numbers the values of a column in the order of their ranks, and returns the ranks.
fn numbered(points: &Points<'_>, column: usize, mut put: impl FnMut(usize, i16)) -> Vec<Code> {
    let rank = |point: usize| points.ranks(point as u32)[column];
    let mut ranks: Vec<Code> = (0..points.len()).map(rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    for point in 0..points.len() {
        put(point, ranks.partition_point(|&other| other < rank(point)) as i16);
    }
    ranks
}

/// Not inlined, as [`widen_to`]: with the lanes in memory the compiler keeps them in vectors; with
/// the lanes of several calls in sight it takes them apart.
#[inline(never)]
fn widen(low: &mut [Lanes], high: &mut [Lanes], point: &[Lanes]) {
    for ((low, high), point) in low.iter_mut().zip(high).zip(point) {
        (*low, *high) = both(low, high, point);
    }
}

#[inline(never)]
fn widen_to(cover: (&[Lanes], &[Lanes]), point: &[Lanes], to: (&mut [Lanes], &mut [Lanes])) {
    let from = cover.0.iter().zip(cover.1).zip(point);
    for (((low, high), point), (to_low, to_high)) in from.zip(to.0.iter_mut().zip(to.1)) {
        (*to_low, *to_high) = both(low, high, point);
    }
}

/// The lower of each of eight lanes, and the higher.
#[inline(always)]
fn both(low: &Lanes, high: &Lanes, point: &Lanes) -> (Lanes, Lanes) {
    let (mut least, mut most) = (*low, *high);
    for lane in 0..WIDE {
        least[lane] = least[lane].min(point[lane]);
        most[lane] = most[lane].max(point[lane]);
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::clusters::Cluster;
    use super::super::region::Judge;
    use super::super::tests::{field, table};
    use super::*;
    use crate::policy::{Form, Search};

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// Covers cost what clusters of the same points do.
        #[test]
        fn covers_cost_what_clusters_cost(
            made in table(40, ANY, ANY),
            chosen in proptest::collection::vec(any::<u16>(), 1..8),
            sets: bool,
        ) {
            let search = Search::default();
            let field = field(&made, &search, Judge::new(&made.classes, 1, Vec::new()));
            // Some points only, so that their values are not all values.
            let some: Vec<u32> = (0..made.space.len() as u32).filter(|point| point % 3 != 1).collect();
            let points = Points::new(&field, &some);
            let (axes, tolerance) = (made.space.axes(), &field.tolerance);
            let prices = if sets { Prices::with_sets(axes, tolerance) } else { Prices::new(axes, tolerance) };
            let packed = Packed::new(&points, &prices).unwrap();
            let members: Vec<u32> = chosen.iter().map(|&at| u32::from(at) % points.len() as u32).collect();
            let expected = cost(Cluster::of(members.clone(), &points, &prices).price);
            let (mut cover, mut joined) = (Cover::default(), Cover::default());
            packed.clear(&mut cover);
            members[1..].iter().for_each(|&member| packed.add(&mut cover, member));
            packed.join(&cover, members[0], &mut joined);
            prop_assert_eq!(packed.cost(&joined), expected);
            packed.add(&mut cover, members[0]);
            prop_assert_eq!(packed.cost(&cover), expected);
        }
    }
}
