//! Rows that models learn from: the training part as it was, or as it was released.
//!
//! Labels are numbered by their texts, so that a release that changed nothing has the same rows as
//! the original, in the same order. A region method may put rows of equal values into several
//! regions; which of them has which target is then drawn from their content, as a release does it.
//! Costs one pass over the classes.

use rustc_hash::FxHashMap;

use super::split::mixed;
use crate::classes::Classes;
use crate::error::{Fault, Result};
use crate::hierarchy::TOP;
use crate::recoded::Recoded;
use crate::search::Problem;
use crate::table::Code;

/// Distinct rows of texts with a target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lines {
    /// Column → its texts, in order; none is missing.
    pub(super) texts: Vec<Vec<Option<String>>>,
    /// Cells as places among the texts, code of the target (none is missing), and rows.
    pub(super) rows: Vec<(Vec<u32>, Option<u32>, f64)>,
}

impl Lines {
    /// The rows of a problem as they are. `label` is the code of the whole table's target.
    pub(super) fn original(problem: &Problem, target: usize, label: &[Option<u32>]) -> Lines {
        let classes = &*problem.classes;
        let histogram = &classes.histograms()[target];
        let mut rows = Vec::new();
        for class in 0..classes.len() {
            let cells: Vec<u32> = (0..problem.names.len()).map(|c| classes.code(class, c)).collect();
            let (codes, counts) = histogram.class(class);
            for (&code, &count) in codes.iter().zip(counts) {
                rows.push((cells.clone(), label[code as usize], f64::from(count)));
            }
        }
        let texts = |c: usize| {
            let hierarchy = &problem.hierarchies[c];
            (0..hierarchy.leaf_count() as Code)
                .map(|leaf| hierarchy.leaf_value(leaf).map(String::from))
                .collect()
        };
        Lines::numbered((0..problem.names.len()).map(texts).collect(), rows)
    }

    /// The same as released; suppressed rows are not there, unless they are shown as stars.
    ///
    /// # Errors
    /// Parts of classes that are not classes of the table: a mistake of the caller.
    pub(super) fn released(
        (problem, recoded): (&Problem, &Recoded),
        target: usize,
        label: &[Option<u32>],
        starred: bool,
    ) -> Result<Lines> {
        let base = recoded.base();
        let columns = problem.names.len();
        let histogram = match base.histograms().is_empty() {
            false => None,
            true => Some(Targets::new(&problem.classes, target)),
        };
        let mut dealt = histogram;
        let mut texts: Vec<Vec<Option<String>>> =
            recoded.columns().iter().map(|values| values.labels.clone()).collect();
        // The star that a suppressed row has in every column.
        let stars: Vec<u32> = texts.iter().map(|texts| texts.len() as u32).collect();
        texts.iter_mut().for_each(|texts| texts.push(Some(TOP.to_owned())));
        let mut rows = Vec::new();
        for class in 0..base.len() {
            let targets = match &mut dealt {
                None => {
                    let (codes, counts) = base.histograms()[target].class(class);
                    codes.iter().copied().zip(counts.iter().copied()).collect()
                }
                Some(dealt) => dealt.deal(base, class)?,
            };
            let cell = |c: usize| recoded.columns()[c].values[recoded.cell(class, c)].label;
            let cells: Vec<u32> = match (recoded.suppresses(class), starred) {
                (true, false) => continue,
                (true, true) => stars.clone(),
                (false, _) => (0..columns).map(cell).collect(),
            };
            for (code, count) in targets {
                rows.push((cells.clone(), label[code as usize], f64::from(count)));
            }
        }
        Ok(Lines::numbered(texts, rows))
    }

