//! Population uniqueness (mission P15; ARX's model of that name; Dankar, El Emam, Neisa and Roffey 2012): few people are
//! estimated to be alone in their class of the population that the table was drawn from.
//!
//! The figure is the estimated number of population uniques by the people of the population. Each of them is in the sample with the same
//! chance, so it is also the expected share of released rows whose person is unique in the population. The released rows are taken for
//! the sample. Where an estimator does not fit, there is no figure, and that is never enough; without sample uniques it is 0,
//! because who is not unique in the release is not unique in the population either.
//!
//! Not monotone, whatever is suppressed: of two classes of two rows, merged, a sample unique looks rarer. Costs by distinct sizes;
//! a fit of Pitman's formula takes milliseconds.

use super::table::TableFigure;
use crate::error::{Fault, Result};
use crate::policy::{Estimator as Asked, PopulationUniqueness as Spec};
use crate::population::{Estimator, Sample, Sizes, dankar};

/// The estimated share of people who are unique.
#[derive(Debug, Clone)]
pub struct PopulationUniqueness {
    population: u64,
    estimator: Asked,
}

impl PopulationUniqueness {
    /// As a policy asks for it, of a table of so many rows.
    ///
    /// # Errors
    /// A population that is not larger than the table.
    pub fn new(asked: &Spec, rows: u64) -> Result<Self> {
        if asked.population <= rows {
            let fault = Fault::data(format!(
                "a population of {} is not larger than the table, which has {rows} rows",
                asked.population
            ));
            let help = "give everybody whom the table could have been about, those in it included; \
                        where it holds them all, ask for sample_uniqueness";
            return Err(fault.key("population").help(help).into());
        }
        Ok(PopulationUniqueness { population: asked.population, estimator: asked.estimator })
    }
}

impl TableFigure for PopulationUniqueness {
    fn figure(&self, sizes: &Sizes) -> Option<f64> {
        let sample = Sample::new(sizes.clone(), self.population).ok()?;
        let people = match self.estimator {
            Asked::Pitman => Estimator::Pitman.estimate(&sample),
            Asked::Zayatz => Estimator::Zayatz.estimate(&sample),
            Asked::Snb => Estimator::Snb.estimate(&sample),
            Asked::Dankar => dankar(&sample).map(|(_, people)| people),
        };
        Some(people? / self.population as f64)
    }

    fn falls(&self) -> bool {
        false
    }
}
