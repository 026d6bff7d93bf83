//! Groups the classes of some columns from the classes of a superset of them.
//!
//! Distinct tuples are grouped once over all columns, and every set of columns is grouped from its
//! nearest available superset. A key is the mixed-radix number of a tuple's codes; if that does not
//! fit 64 bits, the columns so far are ranked first. Costs one look-up per class and column and one
//! rank per class. If missing cells are wildcards, the rows that match a class are counted by
//! [`compatible`](crate::compatible), and other sums by pairs of patterns of missing columns: 2 ×
//! classes × patterns.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::compatible::{ABSENT, Tuples};
use crate::error::Result;
use crate::rank::Ranker;
use crate::table::Code;
use crate::watch::Watch;

/// The distinct tuples of all columns, column by column.
pub(super) struct Columns {
    /// Column → tuple → code.
    codes: Vec<Vec<Code>>,
    /// Column → number of codes.
    radix: Vec<u64>,
    /// Column → the code of its missing cells, where they match everything.
    wildcard: Vec<Option<Code>>,
    counts: Vec<u32>,
}

/// The classes of a set of columns.
pub(super) struct Grouping {
    /// The columns, ascending.
    pub columns: Vec<usize>,
    /// For each class a tuple that it holds.
    pub first: Vec<u32>,
    /// Its rows.
    pub count: Vec<u32>,
}

impl Columns {
    pub fn new(codes: Vec<Vec<Code>>, wildcard: Vec<Option<Code>>, counts: Vec<u32>) -> Self {
        let radix =
            codes.iter().map(|column| column.iter().max().map_or(1, |&code| u64::from(code) + 1)).collect();
        Columns { codes, radix, wildcard, counts }
    }

    /// Whether missing cells match everything and there are any.
    pub fn wild(&self) -> bool {
        self.wildcard.iter().any(Option::is_some)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.codes.len()
    }

    /// Number of values of a column.
    pub fn values(&self, column: usize) -> u64 {
        self.radix[column]
    }

    /// Number of distinct tuples.
    pub fn tuples(&self) -> usize {
        self.counts.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.counts.iter().map(|&n| u64::from(n)).sum()
    }

    /// Rows of each tuple.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Every tuple by itself.
    pub fn all(&self) -> Grouping {
        Grouping {
            columns: (0..self.width()).collect(),
            first: (0..self.counts.len() as u32).collect(),
            count: self.counts.clone(),
        }
    }

    /// The classes of some columns of a grouping.
    pub fn roll_up(&self, from: &Grouping, columns: &[usize], ranker: &mut Ranker) -> Grouping {
        let ids = self.ranked(&from.first, columns, ranker);
        let mut first: Vec<u32> = Vec::with_capacity(ranker.len());
        let mut count: Vec<u32> = Vec::with_capacity(ranker.len());
        for ((&id, &member), &rows) in ids.iter().zip(&from.first).zip(&from.count) {
            match count.get_mut(id as usize) {
                Some(n) => *n += rows,
                None => {
                    first.push(member);
                    count.push(rows);
                }
            }
        }
        ranker.take_back(ids);
        Grouping { columns: columns.to_vec(), first, count }
    }

    /// Dense ids of tuples by their codes in some columns, in order of first sight.
    fn ids(&self, members: &[u32], columns: &[usize], ranker: &mut Ranker) -> Vec<u32> {
        let ranked = self.ranked(members, columns, ranker);
        let ids = ranked.iter().map(|&id| id as u32).collect();
        ranker.take_back(ranked);
        ids
    }

    /// The same in memory of the ranker.
    fn ranked(&self, members: &[u32], columns: &[usize], ranker: &mut Ranker) -> Vec<u64> {
        let mut keys = ranker.memory(members.len());
        let mut space = 1u64;
        for &column in columns {
            let radix = self.radix[column];
            if space.checked_mul(radix).is_none() {
                space = rank(&mut keys, space, ranker).max(1);
            }
            let codes = &self.codes[column];
            for (key, &member) in keys.iter_mut().zip(members) {
                *key = *key * radix + u64::from(codes[member as usize]);
            }
            space *= radix;
        }
        ranker.begin(space, keys.len());
        ranker.replace(&mut keys);
        keys
    }

