//! Vehicles: plates by their key, identification numbers by their check digit.

use super::Detector;
use super::checks;
use super::number::{self, keyed};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::Flags;

/// Finds plates and identification numbers.
pub struct Vehicle;

keyed!(Vehicle, "vehicle", Vehicle, KEY_VEHICLE, 2, 0.9, 0.8);

impl Detector for Vehicle {
    fn name(&self) -> &'static str {
        "vehicle"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for at in document.code_places_here() {
            let code = &document.codes[at];
            let (key, _) = number::keys(code);
            let lettered = || code.letters > 0 || number::extended(document, at).start < code.first as usize;
            if key.any(cues::KEY_VEHICLE) && lettered() {
                self.plate(document, at, found);
            }
            self.british(document, at, found);
            if code.letters + code.digits == 17
                && let Some(tokens) = number::checked(document, at, 1, |compact, _| is_vin(compact.text()))
            {
                let sure = Score::new("VIN", document.bytes(tokens.clone()), 0.9);
                let checked =
                    number::Compact::new(document, tokens.clone()).is_some_and(|c| checks::vin(c.text()));
                let mut score = sure;
                if checked {
                    score.raise("check digit", document.bytes(tokens.clone()), 0.8);
                }
                found.add(self.name(), Kind::Vehicle, document.bytes(tokens), &score);
            }
        }
    }
}

impl Vehicle {
    /// A British plate without a key: "AB12 CDE".
    fn british(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let (first, end) = (code.first as usize, code.end as usize);
        let tokens = &document.tokens;
        let shape = end - first == 2
            && tokens[first].has(Flags::UPPER)
            && tokens[first].len() == 2
            && tokens[first + 1].len() == 2;
        let letters = tokens.get(end).is_some_and(|token| {
            token.has(Flags::UPPER)
                && token.len() == 3
                && !token.has(Flags::LINE.or(Flags::GAP))
                && !token.word.is_medical()
                && !token.word.is_common()
        });
        if shape && letters && !document.glued(end) {
            let score = Score::new("British plate", document.bytes(first..end + 1), 0.76);
            found.add(self.name(), Kind::Vehicle, document.bytes(first..end + 1), &score);
        }
    }

    /// A plate with all its parts: "7KLM442", "B-XY 123", "AB12 CDE".
    fn plate(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let mut tokens = number::extended(document, at);
        let letters = |at: usize| {
            document.tokens.get(at).is_some_and(|token| {
                token.has(Flags::UPPER.or(Flags::SINGLE))
                    && token.has(Flags::CAPITAL)
                    && token.len() <= 3
                    && !token.has(Flags::LINE.or(Flags::SENTENCE).or(Flags::GAP))
                    && !document.tokens.get(at + 1).is_some_and(|next| next.is_number())
            })
        };
        if letters(tokens.end) {
            tokens.end += 1;
        }
        let evidence = document.bytes(code.key_at as usize..code.first as usize);
        let score =
            Score::new(KEYED.rule, evidence, if code.letters > 0 { KEYED.sure } else { KEYED.likely });
        found.add(self.name(), Kind::Vehicle, document.bytes(tokens), &score);
    }
}

/// Seventeen signs without I, O and Q, with letters and digits.
fn is_vin(text: &[u8]) -> bool {
    let valid =
        |sign: &u8| sign.is_ascii_digit() || sign.is_ascii_uppercase() && !matches!(sign, b'I' | b'O' | b'Q');
    text.len() == 17 && text.iter().all(valid) && text.iter().any(u8::is_ascii_uppercase)
}
