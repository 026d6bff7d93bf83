//! Arguments that several commands have, each with one wording.
//!
//! What stands above these structs are plain comments: clap would take documentation for that of
//! the command which they are part of.

use throng::error::Result;
use throng::policy::{Header, Input};
use throng_engine::{Existing, sniff};

// How results are printed.
#[derive(Debug, clap::Args)]
pub struct Output {
    /// Print JSON; errors as JSON on standard error
    #[arg(short, long)]
    pub json: bool,
}

// What becomes of files that exist.
#[derive(Debug, clap::Args)]
pub struct Overwrite {
    /// Overwrite files that exist
    #[arg(short, long)]
    pub force: bool,
}

impl Overwrite {
    pub fn existing(&self) -> Existing {
        Existing::by(self.force)
    }
}

// The seed of everything that a command draws.
#[derive(Debug, clap::Args)]
pub struct Seed {
    /// Seed of the random numbers: the same seed gives the same result
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

// The seed of a command whose policy has one.
#[derive(Debug, clap::Args)]
pub struct PolicySeed {
    /// Seed of the random numbers, in place of the policy's search.seed
    #[arg(long)]
    pub seed: Option<u64>,
}

// How a CSV file is laid out.
#[derive(Debug, clap::Args)]
pub struct Layout {
    /// Column delimiter of a CSV file (detected if omitted)
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<char>,
    /// Text that marks a missing value, such as NA, besides the empty text (repeatable)
    #[arg(long = "null", value_name = "TEXT")]
    pub nulls: Vec<String>,
    /// Whether a CSV file has a header line (if omitted, a first line like data is refused)
    #[arg(long, value_enum)]
    pub header: Option<HeaderLine>,
}

/// What the first line of a CSV file holds.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum HeaderLine {
    /// The first line holds the column names, even if they look like data
    FirstLine,
    /// There is no header line; columns are named column_1, column_2, …
    None,
}

impl Layout {
    /// How a table is laid out: as stated here, and otherwise as its beginning suggests.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(&self, path: &str) -> Result<Input> {
        let mut input = sniff(path)?;
        self.apply(&mut input);
        Ok(input)
    }

    /// Replaces what is stated here.
    pub fn apply(&self, input: &mut Input) {
        if let Some(delimiter) = self.delimiter {
            input.delimiter = delimiter;
        }
        if !self.nulls.is_empty() {
            input.null = std::iter::once(String::new()).chain(self.nulls.iter().cloned()).collect();
        }
        if let Some(header) = self.header {
            input.header = Some(match header {
                HeaderLine::FirstLine => Header::FirstLine,
                HeaderLine::None => Header::None,
            });
        }
    }
}
