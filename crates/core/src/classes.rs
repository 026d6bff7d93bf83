//! Classes: the distinct quasi-identifier tuples of a table with their row counts and, if a model
//! or a loss needs it, the histogram of each measured column.
//!
//! Everything after grouping costs by classes, not by rows. Codes are stored row by row (one class,
//! one cache line) because roll-ups visit few classes of many. A [`View`] is the same classes seen
//! from a node: merged classes are represented by their first member, so a node's classes take
//! eight bytes each and have one order regardless of what they were rolled up from.
//!
//! If a table is compared with the population that it was drawn from, every class also has its
//! number of people, and population-only tuples are *ghosts*: members with zero rows after all
//! classes. Merged classes are ordered by their first member, so ghosts that meet no row stay at
//! the end, and code that does not need them never sees them. This costs four more bytes per class
//! and per ghost.

mod grouped;
mod sorted;

use rayon::prelude::*;

use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::information::RARE;
use crate::lattice::Node;
use crate::table::Code;
pub use crate::tuples::Codes;
use crate::tuples::Tuples;

/// Classes that a core works on at a time.
const PIECE: usize = 1 << 14;

/// Distinct tuples of leaf codes with counts.
#[derive(Debug, Clone)]
pub struct Classes {
    columns: usize,
    codes: Codes,
    counts: Vec<u32>,
    rows: u64,
    /// The people of each class, then of each ghost; empty where no population is known.
    people: Vec<u32>,
    /// One per measured column.
    histograms: Vec<Histogram>,
    /// How many of the measured columns, the first ones, hold labels; the others are for models.
    targets: usize,
    /// Values with fewer rows have no information about the targets.
    rare: u64,
    /// The measured column of the people whom rows belong to, where it is known.
    subject: Option<usize>,
}

impl Classes {
    /// Classes from tuples of leaf codes laid end to end, and the rows of each.
    ///
    /// # Errors
    /// More rows than 32 bits can count.
    pub fn new(columns: usize, codes: Codes, counts: Vec<u32>) -> Result<Self> {
        let rows = counts.iter().map(|&n| u64::from(n)).sum();
        if rows > u64::from(u32::MAX) {
            return Err(fault!(
                Data,
                "table.more-rows-than-limit",
                "{rows} rows are more than {limit} can be held",
                rows = rows,
                limit = u32::MAX
            )
            .into());
        }
        let cells = match &codes {
            Codes::Narrow(c) => c.len(),
            Codes::Wide(c) => c.len(),
        };
        if cells != columns * counts.len() {
            return Err(Fault::bug("classes and counts differ in number").into());
        }
        Ok(Classes {
            columns,
            codes,
            counts,
            rows,
            people: Vec::new(),
            histograms: Vec::new(),
            targets: 0,
            rare: RARE,
            subject: None,
        })
    }

    /// The same classes beside those of the population that the rows were drawn from, in the same
    /// leaf codes.
    ///
    /// # Errors
    /// Combinations that more rows have than people.
    pub fn drawn_from(self, population: &Classes) -> Result<Self> {
        let mut at = Tuples::new(self.columns);
        let mut row = vec![0; self.columns];
        let read = |classes: &Classes, class: usize, row: &mut Vec<Code>| {
            row.iter_mut().enumerate().for_each(|(column, cell)| *cell = classes.code(class, column));
        };
        for class in 0..self.len() {
            read(&self, class, &mut row);
            at.insert(&row, 0);
        }
        let mut people = vec![0; self.len()];
        for (class, &count) in population.counts().iter().enumerate() {
            read(population, class, &mut row);
            let place = at.insert(&row, 0) as usize;
            people.resize(people.len().max(place + 1), 0);
            people[place] += count;
        }
        let beyond = self.counts.iter().zip(&people).filter(|(rows, people)| rows > people).count();
        if beyond > 0 {
            return Err(not_contained(beyond).into());
        }
        Ok(Classes { codes: at.into_parts().0, people, ..self })
    }

