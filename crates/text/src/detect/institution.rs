//! Hospitals, practices, laboratories, churches and other institutions: names with a head, saints,
//! and unknown names behind "at".

use super::names::{Sort, nameness};
use super::organization;
use super::places::{self, Named};
use super::rules::{RunRule, apply};
use super::tails::DEPARTMENTS;
use super::{Detector, Rules, aside};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Finds institutions.
pub struct Institution;

/// Heads that are nothing but an institution.
const STRONG: WordSet = words![
    "hospital",
    "hospitals",
    "clinic",
    "clinics",
    "infirmary",
    "hospice",
    "pharmacy",
    "church",
    "cathedral",
    "synagogue",
    "mosque",
    "temple",
    "laboratory",
    "laboratories",
    "labs",
    "klinikum",
    "klinik",
    "kliniken",
    "krankenhaus",
    "spital",
    "praxis",
    "hôpital",
    "clinique",
    "ospedale",
    "ziekenhuis",
    "sanatorium",
    "chapel",
    "abbey",
    "parish",
    "jail",
    "prison",
    "shelter",
    "universitätsklinikum",
    "uniklinik",
    "pflegeheim",
    "hospiz",
    "apotheke",
    "pharmacie",
    "foundation",
    "surgery",
    "rehab",
    "manor",
    "institute",
    "dispensary",
    "monastery",
    "polyclinic",
    "universitätsklinik",
    "healthcare",
    "museum",
    "hotel",
    "library",
    "festival",
    "drug",
    "hospitalier",
    "center",
    "centre",
];

impl Detector for Institution {
    fn name(&self) -> &'static str {
        "institution"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for cue in document.heads_here() {
            let at = *cue as usize;
            let token = &document.tokens[at];
            let station = document.is_any(at, words!["station", "hall", "office", "court"])
                && at > 0
                && document.is_any(
                    at - 1,
                    words!["police", "fire", "railway", "bus", "town", "post", "county", "city"],
                );
            if (token.is(cues::INSTITUTION_HEAD) || station) && token.has(Flags::CAPITAL) {
                headed(document, at, found);
            }
        }
        for run in document.runs_here() {
            apply(&RULES, document, run, found);
        }
        for cue in document.heads_here() {
            small_name(document, *cue as usize, found);
        }
        for run in document.runs_here() {
            apply(&LAST_RULES, document, run, found);
        }
        organization::find(document, found);
        aside::find(document, found);
        for field in document.fields_here() {
            in_field(
                document,
                field.key.end as usize,
                field.value.start as usize,
                field.value.end as usize,
                found,
            );
        }
    }
}

const RULES: [RunRule; 6] = [
    (Rules::SAINT, saint),
    (Rules::SMALL_HEAD, small_head),
    (Rules::AT, behind_at),
    (Rules::SHORT, adjective),
    (Rules::SHORT, royal),
    (Rules::HOUSE, house),
];

const LAST_RULES: [RunRule; 3] =
    [(Rules::CHAIN, chain), (Rules::HEAD_FIRST, head_first), (Rules::SPECIALTY, specialty)];

/// Last words that are short for a hospital.
pub(super) const SHORT: WordSet = words![
    "regional",
    "memorial",
    "general",
    "baptist",
    "methodist",
    "presbyterian",
    "deaconess",
    "lutheran",
    "community",
    "adventist",
];

/// A name that ends with what is short for a hospital: "Dunmore Regional", "Harlan Memorial".
fn adjective(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(last) = end.checked_sub(1).filter(|last| {
        *last > first
            && document.tokens[*last].is(cues::NAME_FILLER.or(cues::OFFICE))
            && document.is_any(*last, SHORT)
    }) else {
        return;
    };
    let Some(from) = (first..last)
        .find(|at| nameness(document, *at).is_nameable() && !document.tokens[*at].has(Flags::SHOUTED))
    else {
        return;
    };
    let place = places::before(document, from).is_some_and(|word| {
        document.is_any(
            word,
            words![
                "at",
                "from",
                "to",
                "in",
                "hospital",
                "the",
                "via",
                "of",
                "attends",
                "attended",
                "graduated"
            ],
        )
    });
    let next = document.tokens.get(end).is_none_or(|next| {
        !next.is_word() || next.word.is_function() || next.has(Flags::LINE.or(Flags::GAP))
    });
    if place && next {
        let score = Score::new("short for a hospital", document.bytes(last..end), 0.86);
        found.add("institution", Kind::Institution, document.bytes(from..end), &score);
    }
}

