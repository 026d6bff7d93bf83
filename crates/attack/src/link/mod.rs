//! The linking attack: which released rows are whose, by an external table that names people
//! [Sweeney 2001, 2; Fellegi 1969].
//!
//! Two adversaries. The *exact join* maps a released row to the external rows that all its cells
//! cover; it is a link if there is one such row, and no other released row has it alone.
//! *Probabilistic linkage* also uses what agrees in part: levels of agreement (`compare.rs`), pairs
//! by blocking (`block.rs`), weights by expectation maximization (`model.rs`), and a one-to-one
//! assignment (`assign.rs`). Both work on distinct tuples; rows that are alike are not
//! distinguished by their order. Counts of patterns are kept, not pairs, except those that can
//! become a link.

mod assign;
mod block;
mod compare;
mod model;
mod page;
mod similarity;
mod text;
#[cfg(test)]
mod tests;

pub use page::page;
pub use text::text;

use rand::RngExt;
use rayon::prelude::*;
use serde::Serialize;
use throng_terms::error::{Error, Result};
use throng_terms::fault;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::groups::Groups;
use crate::rate::Z;
use crate::sample::generator;
use crate::table::{Coded, Column};
use crate::tree::Tree;
use assign::{Assignment, assign};
use block::{Plan, Sides, sampled};
use compare::{Cache, Comparer, LEVELS, MOST, NAMES, UNKNOWN, level_of};
use model::{Weights, combine, estimate, prior};

/// Random pairs from which u is estimated if pairs of values cannot be counted.
const RANDOM: usize = 1_000_000;

/// Two tables and the columns that they share.
pub struct Request<'a> {
    /// The release: the columns to link on, and the truth if it is known.
    pub release: &'a Coded,
    /// The external table, with the same columns in the same order.
    pub external: &'a Coded,
    /// Names of the columns to link on, in the release and in the external table: the first columns
    /// of both tables.
    pub on: &'a [(String, String)],
    /// Column to link on → its hierarchy, where labels are listed.
    pub hierarchies: &'a [Option<Hierarchy>],
    /// Whether the last column of both tables names the person, for scoring alone.
    pub truth: bool,
    /// The least probability of a link, from 0.5.
    pub threshold: f64,
    /// The seed of what is drawn.
    pub seed: u64,
    /// How many of the strongest links are explained.
    pub explained: usize,
}

/// What a linking attack found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Linkage {
    /// Rows of both tables.
    pub rows: TableRows,
    /// Released rows that are linked to one external row.
    pub links: u64,
    /// Links to the right person; none without a truth.
    pub correct: Option<u64>,
    /// Links to a wrong person; none without a truth.
    pub wrong: Option<u64>,
    /// Released rows that are not linked: no external row, or several that fit as well.
    pub unresolved: u64,
    /// Released rows whose best guess is right, by the probabilities of the model.
    pub expected: Expected,
    /// Released rows by the probability of their best guess.
    pub guesses: Vec<Guesses>,
    /// The same by an exact join.
    pub exact_join: ExactJoin,
    /// The model.
    pub model: Model,
    /// The links of the greatest weight, explained.
    pub strongest: Vec<Link>,
}

/// Rows of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TableRows {
    /// Of the release.
    pub released: u64,
    /// Of the external table.
    pub external: u64,
}

/// An expected number with an interval at 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Expected {
    /// The expected number.
    pub value: f64,
    /// The lower limit.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
    /// What it is.
    pub means: &'static str,
}

/// Released rows whose best guess has a probability in a range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Guesses {
    /// The least probability.
    pub from: f64,
    /// The greatest; it belongs to the next range, except in the last one.
    pub to: f64,
    /// Released rows.
    pub rows: u64,
}

/// What an exact join found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExactJoin {
    /// Released rows whose cells cover one external row, which no other released row has alone.
    pub links: u64,
    /// Links to the right person; none without a truth.
    pub correct: Option<u64>,
    /// Links to a wrong person; none without a truth.
    pub wrong: Option<u64>,
    /// Released rows that cover no external row.
    pub nobody: u64,
    /// Released rows that cover several.
    pub several: u64,
}

