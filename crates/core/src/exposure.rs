//! Exposure: what released columns show beside the quasi-identifiers, counted as rows are written.
//!
//! Two facts per column: rows whose value no other row has, by which somebody who knows it finds
//! the row; and classes whose rows all have one value, which somebody who finds the class then
//! knows (homogeneity: Machanavajjhala et al. 2006). No value is kept: a column has a 64-bit hash
//! per distinct value, up to a limit, and one per class, up to another. Beyond the limits, counts
//! are lower bounds and say so. A collision of hashes can only make them lower. Costs a hash per
//! cell, and a look-up per row and per cell.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;
use serde::Serialize;

use crate::table::Code;

/// Distinct values that are distinguished, of all columns together and of one: about 40 MB.
const VALUES: usize = 1 << 21;
const VALUES_OF_ONE: usize = 1 << 20;
/// Pairs of a class and a column whose value is noted: 32 MB.
const NOTED: usize = 1 << 22;

/// The bit of a hash that marks a value that occurred again: tables place hashes by their low and
/// highest bits.
const AGAIN: u64 = 1 << 40;

/// What a column shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exposed {
    /// Its name.
    pub column: String,
    /// Released rows.
    pub rows: u64,
    /// Distinct values among them, at least.
    pub values: u64,
    /// Rows whose value no other row has, at least.
    pub unique: u64,
    /// Whether these two are exact.
    pub exact: bool,
    /// Released classes.
    pub classes: u64,
    /// Classes whose rows all have the same value, at least; 0 where the whole column has one
    /// value.
    pub uniform: u64,
    /// Their rows, at least.
    pub uniform_rows: u64,
    /// Whether these two are exact.
    pub uniform_exact: bool,
}

/// Counts as rows come.
#[derive(Debug)]
pub struct Exposure {
    /// Hashes of the released quasi-identifiers, with the class that each is.
    classes: HashTable<(u64, u32)>,
    /// Rows of each class.
    sizes: Vec<u32>,
    columns: Vec<Column>,
    most_values: usize,
    most_classes: usize,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// Hashes of values; one bit is set where a value occurred again. Half of what a map from
    /// hash to flag takes: most look-ups of a column of unique values miss the cache.
    seen: HashTable<u64>,
    full: bool,
    missing: bool,
    rows: u64,
    /// Class → what its rows have in common so far.
    common: Vec<Common>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Common {
    Nothing,
    Missing,
    Value(u64),
    Several,
}

impl Exposure {
    /// Of columns that are released beside the quasi-identifiers.
    pub fn new(columns: impl IntoIterator<Item = String>) -> Self {
        let column = |name| Column {
            name,
            seen: HashTable::new(),
            full: false,
            missing: false,
            rows: 0,
            common: Vec::new(),
        };
        let columns: Vec<Column> = columns.into_iter().map(column).collect();
        let most = columns.len().max(1);
        Exposure {
            classes: HashTable::new(),
            sizes: Vec::new(),
            columns,
            most_values: (VALUES / most).min(VALUES_OF_ONE),
            most_classes: NOTED / most,
        }
    }

    /// Whether there is nothing to count.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The class of the next row, whose released quasi-identifiers have this hash; see
    /// [`add_to_hashes`].
    pub fn class(&mut self, hash: u64) -> u32 {
        let next = self.sizes.len() as u32;
        let entry =
            self.classes.entry(hash, |known| known.0 == hash, |known| known.0).or_insert((hash, next));
        let class = entry.get().1;
        match self.sizes.get_mut(class as usize) {
            Some(size) => *size += 1,
            None => self.sizes.push(1),
        }
        class
    }

    /// The cell of a column in a row of a class; none where it is missing.
    pub fn cell(&mut self, column: usize, class: u32, cell: Option<&str>) {
        let (most_values, most_classes) = (self.most_values, self.most_classes);
        let column = &mut self.columns[column];
        column.rows += 1;
        let value = cell.map(hash);
        match value {
            None => column.missing = true,
            Some(value) => column.count(value, most_values),
        }
        let class = class as usize;
        if class < most_classes {
            column.note(class, value);
        }
    }

    /// What was found, column by column.
    pub fn finish(self) -> Vec<Exposed> {
        let most = self.most_classes;
        self.columns.into_iter().map(|column| column.finish(&self.sizes, most)).collect()
    }
}

impl Column {
    fn count(&mut self, value: u64, most: usize) {
        let full = self.seen.len() >= most;
        if full {
            match self.seen.find_mut(value, |seen| seen | AGAIN == value | AGAIN) {
                Some(seen) => *seen |= AGAIN,
                None => self.full = true,
            }
            return;
        }
        match self.seen.entry(value, |seen| seen | AGAIN == value | AGAIN, |seen| seen & !AGAIN) {
            Entry::Occupied(mut entry) => *entry.get_mut() |= AGAIN,
            Entry::Vacant(entry) => {
                entry.insert(value);
            }
        }
    }

    fn note(&mut self, class: usize, value: Option<u64>) {
        if class >= self.common.len() {
            self.common.resize(class + 1, Common::Nothing);
        }
        let found = value.map_or(Common::Missing, Common::Value);
        let common = &mut self.common[class];
        *common = match *common {
            Common::Nothing => found,
            known if known == found => known,
            _ => Common::Several,
        };
    }

