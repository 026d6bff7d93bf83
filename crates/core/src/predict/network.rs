//! A Bayesian network as a predictive model [Katirai 2006, "A method for utilizing a Bayesian model
//! as a measure function"]: it predicts the target from the known part of a row, and what a cell
//! leaves open is summed out by its probability, not averaged.
//!
//! Numbers, the target included, are put into at most 32 bins of about equal weight, which nest by
//! halves: levels of a hierarchy. A predicted number is the mean of the bins' means by their
//! probability. The structure is that of [`crate::network`]: BIC, at most two parents per level.
//! Weights count as whole rows, at least one. Costs the fit of a network; a prediction costs the
//! probability of the row with each value of the target.

use super::Model;
use super::sheet::{Feature, Sheet, Target};
use crate::error::{Fault, Result};
use crate::hierarchy::{Hierarchy, Path};
use crate::network::{Cell, Entries, Fit, Known, Network, fit as fit_network};
use crate::table::Code;
use crate::watch::Watch;

/// Halvings of the numbers of a column.
const HALVINGS: u32 = 5;

struct Bayesian {
    network: Network,
    /// Feature → where its bins begin, but for the first; none of categories.
    starts: Vec<Option<Vec<f64>>>,
    /// Bin of the target → the mean of its numbers; none of classes.
    means: Option<Vec<f64>>,
}

pub(super) fn fit(sheet: &Sheet, _: u64) -> Result<Box<dyn Model>> {
    let weight: Vec<f64> = sheet.rows().iter().map(|row| row.weight.round().max(1.0)).collect();
    let counts: Vec<u32> = weight.iter().map(|&weight| weight.min(f64::from(u32::MAX)) as u32).collect();
    let numbers = |of: &dyn Fn(usize) -> f64| -> Vec<(f64, f64)> {
        weight.iter().enumerate().map(|(row, &weight)| (of(row), weight)).collect()
    };
    let (mut hierarchies, mut codes, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for (at, feature) in sheet.features().iter().enumerate() {
        let cell = |row: usize| sheet.rows()[row].cells[at];
        let bins = matches!(feature, Feature::Number).then(|| bins(numbers(&cell)));
        hierarchies.push(match (feature, &bins) {
            (Feature::Category(of), _) => flat(*of)?,
            (Feature::Number, bins) => nested(bins.as_ref().map_or(0, Vec::len) + 1)?,
        });
        codes.push((0..weight.len()).map(|row| place(bins.as_deref(), cell(row))).collect());
        starts.push(bins);
    }
    let target = |row: usize| sheet.rows()[row].target;
    let cuts = matches!(sheet.target(), Target::Number).then(|| bins(numbers(&target)));
    hierarchies.push(match (sheet.target(), &cuts) {
        (Target::Class(of), _) => flat(of)?,
        (Target::Number, cuts) => nested(cuts.as_ref().map_or(0, Vec::len) + 1)?,
    });
    let of_target: Vec<Code> = (0..weight.len()).map(|row| place(cuts.as_deref(), target(row))).collect();
    let means = cuts.as_ref().map(|cuts| {
        let mut sums = vec![(0.0, 0.0); cuts.len() + 1];
        for (row, &bin) in of_target.iter().enumerate() {
            let sum = &mut sums[bin as usize];
            *sum = (sum.0 + weight[row] * target(row), sum.1 + weight[row]);
        }
        sums.iter().map(|(sum, weight)| sum / weight).collect()
    });
    codes.push(of_target);
    let names: Vec<String> = (0..hierarchies.len()).map(|column| column.to_string()).collect();
    let entries = Entries::new(codes, counts)?;
    let asked = Fit { target: Some(names.len() - 1), ..Fit::default() };
    let network = fit_network(&names, &hierarchies, &entries, asked, &Watch::none())?;
    Ok(Box::new(Bayesian { network, starts, means }))
}

/// Categories without levels.
fn flat(of: u32) -> Result<Hierarchy> {
    let path = |leaf: u32| Path { leaf: leaf.to_string(), labels: Vec::new() };
    Hierarchy::new((0..of.max(1)).map(path).collect(), false)
}

/// Bins that nest by halves.
fn nested(bins: usize) -> Result<Hierarchy> {
    let halvings = bins.next_power_of_two().trailing_zeros().max(1);
    let path = |leaf: usize| Path {
        leaf: leaf.to_string(),
        labels: (1..halvings).map(|halved| (leaf >> halved).to_string()).collect(),
    };
    Hierarchy::new((0..bins).map(path).collect(), false)
}

/// Where the bins of some weighted numbers begin, but for the first: equal numbers are in one bin.
fn bins(mut numbers: Vec<(f64, f64)>) -> Vec<f64> {
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = numbers.iter().map(|(_, weight)| weight).sum();
    let most = f64::from(1u32 << HALVINGS);
    let (mut starts, mut before, mut filled) = (Vec::new(), 0.0, 0.0);
    for pair in numbers.windows(2) {
        before += pair[0].1;
        // A new bin begins where the next share of the weight is full.
        if pair[0].0 < pair[1].0 && before * most >= (filled + 1.0) * all {
            starts.push(pair[1].0);
            filled = (before * most / all).floor();
        }
    }
    starts
}

/// The bin of a number, or the category that a cell is.
fn place(starts: Option<&[f64]>, cell: f64) -> Code {
    match starts {
        Some(starts) => starts.partition_point(|&start| start <= cell) as Code,
        None => cell as Code,
    }
}

impl Bayesian {
    fn predicted(&self, known: Vec<Known>) -> Result<Vec<f64>> {
        let target = self.network.names().len() - 1;
        let shares = self.network.posterior(target, &known)?;
        match &self.means {
            None => Ok(shares),
            Some(means) => Ok(vec![shares.iter().zip(means).map(|(share, mean)| share * mean).sum()]),
        }
    }

    /// What is known of every column if each feature may be one of some values.
    fn known(&self, cells: &[Vec<f64>]) -> Vec<Known> {
        let feature = |(at, may): (usize, &Vec<f64>)| {
            let mut leaves: Vec<Code> =
                may.iter().map(|&cell| place(self.starts[at].as_deref(), cell)).collect();
            leaves.sort_unstable();
            leaves.dedup();
            let all = self.network.hierarchies()[at].leaf_count();
            match leaves[..] {
                [code] => Known::Label(Cell { level: 0, code }),
                _ if leaves.is_empty() || leaves.len() == all => Known::Label(self.network.anything(at)),
                _ => Known::Leaves(leaves),
            }
        };
        let mut known: Vec<Known> = cells.iter().enumerate().map(feature).collect();
        known.push(Known::Label(self.network.anything(cells.len())));
        known
    }
}

impl Model for Bayesian {
    fn predict(&self, cells: &[f64]) -> Vec<f64> {
        let cells: Vec<Vec<f64>> = cells.iter().map(|&cell| vec![cell]).collect();
        // Every column has one known value, so that no table has more than one number.
        self.predicted(self.known(&cells)).unwrap_or_default()
    }

    fn predict_open(&self, cells: &[Vec<f64>]) -> Option<Result<Vec<f64>>> {
        Some(match cells.len() == self.starts.len() {
            true => self.predicted(self.known(cells)),
            false => Err(Fault::bug("a row does not have the features of the model").into()),
        })
    }
}
