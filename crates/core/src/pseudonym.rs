//! Made-up values in place of identifiers: keyed, of the same shape, one for one (Sweeney's equivalence class
//! substitution, "The Datafly II System").
//!
//! A value becomes another one with a digit for every digit, a capital for every capital, a small letter for every
//! small letter, and everything else as it was. Which one is decided by a Feistel network over the values of
//! that shape (Luby and Rackoff 1988; alternating halves and ten rounds as in NIST SP 800-38G), with HMAC-SHA256
//! (RFC 2104) as its round function. Such a network is a permutation whatever the round function is, so two values
//! never become the same, and nothing has to be remembered for that.
//!
//! A made-up value must not be a real one of the same column. Therefore there is a network for each of several
//! *turns*, and a value takes the first turn whose outcome is neither an original nor the outcome of another
//! original at an earlier turn. Both can be computed backwards from the outcome and the set of originals alone, so
//! the answer depends on no order and stays one for one. At the first turn, which nearly all take, it depends on the
//! key and the value only: the same key gives the same made-up value in every table. The exception are values whose
//! made-up value happens to be an original of that table: of n originals with s possible values, about n²/s.
//!
//! Whoever knows a value knows its shape. If values of a column differ in shape, the shape tells people
//! apart in the release however well the rest is hidden; so all values of a column must have one shape.
//!
//! A value costs some 30 compressions of SHA-256, a few microseconds; memory is 8 bytes and their place in a hash
//! set for every distinct original. The key comes in as bytes, and nothing here shows it.

use std::hash::{DefaultHasher, Hash, Hasher};

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use sha2::{Digest, Sha256};

use crate::error::{Error, Fault, Result};

/// A key has at least so many bytes.
pub const LEAST_KEY: usize = 16;

/// Rounds of a network; each changes one half by the other.
const ROUNDS: u8 = 10;
/// Turns that a value may take. With one value in four taken, one in 10¹¹ finds no place in so many.
const TURNS: usize = 32;
/// At most this part of all values of a shape may be originals.
const ROOM: u128 = 4;

/// A secret, ready to be used with HMAC-SHA256.
#[derive(Clone)]
pub struct Key {
    inner: Sha256,
    outer: Sha256,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key of a secret.
    ///
    /// # Errors
    /// A secret that is too short to be one.
    pub fn new(secret: &[u8]) -> Result<Self> {
        if secret.len() < LEAST_KEY {
            return Err(Fault::input(format!(
                "the key has {} bytes, it needs {LEAST_KEY} or more",
                secret.len()
            ))
            .help("make one that nobody can guess, for instance: openssl rand -hex 32 > secret.key")
            .into());
        }
        Ok(Key::of(secret))
    }

    pub(crate) fn of(secret: &[u8]) -> Self {
        let mut block = [0; 64];
        if secret.len() > block.len() {
            block[..32].copy_from_slice(&Sha256::digest(secret));
        } else {
            block[..secret.len()].copy_from_slice(secret);
        }
        let padded = |pad: u8| Sha256::new().chain_update(block.map(|byte| byte ^ pad));
        Key { inner: padded(0x36), outer: padded(0x5c) }
    }

    /// The code of a message that lies in several parts.
    pub(crate) fn hmac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let inner = parts.iter().fold(self.inner.clone(), |hash, part| hash.chain_update(part));
        self.outer.clone().chain_update(inner.finalize()).finalize().into()
    }
}

