//! Made-up places, institutions and addresses of the net.

use super::key::{Key, Stream};
use super::names::{cased, entry};
use super::number;
use super::source::Source;
use crate::lexicon;
use crate::span::Kind;
use crate::surrogates;

/// A made-up institution, employer, school, team or city.
pub fn named(key: &Key, kind: Kind, text: &str, source: &Source) -> Option<String> {
    let folded = lexicon::folded(text);
    let single = !text.contains(' ');
    let possessive = text.ends_with("'s") || text.ends_with("’s");
    let list = match kind {
        Kind::City => surrogates::cities(),
        _ if single => surrogates::stems(),
        Kind::Employer => surrogates::companies(),
        Kind::School => surrogates::schools(),
        Kind::Team => surrogates::teams(),
        _ => surrogates::institutions(),
    };
    let made = cased(entry(key, kind.as_str(), list, &folded, source)?, text);
    Some(if single && possessive { made + "'s" } else { made })
}

/// A made-up street: the same places for numbers, another name.
pub fn street(key: &Key, text: &str, source: &Source) -> Option<String> {
    let lower = text.to_lowercase();
    if lower.contains("box") || lower.contains("postfach") || lower.contains("postbus") {
        let from = text.find(|sign: char| sign.is_ascii_digit())?;
        return Some(format!("{}{}", &text[..from], number::number(key, "box", &text[from..])));
    }
    let name = cased(entry(key, "street", surrogates::streets(), &lexicon::folded(text), source)?, text);
    let digits: String = text
        .chars()
        .skip_while(|sign| !sign.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .take(6)
        .collect();
    if digits.is_empty() {
        return Some(name);
    }
    let house = number::number(key, "house", &digits);
    let first = text.starts_with(|sign: char| sign.is_ascii_digit());
    Some(if first { [&house, " ", &name].concat() } else { [&name, " ", &house].concat() })
}

/// Another ward: other digits, or another name.
pub fn ward(key: &Key, text: &str, source: &Source) -> Option<String> {
    if let Some(from) = text.find(|sign: char| sign.is_ascii_digit()) {
        let digits: String = text[from..].chars().take_while(char::is_ascii_digit).collect();
        let rest = &text[from + digits.len()..];
        return Some(format!("{}{}{rest}", &text[..from], number::number(key, "ward", &digits)));
    }
    let stem = entry(key, "ward", surrogates::stems(), &lexicon::folded(text), source)?;
    let head = text.rsplit(' ').next().filter(|head| *head != text).unwrap_or("Ward");
    Some(cased(&format!("{stem} {head}"), text))
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
    let folded = lexicon::folded(text);
    let mut stream = Stream::new(key, kind.as_str(), &folded, 0);
    let others: Vec<&&str> = list.iter().filter(|name| !name.eq_ignore_ascii_case(text)).collect();
    let made = others.get(stream.below(others.len() as u32) as usize)?;
    Some(cased(made, text))
}

/// A made-up address at a domain that nobody has.
pub fn email(key: &Key, text: &str, source: &Source) -> Option<String> {
    let folded = lexicon::folded(text);
    let name = entry(key, "email", surrogates::last_names(), &folded, source)?.to_lowercase();
    let number = Stream::new(key, "email number", &folded, 0).below(90) + 10;
    if text.starts_with('@') {
        return Some(format!("@{name}{number}"));
    }
    Some(format!("{name}{number}@example.org"))
}

/// A made-up address in the web.
pub fn url(key: &Key, text: &str) -> String {
    let scheme = text.find("://").map_or("", |at| &text[..at + 3]);
    let letters = number::number(key, "url", "aaaaaa");
    let mut stream = Stream::new(key, "path", text, 0);
    let path: String = letters.chars().map(|_| char::from(b'a' + stream.below(26) as u8)).collect();
    format!("{scheme}www.example.org/{path}")
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
