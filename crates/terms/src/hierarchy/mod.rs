//! Level hierarchies: chains of domains A0 → … → An with |An| = 1 [Samarati 1998; Sweeney 2001].
//!
//! A [`Hierarchy`] is a table from leaf code and level to generalized code, so a search never
//! touches a string. A look-up is one array access; building costs leaves × levels once. Every
//! label is stored once per level, and paths are taken one by one: memory is four bytes per leaf and
//! level, and the labels.

mod build;
mod chronology;
mod clear;
mod date;
mod entries;
pub mod file;
mod icd;
mod icd10;
mod icd9;
mod intervals;
mod labels;
mod level_names;
mod mask;
mod order;
mod postal;
mod priority;
mod spec;
mod zip3;
#[cfg(test)]
mod tests;

pub use build::{build, describe};
pub(crate) use entries::{ENTRIES, FILE};
pub use level_names::{level_name, level_names};
pub use spec::{Date, End, File, Intervals, Mask, Order, Postal, Priority, Spec, Zip3};

use std::ops::RangeInclusive;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::poset::Poset;
use crate::table::{Code, Dictionary};
use labels::{Interner, Labels};

/// The label of the highest level, under which every value is the same.
pub const TOP: &str = "*";

/// One leaf with its labels from level 1 upwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The value itself.
    pub leaf: String,
    /// Its label at level 1, 2, ….
    pub labels: Vec<String>,
}

/// One domain of the chain.
#[derive(Debug, Clone)]
struct Level {
    /// Leaf code → code at this level.
    codes: Vec<Code>,
    /// Code at this level → label; not used at level 0, whose labels are the leaves.
    labels: Labels,
    /// Code at this level → number of leaves under it.
    leaves: Vec<u32>,
}

/// A chain of domains, valid by construction: the highest has one value, and levels nest unless the
/// policy says that they do not.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    leaves: Dictionary,
    levels: Vec<Level>,
    topped: bool,
    /// The poset of the values, if levels do not describe it.
    poset: Option<Arc<Poset>>,
    /// Whether leaves are in an order: that of the policy, or that of dates.
    ordered: bool,
    /// Level → level → whether values that are the same at the first are the same at the second;
    /// none if levels nest.
    rolls_up: Option<Vec<Vec<bool>>>,
}

impl Hierarchy {
    /// Builds the chain from one path per leaf; all paths have the same length.
    ///
    /// Where the last labels differ, a level [`TOP`] is put above them. With `missing`, the missing
    /// value is one more leaf that stays missing at every level but the highest.
    ///
    /// # Errors
    /// Paths of different length, a leaf given two different paths, or two values that share a
    /// label at one level and have different labels above it (levels that do not nest), named with
    /// both values.
    pub fn new(paths: Vec<Path>, missing: bool) -> Result<Self> {
        Hierarchy::of_height(paths, 1, missing)
    }

    /// Like [`Hierarchy::new`], with the height to use if there are no paths: a column without
    /// values must not have fewer levels than the policy mentions.
    ///
    /// # Errors
    /// As [`Hierarchy::new`].
    pub fn of_height(paths: Vec<Path>, height: usize, missing: bool) -> Result<Self> {
        Hierarchy::of_levels(paths, height, missing, true)
    }

    /// Like [`Hierarchy::of_height`], where levels need not nest.
    ///
    /// # Errors
    /// As [`Hierarchy::new`], without the last if levels need not nest.
    pub(crate) fn of_levels(
        paths: impl IntoIterator<Item = Path>,
        height: usize,
        missing: bool,
        nested: bool,
    ) -> Result<Self> {
        Hierarchy::of_assembly(Assembly::of(paths), height, missing, nested)
    }

    /// The chain of leaves and labels; else as [`Hierarchy::of_levels`].
    fn of_assembly(assembly: Assembly, height: usize, missing: bool, nested: bool) -> Result<Self> {
        let (leaves, levels) = assembly.levels(height.saturating_sub(1))?;
        let empty = leaves.is_empty();
        let mut hierarchy =
            Hierarchy { leaves, levels, topped: false, poset: None, ordered: false, rolls_up: None };
        if nested {
            Error::check(hierarchy.nesting().into_iter().collect())?;
        }
        if missing {
            hierarchy.add_missing();
        }
        if empty {
            hierarchy.push_top();
        } else {
            hierarchy.close();
        }
        hierarchy.count_leaves();
        if !nested {
            let levels = 0..=hierarchy.height();
            let from = |from: usize| levels.clone().map(|to| hierarchy.parents(from, to).is_ok()).collect();
            hierarchy.rolls_up = Some(levels.clone().map(from).collect());
        }
        Ok(hierarchy)
    }

