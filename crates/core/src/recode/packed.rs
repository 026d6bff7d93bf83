//! Points laid out for speed: bits for columns of few values, the numbers of other values in eight
//! 16-bit lanes, and prices in tables.
//!
//! Values are numbered within the points at hand. Columns of few values have a bit for each, all of
//! them in one word, so that one instruction covers a further point in all these columns; columns
//! that share a table of what every set of their bits costs are a *group*. Of other columns, what
//! some points cover is the least and the highest lane, which two vector instructions per eight
//! columns find; their price is one look-up where they have few values. Columns of sets that are
//! priced by more values have a word of bits each. Costs are those of [`Prices`], without
//! preferences.
//!
//! Costs points · log points per column to number the values, 2 bytes per cell, and 4 bytes for
//! every set of bits of a group and for every pair of values of tabled columns.

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
const TABLED: usize = if cfg!(test) { 5 } else { 256 };
/// Most values of a column that has a bit for each.
const FEW: usize = if cfg!(test) { 3 } else { 8 };
/// Most bits of a group: its table has 8 kB, and stays in the first cache.
const GROUP: u32 = 11;

/// A column with the numbers of its values.
struct Numbered {
    column: usize,
    /// Point → number, and number → rank.
    numbers: Vec<u16>,
    ranks: Vec<Code>,
}

/// Columns of few values: their bits, from `shift` on, and where their table starts.
struct Group {
    shift: u32,
    mask: u64,
    table: usize,
}

/// A column whose pairs of values are tabled: where, and how many values it has.
struct Tabled {
    table: usize,
    values: usize,
}

/// A column whose prices are computed.
struct Computed {
    column: usize,
    /// Number of a value → rank.
    ranks: Vec<Code>,
}

/// What a point has in columns of few values and in the first lanes.
#[derive(Clone, Copy)]
struct Head {
    bits: u64,
    lanes: Lanes,
}

/// Some points.
pub struct Packed<'a> {
    prices: &'a Prices<'a>,
    heads: Vec<Head>,
    /// Vectors of a point behind the first one, and those of all points.
    more: usize,
    lanes: Vec<Lanes>,
    groups: Vec<Group>,
    /// The columns of the first lanes, and those of the lanes behind them.
    tabled: Vec<Tabled>,
    computed: Vec<Computed>,
    tables: Vec<u32>,
    /// Columns that have a word, and the words of all points.
    sets: Vec<usize>,
    words: Vec<u64>,
}

/// What some points cover.
#[derive(Clone, Default, Debug)]
pub struct Cover {
    bits: u64,
    low: Lanes,
    high: Lanes,
    /// The lanes behind the first vector.
    more: Vec<(Lanes, Lanes)>,
    words: Vec<u64>,
}

impl<'a> Packed<'a> {
    /// Packs points; none where a column has too many values for a lane.
    pub fn new(points: &Points<'_>, prices: &'a Prices<'a>) -> Option<Self> {
        let (mut few, mut ranged, mut sets, mut bits) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for column in 0..points.width() {
            let own = Numbered::new(points, column);
            let values = own.ranks.len();
            if values <= FEW && bits + values <= u64::BITS as usize {
                bits += values;
                few.push(own);
            } else if prices.by_values(column) {
                sets.push(column);
            } else if values <= VALUES {
                ranged.push(own);
            } else {
                return None;
            }
        }
        let word = |point: u32| sets.iter().map(move |&column| 1 << points.ranks(point)[column]);
        let words = (0..points.len() as u32).flat_map(word).collect();
        let mut packed = Packed {
            prices,
            heads: vec![Head { bits: 0, lanes: [0; WIDE] }; points.len()],
            more: ranged.len().div_ceil(WIDE).saturating_sub(1),
            lanes: Vec::new(),
            groups: Vec::new(),
            tabled: Vec::new(),
            computed: Vec::new(),
            tables: Vec::new(),
            sets,
            words,
        };
        packed.group(few);
        packed.line_up(ranged);
        Some(packed)
    }