    /// The same classes with the values of measured columns, one histogram each; all are taken for
    /// targets.
    ///
    /// # Errors
    /// Histograms of other classes.
    pub fn measured(self, histograms: Vec<Histogram>) -> Result<Self> {
        let fits = |h: &Histogram| {
            h.len() == self.len() && (0..h.len()).all(|c| h.class(c).1.iter().sum::<u32>() == self.counts[c])
        };
        if !histograms.iter().all(fits) {
            return Err(Fault::bug("histograms and classes differ in rows").into());
        }
        Ok(Classes { targets: histograms.len(), histograms, ..self })
    }

    /// The same classes, with only the first `targets` measured columns as targets of losses.
    #[must_use]
    pub fn with_targets(self, targets: usize) -> Self {
        Classes { targets: targets.min(self.histograms.len()), ..self }
    }

    /// The same classes, where values with fewer rows have no information about the targets.
    #[must_use]
    pub fn with_rare(self, rare: u64) -> Self {
        Classes { rare, ..self }
    }

    /// The same classes, where a measured column names the people whom rows belong to.
    #[must_use]
    pub fn with_subject(self, subject: Option<usize>) -> Self {
        Classes { subject, ..self }
    }

    /// The measured column of the people whom rows belong to, where it is known.
    pub fn subject(&self) -> Option<usize> {
        self.subject
    }

    /// The people whom the rows of every class belong to, where they are known.
    pub fn subjects(&self) -> Option<&Histogram> {
        self.subject.and_then(|column| self.histograms.get(column))
    }

    /// The rows that a value needs to have information about the targets.
    pub fn rare(&self) -> u64 {
        self.rare
    }

    /// How many of the measured columns are targets: the first ones.
    pub fn targets(&self) -> usize {
        self.targets
    }

    /// Classes of rows given one by one, for small tables and tests.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn of_rows(columns: usize, rows: impl IntoIterator<Item = Vec<Code>>) -> Result<Self> {
        let mut grouped = std::collections::BTreeMap::<Vec<Code>, u32>::new();
        for row in rows {
            *grouped.entry(row).or_default() += 1;
        }
        let counts = grouped.values().copied().collect();
        Classes::new(columns, Codes::Wide(grouped.into_keys().flatten().collect()), counts)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Number of classes and ghosts: of tuples that have codes here.
    pub fn members(&self) -> usize {
        self.counts.len().max(self.people.len())
    }

