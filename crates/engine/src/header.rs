//! The names of a table's columns, made usable: every column has a name of its own.
//!
//! An unnamed first column, as pandas and R write their row names, is called `row`; another one
//! `column_3`, by its place. Of columns with one name the second is `name.2`. Whatever is changed
//! is noted, and the policy names columns as they are called here. Linear in the columns.

use std::collections::{BTreeMap, BTreeSet};

use throng::error::Fault;
use throng::fault;

/// What the first column without a name is called.
const ROW: &str = "row";

/// Names of columns, each its own, and notes on those that were changed.
pub(crate) fn named(given: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut notices = Vec::new();
    let mut taken: BTreeSet<String> = given.iter().filter(|name| !name.trim().is_empty()).cloned().collect();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::with_capacity(given.len());
    for (at, name) in given.into_iter().enumerate() {
        if name.trim().is_empty() {
            let wanted = if at == 0 { ROW.to_owned() } else { format!("column_{}", at + 1) };
            let name = free(wanted, &mut taken);
            notices.push(format!("column {} has no name; it is called `{name}`", at + 1));
            names.push(name);
            continue;
        }
        let seen = times.entry(name.clone()).or_default();
        *seen += 1;
        if *seen == 1 {
            names.push(name);
            continue;
        }
        let new = free(format!("{name}.{seen}"), &mut taken);
        notices.push(format!("column {} is another `{name}`; it is called `{new}`", at + 1));
        names.push(new);
    }
    (names, notices)
}

/// A name that no column has, as wanted or with a number behind it.
fn free(wanted: String, taken: &mut BTreeSet<String>) -> String {
    let mut name = wanted.clone();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}.{number}");
        number += 1;
    }
    name
}

/// How many of the first rows are titles above the header, by the number of cells of each row. A
/// title has half as many cells as most rows, or fewer. With two columns it could be a header that
/// lacks a name.
pub(crate) fn title_rows(widths: &[usize]) -> usize {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    widths.iter().for_each(|width| *counts.entry(*width).or_default() += 1);
    // Of equally frequent widths the larger.
    let usual =
        counts.into_iter().max_by_key(|(width, count)| (*count, *width)).map_or(0, |(width, _)| width);
    let titles = widths.iter().take_while(|width| **width * 2 <= usual).count();
    if usual < 3 || titles == widths.len() { 0 } else { titles }
}

/// A first line that looks like a row. The fault quotes nothing of it.
pub(crate) fn headless(cells: usize, of: usize) -> Fault {
    let like = if cells == 1 { "is like the values below it" } else { "are like the values below them" };
    fault!(
        Data,
        "table.no-header-line",
        "the first line looks like data, not column names: {suspicious} of its {cells} cells {like}",
        suspicious = cells,
        cells = of,
        like = like
    )
    .help(
        "add a line with column names; or set input.header = \"none\" (--header none) to name the columns \
         column_1, column_2, …; or confirm that the first line holds names by input.header = \
         \"first-line\" (--header first-line)",
    )
}

/// A note on columns that are read as the labels of their values.
pub(crate) fn labelled_notice<'a>(columns: impl Iterator<Item = &'a str>) -> Option<String> {
    let columns = list(columns)?;
    Some(format!("values are read as their labels in {columns}; input.labels = false reads the values"))
}

/// A note on columns that keep their values, because only some have labels.
pub(crate) fn partly_labelled_notice<'a>(columns: impl Iterator<Item = &'a str>) -> Option<String> {
    let columns = list(columns)?;
    Some(format!("only some values have labels in {columns}, which keeps its values"))
}

fn list<'a>(columns: impl Iterator<Item = &'a str>) -> Option<String> {
    let columns: Vec<String> = columns.map(|name| format!("`{name}`")).collect();
    (!columns.is_empty()).then(|| columns.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(given: &[&str]) -> Vec<String> {
        named(given.iter().map(|name| (*name).to_owned()).collect()).0
    }

    #[test]
    fn every_column_has_a_name_of_its_own() {
        assert_eq!(names(&["", "a", "a", "a"]), ["row", "a", "a.2", "a.3"]);
        assert_eq!(names(&["a", "", " "]), ["a", "column_2", "column_3"]);
        assert_eq!(names(&["", "row", "a", "a.2", "a"]), ["row.2", "row", "a", "a.2", "a.2.2"]);
        assert_eq!(names(&["a", "b"]), ["a", "b"]);
        let (_, notices) = named(vec![String::new(), "a".into(), "a".into()]);
        assert_eq!(
            notices,
            ["column 1 has no name; it is called `row`", "column 3 is another `a`; it is called `a.2`"]
        );
    }

    #[test]
    fn titles_are_narrow() {
        for (widths, titles) in [
            (&[1, 1, 5, 5, 5][..], 2),
            (&[2, 0, 5, 5, 5], 2),
            (&[5, 5, 5], 0),
            (&[4, 5, 5, 5], 0),
            (&[1, 1, 1], 0),
            (&[1, 2, 2], 0),
            (&[], 0),
            (&[1], 0),
        ] {
            assert_eq!(title_rows(widths), titles, "{widths:?}");
        }
    }
}
