//! Tables, wherever they are: the interface between a policy and storage.
//!
//! [`Rows`] is all that releasing and verifying need of a table. Files, databases and tables in
//! memory implement it. Nothing depends on the order of rows except `output.keep_order`: distinct
//! rows are sorted by value, and equal rows are distinguished by occurrence.

use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::fault;
use crate::release::PreparationFacts;
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;
use crate::watch::{Stage, Watch};

/// Rows of a batch that [`Rows::count`] codes at once.
const BATCH: usize = 8192;

/// Some rows of a table, as text.
pub trait Batch {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Hands every cell of a column to `take`, in row order; `None` is a missing cell. Columns are
    /// counted as in the call of [`Rows::read`].
    fn each(&self, column: usize, take: &mut dyn FnMut(Option<&str>));

    /// The same cells as numbers, where the batch has them so: what is done per text need not be
    /// done per cell.
    fn keyed(&self, _column: usize) -> Option<Keyed<'_>> {
        None
    }
}

/// The cells of a column of few values.
#[derive(Debug, Clone)]
pub struct Keyed<'a> {
    /// Row → place of its text.
    pub keys: &'a [u32],
    /// The texts; `None` is a missing cell. Some may occur in no row, and some twice.
    pub values: Vec<Option<&'a str>>,
}

/// A table that can be read several times.
pub trait Rows: Send + Sync {
    /// The names of its columns.
    fn columns(&self) -> &[String];

    /// Reads some columns, given by their places. Every row is in exactly one batch.
    ///
    /// # Errors
    /// What cannot be read; what `each` returns; [`Kind::Cancelled`](crate::error::Kind::Cancelled)
    /// when asked to stop.
    fn read(
        &self,
        columns: &[usize],
        watch: &Watch,
        each: &mut dyn FnMut(&dyn Batch) -> Result<()>,
    ) -> Result<()>;

    /// Identifies the content, as a certificate states it: for files, SHA-256 of their bytes. A
    /// table that was read to the end knows it already.
    ///
    /// # Errors
    /// What cannot be read.
    fn fingerprint(&self, watch: &Watch) -> Result<String>;

    /// The distinct tuples of some columns, with their rows. Storage that can group by itself, or
    /// on several cores, overrides this.
    ///
    /// # Errors
    /// As [`Rows::read`], and more rows than 32 bits can count.
    fn count(&self, columns: &[usize], watch: &Watch) -> Result<Counted> {
        let mut counted = Counted::new(columns.len());
        self.read(columns, watch, &mut |batch| {
            counted.add(batch)?;
            watch.done(Stage::Reading, counted.tuples.rows(), None)
        })?;
        Ok(counted)
    }

    /// What the rows were made of, if they are not those of the files; known when the table was
    /// read to the end.
    fn preparation(&self) -> Option<&PreparationFacts> {
        None
    }
}

/// Distinct tuples of a table, in codes of a dictionary per column.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Counted {
    /// Column → its values.
    pub dictionaries: Vec<Dictionary>,
    /// Distinct tuples, with their rows.
    pub tuples: Tuples,
    /// The codes of a batch; kept to be used again.
    codes: Vec<Vec<Code>>,
}

impl Counted {
    /// A table of this many columns without rows.
    pub fn new(columns: usize) -> Self {
        Counted {
            dictionaries: vec![Dictionary::new(); columns],
            tuples: Tuples::new(columns),
            codes: vec![Vec::with_capacity(BATCH); columns],
        }
    }

