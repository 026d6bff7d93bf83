//! Conditions on rows, in a part of SQL: `age >= 18 AND state = 'MA'`.
//!
//! A [`Predicate`] knows the columns it names and nothing of a table. Every cell is text; the other
//! side of a comparison decides how it is read. A condition is true, false or unknown, as in SQL,
//! and unknown wherever a missing cell decides. There are no subqueries, aggregates or functions
//! whose result changes between calls, so the same rows satisfy it every time. Costs the nodes of
//! the expression per row.

mod eval;
mod parse;
#[cfg(test)]
mod tests;
mod types;

use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::lex;

use types::Expr;

/// A condition that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    text: String,
    /// The columns that it names, in the order in which it names them first.
    columns: Vec<String>,
    root: Expr,
}

/// Cells that could not be read as the number, date or truth value that they are compared with, by
/// the columns of a predicate.
pub type Unreadable = Vec<u64>;

impl Predicate {
    /// Reads a condition.
    ///
    /// # Errors
    /// Text that is not one, with what was expected; what is not evaluated per row, by name.
    pub fn parse(text: &str) -> Result<Self> {
        let (root, columns) = parse::condition(text).map_err(Error::from)?;
        Ok(Predicate { text: text.to_owned(), columns, root })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The columns that it names, each once.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// No cell is unreadable yet.
    pub fn unreadable(&self) -> Unreadable {
        vec![0; self.columns.len()]
    }

    /// Whether a row satisfies it; none where that is unknown. `cell` has the row's cells by their
    /// places in [`columns`](Self::columns). Cells that cannot be read are counted.
    pub fn evaluate<'a>(
        &'a self,
        cell: &dyn Fn(usize) -> Option<&'a str>,
        unreadable: &mut Unreadable,
    ) -> Option<bool> {
        eval::truth(&self.root, cell, unreadable)
    }

    /// The places of its columns in a table.
    ///
    /// # Errors
    /// Columns that the table does not have.
    pub fn bind(&self, table: &[String]) -> Result<Vec<usize>> {
        let place = |name: &String| table.iter().position(|column| column == name);
        let absent = self.columns.iter().filter(|name| place(name).is_none());
        Error::check(absent.map(|name| no_such_column(name, table)).collect())?;
        Ok(self.columns.iter().filter_map(place).collect())
    }
}

/// A column that a table does not have.
pub(crate) fn no_such_column(name: &str, table: &[String]) -> Fault {
    let fault = fault!(Input, "predicate.no-such-column", "there is no column `{column}`", column = name);
    // A name such as `marital-status` is read as a difference unless it is in quotes.
    let begun = |column: &&String| column.starts_with(&format!("{name}-"));
    let near = table.iter().find(begun).map(String::as_str);
    match near.or_else(|| nearest(name, table.iter().map(String::as_str))) {
        Some(near) if lex::is_plain(near) => fault.help(format!("did you mean `{near}`?")),
        Some(near) => fault.help(format!(
            "did you mean `\"{near}\"`? A name with other characters than letters, digits and `_` is quoted"
        )),
        None => {
            let names: Vec<String> = table.iter().map(|column| format!("`{column}`")).collect();
            fault.help(format!("there are {}", names.join(", ")))
        }
    }
}
