//! What was decided: steps of a level per quasi-identifier, and which classes are suppressed.
//!
//! A search decides on one node, and the classes that are unsafe there are flagged. Local recoding lets
//! further steps follow: the rows still flagged are generalized, from their leaves, to the next node, the
//! classes that they form among themselves are released where they are safe, and the rest goes on; what is
//! left after the last step is suppressed. A [`Recoding`] is all that rewriting rows needs: per column a table
//! from the value's code to its label's code, the tuples that are flagged, and where those go. One
//! look-up per cell, one per row when anything is flagged, and one more per flagged row.
//!
//! Where rows were put into regions, every row is looked up by its tuple and gets the cells of its region. Rows of one tuple may be in
//! several regions: then they are *dealt*, in the order in which they come, as many to each region as were decided. A [`Dealer`]
//! counts them.

use rustc_hash::FxHashMap;

use crate::classes::{Classes, Flags, View};
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;
use crate::table::Code;
use crate::tuples::Tuples;

/// Nodes applied one after the other, and which of them releases each class of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steps {
    nodes: Vec<Node>,
    of_class: Vec<u16>,
}

/// The step of a class that no step releases.
const NONE: u16 = u16::MAX;

impl Steps {
    /// Steps, and for each class of the table the one that releases it.
    ///
    /// # Errors
    /// No step, more than 65,535, or a class whose step is not there: mistakes of ours.
    pub fn new(nodes: Vec<Node>, of_class: impl IntoIterator<Item = Option<usize>>) -> Result<Self> {
        let of_class: Vec<u16> = of_class.into_iter().map(|s| s.map_or(NONE, |s| s as u16)).collect();
        let known = |&step: &u16| step == NONE || usize::from(step) < nodes.len();
        if nodes.is_empty() || nodes.len() >= usize::from(NONE) || !of_class.iter().all(known) {
            return Err(Fault::bug("classes and steps do not fit").into());
        }
        Ok(Steps { nodes, of_class })
    }

    /// The nodes, from the first step on.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The step that releases a class; none for a suppressed one.
    pub fn of(&self, class: usize) -> Option<usize> {
        let step = self.of_class[class];
        (step != NONE).then_some(usize::from(step))
    }

    /// Rows that each step releases.
    pub fn rows(&self, classes: &Classes) -> Vec<u64> {
        let mut rows = vec![0; self.nodes.len()];
        for (class, &count) in classes.counts().iter().enumerate() {
            if let Some(step) = self.of(class) {
                rows[step] += u64::from(count);
            }
        }
        rows
    }

    /// Columns that are at the top of their hierarchy at a step and are not at the first.
    pub fn starred(&self, step: usize, hierarchies: &[Hierarchy]) -> Vec<usize> {
        let top = |step: usize, column: usize| self.nodes[step].level(column) == hierarchies[column].height();
        (0..hierarchies.len()).filter(|&c| top(step, c) && !top(0, c)).collect()
    }
}

/// One recoded column.
#[derive(Debug, Clone)]
pub struct RecodedColumn {
    /// Its name.
    pub name: String,
    /// Its level at the first step.
    pub level: usize,
    /// Its highest level at any step.
    pub highest: usize,
    /// Code of the value in the table's dictionary → code of its label at the first step.
    pub codes: Vec<Code>,
    /// Labels: those of the first level in its order, then what others add; `None` is missing.
    pub labels: Vec<Option<String>>,
}

/// Where flagged rows go after the first step.
#[derive(Debug, Clone)]
struct Later {
    /// Column → code in the table's dictionary → leaf.
    leaves: Vec<Vec<Code>>,
    /// The flagged tuples of leaves, and the step of each.
    tuples: Tuples,
    step_of: Vec<u16>,
    nodes: Vec<Node>,
    /// Column → level → leaf → code of the label; empty for a level that no step has.
    codes: Vec<Vec<Vec<Code>>>,
}

/// Where rows go that were put into regions.
#[derive(Debug, Clone)]
struct Regions {
    /// Column → code in the table's dictionary → leaf.
    leaves: Vec<Vec<Code>>,
    /// All tuples of leaves.
    tuples: Tuples,
    /// Tuple → where its shares begin; one more at the end.
    starts: Vec<u32>,
    /// The region of each share, and how many rows of the tuple are in it or in one before.
    shares: Vec<(u32, u32)>,
    /// Region by region, the code of the label in each column.
    cells: Vec<Code>,
}

