//! The scene of an attack: a release, what outsiders know, and whom they are after.
//!
//! *Targets* are people whose specific quasi-identifiers the adversary knows: a sample of rows, so
//! that intervals say how exact a rate is. Rows in which every quasi-identifier is `*` cover
//! everybody and are left out: an adversary gains nothing from them. Where rows have a subject, one
//! row of each person is a target, and what can be the target's is counted in people (`owners.rs`).

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use throng_terms::error::{Error, Fault, Result};
use throng_terms::fault;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::table::{Code, Dictionary};

use crate::cover::{Missing, Runs};
use crate::database::Fact;
use crate::groups::Groups;
use crate::knowledge::{RuledOut, as_known, one_per_person, rows_apart};
use crate::owners::Owners;
use crate::rate::Rate;
use crate::sample::{sample, shuffled};
use crate::table::{Coded, Column};
use crate::tree::Tree;
use crate::view::{Belief, Targets, View, pairs, view};

/// Pairs of targets and classes at the most.
const PAIRS: u64 = 50_000_000;

/// What a policy promises about sensitive values: what a minimality attack reasons with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// No value has a greater share of a class.
    Share(f64),
    /// The least number of values of a class.
    Distinct(u64),
}

/// What an attack needs to know of the policy.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// Columns that outsiders know.
    pub quasi: Vec<String>,
    /// Columns that are released unchanged and are neither quasi-identifiers nor sensitive.
    pub kept: Vec<String>,
    /// The column that says which rows are the same person's.
    pub subject: Option<String>,
    /// Whether outsiders do not know all quasi-identifiers of the policy.
    pub partly_known: bool,
    /// Columns that they want to know.
    pub sensitive: Vec<String>,
    /// The k of the policy.
    pub k: u64,
    /// Sensitive column → what the policy promises.
    pub bounds: Vec<(String, Bound)>,
    /// Whether a missing cell is a value like others.
    pub missing_is_value: bool,
}

/// The tables of a scene. Each has the quasi-identifiers, except originals of whose people `truth`
/// says who they are in the population; releases and originals also have the sensitive columns.
pub struct Tables<'a> {
    /// The release.
    pub release: &'a Coded,
    /// Another release about the same people.
    pub other: Option<&'a Coded>,
    /// The original of the release.
    pub original: Option<&'a Coded>,
    /// The original of the other release.
    pub other_original: Option<&'a Coded>,
    /// People of whom some are in the original: a table, or an attack database.
    pub population: Option<&'a Coded>,
    /// The column that names people in the originals and in the population.
    pub truth: Option<&'a str>,
    /// Sensitive values that the adversary can rule out.
    pub facts: &'a [Fact],
    /// Quasi-identifier → its hierarchy, where labels are listed.
    pub hierarchies: &'a [Option<Hierarchy>],
}

/// Settings of the attacks.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The most targets.
    pub targets: usize,
    /// Facts that the adversary of `background` knows.
    pub facts: usize,
    /// The seed of what is drawn.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { targets: 20_000, facts: 1, seed: 1 }
    }
}

/// Everything that an attack looks at.
pub struct Scene {
    /// The roles.
    pub roles: Roles,
    /// The settings.
    pub settings: Settings,
    /// The release.
    pub(crate) view: View,
    /// The other release.
    pub(crate) other: Option<View>,
    /// Rows of the original, as targets of the release.
    pub(crate) targets: Option<Targets>,
    /// The same rows, as targets of the other release.
    pub(crate) other_targets: Option<Targets>,
    /// Rows of the other original, as targets of the release and of the other release.
    pub(crate) earlier_targets: Option<[Targets; 2]>,
    /// Sensitive values that the adversary can rule out for the targets.
    pub(crate) ruled_out: RuledOut,
    /// People outside the release.
    pub(crate) outside: Option<Targets>,
    /// The original, as the adversary knows it.
    pub(crate) original: Option<Coded>,
    /// The quasi-identifiers of the population.
    pub(crate) population: Option<Coded>,
    /// Rows of the population outside the release, in the order of their values.
    pub(crate) outside_rows: Vec<u32>,
    /// Quasi-identifier → specific code → people of the original who have it.
    pub(crate) counts: Vec<Vec<u64>>,
    /// Sensitive columns that the tables have, by number in `roles.sensitive`.
    pub(crate) sensitive: Vec<usize>,
    /// Sensitive column → shared code → share of released rows.
    pub(crate) shares: Vec<Vec<f64>>,
    /// Quasi-identifier → number of specific values, and the code of the missing one.
    pub(crate) sizes: Vec<(usize, Option<Code>)>,
    /// Rows of both releases in their order, for attacks that use it: see [`Scene::new`].
    pub(crate) all_rows: (usize, Option<usize>),
}

