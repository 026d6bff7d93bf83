//! People of the population who match the cells of a region: k-map [Sweeney 2001, 5] for methods
//! that form regions.
//!
//! A released row could be anybody in the population whose values its cells are true of. So a region
//! is safe if its cells match at least k people, whatever other regions match them, too: regions may
//! overlap, and who matches several is a candidate for the rows of each. More rows only widen cells,
//! so a safe region stays safe whatever joins it, and two regions with the same cells match the same
//! people.
//!
//! [`Cover`] is what the least cells of some rows cover, as runs of ranks: in a column of labels the
//! ranks under the least common value, of intervals the ranks between the ends, of posets and of
//! sets that are short enough the ranks themselves. [`PeopleIndex`] counts the people in it: a k-d tree over the distinct tuples
//! of the population whose nodes know their bounding box and their people, so that what is inside is
//! added without looking at it, and counting stops when there are enough.
//!
//! Building costs tuples · log tuples · columns and 4 · (columns + 1) bytes per distinct tuple, and
//! half as much again for the boxes. A count visits the nodes at the border of the cover.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::regions::Ground;
use crate::cell::Cell;
use crate::classes::Classes;
use crate::hierarchy::Hierarchy;
use crate::lattice::Lattice;
use crate::policy::Form;
use crate::recoded::Recoded;
use crate::space::{Axis, Space};
use crate::table::Code;

/// Most tuples of a leaf.
const LEAF: usize = 16;

/// The ranks that some cells cover: per column, runs in ascending order.
#[derive(Debug, Clone, Default)]
pub struct Cover {
    runs: Vec<(Code, Code)>,
    /// Column → where its runs end.
    ends: Vec<usize>,
}

impl Cover {
    /// Of no column yet.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.ends.clear();
    }

    /// The ranks of the next column from one to another.
    pub fn range(&mut self, low: Code, high: Code) {
        self.runs.push((low, high));
        self.ends.push(self.runs.len());
    }

    /// Some ranks of the next column, ascending.
    pub fn ranks(&mut self, ranks: impl IntoIterator<Item = Code>) {
        let first = self.runs.len();
        for rank in ranks {
            match self.runs[first..].last_mut() {
                Some((_, high)) if *high + 1 >= rank => *high = rank,
                _ => self.runs.push((rank, rank)),
            }
        }
        self.ends.push(self.runs.len());
    }

    fn of(&self, column: usize) -> &[(Code, Code)] {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.runs[start..self.ends[column]]
    }

    /// Whether a rank of a column is covered.
    fn has(&self, column: usize, rank: Code) -> bool {
        self.of(column).iter().any(|&(low, high)| low <= rank && rank <= high)
    }
}

/// Part of the tuples.
struct Node {
    start: u32,
    end: u32,
    /// The first of two children that follow each other; 0 for a leaf.
    children: u32,
    people: u64,
}

/// The population, to count people in.
pub struct PeopleIndex {
    width: usize,
    nodes: Vec<Node>,
    /// Node → column → least and highest rank.
    boxes: Vec<(Code, Code)>,
    /// Tuples end to end, and the people of each.
    ranks: Vec<Code>,
    people: Vec<u32>,
}

impl PeopleIndex {
    /// Of the population beside a table; empty where none is known.
    pub fn new(classes: &Classes, space: &Space) -> Self {
        let width = space.axes().len();
        let there = |&at: &u32| classes.people()[at as usize] > 0;
        let mut order: Vec<u32> = (0..classes.people().len() as u32).filter(there).collect();
        let rank = |at: u32, column: usize| space.rank(at as usize, column);
        let mut index = PeopleIndex {
            width,
            nodes: Vec::new(),
            boxes: Vec::new(),
            ranks: Vec::new(),
            people: Vec::new(),
        };
        let scales: Vec<f64> = space.axes().iter().map(|axis| 1.0 / axis.len().max(1) as f64).collect();
        index.push((0, &order), &rank, classes.people());
        let mut node = 0;
        while node < index.nodes.len() {
            let (start, end) = (index.nodes[node].start as usize, index.nodes[node].end as usize);
            if end - start > LEAF
                && let Some(column) = widest(index.bounds(node), &scales)
            {
                let middle = split(&mut order[start..end], |at| rank(at, column));
                index.nodes[node].children = index.nodes.len() as u32;
                index.push((start, &order[start..start + middle]), &rank, classes.people());
                index.push((start + middle, &order[start + middle..end]), &rank, classes.people());
            }
            node += 1;
        }
        index.ranks = order.iter().flat_map(|&at| (0..width).map(move |column| rank(at, column))).collect();
        index.people = order.iter().map(|&at| classes.people()[at as usize]).collect();
        index
    }

