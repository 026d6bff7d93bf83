//! Arguments of `throng evaluate`.

use std::path::PathBuf;

use super::values::{at_least_1, positive_seconds};
use super::{Output, Overwrite, Seed};

/// `throng evaluate`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng evaluate policy.toml                              the policy has a column of role target
  throng evaluate policy.toml --target readmitted --by sex
  throng evaluate policy.toml --k 2,5,10,25 --method all --repeats 3 --out evaluation.html
  throng evaluate policy.toml --model logistic,boosting --seconds 60
  throng evaluate policy.toml --json | jq '.correlations[] | [.measure, .scores.auc.spearman]'

Some rows are held out. The others are de-identified as the policy decides, for every method and
k. Models learn from each release and from the original rows, and are tested on the held-out rows
as they were. Nothing is released. Ctrl-C stops and shows the results so far.")]
pub struct Evaluate {
    /// Policy file
    pub policy: PathBuf,
    /// Column to predict [default: the policy's target]
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,
    /// Column whose values form groups: scores are also shown for each
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,
    /// k to try, separated by commas [default: 2, 5, 10, 20, 50 and that of the policy]
    #[arg(long, value_name = "K,K,…", value_delimiter = ',', value_parser = at_least_1)]
    pub k: Vec<u64>,
    /// Methods to try, separated by commas: algorithms, NAME+local, NAME:LOSS, or all [default:
    /// that of the policy, mondrian and auto]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub method: Vec<String>,
    /// Models, separated by commas: naive-bayes, logistic, linear, tree, forest, boosting
    /// [default: all that predict the target]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub model: Vec<String>,
    /// Share of rows to hold out; of people, if the policy has a subject
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    pub holdout: f64,
    /// Number of times that other rows are held out; results are means
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeats: u32,
    /// Also select a model for every release by cross-validation, within this number of seconds
    #[arg(long, value_name = "N", value_parser = positive_seconds)]
    pub seconds: Option<f64>,
    /// Write an HTML page with plots to this file
    #[arg(short, long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub random: Seed,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}
