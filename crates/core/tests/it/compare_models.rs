//! Models in comparisons: those that guide, those that judge, commands and classes.

use std::cell::RefCell;

use throng::compare::{Clock, Comparison, Experiment, Run, Status, Table, compare, compare_with, markdown};
use throng::error::{Error, Result};
use throng::policy::Policy;
use throng::predict::{Commands, Guide, Place, Reader, Row, Started, averaged};
use throng::search::Grouped;
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::Watch;

use crate::compare::{PREDICTION, costs, run};

/// Sixty people, and their bills of 100 · (45 − age): sorted as texts, they are in another order
/// than the ages. The sex of the youngest is rare. The policy has these lines.
fn bills(lines: &str) -> Table {
    let policy = Policy::parse(&format!(
        "version = 1\ninput.path = \"x.csv\"\ncolumns.age.role = \"quasi\"\ncolumns.sex.role = \"quasi\"\n\
         columns.bill.role = \"target\"\nprivacy.k = 2\nsearch.algorithm = \"greedy\"\nsearch.loss = \"lm\"\n{lines}"
    ))
    .unwrap();
    let mut dictionaries = vec![Dictionary::new(); 3];
    let mut tuples = Tuples::new(3);
    for at in 0..60u32 {
        let age = at * 7 % 40;
        let sex = if age < 12 { format!("x{age}") } else { ["f", "m"][at as usize / 3 % 2].to_owned() };
        let row = [age.to_string(), sex, (100 * (45 - age)).to_string()];
        let codes: Vec<u32> =
            row.iter().zip(&mut dictionaries).map(|(cell, d)| d.add(Some(cell), 1)).collect();
        tuples.insert(&codes, 1);
    }
    let names = vec!["age".into(), "sex".into()];
    let grouped = Grouped { names, measured: vec!["bill".into()], dictionaries, tuples, population: None };
    Table::new("bills".into(), policy, grouped, Box::new(|_| unreachable!()))
}

/// An experiment on these bills.
fn grid(algorithms: &str, k: u64, more: &str) -> String {
    format!(
        "version = 1\n[[tables]]\nname = \"bills\"\npolicy = \"p.toml\"\n[grid]\nalgorithms = [{algorithms}]\n\
         losses = [\"lm\"]\nk = [{k}]\nsuppression = [0.5]\nscore = false\n{more}"
    )
}

fn compared(text: &str, table: Table) -> Result<Comparison> {
    compare(&Experiment::parse(text)?, &[table], &|| 0.0, &Watch::none())
}

/// The model is exact, so that it is off by nothing where nothing is generalized: every prediction
/// is compared with the bill of its own row. Rows and cells that are deleted as rare change which
/// bills there are.
#[test]
fn predictions_are_compared_with_the_truth_of_their_own_rows() {
    let text = grid(
        "\"mingen\", \"greedy\"",
        1,
        "sizes = [30]\nrepeats = 3\n[prediction]\ntarget = \"bill\"\nfeatures = [\"age\"]\ntrain = 30\n",
    );
    let rare = |delete: &str| {
        format!(
            "privacy.models = [{{ rare_values = {{ k = 3, columns = [\"sex\"], delete = \"{delete}\" }} }}]"
        )
    };
    for lines in [String::new(), rare("cells"), rare("rows")] {
        let runs = compared(&text, bills(&lines)).unwrap().runs;
        assert_eq!(runs.len(), 6);
        for run in runs {
            assert_eq!(run.status, Status::Solved, "{run:?}");
            let found = run.predicted.unwrap();
            assert!(found.original.mean < 0.1 && found.released.mean < 0.1, "{lines}: {run:?}");
        }
    }
}

/// A deleted bill is unknown, and cannot be predicted.
#[test]
fn a_target_that_loses_cells_is_refused() {
    let text = grid(
        "\"mingen\"",
        1,
        "sizes = [30]\n[prediction]\ntarget = \"bill\"\nfeatures = [\"age\"]\ntrain = 30\n",
    );
    let rare = "privacy.models = [{ rare_values = { k = 2, columns = [\"bill\"] } }]";
    let error = compared(&text, bills(rare)).unwrap_err();
    assert!(error.has_code("experiment.target-missing"), "{error}");
    assert!(error.to_string().contains("do not delete its rare values"), "{error}");
}

