//! The input of a risk assessment: a grouped table, and the facts about its population.
//!
//! A table is read with additional columns if they mark suppressed rows or the number of people
//! that a row represents; [`Table::parted`] folds them away. Costs one step per combination.

use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::hierarchy::TOP;
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;

/// The distinct combinations of some columns.
pub struct Table {
    /// The columns.
    pub names: Vec<String>,
    /// Their values.
    pub dictionaries: Vec<Dictionary>,
    /// The combinations, in codes of the dictionaries.
    pub tuples: Tuples,
    /// Rows that are not among the combinations because they were suppressed; none where it is not
    /// known whether any were.
    pub suppressed: Option<u64>,
}

/// The columns of a table that was read: the requested ones, then other quasi-identifiers, then a
/// weight.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    /// The number of requested columns.
    pub asked: usize,
    /// Whether the last one is the weight.
    pub weights: bool,
    /// How many rows with `*` in every quasi-identifier were suppressed at the most, where that is
    /// known.
    pub starred: Option<u64>,
}

/// The facts about the population.
#[derive(Debug, Clone, Default)]
pub enum Population {
    /// Nothing.
    #[default]
    Unknown,
    /// How many people it has.
    Size(u64),
    /// Which part of it the table is.
    Fraction(f64),
    /// How many people each row stands for.
    Weights(Weights),
    /// All of it.
    Table(People),
}

impl Population {
    /// The option that gives it.
    pub(super) fn key(&self) -> &'static str {
        match self {
            Population::Unknown | Population::Size(_) | Population::Table(_) => "--population",
            Population::Fraction(_) => "--fraction",
            Population::Weights(_) => "--weights",
        }
    }
}

/// A population that rows stand for.
#[derive(Debug, Clone)]
pub struct Weights {
    /// People that the rows of each combination stand for.
    pub(super) of_tuple: Vec<f64>,
    /// People that all rows stand for, those too that are in no combination.
    pub(super) all: f64,
}

/// A population whose table is at hand.
#[derive(Debug, Clone)]
pub struct People {
    /// People indistinguishable from each combination of the sample.
    pub(super) of_tuple: Vec<u64>,
    /// Everybody.
    pub(super) all: u64,
    /// Those who are the only ones with their combination.
    pub(super) unique: u64,
}

/// The requested columns, and the option or file that requests them.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// What asks for them.
    pub by: &'a str,
    /// Their names.
    pub columns: &'a [String],
}

/// Refuses names that are not columns of the table, none, and names given twice.
///
/// # Errors
/// All such names, each with the nearest column.
pub fn check_names(named: &[Named<'_>], columns: &[String]) -> Result<()> {
    let mut faults = Vec::new();
    let mut seen: Vec<&String> = Vec::new();
    for (by, name) in named.iter().flat_map(|n| n.columns.iter().map(|name| (n.by, name))) {
        if seen.contains(&name) {
            let fault =
                fault!(Input, "arguments.column-twice", "`{column}` is named twice", column = name).key(by);
            faults.push(fault.help("name every column once"));
        } else if !columns.contains(name) {
            let near = nearest(name, columns.iter().map(String::as_str));
            let help = near.map_or_else(|| listed(columns), |near| format!("did you mean `{near}`?"));
            faults.push(
                fault!(Input, "arguments.no-such-column", "there is no column `{column}`", column = name)
                    .key(by)
                    .help(help),
            );
        }
        seen.push(name);
    }
    if seen.is_empty() {
        faults.push(
            fault!(Input, "arguments.no-column", "no column is named").key("--qi").help(listed(columns)),
        );
    }
    Error::check(faults)
}

fn listed(columns: &[String]) -> String {
    format!("the columns are {}", columns.join(", "))
}

impl Table {
    /// A table without information about suppressed rows.
    pub fn new(names: Vec<String>, dictionaries: Vec<Dictionary>, tuples: Tuples) -> Self {
        Table { names, dictionaries, tuples, suppressed: None }
    }

    /// The requested columns, without suppressed rows, and the weights if there are any.
    ///
    /// # Errors
    /// A weight that is missing, no number, or below 0.
    pub fn parted(self, parts: Parts) -> Result<(Table, Option<Population>)> {
        let quasi = self.names.len() - usize::from(parts.weights);
        let weights = match parts.weights {
            true => Some(self.weights()?),
            false => None,
        };
        let most = parts.starred.unwrap_or(0);
        let stars = if most > 0 { self.stars(quasi) } else { None };
        let mut kept = Tuples::new(parts.asked);
        let (mut of_tuple, mut all, mut suppressed) = (Vec::new(), 0.0, 0);
        for at in 0..self.tuples.len() {
            let (row, mut count) = self.tuples.get(at);
            let weight = weights.as_ref().map_or(0.0, |w| w[row[quasi] as usize]);
            all += weight * f64::from(count);
            if stars.as_ref().is_some_and(|stars| stars[..] == row[..quasi]) {
                // Rows that were generalized to the very top look the same; what is not claimed to
                // be suppressed is a class.
                let starred = u32::try_from(most - suppressed).unwrap_or(u32::MAX).min(count);
                suppressed += u64::from(starred);
                count -= starred;
            }
            if count == 0 {
                continue;
            }
            let people = weight * f64::from(count);
            let to = kept.insert(&row[..parts.asked], count) as usize;
            match of_tuple.get_mut(to) {
                Some(sum) => *sum += people,
                None => of_tuple.push(people),
            }
        }
        let Table { mut names, mut dictionaries, .. } = self;
        names.truncate(parts.asked);
        dictionaries.truncate(parts.asked);
        let suppressed = parts.starred.map(|_| suppressed);
        let population = parts.weights.then_some(Population::Weights(Weights { of_tuple, all }));
        Ok((Table { names, dictionaries, tuples: kept, suppressed }, population))
    }

    /// Code → weight, of the last column.
    fn weights(&self) -> Result<Vec<f64>> {
        let (Some(column), Some(values)) = (self.names.last(), self.dictionaries.last()) else {
            return Err(Fault::bug("a table of no columns has no weights").into());
        };
        (0..values.len() as u32).map(|code| weight(column, values.value(code))).collect()
    }

    /// The combination of `*` in this many columns; none if no row has it, or if all rows have it,
    /// which is not suppression but the most general release.
    pub(super) fn stars(&self, columns: usize) -> Option<Vec<Code>> {
        let star = |dictionary: &Dictionary| dictionary.get(Some(TOP));
        let stars: Vec<Code> = self.dictionaries.iter().take(columns).map(star).collect::<Option<_>>()?;
        let starred = |at: usize| (0..columns).all(|c| self.tuples.code(at, c) == stars[c]);
        let mixed = columns > 0 && (0..self.tuples.len()).any(|at| !starred(at));
        mixed.then_some(stars)
    }
}

fn weight(column: &str, cell: Option<&str>) -> Result<f64> {
    let help = "--weights takes numbers from 0: how many people of the population a row stands for";
    let fault = |fault: Fault| fault.column(column).help(help).into();
    let Some(cell) = cell else {
        return Err(fault(fault!(Data, "risk.missing-weight", "a weight is missing")));
    };
    match cell.trim().parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        _ => Err(fault(fault!(Data, "risk.not-a-weight", "`{value}` is not a weight", value = cell))),
    }
}
