//! How far long work is, on standard error, and the signals that stop it.
//!
//! On a terminal progress is one line with a clock; it is removed at the end. With
//! `THRONG_PROGRESS=plain` it is lines of text, one where a stage begins and then one a second, for
//! logs and scripts. A thread keeps both going where a stage reports nothing.
//!
//! A request to stop is honoured within a second: by the work, which asks its watch, or after
//! [`GRACE`] by a thread that removes everything temporary and ends the program.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use throng::error::Error;
use throng::watch::{Cancel, Event, Progress, Stage, Watch};
use throng_engine::staging;

use crate::show::{self, integer, nodes, note, percent, sanitized};

/// Work that is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);
/// How often the clock of the line is drawn again.
const TICK: Duration = Duration::from_millis(120);
/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(1);
/// How long work may go on that was asked to stop.
const GRACE: Duration = Duration::from_millis(800);
/// How long standard error may take for a line of a program that was asked to stop.
const STALLED: Duration = Duration::from_millis(100);
/// How long a release that has got its names may take to print its summary.
const SUMMARY: Duration = Duration::from_secs(5);
/// What a shell expects of a program that was stopped.
const STOPPED: i32 = 130;

/// Stops whatever the program does.
static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);
/// How often Ctrl-C was pressed.
static PRESSED: AtomicUsize = AtomicUsize::new(0);
/// Whether the program waits for something to be typed.
static PROMPTING: AtomicBool = AtomicBool::new(false);
/// Whether the work has a result that it can return when asked to finish.
static HAS_RESULT: AtomicBool = AtomicBool::new(false);
/// Whether the command has ended by itself.
static ENDED: AtomicBool = AtomicBool::new(false);
/// Whether errors are JSON.
static JSON: AtomicBool = AtomicBool::new(false);
/// Whether no progress is shown.
static QUIET: AtomicBool = AtomicBool::new(false);
/// What is shown now.
static SHOWN: Mutex<Shown> =
    Mutex::new(Shown { started: None, latest: None, bar: None, last: None, begun: Vec::new(), found: None });

/// Begins to show progress, unless quiet, and catches signals. To be called before any other thread
/// starts.
pub fn begin(quiet: bool, json: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
    JSON.store(json, Ordering::Relaxed);
    catch_signals();
    shown().started = Some(Instant::now());
    if !quiet {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(TICK);
                shown().tick();
            }
        });
    }
}

/// The command has ended: what it shows now is not interrupted.
pub fn end() {
    ENDED.store(true, Ordering::Relaxed);
    clear();
    shown().started = None;
}

/// The first Ctrl-C asks for the best result so far where there is one, otherwise it stops; the
/// second one stops, and the third one exits at once. Other signals stop, and exit at once the
/// second time. Nothing temporary is left behind in any case.
fn catch_signals() {
    catch_termination();
    // If the handler cannot be set, a signal ends the program, as it does by default.
    let _ = ctrlc::set_handler(|| {
        let pressed = PRESSED.fetch_add(1, Ordering::Relaxed);
        match pressed {
            _ if PROMPTING.load(Ordering::Relaxed) => exit(),
            0 if HAS_RESULT.load(Ordering::Relaxed) => {
                CANCEL.finish();
                say("stopping with the best result so far; press Ctrl-C again to stop without a result");
            }
            0 | 1 => stop(),
            _ => exit(),
        }
    });
}

/// Signals whose default is to end the program without removing anything go to a thread of their
/// own, because the handler of Ctrl-C is not given the signal. It also handles some of them where a
/// thread does not block them. A file that gets too large is an error where it is written.
#[cfg(unix)]
fn catch_termination() {
    use nix::sys::signal::{SigSet, Signal};
    let signals: SigSet = [
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
        Signal::SIGXCPU,
        Signal::SIGXFSZ,
        Signal::SIGALRM,
        Signal::SIGVTALRM,
        Signal::SIGPROF,
        Signal::SIGUSR1,
        Signal::SIGUSR2,
    ]
    .into_iter()
    .collect();
    if signals.thread_block().is_err() {
        return;
    }
    std::thread::spawn(move || {
        let mut before = false;
        while let Ok(signal) = signals.wait() {
            if before || signal == Signal::SIGQUIT || PROMPTING.load(Ordering::Relaxed) {
                exit();
            }
            stop();
            before = true;
        }
    });
}

#[cfg(not(unix))]
fn catch_termination() {}

