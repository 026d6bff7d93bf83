//! The policy: one TOML or JSON file with the holder's requirements. It contains no data.
//!
//! [`Policy::parse`] reads the text and reports every mistake that is visible without the table,
//! each with its key and place. [`Policy::check`] does the same for a value that was made or
//! changed by a program. [`Policy::bind`] then checks the policy against the columns of a table.
//! [`PolicyBundle`] is a policy with its hierarchy files as one document.

mod argus;
mod bundle;
mod check;
mod document;
mod edit;
mod files;
mod grammar;
mod guide;
mod keys;
mod ledger;
mod local;
mod loss;
mod loss_check;
mod models;
mod nesting;
mod prepare;
mod profile;
mod rules;
pub mod sampling_limits;
mod scrub;
mod spans;
mod subject;
mod substitute;
mod switch;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod utility;

pub use argus::{Argus, MOST_IDENTIFYING};
pub use bundle::PolicyBundle;
pub use document::{Document, EXPERIMENT, POLICY, SPECIFICATION};
pub use edit::Edited;
pub use grammar::fault as grammar_fault;
pub use guide::{GuideSpec, Predicts, SECONDS};
pub(crate) use keys::{FORMS, POLICY_KEYS, TRANSFORMS};
pub use ledger::{CertificateSpec, LedgerSpec, OnConflict, PUBLIC};
pub use local::{Boxes, By, Cut, Form, Greedy, Mondrian, Partition, Statistic};
pub use loss::{Aggregate, LossParameters, LossSpec};
pub use loss_check::{check_loss, no_target};
pub use models::*;
pub(crate) use prepare::numbered;
pub use prepare::{Cap, Clear, CutList, Join, Pairs, PresentIn, Redundant, Step, Unmatched};
pub use profile::{ANONYMITY_TABLE, Limit};
pub use rules::{Preference, cut_expression, node_expression};
pub use scrub::{Scrub, ScrubAges, ScrubDates, ScrubMode};
pub use spans::locate;
pub use substitute::{KeyPlace, Number, Shift, Substitute, Transform};
pub use template::{Statement, TemplateSettings, TemplateSpec};
pub use text::names_json;
pub use utility::{Maximize, StatisticSpec};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::{Order, Spec};
use crate::poset;
use crate::reading::Reading;
use crate::registry::Algorithm;

/// The holder's requirements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The version of this format: 1.
    pub version: u32,
    /// The template whose rules the policy is checked against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateSpec>,
    /// Where the table is and how to read it.
    pub input: Input,
    /// Where the release goes.
    #[serde(default)]
    pub output: Output,
    /// Every column of the table with its role.
    pub columns: BTreeMap<String, Column>,
    /// The guarantee.
    pub privacy: Privacy,
    /// How to look for the best release.
    #[serde(default)]
    pub search: Search,
    /// Which combinations of columns `throng argus` tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argus: Option<Argus>,
    /// What the statement for others says beside the figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Statement>,
    /// Where releases are recorded, and who receives this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerSpec>,
    /// What protects the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateSpec>,
}

/// Where the table is and how to read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A file, a folder of parts, a glob of several with the same columns, or `-` for standard
    /// input.
    pub path: String,
    /// The format, if the file name does not determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The sheet of a workbook; default: the first one that holds data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// Lines of a CSV file, or rows of a sheet, above the header.
    #[serde(default, skip_serializing_if = "is_default")]
    pub skip: usize,
    /// Whether values of Stata and SPSS files are read as their labels, in columns where every
    /// value has one.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub labels: bool,
    /// The character between cells of a CSV file.
    #[serde(default = "comma")]
    pub delimiter: char,
    /// The character around cells of a CSV file.
    #[serde(default = "quote", skip_serializing_if = "is_quote")]
    pub quote: char,
    /// How text is encoded.
    #[serde(default, skip_serializing_if = "is_default")]
    pub encoding: Encoding,
    /// What the first line of a CSV file holds; default: column names, unless it looks like data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<Header>,
    /// Texts that mean that a cell is missing.
    #[serde(default = "nulls")]
    pub null: Vec<String>,
    /// What a missing quasi-identifier means.
    #[serde(default)]
    pub missing: Missing,
    /// Columns whose cells are not written plainly, and how they are written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cells: BTreeMap<String, Reading>,
    /// The condition that rows eligible for release satisfy.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub eligible: Option<String>,
    /// Pairs of columns that become lists of codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pairs>,
    /// Files whose rows become lists of codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub join: Vec<Join>,
    /// Steps that clean the table, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepare: Vec<Step>,
}

