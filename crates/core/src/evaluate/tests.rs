//! Properties of an evaluation as a whole.

use super::*;
use crate::error::Result;
use crate::policy::Policy;
use crate::predict::spread::Family;
use crate::rows::{Rows, Table};
use crate::search::Grouped;
use crate::watch::Watch;

const POLICY: &str = "version = 1\ninput.path = \"t\"\ncolumns.age = { role = \"quasi\", hierarchy = { intervals = { widths = [10, 20] } } }\n\
    columns.sex.role = \"quasi\"\ncolumns.town = { role = \"quasi\", hierarchy = { order = { values = [\"A\", \"B\", \"C\", \"D\"], fanout = [2] } } }\n\
    columns.ill.role = \"target\"\ncolumns.cost.role = \"keep\"\nprivacy = { k = 3, suppression = 0.1 }\n";

/// Made-up rows whose illness follows from age and town, `copies` of each.
fn table(rows: usize, copies: usize) -> Table {
    let columns = ["person", "age", "sex", "town", "ill", "cost"].map(String::from).to_vec();
    let mut state = 7u64;
    let mut draw = |of: u64| {
        state = split::mixed(state);
        state % of
    };
    let mut all = Vec::new();
    for person in 0..rows {
        let (age, sex, town) = (20 + draw(60), draw(2), draw(4));
        let ill = (age > 50 && town < 2) != (draw(10) == 0);
        let cost = 10 * age + 100 * town + draw(50);
        let cells = [
            format!("p{}", person / 2),
            age.to_string(),
            ["f", "m"][sex as usize].into(),
            ["A", "B", "C", "D"][town as usize].into(),
            ["no", "yes"][usize::from(ill)].into(),
            cost.to_string(),
        ];
        all.extend(std::iter::repeat_n(cells.map(Some).to_vec(), copies));
    }
    Table::new(columns, all).unwrap()
}

fn grouped(table: &Table, names: &[String], measured: &[String]) -> Grouped {
    let places: Vec<usize> = names.iter().chain(measured).map(|name| table.place(name).unwrap()).collect();
    Grouped::new(names.to_vec(), measured.to_vec(), table.count(&places, &Watch::none()).unwrap())
}

fn run(table: &Table, policy: &str, scope: &Scope) -> Result<Evaluation> {
    let policy = Policy::parse(policy)?;
    let needed = needed(&policy, table.columns(), scope)?;
    let grouped = grouped(table, &needed.quasi, &needed.measured);
    let load = |path: &str| -> Result<String> { unreachable!("{path}") };
    let asked = Asked { needed: &needed, grouped: &grouped, load: &load, scope, selecting: Watch::none() };
    evaluate(&asked, &Watch::none())
}

fn policy() -> String {
    format!("{POLICY}columns.person.role = \"drop\"\n")
}

fn quick(scope: Scope) -> Scope {
    let models = vec![Family::NaiveBayes, Family::Logistic, Family::Tree, Family::Boosting];
    Scope { models: if scope.models.is_empty() { models } else { scope.models }, ..scope }
}

fn json(evaluation: &Evaluation) -> String {
    serde_json::to_string(evaluation).unwrap()
}

/// Where every row is there often enough, nothing is changed: models that learn from the release
/// are those that learn from the original, to the last bit.
#[test]
fn a_release_that_changed_nothing_teaches_what_the_original_does() {
    let table = table(60, 12);
    let scope = Scope { k: vec![2], models: Family::ALL[..1].to_vec(), ..Scope::default() };
    for models in [Vec::new(), vec![Family::Forest]] {
        let scope = quick(Scope { models, by: Some("sex".into()), ..scope.clone() });
        let found = run(&table, &policy(), &scope).unwrap();
        assert!(!found.settings.is_empty() && found.finished);
        for setting in &found.settings {
            assert_eq!(setting.losses.get("lm"), Some(&0.0), "{}", setting.method);
            let similar = setting.similarity.as_ref().unwrap();
            assert!(similar.pmse < 1e-9 && similar.pairs < 1e-12, "{similar:?}");
            for model in &setting.models {
                let before = found.original.iter().find(|m| m.model == model.model).unwrap();
                assert_eq!(model.scores, before.scores, "{} {}", setting.method, model.model.name());
                assert!(model.groups.iter().all(|g| g.change.unwrap().accuracy == Some(0.0)));
            }
        }
    }
}

