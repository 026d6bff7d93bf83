//! Addresses in the web: after "://" or "www.", and names of hosts with a known ending.

use super::Detector;
use crate::candidates::{Candidates, Score};
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Class, Flags, Token};

/// Finds addresses in the web.
pub struct Url;

/// Tokens of an address.
const MOST: usize = 80;

const ENDINGS: &[&str] = &[
    "com", "org", "net", "edu", "gov", "mil", "int", "info", "io", "uk", "de", "fr", "nl", "ch", "at", "be",
    "es", "it", "ca", "au", "eu", "us", "health", "care", "clinic", "hospital", "doctor", "dev", "app", "me",
    "co", "biz", "name", "example", "test", "local", "nhs", "ie", "nz", "se", "no", "dk", "fi", "pl", "pt",
    "cz", "jp", "in", "br", "mx", "za", "online", "site", "web", "tv", "cloud", "page", "blog", "xyz",
];

impl Detector for Url {
    fn name(&self) -> &'static str {
        "url"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        if !document.is_last_window() {
            return;
        }
        let mut done = 0;
        for joint in &document.joints {
            let joint = *joint as usize;
            if joint < done {
                continue;
            }
            let Some((first, end, rule, certainty)) = address(document, joint) else { continue };
            let bytes = document.bytes(first..end);
            found.add(self.name(), Kind::Url, bytes.clone(), &Score::new(rule, bytes, certainty));
            done = end;
        }
    }
}

/// The address around a colon or dot.
fn address(document: &Document<'_>, joint: usize) -> Option<(usize, usize, &'static str, f32)> {
    let tokens = &document.tokens;
    let before = joint.checked_sub(1).map(|before| &tokens[before])?;
    let sign = |at: usize, sign: u8| {
        tokens.get(at).is_some_and(|token| token.is_sign(sign) && !token.has(Flags::SPACE))
    };
    if tokens[joint].is_sign(b':') && before.is_word() && sign(joint + 1, b'/') && sign(joint + 2, b'/') {
        return Some((joint - 1, extent(document, joint + 3), "scheme", 0.99));
    }
    if !tokens[joint].is_sign(b'.') || !document.glued(joint + 1) {
        return None;
    }
    if document.is(joint - 1, "www") {
        return Some((joint - 1, extent(document, joint + 1), "www", 0.99));
    }
    host(document, joint)
}

/// A name of a host with a known ending, with its path: "portal.clinic.org/login".
fn host(document: &Document<'_>, joint: usize) -> Option<(usize, usize, &'static str, f32)> {
    let tokens = &document.tokens;
    if !tokens[joint - 1].is_word() && !tokens[joint - 1].is_number() {
        return None;
    }
    let mut first = joint - 1;
    while first > 0 && document.glued(first) && joint - first < MOST && is_host(&tokens[first - 1]) {
        first -= 1;
    }
    if first > 0 && tokens[first - 1].is_sign(b'@') {
        return None;
    }
    let mut end = joint + 1;
    while end < tokens.len() && document.glued(end) && end - first < MOST && is_host(&tokens[end]) {
        end += 1;
    }
    while end > joint + 1 && tokens[end - 1].class == Class::Sign {
        end -= 1;
    }
    let last = tokens.get(end - 1).filter(|last| last.is_word() && !last.has(Flags::CAPITAL))?;
    let known = ENDINGS.contains(&document.slice(last.start..last.end));
    let at_sign = tokens.get(end).is_some_and(|next| next.is_sign(b'@') && !next.has(Flags::SPACE));
    let path = tokens.get(end).is_some_and(|next| next.is_sign(b'/') && !next.has(Flags::SPACE));
    let letters = tokens[first..end - 1].iter().any(|token| token.is_word() && token.len() > 1);
    if !known || at_sign || !letters || end < joint + 2 && tokens[end - 1].start < tokens[joint].start {
        return None;
    }
    let certainty = if last.len() > 2 || path { 0.9 } else { 0.7 };
    Some((first, if path { extent(document, end) } else { end }, "host", certainty))
}

fn is_host(token: &Token) -> bool {
    token.class != Class::Sign || matches!(token.first, b'.' | b'-' | b'_')
}

/// The end of an address: a blank, a bracket or quote, without signs that end a sentence.
fn extent(document: &Document<'_>, from: usize) -> usize {
    let mut end = from;
    while end < document.tokens.len() && document.glued(end) && end - from < MOST {
        let token = &document.tokens[end];
        if token.class == Class::Sign
            && matches!(token.first, b'<' | b'>' | b'"' | b')' | b']' | b'|' | b'}' | b'\'' | b'`')
        {
            break;
        }
        end += 1;
    }
    while end > from
        && document.tokens[end - 1].class == Class::Sign
        && document.tokens[end - 1].first != b'/'
    {
        end -= 1;
    }
    end
}
