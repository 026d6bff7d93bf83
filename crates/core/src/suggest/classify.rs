//! How well a classifier learns from released rows: naive Bayes, trained on seven tenths of the rows
//! as released and tested on the other three tenths as they were.
//!
//! It predicts a target, or a sensitive column with few values, from the quasi-identifiers. Numbers
//! with many values are divided at their median. Features are the categories of each
//! quasi-identifier, of one with many values the labels of the lowest level with at most 30, and
//! numbers in ten parts with about as many rows each. A cell that may be several of them counts in
//! equal parts for each, and `*` for nothing. Accuracy is the share of test rows
//! whose most likely class is right; AUC is the chance that a row of a class is ranked above one
//! of another class, averaged over classes by their rows. Which rows are held out follows from their
//! values. Costs one pass over the classes for training and one for testing.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::cell::number;
use crate::classes::Classes;
use crate::hierarchy::{Hierarchy, TOP};
use crate::histogram::Histogram;
use crate::policy::{Policy, Role};
use crate::predict::{Feature, Reader};
use crate::recoded::Recoded;
use crate::search::Problem;
use crate::table::{Code, Dictionary};

/// The most classes that are predicted.
const CLASSES: usize = 20;
/// Parts of numbers.
const PARTS: usize = 10;
/// The most values that are features as they are: dates of birth would each be learned from one row.
const FEATURES: usize = 30;
/// Of ten rows, those that are held out.
const HELD_OUT: u64 = 3;

/// How well a classifier does on held-out rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Accuracy {
    /// The share of rows whose class it finds.
    pub accuracy: f64,
    /// The area under the curve; ½ is chance.
    pub auc: f64,
}

/// What is predicted, and how well from the original rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Classifier {
    /// The column.
    pub column: String,
    /// Number of classes.
    pub classes: usize,
    /// The share of the most frequent class: what guessing reaches.
    pub majority: f64,
    /// From the original rows.
    pub original: Accuracy,
    /// The measured column.
    #[serde(skip)]
    measured: usize,
    /// Code of the column → class; none is missing.
    #[serde(skip)]
    class_of: Vec<Option<usize>>,
}

/// Whether a column with these values can be predicted: it has two or more classes, few enough; or
/// numbers, which are divided.
pub fn few_classes(values: &Dictionary, missing: &[String]) -> bool {
    classes(values, missing).is_some()
}

/// Code → class, and how many classes there are.
fn classes(values: &Dictionary, missing: &[String]) -> Option<(Vec<Option<usize>>, usize)> {
    let known =
        |code: Code| values.value(code).filter(|text| !text.is_empty() && !missing.iter().any(|m| m == text));
    let mut texts: Vec<(&str, u64)> =
        (0..values.len() as Code).filter_map(|code| Some((known(code)?, values.count(code)))).collect();
    if texts.len() < 2 {
        return None;
    }
    let all = 0..values.len() as Code;
    if texts.len() <= CLASSES {
        texts.sort_unstable();
        let place =
            |code: Code| known(code).and_then(|text| texts.iter().position(|(other, _)| *other == text));
        return Some((all.map(place).collect(), texts.len()));
    }
    let mut numbers: Vec<(f64, u64)> =
        texts.iter().map(|(text, rows)| Some((number(text)?, *rows))).collect::<Option<_>>()?;
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = numbers.iter().map(|(_, rows)| rows).sum::<u64>() / 2;
    let mut below = 0;
    let median = numbers.iter().find(|(_, rows)| {
        below += rows;
        below >= half
    });
    let median = median?.0;
    let part = |code: Code| known(code).and_then(number).map(|x| usize::from(x > median));
    Some((all.map(part).collect(), 2))
}

