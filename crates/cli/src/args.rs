//! The command line: commands, options and their help texts.

pub mod help;
mod shared;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub use shared::{Layout, Output, Overwrite, PolicySeed, Seed};

/// Release data about people without releasing the people.
#[derive(Debug, Parser)]
#[command(
    name = "throng",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "\
Start here:
  throng demo                              synthetic patients, a policy, a release and its report
  throng inspect patients.csv --write policy.toml
  throng release policy.toml
  throng verify release.csv --policy policy.toml --original patients.csv

`throng COMMAND --help` explains a command, with examples.

Exit codes: 0 done or holds, 1 ran but does not hold, 2 could not run, 70 a bug in
Throng, 130 cancelled. THRONG_PROGRESS=plain writes progress as lines of text."
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Show no progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create synthetic patients, a policy, a release and its report
    Demo(Demo),
    /// Profile a table and propose a policy, with a reason for each column
    Inspect(Inspect),
    /// Rank columns by how well they predict a target, compared with random columns
    Screen(Screen),
    /// Try methods, k and limits on a policy, and show the trade-off between risk and loss
    Suggest(Suggest),
    /// Write the safe version of a table with the least loss, with a certificate and a report
    Release(Release),
    /// Check a release against its certificate
    Verify(Verify),
    /// Show the lattice of a policy: safe nodes, their losses, and the chosen node
    Explore(Explore),
    /// Compare methods and k on the table of a policy, or run the grid of an experiment
    Compare(Compare),
    /// Assess the re-identification risk of a table
    Risk(Risk),
    /// Measure loss, privacy and risk of a table that another tool de-identified
    Measure(Measure),
    /// Show which columns predict which others (Bayesian network)
    Network(Network),
    /// Anonymize step by step, checking small combinations of columns, as in mu-Argus
    Argus(Argus),
    /// Add one column per generalization level, or remove them again
    Augment(Augment),
    /// Generate a synthetic table from distributions, or from the network of a table
    Synth(Synth),
    /// Build, check, convert or show the hierarchy of a column
    Hierarchy(Hierarchy),
    /// Check a policy, or bundle it with its hierarchy files
    Policy(Policy),
    /// Print the JSON Schema of a policy, for editors
    Schema(Schema),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Print a manual page
    Man(Man),
}

impl Command {
    /// Whether `--json` is given.
    pub fn json(&self) -> bool {
        let output = match self {
            Command::Demo(args) => &args.output,
            Command::Inspect(args) => &args.output,
            Command::Screen(args) => &args.output,
            Command::Suggest(args) => &args.output,
            Command::Release(args) => &args.output,
            Command::Verify(args) => &args.output,
            Command::Explore(args) => &args.output,
            Command::Compare(args) => &args.output,
            Command::Risk(args) => &args.output,
            Command::Measure(args) => &args.output,
            Command::Network(args) => &args.output,
            Command::Argus(args) => &args.output,
            Command::Synth(args) => &args.output,
            Command::Hierarchy(args) => match &args.command {
                HierarchyCommand::Build { output, .. }
                | HierarchyCommand::Check { output, .. }
                | HierarchyCommand::Show { output, .. } => output,
                HierarchyCommand::Convert { .. } => return false,
            },
            Command::Policy(args) => match &args.command {
                PolicyCommand::Check { output, .. } | PolicyCommand::Bundle { output, .. } => output,
            },
            Command::Augment(_) | Command::Schema(_) | Command::Completions(_) | Command::Man(_) => {
                return false;
            }
        };
        output.json
    }
}

/// `throng policy`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng policy check policy.toml
  throng policy bundle policy.toml --out policy.bundle.json")]
pub struct Policy {
    /// What to do with it.
    #[command(subcommand)]
    pub command: PolicyCommand,
}

/// What to do with a policy.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Check a policy and the hierarchy files it names, without reading the table
    #[command(after_help = "Examples:
  throng policy check policy.toml
  throng policy check policy.json --json | jq '.faults[].key'

