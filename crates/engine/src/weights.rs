//! Checks survey weights: a column with role `weight` that contains anything but numbers from 0 is
//! rejected. The cells are looked at while the table is grouped.

use throng::error::Fault;
use throng::fault;

use crate::cells::Cells;

/// The first cell that is not a weight, with its row. A missing weight is allowed.
pub(crate) fn first_bad(cells: &Cells) -> Option<(usize, String)> {
    let bad = |row: usize| cells.get(row).filter(|cell| !is_weight(cell)).map(|cell| (row, cell.to_owned()));
    (0..cells.len()).find_map(bad)
}

/// The fault of a cell in a row, which is counted from 0.
pub(crate) fn not_a_weight(cell: &str, row: u64, column: &str) -> Fault {
    fault!(Data, "table.not-a-weight", "`{value}` in row {row} is not a weight", value = cell, row = row + 1)
        .column(column)
        .help("a weight is a number from 0; give the column role = \"keep\" if it is none")
}

fn is_weight(cell: &str) -> bool {
    cell.trim().parse::<f64>().is_ok_and(|weight| weight.is_finite() && weight >= 0.0)
}
