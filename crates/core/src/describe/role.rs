//! Proposes the role of a column, with the reason in one sentence.
//!
//! Values that identify people decide first, then the name of the column, then the remaining facts
//! about its values. In doubt, a column is a quasi-identifier: it is generalized, and rare values
//! are suppressed. A column is proposed for release unchanged only if its name (or, for ICD codes,
//! its values) marks it as sensitive, a target or a weight. Reasons contain no values, because they
//! are written into policies.

use super::Kind;
use super::facts::Facts;
use super::shape::{Shapes, bit};
use super::words::Says;
use crate::policy::Role;

/// A proposed role.
pub(super) struct Proposal {
    pub role: Role,
    /// Whether name or values say so outright.
    pub certain: bool,
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
    fn unchanged(because: impl Into<String>) -> Self {
        Reason::Unchanged { because: because.into(), caution: None }
    }

    /// The reason for the proposed role.
    pub(super) fn text(&self) -> String {
        match self {
            Reason::Protected(reason) => reason.clone(),
            Reason::Unchanged { because, caution } => with(format!("{because}; released unchanged"), caution),
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

fn with(reason: String, caution: &Option<String>) -> String {
    caution.iter().fold(reason, |reason, caution| format!("{reason}; {caution}"))
}

impl<T: Into<String>> From<T> for Reason {
    fn from(reason: T) -> Self {
        Reason::Protected(reason.into())
    }
}

fn proposal(role: Role, certain: bool, reason: impl Into<Reason>) -> Proposal {
    Proposal { role, certain, reason: reason.into() }
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
        return proposal(Role::Drop, true, "holds no value");
    }
    naming(facts).or_else(|| text(facts)).or_else(|| named(facts)).unwrap_or_else(|| unnamed(facts))
}

fn naming(facts: &Facts) -> Option<Proposal> {
    if facts.dated() {
        return None;
    }
    let (shape, _, what) = NAMING.into_iter().find(|(shape, least, _)| facts.share(*shape) >= *least)?;
    let reason =
        format!("{} of the values look like {what}, a HIPAA identifier", percent(facts.share(shape)));
    Some(proposal(Role::Identifier, true, reason))
}

fn text(facts: &Facts) -> Option<Proposal> {
    let identifier = facts.meaning.says() == Some(Says::Identifier);
    (facts.free_text() && !identifier)
        .then(|| proposal(Role::Text, true, "long texts that hardly repeat; they can name people"))
}

/// What the name suggests, as far as the values bear it out.
fn named(facts: &Facts) -> Option<Proposal> {
    let word = facts.meaning.word?;
    let label = word.label;
    let quasi = |why: &str| Some(proposal(Role::Quasi, true, format!("the name suggests {label}{why}")));
    if facts.meaning.age && facts.between(0.0, 130.0) {
        return Some(proposal(Role::Quasi, true, "the name suggests an age, which others may know"));
    }
    match word.says {
        Says::Identifier => Some(identifier(facts, label)),
        Says::Number => Some(number(facts)),
        Says::Quasi if numbers_rows(facts) => Some(unique_number(label)),
        Says::Quasi | Says::Age => quasi(", which others may know"),
        Says::Date => quasi(", all elements of which are HIPAA identifiers"),
        Says::Year | Says::Month => quasi(", part of a date that others may know"),
        Says::Postal => quasi(", a place smaller than a state (HIPAA)"),
        Says::Sensitive | Says::Diagnosis | Says::Money => Some(sensitive(facts, word.says, label)),
        Says::Text => free(facts),
        Says::Weight => weight(facts),
        Says::Target => target(facts),
    }
}

fn identifier(facts: &Facts, label: &str) -> Proposal {
    if facts.kind == Kind::Boolean || facts.meaning.aspect && facts.repeats() {
        let reason = format!("describes {label} instead of containing it; few values, which repeat");
        return proposal(Role::Quasi, false, reason);
    }
    proposal(Role::Identifier, true, format!("the name suggests {label}, a HIPAA identifier"))
}

fn number(facts: &Facts) -> Proposal {
    if facts.distinct > 1000 || facts.unique_share() > 0.5 {
        return proposal(
            Role::Identifier,
            false,
            "the name suggests a number or code, and most values are unique",
        );
    }
    proposal(Role::Quasi, false, "the name suggests a number or code; the values repeat, but can be linked")
}

/// Whether a name that ends in `id` or the like goes with values that each belong to one row.
fn numbers_rows(facts: &Facts) -> bool {
    facts.meaning.numbered && (facts.unique_share() > 0.5 || facts.counts_rows())
}

fn unique_number(label: &str) -> Proposal {
    let reason =
        format!("the name suggests a number for {label}, and most values are unique: they number rows");
    proposal(Role::Identifier, false, reason)
}

/// Sensitive, unless the values could name people or be linked better than they could be learned.
fn sensitive(facts: &Facts, says: Says, label: &str) -> Proposal {
    if facts.dated() {
        return proposal(Role::Quasi, true, "holds dates, all elements of which are HIPAA identifiers");
    }
    if numbers_rows(facts) || facts.counts_rows() && facts.present >= 20 {
        return unique_number(label);
    }
    if !facts.numeric() && facts.nearly_unique() {
        let reason = format!("the name suggests {label}, but the values hardly repeat: they can name people");
        return proposal(Role::Text, false, reason);
    }
    if says == Says::Money && !facts.numeric() {
        return proposal(
            Role::Quasi,
            false,
            format!("the name suggests {label}, but in categories, which others may know"),
        );
    }
    if says != Says::Money && facts.given_out() {
        return unique_number(label);
    }
    let because = format!("the name suggests {label}, which others want to learn");
    let unique = facts.present >= 20 && facts.unique_share() > 0.1;
    let caution = unique.then(|| {
        format!(
            "{} of the values are unique: anyone who knows a value finds the row; if that is possible, make it quasi",
            percent(facts.unique_share())
        )
    });
    proposal(Role::Sensitive, true, Reason::Unchanged { because, caution })
}

fn free(facts: &Facts) -> Option<Proposal> {
    let strings = matches!(facts.kind, Kind::Category | Kind::Text | Kind::Code);
    (strings && (facts.distinct > 20 || facts.words >= 3.0))
        .then(|| proposal(Role::Text, true, "the name suggests free text, which can name people"))
}

fn weight(facts: &Facts) -> Option<Proposal> {
    let whole = facts.missing == 0 && facts.traits.placeholder().is_none();
    (facts.numeric() && facts.traits.range.0 >= 0.0 && whole)
        .then(|| proposal(Role::Weight, true, Reason::unchanged("the name suggests a survey weight")))
}

fn target(facts: &Facts) -> Option<Proposal> {
    (facts.distinct <= 20 && facts.unique_share() < 0.5 && !facts.dated())
        .then(|| proposal(Role::Target, false, Reason::unchanged("the name suggests the target of a model")))
}

/// What the values alone say.
fn unnamed(facts: &Facts) -> Proposal {
    let strings = matches!(facts.kind, Kind::Category | Kind::Text | Kind::Code);
    if facts.counts_rows() {
        return proposal(
            Role::Identifier,
            false,
            "whole numbers without gaps, each once: they number the rows",
        );
    }
    // Of thousands of texts that mostly occur once, hardly any could be released anyway.
    let scattered = facts.distinct > 1000 && facts.unique_share() > 0.5;
    if facts.given_out() || strings && (facts.nearly_unique() || scattered) {
        let share = percent(facts.unique_share());
        let reason = format!("{share} of the values are unique: anyone who knows one identifies the person");
        return proposal(Role::Identifier, false, reason);
    }
    if strings && !facts.exact {
        return proposal(Role::Identifier, false, "too many different texts: few rows share one");
    }
    if facts.dated() {
        return proposal(Role::Quasi, true, "holds dates, all elements of which are HIPAA identifiers");
    }
    if postal(facts) {
        return proposal(
            Role::Quasi,
            true,
            "the values look like postal codes, places smaller than a state (HIPAA)",
        );
    }
    if diagnoses(facts) {
        let because = "the values look like ICD codes of diagnoses, which others want to learn";
        return proposal(Role::Sensitive, false, Reason::unchanged(because));
    }
    proposal(Role::Quasi, false, doubt(facts))
}

fn doubt(facts: &Facts) -> &'static str {
    match facts.kind {
        Kind::Integer | Kind::Decimal if facts.distinct > 8 => {
            "numbers; the name gives no clue; treated as quasi to be safe; make it sensitive if outsiders cannot know it"
        }
        _ if facts.distinct == 1 => "one value only; treated as quasi to be safe",
        _ => {
            "categories; the name gives no clue; treated as quasi to be safe; make it sensitive or keep if outsiders cannot know it"
        }
    }
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
