//! Released rows that an adversary's table narrows down to fewer than k candidates.
//!
//! A class of r released rows whose cells cover e people of the table is linked by a guess that is
//! right with probability 1/max(r, e) at the most: everybody in the table could be any of the rows,
//! and every row any of the people. A class that covers nobody of the table is not linked. Costs a
//! box per class in a tree of the people.

use rayon::prelude::*;
use throng_terms::hierarchy::Hierarchy;

use crate::cover::{Covered, Missing, Runs, covers};
use crate::groups::Groups;
use crate::table::{Coded, Column};
use crate::tree::Tree;

/// What a table makes of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Narrowed {
    /// Released rows.
    pub rows: u64,
    /// Rows that cover somebody.
    pub linked: u64,
    /// Rows with fewer than k candidates on both sides.
    pub below: u64,
    /// The least number of candidates; none where nobody is covered.
    pub least: Option<u64>,
}

/// Narrows a release down by a table with the same columns in the same order.
pub fn narrowed(release: &Coded, people: &Coded, hierarchies: &[Option<Hierarchy>], k: u64) -> Narrowed {
    let columns = release.columns.iter().zip(&people.columns).zip(hierarchies);
    let covers: Vec<Vec<Covered>> = columns
        .map(|((released, specific), hierarchy)| {
            covers(released, specific, hierarchy.as_ref(), Missing::Unknown)
        })
        .collect();
    let groups = |table: &Coded| Groups::new(&table.columns.iter().collect::<Vec<&Column>>(), table.rows);
    let (classes, persons) = (groups(release), groups(people));
    let tree = Tree::new(people.columns.len(), persons.len(), |at| persons.tuple(at), |at| persons.count(at));
    let candidates = |class: usize| {
        let tuple = classes.tuple(class).iter().zip(&covers);
        let query: Vec<&Runs> = tuple.map(|(&code, covers)| &covers[code as usize].runs).collect();
        let (rows, found) = (u64::from(classes.count(class)), tree.count(&query));
        (rows, (found > 0).then_some(found.max(rows)))
    };
    let all: Vec<(u64, Option<u64>)> = (0..classes.len()).into_par_iter().map(candidates).collect();
    let sum = |keep: &dyn Fn(u64) -> bool| {
        all.iter().filter(|(_, found)| found.is_some_and(keep)).map(|(rows, _)| rows).sum()
    };
    Narrowed {
        rows: release.rows as u64,
        linked: sum(&|_| true),
        below: sum(&|found| found < k),
        least: all.iter().filter_map(|(_, found)| *found).min(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[&str]) -> Coded {
        Coded::new(vec![Column::new("age", cells.iter().copied().map(Some))])
    }

    #[test]
    fn candidates_are_counted_on_both_sides() {
        let people = table(&["21", "22", "35", "50"]);
        // Two people fit one row; one person fits three rows; one person fits one row; nobody fits.
        let release = table(&["[20, 30)", "[30, 40)", "[30, 40)", "[30, 40)", "50", "70"]);
        let found = narrowed(&release, &people, &[None], 2);
        assert_eq!(found, Narrowed { rows: 6, linked: 5, below: 1, least: Some(1) });
        assert_eq!(narrowed(&release, &people, &[None], 3).below, 2);
        assert_eq!(narrowed(&table(&["70"]), &people, &[None], 3).least, None);
    }
}