impl Classifier {
    /// For the first target that can be predicted, or the measured sensitive column with fewest
    /// values; none where there is no such column, or too few rows of a second class.
    pub fn new(policy: &Policy, problem: &Problem) -> Option<Self> {
        let role = |name: &String| policy.columns.get(name).map(|column| column.role);
        let mut columns: Vec<usize> = (0..problem.measured.len()).collect();
        columns.retain(|&at| matches!(role(&problem.measured[at].0), Some(Role::Target | Role::Sensitive)));
        columns.sort_by_key(|&at| {
            let (name, texts) = &problem.measured[at];
            let sensitive = role(name) == Some(Role::Sensitive);
            (sensitive, if sensitive { texts.len() } else { 0 })
        });
        columns.into_iter().find_map(|measured| Classifier::of(policy, problem, measured))
    }

    fn of(policy: &Policy, problem: &Problem, measured: usize) -> Option<Self> {
        let (column, texts) = &problem.measured[measured];
        let (class_of, classes) = classes(texts, &policy.input.null)?;
        let mut rows = vec![0_u64; classes];
        for code in 0..texts.len() as Code {
            if let Some(class) = class_of[code as usize] {
                rows[class] += texts.count(code);
            }
        }
        let all: u64 = rows.iter().sum();
        let majority = rows.iter().copied().max()? as f64 / all.max(1) as f64;
        let nothing = Accuracy { accuracy: 0.0, auc: 0.5 };
        let column = column.clone();
        let mut classifier = Classifier { column, classes, majority, original: nothing, measured, class_of };
        let parts = Parts::new(policy, problem)?;
        let leaves = parts.leaves(problem);
        let original = |class: usize, column: usize| Some(problem.classes.code(class, column) as usize);
        classifier.original = classifier.tested(
            problem,
            &problem.classes,
            &parts,
            &Training { cells: &leaves, of: &original },
        )?;
        Some(classifier)
    }

    /// How well it does when it is trained on released rows; none where it is not known which row
    /// has which class.
    pub(super) fn accuracy(&self, policy: &Policy, problem: &Problem, recoded: &Recoded) -> Option<Accuracy> {
        let parts = Parts::new(policy, problem)?;
        let cells = |column: usize| -> Vec<Vec<u32>> {
            let labels = recoded.columns()[column].labels.iter();
            labels.map(|label| parts.cell(column, label.as_deref())).collect()
        };
        let cells: Vec<Vec<Vec<u32>>> = (0..problem.names.len()).map(cells).collect();
        let of = |class: usize, column: usize| {
            let values = &recoded.columns()[column].values;
            (!recoded.suppresses(class)).then(|| values[recoded.cell(class, column)].label as usize)
        };
        self.tested(problem, recoded.base(), &parts, &Training { cells: &cells, of: &of })
    }

    /// Trains on the rows that are not held out, and tests on the original cells of the others.
    fn tested(
        &self,
        problem: &Problem,
        base: &Classes,
        parts: &Parts,
        training: &Training<'_>,
    ) -> Option<Accuracy> {
        let labels: &Histogram = base.histograms().get(self.measured)?;
        // Column → cell → class → rows.
        let empty = |cells: &Vec<Vec<u32>>| vec![vec![0.0; self.classes]; cells.len()];
        let mut rows: Vec<Vec<Vec<f64>>> = training.cells.iter().map(empty).collect();
        let mut model = Bayes::new(self.classes, &parts.sizes);
        let mut test: Vec<(usize, Vec<f64>)> = Vec::new();
        for class in 0..base.len() {
            let [train, held] = self.divided(labels.class(class), key(problem, base, class));
            for (column, rows) in rows.iter_mut().enumerate() {
                if let Some(cell) = (training.of)(class, column) {
                    rows[cell].iter_mut().zip(&train).for_each(|(all, n)| *all += n);
                }
            }
            if (training.of)(class, 0).is_some() {
                model.rows.iter_mut().zip(&train).for_each(|(all, n)| *all += n);
            }
            if held.iter().any(|n| *n > 0.0) {
                test.push((class, held));
            }
        }
        for (column, (cells, rows)) in training.cells.iter().zip(&rows).enumerate() {
            cells.iter().zip(rows).for_each(|(cell, rows)| model.add(column, cell, rows));
        }
        let leaves = parts.leaves(problem);
        let original = |class: usize, column: usize| &leaves[column][base.code(class, column) as usize];
        let scored =
            |(class, held): (usize, Vec<f64>)| (model.predict(&|column| original(class, column)), held);
        accuracy(&test.into_iter().map(scored).collect::<Vec<_>>(), self.classes)
    }

