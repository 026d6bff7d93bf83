//! Reads a table once and groups it: values to codes, rows to classes, on all cores.
//!
//! Every piece of the table is grouped by itself, and the distinct tuples of the pieces are merged:
//! memory grows with distinct tuples. In the same pass survey weights are checked, the identifiers
//! that are replaced are collected, and the contents of rows are numbered where a method puts rows of
//! equal quasi-identifiers into different regions.

use datafusion::arrow::record_batch::RecordBatch;
use throng::error::{Fault, Result};
use throng::policy::{Cut, Policy, Role};
use throng::pseudonym::Originals;
use throng::recoding::Contents;
use throng::rows::{ContentKey, Counted};
use throng::search::Grouped;
use throng::table::Code;
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::Cells;
use crate::source::Source;
use crate::weights::{first_bad, not_a_weight};

/// A grouped table; see [`Grouped`].
pub type GroupedTable = Grouped;

/// The columns that are read, each once, and what for.
#[derive(Debug, Default)]
struct Wanted {
    names: Vec<String>,
    /// Places in `names`: the columns that are grouped; those that distinguish rows of equal
    /// quasi-identifiers, in name order; survey weights; identifiers that are replaced.
    grouped: Vec<usize>,
    content: Option<Vec<usize>>,
    weights: Vec<usize>,
    identifiers: Vec<usize>,
}

impl Wanted {
    fn new(grouped: &[String]) -> Self {
        let mut wanted = Wanted::default();
        wanted.grouped = wanted.add(grouped.iter().map(String::as_str));
        wanted
    }

    fn add<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
        let place = |name: &str| {
            self.names.iter().position(|known| known == name).unwrap_or_else(|| {
                self.names.push(name.to_owned());
                self.names.len() - 1
            })
        };
        names.into_iter().map(place).collect()
    }
}

/// What one pass over a table finds.
#[derive(Debug)]
pub(crate) struct TableRead {
    pub(crate) counted: Counted,
    /// The contents of rows, where rows of equal quasi-identifiers may become different cells.
    pub(crate) contents: Option<Contents>,
    /// The values of the identifiers that are replaced.
    pub(crate) originals: Vec<Originals>,
}