    /// The people of each class, then of each ghost; empty where no population is known.
    pub fn people(&self) -> &[u32] {
        &self.people
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows of each class.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// One histogram per measured column.
    pub fn histograms(&self) -> &[Histogram] {
        &self.histograms
    }

    /// The codes, row by row.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The leaf code of a class in a column.
    pub fn code(&self, class: usize, column: usize) -> Code {
        match &self.codes {
            Codes::Narrow(c) => Code::from(c[class * self.columns + column]),
            Codes::Wide(c) => c[class * self.columns + column],
        }
    }

    /// Whether every class has greater codes than the one before: then all differ.
    pub fn ascend(&self) -> bool {
        fn ascend<T: Ord + Sync>(codes: &[T], width: usize) -> bool {
            let rows = codes.par_chunks_exact(width.max(1));
            rows.clone().zip(rows.skip(1)).all(|(before, row)| before < row)
        }
        match &self.codes {
            Codes::Narrow(codes) => ascend(codes, self.columns),
            Codes::Wide(codes) => ascend(codes, self.columns),
        }
    }

    /// Calls `each` with every class and its leaf code in a column.
    pub fn each_code(&self, column: usize, mut each: impl FnMut(usize, Code)) {
        let columns = self.columns.max(1);
        match &self.codes {
            Codes::Narrow(codes) => {
                let column = codes.iter().skip(column).step_by(columns).enumerate();
                column.for_each(|(class, &code)| each(class, Code::from(code)));
            }
            Codes::Wide(codes) => {
                let column = codes.iter().skip(column).step_by(columns).enumerate();
                column.for_each(|(class, &code)| each(class, code));
            }
        }
    }

    /// Some of the classes by themselves, with what is measured in them and without a population.
    #[must_use]
    pub fn part(&self, members: &[u32]) -> Classes {
        let counts = members.iter().map(|&class| self.counts[class as usize]).collect();
        let histograms = self.histograms.iter().map(|h| h.part(members)).collect();
        self.standing(members, counts, histograms)
    }

    /// Some of the classes, one perhaps several times, with rows of their own and without what is
    /// measured in them.
    ///
    /// # Errors
    /// More rows than 32 bits can count.
    pub fn parted(&self, members: &[u32], counts: Vec<u32>) -> Result<Classes> {
        let Classes { codes, counts, .. } = self.standing(members, counts, Vec::new());
        Classes::new(self.columns, codes, counts)
    }

    /// Classes that some members stand for, with rows and histograms of their own.
    fn standing(&self, members: &[u32], counts: Vec<u32>, histograms: Vec<Histogram>) -> Classes {
        fn picked<T: Copy>(codes: &[T], width: usize, members: &[u32]) -> Vec<T> {
            let row = |&member: &u32| &codes[member as usize * width..(member as usize + 1) * width];
            members.iter().flat_map(row).copied().collect()
        }
        let codes = match &self.codes {
            Codes::Narrow(codes) => Codes::Narrow(picked(codes, self.columns, members)),
            Codes::Wide(codes) => Codes::Wide(picked(codes, self.columns, members)),
        };
        let rows = counts.iter().map(|&n| u64::from(n)).sum();
        let people = Vec::new();
        let (targets, rare, subject) = (self.targets, self.rare, self.subject);
        Classes { columns: self.columns, codes, counts, rows, people, histograms, targets, rare, subject }
    }
}

/// Everybody who is released must be in the population; otherwise its figures mean nothing.
fn not_contained(classes: usize) -> Fault {
    let of = match classes {
        1 => "1 combination of quasi-identifiers has".to_owned(),
        n => format!("{n} combinations of quasi-identifiers have"),
    };
    fault!(
        Data,
        "population.not-contained",
        "{combinations} more rows in the table than people in the population",
        combinations = of
    )
    .help(
        "give a population that holds everybody in the table, with quasi-identifiers written as in the table",
    )
}

/// The classes of one node: for each, its first member and its rows.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    /// First member, ascending.
    pub first: Vec<u32>,
    /// Rows.
    pub count: Vec<u32>,
    /// People; empty where no population is known.
    pub people: Vec<u32>,
    /// One per measured column, empty if unused; none if no column is measured.
    pub histograms: Vec<Histogram>,
}

impl Groups {
    /// Every class by itself.
    pub fn identity(classes: &Classes) -> Self {
        let first = (0..classes.members() as u32).collect();
        let mut count = classes.counts().to_vec();
        count.resize(classes.members(), 0);
        Groups { first, count, people: classes.people().to_vec(), histograms: Vec::new() }
    }

    /// Every class by itself, with the values of some measured columns.
    pub fn measured(classes: &Classes, columns: &[usize]) -> Self {
        let wanted = |(i, h): (usize, &Histogram)| match columns.contains(&i) {
            true => h.clone(),
            false => Histogram::default(),
        };
        let mut groups = Groups::identity(classes);
        if !columns.is_empty() {
            groups.histograms = classes.histograms().iter().enumerate().map(wanted).collect();
        }
        groups
    }

    /// The same with no more than some of the values of a measured column.
    #[must_use]
    pub fn with_witnesses(mut self, column: usize, most: usize) -> Self {
        if let Some(histogram) = self.histograms.get_mut(column) {
            *histogram = histogram.witnesses(most);
        }
        self
    }

    /// Memory size in entries: classes plus histogram pairs.
    pub fn size(&self) -> usize {
        self.len() + self.histograms.iter().map(Histogram::pairs).sum::<usize>()
    }

    /// How many of them have rows: those before the ghosts.
    pub fn live(&self, classes: &Classes) -> usize {
        match self.people.is_empty() {
            true => self.len(),
            false => self.first.partition_point(|&first| (first as usize) < classes.len()),
        }
    }

    /// Number of classes and ghosts.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }
}

