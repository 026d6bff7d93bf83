//! A released table with its open cells filled several times: multiple imputation within the bounds
//! of the cells [Rubin 1987].
//!
//! Numbers and dates are drawn from the distribution that makes the cells of their column most
//! likely (EM) [Turnbull 1976], within the cell; categories among those that a cell covers, by the
//! shares that EM finds for the column [Dempster 1977]. A filled cell is always one that the
//! original could have. Columns are drawn one by one: imputations keep what every column says, and
//! weaken associations between columns in which cells are open. Every column and imputation has its
//! own stream of random numbers. Costs one pass over the table, and one per imputation.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;
use serde::Serialize;
use throng_terms::cell::{Cell, number};
use throng_terms::error::Result;
use throng_terms::fault;
use throng_terms::rows::{Batch, Rows};
use throng_terms::table::Dictionary;
use throng_terms::table::delimited::write_cell;
use throng_terms::watch::{Stage, Watch};

use crate::cells::{Reader, Scale};
use crate::data::{Intervals, Span};
use crate::estimates::{Distribution, Pooled, pooled};
use crate::periods::date;

/// The column in front, and the one behind: which imputation a row is of, and which cells it
/// filled.
pub const ADDED: [&str; 2] = ["imputation", "imputed"];
/// Steps of EM for categories, and the change at which they end.
const STEPS: usize = 500;
const SETTLED: f64 = 1e-10;
/// Categories whose shares are pooled and listed.
const LISTED: usize = 20;

/// What is imputed.
#[derive(Debug, Clone, Default)]
pub struct Imputing {
    /// How often every row is written.
    pub imputations: usize,
    /// The seed.
    pub seed: u64,
    /// Columns whose released cells need not be true, and why: they are written as they are.
    pub untrue: BTreeMap<String, &'static str>,
}

/// What was filled in a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilledColumn {
    /// Its name.
    pub column: String,
    /// Cells that were filled in each imputation.
    pub filled: u64,
    /// Cells that stay open, because nothing is known of the column.
    pub open: u64,
    /// Whether the mean is in days since 1970-01-01.
    pub days: bool,
    /// `mean`, or the share of every category, pooled over imputations.
    pub pooled: BTreeMap<String, Pooled>,
}

/// What was filled in a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Filled {
    /// Rows of the release.
    pub rows: u64,
    /// How often each was written.
    pub imputations: usize,
    /// Columns with open cells.
    pub columns: Vec<FilledColumn>,
    /// Rows without an open cell.
    pub complete_rows: u64,
    /// Whether an analysis of the complete rows alone is advisable.
    pub advice: &'static str,
}

/// What a text can be.
#[derive(Debug, Clone)]
enum Draw {
    /// Itself.
    Keep,
    /// A number between two bounds.
    Within(f64, f64),
    /// One of some values, each with the sum of chances up to it.
    Among(Vec<(String, f64)>),
    /// Nothing is known.
    Open,
}

/// How the cells of a column are filled.
struct Filling {
    draws: FxHashMap<String, Draw>,
    numbers: Option<Numbers>,
    filled: u64,
    open: u64,
}

struct Numbers {
    distribution: Distribution,
    sums: Vec<f64>,
    dates: bool,
    whole: bool,
}

impl Filling {
    fn is_open(&self, text: &str) -> bool {
        !matches!(self.draws.get(text), None | Some(Draw::Keep))
    }

    /// A value for a text, and whether it was drawn.
    fn fill(&self, text: &str, random: &mut ChaCha8Rng) -> (String, bool) {
        match (self.draws.get(text), &self.numbers) {
            (Some(Draw::Among(values)), _) => {
                let at: f64 = random.random();
                let place = values.partition_point(|(_, upto)| *upto < at).min(values.len() - 1);
                (values[place].0.clone(), true)
            }
            (Some(Draw::Within(low, high)), Some(numbers)) => (numbers.draw(*low, *high, random), true),
            _ => (text.to_owned(), false),
        }
    }
}