impl Scene {
    /// Sets a scene.
    ///
    /// # Errors
    /// No quasi-identifier, a k below 2, tables without rows, quasi-identifiers that a table lacks.
    pub fn new<'a>(tables: &Tables<'a>, roles: Roles, settings: Settings) -> Result<Self> {
        let known = |original: &'a Coded| as_known(original, tables.population, tables.truth, &roles);
        let original = tables.original.map(known).transpose()?;
        let other_original = tables.other_original.map(known).transpose()?;
        let known = Known { original: original.as_deref(), other_original: other_original.as_deref() };
        check(tables, &known, &roles)?;
        let specific = domain(&roles, tables, &known);
        let mut shared: Vec<Dictionary> = vec![Dictionary::new(); roles.sensitive.len()];
        let missing = if roles.missing_is_value { Missing::Value } else { Missing::Unknown };
        let mut view_of = |table: &Coded| {
            view(table, quasi(&roles, table), &roles, &mut shared, (&specific, tables.hierarchies, missing))
        };
        let view = view_of(tables.release);
        let other = tables.other.map(&mut view_of);
        let has = |name: &String| {
            let all = [Some(tables.release), tables.other, known.original, known.other_original];
            all.into_iter().flatten().all(|table| table.column(name).is_some())
        };
        let sensitive = (0..roles.sensitive.len()).filter(|&at| has(&roles.sensitive[at])).collect();
        let mut scene = Scene {
            all_rows: (tables.release.rows, tables.other.map(|other| other.rows)),
            counts: Vec::new(),
            targets: None,
            other_targets: None,
            earlier_targets: None,
            ruled_out: RuledOut::default(),
            outside: None,
            original: None,
            population: None,
            outside_rows: Vec::new(),
            shares: Vec::new(),
            sensitive,
            sizes: specific.iter().map(|column| (column.size(), column.dictionary.missing())).collect(),
            roles,
            settings,
            view,
            other,
        };
        scene.add_owners(tables, &specific, &mut shared);
        scene.add_originals(&known, &specific, tables.facts, &mut shared)?;
        scene.add_population(tables, &specific, &mut shared)?;
        scene.shares =
            shared.iter().zip(&scene.view.values).map(|(all, values)| shares(all.len(), values)).collect();
        Ok(scene)
    }

    /// Finds out whose the rows of both releases are.
    fn add_owners(&mut self, tables: &Tables<'_>, specific: &[Column], shared: &mut [Dictionary]) {
        let (roles, sensitive) = (&self.roles, &self.sensitive);
        let Some(subject) = &roles.subject else { return };
        let mut owners = |view: &View, release: &Coded, original: Option<&Coded>| {
            if let Some(shown) = release.column(subject) {
                let people = view.shown.iter().map(|&row| shown.codes[row as usize]).collect();
                return Some(Owners::shown(view, people, sensitive));
            }
            let original = original?;
            let people = original.column(subject)?.codes.clone();
            let of = |(at, name): (usize, &String)| {
                let column = original.column(name)?.clone();
                recoded(vec![column], &specific[at..=at]).pop().map(|column| (at, column))
            };
            let columns: Vec<(usize, Column)> = roles.quasi.iter().enumerate().filter_map(of).collect();
            let rows: Vec<u32> = (0..original.rows as u32).collect();
            let values = values_of(original, roles, &rows, shared);
            Some(Owners::of_original(view, &columns, people, values, sensitive))
        };
        self.view.owners = owners(&self.view, tables.release, tables.original);
        if let (Some(view), Some(release)) = (&mut self.other, tables.other) {
            view.owners = owners(view, release, tables.other_original);
        }
    }

    /// Takes targets from the originals.
    fn add_originals(
        &mut self,
        known: &Known<'_>,
        specific: &[Column],
        facts: &[Fact],
        shared: &mut [Dictionary],
    ) -> Result<()> {
        if let Some(original) = known.original {
            let columns = recoded(quasi(&self.roles, original), specific);
            let subject = self.roles.subject.as_ref().and_then(|name| original.column(name));
            self.counts = columns.iter().map(|column| people_by_value(column, subject)).collect();
            let rows = self.target_rows(original, &columns);
            let values = values_of(original, &self.roles, &rows, shared);
            self.ruled_out = RuledOut::new(facts, original, &rows, &self.roles, shared)?;
            let find = |view: &View| Targets::find(view, &columns, &rows, values.clone());
            self.other_targets = self.other.as_ref().map(find);
            self.targets = Some(find(&self.view));
            let more = self.roles.sensitive.iter().chain(&self.roles.subject);
            let more = more.filter_map(|name| original.column(name).cloned());
            self.original = Some(Coded::new(columns.into_iter().chain(more).collect()));
        }
        if let (Some(original), Some(other)) = (known.other_original, &self.other) {
            let columns = recoded(quasi(&self.roles, original), specific);
            let rows = self.target_rows(original, &columns);
            let values = values_of(original, &self.roles, &rows, shared);
            let find = |view: &View| Targets::find(view, &columns, &rows, values.clone());
            self.earlier_targets = Some([find(&self.view), find(other)]);
        }
        Ok(())
    }

    /// Takes people outside the release from the population.
    fn add_population(
        &mut self,
        tables: &Tables<'_>,
        specific: &[Column],
        shared: &mut [Dictionary],
    ) -> Result<()> {
        let Some(population) = tables.population else { return Ok(()) };
        let columns = recoded(quasi(&self.roles, population), specific);
        let groups = Groups::new(&columns.iter().collect::<Vec<_>>(), population.rows);
        self.outside_rows = match (tables.truth, tables.original) {
            (Some(truth), Some(original)) => {
                let originals: Vec<&Coded> =
                    [Some(original), tables.other_original].into_iter().flatten().collect();
                let apart: FxHashSet<u32> = rows_apart(population, &originals, truth)?.into_iter().collect();
                groups.order().iter().copied().filter(|row| apart.contains(row)).collect()
            }
            _ => self.rows_outside(&groups, columns.len()),
        };
        let rows = sample(&self.outside_rows, self.settings.targets, self.settings.seed, 2);
        let values = values_of(population, &self.roles, &rows, shared);
        self.outside = (!rows.is_empty()).then(|| Targets::find(&self.view, &columns, &rows, values));
        self.population = Some(Coded::new(columns));
        Ok(())
    }

    /// Draws rows of an original as targets, one per person; fewer where too many classes cover
    /// them.
    fn target_rows(&self, original: &Coded, columns: &[Column]) -> Vec<u32> {
        let subject = self.roles.subject.as_ref().and_then(|name| original.column(name));
        let sensitive = self.roles.sensitive.iter().filter_map(|name| original.column(name));
        let by: Vec<&Column> = columns.iter().chain(sensitive).chain(subject).collect();
        let groups = Groups::new(&by, original.rows);
        let places = shuffled(original.rows, self.settings.seed, 3);
        let order = one_per_person(groups.order(), subject, &places);
        let mut most = self.settings.targets;
        loop {
            let rows = sample(&order, most, self.settings.seed, 1);
            if most <= 1000 || pairs(&self.view, columns, &rows) <= PAIRS {
                return rows;
            }
            most /= 2;
        }
    }

    /// People of the population whose quasi-identifiers nobody in the original has; all of them
    /// without an original.
    fn rows_outside(&self, groups: &Groups, width: usize) -> Vec<u32> {
        let Some(original) = &self.original else { return groups.order().to_vec() };
        let inside: Vec<&Column> = original.columns[..width].iter().collect();
        let inside = Groups::new(&inside, original.rows);
        let tree = Tree::new(width, inside.len(), |at| inside.tuple(at), |_| 1);
        let apart = |at: &usize| {
            let runs: Vec<Runs> = groups.tuple(*at).iter().map(|&code| Runs::of(vec![code])).collect();
            tree.count(&runs.iter().collect::<Vec<_>>()) == 0
        };
        (0..groups.len()).filter(apart).flat_map(|at| groups.rows(at).iter().copied()).collect()
    }

    /// The targets.
    ///
    /// # Errors
    /// If there is no original: attacks that need it are not run without.
    pub(crate) fn targets(&self) -> Result<&Targets> {
        self.targets.as_ref().ok_or_else(|| Fault::bug("an attack has no targets").into())
    }

    /// Counts the targets of whom a test holds, given what the adversary believes, the target and
    /// its own value. `values` are the sensitive values of the released rows.
    pub(crate) fn believed(
        &self,
        column: usize,
        values: &[Code],
        test: impl Fn(&Belief<'_>, u32, Code) -> bool + Sync,
    ) -> Result<Rate> {
        let targets = self.targets()?;
        let histograms = self.view.histograms(values);
        let successes = |group: usize| {
            let classes = targets.classes(group);
            let merged = histograms.merged(classes);
            let belief = Belief { rows: self.view.rows_of(classes), values: &merged };
            let own = |&&target: &&u32| test(&belief, target, targets.own(column, target));
            targets.groups.rows(group).iter().filter(own).count() as u64
        };
        let all = (0..targets.groups.len()).into_par_iter().map(successes).sum();
        Ok(Rate::new(all, targets.len() as u64))
    }

    /// The sensitive values of the released rows, dealt to them at random: a release that says
    /// nothing about who has which value.
    pub(crate) fn dealt(&self, column: usize) -> Vec<Code> {
        // In the order of values first, so that nothing depends on the order of rows.
        let values = &self.view.values[column];
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let order = shuffled(sorted.len(), self.settings.seed, 10 + column as u64);
        let mut dealt = vec![0; sorted.len()];
        for (place, &row) in self.view.classes.order().iter().enumerate() {
            dealt[row as usize] = sorted[order[place] as usize];
        }
        dealt
    }

    /// Counts targets, or people outside, of whom a test of the classes that cover them holds.
    pub(crate) fn counted(&self, targets: &Targets, test: impl Fn(&[u32]) -> bool + Sync) -> Rate {
        let successes = |group: usize| match test(targets.classes(group)) {
            true => u64::from(targets.groups.count(group)),
            false => 0,
        };
        let all = (0..targets.groups.len()).into_par_iter().map(successes).sum();
        Rate::new(all, targets.len() as u64)
    }
}

