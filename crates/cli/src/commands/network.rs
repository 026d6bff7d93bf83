//! `throng network POLICY`.

use throng::error::Result;
use throng::network::text;
use throng::report::network_picture;
use throng_engine::{Engine, PolicyFile, Spared, write_atomically};

use super::json;
use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{out, sanitized};

pub fn run(args: &args::Network) -> Result<Ended> {
    let (policy, source) = PolicyFile::read(&args.policy)?;
    if let Some(path) = &args.out {
        Spared::of_policy(&policy).release_of(&policy).check([&**path], args.overwrite.existing())?;
    }
    let line = Line::new();
    let network = Engine::new()?.network(&policy, args.random.seed, &line.watch());
    line.clear();
    let facts = network.map_err(|e| in_policy(e, &policy, &source))?.facts();
    if let Some(path) = &args.out {
        write_atomically(path, network_picture(&facts).as_bytes())?;
    }
    out(&if args.output.json { json(&facts)? } else { sanitized(&text(&facts)) })?;
    Ok(Ended::Holds)
}
