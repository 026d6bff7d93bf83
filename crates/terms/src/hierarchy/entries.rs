//! The builders of hierarchies in the registry: one entry per variant of [`Spec`].

use super::Spec;
use crate::registry::{Bounds, Entry, Parameter, ParameterKind};

const WHOLES: ParameterKind = ParameterKind::List(&ParameterKind::Whole(1, None));
const NUMBERS: ParameterKind = ParameterKind::List(&ParameterKind::Number(Bounds::ANY));

/// A file by its path, or with a delimiter.
pub(crate) const FILE: ParameterKind = ParameterKind::Either(&[
    ParameterKind::Path,
    ParameterKind::Table(&[
        Parameter::required("path", ParameterKind::Path, "The file."),
        Parameter::required("delimiter", ParameterKind::Character, "The character between cells."),
    ]),
]);

const FROM_FILE: Entry = Entry::value(
    "file",
    "A table of labels: one row per value, the most specific label first.",
    "Prasser et al. 2014",
    FILE,
);

const INTERVALS: Entry = Entry::table(
    "intervals",
    "Ranges of numbers, of equal widths or between listed bounds.",
    "Samarati 2001",
    &[
        Parameter::optional(
            "widths",
            ParameterKind::List(&ParameterKind::Number(Bounds::ABOVE_0)),
            "One width per level, each a multiple of the one before; in place of bounds.",
        ),
        Parameter::optional(
            "bounds",
            ParameterKind::List(&NUMBERS),
            "One list of bounds per level, each among those of the level before; in place of widths.",
        ),
        Parameter::optional(
            "low",
            ParameterKind::Number(Bounds::ANY),
            "Smaller values become `< low`; by default the least value, rounded down.",
        ),
        Parameter::optional(
            "high",
            ParameterKind::Number(Bounds::ANY),
            "Values from here on become `>= high`; by default the greatest value, rounded up.",
        ),
        Parameter::defaulted(
            "nested",
            ParameterKind::Flag,
            "true",
            "Whether every interval lies within one of the next level; false only for mingen and datafly.",
        ),
    ],
);

const ORDER: Entry = Entry::table(
    "order",
    "Sorted values in groups.",
    "Prasser et al. 2014",
    &[
        Parameter::optional(
            "fanout",
            WHOLES,
            "How many groups of the level below make one group; without it, `values` is needed.",
        ),
        Parameter::optional(
            "values",
            ParameterKind::List(&ParameterKind::Text),
            "The order; by default by number, otherwise by text.",
        ),
    ],
);

const MASK: Entry = Entry::table(
    "mask",
    "Characters replaced from one end.",
    "Sweeney 2001",
    &[
        Parameter::defaulted(
            "from",
            ParameterKind::Choice(&["left", "right"]),
            "\"right\"",
            "The end that is masked first.",
        ),
        Parameter::defaulted("char", ParameterKind::Character, "\"*\"", "What replaces a character."),
        Parameter::defaulted("step", ParameterKind::Whole(1, None), "1", "Characters masked per level."),
    ],
);

const DATE: Entry = Entry::table(
    "date",
    "Calendar periods.",
    "Sweeney 2001",
    &[
        Parameter::defaulted(
            "levels",
            ParameterKind::List(&ParameterKind::Text),
            "[\"month\", \"quarter\", \"year\", \"5-year\", \"10-year\"]",
            "Periods, finest first: day, week, month, n-month, quarter, year, n-year.",
        ),
        Parameter::defaulted(
            "format",
            ParameterKind::Text,
            "\"%Y-%m-%d\"",
            "How dates are written, in the signs of strftime.",
        ),
        Parameter::optional(
            "low",
            ParameterKind::Whole(0, Some(9999)),
            "A year; days before it become `< low`; by default none.",
        ),
        Parameter::defaulted(
            "nested",
            ParameterKind::Flag,
            "true",
            "Whether every period lies within one of the next level; false only for mingen and datafly.",
        ),
    ],
);

const PRIORITY: Entry = Entry::table(
    "priority",
    "The most frequent values stay, the rest are pooled.",
    "Prasser et al. 2014",
    &[
        Parameter::required("keep", WHOLES, "How many values each level keeps, falling."),
        Parameter::defaulted("other", ParameterKind::Text, "\"other\"", "What the rest are called."),
    ],
);

const ICD9: Entry =
    Entry::word("icd9", "ICD-9-CM diagnoses: code, category, block, chapter.", "ICD-9-CM 2011");

const ICD10: Entry = Entry::word("icd10", "ICD-10 diagnoses: code, category, block, chapter.", "WHO 2019");

const POSTAL: Entry = Entry::table(
    "postal",
    "Prefixes of postal codes.",
    "Sweeney 2001",
    &[Parameter::defaulted(
        "keep",
        ParameterKind::List(&ParameterKind::Whole(1, None)),
        "[4, 3, 2, 1]",
        "How many leading characters each level keeps, falling.",
    )],
);

const ZIP3: Entry = Entry::table(
    "zip3",
    "ZIP codes of three digits or fewer; prefixes with few people become 000.",
    "HHS 2012",
    &[Parameter::optional(
        "restricted",
        ParameterKind::List(&ParameterKind::Text),
        "Prefixes of three digits whose places have 20,000 people or fewer.",
    )],
);

const SUPPRESS: Entry = Entry::word("suppress", "The value or nothing.", "Sweeney 2001");

/// All builders that a policy can ask for.
pub(crate) const ENTRIES: &[Entry] =
    &[FROM_FILE, INTERVALS, ORDER, MASK, DATE, PRIORITY, ICD9, ICD10, POSTAL, ZIP3, SUPPRESS];

impl Spec {
    /// What the registry knows of the builder; none for a poset, which is of another family.
    pub const fn entry(&self) -> Option<&'static Entry> {
        Some(match self {
            Spec::File(_) => &FROM_FILE,
            Spec::Intervals(_) => &INTERVALS,
            Spec::Order(_) => &ORDER,
            Spec::Mask(_) => &MASK,
            Spec::Date(_) => &DATE,
            Spec::Priority(_) => &PRIORITY,
            Spec::Icd9 => &ICD9,
            Spec::Icd10 => &ICD10,
            Spec::Postal(_) => &POSTAL,
            Spec::Zip3(_) => &ZIP3,
            Spec::Suppress => &SUPPRESS,
            Spec::Poset(_) => return None,
        })
    }
}