#[test]
fn neither_the_order_of_rows_nor_threads_matter() {
    let whole = table(400, 1);
    let mut rows = whole.rows().to_vec();
    rows.reverse();
    rows.rotate_left(123);
    let turned = Table::new(whole.columns().to_vec(), rows).unwrap();
    let scope = quick(Scope { k: vec![2, 5], repeats: 2, seconds: Some(5.0), ..Scope::default() });
    let found = json(&run(&whole, &policy(), &scope).unwrap());
    assert_eq!(found, json(&run(&turned, &policy(), &scope).unwrap()));
    let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for threads in [1, 4] {
        assert_eq!(found, json(&pool(threads).install(|| run(&whole, &policy(), &scope)).unwrap()));
    }
    // Naming groups changes no draw, and another seed does.
    let by = run(&whole, &policy(), &Scope { by: Some("sex".into()), ..scope.clone() }).unwrap();
    let plain = run(&whole, &policy(), &scope).unwrap();
    assert_eq!(by.original[0].scores, plain.original[0].scores);
    let other = run(&whole, &policy(), &Scope { seed: 2, ..scope }).unwrap();
    assert_ne!(other.original[0].scores, plain.original[0].scores);
}

#[test]
fn models_learn_less_with_a_larger_k() {
    let found =
        run(&table(900, 1), &policy(), &quick(Scope { k: vec![2, 150], ..Scope::default() })).unwrap();
    let auc = |s: &SettingResult| s.mean_score(|scores| scores.auc).unwrap();
    let mean = |scores: &[ModelScores]| {
        scores.iter().filter_map(|m| m.scores.auc).sum::<f64>() / scores.len() as f64
    };
    let original = mean(&found.original);
    assert!(original > 0.85, "{original}");
    for method in ["mondrian", "auto"] {
        let of = |k: u64| auc(found.settings.iter().find(|s| s.method == method && s.k == Some(k)).unwrap());
        assert!(of(2) > of(150) + 0.02 && of(2) <= original + 0.02, "{method}: {} {}", of(2), of(150));
    }
    let lm = found.correlations.iter().find(|m| m.measure == "lm").unwrap();
    assert!(lm.scores["auc"].spearman < -0.5, "{lm:?}");
    assert_eq!(found.baseline.auc, Some(0.5));
}

#[test]
fn people_are_held_out_with_all_of_their_rows() {
    let table = table(300, 1);
    let policy = Policy::parse(&format!("{POLICY}columns.person.role = \"subject\"\n")).unwrap();
    let needed = needed(&policy, table.columns(), &Scope::default()).unwrap();
    assert_eq!(needed.measured.last().map(String::as_str), Some("person"));
    let grouped = grouped(&table, &needed.quasi, &needed.measured);
    let target = 3;
    let labels = target::Labels::new("ill", &grouped.dictionaries[target], &[]).unwrap();
    let subject = grouped.dictionaries.len() - 1;
    let whole = split::Whole {
        grouped: &grouped,
        needed: needed.needed,
        target,
        labels: &labels,
        by: None,
        subject: Some(subject),
        null: &[],
    };
    let split = whole.split(0.3, 5).unwrap();
    // Everybody has two rows: nobody has one row in the training part.
    let people = &split.train.dictionaries[subject];
    let rows: Vec<u64> = (0..people.len() as u32).map(|person| people.count(person)).collect();
    assert!(rows.iter().all(|rows| *rows == 2) && rows.len() > 80 && rows.len() < 130, "{}", rows.len());
    assert_eq!(split.held.count() + split.train.tuples.rows() as f64, 300.0);
    let found = run(
        &table,
        &format!("{POLICY}columns.person.role = \"subject\"\n"),
        &quick(Scope { k: vec![2], methods: vec!["mondrian".into()], ..Scope::default() }),
    )
    .unwrap();
    assert!(found.people && found.settings[0].status == Status::Solved, "{found:?}");
}

/// Rows of equal values may be in several regions: all of them are learned from.
#[test]
fn equal_rows_in_several_regions_keep_their_targets() {
    let policy =
        policy() + "search = { algorithm = \"mondrian\", loss = \"lm\", mondrian = { cut = \"relaxed\" } }\n";
    let scope = quick(Scope { k: vec![3, 7], methods: vec!["mondrian".into()], ..Scope::default() });
    let found = run(&table(200, 3), &policy, &scope).unwrap();
    for setting in &found.settings {
        assert_eq!(setting.released, found.training, "{setting:?}");
        assert!(setting.mean_score(|s| s.auc).unwrap() > 0.6);
    }
}