impl Numbers {
    fn draw(&self, low: f64, high: f64, random: &mut ChaCha8Rng) -> String {
        let x = self.distribution.draw(&self.sums, low, high, random.random());
        let whole = || x.round().max(low.ceil()).min(high.floor());
        match (self.dates, self.whole) {
            (true, _) => date(whole()),
            (false, true) => whole().to_string(),
            (false, false) => x.to_string(),
        }
    }
}

/// Fills the open cells of a release; hands every line of a CSV file to `write`. `reader` and
/// `covered` say what is known of a column and of its labels.
///
/// # Errors
/// What cannot be read or written; a column that is named as those that are added.
pub fn impute_table(
    rows: &dyn Rows,
    asked: &Imputing,
    (reader, covered): (Readers<'_>, Covered<'_>),
    watch: &Watch,
    write: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Filled> {
    let names = rows.columns();
    if let Some(name) = names.iter().find(|name| ADDED.contains(&name.as_str())) {
        return Err(fault!(
            Input,
            "statistics.imputed-name",
            "the release has a column `{column}`, which imputations add",
            column = name
        )
        .help("rename the column")
        .into());
    }
    let places: Vec<usize> = (0..names.len()).collect();
    let dictionaries = counted(rows, &places, watch)?;
    let mut fillings = Vec::new();
    for (name, values) in names.iter().zip(&dictionaries) {
        let known = !asked.untrue.contains_key(name);
        fillings.push(if known { filling(name, values, (reader, covered))? } else { kept() });
    }
    write(&header(names))?;
    let mut tallies: Vec<Vec<Tally>> = Vec::new();
    let mut complete = 0;
    for imputation in 0..asked.imputations {
        let mut pass = Pass::new(&fillings, asked.seed, imputation);
        rows.read(&places, watch, &mut |batch| {
            pass.add(batch, names, write)?;
            watch.done(Stage::Writing, pass.rows, None)
        })?;
        complete = pass.complete;
        tallies.push(pass.tallies);
    }
    Ok(filled(names, &fillings, &dictionaries, (&tallies, complete)))
}

/// What is known of a column.
pub type Readers<'a> = &'a dyn Fn(&str) -> Result<Reader>;
/// The values under a label of a column.
pub type Covered<'a> = &'a dyn Fn(&str, &str) -> Option<Vec<String>>;

fn counted(rows: &dyn Rows, places: &[usize], watch: &Watch) -> Result<Vec<Dictionary>> {
    let mut dictionaries = vec![Dictionary::new(); places.len()];
    let mut read = 0;
    rows.read(places, watch, &mut |batch| {
        for (column, values) in dictionaries.iter_mut().enumerate() {
            batch.each(column, &mut |cell| {
                values.add(cell, 1);
            });
        }
        read += batch.rows() as u64;
        watch.done(Stage::Reading, read, None)
    })?;
    Ok(dictionaries)
}

fn kept() -> Filling {
    Filling { draws: FxHashMap::default(), numbers: None, filled: 0, open: 0 }
}

fn filling(
    name: &str,
    values: &Dictionary,
    (readers, covered): (Readers<'_>, Covered<'_>),
) -> Result<Filling> {
    let mut reader = readers(name)?;
    let mut filling = match numbers(values, &mut reader, &|label| covered(name, label)) {
        Some(filling) => filling,
        None => categories(values, &|label| covered(name, label)),
    };
    for (text, rows) in values.present() {
        match filling.draws.get(text) {
            Some(Draw::Open) => filling.open += rows,
            Some(Draw::Within(..) | Draw::Among(_)) => filling.filled += rows,
            Some(Draw::Keep) | None => {}
        }
    }
    Ok(filling)
}

/// A column of numbers or dates; none where a text is neither.
fn numbers(
    values: &Dictionary,
    reader: &mut Reader,
    covered: &dyn Fn(&str) -> Option<Vec<String>>,
) -> Option<Filling> {
    let mut texts: Vec<(&str, u64)> = values.present().collect();
    texts.sort_unstable();
    let mut spans: Vec<(&str, u64, Span)> = Vec::new();
    for (text, rows) in texts {
        let digits = text.trim_start_matches('-');
        let code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        let span = reader.read(text).ok().filter(|_| !code)?;
        spans.push((text, rows, span));
    }
    let dates = reader.scale()? == Scale::Dates;
    let whole = spans.iter().all(|(_, _, span)| span.low != span.high || span.low.fract() == 0.0);
    let mut data = Intervals::default();
    for (_, rows, span) in &spans {
        data.push_weighted(*span, *rows as f64).ok()?;
    }
    let distribution = Distribution::new(&data)?;
    let sums = distribution.sums();
    let mut draws = FxHashMap::default();
    for (text, _, span) in spans {
        let (low, high) = inside(text, span, whole && !dates);
        draws.insert(
            text.to_owned(),
            match (span.low == span.high, span.gaps) {
                (true, _) => Draw::Keep,
                (false, true) => among_evenly(text, covered).unwrap_or(Draw::Within(low, high)),
                (false, false) if low == high => Draw::Among(vec![(low.to_string(), 1.0)]),
                (false, false) => match distribution.cut(low, high) {
                    Some((low, high)) => Draw::Within(low, high),
                    None => Draw::Open,
                },
            },
        );
    }
    Some(Filling { draws, numbers: Some(Numbers { distribution, sums, dates, whole }), filled: 0, open: 0 })
}

/// The bounds that values can reach: those that an interval excludes are not.
fn inside(text: &str, span: Span, whole: bool) -> (f64, f64) {
    let Cell::Interval(interval) = Cell::parse(text) else { return (span.low, span.high) };
    let (mut low, mut high) = (span.low, span.high);
    if low == interval.low && !interval.from_low {
        low = if whole && low.fract() == 0.0 { low + 1.0 } else { low.next_up() };
    }
    if high == interval.high && !interval.to_high {
        high = if whole && high.fract() == 0.0 { high - 1.0 } else { high.next_down() };
    }
    if low <= high { (low, high) } else { (span.low, span.high) }
}

/// The numbers of a set or of a label, all alike.
fn among_evenly(text: &str, covered: &dyn Fn(&str) -> Option<Vec<String>>) -> Option<Draw> {
    let values = match Cell::parse(text) {
        Cell::Set(values) => values,
        _ => covered(text)?.into_iter().filter(|value| number(value).is_some()).collect(),
    };
    let one = 1.0 / values.len().max(1) as f64;
    let upto = values.into_iter().enumerate().map(|(at, value)| (value, (at + 1) as f64 * one));
    Some(upto.collect::<Vec<_>>()).filter(|values| !values.is_empty()).map(Draw::Among)
}

/// A column of categories: those that are shown anywhere, with the shares that EM finds.
fn categories(values: &Dictionary, covered: &dyn Fn(&str) -> Option<Vec<String>>) -> Filling {
    // What a text shows by itself; none of `*` and of a mask, which is one of the values shown.
    let cell = |text: &str| match (text, covered(text), Cell::parse(text)) {
        ("*", ..) | (_, None, Cell::Masked(_)) => None,
        (_, Some(values), _) | (_, None, Cell::Set(values)) => Some(values),
        _ => Some(vec![text.to_owned()]),
    };
    let mut texts: Vec<(&str, f64, Option<Vec<String>>)> =
        values.present().map(|(text, rows)| (text, rows as f64, cell(text))).collect();
    texts.sort_by(|a, b| a.0.cmp(b.0));
    let mut known: Vec<String> = texts.iter().filter_map(|(_, _, of)| of.clone()).flatten().collect();
    known.sort_unstable();
    known.dedup();
    let place = |value: &String| known.binary_search(value).unwrap_or_default();
    let places = |text: &str, of: &Option<Vec<String>>| -> Vec<usize> {
        match of {
            Some(of) => of.iter().map(place).collect(),
            None => {
                let cell = Cell::parse(text);
                (0..known.len()).filter(|&at| cell.covers(&known[at])).collect()
            }
        }
    };
    let cells: Vec<(f64, Vec<usize>)> =
        texts.iter().map(|(text, rows, of)| (*rows, places(text, of))).collect();
    let shares = shares(&cells, known.len());
    let mut draws = FxHashMap::default();
    for ((text, _, _), (_, of)) in texts.iter().zip(&cells) {
        let inside: f64 = of.iter().map(|&at| shares[at]).sum();
        let mut upto = 0.0;
        let among = of.iter().map(|&at| {
            upto += if inside > 0.0 { shares[at] / inside } else { 1.0 / of.len() as f64 };
            (known[at].clone(), upto)
        });
        let among: Vec<(String, f64)> = among.collect();
        draws.insert(
            (*text).to_owned(),
            match &among[..] {
                [] => Draw::Open,
                [(only, _)] if only == text => Draw::Keep,
                _ => Draw::Among(among),
            },
        );
    }
    Filling { draws, numbers: None, filled: 0, open: 0 }
}

/// The shares of categories that make cells most likely, where a cell may be one of several.
fn shares(cells: &[(f64, Vec<usize>)], of: usize) -> Vec<f64> {
    let all: f64 = cells.iter().filter(|(_, may)| !may.is_empty()).map(|(rows, _)| rows).sum();
    let mut shares = vec![1.0 / of.max(1) as f64; of];
    for _ in 0..STEPS {
        let mut next = vec![0.0; of];
        for (rows, may) in cells {
            let inside: f64 = may.iter().map(|&at| shares[at]).sum();
            may.iter().for_each(|&at| next[at] += rows / all * shares[at] / inside);
        }
        let change: f64 = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).sum();
        shares = next;
        if change < SETTLED {
            break;
        }
    }
    shares
}

