//! Every key of a policy in the registry, section by section, with cell forms and transforms.
//!
//! Nothing is read or checked by these; the schema for editors is made from them. A test compares
//! them with what the policy's own types accept, key by key and word by word.

use super::{Form, Preference, Transform};
use crate::registry::{Bounds, Entry, Family, Parameter, ParameterKind};

use ParameterKind::{Character, Choice, Column, Either, Ends, Flag, List, Map, Member, Number, Pair, Path};
use ParameterKind::{Table, Text, Whole};

const COLUMNS: ParameterKind = List(&Column);

const LABEL: Entry = Entry::word("label", "The least label of the hierarchy that is true of all rows.", "");
const INTERVAL: Entry =
    Entry::word("interval", "The least interval that holds the numbers or dates of all rows.", "");
const SET: Entry = Entry::word("set", "The values of all rows.", "");
const MEAN: Entry = Entry::word("mean", "The mean of the numbers of all rows.", "");
const MEDIAN: Entry = Entry::word("median", "The median of the numbers of all rows.", "");
const POSET: Entry =
    Entry::word("poset", "The least cell of the column's poset that is true of all rows.", "Katirai 2006");
const RANGE: Entry = Entry::word(
    "range",
    "From the first to the last value of all rows, in the order that the column states.",
    "LeFevre et al. 2006",
);

/// All forms of the cells of a region.
pub(crate) const FORMS: &[Entry] = &[LABEL, INTERVAL, SET, MEAN, MEDIAN, POSET, RANGE];

impl Form {
    /// What the registry knows of it.
    pub const fn entry(self) -> &'static Entry {
        match self {
            Form::Label => &LABEL,
            Form::Interval => &INTERVAL,
            Form::Set => &SET,
            Form::Mean => &MEAN,
            Form::Median => &MEDIAN,
            Form::Poset => &POSET,
            Form::Range => &RANGE,
        }
    }

    /// What policies call it.
    pub const fn name(self) -> &'static str {
        self.entry().key
    }
}

const SUBSTITUTE: Entry = Entry::table(
    "substitute",
    "Replaces every value by a made-up one of the same shape, the same one everywhere.",
    "Sweeney 2001",
    &[
        Parameter::optional("key_file", Path, "The file with the key; or key_env."),
        Parameter::optional("key_env", Text, "The environment variable with the key; or key_file."),
    ],
);

const KEYED: Entry = Entry::table(
    "keyed",
    "Replaces every value, of any format, by letters that depend on the value and a key.",
    "Krawczyk 1997",
    &[
        Parameter::optional("key_file", Path, "The file with the key; or key_env."),
        Parameter::optional("key_env", Text, "The environment variable with the key; or key_file."),
    ],
);

const NUMBERED: Entry = Entry::table(
    "number",
    "Replaces values, of any format, by numbers in random order.",
    "Krawczyk 1997",
    &[],
);

const SHIFT: Entry = Entry::table(
    "shift",
    "Moves the dates of a person by the same number of days.",
    "Krawczyk 1997",
    &[
        Parameter::required(
            "days",
            Whole(1, Some(3650)),
            "The most days that a date moves, forward or back.",
        ),
        Parameter::defaulted("format", Text, "\"%Y-%m-%d\"", "How dates are written (strftime)."),
        Parameter::optional("key_file", Path, "The file with the key; or key_env."),
        Parameter::optional("key_env", Text, "The environment variable with the key; or key_file."),
    ],
);

