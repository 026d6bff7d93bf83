//! Numbers of licences and certificates: by their key, and by the checks of NPI and DEA numbers.

use super::checks;
use super::number::{self, keyed};
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Finds numbers of licences.
pub struct Licence;

keyed!(Licence, "licence", Licence, KEY_LICENCE, 4, 0.92, 0.82);

/// Registers of professions and abbreviations of a licence, which have a number directly behind them.
const REGISTERS: WordSet = words![
    "gmc",
    "nmc",
    "gdc",
    "goc",
    "gphc",
    "hcpc",
    "hpc",
    "imc",
    "nmbi",
    "coru",
    "ahpra",
    "mcnz",
    "nzmc",
    "nzdc",
    "mci",
    "tnmc",
    "kmc",
    "mmc",
    "dmc",
    "pmc",
    "apmc",
    "wbmc",
    "mdcn",
    "nmcn",
    "hpcsa",
    "sanc",
    "cpso",
    "cpsbc",
    "cpsa",
    "cpsm",
    "cpss",
    "cpsns",
    "cmq",
    "mcr",
    "pmdc",
    "npi",
    "upin",
    "dea",
    "lic",
    "licence",
    "license",
    "regn",
    "regd",
    "reg",
    "registration",
    "badge",
    "permit",
    "cert",
    "certificate",
    "certification",
    "provider",
    "prescriber",
    "pin",
    "colegiado",
];

/// Ranks of the police, whose numbers stand before a name.
pub(super) const RANKS: WordSet =
    words!["pc", "dc", "wpc", "ps", "ds", "pcso", "constable", "officer", "const", "garda", "sgt", "gdc"];

impl Detector for Licence {
    fn name(&self) -> &'static str {
        "licence"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
        for (at, code) in document.code_places_here().zip(document.codes_here()) {
            if code.rules.any(Rules::REGISTERED) {
                self.registered(document, at, found);
            }
            if code.rules.any(Rules::DRIVER) {
                self.driver(document, at, found);
            }
            let accept =
                |compact: &number::Compact, _: &_| compact.holds(checks::npi) || checks::dea(compact.text());
            // Both have at least seven digits.
            if code.digits >= 7
                && let Some(tokens) = number::checked(document, at, 1, accept)
            {
                let rule = if code.letters == 0 { "NPI" } else { "DEA" };
                number::propose(self, Kind::Licence, document, tokens, rule, 0.87, found);
            }
        }
    }
}

/// Whether a word may be a register or a rank.
pub(super) fn is_register(word: &Token) -> bool {
    word.is(cues::KEY_LICENCE) || word.cue.sets().any(cues::Sets::RANK)
}

impl Licence {
    /// A number directly behind a register or a rank: "lic. 8871", "HCPC PH 112478", "PC 2290 Whitlock".
    fn registered(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let tokens = &document.tokens;
        let first = code.first as usize;
        if code.digits < 2 {
            return;
        }
        let mut start = first;
        let part = |at: usize| {
            tokens[at].is_word() && tokens[at].has(Flags::UPPER.or(Flags::SINGLE)) && tokens[at].len() <= 4
        };
        // "HCPC PH 112478", "Regn. No. TN 88214".
        let apart = tokens[first].has(Flags::GAP.or(Flags::LINE));
        if !apart
            && first >= 2
            && part(first - 1)
            && !document.is_any(first - 1, REGISTERS)
            && !document.is_any(first - 1, RANKS)
        {
            start -= 1;
        }
        let mut key = start;
        while key > 0
            && start - key < 3
            && (matches!(tokens[key - 1].first, b'.' | b':' | b'#') && !tokens[key - 1].is_word()
                || tokens[key - 1].is(cues::NUMBER_WORD))
        {
            key -= 1;
        }
        let Some(key) = key.checked_sub(1).filter(|key| document.same_line(*key, first)) else { return };
        let year = code.letters == 0
            && code.digits == 4
            && matches!(tokens[first].first, b'1' | b'2')
            && key + 1 == first;
        let register = document.is_any(key, REGISTERS);
        let least = if start < first || code.letters > 0 { 3 } else { 4 };
        let odd = code.is_date_like
            || number::is_pair(document, code) && !number::is_serial(document, code)
            || number::is_measured(document, code.end as usize);
        if register && code.digits >= least && !year && !odd && tokens[key].len() > 1 {
            let evidence = document.bytes(key..first);
            let score = Score::new("register", evidence, if start < first { 0.93 } else { 0.86 });
            let whole = number::extended(document, at);
            let start = start.min(whole.start);
            found.add(self.name(), Kind::Licence, document.bytes(start..whole.end), &score);
            return;
        }
        let rank = key + 1 == first && document.is_any(key, RANKS) && (tokens[key].is_capital());
        let named =
            tokens.get(code.end as usize).is_some_and(|next| super::is_name(next) && !next.has(Flags::LINE));
        if rank && named && (2..=6).contains(&code.digits) && code.letters <= 2 && !odd {
            let score = Score::new("rank before", document.bytes(key..first), 0.78);
            found.add(self.name(), Kind::Licence, document.bytes(first..code.end as usize), &score);
        }
    }

    /// A British driver's number: five letters of the name or nines, six digits, initials and check
    /// signs: "HAUGE 711167 B99TE".
    fn driver(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let end = number::series(document, at, 3);
        let mut first = code.first as usize;
        if code.letters == 0 && code.digits == 6 && first > 0 && document.tokens[first - 1].len() == 5 {
            first -= 1;
        } else if code.letters + code.digits != 5 && code.letters + code.digits != 16 {
            return;
        }
        for last in (at..end).rev() {
            let tokens = first..document.codes[last].end as usize;
            let driver =
                number::Compact::new(document, tokens.clone()).is_some_and(|whole| is_driver(whole.text()));
            if driver && document.same_line(first, tokens.end - 1) {
                number::propose(self, Kind::Licence, document, tokens, "driver's number", 0.95, found);
                return;
            }
        }
    }
}

/// Whether a text has the shape of a British driver's number.
fn is_driver(text: &[u8]) -> bool {
    let letter = |sign: &u8| sign.is_ascii_uppercase();
    let padded = |sign: &u8| sign.is_ascii_uppercase() || *sign == b'9';
    text.len() == 16
        && letter(&text[0])
        && text[..5].iter().all(padded)
        && text[5..11].iter().all(u8::is_ascii_digit)
        && text[11..13].iter().all(padded)
        && text[13..].iter().all(u8::is_ascii_alphanumeric)
}
