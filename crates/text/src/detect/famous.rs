//! Organizations that are known by a word or two, such as large employers, laboratories and charities.
//! Their names have no word that says what they are.
//!
//! Only names that are hardly anything else are here: makers of drugs and cars are mentioned with their
//! products, and "Shell", "Target" and "Chase" are words and names.

use super::places;
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Companies.
pub(super) const EMPLOYERS: WordSet = words![
    "fedex",
    "dhl",
    "usps",
    "tesco",
    "asda",
    "morrisons",
    "waitrose",
    "lidl",
    "aldi",
    "ikea",
    "walmart",
    "costco",
    "kroger",
    "meijer",
    "wegmans",
    "walgreens",
    "boeing",
    "airbus",
    "raytheon",
    "lockheed",
    "amazon",
    "deloitte",
    "kpmg",
    "pwc",
    "accenture",
    "starbucks",
    "mcdonalds",
    "kfc",
    "nando",
    "greggs",
    "wetherspoons",
    "primark",
    "argos",
    "homebase",
    "uber",
    "lyft",
    "deliveroo",
    "septa",
    "amtrak",
    "qantas",
    "easyjet",
    "ryanair",
    "lufthansa",
    "marriott",
    "hyatt",
    "verizon",
    "comcast",
    "vodafone",
    "telstra",
    "optus",
    "barclays",
    "hsbc",
    "natwest",
    "santander",
    "woolworths",
    "bunnings",
    "kmart",
    "loblaws",
    "sobeys",
    "sysco",
    "cargill",
    "halliburton",
    "schlumberger",
    "exxon",
    "exxonmobil",
    "chevron",
    "conocophillips",
    "eskom",
    "transnet",
    "sasol",
    "shoprite",
    "infosys",
    "wipro",
    "jollibee",
    "bae",
    "gkn",
    "serco",
    "capita",
    "siemens",
    "bombardier",
    "unilever",
    "nestlé",
    "heineken",
    "microsoft",
    "google",
    "ibm",
    "cisco",
    "petronas",
    "petrobras",
    "aramco",
    "gazprom",
    "huawei",
    "foxconn",
    "hydro-québec",
    "stellantis",
    "peloton",
    "instacart",
    "doordash",
    "woolies",
    "dunnes",
    "centra",
    "supervalu",
    "dollarama",
    "hortons",
];

/// Laboratories, insurers, charities and hospitals.
pub(super) const INSTITUTIONS: WordSet = words![
    "labcorp",
    "lifelabs",
    "dynacare",
    "healthpartners",
    "humana",
    "aetna",
    "cigna",
    "bupa",
    "vhi",
    "davita",
    "omnicare",
    "optum",
    "worksafebc",
    "wsib",
    "workcover",
    "worksafe",
    "rfds",
    "barnardo",
    "barnardos",
    "mencap",
    "samaritans",
    "oxfam",
    "unicef",
    "unhcr",
    "caritas",
    "ymca",
    "ywca",
    "foodbank",
    "centrelink",
    "jobcentre",
    "addenbrooke",
    "addenbrookes",
    "papworth",
    "moorfields",
    "broadmoor",
    "rampton",
    "beyondblue",
    "bcbs",
    "tricare",
    "carefirst",
    "pathkind",
    "lancet",
    "ampath",
    "netcare",
    "mediclinic",
    "medibank",
    "medilaw",
];

/// First words of names of several words.
pub(super) const FIRST: WordSet = words![
    "age",
    "air",
    "alcoholics",
    "australia",
    "best",
    "blue",
    "british",
    "burger",
    "canada",
    "canadian",
    "cancer",
    "catholic",
    "citizens",
    "easter",
    "general",
    "habitat",
    "home",
    "legal",
    "marie",
    "mass",
    "meals",
    "my",
    "narcotics",
    "network",
    "pizza",
    "planned",
    "red",
    "rolls",
    "royal",
    "salvation",
    "silver",
    "taco",
    "tim",
    "trader",
    "united",
    "wells",
    "whole",
];