fn comma() -> char {
    ','
}

fn quote() -> char {
    '"'
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_quote(c: &char) -> bool {
    *c == '"'
}

fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_yes(flag: &bool) -> bool {
    *flag
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn nulls() -> Vec<String> {
    vec![String::new()]
}

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Delimited text with a header line.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// JSON objects: one per line, or one array of them.
    Json,
    /// Arrow IPC file.
    Arrow,
    /// A sheet of a workbook: .xlsx, .xls or .ods.
    Excel,
    /// Stata .dta.
    Stata,
    /// SAS .sas7bdat.
    Sas,
    /// SPSS .sav.
    Spss,
}

/// Endings of compressed text.
const COMPRESSED: [&str; 2] = [".gz", ".zst"];

impl Format {
    /// What policies call it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Json => "json",
            Format::Arrow => "arrow",
            Format::Excel => "excel",
            Format::Stata => "stata",
            Format::Sas => "sas",
            Format::Spss => "spss",
        }
    }

    /// What people call it, where tables of that format are read and not written.
    pub fn only_read(self) -> Option<&'static str> {
        match self {
            Format::Csv | Format::Parquet | Format::Json | Format::Arrow => None,
            Format::Excel => Some("Excel"),
            Format::Stata => Some("Stata"),
            Format::Sas => Some("SAS"),
            Format::Spss => Some("SPSS"),
        }
    }

    /// The format of a table that is written, by file extension.
    ///
    /// # Errors
    /// An extension that is not known, and a format that is only read.
    #[expect(clippy::result_large_err, reason = "a fault is boxed by the caller, once per file")]
    pub fn of_output(path: &str) -> Result<Format, Fault> {
        let Some(format) = Format::of_path(path) else {
            return Err(fault!(Input, "file.unknown-output-format", "does not show the format")
                .help("end it in .csv, .parquet, .json or .arrow"));
        };
        match format.only_read() {
            None => Ok(format),
            Some(name) => Err(fault!(
                Input,
                "file.format-not-written",
                "{format} files cannot be written",
                format = name
            )
            .help("use .csv or .parquet")),
        }
    }

    /// The format of a table that is read, by file extension: as [`of_path`](Self::of_path), and
    /// delimited text may be compressed.
    pub fn of_input(path: &str) -> Option<Format> {
        let plain = without_compression(path);
        Self::of_path(plain).filter(|format| *format == Format::Csv || plain == path)
    }

    /// The name of a table's file without folder and endings.
    pub fn stem(path: &str) -> &str {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let plain = without_compression(name);
        plain.rsplit_once('.').map_or(plain, |(stem, _)| stem)
    }

    /// The format by file extension, if known.
    pub fn of_path(path: &str) -> Option<Format> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase();
        match name.rsplit('.').next()? {
            "csv" | "tsv" | "txt" => Some(Format::Csv),
            "parquet" | "pq" => Some(Format::Parquet),
            "json" | "ndjson" | "jsonl" => Some(Format::Json),
            "arrow" | "feather" | "ipc" => Some(Format::Arrow),
            "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Some(Format::Excel),
            "dta" => Some(Format::Stata),
            "sas7bdat" => Some(Format::Sas),
            "sav" | "zsav" => Some(Format::Spss),
            _ => None,
        }
    }
}

/// A path without the ending of compressed text, in capitals or not.
fn without_compression(path: &str) -> &str {
    let plain = |ending: &str| {
        let (stem, end) = path.split_at_checked(path.len().checked_sub(ending.len())?)?;
        end.eq_ignore_ascii_case(ending).then_some(stem)
    };
    COMPRESSED.into_iter().find_map(plain).unwrap_or(path)
}

/// How the text of a CSV file is encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// Windows-1252, which contains the printable part of ISO 8859-1.
    #[serde(rename = "latin-1")]
    Latin1,
    /// UTF-16, little-endian unless a byte-order mark says otherwise.
    #[serde(rename = "utf-16")]
    Utf16,
}

