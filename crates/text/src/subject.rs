//! What is known about the person a text belongs to: a row of a table.

/// What a known value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Meaning<'a> {
    /// A name of a person, in any order, of one or more words.
    Name,
    /// A number with or without separators.
    Number,
    /// A date, written in a format of strftime.
    Date {
        /// Such as `%Y-%m-%d`.
        format: &'a str,
    },
    /// An age in years.
    Age,
    /// A postal code.
    PostalCode,
    /// A city.
    City,
    /// An occupation.
    Occupation,
    /// Anything else: only the value itself is searched.
    #[default]
    Other,
}

/// A value of the row that a text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known<'a> {
    /// The column it is in.
    pub column: &'a str,
    /// The original value.
    pub value: &'a str,
    /// What the release has in its place; none if it has nothing.
    pub released: Option<&'a str>,
    /// What it means.
    pub meaning: Meaning<'a>,
}

/// What is known about the person a text belongs to. Nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject<'a> {
    /// Values that identify the person by themselves.
    pub identifiers: Vec<Known<'a>>,
    /// Values that identify the person together, with the labels that the row is released with.
    pub quasi: Vec<Known<'a>>,
    /// Who the person is, for dates that move per person.
    pub person: Option<&'a str>,
}

impl Subject<'_> {
    /// A text about whose subject nothing is known.
    pub fn unknown() -> Self {
        Subject::default()
    }
}
