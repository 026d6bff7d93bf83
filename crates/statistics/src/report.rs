//! Everything that can be computed from a release, column by column: what `throng stats` prints.
//!
//! Plain data that serializes as column → statistic → `low`, `high`, `exact`, `method`. Beside the
//! statistics, a column has `cells` (counts by kind), `pbox`, `estimates`, and on request
//! `groups`, `comparison`, `pairs`, `cross` and `regression`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::ser::{Serialize, SerializeMap, Serializer};
use throng_terms::cell::Cell;
use throng_terms::error::{Error, Result};
use throng_terms::fault;
use throng_terms::rows::Rows;
use throng_terms::watch::Watch;

use crate::bounds::Bounds;
use crate::cells::Scale;
use crate::comparison::{Comparison, compare};
use crate::contingency::{CATEGORIES, Contingency, contingency};
use crate::data::Intervals;
use crate::estimates::{Estimate, Pooled, em, impute, uniform};
use crate::means::{geometric_mean, harmonic_mean, mean};
use crate::moments::{Shape, confidence_limits};
use crate::pairs::Pairs;
use crate::quantiles::{Outline, PBox};
use crate::ranks::{kendall, spearman};
use crate::regression::{Link, Regression, regress};
use crate::table::{Column, Table};
use crate::variance::{Divisor, Spread};

/// Steps of a p-box that is printed.
const STEPS: usize = 100;
/// Groups whose statistics are listed.
const GROUPS: usize = 1000;

/// What to compute beside the statistics of columns.
#[derive(Debug, Clone)]
pub struct Options {
    /// Values whose exceedance is computed.
    pub exceeds: Vec<f64>,
    /// Confidence level of the limits of the mean.
    pub level: f64,
    /// Whether pairs of columns are correlated.
    pub pairs: bool,
    /// Imputations for a pooled estimate of the mean; none if 0.
    pub imputations: usize,
    /// Seed of the imputations.
    pub seed: u64,
    /// Regressions: outcome, predictors, and the kind.
    pub regressions: Vec<(String, Vec<String>, Link)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            exceeds: Vec::new(),
            level: 0.95,
            pairs: false,
            imputations: 0,
            seed: 1,
            regressions: Vec::new(),
        }
    }
}

/// Statistics by name, in the order in which they are printed.
#[derive(Debug, Clone, Default)]
pub struct Statistics(pub Vec<(String, Bounds)>);

impl Statistics {
    /// A statistic by its name.
    pub fn get(&self, name: &str) -> Option<&Bounds> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, bounds)| bounds)
    }
}

impl Statistics {
    /// Without those that dates do not have: their zero is arbitrary.
    fn of(mut self, days: bool) -> Self {
        let quotients = ["geometric_mean", "harmonic_mean", "cv"];
        self.0.retain(|(name, _)| !(days && quotients.contains(&name.as_str())));
        self
    }
}

impl Serialize for Statistics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, bounds)| map.serialize_entry(name, bounds))?;
        map.end()
    }
}

/// The cells of a column.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct CellCounts {
    /// Cells that the statistics are of, weights aside: those of released rows, and of rows that
    /// the release left out.
    pub count: u64,
    /// Cells that are one number.
    pub exact: u64,
    /// Released cells that are `*`.
    pub suppressed: u64,
    /// Rows that the release left out.
    pub omitted: u64,
    /// Released cells that are missing, which no statistic contains.
    pub missing: u64,
    /// Whether numbers are days since 1970-01-01.
    pub days: bool,
}

/// Estimates, which are not bounds.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Estimates {
    /// If values are spread evenly within cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniform: Option<Estimate>,
    /// From the most likely distribution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub em: Option<Estimate>,
    /// The mean from several imputations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imputed_mean: Option<Pooled>,
}

/// The statistics of a group.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Group {
    /// Column → released cell that the rows share.
    pub by: BTreeMap<String, String>,
    /// Rows in the group, weights aside.
    pub count: u64,
    /// Its statistics.
    #[serde(flatten)]
    pub statistics: Statistics,
}

