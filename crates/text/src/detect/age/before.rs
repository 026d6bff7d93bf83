//! Ages by what is before them: "is 47", "turned 40", a sex, a name, a bracket, a comma.

use super::super::{is_name, number};
use super::family::{aside, family_member, identified, is_kin, listed, relative};
use super::{Evidence, number_is_age};
use crate::cues::{self, Sets};
use crate::document::Document;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// A number, and what is directly before it.
struct Place<'d, 't> {
    document: &'d Document<'t>,
    first: usize,
    end: usize,
    previous: usize,
}

/// A rule that may find an age.
type Rule = fn(&Place<'_, '_>) -> Option<Evidence>;

/// In the order in which they are asked.
const RULES: [Rule; 17] = [
    |place| place.between_slashes(),
    |place| place.now(),
    |place| place.oneself(),
    |place| place.somebody(),
    |place| place.turned(),
    |place| place.of_or_at(),
    |place| aside(place.document, place.first, place.end),
    |place| identified(place.document, place.first, place.end),
    |place| relative(place.document, place.first, place.end),
    |place| place.in_family(),
    |place| place.of_kin(),
    |place| place.behind_sex(),
    |place| place.behind_full_name(),
    |place| place.in_brackets(),
    |place| place.child(),
    |place| place.beside_kin(),
    |place| place.between_commas(),
];

/// What is before an age in brackets or behind a name: "(66)", "at age 38" is elsewhere; "turned
/// 40".
pub(super) fn before(document: &Document<'_>, first: usize, end: usize) -> Option<Evidence> {
    let previous = first.checked_sub(1)?;
    // A value is behind a sign or the words of its key.
    let opened = !document.tokens[previous].is_word() || document.is_key(previous);
    let place = Place { document, first, end, previous };
    opened
        .then(|| keyed(document, first))
        .flatten()
        .or_else(|| if place.may_be_age() { place.by_rules() } else { None })
}

/// The same, by asking the key and every rule.
#[cfg(test)]
pub(super) fn by_rules(document: &Document<'_>, first: usize, end: usize) -> Option<Evidence> {
    let place = Place { document, first, end, previous: first.checked_sub(1)? };
    keyed(document, first).or_else(|| place.by_rules())
}

/// The value of "Age:".
fn keyed(document: &Document<'_>, first: usize) -> Option<Evidence> {
    let field = document
        .field_of(first)
        .filter(|field| field.head.any(cues::KEY_AGE) && field.value.start as usize == first)?;
    Some(("key of an age", 0.95, field.key.start as usize, field.key.end as usize))
}

/// "She's", with and without its apostrophe.
pub(in super::super) const CONTRACTED: WordSet = words!["she's", "he's", "shes", "hes"];

/// Somebody, before a verb or a number.
pub(in super::super) const SOMEBODY: WordSet = words!["he", "she", "who"];

/// Verbs before an age.
pub(in super::super) const BEING: WordSet = words!["is", "was", "be", "am", "im", "are"];

/// Before an age that somebody had or reached.
pub(in super::super) const TURNED: WordSet =
    words!["turned", "turning", "turns", "turn", "aged", "approx", "aet"];

/// Before the age of relatives.
pub(in super::super) const ABOUT: WordSet = words!["both", "about", "approx", "approximately", "nearly"];

impl Place<'_, '_> {
    fn by_rules(&self) -> Option<Evidence> {
        RULES.iter().find_map(|rule| rule(self))
    }

    fn token(&self, at: usize) -> &Token {
        &self.document.tokens[at]
    }

    fn number(&self) -> &Token {
        self.token(self.first)
    }

    /// The token behind the number.
    fn next(&self) -> Option<&Token> {
        self.document.tokens.get(self.end)
    }

    /// Whether the token behind it is one of some signs, or there is none.
    fn closes(&self, signs: &[u8]) -> bool {
        self.next().is_none_or(|next| signs.contains(&next.first) && !next.is_word())
    }

    /// Whether one of the rules can hold, by the words and signs that each of them asks for first.
    fn may_be_age(&self) -> bool {
        let (previous, number) = (self.token(self.previous), self.number());
        let signs = matches!(
            previous.first,
            b'/' | b',' | b'.' | b';' | b'(' | b'|' | b'&' | b'"' | b'~' | 0xe2 | b'0'..=b'9'
        );
        // "46 (DOB", "| 29 |", "91 next month".
        let next = self
            .next()
            .is_some_and(|next| matches!(next.first, b'(' | b'|') || next.cue.sets().any(Sets::AGE_BEHIND));
        let near = &self.document.tokens[self.first.saturating_sub(4)..self.first];
        signs
            || next
            || previous.cue.sets().any(Sets::AGE_BEFORE)
            || previous.has(Flags::SINGLE)
            || number.has(Flags::GAP)
            || near.iter().any(|token| token.is(cues::RELATIVE))
            || is_name(previous)
    }

