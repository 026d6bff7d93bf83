//! Arguments of the research commands: explore, compare, screen, network, argus, augment and synth.

use std::path::PathBuf;

use super::values::{at_least_1, positive_seconds};
use super::{Layout, Output, Overwrite, PolicySeed, Seed};

/// `throng screen`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng screen patients.csv --target diagnosis
  throng screen patients.csv --target charges --above 25000
  throng screen patients.csv --target charges --above 25000 --json | jq '.columns[] | select(.keep) | .column'

Mutual information grows with the number of values, so each column is compared with random
columns that have as many values. Rare values are not counted.")]
pub struct Screen {
    /// File, folder of part files, or quoted pattern of several files: CSV, Parquet, JSON, Arrow,
    /// Excel, Stata, SAS or SPSS
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
--out writes results.csv, index.html and a picture; for an experiment also results.md and
a picture of each plot. The first Ctrl-C stops and keeps the results so far. The second
one stops without writing anything.")]
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
    /// Known cell of a row (repeatable): a value, a label of a level, or a cell of a poset; empty
    /// for a missing value
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
