//! What an entry of the registry is: a key, how it is written, its parameters, a line of help and
//! the source.
//!
//! Schema, tables of the user guide and forms of a front end are made from these.

use super::Family;

/// One member of a family.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// How a policy writes it.
    pub key: &'static str,
    /// What it does, in one line for a data manager.
    pub help: &'static str,
    /// Author and year, or the standard; empty where there is none.
    pub reference: &'static str,
    /// How it is written.
    pub shape: Shape,
}

/// How an entry is written.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// As a word: `"icd10"`.
    Word,
    /// As a key with a value: `{ bits = 3 }`.
    Value(ParameterKind),
    /// As a key with a table of parameters: `{ mask = { from = "left" } }`.
    Table(&'static [Parameter]),
}

/// A parameter, or any other key of a policy.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its key.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
    /// Whether it must be given, and what it is otherwise.
    pub need: Need,
    /// What it means, in one line.
    pub help: &'static str,
}

/// Whether a parameter must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It must.
    Required,
    /// It may be left out; the help says what that means where it is not plain.
    Optional,
    /// It may be left out, and is then this: JSON.
    Default(&'static str),
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy)]
pub enum ParameterKind {
    /// A text.
    Text,
    /// The path of a file, relative to the policy.
    Path,
    /// The name of a column.
    Column,
    /// One ASCII character.
    Character,
    /// True or false.
    Flag,
    /// A whole number from and to.
    Whole(u64, Option<u64>),
    /// A number within bounds.
    Number(Bounds),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list.
    List(&'static ParameterKind),
    /// A list of two: number and whole number.
    Pair,
    /// A list of two numbers, the lesser first.
    Ends,
    /// A table with these keys.
    Table(&'static [Parameter]),
    /// A table with keys that the holder chooses.
    Map(&'static ParameterKind),
    /// A member of a family.
    Member(Family),
    /// One of several kinds.
    Either(&'static [ParameterKind]),
}

/// The least and the greatest of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The least.
    pub low: f64,
    /// Whether the least itself is left out.
    pub above_low: bool,
    /// The greatest.
    pub high: f64,
    /// Whether the greatest itself is left out.
    pub below_high: bool,
}

impl Bounds {
    /// Any number.
    pub const ANY: Bounds = Bounds::from_to(f64::NEG_INFINITY, f64::INFINITY);
    /// 0 or more.
    pub const FROM_0: Bounds = Bounds::from_to(0.0, f64::INFINITY);
    /// More than 0.
    pub const ABOVE_0: Bounds = Bounds { above_low: true, ..Bounds::FROM_0 };
    /// From 0 to 1.
    pub const SHARE: Bounds = Bounds::from_to(0.0, 1.0);
    /// Above 0 and at most 1.
    pub const SHARE_ABOVE_0: Bounds = Bounds { above_low: true, ..Bounds::SHARE };
    /// Between 0 and 1, neither included.
    pub const BETWEEN_0_AND_1: Bounds = Bounds { above_low: true, below_high: true, ..Bounds::SHARE };

    /// Both included.
    pub const fn from_to(low: f64, high: f64) -> Self {
        Bounds { low, above_low: false, high, below_high: false }
    }

    /// Whether a number is within.
    pub fn contains(&self, value: f64) -> bool {
        let low = if self.above_low { value > self.low } else { value >= self.low };
        low && if self.below_high { value < self.high } else { value <= self.high }
    }
}

impl Entry {
    /// An entry that is written as a word.
    pub(crate) const fn word(key: &'static str, help: &'static str, reference: &'static str) -> Self {
        Entry { key, help, reference, shape: Shape::Word }
    }

    /// An entry with parameters.
    pub(crate) const fn table(
        key: &'static str,
        help: &'static str,
        reference: &'static str,
        parameters: &'static [Parameter],
    ) -> Self {
        Entry { key, help, reference, shape: Shape::Table(parameters) }
    }

    /// An entry with one value.
    pub(crate) const fn value(
        key: &'static str,
        help: &'static str,
        reference: &'static str,
        kind: ParameterKind,
    ) -> Self {
        Entry { key, help, reference, shape: Shape::Value(kind) }
    }
}

impl Parameter {
    /// One that must be given.
    pub(crate) const fn required(name: &'static str, kind: ParameterKind, help: &'static str) -> Self {
        Parameter { name, kind, need: Need::Required, help }
    }

    /// One that may be left out.
    pub(crate) const fn optional(name: &'static str, kind: ParameterKind, help: &'static str) -> Self {
        Parameter { name, kind, need: Need::Optional, help }
    }

    /// One with a default, in JSON.
    pub(crate) const fn defaulted(
        name: &'static str,
        kind: ParameterKind,
        default: &'static str,
        help: &'static str,
    ) -> Self {
        Parameter { name, kind, need: Need::Default(default), help }
    }

    /// Its values and whether it must be given, in words: "number above 0, default 1".
    pub fn describe(&self) -> String {
        let kind = self.kind.describe();
        match self.need {
            Need::Required => kind,
            Need::Optional => format!("{kind}, optional"),
            Need::Default(default) => format!("{kind}, default `{default}`"),
        }
    }
}

impl ParameterKind {
    /// In words.
    pub fn describe(&self) -> String {
        match self {
            ParameterKind::Text => "text".into(),
            ParameterKind::Path => "path".into(),
            ParameterKind::Column => "column".into(),
            ParameterKind::Character => "one ASCII character".into(),
            ParameterKind::Flag => "true or false".into(),
            ParameterKind::Whole(0, None) => "whole number".into(),
            ParameterKind::Whole(low, None) => format!("whole number from {low}"),
            ParameterKind::Whole(low, Some(high)) => format!("whole number from {low} to {high}"),
            ParameterKind::Number(bounds) => bounds.describe(),
            ParameterKind::Choice(words) => {
                words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
            }
            ParameterKind::List(kind) => format!("list: {}", kind.describe()),
            ParameterKind::Pair => "pair of number and whole number".into(),
            ParameterKind::Ends => "pair of numbers".into(),
            ParameterKind::Table(parameters) => {
                let names = parameters.iter().map(|parameter| format!("`{}`", parameter.name));
                format!("table of {}", names.collect::<Vec<_>>().join(", "))
            }
            ParameterKind::Map(kind) => format!("table of names: {}", kind.describe()),
            ParameterKind::Member(family) => format!("a {}", family.nouns().0),
            ParameterKind::Either(kinds) => {
                kinds.iter().map(ParameterKind::describe).collect::<Vec<_>>().join(", or ")
            }
        }
    }
}

impl Bounds {
    fn describe(&self) -> String {
        let low = if self.above_low { "above" } else { "from" };
        let high = match (self.low.is_finite(), self.below_high) {
            (_, true) => "below",
            (true, false) if self.above_low => "at most",
            (true, false) => "to",
            (false, false) => "at most",
        };
        match (self.low.is_finite(), self.high.is_finite()) {
            (false, false) => "number".into(),
            (true, false) => format!("number {low} {}", figure(self.low)),
            (false, true) => format!("number {high} {}", figure(self.high)),
            (true, true) => {
                let comma = if self.above_low || self.below_high { "," } else { "" };
                format!("number {low} {}{comma} {high} {}", figure(self.low), figure(self.high))
            }
        }
    }
}

/// A bound in as few characters as it takes.
fn figure(bound: f64) -> String {
    if bound != 0.0 && bound.abs() < 1e-4 { format!("{bound:e}") } else { bound.to_string() }
}