Exit code 1 means that the policy has mistakes.")]
    Check {
        /// Policy file: TOML, JSON or a bundle
        policy: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Write a policy and the hierarchy files it names as one JSON document
    #[command(after_help = "Example:
  throng policy bundle policy.toml --out policy.bundle.json

Every command that takes a policy takes the bundle. Certificates are the same. The table, the
population and keys are not part of it: their paths are relative to the folder of the bundle.")]
    Bundle {
        /// Policy file: TOML, JSON or a bundle
        policy: PathBuf,
        /// Output file
        #[arg(short, long, value_name = "FILE.json")]
        out: PathBuf,
        #[command(flatten)]
        overwrite: Overwrite,
        #[command(flatten)]
        output: Output,
    },
}

/// `throng schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  throng schema > throng.schema.json")]
pub struct Schema {}

/// `throng completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng completions bash > ~/.local/share/bash-completion/completions/throng
  throng completions zsh > ~/.zfunc/_throng
  throng completions fish > ~/.config/fish/completions/throng.fish")]
pub struct Completions {
    /// Shell
    pub shell: clap_complete::Shell,
}

/// `throng man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng man | man -l -
  throng man release > throng-release.1
  throng man --list                        the commands that have a page")]
pub struct Man {
    /// Command, such as release or hierarchy build [default: the program as a whole]
    pub command: Vec<String>,
    /// List the commands that have a page
    #[arg(long, conflicts_with = "command")]
    pub list: bool,
}

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

fn at_least_1(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("k must be a whole number of at least 1".into()),
        Ok(k) => Ok(k),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a share from 0 to 1 is expected: 0.05 is 5 %".into())
}

fn at_least_100(text: &str) -> Result<usize, String> {
    let rows: usize = text.parse().map_err(|e| format!("{e}"))?;
    if rows < 100 { Err("the demo needs at least 100 patients".into()) } else { Ok(rows) }
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

A template is a list of rules, such as those of a regulation. Its k and suppression are used unless
--k and --suppression are other than their defaults. A release checks the rules again.

Hierarchy files beside the table are found by name: TABLE_hierarchy_COLUMN.csv,
COLUMN_hierarchy.csv or hierarchy_COLUMN.csv.")]
pub struct Inspect {
    /// File, folder of part files, quoted pattern of several files, or - for standard input: CSV,
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
    /// Whether whole numbers in columns of dates are day numbers of a spreadsheet, such as 44562 for
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

/// Parses a decimal sign.
fn decimal_sign(text: &str) -> Result<char, String> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("\".\" or \",\" is expected".into()),
    }
}

/// `throng screen`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng screen patients.csv --target diagnosis
  throng screen patients.csv --target charges --above 25000
  throng screen patients.csv --target charges --above 25000 --json | jq '.columns[] | select(.keep) | .column'

Mutual information grows with the number of values, so each column is compared with random
columns that have as many values. Rare values are not counted.")]
pub struct Screen {
    /// File, or quoted pattern of several files: CSV, Parquet, newline-delimited JSON or Arrow
    pub input: String,
    /// Target column
    #[arg(long, value_name = "COLUMN")]
    pub target: String,
    /// Binarize the target: true if greater than NUMBER
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub above: Option<f64>,
    /// Ignore values with fewer rows than this
    #[arg(long, default_value_t = 6)]
    pub rare: u64,
    /// Number of random columns to compare each column with
    #[arg(long, default_value_t = 10)]
    pub runs: u32,
    /// Minimum ratio to the random columns for a column to be worth keeping
    #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
    pub threshold: f64,
    #[command(flatten)]
    pub random: Seed,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub output: Output,
}

