//! `throng argus POLICY`: interactive at a terminal, or with given or piped commands.

use std::fmt::Write;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use serde::Serialize;
use throng::argus::{self, Argus, Command, Outlook, Suggestion, Value, Verdict};
use throng::error::{Error, Result};
use throng::fault;
use throng::watch::Watch;
use throng_engine::{Engine, Existing, Held, PolicyFile};

use super::json;
use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::{Line, prompting};
use crate::show::{self, integer, note, out, sanitized};

/// The most rare combinations of values that are shown of each combination of columns.
const VALUES: usize = 10;

pub fn run(args: &args::Argus) -> Result<Ended> {
    let by_hand = args.commands.is_empty() && std::io::stdin().is_terminal();
    if by_hand && args.output.json {
        let help = "give --do, or pipe commands; without --json you can work by hand";
        return Err(fault!(
            Input,
            "arguments.json-needs-script",
            "--json needs commands: give --do or piped input"
        )
        .key("--json")
        .help(help)
        .into());
    }
    let (policy, text) = PolicyFile::read(&args.policy)?;
    let engine = Engine::new();
    let line = Line::new();
    let watch = line.watch();
    let held = engine.hold(&policy, &watch);
    line.clear();
    let held = held.map_err(|e| in_policy(e, &policy, &text))?;
    if let Some(out) = &args.out {
        held.check_output(out, args.overwrite.existing())?;
    }
    let argus = held.begin().map_err(|e| in_policy(e, &policy, &text))?.watched(&watch);
    let mut desk = Desk { args, engine: &engine, held: &held, argus, written: Vec::new(), line, watch };
    let done = if by_hand { desk.by_hand() } else { desk.by_script() };
    desk.line.clear();
    done?;
    let verdict = desk.argus.verdict();
    desk.line.clear();
    let verdict = verdict?;
    Ok(if verdict.k_anonymity.holds { Ended::Holds } else { Ended::DoesNotHold })
}

/// What is printed as JSON.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    verdict: &'a Verdict,
    steps: Vec<String>,
    outlook: Outlook,
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
    written: &'a [String],
}

/// The table that is worked on, and what was written of it.
struct Desk<'a> {
    args: &'a args::Argus,
    engine: &'a Engine,
    held: &'a Held,
    argus: Argus<'a>,
    written: Vec<String>,
    line: Line,
    watch: Watch,
}

