//! E-mail addresses and handles, around every at sign.

use super::Detector;
use crate::candidates::{Candidates, Score};
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Class, Token};

/// Finds e-mail addresses.
pub struct Email;

/// Tokens on either side of an at sign.
const MOST: usize = 24;

impl Detector for Email {
    fn name(&self) -> &'static str {
        "email"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for at in document.ats_here() {
            let at = *at as usize;
            let (first, end) = (local(document, at), domain(document, at));
            if end <= at + 1 {
                continue;
            }
            // "APR 09, 2024@09:31": a time.
            let time = document.tokens[at + 1..end].iter().all(|token| token.is_number());
            if time
                && document
                    .tokens
                    .get(end)
                    .is_none_or(|next| next.is_sign(b':') || next.has(crate::token::Flags::SPACE))
            {
                continue;
            }
            let dotted = document.tokens[at + 1..end].iter().any(|token| token.is_sign(b'.'));
            let (kind, rule, certainty) = match (first < at, dotted) {
                (true, true) => (Kind::Email, "address", 0.99),
                (true, false) => (Kind::Email, "address without domain", 0.75),
                // A handle in a network, unless a quantity is meant: "2 @ 5".
                (false, _)
                    if document.tokens[at + 1].is_word()
                        && !document.tokens[at].has(crate::token::Flags::LINE) =>
                {
                    (Kind::Email, "handle", 0.75)
                }
                _ => continue,
            };
            let bytes = document.bytes(first..end);
            found.add(self.name(), kind, bytes.clone(), &Score::new(rule, bytes, certainty));
        }
    }
}

fn joins(token: &Token) -> bool {
    token.class != Class::Sign
        || matches!(
            token.first,
            b'.' | b'-'
                | b'_'
                | b'+'
                | b'%'
                | b'\''
                | b'&'
                | b'!'
                | b'#'
                | b'$'
                | b'*'
                | b'/'
                | b'='
                | b'~'
                | b'{'
                | b'}'
                | b'^'
        )
}

/// The first token of the part before the at sign.
fn local(document: &Document<'_>, at: usize) -> usize {
    let mut first = at;
    while first > 0
        && at - first < MOST
        && document.glued(first)
        && contiguous(document, first)
        && joins(&document.tokens[first - 1])
    {
        first -= 1;
    }
    while first < at && document.tokens[first].class == Class::Sign {
        first += 1;
    }
    first
}

/// The token after the part behind the at sign.
fn domain(document: &Document<'_>, at: usize) -> usize {
    let mut end = at + 1;
    let sign = |token: &Token| matches!(token.first, b'.' | b'-' | b'_');
    while end < document.tokens.len()
        && end - at < MOST
        && document.glued(end)
        && contiguous(document, end)
        && (document.tokens[end].class != Class::Sign || sign(&document.tokens[end]))
    {
        end += 1;
    }
    while end > at + 1 && document.tokens[end - 1].class == Class::Sign {
        end -= 1;
    }
    end
}

/// Whether not even a possessive 's lies between a token and the one before.
fn contiguous(document: &Document<'_>, at: usize) -> bool {
    at > 0 && document.tokens[at - 1].end == document.tokens[at].start
}