    /// The rows of a class of the table, to train on and held out, per class that is predicted.
    fn divided(&self, (codes, counts): (&[Code], &[u32]), key: u64) -> [Vec<f64>; 2] {
        let mut parts = [vec![0.0; self.classes], vec![0.0; self.classes]];
        for (&code, &count) in codes.iter().zip(counts) {
            let Some(label) = self.class_of.get(code as usize).copied().flatten() else { continue };
            for row in 0..count {
                let drawn = mixed(key ^ mixed(u64::from(code)) ^ u64::from(row).rotate_left(32)) % 10;
                parts[usize::from(drawn < HELD_OUT)][label] += 1.0;
            }
        }
        parts
    }
}

/// What a model is trained on.
struct Training<'a> {
    /// Column → cell → the categories that it may be.
    cells: &'a [Vec<Vec<u32>>],
    /// Class of the table and column → cell; none where the row is suppressed.
    of: &'a dyn Fn(usize, usize) -> Option<usize>,
}

/// Share of right classes and AUC of scored rows: chances per class, and rows per class.
fn accuracy(scored: &[(Vec<f64>, Vec<f64>)], classes: usize) -> Option<Accuracy> {
    let all: f64 = scored.iter().flat_map(|(_, rows)| rows).sum();
    if all == 0.0 {
        return None;
    }
    let most = |chances: &[f64]| {
        let best = chances.iter().enumerate().max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)));
        best.map_or(0, |(class, _)| class)
    };
    let right: f64 = scored.iter().map(|(chances, rows)| rows[most(chances)]).sum();
    let (mut sum, mut weight) = (0.0, 0.0);
    for class in 0..classes {
        let rows = scored.iter().map(|(chances, rows)| {
            let others: f64 = rows.iter().sum::<f64>() - rows[class];
            (chances[class], rows[class], others)
        });
        if let Some((auc, own)) = area(rows.collect()) {
            sum += own * auc;
            weight += own;
        }
    }
    let auc = if weight > 0.0 { sum / weight } else { 0.5 };
    Some(Accuracy { accuracy: right / all, auc })
}

/// The chance that a row of the class has a higher score than another, ties as one half; and the
/// rows of the class. None where there are no two rows to compare.
fn area(mut rows: Vec<(f64, f64, f64)>) -> Option<(f64, f64)> {
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (own, others): (f64, f64) = rows.iter().fold((0.0, 0.0), |(a, b), row| (a + row.1, b + row.2));
    if own == 0.0 || others == 0.0 {
        return None;
    }
    let (mut below, mut won) = (0.0, 0.0);
    for tie in rows.chunk_by(|a, b| a.0 == b.0) {
        let (a, b): (f64, f64) = tie.iter().fold((0.0, 0.0), |(a, b), row| (a + row.1, b + row.2));
        won += a * (below + b / 2.0);
        below += b;
    }
    Some((won / (own * others), own))
}

/// A number that depends on the values of a class and on nothing else.
fn key(problem: &Problem, base: &Classes, class: usize) -> u64 {
    (0..problem.names.len()).fold(0, |key, column| {
        let value = problem.hierarchies[column].leaf_value(base.code(class, column)).unwrap_or("\0");
        value.bytes().fold(mixed(key ^ 0xff), |key, byte| mixed(key ^ u64::from(byte)))
    })
}

