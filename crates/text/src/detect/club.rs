//! Teams without a usual head: rivals, sides of an age, clubs behind a sport, coloured teams.

use super::Rules;
use super::names::nameness;
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Proposes teams.
pub(super) fn find(document: &Document<'_>, found: &mut Candidates) {
    for run in document.runs_here() {
        let (first, end) = (run.first as usize, run.end as usize);
        if run.rules.any(Rules::SIDE) {
            of_age(document, first, end, found);
            rivals(document, run, found);
            if end - first > 1 {
                listed(document, run, found);
            }
        }
        if run.rules.any(Rules::FIRST_WORD) {
            coloured(document, first, end, found);
            lettered(document, first, end, found);
        }
        if run.rules.any(Rules::NICKNAME) {
            nicknamed(document, first, end, found);
        }
    }
}

pub(super) const YOUNG: WordSet = words!["under", "over", "u"];

/// "Thomas Davis under-6s", "Ballymun U12s".
fn of_age(document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let dash =
        usize::from(tokens.get(end + 1).is_some_and(|sign| sign.is_sign(b'-') && document.glued(end + 1)));
    let age = end + 1 + dash;
    let aged = tokens.get(age).is_some_and(|age| age.is_number() && age.len() <= 2) && document.glued(age);
    if !document.is_any(end, YOUNG) || !aged || tokens[end].has(Flags::LINE.or(Flags::GAP)) {
        return;
    }
    let plural = usize::from(document.is(age + 1, "s") && document.glued(age + 1));
    let score = Score::new("side of an age", document.bytes(end..age + 1 + plural), 0.94);
    found.add("team", Kind::Team, document.bytes(first..age + 1 + plural), &score);
}

/// Whether a run can be a team: its last word is a plural or one of it is a name.
fn is_team(document: &Document<'_>, first: usize, end: usize) -> bool {
    let tokens = &document.tokens;
    let plural = document.word(end - 1).ends_with(['s', 'S']) && end - first > 1;
    let own = (first..end).all(|at| {
        let word = tokens[at].word;
        !(word.is_medical()
            || word.is_drug()
            || word.is_heading()
            || word.is_shorthand()
            || tokens[at].is(cues::TITLE.or(cues::CREDENTIAL).or(cues::MONTH).or(cues::WEEKDAY)))
    });
    let named = (first..end).any(|at| nameness(document, at).prior >= 0.5 || tokens[at].word.is_city());
    own && named && (plural || end - first > 1)
}

/// Words before the other side.
pub(super) const RIVALS: WordSet = words!["vs", "v", "versus", "against", "beat", "beating"];

/// The other side: "the night game vs Dubbo Demons", "lost to" is not one.
fn rivals(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(before) = first.checked_sub(1) else { return };
    let dot = usize::from(document.tokens[before].is_sign(b'.'));
    let the = usize::from(document.is(before, "the"));
    let Some(word) = before.checked_sub(dot + the) else { return };
    let plural = document.word(end - 1).ends_with(['s', 'S']);
    if document.is_any(word, RIVALS) && is_team(document, first, end) {
        let score = Score::new("other side", document.bytes(word..first), if plural { 0.94 } else { 0.74 });
        found.add("team", Kind::Team, document.bytes(first..end), &score);
    }
}

/// "Coaches Little League, the Okmulgee Redhawks": a plural behind "the" and a sport before.
fn listed(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(the) = first.checked_sub(1).filter(|the| document.is(*the, "the")) else { return };
    let sport = (the.saturating_sub(9)..the)
        .rev()
        .take_while(|at| !tokens[*at].is_sign(b'.'))
        .any(|at| tokens[at].is(cues::SPORT) || document.is_any(at, PLAYS));
    let plural = document.word(end - 1).ends_with(['s', 'S']) && !tokens[end - 1].has(Flags::POSSESSIVE);
    let medical = (first..end).any(|at| tokens[at].word.is_medical() || tokens[at].word.is_drug());
    if sport && plural && !medical {
        let score = Score::new("plural behind a sport", document.bytes(the..end), 0.9);
        found.add("team", Kind::Team, document.bytes(first..end), &score);
    }
}

/// Words of a sport, a choir or a supporter.
const PLAYS: WordSet = words![
    "supports",
    "supporter",
    "fan",
    "coach",
    "coaches",
    "coaching",
    "coached",
    "running",
    "ran",
    "jogs",
    "netball",
    "footy",
    "camogie",
    "hurling",
    "darts",
    "bowls",
    "umpires",
    "referees",
    "captains",
    "sings",
    "drums",
    "marches",
    "trains",
    "training",
    "rows",
    "barracks",
    "barracking",
    "roots",
    "rooting",
    "cheers",
    "follows",
    "watches",
    "watching",
    "skates",
    "curls",
];

/// Colours of teams.
pub(super) const COLOURS: WordSet = words![
    "red", "blue", "green", "gold", "teal", "yellow", "orange", "purple", "silver", "white", "amber", "pink",
    "maroon", "coral", "indigo", "violet",
];

/// "Blue Team", "PACT TEAL-3".
fn coloured(document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    for at in first..end - 1 {
        let team = document.is_any(at, COLOURS) && document.is_any(at + 1, words!["team", "firm"]);
        let pact = document.is_any(at, words!["pact", "team"]) && document.is_any(at + 1, COLOURS);
        if !(team || pact) || !tokens[at + 1].is_capital() || !document.same_line(at, at + 1) {
            continue;
        }
        let dash = tokens.get(at + 2).is_some_and(|sign| sign.is_sign(b'-') && document.glued(at + 2));
        let number = at + 2 + usize::from(dash);
        let numbered = tokens
            .get(number)
            .is_some_and(|token| token.is_number() && token.len() <= 2 && !token.has(Flags::LINE));
        let last = if numbered { number + 1 } else { at + 2 };
        let certainty = if pact || numbered { 0.8 } else { 0.66 };
        let score = Score::new("coloured team", document.bytes(at..at + 2), certainty);
        found.add("team", Kind::Team, document.bytes(at..last), &score);
    }
}

