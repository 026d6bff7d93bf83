//! Numbers and codes keep their format: a digit for every digit, a letter for every letter, keyed.

use super::key::{Key, Stream};

/// The letters and digits of a value: what the same number with other separators has in common.
pub fn compact(value: &str) -> String {
    if value.is_ascii() {
        let signs = value.bytes().filter(u8::is_ascii_alphanumeric);
        let mut compact = String::with_capacity(value.len());
        signs.for_each(|sign| compact.push(char::from(sign.to_ascii_lowercase())));
        return compact;
    }
    value.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether the letters and digits of a value are these.
fn is_compact(value: &str, same: &str) -> bool {
    match value.is_ascii() {
        true => {
            let signs = value.bytes().filter(u8::is_ascii_alphanumeric);
            signs.map(|sign| sign.to_ascii_lowercase()).eq(same.bytes())
        }
        false => compact(value) == same,
    }
}

/// A made-up number in the format of a value, different from it.
pub fn number(key: &Key, purpose: &str, value: &str) -> String {
    let same = compact(value);
    (0..8)
        .map(|attempt| keyed(key, purpose, &same, value, attempt, 26))
        .find(|made| !is_compact(made, &same))
        .unwrap_or_else(|| "*".to_owned())
}

/// The same with hexadecimal digits for letters.
pub fn hexadecimal(key: &Key, purpose: &str, value: &str) -> String {
    keyed(key, purpose, &compact(value), value, 0, 6)
}

fn keyed(key: &Key, purpose: &str, same: &str, value: &str, attempt: u32, letters: u32) -> String {
    let mut stream = Stream::new(key, purpose, same, attempt);
    let mut leading = true;
    let sign = |sign: char| {
        let base = match sign {
            // A zero in front may be a trunk prefix and stays; no other number starts with one.
            '0' if leading => return '0',
            '0'..='9' if leading => {
                leading = false;
                return char::from(b'1' + stream.below(9) as u8);
            }
            '0'..='9' => return char::from(b'0' + stream.below(10) as u8),
            'a'..='z' => b'a',
            'A'..='Z' => b'A',
            // A letter without a known alphabet becomes one of ours.
            _ if sign.is_alphabetic() => b'x',
            _ => return sign,
        };
        leading = false;
        char::from(base + stream.below(if base == b'x' { 1 } else { letters }) as u8)
    };
    let mut made = String::with_capacity(value.len());
    made.extend(value.chars().map(sign));
    made
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key() -> Key {
        Key::new(b"a key of 24 bytes, or so")
    }

    #[test]
    fn separators_do_not_change_the_number() {
        let plain = number(&key(), "phone", "6175551234");
        assert_eq!(compact(&number(&key(), "phone", "(617) 555-1234")), plain);
        assert_ne!(plain, number(&key(), "record", "6175551234"));
        assert_eq!(number(&key(), "x", "7").len(), 1);
        assert_ne!(number(&key(), "x", "7"), "7");
    }

    proptest! {
        #[test]
        fn compact_is_letters_and_digits(value in "[0-9A-Za-z()é +.-]{0,12}") {
            let signs = value.chars().filter(|sign| sign.is_alphanumeric());
            let same: String = signs.flat_map(char::to_lowercase).collect();
            prop_assert_eq!(&compact(&value), &same);
            prop_assert!(is_compact(&value, &same) && !is_compact(&value, &(same.clone() + "0")));
        }

        #[test]
        fn format_is_kept(value in "[0-9A-Za-z()+. /-]{0,20}") {
            let made = number(&key(), "record", &value);
            let shape = |text: &str| -> String {
                text.chars().map(|sign| match sign {
                    '0'..='9' => '9',
                    'a'..='z' => 'a',
                    'A'..='Z' => 'A',
                    other => other,
                }).collect()
            };
            if made != "*" {
                prop_assert_eq!(shape(&made), shape(&value));
                prop_assert!(made != value);
            }
        }
    }
}