/// A name in small letters in a text without capitals: "at mill creek family practice", "to sunny
/// pines rehab".
fn small_name(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let token = &tokens[head];
    let uncased = token.has(Flags::CAPITAL) && token.has(Flags::SHOUTED) && !token.has(Flags::UPPER);
    let small = |token: &crate::token::Token| !token.has(Flags::CAPITAL) || uncased;
    let heads = cues::INSTITUTION_HEAD.or(cues::COMPANY_SUFFIX).or(cues::SCHOOL_HEAD);
    let goes_on =
        tokens.get(head + 1).is_some_and(|next| next.is(heads) && next.is_word() && !next.has(Flags::LINE));
    if !token.is(heads) || !small(token) || goes_on || token.len() < 3 {
        return;
    }
    let line = document.line(head).map_or(head, |line| line.first as usize);
    let first_word = (line..head).find(|at| tokens[*at].is_word()).unwrap_or(head);
    if !uncased && tokens[first_word].has(Flags::CAPITAL) {
        return;
    }
    let mut first = head;
    while first > line
        && head - first < 4
        && tokens[first - 1].is_word()
        && small(&tokens[first - 1])
        && !tokens[first - 1].word.is_function()
        && !tokens[first - 1].is(cues::NOBODY.or(cues::AFTER_PERSON).or(cues::TIME_UNIT).or(cues::RELATIVE))
        && !tokens[first].has(Flags::GAP)
    {
        first -= 1;
    }
    let before = first.checked_sub(1).filter(|before| {
        document.is_any(*before, words!["at", "to", "from", "the", "in", "via", "with", "@"])
            || tokens[*before].is_sign(b'@')
    });
    let term = |at: usize| {
        let word = tokens[at].word;
        (word.is_medical()
            || word.is_ward()
            || word.is_drug()
            || word.is_shorthand()
            || tokens[at].is(cues::ROLE))
            && !tokens[at].is(cues::NAME_FILLER)
    };
    let own = (first..head).filter(|at| !tokens[*at].is(heads) || tokens[*at].is(cues::NAME_FILLER)).count();
    if let Some(before) = before.filter(|_| own >= 2 && !(first..head).any(term)) {
        let score = Score::new("name in small letters", document.bytes(before..head + 1), 0.62);
        found.add("institution", Kind::Institution, document.bytes(first..head + 1), &score);
    }
}

