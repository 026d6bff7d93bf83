//! A text with its tokens and indexes: lines, fields of forms, runs of capitalized words, codes.
//!
//! Detectors look only at the indexes of their interest. Everything is made in one pass each over
//! the tokens, and the memory of a document is used again for the next one.

mod codes;
mod fields;
mod lines;
mod runs;
mod window;

pub use codes::Code;
pub use fields::Field;
pub use lines::Line;
pub use runs::Run;

use std::ops::Range;

use crate::cues::{self, Classes, Traits};
use crate::detect::{DateStyle, Nameness, is_date_like, judge, longest_phrase, numeric, of_code, of_run};
use crate::lexicon::Word;
use crate::token::{self, Flags, Token};
use crate::words::WordSet;
use window::Window;

/// Tokens that are indexed at a time: one per bit.
const PICKED: usize = 64;

// The indexes that list a token, one bit each; those of the traits of its word are where the traits
// have them.
const MARK: u8 = 1 << 0;
const CAPITAL: u8 = 1 << 1;
const NUMBER: u8 = 1 << 5;
const SIGN: u8 = 1 << 6;
const LOWER: u8 = Traits::LOWER;

/// The indexes that the first byte of a token says.
static FIRST: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => NUMBER,
            b':' => MARK | SIGN,
            b'@' | b'.' => SIGN,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// The indexes that list a token, which has others than those of its word and its first byte by its
/// flags and the word before it. Without a branch, which would be hard to predict.
#[inline(always)]
fn indexes(token: &Token, before: Traits) -> u8 {
    let traits = token.cue.traits.0;
    let listed = traits & (Traits::HEAD | Traits::TIME | Traits::PEOPLE);
    let placed = (before.0 << 2) & (traits << 1);
    let small = !token.has(Flags::CAPITAL.or(Flags::SINGLE));
    let lower = (traits | placed) & LOWER & (u8::from(small) << 7);
    // A dot or a colon joins what is before it only without a blank.
    let blank = u8::from(token.has(Flags::SPACE) & (token.first != b'@'));
    let first = FIRST[usize::from(token.first)] & !(blank * SIGN);
    let gap = MARK * u8::from(token.has(Flags::GAP));
    let capital = CAPITAL * u8::from(token.has(Flags::CAPITAL));
    first | listed | lower | gap | capital
}