/// Greedy by loss and Greedy by model stand side by side.
#[test]
fn greedy_takes_part_with_and_without_its_model() {
    let text = "version = 1\n[[tables]]\nname = \"costs\"\npolicy = \"p.toml\"\n[grid]\n\
                algorithms = [\"greedy\", \"greedy+model\", \"greedy-rows\"]\nlosses = [\"lm\"]\nk = [4]\nsuppression = [0.0]\nscore = false\n";
    let run = |text: &str, lines: &str| {
        let runs = compare(&Experiment::parse(text)?, &[costs(lines)], &|| 0.0, &Watch::none())?.runs;
        Ok::<Vec<Run>, Error>(runs)
    };
    let linear = "search.model = { builtin = \"linear\", target = \"cost\" }";
    let alone =
        |lines: &str| run(&text.replace(", \"greedy+model\", \"greedy-rows\"", ""), lines).unwrap().remove(0);
    for model in [linear, &linear.replace(" }", ", guides = false }")] {
        let both = run(text, model).unwrap();
        assert_eq!(both[0], alone(""), "by the loss alone");
        assert_eq!(both[1].value, alone(linear).value);
        assert_eq!((both[1].algorithm.as_str(), both[1].status), ("greedy+model", Status::Solved));
        assert_eq!(both[2].status, Status::Solved);
    }
    let error = run(text, "").unwrap_err();
    assert!(error.has_code("experiment.no-model") && error.to_string().contains("[prediction]"), "{error}");
}

/// Without a model in the policy, the model that judges guides, and the columns that it reads are
/// kept.
#[test]
fn the_model_that_judges_guides() {
    let text = PREDICTION
        .replace("\"ola\", \"datafly+local\", \"mondrian\", \"k-similar\"", "\"greedy\", \"greedy+model\"")
        .replace("\"vinterbo\", \"column-mi\", \"value-mi\"", "\"vinterbo\"")
        .replace("[0.2]", "[0.0]");
    let comparison = run(&text).unwrap();
    let total = |algorithm: &str| -> f64 {
        let runs = comparison.runs.iter().filter(|run| run.algorithm == algorithm);
        runs.map(|run| run.predicted.unwrap().released.total).sum()
    };
    let (plain, guided) = (total("greedy"), total("greedy+model"));
    assert!(guided < 0.95 * plain, "{guided} {plain}");
    for point in comparison.runs.chunks(2) {
        assert_eq!(point[0].predicted.unwrap().original, point[1].predicted.unwrap().original);
    }
    assert_eq!(comparison.methods[0].condorcet, ["greedy+model, vinterbo"]);
}

/// 100 · (45 − age), which the bill is exactly.
struct Hundred(Vec<String>, Reader);

impl Guide for Hundred {
    fn features(&self) -> &[String] {
        &self.0
    }

    fn predict(&self, rows: &[Row]) -> Result<Vec<f64>> {
        averaged(&self.1, rows, |plain| Ok(plain.iter().map(|row| 100.0 * (45.0 - row[0])).collect()))
    }
}

/// Remembers which commands were started, and where.
#[derive(Default)]
struct Recorded(RefCell<Vec<(String, Place, u64)>>);

impl Commands for Recorded {
    fn start(&self, started: Started<'_>) -> Result<Box<dyn Guide>> {
        let Started { command, place, seconds, features: (names, reader), .. } = started;
        self.0.borrow_mut().push((command.join(" "), place, seconds));
        Ok(Box::new(Hundred(names, reader)))
    }
}

