//! The cells of a release by regions, for losses: what a cell covers in place of a level.
//!
//! A cell covers some of the leaves and is a single value from some level on. Suppressed rows have
//! their own texts. Heights and distances are defined on levels only, so they do not apply. Costs
//! one pass over the distinct cells per loss, over the pairs of value and cell where values matter.

use super::{Cell, Checked, Facts, LevelShare, NO_DEFINITION, NO_INFORMATION, Pair, STOPPED};
use crate::classes::Interner;
use crate::pace::Pace;
use crate::regions::{Column, Regions};
use crate::shapes::Shape;
use crate::side::Side;

/// A release by regions.
pub(crate) struct RegionFacts<'a> {
    pub(crate) regions: &'a Regions,
    pub(crate) released: &'a Side,
    /// Rows per released class; 0 means that there is no class.
    pub(crate) counts: &'a [u64],
    /// Released rows that do not have the most frequent label of their class, per target.
    pub(crate) minorities: Vec<u64>,
    pub(crate) pace: &'a Pace<'a>,
}

const UNTRUE: &str = "not checked: a cell is not true of its row";

impl RegionFacts<'_> {
    fn column(&self, column: usize) -> &Column {
        &self.regions.columns[column]
    }

    /// The texts of suppressed rows, each as a cell of its own.
    fn each_suppressed(&self, column: usize, each: &mut dyn FnMut(&Cell)) {
        let hidden = self.column(column).hidden.iter().enumerate().filter(|(_, rows)| **rows > 0);
        for (text, &rows) in hidden {
            let under = self.regions.interners[column].count(text as u32) as f64;
            let worth = self.column(column).worths.as_ref().map_or(0.0, |worths| worths[text]);
            let suppressed = rows as f64;
            each(&Cell { leaves: 1.0, under, bits: 0.0, worth, released: 0.0, suppressed });
        }
    }

    /// Calls `each` with what released cells cover, and their rows.
    fn each_shape(&self, column: usize, each: &mut dyn FnMut(Shape, f64)) -> Checked<()> {
        for &(shape, rows) in self.column(column).covered().ok_or(UNTRUE)? {
            self.pace.step().map_err(|_| STOPPED)?;
            each(shape, rows as f64);
        }
        Ok(())
    }
}

fn cell(shape: Shape, released: f64) -> Cell {
    let Shape { leaves, rows: under, bits, worth, .. } = shape;
    Cell { leaves, under, bits, worth, released, suppressed: 0.0 }
}

impl Facts for RegionFacts<'_> {
    fn rows(&self) -> f64 {
        self.regions.rows as f64
    }

    fn suppressed(&self) -> f64 {
        self.regions.suppressed as f64
    }

    fn columns(&self) -> usize {
        self.regions.columns.len()
    }

    fn classes(&self) -> &[u64] {
        self.counts
    }

    fn squares_of_looks(&self) -> Checked<f64> {
        let looks = self.regions.looks(self.released, self.counts);
        Ok(looks.iter().map(|&rows| (rows as f64).powi(2)).sum())
    }

    fn combinations(&self) -> Checked<f64> {
        let mut sum = 0.0;
        for (count, shapes) in self.regions.released(self.released) {
            self.pace.steps(8).map_err(|_| STOPPED)?;
            let product: Option<f64> = shapes.map(|shape| shape.map(|shape| shape.leaves)).product();
            sum += count as f64 * product.ok_or(UNTRUE)?;
        }
        Ok(sum)
    }

    fn minorities(&self) -> Checked<&[u64]> {
        if self.minorities.is_empty() { Err(NO_DEFINITION) } else { Ok(&self.minorities) }
    }

    fn first_level(&self, _: usize) -> Checked<f64> {
        Err(NO_DEFINITION)
    }

    fn height(&self, column: usize) -> Checked<f64> {
        Ok(self.column(column).height)
    }

    fn leaves(&self, column: usize) -> Checked<f64> {
        Ok(self.column(column).all)
    }

    fn texts(&self, column: usize) -> Checked<&Interner> {
        Ok(&self.regions.interners[column])
    }

    fn mutual(&self, column: usize) -> Checked<f64> {
        self.column(column).mutual.ok_or(NO_INFORMATION)
    }

    fn worth(&self, column: usize, text: u32) -> Checked<f64> {
        Ok(self.column(column).worths.as_ref().ok_or(NO_INFORMATION)?[text as usize])
    }

    fn level_shares(&self, column: usize) -> Checked<Vec<LevelShare>> {
        let rows = self.rows().max(1.0);
        let mut shares = vec![LevelShare { level: 0.0, released: 0.0, suppressed: self.suppressed() / rows }];
        self.each_shape(column, &mut |shape, released| {
            shares.push(LevelShare { level: shape.level, released: released / rows, suppressed: 0.0 });
        })?;
        Ok(shares)
    }

    fn each_cell(&self, column: usize, each: &mut dyn FnMut(&Cell)) -> Checked<()> {
        self.each_shape(column, &mut |shape, rows| each(&cell(shape, rows)))?;
        self.each_suppressed(column, each);
        Ok(())
    }

    /// Suppressed rows keep their texts, so their pairs cost nothing and are left out.
    fn each_pair(&self, column: usize, each: &mut dyn FnMut(&Pair<'_>) -> Checked<()>) -> Checked<()> {
        for ((text, _), rows, shape) in self.column(column).shaped() {
            self.pace.step().map_err(|_| STOPPED)?;
            let rows = rows as f64;
            each(&Pair { text, cell: &cell(shape.ok_or(UNTRUE)?, rows), rows })?;
        }
        Ok(())
    }
}
