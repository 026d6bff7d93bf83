//! Tables beside their population: people, ghosts and losses against naive counts, in random
//! searches.

use proptest::prelude::*;
use throng::classes::Classes;
use throng::model::{JCounted, KMap, LeastPresent, MostPresent, PrivacyModel};
use throng::policy::{JAnonymity, Policy};
use throng::search::{Evaluator, Grouped, Outcome, Population, Problem, solve, strategy};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::Watch;

use crate::instances::{instance, levels, problem};
use crate::naive::Instance;

/// The requirement on people.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Map(u64),
    /// j-anonymity beside everybody, which is the same.
    Likely(u64),
    Presence(f64, f64),
}

fn asked() -> impl Strategy<Value = Asked> {
    prop_oneof![
        (1u64..8).prop_map(Asked::Map),
        (1u64..8).prop_map(Asked::Likely),
        (1u8..=10).prop_map(|max| Asked::Presence(0.0, f64::from(max) / 10.0)),
        (1u8..6, 0u8..6).prop_map(|(min, more)| {
            Asked::Presence(f64::from(min) / 10.0, f64::from((min + more).min(10)) / 10.0)
        }),
    ]
}

/// An instance and people who are not in its table.
fn peopled() -> impl Strategy<Value = (Instance, Vec<Vec<usize>>)> {
    instance().prop_flat_map(|instance| {
        let cells: Vec<_> = instance.columns.iter().map(|c| 0..c.paths.len()).collect();
        (Just(instance), prop::collection::vec(cells, 0..30))
    })
}

fn models(asked: Asked, strict: bool, everybody: u64) -> Vec<Box<dyn PrivacyModel>> {
    match asked {
        Asked::Likely(k) => {
            let asked = JAnonymity {
                k,
                people: None,
                confidence: Some(0.9),
                population: Some("p.csv".into()),
                parents: None,
            };
            vec![Box::new(JCounted::new("j".into(), &asked, everybody).unwrap())]
        }
        Asked::Map(k) => vec![Box::new(KMap::new("k-map".into(), k))],
        Asked::Presence(min, max) => {
            let most = MostPresent::new("most".into(), max, strict || min > 0.0);
            let mut models: Vec<Box<dyn PrivacyModel>> = vec![Box::new(most)];
            if min > 0.0 {
                models.push(Box::new(LeastPresent::new("least".into(), min)));
            }
            models
        }
    }
}

/// The problem of an instance beside everybody, without its groups.
fn beside(instance: &Instance, others: &[Vec<usize>], asked: Asked) -> Option<Problem> {
    let mut problem = problem(instance)?;
    let code = |row: &Vec<usize>| row.iter().map(|&v| v as u32).collect::<Vec<u32>>();
    let everybody = instance.rows.iter().chain(others).map(code);
    let population = Classes::of_rows(instance.columns.len(), everybody).unwrap();
    problem.classes =
        std::sync::Arc::unwrap_or_clone(problem.classes).drawn_from(&population).unwrap().into();
    std::sync::Arc::get_mut(&mut problem.models).unwrap().extend(models(
        asked,
        instance.max_suppressed == 0,
        (instance.rows.len() + others.len()) as u64,
    ));
    Some(problem)
}

/// A row as a node shows it.
fn seen(instance: &Instance, row: &[usize], node: &[usize]) -> Vec<usize> {
    row.iter().zip(&instance.columns).zip(node).map(|((&v, c), &level)| c.paths[v][level]).collect()
}

/// The rows that must be suppressed, by the definitions alone.
fn unsafe_rows(instance: &Instance, others: &[Vec<usize>], asked: Asked, node: &[usize]) -> usize {
    let rows: Vec<Vec<usize>> = instance.rows.iter().map(|row| seen(instance, row, node)).collect();
    let people: Vec<Vec<usize>> =
        instance.rows.iter().chain(others).map(|row| seen(instance, row, node)).collect();
    let count = |of: &[Vec<usize>], look: &Vec<usize>| of.iter().filter(|row| *row == look).count();
    let mut kept: Vec<bool> = rows
        .iter()
        .map(|row| match asked {
            Asked::Map(k) | Asked::Likely(k) => count(&people, row) as u64 >= k,
            Asked::Presence(_, max) => count(&rows, row) as f64 / count(&people, row) as f64 <= max,
        })
        .collect();
    let groups: Vec<(Vec<usize>, usize)> = instance
        .groups
        .iter()
        .cloned()
        .chain([((0..instance.columns.len()).collect(), instance.k)])
        .collect();
    loop {
        let short = (0..rows.len()).find(|&row| {
            let alike = |other: &usize, columns: &[usize]| {
                kept[*other] && columns.iter().all(|&c| rows[*other][c] == rows[row][c])
            };
            kept[row] && groups.iter().any(|(g, k)| (0..rows.len()).filter(|o| alike(o, g)).count() < *k)
        });
        match short {
            Some(row) => kept[row] = false,
            None => break,
        }
    }
    if let Asked::Presence(min, _) = asked {
        let released = |look: &Vec<usize>| (0..rows.len()).filter(|&r| kept[r] && rows[r] == *look).count();
        if people.iter().any(|look| (released(look) as f64 / count(&people, look) as f64) < min) {
            return rows.len();
        }
    }
    kept.iter().filter(|kept| !**kept).count()
}

