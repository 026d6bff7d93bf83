//! Teams and clubs: capitalized words before "team" or with a head, and names behind "plays for".

use super::names::nameness;
use super::places;
use super::{Detector, Rules, club};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Finds teams.
pub struct Team;

/// What is behind the name of a team.
pub(super) const GAMES: WordSet = words![
    "practice",
    "game",
    "match",
    "season",
    "tournament",
    "player",
    "players",
    "coach",
    "fan",
    "jersey",
    "goalkeeper",
    "captain",
];

impl Detector for Team {
    fn name(&self) -> &'static str {
        "team"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for cue in document.heads_here() {
            let head = *cue as usize;
            if document.tokens[head].is(cues::TEAM_HEAD) && head > 0 {
                headed(document, head, found);
            }
        }
        for run in document.runs_here() {
            if run.rules.any(Rules::PLAY) {
                behind_play(document, run, found);
            }
            if run.rules.any(Rules::GAME) {
                plural(document, run, found);
            }
        }
        club::find(document, found);
    }
}

/// Teams of a hospital.
const CARE: WordSet = words![
    "care",
    "medical",
    "surgical",
    "surgery",
    "code",
    "response",
    "trauma",
    "cardiology",
    "palliative",
    "primary",
    "medicine",
    "transplant",
    "stroke",
    "icu",
    "nursing",
    "clinical",
    "treatment",
    "rapid",
    "pain",
    "heart",
    "night",
    "day",
    "on-call",
    "call",
    "social",
    "work",
    "multidisciplinary",
    "mental",
    "health",
    "crisis",
    "home",
    "discharge",
    "ortho",
    "orthopedic",
    "neurology",
    "oncology",
    "psychiatry",
    "infectious",
    "id",
    "renal",
    "gi",
    "ward",
    "hospice",
    "the",
    "this",
    "our",
    "a",
    "an",
    "red",
    "blue",
    "green",
    "gold",
];

/// Words in capitals before "team", "club", "league": "U. S. Junior Gymnastics team".
fn headed(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let capital = tokens[head].has(Flags::CAPITAL);
    let Some(first) = places::capitals_before(document, head, 8) else { return };
    let first = (first..head)
        .find(|at| !tokens[*at].word.is_function() && !tokens[*at].is(cues::NOBODY))
        .unwrap_or(head);
    let words: Vec<usize> = (first..head).filter(|at| tokens[*at].is_word()).collect();
    if words.is_empty()
        || tokens[head].has(Flags::GAP.or(Flags::LINE))
        || tokens[head - 1].has(Flags::POSSESSIVE)
    {
        return;
    }
    let care = words.iter().all(|at| {
        document.is_any(*at, CARE)
            || tokens[*at].word.is_medical()
            || tokens[*at].word.is_ward()
            || tokens[*at].is(cues::ROLE)
    });
    let sport = words.iter().any(|at| tokens[*at].is(cues::SPORT));
    let named = words.iter().any(|at| nameness(document, *at).prior >= 0.5);
    let weak = document
        .is_any(head, words!["association", "society", "athletic", "united", "crew", "band", "chapter"]);
    let certainty = match () {
        _ if care => 0.2,
        _ if sport && words.len() >= 2 => 0.86,
        _ if sport => 0.66,
        _ if named && !weak => 0.82,
        _ if named && capital => 0.75,
        _ if capital && words.len() >= 2 && !tokens[first].has(Flags::SENTENCE) => 0.66,
        _ => 0.4,
    };
    let mut score = Score::new("head of a team", document.bytes(head..head + 1), certainty);
    if let Some(play) = play_before(document, first) {
        score.raise("play", document.bytes(play..play + 1), 0.5);
    }
    found.add("team", Kind::Team, document.bytes(first..head + 1), &score);
}

/// The token of "plays", "competes" or the like shortly before.
fn play_before(document: &Document<'_>, first: usize) -> Option<usize> {
    let words = words![
        "plays",
        "play",
        "played",
        "playing",
        "competes",
        "competing",
        "compete",
        "competed",
        "coach",
        "coaches",
        "coached",
        "swims",
        "rows",
        "runs",
        "pitches",
        "pitched",
        "goalkeeper",
        "captain",
        "quarterback",
        "midfielder",
        "skates",
        "sings",
        "member",
        "joined",
        "practice",
        "training",
        "trains",
        "season",
        "fan",
        "tackle",
        "goalie",
        "striker",
        "forward",
        "defender",
        "linebacker",
        "pitcher",
        "catcher",
        "centre",
        "guard",
        "drummer",
        "umpires",
        "referees",
        "tenor",
        "winger",
        "flanker",
        "fullback",
        "cornerback",
        "shortstop",
        "bowler",
        "batsman",
        "wicketkeeper",
    ];
    (first.saturating_sub(7)..first)
        .rev()
        .take_while(|at| !document.tokens[*at].is_sign(b'.'))
        .find(|at| document.is_any(*at, words))
}

/// A name behind "plays for the".
fn behind_play(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(word) = places::before(document, first) else { return };
    let the = document.is(word, "the");
    let preposition = if the { word.saturating_sub(1) } else { word };
    if !document.is_any(preposition, words!["for", "with", "against", "of", "in"]) {
        return;
    }
    let Some(play) = play_before(document, preposition) else { return };
    let sort = nameness(document, first);
    let certainty = if the || sort.prior >= 0.5 { 0.8 } else { 0.5 };
    let medical = (first..end).all(|at| document.tokens[at].word.is_medical());
    // "the Ashby Under-13s".
    let young = document.is_any(end - 1, words!["under", "over"])
        && document.glued(end)
        && document.tokens.get(end + 1).is_some_and(|age| age.is_number() && age.len() <= 2);
    let plural = young && document.is(end + 2, "s") && document.glued(end + 2);
    let (end, certainty) = if young { (end + 2 + usize::from(plural), 0.93) } else { (end, certainty) };
    if !medical {
        let score = Score::new("play", document.bytes(play..word + 1), certainty);
        found.add("team", Kind::Team, document.bytes(first..end), &score);
    }
}

/// A place or name with a plural before "practice", "game" or the like: "Riverton Rams practice".
fn plural(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let head = document.is_any(end, GAMES);
    let last = document.word(end - 1);
    if head && last.ends_with(['s', 'S']) && end - first >= 2 {
        let score = Score::new("game", document.bytes(end..end + 1), 0.8);
        found.add("team", Kind::Team, document.bytes(first..end), &score);
    }
}