/// A piece of the table, grouped by itself.
struct Part {
    counted: Counted,
    /// Per batch, the codes of the quasi-identifiers, and the contents of the rows.
    contents: Vec<(Vec<Vec<Code>>, Vec<u64>)>,
    /// The first cell that is not a weight: its row, its column and the cell.
    not_a_weight: Option<(u64, usize, String)>,
    /// Per batch, the identifiers that are replaced.
    identifiers: Vec<Vec<Cells>>,
}

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
        let counted = self.count(source, &[quasi, measured].concat(), watch)?;
        Ok(Grouped::new(quasi.to_vec(), measured.to_vec(), counted))
    }

    /// The distinct tuples of some columns.
    pub(crate) fn count(&self, source: &Source, columns: &[String], watch: &Watch) -> Result<Counted> {
        Ok(self.read_wanted(source, &Wanted::new(columns), 0, Vec::new(), watch)?.counted)
    }

    /// Everything that a release needs to know of its table: the combinations of quasi-identifiers
    /// and measured columns, and what the policy replaces or weights.
    pub(crate) fn read_table(
        &self,
        source: &Source,
        policy: &Policy,
        (quasi, measured): (&[String], &[String]),
        replaced: Vec<(String, Originals)>,
        watch: &Watch,
    ) -> Result<TableRead> {
        let mut wanted = Wanted::new(&[quasi, measured].concat());
        if divides_equal_rows(policy) {
            wanted.content = Some(wanted.add(policy.content_columns()));
        }
        wanted.weights = wanted.add(policy.with_role(Role::Weight));
        wanted.identifiers = wanted.add(replaced.iter().map(|(name, _)| name.as_str()));
        let originals = replaced.into_iter().map(|(_, originals)| originals).collect();
        self.read_wanted(source, &wanted, quasi.len(), originals, watch)
    }

    fn read_wanted(
        &self,
        source: &Source,
        wanted: &Wanted,
        quasi: usize,
        mut originals: Vec<Originals>,
        watch: &Watch,
    ) -> Result<TableRead> {
        let mut counted = Counted::new(wanted.grouped.len());
        let mut contents = Contents::new(quasi);
        let map = |batches: Vec<RecordBatch>| Part::new(&batches, wanted, quasi);
        self.scan_map(source, &wanted.names, watch, map, |part| {
            if let Some((row, column, cell)) = part.not_a_weight {
                let row = counted.tuples.rows() + row;
                return Err(not_a_weight(&cell, row, &wanted.names[column]).file(&source.name).into());
            }
            let maps = counted.merge(&part.counted)?;
            for (mut codes, keys) in part.contents {
                let columns = codes.iter_mut().zip(&maps);
                columns.for_each(|(codes, map)| codes.iter_mut().for_each(|c| *c = map[*c as usize]));
                contents.add(&codes, &keys);
            }
            for batch in part.identifiers {
                for (cells, (originals, &column)) in
                    batch.iter().zip(originals.iter_mut().zip(&wanted.identifiers))
                {
                    let mut values = (0..cells.len()).filter_map(|row| cells.get(row));
                    let here = |fault: Fault| fault.column(&wanted.names[column]).file(&source.name);
                    values.try_for_each(|value| originals.add(value)).map_err(|e| e.map(here))?;
                }
            }
            watch.done(Stage::Reading, counted.tuples.rows(), None)
        })?;
        Ok(TableRead { counted, contents: wanted.content.as_ref().map(|_| contents), originals })
    }
}

/// Whether the policy's method may put rows of equal quasi-identifiers into different regions.
fn divides_equal_rows(policy: &Policy) -> bool {
    policy.search.mondrian.is_some_and(|mondrian| mondrian.cut == Cut::Relaxed)
}

impl Part {
    fn new(batches: &[RecordBatch], wanted: &Wanted, quasi: usize) -> Result<Self> {
        let mut part = Part {
            counted: Counted::new(wanted.grouped.len()),
            contents: Vec::new(),
            not_a_weight: None,
            identifiers: Vec::new(),
        };
        let mut codes: Vec<Vec<Code>> = vec![Vec::new(); wanted.grouped.len()];
        for batch in batches {
            let before = part.counted.tuples.rows();
            let cells = |place: &usize| Cells::new(&wanted.names[*place], batch.column(*place));
            let grouped = wanted.grouped.iter().map(cells).collect::<Result<Vec<_>>>()?;
            for (column, cells) in grouped.iter().enumerate() {
                cells.encode(&mut part.counted.dictionaries[column], &mut codes[column]);
            }
            part.counted.tuples.add(&codes, batch.num_rows())?;
            for place in &wanted.weights {
                let bad = first_bad(&cells(place)?).map(|(row, cell)| (before + row as u64, *place, cell));
                part.not_a_weight = part.not_a_weight.or(bad);
            }
            if let Some(content) = &wanted.content {
                let content = content.iter().map(cells).collect::<Result<Vec<_>>>()?;
                part.contents.push((codes[..quasi].to_vec(), content_keys(&content, batch.num_rows())));
            }
            if !wanted.identifiers.is_empty() {
                part.identifiers.push(wanted.identifiers.iter().map(cells).collect::<Result<_>>()?);
            }
        }
        Ok(part)
    }
}

/// The contents of the rows of a batch, from the columns that distinguish them.
pub(crate) fn content_keys(columns: &[Cells], rows: usize) -> Vec<u64> {
    let key = |row: usize| {
        let mut key = ContentKey::default();
        columns.iter().for_each(|cells| key.cell(cells.get(row)));
        key.finish()
    };
    (0..rows).map(key).collect()
}
