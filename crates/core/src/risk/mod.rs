//! Re-identification risk of a table, before or after a release.
//!
//! [`assess`] reports which combinations of columns single out rows [Sweeney 1997], the success of
//! three adversaries [El Emam 2008], and how many sample uniques are population uniques (see
//! [`crate::population`]). It needs only the distinct combinations of the quasi-identifiers; its
//! result contains no cell values.

mod adversaries;
mod combinations;
mod drawn;
mod figures;
mod grouping;
mod guidance;
mod people;
mod special;
mod subjects;
mod table;
mod text;
mod verdict;

pub use combinations::{Combination, size_for};
pub use figures::{Figure, Figures};
pub use guidance::{Choice, Guidance};
pub use special::{Contribution, Score, Special};
pub use subjects::assess_people;
pub use table::{Named, Parts, People, Population, Table, Weights, check_names};
pub use text::text;
pub use verdict::RiskVerdict;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::fault;
use crate::policy::Missing;
use crate::population::Sizes;
use crate::rank::Ranker;
use crate::watch::Watch;
use adversaries::Rows;
use grouping::{Columns, Grouping};
use people::Seen;

/// What to assess.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The largest combination of columns that is looked at.
    pub max_size: usize,
    /// The risk above which a row counts as at risk.
    pub threshold: f64,
    /// The meaning of a missing cell.
    pub missing: Missing,
    /// The people that the table was drawn from.
    pub population: Population,
    /// For the intervals.
    pub seed: u64,
}

/// The findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Risk {
    /// The columns that were looked at.
    pub columns: Vec<String>,
    /// The figures.
    #[serde(flatten)]
    pub figures: Figures,
    /// Which k the threshold requires.
    pub guidance: Guidance,
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
            faults.push(
                fault!(Input, "risk.size-is-zero", "no combination has 0 columns")
                    .key("--max-size")
                    .help("give 1 or more"),
            );
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            faults.push(
                fault!(
                    Input,
                    "risk.not-a-probability",
                    "{value} is not a probability",
                    value = self.threshold
                )
                .key("--threshold")
                .help("give a number from 0 to 1; 0.2 is a class of five"),
            );
        }
        if let Population::Fraction(f) = self.population
            && !(f > 0.0 && f <= 1.0)
        {
            faults.push(
                fault!(Input, "risk.not-a-fraction", "{value} is not a sampling fraction", value = f)
                    .key("--fraction")
                    .help("give the share of the population that is in the table: above 0, at most 1"),
            );
        }
        Error::check(faults)
    }
}

/// Assesses a table.
///
/// # Errors
/// What makes no sense, a population smaller than the table, a table of no rows, more combinations
/// or memory than there should be; [`crate::error::Kind::Cancelled`] when asked to stop.
pub fn assess(table: &Table, asked: &Asked, watch: &Watch) -> Result<Risk> {
    asked.check()?;
    combinations::listable(table.names.len(), asked.max_size)?;
    let kept = table.kept(asked.missing);
    let columns = columns(table, asked.missing, &kept)?;
    let all = columns.all();
    let matches = columns.matches(&all, watch)?;
    let sizes = Sizes::of(all.count.iter().map(|&n| u64::from(n)));
    if sizes.rows() == 0 {
        return Err(fault!(Data, "risk.no-rows", "no row is left to assess")
            .help("give a table with rows; with --missing suppress, rows with a missing cell are left out")
            .into());
    }
    let classes: Vec<(u64, u64)> =
        all.count.iter().map(|&n| u64::from(n)).zip(matches.iter().copied()).collect();
    let mut figures = Figures::default();
    left_out(&mut figures, table, sizes.rows(), asked.missing);
    counted(&mut figures, &classes, asked);
    let people = of_kept(&asked.population, &kept, (&columns, &all), watch)?;
    let rows = table.tuples.rows() + table.suppressed.unwrap_or(0);
    people::estimated(&mut figures, &Seen { classes: &classes, sizes: &sizes, rows }, &people, asked)?;
    // Before the combinations, because it may be refused.
    let special = special::special(&columns, &table.names, asked.max_size, watch)?;
    let combinations = combinations::combinations(&columns, &table.names, asked.max_size, watch)?;
    let means = format!("rows that {} columns or fewer single out", special.max_size);
    figures.put("special_unique_rows", Figure::exact(special.rows as f64, means));
    let fraction = figures.get("sampling_fraction").and_then(|figure| figure.value);
    Ok(Risk {
        columns: table.names.clone(),
        guidance: Guidance::new(&classes, asked.threshold, fraction),
        figures,
        class_sizes: bands(&classes),
        special_uniques: special,
        combinations,
    })
}

