//! An experiment: the tables, and the grid of algorithms, losses, k, suppression limits and sample
//! sizes to run on each. One TOML file without data.
//!
//! As strict as a policy: unknown keys and names, empty lists and duplicate values are errors, all
//! reported at once with their position in the text.

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::contender::Contender;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::policy::{Aggregate, LossSpec, Predicts, grammar_fault, locate};
use crate::registry::Predictor;

/// What is to be compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The version of this format: 1.
    pub version: u32,
    /// The tables; the whole grid runs on each.
    pub tables: Vec<TableSpec>,
    /// What is run.
    pub grid: Grid,
    /// What a model is to predict from the released rows; default: nothing.
    #[serde(default)]
    pub prediction: Option<Prediction>,
    /// Which part of it is drawn; default: all.
    #[serde(default)]
    pub plots: Plots,
}

/// What a model is to predict from the released rows.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// The column that is predicted: numbers, or two classes.
    pub target: String,
    /// Whether it holds numbers or classes; default: numbers if all its cells are numbers.
    #[serde(default)]
    pub predicts: Option<Predicts>,
    /// The built-in model; `linear` by default, unless there is a command.
    #[serde(default)]
    pub model: Option<String>,
    /// A program and its arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// How long the command may take for one batch of rows, in seconds; default
    /// [`SECONDS`](crate::policy::SECONDS).
    #[serde(default)]
    pub seconds: Option<u64>,
    /// The quasi-identifiers that it is predicted from; default: all.
    #[serde(default)]
    pub features: Option<Vec<String>>,
    /// How many rows, none of them of the sample, a built-in model is fitted to.
    #[serde(default)]
    pub train: Option<u64>,
}

/// The model that predicts where an experiment names none.
pub const LINEAR: &str = "linear";

impl Prediction {
    /// The built-in model; none where a command predicts.
    pub fn builtin(&self) -> Option<&str> {
        self.command.is_empty().then(|| self.model.as_deref().unwrap_or(LINEAR))
    }
}

/// A table of an experiment: one that a policy describes, or a made-up one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Its name in results.
    pub name: String,
    /// The policy that says where the table is, what its columns are and how they generalize; its
    /// k, suppression, loss and algorithm are the grid's.
    #[serde(default)]
    pub policy: Option<String>,
    /// The folder that the policy's paths are relative to; default: that of the policy.
    #[serde(default)]
    pub folder: Option<String>,
    /// The kind of synthetic table.
    #[serde(default)]
    pub synth: Option<Synth>,
    /// How many rows to make up.
    #[serde(default)]
    pub rows: Option<u64>,
    /// The seed of synthetic rows; default 1.
    #[serde(default)]
    pub seed: Option<u64>,
}

/// A kind of synthetic table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Synth {
    /// The patients of the demonstration, with its hierarchies and limits.
    Patients,
    /// Nine skewed, independent columns.
    Skewed,
    /// Inpatients with next year's cost, and the columns that it depends on.
    Hospital,
    /// The same with columns that it does not depend on.
    HospitalAll,
}

/// Every combination of these is run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The searches, and methods that form regions; with `+local` behind its name a search goes on
    /// with the rows that it leaves unsafe, and `greedy+model` is guided by a model.
    pub algorithms: Vec<String>,
    /// The losses that they make small.
    pub losses: Vec<LossSpec>,
    /// The k.
    pub k: Vec<u64>,
    /// The shares of rows that may be suppressed.
    pub suppression: Vec<f64>,
    /// Rows per sample; default: the whole table.
    #[serde(default = "whole")]
    pub sizes: Vec<Size>,
    /// How many samples of each size, and runs on the whole table of algorithms that draw lots;
    /// default 1.
    #[serde(default = "once")]
    pub repeats: u32,
    /// The seed of the samples; default 0.
    #[serde(default)]
    pub seed: u64,
    /// Whether to compute the node-complexity score, which runs every search a second time; default
    /// yes.
    #[serde(default = "yes")]
    pub score: bool,
}

fn whole() -> Vec<Size> {
    vec![Size::All]
}

fn once() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// The part of the grid that is drawn.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plots {
    /// Losses, as results call them; default: all.
    #[serde(default)]
    pub losses: Option<Vec<String>>,
    /// Shares of rows that may be suppressed; default: all.
    #[serde(default)]
    pub suppression: Option<Vec<f64>>,
}

