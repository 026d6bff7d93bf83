//! Rare values, deleted from the table before anything else [Katirai 2006, who deletes data items
//! that occur fewer than k times].
//!
//! A value of a judged column is rare if fewer than k rows of the table have it. Its cells become
//! missing, or its rows are left out, as the policy says. All counts are those of the whole table:
//! what one deletion takes away makes nothing else rare. A missing cell is not a value. Models,
//! losses and searches see the table that is left. Costs one pass over the distinct tuples.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::policy::{Delete, ModelSpec, Policy, RareValues};
use crate::release::DeletedFacts;
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;

/// What becomes of the cells of a value; the stronger one last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Kept,
    Cell,
    Row,
}

impl From<Delete> for Fate {
    fn from(delete: Delete) -> Self {
        match delete {
            Delete::Cells => Fate::Cell,
            Delete::Rows => Fate::Row,
        }
    }
}

/// A table as it was grouped.
#[derive(Debug, Clone)]
pub struct GroupedTable {
    /// Column → its values.
    pub dictionaries: Vec<Dictionary>,
    /// The distinct tuples, in codes of the dictionaries.
    pub tuples: Tuples,
}

/// What is deleted from a table.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// The grouped columns.
    names: Vec<String>,
    /// Column → code → its fate.
    fates: Vec<Vec<Fate>>,
    /// Column → the values whose rows are deleted.
    row_values: BTreeMap<String, FxHashSet<String>>,
    /// Claim → rows of the rarest value that is not rare.
    least: BTreeMap<String, Option<u64>>,
    facts: DeletedFacts,
}

impl Deletion {
    /// What a policy deletes from a table that was grouped by some columns; none where it deletes
    /// nothing whatever the table is.
    ///
    /// # Errors
    /// A column in which every value is rare.
    pub fn of(
        policy: &Policy,
        names: &[String],
        dictionaries: &[Dictionary],
        tuples: &Tuples,
    ) -> Result<Option<Self>> {
        if policy.deletions().next().is_none() {
            return Ok(None);
        }
        let rows: Vec<Vec<u64>> =
            dictionaries.iter().enumerate().map(|(c, d)| rows_by_code(tuples, c, d.len())).collect();
        let mut fates: Vec<Vec<Fate>> = rows.iter().map(|rows| vec![Fate::Kept; rows.len()]).collect();
        let (mut least, mut faults) = (BTreeMap::new(), Vec::new());
        for (at, asked) in policy.deletions() {
            let wanted = asked.columns(policy);
            let mut kept: Option<u64> = None;
            for column in (0..names.len()).filter(|&column| wanted.contains(names[column].as_str())) {
                let judged = Judged::new(policy, asked, &dictionaries[column], &rows[column]);
                judged.rare().for_each(|code| fates[column][code] = fates[column][code].max(judged.fate));
                let rarest = judged.least();
                kept = kept.into_iter().chain(rarest).min();
                if rarest.is_none() && judged.fate == Fate::Cell && judged.rare().next().is_some() {
                    faults.push(nothing_left((at, asked), &names[column]));
                }
            }
            least.insert(ModelSpec::RareValues(asked.clone()).claim(), kept);
        }
        Error::check(faults)?;
        let row_values = row_values(names, dictionaries, &fates);
        let facts = DeletedFacts::default();
        let mut deletion = Deletion { names: names.to_vec(), fates, row_values, least, facts };
        deletion.facts = deletion.count(tuples);
        Ok(Some(deletion))
    }

    fn count(&self, tuples: &Tuples) -> DeletedFacts {
        let mut facts = DeletedFacts::default();
        for (at, &count) in tuples.counts().iter().enumerate() {
            if self.deletes_tuple(tuples, at) {
                facts.rows += u64::from(count);
                continue;
            }
            for (column, fates) in self.fates.iter().enumerate() {
                if fates[tuples.code(at, column) as usize] == Fate::Cell {
                    *facts.cells.entry(self.names[column].clone()).or_default() += u64::from(count);
                }
            }
        }
        facts
    }

    fn deletes_tuple(&self, tuples: &Tuples, at: usize) -> bool {
        let mut columns = self.fates.iter().enumerate();
        columns.any(|(column, fates)| fates[tuples.code(at, column) as usize] == Fate::Row)
    }

