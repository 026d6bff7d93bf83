//! The best algorithm over a grid [Katirai 2006, "Condorcet Voting"]: by total error, by majority
//! and by Condorcet vote. Every point of the grid is a ballot that ranks the algorithms by loss.
//!
//! An algorithm that refused a point, or found nothing, is not on that ballot. Costs points ×
//! algorithms².

use serde::Serialize;

use super::{Comparison, Run, Size};

/// What an algorithm reached at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vote {
    /// Its loss; less is better, equal is a tie.
    pub loss: f64,
    /// How much more that is than the least loss at the point, in % of it; none where the least
    /// loses nothing.
    pub error: Option<f64>,
}

/// One point: for each algorithm what it reached, none where it found nothing.
pub type Ballot = Vec<Option<Vote>>;

/// Which algorithm is best on a table; ties are named together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The table.
    pub table: String,
    /// Points where an algorithm found a node.
    pub ballots: u64,
    /// Points where all algorithms did, over which errors are summed.
    pub common: u64,
    /// Every algorithm, in the order of the grid.
    pub standings: Vec<Standing>,
    /// Least total error.
    pub total: Vec<String>,
    /// Best at most points.
    pub majority: Vec<String>,
    /// Most two-way races won.
    pub condorcet: Vec<String>,
}

/// How one algorithm stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The algorithm.
    pub algorithm: String,
    /// Σ over the common points of how much more it lost than the least at the point, in % of that:
    /// the optimum of levels, or what another algorithm lost if that is less. With a model: Σ of
    /// its errors.
    pub error: f64,
    /// Points at which no other was better.
    pub first: u64,
    /// Two-way races won: the other was better at fewer points than it was.
    pub won: u64,
    /// Two-way races lost.
    pub lost: u64,
}

/// The rankings of every table.
pub(super) fn rankings(comparison: &Comparison) -> Vec<Ranking> {
    let algorithms = &comparison.algorithms;
    let rank_table = |table: &String| {
        let runs: Vec<&Run> = comparison.runs.iter().filter(|run| run.table == *table).collect();
        // The runs of a point stand together, one per algorithm; the last point may be incomplete.
        let ballots: Vec<Ballot> = runs.chunks_exact(algorithms.len()).map(ballot).collect();
        rank(table, algorithms, &ballots)
    };
    comparison.tables.iter().map(rank_table).collect()
}

/// For every table which algorithm with which loss left a model the least error; see [`measures`].
pub(super) fn methods(comparison: &Comparison) -> Vec<Ranking> {
    let pairs = comparison
        .algorithms
        .iter()
        .flat_map(|algorithm| comparison.losses.iter().map(move |loss| (algorithm.as_str(), loss.as_str())));
    let pairs: Vec<(&str, &str)> = pairs.collect();
    let names: Vec<String> = pairs.iter().map(|(algorithm, loss)| format!("{algorithm}, {loss}")).collect();
    let mut rankings = Vec::new();
    for table in &comparison.tables {
        for (name, without) in sizes(comparison) {
            let ballots = ballots(comparison, table, &pairs, without);
            rankings.push(rank(&format!("{table}{name}"), &names, &ballots));
        }
    }
    rankings
}

/// For every table and algorithm which loss left a model the least error, by samples: with all
/// sizes, and without the least where there are several [Katirai 2006, figures 25 and 26]. Every
/// sample, limit and k is a ballot that ranks the losses.
pub(super) fn measures(comparison: &Comparison) -> Vec<Ranking> {
    let mut rankings = Vec::new();
    for table in &comparison.tables {
        for algorithm in &comparison.algorithms {
            let pairs: Vec<(&str, &str)> =
                comparison.losses.iter().map(|loss| (algorithm.as_str(), loss.as_str())).collect();
            for (name, without) in sizes(comparison) {
                let ballots = ballots(comparison, table, &pairs, without);
                rankings.push(rank(&format!("{table}, {algorithm}{name}"), &comparison.losses, &ballots));
            }
        }
    }
    rankings
}

/// Which sizes vote: all, and all but the least; none where nothing was predicted.
fn sizes(comparison: &Comparison) -> Vec<(String, Option<Size>)> {
    if comparison.runs.iter().all(|run| run.predicted.is_none()) {
        return Vec::new();
    }
    let mut sizes = vec![(String::new(), None)];
    if let (Some(least), true) = (comparison.sizes.iter().min().copied(), comparison.sizes.len() > 1) {
        sizes.push((format!(", without samples of {least}"), Some(least)));
    }
    sizes
}

