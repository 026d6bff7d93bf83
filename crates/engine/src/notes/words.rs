//! Words of a text for the last check of a note: folded to lower case without accents, letters and
//! digits apart. Linear in the text.

use std::ops::Range;

/// A word or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) at: Range<usize>,
    pub(super) number: bool,
    /// Characters between it and the word before.
    pub(super) apart: usize,
}

/// Letters with accents, and the same letters without.
const ACCENTED: &str =
    "àáâãäåāăąǎçćĉċčďđðèéêëēĕėęěĝğġģĥħìíîïĩīĭįıĵķĺļľŀłñńņňòóôõöøōŏőŕŗřśŝşšșţťŧțùúûüũūŭůűųŵýÿŷźżž";
const PLAIN: &str =
    "aaaaaaaaaacccccdddeeeeeeeeegggghhiiiiiiiiijklllllnnnnooooooooorrrsssssttttuuuuuuuuuuwyyyzzz";

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut apart, mut inside) = (0, false);
    for (start, c) in text.char_indices() {
        if is_invisible(c) {
            continue;
        }
        if !c.is_alphanumeric() {
            (apart, inside) = (apart + 1, false);
            continue;
        }
        let number = c.is_numeric();
        match words.last_mut().filter(|word| inside && word.number == number) {
            Some(word) => word.at.end = start + c.len_utf8(),
            None => {
                words.push(Word { text: String::new(), at: start..start + c.len_utf8(), number, apart });
            }
        }
        if let Some(word) = words.last_mut() {
            push_folded(c, &mut word.text);
        }
        (apart, inside) = (0, true);
    }
    words
}

/// Soft hyphens, marks of direction, spaces without width, accents that follow their letter.
fn is_invisible(c: char) -> bool {
    let code = c as u32;
    [0xad, 0x2060, 0xfeff].contains(&code)
        || (0x200b..=0x200f).contains(&code)
        || (0x300..=0x36f).contains(&code)
}

fn push_folded(c: char, text: &mut String) {
    let zeros = [0x660, 0x6f0, 0xff10].into_iter();
    let digit = zeros.filter_map(|zero| (c as u32).checked_sub(zero)).find(|digit| *digit < 10);
    if let Some(digit) = digit.and_then(|digit| char::from_digit(digit, 10)) {
        return text.push(digit);
    }
    for c in c.to_lowercase() {
        match c {
            'ß' => text.push_str("ss"),
            'æ' => text.push_str("ae"),
            'œ' => text.push_str("oe"),
            'þ' => text.push_str("th"),
            _ if c.is_ascii() => text.push(c),
            _ => {
                let at = ACCENTED.chars().position(|accented| accented == c);
                text.push(at.and_then(|at| PLAIN.chars().nth(at)).unwrap_or(c));
            }
        }
    }
}

/// Some words written as one.
pub(super) fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect()
}

/// Whether one insertion, deletion, substitution or exchange of neighbours makes two words equal.
pub(super) fn resembles(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let begin = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let end = short.iter().rev().zip(long.iter().rev()).take_while(|(x, y)| x == y).count();
    if long.len() > short.len() {
        return begin + end >= short.len();
    }
    let differ = short.len().saturating_sub(begin + end);
    let exchanged = || short[begin] == long[begin + 1] && short[begin + 1] == long[begin];
    differ <= 1 || differ == 2 && exchanged()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_have_their_letters() {
        assert_eq!(ACCENTED.chars().count(), PLAIN.chars().count());
        let texts: Vec<String> = words("É. Müller-Łos, 47yo ١٢").into_iter().map(|word| word.text).collect();
        assert_eq!(texts, ["e", "muller", "los", "47", "yo", "12"]);
    }

    #[test]
    fn one_change_is_a_resemblance() {
        for (a, b) in
            [("townsend", "twonsend"), ("ann", "anna"), ("lang", "long"), ("same", "same"), ("", "a")]
        {
            assert!(resembles(a, b) && resembles(b, a), "{a} {b}");
        }
        for (a, b) in [("townsend", "wotnsend"), ("ann", "annas"), ("lang", "lnga"), ("ab", "cd")] {
            assert!(!resembles(a, b), "{a} {b}");
        }
    }
}