    /// Whether the policy says that levels nest: values that share a label share every label above.
    pub fn nested(&self) -> bool {
        self.rolls_up.is_none()
    }

    /// Whether values that are the same at one level are the same at another.
    pub fn rolls_up(&self, from: usize, to: usize) -> bool {
        self.rolls_up.as_ref().map_or(from <= to, |rolls_up| rolls_up[from][to])
    }

    /// The highest level; levels go from 0 (the value itself) to this one.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// Whether a highest level was added because the given one had several values.
    pub fn topped(&self) -> bool {
        self.topped
    }

    /// The poset of the leaves, by their codes, if the column has one; levels then only distinguish
    /// present from suppressed.
    pub fn poset(&self) -> Option<&Arc<Poset>> {
        self.poset.as_ref()
    }

    /// The same leaves and the same poset, with the fields that the poset implies as levels: leaves
    /// are together where all fields from the most general one on are equal [Katirai 2006, "nodes
    /// corresponding to its parents in the DGH or Poset"]. Without a poset it stays as it is.
    #[must_use]
    pub fn implied(&self) -> Self {
        let Some(poset) = &self.poset else { return self.clone() };
        let fields = poset.implied();
        let count = fields.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let mut finest_last = vec![Level { leaves: Vec::new(), ..self.levels[self.height()].clone() }];
        for field in 0..count {
            let level = refined(&finest_last[finest_last.len() - 1].codes, &fields, field);
            let sizes = finest_last.last().map_or(0, |coarser| coarser.labels.len())..self.leaf_count();
            // A field that distinguishes nothing more, or all values, is not a level of its own.
            if level.labels.len() > sizes.start && level.labels.len() < sizes.end {
                finest_last.push(level);
            }
        }
        finest_last.push(self.levels[0].clone());
        finest_last.reverse();
        let mut implied = Hierarchy { levels: finest_last, ..self.clone() };
        implied.count_leaves();
        implied
    }

    /// Number of leaves, the missing value included where it is one.
    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// The code of a leaf; `None` asks for the missing value.
    pub fn leaf(&self, value: Option<&str>) -> Option<Code> {
        self.leaves.get(value)
    }

    /// The leaf behind a code.
    pub fn leaf_value(&self, leaf: Code) -> Option<&str> {
        self.leaves.value(leaf)
    }

    /// The leaves in the order of their values, the missing one first.
    pub fn leaves_by_value(&self) -> Vec<Code> {
        self.leaves.by_value()
    }

    /// The code of the missing leaf, where there is one.
    pub fn missing(&self) -> Option<Code> {
        self.leaves.missing()
    }

    /// Whether leaves are in an order that the policy states, or are dates in order of time.
    pub fn ordered(&self) -> bool {
        self.ordered
    }

    /// The leaves from one value to another in the order that the policy states, or in that of
    /// dates; none where there is no order, or where they are not two values of it in this order.
    pub fn between(&self, first: &str, last: &str) -> Option<RangeInclusive<Code>> {
        let (first, last) = (self.leaf(Some(first))?, self.leaf(Some(last))?);
        (self.ordered && first <= last).then_some(first..=last)
    }

    /// The generalized code of a leaf at a level.
    pub fn generalize(&self, leaf: Code, level: usize) -> Code {
        self.levels[level].codes[leaf as usize]
    }

    /// Leaf code → generalized code, for a whole level.
    pub fn codes(&self, level: usize) -> &[Code] {
        &self.levels[level].codes
    }

    /// How many values a level has.
    pub fn size(&self, level: usize) -> usize {
        if level == 0 { self.leaves.len() } else { self.levels[level].labels.len() }
    }

    /// What a generalized code is called; `None` is missing.
    pub fn label(&self, level: usize, code: Code) -> Option<&str> {
        if level == 0 { self.leaves.value(code) } else { self.levels[level].labels.get(code) }
    }

    /// How many leaves lie under a generalized code.
    pub fn leaves_under(&self, level: usize, code: Code) -> u32 {
        self.levels[level].leaves[code as usize]
    }

    /// The generalized code of the missing value at a level, unless it has merged with others.
    pub fn missing_at(&self, level: usize) -> Option<Code> {
        let code = self.generalize(self.missing()?, level);
        self.label(level, code).is_none().then_some(code)
    }

