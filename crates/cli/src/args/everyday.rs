//! Arguments of the everyday commands: demo, inspect, suggest, release, verify, risk and measure.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::values::{
    at_least_1, at_least_100, bytes, decimal_sign, positive_seconds, seconds, share, threads,
};
use super::{Layout, Output, Overwrite, PolicySeed, Seed};

/// `throng demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  throng demo /tmp/demo --rows 50000")]
pub struct Demo {
    /// Output folder
    #[arg(default_value = "throng-demo")]
    pub folder: PathBuf,
    /// Number of patients, at least 100
    #[arg(long, default_value_t = 50_000, value_parser = at_least_100)]
    pub rows: usize,
    #[command(flatten)]
    pub random: Seed,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub overwrite: Overwrite,
}

/// The k and the limit on suppression of a proposed policy, where none is given.
pub const DEFAULT_K: u64 = 5;
pub const DEFAULT_SUPPRESSION: f64 = 0.05;

/// `throng inspect`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng inspect patients.csv
  throng inspect patients.csv --write policy.toml     a policy that runs unchanged
  throng inspect patients.csv --write policy.json     the same as JSON
  throng inspect 'visits/*.parquet' --json
  throng inspect rows.csv --header none               a file without a header line
  throng inspect --template list                      the templates, a line for each
  throng inspect patients.csv --template hipaa-safe-harbor --write policy.toml

A template is a list of rules, such as those of a regulation. --k and --suppression override its k
and suppression limit, unless they equal the defaults. A release checks the rules again.

Hierarchy files beside the table are found by name: TABLE_hierarchy_COLUMN.csv,
COLUMN_hierarchy.csv or hierarchy_COLUMN.csv.")]
pub struct Inspect {
    /// File, folder of part files, quoted pattern of several files, or `-` for standard input: CSV,
    /// Parquet, JSON, Arrow, Excel, Stata, SAS or SPSS
    #[arg(default_value = "", hide_default_value = true, required_unless_present = "template")]
    pub input: String,
    /// Apply a template: its name, a file that ends in .toml, or `list` to list the templates
    #[arg(long, value_name = "NAME")]
    pub template: Option<String>,
    /// Year in which a template counts ages [default: this year]
    #[arg(long, requires = "template", value_parser = clap::value_parser!(i32).range(1900..=9999))]
    pub year: Option<i32>,
    /// People of each three-digit ZIP prefix, for a template that needs them: CSV with the columns
    /// prefix and population
    #[arg(long, value_name = "FILE", requires = "template")]
    pub population: Option<String>,
    /// Write the proposed policy to this file
    #[arg(short, long, value_name = "POLICY")]
    pub write: Option<PathBuf>,
    /// k of the proposed policy
    #[arg(short, long, default_value_t = DEFAULT_K, value_parser = at_least_1)]
    pub k: u64,
    /// Maximum share of rows that may be suppressed (0 to 1), in the proposed policy
    #[arg(long, default_value_t = DEFAULT_SUPPRESSION, value_parser = share)]
    pub suppression: f64,
    #[command(flatten)]
    pub layout: Layout,
    /// Decimal sign of numbers that can be read in two ways, such as 1,234
    #[arg(long, value_name = "CHAR", value_parser = decimal_sign)]
    pub decimal: Option<char>,
    /// Whether whole numbers in date columns are day numbers of a spreadsheet, such as 44562 for
    /// 2022-01-01
    #[arg(long, value_enum)]
    pub serial_dates: Option<YesNo>,
    /// Order of dates that can be read in two ways, such as 03/04/2020
    #[arg(long, value_enum)]
    pub dates: Option<DateOrder>,
    /// Show the most frequent values of each column
    #[arg(long)]
    pub top: bool,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub overwrite: Overwrite,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum YesNo {
    /// Day numbers
    Yes,
    /// Ordinary numbers
    No,
}

/// Which of day and month comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DateOrder {
    /// 31/12/2020
    DayFirst,
    /// 12/31/2020
    MonthFirst,
}

