//! `throng stats RELEASE`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::policy::Header;
use throng_engine::{Engine, Known, OverwriteGuard, PolicyFile, Source, sniff, write_atomically};
use throng_statistics::cells::value;
use throng_statistics::imputation::Filled;
use throng_statistics::report::{Options, Report};
use throng_statistics::table::Request;
use throng_statistics::{Contingency, Link, cross_text, date, page, text};

use super::json;
use super::verify::read_certificate;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{integer, out, sanitized};

/// What is said if nothing states how many rows the release left out.
const UNKNOWN: &str = "Rows that the release left out are not taken into account: give --policy, --certificate or --suppressed.\n";

/// Imputations that are written if none are asked for.
const IMPUTATIONS: usize = 5;

pub fn run(args: &args::Stats) -> Result<Ended> {
    let policy =
        args.policy.as_ref().map(|path| PolicyFile::read(path)).transpose()?.map(|(policy, _)| policy);
    let mut guard = OverwriteGuard::default().named("the release", &args.release);
    if let Some(policy) = &policy {
        guard = guard.with(OverwriteGuard::of_policy(policy).release_of(policy));
    }
    guard.check(args.page.iter().chain(&args.impute).map(|path| &**path), args.overwrite.existing())?;
    let crosses = crosses(args)?;
    let request = Request {
        columns: args.columns.clone(),
        by: args.by.clone(),
        weights: args.weights.clone(),
        omitted: args.suppressed.unwrap_or(0),
        original: original_rows(args, policy.as_ref())?,
        blanks: args.blanks,
        ..Request::default()
    };
    let options = options(args)?;
    let known = Known { policy: policy.as_ref(), domains: domains(&args.domain)? };
    let source = source(args, policy.as_ref())?;
    let line = Line::new();
    let engine = Engine::new();
    let found = engine.statistics(&source, &known, (&request, &options), &crosses, &line.watch());
    let filled = args.impute.as_ref().filter(|_| found.is_ok()).map(|path| {
        engine.impute(&source, &known, (imputations(args), args.random.seed), path, &line.watch())
    });
    line.clear();
    let (report, tables) = found?;
    let filled = filled.transpose()?;
    if let Some(path) = &args.page {
        let title = args.release.rsplit(['/', '\\']).next().unwrap_or_default();
        write_atomically(path, page(&report, title).as_bytes())?;
    }
    out(&match args.output.json {
        true => as_json(&report, &crosses, &tables, filled.as_ref())?,
        false => {
            let known = args.suppressed.is_some() || request.original.is_some();
            let filled = filled.as_ref().zip(args.impute.as_ref());
            let filled = filled.map_or(String::new(), |(filled, path)| imputed_text(filled, path));
            as_text(&report, &crosses, &tables) + &filled + if known { "" } else { UNKNOWN }
        }
    })?;
    Ok(Ended::Holds)
}

/// Column → statistic, with cross tables under their first column.
fn as_json(
    report: &Report,
    crosses: &[[String; 2]],
    tables: &[Contingency],
    filled: Option<&Filled>,
) -> Result<String> {
    let bug = |e: serde_json::Error| Fault::bug(format!("cannot be written as JSON: {e}"));
    let mut all = serde_json::to_value(report).map_err(bug)?;
    for ([a, b], table) in crosses.iter().zip(tables) {
        all[a]["cross"][b] = serde_json::to_value(table).map_err(bug)?;
    }
    for column in filled.iter().flat_map(|filled| &filled.columns) {
        all[&column.column]["imputation"] = serde_json::to_value(column).map_err(bug)?;
    }
    if let Some(filled) = filled {
        let Filled { rows, imputations, complete_rows, advice, .. } = filled;
        all["(imputation)"] = serde_json::json!({
            "rows": rows, "imputations": imputations, "complete_rows": complete_rows, "advice": advice
        });
    }
    json(&all as &Value)
}

fn as_text(report: &Report, crosses: &[[String; 2]], tables: &[Contingency]) -> String {
    let crossed = crosses.iter().zip(tables).map(|([a, b], table)| cross_text([a, b], table));
    sanitized(&(text(report) + &crossed.collect::<String>()))
}

/// How often open cells are filled.
fn imputations(args: &args::Stats) -> usize {
    if args.impute.is_some() && args.imputations == 0 { IMPUTATIONS } else { args.imputations }
}

/// What was filled, in words.
fn imputed_text(filled: &Filled, path: &Path) -> String {
    let mut text = format!(
        "imputed     {}: {} rows, {} times each\n",
        path.display(),
        integer(filled.rows),
        filled.imputations
    );
    for column in &filled.columns {
        text += &format!("  {:<24}{} cells filled", column.column, integer(column.filled));
        text += &match column.open {
            0 => String::new(),
            open => format!(", {} stay open: nothing is known of them", integer(open)),
        };
        if let Some(mean) = column.pooled.get("mean").filter(|_| column.filled > 0) {
            let (at, unit) = match column.days {
                true => (date(mean.estimate), " days"),
                false => (format!("{:.6}", mean.estimate), ""),
            };
            text += &format!(
                "; mean {at}, standard error {:.3}{unit}, spread between imputations {:.3}{unit}",
                mean.standard_error, mean.spread
            );
        }
        text.push('\n');
    }
    text += &format!(
        "complete    {} of {} rows have no open cell; {}\n",
        integer(filled.complete_rows),
        integer(filled.rows),
        filled.advice
    );
    sanitized(&text)
}

