//! Ages: 90 and over are one group.

use crate::settings::AgeRule;

/// The group of the oldest.
const OLDEST: &str = "90 or older";

/// What an age becomes; none if it is kept.
pub fn age(text: &str, rule: AgeRule) -> Option<String> {
    let years = years(text);
    match (rule, years) {
        (AgeRule::All, _) => Some(super::SUPPRESSED.to_owned()),
        (_, Some(90..)) => Some(OLDEST.to_owned()),
        (AgeRule::Over89, _) => None,
        (AgeRule::Decades, Some(years)) => Some(format!("{} to {}", years / 10 * 10, years / 10 * 10 + 9)),
        (AgeRule::Decades, None) => Some(super::SUPPRESSED.to_owned()),
    }
}

/// The years of an age in digits or words.
pub fn years(text: &str) -> Option<u32> {
    if text.bytes().all(|sign| sign.is_ascii_digit())
        && let Ok(years) = text.parse()
    {
        return Some(years);
    }
    let digits: String =
        text.chars().skip_while(|sign| !sign.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let lower = text.to_lowercase();
    let infant = ["mo", "month", "week", "wk", "day"].iter().any(|unit| lower.contains(unit));
    if let Ok(years) = digits.parse::<u32>() {
        return Some(if infant { 0 } else { years });
    }
    const TENS: [(&str, u32); 8] = [
        ("twent", 20),
        ("thirt", 30),
        ("fort", 40),
        ("fift", 50),
        ("sixt", 60),
        ("sevent", 70),
        ("eight", 80),
        ("ninet", 90),
    ];
    const TEENS: [(&str, u32); 10] = [
        ("nineteen", 19),
        ("eighteen", 18),
        ("seventeen", 17),
        ("sixteen", 16),
        ("fifteen", 15),
        ("fourteen", 14),
        ("thirteen", 13),
        ("twelve", 12),
        ("eleven", 11),
        ("ten", 10),
    ];
    const UNITS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    if lower.contains("hundred") || lower.contains("centenarian") {
        return Some(100);
    }
    if let Some((_, years)) =
        TEENS.iter().find(|(word, _)| lower.split(|sign: char| !sign.is_alphabetic()).any(|own| own == *word))
    {
        return Some(*years);
    }
    let tens = TENS.iter().find(|(word, _)| {
        lower.strip_prefix(word).is_some_and(|rest| rest.starts_with('y') || rest.starts_with("ies"))
    });
    let unit = lower
        .split(|sign: char| !sign.is_alphabetic())
        .find_map(|own| UNITS.iter().position(|unit| *unit == own));
    match (tens, unit) {
        (None, None) => None,
        (tens, unit) => Some(tens.map_or(0, |(_, tens)| *tens) + unit.unwrap_or(0) as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words() {
        let cases = [
            ("47", 47),
            ("ninety-one", 91),
            ("forty seven", 47),
            ("18 mo", 0),
            ("nineties", 90),
            ("7 and 6/12", 7),
            ("nineteen", 19),
            ("90s", 90),
            ("eight", 8),
            ("eighty", 80),
        ];
        for (text, expected) in cases {
            assert_eq!(years(text), Some(expected), "{text}");
        }
        assert_eq!(years("old"), None);
    }

    #[test]
    fn the_oldest_are_one_group() {
        assert_eq!(age("91", AgeRule::Over89).as_deref(), Some("90 or older"));
        assert_eq!(age("89", AgeRule::Over89), None);
        assert_eq!(age("47", AgeRule::Decades).as_deref(), Some("40 to 49"));
        assert_eq!(age("103", AgeRule::Decades).as_deref(), Some("90 or older"));
        assert_eq!(age("47", AgeRule::All).as_deref(), Some("*"));
    }
}