/// What stands at one place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// One of so many signs from the first one on.
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
            return Err(unreplaceable("a value has letters or digits that are not ASCII"));
        };
        if !places.iter().any(|place| matches!(place, Place::Any(..))) {
            return Err(unreplaceable("a value has no letter and no digit"));
        }
        Ok(Shape(places))
    }

    /// Whether a value has this shape.
    fn fits(&self, value: &str) -> bool {
        let mut places = self.0.iter();
        value.chars().all(|sign| Place::of(sign).as_ref() == places.next()) && places.next().is_none()
    }

    /// How many signs each place that varies can have.
    fn sizes(&self) -> Vec<u8> {
        let size = |place: &Place| match place {
            Place::Any(_, size) => Some(*size),
            Place::Fixed(_) => None,
        };
        self.0.iter().filter_map(size).collect()
    }

    /// How many values have this shape; or more than can be counted.
    fn values(&self) -> u128 {
        self.sizes().into_iter().fold(1, |n: u128, size| n.saturating_mul(size.into()))
    }

    /// The numbers of a value's signs; none when it has another shape.
    fn numbers(&self, value: &str) -> Option<Vec<u8>> {
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
    fn text(&self, numbers: &[u8]) -> String {
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

fn unreplaceable(what: &str) -> Error {
    Fault::data(format!("{what}: nothing of the same shape can be made up for it"))
        .help(
            "leave out `transform`, so that the column is removed; or list what means missing in input.null",
        )
        .into()
}

/// The values of a column that are to be replaced, as far as replacing needs to know them.
#[derive(Debug, Clone, Default)]
pub struct Originals {
    shape: Option<Shape>,
    /// Hashes of the values: taking a stranger for an original costs a turn and nothing else.
    values: HashSet<u64, FxBuildHasher>,
    /// How many of them were added as values.
    distinct: usize,
}

impl Originals {
    /// No values.
    pub fn new() -> Self {
        Originals::default()
    }

    /// Adds a value.
    ///
    /// # Errors
    /// A value that cannot be replaced, or one that is shaped unlike those before it.
    pub fn add(&mut self, value: &str) -> Result<()> {
        match &self.shape {
            Some(shape) if shape.fits(value) => {}
            Some(shape) => {
                return Err(Fault::data(format!(
                    "values are not all written alike: one as {shape}, one as {}",
                    Shape::of(value)?
                ))
                .help(
                    "what is written unlike others can be told from them in the release: leave out `transform`, so that \
                     the column is removed, or write the values alike, for instance with leading zeros",
                )
                .into());
            }
            None => self.shape = Some(Shape::of(value)?),
        }
        self.distinct += usize::from(self.values.insert(hash(value)));
        Ok(())
    }

    /// Adds a text that must not be made up either, such as one that means missing.
    pub fn avoid(&mut self, text: &str) {
        self.values.insert(hash(text));
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Makes up values in place of those of one column.
#[derive(Debug)]
pub struct Pseudonyms {
    shape: Shape,
    sizes: Vec<u8>,
    originals: HashSet<u64, FxBuildHasher>,
    distinct: usize,
    /// The key of every turn.
    turns: Vec<Key>,
}

impl Pseudonyms {
    /// For the originals of a column. None when it has no values, so that there is nothing to replace.
    ///
    /// # Errors
    /// Too many originals for their shape.
    pub fn new(key: &Key, originals: Originals) -> Result<Option<Self>> {
        let Originals { shape: Some(shape), values, distinct } = originals else { return Ok(None) };
        if distinct as u128 > shape.values() / ROOM {
            return Err(crowded(&shape, distinct));
        }
        // The turn and the shape go into the key once instead of into every round.
        let turn = |turn: usize| {
            let name = [b"throng substitute", &[turn as u8] as &[u8], shape.to_string().as_bytes()].concat();
            Key::of(&key.hmac(&[&name]))
        };
        let turns = (0..TURNS).map(turn).collect();
        Ok(Some(Pseudonyms { sizes: shape.sizes(), shape, originals: values, distinct, turns }))
    }

    /// The made-up value for an original.
    ///
    /// # Errors
    /// A value that is not among the originals.
    pub fn replace(&self, original: &str) -> Result<String> {
        let numbers = self.shape.numbers(original).filter(|_| self.originals.contains(&hash(original)));
        let Some(numbers) = numbers else {
            return Err(Fault::data("the table changed while it was being released")
                .help("release a copy that nobody writes to")
                .into());
        };
        for turn in 0..TURNS {
            let made = self.forward(turn, numbers.clone());
            if self.free(turn, &made) {
                return Ok(self.shape.text(&made));
            }
        }
        Err(crowded(&self.shape, self.distinct))
    }

    /// Whether the outcome of a turn is neither an original nor taken by an original at an earlier turn.
    fn free(&self, turn: usize, made: &[u8]) -> bool {
        let taken = |earlier: usize| self.arrives(earlier, &self.backward(earlier, made.to_vec()));
        !self.is_original(made) && !(0..turn).any(taken)
    }

    /// Whether a value is an original that no earlier turn has served.
    fn arrives(&self, turn: usize, numbers: &[u8]) -> bool {
        let served = |earlier: usize| self.free(earlier, &self.forward(earlier, numbers.to_vec()));
        self.is_original(numbers) && !(0..turn).any(served)
    }

    fn is_original(&self, numbers: &[u8]) -> bool {
        self.originals.contains(&hash(&self.shape.text(numbers)))
    }

    /// The network of a turn.
    fn forward(&self, turn: usize, mut numbers: Vec<u8>) -> Vec<u8> {
        (0..ROUNDS).for_each(|round| self.round(turn, round, &mut numbers, |a, b, size| (a + b) % size));
        numbers
    }

    /// The network of a turn, undone.
    fn backward(&self, turn: usize, mut numbers: Vec<u8>) -> Vec<u8> {
        let undo = |a: u32, b: u32, size: u32| (a + size - b) % size;
        (0..ROUNDS).rev().for_each(|round| self.round(turn, round, &mut numbers, undo));
        numbers
    }

    /// Changes one half, sign by sign, by what the key makes of the other.
    fn round(&self, turn: usize, round: u8, numbers: &mut [u8], change: impl Fn(u32, u32, u32) -> u32) {
        // The first half is the longer one, so that a single sign is in it.
        let middle = numbers.len().div_ceil(2);
        let (first, second) = numbers.split_at_mut(middle);
        let (first_sizes, second_sizes) = self.sizes.split_at(middle);
        let (changed, sizes, other) = match round % 2 {
            0 => (first, first_sizes, second),
            _ => (second, second_sizes, first),
        };
        for (block, (signs, sizes)) in changed.chunks_mut(8).zip(sizes.chunks(8)).enumerate() {
            let code = self.turns[turn].hmac(&[&[round], &(block as u32).to_be_bytes(), other]);
            for ((sign, size), word) in signs.iter_mut().zip(sizes).zip(code.chunks(4)) {
                // 32 bits for 26 signs or fewer: no sign is likelier than another by more than 1 in 10⁸.
                let word = word.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
                let size = u32::from(*size);
                *sign = change(u32::from(*sign), word % size, size) as u8;
            }
        }
    }
}

fn crowded(shape: &Shape, taken: usize) -> Error {
    Fault::data(format!(
        "there are {taken} values written as {shape}, of {} that can be: too many to make up others",
        shape.values()
    ))
    .help("leave out `transform`, so that the column is removed, or write the values longer")
    .into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 4231, test cases 1, 2 and 6.
    #[test]
    fn the_code_is_hmac_sha256() {
        let code = |key: &[u8], text: &str| hex(&Key::of(key).hmac(&[text.as_bytes()]));
        assert_eq!(
            code(&[0x0b; 20], "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            code(b"Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            code(&[0xaa; 131], "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    fn pseudonyms(key: &str, values: &[String]) -> Result<Option<Pseudonyms>> {
        let mut originals = Originals::new();
        values.iter().try_for_each(|value| originals.add(value))?;
        Pseudonyms::new(&Key::new(key.as_bytes())?, originals)
    }

    const KEY: &str = "a key of 24 bytes, or so";

    fn all(key: &str, values: &[String]) -> Vec<String> {
        let pseudonyms = pseudonyms(key, values).unwrap().unwrap();
        values.iter().map(|value| pseudonyms.replace(value).unwrap()).collect()
    }

    /// Written so that a reader can see it: digits for digits, letters for letters.
    fn alike(a: &str, b: &str) -> bool {
        let class = |c: char| match c {
            c if c.is_ascii_digit() => '9',
            c if c.is_ascii_lowercase() => 'a',
            c if c.is_ascii_uppercase() => 'A',
            c => c,
        };
        a.chars().map(class).eq(b.chars().map(class))
    }

    /// Values of one shape: up to a quarter of all there are.
    fn values() -> impl Strategy<Value = Vec<String>> {
        let shape = prop_oneof![
            "[0-9]{2}",
            "[0-9]{9}",
            "[a-z][0-9]",
            "[A-Z]{2}-[0-9]{3}/[a-z]é?".prop_map(|s| s.replace('é', "!")),
            "[a-zA-Z0-9._]{3,40}"
        ];
        (shape, 1usize..26, any::<u64>()).prop_map(|(model, count, dice)| {
            let shape = Shape::of(&format!("{model}0")).unwrap();
            let count = count.min((shape.values() / ROOM) as usize);
            let mut dice = dice;
            let mut values = BTreeSet::new();
            while values.len() < count {
                let sign = |size: &u8| {
                    dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    ((dice >> 33) % u64::from(*size)) as u8
                };
                let numbers: Vec<u8> = shape.sizes().iter().map(sign).collect();
                values.insert(shape.text(&numbers));
            }
            values.into_iter().collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn made_up_values_are_other_values_one_for_one(values in values()) {
            let made = all(KEY, &values);
            let originals: BTreeSet<&String> = values.iter().collect();
            let distinct: BTreeSet<&String> = made.iter().collect();
            prop_assert_eq!(distinct.len(), values.len(), "two values became one");
            prop_assert!(originals.is_disjoint(&distinct), "a made-up value is a real one");
            for (value, made) in values.iter().zip(&made) {
                prop_assert!(alike(value, made), "{} became {}", value, made);
            }
            // The order in which values are met does not matter.
            let mut reversed = values.clone();
            reversed.reverse();
            let mut again = all(KEY, &reversed);
            again.reverse();
            prop_assert_eq!(made, again);
        }

        #[test]
        fn every_turn_is_a_permutation(turn in 0..TURNS, values in values()) {
            let pseudonyms = pseudonyms(KEY, &values).unwrap().unwrap();
            for value in &values {
                let numbers = pseudonyms.shape.numbers(value).unwrap();
                let there = pseudonyms.forward(turn, numbers.clone());
                prop_assert_eq!(pseudonyms.backward(turn, there), numbers);
            }
        }
    }

    #[test]
    fn a_quarter_of_all_values_finds_room() {
        for digits in 1..=4usize {
            let count = 10usize.pow(digits as u32) / 4;
            let values: Vec<String> = (0..count).map(|i| format!("{i:0digits$}")).collect();
            let made: BTreeSet<String> = all(KEY, &values).into_iter().collect();
            assert_eq!(made.len(), count);
            assert!(values.iter().all(|value| !made.contains(value)));
            let more: Vec<String> = (0..=count).map(|i| format!("{i:0digits$}")).collect();
            let error = pseudonyms(KEY, &more).unwrap_err().to_string();
            assert!(error.contains(&"9".repeat(digits)) && error.contains("too many"), "{error}");
        }
    }

    #[test]
    fn the_same_key_gives_the_same_value_in_every_table() {
        let table: Vec<String> = (0..500).map(|i| format!("{:09}", i * 1_234_567)).collect();
        let (whole, part) = (all(KEY, &table), all(KEY, &table[100..200]));
        assert_eq!(whole[100..200], part);
        let other = all("another key of some bytes", &table);
        let same = whole.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert_eq!(same, 0, "another key must give other values");
    }

    #[test]
    fn a_value_that_meets_an_original_takes_another_turn() {
        let one = vec!["000000123".to_owned()];
        let first = all(KEY, &one)[0].clone();
        // The made-up value is now a real one, and needs a made-up value too.
        let both = all(KEY, &[one[0].clone(), first.clone()]);
        assert!(both[0] != first && both[1] != first && both[0] != both[1] && !both.contains(&one[0]));
    }

    #[test]
    fn a_text_to_avoid_is_not_made_up() {
        let one = "000000123".to_owned();
        let first = all(KEY, std::slice::from_ref(&one))[0].clone();
        let mut originals = Originals::new();
        originals.add(&one).unwrap();
        originals.avoid(&first);
        let key = Key::new(KEY.as_bytes()).unwrap();
        assert_ne!(Pseudonyms::new(&key, originals).unwrap().unwrap().replace(&one).unwrap(), first);
    }

    /// Pinned, because whoever joins releases relies on it; a second program came to the same.
    #[test]
    fn a_known_key_and_value_give_a_known_answer() {
        let made = all(KEY, &["AB-123-xyz".to_owned()]);
        assert_eq!(made, ["KF-243-yav"]);
    }

    #[test]
    fn signs_come_evenly() {
        // 2,000 values: every digit about 200 times at every place; 5 deviations are 67.
        let values: Vec<String> = (0..2000).map(|i| format!("{i:06}")).collect();
        let made = all(KEY, &values);
        for place in 0..6 {
            let mut counts = [0i32; 10];
            made.iter().for_each(|value| counts[usize::from(value.as_bytes()[place] - b'0')] += 1);
            assert!(counts.iter().all(|count| (count - 200).abs() < 67), "place {place}: {counts:?}");
        }
    }

    #[test]
    fn what_cannot_be_replaced_is_refused_and_not_quoted() {
        let error = |values: &[&str]| {
            let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            pseudonyms(KEY, &values).unwrap_err().to_string()
        };
        let text = error(&["123-45", "123-456"]);
        assert!(text.contains("999-99") && text.contains("999-999") && !text.contains("123"), "{text}");
        assert!(error(&["1234", "12a4"]).contains("one as 9999, one as 99a9"));
        assert!(error(&["--"]).contains("no letter and no digit"));
        assert!(error(&[""]).contains("input.null"));
        let text = error(&["Zoë"]);
        assert!(text.contains("not ASCII") && !text.contains("Zo"), "{text}");
        assert!(pseudonyms(KEY, &[]).unwrap().is_none());
        let stranger = pseudonyms(KEY, &["1234567".to_owned()]).unwrap().unwrap();
        assert!(stranger.replace("7654321").unwrap_err().to_string().contains("changed"));
    }

    #[test]
    fn a_short_key_is_refused_and_no_key_is_shown() {
        let error = Key::new(b"fifteen bytes!!").unwrap_err().to_string();
        assert!(error.contains("15 bytes") && error.contains("openssl") && !error.contains("fifteen"));
        assert_eq!(format!("{:?}", Key::new(KEY.as_bytes()).unwrap()), "Key");
        assert!(!format!("{:?}", pseudonyms(KEY, &["123456".to_owned()]).unwrap()).contains(KEY));
    }
}
