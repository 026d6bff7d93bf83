//! A verification stops at every report of its progress, and reports after all rows were read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::random::case;
use throng_terms::watch::{Cancel, Event, Stage, Watch};

#[test]
fn every_report_can_stop_it() {
    let mut runner = TestRunner::deterministic();
    let mut tried = 0;
    while tried < 30 {
        let case = case().new_tree(&mut runner).unwrap().current();
        if !case.leaves_rows() {
            continue;
        }
        tried += 1;
        let made = case.release();
        let table = case.table(&made);
        let population = case.policy().population().map(|_| case.people_table());
        let judge = |stop_at: usize| {
            let (cancel, seen) = (Cancel::new(), Arc::new(AtomicUsize::new(0)));
            let (counter, handle) = (Arc::clone(&seen), cancel.clone());
            let watch = Watch::new(cancel).listening(move |event| {
                let verifying = matches!(event, Event::Done { stage: Stage::Verifying, .. });
                if verifying && counter.fetch_add(1, Ordering::Relaxed) + 1 == stop_at {
                    handle.finish();
                }
            });
            let verdict = case.judge_with(&made, Some(&table), population.as_ref(), &watch);
            (verdict, seen.load(Ordering::Relaxed))
        };
        let (verdict, reports) = judge(usize::MAX);
        verdict.unwrap();
        // At least one per table, and some of the stages after reading.
        assert!(reports >= 4, "{reports}");
        for stop_at in 1..=reports {
            let (verdict, seen) = judge(stop_at);
            assert!(verdict.unwrap_err().is_cancelled(), "{stop_at} of {reports}");
            // Threads that work at the same time may each have one report on its way.
            assert!(seen < stop_at + rayon::current_num_threads(), "{seen} reports, stopped at {stop_at}");
        }
    }
}
