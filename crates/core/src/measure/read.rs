//! Reads an original and a release, each once, and counts which tuple of the one became which tuple
//! of the other.
//!
//! Costs one look-up per row, four bytes per row of the original where rows correspond, and with a
//! key column its texts. Nothing else grows with rows.

use super::{Correspondence, Inputs};
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::rows::{Batch, Rows};
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;
use crate::watch::{Stage, Watch};

/// Distinct tuples of one table.
pub(super) struct Side {
    pub(super) dictionaries: Vec<Dictionary>,
    pub(super) tuples: Tuples,
}

/// Both tables, and how they correspond.
pub(super) struct Paired {
    pub(super) names: Vec<String>,
    pub(super) measured: Vec<String>,
    /// Quasi-identifiers, then measured columns.
    pub(super) original: Side,
    /// Quasi-identifiers, then the measured columns that it has.
    pub(super) release: Side,
    /// Measured column → its place in the release's tuples.
    pub(super) places: Vec<Option<usize>>,
    /// Tuple of the original and tuple of the release, each plus 1; 0 stands for none.
    pub(super) pairs: Tuples,
    /// Row of the original → its pair; empty where rows do not correspond.
    pub(super) of_row: Vec<u32>,
}

/// Reads both tables.
pub(super) fn read(inputs: &Inputs<'_>) -> Result<Paired> {
    let Inputs { policy, original, release, rows, watch, .. } = *inputs;
    policy.bind(original.columns())?;
    let (names, measured) = policy.grouped_columns(original.columns());
    let has = |name: &&String| release.columns().contains(name);
    let shown: Vec<&String> = measured.iter().filter(has).collect();
    let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    let sides = (
        [&wanted[..], &measured.iter().map(String::as_str).collect::<Vec<_>>()].concat(),
        [&wanted[..], &shown.iter().map(|name| name.as_str()).collect::<Vec<_>>()].concat(),
    );
    let lacking = wanted.iter().filter_map(|name| place((release, "release"), name).err());
    Error::check(lacking.map(|fault| *fault).collect())?;
    let key = |table: (&dyn Rows, &str)| match rows {
        Correspondence::Key(key) => {
            place(table, key).map(Some).map_err(|fault| Error::from(fault.key("--key")))
        }
        Correspondence::Order | Correspondence::None => Ok(None),
    };
    let keys = (key((original, "original"))?, key((release, "release"))?);
    let (before, matcher) = read_original(original, (&sides.0, keys.0), rows, watch)?;
    let (after, pairs, of_row) = read_release(release, (&sides.1, keys.1), matcher, &before, watch)?;
    let place = |name: &String| shown.iter().position(|s| *s == name).map(|at| names.len() + at);
    let places = measured.iter().map(place).collect();
    Ok(Paired { names, measured, original: before, release: after, places, pairs, of_row })
}

/// The place of a column.
fn place(table: (&dyn Rows, &str), name: &str) -> std::result::Result<usize, Box<Fault>> {
    place_or(table, name, "add the column, with `*` in every cell if its values were removed")
}

/// The place of a column; `remedy` helps where no column has a similar name.
pub(super) fn place_or(
    (table, which): (&dyn Rows, &str),
    name: &str,
    remedy: &str,
) -> std::result::Result<usize, Box<Fault>> {
    table.columns().iter().position(|column| column == name).ok_or_else(|| {
        let near = nearest(name, table.columns().iter().map(String::as_str));
        let fault = fault!(
            Input,
            "measure.no-such-column",
            "the {table} has no column `{column}`",
            table = which,
            column = name
        );
        Box::new(match near {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help(remedy),
        })
    })
}

/// Which row of the original a row of the release is.
enum Matcher {
    /// Row → tuple.
    Order(Vec<u32>),
    /// The keys by row, row → tuple.
    Key(Dictionary, Vec<u32>),
    None,
}

fn read_original(
    table: &dyn Rows,
    (names, key): (&[&str], Option<usize>),
    rows: Correspondence<'_>,
    watch: &Watch,
) -> Result<(Side, Matcher)> {
    let (mut keys, mut of_row) = (Dictionary::new(), Vec::new());
    let side = read_side(table, (names, key), watch, &mut |row, tuple, key| {
        if let Correspondence::Key(_) = rows {
            let known = keys.len();
            let text = key.ok_or_else(|| missing_key("original", row))?;
            if (keys.add(Some(text), 1) as usize) < known {
                return Err(repeated_key("original", row));
            }
        }
        if !matches!(rows, Correspondence::None) {
            of_row.push(tuple);
        }
        Ok(())
    })?;
    let matcher = match rows {
        Correspondence::Key(_) => Matcher::Key(keys, of_row),
        Correspondence::Order => Matcher::Order(of_row),
        Correspondence::None => Matcher::None,
    };
    Ok((side, matcher))
}

