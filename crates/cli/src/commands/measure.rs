//! `throng measure RELEASE --original TABLE --policy POLICY`.

use std::path::Path;

use throng::anonymous_system;
use throng::error::Result;
use throng::measure::{Correspondence, text};
use throng::policy::{Header, Input};
use throng_engine::{Engine, PolicyFile, Source, sniff};

use super::json;
use super::release::{in_policy, links_rows};
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{note, out, sanitized};

pub fn run(args: &args::Measure) -> Result<Ended> {
    let (policy, policy_text) = PolicyFile::read(&args.policy)?;
    let input = Input { path: args.original.clone(), ..policy.policy.input.clone() };
    let original = Source::open(&input, Path::new(""))?;
    let release = release(args, &policy)?;
    let rows = match (&args.key, args.same_order) {
        (Some(key), _) => Correspondence::Key(key),
        (None, true) => Correspondence::Order,
        (None, false) => Correspondence::None,
    };
    let line = Line::new();
    let tables = (&original, &release);
    if let Some(population) = &args.population {
        let population = outside(population, &policy)?;
        let external = args.external.iter().map(|path| outside(path, &policy));
        let external = external.collect::<Result<Vec<Source>>>()?;
        let asked = (rows, args.truth.as_deref());
        let known = (&population, &external[..]);
        let found = Engine::new().measure_protection(&policy, tables, known, asked, &line.watch());
        line.clear();
        let found = found.map_err(|e| in_policy(e, &policy, &policy_text))?;
        out(&if args.output.json { json(&found)? } else { sanitized(&anonymous_system::text(&found)) })?;
        return Ok(if found.holds() { Ended::Holds } else { Ended::DoesNotHold });
    }
    let rows_to = args.rows.as_deref().map(|path| (path, args.overwrite.existing()));
    let asked = (rows, args.starred);
    let measures = Engine::new().measure_release(&policy, tables, asked, rows_to, &line.watch());
    line.clear();
    let measures = measures.map_err(|e| in_policy(e, &policy, &policy_text))?;
    if let Some(path) = &args.rows {
        note(&format!("WARNING     {}", links_rows(path)));
    }
    out(&if args.output.json { json(&measures)? } else { sanitized(&text(&measures)) })?;
    Ok(if measures.holds() { Ended::Holds } else { Ended::DoesNotHold })
}

/// A table that outsiders have.
fn outside(path: &str, policy: &PolicyFile) -> Result<Source> {
    let mut input = sniff(path)?;
    input.null.clone_from(&policy.policy.input.null);
    Source::open(&input, Path::new(""))
}

/// The release, which another tool may have laid out otherwise than the original.
fn release(args: &args::Measure, policy: &PolicyFile) -> Result<Source> {
    let mut input = sniff(&args.release)?;
    input.null.clone_from(&policy.policy.input.null);
    // A release has a header line whatever its original has.
    input.header = policy.policy.input.header.filter(|header| *header == Header::FirstLine);
    args.layout.apply(&mut input);
    Source::open(&input, Path::new(""))
}