    /// The table that is left, and for every column the way from its old codes to the new ones.
    /// Values of deleted rows alone lead to the first code.
    pub fn apply(&self, dictionaries: &[Dictionary], tuples: &Tuples) -> (GroupedTable, Vec<Vec<Code>>) {
        let kept: Vec<usize> = (0..tuples.len()).filter(|&at| !self.deletes_tuple(tuples, at)).collect();
        let (mut left, mut maps) = (Vec::new(), Vec::new());
        for (column, (raw, fates)) in dictionaries.iter().zip(&self.fates).enumerate() {
            let before = rows_by_code(tuples, column, raw.len());
            let mut after = vec![0; raw.len()];
            kept.iter().for_each(|&at| {
                after[tuples.code(at, column) as usize] += u64::from(tuples.counts()[at]);
            });
            let (mut dictionary, mut map) = (Dictionary::new(), vec![0; raw.len()]);
            for code in 0..raw.len() {
                // A value that the table never had stays as it is.
                if after[code] > 0 || before[code] == 0 {
                    let value = raw.value(code as Code).filter(|_| fates[code] != Fate::Cell);
                    map[code] = dictionary.add(value, after[code]);
                }
            }
            left.push(dictionary);
            maps.push(map);
        }
        let mut table = Tuples::new(dictionaries.len());
        let mut row = vec![0; dictionaries.len()];
        for &at in &kept {
            for (column, cell) in row.iter_mut().enumerate() {
                *cell = maps[column][tuples.code(at, column) as usize];
            }
            table.insert(&row, tuples.counts()[at]);
        }
        (GroupedTable { dictionaries: left, tuples: table }, maps)
    }

    /// What is deleted, as a certificate states it.
    pub fn facts(&self) -> &DeletedFacts {
        &self.facts
    }

    /// Column → the values whose rows are deleted.
    pub fn row_values(&self) -> &BTreeMap<String, FxHashSet<String>> {
        &self.row_values
    }

    /// Whether cells of a column are deleted.
    pub fn deletes_cells(&self, column: &str) -> bool {
        self.facts.cells.contains_key(column)
    }

    /// Whether a code of a column, by the place of the column, is a deleted cell.
    pub fn deletes_code(&self, column: usize, code: Code) -> bool {
        self.fates[column][code as usize] == Fate::Cell
    }

    /// The rows that the rarest value has which a model does not delete.
    pub fn least(&self, claim: &str) -> Option<u64> {
        self.least.get(claim).copied().flatten()
    }

    /// Too many deleted rows, if more than some may be suppressed.
    pub fn beyond(&self, policy: &Policy, allowed: u64) -> Option<Fault> {
        let deletes_rows = |asked: &RareValues| asked.deletes() == Some(Delete::Rows);
        let (at, asked) = policy.deletions().find(|(_, asked)| deletes_rows(asked))?;
        (self.facts.rows > allowed).then(|| {
            fault!(
                Data,
                "model.too-many-rare-rows",
                "{rows} rows have values that occur fewer than {k} times; {allowed} may be suppressed",
                rows = self.facts.rows,
                k = asked.k,
                allowed = allowed
            )
            .key(format!("privacy.models.{at}.rare_values.delete"))
            .help("write delete = \"cells\", raise privacy.suppression, lower k, or list other `columns`")
        })
    }
}

/// The values of a column that one model judges.
struct Judged<'a> {
    values: Vec<(usize, u64)>,
    asked: &'a RareValues,
    fate: Fate,
}

impl<'a> Judged<'a> {
    fn new(policy: &Policy, asked: &'a RareValues, dictionary: &Dictionary, rows: &[u64]) -> Self {
        let present = |code: usize| {
            let value = dictionary.value(code as Code);
            value.is_some_and(|value| !policy.input.null.iter().any(|null| null == value))
        };
        let values = rows.iter().copied().enumerate().filter(|&(code, rows)| rows > 0 && present(code));
        Judged { values: values.collect(), asked, fate: asked.deletes().map_or(Fate::Kept, Fate::from) }
    }

    fn rare(&self) -> impl Iterator<Item = usize> + '_ {
        self.values.iter().filter(|(_, rows)| *rows < self.asked.k).map(|(code, _)| *code)
    }

    fn least(&self) -> Option<u64> {
        self.values.iter().map(|(_, rows)| *rows).filter(|&rows| rows >= self.asked.k).min()
    }
}

fn nothing_left((at, asked): (usize, &RareValues), column: &str) -> Fault {
    fault!(
        Data,
        "model.every-value-rare",
        "every value of `{column}` occurs fewer than {k} times: all its cells would be deleted",
        column = column,
        k = asked.k
    )
    .key(format!("privacy.models.{at}.rare_values.{}", if asked.columns.is_some() { "columns" } else { "k" }))
    .help(format!("list other `columns`, lower k, or give `{column}` role = \"drop\""))
}

/// Code of a column → rows.
fn rows_by_code(tuples: &Tuples, column: usize, codes: usize) -> Vec<u64> {
    let mut rows = vec![0; codes];
    for (at, &count) in tuples.counts().iter().enumerate() {
        rows[tuples.code(at, column) as usize] += u64::from(count);
    }
    rows
}

fn row_values(
    names: &[String],
    dictionaries: &[Dictionary],
    fates: &[Vec<Fate>],
) -> BTreeMap<String, FxHashSet<String>> {
    let column = |((name, dictionary), fates): ((&String, &Dictionary), &Vec<Fate>)| {
        let codes = (0..fates.len()).filter(|&code| fates[code] == Fate::Row);
        let values: FxHashSet<String> =
            codes.filter_map(|code| dictionary.value(code as Code)).map(String::from).collect();
        (!values.is_empty()).then(|| (name.clone(), values))
    };
    names.iter().zip(dictionaries).zip(fates).filter_map(column).collect()
}