/// `throng suggest`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng suggest policy.toml
  throng suggest policy.toml --k 3,5,11 --page trade-off.html
  throng suggest policy.toml --write better.toml                the recommended point
  throng suggest policy.toml --write other.toml --pick 7
  throng suggest policy.toml --json | jq '.points[] | select(.front) | [.id, .loss, .risk.prosecutor]'

Every point is decided as a release would be, but nothing is released. Exit code 1 means
that no point can be recommended. Ctrl-C stops and shows the points so far.")]
pub struct Suggest {
    /// Policy file
    pub policy: PathBuf,
    /// Time limit in seconds; fewer points are tried with fewer seconds
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = positive_seconds)]
    pub seconds: f64,
    /// k to try, separated by commas [default: half and twice that of the policy]
    #[arg(long, value_name = "K,K,…", value_delimiter = ',', value_parser = at_least_1)]
    pub k: Vec<u64>,
    /// Write an HTML page with the trade-off, sample rows and figures to this file. Keep it secret:
    /// it shows rows of the table
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Write a policy with the recommended settings to this file, in the folder of the policy
    #[arg(long, value_name = "POLICY")]
    pub write: Option<PathBuf>,
    /// Write the settings of this point instead of the recommended one
    #[arg(long, value_name = "ID", requires = "write")]
    pub pick: Option<usize>,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}

/// `throng release`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng release policy.toml
  throng release policy.toml --out shared/release.parquet --seed 7
  throng release policy.toml --json | jq .levels
  throng release wide.toml --seconds 30       the best result in that time, and its gap
  throng release policy.toml --sets private/sets.csv     which rows were grouped together
  throng release policy.toml --rows private/rows.csv     what each row lost

An earlier release at the same path is overwritten, with its certificate and report.

The first Ctrl-C during the search releases the best result so far. The second one, or
one at any other time, stops without writing anything; so do SIGTERM and SIGHUP. The exit
code is then 130.")]
pub struct Release {
    /// Policy file
    pub policy: PathBuf,
    /// Output file; certificate and report go beside it [default: as in the policy]. With `-` the
    /// release goes to standard output, and certificate and report to the paths of the policy
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub random: PolicySeed,
    /// Stop searching after N seconds and release the best result so far
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Write which input rows were grouped together to this file. Keep it secret: it links released
    /// rows to people
    #[arg(long, value_name = "FILE.csv")]
    pub sets: Option<PathBuf>,
    /// Write what each input row lost, and the size of its class, to this file. Keep it secret: it
    /// links released rows to people
    #[arg(long, value_name = "FILE.csv")]
    pub rows: Option<PathBuf>,
    /// Number of threads [default: one per core]; the release is the same with any number
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// Limit memory to about SIZE, such as 500M or 2G. Rows that do not fit are kept on disk
    /// beside the output; the release is the same with any limit
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub output: Output,
}

/// `throng verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng verify release.csv --policy policy.toml
  throng verify release.csv --policy policy.toml --original patients.csv --json

Without --original, checks the privacy claims, the shape and the digests. With it, also
checks that every cell is a true generalization of its source, and every loss.")]
pub struct Verify {
    /// Released table
    pub release: PathBuf,
    /// Policy of the release
    #[arg(short, long)]
    pub policy: PathBuf,
    /// Original table, in the format of the policy's input
    #[arg(long, value_name = "INPUT")]
    pub original: Option<String>,
    /// Certificate [default: as in the policy, or beside the release]
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Attack database: also checks that nobody in it has fewer than k candidates in the release
    #[arg(long, value_name = "FILE.toml")]
    pub attack: Option<PathBuf>,
    /// Public key that must have signed the certificate
    #[arg(long, value_name = "PUBLIC")]
    pub signed_by: Option<PathBuf>,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub output: Output,
}

/// `throng risk`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng risk patients.csv --qi birth_date,sex,zip
  throng risk patients.csv --qi age,sex,zip --population 8000000
  throng risk release.csv --policy policy.toml --json
  throng risk release.csv --certificate certificate.json --report risk.html

