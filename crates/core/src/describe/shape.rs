//! The syntactic shape of one value: a number, a date, an e-mail address, a postal code, ….
//!
//! Every pattern is one bit, so the patterns that *all* values of a column match are the AND over
//! its values. Only patterns that still fit are tried: a column of names soon has none, and a value
//! then costs next to nothing. Patterns are matched byte by byte, without allocation or regular
//! expressions.

use std::net::{Ipv4Addr, Ipv6Addr};

use chrono::NaiveDate;

use super::dates::{self, FORMATS};

/// A set of patterns.
pub(super) type Shapes = u64;

/// The patterns with their bits.
pub(super) mod bit {
    use super::Shapes;

    /// A whole number without leading zeros, of up to 18 digits; spaces around it do not matter.
    pub const INTEGER: Shapes = 1;
    /// A finite number; spaces around it do not matter.
    pub const NUMBER: Shapes = 1 << 1;
    /// Yes or no in some words.
    pub const BOOLEAN: Shapes = 1 << 2;
    /// Two or more digits and nothing else; leading zeros are digits.
    pub const DIGITS: Shapes = 1 << 3;
    /// Letters and digits, at least one digit, no space.
    pub const CODE: Shapes = 1 << 4;
    pub const EMAIL: Shapes = 1 << 5;
    pub const URL: Shapes = 1 << 6;
    pub const IP: Shapes = 1 << 7;
    pub const MAC: Shapes = 1 << 8;
    pub const UUID: Shapes = 1 << 9;
    pub const SSN: Shapes = 1 << 10;
    pub const PHONE: Shapes = 1 << 11;
    pub const IBAN: Shapes = 1 << 12;
    /// A vehicle identification number.
    pub const VIN: Shapes = 1 << 13;
    /// Five digits, or five and four.
    pub const ZIP: Shapes = 1 << 14;
    pub const POSTAL_CA: Shapes = 1 << 15;
    pub const POSTAL_UK: Shapes = 1 << 16;
    pub const ICD9: Shapes = 1 << 17;
    pub const ICD10: Shapes = 1 << 18;
    /// An ICD-10 code with its dot, which hardly anything else looks like.
    pub const ICD10_DOT: Shapes = 1 << 19;
    /// A time of day with two digits for each part.
    pub const TIME: Shapes = 1 << 23;
    /// A number without a fraction, however it is written: 3, 3.0, 1e3.
    pub const WHOLE: Shapes = 1 << 20;
    /// A substance of the ATC classification: A10BA02.
    pub const ATC: Shapes = 1 << 21;
    /// A class of the NACE classification: 62.01.
    pub const NACE: Shapes = 1 << 22;
    /// The first of the date formats; the others follow in their order.
    pub const DATE: u32 = 32;
    /// All date formats.
    pub const DATES: Shapes = ((1 << super::FORMATS.len()) - 1) << DATE;
    /// Every pattern.
    pub const ALL: Shapes = ((1 << 24) - 1) | DATES;
}

/// What a value looks like.
pub(super) struct Look {
    /// The patterns that it matches, among those requested.
    pub shapes: Shapes,
    /// The number that it is.
    pub number: Option<f64>,
    /// The day that it is, per format.
    pub days: [Option<NaiveDate>; FORMATS.len()],
}

/// Tries the patterns in `wanted`.
pub(super) fn look(value: &str, wanted: Shapes) -> Look {
    let mut look = Look { shapes: 0, number: None, days: [None; FORMATS.len()] };
    if wanted & (bit::NUMBER | bit::INTEGER | bit::WHOLE) != 0 {
        look.number = number(value);
    }
    if let Some(number) = look.number {
        look.shapes |= bit::NUMBER & wanted;
        look.shapes |= if number.fract() == 0.0 { bit::WHOLE & wanted } else { 0 };
    }
    for (shape, fits) in TESTS {
        if wanted & shape != 0 && fits(value) {
            look.shapes |= shape;
        }
    }
    if wanted & bit::DATES != 0 {
        for (format, day) in look.days.iter_mut().enumerate() {
            let shape = 1 << (bit::DATE + format as u32);
            if wanted & shape != 0 {
                *day = dates::read(value, format);
                look.shapes |= if day.is_some() { shape } else { 0 };
            }
        }
    }
    look
}

