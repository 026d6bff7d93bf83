//! Dates that are shifted per person: reads the key that the policy names and shifts the cells of a
//! batch, by the person of each row. [`throng::pseudonym`] decides by how many days.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use rayon::prelude::*;
use throng::error::{Fault, Result};
use throng::pseudonym::{DateShift, Key};

use crate::cells::Cells;
use crate::policy_file::PolicyFile;
use crate::substitute::secret;

/// The columns whose dates are shifted.
#[derive(Debug, Default)]
pub struct Shifts {
    /// The column that names the person of a row.
    subject: String,
    columns: Vec<(String, DateShift)>,
}

impl PolicyFile {
    /// The secret by which dates are shifted, where any are.
    ///
    /// # Errors
    /// A secret that is not there.
    pub(crate) fn shift_secret(&self) -> Result<Option<Vec<u8>>> {
        let mut columns = self.policy.columns.iter();
        let shifted = columns.find_map(|(name, column)| Some((name, column.shift()?)));
        let Some((name, shift)) = shifted else { return Ok(None) };
        let place = (shift.key_file.as_deref(), shift.key_env.as_deref());
        let here = |fault: Fault| fault.key(format!("columns.{name}.transform"));
        secret(place, self.folder()).map(Some).map_err(|e| e.map(here))
    }

    /// The columns whose dates are shifted, with their key.
    ///
    /// # Errors
    /// A key that is not there, or too short.
    pub(crate) fn shifts(&self) -> Result<Shifts> {
        let Some(secret) = self.shift_secret()? else { return Ok(Shifts::default()) };
        let key = Key::new(&secret)?;
        let shifted = |(name, column): (&String, &throng::policy::Column)| {
            let shift = column.shift()?;
            Some((name.clone(), DateShift::new(&key, shift.days, &shift.format)))
        };
        let columns = self.policy.columns.iter().filter_map(shifted).collect();
        Ok(Shifts { subject: self.policy.subject().unwrap_or_default().to_owned(), columns })
    }
}

impl Shifts {
    /// The column that names the person of a row, where dates are shifted.
    pub(crate) fn subject(&self) -> Option<&str> {
        (!self.columns.is_empty()).then_some(&self.subject)
    }

    /// Whether the dates of a column are shifted.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|(name, _)| name == column)
    }

    /// The shifted dates of a column's cells; missing cells stay missing.
    pub(crate) fn replace(&self, column: &str, array: &ArrayRef, people: &ArrayRef) -> Result<ArrayRef> {
        let (cells, people) = (Cells::new(column, array)?, Cells::new(&self.subject, people)?);
        let Some((_, shift)) = self.columns.iter().find(|(name, _)| name == column) else {
            return Err(Fault::bug("a column that is not shifted").into());
        };
        let replace = |row: usize| match (cells.get(row), people.get(row)) {
            (None, _) => Ok(None),
            (Some(cell), Some(person)) => shift.replace(person, cell).map(Some),
            (Some(_), None) => Err(Fault::bug("a row without its person was not refused").into()),
        };
        let values: Result<Vec<Option<String>>> = (0..cells.len()).into_par_iter().map(replace).collect();
        Ok(Arc::new(StringArray::from(values.map_err(|e| e.map(|fault| fault.column(column)))?)))
    }
}