/// How many rows of a table take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// A sample of this many rows.
    Rows(u64),
    /// All.
    All,
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Size::Rows(rows) => write!(f, "{rows}"),
            Size::All => f.write_str("all"),
        }
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Size::Rows(rows) => serializer.serialize_u64(*rows),
            Size::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Sizes;
        impl Visitor<'_> for Sizes {
            type Value = Size;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of rows or \"all\"")
            }

            fn visit_i64<E: de::Error>(self, rows: i64) -> std::result::Result<Size, E> {
                let found = de::Unexpected::Signed(rows);
                u64::try_from(rows).map(Size::Rows).map_err(|_| E::invalid_value(found, &self))
            }

            fn visit_u64<E: de::Error>(self, rows: u64) -> std::result::Result<Size, E> {
                Ok(Size::Rows(rows))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Size, E> {
                let found = de::Unexpected::Str(text);
                if text == "all" { Ok(Size::All) } else { Err(E::invalid_value(found, &self)) }
            }
        }
        deserializer.deserialize_any(Sizes)
    }
}

impl Experiment {
    /// Reads an experiment and checks all that can be checked without its tables.
    ///
    /// # Errors
    /// Every mistake found, each with its key and, where possible, its place in the text.
    pub fn parse(text: &str) -> Result<Experiment> {
        let experiment: Experiment =
            toml::from_str(text).map_err(|e| Error::from(grammar_fault(&e, text)))?;
        Error::check(faults(&experiment)).map_err(|e| locate(e, text))?;
        Ok(experiment)
    }
}

/// Whether a text that is given to a comparison is a policy: it has keys of a policy and none of an
/// experiment. A text with broken syntax is taken for an experiment.
pub fn is_policy(text: &str) -> bool {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        return true;
    }
    let Ok(keys) = toml::from_str::<toml::Table>(text) else { return false };
    let has = |key: &&str| keys.contains_key(*key);
    !["tables", "grid"].iter().any(has) && ["input", "columns", "privacy"].iter().any(has)
}

/// The name of a loss in results: its name, with the parameters that were given.
pub fn label(loss: &LossSpec) -> String {
    let parameters = loss.parameters();
    let aggregate = parameters.aggregate.map(|aggregate| match aggregate {
        Aggregate::Mean => "mean",
        Aggregate::Sum => "sum",
        Aggregate::Max => "max",
        Aggregate::Geometric => "geometric",
    });
    let counted = parameters.count_suppressed.map(|c| if c { "counted" } else { "not counted" });
    let tradeoff = parameters.tradeoff.map(|share| format!("tradeoff {share}"));
    let rare = parameters.rare.map(|rows| format!("rare {rows}"));
    let parts = aggregate.into_iter().chain(counted).map(String::from).chain(tradeoff).chain(rare);
    let parts: Vec<String> = parts.collect();
    let kind = parameters.kind;
    if parts.is_empty() { kind.to_string() } else { format!("{kind} ({})", parts.join(", ")) }
}

fn faults(experiment: &Experiment) -> Vec<Fault> {
    let mut faults = Vec::new();
    if experiment.version != 1 {
        faults.push(
            fault!(
                Input,
                "experiment.unknown-version",
                "version {version} is not known",
                version = experiment.version
            )
            .key("version")
            .help("write `version = 1`"),
        );
    }
    tables(&experiment.tables, &mut faults);
    names(&experiment.grid, &mut faults);
    numbers(&experiment.grid, &mut faults);
    prediction(experiment, &mut faults);
    plots(experiment, &mut faults);
    faults
}