/// Two columns.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct PairReport {
    /// The covariance, divided by the rows minus one.
    pub covariance: Bounds,
    /// Pearson's correlation.
    pub correlation: Bounds,
    /// Spearman's rank correlation.
    pub spearman: Bounds,
    /// Kendall's τ-a.
    pub kendall: Bounds,
    /// The slope of the line that predicts the other column from this one.
    pub slope: Bounds,
}

/// A regression.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RegressionReport {
    /// Linear or logistic.
    pub kind: &'static str,
    /// The intercept, and the coefficient of every predictor.
    pub coefficients: BTreeMap<String, Bounds>,
}

/// What is known of a column.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ColumnReport {
    /// Its statistics.
    #[serde(flatten)]
    pub statistics: Statistics,
    /// Its cells.
    pub cells: CellCounts,
    /// The empirical distribution as a p-box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pbox: Option<Outline>,
    /// Estimates, which are not bounds.
    pub estimates: Estimates,
    /// The statistics of groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
    /// The two groups compared, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Other column → what both have in common.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pairs: BTreeMap<String, PairReport>,
    /// Regressions of this column on others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regression: Vec<RegressionReport>,
}

/// What can be computed from a release.
#[derive(Debug, Clone)]
pub struct Report {
    /// Column → its statistics, in the order of the release.
    pub columns: Vec<(String, ColumnReport)>,
    /// Columns that were left out, and why.
    pub skipped: Vec<(String, &'static str)>,
    /// Released rows.
    pub rows: u64,
    /// Rows that the release left out.
    pub omitted: u64,
    /// Columns that form groups.
    pub by: Vec<String>,
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.columns.len()))?;
        self.columns.iter().try_for_each(|(name, column)| map.serialize_entry(name, column))?;
        map.end()
    }
}

/// Computes everything.
///
/// # Errors
/// Regressions on columns that are not there; [`Kind::Cancelled`](throng_terms::error::Kind) when
/// asked to stop.
pub fn report(table: &Table, by: &[String], options: &Options, watch: &Watch) -> Result<Report> {
    let mut columns = Vec::new();
    for column in &table.columns {
        watch.check()?;
        columns.push((column.name.clone(), column_report(table, column, by, options, watch)?));
    }
    if options.pairs {
        add_pairs(table, &mut columns, watch)?;
    }
    for (outcome, predictors, link) in &options.regressions {
        watch.check()?;
        add_regression(table, &mut columns, (outcome, predictors, *link))?;
    }
    Ok(Report {
        columns,
        skipped: table.skipped.clone(),
        rows: table.rows,
        omitted: table.omitted,
        by: by.to_vec(),
    })
}

fn column_report(
    table: &Table,
    column: &Column,
    by: &[String],
    options: &Options,
    watch: &Watch,
) -> Result<ColumnReport> {
    let data = table.cells(column, None)?;
    let days = column.scale == Scale::Dates;
    let (statistics, pbox) = statistics(&data, options);
    let statistics = statistics.of(days);
    let imputed = (options.imputations > 1 && data.weights().is_none())
        .then(|| impute(&data, options.imputations, options.seed).and_then(|found| found.mean()));
    let estimates = Estimates { uniform: uniform(&data), em: em(&data), imputed_mean: imputed.flatten() };
    let mut groups = Vec::new();
    let mut parts = Vec::new();
    for (at, key) in table.groups.iter().enumerate().take(GROUPS) {
        watch.check()?;
        let part = table.cells(column, Some(at))?;
        groups.push(Group {
            by: by.iter().cloned().zip(key.iter().cloned()).collect(),
            count: part.len() as u64,
            statistics: self::statistics(&part, options).0.of(days),
        });
        parts.push(part);
    }
    Ok(ColumnReport {
        statistics,
        cells: CellCounts {
            count: data.len() as u64,
            exact: data.low().iter().zip(data.high()).filter(|(low, high)| low == high).count() as u64,
            suppressed: column.anything,
            omitted: table.omitted,
            missing: column.missing,
            days,
        },
        pbox: pbox.map(|pbox| pbox.outline(STEPS)),
        estimates,
        groups,
        comparison: if let [a, b] = &parts[..] { Some(compare(a, b)) } else { None },
        pairs: BTreeMap::new(),
        regression: Vec::new(),
    })
}

