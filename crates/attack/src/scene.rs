//! The scene of an attack: a release, what outsiders know, and whom they are after.
//!
//! A *view* is a release with its classes and their sensitive values. *Targets* are people whose
//! specific quasi-identifiers the adversary knows; the tree of targets says which classes cover
//! each. Targets are a sample of rows, so that intervals say how exact a rate is. Rows in which
//! every quasi-identifier is `*` cover everybody and are left out: an adversary gains nothing from
//! them. Costs a box per class, and the pairs of targets and classes.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use throng_terms::error::{Error, Fault, Result};
use throng_terms::fault;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::table::{Code, Dictionary};

use crate::cover::{Covered, Missing, Runs, covers};
use crate::database::Fact;
use crate::groups::Groups;
use crate::knowledge::{RuledOut, as_known, one_per_person, rows_apart};
use crate::rate::Rate;
use crate::sample::{sample, shuffled};
use crate::table::{Coded, Column};
use crate::tree::Tree;

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

/// A release with its classes.
pub struct View {
    /// The quasi-identifiers.
    pub(crate) quasi: Vec<Column>,
    /// The classes of the rows that show something.
    pub(crate) classes: Groups,
    /// Rows that show something, in the order of the release: place → row.
    pub(crate) shown: Vec<u32>,
    /// Sensitive column → row that shows something → shared code.
    pub(crate) values: Vec<Vec<Code>>,
    /// Quasi-identifier → released code → what it covers among the specific values.
    pub(crate) covers: Vec<Vec<Covered>>,
}

impl View {
    /// The cells of a class as a box.
    pub(crate) fn query(&self, class: usize) -> Vec<&Runs> {
        let tuple = self.classes.tuple(class).iter();
        tuple.zip(&self.covers).map(|(&code, covers)| &covers[code as usize].runs).collect()
    }

    /// Number of rows that show something.
    pub(crate) fn rows(&self) -> usize {
        self.shown.len()
    }

    /// Class → its sensitive values with their rows; `values` are those of the rows.
    pub(crate) fn histograms(&self, values: &[Code]) -> Histograms {
        let parts: Vec<Vec<(Code, u32)>> = (0..self.classes.len())
            .into_par_iter()
            .map(|class| counted(self.classes.rows(class).iter().map(|&row| values[row as usize])))
            .collect();
        Histograms(parts)
    }
}

/// Class → values with their rows, by value.
pub(crate) struct Histograms(Vec<Vec<(Code, u32)>>);

impl Histograms {
    pub(crate) fn of(&self, class: usize) -> &[(Code, u32)] {
        &self.0[class]
    }

    /// The values of several classes together.
    pub(crate) fn merged(&self, classes: &[u32]) -> Vec<(Code, u32)> {
        if let [only] = classes {
            return self.0[*only as usize].clone();
        }
        let mut all: Vec<(Code, u32)> =
            classes.iter().flat_map(|&class| self.of(class as usize)).copied().collect();
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        all
    }
}

/// Values with the number of times that they occur.
pub(crate) fn counted(values: impl Iterator<Item = Code>) -> Vec<(Code, u32)> {
    let mut values: Vec<Code> = values.collect();
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

/// People whose quasi-identifiers are known, and the classes that cover them.
pub struct Targets {
    /// Distinct quasi-identifiers among the targets.
    pub(crate) groups: Groups,
    /// Sensitive column → target → shared code; empty for people outside.
    pub(crate) values: Vec<Vec<Code>>,
    /// Quasi-identifier → target → code of the specific value.
    pub(crate) codes: Vec<Vec<Code>>,
    starts: Vec<usize>,
    classes: Vec<u32>,
}

impl Targets {
    /// The classes that cover a group of targets.
    pub(crate) fn classes(&self, group: usize) -> &[u32] {
        &self.classes[self.starts[group]..self.starts[group + 1]]
    }

    /// Number of targets.
    pub(crate) fn len(&self) -> usize {
        self.groups.order().len()
    }

    /// Finds the classes of a view that cover some rows of a table.
    fn find(view: &View, columns: &[Column], rows: &[u32], values: Vec<Vec<Code>>) -> Self {
        let part = |column: &Column| Column {
            codes: rows.iter().map(|&row| column.codes[row as usize]).collect(),
            ..column.clone()
        };
        let parts: Vec<Column> = columns.iter().map(part).collect();
        let groups = Groups::new(&parts.iter().collect::<Vec<_>>(), rows.len());
        let tree = Tree::new(columns.len(), groups.len(), |at| groups.tuple(at), |_| 1);
        let found: Vec<Vec<u32>> = (0..view.classes.len())
            .into_par_iter()
            .map(|class| {
                let mut found = Vec::new();
                tree.each(&view.query(class), |group| found.push(group));
                found
            })
            .collect();
        let mut starts = vec![0; groups.len() + 1];
        found.iter().flatten().for_each(|&group| starts[group as usize + 1] += 1);
        (0..groups.len()).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut classes = vec![0; starts[groups.len()]];
        for (class, found) in found.iter().enumerate() {
            for &group in found {
                classes[next[group as usize]] = class as u32;
                next[group as usize] += 1;
            }
        }
        let codes = parts.into_iter().map(|column| column.codes).collect();
        Targets { groups, values, codes, starts, classes }
    }
}

/// What an adversary believes about a target.
pub(crate) struct Belief<'a> {
    /// Released rows that can be the target's.
    pub(crate) rows: u64,
    /// Their sensitive values.
    pub(crate) values: &'a [(Code, u32)],
}