    /// Adds the rows of a batch.
    ///
    /// # Errors
    /// More rows than 32 bits can count.
    pub fn add(&mut self, batch: &dyn Batch) -> Result<()> {
        for (column, (dictionary, codes)) in self.dictionaries.iter_mut().zip(&mut self.codes).enumerate() {
            codes.clear();
            match batch.keyed(column) {
                Some(keyed) => {
                    let mut counts = vec![0; keyed.values.len()];
                    keyed.keys.iter().for_each(|&key| counts[key as usize] += 1);
                    let add = |(value, count): (&Option<&str>, &u64)| match count {
                        0 => 0,
                        _ => dictionary.add(*value, *count),
                    };
                    let map: Vec<Code> = keyed.values.iter().zip(&counts).map(add).collect();
                    codes.extend(keyed.keys.iter().map(|&key| map[key as usize]));
                }
                None => batch.each(column, &mut |cell| codes.push(dictionary.add(cell, 1))),
            }
        }
        self.tuples.add(&self.codes, batch.rows())
    }

    /// Adds the rows of another part of the same table; returns, per column, its codes as codes of
    /// this one.
    ///
    /// # Errors
    /// More rows than 32 bits can count.
    pub fn merge(&mut self, other: &Counted) -> Result<Vec<Vec<Code>>> {
        let pairs = self.dictionaries.iter_mut().zip(&other.dictionaries);
        let maps: Vec<Vec<Code>> = pairs.map(|(to, from)| to.merge(from)).collect();
        self.tuples.merge(&other.tuples, &maps)?;
        Ok(maps)
    }
}

/// A number that depends on some cells, in the given order, and on nothing else. Rows of equal
/// quasi-identifiers that become different cells are assigned in the order of this number, over
/// [`Policy::content_columns`](crate::policy::Policy::content_columns). Costs a SHA-256.
#[derive(Debug, Clone, Default)]
pub struct ContentKey(Sha256);

impl ContentKey {
    /// Adds the next cell.
    pub fn cell(&mut self, cell: Option<&str>) {
        // The length first, so that no two rows have the same bytes.
        self.0.update(cell.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        self.0.update(cell.unwrap_or_default());
    }

    /// The number.
    pub fn finish(self) -> u64 {
        self.0.finalize().first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

/// A table in memory; `None` is a missing cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
    fingerprint: Option<String>,
}

impl Table {
    /// A table of columns and rows.
    ///
    /// # Errors
    /// A row with more or fewer cells than there are columns.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<Option<String>>>) -> Result<Self> {
        match rows.iter().position(|row| row.len() != columns.len()) {
            None => Ok(Table { columns, rows, fingerprint: None }),
            Some(at) => {
                let (cells, width) = (rows[at].len(), columns.len());
                Err(fault!(
                    Data,
                    "table.uneven-row",
                    "row {row} has {cells} cells, and there are {columns} columns",
                    row = at + 1,
                    cells = cells,
                    columns = width
                )
                .help("give every row a cell per column; a missing one is None")
                .into())
            }
        }
    }

    /// The rows, cell by cell in the order of the columns.
    pub fn rows(&self) -> &[Vec<Option<String>>] {
        &self.rows
    }

    /// The place of a column.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The same table, identified by something that is known of it in place of its content.
    #[must_use]
    pub fn identified_by(self, fingerprint: &str) -> Self {
        Table { fingerprint: Some(fingerprint.to_owned()), ..self }
    }

    /// SHA-256 of a text, the columns and the cells. Equal rows in another order have the same
    /// digest.
    pub fn digest(&self, text: &[u8]) -> [u8; 32] {
        let mut rows: Vec<&Vec<Option<String>>> = self.rows.iter().collect();
        rows.sort_unstable();
        let mut content = ContentKey(Sha256::new_with_prefix(text));
        self.columns.iter().for_each(|name| content.cell(Some(name)));
        rows.into_iter().flatten().for_each(|cell| content.cell(cell.as_deref()));
        content.0.finalize().into()
    }
}

/// Rows of a [`Table`], with the columns that were asked for.
struct Part<'a>(&'a [Vec<Option<String>>], &'a [usize]);

impl Batch for Part<'_> {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn each(&self, column: usize, take: &mut dyn FnMut(Option<&str>)) {
        self.0.iter().for_each(|row| take(row[self.1[column]].as_deref()));
    }
}

