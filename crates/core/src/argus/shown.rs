//! The current state of the table, and the rare combinations of its values.
//!
//! Stores one code per cell of the distinct tuples, and per tuple which cells are absent:
//! suppressed now, or missing in the input. A key is the mixed-radix number of a tuple's codes; if
//! that does not fit 64 bits, the columns so far are ranked first. Where a combination of columns
//! has few combinations of values, rows are counted by key, in two passes over the tuples.

use rayon::prelude::*;

use super::{State, Subject};
use crate::error::Result;
use crate::rank::Ranker;
use crate::table::Code;
use crate::watch::{Counter, Stage, Watch};

/// The table as a state shows it.
#[derive(Clone)]
pub(super) struct Shown<'a> {
    pub subject: Subject<'a>,
    pub levels: Vec<usize>,
    /// Column → class → generalized code, whether the cell is there or not.
    codes: Vec<Vec<Code>>,
    /// Column → number of codes.
    sizes: Vec<u64>,
    /// Class → bit i: the cell in column i was blanked.
    pub blanked: Vec<u64>,
    /// Class → bit i: the cell in column i is absent.
    absent: Vec<u64>,
}

/// The rare combinations of values in one combination of columns.
#[derive(Debug, Default)]
pub(super) struct Rare {
    /// Bit of every class whose values there are rare; empty where none are.
    pub classes: Vec<u64>,
    /// For each rare combination of values a class that has it.
    pub first: Vec<u32>,
    /// And its rows.
    pub rows: Vec<u32>,
}

/// As many combinations as are looked at together: what each finds is held until all have.
const TOGETHER: usize = 16;
/// Rows are counted by key where there are at most this many keys per tuple.
const KEYS: u64 = 8;
/// Or this many in all.
const FEW_KEYS: u64 = 1 << 16;
/// Classes whose keys are worked out together, so that they stay in the nearest cache.
const BLOCK: usize = 1024;
/// Keys of classes that lack a cell: a count of all of them would be waited for at every class.
const NONE: usize = 16;
/// Of a count: a class with this key was seen.
const SEEN: u32 = 1 << 31;

/// What counting needs meanwhile.
#[derive(Default)]
struct Scratch {
    ranker: Ranker,
    /// Key → rows.
    counts: Vec<u32>,
    /// Class → key.
    keys: Vec<u32>,
}

impl<'a> Shown<'a> {
    pub fn new(subject: Subject<'a>, state: &State) -> Self {
        let classes = subject.classes;
        let mut blanked = state.blanked.to_vec();
        blanked.resize(classes.len(), 0);
        let mut absent = blanked.clone();
        let mut codes = Vec::with_capacity(subject.names.len());
        for (column, hierarchy) in subject.hierarchies.iter().enumerate() {
            let map = hierarchy.codes(state.levels[column]);
            let missing = hierarchy.missing_at(state.levels[column]);
            let of = |class: usize| map[classes.code(class, column) as usize];
            let of_column: Vec<Code> = (0..classes.len()).map(of).collect();
            if let Some(missing) = missing {
                let cells = absent.iter_mut().zip(&of_column);
                cells.for_each(|(mask, &code)| *mask |= u64::from(code == missing) << column);
            }
            codes.push(of_column);
        }
        let sizes = subject.hierarchies.iter().zip(&state.levels).map(|(h, &level)| h.size(level) as u64);
        Shown { subject, levels: state.levels.clone(), codes, sizes: sizes.collect(), blanked, absent }
    }

    /// The same after more cells were blanked.
    pub fn blank(&mut self, more: &[u64]) {
        for (class, more) in more.iter().enumerate() {
            self.blanked[class] |= more;
            self.absent[class] |= more;
        }
    }

    /// The code of a class in a column, whether the cell is there or not.
    pub fn code(&self, class: usize, column: usize) -> Code {
        self.codes[column][class]
    }

    /// The cells of a class that are not there.
    pub fn absent(&self, class: usize) -> u64 {
        self.absent[class]
    }

    /// Number of codes of each column.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// What is rare in each combination, one by one in their order.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
    pub fn each_rare(
        &self,
        (tested, k): (&[u64], u64),
        watch: &Watch,
        mut each: impl FnMut(usize, Rare),
    ) -> Result<()> {
        let counter = Counter::new(watch, Stage::Combinations, Some(tested.len() as u64));
        for (chunk, masks) in tested.chunks(TOGETHER).enumerate() {
            let found = masks.par_iter().map_init(Scratch::default, |scratch, &mask| {
                watch.check()?;
                let rare = self.rare(mask, k, scratch);
                counter.one()?;
                Ok(rare)
            });
            let found: Vec<Rare> = found.collect::<Result<_>>()?;
            found.into_iter().enumerate().for_each(|(i, rare)| each(chunk * TOGETHER + i, rare));
        }
        Ok(())
    }