fn header(names: &[String]) -> String {
    let mut line = ADDED[0].to_owned();
    for name in names.iter().map(String::as_str).chain([ADDED[1]]) {
        line.push(',');
        write_cell(&mut line, name, &[',']);
    }
    line + "\n"
}

/// What is added up over the rows of an imputation, for a column.
#[derive(Debug, Clone, Default)]
struct Tally {
    rows: f64,
    sum: f64,
    squares: f64,
    counts: FxHashMap<String, f64>,
}

/// One imputation.
struct Pass<'a> {
    fillings: &'a [Filling],
    imputation: usize,
    random: Vec<ChaCha8Rng>,
    tallies: Vec<Tally>,
    rows: u64,
    complete: u64,
}

impl<'a> Pass<'a> {
    fn new(fillings: &'a [Filling], seed: u64, imputation: usize) -> Self {
        let stream = |column: usize| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream((imputation * fillings.len() + column) as u64);
            random
        };
        let random = (0..fillings.len()).map(stream).collect();
        let tallies = vec![Tally::default(); fillings.len()];
        Pass { fillings, imputation, random, tallies, rows: 0, complete: 0 }
    }

    fn add(
        &mut self,
        batch: &dyn Batch,
        names: &[String],
        write: &mut dyn FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let mut lines = vec![(self.imputation + 1).to_string(); batch.rows()];
        let mut marks: Vec<String> = vec![String::new(); batch.rows()];
        let mut open = vec![false; batch.rows()];
        for (column, filling) in self.fillings.iter().enumerate() {
            let (random, tally) = (&mut self.random[column], &mut self.tallies[column]);
            let mut at = 0;
            batch.each(column, &mut |cell| {
                lines[at].push(',');
                if let Some(text) = cell {
                    let (value, drawn) = filling.fill(text, random);
                    tally.add(&value, filling);
                    write_cell(&mut lines[at], &value, &[',']);
                    open[at] |= filling.is_open(text);
                    if drawn {
                        let mark = &mut marks[at];
                        if !mark.is_empty() {
                            mark.push(';');
                        }
                        mark.push_str(&names[column]);
                    }
                }
                at += 1;
            });
        }
        self.rows += batch.rows() as u64;
        self.complete += open.iter().filter(|open| !**open).count() as u64;
        let mut text = String::new();
        for (line, mark) in lines.iter().zip(&marks) {
            text += line;
            text.push(',');
            write_cell(&mut text, mark, &[',']);
            text.push('\n');
        }
        write(&text)
    }
}

