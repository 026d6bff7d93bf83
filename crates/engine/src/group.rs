//! Reads a table once and groups it: values to codes, rows to classes, on all cores.
//!
//! With many cores, every piece of the table gets codes of its own on some core. These are then
//! replaced by those of the whole table, and tuples are counted, in order: memory grows with
//! distinct tuples. In the same pass survey weights are checked, the identifiers
//! that are replaced are collected, and the contents of rows are numbered where a method puts rows of
//! equal quasi-identifiers into different regions.

use arrow::record_batch::RecordBatch;
use throng::error::{Fault, Result};
use throng::policy::{Policy, Role};
use throng::pseudonym::Originals;
use throng::recoding::Contents;
use throng::rows::{ContentKey, Counted};
use throng::search::Grouped;
use throng::table::{Code, Dictionary};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::Cells;
use crate::source::Source;
use crate::weights::{first_bad, not_a_weight};

/// Up to this many cores, the thread that counts tuples also codes values: codes of a piece, which
/// others could give, would have to be given again.
const FEW_CORES: usize = 3;

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

/// A piece of the table, with codes of its own where there are cores to spare.
struct Part {
    dictionaries: Option<Vec<Dictionary>>,
    batches: Vec<CodedBatch>,
    /// The first cell that is not a weight: its row, its column and the cell.
    not_a_weight: Option<(u64, usize, String)>,
}

/// A batch: its grouped columns, coded or not yet, and what else is wanted of it.
struct CodedBatch {
    rows: usize,
    cells: Vec<Cells>,
    codes: Vec<Vec<Code>>,
    contents: Option<Vec<u64>>,
    /// The identifiers that are replaced.
    identifiers: Vec<Cells>,
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
        if policy.divides_equal_rows() {
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
        let map = |batches: Vec<RecordBatch>| Part::new(&batches, wanted);
        self.scan_map(source, &wanted.names, watch, map, |part| {
            if let Some((row, column, cell)) = part.not_a_weight {
                let row = counted.tuples.rows() + row;
                let fault = not_a_weight(&cell, row, &wanted.names[column]).file(&source.name);
                return Err(match &source.preparation {
                    Some(_) => fault.within("in the prepared table").into(),
                    None => fault.into(),
                });
            }
            let maps: Option<Vec<Vec<Code>>> = part.dictionaries.as_ref().map(|dictionaries| {
                let pairs = counted.dictionaries.iter_mut().zip(dictionaries);
                pairs.map(|(to, from)| to.merge(from)).collect()
            });
            for mut batch in part.batches {
                match &maps {
                    Some(maps) => {
                        let columns = batch.codes.iter_mut().zip(maps);
                        columns.for_each(|(codes, map)| codes.iter_mut().for_each(|c| *c = map[*c as usize]));
                    }
                    None => {
                        let columns = batch.cells.iter().zip(&mut counted.dictionaries).zip(&mut batch.codes);
                        columns.for_each(|((cells, dictionary), codes)| cells.encode(dictionary, codes));
                    }
                }
                counted.tuples.add(&batch.codes, batch.rows)?;
                if let Some(keys) = &batch.contents {
                    contents.add(&batch.codes[..quasi], keys);
                }
                for (cells, (originals, &column)) in
                    batch.identifiers.iter().zip(originals.iter_mut().zip(&wanted.identifiers))
                {
                    let mut values = (0..cells.len()).filter_map(|row| cells.get(row));
                    let here = |fault: Fault| fault.column(&wanted.names[column]).file(&source.name);
                    values.try_for_each(|value| originals.add(value)).map_err(|e| e.map(here))?;
                }
            }
            let (rows, distinct) = (counted.tuples.rows(), counted.tuples.len() as u64);
            self.check_memory_so_far(rows, distinct, wanted.grouped.len() as u64)?;
            watch.done(Stage::Reading, rows, None)
        })?;
        Ok(TableRead { counted, contents: wanted.content.as_ref().map(|_| contents), originals })
    }
}

impl Part {
    fn new(batches: &[RecordBatch], wanted: &Wanted) -> Result<Self> {
        let mut part = Part {
            dictionaries: (rayon::current_num_threads() > FEW_CORES)
                .then(|| vec![Dictionary::new(); wanted.grouped.len()]),
            batches: Vec::with_capacity(batches.len()),
            not_a_weight: None,
        };
        let mut before = 0;
        for batch in batches {
            let cells = |place: &usize| Cells::new(&wanted.names[*place], batch.column(*place));
            let mut codes: Vec<Vec<Code>> = vec![Vec::new(); wanted.grouped.len()];
            let few = |place| cells(place).map(Cells::interned);
            let mut grouped = wanted.grouped.iter().map(few).collect::<Result<Vec<Cells>>>()?;
            if let Some(dictionaries) = &mut part.dictionaries {
                let columns = grouped.drain(..).zip(dictionaries).zip(&mut codes);
                columns.for_each(|((cells, dictionary), codes)| cells.encode(dictionary, codes));
            }
            for place in &wanted.weights {
                let bad = first_bad(&cells(place)?).map(|(row, cell)| (before + row as u64, *place, cell));
                part.not_a_weight = part.not_a_weight.or(bad);
            }
            let content = |columns: &Vec<usize>| {
                let columns: Result<Vec<Cells>> = columns.iter().map(cells).collect();
                columns.map(|columns| content_keys(&columns, batch.num_rows()))
            };
            part.batches.push(CodedBatch {
                rows: batch.num_rows(),
                cells: grouped,
                codes,
                contents: wanted.content.as_ref().map(content).transpose()?,
                identifiers: wanted.identifiers.iter().map(cells).collect::<Result<_>>()?,
            });
            before += batch.num_rows() as u64;
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
