//! Numbers of accounts, insurance policies and payment cards: by their key, by Luhn's check and by
//! the check of ISO 13616.

use std::ops::Range;

use super::checks;
use super::number::{self, keyed};
use super::{Detector, Rules};
use crate::candidates::Candidates;
use crate::document::Document;
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Finds numbers of accounts.
pub struct Account;

keyed!(Account, "account", Account, KEY_ACCOUNT, 4, 0.92, 0.8);

impl Detector for Account {
    fn name(&self) -> &'static str {
        "account"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
        insured(document, found);
        for at in document.code_places_here() {
            let code = &document.codes[at];
            if code.rules.any(Rules::CARD)
                && let Some(tokens) = number::checked_digits(document, at, 5, 13..=19, checks::payment_card)
            {
                number::propose(self, Kind::Account, document, tokens, "Luhn", 0.93, found);
            }
            if code.rules.any(Rules::IBAN)
                && let Some(tokens) = spaced_iban(document, code.first as usize)
            {
                number::propose(self, Kind::Account, document, tokens, "modulo 97", 0.99, found);
            }
            if code.rules.any(Rules::IBAN)
                && let Some(tokens) =
                    number::checked(document, at, 9, |compact, _| checks::iban(compact.text()))
            {
                number::propose(self, Kind::Account, document, tokens, "modulo 97", 0.99, found);
            }
        }
    }
}

/// Insurers whose name has no word such as "insurance" in it, and what their funds are called.
const INSURERS: WordSet = words![
    "bupa",
    "axa",
    "vhi",
    "laya",
    "vitality",
    "medibank",
    "hcf",
    "nib",
    "discovery",
    "bonitas",
    "momentum",
    "gems",
    "bcbs",
    "cigna",
    "aetna",
    "humana",
    "kaiser",
    "tricare",
    "anthem",
    "molina",
    "ahcccs",
    "nhif",
    "health",
    "scheme",
    "fund",
];

/// Groups of digits behind an insurer: "BUPA 7781 2234", "Discovery Health 448 122 301".
fn insured(document: &Document<'_>, found: &mut Candidates) {
    for at in document.code_places_here() {
        let code = &document.codes[at];
        let first = code.first as usize;
        if code.digits < 3 {
            continue;
        }
        let insurer = first.checked_sub(1).is_some_and(|word| {
            document.tokens[word].is_capital()
                && document.is_any(word, INSURERS)
                && document.same_line(word, first)
        });
        if !insurer || code.letters > 4 || code.is_date_like {
            continue;
        }
        let tokens = number::extended(document, at);
        let digits: usize =
            document.tokens[tokens.clone()].iter().filter(|t| t.is_number()).map(|t| t.len()).sum();
        if digits >= 6 && !number::is_measured(document, tokens.end) {
            number::propose(&Account, Kind::Account, document, tokens, "behind an insurer", 0.8, found);
        }
    }
}

/// An IBAN in groups of four; some groups may be letters alone: "IE29 AIBK 9311 5212 3456 78".
fn spaced_iban(document: &Document<'_>, first: usize) -> Option<Range<usize>> {
    let tokens = &document.tokens;
    let head = tokens[first].is_word()
        && tokens[first].has(Flags::UPPER)
        && tokens[first].len() == 2
        && tokens
            .get(first + 1)
            .is_some_and(|check| check.is_number() && check.len() == 2 && document.glued(first + 1));
    if !head {
        return None;
    }
    let mut end = first + 2;
    let mut best = None;
    while end < first + 20
        && tokens.get(end).is_some_and(|token| {
            (token.is_number() || token.is_word() && token.has(Flags::UPPER.or(Flags::SINGLE)))
                && token.len() <= 30
                && !token.has(Flags::LINE.or(Flags::GAP))
        })
    {
        end += 1;
        let whole = number::Compact::new(document, first..end)?;
        if whole.text().len() >= 15 && checks::iban(whole.text()) {
            best = Some(first..end);
        }
    }
    best
}