/// The statistics of some cells, and their p-box.
pub fn statistics(data: &Intervals, options: &Options) -> (Statistics, Option<PBox>) {
    let pbox = PBox::new(data);
    let spread = Spread::new(data);
    let shape = Shape::new(data, &spread);
    let none = Bounds::none(crate::means::EMPTY);
    let quantile = |share: f64| pbox.as_ref().map_or(none, |pbox| pbox.quantile(share));
    let (lower, upper) = confidence_limits(data, &spread, options.level);
    let mut all: Vec<(String, Bounds)> = vec![
        ("mean".into(), mean(data)),
        ("median".into(), quantile(0.5)),
        ("geometric_mean".into(), geometric_mean(data)),
        ("harmonic_mean".into(), harmonic_mean(data)),
        ("variance".into(), spread.variance(Divisor::Sample)),
        ("variance_population".into(), spread.variance(Divisor::Population)),
        ("stddev".into(), spread.deviation(Divisor::Sample)),
        ("cv".into(), spread.variation(data)),
        ("min".into(), quantile(0.0)),
        ("q05".into(), quantile(0.05)),
        ("q25".into(), quantile(0.25)),
        ("q75".into(), quantile(0.75)),
        ("q95".into(), quantile(0.95)),
        ("max".into(), quantile(1.0)),
        ("iqr".into(), pbox.as_ref().map_or(none, |pbox| pbox.interquartile(data))),
        ("skewness".into(), shape.skewness),
        ("kurtosis".into(), shape.kurtosis),
        ("mean_lower_limit".into(), lower),
        ("mean_upper_limit".into(), upper),
    ];
    let exceeds = options
        .exceeds
        .iter()
        .map(|&x| (format!("exceeds_{x}"), pbox.as_ref().map_or(none, |pbox| pbox.exceedance(x))));
    all.extend(exceeds);
    (Statistics(all), pbox)
}

fn add_pairs(table: &Table, columns: &mut [(String, ColumnReport)], watch: &Watch) -> Result<()> {
    for (i, a) in table.columns.iter().enumerate() {
        for (j, b) in table.columns.iter().enumerate().skip(i + 1) {
            watch.check()?;
            let both = table.together(&[a, b])?;
            let [x, y] = &both[..] else { continue };
            let of = |x: &Intervals, y: &Intervals| {
                let pairs = Pairs::new(x, y);
                let from = |of: &dyn Fn(&Pairs) -> Bounds| {
                    pairs.as_ref().map_or_else(|reason| Bounds::none(reason), of)
                };
                PairReport {
                    covariance: from(&|pairs| pairs.covariance(Divisor::Sample)),
                    correlation: from(&Pairs::correlation),
                    spearman: spearman(x, y),
                    kendall: kendall(x, y),
                    slope: from(&Pairs::slope),
                }
            };
            columns[i].1.pairs.insert(b.name.clone(), of(x, y));
            columns[j].1.pairs.insert(a.name.clone(), of(y, x));
        }
    }
    Ok(())
}

