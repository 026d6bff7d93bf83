//! People whose rows are left out of a table while it is read, because earlier releases would
//! reveal too much together with theirs; and a column of the traces that the others have in earlier
//! releases, where a search builds on these.
//!
//! Nothing downstream knows of those who are left out: the table has fewer rows. Costs a keyed
//! digest per row.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, StringArray};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use rayon::prelude::*;
use throng::error::{Fault, Result};
use throng_ledger::{EarlierTraces, Secret, SubjectDigest};

use crate::cells::Cells;

/// Bits of a digest that number rows without a name that are alike.
const NUMBERED: u32 = 20;

/// The column of traces. Tables cannot have a column of that name, and no policy can name a value
/// of it as missing.
pub(crate) const TRACES: &str = "\0traces";

/// How rows say whom they belong to.
#[derive(Debug, Clone)]
pub(crate) struct People {
    secret: Secret,
    /// The column that names people, if there is one.
    named: Option<String>,
    /// The columns that distinguish rows of a person, and rows that name nobody.
    content: Vec<String>,
}

/// A row: whom it belongs to, and what distinguishes it from others of the same person.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) subject: SubjectDigest,
    pub(crate) content: u64,
    pub(crate) named: bool,
}

impl People {
    pub(crate) fn new(secret: Secret, named: Option<String>, content: Vec<String>) -> Self {
        People { secret, named, content }
    }

    /// Whether a column names people.
    pub(crate) fn are_named(&self) -> bool {
        self.named.is_some()
    }

    /// The columns that are read for it.
    pub(crate) fn columns(&self) -> Vec<String> {
        let named = self.named.iter().filter(|name| !self.content.contains(name));
        self.content.iter().chain(named).cloned().collect()
    }

    /// The owner of every row of a batch that has the columns. Rows that name nobody belong to
    /// somebody by their content, one person for all alike: see [`numbered`].
    pub(crate) fn owners(&self, batch: &RecordBatch) -> Result<Vec<Owner>> {
        let cells = |name: &String| {
            let array = batch.column_by_name(name).ok_or_else(|| Fault::bug("a column was not read"))?;
            Cells::new(name, array)
        };
        let named = self.named.as_ref().map(cells).transpose()?;
        let content = self.content.iter().map(cells).collect::<Result<Vec<Cells>>>()?;
        let owner = |row: usize| {
            let mut text: Vec<u8> = Vec::with_capacity(64);
            for cells in &content {
                // A missing cell is not an empty one.
                let cell = cells.get(row);
                text.push(u8::from(cell.is_some()));
                text.extend((cell.map_or(0, str::len) as u64).to_le_bytes());
                text.extend(cell.unwrap_or_default().as_bytes());
            }
            let code = self.secret.digest("throng ledger content", &[&text]);
            let name = named.as_ref().and_then(|cells| cells.get(row));
            let subject = name.map_or(code, |name| self.secret.subject(name));
            Owner { subject: unnumbered(subject), content: code as u64, named: name.is_some() }
        };
        Ok((0..batch.num_rows()).into_par_iter().map(owner).collect())
    }
}

/// A digest without the number of its row.
pub(crate) fn unnumbered(subject: SubjectDigest) -> SubjectDigest {
    subject >> NUMBERED << NUMBERED
}

/// The digest of the nth of several rows that name nobody and are alike. More of them than numbers
/// share the last one, which counts fewer people than there are.
pub(crate) fn numbered(subject: SubjectDigest, nth: u32) -> SubjectDigest {
    subject | u128::from(nth.min((1 << NUMBERED) - 1))
}

/// People whose rows are left out, and the traces of the others where they are asked for.
#[derive(Debug)]
pub(crate) struct LeftOut {
    people: Arc<People>,
    /// Sorted, without numbers.
    subjects: Vec<SubjectDigest>,
    traces: Option<Arc<EarlierTraces>>,
    sensitive: Vec<(String, u32)>,
}

