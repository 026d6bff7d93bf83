//! Screening of columns: ranks columns by mutual information with a target, against a random
//! baseline.
//!
//! From [Katirai 2006, "Deleted data items with low mutual information ratios"] and figures 16 and
//! 17: mutual information is biased towards columns with many values, so it is divided by that of a
//! random column with as many values, averaged over several runs; a column below twice chance is
//! not worth keeping. A column with a hierarchy is screened at every level, and the level decides at
//! which it says most beyond chance: single days of birth say nothing, decades may say much. Rows
//! stream through [`Screen`]; memory grows with the distinct pairs of value and target. No text is
//! shown, so that a long one is kept as its beginning and a hash of 128 bits.
//! [`Screen::finish`] redraws each row for every column, level and run: about 10 ns each.

mod random;
mod text;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use rayon::prelude::*;
use serde::Serialize;

use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::information::{Contingency, RARE, entropy};
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;
use crate::watch::{Counter, Stage, Watch};

pub use text::text;

/// What to screen for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The target column.
    pub target: String,
    /// Makes a yes/no target of a number: whether it is above this.
    pub above: Option<f64>,
    /// Values with fewer rows than these are left out.
    pub rare: u64,
    /// Random columns per column.
    pub runs: u32,
    /// The ratio below which a column is not worth keeping.
    pub threshold: f64,
    /// For the random columns.
    pub seed: u64,
}

impl Default for Asked {
    fn default() -> Self {
        Asked { target: String::new(), above: None, rare: RARE, runs: 10, threshold: 2.0, seed: 1 }
    }
}

impl Asked {
    /// Refuses what makes no sense, and a target that is not among the columns.
    ///
    /// # Errors
    /// Every such option by name.
    pub fn check(&self, columns: &[String]) -> Result<()> {
        let mut faults = Vec::new();
        if !columns.contains(&self.target) {
            let near = nearest(&self.target, columns.iter().map(String::as_str));
            let listed = || format!("the columns are {}", columns.join(", "));
            let help = near.map_or_else(listed, |near| format!("did you mean `{near}`?"));
            let fault = fault!(
                Input,
                "arguments.no-such-column",
                "there is no column `{column}`",
                column = &self.target
            )
            .key("--target");
            faults.push(fault.help(help));
        }
        if self.runs == 0 {
            let fault = fault!(Input, "screen.no-runs", "no random column to compare with").key("--runs");
            faults.push(fault.help("give 1 or more; 10 is usual"));
        }
        if !(self.threshold >= 0.0 && self.threshold.is_finite()) {
            let fault = fault!(Input, "screen.not-a-ratio", "{value} is not a ratio", value = self.threshold)
                .key("--threshold");
            faults.push(
                fault.help("give a number from 0; 2 requires twice the information of a random column"),
            );
        }
        if self.above.is_some_and(|limit| !limit.is_finite()) {
            let fault =
                fault!(Input, "screen.not-a-limit", "no number is above or below this").key("--above");
            faults.push(fault.help("give a number, such as 25000"));
        }
        Error::check(faults)
    }
}

/// The findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Screened {
    /// The target.
    pub target: String,
    /// Where the target is whether its number is above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// Rows whose target is known.
    pub rows: u64,
    /// Rows left out because their target is missing.
    pub without_target: u64,
    /// Distinct values of the target.
    pub target_values: u64,
    /// The entropy of the target in bits: the maximum information about it.
    pub entropy: f64,
    /// Values with fewer rows than these are left out.
    pub rare: u64,
    /// Random columns per column.
    pub runs: u32,
    /// The ratio below which a column is not worth keeping.
    pub threshold: f64,
    /// The seed of the random columns.
    pub seed: u64,
    /// The other columns, in the table's order.
    pub columns: Vec<Column>,
    /// Columns that were not screened, because a release would not have them.
    pub left_out: Vec<String>,
}

/// How a column is screened.
#[derive(Debug, Clone, Default)]
pub struct Treatment {
    /// Whether it is not screened.
    pub left_out: bool,
    /// Its levels; values that the hierarchy does not have count as missing above level 0.
    pub hierarchy: Option<Hierarchy>,
}

/// The information of a column about the target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Its name.
    pub column: String,
    /// The level at which it says most beyond chance; 0 is the value itself.
    pub level: usize,
    /// The highest level that was looked at.
    pub levels: usize,
    /// Distinct values at this level, a missing one included.
    pub values: u64,
    /// Those that have enough rows.
    pub counted: u64,
    /// Their rows.
    pub rows: u64,
    /// Mutual information with the target in bits.
    pub mutual: f64,
    /// That of a random column with as many values, the mean of the runs.
    pub random: f64,
    /// Their ratio; none if the random baseline is 0.
    pub ratio: Option<f64>,
    /// Whether it is worth keeping.
    pub keep: bool,
}

