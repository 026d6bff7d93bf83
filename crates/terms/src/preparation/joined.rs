//! Files that are read beside the table: rows that become lists of codes, and keys of people.
//!
//! One pass each. Memory holds the distinct keys, and the codes of each.

use rustc_hash::{FxHashMap, FxHashSet};

use super::list;
use crate::error::{Error, Result};
use crate::policy::{Join, PresentIn};
use crate::predicate::no_such_column;
use crate::rows::Rows;
use crate::table::{Code, Dictionary};
use crate::watch::{Stage, Watch};

/// The lists of codes of a file, by key.
#[derive(Debug, Default)]
pub struct JoinedFile {
    places: FxHashMap<String, u32>,
    /// Place → the list as a cell; none where all codes are missing.
    cells: Vec<Option<String>>,
    /// Place → rows of the file.
    rows: Vec<u64>,
    /// Rows without a key.
    keyless: u64,
}

impl JoinedFile {
    /// Reads a file.
    ///
    /// # Errors
    /// Columns that it does not have, codes and counts that are none, and what cannot be read.
    pub fn read(file: &dyn Rows, join: &Join, watch: &Watch) -> Result<Self> {
        let names = [Some(join.file_key()), Some(&join.codes), join.counts.as_deref()];
        let columns = places(file.columns(), names.into_iter().flatten())?;
        let mut joined = JoinedFile::default();
        let mut codes = Dictionary::new();
        let mut pairs: FxHashMap<(u32, Code), u32> = FxHashMap::default();
        let mut done = 0;
        file.read(&columns, watch, &mut |batch| {
            let mut keys = Vec::with_capacity(batch.rows());
            batch.each(0, &mut |cell| keys.push(cell.map(|key| joined.place(key))));
            let mut named = Vec::with_capacity(batch.rows());
            let mut outcome = Ok(());
            batch.each(1, &mut |cell| {
                let code = cell.map(|text| list::code(text).map(|code| codes.add(Some(code), 1)));
                named.push(match code {
                    Some(Ok(code)) => Some(code),
                    Some(Err(error)) => {
                        keep_first(&mut outcome, error.map(|fault| fault.column(&join.codes)));
                        None
                    }
                    None => None,
                });
            });
            let mut counts = vec![1; batch.rows()];
            if let Some(column) = &join.counts {
                let mut row = 0;
                batch.each(2, &mut |cell| {
                    match cell.map_or(Ok(0), list::count) {
                        Ok(count) => counts[row] = count,
                        Err(error) => keep_first(&mut outcome, error.map(|fault| fault.column(column))),
                    }
                    row += 1;
                });
            }
            outcome?;
            for ((key, code), count) in keys.into_iter().zip(named).zip(counts) {
                let Some(key) = key else {
                    joined.keyless += 1;
                    continue;
                };
                joined.rows[key as usize] += 1;
                let Some(code) = code.filter(|_| count > 0) else { continue };
                let total = pairs.entry((key, code)).or_insert(0);
                let too_many = || list::too_many(codes.value(code).unwrap_or_default());
                *total = total.checked_add(count).ok_or_else(too_many)?;
            }
            done += batch.rows() as u64;
            watch.done(Stage::Reading, done, None)
        })?;
        joined.write(pairs, &codes);
        Ok(joined)
    }

    fn place(&mut self, key: &str) -> u32 {
        if let Some(&place) = self.places.get(key) {
            return place;
        }
        let place = self.rows.len() as u32;
        self.places.insert(key.to_owned(), place);
        self.rows.push(0);
        place
    }

    /// Writes the lists, the most frequent codes first: so they do not depend on the order of rows.
    fn write(&mut self, pairs: FxHashMap<(u32, Code), u32>, codes: &Dictionary) {
        let text = |code: Code| codes.value(code).unwrap_or_default();
        let mut pairs: Vec<((u32, Code), u32)> = pairs.into_iter().collect();
        pairs.sort_unstable_by(|&((a_key, a), a_count), &((b_key, b), b_count)| {
            a_key.cmp(&b_key).then_with(|| list::by_frequency((text(a), a_count), (text(b), b_count)))
        });
        self.cells = vec![None; self.rows.len()];
        for run in pairs.chunk_by(|a, b| a.0.0 == b.0.0) {
            let list = run.iter().map(|&((_, code), count)| (text(code), count));
            self.cells[run[0].0.0 as usize] = list::write(list);
        }
    }

    /// The place of a key.
    pub(super) fn find(&self, key: Option<&str>) -> Option<u32> {
        self.places.get(key?).copied()
    }

    /// The list at a place.
    pub(super) fn cell(&self, place: u32) -> Option<&str> {
        self.cells[place as usize].as_deref()
    }

    /// Distinct keys.
    pub(super) fn keys(&self) -> usize {
        self.rows.len()
    }

    /// All rows.
    pub(super) fn rows(&self) -> u64 {
        self.rows.iter().sum::<u64>() + self.keyless
    }

    /// Rows whose keys are not among some places, and how many keys that are.
    pub(super) fn unmatched(&self, matched: impl Fn(usize) -> bool) -> (u64, u64) {
        let without = self.rows.iter().enumerate().filter(|(place, _)| !matched(*place));
        without.fold((self.keyless, 0), |(rows, keys), (_, of_key)| (rows + of_key, keys + 1))
    }
}

/// The keys of the people in a file.
#[derive(Debug, Default)]
pub struct KeyedFile(FxHashSet<String>);

impl KeyedFile {
    /// Reads a file.
    ///
    /// # Errors
    /// A column that it does not have, and what cannot be read.
    pub fn read(file: &dyn Rows, present: &PresentIn, watch: &Watch) -> Result<Self> {
        let columns = places(file.columns(), [present.file_key()])?;
        let mut keys = FxHashSet::default();
        let mut done = 0;
        file.read(&columns, watch, &mut |batch| {
            batch.each(0, &mut |cell| {
                if let Some(key) = cell.filter(|key| !keys.contains(*key)) {
                    keys.insert(key.to_owned());
                }
            });
            done += batch.rows() as u64;
            watch.done(Stage::Reading, done, None)
        })?;
        Ok(KeyedFile(keys))
    }

    pub(super) fn has(&self, key: Option<&str>) -> bool {
        key.is_some_and(|key| self.0.contains(key))
    }
}

fn keep_first(outcome: &mut Result<()>, error: Error) {
    if outcome.is_ok() {
        *outcome = Err(error);
    }
}

fn places<'a>(columns: &[String], names: impl IntoIterator<Item = &'a str>) -> Result<Vec<usize>> {
    let place = |name: &str| {
        let place = columns.iter().position(|column| column == name);
        place.ok_or_else(|| Error::from(no_such_column(name, columns)))
    };
    names.into_iter().map(place).collect()
}
