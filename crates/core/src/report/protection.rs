//! The protection that a release achieved, in one sentence: what page and terminal say first.

use super::facts::Facts;
use super::text::{count, decimal, integer};
use crate::model::KAnonymity;
use crate::policy::{KOne, Role};
use crate::release::Claim;

/// The protection of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    /// Whether there is something that is protected.
    pub state: State,
    /// What it is called: "5-anonymous".
    pub name: String,
    /// What that means, as the rest of the sentence.
    pub meaning: String,
}

/// How a release stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Every guarantee of the policy holds.
    Protected,
    /// There is no guarantee, or one does not hold.
    Unprotected,
    /// No row is released.
    Empty,
}

impl std::fmt::Display for Protection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.meaning)
    }
}

impl Facts {
    /// The protection in one sentence.
    pub fn protection(&self) -> Protection {
        let claims = &self.release.privacy;
        let broken = claims.values().filter(|c| !c.holds).count();
        let sentence = |state, name: &str, meaning: String| Protection { state, name: name.into(), meaning };
        match claims.iter().next().map(|(name, claim)| (name.as_str(), claim)) {
            None => sentence(State::Unprotected, "Not protected", "the policy has no guarantee".into()),
            Some((name, claim)) if broken > 0 && claims.len() == 1 => {
                sentence(State::Unprotected, "Not safe", broken_claim(self, name, claim))
            }
            Some(_) if broken > 0 => {
                let meaning = format!("{broken} of {} guarantees do not hold", claims.len());
                sentence(State::Unprotected, "Not safe", meaning)
            }
            Some(_) if self.release.released == 0 => {
                sentence(State::Empty, "Nothing released", "every row is suppressed".into())
            }
            Some((KOne::CLAIM, claim)) if claims.len() == 1 => {
                let k = integer(claim.required as u64);
                let meaning = format!(
                    "every released row covers at least {k} originals, which is less than k-anonymity"
                );
                sentence(State::Protected, &format!("({k},1)-anonymous"), meaning)
            }
            Some((name, _)) if claims.len() == 1 && name != KAnonymity::CLAIM => {
                sentence(State::Protected, "Guarantee holds", name.to_owned())
            }
            Some(_) => all_hold(self),
        }
    }

    /// The quasi-identifiers.
    pub fn quasi_identifiers(&self) -> Vec<&str> {
        self.columns.iter().filter(|c| c.role == Role::Quasi).map(|c| c.name.as_str()).collect()
    }
}

/// What all guarantees that hold mean together.
fn all_hold(facts: &Facts) -> Protection {
    let claims = &facts.release.privacy;
    let all = match claims.len() {
        1 => String::new(),
        several => format!("all {several} guarantees hold"),
    };
    let state = State::Protected;
    let Some(claim) = claims.get(KAnonymity::CLAIM) else {
        return Protection { state, name: "Guarantees hold".into(), meaning: all };
    };
    let k = integer(claim.required as u64);
    let whom = if facts.release.people.is_some() { "people" } else { "rows" };
    let shared = format!("every released {} is shared by at least {k} {whom}", combination(facts));
    let meaning = if all.is_empty() { shared } else { format!("{shared}; {all}") };
    Protection { state, name: format!("{k}-anonymous"), meaning }
}

fn broken_claim(facts: &Facts, name: &str, claim: &Claim) -> String {
    match claim.achieved {
        Some(reached) if name == KAnonymity::CLAIM && facts.release.people.is_some() => format!(
            "some {} belongs to {} people only, where {} are required",
            combination(facts),
            integer(reached as u64),
            decimal(claim.required)
        ),
        Some(reached) if name == KAnonymity::CLAIM => format!(
            "some {} occurs only {}, where {} are required",
            combination(facts),
            count(reached as u64, "time"),
            decimal(claim.required)
        ),
        _ => format!("{name} does not hold"),
    }
}

fn combination(facts: &Facts) -> String {
    match &facts.quasi_identifiers()[..] {
        [] => "row".to_owned(),
        [only] => format!("value of {only}"),
        several => format!("combination of these {} columns", several.len()),
    }
}