/// Asks all work to stop, and ends the program if it has not within [`GRACE`].
fn stop() {
    CANCEL.abort();
    std::thread::spawn(|| {
        std::thread::sleep(GRACE);
        // Otherwise it would say that nothing was written.
        if staging::has_published() || ENDED.load(Ordering::Relaxed) {
            std::thread::sleep(SUMMARY);
            exit();
        }
        staging::remove_all();
        std::thread::spawn(|| {
            std::thread::sleep(STALLED);
            std::process::exit(STOPPED)
        });
        clear();
        match JSON.load(Ordering::Relaxed) {
            true => show::error_json(&Error::cancelled()),
            false => show::error(&Error::cancelled()),
        }
        std::process::exit(STOPPED)
    });
    say("stopping; nothing is written");
}

/// Writes a line to standard error, and goes on without it where standard error is stalled, such as
/// a terminal whose connection is down: then a lock of the line of progress may never be free.
fn say(line: &'static str) {
    let (done, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        note(line);
        let _ = done.send(());
    });
    let _ = said.recv_timeout(STALLED);
}

/// Ends the program at once, without unwinding.
fn exit() -> ! {
    staging::remove_all();
    std::process::exit(STOPPED)
}

/// Whether Ctrl-C was pressed.
pub fn was_interrupted() -> bool {
    PRESSED.load(Ordering::Relaxed) > 0
}

/// Waits for something to be typed; meanwhile any signal ends the program, and no progress is shown.
pub fn prompting<T>(read: impl FnOnce() -> T) -> T {
    clear();
    shown().started = None;
    PROMPTING.store(true, Ordering::Relaxed);
    let read = read();
    PROMPTING.store(false, Ordering::Relaxed);
    shown().started = Some(Instant::now());
    read
}

/// Removes the line of progress; it comes back if what follows takes long.
pub fn clear() {
    let mut shown = shown();
    if let Some(bar) = shown.bar.take() {
        bar.finish_and_clear();
    }
    (shown.latest, shown.last, shown.found) = (None, None, None);
    shown.begun.clear();
    shown.started = shown.started.map(|_| Instant::now());
}

/// Writes to standard error without getting into the line of progress.
pub fn beside<T>(write: impl FnOnce() -> T) -> T {
    let shown = shown();
    match &shown.bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

fn shown() -> MutexGuard<'static, Shown> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_plain() -> bool {
    static IS_PLAIN: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("THRONG_PROGRESS").is_some_and(|way| way == "plain"));
    *IS_PLAIN
}

/// What Ctrl-C does to some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finishing {
    /// There is no partial result.
    Never,
    /// A search returns its best result so far.
    Best,
    /// A comparison returns the runs that were made.
    Runs,
}

/// Shows progress.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// What Ctrl-C does during a search, in words.
    hint: &'static str,
    finishing: Finishing,
}

impl Line {
    /// Of work that has no partial result.
    pub fn new() -> Self {
        Line { hint: "", finishing: Finishing::Never }
    }

    /// Of work that returns its best result so far when asked to finish. States what Ctrl-C does
    /// during a search, at the end of the line.
    pub fn with_best(hint: &'static str) -> Self {
        Line { hint, finishing: Finishing::Best }
    }

    /// Of work that returns the runs it has made when asked to finish.
    pub fn with_runs(hint: &'static str) -> Self {
        Line { hint, finishing: Finishing::Runs }
    }

    /// The watch of all work: reports here, and signals stop it.
    pub fn watch(&self) -> Watch {
        let line = *self;
        Watch::new(CANCEL.clone()).listening(move |event| line.show(event))
    }

    fn show(self, event: Event<'_>) {
        if let Some(has) = self.has_result(event) {
            HAS_RESULT.store(has, Ordering::Relaxed);
        }
        if !QUIET.load(Ordering::Relaxed) {
            shown().show(event, self.hint);
        }
    }

    /// Whether there is a result that can be returned, as far as an event shows it.
    fn has_result(self, event: Event<'_>) -> Option<bool> {
        match event {
            _ if self.finishing == Finishing::Never => None,
            Event::Run { done, .. } => Some(done > 0),
            _ if self.finishing == Finishing::Runs => None,
            Event::Searching(progress) => progress.best.map(|_| true),
            Event::Found { .. } => Some(true),
            Event::Done { stage: Stage::Forming | Stage::ChoosingCells, .. } => None,
            Event::Done { .. } => Some(false),
            _ => None,
        }
    }

    /// Removes the line. What follows has no partial result.
    pub fn clear(&self) {
        HAS_RESULT.store(false, Ordering::Relaxed);
        clear();
    }
}

/// What is shown now.
struct Shown {
    /// When the work began; none where no progress is shown.
    started: Option<Instant>,
    /// The stage of the last event, and how far it is.
    latest: Option<(String, String)>,
    bar: Option<ProgressBar>,
    /// The stage of the last plain line, and when it was written.
    last: Option<(String, Instant)>,
    /// The stages that have had a plain line.
    begun: Vec<String>,
    /// The result that Ctrl-C would release.
    found: Option<String>,
}

