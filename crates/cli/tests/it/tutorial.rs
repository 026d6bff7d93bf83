//! The console blocks of a page, typed one after the other: what it shows is what appears. Here
//! docs/tutorial.md; `twelve.rs` does the same with its page.
//!
//! A line that is nothing but `…` stands for any lines. Seconds in brackets differ from run to run
//! and are not compared, and of a digest the page shows the first eight digits; nothing else is
//! left out.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::env::TestEnv;

/// A fenced block of the page.
pub struct Block {
    pub kind: String,
    line: usize,
    text: Vec<String>,
}

/// A command with what the page shows after it.
pub struct Typed {
    line: usize,
    pub command: String,
    pub shown: Vec<String>,
}

/// A page of docs/.
pub fn page(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).unwrap()
}

pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (i, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => open = Some(Block { kind: kind.into(), line: i + 1, text: Vec::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is left open");
    blocks
}

/// Commands begin with `$ `, go on with `> ` or after a backslash, and are followed by what they
/// print.
pub fn typed(block: &Block) -> Vec<Typed> {
    let mut all: Vec<Typed> = Vec::new();
    for (i, line) in block.text.iter().enumerate() {
        if let Some(command) = line.strip_prefix("$ ") {
            let line = block.line + i + 1;
            all.push(Typed { line, command: command.into(), shown: Vec::new() });
            continue;
        }
        let last = all.last_mut().expect("a block begins with a command");
        match line.strip_prefix("> ") {
            Some(more) if last.shown.is_empty() => last.command += &format!("\n{more}"),
            _ if last.command.ends_with('\\') && last.shown.is_empty() => {
                last.command += &format!("\n{line}")
            }
            _ => last.shown.push(line.clone()),
        }
    }
    all
}

/// The page has the reader make `groups.toml` by hand: the last part of people.toml replaced by
/// this one.
fn groups(block: &Block) -> Option<String> {
    let is = block.kind == "toml" && block.text.iter().any(|l| l.contains("privacy.quasi.neighbour"));
    is.then(|| {
        format!(
            "sed '/^\\[privacy\\]/,$d' people.toml > groups.toml\ncat >> groups.toml <<'END'\n{}\nEND",
            block.text.join("\n")
        )
    })
}

/// The seconds that a search took.
fn without_seconds(line: &str) -> String {
    let line = line.trim_end();
    let Some((before, number)) = line.strip_suffix(" s)").and_then(|l| l.rsplit_once('(')) else {
        return line.to_owned();
    };
    if number.parse::<f64>().is_ok() { format!("{before}(seconds)") } else { line.to_owned() }
}

/// A line without what differs, and with digests as the page shows them.
fn normal(line: &str) -> String {
    let mut text = String::new();
    for word in without_seconds(line).split_inclusive(|c: char| !c.is_ascii_hexdigit()) {
        let digits = word.chars().take_while(char::is_ascii_hexdigit).count();
        match digits {
            64 => text += &format!("{}…{}", &word[..8], &word[64..]),
            _ => text += word,
        }
    }
    text
}

/// Whether lines are as shown; a line `…` stands for any lines.
fn same(shown: &[String], found: &[String]) -> bool {
    match shown.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=found.len()).any(|skip| same(rest, &found[skip..]))
        }
        Some((first, rest)) => {
            found.split_first().is_some_and(|(f, others)| normal(first) == normal(f) && same(rest, others))
        }
    }
}

/// Runs a script in one shell, so that folders and exit codes carry over, and gives what each
/// command printed.
fn run(env: &TestEnv, commands: &[String]) -> Vec<Vec<String>> {
    let program = Path::new(env!("CARGO_BIN_EXE_throng")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    // The mark goes between commands and leaves the exit code as it was.
    let script: String =
        commands.iter().map(|c| format!("{c}\n__code=$?; echo $'\\1'; (exit $__code)\n")).collect();
    let mut shell = Command::new("bash")
        .args(["-c", "exec 2>&1; source /dev/stdin"])
        .current_dir(env.path(""))
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = shell.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let printed = shell.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let mut parts: Vec<&str> = printed.split("\u{1}\n").collect();
    assert_eq!(parts.pop(), Some(""), "every command is followed by its mark");
    parts.iter().map(|part| part.lines().map(String::from).collect()).collect()
}

#[test]
fn what_the_tutorial_shows_is_what_appears() {
    let mut steps: Vec<Typed> = Vec::new();
    for block in blocks(&page("tutorial.md")) {
        let made = match block.kind.as_str() {
            "console" => {
                steps.extend(typed(&block));
                continue;
            }
            "sh" => Some(block.text.join("\n")),
            _ => groups(&block),
        };
        steps.extend(made.map(|command| Typed { line: block.line, command, shown: Vec::new() }));
    }
    assert!(steps.len() > 30, "{} commands", steps.len());
    appears("tutorial.md", &TestEnv::new(), &steps);
}

/// Types all commands, and fails with every one after which something else appears than the page
/// shows.
pub fn appears(page: &str, env: &TestEnv, steps: &[Typed]) {
    let commands: Vec<String> = steps.iter().map(|step| step.command.clone()).collect();
    let found = run(env, &commands);
    assert_eq!(found.len(), steps.len());
    let mut wrong = String::new();
    for (step, found) in steps.iter().zip(&found).filter(|(step, found)| !same(&step.shown, found)) {
        wrong += &format!(
            "docs/{page}:{}: $ {}\n--- shown\n{}\n--- found\n{}\n\n",
            step.line,
            step.command,
            step.shown.join("\n"),
            found.join("\n")
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_page_that_is_not_true_is_noticed() {
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
    let found = lines("rows 5\nsearch auto (0.019 s)\nend");
    assert!(same(&lines("rows 5\nsearch auto (1.5 s)\nend"), &found));
    assert!(same(&lines("rows 5\n…"), &found) && same(&lines("…\nend"), &found));
    assert!(!same(&lines("rows 6\n…"), &found));
    assert!(!same(&lines("rows 5\nsearch auto (0.019 s)"), &found));
    assert!(!same(&lines("rows 5\nsearch ola (0.019 s)\nend"), &found));
    assert!(!same(&[], &found));
    let digest = "0123456789abcdef".repeat(4);
    assert!(same(&lines("sha 01234567…, as it is"), &lines(&format!("sha {digest}, as it is"))));
    assert!(!same(&lines("sha 0123456a…, as it is"), &lines(&format!("sha {digest}, as it is"))));
}
