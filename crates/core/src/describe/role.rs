//! Proposes the role of a column, with the reason in plain sentences.
//!
//! The question is what outsiders can know. Values that identify persons decide first, then the
//! name of the column, then its other values:
//!
//! - demographics, places, dates of events and visible or public facts are quasi-identifiers;
//! - illnesses, treatments, amounts of money, measured figures, opinions and answers in a survey are
//!   sensitive: only the holder knows them;
//! - without a clue, measured decimals are sensitive and everything else is a quasi-identifier.
//!   `wide` revises this where a table has many columns without a clue.
//!
//! Every column that is released unchanged without a clue, or with values that hardly repeat, is
//! the subject of a question (`questions`). Reasons contain no values, because they are written into
//! policies.

use super::Kind;
use super::facts::Facts;
use super::shape::{Shapes, bit};
use super::vocabulary::{self, Shows};
use super::words::Says;
use crate::policy::Role;

/// A proposed role.
pub(super) struct Proposal {
    pub role: Role,
    /// Whether name or values say so outright.
    pub certain: bool,
    /// Whether name or values say anything at all.
    pub clue: bool,
    pub reason: Reason,
}

/// Why a role is proposed.
pub(super) enum Reason {
    /// For a column that is dropped, replaced or generalized.
    Protected(String),
    /// For a column that is released unchanged: what suggests that, and what advises against it.
    Unchanged { because: String, caution: Option<String> },
}

impl Reason {
    pub(super) fn unchanged(because: impl Into<String>) -> Self {
        Reason::Unchanged { because: because.into(), caution: None }
    }

    /// The reason for the proposed role.
    pub(super) fn text(&self) -> String {
        match self {
            Reason::Protected(reason) => sentence(reason),
            Reason::Unchanged { because, caution } => {
                with(format!("{because} It is released unchanged."), caution)
            }
        }
    }

    /// The reason where the column is generalized after all.
    pub(super) fn generalized(&self) -> String {
        match self {
            Reason::Protected(reason) => reason.clone(),
            Reason::Unchanged { because, caution } => with(because.clone(), caution),
        }
    }
}

/// A sentence begins with a capital, also where a share such as `over 99 %` is its first word.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn with(reason: String, caution: &Option<String>) -> String {
    caution.iter().fold(reason, |reason, caution| format!("{reason} {caution}"))
}

impl<T: Into<String>> From<T> for Reason {
    fn from(reason: T) -> Self {
        Reason::Protected(reason.into())
    }
}

fn proposal(role: Role, certain: bool, reason: impl Into<Reason>) -> Proposal {
    Proposal { role, certain, clue: true, reason: reason.into() }
}

/// Patterns that name people, the share of distinct values from which they decide, and what they
/// are. A low share is enough where nothing else looks so: removing a column harms nobody.
const NAMING: [(Shapes, f64, &str); 9] = [
    (bit::EMAIL, 0.2, "e-mail addresses"),
    (bit::URL, 0.2, "web addresses"),
    (bit::IP, 0.2, "IP addresses"),
    (bit::MAC, 0.2, "device addresses"),
    (bit::UUID, 0.2, "unique identifiers (UUID)"),
    (bit::SSN, 0.2, "social security numbers"),
    (bit::IBAN, 0.2, "bank account numbers"),
    (bit::PHONE, 0.5, "telephone numbers"),
    (bit::VIN, 0.9, "vehicle identification numbers"),
];

/// The role that a column should have.
pub(super) fn decide(facts: &Facts) -> Proposal {
    if facts.present == 0 {
        return proposal(Role::Drop, true, "The column holds no value.");
    }
    naming(facts).or_else(|| text(facts)).or_else(|| named(facts)).unwrap_or_else(|| unnamed(facts))
}

fn naming(facts: &Facts) -> Option<Proposal> {
    if facts.dated() {
        return None;
    }
    let (shape, _, what) = NAMING.into_iter().find(|(shape, least, _)| facts.share(*shape) >= *least)?;
    let reason =
        format!("{} of the values look like {what}, a HIPAA identifier.", percent(facts.share(shape)));
    Some(proposal(Role::Identifier, true, reason))
}

fn text(facts: &Facts) -> Option<Proposal> {
    let identifier = facts.meaning.says() == Some(Says::Identifier);
    (facts.free_text() && !identifier)
        .then(|| proposal(Role::Text, true, "Long texts that hardly repeat can name people."))
}