/// Counts the pairs of every column's values and the target's, batch by batch.
#[derive(Debug, Clone)]
pub struct Screen {
    asked: Asked,
    names: Vec<String>,
    target: usize,
    dictionaries: Vec<Dictionary>,
    pairs: Vec<Tuples>,
    treatments: Vec<Treatment>,
    rows: u64,
    without_target: u64,
}

impl Screen {
    /// Nothing counted yet, of the columns of a table.
    ///
    /// # Errors
    /// As [`Asked::check`].
    pub fn new(names: Vec<String>, asked: Asked) -> Result<Self> {
        asked.check(&names)?;
        let target = names.iter().position(|name| *name == asked.target).unwrap_or_default();
        let (dictionaries, pairs) = (vec![Dictionary::new(); names.len()], vec![Tuples::new(2); names.len()]);
        let treatments = vec![Treatment::default(); names.len()];
        Ok(Screen { asked, names, target, dictionaries, pairs, treatments, rows: 0, without_target: 0 })
    }

    /// The columns of the table.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of every column in the rows whose target is known.
    pub fn values(&self) -> &[Dictionary] {
        &self.dictionaries
    }

    /// Screens columns as stated, one treatment per column; the target's is not looked at.
    #[must_use]
    pub fn treated(mut self, treatments: impl IntoIterator<Item = Treatment>) -> Self {
        self.treatments.iter_mut().zip(treatments).for_each(|(mine, given)| *mine = given);
        self
    }

    /// Number of rows counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Counts a batch of rows: `cell` gives the cell of a column and a row.
    ///
    /// # Errors
    /// A target that is not a number where one is needed, and more rows than 32 bits can count.
    pub fn add<'a>(&mut self, rows: usize, cell: impl Fn(usize, usize) -> Option<&'a str>) -> Result<()> {
        let (mut kept, mut targets) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for row in 0..rows {
            match self.target_code(cell(self.target, row))? {
                Some(code) => {
                    kept.push(row);
                    targets.push(code);
                }
                None => self.without_target += 1,
            }
        }
        self.rows += rows as u64;
        let mut columns = [Vec::new(), targets];
        for column in (0..self.names.len()).filter(|&column| column != self.target) {
            let dictionary = &mut self.dictionaries[column];
            columns[0].clear();
            columns[0].extend(kept.iter().map(|&row| {
                let text = cell(column, row).map(shortened);
                dictionary.add(text.as_deref(), 1)
            }));
            self.pairs[column].add(&columns, kept.len())?;
        }
        Ok(())
    }

    fn target_code(&mut self, cell: Option<&str>) -> Result<Option<Code>> {
        let Some(cell) = cell else { return Ok(None) };
        let value = match self.asked.above {
            None => cell,
            Some(limit) => {
                let number = cell.trim().parse::<f64>().ok().filter(|n| n.is_finite());
                let number = number.ok_or_else(|| {
                    fault!(Data, "screen.not-a-number", "`{value}` is not a number", value = cell)
                        .column(&self.asked.target)
                        .help(
                            "--above needs a target of numbers; leave it out where the target has few values",
                        )
                })?;
                if number > limit { "yes" } else { "no" }
            }
        };
        Ok(Some(self.dictionaries[self.target].add(Some(&shortened(value)), 1)))
    }

    /// The information of every column about the target.
    ///
    /// # Errors
    /// A target that says nothing, or too much; [`Kind::Cancelled`](crate::error::Kind::Cancelled)
    /// when asked to stop.
    pub fn finish(self, watch: &Watch) -> Result<Screened> {
        self.check_target()?;
        let Screen { asked, names, target, dictionaries, pairs, treatments, without_target, .. } = self;
        let others = || (0..names.len()).filter(|&column| column != target);
        let left_out = others().filter(|&at| treatments[at].left_out).map(|at| names[at].clone()).collect();
        let columns: Vec<usize> = others().filter(|&at| !treatments[at].left_out).collect();
        let counter = Counter::new(watch, Stage::Measuring, Some(columns.len() as u64));
        let columns = columns.into_par_iter().map(|at| {
            let levels = levels(&dictionaries[at], treatments[at].hierarchy.as_ref());
            let best = best(&names[at], &pairs[at], &levels, (&asked, at as u64), watch)?;
            counter.one()?;
            Ok(best)
        });
        let columns: Vec<Column> = columns.collect::<Result<_>>()?;
        let target_rows = dictionaries[target].present().map(|(_, rows)| rows).collect::<Vec<u64>>();
        Ok(Screened {
            columns,
            left_out,
            rows: target_rows.iter().sum(),
            without_target,
            target_values: target_rows.len() as u64,
            entropy: entropy(target_rows),
            target: asked.target,
            above: asked.above,
            rare: asked.rare,
            runs: asked.runs,
            threshold: asked.threshold,
            seed: asked.seed,
        })
    }

    /// A target of one value has no entropy; if most of its values are unique, every other column
    /// seems to determine it.
    fn check_target(&self) -> Result<()> {
        let values = self.dictionaries[self.target].len() as u64;
        let rows: u64 = self.dictionaries[self.target].present().map(|(_, rows)| rows).sum();
        let fault = if values < 2 {
            let help = match self.asked.above {
                Some(_) => "give --above a number that some rows exceed and others do not",
                None => "name a column with several values",
            };
            fault!(
                Data,
                "screen.constant-target",
                "the target has {values} value in {rows} rows: there is nothing to predict",
                values = values,
                rows = rows
            )
            .help(help)
        } else if 2 * values > rows {
            fault!(
                Data,
                "screen.too-many-values",
                "the target has {values} values in {rows} rows",
                values = values,
                rows = rows
            ).help(
                "two rows a value are the least to learn from; where it is a number, ask whether it is above one, e.g. --above 25000",
            )
        } else {
            return Ok(());
        };
        Err(fault.column(&self.asked.target).into())
    }
}

