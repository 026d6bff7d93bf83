//! The definitions as a whole: the list of commands in groups, completions and manual pages, all
//! from the same definitions as the parser; and commands that are called otherwise elsewhere.

use clap::builder::Styles;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::Args;

/// The groups of the list of commands. A command that is in none is listed last.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Everyday commands",
        &[
            "demo", "inspect", "suggest", "release", "verify", "ledger", "key", "scrub", "measure", "risk",
            "attack", "stats",
        ],
    ),
    ("Policies and hierarchies", &["policy", "hierarchy", "schema"]),
    (
        "Research commands",
        &["explore", "compare", "evaluate", "screen", "network", "argus", "augment", "synth"],
    ),
    ("Installation", &["completions", "man"]),
];

/// What some commands are called elsewhere.
const ELSEWHERE: [(&str, &str); 19] = [
    ("anonymize", "release"),
    ("anonymise", "release"),
    ("deidentify", "release"),
    ("de-identify", "release"),
    ("protect", "release"),
    ("run", "release"),
    ("check", "verify"),
    ("validate", "verify"),
    ("prove", "verify"),
    ("init", "inspect"),
    ("profile", "inspect"),
    ("describe", "inspect"),
    ("redact", "scrub"),
    ("assess", "risk"),
    ("link", "attack"),
    ("reidentify", "attack"),
    ("generate", "synth"),
    ("statistics", "stats"),
    ("summary", "stats"),
];

/// The program with all its commands, as they are listed.
pub fn command() -> Command {
    let command = Args::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{{options}}{{after-help}}",
        groups(&command),
        heading(&command, "Options")
    );
    command.help_template(template)
}

fn heading(command: &Command, text: &str) -> String {
    let style = Styles::get_header(command.get_styles());
    format!("{style}{text}:{style:#}")
}

/// The commands in groups, each with its line.
fn groups(command: &Command) -> String {
    let grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let of = |names: &[&str]| -> Vec<&Command> {
        names.iter().filter_map(|name| command.find_subcommand(name)).collect()
    };
    let others =
        command.get_subcommands().filter(|sub| !sub.is_hide_set() && !grouped(sub.get_name())).collect();
    let all = GROUPS.iter().map(|&(title, names)| (title, of(names))).chain([("Other commands", others)]);
    all.filter(|(_, subs)| !subs.is_empty()).map(|(title, subs)| group(command, title, &subs)).collect()
}

fn group(command: &Command, title: &str, subs: &[&Command]) -> String {
    let style = command.get_styles().get_literal();
    let line = |sub: &&Command| {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        format!("  {style}{:<12}{style:#} {about}\n", sub.get_name())
    };
    format!("{}\n{}\n", heading(command, title), subs.iter().map(line).collect::<String>())
}

/// The error with the command that is meant, where the name is one that other programs use.
pub fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let named = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) if error.kind() == ErrorKind::InvalidSubcommand => name.clone(),
        _ => return error,
    };
    if let Some((_, meant)) = ELSEWHERE.iter().find(|(name, _)| *name == named) {
        let meant = ContextValue::Strings(vec![(*meant).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}

/// The commands that have a manual page, as they are typed after `throng`; the first is the program.
pub fn pages() -> Vec<String> {
    fn add(command: &Command, typed: &str, all: &mut Vec<String>) {
        all.push(typed.to_owned());
        for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
            add(sub, format!("{typed} {}", sub.get_name()).trim_start(), all);
        }
    }
    let mut all = Vec::new();
    add(&command(), "", &mut all);
    all
}

/// The manual page of a command, as `man` formats it; none if there is no such command.
pub fn manual(words: &[String]) -> Option<std::io::Result<Vec<u8>>> {
    let mut command = Args::command();
    command.build();
    let found = words.iter().try_fold(&command, |command, word| command.find_subcommand(word))?;
    let mut page = Vec::new();
    Some(clap_mangen::Man::new(found.clone()).render(&mut page).map(|()| page))
}

/// The script that completes commands and options in a shell.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "throng", &mut script);
    script
}
