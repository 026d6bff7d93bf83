//! The command line: commands, options and their help texts.

mod attack;
mod documents;
mod evaluate;
mod everyday;
pub mod help;
mod installation;
mod ledger;
mod policies;
mod research;
mod shared;
mod stats;
#[cfg(test)]
mod tests;
mod values;

use clap::{Parser, Subcommand};

pub use attack::{Attack, AttackAll, Attacked, Chosen, LinkAttack};
pub use documents::{Scrub, ScrubDates, ScrubMode, TextEncoding};
pub use evaluate::Evaluate;
pub use everyday::{
    DEFAULT_K, DEFAULT_SUPPRESSION, DateOrder, Demo, Inspect, Measure, Missing, Release, Risk, Suggest,
    Verify, YesNo,
};
pub use installation::{Completions, Man};
pub use ledger::{Key, KeyCommand, Ledger, LedgerCommand};
pub use policies::{Hierarchy, HierarchyCommand, Policy, PolicyCommand, Schema};
pub use research::{Argus, Augment, Compare, Explore, Network, Screen, Synth};
pub use shared::{Layout, Output, Overwrite, PolicySeed, Seed};
pub use stats::Stats;

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
    /// Do not show progress
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
    /// Show, check or export the record of earlier releases
    Ledger(Ledger),
    /// Make, rotate or revoke a key that signs certificates
    Key(Key),
    /// Replace what identifies people in letters and notes
    Scrub(Scrub),
    /// Show the lattice of a policy: safe nodes, their losses, and the chosen node
    Explore(Explore),
    /// Compare methods and k on the table of a policy, or run the grid of an experiment
    Compare(Compare),
    /// Assess the re-identification risk of a table
    Risk(Risk),
    /// Attack a release as an outsider would, and compare with a control
    Attack(Attack),
    /// Measure loss, privacy and risk of a table that another tool de-identified
    Measure(Measure),
    /// Compute statistics of a release, with bounds that hold for the original
    Stats(Stats),
    /// Show what models still learn from releases, by method and k, and which loss predicts it
    Evaluate(Evaluate),
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
            Command::Ledger(args) => args.command.output(),
            Command::Key(args) => args.command.output(),
            Command::Scrub(args) => &args.output,
            Command::Explore(args) => &args.output,
            Command::Compare(args) => &args.output,
            Command::Risk(args) => &args.output,
            Command::Attack(args) => args.command.output(),
            Command::Measure(args) => &args.output,
            Command::Stats(args) => &args.output,
            Command::Evaluate(args) => &args.output,
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