    /// The rare combinations of values in a combination of columns, among rows that have all of its
    /// cells; in the order in which classes have them first.
    fn rare(&self, mask: u64, k: u64, scratch: &mut Scratch) -> Rare {
        let keys = columns(mask).try_fold(1u64, |keys, column| keys.checked_mul(self.sizes[column]));
        let tuples = self.subject.classes.len() as u64;
        let rows = self.subject.classes.rows();
        match keys
            .filter(|&keys| keys <= FEW_KEYS.max(KEYS * tuples) && keys.max(rows).max(k) < u64::from(SEEN))
        {
            Some(keys) => self.rare_by_key(mask, k as u32, keys as usize, scratch),
            None => self.rare_by_rank(mask, k, &mut scratch.ranker),
        }
    }

    /// The same, with a count for every key. Which classes lack cells is a coin toss, and so is at
    /// times which are rare: nothing branches on either but what happens for a rare class.
    fn rare_by_key(&self, mask: u64, k: u32, keys: usize, scratch: &mut Scratch) -> Rare {
        let rows = self.subject.classes.counts();
        let Scratch { counts, keys: of_class, .. } = scratch;
        self.keys(mask, keys as u32, of_class);
        counts.clear();
        counts.resize(keys + NONE, 0);
        of_class.iter().zip(rows).for_each(|(&key, &rows)| counts[key as usize] += rows);
        // Classes that lack a cell are not rare.
        counts[keys..].fill(k);
        let mut rare = Rare::default();
        if !counts.iter().any(|&count| count.wrapping_sub(1) < k.saturating_sub(1)) {
            return rare;
        }
        rare.classes.resize(rows.len().div_ceil(64), 0);
        for (word, of_word) in of_class.chunks(64).enumerate() {
            let is_rare = |key: u32| u64::from(counts[key as usize] & !SEEN < k);
            let bits = of_word.iter().rev().fold(0, |bits, &key| bits << 1 | is_rare(key));
            rare.classes[word] = bits;
            for at in columns(bits) {
                let count = &mut counts[of_word[at] as usize];
                if *count & SEEN == 0 {
                    rare.first.push((word * 64 + at) as u32);
                    rare.rows.push(*count);
                    *count |= SEEN;
                }
            }
        }
        rare
    }

    /// The key of every class in a combination of columns; `none` or one of the next where it lacks
    /// a cell.
    fn keys(&self, mask: u64, none: u32, keys: &mut Vec<u32>) {
        let mut radix = 1;
        let of: Vec<(&[Code], u32)> = columns(mask)
            .map(|column| {
                let before = radix;
                radix *= self.sizes[column] as u32;
                (&self.codes[column][..], before)
            })
            .collect();
        keys.clear();
        keys.resize(self.absent.len(), 0);
        for (at, keys) in keys.chunks_mut(BLOCK).enumerate() {
            let from = at * BLOCK;
            for (codes, radix) in &of {
                let codes = &codes[from..from + keys.len()];
                keys.iter_mut().zip(codes).for_each(|(key, code)| *key += code * radix);
            }
            let absent = &self.absent[from..from + keys.len()];
            for (at, (key, absent)) in keys.iter_mut().zip(absent).enumerate() {
                let lacks = u32::from(absent & mask != 0).wrapping_neg();
                *key = *key & !lacks | (none + (at % NONE) as u32) & lacks;
            }
        }
    }

    /// The same, with a count for every key that occurs.
    fn rare_by_rank(&self, mask: u64, k: u64, ranker: &mut Ranker) -> Rare {
        let counts = self.subject.classes.counts();
        let members: Vec<u32> =
            (0..counts.len() as u32).filter(|&class| self.absent[class as usize] & mask == 0).collect();
        let ids = self.ids(&members, columns(mask), ranker);
        let mut rows: Vec<u32> = Vec::new();
        let mut first: Vec<u32> = Vec::new();
        for (&id, &class) in ids.iter().zip(&members) {
            match rows.get_mut(id as usize) {
                Some(n) => *n += counts[class as usize],
                None => {
                    rows.push(counts[class as usize]);
                    first.push(class);
                }
            }
        }
        let is_rare = |id: usize| u64::from(rows[id]) < k;
        let rare: Vec<usize> = (0..rows.len()).filter(|&id| is_rare(id)).collect();
        if rare.is_empty() {
            return Rare::default();
        }
        let mut classes = vec![0u64; counts.len().div_ceil(64)];
        for (_, &class) in ids.iter().zip(&members).filter(|(id, _)| is_rare(**id as usize)) {
            classes[class as usize / 64] |= 1 << (class % 64);
        }
        Rare {
            classes,
            first: rare.iter().map(|&id| first[id]).collect(),
            rows: rare.iter().map(|&id| rows[id]).collect(),
        }
    }

