//! How recognizable the people in a table are, before or after a release.
//!
//! [`assess`] tells which combinations of columns single out rows (Sweeney 1997), what three adversaries would find (El Emam and others
//! 2008), and how many of the people singled out are so in the population too (see [`crate::population`]). It needs
//! the distinct combinations of the quasi-identifiers and nothing else; no value of a cell is in its answer.

mod adversaries;
mod combinations;
mod figures;
mod grouping;
mod special;
mod table;
mod text;

pub use combinations::Combination;
pub use figures::{Figure, Figures};
pub use special::{Contribution, Score, Special};
pub use table::{People, Population, Table, check_names};
pub use text::text;

use serde::Serialize;

use crate::error::{Error, Fault, Kind, Result};
use crate::policy::Missing;
use crate::population::{Estimator, LEVEL, Sample, Sizes, dankar, interval};
use crate::rank::Ranker;
use adversaries::{Rows, expected_inverse};
use grouping::Columns;

/// What to assess.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The largest combination of columns that is looked at.
    pub max_size: usize,
    /// The risk above which a row counts as at risk.
    pub threshold: f64,
    /// What a missing cell means.
    pub missing: Missing,
    /// The people that the table was drawn from.
    pub population: Population,
    /// For the intervals.
    pub seed: u64,
}

/// Whom to tell, and whom to ask whether to go on.
pub struct Watch<'a> {
    /// Called after every combination.
    pub progress: &'a (dyn Fn() + Sync),
    /// Whether to stop.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Risk {
    /// The columns that were looked at.
    pub columns: Vec<String>,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// How many classes have which size.
    pub class_sizes: Vec<Band>,
    /// Rows that few columns single out.
    pub special_uniques: Special,
    /// Combinations of columns, the riskiest first.
    pub combinations: Vec<Combination>,
}

/// Classes of similar size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Band {
    /// The least size.
    pub from: u64,
    /// The greatest; none where there is no limit.
    pub to: Option<u64>,
    /// Classes.
    pub classes: u64,
    /// Their rows.
    pub rows: u64,
}

/// The least size of each band.
const BANDS: [u64; 10] = [1, 2, 3, 4, 5, 10, 20, 50, 100, 1000];

impl Asked {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// Every such option by name.
    pub fn check(&self) -> Result<()> {
        let mut faults = Vec::new();
        if self.max_size == 0 {
            faults
                .push(Fault::input("no combination has 0 columns").key("--max-size").help("give 1 or more"));
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            faults.push(
                Fault::input(format!("{} is no probability", self.threshold))
                    .key("--threshold")
                    .help("give a number from 0 to 1; 0.2 is a class of five"),
            );
        }
        if let Population::Fraction(f) = self.population
            && !(f > 0.0 && f <= 1.0)
        {
            faults.push(
                Fault::input(format!("{f} is no sampling fraction"))
                    .key("--fraction")
                    .help("give the share of the population that is in the table: above 0, at most 1"),
            );
        }
        if self.missing == Missing::Wildcard && !matches!(self.population, Population::Unknown) {
            faults.push(
                Fault::input("classes overlap where missing cells match everything, and no population can be judged from them")
                    .key("--missing")
                    .help("give --missing value or --missing suppress, or leave the population out"),
            );
        }
        Error::check(faults)
    }
}

/// Assesses a table.
///
/// # Errors
/// What makes no sense, a population smaller than the table, a table of no rows; [`Kind::Unsolvable`] when stopped.
pub fn assess(table: &Table, asked: &Asked, watch: &Watch<'_>) -> Result<Risk> {
    asked.check()?;
    let kept = kept(table, asked.missing);
    let people = of_kept(&asked.population, &kept);
    let columns = columns(table, asked.missing, &kept)?;
    let all = columns.all();
    let matches = columns.matches(&all, &mut Ranker::default());
    let sizes = Sizes::of(all.count.iter().map(|&n| u64::from(n)));
    if sizes.rows() == 0 {
        return Err(Fault::data("no row is left to assess")
            .help("give a table with rows; with --missing suppress, rows with a missing cell are left out")
            .into());
    }
    let classes: Vec<(u64, u64)> =
        all.count.iter().map(|&n| u64::from(n)).zip(matches.iter().copied()).collect();
    let mut figures = Figures::default();
    counted(&mut figures, &classes, table.tuples.rows() - sizes.rows(), asked);
    estimated(&mut figures, &classes, &sizes, &people, asked)?;
    let combinations = combinations::combinations(&columns, &table.names, asked.max_size, watch)?;
    let special = special::special(&columns, &table.names, asked.max_size, watch)?;
    let means = format!("rows that {} columns or fewer single out", special.max_size);
    figures.put("special_unique_rows", Figure::exact(special.rows as f64, means));
    Ok(Risk {
        columns: table.names.clone(),
        figures,
        class_sizes: bands(&classes),
        special_uniques: special,
        combinations,
    })
}

