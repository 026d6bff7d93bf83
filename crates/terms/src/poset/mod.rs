//! Posets: generalization with possibly several parents per value [Katirai 2006, definitions 1 to
//! 4].
//!
//! A level hierarchy gives every value one parent. A census block lies in a tract, in a place and
//! in a postal area, none of which contains the others; ranges of numbers overlap; of two sets of
//! conditions, only the common ones are true of both. All of these have *least upper bounds*: the
//! cells of smallest *measure* among those that are true of some values. There may be several (the
//! LUB set); the first in the poset's order is written.
//!
//! Katirai folds rows two at a time, and the bound of a fold can be higher than necessary: the
//! least cell above two values need not be below the least cell above three. So a [`Common`] keeps
//! everything that is needed to find the least cells above *all* joined values; their order does
//! not matter.
//!
//! The values of a table are the codes of a poset, in the given order. A value need not be minimal:
//! `[10, 25]` and `0213*` are values. One file per kind. Building costs values · nodes above each;
//! joining costs at most the nodes above a value.

mod birth;
mod bits;
mod codes;
mod entries;
mod explicit;
mod graph;
mod levels;
mod limit;
mod range;
mod row;
mod spec;
mod suppress;
pub mod xml;
#[cfg(test)]
mod tests;

pub(crate) use entries::ENTRIES;
pub use row::Row;
pub use spec::{Birth, Codes, Range, Spec, describe};

use std::fmt::Debug;
use std::ops;

use crate::error::{Error, Fault, Result};
use crate::hierarchy::{Hierarchy, TOP};
use crate::table::Code;

/// What some values have in common: enough to find the least cells above all of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Common {
    /// The missing value and nothing else.
    Missing,
    /// Nothing: the only cell above them is [`TOP`].
    Nothing,
    /// They lie between two values, in an order of the kind's own.
    Between(Code, Code),
    /// Nodes above all of them, the least first.
    Above(Vec<Code>),
    /// Bits that all of them have.
    Bits(u64),
    /// Codes that all of them have, and how often at least.
    Codes(Vec<(Code, u32)>),
}

/// A kind of poset over the values of a column. A kind never sees the missing value.
pub trait Kind: Debug + Send + Sync {
    /// What a value has in common with itself.
    fn only(&self, value: Code) -> Common;

    /// Joins one more value.
    fn join(&self, common: &mut Common, value: Code);

    /// The measure of the least cells: 0 is most specific, 1 carries no information. Never falls
    /// when a value is joined.
    fn measure(&self, common: &Common) -> f64;

    /// The least cells as they are written, the first first; [`TOP`] where nothing is in common.
    fn cells(&self, common: &Common) -> Vec<String>;

    /// Whether a cell is true of a value, by what both of them say: the definition that joining is
    /// held against.
    fn covers(&self, cell: &str, value: &str) -> bool;

    /// The measure of a written cell, at its widest meaning; none if it is not a cell of the poset.
    fn measure_of(&self, cell: &str) -> Option<f64>;

    /// The values that the first of the least cells is true of. Kinds that know a shorter way than
    /// asking all of them go it.
    fn covered(&self, common: &Common, values: &[Option<String>]) -> Vec<Code> {
        let cells = self.cells(common);
        let cell = cells.first().map_or(TOP, String::as_str);
        let present = values.iter().enumerate().filter_map(|(code, value)| Some((code, value.as_deref()?)));
        let under = present.filter(|(_, value)| cell == TOP || self.covers(cell, value));
        under.map(|(code, _)| code as Code).collect()
    }

    /// The values that a written cell is true of, the missing one aside. Kinds that know a shorter
    /// way than asking all of them go it.
    fn under(&self, cell: &str, values: &[Option<String>]) -> Vec<Code> {
        let present = values.iter().enumerate().filter_map(|(code, value)| Some((code, value.as_deref()?)));
        let under = present.filter(|(_, value)| cell == *value || self.covers(cell, value));
        under.map(|(code, _)| code as Code).collect()
    }

    /// The values in an order in which every written cell covers neighbours, without the missing
    /// one; none where there is no such order.
    fn line(&self) -> Option<&[Code]> {
        None
    }

    /// The places in [`Kind::line`] of the values that a written cell is true of.
    fn stretch(&self, _cell: &str) -> ops::Range<usize> {
        0..0
    }

    /// A number for the first of the least cells, equal if and only if the text is equal, if it can
    /// be computed without writing the text.
    fn number(&self, _: &Common) -> Option<u64> {
        None
    }

    /// The measure after one more value is joined. Kinds whose commons are lists do it without
    /// making one.
    fn with(&self, common: &Common, value: Code) -> f64 {
        let mut joined = common.clone();
        self.join(&mut joined, value);
        self.measure(&joined)
    }

