//! `throng suggest POLICY`.

use std::path::Path;

use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::{Policy, PolicyBundle, names_json};
use throng::report::suggested_page;
use throng::suggest::{Point, Scope, Suggestion, suggestion_text};
use throng_engine::{Engine, PolicyFile, Trial, write_atomically};

use super::json;
use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{note, out, sanitized};

pub fn run(args: &args::Suggest) -> Result<Ended> {
    let (policy, text) = PolicyFile::read(&args.policy)?;
    let line = Line::with_runs("Ctrl-C keeps the results so far");
    let scope = Scope { k: args.k.clone(), seconds: args.seconds, limits: true };
    let trial = Trial { policy: &policy, scope, watch: line.watch() };
    let files = args.page.iter().chain(&args.write).map(|path| path.as_path());
    trial.check_files(files, args.overwrite.existing())?;
    args.write.iter().try_for_each(|path| beside(path, &policy))?;
    let engine = Engine::new();
    let suggestion = engine.suggest(&trial);
    line.clear();
    let suggestion = suggestion.map_err(|e| in_policy(e, &policy, &text))?;
    // What ended the plan does not keep its points from being written.
    trial.watch.acknowledge().check()?;
    let picked = args.write.as_ref().map(|_| picked(&suggestion, args.pick)).transpose()?;
    if let Some(path) = &args.page {
        let page = suggested_page(&suggestion, title(&policy), env!("CARGO_PKG_VERSION"));
        write_atomically(path, page.as_bytes())?;
    }
    if args.output.json {
        out(&json(&suggestion)?)?;
    } else {
        let mut said = suggestion_text(&suggestion);
        if let Some(path) = &args.page {
            said +=
                &format!("page        {}; it shows rows of the table: keep it to yourself\n", path.display());
        }
        out(&sanitized(&said))?;
    }
    if let (Some(path), Some(point)) = (&args.write, picked) {
        write(path, point, (&policy, &text), args.output.json)?;
    }
    Ok(if suggestion.recommended.is_some() { Ended::Holds } else { Ended::DoesNotHold })
}

/// The name of the table, as a heading.
pub fn title(policy: &PolicyFile) -> &str {
    policy.policy.input.path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Paths of a policy are relative to its folder, so another policy goes beside it.
fn beside(path: &Path, policy: &PolicyFile) -> Result<()> {
    let folder = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        std::fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()
    };
    if folder(path) == folder(&policy.path) {
        return Ok(());
    }
    Err(fault!(
        Input,
        "suggest.other-folder",
        "is in another folder than the policy, whose paths are relative to it"
    )
    .file(path.display().to_string())
    .help("write it beside the policy")
    .into())
}

/// The point to write.
fn picked(suggestion: &Suggestion, pick: Option<usize>) -> Result<&Point> {
    let nothing = || {
        fault!(Unsolvable, "suggest.nothing-to-write", "nothing that was tried has a release")
            .help("loosen the policy: lower k, raise privacy.suppression, or raise max_level")
    };
    let Some(id) = pick.or(suggestion.recommended) else { return Err(nothing().into()) };
    let last = suggestion.points.len();
    match suggestion.point(id) {
        Some(point) if point.measured.is_some() => Ok(point),
        Some(_) => {
            Err(fault!(Unsolvable, "suggest.point-without-release", "point {id} has no release", id = id)
                .help("pick a point with figures")
                .into())
        }
        None => Err(fault!(Input, "suggest.no-such-point", "there is no point {id}", id = id)
            .help(format!("points are numbered from 1 to {last}"))
            .into()),
    }
}

/// Writes the policy of a point.
fn write(path: &Path, point: &Point, (policy, text): (&PolicyFile, &str), quiet: bool) -> Result<()> {
    let changed = point.settings.policy(&policy.policy)?;
    let (content, kept) = match &policy.bundle {
        Some(bundle) => {
            let edited = changed.edited(bundle.text())?;
            (PolicyBundle::new(edited.text, &|file| bundle.load(file))?.to_json()?, edited.kept)
        }
        None => policy_text(path, &changed, text)?,
    };
    write_atomically(path, content.as_bytes())?;
    let shown = sanitized(&path.display().to_string());
    if !kept {
        note(&format!("{shown}: comments were not kept, because a section had to go"));
    }
    match quiet {
        true => Ok(()),
        false => out(&format!("wrote       {shown} with the settings of point {}\n", point.id)),
    }
}

/// A changed policy as text, in the format that the name of the file asks for.
fn policy_text(path: &Path, changed: &Policy, text: &str) -> Result<(String, bool)> {
    let edited = changed.edited(text)?;
    let is_json = edited.text.trim_start().starts_with('{');
    match (names_json(&path.display().to_string()), is_json) {
        (true, false) => Ok((changed.to_json()?, true)),
        (false, true) => Ok((changed.to_toml()?, true)),
        _ => match Policy::parse(&edited.text)? == *changed {
            true => Ok((edited.text, edited.kept)),
            false => Err(Fault::bug("the policy that would be written is another one").into()),
        },
    }
}
