//! Reads what an attack needs: a release, the tables that the adversary has, and what the policy
//! says about columns. Each table is read once.

use std::collections::BTreeMap;
use std::path::Path;

use throng::error::{Error, Result, nearest};
use throng::fault;
use throng::hierarchy::{Hierarchy, Spec, build};
use throng::policy::{Diversity, Missing, ModelSpec, Role};
use throng::risk::Table as RiskTable;
use throng::rows::Rows;
use throng::table::{Code, Dictionary};
use throng::tuples::Tuples;
use throng::verify::Finding;
use throng::watch::Watch;
use throng_attack::database::{AttackDatabase, Fact};
use throng_attack::knowledge::knows_nothing;
use throng_attack::known::narrowed;
use throng_attack::link::{Linkage, Request, link};
use throng_attack::scene::{Bound, Roles, Scene, Settings, Tables};
use throng_attack::table::Coded;

use crate::Engine;
use crate::describe::sniff;
use crate::policy_file::PolicyFile;
use crate::source::Source;
use crate::table::FileTable;

/// A table that the adversary has.
pub enum Outside<'a> {
    /// In files.
    Files(&'a Source),
    /// An attack database.
    Database(&'a Database),
}

/// An attack database, joined and inferred.
pub struct Database {
    /// Its people with all their columns.
    pub people: Coded,
    /// Sensitive values that it rules out.
    pub facts: Vec<Fact>,
}

/// The tables of an attack beside the release.
#[derive(Default)]
pub struct Beside<'a> {
    /// The original of the release.
    pub original: Option<&'a Source>,
    /// Another release.
    pub other: Option<&'a Source>,
    /// The original of the other release.
    pub other_original: Option<&'a Source>,
    /// People of whom some are in the original.
    pub population: Option<Outside<'a>>,
    /// The column that names people in the originals and in the population.
    pub truth: Option<&'a str>,
}

/// What a linking attack is asked.
pub struct LinkRequest<'a> {
    /// Columns of the release and of the external table.
    pub on: &'a [(String, String)],
    /// The column that names the person in both tables.
    pub truth: Option<&'a str>,
    /// The policy of the release, whose hierarchies say what labels mean.
    pub policy: Option<&'a PolicyFile>,
    /// The least probability of a link.
    pub threshold: f64,
    /// The seed of what is drawn.
    pub seed: u64,
    /// How many links are explained.
    pub explained: usize,
}

impl Engine {
    /// Links a release with an external table.
    ///
    /// # Errors
    /// Columns that are not there, a truth that is also linked on, what cannot be read, and
    /// [`link`].
    pub fn attack_link(
        &self,
        release: &Source,
        external: &Outside<'_>,
        asked: &LinkRequest<'_>,
        watch: &Watch,
    ) -> Result<Linkage> {
        if let Some(truth) = asked.truth
            && asked.on.iter().any(|(a, b)| a == truth || b == truth)
        {
            return Err(fault!(
                Input,
                "attack.truth-is-linked-on",
                "`{column}` is the truth, and rows are linked on it",
                column = truth
            )
            .key("--truth")
            .help("the truth only scores links: leave it out of --on")
            .into());
        }
        let ours: Vec<&str> = asked.on.iter().map(|pair| pair.0.as_str()).chain(asked.truth).collect();
        let theirs: Vec<&str> = asked.on.iter().map(|pair| pair.1.as_str()).chain(asked.truth).collect();
        self.check_linked(release, external, asked)?;
        let released = self.coded(release, &ours, watch)?;
        let others = match external {
            Outside::Files(source) => self.coded(source, &theirs, watch)?,
            Outside::Database(database) => some_of(&database.people, &theirs)?,
        };
        let hierarchies = asked.on.iter().zip(&others.columns).map(|((name, _), column)| {
            asked.policy.map_or(Ok(None), |policy| hierarchy(policy, name, &column.dictionary, false))
        });
        let request = Request {
            release: &released,
            external: &others,
            on: asked.on,
            hierarchies: &hierarchies.collect::<Result<Vec<_>>>()?,
            truth: asked.truth.is_some(),
            threshold: asked.threshold,
            seed: asked.seed,
            explained: asked.explained,
        };
        link(&request, watch)
    }

