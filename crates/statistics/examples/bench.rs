//! Seconds of the statistics on generated intervals: `cargo run --release -p throng-statistics
//! --example bench`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use throng_statistics::{Divisor, Intervals, PBox, Span, Spread, geometric_mean, mean, variance};

/// Intervals with starts that look random, and widths that may nest.
fn intervals(count: usize, nested: bool) -> Intervals {
    let mut data = Intervals::default();
    let mut state = 42u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    for _ in 0..count {
        let low = (next() * 8000.0).floor() / 100.0 + 1.0;
        let width = if nested { (next() * 2000.0).floor() / 100.0 } else { low / 10.0 };
        data.push(Span::between(low, low + width)).expect("valid intervals");
    }
    data
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = black_box(work());
    println!("{what:<50} {:>8.3} s", start.elapsed().as_secs_f64());
    result
}

fn main() {
    let million = intervals(1_000_000, false);
    let found = timed("variance, 1 M intervals without nesting", || variance(&million, Divisor::Sample));
    println!("  {found:?}");
    drop(million);
    let many = intervals(10_000_000, true);
    timed("mean, median, quantiles, p-box of 10 M intervals", || {
        let pbox = PBox::new(&many).expect("there are cells");
        let quantiles: Vec<_> = [0.05, 0.25, 0.5, 0.75, 0.95].map(|share| pbox.quantile(share)).into();
        (mean(&many), quantiles, pbox.outline(100))
    });
    timed("  mean alone", || mean(&many));
    let spread = timed("variance, 10 M intervals with nesting", || Spread::new(&many));
    println!("  {:?}", spread.variance(Divisor::Sample));
    timed("geometric mean, 10 M", || geometric_mean(&many));
}
