//! Some rows of a table as numbers and hashes: what any thread can make of a batch by itself. The
//! pieces of a table are then put together in its order, so that all numbers are those of first
//! sight, whatever the number of threads.
//!
//! A cell costs a hash and a copy of its text; in a column that a batch has keys of, only a value
//! does. Equal texts are found when pieces are put together.

use super::classes::{Interner, Texts};
use super::rowhash::RowHash;
use super::shifted::Shifted;
use throng_terms::error::{Error, Fault, Result};
use throng_terms::rows::{Batch, ContentKey, Made};

/// What is made of the rows of a table: columns by their places in the header, none where a column
/// is absent.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Columns whose texts are numbered, each once.
    numbered: Vec<Option<usize>>,
    /// Columns whose cells are hashed, in this order.
    pub(super) hashed: Vec<Option<usize>>,
    /// How the dates of these columns are shifted, in an original whose dates are; else empty.
    pub(super) shifted: Vec<Option<Shifted>>,
    /// The column of the people whom rows belong to, among those that are numbered.
    pub(super) subject: Option<usize>,
    /// Columns that distinguish rows of one tuple, where that matters.
    pub(super) content: Vec<Option<usize>>,
    start: RowHash,
}

impl Plan {
    /// Of nothing yet.
    pub(super) fn new(start: RowHash) -> Self {
        Plan {
            numbered: Vec::new(),
            hashed: Vec::new(),
            shifted: Vec::new(),
            subject: None,
            content: Vec::new(),
            start,
        }
    }

    /// Numbers the texts of a column, too; its place among the columns of a piece.
    pub(super) fn number(&mut self, place: Option<usize>) -> usize {
        let known = self.numbered.iter().position(|other| *other == place);
        known.unwrap_or_else(|| {
            self.numbered.push(place);
            self.numbered.len() - 1
        })
    }

    /// Makes a piece of some rows.
    ///
    /// # Errors
    /// A bug: a batch that hands out more or fewer cells than it has rows.
    pub(super) fn piece(&self, batch: &dyn Batch) -> Result<Piece> {
        let rows = batch.rows();
        let mut columns = Vec::with_capacity(self.numbered.len());
        for place in &self.numbered {
            columns.push(Numbered::new(*place, batch)?);
        }
        let mut hashes = vec![self.start; rows];
        let people = self.subject.map(|subject| &columns[subject]);
        for (at, place) in self.hashed.iter().enumerate() {
            let shifted = self.shifted.get(at).and_then(Option::as_ref);
            let mut next = hashes.iter_mut().enumerate();
            each(*place, batch, |cell| {
                let Some((row, hash)) = next.next() else { return };
                match (shifted, cell) {
                    (Some(shifted), Some(cell)) => {
                        let person = people.and_then(|people| people.text(row));
                        hash.cell(person.and_then(|person| shifted.date(person, cell)).as_deref());
                    }
                    _ => hash.cell(cell),
                }
            })?;
        }
        let mut keys = vec![ContentKey::default(); if self.content.is_empty() { 0 } else { rows }];
        for place in &self.content {
            let mut next = keys.iter_mut();
            each(*place, batch, |cell| {
                if let Some(key) = next.next() {
                    key.cell(cell);
                }
            })?;
        }
        Ok(Piece {
            rows,
            columns,
            hashes: hashes.into_iter().map(RowHash::finish).collect(),
            content: keys.into_iter().map(ContentKey::finish).collect(),
        })
    }

    /// The same for [`Rows::read_made`](throng_terms::rows::Rows::read_made).
    ///
    /// # Errors
    /// As [`Plan::piece`].
    pub(super) fn made(&self, batch: &dyn Batch) -> Result<Made> {
        Ok(Box::new(self.piece(batch)?))
    }
}

/// The rows of a batch.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) rows: usize,
    pub(super) columns: Vec<Numbered>,
    /// One per row.
    pub(super) hashes: Vec<[u64; 2]>,
    /// One per row, where rows of one tuple are distinguished; else empty.
    pub(super) content: Vec<u64>,
}

/// A column of a piece.
#[derive(Debug)]
pub(super) struct Numbered {
    texts: Texts,
    numbers: Vec<u32>,
}

impl Numbered {
    fn new(place: Option<usize>, batch: &dyn Batch) -> Result<Self> {
        let mut column = Numbered { texts: Texts::new(), numbers: Vec::with_capacity(batch.rows()) };
        match place.and_then(|place| batch.keyed(place)) {
            Some(keyed) => {
                // Numbers are those of first sight among the rows: keys have an order of their own.
                let mut known = vec![None; keyed.values.len()];
                for &key in keyed.keys {
                    let key = key as usize;
                    let number = *known[key].get_or_insert_with(|| column.texts.push(keyed.values[key], 0));
                    column.texts.count_again(number);
                    column.numbers.push(number);
                }
                complete(place, batch.rows(), keyed.keys.len())?;
            }
            None => each(place, batch, |cell| column.numbers.push(column.texts.push(cell, 1)))?,
        }
        Ok(column)
    }

    /// The cell of a row; `None` is missing.
    fn text(&self, row: usize) -> Option<&str> {
        self.texts.value(self.numbers[row])
    }

    /// Appends the column in the numbers of another interner, which counts its texts.
    pub(super) fn translate(&self, to: &mut Interner, numbers: &mut Vec<u32>) {
        let map = to.merge(&self.texts);
        numbers.extend(self.numbers.iter().map(|&number| map[number as usize]));
    }

    /// The same into every `width`-th place.
    pub(super) fn spread(&self, to: &mut Interner, numbers: &mut [u32], width: usize) {
        let map = to.merge(&self.texts);
        for (place, &number) in numbers.iter_mut().step_by(width).zip(&self.numbers) {
            *place = map[number as usize];
        }
    }
}

/// What [`Plan::made`] made.
///
/// # Errors
/// A bug: it is something else.
pub(super) fn piece(made: Made) -> Result<Piece> {
    match made.downcast::<Piece>() {
        Ok(piece) => Ok(*piece),
        Err(_) => Err(unasked()),
    }
}

/// A table that hands out what nobody made.
pub(super) fn unasked() -> Error {
    Fault::bug("a table handed out what it was not asked for").into()
}

/// Hands every cell of a column to `take`; an absent column is missing in every row.
fn each(place: Option<usize>, batch: &dyn Batch, mut take: impl FnMut(Option<&str>)) -> Result<()> {
    let (rows, mut given) = (batch.rows(), 0);
    let mut count = |cell: Option<&str>| {
        given += 1;
        take(cell);
    };
    match place {
        Some(place) => batch.each(place, &mut count),
        None => (0..rows).for_each(|_| count(None)),
    }
    complete(place, rows, given)
}

/// Whether a column gave as many cells as there are rows.
fn complete(place: Option<usize>, rows: usize, given: usize) -> Result<()> {
    if given == rows {
        return Ok(());
    }
    Err(Fault::bug(format!("column {place:?} of a batch of {rows} rows gave {given} cells")).into())
}