/// The originals, as the adversary knows them.
struct Known<'a> {
    original: Option<&'a Coded>,
    other_original: Option<&'a Coded>,
}

/// The quasi-identifiers of a table.
fn quasi(roles: &Roles, table: &Coded) -> Vec<Column> {
    roles.quasi.iter().filter_map(|name| table.column(name).cloned()).collect()
}

fn check(tables: &Tables<'_>, known: &Known<'_>, roles: &Roles) -> Result<()> {
    let mut faults = Vec::new();
    if roles.quasi.is_empty() {
        faults.push(
            fault!(Input, "attack.no-quasi-identifier", "the policy has no quasi-identifier")
                .key("--policy")
                .help("give the columns that outsiders know role = \"quasi\""),
        );
    }
    let named = [
        (Some(tables.release), "the release"),
        (tables.other, "the other release"),
        (known.original, "the original"),
        (known.other_original, "the other original"),
        (tables.population, "the population"),
    ];
    for (table, which) in named.into_iter().filter_map(|(table, which)| table.map(|table| (table, which))) {
        if table.rows == 0 {
            faults.push(
                fault!(Data, "attack.no-rows", "{table} has no rows", table = which)
                    .help("give a table with at least one row"),
            );
        }
        for name in roles.quasi.iter().filter(|name| table.column(name).is_none()) {
            faults.push(
                fault!(
                    Input,
                    "attack.table-lacks-column",
                    "{table} has no column `{column}`, which is a quasi-identifier",
                    table = which,
                    column = name
                )
                .help("give a table with all quasi-identifiers of the policy"),
            );
        }
    }
    Error::check(faults)
}

