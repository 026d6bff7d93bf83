//! How far long work is, on standard error, and the signals that stop it.
//!
//! On a terminal progress is one line with a clock that goes on between reports; it is removed at
//! the end. With `THRONG_PROGRESS=plain` it is lines of text, one where a stage begins and then one
//! a second, for logs and scripts.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use throng::watch::{Cancel, Event, Progress, Stage, Watch};

use crate::show::{integer, nodes, note, percent, sanitized};

/// Work that is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);
/// How often the clock of the line is drawn again.
const TICK: Duration = Duration::from_millis(120);
/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(1);
/// What a shell expects of a program that was stopped.
const STOPPED: i32 = 130;

/// Stops whatever the program does.
static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);
/// How often Ctrl-C was pressed.
static PRESSED: AtomicUsize = AtomicUsize::new(0);
/// Whether the program waits for something to be typed.
static PROMPTING: AtomicBool = AtomicBool::new(false);

/// Whether no progress is shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Shows no progress from now on.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// From now on the first Ctrl-C asks for the best result so far, the second one stops, and the
/// third one exits at once; SIGTERM and SIGHUP stop. Nothing temporary is left behind in any case.
/// To be called before any other thread starts.
pub fn catch_signals() {
    catch_termination();
    // If the handler cannot be set, a signal ends the program, as it does by default.
    let _ = ctrlc::set_handler(|| {
        let pressed = PRESSED.fetch_add(1, Ordering::Relaxed);
        match pressed {
            _ if PROMPTING.load(Ordering::Relaxed) => exit(),
            0 => CANCEL.finish(),
            1 => CANCEL.abort(),
            _ => exit(),
        }
        note(match pressed {
            0 => "stopping with the best result so far; press Ctrl-C again to stop without a result",
            _ => "stopping; nothing is written",
        });
    });
}

/// SIGTERM and SIGHUP go to a thread of their own, because the handler of Ctrl-C is not given the
/// signal. It also handles them where a thread does not block them.
#[cfg(unix)]
fn catch_termination() {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    if signals.thread_block().is_err() {
        return;
    }
    std::thread::spawn(move || {
        let mut before = false;
        while signals.wait().is_ok() {
            if before || PROMPTING.load(Ordering::Relaxed) {
                exit();
            }
            CANCEL.abort();
            note("stopping; nothing is written");
            before = true;
        }
    });
}

#[cfg(not(unix))]
fn catch_termination() {}

/// Ends the program without unwinding.
fn exit() -> ! {
    throng_engine::staging::remove_all();
    std::process::exit(STOPPED)
}

/// Waits for something to be typed; meanwhile any signal ends the program.
pub fn prompting<T>(read: impl FnOnce() -> T) -> T {
    PROMPTING.store(true, Ordering::Relaxed);
    let read = read();
    PROMPTING.store(false, Ordering::Relaxed);
    read
}

/// Shows progress.
#[derive(Clone)]
pub struct Line {
    shown: Arc<Mutex<Shown>>,
    plain: bool,
    /// What Ctrl-C does during a search.
    hint: &'static str,
}

/// What is shown now.
struct Shown {
    started: Instant,
    bar: Option<ProgressBar>,
    /// The stage of the last plain line, and when it was written.
    last: Option<(String, Instant)>,
    /// The result that Ctrl-C would release.
    found: Option<String>,
}

impl Line {
    /// Nothing is shown yet.
    pub fn new() -> Self {
        let plain = std::env::var_os("THRONG_PROGRESS").is_some_and(|way| way == "plain");
        let shown = Shown { started: Instant::now(), bar: None, last: None, found: None };
        Line { shown: Arc::new(Mutex::new(shown)), plain, hint: "" }
    }

    /// States what Ctrl-C does during a search, at the end of the line.
    #[must_use]
    pub fn with_hint(mut self, hint: &'static str) -> Self {
        self.hint = hint;
        self
    }

    /// The watch of all work: reports here, and signals stop it.
    pub fn watch(&self) -> Watch {
        let line = self.clone();
        Watch::new(CANCEL.clone()).listening(move |event| line.show(event))
    }

    fn show(&self, event: Event<'_>) {
        if QUIET.load(Ordering::Relaxed) {
            return;
        }
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.remember(event);
        if self.plain {
            shown.plain(event);
        } else if shown.started.elapsed() >= PATIENCE {
            shown.bar(event, self.hint);
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
        (shown.started, shown.last, shown.found) = (Instant::now(), None, None);
    }
}

impl Shown {
    /// Keeps the result that is being improved.
    fn remember(&mut self, event: Event<'_>) {
        match event {
            Event::Found { .. } => self.found = Some(text(event).1),
            Event::Done { stage: Stage::Forming, .. } => {}
            _ => self.found = None,
        }
    }

    /// The line that shows an event. While a result is improved, it begins with that result.
    fn line(&self, event: Event<'_>, hint: &str) -> String {
        let (stage, rest) = text(event);
        let stoppable = matches!(event, Event::Searching(_) | Event::Run { .. }) || self.found.is_some();
        let hint = if stoppable && !hint.is_empty() { format!("; {hint}") } else { String::new() };
        match (&self.found, event) {
            (Some(found), Event::Done { .. }) => format!("{found}, improving: {rest}{hint}"),
            _ => format!("{stage}: {rest}{hint}"),
        }
    }

