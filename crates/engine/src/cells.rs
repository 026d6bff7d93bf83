//! A column of a batch as text, without copying where it is text already.
//!
//! A column of few values is keyed: one number per cell and each text once, so that what follows
//! looks up texts, not cells. Dictionaries of Parquet are keyed already; other columns are keyed in
//! `intern.rs`.

use arrow::array::{Array, ArrayRef, AsArray, LargeStringArray, StringArray, StringViewArray};
use arrow::buffer::ScalarBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, UInt32Type};
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::table::{Code, Dictionary};

use crate::error::{unlabelled, unquoted};
use crate::intern;

/// The time zone of everything that has one.
pub(crate) const UTC: &str = "UTC";

/// A column as text; a null is `None`.
#[derive(Debug, Clone)]
pub enum Cells {
    /// 32-bit offsets.
    Plain(StringArray),
    /// 64-bit offsets.
    Large(LargeStringArray),
    /// Views.
    View(StringViewArray),
    /// Keys into text. The key of a missing cell is the number of texts.
    Keyed(ScalarBuffer<u32>, StringArray),
}

impl Cells {
    /// The column as text: numbers in shortest form, dates and times in ISO form.
    ///
    /// # Errors
    /// A type that has no text form, such as a list.
    pub fn new(column: &str, array: &ArrayRef) -> Result<Self> {
        match array.data_type() {
            DataType::Utf8 => Ok(Cells::Plain(array.as_string::<i32>().clone())),
            DataType::LargeUtf8 => Ok(Cells::Large(array.as_string::<i64>().clone())),
            DataType::Utf8View => Ok(Cells::View(array.as_string_view().clone())),
            DataType::Dictionary(_, value) if value.is_string() => keyed(column, array),
            other => match unfit(column, other) {
                Some(fault) => Err(fault.into()),
                None => match intern::numbers(array) {
                    Some((keys, values)) => {
                        Ok(Cells::Keyed(keys, text(column, &values)?.as_string::<i32>().clone()))
                    }
                    None => Ok(Cells::Plain(text(column, array)?.as_string::<i32>().clone())),
                },
            },
        }
    }

    /// The same cells, keyed if they have few values.
    #[must_use]
    pub(crate) fn interned(self) -> Self {
        let keyed = match &self {
            Cells::Plain(a) => intern::texts(a.len(), a.iter()),
            Cells::Large(a) => intern::texts(a.len(), a.iter()),
            Cells::View(a) => intern::texts(a.len(), a.iter()),
            Cells::Keyed(..) => None,
        };
        keyed.map_or(self, |(keys, values)| Cells::Keyed(keys, values))
    }