    fn push(&mut self, (start, order): (usize, &[u32]), rank: &dyn Fn(u32, usize) -> Code, people: &[u32]) {
        let sum = order.iter().map(|&at| u64::from(people[at as usize])).sum();
        let (start, end) = (start as u32, (start + order.len()) as u32);
        self.nodes.push(Node { start, end, children: 0, people: sum });
        for column in 0..self.width {
            let ranks = order.iter().map(|&at| rank(at, column));
            self.boxes.push(ranks.fold((Code::MAX, 0), |(low, high), r| (low.min(r), high.max(r))));
        }
    }

    fn bounds(&self, node: usize) -> &[(Code, Code)] {
        &self.boxes[node * self.width..][..self.width]
    }

    /// The people whom a cover matches; counting stops at `enough`.
    pub fn count(&self, cover: &Cover, enough: u64) -> u64 {
        let mut open = vec![0];
        let mut found = 0;
        while let Some(at) = open.pop().filter(|_| found < enough) {
            let node: &Node = &self.nodes[at];
            match self.meets(at, cover) {
                Meeting::Outside => {}
                Meeting::Inside => found += node.people,
                Meeting::Across if node.children > 0 => {
                    open.extend([node.children as usize, node.children as usize + 1]);
                }
                Meeting::Across => found += self.scan(node, cover),
            }
        }
        found
    }

    fn meets(&self, node: usize, cover: &Cover) -> Meeting {
        let mut inside = true;
        for (column, &(low, high)) in self.bounds(node).iter().enumerate() {
            let runs = cover.of(column);
            if runs.iter().all(|&(first, last)| high < first || last < low) {
                return Meeting::Outside;
            }
            inside &= runs.iter().any(|&(first, last)| first <= low && high <= last);
        }
        if inside { Meeting::Inside } else { Meeting::Across }
    }

    fn scan(&self, node: &Node, cover: &Cover) -> u64 {
        let tuple = |at: usize| &self.ranks[at * self.width..][..self.width];
        let covered = |at: &usize| tuple(*at).iter().enumerate().all(|(column, &r)| cover.has(column, r));
        let tuples = (node.start as usize..node.end as usize).filter(covered);
        tuples.map(|at| u64::from(self.people[at])).sum()
    }
}

/// How the box of a node lies to a cover.
enum Meeting {
    Outside,
    Inside,
    Across,
}

/// The column whose ranks spread over the largest part of it; none where all tuples are equal.
fn widest(bounds: &[(Code, Code)], scales: &[f64]) -> Option<usize> {
    let share = |column: usize| f64::from(bounds[column].1 - bounds[column].0) * scales[column];
    let wide = (0..bounds.len()).filter(|&column| bounds[column].0 < bounds[column].1);
    wide.max_by(|&a, &b| share(a).total_cmp(&share(b)).then(b.cmp(&a)))
}

/// Puts lower ranks before higher ones, which differ: how many are in the first half.
fn split(order: &mut [u32], rank: impl Fn(u32) -> Code) -> usize {
    order.sort_unstable_by_key(|&at| (rank(at), at));
    let middle = rank(order[order.len() / 2]);
    match order.partition_point(|&at| rank(at) < middle) {
        0 => order.partition_point(|&at| rank(at) <= middle),
        before => before,
    }
}

/// The ranks of some rows in every column, each with how often it was added.
#[derive(Debug, Clone, Default)]
pub struct RankCounts {
    columns: Vec<FxHashMap<Code, u32>>,
}

impl RankCounts {
    /// Of no rows.
    pub fn new(columns: usize) -> Self {
        RankCounts { columns: vec![FxHashMap::default(); columns] }
    }

