//! What a condition is made of, and how columns are read in it: the other side of a comparison
//! decides. Linear in the expression.

#![expect(
    clippy::result_large_err,
    reason = "a fault is boxed once the condition is read, which happens once"
)]

use std::collections::BTreeSet;

use chrono::NaiveDate;

use crate::error::Fault;
use crate::fault;
use crate::lex::Comparison;

/// A part of a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    /// A cell as text, by the place of its column.
    Column(usize),
    Text(String),
    Number(f64),
    Date(NaiveDate),
    Truth(bool),
    Null,
    /// Text as another kind; unknown where it cannot be read as such.
    Cast(Box<Expr>, Kind),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// Two values of one kind.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// Whether two values of one kind are equal, where missing equals missing.
    Same(Box<Expr>, Box<Expr>),
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    /// Whether text is one of some.
    Among(Box<Expr>, BTreeSet<String>),
    Like(Box<Expr>, Vec<Wild>),
    IsNull(Box<Expr>),
    /// Whether a condition is this; never unknown.
    Is(Box<Expr>, Option<bool>),
    Call(Function, Vec<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Concat,
}

/// A sign of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wild {
    Sign(char),
    One,
    Many,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Lower,
    Upper,
    Trim,
    Length,
    Substring,
    Abs,
    Coalesce,
    NullIf,
    Year,
    Month,
    Day,
}

/// What a value is. A column is text that may be read as something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Column,
    Text,
    Number,
    Date,
    Truth,
    Null,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Column => "a column",
            Kind::Text => "text",
            Kind::Number => "a number",
            Kind::Date => "a date",
            Kind::Truth => "a condition",
            Kind::Null => "NULL",
        }
    }
}

impl Expr {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Expr::Column(_) => Kind::Column,
            Expr::Text(_) => Kind::Text,
            Expr::Number(_) => Kind::Number,
            Expr::Date(_) => Kind::Date,
            Expr::Null => Kind::Null,
            Expr::Cast(_, kind) => *kind,
            Expr::Arithmetic(Operator::Concat, ..) => Kind::Text,
            Expr::Arithmetic(operator, a, b) => match (operator, a.kind(), b.kind()) {
                (Operator::Plus, Kind::Date, _) | (Operator::Plus, _, Kind::Date) => Kind::Date,
                (Operator::Minus, Kind::Date, other) if other != Kind::Date => Kind::Date,
                _ => Kind::Number,
            },
            Expr::Call(function, arguments) => match function {
                Function::Lower | Function::Upper | Function::Trim | Function::Substring => Kind::Text,
                Function::Length | Function::Abs | Function::Year | Function::Month | Function::Day => {
                    Kind::Number
                }
                Function::Coalesce | Function::NullIf => {
                    let kinds = arguments.iter().map(Expr::kind);
                    kinds.into_iter().find(|kind| *kind != Kind::Null).unwrap_or(Kind::Null)
                }
            },
            _ => Kind::Truth,
        }
    }

    /// This as a value of a kind: a column is read as one, and text that is a date becomes one.
    pub(super) fn read_as(self, kind: Kind) -> Result<Expr, Fault> {
        match (self.kind(), kind) {
            (own, kind) if own == kind || own == Kind::Null => Ok(self),
            (Kind::Column, Kind::Text) => Ok(self),
            (Kind::Column, _) => Ok(Expr::Cast(Box::new(self), kind)),
            (Kind::Text, Kind::Date) => match &self {
                Expr::Text(text) => match date(text) {
                    Some(date) => Ok(Expr::Date(date)),
                    None => Err(not_a_date(text)),
                },
                _ => Ok(Expr::Cast(Box::new(self), kind)),
            },
            (Kind::Text, _) if !matches!(self, Expr::Text(_)) => Ok(Expr::Cast(Box::new(self), kind)),
            (own, kind) => Err(mismatch(own, kind)),
        }
    }

    /// This as a condition.
    pub(super) fn condition(self) -> Result<Expr, Fault> {
        match self.kind() {
            Kind::Truth | Kind::Null => Ok(self),
            kind => Err(fault!(
                Input,
                "predicate.not-a-condition",
                "{found} is not a condition",
                found = kind.name()
            )
            .help("compare it with something: flag = 'yes'")),
        }
    }
}

