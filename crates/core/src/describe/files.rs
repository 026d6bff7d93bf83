//! Finds hierarchy files beside a table, and the columns that they belong to.
//!
//! A holder who wrote a hierarchy for a column has declared that it is a quasi-identifier and how
//! its values generalize; no guess from the values is better.

use super::Description;
use crate::hierarchy::{File, Spec};
use crate::policy::Role;

/// The column that a file is the hierarchy of, if its name says so:
/// `<table>_hierarchy_<column>.csv` (as ARX names them), `<column>_hierarchy.csv` or
/// `hierarchy_<column>.csv`. Capitals do not matter; where no column has that very name, neither do
/// the signs between words.
pub fn hierarchy_file(table_stem: &str, file_name: &str, columns: &[String]) -> Option<String> {
    let file = file_name.to_lowercase();
    let stem = file.strip_suffix(".csv")?;
    let candidates = [
        stem.strip_prefix(&format!("{}_hierarchy_", table_stem.to_lowercase())),
        stem.strip_suffix("_hierarchy"),
        stem.strip_prefix("hierarchy_"),
    ];
    let plain = |name: &str| name.replace(['-', ' ', '.'], "_");
    let named = |wanted: &str| {
        let same = columns.iter().find(|c| c.to_lowercase() == wanted);
        same.or_else(|| columns.iter().find(|c| plain(&c.to_lowercase()) == plain(wanted)))
    };
    candidates.into_iter().flatten().filter(|c| !c.is_empty()).find_map(named).cloned()
}

/// Proposes the hierarchy files that were found, as pairs of column and path: such a column is
/// quasi-identifying, unless it names people outright or holds nothing.
pub fn propose(description: &mut Description, files: &[(String, String)]) {
    for (name, path) in files {
        for column in description.columns.iter_mut().filter(|c| c.name == *name) {
            let naming = column.person_id || column.role == Role::Identifier && column.certain;
            if naming || column.distinct == 0 {
                column.reason += " The hierarchy file beside the table is not used.";
                continue;
            }
            if column.role != Role::Quasi {
                column.reason = "A hierarchy file lies beside the table.".into();
            }
            column.role = Role::Quasi;
            column.certain = true;
            column.hierarchy = Some(Spec::File(File::Path(path.clone())));
            column.hierarchy_reason = Some("The hierarchy file that lies beside the table.".into());
            column.offered_hierarchy = None;
            column.clue = true;
        }
    }
    description.refresh();
}

#[cfg(test)]
mod tests {
    use super::super::Describer;
    use super::*;

    #[test]
    fn files_belong_to_columns_by_name() {
        let columns = ["age", "marital-status", "Zip Code", "a_b", "a b"].map(String::from);
        for (file, column) in [
            ("adult_hierarchy_age.csv", Some("age")),
            ("ADULT_Hierarchy_Marital-Status.CSV", Some("marital-status")),
            ("adult_hierarchy_marital_status.csv", Some("marital-status")),
            ("age_hierarchy.csv", Some("age")),
            ("hierarchy_zip_code.csv", Some("Zip Code")),
            ("hierarchy_a b.csv", Some("a b")),
            ("hierarchy_a-b.csv", Some("a_b")),
            ("census_hierarchy_age.csv", None),
            ("adult_hierarchy_agee.csv", None),
            ("adult_hierarchy_age.txt", None),
            ("adult_hierarchy_.csv", None),
            ("hierarchy_.csv", None),
            ("age.csv", None),
            ("", None),
        ] {
            assert_eq!(hierarchy_file("Adult", file, &columns).as_deref(), column, "{file}");
        }
    }

    #[test]
    fn a_file_makes_a_column_quasi_unless_it_names_people() {
        let mut describer = Describer::new(["ssn", "diagnosis", "empty"].map(String::from).to_vec(), &[]);
        for value in ["a", "b"] {
            describer.push(0, Some(value));
            describer.push(1, Some(value));
            describer.push(2, None);
        }
        let mut description = describer.finish();
        let file = |c: &str| (c.to_owned(), format!("{c}.csv"));
        propose(&mut description, &[file("ssn"), file("diagnosis"), file("empty"), file("unknown")]);
        let roles: Vec<Role> = description.columns.iter().map(|c| c.role).collect();
        assert_eq!(roles, [Role::Identifier, Role::Quasi, Role::Drop]);
        assert_eq!(description.columns[1].hierarchy, Some(Spec::File(File::Path("diagnosis.csv".into()))));
        assert!(description.columns[0].reason.contains("not used"));
    }
}
