//! A day and month without a year: what the words around it and the other dates of the document
//! say, apart from scores, fractions and durations that are written in the same way.

use super::date::Written;
use crate::candidates::Score;
use crate::document::Document;
use crate::token::Flags;
use crate::words::WordSet;

/// Raises or lowers a day and month without a year by the words around it.
pub(super) fn context(document: &Document<'_>, written: &Written, score: &mut Score) {
    let tokens = &document.tokens;
    let before = written.first.checked_sub(1);
    let evidence = before.map_or(0..0, |before| document.bytes(before..written.first));
    let words = words![
        "on",
        "since",
        "until",
        "till",
        "thru",
        "through",
        "dated",
        "by",
        "from",
        "before",
        "after",
        "appt",
        "due",
        "ab",
        "am",
        "vom",
        "bis",
        "seit",
        "le",
        "dob",
        "last",
        "seen",
        "visit",
        "next",
        "done",
        "between",
        "week",
        "starting",
        "started",
        "effective",
        "out",
        "back",
        "home",
        "fu",
        "sched",
        "given",
        "drawn",
        "placed",
        "stopped",
        "ordered",
        "sent",
        "exp",
        "dos",
        "surg",
        "admitted",
        "discharged",
        "dc",
        "d/c",
        "pm",
        "visiting",
        "til",
        "review",
        "called",
        "clinic",
        "op",
        "preop",
        "postop",
        "wef",
        "w/e",
    ];
    if before.is_some_and(|before| document.is_any(before, words)) {
        score.raise("word before a date", evidence, 0.75);
        return;
    }
    if before.is_some_and(|before| document.is_any(before, EVENTS)) && !is_scored(document, written) {
        score.raise("event before", evidence.clone(), 0.3);
    }
    if tokens[written.first].has(Flags::LINE)
        || before.is_some_and(|before| tokens[before].has(Flags::LINE) && tokens[before].is_sign(b'-'))
    {
        score.raise("starts a line", 0..0, 0.6);
    }
    let bracketed = before.is_some_and(|before| tokens[before].is_sign(b'('))
        && tokens.get(written.end).is_some_and(|next| next.is_sign(b')') || next.is_sign(b','));
    // "(12/12, 9/1)": the second of a list.
    let listed = written.first >= 4
        && tokens[written.first - 1].is_sign(b',')
        && slashed(document, written.first - 4)
        && tokens.get(written.end).is_some_and(|next| next.is_sign(b')') || next.is_sign(b','));
    // "sick note to 15/7": a day that is no month.
    let day_first = written.day.is_some_and(|(at, day)| at == written.first && day > 12);
    let until = before.is_some_and(|before| document.is_any(before, words!["to", "till", "until", "til"]));
    if listed || until && day_first {
        score.raise("list or range of dates", evidence.clone(), 0.6);
    }
    if bracketed {
        score.raise("in brackets", evidence.clone(), 0.45);
    }
    // "Lap chole 11/7 by Lindqvist".
    let by = document.is_any(written.end, words!["by", "per"])
        && tokens.get(written.end + 1).is_some_and(|next| next.is_capital());
    if by {
        score.raise("person behind", document.bytes(written.end..written.end + 2), 0.4);
    }
    if is_time(document, written.end) {
        score.raise("time behind", document.bytes(written.end..written.end + 1), 0.7);
    }
    // "12/21-1/2", "3/4 to 3/9": the other end of a range.
    let range = |at: usize| {
        document.is_any(at, words!["to", "thru", "through", "and"])
            || tokens.get(at).is_some_and(|t| !t.is_word() && matches!(t.first, b'-' | 0xe2))
    };
    if range(written.end) && written.end + 1 < tokens.len() && slashed(document, written.end + 1) {
        score.raise("range of dates", document.bytes(written.end..written.end + 2), 0.6);
    }
    if before.is_some_and(range) && written.first >= 4 && slashed(document, written.first - 4) {
        score.raise("range of dates", document.bytes(written.first - 4..written.first), 0.6);
    }
    by_style(document, written, score);
}