impl Tally {
    fn add(&mut self, value: &str, filling: &Filling) {
        // Only columns with open cells are pooled.
        if filling.filled == 0 {
            return;
        }
        self.rows += 1.0;
        match &filling.numbers {
            Some(_) => {
                let x = crate::cells::value(value).unwrap_or(0.0);
                self.sum += x;
                self.squares += x * x;
            }
            None => *self.counts.entry(value.to_owned()).or_default() += 1.0,
        }
    }
}

fn filled(
    names: &[String],
    fillings: &[Filling],
    dictionaries: &[Dictionary],
    (tallies, complete): (&[Vec<Tally>], u64),
) -> Filled {
    let rows = dictionaries.first().map_or(0, |d| (0..d.len() as u32).map(|code| d.count(code)).sum());
    let column = |at: usize| {
        let of: Vec<&Tally> = tallies.iter().map(|all| &all[at]).collect();
        let Filling { filled, open, numbers, .. } = &fillings[at];
        let pooled = match numbers {
            Some(_) => pooled_mean(&of).map(|mean| ("mean".to_owned(), mean)).into_iter().collect(),
            None => pooled_shares(&of),
        };
        let days = numbers.as_ref().is_some_and(|numbers| numbers.dates);
        FilledColumn { column: names[at].clone(), filled: *filled, open: *open, days, pooled }
    };
    let with_open = (0..names.len()).filter(|&at| fillings[at].filled + fillings[at].open > 0);
    Filled {
        rows,
        imputations: tallies.len(),
        columns: with_open.map(column).collect(),
        complete_rows: complete,
        advice: advice(complete, rows),
    }
}