    /// For each class, the number of rows indistinguishable from it; its own rows if nothing is
    /// missing.
    ///
    /// # Errors
    /// When stopped.
    pub fn matches(&self, grouping: &Grouping, watch: &Watch) -> Result<Vec<u64>> {
        let own = grouping.count.iter().map(|&n| u64::from(n)).collect::<Vec<_>>();
        if grouping.columns.iter().all(|&c| self.wildcard[c].is_none()) {
            return Ok(own);
        }
        let cell = |column: usize, member: u32| match self.codes[column][member as usize] {
            missing if self.wildcard[column] == Some(missing) => ABSENT,
            code => code,
        };
        let cells = |&column: &usize| grouping.first.iter().map(|&member| cell(column, member)).collect();
        let columns: Vec<Vec<Code>> = grouping.columns.iter().map(cells).collect();
        let stopped = || watch.is_cancelled();
        let tuples = Tuples { columns: &columns, rows: &own, enough: u64::MAX, stopped: &stopped };
        let matches = tuples.matches();
        watch.check()?;
        Ok(matches)
    }

    /// For each class, the sum over the classes indistinguishable from it.
    ///
    /// # Errors
    /// When stopped.
    pub fn summed<T: Copy + Default + AddAssign>(
        &self,
        grouping: &Grouping,
        have: &[T],
        ranker: &mut Ranker,
        watch: &Watch,
    ) -> Result<Vec<T>> {
        let patterns = self.patterns(grouping);
        let mut sums = vec![T::default(); have.len()];
        for (mine, ours) in &patterns {
            watch.check()?;
            for (theirs, others) in &patterns {
                let known = |&(i, _): &(usize, usize)| (mine | theirs) >> i & 1 == 0;
                let both = grouping.columns.iter().copied().enumerate().filter(known);
                let both: Vec<usize> = both.map(|(_, column)| column).collect();
                let members: Vec<u32> =
                    others.iter().chain(ours).map(|&class| grouping.first[class as usize]).collect();
                let ids = self.ids(&members, &both, ranker);
                let (of_others, of_ours) = ids.split_at(others.len());
                let mut by_id = vec![T::default(); ids.len()];
                for (&id, &class) in of_others.iter().zip(others) {
                    by_id[id as usize] += have[class as usize];
                }
                for (&id, &class) in of_ours.iter().zip(ours) {
                    sums[class as usize] += by_id[id as usize];
                }
            }
        }
        Ok(sums)
    }

    /// The classes by which of their columns are missing, as bits: bit i is the grouping's column
    /// i.
    fn patterns(&self, grouping: &Grouping) -> BTreeMap<u128, Vec<u32>> {
        let mut patterns: BTreeMap<u128, Vec<u32>> = BTreeMap::new();
        for (class, mask) in self.masks(grouping).into_iter().enumerate() {
            patterns.entry(mask).or_default().push(class as u32);
        }
        patterns
    }

    /// Bit i of a class's mask: the grouping's column i is missing.
    fn masks(&self, grouping: &Grouping) -> Vec<u128> {
        let missing =
            |member: u32, column: usize| self.wildcard[column] == Some(self.codes[column][member as usize]);
        let mask = |&member: &u32| {
            let bits = grouping.columns.iter().enumerate();
            bits.fold(0, |mask, (i, &column)| mask | (u128::from(missing(member, column)) << i))
        };
        grouping.first.iter().map(mask).collect()
    }
}

/// Replaces keys by dense ranks; the number of ranks.
fn rank(keys: &mut [u64], space: u64, ranker: &mut Ranker) -> u64 {
    ranker.begin(space, keys.len());
    ranker.replace(keys);
    ranker.len() as u64
}