/// `throng suggest`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng suggest policy.toml
  throng suggest policy.toml --k 3,5,11 --page trade-off.html
  throng suggest policy.toml --write better.toml                the recommended point
  throng suggest policy.toml --write other.toml --pick 7
  throng suggest policy.toml --json | jq '.points[] | select(.front) | [.id, .loss, .risk.prosecutor]'

Every point is decided as a release would be, but nothing is released. The page shows rows of
the table: keep it to yourself. Exit code 1 means that no point can be recommended.
Ctrl-C shows the points so far.")]
pub struct Suggest {
    /// Policy file
    pub policy: PathBuf,
    /// Time limit in seconds; fewer points are tried with fewer seconds
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = positive_seconds)]
    pub seconds: f64,
    /// k to try, separated by commas [default: half and twice that of the policy]
    #[arg(long, value_name = "K,K,…", value_delimiter = ',', value_parser = at_least_1)]
    pub k: Vec<u64>,
    /// For you alone: write an HTML page with the trade-off, sample rows and figures to this file
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Write the policy with the recommended settings to this file, beside the policy
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

/// Parses a number of seconds above 0.
fn positive_seconds(text: &str) -> Result<f64, String> {
    match seconds(text) {
        Ok(seconds) if seconds > 0.0 => Ok(seconds),
        _ => Err("a number of seconds above 0, such as 30 or 0.5, is expected".into()),
    }
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
    /// Output file; certificate and report go beside it [default: as in the policy]. With - the
    /// release goes to standard output, certificate and report to where the policy says
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
    #[command(flatten)]
    pub output: Output,
}

/// Parses a time limit in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, such as 30 or 0.5".into()),
    }
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
    #[command(flatten)]
    pub output: Output,
}

/// `throng explore`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng explore policy.toml
  throng explore policy.toml --out lattice.html         an HTML page with a picture of it
  throng explore policy.toml --around 2                 only nodes near the chosen one
  throng explore policy.toml --json | jq '.nodes[] | select(.minimal) | .levels'

Visits every node, so a lattice of more than 200,000 nodes is refused. Exit code 1
means that no node is safe. Ctrl-C stops without writing anything.")]
pub struct Explore {
    /// Policy file
    pub policy: PathBuf,
    /// Write an HTML page with a picture of the lattice to this file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Only nodes within STEPS of the chosen node
    #[arg(long, value_name = "STEPS")]
    pub around: Option<u32>,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}

/// `throng compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng compare policy.toml                            methods and k on one table
  throng compare policy.toml --k 3,5,10,20 --out comparison
  throng compare experiments/patients.toml
  THRONG_DATA=/data throng compare experiments/ola.toml --out comparison
  throng compare experiments/patients.toml --json | jq '.rankings[].condorcet'

A file with [[tables]] and [grid] is an experiment, for research; any other is a policy.
With --out the folder gets results.csv, index.html and a picture; of an experiment also
results.md and a picture per plot. The first Ctrl-C stops and keeps the results so far.
The second one stops without writing anything.")]
pub struct Compare {
    /// Policy or experiment file
    #[arg(value_name = "POLICY|EXPERIMENT")]
    pub file: PathBuf,
    /// With a policy: k to try, separated by commas [default: half and twice that of the policy]
    #[arg(long, value_name = "K,K,…", value_delimiter = ',', value_parser = at_least_1)]
    pub k: Vec<u64>,
    /// With a policy: time limit in seconds [default: 120]
    #[arg(long, value_name = "N", value_parser = positive_seconds)]
    pub seconds: Option<f64>,
    /// Folder for the results; created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: Overwrite,
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
    /// File, or quoted pattern of several files: CSV, Parquet, newline-delimited JSON or Arrow
    pub input: String,
    /// Quasi-identifiers, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub qi: Vec<String>,
    /// Column that names the person a row belongs to: people are counted instead of rows [default:
    /// as in the policy]
    #[arg(long, value_name = "COLUMN", conflicts_with_all = ["population", "weights", "fraction"])]
    pub subject: Option<String>,
    /// Policy that names the quasi-identifiers, such as that of a release
    #[arg(short, long)]
    pub policy: Option<PathBuf>,
    /// Certificate of a release, which names its quasi-identifiers and states whether it contains
    /// suppressed rows
    #[arg(long, value_name = "FILE.json")]
    pub certificate: Option<PathBuf>,
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
    /// Check which people of this table released rows map to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rows", "starred"])]
    pub population: Option<String>,
    /// Column of original, population and external tables that names people
    #[arg(long, value_name = "COLUMN", requires = "population")]
    pub truth: Option<String>,
    /// Table that outsiders have; may be repeated [default: the population]
    #[arg(long, value_name = "FILE", requires = "truth")]
    pub external: Vec<String>,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub output: Output,
}

