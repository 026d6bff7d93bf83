//! The cells of a release by levels, for losses: the value of every text at the level of the step
//! that releases it.
//!
//! Some losses do not need the original; those that do are not checked without it. Costs one pass
//! over the texts of a column and level, once for all losses, and 48 bytes per value of a level.

use std::cell::OnceCell;

use super::{Cell, Checked, Facts, LevelShare, NO_DEFINITION, NO_INFORMATION, Pair, STOPPED};
use crate::classes::{Interner, MISSING, Tuples};
use crate::levels::{Chain, leaves_under, number};
use crate::pace::Pace;
use crate::source::{ByLevel, Generalized};
use crate::target_information::TargetInformation;
use crate::verdict::WITHOUT_ORIGINAL;
use throng_terms::hierarchy::Hierarchy;

const UNFIT: &str = "not checked: a level does not fit its hierarchy";

/// Level → number of a value → its cell.
type Cells = ByLevel<Vec<Cell>>;

/// A release by levels.
pub(crate) struct LevelFacts<'a> {
    rows: u64,
    suppressed: u64,
    /// Rows per released class; 0 means that there is no class.
    counts: &'a [u64],
    chains: &'a [Chain<'a>],
    /// The original, or why losses cannot be computed from it. Looked at once: losses ask for it
    /// once per value.
    source: Checked<&'a Generalized>,
    /// Column → its cells.
    cells: OnceCell<Checked<Vec<Cells>>>,
    pace: &'a Pace<'a>,
}

impl<'a> LevelFacts<'a> {
    /// All rows and suppressed rows, rows per released class, and the original where it is there.
    pub(crate) fn new(
        (rows, suppressed): (u64, u64),
        counts: &'a [u64],
        chains: &'a [Chain<'a>],
        source: Option<&'a Generalized>,
        pace: &'a Pace<'a>,
    ) -> Self {
        let known = |source: &'a Generalized| match source.unknown().is_empty() {
            true => Ok(source),
            false => Err("not checked: the original has values that their hierarchy does not know"),
        };
        let source = source.ok_or(WITHOUT_ORIGINAL).and_then(known);
        LevelFacts { rows, suppressed, counts, chains, source, cells: OnceCell::new(), pace }
    }

    fn source(&self) -> Checked<&'a Generalized> {
        self.source
    }

    fn hierarchy(&self, column: usize) -> Checked<&'a Hierarchy> {
        self.chains[column].hierarchy.as_ref().ok_or(WITHOUT_ORIGINAL)
    }

    fn information(&self, column: usize) -> Checked<&'a TargetInformation> {
        Ok(&self.source()?.information.as_ref().ok_or(NO_INFORMATION)?[column])
    }

    fn share(&self, rows: f64) -> f64 {
        if self.rows == 0 { 0.0 } else { rows / self.rows as f64 }
    }

    fn cells(&self, column: usize) -> Checked<&Cells> {
        let all = || (0..self.chains.len()).map(|column| self.cells_of(column)).collect();
        self.cells.get_or_init(all).as_ref().map(|cells| &cells[column]).map_err(|why| *why)
    }

    fn cells_of(&self, column: usize) -> Checked<Cells> {
        let source = self.source()?;
        let mut cells = Cells::new();
        for (&level, texts) in &source.texts[column] {
            self.pace.look().map_err(|_| STOPPED)?;
            let mut values = self.values(column, level)?;
            let map = source.maps[column].get(&level).ok_or(UNFIT)?;
            texts.iter().zip(map).for_each(|(&rows, &value)| values[value as usize].released += rows as f64);
            // Suppressed rows were counted at the first level.
            if self.chains[column].first() == Some(level) {
                for class in 0..source.held.len() {
                    let value = source.held.tuples.tuple(class)[column] as usize;
                    values[value].suppressed += source.held.tally(class).rows as f64;
                }
                values.iter_mut().for_each(|cell| cell.released -= cell.suppressed);
            }
            cells.insert(level, values);
        }
        Ok(cells)
    }

    /// Number of a generalized value → its cell, without its rows.
    fn values(&self, column: usize, level: usize) -> Checked<Vec<Cell>> {
        let (source, hierarchy) = (self.source()?, self.hierarchy(column)?);
        let interner = &source.interners[column];
        let none = Cell { leaves: 1.0, under: 0.0, bits: 0.0, worth: 0.0, released: 0.0, suppressed: 0.0 };
        let mut cells = vec![none; hierarchy.size(level) + 1];
        let information = source.information.as_ref().map(|information| &information[column]);
        for code in 0..hierarchy.size(level) as u32 {
            let cell = &mut cells[number(hierarchy, level, code) as usize];
            cell.leaves = f64::from(hierarchy.leaves_under(level, code));
            cell.worth = information.map_or(0.0, |information| information.value(level, code));
        }
        let map = source.maps[column].get(&level).ok_or(UNFIT)?;
        for (text, &value) in map.iter().enumerate() {
            cells[value as usize].under += interner.count(text as u32) as f64;
        }
        for (text, &value) in map.iter().enumerate() {
            let cell = &mut cells[value as usize];
            let share = interner.count(text as u32) as f64 / cell.under;
            cell.bits -= if share > 0.0 { share * share.log2() } else { 0.0 };
        }
        Ok(cells)
    }
}

