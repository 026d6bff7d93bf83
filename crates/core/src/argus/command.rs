//! The command language of `throng argus`: one command per line.

use super::Argus;
use crate::error::{Fault, Result, nearest};
use crate::fault;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Generalizes a column, to a level or by one.
    Generalize(String, Option<usize>),
    /// Does what a suggestion says, by its number from 1.
    Take(usize),
    /// Blanks cells until nothing tested is rare.
    Suppress,
    /// Takes the last step back.
    Undo,
    /// Shows how the table is.
    Show,
    /// Writes the table, where another name is given, there.
    Write(Option<String>),
    /// Shows what can be typed.
    Help,
    /// Ends.
    Quit,
}

const NAMES: [&str; 7] = ["generalize", "suppress", "undo", "show", "write", "help", "quit"];

impl Argus<'_> {
    /// Reads a line; none where it is empty or a remark.
    ///
    /// # Errors
    /// An unknown command, or a missing argument.
    pub fn command(&self, line: &str) -> Result<Option<Command>> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = |command: Command| match rest {
            "" => Ok(Some(command)),
            _ => Err(fault!(
                Input,
                "argus.unexpected-argument",
                "`{command}` takes no argument (got `{argument}`)",
                command = word,
                argument = rest
            )
            .into()),
        };
        match word {
            "generalize" | "g" => self.generalized(rest).map(Some),
            "suppress" | "s" => alone(Command::Suppress),
            "undo" | "u" => alone(Command::Undo),
            "show" => alone(Command::Show),
            "write" | "w" => Ok(Some(Command::Write((!rest.is_empty()).then(|| rest.to_owned())))),
            "help" | "?" => alone(Command::Help),
            "quit" | "q" => alone(Command::Quit),
            word => match word.parse() {
                Ok(number) => alone(Command::Take(number)),
                Err(_) => Err(unknown(word).into()),
            },
        }
    }

    /// A column, whose name may have spaces, and perhaps a level.
    fn generalized(&self, rest: &str) -> Result<Command> {
        if rest.is_empty() {
            return Err(fault!(Input, "argus.no-column", "`generalize` needs a column")
                .help("for instance `generalize birth`")
                .into());
        }
        if self.subject.names.iter().any(|name| name == rest) {
            return Ok(Command::Generalize(rest.to_owned(), None));
        }
        let Some((column, level)) = rest.rsplit_once(char::is_whitespace) else {
            return self.column(rest).map(|_| Command::Generalize(rest.to_owned(), None));
        };
        let column = column.trim();
        self.column(column)?;
        match level.parse() {
            Ok(level) => Ok(Command::Generalize(column.to_owned(), Some(level))),
            Err(_) => Err(fault!(Input, "argus.not-a-level", "`{value}` is not a level", value = level)
                .help("give a whole number")
                .into()),
        }
    }
}

fn unknown(word: &str) -> Fault {
    let help = match nearest(word, NAMES) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("commands are {}", NAMES.join(", ")),
    };
    fault!(Input, "argus.unknown-command", "there is no command `{command}`", command = word).help(help)
}