impl Rows for Table {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(
        &self,
        columns: &[usize],
        watch: &Watch,
        each: &mut dyn FnMut(&dyn Batch) -> Result<()>,
    ) -> Result<()> {
        for rows in self.rows.chunks(BATCH) {
            watch.check()?;
            each(&Part(rows, columns))?;
        }
        watch.check()
    }

    fn fingerprint(&self, _: &Watch) -> Result<String> {
        let hex = || self.digest(b"").iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(self.fingerprint.clone().unwrap_or_else(hex))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn table(rows: &[(u8, u8)]) -> Table {
        let cell = |value: u8| (value > 0).then(|| value.to_string());
        let rows = rows.iter().map(|&(a, b)| vec![cell(a), cell(b)]).collect();
        Table::new(vec!["a".into(), "b".into()], rows).unwrap()
    }

    /// Distinct tuples as texts, with their rows.
    fn texts(counted: &Counted) -> BTreeMap<Vec<Option<String>>, u32> {
        let text = |at: usize, column: usize| {
            counted.dictionaries[column].value(counted.tuples.code(at, column)).map(String::from)
        };
        let width = counted.dictionaries.len();
        let tuple = |at: usize| (0..width).map(|column| text(at, column)).collect();
        (0..counted.tuples.len()).map(|at| (tuple(at), counted.tuples.counts()[at])).collect()
    }

    proptest! {
        /// Counting is by definition, and parts of a table give what the whole gives.
        #[test]
        fn counting_is_that_of_a_map(
            rows in prop::collection::vec((0u8..4, 0u8..4), 0..60),
            part in 1usize..20,
        ) {
            let whole = table(&rows).count(&[1, 0], &Watch::none()).unwrap();
            let mut expected = BTreeMap::new();
            for row in table(&rows).rows() {
                *expected.entry(vec![row[1].clone(), row[0].clone()]).or_insert(0) += 1;
            }
            prop_assert_eq!(texts(&whole), expected.clone());
            let mut merged = Counted::new(2);
            for rows in rows.chunks(part) {
                merged.merge(&table(rows).count(&[1, 0], &Watch::none()).unwrap()).unwrap();
            }
            prop_assert_eq!(texts(&merged), expected);
            prop_assert_eq!(merged.tuples.rows(), rows.len() as u64);
            for (a, b) in merged.dictionaries.iter().zip(&whole.dictionaries) {
                let counts = |d: &Dictionary| -> BTreeMap<Option<String>, u64> {
                    (0..d.len() as Code).map(|c| (d.value(c).map(String::from), d.count(c))).collect()
                };
                prop_assert_eq!(counts(a), counts(b));
            }
        }

        #[test]
        fn a_fingerprint_knows_no_order(mut rows in prop::collection::vec((0u8..4, 0u8..4), 1..30)) {
            let before = table(&rows).digest(b"");
            rows.reverse();
            prop_assert_eq!(table(&rows).digest(b""), before);
            rows[0].0 += 1;
            prop_assert_ne!(table(&rows).digest(b""), before);
        }
    }

    #[test]
    fn content_keys_distinguish_rows() {
        let key = |cells: &[Option<&str>]| {
            let mut key = ContentKey::default();
            cells.iter().for_each(|cell| key.cell(*cell));
            key.finish()
        };
        assert_eq!(key(&[Some("a"), None]), key(&[Some("a"), None]));
        let rows: [&[Option<&str>]; 5] = [
            &[Some("ab"), Some("c")],
            &[Some("a"), Some("bc")],
            &[Some("abc"), None],
            &[None, Some("abc")],
            &[Some("abc"), Some("")],
        ];
        let keys: std::collections::BTreeSet<u64> = rows.iter().map(|row| key(row)).collect();
        assert_eq!(keys.len(), rows.len());
    }
}
