//! The grouped table with a column for the classifier: read with several, kept with one.
//!
//! Costs one pass over the distinct tuples.

use super::classify::few_classes;
use crate::policy::{Policy, Role};
use crate::search::Grouped;
use crate::table::Dictionary;
use crate::tuples::Tuples;

/// The most columns that are read to find one with few classes.
const READ: usize = 8;

/// The sensitive columns that one is chosen from, in the order of the table, where the policy
/// measures no target: read the table with these beside `measured`, then call [`narrowed`].
pub fn candidates(policy: &Policy, columns: &[String], measured: &[String]) -> Vec<String> {
    let role = |name: &String| policy.columns.get(name).map(|column| column.role);
    if measured.iter().any(|name| role(name) == Some(Role::Target)) {
        return Vec::new();
    }
    let wanted = |name: &&String| role(name) == Some(Role::Sensitive) && !measured.contains(name);
    columns.iter().filter(wanted).take(READ).cloned().collect()
}

/// The table with its first `needed` measured columns, and of the others the one with fewest
/// values that a classifier can predict.
#[must_use]
pub fn narrowed(grouped: Grouped, needed: usize, missing: &[String]) -> Grouped {
    let quasi = grouped.names.len();
    let values = |at: usize| -> &Dictionary { &grouped.dictionaries[quasi + at] };
    let fit = (needed..grouped.measured.len()).filter(|&at| few_classes(values(at), missing));
    let chosen = fit.min_by_key(|&at| (values(at).len(), at));
    let measured: Vec<usize> = (0..needed).chain(chosen).collect();
    if measured.len() == grouped.measured.len() {
        return grouped;
    }
    let columns: Vec<usize> = (0..quasi).chain(measured.iter().map(|at| quasi + at)).collect();
    let mut tuples = Tuples::new(columns.len());
    let mut row = vec![0; columns.len()];
    for (at, &count) in grouped.tuples.counts().iter().enumerate() {
        row.iter_mut().zip(&columns).for_each(|(cell, &column)| *cell = grouped.tuples.code(at, column));
        tuples.insert(&row, count);
    }
    Grouped {
        names: grouped.names,
        measured: measured.iter().map(|&at| grouped.measured[at].clone()).collect(),
        dictionaries: columns.iter().map(|&column| grouped.dictionaries[column].clone()).collect(),
        tuples,
        population: grouped.population,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{Rows, Table};
    use crate::watch::Watch;

    #[test]
    fn the_column_with_fewest_classes_is_kept() {
        let columns = ["age", "note", "illness", "cost", "sex"].map(String::from).to_vec();
        let row = |i: usize| {
            let illness = ["flu", "gout", "none"][i % 3];
            [i % 4, i, 0, i, i % 2]
                .map(|n| n.to_string())
                .into_iter()
                .enumerate()
                .map(|(at, cell)| {
                    Some(if at == 2 {
                        illness.to_owned()
                    } else if at == 1 {
                        format!("n{cell}")
                    } else {
                        cell
                    })
                })
                .collect()
        };
        let table = Table::new(columns.clone(), (0..40).map(row).collect()).unwrap();
        let text = "version = 1\ninput.path = \"t\"\ncolumns.age.role = \"quasi\"\ncolumns.note.role = \"sensitive\"\n\
            columns.illness.role = \"sensitive\"\ncolumns.cost.role = \"sensitive\"\ncolumns.sex.role = \"sensitive\"\nprivacy.k = 2\n";
        let policy = Policy::parse(text).unwrap();
        let extra = candidates(&policy, &columns, &["sex".into()]);
        assert_eq!(extra, ["note", "illness", "cost"]);
        let counted = table.count(&[0, 4, 1, 2, 3], &Watch::none()).unwrap();
        let measured = ["sex", "note", "illness", "cost"].map(String::from).to_vec();
        let grouped = narrowed(Grouped::new(vec!["age".into()], measured, counted), 1, &[]);
        assert_eq!(grouped.measured, ["sex", "illness"]);
        assert_eq!(grouped.tuples.rows(), 40);
        assert_eq!(grouped.tuples.len(), 12);
    }
}