    /// Adds a point.
    pub fn add(&mut self, space: &Space, point: u32) {
        for (column, ranks) in self.columns.iter_mut().enumerate() {
            *ranks.entry(space.rank(point as usize, column)).or_default() += 1;
        }
    }

    /// Takes a point away that was added.
    pub fn remove(&mut self, space: &Space, point: u32) {
        for (column, ranks) in self.columns.iter_mut().enumerate() {
            let rank = space.rank(point as usize, column);
            if let Some(count) = ranks.get_mut(&rank) {
                *count -= 1;
                if *count == 0 {
                    ranks.remove(&rank);
                }
            }
        }
    }

    /// Adds the points of another.
    pub fn merge(&mut self, other: &RankCounts) {
        for (ranks, others) in self.columns.iter_mut().zip(&other.columns) {
            others.iter().for_each(|(&rank, &count)| *ranks.entry(rank).or_default() += count);
        }
    }

    /// Forgets all points.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(FxHashMap::clear);
    }
}

/// What k-map asks of a region: k people, counted in an index.
#[derive(Clone, Copy)]
pub struct Crowd<'a> {
    /// The population.
    pub index: &'a PeopleIndex,
    /// The columns.
    pub space: &'a Space,
    /// The least levels, and which columns rise together.
    pub lattice: &'a Lattice,
    /// The least people.
    pub k: u64,
    /// The claim of the model.
    pub claim: &'a str,
}

impl Crowd<'_> {
    /// The people who match the least cells of some rows; counting stops at `enough`.
    pub fn people(&self, rows: &RankCounts, enough: u64) -> u64 {
        if rows.columns.iter().any(FxHashMap::is_empty) {
            return 0;
        }
        self.index.count(&self.cover(rows), enough)
    }

    fn cover(&self, rows: &RankCounts) -> Cover {
        let axes = self.space.axes();
        let bounds: Vec<(Code, Code)> = rows.columns.iter().map(bounds).collect();
        let levels = self.levels(axes, &bounds);
        let mut cover = Cover::default();
        for (column, (axis, &(low, high))) in axes.iter().zip(&bounds).enumerate() {
            let ranks = || {
                let mut ranks: Vec<Code> = rows.columns[column].keys().copied().collect();
                ranks.sort_unstable();
                ranks
            };
            match axis.form() {
                Form::Label => {
                    let (low, high) = axis.branch(low, levels[column]);
                    cover.range(low, high);
                }
                Form::Poset => cover.ranks(common(axis, &ranks())),
                _ if low == high => cover.range(low, high),
                _ if axis.missing() == Some(high) => cover.range(0, high),
                Form::Set => cover.ranks(listed(axis, ranks())),
                Form::Range => cover.range(low, high),
                Form::Interval | Form::Mean | Form::Median => {
                    let (low, high) = axis.ties(low, high);
                    cover.range(low, high);
                }
            }
        }
        cover
    }

    /// The level of every column of labels: of linked ones the highest, and none below the least.
    fn levels(&self, axes: &[Axis], bounds: &[(Code, Code)]) -> Vec<usize> {
        let own = |column: usize| match axes[column].form() {
            Form::Label => axes[column].level(bounds[column].0, bounds[column].1),
            _ => 0,
        };
        let mut levels: Vec<usize> = (0..axes.len()).map(own).collect();
        for dimension in 0..self.lattice.dimensions() {
            let columns = self.lattice.columns_along(dimension);
            if !columns.iter().all(|&column| axes[column].form() == Form::Label) {
                continue;
            }
            let highest = columns.iter().map(|&c| levels[c].max(self.lattice.range(c).0)).max().unwrap_or(0);
            columns.iter().for_each(|&column| levels[column] = highest);
        }
        levels
    }
}

fn bounds(ranks: &FxHashMap<Code, u32>) -> (Code, Code) {
    ranks.keys().fold((Code::MAX, 0), |(low, high), &rank| (low.min(rank), high.max(rank)))
}

