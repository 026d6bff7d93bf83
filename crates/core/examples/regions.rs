//! Runs one method that forms regions of rows on one table and prints the number of regions, the
//! cost of their cells, time and memory.
//!
//!     cargo run --release -p throng --example regions -- METHOD TABLE [K [THREADS [MODELS]]]
//!
//! TABLE is a folder with `adult.csv` and its hierarchies, or `nine`, `diagnosed`, `spread` (nearly
//! all tuples differ), `numbers` (the same, with five numeric columns), `wide` or `twelve` (columns
//! of it); another number of rows is written `nine:20000`. Columns are written as labels of their
//! hierarchies; with `+` after the method, numeric columns are written as intervals. MODELS are
//! entries of `privacy.models`; `diagnosed` has the sensitive column `c9` for them. Costs are LM: 0
//! for a cell that shows its value, 1 for one that shows nothing.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

#[path = "../benches/tables.rs"]
mod tables;

use std::time::Instant;

use throng::policy::{Form, Search};
use throng::recode::methods;
use throng::recode::region::{Aims, Field, Judge, Share, class_models};
use throng::search::Problem;
use throng::space::{Axis, Measure, Space};
use throng::watch::Watch;

fn table(name: &str) -> tables::Table {
    let (kind, rows) = name.split_once(':').unwrap_or((name, "1000000"));
    let rows = rows.parse().unwrap_or(1_000_000);
    match kind {
        "nine" => tables::nine(rows),
        "diagnosed" => tables::diagnosed(rows),
        "spread" => tables::spread(rows, 0),
        "numbers" => tables::spread(rows, 5),
        "wide" => tables::wide(rows),
        "twelve" => tables::twelve(rows),
        folder => tables::adult_in(folder.as_ref()).expect("a folder with adult.csv, or a table's name"),
    }
}

/// Labels everywhere; on request, intervals where all leaves are numbers.
fn axes(problem: &Problem, intervals: bool) -> Vec<Axis> {
    let axis = |(name, hierarchy): (&String, _)| {
        let new = |form| Axis::new(name, hierarchy, form, Measure::Leaves, 1.0);
        match intervals {
            true => new(Form::Interval).or_else(|_| new(Form::Label)),
            false => new(Form::Label),
        }
    };
    problem.names.iter().zip(problem.hierarchies.iter()).map(|pair| axis(pair).expect("an axis")).collect()
}

/// Column → mean cost of its cells; and the rows of every region.
fn costs(space: &Space, shares: &[Share]) -> (Vec<f64>, Vec<u64>) {
    let width = space.axes().len();
    let regions = shares.iter().map(|share| share.region as usize + 1).max().unwrap_or(0);
    let mut ranges = vec![(u32::MAX, 0); regions * width];
    let mut rows = vec![0; regions];
    for share in shares {
        rows[share.region as usize] += u64::from(share.rows);
        let ranges = &mut ranges[share.region as usize * width..][..width];
        for (column, (low, high)) in ranges.iter_mut().enumerate() {
            let rank = space.rank(share.point as usize, column);
            (*low, *high) = ((*low).min(rank), (*high).max(rank));
        }
    }
    let all: u64 = rows.iter().sum();
    let mean = |(column, axis): (usize, &Axis)| {
        let cost = |(region, &rows): (usize, &u64)| {
            let (low, high) = ranges[region * width + column];
            rows as f64 * axis.cost(low, high)
        };
        rows.iter().enumerate().map(cost).sum::<f64>() / all as f64
    };
    (space.axes().iter().enumerate().map(mean).collect(), rows)
}

/// CPU seconds of this process, and its peak memory in MB; 0 if the system does not report them.
fn spent() -> (f64, f64) {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let stat = read("/proc/self/stat");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    let status = read("/proc/self/status");
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let peak = peak.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0);
    ((ticks(11) + ticks(12)) / 100.0, peak / 1000.0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).cloned().unwrap_or(default.into());
    let wanted = argument(0, "mondrian");
    let name = wanted.trim_end_matches('+');
    let method = methods().into_iter().find(|method| method.name() == name).expect("a method");
    let least: u64 = argument(2, "5").parse().expect("k");
    let threads: usize = argument(3, "0").parse().expect("a number of threads");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("threads");
    let problem = table(&argument(1, "nine")).problem(1.0, tables::LM, &argument(4, ""));
    let space = Space::new(&problem.classes, axes(&problem, wanted.ends_with('+')));
    let field = Field {
        space: &space,
        judge: Judge::new(&problem.classes, least, class_models(&problem.models, true)),
        search: &Search::default(),
        names: &problem.names,
        all_names: &problem.names,
        tolerance: vec![1.0; problem.names.len()],
        seed: 1,
        aims: Aims::default(),
        watch: Watch::none(),
    };
    if let Some(fault) = method.refuses(&field) {
        panic!("{fault:?}");
    }
    let points: Vec<u32> = (0..space.len() as u32).collect();
    let (before, _) = spent();
    let started = Instant::now();
    let shares = method.run(&field, &points).expect("regions").expect("not stopped");
    let (after, peak) = spent();
    println!(
        "{} rows, {} points: {:.2} s of CPU, {:.2} s, {peak:.0} MB at most",
        problem.classes.rows(),
        space.len(),
        after - before,
        started.elapsed().as_secs_f64(),
    );
    let (costs, rows) = costs(&space, &shares);
    let least = rows.iter().min().copied().unwrap_or(0);
    println!("{} regions of {least} rows at least", rows.len());
    problem.names.iter().zip(&costs).for_each(|(name, cost)| println!("{cost:10.6}  {name}"));
    let geometric = costs.iter().map(|cost| cost + 1.0).product::<f64>().powf(1.0 / costs.len() as f64) - 1.0;
    println!("{:10.6}  in all\n{geometric:10.6}  geometric", costs.iter().sum::<f64>());
}