/// Names whose head comes first: "Club Vertigo", "Borough of Wexcombe", "nursery Busy Bees".
fn head_first(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let own = |at: usize| {
        let word = tokens[at].word;
        tokens[at].is_capital()
            && !(tokens[at].has(Flags::UPPER.or(Flags::SINGLE).or(Flags::SHOUTED))
                || word.is_medical()
                || word.is_heading()
                || word.is_ward()
                || word.is_function()
                || tokens[at].is(cues::HEADING.or(cues::WARD_HEAD).or(cues::MONTH).or(cues::WEEKDAY)))
    };
    let before = first.checked_sub(1).map(|before| &tokens[before]);
    let any = cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD).or(cues::COMPANY_SUFFIX).or(cues::TEAM_HEAD);
    let gate = tokens[first].is(any.or(cues::DIRECTION))
        || before.is_some_and(|before| before.is(any) || before.len() == 2 && document.is(first - 1, "of"))
        || document.is_any(first, words!["camp", "childminder", "creche"]);
    if !gate {
        return;
    }
    let heads = words!["club", "hotel", "cafe", "restaurant", "bar", "camp", "pub", "villa", "hostel", "gym"];
    let small =
        words!["nursery", "preschool", "daycare", "playgroup", "childminder", "kindergarten", "creche"];
    if document.is_any(first, small)
        && end - first >= 2
        && (first + 1..end).all(|at| !tokens[at].is_word() || !tokens[at].has(Flags::UPPER))
    {
        let score = Score::new("head of a school", document.bytes(first..first + 1), 0.72);
        found.add("institution", Kind::School, document.bytes(first + 1..end), &score);
    }
    let free = tokens
        .get(first + 1)
        .is_some_and(|next| next.is_capital() && !next.has(Flags::UPPER.or(Flags::SHOUTED)));
    if document.is_any(first, heads) && end - first >= 2 && free && !tokens[first].has(Flags::SENTENCE) {
        let score = Score::new("head of an institution", document.bytes(first..first + 1), 0.74);
        found.add("institution", Kind::Institution, document.bytes(first..end), &score);
    }
    // "Borough of Wexcombe", "Diocese of Elphin".
    let of = first.checked_sub(1).filter(|of| document.is(*of, "of"));
    let regions = words![
        "borough",
        "council",
        "city",
        "town",
        "diocese",
        "municipality",
        "district",
        "archdiocese",
        "sisters",
        "daughters",
        "knights",
        "brothers",
        "missionaries",
        "oblates",
    ];
    let region = of
        .and_then(|of| of.checked_sub(1))
        .filter(|at| tokens[*at].is_capital() && document.is_any(*at, regions));
    if let Some(region) = region.filter(|_| own(first)) {
        let score = Score::new("head of an institution", document.bytes(region..region + 1), 0.8);
        found.add("institution", Kind::Institution, document.bytes(region..end), &score);
    }
    let head =
        first.checked_sub(1).filter(|at| document.is_any(*at, small) && document.same_line(*at, first));
    let plain =
        |at: usize| !tokens[at].has(Flags::UPPER.or(Flags::SHOUTED)) && !tokens[at].word.is_function();
    if head.is_some() && (first..end).all(|at| !tokens[at].is_word() || plain(at)) {
        let score = Score::new("head of a school", document.bytes(first - 1..first), 0.74);
        found.add("institution", Kind::School, document.bytes(first..end), &score);
    }
}

/// Specialties at the end of the name of a practice.
pub(super) const KINDS: WordSet = words![
    "heart",
    "skin",
    "eye",
    "kidney",
    "lung",
    "brain",
    "spine",
    "physio",
    "physiotherapy",
    "orthopedics",
    "orthopaedics",
    "dermatology",
    "cardiology",
    "neurology",
    "urology",
    "podiatry",
    "psychology",
    "dental",
    "vision",
    "hearing",
    "wellness",
    "therapy",
    "counselling",
    "counseling",
    "pediatrics",
    "paediatrics",
    "women's",
    "ob/gyn",
    "oncology",
    "rheumatology",
    "gastroenterology",
    "endocrinology",
];

/// A practice behind its physician: "Dr. Grey, Lakeland Heart", "Conor Duffy, Lakeside Physio".
fn specialty(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let last = end - 1;
    if last == first {
        return;
    }
    let word = tokens[last].word;
    let medical = word.is_medical() || word.is_ward() || word.is_heading() || word.is_common();
    if last == first
        || !medical
        || tokens[first].is(cues::GREETING)
        || !document.is_any(last, KINDS)
        || tokens[last].has(Flags::SHOUTED)
    {
        return;
    }
    let named = (first..last).any(|at| {
        tokens[at].is_capital()
            && !tokens[at].has(Flags::UPPER)
            && !tokens[at].word.is_medical()
            && !tokens[at].word.is_heading()
            && !tokens[at].is(cues::HEADING.or(cues::ROLE).or(cues::TITLE))
    });
    let closed = tokens.get(end).is_none_or(|next| {
        next.has(Flags::LINE.or(Flags::GAP)) || matches!(next.first, b',' | b'.' | b')') && !next.is_word()
    });
    let opened = tokens[first].has(Flags::LINE.or(Flags::GAP))
        || first > 0
            && (matches!(tokens[first - 1].first, b',' | b'(' | b'|' | b':') && !tokens[first - 1].is_word()
                || document.is_any(first - 1, words!["at", "from", "with", "to"]));
    if named && closed && opened {
        let score = Score::new("practice of a specialty", document.bytes(last..end), 0.7);
        found.add("institution", Kind::Institution, document.bytes(first..end), &score);
    }
}

