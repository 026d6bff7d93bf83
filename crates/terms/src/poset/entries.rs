//! The kinds of posets in the registry: one entry per variant of [`Spec`].

use super::Spec;
use super::codes::MOST;
use crate::hierarchy::FILE;
use crate::registry::{Bounds, Entry, Parameter, ParameterKind};

const FROM_FILE: Entry =
    Entry::value("file", "Nodes with one or more parents, from a file.", "Katirai 2006", FILE);

const BITS: Entry = Entry::value(
    "bits",
    "Traits that a person has or not, one character 0 or 1 each.",
    "Katirai 2006",
    ParameterKind::Whole(1, None),
);

const BIRTH: Entry = Entry::table(
    "birth",
    "Dates of birth: day, month, year, band of ages.",
    "Katirai 2006",
    &[
        Parameter::required("base", ParameterKind::Text, "The day at which ages are counted: 2006-01-01."),
        Parameter::defaulted(
            "ages",
            ParameterKind::List(&ParameterKind::Whole(0, None)),
            "[]",
            "The last age of every band.",
        ),
    ],
);

const CODES: Entry = Entry::table(
    "codes",
    "Codes, each with how often it occurs.",
    "Katirai 2006",
    &[
        Parameter::required("file", FILE, "The nodes that codes are, and their parents."),
        Parameter::required(
            "most",
            ParameterKind::Whole(1, Some(MOST as u64)),
            "The most pairs of code and frequency that a cell shows.",
        ),
        Parameter::optional(
            "most_occurrences",
            ParameterKind::Whole(1, Some(MOST as u64)),
            "The most occurrences that a cell shows, over all of its codes.",
        ),
    ],
);

const RANGE: Entry = Entry::table(
    "range",
    "Ranges of numbers.",
    "Katirai 2006",
    &[
        Parameter::optional("low", ParameterKind::Number(Bounds::ANY), "No value is lower."),
        Parameter::optional("high", ParameterKind::Number(Bounds::ANY), "No value is higher."),
        Parameter::optional(
            "worthless",
            ParameterKind::Number(Bounds::ABOVE_0),
            "A range as wide as this is worth nothing; by default the width of all values.",
        ),
    ],
);

const SUPPRESS: Entry = Entry::word("suppress", "The value or nothing.", "Katirai 2006");

/// All kinds that a policy can ask for.
pub(crate) const ENTRIES: &[Entry] = &[FROM_FILE, BITS, BIRTH, CODES, RANGE, SUPPRESS];

impl Spec {
    /// What the registry knows of it.
    pub const fn entry(&self) -> &'static Entry {
        match self {
            Spec::File(_) => &FROM_FILE,
            Spec::Bits(_) => &BITS,
            Spec::Birth(_) => &BIRTH,
            Spec::Codes(_) => &CODES,
            Spec::Range(_) => &RANGE,
            Spec::Suppress => &SUPPRESS,
        }
    }
}