/// Some rows of a point, and the region that they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The point: a class of the table.
    pub point: u32,
    /// The region, from 0.
    pub region: u32,
    /// Rows of the point that are in it; all, unless a method parts rows of equal values.
    pub rows: u32,
}

/// What was decided.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// The quasi-identifiers, in the order of the classes.
    pub columns: Vec<RecodedColumn>,
    flagged: Tuples,
    later: Option<Later>,
    regions: Option<Regions>,
    suppressed: u64,
}

/// Counts the rows of tuples that are in several regions as they come.
#[derive(Debug, Clone, Default)]
pub struct Dealer {
    seen: FxHashMap<u32, u32>,
}

impl Recoding {
    /// The recoding of a node: `maps` lead from the dictionary of each column to its leaves.
    pub fn new(names: &[String], maps: &[Vec<Code>], view: &View<'_>, flags: &Flags) -> Self {
        let columns = view
            .hierarchies()
            .iter()
            .enumerate()
            .map(|(i, hierarchy)| {
                let level = view.node().level(i);
                RecodedColumn {
                    name: names[i].clone(),
                    level,
                    highest: level,
                    codes: maps[i].iter().map(|&leaf| hierarchy.generalize(leaf, level)).collect(),
                    labels: (0..hierarchy.size(level))
                        .map(|c| hierarchy.label(level, c as Code).map(String::from))
                        .collect(),
                }
            })
            .collect();
        let mut flagged = Tuples::new(view.columns());
        let mut row = vec![0; view.columns()];
        for class in flags.iter() {
            for (column, cell) in row.iter_mut().enumerate() {
                *cell = view.code(class, column);
            }
            flagged.insert(&row, view.counts()[class]);
        }
        Recoding { columns, flagged, later: None, regions: None, suppressed: flags.rows() }
    }

    /// The recoding of regions: which rows of each class are in which, by class, and the label of each region in each column, region by
    /// region as places in `labels`; rows that are in none are suppressed.
    pub fn of_regions(
        (names, maps): (&[String], &[Vec<Code>]),
        classes: &Classes,
        shares: &[Share],
        (cells, labels): (Vec<Code>, Vec<Vec<Option<String>>>),
    ) -> Self {
        let column = |(name, labels): (&String, Vec<Option<String>>)| RecodedColumn {
            name: name.clone(),
            level: 0,
            highest: 1,
            codes: Vec::new(),
            labels,
        };
        let columns = names.iter().zip(labels).map(column).collect();
        let mut tuples = Tuples::new(names.len());
        let (mut starts, mut dealt) = (vec![0], Vec::with_capacity(shares.len()));
        let mut row = vec![0; names.len()];
        let (mut next, mut suppressed) = (shares.iter().peekable(), 0);
        for (class, &count) in classes.counts().iter().enumerate() {
            row.iter_mut().enumerate().for_each(|(column, cell)| *cell = classes.code(class, column));
            tuples.insert(&row, count);
            let mut rows = 0;
            while let Some(share) = next.next_if(|share| share.point as usize == class) {
                rows += share.rows;
                dealt.push((share.region, rows));
            }
            suppressed += u64::from(count - rows);
            starts.push(dealt.len() as u32);
        }
        let regions = Regions { leaves: maps.to_vec(), tuples, starts, shares: dealt, cells };
        let flagged = Tuples::new(names.len());
        Recoding { columns, flagged, later: None, regions: Some(regions), suppressed }
    }

    /// Whether rows were put into regions.
    pub fn deals(&self) -> bool {
        self.regions.is_some()
    }

