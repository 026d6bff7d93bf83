//! Arguments of the command for free text outside of releases.

use std::path::PathBuf;

use super::values::{named_pattern, share};
use super::{Layout, Output, Overwrite};

/// `throng scrub`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng scrub letter.txt                             the scrubbed text, on standard output
  throng scrub letters/ --out scrubbed                a folder, with its layout
  throng scrub letters/ --out scrubbed --key-file secret.key --page review.html
  throng scrub notes.csv --column note --out scrubbed
  pdftotext letter.pdf - | throng scrub - --mode tag
  throng scrub letter.txt --json | jq '.files[].spans[] | [.kind, .certainty, .detector]'

Reads plain text and Markdown, HTML and RTF (written as text), HL7 v2 messages and FHIR resources.
Of messages and resources, texts and observations are kept, and everything else is removed. No
program finds everything: look at the page before passing texts on.

To release a table with a column of texts, use `throng release`: there the row is known, and a text
says no more than its row.")]
pub struct Scrub {
    /// Files, folders, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<String>,
    /// Output folder
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What takes the place of what is found
    #[arg(long, value_enum, default_value_t = ScrubMode::Surrogate)]
    pub mode: ScrubMode,
    /// How certain a finding must be to be replaced (0 to 1); less certain ones are suppressed
    #[arg(long, default_value_t = 0.7, value_parser = share)]
    pub threshold: f64,
    /// What is left of dates
    #[arg(long, value_enum, default_value_t = ScrubDates::Month)]
    pub dates: ScrubDates,
    /// Read 03/04/2024 as 3 April
    #[arg(long)]
    pub day_first: bool,
    /// File with a key that makes surrogates the same in all documents
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// File of words to replace, one per line (repeatable)
    #[arg(long = "list", value_name = "FILE")]
    pub lists: Vec<PathBuf>,
    /// File of words to keep, one per line (repeatable)
    #[arg(long = "safe", value_name = "FILE")]
    pub safe: Vec<PathBuf>,
    /// Regular expression of what to replace, with a name for tags (repeatable)
    #[arg(long = "pattern", value_name = "NAME=REGEX", value_parser = named_pattern)]
    pub patterns: Vec<(String, String)>,
    /// Scrub this column of a table, and write only it (repeatable)
    #[arg(long = "column", value_name = "NAME")]
    pub columns: Vec<String>,
    /// Encoding of documents without a byte-order mark
    #[arg(long, value_enum, default_value_t = TextEncoding::Utf8)]
    pub encoding: TextEncoding,
    /// Write an HTML page with every text beside its scrubbed form to this file. Keep it secret: it
    /// shows what was removed
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    /// Leave out documents that cannot be scrubbed, such as pictures, instead of refusing all
    #[arg(long)]
    pub skip_unreadable: bool,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub output: Output,
    #[command(flatten)]
    pub overwrite: Overwrite,
}

/// What takes the place of what is found.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum ScrubMode {
    /// Made-up values of the same kind
    Surrogate,
    /// The kind with a number: [PERSON 1]
    Tag,
    /// ***
    Mask,
}

/// What is left of dates.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum ScrubDates {
    /// Month and year
    Month,
    /// Year
    Year,
}

/// How documents are encoded.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum TextEncoding {
    /// UTF-8
    #[value(name = "utf-8")]
    Utf8,
    /// Windows-1252, with ISO 8859-1
    #[value(name = "latin-1")]
    Latin1,
    /// UTF-16
    #[value(name = "utf-16")]
    Utf16,
}
