//! Benchmarks of the methods that form regions of rows. Results: docs/performance.md.
//!
//! `cargo bench -p throng --bench regions` runs Mondrian on a million rows and every method on
//! fewer; with THRONG_DATA naming a folder that holds the adult table, on that too. Single
//! measurements, with CPU time and memory, are made by
//! `cargo run --release -p throng --example regions`.

mod tables;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use throng::policy::{By, Cut, Form, Mondrian, Search};
use throng::recode::methods;
use throng::recode::region::{Aims, Field, Judge, Method};
use throng::search::Problem;
use throng::space::{Axis, Measure, Space};
use throng::watch::Watch;

use tables::{LM, adult, nine, spread};

/// One method at k = 5 by the number of rows alone, with intervals where leaves are numbers.
fn regions(bench: &mut Criterion, method: &dyn Method, label: &str, problem: &Problem, options: Mondrian) {
    let axis = |(name, hierarchy)| {
        let new = |form| Axis::new(name, hierarchy, form, Measure::Leaves, 1.0);
        new(Form::Interval).or_else(|_| new(Form::Label)).expect("an axis")
    };
    let names = problem.names.iter().map(String::as_str);
    let space = Space::new(&problem.classes, names.zip(problem.hierarchies.iter()).map(axis).collect());
    let field = Field {
        space: &space,
        judge: Judge::new(&problem.classes, 5, Vec::new()),
        search: &Search { mondrian: Some(options), ..Search::default() },
        names: &problem.names,
        all_names: &problem.names,
        tolerance: vec![1.0; problem.names.len()],
        seed: 1,
        aims: Aims::default(),
        watch: Watch::none(),
    };
    let points: Vec<u32> = (0..space.len() as u32).collect();
    let mut group = bench.benchmark_group(method.name());
    group.sample_size(10).throughput(Throughput::Elements(problem.classes.rows()));
    group.bench_function(BenchmarkId::new(format!("{:?} {:?}", options.cut, options.by), label), |b| {
        b.iter(|| black_box(method.run(&field, &points).expect("a run").expect("not stopped")));
    });
    group.finish();
}

fn all(bench: &mut Criterion) {
    let mondrian = methods().into_iter().find(|method| method.name() == "mondrian").expect("a method");
    let large = spread(1_000_000, 5).problem(1.0, LM, "");
    for (cut, by) in [
        (Cut::Strict, By::Range),
        (Cut::Relaxed, By::Range),
        (Cut::Strict, By::Gain),
        (Cut::Strict, By::Entropy),
    ] {
        regions(bench, mondrian, "spread-1M", &large, Mondrian { cut, by, refine: None });
    }
    drop(large);
    regions(bench, mondrian, "nine-1M", &nine(1_000_000).problem(1.0, LM, ""), Mondrian::default());
    let small = spread(20_000, 5).problem(1.0, LM, "");
    let adult = adult().map(|table| table.problem(1.0, LM, ""));
    for method in methods().into_iter().filter(|method| !method.algorithm().entry().small_tables) {
        regions(bench, method, "spread-20k", &small, Mondrian::default());
        if let Some(problem) = &adult {
            regions(bench, method, "adult", problem, Mondrian::default());
        }
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