impl LeftOut {
    pub(crate) fn new(people: Arc<People>, subjects: &[SubjectDigest]) -> Self {
        let mut subjects: Vec<SubjectDigest> = subjects.iter().map(|&s| unnumbered(s)).collect();
        subjects.sort_unstable();
        subjects.dedup();
        LeftOut { people, subjects, traces: None, sensitive: Vec::new() }
    }

    /// The same, with the column [`TRACES`] if the caller wants it. The sensitive columns come
    /// with the values that candidates are to have there.
    pub(crate) fn with_traces(self, traces: Option<Arc<EarlierTraces>>, sensitive: &[(&str, u32)]) -> Self {
        let sensitive = sensitive.iter().map(|&(name, values)| (name.to_owned(), values));
        LeftOut { traces, sensitive: sensitive.collect(), ..self }
    }

    /// The traces, if there is a column of them.
    pub(crate) fn traces(&self) -> Option<&EarlierTraces> {
        self.traces.as_deref()
    }

    /// Sensitive column → the values that candidates are to have.
    pub(crate) fn values(&self) -> Vec<u32> {
        self.sensitive.iter().map(|(_, values)| *values).collect()
    }

    /// The columns that have to be read: those asked for, then those that name people.
    pub(crate) fn columns(&self, asked: &[String]) -> Vec<String> {
        let own = self.people.columns().into_iter().filter(|name| !asked.contains(name));
        asked.iter().filter(|name| *name != TRACES).cloned().chain(own).collect()
    }

    /// Batches without their rows, and without columns that were not asked for. Batches without
    /// rows are left out.
    pub(crate) fn apply(&self, batches: Vec<RecordBatch>, asked: &[String]) -> Result<Vec<RecordBatch>> {
        let fail = |e: arrow::error::ArrowError| Fault::bug(e.to_string());
        let mut kept = Vec::with_capacity(batches.len());
        for batch in batches {
            let owners = self.people.owners(&batch)?;
            let stays = |owner: &Owner| self.subjects.binary_search(&owner.subject).is_err();
            let mask: BooleanArray = owners.iter().map(|owner| Some(stays(owner))).collect();
            let read: Vec<usize> = (0..asked.iter().filter(|name| *name != TRACES).count()).collect();
            let at = asked.iter().position(|name| name == TRACES);
            let cells = at.map(|_| self.cells(&batch, &owners)).transpose()?;
            let mut batch = batch.project(&read).map_err(fail)?;
            if let Some((at, cells)) = at.zip(cells) {
                batch = with_column(&batch, at, cells).map_err(fail)?;
            }
            let batch = filter_record_batch(&batch, &mask).map_err(fail)?;
            if batch.num_rows() > 0 {
                kept.push(batch);
            }
        }
        Ok(kept)
    }

    /// The column of traces of a batch that has the columns of people, as
    /// [`TraceRule`](throng::search::TraceRule) describes it.
    fn cells(&self, batch: &RecordBatch, owners: &[Owner]) -> Result<StringArray> {
        let column = |(name, _): &(String, u32)| {
            let array = batch.column_by_name(name).ok_or_else(|| Fault::bug("a column was not read"))?;
            Cells::new(name, array)
        };
        let sensitive = self.sensitive.iter().map(column).collect::<Result<Vec<Cells>>>()?;
        let cell = |(row, owner): (usize, &Owner)| {
            let trace = self.traces.as_ref().map_or(0, |traces| traces.of(owner.subject, owner.content));
            let mut cell = format!("\0{trace}");
            for cells in &sensitive {
                // No value has the text of a missing cell.
                let _ = match cells.get(row) {
                    Some(value) => write!(cell, "\0={}", value.replace('\0', " ")),
                    None => write!(cell, "\0"),
                };
            }
            Some(cell)
        };
        Ok(owners.iter().enumerate().map(cell).collect())
    }
}

/// A batch with the column of traces at a place.
fn with_column(
    batch: &RecordBatch,
    at: usize,
    cells: StringArray,
) -> std::result::Result<RecordBatch, arrow::error::ArrowError> {
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    columns.insert(at, Arc::new(cells));
    let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
    fields.insert(at, Arc::new(Field::new(TRACES, DataType::Utf8, false)));
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}