    fn is_behind_comma(&self) -> bool {
        self.token(self.previous).is_sign(b',')
    }

    /// The name before what is directly before the number.
    fn name(&self) -> Option<&Token> {
        self.previous.checked_sub(1).map(|at| self.token(at)).filter(|token| is_name(token))
    }

    fn number_follows(&self) -> bool {
        self.document.tokens.get(self.end + 1).is_some_and(Token::is_number)
    }

    fn is_age(&self) -> bool {
        self.number().is_number() && number_is_age(self.document, self.first)
    }

    /// Whether a statement ends behind the number.
    fn ends(&self) -> bool {
        let (document, end) = (self.document, self.end);
        self.closes(b".,;!?)")
            || document.is_any(end, words!["and", "but", "years", "now", "when", "then"])
            || self.next().is_some_and(|next| next.is_sign(b'"') && next.has(Flags::SPACE))
            || document.is(end, "in")
                && document.tokens.get(end + 1).is_some_and(|month| month.is(cues::MONTH))
    }

    /// "4 Aug/68/Gronholt" in a list of onset, age and place.
    fn between_slashes(&self) -> Option<Evidence> {
        let (document, end, previous) = (self.document, self.end, self.previous);
        let tokens = &document.tokens;
        let slash = |at: usize| tokens.get(at).is_some_and(|token| token.is_sign(b'/') && document.glued(at));
        let listed = slash(previous)
            && slash(end)
            && previous > 0
            && tokens[previous - 1].is(cues::MONTH)
            && tokens.get(end + 1).is_some_and(|place| place.is_capital() && document.glued(end + 1));
        listed.then(|| ("between a date and a place", 0.7, previous - 1, self.first))
    }

    /// "Now 67, he retired", "is now 70".
    fn now(&self) -> Option<Evidence> {
        let (document, previous) = (self.document, self.previous);
        if !document.is(previous, "now") || !self.is_age() {
            return None;
        }
        let opened = self.token(previous).has(Flags::SENTENCE)
            && self.next().is_some_and(|next| {
                next.is_sign(b',') || document.is_any(self.end, words!["and", "he", "she"])
            });
        if opened {
            return Some(("now N", 0.74, previous, self.first));
        }
        let verb = previous > 0 && document.is_any(previous - 1, words!["is", "are", "am", "he's", "she's"]);
        (verb && self.ends()).then(|| ("is now N", 0.78, previous - 1, self.first))
    }

    /// "She's 91", "you are 47", "I am 52".
    fn oneself(&self) -> Option<Evidence> {
        let (document, previous) = (self.document, self.previous);
        let short = self.token(previous).has(Flags::POSSESSIVE) && document.is_any(previous, SOMEBODY);
        let child = self.number().is_number() && self.number().len() == 1 && self.number().first != b'0';
        if short && (self.is_age() || child && document.is_any(self.end, words!["and", "now"])) && self.ends()
        {
            return Some(("is N years old", 0.8, previous, self.first));
        }
        let subject = previous > 0
            && (document.is(previous, "are") && document.is(previous - 1, "you")
                || document.is_any(previous, words!["am", "im"]) && document.is(previous - 1, "i"));
        let found = subject && self.number().len() <= 3 && self.is_age() && self.ends();
        found.then(|| ("is N years old", 0.8, previous - 1, self.first))
    }

    /// "He is 47", "his sister was ninety", "Mrs Long is 88".
    fn somebody(&self) -> Option<Evidence> {
        let (document, previous) = (self.document, self.previous);
        let contracted = document.is_any(previous, CONTRACTED);
        let number = self.number();
        let likely =
            number.is_number() && number.len() <= 3 || number.is(cues::NUMBER) && number.cue.value >= 10;
        if !likely || !contracted && !document.is_any(previous, words!["is", "was", "be"]) || !self.ends() {
            return None;
        }
        let subject = self.token(previous.checked_sub(1)?);
        let person = is_name(subject)
            || subject.is(cues::RELATIVE)
            || contracted
            || subject.is_capital()
                && !subject.word.is_known()
                && !subject.has(Flags::UPPER.or(Flags::MIXED))
            || document.is_any(
                previous - 1,
                words![
                    "he", "she", "who", "now", "patient", "pt", "her", "him", "will", "she'll", "he'll",
                    "who'll", "would", "to", "shell", "hell",
                ],
            );
        let measured =
            self.next().is_some_and(|next| next.is_sign(b'%') || next.is_sign(b'.') && self.number_follows());
        let found = person && (contracted || !document.glued(previous - 1)) && !measured;
        found.then(|| ("is N years old", 0.8, previous - 1, self.first))
    }

