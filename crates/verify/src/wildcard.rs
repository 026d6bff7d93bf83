//! Class sizes if a missing cell matches anything: `input.missing = "wildcard"`.
//!
//! A class counts every row that agrees with it wherever both have values. Compatibility is not an
//! equivalence: (1, ?) and (?, 2) both match (1, 2), which need not match a third row that matches
//! one of them. Classes that ask and classes that are counted are therefore divided together by one
//! column after the other, the one with most values first: those with a value meet those with the
//! same value and those without one, which are counted once per value, or, if that is too often,
//! for all values together. A few are compared one by one. Where the columns that remain have few
//! combinations of values, all of these are summed.
//!
//! A division costs its classes, and a class is in as many parts as classes without a value let it
//! be: at most classes × patterns of missing cells × columns in all, and far less if few classes
//! miss a column.

use rayon::prelude::*;

use super::classes::{MISSING, Tuples};
use super::pace::Pace;
use throng_terms::error::Result;

/// So few classes that ask are compared with all.
const FEW: usize = 8;
/// Steps per class that sums may take before a division is better.
const STEPS: u64 = 24;
/// Combinations that are summed at most.
const MOST_CELLS: u64 = 1 << 20;
/// Copies of a class without a value, per class of the part, before it is counted for all values
/// together.
const COPIES: usize = 4;

/// For every class the rows that are compatible with it; 0 for a class without rows.
pub(super) fn sizes(tuples: &Tuples, counts: &[u64], pace: &Pace<'_>) -> Result<Vec<u64>> {
    let columns = Columns::new(tuples, counts, pace)?;
    match columns.words {
        0..=1 => columns.sizes::<1>(tuples, counts, pace),
        2 => columns.sizes::<2>(tuples, counts, pace),
        3..=8 => columns.sizes::<8>(tuples, counts, pace),
        _ => columns.sizes::<64>(tuples, counts, pace),
    }
}

/// A column, with the bits of a row that hold its value.
struct Column {
    at: usize,
    /// The values that occur, ascending.
    values: Vec<u32>,
    word: usize,
    low: u32,
    mask: u64,
}

impl Column {
    /// The digit of a value; 0 is a missing cell.
    fn digit(&self, cell: u32) -> u64 {
        match cell {
            MISSING => 0,
            // Every cell of a class with rows is among the values.
            cell => 1 + self.values.partition_point(|&value| value < cell) as u64,
        }
    }

    /// How many digits there are.
    fn base(&self) -> u64 {
        self.values.len() as u64 + 1
    }
}

/// The columns that distinguish classes, those with most values first.
struct Columns {
    columns: Vec<Column>,
    /// Column → combinations of digits of this and the following ones.
    cells: Vec<u64>,
    words: usize,
}

/// A class with rows.
#[derive(Clone, Copy)]
struct Row<const W: usize> {
    digits: [u64; W],
    /// The bits of columns that have a value.
    known: [u64; W],
    count: u64,
    class: u32,
    /// The combination of the last columns; there are few combinations.
    cell: u32,
}

/// Rows in the order of their digits in a column, and where each digit begins.
struct Divided<const W: usize> {
    rows: Vec<Row<W>>,
    starts: Vec<usize>,
}

impl<const W: usize> Divided<W> {
    fn with(&self, digit: usize) -> &[Row<W>] {
        &self.rows[self.starts[digit]..self.starts[digit + 1]]
    }

    /// Those with any value.
    fn known(&self) -> &[Row<W>] {
        &self.rows[self.starts[1]..]
    }
}

/// Classes with the rows that were found for them.
type Found = Vec<(u32, u64)>;

impl Columns {
    fn new(tuples: &Tuples, counts: &[u64], pace: &Pace<'_>) -> Result<Self> {
        let mut columns = Vec::new();
        for at in 0..tuples.width() {
            pace.steps(4 * tuples.len() as u64)?;
            let classes = (0..tuples.len()).filter(|&class| counts[class] > 0);
            let mut values: Vec<u32> = classes.map(|class| tuples.tuple(class)[at]).collect();
            values.par_sort_unstable();
            values.dedup();
            // All the same distinguishes nothing, even if all are missing.
            if values.len() > 1 {
                values.retain(|&value| value != MISSING);
                columns.push(Column { at, values, word: 0, low: 0, mask: 0 });
            }
        }
        columns.sort_by_key(|column| std::cmp::Reverse(column.values.len()));
        let (mut word, mut low) = (0, 0);
        for column in &mut columns {
            let bits = u64::BITS - column.base().leading_zeros();
            if low + bits > u64::BITS {
                (word, low) = (word + 1, 0);
            }
            (column.word, column.low, column.mask) = (word, low, (1 << bits) - 1);
            low += bits;
        }
        let mut cells = vec![1u64; columns.len() + 1];
        for (at, column) in columns.iter().enumerate().rev() {
            cells[at] = column.base().saturating_mul(cells[at + 1]);
        }
        Ok(Columns { columns, cells, words: word + 1 })
    }

