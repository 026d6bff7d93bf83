//! Arguments that several commands have, each with one wording.
//!
//! What stands above these structs are plain comments: clap would take documentation for that of
//! the command which they are part of.

use throng::error::Result;
use throng::policy::{Format, Header, Input};
use throng_engine::{Existing, sniff_as};

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

// How the file of a table is laid out.
#[derive(Debug, clap::Args)]
pub struct Layout {
    /// Column delimiter of a CSV file (detected if omitted)
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<char>,
    /// Format of the file, if its name does not say
    #[arg(long, value_enum)]
    pub format: Option<FileFormat>,
    /// Sheet of a workbook [default: the first one that holds data]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Lines or rows above the header (detected if omitted)
    #[arg(long, value_name = "N")]
    pub skip: Option<usize>,
    /// Text that marks a missing value, such as NA, besides the empty text (repeatable)
    #[arg(long = "null", value_name = "TEXT")]
    pub nulls: Vec<String>,
    /// Whether a CSV file has a header line (if omitted, a first line like data is refused)
    #[arg(long, value_enum)]
    pub header: Option<HeaderLine>,
}

/// The format of a file that is read.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum FileFormat {
    /// Delimited text
    Csv,
    /// Apache Parquet
    Parquet,
    /// JSON objects, one per line or in one array
    Json,
    /// Arrow IPC file
    Arrow,
    /// Workbook: .xlsx, .xls or .ods
    Excel,
    /// Stata .dta
    Stata,
    /// SAS .sas7bdat
    Sas,
    /// SPSS .sav
    Spss,
}

impl FileFormat {
    fn format(self) -> Format {
        match self {
            FileFormat::Csv => Format::Csv,
            FileFormat::Parquet => Format::Parquet,
            FileFormat::Json => Format::Json,
            FileFormat::Arrow => Format::Arrow,
            FileFormat::Excel => Format::Excel,
            FileFormat::Stata => Format::Stata,
            FileFormat::Sas => Format::Sas,
            FileFormat::Spss => Format::Spss,
        }
    }
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
        let mut input = sniff_as(path, self.format.map(FileFormat::format))?;
        self.apply(&mut input);
        Ok(input)
    }

    /// Replaces what is stated here.
    pub fn apply(&self, input: &mut Input) {
        if let Some(delimiter) = self.delimiter {
            input.delimiter = delimiter;
        }
        if self.sheet.is_some() {
            input.sheet.clone_from(&self.sheet);
        }
        if let Some(skip) = self.skip {
            input.skip = skip;
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
