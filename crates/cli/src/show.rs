//! Output: errors at their line or as JSON, aligned results, and escaped control characters.

use std::io::{ErrorKind, IsTerminal, Write};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity,
};
use serde::Serialize;
use throng::error::{Error, Fault, Result};
use throng::fault;

/// A quotation of more characters than the first number is cut to the second: what is quoted can be
/// a cell of any length.
const LONG: usize = 120;
const CUT: usize = 60;

/// Writes to standard output; a closed pipe is not an error.
///
/// # Errors
/// Everything else that keeps it from being written, above all a full disk.
pub fn out(text: &str) -> Result<()> {
    crate::progress::clear();
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(fault!(
            System,
            "system.standard-output",
            "standard output cannot be written: {reason}",
            reason = e
        )
        .help("check the free space of where it goes; what is there is not whole")
        .into()),
        _ => Ok(()),
    }
}

/// Writes a line to standard error.
pub fn note(text: &str) {
    let _ = crate::progress::beside(|| writeln!(std::io::stderr(), "{text}"));
}

/// Writes an error to standard error as one line of JSON: `{"error": {"faults": [ … ]}}`.
pub fn error_json(error: &Error) {
    #[derive(Serialize)]
    struct Document {
        error: Error,
    }
    let document = Document { error: error.clone().map(for_json) };
    match serde_json::to_string(&document) {
        Ok(text) => note(&text),
        Err(_) => self::error(error),
    }
}

/// Shows every fault; one with a place in a file is shown at its line.
pub fn error(error: &Error) {
    for fault in error.clone().map(shortened).faults() {
        let text = fault
            .place
            .span
            .as_ref()
            .and(fault.place.file.as_ref())
            .and_then(|f| std::fs::read_to_string(f).ok());
        note(text.map_or_else(|| plain(fault), |text| at_line(fault, text)).trim_end());
    }
}

fn plain(fault: &Fault) -> String {
    let mut text = format!("error[{}]: {}", fault.code, readable(&fault.to_string()));
    if let Some(help) = &fault.help {
        text += &format!("\n  help: {}", readable(help));
    }
    text
}

fn at_line(fault: &Fault, text: String) -> String {
    let mut shown = fault.clone();
    shown.place.file = None;
    let mut diagnostic = MietteDiagnostic::new(readable(&shown.to_string()))
        .with_code(fault.code)
        .with_severity(Severity::Error);
    if let Some(span) = &fault.place.span {
        diagnostic = diagnostic.with_label(LabeledSpan::at(span.clone(), "here"));
    }
    if let Some(help) = &fault.help {
        diagnostic = diagnostic.with_help(readable(help));
    }
    let name = fault.place.file.clone().unwrap_or_default();
    let report = Report::new(diagnostic).with_source_code(NamedSource::new(name, text));
    let theme = if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut rendered = String::new();
    match GraphicalReportHandler::new_themed(theme).render_report(&mut rendered, report.as_ref()) {
        Ok(()) => rendered,
        Err(_) => plain(fault),
    }
}

/// A fault whose long values are cut, among its arguments and in its message. Values are what a
/// message quotes; reasons are longer.
fn shortened(mut fault: Fault) -> Fault {
    for (_, value) in &mut fault.arguments {
        let short = cut(value);
        let quoted = format!("`{value}`");
        if short != *value && fault.message.contains(&quoted) {
            fault.message = fault.message.replace(&quoted, &format!("`{short}`"));
            *value = short;
        }
    }
    fault
}

/// A fault whose texts are safe to show, whatever they quote.
fn for_json(fault: Fault) -> Fault {
    let mut fault = shortened(fault);
    fault.message = readable(&fault.message);
    fault.help = fault.help.map(|help| readable(&help));
    fault.place.column = fault.place.column.map(|column| cut(&column));
    for (_, value) in &mut fault.arguments {
        *value = sanitized(value);
    }
    let place = &mut fault.place;
    for text in [&mut place.file, &mut place.key, &mut place.column].into_iter().flatten() {
        *text = sanitized(text);
    }
    fault
}

/// The beginning of a long text, otherwise all of it.
fn cut(text: &str) -> String {
    match text.char_indices().nth(CUT) {
        Some((end, _)) if text.chars().nth(LONG).is_some() => format!("{}…", &text[..end]),
        _ => text.to_owned(),
    }
}

/// A message as it is shown: harmless, and what it quotes at a length that can be read.
fn readable(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some((before, quoted)) = rest.split_once('`') {
        let Some((quoted, after)) = quoted.split_once('`') else { break };
        short += &format!("{before}`{}`", cut(quoted));
        rest = after;
    }
    sanitized(&(short + rest))
}

/// Control characters as escapes: what a file holds must not act on the terminal.
pub fn sanitized(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' { clean.extend(c.escape_default()) } else { clean.push(c) }
    }
    clean
}

/// A whole number with its thousands apart.
pub fn integer(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// A number of nodes; a large one as a power of ten.
pub fn nodes(n: u128) -> String {
    match u64::try_from(n) {
        Ok(n) if n < 1_000_000_000_000 => integer(n),
        _ if n == u128::MAX => "more than 10^38".into(),
        _ => {
            let text = format!("{:.1e}", n as f64);
            text.replace('e', " * 10^")
        }
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        hundred if hundred > 0.0 && hundred < 0.01 => "0.01 %".into(),
        hundred if hundred < 1.0 => format!("{hundred:.2} %"),
        hundred => format!("{hundred:.1} %"),
    }
}