impl Shown {
    fn show(&mut self, event: Event<'_>, hint: &str) {
        self.remember(event);
        let (stage, mut rest) = self.stage(event);
        let stoppable = matches!(event, Event::Searching(_) | Event::Run { .. }) || self.found.is_some();
        if is_plain() {
            // Stages that overlap take turns.
            if !self.begun.contains(&stage) || self.last.as_ref().is_none_or(|(_, at)| at.elapsed() >= PLAIN)
            {
                self.line(&stage, &rest);
            }
        } else if stoppable && !hint.is_empty() {
            rest += &format!("; {hint}");
        }
        self.latest = Some((stage, rest));
        if let Some(bar) = &self.bar {
            bar.set_message(self.message());
        }
    }

    /// Keeps the result that is being improved.
    fn remember(&mut self, event: Event<'_>) {
        match event {
            Event::Found { .. } => self.found = Some(text(event).1),
            Event::Done { stage: Stage::Forming, .. } => {}
            _ => self.found = None,
        }
    }

    /// The stage of an event. While a result is improved, it is that result.
    fn stage(&self, event: Event<'_>) -> (String, String) {
        let (stage, rest) = text(event);
        match (&self.found, event) {
            (Some(found), Event::Done { .. }) => (format!("{found}, improving"), rest),
            _ => (stage, rest),
        }
    }

    /// Goes on where nothing is reported.
    fn tick(&mut self) {
        let Some(started) = self.started else { return };
        let (stage, rest) = self.latest.clone().unwrap_or_else(|| ("working".to_owned(), String::new()));
        if is_plain() {
            let since = self.last.as_ref().map_or(started, |(_, at)| *at);
            if since.elapsed() >= PLAIN {
                let rest = if rest.is_empty() { rest } else { rest + ", " };
                self.line(&stage, &format!("{rest}{} s", started.elapsed().as_secs()));
            }
        } else if self.bar.is_none() && started.elapsed() >= PATIENCE {
            let bar = ProgressBar::new_spinner().with_elapsed(started.elapsed());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            bar.set_message(self.message());
            bar.enable_steady_tick(TICK);
            self.bar = Some(bar);
        }
    }

    fn message(&self) -> String {
        match &self.latest {
            Some((stage, rest)) => sanitized(&format!("{stage}: {rest}")),
            None => "working".to_owned(),
        }
    }

    /// Writes a plain line.
    fn line(&mut self, stage: &str, rest: &str) {
        let _ = writeln!(std::io::stderr(), "{}", sanitized(&format!("{stage}: {rest}")));
        self.last = Some((stage.to_owned(), Instant::now()));
        if !self.begun.iter().any(|begun| begun == stage) {
            self.begun.push(stage.to_owned());
        }
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
        Stage::Hashing | Stage::Scrubbing => format!("{} of {} MB ({share} %)", mega(done), mega(of)),
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
        Stage::Suggesting => ("looking for settings that keep more", "tries"),
        Stage::Scrubbing => ("scrubbing", "bytes"),
        Stage::Comparing => ("comparing with earlier releases", "rows"),
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
        let mut shown =
            Shown { started: None, latest: None, bar: None, last: None, begun: Vec::new(), found: None };
        let mut line = |event| {
            shown.show(event, "Ctrl-C releases it");
            shown.message()
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
    fn only_work_with_a_result_is_asked_to_finish() {
        let searching = |best| Event::Searching(Progress { checked: 1, nodes: 2, best, bound: None });
        let done = |stage| Event::Done { stage, done: 1, of: None };
        let levels = Line::with_best("");
        assert_eq!(levels.has_result(searching(None)), None);
        assert_eq!(levels.has_result(searching(Some(0.5))), Some(true));
        assert_eq!(levels.has_result(done(Stage::Forming)), None);
        let found = Event::Found { method: "mondrian", loss: "lm", value: 0.2 };
        assert_eq!(levels.has_result(found), Some(true));
        for stage in [Stage::Reading, Stage::Writing, Stage::Verifying, Stage::Suggesting] {
            assert_eq!(levels.has_result(done(stage)), Some(false));
        }
        assert_eq!(Line::new().has_result(searching(Some(0.5))), None);
        let run = |done| Event::Run { done, of: 9, table: "t", algorithm: "auto", k: 5 };
        let runs = Line::with_runs("");
        assert_eq!((runs.has_result(run(0)), runs.has_result(run(1))), (Some(false), Some(true)));
        assert_eq!(runs.has_result(done(Stage::Reading)), None);
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
