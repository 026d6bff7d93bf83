//! A table after any recoding, cell by cell: what every class became, and which classes the release
//! has.
//!
//! A node gives all cells of a column one level; steps and local methods do not. What they have in
//! common is stated here once, for losses, claims and reports: per column the distinct generalized
//! values, per class of the table its value in each column, and whether its rows are suppressed.
//! Classes of a release are distinguished by label texts, because a recipient sees nothing else; a
//! label may stand at several levels. Costs one look-up per class, and four or two bytes per cell
//! of the distinct tuples.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::classes::{Classes, Codes, Flags, Groups, View};
use crate::error::{Fault, Result};
use crate::hierarchy::{Hierarchy, Path};
use crate::histogram::{Histogram, Scratch};
use crate::lattice::Node;
use crate::recoding::Steps;
use crate::table::Code;
use crate::tuples::Tuples;
use crate::worth::Worths;

/// Classes whose labels are looked up at a time, and those that a core works on at a time.
const BLOCK: usize = 1 << 13;
const PIECE: usize = 1 << 14;

/// One generalized value of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its level.
    pub level: usize,
    /// How much it generalizes, out of the height: its level, or in a poset its measure.
    pub measure: f64,
    /// Leaves of the hierarchy under it.
    pub leaves: u32,
    /// Rows of the whole table under it, recoded to it or not.
    pub rows: u64,
    /// Entropy of the original values under it, in bits, over these rows.
    pub bits: f64,
    /// Its label, as a place in the column's labels.
    pub label: Code,
    /// Its information about the targets, in bits; 0 without a target.
    pub worth: f64,
}

/// The generalized values of a column.
#[derive(Debug, Clone)]
pub struct Values {
    /// The values.
    pub values: Vec<Value>,
    /// Their distinct labels; `None` is missing.
    pub labels: Vec<Option<String>>,
    /// The highest level of the hierarchy.
    pub height: usize,
    /// Leaves of the hierarchy.
    pub leaves: usize,
    /// Information of the column and its original values about the targets, where there are any.
    pub targets: Option<TargetWorths>,
}

/// The information of a column and its original values about the targets, in bits.
#[derive(Debug, Clone)]
pub struct TargetWorths {
    /// The mutual information of the column.
    pub mutual: f64,
    /// Leaf → what it is worth.
    pub worths: Vec<f64>,
}

impl TargetWorths {
    /// That of a column with a hierarchy.
    pub fn new(worths: &Worths, hierarchy: &Hierarchy) -> Self {
        let leaves = 0..hierarchy.leaf_count() as Code;
        TargetWorths { mutual: worths.mutual(), worths: leaves.map(|leaf| worths.at(0, leaf)).collect() }
    }
}

/// A class of the release, or of the rows that are held back as they look at the first step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    /// Rows that are released.
    pub released: u64,
    /// Rows that are suppressed.
    pub suppressed: u64,
}

/// What every class of a table became.
#[derive(Debug)]
pub struct Recoded {
    base: Arc<Classes>,
    columns: Vec<Values>,
    /// Column → leaf → cell by the rule that most classes follow; empty where there is none.
    rule: Vec<Vec<Code>>,
    /// The classes of the table with places in `columns` for codes. A suppressed class has the
    /// values that it would have had: losses that do not count suppression are of those.
    cells: Classes,
    suppressed: Vec<bool>,
    /// The look of every class of the table.
    look_of: Vec<u32>,
    /// Labels of all looks, and what each has.
    tuples: Tuples,
    looks: Vec<Look>,
}