    fn row<const W: usize>(&self, tuple: &[u32], class: usize, count: u64) -> Row<W> {
        let mut row = Row { digits: [0; W], known: [0; W], count, class: class as u32, cell: 0 };
        for (at, column) in self.columns.iter().enumerate() {
            let digit = column.digit(tuple[column.at]);
            row.digits[column.word] |= digit << column.low;
            row.known[column.word] |= if digit > 0 { column.mask << column.low } else { 0 };
            if self.cells[at] <= MOST_CELLS {
                row.cell += (digit * self.cells[at + 1]) as u32;
            }
        }
        row
    }

    fn sizes<const W: usize>(&self, tuples: &Tuples, counts: &[u64], pace: &Pace<'_>) -> Result<Vec<u64>> {
        pace.steps(4 * counts.len() as u64)?;
        let with_rows = (0..counts.len()).into_par_iter().filter(|&class| counts[class] > 0);
        let rows: Vec<Row<W>> =
            with_rows.map(|class| self.row(tuples.tuple(class), class, counts[class])).collect();
        let mut sizes = vec![0; counts.len()];
        let shared = pace.shared();
        let found: Vec<Found> = match self.columns.is_empty() {
            true => vec![rows.iter().map(|row| (row.class, counts.iter().sum())).collect()],
            false => {
                let all = self.divide(&rows, 0);
                drop(rows);
                let division = Division::new(self, &all, &all, 0);
                let found = division.parts.par_iter().enumerate().map(|(at, part)| {
                    let mut found = Found::new();
                    division.count(part, &mut found, &shared.of_thread(at))?;
                    Ok(found)
                });
                found.collect::<Result<_>>()?
            }
        };
        for (class, rows) in found.into_iter().flatten() {
            sizes[class as usize] += rows;
        }
        Ok(sizes)
    }

    /// Finds for rows that ask the rows that match them in all columns from one on.
    fn count<const W: usize>(
        &self,
        ask: &[Row<W>],
        have: &[Row<W>],
        column: usize,
        found: &mut Found,
        pace: &Pace<'_>,
    ) -> Result<()> {
        if ask.is_empty() || have.is_empty() {
            return Ok(());
        }
        let both = (ask.len() + have.len()) as u64;
        let pairs = (ask.len() as u64).saturating_mul(have.len() as u64);
        let cells = self.cells[column];
        let sums = cells.saturating_mul((self.columns.len() - column + 1) as u64);
        if ask.len() <= FEW || pairs <= both.max(sums / 2).min(1 << 12) {
            pace.steps(pairs / 4)?;
            found.extend(ask.iter().map(|asking| (asking.class, matching(asking, have))));
        } else if cells <= MOST_CELLS && sums <= STEPS * both {
            pace.steps(sums + 4 * both)?;
            self.sum(ask, have, column, found);
        } else {
            pace.steps(4 * both)?;
            let (ask, have) = (self.divide(ask, column), self.divide(have, column));
            let division = Division::new(self, &ask, &have, column);
            division.parts.iter().try_for_each(|part| division.count(part, found, pace))?;
        }
        Ok(())
    }

    fn divide<const W: usize>(&self, rows: &[Row<W>], column: usize) -> Divided<W> {
        let Column { word, low, mask, .. } = self.columns[column];
        let digit = |row: &Row<W>| (row.digits[word] >> low & mask) as usize;
        let mut starts = vec![0; self.columns[column].base() as usize + 2];
        rows.iter().for_each(|row| starts[digit(row) + 2] += 1);
        for at in 2..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut divided = rows.to_vec();
        for row in rows {
            let next = &mut starts[digit(row) + 1];
            divided[*next] = *row;
            *next += 1;
        }
        starts.pop();
        Divided { rows: divided, starts }
    }

    /// The same by sums over all combinations of the columns from one on: column by column, a value
    /// gets the rows that lack one, and a missing cell those of all values.
    fn sum<const W: usize>(&self, ask: &[Row<W>], have: &[Row<W>], column: usize, found: &mut Found) {
        let cells = self.cells[column] as usize;
        let cell = |row: &Row<W>| row.cell as usize % cells;
        let mut sums = vec![0u64; cells];
        have.iter().for_each(|row| sums[cell(row)] += row.count);
        for (column, step) in self.columns[column..].iter().zip(&self.cells[column + 1..]) {
            let step = *step as usize;
            for block in sums.chunks_exact_mut(step * column.base() as usize) {
                let (missing, values) = block.split_at_mut(step);
                let mut all = missing.to_vec();
                for value in values.chunks_exact_mut(step) {
                    for ((sum, all), missing) in value.iter_mut().zip(&mut all).zip(&*missing) {
                        *all += *sum;
                        *sum += missing;
                    }
                }
                missing.copy_from_slice(&all);
            }
        }
        found.extend(ask.iter().map(|row| (row.class, sums[cell(row)])));
    }
}