const SCRUB: Entry = Entry::table(
    "scrub",
    "Replaces what identifies people in free text, and what a text says beyond its row.",
    "Sweeney 2001",
    &[
        Parameter::defaulted(
            "mode",
            Choice(&["surrogate", "tag", "mask"]),
            "\"surrogate\"",
            "What takes the place of what is found: made-up values, [PERSON 1], or ***.",
        ),
        Parameter::defaulted(
            "threshold",
            Number(Bounds::SHARE),
            "0.7",
            "How certain a finding must be to be replaced; less certain ones are suppressed.",
        ),
        Parameter::defaulted(
            "dates",
            Choice(&["month", "year", "shift"]),
            "\"month\"",
            "What is left of dates: month and year, the year, or dates that move per person.",
        ),
        Parameter::optional(
            "days",
            Whole(1, Some(3650)),
            "The most days that a date moves, forward or back; 30 with dates = \"shift\".",
        ),
        Parameter::defaulted(
            "ages",
            Choice(&["over-89", "decades", "all"]),
            "\"over-89\"",
            "Which ages are replaced, beside that of the row.",
        ),
        Parameter::defaulted("day_first", Flag, "false", "Whether 03/04/2024 is 3 April."),
        Parameter::optional("lists", List(&Path), "Files of words to replace, one per line."),
        Parameter::optional("safe", List(&Path), "Files of words to keep, one per line."),
        Parameter::optional("patterns", Map(&Text), "Regular expressions of what to replace, by name."),
        Parameter::optional("key_file", Path, "The file with the key for surrogates; or key_env."),
        Parameter::optional("key_env", Text, "The environment variable with the key; or key_file."),
    ],
);

/// All transforms.
pub(crate) const TRANSFORMS: &[Entry] = &[SUBSTITUTE, KEYED, NUMBERED, SHIFT, SCRUB];

impl Transform {
    /// What the registry knows of it.
    pub const fn entry(&self) -> &'static Entry {
        match self {
            Transform::Substitute(_) => &SUBSTITUTE,
            Transform::Keyed(_) => &KEYED,
            Transform::Number(_) => &NUMBERED,
            Transform::Shift(_) => &SHIFT,
            Transform::Scrub(_) => &SCRUB,
        }
    }
}

const PAIRS: &[Parameter] = &[
    Parameter::required("column", Text, "The new column."),
    Parameter::required("names", Text, "The columns of codes; {n} stands for 1, 2, 3 and so on."),
    Parameter::optional("counts", Text, "The columns that say how often a code occurs; default: once."),
];

const JOIN: &[Parameter] = &[
    Parameter::required("path", Path, "The file with several rows per person."),
    Parameter::required("key", Column, "The column of the table that says whose row it is."),
    Parameter::optional("file_key", Text, "The same column of the file; by default it has the same name."),
    Parameter::required("codes", Text, "The column of the file with the codes."),
    Parameter::optional("counts", Text, "The column of the file that says how often a code occurs."),
    Parameter::required("column", Text, "The new column."),
    Parameter::defaulted(
        "unmatched",
        Choice(&["refuse", "drop"]),
        "\"refuse\"",
        "What becomes of rows of the file whose key no row of the table has.",
    ),
];

const CLEAR: &[Parameter] = &[
    Parameter::required("columns", List(&Text), "The columns of the cells."),
    Parameter::required("where", Text, "The condition on their rows."),
];

const CAP: &[Parameter] = &[
    Parameter::required("column", Text, "The column."),
    Parameter::required("from", Number(Bounds::ANY), "The least number that becomes the label."),
    Parameter::required("label", Text, "The label."),
];

const CUT: &[Parameter] = &[
    Parameter::required("column", Text, "The column with the lists."),
    Parameter::required("most", Whole(1, None), "The most pairs of a code and its count."),
];

const REDUNDANT: &[Parameter] = &[
    Parameter::required("column", Text, "The column that is removed."),
    Parameter::optional("of", Text, "The column that determines it; by default it is constant."),
];

const PRESENT_IN: &[Parameter] = &[
    Parameter::required("path", Path, "The other file."),
    Parameter::required("key", Text, "The column of the table that says whose row it is."),
    Parameter::optional("file_key", Text, "The same column of the file; by default it has the same name."),
];

const STEP: &[Parameter] = &[
    Parameter::optional("drop_rows", Text, "Leaves out the rows that satisfy a condition."),
    Parameter::optional("clear", Table(CLEAR), "Makes cells missing in the rows that satisfy a condition."),
    Parameter::optional("cap", Table(CAP), "Gives all numbers from a limit on one label."),
    Parameter::optional("cut", Table(CUT), "Keeps the most frequent codes of a list."),
    Parameter::optional("redundant", Table(REDUNDANT), "Removes a column that another one determines."),
    Parameter::optional("present_in", Table(PRESENT_IN), "Keeps the rows whose key another file has, too."),
];

