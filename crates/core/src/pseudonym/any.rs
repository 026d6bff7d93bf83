//! Replacements of values of any format: keyed letters, and numbers.
//!
//! A keyed value is 24 letters from a to p: the first 96 bits of HMAC-SHA256 [Krawczyk 1997] of the
//! value. The same key gives the same letters in every table, and that two values of a table get
//! the same ones is less likely than 1 in 10¹² even for 100 million values. Numbers go from 1 on in
//! an order that a key decides. All have the same number of digits, enough that none is a value of
//! the column. Neither depends on the format of a value, so ids of different lengths do not
//! distinguish people.
//!
//! A keyed value costs one HMAC; numbers cost one HMAC and a place in a table per distinct value.

use rustc_hash::FxHashMap;

use super::key::Key;
use super::originals::Originals;
use crate::error::Result;
use crate::fault;

/// Letters of a keyed value, four bits each.
const LETTERS: usize = 24;

/// Keyed letters in place of values.
#[derive(Debug, Clone)]
pub struct KeyedValues(Key);

impl KeyedValues {
    /// By a key.
    pub fn new(key: &Key) -> Self {
        KeyedValues(key.clone())
    }

    /// The letters of a value.
    pub fn replace(&self, original: &str) -> String {
        let code = self.0.hmac(&[b"throng keyed\0", original.as_bytes()]);
        let halves = code.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        halves.take(LETTERS).map(|half| char::from(b'a' + half)).collect()
    }
}

/// Numbers in place of values.
#[derive(Debug, Clone)]
pub struct Numbers {
    of: FxHashMap<String, u64>,
    digits: usize,
}

impl Numbers {
    /// Of all values of a column, in an order that a secret decides.
    pub fn new(secret: &[u8], originals: &Originals) -> Self {
        let key = Key::of(secret);
        let code = |value: &String| key.hmac(&[b"throng number\0", value.as_bytes()]);
        let mut values: Vec<([u8; 32], &String)> =
            originals.listed().map(|value| (code(value), value)).collect();
        values.sort_unstable();
        let of: FxHashMap<String, u64> =
            values.into_iter().zip(1..).map(|((_, value), number)| (value.clone(), number)).collect();
        let least = of.len().max(1).ilog10() as usize + 1;
        let is_free =
            |digits: &usize| !(1..=of.len() as u64).any(|n| originals.contain(&written(n, *digits)));
        // Every value has one length, so that some length is not taken.
        let digits = (least..=least + of.len()).find(is_free).unwrap_or(least + of.len() + 1);
        Numbers { of, digits }
    }

    /// The number of a value.
    ///
    /// # Errors
    /// A value that is not among the originals.
    pub fn replace(&self, original: &str) -> Result<String> {
        match self.of.get(original) {
            Some(number) => Ok(written(*number, self.digits)),
            None => Err(fault!(
                Data,
                "table.changed-while-reading",
                "the table changed while it was being released"
            )
            .help("release a copy that nobody writes to")
            .into()),
        }
    }
}

fn written(number: u64, digits: usize) -> String {
    format!("{number:0digits$}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn listed(values: &[&str]) -> Originals {
        let mut originals = Originals::listing();
        values.iter().for_each(|value| originals.add(value).unwrap());
        originals
    }

    #[test]
    fn keyed_values_are_alike_whatever_the_format() {
        let key = Key::new(b"a key of 24 bytes, or so").unwrap();
        let keyed = KeyedValues::new(&key);
        let values = ["1", "12", "Müller-7", ""];
        let made: BTreeSet<String> = values.iter().map(|value| keyed.replace(value)).collect();
        assert_eq!(made.len(), values.len());
        assert!(
            made.iter().all(|made| made.len() == LETTERS && made.chars().all(|c| ('a'..='p').contains(&c)))
        );
        assert_eq!(keyed.replace("12"), KeyedValues::new(&key).replace("12"));
        let other = KeyedValues::new(&Key::new(b"another key of 32 bytes, or more").unwrap());
        assert_ne!(keyed.replace("12"), other.replace("12"));
    }

    #[test]
    fn numbers_are_one_for_one_and_no_value_of_the_column() {
        let texts: Vec<String> = (1..=120).map(|n: u32| n.to_string()).collect();
        let values: Vec<&str> = texts.iter().map(String::as_str).collect();
        let numbers = Numbers::new(b"secret", &listed(&values));
        let made: BTreeSet<String> = values.iter().map(|value| numbers.replace(value).unwrap()).collect();
        // 001 to 120 has the values 100 to 120.
        let expected: BTreeSet<String> = (1..=120).map(|n| format!("{n:04}")).collect();
        assert_eq!(made, expected);
        assert!(values.iter().any(|value| numbers.replace(value).unwrap() != format!("{value:0>4}")));
        assert!(numbers.replace("121").is_err());
        let other = Numbers::new(b"other", &listed(&values));
        assert!(values.iter().any(|value| numbers.replace(value).unwrap() != other.replace(value).unwrap()));
    }

    #[test]
    fn neither_the_order_of_values_nor_their_number_of_times_matters() {
        let (a, b) = (listed(&["x", "yy", "z"]), listed(&["z", "yy", "yy", "x"]));
        for value in ["x", "yy", "z"] {
            let of = |originals| Numbers::new(b"secret", originals).replace(value).unwrap();
            assert_eq!(of(&a), of(&b));
            assert_eq!(of(&a).len(), 1);
        }
    }
}
