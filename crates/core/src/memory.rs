//! Releases tables that are in memory: the whole path without files, for programs that embed
//! Throng.
//!
//! Groups, decides, rewrites, certifies and verifies, with the same code as a release of files.
//! Costs two copies of the table. What needs another file or a secret is refused: joined files,
//! replaced identifiers, differential privacy and models that are commands; so are sensitive columns
//! at a level. A population is a second table.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::decide::{Circumstances, DecidedAssignment, Maximized, decide_maximizing};
use crate::deletion::Deletion;
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy;
use crate::policy::{Column, Policy, Suppressed};
use crate::preparation::{Preparation, PreparedTable};
use crate::recoding::{Contents, Recoding, RowCounter};
use crate::release::{Certificate, FileFacts};
pub use crate::rows::Table;
use crate::rows::{ContentKey, Rows};
use crate::search::{Grouped, Leveled, Load, Population, Problem, leveled};
use crate::suggest::explained;
use crate::table::{Code, Dictionary};
use crate::template;
use crate::verify::{Assignment, Inputs, Original, Verdict, verify};
use crate::watch::Watch;

/// A release of a table in memory.
#[derive(Debug)]
#[non_exhaustive]
pub struct Released {
    /// The released table.
    pub table: Table,
    /// The figures of the release, sealed.
    pub certificate: Certificate,
    /// What the verifier found. Every claim of it holds: otherwise there is no release.
    pub verdict: Verdict,
}

/// Releases a table as a policy asks, and proves it. `load` reads the hierarchy files that the
/// policy names.
///
/// # Errors
/// A policy with mistakes or one that needs more than the table; data that do not fit it;
/// [`Kind::Unsolvable`](crate::error::Kind::Unsolvable) if nothing safe is within the limits.
pub fn release(policy: &str, table: &Table, load: Load<'_>, watch: &Watch) -> Result<Released> {
    released(policy, table, None, load, watch)
}

/// The same for a policy with a model that compares with the population that the table was drawn
/// from, which has a row for everybody.
///
/// # Errors
/// As [`release`]; a policy that names no population, and one that lacks a quasi-identifier.
pub fn release_from_population(
    policy: &str,
    table: &Table,
    population: &Table,
    load: Load<'_>,
    watch: &Watch,
) -> Result<Released> {
    released(policy, table, Some(population), load, watch)
}

fn released(
    policy: &str,
    table: &Table,
    population: Option<&Table>,
    load: Load<'_>,
    watch: &Watch,
) -> Result<Released> {
    let sha256 = Policy::digest(policy);
    let policy = Policy::parse(policy)?;
    refuse(&policy, population.is_some())?;
    let template = template::checked(&policy, load)?;
    let preparation = policy.input.prepares().then(|| prepare(&policy, table)).transpose()?;
    let prepared = preparation.as_ref().map(|preparation| PreparedTable::new(table, preparation));
    let original: &dyn Rows = prepared.as_ref().map_or(table, |prepared| prepared);
    let read = prepared.as_ref().map(|prepared| read_all(prepared, watch)).transpose()?;
    let table = read.as_ref().unwrap_or(table);
    policy.bind(table.columns())?;
    let (quasi, measured) = policy.grouped_columns(table.columns());
    let mut grouped = group(table, quasi, measured, watch)?;
    grouped.population =
        population.map(|people| grouped_people(people, &grouped.names, watch)).transpose()?;
    let dictionaries = grouped.dictionaries.clone();
    let others = others(&grouped, leveled(&policy, &grouped, load)?)?;
    let (problem, maps) = Problem::watched(&policy, grouped, load, watch)?;
    let decided = decide_maximizing(&policy, &problem, load, None, watch);
    let Maximized { decision, raised } = match decided {
        Ok(decided) => decided,
        Err(error) => return Err(explained((&policy, &problem, load), error, watch)?),
    };
    let (policy, problem) = match raised {
        Some(raised) => *raised,
        None => (policy, problem),
    };
    let figures = decision.figures(&policy, &problem, watch)?;
    let recoding = Recoding::new(&problem.names, &maps, &decision.recoded);
    let rewritten = Rewritten { others, deletion: problem.deletion.as_ref() };
    let written = rewrite(&policy, table, recoding, (&dictionaries, &rewritten))?;
    let file = |path: &str, table: &Table| -> Result<FileFacts> {
        let rows = table.rows().len() as u64;
        Ok(FileFacts { path: path.to_owned(), sha256: table.fingerprint(watch)?, rows })
    };
    let files = files(&policy, population, load, watch)?;
    let circumstances = Circumstances {
        rows: table.rows().len() as u64,
        input: file(&policy.input.path, table)?,
        preparation: original.preparation().cloned(),
        population: match (population, policy.population()) {
            (Some(people), Some((_, path))) => Some(file(path, people)?),
            _ => None,
        },
        output: file(policy.output.path.as_deref().unwrap_or("memory"), &written)?,
        policy_sha256: sha256.clone(),
        files: files.clone(),
        text: BTreeMap::new(),
        seed: policy.search.seed,
    };
    let mut facts = decision.release(&policy, &problem, &figures, circumstances)?;
    facts.template = template;
    let certificate = Certificate::new(facts, written.columns().to_vec(), figures.classes)?;
    let assignment = DecidedAssignment::new(&policy, &problem, &decision);
    let tables = (original, &written, population);
    let verdict = judge((&policy, &sha256, files), &certificate, tables, &assignment, load, watch)?;
    match verdict.holds() {
        true => Ok(Released { table: written, certificate, verdict }),
        false => Err(Fault::bug("the verifier does not agree with the release").into()),
    }
}

