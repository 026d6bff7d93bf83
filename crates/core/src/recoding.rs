//! From codes of the table to codes of the release: what rewriting rows needs to know of a
//! decision.
//!
//! [`Steps`] are nodes that apply one after the other: rows that are unsafe at one go on to the
//! next. A [`Share`] is some rows of a class that are in one region. Whatever decided, [`Recoded`]
//! states what every class became, and a [`Recoding`] turns that into look-ups:
//!
//! - The *rule* maps each value of a column to its label. It serves all rows that a search of
//!   levels treats alike.
//! - *Exceptions* are tuples of leaves that the rule does not serve: suppressed rows, rows of later
//!   steps, and all rows where they were put into regions.
//!
//! Costs one look-up per cell where there is a rule, one per row where there are exceptions, and
//! one more per exceptional cell. Rows of one tuple may be in several regions. They are then
//! assigned in the order of their [`Contents`].

use rustc_hash::FxHashMap;

use crate::classes::Classes;
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;
use crate::recoded::Recoded;
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
    /// Its labels; `None` is missing. The code after the last one stands for a suppressed cell.
    pub labels: Vec<Option<String>>,
    /// Whether any cell may differ from the original.
    pub changed: bool,
    /// Code in the table's dictionary → code of the label by the rule; empty without a rule.
    rule: Vec<Code>,
}

impl RecodedColumn {
    /// A column with its labels, and by the rule the label of each code of the table's dictionary.
    pub fn new(name: &str, labels: Vec<Option<String>>, changed: bool, rule: Vec<Code>) -> Self {
        RecodedColumn { name: name.to_owned(), labels, changed, rule }
    }
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

/// What becomes of a suppressed row.
const SUPPRESSED: u32 = u32::MAX;

/// Tuples of leaves that the rule does not serve, and what their rows become.
#[derive(Debug, Clone)]
struct Exceptions {
    /// Column → code in the table's dictionary → leaf.
    leaves: Vec<Vec<Code>>,
    /// Whether a rule serves all other tuples.
    ruled: bool,
    tuples: Tuples,
    /// Tuple → where its fates begin; one more at the end.
    starts: Vec<u32>,
    /// A fate, and how many rows of the tuple have it or one before.
    fates: Vec<(u32, u32)>,
    /// Divided tuple → the borders between its fates.
    borders: FxHashMap<u32, Vec<Border>>,
    /// Fate → column → code of the label.
    cells: Vec<Code>,
}

/// What was decided, as look-ups.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// The quasi-identifiers, in the order of the classes.
    pub columns: Vec<RecodedColumn>,
    exceptions: Option<Exceptions>,
    suppressed: u64,
}

/// Counts the rows of equal content at the borders between regions as they come.
#[derive(Debug, Clone, Default)]
pub struct RowCounter {
    seen: FxHashMap<(u32, u64), u32>,
}

/// The content of rows, by tuple of quasi-identifiers. Rows of a tuple that is in several regions
/// are assigned in the order of their content ([`ContentKey`](crate::rows::ContentKey)), so that
/// the order of rows does not matter. Costs 16 bytes per row.
#[derive(Debug, Clone)]
pub struct Contents {
    /// In codes of the table's dictionaries.
    tuples: Tuples,
    rows: Vec<(u32, u64)>,
}

impl Contents {
    /// No rows of a table of this many quasi-identifiers.
    pub fn new(width: usize) -> Self {
        Contents { tuples: Tuples::new(width), rows: Vec::new() }
    }

    /// Adds rows: their codes, column by column, and their contents.
    pub fn add(&mut self, codes: &[Vec<Code>], keys: &[u64]) {
        let mut tuple = vec![0; codes.len()];
        for (row, &key) in keys.iter().enumerate() {
            tuple.iter_mut().zip(codes).for_each(|(cell, codes)| *cell = codes[row]);
            self.rows.push((self.tuples.insert(&tuple, 1), key));
        }
    }
}

