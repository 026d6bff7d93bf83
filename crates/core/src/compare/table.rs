//! A table of an experiment as distinct rows with counts, seeded samples of it, and synthetic
//! tables.
//!
//! Rows are sorted by their values, so a sample depends neither on the order of a file nor on the
//! threads that read it. A sample costs one draw per row of the table (selection sampling, [Knuth,
//! 3.4.2, algorithm S]).

use std::collections::BTreeMap;

use super::experiment::Synth;
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::Spec;
use crate::policy::{LossSpec, Policy};
use crate::search::{Grouped, Population, Problem};
use crate::synth::{self, Draws, Skewed};
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;

/// Reads a hierarchy file of a table's policy.
pub type Reader = Box<dyn Fn(&str) -> Result<String>>;

/// A table with what is known of its columns.
pub struct Table {
    /// Its name in results.
    pub name: String,
    policy: Policy,
    load: Reader,
    rows: Rows,
}

/// Distinct rows of the quasi-identifiers and the measured columns, sorted by value, with their
/// counts.
struct Rows {
    names: Vec<String>,
    measured: Vec<String>,
    dictionaries: Vec<Dictionary>,
    tuples: Vec<(Vec<Code>, u32)>,
    /// What samples are drawn from like the table itself.
    population: Option<Population>,
}

/// Some rows of a table.
pub(super) struct Sample<'a> {
    table: &'a Table,
    /// By position in the table's distinct rows; 0 where none was taken.
    counts: Vec<u32>,
}

/// A point of the grid.
#[derive(Debug, Clone)]
pub(super) struct Point<'a> {
    pub(super) loss: &'a LossSpec,
    pub(super) k: u64,
    pub(super) suppression: f64,
}

impl Table {
    /// A table that was read, with its policy and a reader of that policy's hierarchy files.
    pub fn new(name: String, policy: Policy, grouped: Grouped, load: Reader) -> Self {
        Table { name, policy, load, rows: Rows::new(grouped) }
    }

    /// A synthetic table.
    ///
    /// # Errors
    /// A mistake of ours in what goes with it.
    pub fn made_up(name: String, kind: Synth, rows: u64, seed: u64) -> Result<Self> {
        match kind {
            Synth::Patients => patients(name, rows, seed),
            Synth::Skewed => skewed(name, rows, seed),
            Synth::Hospital => hospital(name, rows, seed, false),
            Synth::HospitalAll => hospital(name, rows, seed, true),
        }
    }

    /// Its policy.
    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows.tuples.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// All rows.
    pub(super) fn whole(&self) -> Sample<'_> {
        Sample { table: self, counts: self.rows.tuples.iter().map(|(_, count)| *count).collect() }
    }

    /// A number of the rows, every choice as likely as any other.
    pub(super) fn sample(&self, size: u64, seed: u64) -> Sample<'_> {
        let counts: Vec<u32> = self.rows.tuples.iter().map(|(_, count)| *count).collect();
        Sample { table: self, counts: drawn(&counts, size, seed) }
    }
}

/// The seed of what an algorithm leaves to chance: the policy's in the first repeat.
pub(super) fn chance(seed: u64, repeat: u32) -> u64 {
    if repeat == 1 { seed } else { mixed(seed ^ CHANCE, &[u64::from(repeat)]) }
}

/// Makes the seeds of algorithms others than those of samples.
const CHANCE: u64 = 0x0dd5_a4d7_1e5f_a11e;

