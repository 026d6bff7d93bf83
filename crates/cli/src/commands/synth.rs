//! `throng synth SPEC --rows N --out F`.

use serde::Serialize;
use throng::error::{Fault, Result};
use throng_engine::{Engine, Existing, SynthFile};

use super::json;
use super::network::reading;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts};
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
    catch_interrupts();
    let file = SynthFile::read(&args.spec)?;
    if args.show {
        out(&sanitized(&file.text))?;
        return Ok(Ended::Holds);
    }
    let (Some(rows), Some(path)) = (args.rows, &args.out) else {
        return Err(Fault::input("how many rows, and where to?")
            .help("give --rows and --out, or --show")
            .into());
    };
    file.spared()?.check([&**path], Existing::by(args.force))?;
    let line = Line::new();
    let columns = Engine::new()?.synth(&file, (rows, args.seed), path, &|rows| reading(&line, rows));
    line.clear();
    let made = Made { out: path.display().to_string(), rows, seed: args.seed, columns: columns? };
    out(&match args.json {
        true => json(&made)?,
        false => sanitized(&format!(
            "made up  {} rows of {} in {}\n",
            integer(rows),
            made.columns.join(", "),
            made.out
        )),
    })?;
    Ok(Ended::Holds)
}