/// "PACT: TEAM MAGNOLIA 3": a team of a practice with a name and a number.
fn lettered(document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    // Where all words are in capitals, the name begins no run.
    let pact = document.is(end - 1, "pact") && tokens.get(end).is_some_and(|sign| sign.is_sign(b':'));
    let last = if pact { end + 2 } else { end };
    let Some(team) = (first..last).find(|at| document.is(*at, "team")) else { return };
    let (name, number) = (team + 1, team + 2);
    let numbered = tokens
        .get(number)
        .is_some_and(|token| token.is_number() && token.len() <= 2 && !token.has(Flags::LINE));
    if !numbered || !tokens[name].has(Flags::UPPER.or(Flags::SHOUTED)) || !document.same_line(team, name) {
        return;
    }
    let word = tokens[name].word;
    let ordinary = word.is_medical() || word.is_heading() || tokens[name].is(cues::ROLE.or(cues::HEADING));
    let pact = pact || team >= 2 && document.is(team - 2, "pact");
    if pact || !ordinary && !tokens[name].has(Flags::SHOUTED) {
        let score = Score::new("team with a number", document.bytes(team..number + 1), 0.8);
        found.add("team", Kind::Team, document.bytes(team..number + 1), &score);
    }
}

/// What clubs of the usual leagues are called without their town.
pub(super) const NICKNAMES: WordSet = words![
    "bills",
    "dolphins",
    "patriots",
    "jets",
    "ravens",
    "bengals",
    "browns",
    "steelers",
    "texans",
    "colts",
    "jaguars",
    "titans",
    "broncos",
    "chiefs",
    "raiders",
    "chargers",
    "cowboys",
    "giants",
    "eagles",
    "redskins",
    "bears",
    "lions",
    "packers",
    "vikings",
    "falcons",
    "panthers",
    "saints",
    "buccaneers",
    "cardinals",
    "rams",
    "niners",
    "seahawks",
    "yankees",
    "orioles",
    "rays",
    "jays",
    "guardians",
    "tigers",
    "royals",
    "twins",
    "astros",
    "angels",
    "athletics",
    "mariners",
    "rangers",
    "braves",
    "marlins",
    "mets",
    "phillies",
    "nationals",
    "cubs",
    "reds",
    "brewers",
    "pirates",
    "diamondbacks",
    "rockies",
    "dodgers",
    "padres",
    "celtics",
    "nets",
    "knicks",
    "sixers",
    "raptors",
    "bulls",
    "cavaliers",
    "pistons",
    "pacers",
    "bucks",
    "hawks",
    "hornets",
    "wizards",
    "nuggets",
    "timberwolves",
    "blazers",
    "warriors",
    "clippers",
    "lakers",
    "suns",
    "kings",
    "mavericks",
    "rockets",
    "grizzlies",
    "pelicans",
    "spurs",
    "bruins",
    "sabres",
    "canadiens",
    "habs",
    "senators",
    "leafs",
    "hurricanes",
    "islanders",
    "flyers",
    "penguins",
    "capitals",
    "blackhawks",
    "avalanche",
    "stars",
    "predators",
    "blues",
    "flames",
    "oilers",
    "canucks",
    "sharks",
    "ducks",
    "roughriders",
    "argonauts",
    "alouettes",
    "stampeders",
    "springboks",
    "wallabies",
    "bulldogs",
    "wildcats",
    "bobcats",
    "cougars",
    "huskies",
    "mustangs",
    "spartans",
    "trojans",
    "redhawks",
    "gators",
    "longhorns",
    "sooners",
    "badgers",
    "gophers",
    "hawkeyes",
    "buckeyes",
    "wolverines",
    "swans",
    "magpies",
    "bombers",
    "crows",
    "demons",
    "dockers",
    "roosters",
    "rabbitohs",
    "storm",
    "power",
    "gunners",
    "villa",
    "rovers",
    "proteas",
];

/// A nickname of a team behind "the" or a word of games: "the Vikings", "the Bills tickets", "on
/// Bobcats bus", "for Port Power".
fn nicknamed(document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let token = &tokens[end - 1];
    if end - first > 3
        || !document.is_any(end - 1, NICKNAMES)
        || token.has(Flags::UPPER.or(Flags::SHOUTED).or(Flags::SENTENCE))
    {
        return;
    }
    let next = tokens.get(end);
    let free = next.is_none_or(|next| !next.is_capital() || next.has(Flags::LINE.or(Flags::SENTENCE)));
    let the = first > 0 && document.is(first - 1, "the");
    let games = document.is_any(
        end,
        words![
            "tickets", "ticket", "game", "games", "bus", "season", "jersey", "cap", "shirt", "match", "fan",
            "scarf"
        ],
    );
    let sport = next.is_some_and(|next| next.is(cues::SPORT)) && !the;
    let fan = (first.saturating_sub(6)..first)
        .rev()
        .take_while(|at| !tokens[*at].is_sign(b'.'))
        .any(|at| tokens[at].is(cues::SPORT) || document.is_any(at, PLAYS));
    let plural = document.word(end - 1).ends_with('s');
    let certainty = match () {
        _ if !free => return,
        _ if games || fan => 0.84,
        _ if the && plural => 0.74,
        _ if sport => 0.72,
        _ => return,
    };
    let score = Score::new("nickname of a team", document.bytes(end - 1..end), certainty);
    found.add("team", Kind::Team, document.bytes(first..end), &score);
}
