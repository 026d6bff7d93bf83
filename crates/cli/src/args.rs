//! The command line: commands, options and their help texts.

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

Exit codes: 0 done or holds, 1 ran but does not hold, 2 could not run, 70 a bug in
Throng, 130 cancelled. THRONG_PROGRESS=plain writes progress as lines of text."
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create synthetic patients, a policy, a release and a report: start here
    Demo(Demo),
    /// Profile a table and propose roles and hierarchies, with the reason for each
    Inspect(Inspect),
    /// Rank columns by how well they predict a target, compared with random columns
    Screen(Screen),
    /// Find the safe version of a table with the least loss, write it and prove it
    Release(Release),
    /// Check a release against its certificate
    Verify(Verify),
    /// Show the lattice of a policy: safe nodes, their losses, and the chosen node
    Explore(Explore),
    /// Run algorithms over a grid of losses, k and limits; write tables, votes and plots
    Compare(Compare),
    /// Assess re-identification risk: unique combinations of columns, adversaries, population
    /// uniques
    Risk(Risk),
    /// Measure a table that another tool de-identified: losses, privacy models and risk
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
}

impl Command {
    /// Whether `--json` is given.
    pub fn json(&self) -> bool {
        let output = match self {
            Command::Demo(args) => &args.output,
            Command::Inspect(args) => &args.output,
            Command::Screen(args) => &args.output,
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
            Command::Augment(_) | Command::Schema(_) => return false,
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
        #[arg(long, value_name = "FILE.json")]
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
        Ok(0) | Err(_) => Err("k is a whole number from 1".into()),
        Ok(k) => Ok(k),
    }
}

fn at_least_100(text: &str) -> Result<usize, String> {
    let rows: usize = text.parse().map_err(|e| format!("{e}"))?;
    if rows < 100 { Err("there is little to show with fewer than 100 patients".into()) } else { Ok(rows) }
}

/// `throng inspect`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng inspect patients.csv
  throng inspect patients.csv --write policy.toml     a policy that runs unchanged
  throng inspect patients.csv --write policy.json     the same as JSON
  throng inspect 'visits/*.parquet' --json
  throng inspect rows.csv --header none               a file without a header line

Hierarchy files beside the table are found by name: TABLE_hierarchy_COLUMN.csv,
COLUMN_hierarchy.csv or hierarchy_COLUMN.csv.")]
pub struct Inspect {
    /// File, or quoted pattern of several files: CSV, Parquet, newline-delimited JSON or Arrow
    pub input: String,
    /// Write the proposed policy to this file
    #[arg(long, value_name = "POLICY")]
    pub write: Option<PathBuf>,
    /// k of the proposed policy
    #[arg(long, default_value_t = 5, value_parser = at_least_1)]
    pub k: u64,
    /// Maximum share of rows that may be suppressed (0 to 1), in the proposed policy
    #[arg(long, default_value_t = 0.05)]
    pub suppression: f64,
    #[command(flatten)]
    pub layout: Layout,
    /// Show the most frequent values of each column
    #[arg(long)]
    pub top: bool,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub overwrite: Overwrite,
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

/// `throng release`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng release policy.toml
  throng release policy.toml --out shared/release.parquet --seed 7
  throng release policy.toml --json | jq .levels
  throng release wide.toml --seconds 30       the best result in that time, and its gap
  throng release policy.toml --sets private/sets.csv     which rows were put together
  throng release policy.toml --rows private/rows.csv     what each row lost

The first Ctrl-C during the search releases the best found so far. The second one,
and one at any other time, also during verification, stops and leaves nothing behind;
so do SIGTERM and SIGHUP. The exit code is then 130.")]
pub struct Release {
    /// Policy file
    pub policy: PathBuf,
    /// Output file; certificate and report go beside it [default: as in the policy]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub random: PolicySeed,
    /// Release the best found when the search has taken so long
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// For you alone: write the numbers of the input rows that were put together to this file. It
    /// links released rows to people
    #[arg(long, value_name = "FILE.csv")]
    pub sets: Option<PathBuf>,
    /// For you alone: write what each input row lost, and the size of its class, to this file. It
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
        _ => Err("a number of seconds, such as 30 or 0.5, is expected".into()),
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
    #[arg(long)]
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
    #[arg(long, value_name = "FILE")]
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
  throng compare experiments/patients.toml
  THRONG_DATA=/data throng compare experiments/ola.toml --out comparison
  throng compare experiments/patients.toml --json | jq '.rankings[].condorcet'

With --out the folder gets results.csv, results.md, index.html and a picture per
plot. Ctrl-C stops; what was run until then is written and printed. The second
Ctrl-C stops and writes nothing.")]
pub struct Compare {
    /// Experiment file
    pub experiment: PathBuf,
    /// Folder for the results; created if it does not exist
    #[arg(long, value_name = "DIR")]
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
    #[arg(long)]
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
    /// Largest number of columns to combine
    #[arg(long, default_value_t = 4)]
    pub max_size: usize,
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

The policy gives roles, hierarchies and models. Cells are labels of the hierarchies,
intervals, sets, masked values or `*`. Without --key and --same-order, losses that
compare cells with originals are unavailable. Exit code 1 means that a model of the
policy does not hold.")]
pub struct Measure {
    /// Released table, or quoted pattern of several files
    pub release: String,
    /// Original table, in the format of the policy's input
    #[arg(long, value_name = "INPUT")]
    pub original: String,
    /// Policy with roles, hierarchies and models
    #[arg(long)]
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
    /// For you alone: write what each original row lost, and the size of its class, to this file. It
    /// links released rows to people
    #[arg(long, value_name = "FILE.csv")]
    pub rows: Option<PathBuf>,
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
  throng network policy.toml --given zip=02139 --given sex=F        how likely such a row is

Uses quasi-identifiers, targets and sensitive columns. An edge is kept if it makes the
description of the table shorter (BIC). A quarter of the rows is held out to test the result.
An answer to --given and --ask quotes values of the table.")]
pub struct Network {
    /// Policy file
    pub policy: PathBuf,
    /// Write a picture to this file
    #[arg(long, value_name = "FILE.svg")]
    pub out: Option<PathBuf>,
    /// Most columns that a level of a column depends on
    #[arg(long, value_name = "N", default_value_t = throng::network::Fit::PARENTS)]
    pub parents: usize,
    /// A cell of a row: a value, a label of a level, or a cell of a poset; empty is missing
    #[arg(long, value_name = "COLUMN=CELL")]
    pub given: Vec<String>,
    /// Print how likely the values of this column are in the row
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
    #[arg(long, value_name = "FILE")]
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
    #[arg(long, value_name = "TABLE")]
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
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub random: Seed,
    /// Print the specification and make up nothing
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
        /// The file to write; default: standard output
        #[arg(long)]
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
        /// The policy to write
        #[arg(long, value_name = "POLICY")]
        write: PathBuf,
        /// k of the policy
        #[arg(long, default_value_t = 5, value_parser = at_least_1)]
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
