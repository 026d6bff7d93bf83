//! A released table as interval data: columns of cells, groups and weights, from one pass.
//!
//! Rows that the release left out are added as cells of the column's whole domain: they belong to
//! the original, and nothing else is known of them. Missing cells are left out and counted. Costs
//! one look-up per cell, a parse per distinct text of a batch, and 16 bytes per cell.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use throng_terms::error::{Error, Fault, Result};
use throng_terms::fault;
use throng_terms::rows::{Batch, Rows};
use throng_terms::watch::{Stage, Watch};

use crate::cells::{Reader, Scale};
use crate::data::{Intervals, Span};

/// What is read of a release.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Columns to compute statistics of; all columns of numbers and dates if none is named.
    pub columns: Vec<String>,
    /// Columns whose released cells form groups.
    pub by: Vec<String>,
    /// Column with the number of rows that a row counts as.
    pub weights: Option<String>,
    /// Rows of the original that the release left out.
    pub omitted: u64,
    /// Rows of the original; those that the release lacks were left out. Replaces `omitted`.
    pub original: Option<u64>,
    /// Whether empty cells were suppressed, so that they can be any value of the domain; otherwise
    /// they are missing in the original, too, and left out.
    pub blanks: bool,
    /// Columns whose released cells need not be true, and why: nothing follows from them.
    pub untrue: BTreeMap<String, &'static str>,
}

/// The cells of a column, a row each.
#[derive(Debug, Clone, Default)]
struct Cells {
    /// Lower bounds; not a number where the cell is missing.
    low: Vec<f64>,
    high: Vec<f64>,
    gaps: Vec<u32>,
    missing: u64,
    anything: u64,
}

impl Cells {
    fn push(&mut self, span: Option<Span>) {
        let Span { low, high, gaps } = span.unwrap_or(Span { low: f64::NAN, high: f64::NAN, gaps: false });
        if gaps {
            self.gaps.push(self.low.len() as u32);
        }
        self.missing += u64::from(span.is_none());
        self.low.push(low);
        self.high.push(high);
    }
}

/// A column of numbers or dates.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Numbers or dates.
    pub scale: Scale,
    /// Cells that are missing.
    pub missing: u64,
    /// Cells that are `*`.
    pub anything: u64,
    cells: Cells,
}