/// Chains of pharmacies and shops with their place: "Walmart on Route 9", "Boots Tollgate".
fn chain(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(at) = (first..end).find(|at| tokens[*at].is(cues::CHAIN)) else { return };
    let start = if at > first && tokens[at - 1].is_sign(b'-') { first } else { at };
    let place = document.is_any(end, words!["on", "in", "at"])
        && tokens.get(end + 1).is_some_and(|next| next.is_capital() && document.same_line(end, end + 1));
    let stop = match place {
        true => {
            let mut stop = end + 2;
            while stop < end + 6
                && tokens.get(stop).is_some_and(|next| {
                    (next.is_capital() || next.is_number() && next.len() <= 3)
                        && !next.has(Flags::LINE.or(Flags::GAP).or(Flags::SENTENCE))
                })
            {
                stop += 1;
            }
            stop
        }
        false if end > at + 1 => end,
        false => return,
    };
    let score = Score::new("shop with its place", document.bytes(at..at + 1), 0.76);
    found.add("institution", Kind::Institution, document.bytes(start..stop), &score);
}

/// First words of a hospital.
pub(super) const ROYAL: WordSet = words!["royal", "mercy", "sacred", "queen", "princess"];

/// Words that names of hospitals begin with: "Royal Elmwood", "Queen Maud's".
fn royal(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let names = cues::NAME_FILLER.or(cues::OFFICE).or(cues::NAMED_DAY);
    let royal = |at: &usize| tokens[*at].is(names) && document.is_any(*at, ROYAL);
    let Some(at) = (first..end).find(royal) else {
        return;
    };
    let next = at + 1;
    let named = next < end
        && tokens[next].is_capital()
        && tokens[next].is_word()
        && !tokens[next].has(Flags::UPPER.or(Flags::SINGLE))
        && !tokens[next].word.is_medical()
        && !document.is_any(next, words!["family", "college", "society", "jelly", "blue", "mail", "navy"]);
    let queen = document.is_any(at, words!["queen", "princess", "mercy"])
        && !tokens[at].has(Flags::POSSESSIVE)
        && !places::before(document, at)
            .is_some_and(|word| document.is_any(word, words!["at", "the", "to", "from", "in"]));
    if named && !queen && !tokens[at].has(Flags::SHOUTED) {
        let last = places::around(document, next).tokens.end.clamp(next + 1, end);
        let score = Score::new("name of a hospital", document.bytes(at..next), 0.8);
        found.add("institution", Kind::Institution, places::with_possessive(document, at..last), &score);
    }
}