    /// The fields that each of some values implies, as numbers, from the most general one on: what
    /// its ancestors say of it. All have as many fields; none where the only ancestor is the top.
    fn implied(&self, values: &[Code]) -> Vec<Vec<Vec<u64>>> {
        vec![Vec::new(); values.len()]
    }

    /// Each of the least cells as if it were a value: what Katirai's fold goes on with (definition
    /// 4). Kinds that have one least cell go on with all that they know.
    fn alone(&self, common: &Common) -> Vec<Common> {
        vec![common.clone()]
    }
}

/// The values of a column, and all that they can generalize to.
#[derive(Debug)]
pub struct Poset {
    kind: Box<dyn Kind>,
    values: Vec<Option<String>>,
    missing: Option<Code>,
}

impl Poset {
    /// The poset of a policy over the values of a column; at most one of them is missing. `load`
    /// gives the text of a file.
    ///
    /// # Errors
    /// Everything that is wrong with the request, with a file, or with values that do not fit.
    pub fn build(
        spec: &Spec,
        values: Vec<Option<String>>,
        load: &dyn Fn(&str) -> Result<String>,
    ) -> Result<Self> {
        let texts: Vec<&str> = values.iter().map(|value| value.as_deref().unwrap_or_default()).collect();
        let missing = values.iter().position(Option::is_none);
        let given = Given { texts: &texts, missing };
        let kind: Box<dyn Kind> = match spec {
            Spec::File(file) => Box::new(explicit::Explicit::new(file, &given, load)?),
            Spec::Bits(count) => Box::new(bits::Bits::new(*count, &given)?),
            Spec::Birth(spec) => Box::new(birth::Births::new(spec, &given)?),
            Spec::Codes(spec) => Box::new(codes::Multisets::new(spec, &given, load)?),
            Spec::Range(spec) => Box::new(range::Ranges::new(spec, &given)?),
            Spec::Suppress => Box::new(suppress::Suppress::new(&given)),
        };
        Ok(Poset { kind, missing: missing.map(|at| at as Code), values })
    }