/// What the first line of a CSV file holds, where the holder states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Header {
    /// Column names, even where they look like data.
    FirstLine,
    /// A row: the columns are named `column_1`, `column_2` and so on.
    None,
}

impl Header {
    /// How a policy writes it.
    pub fn name(self) -> &'static str {
        match self {
            Header::FirstLine => "first-line",
            Header::None => "none",
        }
    }

    /// The names of a number of columns of a file without a header line.
    pub fn generated(columns: usize) -> Vec<String> {
        (1..=columns).map(|column| format!("column_{column}")).collect()
    }
}

/// What a missing quasi-identifier means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// One more value: missing equals missing and nothing else.
    #[default]
    Value,
    /// It may be anything: a row matches every row that agrees where both have values.
    Wildcard,
    /// The row is suppressed, and counts against the limit.
    Suppress,
}

/// Where the release goes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The released table; its extension determines the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The report for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// The certificate for machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// The statement that can be passed on; none is written by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The character between cells of a CSV release; default: as the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// What becomes of rows that the chosen levels leave unsafe.
    #[serde(default, skip_serializing_if = "is_default")]
    pub suppressed: Suppressed,
    /// Keeps the order of the input, which can identify people (unsorted matching).
    #[serde(default, skip_serializing_if = "is_default")]
    pub keep_order: bool,
    /// The most values of a set cell; a set of more becomes the least label above it, or `*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_set: Option<usize>,
}

impl Output {
    /// The most values of a set cell, where the policy does not say it: a longer list does not help
    /// a reader, and every row of a region repeats it.
    pub const LONGEST_SET: usize = 8;

    /// The most values of a set cell.
    pub fn longest_set(&self) -> usize {
        self.longest_set.unwrap_or(Self::LONGEST_SET)
    }
}

/// What becomes of a suppressed row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Suppressed {
    /// It is left out.
    #[default]
    Dropped,
    /// It stays, with `*` in every quasi-identifier.
    Starred,
    /// It stays with as few quasi-identifiers starred as can be found to make it safe, or is left
    /// out.
    Cells,
}

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Names a person outright: removed, or replaced by pseudonyms.
    Identifier,
    /// The person that a row belongs to: people are counted instead of rows. Removed, or replaced.
    Subject,
    /// Can be linked to a person together with others: generalized.
    Quasi,
    /// What the adversary wants to learn: released as it is.
    Sensitive,
    /// What a model will predict: released as it is.
    Target,
    /// Free text: removed, because it can name people, or scrubbed.
    Text,
    /// The row's survey weight: released as it is.
    Weight,
    /// Passed through.
    Keep,
    /// Removed.
    Drop,
}

impl Role {
    /// All roles, as a policy writes them.
    pub const NAMES: [&'static str; 9] =
        ["identifier", "subject", "quasi", "sensitive", "target", "text", "weight", "keep", "drop"];

    /// How a policy writes this role.
    pub fn name(self) -> &'static str {
        Role::NAMES[self as usize]
    }

