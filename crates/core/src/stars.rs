//! Stars: the released cells that hold nothing but `*`.
//!
//! A cell is a star when its text is [`TOP`], whatever level it came from, because a recipient sees
//! nothing else. Costs one look per class and column.

use crate::classes::{Flags, View};
use crate::hierarchy::TOP;

/// The stars of released classes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stars {
    /// Rows in released classes.
    pub rows: u64,
    /// Those of them with a star in every quasi-identifier.
    pub blank: u64,
    /// Quasi-identifier → rows with a star.
    pub cells: Vec<u64>,
}

impl Stars {
    /// Counts the stars of the classes that are not flagged.
    pub fn of(view: &View<'_>, flags: &Flags) -> Self {
        let width = view.columns();
        let star = |column: usize| {
            let (hierarchy, level) = (&view.hierarchies()[column], view.node().level(column));
            (0..hierarchy.size(level)).map(|code| hierarchy.label(level, code as u32) == Some(TOP)).collect()
        };
        let is_star: Vec<Vec<bool>> = (0..width).map(star).collect();
        let mut stars = Stars { cells: vec![0; width], ..Stars::default() };
        for class in (0..view.len()).filter(|&class| !flags.has(class)) {
            let rows = u64::from(view.counts()[class]);
            let mut starred = 0;
            for (column, is_star) in is_star.iter().enumerate() {
                if is_star[view.code(class, column) as usize] {
                    stars.cells[column] += rows;
                    starred += 1;
                }
            }
            stars.rows += rows;
            stars.blank += if width > 0 && starred == width { rows } else { 0 };
        }
        stars
    }

    /// The share of the quasi-identifiers' cells that are stars, where a number of rows were withheld:
    /// their cells count as stars.
    pub fn share(&self, withheld: u64) -> f64 {
        let width = self.cells.len() as u64;
        let cells = (self.rows + withheld) * width;
        let stars = self.cells.iter().sum::<u64>() + withheld * width;
        if cells == 0 { 0.0 } else { stars as f64 / cells as f64 }
    }

    /// Whether a quasi-identifier holds nothing but stars, though there are rows.
    pub fn empty(&self, column: usize) -> bool {
        self.rows > 0 && self.cells[column] == self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::{Classes, Codes, Groups};
    use crate::hierarchy::{Hierarchy, Path};
    use crate::lattice::Node;

    fn hierarchy() -> Hierarchy {
        let path = |leaf: &str| Path { leaf: leaf.into(), labels: vec![TOP.into()] };
        Hierarchy::new(vec![path("a"), path("b"), path(TOP)], false).unwrap()
    }

    #[test]
    fn stars_are_counted_by_text_and_not_by_level() {
        let hierarchies = [hierarchy(), hierarchy()];
        let star = hierarchies[0].leaf(Some(TOP)).unwrap();
        // Three rows (a, a), two (a, *), four (*, *), which a table may hold, and one (b, b), which
        // is flagged.
        let codes = vec![0, 0, 0, star, star, star, 1, 1];
        let classes = Classes::new(2, Codes::Wide(codes), vec![3, 2, 4, 1]).unwrap();
        let every = Groups::identity(&classes);
        let mut flags = Flags::default();
        flags.reset(4);
        flags.flag(3, 1);
        let at = |levels: Vec<u8>| {
            let node = Node::new(levels);
            Stars::of(&View::new(&classes, &hierarchies, &node, &every), &flags)
        };
        let leaves = at(vec![0, 0]);
        assert_eq!(leaves, Stars { rows: 9, blank: 4, cells: vec![4, 6] });
        assert_eq!(leaves.share(1), 12.0 / 20.0);
        assert!(!leaves.empty(1));
        let half = at(vec![0, 1]);
        assert_eq!(half, Stars { rows: 9, blank: 4, cells: vec![4, 9] });
        assert!(half.empty(1) && !half.empty(0));
        assert_eq!(at(vec![1, 1]).blank, 9);
        assert_eq!(Stars::default().share(0), 0.0);
    }
}
