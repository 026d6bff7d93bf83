//! The classes that some of the columns form, from the classes that more of them form.
//!
//! Distinct tuples are grouped once over all columns, and every set of columns is grouped from its nearest superset at
//! hand. A key is the mixed-radix number of a tuple's codes; where that does not fit 64 bits, the columns so far are
//! ranked first. One look-up per class and column and one rank per class. With missing cells as wildcards, the rows that
//! match a class are counted by pairs of patterns of missing columns: classes × patterns².

use crate::rank::Ranker;
use crate::table::Code;

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
        let ids = self.ids(&from.first, columns, ranker);
        let mut first: Vec<u32> = Vec::new();
        let mut count: Vec<u32> = Vec::new();
        for ((&id, &member), &rows) in ids.iter().zip(&from.first).zip(&from.count) {
            match count.get_mut(id as usize) {
                Some(n) => *n += rows,
                None => {
                    first.push(member);
                    count.push(rows);
                }
            }
        }
        Grouping { columns: columns.to_vec(), first, count }
    }

    /// Dense ids of tuples by their codes in some columns, in order of first sight.
    fn ids(&self, members: &[u32], columns: &[usize], ranker: &mut Ranker) -> Vec<u32> {
        let mut keys = vec![0u64; members.len()];
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
        keys.iter().map(|&key| ranker.id(key)).collect()
    }

    /// For each class, the rows that cannot be told from it; its own rows where nothing is missing.
    pub fn matches(&self, grouping: &Grouping, ranker: &mut Ranker) -> Vec<u64> {
        let own = || grouping.count.iter().map(|&n| u64::from(n)).collect();
        if grouping.columns.iter().all(|&c| self.wildcard[c].is_none()) {
            return own();
        }
        let masks = self.masks(grouping);
        let mut patterns = masks.clone();
        patterns.sort_unstable();
        patterns.dedup();
        if patterns == [0] {
            return own();
        }
        let mut matches = vec![0u64; masks.len()];
        for &mine in &patterns {
            for &theirs in &patterns {
                let known = |&&(i, _): &&(usize, usize)| (mine | theirs) >> i & 1 == 0;
                let both: Vec<(usize, usize)> = grouping.columns.iter().copied().enumerate().collect();
                let both: Vec<usize> = both.iter().filter(known).map(|&(_, column)| column).collect();
                let ids = self.ids(&grouping.first, &both, ranker);
                let mut rows = vec![0u64; ids.len()];
                for class in (0..ids.len()).filter(|&c| masks[c] == theirs) {
                    rows[ids[class] as usize] += u64::from(grouping.count[class]);
                }
                for class in (0..ids.len()).filter(|&c| masks[c] == mine) {
                    matches[class] += rows[ids[class] as usize];
                }
            }
        }
        matches
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
    for key in keys {
        *key = u64::from(ranker.id(*key));
    }
    ranker.len() as u64
}
