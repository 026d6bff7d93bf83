//! The methods that form regions of rows, on tables of known size: figures are in docs/performance.md.
//!
//! `cargo bench -p throng --bench regions` runs on generated tables; with THRONG_DATA naming a folder that holds the adult table, on that
//! too. A million rows are run once by `cargo run --release -p throng --example regions`.

mod tables;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use throng::policy::{Form, Search};
use throng::recode::METHODS;
use throng::recode::region::{Field, Judge, Watch};
use throng::space::{Axis, Measure, Space};

use tables::{LM, Table, adult, spread};

fn regions(bench: &mut Criterion, label: &str, table: &Table) {
    let problem = table.problem(1.0, LM, "");
    let axis = |(name, hierarchy)| {
        let new = |form| Axis::new(name, hierarchy, form, Measure::Leaves, 1.0);
        new(Form::Interval).or_else(|_| new(Form::Label)).expect("an axis")
    };
    let axes = problem.names.iter().map(String::as_str).zip(&problem.hierarchies).map(axis).collect();
    let space = Space::new(&problem.classes, axes);
    let search = Search::default();
    let field = Field {
        space: &space,
        judge: Judge::new(&problem.classes, 5, Vec::new()),
        search: &search,
        names: &problem.names,
        tolerance: vec![1.0; problem.names.len()],
        seed: 1,
        watch: Watch::none(),
    };
    let points: Vec<u32> = (0..space.len() as u32).collect();
    let mut group = bench.benchmark_group("regions");
    group.sample_size(10);
    for method in METHODS {
        group.bench_function(BenchmarkId::new(method.name(), label), |b| {
            b.iter(|| black_box(method.run(&field, &points).expect("a run").expect("not stopped")));
        });
    }
    group.finish();
}

fn all(bench: &mut Criterion) {
    regions(bench, "numbers-20k", &spread(20_000, 5));
    if let Some(table) = adult() {
        regions(bench, "adult", &table);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