/// Quasi-identifier → the specific values of all tables that have them, as one column without rows.
fn domain(roles: &Roles, tables: &Tables<'_>, known: &Known<'_>) -> Vec<Column> {
    let specific: Vec<&Coded> = match (known.original, tables.population) {
        (None, None) => std::iter::once(tables.release).chain(tables.other).collect(),
        (original, population) => {
            // Whose released rows are is looked up in the originals, not in what is known of them.
            let true_values = roles.subject.as_ref().and(tables.truth).and(tables.original);
            let earlier = true_values.and(tables.other_original);
            let known = original.into_iter().chain(known.other_original).chain(population);
            known.chain(true_values).chain(earlier).collect()
        }
    };
    let one = |name: &String| {
        let mut counts: FxHashMap<Option<&str>, u64> = FxHashMap::default();
        for column in specific.iter().filter_map(|table| table.column(name)) {
            for code in 0..column.size() as Code {
                *counts.entry(column.dictionary.value(code)).or_default() += column.dictionary.count(code);
            }
        }
        // The order of a map does not matter: a column sorts its values.
        Column::counted(name, counts)
    };
    roles.quasi.iter().map(one).collect()
}

/// Sensitive column → row of some → shared code; empty where the table lacks the column.
fn values_of(table: &Coded, roles: &Roles, rows: &[u32], shared: &mut [Dictionary]) -> Vec<Vec<Code>> {
    let one = |(name, shared): (&String, &mut Dictionary)| {
        let Some(column) = table.column(name) else { return Vec::new() };
        let code = |code: Code| shared.add(column.dictionary.value(code), 0);
        let codes: Vec<Code> = (0..column.size() as Code).map(code).collect();
        rows.iter().map(|&row| codes[column.codes[row as usize] as usize]).collect()
    };
    roles.sensitive.iter().zip(shared).map(one).collect()
}

