//! The verdict: one [`Finding`] per claim. As JSON it is the `claim → holds, found` of the
//! documented output.

use std::collections::BTreeMap;

use serde::Serialize;

/// How many offending things one sentence names.
const NAMED: usize = 5;

/// What stands for a claim that needs the original.
pub(super) const WITHOUT_ORIGINAL: &str = "not checked without --original";

/// The findings of all claims.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct Verdict {
    /// Claim → what was found.
    pub claims: BTreeMap<String, Finding>,
}

/// The finding of one claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the claim holds.
    pub holds: bool,
    /// The finding, in one sentence with its numbers.
    pub found: String,
    /// Whether the claim, or a part of it, was not put to the test: then `holds` proves nothing of
    /// that part.
    #[serde(skip_serializing_if = "is_false")]
    pub unchecked: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Verdict {
    /// Whether no claim was found to be wrong.
    pub fn holds(&self) -> bool {
        self.claims.values().all(|finding| finding.holds)
    }

    /// The claims that were not, or not wholly, put to the test.
    pub fn unchecked(&self) -> impl Iterator<Item = &str> {
        self.claims.iter().filter(|(_, finding)| finding.unchecked).map(|(claim, _)| claim.as_str())
    }

    pub(super) fn set(&mut self, claim: impl Into<String>, finding: Finding) {
        self.claims.insert(claim.into(), finding);
    }
}

impl Finding {
    /// Holds with the sentence `fine` if nothing is wrong; otherwise lists what is wrong.
    pub(super) fn of(wrong: &Wrong, fine: impl FnOnce() -> String) -> Self {
        if wrong.count == 0 {
            return Finding { holds: true, found: fine(), unchecked: false };
        }
        let mut found = wrong.named.join("; ");
        if wrong.count > wrong.named.len() {
            found.push_str(&format!("; and {} more", wrong.count - wrong.named.len()));
        }
        Finding { holds: false, found, unchecked: false }
    }

    /// What should be there is not.
    pub(super) fn missing(why: impl Into<String>) -> Self {
        Finding { holds: false, found: why.into(), unchecked: false }
    }

    /// Nothing was tested, for the given reason.
    pub(super) fn unchecked(why: impl Into<String>) -> Self {
        Finding { holds: true, found: why.into(), unchecked: true }
    }
}

/// Evidence against a claim: the first few in words, the others counted.
#[derive(Debug, Default)]
pub(super) struct Wrong {
    named: Vec<String>,
    count: usize,
}

impl Wrong {
    /// Adds one thing; its words are only made when they will be read.
    pub(super) fn add(&mut self, words: impl FnOnce() -> String) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push(words());
        }
    }

    /// Adds one thing.
    pub(super) fn push(&mut self, words: impl Into<String>) {
        self.add(|| words.into());
    }
}

impl Extend<String> for Wrong {
    fn extend<T: IntoIterator<Item = String>>(&mut self, all: T) {
        all.into_iter().for_each(|words| self.push(words));
    }
}

/// A number of things, as a sentence says it: `1 row`, `2 rows`, `3 classes`.
pub(super) fn several(n: u64, thing: &str) -> String {
    match n {
        1 => format!("1 {thing}"),
        _ if thing.ends_with('s') => format!("{n} {thing}es"),
        _ => format!("{n} {thing}s"),
    }
}
