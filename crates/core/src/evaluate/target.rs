//! What is predicted: a column's texts as classes or numbers; and the groups of rows.
//!
//! A column of numbers with more than ten distinct values is predicted as numbers, any other column
//! with at most 20 distinct texts as classes, in the order of the numbers or of the texts. Rows
//! without the target are neither learned from nor tested on. Costs one sort of the distinct texts.

use crate::cell::number;
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{Policy, Role};
use crate::predict::Target;
use crate::table::{Code, Dictionary};

/// The most classes.
const CLASSES: usize = 20;
/// Groups of a column at most.
const GROUPS: usize = 20;
/// Numbers with at most this many distinct values are classes.
const FEW: usize = 10;

/// The texts of a target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Labels {
    /// Code of the column's dictionary → the number or the class; none is missing.
    pub(super) of: Vec<Option<f64>>,
    /// The names of the classes; none of numbers.
    pub(super) classes: Vec<String>,
    pub(super) target: Target,
}

impl Labels {
    pub(super) fn new(column: &str, values: &Dictionary, null: &[String]) -> Result<Self> {
        let known = |code: Code| values.value(code).filter(|text| !null.iter().any(|n| n == text));
        let codes = || 0..values.len() as Code;
        let mut texts: Vec<&str> = codes().filter(|&c| values.count(c) > 0).filter_map(known).collect();
        texts.sort_unstable();
        texts.dedup();
        if texts.len() < 2 {
            return Err(one_class(column).into());
        }
        let numbers: Option<Vec<f64>> = texts.iter().map(|text| number(text)).collect();
        if let (Some(_), true) = (&numbers, texts.len() > FEW) {
            let of = codes().map(|code| known(code).and_then(number)).collect();
            return Ok(Labels { of, classes: Vec::new(), target: Target::Number });
        }
        if texts.len() > CLASSES {
            return Err(too_many(column, texts.len()).into());
        }
        if numbers.is_some() {
            texts.sort_by(|a, b| {
                let of = |text: &str| number(text).unwrap_or_default();
                of(a).total_cmp(&of(b)).then(a.cmp(b))
            });
        }
        let place = |text: &str| texts.iter().position(|other| *other == text).map(|at| at as f64);
        Ok(Labels {
            of: codes().map(|code| known(code).and_then(place)).collect(),
            target: Target::Class(texts.len() as u32),
            classes: texts.iter().map(|text| (*text).to_owned()).collect(),
        })
    }
}

/// The column that is predicted: as asked, or the policy's only target.
///
/// # Errors
/// A column that the table does not have or the release changes; no target, or several.
pub(super) fn target(policy: &Policy, columns: &[String], asked: Option<&str>) -> Result<String> {
    let Some(name) = asked else {
        return match policy.with_role(Role::Target)[..] {
            [one] => Ok(one.to_owned()),
            ref all => Err(no_target(all).into()),
        };
    };
    if !columns.iter().any(|column| column == name) {
        return Err(unknown(name, "--target", columns).into());
    }
    let Some(column) = policy.columns.get(name) else { return Ok(name.to_owned()) };
    let why = match column.role {
        Role::Quasi => "it is a quasi-identifier, which the release generalizes",
        Role::Identifier | Role::Drop | Role::Text => "the release does not contain it as it is",
        Role::Subject => "it names the people whom rows belong to",
        _ if column.level.is_some() || column.transform.is_some() => "the release changes it",
        _ => return Ok(name.to_owned()),
    };
    Err(fault!(
        Input,
        "evaluate.changed-target",
        "`{column}` cannot be predicted: {why}",
        column = name,
        why = why
    )
    .key("--target")
    .help("choose a column that is released as it is: role target, sensitive or keep")
    .into())
}

/// The error for a column that is not there.
pub(super) fn unknown(name: &str, key: &str, columns: &[String]) -> Fault {
    let near = crate::error::nearest(name, columns.iter().map(String::as_str));
    fault!(Input, "evaluate.no-such-column", "the table has no column `{column}`", column = name)
        .key(key)
        .help(near.map_or_else(
            || format!("its columns are {}", columns.join(", ")),
            |near| format!("did you mean `{near}`?"),
        ))
}

fn no_target(all: &[&str]) -> Fault {
    let fault = match all {
        [] => fault!(Input, "evaluate.no-target", "the policy has no column to predict")
            .help("name one with --target, or give it role = \"target\""),
        _ => fault!(Input, "evaluate.no-target", "the policy has several targets")
            .help("name one of them with --target"),
    };
    fault.key("--target")
}

fn one_class(column: &str) -> Fault {
    fault!(Data, "evaluate.one-class", "`{column}` has fewer than two values", column = column)
        .column(column)
        .help("predict a column whose rows differ")
}

fn too_many(column: &str, classes: usize) -> Fault {
    fault!(
        Data,
        "evaluate.too-many-classes",
        "`{column}` has {classes} distinct texts, and models predict one of {limit} classes at most",
        column = column,
        classes = classes,
        limit = CLASSES
    )
    .column(column)
    .help("predict numbers, or a column with fewer values: input.where and hierarchies can make one")
}

/// Code → group, and the names of the groups.
pub(super) fn groups(column: &str, values: &Dictionary, null: &[String]) -> Result<(Vec<u32>, Vec<String>)> {
    let name = |code: Code| {
        let text = values.value(code).filter(|text| !null.iter().any(|n| n == text));
        text.unwrap_or("(missing)").to_owned()
    };
    let occurring = (0..values.len() as Code).filter(|&code| values.count(code) > 0);
    let mut names: Vec<String> = occurring.map(name).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() > GROUPS {
        return Err(fault!(
            Data,
            "evaluate.too-many-groups",
            "`{column}` has {groups} values, and rows are compared in {limit} groups at most",
            column = column,
            groups = names.len(),
            limit = GROUPS
        )
        .column(column)
        .key("--by")
        .help("name a column with fewer values")
        .into());
    }
    let place = |code: Code| names.binary_search(&name(code)).unwrap_or_default() as u32;
    Ok(((0..values.len() as Code).map(place).collect(), names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(texts: &[&str]) -> Result<(Vec<Option<f64>>, Target), &'static str> {
        let values = Dictionary::of(texts.iter().map(|t| Some(*t)));
        Labels::new("c", &values, &["".into(), "NA".into()])
            .map(|l| (l.of, l.target))
            .map_err(|e| e.faults()[0].code)
    }

    #[test]
    fn texts_are_classes_and_many_numbers_are_numbers() {
        assert_eq!(labels(&["yes", "no", "NA"]), Ok((vec![Some(1.0), Some(0.0), None], Target::Class(2))));
        assert_eq!(labels(&["10", "9"]), Ok((vec![Some(1.0), Some(0.0)], Target::Class(2))));
        let many: Vec<String> = (0..11).map(|i| i.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(labels(&many).unwrap().1, Target::Number);
        assert_eq!(labels(&["NA", "a"]), Err("evaluate.one-class"));
        let texts: Vec<String> = (0..21).map(|i| format!("t{i}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(labels(&texts), Err("evaluate.too-many-classes"));
    }
}
