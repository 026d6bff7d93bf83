//! Screens the columns of a table: one pass, one batch in memory at a time.

use throng::error::Result;
use throng::screen::{Asked, Screen, Screened};

use crate::Engine;
use crate::cells::Cells;
use crate::release::in_table;
use crate::source::Source;

impl Engine {
    /// What every column tells of a target. Calls `progress` with the rows so far, which may stop it.
    ///
    /// # Errors
    /// A target that is not there or says nothing, and what cannot be read.
    pub fn screen(
        &self,
        source: &Source,
        asked: Asked,
        progress: &dyn Fn(u64) -> Result<()>,
    ) -> Result<Screened> {
        let columns = self.columns(source)?;
        let mut screen = Screen::new(columns.clone(), asked).map_err(|e| in_table(e, source))?;
        self.scan(source, &columns, |batch| {
            let cells = batch.columns().iter().zip(&columns).map(|(array, name)| Cells::new(name, array));
            let cells = cells.collect::<Result<Vec<_>>>()?;
            screen.add(batch.num_rows(), |column, row| cells[column].get(row))?;
            progress(screen.rows())
        })
        .map_err(|e| in_table(e, source))?;
        screen.finish().map_err(|e| in_table(e, source))
    }
}
