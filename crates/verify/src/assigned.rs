//! Takes over the claimed regions of an original's rows, in numbers of the verifier's own.
//!
//! Every text is looked up once, and every released tuple of labels once. Costs one look-up per
//! distinct tuple of the original.

use super::classes::{Interner, UNKNOWN};
use super::deal::HELD;
use super::pace::Pace;
use super::side::Side;
use super::{AssignedTexts, Assignment};
use throng_terms::error::{Error, Fault, Result};

/// Tuples that are looked up together.
const TUPLES: usize = 1 << 13;

/// States the released classes of the rows of an original, as an assignment has them.
///
/// # Errors
/// A number without a text or a look, and a tuple of another width: mistakes of the program that
/// assigns.
pub(super) fn assign(
    assignment: &dyn Assignment,
    released: &Side,
    original: &mut Side,
    pace: &Pace<'_>,
) -> Result<()> {
    let AssignedTexts { originals, labels } = assignment.texts();
    if originals.len() != original.interners.len() || labels.len() != released.interners.len() {
        return Err(unfit());
    }
    let looks = looks(assignment, &labels, released, pace)?;
    let mut numbers: Vec<Vec<u32>> = originals.iter().map(|texts| vec![UNKNOWN; texts.len()]).collect();
    let (mut tuples, mut fates) = (Vec::new(), Vec::new());
    assignment.each(&mut |tuple, rows, look| {
        pace.steps(8)?;
        // No rows are no claim.
        if rows == 0 {
            return Ok(());
        }
        let columns = original.interners.iter_mut().zip(&originals).zip(&mut numbers);
        for (((interner, texts), numbers), &text) in exactly(columns, tuple)? {
            let number = numbers.get_mut(text as usize).ok_or_else(unfit)?;
            if *number == UNKNOWN {
                *number = interner.count_in(texts[text as usize], 0);
            }
            tuples.push(*number);
        }
        let class = look.map_or(Some(HELD), |look| looks.get(look as usize).copied());
        fates.push((rows, class.ok_or_else(unfit)?));
        if fates.len() == TUPLES {
            original.assign(&tuples, &fates);
            tuples.clear();
            fates.clear();
        }
        Ok(())
    })?;
    if !fates.is_empty() {
        original.assign(&tuples, &fates);
    }
    Ok(())
}

/// Look → the class of the release, or [`UNKNOWN`] where the release does not have it.
fn looks(
    assignment: &dyn Assignment,
    labels: &[Vec<Option<&str>>],
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Vec<u32>> {
    let number = |(interner, labels): (&Interner, &Vec<Option<&str>>)| -> Vec<u32> {
        labels.iter().map(|label| interner.get(*label).unwrap_or(UNKNOWN)).collect()
    };
    let numbers: Vec<Vec<u32>> = released.interners.iter().zip(labels).map(number).collect();
    let (mut looks, mut tuple) = (Vec::new(), Vec::new());
    assignment.looks(&mut |cells| {
        pace.steps(4)?;
        tuple.clear();
        for (numbers, &label) in exactly(numbers.iter(), cells)? {
            tuple.push(*numbers.get(label as usize).ok_or_else(unfit)?);
        }
        looks.push(released.classes.tuples.get(&tuple).map_or(UNKNOWN, |class| class as u32));
        Ok(())
    })?;
    Ok(looks)
}

/// Columns with the cells of a tuple that has as many.
fn exactly<T>(
    columns: impl ExactSizeIterator<Item = T>,
    tuple: &[u32],
) -> Result<impl Iterator<Item = (T, &u32)>> {
    if columns.len() == tuple.len() { Ok(columns.zip(tuple)) } else { Err(unfit()) }
}

fn unfit() -> Error {
    Fault::bug("an assignment of rows does not fit its own texts").into()
}
