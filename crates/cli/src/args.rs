//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Release data about people without releasing the people.
#[derive(Debug, Parser)]
#[command(
    name = "throng",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "\
Start here:
  throng demo                              made-up patients, a policy, a release and its report
  throng inspect patients.csv --write policy.toml
  throng release policy.toml
  throng verify release.csv --policy policy.toml --original patients.csv

Exit codes: 0 done or holds, 1 ran but does not hold, 2 could not run."
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Sample data, policy, release and report: the first thing to run
    Demo(Demo),
    /// Profile a table; propose roles and hierarchies, with the reason for each
    Inspect(Inspect),
    /// Tell which columns are worth keeping: what each tells of a target, beside a random column
    Screen(Screen),
    /// Find the least distorted safe version of a table, write it and prove it
    Release(Release),
    /// Prove a release again, or say which claim does not hold
    Verify(Verify),
    /// Show the lattice of a policy: which nodes are safe, what they lose, which is chosen
    Explore(Explore),
    /// Run algorithms over a grid of losses, k and limits; tables, votes and plots
    Compare(Compare),
    /// How recognizable the people in a table are: combinations of columns, adversaries, population uniques
    Risk(Risk),
    /// Show which columns of a table predict which, as a Bayesian network that starts from the hierarchies
    Network(Network),
    /// Generalize, suppress and look again, by hand: small combinations of columns as mu-Argus tests them
    Argus(Argus),
    /// A field for every level of every column, so that generalizing is suppressing fields; and back
    Augment(Augment),
    /// Make up a table: columns from distributions, or all of them from the network of a table
    Synth(Synth),
    /// Build, check or show how a column's values generalize
    Hierarchy(Hierarchy),
}

