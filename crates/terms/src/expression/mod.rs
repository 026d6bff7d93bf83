//! Arithmetic expressions of a policy: `2 * suppressed + level(age)`.
//!
//! An [`Expression`] knows the variables that it names and nothing of a table. Who evaluates it
//! passes their values. All arithmetic is that of IEEE 754 in `f64`, in the order in which the
//! expression is written, so the same values give the same bits on any number of threads. Dividing
//! by zero gives an infinity, or "not a number" for 0/0; comparisons with "not a number" are false,
//! but for `<>`. Costs the parts of the expression per evaluation.

mod eval;
mod parse;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};

use parse::Number;

/// What an expression may name.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary<'a> {
    /// The variables.
    pub variables: &'a [&'a str],
    /// The functions of one column.
    pub of_columns: &'a [OfColumn],
    /// The columns that these functions take.
    pub columns: &'a [&'a str],
}

/// A function of one column, such as `level(age)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfColumn {
    /// Its name.
    pub name: &'static str,
    /// Whether it is a condition; otherwise it is a number.
    pub condition: bool,
}

/// A variable that an expression names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variable {
    /// A variable of the vocabulary.
    Plain(String),
    /// A function of a column.
    OfColumn {
        /// The function.
        function: String,
        /// The column.
        column: String,
    },
}

/// An expression that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    text: String,
    /// In the order in which it names them first.
    variables: Vec<Variable>,
    root: Number,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// Text that is not one, with the character and what is expected there; names that the
    /// vocabulary does not have, with the nearest that it has.
    pub fn parse(text: &str, vocabulary: &Vocabulary<'_>) -> Result<Self> {
        let (root, variables) = parse::expression(text, vocabulary).map_err(Error::from)?;
        Ok(Expression { text: text.to_owned(), variables, root })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The variables that it names, each once.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Whether it names a variable of the vocabulary.
    pub fn names(&self, variable: &str) -> bool {
        self.variables.iter().any(|named| matches!(named, Variable::Plain(name) if name == variable))
    }

    /// Its value, where `values` has those of [`variables`](Self::variables). A condition is true
    /// where its value is not 0.
    pub fn evaluate(&self, values: &[f64]) -> f64 {
        eval::number(&self.root, values)
    }
}