/// What needs more than the table.
fn refuse(policy: &Policy, population: bool) -> Result<()> {
    let command = policy.search.model.as_ref().is_some_and(|model| model.builtin.is_none());
    let replaced = policy.columns.values().any(Column::is_replaced);
    let needs = [
        (!policy.input.joined_files().is_empty(), "a joined file"),
        (policy.population().is_some() && !population, "a population that is not given"),
        (policy.population().is_none() && population, "a population that the policy does not name"),
        (policy.differential_privacy().is_some(), "differential privacy"),
        (replaced, "replaced identifiers"),
        (policy.columns.values().any(|column| column.shift().is_some()), "shifted dates"),
        (policy.scrubbed().next().is_some(), "scrubbed text"),
        (command, "a model that is a command"),
        (!policy.leveled().is_empty(), "sensitive columns at a level"),
    ];
    let faults = needs.into_iter().filter(|(needed, _)| *needed).map(|(_, what)| {
        fault!(
            Input,
            "release.not-in-memory",
            "{feature} cannot be used for a table in memory",
            feature = what
        )
        .help("release a file, or remove it from the policy")
    });
    Error::check(faults.collect())
}

/// What the policy does to rows before they are released.
fn prepare(policy: &Policy, table: &Table) -> Result<Preparation> {
    Preparation::new(&policy.input, table.columns(), Vec::new(), Vec::new())
}

/// All rows of a prepared table, with the fingerprint of the table that they come from.
fn read_all(table: &PreparedTable<'_>, watch: &Watch) -> Result<Table> {
    let columns: Vec<usize> = (0..table.columns().len()).collect();
    let mut rows: Vec<Vec<Option<String>>> = Vec::new();
    table.read(&columns, watch, &mut |batch| {
        let before = rows.len();
        rows.resize_with(before + batch.rows(), || Vec::with_capacity(columns.len()));
        for &column in &columns {
            let mut at = before;
            batch.each(column, &mut |cell| {
                rows[at].push(cell.map(String::from));
                at += 1;
            });
        }
        Ok(())
    })?;
    Ok(Table::new(table.columns().to_vec(), rows)?.identified_by(&table.fingerprint(watch)?))
}

/// Counts the distinct tuples of some columns.
fn group(table: &Table, names: Vec<String>, measured: Vec<String>, watch: &Watch) -> Result<Grouped> {
    let places: Vec<usize> = names.iter().chain(&measured).filter_map(|name| table.place(name)).collect();
    Ok(Grouped::new(names, measured, table.count(&places, watch)?))
}

/// The people of the distinct tuples of a population.
fn grouped_people(people: &Table, names: &[String], watch: &Watch) -> Result<Population> {
    let absent = names.iter().filter(|name| people.place(name).is_none()).map(|name| {
        fault!(Input, "population.no-such-column", "the population has no column `{column}`", column = name)
            .help("give it the quasi-identifiers of the table")
    });
    Error::check(absent.collect())?;
    let places: Vec<usize> = names.iter().filter_map(|name| people.place(name)).collect();
    let counted = people.count(&places, watch)?;
    Ok(Population { dictionaries: counted.dictionaries, tuples: counted.tuples })
}

