//! `throng compare POLICY`, and `throng compare EXPERIMENT`.

use std::path::Path;
use std::time::Instant;

use throng::compare::{Comparison, compare_with, csv, is_policy, markdown, overview};
use throng::error::{Error, Result};
use throng::fault;
use throng::report::{comparison_page, plots, policy_comparison_page, policy_comparison_picture};
use throng::suggest::{Scope, comparison_csv, comparison_text};
use throng::watch::Watch;
use throng_engine::{Engine, ExperimentFile, PolicyFile, Trial};

use super::json;
use super::release::in_policy;
use super::suggest::title;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{integer, note, out, sanitized};

/// What is in every folder of results, beside pictures.
const PAPERS: [&str; 3] = ["results.csv", "results.md", "index.html"];

/// What is in a folder of results for a policy.
const FOR_POLICY: [&str; 3] = ["results.csv", "index.html", "loss.svg"];
/// Seconds for a policy, unless others are given.
const SECONDS: f64 = 120.0;

pub fn run(args: &args::Compare) -> Result<Ended> {
    match std::fs::read(&args.file) {
        Ok(bytes) if std::str::from_utf8(&bytes).is_ok_and(is_policy) => of_policy(args),
        // What is wrong with any other file is found where it is read.
        _ => of_experiment(args),
    }
}

/// Methods and k on the table of a policy.
fn of_policy(args: &args::Compare) -> Result<Ended> {
    let (policy, text) = PolicyFile::read(&args.file)?;
    let line = Line::with_runs("Ctrl-C keeps the results so far");
    let seconds = args.seconds.unwrap_or(SECONDS);
    let scope = Scope { k: args.k.clone(), seconds, limits: false };
    let trial = Trial { policy: &policy, scope, watch: line.watch() };
    if let Some(folder) = &args.out {
        trial.check_folder(folder, &FOR_POLICY, args.overwrite.existing())?;
    }
    let engine = Engine::new();
    let found = engine.suggest(&trial);
    line.clear();
    let found = found.map_err(|e| in_policy(e, &policy, &text))?;
    trial.watch.acknowledge().check()?;
    if let Some(folder) = &args.out {
        let page = policy_comparison_page(&found, title(&policy), env!("CARGO_PKG_VERSION"));
        let texts = [comparison_csv(&found), page, policy_comparison_picture(&found)];
        let files: Vec<(String, String)> = FOR_POLICY.map(String::from).into_iter().zip(texts).collect();
        engine.write_results(folder, &files)?;
    }
    match args.output.json {
        true => out(&json(&found)?)?,
        false => out(&sanitized(&comparison_text(&found)))?,
    }
    if let Some(folder) = args.out.as_ref().filter(|_| !args.output.json) {
        out(&format!("\nOpen {} in a browser.\n", folder.join("index.html").display()))?;
    }
    Ok(if found.recommended.is_some() { Ended::Holds } else { Ended::DoesNotHold })
}

/// Options that an experiment states itself.
fn only_for_policies(args: &args::Compare) -> Result<()> {
    let given = [("--k", !args.k.is_empty()), ("--seconds", args.seconds.is_some())];
    let fault = |(option, _): (&str, bool)| {
        fault!(
            Input,
            "arguments.only-for-policies",
            "{option} goes with a policy, and the file is an experiment",
            option = option
        )
        .help("set it in [grid], or give a policy")
    };
    Error::check(given.into_iter().filter(|(_, given)| *given).map(fault).collect())
}

fn of_experiment(args: &args::Compare) -> Result<Ended> {
    let file = ExperimentFile::read(&args.file)?;
    only_for_policies(args)?;
    if let Some(folder) = &args.out {
        file.check_folder(folder, &PAPERS, args.overwrite.existing()).map_err(|e| file.located(e))?;
    }
    let engine = Engine::new();
    let line = Line::with_runs("Ctrl-C keeps the results so far");
    let watch = line.watch();
    let comparison = ran(&engine, &file, &watch);
    line.clear();
    let comparison = comparison.map_err(|e| file.located(e))?;
    // What stopped the runs does not keep those that were made from being written.
    watch.acknowledge().check()?;
    if let Some(folder) = &args.out {
        engine.write_folder(&file, folder, &files(&comparison, &file.path))?;
    }
    if !comparison.finished {
        let made = integer(comparison.runs.len() as u64);
        note(&format!("stopped: {made} of {} runs were made", integer(comparison.planned)));
    }
    if args.output.json {
        out(&json(&comparison)?)?;
    } else {
        out(&overview(&comparison))?;
        if let Some(folder) = &args.out {
            out(&format!("\nOpen {} in a browser.\n", folder.join("index.html").display()))?;
        }
    }
    Ok(if comparison.finished { Ended::Holds } else { Ended::DoesNotHold })
}

fn ran(engine: &Engine, file: &ExperimentFile, watch: &Watch) -> Result<Comparison> {
    let tables = engine.tables(file, watch)?;
    let started = Instant::now();
    let commands = file.commands()?;
    let clock = || started.elapsed().as_secs_f64();
    compare_with(&file.experiment, &tables, (&clock, Some(&commands)), watch)
}

/// Everything that goes into the folder.
fn files(comparison: &Comparison, experiment: &Path) -> Vec<(String, String)> {
    let title =
        experiment.file_stem().map_or("experiment".into(), |name| name.to_string_lossy().into_owned());
    let page = comparison_page(comparison, &title, env!("CARGO_PKG_VERSION"));
    let texts = [csv(comparison), markdown(comparison), page];
    let mut files: Vec<(String, String)> = PAPERS.map(String::from).into_iter().zip(texts).collect();
    files.extend(plots(comparison));
    files
}