    /// Groups columns of few values, those of most values first. A table has not many more entries
    /// than there are points.
    fn group(&mut self, mut few: Vec<Numbered>) {
        let most = (4 * self.heads.len()).max(1).ilog2().clamp(FEW as u32, GROUP);
        few.sort_by_key(|own| std::cmp::Reverse(own.ranks.len()));
        let mut groups: Vec<(u32, Vec<Numbered>)> = Vec::new();
        for own in few {
            let needed = own.ranks.len() as u32;
            match groups.iter_mut().find(|(bits, _)| bits + needed <= most) {
                Some((bits, columns)) => {
                    *bits += needed;
                    columns.push(own);
                }
                None => groups.push((needed, vec![own])),
            }
        }
        let mut shift = 0;
        for (bits, columns) in groups {
            self.add_group((shift, bits), &columns);
            shift += bits;
        }
    }

    /// Gives columns their bits, and tables what every set of these costs.
    fn add_group(&mut self, (first, bits): (u32, u32), columns: &[Numbered]) {
        let table = self.tables.len();
        self.groups.push(Group { shift: first, mask: (1 << bits) - 1, table });
        self.tables.resize(table + (1 << bits), 0);
        let mut shift = first;
        for own in columns {
            for (head, &number) in self.heads.iter_mut().zip(&own.numbers) {
                head.bits |= 1 << (shift + u32::from(number));
            }
            let costs: Vec<u32> = (0..1 << own.ranks.len()).map(|set| self.of_numbers(own, set)).collect();
            for (set, sum) in self.tables[table..].iter_mut().enumerate() {
                *sum += costs[set >> (shift - first) & (costs.len() - 1)];
            }
            shift += own.ranks.len() as u32;
        }
    }

    /// What values of a column cost, by a bit for each of their numbers; none cost nothing.
    fn of_numbers(&self, own: &Numbered, set: u64) -> u32 {
        let numbers = || (0..own.ranks.len()).filter(move |number| set >> number & 1 == 1);
        let (Some(low), Some(high)) = (numbers().next(), numbers().next_back()) else { return 0 };
        let price = match self.prices.by_values(own.column) {
            true => {
                let values = numbers().fold(0, |values, number| values | 1 << own.ranks[number]);
                self.prices.of_values(own.column, values)
            }
            false => self.prices.cell(own.column, own.ranks[low], own.ranks[high]),
        };
        cost(price) as u32
    }

    /// Gives columns their lanes: first those whose pairs are tabled.
    fn line_up(&mut self, ranged: Vec<Numbered>) {
        self.lanes = vec![[0; WIDE]; self.more * self.heads.len()];
        let (tabled, computed): (Vec<Numbered>, Vec<Numbered>) =
            ranged.into_iter().partition(|own| own.ranks.len() <= TABLED);
        for (place, own) in tabled.into_iter().chain(computed).enumerate() {
            for (point, &number) in own.numbers.iter().enumerate() {
                let lanes = match (place / WIDE).checked_sub(1) {
                    None => &mut self.heads[point].lanes,
                    Some(next) => &mut self.lanes[point * self.more + next],
                };
                lanes[place % WIDE] = number as i16;
            }
            let Numbered { column, ranks, .. } = own;
            if ranks.len() > TABLED {
                self.computed.push(Computed { column, ranks });
                continue;
            }
            self.tabled.push(Tabled { table: self.tables.len(), values: ranks.len() });
            let cell = |a: Code, b: Code| cost(self.prices.cell(column, a.min(b), a.max(b))) as u32;
            self.tables.extend(ranks.iter().flat_map(|&a| ranks.iter().map(move |&b| cell(a, b))));
        }
    }

    /// Covers nothing.
    pub fn clear(&self, cover: &mut Cover) {
        (cover.bits, cover.low, cover.high) = (0, [i16::MAX; WIDE], [0; WIDE]);
        cover.more.clear();
        cover.more.resize(self.more, ([i16::MAX; WIDE], [0; WIDE]));
        cover.words.clear();
        cover.words.resize(self.sets.len(), 0);
    }

    /// Covers a further point.
    #[inline]
    pub fn add(&self, cover: &mut Cover, point: u32) {
        let head = &self.heads[point as usize];
        cover.bits |= head.bits;
        widen(&mut cover.low, &mut cover.high, &head.lanes);
        for ((low, high), lanes) in cover.more.iter_mut().zip(&self.lanes[point as usize * self.more..]) {
            widen(low, high, lanes);
        }
        let words = self.words[point as usize * self.sets.len()..].iter();
        cover.words.iter_mut().zip(words).for_each(|(word, own)| *word |= own);
    }

