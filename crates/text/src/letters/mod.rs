//! Made-up letters and notes with exact truth, to measure detectors with.
//!
//! A grammar [Sweeney 2001, section 6.1 describes the kinds of mentions] writes referral letters,
//! progress notes, discharge summaries, forms, radiology reports, e-mails and nursing notes, with
//! typing mistakes, clinical shorthand and odd layout. Names, places and companies are made up of
//! syllables and are in no list of the detectors. A letter is a function of a seed and its number;
//! 1 MB takes a few hundredths of a second. [`marked`] reads documents that people marked, and
//! [`score`] compares spans with truth. Nothing here describes an existing person or place.

mod chance;
mod dates;
mod grammar;
pub mod marked;
mod numbers;
mod odd;
pub mod score;
pub mod search;
mod slot;
mod words;
mod world;
mod writer;

use std::ops::Range;

use crate::span::Kind;
use chance::Chance;

/// What identifies somebody, in bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

/// What a letter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A letter to another physician.
    Letter,
    /// A progress note.
    Progress,
    /// A discharge summary.
    Discharge,
    /// A form of keys and values.
    Form,
    /// A radiology report.
    Radiology,
    /// An e-mail.
    Email,
    /// A nursing note.
    Nursing,
}

impl Style {
    /// All styles with their rules in the grammar.
    pub const ALL: [(Style, &'static str); 7] = [
        (Style::Letter, "letter"),
        (Style::Progress, "progress"),
        (Style::Discharge, "discharge"),
        (Style::Form, "form"),
        (Style::Radiology, "radiology"),
        (Style::Email, "email"),
        (Style::Nursing, "nursing"),
    ];
}

/// A document with its truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// What it is called in reports.
    pub title: String,
    /// The text.
    pub text: String,
    /// What identifies somebody, in order.
    pub truth: Vec<Truth>,
    /// Medical phrases, which stay, in order.
    pub medical: Vec<Range<usize>>,
    /// Places that detectors may find or leave, in order.
    pub optional: Vec<Range<usize>>,
    /// What the patient's record holds, for search by value.
    pub record: Vec<String>,
}

/// The letter of a number.
///
/// ```
/// let letter = throng_text::letters::letter(1, 0);
/// let first = &letter.truth[0];
/// assert!(!letter.text[first.start..first.end].is_empty());
/// ```
pub fn letter(seed: u64, number: u64) -> Letter {
    let mut chance = Chance::new(seed, number);
    let (style, rule) = Style::ALL[chance.below(Style::ALL.len())];
    let world = world::World::new(&mut chance);
    let layout = odd::Layout::new(&mut chance);
    let informal = matches!(style, Style::Progress | Style::Email | Style::Nursing) && chance.permille(30);
    let grammar = grammar::grammar();
    let mut writer = writer::Writer::new(grammar, &world, &mut chance);
    writer.lower_names = informal;
    writer.rule(grammar.rule(rule));
    writer.text.push('\n');
    let letter = Letter {
        title: format!("{rule} {seed}/{number}"),
        text: writer.text,
        truth: writer.truth,
        medical: writer.medical,
        optional: writer.optional,
        record: vec![
            world.patient.first.clone(),
            world.patient.last.clone(),
            world.record.clone(),
            world.national.clone(),
        ],
    };
    odd::rewritten(letter, layout, &mut chance)
}

/// The letters of a seed, without end.
pub fn letters(seed: u64) -> impl Iterator<Item = Letter> {
    (0..).map(move |number| letter(seed, number))
}

#[cfg(test)]
mod tests;