/// The model of a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Model {
    /// Probability that a random pair of rows is a match.
    pub prior: f64,
    /// The columns with their levels.
    pub columns: Vec<ColumnModel>,
    /// Columns on which compared pairs agree, rule by rule.
    pub blocking: Vec<Vec<String>>,
    /// Pairs of rows that were compared.
    pub pairs: u64,
    /// Released rows with more possible external rows than are compared: they stay unresolved.
    pub crowded: u64,
    /// The least probability of a link.
    pub threshold: f64,
}

/// A column of the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnModel {
    /// Its name in the release.
    pub released: String,
    /// Its name in the external table.
    pub external: String,
    /// Whether m was estimated; otherwise it is assumed.
    pub estimated: bool,
    /// The levels that occur, from the lowest.
    pub levels: Vec<LevelModel>,
}

/// A level of agreement.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LevelModel {
    /// Its name.
    pub level: &'static str,
    /// Probability among pairs of the same person.
    pub m: f64,
    /// Probability among pairs of different people.
    pub u: f64,
    /// log2(m/u).
    pub bits: f64,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Link {
    /// Row of the release, from 1.
    pub released_row: u64,
    /// Row of the external table, from 1.
    pub external_row: u64,
    /// Probability that both are the same person.
    pub probability: f64,
    /// The sum of the weights in bits.
    pub bits: f64,
    /// How the columns agree.
    pub agreement: Vec<Agreement>,
}

/// How a column of a link agrees.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Agreement {
    /// The column of the release.
    pub column: String,
    /// The released cell.
    pub cell: Option<String>,
    /// The level.
    pub level: &'static str,
    /// Its weight in bits.
    pub bits: f64,
}

/// Links a release with an external table.
///
/// # Errors
/// Tables without rows, no columns or too many, columns without common values, and a threshold
/// below 0.5; [`Kind::Cancelled`](throng_terms::error::Kind::Cancelled) when asked to stop.
pub fn link(request: &Request<'_>, watch: &Watch) -> Result<Linkage> {
    check(request)?;
    let width = request.on.len();
    let (released, external) = (&request.release.columns[..width], &request.external.columns[..width]);
    let columns = released.iter().zip(external).zip(request.hierarchies);
    let comparers: Vec<Comparer<'_>> =
        columns.map(|((a, b), hierarchy)| Comparer::new(a, b, hierarchy.as_ref())).collect();
    no_common_values(request, &comparers)?;
    watch.check()?;
    let groups = |columns: &[Column], rows: usize| Groups::new(&columns.iter().collect::<Vec<_>>(), rows);
    let sides = Sides {
        released: &groups(released, request.release.rows),
        external: &groups(external, request.external.rows),
        comparers: &comparers,
        missing: external.iter().map(|column| column.dictionary.missing()).collect(),
    };
    let exact_join = exact(&sides, request);
    watch.check()?;
    let sizes: Vec<usize> = external.iter().map(Column::size).collect();
    let plan = Plan::new(&sides, &sizes);
    watch.check()?;
    let mut weights = Weights::new(random(&sides, request.seed));
    let sessions = plan.training.iter().map(|&(rule, share)| {
        watch.check()?;
        let keep = |at: usize| sampled(at, share, request.seed);
        let rule = plan.rule(rule);
        let patterns = sides.patterns(&[rule], plan.crowd, keep);
        // At first, every row of the smaller table is thought to have a match.
        let most = share * request.release.rows.min(request.external.rows) as f64;
        Ok(estimate(&weights, &patterns, &rule.columns, (most, most)))
    });
    let sessions = sessions.collect::<Result<Vec<_>>>()?;
    combine(&mut weights, &sessions);
    let patterns = sides.patterns(&plan.compared(), plan.crowd, |_| true);
    watch.check()?;
    let (rows, others) = (request.release.rows as f64, request.external.rows as f64);
    let prior = prior(&weights, &patterns, rows * others, rows.min(others));
    let assignment = assign(&sides, &plan, &weights, (&patterns, prior), request.threshold, watch)?;
    let pairs = patterns.iter().map(|pattern| pattern.1).sum();
    Ok(linkage(request, &sides, (&plan, &weights), (prior, pairs), (&assignment, exact_join)))
}

