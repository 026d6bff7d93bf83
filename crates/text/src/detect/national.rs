//! Numbers that states give to people: by their key, their shape and their check digits.

use super::checks;
use super::number::{self, Compact, keyed};
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Code, Document};
use crate::span::Kind;
use crate::words::WordSet;

/// Finds national numbers.
pub struct National;

keyed!(National, "national", NationalId, KEY_NATIONAL, 5, 0.95, 0.85);

/// The number of digits, a check of them, its rule, and its certainty without and with a key.
type Check = (usize, fn(&[u8]) -> bool, &'static str, f32, f32);

const CHECKS: [Check; 9] = [
    (10, checks::nhs, "NHS number", 0.8, 0.97),
    (11, checks::steuer_id, "tax number", 0.8, 0.97),
    (9, checks::bsn, "citizen service number", 0.55, 0.97),
    (15, checks::nir, "NIR", 0.9, 0.98),
    (12, checks::aadhaar, "Aadhaar", 0.8, 0.97),
    (9, checks::sin, "SIN", 0.55, 0.96),
    (9, checks::tfn, "TFN", 0.52, 0.96),
    (10, checks::medicare_australia, "Medicare number", 0.72, 0.96),
    (13, checks::south_african, "identity number", 0.84, 0.97),
];

impl Detector for National {
    fn name(&self) -> &'static str {
        "national"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
        type Rule = (Rules, fn(&National, &Document<'_>, usize, &mut Candidates));
        let rules: [Rule; 4] = [
            (Rules::CHECKED, National::check),
            (Rules::SSN, National::ssn),
            (Rules::NINO, National::nino),
            (Rules::NAMED, National::named),
        ];
        for (at, code) in document.code_places_here().zip(document.codes_here()) {
            for (rule, propose) in rules {
                if code.rules.any(rule) {
                    propose(self, document, at, found);
                }
            }
            self.last_four(document, at, found);
            if code.rules.any(Rules::LETTERED) {
                self.lettered(document, at, found);
            }
        }
    }
}

/// What numbers of people are called in several countries.
pub(super) const NAMES: WordSet = words![
    "svnr",
    "svnummer",
    "dni",
    "nie",
    "nif",
    "curp",
    "cpf",
    "ahv",
    "avs",
    "bsn",
    "personnummer",
    "cpr",
    "pesel",
    "ppsn",
    "pps",
    "tfn",
    "rut",
    "cnp",
    "oib",
    "jmbg",
    "egn",
    "emso",
    "aadhaar",
    "nric",
    "hkid",
    "medicare",
    "medicaid",
    "ramq",
    "ohip",
    "chi",
    "rvnr",
    "insz",
    "amka",
    "hetu",
    "dva",
    "nhi",
    "phn",
    "hcn",
    "hsn",
    "ihi",
    "sin",
    "nino",
    "bvn",
    "abha",
    "pan",
    "fin",
    "nss",
    "crn",
    "ppsno",
    "nhsno",
    "nin",
    "uid",
    "svn",
    "ssno",
];

impl National {
    /// A number behind its name in another country: "SVNR 1237 010180", "Medicare 2123 45670 1".
    fn named(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let first = document.codes[at].first as usize;
        let near = (first.saturating_sub(3)..first).rev().take_while(|word| document.same_line(*word, first));
        let key = near
            .take_while(|word| !document.tokens[*word].is_number())
            .find(|word| document.is_any(*word, NAMES));
        let Some(key) = key else { return };
        let last = number::series(document, at, 4);
        let digits: usize = document.codes[at..last].iter().map(|code| usize::from(code.digits)).sum();
        let mut end = document.codes[last - 1].end as usize;
        // The place on the card: "2428 77813 2 / 1".
        let slash =
            document.tokens.get(end).is_some_and(|sign| matches!(sign.first, b'/' | b'-') && !sign.is_word());
        if slash
            && document.is_any(key, words!["medicare"])
            && document.tokens.get(end + 1).is_some_and(|place| place.is_number() && place.len() == 1)
        {
            end += 2;
        }
        if digits >= 7 && !number::is_measured(document, end) {
            // "RAMQ TREM 8506 1234": letters of the name are a part.
            let head = number::headed(document, at)
                .filter(|head| *head > key && !document.tokens[*head].is(cues::NUMBER_WORD))
                .unwrap_or(first);
            let first = head.min(first);
            let score = Score::new("name of a number", document.bytes(key..key + 1), 0.84);
            found.add(self.name(), Kind::NationalId, document.bytes(first..end), &score);
        }
    }

    /// Numbers of letters and digits: "NHI ABC1235", "PAN ABCPK1234L", "NRIC S1234567D", "VX 220 914".
    fn lettered(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let (first, end) = (code.first as usize, code.end as usize);
        let near = |words: WordSet| {
            (first.saturating_sub(3)..first)
                .any(|word| document.is_any(word, words) && document.same_line(word, first))
        };
        let named = (8..=10).contains(&(code.digits + code.letters)) || near(NAMES);
        if code.digits < 2 || code.letters < 1 || !named {
            return;
        }
        let tokens = first..end;
        if !number::is_upper(document, code) {
            return;
        }
        let Some(compact) = Compact::new(document, tokens.clone()) else { return };
        let shape = compact.text();
        let (rule, certainty) = match () {
            _ if is_shape(shape, b"AAA9999") && near(words!["nhi"]) => ("NHI", 0.95),
            _ if is_shape(shape, b"AAA99AA") && near(words!["nhi"]) => ("NHI", 0.95),
            _ if is_shape(shape, b"AAAAA9999A") => ("PAN", if near(words!["pan"]) { 0.96 } else { 0.84 }),
            _ if is_shape(shape, b"A9999999A") && matches!(shape[0], b'S' | b'T' | b'F' | b'G' | b'M') => {
                ("NRIC", 0.9)
            }
            _ if is_shape(shape, b"9999999A") || is_shape(shape, b"9999999AA") => {
                ("PPS", if near(words!["pps", "ppsn"]) { 0.97 } else { 0.82 })
            }
            _ if near(words!["dva", "nhi", "pan", "nric", "fin"]) && shape.len() >= 6 => {
                ("name of a number", 0.8)
            }
            _ => return,
        };
        number::propose(self, Kind::NationalId, document, tokens, rule, certainty, found);
    }

    fn check(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        if document.codes[at].letters > 0 || document.codes[at].is_date_like {
            return;
        }
        let last = number::series(document, at, 7);
        // A bit for every number of digits that the first codes have together.
        let (mut digits, mut lengths) = (0, 0_u64);
        for code in &document.codes[at..last] {
            digits += u32::from(code.digits);
            lengths |= 1_u64.checked_shl(digits).unwrap_or(0);
        }
        if digits < 9 {
            return;
        }
        let keyed = number::keys(&document.codes[at]).0.any(cues::KEY_NATIONAL);
        for (length, check, rule, likely, sure) in CHECKS {
            if lengths >> length & 1 == 0 {
                continue;
            }
            if let Some(tokens) = number::checked_digits(document, at, 7, length..=length, check) {
                let certainty = if keyed { sure } else { likely };
                number::propose(self, Kind::NationalId, document, tokens, rule, certainty, found);
            }
        }
    }

    /// An American Social Security number, or its last four digits.
    fn ssn(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        if !matches!(code.digits, 3 | 9) || code.letters > 0 {
            return;
        }
        let groups = |compact: &Compact, code: &Code| {
            let shape = document.tokens[code.first as usize].len();
            compact.holds(checks::ssn) && (shape == 3 || shape == 9)
        };
        let Some(tokens) = number::checked(document, at, 3, groups) else {
            return;
        };
        let separated = tokens.len() == 5 || tokens.len() == 3 && code.digits == 3;
        let keyed = number::keys(code).0.any(cues::KEY_NATIONAL);
        let shape = if separated { 0.88 } else { 0.5 };
        let mut score = Score::new("SSN", document.bytes(tokens.clone()), shape);
        if keyed {
            score.raise("key", document.bytes(code.key_at as usize..code.first as usize), 0.9);
        }
        if separated && document.tokens[code.first as usize + 2].len() == 2 || keyed {
            found.add(self.name(), Kind::NationalId, document.bytes(tokens), &score);
        }
    }

    /// The last four digits of a Social Security number: "last four 4471", "xxx-xx-4471".
    fn last_four(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let number = (code.end as usize).saturating_sub(1);
        let tokens = &document.tokens;
        if code.digits != 4 || tokens[number].len() != 4 || !tokens[number].is_number() {
            return;
        }
        let hidden = number >= 4
            && document.is_any(number - 4, words!["xxx"])
            && document.is_any(number - 2, words!["xx"])
            && [number - 1, number - 3].iter().all(|sign| tokens[*sign].is_sign(b'-'));
        let mut word = number;
        // Words and signs between: "last 4 of SSN: 4471".
        while word > 0
            && number - word < 6
            && (matches!(tokens[word - 1].first, b':' | b'#' | b'=')
                || document.is_any(
                    word - 1,
                    words![
                        "of", "ssn", "ss", "social", "is", "digits", "the", "in", "with", "ends", "ending",
                        "security", "number"
                    ],
                ))
        {
            word -= 1;
        }
        let last = word >= 2
            && document.is_any(word - 1, words!["four", "4"])
            && document.is_any(word - 2, words!["last"])
            && document.same_line(word - 2, number);
        // "SSN ends in 4471".
        let ends = (word..number).any(|at| document.is_any(at, words!["ends", "ending"]))
            && (word..number).any(|at| document.is_any(at, words!["ssn", "ss", "social"]));
        if !(hidden || last || ends) || number::is_measured(document, number + 1) {
            return;
        }
        let from = if hidden { number - 4 } else { word.saturating_sub(2) };
        let evidence = document.bytes(from..number);
        let score = Score::new("last four digits", evidence, 0.85);
        found.add(self.name(), Kind::NationalId, document.bytes(number..number + 1), &score);
    }

    /// A British National Insurance number: two letters, six digits, a letter from A to D.
    fn nino(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let mut first = code.first as usize;
        let lettered =
            code.letters >= 2 || first > 0 && document.tokens[first - 1].has(crate::token::Flags::UPPER);
        if code.digits > 6 || !lettered {
            return;
        }
        if code.letters == 0 && first > 0 && document.tokens[first - 1].len() == 2 {
            first -= 1;
        }
        let last = document.codes[number::series(document, at, 4) - 1].end as usize;
        for end in [last + 1, last] {
            let tokens = first..end.min(document.tokens.len());
            let shape = Compact::new(document, tokens.clone()).is_some_and(|compact| is_nino(compact.text()));
            if shape && document.same_line(first, tokens.end - 1) {
                number::propose(self, Kind::NationalId, document, tokens, "NINO", 0.93, found);
                return;
            }
        }
    }
}

/// Whether a text has capitals at the places of A and digits at those of 9.
fn is_shape(text: &[u8], shape: &[u8]) -> bool {
    let same = |(sign, class): (&u8, &u8)| match class {
        b'A' => sign.is_ascii_uppercase(),
        _ => sign.is_ascii_digit(),
    };
    text.len() == shape.len() && text.iter().zip(shape).all(same)
}

fn is_nino(text: &[u8]) -> bool {
    text.len() == 9
        && text[..2].iter().all(u8::is_ascii_uppercase)
        && text[2..8].iter().all(u8::is_ascii_digit)
        && matches!(text[8], b'A'..=b'D')
}
