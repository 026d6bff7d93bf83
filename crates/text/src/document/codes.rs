//! Codes: chunks without blanks that have a digit, such as "32-841-09787", and their keys.
//!
//! A code ends at blanks and at signs other than `-`, `.`, `/`, `_` and `*`. The classes of the words
//! before it on its line, up to the last other code, say what it may be.

use crate::cues::{self, Classes};
use crate::detect::Rules;
use crate::token::{Class, Flags, Token};

/// A chunk without blanks that has a digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The first token.
    pub first: u32,
    /// The token after the last one.
    pub end: u32,
    /// How many digits it has.
    pub digits: u16,
    /// How many letters it has, in bytes.
    pub letters: u16,
    /// Classes of the nearest words before it.
    pub key: Classes,
    /// Whether "no", "number", "#" or the like is before it.
    pub numbered: bool,
    /// The first token of the words before it that have classes.
    pub key_at: u32,
    /// The same as `key` with the classes of its field's key, if it is in the value of one.
    pub keys: Classes,
    /// The same as `numbered`, also by the key of its field.
    pub is_numbered: bool,
    /// Whether it has the shape of a date in digits.
    pub is_date_like: bool,
    /// Whether a date in digits starts at it that is likely by its shape alone.
    pub is_sure_date: bool,
    /// The rules that can hold for it.
    pub rules: Rules,
}

/// Finds all codes: the chunks around these numbers, by token.
pub fn find(tokens: &[Token], numbers: &[u32], codes: &mut Vec<Code>) {
    codes.clear();
    // The token after the last chunk, and after the last code.
    let (mut done, mut barrier) = (0, 0);
    for number in numbers {
        let number = *number as usize;
        if number < done {
            continue;
        }
        let mut first = number;
        while first > done && !tokens[first].has(Flags::SPACE) && joins(&tokens[first - 1]) {
            first -= 1;
        }
        let mut end = number + 1;
        while end < tokens.len() && !tokens[end].has(Flags::SPACE) && joins(&tokens[end]) {
            end += 1;
        }
        if let Some(code) = code(tokens, first, end, barrier) {
            barrier = code.end as usize;
            codes.push(code);
        }
        done = end;
    }
}

/// Whether a token can be in a code.
#[inline]
fn joins(token: &Token) -> bool {
    match token.class {
        Class::Word | Class::Number => true,
        Class::Sign => matches!(token.first, b'-' | b'.' | b'/' | b'_' | b'*'),
    }
}

/// The code in a chunk, without signs at its ends.
fn code(tokens: &[Token], first: usize, end: usize, barrier: usize) -> Option<Code> {
    let is_sign = |token: &Token| token.class == Class::Sign;
    let first = first + tokens[first..end].iter().position(|token| !is_sign(token))?;
    let end = first + tokens[first..end].iter().rposition(|token| !is_sign(token))? + 1;
    let sum = |class: Class| {
        let lengths = tokens[first..end].iter().filter(|token| token.class == class).map(Token::len);
        u16::try_from(lengths.sum::<usize>()).unwrap_or(u16::MAX)
    };
    let (digits, letters) = (sum(Class::Number), sum(Class::Word));
    if digits == 0 {
        return None;
    }
    let (key, numbered, key_at) = key(tokens, first, barrier);
    Some(Code {
        first: first as u32,
        end: end as u32,
        digits,
        letters,
        key,
        numbered,
        key_at: key_at as u32,
        keys: key,
        is_numbered: numbered,
        is_date_like: false,
        is_sure_date: false,
        rules: Rules::ALL,
    })
}

/// Words before a code that are looked at.
const LOOK_BACK: usize = 7;

/// The classes of the nearest words before a code on its line: up to the end of a sentence or the
/// code before, and at most two words without a class.
fn key(tokens: &[Token], first: usize, barrier: usize) -> (Classes, bool, usize) {
    let (mut classes, mut numbered, mut key_at, mut plain) = (Classes::NONE, false, first, 0);
    let from = barrier.max(first.saturating_sub(LOOK_BACK));
    for at in (from..first).rev() {
        let token = &tokens[at];
        if token.line != tokens[first].line {
            break;
        }
        if token.class == Class::Sign {
            numbered |= token.first == b'#';
            let stop = match token.first {
                b'.' => at > 0 && tokens[at - 1].len() > 4 && tokens[at + 1].has(Flags::SPACE),
                b';' | b',' | b'!' | b'?' | b'|' => true,
                _ => false,
            };
            if stop {
                break;
            }
            continue;
        }
        if token.is(cues::NUMBER_WORD) {
            numbered = true;
            key_at = at;
            classes = classes.or(Classes(token.cue.classes.0 & KEYS.0));
            continue;
        }
        let found = Classes(token.cue.classes.0 & KEYS.0);
        if found == Classes::NONE {
            plain += 1;
            if plain > 2 || !classes_are_open(classes) {
                break;
            }
            continue;
        }
        classes = classes.or(found);
        key_at = at;
    }
    (classes, numbered, key_at)
}

/// Whether words before an unclassed word still belong to the key.
fn classes_are_open(classes: Classes) -> bool {
    classes == Classes::NONE
}

/// Classes of keys of numbers.
const KEYS: Classes = cues::KEY_RECORD
    .or(cues::KEY_ACCOUNT)
    .or(cues::KEY_PHONE)
    .or(cues::KEY_LICENCE)
    .or(cues::KEY_DEVICE)
    .or(cues::KEY_VEHICLE)
    .or(cues::KEY_NATIONAL)
    .or(cues::KEY_DATE)
    .or(cues::KEY_POSTAL)
    .or(cues::KEY_AGE)
    .or(cues::KEY_ADDRESS)
    .or(cues::KEY_WARD)
    .or(cues::BUILDING_PART)
    .or(cues::WARD_HEAD);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::document::Document;

    proptest! {
        /// A code is a chunk with a digit, without the signs at its ends.
        #[test]
        fn codes_are_chunks_with_a_digit(text in "[a1./: -]{0,40}") {
            let document = Document::read(&text, Document::default());
            let chunks = text.split([' ', ':']).map(|chunk| chunk.trim_matches(['.', '/', '-']));
            let chunks: Vec<&str> = chunks.filter(|chunk| chunk.contains('1')).collect();
            let code = |code: &super::Code| document.bytes(code.first as usize..code.end as usize);
            let codes: Vec<&str> = document.codes.iter().map(|own| document.slice(code(own))).collect();
            prop_assert_eq!(codes, chunks);
        }
    }
}
