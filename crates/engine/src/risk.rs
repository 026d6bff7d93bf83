//! Reads what risk is assessed of: the distinct combinations of some columns, one pass, one batch in memory at a time.

use throng::error::Result;
use throng::risk::{Named, Table, check_names};

use crate::Engine;
use crate::source::Source;

impl Engine {
    /// The combinations of the named columns. Calls `progress` with the rows so far, which may stop it.
    ///
    /// # Errors
    /// Columns that are not there or named twice, and what cannot be read.
    pub fn combinations(
        &self,
        source: &Source,
        named: &[Named<'_>],
        progress: &dyn Fn(u64) -> Result<()>,
    ) -> Result<Table> {
        let there = self.columns(source)?;
        check_names(named, &there).map_err(|e| e.map(|f| f.file(&source.name)))?;
        let columns: Vec<String> = named.iter().flat_map(|n| n.columns).cloned().collect();
        let grouped = self.group(source, &columns, progress)?;
        Ok(Table::new(grouped.names, grouped.dictionaries, grouped.tuples))
    }
}