fn pooled_mean(tallies: &[&Tally]) -> Option<Pooled> {
    let of = |tally: &&Tally| {
        let mean = tally.sum / tally.rows;
        let variance = (tally.squares / tally.rows - mean * mean).max(0.0);
        (mean, variance / (tally.rows - 1.0).max(1.0))
    };
    pooled(&tallies.iter().filter(|tally| tally.rows > 1.0).map(of).collect::<Vec<_>>())
}

fn pooled_shares(tallies: &[&Tally]) -> BTreeMap<String, Pooled> {
    let mut values: Vec<(&String, f64)> =
        tallies.first().map_or(Vec::new(), |tally| tally.counts.iter().map(|(v, n)| (v, *n)).collect());
    values.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let mut all = BTreeMap::new();
    for (value, _) in values.into_iter().take(LISTED) {
        let of = |tally: &&Tally| {
            let share = tally.counts.get(value).copied().unwrap_or(0.0) / tally.rows;
            (share, share * (1.0 - share) / tally.rows)
        };
        if let Some(found) = pooled(&tallies.iter().map(of).collect::<Vec<_>>()) {
            all.insert(value.clone(), found);
        }
    }
    all
}

/// Whether to analyse complete rows alone.
fn advice(complete: u64, rows: u64) -> &'static str {
    match (complete, rows) {
        (complete, rows) if complete == rows => "every row is complete: no cell had to be filled",
        (complete, rows) if complete * 20 >= rows * 19 => {
            "complete rows are nearly all: an analysis of them alone loses little, but rows with open cells are rarer \
             combinations and not a random part"
        }
        _ => {
            "do not analyse complete rows alone: rows with open cells are rarer combinations, and without them results \
             describe the frequent ones; use the bounds, or the imputations with pooled estimates"
        }
    }
}

#[cfg(test)]
#[path = "imputation_tests.rs"]
mod tests;
