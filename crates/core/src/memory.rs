//! Releases tables that are in memory: the whole path without files, for programs that embed
//! Throng.
//!
//! Groups, decides, rewrites, certifies and verifies, with the same code as a release of files.
//! Costs two copies of the table. What needs a second file or a secret is refused: populations,
//! replaced identifiers, differential privacy and models that are commands; so are sensitive
//! columns at a level.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use crate::decide::{Circumstances, Decision, decide};
use crate::error::{Error, Fault, Result};
use crate::hierarchy;
use crate::policy::{Column, Policy, Role, Suppressed};
use crate::recoding::{Recoding, RowCounter};
use crate::release::{Certificate, FileFacts};
use crate::search::{Grouped, Load, Problem};
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;
use crate::verify::{Verdict, Verifier};
use crate::watch::{Stage, Watch};

/// A table in memory; `None` is a missing cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
}

impl Table {
    /// A table of columns and rows.
    ///
    /// # Errors
    /// A row with more or fewer cells than there are columns.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<Option<String>>>) -> Result<Self> {
        match rows.iter().position(|row| row.len() != columns.len()) {
            None => Ok(Table { columns, rows }),
            Some(at) => {
                let (cells, width) = (rows[at].len(), columns.len());
                Err(Fault::data(format!("row {} has {cells} cells, and there are {width} columns", at + 1))
                    .help("give every row a cell per column; a missing one is None")
                    .into())
            }
        }
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows, cell by cell in the order of the columns.
    pub fn rows(&self) -> &[Vec<Option<String>>] {
        &self.rows
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// SHA-256 of columns and cells, each with its length.
    fn sha256(&self) -> String {
        let mut hasher = Sha256::new();
        let mut cell = |cell: Option<&str>| {
            hasher.update(cell.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            hasher.update(cell.unwrap_or_default());
        };
        self.columns.iter().for_each(|name| cell(Some(name)));
        self.rows.iter().flatten().for_each(|text| cell(text.as_deref()));
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

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
    let sha256 = Policy::digest(policy);
    let policy = Policy::parse(policy)?;
    policy.bind(&table.columns)?;
    refuse(&policy)?;
    let (quasi, measured) = policy.grouped_columns(&table.columns);
    let grouped = group(table, quasi, measured, watch)?;
    let dictionaries = grouped.dictionaries.clone();
    let (problem, maps) = Problem::watched(&policy, grouped, load, watch)?;
    let decision = decide(&policy, &problem, None, watch)?;
    let figures = decision.figures(&policy, &problem)?;
    let recoding = Recoding::new(&problem.names, &maps, &decision.recoded);
    let written = rewrite(&policy, table, &recoding, &dictionaries)?;
    let file = |path: &str, table: &Table| FileFacts {
        path: path.to_owned(),
        sha256: table.sha256(),
        rows: table.rows.len() as u64,
    };
    let digest = |path: &str| Ok::<_, Error>((path.to_owned(), Policy::digest(&load(path)?)));
    let circumstances = Circumstances {
        rows: table.rows.len() as u64,
        input: file(&policy.input.path, table),
        population: None,
        output: file(policy.output.path.as_deref().unwrap_or("memory"), &written),
        policy_sha256: sha256.clone(),
        files: policy.files().into_iter().map(digest).collect::<Result<_>>()?,
        seed: policy.search.seed,
    };
    let facts = decision.release(&policy, &problem, &figures, circumstances)?;
    let certificate = Certificate::new(facts, written.columns.clone(), figures.classes)?;
    let verdict = verify((&policy, sha256), &certificate, (table, &written), (&problem, &decision), load)?;
    match verdict.holds() {
        true => Ok(Released { table: written, certificate, verdict }),
        false => Err(Fault::bug("the verifier does not agree with the release").into()),
    }
}

/// What needs more than the table.
fn refuse(policy: &Policy) -> Result<()> {
    let command = policy.search.model.as_ref().is_some_and(|model| model.builtin.is_none());
    let replaced = policy.columns.values().any(|column| column.substitute().is_some());
    let needs = [
        (policy.population().is_some(), "a population"),
        (policy.differential_privacy().is_some(), "differential privacy"),
        (replaced, "replaced identifiers"),
        (command, "a model that is a command"),
        (!policy.leveled().is_empty(), "sensitive columns at a level"),
    ];
    let faults = needs.into_iter().filter(|(needed, _)| *needed).map(|(_, what)| {
        Fault::input(format!("{what} cannot be used for a table in memory"))
            .help("release a file, or remove it from the policy")
    });
    Error::check(faults.collect())
}

/// Counts the distinct tuples of some columns.
fn group(table: &Table, names: Vec<String>, measured: Vec<String>, watch: &Watch) -> Result<Grouped> {
    let places: Vec<usize> = names.iter().chain(&measured).filter_map(|name| table.place(name)).collect();
    let mut dictionaries = vec![Dictionary::new(); places.len()];
    let mut tuples = Tuples::new(places.len());
    let mut codes: Vec<Code> = Vec::with_capacity(places.len());
    for (at, row) in table.rows.iter().enumerate() {
        if at % 4096 == 0 {
            watch.done(Stage::Reading, at as u64, Some(table.rows.len() as u64))?;
        }
        codes.clear();
        codes.extend(places.iter().zip(&mut dictionaries).map(|(&c, d)| d.add(row[c].as_deref(), 1)));
        tuples.insert(&codes, 1);
    }
    Ok(Grouped { names, measured, dictionaries, tuples, population: None })
}

/// The released rows, in random order unless the policy keeps theirs.
fn rewrite(
    policy: &Policy,
    table: &Table,
    recoding: &Recoding,
    dictionaries: &[Dictionary],
) -> Result<Table> {
    let code = |row: &Vec<Option<String>>, (column, d): (usize, &Dictionary)| {
        d.get(row[column].as_deref()).ok_or_else(|| Error::from(Fault::bug("a value was not grouped")))
    };
    let place = |name: &str| table.place(name).unwrap_or_default();
    let quasi: Vec<usize> = recoding.columns.iter().map(|column| place(&column.name)).collect();
    let mut codes = Vec::with_capacity(quasi.len());
    for (&column, dictionary) in quasi.iter().zip(dictionaries) {
        let of_column = table.rows.iter().map(|row| code(row, (column, dictionary)));
        codes.push(of_column.collect::<Result<Vec<Code>>>()?);
    }
    let kept = recoding.recode(&mut codes, &mut RowCounter::default());
    let stars = policy.output.suppressed == Suppressed::Starred;
    let kept = kept.filter(|_| !stars).unwrap_or_else(|| (0..table.rows.len() as u32).collect());
    let released: Vec<usize> = (0..table.columns.len())
        .filter(|&c| policy.columns.get(&table.columns[c]).is_some_and(Column::released))
        .collect();
    let cell = |row: usize, column: usize| match quasi.iter().position(|&q| q == column) {
        None => table.rows[row][column].clone(),
        Some(q) => match recoding.columns[q].labels.get(codes[q][row] as usize) {
            Some(label) => label.clone(),
            None => Some(hierarchy::TOP.to_owned()),
        },
    };
    let mut rows: Vec<Vec<Option<String>>> =
        kept.iter().map(|&row| released.iter().map(|&c| cell(row as usize, c)).collect()).collect();
    if !policy.output.keep_order {
        // The seed is published and must not undo the order: the rows are part of the key.
        let key = Sha256::new().chain_update(policy.search.seed.to_le_bytes()).chain_update(table.sha256());
        rows.shuffle(&mut ChaCha8Rng::from_seed(key.finalize().into()));
    }
    Table::new(released.into_iter().map(|c| table.columns[c].clone()).collect(), rows)
}

/// Judges the release with code that shares nothing with what made it.
fn verify(
    (policy, sha256): (&Policy, String),
    certificate: &Certificate,
    (original, released): (&Table, &Table),
    (problem, decision): (&Problem, &Decision),
    load: Load<'_>,
) -> Result<Verdict> {
    fn texts<'a>(row: &'a [Option<String>], places: &[usize]) -> Vec<Option<&'a str>> {
        places.iter().map(|&column| row[column].as_deref()).collect()
    }
    let mut verifier = Verifier::new(policy, sha256, certificate)?;
    let files = policy.files().into_iter();
    let files = files.map(|path| Ok((path.to_owned(), Some(Policy::digest(&load(path)?)))));
    if let Some(verdict) = verifier.files(files.collect::<Result<_>>()?) {
        return Ok(verdict);
    }
    verifier.output_sha256(released.sha256());
    verifier.released_columns(&released.columns);
    let every: Vec<usize> = (0..released.columns.len()).collect();
    for row in &released.rows {
        verifier.released_row(&texts(row, &every))?;
    }
    verifier.input_sha256(original.sha256());
    let guards = policy.guards();
    let read = |c: &usize| {
        let name = &original.columns[*c];
        policy.columns.get(name).is_some_and(Column::released) || guards.contains(name.as_str())
    };
    let read: Vec<usize> = (0..original.columns.len()).filter(read).collect();
    let names: Vec<String> = read.iter().map(|&c| original.columns[c].clone()).collect();
    verifier.original_columns(&names);
    if policy.forms_regions() {
        let place = |name: &str| problem.names.iter().position(|n| n == name);
        let columns: Vec<usize> = policy.with_role(Role::Quasi).into_iter().filter_map(place).collect();
        decision.each_assignment(&problem.hierarchies, &columns, |original, rows, released| {
            verifier.region(original, rows, released)
        })?;
    }
    for row in &original.rows {
        verifier.original_row(&texts(row, &read))?;
    }
    verifier.finish(&|column, dictionary| {
        let spec = policy.columns.get(column).map_or(hierarchy::Spec::Suppress, |c| c.hierarchy());
        hierarchy::build(&spec, dictionary, load)
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
        Err(Fault::input("no file is expected").file(path).into())
    }

    #[test]
    fn every_algorithm_releases_a_table_in_memory() {
        for &algorithm in Algorithm::ALL {
            // Ages are numbers for the methods that measure distances.
            let numbers = matches!(algorithm, Algorithm::Boxes | Algorithm::Mdav);
            let age = "hierarchy = { intervals = { widths = [10, 20] } }";
            let policy = if numbers { POLICY.replace(age, "form = \"interval\"") } else { POLICY.into() };
            let policy = format!("{policy}[search]\nalgorithm = \"{algorithm}\"\n");
            let released = release(&policy, &table(60), &no_file, &Watch::none()).unwrap();
            assert!(released.verdict.holds(), "{algorithm}");
            let mut classes = std::collections::BTreeMap::new();
            for row in released.table.rows() {
                *classes.entry(&row[..2]).or_insert(0) += 1;
            }
            assert!(classes.values().all(|&rows| rows >= 4), "{algorithm}: {classes:?}");
            assert_eq!(released.table.rows().len() as u64, released.certificate.release.output.rows);
        }
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