/// What happens on a day, shortly before it.
const EVENTS: WordSet = words![
    "changed",
    "removed",
    "inserted",
    "pulled",
    "ends",
    "ended",
    "ending",
    "end",
    "began",
    "begins",
    "begun",
    "commenced",
    "booked",
    "tci",
    "rtw",
    "repeat",
    "repeated",
    "extubated",
    "intubated",
    "transferred",
    "collected",
    "resulted",
    "taken",
    "performed",
    "completed",
    "finished",
    "resume",
    "restart",
    "restarted",
    "readmitted",
    "presented",
    "died",
    "reviewed",
    "again",
    "around",
    "about",
    "call",
    "deactivated",
    "listed",
    "cancelled",
    "canceled",
    "rescheduled",
    "wk",
    "wc",
    "w/c",
    "of",
    "surgery",
    "appointment",
    "scan",
    "xray",
    "mri",
    "ct",
    "echo",
    "bloods",
    "labs",
    "ogd",
    "colonoscopy",
    "biopsy",
    "cx",
    "culture",
    "cultures",
    "uss",
    "us",
    "abdo",
    "eeg",
    "egd",
    "tte",
    "picc",
    "lap",
    "consult",
    "delivery",
    "placement",
    "removal",
    "delivered",
    "passed",
];

fn slashed(document: &Document<'_>, at: usize) -> bool {
    let number =
        |at: usize| document.tokens.get(at).is_some_and(|token| token.is_number() && token.len() <= 2);
    number(at) && number(at + 2) && document.tokens[at + 1].is_sign(b'/')
}

/// Whether a time of day starts at a token, also behind "at".
fn is_time(document: &Document<'_>, at: usize) -> bool {
    let at = at
        + usize::from(
            document.is_any(at, words!["at", "@", "um"]) && !document.tokens[at].has(Flags::CAPITAL)
                || document.tokens.get(at).is_some_and(|t| t.is_sign(b'@') || t.is_sign(b',')),
        );
    let Some(token) = document.tokens.get(at).filter(|token| token.is_number() && !token.has(Flags::LINE))
    else {
        return false;
    };
    let colon = document.tokens.get(at + 1).is_some_and(|next| next.is_sign(b':') && document.glued(at + 1));
    let noon = document.is_any(at + 1, words!["am", "pm", "a", "p", "uhr", "h"]);
    let military =
        token.len() == 4 && document.word(at).parse::<u32>().is_ok_and(|time| time < 2400 && time % 100 < 60);
    token.len() <= 2 && (colon || noon) || military
}

/// How a document writes its dates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// The months that occur, one bit each from 1 on.
    months: u16,
    /// Whether dates in digits have the month first.
    month_first: bool,
    /// Whether dates in digits have the day first.
    day_first: bool,
    /// Days behind a month that few scores go up to, at most two.
    late_days: u8,
    /// Whether dates with the name of a month have it first.
    named_month_first: bool,
    /// Whether dates with the name of a month have the day first, or dates in digits have dots.
    named_day_first: bool,
}

impl Style {
    /// Learns from a date in digits with this sign between its numbers.
    pub(crate) fn learn(&mut self, written: &Written, sign: u8) {
        let (Some((day_at, day)), Some((month_at, month))) = (written.day, written.month) else { return };
        let Some((year_at, _)) = written.year else {
            // "22/4" is no score: those are not above their most.
            self.day_first |= sign == b'/' && day > 12 && day_at < month_at;
            let late = sign == b'/'
                && day > 12
                && month_at < day_at
                && !matches!(day, 14 | 15 | 20 | 21 | 24 | 27 | 28 | 30);
            self.late_days = (self.late_days + u8::from(late)).min(2);
            return;
        };
        self.months |= 1 << month;
        if written.ambiguous && day <= 12 {
            self.months |= 1 << day;
        } else if year_at > month_at && sign != b'.' {
            self.month_first |= month_at < day_at && day > 12;
            self.day_first |= day_at < month_at && day > 12;
        }
        self.named_day_first |= sign == b'.';
    }

    /// Learns from the name of a month, with a number before or behind it.
    pub(crate) fn learn_name(&mut self, month: u8, before: bool, behind: bool) {
        if (before || behind) && (1..=12).contains(&month) {
            self.months |= 1 << month;
            self.named_day_first |= before;
            self.named_month_first |= behind && !before;
        }
    }

    fn is_month_first(self) -> bool {
        let named = !self.month_first && self.named_month_first && !self.named_day_first;
        (self.month_first || named || self.late_days > 1) && !self.day_first
    }

