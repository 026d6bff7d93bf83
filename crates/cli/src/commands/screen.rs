//! `throng screen INPUT --target COLUMN`.

use std::path::Path;

use throng::error::Result;
use throng::screen::{Asked, text};
use throng_engine::{Engine, Source};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{out, sanitized};

pub fn run(args: &args::Screen) -> Result<Ended> {
    let source = Source::open(&args.layout.of(&args.input)?, Path::new(""))?;
    let asked = Asked {
        target: args.target.clone(),
        above: args.above,
        rare: args.rare,
        runs: args.runs,
        threshold: args.threshold,
        seed: args.random.seed,
    };
    let line = Line::new();
    let screened = Engine::new().screen(&source, asked, &line.watch());
    line.clear();
    let screened = screened?;
    out(&if args.output.json { json(&screened)? } else { sanitized(&text(&screened)) })?;
    Ok(Ended::Holds)
}