    /// Covers what another does, and a further point.
    #[inline]
    pub fn join(&self, cover: &Cover, point: u32, joined: &mut Cover) {
        let head = &self.heads[point as usize];
        joined.bits = cover.bits | head.bits;
        widen_to((&cover.low, &cover.high), &head.lanes, (&mut joined.low, &mut joined.high));
        if self.more > 0 || !self.sets.is_empty() {
            self.join_more(cover, point, joined);
        }
    }

    #[inline(never)]
    fn join_more(&self, cover: &Cover, point: u32, joined: &mut Cover) {
        let lanes = self.lanes[point as usize * self.more..].iter();
        let both = |(ends, lanes): (&(Lanes, Lanes), &Lanes)| both(&ends.0, &ends.1, lanes);
        joined.more.clear();
        joined.more.extend(cover.more.iter().zip(lanes).map(both));
        let words = self.words[point as usize * self.sets.len()..].iter();
        joined.words.clear();
        joined.words.extend(cover.words.iter().zip(words).map(|(word, own)| word | own));
    }

    /// What a row costs in the cells that are true of some points; there is at least one.
    #[inline]
    pub fn cost(&self, cover: &Cover) -> u64 {
        let mut sum = 0;
        for group in &self.groups {
            sum += self.tables[group.table + (cover.bits >> group.shift & group.mask) as usize];
        }
        for (column, (&low, &high)) in self.tabled.iter().zip(cover.low.iter().zip(&cover.high)) {
            sum += self.tables[column.table + low as usize * column.values + high as usize];
        }
        let plain = self.more == 0 && self.computed.is_empty() && self.sets.is_empty();
        u64::from(sum) + if plain { 0 } else { self.cost_of_more(cover) }
    }

    /// What a row costs in columns behind the first lanes, in those whose prices are computed, and in
    /// those that have a word.
    #[inline(never)]
    fn cost_of_more(&self, cover: &Cover) -> u64 {
        let ends = |place: usize| {
            let (low, high) = match (place / WIDE).checked_sub(1) {
                None => (&cover.low, &cover.high),
                Some(next) => (&cover.more[next].0, &cover.more[next].1),
            };
            (low[place % WIDE] as usize, high[place % WIDE] as usize)
        };
        let mut sum = 0;
        for (place, column) in self.tabled.iter().enumerate().skip(WIDE) {
            let (low, high) = ends(place);
            sum += u64::from(self.tables[column.table + low * column.values + high]);
        }
        for (place, column) in (self.tabled.len()..).zip(&self.computed) {
            let (low, high) = ends(place);
            sum += cost(self.prices.cell(column.column, column.ranks[low], column.ranks[high]));
        }
        for (&column, &word) in self.sets.iter().zip(&cover.words) {
            sum += cost(self.prices.of_values(column, word));
        }
        sum
    }
}

impl Numbered {
    /// Numbers the values of a column in the order of their ranks.
    fn new(points: &Points<'_>, column: usize) -> Self {
        let rank = |point: usize| points.ranks(point as u32)[column];
        let mut ranks: Vec<Code> = (0..points.len()).map(rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let number = |point: usize| ranks.partition_point(|&other| other < rank(point)) as u16;
        let numbers = (0..points.len()).map(number).collect();
        Numbered { column, numbers, ranks }
    }
}

/// Not inlined, as [`widen_to`]: with the lanes in memory the compiler keeps them in vectors; with
/// the lanes of several calls in sight it takes them apart.
#[inline(never)]
fn widen(low: &mut Lanes, high: &mut Lanes, point: &Lanes) {
    (*low, *high) = both(low, high, point);
}

#[inline(never)]
fn widen_to(cover: (&Lanes, &Lanes), point: &Lanes, to: (&mut Lanes, &mut Lanes)) {
    (*to.0, *to.1) = both(cover.0, cover.1, point);
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
    use super::super::tests::{field, table_of};
    use super::*;
    use crate::policy::{Form, Search};

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// Covers cost what clusters of the same points do, in columns that have bits, tabled and
        /// computed ones, those of more than one vector, and those that have words.
        #[test]
        fn covers_cost_what_clusters_cost(
            made in table_of(40, 0..22, ANY, ANY),
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
