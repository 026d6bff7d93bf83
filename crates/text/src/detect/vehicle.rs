//! Vehicles: plates by their key, identification numbers by their check digit.

use std::ops::Range;

use super::checks;
use super::number::{self, keyed};
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Classes};
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

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
            let keyed = key.any(cues::KEY_VEHICLE) && lettered();
            if keyed {
                self.plate(document, at, found);
            }
            if code.rules.any(Rules::PLATE) {
                self.shaped(document, at, keyed, found);
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

/// Vehicles, and words of their plates that are no keys of forms.
pub(super) const VEHICLES: WordSet = words![
    "rego",
    "numberplate",
    "plate",
    "plates",
    "vehicle",
    "taxi",
    "cab",
    "bus",
    "ambulance",
    "moped",
    "scooter",
    "bike",
    "motorbike",
    "suv",
    "sedan",
    "ute",
    "bakkie",
    "lorry",
    "truck",
    "van",
    "hatchback",
    "saloon",
    "pickup",
    "minibus",
    "minivan",
    "car",
    "cars",
    "jeep",
    "tractor",
    "okada",
    "keke",
    "rickshaw",
    "auto",
    "combi",
    "kombi",
    "trailer",
    "caravan",
    "toyota",
    "ford",
    "honda",
    "nissan",
    "vauxhall",
    "opel",
    "corsa",
    "astra",
    "fiesta",
    "focus",
    "golf",
    "polo",
    "micra",
    "clio",
    "peugeot",
    "renault",
    "volkswagen",
    "vw",
    "bmw",
    "audi",
    "mercedes",
    "skoda",
    "kia",
    "hyundai",
    "mazda",
    "subaru",
    "suzuki",
    "holden",
    "commodore",
    "hilux",
    "corolla",
    "camry",
    "civic",
    "accord",
    "tesla",
    "volvo",
    "saab",
    "fiat",
    "citroen",
    "chevrolet",
    "chevy",
    "dodge",
    "tata",
    "maruti",
    "bajaj",
    "yamaha",
    "ducati",
    "kawasaki",
    "isuzu",
    "mitsubishi",
    "lexus",
    "qashqai",
    "yaris",
    "transit",
    "ranger",
    "seat",
    "dacia",
    "innova",
    "alto",
    "innocenti",
    "altima",
    "sentra",
    "prius",
    "rav4",
    "buick",
    "gmc",
    "cadillac",
    "lincoln",
    "acura",
    "outback",
    "forester",
    "navara",
    "amarok",
    "triton",
    "sprinter",
    "berlingo",
    "passat",
    "octavia",
    "tiguan",
];

/// Before a call sign.
pub(super) const CALLS: WordSet = words!["callsign", "sign"];

impl Vehicle {
    /// A plate behind a vehicle, or in a layout that nothing else has: "Corsa YN66 OZT", "a taxi, SHA
    /// 1234 K", "TN 09 AB 1234", "call sign MS417".
    fn shaped(&self, document: &Document<'_>, at: usize, keyed: bool, found: &mut Candidates) {
        let code = &document.codes[at];
        let before = (code.first as usize).checked_sub(1).map(|before| &document.tokens[before]);
        let upper = before.is_some_and(|word| word.has(Flags::UPPER) && word.len() <= 3);
        if code.letters == 0 && !upper {
            return;
        }
        let Some(tokens) = plate_of(document, at) else { return };
        let Some(compact) = number::Compact::new(document, tokens.clone()) else { return };
        let first = tokens.start;
        let indian = is_indian(compact.text());
        let behind = || {
            (first.saturating_sub(5)..first)
                .rev()
                .take_while(|at| document.same_line(*at, first) && !document.tokens[*at].is_sign(b'.'))
                .filter(|at| document.tokens[*at].cue.sets().any(cues::Sets::VEHICLE))
                .any(|at| document.is_any(at, VEHICLES) && !document.tokens[at + 1].is(cues::PARTICLE))
        };
        let call = || {
            first >= 2 && document.is(first - 1, "sign") && document.is(first - 2, "call")
                || first >= 1 && document.is_any(first - 1, words!["callsign", "rego"])
        };
        let (rule, certainty) = match () {
            _ if indian => ("plate of a state", 0.88),
            _ if (4..=10).contains(&compact.text().len()) && (keyed || behind()) => {
                ("plate behind a vehicle", 0.86)
            }
            _ if call() => ("call sign", 0.76),
            _ => return,
        };
        let score = Score::new(rule, document.bytes(tokens.clone()), certainty);
        found.add(self.name(), Kind::Vehicle, document.bytes(tokens), &score);
    }

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

/// Words that are beside numbers, but not in plates.
const NO_PLATE: Classes = cues::MONTH
    .or(cues::NUMBER_WORD)
    .or(cues::KEY_VEHICLE)
    .or(cues::KEY_DATE)
    .or(cues::KEY_RECORD)
    .or(cues::KEY_NATIONAL)
    .or(cues::KEY_AGE);

/// The tokens of a possible plate around a code: capitals before and behind it belong to it.
fn plate_of(document: &Document<'_>, at: usize) -> Option<Range<usize>> {
    let tokens = &document.tokens;
    let code = &document.codes[at];
    let (mut first, mut end) = (code.first as usize, code.end as usize);
    if code.digits > 6
        || !number::is_upper(document, code)
        || number::is_pair(document, code)
        || code.is_date_like
        || number::is_measured(document, end)
        || end - first == 2
            && tokens[first].is_number()
            && tokens[first + 1].is(cues::UNIT)
            && !(first > 0 && tokens[first - 1].has(Flags::UPPER))
    {
        return None;
    }
    // "DOB 12 March".
    if tokens.get(end).is_some_and(|next| next.is(cues::MONTH)) {
        return None;
    }
    let part = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            token.is_word()
                && token.has(Flags::UPPER.or(Flags::SINGLE))
                && token.is_capital()
                && token.len() <= 3
                && !token.word.is_function()
                && !token.is(NO_PLATE)
        })
    };
    let apart = Flags::GAP.or(Flags::LINE);
    if first > 0 && part(first - 1) && !tokens[first].has(apart) {
        first -= 1;
    }
    let last = number::series(document, at, 3);
    for next in &document.codes[at + 1..last] {
        let small = next.digits <= 4 && next.end - next.first <= 3 && number::is_upper(document, next);
        if !small || next.is_date_like {
            break;
        }
        end = next.end as usize;
    }
    // "TN 09 AB 1234": letters, then the code that goes on behind them.
    if part(end) && !tokens[end].has(apart) && !tokens[end].word.is_common() {
        end += 1;
        let number =
            tokens.get(end).is_some_and(|token| token.is_number() && token.len() <= 4 && !token.has(apart));
        end += usize::from(number);
    }
    let letters = tokens[first..end].iter().any(Token::is_word);
    (letters && end - first <= 7).then_some(first..end)
}

/// Two letters, one or two digits, one to three letters, four digits: "TN 09 AB 1234".
fn is_indian(text: &[u8]) -> bool {
    let letters = |from: usize| text[from..].iter().take_while(|sign| sign.is_ascii_uppercase()).count();
    let digits = |from: usize| text[from..].iter().take_while(|sign| sign.is_ascii_digit()).count();
    if !(9..=11).contains(&text.len()) || letters(0) != 2 {
        return false;
    }
    let district = digits(2);
    let series = if district > 0 { letters(2 + district) } else { 0 };
    (1..=2).contains(&district)
        && (1..=3).contains(&series)
        && digits(2 + district + series) == 4
        && text.len() == 6 + district + series
}

/// Seventeen signs without I, O and Q, with letters and digits.
fn is_vin(text: &[u8]) -> bool {
    let valid =
        |sign: &u8| sign.is_ascii_digit() || sign.is_ascii_uppercase() && !matches!(sign, b'I' | b'O' | b'Q');
    text.len() == 17 && text.iter().all(valid) && text.iter().any(u8::is_ascii_uppercase)
}