/// `throng demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  throng demo /tmp/demo --rows 50000")]
pub struct Demo {
    /// The folder to write to
    #[arg(default_value = "throng-demo")]
    pub folder: PathBuf,
    /// How many patients to make up: 100 or more
    #[arg(long, default_value_t = 50_000, value_parser = at_least_100)]
    pub rows: usize,
    /// The seed of the patients
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print the release as JSON
    #[arg(long)]
    pub json: bool,
    /// Write over files that are there and not the demo's
    #[arg(long)]
    pub force: bool,
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
  throng inspect patients.csv --write policy.toml     a policy that runs as it is
  throng inspect 'visits/*.parquet' --json

Hierarchy files beside the table are found by name: TABLE_hierarchy_COLUMN.csv,
COLUMN_hierarchy.csv or hierarchy_COLUMN.csv.")]
pub struct Inspect {
    /// A file, or a quoted pattern of several: CSV, Parquet, newline JSON or Arrow
    pub input: String,
    /// Write the proposed policy here
    #[arg(long, value_name = "POLICY")]
    pub write: Option<PathBuf>,
    /// The k of the proposed policy
    #[arg(long, default_value_t = 5, value_parser = at_least_1)]
    pub k: u64,
    /// The share of rows that the proposed policy lets be suppressed
    #[arg(long, default_value_t = 0.05)]
    pub suppression: f64,
    /// The character between cells; found by looking when not given
    #[arg(long)]
    pub delimiter: Option<char>,
    /// A text that means that a cell is missing; may be given several times
    #[arg(long = "null", value_name = "TEXT")]
    pub nulls: Vec<String>,
    /// Show the most frequent values of each column
    #[arg(long)]
    pub top: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Replace the policy file if there is one
    #[arg(long)]
    pub force: bool,
}

/// `throng screen`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng screen patients.csv --target diagnosis
  throng screen patients.csv --target charges --above 25000
  throng screen patients.csv --target charges --above 25000 --json | jq '.columns[] | select(.keep) | .column'

A column with many values seems to tell more than it does; so each is compared with random
columns that have as many. Values with few rows are not counted.")]
pub struct Screen {
    /// A file, or a quoted pattern of several: CSV, Parquet, newline JSON or Arrow
    pub input: String,
    /// The column that the others are to tell of
    #[arg(long, value_name = "COLUMN")]
    pub target: String,
    /// Take for the target whether its number is above this
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub above: Option<f64>,
    /// Values with fewer rows than these are not counted
    #[arg(long, default_value_t = 6)]
    pub rare: u64,
    /// Random columns for each column
    #[arg(long, default_value_t = 10)]
    pub runs: u32,
    /// The ratio below which a column is not worth keeping
    #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
    pub threshold: f64,
    /// The seed of the random columns
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The character between cells; found by looking when not given
    #[arg(long)]
    pub delimiter: Option<char>,
    /// A text that means that a cell is missing; may be given several times
    #[arg(long = "null", value_name = "TEXT")]
    pub nulls: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `throng release`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng release policy.toml
  throng release policy.toml --out shared/release.parquet --seed 7
  throng release policy.toml --json | jq .levels
  throng release wide.toml --seconds 30       the best found in that time, and how far from optimal

Ctrl-C during the search releases the best found so far; at any other time, and
the second time, it stops and leaves nothing behind.")]
pub struct Release {
    /// The policy
    pub policy: PathBuf,
    /// Where the release goes, with certificate and report beside it, instead of where the policy says
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What runs it: `embedded` is this process
    #[arg(long, default_value = "embedded", value_parser = ["embedded"])]
    pub engine: String,
    /// The seed of the row order, instead of the policy's
    #[arg(long)]
    pub seed: Option<u64>,
    /// Release the best found when the search has taken so long
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A time that can be waited.
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

Without --original the privacy claims, the shape and the digests are proven again;
with it also that every cell is a true generalization of its source, and every loss.")]
pub struct Verify {
    /// The released table
    pub release: PathBuf,
    /// The policy it was released under
    #[arg(long)]
    pub policy: PathBuf,
    /// The table it was made from; laid out as the policy's input
    #[arg(long, value_name = "INPUT")]
    pub original: Option<String>,
    /// Its certificate; default: where the policy says, or beside the release
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `throng explore`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng explore policy.toml
  throng explore policy.toml --out lattice.html         a page with a picture of it
  throng explore policy.toml --around 2                 only what is near the chosen node
  throng explore policy.toml --json | jq '.nodes[] | select(.minimal) | .levels'

Every node is looked at, so a lattice of more than 200,000 is refused. Exit code 1
means that no node is safe. Ctrl-C stops, and nothing is written.")]
pub struct Explore {
    /// The policy
    pub policy: PathBuf,
    /// Write a page with the picture here
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Only nodes at most so many steps from the chosen one
    #[arg(long, value_name = "STEPS")]
    pub around: Option<u32>,
    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `throng compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng compare experiments/patients.toml
  THRONG_DATA=/data throng compare experiments/ola.toml --out comparison
  throng compare experiments/patients.toml --json | jq '.rankings[].condorcet'

With --out the folder gets results.csv, results.md, index.html and a picture per
plot. Ctrl-C stops; what was run until then is written and printed.")]
pub struct Compare {
    /// The experiment
    pub experiment: PathBuf,
    /// The folder for the results; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write over results that are there and not a comparison's
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `throng risk`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng risk patients.csv --qi birth_date,sex,zip
  throng risk patients.csv --qi age,sex,zip --population 8000000
  throng risk release.csv --policy policy.toml --json
  throng risk release.csv --certificate certificate.json --report risk.html

The population is the number of people whom the table could have been about, or a
table that holds them all.")]
pub struct Risk {
    /// A file, or a quoted pattern of several: CSV, Parquet, newline JSON or Arrow
    pub input: String,
    /// The columns that somebody else may know, parted by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub qi: Vec<String>,
    /// A policy that names the quasi-identifiers, for instance that of a release
    #[arg(long)]
    pub policy: Option<PathBuf>,
    /// The certificate of a release, which names its quasi-identifiers and says whether suppressed rows are in it
    #[arg(long, value_name = "FILE.json")]
    pub certificate: Option<PathBuf>,
    /// How many people the table was drawn from, or a table of them
    #[arg(long, value_name = "N|FILE", allow_negative_numbers = true, conflicts_with_all = ["weights", "fraction"])]
    pub population: Option<String>,
    /// A column that says how many people each row stands for
    #[arg(long, value_name = "COLUMN", conflicts_with = "fraction")]
    pub weights: Option<String>,
    /// The share of the population that is in the table
    #[arg(long, allow_negative_numbers = true)]
    pub fraction: Option<f64>,
    /// The most columns of a combination
    #[arg(long, default_value_t = 4)]
    pub max_size: usize,
    /// The risk above which a row counts as at risk
    #[arg(long, default_value_t = 0.2, allow_negative_numbers = true)]
    pub threshold: f64,
    /// What a missing cell means; default: what the policy says, or a value of its own
    #[arg(long, value_enum)]
    pub missing: Option<Missing>,
    /// Write a page with charts here
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// The seed of the intervals
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The character between cells; found by looking when not given
    #[arg(long)]
    pub delimiter: Option<char>,
    /// A text that means that a cell is missing; may be given several times
    #[arg(long = "null", value_name = "TEXT")]
    pub nulls: Vec<String>,
    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `throng network`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng network policy.toml
  throng network policy.toml --out network.svg          a picture of it
  throng network policy.toml --json | jq '.edges[] | [.from, .to, .gain]'

Quasi-identifiers, targets and sensitive columns take part. A quarter of the rows is kept
aside: an edge stays where it predicts them better.")]
pub struct Network {
    /// The policy
    pub policy: PathBuf,
    /// Write a picture here
    #[arg(long, value_name = "FILE.svg")]
    pub out: Option<PathBuf>,
    /// Which rows are kept aside; default: the policy's seed
    #[arg(long)]
    pub seed: Option<u64>,
    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What a missing cell means.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Missing {
    /// One more value
    Value,
    /// It matches everything
    Wildcard,
    /// Its row is left out
    Suppress,
}

/// `throng argus`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng argus policy.toml                              by hand, with suggestions
  throng argus policy.toml --do 'generalize birth 2' --do suppress --out tested.csv
  throng argus policy.toml --json < steps.txt

Commands, one a line: generalize COLUMN [LEVEL], suppress, undo, show, write [FILE],
quit; in short g, s, u, w, q, and a number to do what a suggestion says.

Only small combinations of columns are tested, so what is written is in general NOT
k-anonymous and has no certificate: its verdict lies beside it, and the exit code is 0
only where all quasi-identifiers together are k-anonymous. `throng release` proves that.")]
pub struct Argus {
    /// The policy
    pub policy: PathBuf,
    /// A command; may be given several times. Without any, commands are read from standard input
    #[arg(long = "do", value_name = "COMMAND")]
    pub commands: Vec<String>,
    /// Write the table here in the end, with its verdict beside it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Show the values of rare combinations too: they can be those of single people
    #[arg(long)]
    pub values: bool,
    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
    /// The policy
    pub policy: PathBuf,
    /// The table to write
    #[arg(long, value_name = "TABLE")]
    pub out: PathBuf,
    /// A release of the policy to add fields to, instead of its table
    #[arg(long, value_name = "TABLE", conflicts_with = "undo")]
    pub release: Option<PathBuf>,
    /// A table with fields to take them away from
    #[arg(long, value_name = "TABLE")]
    pub undo: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,
}

/// `throng synth`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng synth county --rows 100 --out people.csv        a census-like county that does not exist
  throng synth county --show > mine.toml                 its specification, to change it
  throng synth mine.toml --rows 100000 --out people.csv --seed 7

The same specification and seed give the same bytes. Rows from the network of a real
table are no release: they can be like real rows, and nothing is proven of them.")]
pub struct Synth {
    /// A specification: a file, or `county`, which comes with the program
    pub spec: String,
    /// How many rows
    #[arg(long)]
    pub rows: Option<u64>,
    /// The CSV file to write
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// The seed of the rows
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print the specification and make up nothing
    #[arg(long)]
    pub show: bool,
    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
    /// Build a hierarchy from a table's values and write it as a file that can be edited
    #[command(after_help = "Examples:
  throng hierarchy build '{ postal = { keep = [3, 2] } }' --input patients.csv --column zip --out zip.csv
  throng hierarchy build '{ intervals = { widths = [5, 10, 20], low = 0, high = 100 } }' \\
      --input patients.csv --column age")]
    Build {
        /// The hierarchy as a policy writes it, e.g. '{ mask = { from = "right" } }' or icd10
        spec: String,
        /// The table
        #[arg(long)]
        input: String,
        /// Its column
        #[arg(long)]
        column: String,
        /// The file to write; default: standard output
        #[arg(long)]
        out: Option<PathBuf>,
        /// Write over a file that is there
        #[arg(long)]
        force: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a hierarchy file: levels nest, and every value of a table's column is there
    #[command(after_help = "Example:\n  throng hierarchy check age.csv --input patients.csv --column age")]
    Check {
        /// The hierarchy file
        file: String,
        /// A table whose values it should have
        #[arg(long, requires = "column")]
        input: Option<String>,
        /// The table's column
        #[arg(long, requires = "input")]
        column: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Turn Hierarchy.xml and Columns.xml of the DSG privacy toolkit into a policy, with its posets
    #[command(after_help = "Example:
  throng hierarchy convert Hierarchy.xml Columns.xml --table patients.csv --write policy.toml

Every MatrixPoset becomes a file of nodes beside the policy. Nothing is written when anything is wrong.")]
    Convert {
        /// The file that declares posets
        hierarchy: String,
        /// The file that binds them to the columns of the table
        columns: String,
        /// The table
        #[arg(long)]
        table: String,
        /// The policy to write
        #[arg(long, value_name = "POLICY")]
        write: PathBuf,
        /// The k of the policy
        #[arg(long, default_value_t = 5, value_parser = at_least_1)]
        k: u64,
        /// Replace files that are there
        #[arg(long)]
        force: bool,
    },
    /// Show a hierarchy file as a tree
    #[command(after_help = "Example:\n  throng hierarchy show education.csv --depth 2")]
    Show {
        /// The hierarchy file
        file: String,
        /// Levels to show from the top; default: all but the values themselves when there are many
        #[arg(long)]
        depth: Option<usize>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
