//! Cells priced by what they tell of the targets (K, "Method 3", with implied fields): the measure of a cell is the share of the column's best value's worth
//! that it does not have.
//!
//! A label is worth what the worths of the table say of its level; an interval, a set or a cell of a poset what the rows that it is true of tell. These are
//! estimates, and may rise where more rows come in: then a set is not always the one of looking at all rows, as K's is not. Worths of cells that are no
//! labels are reckoned once and kept.

use std::sync::RwLock;

use rustc_hash::FxHashMap;

use crate::policy::Form;
use crate::poset::{Common, Poset};
use crate::recode::region::Told;
use crate::space::Axis;
use crate::table::Code;

/// What cells of a column are worth.
pub(super) struct Worth<'a> {
    told: &'a Told,
    /// What its best value is worth, in bits.
    pub(super) most: f64,
    known: RwLock<FxHashMap<Key, f64>>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Ranks(Code, Code),
    Cell(Option<String>),
}

impl<'a> Worth<'a> {
    pub(super) fn new(told: &'a Told) -> Self {
        let most = told.levels[0].iter().copied().fold(0.0, f64::max);
        Worth { told, most: told.weight * most, known: RwLock::default() }
    }

    /// The measure of the cell above a range of ranks.
    pub(super) fn of_ranks(&self, axis: &Axis, low: Code, high: Code) -> f64 {
        let level = axis.level(low, high);
        if low == high || axis.form() == Form::Label {
            return self.measure(self.told.levels[level][low as usize]);
        }
        let (low, high) = axis.covered(low, high);
        self.kept(Key::Ranks(low, high), || {
            let leaves: Vec<Code> = (low..=high).map(|rank| axis.leaf(rank)).collect();
            self.told.worths.of_rows(&leaves).max(self.told.levels[level][low as usize])
        })
    }

    /// The measure of the cell above values of a poset.
    pub(super) fn of_common(&self, poset: &Poset, common: &Common) -> f64 {
        let cell = poset.lub(common).into_iter().next().flatten();
        self.kept(Key::Cell(cell), || {
            let leaves = poset.covered(common);
            match leaves[..] {
                [only] => self.told.worths.at(0, only),
                _ => self.told.worths.of_rows(&leaves),
            }
        })
    }

    fn kept(&self, key: Key, worth: impl FnOnce() -> f64) -> f64 {
        let known = self.known.read().ok().and_then(|known| known.get(&key).copied());
        known.unwrap_or_else(|| {
            let measure = self.measure(worth());
            if let Ok(mut known) = self.known.write() {
                known.insert(key, measure);
            }
            measure
        })
    }

    fn measure(&self, worth: f64) -> f64 {
        let worth = self.told.weight * worth;
        if self.most > 0.0 { (1.0 - worth / self.most).clamp(0.0, 1.0) } else { 0.0 }
    }
}