fn source(args: &args::Stats, policy: Option<&PolicyFile>) -> Result<Source> {
    let mut input = sniff(&args.release)?;
    if let Some(policy) = policy {
        input.null.clone_from(&policy.policy.input.null);
        // A release has a header line whatever its original has.
        input.header = policy.policy.input.header.filter(|header| *header == Header::FirstLine);
    }
    args.layout.apply(&mut input);
    Source::open(&input, Path::new(""))
}

/// The rows of the original, if a certificate states them and nothing else is said.
fn original_rows(args: &args::Stats, policy: Option<&PolicyFile>) -> Result<Option<u64>> {
    if args.suppressed.is_some() {
        return Ok(None);
    }
    let release = Path::new(&args.release);
    // That of the policy if this is the policy's release, or one beside the release.
    let stated = |policy: &PolicyFile| -> Option<PathBuf> {
        let output = policy.policy.output.path.as_ref()?;
        let same = release.canonicalize().ok()? == policy.folder().join(output).canonicalize().ok()?;
        let stated = policy.policy.output.certificate.as_ref()?;
        Some(policy.folder().join(stated)).filter(|path| same && path.exists())
    };
    let beside = || Some(release.with_extension("certificate.json")).filter(|path| path.exists());
    let path = args.certificate.clone().or_else(|| policy.and_then(stated)).or_else(beside);
    path.map(|path| read_certificate(&path).map(|certificate| certificate.release.rows)).transpose()
}

fn options(args: &args::Stats) -> Result<Options> {
    if !(args.level > 0.0 && args.level < 1.0) {
        return Err(fault!(
            Input,
            "arguments.level",
            "{level} is not a confidence level",
            level = args.level
        )
        .key("--level")
        .help("use a number between 0 and 1, such as 0.95")
        .into());
    }
    let kinds = [(&args.regress, Link::Linear), (&args.logistic, Link::Logistic)];
    let mut regressions = Vec::new();
    for (formulas, link) in kinds {
        for formula in formulas {
            let (outcome, predictors) = regression(formula)?;
            regressions.push((outcome, predictors, link));
        }
    }
    Ok(Options {
        exceeds: args.exceeds.clone(),
        level: args.level,
        pairs: args.pairs,
        imputations: imputations(args),
        seed: args.random.seed,
        regressions,
    })
}

/// `outcome ~ a + b`.
fn regression(formula: &str) -> Result<(String, Vec<String>)> {
    let parts = formula.split_once('~').map(|(outcome, predictors)| {
        let predictors: Vec<String> = predictors.split('+').map(|name| name.trim().to_owned()).collect();
        (outcome.trim().to_owned(), predictors)
    });
    let valid = |(outcome, predictors): &(String, Vec<String>)| {
        !outcome.is_empty() && predictors.iter().all(|name| !name.is_empty())
    };
    parts.filter(valid).ok_or_else(|| {
        fault!(Input, "arguments.formula", "`{formula}` is not a regression", formula = formula)
            .key("--regress")
            .help("write the outcome, ~ and the predictors: 'bp ~ age + weight'")
            .into()
    })
}

fn crosses(args: &args::Stats) -> Result<Vec<[String; 2]>> {
    let pair = |text: &String| {
        let (a, b) = text.split_once(',').ok_or_else(|| {
            fault!(Input, "arguments.cross", "`{value}` does not name two columns", value = text)
                .key("--cross")
                .help("name two columns: --cross sex,smoker")
        })?;
        Ok([a.trim().to_owned(), b.trim().to_owned()])
    };
    args.cross.iter().map(pair).collect()
}

/// `age=0..120` and `born=1900-01-01..2020-12-31`.
fn domains(texts: &[String]) -> Result<BTreeMap<String, (f64, f64)>> {
    let mut domains = BTreeMap::new();
    let mut faults = Vec::new();
    for text in texts {
        let parsed = text.rsplit_once('=').and_then(|(column, range)| {
            let (low, high) = range.split_once("..")?;
            let (low, high) = (value(low)?, value(high)?);
            (low <= high).then(|| (column.trim().to_owned(), (low, high)))
        });
        match parsed {
            Some((column, domain)) => {
                domains.insert(column, domain);
            }
            None => faults.push(
                fault!(Input, "arguments.domain", "`{value}` is not a domain", value = text)
                    .key("--domain")
                    .help("write the column, the least and the greatest value: --domain age=0..120"),
            ),
        }
    }
    Error::check(faults)?;
    Ok(domains)
}