    /// Whether columns of this role are in the release.
    pub fn released(self) -> bool {
        !matches!(self, Role::Identifier | Role::Subject | Role::Text | Role::Drop)
    }
}

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// What the column is.
    pub role: Role,
    /// How its values generalize, for `quasi`; or how far apart they are, for `sensitive` with a
    /// model that asks. Default: the value or nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Spec>,
    /// How its values generalize where one may have several parents, in place of a hierarchy; only
    /// for `quasi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poset: Option<poset::Spec>,
    /// The least level allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_level: Option<usize>,
    /// The highest level allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_level: Option<usize>,
    /// The level of its hierarchy that it is released at; only for `sensitive`. Default: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// The least and the greatest number that its values can be: what a suppressed cell means for
    /// bounds of statistics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<[f64; 2]>,
    /// How much its loss counts; default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How much distortion the recipient tolerates, from 0 to 1: a preference among columns, not a
    /// limit; only for Datafly and k-Similar. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// How likely somebody links on it, from 0 to 1; only for Datafly. Where nobody does, 0, it is
    /// released unchanged. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linking: Option<f64>,
    /// How identifying it is, from 0 to 3; only `throng argus` asks. Default 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifying: Option<u8>,
    /// How its cells are written where a method forms regions of rows. Default: labels where there
    /// is a hierarchy, ranges where it is an order without groups, otherwise intervals of numbers
    /// and sets of other values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// What is done to it: an identifier or a subject is replaced instead of removed, dates are
    /// shifted, and free text is scrubbed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<Transform>,
    /// Why it has its role, in the holder's words; the statement repeats it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Column {
    /// A column with a role and defaults for everything else.
    pub fn of(role: Role) -> Self {
        Column {
            role,
            hierarchy: None,
            poset: None,
            min_level: None,
            max_level: None,
            level: None,
            domain: None,
            weight: None,
            tolerance: None,
            linking: None,
            identifying: None,
            form: None,
            transform: None,
            reason: None,
        }
    }

    /// The order of its values that the policy states; none where it states none.
    pub fn stated_order(&self) -> Option<&Order> {
        self.hierarchy.as_ref().and_then(Spec::stated_order)
    }

    /// Whether the column is in the release: by its role, or because its values are replaced or its
    /// texts are scrubbed.
    pub fn released(&self) -> bool {
        self.role.released() || self.is_replaced() || self.scrub().is_some()
    }

    /// Whether its values are replaced by others, one for one.
    pub fn is_replaced(&self) -> bool {
        let kept = |transform: &Transform| matches!(transform, Transform::Shift(_) | Transform::Scrub(_));
        self.transform.as_ref().is_some_and(|transform| !kept(transform))
    }

    /// How its dates are shifted, where they are.
    pub fn shift(&self) -> Option<&Shift> {
        match &self.transform {
            Some(Transform::Shift(shift)) => Some(shift),
            _ => None,
        }
    }

    /// The hierarchy or poset of the policy, or the default: keep or suppress.
    pub fn hierarchy(&self) -> Spec {
        let poset = || self.poset.clone().map(Spec::Poset);
        self.hierarchy.clone().or_else(poset).unwrap_or(Spec::Suppress)
    }
}

/// The guarantee.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Privacy {
    /// Every combination of all quasi-identifiers occurs at least this often. [`Privacy::k`] also
    /// knows the k of the anonymity level.
    #[serde(default, rename = "k", skip_serializing_if = "Option::is_none")]
    pub given_k: Option<u64>,
    /// The anonymity level, from 0 to 1, in place of k.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymity: Option<f64>,
    /// Anonymity level → k, rising; default [`ANONYMITY_TABLE`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anonymity_table: Option<Vec<(f64, u64)>>,
    /// The share of rows that may be suppressed; [`Policy::suppression`] says what none means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppression: Option<f64>,
    /// Named groups of quasi-identifiers, each with its own k.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub quasi: BTreeMap<String, Group>,
    /// Models beside k; all hold together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelSpec>,
    /// Statistics that a recipient must be able to bound, and how narrowly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub utility: Vec<StatisticSpec>,
    /// What is made as large as `utility` allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximize: Option<Maximize>,
}

/// A named group of quasi-identifiers: what one adversary could link on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its columns.
    pub columns: Vec<String>,
    /// Every combination of them occurs at least this often.
    pub k: u64,
    /// Column → how likely somebody links on it as part of this group, from 0 to 1; only for
    /// Datafly. Default: as the column says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub linking: BTreeMap<String, f64>,
}

/// How to look for the best release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "GivenSearch")]
pub struct Search {
    /// What finds the release; default "best".
    pub algorithm: Algorithm,
    /// What to lose least of; default "lm" for "best", and "entropy" for an algorithm that the
    /// policy names.
    pub loss: LossSpec,
    /// Which of the minimal nodes is taken: a word, or an expression.
    #[serde(skip_serializing_if = "is_default")]
    pub prefer: Preference,
    /// Which column Mondrian cuts: the expression whose greatest value comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choose: Option<String>,
    /// Whether rows that the chosen levels leave unsafe are searched again by themselves, and so
    /// on.
    #[serde(skip_serializing_if = "is_default")]
    pub local: bool,
    /// How Mondrian cuts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mondrian: Option<Mondrian>,
    /// What boxes are to be good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boxes: Option<Boxes>,
    /// How often Partition tries to split a set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<Partition>,
    /// How greedy sets are searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greedy: Option<Greedy>,
    /// The model that guides a method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<GuideSpec>,
    /// Groups of columns that must sit at the same level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub linked: Vec<Vec<String>>,
    /// Makes the same input give the same release.
    pub seed: u64,
}

