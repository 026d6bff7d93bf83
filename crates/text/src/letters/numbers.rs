//! Numbers of people, with check digits where the real ones have them, and phone numbers. Each kind
//! has the layouts in use.

use super::chance::Chance;

/// Digits, not starting with 0.
pub(super) fn digits(count: usize, chance: &mut Chance) -> String {
    let mut text = String::with_capacity(count);
    for place in 0..count {
        let digit = if place == 0 { 1 + chance.below(9) } else { chance.below(10) };
        text.push(char::from(b'0' + digit as u8));
    }
    text
}

fn letters(count: usize, chance: &mut Chance) -> String {
    (0..count).map(|_| char::from(b'A' + chance.below(26) as u8)).collect()
}

/// Fills `#` with digits and `@` with capitals.
fn shaped(shape: &str, chance: &mut Chance) -> String {
    let mut fill = |sign| match sign {
        '#' => char::from(b'0' + chance.below(10) as u8),
        '9' => char::from(b'1' + chance.below(9) as u8),
        '@' => char::from(b'A' + chance.below(26) as u8),
        other => other,
    };
    shape.chars().map(&mut fill).collect()
}

/// Fills one of the shapes.
fn chosen(shapes: &[&str], chance: &mut Chance) -> String {
    let shape = chance.pick(shapes);
    shaped(shape, chance)
}

/// The check digit that makes a number pass Luhn's test.
fn luhn(number: &str) -> u8 {
    let sum: u32 = number
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| {
            let digit = u32::from(byte - b'0');
            let doubled = if place % 2 == 0 { digit * 2 } else { digit };
            doubled / 10 + doubled % 10
        })
        .sum();
    b'0' + ((10 - sum % 10) % 10) as u8
}

/// A phone number with area code.
pub(super) fn phone(european: bool, chance: &mut Chance) -> String {
    let shapes: &[&str] = if european {
        &[
            "01632 96####",
            "0131 496 0###",
            "07700 900###",
            "+44 7700 900###",
            "+49 30 23125 ###",
            "01 99 00 ## ##",
            "(020) 7946 0###",
        ]
    } else {
        &[
            "(9##) 555-01##",
            "9##-555-01##",
            "9##.555.01##",
            "555-01##",
            "1-800-555-01##",
            "+1 9## 555 01##",
            "(9##)555-01## ext. 9##",
            "9##-9##-####",
            "(9##) 9##-####",
            "9##-####",
        ]
    };
    chosen(shapes, chance)
}

/// A number of a medical record.
pub(super) fn record(chance: &mut Chance) -> String {
    chosen(
        &["9######", "9##-##-##", "9########", "##-9##-#####", "@9#####", "9##### #", "@@######", "9#-#####"],
        chance,
    )
}

/// A number of a case, specimen or order.
pub(super) fn accession(chance: &mut Chance) -> String {
    chosen(&["S##-#####", "CT-##-#######", "@##/#####", "9#########", "A#######", "RX######"], chance)
}

/// A number of an insurance policy or an account.
pub(super) fn account(chance: &mut Chance) -> String {
    match chance.below(6) {
        0 => card(chance),
        1 => iban(chance),
        _ => chosen(
            &["@@@ #########", "@@@#########", "9#######-##", "@##-#######", "9#########", "@@#######@"],
            chance,
        ),
    }
}

/// A payment card that passes Luhn's test.
fn card(chance: &mut Chance) -> String {
    let mut number = format!("4{}", digits(14, chance));
    number.push(char::from(luhn(&number)));
    let groups: Vec<&str> = (0..4).map(|group| &number[group * 4..group * 4 + 4]).collect();
    groups.join(chance.pick(&[" ", "-", ""]))
}

