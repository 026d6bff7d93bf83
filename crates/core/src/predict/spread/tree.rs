//! A decision tree on spread cells [Breiman 1984]: a row goes down both sides of a split, by the
//! chances of its cell [Quinlan 1993, 3].
//!
//! Every row has a curvature h and values s. A split maximizes Σ s²/(h + ridge) over both sides:
//! with h the weight and s the weight of every class that is Gini impurity, with s the weighted
//! target it is variance, and with the derivatives of a loss it is a step of boosting [Friedman
//! 2001]. Numbers are split between bins, categories one against all others; ties go to the first.
//! A part of a row below 1/128 of it is dropped. Rows are added up per distinct cell before cells
//! are spread over their parts: a split costs the node's rows, and the parts of their distinct
//! cells.

use super::{Column, Model, Recipe, Sample, Spread};
use crate::predict::sheet::Target;

/// A row and its weight.
type Weighed = (u32, f64);

/// The least part of a row that is followed.
const LEAST_PART: f64 = 1.0 / 128.0;

/// What a row contributes.
pub(super) struct Stakes {
    /// Row → curvature.
    pub(super) h: Vec<f64>,
    /// Row → values, `values` each.
    pub(super) s: Vec<f64>,
    pub(super) values: usize,
}

/// How trees are grown.
#[derive(Clone, Copy)]
pub(super) struct Growth {
    pub(super) depth: usize,
    /// The least curvature of a side.
    pub(super) least: f64,
    pub(super) ridge: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    /// Parts up to this one go left.
    UpTo(u32),
    /// This part alone goes left.
    Only(u32),
}

impl Cut {
    fn left(self, part: u32) -> bool {
        match self {
            Cut::UpTo(last) => part <= last,
            Cut::Only(one) => part == one,
        }
    }
}

enum Node {
    Leaf(Vec<f64>),
    Split { column: usize, cut: Cut, left: usize, right: usize },
}

pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A leaf that was just made: its rows with the part of each, and its curvature and values.
pub(super) type Leaf<'a> = (&'a [(u32, f64)], f64, &'a [f64]);

/// Grows trees on one sample; what it needs besides is kept from tree to tree.
pub(super) struct Grower<'a> {
    columns: &'a [Column],
    cells: &'a [Vec<u32>],
    growth: Growth,
    /// Column → cell → curvature and values of the present node; all 0 between nodes.
    by_cell: Vec<Vec<f64>>,
    touched: Vec<u32>,
}

impl<'a> Grower<'a> {
    pub(super) fn new(sample: &'a Sample, values: usize, growth: Growth) -> Self {
        let by_cell = sample.columns.iter().map(|c| vec![0.0; c.cells.len() * (values + 1)]).collect();
        Grower { columns: &sample.columns, cells: &sample.cells, growth, by_cell, touched: Vec::new() }
    }

