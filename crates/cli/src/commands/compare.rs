//! `throng compare EXPERIMENT`.

use std::path::Path;
use std::time::Instant;

use throng::compare::{Comparison, compare_with, csv, markdown, overview};
use throng::error::Result;
use throng::report::{comparison_page, plots};
use throng::watch::Watch;
use throng_engine::{Engine, ExperimentFile};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{integer, note, out};

/// What is in every folder of results, beside pictures.
const PAPERS: [&str; 3] = ["results.csv", "results.md", "index.html"];

pub fn run(args: &args::Compare) -> Result<Ended> {
    let file = ExperimentFile::read(&args.experiment)?;
    if let Some(folder) = &args.out {
        file.check_folder(folder, &PAPERS, args.overwrite.existing()).map_err(|e| file.located(e))?;
    }
    let engine = Engine::new();
    let line = Line::new().with_hint("Ctrl-C keeps the results so far");
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