const NUMBER: &[Parameter] = &[
    Parameter::defaulted("decimal", Character, "\".\"", "The sign before the fraction: . or ,"),
    Parameter::optional("thousands", Character, "The separator between groups of three digits."),
    Parameter::optional("unit", Text, "A text before or after the number, which is removed."),
];

const DATE: &[Parameter] = &[
    Parameter::required(
        "format",
        Text,
        "How dates are written, by strftime; %b is a month name. \"serial\": day numbers of a spreadsheet.",
    ),
    Parameter::optional(
        "from_year",
        Whole(1800, Some(2100)),
        "The first of the hundred years that a two-digit year stands for.",
    ),
];

const CELLS: &[Parameter] = &[
    Parameter::optional("number", Table(NUMBER), "How numbers are written."),
    Parameter::optional("date", Table(DATE), "How dates are written."),
    Parameter::optional("time", Text, "How times of day are written, by strftime."),
    Parameter::optional(
        "text",
        Choice(&["trimmed", "lower", "upper"]),
        "Removes spaces at both ends; lower and upper also change the case.",
    ),
];

const INPUT: &[Parameter] = &[
    Parameter::required("path", Path, "A file, or a pattern of several with the same columns."),
    Parameter::optional(
        "format",
        Choice(&["csv", "parquet", "json", "arrow", "excel", "stata", "sas", "spss"]),
        "The format; by default from the file name.",
    ),
    Parameter::optional("sheet", Text, "The sheet of a workbook; by default the first one that holds data."),
    Parameter::defaulted(
        "skip",
        Whole(0, None),
        "0",
        "Lines of a CSV file, or rows of a sheet, above the header.",
    ),
    Parameter::defaulted(
        "labels",
        Flag,
        "true",
        "Whether values of Stata and SPSS files are read as their labels, in columns where every value has one.",
    ),
    Parameter::defaulted("delimiter", Character, "\",\"", "The character between the cells of a CSV file."),
    Parameter::defaulted("quote", Character, "\"\\\"\"", "The character around cells of a CSV file."),
    Parameter::defaulted(
        "encoding",
        Choice(&["utf-8", "latin-1", "utf-16"]),
        "\"utf-8\"",
        "How a CSV file is encoded.",
    ),
    Parameter::optional(
        "header",
        Choice(&["first-line", "none"]),
        "What the first line of a CSV file holds: column names for certain, or the first row.",
    ),
    Parameter::defaulted("null", List(&Text), "[\"\"]", "Texts that mean that a cell is missing."),
    Parameter::defaulted(
        "missing",
        Choice(&["value", "wildcard", "suppress"]),
        "\"value\"",
        "What a missing quasi-identifier means.",
    ),
    Parameter::optional(
        "cells",
        Map(&Table(CELLS)),
        "Columns whose cells are not written plainly, and how they are written.",
    ),
    Parameter::optional("where", Text, "The condition that rows eligible for release satisfy."),
    Parameter::optional("pairs", List(&Table(PAIRS)), "Pairs of columns that become lists of codes."),
    Parameter::optional("join", List(&Table(JOIN)), "Files whose rows become lists of codes."),
    Parameter::optional("prepare", List(&Table(STEP)), "Steps that clean the table, in order."),
];

const OUTPUT: &[Parameter] = &[
    Parameter::optional("path", Path, "The released table; its ending is the format."),
    Parameter::optional("report", Path, "The report for the holder."),
    Parameter::optional("certificate", Path, "The certificate."),
    Parameter::optional("statement", Path, "The statement for an ethics board, which can be passed on."),
    Parameter::optional("delimiter", Character, "The character between the cells of a CSV release."),
    Parameter::defaulted(
        "suppressed",
        Choice(&["dropped", "starred", "cells"]),
        "\"dropped\"",
        "What becomes of a row that is unsafe at the chosen levels.",
    ),
    Parameter::defaulted(
        "keep_order",
        Flag,
        "false",
        "Keeps the order of the input, which can identify rows.",
    ),
    Parameter::defaulted(
        "longest_set",
        Whole(1, None),
        "8",
        "The most values of a set cell; a set of more becomes the least label above it, or `*`.",
    ),
];