    /// With texts in order, each once, and only those that occur.
    fn numbered(texts: Vec<Vec<Option<String>>>, rows: Vec<(Vec<u32>, Option<u32>, f64)>) -> Lines {
        let mut places: Vec<Vec<u32>> = Vec::new();
        let mut kept = Vec::new();
        for (column, texts) in texts.into_iter().enumerate() {
            let mut used = vec![false; texts.len()];
            rows.iter().for_each(|(cells, ..)| used[cells[column] as usize] = true);
            let mut order: Vec<u32> = (0..texts.len() as u32).filter(|&at| used[at as usize]).collect();
            order.sort_by(|&a, &b| texts[a as usize].cmp(&texts[b as usize]));
            let (mut of, mut distinct) = (vec![0; texts.len()], Vec::<Option<String>>::new());
            for at in order {
                let text = &texts[at as usize];
                if distinct.last() != Some(text) {
                    distinct.push(text.clone());
                }
                of[at as usize] = distinct.len() as u32 - 1;
            }
            places.push(of);
            kept.push(distinct);
        }
        let mut rows: Vec<(Vec<u32>, Option<u32>, f64)> = rows;
        for (cells, ..) in &mut rows {
            cells.iter_mut().zip(&places).for_each(|(cell, of)| *cell = of[*cell as usize]);
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));
        rows.dedup_by(|next, kept| {
            let same = next.0 == kept.0 && next.1 == kept.1;
            kept.2 += if same { next.2 } else { 0.0 };
            same
        });
        Lines { texts: kept, rows }
    }

    /// All rows.
    pub(super) fn count(&self) -> f64 {
        self.rows.iter().map(|row| row.2).sum()
    }

    /// Column → text → rows.
    pub(super) fn weights(&self) -> Vec<Vec<(Option<&str>, f64)>> {
        let mut columns = Vec::new();
        for (c, texts) in self.texts.iter().enumerate() {
            let mut rows = vec![0.0; texts.len()];
            self.rows.iter().for_each(|row| rows[row.0[c] as usize] += row.2);
            columns.push(texts.iter().map(Option::as_deref).zip(rows).collect());
        }
        columns
    }
}

/// The targets of classes that are dealt to the parts of each.
struct Targets<'a> {
    classes: &'a Classes,
    target: usize,
    class_of: FxHashMap<Vec<Code>, u32>,
    /// Class → its targets that are left, in the order in which they are dealt.
    left: FxHashMap<u32, Vec<Code>>,
}

impl<'a> Targets<'a> {
    fn new(classes: &'a Classes, target: usize) -> Self {
        let codes = |class: usize| (0..classes.columns()).map(|c| classes.code(class, c)).collect();
        let class_of = (0..classes.len()).map(|class| (codes(class), class as u32)).collect();
        Targets { classes, target, class_of, left: FxHashMap::default() }
    }

    /// The targets of a part.
    fn deal(&mut self, base: &Classes, part: usize) -> Result<Vec<(Code, u32)>> {
        let codes: Vec<Code> = (0..base.columns()).map(|c| base.code(part, c)).collect();
        let class = *self.class_of.get(&codes).ok_or_else(|| Fault::bug("a part is of no class"))?;
        let (classes, target) = (self.classes, self.target);
        let left = self.left.entry(class).or_insert_with(|| shuffled(classes, class, target));
        let rows = base.counts()[part] as usize;
        let mut dealt = left.split_off(left.len().saturating_sub(rows));
        dealt.sort_unstable();
        Ok(dealt.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect())
    }
}

/// The targets of a class, one per row, in an order that follows from the class and its targets.
fn shuffled(classes: &Classes, class: u32, target: usize) -> Vec<Code> {
    let key =
        (0..classes.columns()).fold(0, |key, c| mixed(key ^ u64::from(classes.code(class as usize, c))));
    let (codes, counts) = classes.histograms()[target].class(class as usize);
    let mut rows: Vec<(u64, Code)> = Vec::new();
    for (&code, &count) in codes.iter().zip(counts) {
        let row = |turn: u32| (mixed(key ^ mixed(u64::from(code) << 32 | u64::from(turn))), code);
        rows.extend((0..count).map(row));
    }
    rows.sort_unstable();
    rows.into_iter().map(|(_, code)| code).collect()
}
