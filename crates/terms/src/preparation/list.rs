//! Lists of codes with their counts, as a cell has them: `427.89:10; 031:2; 401`.
//!
//! An empty list is a missing cell: it has nothing in common with any other list, and every
//! text could also be a code.

use crate::cell::number;
use crate::error::{Error, Fault, Result};
use crate::fault;

/// Codes with how often they occur, each once.
pub(super) type List = Vec<(String, u32)>;

/// A list as a cell.
pub(super) fn write<'a>(pairs: impl IntoIterator<Item = (&'a str, u32)>) -> Option<String> {
    let mut text = String::new();
    for (code, count) in pairs {
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(code);
        if count > 1 {
            text.push(':');
            text.push_str(&count.to_string());
        }
    }
    (!text.is_empty()).then_some(text)
}

/// The list of a cell.
///
/// # Errors
/// A code without a name, and counts that cannot be added up.
pub(super) fn read(text: &str) -> Result<List> {
    let mut list = List::new();
    for part in text.split(';').map(str::trim) {
        let (code, often) = match part.rsplit_once(':') {
            Some((code, digits)) if is_count(digits) => (code.trim_end(), count(digits)?),
            _ => (part, 1),
        };
        if code.is_empty() {
            return Err(fault!(
                Data,
                "prepare.not-a-list",
                "`{value}` is not a list of codes such as `a:2; b`",
                value = text
            )
            .into());
        }
        add(&mut list, code, often)?;
    }
    Ok(list)
}

/// Adds occurrences of a code, which stays where it is first.
pub(super) fn add(list: &mut List, code: &str, count: u32) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    match list.iter_mut().find(|known| known.0 == code) {
        Some(known) => known.1 = known.1.checked_add(count).ok_or_else(|| too_many(code))?,
        None => list.push((code.to_owned(), count)),
    }
    Ok(())
}

/// The most frequent pairs first; equally frequent ones by code.
pub(super) fn by_frequency(a: (&str, u32), b: (&str, u32)) -> std::cmp::Ordering {
    b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0))
}

/// A code as it is written in lists.
///
/// # Errors
/// One that would be read as something else.
pub(super) fn code(text: &str) -> Result<&str> {
    let code = text.trim();
    let counted = code.rsplit_once(':').is_some_and(|(_, digits)| is_count(digits));
    if code.is_empty() || code.contains(';') || counted {
        return Err(fault!(Data, "prepare.not-a-code", "`{value}` cannot be a code of a list", value = text)
            .help("a code is not empty, has no `;` and does not end in `:` and a number")
            .into());
    }
    Ok(code)
}

/// How often something occurs.
///
/// # Errors
/// What is not a whole number from 0.
pub(super) fn count(text: &str) -> Result<u32> {
    let whole = |number: &f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
    let not_a_count = || {
        Error::from(
            fault!(Data, "prepare.not-a-count", "`{value}` is not a number of occurrences", value = text)
                .help("give whole numbers from 0"),
        )
    };
    number(text).filter(whole).map(|number| number as u32).ok_or_else(not_a_count)
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn too_many(code: &str) -> Fault {
    fault!(Data, "prepare.too-many-occurrences", "`{code}` occurs too often to be counted", code = code)
}
