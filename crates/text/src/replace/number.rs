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

/// Calls with the letters and digits of a value. Allocates nothing for a usual value.
pub fn with_compact<T>(value: &str, call: impl FnOnce(&str) -> T) -> T {
    let mut bytes = [0; 32];
    if value.len() > bytes.len() || !value.is_ascii() {
        return call(&compact(value));
    }
    let mut length = 0;
    for sign in value.bytes() {
        bytes[length] = sign.to_ascii_lowercase();
        length += usize::from(sign.is_ascii_alphanumeric());
        // The last sign leaves no room for another one.
        if length == bytes.len() {
            break;
        }
    }
    match std::str::from_utf8(&bytes[..length]) {
        Ok(compact) => call(compact),
        Err(_) => call(&compact(value)),
    }
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
    let mut made = String::with_capacity(value.len());
    push(key, purpose, value, &mut made);
    made
}

/// Adds a made-up number in the format of a value, different from it.
pub fn push(key: &Key, purpose: &str, value: &str, made: &mut String) {
    let from = made.len();
    with_compact(value, |same| {
        for attempt in 0..8 {
            push_keyed(Stream::new(key, purpose, same, attempt), value, 26, made);
            if !is_compact(&made[from..], same) {
                return;
            }
            made.truncate(from);
        }
        made.push('*');
    });
}

/// The same with hexadecimal digits for letters.
pub fn hexadecimal(key: &Key, purpose: &str, value: &str) -> String {
    let mut made = String::with_capacity(value.len());
    with_compact(value, |same| push_keyed(Stream::new(key, purpose, same, 0), value, 6, &mut made));
    made
}

fn push_keyed(mut stream: Stream<'_>, value: &str, letters: u32, made: &mut String) {
    let mut leading = true;
    made.extend(value.chars().map(|sign| {
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
    }));
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
        fn compact_is_letters_and_digits(value in "[0-9A-Za-z()é +.-]{0,12}|[0-9A-Z-]{28,36}") {
            let signs = value.chars().filter(|sign| sign.is_alphanumeric());
            let same: String = signs.flat_map(char::to_lowercase).collect();
            prop_assert_eq!(&compact(&value), &same);
            let padded = format!("{value}{}", "-".repeat(32 - value.len().min(32)));
            with_compact(&value, |own| assert_eq!(own, same));
            with_compact(&padded, |own| assert_eq!(own, same));
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