    fn is_day_first(self) -> bool {
        let named = !self.day_first && self.named_day_first && !self.named_month_first;
        (self.day_first || named) && !self.month_first && self.late_days < 2
    }

    /// Whether a month or one beside it occurs.
    fn is_near(self, month: u32) -> bool {
        [month + 10, month - 1, month].iter().any(|other| self.months >> (other % 12 + 1) & 1 != 0)
    }
}

/// Raises two numbers with a slash that the other dates of the document resemble. Scores are never
/// above their most, so "22/4" is none.
fn by_style(document: &Document<'_>, written: &Written, score: &mut Score) {
    let (first, end) = (written.first, written.end);
    let tokens = &document.tokens;
    let number = |at: usize| document.word(at).parse::<u32>().unwrap_or(0);
    let glued = tokens.get(end).is_some_and(|next| next.is_word() && document.glued(end));
    if end != first + 3 || !tokens[first + 1].is_sign(b'/') || glued {
        return;
    }
    let (a, b, style) = (number(first), number(first + 2), document.dates);
    let bytes = document.bytes(first..end);
    let month_first = (1..=12).contains(&a) && (1..=31).contains(&b) && !style.is_day_first();
    let day_first = (1..=12).contains(&b) && (1..=31).contains(&a) && !style.is_month_first();
    if is_scored(document, written) {
        score.lower("score, fraction or duration", bytes, 0.6);
        return;
    }
    if !(month_first || day_first) {
        score.lower("other order than all dates", bytes, 0.4);
        return;
    }
    let near = month_first && style.is_near(a) || day_first && style.is_near(b);
    let padded = |at: usize| tokens[at].len() == 2 && tokens[at].first == b'0';
    // "for 10/7", "6/12": days and months in British shorthand.
    let duration = !style.is_month_first()
        && (b == 7 && (a <= 7 || a % 7 == 0 || a == 10) || b == 12 && (a <= 12 || a % 6 == 0));
    let combined = first > 0 && (tokens[first - 1].word.is_drug() || document.is_any(first - 1, SETTINGS));
    let share = match () {
        _ if (a, b) == (24, 7) || combined && a > b => 0.0,
        _ if padded(first) || padded(first + 2) => 0.55,
        _ if a > b && duration && !near => 0.1,
        _ if a > b => 0.45 + 0.15 * f32::from(u8::from(near)),
        _ if a == b => 0.0,
        _ if b > 12 && near => 0.5,
        _ if b > 12 && style.is_month_first() => 0.3,
        _ if b <= 12 && near && !duration => 0.25,
        _ => 0.0,
    };
    if share > 0.0 {
        score.raise("like other dates", bytes, share);
    }
}

/// Pressures and settings that have two numbers.
const SETTINGS: WordSet = words![
    "bp", "bipap", "cpap", "ipap", "epap", "ps", "psv", "peep", "vent", "niv", "settings", "pressure", "iop",
    "manual", "sitting", "standing", "lying", "supine",
];

/// What has a score, a share, a part or a duration: words shortly before the numbers.
const SCORED: WordSet = words![
    "power",
    "strength",
    "pain",
    "motor",
    "murmur",
    "sem",
    "gcs",
    "mmse",
    "moca",
    "amts",
    "amt",
    "slums",
    "phq",
    "gad",
    "epworth",
    "apgar",
    "apgars",
    "score",
    "scores",
    "scored",
    "scoring",
    "scale",
    "rated",
    "rates",
    "rating",
    "rate",
    "grade",
    "graded",
    "reflex",
    "reflexes",
    "dtr",
    "dtrs",
    "jerks",
    "pulse",
    "pulses",
    "va",
    "bcva",
    "acuity",
    "vision",
    "od",
    "os",
    "ou",
    "arm",
    "arms",
    "leg",
    "legs",
    "ue",
    "ues",
    "lue",
    "rue",
    "lle",
    "rle",
    "les",
    "extremity",
    "extremities",
    "grip",
    "flexion",
    "extension",
    "abduction",
    "adduction",
    "dorsiflexion",
    "plantarflexion",
    "flexors",
    "extensors",
    "quads",
    "quadriceps",
    "hamstrings",
    "deltoid",
    "deltoids",
    "biceps",
    "triceps",
    "iliopsoas",
    "ehl",
    "mrc",
    "bp",
    "allred",
    "gleason",
    "cores",
    "margins",
    "bottles",
    "ratio",
    "fraction",
    "fractions",
    "cycle",
    "cycles",
    "session",
    "sessions",
    "day",
    "stage",
    "severity",
    "intensity",
    "discomfort",
    "bishop",
    "curb",
    "wells",
    "qsofa",
    "sofa",
    "centor",
    "alvarado",
    "rass",
    "braden",
    "waterlow",
    "norton",
    "nihss",
    "oxford",
    "beighton",
    "barthel",
    "recall",
    "ecog",
    "eyes",
    "clock",
    "mood",
    "anxiety",
    "nyha",
    "spirometry",
    "hba1c",
    "platform",
    "criteria",
    "vessels",
    "every",
    "gestation",
    "x",
    "mallampati",
    "agitation",
    "nausea",
    "dyspnea",
    "dyspnoea",
    "itch",
    "sedation",
    "orientation",
    "tenderness",
    "tone",
    "sensation",
    "bulk",
    "lifetime",
    "pts",
    "points",
    "items",
    "questions",
    "correct",
];

