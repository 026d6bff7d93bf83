//! Tables of skewed, independent, categorical columns, for benchmarks.
//!
//! Value number `i` (from 0) of a column is drawn with weight (i + 1) to the −`skew` (Zipf's law),
//! so a few values are common and most are rare, as in real quasi-identifiers. Rows are codes
//! without strings: a cell costs one random word and one look-up, about 10 ns; nothing is stored.

use super::draw::{Draw, Weights};
use super::exact;
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::Path;

/// What a skewed table looks like.
#[derive(Debug, Clone)]
pub struct Skewed {
    domains: Vec<usize>,
    fanouts: Vec<Vec<usize>>,
    skew: f64,
    seed: u64,
    weights: Vec<Weights>,
}

impl Skewed {
    /// The most values a column can have: beyond it, 32-bit draws would be visibly uneven.
    pub const MAX_DOMAIN: usize = 1 << 20;

    /// Describes a table: the number of values of each column, and how many neighbours each level
    /// of its hierarchy joins, e.g. 25 values with `[5, 2]` become 5, then 3, then `*`.
    ///
    /// # Errors
    /// Lists of different length, a domain of 0 or more than [`Skewed::MAX_DOMAIN`] values, a
    /// fan-out below 2 or one that leaves a single value below the highest level, or a skew outside
    /// 0 to 10.
    pub fn new(domains: Vec<usize>, fanouts: Vec<Vec<usize>>, skew: f64, seed: u64) -> Result<Skewed> {
        Error::check(faults(&domains, &fanouts, skew))?;
        let weights = domains.iter().map(|&size| Weights::new(zipf(size, skew))).collect();
        Ok(Skewed { domains, fanouts, skew, seed, weights })
    }

    /// Nine columns in the shape of a health survey, with a lattice of 6·5·4·3·3·3·2·2·2 = 25,920
    /// nodes.
    ///
    /// 1.2 million rows have some 700,000 distinct tuples.
    pub fn nine(seed: u64) -> Skewed {
        // In the order of: age, year, place in household, marital status, region, quarter,
        // education, race, sex.
        let domains = vec![86, 13, 25, 10, 4, 4, 26, 16, 2];
        let fanouts: [&[usize]; 9] = [&[5, 2, 2, 2], &[2, 2, 2], &[5, 2], &[3], &[2], &[2], &[], &[], &[]];
        let skew = 1.5;
        let weights = domains.iter().map(|&size| Weights::new(zipf(size, skew))).collect();
        Skewed { domains, fanouts: fanouts.map(<[usize]>::to_vec).into(), skew, seed, weights }
    }

    /// How many values each column has.
    pub fn domains(&self) -> &[usize] {
        &self.domains
    }

    /// How steeply frequencies fall; 0 makes all values alike.
    pub fn skew(&self) -> f64 {
        self.skew
    }

    /// How many nodes the lattice over all columns has.
    pub fn nodes(&self) -> usize {
        self.fanouts.iter().map(|f| f.len() + 2).product()
    }

    /// The name of a column: `c3`.
    pub fn name(&self, column: usize) -> String {
        format!("c{column}")
    }

    /// The text of a value: `c3_17`.
    pub fn label(&self, column: usize, code: u32) -> String {
        format!("c{column}_{code}")
    }

    /// The hierarchy of a column, in order of codes, up to below its highest level.
    ///
    /// A group is named after its first and last value: `c3_15-19`.
    pub fn paths(&self, column: usize) -> Vec<Path> {
        hierarchy_paths(&self.name(column), self.domains[column], &self.fanouts[column])
    }

    /// The rows from number `first` on, without end; row `i` is the same wherever one starts, so
    /// that threads can share the work.
    pub fn rows(&self, first: u64) -> Rows<'_> {
        let mut draw = Draw::new(self.seed);
        draw.skip_to(u128::from(first) * self.domains.len() as u128);
        Rows { weights: &self.weights, draw }
    }
}

/// The hierarchy of a column with this many values, up to below its highest level.
pub(super) fn hierarchy_paths(name: &str, size: usize, fanouts: &[usize]) -> Vec<Path> {
    let group = |code: usize, width: usize| {
        let first = code - code % width;
        format!("{name}_{first}-{}", (first + width).min(size) - 1)
    };
    let widths: Vec<usize> = widths(fanouts).collect();
    (0..size)
        .map(|code| Path {
            leaf: format!("{name}_{code}"),
            labels: widths.iter().map(|&width| group(code, width)).collect(),
        })
        .collect()
}

/// The rows of a [`Skewed`] table, one after the other.
pub struct Rows<'a> {
    weights: &'a [Weights],
    draw: Draw,
}