/// A house with an ordinary name behind a preposition: "outside The Crown and Anchor", "past the Feed
/// & Seed", "at the Blue Moon".
fn house(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (mut first, mut end) = (run.first as usize, run.end as usize);
    let inner = document.is(first, "the");
    let the = if inner {
        first += 1;
        Some(first - 1)
    } else {
        first.checked_sub(1).filter(|the| document.is(*the, "the"))
    };
    let Some(preposition) = the.and_then(|the| the.checked_sub(1)) else { return };
    let place = document.is_any(
        preposition,
        words!["at", "outside", "near", "past", "behind", "opposite", "from", "in", "to", "inside", "by"],
    );
    let joined = document.is(end, "and") || tokens.get(end).is_some_and(|sign| sign.is_sign(b'&'));
    if joined && tokens.get(end + 1).is_some_and(|next| next.is_capital() && document.same_line(end, end + 1))
    {
        end += 2;
    }
    let ordinary = |at: usize| {
        let token = &tokens[at];
        let word = token.word;
        !token.is_word()
            || document.is(at, "and")
            || token.is_capital()
                && !token.has(Flags::UPPER.or(Flags::SINGLE).or(Flags::SHOUTED))
                && word.is_common()
                && !(word.is_medical() || word.is_heading() || word.is_ward() || word.is_month())
                && !word.is_weekday()
                && !word.is_country()
                && !word.is_drug()
                && !token.is(cues::HEADING.or(cues::WARD_HEAD).or(cues::ROLE).or(cues::INSTITUTION_HEAD))
                && !token.is(cues::MONTH.or(cues::WEEKDAY).or(cues::HOLIDAY).or(cues::TIME_UNIT))
                && !token.is(cues::EPONYM_HEAD.or(cues::KEY_PERSON).or(cues::NAMED_DAY))
    };
    if !place || first >= end || !(first..end).all(ordinary) || places::is_eponymous(document, &(first..end))
    {
        return;
    }
    let words = (first..end).filter(|at| tokens[*at].is_word()).count();
    let strong = document.is_any(preposition, words!["at", "outside", "past", "behind", "opposite"]);
    let certainty = match words {
        1 if strong && !tokens.get(end).is_some_and(|next| next.is_word() && !next.word.is_function()) => {
            0.56
        }
        1 => return,
        _ if inner || strong => 0.72,
        _ => 0.56,
    };
    let score = Score::new("house with a name", document.bytes(preposition..first), certainty);
    let first = if inner { first - 1 } else { first };
    found.add("institution", Kind::Institution, document.bytes(first..end), &score);
}

/// The value of "Nursing home:", "Facility:", "Daycare:": capitalized words that are not medical.
fn in_field(document: &Document<'_>, colon: usize, first: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let keys = words![
        "facility",
        "hospital",
        "clinic",
        "pharmacy",
        "daycare",
        "school",
        "church",
        "hospice",
        "shelter",
        "home",
        "parish",
        "employer",
        "tpa",
        "insurer",
        "payer",
        "payor",
        "carrier",
        "agency",
        "dme",
        "supplier",
        "lab",
        "insurance",
        "scheme",
        "undertaker",
        "dispensary",
        "union",
        "ins",
    ];
    let Some(key) = colon.checked_sub(1).filter(|key| document.is_any(*key, keys)) else { return };
    // "Course in hospital:".
    if key > 0 && tokens[key - 1].word.is_function() {
        return;
    }
    if document.is(key, "home")
        && !(key > 0
            && document.is_any(key - 1, words!["nursing", "care", "group", "foster", "rest", "funeral"]))
    {
        return;
    }
    let word = |at: usize| {
        tokens[at].is_capital()
            && !tokens[at].word.is_medical()
            && !tokens[at].word.is_weekday()
            && !tokens[at].word.is_month()
    };
    let stop = (first..end.min(first + 7)).find(|at| {
        !(word(*at)
            || document.is_any(*at, words!["of", "the", "and"])
            || tokens[*at].is_sign(b'&')
            || tokens[*at].is_sign(b'-'))
    });
    let last = stop.unwrap_or(end.min(first + 7));
    let closed = tokens.get(last).is_none_or(|next| !next.is_word() || next.has(Flags::LINE.or(Flags::GAP)));
    if last > first
        && closed
        && word(first)
        && word(last - 1)
        && !document
            .is_any(first, words!["none", "unknown", "n", "yes", "no", "name", "same", "other", "not"])
    {
        let score = Score::new("key of an institution", document.bytes(key..key + 1), 0.76);
        found.add("institution", Kind::Institution, document.bytes(first..last), &score);
    }
}

