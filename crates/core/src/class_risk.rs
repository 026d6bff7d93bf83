//! How easily a row can be singled out, by the sizes of classes.
//!
//! Prosecutor, marketer and share of rows at risk as El Emam et al. (2009) use them. Costs one look
//! per class, and where missing cells match everything, the count of compatible rows.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::classes::{Classes, Flags, Groups, View};
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;
use crate::model::KAnonymity;
use crate::release::{Risks, RowRisk};
use crate::watch::Watch;

/// Rows in classes of fewer than five are at risk.
pub const THRESHOLD: f64 = 0.2;

/// Classes of one size. Their rows are more or fewer than size × classes where missing cells match
/// everything, and more where a person has several rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassesOfSize {
    /// Rows that cannot be distinguished from one of these; people, where rows belong to people.
    pub size: u64,
    /// How many classes.
    pub classes: u64,
    /// How many rows are in them.
    pub rows: u64,
}

/// The classes that are not flagged, by how many rows look like theirs; `wildcard` where a missing
/// cell matches everything.
///
/// # Errors
/// When asked to stop at once.
pub fn class_sizes(
    view: &View<'_>,
    flags: &Flags,
    wildcard: bool,
    watch: &Watch,
) -> Result<Vec<ClassesOfSize>> {
    let model = KAnonymity::new(1, true).stopping(watch.cancel().clone());
    let matches = wildcard.then(|| model.sizes(view, flags));
    watch.acknowledge().check()?;
    let mut sizes: BTreeMap<u64, ClassesOfSize> = BTreeMap::new();
    for class in (0..view.len()).filter(|&class| !flags.has(class)) {
        let rows = u64::from(view.counts()[class]);
        let size = matches.as_ref().map_or(rows, |matches| matches[class]);
        let size = view.subjects(class).unwrap_or(size);
        let of = sizes.entry(size).or_insert(ClassesOfSize { size, classes: 0, rows: 0 });
        of.classes += 1;
        of.rows += rows;
    }
    Ok(sizes.into_values().collect())
}

/// The classes of a table as it is, by size.
///
/// # Errors
/// As [`class_sizes`].
pub fn table_sizes(
    classes: &Classes,
    hierarchies: &[Hierarchy],
    wildcard: bool,
    watch: &Watch,
) -> Result<Vec<ClassesOfSize>> {
    let counted: Vec<usize> = classes.subject().into_iter().collect();
    let (leaves, every) = (Node::new(vec![0; classes.columns()]), Groups::measured(classes, &counted));
    let view = View::new(classes, hierarchies, &leaves, &every);
    class_sizes(&view, &Flags::none(view.len()), wildcard, watch)
}

/// The risk of a table before and after its release, as a certificate states it.
pub fn risks(before: &[ClassesOfSize], after: &[ClassesOfSize]) -> Risks {
    let [before, after] = [before, after].map(|sizes| ClassRisk::new(sizes, THRESHOLD).claimed());
    Risks { threshold: THRESHOLD, before, after }
}

/// How easily a row can be distinguished from others: from those of other people, where rows belong
/// to people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ClassRisk {
    /// Rows that are in classes.
    pub rows: u64,
    /// Classes.
    pub classes: u64,
    /// The size of the smallest class; 0 when there is none.
    pub smallest: u64,
    /// The size of the largest class; 0 when there is none.
    pub largest: u64,
    /// Rows per class.
    pub average: f64,
    /// Rows that are alone in their class.
    pub unique_rows: u64,
    /// 1 / smallest: the risk of the row that is worst off.
    pub prosecutor: f64,
    /// The mean of 1/|E| over rows, which is classes / rows unless missing cells match everything:
    /// the share of rows that an adversary who links all rows gets right.
    pub marketer: f64,
    /// The share of rows in classes with 1/|E| > θ.
    pub at_risk: f64,
    /// The threshold θ.
    pub theta: f64,
}

impl ClassRisk {
    /// The risk of classes at a threshold.
    pub fn new(sizes: &[ClassesOfSize], theta: f64) -> Self {
        let mut risk = ClassRisk { theta, ..ClassRisk::default() };
        let (mut above, mut guessed) = (0_u64, 0.0);
        for of in sizes.iter().filter(|of| of.size > 0 && of.classes > 0) {
            risk.smallest = if risk.classes == 0 { of.size } else { risk.smallest.min(of.size) };
            risk.largest = risk.largest.max(of.size);
            risk.classes += of.classes;
            risk.rows = risk.rows.saturating_add(of.rows);
            risk.unique_rows += if of.size == 1 { of.rows } else { 0 };
            above += if 1.0 / of.size as f64 > theta { of.rows } else { 0 };
            guessed += of.rows as f64 / of.size as f64;
        }
        if risk.rows > 0 {
            risk.average = risk.rows as f64 / risk.classes as f64;
            risk.prosecutor = 1.0 / risk.smallest as f64;
            risk.marketer = guessed / risk.rows as f64;
            risk.at_risk = above as f64 / risk.rows as f64;
        }
        risk
    }

    /// The same as a certificate claims it.
    pub fn claimed(&self) -> RowRisk {
        RowRisk {
            rows: self.rows,
            classes: self.classes,
            unique_rows: self.unique_rows,
            smallest: self.smallest,
            prosecutor: self.prosecutor,
            marketer: self.marketer,
            at_risk: self.at_risk,
        }
    }
}
