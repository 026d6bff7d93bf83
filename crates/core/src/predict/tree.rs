//! A decision tree for numbers and classes [Breiman 1984].
//!
//! Every split minimizes the remaining variance, or Gini impurity, over all splits: numbers below
//! and above a bound half way between two that occur; one category against all others. Ties go to
//! the first, in the order of features, bounds and categories. Leaves have at least five rows by
//! weight, and no path has more than twelve splits. Costs rows · log rows per feature and split.

use super::Model;
use super::sheet::{Feature, Line, Sheet, Target};
use crate::error::Result;

/// The least weight of a leaf.
pub(super) const LEAST: f64 = 5.0;
const DEPTH: usize = 12;

/// A split of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    pub(super) feature: usize,
    /// Numbers up to this are on the left, or this category alone.
    pub(super) at: f64,
}

enum Node {
    Leaf(Vec<f64>),
    Inner { split: Split, left: Box<Node>, right: Box<Node> },
}

pub(super) struct Tree {
    features: Vec<Feature>,
    root: Node,
}

pub(super) fn fit(sheet: &Sheet, _: u64) -> Result<Box<dyn Model>> {
    Ok(Box::new(grow(sheet, &mut |features| (0..features).collect())))
}

/// Grows a tree; `tried` selects, among the features, those to try at a split, in order.
pub(super) fn grow(sheet: &Sheet, tried: &mut dyn FnMut(usize) -> Vec<usize>) -> Tree {
    let rows: Vec<&Line> = sheet.rows().iter().collect();
    Tree { features: sheet.features().to_vec(), root: node(sheet, rows, DEPTH, tried) }
}

fn node(sheet: &Sheet, rows: Vec<&Line>, depth: usize, tried: &mut dyn FnMut(usize) -> Vec<usize>) -> Node {
    let target = sheet.target();
    if depth > 0 {
        let features = tried(sheet.features().len());
        if let Some(split) = best(sheet.features(), target, &rows, &features) {
            let kind = sheet.features()[split.feature];
            let (left, right): (Vec<&Line>, Vec<&Line>) =
                rows.into_iter().partition(|row| goes_left(kind, split, &row.cells));
            let left = Box::new(node(sheet, left, depth - 1, tried));
            return Node::Inner { split, left, right: Box::new(node(sheet, right, depth - 1, tried)) };
        }
    }
    Node::Leaf(Sums::of(target, &rows).answer())
}

fn goes_left(feature: Feature, split: Split, cells: &[f64]) -> bool {
    match feature {
        Feature::Number => cells[split.feature] <= split.at,
        Feature::Category(_) => cells[split.feature] == split.at,
    }
}

/// The split that leaves least impurity; none where none leaves less than there is.
pub(super) fn best(features: &[Feature], target: Target, rows: &[&Line], tried: &[usize]) -> Option<Split> {
    let all = Sums::of(target, rows);
    let mut best: Option<(f64, Split)> = None;
    // A gain within rounding error is not a gain.
    let enough = all.impurity() * (1.0 - 1e-9);
    for &feature in tried {
        let mut consider = |left: &Sums, right: &Sums, at: f64| {
            let impurity = left.impurity() + right.impurity();
            let large = left.weight >= LEAST && right.weight >= LEAST;
            if large && impurity < best.map_or(enough, |(least, _)| least * (1.0 - 1e-12)) {
                best = Some((impurity, Split { feature, at }));
            }
        };
        match features[feature] {
            Feature::Number => bounds(rows, feature, &all, &mut consider),
            Feature::Category(of) => categories(rows, feature, of, &all, &mut consider),
        }
    }
    best.map(|(_, split)| split)
}

fn bounds(rows: &[&Line], feature: usize, all: &Sums, consider: &mut dyn FnMut(&Sums, &Sums, f64)) {
    let mut order: Vec<&Line> = rows.to_vec();
    order.sort_by(|a, b| a.cells[feature].total_cmp(&b.cells[feature]));
    let (mut left, mut right) = (all.none(), all.clone());
    for pair in order.windows(2) {
        left.add(pair[0], 1.0);
        right.add(pair[0], -1.0);
        let (low, high) = (pair[0].cells[feature], pair[1].cells[feature]);
        if low < high {
            consider(&left, &right, low + (high - low) / 2.0);
        }
    }
}

fn categories(
    rows: &[&Line],
    feature: usize,
    of: u32,
    all: &Sums,
    consider: &mut dyn FnMut(&Sums, &Sums, f64),
) {
    let mut sums = vec![all.none(); of as usize];
    rows.iter().for_each(|row| sums[row.cells[feature] as usize].add(row, 1.0));
    for (category, left) in sums.iter().enumerate() {
        let mut right = all.clone();
        right.less(left);
        consider(left, &right, category as f64);
    }
}

/// What is added up over rows.
#[derive(Clone)]
struct Sums {
    target: Target,
    /// Numbers count from here, so that a large mean does not swallow what they differ by.
    origin: f64,
    weight: f64,
    /// Σ w·y and Σ w·y², or the weight of every class.
    parts: Vec<f64>,
}

impl Sums {
    fn of(target: Target, rows: &[&Line]) -> Self {
        let weight: f64 = rows.iter().map(|row| row.weight).sum();
        let (parts, origin) = match target {
            Target::Number => (2, rows.iter().map(|row| row.weight * row.target).sum::<f64>() / weight),
            Target::Class(of) => (of as usize, 0.0),
        };
        let mut sums = Sums { target, origin, weight: 0.0, parts: vec![0.0; parts] };
        rows.iter().for_each(|row| sums.add(row, 1.0));
        sums
    }

    /// The same of no rows.
    fn none(&self) -> Self {
        Sums { weight: 0.0, parts: vec![0.0; self.parts.len()], ..*self }
    }

    fn add(&mut self, row: &Line, sign: f64) {
        let weight = sign * row.weight;
        self.weight += weight;
        match self.target {
            Target::Number => {
                let number = row.target - self.origin;
                self.parts[0] += weight * number;
                self.parts[1] += weight * number * number;
            }
            Target::Class(_) => self.parts[row.target as usize] += weight,
        }
    }

    fn less(&mut self, other: &Sums) {
        self.weight -= other.weight;
        self.parts.iter_mut().zip(&other.parts).for_each(|(part, other)| *part -= other);
    }

    /// Weight times variance or Gini impurity.
    fn impurity(&self) -> f64 {
        if self.weight <= 0.0 {
            return 0.0;
        }
        let impurity = match self.target {
            Target::Number => self.parts[1] - self.parts[0] * self.parts[0] / self.weight,
            Target::Class(_) => self.weight - self.parts.iter().map(|p| p * p).sum::<f64>() / self.weight,
        };
        impurity.max(0.0)
    }

    /// The mean, or the share of every class.
    fn answer(&self) -> Vec<f64> {
        let of = match self.target {
            Target::Number => &self.parts[..1],
            Target::Class(_) => &self.parts[..],
        };
        of.iter().map(|part| self.origin + part / self.weight).collect()
    }
}

impl Model for Tree {
    fn predict(&self, cells: &[f64]) -> Vec<f64> {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(answer) => return answer.clone(),
                Node::Inner { split, left, right } => {
                    node = if goes_left(self.features[split.feature], *split, cells) { left } else { right };
                }
            }
        }
    }
}