    fn finish(self, sizes: &[u32], most_classes: usize) -> Exposed {
        let varies = self.full || self.seen.len() + usize::from(self.missing) > 1;
        let uniform = |(common, _): &(&Common, &u32)| varies && matches!(common, Common::Value(_));
        let classes = self.common.iter().zip(sizes).filter(uniform);
        let (uniform, uniform_rows) =
            classes.fold((0, 0), |(n, rows), (_, size)| (n + 1, rows + u64::from(*size)));
        Exposed {
            rows: self.rows,
            values: self.seen.len() as u64,
            unique: self.seen.iter().filter(|seen| *seen & AGAIN == 0).count() as u64,
            exact: !self.full,
            classes: sizes.len() as u64,
            uniform,
            uniform_rows,
            uniform_exact: sizes.len() <= most_classes,
            column: self.name,
        }
    }
}

/// Adds a quasi-identifier to the hashes of some rows: row → code, and code → the first code of the
/// same text. Column by column, because rows of a batch are stored so. Hashes start at 0.
pub fn add_to_hashes(hashes: &mut [u64], codes: &[Code], texts: &[Code]) {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    for (hash, &code) in hashes.iter_mut().zip(codes) {
        // Products carry upwards only: the high bits go down before the next column.
        let mixed = (*hash ^ u64::from(texts[code as usize])).wrapping_add(1).wrapping_mul(ODD);
        *hash = mixed ^ (mixed >> 32);
    }
}

/// Keyed with nothing, so that the same table is counted alike each time. One bit is free.
fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish() & !AGAIN
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Row = (Vec<Code>, Vec<Option<String>>);

    fn counted(rows: &[Row], most_values: usize, most_classes: usize) -> Vec<Exposed> {
        let mut exposure = Exposure::new(["a", "b"].map(String::from));
        (exposure.most_values, exposure.most_classes) = (most_values, most_classes);
        for (codes, cells) in rows {
            let mut hash = [0];
            codes.iter().for_each(|&code| add_to_hashes(&mut hash, &[code], &[0, 1, 2, 3]));
            let class = exposure.class(hash[0]);
            for (column, cell) in cells.iter().enumerate() {
                exposure.cell(column, class, cell.as_deref());
            }
        }
        exposure.finish()
    }

    /// By the definition: all rows at once. Values, unique rows, uniform classes and their rows.
    fn naive(rows: &[Row], column: usize) -> [u64; 4] {
        let mut values: BTreeMap<&str, u64> = BTreeMap::new();
        let mut classes: BTreeMap<&[Code], Vec<Option<&str>>> = BTreeMap::new();
        for (codes, cells) in rows {
            let cell = cells[column].as_deref();
            cell.into_iter().for_each(|cell| *values.entry(cell).or_default() += 1);
            classes.entry(codes).or_default().push(cell);
        }
        let varies = rows.iter().any(|(_, cells)| cells[column] != rows[0].1[column]);
        let uniform = classes
            .values()
            .filter(|cells| varies && cells[0].is_some() && cells.iter().all(|c| *c == cells[0]));
        let sizes: Vec<u64> = uniform.map(|cells| cells.len() as u64).collect();
        let unique = values.values().filter(|rows| **rows == 1).count() as u64;
        [values.len() as u64, unique, sizes.len() as u64, sizes.iter().sum()]
    }

    fn row() -> impl Strategy<Value = Row> {
        let cell = prop::option::weighted(0.9, (0..12u8).prop_map(|v| v.to_string()));
        (prop::collection::vec(0..4u32, 2), prop::collection::vec(cell, 2))
    }

    proptest! {
        #[test]
        fn columns_are_counted_as_defined(rows in prop::collection::vec(row(), 0..40), values in 1..12usize, classes in 1..9usize) {
            for (at, found) in counted(&rows, 100, 100).into_iter().enumerate() {
                let Exposed { values, unique, uniform, uniform_rows, .. } = found;
                prop_assert_eq!([values, unique, uniform, uniform_rows], naive(&rows, at));
                prop_assert!(found.exact && found.uniform_exact && found.rows == rows.len() as u64);
            }
            // With too little room, what is found is a lower bound that says so.
            for (at, found) in counted(&rows, values, classes).into_iter().enumerate() {
                let [values, unique, uniform, uniform_rows] = naive(&rows, at);
                prop_assert!(found.values <= values && (!found.exact || (found.values, found.unique) == (values, unique)));
                prop_assert!(found.unique <= unique && found.uniform <= uniform && found.uniform_rows <= uniform_rows);
                prop_assert!(!found.uniform_exact || found.uniform == uniform);
            }
        }
    }

    #[test]
    fn a_table_without_quasi_identifiers_is_one_class() {
        let mut exposure = Exposure::new(["a".to_owned()]);
        for cell in ["x", "x", "y"] {
            let class = exposure.class(0);
            exposure.cell(0, class, Some(cell));
        }
        let found = &exposure.finish()[0];
        assert_eq!((found.classes, found.values, found.unique, found.uniform), (1, 2, 1, 0));
    }
}