/// A release as interval data.
#[derive(Debug, Clone)]
pub struct Table {
    /// Columns of numbers and dates.
    pub columns: Vec<Column>,
    /// Columns that were left out because they are not numbers, and why.
    pub skipped: Vec<(String, &'static str)>,
    /// Released rows.
    pub rows: u64,
    /// Rows of the original that the release left out; each is a cell of the whole domain.
    pub omitted: u64,
    /// Groups, with the released cells of the columns that form them.
    pub groups: Vec<Vec<String>>,
    /// Row → group.
    group_of: Vec<u32>,
    weights: Option<Vec<f64>>,
}

/// Reads the columns of a release. `reader` says what is known of a column.
///
/// # Errors
/// Columns that are not there, cells that are not numbers in a column that was asked for, inverted
/// intervals, mixed units, negative weights, and columns that are suppressed throughout.
pub fn read(
    rows: &dyn Rows,
    request: &Request,
    reader: &dyn Fn(&str) -> Result<Reader>,
    watch: &Watch,
) -> Result<Table> {
    let there = rows.columns();
    let named: Vec<&String> = request.columns.iter().chain(&request.by).chain(&request.weights).collect();
    let absent = named.iter().filter(|name| !there.contains(name));
    Error::check(absent.map(|name| no_column(name, there)).collect())?;
    let untrue = request.columns.iter().filter_map(|name| Some(not_true(name, request.untrue.get(name)?)));
    Error::check(untrue.collect())?;
    let all =
        there.iter().filter(|name| !request.by.contains(name) && request.weights.as_ref() != Some(name));
    let asked: Vec<String> = match request.columns.is_empty() {
        true => all.filter(|name| !request.untrue.contains_key(*name)).cloned().collect(),
        false => request.columns.clone(),
    };
    let place = |name: &String| there.iter().position(|other| other == name).unwrap_or(0);
    let places: Vec<usize> = asked.iter().chain(&request.by).chain(&request.weights).map(place).collect();
    let mut reading = Reading::new(asked, request, reader)?;
    rows.read(&places, watch, &mut |batch| {
        reading.add(batch)?;
        watch.done(Stage::Reading, reading.rows, None)
    })?;
    let mut table = reading.finish(request)?;
    if request.columns.is_empty() {
        let untrue = request.untrue.iter().filter(|(name, _)| there.contains(name));
        table.skipped.extend(untrue.map(|(name, why)| (name.clone(), *why)));
    }
    Ok(table)
}

fn not_true(name: &str, why: &str) -> Fault {
    fault!(Input, "statistics.not-true", "no bound follows from this column: {why}", why = why)
        .column(name)
        .help("bounds need cells that are true of every row: intervals, sets, labels or `*`")
}

fn no_column(name: &str, there: &[String]) -> Fault {
    let near = throng_terms::error::nearest(name, there.iter().map(String::as_str));
    let fault =
        fault!(Input, "statistics.no-such-column", "the release has no column `{column}`", column = name);
    fault.help(near.map_or_else(
        || format!("its columns are {}", there.join(", ")),
        |near| format!("did you mean `{near}`?"),
    ))
}

/// A column while it is read.
struct Open {
    name: String,
    reader: Reader,
    cells: Cells,
    /// The first cell that is not a number, and how many texts are and are not.
    fault: Option<Fault>,
    texts: [u64; 2],
    /// Whether values look like codes: a zero in front.
    code: bool,
    /// Whether empty cells were suppressed.
    blanks: bool,
}

struct Reading {
    columns: Vec<Open>,
    explicit: bool,
    rows: u64,
    by: usize,
    groups: FxHashMap<Vec<String>, u32>,
    group_of: Vec<u32>,
    weights: Option<Vec<f64>>,
}

impl Reading {
    fn new(asked: Vec<String>, request: &Request, reader: &dyn Fn(&str) -> Result<Reader>) -> Result<Self> {
        let open = |name: String| {
            let reader = reader(&name)?;
            Ok(Open {
                name,
                reader,
                cells: Cells::default(),
                fault: None,
                texts: [0; 2],
                code: false,
                blanks: request.blanks,
            })
        };
        Ok(Reading {
            columns: asked.into_iter().map(open).collect::<Result<Vec<_>>>()?,
            explicit: !request.columns.is_empty(),
            rows: 0,
            by: request.by.len(),
            groups: FxHashMap::default(),
            group_of: Vec::new(),
            weights: request.weights.as_ref().map(|_| Vec::new()),
        })
    }

    fn add(&mut self, batch: &dyn Batch) -> Result<()> {
        for (place, column) in self.columns.iter_mut().enumerate() {
            column.add(batch, place, self.explicit)?;
        }
        let first = self.columns.len();
        if self.by > 0 {
            self.add_groups(batch, first);
        }
        if let Some(weights) = &mut self.weights {
            let mut fault = None;
            batch.each(first + self.by, &mut |cell| {
                let weight = throng_terms::cell::number(cell.unwrap_or_default());
                if weight.is_none_or(|weight| weight < 0.0) && fault.is_none() {
                    fault = Some(bad_weight(cell.unwrap_or_default()));
                }
                weights.push(weight.unwrap_or(0.0));
            });
            Error::check(fault.into_iter().collect())?;
        }
        self.rows += batch.rows() as u64;
        Ok(())
    }

