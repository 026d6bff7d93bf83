//! `throng risk INPUT --qi A,B,…`.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use throng::error::{Fault, Kind, Result};
use throng::policy::{Missing, Role};
use throng::report::risk_page;
use throng::risk::{self, Asked, Population, Risk, Table, Watch};
use throng_engine::{Engine, PolicyFile, Source, sniff, write_atomically};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts, interrupts};
use crate::show::{integer, out, sanitized};

/// The most combinations on the screen.
const SHOWN: usize = 20;

pub fn run(args: &args::Risk) -> Result<Ended> {
    catch_interrupts();
    let line = Line::new();
    let risk = assess(args, &line);
    line.clear();
    let risk = risk?;
    if let Some(path) = &args.report {
        let title = args.input.rsplit(['/', '\\']).next().unwrap_or_default();
        write_atomically(path, risk_page(&risk, title, env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    out(&if args.json { json(&risk)? } else { sanitized(&risk::text(&risk, SHOWN)) });
    Ok(Ended::Holds)
}

fn assess(args: &args::Risk, line: &Line) -> Result<Risk> {
    let reader = Reader::new(args, line)?;
    let mut asked = Asked {
        max_size: args.max_size,
        threshold: args.threshold,
        missing: reader.missing,
        population: given(args),
        seed: args.seed,
    };
    // Before the table is read, which may take long.
    asked.check()?;
    let source = reader.source(&args.input)?;
    let columns = reader.columns(&source)?;
    let table = match &args.weights {
        Some(weights) => {
            let table = reader.read(&source, &[&columns[..], std::slice::from_ref(weights)].concat())?;
            let (table, population) = table.weighted().map_err(|e| e.map(|f| f.file(&source.name)))?;
            asked.population = population;
            table
        }
        None => reader.read(&source, &columns)?,
    };
    if let Some(file) = args.population.as_ref().filter(|p| p.parse::<u64>().is_err()) {
        asked.population = table.drawn_from(&reader.read(&reader.source(file)?, &columns)?)?;
    }
    let done = AtomicU64::new(0);
    let progress = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        line.show(&format!("counting: {} combinations of columns", integer(done)));
    };
    risk::assess(&table, &asked, &Watch { progress: &progress, cancelled: &|| interrupts() > 0 })
}

/// What the arguments say about the population, files aside.
fn given(args: &args::Risk) -> Population {
    match (args.fraction, args.population.as_ref().and_then(|p| p.parse().ok())) {
        (Some(fraction), _) => Population::Fraction(fraction),
        (None, Some(people)) => Population::Size(people),
        (None, None) => Population::Unknown,
    }
}

/// Reads tables as the arguments and the policy say.
struct Reader<'a> {
    args: &'a args::Risk,
    line: &'a Line,
    engine: Engine,
    policy: Option<PolicyFile>,
    missing: Missing,
}

impl<'a> Reader<'a> {
    fn new(args: &'a args::Risk, line: &'a Line) -> Result<Self> {
        let policy = args.policy.as_ref().map(|p| PolicyFile::read(p)).transpose()?.map(|(policy, _)| policy);
        if policy.is_none() && args.qi.is_empty() {
            return Err(Fault::input("no column is named")
                .key("--qi")
                .help("name the columns that somebody else may know, e.g. --qi age,sex,zip, or give --policy")
                .into());
        }
        let of_policy = policy.as_ref().map_or(Missing::Value, |p| p.policy.input.missing);
        let missing = args.missing.map_or(of_policy, Missing::from);
        Ok(Reader { args, line, engine: Engine::new()?, policy, missing })
    }

    fn source(&self, path: &str) -> Result<Source> {
        let mut input = sniff(path)?;
        if let Some(policy) = &self.policy {
            input.null.clone_from(&policy.policy.input.null);
        }
        if let Some(delimiter) = self.args.delimiter {
            input.delimiter = delimiter;
        }
        if !self.args.nulls.is_empty() {
            input.null = std::iter::once(String::new()).chain(self.args.nulls.iter().cloned()).collect();
        }
        Source::open(&input, Path::new(""))
    }

    /// The columns asked for; those of the policy, in the table's order, where none is named.
    fn columns(&self, source: &Source) -> Result<Vec<String>> {
        let (Some(policy), true) = (&self.policy, self.args.qi.is_empty()) else {
            return Ok(self.args.qi.clone());
        };
        let there = self.engine.columns(source)?;
        let quasi = policy.policy.with_role(Role::Quasi);
        let (mut found, mut absent) = (Vec::new(), Vec::new());
        for name in quasi {
            if there.iter().any(|t| t == name) {
                found.push(name.to_owned())
            } else {
                absent.push(name.to_owned())
            }
        }
        found.sort_by_key(|name| there.iter().position(|t| t == name));
        // Those that are not there are refused by name when the table is read.
        Ok([found, absent].concat())
    }

    fn read(&self, source: &Source, columns: &[String]) -> Result<Table> {
        self.engine.combinations(source, columns, &|rows| {
            self.line.show(&format!("reading: {} rows", integer(rows)));
            match interrupts() {
                0 => Ok(()),
                _ => Err(Fault::new(Kind::Unsolvable, "stopped").into()),
            }
        })
    }
}

impl From<args::Missing> for Missing {
    fn from(missing: args::Missing) -> Self {
        match missing {
            args::Missing::Value => Missing::Value,
            args::Missing::Wildcard => Missing::Wildcard,
            args::Missing::Suppress => Missing::Suppress,
        }
    }
}
