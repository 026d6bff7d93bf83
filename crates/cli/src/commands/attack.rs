//! `throng attack NAME RELEASE`.

use std::path::Path;

use throng::error::{Error, Result};
use throng::fault;
use throng::policy::{Header, Input};
use throng::watch::Watch;
use throng_attack::link::{Linkage, page, text as link_text};
use throng_attack::scene::{Scene, Settings};
use throng_attack::{findings_text, named, page as card_page, scorecard, text};
use throng_engine::{
    Beside, Engine, LinkRequest, Outside, OverwriteGuard, PolicyFile, Source, sniff, write_atomically,
};

use super::json;
use super::release::in_policy;
use crate::Ended;
use crate::args::{self, Chosen, Layout};
use crate::progress::Line;
use crate::show::{note, out, sanitized};

pub fn run(args: &args::Attack) -> Result<Ended> {
    match args.command.chosen() {
        Chosen::Link(args) => link(args),
        Chosen::All(args) => {
            guarded(args)?;
            let card = with_scene(&args.attacked, scorecard)?;
            if let Some(path) = &args.out {
                let written = card_page(&card, title(&args.attacked.release), env!("CARGO_PKG_VERSION"));
                write_atomically(path, written.as_bytes())?;
            }
            out(&if args.attacked.output.json { json(&card)? } else { sanitized(&text(&card)) })?;
            Ok(Ended::Holds)
        }
        Chosen::One(name, args) => {
            let found = with_scene(args, |scene, watch| throng_attack::run(named(name)?, scene, watch))?;
            out(&match (args.output.json, &found[..]) {
                (true, [only]) => json(only)?,
                (true, _) => json(&found)?,
                (false, _) => {
                    let means = found
                        .first()
                        .map(|found| format!("{}\nControl: {}.\n\n", found.means, found.control_is));
                    sanitized(&(means.unwrap_or_default() + &findings_text(&found)))
                }
            })?;
            Ok(Ended::Holds)
        }
    }
}

/// Refuses to overwrite what is attacked, or what is there.
fn guarded(args: &args::AttackAll) -> Result<()> {
    let Some(path) = &args.out else { return Ok(()) };
    let given = &args.attacked;
    let (policy, _) = PolicyFile::read(&given.policy)?;
    let mut guard = OverwriteGuard::default().named("the release", &given.release);
    for (name, table) in [
        ("the original", &given.original),
        ("the population", &given.population),
        ("the other release", &given.other),
        ("the other original", &given.other_original),
    ] {
        if let Some(table) = table {
            guard = guard.named(name, table);
        }
    }
    if let Some(database) = &given.database {
        guard = guard.and("the attack database", database);
    }
    let guard = guard.with(OverwriteGuard::of_policy(&policy).release_of(&policy));
    guard.check([&**path], args.overwrite.existing())
}