/// A ballot per sample, limit and k, which ranks pairs of algorithm and loss by the model's error.
fn ballots(
    comparison: &Comparison,
    table: &str,
    pairs: &[(&str, &str)],
    without: Option<Size>,
) -> Vec<Ballot> {
    let mine = |run: &&Run| run.table == table && Some(run.size) != without;
    let mut points: Vec<((Size, u32, u64, u64), Ballot)> = Vec::new();
    for run in comparison.runs.iter().filter(mine) {
        let pair = pairs.iter().position(|pair| *pair == (run.algorithm.as_str(), run.loss.as_str()));
        let Some(pair) = pair else { continue };
        let point = (run.size, run.repeat, run.suppression.to_bits(), run.k);
        let at = points.iter().position(|(other, _)| *other == point).unwrap_or_else(|| {
            points.push((point, vec![None; pairs.len()]));
            points.len() - 1
        });
        if let Some(predicted) = run.predicted {
            let total = predicted.released.total;
            points[at].1[pair] = Some(Vote { loss: total, error: Some(total) });
        }
    }
    points.into_iter().map(|(_, ballot)| ballot).collect()
}

/// The ballot of the runs at a point.
fn ballot(point: &[&Run]) -> Ballot {
    let known = point.iter().flat_map(|run| [run.value, run.optimum]).flatten();
    let least = known.fold(f64::INFINITY, f64::min);
    let vote = |run: &&Run| {
        let error = |loss: f64| match loss == least {
            true => Some(0.0),
            false => (least > 0.0).then(|| 100.0 * (loss - least) / least),
        };
        run.value.map(|loss| Vote { loss, error: error(loss) })
    };
    point.iter().map(vote).collect()
}

/// Counts the ballots.
pub fn rank(table: &str, algorithms: &[String], ballots: &[Ballot]) -> Ranking {
    let common: Vec<&Ballot> =
        ballots.iter().filter(|b| b.iter().all(|v| v.is_some_and(|v| v.error.is_some()))).collect();
    let standing = |(i, algorithm): (usize, &String)| {
        let races = (0..algorithms.len()).filter(|&j| j != i).map(|j| race(ballots, i, j));
        let (won, lost) =
            races.fold((0, 0), |(won, lost), lead| (won + u64::from(lead > 0), lost + u64::from(lead < 0)));
        Standing {
            algorithm: algorithm.clone(),
            error: common.iter().filter_map(|b| b[i]?.error).sum(),
            first: ballots.iter().filter(|b| first(b, i)).count() as u64,
            won,
            lost,
        }
    };
    let standings: Vec<Standing> = algorithms.iter().enumerate().map(standing).collect();
    let voted = ballots.iter().filter(|b| b.iter().any(Option::is_some)).count() as u64;
    let winners = |voted: bool, key: &dyn Fn(&Standing) -> f64| match voted {
        true => least(&standings, key),
        false => Vec::new(),
    };
    Ranking {
        table: table.to_owned(),
        ballots: voted,
        common: common.len() as u64,
        total: winners(!common.is_empty(), &|s| s.error),
        majority: winners(voted > 0, &|s| -(s.first as f64)),
        condorcet: winners(voted > 0, &|s| -(s.won as f64)),
        standings,
    }
}

/// Whether an algorithm is on a ballot and no other is better.
fn first(ballot: &Ballot, algorithm: usize) -> bool {
    ballot[algorithm].is_some_and(|own| ballot.iter().flatten().all(|other| own.loss <= other.loss))
}

/// Points at which `a` is better than `b`, less those at which `b` is.
fn race(ballots: &[Ballot], a: usize, b: usize) -> i64 {
    let lead = |ballot: &Ballot| match (ballot[a], ballot[b]) {
        (Some(a), Some(b)) => i64::from(a.loss < b.loss) - i64::from(b.loss < a.loss),
        _ => 0,
    };
    ballots.iter().map(lead).sum()
}

fn least(standings: &[Standing], key: &dyn Fn(&Standing) -> f64) -> Vec<String> {
    let least = standings.iter().map(key).fold(f64::INFINITY, f64::min);
    standings.iter().filter(|s| key(s) == least).map(|s| s.algorithm.clone()).collect()
}