/// What the name suggests, as far as the values bear it out.
fn named(facts: &Facts) -> Option<Proposal> {
    let word = facts.meaning.word?;
    let label = word.label;
    let quasi =
        |why: &str| Some(proposal(Role::Quasi, true, format!("The column name suggests {label}{why}")));
    if facts.meaning.age && facts.between(0.0, 130.0) {
        return Some(proposal(
            Role::Quasi,
            true,
            "The column name suggests an age, which outsiders may know.",
        ));
    }
    match word.says {
        Says::Identifier => Some(identifier(facts, label)),
        Says::Number => Some(number(facts)),
        Says::Quasi if numbers_rows(facts) => Some(unique_number(label)),
        Says::Quasi if counts(facts, label) => Some(proposal(
            Role::Quasi,
            true,
            "The column name suggests a number of contacts, which outsiders may know.",
        )),
        Says::Quasi | Says::Age => quasi(", which outsiders may know."),
        Says::Date => quasi(". All elements of dates are HIPAA identifiers."),
        Says::Year | Says::Month => quasi(", part of a date that outsiders may know."),
        Says::Postal => quasi(", a place smaller than a state (HIPAA)."),
        Says::Sensitive | Says::Diagnosis | Says::Money => Some(sensitive(facts, word.says, label)),
        Says::Measure => facts.numeric().then(|| sensitive(facts, word.says, label)),
        Says::Opinion => {
            (facts.numeric() || facts.distinct <= 20).then(|| sensitive(facts, word.says, label))
        }
        Says::Text => free(facts),
        Says::Weight => weight(facts),
        Says::Target => target(facts),
    }
}

/// Whether a column that is called after a place of care counts something: it has zeros.
fn counts(facts: &Facts, label: &str) -> bool {
    label.starts_with("where a person")
        && facts.whole()
        && facts.traits.range.0 == 0.0
        && !facts.meaning.numbered
}

fn identifier(facts: &Facts, label: &str) -> Proposal {
    if facts.kind == Kind::Boolean || facts.meaning.aspect && facts.repeats() {
        let reason = format!(
            "The column describes {label} instead of containing it. It has few values, which repeat."
        );
        return proposal(Role::Quasi, false, reason);
    }
    proposal(Role::Identifier, true, format!("The column name suggests {label}, a HIPAA identifier."))
}

fn number(facts: &Facts) -> Proposal {
    if facts.distinct > 1000 || facts.unique_share() > 0.5 {
        return proposal(
            Role::Identifier,
            false,
            "The column name suggests a number or code, and it has many different values.",
        );
    }
    let reason = "The column name suggests a number or code. Its values repeat, but outsiders may know them.";
    proposal(Role::Quasi, false, reason)
}

/// Whether a name that ends in `id` or the like goes with values that each belong to one row.
fn numbers_rows(facts: &Facts) -> bool {
    facts.meaning.numbered && (facts.unique_share() > 0.5 || facts.counts_rows())
}

fn unique_number(label: &str) -> Proposal {
    let reason = format!(
        "The column name suggests a number for {label}. Most values are unique, so they number rows."
    );
    proposal(Role::Identifier, false, reason)
}

/// Sensitive, unless the values could name people or be linked better than they could be learned.
fn sensitive(facts: &Facts, says: Says, label: &str) -> Proposal {
    if facts.dated() {
        return proposal(
            Role::Quasi,
            true,
            "The column holds dates. All elements of dates are HIPAA identifiers.",
        );
    }
    if numbers_rows(facts) || facts.counts_rows() && facts.present >= 20 {
        return unique_number(label);
    }
    if !facts.numeric() && facts.nearly_unique() {
        let reason =
            format!("The column name suggests {label}, but the values hardly repeat. They can name people.");
        return proposal(Role::Text, false, reason);
    }
    if says == Says::Money && !facts.numeric() {
        let reason =
            format!("The column name suggests {label}, but in categories, which outsiders may know.");
        return proposal(Role::Quasi, false, reason);
    }
    let figure = matches!(says, Says::Money | Says::Measure);
    if !figure && facts.given_out() {
        return unique_number(label);
    }
    let why = match says {
        Says::Measure | Says::Opinion => "which outsiders rarely know",
        _ => "which an adversary wants to learn",
    };
    let because = format!("The column name suggests {label}, {why}.");
    proposal(Role::Sensitive, true, Reason::Unchanged { because, caution: caution(facts) })
}

/// What advises against releasing values that are rare.
fn caution(facts: &Facts) -> Option<String> {
    let share = facts.unique_share();
    (facts.present >= 20 && share > 0.1).then(|| {
        format!(
            "Of the values, {} are unique: anyone who knows one can find the row. If that is possible, make it quasi.",
            percent(share)
        )
    })
}

fn free(facts: &Facts) -> Option<Proposal> {
    let strings = matches!(facts.kind, Kind::Category | Kind::Text | Kind::Code);
    (strings && (facts.distinct > 20 || facts.words >= 3.0))
        .then(|| proposal(Role::Text, true, "The column name suggests free text, which can name people."))
}

fn weight(facts: &Facts) -> Option<Proposal> {
    let whole = facts.missing == 0 && facts.traits.placeholder().is_none();
    let reason = || Reason::unchanged("The column name suggests a survey weight.");
    (facts.numeric() && facts.traits.range.0 >= 0.0 && whole).then(|| proposal(Role::Weight, true, reason()))
}

