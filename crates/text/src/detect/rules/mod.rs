//! Rules that can hold for a run of capitalized words or for a code: found from a few facts.
//!
//! Most rules hold for few runs and codes, for reasons that they share: the classes of the words,
//! the word before, the sign behind, the number of digits. These facts are gathered once, and a
//! detector visits only the runs and codes that have a bit of one of its rules. A bit may be set
//! although the rule proposes nothing; where the rule proposes something, the bit is set.
//!
//! `sets.rs` has the words that are asked for, `run.rs` and `code.rs` the conditions.

mod code;
mod run;
mod sets;

use crate::candidates::Candidates;
use crate::document::{Document, Run};

pub(crate) use code::of_code;
pub(crate) use run::of_run;
pub(crate) use sets::SETS;

/// Rules that can hold, one bit each. Runs and codes have rules of their own for the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules(pub u64);

impl Rules {
    /// Every rule.
    pub const ALL: Rules = Rules(u64::MAX);

    /// Whether one of some rules can hold.
    #[inline(always)]
    pub fn any(self, rules: Rules) -> bool {
        self.0 & rules.0 != 0
    }

    /// All of both.
    pub const fn or(self, other: Rules) -> Rules {
        Rules(self.0 | other.0)
    }

    /// The rules whose conditions hold.
    #[inline(always)]
    fn of<const N: usize>(conditions: [(bool, Rules); N]) -> Rules {
        Rules(conditions.into_iter().fold(0, |all, (holds, rule)| all | (rule.0 * u64::from(holds))))
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $bit:literal,)*) => {
        impl Rules {
            $($(#[$doc])* pub const $name: Rules = Rules(1 << $bit);)*
        }
    };
}

// Rules of runs.
rules! {
    /// Has a title or a word that can be a name.
    PERSON 0,
    /// A relative is near.
    RELATIVE 1,
    /// "is a" or "was a" can be behind.
    INTRODUCED 2,
    /// Behind "the".
    FAMILY 3,
    /// Within signs that make a name: quotes, brackets of a list, the sign of a sender.
    ENCLOSED 4,
    /// A comma is behind.
    COMMA 5,
    /// Can be initials.
    INITIALS 6,
    /// A city before a state.
    CITY_STATE 7,
    /// A city behind a preposition.
    CITY_PLACE 8,
    /// A city beside a postal code.
    CITY_CODE 9,
    /// A city of the gazetteer.
    CITY_LISTED 10,
    /// A city behind or below a street.
    CITY_STREET 11,
    /// A state by its name or abbreviation.
    STATE 12,
    /// A county.
    COUNTY 13,
    /// A country.
    COUNTRY 14,
    /// Behind a preposition that work is behind.
    WORK 15,
    /// Partners of a firm, or a kind of business behind.
    BUSINESS 16,
    /// Behind a preposition that a game is behind.
    PLAY 17,
    /// A game or a player behind.
    GAME 18,
    /// Has a word of the names of saints.
    SAINT 19,
    /// A head of an institution in small letters is behind.
    SMALL_HEAD 20,
    /// Behind "at".
    AT 21,
    /// Ends with what is short for a hospital, or has a royal word.
    SHORT 22,
    /// A house with an ordinary name.
    HOUSE 23,
    /// Has a chain of shops.
    CHAIN 24,
    /// A head comes first.
    HEAD_FIRST 25,
    /// Several words, the last of which is a specialty: a practice.
    SPECIALTY 26,
    /// Behind "the" and a preposition: an organization.
    ORGANIZATION 27,
    /// Has a last word of an organization or business.
    TAIL 32,
    /// Behind a comma or a bracket, or behind "the" there.
    ASIDE 33,
    /// Has a last word of a small street or house.
    ENDING 34,
    /// Has a state with dots, or a region.
    REGION 35,
    /// Behind "at", "from" or "to", directly or before "the".
    SHORT_NAME 36,
    /// Behind "versus", before "under", or behind "the": a team.
    SIDE 37,
    /// Between signs or at the start of a line, with a sign or a number behind: a town.
    TOWN 38,
    /// Behind "of" or the like: a place of a role.
    ROLE 39,
    /// Behind "owns" or the like.
    OWNED 40,
    /// Has a first word of a school, fort or coloured team.
    FIRST_WORD 41,
    /// Behind "R/o".
    RESIDENT 42,
    /// At the start of a line.
    LINE 43,
    /// At the start of a sentence with a number behind: a stay.
    STAY 44,
    /// Behind "near" or the like.
    WHERE 45,
    /// Has a word of a body such as a union, or a word or number of one behind it.
    BODY 46,
    /// Has a nickname of a team.
    NICKNAME 47,
    /// Several words behind a preposition, directly or before "the": an organization of no usual kind.
    UNUSUAL 48,
    /// Has a word of the name of a known organization.
    FAMOUS 49,
}

// Rules of codes.
rules! {
    /// A date of numbers with separators.
    DATE 0,
    /// A date of numbers with blanks or without separators.
    OTHER_DATE 2,
    /// A postal code of digits.
    ZIP 3,
    /// A postal code of letters and digits.
    POSTCODE 4,
    /// A number of a phone.
    PHONE 5,
    /// An extension.
    EXTENSION 6,
    /// Enough digits for a check of national numbers.
    CHECKED 7,
    /// An American Social Security number.
    SSN 8,
    /// A British National Insurance number.
    NINO 9,
    /// Behind the name of a number.
    NAMED 10,
    /// A payment card.
    CARD 11,
    /// An account number of ISO 13616.
    IBAN 12,
    /// A long code, or one behind "number".
    RECORD 13,
    /// Can be behind a degree.
    SIGNED 14,
    /// A label, "number" or a cell around it.
    LABELLED 15,
    /// A register or a rank before it.
    REGISTERED 16,
    /// As many signs as a driver's number.
    DRIVER 17,
    /// Letters and digits as in a national number.
    LETTERED 18,
    /// Letters and digits as in a serial number.
    SERIAL 19,
    /// Letters in it or before it, as in a plate, and a reason to be one.
    PLATE 20,
    /// Behind a capitalized word, which can be a street with its ending: "Lindenallee 17".
    GLUED 21,
    /// Behind a name with an abbreviated kind of street before it.
    ABBREVIATED 22,
    /// Behind an abbreviated road.
    CROSSING 23,
    /// Behind a plot, a block or a sign of a door.
    PLOT 24,
    /// A short word in it or before it, as in the names of roads.
    ROAD 25,
    /// Before an ending of small streets.
    SMALL_STREET 26,
    /// Before a direction.
    GRID 27,
    /// Behind a preposition of moves.
    MOVED 28,
    /// Has a number as long as a postal code of five digits.
    CITY_LINE 29,
}

/// A rule of runs, with what proposes something by it.
pub(super) type RunRule = (Rules, fn(&Document<'_>, &Run, &mut Candidates));

/// Applies the rules that can hold for a run.
#[inline(always)]
pub(super) fn apply(rules: &[RunRule], document: &Document<'_>, run: &Run, found: &mut Candidates) {
    for (rule, propose) in rules {
        if run.rules.any(*rule) {
            propose(document, run, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::detect::{ALL, Calendar, Detector};
    use crate::letters::{letters, marked};

    /// What all detectors propose, in their order.
    fn proposed(document: &Document<'_>) -> Vec<String> {
        let mut found = Candidates::default();
        ALL.iter().for_each(|detector| detector.detect(document, &mut found));
        Calendar { months: true }.detect(document, &mut found);
        let proposal = |one| format!("{one:?} {:?}", found.rules(one));
        found.list.iter().map(proposal).collect()
    }

    /// Proposals with the rules that can hold, and with all rules.
    fn both(text: &str) -> (Vec<String>, Vec<String>) {
        let mut document = Document::read(text, Document::default());
        let own = proposed(&document);
        document.runs.iter_mut().for_each(|run| run.rules = Rules::ALL);
        document.codes.iter_mut().for_each(|code| code.rules = Rules::ALL);
        (own, proposed(&document))
    }

    #[test]
    fn a_rule_that_cannot_hold_proposes_nothing_in_letters() {
        let files = [
            include_str!("../../../tests/documents/development.txt"),
            include_str!("../../../tests/documents/last.txt"),
            include_str!("../../../tests/documents/second-development.txt"),
        ];
        let written = files.into_iter().flat_map(|file| marked::documents(file).unwrap());
        for letter in letters(11).take(200).chain(written) {
            let text = letter.text;
            for text in [text.to_uppercase(), text.to_lowercase(), text.replace('\n', " | "), text] {
                let (own, all) = both(&text);
                assert_eq!(own, all, "{text}");
            }
        }
    }

    /// Words and numbers that rules look for, with blanks, breaks and signs between them.
    fn pieces() -> impl Strategy<Value = String> {
        let word = prop::sample::select(
            "in from near to of for at bei with against by a the past behind is was an and around à left \
            Ann ANN Lee Boston MA NSW VIC Lynn Texas Ontario France New York Zorvan Telquist Mrs Dr TRAN T \
            St Saint Our Lady Royal Queen Regional General Walmart Boots Club Camp Nursery Heart Eye Crown \
            Street Road Apt County Co Corp Hospital hospital clinic lab school restaurant bank game players \
            coach practice plays works drives lives son sister Granddaughter violin Thompsons known as \
            MRN SSN ID NINO SVNR Medicare phone tel ext x fax number no plate VIN DOB age IBAN DE89 GB29 \
            3704 0044 0532 0130 00 12 34 56 C QQ 078 05 1120 078-05-1120 617 555-0100 (617) +44 20 7946 \
            5/26 5/26/94 2024-02-06 30 09 2016 19860526 02151 02151-1234 HX4 7QD K1A 0B1 A-1234 50933 \
            943 476 5919 4111 1111 AB12 CDE 1HGCM82633A004352 h22 4190 XK 70112 M.D. 34764 7 1 4 3 4.5 120/80 \
            vs v. under under-6s U12s Demons Blue Team PACT Network Plan Health HMO Drilling Co-op Cottage House \
            Wynd Fort Camp Riley nights N.J. La. Mass. Tamil Nadu Kerala Western Cape owns ran organist priest \
            parish only Theatre Room Ward Unit R/o H. No. Blk RR A46 Jalan moved Coláiste Scoil an Mayo Private \
            seen transferred RVI CVS cc Dr. Clinic diner club lineman Lord MICU Resus C4 Bed Tulip"
                .split_whitespace()
                .collect::<Vec<_>>(),
        );
        let behind = prop::sample::select(vec![
            " ", " ", " ", " ", "", ", ", ". ", "-", ":", ": ", "\n", "\n\n", "   ", " (", ") ", "/", " & ",
            "#", "\"", "'s ", "] ", " - ", "+",
        ]);
        prop::collection::vec((word, behind), 0..30)
            .prop_map(|words| words.into_iter().flat_map(|(word, behind)| [word, behind]).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_rule_that_cannot_hold_proposes_nothing(text in pieces()) {
            let (own, all) = both(&text);
            prop_assert_eq!(own, all);
        }
    }
}
