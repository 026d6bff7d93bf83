//! Check digits and rules of numbers that states, banks and manufacturers give.
//!
//! All take values from 0 to 9, or ASCII where letters occur, without separators.

/// The value of an ASCII digit, or none.
fn value(sign: u8) -> Option<u32> {
    sign.is_ascii_digit().then(|| u32::from(sign - b'0'))
}

/// Luhn's check, ISO/IEC 7812-1: payment cards, NPI, Canadian SIN, IMEI.
pub fn luhn(digits: &[u8]) -> bool {
    let doubled = |(place, digit): (usize, &u8)| {
        let digit = u32::from(*digit);
        match place % 2 {
            1 if digit > 4 => 2 * digit - 9,
            1 => 2 * digit,
            _ => digit,
        }
    };
    digits.len() >= 2 && digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

/// A payment card: 13 to 19 digits of a network's prefix, with Luhn's check.
pub fn payment_card(digits: &[u8]) -> bool {
    (13..=19).contains(&digits.len()) && matches!(digits[0], 2..=6) && luhn(digits)
}

/// A National Provider Identifier: ten digits; Luhn's check with 80840 before them.
pub fn npi(digits: &[u8]) -> bool {
    digits.len() == 10 && matches!(digits[0], 1 | 2) && {
        let mut all = [0; 15];
        all[..5].copy_from_slice(&[8, 0, 8, 4, 0]);
        all[5..].copy_from_slice(digits);
        luhn(&all)
    }
}

/// A number of the National Health Service: weights 10 to 2, modulo 11.
pub fn nhs(digits: &[u8]) -> bool {
    if digits.len() != 10 || digits.iter().all(|digit| *digit == digits[0]) {
        return false;
    }
    let sum: u32 =
        digits[..9].iter().zip((2..=10).rev()).map(|(digit, weight)| u32::from(*digit) * weight).sum();
    (11 - sum % 11) % 11 == u32::from(digits[9])
}

/// An American Social Security number: no area 000, 666 or 9xx, no group 00, no serial 0000.
pub fn ssn(digits: &[u8]) -> bool {
    if digits.len() != 9 {
        return false;
    }
    let number = |part: &[u8]| part.iter().fold(0u32, |number, digit| 10 * number + u32::from(*digit));
    let (area, group, serial) = (number(&digits[..3]), number(&digits[3..5]), number(&digits[5..]));
    area != 0 && area != 666 && area < 900 && group != 0 && serial != 0
}

/// A German tax number: eleven digits with the check of ISO 7064, modulo 11,10.
pub fn steuer_id(digits: &[u8]) -> bool {
    if digits.len() != 11 || digits[0] == 0 {
        return false;
    }
    let product = digits[..10].iter().fold(10, |product, digit| {
        let sum = (u32::from(*digit) + product) % 10;
        2 * if sum == 0 { 10 } else { sum } % 11
    });
    (11 - product) % 10 == u32::from(digits[10])
}

/// A Dutch citizen number: weights 9 to 2 and -1, modulo 11.
pub fn bsn(digits: &[u8]) -> bool {
    if digits.len() != 9 || digits.iter().all(|digit| *digit == 0) {
        return false;
    }
    let sum: i32 =
        digits[..8].iter().zip((2..=9).rev()).map(|(digit, weight)| i32::from(*digit) * weight).sum();
    (sum - i32::from(digits[8])).rem_euclid(11) == 0
}

/// An Aadhaar number of India: twelve digits, not from 0 or 1, with Verhoeff's check.
pub fn aadhaar(digits: &[u8]) -> bool {
    const PERMUTED: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    // The product in the group of a pentagon's symmetries.
    let product = |a: u8, b: u8| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b - 5) % 5 + 5,
        (false, true) => (a - 5 + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let step = |sum: u8, (place, digit): (usize, &u8)| product(sum, PERMUTED[place % 8][usize::from(*digit)]);
    digits.len() == 12 && digits[0] > 1 && digits.iter().rev().enumerate().fold(0, step) == 0
}

/// A social insurance number of Canada: nine digits, not from 0 or 8, with Luhn's check.
pub fn sin(digits: &[u8]) -> bool {
    digits.len() == 9 && !matches!(digits[0], 0 | 8) && luhn(digits)
}

/// The sum of digits with weights.
fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum()
}

/// A tax file number of Australia: nine digits, a weighted sum that 11 divides.
pub fn tfn(digits: &[u8]) -> bool {
    const WEIGHTS: [u32; 9] = [1, 4, 3, 7, 5, 8, 6, 9, 10];
    digits.len() == 9
        && digits.iter().any(|digit| *digit > 0)
        && weighted(digits, &WEIGHTS).is_multiple_of(11)
}

/// A Medicare number of Australia: from 2 to 6, the ninth digit checks the eight before it.
pub fn medicare_australia(digits: &[u8]) -> bool {
    const WEIGHTS: [u32; 8] = [1, 3, 7, 9, 1, 3, 7, 9];
    digits.len() == 10
        && matches!(digits[0], 2..=6)
        && weighted(&digits[..8], &WEIGHTS) % 10 == u32::from(digits[8])
}

/// An identity number of South Africa: the date of birth, then Luhn's check over all 13 digits.
pub fn south_african(digits: &[u8]) -> bool {
    let pair = |at: usize| 10 * digits[at] + digits[at + 1];
    digits.len() == 13 && (1..=12).contains(&pair(2)) && (1..=31).contains(&pair(4)) && luhn(digits)
}

