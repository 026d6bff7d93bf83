//! `throng network POLICY`.

use throng::error::{Fault, Kind, Result};
use throng::network::text;
use throng::report::network_picture;
use throng_engine::{Engine, Existing, PolicyFile, Spared, write_atomically};

use super::json;
use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts, interrupts};
use crate::show::{integer, out, sanitized};

pub fn run(args: &args::Network) -> Result<Ended> {
    catch_interrupts();
    let (policy, source) = PolicyFile::read(&args.policy)?;
    if let Some(path) = &args.out {
        Spared::of_policy(&policy).release_of(&policy).check([&**path], Existing::by(args.force))?;
    }
    let line = Line::new();
    let network = Engine::new()?.network(&policy, args.seed, &|rows| reading(&line, rows));
    line.clear();
    let facts = network.map_err(|e| in_policy(e, &policy, &source))?.facts();
    if let Some(path) = &args.out {
        write_atomically(path, network_picture(&facts).as_bytes())?;
    }
    out(&if args.json { json(&facts)? } else { sanitized(&text(&facts)) })?;
    Ok(Ended::Holds)
}

/// Tells how many rows were read; an interrupt stops it.
pub fn reading(line: &Line, rows: u64) -> Result<()> {
    line.show(&format!("reading: {} rows", integer(rows)));
    match interrupts() {
        0 => Ok(()),
        _ => Err(Fault::new(Kind::Unsolvable, "stopped").into()),
    }
}
