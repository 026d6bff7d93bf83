use proptest::prelude::*;
use throng_terms::rows::Table;

use super::*;

fn released(rows: &[[&str; 3]]) -> Table {
    let cell = |text: &&str| (!text.is_empty()).then(|| (*text).to_owned());
    let rows = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    Table::new(["age", "town", "zip"].map(String::from).to_vec(), rows).unwrap()
}

fn run(table: &Table, imputations: usize, seed: u64) -> (Filled, Vec<Vec<String>>) {
    let asked = Imputing { imputations, seed, ..Imputing::default() };
    let covered = |column: &str, label: &str| {
        (column == "town" && label == "north").then(|| vec!["Kiel".to_owned(), "Lübeck".to_owned()])
    };
    let reader = |_: &str| Ok(Reader::new());
    let mut text = String::new();
    let found = impute_table(table, &asked, (&reader, &covered), &Watch::none(), &mut |line| {
        text += line;
        Ok(())
    });
    let lines = text.lines().map(|line| line.split(',').map(String::from).collect()).collect();
    (found.unwrap(), lines)
}

const ROWS: [[&str; 3]; 7] = [
    ["[20; 30)", "Ulm", "01"],
    ["25", "north", "02"],
    ["40", "Kiel", "01"],
    ["*", "Ulm", "*"],
    ["{3; 7}", "*", "02"],
    ["", "{Kiel; Ulm}", "02"],
    ["61", "Ulm", "01"],
];

/// The separators of cells are commas; lines of these tests are split at commas.
fn table() -> Table {
    let rows: Vec<[String; 3]> = ROWS.iter().map(|row| row.map(|cell| cell.replace("; ", ", "))).collect();
    let rows: Vec<[&str; 3]> =
        rows.iter().map(|row| [row[0].as_str(), row[1].as_str(), row[2].as_str()]).collect();
    released(&rows)
}

#[test]
fn open_cells_are_filled_within_their_bounds_and_marked() {
    let (found, lines) = run(&table(), 4, 7);
    assert_eq!(lines[0].join(","), "imputation,age,town,zip,imputed");
    assert_eq!(lines.len(), 1 + 4 * 7);
    for (at, line) in lines[1..].iter().enumerate() {
        let (imputation, row) = (at / 7 + 1, at % 7);
        assert_eq!(line[0], imputation.to_string());
        let age: Option<i64> = line[1].parse().ok();
        let marked = |name: &str| line[4].split(';').any(|mark| mark == name);
        match row {
            0 => assert!((20..30).contains(&age.unwrap()) && marked("age") && !marked("town"), "{line:?}"),
            1 => assert!(["Kiel", "Lübeck"].contains(&line[2].as_str()) && marked("town")),
            3 => assert!(
                age.is_some() && marked("age") && marked("zip") && ["01", "02"].contains(&line[3].as_str())
            ),
            4 => assert!(
                [3, 7].contains(&age.unwrap()) && ["Kiel", "Lübeck", "Ulm"].contains(&line[2].as_str())
            ),
            5 => assert!(
                line[1].is_empty() && ["Kiel", "Ulm"].contains(&line[2].as_str()) && line[4] == "town"
            ),
            _ => assert_eq!(line[4], "", "{line:?}"),
        }
    }
    assert_eq!((found.rows, found.imputations, found.complete_rows), (7, 4, 2));
    assert!(found.advice.starts_with("do not"), "{}", found.advice);
    let filled: Vec<(&str, u64)> = found.columns.iter().map(|c| (c.column.as_str(), c.filled)).collect();
    assert_eq!(filled, [("age", 3), ("town", 3), ("zip", 1)]);
    let shares: f64 = found.columns[1].pooled.values().map(|share| share.estimate).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{:?}", found.columns[1]);
    assert!(found.columns[0].pooled["mean"].spread > 0.0);
    assert_eq!(run(&table(), 4, 7).1, lines, "the same seed");
    assert_ne!(run(&table(), 4, 8).1, lines, "another seed");
}

#[test]
fn complete_tables_and_unknown_columns_stay_as_they_are() {
    let (found, lines) = run(&released(&[["1", "Ulm", "01"], ["2", "Bonn", "02"]]), 2, 1);
    assert!(found.columns.is_empty() && found.complete_rows == 2 && found.advice.starts_with("every row"));
    assert_eq!(lines[1], ["1", "1", "Ulm", "01", ""]);
    let (found, lines) = run(&released(&[["1", "*", "01"], ["2", "*", "02"]]), 2, 1);
    assert_eq!((found.columns[0].open, found.columns[0].filled, found.complete_rows), (2, 0, 0));
    assert_eq!(lines[1], ["1", "1", "*", "01", ""]);
    let taken = Table::new(vec!["imputed".into()], vec![vec![Some("1".into())]]).unwrap();
    let asked = Imputing { imputations: 1, ..Imputing::default() };
    let wrong =
        impute_table(&taken, &asked, (&|_| Ok(Reader::new()), &|_, _| None), &Watch::none(), &mut |_| Ok(()));
    assert!(wrong.unwrap_err().has_code("statistics.imputed-name"));
}

#[test]
fn masks_are_filled_with_values_that_others_show() {
    let (found, lines) =
        run(&released(&[["1", "Ulm", "b12"], ["2", "Ulm", "b1*"], ["3", "Ulm", "c*"]]), 3, 1);
    assert!(lines[1..].iter().all(|line| ["b12", "c*"].contains(&line[3].as_str())), "{lines:?}");
    assert_eq!((found.columns[0].filled, found.columns[0].open, found.complete_rows), (1, 1, 1));
}

proptest! {
    /// Shares by EM make cells at least as likely as any of many others.
    #[test]
    fn shares_make_cells_most_likely(
        cells in prop::collection::vec((1u32..9, 1usize..8), 1..7),
        others in prop::collection::vec(prop::collection::vec(0.01f64..1.0, 3), 20),
    ) {
        let may = |mask: usize| (0..3).filter(|at| mask >> at & 1 == 1).collect::<Vec<usize>>();
        let cells: Vec<(f64, Vec<usize>)> = cells.into_iter().map(|(n, mask)| (f64::from(n), may(mask))).collect();
        let likelihood = |shares: &[f64]| -> f64 {
            cells.iter().map(|(n, may)| n * may.iter().map(|&at| shares[at]).sum::<f64>().max(1e-300).ln()).sum()
        };
        let found = shares(&cells, 3);
        prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for other in others {
            let all: f64 = other.iter().sum();
            let other: Vec<f64> = other.iter().map(|share| share / all).collect();
            prop_assert!(likelihood(&found) >= likelihood(&other) - 1e-3, "{found:?} {other:?}");
        }
    }
}
