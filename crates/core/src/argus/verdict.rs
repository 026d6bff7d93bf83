//! The verdict on the current table: which tested combinations are safe, and whether all
//! quasi-identifiers together are k-anonymous.
//!
//! The two are separate because the first does not imply the second: in Sweeney's figure 30 every
//! tested pair is safe and one man is unique in all four columns. A suppressed cell is judged in
//! both ways: as a value of its own, which is stricter, and as a wildcard, where a row is as safe
//! as the number of rows that agree with it wherever both have a cell. Costs one test of the table,
//! and for the second way what [`compatible`](crate::compatible) states.

use serde::Serialize;

use super::Argus;
use super::shown::{Shown, columns};
use crate::compatible::{ABSENT, Tuples};
use crate::error::Result;
use crate::policy::Missing;
use crate::rank::Ranker;
use crate::table::Code;
use crate::watch::Watch;

/// The verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The k of the policy.
    pub k: u64,
    /// Rows of the table.
    pub rows: u64,
    /// The quasi-identifiers.
    pub columns: Vec<ColumnFacts>,
    /// Cells that were blanked.
    pub suppressed: u64,
    /// Rows in which any were.
    pub suppressed_rows: u64,
    /// Mean over cells of level / height, a blanked cell being at the top.
    pub loss: f64,
    /// One less that [Sweeney 2001, figure 32].
    pub precision: f64,
    /// Whether no tested combination of values is rare.
    pub safe: bool,
    /// The tested combinations of columns.
    pub tested: Vec<TestedFacts>,
    /// Whether all quasi-identifiers together are k-anonymous.
    pub k_anonymity: Anonymity,
    /// What else the policy asks for, about which this says nothing.
    pub not_judged: Vec<String>,
}

/// A quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnFacts {
    /// Its name.
    pub name: String,
    /// Its level.
    pub level: usize,
    /// The highest of its hierarchy.
    pub height: usize,
    /// Its cells that were blanked.
    pub suppressed: u64,
}

/// A tested combination of columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestedFacts {
    /// The columns.
    pub columns: Vec<String>,
    /// Whether none of its combinations of values is rare.
    pub safe: bool,
    /// Combinations of values that fewer than k rows have.
    pub rare: u64,
    /// Rows that have one of them.
    pub rows: u64,
}

/// Whether all quasi-identifiers together are k-anonymous.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Anonymity {
    /// By the way in which the policy takes missing cells; where it does not match them with
    /// anything, as values of their own.
    pub holds: bool,
    /// A blank equals a blank and nothing else.
    pub blank_is_a_value: Side,
    /// A blank agrees with everything.
    pub blank_is_anything: Side,
}

/// k-anonymity in one way of taking blanks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Whether it holds.
    pub holds: bool,
    /// The least number of rows that are indistinguishable from a row, itself included.
    pub smallest: u64,
    /// Rows with fewer than k indistinguishable rows.
    pub rows: u64,
}

/// A rare combination of values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The columns.
    pub columns: Vec<String>,
    /// The values in them.
    pub values: Vec<String>,
    /// Rows that have them.
    pub rows: u64,
}

pub(super) fn verdict(argus: &Argus<'_>, shown: &Shown<'_>) -> Result<Verdict> {
    let subject = argus.subject;
    let tested = tested(argus, shown)?;
    let counts = subject.classes.counts();
    let suppressed = blanked_cells(shown);
    let rows_with = shown.blanked.iter().zip(counts).filter(|(mask, _)| **mask != 0);
    let columns = subject.names.iter().zip(subject.hierarchies).enumerate();
    let columns = columns.map(|(i, (name, hierarchy))| ColumnFacts {
        name: name.clone(),
        level: shown.levels[i],
        height: hierarchy.height(),
        suppressed: suppressed[i],
    });
    let loss = loss(shown, &suppressed);
    Ok(Verdict {
        k: argus.k,
        rows: subject.classes.rows(),
        columns: columns.collect(),
        suppressed: suppressed.iter().sum(),
        suppressed_rows: rows_with.map(|(_, &n)| u64::from(n)).sum(),
        loss,
        precision: 1.0 - loss,
        safe: tested.iter().all(|t| t.safe),
        tested,
        k_anonymity: anonymity(shown, (argus.k, argus.missing), &argus.watch)?,
        not_judged: argus.not_judged.clone(),
    })
}

fn names(argus: &Argus<'_>, mask: u64) -> Vec<String> {
    columns(mask).map(|column| argus.subject.names[column].clone()).collect()
}

fn tested(argus: &Argus<'_>, shown: &Shown<'_>) -> Result<Vec<TestedFacts>> {
    let mut facts = Vec::with_capacity(argus.tested.len());
    shown.each_rare((&argus.tested, argus.k), &argus.watch, |at, found| {
        facts.push(TestedFacts {
            columns: names(argus, argus.tested[at]),
            safe: found.first.is_empty(),
            rare: found.first.len() as u64,
            rows: found.rows.iter().map(|&n| u64::from(n)).sum(),
        });
    })?;
    Ok(facts)
}

