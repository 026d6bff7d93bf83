//! Runs of capitalized words: what a name of a person, place or institution is written as.
//!
//! A run goes on over initials with dots, hyphens, abbreviated titles with dots, small particles
//! before another capital ("van der Berg"), and over the end of a wrapped line.

use crate::cues;
use crate::detect::Rules;
use crate::token::{Flags, Token};

/// A run of capitalized words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first token.
    pub first: u32,
    /// The token after the last one.
    pub end: u32,
    /// The rules that can hold for it.
    pub rules: Rules,
}

/// Runs longer than this are cut, so that work on a run is bounded.
const LONGEST: usize = 24;

/// Finds all runs: from these capitalized words on, by token.
pub fn find(tokens: &[Token], capitals: &[u32], runs: &mut Vec<Run>) {
    runs.clear();
    let mut done = 0;
    for capital in capitals {
        let at = *capital as usize;
        if at < done || !is_proper(&tokens[at]) && !is_titled(tokens, at) {
            continue;
        }
        let mut end = at + 1;
        while let Some(next) = following(tokens, end).filter(|next| next - at < LONGEST) {
            end = next + 1;
        }
        runs.push(Run { first: at as u32, end: end as u32, rules: Rules::ALL });
        done = end;
    }
}

/// The capitalized word that continues a run which ends before a token.
fn following(tokens: &[Token], end: usize) -> Option<usize> {
    let last = &tokens[end - 1];
    let next = tokens.get(end)?;
    if next.is_sign(b'.') && !next.has(Flags::SPACE) {
        let abbreviated = last.has(Flags::SINGLE)
            || last.is(cues::TITLE)
            || last.len() == 2 && last.is(cues::NAME_FILLER.or(cues::STREET_SUFFIX));
        // "H.-P. Lund".
        if last.has(Flags::SINGLE)
            && tokens.get(end + 1).is_some_and(|sign| sign.is_sign(b'-') && !sign.has(Flags::SPACE))
            && tokens.get(end + 2).is_some_and(|second| {
                second.is_capital() && second.has(Flags::SINGLE) && !second.has(Flags::SPACE)
            })
        {
            return Some(end + 2);
        }
        let behind = tokens.get(end + 1).filter(|behind| is_proper(behind) && abbreviated)?;
        return joined(last, behind).then_some(end + 1);
    }
    if (next.is_sign(b'-') || next.first == 0xe2 && !next.is_word()) && !next.has(Flags::SPACE) {
        let behind = tokens.get(end + 1)?;
        // "Stratford-upon-Avon".
        let middle = behind.is_word() && !behind.has(Flags::CAPITAL.or(Flags::SPACE)) && behind.len() <= 5;
        if middle && tokens.get(end + 2).is_some_and(|sign| sign.is_sign(b'-') && !sign.has(Flags::SPACE)) {
            return tokens
                .get(end + 3)
                .filter(|last| last.is_capital() && !last.has(Flags::SPACE))
                .map(|_| end + 3);
        }
        return (behind.is_word() && behind.has(Flags::CAPITAL) && !behind.has(Flags::SPACE))
            .then_some(end + 1);
    }
    if (is_proper(next) || is_titled(tokens, end)) && joined(last, next) {
        return Some(end);
    }
    // Up to three small particles before a capital.
    let mut at = end;
    while at < end + 3 && tokens.get(at).is_some_and(is_particle) && tokens[at].line == last.line {
        at += 1;
    }
    let behind = tokens.get(at).filter(|behind| at > end && is_proper(behind) && behind.line == last.line)?;
    (!behind.has(Flags::GAP)).then_some(at)
}

/// Whether a word has a capital that says something: where all words have one, only those that can
/// be part of a name.
fn is_proper(token: &Token) -> bool {
    if !token.is_capital() || !token.has(Flags::SHOUTED) {
        return token.is_capital();
    }
    let word = token.word;
    if word.is_function() || token.is(cues::NOBODY) {
        return false;
    }
    let cue = cues::TITLE
        .or(cues::CREDENTIAL)
        .or(cues::NAME_FILLER)
        .or(cues::INSTITUTION_HEAD)
        .or(cues::SCHOOL_HEAD)
        .or(cues::COMPANY_SUFFIX)
        .or(cues::STREET_SUFFIX)
        .or(cues::PARTICLE);
    let named = (word.is_first_name() || word.is_last_name()) && word.name_odds() > -1.2;
    let place = word.is_city() && !word.is_common()
        || word.is_state()
        || word.is_country()
        || token.len() == 2 && word.is_state_code();
    !word.is_known() || named || place || token.is(cue) || token.has(Flags::SINGLE)
}

/// Whether a title stands before a word where all words are in capitals: "CHIEF SKIP DAUGHERTY".
fn is_titled(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let dot = usize::from(at > 0 && tokens[at - 1].is_sign(b'.'));
    token.is_capital()
        && token.has(Flags::UPPER)
        && token.word.is_first_name()
        && !token.has(Flags::LINE.or(Flags::GAP))
        && at.checked_sub(1 + dot).is_some_and(|title| {
            tokens[title].is(cues::TITLE) && !tokens[title].is(cues::STREET_SUFFIX.or(cues::RELATIVE))
        })
}

fn is_particle(token: &Token) -> bool {
    let small = !token.has(Flags::CAPITAL) || token.has(Flags::SHOUTED);
    token.is_word() && small && !token.has(Flags::GAP) && token.is(cues::PARTICLE)
}

/// Whether a word continues what the one before it began.
fn joined(last: &Token, next: &Token) -> bool {
    next.line == last.line && !next.has(Flags::GAP.or(Flags::SENTENCE))
}
