//! Groups a table: values to codes, rows to classes. One pass, one batch in memory at a time.

use throng::error::Result;
use throng::sampling::Draw;
use throng::search::Grouped;
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::Cells;
use crate::source::Source;

/// A grouped table; see [`Grouped`].
pub type GroupedTable = Grouped;

impl Engine {
    /// The values and combinations of the named columns.
    ///
    /// # Errors
    /// When the table cannot be read, or the work was asked to stop.
    pub fn group(&self, source: &Source, columns: &[String], watch: &Watch) -> Result<GroupedTable> {
        self.measure(source, columns, &[], watch)
    }

    /// As [`group`](Self::group), with the values that some further columns have in each
    /// combination.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn measure(
        &self,
        source: &Source,
        quasi: &[String],
        measured: &[String],
        watch: &Watch,
    ) -> Result<GroupedTable> {
        self.measure_drawn((source, None), quasi, measured, watch)
    }

    /// As [`measure`](Self::measure), of the rows that are drawn, where a draw is given.
    pub(crate) fn measure_drawn(
        &self,
        (source, draw): (&Source, Option<&mut Draw>),
        quasi: &[String],
        measured: &[String],
        watch: &Watch,
    ) -> Result<GroupedTable> {
        let columns = &[quasi, measured].concat()[..];
        let mut dictionaries = vec![Dictionary::new(); columns.len()];
        let mut tuples = Tuples::new(columns.len());
        let mut codes = vec![Vec::new(); columns.len()];
        self.scan_drawn(source, columns, draw, watch, |batch| {
            for (i, array) in batch.columns().iter().enumerate() {
                Cells::new(&columns[i], array)?.encode(&mut dictionaries[i], &mut codes[i]);
            }
            tuples.add(&codes, batch.num_rows())?;
            watch.done(Stage::Reading, tuples.rows(), None)
        })?;
        Ok(Grouped {
            names: quasi.to_vec(),
            measured: measured.to_vec(),
            dictionaries,
            tuples,
            population: None,
        })
    }
}
