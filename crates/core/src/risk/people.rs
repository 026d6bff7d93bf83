//! The figures that depend on the population: journalist risk and population uniqueness.
//!
//! With a table of the population both are counted; otherwise they are estimated, each with limits.
//! Costs by classes, and 200 estimates per estimator for the intervals.

use super::Asked;
use super::adversaries::{Rows, expected_inverse};
use super::figures::{Figure, Figures};
use super::table::{People, Population, Weights};
use crate::error::Result;
use crate::policy::Missing;
use crate::population::{Estimator, LEVEL, Sample, Sizes, dankar, interval, pitman, too_small};

/// The classes of all columns.
pub(super) struct Seen<'a> {
    /// Rows of each class, and rows indistinguishable from it.
    pub classes: &'a [(u64, u64)],
    /// How many classes have which number of rows.
    pub sizes: &'a Sizes,
    /// All rows of the table, those too that are in no class.
    pub rows: u64,
}

/// The figures that depend on the population.
pub(super) fn estimated(
    figures: &mut Figures,
    seen: &Seen<'_>,
    population: &Population,
    asked: &Asked,
) -> Result<()> {
    let people = match population {
        Population::Unknown => return Ok(()),
        Population::Size(people) => *people,
        Population::Fraction(fraction) => (seen.rows as f64 / fraction).round() as u64,
        Population::Weights(weights) => weights.all.round() as u64,
        Population::Table(people) => people.all,
    };
    // Rows that are left out are people, too; a table of the population has left out its own.
    if people < seen.rows && !matches!(population, Population::Table(_)) {
        return Err(too_small(people, seen.rows).key(population.key()).into());
    }
    let sample = Sample::new(seen.sizes.clone(), people).map_err(|e| e.map(|f| f.key(population.key())))?;
    figures.put("population", Figure::exact(people as f64, "size of the population"));
    let means = "sampling fraction: rows over the size of the population";
    figures.put("sampling_fraction", Figure::exact(sample.fraction(), means));
    journalist(figures, seen, &sample, population, asked.threshold);
    match population {
        Population::Table(People { unique, .. }) => {
            let means = "people who are the only ones in the population with their values";
            figures.put("population_unique_rows", Figure::exact(*unique as f64, means));
        }
        _ if asked.missing == Missing::Wildcard => {
            let means = "no estimate: classes overlap where missing cells match everything";
            Estimator::ALL.iter().for_each(|e| figures.put(e.name(), Figure::none(means)));
            figures.put("dankar", Figure::none(means));
        }
        _ => uniques(figures, &sample, asked.seed),
    }
    Ok(())
}

fn journalist(
    figures: &mut Figures,
    seen: &Seen<'_>,
    sample: &Sample,
    population: &Population,
    threshold: f64,
) {
    let classes = seen.classes;
    let risk = |class: usize| match population {
        Population::Table(people) => 1.0 / people.of_tuple[class] as f64,
        Population::Weights(Weights { of_tuple, .. }) => {
            expected_inverse(classes[class].1, classes[class].1 as f64 / of_tuple[class])
        }
        _ => expected_inverse(classes[class].1, sample.fraction()),
    };
    let of = |risk: &dyn Fn(usize) -> f64| {
        Rows::of(classes.iter().enumerate().map(|(i, &(count, _))| (count, risk(i))), threshold)
    };
    let value = of(&risk);
    // A class has at least its own people, and at most everybody who is not in another class of the
    // table.
    let others = sample.population() - sample.sizes().rows();
    let (low, high, how) = match population {
        Population::Table(_) => (value, value, "counted in the population"),
        _ => (
            of(&|i| 1.0 / (classes[i].1 + others) as f64),
            of(&|i| 1.0 / classes[i].1 as f64),
            "estimate; bounds are the smallest and largest possible values",
        ),
    };
    let mut put = |name, field: fn(Rows) -> f64, means: &str| {
        let (low, value, high) = (field(low), field(value), field(high));
        // Weights below 1 can put an estimate past what the counts allow.
        let limits = (low.min(value), high.max(value));
        figures.put(name, Figure::within(value, limits, format!("{means} ({how})")));
    };
    put(
        "journalist",
        |r| r.highest,
        "the highest probability with which a person of the population can be found",
    );
    put("journalist_mean", |r| r.mean, "the same for the average row");
    put("journalist_rows_at_risk", |r| r.above, "the share of rows above the threshold");
}

/// Population uniques by every estimator, and by the one that Dankar's rule chooses.
fn uniques(figures: &mut Figures, sample: &Sample, seed: u64) {
    let all = Estimator::ALL.map(|estimator| (estimator, estimate(estimator, sample, seed)));
    let chosen = dankar(sample).and_then(|(chosen, _)| all.iter().find(|(e, _)| *e == chosen).cloned());
    for (estimator, figure) in all {
        figures.put(estimator.name(), figure);
    }
    if let Some((estimator, figure)) = chosen {
        let means = format!("the estimate to trust by Dankar's rule: {}", estimator.name());
        figures.put("dankar", Figure { means, ..figure });
    }
}

fn estimate(estimator: Estimator, sample: &Sample, seed: u64) -> Figure {
    let Some(people) = estimator.estimate(sample) else {
        return Figure::none(format!("no estimate: {}", estimator.unfit(sample)));
    };
    let share = 100.0 * people / sample.population() as f64;
    let ewens = estimator == Estimator::Pitman
        && sample.sizes().of_size(1) > 0
        && pitman(sample.sizes()).is_some_and(|fit| fit.alpha == 0.0);
    let how = match ewens {
        true => "; fitted at α = 0, where Pitman's formula is that of Ewens",
        false => "",
    };
    let means = format!(
        "people who are unique in the population, estimated: {share:.2} % of it{how}; low and high hold {} % of \
         estimates from samples drawn again",
        100.0 * LEVEL
    );
    match interval(estimator, sample, seed) {
        Some((low, high)) => Figure::within(people, (low.min(people), high.max(people)), means),
        None => Figure { value: Some(people), low: None, high: None, means },
    }
}
