//! Screens the columns of a table: one pass, one batch in memory at a time.

use throng::describe;
use throng::error::Result;
use throng::screen::{Asked, Screen, Screened, Treatment};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::Cells;
use crate::policy_file::in_table;
use crate::source::Source;

impl Engine {
    /// The information of every column about a target, at the levels of the hierarchies that are
    /// proposed for the table; columns that a release would not have are left out.
    ///
    /// # Errors
    /// A target that is not there or says nothing, and what cannot be read.
    pub fn screen(&self, source: &Source, asked: Asked, watch: &Watch) -> Result<Screened> {
        let columns = self.columns(source)?;
        let mut screen = Screen::new(columns.clone(), asked).map_err(|e| in_table(e, source))?;
        self.scan(source, &columns, watch, |batch| {
            let cells = batch.columns().iter().zip(&columns).map(|(array, name)| Cells::new(name, array));
            let cells = cells.collect::<Result<Vec<_>>>()?;
            screen.add(batch.num_rows(), |column, row| cells[column].get(row))?;
            watch.done(Stage::Reading, screen.rows(), None)
        })
        .map_err(|e| in_table(e, source))?;
        let proposed = describe::screening(screen.names(), screen.values())?;
        let treated = proposed.into_iter().map(|(left_out, hierarchy)| Treatment { left_out, hierarchy });
        screen.treated(treated).finish(watch).map_err(|e| in_table(e, source))
    }
}