const COLUMN: &[Parameter] = &[
    Parameter::required(
        "role",
        Choice(&["identifier", "subject", "quasi", "sensitive", "target", "text", "weight", "keep", "drop"]),
        "What the column is.",
    ),
    Parameter::optional("hierarchy", Member(Family::Hierarchy), "How its values generalize."),
    Parameter::optional(
        "poset",
        Member(Family::Poset),
        "How its values generalize, in place of a hierarchy.",
    ),
    Parameter::optional("min_level", Whole(0, None), "The least level allowed."),
    Parameter::optional("max_level", Whole(0, None), "The highest level allowed."),
    Parameter::optional("level", Whole(0, None), "The level at which a sensitive column is released."),
    Parameter::optional(
        "domain",
        Ends,
        "The least and the greatest number that its values can be: what `*` means for statistics.",
    ),
    Parameter::defaulted(
        "weight",
        Number(Bounds::FROM_0),
        "1",
        "What the column's part of the loss is multiplied by.",
    ),
    Parameter::defaulted(
        "tolerance",
        Number(Bounds::SHARE),
        "1",
        "How much distortion the recipient tolerates: which columns are distorted first; only for datafly and k-similar.",
    ),
    Parameter::defaulted(
        "linking",
        Number(Bounds::SHARE),
        "1",
        "How likely somebody links on the column; 0 releases it unchanged; only for datafly.",
    ),
    Parameter::defaulted(
        "identifying",
        Whole(0, Some(3)),
        "3",
        "How identifying the column is; only for throng argus.",
    ),
    Parameter::optional("form", Member(Family::Form), "How cells of a region are written."),
    Parameter::optional(
        "transform",
        Member(Family::Transform),
        "Replaces an identifier or scrubs free text, instead of removing it.",
    ),
    Parameter::optional("reason", Text, "Why the column has its role; the statement repeats it."),
];

const GROUP: &[Parameter] = &[
    Parameter::required("columns", COLUMNS, "The columns that one adversary could link on."),
    Parameter::required("k", Whole(1, None), "The least rows of every combination of them."),
    Parameter::optional(
        "linking",
        Map(&Number(Bounds::SHARE)),
        "How likely somebody links on a column of the group; only for datafly.",
    ),
];

const UTILITY: &[Parameter] = &[
    Parameter::required("statistic", Member(Family::Statistic), "Which statistic."),
    Parameter::required("column", Column, "Its column."),
    Parameter::optional("with", Column, "The second column of a covariance or correlation."),
    Parameter::optional(
        "width",
        Number(Bounds::FROM_0),
        "How wide its bounds may be; in a loss, what widths are divided by.",
    ),
];

const PRIVACY: &[Parameter] = &[
    Parameter::optional("k", Whole(1, None), "The least rows of every combination of quasi-identifiers."),
    Parameter::optional("anonymity", Number(Bounds::SHARE_ABOVE_0), "The anonymity level, in place of k."),
    Parameter::optional("anonymity_table", List(&Pair), "Which k an anonymity level means."),
    Parameter::defaulted(
        "suppression",
        Number(Bounds::SHARE),
        "0",
        "The share of rows that may be suppressed.",
    ),
    Parameter::optional(
        "quasi",
        Map(&Table(GROUP)),
        "Named groups of quasi-identifiers, each with its own k.",
    ),
    Parameter::optional("models", List(&Member(Family::Model)), "Privacy models beside k."),
    Parameter::optional(
        "utility",
        List(&Table(UTILITY)),
        "Statistics that a recipient must be able to bound, with the width that their bounds may have.",
    ),
    Parameter::optional(
        "maximize",
        Choice(&["k"]),
        "Looks for the largest k whose release still satisfies `utility`; `k` is then the least accepted.",
    ),
];