proptest! {
    #[test]
    fn people_are_judged_by_the_definition_and_found_by_search((instance, others) in peopled(), asked in asked()) {
        let Some(problem) = beside(&instance, &others, asked) else { return Ok(()) };
        let mut evaluator = Evaluator::new(&problem);
        let mut best: Option<f64> = None;
        let mut suppressed = Vec::new();
        for node in problem.lattice.iter() {
            let naive = unsafe_rows(&instance, &others, asked, &levels(&node));
            let judged = evaluator.judge(&node);
            prop_assert_eq!(judged.suppressed, naive as u64, "{:?}", node);
            suppressed.push((node.clone(), naive));
            if judged.safe {
                let loss = evaluator.solution(&node).loss;
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
        }
        // Claimed monotonicity holds: row by row, or for the whole table if nothing may be
        // suppressed.
        if problem.models.iter().all(|model| model.facts().monotone) {
            for (low, few) in &suppressed {
                let above = suppressed.iter().filter(|(node, _)| low.below(node));
                let strict = instance.max_suppressed == 0;
                prop_assert!(above.clone().all(|(_, rows)| rows <= few || strict && *few > 0), "{:?}", low);
            }
        }
        for name in ["mingen", "auto", "incognito"] {
            let strategy = strategy(name.parse().unwrap()).unwrap();
            if strategy.refuses(&problem).is_some() {
                continue;
            }
            match (solve(&problem, strategy, &Watch::none()).unwrap().0, best) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best: found, .. }, Some(best)) => {
                    prop_assert!((found.loss - best).abs() <= 1e-9 * best.abs().max(1.0), "{}", name);
                }
                (outcome, best) => prop_assert!(false, "{name}: {outcome:?} against {best:?}"),
            }
        }
    }

    /// Nobody who is not in the table changes what it loses, or how its classes look to anything
    /// but people.
    #[test]
    fn ghosts_cost_nothing((instance, others) in peopled()) {
        let Some(alone) = problem(&instance) else { return Ok(()) };
        let Some(beside) = beside(&instance, &others, Asked::Map(1)) else { return Ok(()) };
        let (mut a, mut b) = (Evaluator::measuring(&alone), Evaluator::measuring(&beside));
        for node in alone.lattice.iter() {
            prop_assert_eq!(a.solution(&node), b.solution(&node));
            let (left, _) = a.classes(&node);
            let (right, _) = b.classes(&node);
            prop_assert_eq!(left.counts(), right.counts());
            let people: u64 = right.people().unwrap().iter().map(|&n| u64::from(n)).sum();
            prop_assert!(right.counts().iter().zip(right.people().unwrap()).all(|(rows, people)| rows <= people));
            prop_assert!(people <= (instance.rows.len() + others.len()) as u64);
            prop_assert_eq!(right.ghosts() == 0, people == (instance.rows.len() + others.len()) as u64);
            for class in 0..left.len() {
                for column in 0..left.columns() {
                    prop_assert_eq!(left.code(class, column), right.code(class, column));
                }
                for measured in 0..alone.classes.histograms().len() {
                    prop_assert_eq!(left.histogram(measured, class), right.histogram(measured, class));
                }
            }
        }
    }
}

fn table(rows: &[&str]) -> (Vec<Dictionary>, Tuples) {
    let mut dictionaries = vec![Dictionary::new(); 2];
    let mut tuples = Tuples::new(2);
    for row in rows {
        let cells = row.split(' ').zip(&mut dictionaries);
        let codes: Vec<u32> = cells.map(|(cell, d)| d.add((cell != "-").then_some(cell), 1)).collect();
        tuples.insert(&codes, 1);
    }
    (dictionaries, tuples)
}

