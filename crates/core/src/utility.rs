//! How narrowly a release bounds statistics of the original: what a policy limits by
//! `privacy.utility`, and what the loss `width` measures [Xiang 2014, 3].
//!
//! A released cell is an interval, a set, a mask or a label; a suppressed cell or row can be any
//! value of the column's domain, which is `columns.NAME.domain` or the values of a listed
//! hierarchy. The original has to be within the domain and without missing cells, so that nothing
//! else can be behind a cell. All bounds follow from released cells, their counts and the policy.
//!
//! **Monotone.** A wider cell only widens the bounds of a mean, a quantile, a variance or a standard
//! deviation: each bound is a least or a greatest value over a larger set of originals, or for the
//! greatest variance the minimum over c of larger sums. So a level at which the bounds are too wide
//! with all rows released is too wide at every node with that level, if a suppressed row is at
//! least as wide as any cell: such levels are cut off before the search
//! ([`Utility::highest_levels`]), whatever the strategy. Covariances and correlations are judged
//! node by node.
//!
//! ```
//! use throng::memory::{Table, release};
//! use throng::watch::Watch;
//!
//! let policy = r#"
//!     version = 1
//!     input.path = "people"
//!     columns.age = { role = "quasi", hierarchy = { intervals = { widths = [5, 10, 20] } } }
//!     columns.sex = { role = "quasi" }
//!     privacy = { k = 2, utility = [{ statistic = "mean", column = "age", width = 5 }] }
//!     search = { algorithm = "auto", loss = "lm" }
//! "#;
//! let people = ["31,f", "32,f", "38,m", "36,m", "51,f", "53,m"];
//! let row = |line: &&str| line.split(',').map(|cell| Some(cell.to_owned())).collect();
//! let table = Table::new(["age", "sex"].map(String::from).to_vec(), people.iter().map(row).collect())?;
//!
//! let no_files = |path: &str| unreachable!("the policy names no file, not {path}");
//! let released = release(policy, &table, &no_files, &Watch::none())?;
//! let mean = &released.certificate.release.utility["mean of age"];
//! assert!(mean.holds && mean.achieved <= Some(5.0 + 1e-9));
//! assert!(mean.low <= Some(241.0 / 6.0) && mean.high >= Some(241.0 / 6.0));
//! assert!(released.verdict.claims["utility: mean of age within 5"].holds);
//! # Ok::<(), throng::error::Error>(())
//! ```
//!
//! Costs one pass over the values of a level for a statistic of one column, and one over the
//! classes for a statistic of two; rows do not matter.

use rustc_hash::FxHashMap;
use throng_statistics::cells::{Reader, Scale};
use throng_statistics::{Bounds, Counted, CountedPairs, Span};

use crate::cell::number;
use crate::classes::{Classes, Flags, View};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::{Hierarchy, Spec};
use crate::policy::{Policy, StatisticSpec};
use crate::recoded::Recoded;
use crate::registry::StatisticKind;
use crate::release::UtilityClaim;
use crate::table::Code;

/// The statistics of a policy, ready to be bounded.
#[derive(Debug)]
pub struct Utility {
    columns: Vec<Numbers>,
    limits: Vec<Asked>,
    widths: Vec<Asked>,
    by_node: bool,
}

/// A statistic, with its columns by their places among [`Utility::columns`].
#[derive(Debug, Clone)]
struct Asked {
    spec: StatisticSpec,
    column: usize,
    with: Option<usize>,
}

/// A column of numbers.
#[derive(Debug)]
struct Numbers {
    /// Its place among the quasi-identifiers.
    column: usize,
    reader: Reader,
    /// Level → code → what the cell can be.
    spans: Vec<Vec<Span>>,
    /// Level → code → rows.
    rows: Vec<Vec<u64>>,
    /// Whether a suppressed cell is at least as wide as any other.
    widest: bool,
}

