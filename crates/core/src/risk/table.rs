//! What risk is assessed of: a grouped table, and what is known of the people that it was drawn from.

use crate::error::{Error, Fault, Result, nearest};
use crate::table::Dictionary;
use crate::tuples::Tuples;

/// The distinct combinations of some columns.
pub struct Table {
    /// The columns.
    pub names: Vec<String>,
    /// Their values.
    pub dictionaries: Vec<Dictionary>,
    /// The combinations, in codes of the dictionaries.
    pub tuples: Tuples,
}

/// What is known of the population.
#[derive(Debug, Clone, Default)]
pub enum Population {
    /// Nothing.
    #[default]
    Unknown,
    /// How many people it has.
    Size(u64),
    /// Which part of it the table is.
    Fraction(f64),
    /// How many people each combination of the table stands for.
    Weights(Vec<f64>),
    /// All of it.
    Table(People),
}

/// A population whose table is at hand.
#[derive(Debug, Clone)]
pub struct People {
    /// People of each combination of the sample.
    pub(super) of_tuple: Vec<u64>,
    /// Everybody.
    pub(super) all: u64,
    /// Those who are the only ones with their combination.
    pub(super) unique: u64,
}

/// Refuses names that are not columns of the table, none, and names given twice.
///
/// # Errors
/// All such names, each with the nearest column.
pub fn check_names(asked: &[String], columns: &[String]) -> Result<()> {
    let mut faults = Vec::new();
    if asked.is_empty() {
        faults.push(Fault::input("no column is named").key("--qi").help(listed(columns)));
    }
    for (i, name) in asked.iter().enumerate() {
        if asked[..i].contains(name) {
            let fault = Fault::input(format!("`{name}` is named twice")).key("--qi");
            faults.push(fault.help("name every column once"));
        } else if !columns.contains(name) {
            let near = nearest(name, columns.iter().map(String::as_str));
            let help = near.map_or_else(|| listed(columns), |near| format!("did you mean `{near}`?"));
            faults.push(Fault::input(format!("there is no column `{name}`")).key("--qi").help(help));
        }
    }
    Error::check(faults)
}

fn listed(columns: &[String]) -> String {
    format!("the columns are {}", columns.join(", "))
}

impl Table {
    /// A table whose last column is the weight of its rows: the table without it, and the weights of its combinations.
    ///
    /// # Errors
    /// A weight that is missing, no number, or below 0.
    pub fn weighted(self) -> Result<(Table, Population)> {
        let Table { mut names, mut dictionaries, tuples } = self;
        let (Some(column), Some(values)) = (names.pop(), dictionaries.pop()) else {
            return Err(Fault::bug("a table of no columns has no weights").into());
        };
        let weights: Vec<f64> = (0..values.len() as u32)
            .map(|code| weight(&column, values.value(code)))
            .collect::<Result<_>>()?;
        let mut plain = Tuples::new(names.len());
        let mut sums: Vec<f64> = Vec::new();
        for at in 0..tuples.len() {
            let (row, count) = tuples.get(at);
            let added = weights[row[names.len()] as usize] * f64::from(count);
            let to = plain.insert(&row[..names.len()], count) as usize;
            match sums.get_mut(to) {
                Some(sum) => *sum += added,
                None => sums.push(added),
            }
        }
        Ok((Table { names, dictionaries, tuples: plain }, Population::Weights(sums)))
    }

    /// The population of this sample, from a table of the same columns.
    ///
    /// # Errors
    /// A combination that the sample has more often than the population.
    pub fn drawn_from(&self, population: &Table) -> Result<Population> {
        let code = |column: usize, code: u32| {
            population.dictionaries[column].get(self.dictionaries[column].value(code))
        };
        let mut of_tuple = Vec::with_capacity(self.tuples.len());
        let mut short = 0u64;
        for at in 0..self.tuples.len() {
            let (row, count) = self.tuples.get(at);
            let theirs: Option<Vec<u32>> = row.iter().enumerate().map(|(c, &v)| code(c, v)).collect();
            let found = theirs.and_then(|row| population.tuples.find(&row));
            let people = found.map_or(0, |at| population.tuples.counts()[at as usize]);
            short += u64::from(people < count);
            of_tuple.push(u64::from(people));
        }
        if short > 0 {
            return Err(Fault::data(format!(
                "{short} combinations of values are in fewer rows of the population than of the table"
            ))
            .key("--population")
            .help("the population is a table that holds everybody in the sample too, written in the same way")
            .into());
        }
        let unique = population.tuples.counts().iter().filter(|&&n| n == 1).count() as u64;
        Ok(Population::Table(People { of_tuple, all: population.tuples.rows(), unique }))
    }
}

fn weight(column: &str, cell: Option<&str>) -> Result<f64> {
    let help = "a weight is a number from 0: how many people of the population the row stands for";
    let Some(cell) = cell else {
        return Err(Fault::data("a weight is missing").column(column).help(help).into());
    };
    match cell.trim().parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        _ => Err(Fault::data(format!("`{cell}` is no weight")).column(column).help(help).into()),
    }
}