/// A problem from a policy's models, a table and its population.
fn made(models: &str, rows: &[&str], people: &[&str]) -> throng::error::Result<Problem> {
    let policy = Policy::parse(&format!(
        "version = 1\n[input]\npath = \"x.csv\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [10, 50] }} }}\n\
         [columns.sex]\nrole = \"quasi\"\nhierarchy = {{ file = \"sex.csv\" }}\n\
         [privacy]\nsuppression = 1.0\nmodels = [{models}]\n"
    ))?;
    let ((dictionaries, tuples), (theirs, everybody)) = (table(rows), table(people));
    let population = policy.population().map(|_| Population { dictionaries: theirs, tuples: everybody });
    let names = vec!["age".into(), "sex".into()];
    let grouped = Grouped { names, measured: Vec::new(), dictionaries, tuples, population };
    Ok(Problem::new(&policy, grouped, &|_| Ok("f,*\nm,*\n".into()))?.0)
}

fn refused(models: &str, rows: &[&str], people: &[&str]) -> String {
    made(models, rows, people).err().map(|error| error.to_string()).unwrap_or_default()
}

const MAP: &str = "{ k_map = { k = 2, population = \"p.csv\" } }";

/// [Sweeney 2001]: a row that is alone in the table is not alone in the town.
#[test]
fn values_that_only_the_population_has() {
    let problem =
        made(MAP, &["31 f", "33 m", "47 m"], &["31 f", "33 m", "47 m", "38 f", "92 m", "36 m"]).unwrap();
    let mut evaluator = Evaluator::new(&problem);
    let suppressed: Vec<(Vec<usize>, u64)> =
        problem.lattice.iter().map(|node| (levels(&node), evaluator.judge(&node).suppressed)).collect();
    let at = |node: &[usize]| suppressed.iter().find(|(levels, _)| levels == node).unwrap().1;
    assert_eq!(at(&[0, 0]), 3);
    assert_eq!(at(&[1, 0]), 1, "30 to 39 has two women and two men, 40 to 49 one man");
    assert_eq!(at(&[2, 0]), 0);
    // The same rows are not 2-anonymous at any of these.
    let mut alone = made("{ sample_uniqueness = { max = 0 } }", &["31 f", "33 m", "47 m"], &[]).unwrap();
    alone.models = std::sync::Arc::new(vec![Box::new(throng::model::KAnonymity::new(2, false))]);
    assert_eq!(Evaluator::new(&alone).judge(&throng::lattice::Node::new(vec![2, 0])).suppressed, 1);
}

#[test]
fn a_missing_cell_is_a_value_of_people_too() {
    let problem = made(MAP, &["31 f", "31 -"], &["31 f", "31 f", "31 -"]).unwrap();
    let bottom = problem.lattice.bottom().clone();
    assert_eq!(Evaluator::new(&problem).judge(&bottom).suppressed, 1, "one person has no sex");
}

/// Shares of ½ and 1 make 4 of 5: with suppression, rows that were safe are not so above.
#[test]
fn the_upper_bound_is_not_monotone_with_suppression() {
    let (rows, people) = (["31 f", "31 m", "31 m", "31 m"], ["31 f", "31 f", "31 m", "31 m", "31 m"]);
    let problem = made("{ delta_presence = { population = \"p.csv\", max = 0.5 } }", &rows, &people).unwrap();
    assert!(!problem.models.iter().all(|model| model.facts().monotone));
    let mut evaluator = Evaluator::new(&problem);
    let node = |sex| throng::lattice::Node::new(vec![0, sex]);
    assert_eq!((evaluator.judge(&node(0)).suppressed, evaluator.judge(&node(1)).suppressed), (3, 4));
}

