//! Divides a grouped table into rows to release and rows to test on.
//!
//! Which rows are held out is drawn from their content and a seed, so that it does not depend on
//! their order; equal rows are drawn one by one. Where rows belong to people, people are drawn,
//! with all of their rows: nobody is in both parts. Costs one sort of the distinct rows.

use super::target::Labels;
use crate::error::Result;
use crate::fault;
use crate::search::{Grouped, Population};
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;

/// The measured column that holds the target in the training part, whatever its name and role.
pub(super) const TARGET: &str = "\u{1}target";
/// The fewest rows that models learn from, and are tested on.
const FEWEST: u64 = 20;

/// A table to be divided.
pub(super) struct Whole<'a> {
    pub(super) grouped: &'a Grouped,
    /// Measured columns that the policy needs; others are there for the evaluation alone.
    pub(super) needed: usize,
    /// The target, as a place among the dictionaries, and its texts.
    pub(super) target: usize,
    pub(super) labels: &'a Labels,
    /// The column that forms groups, and the group of every code.
    pub(super) by: Option<(usize, Vec<u32>)>,
    /// The column of people, among the dictionaries.
    pub(super) subject: Option<usize>,
    /// Texts that mean missing.
    pub(super) null: &'a [String],
}

/// Rows that are held out: distinct quasi-identifiers with target and group.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeldRow {
    /// Column → place among its texts.
    pub(super) cells: Vec<u32>,
    pub(super) target: f64,
    pub(super) group: u32,
    pub(super) rows: f64,
}

/// The part that is held out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Held {
    /// Column → its texts.
    pub(super) texts: Vec<Vec<Option<String>>>,
    /// Rows, equal ones together, in the order of their cells.
    pub(super) rows: Vec<HeldRow>,
}

impl Held {
    pub(super) fn count(&self) -> f64 {
        self.rows.iter().map(|row| row.rows).sum()
    }
}

/// Both parts.
pub(super) struct Split {
    pub(super) train: Grouped,
    pub(super) held: Held,
}

impl Whole<'_> {
    /// Holds out a share of the rows, or of the people.
    ///
    /// # Errors
    /// Too few rows in either part.
    pub(super) fn split(&self, share: f64, seed: u64) -> Result<Split> {
        let Grouped { names, measured, dictionaries, tuples, population } = self.grouped;
        let quasi = names.len();
        let kept = quasi + self.needed;
        let hashes: Vec<Vec<u64>> = dictionaries.iter().map(hashes).collect();
        let ranks: Vec<Vec<u32>> = dictionaries.iter().map(ranks).collect();
        let mut train = Part::new(kept);
        let mut held: Vec<HeldRow> = Vec::new();
        let mut before: Option<u64> = None;
        let mut turn = 0;
        for at in self.order(tuples, &ranks) {
            let code = |column: usize| tuples.code(at, column);
            let key = match self.subject {
                Some(subject) => hashes[subject][code(subject) as usize],
                None => self.key_columns().fold(0, |key, c| mixed(key ^ hashes[c][code(c) as usize])),
            };
            turn = if before == Some(key) && self.subject.is_none() { turn } else { 0 };
            before = Some(key);
            let rows = tuples.counts()[at];
            let mut out = 0;
            for _ in 0..rows {
                let drawn = mixed(mixed(seed ^ 0x5eed) ^ mixed(key ^ mixed(turn)));
                out += u32::from((drawn >> 11) as f64 / (1u64 << 53) as f64 <= share);
                turn += u64::from(self.subject.is_none());
            }
            let label = code(self.target) as usize;
            let target = self.labels.of[label];
            let text = target.map(|_| format!("\u{1}{:09}", ranks[self.target][label]));
            train.add(dictionaries, text, &code, rows - out);
            if let (Some(target), true) = (target, out > 0) {
                let group = self.by.as_ref().map_or(0, |(by, group_of)| group_of[code(*by) as usize]);
                let cells = (0..quasi).map(|c| ranks[c][code(c) as usize]).collect();
                held.push(HeldRow { cells, target, group, rows: f64::from(out) });
            }
        }
        let held = self.held(held);
        let learned = train.tuples.rows();
        if learned < FEWEST || held.count() < FEWEST as f64 {
            return Err(too_few(learned, held.count() as u64).into());
        }
        let people = population.as_ref().map(|people| Population {
            dictionaries: people.dictionaries.clone(),
            tuples: people.tuples.clone(),
        });
        let mut all: Vec<String> = measured[..self.needed].to_vec();
        all.push(TARGET.to_owned());
        let Part { dictionaries, tuples } = train;
        Ok(Split {
            train: Grouped { names: names.clone(), measured: all, dictionaries, tuples, population: people },
            held,
        })
    }

    /// The columns that tell rows apart: groups do not, so that naming them changes no draw.
    fn key_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let kept = self.grouped.names.len() + self.needed;
        let extra = self.by.as_ref().map(|(by, _)| *by).filter(|by| *by >= kept && *by != self.target);
        (0..self.grouped.dictionaries.len()).filter(move |column| Some(*column) != extra)
    }

    /// The distinct rows by value.
    fn order(&self, tuples: &Tuples, ranks: &[Vec<u32>]) -> Vec<usize> {
        let mut columns: Vec<usize> = self.key_columns().collect();
        columns.extend(self.by.iter().map(|(by, _)| *by));
        let rank = |at: usize, column: usize| ranks[column][tuples.code(at, column) as usize];
        let mut order: Vec<usize> = (0..tuples.len()).collect();
        order.sort_by(|&a, &b| columns.iter().map(|&c| rank(a, c)).cmp(columns.iter().map(|&c| rank(b, c))));
        order
    }

    fn held(&self, mut rows: Vec<HeldRow>) -> Held {
        let key = |row: &HeldRow| (row.cells.clone(), row.target.to_bits(), row.group);
        rows.sort_by_cached_key(key);
        rows.dedup_by(|next, kept| {
            let same = (&next.cells, next.target, next.group) == (&kept.cells, kept.target, kept.group);
            kept.rows += if same { next.rows } else { 0.0 };
            same
        });
        let text = |values: &Dictionary, code: Code| {
            values.value(code).filter(|v| !self.null.iter().any(|n| n == v)).map(String::from)
        };
        let texts = |values: &Dictionary| values.by_value().iter().map(|&code| text(values, code)).collect();
        Held {
            texts: self.grouped.dictionaries[..self.grouped.names.len()].iter().map(texts).collect(),
            rows,
        }
    }
}