/// The name of a file on a page.
fn title(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

fn link(args: &args::LinkAttack) -> Result<Ended> {
    let on = pairs(&args.on)?;
    let policy =
        args.policy.as_ref().map(|path| PolicyFile::read(path)).transpose()?.map(|(policy, _)| policy);
    if let Some(path) = &args.out {
        let mut guard = OverwriteGuard::default().named("the release", &args.release);
        if let Some(external) = &args.external {
            guard = guard.named("the external table", external);
        }
        if let Some(database) = &args.database {
            guard = guard.and("the attack database", database);
        }
        if let Some(policy) = &policy {
            guard = guard.with(OverwriteGuard::of_policy(policy).release_of(policy));
        }
        guard.check([&**path], args.overwrite.existing())?;
    }
    let release = release(&args.release, policy.as_ref(), &args.layout)?;
    let line = Line::new();
    let linked = linked(args, (&on, policy.as_ref()), &release, &line.watch());
    line.clear();
    let linkage = linked?;
    if let Some(path) = &args.out {
        let written = page(&linkage, title(&args.release), env!("CARGO_PKG_VERSION"));
        write_atomically(path, written.as_bytes())?;
        note(&format!(
            "WARNING     {} links released rows to people: keep it with the originals",
            path.display()
        ));
    }
    out(&if args.output.json { json(&linkage)? } else { sanitized(&link_text(&linkage)) })?;
    Ok(Ended::Holds)
}

fn linked(
    args: &args::LinkAttack,
    (on, policy): (&[(String, String)], Option<&PolicyFile>),
    release: &Source,
    watch: &Watch,
) -> Result<Linkage> {
    let engine = Engine::new();
    let asked = LinkRequest {
        on,
        truth: args.truth.as_deref(),
        policy,
        threshold: args.threshold,
        seed: args.random.seed,
        explained: args.explain,
    };
    match (&args.external, &args.database) {
        (Some(path), _) => {
            let source = outside(path, policy)?;
            engine.attack_link(release, &Outside::Files(&source), &asked, watch)
        }
        (None, Some(path)) => {
            let database = engine.attack_database(path, watch)?;
            engine.attack_link(release, &Outside::Database(&database), &asked, watch)
        }
        (None, None) => {
            Err(fault!(Input, "arguments.no-table", "no table is given").key("--external").into())
        }
    }
}

/// `birth_date=born`, or `sex` for a column with the same name in both tables.
fn pairs(texts: &[String]) -> Result<Vec<(String, String)>> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut faults = Vec::new();
    for text in texts {
        let (a, b) = text.split_once('=').unwrap_or((text, text));
        let (a, b) = (a.trim().to_owned(), b.trim().to_owned());
        if a.is_empty() || b.is_empty() {
            faults.push(
                fault!(Input, "arguments.on", "`{value}` does not name two columns", value = text)
                    .key("--on")
                    .help("write RELEASED=EXTERNAL,…: --on birth_date=born,sex=sex"),
            );
        } else if pairs.iter().any(|pair| pair.0 == a || pair.1 == b) {
            faults.push(
                fault!(Input, "arguments.column-twice", "`{column}` is named twice", column = a).key("--on"),
            );
        } else {
            pairs.push((a, b));
        }
    }
    Error::check(faults)?;
    Ok(pairs)
}

/// Sets the scene of an attack and does something with it.
fn with_scene<T>(args: &args::Attacked, attack: impl FnOnce(&Scene, &Watch) -> Result<T>) -> Result<T> {
    let (policy, policy_text) = PolicyFile::read(&args.policy)?;
    let release = release(&args.release, Some(&policy), &args.layout)?;
    let other =
        args.other.as_ref().map(|path| self::release(path, Some(&policy), &args.layout)).transpose()?;
    let opened = |path: &Option<String>| {
        let open = |path: &String| {
            let input = Input { path: path.clone(), ..policy.policy.input.clone() };
            Source::open(&input, Path::new(""))
        };
        path.as_ref().map(open).transpose()
    };
    let (original, other_original) = (opened(&args.original)?, opened(&args.other_original)?);
    let population = args.population.as_ref().map(|path| outside(path, Some(&policy))).transpose()?;
    if args.truth.is_some() && population.is_none() && args.database.is_none() {
        return Err(fault!(
            Input,
            "arguments.truth-of-nothing",
            "--truth names people of a table that is not given"
        )
        .key("--truth")
        .help("give --population or --database, too")
        .into());
    }
    let line = Line::new();
    let watch = line.watch();
    let engine = Engine::new();
    let settings = Settings { targets: args.targets.max(1), facts: args.facts, seed: args.random.seed };
    let read = args.database.as_ref().map(|path| engine.attack_database(path, &watch)).transpose();
    let done = read.and_then(|database| {
        let beside = Beside {
            original: original.as_ref(),
            other: other.as_ref(),
            other_original: other_original.as_ref(),
            population: population.as_ref().map(Outside::Files).or(database.as_ref().map(Outside::Database)),
            truth: args.truth.as_deref(),
        };
        let scene = engine.attack_scene(&policy, &release, &beside, settings, &watch)?;
        attack(&scene, &watch)
    });
    line.clear();
    done.map_err(|e| in_policy(e, &policy, &policy_text))
}

/// A release, laid out as its file says.
fn release(path: &str, policy: Option<&PolicyFile>, layout: &Layout) -> Result<Source> {
    let mut input = sniff(path)?;
    if let Some(policy) = policy {
        input.null.clone_from(&policy.policy.input.null);
        // A release has a header line whatever its original has.
        input.header = policy.policy.input.header.filter(|header| *header == Header::FirstLine);
    }
    layout.apply(&mut input);
    Source::open(&input, Path::new(""))
}

/// A table that outsiders have.
fn outside(path: &str, policy: Option<&PolicyFile>) -> Result<Source> {
    let mut input = sniff(path)?;
    if let Some(policy) = policy {
        input.null.clone_from(&policy.policy.input.null);
    }
    Source::open(&input, Path::new(""))
}
