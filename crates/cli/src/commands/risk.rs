//! `throng risk INPUT --qi A,B,…`.

use std::path::Path;

use throng::error::Result;
use throng::fault;
use throng::policy::{Header, Missing, Role, Suppressed};
use throng::release::Certificate;
use throng::report::risk_page;
use throng::risk::{self, Asked, Named, Parts, Population, Risk, Table};
use throng::watch::Watch;
use throng_engine::{Engine, OverwriteGuard, PolicyFile, Source, known_columns, sniff, write_atomically};

use super::json;
use super::verify::read_certificate;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{note, out, sanitized};

/// The most combinations on the screen.
const SHOWN: usize = 20;

pub fn run(args: &args::Risk) -> Result<Ended> {
    if let Some(path) = &args.report {
        overwrite_guard(args)?.check([&**path], args.overwrite.existing())?;
    }
    let line = Line::new();
    let risk = assess(args, &line.watch());
    line.clear();
    let risk = risk?;
    if let Some(path) = &args.report {
        let title = args.input.rsplit(['/', '\\']).next().unwrap_or_default();
        write_atomically(path, risk_page(&risk, title, env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    out(&if args.output.json { json(&risk)? } else { sanitized(&risk::text(&risk, SHOWN)) })?;
    Ok(Ended::Holds)
}

/// Everything that is read.
fn overwrite_guard(args: &args::Risk) -> Result<OverwriteGuard> {
    let mut guard = OverwriteGuard::default().named("the input", &args.input);
    if let Some(policy) = &args.policy {
        let (policy, _) = PolicyFile::read(policy)?;
        guard = guard.with(OverwriteGuard::of_policy(&policy).release_of(&policy));
    }
    if let Some(certificate) = &args.certificate {
        guard = guard.and("the certificate", certificate);
    }
    if let Some(database) = &args.attack {
        guard = guard.and("the attack database", database);
    }
    Ok(match &args.population {
        Some(people) => guard.named("the population", people),
        None => guard,
    })
}

fn assess(args: &args::Risk, watch: &Watch) -> Result<Risk> {
    let reader = Reader::new(args, watch)?;
    let mut asked = Asked {
        max_size: args.max_size.unwrap_or(1),
        threshold: args.threshold,
        missing: reader.missing,
        population: given(args)?,
        seed: args.random.seed,
    };
    // Before the table is read, which may take long.
    asked.check()?;
    let source = reader.source(&args.input)?;
    let (by, mut columns) = reader.columns(&source)?;
    let database = args.attack.as_ref().map(|path| reader.engine.attack_database(path, watch)).transpose()?;
    if let Some(database) = &database {
        let known = known_columns(&columns, database)?;
        let unknown: Vec<String> = columns.iter().filter(|name| !known.contains(name)).cloned().collect();
        if !unknown.is_empty() {
            note(&format!("The attack database does not have {}: left out", unknown.join(", ")));
        }
        columns = known;
    }
    asked.max_size = args.max_size.unwrap_or_else(|| risk::size_for(columns.len()));
    let named = Named { by, columns: &columns };
    if let Some(subject) = reader.subject(&source)? {
        let table = reader.read(&source, &[named, Named { by: "--subject", columns: &[subject] }])?;
        return risk::assess_people(&table, &asked);
    }
    let (table, weights) = reader.sample(&source, named)?;
    asked.population = weights.unwrap_or(asked.population);
    if let Some(database) = &database {
        let people = reader.engine.attack_people(database, &columns)?;
        asked.population = table.drawn_from(&people, asked.missing, watch)?;
    }
    if let Some(file) = args.population.as_ref().filter(|_| matches!(asked.population, Population::Unknown)) {
        let people =
            reader.read(&reader.source(file)?, &[Named { by: "--population", columns: &columns }])?;
        asked.population = table.drawn_from(&people, asked.missing, watch)?;
    }
    risk::assess(&table, &asked, watch)
}

/// What the arguments say about the population, files aside.
fn given(args: &args::Risk) -> Result<Population> {
    let Some(people) = &args.population else {
        return Ok(args.fraction.map_or(Population::Unknown, Population::Fraction));
    };
    match (people.parse(), people.parse::<f64>()) {
        (Ok(people), _) => Ok(Population::Size(people)),
        (Err(_), Ok(_)) => Err(fault!(
            Input,
            "arguments.not-a-number-of-people",
            "`{value}` is not a number of people",
            value = people
        )
        .key("--population")
        .help("give a whole number such as 8000000, or a table")
        .into()),
        (Err(_), Err(_)) => Ok(Population::Unknown),
    }
}

/// Reads tables as the arguments, the policy and the certificate say.
struct Reader<'a> {
    args: &'a args::Risk,
    watch: &'a Watch,
    engine: Engine,
    policy: Option<PolicyFile>,
    certificate: Option<Certificate>,
    missing: Missing,
}

impl<'a> Reader<'a> {
    fn new(args: &'a args::Risk, watch: &'a Watch) -> Result<Self> {
        let policy = args.policy.as_ref().map(|p| PolicyFile::read(p)).transpose()?.map(|(policy, _)| policy);
        let certificate = args.certificate.as_ref().map(|c| read_certificate(c)).transpose()?;
        if policy.is_none() && certificate.is_none() && args.qi.is_empty() {
            return Err(fault!(Input, "arguments.no-column", "no column is named")
                .key("--qi")
                .help("name the columns that outsiders may know, e.g. --qi age,sex,zip, or give --policy or --certificate")
                .into());
        }
        let of_policy = policy.as_ref().map_or(Missing::Value, |p| p.policy.input.missing);
        let missing = args.missing.map_or(of_policy, Missing::from);
        Ok(Reader { args, watch, engine: Engine::new(), policy, certificate, missing })
    }

    fn source(&self, path: &str) -> Result<Source> {
        let mut input = sniff(path)?;
        if let Some(policy) = &self.policy {
            input.null.clone_from(&policy.policy.input.null);
            // A release has a header line whatever its original has.
            input.header = policy.policy.input.header.filter(|header| *header == Header::FirstLine);
        }
        self.args.layout.apply(&mut input);
        Source::open(&input, Path::new(""))
    }

    /// The quasi-identifiers of the release, as far as it is known to be one.
    fn quasi(&self) -> (&'static str, Vec<String>) {
        match (&self.certificate, &self.policy) {
            (Some(certificate), _) => {
                let release = &certificate.release;
                let forms = release.regions.iter().flat_map(|regions| regions.forms.keys());
                ("--certificate", release.levels.keys().chain(forms).cloned().collect())
            }
            (None, Some(policy)) => {
                let quasi = policy.policy.with_role(Role::Quasi);
                ("--policy", quasi.into_iter().map(str::to_owned).collect())
            }
            (None, None) => ("--qi", Vec::new()),
        }
    }

    /// The requested columns and their origin; those of the certificate or the policy, in the
    /// table's order, if none is named.
    fn columns(&self, source: &Source) -> Result<(&'static str, Vec<String>)> {
        if !self.args.qi.is_empty() {
            return Ok(("--qi", self.args.qi.clone()));
        }
        let (by, mut quasi) = self.quasi();
        let there = self.engine.columns(source)?;
        // Those that are not there are refused by name when the table is read.
        quasi.sort_by_key(|name| there.iter().position(|t| t == name).unwrap_or(there.len()));
        Ok((by, quasi))
    }

    /// The column that names the person a row belongs to, as the arguments or the policy say.
    fn subject(&self, source: &Source) -> Result<Option<String>> {
        let of_policy = self.policy.as_ref().and_then(|policy| policy.policy.subject());
        let Some(subject) = self.args.subject.as_deref().or(of_policy) else { return Ok(None) };
        if self.args.subject.is_none() && !self.engine.columns(source)?.iter().any(|name| name == subject) {
            return Err(fault!(
                Input,
                "risk.subject-not-in-table",
                "the policy counts people by `{column}`, which this table does not have",
                column = subject
            )
            .key("--policy")
            .help("a release names nobody: its certificate has the risk by people; give --qi without --policy to count rows")
            .into());
        }
        let args = self.args;
        if args.population.is_some() || args.weights.is_some() || args.fraction.is_some() {
            return Err(fault!(
                Input,
                "risk.people-of-a-population",
                "estimates of a population need one row per person, and `{column}` names people with several",
                column = subject
            )
            .key("--subject")
            .help("leave out --population, --weights and --fraction, or give a table with one row per person")
            .into());
        }
        Ok(Some(subject.to_owned()))
    }

    /// How many withheld rows are in the release with `*` in every quasi-identifier at the most,
    /// where that is known.
    fn starred(&self) -> Option<u64> {
        let written = |c: &Certificate| c.release.output.rows.saturating_sub(c.release.in_classes());
        let asked = |p: &PolicyFile| match p.policy.output.suppressed {
            Suppressed::Starred => u64::MAX,
            Suppressed::Dropped | Suppressed::Cells => 0,
        };
        self.certificate.as_ref().map(written).or(self.policy.as_ref().map(asked))
    }

    /// The table, without the rows that were suppressed, and its weights where there are any.
    fn sample(&self, source: &Source, named: Named<'_>) -> Result<(Table, Option<Population>)> {
        let (by, quasi) = self.quasi();
        let starred = self.starred();
        // All quasi-identifiers determine whether a row was suppressed, whichever are requested.
        let more = |name: &String| starred.is_some_and(|rows| rows > 0) && !named.columns.contains(name);
        let more: Vec<String> = quasi.into_iter().filter(more).collect();
        let weights: Vec<String> = self.args.weights.iter().cloned().collect();
        let all = [named, Named { by, columns: &more }, Named { by: "--weights", columns: &weights }];
        let parts = Parts { asked: named.columns.len(), weights: !weights.is_empty(), starred };
        self.read(source, &all)?.parted(parts).map_err(|e| e.map(|f| f.file(&source.name)))
    }

    fn read(&self, source: &Source, named: &[Named<'_>]) -> Result<Table> {
        self.engine.combinations(source, named, self.watch)
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
