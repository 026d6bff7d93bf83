//! Cells priced by their information about the targets [Katirai 2006, "Method 3", with implied
//! fields]: the measure of a cell is the share of the column's best value's worth that it lacks.
//!
//! The worth of a label is the table's worth at its level; the worth of an interval, a set or a
//! poset cell is computed from the rows that it is true of. These are estimates and may rise as
//! rows are added, so a set is not always that of a full scan; neither is Katirai's. Worths of
//! cells that are not labels are computed once and cached, keyed by a cell number if the poset has
//! one, because Greedy needs every pair and formatting a cell's text is the most expensive step;
//! otherwise by the common values, up to [`KEPT`] of these, and then by the text.

use std::sync::RwLock;

use rustc_hash::FxHashMap;

use crate::policy::Form;
use crate::poset::{Common, Poset};
use crate::recode::region::ColumnWorth;
use crate::space::Axis;
use crate::table::Code;

/// What cells of a column are worth.
pub(super) struct Worth<'a> {
    column: &'a ColumnWorth,
    /// What its best value is worth, in bits.
    pub(super) most: f64,
    known: RwLock<FxHashMap<Key, f64>>,
    commons: RwLock<FxHashMap<Common, f64>>,
}

/// Most that is remembered of what values have in common: some 100 MB at worst, where multisets
/// share all kinds of codes.
const KEPT: usize = 1 << 20;

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Ranks(Code, Code),
    Number(u64),
    Cell(Option<String>),
}

impl<'a> Worth<'a> {
    pub(super) fn new(column: &'a ColumnWorth) -> Self {
        let most = column.levels[0].iter().copied().fold(0.0, f64::max);
        Worth { column, most: column.weight * most, known: RwLock::default(), commons: RwLock::default() }
    }

    /// The measure of the cell above a range of ranks.
    pub(super) fn of_ranks(&self, axis: &Axis, low: Code, high: Code) -> f64 {
        let level = axis.level(low, high);
        if low == high || axis.form() == Form::Label {
            return self.measure(self.column.levels[level][low as usize]);
        }
        let (low, high) = axis.covered(low, high);
        self.kept(Key::Ranks(low, high), || {
            let leaves: Vec<Code> = (low..=high).map(|rank| axis.leaf(rank)).collect();
            self.column.worths.of_rows(&leaves).max(self.column.levels[level][low as usize])
        })
    }

    /// The measure of the cell above values of a poset.
    pub(super) fn of_common(&self, poset: &Poset, common: &Common) -> f64 {
        if let Some(number) = poset.number(common) {
            return self.kept(Key::Number(number), || self.of_covered(poset, common));
        }
        let known = self.commons.read().ok().and_then(|known| known.get(common).copied());
        known.unwrap_or_else(|| {
            let cell = poset.lub(common).into_iter().next().flatten();
            let measure = self.kept(Key::Cell(cell), || self.of_covered(poset, common));
            if let Ok(mut known) = self.commons.write()
                && known.len() < KEPT
            {
                known.insert(common.clone(), measure);
            }
            measure
        })
    }

    /// The information of the rows that the cell is true of.
    fn of_covered(&self, poset: &Poset, common: &Common) -> f64 {
        let leaves = poset.covered(common);
        match leaves[..] {
            [only] => self.column.worths.at(0, only),
            _ => self.column.worths.of_rows(&leaves),
        }
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
        let worth = self.column.weight * worth;
        if self.most > 0.0 { (1.0 - worth / self.most).clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::{Classes, Codes};
    use crate::hierarchy::{Hierarchy, Path};
    use crate::histogram::Histogram;
    use crate::poset::Spec;
    use crate::worth::Worths;

    /// Ages from 20 to 27, eight rows each, all of them ill from 24 on; one of 40 with two rows.
    #[test]
    fn what_is_in_common_is_worth_what_its_cell_tells() {
        let ages: Vec<String> = (20..28).chain([40]).map(|age| age.to_string()).collect();
        let path = |leaf: &String| Path { leaf: leaf.clone(), labels: Vec::new() };
        let hierarchy = Hierarchy::new(ages.iter().map(path).collect(), false).unwrap();
        let rows: Vec<u32> = ages.iter().map(|age| if age == "40" { 2 } else { 8 }).collect();
        let ill: Vec<(u32, u32, u32)> =
            rows.iter().enumerate().map(|(i, &n)| (i as u32, u32::from(i >= 4), n)).collect();
        let classes = Classes::new(1, Codes::Wide((0..9).collect()), rows).unwrap();
        let classes = classes.measured(vec![Histogram::new(9, &ill).unwrap()]).unwrap().with_targets(1);
        let worths = Worths::of(&classes, std::slice::from_ref(&hierarchy)).remove(0);
        let levels: Vec<Vec<f64>> = (0..2)
            .map(|level| (0..9).map(|leaf| worths.at(level, hierarchy.generalize(leaf, level))).collect())
            .collect();
        let column = ColumnWorth { worths, levels, weight: 0.5 };
        let worth = Worth::new(&column);
        let poset = Poset::build(
            &Spec::Range(Default::default()),
            ages.into_iter().map(Some).collect(),
            &|_| unreachable!(),
        )
        .unwrap();
        // Queried twice: computed, then cached.
        for _ in 0..2 {
            for a in 0..9u32 {
                for b in 0..9u32 {
                    let (low, high) = (a.min(b), a.max(b));
                    let own = |leaves: &[Code]| column.worths.of_rows(leaves);
                    let bits = own(&(low..=high).collect::<Vec<_>>());
                    let expected = 1.0 - bits / column.levels[0].iter().copied().fold(0.0, f64::max);
                    let found = worth.of_common(&poset, &poset.common(&[a, b]));
                    assert!((found - expected).abs() < 1e-12, "{a} {b}: {found} {expected}");
                }
            }
        }
        assert_eq!(worth.commons.read().unwrap().len(), 45, "as many as there are ranges of nine values");
    }
}