/// The ranks that a set covers: those that it lists, or those of what stands for a set of too many.
fn listed(axis: &Axis, ranks: Vec<Code>) -> Vec<Code> {
    match (ranks.first(), ranks.last()) {
        (Some(&low), Some(&high)) if axis.unlisted(ranks.len()) => {
            let (first, last) = axis.stand_in(low, high);
            (first..=last).collect()
        }
        _ => ranks,
    }
}

/// The ranks that the cell of a poset covers.
fn common(axis: &Axis, ranks: &[Code]) -> Vec<Code> {
    let Some(poset) = axis.poset() else { return (0..axis.len() as Code).collect() };
    let leaves: Vec<Code> = ranks.iter().map(|&rank| axis.leaf(rank)).collect();
    let mut covered: Vec<Code> =
        poset.covered(&poset.common(&leaves)).into_iter().map(|leaf| axis.rank(leaf)).collect();
    covered.sort_unstable();
    covered
}

/// A column whose released cells are read.
struct Read<'a> {
    axis: &'a Axis,
    hierarchy: &'a Hierarchy,
    /// Label that can stand for a set → its leaves; nothing where cells are not sets.
    clear: FxHashMap<&'a str, Vec<Code>>,
}

impl<'a> Read<'a> {
    fn new(axis: &'a Axis, hierarchy: &'a Hierarchy) -> Self {
        let sets = axis.form() == Form::Set;
        Read { axis, hierarchy, clear: if sets { hierarchy.clear_labels() } else { FxHashMap::default() } }
    }

    /// The ranks of the values that a released cell is true of.
    fn matched(&self, text: Option<&str>) -> Vec<Code> {
        let Read { axis, hierarchy, clear } = self;
        if let Some(leaves) = text.and_then(|text| clear.get(text)) {
            let mut ranks: Vec<Code> = leaves.iter().map(|&leaf| axis.rank(leaf)).collect();
            ranks.sort_unstable();
            return ranks;
        }
        let cell = text.map(Cell::parse);
        let matches = |rank: &Code| {
            let leaf = axis.leaf(*rank);
            let value = hierarchy.leaf_value(leaf);
            match (axis.form(), &cell) {
                (Form::Label, _) => (0..=hierarchy.height())
                    .any(|level| hierarchy.label(level, hierarchy.generalize(leaf, level)) == text),
                (Form::Poset, _) => hierarchy.poset().is_some_and(|poset| poset.covers(text, value)),
                (_, Some(Cell::Anything)) => true,
                _ if text == value => true,
                (Form::Range, Some(Cell::Range(first, last))) => {
                    hierarchy.between(first, last).is_some_and(|leaves| leaves.contains(&leaf))
                }
                (Form::Interval, Some(cell @ Cell::Interval(_))) | (Form::Set, Some(cell @ Cell::Set(_))) => {
                    value.is_some_and(|value| cell.covers(value))
                }
                (Form::Set, Some(cell @ Cell::Interval(_))) if axis.spans_sets() => {
                    value.is_some_and(|value| cell.covers(value))
                }
                _ => false,
            }
        };
        (0..axis.len() as Code).filter(matches).collect()
    }
}

/// The people who match every class of a release, by its cells alone.
pub fn people_of_classes(
    index: &PeopleIndex,
    ground: &Ground<'_>,
    space: &Space,
    recoded: &Recoded,
) -> Vec<u32> {
    let labels = |column: usize| -> Vec<Vec<Code>> {
        let texts = &recoded.columns()[column].labels;
        let read = Read::new(&space.axes()[column], &ground.hierarchies[column]);
        texts.par_iter().map(|text| read.matched(text.as_deref())).collect()
    };
    let labels: Vec<Vec<Vec<Code>>> = (0..space.axes().len()).map(labels).collect();
    let tuples = recoded.look_labels();
    let looks = recoded.looks().iter().enumerate().filter(|(_, look)| look.released > 0);
    let looks: Vec<usize> = looks.map(|(at, _)| at).collect();
    let count = |cover: &mut Cover, &at: &usize| {
        cover.clear();
        for (column, labels) in labels.iter().enumerate() {
            cover.ranks(labels[tuples.code(at, column) as usize].iter().copied());
        }
        u32::try_from(index.count(cover, u64::MAX)).unwrap_or(u32::MAX)
    };
    looks.par_iter().map_init(Cover::default, count).collect()
}
