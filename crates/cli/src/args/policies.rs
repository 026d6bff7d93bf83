//! Arguments of the commands about policies and hierarchies.

use std::path::PathBuf;

use clap::Subcommand;

use super::values::at_least_1;
use super::{Layout, Output, Overwrite};

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
