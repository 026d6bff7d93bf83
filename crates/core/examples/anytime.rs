//! How good the default search is when it is stopped: loss and bound after 1, 2, 5, 10, … seconds.
//!
//! `cargo run --release -p throng --example anytime -- [SECONDS] [SUPPRESSION] [ROWS] [SEED]` on the wide
//! generated table (24 columns, 5 · 10¹³ nodes), with geometric LM, suppressed rows counted, k = 5.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::sync::Mutex;
use std::time::Instant;

use throng::hierarchy::{self, Hierarchy};
use throng::policy::Policy;
use throng::search::{Budget, Grouped, Outcome, Problem, solve, strategy};
use throng::synth::Wide;
use throng::table::Dictionary;
use throng::tuples::Tuples;

fn problem(rows: usize, suppression: f64, seed: u64) -> Problem {
    let names: Vec<String> = (0..Wide::COLUMNS).map(Wide::name).collect();
    let mut dictionaries = Vec::new();
    let mut files = Vec::new();
    for (column, name) in names.iter().enumerate() {
        let paths = Wide::paths(column);
        dictionaries.push(Dictionary::of(paths.iter().map(|p| Some(p.leaf.as_str()))));
        let built = Hierarchy::new(paths, false).expect("a hierarchy");
        files.push((name.clone(), hierarchy::file::write(&built, ';')));
    }
    let mut tuples = Tuples::new(names.len());
    Wide::new(seed).rows().take(rows).for_each(|row| {
        tuples.insert(&row, 1);
    });
    let columns: String = names
        .iter()
        .map(|n| format!("[columns.{n}]\nrole = \"quasi\"\nhierarchy = {{ file = \"{n}\" }}\n"))
        .collect();
    let text = format!(
        "version = 1\n[input]\npath = \"x.csv\"\n{columns}[privacy]\nk = 5\nsuppression = {suppression:?}\n\
         [search]\nloss = {{ name = \"lm\", aggregate = \"geometric\", count_suppressed = true }}\n"
    );
    let policy = Policy::parse(&text).expect("a policy");
    let load =
        |path: &str| Ok(files.iter().find(|(name, _)| name == path).map(|f| f.1.clone()).unwrap_or_default());
    Problem::new(&policy, Grouped { names, measured: Vec::new(), dictionaries, tuples }, &load)
        .expect("a problem")
        .0
}

fn main() {
    let arguments: Vec<f64> = std::env::args().skip(1).map(|a| a.parse().expect("a number")).collect();
    let argument = |i: usize, default: f64| arguments.get(i).copied().unwrap_or(default);
    let (seconds, suppression) = (argument(0, 30.0), argument(1, 1.0));
    let problem = problem(argument(2, 30_000.0) as usize, suppression, argument(3, 1.0) as u64);
    let started = Instant::now();
    let told = Mutex::new([1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0].into_iter().peekable());
    let budget = Budget {
        cancelled: &|| started.elapsed().as_secs_f64() > seconds,
        progress: &|p| {
            let Ok(mut told) = told.lock() else { return };
            while told.next_if(|&at| started.elapsed().as_secs_f64() >= at).is_some() {
                let at = started.elapsed().as_secs_f64();
                println!("{at:7.2} s  {:9} checked  loss {:?}  bound {:?}", p.checked, p.best, p.bound);
            }
        },
    };
    let (outcome, account) = solve(&problem, strategy("auto").expect("auto"), &budget).expect("a run");
    let at = started.elapsed().as_secs_f64();
    match outcome {
        Outcome::Found { best, gap } => println!(
            "{at:7.2} s  {:9} checked  loss {:.6}  gap {gap:.6}  suppressed {}  node {:?}",
            account.checked,
            best.loss,
            best.suppressed,
            best.node.levels()
        ),
        other => println!("{other:?}"),
    }
}