impl Facts for LevelFacts<'_> {
    fn rows(&self) -> f64 {
        self.rows as f64
    }

    fn suppressed(&self) -> f64 {
        self.suppressed as f64
    }

    fn columns(&self) -> usize {
        self.chains.len()
    }

    fn classes(&self) -> &[u64] {
        self.counts
    }

    /// Classes are distinguished by labels; suppressed rows are in their class at the first step.
    fn squares_of_looks(&self) -> Checked<f64> {
        Ok(squares(self.source()?))
    }

    fn combinations(&self) -> Checked<f64> {
        let source = self.source()?;
        let mut sum = 0.0;
        for layer in &source.layers {
            let under = |(column, level): (usize, &usize)| Ok(leaves_under(self.hierarchy(column)?, *level));
            let leaves: Vec<Vec<f64>> = layer.levels.iter().enumerate().map(under).collect::<Checked<_>>()?;
            for (tuple, rows) in layer.kept() {
                self.pace.steps(4).map_err(|_| STOPPED)?;
                let product: f64 =
                    tuple.iter().zip(&leaves).map(|(&cell, under)| under[cell as usize]).product();
                sum += rows as f64 * product;
            }
        }
        Ok(sum)
    }

    fn minorities(&self) -> Checked<&[u64]> {
        let minorities = &self.source()?.minorities;
        if minorities.is_empty() { Err("not checked: no column is a target") } else { Ok(minorities) }
    }

    fn first_level(&self, column: usize) -> Checked<f64> {
        self.chains[column].first().map(|level| level as f64).ok_or("not checked: a level is not given")
    }

    fn height(&self, column: usize) -> Checked<f64> {
        Ok(self.hierarchy(column)?.height() as f64)
    }

    fn leaves(&self, column: usize) -> Checked<f64> {
        Ok(self.hierarchy(column)?.leaf_count() as f64)
    }

    fn texts(&self, column: usize) -> Checked<&Interner> {
        Ok(&self.source()?.interners[column])
    }

    fn mutual(&self, column: usize) -> Checked<f64> {
        Ok(self.information(column)?.mutual)
    }

    fn worth(&self, column: usize, text: u32) -> Checked<f64> {
        let text = self.source()?.interners[column].value(text);
        Ok(self.information(column)?.value(0, self.hierarchy(column)?.leaf(text).ok_or(UNFIT)?))
    }

    /// With one step, all rows are at its level, whatever the original is.
    fn level_shares(&self, column: usize) -> Checked<Vec<LevelShare>> {
        let (first, suppressed) = (self.first_level(column)?, self.share(self.suppressed as f64));
        if self.chains.iter().all(|chain| chain.levels.len() == 1) {
            return Ok(vec![LevelShare { level: first, released: 1.0 - suppressed, suppressed }]);
        }
        let share = |(&level, texts): (&usize, &Vec<u64>)| {
            let rows = self.share(texts.iter().map(|&n| n as f64).sum());
            let suppressed = if level as f64 == first { suppressed } else { 0.0 };
            LevelShare { level: level as f64, released: rows - suppressed, suppressed }
        };
        Ok(self.source()?.texts[column].iter().map(share).collect())
    }

    fn each_cell(&self, column: usize, each: &mut dyn FnMut(&Cell)) -> Checked<()> {
        self.cells(column)?.values().flatten().for_each(each);
        Ok(())
    }

    fn each_pair(&self, column: usize, each: &mut dyn FnMut(&Pair<'_>) -> Checked<()>) -> Checked<()> {
        let (source, cells) = (self.source()?, self.cells(column)?);
        for (level, texts) in &source.texts[column] {
            let map = source.maps[column].get(level).ok_or(UNFIT)?;
            let cells = cells.get(level).ok_or(NO_DEFINITION)?;
            self.pace.steps(texts.len() as u64).map_err(|_| STOPPED)?;
            for (text, (&rows, &value)) in texts.iter().zip(map).enumerate().filter(|(_, t)| *t.0 > 0) {
                each(&Pair { text: text as u32, cell: &cells[value as usize], rows: rows as f64 })?;
            }
        }
        Ok(())
    }
}

/// Σ of squares over all classes, distinguished by labels.
fn squares(source: &Generalized) -> f64 {
    let held = (0..source.held.len()).map(|at| (source.held.tuples.tuple(at), source.held.tally(at).rows));
    if let [only] = source.layers.as_slice() {
        // Labels of one level are all different, and a class is suppressed as a whole.
        return only.kept().chain(held).map(|(_, rows)| (rows as f64).powi(2)).sum();
    }
    let mut looks = Tuples::new(source.interners.len());
    let mut sums: Vec<f64> = Vec::new();
    let mut add = |levels: &[usize], (tuple, rows): (&[u32], u64)| {
        let cells = tuple.iter().zip(levels).zip(&source.looks);
        let number = |((&cell, level), labels): ((&u32, &usize), &ByLevel<Vec<u32>>)| {
            labels.get(level).map_or(MISSING, |labels| labels[cell as usize])
        };
        let look: Vec<u32> = cells.map(number).collect();
        let at = looks.intern(&look);
        if at == sums.len() {
            sums.push(0.0);
        }
        sums[at] += rows as f64;
    };
    for layer in &source.layers {
        layer.kept().for_each(|class| add(&layer.levels, class));
    }
    if let Some(first) = source.layers.first() {
        held.for_each(|class| add(&first.levels, class));
    }
    sums.iter().map(|rows| rows.powi(2)).sum()
}
