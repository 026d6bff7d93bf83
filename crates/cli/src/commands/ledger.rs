//! `throng ledger show|check|export POLICY`.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json as value};
use throng::error::{Error, Fault, Kind, Result};
use throng::fault;
use throng_engine::{OverwriteGuard, PolicyFile, write_atomically};
use throng_ledger::chain::{Body, Entry};
use throng_ledger::diagram::{page, svg};
use throng_ledger::{Ledger, Report, ViewReport, hex};

use super::json;
use super::release::in_policy;
use crate::Ended;
use crate::args::{self, LedgerCommand, Overwrite};
use crate::progress::Line;
use crate::show::{integer, out, sanitized};

pub fn run(args: &args::Ledger) -> Result<Ended> {
    match &args.command {
        LedgerCommand::Show { policy, output } => show(policy, output.json),
        LedgerCommand::Check { policy, output } => check(policy, output.json),
        LedgerCommand::Export { policy, out: file, overwrite, output } => {
            export(policy, file, overwrite, output.json)
        }
    }
}

/// The ledger of a policy, which must name one.
pub fn open(path: &Path) -> Result<(PolicyFile, Ledger)> {
    let (policy, text) = PolicyFile::read(path)?;
    let ledger = policy.ledger(false).map_err(|e| in_policy(e, &policy, &text))?;
    let none = || {
        fault!(Input, "ledger.none", "the policy names no ledger")
            .file(path.display().to_string())
            .help("add [ledger] with path, recipient and key_file: see docs/ledger.md")
    };
    Ok((policy, ledger.ok_or_else(none)?))
}

fn show(policy: &Path, as_json: bool) -> Result<Ended> {
    let (_, ledger) = open(policy)?;
    let entries = ledger.entries();
    out(&if as_json { json(&entries_json(entries)?)? } else { lines(entries) })?;
    Ok(Ended::Holds)
}

/// The entries as JSON.
fn entries_json(entries: &[Entry]) -> Result<Value> {
    let entry = |entry: &Entry| {
        let mut fields = serde_json::to_value(&entry.body).map_err(|e| Fault::bug(e.to_string()))?;
        if let Value::Object(fields) = &mut fields {
            fields.insert("number".into(), entry.number.into());
            fields.insert("at".into(), entry.at.clone().into());
            fields.insert("code".into(), hex(&entry.code).into());
        }
        Ok(fields)
    };
    Ok(value!({ "entries": entries.iter().map(entry).collect::<Result<Vec<Value>>>()? }))
}

/// The entries for a person, one per line.
fn lines(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return "no entries\n".into();
    }
    let mut text = String::new();
    for entry in entries {
        let what = match &entry.body {
            Body::Release(release) => {
                let with = match release.colludes_with.is_empty() {
                    true => String::new(),
                    false => format!(" (may collude with {})", release.colludes_with.join(", ")),
                };
                let withheld = match release.withheld {
                    0 => String::new(),
                    n => format!(", {} withheld", integer(n)),
                };
                format!(
                    "release to {}{with}: {}, {} people, k = {}{withheld}",
                    release.recipient,
                    release.output,
                    integer(release.people),
                    release.k
                )
            }
            Body::KeyRotated { old, new, .. } => format!("key {} is followed by {}", short(old), short(new)),
            Body::KeyRevoked { key, reason } => format!("key {} revoked: {reason}", short(key)),
        };
        let _ = writeln!(text, "{:>4}  {}  {}", entry.number, entry.at, sanitized(&what));
    }
    text
}

fn short(key: &str) -> String {
    key.chars().take(16).collect()
}

fn check(policy: &Path, as_json: bool) -> Result<Ended> {
    let line = Line::new();
    let report = open(policy).and_then(|(_, ledger)| ledger.check(&line.watch()));
    line.clear();
    let report = match report {
        Err(error) if is_broken(&error) => {
            out(&if as_json {
                json(&value!({ "holds": false, "faults": error.faults() }))?
            } else {
                let line = |fault: &Fault| {
                    let help = fault.help.as_deref().unwrap_or_default();
                    format!(
                        "chain       DOES NOT HOLD: {}\n            {help}\n",
                        sanitized(&fault.to_string())
                    )
                };
                error.faults().iter().map(line).collect()
            })?;
            return Ok(Ended::DoesNotHold);
        }
        other => other?,
    };
    out(&if as_json { json(&report)? } else { findings(&report) })?;
    Ok(if report.holds { Ended::Holds } else { Ended::DoesNotHold })
}

/// Whether somebody changed the ledger, which is what a check is about.
fn is_broken(error: &Error) -> bool {
    error.is_all(Kind::Data) && error.faults().iter().all(|fault| fault.code.starts_with("ledger."))
}

/// What a check found, for a person.
fn findings(report: &Report) -> String {
    let mut text = format!("chain       holds: {} entries\n", integer(report.entries));
    for view in &report.views {
        let who = match &view.recipients[..] {
            [] => "public".to_owned(),
            several => several.join(" + "),
        };
        let _ = writeln!(text, "{}", sanitized(&format!("{who:<11} {}", finding(view))));
    }
    text
}

fn finding(view: &ViewReport) -> String {
    let releases = match view.entries.len() {
        1 => "1 release".to_owned(),
        several => format!("{several} releases"),
    };
    let releases = format!("{releases}, {} people", integer(view.people));
    let Some(candidates) = view.candidates else { return format!("holds: {releases}") };
    let fewest = format!("{releases}, at least {} candidates each", integer(candidates));
    if view.holds() {
        return format!("holds: {fewest}");
    }
    format!(
        "DOES NOT HOLD: {fewest}; {} people have fewer than promised, a value of {} can be inferred",
        integer(view.too_few),
        integer(view.exposed)
    )
}

fn export(policy: &Path, file: &Path, overwrite: &Overwrite, as_json: bool) -> Result<Ended> {
    let (policy, ledger) = open(policy)?;
    let guard = OverwriteGuard::of_policy(&policy).release_of(&policy);
    guard.check([file], overwrite.existing())?;
    let name = file.display().to_string();
    let entries = ledger.entries();
    let text = match name.rsplit('.').next().map(str::to_lowercase).as_deref() {
        Some("json") => json(&entries_json(entries)?)?,
        Some("svg") => svg(entries),
        Some("html") => page(entries),
        _ => {
            return Err(fault!(Input, "ledger.unknown-export", "does not show what to write")
                .file(name)
                .help("end it in .json, .svg or .html")
                .into());
        }
    };
    write_atomically(file, text.as_bytes())?;
    let written = value!({ "written": name, "entries": entries.len() });
    out(&if as_json { json(&written)? } else { format!("written     {}\n", sanitized(&name)) })?;
    Ok(Ended::Holds)
}