/// A target has few values; a figure that is to be predicted is sensitive.
fn target(facts: &Facts) -> Option<Proposal> {
    if facts.dated() || facts.counts_rows() || facts.given_out() {
        return None;
    }
    if facts.distinct <= 20 && facts.unique_share() < 0.5 {
        let reason =
            Reason::unchanged("The column name suggests what models predict, and it has few values.");
        return Some(proposal(Role::Target, false, reason));
    }
    let because =
        "The column name suggests what models predict. Its figures are known to the holder alone.".into();
    facts
        .numeric()
        .then(|| proposal(Role::Sensitive, false, Reason::Unchanged { because, caution: caution(facts) }))
}

/// What the values alone say.
fn unnamed(facts: &Facts) -> Proposal {
    identifying(facts).or_else(|| known(facts)).unwrap_or_else(|| Proposal { clue: false, ..doubt(facts) })
}

/// Values that identify rows or persons, whatever they are.
fn identifying(facts: &Facts) -> Option<Proposal> {
    let strings = matches!(facts.kind, Kind::Category | Kind::Text | Kind::Code);
    if facts.counts_rows() {
        let reason = "Whole numbers without gaps, each once: they number the rows.";
        return Some(proposal(Role::Identifier, false, reason));
    }
    let identifier =
        |reason: &str| Some(Proposal { clue: false, ..proposal(Role::Identifier, false, reason) });
    // Of thousands of texts that mostly occur once, hardly any could be released anyway.
    let scattered = facts.distinct > 1000 && facts.unique_share() > 0.5;
    if facts.given_out() || strings && (facts.nearly_unique() || scattered) {
        let share = percent(facts.unique_share());
        let reason = format!("{share} of the values are unique: anyone who knows one identifies the person.");
        return identifier(&reason);
    }
    if strings && !facts.exact {
        return identifier("There are too many different texts: few rows share one.");
    }
    if facts.repeated_codes() && !postal(facts) && !diagnoses(facts) {
        return identifier("Codes of one length, many and each repeated: they look like numbers of persons.");
    }
    None
}

/// Values that show what they are.
fn known(facts: &Facts) -> Option<Proposal> {
    if facts.dated() {
        let reason = "The column holds dates. All elements of dates are HIPAA identifiers.";
        return Some(proposal(Role::Quasi, true, reason));
    }
    if postal(facts) {
        let reason = "The values look like postal codes, places smaller than a state (HIPAA).";
        return Some(proposal(Role::Quasi, true, reason));
    }
    let unchanged = |because: &str| Some(proposal(Role::Sensitive, false, Reason::unchanged(because)));
    if diagnoses(facts) {
        return unchanged("The values look like ICD codes of diagnoses, which an adversary wants to learn.");
    }
    let values: Vec<&str> = facts.values.iter().map(String::as_str).collect();
    match vocabulary::shows(&values)? {
        Shows::Known(label) => {
            Some(proposal(Role::Quasi, true, format!("The values are {label}, which outsiders may know.")))
        }
        Shows::Illness => unchanged("The values name illnesses, which an adversary wants to learn."),
        Shows::Opinion => {
            unchanged("The values are answers on a scale of opinion, which outsiders rarely know.")
        }
    }
}

/// Without any clue: measured decimals are sensitive, everything else is a quasi-identifier.
fn doubt(facts: &Facts) -> Proposal {
    if facts.measured() {
        let because =
            "The name gives no clue. The values are precise decimals, which outsiders rarely know.".into();
        return proposal(Role::Sensitive, false, Reason::Unchanged { because, caution: caution(facts) });
    }
    let what = match facts.kind {
        _ if facts.distinct == 1 => "One value only.",
        Kind::Integer | Kind::Decimal if facts.distinct > 8 => "Numbers.",
        _ => "Categories.",
    };
    let reason = format!(
        "{what} The name gives no clue. Treated as a quasi-identifier to be safe; change it to sensitive or keep if \
         outsiders cannot know it."
    );
    proposal(Role::Quasi, false, reason)
}

/// Whether the values look like postal codes without the help of a name.
pub(super) fn postal(facts: &Facts) -> bool {
    // Five digits are a number unless a leading zero says otherwise.
    let zip = facts.kind == Kind::Code && facts.share(bit::ZIP) >= 0.9;
    zip || facts.share(bit::POSTAL_CA) >= 0.8 || facts.share(bit::POSTAL_UK) >= 0.8
}

/// Whether the values look like ICD-10 codes without the help of a name: cabins and seats look like
/// categories, but they have no dots.
fn diagnoses(facts: &Facts) -> bool {
    facts.distinct >= 3 && facts.share(bit::ICD10) >= 0.9 && facts.share(bit::ICD10_DOT) >= 0.3
}

/// A share as whole percent, but never 0 % or 100 % of what is not none or all.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p > 0.0 && p < 1.0 => "under 1 %".into(),
        p if p > 99.0 && p < 100.0 => "over 99 %".into(),
        p => format!("{p:.0} %"),
    }
}