The population is everybody who could have been in the table: their number, or a table
that contains them all.")]
pub struct Risk {
    /// File, folder of part files, or quoted pattern of several files: CSV, Parquet, JSON, Arrow,
    /// Excel, Stata, SAS or SPSS
    pub input: String,
    /// Quasi-identifiers, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub qi: Vec<String>,
    /// Column that identifies the person of a row; counts people instead of rows [default: as in
    /// the policy]
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["population", "weights", "fraction"])]
    pub subject: Option<String>,
    /// Policy that names the quasi-identifiers, such as that of a release
    #[arg(short, long)]
    pub policy: Option<PathBuf>,
    /// Certificate of a release, which names its quasi-identifiers and states whether it contains
    /// suppressed rows
    #[arg(long, value_name = "FILE.json")]
    pub certificate: Option<PathBuf>,
    /// Attack database: only the quasi-identifiers that it has count, and its people are the
    /// population
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["population", "weights", "fraction", "subject"])]
    pub attack: Option<PathBuf>,
    /// Size of the population, or a table of it
    #[arg(long, value_name = "N|FILE", allow_negative_numbers = true, conflicts_with_all = ["weights", "fraction"])]
    pub population: Option<String>,
    /// Column with the number of people that each row represents
    #[arg(long, value_name = "COLUMN", conflicts_with = "fraction")]
    pub weights: Option<String>,
    /// Share of the population that is in the table (0 to 1)
    #[arg(long, allow_negative_numbers = true)]
    pub fraction: Option<f64>,
    /// Largest number of columns to combine [default: 4, fewer if there are many columns]
    #[arg(long, value_name = "N")]
    pub max_size: Option<usize>,
    /// Risk above which a row counts as at risk
    #[arg(long, default_value_t = 0.2, allow_negative_numbers = true)]
    pub threshold: f64,
    /// Meaning of a missing cell [default: as in the policy, or value]
    #[arg(long, value_enum)]
    pub missing: Option<Missing>,
    /// Write an HTML page with charts to this file
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub random: Seed,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}

/// `throng measure`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng measure arx.csv --original patients.csv --policy policy.toml --same-order --starred
  throng measure sdc.csv --original patients.csv --policy policy.toml --key id --null NA
  throng measure release.csv --original patients.csv --policy policy.toml --json | jq .loss
  throng measure arx.csv --original patients.csv --policy policy.toml --same-order --rows private/rows.csv
  throng measure arx.csv --original patients.csv --policy policy.toml --same-order --population people.csv --truth ssn

The policy gives roles, hierarchies and models. Cells are labels of the hierarchies,
intervals, sets, masked values or `*`. Without --key and --same-order, losses that
compare cells with originals are unavailable. Exit code 1 means that a model of the
policy does not hold.

--population checks something else: whether the release is an anonymous data system
(Sweeney 2001) and adheres to null-map, wrong-map or k-map. Exit code 1 means that it
adheres to none of them.")]
pub struct Measure {
    /// Released table, or quoted pattern of several files
    pub release: String,
    /// Original table, in the format of the policy's input
    #[arg(long, value_name = "INPUT")]
    pub original: String,
    /// Policy with roles, hierarchies and models
    #[arg(short, long)]
    pub policy: PathBuf,
    /// Column of both tables that identifies rows; rows that the release lacks are suppressed
    #[arg(long, value_name = "COLUMN", conflicts_with = "same_order")]
    pub key: Option<String>,
    /// Both tables have the same rows in the same order
    #[arg(long)]
    pub same_order: bool,
    /// Rows with `*` in every quasi-identifier are suppressed, as ARX writes them
    #[arg(long)]
    pub starred: bool,
    /// Write what each original row lost, and the size of its class, to this file. Keep it secret:
    /// it links released rows to people
    #[arg(long, value_name = "FILE.csv")]
    pub rows: Option<PathBuf>,
    /// Table of the population: check which of its people each released row could belong to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rows", "starred"])]
    pub population: Option<String>,
    /// Column of original, population and external tables that names people
    #[arg(long, value_name = "COLUMN", requires = "population")]
    pub truth: Option<String>,
    /// Table that outsiders have (repeatable) [default: the population]
    #[arg(long, value_name = "FILE", requires = "truth")]
    pub external: Vec<String>,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub output: Output,
}

/// The meaning of a missing cell.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Missing {
    /// A value of its own
    Value,
    /// Matches every value
    Wildcard,
    /// The row is left out
    Suppress,
}