/// The section as it is written: the default loss depends on the algorithm.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename = "Search")]
struct GivenSearch {
    algorithm: Option<Algorithm>,
    loss: Option<LossSpec>,
    prefer: Preference,
    choose: Option<String>,
    local: bool,
    mondrian: Option<Mondrian>,
    boxes: Option<Boxes>,
    partition: Option<Partition>,
    greedy: Option<Greedy>,
    model: Option<GuideSpec>,
    linked: Vec<Vec<String>>,
    seed: u64,
}

impl From<GivenSearch> for Search {
    fn from(given: GivenSearch) -> Self {
        let algorithm = given.algorithm.unwrap_or(Algorithm::Best);
        Search {
            algorithm,
            loss: given.loss.unwrap_or_else(|| LossSpec::by_default(algorithm)),
            prefer: given.prefer,
            choose: given.choose,
            local: given.local,
            mondrian: given.mondrian,
            boxes: given.boxes,
            greedy: given.greedy,
            partition: given.partition,
            model: given.model,
            linked: given.linked,
            seed: given.seed,
        }
    }
}

impl Default for Search {
    fn default() -> Self {
        Search::from(GivenSearch::default())
    }
}

impl Policy {
    /// Checks the policy against the table's columns.
    ///
    /// # Errors
    /// Columns that the policy does not name, and names that the table does not have.
    pub fn bind(&self, columns: &[String]) -> Result<()> {
        Error::check(check::against_table(self, columns))
    }

    /// The sensitive columns that are released at a level of their hierarchy, and the levels, in
    /// name order.
    pub fn leveled(&self) -> Vec<(&str, usize)> {
        self.columns
            .iter()
            .filter_map(|(name, column)| column.level.map(|level| (name.as_str(), level)))
            .collect()
    }

    /// What a column's part of the loss is multiplied by.
    pub fn weight(&self, column: &str) -> f64 {
        self.columns.get(column).and_then(|column| column.weight).unwrap_or(1.0)
    }

    /// The columns that grouping needs, each list in the order of the table: the quasi-identifiers;
    /// and the columns that are measured in their classes, which are targets, sensitive columns
    /// that models judge or that have a level, columns of guarding nodes, and last the subject.
    pub fn grouped_columns(&self, columns: &[String]) -> (Vec<String>, Vec<String>) {
        let with = |role: Role| -> Vec<String> {
            let has = |name: &&String| self.columns.get(*name).is_some_and(|c| c.role == role);
            columns.iter().filter(has).cloned().collect()
        };
        let (quasi, mut measured) = (with(Role::Quasi), with(Role::Target));
        let (judged, guards) = (self.judged(), self.guards());
        let leveled: Vec<&str> = self.leveled().into_iter().map(|(name, _)| name).collect();
        let wanted = |name: &&String| {
            let needed = judged.contains(name.as_str()) || leveled.contains(&name.as_str());
            needed && !measured.contains(name)
        };
        let more: Vec<String> = columns.iter().filter(wanted).cloned().collect();
        measured.extend(more);
        measured.extend(columns.iter().filter(|name| guards.contains(name.as_str())).cloned());
        measured.extend(with(Role::Subject));
        (quasi, measured)
    }

    /// Whether the method may put rows of equal quasi-identifiers into different regions.
    pub fn divides_equal_rows(&self) -> bool {
        let relaxed = self.search.mondrian.is_some_and(|mondrian| mondrian.cut == Cut::Relaxed);
        relaxed || self.search.algorithm == Algorithm::CellMinGen
    }

    /// The released columns that are not quasi-identifiers, in name order: what distinguishes rows
    /// of equal quasi-identifiers.
    pub fn content_columns(&self) -> Vec<&str> {
        let content = |column: &Column| column.released() && column.role != Role::Quasi;
        self.columns.iter().filter(|(_, column)| content(column)).map(|(name, _)| name.as_str()).collect()
    }

    /// What the parts of several columns are multiplied by.
    pub fn weights(&self, columns: &[String]) -> Vec<f64> {
        columns.iter().map(|column| self.weight(column)).collect()
    }

    /// Names of the columns with a role, in name order.
    pub fn with_role(&self, role: Role) -> Vec<&str> {
        self.columns.iter().filter(|(_, c)| c.role == role).map(|(n, _)| n.as_str()).collect()
    }
}