    /// Refuses columns that one of the tables does not have, all at once.
    fn check_linked(&self, release: &Source, external: &Outside<'_>, asked: &LinkRequest<'_>) -> Result<()> {
        let ours = self.columns(release)?;
        let (theirs, name) = match external {
            Outside::Files(source) => (self.columns(source)?, source.name.as_str()),
            // An attack database names what it lacks, and how to add it.
            Outside::Database(_) => (Vec::new(), ""),
        };
        let mut faults = Vec::new();
        let mut check = |there: &[String], file: &str, column: &str, key: &str| {
            if there.is_empty() || there.iter().any(|name| name == column) {
                return;
            }
            let fault =
                fault!(Input, "attack.no-such-column", "there is no column `{column}`", column = column);
            let near = nearest(column, there.iter().map(String::as_str));
            let help = match (key, near) {
                ("--truth", _) => {
                    "the truth is a column of both tables that names people; without it, links are not scored"
                        .to_owned()
                }
                (_, Some(near)) => format!("did you mean `{near}`?"),
                (_, None) => format!("the columns are {}", there.join(", ")),
            };
            faults.push(fault.file(file).key(key).help(help));
        };
        for (a, b) in asked.on {
            check(&ours, &release.name, a, "--on");
            check(&theirs, name, b, "--on");
        }
        if let Some(truth) = asked.truth {
            check(&ours, &release.name, truth, "--truth");
            check(&theirs, name, truth, "--truth");
        }
        Error::check(faults)
    }

    /// Sets the scene of other attacks.
    ///
    /// # Errors
    /// What cannot be read, a database that knows nothing, and [`Scene::new`].
    pub fn attack_scene(
        &self,
        policy: &PolicyFile,
        release: &Source,
        beside: &Beside<'_>,
        settings: Settings,
        watch: &Watch,
    ) -> Result<Scene> {
        let there = self.columns(release)?;
        let roles = scene_roles(policy, &there, beside)?;
        let read = |source: &Source, needed: bool, more: &[&str]| {
            self.scene_table(source, &roles, (needed, more), watch)
        };
        let truth: Vec<&str> = beside.truth.into_iter().collect();
        // A release that shows whose its rows are has the subject under another name.
        let shown = |source: &Source| -> Result<Coded> {
            let there = self.columns(source)?;
            let subject = roles.subject.as_deref().filter(|name| there.iter().any(|column| column == name));
            read(source, true, &subject.into_iter().collect::<Vec<_>>())
        };
        let released = shown(release)?;
        let other = beside.other.map(shown).transpose()?;
        // The population has what is known about people of whom the truth says who they are.
        let named: Vec<&str> = truth.iter().copied().chain(roles.subject.as_deref()).collect();
        let needed = beside.truth.is_none() || beside.population.is_none();
        let original = |source: Option<&Source>| {
            let prepared = source.map(|source| self.prepared(source.clone(), policy, watch)).transpose()?;
            prepared.map(|source| read(&source, needed, &named)).transpose()
        };
        let (other_original, original) = (original(beside.other_original)?, original(beside.original)?);
        let (population, facts) = match &beside.population {
            None => (None, &[][..]),
            Some(Outside::Files(source)) => (Some(read(source, true, &truth)?), &[][..]),
            Some(Outside::Database(database)) => (Some(database.people.clone()), &database.facts[..]),
        };
        let hierarchies = roles.quasi.iter().map(|name| {
            let of = |table: &Option<Coded>| table.as_ref().and_then(|table| table.column(name).cloned());
            let (ours, theirs) = (of(&original), of(&population));
            let of_original = ours.is_some();
            ours.or(theirs)
                .map_or(Ok(None), |column| hierarchy(policy, name, &column.dictionary, of_original))
        });
        let hierarchies = hierarchies.collect::<Result<Vec<_>>>()?;
        let tables = Tables {
            release: &released,
            other: other.as_ref(),
            original: original.as_ref(),
            other_original: other_original.as_ref(),
            population: population.as_ref(),
            truth: beside.truth,
            facts,
            hierarchies: &hierarchies,
        };
        Scene::new(&tables, roles, settings)
    }

