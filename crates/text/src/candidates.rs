//! What detectors propose: spans with certainties and the rules that led to them.
//!
//! Evidence is kept as offsets until a span has survived, so that a proposal costs no allocation of
//! its own.

use std::ops::Range;

use crate::span::{Kind, Reason, Span};

/// Rules that a score remembers; later ones change the certainty without being reported.
const MOST_RULES: usize = 6;

/// One rule that changed a certainty, with the bytes it looked at.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// The rule.
    pub rule: &'static str,
    /// The first byte of the evidence.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
    /// The certainty before.
    pub before: f32,
    /// The certainty after.
    pub after: f32,
}

/// A certainty with the rules that led to it.
#[derive(Debug, Clone, Copy)]
pub struct Score {
    certainty: f32,
    rules: [Evidence; MOST_RULES],
    len: usize,
}

impl Score {
    /// A first certainty. Apart, like all that few tokens need: detectors run one after the other
    /// over a short text, and their code hardly fits the cache.
    #[inline(never)]
    pub fn new(rule: &'static str, evidence: Range<u32>, certainty: f32) -> Self {
        let mut score = Score { certainty: 0.0, rules: [Evidence::default(); MOST_RULES], len: 0 };
        score.set(rule, evidence, certainty);
        score
    }

    /// The certainty so far.
    pub fn certainty(&self) -> f32 {
        self.certainty
    }

    fn set(&mut self, rule: &'static str, evidence: Range<u32>, after: f32) {
        if self.len < MOST_RULES {
            let (start, end) = (evidence.start, evidence.end);
            self.rules[self.len] = Evidence { rule, start, end, before: self.certainty, after };
            self.len += 1;
        }
        self.certainty = after;
    }

    /// Removes a share of the doubt.
    #[inline(never)]
    pub fn raise(&mut self, rule: &'static str, evidence: Range<u32>, share: f32) {
        self.set(rule, evidence, self.certainty + (1.0 - self.certainty) * share);
    }

    /// Removes a share of the certainty.
    #[inline(never)]
    pub fn lower(&mut self, rule: &'static str, evidence: Range<u32>, share: f32) {
        self.set(rule, evidence, self.certainty * (1.0 - share));
    }
}

/// A proposed span.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
    /// What it is.
    pub kind: Kind,
    /// How certain that is.
    pub certainty: f32,
    /// Who found it.
    pub detector: &'static str,
    /// Its rules, a range of [`Candidates::evidence`].
    pub rules: (u32, u8),
    /// The place of the known value that it mentions, plus one; 0 if none.
    pub known: u16,
}

impl Candidate {
    /// The number of bytes.
    pub fn bytes(&self) -> u32 {
        self.end - self.start
    }

    /// Whether two spans share a byte.
    pub fn overlaps(&self, other: &Candidate) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether another span lies in this one.
    pub fn contains(&self, other: &Candidate) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// All proposals for a document.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The proposals.
    pub list: Vec<Candidate>,
    /// The rules of all proposals.
    pub evidence: Vec<Evidence>,
    /// Memory of resolution: the order of the proposals, and those that hang together.
    pub(crate) order: Vec<u64>,
    pub(crate) cluster: Vec<Candidate>,
}

/// Proposals below this certainty are dropped at once.
pub const LEAST: f32 = 0.25;

impl Candidates {
    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.evidence.clear();
    }

    /// Proposes a span.
    #[inline(never)]
    pub fn add(&mut self, detector: &'static str, kind: Kind, bytes: Range<u32>, score: &Score) {
        self.add_known(detector, kind, bytes, score, 0);
    }

    /// Proposes a span that mentions a known value.
    pub fn add_known(
        &mut self,
        detector: &'static str,
        kind: Kind,
        bytes: Range<u32>,
        score: &Score,
        known: u16,
    ) {
        if score.certainty < LEAST || bytes.start >= bytes.end {
            return;
        }
        let from = self.evidence.len() as u32;
        self.evidence.extend_from_slice(&score.rules[..score.len]);
        let rules = (from, score.len as u8);
        let certainty = score.certainty.min(1.0);
        self.list.push(Candidate {
            start: bytes.start,
            end: bytes.end,
            kind,
            certainty,
            detector,
            rules,
            known,
        });
    }

    /// The rules of a proposal.
    pub fn rules(&self, candidate: &Candidate) -> &[Evidence] {
        let from = candidate.rules.0 as usize;
        self.evidence.get(from..from + usize::from(candidate.rules.1)).unwrap_or_default()
    }

    /// A surviving proposal as a span of a text that starts `offset` bytes earlier.
    pub fn span(&self, candidate: &Candidate, text: &str, offset: usize) -> Span {
        let reason = |evidence: &Evidence| Reason {
            rule: evidence.rule,
            evidence: text.get(evidence.start as usize..evidence.end as usize).unwrap_or_default().into(),
            before: evidence.before,
            after: evidence.after,
        };
        Span {
            start: offset + candidate.start as usize,
            end: offset + candidate.end as usize,
            kind: candidate.kind,
            certainty: candidate.certainty,
            detector: candidate.detector,
            reasons: self.rules(candidate).iter().map(reason).collect(),
            replacement: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_kept_with_certainties_before_and_after() {
        let mut score = Score::new("shape", 0..3, 0.5);
        score.raise("title", 4..6, 0.8);
        score.lower("medical", 0..0, 0.5);
        assert!((score.certainty() - 0.45).abs() < 1e-6);
        let mut found = Candidates::default();
        found.add("person", Kind::Person, 0..3, &score);
        found.add("person", Kind::Person, 5..5, &score);
        found.add("person", Kind::Person, 5..6, &Score::new("x", 0..0, 0.1));
        assert_eq!(found.list.len(), 1, "empty and unlikely proposals are dropped");
        let span = found.span(&found.list[0], "Ann Dr.", 10);
        assert_eq!((span.start, span.end), (10, 13));
        let rules: Vec<(&str, &str)> = span.reasons.iter().map(|r| (r.rule, r.evidence.as_str())).collect();
        assert_eq!(rules, [("shape", "Ann"), ("title", "Dr"), ("medical", "")]);
        assert_eq!(span.reasons[1].before, span.reasons[0].after);
    }
}