impl Rows<'_> {
    /// Writes the next row's codes; `row` has one place per column.
    pub fn fill(&mut self, row: &mut [u32]) {
        debug_assert_eq!(row.len(), self.weights.len());
        for (code, weights) in row.iter_mut().zip(self.weights) {
            *code = self.draw.pick(weights);
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Vec<u32>;

    /// The next row in a vector of its own; [`Rows::fill`] saves the allocation.
    fn next(&mut self) -> Option<Vec<u32>> {
        let mut row = vec![0; self.weights.len()];
        self.fill(&mut row);
        Some(row)
    }
}

/// Zipf's law in whole numbers; even the rarest value keeps a weight.
fn zipf(size: usize, skew: f64) -> impl Iterator<Item = u64> {
    let one = (1u64 << 40) as f64;
    (1..=size).map(move |rank| (one * exact::power(rank as f64, -skew)).round().max(1.0) as u64)
}

/// How many values a group has at level 1, 2, ….
fn widths(fanouts: &[usize]) -> impl Iterator<Item = usize> {
    fanouts.iter().scan(1usize, |width, &fanout| {
        *width = width.saturating_mul(fanout);
        Some(*width)
    })
}

fn faults(domains: &[usize], fanouts: &[Vec<usize>], skew: f64) -> Vec<Fault> {
    let mut faults = Vec::new();
    if domains.is_empty() || domains.len() != fanouts.len() {
        faults.push(
            fault!(
                Input,
                "synth.domains-without-fanouts",
                "{domains} domains and {lists} lists of fan-outs",
                domains = domains.len(),
                lists = fanouts.len()
            )
            .help("give one or more columns, each with its domain and its fan-outs"),
        );
    }
    if !(0.0..=10.0).contains(&skew) {
        faults.push(fault!(
            Input,
            "synth.skew-out-of-range",
            "a skew of {skew} is not between 0 and 10",
            skew = skew
        ));
    }
    for (column, (&size, fanouts)) in domains.iter().zip(fanouts).enumerate() {
        let mut fault = |fault: Fault| faults.push(fault.column(format!("c{column}")));
        if !(1..=Skewed::MAX_DOMAIN).contains(&size) {
            fault(fault!(
                Input,
                "synth.domain-out-of-range",
                "{values} values are not between 1 and {limit}",
                values = size,
                limit = Skewed::MAX_DOMAIN
            ));
        }
        if fanouts.iter().any(|&f| f < 2) {
            fault(fault!(
                Input,
                "synth.fanout-below-two",
                "a fan-out is below 2, so that its level would repeat the one before"
            ));
        } else if widths(fanouts).last().is_some_and(|width| width >= size) {
            fault(fault!(
                Input,
                "synth.fanouts-too-wide",
                "the fan-outs {fanouts} leave a single value below the highest level",
                fanouts = format!("{fanouts:?}")
            ));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;
    use std::collections::HashSet;

    #[test]
    fn nine_columns_make_a_lattice_of_25920_nodes() {
        let table = Skewed::nine(1);
        assert_eq!(table.domains().len(), 9);
        assert!(faults(&table.domains, &table.fanouts, table.skew).is_empty());
        let nodes: usize =
            (0..9).map(|c| Hierarchy::new(table.paths(c), false).unwrap().height() + 1).product();
        assert_eq!((nodes, table.nodes()), (25_920, 25_920));
    }

    #[test]
    fn codes_are_leaf_codes_of_the_hierarchy() {
        let table = Skewed::nine(1);
        for column in 0..9 {
            let hierarchy = Hierarchy::new(table.paths(column), false).unwrap();
            assert_eq!(hierarchy.leaf_count(), table.domains()[column]);
            for code in 0..table.domains()[column] as u32 {
                assert_eq!(hierarchy.leaf(Some(&table.label(column, code))), Some(code));
            }
        }
        assert_eq!(table.paths(2)[24].labels, ["c2_20-24", "c2_20-24"]);
        assert_eq!(table.paths(2)[7].labels, ["c2_5-9", "c2_0-9"]);
        assert_eq!((table.name(2), table.label(2, 7)), ("c2".into(), "c2_7".into()));
    }

    /// Seed 7, 300,000 rows: every value's count within 5 deviations of Zipf's law.
    #[test]
    fn marginals_follow_the_law() {
        let (rows, table) = (300_000, Skewed::nine(7));
        let mut seen: Vec<Vec<u32>> = table.domains().iter().map(|&d| vec![0; d]).collect();
        let (mut source, mut row) = (table.rows(0), [0; 9]);
        for _ in 0..rows {
            source.fill(&mut row);
            row.iter().zip(&mut seen).for_each(|(&code, seen)| seen[code as usize] += 1);
        }
        for (column, seen) in seen.iter().enumerate() {
            let law: Vec<f64> = (1..=seen.len()).map(|i| (i as f64).powf(-table.skew())).collect();
            let total: f64 = law.iter().sum();
            for (code, (&seen, weight)) in seen.iter().zip(law).enumerate() {
                let share = weight / total;
                let expected = f64::from(rows) * share;
                let deviation = (expected * (1.0 - share)).sqrt();
                assert!((f64::from(seen) - expected).abs() < 5.0 * deviation, "c{column}_{code}: {seen}");
            }
        }
    }

    #[test]
    fn many_tuples_are_distinct() {
        let table = Skewed::nine(1);
        let (mut source, mut row, mut tuples) = (table.rows(0), [0; 9], HashSet::new());
        for _ in 0..1_200_000 {
            source.fill(&mut row);
            tuples.insert(
                row.iter().zip(table.domains()).fold(0u64, |key, (&c, &d)| key * d as u64 + u64::from(c)),
            );
        }
        assert!((690_000..710_000).contains(&tuples.len()), "{}", tuples.len());
    }

    #[test]
    fn rows_depend_on_seed_and_number_alone() {
        let table = Skewed::nine(5);
        let rows: Vec<Vec<u32>> = table.rows(0).take(100).collect();
        assert_eq!(table.rows(60).take(40).collect::<Vec<_>>(), rows[60..]);
        assert_ne!(Skewed::nine(6).rows(0).take(100).collect::<Vec<_>>(), rows);
        assert_eq!(rows[0], [0, 1, 0, 7, 0, 3, 0, 1, 0]);
    }

    #[test]
    fn mistakes_are_named() {
        let table = Skewed::new(vec![0, 6, 4], vec![vec![], vec![2, 3], vec![1]], -1.0, 0);
        assert_eq!(table.unwrap_err().faults().len(), 4);
        assert!(Skewed::new(vec![6], vec![vec![2]], f64::NAN, 0).is_err());
        assert!(Skewed::new(vec![6], vec![], 1.0, 0).is_err());
        assert!(Skewed::new(vec![6, 1], vec![vec![2], vec![]], 0.0, 0).is_ok());
    }
}
