//! A prepared table as [`Rows`], around any other. Copies the cells of one batch.

use std::sync::OnceLock;

use super::{CellSource, Change, Preparation};
use crate::error::Result;
use crate::release::PreparationFacts;
use crate::rows::{Batch, Rows};
use crate::watch::Watch;

/// A table whose rows are prepared while they are read.
pub struct PreparedTable<'a> {
    files: &'a dyn Rows,
    preparation: &'a Preparation,
    facts: OnceLock<PreparationFacts>,
}

impl<'a> PreparedTable<'a> {
    /// Of the rows of files.
    pub fn new(files: &'a dyn Rows, preparation: &'a Preparation) -> Self {
        PreparedTable { files, preparation, facts: OnceLock::new() }
    }
}

impl CellSource for Vec<Option<String>> {
    fn get(&self, row: usize) -> Option<&str> {
        self[row].as_deref()
    }
}

/// Prepared rows: column → cells.
struct PreparedBatch(usize, Vec<Vec<Option<String>>>);

impl Batch for PreparedBatch {
    fn rows(&self) -> usize {
        self.0
    }

    fn each(&self, column: usize, take: &mut dyn FnMut(Option<&str>)) {
        self.1[column].iter().for_each(|cell| take(cell.as_deref()));
    }
}

impl Rows for PreparedTable<'_> {
    fn columns(&self) -> &[String] {
        self.preparation.columns()
    }

    fn read(
        &self,
        columns: &[usize],
        watch: &Watch,
        each: &mut dyn FnMut(&dyn Batch) -> Result<()>,
    ) -> Result<()> {
        let needs = self.preparation.needs(columns);
        let run = self.preparation.run();
        self.files.read(&needs, watch, &mut |batch| {
            let cells = |column: usize| {
                let mut cells = Vec::with_capacity(batch.rows());
                batch.each(column, &mut |cell| cells.push(cell.map(String::from)));
                cells
            };
            let cells: Vec<Vec<Option<String>>> = (0..needs.len()).map(cells).collect();
            let mut filed: Vec<Option<&dyn CellSource>> = vec![None; self.files.columns().len()];
            needs.iter().zip(&cells).for_each(|(&place, cells)| filed[place] = Some(cells));
            let outcome = run.apply(batch.rows(), &filed)?;
            let kept = |row: &usize| outcome.kept.as_ref().is_none_or(|kept| kept[*row]);
            let rows: Vec<usize> = (0..batch.rows()).filter(kept).collect();
            let column = |column: &usize| {
                let change = outcome.changes.get(column);
                let own = self.preparation.plan.columns[*column].slot;
                let cell = |row: &usize| match change {
                    Some(Change::Written(cells)) => cells[*row].clone(),
                    Some(Change::Cleared(cleared)) if cleared[*row] => None,
                    _ => filed[own].and_then(|cells| cells.get(*row)).map(String::from),
                };
                rows.iter().map(cell).collect()
            };
            each(&PreparedBatch(rows.len(), columns.iter().map(column).collect()))
        })?;
        let facts = run.finish()?;
        self.facts.get_or_init(|| facts);
        Ok(())
    }

    fn fingerprint(&self, watch: &Watch) -> Result<String> {
        self.files.fingerprint(watch)
    }

    fn preparation(&self) -> Option<&PreparationFacts> {
        self.facts.get()
    }
}
