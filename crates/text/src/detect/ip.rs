//! Addresses of computers: four numbers below 256 with dots, or groups of hexadecimal digits with
//! colons.

use super::Detector;
use crate::candidates::{Candidates, Score};
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Class, Flags};

/// Finds addresses of computers.
pub struct Ip;

impl Detector for Ip {
    fn name(&self) -> &'static str {
        "ip"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for code in document.codes_here() {
            let (first, end) = (code.first as usize, code.end as usize);
            if end - first == 7 && code.letters == 0 && is_v4(document, first) {
                let bytes = document.bytes(first..end);
                found.add(self.name(), Kind::Ip, bytes.clone(), &Score::new("four bytes", bytes, 0.95));
            }
        }
        if !document.is_last_window() {
            return;
        }
        let mut done = 0;
        for joint in &document.joints {
            let joint = *joint as usize;
            if joint >= done && document.tokens[joint].is_sign(b':') {
                done = self.groups(document, joint, found);
            }
        }
    }
}

/// Whether four numbers below 256 with dots start at a token.
fn is_v4(document: &Document<'_>, first: usize) -> bool {
    (0..7).all(|place| match place % 2 {
        0 => {
            let byte = document.word(first + place);
            byte.len() <= 3 && byte.parse::<u16>().is_ok_and(|byte| byte < 256)
        }
        _ => document.tokens[first + place].is_sign(b'.'),
    })
}

impl Ip {
    /// IPv6 and hardware addresses around a colon. Returns the token behind what was looked at.
    fn groups(&self, document: &Document<'_>, joint: usize, found: &mut Candidates) -> usize {
        let tokens = &document.tokens;
        let hexadecimal = |at: usize| {
            tokens[at].class != Class::Sign
                && tokens[at].len() <= 4
                && document.word(at).bytes().all(|sign| sign.is_ascii_hexdigit())
        };
        let colon = |at: usize| tokens[at].is_sign(b':');
        let mut first = joint;
        while first > 0 && joint - first < 2 && !tokens[first].has(Flags::SPACE) && hexadecimal(first - 1) {
            first -= 1;
        }
        let mut end = joint;
        while end < tokens.len()
            && end - first < 32
            && (end == first || document.glued(end))
            && (colon(end) || hexadecimal(end))
        {
            end += 1;
        }
        // Every such address has at least two colons; a time has one.
        if (first..end).filter(|at| colon(*at)).count() < 2 {
            return end.max(joint + 1);
        }
        let bytes = document.bytes(first..end);
        if let Some((rule, certainty)) = shape(document.slice(bytes.clone())) {
            found.add(self.name(), Kind::Ip, bytes.clone(), &Score::new(rule, bytes, certainty));
        }
        end.max(joint + 1)
    }
}

/// The rule and the certainty of groups with colons.
fn shape(text: &str) -> Option<(&'static str, f32)> {
    let groups: Vec<&str> = text.trim_end_matches('.').split(':').collect();
    let digits = text.bytes().any(|sign| sign.is_ascii_digit());
    let double = text.matches("::").count();
    let short = groups.iter().all(|group| group.len() <= 4);
    if groups.len() == 6 && groups.iter().all(|group| group.len() == 2) {
        return Some(("hardware address", 0.9));
    }
    let v6 = short
        && digits
        && (groups.len() == 8 && double == 0 || (3..=8).contains(&groups.len()) && double == 1);
    (v6 && text.len() >= 6).then_some(("eight groups", 0.93))
}