/// A pattern with its test.
type Test = (Shapes, fn(&str) -> bool);

const TESTS: [Test; 22] = [
    (bit::INTEGER, integer),
    (bit::BOOLEAN, boolean),
    (bit::DIGITS, |v| v.len() > 1 && digits(v.as_bytes())),
    (bit::CODE, code),
    (bit::EMAIL, email),
    (bit::URL, url),
    (bit::IP, ip),
    (bit::MAC, mac),
    (bit::UUID, uuid),
    (bit::SSN, |v| like(v, "ddd-dd-dddd")),
    (bit::PHONE, phone),
    (bit::IBAN, iban),
    (bit::VIN, vin),
    (bit::ZIP, |v| like(v, "ddddd") || like(v, "ddddd-dddd")),
    (bit::POSTAL_CA, |v| like(v, "ldl dld") || like(v, "ldldld")),
    (bit::POSTAL_UK, postal_uk),
    (bit::ICD9, icd9),
    (bit::ICD10, |v| icd10(v).is_some()),
    (bit::ICD10_DOT, |v| icd10(v) == Some(true)),
    (bit::TIME, time),
    (bit::ATC, |v| like(v, "lddlldd")),
    (bit::NACE, |v| like(v, "dd.dd")),
];

/// The finite number that a text is, spaces around it aside: as hierarchies read numbers.
pub(super) fn number(value: &str) -> Option<f64> {
    let text = value.trim();
    // Keeps out `inf` and `nan`, and saves the attempt for nearly all texts.
    let first = text.bytes().find(|b| !matches!(b, b'+' | b'-' | b'.'))?;
    if !first.is_ascii_digit() {
        return None;
    }
    text.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x + 0.0)
}

fn integer(value: &str) -> bool {
    let text = value.trim();
    let text = text.strip_prefix('-').unwrap_or(text).as_bytes();
    (1..=18).contains(&text.len()) && digits(text) && (text[0] != b'0' || text.len() == 1)
}

fn time(value: &str) -> bool {
    let part = |from: usize, most: &str| value.get(from..from + 2).is_some_and(|part| part <= most);
    (like(value, "dd:dd") || like(value, "dd:dd:dd") && part(6, "59")) && part(0, "23") && part(3, "59")
}

/// Whether a value says yes or no.
pub(super) fn boolean(value: &str) -> bool {
    const WORDS: [&str; 18] = [
        "0", "1", "f", "t", "n", "y", "no", "yes", "false", "true", "nein", "ja", "non", "oui", "si", "sí",
        "off", "on",
    ];
    value.len() <= 5 && WORDS.iter().any(|w| w.eq_ignore_ascii_case(value))
}

fn digits(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}

fn code(value: &str) -> bool {
    let bytes = value.as_bytes();
    (2..=20).contains(&bytes.len())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'/' | b'_'))
        && bytes.iter().any(u8::is_ascii_digit)
}

/// Whether a value is as long as the pattern and fits it: `d` digit, `l` letter, `x` hexadecimal
/// digit, all else stands for itself.
fn like(value: &str, pattern: &str) -> bool {
    value.len() == pattern.len()
        && value.bytes().zip(pattern.bytes()).all(|(v, p)| match p {
            b'd' => v.is_ascii_digit(),
            b'l' => v.is_ascii_alphabetic(),
            b'x' => v.is_ascii_hexdigit(),
            _ => v == p,
        })
}

fn email(value: &str) -> bool {
    let Some((user, host)) = value.split_once('@') else {
        return false;
    };
    let plain =
        |s: &str| !s.is_empty() && !s.contains(|c: char| c.is_whitespace() || c == '@' || c.is_control());
    plain(user) && plain(host) && host.split('.').count() > 1 && host.split('.').all(|part| !part.is_empty())
}

fn url(value: &str) -> bool {
    const STARTS: [&str; 6] = ["http://", "https://", "ftp://", "file://", "s3://", "www."];
    let starts = |s: &str| value.get(..s.len()).is_some_and(|v| v.eq_ignore_ascii_case(s));
    STARTS.into_iter().any(|s| starts(s) && value.len() > s.len()) && !value.contains(char::is_whitespace)
}