#[test]
fn what_does_not_fit_is_refused() {
    let rows = ["31 f", "31 f", "40 m"];
    let said = refused(MAP, &rows, &["31 f", "40 m", "50 m"]);
    assert!(said.contains("1 combination of quasi-identifiers has more rows"), "{said}");
    let said = refused(MAP, &rows, &["31 f", "31 f", "40 m", "50 x"]);
    assert!(said.contains("p.csv") && said.contains("`x`"), "the population is named: {said}");
    let said = refused("{ k_map = { k = 9, population = \"p.csv\" } }", &rows, &["31 f", "31 f", "40 m"]);
    assert!(said.contains("which has 3 people"), "{said}");
    let said = refused("{ k_map = { k = 2, population = 2 } }", &rows, &[]);
    assert!(said.contains("the table has 3 rows, more than the 2 people"), "{said}");
    for (models, remedy) in [
        ("{ k_map = { k = 0, population = \"p.csv\" } }", "k must be 1 or more"),
        ("{ k_map = { k = 5, population = 3 } }", "3 people cannot be k = 5"),
        ("{ k_map = { k = 5, population = true } }", "the path of a table in quotes, or a number of people"),
        ("{ k_map = { k = 5, population = \"\" } }", "no path is given"),
        ("{ k_map = { k = 5, population = \"p.csv\", significance = 0.1 } }", "are counted, not estimated"),
        ("{ k_map = { k = 5, population = 99, significance = 1 } }", "significance cannot be 1"),
        ("{ delta_presence = { population = \"p.csv\", min = 0.6, max = 0.5 } }", "min 0.6 is above max 0.5"),
        ("{ delta_presence = { population = \"p.csv\", max = 0 } }", "max cannot be 0"),
        ("{ delta_presence = { population = \"p.csv\", min = -1, max = 0.5 } }", "min cannot be -1"),
        ("{ j_anonymity = { k = 2 } }", "neither the number of people nor a larger table"),
        ("{ j_anonymity = { k = 0, people = 9 } }", "k must be 1 or more"),
        ("{ j_anonymity = { k = 10, people = 9 } }", "9 people cannot be k = 10"),
        ("{ j_anonymity = { k = 2, people = 2 } }", "the table has 3 rows, more than the 2 people"),
        ("{ j_anonymity = { k = 2, people = 9, confidence = 1 } }", "confidence cannot be 1"),
        ("{ j_anonymity = { k = 2, people = 2, population = \"p.csv\" } }", "the larger table has 3 rows"),
        ("{ j_anonymity = { k = 9, population = \"p.csv\" } }", "which has 3 people"),
        ("{ j_anonymity = { k = 2, population = \"\" } }", "no path is given"),
        (
            "{ k_map = { k = 5, population = \"p.csv\" } }, { delta_presence = { population = \"q.csv\", max = 1 } }",
            "`q.csv` is another population than `p.csv`",
        ),
    ] {
        let said = refused(models, &rows, &rows);
        assert!(said.contains(remedy), "{models}: {said}");
    }
}

#[test]
fn what_people_cannot_be_counted_with_is_refused() {
    let policy = |input: &str, output: &str, models: &str| {
        let text = format!(
            "version = 1\n[input]\npath = \"x.csv\"\n{input}\n[output]\n{output}\n[columns]\na.role = \"quasi\"\n\
             [privacy]\nmodels = [{models}]\n"
        );
        Policy::parse(&text).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(policy("missing = \"wildcard\"", "", MAP).contains("classes overlap"));
    assert!(policy("", "suppressed = \"cells\"", MAP).contains("starred cells"));
    let predicted = "{ j_anonymity = { k = 2, people = 99 } }";
    assert!(policy("missing = \"wildcard\"", "", predicted).contains("classes overlap"));
    assert!(policy("", "suppressed = \"cells\"", predicted).contains("j_anonymity.people"));
    assert!(policy("", "[search]\nlocal = true", predicted).contains("at several"));
    assert!(policy("", "[search]\nalgorithm = \"mondrian\"", predicted).contains("not defined for regions"));
    let presence = "{ delta_presence = { population = \"p.csv\", max = 0.5 } }";
    assert!(policy("", "suppressed = \"starred\"", presence).contains("not defined for suppressed rows"));
    assert_eq!(policy("", "suppressed = \"starred\"", MAP), "");
}

/// An estimate asks for fewer rows than k where the table is a small part of the population.
#[test]
fn estimated_people() {
    let rows: Vec<String> = (0..40).map(|i| format!("{} f", 20 + i / 4)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let at_bottom = |models: &str| {
        let problem = made(models, &rows, &[]).unwrap();
        let bottom = problem.lattice.bottom().clone();
        Evaluator::new(&problem).judge(&bottom).suppressed
    };
    assert_eq!(at_bottom("{ k_map = { k = 5, population = 40 } }"), 40, "nobody else is there");
    assert_eq!(at_bottom("{ k_map = { k = 5, population = 4000 } }"), 0, "four of four is a wonder");
}
