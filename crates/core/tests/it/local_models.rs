//! `search.local` and `output.suppressed = "cells"` with every model of the registry that they are
//! defined for, monotone or not: what is released is safe by the definitions, class by class, and
//! the verifier agrees.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::error::Kind;
use throng::memory::{Released, Table, release};
use throng::policy::{ModelKind, ModelSpec, Policy};
use throng::rows::Rows;
use throng::watch::Watch;

use crate::definitions::{self, Whole};

/// Two quasi-identifiers, a sensitive value, and what its person fears.
type Row = (u8, u8, u8, Option<u8>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    // Values that hang on a quasi-identifier make classes unsafe.
    let row = (0..8u8, 0..4u8, 0..5u8, any::<bool>(), prop::option::weighted(0.4, 0..5u8));
    let row = row.prop_map(|(a, b, value, own, fear)| (a, b, if own { value } else { a / 2 }, fear));
    prop::collection::vec(row, 4..50)
}

/// How rows that the chosen levels leave unsafe are released.
const WAYS: [&str; 2] = ["search.local = true", "output.suppressed = \"cells\""];

fn policy(model: &str, way: &str, k: u64, suppression: f64) -> String {
    let hierarchy = |values: u8, fanout: &str| {
        let values: Vec<String> = (0..values).map(|value| format!("\"{value}\"")).collect();
        format!("hierarchy = {{ order = {{ values = [{}], fanout = {fanout} }} }}", values.join(", "))
    };
    let tree = model.contains("hierarchical") || model.contains("personalized");
    let tree = if tree { hierarchy(5, "[2]") } else { String::new() };
    format!(
        "version = 1\ninput.path = \"t.csv\"\nprivacy.k = {k}\nprivacy.suppression = {suppression}\n\
         privacy.models = [{model}]\nsearch.loss = \"lm\"\n{way}\n[columns.a]\nrole = \"quasi\"\n{}\n\
         [columns.b]\nrole = \"quasi\"\n{}\n[columns.s]\nrole = \"sensitive\"\n{tree}\n[columns.fear]\nrole = \"drop\"\n",
        hierarchy(8, "[2, 2]"),
        hierarchy(4, "[2]"),
    )
}

fn table(rows: &[Row]) -> Table {
    let columns = ["a", "b", "s", "fear"].map(String::from).to_vec();
    let cell = |value: u8| Some(value.to_string());
    let row = |row: &Row| vec![cell(row.0), cell(row.1), cell(row.2), row.3.map(|fear| fear.to_string())];
    Table::new(columns, rows.iter().map(row).collect()).unwrap()
}

/// The release; none where nothing safe is within the limits, or the table cannot reach the model.
fn released(policy: &str, rows: &[Row]) -> Option<Released> {
    match release(policy, &table(rows), &|_| unreachable!(), &Watch::none()) {
        Ok(released) => Some(released),
        Err(error) => {
            let expected = |kind: Kind| matches!(kind, Kind::Unsolvable | Kind::Data);
            assert!(error.faults().iter().all(|fault| expected(fault.kind)), "{error}\n{policy}");
            None
        }
    }
}

/// The sensitive values of every class of a release.
fn classes(released: &Released) -> Vec<Vec<Option<String>>> {
    let mut classes: BTreeMap<_, Vec<Option<String>>> = BTreeMap::new();
    let places: Vec<usize> = ["a", "b", "s"]
        .map(|name| released.table.columns().iter().position(|column| column == name).unwrap())
        .to_vec();
    for row in released.table.rows() {
        let quasi = (row[places[0]].clone(), row[places[1]].clone());
        classes.entry(quasi).or_default().push(row[places[2]].clone());
    }
    classes.into_values().collect()
}