fn ip(value: &str) -> bool {
    match value.len() {
        7..=15 if value.contains('.') => value.parse::<Ipv4Addr>().is_ok(),
        2..=45 if value.contains(':') => value.parse::<Ipv6Addr>().is_ok(),
        _ => false,
    }
}

fn mac(value: &str) -> bool {
    like(value, "xx:xx:xx:xx:xx:xx") || like(value, "xx-xx-xx-xx-xx-xx")
}

fn uuid(value: &str) -> bool {
    like(value, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
}

/// A telephone number in international form, in North American form, or with a leading zero and
/// separators. Bare digits do not count as a telephone number, because too many other things are
/// bare digits.
fn phone(value: &str) -> bool {
    const NORTH_AMERICAN: [&str; 6] =
        ["ddd-ddd-dddd", "ddd.ddd.dddd", "ddd ddd dddd", "(ddd) ddd-dddd", "(ddd)ddd-dddd", "1-ddd-ddd-dddd"];
    if NORTH_AMERICAN.iter().any(|p| like(value, p)) {
        return true;
    }
    let allowed = |b: u8| b.is_ascii_digit() || matches!(b, b' ' | b'-' | b'.' | b'/' | b'(' | b')');
    let (plus, rest) = value.strip_prefix('+').map_or((false, value), |rest| (true, rest));
    let count = rest.bytes().filter(u8::is_ascii_digit).count();
    if !rest.bytes().all(allowed) || value.len() > 24 || like(value, "ddddd-dddd") {
        return false;
    }
    let parts = rest.split(|c: char| !c.is_ascii_digit()).filter(|p| !p.is_empty()).count();
    let dated = matches!(rest.as_bytes().get(2), Some(b'.' | b'/' | b'-')) && parts == 3 && count == 8;
    plus && (8..=15).contains(&count)
        || rest.starts_with('0') && (9..=13).contains(&count) && parts > 1 && !dated
}

/// Two letters, two check digits and an account, whose remainder by 97 is 1 (ISO 13616).
fn iban(value: &str) -> bool {
    let compact = value.bytes().filter(|b| *b != b' ');
    let length = compact.clone().count();
    if !(15..=34).contains(&length) || value.len() > 42 || !compact.clone().all(|b| b.is_ascii_alphanumeric())
    {
        return false;
    }
    let head: Vec<u8> = compact.clone().take(4).collect();
    if !head[..2].iter().all(u8::is_ascii_uppercase) || !digits(&head[2..]) {
        return false;
    }
    let remainder = compact.skip(4).chain(head).fold(0_u32, |r, b| match b {
        b'0'..=b'9' => (r * 10 + u32::from(b - b'0')) % 97,
        _ => (r * 100 + u32::from(b.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    remainder == 1
}

fn vin(value: &str) -> bool {
    value.len() == 17
        && value
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() && !matches!(b, b'I' | b'O' | b'Q'))
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().any(|b| b.is_ascii_uppercase())
}

fn postal_uk(value: &str) -> bool {
    let Some((outward, inward)) = value.split_once(' ') else {
        return false;
    };
    like(inward, "dll") && ["ld", "ldd", "lld", "lldd", "ldl", "lldl"].iter().any(|p| like(outward, p))
}

/// Three digits, V and two, or E and three, with up to two more after a dot.
fn icd9(value: &str) -> bool {
    let (category, rest) = value.split_once('.').map_or((value, None), |(c, r)| (c, Some(r)));
    let category = match category.as_bytes() {
        [b'V' | b'v', n @ ..] => n.len() == 2 && digits(n),
        [b'E' | b'e', n @ ..] | n => n.len() == 3 && digits(n),
    };
    category && rest.is_none_or(|r| r.len() <= 2 && digits(r.as_bytes()))
}

/// A letter, a digit and a letter or digit, with up to four more; whether a dot stands between.
fn icd10(value: &str) -> Option<bool> {
    let (category, rest) = value.split_at_checked(3)?;
    let category = category.as_bytes();
    let fits = category[0].is_ascii_alphabetic()
        && category[1].is_ascii_digit()
        && category[2].is_ascii_alphanumeric();
    let dotted = rest.starts_with('.');
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let rest_fits =
        rest.len() <= 4 && rest.bytes().all(|b| b.is_ascii_alphanumeric()) && (!dotted || !rest.is_empty());
    (fits && rest_fits).then_some(dotted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(value: &str, shape: Shapes) -> bool {
        look(value, bit::ALL).shapes & shape != 0
    }

    #[test]
    fn values_that_fit() {
        for (shape, values) in [
            (bit::INTEGER, &["0", "-5", " 39", "123456789012345678"][..]),
            (bit::NUMBER, &["0", "-5.25", "1e3", ".5", "5.", " 2.50 ", "+7", "007"]),
            (bit::WHOLE, &["0", "-5", "3.0", " 1e3 "]),
            (bit::BOOLEAN, &["0", "Y", "no", "TRUE", "Ja", "sí"]),
            (bit::DIGITS, &["02139", "10"]),
            (bit::CODE, &["A12", "2021-X", "00"]),
            (bit::EMAIL, &["a@b.org", "first.last+tag@mail.example.co.uk"]),
            (bit::URL, &["https://example.org/x", "www.example.org", "HTTP://A.B"]),
            (bit::IP, &["192.168.0.1", "::1", "2001:db8::8a2e:370:7334"]),
            (bit::MAC, &["00:1A:2b:3c:4D:5e"]),
            (bit::UUID, &["123e4567-e89b-12d3-a456-426614174000"]),
            (bit::SSN, &["078-05-1120"]),
            (
                bit::PHONE,
                &["(617) 253-1000", "617-253-1000", "+49 30 1234567", "030 1234567", "01 23 45 67 89"],
            ),
            (bit::IBAN, &["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"]),
            (bit::VIN, &["1HGCM82633A004352"]),
            (bit::ZIP, &["02139", "02139-4307"]),
            (bit::POSTAL_CA, &["K1A 0B6", "k1a0b6"]),
            (bit::POSTAL_UK, &["SW1A 1AA", "M1 1AE"]),
            (bit::ICD9, &["250.83", "V57", "E849.0", "410"]),
            (bit::ICD10, &["E11.9", "S72001A", "C50"]),
            (bit::ICD10_DOT, &["E11.9"]),
            (bit::TIME, &["00:00", "23:59:59"]),
            (bit::ATC, &["A10BA02"]),
            (bit::NACE, &["62.01"]),
        ] {
            for value in values {
                assert!(fits(value, shape), "{value} {shape:b}");
            }
        }
    }

    #[test]
    fn values_that_do_not() {
        for (shape, values) in [
            (bit::INTEGER, &["", "-", "007", "1.0", "1234567890123456789", "½"][..]),
            (bit::NUMBER, &["", "inf", "NaN", "1,5", "12a", "--1", "1e999", "."]),
            (bit::WHOLE, &["", "0.5", "x"]),
            (bit::BOOLEAN, &["", "maybe", "2"]),
            (bit::EMAIL, &["a@b", "@b.org", "a b@c.de", "a@b..c", "a@b@c.de"]),
            (bit::URL, &["http://", "www.", "see www.a.b"]),
            (bit::IP, &["1.2.3", "12:30:45", "999.1.1.1", ":"]),
            (bit::SSN, &["078051120", "078-05-112"]),
            (
                bit::PHONE,
                &["6172531000", "2021-03-31", "01.02.2021", "02139-4307", "192.168.0.1", "", "+", "12/3"],
            ),
            (bit::IBAN, &["DE89370400440532013001", "DE", "ÄÖ89370400440532013001"]),
            (bit::VIN, &["12345678901234567", "IIGCM82633A004352"]),
            (bit::ZIP, &["0213", "021394", "02139-43"]),
            (bit::ICD10, &["", "E1", "é11", "E11.", "E11.12345"]),
            (bit::ICD9, &["25", "2500.1", "250.123", "V5"]),
            (bit::POSTAL_UK, &["Main St", "SW1A1AA"]),
            (bit::TIME, &["24:00", "9:05", "12:60", "12:00:60", "12-00"]),
        ] {
            for value in values {
                assert!(!fits(value, shape), "{value} {shape:b}");
            }
        }
    }

    #[test]
    fn only_what_is_asked_for_is_tried() {
        let look = look("2021-03-31", bit::EMAIL);
        assert_eq!((look.shapes, look.number), (0, None));
        assert!(look.days.iter().all(Option::is_none));
    }
}