/// A German bank account that passes the test by 97.
fn iban(chance: &mut Chance) -> String {
    let number = digits(18, chance);
    // DE is 13 14; the check digits make the rest 1 by 97.
    let rest =
        format!("{number}131400").bytes().fold(0u32, |rest, byte| (rest * 10 + u32::from(byte - b'0')) % 97);
    let whole = format!("DE{:02}{number}", 98 - rest);
    if chance.permille(500) {
        return whole;
    }
    let signs: Vec<char> = whole.chars().collect();
    signs.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

/// A number that a state gives to a person: American, British or Canadian.
pub(super) fn national(european: bool, chance: &mut Chance) -> String {
    if european {
        if chance.permille(300) {
            return chosen(&["QQ ## ## ## C", "QQ######A"], chance);
        }
        return nhs(chance);
    }
    let separator = if chance.permille(850) { "-" } else { " " };
    format!(
        "{}{separator}{:02}{separator}{:04}",
        100 + chance.below(566),
        1 + chance.below(99),
        1 + chance.below(9999)
    )
}

/// An NHS number with its check digit by 11.
fn nhs(chance: &mut Chance) -> String {
    loop {
        let number = digits(9, chance);
        let sum: usize =
            number.bytes().enumerate().map(|(place, byte)| (10 - place) * usize::from(byte - b'0')).sum();
        let check = (11 - sum % 11) % 11;
        if check < 10 {
            let gap = chance.pick(&[" ", "", "-"]);
            return format!("{}{gap}{}{gap}{}{check}", &number[..3], &number[3..6], &number[6..]);
        }
    }
}

/// A provider's number that passes Luhn's test behind 80840.
pub(super) fn npi(chance: &mut Chance) -> String {
    let number = format!("1{}", digits(8, chance));
    let check = luhn(&format!("80840{number}"));
    format!("{number}{}", char::from(check))
}

/// A number of the American drug agency with its check digit.
pub(super) fn dea(chance: &mut Chance) -> String {
    let number = digits(6, chance);
    let digit = |place: usize| usize::from(number.as_bytes()[place] - b'0');
    let sum = digit(0) + digit(2) + digit(4) + 2 * (digit(1) + digit(3) + digit(5));
    format!("B{}{number}{}", letters(1, chance), sum % 10)
}

/// A licence of a professional or a driver.
pub(super) fn licence(chance: &mut Chance) -> String {
    chosen(&["@@#####", "9######", "@-#####", "9####", "@###-####-####"], chance)
}

/// A serial or lot number of a device.
pub(super) fn serial(chance: &mut Chance) -> String {
    chosen(&["@@@######@", "SN-#######", "9####-####", "@#@####@", "98511######9###", "9#######"], chance)
}

/// A vehicle: an identification number with its check digit, or a plate.
pub(super) fn vehicle(chance: &mut Chance) -> String {
    if chance.permille(700) {
        return chosen(&["9@@@###", "@@@-####", "@@## @@@", "@@@ ####"], chance);
    }
    const SIGNS: &[u8] = b"0123456789ABCDEFGHJKLMNPRSTUVWXYZ";
    const VALUES: &[u8] = b"012345678912345678123457923456789";
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let mut number: Vec<usize> = (0..17).map(|_| chance.below(SIGNS.len())).collect();
    number[0] = 1 + chance.below(5);
    let sum: u32 =
        number.iter().zip(WEIGHTS).map(|(&sign, weight)| u32::from(VALUES[sign] - b'0') * weight).sum();
    let check = if sum % 11 == 10 { b'X' } else { b'0' + (sum % 11) as u8 };
    number
        .iter()
        .enumerate()
        .map(|(place, &sign)| char::from(if place == 8 { check } else { SIGNS[sign] }))
        .collect()
}

/// An American or European postal code.
pub(super) fn postal(european: bool, chance: &mut Chance) -> String {
    let shapes: &[&str] = if european {
        &["@@# 9@@", "@@## 9@@", "@9 9@@", "9####"]
    } else {
        &["#####", "0####", "9####-####"]
    };
    chosen(shapes, chance)
}

/// An address of a computer.
pub(super) fn ip(chance: &mut Chance) -> String {
    format!("10.{}.{}.{}", chance.below(256), chance.below(256), 1 + chance.below(254))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance() -> Chance {
        Chance::new(7, 1)
    }

    #[test]
    fn check_digits_are_those_of_published_examples() {
        assert_eq!(luhn("411111111111111"), b'1');
        assert_eq!(luhn("80840123456789"), b'3');
    }

    #[test]
    fn numbers_pass_their_tests() {
        let chance = &mut chance();
        for _ in 0..500 {
            let iban: String = iban(chance).chars().filter(|c| !c.is_whitespace()).collect();
            let moved = format!("{}1314{}", &iban[4..], &iban[2..4]);
            assert_eq!(moved.bytes().fold(0, |rest, byte| (rest * 10 + u32::from(byte - b'0')) % 97), 1);
            let nhs: Vec<usize> =
                nhs(chance).bytes().filter(u8::is_ascii_digit).map(|byte| usize::from(byte - b'0')).collect();
            assert_eq!(nhs.len(), 10);
            assert_eq!(
                nhs.iter().enumerate().map(|(place, digit)| (10 - place) * digit).sum::<usize>() % 11,
                0
            );
            let card: String = card(chance).chars().filter(char::is_ascii_digit).collect();
            assert_eq!((card.len(), luhn(&card[..15])), (16, card.as_bytes()[15]));
        }
    }
}
