//! Builds the hierarchy that a policy specifies over the values of a column.
//!
//! One builder per file. A builder maps every distinct value to its path of labels, so building
//! costs distinct values × levels, independent of the number of rows. The builder appends [`TOP`]
//! itself: the number of levels follows from the policy and not from the values that occur (except
//! for masks, whose levels follow from the longest value, and for files).

use std::sync::Arc;

use super::chronology::by_date;
use super::{
    Assembly, Hierarchy, Path, Spec, TOP, date, file, icd, intervals, mask, order, postal, priority, zip3,
};
use crate::error::{Fault, Result};
use crate::fault;
use crate::poset::{self, Poset};
use crate::table::{Code, Dictionary};

/// The hierarchy that `spec` asks for over the values of `dictionary`.
///
/// Where the column has missing values, missing is one more leaf. `load` gives the text of a
/// hierarchy file, as the policy names it.
///
/// # Errors
/// Everything that is wrong with the request, with a file, or with values that do not fit, at once.
pub fn build(
    spec: &Spec,
    dictionary: &Dictionary,
    load: &dyn Fn(&str) -> Result<String>,
) -> Result<Hierarchy> {
    let dates = match spec {
        Spec::Suppress => by_date(values(dictionary).collect()),
        _ => None,
    };
    let assembly = match spec {
        // Their values and levels can be many, so that no path is made of each.
        Spec::File(spec) => file::assembly(spec, dictionary, load)?,
        Spec::Mask(spec) => mask::assembly(spec, dictionary)?,
        Spec::Intervals(spec) => intervals::assembly(spec, dictionary)?,
        Spec::Order(spec) => Assembly::of(order::paths(spec, dictionary)?),
        Spec::Date(spec) => date::assembly(spec, dictionary)?,
        Spec::Priority(spec) => Assembly::of(priority::paths(spec, dictionary)?),
        Spec::Icd9 => Assembly::of(icd::paths(&icd::ICD9, dictionary)?),
        Spec::Icd10 => Assembly::of(icd::paths(&icd::ICD10, dictionary)?),
        Spec::Postal(spec) => Assembly::of(postal::paths(spec, dictionary)?),
        Spec::Zip3(spec) => Assembly::of(zip3::paths(spec, dictionary)?),
        Spec::Suppress | Spec::Poset(_) => {
            let leaves = dates.clone().unwrap_or_else(|| values(dictionary).collect());
            Assembly::of(leaves.into_iter().map(|value| path(value, Vec::new())))
        }
    };
    let missing = dictionary.missing().is_some();
    let mut hierarchy = Hierarchy::of_assembly(assembly, height(spec), missing, spec.nested())?;
    if let Spec::Poset(spec) = spec {
        let leaf = |leaf: usize| hierarchy.leaf_value(leaf as Code).map(String::from);
        let leaves = (0..hierarchy.leaf_count()).map(leaf).collect();
        hierarchy.poset = Some(Arc::new(Poset::build(spec, leaves, load)?));
    }
    hierarchy.ordered = spec.stated_order().is_some() || dates.is_some();
    Ok(hierarchy)
}

/// The levels that a request makes where not even one value says so.
fn height(spec: &Spec) -> usize {
    match spec {
        Spec::Intervals(spec) => spec.widths.len().max(spec.bounds.len()) + 1,
        Spec::Order(spec) => spec.fanout.len() + 1,
        Spec::Date(spec) => spec.levels.len() + 1,
        Spec::Priority(spec) => spec.keep.len() + 1,
        Spec::Postal(spec) => spec.keep.len() + 1,
        Spec::Zip3(_) => zip3::LEVELS,
        Spec::Icd9 | Spec::Icd10 => 4,
        Spec::File(_) | Spec::Mask(_) | Spec::Suppress | Spec::Poset(_) => 1,
    }
}

/// A short phrase for reports: how values were generalized.
pub fn describe(spec: &Spec) -> String {
    match spec {
        Spec::File(file) => format!("file {}", file.path().rsplit(['/', '\\']).next().unwrap_or_default()),
        Spec::Intervals(spec) if spec.bounds.is_empty() => format!("intervals of {}", list(&spec.widths)),
        Spec::Intervals(_) => "intervals between listed bounds".into(),
        Spec::Order(spec) if spec.values.is_empty() => {
            format!("sorted values in groups of {}", list(&spec.fanout))
        }
        Spec::Order(spec) if spec.fanout.is_empty() => "values in a listed order".into(),
        Spec::Order(spec) => format!("listed values in groups of {}", list(&spec.fanout)),
        Spec::Mask(spec) => match spec.step {
            1 => format!("masked from the {}", spec.from.name()),
            step => format!("masked from the {}, {step} characters at a time", spec.from.name()),
        },
        Spec::Date(spec) => match spec.low {
            None => format!("dates by {}", spec.levels.join(", ")),
            Some(low) => format!("dates by {}; before {low} as one", spec.levels.join(", ")),
        },
        Spec::Priority(spec) => format!("the {} most frequent values", list(&spec.keep)),
        Spec::Icd9 => "ICD-9-CM category, block, chapter".into(),
        Spec::Icd10 => "ICD-10 category, block, chapter".into(),
        Spec::Postal(spec) => format!("the first {} characters", list(&spec.keep)),
        Spec::Zip3(_) => "the first 3, 2, 1 digits of ZIP codes; small prefixes 000".into(),
        Spec::Suppress => "keep or suppress".into(),
        Spec::Poset(spec) => poset::describe(spec),
    }
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The present values of a column, first seen first.
pub(super) fn values(dictionary: &Dictionary) -> impl Iterator<Item = &str> {
    dictionary.present().map(|(value, _)| value)
}

/// The path of a leaf: its labels with the highest level above them.
pub(super) fn path(leaf: &str, mut labels: Vec<String>) -> Path {
    labels.push(TOP.into());
    Path { leaf: leaf.into(), labels }
}

/// One fault for all values of one kind: `one` makes it from a single value, `many` from the first
/// value, the number of values, and the number of values after the first. Only the first value is
/// quoted.
pub(super) fn unfit(
    unfit: &[&str],
    one: impl FnOnce(&str) -> Fault,
    many: impl FnOnce(&str, usize, usize) -> Fault,
) -> Option<Fault> {
    let first = show(unfit.first()?);
    Some(match unfit.len() {
        1 => one(&first),
        count => many(&first, count, count - 1),
    })
}

/// A value as a message quotes it, without the quotes: on one line and not longer than one.
pub(super) fn show(value: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for c in value.chars().take(LONGEST) {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    if value.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Errors of a list of counts that must be 1 or more and fall from level to level.
pub(super) fn falling(keep: &[usize], example: &str) -> Option<Fault> {
    let written = || keep.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let fault = if keep.is_empty() {
        fault!(Input, "hierarchy.keep-is-empty", "`keep` lists no level")
    } else if keep.contains(&0) {
        fault!(
            Input,
            "hierarchy.keep-contains-zero",
            "`keep` is [{keep}], but a level cannot keep 0",
            keep = written()
        )
    } else if keep.windows(2).any(|pair| pair[0] <= pair[1]) {
        fault!(
            Input,
            "hierarchy.keep-does-not-fall",
            "`keep` is [{keep}], but each level must keep less than the one before",
            keep = written()
        )
    } else {
        return None;
    };
    Some(fault.help(format!("list falling numbers, for instance keep = {example}")))
}
