//! The twelve patients of Sweeney's figures 28 to 34: docs/twelve-patients.md is typed, and its
//! figures are computed again from the files.

use std::path::{Path, PathBuf};

use crate::env::TestEnv;
use crate::naive::Table;
use crate::tutorial::{appears, blocks, page, typed};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/twelve")
}

/// A folder with the example in it, at the place where the page looks for it.
pub fn env() -> TestEnv {
    let env = TestEnv::new();
    for file in std::fs::read_dir(folder()).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        env.write(&format!("examples/twelve/{name}"), std::fs::read(file.path()).unwrap());
    }
    env
}

#[test]
fn what_the_page_shows_is_what_appears() {
    let env = env();
    let text = page("twelve-patients.md");
    let mut steps: Vec<_> =
        blocks(&text).iter().filter(|block| block.kind == "console").flat_map(typed).collect();
    assert!(steps.len() >= 7, "{} commands", steps.len());
    // The page writes to /tmp, the test beside the example.
    let there = env.path("").display().to_string();
    for step in &mut steps {
        step.command = step.command.replace("/tmp/", &there);
        step.shown.iter_mut().for_each(|line| *line = line.replace("/tmp/", &there));
    }
    appears("twelve-patients.md", &env, &steps);
    // Cell by cell what the figure prints, in whatever order.
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&env.text("figure-30.csv")), sorted(FIGURE_30));
}

const FIGURE_30: &str = "\
ethnicity,birth,sex,zip,problem
Black,1965,m,02141,shortness of breath
Black,1965,m,02141,chest pain
Black,1965,f,02138,hypertension
Black,1965,f,02138,hypertension
Black,1964,f,02138,obesity
Black,1964,f,02138,chest pain
Caucasian,1964,m,02138,chest pain
,,f,02139,hypertension
Caucasian,1964,m,02139,obesity
Caucasian,1964,m,02139,shortness of breath
Caucasian,1967,m,02138,chest pain
Caucasian,1967,m,02138,chest pain
";

/// What the cells of a figure lose: `year` for a year, a level of the ZIP code for every star,
/// everything for what is not there.
fn lost(table: &str, year: f64, zip: f64) -> f64 {
    let table = Table::read(table.as_bytes(), ',');
    let of = |column: &str| table.column(column).into_iter().map(String::from).collect::<Vec<_>>();
    let gone = |cell: &str| cell.is_empty() || cell == "*";
    let births = of("birth").iter().map(|cell| if gone(cell) { 1.0 } else { year }).sum::<f64>();
    let zips = of("zip").iter().map(|cell| zip * cell.matches('*').count() as f64).sum::<f64>();
    let others = ["ethnicity", "sex"].map(|c| of(c).iter().filter(|cell| gone(cell)).count() as f64);
    births + zips + others.iter().sum::<f64>()
}

/// Precision of Datafly, mu-Argus and k-Similar.
fn precisions(year: f64, zip: f64) -> [f64; 3] {
    let figure_33 = std::fs::read_to_string(folder().join("figure-33.csv")).unwrap();
    // Figure 29: eleven rows with years and four digits, and one that is gone.
    let datafly = 11.0 * (year + zip) + 4.0;
    [datafly, lost(FIGURE_30, year, zip), lost(&figure_33, year, zip)].map(|lost| 1.0 - lost / 48.0)
}

#[test]
fn the_table_of_precisions_is_right() {
    let rounded = |year, zip| precisions(year, zip).map(|p| (p * 100.0).round() as u32);
    assert_eq!(rounded(2.0 / 5.0, 1.0 / 3.0), [75, 87, 80]);
    assert_eq!(rounded(2.0 / 5.0, 1.0 / 2.0), [71, 87, 78]);
    assert_eq!(rounded(2.0 / 4.0, 1.0 / 3.0), [73, 84, 77]);
    assert_eq!(rounded(2.0 / 3.0, 1.0 / 2.0), [65, 81, 71]);
    assert_eq!(((1.0 - (2.0 / 3.0 + 1.0 / 2.0) / 4.0) * 100.0_f64).round(), 71.0);
    // Of births with few levels the one that the page takes comes closest.
    let off = |(year, height): &(u32, u32)| {
        let found = precisions(f64::from(*year) / f64::from(*height), 1.0 / 3.0);
        found.into_iter().zip([0.71, 0.86, 0.80]).map(|(f, p)| (f - p).abs()).sum::<f64>()
    };
    let births = (1..=5).flat_map(|height| (1..=height).map(move |year| (year, height)));
    assert_eq!(births.min_by(|a, b| off(a).total_cmp(&off(b))), Some((2, 5)));
    // Nothing gives the figures that are printed, rounded or cut.
    for height in 1..=20u32 {
        for year in 1..=height {
            for zip in 1..=10u32 {
                let found = precisions(f64::from(year) / f64::from(height), 1.0 / f64::from(zip));
                let fits = |(found, printed): (f64, f64)| found > printed - 0.5 && found < printed + 1.0;
                let all = found.map(|p| p * 100.0).into_iter().zip([71.0, 86.0, 80.0]).all(fits);
                assert!(!all, "year {year} of {height}, ZIP {zip}");
            }
        }
    }
}