/// `throng network`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng network policy.toml
  throng network policy.toml --out network.svg          a picture of it
  throng network policy.toml --json | jq '.edges[] | [.from, .to, .gain]'
  throng network policy.toml --given zip='0213*' --given sex=F --ask diagnosis
  throng network policy.toml --given zip=02139 --given sex=F        probability of such a row

Uses quasi-identifiers, targets and sensitive columns. An edge is kept if it makes the
description of the table shorter (BIC). A quarter of the rows is held out to test the result.
An answer to --given and --ask quotes values of the table.")]
pub struct Network {
    /// Policy file
    pub policy: PathBuf,
    /// Write a picture to this file
    #[arg(short, long, value_name = "FILE.svg")]
    pub out: Option<PathBuf>,
    /// Maximum number of columns that a column depends on
    #[arg(long, value_name = "N", default_value_t = throng::network::Fit::PARENTS)]
    pub parents: usize,
    /// A cell of a row: a value, a label of a level, or a cell of a poset; empty is missing
    #[arg(long, value_name = "COLUMN=CELL")]
    pub given: Vec<String>,
    /// Print the probability of each value of this column in the row
    #[arg(long, value_name = "COLUMN")]
    pub ask: Option<String>,
    #[command(flatten)]
    pub random: PolicySeed,
    #[command(flatten)]
    pub overwrite: Overwrite,
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

/// `throng argus`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng argus policy.toml                              interactive, with suggestions
  throng argus policy.toml --do 'generalize birth 2' --do suppress --out tested.csv
  throng argus policy.toml --json < steps.txt

Commands, one per line: generalize COLUMN [LEVEL], suppress, undo, show, write [FILE],
quit; short forms g, s, u, w, q; a number applies the suggestion with that number.

Only small combinations of columns are tested, so the output is in general NOT
k-anonymous and has no certificate. A verdict is written beside it. The exit code is 0
only if all quasi-identifiers together are k-anonymous; use `throng release` to prove that.")]
pub struct Argus {
    /// Policy file
    pub policy: PathBuf,
    /// Command to run (repeatable); without any, commands are read from standard input
    #[arg(long = "do", value_name = "COMMAND")]
    pub commands: Vec<String>,
    /// Write the final table to this file, with its verdict beside it
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Show the values of rare combinations too; they can identify single people
    #[arg(long)]
    pub values: bool,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}

/// `throng augment`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng augment policy.toml --out fields.csv                           the table itself
  throng augment policy.toml --release release.csv --out released-fields.csv
  throng augment policy.toml --undo released-fields.csv --out release-again.csv

A column zip with labels 02139, 0213 and 021 becomes the fields zip, zip_1 and zip_2. A suppressed field is `*`.
Columns with a poset have no levels and stay as they are.")]
pub struct Augment {
    /// Policy file
    pub policy: PathBuf,
    /// Output table
    #[arg(short, long, value_name = "TABLE")]
    pub out: PathBuf,
    /// Add the columns to this release of the policy instead of its table
    #[arg(long, value_name = "TABLE", conflicts_with = "undo")]
    pub release: Option<PathBuf>,
    /// Remove the columns from this table
    #[arg(long, value_name = "TABLE")]
    pub undo: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: Overwrite,
}

/// `throng synth`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng synth county --rows 100 --out people.csv        a census-like county that does not exist
  throng synth county --show > mine.toml                 its specification, for editing
  throng synth mine.toml --rows 100000 --out people.csv --seed 7

The same specification and seed give the same bytes. Rows from the network of a real
table are not a release: they can equal real rows, and nothing about them is proven.")]
pub struct Synth {
    /// Specification file, or `county`, which is built in
    pub spec: String,
    /// Number of rows
    #[arg(long)]
    pub rows: Option<u64>,
    /// Output CSV file
    #[arg(short, long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub random: Seed,
    /// Print the specification, without generating rows
    #[arg(long)]
    pub show: bool,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}

/// `throng hierarchy`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng hierarchy build icd10 --input patients.csv --column diagnosis --out diagnosis.csv
  throng hierarchy check diagnosis.csv
  throng hierarchy show diagnosis.csv --depth 2")]
pub struct Hierarchy {
    /// What to do with it.
    #[command(subcommand)]
    pub command: HierarchyCommand,
}

/// What to do with a hierarchy.
#[derive(Debug, Subcommand)]
pub enum HierarchyCommand {
    /// Build a hierarchy from the values of a column and write it as an editable file
    #[command(after_help = "Examples:
  throng hierarchy build '{ postal = { keep = [3, 2] } }' --input patients.csv --column zip --out zip.csv
  throng hierarchy build '{ intervals = { widths = [5, 10, 20], low = 0, high = 100 } }' \\
      --input patients.csv --column age")]
    Build {
        /// Hierarchy in policy syntax, e.g. '{ mask = { from = "right" } }' or icd10
        spec: String,
        /// Table
        #[arg(long)]
        input: String,
        /// Column of the table
        #[arg(long)]
        column: String,
        #[command(flatten)]
        layout: Layout,
        /// Output file [default: standard output]
        #[arg(short, long)]
        out: Option<PathBuf>,
        #[command(flatten)]
        overwrite: Overwrite,
        #[command(flatten)]
        output: Output,
    },
    /// Check that the levels of a hierarchy file nest and that it has every value of a column
    #[command(after_help = "Example:\n  throng hierarchy check age.csv --input patients.csv --column age")]
    Check {
        /// Hierarchy file
        file: String,
        /// Table whose values it must have
        #[arg(long, requires = "column")]
        input: Option<String>,
        /// Column of the table
        #[arg(long, requires = "input")]
        column: Option<String>,
        #[command(flatten)]
        layout: Layout,
        #[command(flatten)]
        output: Output,
    },
    /// Turn Hierarchy.xml and Columns.xml of the DSG privacy toolkit into a policy, with its posets
    #[command(after_help = "Example:
  throng hierarchy convert Hierarchy.xml Columns.xml --table patients.csv --write policy.toml

Every MatrixPoset becomes a node file beside the policy. If there is any error, nothing is written.")]
    Convert {
        /// File that declares posets
        hierarchy: String,
        /// File that binds them to the columns of the table
        columns: String,
        /// Table
        #[arg(long)]
        table: String,
        #[command(flatten)]
        layout: Layout,
        /// Output policy
        #[arg(short, long, value_name = "POLICY")]
        write: PathBuf,
        /// k of the policy
        #[arg(short, long, default_value_t = 5, value_parser = at_least_1)]
        k: u64,
        #[command(flatten)]
        overwrite: Overwrite,
    },
    /// Show a hierarchy file as a tree
    #[command(after_help = "Example:\n  throng hierarchy show education.csv --depth 2")]
    Show {
        /// Hierarchy file
        file: String,
        /// Levels to show from the top [default: all; without the values if there are many]
        #[arg(long)]
        depth: Option<usize>,
        #[command(flatten)]
        output: Output,
    },
}
