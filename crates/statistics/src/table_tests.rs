use proptest::prelude::*;
use throng_terms::rows::Table as Memory;

use super::*;
use crate::report::{Options, cross, report};
use crate::{page, text};

fn memory(columns: &[&str], rows: &[&[&str]]) -> Memory {
    let cell = |text: &&str| (!text.is_empty()).then(|| (*text).to_owned());
    let rows = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    Memory::new(columns.iter().map(|name| (*name).to_owned()).collect(), rows).unwrap()
}

fn plain(_: &str) -> Result<Reader> {
    Ok(Reader::new())
}

fn table(rows: &Memory, request: &Request) -> Result<Table> {
    read(rows, request, &plain, &Watch::none())
}

fn code(rows: &Memory, request: &Request) -> String {
    table(rows, request).unwrap_err().faults()[0].code.to_owned()
}

fn of(columns: &[&str]) -> Request {
    Request { columns: columns.iter().map(|name| (*name).to_owned()).collect(), ..Request::default() }
}

fn people() -> Memory {
    memory(
        &["age", "sex", "zip", "n"],
        &[
            &["[20, 30)", "F", "02138", "1"],
            &["[30, 40)", "M", "0213*", "2"],
            &["*", "F", "*", "1"],
            &["", "M", "02139", "3"],
            &["45", "F", "02139", "1"],
        ],
    )
}

#[test]
fn columns_of_numbers_are_found() {
    let found = table(&people(), &Request::default()).unwrap();
    let names: Vec<&str> = found.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "n"]);
    assert_eq!(found.skipped, [("sex".into(), "not numbers"), ("zip".into(), "codes: values begin with 0")]);
    let age = &found.columns[0];
    assert_eq!((age.missing, age.anything), (1, 1));
    assert_eq!(found.cells(age, None).unwrap().len(), 4);
}

#[test]
fn rows_that_were_left_out_have_the_domain() {
    let known = |name: &str| {
        let reader = Reader::new();
        Ok(if name == "age" { reader.with_domain(0.0, 100.0) } else { reader })
    };
    let request = Request { original: Some(7), ..of(&["age"]) };
    let found = read(&people(), &request, &known, &Watch::none()).unwrap();
    assert_eq!((found.rows, found.omitted), (5, 2));
    let cells = found.cells(&found.columns[0], None).unwrap();
    assert_eq!(cells.high(), [30.0, 40.0, 100.0, 45.0, 100.0, 100.0]);
    let mean = crate::mean(&cells);
    assert!((mean.low - 95.0 / 6.0).abs() < 1e-12 && (mean.high - 415.0 / 6.0).abs() < 1e-12);
}

#[test]
fn empty_cells_can_be_suppressed_ones() {
    let known = |_: &str| Ok(Reader::new().with_domain(0.0, 100.0));
    let request = Request { blanks: true, ..of(&["age"]) };
    let found = read(&people(), &request, &known, &Watch::none()).unwrap();
    assert_eq!((found.columns[0].missing, found.columns[0].anything), (0, 2));
    let cells = found.cells(&found.columns[0], None).unwrap();
    assert_eq!(cells.high(), [30.0, 40.0, 100.0, 100.0, 45.0]);
}

#[test]
fn groups_have_their_rows() {
    let request = Request { by: vec!["sex".into()], ..of(&["age"]) };
    let found = table(&people(), &request).unwrap();
    assert_eq!(found.groups, [["F"], ["M"]]);
    let rows = |group| found.cells(&found.columns[0], Some(group)).unwrap().low().to_vec();
    assert_eq!(rows(1), [30.0]);
    assert_eq!(rows(0)[0], 20.0);
    assert_eq!(rows(0).len(), 3);
    let report = report(&found, &request.by, &Options::default(), &Watch::none()).unwrap();
    assert!(report.columns[0].1.comparison.is_some());
    let shown = text(&report);
    assert!(shown.contains("sex = F: 3 cells") && shown.contains("superiority"), "{shown}");
}