    fn plain(&mut self, event: Event<'_>) {
        let (stage, rest) = text(event);
        let due = self.last.as_ref().is_none_or(|(last, at)| *last != stage || at.elapsed() >= PLAIN);
        if due {
            note(&sanitized(&format!("{stage}: {rest}")));
            self.last = Some((stage, Instant::now()));
        }
    }

    fn bar(&mut self, event: Event<'_>, hint: &str) {
        let (started, line) = (self.started, self.line(event, hint));
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner().with_elapsed(started.elapsed());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            // The clock goes on where a stage reports nothing for a while.
            bar.enable_steady_tick(TICK);
            bar
        });
        bar.set_message(sanitized(&line));
    }
}

/// The stage of an event, and how far it is.
fn text(event: Event<'_>) -> (String, String) {
    match event {
        Event::Done { stage, done, of } => {
            let (name, unit) = stage_of(stage);
            (name.to_owned(), far(stage, done, of, unit))
        }
        Event::Searching(p) => ("searching".to_owned(), searching(&p)),
        Event::Found { method, loss, value } => ("found".to_owned(), format!("{method}: {loss} {value:.4}")),
        Event::Run { done, of, table, algorithm, k } => {
            let run = format!("run {} of {}", integer(done + 1), integer(of));
            (run, format!("{table}, {algorithm}, k = {k}"))
        }
        _ => ("working".to_owned(), String::new()),
    }
}

/// How far a search is: the nodes it checked, the best loss so far and how much better the best
/// possible one can be.
fn searching(p: &Progress) -> String {
    let best = p.best.map_or(String::new(), |best| format!(", best loss {best:.4}"));
    let gap = match (p.best, p.bound) {
        (Some(best), Some(bound)) if best > 0.0 && bound <= best => {
            format!(" (at most {} above the optimum)", percent((best - bound) / best))
        }
        _ => String::new(),
    };
    format!("{} of {} nodes checked{best}{gap}", integer(p.checked), nodes(p.nodes))
}

fn far(stage: Stage, done: u64, of: Option<u64>, unit: &str) -> String {
    let mega = |bytes: u64| integer(bytes / 1_000_000);
    let Some(of) = of else { return format!("{} {unit}", integer(done)) };
    let share = match of {
        0 => 100,
        of => u128::from(done.min(of)) * 100 / u128::from(of),
    };
    match stage {
        // What follows the last region is not counted.
        Stage::Forming if share >= 100 => "100 %, finishing".to_owned(),
        Stage::Forming => format!("{share} %"),
        Stage::Hashing => format!("{} of {} MB ({share} %)", mega(done), mega(of)),
        _ => format!("{} of {} {unit} ({share} %)", integer(done), integer(of)),
    }
}

/// What a stage is called, and what it counts.
fn stage_of(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Reading => ("reading", "rows"),
        Stage::Hashing => ("hashing", "bytes"),
        Stage::Forming => ("forming regions", ""),
        Stage::ChoosingCells => ("choosing cells to suppress", "classes"),
        Stage::Writing => ("writing", "rows"),
        Stage::Exploring => ("exploring", "nodes"),
        Stage::Verifying => ("verifying", "rows"),
        Stage::Combinations => ("counting rows", "combinations of columns"),
        Stage::SpecialUniques => ("counting special uniques", "combinations of columns"),
        Stage::Measuring => ("measuring", "columns or pairs of columns"),
        Stage::Drawing => ("drawing", "rows"),
        _ => ("working", "steps"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_a_share() {
        assert_eq!(far(Stage::Reading, 12_000, Some(50_000), "rows"), "12,000 of 50,000 rows (24 %)");
        assert_eq!(far(Stage::Reading, 12_000, None, "rows"), "12,000 rows");
        assert_eq!(far(Stage::Forming, 99, Some(100), ""), "99 %");
        assert_eq!(far(Stage::Forming, 100, Some(100), ""), "100 %, finishing");
        assert_eq!(far(Stage::Hashing, 5_000_000, Some(20_000_000), "bytes"), "5 of 20 MB (25 %)");
        assert_eq!(far(Stage::Writing, 0, Some(0), "rows"), "0 of 0 rows (100 %)");
    }

    #[test]
    fn a_result_that_is_improved_is_shown_until_the_search_ends() {
        let mut shown = Shown { started: Instant::now(), bar: None, last: None, found: None };
        let mut line = |event| {
            shown.remember(event);
            shown.line(event, "Ctrl-C releases it")
        };
        let forming = |done| Event::Done { stage: Stage::Forming, done, of: Some(100) };
        assert_eq!(line(forming(40)), "forming regions: 40 %");
        let found = Event::Found { method: "mondrian", loss: "lm", value: 0.2122 };
        assert_eq!(line(found), "found: mondrian: lm 0.2122; Ctrl-C releases it");
        assert_eq!(line(forming(7)), "mondrian: lm 0.2122, improving: 7 %; Ctrl-C releases it");
        let writing = Event::Done { stage: Stage::Writing, done: 1, of: None };
        assert_eq!(line(writing), "writing: 1 rows");
    }

    #[test]
    fn a_search_shows_how_good_its_best_is() {
        let mut p =
            Progress { checked: 4_774, nodes: 10_737_418_240_000_000_000_000_000, best: None, bound: None };
        assert_eq!(searching(&p), "4,774 of 1.1 * 10^25 nodes checked");
        (p.best, p.bound) = (Some(0.5), Some(0.45));
        assert_eq!(
            searching(&p),
            "4,774 of 1.1 * 10^25 nodes checked, best loss 0.5000 (at most 10.0 % above the optimum)"
        );
    }
}