fn tables(tables: &[TableSpec], faults: &mut Vec<Fault>) {
    if tables.is_empty() {
        faults.push(
            fault!(Input, "experiment.no-table", "there is no table")
                .key("tables")
                .help("add a [[tables]] part"),
        );
    }
    for (i, table) in tables.iter().enumerate() {
        let key = |part: &str| format!("tables.{i}.{part}");
        if table.name.trim().is_empty() {
            faults.push(fault!(Input, "experiment.unnamed-table", "a table needs a name").key(key("name")));
        }
        if tables[..i].iter().any(|other| other.name == table.name) {
            faults.push(
                fault!(
                    Input,
                    "experiment.duplicate-table",
                    "there are two tables `{table}`",
                    table = &table.name
                )
                .key(key("name")),
            );
        }
        match (&table.policy, table.synth) {
            (Some(_), None) => foreign(
                &[("rows", table.rows.is_some()), ("seed", table.seed.is_some())],
                &|| {
                    fault!(
                        Input,
                        "experiment.rows-of-policy",
                        "a table of a policy has its own rows; to take some of them, set grid.sizes"
                    )
                },
                &key,
                faults,
            ),
            (None, Some(_)) => {
                let folder =
                    || fault!(Input, "experiment.folder-of-made-up", "a synthetic table has no folder");
                foreign(&[("folder", table.folder.is_some())], &folder, &key, faults);
                if table.rows.is_none_or(|rows| rows == 0) {
                    let part = if table.rows.is_some() { key("rows") } else { format!("tables.{i}") };
                    faults.push(
                        fault!(Input, "experiment.made-up-without-rows", "a made-up table needs rows")
                            .key(part)
                            .help("for instance rows = 10000"),
                    );
                }
            }
            (both, _) => {
                let fault = match both {
                    Some(_) => fault!(
                        Input,
                        "experiment.two-sources",
                        "table `{table}` has both `policy` and `synth`",
                        table = &table.name
                    ),
                    None => fault!(
                        Input,
                        "experiment.no-source",
                        "table `{table}` has no rows",
                        table = &table.name
                    ),
                };
                faults.push(
                    fault
                        .key(format!("tables.{i}"))
                        .help("give either policy = \"policy.toml\" or synth = \"patients\" with rows"),
                );
            }
        }
    }
}

/// Keys that do not belong to this kind of table.
fn foreign(
    given: &[(&str, bool)],
    fault: &dyn Fn() -> Fault,
    key: &dyn Fn(&str) -> String,
    faults: &mut Vec<Fault>,
) {
    for (part, _) in given.iter().filter(|(_, given)| *given) {
        faults.push(fault().key(key(part)).help(format!("remove `{part}`")));
    }
}

fn names(grid: &Grid, faults: &mut Vec<Fault>) {
    for name in &grid.algorithms {
        if let Err(error) = Contender::named(name) {
            faults.extend(error.faults().iter().cloned().map(|f| f.key("grid.algorithms")));
        }
    }
    distinct("algorithms", &grid.algorithms, faults);
    distinct("losses", &grid.losses.iter().map(label).collect::<Vec<_>>(), faults);
    distinct("k", &grid.k, faults);
    distinct("suppression", &grid.suppression, faults);
    distinct("sizes", &grid.sizes, faults);
}

fn distinct<T: PartialEq + std::fmt::Display>(part: &str, values: &[T], faults: &mut Vec<Fault>) {
    let key = format!("grid.{part}");
    if values.is_empty() {
        faults.push(fault!(Input, "experiment.empty-list", "is empty").key(&key).help("give at least one"));
    }
    if let Some((_, twice)) = values.iter().enumerate().find(|(i, v)| values[..*i].contains(v)) {
        faults
            .push(fault!(Input, "experiment.duplicate-value", "has {value} twice", value = twice).key(&key));
    }
}

fn numbers(grid: &Grid, faults: &mut Vec<Fault>) {
    if grid.k.contains(&0) {
        faults.push(fault!(Input, "experiment.k-below-one", "k must be 1 or more").key("grid.k"));
    }
    if let Some(share) = grid.suppression.iter().find(|s| !(0.0..=1.0).contains(*s)) {
        faults.push(
            fault!(Input, "experiment.not-a-share", "{value} is not a share", value = share)
                .key("grid.suppression")
                .help("give numbers from 0 (no row) to 1 (any row); 0.05 is 5 %"),
        );
    }
    if grid.sizes.contains(&Size::Rows(0)) {
        faults.push(
            fault!(Input, "experiment.empty-sample", "a sample of 0 rows has nothing to release")
                .key("grid.sizes")
                .help("give numbers of rows, or \"all\""),
        );
    }
    if grid.repeats == 0 {
        faults.push(fault!(Input, "experiment.repeats-below-one", "must be 1 or more").key("grid.repeats"));
    }
}