pub(super) fn values(argus: &Argus<'_>, shown: &Shown<'_>, most: usize) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    shown.each_rare((&argus.tested, argus.k), &argus.watch, |at, found| {
        let mask = argus.tested[at];
        let label = |class: u32, column: usize| {
            let code = shown.code(class as usize, column);
            argus.subject.hierarchies[column].label(shown.levels[column], code).unwrap_or_default().to_owned()
        };
        let of = found.first.iter().zip(&found.rows);
        let mut values: Vec<Value> = of
            .map(|(&class, &rows)| Value {
                columns: names(argus, mask),
                values: columns(mask).map(|column| label(class, column)).collect(),
                rows: u64::from(rows),
            })
            .collect();
        values.sort_by(|a, b| (a.rows, &a.values).cmp(&(b.rows, &b.values)));
        values.truncate(most);
        all.extend(values);
    })?;
    Ok(all)
}

/// Column → rows in which it was blanked.
pub(super) fn blanked_cells(shown: &Shown<'_>) -> Vec<u64> {
    let mut cells = vec![0; shown.subject.names.len()];
    for (&mask, &count) in shown.blanked.iter().zip(shown.subject.classes.counts()) {
        columns(mask).for_each(|column| cells[column] += u64::from(count));
    }
    cells
}

/// Prec as a loss, with blanked cells at the top of their hierarchies.
pub(super) fn loss(shown: &Shown<'_>, blanked: &[u64]) -> f64 {
    let rows = shown.subject.classes.rows() as f64;
    let part = |(column, &blanked): (usize, &u64)| {
        let height = shown.subject.hierarchies[column].height() as f64;
        let level = shown.levels[column] as f64 / height;
        let share = blanked as f64 / rows.max(1.0);
        level + share * (1.0 - level)
    };
    blanked.iter().enumerate().map(part).sum::<f64>() / blanked.len().max(1) as f64
}

/// A combination of all columns as shown, with the rows that have it.
struct Look {
    class: u32,
    rows: u64,
    /// Rows that match it if a suppressed cell matches anything.
    matches: u64,
}

fn anonymity(shown: &Shown<'_>, (k, missing): (u64, Missing), watch: &Watch) -> Result<Anonymity> {
    let mut looks = looks(shown);
    let value = side(looks.iter().map(|look| (look.rows, look.rows)), k);
    match_blanks(shown, &mut looks, k, watch)?;
    let anything = side(looks.iter().map(|look| (look.rows, look.matches)), k);
    let holds = match missing {
        Missing::Wildcard => anything.holds,
        Missing::Value | Missing::Suppress => value.holds,
    };
    Ok(Anonymity { holds, blank_is_a_value: value, blank_is_anything: anything })
}

/// From rows and the number of rows indistinguishable from them.
fn side(sizes: impl Iterator<Item = (u64, u64)> + Clone, k: u64) -> Side {
    let rows = sizes.clone().filter(|&(_, size)| size < k).map(|(rows, _)| rows).sum();
    Side { holds: rows == 0, smallest: sizes.map(|(_, size)| size).min().unwrap_or(0), rows }
}

fn looks(shown: &Shown<'_>) -> Vec<Look> {
    let counts = shown.subject.classes.counts();
    let members: Vec<u32> = (0..counts.len() as u32).collect();
    let ids = shown.ids(&members, 0..shown.subject.names.len(), &mut Ranker::default());
    let mut looks: Vec<Look> = Vec::new();
    for (&id, &class) in ids.iter().zip(&members) {
        let count = u64::from(counts[class as usize]);
        match looks.get_mut(id as usize) {
            Some(look) => look.rows += count,
            None => looks.push(Look { class, rows: count, matches: 0 }),
        }
    }
    looks
}

/// Counts for every look the rows that agree with it wherever both have a cell; exactly where they
/// are fewer than k, and where they are fewest. A count that may stop at a limit is a fraction of
/// the work, so the limit rises until some look stays below it.
fn match_blanks(shown: &Shown<'_>, looks: &mut [Look], k: u64, watch: &Watch) -> Result<()> {
    let cell = |look: &Look, column: usize| match shown.absent(look.class as usize) >> column & 1 {
        0 => shown.code(look.class as usize, column),
        _ => ABSENT,
    };
    let column = |column: usize| looks.iter().map(|look| cell(look, column)).collect();
    let columns: Vec<Vec<Code>> = (0..shown.subject.names.len()).map(column).collect();
    let rows: Vec<u64> = looks.iter().map(|look| look.rows).collect();
    let stopped = || watch.is_cancelled();
    let all: u64 = rows.iter().sum();
    let mut enough = k.saturating_mul(LIMIT_STEP);
    loop {
        let tuples = Tuples { columns: &columns, rows: &rows, enough, stopped: &stopped };
        let matches = tuples.matches();
        watch.check()?;
        if enough > all || matches.iter().any(|&rows| rows < enough) {
            looks.iter_mut().zip(matches).for_each(|(look, matches)| look.matches = matches);
            return Ok(());
        }
        enough = enough.saturating_mul(LIMIT_STEP);
    }
}

/// How much the limit of a count rises at a time.
const LIMIT_STEP: u64 = 4;