    fn turned(&self) -> Option<Evidence> {
        let (document, number) = (self.document, self.number());
        let found = document.is_any(self.previous, TURNED)
            && (number.is_number() && number.len() == 2 || number.is(cues::NUMBER))
            && (!number::is_measured(document, self.end) || document.is(self.end, "in"));
        found.then_some(("turned", 0.8, self.previous, self.first))
    }

    /// "A retired teacher of 71", "breast cancer at 38 and".
    fn of_or_at(&self) -> Option<Evidence> {
        let (document, previous) = (self.document, self.previous);
        let (of, at) = (document.is(previous, "of"), document.is(previous, "at"));
        let number = self.number();
        let adult = number.is_number() && number.len() == 2 && number.first != b'0';
        if !of && !at || !adult || !self.ends() {
            return None;
        }
        let before = previous.checked_sub(1)?;
        let word = self.token(before);
        let people =
            words!["man", "woman", "lady", "gentleman", "boy", "girl", "age", "teacher", "schoolteacher"];
        if of && (word.word.is_occupation() || document.is_any(before, people)) {
            return Some(("of N years", 0.78, before, self.first));
        }
        let events = words![
            "died",
            "diagnosed",
            "retired",
            "married",
            "cancer",
            "attack",
            "stroke",
            "menarche",
            "menopause",
        ];
        let event = (word.word.is_medical() || document.is_any(before, events))
            && word.is_word()
            && !word.has(Flags::CAPITAL);
        (at && event).then_some(("at N years", 0.72, before, self.first))
    }

    /// "♀ 46", "aged 14, 12 and 9", "mother, 70, gout", "brother 45 DM", "two sisters, 40 and 38", "At
    /// 71 she still drives".
    fn in_family(&self) -> Option<Evidence> {
        let (document, first, end, previous) = (self.document, self.first, self.end, self.previous);
        let sign = self.token(previous).first == 0xe2 && matches!(document.word(previous), "♀" | "♂");
        if sign && self.is_age() {
            return Some(("sex before", 0.84, previous, first));
        }
        if let Some(from) = listed(document, first, end) {
            return Some(("list of ages", 0.72, from, first));
        }
        if family_member(document, first, end) {
            return Some(("behind a relative", 0.72, previous, first));
        }
        let subject =
            document.is_any(end, words!["he", "she", "they"]) && self.token(previous).has(Flags::SENTENCE);
        let found = subject && document.is(previous, "at") && self.is_age();
        found.then_some(("at N years", 0.76, previous, first))
    }

    /// "twins Thomas and Lily, both 17", "Youngest, 20,", "Mother-in-law Hamida Bi, about 65,", "w/ grandson
    /// (2)".
    fn of_kin(&self) -> Option<Evidence> {
        let (document, previous) = (self.document, self.previous);
        let number = self.number();
        let small = number.is_number() && number.len() <= 2 && number.first != b'0';
        if !small || previous == 0 || !self.closes(b",.;)") || self.number_follows() {
            return None;
        }
        let child = words!["youngest", "eldest", "oldest", "middle"];
        let kin = self.is_behind_comma() && document.is_any(previous - 1, child);
        let about = document.is_any(previous, ABOUT)
            && self.token(previous - 1).is_sign(b',')
            && is_kin(document, previous, 10);
        let bracket = self.token(previous).is_sign(b'(')
            && self.closes(b")")
            && self.token(previous - 1).is(cues::RELATIVE);
        (kin || about || bracket).then_some(("behind a relative", 0.74, previous - 1, self.first))
    }

