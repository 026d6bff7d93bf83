//! `throng demo [DIR]`: synthetic patients, a policy, a release, a report.

use std::path::Path;

use throng::error::{Error, Result};
use throng::fault;
use throng::synth;
use throng_engine::{Engine, HolderFiles, already, write_atomically};

use super::release::{release, release_json, summary};
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::out;

pub fn run(args: &args::Demo) -> Result<Ended> {
    // Before the folder is made: where it is stopped, nothing is left behind.
    let line = Line::new();
    let drawn = synth::patients::csv(args.rows, args.random.seed, &line.watch());
    line.clear();
    let drawn = drawn?;
    let name = args.folder.display().to_string();
    std::fs::create_dir_all(&args.folder).map_err(|e| {
        fault!(System, "file.cannot-make-folder", "cannot be made: {reason}", reason = e)
            .file(&name)
            .help("give a folder that can be written to")
    })?;
    let table = args.folder.join("patients.csv");
    let policy = args.folder.join("policy.toml");
    let files = [(table.as_path(), drawn), (policy.as_path(), synth::demo_policy(args.rows))];
    if !args.overwrite.force {
        spare(&args.folder, &files)?;
    }
    for (path, text) in &files {
        line.watch().check()?;
        write_atomically(path, text.as_bytes())?;
    }
    let made = format!(
        "created     {} patients in {}\npolicy      {}\n",
        args.rows,
        table.display(),
        policy.display()
    );
    if !args.output.json {
        out(&made)?;
    }
    let done = release(&Engine::new(), &policy, None, HolderFiles::default(), (None, None));
    // The patients stay.
    let done = done.map_err(|e| match e.is_cancelled() {
        true => fault!(Cancelled, "cancelled", "stopped; nothing was released").into(),
        false => e,
    })?;
    if args.output.json {
        out(&release_json(&done)?)?;
        return Ok(Ended::Holds);
    }
    out(&summary(&done, None))?;
    out(&format!(
        "\nOpen {} in a browser. Then change {} and run:\n  throng release {}\n",
        done.paths.report.display(),
        policy.display(),
        policy.display()
    ))?;
    Ok(Ended::Holds)
}

/// Refuses to write over what the demo has not written: files that differ from what it would write,
/// and a release without its policy.
fn spare(folder: &Path, files: &[(&Path, String); 2]) -> Result<()> {
    let other = |(path, text): &&(&Path, String)| path.exists() && !same(path, text);
    let mut taken: Vec<_> = files.iter().filter(other).map(|(path, _)| path.to_path_buf()).collect();
    if !files[1].0.exists() {
        let parts = ["release.csv", "report.html", "certificate.json"].map(|name| folder.join(name));
        taken.extend(parts.into_iter().filter(|path| path.exists()));
    }
    Error::check(taken.iter().map(|path| already(path, "another folder")).collect())
}

fn same(path: &Path, text: &str) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}