/// A name with a head in capitals: "Harlan County Hospital".
fn headed(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let Named { tokens, distinct, .. } = places::around(document, head);
    if tokens.len() < 2 {
        return;
    }
    let strong = document.is_any(head, STRONG);
    // "Oral & Maxillofacial Surgery" is a department.
    if document.is(head, "surgery")
        && tokens.end == head + 1
        && nameness(document, head - 1).sort == Sort::Medical
    {
        return;
    }
    // "Memory Clinic", "DEVICE CLINIC".
    if tokens.end == head + 1 && (tokens.start..head).all(|at| document.is_any(at, DEPARTMENTS)) {
        return;
    }
    let tokens = tokens.start..places::annex(document, tokens.end);
    let certainty = match (strong, distinct) {
        (true, 2) => 0.93,
        (true, 1) => 0.8,
        (false, 2) => 0.84,
        (false, 1) => 0.5,
        _ => 0.2,
    };
    let shouted = document.tokens[head].has(Flags::SHOUTED);
    let mut score = Score::new("head of an institution", document.bytes(head..head + 1), certainty);
    if distinct == 1 && tokens.len() >= 3 && places::fills_line(document, tokens.start, head) {
        score.raise("letterhead", document.bytes(tokens.clone()), 0.5);
    }
    if shouted && distinct < 2 {
        score.lower("line in capitals", document.bytes(tokens.clone()), 0.5);
    }
    if let Some(word) = places::before(document, tokens.start)
        .filter(|word| document.is_any(*word, words!["at", "from", "to"]))
    {
        score.raise("preposition", document.bytes(word..word + 1), 0.25);
    }
    let bytes = if document.is_any(tokens.end - 1, words!["children", "women"]) {
        places::with_possessive(document, tokens)
    } else {
        document.bytes(tokens)
    };
    found.add("institution", Kind::Institution, bytes, &score);
}

/// "St. Anselm's", "Saint Ursula", "Our Lady of the Bayou".
fn saint(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    for at in first..end {
        if !document.tokens[at].is(cues::NAME_FILLER.or(cues::BUILDING_PART)) {
            continue;
        }
        let saint = document.is_any(at, words!["st", "saint", "sankt", "ste"]);
        let lady = document.is(at, "our") && document.is(at + 1, "lady");
        let next = at + 1 + usize::from(document.tokens.get(at + 1).is_some_and(|token| token.is_sign(b'.')));
        let name = document
            .tokens
            .get(next)
            .is_some_and(|token| token.is_capital() && next < end && !token.is(cues::STREET_SUFFIX));
        // "12 Main St Boston": a street before.
        let street = at > first
            && document.tokens[at - 1].is_capital()
            && !document.tokens[at - 1].has(Flags::SINGLE.or(Flags::UPPER))
            && !document.tokens[at - 1].is(cues::NAME_FILLER);
        // "Melton St Mary's": the town of a saint.
        let town = street
            && name
            && document.is(at, "st")
            && at == first + 1
            && document.tokens[next].has(Flags::POSSESSIVE)
            && nameness(document, first).is_nameable();
        let (street, from) = if town { (false, first) } else { (street, at) };
        if (saint || lady) && name && !street {
            let named = places::around(document, next);
            let tokens = from..named.tokens.end.max(next + 1);
            if super::person::phrase(document, at, &tokens).is_some() {
                return;
            }
            let tokens = tokens.start..dedicated(document, tokens.end);
            let possessive = document.tokens[tokens.end - 1].has(Flags::POSSESSIVE);
            let at_word = places::before(document, at)
                .is_some_and(|word| document.is_any(word, words!["at", "from", "to", "in"]));
            let behind = at > 0 && document.tokens[at - 1].has(Flags::SINGLE.or(Flags::UPPER));
            let certainty = match () {
                _ if possessive && (town || behind) => 0.95,
                _ if possessive || at_word || lady => 0.88,
                _ => 0.74,
            };
            let score = Score::new("saint", document.bytes(at..next + 1), certainty);
            found.add("institution", Kind::Institution, places::with_possessive(document, tokens), &score);
            return;
        }
    }
}

/// The end of the name of a saint with what follows: "St. Mary of the Miraculous Medal".
fn dedicated(document: &Document<'_>, end: usize) -> usize {
    if !document.is(end, "of") {
        return end;
    }
    let mut at = end + 1 + usize::from(document.is(end + 1, "the"));
    let from = at;
    while at < from + 3
        && document.tokens.get(at).is_some_and(|token| {
            token.is_capital()
                && token.line == document.tokens[end].line
                && !token.has(Flags::GAP.or(Flags::SHOUTED))
        })
    {
        at += 1;
    }
    if at > from { at } else { end }
}