const LOSS: &[Parameter] = &[
    Parameter::required("name", Member(Family::Loss), "Which loss."),
    Parameter::optional(
        "aggregate",
        Choice(&["mean", "sum", "max", "geometric"]),
        "How columns are put together.",
    ),
    Parameter::optional("count_suppressed", Flag, "Whether suppressed rows count."),
    Parameter::defaulted(
        "tradeoff",
        Number(Bounds::SHARE),
        "0.5",
        "From 0 (suppression is free) to 1 (generalization is free).",
    ),
    Parameter::defaulted(
        "rare",
        Whole(0, None),
        "6",
        "Values with fewer rows have no information about the targets; only for column-mi and value-mi.",
    ),
    Parameter::optional(
        "statistics",
        List(&Table(UTILITY)),
        "The statistics whose bounds are to be narrow; only for width. By default those of privacy.utility.",
    ),
];

const MONDRIAN: &[Parameter] = &[
    Parameter::defaulted(
        "cut",
        Choice(&["strict", "relaxed"]),
        "\"strict\"",
        "Whether rows of equal values stay together.",
    ),
    Parameter::defaulted(
        "by",
        Choice(&["range", "gain", "entropy", "target"]),
        "\"gain\"",
        "Which column is cut.",
    ),
    Parameter::optional(
        "refine",
        Flag,
        "Whether rows then move between neighbouring regions; by default for strict cuts by gain.",
    ),
];

const BOXES: &[Parameter] = &[
    Parameter::defaulted(
        "statistic",
        Choice(&["mean", "variance", "covariance", "correlation"]),
        "\"mean\"",
        "What the recipient wants to compute.",
    ),
    Parameter::optional("columns", COLUMNS, "The columns; by default all with numbers."),
];

const PARTITION: &[Parameter] = &[Parameter::defaulted(
    "tries",
    Whole(1, None),
    "16",
    "How often a set is split before it stays together.",
)];

const GREEDY: &[Parameter] = &[
    Parameter::defaulted("beam", Whole(1, Some(64)), "1", "How many sets of each row are kept."),
    Parameter::defaulted("tabu", Whole(0, None), "0", "Passes of a tabu search afterwards."),
];

const GUIDE: &[Parameter] = &[
    Parameter::optional(
        "builtin",
        Member(Family::Predictor),
        "A model that is fitted to the table; or command.",
    ),
    Parameter::optional("command", List(&Text), "A program and its arguments; or builtin."),
    Parameter::required("target", Column, "The column that is predicted."),
    Parameter::optional(
        "features",
        COLUMNS,
        "The quasi-identifiers that it is predicted from; by default all.",
    ),
    Parameter::optional(
        "seconds",
        Whole(1, None),
        "How long the command may take for one batch of rows; 60.",
    ),
    Parameter::optional(
        "predicts",
        Choice(&["number", "class"]),
        "Whether the target holds numbers or classes; by default numbers if all its cells are numbers.",
    ),
    Parameter::defaulted(
        "guides",
        Flag,
        "true",
        "Whether the model guides the algorithm, or only measures the release.",
    ),
];

const SEARCH: &[Parameter] = &[
    Parameter::defaulted("algorithm", Member(Family::Algorithm), "\"best\"", "What finds the release."),
    Parameter::optional(
        "loss",
        Either(&[Member(Family::Loss), Table(LOSS)]),
        "What to lose least of; by default \"lm\" with best, and \"entropy\" with other algorithms.",
    ),
    Parameter::defaulted(
        "prefer",
        Either(&[Choice(Preference::WORDS), Text]),
        "\"loss\"",
        "Which of the minimal safe nodes is taken: a word, or an expression whose least value is preferred.",
    ),
    Parameter::optional(
        "choose",
        Text,
        "Which column mondrian cuts: an expression whose greatest value comes first.",
    ),
    Parameter::defaulted(
        "local",
        Flag,
        "false",
        "Whether rows that are unsafe at the chosen levels are searched again by themselves.",
    ),
    Parameter::optional("mondrian", Table(MONDRIAN), "How mondrian cuts."),
    Parameter::optional("boxes", Table(BOXES), "What boxes are good for."),
    Parameter::optional("partition", Table(PARTITION), "How partition splits."),
    Parameter::optional("greedy", Table(GREEDY), "How greedy searches."),
    Parameter::optional("model", Table(GUIDE), "The model that guides greedy."),
    Parameter::optional("linked", List(&COLUMNS), "Groups of columns that sit at the same level."),
    Parameter::defaulted("seed", Whole(0, None), "0", "Makes the same input give the same release."),
];

