//! The current state of the table, and the rare combinations of its values.
//!
//! Stores one code per cell of the distinct tuples, and per tuple which cells are absent:
//! suppressed now, or missing in the input. A key is the mixed-radix number of a tuple's codes; if
//! that does not fit 64 bits, the columns so far are ranked first.

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
            let found = masks.par_iter().map_init(Ranker::default, |ranker, &mask| {
                watch.check()?;
                let rare = self.rare(mask, k, ranker);
                counter.one()?;
                Ok(rare)
            });
            let found: Vec<Rare> = found.collect::<Result<_>>()?;
            found.into_iter().enumerate().for_each(|(i, rare)| each(chunk * TOGETHER + i, rare));
        }
        Ok(())
    }

    /// The rare combinations of values in a combination of columns, among rows that have all of its
    /// cells.
    fn rare(&self, mask: u64, k: u64, ranker: &mut Ranker) -> Rare {
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
    (0..64).filter(move |column| mask >> column & 1 == 1)
}
