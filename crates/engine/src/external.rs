//! A model outside of this program: a command that reads rows of CSV, a header first, and writes one number per row (Katirai, "The
//! Greedy-DXCG Algorithm", where starting the model was what cost most).
//!
//! All rows of a batch go to one run of it. It must answer within its time, with as many numbers as there are rows; otherwise it is ended and the
//! answer refused, with the number of the line and nothing of what was in it, because rows of people were. What it writes to its
//! standard error is not read, for the same reason. Processes that the command itself started are not ended with it. Costs a
//! process and two threads per batch.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use throng::cell::number;
use throng::error::{Error, Fault, Result};
use throng::predict::{Guide, Reader, Row, averaged};

/// Bytes that a number and the end of its line may have.
const LINE: u64 = 64;
/// How often it is looked whether a command has ended.
const LOOK: Duration = Duration::from_millis(5);

/// A command that predicts.
pub struct External {
    command: Vec<String>,
    folder: PathBuf,
    names: Vec<String>,
    reader: Reader,
    time: Duration,
}

impl External {
    /// A program with its arguments, run in a folder, for rows of the features that `reader` reads.
    pub fn new(
        command: Vec<String>,
        folder: &Path,
        names: Vec<String>,
        reader: Reader,
        seconds: u64,
    ) -> Self {
        External { command, folder: folder.to_owned(), names, reader, time: Duration::from_secs(seconds) }
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
        let mut child = self.started()?;
        let (mut to, from) = (child.stdin.take(), child.stdout.take());
        // A command that has heard enough may close its input.
        std::thread::spawn(move || to.as_mut().map(|to| to.write_all(&input)));
        let (send, answer) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            // One byte more than it may write tells that it wrote too much.
            let read = from.map(|from| from.take(most + 1).read_to_end(&mut text));
            let _ = send.send((read, text));
        });
        let Ok((read, text)) = answer.recv_timeout(self.time) else { return Err(self.late(&mut child)) };
        if text.len() as u64 > most {
            end(&mut child);
            return Err(wrong("the model wrote more than one number per row").into());
        }
        if let Some(Err(e)) = read {
            end(&mut child);
            return Err(wrong(format!("the model's answer cannot be read: {}", e.kind())).into());
        }
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(text),
                Ok(Some(status)) => return Err(failed(status).into()),
                Ok(None) if Instant::now() < ends => std::thread::sleep(LOOK),
                Ok(None) => return Err(self.late(&mut child)),
                Err(e) => return Err(wrong(format!("the model is lost: {}", e.kind())).into()),
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
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().map_err(|e| {
            wrong(format!("the model `{program}` cannot be started: {e}"))
                .help("check its name and whether it may be run; arguments are relative to the policy")
                .into()
        })
    }

    fn late(&self, child: &mut Child) -> Error {
        end(child);
        wrong(format!("the model did not answer within {} seconds", self.time.as_secs()))
            .help("raise search.model.seconds, or run it by hand to see what it waits for")
            .into()
    }
}

/// Ends a command and waits until it has.
fn end(child: &mut Child) {
    // One that has ended already cannot be ended, and that is all the same.
    let _ = child.kill();
    let _ = child.wait();
}

fn wrong(message: impl Into<String>) -> Fault {
    Fault::system(message.into()).key("search.model.command")
}

fn failed(status: ExitStatus) -> Fault {
    let how = status
        .code()
        .map_or("was ended from outside".to_owned(), |code| format!("ended with exit code {code}"));
    wrong(format!("the model {how}"))
        .help("run it by hand, with a header and a row of CSV on its standard input, to see why")
}

/// The numbers of an answer, one per line.
fn numbers(text: &[u8], rows: usize) -> Result<Vec<f64>> {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != rows {
        let message = format!("the model wrote {} lines for {rows} rows", lines.len());
        return Err(wrong(message).help("it must write one number per row, and no header").into());
    }
    let read = |(at, line): (usize, &&str)| {
        number(line).ok_or_else(|| {
            Error::from(
                wrong(format!("line {} of what the model wrote is not a number", at + 1))
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
        averaged(&self.reader, rows, |plain| {
            if plain.is_empty() {
                return Ok(Vec::new());
            }
            let answer = self.run(self.csv(plain)?, LINE * plain.len() as u64)?;
            numbers(&answer, plain.len())
        })
    }
}
