//! Lines of a text, and which of their words start a sentence.
//!
//! A line that was wrapped for its length and the next one are one line: a name, a number or an
//! address may go on behind the break.

use crate::cues;
use crate::token::{Flags, Token};

/// A line that has a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The first token.
    pub first: u32,
    /// The token after the last one.
    pub end: u32,
    /// The number of bytes from the first token to the last.
    pub bytes: u32,
    /// Whether an empty line is before it, or nothing.
    pub paragraph: bool,
}

/// Lines of at least this number of bytes are wrapped: a sentence goes on in the next one.
const WRAPPED: u32 = 50;

/// Whether a token with this first byte neither ends a sentence nor is a bullet or a quotation mark.
static PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = !matches!(
            byte as u8,
            b'!' | b'?' | b':' | b';' | b'|' | b'"' | b'\'' | b'(' | b')' | b'.' | b'-' | b'*' | b'>' | b'#'
        );
        byte += 1;
    }
    table
};

/// Gives every token its line and marks the first words of sentences.
pub fn mark(tokens: &mut [Token], lines: &mut Vec<Line>) {
    lines.clear();
    // The first token of the written line, and whether it has columns.
    let (mut written, mut columns) = (0, false);
    let mut number = 0;
    // Whether no sentence starts behind the token before, as behind most tokens.
    let mut plain = false;
    let breaks = Flags::LINE.or(Flags::PARAGRAPH).or(Flags::GAP);
    for at in 0..tokens.len() {
        let token = &mut tokens[at];
        let behind = std::mem::replace(&mut plain, PLAIN[usize::from(token.first)]);
        if behind && !token.has(breaks) {
            columns |= token.first == b'|';
            token.line = number;
            continue;
        }
        if tokens[at].has(Flags::LINE) || at == 0 {
            if at > 0 && !columns && is_wrapped(tokens, written, at) {
                tokens[at].flags = Flags(tokens[at].flags.0 & !Flags::LINE.0);
            }
            (written, columns) = (at, false);
        }
        if tokens[at].has(Flags::LINE) || at == 0 {
            end(tokens, lines, at);
            let paragraph = tokens[at].has(Flags::PARAGRAPH);
            number = lines.len() as u32;
            lines.push(Line { first: at as u32, end: at as u32, bytes: 0, paragraph });
        }
        let token = &mut tokens[at];
        columns |= token.has(Flags::GAP) || token.is_sign(b'|');
        token.line = number;
        if starts_sentence(tokens, at) {
            tokens[at].flags = tokens[at].flags.or(Flags::SENTENCE);
        }
    }
    end(tokens, lines, tokens.len());
}

/// Ends the last line before a token.
fn end(tokens: &[Token], lines: &mut [Line], at: usize) {
    if let Some(line) = lines.last_mut() {
        line.end = at as u32;
        line.bytes = tokens[at - 1].end - tokens[line.first as usize].start;
    }
}

/// Whether the text goes on in the line that starts at a token: the line before is long, and no
/// key, item or cell starts here.
fn is_wrapped(tokens: &[Token], written: usize, at: usize) -> bool {
    let token = &tokens[at];
    let long = tokens[at - 1].end - tokens[written].start >= WRAPPED;
    if !long || token.has(Flags::PARAGRAPH) || tokens[at - 1].is_sign(b':') {
        return false;
    }
    let item = token.is_number()
        && tokens
            .get(at + 1)
            .is_some_and(|sign| matches!(sign.first, b'.' | b')') && !sign.has(Flags::SPACE))
        && tokens.get(at + 2).is_some_and(|next| next.has(Flags::SPACE) && !next.has(Flags::LINE));
    let bullet =
        !token.is_word() && !token.is_number() && !matches!(token.first, b'(' | b'"' | b'+' | b'#' | b'&');
    let line = tokens[at..]
        .iter()
        .take(6)
        .enumerate()
        .take_while(|(place, token)| *place == 0 || !token.has(Flags::LINE));
    let key = line
        .map(|(_, token)| token)
        .take_while(|token| token.is_word() || matches!(token.first, b':' | b'#' | b'/'))
        .any(|token| token.is_sign(b':'));
    // "drbatt 09:43: whats her temp?", and lists of lines that start with a date or a number.
    let number = |at: usize| tokens.get(at).is_some_and(Token::is_number);
    let timed = number(at + 1) && tokens.get(at + 2).is_some_and(|sign| sign.is_sign(b':')) && number(at + 3);
    let dated = number(at)
        && number(written)
        && tokens.get(at + 1).is_some_and(|sign| {
            sign.first == tokens[written + 1].first && matches!(sign.first, b'/' | b':' | b'.' | b'-')
        });
    // "Contact.......: dau Mary": a key with leaders.
    let dot = |at: usize| tokens.get(at).is_some_and(|sign| sign.is_sign(b'.') && !sign.has(Flags::SPACE));
    let leaders = (at + 1..at + 4).any(|at| dot(at) && dot(at + 1) && !tokens[at].has(Flags::LINE));
    !(item || bullet || key || timed || dated || leaders)
}

/// Whether a token is the first of a sentence, item or cell.
fn starts_sentence(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if token.has(Flags::PARAGRAPH.or(Flags::GAP)) || at == 0 {
        return true;
    }
    if token.has(Flags::LINE) {
        return true;
    }
    let previous = &tokens[at - 1];
    if PLAIN[usize::from(previous.first)] {
        return false;
    }
    if token.has(Flags::SPACE) && ends_sentence(tokens, at - 1) {
        return true;
    }
    // Behind a bullet or the number of an item.
    let bullet =
        matches!(previous.first, b'-' | b'*' | b'>' | b'|' | b'.' | b')' | b'#' | 0xe2 | b'"' | b'(');
    !previous.is_word() && bullet && previous.has(Flags::LINE)
        || bullet && at >= 2 && tokens[at - 2].is_number() && tokens[at - 2].has(Flags::LINE)
        || matches!(previous.first, b'"' | b'\'')
            && !previous.is_word()
            && at >= 2
            && ends_sentence(tokens, at - 2)
        || previous.first == 0xe2 && previous.has(Flags::SENTENCE)
}

/// Whether a sign ends a sentence; a dot behind a title or an initial does not.
fn ends_sentence(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if token.is_word() || token.is_number() {
        return false;
    }
    match token.first {
        b'!' | b'?' | b':' | b';' | b'|' => true,
        b'"' | b')' => at > 0 && matches!(tokens[at - 1].first, b'.' | b'!' | b'?'),
        b'.' => {
            let Some(before) = at.checked_sub(1).map(|before| &tokens[before]) else { return true };
            let initial = before.is_word() && before.has(Flags::SINGLE) && before.is_capital();
            let title = before.is_capital() && before.is(cues::TITLE) && before.len() <= 5;
            let saint = before.is_capital() && before.len() == 2 && before.is(cues::STREET_SUFFIX);
            !(initial || title || saint)
        }
        _ => false,
    }
}