    /// A level hierarchy as a poset over its leaves: cells are labels, and the measure is the level
    /// out of all.
    pub fn of_levels(hierarchy: &Hierarchy) -> Self {
        let leaves = 0..hierarchy.leaf_count() as Code;
        Poset {
            values: leaves.map(|leaf| hierarchy.leaf_value(leaf).map(String::from)).collect(),
            missing: hierarchy.missing(),
            kind: Box::new(levels::Levels::new(hierarchy)),
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A value.
    pub fn value(&self, code: Code) -> Option<&str> {
        self.values[code as usize].as_deref()
    }

    /// What a value has in common with itself.
    pub fn only(&self, value: Code) -> Common {
        if Some(value) == self.missing { Common::Missing } else { self.kind.only(value) }
    }

    /// Joins one more value; a missing one has nothing in common with others.
    pub fn join(&self, common: &mut Common, value: Code) {
        match (&common, Some(value) == self.missing) {
            (Common::Missing, true) | (Common::Nothing, _) => {}
            (Common::Missing, false) | (_, true) => *common = Common::Nothing,
            _ => self.kind.join(common, value),
        }
    }

    /// The measure of the least cells above the joined values: 0 is most specific, 1 carries no
    /// information.
    pub fn measure(&self, common: &Common) -> f64 {
        match common {
            Common::Missing => 0.0,
            Common::Nothing => 1.0,
            _ => self.kind.measure(common),
        }
    }

    /// The measure after one more value is joined.
    pub fn with(&self, common: &Common, value: Code) -> f64 {
        match (common, Some(value) == self.missing) {
            (Common::Missing, true) => 0.0,
            (Common::Missing, false) | (Common::Nothing, _) | (_, true) => 1.0,
            _ => self.kind.with(common, value),
        }
    }

    /// The measure of the least cells above two values.
    pub fn pair(&self, a: Code, b: Code) -> f64 {
        self.with(&self.only(a), b)
    }

    /// The LUB set of what was joined, as its cells are written; `None` is missing.
    pub fn lub(&self, common: &Common) -> Vec<Option<String>> {
        match common {
            Common::Missing => vec![None],
            Common::Nothing => vec![Some(TOP.into())],
            _ => self.kind.cells(common).into_iter().map(Some).collect(),
        }
    }

    /// What some values have in common; nothing where there are none.
    pub fn common(&self, values: &[Code]) -> Common {
        let Some((&first, rest)) = values.split_first() else { return Common::Nothing };
        let mut common = self.only(first);
        rest.iter().for_each(|&value| self.join(&mut common, value));
        common
    }

    /// The LUB set of some values.
    pub fn lub_of(&self, values: &[Code]) -> Vec<Option<String>> {
        self.lub(&self.common(values))
    }

    /// The values that the cell that is written, the first of the LUB set, is true of.
    pub fn covered(&self, common: &Common) -> Vec<Code> {
        match common {
            Common::Missing => self.missing.into_iter().collect(),
            Common::Nothing => (0..self.values.len() as Code).collect(),
            _ => {
                let all = self.kind.cells(common).first().is_some_and(|cell| cell == TOP);
                match all {
                    true => (0..self.values.len() as Code).collect(),
                    false => self.kind.covered(common, &self.values),
                }
            }
        }
    }

    /// A number for the written cell, if it can be computed without writing it; one for each text.
    pub fn number(&self, common: &Common) -> Option<u64> {
        match common {
            Common::Missing | Common::Nothing => None,
            _ => self.kind.number(common),
        }
    }

    /// Each of the least cells as if it were a value, in the order of [`Poset::lub`].
    pub fn alone(&self, common: &Common) -> Vec<Common> {
        match common {
            Common::Missing | Common::Nothing => vec![common.clone()],
            _ => self.kind.alone(common),
        }
    }

    /// Value → the fields that it implies, from the most general one on; none of the missing value.
    pub fn implied(&self) -> Vec<Option<Vec<Vec<u64>>>> {
        let all = 0..self.values.len() as Code;
        let present: Vec<Code> = all.clone().filter(|&value| Some(value) != self.missing).collect();
        let mut fields = self.kind.implied(&present).into_iter();
        all.map(|value| if Some(value) == self.missing { None } else { fields.next() }).collect()
    }

    /// The measure of a written cell, at its widest meaning; none if it is not a cell of the poset.
    pub fn measure_of(&self, cell: Option<&str>) -> Option<f64> {
        match cell {
            None => self.missing.map(|_| 0.0),
            Some(TOP) => Some(1.0),
            Some(cell) => self.kind.measure_of(cell),
        }
    }

    /// The values in an order in which every written cell covers neighbours, without the missing
    /// one; none where the kind has no such order.
    pub fn line(&self) -> Option<&[Code]> {
        self.kind.line()
    }

    /// The places in [`Poset::line`] of the values that a written cell is true of. What is true of
    /// anything, [`TOP`], is true of the missing value, too. Costs one reading of the cell.
    pub fn stretch(&self, cell: &str) -> ops::Range<usize> {
        match self.kind.line() {
            Some(line) if cell == TOP => 0..line.len(),
            Some(_) => self.kind.stretch(cell),
            None => 0..0,
        }
    }

    /// The values that a written cell is true of, in the order of their codes.
    pub fn under(&self, cell: Option<&str>) -> Vec<Code> {
        match cell {
            None => self.missing.into_iter().collect(),
            Some(TOP) => (0..self.values.len() as Code).collect(),
            Some(cell) => self.kind.under(cell, &self.values),
        }
    }

    /// Whether a cell is true of a value.
    pub fn covers(&self, cell: Option<&str>, value: Option<&str>) -> bool {
        match (cell, value) {
            (Some(TOP), _) | (None, None) => true,
            (Some(cell), Some(value)) => cell == value || self.kind.covers(cell, value),
            _ => false,
        }
    }
}

/// The values that a kind is built over.
struct Given<'a> {
    texts: &'a [&'a str],
    missing: Option<usize>,
}

impl Given<'_> {
    /// The values that are not missing, with their codes.
    fn present(&self) -> impl Iterator<Item = (Code, &str)> + '_ {
        let all = self.texts.iter().enumerate().filter(move |(at, _)| Some(*at) != self.missing);
        all.map(|(at, text)| (at as Code, *text))
    }

    /// Every value, read; or the fault of the first that cannot be, and how many there are.
    fn read<T>(
        &self,
        read: impl Fn(&str) -> Option<T>,
        unread: impl Fn(&str) -> Fault,
    ) -> Result<Vec<Option<T>>> {
        let mut all: Vec<Option<T>> = self.texts.iter().map(|_| None).collect();
        let mut wrong = Vec::new();
        for (code, text) in self.present() {
            all[code as usize] = read(text);
            if all[code as usize].is_none() {
                wrong.push(text);
            }
        }
        let more = wrong.len().saturating_sub(1);
        let others = match more {
            0 => String::new(),
            1 => ", and neither is one other".into(),
            more => format!(", and neither are {more} others"),
        };
        let fault = wrong.first().map(|text| {
            let mut fault = unread(text).argument("others", more);
            fault.message += &others;
            fault.help("list it under input.null if it means missing, or give the column another poset")
        });
        Error::check(fault.into_iter().collect())?;
        Ok(all)
    }
}
