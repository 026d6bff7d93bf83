//! `throng screen INPUT --target COLUMN`.

use std::path::Path;

use throng::error::{Fault, Kind, Result};
use throng::screen::{Asked, text};
use throng_engine::{Engine, Source, sniff};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts, interrupts};
use crate::show::{integer, out, sanitized};

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
    let screened = Engine::new()?.screen(&source, asked, &|rows| {
        line.show(&format!("reading: {} rows", integer(rows)));
        match interrupts() {
            0 => Ok(()),
            _ => Err(Fault::new(Kind::Unsolvable, "stopped").into()),
        }
    });
    line.clear();
    let screened = screened?;
    out(&if args.json { json(&screened)? } else { sanitized(&text(&screened)) });
    Ok(Ended::Holds)
}
