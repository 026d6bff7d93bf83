//! Tables: what the heading of a column says about the numbers in its cells.
//!
//! Cells are separated by bars or wide gaps. A heading has no number, and at least one of its cells
//! is a key.

use std::ops::Range;

use super::Detector;
use super::date::numeric;
use super::number;
use crate::candidates::Candidates;
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};

/// Finds ages, numbers and dates in columns.
pub struct Table;

/// Columns that are looked at.
const MOST: usize = 16;
/// Words of a heading.
const MOST_WORDS: usize = 5;

/// The cells of a line, by token.
struct Row {
    line: usize,
    cells: [(u32, u32); MOST],
    count: usize,
    bars: bool,
}

impl Row {
    fn cell(&self, column: usize) -> Range<usize> {
        self.cells[column].0 as usize..self.cells[column].1 as usize
    }

    fn push(&mut self, cell: Range<usize>) {
        if self.count < MOST {
            self.cells[self.count] = (cell.start as u32, cell.end as u32);
            self.count += 1;
        }
    }
}

impl Detector for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    /// A heading is far from its cells, so that all lines are read at once.
    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        if !document.is_last_window() {
            return;
        }
        let mut heading = None;
        let mut last = 0;
        rows(document, &mut |row| {
            if heading.is_some() && (row.line != last + 1 || document.lines[row.line].paragraph) {
                heading = None;
            }
            last = row.line;
            match Heading::read(document, row) {
                Some(read) => heading = Some(read),
                None => {
                    if let Some(heading) = &heading {
                        heading.apply(self, document, row, found);
                    }
                }
            }
        });
    }
}

/// Calls with every line that has at least three cells.
fn rows(document: &Document<'_>, call: &mut dyn FnMut(&Row)) {
    let mut marks = document.marks.iter().map(|mark| *mark as usize).peekable();
    if document.has_bars {
        for line in 0..document.lines.len() {
            let (from, end) = (document.lines[line].first as usize, document.lines[line].end as usize);
            let bars = document.tokens[from..end].iter().any(|token| token.is_sign(b'|'));
            split(document, line, bars, call);
        }
        return;
    }
    while let Some(mark) = marks.next() {
        let line = document.tokens[mark].line;
        let mut gaps = usize::from(document.tokens[mark].has(Flags::GAP));
        while let Some(next) = marks.next_if(|next| document.tokens[*next].line == line) {
            gaps += usize::from(document.tokens[next].has(Flags::GAP));
        }
        if gaps >= 2 {
            split(document, line as usize, false, call);
        }
    }
}

/// Splits a line into its cells.
fn split(document: &Document<'_>, line: usize, bars: bool, call: &mut dyn FnMut(&Row)) {
    let (from, end) = (document.lines[line].first as usize, document.lines[line].end as usize);
    let mut row = Row { line, cells: [(0, 0); MOST], count: 0, bars };
    let mut start = from;
    for at in from..end {
        let token = &document.tokens[at];
        if bars && token.is_sign(b'|') {
            // A bar before the first cell opens it.
            if at > from {
                row.push(start..at);
            }
            start = at + 1;
        } else if !bars && at > from && token.has(Flags::GAP) {
            row.push(start..at);
            start = at;
        }
    }
    if start < end {
        row.push(start..end);
    }
    if row.count >= 3 {
        call(&row);
    }
}

/// What a column has, by its heading.
struct Heading {
    kinds: [Option<Kind>; MOST],
    count: usize,
    bars: bool,
}

impl Heading {
    /// Reads a heading of words: at least one is a key of numbers.
    fn read(document: &Document<'_>, row: &Row) -> Option<Heading> {
        let mut kinds = [None; MOST];
        let mut words = 0;
        for (column, kind) in kinds.iter_mut().enumerate().take(row.count) {
            let cell = row.cell(column);
            let tokens = &document.tokens[cell.clone()];
            if tokens.len() > MOST_WORDS
                || tokens.iter().any(|token| token.is_number() || token.is_sign(b':'))
            {
                return None;
            }
            words += usize::from(tokens.iter().any(Token::is_word));
            *kind = column_kind(document, cell);
        }
        let keyed = kinds.iter().any(Option::is_some);
        (keyed && words >= 3).then_some(Heading { kinds, count: row.count, bars: row.bars })
    }

