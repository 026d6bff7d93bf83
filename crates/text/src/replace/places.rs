//! Made-up places, institutions and addresses of the net.

use super::key::{Key, Stream};
use super::names::{entry, push_cased_as};
use super::number;
use super::source::Source;
use crate::lexicon;
use crate::span::Kind;
use crate::surrogates;

/// A made-up institution, employer, school, team or city.
pub fn named(key: &Key, kind: Kind, text: &str, source: &Source) -> Option<String> {
    let single = !text.as_bytes().contains(&b' ');
    let possessive = text.ends_with("'s") || text.ends_with("’s");
    let list = match kind {
        Kind::City => surrogates::cities(),
        _ if single => surrogates::stems(),
        Kind::Employer => surrogates::companies(),
        Kind::School => surrogates::schools(),
        Kind::Team => surrogates::teams(),
        _ => surrogates::institutions(),
    };
    let entry = lexicon::with_folded(text, |folded| entry(key, kind.as_str(), list, folded, source))?;
    let mut made = String::with_capacity(entry.len() + 2);
    push_cased_as(entry, text, &mut made);
    if single && possessive {
        made.push_str("'s");
    }
    Some(made)
}

/// The first word of what is made up for a whole organization, in the case of a mention.
pub fn beginning(key: &Key, kind: Kind, whole: &str, text: &str, source: &Source) -> Option<String> {
    let made = named(key, kind, whole, source)?;
    let mut first = String::new();
    push_cased_as(made.split(' ').next()?, text, &mut first);
    Some(first)
}

/// A made-up street: the same places for numbers, another name.
pub fn street(key: &Key, text: &str, source: &Source) -> Option<String> {
    if is_box(text) {
        let from = text.find(|sign: char| sign.is_ascii_digit())?;
        let mut made = text[..from].to_owned();
        number::push(key, "box", &text[from..], &mut made);
        return Some(made);
    }
    let streets = surrogates::streets();
    let name = lexicon::with_folded(text, |folded| entry(key, "street", streets, folded, source))?;
    let mut made = String::with_capacity(name.len() + 7);
    let digits = digits(text);
    let digits = &digits[..digits.len().min(6)];
    if !digits.is_empty() && text.starts_with(digits) {
        number::push(key, "house", digits, &mut made);
        made.push(' ');
        push_cased_as(name, text, &mut made);
        return Some(made);
    }
    push_cased_as(name, text, &mut made);
    if !digits.is_empty() {
        made.push(' ');
        number::push(key, "house", digits, &mut made);
    }
    Some(made)
}

/// The first digits of a text.
fn digits(text: &str) -> &str {
    let bytes = text.as_bytes();
    let from = bytes.iter().position(u8::is_ascii_digit).unwrap_or(bytes.len());
    let length = bytes[from..].iter().position(|sign| !sign.is_ascii_digit());
    &text[from..length.map_or(bytes.len(), |length| from + length)]
}

/// Whether an address is a box at a post office.
fn is_box(text: &str) -> bool {
    const WORDS: [&str; 3] = ["box", "postfach", "postbus"];
    if !text.is_ascii() {
        let lower = text.to_lowercase();
        return WORDS.iter().any(|word| lower.contains(word));
    }
    let starts = |rest: &[u8], word: &str| {
        rest.get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word.as_bytes()))
    };
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, sign)| {
        matches!(sign, b'b' | b'B' | b'p' | b'P') && WORDS.iter().any(|word| starts(&bytes[at..], word))
    })
}

/// Another ward: other digits, or another name.
pub fn ward(key: &Key, text: &str, source: &Source) -> Option<String> {
    if let Some(from) = text.find(|sign: char| sign.is_ascii_digit()) {
        let digits = digits(text);
        let mut made = text[..from].to_owned();
        number::push(key, "ward", digits, &mut made);
        made.push_str(&text[from + digits.len()..]);
        return Some(made);
    }
    let stem = lexicon::with_folded(text, |folded| entry(key, "ward", surrogates::stems(), folded, source))?;
    let head = text.rsplit(' ').next().filter(|head| *head != text).unwrap_or("Ward");
    let mut made = String::new();
    push_cased_as(&[stem, " ", head].concat(), text, &mut made);
    Some(made)
}