/// The facts about the population, for the combinations that are looked at.
fn of_kept(
    population: &Population,
    kept: &[usize],
    (columns, all): (&Columns, &Grouping),
    watch: &Watch,
) -> Result<Population> {
    Ok(match population {
        Population::Weights(weights) => {
            let people: Vec<f64> = kept.iter().map(|&at| weights.of_tuple[at]).collect();
            // Rows that are left out stand for people who are like the others.
            let sum: f64 = people.iter().sum();
            let more = if sum > 0.0 { weights.all / sum } else { 1.0 };
            let people: Vec<f64> = people.iter().map(|people| people * more).collect();
            let of_tuple = match columns.wild() {
                true => columns.summed(all, &people, &mut Ranker::default(), watch)?,
                false => people,
            };
            Population::Weights(Weights { of_tuple, all: weights.all })
        }
        Population::Table(people) => Population::Table(People {
            of_tuple: kept.iter().map(|&at| people.of_tuple[at]).collect(),
            ..people.clone()
        }),
        other => other.clone(),
    })
}

fn columns(table: &Table, missing: Missing, kept: &[usize]) -> Result<Columns> {
    if missing == Missing::Wildcard && table.names.len() > 128 {
        return Err(fault!(
            Input,
            "risk.too-many-wildcard-columns",
            "more than {limit} columns with missing cells as wildcards",
            limit = 128
        )
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

/// How many rows are looked at, and which are not.
fn left_out(figures: &mut Figures, table: &Table, rows: u64, missing: Missing) {
    figures.put("rows", Figure::exact(rows as f64, "rows that were assessed"));
    if missing == Missing::Suppress {
        let means = "rows left out because a value is missing";
        figures.put("left_out", Figure::exact((table.tuples.rows() - rows) as f64, means));
    }
    if table.suppressed == Some(0) {
        return;
    }
    if let Some(suppressed) = table.suppressed {
        let means = "rows left out because they were suppressed: the release has * in every quasi-identifier";
        figures.put("suppressed", Figure::exact(suppressed as f64, means));
        return;
    }
    let starred = table.stars(table.names.len()).and_then(|stars| table.tuples.find(&stars));
    if let Some(at) = starred {
        let means = "rows with * in every column are counted as one class; if they are the suppressed rows of a release, \
                     --certificate or --policy leaves them out";
        figures.put("starred_rows", Figure::exact(f64::from(table.tuples.counts()[at as usize]), means));
    }
}

/// The figures counted in the table itself. Each class has its rows and the number of rows
/// indistinguishable from it.
fn counted(figures: &mut Figures, classes: &[(u64, u64)], asked: &Asked) {
    let rows: u64 = classes.iter().map(|&(count, _)| count).sum();
    let unique = classes.iter().filter(|&&(_, size)| size == 1).count();
    let smallest = classes.iter().map(|&(_, size)| size).min().unwrap_or(0);
    let risks = Rows::of(classes.iter().map(|&(count, size)| (count, 1.0 / size as f64)), asked.threshold);
    // Neither nothing nor everything unless it is so.
    let percent = |share: f64| match share {
        s if s > 0.0 && s < 0.0005 => "under 0.1 %".to_owned(),
        s if s < 1.0 && s > 0.9995 => "over 99.9 %".to_owned(),
        s => format!("{:.1} %", 100.0 * s),
    };
    let means = "different combinations of values in these columns";
    figures.put("classes", Figure::exact(classes.len() as f64, means));
    let means =
        format!("{} of the rows are the only ones with their values", percent(unique as f64 / rows as f64));
    figures.put("sample_unique_rows", Figure::exact(unique as f64, means));
    let means = "rows of the smallest class: the k of k-anonymity";
    figures.put("smallest_class", Figure::exact(smallest as f64, means));
    let means = format!(
        "a person known to be in the table can be identified with a probability of up to {}",
        percent(risks.highest)
    );
    figures.put("prosecutor", Figure::exact(risks.highest, means));
    let means = format!(
        "{} of the rows can be identified with a probability above {}",
        percent(risks.above),
        asked.threshold
    );
    figures.put("rows_at_risk", Figure::exact(risks.above, means));
    let means = format!(
        "someone who matches every row to a person is right for {} of them on average",
        percent(risks.mean)
    );
    figures.put("marketer", Figure::exact(risks.mean, means));
}

#[cfg(test)]
mod tests;
