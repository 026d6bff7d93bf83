//! The rules that can hold for a code.

use super::super::{licence, phone, record};
use super::Rules;
use crate::cues::{self, Sets};
use crate::document::{Code, Document};
use crate::token::{Flags, Token};

/// The rules that can hold for a code that `series` digits and letters start at, those of the codes
/// behind it on its line included. Whether a date of numbers starts at it is known.
pub(crate) fn of_code(document: &Document<'_>, code: &Code, series: (usize, usize), is_date: bool) -> Rules {
    let tokens = &document.tokens;
    let (first, end) = (code.first as usize, code.end as usize);
    let token = &tokens[first];
    let (digits, signs) = (series.0, series.0 + series.1);
    let (number, plain) = (token.is_number(), code.letters == 0);
    let single = end - first == 1;
    let zip = single && matches!(token.len(), 3..=6) || end - first == 3;
    let bytes = tokens[end - 1].end - token.start;
    let named = tokens[first.saturating_sub(3)..first].iter().any(|word| word.cue.sets().any(Sets::NATIONAL));
    let upper = first > 0 && tokens[first - 1].has(Flags::UPPER);
    let mut before = tokens[first.saturating_sub(5)..first].iter();
    let register = code.digits >= 2 && before.any(licence::is_register);
    let whole = code.digits + code.letters;
    // Letters of serial numbers are capitals, those of units are not.
    let capital = token.is_capital() || end - first > 1 && tokens[first + 1].is_capital() || end - first > 2;
    let mixed = code.digits >= 1 && code.letters >= 1 && capital;
    let named_driver = code.digits == 6 && upper && tokens[first - 1].len() == 5;
    let driver = named_driver && signs >= 11 || code.letters > 0 && matches!(whole, 5 | 16) && signs >= 16;
    let grouped = code.numbered && code.digits >= 2;
    let keyed = first > 0 && tokens[first.saturating_sub(2)..first].iter().any(is_extension);
    let extension = single && (3..=6).contains(&token.len()) && keyed
        || end - first == 2 && token.first | 0x20 == b'x' && token.len() == 1;
    Rules::of([
        (is_date, Rules::DATE),
        (number && single && matches!(token.len(), 2 | 6 | 8), Rules::OTHER_DATE),
        (zip, Rules::ZIP),
        (token.first.is_ascii_uppercase() && bytes <= 8, Rules::POSTCODE),
        (number && !code.is_sure_date && phone::goes_on(document, first), Rules::PHONE),
        (extension, Rules::EXTENSION),
        (plain && !code.is_date_like && digits >= 9, Rules::CHECKED),
        (plain && matches!(code.digits, 3 | 9) && digits >= 9, Rules::SSN),
        (code.digits <= 6 && digits >= 6 && (code.letters >= 2 || upper), Rules::NINO),
        (named && digits >= 7, Rules::NAMED),
        (plain && digits >= 13, Rules::CARD),
        (code.letters >= 2 && (signs >= 15 || token.has(Flags::UPPER)), Rules::IBAN),
        (code.digits >= 5 || grouped, Rules::RECORD),
        (code.digits >= 4 && code.letters <= 2 && !code.is_date_like, Rules::SIGNED),
        (code.digits >= 2 && record::is_labelled(document, code, upper), Rules::LABELLED),
        (register, Rules::REGISTERED),
        (driver, Rules::DRIVER),
        (mixed && (named || (8..=10).contains(&whole)), Rules::LETTERED),
        (mixed && code.letters >= 2 && (5..=20).contains(&whole), Rules::SERIAL),
        (code.digits <= 6 && can_be_plate(document, code, mixed, upper), Rules::PLATE),
    ])
    .or(of_address(document, code))
}

/// Whether a word is a key of an extension.
fn is_extension(token: &Token) -> bool {
    token.cue.sets().any(Sets::EXTENSION)
}

/// Whether a code with these properties can be a plate: one of a state in India by its form, any other
/// by what is before it.
fn can_be_plate(document: &Document<'_>, code: &Code, mixed: bool, upper: bool) -> bool {
    let tokens = &document.tokens;
    let first = code.first as usize;
    if !(mixed || upper && tokens[first - 1].len() <= 3) {
        return false;
    }
    let part = |token: &Token| token.has(Flags::UPPER.or(Flags::SINGLE)) && token.len() <= 3;
    let indian = code.letters >= 3
        || code.letters > 0 && upper && tokens[first - 1].len() == 2
        || tokens.get(code.end as usize).is_some_and(part);
    let said = Sets::VEHICLE.or(Sets::CALL);
    indian
        || code.keys.any(cues::KEY_VEHICLE)
        || tokens[first.saturating_sub(6)..first].iter().any(|token| token.cue.sets().any(said))
}

/// The rules of addresses that can hold for a code.
fn of_address(document: &Document<'_>, code: &Code) -> Rules {
    let tokens = &document.tokens;
    let first = code.first as usize;
    let token = &tokens[first];
    let before = |back: usize| first.checked_sub(back).map(|at| &tokens[at]);
    let set = |token: Option<&Token>| token.map_or(Sets::default(), |token| token.cue.sets());
    let capital = |token: Option<&Token>| token.is_some_and(Token::is_capital);
    let short = |token: &Token| token.is_word() && token.len() <= 2;
    let (one, two) = (before(1), before(2));
    let sign = one.map_or(0, |token| token.first);
    let house = token.is_number() && token.len() <= 4;
    let named = capital(one) || sign == b'.' && capital(two);
    let kind = |token: &Token| token.cue.sets().any(Sets::AVENUE);
    let ending = |token: &Token| token.cue.sets().any(Sets::ENDING);
    let direction = |token: &Token| token.is(cues::DIRECTION) && token.is_capital();
    let behind = &tokens[first + 1..tokens.len().min(first + 5)];
    let inner = tokens[first..code.end as usize].iter();
    Rules::of([
        (house && named, Rules::GLUED),
        (house && tokens[first.saturating_sub(9)..first].iter().any(kind), Rules::ABBREVIATED),
        (set(one).any(Sets::ROUTE), Rules::CROSSING),
        (set(one).any(Sets::PLOT) || sign == b'#' || sign == b'.' && set(two).any(Sets::PLOT), Rules::PLOT),
        (short(token) || one.is_some_and(short) || sign == b'#', Rules::ROAD),
        (house && behind.iter().any(ending), Rules::SMALL_STREET),
        (token.is_number() && behind.first().is_some_and(direction), Rules::GRID),
        (set(one).any(Sets::MOVED), Rules::MOVED),
        (code.digits >= 5 && inner.clone().any(|part| part.is_number() && part.len() == 5), Rules::CITY_LINE),
    ])
}