#[test]
fn weights_count_rows() {
    let request = Request { weights: Some("n".into()), ..of(&["age"]) };
    let found = table(&people(), &request).unwrap();
    let cells = found.cells(&found.columns[0], None).unwrap();
    assert_eq!(cells.weights(), Some(&[1.0, 2.0, 1.0, 1.0][..]));
    let request = Request { omitted: 1, ..request };
    assert_eq!(code(&people(), &request), "statistics.weights-of-suppressed");
}

#[test]
fn bad_input_is_explained() {
    assert_eq!(code(&people(), &of(&["agee"])), "statistics.no-such-column");
    assert_eq!(code(&people(), &of(&["sex"])), "statistics.not-a-number");
    let one = |cells: &[&str]| {
        let rows: Vec<Vec<&str>> = cells.iter().map(|cell| vec![*cell]).collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        code(&memory(&["x"], &rows), &Request::default())
    };
    assert_eq!(one(&["[2, 1]", "3"]), "statistics.inverted-interval");
    assert_eq!(one(&["70", "80", "154 lb"]), "statistics.mixed-units");
    assert_eq!(one(&["70 kg", "154 lb"]), "statistics.mixed-units");
    assert_eq!(one(&["1", "2", "three"]), "statistics.not-a-number");
    assert_eq!(one(&["one", "two", "3"]), "statistics.no-column");
    assert_eq!(one(&["*", "*"]), "statistics.no-column");
    let stars = memory(&["x"], &[&["*"], &["*"]]);
    assert_eq!(code(&stars, &of(&["x"])), "statistics.suppressed-column");
    let weights = memory(&["x", "w"], &[&["1", "-2"]]);
    assert_eq!(code(&weights, &Request { weights: Some("w".into()), ..of(&["x"]) }), "statistics.bad-weight");
    let untrue = Request { untrue: [("age".to_owned(), "cells are means")].into(), ..of(&["age"]) };
    assert_eq!(code(&people(), &untrue), "statistics.not-true");
    let found = table(&people(), &Request { columns: Vec::new(), ..untrue }).unwrap();
    assert!(found.skipped.contains(&("age".into(), "cells are means")));
}

#[test]
fn a_report_is_column_then_statistic() {
    let rows = memory(
        &["age", "<b>bp</b>"],
        &[&["[20, 30]", "120"], &["[30, 40]", "[130, 140]"], &["40", "150"], &["[20, 50]", "[110, 120]"]],
    );
    let found = table(&rows, &Request::default()).unwrap();
    let options = Options {
        exceeds: vec![35.0],
        pairs: true,
        imputations: 5,
        regressions: vec![("<b>bp</b>".into(), vec!["age".into()], crate::Link::Linear)],
        ..Options::default()
    };
    let report = report(&found, &[], &options, &Watch::none()).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    for statistic in ["mean", "median", "variance", "stddev", "q25", "iqr", "skewness", "exceeds_35"] {
        let found = &json["age"][statistic];
        assert!(found["low"].as_f64().unwrap() <= found["high"].as_f64().unwrap(), "{statistic}");
        assert!(found["exact"].is_boolean() && found["method"].is_string());
    }
    assert_eq!((&json["age"]["mean"]["low"], &json["age"]["mean"]["high"]), (&27.5.into(), &40.0.into()));
    assert!(json["age"]["pairs"]["<b>bp</b>"]["correlation"]["low"].as_f64().unwrap() >= -1.0);
    assert_eq!(json["age"]["pbox"]["shares"].as_array().unwrap().len(), 101);
    assert_eq!(json["<b>bp</b>"]["regression"][0]["kind"], "linear");
    assert!(json["age"]["estimates"]["imputed_mean"]["standard_error"].as_f64().unwrap() > 0.0);
    let page = page(&report, "release & more.csv");
    assert!(page.contains("release &amp; more.csv") && page.contains("<polyline") && !page.contains("<b>bp"));
    let shown = text(&report);
    assert!(shown.contains("exceeds_35") && shown.contains("linear regression") && shown.contains("sharp"));
    let absent =
        Options { regressions: vec![("age".into(), vec!["zip".into()], crate::Link::Linear)], ..options };
    let error = crate::report::report(&found, &[], &absent, &Watch::none()).unwrap_err();
    assert!(error.has_code("statistics.not-in-regression"));
}