/// A run before a head in small letters: "Colindon reference lab".
fn small_head(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let heads = words![
        "hospital",
        "clinic",
        "lab",
        "laboratory",
        "pharmacy",
        "church",
        "hospice",
        "rehab",
        "surgery",
        "shelter",
        "prison",
        "jail",
        "festival",
        "home",
        "infirmary",
        "center",
        "centre",
        "practice",
        "hostel",
        "pub",
        "gym",
        "nursery",
    ];
    for place in 0..2 {
        let at = end + place;
        let Some(token) = document
            .tokens
            .get(at)
            .filter(|token| token.is_word() && !token.has(Flags::CAPITAL.or(Flags::PARAGRAPH)))
        else {
            return;
        };
        if token.is(cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD)) && document.is_any(at, heads) {
            let placed = places::before(document, first)
                .is_some_and(|word| document.is_any(word, words!["at", "in", "from", "to"]));
            let named = (first..end).find(|at| nameness(document, *at).prior >= 0.5);
            let Some(from) = named.or((placed && end - first >= 2).then_some(first)) else { return };
            let possessive = document.tokens[end - 1].has(Flags::POSSESSIVE);
            // "Mohs surgery".
            let eponym =
                document.tokens[end - 1].word.is_eponym() || document.tokens[end - 1].word.is_eponym_name();
            if document.is(at, "surgery") && eponym {
                return;
            }
            let sort = nameness(document, from).sort;
            let certainty = if sort == Sort::Unknown && !possessive { 0.78 } else { 0.55 };
            let score = Score::new("head of an institution", token.start..token.end, certainty);
            let end = if document
                .is_any(at, words!["lab", "laboratory", "hospital", "clinic", "rehab", "hostel"])
            {
                at + 1
            } else {
                end
            };
            found.add("institution", Kind::Institution, document.bytes(from..end), &score);
            return;
        }
        if token.word.is_function() {
            return;
        }
    }
}

/// An unknown name behind "at", often with a possessive: "at Brigham's".
fn behind_at(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(word) = places::before(document, first) else { return };
    let the = document.is(word, "the") && word > 0 && document.is_any(word - 1, words!["at", "from", "to"]);
    if !(document.is_any(word, words!["at", "bei"]) || the) {
        return;
    }
    let names = (first..end).filter(|at| {
        let name = nameness(document, *at);
        name.prior >= 0.5 || name.sort == Sort::Both
    });
    let best = names.clone().map(|at| nameness(document, at).prior).fold(0.0f32, f32::max);
    let ordinary = (first..end).filter(|at| document.tokens[*at].is_word()).all(|at| {
        let word = document.tokens[at].word;
        word.is_common()
            && !word.is_medical()
            && !word.is_heading()
            && !word.is_month()
            && !word.is_weekday()
            && !document.tokens[at].has(Flags::UPPER)
    });
    let certainty = match () {
        _ if end - first >= 2 && document.tokens[end - 1].has(Flags::POSSESSIVE) => 0.78,
        _ if best >= 0.7 => 0.78,
        _ if best >= 0.5 => 0.62,
        _ if ordinary && end - first >= 2 && the => 0.72,
        _ if ordinary && end - first >= 2 => 0.55,
        _ => return,
    };
    let mut score = Score::new("name behind \"at\"", document.bytes(word..word + 1), certainty);
    if document.tokens[end - 1].has(Flags::POSSESSIVE)
        && !document.tokens.get(end).is_some_and(|next| next.is_word() && !next.word.is_function())
    {
        score.raise("possessive", document.bytes(end - 1..end), 0.5);
    }
    // "pulling at Foley".
    let device = document
        .is_any(first, words!["foley", "hickman", "dobhoff", "groshong", "tesio", "penrose"])
        && end - first == 1
        && !document.tokens[first].has(Flags::POSSESSIVE);
    if !device && !places::is_eponymous(document, &(first..end)) {
        found.add("institution", Kind::Institution, places::with_possessive(document, first..end), &score);
    }
}