#[test]
fn numbers_are_predicted_and_groups_are_scored() {
    let scope = Scope {
        target: Some("cost".into()),
        by: Some("town".into()),
        k: vec![2, 5],
        models: vec![Family::Linear, Family::Tree],
        seconds: Some(2.0),
        ..Scope::default()
    };
    let found = run(&table(600, 1), &policy(), &scope).unwrap();
    assert!(found.classes.is_empty() && found.original.len() == 2);
    assert!(found.original.iter().all(|m| m.scores.r2.unwrap() > 0.8), "{:?}", found.original);
    let groups = &found.settings[0].models[0].groups;
    assert_eq!(groups.iter().map(|g| g.group.as_str()).collect::<Vec<_>>(), ["A", "B", "C", "D"]);
    let rows: f64 = groups.iter().map(|g| g.scores.rows).sum();
    assert_eq!(rows, found.held_out);
    let selection = found.selection.unwrap();
    assert!(selection.tried >= 4 && selection.tried == selection.planned);
    assert!(found.selected.as_ref().unwrap().scores.r2.unwrap() > 0.9, "{:?}", found.selected);
    assert!(found.settings.iter().all(|s| s.selected.is_some()));
    let text = evaluation_text(&found);
    assert!(text.contains("R² learned from releases") && text.contains("Selected automatically"), "{text}");
}

#[test]
fn what_cannot_be_evaluated_is_refused_by_code() {
    let table = table(100, 1);
    let code = |policy: &str, scope: Scope| run(&table, policy, &scope).map_err(|e| e.faults()[0].code);
    let named = |target: &str| Scope { target: Some(target.into()), ..Scope::default() };
    let policy = policy();
    assert_eq!(code(&policy, named("age")).unwrap_err(), "evaluate.changed-target");
    assert_eq!(code(&policy, named("person")).unwrap_err(), "evaluate.changed-target");
    assert_eq!(code(&policy, named("il")).unwrap_err(), "evaluate.no-such-column");
    let by = Scope { by: Some("age".into()), ..Scope::default() };
    assert_eq!(code(&policy, by).unwrap_err(), "evaluate.too-many-groups");
    let none = policy.replace("columns.ill.role = \"target\"", "columns.ill.role = \"keep\"");
    assert_eq!(code(&none, Scope::default()).unwrap_err(), "evaluate.no-target");
    let most = Scope { holdout: 0.95, ..Scope::default() };
    assert_eq!(code(&policy, most).unwrap_err(), "evaluate.too-few-rows");
    assert_eq!(code(&policy, Scope { holdout: 1.0, ..Scope::default() }).unwrap_err(), "evaluate.holdout");
    let linear = Scope { models: vec![Family::Linear], ..Scope::default() };
    assert_eq!(code(&policy, linear).unwrap_err(), "predict.wrong-kind-of-target");
    let method = Scope { methods: vec!["mondrain".into()], ..Scope::default() };
    assert_eq!(code(&policy, method).unwrap_err(), "evaluate.unknown-method");
    // A k that no release reaches has a reason, and the others have figures.
    let found = run(&table, &policy, &quick(Scope { k: vec![2, 90], ..Scope::default() })).unwrap();
    let status = |k: u64| found.settings.iter().find(|s| s.k == Some(k)).unwrap().status;
    assert_eq!(status(2), Status::Solved);
    assert_eq!(status(90), Status::NoSolution);
}

/// A search by the loss of the policy and one by LM are called differently.
#[test]
fn methods_have_names_of_their_own() {
    let policy =
        Policy::parse(&format!("{POLICY}search = {{ algorithm = \"auto\", loss = \"entropy\" }}\n")).unwrap();
    for names in [&[][..], &["all".to_owned()]] {
        let mut called: Vec<String> =
            methods(&policy, names).unwrap().into_iter().map(|(name, _)| name).collect();
        assert!(called.contains(&"auto".into()) && called.contains(&"auto:lm".into()), "{called:?}");
        called.sort_unstable();
        assert!(called.windows(2).all(|pair| pair[0] != pair[1]), "{called:?}");
    }
}
