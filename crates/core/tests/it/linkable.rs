//! Models of quasi-identifiers against brute force: every node of random small tables, judged row by
//! row, and every search.

use proptest::prelude::*;
use throng::policy::{ModelSpec, Policy};
use throng::registry::Algorithm;
use throng::search::{Evaluator, Grouped, Outcome, Problem, solve, strategy};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::Watch;

use crate::definitions::{self, Whole};

type Cell = Option<String>;
type Rows = Vec<[Cell; 4]>;

const NAMES: [&str; 3] = ["a", "b", "s"];

/// Models that a quasi-identifier can have, as the definitions list them.
fn models(column: &str) -> Vec<String> {
    let refused = ["ordered", "hierarchical", "values", "k_e"];
    let all = definitions::models(column, column);
    all.into_iter().filter(|model| refused.iter().all(|word| !model.contains(word))).collect()
}

/// Two digits each; the second is masked first; column b has its values or nothing.
fn rows() -> impl Strategy<Value = Rows> {
    let digits = || prop::option::weighted(0.9, prop::sample::select(vec!["11", "12", "21", "22", "31"]));
    let cell = |cell: Option<&str>| cell.map(String::from);
    let row = (digits(), prop::option::weighted(0.9, prop::sample::select(vec!["x", "y"])), digits(), 0..3u8);
    let row = row.prop_map(move |(a, b, s, w)| [cell(a), cell(b), cell(s), Some(w.to_string())]);
    prop::collection::vec(row, 4..24)
}

fn policy(models: &[String], k: u64, suppression: f64, loss: &str) -> Policy {
    let mask = "hierarchy = { mask = { from = \"right\" } }";
    Policy::parse(&format!(
        "version = 1\n[input]\npath = \"x.csv\"\n[columns.a]\nrole = \"quasi\"\n{mask}\n[columns.b]\nrole = \"quasi\"\n\
         [columns.s]\nrole = \"quasi\"\n{mask}\n[columns.w]\nrole = \"sensitive\"\n\
         [privacy]\nk = {k}\nsuppression = {suppression}\nmodels = [{}]\n[search]\nloss = \"{loss}\"\n",
        models.join(", ")
    ))
    .unwrap()
}

fn grouped(policy: &Policy, rows: &Rows) -> Grouped {
    let header: Vec<String> = ["a", "b", "s", "w"].map(String::from).into();
    let (names, measured) = policy.grouped_columns(&header);
    let places: Vec<usize> =
        names.iter().chain(&measured).map(|n| header.iter().position(|c| c == n).unwrap()).collect();
    let mut dictionaries = vec![Dictionary::new(); places.len()];
    let mut tuples = Tuples::new(places.len());
    for row in rows {
        let codes: Vec<u32> =
            places.iter().zip(&mut dictionaries).map(|(&at, d)| d.add(row[at].as_deref(), 1)).collect();
        tuples.insert(&codes, 1);
    }
    Grouped { names, measured, dictionaries, tuples, population: None }
}

fn label(column: usize, cell: &Cell, level: usize) -> Cell {
    let height = if column == 1 { 1 } else { 2 };
    match level {
        _ if level == height => Some("*".into()),
        0 => cell.clone(),
        _ => cell.as_ref().map(|text| format!("{}*", &text[..1])),
    }
}

/// What a model says of some rows, by the cells of a column.
fn safe(asked: &ModelSpec, rows: &[&[Cell; 4]], table: &[[Cell; 4]], at: usize, k: u64) -> bool {
    let cells: Vec<Cell> = rows.iter().map(|row| row[at].clone()).collect();
    let all: Vec<Cell> = table.iter().map(|row| row[at].clone()).collect();
    let whole = Whole { cells: &all, labels: &|_| unreachable!(), k: Some(k) };
    let (figure, need) = definitions::reached(asked, &cells, &whole).unwrap();
    need.met(figure)
}

