//! Evaluates a condition for a row, with the three truth values of SQL.

use std::borrow::Cow;
use std::cmp::Ordering;

use chrono::{Datelike, NaiveDate, TimeDelta};

use super::Unreadable;
use super::types::{Expr, Function, Kind, Operator, Wild, date};
use crate::cell::number;
use crate::lex::Comparison;

/// The cells of a row.
type Row<'r, 'a> = &'r dyn Fn(usize) -> Option<&'a str>;

/// A value that is not missing.
#[derive(Debug, Clone, PartialEq)]
enum Value<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    Date(NaiveDate),
    Truth(bool),
}

/// Whether a condition is true; none where that is unknown.
pub(super) fn truth<'a>(expr: &'a Expr, row: Row<'_, 'a>, bad: &mut Unreadable) -> Option<bool> {
    match expr {
        Expr::Not(inner) => truth(inner, row, bad).map(|is| !is),
        Expr::And(a, b) => match truth(a, row, bad) {
            Some(false) => Some(false),
            Some(true) => truth(b, row, bad),
            None => truth(b, row, bad).filter(|is| !is),
        },
        Expr::Or(a, b) => match truth(a, row, bad) {
            Some(true) => Some(true),
            Some(false) => truth(b, row, bad),
            None => truth(b, row, bad).filter(|is| *is),
        },
        Expr::Compare(comparison, a, b) => compared(*comparison, value(a, row, bad), value(b, row, bad)),
        Expr::Same(a, b) => Some(match (value(a, row, bad), value(b, row, bad)) {
            (Some(a), Some(b)) => order(&a, &b) == Some(Ordering::Equal),
            (a, b) => a.is_none() && b.is_none(),
        }),
        Expr::Among(inner, texts) => match value(inner, row, bad)? {
            Value::Text(text) => Some(texts.contains(text.as_ref())),
            _ => None,
        },
        Expr::Like(inner, pattern) => match value(inner, row, bad)? {
            Value::Text(text) => Some(like(&text, pattern)),
            _ => None,
        },
        Expr::IsNull(inner) => Some(value(inner, row, bad).is_none()),
        Expr::Is(inner, wanted) => Some(truth(inner, row, bad) == *wanted),
        other => match value(other, row, bad)? {
            Value::Truth(is) => Some(is),
            _ => None,
        },
    }
}

fn value<'a>(expr: &'a Expr, row: Row<'_, 'a>, bad: &mut Unreadable) -> Option<Value<'a>> {
    match expr {
        Expr::Column(place) => row(*place).map(|text| Value::Text(Cow::Borrowed(text))),
        Expr::Text(text) => Some(Value::Text(Cow::Borrowed(text))),
        Expr::Number(number) => Some(Value::Number(*number)),
        Expr::Date(date) => Some(Value::Date(*date)),
        Expr::Truth(is) => Some(Value::Truth(*is)),
        Expr::Null => None,
        Expr::Cast(inner, kind) => {
            let Value::Text(text) = value(inner, row, bad)? else { return None };
            let read = read(text, *kind);
            if let (None, Some(place)) = (&read, column(inner)) {
                bad[place] += 1;
            }
            read
        }
        Expr::Arithmetic(operator, a, b) => {
            let (a, b) = (value(a, row, bad), value(b, row, bad));
            calculated(*operator, a?, b?)
        }
        Expr::Call(function, arguments) => called(*function, arguments, row, bad),
        condition => truth(condition, row, bad).map(Value::Truth),
    }
}

/// The column that a text comes from, the first of several.
fn column(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Column(place) => Some(*place),
        Expr::Cast(inner, _) => column(inner),
        Expr::Arithmetic(_, a, b) => column(a).or_else(|| column(b)),
        Expr::Call(_, arguments) => arguments.iter().find_map(column),
        _ => None,
    }
}

/// A text as a value of a kind.
fn read(text: Cow<'_, str>, kind: Kind) -> Option<Value<'_>> {
    match kind {
        Kind::Number => number(&text).map(Value::Number),
        Kind::Date => date(&text).map(Value::Date),
        Kind::Truth if text.trim().eq_ignore_ascii_case("true") => Some(Value::Truth(true)),
        Kind::Truth if text.trim().eq_ignore_ascii_case("false") => Some(Value::Truth(false)),
        Kind::Truth => None,
        Kind::Column | Kind::Text | Kind::Null => Some(Value::Text(text)),
    }
}

fn compared(comparison: Comparison, a: Option<Value<'_>>, b: Option<Value<'_>>) -> Option<bool> {
    let order = order(&a?, &b?)?;
    Some(match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::Unequal => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::AtLeast => order.is_ge(),
    })
}

