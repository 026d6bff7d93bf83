//! Composite columns: several columns with few values, looked up as one.
//!
//! Forming a node's classes takes one table look-up per class and column. Columns with few
//! combinations are combined; for each vector of their levels, the table from combination to
//! generalized combination is built once and kept. Nine columns become three look-ups. Codes and
//! tables have two bytes per entry where that is enough, so that tables stay in the first cache.

use std::sync::Arc;

use rayon::prelude::*;

use super::Problem;
use crate::lattice::Node;
use crate::rank::Ranker;
use crate::tuples::Codes;

/// A composite of fewer values than this is always worth its table.
const SMALL: usize = 256;
/// The most values of a composite: a table that stays in the cache.
const LARGE: usize = 1 << 14;

/// Combination → generalized combination, and how many of those there are.
pub(super) struct Table {
    pub(super) codes: Codes,
    pub(super) size: u64,
}

/// Some columns seen as one.
struct Composite {
    columns: Vec<usize>,
    /// The occurring combinations: their leaf codes end to end.
    leaves: Arc<[u32]>,
    /// Levels of the columns, as a mixed-radix number → table, once made.
    tables: Vec<Option<Table>>,
    /// Levels of each column.
    levels: Vec<usize>,
}

/// All columns of a problem as composites, and every class's codes in them.
pub(super) struct Composites {
    composites: Vec<Composite>,
    /// Class by class, one code per composite. Tables are as wide as these.
    codes: Arc<Codes>,
}

impl Composites {
    pub(super) fn new(problem: &Problem) -> Self {
        let (bins, classes) = (bins(problem), problem.classes.members());
        let made: Vec<(Composite, Vec<u32>)> =
            bins.into_par_iter().map(|columns| Composite::new(problem, columns)).collect();
        let (composites, columns): (Vec<Composite>, Vec<Vec<u32>>) = made.into_iter().unzip();
        let narrow = composites.iter().all(|composite| composite.combinations() <= 1 << 16);
        let codes = match narrow {
            true => Codes::Narrow(interleaved(&columns, classes, |code| code as u16)),
            false => Codes::Wide(interleaved(&columns, classes, |code| code)),
        };
        Composites { composites, codes: Arc::new(codes) }
    }

    /// The same, with tables of its own.
    pub(super) fn fork(&self) -> Self {
        Composites {
            composites: self.composites.iter().map(Composite::fork).collect(),
            codes: Arc::clone(&self.codes),
        }
    }

    /// Number of composites.
    pub(super) fn len(&self) -> usize {
        self.composites.len()
    }

    /// The codes of all classes, class by class.
    pub(super) fn codes(&self) -> &Codes {
        &self.codes
    }

    /// Makes sure that the node's tables exist.
    pub(super) fn prepare(&mut self, problem: &Problem, node: &Node, ranker: &mut Ranker) {
        let narrow = matches!(*self.codes, Codes::Narrow(_));
        for composite in &mut self.composites {
            composite.prepare(problem, node, narrow, ranker);
        }
    }

    /// The table of a composite at a node that was prepared.
    pub(super) fn table(&self, composite: usize, node: &Node) -> Option<&Table> {
        let composite = &self.composites[composite];
        composite.tables[composite.position(node)].as_ref()
    }
}

impl Composite {
    /// Of some columns, with the code of every class.
    fn new(problem: &Problem, columns: Vec<usize>) -> (Self, Vec<u32>) {
        let classes = problem.classes.members();
        let size = |c: &usize| problem.hierarchies[*c].leaf_count() as u64;
        let mut ranker = Ranker::default();
        ranker.begin(columns.iter().map(size).product(), classes);
        let (mut leaves, mut codes) = (Vec::new(), Vec::with_capacity(classes));
        for class in 0..classes {
            let row = columns.iter().map(|&c| problem.classes.code(class, c));
            let key = row.clone().zip(&columns).fold(0, |k, (v, c)| k * size(c) + u64::from(v));
            let id = ranker.id(key);
            if id as usize * columns.len() == leaves.len() {
                leaves.extend(row);
            }
            codes.push(id);
        }
        let levels: Vec<usize> = columns.iter().map(|&c| problem.hierarchies[c].height() + 1).collect();
        let tables = (0..levels.iter().product()).map(|_| None).collect();
        (Composite { columns, leaves: leaves.into(), tables, levels }, codes)
    }

    fn fork(&self) -> Self {
        Composite {
            columns: self.columns.clone(),
            leaves: Arc::clone(&self.leaves),
            tables: self.tables.iter().map(|_| None).collect(),
            levels: self.levels.clone(),
        }
    }

    fn position(&self, node: &Node) -> usize {
        self.columns.iter().zip(&self.levels).fold(0, |i, (&c, n)| i * n + node.level(c))
    }

    /// Number of combinations that occur.
    fn combinations(&self) -> usize {
        self.leaves.len() / self.columns.len()
    }

    fn prepare(&mut self, problem: &Problem, node: &Node, narrow: bool, ranker: &mut Ranker) {
        let position = self.position(node);
        if self.tables[position].is_some() {
            return;
        }
        let maps: Vec<(&[u32], u64)> = self
            .columns
            .iter()
            .map(|&c| {
                let h = &problem.hierarchies[c];
                (h.codes(node.level(c)), h.size(node.level(c)) as u64)
            })
            .collect();
        ranker.begin(maps.iter().map(|m| m.1).product(), self.combinations());
        let ids = self.leaves.chunks_exact(self.columns.len()).map(|row| {
            let parts = row.iter().zip(&maps);
            ranker.id(parts.fold(0, |k, (&leaf, (map, size))| k * size + u64::from(map[leaf as usize])))
        });
        // There are at most as many ids as combinations.
        let codes = match narrow {
            true => Codes::Narrow(ids.map(|id| id as u16).collect()),
            false => Codes::Wide(ids.collect()),
        };
        self.tables[position] = Some(Table { codes, size: ranker.len() as u64 });
    }
}

/// Codes of columns, class by class.
fn interleaved<T: Clone + Default>(
    columns: &[Vec<u32>],
    classes: usize,
    narrow: impl Fn(u32) -> T,
) -> Vec<T> {
    let mut codes = vec![T::default(); classes * columns.len()];
    for (at, column) in columns.iter().enumerate() {
        let places = codes.iter_mut().skip(at).step_by(columns.len());
        places.zip(column).for_each(|(place, &code)| *place = narrow(code));
    }
    codes
}

/// Columns put together first-fit, those with most values first.
fn bins(problem: &Problem) -> Vec<Vec<usize>> {
    let limit = (problem.classes.members() / 8).clamp(SMALL, LARGE);
    let size = |c: usize| problem.hierarchies[c].leaf_count();
    let mut columns: Vec<usize> = (0..problem.hierarchies.len()).collect();
    columns.sort_by_key(|&c| std::cmp::Reverse(size(c)));
    let mut bins: Vec<(usize, Vec<usize>)> = Vec::new();
    for column in columns {
        let fits = bins.iter_mut().find(|(product, _)| product.saturating_mul(size(column)) <= limit);
        match fits {
            Some((product, bin)) => {
                *product *= size(column);
                bin.push(column);
            }
            None => bins.push((size(column), vec![column])),
        }
    }
    bins.into_iter().map(|(_, bin)| bin).collect()
}