/// Texts of more bytes are kept in short.
const LONG: usize = 256;
/// Bytes that are kept of them: enough to see that they are sentences.
const KEPT: usize = 192;

/// A text that stands for a long one: its beginning and a hash of all of it. Two long texts have
/// the same with a probability of 2⁻¹²⁸.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= LONG {
        return Cow::Borrowed(text);
    }
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(salt);
        hasher.write(text.as_bytes());
        hasher.finish()
    };
    let end = (0..=KEPT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    Cow::Owned(format!("{}{:016x}{:016x}", &text[..end], half(0), half(1)))
}

/// Per level below the highest, the code of every value.
fn levels(dictionary: &Dictionary, hierarchy: Option<&Hierarchy>) -> Vec<Vec<Code>> {
    let codes = 0..dictionary.len() as Code;
    let mut levels = vec![codes.clone().collect::<Vec<Code>>()];
    let Some(hierarchy) = hierarchy else { return levels };
    let leaves: Vec<Option<Code>> =
        codes.map(|code| dictionary.value(code).and_then(|value| hierarchy.leaf(Some(value)))).collect();
    for level in 1..hierarchy.height() {
        let above = |leaf: &Option<Code>| leaf.map_or(Code::MAX, |leaf| hierarchy.generalize(leaf, level));
        levels.push(leaves.iter().map(above).collect());
    }
    levels
}

/// What a column says at the level at which it says most beyond chance.
fn best(
    name: &str,
    pairs: &Tuples,
    levels: &[Vec<Code>],
    (asked, column): (&Asked, u64),
    watch: &Watch,
) -> Result<Column> {
    let mut best: Option<Column> = None;
    for (level, codes) in levels.iter().enumerate() {
        // A stream of draws for every level, that of level 0 as if there were no other.
        let stream = column + ((level as u64) << 32);
        let found = information(pairs, codes, (asked, stream), watch)?;
        let beyond = |c: &Column| c.mutual - c.random;
        if best.as_ref().is_none_or(|best| (found.keep, beyond(&found)) > (best.keep, beyond(best))) {
            best = Some(Column { column: name.into(), level, levels: levels.len() - 1, ..found });
        }
    }
    best.ok_or_else(|| Fault::bug("a column has no level").into())
}

/// All that is found out about a column at one level but its name.
fn information(
    pairs: &Tuples,
    codes: &[Code],
    (asked, stream): (&Asked, u64),
    watch: &Watch,
) -> Result<Column> {
    let pair = |at: usize| {
        let value = codes[pairs.code(at, 0) as usize];
        (value, pairs.code(at, 1), u64::from(pairs.counts()[at]))
    };
    let mut counts: Vec<(Code, Code, u64)> = (0..pairs.len()).map(pair).collect();
    counts.par_sort_unstable();
    watch.check()?;
    counts.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if same { next.2 } else { 0 };
        same
    });
    let values = counts.chunk_by(|a, b| a.0 == b.0).count() as u64;
    let table = Contingency::new(&counts).without_rare(asked.rare);
    let targets: Vec<u64> = table.targets().values().copied().collect();
    let counted = table.values().len() as u64;
    let random = random::mean(&targets, counted, (asked.runs, asked.seed, stream), watch)?;
    let mutual = table.mutual();
    // A column of one value carries exactly 0 bits, and so does a random one.
    let ratio = (random > 0.0).then(|| mutual / random);
    let keep = ratio.map_or(mutual > 0.0, |ratio| ratio >= asked.threshold);
    let rows = table.rows();
    let (column, level, levels) = (String::new(), 0, 0);
    Ok(Column { column, level, levels, values, counted, rows, mutual, random, ratio, keep })
}

#[cfg(test)]
mod tests;
