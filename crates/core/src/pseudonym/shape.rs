//! How values are written: which places hold digits, small letters and capitals, and what stands
//! between them.

use crate::error::{Error, Fault, Result};
use crate::fault;

/// What stands at one place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// One of a number of signs, from the first one on.
    Any(u8, u8),
    /// Always this.
    Fixed(char),
}

impl Place {
    /// None for a letter or digit that is not ASCII: there is no saying which others are like it.
    fn of(sign: char) -> Option<Place> {
        match sign {
            '0'..='9' => Some(Place::Any(b'0', 10)),
            'a'..='z' => Some(Place::Any(b'a', 26)),
            'A'..='Z' => Some(Place::Any(b'A', 26)),
            other if other.is_alphanumeric() => None,
            other => Some(Place::Fixed(other)),
        }
    }

    /// How a message writes it: 9 for digits, a and A for letters.
    fn sign(self) -> char {
        match self {
            Place::Any(b'0', _) => '9',
            Place::Any(first, _) => first as char,
            Place::Fixed(sign) => sign,
        }
    }
}

/// How the values of a column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape(Vec<Place>);

impl Shape {
    /// The shape of a value.
    ///
    /// # Errors
    /// A letter or digit that is not ASCII, or neither letter nor digit at all.
    pub fn of(value: &str) -> Result<Shape> {
        let places: Option<Vec<Place>> = value.chars().map(Place::of).collect();
        let Some(places) = places else {
            return Err(unreplaceable(fault!(
                Data,
                "pseudonym.value-not-ascii",
                "a value has letters or digits that are not ASCII: no pseudonym can have the same shape"
            )));
        };
        if !places.iter().any(|place| matches!(place, Place::Any(..))) {
            return Err(unreplaceable(fault!(
                Data,
                "pseudonym.value-without-letters",
                "a value has no letter and no digit: no pseudonym can have the same shape"
            )));
        }
        Ok(Shape(places))
    }

    /// Whether a value has this shape.
    pub(super) fn fits(&self, value: &str) -> bool {
        let mut places = self.0.iter();
        value.chars().all(|sign| Place::of(sign).as_ref() == places.next()) && places.next().is_none()
    }

    /// How many signs each place that varies can have.
    pub(super) fn sizes(&self) -> Vec<u8> {
        let size = |place: &Place| match place {
            Place::Any(_, size) => Some(*size),
            Place::Fixed(_) => None,
        };
        self.0.iter().filter_map(size).collect()
    }

    /// How many values have this shape; or more than can be counted.
    pub(super) fn values(&self) -> u128 {
        self.sizes().into_iter().fold(1, |n: u128, size| n.saturating_mul(size.into()))
    }

    /// The numbers of a value's signs; none when it has another shape.
    pub(super) fn numbers(&self, value: &str) -> Option<Vec<u8>> {
        if !self.fits(value) {
            return None;
        }
        let number = |(sign, place): (char, &Place)| match place {
            Place::Any(first, _) => Some(sign as u8 - first),
            Place::Fixed(_) => None,
        };
        Some(value.chars().zip(&self.0).filter_map(number).collect())
    }

    /// The value with these signs.
    pub(super) fn text(&self, numbers: &[u8]) -> String {
        let mut numbers = numbers.iter();
        let sign = |place: &Place| match place {
            Place::Any(first, _) => (first + numbers.next().copied().unwrap_or(0)) as char,
            Place::Fixed(sign) => *sign,
        };
        self.0.iter().map(sign).collect()
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|place| write!(f, "{}", place.sign()))
    }
}

fn unreplaceable(fault: Fault) -> Error {
    fault
        .help(
            "leave out `transform`, so that the column is removed; or list what means missing in input.null",
        )
        .into()
}