fn asked(policy: &str) -> ModelSpec {
    Policy::parse(policy).unwrap().privacy.models.remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn class_wise_models_hold_in_every_class(
        rows in rows(),
        model in prop::sample::select(definitions::models("s", "s")),
        way in prop::sample::select(WAYS.to_vec()),
        k in 1u64..4,
        suppression in prop::sample::select(vec![0.0, 0.1, 0.3, 0.6]),
    ) {
        let policy = policy(&model, way, k, suppression);
        let Some(released) = released(&policy, &rows) else { return Ok(()) };
        prop_assert!(released.verdict.holds());
        let cells: Vec<Option<String>> = rows.iter().map(|row| Some(row.2.to_string())).collect();
        let labels = |text: &str| vec![(text.parse::<u8>().unwrap() / 2).to_string()];
        let whole = Whole { cells: &cells, labels: &labels, k: Some(k) };
        let asked = asked(&policy);
        for class in classes(&released) {
            let (figure, need) = definitions::reached(&asked, &class, &whole).unwrap();
            prop_assert!(class.len() as u64 >= k && need.met(figure), "{model}: {figure} of {class:?}");
        }
        let withheld = released.certificate.release.withheld;
        prop_assert!(withheld as f64 <= suppression * rows.len() as f64 + 1e-9, "{withheld} withheld");
    }

    /// Personalized privacy is lost where safe classes are joined; the others judge the whole
    /// table.
    #[test]
    fn other_models_hold_in_the_whole(
        rows in rows(),
        model in prop::sample::select(OTHERS.to_vec()),
        way in prop::sample::select(WAYS.to_vec()),
        k in 1u64..4,
        suppression in prop::sample::select(vec![0.1, 0.3, 0.6]),
    ) {
        let policy = policy(model, way, k, suppression);
        let Some(released) = released(&policy, &rows) else { return Ok(()) };
        prop_assert!(released.verdict.holds());
        let classes = classes(&released);
        let rows: usize = classes.iter().map(Vec::len).sum();
        prop_assert!(classes.iter().all(|class| class.len() as u64 >= k));
        match asked(&policy) {
            ModelSpec::SampleUniqueness(asked) => {
                let alone = classes.iter().filter(|class| class.len() == 1).count();
                prop_assert!(alone as f64 <= asked.max * rows as f64 + 1e-9);
            }
            ModelSpec::AverageRisk(asked) => {
                prop_assert!(classes.len() as f64 <= asked.max * rows as f64 + 1e-9);
            }
            ModelSpec::RareValues(asked) => {
                for value in classes.iter().flatten() {
                    let n = classes.iter().flatten().filter(|other| *other == value).count();
                    prop_assert!(n as u64 >= asked.k, "{value:?} has {n} rows");
                }
            }
            _ => {}
        }
    }
}

/// Models that are not class-wise and that steps are defined for.
const OTHERS: [&str; 8] = [
    "{ personalized = { column = \"s\", guard = \"fear\", breach = 0.5 } }",
    "{ personalized = { column = \"s\", guard = \"fear\", breach = 0.2 } }",
    "{ ck_safety = { column = \"s\", c = 0.9, knowledge = 1 } }",
    "{ sample_uniqueness = { max = 0.1 } }",
    "{ average_risk = { max = 0.3 } }",
    "{ strict_average_risk = { max = 0.3, k = 2 } }",
    "{ population_uniqueness = { population = 100, max = 0.1 } }",
    "{ rare_values = { k = 3, columns = [\"s\"], judge = \"release\" } }",
];

/// A model that is not tried above is refused by the policy, or flags nothing.
#[test]
fn every_model_is_tried_or_refused_by_name() {
    let tried = definitions::models("s", "s");
    for kind in ModelKind::ALL {
        let written = format!("{{ {kind} = ");
        if tried.iter().map(String::as_str).chain(OTHERS).any(|model| model.starts_with(&written)) {
            continue;
        }
        let entry = kind.entry();
        if *kind == ModelKind::MConfidentiality {
            continue;
        }
        // A number of people is a number of rows, which steps keep; a table of them is not.
        let example =
            entry.example.replace("diagnosis", "s").replace("population = 100000", "population = \"p.csv\"");
        let model = format!("{{ {kind} = {example} }}");
        for way in WAYS {
            let error = Policy::parse(&policy(&model, way, 2, 0.1)).expect_err(&model);
            let said = ["people", "levels", "starred", "several", "profitability", "(k,1)", "would depend"];
            assert!(said.iter().any(|word| error.to_string().contains(word)), "{kind}: {error}");
        }
    }
}

/// Models that are not monotone are reached in several steps, and by starred cells.
#[test]
fn steps_and_starred_cells_come_of_models_that_are_not_monotone() {
    // Skewed, so that some cities are rare; of several such tables one takes several steps.
    let rows = |table: u32| -> Vec<Row> {
        let mut state = table;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % below) as u8
        };
        (0..60).map(|_| (draw(8).min(draw(8)), draw(4), draw(5).min(draw(5)), None)).collect()
    };
    for model in [
        "{ l_diversity = { column = \"s\", kind = \"entropy\", l = 1.8 } }",
        "{ l_diversity = { column = \"s\", kind = \"recursive\", l = 2, c = 3 } }",
        "{ t_closeness = { column = \"s\", distance = \"equal\", t = 0.5 } }",
        "{ alpha_k = { column = \"s\", alpha = 0.7 } }",
        "{ beta_likeness = { column = \"s\", beta = 1.5 } }",
        "{ personalized = { column = \"s\", guard = \"fear\", breach = 0.5 } }",
        "{ average_risk = { max = 0.4 } }",
    ] {
        for (way, suppression) in [(WAYS[0], 0.1), (WAYS[1], 0.5)] {
            let mut steps = (1..60).filter_map(|table| {
                let released = released(&policy(model, way, 2, suppression), &rows(table))?;
                assert!(released.verdict.holds());
                Some(released.certificate.release.steps.len())
            });
            assert!(steps.any(|steps| steps > 1), "{model} {way}");
        }
    }
}
