//! A line on standard error that says how far long work is, and Ctrl-C.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use throng_engine::Stage;

use crate::show::integer;

/// Work that is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

static INTERRUPTS: AtomicUsize = AtomicUsize::new(0);

/// Counts Ctrl-C from now on instead of dying of it; the third one kills.
pub fn catch_interrupts() {
    // If the handler cannot be set, Ctrl-C simply kills, as it does by default.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTS.fetch_add(1, Ordering::Relaxed) >= 2 {
            std::process::exit(130);
        }
    });
}

/// How often Ctrl-C was pressed.
pub fn interrupts() -> usize {
    INTERRUPTS.load(Ordering::Relaxed)
}

/// The line.
pub struct Line {
    started: Instant,
    bar: Mutex<Option<ProgressBar>>,
}

impl Line {
    /// Nothing is shown yet.
    pub fn new() -> Self {
        Line { started: Instant::now(), bar: Mutex::new(None) }
    }

    /// Shows a stage of a release.
    pub fn stage(&self, stage: Stage) {
        if self.started.elapsed() < PATIENCE {
            return;
        }
        self.show(&match stage {
            Stage::Reading(rows) => format!("reading: {} rows", integer(rows)),
            Stage::Searching(p) => {
                let best = p.best.map_or(String::new(), |b| format!(", best loss {b:.6}"));
                let bound = p.bound.map_or(String::new(), |b| format!(", none below {b:.6}"));
                format!("searching: {} of {} nodes checked{best}{bound}", integer(p.checked), p.nodes)
            }
            Stage::Forming(share) => format!("forming regions: {:.0} %", 100.0 * share),
            Stage::Writing(rows, all) => format!("writing: {} of {} rows", integer(rows), integer(all)),
            Stage::Verifying => "verifying".into(),
        });
    }

    /// Shows a text.
    pub fn show(&self, text: &str) {
        if self.started.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut bar) = self.bar.lock() else { return };
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_message(text.to_owned());
        bar.tick();
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if let Ok(Some(bar)) = self.bar.lock().map(|mut b| b.take()) {
            bar.finish_and_clear();
        }
    }
}
