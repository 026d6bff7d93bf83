//! The plainest possible reading of a release: a list of rows, and counting.

use std::collections::BTreeMap;

/// A table of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn read(bytes: &[u8], delimiter: char) -> Self {
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter as u8).from_reader(bytes);
        let columns = reader.headers().unwrap().iter().map(String::from).collect();
        let rows = reader.records().map(|r| r.unwrap().iter().map(String::from).collect()).collect();
        Table { columns, rows }
    }

    pub fn write(&self, delimiter: char) -> String {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter as u8).from_writer(Vec::new());
        writer.write_record(&self.columns).unwrap();
        self.rows.iter().for_each(|row| writer.write_record(row).unwrap());
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    }

    pub fn at(&self, column: &str) -> usize {
        self.columns.iter().position(|c| c == column).unwrap_or_else(|| panic!("no column {column}"))
    }

    pub fn column(&self, name: &str) -> Vec<&str> {
        let at = self.at(name);
        self.rows.iter().map(|row| row[at].as_str()).collect()
    }

    /// The rows in an order that reveals nothing.
    pub fn sorted(&self) -> Self {
        let mut table = self.clone();
        table.rows.sort();
        table
    }

    /// Without the rows that have `*` in all these columns.
    pub fn without_stars(&self, columns: &[&str]) -> Self {
        let at: Vec<usize> = columns.iter().map(|c| self.at(c)).collect();
        let rows = self.rows.iter().filter(|row| at.iter().any(|&i| row[i] != "*"));
        Table { columns: self.columns.clone(), rows: rows.cloned().collect() }
    }

    fn combinations(&self, columns: &[&str]) -> BTreeMap<Vec<&str>, u64> {
        let at: Vec<usize> = columns.iter().map(|c| self.at(c)).collect();
        let mut counts = BTreeMap::new();
        for row in &self.rows {
            *counts.entry(at.iter().map(|&i| row[i].as_str()).collect()).or_default() += 1;
        }
        counts
    }

    /// How often the rarest combination of these columns occurs; none in an empty table.
    pub fn rarest(&self, columns: &[&str]) -> Option<u64> {
        self.combinations(columns).values().copied().min()
    }

    /// The same where an empty cell may be anything.
    pub fn rarest_wild(&self, columns: &[&str]) -> Option<u64> {
        let counts = self.combinations(columns);
        let like = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
        let matches = |row: &[&str], other: &[&str]| row.iter().zip(other).all(|(a, b)| like(a, b));
        let size =
            |row: &[&str]| counts.iter().filter(|(other, _)| matches(row, other)).map(|(_, n)| n).sum();
        counts.keys().map(|row| size(row)).min()
    }

    #[track_caller]
    pub fn is_anonymous(&self, columns: &[&str], k: u64) {
        let rarest = self.rarest(columns).expect("the release has no rows");
        assert!(rarest >= k, "{columns:?}: a combination occurs {rarest} times, not {k}");
    }
}
