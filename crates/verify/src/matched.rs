//! The people of a population who match the cells of a release in regions, for the verifier: k-map
//! without levels.
//!
//! Somebody matches a released row if every cell is true of their value: a label if it is one of the
//! value's labels, an interval or a set if it has the value, `*` always, and any other text if it is
//! the value. Regions may overlap, and a person who matches several classes counts in each. Distinct
//! tuples of the population are sorted, so that those with equal first values lie together; a class
//! is counted by descending into the values that its cells are true of, and no further than it takes
//! to know that it is not the least. Costs one test per distinct pair of cell and value, a bit each,
//! and for a class the tuples that match its first cells.

use super::claims::Judged;
use super::classes::MISSING;
use super::levels::Chain;
use super::shapes::stretch;
use super::side::Side;
use throng_terms::cell::Cell;
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::policy::Form;
use throng_terms::release::Certificate;

/// The rows of every released class, and the people who match it; where these are more than both
/// `required` and the least of all, perhaps not all of them. None where a hierarchy is not known, or
/// cells are not true of values.
pub(super) fn beside(
    certificate: &Certificate,
    population: &Side,
    (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
    required: u64,
) -> Option<Vec<(u64, u64)>> {
    let forms = &certificate.release.regions.as_ref()?.forms;
    let mut covers = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        let form = forms.get(chain.name).filter(|form| form.truthful())?;
        let meaning = (*form, chain.hierarchy.as_ref()?, chain.order);
        covers.push(Covers::new(meaning, at, (released, judged), population));
    }
    let matching = Matching::new(population, covers);
    let mut least = u64::MAX;
    let count = |(class, &rows): (usize, &u64)| {
        if rows == 0 {
            return (0, 0);
        }
        let people = matching.count(released.classes.tuples.tuple(class), least.max(required));
        least = least.min(people);
        (rows, people)
    };
    Some(judged.counts.iter().enumerate().map(count).collect())
}

/// How the cells of a column are written, and what labels and ranges stand for.
type Meaning<'a> = (Form, &'a Hierarchy, Option<&'a [String]>);

/// Which values of the population the cells of a column are true of.
struct Covers {
    /// Number of a released cell → the values, a bit each; empty where no class has the cell.
    bits: Vec<Vec<u64>>,
    /// Number of a released cell → whether it is true of all values.
    all: Vec<bool>,
}

impl Covers {
    fn new(column: Meaning<'_>, at: usize, (released, judged): (&Side, &Judged), population: &Side) -> Self {
        let (cells, values) = (&released.interners[at], &population.interners[at]);
        let mut covers = Covers { bits: vec![Vec::new(); cells.len()], all: vec![false; cells.len()] };
        for class in (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0) {
            let cell = released.classes.tuples.tuple(class)[at];
            let bits = &mut covers.bits[cell as usize];
            if !bits.is_empty() {
                continue;
            }
            let text = cells.value(cell);
            let meaning = text.map(Cell::parse);
            bits.resize(values.len() / 64 + 1, 0);
            let mut all = true;
            for value in (MISSING..values.len() as u32).filter(|&value| values.count(value) > 0) {
                let stands = is_true(column, (text, meaning.as_ref()), values.value(value));
                bits[value as usize / 64] |= u64::from(stands) << (value % 64);
                all &= stands;
            }
            covers.all[cell as usize] = all;
        }
        covers
    }

    fn has(&self, cell: u32, value: u32) -> bool {
        self.bits[cell as usize].get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }
}

/// Whether a released cell is true of a value.
fn is_true(
    (form, hierarchy, order): Meaning<'_>,
    (text, cell): (Option<&str>, Option<&Cell>),
    value: Option<&str>,
) -> bool {
    if form == Form::Poset {
        return hierarchy.poset().is_some_and(|poset| poset.covers(text, value));
    }
    if form == Form::Label {
        let Some(leaf) = hierarchy.leaf(value) else { return false };
        let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
        return (0..=hierarchy.height()).any(|level| label(level) == text);
    }
    if text == Some(TOP) || text == value {
        return true;
    }
    let (Some(cell), Some(value)) = (cell, value) else { return false };
    if let (Form::Range, Some(order), Some(text)) = (form, order, text) {
        return stretch(order, text).is_some_and(|values| values.iter().any(|of| of == value));
    }
    match (form, cell) {
        (Form::Range, Cell::Range(first, last)) => {
            let leaf = hierarchy.leaf(Some(value));
            hierarchy.between(first, last).zip(leaf).is_some_and(|(leaves, leaf)| leaves.contains(&leaf))
        }
        (Form::Interval, Cell::Interval(_)) | (Form::Set, Cell::Set(_)) => cell.covers(value),
        _ => false,
    }
}

/// The population in order, and what cells are true of.
struct Matching<'a> {
    population: &'a Side,
    covers: Vec<Covers>,
    /// The columns, those with most values first.
    columns: Vec<usize>,
    /// Classes of the population, sorted by these columns, and the people before each.
    order: Vec<u32>,
    before: Vec<u64>,
}

impl<'a> Matching<'a> {
    fn new(population: &'a Side, covers: Vec<Covers>) -> Self {
        let mut columns: Vec<usize> = (0..covers.len()).collect();
        columns.sort_by_key(|&column| std::cmp::Reverse(population.interners[column].len()));
        let tuple = |class: u32| population.classes.tuples.tuple(class as usize);
        let mut order: Vec<u32> = (0..population.classes.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let values = |class: u32| columns.iter().map(move |&column| tuple(class)[column]);
            values(a).cmp(values(b))
        });
        let mut before = vec![0];
        for &class in &order {
            let people = population.classes.tally(class as usize).rows;
            before.push(before[before.len() - 1] + people);
        }
        Matching { population, covers, columns, order, before }
    }

    /// The people whom all cells are true of; counting may stop at `enough`.
    fn count(&self, cells: &[u32], enough: u64) -> u64 {
        let mut found = 0;
        let mut open = vec![(0, self.order.len(), 0)];
        while let Some((start, end, depth)) = open.pop() {
            if found >= enough {
                break;
            }
            let left = &self.columns[depth..];
            if left.iter().all(|&column| self.covers[column].all[cells[column] as usize]) {
                found += self.before[end] - self.before[start];
                continue;
            }
            let column = left[0];
            let value = |at: usize| self.population.classes.tuples.tuple(self.order[at] as usize)[column];
            let mut at = start;
            while at < end {
                let here = value(at);
                let same = self.order[at..end].partition_point(|&class| {
                    self.population.classes.tuples.tuple(class as usize)[column] <= here
                });
                if self.covers[column].has(cells[column], here) {
                    open.push((at, at + same, depth + 1));
                }
                at += same;
            }
        }
        found
    }
}
