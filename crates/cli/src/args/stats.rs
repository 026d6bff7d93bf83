//! Arguments of `throng stats`.

use std::path::PathBuf;

use super::{Layout, Output, Overwrite, Seed};

/// `throng stats`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng stats release.csv
  throng stats release.csv --policy policy.toml --column age --column income
  throng stats release.csv --domain age=0..120 --suppressed 12 --json | jq .age.mean
  throng stats release.csv --by sex --column age                 two groups are compared, too
  throng stats release.csv --pairs --page statistics.html
  throng stats release.csv --regress 'bp ~ age + weight' --cross sex,smoker
  throng stats release.csv --policy policy.toml --impute filled.csv --imputations 10

Every statistic is a low and a high. The statistic of the original lies between them, whichever
values are behind the cells. Sharp bounds cannot be narrowed without more knowledge; an enclosure is
guaranteed, but may be wider than need be. The policy says what labels of a hierarchy mean; its
certificate, or --suppressed, how many rows the release left out.")]
pub struct Stats {
    /// Released table, or quoted pattern of several files
    pub release: String,
    /// Policy of the release: meaning of labels, and rows that were left out
    #[arg(short, long)]
    pub policy: Option<PathBuf>,
    /// Certificate of the release, which states the rows of the original [default: as in the
    /// policy]
    #[arg(long, value_name = "FILE.json")]
    pub certificate: Option<PathBuf>,
    /// Column to compute statistics of (repeatable) [default: all columns of numbers and dates]
    #[arg(long = "column", value_name = "COLUMN")]
    pub columns: Vec<String>,
    /// Column whose released cells form groups (repeatable)
    #[arg(long, value_name = "COLUMN")]
    pub by: Vec<String>,
    /// Column with the number of rows that each row counts as
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// Least and greatest possible value of a column, such as age=0..120 or
    /// born=1900-01-01..2020-12-31 (repeatable): what
    /// suppressed cells and open intervals can be
    #[arg(long, value_name = "COLUMN=LOW..HIGH")]
    pub domain: Vec<String>,
    /// Rows of the original that the release left out [default: as the certificate states, or 0]
    #[arg(long, value_name = "N")]
    pub suppressed: Option<u64>,
    /// Empty cells were suppressed, as `throng argus` writes them: they can be any value of the
    /// domain
    #[arg(long)]
    pub blanks: bool,
    /// Share of rows above this value (repeatable)
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub exceeds: Vec<f64>,
    /// Confidence level of the limits of the mean
    #[arg(long, default_value_t = 0.95)]
    pub level: f64,
    /// Covariance and correlations of all pairs of columns
    #[arg(long)]
    pub pairs: bool,
    /// Linear regression, such as 'bp ~ age + weight' (repeatable)
    #[arg(long, value_name = "OUTCOME ~ COLUMN + …")]
    pub regress: Vec<String>,
    /// Logistic regression of a column of 0 and 1 (repeatable)
    #[arg(long, value_name = "OUTCOME ~ COLUMN + …")]
    pub logistic: Vec<String>,
    /// Cross table of two columns with bounds of chi squared, such as sex,smoker (repeatable)
    #[arg(long, value_name = "A,B")]
    pub cross: Vec<String>,
    /// Imputations for an estimate of the mean within the cells [default: 5 with --impute]
    #[arg(long, value_name = "M", default_value_t = 0)]
    pub imputations: usize,
    /// Write the release with its open cells filled within their bounds, once per imputation, to
    /// this file; filled cells are marked
    #[arg(long, value_name = "FILE.csv")]
    pub impute: Option<PathBuf>,
    /// Write an HTML page with a p-box of every column to this file
    #[arg(long, value_name = "FILE.html")]
    pub page: Option<PathBuf>,
    #[command(flatten)]
    pub random: Seed,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}