    /// Turns the next row, in codes of the table's dictionaries, into codes of the labels of its region; `false` when it is in none, and
    /// then the codes mean nothing.
    pub fn deal(&self, row: &mut [Code], dealer: &mut Dealer) -> bool {
        let Some(regions) = &self.regions else { return false };
        for (cell, leaves) in row.iter_mut().zip(&regions.leaves) {
            *cell = leaves[*cell as usize];
        }
        let Some(tuple) = regions.tuples.find(row) else { return false };
        let [start, end] = [0, 1].map(|i| regions.starts[tuple as usize + i] as usize);
        let region = match &regions.shares[start..end] {
            [] => return false,
            [(region, _)] => *region,
            several => {
                let seen = dealer.seen.entry(tuple).or_default();
                let found = several.iter().find(|(_, until)| *seen < *until);
                *seen += 1;
                let Some((region, _)) = found else { return false };
                *region
            }
        };
        let at = region as usize * row.len();
        row.copy_from_slice(&regions.cells[at..at + row.len()]);
        true
    }

    /// The same with further steps for the flagged rows; the first step is the node that it was made for.
    #[must_use]
    pub fn with_steps(
        mut self,
        maps: &[Vec<Code>],
        classes: &Classes,
        hierarchies: &[Hierarchy],
        steps: &Steps,
    ) -> Self {
        let mut tuples = Tuples::new(hierarchies.len());
        let mut step_of = Vec::new();
        let mut row = vec![0; hierarchies.len()];
        self.suppressed = 0;
        for class in (0..classes.len()).filter(|&class| steps.of(class) != Some(0)) {
            for (column, cell) in row.iter_mut().enumerate() {
                *cell = classes.code(class, column);
            }
            tuples.insert(&row, classes.counts()[class]);
            step_of.push(steps.of_class[class]);
            if steps.of(class).is_none() {
                self.suppressed += u64::from(classes.counts()[class]);
            }
        }
        let codes = self.columns.iter_mut().enumerate();
        let codes = codes.map(|(i, column)| label_codes(column, i, &hierarchies[i], steps)).collect();
        let nodes = steps.nodes.clone();
        self.later = Some(Later { leaves: maps.to_vec(), tuples, step_of, nodes, codes });
        self
    }

    /// Whether a tuple is flagged at the first step.
    pub fn flags(&self, row: &[Code]) -> bool {
        self.flagged.find(row).is_some()
    }

    /// Whether anything is flagged at the first step.
    pub fn flags_any(&self) -> bool {
        !self.flagged.is_empty()
    }

    /// Whether flagged rows go on to further steps.
    pub fn rescues(&self) -> bool {
        self.later.is_some()
    }

    /// Turns a flagged row, in codes of the table's dictionaries, into codes of labels as a later step releases
    /// it; `false` when no step does, and then the codes mean nothing.
    pub fn rescue(&self, row: &mut [Code]) -> bool {
        let Some(later) = &self.later else { return false };
        for (cell, leaves) in row.iter_mut().zip(&later.leaves) {
            *cell = leaves[*cell as usize];
        }
        let step = later.tuples.find(row).map_or(NONE, |at| later.step_of[at as usize]);
        let Some(node) = later.nodes.get(usize::from(step)) else { return false };
        for (column, cell) in row.iter_mut().enumerate() {
            *cell = later.codes[column][node.level(column)][*cell as usize];
        }
        true
    }

    /// Rows that are suppressed.
    pub fn suppressed_rows(&self) -> u64 {
        self.suppressed
    }
}

/// For each level that a step has, leaf → code of the label; labels that are new are added to the column.
fn label_codes(column: &mut RecodedColumn, i: usize, hierarchy: &Hierarchy, steps: &Steps) -> Vec<Vec<Code>> {
    let mut known: FxHashMap<Option<String>, Code> =
        column.labels.iter().cloned().enumerate().map(|(code, label)| (label, code as Code)).collect();
    let mut codes = vec![Vec::new(); hierarchy.height() + 1];
    for node in &steps.nodes {
        let level = node.level(i);
        if !codes[level].is_empty() {
            continue;
        }
        column.highest = column.highest.max(level);
        let code_of = |code: usize| {
            let label = hierarchy.label(level, code as Code).map(String::from);
            *known.entry(label.clone()).or_insert_with(|| {
                column.labels.push(label);
                column.labels.len() as Code - 1
            })
        };
        let labels: Vec<Code> = (0..hierarchy.size(level)).map(code_of).collect();
        codes[level] = hierarchy.codes(level).iter().map(|&code| labels[code as usize]).collect();
    }
    codes
}