/// Columns in the codes of others that have all their values.
fn recoded(columns: Vec<Column>, specific: &[Column]) -> Vec<Column> {
    let one = |(column, specific): (Column, &Column)| {
        let code = |code: Code| specific.dictionary.get(column.dictionary.value(code)).unwrap_or(0);
        let codes: Vec<Code> = (0..column.size() as Code).map(code).collect();
        Column {
            codes: column.codes.iter().map(|&code| codes[code as usize]).collect(),
            name: column.name,
            ..specific.clone()
        }
    };
    columns.into_iter().zip(specific).map(one).collect()
}

/// Code → rows that have it, or people where a column says whose they are.
fn people_by_value(column: &Column, subject: Option<&Column>) -> Vec<u64> {
    let mut counts = vec![0; column.size()];
    let Some(subject) = subject else {
        column.codes.iter().for_each(|&code| counts[code as usize] += 1);
        return counts;
    };
    let both = column.codes.iter().zip(&subject.codes);
    let mut pairs: Vec<(Code, Code)> = both.map(|(&code, &person)| (code, person)).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    pairs.iter().for_each(|pair| counts[pair.0 as usize] += 1);
    counts
}

fn shares(size: usize, values: &[Code]) -> Vec<f64> {
    let mut counts = vec![0u64; size];
    values.iter().for_each(|&value| counts[value as usize] += 1);
    counts.iter().map(|&count| count as f64 / values.len().max(1) as f64).collect()
}
