//! Made-up values in place of identifiers: keyed, of the same shape, one for one (Sweeney's
//! equivalence class substitution, "The Datafly II System").
//!
//! A value becomes another one with a digit for every digit, a capital for every capital, a small
//! letter for every small letter, and everything else as it was. Which one is decided by a keyed
//! permutation of the values of that shape (`permutation.rs`), so two values never become the same,
//! and nothing has to be remembered for that. docs/pseudonyms.md has the construction and what is
//! known about attacks on it.
//!
//! A made-up value must not be a real one of the same column. Therefore there is a permutation for
//! each of several *turns*, and a value takes the first turn whose outcome is neither an original
//! nor the outcome of another original at an earlier turn. Both can be computed backwards from the
//! outcome and the set of originals alone, so the answer depends on no order and stays one for one.
//! At the first turn, which nearly all take, it depends on the key and the value only: the same key
//! gives the same made-up value in every table. The exception are values whose made-up value
//! happens to be an original of that table: of n originals with s possible values, about n²/s.
//!
//! A value reveals its shape. If values of a column differ in shape, the shape distinguishes people
//! in the release however well the rest is hidden; so all values of a column must have one shape.
//!
//! A value costs some 30 compressions of SHA-256, a few microseconds; for shapes of fewer than a
//! million values there are tables instead. The key comes in as bytes, and nothing here shows it.

mod any;
mod key;
mod originals;
mod permutation;
mod shape;
mod shift;
#[cfg(test)]
mod tests;

pub use any::{KeyedValues, Numbers};
pub use key::{Key, LEAST_KEY};
pub use originals::Originals;
pub use shape::Shape;
pub use shift::DateShift;

use crate::error::{Error, Result};
use crate::fault;
use permutation::Permutation;

/// Turns that a value may take. With one value in four taken, one in 10¹¹ finds no place in so
/// many.
const TURNS: usize = 32;
/// At most this part of all values of a shape may be originals.
const ROOM: u128 = 4;

/// Makes up values in place of those of one column.
#[derive(Debug)]
pub struct Pseudonyms {
    shape: Shape,
    originals: Originals,
    turns: Vec<Permutation>,
}

impl Pseudonyms {
    /// For the originals of a column. None when it has no values, so that there is nothing to
    /// replace.
    ///
    /// # Errors
    /// Too many originals for their shape.
    pub fn new(key: &Key, originals: Originals) -> Result<Option<Self>> {
        let Some(shape) = originals.shape.clone() else { return Ok(None) };
        if originals.distinct as u128 > shape.values() / ROOM {
            return Err(crowded(&shape, originals.distinct));
        }
        // The turn and the shape go into the key once instead of into every message.
        let turn = |turn: usize| {
            let name = [b"throng substitute", &[turn as u8] as &[u8], shape.to_string().as_bytes()].concat();
            Permutation::new(Key::of(&key.hmac(&[&name])), shape.sizes())
        };
        let turns = (0..TURNS).map(turn).collect();
        Ok(Some(Pseudonyms { shape, originals, turns }))
    }

    /// The made-up value for an original.
    ///
    /// # Errors
    /// A value that is not among the originals.
    pub fn replace(&self, original: &str) -> Result<String> {
        let numbers = self.shape.numbers(original).filter(|_| self.originals.contain(original));
        let Some(numbers) = numbers else {
            return Err(fault!(
                Data,
                "table.changed-while-reading",
                "the table changed while it was being released"
            )
            .help("release a copy that nobody writes to")
            .into());
        };
        for turn in 0..TURNS {
            let made = self.turns[turn].forward(numbers.clone());
            if self.free(turn, &made) {
                return Ok(self.shape.text(&made));
            }
        }
        Err(crowded(&self.shape, self.originals.distinct))
    }

    /// Whether the outcome of a turn is neither an original nor taken by an original at an earlier
    /// turn.
    fn free(&self, turn: usize, made: &[u8]) -> bool {
        let taken = |earlier: usize| self.arrives(earlier, &self.turns[earlier].backward(made.to_vec()));
        !self.is_original(made) && !(0..turn).any(taken)
    }

    /// Whether a value is an original that no earlier turn has served.
    fn arrives(&self, turn: usize, numbers: &[u8]) -> bool {
        let served = |earlier: usize| self.free(earlier, &self.turns[earlier].forward(numbers.to_vec()));
        self.is_original(numbers) && !(0..turn).any(served)
    }

    fn is_original(&self, numbers: &[u8]) -> bool {
        self.originals.contain(&self.shape.text(numbers))
    }
}

fn crowded(shape: &Shape, taken: usize) -> Error {
    fault!(
        Data,
        "pseudonym.too-many-values",
        "there are {values} values written as {shape}, of {possible} that can be: too many to make up others",
        values = taken,
        possible = shape.values(),
        shape = shape
    )
    .help("leave out `transform`, so that the column is removed, or write the values longer")
    .into()
}