    fn apply(&self, table: &Table, document: &Document<'_>, row: &Row, found: &mut Candidates) {
        if row.bars != self.bars || !self.bars && row.count != self.count {
            return;
        }
        for (column, kind) in self.kinds.iter().enumerate().take(row.count) {
            let Some(kind) = kind else { continue };
            if let Some(tokens) = value(document, row.cell(column), *kind) {
                number::propose(table, *kind, document, tokens, "heading of a column", 0.86, found);
            }
        }
    }
}

/// The kind of numbers below a heading.
fn column_kind(document: &Document<'_>, cell: Range<usize>) -> Option<Kind> {
    let classes = cell.clone().fold(cues::Classes::NONE, |all, at| all.or(document.classes(at)));
    let named = cell
        .into_iter()
        .any(|at| document.is_any(at, words!["folder", "hosp", "nhi", "nhs", "chi", "sticker"]));
    let record = cues::KEY_RECORD.or(cues::KEY_NATIONAL).or(cues::NUMBER_WORD);
    match () {
        _ if classes.any(cues::KEY_AGE) => Some(Kind::Age),
        _ if classes.any(cues::KEY_PHONE) && !classes.any(cues::KEY_RECORD) => Some(Kind::Phone),
        _ if classes.any(record) || named => Some(Kind::RecordNumber),
        _ if classes.any(cues::KEY_LICENCE) => Some(Kind::Licence),
        _ if classes.any(cues::KEY_ACCOUNT) => Some(Kind::Account),
        _ if classes.any(cues::KEY_DATE) => Some(Kind::Date),
        _ => None,
    }
}

/// The tokens of a value of a kind, if a cell has one and nothing else.
fn value(document: &Document<'_>, cell: Range<usize>, kind: Kind) -> Option<Range<usize>> {
    let tokens = document.tokens.get(cell.clone())?;
    let (first, last) = (tokens.first()?, tokens.last()?);
    let digits: usize = tokens.iter().filter(|token| token.is_number()).map(Token::len).sum();
    match kind {
        Kind::Age => age(document, cell),
        Kind::Date => {
            let written = numeric(document, cell.start).filter(|date| date.end == cell.end)?;
            written.day.is_some().then_some(cell)
        }
        _ => {
            let signs = tokens.iter().all(|token| {
                token.is_number()
                    || token.is_word() && token.has(Flags::UPPER.or(Flags::SINGLE)) && token.len() <= 5
                    || matches!(token.first, b'-' | b'/' | b'.' | b'*' | b'#' | b'(' | b')' | b'+')
            });
            let year = tokens.len() == 1
                && digits == 4
                && matches!(document.word(cell.start).as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..]);
            let decimal = tokens.len() == 3 && tokens[1].is_sign(b'.');
            let date = numeric(document, cell.start).is_some_and(|date| date.end >= cell.end);
            let likely = signs && digits >= 4 && tokens.len() <= 12 && !year && !decimal && !date;
            (likely && !first.is_sign(b'-') && !last.is_sign(b'-')).then_some(cell)
        }
    }
}

/// The age in a cell: "46", "46 F", "M/46", "8 months".
fn age(document: &Document<'_>, cell: Range<usize>) -> Option<Range<usize>> {
    if cell.len() > 4 {
        return None;
    }
    let at = cell.clone().find(|at| document.tokens[*at].is_number())?;
    let likely = document.word(at).parse::<u32>().is_ok_and(|years| years <= 120);
    let other = cell.clone().filter(|other| *other != at).all(|other| {
        matches!(document.tokens[other].first, b'/' | b'(' | b')' | b'-' | b',')
            || document.is_any(
                other,
                words![
                    "f", "m", "y", "yr", "yrs", "years", "yo", "female", "male", "mo", "months", "mths",
                    "wks", "weeks", "days", "d"
                ],
            )
    });
    let unit = usize::from(
        document.is_any(at + 1, words!["mo", "months", "mths", "wks", "weeks", "days"]) && at + 1 < cell.end,
    );
    (likely && other).then_some(at..at + 1 + unit)
}
