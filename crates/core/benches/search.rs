//! The searches on tables of known size: figures are in docs/performance.md.
//!
//! `cargo bench -p throng` runs on a generated table of 1.2 million rows. With THRONG_DATA naming a folder
//! that holds the adult table (adult/adult.csv and its hierarchies), it runs on that too.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use throng::hierarchy;
use throng::policy::Policy;
use throng::search::{Budget, Evaluator, Grouped, Outcome, Problem, solve, strategy};
use throng::synth::Skewed;
use throng::table::Dictionary;
use throng::tuples::Tuples;

/// A table as grouping leaves it, and the policy to release it under.
struct Table {
    names: Vec<String>,
    dictionaries: Vec<Dictionary>,
    tuples: Tuples,
    files: Vec<(String, String)>,
}

impl Table {
    fn problem(&self, suppression: f64, loss: &str) -> Problem {
        let columns: String = self
            .names
            .iter()
            .map(|n| format!("[columns.{n:?}]\nrole = \"quasi\"\nhierarchy = {{ file = \"{n}\" }}\n"))
            .collect();
        let text = format!(
            "version = 1\n[input]\npath = \"x.csv\"\n{columns}[privacy]\nk = 5\nsuppression = {suppression:?}\n\
             [search]\nloss = {loss}\n"
        );
        let policy = Policy::parse(&text).expect("a policy");
        let grouped = Grouped {
            names: self.names.clone(),
            measured: Vec::new(),
            dictionaries: self.dictionaries.clone(),
            tuples: self.tuples.clone(),
        };
        let load = |path: &str| {
            let found = self.files.iter().find(|(name, _)| name == path);
            Ok(found.map(|(_, text)| text.clone()).unwrap_or_default())
        };
        Problem::new(&policy, grouped, &load).expect("a problem").0
    }
}

/// Skewed independent columns with a lattice of 25,920 nodes.
fn skewed(rows: usize) -> Table {
    let source = Skewed::nine(1);
    let width = source.domains().len();
    let names: Vec<String> = (0..width).map(|c| source.name(c)).collect();
    let mut dictionaries: Vec<Dictionary> = Vec::new();
    let mut files = Vec::new();
    for (column, name) in names.iter().enumerate() {
        let paths = source.paths(column);
        dictionaries.push(Dictionary::of(paths.iter().map(|p| Some(p.leaf.as_str()))));
        let lines = paths.iter().map(|p| [vec![p.leaf.clone()], p.labels.clone()].concat().join(";") + "\n");
        files.push((name.clone(), lines.collect()));
    }
    let mut tuples = Tuples::new(width);
    let mut stream = source.rows(0);
    let mut row = vec![0; width];
    for _ in 0..rows {
        stream.fill(&mut row);
        tuples.insert(&row, 1);
    }
    Table { names, dictionaries, tuples, files }
}

/// The adult table, where it is there.
fn adult() -> Option<Table> {
    let folder = PathBuf::from(std::env::var_os("THRONG_DATA")?).join("adult");
    let text = std::fs::read_to_string(folder.join("adult.csv")).ok()?;
    let mut lines = text.lines();
    let names: Vec<String> = lines.next()?.split(';').map(String::from).collect();
    let mut dictionaries = vec![Dictionary::new(); names.len()];
    let mut tuples = Tuples::new(names.len());
    for line in lines {
        let row: Vec<u32> =
            line.split(';').zip(&mut dictionaries).map(|(cell, d)| d.add(Some(cell), 1)).collect();
        tuples.insert(&row, 1);
    }
    let file = |name: &String| {
        let path = folder.join(format!("adult_hierarchy_{name}.csv"));
        Some((name.clone(), std::fs::read_to_string(path).ok()?))
    };
    let files = names.iter().map(file).collect::<Option<Vec<_>>>()?;
    Some(Table { names, dictionaries, tuples, files })
}

const LM: &str = "{ name = \"lm\", aggregate = \"geometric\", count_suppressed = true }";

fn search(bench: &mut Criterion, label: &str, problem: &Problem, algorithm: &str) {
    let strategy = strategy(algorithm).expect("a strategy");
    let mut group = bench.benchmark_group("search");
    group.sample_size(10);
    group.bench_function(BenchmarkId::new(algorithm, label), |b| {
        b.iter(|| {
            let (outcome, _) = solve(problem, strategy, &Budget::unlimited()).expect("a run");
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

fn all(bench: &mut Criterion) {
    let table = skewed(1_200_000);
    search(bench, "skewed-1.2M/lm/0", &table.problem(0.0, LM), "auto");
    search(bench, "skewed-1.2M/lm/0.05", &table.problem(0.05, LM), "auto");
    search(bench, "skewed-1.2M/entropy/0", &table.problem(0.0, "\"entropy\""), "auto");
    let Some(table) = adult() else { return };
    for suppression in [0.0, 0.02, 0.05, 1.0] {
        let label = format!("adult/lm/{suppression}");
        search(bench, &label, &table.problem(suppression, LM), "auto");
    }
    for algorithm in ["auto", "ola", "incognito", "mingen", "samarati", "datafly"] {
        search(bench, "adult/entropy/0.05", &table.problem(0.05, "\"entropy\""), algorithm);
    }
    checks(bench, "adult", &table.problem(0.05, LM));
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