impl Recoded {
    /// A table whose classes became `cells`, row by row as places among the values of `columns`.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn new(
        base: &Arc<Classes>,
        columns: Vec<Values>,
        cells: Vec<Code>,
        suppressed: Vec<bool>,
    ) -> Result<Self> {
        let cells = narrowed(&columns, cells);
        Recoded::made(Arc::clone(base), columns, cells, suppressed)
    }

    /// The same for classes whose rows were recoded differently; each class is then listed several
    /// times.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn of_parts(
        base: Classes,
        columns: Vec<Values>,
        cells: Vec<Code>,
        suppressed: Vec<bool>,
    ) -> Result<Self> {
        let cells = narrowed(&columns, cells);
        Recoded::made(Arc::new(base), columns, cells, suppressed)
    }

    fn made(base: Arc<Classes>, columns: Vec<Values>, cells: Codes, suppressed: Vec<bool>) -> Result<Self> {
        let cells = Classes::new(base.columns(), cells, base.counts().to_vec())?;
        if suppressed.len() != cells.len() {
            return Err(Fault::bug("classes and their fates differ in number").into());
        }
        let mut tuples = Tuples::new(columns.len());
        let mut looks: Vec<Look> = Vec::new();
        let mut look_of = Vec::with_capacity(cells.len());
        let labels = columns.iter().map(|column| column.values.iter().map(|value| value.label).collect());
        let labels: Vec<Vec<Code>> = labels.collect();
        // While the labels of one block are looked up, another core prepares those of the next.
        let (mut block, mut next) = (Vec::new(), Vec::new());
        fill_labels(&cells, &labels, 0, &mut block);
        for (start, counts) in (0..).step_by(BLOCK).zip(cells.counts().chunks(BLOCK)) {
            rayon::join(
                || fill_labels(&cells, &labels, start + BLOCK, &mut next),
                || tuples.insert_each(&block, counts, &mut look_of),
            );
            std::mem::swap(&mut block, &mut next);
            looks.resize(tuples.len(), Look::default());
            for (class, &count) in (start..).zip(counts) {
                let Look { released, suppressed: held } = &mut looks[look_of[class] as usize];
                *if suppressed[class] { held } else { released } += u64::from(count);
            }
        }
        Ok(Recoded { base, columns, rule: Vec::new(), cells, suppressed, look_of, tuples, looks })
    }

    /// A table after steps; suppressed rows are seen at the first one.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn of_steps(base: &Arc<Classes>, hierarchies: &[Hierarchy], steps: &Steps) -> Result<Self> {
        let mut columns = Vec::new();
        let mut starts = Vec::new();
        let worths = Worths::of(base, hierarchies);
        for (column, hierarchy) in hierarchies.iter().enumerate() {
            let (mut values, start) = values_of(base, hierarchy, steps, column);
            if let Some(worths) = worths.get(column) {
                add_worths(&mut values, worths, hierarchy, &start);
            }
            columns.push(values);
            starts.push(start);
        }
        let suppressed = (0..base.len()).map(|class| steps.of(class).is_none()).collect();
        let first = &steps.nodes()[0];
        let rule = hierarchies.iter().enumerate().map(|(column, hierarchy)| {
            let level = first.level(column);
            hierarchy.codes(level).iter().map(|&code| starts[column][level] + code).collect()
        });
        let rule: Vec<Vec<Code>> = rule.collect();
        let cell = |class: usize, column: usize| {
            let leaf = base.code(class, column);
            // Most classes stay at the first step, whose cells are at hand.
            match steps.of(class).unwrap_or(0) {
                0 => rule[column][leaf as usize],
                step => {
                    let level = steps.nodes()[step].level(column);
                    starts[column][level] + hierarchies[column].generalize(leaf, level)
                }
            }
        };
        let cells = match are_few(&columns) {
            true => Codes::Narrow(filled(base, |class, column| cell(class, column) as u16)),
            false => Codes::Wide(filled(base, cell)),
        };
        Ok(Recoded { rule, ..Recoded::made(Arc::clone(base), columns, cells, suppressed)? })
    }

    /// A table whose classes are all at one node, but for those that it suppresses.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn of_node(
        base: &Arc<Classes>,
        hierarchies: &[Hierarchy],
        node: &Node,
        suppressed: &[bool],
    ) -> Result<Self> {
        let step = |&suppressed: &bool| (!suppressed).then_some(0);
        let steps = Steps::new(vec![node.clone()], suppressed.iter().map(step))?;
        Recoded::of_steps(base, hierarchies, &steps)
    }

    /// Column → leaf → cell by the rule that most classes follow; empty where every class has its
    /// own.
    pub fn rule(&self) -> &[Vec<Code>] {
        &self.rule
    }

    /// The labels of all looks, one after the other, as places among the labels of each column.
    pub fn look_labels(&self) -> &Tuples {
        &self.tuples
    }

    /// The classes of the table, as they were.
    pub fn base(&self) -> &Classes {
        &self.base
    }

    /// The generalized values per column.
    pub fn columns(&self) -> &[Values] {
        &self.columns
    }

    /// The value of a class of the table in a column, as a place among the column's values.
    pub fn cell(&self, class: usize, column: usize) -> usize {
        self.cells.code(class, column) as usize
    }

    /// Calls `each` with every class of the table and its value in a column, as a place among the
    /// column's values.
    pub fn each_cell(&self, column: usize, mut each: impl FnMut(usize, usize)) {
        self.cells.each_code(column, |class, at| each(class, at as usize));
    }

    /// The label of a class of the table in a column; `None` is missing.
    pub fn label(&self, class: usize, column: usize) -> Option<&str> {
        let values = &self.columns[column];
        values.labels[values.values[self.cell(class, column)].label as usize].as_deref()
    }

    /// Whether a class of the table is suppressed.
    pub fn suppresses(&self, class: usize) -> bool {
        self.suppressed[class]
    }

    /// The look of a class of the table: the class of the release that its rows are in, unless
    /// suppressed.
    pub fn look_of(&self, class: usize) -> usize {
        self.look_of[class] as usize
    }

    /// All looks.
    pub fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// Rows per class of the release.
    pub fn classes(&self) -> impl Iterator<Item = u64> + '_ {
        self.looks.iter().map(|look| look.released).filter(|&n| n > 0)
    }

    /// Rows that are suppressed.
    pub fn suppressed_rows(&self) -> u64 {
        self.looks.iter().map(|look| look.suppressed).sum()
    }

    /// Released rows per label of a column.
    pub fn released_rows(&self, column: usize) -> Vec<u64> {
        let mut rows = vec![0; self.columns[column].labels.len()];
        for (at, look) in self.looks.iter().enumerate() {
            rows[self.tuples.code(at, column) as usize] += look.released;
        }
        rows
    }

    /// The release as a table of its own, whose values are the labels, with some measured columns:
    /// what models judge.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn released(&self, needs: &[usize]) -> Result<Released> {
        let mut hierarchies = Vec::new();
        let mut leaves = Vec::new();
        for column in &self.columns {
            let paths = column.labels.iter().flatten();
            let paths = paths.map(|l| Path { leaf: l.clone(), labels: Vec::new() }).collect();
            let hierarchy = Hierarchy::new(paths, column.labels.contains(&None))?;
            let leaf = |label: &Option<String>| {
                hierarchy.leaf(label.as_deref()).ok_or_else(|| Fault::bug("a label is lost").into())
            };
            leaves.push(column.labels.iter().map(leaf).collect::<Result<Vec<Code>>>()?);
            hierarchies.push(hierarchy);
        }
        let mut codes = Vec::new();
        let mut counts = Vec::new();
        for (at, look) in self.looks.iter().enumerate().filter(|(_, look)| look.released > 0) {
            codes.extend((0..leaves.len()).map(|c| leaves[c][self.tuples.code(at, c) as usize]));
            counts.push(look.released as u32);
        }
        let classes = Classes::new(self.columns.len(), Codes::Wide(codes), counts)?;
        let classes = classes.with_subject(self.base.subject());
        let groups = Groups { histograms: self.histograms(needs), ..Groups::identity(&classes) };
        let node = Node::new(vec![0; self.columns.len()]);
        let flags = Flags::none(classes.len());
        Ok(Released { classes: classes.into(), hierarchies: hierarchies.into(), node, groups, flags })
    }
}