/// The digests of the files that a policy names; of a population, its fingerprint.
fn files(
    policy: &Policy,
    population: Option<&Table>,
    load: Load<'_>,
    watch: &Watch,
) -> Result<BTreeMap<String, String>> {
    let path = policy.population().map(|(_, path)| path);
    let digest = |name: &str| match population.filter(|_| path == Some(name)) {
        Some(people) => people.fingerprint(watch),
        None => Ok(Policy::digest(&load(name)?)),
    };
    policy.files().into_iter().map(|name| Ok((name.to_owned(), digest(name)?))).collect()
}

/// The contents of all rows, by which rows of equal quasi-identifiers are distinguished.
fn contents(policy: &Policy, table: &Table) -> Vec<u64> {
    let places: Vec<usize> =
        policy.content_columns().into_iter().filter_map(|name| table.place(name)).collect();
    let key = |row: &Vec<Option<String>>| {
        let mut key = ContentKey::default();
        places.iter().for_each(|&column| key.cell(row[column].as_deref()));
        key.finish()
    };
    table.rows().iter().map(key).collect()
}

/// A value of a column → what it becomes.
type CellMap = BTreeMap<Option<String>, Option<String>>;

/// What is rewritten beside the quasi-identifiers.
struct Rewritten<'a> {
    /// Column → the values that its values become.
    others: BTreeMap<String, CellMap>,
    deletion: Option<&'a Deletion>,
}

impl Rewritten<'_> {
    /// The rows that are not deleted.
    fn left<'t>(&self, table: &'t Table) -> Vec<&'t Vec<Option<String>>> {
        let values = self.deletion.into_iter().flat_map(Deletion::row_values);
        let values: Vec<_> = values.filter_map(|(name, values)| Some((table.place(name)?, values))).collect();
        let deleted = |row: &Vec<Option<String>>| {
            values.iter().any(|(at, values)| row[*at].as_ref().is_some_and(|cell| values.contains(cell)))
        };
        table.rows().iter().filter(|row| !deleted(row)).collect()
    }

    fn cell(&self, column: &str, cell: &Option<String>) -> Option<String> {
        match self.others.get(column) {
            Some(values) => values.get(cell).cloned().flatten(),
            None => cell.clone(),
        }
    }
}

/// The values of rewritten columns, by text.
fn others(grouped: &Grouped, columns: Vec<Leveled>) -> Result<BTreeMap<String, CellMap>> {
    let column = |column: Leveled| {
        let at = grouped.measured.iter().position(|name| *name == column.name);
        let at = at.ok_or_else(|| Error::from(Fault::bug("a rewritten column was not grouped")))?;
        let raw = &grouped.dictionaries[grouped.names.len() + at];
        let text = |code: Code| raw.value(code).map(String::from);
        let values = (0..raw.len() as Code).map(text).zip(column.labels).collect();
        Ok((column.name, values))
    };
    columns.into_iter().map(column).collect()
}