/// Another seed for every list of numbers (the finalizer of SplitMix64).
pub(super) fn mixed(seed: u64, parts: &[u64]) -> u64 {
    let mix = |z: u64| {
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let next = |s: u64, &part: &u64| mix(s.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_add(mix(part)));
    parts.iter().fold(seed, next)
}

/// A number of rows of values with counts, by position.
fn drawn(counts: &[u32], size: u64, seed: u64) -> Vec<u32> {
    let (mut left, mut wanted) = (counts.iter().map(|&count| u64::from(count)).sum::<u64>(), size);
    let mut draws = Draws::new(seed);
    let take = |&count: &u32| {
        let mut taken = 0;
        for _ in 0..count {
            if draws.below(left) < wanted {
                wanted -= 1;
                taken += 1;
            }
            left -= 1;
        }
        taken
    };
    counts.iter().map(take).collect()
}

impl Rows {
    fn new(grouped: Grouped) -> Self {
        let Grouped { names, measured, dictionaries, tuples, population } = grouped;
        let mut rows: Vec<(Vec<Code>, u32)> = (0..tuples.len()).map(|at| tuples.get(at)).collect();
        let values = |codes: &[Code]| -> Vec<Option<&str>> {
            codes.iter().zip(&dictionaries).map(|(&code, d)| d.value(code)).collect()
        };
        rows.sort_by(|(a, _), (b, _)| values(a).cmp(&values(b)));
        Rows { names, measured, dictionaries, tuples: rows, population }
    }
}

impl Sample<'_> {
    pub(super) fn rows(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// What is to be solved at a point of the grid, and the policy that asks for it, which is
    /// checked with the algorithm of each run. What is left to chance differs from repeat to
    /// repeat.
    pub(super) fn problem(&self, point: &Point<'_>, repeat: u32) -> Result<(Policy, Problem)> {
        let table = self.table;
        let mut policy = table.policy.clone();
        let privacy = &mut policy.privacy;
        (privacy.given_k, privacy.anonymity, privacy.anonymity_table) = (Some(point.k), None, None);
        policy.privacy.suppression = Some(point.suppression);
        policy.search.loss = point.loss.clone();
        policy.search.seed = chance(policy.search.seed, repeat);
        let (problem, _) = Problem::new(&policy, self.grouped(), &*table.load)?;
        Ok((policy, problem))
    }

    /// The values of a column of the whole table: quasi-identifiers first, then measured columns.
    pub(super) fn dictionary(&self, column: usize) -> &Dictionary {
        &self.table.rows.dictionaries[column]
    }

    /// Whether a text stands for a missing cell.
    pub(super) fn missing(&self, text: &str) -> bool {
        text.is_empty() || self.table.policy.input.null.iter().any(|null| null == text)
    }

    /// Whether the values of a column are codes, though they may look like numbers.
    pub(super) fn codes(&self, column: &str) -> bool {
        let spec = self.table.policy.columns.get(column).map(|column| column.hierarchy());
        matches!(spec, Some(Spec::Icd9 | Spec::Icd10 | Spec::Postal(_) | Spec::Zip3(_) | Spec::Mask(_)))
    }

    /// A number of the rows that it did not take, every choice as likely as any other.
    ///
    /// # Errors
    /// Fewer rows than these.
    pub(super) fn others(&self, size: u64, seed: u64) -> Result<Grouped> {
        let rows = &self.table.rows;
        let left: u64 = self.table.rows() - self.rows();
        if left < size {
            let fault = fault!(
                Data,
                "experiment.too-few-rows-to-train",
                "table `{table}` has {rows} rows beside a sample of {sample}, not {size}",
                table = &self.table.name,
                rows = left,
                sample = self.rows(),
                size = size
            );
            let help = "fit the model to fewer rows, ask for smaller samples, or for more rows";
            return Err(fault.key("prediction.train").help(help).into());
        }
        let counts: Vec<u32> =
            rows.tuples.iter().zip(&self.counts).map(|((_, all), taken)| all - taken).collect();
        let mut others = Tuples::new(rows.dictionaries.len());
        for ((codes, _), count) in rows.tuples.iter().zip(drawn(&counts, size, seed)) {
            if count > 0 {
                others.insert(codes, count);
            }
        }
        Ok(Grouped {
            names: rows.names.clone(),
            measured: rows.measured.clone(),
            dictionaries: rows.dictionaries.clone(),
            tuples: others,
            population: None,
        })
    }

    /// The rows as a table of their own: hierarchies are built from the values that are left.
    pub(super) fn grouped(&self) -> Grouped {
        let Rows { names, measured, dictionaries, tuples, population } = &self.table.rows;
        let width = dictionaries.len();
        let mut own = vec![Dictionary::new(); width];
        let mut taken = Tuples::new(width);
        let mut row = vec![0; width];
        for ((codes, _), &count) in tuples.iter().zip(&self.counts).filter(|(_, count)| **count > 0) {
            for (column, &code) in codes.iter().enumerate() {
                row[column] = own[column].add(dictionaries[column].value(code), u64::from(count));
            }
            taken.insert(&row, count);
        }
        Grouped {
            names: names.clone(),
            measured: measured.clone(),
            dictionaries: own,
            tuples: taken,
            population: population.clone(),
        }
    }
}

/// Groups rows that are given as texts; an empty one is missing.
fn group(names: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Grouped {
    let mut dictionaries = vec![Dictionary::new(); names.len()];
    let mut tuples = Tuples::new(names.len());
    for row in rows {
        let cells = row.iter().zip(&mut dictionaries);
        let codes: Vec<Code> =
            cells.map(|(cell, d)| d.add(Some(cell.as_str()).filter(|c| !c.is_empty()), 1)).collect();
        tuples.insert(&codes, 1);
    }
    Grouped { names, measured: Vec::new(), dictionaries, tuples, population: None }
}

fn patients(name: String, rows: u64, seed: u64) -> Result<Table> {
    let policy = Policy::parse(synth::DEMO_POLICY)?;
    let names = ["birth_date", "sex", "zip", "ethnicity", "admission_date"].map(String::from).to_vec();
    let row = |p: synth::Patient| {
        let ethnicity = p.ethnicity.unwrap_or_default().to_owned();
        let zip = format!("{:05}", p.zip);
        vec![p.birth_date.to_string(), p.sex.to_string(), zip, ethnicity, p.admission_date.to_string()]
    };
    let grouped = group(names, synth::patients(rows as usize, seed).map(row));
    Ok(Table::new(name, policy, grouped, Box::new(no_file)))
}

fn skewed(name: String, rows: u64, seed: u64) -> Result<Table> {
    let table = Skewed::nine(seed);
    let columns: Vec<usize> = (0..table.domains().len()).collect();
    let names: Vec<String> = columns.iter().map(|&c| table.name(c)).collect();
    let mut policy =
        "version = 1\n[input]\npath = \"made up\"\nformat = \"csv\"\n[privacy]\nk = 2\n".to_owned();
    let mut files = BTreeMap::new();
    for (&column, name) in columns.iter().zip(&names) {
        policy += &format!("[columns.{name}]\nrole = \"quasi\"\nhierarchy = {{ file = \"{name}\" }}\n");
        let lines =
            table.paths(column).into_iter().map(|p| [vec![p.leaf], p.labels].concat().join(";") + "\n");
        files.insert(name.clone(), lines.collect::<String>());
    }
    let label = |row: Vec<u32>| row.into_iter().zip(&columns).map(|(v, &c)| table.label(c, v)).collect();
    let grouped = group(names, table.rows(0).take(rows as usize).map(label));
    let load = move |path: &str| files.get(path).cloned().map_or_else(|| no_file(path), Ok);
    Ok(Table::new(name, Policy::parse(&policy)?, grouped, Box::new(load)))
}

fn hospital(name: String, rows: u64, seed: u64, all: bool) -> Result<Table> {
    let policy = Policy::parse(&synth::hospital::policy(all))?;
    let mut names = ["age", "sex", "diagnosis", "second", "diagnoses"].map(String::from).to_vec();
    if all {
        names.extend(["ethnic_origin", "procedure"].map(String::from));
    }
    let width = names.len();
    let measured = ["high_expense", "next_cost"].map(String::from).to_vec();
    let row = |p: synth::Inpatient| {
        let second = p.second.unwrap_or_default().to_owned();
        let mut row = vec![
            p.age.to_string(),
            p.sex.to_string(),
            p.diagnosis.to_owned(),
            second,
            p.diagnoses.to_string(),
        ];
        if all {
            row.extend([p.ethnic_origin.to_owned(), p.procedure.to_owned()]);
        }
        row.extend([u8::from(p.high_expense()).to_string(), p.next_cost.to_string()]);
        row
    };
    let columns = [names, measured].concat();
    let mut grouped = group(columns, synth::inpatients(rows as usize, seed).map(row));
    grouped.measured = grouped.names.split_off(width);
    let load = |path: &str| match path {
        "procedures.csv" => Ok(synth::hospital::procedures()),
        other => no_file(other),
    };
    Ok(Table::new(name, policy, grouped, Box::new(load)))
}

fn no_file(path: &str) -> Result<String> {
    Err(Fault::bug(format!("a made-up table has no file `{path}`")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&str]) -> Table {
        let policy =
            "version = 1\n[input]\npath = \"t.csv\"\n[privacy]\nk = 2\n[columns.c]\nrole = \"quasi\"\n";
        let rows = rows.iter().map(|row| vec![(*row).to_owned()]);
        let grouped = group(vec!["c".into()], rows);
        Table::new("t".into(), Policy::parse(policy).unwrap(), grouped, Box::new(no_file))
    }

    /// Of 10 rows 4 are taken, 5,000 times: a value with c rows is taken c × 2,000 times, within 5
    /// deviations.
    #[test]
    fn every_row_is_taken_as_often_as_any_other() {
        let table = table(&["b", "a", "d", "a", "c", "a", "b", "d", "a", "a"]);
        let mut taken = [0; 4];
        for seed in 0..5_000 {
            let sample = table.sample(4, seed);
            assert_eq!(sample.rows(), 4);
            taken.iter_mut().zip(&sample.counts).for_each(|(sum, count)| *sum += count);
        }
        for (taken, rows) in taken.into_iter().zip([5.0, 2.0, 1.0, 2.0]) {
            // One row is taken with variance 0.4 × 0.6; rows of a value only hinder each other.
            let deviation = (5_000.0 * rows * 0.24_f64).sqrt();
            assert!((f64::from(taken) - rows * 2_000.0).abs() < 5.0 * deviation, "{taken} of {rows}");
        }
        assert_eq!(table.sample(10, 1).counts, table.whole().counts);
    }

    #[test]
    fn neither_the_order_of_rows_nor_their_codes_reach_a_sample() {
        let (one, other) = (table(&["x", "", "y", "x", "z"]), table(&["z", "x", "y", "x", ""]));
        for seed in 0..20 {
            assert_eq!(one.sample(3, seed).counts, other.sample(3, seed).counts);
            let values = |t: &Table| {
                let Grouped { dictionaries, tuples, .. } = t.sample(3, seed).grouped();
                let value = |at| dictionaries[0].value(tuples.get(at).0[0]).map(String::from);
                (0..tuples.len()).map(|at| (value(at), tuples.counts()[at])).collect::<Vec<_>>()
            };
            assert_eq!(values(&one), values(&other));
        }
    }
}
