//! Reads the tables of a system, each once, in codes.

use super::super::read::{empty_release, missing_key, other_rows, repeated_key, unknown_key};
use super::super::{Correspondence, Inputs};
use super::{Columns, Outside};
use crate::error::{Fault, Result};
use crate::fault;
use crate::rows::{Batch, Rows};
use crate::table::{Code, Dictionary};
use crate::watch::{Stage, Watch};

/// Some columns of a table, in codes.
pub(super) struct Coded {
    names: Vec<String>,
    dictionaries: Vec<Dictionary>,
    /// Column → row → code.
    codes: Vec<Vec<Code>>,
    pub(super) rows: usize,
}

impl Coded {
    /// Reads named columns, as far as the table has them. What `null` lists is missing.
    fn read<'a>(
        (table, which): (&dyn Rows, &'static str),
        names: impl Iterator<Item = &'a str>,
        null: &[String],
        watch: &Watch,
    ) -> Result<Self> {
        let mut places = Vec::new();
        for name in names {
            let place = table.columns().iter().position(|column| column == name);
            places.extend(place.filter(|place| !places.contains(place)));
        }
        let names = places.iter().map(|&place| table.columns()[place].clone()).collect();
        let (mut dictionaries, mut codes) =
            (vec![Dictionary::new(); places.len()], vec![Vec::new(); places.len()]);
        let mut rows = 0;
        let present = |text: &&str| !null.iter().any(|null| null == text);
        table.read(&places, watch, &mut |batch: &dyn Batch| {
            let columns = dictionaries.iter_mut().zip(&mut codes);
            for (column, (dictionary, codes)) in columns.enumerate() {
                batch.each(column, &mut |cell| codes.push(dictionary.add(cell.filter(present), 1)));
            }
            rows += batch.rows();
            if rows > u32::MAX as usize {
                return Err(
                    fault!(Data, "table.too-many-rows", "more than {limit} rows", limit = u32::MAX).into()
                );
            }
            watch.done(Stage::Reading, rows as u64, None)
        })?;
        if rows == 0 && which == "release" {
            return Err(empty_release());
        }
        if rows == 0 {
            let option = which.split(' ').next().unwrap_or_default();
            return Err(fault!(Data, "measure.empty-table", "the {table} has no rows", table = which)
                .key(format!("--{option}"))
                .help("give a table with at least one row")
                .into());
        }
        Ok(Coded { names, dictionaries, codes, rows })
    }

    /// The values of a column, and row → code.
    pub(super) fn column(&self, name: &str) -> Option<(&Dictionary, &[Code])> {
        let at = self.names.iter().position(|own| own == name)?;
        Some((&self.dictionaries[at], &self.codes[at]))
    }

    /// Row by row, the codes of some columns that were read.
    pub(super) fn by_row(&self, names: &[String]) -> Vec<Code> {
        let columns: Vec<&[Code]> = names.iter().filter_map(|name| Some(self.column(name)?.1)).collect();
        (0..self.rows).flat_map(|row| columns.iter().map(move |codes| codes[row])).collect()
    }

    /// The texts of a column, by code.
    pub(super) fn texts(&self, name: &str) -> Vec<Option<&str>> {
        let Some((dictionary, _)) = self.column(name) else { return Vec::new() };
        (0..dictionary.len() as Code).map(|code| dictionary.value(code)).collect()
    }
}

/// The tables of a system.
pub(super) struct Tables {
    pub(super) original: Coded,
    pub(super) release: Coded,
    /// What outsiders know: external tables, or else the population.
    pub(super) known: Vec<Coded>,
    /// Whom the rows of each of these are about.
    pub(super) about: Vec<Vec<Code>>,
    /// Row of the original → whom it is about; none where nothing names people.
    pub(super) subjects: Option<Vec<Option<Code>>>,
    /// Person → whether in the population.
    pub(super) population: Vec<bool>,
    /// Everybody who is named; empty where nothing names people.
    pub(super) people: Dictionary,
    /// Row of the release → row of the original; empty where rows do not correspond.
    pub(super) origin: Vec<u32>,
}

