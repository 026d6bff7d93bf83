//! `throng screen INPUT --target COLUMN`.

use std::path::Path;

use throng::error::Result;
use throng::screen::{Asked, text};
use throng_engine::{Engine, Source, sniff};

use super::json;
use super::network::reading;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts};
use crate::show::{out, sanitized};

pub fn run(args: &args::Screen) -> Result<Ended> {
    catch_interrupts();
    let mut input = sniff(&args.input)?;
    if let Some(delimiter) = args.delimiter {
        input.delimiter = delimiter;
    }
    if !args.nulls.is_empty() {
        input.null = std::iter::once(String::new()).chain(args.nulls.iter().cloned()).collect();
    }
    let source = Source::open(&input, Path::new(""))?;
    let asked = Asked {
        target: args.target.clone(),
        above: args.above,
        rare: args.rare,
        runs: args.runs,
        threshold: args.threshold,
        seed: args.seed,
    };
    let line = Line::new();
    let screened = Engine::new()?.screen(&source, asked, &|rows| reading(&line, rows));
    line.clear();
    let screened = screened?;
    out(&if args.json { json(&screened)? } else { sanitized(&text(&screened)) })?;
    Ok(Ended::Holds)
}
