//! A model outside of this program: a command that reads rows of CSV, a header first, and writes
//! one number per row [Katirai 2006, "The Greedy-DXCG Algorithm", where starting the model was what
//! cost most].
//!
//! All rows of a batch go to one run of it. It must answer within its time, with as many numbers as
//! there are rows; otherwise it is ended and the answer refused, with the number of the line and
//! nothing of what was in it, because rows of people were. What a command that failed wrote to its
//! standard error is counted and not quoted, because it can hold rows. A command that is late or no
//! longer wanted ends with all processes that it started, as long as they are of its group. Asked
//! the same again, it must say the same. Costs a process and three threads per batch.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use throng::cell::number;
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::predict::{Guide, Reader, Row, averaged};
use throng::watch::Watch;

use crate::error::unfinished;

/// Bytes that a number and the end of its line may have.
const LINE: u64 = 64;
/// How often it is looked whether a command has ended, and whether it is still wanted.
const LOOK: Duration = Duration::from_millis(5);
/// The time to wait for a command's last output after it has ended.
const LINGER: Duration = Duration::from_millis(200);
/// Bytes of its standard error that are read at a time.
const PART: usize = 4096;
/// The policy's key of the command.
const KEY: &str = "search.model.command";

/// A command that predicts.
pub struct External {
    command: Vec<String>,
    folder: PathBuf,
    names: Vec<String>,
    reader: Reader,
    time: Duration,
    watch: Watch,
    /// The key that faults name.
    key: &'static str,
    /// Digests of what it was asked, with those of what it said.
    said: Mutex<FxHashMap<[u8; 32], [u8; 32]>>,
}

impl External {
    /// A program with its arguments, run in a folder, for rows of the features that `reader` reads;
    /// it is no longer waited for when the watch says to finish.
    pub fn new(
        command: Vec<String>,
        folder: &Path,
        (names, reader): (Vec<String>, Reader),
        seconds: u64,
        watch: Watch,
    ) -> Self {
        let (folder, time) = (folder.to_owned(), Duration::from_secs(seconds));
        External { command, folder, names, reader, time, watch, key: KEY, said: Mutex::default() }
    }

    /// The same command, which another key than that of a policy names.
    #[must_use]
    pub fn named_by(self, key: &'static str) -> Self {
        External { key, ..self }
    }

    /// The same command, which remembers its answers, under another watch.
    pub(crate) fn watched(self, watch: Watch) -> Self {
        External { watch, ..self }
    }

    /// The rows as CSV; what is missing is empty.
    fn csv(&self, rows: &[Vec<f64>]) -> Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let unwritten = |e: csv::Error| Error::from(Fault::bug(format!("rows are not written: {e}")));
        writer.write_record(&self.names).map_err(unwritten)?;
        for row in rows {
            let cell = |(column, &cell): (usize, &f64)| self.reader.text(column, cell).unwrap_or_default();
            writer.write_record(row.iter().enumerate().map(cell)).map_err(unwritten)?;
        }
        writer.into_inner().map_err(|e| Fault::bug(format!("rows are not written: {e}")).into())
    }

    /// Runs the command on a text and gives what it wrote.
    fn run(&self, input: Vec<u8>, most: u64) -> Result<Vec<u8>> {
        let ends = Instant::now() + self.time;
        let mut running = Running::new(self.started()?);
        let (mut to, from) = (running.child.stdin.take(), running.child.stdout.take());
        // A command that has heard enough may close its input.
        std::thread::spawn(move || to.as_mut().map(|to| to.write_all(&input)));
        let (send, answer) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // One byte more than the limit shows that it wrote too much.
            let read = from.map(|from| from.take(most + 1).read_to_end(&mut text));
            let _ = send.send((read, text));
        });
        let (read, text) = loop {
            match answer.recv_timeout(LOOK) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Timeout) if self.watch.should_finish() => {
                    return Err(unfinished(&self.watch));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < ends => {}
                Err(_) => return Err(self.late(&running)),
            }
        };
        if text.len() as u64 > most {
            return Err(fault!(
                System,
                "command.too-much-output",
                "the model wrote more than one number per row"
            )
            .key(KEY)
            .into());
        }
        if let Some(Err(e)) = read {
            let fault = fault!(
                System,
                "command.unreadable-answer",
                "the model's answer cannot be read: {reason}",
                reason = e.kind()
            );
            return Err(fault.key(KEY).into());
        }
        loop {
            match running.ended() {
                Ok(Some(status)) if status.success() => return Ok(text),
                Ok(Some(status)) => return Err(failed(status, &running).into()),
                Ok(None) if self.watch.should_finish() => return Err(unfinished(&self.watch)),
                Ok(None) if Instant::now() < ends => std::thread::sleep(LOOK),
                Ok(None) => return Err(self.late(&running)),
                Err(e) => {
                    let fault =
                        fault!(System, "command.lost", "the model is lost: {reason}", reason = e.kind());
                    return Err(fault.key(KEY).into());
                }
            }
        }
    }

    fn started(&self) -> Result<Child> {
        let (program, arguments) =
            self.command.split_first().ok_or_else(|| Fault::bug("a model without a command"))?;
        let mut command = Command::new(program);
        // A policy beside which nothing is named is in this folder.
        let here = self.folder.as_os_str().is_empty();
        command.args(arguments).current_dir(if here { Path::new(".") } else { &self.folder });
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        grouped(&mut command);
        spawned(&mut command).map_err(|e| {
            fault!(
                System,
                "command.cannot-start",
                "the model `{program}` cannot be started: {reason}",
                program = program,
                reason = e
            )
            .key(KEY)
            .help("check its name and whether it may be run; arguments are relative to the policy")
            .into()
        })
    }

    fn late(&self, running: &Running) -> Error {
        let fault = fault!(
            System,
            "command.timeout",
            "the model did not answer within {seconds} seconds",
            seconds = self.time.as_secs()
        );
        running
            .with_last_words(fault)
            .help("raise its seconds, or run it by hand to see what it waits for")
            .into()
    }

    /// Refuses an answer that is not the one to the same rows before.
    fn repeated(&self, asked: [u8; 32], answer: &[f64]) -> Result<()> {
        let mut digest = Sha256::new();
        answer.iter().for_each(|number| digest.update(number.to_bits().to_le_bytes()));
        let answer: [u8; 32] = digest.finalize().into();
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if *said.entry(asked).or_insert(answer) == answer {
            return Ok(());
        }
        Err(fault!(System, "command.not-repeatable", "the model gives other numbers for the same rows")
            .key(KEY)
            .help("it must repeat its answers, or nobody can prove the release again: give it a fixed seed")
            .into())
    }
}