    /// The first label that breaks nesting.
    fn nesting(&self) -> Option<Fault> {
        let mut pairs = 0..self.levels.len() - 1;
        pairs.find_map(|below| {
            let low = self.parents(below, below + 1).err()?;
            Some(not_nested(below, self.label(below, low).unwrap_or_default()))
        })
    }

    /// Value of a level → the value of another that its leaves have; or the first value whose
    /// leaves have several.
    fn parents(&self, from: usize, to: usize) -> std::result::Result<Vec<Option<Code>>, Code> {
        let mut parents: Vec<Option<Code>> = vec![None; self.size(from)];
        for (&low, &high) in self.levels[from].codes.iter().zip(&self.levels[to].codes) {
            if *parents[low as usize].get_or_insert(high) != high {
                return Err(low);
            }
        }
        Ok(parents)
    }

    fn add_missing(&mut self) {
        if self.leaves.missing().is_some() {
            return;
        }
        let leaf = self.leaves.add(None, 0);
        let top_is_one = self.height() > 0 && self.size(self.height()) == 1;
        let height = self.height();
        for (i, level) in self.levels.iter_mut().enumerate() {
            level.codes.push(match i {
                0 => leaf,
                i if i == height && top_is_one => 0,
                _ => level.labels.push(None),
            });
        }
    }

    /// Puts a highest level above the last one unless that has one value already.
    fn close(&mut self) {
        if self.height() > 0 && self.size(self.height()) <= 1 {
            return;
        }
        self.topped = self.height() > 0;
        self.push_top();
    }

    fn push_top(&mut self) {
        self.levels.push(Level {
            codes: vec![0; self.leaves.len()],
            labels: [Some(TOP)].into_iter().collect(),
            leaves: Vec::new(),
        });
    }

    fn count_leaves(&mut self) {
        let sizes: Vec<usize> = (0..self.levels.len()).map(|level| self.size(level)).collect();
        for (level, size) in self.levels.iter_mut().zip(sizes) {
            level.leaves = vec![0; size];
            for &code in &level.codes {
                level.leaves[code as usize] += 1;
            }
        }
    }
}

/// Leaves that a coarser level has together and a field does not distinguish; the missing value is
/// by itself.
fn refined(coarser: &[Code], fields: &[Option<Vec<Vec<u64>>>], field: usize) -> Level {
    let mut known: FxHashMap<(Code, Option<&[u64]>), Code> = FxHashMap::default();
    let mut labels = Labels::default();
    let mut codes = Vec::with_capacity(coarser.len());
    for (&coarser, fields) in coarser.iter().zip(fields) {
        let own = fields.as_ref().map(|fields| fields[field].as_slice());
        let next = labels.len();
        let code = *known.entry((coarser, own)).or_insert(next as Code);
        if code as usize == next {
            labels.push(own.map(|_| format!("{}.{next}", field + 1)).as_deref());
        }
        codes.push(code);
    }
    Level { codes, labels, leaves: Vec::new() }
}

/// The remedy for levels that do not nest.
const NESTED: &str = "values that are the same at one level must be the same at every level above it";

/// The fault of two values with one label at level `below` and different labels above it.
fn not_nested(below: usize, label: &str) -> Fault {
    fault!(
        Input,
        "hierarchy.levels-do-not-nest",
        "levels are not nested: `{label}` at level {level} is under two labels at level {above}",
        label = build::show(label),
        level = below,
        above = below + 1
    )
    .help(NESTED)
}

/// Leaves and labels of the paths so far.
#[derive(Debug, Default)]
struct Assembly {
    leaves: Dictionary,
    /// Level from 1 → leaf → code.
    codes: Vec<Vec<Code>>,
    /// Level from 1 → its labels.
    labels: Vec<Interner>,
    /// Level from 1 → label → the leaf that had it first; only of leaves whose labels follow from
    /// one another.
    firsts: Vec<Vec<Code>>,
    /// A label as it is written.
    text: String,
    /// The first fault.
    fault: Option<Fault>,
    begun: bool,
}

impl Assembly {
    fn of(paths: impl IntoIterator<Item = Path>) -> Self {
        let mut assembly = Assembly::default();
        paths.into_iter().for_each(|path| assembly.add(&path.leaf, path.labels.iter().map(String::as_str)));
        assembly
    }