/// The rows that stay at a node, by the definition: row by row, until nothing changes.
fn stay(policy: &Policy, rows: &Rows, levels: &[u8]) -> usize {
    let general = |row: &[Cell; 4]| -> [Cell; 4] {
        std::array::from_fn(|c| if c < 3 { label(c, &row[c], levels[c].into()) } else { row[c].clone() })
    };
    let table: Vec<[Cell; 4]> = rows.iter().map(general).collect();
    let k = policy.privacy.k().unwrap();
    let mut left: Vec<usize> = (0..table.len()).collect();
    loop {
        let alike = |row: usize, but: usize| -> Vec<&[Cell; 4]> {
            let same = |other: &&usize| (0..3).all(|c| c == but || table[**other][c] == table[row][c]);
            left.iter().filter(same).map(|&other| &table[other]).collect()
        };
        let fits = |row: usize| {
            let class = alike(row, 3);
            let sensitive = policy.privacy.models.iter().filter(|m| policy.linkable(m).is_none());
            class.len() as u64 >= k && { sensitive }.all(|m| safe(m, &class, &table, 3, k))
        };
        let now: Vec<usize> = left.iter().copied().filter(|&row| fits(row)).collect();
        if now.len() < left.len() {
            left = now;
            continue;
        }
        let hidden = |row: usize| {
            policy.privacy.models.iter().all(|model| {
                let Some(column) = policy.linkable(model) else { return true };
                let at = NAMES.iter().position(|name| *name == column).unwrap();
                safe(model, &alike(row, at), &table, at, k)
            })
        };
        let now: Vec<usize> = left.iter().copied().filter(|&row| hidden(row)).collect();
        if now.len() == left.len() {
            return now.len();
        }
        left = now;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]
    #[test]
    fn nodes_are_judged_by_the_definition_and_searches_find_the_best(
        rows in rows(),
        of_s in prop::sample::select(models("s")),
        of_b in prop::option::weighted(0.3, prop::sample::select(models("b"))),
        of_w in any::<bool>(),
        k in 1..4u64,
        suppression in prop::sample::select(vec![0.0, 0.0, 0.3, 0.8]),
        loss in prop::sample::select(vec!["lm", "entropy", "height"]),
    ) {
        let mut models = vec![of_s];
        models.extend(of_b);
        models.extend(of_w.then(|| "{ l_diversity = { column = \"w\", l = 2 } }".to_owned()));
        let policy = policy(&models, k, suppression, loss);
        // A model may ask for more values or rows than there are.
        let Ok((problem, _)) = Problem::new(&policy, grouped(&policy, &rows), &|_| unreachable!()) else {
            return Ok(());
        };
        let mut evaluator = Evaluator::new(&problem);
        let (mut best, mut safe_nodes) = (f64::INFINITY, Vec::new());
        for node in problem.lattice.iter() {
            let kept = stay(&policy, &rows, node.levels());
            let judged = evaluator.judge(&node);
            prop_assert_eq!(judged.suppressed as usize, rows.len() - kept, "{:?}", node);
            if judged.safe {
                best = best.min(evaluator.solution(&node).loss);
                safe_nodes.push(node);
            }
        }
        let monotone = problem.models.iter().all(|model| model.facts().monotone);
        for node in safe_nodes.iter().filter(|_| monotone) {
            for above in problem.lattice.successors(node) {
                prop_assert!(safe_nodes.contains(&above), "{:?} is safe, {:?} is not", node, above);
            }
        }
        for &algorithm in Algorithm::ALL.iter().filter(|a| !a.forms_regions()) {
            let strategy = strategy(algorithm).unwrap();
            match solve(&problem, strategy, &Watch::none()) {
                Err(error) => prop_assert!(!monotone || !problem.loss.monotone(), "{}: {}", algorithm, error),
                Ok((Outcome::Found { best: found, gap }, _)) => {
                    prop_assert!(safe_nodes.contains(&found.node), "{}", algorithm);
                    let near = 1e-9 * best.abs().max(1.0);
                    prop_assert!(!algorithm.entry().exact || found.loss <= best + near, "{}", algorithm);
                    prop_assert!(found.loss - gap <= best + near, "{}: {} − {}", algorithm, found.loss, gap);
                }
                // Without monotone models Datafly sees its path alone.
                Ok((Outcome::Infeasible { .. }, _)) => {
                    prop_assert!(safe_nodes.is_empty() || algorithm == Algorithm::Datafly && !monotone);
                }
                Ok((Outcome::Cancelled, _)) => prop_assert!(false, "nothing stops it"),
            }
        }
    }
}

/// Labels merge when the column itself is generalized: a safe node with an unsafe one above it, so
/// that nothing may be concluded from the one about the other.
#[test]
fn generalizing_the_column_itself_can_lose_diversity() {
    let cell = |text: &str| Some(text.to_owned());
    let rows: Rows = ["11", "12"].map(|s| [cell("11"), cell("x"), cell(s), cell("0")]).into();
    let asked = |model: &str| {
        let policy = policy(&[model.replace("COLUMN", "column = \"s\"")], 1, 0.0, "lm");
        let (problem, _) = Problem::new(&policy, grouped(&policy, &rows), &|_| unreachable!()).unwrap();
        let mut evaluator = Evaluator::new(&problem);
        let safe = |level: u8| evaluator.judge(&throng::lattice::Node::new([0, 0, level])).safe;
        let judged: Vec<bool> = (0..3).map(safe).collect();
        (judged, problem.models.iter().all(|model| model.facts().monotone))
    };
    for model in [
        "{ l_diversity = { COLUMN, l = 2 } }",
        "{ l_diversity = { COLUMN, kind = \"entropy\", l = 2 } }",
        "{ p_sensitive = { COLUMN, p = 2 } }",
        "{ alpha_k = { COLUMN, alpha = 0.5 } }",
    ] {
        assert_eq!(asked(model), (vec![true, false, false], false), "{model}");
    }
    for model in ["{ t_closeness = { COLUMN, t = 0.1 } }", "{ beta_likeness = { COLUMN, beta = 0.1 } }"] {
        assert_eq!(asked(model), (vec![true; 3], true), "{model}");
    }
    let enhanced = "{ beta_likeness = { COLUMN, beta = 0.1, kind = \"enhanced\" } }";
    assert!(!asked(enhanced).1, "a label that is more frequent in the table may gain less");
}