const ARGUS: &[Parameter] = &[
    Parameter::defaulted("size", Whole(1, None), "3", "The most columns of a combination."),
    Parameter::optional("combinations", List(&COLUMNS), "The combinations to test."),
];

const TEMPLATE: &[Parameter] = &[
    Parameter::required("name", Text, "The name of a template, or the path of its file."),
    Parameter::optional("year", Whole(1, Some(9999)), "The year in which ages are counted."),
    Parameter::optional("population", Path, "The people of each three-digit ZIP prefix."),
    Parameter::optional("columns", Map(&Text), "What columns hold, where their names do not say it."),
];

const STATEMENT: &[Parameter] = &[
    Parameter::optional("purpose", Text, "What the release is for."),
    Parameter::optional("recipient", Text, "Who receives it."),
    Parameter::optional("retention", Text, "How long the recipient keeps it."),
    Parameter::optional("contact", Text, "Who answers questions about it."),
];

const LEDGER: &[Parameter] = &[
    Parameter::optional("path", Path, "The SQLite file that holds the ledger; or url."),
    Parameter::optional("url", Text, "The PostgreSQL database that holds it, without a password; or path."),
    Parameter::defaulted("project", Text, "\"default\"", "The project whose releases are compared."),
    Parameter::required("recipient", Text, "Who receives the release; \"public\" is everybody."),
    Parameter::optional("colludes_with", List(&Text), "Recipients who may put their releases together."),
    Parameter::defaulted(
        "on_conflict",
        Choice(&["refuse", "recode"]),
        "\"refuse\"",
        "What becomes of a release that reveals too much together with earlier ones.",
    ),
    Parameter::optional("subject", Column, "The column that names the same person in every release."),
    Parameter::optional("key_file", Path, "The file with the secret that keys digests; or key_env."),
    Parameter::optional("key_env", Text, "The environment variable with the secret; or key_file."),
];

const CERTIFICATE: &[Parameter] = &[
    Parameter::optional("sign_with", Path, "The file with the private key that signs the certificate."),
    Parameter::optional("expires", Text, "The last day on which the signature is valid: 2027-12-31."),
    Parameter::optional(
        "key_file",
        Path,
        "The file with the secret that keys the input's digest; or key_env.",
    ),
    Parameter::optional("key_env", Text, "The environment variable with that secret; or key_file."),
];

/// The keys at the top of a policy.
pub(crate) const POLICY_KEYS: &[Parameter] = &[
    Parameter::required("version", Whole(1, Some(1)), "The version of this format."),
    Parameter::required("input", Table(INPUT), "Where the table is and how to read it."),
    Parameter::optional("output", Table(OUTPUT), "Where the release goes."),
    Parameter::required("columns", Map(&Table(COLUMN)), "Every column of the table with its role."),
    Parameter::required("privacy", Table(PRIVACY), "The guarantee."),
    Parameter::optional("search", Table(SEARCH), "How to look for the best release."),
    Parameter::optional("argus", Table(ARGUS), "Which combinations of columns throng argus tests."),
    Parameter::optional(
        "template",
        Either(&[Text, Table(TEMPLATE)]),
        "The template whose rules the policy is checked against.",
    ),
    Parameter::optional("statement", Table(STATEMENT), "What the statement says beside the figures."),
    Parameter::optional("ledger", Table(LEDGER), "Where releases are recorded, and who receives this one."),
    Parameter::optional("certificate", Table(CERTIFICATE), "What protects the certificate."),
];