/// The kind that decides how two sides are compared.
pub(super) fn common(a: Kind, b: Kind) -> Kind {
    let decides = |kind: &Kind| matches!(kind, Kind::Number | Kind::Date | Kind::Truth);
    match [a, b].into_iter().find(decides) {
        Some(kind) => kind,
        None if a == Kind::Null && b == Kind::Null => Kind::Null,
        None => Kind::Text,
    }
}

/// A comparison of two values that are read alike.
pub(super) fn compare(comparison: Comparison, a: Expr, b: Expr) -> Result<Expr, Fault> {
    let columns = a.kind() == Kind::Column && b.kind() == Kind::Column;
    if columns && !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
        return Err(fault!(
            Input,
            "predicate.untyped-order",
            "does not say whether two columns are compared as numbers, dates or text"
        )
        .help("write CAST(a AS NUMBER) < b, CAST(a AS DATE) < b or CAST(a AS TEXT) < b"));
    }
    let kind = common(a.kind(), b.kind());
    Ok(Expr::Compare(comparison, Box::new(a.read_as(kind)?), Box::new(b.read_as(kind)?)))
}

/// Whether two values that are read alike are equal or both missing.
pub(super) fn same(a: Expr, b: Expr) -> Result<Expr, Fault> {
    let kind = common(a.kind(), b.kind());
    Ok(Expr::Same(Box::new(a.read_as(kind)?), Box::new(b.read_as(kind)?)))
}

/// Arithmetic with numbers; days are added to dates, and dates subtracted from each other.
pub(super) fn arithmetic(operator: Operator, a: Expr, b: Expr) -> Result<Expr, Fault> {
    let dates = (a.kind() == Kind::Date, b.kind() == Kind::Date);
    let (a_kind, b_kind) = match (operator, dates) {
        (Operator::Concat, _) => (Kind::Text, Kind::Text),
        (Operator::Minus, (true, _)) if matches!(b.kind(), Kind::Date | Kind::Column | Kind::Text) => {
            (Kind::Date, Kind::Date)
        }
        (Operator::Minus, (false, true)) => (Kind::Date, Kind::Date),
        (Operator::Plus | Operator::Minus, (true, false)) => (Kind::Date, Kind::Number),
        (Operator::Plus, (false, true)) => (Kind::Number, Kind::Date),
        _ => (Kind::Number, Kind::Number),
    };
    Ok(Expr::Arithmetic(operator, Box::new(a.read_as(a_kind)?), Box::new(b.read_as(b_kind)?)))
}

/// A date, or the date of a moment, in ISO form.
pub(super) fn date(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    let day = text.get(..10)?;
    let rest = &text[10..];
    if !(rest.is_empty() || rest.starts_with(['T', ' '])) {
        return None;
    }
    let digits = |range: std::ops::Range<usize>| {
        let part = &day.as_bytes()[range];
        let plain = part.iter().all(u8::is_ascii_digit);
        plain.then(|| part.iter().fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0')))
    };
    if day.as_bytes()[4] != b'-' || day.as_bytes()[7] != b'-' {
        return None;
    }
    NaiveDate::from_ymd_opt(digits(0..4)? as i32, digits(5..7)?, digits(8..10)?)
}

pub(super) fn not_a_date(text: &str) -> Fault {
    fault!(Input, "predicate.not-a-date", "`{text}` is not a date", text = text)
        .help("write a date as '2003-12-31'")
}

fn mismatch(found: Kind, wanted: Kind) -> Fault {
    let help = match (found, wanted) {
        (Kind::Text, Kind::Number) => {
            "write the number without quotes, or compare with text on both sides; a column with `-` in its \
             name is written in double quotes"
        }
        _ => "both sides need the same kind; CAST(x AS NUMBER), AS DATE and AS TEXT change it",
    };
    fault!(
        Input,
        "predicate.different-kinds",
        "{found} cannot be used as {wanted}",
        found = found.name(),
        wanted = wanted.name()
    )
    .help(help)
}