    /// The columns of a table that attacks look at: quasi-identifiers, which may be missing if they
    /// are not needed, sensitive columns that are there, and others.
    fn scene_table(
        &self,
        source: &Source,
        roles: &Roles,
        (needed, more): (bool, &[&str]),
        watch: &Watch,
    ) -> Result<Coded> {
        let there = self.columns(source)?;
        let has = |name: &&str| there.iter().any(|column| column == name);
        let quasi = roles.quasi.iter().map(String::as_str).filter(|name| needed || has(name));
        let sensitive = roles.sensitive.iter().map(String::as_str).filter(has);
        let mut names: Vec<&str> = quasi.chain(sensitive).collect();
        for &name in more {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        self.coded(source, &names, watch)
    }

    /// Reads an attack database.
    ///
    /// # Errors
    /// What cannot be read, and [`AttackDatabase::assemble`].
    pub fn attack_database(&self, path: &Path, watch: &Watch) -> Result<Database> {
        let name = path.display().to_string();
        let unreadable = |e: std::io::Error| {
            fault!(System, "file.unreadable", "cannot be read: {reason}", reason = e)
                .file(&name)
                .help("give a TOML file that declares an attack database; see docs/attacks.md")
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let in_file =
            |e: Error| e.map(|fault| if fault.place.file.is_none() { fault.file(&name) } else { fault });
        let declared = AttackDatabase::parse(&text).map_err(in_file)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut tables = BTreeMap::new();
        for (table, spec) in &declared.tables {
            let mut input = sniff(&folder.join(&spec.path).display().to_string())?;
            input.null.extend(spec.null.iter().cloned());
            let source = Source::open(&input, Path::new(""))?;
            let columns = self.columns(&source)?;
            let names: Vec<&str> = columns.iter().map(String::as_str).collect();
            tables.insert(table.clone(), self.coded(&source, &names, watch)?);
        }
        let load = |file: &str| -> Result<String> {
            std::fs::read_to_string(folder.join(file)).map_err(|e| {
                fault!(System, "file.unreadable", "cannot be read: {reason}", reason = e)
                    .file(file)
                    .help("check the path, which is relative to the attack database")
                    .into()
            })
        };
        let people = declared.assemble(&tables, &load).map_err(in_file)?;
        Ok(Database { people, facts: declared.facts(&load)? })
    }

    /// What an attack database makes of a release: whether somebody in it has fewer than k
    /// candidates, by the quasi-identifiers that the database has.
    ///
    /// # Errors
    /// What cannot be read, and a database without any quasi-identifier.
    pub fn verify_attack(
        &self,
        policy: &PolicyFile,
        release: &Source,
        database: &Database,
        watch: &Watch,
    ) -> Result<Finding> {
        let roles = roles(policy).known_to(&database.people, &self.columns(release)?, None)?;
        let names = roles.quasi;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let released = self.coded(release, &names, watch)?;
        let people = some_of(&database.people, &names)?;
        let hierarchies = names
            .iter()
            .zip(&people.columns)
            .map(|(name, column)| hierarchy(policy, name, &column.dictionary, false));
        let found = narrowed(&released, &people, &hierarchies.collect::<Result<Vec<_>>>()?, roles.k);
        let by = names.join(", ");
        Ok(Finding {
            holds: found.below == 0,
            found: match found.least {
                None => format!("nobody of the attack database fits a released row, by {by}"),
                Some(least) => format!(
                    "{} of {} rows have fewer than {} candidates by {by}; the least number is {least}",
                    found.below, found.rows, roles.k
                ),
            },
            unchecked: false,
        })
    }

    /// The people of an attack database as the population of a risk assessment.
    ///
    /// # Errors
    /// Columns that it lacks.
    pub fn attack_people(&self, database: &Database, columns: &[String]) -> Result<RiskTable> {
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let people = some_of(&database.people, &names)?;
        let codes: Vec<Vec<Code>> = people.columns.iter().map(|column| column.codes.clone()).collect();
        let mut tuples = Tuples::new(columns.len());
        tuples.add(&codes, people.rows)?;
        let dictionaries = people.columns.into_iter().map(|column| column.dictionary).collect();
        Ok(RiskTable::new(columns.to_vec(), dictionaries, tuples))
    }

    /// Named columns of a table.
    fn coded(&self, source: &Source, names: &[&str], watch: &Watch) -> Result<Coded> {
        let table = FileTable::new(self, source)?;
        Coded::read(&table as &dyn Rows, names, &[], watch).map_err(|e| {
            e.map(|fault| if fault.place.file.is_none() { fault.file(&source.name) } else { fault })
        })
    }
}

/// The columns that an adversary knows: a value that no table of theirs has carries no risk of
/// linkage [Katirai 2006, "Threat model"].
///
/// # Errors
/// None of them.
pub fn known_columns(columns: &[String], database: &Database) -> Result<Vec<String>> {
    let known = |name: &&String| database.people.column(name).is_some();
    let known: Vec<String> = columns.iter().filter(known).cloned().collect();
    if known.is_empty() { Err(knows_nothing(columns)) } else { Ok(known) }
}

/// The roles of a scene: sensitive columns that are released, and with a database the columns that
/// it knows.
fn scene_roles(policy: &PolicyFile, released: &[String], beside: &Beside<'_>) -> Result<Roles> {
    let roles = roles(policy);
    // What the release does not show, nobody can attack in it.
    let sensitive = roles.sensitive.iter().filter(|name| released.contains(name)).cloned().collect();
    let roles = Roles { sensitive, ..roles };
    match &beside.population {
        Some(Outside::Database(database)) => roles.known_to(&database.people, released, beside.truth),
        _ => Ok(roles),
    }
}

/// Named columns of an attack database.
fn some_of(table: &Coded, names: &[&str]) -> Result<Coded> {
    let mut columns = Vec::new();
    let mut faults = Vec::new();
    for &name in names {
        match table.column(name) {
            Some(column) => columns.push(column.clone()),
            None => faults.push(
                fault!(
                    Input,
                    "attack.database-no-such-column",
                    "the attack database has no column `{column}`",
                    column = name
                )
                .help("declare a table, a join or an inference that has it"),
            ),
        }
    }
    Error::check(faults)?;
    Ok(Coded { columns, rows: table.rows })
}

/// What a policy says about columns.
fn roles(policy: &PolicyFile) -> Roles {
    let policy = &policy.policy;
    let named = |role: Role| policy.with_role(role).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let bound = |model: &ModelSpec| match model {
        ModelSpec::LDiversity(model) => {
            let bound = match model.kind {
                Diversity::Distinct => Bound::Distinct(model.l.round() as u64),
                Diversity::Entropy | Diversity::Recursive => Bound::Share(1.0 / model.l),
            };
            Some((model.column.clone(), bound))
        }
        ModelSpec::PSensitive(model) => Some((model.column.clone(), Bound::Distinct(model.p))),
        ModelSpec::AlphaK(model) => Some((model.column.clone(), Bound::Share(model.alpha))),
        ModelSpec::MConfidentiality(model) => Some((model.column.clone(), Bound::Share(1.0 / model.m))),
        _ => None,
    };
    Roles {
        quasi: named(Role::Quasi),
        kept: named(Role::Keep).into_iter().chain(named(Role::Target)).collect(),
        subject: named(Role::Subject).into_iter().next(),
        partly_known: false,
        sensitive: named(Role::Sensitive),
        k: policy.privacy.k().unwrap_or(2),
        bounds: policy.privacy.models.iter().filter_map(bound).collect(),
        missing_is_value: policy.input.missing == Missing::Value,
    }
}

/// The hierarchy of a column, if its labels do not say by themselves what they cover. Labels that
/// depend on the values of the table follow from the original alone.
fn hierarchy(
    policy: &PolicyFile,
    column: &str,
    values: &Dictionary,
    of_original: bool,
) -> Result<Option<Hierarchy>> {
    let Some(spec) = policy.policy.columns.get(column).and_then(|column| column.hierarchy.as_ref()) else {
        return Ok(None);
    };
    let load = |path: &str| policy.load(path);
    let listed = match spec {
        Spec::File(_) => true,
        Spec::Order(order) => !order.values.is_empty(),
        _ => false,
    };
    match spec {
        _ if listed => build(spec, &Dictionary::new(), &load).map(Some),
        Spec::Icd9 | Spec::Icd10 | Spec::Order(_) | Spec::Priority(_) if of_original => {
            build(spec, values, &load).map(Some)
        }
        Spec::Icd9 | Spec::Icd10 => build(spec, values, &load).map(Some),
        _ => Ok(None),
    }
}