    fn add_groups(&mut self, batch: &dyn Batch, first: usize) {
        let mut keys: Vec<Vec<String>> = vec![Vec::with_capacity(self.by); batch.rows()];
        for place in first..first + self.by {
            let mut at = 0;
            batch.each(place, &mut |cell| {
                keys[at].push(cell.unwrap_or("(missing)").to_owned());
                at += 1;
            });
        }
        for key in keys {
            let next = self.groups.len() as u32;
            self.group_of.push(*self.groups.entry(key).or_insert(next));
        }
    }

    fn finish(self, request: &Request) -> Result<Table> {
        let omitted = request.original.map_or(request.omitted, |rows| rows.saturating_sub(self.rows));
        if omitted > 0 && self.weights.is_some() {
            return Err(fault!(
                Input,
                "statistics.weights-of-suppressed",
                "{count} rows were left out of the release, and their weights are unknown",
                count = omitted
            )
            .help("leave out the weights, or describe the released rows alone with --suppressed 0")
            .into());
        }
        let (mut columns, mut skipped, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for column in self.columns {
            match column.finish(self.explicit, omitted) {
                Ok(Ok(column)) => columns.push(column),
                Ok(Err(skip)) => skipped.push(skip),
                Err(fault) => faults.push(*fault),
            }
        }
        Error::check(faults)?;
        if columns.is_empty() {
            return Err(fault!(
                Data,
                "statistics.no-column",
                "no column of the release has numbers or dates"
            )
            .help("name columns with --column to see why")
            .into());
        }
        let mut groups: Vec<(Vec<String>, u32)> = self.groups.into_iter().collect();
        groups.sort_unstable();
        let mut order = vec![0; groups.len()];
        groups.iter().enumerate().for_each(|(place, (_, code))| order[*code as usize] = place as u32);
        Ok(Table {
            columns,
            skipped,
            rows: self.rows,
            omitted,
            group_of: self.group_of.into_iter().map(|code| order[code as usize]).collect(),
            groups: groups.into_iter().map(|(key, _)| key).collect(),
            weights: self.weights,
        })
    }
}

fn bad_weight(text: &str) -> Fault {
    fault!(Data, "statistics.bad-weight", "the weight `{value}` is not a number from 0", value = text)
        .help("a weight is the number of rows that a row counts as")
}

impl Open {
    fn add(&mut self, batch: &dyn Batch, place: usize, explicit: bool) -> Result<()> {
        // A column that is text is not read any further.
        if self.fault.is_some() && !explicit && self.texts[1] > 10 * self.texts[0] + 1000 {
            return Ok(());
        }
        match batch.keyed(place) {
            Some(keyed) => {
                let mut known: Vec<Option<Option<Span>>> = vec![None; keyed.values.len()];
                for &key in keyed.keys {
                    let key = key as usize;
                    let span = match known[key] {
                        Some(span) => span,
                        None => self.span(keyed.values[key])?,
                    };
                    known[key] = Some(span);
                    self.push(keyed.values[key], span);
                }
                Ok(())
            }
            None => {
                let mut failed = Ok(());
                batch.each(place, &mut |cell| match self.span(cell) {
                    Ok(span) => self.push(cell, span),
                    Err(error) => failed = Err(error),
                });
                failed
            }
        }
    }

    fn push(&mut self, cell: Option<&str>, span: Option<Span>) {
        self.cells.anything += u64::from(cell == Some("*") || (self.blanks && cell.is_none()));
        self.cells.push(span);
    }

    /// The numbers of a cell; none if it is missing or not a number.
    fn span(&mut self, cell: Option<&str>) -> Result<Option<Span>> {
        let Some(text) = cell else {
            return Ok(self.blanks.then(|| self.reader.anything()));
        };
        let digits = text.trim_start_matches('-');
        self.code |= digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        match self.reader.read(text) {
            Ok(span) => {
                self.texts[0] += u64::from(text != "*");
                Ok(Some(span))
            }
            Err(fault) => {
                self.texts[1] += 1;
                let fault = (*fault).column(&self.name);
                // Of several faults, the one that says most about the numbers is kept.
                let says = |fault: &Fault| match fault.code {
                    "statistics.not-a-number" => 0,
                    "statistics.unit" => 1,
                    _ => 2,
                };
                if self.fault.as_ref().is_none_or(|before| says(before) < says(&fault)) {
                    self.fault = Some(fault);
                }
                Ok(None)
            }
        }
    }