fn check(request: &Request<'_>) -> Result<()> {
    let mut faults = Vec::new();
    if request.on.is_empty() || request.on.len() > MOST {
        faults.push(
            fault!(
                Input,
                "attack.number-of-columns",
                "{count} columns are given to link on",
                count = request.on.len()
            )
            .key("--on")
            .help(format!("name 1 to {MOST} columns: --on RELEASED=EXTERNAL,…")),
        );
    }
    if !(0.5..1.0).contains(&request.threshold) {
        faults.push(
            fault!(
                Input,
                "attack.threshold",
                "{threshold} is not the least probability of a link",
                threshold = request.threshold
            )
            .key("--threshold")
            .help("give a number from 0.5 to below 1: below 0.5, a row could be linked to two people"),
        );
    }
    for (table, which) in [(request.release, "the release"), (request.external, "the external table")] {
        if table.rows == 0 {
            faults.push(
                fault!(Data, "attack.no-rows", "{table} has no rows", table = which)
                    .help("give a table with at least one row"),
            );
        }
    }
    Error::check(faults)
}

/// Columns in which no cell is true of any external value.
fn no_common_values(request: &Request<'_>, comparers: &[Comparer<'_>]) -> Result<()> {
    let mut faults = Vec::new();
    for ((released, external), comparer) in request.on.iter().zip(comparers) {
        let mut informative = comparer.covers.iter().filter(|covered| !covered.anything).peekable();
        let apart = informative.peek().is_some() && informative.all(|covered| covered.share == 0.0);
        if apart {
            faults.push(
                fault!(
                    Data,
                    "attack.no-common-values",
                    "no cell of `{released}` is true of any value of `{external}`",
                    released = released,
                    external = external
                )
                .key("--on")
                .help("check that both columns mean the same and write values alike; labels of a hierarchy need --policy"),
            );
        }
    }
    Error::check(faults)
}

/// Column → level → share of pairs of rows: counted where there are few values, otherwise drawn.
fn random(sides: &Sides<'_>, seed: u64) -> Vec<[f64; LEVELS]> {
    let draw = |at: usize, comparer: &Comparer<'_>| {
        comparer.shares().unwrap_or_else(|| {
            let mut generator = generator(seed, 100 + at as u64);
            let mut cache = Cache::new();
            let mut counts = [0u64; LEVELS];
            let (released, external) = (rows_of(sides.released), rows_of(sides.external));
            for _ in 0..RANDOM {
                let a = released[generator.random_range(0..released.len())] as usize;
                let b = external[generator.random_range(0..external.len())] as usize;
                let (a, b) = (sides.released.tuple(a)[at], sides.external.tuple(b)[at]);
                counts[comparer.level(a, b, &mut cache) as usize] += 1;
            }
            counts.map(|count| count as f64 / RANDOM as f64)
        })
    };
    sides.comparers.par_iter().enumerate().map(|(at, comparer)| draw(at, comparer)).collect()
}

/// The tuple of every row, in the order of tuples.
fn rows_of(groups: &Groups) -> Vec<u32> {
    (0..groups.len()).flat_map(|at| std::iter::repeat_n(at as u32, groups.count(at) as usize)).collect()
}

/// The exact join.
fn exact(sides: &Sides<'_>, request: &Request<'_>) -> ExactJoin {
    let (released, external) = (sides.released, sides.external);
    let width = request.on.len();
    let tree = Tree::new(width, external.len(), |at| external.tuple(at), |at| external.count(at));
    let found = |at: usize| -> (u64, Option<u32>) {
        let tuple: &[Code] = released.tuple(at);
        let query: Vec<_> =
            tuple.iter().zip(sides.comparers).map(|(&code, c)| &c.covers[code as usize].runs).collect();
        let count = tree.count(&query);
        let mut only = None;
        if count == 1 {
            tree.each(&query, |id| only = Some(id));
        }
        (count, only)
    };
    let found: Vec<(u64, Option<u32>)> = (0..released.len()).into_par_iter().map(found).collect();
    let mut claims = vec![0u32; external.len()];
    for (at, (_, only)) in found.iter().enumerate() {
        only.iter().for_each(|&id| claims[id as usize] += released.count(at));
    }
    let mut join = ExactJoin { links: 0, correct: None, wrong: None, nobody: 0, several: 0 };
    let mut right = 0;
    for (at, &(count, only)) in found.iter().enumerate() {
        let rows = u64::from(released.count(at));
        match (count, only) {
            (0, _) => join.nobody += rows,
            (_, Some(id)) if claims[id as usize] == 1 => {
                join.links += 1;
                right += u64::from(is_right(request, released.rows(at)[0], external.rows(id as usize)[0]));
            }
            _ => join.several += rows,
        }
    }
    if request.truth {
        (join.correct, join.wrong) = (Some(right), Some(join.links - right));
    }
    join
}