/// A command that was started. When this goes, so does the command with its group, unless it has
/// ended.
struct Running {
    child: Child,
    /// Once its end is known, its number may be another's.
    ended: bool,
    /// Bytes of its standard error.
    heard: Arc<AtomicU64>,
    listener: Option<JoinHandle<()>>,
}

impl Running {
    fn new(mut child: Child) -> Self {
        let heard = Arc::new(AtomicU64::new(0));
        let listener = child.stderr.take().map(|from| {
            let heard = Arc::clone(&heard);
            std::thread::spawn(move || listen(from, &heard))
        });
        Running { child, ended: false, heard, listener }
    }

    fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.ended = status.is_some();
        Ok(status)
    }

    /// A fault that says how much the command wrote to its standard error, if anything. What it
    /// wrote is not repeated: a model that fails often shows the row that it failed at.
    fn with_last_words(&self, mut fault: Fault) -> Fault {
        let waits = Instant::now() + LINGER;
        while self.listener.as_ref().is_some_and(|listener| !listener.is_finished()) && Instant::now() < waits
        {
            std::thread::sleep(LOOK);
        }
        match self.heard.load(Ordering::Relaxed) {
            0 => fault.key(KEY),
            bytes => {
                fault.message += &format!(
                    "; it wrote {bytes} bytes to its standard error, which can hold rows and are not shown"
                );
                fault.argument("stderr_bytes", bytes).key(KEY)
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            // One that has ended cannot be ended, and that is all the same.
            end_group(&self.child);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Counts what is written.
fn listen(mut from: impl Read, heard: &AtomicU64) {
    let mut part = [0; PART];
    while let Ok(read @ 1..) = from.read(&mut part) {
        heard.fetch_add(read as u64, Ordering::Relaxed);
    }
}

/// Makes a command the first of a group of processes, which can be ended together. Ctrl-C at a
/// terminal then does not reach it: we end it.
#[cfg(unix)]
fn grouped(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn grouped(_: &mut Command) {}

/// Starts a command with no signal blocked: a program that waits for signals in a thread of its own
/// blocks them in all others, and a command would inherit that.
#[cfg(unix)]
fn spawned(command: &mut Command) -> std::io::Result<Child> {
    use nix::sys::signal::SigSet;
    let blocked = SigSet::thread_get_mask()?;
    blocked.thread_unblock()?;
    let child = command.spawn();
    blocked.thread_block()?;
    child
}

#[cfg(not(unix))]
fn spawned(command: &mut Command) -> std::io::Result<Child> {
    command.spawn()
}

/// Ends a command that was not waited for, and everything that it started.
#[cfg(unix)]
fn end_group(child: &Child) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn end_group(_: &Child) {}

fn failed(status: ExitStatus, running: &Running) -> Fault {
    let fault = match status.code() {
        Some(code) => {
            fault!(System, "command.failed", "the model ended with exit code {exit_code}", exit_code = code)
        }
        None => fault!(System, "command.killed", "the model was ended from outside"),
    };
    running
        .with_last_words(fault)
        .help("run it by hand, with a header and a row of CSV on its standard input, to see why")
}

/// The numbers of an answer, one per line.
fn numbers(text: &[u8], rows: usize) -> Result<Vec<f64>> {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != rows {
        let fault = fault!(
            System,
            "command.wrong-line-count",
            "the model wrote {lines} lines for {rows} rows",
            lines = lines.len(),
            rows = rows
        );
        return Err(fault.key(KEY).help("it must write one number per row, and no header").into());
    }
    let read = |(at, line): (usize, &&str)| {
        number(line).ok_or_else(|| {
            Error::from(
                fault!(
                    System,
                    "command.not-a-number",
                    "line {line} of what the model wrote is not a number",
                    line = at + 1
                )
                .key(KEY)
                .help("it must write one number per row, and no header"),
            )
        })
    };
    lines.iter().enumerate().map(read).collect()
}

impl Guide for External {
    fn features(&self) -> &[String] {
        &self.names
    }

    fn predict(&self, rows: &[Row]) -> Result<Vec<f64>> {
        let said = averaged(&self.reader, rows, |plain| {
            if plain.is_empty() {
                return Ok(Vec::new());
            }
            let input = self.csv(plain)?;
            let asked = Sha256::digest(&input).into();
            let answer = self.run(input, LINE * plain.len() as u64)?;
            let answer = numbers(&answer, plain.len())?;
            self.repeated(asked, &answer)?;
            Ok(answer)
        });
        let named = |fault: Fault| match fault.place.key.as_deref() {
            Some(KEY) => fault.key(self.key),
            _ => fault,
        };
        said.map_err(|error| error.map(named))
    }
}
