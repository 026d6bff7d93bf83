//! The errors of a policy's model: in the certificate, against predictions that are made here from
//! the released table.

use throng::measure::{Correspondence, Inputs, measure};
use throng::memory::{Released, Table, release};
use throng::release::ModelFacts;
use throng::watch::Watch;

/// 60 people: the cost is ten times the age, `high` is whether it is above 500, and sex tells
/// nothing.
fn people() -> Table {
    let row = |at: u32| {
        let age = 20 + at * 17 % 61;
        let cells = [age.to_string(), ["f", "m"][at as usize % 2].into(), (10 * age).to_string()];
        cells.into_iter().chain([u8::from(age > 50).to_string()]).map(Some).collect()
    };
    Table::new(["age", "sex", "cost", "high"].map(String::from).to_vec(), (0..60).map(row).collect()).unwrap()
}

fn policy(search: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"x.csv\"\n[output]\nkeep_order = true\n[columns]\n\
         age = {{ role = \"quasi\", hierarchy = {{ intervals = {{ widths = [5, 20], low = 20, high = 90 }} }} }}\n\
         sex.role = \"quasi\"\ncost.role = \"target\"\nhigh.role = \"target\"\n[privacy]\nk = 3\nsuppression = 0.3\n[search]\n{search}\n"
    )
}

fn released(search: &str) -> throng::error::Result<Released> {
    release(&policy(search), &people(), &|_| unreachable!(), &Watch::none())
}

fn facts(released: &Released) -> &ModelFacts {
    released.certificate.release.model.as_ref().expect("a model that the policy names")
}

/// What ten times the middle of a cell is.
fn ten_times(cell: &str, mean: f64) -> f64 {
    let number = |text: &str| text.trim().parse::<f64>().unwrap();
    match cell.trim_matches(['[', ')', ']', '(']).split_once([',', '-']) {
        _ if cell == "*" => 10.0 * mean,
        Some((low, high)) => 5.0 * (number(low) + number(high)),
        None => 10.0 * number(cell),
    }
}

/// The total error and the released rows, from the released table alone; and what suppressed rows
/// add to the loss.
fn by_hand(released: &Released) -> (f64, u64, f64) {
    let ages: Vec<f64> =
        people().rows().iter().map(|row| row[0].as_ref().unwrap().parse().unwrap()).collect();
    let mean = ages.iter().sum::<f64>() / 60.0;
    let (mut total, mut costs) = (0.0, Vec::new());
    for row in released.table.rows() {
        let cost: f64 = row[2].as_ref().unwrap().parse().unwrap();
        total += (ten_times(row[0].as_ref().unwrap(), mean) - cost).abs();
        costs.push(cost);
    }
    let all: f64 = ages.iter().map(|age| 10.0 * (age - mean).abs()).sum();
    let kept: f64 = costs.iter().map(|cost| (cost - 10.0 * mean).abs()).sum();
    (total, costs.len() as u64, all - kept)
}

#[test]
fn errors_are_those_of_predictions_from_the_released_table() {
    let linear = "builtin = \"linear\", target = \"cost\", features = [\"age\"]";
    for search in [
        format!("algorithm = \"greedy\"\nmodel = {{ {linear} }}"),
        format!("algorithm = \"ola\"\nloss = \"prec\"\nmodel = {{ {linear}, guides = false }}"),
        format!("algorithm = \"ola\"\nloss = \"prec\"\nlocal = true\nmodel = {{ {linear}, guides = false }}"),
        format!("algorithm = \"mondrian\"\nmodel = {{ {linear}, guides = false }}"),
    ] {
        let released = released(&search).unwrap();
        let facts = facts(&released);
        let (total, rows, suppressed) = by_hand(&released);
        assert_eq!((facts.name.as_str(), facts.target.as_str(), facts.rows), ("linear", "cost", rows));
        assert_eq!(facts.guides, search.starts_with("algorithm = \"greedy\""));
        // The ridge of the model is small, and so is the difference.
        let near = |a: f64, b: f64| (a - b).abs() < 0.01 * b.max(10.0);
        assert!(near(facts.released.total, total), "{search}: {facts:?} {total}");
        assert!(facts.original.mean < 0.5 && total > 10.0, "{search}: {facts:?}");
        assert!(near(facts.moved.total, total));
        let loss = released.certificate.release.loss["model"];
        assert!(near(60.0 * loss, total + suppressed), "{search}: {loss} {total} {suppressed}");
        let unchecked: Vec<&str> = released.verdict.unchecked().collect();
        assert_eq!(unchecked, ["loss: model", "model"]);
    }
    let plain = released("algorithm = \"greedy\"").unwrap().certificate.release;
    assert!(plain.model.is_none() && !plain.loss.contains_key("model"));
}

/// A release that another tool made is priced as our own.
#[test]
fn a_foreign_release_has_the_loss_of_a_model() {
    let search = "algorithm = \"greedy\"\nmodel = { builtin = \"linear\", target = \"cost\" }";
    let released = released(search).unwrap();
    assert_eq!(released.table.rows().len(), 60);
    let measured = |search: &str, rows| {
        measure(&Inputs {
            policy: &throng::policy::Policy::parse(&policy(search)).unwrap(),
            original: &people(),
            release: &released.table,
            rows,
            starred: false,
            load: &|_| unreachable!(),
            watch: &Watch::none(),
        })
        .unwrap()
    };
    let loss = measured(search, Correspondence::Order).loss["model"];
    let certified = released.certificate.release.loss["model"];
    assert!((loss - certified).abs() < 1e-9 * certified && certified > 0.0, "{loss} {certified}");
    let blind = measured(search, Correspondence::None);
    assert!(!blind.loss.contains_key("model") && blind.unavailable["model"].contains("row correspondence"));
    let command = search.replace("builtin = \"linear\"", "command = [\"x\"]");
    assert!(measured(&command, Correspondence::Order).unavailable["model"].contains("command"));
    let plain = measured("algorithm = \"greedy\"", Correspondence::Order);
    assert!(!plain.loss.contains_key("model") && !plain.unavailable.contains_key("model"));
}

#[test]
fn numbers_are_classes_if_the_policy_says_so() {
    for model in ["logistic", "naive-bayes", "tree"] {
        let class = format!("model = {{ builtin = \"{model}\", target = \"high\", predicts = \"class\" }}");
        let released = released(&format!("algorithm = \"greedy\"\n{class}")).unwrap();
        let facts = facts(&released);
        assert_eq!(facts.predicts, throng::policy::Predicts::Class);
        // A model that says nothing is off by a half.
        assert!(facts.original.mean < 0.25 && facts.released.mean < 0.5, "{model}: {facts:?}");
    }
    let refused =
        |model: &str| released(&format!("algorithm = \"greedy\"\nmodel = {{ {model} }}")).unwrap_err();
    let error = refused("builtin = \"logistic\", target = \"high\"");
    assert!(error.to_string().contains("does not predict numbers"), "{error}");
    let error = refused("builtin = \"linear\", target = \"high\", predicts = \"class\"");
    assert!(error.to_string().contains("does not predict classes"), "{error}");
    let error = refused("builtin = \"tree\", target = \"cost\", predicts = \"class\"");
    assert!(error.has_code("predict.too-many-classes"), "{error}");
}

#[test]
fn no_search_minimizes_the_loss_of_a_model() {
    let error = released("algorithm = \"ola\"\nloss = \"model\"").unwrap_err();
    assert!(error.has_code("loss.only-measured"), "{error}");
    assert!(error.to_string().contains("search.model") && error.to_string().contains("column-mi"), "{error}");
}
