//! Made-up names, streets and places that take the place of real ones.
//!
//! `knowledge/build.py` makes them from the letters that follow each other in real names, and drops
//! everything that its sources have as a name, a place or a word. Lists are sorted, and every
//! letter of the alphabet starts some entries, so that a replacement can keep an initial.

use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::lexicon::Sex;

mod combine;
#[cfg(test)]
mod tests;

pub use combine::{companies, institutions, schools, streets, teams};

macro_rules! embedded {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub fn $name() -> &'static [&'static str] {
            static LIST: OnceLock<Vec<&'static str>> = OnceLock::new();
            LIST.get_or_init(|| include_str!(concat!("../../knowledge/surrogates/", $file)).lines().collect())
        })*
    };
}

embedded! {
    /// First names for women.
    female_names = "first-female.txt";
    /// First names for men.
    male_names = "first-male.txt";
    /// Last names.
    last_names = "last.txt";
    /// Cities.
    cities = "cities.txt";
    /// Names that streets, hospitals, schools and companies are called after.
    stems = "stems.txt";
}

/// First names of a sex.
pub fn first_names(sex: Sex) -> &'static [&'static str] {
    match sex {
        Sex::Female => female_names(),
        Sex::Male => male_names(),
    }
}

/// Chooses an entry of a sorted list by a keyed hash of `value`. With an initial, only entries that
/// start with it are considered, if there are any. `attempt` gives another entry where the first
/// one may not be used.
pub fn choose<'a>(list: &[&'a str], key: &[u8], value: &str, initial: Option<char>, attempt: u32) -> &'a str {
    let mine = initial.map(|initial| with_initial(list, initial)).filter(|mine| !mine.is_empty());
    let mine = mine.unwrap_or(list);
    let mut hasher = Sha256::new();
    for part in [key, value.as_bytes(), &attempt.to_le_bytes()] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let digest = hasher.finalize();
    let number = digest.iter().take(8).fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    mine.get((number % mine.len().max(1) as u64) as usize).copied().unwrap_or_default()
}

/// The entries that start with a letter.
fn with_initial<'a, 'b>(list: &'b [&'a str], initial: char) -> &'b [&'a str] {
    let initial = initial.to_ascii_uppercase();
    let start = list.partition_point(|entry| entry.chars().next() < Some(initial));
    let end = list.partition_point(|entry| entry.chars().next() <= Some(initial));
    &list[start..end]
}