/// The released rows, in random order unless the policy keeps theirs.
fn rewrite(
    policy: &Policy,
    table: &Table,
    mut recoding: Recoding,
    (dictionaries, rewritten): (&[Dictionary], &Rewritten<'_>),
) -> Result<Table> {
    let left = rewritten.left(table);
    let code = |row: &Vec<Option<String>>, (column, d): (usize, &Dictionary)| {
        d.get(row[column].as_deref()).ok_or_else(|| Error::from(Fault::bug("a value was not grouped")))
    };
    let place = |name: &str| table.place(name).unwrap_or_default();
    let quasi: Vec<usize> = recoding.columns.iter().map(|column| place(&column.name)).collect();
    let mut codes = Vec::with_capacity(quasi.len());
    for (&column, dictionary) in quasi.iter().zip(dictionaries) {
        let of_column = left.iter().map(|row| code(row, (column, dictionary)));
        codes.push(of_column.collect::<Result<Vec<Code>>>()?);
    }
    let mut keys = Vec::new();
    if recoding.divides() {
        keys = contents(policy, table);
        let mut contents = Contents::new(codes.len());
        contents.add(&codes, &keys);
        recoding.divide_by(&contents)?;
    }
    let kept = recoding.recode(&mut codes, &keys, &mut RowCounter::default());
    let stars = policy.output.suppressed == Suppressed::Starred;
    let kept = kept.filter(|_| !stars).unwrap_or_else(|| (0..left.len() as u32).collect());
    let released: Vec<usize> = (0..table.columns().len())
        .filter(|&c| policy.columns.get(&table.columns()[c]).is_some_and(Column::released))
        .collect();
    let cell = |row: usize, column: usize| match quasi.iter().position(|&q| q == column) {
        None => rewritten.cell(&table.columns()[column], &left[row][column]),
        Some(q) => match recoding.columns[q].labels.get(codes[q][row] as usize) {
            Some(label) => label.clone(),
            None => Some(hierarchy::TOP.to_owned()),
        },
    };
    let mut rows: Vec<Vec<Option<String>>> =
        kept.iter().map(|&row| released.iter().map(|&c| cell(row as usize, c)).collect()).collect();
    if !policy.output.keep_order {
        // Seed and fingerprint are published and must not undo the order: the key is another digest
        // of the rows.
        let text = [b"throng row order\0", &policy.search.seed.to_le_bytes()[..]].concat();
        // Equal tables in another order are released in the same order.
        rows.sort_unstable();
        rows.shuffle(&mut ChaCha8Rng::from_seed(table.digest(&text)));
    }
    Table::new(released.into_iter().map(|c| table.columns()[c].clone()).collect(), rows)
}

/// Judges the release with code that shares nothing with what made it.
fn judge(
    (policy, policy_sha256, files): (&Policy, &str, BTreeMap<String, String>),
    certificate: &Certificate,
    (original, release, population): (&dyn Rows, &Table, Option<&Table>),
    assignment: &DecidedAssignment<'_>,
    load: Load<'_>,
    watch: &Watch,
) -> Result<Verdict> {
    let files = files.into_iter().map(|(path, digest)| (path, Some(digest))).collect();
    let assignment = policy.forms_regions().then_some(assignment as &dyn Assignment);
    verify(&Inputs {
        policy,
        policy_sha256,
        certificate,
        files: Some(&files),
        release,
        original: Some(Original { rows: original, assignment, secret: None, counted: None, notes: None }),
        population: population.map(|people| people as &dyn Rows),
        build: &|column, values| {
            let spec = policy.columns.get(column).map_or(hierarchy::Spec::Suppress, |c| c.hierarchy());
            hierarchy::build(&spec, values, load)
        },
        watch,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use crate::policy::PolicyBundle;
    use crate::registry::Algorithm;

    fn table(rows: usize) -> Table {
        let columns = ["age", "zip", "illness"].map(String::from).to_vec();
        let row = |i: usize| {
            let illness = ["flu", "asthma", "angina"][i % 3];
            vec![
                Some((20 + i * 7 % 40).to_string()),
                Some(format!("021{:02}", i * 13 % 30)),
                Some(illness.into()),
            ]
        };
        Table::new(columns, (0..rows).map(row).collect()).unwrap()
    }

    const POLICY: &str = "version = 1\n[input]\npath = \"people\"\n[columns.age]\nrole = \"quasi\"\n\
        hierarchy = { intervals = { widths = [10, 20] } }\n[columns.zip]\nrole = \"quasi\"\n\
        hierarchy = { mask = {} }\n[columns.illness]\nrole = \"sensitive\"\n\
        [privacy]\nk = 4\nsuppression = 0.1\n";

    fn no_file(path: &str) -> Result<String> {
        Err(fault!(Input, "file.not-expected", "no file is expected").file(path).into())
    }

    #[test]
    fn every_algorithm_releases_a_table_in_memory() {
        for algorithm in Algorithm::k_anonymous() {
            // Ages are numbers for the methods that measure distances.
            let numbers = matches!(algorithm, Algorithm::Boxes | Algorithm::Mdav);
            let age = "hierarchy = { intervals = { widths = [10, 20] } }";
            let policy = if numbers { POLICY.replace(age, "form = \"interval\"") } else { POLICY.into() };
            let policy = format!("{policy}[search]\nalgorithm = \"{algorithm}\"\n");
            let rows = if algorithm.entry().small_tables { 16 } else { 60 };
            let released = release(&policy, &table(rows), &no_file, &Watch::none()).unwrap();
            assert!(released.verdict.holds(), "{algorithm}");
            let mut classes = BTreeMap::new();
            for row in released.table.rows() {
                *classes.entry(&row[..2]).or_insert(0) += 1;
            }
            assert!(classes.values().all(|&rows| rows >= 4), "{algorithm}: {classes:?}");
            assert_eq!(released.table.rows().len() as u64, released.certificate.release.output.rows);
        }
    }

    #[test]
    fn only_prepared_rows_are_released() {
        let policy = POLICY.replace(
            "path = \"people\"\n",
            "path = \"people\"\nwhere = \"illness <> 'flu'\"\n\
             prepare = [{ drop_rows = \"age > 55\" }, { cap = { column = \"age\", from = 50, label = \"50\" } }]\n",
        );
        let table = table(90);
        let released = release(&policy, &table, &no_file, &Watch::none()).unwrap();
        let age = |row: &Vec<Option<String>>| row[0].as_ref().unwrap().parse::<u32>().unwrap();
        let eligible: Vec<_> = table.rows().iter().filter(|row| row[2].as_deref() != Some("flu")).collect();
        let left = eligible.iter().filter(|row| age(row) <= 55).count() as u64;
        let facts = released.certificate.release.preparation.clone().unwrap();
        assert_eq!((facts.read, facts.eligible, facts.rows), (90, eligible.len() as u64, left));
        assert_eq!(released.certificate.release.rows, left);
        assert!(released.verdict.claims["preparation"].holds);
        assert!(!released.verdict.claims["preparation"].unchecked);
        let same = table.fingerprint(&Watch::none()).unwrap();
        assert_eq!(released.certificate.release.input.sha256, same);
        assert!(released.table.rows().iter().all(|row| row[2].as_deref() != Some("flu")));
        // The same table without the rows that are left out is released alike.
        let cap = |row: &&Vec<Option<String>>| {
            let mut row = (*row).clone();
            row[0] = Some(age(&row).min(50).to_string());
            row
        };
        let rows = eligible.iter().filter(|row| age(row) <= 55).map(cap).collect();
        let by_hand = Table::new(table.columns().to_vec(), rows).unwrap();
        let by_hand = release(POLICY, &by_hand, &no_file, &Watch::none()).unwrap();
        assert_eq!(by_hand.certificate.release.levels, released.certificate.release.levels);
        assert_eq!(by_hand.certificate.release.loss, released.certificate.release.loss);
        let joined = policy
            .replace("{ drop_rows", "{ present_in = { path = \"x.csv\", key = \"zip\" } }, { drop_rows");
        let error = release(&joined, &table, &no_file, &Watch::none()).unwrap_err();
        assert!(error.has_code("release.not-in-memory"), "{error}");
    }

    #[test]
    fn a_bundle_is_released_as_its_files_are() {
        let policy = POLICY.replace("{ mask = {} }", "{ file = \"zips.csv\" }");
        let zips: String = (0..30).map(|i| format!("021{i:02};021*;*\n")).collect();
        let load = |path: &str| if path == "zips.csv" { Ok(zips.clone()) } else { no_file(path) };
        let bundle = PolicyBundle::new(&*policy, &load).unwrap();
        let bundle = PolicyBundle::from_json(&bundle.to_json().unwrap()).unwrap();
        let files = release(&policy, &table(60), &load, &Watch::none()).unwrap();
        let bundled = release(bundle.text(), &table(60), &|path| bundle.load(path), &Watch::none()).unwrap();
        assert_eq!((bundled.table, bundled.certificate), (files.table, files.certificate));
    }

    #[test]
    fn rows_are_checked_and_requests_to_stop_are_heard() {
        let error = Table::new(vec!["a".into()], vec![vec![None], vec![]]).unwrap_err();
        assert!(error.to_string().contains("row 2 has 0 cells"), "{error}");
        let watch = Watch::none();
        watch.cancel().abort();
        assert!(release(POLICY, &table(60), &no_file, &watch).unwrap_err().is_cancelled());
    }

    #[test]
    fn what_needs_more_than_the_table_is_refused() {
        let models = "models = [{ k_map = { k = 5, population = \"p.csv\" } }]\n";
        let error = release(&format!("{POLICY}{models}"), &table(60), &no_file, &Watch::none()).unwrap_err();
        assert!(error.is_all(Kind::Input) && error.to_string().contains("a population"), "{error}");
    }
}