/// A part of a table that is being counted.
struct Part {
    dictionaries: Vec<Dictionary>,
    tuples: Tuples,
}

impl Part {
    fn new(kept: usize) -> Self {
        Part { dictionaries: vec![Dictionary::new(); kept + 1], tuples: Tuples::new(kept + 1) }
    }

    fn add(&mut self, from: &[Dictionary], target: Option<String>, code: &dyn Fn(usize) -> Code, rows: u32) {
        if rows == 0 {
            return;
        }
        let kept = self.dictionaries.len() - 1;
        let mut row: Vec<Code> =
            (0..kept).map(|c| self.dictionaries[c].add(from[c].value(code(c)), u64::from(rows))).collect();
        row.push(self.dictionaries[kept].add(target.as_deref(), u64::from(rows)));
        self.tuples.insert(&row, rows);
    }
}

/// Which value of the whole table's target, in their order, a text of the training part stands for.
pub(super) fn label_of(text: Option<&str>) -> Option<u32> {
    text.and_then(|text| text.strip_prefix('\u{1}')?.parse().ok())
}

/// Code → place in the order of values.
fn ranks(values: &Dictionary) -> Vec<u32> {
    let mut ranks = vec![0; values.len()];
    values.by_value().iter().enumerate().for_each(|(rank, &code)| ranks[code as usize] = rank as u32);
    ranks
}

/// Code → a number that follows from its text.
fn hashes(values: &Dictionary) -> Vec<u64> {
    let hash = |code: Code| match values.value(code) {
        None => mixed(1),
        Some(text) => text.bytes().fold(mixed(2), |key, byte| mixed(key ^ u64::from(byte))),
    };
    (0..values.len() as Code).map(hash).collect()
}

/// The finalizer of SplitMix64.
pub(super) fn mixed(z: u64) -> u64 {
    let z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn too_few(learned: u64, held: u64) -> crate::error::Fault {
    fault!(
        Data,
        "evaluate.too-few-rows",
        "{learned} rows to learn from and {held} to test on are too few",
        learned = learned,
        held = held
    )
    .help(format!(
        "each part needs {FEWEST} rows that have the target: use a larger table, or another --holdout"
    ))
}