/// Where the rows of a divided tuple change from one fate to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Border {
    /// The content of the first row behind it.
    key: u64,
    /// Rows of that content before it.
    before: u32,
}

impl Recoding {
    /// The recoding of a decided table: `maps` lead from the dictionary of each column to its
    /// leaves.
    pub fn new(names: &[String], maps: &[Vec<Code>], recoded: &Recoded) -> Self {
        let column = |(i, name): (usize, &String)| {
            let values = &recoded.columns()[i];
            let label = |&leaf: &Code| values.values[recoded.rule()[i][leaf as usize] as usize].label;
            let ruled = !recoded.rule().is_empty();
            let rule = if ruled { maps[i].iter().map(label).collect() } else { Vec::new() };
            let changed = !ruled || values.values.iter().any(|value| value.level > 0);
            RecodedColumn::new(name, values.labels.clone(), changed, rule)
        };
        let columns = names.iter().enumerate().map(column).collect();
        let rule = recoded.rule();
        let by_rule = |class: usize| {
            let base = recoded.base();
            let same = |(c, rule): (usize, &Vec<Code>)| {
                recoded.cell(class, c) == rule[base.code(class, c) as usize] as usize
            };
            !rule.is_empty() && !recoded.suppresses(class) && rule.iter().enumerate().all(same)
        };
        let exceptional = (0..recoded.base().len()).filter(|&class| !by_rule(class)).map(|class| {
            let fate = (!recoded.suppresses(class)).then(|| recoded.look_of(class) as u32);
            (class, fate)
        });
        let looks = recoded.look_labels();
        let width = names.len();
        let cells = (0..looks.len()).flat_map(|look| (0..width).map(move |c| looks.code(look, c))).collect();
        Recoding::with_exceptions(columns, maps, recoded.base(), exceptional, cells)
    }

    /// Columns with their rule, and classes that are exceptions from it, each with its fate: a
    /// place in `cells`, which holds the label of every column, or none where its rows are
    /// suppressed. A class that comes several times in a row has several fates.
    pub fn with_exceptions(
        columns: Vec<RecodedColumn>,
        maps: &[Vec<Code>],
        classes: &Classes,
        exceptional: impl Iterator<Item = (usize, Option<u32>)>,
        cells: Vec<Code>,
    ) -> Self {
        let mut tuples = Tuples::new(columns.len());
        let (mut starts, mut fates): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
        let mut row = vec![0; columns.len()];
        let mut suppressed = 0;
        for (class, fate) in exceptional {
            row.iter_mut().enumerate().for_each(|(column, cell)| *cell = classes.code(class, column));
            let rows = classes.counts()[class];
            let tuple = tuples.insert(&row, rows) as usize;
            let before = match tuple == starts.len() {
                true => {
                    starts.push(fates.len() as u32);
                    0
                }
                false => fates.last().map_or(0, |&(_, until)| until),
            };
            fates.push((fate.unwrap_or(SUPPRESSED), before + rows));
            suppressed += if fate.is_none() { u64::from(rows) } else { 0 };
        }
        starts.push(fates.len() as u32);
        let ruled = columns.iter().all(|column| !column.rule.is_empty());
        let needed = !tuples.is_empty() || !ruled;
        let exceptions = needed.then(|| Exceptions {
            leaves: maps.to_vec(),
            ruled,
            tuples,
            starts,
            fates,
            borders: FxHashMap::default(),
            cells,
        });
        Recoding { columns, exceptions, suppressed }
    }

    /// Rows that are suppressed.
    pub fn suppressed_rows(&self) -> u64 {
        self.suppressed
    }

    /// Whether rows of equal quasi-identifiers become different cells. Then the contents of all
    /// rows decide which: see [`divide_by`](Self::divide_by).
    pub fn divides(&self) -> bool {
        self.exceptions.as_ref().is_some_and(|exceptions| exceptions.fates.len() >= exceptions.starts.len())
    }