/// Moves a bit of each of eight bytes to the places of a byte.
#[inline(always)]
fn gathered(bytes: u64, bit: usize) -> u64 {
    (bytes >> bit & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Adds the tokens of a chunk that starts at a token, by one bit each.
#[inline]
fn extend(list: &mut Vec<u32>, from: u32, mut bits: u64) {
    while bits != 0 {
        list.push(from + bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// A text with its tokens and indexes.
#[derive(Debug, Default)]
pub struct Document<'a> {
    /// The text.
    pub text: &'a str,
    /// All tokens.
    pub tokens: Vec<Token>,
    /// All lines that have a token.
    pub lines: Vec<Line>,
    /// Runs of capitalized words.
    pub runs: Vec<Run>,
    /// Chunks without blanks that have a digit.
    pub codes: Vec<Code>,
    /// Keys with values: "DOB: 1 May 1980".
    pub fields: Vec<Field>,
    /// Words that are heads of names or parts of addresses, by token.
    pub heads: Vec<u32>,
    /// Words of dates and ages, by token.
    pub times: Vec<u32>,
    /// Words that people are named behind, by token.
    pub people: Vec<u32>,
    /// Capitalized words, by token.
    pub capitals: Vec<u32>,
    /// Words in small letters that may be names or places, by token.
    pub lowers: Vec<u32>,
    /// Numbers, by token.
    numbers: Vec<u32>,
    /// Colons and what is behind a gap, by token.
    pub(crate) marks: Vec<u32>,
    /// How much capitalized words look like names, in the order of `capitals`.
    names: Vec<Nameness>,
    /// The place in `names` plus one, by token; 0 for none.
    name_at: Vec<u32>,
    /// The longest phrases of the lexicon that start with a capitalized word: its token, the token
    /// after the phrase, and what is known about it.
    pub phrases: Vec<(u32, u32, Word)>,
    /// At signs, by token.
    pub ats: Vec<u32>,
    /// Colons and dots between words without blanks, by token.
    pub joints: Vec<u32>,
    /// How dates are written.
    pub(crate) dates: DateStyle,
    /// Whether there is a bar, as in a table.
    pub(crate) has_bars: bool,
    /// What detectors start from.
    window: Window,
}

impl<'a> Document<'a> {
    /// Reads a text into the memory of an earlier document.
    pub fn read(text: &'a str, earlier: Document<'_>) -> Document<'a> {
        let mut document = Document::read_tokens(text, earlier);
        let Document { tokens, lines, runs, fields, capitals, marks, .. } = &mut document;
        runs::find(tokens, capitals, runs);
        fields::find(tokens, lines, marks, fields);
        for field in fields {
            for token in &mut tokens[field.key.start as usize..field.key.end as usize] {
                token.flags = token.flags.or(Flags::KEY);
            }
        }
        document.find_phrases();
        document.judge_names();
        document.judge_runs();
        document.judge_codes();
        document.open();
        document
    }

    /// Reads only tokens, their lines, and the indexes of them: all that dates need.
    pub(crate) fn read_tokens(text: &'a str, earlier: Document<'_>) -> Document<'a> {
        let mut document = Document::read_lines(text, earlier);
        document.index();
        codes::find(&document.tokens, &document.numbers, &mut document.codes);
        document.open();
        document
    }

    /// Reads only tokens and their lines: all that further mentions of names and replacements need.
    pub(crate) fn read_lines(text: &'a str, earlier: Document<'_>) -> Document<'a> {
        let mut document = Document { text, ..earlier.forget() };
        document.clear_index();
        let Document { tokens, lines, .. } = &mut document;
        token::tokenize(text, tokens);
        token::mark_uncased(tokens);
        lines::mark(tokens, lines);
        document
    }

    /// The same of a text whose tokens and lines are known.
    pub(crate) fn of_tokens(
        text: &'a str,
        tokens: Vec<Token>,
        lines: Vec<Line>,
        earlier: Document<'_>,
    ) -> Document<'a> {
        let mut document = Document { text, tokens, lines, ..earlier.forget() };
        document.clear_index();
        document
    }

    fn clear_index(&mut self) {
        let Document { heads, times, people, ats, joints, capitals, lowers, numbers, marks, .. } = self;
        for list in [heads, times, people, ats, joints, capitals, lowers, numbers, marks] {
            list.clear();
        }
        self.runs.clear();
        self.codes.clear();
        self.fields.clear();
        self.names.clear();
        self.name_at.clear();
        self.phrases.clear();
        self.dates = DateStyle::default();
        self.has_bars = false;
    }

    /// Lists the tokens that detectors and further indexes start from.
    fn index(&mut self) {
        let Document { tokens, heads, times, people, capitals, numbers, marks, lowers, .. } = self;
        let (mut before, mut bars) = (Traits::default(), false);
        for (chunk, from) in tokens.chunks(PICKED).zip((0..).step_by(PICKED)) {
            // A byte per token has a bit per list; then a number per list has a bit per token.
            let mut picked = [0u64; 8];
            for (part, tokens) in chunk.chunks(8).enumerate() {
                let mut bytes = 0;
                for (place, token) in tokens.iter().enumerate() {
                    bytes |= u64::from(indexes(token, before)) << (8 * place);
                    before = token.cue.traits;
                    bars |= token.first == b'|';
                }
                for (bit, picked) in picked.iter_mut().enumerate() {
                    *picked |= gathered(bytes, bit) << (8 * part);
                }
            }
            let [mark, capital, head, time, person, number, mut signs, lower] = picked;
            let lists = [&mut *marks, capitals, heads, times, people, numbers, lowers];
            let picked = [mark, capital, head, time, person, number, lower];
            lists.into_iter().zip(picked).for_each(|(list, bits)| extend(list, from, bits));
            while signs != 0 {
                let place = signs.trailing_zeros();
                let at = chunk[place as usize].first == b'@';
                if at { &mut self.ats } else { &mut self.joints }.push(from + place);
                signs &= signs - 1;
            }
        }
        self.has_bars = bars;
    }

    /// Finds the phrases that capitalized words start.
    fn find_phrases(&mut self) {
        let mut phrases = std::mem::take(&mut self.phrases);
        phrases.clear();
        for at in &self.capitals {
            if self.tokens[*at as usize].word.starts_phrase()
                && let Some((end, word)) = longest_phrase(self, *at as usize)
            {
                phrases.push((*at, end as u32, word));
            }
        }
        self.phrases = phrases;
    }

    /// Judges how much capitalized words look like names.
    fn judge_names(&mut self) {
        let mut names = std::mem::take(&mut self.names);
        names.clear();
        names.extend(self.capitals.iter().map(|at| judge(self, *at as usize)));
        self.names = names;
        self.name_at.clear();
        self.name_at.resize(self.tokens.len(), 0);
        for (place, at) in (1..).zip(&self.capitals) {
            self.name_at[*at as usize] = place;
        }
    }

    /// How much a capitalized word looks like a name.
    pub fn name(&self, at: usize) -> Option<Nameness> {
        let place = self.name_at.get(at)?.checked_sub(1)?;
        self.names.get(place as usize).copied()
    }

    /// Adds the keys of fields to the codes in their values, and marks those that look like dates.
    fn judge_codes(&mut self) {
        let mut codes = std::mem::take(&mut self.codes);
        let mut fields = self.fields.iter().peekable();
        let mut last = None;
        for code in &mut codes {
            // The last field whose value starts before the code. Both lists are sorted.
            while let Some(field) = fields.next_if(|field| field.value.start <= code.first) {
                last = Some(field);
            }
            let field = last.filter(|field| field.value.end > code.first);
            if let Some(field) = field.filter(|field| code.first - field.value.start < 3) {
                code.keys = code.key.or(field.head).or(field.all);
                code.is_numbered = code.numbered || field.numbered;
            }
        }
        // The digits and letters from a code on, with those of the codes that follow it directly.
        let (mut series, mut next) = ((0, 0), None);
        for code in codes.iter_mut().rev() {
            if next != Some(code.end) {
                series = (0, 0);
            }
            series = (series.0 + usize::from(code.digits), series.1 + usize::from(code.letters));
            let date = numeric(self, code.first as usize);
            code.is_date_like = is_date_like(self, code, date.as_ref());
            if let Some(date) = &date {
                self.dates.learn(date, self.tokens[date.first + 1].first);
            }
            code.is_sure_date = date.is_some_and(|date| date.certainty > 0.6);
            code.rules = of_code(self, code, series, date.is_some());
            next = Some(code.first);
        }
        self.codes = codes;
        self.learn_months();
    }

    /// Learns from the names of months how dates are written.
    fn learn_months(&mut self) {
        let day = |at: Option<&Token>| at.is_some_and(|token| token.is_number() && token.len() <= 2);
        for at in &self.times {
            let at = *at as usize;
            let token = &self.tokens[at];
            if token.is(cues::MONTH) && token.has(Flags::CAPITAL) {
                let before = day(at.checked_sub(1).map(|before| &self.tokens[before]));
                self.dates.learn_name(token.cue.value, before, day(self.tokens.get(at + 1)));
            }
        }
    }

    /// Finds the rules that can hold for the runs.
    fn judge_runs(&mut self) {
        let mut runs = std::mem::take(&mut self.runs);
        for run in &mut runs {
            run.rules = of_run(self, run);
        }
        self.runs = runs;
    }

    /// The memory of the document for the next one.
    pub fn forget(self) -> Document<'static> {
        let Document { tokens, lines, runs, codes, fields, heads, times, people, .. } = self;
        let Document { capitals, lowers, numbers, marks, names, name_at, phrases, ats, joints, .. } = self;
        Document {
            text: "",
            tokens,
            lines,
            runs,
            codes,
            fields,
            heads,
            times,
            people,
            capitals,
            lowers,
            numbers,
            marks,
            names,
            name_at,
            phrases,
            ats,
            joints,
            dates: DateStyle::default(),
            has_bars: false,
            window: Window::default(),
        }
    }

    /// The longest phrase that starts with a capitalized word, with its end.
    pub fn phrase_at(&self, at: usize) -> Option<(usize, Word)> {
        let place = self.phrases.binary_search_by_key(&(at as u32), |phrase| phrase.0).ok()?;
        self.phrases.get(place).map(|(_, end, word)| (*end as usize, *word))
    }

    /// The first token from some token on that starts at a byte or behind it. In growing steps:
    /// what is looked for is mostly near.
    pub(crate) fn token_behind(&self, from: usize, byte: u32) -> usize {
        let tokens = self.tokens.get(from..).unwrap_or_default();
        let before = |token: &Token| token.start < byte;
        let (mut low, mut step) = (0, 4);
        while tokens.get(low + step).is_some_and(before) {
            (low, step) = (low + step, 2 * step);
        }
        from + low + tokens[low..tokens.len().min(low + step)].partition_point(before)
    }

    /// The text of a token.
    pub fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.start as usize..token.end as usize])
    }

    /// The text of bytes.
    pub fn slice(&self, bytes: Range<u32>) -> &'a str {
        self.text.get(bytes.start as usize..bytes.end as usize).unwrap_or_default()
    }

    /// The bytes of a range of tokens; empty for an empty range.
    #[inline(never)]
    pub fn bytes(&self, tokens: Range<usize>) -> Range<u32> {
        match (
            self.tokens.get(tokens.start),
            tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last)),
        ) {
            (Some(first), Some(last)) if tokens.start < tokens.end => first.start..last.end,
            _ => 0..0,
        }
    }

    /// Whether a token is this word, its ASCII letters in any case.
    #[inline]
    pub fn is(&self, at: usize, word: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| self.reads(token, word.as_bytes()))
    }

    /// Whether a token is one of these words, in any case but with the same accents.
    #[inline(always)]
    pub fn is_any(&self, at: usize, words: WordSet) -> bool {
        match self.tokens.get(at) {
            Some(token) => words.may_have(token.hash) && self.has_word(token, words),
            None => false,
        }
    }

    /// Apart, so that the code of all callers stays small.
    #[inline(never)]
    fn has_word(&self, token: &Token, words: WordSet) -> bool {
        let text = &self.text.as_bytes()[token.start as usize..token.end as usize];
        // Signs share one hash.
        let plain = token.hash != 0 && !token.has(Flags::FOREIGN);
        words.has(token.hash, text, plain)
    }

    /// Compares lengths and first letters before it looks at the text.
    #[inline]
    fn reads(&self, token: &Token, word: &[u8]) -> bool {
        token.len() == word.len()
            && word.first().is_some_and(|first| first | 0x20 == token.first | 0x20)
            && self.text.as_bytes()[token.start as usize..token.end as usize].eq_ignore_ascii_case(word)
    }

    /// Whether a token follows the one before it without a blank.
    pub fn glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| !token.has(Flags::SPACE))
    }

    /// Whether two tokens are on one line.
    pub fn same_line(&self, first: usize, second: usize) -> bool {
        match (self.tokens.get(first), self.tokens.get(second)) {
            (Some(first), Some(second)) => first.line == second.line,
            _ => false,
        }
    }

    /// The line of a token.
    pub fn line(&self, at: usize) -> Option<&Line> {
        self.lines.get(self.tokens.get(at)?.line as usize)
    }

    /// Classes of the word at a token.
    pub fn classes(&self, at: usize) -> Classes {
        self.tokens.get(at).map_or(Classes::NONE, |token| token.cue.classes)
    }

    /// Whether a token belongs to the key of a field.
    pub fn is_key(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.has(Flags::KEY))
    }

    /// Whether a word is a heading of a table: alone in its cell, and a key.
    pub fn is_cell_key(&self, at: usize) -> bool {
        let bar = |at: usize| self.tokens.get(at).is_some_and(|token| token.is_sign(b'|'));
        let key = |at: usize| {
            self.tokens.get(at).is_some_and(|token| token.is_word() && token.cue.classes != Classes::NONE)
        };
        if !self.has_bars || !key(at) {
            return false;
        }
        let ends = bar(at + 1) || key(at + 1) && bar(at + 2);
        let starts = at > 0 && (bar(at - 1) || key(at - 1) && at > 1 && bar(at - 2));
        ends && starts
    }

    /// The last field whose value has this token.
    pub fn field_of(&self, at: usize) -> Option<&Field> {
        let behind = self.fields.partition_point(|field| field.value.start as usize <= at);
        let field = self.fields.get(behind.checked_sub(1)?)?;
        ((field.value.end as usize) > at).then_some(field)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The token behind a byte is the one that a look at every token finds.
        #[test]
        fn tokens_are_found_by_bytes(text in "[a1 .]{0,80}", from in 0usize..40, byte in 0u32..90) {
            let document = Document::read(&text, Document::default());
            let from = from.min(document.tokens.len());
            let near = document.tokens[from..].iter().take_while(|token| token.start < byte);
            prop_assert_eq!(document.token_behind(from, byte), from + near.count());
        }
    }
}