impl Desk<'_> {
    /// Reports an error and waits for the next command.
    fn by_hand(&mut self) -> Result<()> {
        out(&self.state()?)?;
        out(argus::help())?;
        loop {
            out("argus> ")?;
            let mut line = String::new();
            let read = prompting(|| std::io::stdin().lock().read_line(&mut line));
            if read.map_err(|e| unread(&e))? == 0 {
                out("\n")?;
                return self.write_out();
            }
            match self.obey(&line) {
                Ok(Some(Command::Quit)) => return self.write_out(),
                Ok(Some(Command::Generalize(..) | Command::Take(_) | Command::Suppress | Command::Undo)) => {
                    out(&self.state()?)?;
                }
                Ok(_) => {}
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => show::error(&error),
            }
        }
    }

    /// A mistake ends it, and nothing is written after it.
    fn by_script(&mut self) -> Result<()> {
        let lines: Vec<String> = match self.args.commands.is_empty() {
            true => {
                let lines = || std::io::stdin().lock().lines().collect::<std::io::Result<_>>();
                prompting(lines).map_err(|e| unread(&e))?
            }
            false => self.args.commands.clone(),
        };
        for (i, line) in lines.iter().enumerate() {
            let done = self.obey(line).map_err(|error| named(error, i + 1, line))?;
            if done == Some(Command::Quit) {
                break;
            }
        }
        self.write_out()?;
        self.print_state()
    }

    /// Writes the final table, if requested.
    fn write_out(&mut self) -> Result<()> {
        self.args.out.as_ref().map_or(Ok(()), |path| self.write(path))
    }

    /// Prints the final state.
    fn print_state(&self) -> Result<()> {
        if !self.args.output.json {
            out(&self.state()?)?;
            return Ok(());
        }
        let printed = Printed {
            verdict: &self.argus.verdict()?,
            steps: self.argus.steps(),
            outlook: self.argus.outlook()?,
            suggestions: self.argus.suggestions()?,
            values: self.args.values.then(|| self.argus.values(VALUES)).transpose()?,
            written: &self.written,
        };
        self.line.clear();
        out(&json(&printed)?)?;
        Ok(())
    }

    fn obey(&mut self, line: &str) -> Result<Option<Command>> {
        let Some(command) = self.argus.command(line)? else { return Ok(None) };
        match &command {
            Command::Generalize(column, level) => self.generalize(column, *level)?,
            Command::Take(number) => self.take(*number)?,
            Command::Suppress => {
                let cells = self.argus.suppress()?;
                self.say(&match cells {
                    0 => "nothing is rare: no cell was blanked".to_owned(),
                    1 => "1 cell was blanked".to_owned(),
                    n => format!("{} cells were blanked", integer(n)),
                })?;
            }
            Command::Undo => {
                let last = self.argus.steps().pop().unwrap_or_default();
                self.argus.undo()?;
                self.say(&format!("undone: {last}"))?;
            }
            Command::Show => self.say(self.state()?.trim_end())?,
            Command::Write(path) => {
                let path = path.as_ref().map(PathBuf::from).or(self.args.out.clone());
                let help = "for instance `write tested.csv`, or give --out";
                self.write(&path.ok_or_else(|| {
                    fault!(Input, "argus.no-output-file", "`write` needs a file").help(help)
                })?)?;
            }
            Command::Help => self.say(argus::help().trim_end())?,
            Command::Quit => {}
        }
        Ok(Some(command))
    }

    fn generalize(&mut self, column: &str, level: Option<usize>) -> Result<()> {
        let level = self.argus.generalize(column, level)?;
        self.say(&format!("{column} is at level {level}"))
    }

    fn take(&mut self, number: usize) -> Result<()> {
        let suggestions = self.argus.suggestions()?;
        let chosen = number.checked_sub(1).and_then(|at| suggestions.get(at));
        let Some(chosen) = chosen else {
            return Err(fault!(
                Input,
                "argus.no-such-suggestion",
                "there is no suggestion {number}",
                number = number
            )
            .help(format!("there are {}; `show` lists them", suggestions.len()))
            .into());
        };
        self.generalize(&chosen.column, Some(chosen.level))
    }

    fn write(&mut self, path: &Path) -> Result<()> {
        // What was written before the last steps is out of date.
        let own = self.written.contains(&path.display().to_string());
        let to = (path, Existing::by(self.args.overwrite.force || own));
        let paper = self.engine.write_argus(self.held, &self.argus, to, &self.watch)?;
        let verdict = Held::verdict_path(path);
        self.written.extend([paper.output.path, verdict.display().to_string()]);
        self.say(&format!("written     {}\nverdict     {}", path.display(), verdict.display()))
    }

    /// What was done; beside JSON, on standard error.
    fn say(&self, text: &str) -> Result<()> {
        let text = sanitized(text);
        self.line.clear();
        if !self.args.output.json {
            return out(&(text + "\n"));
        }
        note(&text);
        Ok(())
    }

    fn state(&self) -> Result<String> {
        let (verdict, outlook) = (self.argus.verdict()?, self.argus.outlook()?);
        let mut text = argus::text(&verdict, &outlook, &self.argus.suggestions()?);
        if self.args.values {
            let values = self.argus.values(VALUES)?;
            if !values.is_empty() {
                text += "\nrare values, at most ten of each combination of columns\n";
            }
            for value in values {
                let cells = value.columns.iter().zip(&value.values).map(|(c, v)| format!("{c} = {v}"));
                let _ = writeln!(text, "  {}: {}", cells.collect::<Vec<_>>().join(", "), value.rows);
            }
        }
        self.line.clear();
        Ok(sanitized(&text))
    }
}

fn unread(error: &std::io::Error) -> Error {
    fault!(Input, "argus.unreadable-input", "standard input cannot be read: {reason}", reason = error)
        .help("commands are UTF-8 text")
        .into()
}

/// Says which command of a script a mistake is in.
fn named(error: Error, number: usize, line: &str) -> Error {
    error.map(|fault| fault.within(format_args!("command {number}, `{}`", line.trim())))
}