fn add_regression(
    table: &Table,
    columns: &mut [(String, ColumnReport)],
    (outcome, predictors, link): (&str, &[String], Link),
) -> Result<()> {
    let names: Vec<&str> = predictors.iter().map(String::as_str).chain([outcome]).collect();
    let missing = names.iter().filter(|name| table.column(name).is_none()).map(|name| {
        fault!(
            Input,
            "statistics.not-in-regression",
            "`{column}` is not among the columns of numbers that were read",
            column = name
        )
        .key("--regress")
        .help("name it with --column, or leave out --column to read all columns of numbers")
    });
    Error::check(missing.collect())?;
    let found: Vec<&Column> = names.iter().filter_map(|name| table.column(name)).collect();
    let cells = table.together(&found)?;
    let Some((y, x)) = cells.split_last() else { return Ok(()) };
    let Regression { intercept, coefficients } = regress(&x.iter().collect::<Vec<_>>(), y, link);
    let mut by_name: BTreeMap<String, Bounds> = predictors.iter().cloned().zip(coefficients).collect();
    by_name.insert("intercept".into(), intercept);
    let kind = if link == Link::Linear { "linear" } else { "logistic" };
    if let Some((_, column)) = columns.iter_mut().find(|(name, _)| name == outcome) {
        column.regression.push(RegressionReport { kind, coefficients: by_name });
    }
    Ok(())
}

/// Crosses two columns of categories. A cell covers the value it shows, the values of a set, or
/// every category if it is `*`; `covered` says what a label of a hierarchy covers.
///
/// # Errors
/// What cannot be read, and columns with too many categories.
pub fn cross(
    rows: &dyn Rows,
    names: [&str; 2],
    covered: &dyn Fn(&str, &str) -> Option<Vec<String>>,
    watch: &Watch,
) -> Result<Contingency> {
    let place = |name: &str| -> Result<usize> {
        rows.columns().iter().position(|column| column == name).ok_or_else(|| {
            fault!(Input, "statistics.no-such-column", "the release has no column `{column}`", column = name)
                .key("--cross")
                .help(format!("its columns are {}", rows.columns().join(", ")))
                .into()
        })
    };
    let places = [place(names[0])?, place(names[1])?];
    let counted = rows.count(&places, watch)?;
    let mut categories: [Vec<String>; 2] = Default::default();
    let mut masks: [Vec<u64>; 2] = Default::default();
    for side in 0..2 {
        let dictionary = &counted.dictionaries[side];
        let parsed: Vec<Option<Vec<String>>> = (0..dictionary.len())
            .map(|code| match dictionary.value(code as u32) {
                None => Some(Vec::new()),
                Some(text) => values(text, names[side], covered),
            })
            .collect();
        let mut all: Vec<String> = parsed.iter().flatten().flatten().cloned().collect();
        all.sort_unstable();
        all.dedup();
        if all.len() > CATEGORIES {
            return Err(fault!(
                Data,
                "statistics.many-categories",
                "column `{column}` has {count} categories, and a cross table has at most {most}",
                column = names[side],
                count = all.len(),
                most = CATEGORIES
            )
            .key("--cross")
            .help("cross columns of few categories")
            .into());
        }
        let at: FxHashMap<&str, usize> =
            all.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let every = if all.len() == 64 { u64::MAX } else { (1u64 << all.len()) - 1 };
        let mask = |values: &Option<Vec<String>>| match values {
            None => every,
            Some(values) => {
                values.iter().filter_map(|value| at.get(value.as_str())).fold(0, |mask, at| mask | 1 << at)
            }
        };
        masks[side] = parsed.iter().map(mask).collect();
        categories[side] = all;
    }
    let tuples = &counted.tuples;
    let cells = (0..tuples.len()).flat_map(|at| {
        let pair = [0, 1].map(|side| masks[side][tuples.code(at, side) as usize]);
        std::iter::repeat_n((pair[0], pair[1]), tuples.counts()[at] as usize)
    });
    contingency(categories, cells).map_err(|reason| {
        fault!(Data, "statistics.many-categories", "{reason}", reason = reason).key("--cross").into()
    })
}

/// The categories that a cell covers; none for all.
fn values(
    text: &str,
    column: &str,
    covered: &dyn Fn(&str, &str) -> Option<Vec<String>>,
) -> Option<Vec<String>> {
    if text == "*" {
        return None;
    }
    if let Some(values) = covered(column, text) {
        return Some(values);
    }
    match Cell::parse(text) {
        Cell::Set(values) => Some(values),
        _ => Some(vec![text.to_owned()]),
    }
}