/// A statistic and its bounds.
#[derive(Debug, Clone)]
pub struct Bounded {
    /// The statistic.
    pub spec: StatisticSpec,
    /// Its bounds.
    pub bounds: Bounds,
}

/// What rounding may add to a width: of the width that is required, and of the bounds.
const ROUNDING: (f64, f64) = (1e-9, 1e-12);

impl Bounded {
    /// Whether the bounds are at most as wide as required, up to rounding.
    pub fn holds(&self) -> bool {
        let Bounds { low, high, .. } = self.bounds;
        let slack = ROUNDING.0 * self.spec.limit() + ROUNDING.1 * low.abs().max(high.abs());
        self.bounds.is_finite() && self.bounds.width() <= self.spec.limit() + slack
    }

    /// What a certificate states of it.
    pub fn claim(&self) -> UtilityClaim {
        let Bounds { low, high, .. } = self.bounds;
        let finite = |x: f64| x.is_finite().then_some(x);
        UtilityClaim {
            required: self.spec.limit(),
            achieved: finite(self.bounds.width()),
            holds: self.holds(),
            low: finite(low),
            high: finite(high),
        }
    }

    /// By how much it misses: `mean of age: bounds of width 7.25, 5 is required (2.25 too wide)`.
    pub fn miss(&self) -> String {
        let (name, limit) = (self.spec.name(), self.spec.limit());
        if !self.bounds.is_finite() {
            return format!(
                "{name}: no bound follows from suppressed cells without a domain, {limit} is required"
            );
        }
        let width = self.bounds.width();
        format!(
            "{name}: bounds of width {}, {limit} is required ({} too wide)",
            short(width),
            short(width - limit)
        )
    }
}

