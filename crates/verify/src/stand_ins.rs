//! Labels and intervals in place of sets that are too long, as the verifier reads them.
//!
//! A column of sets shows values, sets, `*` and labels. A label is one only if nobody can read it
//! otherwise: it is no value, does not begin as a set does, and has the same leaves at every level
//! where it stands. Intervals are in columns of numbers that have nothing but `*` above them. Costs
//! one look-up per leaf and level.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::pace::Pace;
use throng_terms::cell::number;
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, TOP};

/// Label → its leaves in order.
pub(super) type StandIns<'a> = FxHashMap<&'a str, Vec<u32>>;

/// The labels of a hierarchy that can stand for sets.
pub(super) fn stand_ins<'a>(hierarchy: &'a Hierarchy, pace: &Pace<'_>) -> Result<StandIns<'a>> {
    let mut leaves_at: FxHashMap<&str, BTreeMap<usize, Vec<u32>>> = FxHashMap::default();
    for leaf in 0..hierarchy.leaf_count() as u32 {
        pace.steps(hierarchy.height() as u64)?;
        for level in 1..=hierarchy.height() {
            if let Some(label) = hierarchy.label(level, hierarchy.generalize(leaf, level)) {
                leaves_at.entry(label).or_default().entry(level).or_default().push(leaf);
            }
        }
    }
    let mut found = StandIns::default();
    for (label, levels) in leaves_at {
        let other = ["", TOP].contains(&label) || label.starts_with('{');
        let mut levels = levels.into_values();
        let Some(leaves) = levels.next().filter(|_| !other && hierarchy.leaf(Some(label)).is_none()) else {
            continue;
        };
        if levels.all(|others| others == leaves) {
            found.insert(label, leaves);
        }
    }
    Ok(found)
}

/// Whether intervals can stand for sets: all values are numbers and none is a code such as `02138`,
/// nothing but `*` is above them, and they have no order of their own.
pub(super) fn are_intervals(hierarchy: &Hierarchy) -> bool {
    let plain = |text: &str| {
        let digits = text.trim();
        let code = digits.starts_with('0') && digits != "0" && digits.chars().all(|c| c.is_ascii_digit());
        number(text).is_some() && !code
    };
    let above = (1..=hierarchy.height()).map(|level| (level, hierarchy.size(level)));
    let bare = above.eq([(1, 1)]) && hierarchy.label(1, 0) == Some(TOP) && !hierarchy.ordered();
    let mut values = (0..hierarchy.leaf_count() as u32).filter_map(|leaf| hierarchy.leaf_value(leaf));
    bare && values.all(plain)
}