    fn add<'a>(&mut self, leaf: &str, labels: impl Iterator<Item = &'a str> + Clone) {
        let count = labels.clone().count();
        if count != self.begin(count) {
            let fault = fault!(
                Input,
                "hierarchy.levels-differ-in-number",
                "value `{value}` has {levels} levels, others have {usual}",
                value = leaf,
                levels = count + 1,
                usual = self.labels.len() + 1
            );
            self.fault.get_or_insert(fault);
            return;
        }
        let known = self.leaves.len();
        let code = self.leaves.add(Some(leaf), 0) as usize;
        if code == known {
            let levels = self.codes.iter_mut().zip(&mut self.labels).zip(labels);
            levels.for_each(|((codes, interner), label)| codes.push(interner.code(label)));
            return;
        }
        let mut levels = self.codes.iter().zip(&self.labels).zip(labels);
        if !levels.all(|((codes, interner), label)| interner.get(codes[code]) == Some(label)) {
            let fault = fault!(
                Input,
                "hierarchy.value-has-two-paths",
                "value `{value}` is given two different paths",
                value = leaf
            );
            self.fault.get_or_insert(fault.help("keep one row per value"));
        }
    }

    /// Adds a leaf with its labels: `label` writes that of a level from 1 on. If labels follow from
    /// one another (`nested`), then where one is known, those above it are, and are not looked up.
    fn add_chain(
        &mut self,
        leaf: &str,
        levels: usize,
        nested: bool,
        mut label: impl FnMut(usize, &mut String),
    ) {
        self.begin(levels);
        self.firsts.resize_with(levels, Vec::new);
        let known = self.leaves.len();
        if (self.leaves.add(Some(leaf), 0) as usize) < known {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        let mut first = known;
        for level in 0..levels {
            // The leaf that had a label first has the same labels above it.
            if first < known {
                let code = self.codes[level][first];
                self.codes[level].push(code);
                continue;
            }
            text.clear();
            label(level + 1, &mut text);
            let code = self.labels[level].code(&text);
            self.codes[level].push(code);
            match self.firsts[level].get(code as usize) {
                Some(&leaf) if nested => first = leaf as usize,
                Some(_) => {}
                None => self.firsts[level].push(known as Code),
            }
        }
        self.text = text;
    }

    /// Adds a level above all others: the codes of its labels by leaf. No path is added behind it.
    fn push_level(&mut self, codes: Vec<Code>, labels: Labels) {
        self.begun = true;
        self.codes.push(codes);
        self.labels.push(labels.into());
    }

    /// The labels of every leaf.
    #[cfg(test)]
    fn labels_of_leaves(&self) -> Vec<Vec<String>> {
        let label = |level: usize, leaf: usize| self.labels[level].get(self.codes[level][leaf]).unwrap();
        let labels = |leaf| (0..self.labels.len()).map(|level| label(level, leaf).into()).collect();
        (0..self.leaves.len()).map(labels).collect()
    }

    /// The number of labels of a leaf, which the first one decides.
    fn begin(&mut self, labels: usize) -> usize {
        if !std::mem::replace(&mut self.begun, true) {
            self.codes = vec![Vec::new(); labels];
            self.labels.resize_with(labels, Interner::default);
        }
        self.labels.len()
    }

    fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    fn leaf(&self, value: &str) -> Option<Code> {
        self.leaves.get(Some(value))
    }

    fn knows(&self, value: &str) -> bool {
        self.leaf(value).is_some()
    }

    /// Whether there is no fault, and leaves that share a label share every label above it.
    fn nests(&self) -> bool {
        let levels = self.codes.iter().zip(self.codes.iter().skip(1)).zip(&self.labels);
        let nest = |((low, high), labels): ((&Vec<Code>, &Vec<Code>), &Interner)| {
            let mut parents: Vec<Option<Code>> = vec![None; labels.len()];
            low.iter().zip(high).all(|(&low, &high)| *parents[low as usize].get_or_insert(high) == high)
        };
        self.fault.is_none() && levels.into_iter().all(nest)
    }

    /// The leaves in order of first sight, and the levels from 0. If there was no path, the number
    /// of levels above 0 is `without_paths`.
    fn levels(self, without_paths: usize) -> Result<(Dictionary, Vec<Level>)> {
        Error::check(self.fault.into_iter().collect())?;
        let identity = (0..self.leaves.len() as Code).collect();
        let mut levels = vec![Level { codes: identity, labels: Labels::default(), leaves: Vec::new() }];
        if !self.begun {
            levels.resize_with(without_paths + 1, || Level {
                codes: Vec::new(),
                labels: Labels::default(),
                leaves: Vec::new(),
            });
        }
        let above = self.codes.into_iter().zip(self.labels);
        levels.extend(above.map(|(codes, labels)| Level {
            codes,
            labels: labels.into_labels(),
            leaves: Vec::new(),
        }));
        Ok((self.leaves, levels))
    }
}