impl Tables {
    pub(super) fn read(outside: &Outside<'_>, columns: &Columns) -> Result<Self> {
        let Inputs { policy, original, release, rows, watch, .. } = outside.inputs;
        let null = &policy.input.null;
        let key = match rows {
            Correspondence::Key(key) => Some(key),
            Correspondence::Order | Correspondence::None => None,
        };
        let Columns { linked, shown, shared } = columns;
        let own = || linked.iter().chain(shown).map(String::as_str).chain(key);
        let original = Coded::read((original, "original"), own().chain(outside.truth), null, watch)?;
        let ours = own().chain(shared.iter().map(String::as_str));
        let release = Coded::read((release, "release"), ours, null, watch)?;
        let origin = origin(rows, &original, &release)?;
        let outsiders = || linked.iter().chain(shared).map(String::as_str).chain(outside.truth);
        let people_of = match outside.external {
            [] => Coded::read((outside.population, "population"), outsiders(), null, watch)?,
            _ => Coded::read((outside.population, "population"), outside.truth.into_iter(), null, watch)?,
        };
        let external = outside.external.iter();
        let external =
            external.map(|&table| Coded::read((table, "external table"), outsiders(), null, watch));
        let external = external.collect::<Result<Vec<Coded>>>()?;

        let mut people = Dictionary::new();
        let Some(truth) = outside.truth else {
            let everybody: Vec<Code> = (0..people_of.rows as Code).collect();
            let population = vec![true; everybody.len()];
            let (known, about) = (vec![people_of], vec![everybody]);
            return Ok(Tables {
                original,
                release,
                known,
                about,
                subjects: None,
                population,
                people,
                origin,
            });
        };
        let members = named((&people_of, "population"), truth, &mut people)?;
        let mut population = vec![true; people.len()];
        let mut about = Vec::new();
        for table in &external {
            about.push(named((table, "external table"), truth, &mut people)?);
        }
        let subjects = entities(&original, truth, &mut people);
        population.resize(people.len(), false);
        let known = if external.is_empty() { vec![people_of] } else { external };
        if about.is_empty() {
            about.push(members);
        }
        Ok(Tables { original, release, known, about, subjects: Some(subjects), population, people, origin })
    }
}

/// Row → whom it is about.
fn entities(table: &Coded, truth: &str, people: &mut Dictionary) -> Vec<Option<Code>> {
    let Some((dictionary, codes)) = table.column(truth) else { return Vec::new() };
    let code = |code: Code| dictionary.value(code).map(|name| people.add(Some(name), 0));
    let entities: Vec<Option<Code>> = (0..dictionary.len() as Code).map(code).collect();
    codes.iter().map(|&code| entities[code as usize]).collect()
}

/// The same for a table in which every row has to name somebody.
fn named((table, which): (&Coded, &str), truth: &str, people: &mut Dictionary) -> Result<Vec<Code>> {
    let row = |(row, entity): (usize, Option<Code>)| {
        entity.ok_or_else(|| {
            fault!(
                Data,
                "measure.missing-person",
                "row {row} of the {table} does not name anybody",
                row = row + 1,
                table = which
            )
            .key("--truth")
            .help("remove the row, or name a column in which every row has a value")
            .into()
        })
    };
    entities(table, truth, people).into_iter().enumerate().map(row).collect()
}

/// Row of the release → row of the original.
fn origin(rows: Correspondence<'_>, original: &Coded, release: &Coded) -> Result<Vec<u32>> {
    let key = match rows {
        Correspondence::None => return Ok(Vec::new()),
        Correspondence::Order if original.rows != release.rows => {
            return Err(other_rows(release.rows as u64, original.rows as u64));
        }
        Correspondence::Order => return Ok((0..release.rows as u32).collect()),
        Correspondence::Key(key) => key,
    };
    let unread = || Fault::bug("a key was not read");
    let (ours, codes) = original.column(key).ok_or_else(unread)?;
    let mut row_of = vec![None; ours.len()];
    for (row, &code) in codes.iter().enumerate() {
        ours.value(code).ok_or_else(|| missing_key("original", row))?;
        if row_of[code as usize].replace(row as u32).is_some() {
            return Err(repeated_key("original", row));
        }
    }
    let (theirs, codes) = release.column(key).ok_or_else(unread)?;
    let mut seen = vec![false; theirs.len()];
    let row = |(row, &code): (usize, &Code)| {
        let text = theirs.value(code).ok_or_else(|| missing_key("release", row))?;
        if std::mem::replace(&mut seen[code as usize], true) {
            return Err(repeated_key("release", row));
        }
        let own = ours.get(Some(text)).and_then(|code| row_of[code as usize]);
        own.ok_or_else(|| unknown_key(row))
    };
    codes.iter().enumerate().map(row).collect()
}
