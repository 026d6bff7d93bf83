//! `throng explore POLICY`.

use std::fmt::Write;

use throng::error::{Fault, Result};
use throng::explore::{Explored, NodeFacts};
use throng::report::explored_page;
use throng_engine::{Engine, Exploration, OverwriteGuard, PolicyFile, write_atomically};

use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{integer, nodes, out, sanitized};

/// The most k-minimal nodes on the screen.
const SHOWN: usize = 10;

pub fn run(args: &args::Explore) -> Result<Ended> {
    let (policy, text) = PolicyFile::read(&args.policy)?;
    if let Some(path) = &args.out {
        OverwriteGuard::of_policy(&policy).release_of(&policy).check([&**path], args.overwrite.existing())?;
    }
    let engine = Engine::new();
    let line = Line::new();
    let explored = engine.explore(&Exploration { policy: &policy, around: args.around, watch: line.watch() });
    line.clear();
    let explored = explored.map_err(|e| in_policy(e, &policy, &text))?;
    if let Some(path) = &args.out {
        let title = policy.policy.input.path.rsplit(['/', '\\']).next().unwrap_or_default();
        write_atomically(path, explored_page(&explored, title, env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    if args.output.json {
        // A line per list of levels would be very many lines.
        let json = serde_json::to_string(&explored)
            .map_err(|e| Fault::bug(format!("cannot be written as JSON: {e}")))?;
        out(&(json + "\n"))?;
    } else {
        let mut text = summary(&explored);
        if let Some(path) = &args.out {
            let _ = writeln!(text, "\npage       {}", path.display());
        }
        out(&text)?;
    }
    Ok(if explored.summary.chosen.is_some() { Ended::Holds } else { Ended::DoesNotHold })
}

/// The lattice in numbers, for a person.
fn summary(explored: &Explored) -> String {
    let s = &explored.summary;
    let mut text = String::new();
    let part = s.around.map_or(String::new(), |steps| {
        format!(", {} of them within {steps} steps of the chosen one", integer(s.listed))
    });
    let _ = writeln!(text, "nodes      {}{part}", nodes(s.nodes));
    let _ = writeln!(text, "safe       {}", integer(s.safe));
    if let Some(tagged) = s.tagged {
        let _ =
            writeln!(text, "tagged     {}: nodes that OLA decides without computing them", integer(tagged));
    }
    let _ = writeln!(text, "k-minimal  {}", integer(s.minimal));
    match explored.nodes.iter().find(|n| n.chosen) {
        Some(node) => {
            let proven = if explored.optimal { "optimal for this loss" } else { "a better one may exist" };
            let _ = writeln!(
                text,
                "chosen     {}: {} {:.4}, {} rows suppressed; by {}, {proven}",
                sanitized(&explored.levels_in_words(node)),
                explored.loss,
                node.loss,
                integer(node.suppressed),
                explored.algorithm
            );
        }
        None => text += "chosen     none: no node is safe\n",
    }
    text + "\n" + &heights(explored) + &minimal(explored)
}

fn heights(explored: &Explored) -> String {
    let mut text = format!(
        "{:>6}  {:>9}  {:>9}  {:>9}  {:>9}  least {}\n",
        "height", "nodes", "safe", "tagged", "k-minimal", explored.loss
    );
    for h in explored.summary.heights.iter().rev() {
        let loss = h.loss.map_or("–".to_owned(), |loss| format!("{loss:.4}"));
        let tagged = explored.summary.tagged.map_or("–".to_owned(), |_| integer(h.tagged));
        let _ = writeln!(
            text,
            "{:>6}  {:>9}  {:>9}  {tagged:>9}  {:>9}  {loss}",
            h.height,
            integer(h.nodes),
            integer(h.safe),
            integer(h.minimal)
        );
    }
    text
}

/// The k-minimal nodes of least loss.
fn minimal(explored: &Explored) -> String {
    let mut nodes: Vec<&NodeFacts> = explored.nodes.iter().filter(|n| n.minimal).collect();
    nodes.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.height.cmp(&b.height)));
    if nodes.is_empty() {
        return String::new();
    }
    let mut text = "\nk-minimal nodes, by loss\n".to_owned();
    for node in nodes.iter().take(SHOWN) {
        let _ = writeln!(
            text,
            "  {}: {} {:.4}, {} rows suppressed",
            sanitized(&explored.levels_in_words(node)),
            explored.loss,
            node.loss,
            integer(node.suppressed)
        );
    }
    if nodes.len() > SHOWN {
        let _ = writeln!(text, "  … {} more; --json lists all", integer((nodes.len() - SHOWN) as u64));
    }
    text
}