/// The classes as a node shows them.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    base: &'a Classes,
    hierarchies: &'a [Hierarchy],
    node: &'a Node,
    groups: &'a Groups,
    /// Classes that are not ghosts.
    live: usize,
}

impl<'a> View<'a> {
    /// The view from a node whose groups are known.
    pub fn new(base: &'a Classes, hierarchies: &'a [Hierarchy], node: &'a Node, groups: &'a Groups) -> Self {
        View { base, hierarchies, node, groups, live: groups.live(base) }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Rows of each class.
    pub fn counts(&self) -> &'a [u32] {
        &self.groups.count[..self.live]
    }

    /// The people of each class, where a population is known.
    pub fn people(&self) -> Option<&'a [u32]> {
        self.groups.people.get(..self.live)
    }

    /// How many classes of the population nobody in the table is in.
    pub fn ghosts(&self) -> usize {
        self.groups.len() - self.live
    }

    /// The values of a measured column that occur in a class, ascending, and the rows of each.
    ///
    /// # Panics
    /// If `needs()` did not list this column.
    pub fn histogram(&self, measured: usize, class: usize) -> (&'a [Code], &'a [u32]) {
        self.groups.histograms[measured].class(class)
    }

    /// The people whom the rows of a class belong to, where they are known and were counted.
    pub fn subjects(&self, class: usize) -> Option<u64> {
        let people = self.groups.histograms.get(self.base.subject?)?;
        (!people.is_empty()).then(|| people.class(class).0.len() as u64)
    }

    /// Number of rows of the table.
    pub fn rows(&self) -> u64 {
        self.base.rows()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.base.columns()
    }

    /// The node.
    pub fn node(&self) -> &'a Node {
        self.node
    }

    /// The hierarchies of the columns.
    pub fn hierarchies(&self) -> &'a [Hierarchy] {
        self.hierarchies
    }

    /// The generalized code of a class in a column.
    pub fn code(&self, class: usize, column: usize) -> Code {
        let leaf = self.base.code(self.groups.first[class] as usize, column);
        self.hierarchies[column].generalize(leaf, self.node.level(column))
    }

    /// Calls `each` with the generalized code in a column and the rows of every flagged class.
    pub fn flagged(&self, flags: &Flags, column: usize, each: impl FnMut(Code, u32)) {
        match &self.base.codes {
            Codes::Narrow(codes) => self.each_of(codes, flags.iter(), column, each),
            Codes::Wide(codes) => self.each_of(codes, flags.iter(), column, each),
        }
    }

    /// The same for every class that is not flagged.
    pub fn unflagged(&self, flags: &Flags, column: usize, each: impl FnMut(Code, u32)) {
        let classes = (0..self.len()).filter(|&class| !flags.has(class));
        match &self.base.codes {
            Codes::Narrow(codes) => self.each_of(codes, classes, column, each),
            Codes::Wide(codes) => self.each_of(codes, classes, column, each),
        }
    }

    fn each_of<T: Copy + Into<Code>>(
        &self,
        codes: &[T],
        classes: impl Iterator<Item = usize>,
        column: usize,
        mut each: impl FnMut(Code, u32),
    ) {
        let general = self.hierarchies[column].codes(self.node.level(column));
        for class in classes {
            let leaf: Code = codes[self.groups.first[class] as usize * self.base.columns + column].into();
            each(general[leaf as usize], self.groups.count[class]);
        }
    }

    /// The flagged classes by themselves, each as its first member with the rows of all: at this
    /// node and at every generalization of it they look like the rows they stand for.
    pub fn flagged_classes(&self, flags: &Flags) -> Classes {
        let flagged: Vec<u32> = (0..self.len() as u32).filter(|&class| flags.has(class as usize)).collect();
        let members: Vec<u32> = flagged.iter().map(|&class| self.groups.first[class as usize]).collect();
        let counts = flagged.iter().map(|&class| self.groups.count[class as usize]).collect();
        let histograms = self.groups.histograms.iter().map(|h| h.part(&flagged)).collect();
        self.base.standing(&members, counts, histograms)
    }

    /// For each class of the table, whether the class that it is in here is flagged. Costs one
    /// look-up per class of the table where anything is flagged, on all cores.
    pub fn flagged_members(&self, flags: &Flags) -> Vec<bool> {
        if flags.classes() == 0 {
            return vec![false; self.base.len()];
        }
        let mut flagged = Tuples::new(self.columns());
        let mut row = vec![0; self.columns()];
        for class in flags.iter() {
            row.iter_mut().enumerate().for_each(|(column, cell)| *cell = self.code(class, column));
            flagged.insert(&row, 0);
        }
        let is_flagged = |row: &mut Vec<Code>, class: usize| {
            for (column, (cell, hierarchy)) in row.iter_mut().zip(self.hierarchies).enumerate() {
                *cell = hierarchy.generalize(self.base.code(class, column), self.node.level(column));
            }
            flagged.find(row).is_some()
        };
        let classes = (0..self.base.len()).into_par_iter().with_min_len(PIECE);
        classes.map_init(|| row.clone(), is_flagged).collect()
    }

    /// Whether a class is missing in a column.
    pub fn missing(&self, class: usize, column: usize) -> bool {
        self.hierarchies[column].missing_at(self.node.level(column)) == Some(self.code(class, column))
    }
}