    /// Dense ids of classes by their codes in some columns, in order of first sight; an absent cell
    /// is one more value.
    pub fn ids(
        &self,
        members: &[u32],
        columns: impl Iterator<Item = usize>,
        ranker: &mut Ranker,
    ) -> Vec<u32> {
        let mut keys = vec![0u64; members.len()];
        let mut space = 1u64;
        for column in columns {
            let radix = self.sizes[column] + 1;
            if space.checked_mul(radix).is_none() {
                ranker.begin(space, keys.len());
                keys.iter_mut().for_each(|key| *key = u64::from(ranker.id(*key)));
                space = ranker.len().max(1) as u64;
            }
            for (key, &member) in keys.iter_mut().zip(members) {
                let absent = self.absent[member as usize] >> column & 1 == 1;
                let code = if absent { radix - 1 } else { u64::from(self.codes[column][member as usize]) };
                *key = *key * radix + code;
            }
            space *= radix;
        }
        ranker.begin(space, keys.len());
        keys.iter().map(|&key| ranker.id(key)).collect()
    }
}

/// The columns of a mask, ascending.
pub(super) fn columns(mask: u64) -> impl Iterator<Item = usize> + Clone {
    let rest = std::iter::successors(Some(mask), |rest| Some(rest & rest.wrapping_sub(1)));
    rest.take_while(|rest| *rest != 0).map(|rest| rest.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::tests::Table;
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// Both ways of counting find what comparing all classes does.
        #[test]
        fn rare_combinations_are_those_of_the_definition(
            rows in proptest::collection::vec((proptest::collection::vec(0..4u32, 3), 0..8u64), 1..60),
            mask in 1..8u64,
            k in 1..8u64,
        ) {
            let texts: Vec<Vec<String>> =
                rows.iter().map(|(codes, _)| codes.iter().map(u32::to_string).collect()).collect();
            let levels: [fn(&str) -> Vec<String>; 3] = [|_| vec!["any".into()]; 3];
            let table = Table::new(&["a", "b", "c"], &texts, &levels);
            let subject = table.subject();
            let mut shown = Shown::new(subject, &State { levels: vec![0; 3], blanked: Arc::new(Vec::new()), step: String::new() });
            let classes = subject.classes;
            let blanks: Vec<u64> = (0..classes.len()).map(|class| rows[class].1).collect();
            shown.blank(&blanks);
            let there = |class: usize| shown.absent(class) & mask == 0;
            let alike = |a: usize, b: usize| columns(mask).all(|c| shown.code(a, c) == shown.code(b, c));
            let size = |class: usize| {
                let others = (0..classes.len()).filter(|&other| there(other) && alike(class, other));
                others.map(|other| u64::from(classes.counts()[other])).sum::<u64>()
            };
            let is_rare = |class: &usize| there(*class) && size(*class) < k;
            let expected: Vec<usize> = (0..classes.len()).filter(is_rare).collect();
            let first = |&&class: &&usize| (0..class).all(|other| !there(other) || !alike(class, other));
            let first: Vec<u32> = expected.iter().filter(first).map(|&class| class as u32).collect();
            let keys = columns(mask).map(|column| shown.sizes()[column] as usize).product();
            let by_key = shown.rare_by_key(mask, k as u32, keys, &mut Scratch::default());
            let by_rank = shown.rare_by_rank(mask, k, &mut Ranker::default());
            for found in [by_key, by_rank] {
                let of = |class: usize| found.classes.get(class / 64).is_some_and(|word| word >> (class % 64) & 1 == 1);
                prop_assert_eq!(&(0..classes.len()).filter(|&c| of(c)).collect::<Vec<_>>(), &expected);
                prop_assert_eq!(&found.first, &first);
                let rows: Vec<u32> = first.iter().map(|&class| size(class as usize) as u32).collect();
                prop_assert_eq!(&found.rows, &rows);
            }
        }
    }
}
