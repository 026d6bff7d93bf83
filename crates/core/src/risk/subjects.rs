//! The risk of a table in which a person has several rows: classes are as large as the people in
//! them.
//!
//! The figures are of all columns together. Smaller combinations, special uniques and estimates of
//! a population count one row per person, and are left out. Costs one step per distinct pair of
//! combination and person.

use rustc_hash::FxHashSet;

use super::special::Special;
use super::{Asked, Figure, Figures, Guidance, Risk, Table, bands, counted};
use crate::error::Result;
use crate::fault;
use crate::policy::Missing;
use crate::tuples::Tuples;

/// Assesses a table whose last column names the person that a row belongs to.
///
/// # Errors
/// What makes no sense, rows of nobody, and a table of no rows.
pub fn assess_people(table: &Table, asked: &Asked) -> Result<Risk> {
    asked.check()?;
    if asked.missing == Missing::Wildcard {
        return Err(fault!(
            Input,
            "risk.people-with-wildcards",
            "people are counted by equal values, and missing cells as wildcards are equal to all"
        )
        .key("--missing")
        .help("give --missing value or --missing suppress")
        .into());
    }
    let width = table.names.len().saturating_sub(1);
    let missing = |at: usize, column: usize| {
        table.dictionaries[column].missing() == Some(table.tuples.code(at, column))
    };
    let nameless = (0..table.tuples.len()).filter(|&at| missing(at, width));
    let nameless: u64 = nameless.map(|at| u64::from(table.tuples.counts()[at])).sum();
    if nameless > 0 {
        return Err(fault!(
            Data,
            "risk.row-without-subject",
            "{rows} rows do not say which person they belong to",
            rows = nameless
        )
        .key("--subject")
        .help("name a column that every row has, or leave such rows out of the table")
        .into());
    }
    let left_out = |at: usize| asked.missing == Missing::Suppress && (0..width).any(|c| missing(at, c));
    let mut classes = Tuples::new(width);
    let (mut sizes, mut people): (Vec<(u64, u64)>, FxHashSet<u32>) = (Vec::new(), FxHashSet::default());
    for at in (0..table.tuples.len()).filter(|&at| !left_out(at)) {
        let (row, count) = table.tuples.get(at);
        let class = classes.insert(&row[..width], count) as usize;
        sizes.resize(sizes.len().max(class + 1), (0, 0));
        // Every pair of combination and person is there once.
        sizes[class] = (sizes[class].0 + u64::from(count), sizes[class].1 + 1);
        people.insert(row[width]);
    }
    if sizes.is_empty() {
        return Err(fault!(Data, "risk.no-rows", "no row is left to assess")
            .help("give a table with rows; with --missing suppress, rows with a missing cell are left out")
            .into());
    }
    let mut figures = Figures::default();
    let rows: u64 = sizes.iter().map(|(rows, _)| rows).sum();
    figures.put("rows", Figure::exact(rows as f64, "rows that were looked at"));
    figures.put("people", Figure::exact(people.len() as f64, "people whom these rows belong to"));
    counted(&mut figures, &sizes, asked);
    let means = "people of the smallest class: the k of k-anonymity";
    let smallest = sizes.iter().map(|(_, people)| *people).min().unwrap_or(0);
    figures.put("smallest_class", Figure::exact(smallest as f64, means));
    let means = "rows whose values belong to one person only";
    let unique: u64 = sizes.iter().filter(|(_, people)| *people == 1).map(|(rows, _)| rows).sum();
    figures.put("sample_unique_rows", Figure::exact(unique as f64, means));
    Ok(Risk {
        columns: table.names[..width].to_vec(),
        guidance: Guidance::new(&sizes, asked.threshold, None),
        figures,
        class_sizes: bands(&sizes),
        special_uniques: Special::none(),
        combinations: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::risk::Population;
    use crate::table::Dictionary;

    fn table(rows: &[[&str; 2]]) -> Table {
        let mut dictionaries = vec![Dictionary::new(); 2];
        let mut tuples = Tuples::new(2);
        for row in rows {
            let cell = |(cell, d): (&&str, &mut Dictionary)| d.add((!cell.is_empty()).then_some(*cell), 1);
            let codes: Vec<u32> = row.iter().zip(&mut dictionaries).map(cell).collect();
            tuples.insert(&codes, 1);
        }
        Table::new(vec!["age".into(), "person".into()], dictionaries, tuples)
    }

    fn asked() -> Asked {
        let population = Population::Unknown;
        Asked { max_size: 2, threshold: 0.4, missing: Missing::Value, population, seed: 0 }
    }

    #[test]
    fn a_class_is_as_large_as_its_people() {
        let rows = [["21", "a"], ["21", "a"], ["21", "b"], ["35", "a"], ["35", "a"], ["57", "b"]];
        let risk = assess_people(&table(&rows), &asked()).unwrap();
        let value = |name: &str| risk.figures.get(name).and_then(|figure| figure.value).unwrap();
        assert_eq!(risk.columns, ["age"]);
        assert_eq!((value("rows"), value("people"), value("classes")), (6.0, 2.0, 3.0));
        assert_eq!((value("smallest_class"), value("prosecutor")), (1.0, 1.0));
        // The rows of 35 are two, and of one person.
        assert_eq!((value("sample_unique_rows"), value("rows_at_risk")), (3.0, 1.0));
        assert!((value("marketer") - (3.0 / 2.0 + 3.0) / 6.0).abs() < 1e-12);
    }

    #[test]
    fn rows_of_nobody_are_refused() {
        let error = assess_people(&table(&[["21", "a"], ["21", ""]]), &asked()).unwrap_err();
        assert!(error.has_code("risk.row-without-subject"), "{error}");
    }
}
