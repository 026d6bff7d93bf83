//! Population uniqueness [Dankar 2012], as in ARX: few people are estimated to be unique in the
//! population that the table was drawn from.
//!
//! The figure is the estimated number of population uniques divided by the population size. Each of
//! them is in the sample with equal probability, so it is also the expected share of released rows
//! whose person is unique in the population. The released rows are the sample. If an estimator does
//! not fit, there is no figure and the model fails. Without sample uniques the figure is 0, because
//! a person who is not unique in the release is not unique in the population.
//!
//! Not monotone, even without suppression: after merging two classes of two rows, a sample unique
//! looks rarer. Costs by distinct sizes; fitting Pitman's formula takes milliseconds.

use super::table::{FigureFacts, TableFigure};
use super::{Build, PrivacyModel, Setting, TableModel};
use crate::error::Result;
use crate::fault;
use crate::policy::{Estimator as Asked, ModelKind, PopulationUniqueness as Spec};
use crate::population::{Estimator, Sample, Sizes, dankar};

/// The estimated share of people who are unique.
#[derive(Debug, Clone)]
pub struct PopulationUniqueness {
    population: u64,
    estimator: Asked,
}

impl PopulationUniqueness {
    /// From a policy's parameters, for a table of `rows` rows.
    ///
    /// # Errors
    /// A population that is not larger than the table.
    pub fn new(asked: &Spec, rows: u64) -> Result<Self> {
        if asked.population <= rows {
            let fault = fault!(
                Data,
                "population.not-larger-than-table",
                "a population of {people} is not larger than the table, which has {rows} rows",
                people = asked.population,
                rows = rows
            );
            let help = "give the size of the population, including the people in the table; \
                        where it holds them all, ask for sample_uniqueness";
            return Err(fault.key("population").help(help).into());
        }
        Ok(PopulationUniqueness { population: asked.population, estimator: asked.estimator })
    }
}

impl TableFigure for PopulationUniqueness {
    fn facts(&self) -> FigureFacts {
        FigureFacts { min_rows: 1, falls_when_merged: false }
    }

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
}

impl Build for Spec {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        let figure = PopulationUniqueness::new(self, setting.rows)?;
        let kind = ModelKind::PopulationUniqueness;
        Ok(Box::new(TableModel::new(kind, claim, self.max, setting.strict, figure)))
    }
}
