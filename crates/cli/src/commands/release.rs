//! `throng release POLICY`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use throng::error::{Error, Result};
use throng::release::{RegionFacts, Release};
use throng_engine::{Done, Engine, Job, PolicyFile};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts, interrupts};
use crate::show::{integer, out};

pub fn run(args: &args::Release) -> Result<Ended> {
    let patience = args.seconds.map(Duration::from_secs_f64);
    let done = release(&args.policy, args.out.clone(), args.seed, patience)?;
    if args.json {
        out(&json(&done.certificate.release)?)?;
    } else {
        out(&summary(&done))?;
    }
    Ok(Ended::Holds)
}

/// Releases as a policy says, with progress and Ctrl-C.
pub fn release(
    policy: &Path,
    output: Option<PathBuf>,
    seed: Option<u64>,
    patience: Option<Duration>,
) -> Result<Done> {
    catch_interrupts();
    let (policy, text) = PolicyFile::read(policy)?;
    let engine = Engine::new()?;
    let line = Line::new();
    let done = engine.release(&Job {
        policy: &policy,
        output,
        seed,
        patience,
        interrupts: &interrupts,
        progress: &|stage| line.stage(stage),
    });
    line.clear();
    done.map_err(|e| in_policy(e, &policy, &text))
}

/// Names the policy in faults about its keys, with their place.
pub fn in_policy(error: Error, policy: &PolicyFile, text: &str) -> Error {
    let name = policy.path.display().to_string();
    throng::policy::locate(error, text).map(|f| if f.place.span.is_some() { f.file(&name) } else { f })
}

/// What was done, for a person.
pub fn summary(done: &Done) -> String {
    // Of drawn rows the holder is told more than the certificate may.
    let r = &done.facts.release;
    let mut text = String::new();
    let share = if r.rows > 0 { 100.0 * r.suppressed as f64 / r.rows as f64 } else { 0.0 };
    for (model, claim) in &r.privacy {
        let achieved = claim.achieved.map_or("no rows".into(), |a| a.to_string());
        let verdict = if claim.holds { "holds" } else { "DOES NOT HOLD" };
        let _ = writeln!(text, "{model:<11} {verdict}: asked for {}, reached {achieved}", claim.required);
    }
    let _ = writeln!(
        text,
        "rows        {}, {} released, {} suppressed ({share:.2} %)",
        read(r),
        integer(r.released),
        integer(r.suppressed)
    );
    for facts in r.predicted.values() {
        let _ = writeln!(text, "predicted   {} rows released {}", integer(facts.rows), facts.reason());
    }
    text += &starred(done);
    let levels: Vec<String> = done
        .facts
        .columns
        .iter()
        .filter_map(|c| c.level.map(|l| format!("{} {l}/{}", c.name, c.height)))
        .collect();
    let _ = match &r.regions {
        Some(regions) => writeln!(text, "regions     {}", in_regions(regions)),
        None => writeln!(text, "levels      {}", levels.join(", ")),
    };
    let losses: Vec<String> = done
        .facts
        .losses
        .iter()
        .filter(|l| l.target || l.name == "prec" || l.name == "lm")
        .map(|l| format!("{} {:.4}", l.name, l.value))
        .collect();
    let _ = writeln!(text, "loss        {}", losses.join(", "));
    let proven = if r.search.optimal {
        "none is better".into()
    } else {
        format!("one at most {:.4} better may exist", r.search.gap)
    };
    let (algorithm, seconds) = (&r.search.algorithm, r.search.seconds);
    let _ = match r.regions {
        Some(_) => writeln!(text, "search      {algorithm} formed them ({seconds:.3} s)"),
        None => writeln!(
            text,
            "search      {algorithm}: {} of {} nodes checked, {proven} ({seconds:.3} s)",
            integer(r.search.checked),
            integer(r.search.nodes),
        ),
    };
    let checked = done.verdict.claims.values().filter(|f| !f.unchecked).count();
    let _ = writeln!(text, "verified    {checked} claims, against the original");
    let _ = writeln!(text, "release     {}", done.paths.output.display());
    let _ = writeln!(text, "certificate {}", done.paths.certificate.display());
    let _ = writeln!(text, "report      {}", done.paths.report.display());
    text
}

/// How many rows were read, and drawn where they were.
fn read(r: &Release) -> String {
    match r.sampling {
        None => format!("{} read", integer(r.rows)),
        Some(_) => format!("{} read, {} drawn", integer(r.input.rows), integer(r.rows)),
    }
}

/// How many rows were kept by starring how many cells, where any were.
fn starred(done: &Done) -> String {
    let (rows, cells) = done.certificate.release.rescued();
    if rows == 0 {
        return String::new();
    }
    if cells == 0 {
        let steps = done.certificate.release.steps.len();
        return format!(
            "steps       {steps}, each at levels of its own; the levels are those of the first\n"
        );
    }
    let columns = done.facts.columns.iter().filter(|c| c.starred > 0);
    let columns: Vec<String> = columns.map(|c| format!("{} {}", c.name, integer(c.starred))).collect();
    format!(
        "cells       {} starred to keep {}: {}\n",
        integer(cells),
        if rows == 1 { "1 row".into() } else { format!("{} rows", integer(rows)) },
        columns.join(", ")
    )
}

/// How many regions there are, and how their cells are written.
fn in_regions(regions: &RegionFacts) -> String {
    let forms = regions.forms.iter().map(|(name, form)| format!("{name} {}", form.name()));
    format!("{}; cells: {}", integer(regions.count), forms.collect::<Vec<_>>().join(", "))
}
