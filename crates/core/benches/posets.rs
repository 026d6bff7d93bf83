//! Benchmarks of a large explicit poset: reading, transitive closure and bounds. Results:
//! docs/performance.md.
//!
//! `cargo bench -p throng --bench posets`. The poset has 20,000 nodes on five levels, as a
//! classification of diseases has; every seventh node has a second parent and every 21st a third.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use throng::hierarchy::File;
use throng::poset::{Poset, Spec};

const NODES: usize = 20_000;

fn file() -> String {
    let mut text = String::from("n0\n");
    for at in 1..NODES {
        let first = at / 12;
        text += &format!("n{at};;n{first}");
        for (every, step) in [(7, 1), (21, 2)] {
            if at % every == 0 && first > 12 {
                text += &format!(";n{}", first - step);
            }
        }
        text.push('\n');
    }
    text
}

fn all(bench: &mut Criterion) {
    let text = file();
    let spec = Spec::File(File::Path("nodes.csv".into()));
    let values: Vec<Option<String>> = (0..NODES).map(|at| Some(format!("n{at}"))).collect();
    let build = || Poset::build(&spec, values.clone(), &|_| Ok(text.clone())).expect("a poset");
    let mut group = bench.benchmark_group("posets");
    group.sample_size(10).throughput(Throughput::Elements(NODES as u64));
    group.bench_function("read and close", |b| b.iter(|| black_box(build())));
    let poset = build();
    let pairs = || (0..NODES as u32).map(|at| (at, (at * 7919) % NODES as u32));
    group.bench_function("pairs", |b| {
        b.iter(|| black_box(pairs().map(|(x, y)| poset.pair(x, y)).sum::<f64>()));
    });
    group.finish();
}

criterion_group!(posets, all);
criterion_main!(posets);
