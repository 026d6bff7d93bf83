//! The order in which inference eliminates columns, and the size of the tables that it then needs.
//!
//! A column is eliminated by multiplying all factors that contain it and summing it out. The next
//! column is always the one whose elimination makes the smallest table [Kjærulff 1990, minimum
//! weight]. The order holds for every question: what is known only makes tables smaller. Costs
//! columns³ steps.

use super::score::Field;
use crate::hierarchy::Hierarchy;

/// Cells of the largest table that inference may make.
pub(super) const MOST_CELLS: u64 = 1 << 20;

/// A family: a field and its parents.
pub(super) type Link = (Field, Vec<Field>);

/// Columns in the order of elimination, and the cells of the largest table.
pub(super) fn plan(hierarchies: &[Hierarchy], families: &[Link]) -> (Vec<usize>, u64) {
    let columns = hierarchies.len();
    // The labels that edges distinguish.
    let mut sizes = vec![1u64; columns];
    let mut beside = vec![vec![false; columns]; columns];
    for (child, parents) in families.iter().filter(|(_, parents)| !parents.is_empty()) {
        let scope: Vec<Field> = parents.iter().copied().chain([*child]).collect();
        for &(column, level) in &scope {
            sizes[column] = sizes[column].max(hierarchies[column].size(level) as u64);
            scope.iter().filter(|other| other.0 != column).for_each(|other| beside[column][other.0] = true);
        }
    }
    let mut left: Vec<usize> = (0..columns).collect();
    let (mut order, mut largest) = (Vec::new(), 1);
    while !left.is_empty() {
        let cells = |&column: &usize| {
            let around = left.iter().filter(|&&other| beside[column][other]);
            around.fold(sizes[column], |cells, &other| cells.saturating_mul(sizes[other]))
        };
        let Some((cells, column)) = left.iter().map(|column| (cells(column), *column)).min() else { break };
        largest = largest.max(cells);
        left.retain(|&other| other != column);
        let around: Vec<usize> = left.iter().copied().filter(|&other| beside[column][other]).collect();
        for &one in &around {
            around.iter().filter(|&&other| other != one).for_each(|&other| beside[one][other] = true);
        }
        order.push(column);
    }
    (order, largest)
}