    /// Keys and texts, if there are no more texts than cells. The last text is the missing one.
    pub(crate) fn keyed(&self) -> Option<(&[u32], Vec<Option<&str>>)> {
        match self {
            Cells::Keyed(keys, values) if values.len() <= keys.len() => {
                Some((keys, values.iter().chain([None]).collect()))
            }
            _ => None,
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Cells::Plain(a) => a.len(),
            Cells::Large(a) => a.len(),
            Cells::View(a) => a.len(),
            Cells::Keyed(keys, _) => keys.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A cell.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&str> {
        match self {
            Cells::Plain(a) => a.is_valid(row).then(|| a.value(row)),
            Cells::Large(a) => a.is_valid(row).then(|| a.value(row)),
            Cells::View(a) => a.is_valid(row).then(|| a.value(row)),
            Cells::Keyed(keys, values) => {
                let key = keys[row] as usize;
                (key < values.len() && values.is_valid(key)).then(|| values.value(key))
            }
        }
    }

    /// Gives every cell to `take`, in order.
    pub fn each(&self, take: &mut dyn FnMut(Option<&str>)) {
        match self {
            Cells::Plain(a) => a.iter().for_each(take),
            Cells::Large(a) => a.iter().for_each(take),
            Cells::View(a) => a.iter().for_each(take),
            Cells::Keyed(..) => (0..self.len()).for_each(|row| take(self.get(row))),
        }
    }

    /// Whether a cell that is not missing meets a condition.
    pub(crate) fn any(&self, is: impl Fn(&str) -> bool) -> bool {
        match self {
            Cells::Plain(a) => a.iter().flatten().any(is),
            Cells::Large(a) => a.iter().flatten().any(is),
            Cells::View(a) => a.iter().flatten().any(is),
            // Values that no key has are looked at, too: rarely, and without harm.
            Cells::Keyed(_, values) => values.iter().flatten().any(is),
        }
    }

    /// The codes of all cells, giving codes to new values.
    pub(crate) fn encode(&self, dictionary: &mut Dictionary, codes: &mut Vec<Code>) {
        codes.clear();
        codes.reserve(self.len());
        match self {
            Cells::Plain(a) => codes.extend(a.iter().map(|v| dictionary.add(v, 1))),
            Cells::Large(a) => codes.extend(a.iter().map(|v| dictionary.add(v, 1))),
            Cells::View(a) => codes.extend(a.iter().map(|v| dictionary.add(v, 1))),
            Cells::Keyed(keys, _) => match self.keyed() {
                Some((_, values)) => {
                    let mut counts = vec![0; values.len()];
                    keys.iter().for_each(|&key| counts[key as usize] += 1);
                    // Only values that occur.
                    let code = |(value, &count): (&Option<&str>, &u64)| match count {
                        0 => 0,
                        count => dictionary.add(*value, count),
                    };
                    let map: Vec<Code> = values.iter().zip(&counts).map(code).collect();
                    codes.extend(keys.iter().map(|&key| map[key as usize]));
                }
                None => codes.extend((0..self.len()).map(|i| dictionary.add(self.get(i), 1))),
            },
        }
    }

    /// The codes of all cells in a dictionary that has them all.
    pub(crate) fn look_up(&self, column: &str, dictionary: &Dictionary, codes: &mut Vec<Code>) -> Result<()> {
        codes.clear();
        codes.reserve(self.len());
        let mut known = true;
        let mut look_up = |cell: Option<&str>| match dictionary.get(cell) {
            Some(code) => codes.push(code),
            None => known = false,
        };
        match self {
            Cells::Plain(a) => a.iter().for_each(&mut look_up),
            Cells::Large(a) => a.iter().for_each(&mut look_up),
            Cells::View(a) => a.iter().for_each(&mut look_up),
            Cells::Keyed(..) => match self.keyed() {
                Some((keys, values)) => {
                    let map: Vec<Code> =
                        values.iter().map(|value| dictionary.get(*value).unwrap_or(Code::MAX)).collect();
                    codes.extend(keys.iter().map(|&key| map[key as usize]));
                    known = !codes.contains(&Code::MAX);
                }
                None => (0..self.len()).for_each(|row| look_up(self.get(row))),
            },
        }
        if !known {
            let fault =
                fault!(Data, "table.changed-while-reading", "the table changed while it was being released");
            return Err(fault.column(column).help("release a copy that nobody writes to").into());
        }
        Ok(())
    }
}

/// Errors of a column of a type that has no text form, such as a list.
pub(crate) fn unfit(column: &str, kind: &DataType) -> Option<Fault> {
    let keyed_text = matches!(kind, DataType::Dictionary(_, value) if value.is_string());
    if keyed_text || !(kind.is_nested() || kind.is_binary()) {
        return None;
    }
    let help = "only text, numbers, dates and truth values can be released: give the column role = \"drop\", \
                or divide it into several";
    Some(fault!(Data, "table.unsupported-type", "holds {found}", found = kind).column(column).help(help))
}

/// Any simple type as text. A moment has one text, whatever time zone it was written in.
pub(crate) fn text(column: &str, array: &ArrayRef) -> Result<ArrayRef> {
    let plain = match array.data_type() {
        DataType::Dictionary(_, value) => Some(value.as_ref().clone()),
        DataType::Timestamp(unit, Some(zone)) if zone.as_ref() != UTC => {
            Some(DataType::Timestamp(*unit, Some(UTC.into())))
        }
        _ => None,
    };
    let unfit = |e| {
        Error::from(
            fault!(
                Data,
                "table.no-text-form",
                "cannot be read as text: {reason}",
                reason = unquoted(&unlabelled(&e)).to_owned()
            )
            .column(column),
        )
    };
    match plain {
        Some(kind) => text(column, &cast(array, &kind).map_err(unfit)?),
        None => cast(array, &DataType::Utf8).map_err(unfit),
    }
}

fn keyed(column: &str, array: &ArrayRef) -> Result<Cells> {
    let kind = DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8));
    let array = cast(array, &kind).map_err(|e| {
        fault!(
            Data,
            "table.undecodable",
            "cannot be read: {reason}",
            reason = unquoted(&unlabelled(&e)).to_owned()
        )
        .column(column)
    })?;
    let dictionary = array.as_dictionary::<UInt32Type>();
    let values = dictionary.values().as_string::<i32>().clone();
    let keys = match dictionary.keys().nulls() {
        None => dictionary.keys().values().clone(),
        Some(_) => dictionary.keys().iter().map(|key| key.unwrap_or(values.len() as u32)).collect(),
    };
    Ok(Cells::Keyed(keys, values))
}
