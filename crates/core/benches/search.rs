//! Benchmarks of the searches. Results: docs/performance.md.
//!
//! `cargo bench -p throng` runs on a generated table of 1.2 million rows. With THRONG_DATA naming a
//! folder that holds the adult table (adult/adult.csv and its hierarchies), it runs on that too.
//! Searches that take minutes, or never end, are run once by
//! `cargo run --release -p throng --example search`.

mod tables;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use throng::hierarchy;
use throng::search::{Evaluator, Outcome, Problem, solve, strategy};
use throng::table::Dictionary;
use throng::watch::{Cancel, Event, Watch};

use tables::{LM, adult, diagnosed, nine, wide};

fn search(bench: &mut Criterion, label: &str, problem: &Problem, algorithm: &str) {
    let strategy = strategy(algorithm.parse().expect("a known name")).expect("a strategy");
    let mut group = bench.benchmark_group("search");
    group.sample_size(10);
    group.bench_function(BenchmarkId::new(algorithm, label), |b| {
        b.iter(|| {
            let (outcome, _) = solve(problem, strategy, &Watch::none()).expect("a run");
            assert!(matches!(outcome, Outcome::Found { .. }));
            black_box(outcome)
        });
    });
    group.finish();
}

/// One check of every node: the time of a run over the number of nodes is the cost of a check.
fn checks(bench: &mut Criterion, label: &str, problem: &Problem) {
    let nodes: Vec<_> = problem.lattice.iter().collect();
    let mut group = bench.benchmark_group("check");
    group.sample_size(10).throughput(criterion::Throughput::Elements(nodes.len() as u64));
    group.bench_function(label, |b| {
        b.iter(|| {
            let mut evaluator = Evaluator::new(problem);
            for node in &nodes {
                black_box(evaluator.judge(node));
            }
        });
    });
    group.finish();
}

/// The first checks of a search that cannot be finished.
fn begun(bench: &mut Criterion, label: &str, problem: &Problem, checks: u64) {
    let auto = strategy("auto".parse().expect("a known name")).expect("a strategy");
    let mut group = bench.benchmark_group("begun");
    group.sample_size(10).throughput(criterion::Throughput::Elements(checks));
    group.bench_function(label, |b| {
        b.iter(|| {
            let cancel = Cancel::new();
            let stop = cancel.clone();
            let watch = Watch::new(cancel).listening(move |event| {
                if let Event::Searching(progress) = event
                    && progress.checked >= checks
                {
                    stop.finish();
                }
            });
            black_box(solve(problem, auto, &watch).expect("a run"))
        });
    });
    group.finish();
}

fn all(bench: &mut Criterion) {
    begun(bench, "wide-30k/lm/1", &wide(30_000).problem(1.0, LM, ""), 2_000);
    let table = nine(1_200_000);
    search(bench, "nine-1.2M/lm/0", &table.problem(0.0, LM, ""), "auto");
    search(bench, "nine-1.2M/lm/0.05", &table.problem(0.05, LM, ""), "auto");
    search(bench, "nine-1.2M/entropy/0", &table.problem(0.0, "\"entropy\"", ""), "auto");
    let models = "{ l_diversity = { column = \"c9\", kind = \"entropy\", l = 4 } }, \
                  { t_closeness = { column = \"c9\", distance = \"hierarchical\", t = 0.3 } }";
    search(bench, "diagnosed-1.2M/lm/0.05", &diagnosed(1_200_000).problem(0.05, LM, models), "auto");
    let Some(table) = adult() else { return };
    for suppression in [0.0, 0.02, 0.05, 1.0] {
        let label = format!("adult/lm/{suppression}");
        search(bench, &label, &table.problem(suppression, LM, ""), "auto");
    }
    for algorithm in ["auto", "ola", "incognito", "mingen", "samarati", "datafly"] {
        search(bench, "adult/entropy/0.05", &table.problem(0.05, "\"entropy\"", ""), algorithm);
    }
    checks(bench, "adult", &table.problem(0.05, LM, ""));
}

/// What it costs to build a hierarchy for many values.
fn hierarchies(bench: &mut Criterion) {
    let values: Vec<String> = (0..20_000).map(|i| format!("{i:05}")).collect();
    let dictionary = Dictionary::of(values.iter().map(|v| Some(v.as_str())));
    let spec = hierarchy::Spec::Postal(hierarchy::Postal { keep: vec![4, 3, 2, 1] });
    bench.bench_function("hierarchy/postal/20000", |b| {
        b.iter(|| {
            black_box(hierarchy::build(&spec, &dictionary, &|_| Ok(String::new())).expect("a hierarchy"))
        });
    });
}

criterion_group!(benches, all, hierarchies);
criterion_main!(benches);
