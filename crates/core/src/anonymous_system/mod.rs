//! The basic anonymous data system ADS0 and its three protection models, null-map, wrong-map and
//! k-map [Sweeney 2001, section 5].
//!
//! A system is a tuple (S, P, PT, QI, U, R, E, G, f): subjects S of a population P, the private
//! table PT about the subjects, its quasi-identifier QI, the universe U of people and
//! pseudo-entities, the release that f makes of PT, external tables E, and G, the ways to link. A
//! released tuple *maps to* an entity if every cell of QI is true of what E states about the
//! entity. g(t) is the set of entities that a released tuple t maps to; a tuple of made-up values
//! maps to a pseudo-entity, so g(t) is empty.
//!
//! | system | every released tuple t |
//! | --- | --- |
//! | ADS0 | does not disclose: see below |
//! | null-map | g(t) has no subject |
//! | wrong-map | g(t) has exactly one subject, who is not the subject of t; more than two tuples |
//! | k-map | g(t) has the subject of t and at least k − 1 others |
//!
//! The last three hold only if the system is an ADS0. A tuple *discloses* (property 9) if all of
//! this holds: it maps to one entity alone, which is a subject; no other released tuple maps to
//! that subject; and what the tuple shows outside QI is what PT states about that subject. The
//! subject need not be the tuple's own: a tuple that maps to a wrong subject with the same private
//! values discloses them.
//!
//! Values of a column are numbered, and cells cover numbers, as in [`crate::consistency`]. Distinct
//! external tuples are points and distinct released tuples are boxes, each in a tree of bounds
//! [Bentley 1975]. Costs about (log n + k) · columns per distinct released tuple where cells are
//! narrow.

mod check;
mod links;
mod text;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub use text::text;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cell::Cell;
use crate::consistency::Cover;
use crate::hierarchy::TOP;
use crate::table::Code;

/// A person or another entity.
pub(crate) type Entity = u32;

/// The number of a value that an external table does not state. Every cell that covers some value
/// can be true of it.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// The components of a system, in codes.
pub(crate) struct System {
    /// Column → its number of values.
    pub(crate) sizes: Vec<u32>,
    /// Column → code of a released cell → what it covers.
    pub(crate) covers: Vec<Vec<Cover>>,
    /// The release.
    pub(crate) released: Released,
    /// The external tables, joined.
    pub(crate) external: External,
    /// Entity → whether it is in the population.
    pub(crate) population: Vec<bool>,
    /// The private table; none where nothing names its subjects.
    pub(crate) private: Option<Private>,
    /// Columns that can be linked on although they are not in QI.
    pub(crate) unprotected: Vec<String>,
    /// The k of k-map.
    pub(crate) k: u64,
}

/// The released table.
pub(crate) struct Released {
    /// Row → column → code of the cell.
    pub(crate) cells: Vec<Code>,
    /// Row → its row of the private table; empty where rows do not correspond.
    pub(crate) origin: Vec<u32>,
    /// Row → column outside QI → code.
    pub(crate) shown: Vec<Code>,
    /// Column outside QI → code → cell; none where it shows nothing.
    pub(crate) texts: Vec<Vec<Option<Shown>>>,
}

/// A released cell outside QI.
pub(crate) struct Shown {
    text: String,
    cell: Cell,
}

impl Shown {
    /// A cell; none where it shows nothing.
    pub(crate) fn new(text: Option<&str>) -> Option<Self> {
        let text = text.filter(|text| *text != TOP)?;
        Some(Shown { text: text.to_owned(), cell: Cell::parse(text) })
    }

    /// Whether the cell is true of a private value.
    fn is_true_of(&self, value: &str) -> bool {
        self.text == value || self.cell.covers(value)
    }
}

/// What external tables state.
pub(crate) struct External {
    /// Row → whom it is about.
    pub(crate) entities: Vec<Entity>,
    /// Row → column → number of the value, or [`UNKNOWN`].
    pub(crate) values: Vec<u32>,
}

/// The private table.
pub(crate) struct Private {
    /// Row → its subject; none where the row names nobody.
    pub(crate) subjects: Vec<Option<Entity>>,
    /// Row → column outside QI that the release has → code.
    pub(crate) values: Vec<Code>,
    /// Column outside QI → code → value.
    pub(crate) texts: Vec<Vec<Option<String>>>,
}

/// What is found about a release beside a population.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Protection {
    /// The k that k-map was checked with.
    pub k: u64,
    /// The entities.
    pub entities: EntityCounts,
    /// Released tuples by the entities that they map to.
    pub tuples: TupleCounts,
    /// The basic anonymous data system.
    pub ads0: DataSystem,
    /// Whether no tuple maps to a subject.
    pub null_map: Adherence,
    /// Whether every tuple maps to one subject, a wrong one.
    pub wrong_map: Adherence,
    /// Whether every tuple maps to its subject and k − 1 others.
    pub k_map: Adherence,
}

impl Protection {
    /// Whether the release adheres to at least one of the three models.
    pub fn holds(&self) -> bool {
        [&self.null_map, &self.wrong_map, &self.k_map].iter().any(|model| model.holds == Some(true))
    }
}

/// How many entities there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EntityCounts {
    /// Entities of the population.
    pub population: u64,
    /// Subjects of the private table; none where nothing names them.
    pub subjects: Option<u64>,
    /// Entities that external tables are about.
    pub external: u64,
}

/// Released tuples by the entities that they map to. Counts of subjects are none where they are
/// not known, and counts of a tuple's own subject where rows do not correspond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TupleCounts {
    /// All of them.
    pub released: u64,
    /// Map to nobody.
    pub nobody: u64,
    /// Map to exactly one entity.
    pub unique: u64,
    /// Map to exactly one entity, and it is their subject.
    pub unique_and_correct: Option<u64>,
    /// Map to somebody, but not to their subject.
    pub wrong_only: Option<u64>,
    /// Map to no subject.
    pub no_subject: Option<u64>,
    /// Map to fewer than k entities.
    pub fewer_than_k: u64,
    /// The least number of entities that one maps to; none without tuples.
    pub least: Option<u64>,
}

/// Whether the release is an ADS0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DataSystem {
    /// Whether it is; none where subjects are not known.
    pub holds: Option<bool>,
    /// Number of a property → whether it holds. The others hold by construction.
    pub properties: BTreeMap<u8, Property>,
}

/// A property of the definition of ADS0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Property {
    /// Whether it holds.
    pub holds: bool,
    /// How many rows, entities or columns violate it.
    pub violations: u64,
    /// What it asks for.
    pub means: &'static str,
    /// Columns that violate it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

/// Whether a release adheres to a protection model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Adherence {
    /// Whether it does; none where that is not known.
    pub holds: Option<bool>,
    /// Tuples that violate the model, as far as known.
    pub violations: u64,
    /// Why it does not hold or is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}