fn prediction(experiment: &Experiment, faults: &mut Vec<Fault>) {
    let Some(asked) = &experiment.prediction else { return };
    match asked.builtin() {
        Some(name) => fitted(asked, name, faults),
        None => commanded(asked, faults),
    }
    if asked.train == Some(0) {
        faults.push(
            fault!(Input, "experiment.train-is-zero", "a model needs rows")
                .key("prediction.train")
                .help("for instance train = 2000"),
        );
    }
    let features = asked.features.as_deref().unwrap_or_default();
    if asked.features.is_some() && features.is_empty() {
        faults.push(
            fault!(Input, "experiment.no-features", "nothing is predicted from nothing")
                .key("prediction.features")
                .help("name columns, or leave it out: then all quasi-identifiers are features"),
        );
    }
    if let Some((_, twice)) = features.iter().enumerate().find(|(i, f)| features[..*i].contains(f)) {
        faults.push(
            fault!(Input, "experiment.duplicate-feature", "has `{feature}` twice", feature = twice)
                .key("prediction.features"),
        );
    }
    if asked.builtin().is_some() && experiment.grid.sizes.contains(&Size::All) {
        faults.push(
            fault!(
                Input,
                "experiment.no-rows-to-train",
                "a sample of all rows leaves none to fit a model to"
            )
            .key("grid.sizes")
            .help("give numbers of rows, or remove [prediction]"),
        );
    }
}

/// The keys of a model that is fitted.
fn fitted(asked: &Prediction, name: &str, faults: &mut Vec<Fault>) {
    if let Err(fault) = name.parse::<Predictor>() {
        faults.push(fault.key("prediction.model"));
    }
    if asked.train.is_none() {
        faults.push(
            fault!(
                Input,
                "experiment.no-train",
                "a built-in model is fitted to rows, and `train` is not given"
            )
            .key("prediction")
            .help("for instance train = 2000"),
        );
    }
    if asked.seconds.is_some() {
        faults.push(
            fault!(Input, "experiment.seconds-without-command", "only a command can take too long")
                .key("prediction.seconds")
                .help("remove it"),
        );
    }
}

/// The keys of a command.
fn commanded(asked: &Prediction, faults: &mut Vec<Fault>) {
    let foreign = [("model", asked.model.is_some()), ("train", asked.train.is_some())];
    for (part, _) in foreign.iter().filter(|(_, given)| *given) {
        faults.push(
            fault!(
                Input,
                "experiment.key-beside-command",
                "a command predicts, and `{key}` is of a built-in model",
                key = part
            )
            .key(format!("prediction.{part}"))
            .help("remove it, or remove the command"),
        );
    }
    if asked.command.first().is_some_and(String::is_empty) {
        faults.push(
            fault!(Input, "experiment.command-without-program", "the program has no name")
                .key("prediction.command")
                .help("write for instance command = [\"python3\", \"model.py\"]"),
        );
    }
    if asked.seconds == Some(0) {
        faults.push(
            fault!(Input, "experiment.seconds-are-zero", "no command answers in no time")
                .key("prediction.seconds")
                .help("give 1 or more"),
        );
    }
}

fn plots(experiment: &Experiment, faults: &mut Vec<Fault>) {
    let Plots { losses, suppression } = &experiment.plots;
    let known: Vec<String> = experiment.grid.losses.iter().map(label).collect();
    for name in losses.iter().flatten().filter(|name| !known.contains(name)) {
        let near = nearest(name, known.iter().map(String::as_str))
            .map_or(String::new(), |n| format!("did you mean \"{n}\"? "));
        faults.push(
            fault!(Input, "experiment.loss-not-in-grid", "the grid has no loss \"{loss}\"", loss = name)
                .key("plots.losses")
                .help(format!("{near}its losses are {}", known.join(", "))),
        );
    }
    for share in suppression.iter().flatten().filter(|s| !experiment.grid.suppression.contains(s)) {
        faults.push(
            fault!(
                Input,
                "experiment.suppression-not-in-grid",
                "the grid has no suppression {suppression}",
                suppression = share
            )
            .key("plots.suppression")
            .help("draw shares that grid.suppression lists"),
        );
    }
}

/// A path with `$NAME` replaced by what `variable` knows of it.
///
/// # Errors
/// A variable that is not set, by name.
pub fn expand(path: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String> {
    let mut parts = path.split('$');
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if name.is_empty() {
            expanded += "$";
        } else {
            expanded += &variable(name).ok_or_else(|| {
                fault!(
                    Input,
                    "experiment.variable-not-set",
                    "the environment variable {variable} is not set",
                    variable = name
                )
                .help(format!("set it, for instance: {name}=/path/to/data throng compare …"))
            })?;
        }
        expanded += rest;
    }
    Ok(expanded)
}