/// Names of several words, with what they are.
const SEVERAL: [(&[&str], Kind); 46] = [
    (&["meals", "on", "wheels"], Kind::Institution),
    (&["cancer", "council"], Kind::Institution),
    (&["cancer", "research", "uk"], Kind::Institution),
    (&["salvation", "army"], Kind::Institution),
    (&["red", "cross"], Kind::Institution),
    (&["red", "crescent"], Kind::Institution),
    (&["mass", "general"], Kind::Institution),
    (&["silver", "chain"], Kind::Institution),
    (&["age", "uk"], Kind::Institution),
    (&["age", "concern"], Kind::Institution),
    (&["habitat", "for", "humanity"], Kind::Institution),
    (&["planned", "parenthood"], Kind::Institution),
    (&["united", "way"], Kind::Institution),
    (&["united", "healthcare"], Kind::Institution),
    (&["catholic", "charities"], Kind::Institution),
    (&["easter", "seals"], Kind::Institution),
    (&["home", "depot"], Kind::Employer),
    (&["home", "instead"], Kind::Institution),
    (&["best", "buy"], Kind::Employer),
    (&["wells", "fargo"], Kind::Employer),
    (&["rolls", "royce"], Kind::Employer),
    (&["british", "airways"], Kind::Employer),
    (&["british", "gas"], Kind::Employer),
    (&["british", "telecom"], Kind::Employer),
    (&["air", "canada"], Kind::Employer),
    (&["air", "france"], Kind::Employer),
    (&["burger", "king"], Kind::Employer),
    (&["taco", "bell"], Kind::Employer),
    (&["pizza", "hut"], Kind::Employer),
    (&["whole", "foods"], Kind::Employer),
    (&["trader", "joe's"], Kind::Employer),
    (&["canadian", "tire"], Kind::Employer),
    (&["royal", "mail"], Kind::Employer),
    (&["canada", "post"], Kind::Employer),
    (&["australia", "post"], Kind::Employer),
    (&["network", "rail"], Kind::Employer),
    (&["general", "motors"], Kind::Employer),
    (&["general", "electric"], Kind::Employer),
    (&["tim", "hortons"], Kind::Employer),
    (&["marie", "curie"], Kind::Institution),
    (&["alcoholics", "anonymous"], Kind::Institution),
    (&["narcotics", "anonymous"], Kind::Institution),
    (&["citizens", "advice"], Kind::Institution),
    (&["legal", "aid"], Kind::Institution),
    (&["my", "aged", "care"], Kind::Institution),
    (&["blue", "cross"], Kind::Institution),
];

/// Proposes such names in a run.
pub(super) fn propose(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    for at in run.first as usize..run.end as usize {
        let token = &tokens[at];
        if !token.cue.sets().any(Sets::FAMOUS) || !token.is_capital() || document.is_key(at) {
            continue;
        }
        let kind = match () {
            _ if document.is_any(at, EMPLOYERS) => Some(Kind::Employer),
            _ if document.is_any(at, INSTITUTIONS) => Some(Kind::Institution),
            _ => None,
        };
        let several =
            kind.is_none().then(|| SEVERAL.iter().find(|(words, _)| is_phrase(document, at, words)));
        let (end, kind) = match (kind, several.flatten()) {
            (Some(kind), _) => (at + 1, kind),
            (None, Some((words, kind))) => (at + words.len(), *kind),
            (None, None) => continue,
        };
        let the = at > 0 && document.is(at - 1, "the") && tokens[at - 1].is_capital();
        let start =
            at - usize::from(the && document.same_line(at - 1, at) && !tokens[at - 1].has(Flags::SENTENCE));
        // "BUPA 7781 2234", "Walgreens on Lohman Ave": others find more.
        let place = tokens[at].is(cues::CHAIN) && document.is_any(end, words!["on", "in", "at"]);
        let more = place || tokens.get(end).is_some_and(Token::is_number);
        let certainty = if more { 0.7 } else { 0.93 };
        let bytes = places::with_possessive(document, start..end);
        found.add("institution", kind, bytes.clone(), &Score::new("known organization", bytes, certainty));
    }
}

/// Whether a phrase starts at a token, its first and last word with a capital.
fn is_phrase(document: &Document<'_>, at: usize, words: &[&str]) -> bool {
    let last = at + words.len() - 1;
    let near = (at + 1..=last)
        .all(|at| document.tokens.get(at).is_some_and(|token| !token.has(Flags::GAP.or(Flags::PARAGRAPH))));
    near && document.tokens[last].is_capital()
        && words.iter().enumerate().all(|(place, word)| document.is(at + place, word))
}