/// The runs of an experiment on the bills, with the commands that were started.
fn commanded(text: &str, lines: &str) -> (Vec<Run>, Vec<(String, Place, u64)>) {
    let (commands, clock) = (Recorded::default(), || 0.0);
    let with = (&clock as Clock<'_>, Some(&commands as &dyn Commands));
    let experiment = Experiment::parse(text).unwrap();
    let runs = compare_with(&experiment, &[bills(lines)], with, &Watch::none()).unwrap().runs;
    (runs, commands.0.into_inner())
}

/// The table is compared whole: a command is not fitted, and needs no other rows.
const JUDGED: &str =
    "[prediction]\ntarget = \"bill\"\ncommand = [\"judge\", \"it\"]\nfeatures = [\"age\"]\nseconds = 7\n";

#[test]
fn commands_guide_and_judge() {
    let text = grid("\"greedy\", \"greedy+model\", \"mingen\"", 4, JUDGED);
    let judge = ("judge it".to_owned(), Place::Experiment, 7);
    let (judged, started) = commanded(&text, "");
    assert_eq!(started, std::slice::from_ref(&judge), "one model judges and guides the whole table");
    let guide = "search.model = { command = [\"guide\"], target = \"bill\", features = [\"age\"] }";
    let (guided, started) = commanded(&text, guide);
    assert_eq!(started, [judge, ("guide".to_owned(), Place::Policy(0), 60)]);
    assert_eq!(judged[1].value, guided[1].value, "the same numbers guide to the same regions");
    for run in judged.iter().chain(&guided) {
        let found = run.predicted.unwrap();
        assert_eq!(found.original.total, 0.0, "the bill is what the command says of untouched rows");
        assert_eq!(found.released, found.moved);
        assert!(found.released.total > 0.0);
    }
    assert!(judged[1].predicted.unwrap().released.total < judged[0].predicted.unwrap().released.total);
    let alone = compared(&text, bills("")).unwrap_err();
    assert!(alone.has_code("experiment.model-command"), "{alone}");
}

#[test]
fn keys_of_commands_and_of_fitted_models_do_not_mix() {
    let text = grid("\"greedy\"", 4, JUDGED);
    let wrong = |from: &str, to: &str, parts: &[&str]| {
        assert!(text.contains(from));
        let error = Experiment::parse(&text.replace(from, to)).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    wrong("seconds = 7", "train = 7", &["prediction.train", "remove it"]);
    wrong("seconds = 7", "model = \"tree\"", &["prediction.model", "a command predicts"]);
    wrong("seconds = 7", "seconds = 0", &["prediction.seconds", "1 or more"]);
    wrong("\"judge\", \"it\"", "\"\"", &["prediction.command", "no name"]);
    wrong("command = [\"judge\", \"it\"]", "", &["prediction.seconds", "train = 2000"]);
}

/// `greedy+NAME` is `greedy` under a policy with that model, and takes part beside the judge.
#[test]
fn built_in_models_guide_beside_the_judge() {
    let text = grid("\"greedy\", \"greedy+linear\", \"greedy+network\", \"greedy+model\"", 4, JUDGED);
    let (runs, started) = commanded(&text, "");
    assert_eq!(started.len(), 1);
    let names: Vec<&str> = runs.iter().map(|run| run.algorithm.as_str()).collect();
    assert_eq!(names, ["greedy", "greedy+linear", "greedy+network", "greedy+model"]);
    for (run, model) in [(&runs[1], "linear"), (&runs[2], "network")] {
        let lines =
            format!("search.model = {{ builtin = \"{model}\", target = \"bill\", features = [\"age\"] }}");
        let alone = commanded(&grid("\"greedy\"", 4, JUDGED), &lines).0.remove(0);
        assert_eq!((run.status, run.value), (Status::Solved, alone.value));
        assert_eq!(run.predicted, alone.predicted);
    }
    // The line that the bills are on is found, and a network has bins.
    let total = |run: &Run| run.predicted.unwrap().released.total;
    assert!(total(&runs[1]) < total(&runs[0]), "{runs:?}");
    assert_ne!(runs[2].value, runs[0].value);
    let error = compared(&grid("\"greedy+network\"", 4, ""), bills("")).unwrap_err();
    assert!(error.has_code("experiment.no-model") && error.to_string().contains("[prediction]"), "{error}");
    let error = Experiment::parse(&grid("\"greedy+netwrok\"", 4, JUDGED)).unwrap_err().to_string();
    assert!(
        error.contains("grid.algorithms") && error.contains("greedy+ before a built-in model"),
        "{error}"
    );
    let class = JUDGED.replace("seconds = 7", "predicts = \"number\"");
    let error = compare_logistic(&grid("\"greedy+logistic\"", 4, &class));
    assert!(error.contains("grid.algorithms") && error.contains("does not predict numbers"), "{error}");
}

fn compare_logistic(text: &str) -> String {
    let (commands, clock) = (Recorded::default(), || 0.0);
    let with = (&clock as Clock<'_>, Some(&commands as &dyn Commands));
    let compared = compare_with(&Experiment::parse(text).unwrap(), &[bills("")], with, &Watch::none());
    compared.unwrap_err().to_string()
}

#[test]
fn votes_on_methods_rank_pairs_of_algorithm_and_loss() {
    let comparison = run(PREDICTION).unwrap();
    // One table, with and without the smaller samples.
    assert_eq!(comparison.methods.len(), 2);
    let all = &comparison.methods[0];
    assert_eq!(all.standings.len(), 12);
    for standing in &all.standings {
        let (algorithm, loss) = standing.algorithm.split_once(", ").unwrap();
        let runs = comparison.runs.iter().filter(|r| r.algorithm == algorithm && r.loss == loss);
        let totals: Vec<f64> = runs.filter_map(|run| Some(run.predicted?.released.total)).collect();
        if all.common == 4 {
            assert!((standing.error - totals.iter().sum::<f64>()).abs() < 1e-6);
        }
    }
    assert!(all.ballots == 4 && !all.condorcet.is_empty() && !all.majority.is_empty());
    assert!(markdown(&comparison).contains("### Which method serves the model best: hospital"));
    assert!(!markdown(&comparison).contains("by k"), "there is one k");
    let several = markdown(&run(&PREDICTION.replace("k = [3]", "k = [2, 3]")).unwrap());
    assert!(several.contains("### Mean absolute error of predictions: hospital, by k"));
    assert!(
        several.lines().any(|line| line.contains("| predicted from") && line.contains("k = 2 |")),
        "{several}"
    );
}

/// 0 and 1 are numbers unless the experiment says otherwise.
#[test]
fn classes_are_predicted() {
    let text = PREDICTION.replace("\"next_cost\"", "\"high_expense\"").replace(", \"datafly+local\"", "");
    for model in ["logistic", "naive-bayes", "tree"] {
        let model = format!("train = 300\nmodel = \"{model}\"\npredicts = \"class\"");
        let comparison = run(&text.replace("train = 300", &model)).unwrap();
        let solved: Vec<_> = comparison.runs.iter().filter_map(|run| run.predicted).collect();
        assert!(solved.len() > 20);
        for found in solved {
            assert!(found.released.mean <= 1.0 && found.original.mean < 0.5, "{found:?}");
        }
    }
    let error = run(&text.replace("train = 300", "train = 300\nmodel = \"logistic\"")).unwrap_err();
    assert!(error.to_string().contains("does not predict numbers"), "{error}");
    let costs = PREDICTION.replace("train = 300", "train = 300\nmodel = \"tree\"\npredicts = \"class\"");
    let error = run(&costs).unwrap_err();
    assert!(
        error.has_code("predict.too-many-classes") && error.to_string().contains("prediction.target"),
        "{error}"
    );
}

/// A model of classes guides as one of numbers does: that of the experiment, one that is fitted to
/// the sample, and one of a policy.
#[test]
fn models_of_classes_guide() {
    let text = PREDICTION
        .replace(
            "\"ola\", \"datafly+local\", \"mondrian\", \"k-similar\"",
            "\"greedy\", \"greedy+naive-bayes\", \"greedy+model\"",
        )
        .replace("\"vinterbo\", \"column-mi\", \"value-mi\"", "\"vinterbo\"")
        .replace("[0.2]", "[0.0]")
        .replace("[40, 80]", "[80]")
        .replace("\"next_cost\"", "\"high_expense\"")
        .replace("train = 300", "train = 300\nmodel = \"logistic\"\npredicts = \"class\"");
    let comparison = run(&text).unwrap();
    let total = |algorithm: &str| -> f64 {
        let runs = comparison.runs.iter().filter(|run| run.algorithm == algorithm);
        runs.map(|run| run.predicted.unwrap().released.total).sum()
    };
    let (plain, bayes, guided) = (total("greedy"), total("greedy+naive-bayes"), total("greedy+model"));
    assert!(guided < plain && guided < bayes, "{guided} {bayes} {plain}");
}
