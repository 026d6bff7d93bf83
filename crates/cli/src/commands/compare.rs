//! `throng compare EXPERIMENT`.

use std::path::Path;
use std::time::Instant;

use throng::compare::{Comparison, Watch, compare, csv, markdown, overview};
use throng::error::{Fault, Kind, Result};
use throng::report::{comparison_page, plots};
use throng_engine::{Engine, Existing, ExperimentFile};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts, interrupts};
use crate::show::{integer, note, out};

/// What is in every folder of results, beside pictures.
const PAPERS: [&str; 3] = ["results.csv", "results.md", "index.html"];

pub fn run(args: &args::Compare) -> Result<Ended> {
    catch_interrupts();
    let file = ExperimentFile::read(&args.experiment)?;
    if let Some(folder) = &args.out {
        file.check_folder(folder, &PAPERS, Existing::by(args.force)).map_err(|e| file.located(e))?;
    }
    let engine = Engine::new()?;
    let line = Line::new();
    let comparison = ran(&engine, &file, &line);
    line.clear();
    let comparison = comparison.map_err(|e| file.located(e))?;
    if let Some(folder) = &args.out {
        engine.write_folder(&file, folder, &files(&comparison, &file.path))?;
    }
    if !comparison.finished {
        let made = integer(comparison.runs.len() as u64);
        note(&format!("stopped: {made} of {} runs were made", integer(comparison.planned)));
    }
    if args.json {
        out(&json(&comparison)?)?;
    } else {
        out(&overview(&comparison))?;
        if let Some(folder) = &args.out {
            out(&format!("\nOpen {} in a browser.\n", folder.join("index.html").display()))?;
        }
    }
    Ok(if comparison.finished { Ended::Holds } else { Ended::DoesNotHold })
}

fn ran(engine: &Engine, file: &ExperimentFile, line: &Line) -> Result<Comparison> {
    let tables = engine.tables(file, &|table, rows| {
        line.show(&format!("reading {table}: {} rows", integer(rows)));
        match interrupts() {
            0 => Ok(()),
            _ => Err(Fault::new(Kind::Unsolvable, "stopped; nothing was written").into()),
        }
    })?;
    let started = Instant::now();
    compare(
        &file.experiment,
        &tables,
        &Watch {
            clock: &|| started.elapsed().as_secs_f64(),
            cancelled: &|| interrupts() > 0,
            progress: &|step| {
                line.show(&format!(
                    "run {} of {}: {}, {}, k = {}",
                    integer(step.done + 1),
                    integer(step.planned),
                    step.table,
                    step.algorithm,
                    step.k
                ));
            },
        },
    )
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