/// What a score, a share or a part has behind it.
const SCORED_BEHIND: WordSet = words![
    "power",
    "strength",
    "pain",
    "murmur",
    "sem",
    "cultures",
    "systolic",
    "diastolic",
    "holosystolic",
    "pansystolic",
    "ejection",
    "tablet",
    "tablets",
    "tab",
    "tabs",
    "pill",
    "pills",
    "cup",
    "cups",
    "dose",
    "doses",
    "nodes",
    "lymph",
    "bottles",
    "cores",
    "positive",
    "bilaterally",
    "bilat",
    "bilateral",
    "throughout",
    "of",
    "criteria",
    "vessels",
    "cycles",
    "sessions",
    "fractions",
    "weeks",
    "wks",
    "days",
    "months",
    "points",
    "reps",
    "sir",
    "inch",
    "teaspoon",
    "pack",
    "packs",
    "ppd",
    "strips",
    "correct",
    "items",
    "reflexes",
    "pulses",
    "strong",
    "symmetric",
    "symmetrical",
    "intact",
    "blocks",
    "levels",
    "specimens",
    "history",
    "gestation",
];

/// What a duration in British shorthand is behind: "for 5/7", "last 3/12".
const LASTING: WordSet =
    words!["for", "in", "x", "over", "last", "past", "every", "within", "further", "another", "previous",];

/// Whether the words around two numbers say that they are a score, a fraction or a duration.
fn is_scored(document: &Document<'_>, written: &Written) -> bool {
    let tokens = &document.tokens;
    let (first, end) = (written.first, written.end);
    let near = (first.saturating_sub(4)..first).rev().take_while(|at| {
        let token = &tokens[*at];
        document.same_line(*at, first)
            && (token.is_word()
                || !(matches!(token.first, b';' | b'|')
                    || token.has(Flags::GAP)
                    || token.is_sign(b'.') && *at > 0 && tokens[*at - 1].len() > 3))
    });
    let mut before = near.filter(|at| tokens[*at].is_word());
    let side = |at: usize| tokens[at].has(Flags::SINGLE) && matches!(tokens[at].first, b'R' | b'L');
    let close = first.checked_sub(1).is_some_and(side);
    let behind = document.is_any(end, SCORED_BEHIND) && !tokens[end].has(Flags::LINE.or(Flags::GAP));
    let lasting = document.is(first + 2, "7") || document.is(first + 2, "12") || document.is(first + 2, "52");
    let duration = lasting
        && !document.dates.is_month_first()
        && (document.is_any(
            end,
            words!["ago", "hx", "history", "hist", "review", "course", "post", "duration", "supply"],
        ) || first > 0 && document.is_any(first - 1, LASTING));
    // Receptors are scored up to 8.
    let receptor =
        document.is(first + 2, "8") && first > 0 && document.is_any(first - 1, words!["er", "pr", "her2"]);
    let nodes =
        first.checked_sub(1).is_some_and(|at| document.is_any(at, words!["nodes", "node", "ln", "lns"]));
    // "28 2/7 weeks".
    let sevenths = document.is(first + 2, "7")
        && first > 0
        && tokens[first - 1].is_number()
        && document.same_line(first - 1, first);
    close
        || nodes
        || sevenths
        || behind
        || duration
        || receptor
        || before.any(|at| document.is_any(at, SCORED))
}