const CODES: [&str; 50] = [
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY",
    "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND",
    "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
];
const STATES: [&str; 24] = [
    "Alabama",
    "Alaska",
    "Arizona",
    "Arkansas",
    "Colorado",
    "Connecticut",
    "Delaware",
    "Florida",
    "Idaho",
    "Illinois",
    "Indiana",
    "Iowa",
    "Kansas",
    "Kentucky",
    "Maine",
    "Michigan",
    "Minnesota",
    "Missouri",
    "Montana",
    "Nebraska",
    "Nevada",
    "Ohio",
    "Oregon",
    "Vermont",
];
const COUNTRIES: [&str; 24] = [
    "Argentina",
    "Austria",
    "Belgium",
    "Bolivia",
    "Brazil",
    "Bulgaria",
    "Canada",
    "Chile",
    "Colombia",
    "Croatia",
    "Denmark",
    "Ecuador",
    "Estonia",
    "Finland",
    "Greece",
    "Hungary",
    "Iceland",
    "Kenya",
    "Latvia",
    "Malaysia",
    "Norway",
    "Peru",
    "Portugal",
    "Sweden",
];

/// Another state or country, in the same form.
pub fn region(key: &Key, kind: Kind, text: &str) -> Option<String> {
    let list: &[&str] = match kind {
        Kind::State if text.len() == 2 => &CODES,
        Kind::State => &STATES,
        _ => &COUNTRIES,
    };
    let place = |others: usize| {
        let draw = |folded: &str| Stream::new(key, kind.as_str(), folded, 0).below(others as u32);
        lexicon::with_folded(text, draw) as usize
    };
    // Names of a list are different: at most one of them is the text.
    let own = list.iter().position(|name| name.eq_ignore_ascii_case(text));
    let chosen = match own {
        None => place(list.len()),
        Some(own) => {
            let place = place(list.len() - 1);
            place + usize::from(place >= own)
        }
    };
    let mut made = String::new();
    push_cased_as(list.get(chosen)?, text, &mut made);
    Some(made)
}

/// A made-up address at a domain that nobody has.
pub fn email(key: &Key, text: &str, source: &Source) -> Option<String> {
    let (name, number) = lexicon::with_folded(text, |folded| {
        let name = entry(key, "email", surrogates::last_names(), folded, source)?;
        Some((name, Stream::new(key, "email number", folded, 0).below(90) + 10))
    })?;
    let handle = text.starts_with('@');
    let mut made = String::with_capacity(name.len() + 15);
    made.push_str(if handle { "@" } else { "" });
    made.extend(name.chars().flat_map(char::to_lowercase));
    made.extend([number / 10, number % 10].map(|digit| char::from(b'0' + digit as u8)));
    made.push_str(if handle { "" } else { "@example.org" });
    Some(made)
}

/// A made-up address in the web.
pub fn url(key: &Key, text: &str) -> String {
    let scheme = text.find("://").map_or("", |at| &text[..at + 3]);
    let mut stream = Stream::new(key, "path", text, 0);
    let mut made = String::with_capacity(scheme.len() + 22);
    made.push_str(scheme);
    made.push_str("www.example.org/");
    made.extend((0..6).map(|_| char::from(b'a' + stream.below(26) as u8)));
    made
}

/// A made-up address of a computer in a private network.
pub fn ip(key: &Key, text: &str) -> String {
    if text.contains(':') {
        return number::hexadecimal(key, "ip", text);
    }
    let mut stream = Stream::new(key, "ip", text, 0);
    let mut byte = || stream.below(254) + 1;
    format!("10.{}.{}.{}", byte(), byte(), byte())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key::new(b"a key of 24 bytes, or so")
    }

    #[test]
    fn forms_are_kept() {
        let none = Source::default();
        assert_eq!(region(&key(), Kind::State, "MA").unwrap().len(), 2);
        assert!(region(&key(), Kind::State, "ARIZONA").unwrap().chars().all(char::is_uppercase));
        assert!(
            street(&key(), "12 Main Street", &none).unwrap().starts_with(|sign: char| sign.is_ascii_digit())
        );
        assert!(street(&key(), "PO Box 4471", &none).unwrap().starts_with("PO Box "));
        assert!(ward(&key(), "Ward 9 West", &none).unwrap().ends_with(" West"));
        assert!(named(&key(), Kind::Institution, "Brigham's", &none).unwrap().ends_with("'s"));
        assert!(email(&key(), "a.b@c.org", &none).unwrap().ends_with("@example.org"));
        assert!(ip(&key(), "8.8.8.8").starts_with("10."));
        assert!(url(&key(), "https://x.org/a").starts_with("https://www.example.org/"));
    }
}