fn order(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Truth(a), Value::Truth(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// What has no finite result is unknown.
fn calculated<'a>(operator: Operator, a: Value<'a>, b: Value<'a>) -> Option<Value<'a>> {
    match (operator, a, b) {
        (Operator::Concat, Value::Text(a), Value::Text(b)) => {
            Some(Value::Text(Cow::Owned(format!("{a}{b}"))))
        }
        (Operator::Minus, Value::Date(a), Value::Date(b)) => Some(Value::Number((a - b).num_days() as f64)),
        (Operator::Plus, Value::Date(date), Value::Number(days))
        | (Operator::Plus, Value::Number(days), Value::Date(date)) => later(date, days),
        (Operator::Minus, Value::Date(date), Value::Number(days)) => later(date, -days),
        (operator, Value::Number(a), Value::Number(b)) => {
            let result = match operator {
                Operator::Plus => a + b,
                Operator::Minus => a - b,
                Operator::Times => a * b,
                Operator::Over => a / b,
                Operator::Modulo => a % b,
                Operator::Concat => return None,
            };
            result.is_finite().then_some(Value::Number(result))
        }
        _ => None,
    }
}

fn later<'a>(date: NaiveDate, days: f64) -> Option<Value<'a>> {
    let days = TimeDelta::try_days(days.trunc() as i64)?;
    date.checked_add_signed(days).map(Value::Date)
}

fn called<'a>(
    function: Function,
    arguments: &'a [Expr],
    row: Row<'_, 'a>,
    bad: &mut Unreadable,
) -> Option<Value<'a>> {
    if function == Function::Coalesce {
        return arguments.iter().find_map(|argument| value(argument, row, bad));
    }
    if function == Function::NullIf {
        let [a, b] = arguments else { return None };
        let (a, b) = (value(a, row, bad)?, value(b, row, bad));
        return (b.as_ref().and_then(|b| order(&a, b)) != Some(Ordering::Equal)).then_some(a);
    }
    let values: Option<Vec<Value<'a>>> = arguments.iter().map(|argument| value(argument, row, bad)).collect();
    let values = values?;
    let text = |text: String| Some(Value::Text(Cow::Owned(text)));
    let part = |part: u32| Some(Value::Number(f64::from(part)));
    match (function, &values[..]) {
        (Function::Lower, [Value::Text(of)]) => text(of.to_lowercase()),
        (Function::Upper, [Value::Text(of)]) => text(of.to_uppercase()),
        (Function::Trim, [Value::Text(of)]) => text(of.trim().to_owned()),
        (Function::Length, [Value::Text(of)]) => Some(Value::Number(of.chars().count() as f64)),
        (Function::Substring, [Value::Text(of), Value::Number(from), rest @ ..]) => {
            let end = match rest {
                [Value::Number(length)] => from + length,
                _ => f64::INFINITY,
            };
            let within = |place: usize| (*from..end).contains(&(place as f64 + 1.0));
            text(of.chars().enumerate().filter(|(place, _)| within(*place)).map(|(_, c)| c).collect())
        }
        (Function::Abs, [Value::Number(number)]) => Some(Value::Number(number.abs())),
        (Function::Year, [Value::Date(date)]) => Some(Value::Number(f64::from(date.year()))),
        (Function::Month, [Value::Date(date)]) => part(date.month()),
        (Function::Day, [Value::Date(date)]) => part(date.day()),
        _ => None,
    }
}

/// Whether a text has a pattern; linear in most cases, quadratic at worst.
fn like(text: &str, pattern: &[Wild]) -> bool {
    let mut rest = text.chars();
    let mut at = 0;
    // Where to go on when what follows the last `%` does not fit.
    let mut again: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        let here = rest.clone();
        match (pattern.get(at), rest.next()) {
            (Some(Wild::Many), _) => {
                again = Some((at, here.clone()));
                rest = here;
                at += 1;
                continue;
            }
            (Some(Wild::One), Some(_)) => {
                at += 1;
                continue;
            }
            (Some(Wild::Sign(sign)), Some(c)) if *sign == c => {
                at += 1;
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((many, mut from)) = again.take() else { return false };
        if from.next().is_none() {
            return false;
        }
        rest = from.clone();
        at = many + 1;
        again = Some((many, from));
    }
}
