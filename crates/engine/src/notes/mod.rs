//! Free text that is scrubbed while rows are rewritten: every text with the identifiers of its row
//! and what they are released as, and with the quasi-identifiers and the labels of the row.
//!
//! `throng-text` finds and replaces. What then still resembles a value of the row is suppressed
//! (`guard.rs`), so that the verifier's search finds nothing. Rows are independent of each other
//! and are scrubbed on all cores; a text costs what [`Scrubber::scrub`] costs, and a comparison per
//! word of the text and word of the row.

mod guard;
mod ordinary;
mod stated;
mod words;

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use rayon::prelude::*;
use throng::describe::Category;
use throng::error::{Error, Fault, Result};
use throng::hierarchy::Spec;
use throng::policy::{Column, Policy, Role, Scrub, ScrubAges, ScrubDates, ScrubMode};
use throng::release::TextFacts;
use throng_text::{
    AgeRule, DateRule, Known, Meaning, Mode, Scrubbed, Scrubber, Settings, Span, Subject, UserPattern,
    WordList,
};

use crate::cells::Cells;
use crate::policy_file::PolicyFile;
use crate::scrub::at_a_time;
use crate::substitute::secret;
use guard::Secret;

pub(crate) use stated::StatedTable;

/// The columns whose texts are scrubbed, and the columns that say what must not be in a text.
#[derive(Debug, Default)]
pub struct TextColumns {
    columns: Vec<(String, Scrubber)>,
    known: Vec<KnownColumn>,
    /// The column that names the person of a row.
    subject: Option<String>,
}

/// A column of identifiers or quasi-identifiers.
#[derive(Debug)]
pub(crate) struct KnownColumn {
    pub(crate) name: String,
    pub(crate) quasi: bool,
    category: Category,
    occupation: bool,
    /// How its dates are written, where the policy says it.
    format: Option<String>,
}

impl PolicyFile {
    /// The columns whose texts are scrubbed, with their keys and lists.
    ///
    /// # Errors
    /// A key or a list that is not there, or does not fit.
    pub(crate) fn texts(&self) -> Result<TextColumns> {
        let mut columns = Vec::new();
        for (name, scrub) in self.policy.scrubbed() {
            let here = |e: Error| {
                let key = format!("columns.{name}.transform");
                e.map(|fault| if fault.place.file.is_some() { fault } else { fault.key(&key) })
            };
            let scrubber = self.settings(scrub).and_then(Scrubber::new).map_err(here)?;
            columns.push((name.to_owned(), scrubber));
        }
        if columns.is_empty() {
            return Ok(TextColumns::default());
        }
        let known = known(&self.policy);
        Ok(TextColumns { columns, known, subject: self.policy.subject().map(String::from) })
    }

    /// What a policy asks for, as the scrubber takes it.
    fn settings(&self, scrub: &Scrub) -> Result<Settings> {
        let key = scrub.key().map(|place| secret(place, self.folder())).transpose()?;
        let lines = |path: &String| Ok::<_, Error>(entries(&self.load(path)?));
        let list = |path: &String| {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            Ok::<_, Error>(WordList::named(name, lines(path)?))
        };
        let pattern = |(name, pattern): (&String, &String)| UserPattern::named(name, pattern);
        Ok(Settings {
            mode: match scrub.mode {
                ScrubMode::Surrogate => Mode::Surrogate,
                ScrubMode::Tag => Mode::Tag,
                ScrubMode::Mask => Mode::Mask,
            },
            threshold: scrub.threshold as f32,
            dates: match scrub.dates {
                ScrubDates::Month => DateRule::MonthYear,
                ScrubDates::Year => DateRule::Year,
                ScrubDates::Shift => DateRule::ShiftWithin { days: scrub.days.unwrap_or(Scrub::DAYS) },
            },
            ages: match scrub.ages {
                ScrubAges::Over89 => AgeRule::Over89,
                ScrubAges::Decades => AgeRule::Decades,
                ScrubAges::All => AgeRule::All,
            },
            day_first: scrub.day_first,
            key,
            lists: scrub.lists.iter().map(list).collect::<Result<_>>()?,
            safe_words: scrub.safe.iter().map(lines).collect::<Result<Vec<_>>>()?.concat(),
            patterns: scrub.patterns.iter().map(pattern).collect(),
            ..Settings::default()
        })
    }
}

/// The words of a list: one per line, without empty lines and comments.
pub(crate) fn entries(text: &str) -> Vec<String> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(String::from).collect()
}

/// The columns whose values texts are searched for.
fn known(policy: &Policy) -> Vec<KnownColumn> {
    let searched = policy
        .columns
        .iter()
        .filter(|(_, column)| matches!(column.role, Role::Identifier | Role::Subject | Role::Quasi));
    let known = |(name, column): (&String, &Column)| {
        let lower = name.to_lowercase();
        let works = ["occupation", "job", "profession", "beruf"].iter().any(|word| lower.contains(word));
        let (category, format) = match &column.hierarchy {
            Some(Spec::Date(date)) => (Category::Date, Some(date.format.clone())),
            Some(Spec::Postal(_) | Spec::Zip3(_)) => (Category::Postal, None),
            _ => (Category::by_name(name), None),
        };
        KnownColumn {
            name: name.clone(),
            quasi: column.role == Role::Quasi,
            category,
            occupation: works,
            format,
        }
    };
    searched.map(known).collect()
}