    /// Grows a tree. `tried` selects the columns to try at a split; `leaf` turns a leaf into its
    /// answer.
    pub(super) fn grow(
        &mut self,
        stakes: &Stakes,
        tried: &mut dyn FnMut(usize) -> Vec<usize>,
        leaf: &mut dyn FnMut(Leaf<'_>) -> Vec<f64>,
    ) -> Tree {
        let rows: Vec<(u32, f64)> =
            (0..stakes.h.len() as u32).filter(|&r| stakes.h[r as usize] > 0.0).map(|r| (r, 1.0)).collect();
        let mut allowed: Vec<Vec<bool>> = self.columns.iter().map(|c| vec![true; c.parts]).collect();
        let mut tree = Tree { nodes: Vec::new() };
        self.node(&mut tree, stakes, (rows, &mut allowed, self.growth.depth), tried, leaf);
        tree
    }

    fn node(
        &mut self,
        tree: &mut Tree,
        stakes: &Stakes,
        (rows, allowed, depth): (Vec<Weighed>, &mut Vec<Vec<bool>>, usize),
        tried: &mut dyn FnMut(usize) -> Vec<usize>,
        leaf: &mut dyn FnMut(Leaf<'_>) -> Vec<f64>,
    ) -> usize {
        let sums = sums(stakes, &rows);
        let place = tree.nodes.len();
        let split = match depth > 0 && sums[0] >= 2.0 * self.growth.least {
            true => self.best(stakes, &rows, allowed, &sums, &tried(self.columns.len())),
            false => None,
        };
        let Some((column, cut)) = split else {
            tree.nodes.push(Node::Leaf(leaf((&rows, sums[0], &sums[1..]))));
            return place;
        };
        tree.nodes.push(Node::Leaf(Vec::new()));
        let [left, right] = self.divided(&rows, column, cut, &allowed[column]);
        drop(rows);
        let before = allowed[column].clone();
        let mut side = |this: &mut Self, tree: &mut Tree, rows: Vec<(u32, f64)>, goes_left: bool| {
            let here = before.iter().enumerate().map(|(p, may)| *may && cut.left(p as u32) == goes_left);
            allowed[column] = here.collect();
            this.node(tree, stakes, (rows, allowed, depth - 1), tried, leaf)
        };
        let left = side(self, tree, left, true);
        let right = side(self, tree, right, false);
        allowed[column] = before;
        tree.nodes[place] = Node::Split { column, cut, left, right };
        place
    }

    /// The split that leaves most; none where none leaves more than there is.
    fn best(
        &mut self,
        stakes: &Stakes,
        rows: &[(u32, f64)],
        allowed: &[Vec<bool>],
        all: &[f64],
        tried: &[usize],
    ) -> Option<(usize, Cut)> {
        let Growth { least, ridge, .. } = self.growth;
        // A gain within rounding error is not a gain.
        let mut most = score(all, ridge) * (1.0 + 1e-9) + 1e-12;
        let mut best = None;
        for &column in tried {
            let parts = self.by_part(stakes, rows, column, &allowed[column]);
            let width = all.len();
            let mut left = vec![0.0; width];
            let mut right = vec![0.0; width];
            for part in 0..self.columns[column].parts {
                if !allowed[column][part] {
                    continue;
                }
                let here = &parts[part * width..(part + 1) * width];
                match self.columns[column].ordered {
                    true => left.iter_mut().zip(here).for_each(|(l, h)| *l += h),
                    false => left.copy_from_slice(here),
                }
                right.iter_mut().zip(all).zip(&left).for_each(|((r, a), l)| *r = a - l);
                if left[0] < least || right[0] < least {
                    continue;
                }
                let score = score(&left, ridge) + score(&right, ridge);
                if score > most {
                    most = score * (1.0 + 1e-12);
                    let cut = match self.columns[column].ordered {
                        true => Cut::UpTo(part as u32),
                        false => Cut::Only(part as u32),
                    };
                    best = Some((column, cut));
                }
            }
        }
        best
    }

    /// Part of a column → curvature and values of the node's rows, cells spread over what is left
    /// of them.
    fn by_part(&mut self, stakes: &Stakes, rows: &[(u32, f64)], column: usize, allowed: &[bool]) -> Vec<f64> {
        let width = stakes.values + 1;
        let (by_cell, cells) = (&mut self.by_cell[column], &self.cells[column]);
        for &(row, part) in rows {
            let (row, cell) = (row as usize, cells[row as usize]);
            let to = &mut by_cell[cell as usize * width..(cell as usize + 1) * width];
            if to[0] == 0.0 {
                self.touched.push(cell);
            }
            to[0] += part * stakes.h[row];
            let values = &stakes.s[row * stakes.values..(row + 1) * stakes.values];
            to[1..].iter_mut().zip(values).for_each(|(to, s)| *to += part * s);
        }
        let mut parts = vec![0.0; self.columns[column].parts * width];
        // Cells in one order, whichever rows came first.
        self.touched.sort_unstable();
        for &cell in &self.touched {
            let spread = &self.columns[column].cells[cell as usize];
            let held = share(spread, |part| allowed[part as usize]);
            let from = cell as usize * width..(cell as usize + 1) * width;
            for &(part, chance) in spread.parts.iter().filter(|(part, _)| allowed[*part as usize]) {
                let to = &mut parts[part as usize * width..(part as usize + 1) * width];
                let by = chance / held;
                to.iter_mut().zip(&by_cell[from.clone()]).for_each(|(to, sum)| *to += by * sum);
            }
            by_cell[from].fill(0.0);
        }
        self.touched.clear();
        parts
    }

    /// The rows of both sides of a split.
    fn divided(
        &self,
        rows: &[(u32, f64)],
        column: usize,
        cut: Cut,
        allowed: &[bool],
    ) -> [Vec<(u32, f64)>; 2] {
        let mut known = vec![f64::NAN; self.columns[column].cells.len()];
        let mut sides = [Vec::new(), Vec::new()];
        for &(row, part) in rows {
            let cell = self.cells[column][row as usize] as usize;
            if known[cell].is_nan() {
                let spread = &self.columns[column].cells[cell];
                let held = share(spread, |part| allowed[part as usize]);
                known[cell] = share(spread, |part| allowed[part as usize] && cut.left(part)) / held;
            }
            let parts = [part * known[cell], part * (1.0 - known[cell])];
            for (side, part) in sides.iter_mut().zip(parts) {
                if part >= LEAST_PART {
                    side.push((row, part));
                }
            }
        }
        sides
    }
}

fn share(spread: &Spread, of: impl Fn(u32) -> bool) -> f64 {
    spread.parts.iter().filter(|(part, _)| of(*part)).map(|(_, share)| share).sum()
}

/// Curvature and values of some rows.
fn sums(stakes: &Stakes, rows: &[(u32, f64)]) -> Vec<f64> {
    let mut sums = vec![0.0; stakes.values + 1];
    for &(row, part) in rows {
        let row = row as usize;
        sums[0] += part * stakes.h[row];
        let values = &stakes.s[row * stakes.values..(row + 1) * stakes.values];
        sums[1..].iter_mut().zip(values).for_each(|(sum, s)| *sum += part * s);
    }
    sums
}

fn score(sums: &[f64], ridge: f64) -> f64 {
    if sums[0] <= 0.0 { 0.0 } else { sums[1..].iter().map(|s| s * s).sum::<f64>() / (sums[0] + ridge) }
}

/// The stakes of weighted rows: of classes the weight of each, of numbers what they differ from the
/// mean; and what a leaf without rows would say.
pub(super) fn stakes(sample: &Sample, weights: &[f64]) -> (Stakes, Vec<f64>) {
    let all: f64 = weights.iter().sum();
    let targets = || sample.targets.iter().zip(weights);
    match sample.target() {
        Target::Number => {
            let mean = targets().map(|(y, w)| y * w).sum::<f64>() / all;
            let s = targets().map(|(y, w)| w * (y - mean)).collect();
            (Stakes { h: weights.to_vec(), s, values: 1 }, vec![mean])
        }
        Target::Class(of) => {
            let of = of as usize;
            let mut s = vec![0.0; weights.len() * of];
            let mut shares = vec![0.0; of];
            for (row, (y, w)) in targets().enumerate() {
                s[row * of + *y as usize] = *w;
                shares[*y as usize] += w / all;
            }
            (Stakes { h: weights.to_vec(), s, values: of }, shares)
        }
    }
}

/// The answer of a leaf: its mean or shares, with one more row like the whole sample.
pub(super) fn answer(target: Target, (h, s): (f64, &[f64]), whole: &[f64]) -> Vec<f64> {
    match target {
        Target::Number => vec![whole[0] + s[0] / (h + 1.0)],
        Target::Class(_) => s.iter().zip(whole).map(|(s, share)| (s + share) / (h + 1.0)).collect(),
    }
}

pub(super) fn fit(recipe: &Recipe, sample: &Sample) -> impl Model + use<> {
    let (stakes, whole) = stakes(sample, &sample.weights);
    let growth = Growth { depth: recipe.depth, least: recipe.least, ridge: 0.0 };
    let mut grower = Grower::new(sample, stakes.values, growth);
    let target = sample.target();
    grower
        .grow(&stakes, &mut |columns| (0..columns).collect(), &mut |(_, h, s)| answer(target, (h, s), &whole))
}

impl Tree {
    /// Adds the answer for a row, times a number.
    pub(super) fn add(&self, cells: &[&Spread], times: f64, to: &mut Vec<f64>) {
        self.walk(0, cells, times, &mut Vec::new(), to);
    }

    fn walk(
        &self,
        node: usize,
        cells: &[&Spread],
        weight: f64,
        path: &mut Vec<(usize, Cut, bool)>,
        to: &mut Vec<f64>,
    ) {
        match &self.nodes[node] {
            Node::Leaf(answer) => {
                to.resize(answer.len(), 0.0);
                to.iter_mut().zip(answer).for_each(|(to, part)| *to += weight * part);
            }
            Node::Split { column, cut, left, right } => {
                let cell = cells[*column];
                if let [(part, _)] = cell.parts[..] {
                    let next = if cut.left(part) { *left } else { *right };
                    return self.walk(next, cells, weight, path, to);
                }
                let may =
                    |part: u32| path.iter().all(|(c, cut, side)| c != column || cut.left(part) == *side);
                let held = share(cell, may);
                let goes = if held > 0.0 { share(cell, |p| may(p) && cut.left(p)) / held } else { 0.5 };
                for (next, part, side) in [(*left, goes, true), (*right, 1.0 - goes, false)] {
                    if part > 0.0 {
                        path.push((*column, *cut, side));
                        self.walk(next, cells, weight * part, path, to);
                        path.pop();
                    }
                }
            }
        }
    }
}

impl Model for Tree {
    fn predict(&self, cells: &[&Spread]) -> Vec<f64> {
        let mut answer = Vec::new();
        self.add(cells, 1.0, &mut answer);
        answer
    }
}