/// The finalizer of SplitMix64.
fn mixed(z: u64) -> u64 {
    let z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The quasi-identifiers as categories.
struct Parts {
    reader: Reader,
    /// Column → the bounds between parts of its numbers; none for categories.
    bounds: Vec<Option<Vec<f64>>>,
    /// Column → category → its group; none where categories are features as they are.
    groups: Vec<Option<Vec<u32>>>,
    /// Column → number of features.
    sizes: Vec<usize>,
}

impl Parts {
    fn new(policy: &Policy, problem: &Problem) -> Option<Self> {
        let reader = problem.reader(policy, &problem.names).ok()?;
        let features = reader.features();
        let bounds: Vec<Option<Vec<f64>>> = features
            .iter()
            .enumerate()
            .map(|(column, feature)| (*feature == Feature::Number).then(|| bounds(problem, column)))
            .collect();
        let group = |(column, feature): (usize, &Feature)| match feature {
            Feature::Category(of) => groups(&problem.hierarchies[column], &reader, (column, *of)),
            Feature::Number => None,
        };
        let groups: Vec<Option<Vec<u32>>> = features.iter().enumerate().map(group).collect();
        let size = |(column, feature): (usize, &Feature)| match (feature, &groups[column]) {
            (Feature::Category(_), Some(groups)) => groups.iter().max().map_or(1, |last| *last as usize + 1),
            (Feature::Category(of), None) => *of as usize,
            (Feature::Number, _) => bounds[column].as_ref().map_or(1, |bounds| bounds.len() + 1),
        };
        let sizes = features.iter().enumerate().map(size).collect();
        Some(Parts { reader, bounds, groups, sizes })
    }

    /// Column → leaf → the categories of the original value.
    fn leaves(&self, problem: &Problem) -> Vec<Vec<Vec<u32>>> {
        let column = |(column, hierarchy): (usize, &Hierarchy)| {
            let leaves = 0..hierarchy.leaf_count() as Code;
            leaves.map(|leaf| self.cell(column, hierarchy.leaf_value(leaf))).collect()
        };
        problem.hierarchies.iter().enumerate().map(column).collect()
    }

    /// The categories that a cell may be; none where it says nothing.
    fn cell(&self, column: usize, cell: Option<&str>) -> Vec<u32> {
        if cell == Some(TOP) {
            return Vec::new();
        }
        let mut parts: Vec<u32> = match (&self.bounds[column], &self.groups[column]) {
            (Some(_), _) if cell.is_none() => Vec::new(),
            (Some(bounds), _) => {
                let part = |x: f64| bounds.partition_point(|bound| *bound < x) as u32;
                self.reader.may_be(column, cell).into_iter().map(part).collect()
            }
            (None, groups) => {
                let group = |category: f64| match groups {
                    Some(groups) => groups[category as usize],
                    None => category as u32,
                };
                self.reader.cell(column, cell).into_iter().map(group).collect()
            }
        };
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// Category → the label of the lowest level with few labels; none where there are few categories, or
/// no such level. The last category is a missing cell, and has a group of its own.
fn groups(hierarchy: &Hierarchy, reader: &Reader, (column, of): (usize, u32)) -> Option<Vec<u32>> {
    if of as usize <= FEATURES || hierarchy.poset().is_some() {
        return None;
    }
    let level = (1..=hierarchy.height()).find(|&level| hierarchy.size(level) <= FEATURES)?;
    let labels = hierarchy.size(level) as u32;
    let group = |category: u32| {
        let leaf = reader.text(column, f64::from(category)).and_then(|text| hierarchy.leaf(Some(&text)));
        leaf.map_or(labels, |leaf| hierarchy.generalize(leaf, level))
    };
    (labels > 1).then(|| (0..of).map(group).collect())
}

/// Bounds that divide the numbers of a column into parts with about as many rows each.
fn bounds(problem: &Problem, column: usize) -> Vec<f64> {
    let hierarchy = &problem.hierarchies[column];
    let mut rows: FxHashMap<Code, u64> = FxHashMap::default();
    problem.classes.each_code(column, |class, leaf| {
        let count = problem.classes.counts().get(class).copied().unwrap_or(0);
        *rows.entry(leaf).or_default() += u64::from(count);
    });
    let known =
        rows.into_iter().filter_map(|(leaf, rows)| Some((number(hierarchy.leaf_value(leaf)?)?, rows)));
    let mut numbers: Vec<(f64, u64)> = known.collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: u64 = numbers.iter().map(|(_, rows)| rows).sum();
    let (mut seen, mut bounds) = (0, Vec::new());
    for (x, rows) in numbers {
        seen += rows;
        let full = seen as f64 * PARTS as f64 >= (bounds.len() + 1) as f64 * all as f64;
        if full && seen < all {
            bounds.push(x);
        }
    }
    bounds
}

/// Naive Bayes on categories, with one more row per category (Laplace).
struct Bayes {
    classes: usize,
    /// Rows per class.
    rows: Vec<f64>,
    /// Column → class → category → rows.
    counts: Vec<Vec<Vec<f64>>>,
    /// Column → class → rows of all categories.
    sums: Vec<Vec<f64>>,
}

impl Bayes {
    fn new(classes: usize, sizes: &[usize]) -> Self {
        let column = |&size: &usize| vec![vec![1.0; size]; classes];
        Bayes {
            classes,
            rows: vec![1.0; classes],
            counts: sizes.iter().map(column).collect(),
            sums: sizes.iter().map(|&size| vec![size as f64; classes]).collect(),
        }
    }

    /// Adds rows of one cell: their number per class.
    fn add(&mut self, column: usize, cell: &[u32], rows: &[f64]) {
        if cell.is_empty() {
            return;
        }
        let share = 1.0 / cell.len() as f64;
        for (class, rows) in rows.iter().enumerate().filter(|(_, rows)| **rows > 0.0) {
            for &category in cell {
                self.counts[column][class][category as usize] += share * rows;
            }
            self.sums[column][class] += rows;
        }
    }

    /// How likely every class is for a row; a cell of no category is left out.
    fn predict<'a>(&self, cell: &dyn Fn(usize) -> &'a Vec<u32>) -> Vec<f64> {
        let cells: Vec<&Vec<u32>> = (0..self.counts.len()).map(cell).collect();
        let score = |class: usize| {
            let known = cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
            let column = |(column, cell): (usize, &&Vec<u32>)| {
                let counts = &self.counts[column][class];
                let rows: f64 = cell.iter().map(|&category| counts[category as usize]).sum();
                (rows / self.sums[column][class]).ln()
            };
            self.rows[class].ln() + known.map(column).sum::<f64>()
        };
        let scores: Vec<f64> = (0..self.classes).map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let all: f64 = likely.iter().sum();
        likely.into_iter().map(|chance| chance / all).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_pairs_and_ties_as_one_half() {
        // Scores 0.1 (another), 0.4 (own), 0.4 (another), 0.9 (own): 3.5 of 4 pairs are in order.
        let rows = vec![(0.4, 1.0, 1.0), (0.1, 0.0, 1.0), (0.9, 1.0, 0.0)];
        assert_eq!(area(rows), Some((3.5 / 4.0, 2.0)));
        assert_eq!(area(vec![(0.4, 1.0, 0.0)]), None);
    }

    #[test]
    fn columns_are_classes_by_value_or_by_their_median() {
        let mut few = Dictionary::new();
        for (value, rows) in [("flu", 5), ("angina", 2), ("", 1), ("NA", 3)] {
            few.add(Some(value), rows);
        }
        let (class_of, of) = classes(&few, &["NA".into()]).unwrap();
        assert_eq!((class_of, of), (vec![Some(1), Some(0), None, None], 2));
        let mut many = Dictionary::new();
        for x in 0..30 {
            many.add(Some(&x.to_string()), 1);
        }
        let (class_of, of) = classes(&many, &[]).unwrap();
        assert_eq!((of, class_of.iter().filter(|class| **class == Some(0)).count()), (2, 15));
        many.add(Some("x"), 1);
        assert!(classes(&many, &[]).is_none());
    }

    #[test]
    fn bayes_learns_what_cells_say_and_ignores_stars() {
        let mut model = Bayes::new(2, &[3]);
        model.add(0, &[0], &[8.0, 0.0]);
        model.add(0, &[1, 2], &[0.0, 8.0]);
        model.rows = vec![9.0, 9.0];
        let [first, third, star] = [vec![0], vec![2], Vec::new()];
        assert!(model.predict(&|_| &first)[0] > 0.8);
        assert!(model.predict(&|_| &third)[1] > 0.7);
        assert_eq!(model.predict(&|_| &star), vec![0.5, 0.5]);
    }
}
