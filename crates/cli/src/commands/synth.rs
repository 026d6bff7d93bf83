//! `throng synth SPEC --rows N --out F`.

use serde::Serialize;
use throng::error::Result;
use throng::fault;
use throng_engine::{Engine, SynthFile};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{integer, out, sanitized};

/// What was made up.
#[derive(Serialize)]
struct Made {
    out: String,
    rows: u64,
    seed: u64,
    columns: Vec<String>,
}

pub fn run(args: &args::Synth) -> Result<Ended> {
    let file = SynthFile::read(&args.spec)?;
    if args.show {
        out(&sanitized(&file.text))?;
        return Ok(Ended::Holds);
    }
    let (Some(rows), Some(path)) = (args.rows, &args.out) else {
        return Err(fault!(Input, "arguments.no-rows-or-output", "--rows and --out are missing")
            .help("give --rows and --out, or --show")
            .into());
    };
    file.overwrite_guard()?.check([&**path], args.overwrite.existing())?;
    let line = Line::new();
    let columns = Engine::new().synth(&file, (rows, args.random.seed), path, &line.watch());
    line.clear();
    let made = Made { out: path.display().to_string(), rows, seed: args.random.seed, columns: columns? };
    out(&match args.output.json {
        true => json(&made)?,
        false => sanitized(&format!(
            "created  {} rows of {} in {}\n",
            integer(rows),
            made.columns.join(", "),
            made.out
        )),
    })?;
    Ok(Ended::Holds)
}
