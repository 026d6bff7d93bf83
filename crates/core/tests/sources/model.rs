//! Errors of a predictive model [Katirai 2006, "Proposed Measure 2" and "Method 4"] against
//! `model.py`.

use serde::Deserialize;
use throng::release::ErrorFacts;

use super::{Row, cases, recorded, release};

const FOUND: &str = include_str!("model.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    rows: Vec<Vec<String>>,
    #[serde(rename = "rows_released")]
    kept: u64,
    released: ErrorFacts,
    original: ErrorFacts,
    moved: ErrorFacts,
    loss: f64,
}

#[test]
fn errors_are_those_of_the_script() {
    let (mut withheld, mut coarse) = (0, 0);
    for (line, case) in cases::<Case>(FOUND) {
        let rows: Vec<Row> = case.rows.iter().map(|row| row.iter().cloned().map(Some).collect()).collect();
        let found = release(&case.policy, &["age", "sex", "cost"], &rows).unwrap();
        let facts = found.certificate.release;
        let model = facts.model.unwrap();
        assert_eq!((model.rows, model.guides), (case.kept, false));
        // Costs are in the thousands, and the ridge of the model is a millionth.
        let near = |a: f64, b: f64| (a - b).abs() < 0.05 + 1e-5 * b;
        for (found, is) in
            [(model.released, case.released), (model.original, case.original), (model.moved, case.moved)]
        {
            assert!(
                near(found.mean, is.mean) && near(found.deviation, is.deviation),
                "{found:?} {is:?} {line}"
            );
            assert!(near(found.total / 40.0, is.total / 40.0), "{found:?} {is:?} {line}");
        }
        assert!(near(facts.loss["model"], case.loss), "{} {line}", facts.loss["model"]);
        withheld += u64::from(case.kept < rows.len() as u64);
        coarse += u64::from(case.loss > 100.0);
    }
    assert!(withheld > 10 && coarse > 10, "{withheld} cases with withheld rows, {coarse} with a large loss");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("model.py", FOUND);
}
