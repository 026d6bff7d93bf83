//! Arguments of the commands about the ledger of releases and about signing keys.

use std::path::PathBuf;

use clap::Subcommand;

use super::{Output, Overwrite};

/// `throng ledger`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng ledger show policy.toml
  throng ledger check policy.toml
  throng ledger export policy.toml --out who-received-what.html")]
pub struct Ledger {
    /// What to do with it.
    #[command(subcommand)]
    pub command: LedgerCommand,
}

/// What to do with a ledger.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// List the releases and keys of a ledger
    #[command(after_help = "Example:
  throng ledger show policy.toml --json | jq '.entries[].recipient'")]
    Show {
        /// Policy file whose [ledger] names the ledger
        policy: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Check that nobody changed a ledger, and what its releases reveal together
    #[command(after_help = "Example:
  throng ledger check policy.toml

Exit code 1 means that the chain is broken, or that somebody has fewer candidates than promised.")]
    Check {
        /// Policy file whose [ledger] names the ledger
        policy: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Write a ledger as JSON, or who received what as a drawing
    #[command(after_help = "Examples:
  throng ledger export policy.toml --out ledger.json
  throng ledger export policy.toml --out who-received-what.svg

The digests of people are not exported.")]
    Export {
        /// Policy file whose [ledger] names the ledger
        policy: PathBuf,
        /// Output file: .json, .svg or .html
        #[arg(short, long, value_name = "FILE")]
        out: PathBuf,
        #[command(flatten)]
        overwrite: Overwrite,
        #[command(flatten)]
        output: Output,
    },
}

/// `throng key`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng key new signing.key
  throng key rotate policy.toml --from signing.key --to new.key.pub
  throng key revoke policy.toml signing.key.pub --reason \"the laptop was stolen\"")]
pub struct Key {
    /// What to do with it.
    #[command(subcommand)]
    pub command: KeyCommand,
}

/// What to do with a key.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key pair: NAME is the private key, NAME.pub the public one
    #[command(after_help = "Example:
  throng key new signing.key

Give the public key to recipients. Only you may read the private key, and it is never overwritten.")]
    New {
        /// File of the private key
        name: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Record in the ledger that another key follows a key
    #[command(after_help = "Example:
  throng key rotate policy.toml --from signing.key --to new.key.pub")]
    Rotate {
        /// Policy file whose [ledger] names the ledger
        policy: PathBuf,
        /// The old private key
        #[arg(long, value_name = "PRIVATE")]
        from: PathBuf,
        /// The new public key
        #[arg(long, value_name = "PUBLIC")]
        to: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Record in the ledger that a key must not be trusted any more
    #[command(after_help = "Example:
  throng key revoke policy.toml signing.key.pub --reason \"the laptop was stolen\"")]
    Revoke {
        /// Policy file whose [ledger] names the ledger
        policy: PathBuf,
        /// The public key
        key: PathBuf,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        output: Output,
    },
}

impl LedgerCommand {
    /// How results are printed.
    pub fn output(&self) -> &Output {
        match self {
            LedgerCommand::Show { output, .. }
            | LedgerCommand::Check { output, .. }
            | LedgerCommand::Export { output, .. } => output,
        }
    }
}

impl KeyCommand {
    /// How results are printed.
    pub fn output(&self) -> &Output {
        match self {
            KeyCommand::New { output, .. }
            | KeyCommand::Rotate { output, .. }
            | KeyCommand::Revoke { output, .. } => output,
        }
    }
}