/// A number with four significant digits.
pub fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return x.to_string();
    }
    let digits = (3 - x.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{x:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

impl Utility {
    /// The statistics of a policy; none where it has none.
    ///
    /// # Errors
    /// Columns that do not hold numbers, with missing cells, or with values outside their domain.
    pub fn new(
        policy: &Policy,
        names: &[String],
        hierarchies: &[Hierarchy],
        classes: &Classes,
    ) -> Result<Option<Self>> {
        let bounded = policy.bounded_columns();
        if bounded.is_empty() {
            return Ok(None);
        }
        let (mut columns, mut faults) = (Vec::new(), Vec::new());
        let of_loss: Vec<&str> =
            policy.width_loss().unwrap_or_default().iter().flat_map(StatisticSpec::columns).collect();
        for (column, name) in names.iter().enumerate().filter(|(_, name)| bounded.contains(name.as_str())) {
            match Numbers::new(policy, (column, name), &hierarchies[column], classes) {
                Ok(numbers) => {
                    if of_loss.contains(&name.as_str()) && !numbers.domain().0.is_finite() {
                        faults.push(no_domain(name));
                    }
                    columns.push(numbers);
                }
                Err(fault) => faults.push(*fault),
            }
        }
        Error::check(faults)?;
        let place = |name: &str| columns.iter().position(|numbers| names[numbers.column] == name);
        let asked = |spec: &StatisticSpec| {
            let missing = || Error::from(Fault::bug("a column of a statistic is not a quasi-identifier"));
            let with = spec.with.as_deref().map(|name| place(name).ok_or_else(missing)).transpose()?;
            Ok(Asked { column: place(&spec.column).ok_or_else(missing)?, with, spec: spec.clone() })
        };
        let all = |specs: &[StatisticSpec]| specs.iter().map(asked).collect::<Result<Vec<_>>>();
        Ok(Some(Utility {
            limits: all(&policy.privacy.utility)?,
            widths: all(policy.width_loss().unwrap_or_default())?,
            // Rounds, and cells that are starred to keep a row, change what the node itself leaves.
            by_node: policy.output.suppressed != crate::policy::Suppressed::Cells,
            columns,
        }))
    }

    /// Whether widths are limited, and not only measured by the loss.
    pub fn limits(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Whether the loss is made of widths.
    pub fn is_loss(&self) -> bool {
        !self.widths.is_empty()
    }

    /// The places of the columns among the quasi-identifiers.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().map(|numbers| numbers.column)
    }

    /// Whether all limits hold at a node. True where the node alone does not decide.
    pub fn holds_at(&self, view: &View<'_>, flags: &Flags) -> bool {
        !self.by_node || self.limits.iter().all(|asked| self.at_node(asked, view, flags).holds())
    }

    /// The loss `width` at a node.
    pub fn loss_at(&self, view: &View<'_>, flags: &Flags) -> f64 {
        let width = |asked: &Asked| self.at_node(asked, view, flags).bounds.width() / self.scale(asked);
        mean(self.widths.iter().map(width))
    }

    /// The loss `width` of what every class became.
    ///
    /// # Errors
    /// Released cells that are not numbers.
    pub fn loss_of(&self, recoded: &Recoded) -> Result<f64> {
        let spans = self.spans(recoded)?;
        let width =
            |asked: &Asked| Ok(self.of_cells(asked, recoded, &spans)?.bounds.width() / self.scale(asked));
        Ok(mean(self.widths.iter().map(width).collect::<Result<Vec<_>>>()?.into_iter()))
    }

    /// Statistic of the loss → column and level → at least the width, divided by what widths are
    /// divided by, at every node with that level or a higher one.
    pub(crate) fn floors(&self, suppresses: bool) -> Vec<(usize, Vec<f64>)> {
        let floor = |asked: &Asked| {
            let numbers = &self.columns[asked.column];
            let levels = 0..numbers.rows.len();
            if asked.with.is_some() || suppresses && !numbers.widest {
                return (numbers.column, vec![0.0; levels.len()]);
            }
            let width = |level| self.plain(asked, level).bounds.width() / self.scale(asked);
            let mut widths: Vec<f64> = levels.map(width).collect();
            for level in (1..widths.len()).rev() {
                widths[level - 1] = widths[level - 1].min(widths[level]);
            }
            (numbers.column, widths)
        };
        self.widths.iter().map(floor).collect()
    }

    /// Quasi-identifier → the highest level at which every statistic of that column alone is within
    /// its limit while no row is suppressed; 0 where none is. Higher levels cannot be released,
    /// unless suppressed rows are narrower than cells, in which case nothing is returned.
    pub fn highest_levels(&self, suppresses: bool) -> Vec<(usize, usize)> {
        let mut highest = Vec::new();
        for (place, numbers) in self.columns.iter().enumerate() {
            let own = || self.limits.iter().filter(|asked| asked.column == place && asked.with.is_none());
            if own().next().is_none() || suppresses && !numbers.widest {
                continue;
            }
            let fits = |level: &usize| own().all(|asked| self.plain(asked, *level).holds());
            let level = (0..numbers.rows.len()).rev().find(fits).unwrap_or(0);
            highest.push((numbers.column, level));
        }
        highest
    }

    /// The bounds of every limited statistic, from what every class became.
    ///
    /// # Errors
    /// Released cells that are not numbers.
    pub fn bounded(&self, recoded: &Recoded) -> Result<Vec<Bounded>> {
        let spans = self.spans(recoded)?;
        self.limits.iter().map(|asked| self.of_cells(asked, recoded, &spans)).collect()
    }

    /// The limited statistics of the original itself, which only its holder knows; none where a
    /// value is not a number. Costs a pass over the classes for statistics of two columns, and none
    /// for others: values were counted before.
    pub fn originals(&self, hierarchies: &[Hierarchy], classes: &Classes) -> Vec<Option<f64>> {
        let point = |place: usize, leaf: Code| {
            let x = number(hierarchies[self.columns[place].column].leaf_value(leaf)?)?;
            Some(Span::between(x, x))
        };
        let pairs = |place: usize, with: usize| {
            let (one, other) = (self.columns[place].column, self.columns[with].column);
            let mut counts: FxHashMap<(Code, Code), u64> = FxHashMap::default();
            for (class, &rows) in classes.counts().iter().enumerate() {
                *counts.entry((classes.code(class, one), classes.code(class, other))).or_default() +=
                    u64::from(rows);
            }
            let mut counts: Vec<((Code, Code), u64)> = counts.into_iter().collect();
            counts.sort_unstable();
            let pair = |((a, b), rows)| Some((point(place, a)?, point(with, b)?, rows));
            CountedPairs::new(counts.into_iter().map(pair).collect::<Option<Vec<_>>>()?).ok()
        };
        let original = |asked: &Asked| {
            let bounds = match asked.with {
                None => self.plain(asked, 0).bounds,
                Some(with) => pairs(asked.column, with)?.bounds(asked.spec.statistic),
            };
            bounds.is_finite().then(|| f64::midpoint(bounds.low, bounds.high))
        };
        self.limits.iter().map(original).collect()
    }

    /// What widths of a statistic are divided by: what the policy says, or the width if nothing but
    /// the domain is known.
    fn scale(&self, asked: &Asked) -> f64 {
        if let Some(width) = asked.spec.width.filter(|width| *width > 0.0) {
            return width;
        }
        let wide = |place: usize| {
            let (low, high) = self.columns[place].domain();
            high - low
        };
        let width = wide(asked.column);
        match asked.spec.statistic {
            StatisticKind::Variance | StatisticKind::VariancePopulation => width * width / 4.0,
            StatisticKind::Stddev => width / 2.0,
            StatisticKind::Covariance => width * asked.with.map_or(0.0, wide) / 2.0,
            StatisticKind::Correlation => 2.0,
            _ => width,
        }
    }

    /// A statistic of one column at a level, with all rows released.
    fn plain(&self, asked: &Asked, level: usize) -> Bounded {
        let numbers = &self.columns[asked.column];
        let cells = numbers.spans[level].iter().copied().zip(numbers.rows[level].iter().copied());
        let cells = cells.filter(|cell| cell.1 > 0);
        bounded(asked, Counted::new(cells).map(|cells| cells.bounds(asked.spec.statistic)))
    }

    fn at_node(&self, asked: &Asked, view: &View<'_>, flags: &Flags) -> Bounded {
        let numbers = &self.columns[asked.column];
        let level = view.node().level(numbers.column);
        let Some(with) = asked.with else {
            if flags.rows() == 0 {
                return self.plain(asked, level);
            }
            let mut rows = numbers.rows[level].clone();
            view.flagged(flags, numbers.column, |code, flagged| rows[code as usize] -= u64::from(flagged));
            let cells = numbers.spans[level].iter().copied().zip(rows);
            let cells = cells.chain([(numbers.reader.anything(), flags.rows())]);
            return bounded(asked, Counted::new(cells).map(|cells| cells.bounds(asked.spec.statistic)));
        };
        let other = &self.columns[with];
        let mut pairs: FxHashMap<(Code, Code), u64> = FxHashMap::default();
        for (class, &rows) in view.counts().iter().enumerate().filter(|(class, _)| !flags.has(*class)) {
            let pair = (view.code(class, numbers.column), view.code(class, other.column));
            *pairs.entry(pair).or_default() += u64::from(rows);
        }
        let mut pairs: Vec<((Code, Code), u64)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        let beside = view.node().level(other.column);
        let span = |((a, b), rows): ((Code, Code), u64)| {
            (numbers.spans[level][a as usize], other.spans[beside][b as usize], rows)
        };
        let hidden = (numbers.reader.anything(), other.reader.anything(), flags.rows());
        let pairs = CountedPairs::new(pairs.into_iter().map(span).chain([hidden]));
        bounded(asked, pairs.map(|pairs| pairs.bounds(asked.spec.statistic)))
    }

    /// Column → released label → what it can be.
    fn spans(&self, recoded: &Recoded) -> Result<Vec<Vec<Span>>> {
        let spans = |numbers: &Numbers| {
            let mut reader = numbers.reader.clone();
            let labels = recoded.columns()[numbers.column].labels.iter();
            let used = recoded.released_rows(numbers.column);
            let span = |(label, rows): (&Option<String>, u64)| match label {
                _ if rows == 0 => Ok(Span::between(0.0, 0.0)),
                None => Err(Fault::bug("a missing cell of a bounded column was released").into()),
                Some(label) => reader.read(label).map_err(|fault| Error::from(*fault)),
            };
            labels.zip(used).map(span).collect::<Result<Vec<_>>>()
        };
        self.columns.iter().map(spans).collect()
    }

    fn of_cells(&self, asked: &Asked, recoded: &Recoded, spans: &[Vec<Span>]) -> Result<Bounded> {
        let (numbers, hidden) = (&self.columns[asked.column], recoded.suppressed_rows());
        let Some(with) = asked.with else {
            let rows = recoded.released_rows(numbers.column);
            let cells = spans[asked.column].iter().copied().zip(rows);
            let cells = cells.filter(|cell| cell.1 > 0).chain([(numbers.reader.anything(), hidden)]);
            return Ok(bounded(asked, Ok(Counted::new(cells)?.bounds(asked.spec.statistic))));
        };
        let other = &self.columns[with];
        let labels = recoded.look_labels();
        let mut pairs: FxHashMap<(Code, Code), u64> = FxHashMap::default();
        for (at, look) in recoded.looks().iter().enumerate().filter(|(_, look)| look.released > 0) {
            *pairs.entry((labels.code(at, numbers.column), labels.code(at, other.column))).or_default() +=
                look.released;
        }
        let mut pairs: Vec<((Code, Code), u64)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        let span = |((a, b), rows): ((Code, Code), u64)| {
            (spans[asked.column][a as usize], spans[with][b as usize], rows)
        };
        let suppressed = (numbers.reader.anything(), other.reader.anything(), hidden);
        let pairs = CountedPairs::new(pairs.into_iter().map(span).chain([suppressed]))?;
        Ok(bounded(asked, Ok(pairs.bounds(asked.spec.statistic))))
    }
}

/// The bounds of a statistic; cells were checked when they were read.
fn bounded(asked: &Asked, bounds: Result<Bounds>) -> Bounded {
    let bounds = bounds.unwrap_or(Bounds {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        exact: false,
        method: "none",
        slack: None,
        reason: Some("a cell is not a number"),
    });
    Bounded { spec: asked.spec.clone(), bounds }
}

fn mean(parts: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = parts.len().max(1) as f64;
    0.0 + parts.sum::<f64>() / count
}

impl Numbers {
    fn new(
        policy: &Policy,
        (column, name): (usize, &str),
        hierarchy: &Hierarchy,
        classes: &Classes,
    ) -> Result<Self, Box<Fault>> {
        let mut reader = column_reader(policy, name, hierarchy);
        let mut leaves = vec![0u64; hierarchy.leaf_count()];
        classes.each_code(column, |class, leaf| {
            // Classes of the population alone come last and have no rows.
            leaves[leaf as usize] += classes.counts().get(class).map_or(0, |&rows| u64::from(rows));
        });
        let missing = hierarchy.missing().map_or(0, |leaf| leaves[leaf as usize]);
        if missing > 0 {
            return Err(Box::new(missing_cells(name, missing)));
        }
        let (mut spans, mut rows) = (Vec::new(), Vec::new());
        for level in 0..=hierarchy.height() {
            let mut counts = vec![0; hierarchy.size(level)];
            for (leaf, &count) in leaves.iter().enumerate() {
                counts[hierarchy.generalize(leaf as Code, level) as usize] += count;
            }
            spans.push(
                level_spans(&mut reader, hierarchy, level, &counts)
                    .map_err(|f| Box::new(not_numbers(name, &f)))?,
            );
            rows.push(counts);
        }
        if reader.scale() == Some(Scale::Dates) {
            return Err(Box::new(dates(name)));
        }
        let anything = reader.anything();
        let beyond = leaves.iter().enumerate().filter(|(_, rows)| **rows > 0).find_map(|(leaf, _)| {
            let span = spans[0][hierarchy.generalize(leaf as Code, 0) as usize];
            (span.low < anything.low || span.high > anything.high).then_some(span.low)
        });
        if let Some(value) = beyond {
            return Err(Box::new(outside(name, value, anything)));
        }
        let used = spans.iter().zip(&rows).flat_map(|(spans, rows)| spans.iter().zip(rows));
        let mut used = used.filter(|(_, rows)| **rows > 0).map(|(span, _)| span);
        let widest = used.all(|span| anything.low <= span.low && span.high <= anything.high);
        Ok(Numbers { column, reader, spans, rows, widest })
    }

    fn domain(&self) -> (f64, f64) {
        let Span { low, high, .. } = self.reader.anything();
        if high.is_finite() { (low, high) } else { (f64::NEG_INFINITY, high) }
    }
}

/// What is known of a column's cells by the policy alone, so that a recipient knows it as well.
pub fn column_reader(policy: &Policy, name: &str, hierarchy: &Hierarchy) -> Reader {
    let mut reader = Reader::new();
    let Some(column) = policy.columns.get(name) else { return reader };
    if let Some([low, high]) = column.domain {
        reader = reader.with_domain(low, high);
    }
    match &column.hierarchy {
        Some(Spec::File(_)) => reader.with_hierarchy(hierarchy),
        Some(Spec::Order(order)) if !order.values.is_empty() => reader.with_hierarchy(hierarchy),
        _ => reader,
    }
}

/// What the cells of a level can be; those that no row has may be anything.
fn level_spans(
    reader: &mut Reader,
    hierarchy: &Hierarchy,
    level: usize,
    rows: &[u64],
) -> Result<Vec<Span>, Box<Fault>> {
    let mut spans = Vec::with_capacity(rows.len());
    for (code, &rows) in rows.iter().enumerate() {
        spans.push(match hierarchy.label(level, code as Code).filter(|_| rows > 0) {
            Some(label) => reader.read(label)?,
            None => reader.anything(),
        });
    }
    Ok(spans)
}

fn not_numbers(name: &str, fault: &Fault) -> Fault {
    fault!(
        Data,
        "utility.not-numbers",
        "no statistic of the column can be bounded: {reason}",
        reason = fault.message
    )
    .column(name)
    .help("list it under input.null if it means missing, or choose another column under privacy.utility")
}

fn dates(name: &str) -> Fault {
    fault!(Data, "utility.not-numbers", "no statistic of the column can be bounded: it holds dates")
        .column(name)
        .help("choose a column of numbers under privacy.utility")
}

fn missing_cells(name: &str, rows: u64) -> Fault {
    fault!(
        Data,
        "utility.missing-cells",
        "{rows} cells are missing, so that nobody knows how many values the statistic is of",
        rows = rows
    )
    .column(name)
    .help(format!("leave such rows out with input.where = '{name} IS NOT NULL', or choose another column"))
}

fn outside(name: &str, value: f64, domain: Span) -> Fault {
    fault!(
        Data,
        "utility.outside-domain",
        "{value} is outside the domain, which is {low} to {high}",
        value = value,
        low = domain.low,
        high = domain.high
    )
    .column(name)
    .help(format!("widen columns.{name}.domain to every value that is possible, or correct the value"))
}

fn no_domain(name: &str) -> Fault {
    fault!(
        Input,
        "utility.no-domain",
        "nothing is known of a suppressed cell, so that its width has no bound"
    )
    .key(format!("columns.{name}"))
    .help(format!(
        "state the least and the greatest value that are possible: columns.{name}.domain = [0, 120]"
    ))
}
