//! Lists and patterns of the caller.
//!
//! A phrase of a list is found by the hash of its first word; patterns are regular expressions of
//! the `regex` crate, which takes linear time.

use regex::{Regex, RegexBuilder};
use rustc_hash::{FxHashMap, FxHashSet};
use throng_terms::error::Fault;
use throng_terms::fault;

use super::Detector;
use crate::candidates::{Candidates, Score};
use crate::document::Document;
use crate::lexicon;
use crate::settings::Settings;
use crate::span::Kind;
use crate::token::{Token, tokenize};

/// Finds what the caller's lists and patterns name.
#[derive(Debug, Default)]
pub struct UserDetector {
    /// Phrases by the hash of their first token: hashes of all tokens, and the kind.
    phrases: FxHashMap<u64, Vec<(Vec<u64>, Kind)>>,
    patterns: Vec<(Regex, Kind)>,
    safe: FxHashSet<u64>,
}

/// The hash of a token of any class.
fn hash(text: &str, token: &Token) -> u64 {
    match token.hash {
        0 => lexicon::hash(&text[token.start as usize..token.end as usize]),
        hash => hash,
    }
}

impl UserDetector {
    /// The lists and patterns of some settings.
    ///
    /// # Errors
    /// Patterns that are not regular expressions, or too large.
    pub fn new(settings: &Settings) -> Result<Self, Vec<Fault>> {
        let mut detector = UserDetector::default();
        let mut faults = Vec::new();
        let mut own = 0;
        let mut kind = |given: Option<Kind>| {
            given.unwrap_or_else(|| {
                own += 1;
                Kind::Custom(own - 1)
            })
        };
        let mut tokens = Vec::new();
        for list in &settings.lists {
            let kind = kind(list.kind);
            for word in &list.words {
                tokenize(word, &mut tokens);
                let hashes: Vec<u64> = tokens.iter().map(|token| hash(word, token)).collect();
                if let Some(first) = hashes.first() {
                    detector.phrases.entry(*first).or_default().push((hashes, kind));
                }
            }
        }
        for pattern in &settings.patterns {
            let kind = kind(pattern.kind);
            match RegexBuilder::new(&pattern.pattern).size_limit(1 << 22).build() {
                Ok(regex) => detector.patterns.push((regex, kind)),
                Err(error) => faults.push(bad_pattern(&pattern.name, &error)),
            }
        }
        for word in &settings.safe_words {
            detector.safe.insert(lexicon::hash(word));
        }
        if faults.is_empty() { Ok(detector) } else { Err(faults) }
    }

    /// Whether the caller calls a word safe.
    pub fn is_safe(&self, hash: u64) -> bool {
        !self.safe.is_empty() && self.safe.contains(&hash)
    }

    fn phrase_at(&self, document: &Document<'_>, at: usize) -> Option<(usize, Kind)> {
        let tokens = &document.tokens;
        let phrases = self.phrases.get(&hash(document.text, &tokens[at]))?;
        let matches = |phrase: &&(Vec<u64>, Kind)| {
            phrase.0.len() <= tokens.len() - at
                && phrase
                    .0
                    .iter()
                    .zip(&tokens[at..])
                    .all(|(wanted, token)| *wanted == hash(document.text, token))
        };
        let longest = phrases.iter().filter(matches).max_by_key(|phrase| phrase.0.len())?;
        Some((at + longest.0.len(), longest.1))
    }
}

fn bad_pattern(name: &str, error: &regex::Error) -> Fault {
    fault!(
        Input,
        "text.bad-pattern",
        "the pattern `{name}` is not a regular expression: {error}",
        name = name,
        error = error
    )
    .help("see the syntax of Rust's regex crate; look-around and back-references are not part of it")
}

impl Detector for UserDetector {
    fn name(&self) -> &'static str {
        "user"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        if !self.phrases.is_empty() {
            for at in 0..document.tokens.len() {
                if let Some((end, kind)) = self.phrase_at(document, at) {
                    let bytes = document.bytes(at..end);
                    found.add(self.name(), kind, bytes.clone(), &Score::new("list", bytes, 1.0));
                }
            }
        }
        for (pattern, kind) in &self.patterns {
            for hit in pattern.find_iter(document.text).filter(|hit| !hit.is_empty()) {
                let bytes = hit.start() as u32..hit.end() as u32;
                found.add(self.name(), *kind, bytes.clone(), &Score::new("pattern", bytes, 1.0));
            }
        }
    }
}