    /// The column, or why it is left out, or what is wrong with it.
    fn finish(
        mut self,
        explicit: bool,
        omitted: u64,
    ) -> Result<Result<Column, (String, &'static str)>, Box<Fault>> {
        let [numbers, texts] = self.texts;
        if let Some(fault) = self.fault {
            let means_numbers = fault.code != "statistics.not-a-number" || numbers > texts;
            if explicit || means_numbers {
                return Err(Box::new(fault));
            }
            return Ok(Err((self.name, "not numbers")));
        }
        if numbers == 0 && self.reader.anything().low.is_infinite() {
            return match explicit {
                true => Err(Box::new(suppressed(&self.name))),
                false => Ok(Err((self.name, "suppressed throughout"))),
            };
        }
        if self.code && !explicit {
            return Ok(Err((self.name, "codes: values begin with 0")));
        }
        (0..omitted).for_each(|_| self.cells.push(Some(self.reader.anything())));
        Ok(Ok(Column {
            name: self.name,
            scale: self.reader.scale().unwrap_or(Scale::Numbers),
            missing: self.cells.missing,
            anything: self.cells.anything,
            cells: self.cells,
        }))
    }
}

fn suppressed(column: &str) -> Fault {
    fault!(
        Data,
        "statistics.suppressed-column",
        "every cell is suppressed, and nothing is known of the column"
    )
    .column(column)
    .help(format!("state the least and the greatest value that are possible: --domain {column}=LOW..HIGH"))
}

impl Table {
    /// The cells of a column: of all rows, or of those of a group.
    ///
    /// # Errors
    /// None that reading has not found.
    pub fn cells(&self, column: &Column, group: Option<usize>) -> Result<Intervals> {
        let mut data = Intervals::default();
        self.each_row(&[column], group, |at, weight| self.add(&mut data, column, at, weight))?;
        Ok(data)
    }

    /// The cells of several columns, in rows in which none is missing.
    ///
    /// # Errors
    /// None that reading has not found.
    pub fn together(&self, columns: &[&Column]) -> Result<Vec<Intervals>> {
        let mut all = vec![Intervals::default(); columns.len()];
        self.each_row(columns, None, |at, weight| {
            all.iter_mut().zip(columns).try_for_each(|(data, column)| self.add(data, column, at, weight))
        })?;
        Ok(all)
    }

    fn each_row(
        &self,
        columns: &[&Column],
        group: Option<usize>,
        mut each: impl FnMut(usize, f64) -> Result<()>,
    ) -> Result<()> {
        let rows = columns.iter().map(|column| column.cells.low.len()).min().unwrap_or(0);
        for at in 0..rows {
            // Rows that were left out come last and are in no group.
            let outside =
                group.is_some_and(|group| self.group_of.get(at).is_none_or(|&of| of as usize != group));
            if outside || columns.iter().any(|column| column.cells.low[at].is_nan()) {
                continue;
            }
            let weight = self.weights.as_ref().and_then(|weights| weights.get(at)).copied().unwrap_or(1.0);
            if weight > 0.0 {
                each(at, weight)?;
            }
        }
        Ok(())
    }

    fn add(&self, data: &mut Intervals, column: &Column, at: usize, weight: f64) -> Result<()> {
        let gaps = !column.cells.gaps.is_empty() && column.cells.gaps.binary_search(&(at as u32)).is_ok();
        let span = Span { low: column.cells.low[at], high: column.cells.high[at], gaps };
        match self.weights {
            None => data.push(span),
            Some(_) => data.push_weighted(span, weight),
        }
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