/// Whether two rows are of the same person, by the truth.
fn is_right(request: &Request<'_>, released: u32, external: u32) -> bool {
    let last = |table: &Coded, row: u32| {
        table.columns.last().and_then(|column| column.cell(row as usize)).map(str::to_owned)
    };
    let [a, b] = [last(request.release, released), last(request.external, external)];
    request.truth && a.is_some() && a == b
}

fn linkage(
    request: &Request<'_>,
    sides: &Sides<'_>,
    (plan, weights): (&Plan, &Weights),
    (prior, pairs): (f64, u64),
    (assignment, exact_join): (&Assignment, ExactJoin),
) -> Linkage {
    let rows = |link: &assign::Linked| {
        let (a, b) = (link.released as usize, link.external as usize);
        (sides.released.rows(a)[0], sides.external.rows(b)[0])
    };
    let right = |link: &&assign::Linked| {
        let (a, b) = rows(link);
        is_right(request, a, b)
    };
    let links = assignment.links.len() as u64;
    let correct = request.truth.then(|| assignment.links.iter().filter(right).count() as u64);
    let mut order: Vec<&assign::Linked> = assignment.links.iter().collect();
    let bits = |link: &assign::Linked| weights.ratio(link.pattern).log2();
    order.sort_by(|a, b| {
        let key = |link: &assign::Linked| (link.released, link.external);
        bits(b).total_cmp(&bits(a)).then(b.probability.total_cmp(&a.probability)).then(key(a).cmp(&key(b)))
    });
    let explain = |link: &&assign::Linked| {
        let (a, b) = rows(link);
        let columns = request.on.iter().zip(&request.release.columns).enumerate();
        let agreement = columns.map(|(at, ((name, _), column))| {
            let level = level_of(link.pattern, at);
            let cell = column.cell(a as usize).map(str::to_owned);
            Agreement {
                column: name.clone(),
                cell,
                level: NAMES[level as usize],
                bits: weights.bits(at, level),
            }
        });
        Link {
            released_row: u64::from(a) + 1,
            external_row: u64::from(b) + 1,
            probability: link.probability,
            bits: bits(link),
            agreement: agreement.collect(),
        }
    };
    let released = request.release.rows as u64;
    let spread = Z * assignment.variance.sqrt();
    let limit = |x: f64| x.clamp(0.0, released as f64);
    Linkage {
        rows: TableRows { released, external: request.external.rows as u64 },
        links,
        correct,
        wrong: correct.map(|correct| links - correct),
        unresolved: released - links,
        expected: Expected {
            value: assignment.expected,
            low: limit(assignment.expected - spread),
            high: limit(assignment.expected + spread),
            means: "released rows whose best guess is the right person, if the model's probabilities are right",
        },
        guesses: guesses(&assignment.certainty),
        exact_join,
        model: Model {
            prior,
            columns: columns_of(request, weights),
            blocking: plan.compared().iter().map(|rule| names_of(request, &rule.columns)).collect(),
            pairs,
            crowded: assignment.crowded,
            threshold: request.threshold,
        },
        strongest: order.iter().take(request.explained).map(explain).collect(),
    }
}

fn guesses(certainty: &[u64]) -> Vec<Guesses> {
    let share = |at: usize| at as f64 / certainty.len() as f64;
    certainty
        .iter()
        .enumerate()
        .map(|(at, &rows)| Guesses { from: share(at), to: share(at + 1), rows })
        .collect()
}

fn names_of(request: &Request<'_>, columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&column| request.on[column].0.clone()).collect()
}

fn columns_of(request: &Request<'_>, weights: &Weights) -> Vec<ColumnModel> {
    let column = |(at, (released, external)): (usize, &(String, String))| {
        let occurs =
            |level: &u8| weights.u[at][*level as usize] > 1e-8 || weights.m[at][*level as usize] > 1e-8;
        let level = |level: u8| LevelModel {
            level: NAMES[level as usize],
            m: weights.m[at][level as usize],
            u: weights.u[at][level as usize],
            bits: weights.bits(at, level),
        };
        ColumnModel {
            released: released.clone(),
            external: external.clone(),
            estimated: weights.estimated[at],
            levels: (UNKNOWN + 1..LEVELS as u8).filter(occurs).map(level).collect(),
        }
    };
    request.on.iter().enumerate().map(column).collect()
}