    /// "F 61", "M/61" at the start of a line or cell, or behind a name.
    fn behind_sex(&self) -> Option<Evidence> {
        let (document, previous) = (self.document, self.previous);
        let slash = usize::from(self.token(previous).is_sign(b'/') && document.glued(self.first));
        let at = previous.checked_sub(slash)?;
        let sex = self.token(at);
        let likely = sex.has(Flags::SINGLE)
            && matches!(sex.first, b'F' | b'M')
            && self.number().is_number()
            && self.number().len() == 2;
        if !likely {
            return None;
        }
        let alone = sex.has(Flags::LINE.or(Flags::GAP))
            || at > 0 && {
                let before = self.token(at - 1);
                matches!(before.first, b',' | b'(' | b'|' | b':' | b';' | b'.') && !before.is_word()
                    || is_name(before)
            };
        let found = alone && !number::is_measured(document, self.end);
        found.then_some(("sex before", 0.78, at, self.first))
    }

    /// "SMITH 51": a number of two digits that ends the line of a name.
    fn behind_full_name(&self) -> Option<Evidence> {
        let (number, last) = (self.number(), self.token(self.previous));
        let full = last.is_capital()
            && is_name(last)
            && !last.word.is_eponym()
            && self.name().is_some()
            && number.is_number()
            && number.len() == 2
            && number.first != b'0'
            && !self.document.glued(self.first);
        let ends =
            || self.next().is_some_and(|next| next.has(Flags::LINE.or(Flags::GAP))) || self.closes(b",)|");
        (full && ends()).then(|| ("behind a full name", 0.62, self.previous - 1, self.first))
    }

    /// "(anna, 26)"; "Lily (6)", "Mr Zielinski (45)".
    fn in_brackets(&self) -> Option<Evidence> {
        let (number, previous) = (self.number(), self.previous);
        let next = self.next()?;
        if !number.is_number() || previous == 0 {
            return None;
        }
        let inner = self.is_behind_comma()
            && next.is_sign(b')')
            && self.token(previous - 1).is_word()
            && number.len() <= 2;
        if inner {
            return Some(("behind a name in brackets", 0.76, previous - 1, self.first));
        }
        let bracket = self.token(previous).is_sign(b'(') && (next.is_sign(b')') || next.is_sign(b','));
        let found = bracket && self.name().is_some();
        found.then_some(("in brackets behind a name", 0.8, previous - 1, previous))
    }

    /// "Rohan, 6, and Isla": a child in a list.
    fn child(&self) -> Option<Evidence> {
        let number = self.number();
        let listed = self.is_behind_comma()
            && number.is_number()
            && number.len() == 1
            && number.first != b'0'
            && self.next().is_some()
            && self.closes(b",;).")
            && !self.number_follows()
            && !number::is_measured(self.document, self.end);
        let name = self.name().filter(|_| listed)?;
        let young = name.word.is_first_name() || is_kin(self.document, self.previous - 1, 3);
        young.then(|| ("between commas behind a name", 0.7, self.previous - 1, self.previous))
    }

    /// "2 kids, Zeke 9 and Amara 6".
    fn beside_kin(&self) -> Option<Evidence> {
        let (document, number, name) = (self.document, self.number(), self.token(self.previous));
        let beside = is_name(name)
            && !name.word.is_eponym()
            && number.is_number()
            && number.len() <= 2
            && number.first != b'0'
            && number.has(Flags::SPACE)
            && !number.has(Flags::LINE.or(Flags::GAP))
            && (number.len() == 1 || name.word.is_first_name());
        let followed = || {
            self.next().is_none()
                || self.closes(b",;).") && !self.number_follows()
                || document.is_any(self.end, words!["and", "&"])
        };
        let found = beside && followed() && is_kin(document, self.previous, 8);
        found.then_some(("behind the name of a relative", 0.72, self.previous, self.first))
    }

    /// "Wanda Smith, 47, was".
    fn between_commas(&self) -> Option<Evidence> {
        let number = self.number();
        if !self.is_behind_comma() || !number.is_number() || number.len() != 2 {
            return None;
        }
        let goes_on = words!["and", "who", "with", "lives", "was", "is", "from"];
        let ends = self.next().is_none_or(|next| {
            self.closes(b",.;)") && !next.is_number() && !self.number_follows()
                || next.has(Flags::LINE)
                || self.document.is_any(self.end, goes_on)
        });
        // "Dad is a welder at Columbia Marine, 33, smokes outside".
        let kin = || {
            let (document, previous) = (self.document, self.previous);
            let goes_on = self.closes(b",") && number_is_age(document, self.first);
            let capital = previous > 0 && self.token(previous - 1).is_capital();
            goes_on && capital && is_kin(document, previous, 12)
        };
        let found = ends && (self.name().is_some() || kin());
        found.then(|| ("between commas behind a name", 0.75, self.previous - 1, self.previous))
    }
}