    /// Finds the borders between the rows of divided tuples.
    ///
    /// # Errors
    /// Contents of other rows than were decided about.
    pub fn divide_by(&mut self, contents: &Contents) -> Result<()> {
        match &mut self.exceptions {
            Some(exceptions) => exceptions.divide_by(contents),
            None => Ok(()),
        }
    }

    /// Turns a batch of rows, column by column in codes of the table's dictionaries, into codes of
    /// labels. A suppressed row has the code after the last label in every column. `keys` has the
    /// content of every row if the recoding [`divides`](Self::divides). Returns the rows that are
    /// not suppressed, or `None` where all are released.
    pub fn recode(
        &self,
        codes: &mut [Vec<Code>],
        keys: &[u64],
        counter: &mut RowCounter,
    ) -> Option<Vec<u32>> {
        let fates = match &self.exceptions {
            Some(exceptions) => exceptions.fates_of(codes, keys, counter),
            None => Vec::new(),
        };
        for (column, cells) in self.columns.iter().zip(codes.iter_mut()).filter(|(c, _)| !c.rule.is_empty()) {
            cells.iter_mut().for_each(|cell| *cell = column.rule[*cell as usize]);
        }
        let rows = codes.first().map_or(0, Vec::len);
        let mut suppressed = Vec::new();
        for (row, fate) in fates {
            for (column, cells) in codes.iter_mut().enumerate() {
                cells[row as usize] = match &self.exceptions {
                    Some(exceptions) if fate != SUPPRESSED => {
                        exceptions.cells[fate as usize * self.columns.len() + column]
                    }
                    _ => self.columns[column].labels.len() as Code,
                };
            }
            if fate == SUPPRESSED {
                suppressed.push(row);
            }
        }
        (!suppressed.is_empty()).then(|| all_but(rows as u32, &suppressed))
    }
}

/// Look-ups from rows to the classes of a [`Recoded`], for figures of single rows.
#[derive(Debug, Clone)]
pub struct RowClasses {
    recoding: Recoding,
}

impl RowClasses {
    /// Of a decided table: `maps` lead from the dictionary of each column to its leaves.
    pub fn new(names: &[String], maps: &[Vec<Code>], recoded: &Recoded) -> Self {
        let column = |name: &String| RecodedColumn::new(name, Vec::new(), false, Vec::new());
        let columns = names.iter().map(column).collect();
        let classes = recoded.base().len();
        // Suppressed rows have a class, too.
        let all = (0..classes).map(|class| (class, Some(class as u32)));
        let cells = (0..classes).flat_map(|class| names.iter().map(move |_| class as Code)).collect();
        RowClasses { recoding: Recoding::with_exceptions(columns, maps, recoded.base(), all, cells) }
    }

    /// Finds the borders between rows of equal quasi-identifiers: see [`Recoding::divide_by`].
    ///
    /// # Errors
    /// Contents of other rows than were decided about.
    pub fn divide_by(&mut self, contents: &Contents) -> Result<()> {
        self.recoding.divide_by(contents)
    }

    /// The classes of a batch of rows, column by column in codes of the table's dictionaries, with
    /// the contents of rows where rows of equal quasi-identifiers are in several classes.
    pub fn of(&self, mut codes: Vec<Vec<Code>>, keys: &[u64], counter: &mut RowCounter) -> Vec<u32> {
        let kept = self.recoding.recode(&mut codes, keys, counter);
        let mut classes = codes.into_iter().next().unwrap_or_default();
        if let Some(kept) = kept {
            // Rows that nothing was decided about: the table changed, which the caller notices.
            let known: Vec<(u32, u32)> = kept.iter().map(|&row| (row, classes[row as usize])).collect();
            classes.fill(SUPPRESSED);
            known.into_iter().for_each(|(row, class)| classes[row as usize] = class);
        }
        classes
    }
}