fn read_release(
    table: &dyn Rows,
    (names, key): (&[&str], Option<usize>),
    matcher: Matcher,
    original: &Side,
    watch: &Watch,
) -> Result<(Side, Tuples, Vec<u32>)> {
    let rows = original.tuples.rows();
    let mut pairs = Tuples::new(2);
    let mut of_row = vec![0; if let Matcher::None = matcher { 0 } else { rows as usize }];
    let mut seen = vec![false; if let Matcher::Key(..) = matcher { rows as usize } else { 0 }];
    let side = read_side(table, (names, key), watch, &mut |row, tuple, key| {
        let (at, before) = match &matcher {
            Matcher::None => (row, 0),
            // That there are too many rows is found at the end.
            Matcher::Order(of_row) => (row, of_row.get(row).map_or(0, |tuple| tuple + 1)),
            Matcher::Key(keys, of_row) => {
                let key = key.ok_or_else(|| missing_key("release", row))?;
                let at = keys.get(Some(key)).ok_or_else(|| unknown_key(row))? as usize;
                if std::mem::replace(&mut seen[at], true) {
                    return Err(repeated_key("release", row));
                }
                (at, of_row[at] + 1)
            }
        };
        let pair = pairs.insert(&[before, tuple + 1], 1);
        of_row.get_mut(at).into_iter().for_each(|of_row| *of_row = pair);
        Ok(())
    })?;
    let released = side.tuples.rows();
    if released == 0 {
        return Err(empty_release());
    }
    match &matcher {
        Matcher::Order(_) if released != rows => return Err(other_rows(released, rows)),
        Matcher::Order(_) => {}
        Matcher::Key(_, tuples) => {
            let absent = tuples.iter().zip(&seen).enumerate().filter(|(_, (_, seen))| !**seen);
            absent.for_each(|(row, (tuple, _))| of_row[row] = pairs.insert(&[tuple + 1, 0], 1));
        }
        Matcher::None if released > rows => return Err(more_rows(released, rows)),
        Matcher::None if released < rows => _ = pairs.insert(&[0, 0], (rows - released) as u32),
        Matcher::None => {}
    }
    Ok((side, pairs, of_row))
}

/// Takes the number of a row, its tuple and its key.
type TakeRow<'a> = &'a mut dyn FnMut(usize, u32, Option<&str>) -> Result<()>;

/// Reads some columns of a table and hands on every row.
fn read_side(
    table: &dyn Rows,
    (names, key): (&[&str], Option<usize>),
    watch: &Watch,
    each: TakeRow<'_>,
) -> Result<Side> {
    let place = |name: &&str| table.columns().iter().position(|column| column == name);
    let mut places: Vec<usize> = names.iter().filter_map(place).collect();
    places.extend(key);
    let width = names.len();
    let mut side = Side { dictionaries: vec![Dictionary::new(); width], tuples: Tuples::new(width) };
    let mut codes: Vec<Vec<Code>> = vec![Vec::new(); width];
    let mut row = vec![0; width];
    table.read(&places, watch, &mut |batch: &dyn Batch| {
        for (column, (dictionary, codes)) in side.dictionaries.iter_mut().zip(&mut codes).enumerate() {
            codes.clear();
            batch.each(column, &mut |cell| codes.push(dictionary.add(cell, 1)));
        }
        let mut keys: Vec<Option<String>> = Vec::new();
        if key.is_some() {
            batch.each(width, &mut |cell| keys.push(cell.map(String::from)));
        }
        let before = side.tuples.rows() as usize;
        if before + batch.rows() > u32::MAX as usize {
            return Err(
                fault!(Data, "table.too-many-rows", "more than {limit} rows", limit = u32::MAX).into()
            );
        }
        for at in 0..batch.rows() {
            row.iter_mut().zip(&codes).for_each(|(cell, codes)| *cell = codes[at]);
            let tuple = side.tuples.insert(&row, 1);
            each(before + at, tuple, keys.get(at).and_then(Option::as_deref))?;
        }
        watch.done(Stage::Reading, side.tuples.rows(), None)
    })?;
    Ok(side)
}

pub(super) fn empty_release() -> Error {
    fault!(Data, "measure.empty-release", "the release has no rows")
        .help("give the table that was released")
        .into()
}

// Keys identify people: messages have the number of the row in place of the key.

pub(super) fn missing_key(table: &str, row: usize) -> Error {
    fault!(Data, "measure.missing-key", "row {row} of the {table} has no key", row = row + 1, table = table)
        .key("--key")
        .help("name a column that every row has a value in")
        .into()
}

pub(super) fn repeated_key(table: &str, row: usize) -> Error {
    fault!(
        Data,
        "measure.repeated-key",
        "row {row} of the {table} has the key of an earlier row",
        row = row + 1,
        table = table
    )
    .key("--key")
    .help("name a column with different values in all rows")
    .into()
}

pub(super) fn unknown_key(row: usize) -> Error {
    fault!(
        Data,
        "measure.unknown-key",
        "the key of row {row} of the release is not in the original",
        row = row + 1
    )
    .key("--key")
    .help("keys must be written alike in both tables, and not be replaced in the release")
    .into()
}

pub(super) fn other_rows(released: u64, rows: u64) -> Error {
    fault!(
        Data,
        "measure.row-counts-differ",
        "the release has {released} rows and the original {rows}, so they are not in the same order",
        released = released,
        rows = rows
    )
    .key("--same-order")
    .help("name a key column with --key, or leave --same-order out")
    .into()
}

fn more_rows(released: u64, rows: u64) -> Error {
    fault!(
        Data,
        "measure.more-rows-than-original",
        "the release has {released} rows, more than the original's {rows}",
        released = released,
        rows = rows
    )
    .help("give the table that was released")
    .into()
}
