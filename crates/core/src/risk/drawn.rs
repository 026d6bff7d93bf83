//! A population with an available table: the number of people who match each combination of the
//! sample.
//!
//! The population's combinations are translated to the sample's codes and looked up one by one. If
//! missing cells match everything, those of both tables are counted together by patterns of missing
//! columns. Costs by combinations of both.

use super::grouping::Columns;
use super::table::{People, Population, Table};
use crate::error::Result;
use crate::fault;
use crate::policy::Missing;
use crate::rank::Ranker;
use crate::table::Code;
use crate::watch::Watch;

impl Table {
    /// The population of this sample, from a table of the same columns. Rows of it that lack a
    /// value are left out where the sample's are.
    ///
    /// # Errors
    /// A combination that the sample has more often than the population; when stopped.
    pub fn drawn_from(&self, population: &Table, missing: Missing, watch: &Watch) -> Result<Population> {
        let theirs = Theirs::new(self, population, missing);
        let (of_tuple, short, unique) = match missing {
            Missing::Wildcard => theirs.matched(watch)?,
            Missing::Value | Missing::Suppress => theirs.found(),
        };
        if short > 0 {
            return Err(fault!(
                Data,
                "risk.not-a-sample",
                "{combinations} combinations of values are in fewer rows of the population than of the table",
                combinations = short
            )
            .key("--population")
            .help("the population is a table that holds everybody in the sample too, written in the same way")
            .into());
        }
        let all = theirs.kept.iter().map(|&at| u64::from(population.tuples.counts()[at])).sum();
        Ok(Population::Table(People { of_tuple, all, unique }))
    }

    /// The combinations that are looked at: without those that lack a value where such rows are
    /// suppressed.
    pub(super) fn kept(&self, missing: Missing) -> Vec<usize> {
        let lacks = |at: usize| {
            (0..self.names.len()).any(|c| Some(self.tuples.code(at, c)) == self.dictionaries[c].missing())
        };
        (0..self.tuples.len()).filter(|&at| missing != Missing::Suppress || !lacks(at)).collect()
    }
}

/// Both tables.
struct Theirs<'a> {
    sample: &'a Table,
    population: &'a Table,
    missing: Missing,
    /// The population's combinations that count.
    kept: Vec<usize>,
    /// Column → code of the population → the same value in the sample's codes, further codes for
    /// what the sample lacks.
    maps: Vec<Vec<Code>>,
}

impl<'a> Theirs<'a> {
    fn new(sample: &'a Table, population: &'a Table, missing: Missing) -> Self {
        let map = |column: usize| {
            let (ours, theirs) = (&sample.dictionaries[column], &population.dictionaries[column]);
            let mut next = ours.len() as Code;
            let mut code = |value: Option<&str>| {
                ours.get(value).unwrap_or_else(|| {
                    next += 1;
                    next - 1
                })
            };
            (0..theirs.len() as Code).map(|c| code(theirs.value(c))).collect()
        };
        let maps = (0..sample.names.len()).map(map).collect();
        Theirs { sample, population, missing, kept: population.kept(missing), maps }
    }

    fn code(&self, at: usize, column: usize) -> Code {
        self.maps[column][self.population.tuples.code(at, column) as usize]
    }

    /// People of every combination of the sample, how many combinations have too few, and unique
    /// people.
    fn found(&self) -> (Vec<u64>, u64, u64) {
        let mut people = vec![0; self.sample.tuples.len()];
        let mut unique = 0;
        for &at in &self.kept {
            let row: Vec<Code> = (0..self.maps.len()).map(|c| self.code(at, c)).collect();
            let count = u64::from(self.population.tuples.counts()[at]);
            unique += u64::from(count == 1);
            if let Some(ours) = self.sample.tuples.find(&row) {
                people[ours as usize] += count;
            }
        }
        let fewer = |&at: &usize| people[at] < u64::from(self.sample.tuples.counts()[at]);
        let short = self.sample.kept(self.missing).into_iter().filter(fewer).count() as u64;
        (people, short, unique)
    }

    /// The same where missing cells match everything.
    fn matched(&self, watch: &Watch) -> Result<(Vec<u64>, u64, u64)> {
        let ours = self.sample.tuples.len();
        let codes = (0..self.maps.len()).map(|column| {
            let sample = (0..ours).map(|at| self.sample.tuples.code(at, column));
            sample.chain(self.kept.iter().map(|&at| self.code(at, column))).collect()
        });
        let wildcard = |column: usize| {
            let theirs = self.population.dictionaries[column].missing();
            let theirs = theirs.map(|code| self.maps[column][code as usize]);
            self.sample.dictionaries[column].missing().or(theirs)
        };
        let wildcards = (0..self.maps.len()).map(wildcard).collect();
        let both = Columns::new(codes.collect(), wildcards, vec![1; ours + self.kept.len()]);
        let (all, mut ranker) = (both.all(), Ranker::default());
        let own = |at: usize| u64::from(self.sample.tuples.counts()[at]);
        let their = |at: &usize| u64::from(self.population.tuples.counts()[*at]);
        let nobody = |number: usize| std::iter::repeat_n(0, number);
        let rows: Vec<u64> = (0..ours).map(own).chain(nobody(self.kept.len())).collect();
        let people: Vec<u64> = nobody(ours).chain(self.kept.iter().map(their)).collect();
        let rows = both.summed(&all, &rows, &mut ranker, watch)?;
        let mut people = both.summed(&all, &people, &mut ranker, watch)?;
        let short = (0..ours).filter(|&at| people[at] < rows[at]).count() as u64;
        let unique = people[ours..].iter().filter(|&&people| people == 1).count() as u64;
        people.truncate(ours);
        Ok((people, short, unique))
    }
}