#[test]
fn cross_tables_cover_sets_and_stars() {
    let rows = memory(
        &["sex", "ill"],
        &[&["F", "yes"], &["M", "no"], &["*", "no"], &["F", "{no, yes}"], &["M", ""], &["some", "no"]],
    );
    let covered = |_: &str, label: &str| (label == "some").then(|| vec!["F".to_owned(), "M".to_owned()]);
    let found = cross(&rows, ["sex", "ill"], &covered, &Watch::none()).unwrap();
    assert_eq!((found.rows, found.columns), (vec!["F".into(), "M".into()], vec!["no".into(), "yes".into()]));
    assert_eq!(found.certain, [[0, 1], [1, 0]]);
    assert_eq!(found.possible, [[3, 2], [3, 0]]);
    assert!(found.chi_squared.exact);
    assert!(cross(&rows, ["sex", "sick"], &covered, &Watch::none()).is_err());
}

proptest! {
    /// The whole way from text: originals in released cells lie within the bounds.
    #[test]
    fn originals_lie_within(rows in prop::collection::vec((0i32..100, 0u8..5, 0i32..20, 0i32..20), 1..40), omitted in 0usize..5) {
        let released: Vec<Vec<String>> = rows.iter().map(|&(x, form, below, above)| {
            let (low, high) = ((x - below).max(0), x + above + 1);
            vec![match form {
                0 => x.to_string(),
                1 => format!("[{low}, {high})"),
                2 => "*".into(),
                3 if low < x => format!("{{{low}, {x}, {high}}}"),
                _ if x >= 10 => format!("{}*", x / 10),
                _ => x.to_string(),
            }]
        }).collect();
        let refs: Vec<Vec<&str>> = released.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let refs: Vec<&[&str]> = refs.iter().map(Vec::as_slice).collect();
        let known = |_: &str| Ok(Reader::new().with_domain(0.0, 120.0));
        let request = Request { omitted: omitted as u64, ..of(&["x"]) };
        let found = read(&memory(&["x"], &refs), &request, &known, &Watch::none()).unwrap();
        let cells = found.cells(&found.columns[0], None).unwrap();
        // Rows that were left out had some value of the domain.
        let original: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).chain((0..omitted).map(|at| at as f64 * 20.0)).collect();
        let n = original.len() as f64;
        let mean = original.iter().sum::<f64>() / n;
        let bounds = crate::mean(&cells);
        prop_assert!(bounds.low <= mean + 1e-9 && mean - 1e-9 <= bounds.high);
        let variance = original.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let bounds = crate::variance(&cells, crate::Divisor::Population);
        prop_assert!(bounds.low <= variance + 1e-9 && variance - 1e-9 <= bounds.high, "{bounds:?} {variance}");
        let mut sorted = original;
        sorted.sort_by(f64::total_cmp);
        let median = f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        prop_assert!(crate::median(&cells).has(median));
    }
}

/// The list that the readers for Python and R are tested with, too.
#[test]
fn statistics_are_those_of_the_readers() {
    let lines = include_str!("../../../readers/statistics.csv").lines().skip(1);
    let mut seen = 0;
    for line in lines {
        let fields: Vec<&str> = line.split(';').collect();
        let mut reader = Reader::new().with_domain(-10.0, 20.0);
        let mut data = Intervals::default();
        fields[0].split('|').for_each(|cell| data.push(reader.read(cell).unwrap()).unwrap());
        let found = [
            crate::mean(&data),
            crate::median(&data),
            crate::quantile(&data, 0.25),
            crate::variance(&data, crate::Divisor::Sample),
        ];
        let ends = found.iter().flat_map(|bounds| [bounds.low, bounds.high]);
        for (end, wanted) in ends.zip(&fields[1..9]) {
            let wanted: f64 = wanted.parse().unwrap();
            assert!((end - wanted).abs() <= 1e-9 * wanted.abs().max(1.0), "{line}: {end}");
        }
        assert_eq!(found[3].exact.to_string(), fields[9], "{line}");
        seen += 1;
    }
    assert!(seen > 7, "{seen} cases");
}