fn stopped() -> Error {
    Fault::new(Kind::Unsolvable, "stopped").into()
}

/// The combinations that are looked at: without those that lack a value where such rows are suppressed.
fn kept(table: &Table, missing: Missing) -> Vec<usize> {
    let lacks = |at: usize| {
        (0..table.names.len()).any(|c| Some(table.tuples.code(at, c)) == table.dictionaries[c].missing())
    };
    (0..table.tuples.len()).filter(|&at| missing != Missing::Suppress || !lacks(at)).collect()
}

fn of_kept(population: &Population, kept: &[usize]) -> Population {
    match population {
        Population::Weights(weights) => Population::Weights(kept.iter().map(|&at| weights[at]).collect()),
        Population::Table(people) => Population::Table(People {
            of_tuple: kept.iter().map(|&at| people.of_tuple[at]).collect(),
            ..people.clone()
        }),
        other => other.clone(),
    }
}

fn columns(table: &Table, missing: Missing, kept: &[usize]) -> Result<Columns> {
    if missing == Missing::Wildcard && table.names.len() > 128 {
        return Err(Fault::input("more than 128 columns with missing cells as wildcards")
            .key("--qi")
            .help("name fewer columns, or give --missing value")
            .into());
    }
    let codes = (0..table.names.len())
        .map(|column| kept.iter().map(|&at| table.tuples.code(at, column)).collect())
        .collect();
    let wildcard = table.dictionaries.iter().take(table.names.len());
    let wildcard = wildcard.map(|d| d.missing().filter(|_| missing == Missing::Wildcard)).collect();
    let counts = kept.iter().map(|&at| table.tuples.counts()[at]).collect();
    Ok(Columns::new(codes, wildcard, counts))
}

fn bands(classes: &[(u64, u64)]) -> Vec<Band> {
    let band = |(i, &from): (usize, &u64)| {
        let to = BANDS.get(i + 1).map(|next| next - 1);
        let within = classes.iter().filter(|&&(_, size)| size >= from && to.is_none_or(|to| size <= to));
        let (classes, rows) = within.fold((0, 0), |(c, r), &(count, _)| (c + 1, r + count));
        Band { from, to, classes, rows }
    };
    BANDS.iter().enumerate().map(band).collect()
}

/// What is counted in the table itself. Each class has its rows and the rows that cannot be told from it.
fn counted(figures: &mut Figures, classes: &[(u64, u64)], left_out: u64, asked: &Asked) {
    let rows: u64 = classes.iter().map(|&(count, _)| count).sum();
    let unique = classes.iter().filter(|&&(_, size)| size == 1).count();
    let smallest = classes.iter().map(|&(_, size)| size).min().unwrap_or(0);
    let risks = Rows::of(classes.iter().map(|&(count, size)| (count, 1.0 / size as f64)), asked.threshold);
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    figures.put("rows", Figure::exact(rows as f64, "rows that were looked at"));
    if asked.missing == Missing::Suppress {
        let means = "rows left out because a value is missing";
        figures.put("left_out", Figure::exact(left_out as f64, means));
    }
    let means = "different combinations of values in these columns";
    figures.put("classes", Figure::exact(classes.len() as f64, means));
    let means =
        format!("{} of the rows are the only ones with their values", percent(unique as f64 / rows as f64));
    figures.put("sample_unique_rows", Figure::exact(unique as f64, means));
    let means = "rows of the smallest class: the k of k-anonymity";
    figures.put("smallest_class", Figure::exact(smallest as f64, means));
    let means = format!(
        "somebody who is known to be in the table can be found with a probability of up to {}",
        percent(risks.highest)
    );
    figures.put("prosecutor", Figure::exact(risks.highest, means));
    let means = format!(
        "{} of the rows can be found with a probability above {}",
        percent(risks.above),
        asked.threshold
    );
    figures.put("rows_at_risk", Figure::exact(risks.above, means));
    let means = format!(
        "whoever guesses a person for every row is right for {} of them on average",
        percent(risks.mean)
    );
    figures.put("marketer", Figure::exact(risks.mean, means));
}