impl Belief<'_> {
    /// Rows with a value.
    pub(crate) fn count(&self, value: Code) -> u32 {
        self.values.binary_search_by_key(&value, |entry| entry.0).map_or(0, |at| self.values[at].1)
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
    /// Quasi-identifier → specific code → rows of the original.
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
        scene.add_originals(&known, &specific, tables.facts, &mut shared)?;
        scene.add_population(tables, &specific, &mut shared)?;
        scene.shares =
            shared.iter().zip(&scene.view.values).map(|(all, values)| shares(all.len(), values)).collect();
        Ok(scene)
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
            self.counts = columns.iter().map(histogram).collect();
            let rows = self.target_rows(original, &columns);
            let values = values_of(original, &self.roles, &rows, shared);
            self.ruled_out = RuledOut::new(facts, original, &rows, &self.roles, shared)?;
            let find = |view: &View| Targets::find(view, &columns, &rows, values.clone());
            self.other_targets = self.other.as_ref().map(find);
            self.targets = Some(find(&self.view));
            let more = self.roles.sensitive.iter().filter_map(|name| original.column(name).cloned());
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

    /// Draws rows of an original as targets, one per person; fewer where too many classes cover them.
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
            let rows = classes.iter().map(|&class| u64::from(self.view.classes.count(class as usize))).sum();
            let belief = Belief { rows, values: &merged };
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

    /// Counts groups of targets, or people outside, of whom a test of their candidate rows holds.
    pub(crate) fn counted(&self, targets: &Targets, test: impl Fn(u64, usize) -> bool) -> Rate {
        let mut successes = 0;
        for group in 0..targets.groups.len() {
            let classes = targets.classes(group).iter();
            let rows = classes.map(|&class| u64::from(self.view.classes.count(class as usize))).sum();
            if test(rows, group) {
                successes += u64::from(targets.groups.count(group));
            }
        }
        Rate::new(successes, targets.len() as u64)
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
            original.into_iter().chain(known.other_original).chain(population).collect()
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

fn view(
    table: &Coded,
    quasi: Vec<Column>,
    roles: &Roles,
    shared: &mut [Dictionary],
    (specific, hierarchies, missing): (&[Column], &[Option<Hierarchy>], Missing),
) -> View {
    let columns = quasi.iter().zip(specific).zip(hierarchies);
    let covers: Vec<Vec<Covered>> = columns
        .map(|((column, specific), hierarchy)| covers(column, specific, hierarchy.as_ref(), missing))
        .collect();
    let shows = |row: &u32| {
        quasi
            .iter()
            .zip(&covers)
            .any(|(column, covers)| !covers[column.codes[*row as usize] as usize].anything)
    };
    let shown: Vec<u32> = (0..table.rows as u32).filter(shows).collect();
    let part = |column: Column| Column {
        codes: shown.iter().map(|&row| column.codes[row as usize]).collect(),
        ..column
    };
    let quasi: Vec<Column> = quasi.into_iter().map(part).collect();
    let values = roles.sensitive.iter().zip(shared).map(|(name, shared)| {
        let Some(column) = table.column(name) else { return Vec::new() };
        let codes: Vec<Code> =
            (0..column.size() as Code).map(|code| shared.add(column.dictionary.value(code), 0)).collect();
        shown.iter().map(|&row| codes[column.codes[row as usize] as usize]).collect()
    });
    let values = values.collect();
    let classes = Groups::new(&quasi.iter().collect::<Vec<_>>(), shown.len());
    View { classes, quasi, shown, values, covers }
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

fn histogram(column: &Column) -> Vec<u64> {
    let mut counts = vec![0; column.size()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    counts
}

fn shares(size: usize, values: &[Code]) -> Vec<f64> {
    let mut counts = vec![0u64; size];
    values.iter().for_each(|&value| counts[value as usize] += 1);
    counts.iter().map(|&count| count as f64 / values.len().max(1) as f64).collect()
}

/// Pairs of some rows and the classes that cover them.
fn pairs(view: &View, columns: &[Column], rows: &[u32]) -> u64 {
    let flat: Vec<Code> =
        rows.iter().flat_map(|&row| columns.iter().map(move |column| column.codes[row as usize])).collect();
    let width = columns.len();
    let tree = Tree::new(width, rows.len(), |at| &flat[at * width..][..width], |_| 1);
    (0..view.classes.len()).into_par_iter().map(|class| tree.count(&view.query(class))).sum()
}