/// A French number of the social security: 13 digits and 97 minus their remainder.
pub fn nir(digits: &[u8]) -> bool {
    if digits.len() != 15 || !matches!(digits[0], 1 | 2) {
        return false;
    }
    let number = |part: &[u8]| part.iter().fold(0u64, |number, digit| 10 * number + u64::from(*digit));
    97 - number(&digits[..13]) % 97 == number(&digits[13..])
}

/// An account number of ISO 13616: country, check digits, modulo 97.
pub fn iban(text: &[u8]) -> bool {
    let shape = (15..=34).contains(&text.len())
        && text[..2].iter().all(u8::is_ascii_uppercase)
        && text[2..4].iter().all(u8::is_ascii_digit)
        && text.iter().all(u8::is_ascii_alphanumeric);
    let step = |rest: u32, sign: &u8| match value(*sign) {
        Some(digit) => (10 * rest + digit) % 97,
        None => (100 * rest + u32::from(sign.to_ascii_uppercase() - b'A') + 10) % 97,
    };
    shape && text[4..].iter().chain(&text[..4]).fold(0, step) == 1
}

/// A vehicle identification number of ISO 3779: 17 signs without I, O and Q, and the check digit of
/// North America.
pub fn vin(text: &[u8]) -> bool {
    let worth = |sign: u8| match sign.to_ascii_uppercase() {
        digit @ b'0'..=b'9' => Some(u32::from(digit - b'0')),
        letter @ b'A'..=b'H' => Some(u32::from(letter - b'A') + 1),
        letter @ b'J'..=b'N' => Some(u32::from(letter - b'J') + 1),
        b'P' => Some(7),
        b'R' => Some(9),
        letter @ b'S'..=b'Z' => Some(u32::from(letter - b'S') + 2),
        _ => None,
    };
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    if text.len() != 17 {
        return false;
    }
    let terms = text.iter().zip(WEIGHTS).map(|(sign, weight)| worth(*sign).map(|worth| worth * weight));
    let Some(sum) = terms.sum::<Option<u32>>() else { return false };
    match sum % 11 {
        10 => text[8].eq_ignore_ascii_case(&b'X'),
        rest => value(text[8]) == Some(rest),
    }
}

/// A registration of the Drug Enforcement Administration: two letters, seven digits, check digit.
pub fn dea(text: &[u8]) -> bool {
    if text.len() != 9 || !text[0].is_ascii_alphabetic() || !(text[1].is_ascii_alphanumeric()) {
        return false;
    }
    let Some(digits) = text[2..].iter().map(|sign| value(*sign)).collect::<Option<Vec<u32>>>() else {
        return false;
    };
    let odd = digits[0] + digits[2] + digits[4];
    let even = digits[1] + digits[3] + digits[5];
    (odd + 2 * even) % 10 == digits[6]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().filter(u8::is_ascii_digit).map(|sign| sign - b'0').collect()
    }

    /// Examples of the standards and their documentation.
    #[test]
    fn published_examples_hold() {
        assert!(luhn(&digits("79927398713")) && payment_card(&digits("4111 1111 1111 1111")));
        assert!(npi(&digits("1234567893")) && nhs(&digits("943 476 5919")) && ssn(&digits("219-09-9999")));
        assert!(
            steuer_id(&digits("86095742719")) && bsn(&digits("111222333")) && nir(&digits("255081416802538"))
        );
        assert!(aadhaar(&digits("2341 2341 2346")) && sin(&digits("130 692 544")));
        assert!(tfn(&digits("123 456 782")));
        assert!(medicare_australia(&digits("2428 77813 2")) && south_african(&digits("8001015009087")));
        assert!(iban(b"GB82WEST12345698765432") && iban(b"DE89370400440532013000"));
        assert!(vin(b"1M8GDM9AXKP042788") && vin(b"11111111111111111") && dea(b"BT1234563"));
    }

    /// One wrong digit is always found by these checks.
    #[test]
    fn one_wrong_digit_is_found() {
        type Check = fn(&[u8]) -> bool;
        let checks: [(Check, &str); 6] = [
            (luhn, "79927398713"),
            (npi, "1234567893"),
            (nhs, "9434765919"),
            (steuer_id, "86095742719"),
            (bsn, "111222333"),
            (nir, "255081416802538"),
        ];
        for (check, text) in checks {
            let right = digits(text);
            for place in 0..right.len() {
                for digit in (0..10).filter(|digit| *digit != right[place]) {
                    let mut wrong = right.clone();
                    wrong[place] = digit;
                    assert!(!check(&wrong), "{text} with {digit} at {place}");
                }
            }
        }
        for text in ["GB82WEST12345698765432", "DE89370400440532013000"] {
            for place in 2..text.len() {
                let mut wrong = text.as_bytes().to_vec();
                if wrong[place].is_ascii_digit() {
                    wrong[place] = b'0' + (wrong[place] - b'0' + 1) % 10;
                    assert!(!iban(&wrong));
                }
            }
        }
    }

    #[test]
    fn wrong_lengths_and_rules_are_refused() {
        for check in [payment_card, npi, nhs, ssn, steuer_id, bsn, nir] {
            assert!(!check(&[]) && !check(&[1]) && !check(&[1; 40]));
        }
        for check in [iban, vin, dea] {
            assert!(!check(b"") && !check(b"A") && !check(&[b'-'; 17]) && !check("éééééééé€".as_bytes()));
        }
        for wrong in ["000-12-3456", "666-12-3456", "912-12-3456", "123-00-4567", "123-45-0000"] {
            assert!(!ssn(&digits(wrong)), "{wrong}");
        }
    }
}