/// Which classes of a view are suppressed, and how many rows that is.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    flagged: Vec<bool>,
    classes: Vec<u32>,
    rows: u64,
    /// How many rows may be flagged before it does not matter which; none is all.
    most: Option<u64>,
    /// Whether more rows than that violate a model; then not all of them are flagged.
    exceeded: bool,
}

impl Flags {
    /// Nothing is flagged.
    pub fn none(classes: usize) -> Self {
        Flags { flagged: vec![false; classes], ..Flags::default() }
    }

    /// Forgets everything and makes room for a view's classes.
    pub fn reset(&mut self, classes: usize) {
        self.flagged.clear();
        self.flagged.resize(classes, false);
        self.classes.clear();
        self.rows = 0;
        (self.most, self.exceeded) = (None, false);
    }

    /// From now on models may stop once more rows than this violate them.
    pub fn stop_above(&mut self, most: u64) {
        self.most = Some(most);
    }

    /// How many more rows may be flagged before it does not matter which.
    pub fn room(&self) -> u64 {
        self.most.map_or(u64::MAX, |most| most.saturating_sub(self.rows))
    }

    /// More rows than there is room for violate a model.
    pub fn exceed(&mut self) {
        self.exceeded = true;
    }

    /// Whether more rows violate models than matter; then not all of them need be flagged.
    pub fn exceeded(&self) -> bool {
        self.exceeded || self.most.is_some_and(|most| self.rows > most)
    }

    /// Flags a class of `rows` rows; a second call has no effect.
    pub fn flag(&mut self, class: usize, rows: u32) {
        if !std::mem::replace(&mut self.flagged[class], true) {
            self.classes.push(class as u32);
            self.rows += u64::from(rows);
        }
    }

    /// Flags every class of fewer than k rows.
    ///
    /// Which classes are small is a coin toss, so the list is written at every class and grown by
    /// the small.
    pub fn flag_below(&mut self, counts: &[u32], k: u64) {
        let k = u32::try_from(k).unwrap_or(u32::MAX);
        let mut len = self.classes.len();
        self.classes.resize(len + counts.len() + 1, 0);
        let mut rows = 0;
        for (class, (&count, flagged)) in counts.iter().zip(&mut self.flagged).enumerate() {
            let small = count < k && !*flagged;
            self.classes[len] = class as u32;
            len += usize::from(small);
            rows += if small { u64::from(count) } else { 0 };
            *flagged |= small;
        }
        self.classes.truncate(len);
        self.rows += rows;
    }

    /// Whether a class is flagged.
    pub fn has(&self, class: usize) -> bool {
        self.flagged[class]
    }

    /// Flagged classes.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Rows of flagged classes.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The flagged classes, in the order in which they were flagged.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.classes.iter().map(|&c| c as usize)
    }
}