/// What depends on the population.
fn estimated(
    figures: &mut Figures,
    classes: &[(u64, u64)],
    sizes: &Sizes,
    population: &Population,
    asked: &Asked,
) -> Result<()> {
    let rows = sizes.rows();
    let people = match population {
        Population::Unknown => return Ok(()),
        Population::Size(people) => *people,
        Population::Fraction(fraction) => (rows as f64 / fraction).round() as u64,
        Population::Weights(weights) => weights.iter().sum::<f64>().round() as u64,
        Population::Table(people) => people.all,
    };
    let sample = Sample::new(sizes.clone(), people)?;
    figures.put("population", Figure::exact(people as f64, "people whom the table could have been about"));
    let means = "rows of the table by people of the population";
    figures.put("sampling_fraction", Figure::exact(sample.fraction(), means));
    let risk = |class: usize| match population {
        Population::Table(people) => 1.0 / people.of_tuple[class] as f64,
        Population::Weights(weights) => {
            expected_inverse(classes[class].0, classes[class].0 as f64 / weights[class])
        }
        _ => expected_inverse(classes[class].0, sample.fraction()),
    };
    journalist(
        figures,
        classes,
        &sample,
        (&risk, matches!(population, Population::Table(_))),
        asked.threshold,
    );
    match population {
        Population::Table(people) => {
            let means = "people who are the only ones in the population with their values";
            figures.put("population_unique_rows", Figure::exact(people.unique as f64, means));
        }
        _ => uniques(figures, &sample, asked.seed),
    }
    Ok(())
}

fn journalist(
    figures: &mut Figures,
    classes: &[(u64, u64)],
    sample: &Sample,
    (risk, exact): (&dyn Fn(usize) -> f64, bool),
    threshold: f64,
) {
    let of = |risk: &dyn Fn(usize) -> f64| {
        Rows::of(classes.iter().enumerate().map(|(i, &(count, _))| (count, risk(i))), threshold)
    };
    let value = of(risk);
    // A class has at least its own people, and at most everybody who is not in another class of the table.
    let others = sample.population() - sample.sizes().rows();
    let (low, high) = if exact {
        (value, value)
    } else {
        (of(&|i| 1.0 / (classes[i].0 + others) as f64), of(&|i| 1.0 / classes[i].0 as f64))
    };
    let how = if exact { "counted in the population" } else { "estimated; low and high cannot be passed" };
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
    let told = |estimator: Estimator| {
        let Some(people) = estimator.estimate(sample) else {
            return Figure::none(format!("no estimate: {}", estimator.unfit(sample)));
        };
        let means = format!(
            "people who are unique in the population, estimated: {:.2} % of it; low and high hold {} % of \
             estimates from samples drawn again",
            100.0 * people / sample.population() as f64,
            100.0 * LEVEL
        );
        match interval(estimator, sample, seed) {
            Some((low, high)) => Figure::within(people, (low.min(people), high.max(people)), means),
            None => Figure { value: Some(people), low: None, high: None, means },
        }
    };
    let all = Estimator::ALL.map(|estimator| (estimator, told(estimator)));
    let chosen = dankar(sample).and_then(|(chosen, _)| all.iter().find(|(e, _)| *e == chosen).cloned());
    for (estimator, figure) in all {
        figures.put(estimator.name(), figure);
    }
    if let Some((estimator, figure)) = chosen {
        let means = format!("the estimate to trust by Dankar's rule: {}", estimator.name());
        figures.put("dankar", Figure { means, ..figure });
    }
}

#[cfg(test)]
mod tests;