impl KnownColumn {
    /// What a value of the column means.
    fn meaning(&self, value: &str) -> Meaning<'_> {
        let digits = value.bytes().any(|byte| byte.is_ascii_digit());
        match self.category {
            Category::BirthDate | Category::Date => {
                Meaning::Date { format: self.format.as_deref().unwrap_or("%Y-%m-%d") }
            }
            Category::Age => Meaning::Age,
            Category::Postal => Meaning::PostalCode,
            Category::Place => Meaning::City,
            _ if self.occupation => Meaning::Occupation,
            Category::Name => Meaning::Name,
            _ if self.quasi => Meaning::Other,
            _ if digits => Meaning::Number,
            Category::Address | Category::Email | Category::Web => Meaning::Other,
            _ => Meaning::Name,
        }
    }
}

/// A column of a batch with its original cells and what they are released as.
pub(crate) struct KnownCells<'a> {
    pub(crate) column: &'a KnownColumn,
    pub(crate) original: Cells,
    /// None for an identifier that is removed.
    pub(crate) released: Option<Cells>,
}

impl TextColumns {
    /// Whether nothing is scrubbed.
    pub(crate) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Whether the texts of a column are scrubbed.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|(name, _)| name == column)
    }

    /// The columns whose values texts are searched for; none where nothing is scrubbed.
    pub(crate) fn known(&self) -> &[KnownColumn] {
        &self.known
    }

    /// The scrubbed texts of some rows of a batch.
    pub(crate) fn replace(
        &self,
        column: &str,
        texts: &ArrayRef,
        rows: &[u32],
        known: &[KnownCells<'_>],
    ) -> Result<(ArrayRef, TextFacts)> {
        let cells = Cells::new(column, texts)?;
        let Some((_, scrubber)) = self.columns.iter().find(|(name, _)| name == column) else {
            return Err(Fault::bug("a column that is not scrubbed").into());
        };
        let person = known.iter().find(|known| Some(&known.column.name) == self.subject.as_ref());
        let scrub = |rows: &[u32]| {
            let notes = rows.iter().map(|&row| {
                let row = row as usize;
                let person = person.and_then(|person| person.original.get(row));
                cells.get(row).map(|text| Note::new(text, person, known, row))
            });
            scrubbed(scrubber, &notes.collect::<Vec<_>>())
        };
        let parts = rows.par_chunks(at_a_time(rows.len())).flat_map_iter(scrub);
        let scrubbed: Vec<Option<(String, Vec<Span>, u64)>> = parts.collect();
        let mut facts = TextFacts::default();
        for (_, spans, suppressed) in scrubbed.iter().flatten() {
            facts.texts += 1;
            facts.suppressed += suppressed;
            for span in spans.iter().filter(|span| span.replacement.is_some()) {
                *facts.found.entry(span.kind.as_str().to_owned()).or_default() += 1;
            }
        }
        let texts = scrubbed.into_iter().map(|scrubbed| scrubbed.map(|(text, ..)| text));
        Ok((Arc::new(texts.collect::<StringArray>()), facts))
    }
}

/// The text of a row with what its row knows of the person.
struct Note<'a> {
    text: &'a str,
    subject: Subject<'a>,
    secrets: Vec<Secret>,
}

impl<'a> Note<'a> {
    fn new(text: &'a str, person: Option<&'a str>, known: &'a [KnownCells<'_>], row: usize) -> Self {
        let mut subject = Subject { person, ..Subject::default() };
        let mut secrets = Vec::with_capacity(known.len());
        for KnownCells { column, original, released } in known {
            let Some(value) = original.get(row).filter(|value| !value.trim().is_empty()) else { continue };
            let released = released.as_ref().and_then(|released| released.get(row));
            let meaning = column.meaning(value);
            let known = Known { column: &column.name, value, released, meaning };
            if column.quasi {
                secrets.extend(Secret::quasi(value, released, column.format.as_deref()));
                subject.quasi.push(known);
            } else {
                secrets.push(Secret::identifier(value));
                subject.identifiers.push(known);
            }
        }
        Note { text, subject, secrets }
    }
}

/// The scrubbed texts of rows, what was found in each, and what was suppressed after that.
fn scrubbed(scrubber: &Scrubber, notes: &[Option<Note<'_>>]) -> Vec<Option<(String, Vec<Span>, u64)>> {
    let texts: Vec<(&str, &Subject<'_>)> =
        notes.iter().flatten().map(|note| (note.text, &note.subject)).collect();
    let mut scrubbed = scrubber.scrub_all(&texts).into_iter();
    let done = |note: &Option<Note<'_>>| {
        let Scrubbed { text, spans } = note.as_ref().and_then(|_| scrubbed.next())?;
        let (text, suppressed) = guard::guarded(text, &note.as_ref()?.secrets);
        Some((text, spans, suppressed))
    };
    notes.iter().map(done).collect()
}