/// Rows divided by a column.
struct Division<'a, const W: usize> {
    columns: &'a Columns,
    column: usize,
    ask: &'a Divided<W>,
    have: &'a Divided<W>,
    /// Whether rows without a value are counted for all values together.
    apart: bool,
    parts: Vec<Part>,
}

/// Rows that ask, with the rows that can match them.
enum Part {
    /// With one value.
    Value(usize),
    /// With any value; only rows without one match.
    Values,
    /// Without a value; all rows match.
    Missing,
}

impl<'a, const W: usize> Division<'a, W> {
    fn new(columns: &'a Columns, ask: &'a Divided<W>, have: &'a Divided<W>, column: usize) -> Self {
        let occurs = |digit: &usize| !ask.with(*digit).is_empty();
        let mut parts: Vec<Part> =
            (1..columns.columns[column].base() as usize).filter(occurs).map(Part::Value).collect();
        let copies = have.with(0).len().saturating_mul(parts.len());
        let apart = copies > COPIES * (ask.rows.len() + have.rows.len());
        if apart {
            parts.push(Part::Values);
        }
        parts.push(Part::Missing);
        Division { columns, column, ask, have, apart, parts }
    }

    fn count(&self, part: &Part, found: &mut Found, pace: &Pace<'_>) -> Result<()> {
        let (missing, next) = (self.have.with(0), self.column + 1);
        let (ask, have) = match *part {
            Part::Value(digit) if self.apart || missing.is_empty() => {
                (self.ask.with(digit), self.have.with(digit))
            }
            Part::Value(digit) => {
                let have = [missing, self.have.with(digit)].concat();
                return self.columns.count(self.ask.with(digit), &have, next, found, pace);
            }
            Part::Values => (self.ask.known(), missing),
            Part::Missing => (self.ask.with(0), &self.have.rows[..]),
        };
        self.columns.count(ask, have, next, found, pace)
    }
}

/// The rows among some that agree wherever both have values.
fn matching<const W: usize>(asking: &Row<W>, have: &[Row<W>]) -> u64 {
    let differs =
        |row: &Row<W>, w: usize| (row.digits[w] ^ asking.digits[w]) & row.known[w] & asking.known[w];
    let agrees = |row: &Row<W>| (0..W).fold(0, |all, w| all | differs(row, w)) == 0;
    have.iter().map(|row| if agrees(row) { row.count } else { 0 }).sum()
}

/// The cells of a tuple in some columns.
pub(super) fn project(tuple: &[u32], columns: &[usize], part: &mut [u32]) {
    for (cell, &column) in part.iter_mut().zip(columns) {
        *cell = tuple[column];
    }
}

#[cfg(test)]
mod tests {
    use throng_terms::watch::Watch;

    use super::*;

    /// Enough classes for divisions and sums, with few and many values, against all pairs.
    #[test]
    fn sizes_of_many_classes_are_those_of_all_pairs() {
        for (width, values, every) in [(2, 900, 9), (4, 5, 3), (9, 12, 8), (9, 4, 5), (24, 7, 6)] {
            let mut tuples = Tuples::new(width);
            for row in 0..2500_usize {
                let cell = |column: usize| {
                    let mixed = (row * 31 + column * 17 + 7).wrapping_mul(0x9E37_79B9) >> 7;
                    let value = 1 + (mixed / every) % values;
                    if mixed.is_multiple_of(every) { MISSING } else { value as u32 * 1000 }
                };
                tuples.intern(&(0..width).map(cell).collect::<Vec<u32>>());
            }
            let counts: Vec<u64> = (0..tuples.len() as u64).map(|class| class % 4).collect();
            let agree = |a: usize, b: usize| {
                let mut cells = tuples.tuple(a).iter().zip(tuples.tuple(b));
                cells.all(|(&a, &b)| a == b || a == MISSING || b == MISSING)
            };
            let naive = |a: usize| {
                let others = (0..counts.len()).filter(|&b| counts[a] > 0 && agree(a, b));
                others.map(|b| counts[b]).sum::<u64>()
            };
            let watch = Watch::none();
            let found = sizes(&tuples, &counts, &Pace::new(&watch, 0)).unwrap();
            let expected: Vec<u64> = (0..counts.len()).map(naive).collect();
            assert_eq!(found, expected, "{width} {values}");
        }
    }
}