/// The labels of a block of classes, class by class.
fn fill_labels(cells: &Classes, labels: &[Vec<Code>], start: usize, block: &mut Vec<Code>) {
    block.clear();
    let classes = start.min(cells.counts().len())..(start + BLOCK).min(cells.counts().len());
    for class in classes {
        let label = |(column, labels): (usize, &Vec<Code>)| labels[cells.code(class, column) as usize];
        block.extend(labels.iter().enumerate().map(label));
    }
}

/// Whether places among the values of all columns take two bytes.
fn are_few(columns: &[Values]) -> bool {
    columns.iter().all(|column| column.values.len() <= 1 << 16)
}

/// The same cells, as narrow as they go.
fn narrowed(columns: &[Values], cells: Vec<Code>) -> Codes {
    match are_few(columns) {
        true => Codes::Narrow(cells.into_iter().map(|cell| cell as u16).collect()),
        false => Codes::Wide(cells),
    }
}

/// A cell for every class and column of a table, class by class; made on all cores.
fn filled<T: Copy + Default + Send>(base: &Classes, cell: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let width = base.columns().max(1);
    let mut cells = vec![T::default(); base.len() * base.columns()];
    let pieces = cells.par_chunks_mut(PIECE * width).enumerate();
    pieces.for_each(|(piece, cells)| {
        for (class, row) in (piece * PIECE..).zip(cells.chunks_exact_mut(width)) {
            row.iter_mut().enumerate().for_each(|(column, to)| *to = cell(class, column));
        }
    });
    cells
}

impl Recoded {
    /// Look → its class in [`released`](Self::released). Looks without released rows are not
    /// classes of the release: they have the place of the next one.
    pub fn released_places(&self) -> Vec<u32> {
        let mut classes = 0;
        let place = |look: &Look| {
            let place = classes;
            classes += u32::from(look.released > 0);
            place
        };
        self.looks.iter().map(place).collect()
    }

