//! `throng verify RELEASE --policy POLICY`.

use std::path::{Path, PathBuf};

use throng::error::Result;
use throng::fault;
use throng::policy::{Header, Input};
use throng::release::Certificate;
use throng::verify::Verdict;
use throng::watch::Watch;
use throng_engine::{Engine, PolicyFile, Source, read_public_key, sniff};

use super::json;
use super::release::{in_policy, use_threads};
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{out, sanitized};

pub fn run(args: &args::Verify) -> Result<Ended> {
    use_threads(args.threads)?;
    let (policy, text) = PolicyFile::read(&args.policy)?;
    if !args.release.is_file() {
        return Err(fault!(System, "file.not-found", "there is no such file")
            .file(args.release.display().to_string())
            .help("give the released table, for instance release.csv")
            .into());
    }
    let certificate = read_certificate(&certificate_path(args, &policy))?;
    let original = args.original.as_ref().map(|path| {
        let input = Input { path: path.clone(), ..policy.policy.input.clone() };
        Source::open(&input, Path::new(""))
    });
    let original = original.transpose()?;
    let line = Line::new();
    let engine = Engine::new();
    let verdict = engine.verify(&policy, &args.release, &certificate, original.as_ref(), &line.watch());
    let attacked = verdict.and_then(|verdict| match &args.attack {
        Some(database) => attacked(verdict, args, &policy, database, &line.watch()),
        None => Ok(verdict),
    });
    line.clear();
    let mut verdict = attacked.map_err(|e| in_policy(e, &policy, &text))?;
    if let Some(path) = &args.signed_by {
        let trusted = read_public_key(path)?;
        verdict.claims.insert("signature".into(), policy.signature_claim(&certificate, &trusted));
    }
    if args.output.json {
        out(&json(&verdict)?)?;
    } else {
        out(&table(&verdict))?;
    }
    Ok(if verdict.holds() { Ended::Holds } else { Ended::DoesNotHold })
}

/// The verdict with what an attack database makes of the release.
fn attacked(
    mut verdict: Verdict,
    args: &args::Verify,
    policy: &PolicyFile,
    database: &Path,
    watch: &Watch,
) -> Result<Verdict> {
    let engine = Engine::new();
    let database = engine.attack_database(database, watch)?;
    let mut input = sniff(&args.release.display().to_string())?;
    input.null.clone_from(&policy.policy.input.null);
    input.header = policy.policy.input.header.filter(|header| *header == Header::FirstLine);
    let release = Source::open(&input, Path::new(""))?;
    let finding = engine.verify_attack(policy, &release, &database, watch)?;
    verdict.claims.insert("attack".to_owned(), finding);
    Ok(verdict)
}

fn certificate_path(args: &args::Verify, policy: &PolicyFile) -> PathBuf {
    if let Some(path) = &args.certificate {
        return path.clone();
    }
    let beside = args.release.with_extension("certificate.json");
    match &policy.policy.output.certificate {
        Some(path) if !beside.is_file() => policy.folder().join(path),
        _ => beside,
    }
}

pub fn read_certificate(path: &Path) -> Result<Certificate> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| {
        fault!(System, "file.unreadable", "cannot be read: {reason}", reason = e)
            .file(&name)
            .help("give the certificate with --certificate")
    })?;
    Certificate::parse(&text).map_err(|e| {
        e.map(|fault| match fault.help {
            Some(_) => fault.file(&name),
            None => fault.file(&name).help("give the file that `throng release` wrote with --certificate"),
        })
    })
}

/// A line where a file is not the one that the certificate is about: other claims then fail because
/// of it.
fn wrong_file(verdict: &Verdict) -> String {
    let fails = |claim: &str| verdict.claims.get(claim).is_some_and(|finding| !finding.holds);
    match (fails("output"), fails("input")) {
        (true, _) => "This is not the release that the certificate describes, or it was changed.\n\n".into(),
        (false, true) => {
            "This is not the original that was released, or it was changed: check --original.\n\n".into()
        }
        (false, false) => String::new(),
    }
}

fn table(verdict: &Verdict) -> String {
    let width = verdict.claims.keys().map(|c| c.chars().count()).max().unwrap_or(0);
    let mut text = wrong_file(verdict);
    for (claim, finding) in &verdict.claims {
        let mark = match (finding.holds, finding.unchecked) {
            (true, false) => "holds",
            (true, true) => "not checked",
            (false, _) => "DOES NOT HOLD",
        };
        text += &format!("{claim:<width$}  {mark:<13}  {}\n", sanitized(&finding.found));
    }
    let wrong = verdict.claims.values().filter(|f| !f.holds).count();
    text += &match wrong {
        0 => "\nThe release is what its certificate says.\n".to_owned(),
        1 => "\n1 claim does not hold: do not use this release.\n".to_owned(),
        n => format!("\n{n} claims do not hold: do not use this release.\n"),
    };
    text
}
