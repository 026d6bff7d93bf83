//! Estimates of population uniqueness from the classes of a sample.
//!
//! A sample unique is at risk only if it is unique in the population too, and the population is
//! rarely available. Three estimators use the number of sample classes of each size: Pitman
//! [Hoshino 2001], Zayatz [Zayatz 1991], and the slide negative binomial [Chen 1998]. [Dankar 2012]
//! gives a rule for choosing among them. A noun, because models use it as well as risk. Costs by
//! distinct class sizes, not by rows.

mod beta;
mod gamma;
mod interval;
mod pitman;
mod root;
mod snb;
mod zayatz;

pub(crate) use beta::{at_least, beta};
pub(crate) use gamma::ln_gamma;
pub use interval::{LEVEL, interval};
pub use pitman::{Pitman, pitman};
pub use snb::{shlosser, snb};
pub use zayatz::zayatz;

use crate::error::{Fault, Result};
use crate::fault;

/// The sampling fraction up to which Dankar's rule trusts Pitman.
const SMALL_FRACTION: f64 = 0.1;

/// How many classes of a sample have which size.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Size and number of classes, sizes ascending, none with no class.
    sizes: Vec<(u64, u64)>,
    classes: u64,
    rows: u64,
}

impl Sizes {
    /// Of classes with these rows; a class of no rows is none.
    pub fn of(counts: impl IntoIterator<Item = u64>) -> Self {
        let mut counts: Vec<u64> = counts.into_iter().filter(|&c| c > 0).collect();
        counts.sort_unstable();
        Sizes::new(counts.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect())
    }

    /// From sizes and their numbers of classes, ascending.
    fn new(sizes: Vec<(u64, u64)>) -> Self {
        let classes = sizes.iter().map(|&(_, classes)| classes).sum();
        let rows = sizes.iter().map(|&(size, classes)| size * classes).sum();
        Sizes { sizes, classes, rows }
    }

    /// Number of classes of a size.
    pub fn of_size(&self, size: u64) -> u64 {
        self.sizes.binary_search_by_key(&size, |&(s, _)| s).map_or(0, |at| self.sizes[at].1)
    }

    /// Sizes with their numbers of classes, sizes ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sizes.iter().copied()
    }

    /// Number of classes.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The classes of more rows than this.
    #[must_use]
    pub fn above(&self, size: u64) -> Sizes {
        Sizes::new(self.iter().filter(|&(s, _)| s > size).collect())
    }

    /// Rows of the smallest class; none where there is no class.
    pub fn smallest(&self) -> Option<u64> {
        self.sizes.first().map(|&(size, _)| size)
    }
}

/// A sample's class sizes and the number of people that it was drawn from.
#[derive(Debug, Clone)]
pub struct Sample {
    sizes: Sizes,
    population: u64,
}

impl Sample {
    /// A sample of a population.
    ///
    /// # Errors
    /// A population smaller than the sample, or a sample of no rows.
    pub fn new(sizes: Sizes, population: u64) -> Result<Self> {
        if sizes.rows() == 0 {
            return Err(fault!(
                Data,
                "population.no-rows",
                "a table without rows says nothing about a population"
            )
            .help("give a table with rows")
            .into());
        }
        if population < sizes.rows() {
            return Err(too_small(population, sizes.rows()).into());
        }
        Ok(Sample { sizes, population })
    }

    /// The class sizes.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Number of people.
    pub fn population(&self) -> u64 {
        self.population
    }

    /// Rows of the sample by people of the population.
    pub fn fraction(&self) -> f64 {
        self.sizes.rows() as f64 / self.population as f64
    }

    /// The same population with other classes: what a sample drawn again could have been.
    fn with(&self, sizes: Sizes) -> Self {
        Sample { population: self.population.max(sizes.rows()), sizes }
    }
}

/// A population that cannot hold its sample.
pub(crate) fn too_small(population: u64, rows: u64) -> Fault {
    fault!(
        Input,
        "population.smaller-than-sample",
        "a population of {people} is smaller than its sample of {rows} rows",
        people = population,
        rows = rows
    )
    .help("the population is everybody who could have been in the table, including those in it")
}

/// One of the ways to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// Pitman's sampling formula.
    Pitman,
    /// Zayatz: the population's classes are sized like the sample's.
    Zayatz,
    /// Slide negative binomial.
    Snb,
}

impl Estimator {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Estimator; 3] = [Estimator::Pitman, Estimator::Zayatz, Estimator::Snb];

    /// What JSON calls it.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Pitman => "pitman",
            Estimator::Zayatz => "zayatz",
            Estimator::Snb => "snb",
        }
    }

    /// Why a sample that it has no estimate for has none.
    pub fn unfit(self, sample: &Sample) -> &'static str {
        let sizes = sample.sizes();
        match self {
            Estimator::Pitman if sizes.classes() == sizes.rows() => {
                "all rows are unique, and Pitman's formula then has no most likely parameters"
            }
            Estimator::Snb if sizes.of_size(2) == 0 => {
                "no class has two rows, and the slide negative binomial is fitted to those"
            }
            Estimator::Pitman => "Pitman's formula has no most likely parameters",
            Estimator::Zayatz => "no class of the sample can have been drawn once",
            Estimator::Snb => "no slide negative binomial expects as many classes of one row and of two rows",
        }
    }

    /// The estimated number of population uniques; none where the estimator does not fit the
    /// sample.
    pub fn estimate(self, sample: &Sample) -> Option<f64> {
        let unique = sample.sizes().of_size(1);
        // A sample that is the whole population is not estimated, and without sample uniques there
        // is nothing to go by.
        if unique == 0 || sample.population() == sample.sizes().rows() {
            return Some(unique as f64);
        }
        let people = match self {
            Estimator::Pitman => pitman(sample.sizes())?.uniques(sample.population()),
            Estimator::Zayatz => zayatz(sample),
            Estimator::Snb => snb(sample)?,
        };
        people.is_finite().then(|| people.clamp(0.0, sample.population() as f64))
    }
}

/// The estimator that Dankar's rule trusts for this sample, with its estimate: up to a tenth of the
/// population Pitman, above it the smaller of Zayatz and SNB; Zayatz, which always has an answer,
/// where those have none.
pub fn dankar(sample: &Sample) -> Option<(Estimator, f64)> {
    let of = |estimator: Estimator| estimator.estimate(sample).map(|people| (estimator, people));
    let zayatz = of(Estimator::Zayatz);
    if sample.fraction() <= SMALL_FRACTION {
        return of(Estimator::Pitman).or(zayatz);
    }
    match (of(Estimator::Snb), zayatz) {
        (Some(snb), Some(zayatz)) => Some(if zayatz.1 < snb.1 { zayatz } else { snb }),
        (snb, zayatz) => snb.or(zayatz),
    }
}

#[cfg(test)]
mod tests;
