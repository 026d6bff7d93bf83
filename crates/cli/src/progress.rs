//! How far long work is, on standard error, and the signals that stop it.
//!
//! On a terminal progress is one line that is taken away at the end. With `THRONG_PROGRESS=plain`
//! it is lines of text, one where a stage begins and then one a second, for logs and scripts.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use throng::watch::{Cancel, Event, Stage, Watch};

use crate::show::{integer, note, sanitized};

/// Work that is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);
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
            0 => "stopping with what there is; Ctrl-C again stops at once and leaves nothing behind",
            _ => "stopping; nothing is left behind",
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
            note("stopping; nothing is left behind");
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
}

/// What is shown now.
struct Shown {
    started: Instant,
    bar: Option<ProgressBar>,
    /// The stage of the last plain line, and when it was written.
    last: Option<(String, Instant)>,
}

impl Line {
    /// Nothing is shown yet.
    pub fn new() -> Self {
        let plain = std::env::var_os("THRONG_PROGRESS").is_some_and(|way| way == "plain");
        let shown = Shown { started: Instant::now(), bar: None, last: None };
        Line { shown: Arc::new(Mutex::new(shown)), plain }
    }

    /// The watch of all work: reports here, and signals stop it.
    pub fn watch(&self) -> Watch {
        let line = self.clone();
        Watch::new(CANCEL.clone()).listening(move |event| line.show(event))
    }

    fn show(&self, event: Event<'_>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if self.plain {
            shown.plain(event);
        } else if shown.started.elapsed() >= PATIENCE {
            shown.bar(event);
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = shown.bar.take() {
            bar.finish_and_clear();
        }
        (shown.started, shown.last) = (Instant::now(), None);
    }
}

impl Shown {
    fn plain(&mut self, event: Event<'_>) {
        let (stage, rest) = text(event);
        let due = self.last.as_ref().is_none_or(|(last, at)| *last != stage || at.elapsed() >= PLAIN);
        if due {
            note(&sanitized(&format!("{stage}: {rest}")));
            self.last = Some((stage, Instant::now()));
        }
    }

    fn bar(&mut self, event: Event<'_>) {
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        let (stage, rest) = text(event);
        bar.set_message(sanitized(&format!("{stage}: {rest}")));
        bar.tick();
    }
}

/// The stage of an event, and how far it is.
fn text(event: Event<'_>) -> (String, String) {
    match event {
        Event::Done { stage, done, of } => {
            let (name, unit) = stage_of(stage);
            (name.to_owned(), far(stage, done, of, unit))
        }
        Event::Searching(p) => {
            let best = p.best.map_or(String::new(), |b| format!(", best loss {b:.6}"));
            let bound = p.bound.map_or(String::new(), |b| format!(", none below {b:.6}"));
            let checked = integer(p.checked);
            ("searching".to_owned(), format!("{checked} of {} nodes checked{best}{bound}", p.nodes))
        }
        Event::Run { done, of, table, algorithm, k } => {
            let run = format!("run {} of {}", integer(done + 1), integer(of));
            (run, format!("{table}, {algorithm}, k = {k}"))
        }
        _ => ("working".to_owned(), String::new()),
    }
}

fn far(stage: Stage, done: u64, of: Option<u64>, unit: &str) -> String {
    let mega = |bytes: u64| integer(bytes / 1_000_000);
    match (stage, of) {
        (Stage::Forming, Some(of)) => format!("{} %", 100 * done / of.max(1)),
        (Stage::Hashing, Some(of)) => format!("{} of {} MB", mega(done), mega(of)),
        (_, Some(of)) => format!("{} of {} {unit}", integer(done), integer(of)),
        (_, None) => format!("{} {unit}", integer(done)),
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