    /// One histogram of the released classes per measured column, empty where it is not needed.
    pub fn histograms(&self, needs: &[usize]) -> Vec<Histogram> {
        if needs.is_empty() {
            return Vec::new();
        }
        let kept: Vec<u32> = (0..self.base.len() as u32).filter(|&c| !self.suppressed[c as usize]).collect();
        let place = self.released_places();
        let classes = self.looks.iter().filter(|look| look.released > 0).count();
        let ids: Vec<u32> = kept.iter().map(|&class| place[self.look_of(class as usize)]).collect();
        let mut scratch = Scratch::default();
        let mut histograms = vec![Histogram::default(); self.base.histograms().len()];
        for &measured in needs {
            let part = self.base.histograms()[measured].part(&kept);
            part.merge(&ids, classes, &mut histograms[measured], &mut scratch);
        }
        histograms
    }
}

/// The classes of a release as models judge them. After a search of levels these are the classes of
/// the table at the chosen node, with the suppressed ones flagged; otherwise the release is a table
/// of its own, and nothing is flagged.
#[derive(Debug)]
pub struct Released {
    classes: Arc<Classes>,
    hierarchies: Arc<[Hierarchy]>,
    node: Node,
    groups: Groups,
    flags: Flags,
}

impl Released {
    /// The classes of a table at a node, and which of them are suppressed.
    pub fn at_node(
        classes: &Arc<Classes>,
        hierarchies: &Arc<[Hierarchy]>,
        node: Node,
        (groups, flags): (Groups, Flags),
    ) -> Self {
        Released { classes: Arc::clone(classes), hierarchies: Arc::clone(hierarchies), node, groups, flags }
    }

    /// The same beside the people of the population who match each class.
    #[must_use]
    pub fn beside(mut self, people: Vec<u32>) -> Self {
        self.groups.people = people;
        self
    }

    /// Its classes.
    pub fn view(&self) -> View<'_> {
        View::new(&self.classes, &self.hierarchies, &self.node, &self.groups)
    }

    /// The classes that are not part of the release.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Number of released classes.
    pub fn released_classes(&self) -> u64 {
        (self.view().len() - self.flags.classes()) as u64
    }
}

/// −Σ p·log2 p of counts.
pub fn entropy(counts: impl Iterator<Item = u64> + Clone) -> f64 {
    let all = counts.clone().sum::<u64>() as f64;
    let shares = counts.filter(|&n| n > 0).map(|n| n as f64 / all);
    // From zero, because minus a sum of nothing would be −0.
    0.0 - shares.map(|p| p * p.log2()).sum::<f64>()
}

/// The values of a column at all levels that the steps have for it, and where each level's values
/// start.
fn values_of(base: &Classes, hierarchy: &Hierarchy, steps: &Steps, column: usize) -> (Values, Vec<Code>) {
    let mut leaf_rows = vec![0u64; hierarchy.leaf_count()];
    for (class, &count) in base.counts().iter().enumerate() {
        leaf_rows[base.code(class, column) as usize] += u64::from(count);
    }
    let mut values = Vec::new();
    let mut labels: Vec<Option<String>> = Vec::new();
    let mut known: FxHashMap<Option<&str>, Code> = FxHashMap::default();
    let mut starts = vec![Code::MAX; hierarchy.height() + 1];
    for node in steps.nodes() {
        let level = node.level(column);
        if starts[level] != Code::MAX {
            continue;
        }
        let start = values.len();
        starts[level] = start as Code;
        for code in 0..hierarchy.size(level) as Code {
            let text = hierarchy.label(level, code);
            let label = *known.entry(text).or_insert_with(|| {
                labels.push(text.map(String::from));
                labels.len() as Code - 1
            });
            values.push(Value {
                level,
                measure: level as f64,
                leaves: hierarchy.leaves_under(level, code),
                rows: 0,
                bits: 0.0,
                label,
                worth: 0.0,
            });
        }
        let mut under = vec![Vec::new(); hierarchy.size(level)];
        for (leaf, &rows) in leaf_rows.iter().enumerate() {
            under[hierarchy.generalize(leaf as Code, level) as usize].push(rows);
        }
        for (value, rows) in values[start..].iter_mut().zip(under) {
            value.rows = rows.iter().sum();
            value.bits = entropy(rows.into_iter());
        }
    }
    let (height, leaves) = (hierarchy.height(), hierarchy.leaf_count());
    (Values { values, labels, height, leaves, targets: None }, starts)
}

/// Adds their information about the targets to values, which begin at `starts` for every level that
/// is there.
fn add_worths(values: &mut Values, worths: &Worths, hierarchy: &Hierarchy, starts: &[Code]) {
    for (level, &start) in starts.iter().enumerate().filter(|(_, start)| **start != Code::MAX) {
        for code in 0..hierarchy.size(level) as Code {
            values.values[(start + code) as usize].worth = worths.at(level, code);
        }
    }
    values.targets = Some(TargetWorths::new(worths, hierarchy));
}
