//! Reads the input of a risk assessment: the distinct combinations of some columns; one pass, one
//! batch in memory at a time.

use throng::error::Result;
use throng::risk::{Named, Table, check_names};
use throng::watch::Watch;

use crate::Engine;
use crate::source::Source;

impl Engine {
    /// The combinations of the named columns.
    ///
    /// # Errors
    /// Columns that are not there or named twice, and what cannot be read.
    pub fn combinations(&self, source: &Source, named: &[Named<'_>], watch: &Watch) -> Result<Table> {
        let there = self.columns(source)?;
        check_names(named, &there).map_err(|e| e.map(|f| f.file(&source.name)))?;
        let columns: Vec<String> = named.iter().flat_map(|n| n.columns).cloned().collect();
        let grouped = self.group(source, &columns, watch)?;
        Ok(Table::new(grouped.names, grouped.dictionaries, grouped.tuples))
    }
}