/// The rows that are not in an ascending list.
fn all_but(rows: u32, suppressed: &[u32]) -> Vec<u32> {
    let mut next = suppressed.iter().copied().peekable();
    (0..rows).filter(|&row| next.next_if_eq(&row).is_none()).collect()
}

impl Exceptions {
    /// The rows of a batch that the rule does not serve, ascending, each with its fate.
    fn fates_of(&self, codes: &[Vec<Code>], keys: &[u64], counter: &mut RowCounter) -> Vec<(u32, u32)> {
        let rows = codes.first().map_or(0, Vec::len);
        let mut tuples = vec![0; rows * codes.len()];
        for (column, (leaves, cells)) in self.leaves.iter().zip(codes).enumerate() {
            let places = tuples.iter_mut().skip(column).step_by(codes.len());
            places.zip(cells).for_each(|(cell, &code)| *cell = leaves[code as usize]);
        }
        let (mut found, mut fates) = (Vec::with_capacity(rows), Vec::new());
        self.tuples.find_all(&tuples, &mut found);
        for (row, at) in found.into_iter().enumerate() {
            match at {
                Some(at) => fates.push((row as u32, self.fate(at, keys.get(row), counter))),
                None if !self.ruled => fates.push((row as u32, SUPPRESSED)),
                None => {}
            }
        }
        fates
    }

    fn several(&self, tuple: u32) -> &[(u32, u32)] {
        let [start, end] = [0, 1].map(|i| self.starts[tuple as usize + i] as usize);
        &self.fates[start..end]
    }

    /// The fate of a row of a tuple. A row whose content is not known is suppressed: the table
    /// changed, which the caller notices.
    fn fate(&self, tuple: u32, key: Option<&u64>, counter: &mut RowCounter) -> u32 {
        let several = self.several(tuple);
        if let [(fate, _)] = several {
            return *fate;
        }
        let (Some(borders), Some(&key)) = (self.borders.get(&tuple), key) else { return SUPPRESSED };
        // Rows of equal content on both sides of a border are alike, and are counted.
        let seen = match borders.iter().any(|border| border.key == key && border.before > 0) {
            true => {
                let seen = counter.seen.entry((tuple, key)).or_default();
                *seen += 1;
                *seen
            }
            false => 1,
        };
        let behind = |border: &&Border| border.key < key || border.key == key && seen > border.before;
        several[borders.iter().take_while(behind).count()].0
    }

    fn divide_by(&mut self, contents: &Contents) -> Result<()> {
        let mut keys: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        let mut leaves = vec![0; self.leaves.len()];
        // A tuple of the table → the divided tuple of leaves that it is.
        let mut divided = |at: usize| {
            let maps = leaves.iter_mut().zip(&self.leaves).enumerate();
            maps.for_each(|(c, (leaf, map))| *leaf = map[contents.tuples.code(at, c) as usize]);
            self.tuples.find(&leaves).filter(|&tuple| self.several(tuple).len() > 1)
        };
        let divided: Vec<Option<u32>> = (0..contents.tuples.len()).map(&mut divided).collect();
        for &(tuple, key) in &contents.rows {
            if let Some(tuple) = divided[tuple as usize] {
                keys.entry(tuple).or_default().push(key);
            }
        }
        let mut borders = FxHashMap::default();
        for (tuple, mut keys) in keys {
            keys.sort_unstable();
            let several = self.several(tuple);
            if several.last().is_none_or(|&(_, rows)| rows as usize != keys.len()) {
                return Err(Fault::bug("contents of other rows than were decided about").into());
            }
            let border = |&(_, until): &(u32, u32)| {
                let key = keys[until as usize];
                Border { key, before: until - keys.partition_point(|&other| other < key) as u32 }
            };
            borders.insert(tuple, several[..several.len() - 1].iter().map(border).collect());
        }
        self.borders = borders;
        Ok(())
    }
}
