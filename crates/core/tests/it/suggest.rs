//! `suggest`: points against releases that are made with their policies, the front against brute
//! force, figures against the released cells, plans and hints.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::decide::decide;
use throng::error::{Error, Kind, Result};
use throng::memory::{Table, release};
use throng::policy::Policy;
use throng::rows::Rows;
use throng::search::{Grouped, Problem};
use throng::suggest::{
    Asked, ColumnChange, Hint, Point, Scope, Status, Suggestion, beats, candidates, hints, narrowed, suggest,
};
use throng::watch::Watch;

const POLICY: &str = "version = 1\n[input]\npath = \"people\"\n[columns.age]\nrole = \"quasi\"\n\
    hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }\n[columns.zip]\nrole = \"quasi\"\n\
    hierarchy = { postal = { keep = [4, 3] } }\n[columns.sex]\nrole = \"quasi\"\n[columns.children]\nrole = \"quasi\"\n\
    hierarchy = { intervals = { widths = [2, 4] } }\n[columns.illness]\nrole = \"sensitive\"\n[columns.cost]\nrole = \"keep\"\n";

fn policy(k: u64, suppression: f64, more: &str) -> String {
    format!("{POLICY}[privacy]\nk = {k}\nsuppression = {suppression}\n{more}")
}

/// Made-up people; who is old is often ill and has more children.
fn people(rows: usize, seed: u64) -> Table {
    let columns = ["age", "zip", "sex", "children", "illness", "cost"].map(String::from).to_vec();
    let mut state = seed;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let row = |_| {
        let age = 18 + below(70);
        let children = (age / 20 + below(3)).saturating_sub(1);
        let illness = if age + below(40) > 75 { "angina" } else { "flu" };
        let zip = format!("02{}{}{}", below(3), below(3), below(4));
        let sex = ["f", "m"][below(2) as usize].to_owned();
        let cells = [age.to_string(), zip, sex, children.to_string(), illness.into(), below(900).to_string()];
        cells.map(Some).to_vec()
    };
    Table::new(columns, (0..rows).map(row).collect()).unwrap()
}

fn no_file(path: &str) -> Result<String> {
    panic!("no file is expected, not {path}")
}

fn posed(policy: &Policy, table: &Table) -> Result<Problem> {
    let (quasi, mut measured) = policy.grouped_columns(table.columns());
    let needed = measured.len();
    measured.extend(candidates(policy, table.columns(), &measured));
    let places: Vec<usize> = quasi
        .iter()
        .chain(&measured)
        .map(|name| table.columns().iter().position(|c| c == name).unwrap())
        .collect();
    let grouped = Grouped::new(quasi, measured, table.count(&places, &Watch::none())?);
    Ok(Problem::new(policy, narrowed(grouped, needed, &policy.input.null), &no_file)?.0)
}

fn scope(k: &[u64]) -> Scope {
    Scope { k: k.to_vec(), seconds: 1e6, limits: true }
}

fn suggested(policy: &Policy, table: &Table, scope: Scope, watch: &Watch) -> Result<Suggestion> {
    let problem = posed(policy, table)?;
    let asked =
        Asked { policy, problem: &problem, load: &no_file, scope, clock: &|| 0.0, first: watch.clone() };
    suggest(&asked, watch)
}

/// A number as a recipient would read it from a cell of an interval hierarchy.
fn middle(cell: &str) -> Option<(f64, f64)> {
    if let Ok(number) = cell.parse::<f64>() {
        return Some((number, 0.0));
    }
    let inner = cell.strip_prefix('[')?.trim_end_matches([')', ']']);
    let (low, high) = inner.split_once(", ")?;
    let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
    Some(((low + high) / 2.0, (high - low).powi(2) / 12.0))
}

/// Means, stars and classes, counted from the released rows.
fn check_cells(point: &Point, policy: &Policy, released: &Table, all: u64) {
    let measured = point.measured.as_ref().unwrap();
    let quasi = policy.with_role(throng::policy::Role::Quasi);
    let place = |name: &str| released.columns().iter().position(|c| c == name).unwrap();
    let columns: Vec<usize> = quasi.iter().map(|name| place(name)).collect();
    let rows = released.rows();
    let mut classes: BTreeMap<Vec<&Option<String>>, u64> = BTreeMap::new();
    let mut stars = 0;
    for row in rows {
        *classes.entry(columns.iter().map(|&c| &row[c]).collect()).or_default() += 1;
        stars += columns.iter().filter(|&&c| row[c].as_deref() == Some("*")).count() as u64;
    }
    let held = all - rows.len() as u64;
    let cells = all * columns.len() as u64;
    let share = (stars + held * columns.len() as u64) as f64 / cells as f64;
    assert!((measured.stars - share).abs() < 1e-12, "{} {share}", measured.stars);
    assert_eq!(measured.risk.smallest, classes.values().copied().min().unwrap_or(0));
    let empty =
        |name: &&&str| !rows.is_empty() && rows.iter().all(|row| row[place(name)].as_deref() == Some("*"));
    let mut lost: Vec<String> = quasi.iter().filter(empty).map(|name| (*name).to_owned()).collect();
    if let Some(ColumnChange::Drop(column)) = &point.settings.change {
        lost.push(column.clone());
    }
    let mut found = measured.lost.clone();
    lost.sort();
    found.sort();
    assert_eq!(found, lost);
    for facts in &measured.numbers {
        let known: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| middle(row[place(&facts.column)].as_deref()?)).collect();
        let n = known.len() as f64;
        assert!((facts.known - n / all as f64).abs() < 1e-12, "{facts:?}");
        let Some(mean) = facts.mean_after else {
            assert!(known.is_empty(), "{facts:?}");
            continue;
        };
        let naive = known.iter().map(|(x, _)| x).sum::<f64>() / n;
        assert!((mean - naive).abs() < 1e-9, "{facts:?} {naive}");
        let variance = known.iter().map(|(x, within)| (x - naive).powi(2) + within).sum::<f64>() / n;
        assert!((facts.deviation_after.unwrap() - variance.sqrt()).abs() < 1e-9, "{facts:?}");
    }
}

/// The figures of a point are those of a release with its policy.
fn check_release(point: &Point, given: &Policy, table: &Table) {
    let policy = match point.settings.policy(given) {
        Ok(policy) => policy,
        Err(error) => {
            assert_eq!(point.status, Status::Refused, "{error}");
            return;
        }
    };
    let made = release(&policy.to_toml().unwrap(), table, &no_file, &Watch::none());
    let Some(measured) = &point.measured else {
        let error: Error = made.unwrap_err();
        assert!(error.faults().iter().all(|fault| fault.kind != Kind::Bug), "{error}");
        return;
    };
    let made = made.unwrap();
    let facts = &made.certificate.release;
    assert_eq!((measured.released, measured.suppressed), (facts.released, facts.suppressed));
    assert_eq!(measured.lm, facts.loss["lm"], "{}", point.settings.words());
    for column in &measured.columns {
        assert_eq!(column.lm, facts.loss_by_column["lm"][&column.name], "{}", column.name);
    }
    let risk = facts.risk.as_ref().unwrap();
    assert_eq!(measured.risk.claimed(), risk.after);
    check_cells(point, &policy, &made.table, table.rows().len() as u64);
}

/// Without the seconds, which are all 0 here, everything is the same each time.
fn check_front(suggestion: &Suggestion) {
    let figures = |point: &Point| {
        let measured = point.measured.as_ref().filter(|m| m.released > 0 && !point.assumes)?;
        Some((measured.risk.prosecutor, measured.loss))
    };
    for point in &suggestion.points {
        let own = figures(point);
        let beaten = |own| suggestion.points.iter().filter_map(figures).any(|other| beats(other, own));
        assert_eq!(point.front, own.is_some_and(|own| !beaten(own)), "{}", point.id);
        // By the definition, not by `beats`.
        if let (true, Some((risk, loss))) = (point.front, own) {
            let better = |(r, l): (f64, f64)| (r < risk && l <= loss) || (r <= risk && l < loss);
            assert!(!suggestion.points.iter().filter_map(figures).any(better), "{}", point.id);
        }
    }
    let recommended: Vec<&Point> = suggestion.points.iter().filter(|point| point.recommended).collect();
    assert!(recommended.len() <= 1);
    assert_eq!(recommended.first().map(|point| point.id), suggestion.recommended);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn points_are_what_their_policies_release(
        rows in 25usize..70,
        seed in any::<u64>(),
        k in 2u64..5,
        suppression in prop_oneof![Just(0.0), Just(0.02), Just(0.1)],
        search in prop_oneof![Just(""), Just("[search]\nalgorithm = \"k-similar\"\nloss = \"lm\"\n")],
    ) {
        let table = people(rows, seed);
        let policy = Policy::parse(&policy(k, suppression, search)).unwrap();
        let found = suggested(&policy, &table, scope(&[]), &Watch::none()).unwrap();
        prop_assert!(found.finished && !found.shortened && found.points.len() > 8, "{}", found.points.len());
        prop_assert!(found.points[0].current && found.points.iter().filter(|point| point.current).count() == 1);
        for point in &found.points {
            check_release(point, &policy, &table);
        }
        check_front(&found);
        // Rows in another order are the same table.
        let mut turned = table.rows().to_vec();
        turned.reverse();
        let turned = Table::new(table.columns().to_vec(), turned).unwrap();
        prop_assert_eq!(&suggested(&policy, &turned, scope(&[]), &Watch::none()).unwrap(), &found);
    }

    #[test]
    fn hints_are_few_measured_and_only_for_what_was_lost(rows in 25usize..70, seed in any::<u64>(), k in 2u64..6) {
        let table = people(rows, seed);
        let policy = Policy::parse(&policy(k, 0.05, "")).unwrap();
        let problem = posed(&policy, &table).unwrap();
        let decision = decide(&policy, &problem, None, &Watch::none()).unwrap();
        let figures = decision.figures(&policy, &problem, &Watch::none()).unwrap();
        let found = hints((&policy, &problem, &no_file), (&decision, &figures), &Watch::none()).unwrap();
        prop_assert!(found.len() <= 3);
        for hint in &found {
            prop_assert!(hint.lm.after < hint.lm.before, "{hint:?}");
            let own = hint.without.is_some() || hint.lm.before - figures.loss["lm"] < 1e-12;
            prop_assert!(own, "{hint:?}");
            prop_assert!(hint.words().contains("LM"), "{}", hint.words());
        }
        let gains: Vec<f64> = found.iter().map(|hint| hint.lm.before - hint.lm.after).collect();
        prop_assert!(gains.is_sorted_by(|a, b| a >= b), "{gains:?}");
    }
}

/// The hints of a policy with this `[search]` on a table of made-up people.
fn hinted(rows: usize, search: &str) -> Vec<Hint> {
    let table = people(rows, 5);
    // Enough distinct rows that Mondrian takes a while on the larger table.
    let zip = |(i, mut row): (usize, Vec<Option<String>>)| {
        row[1] = Some(format!("{:05}", i % 4_000));
        row
    };
    let rows = table.rows().to_vec().into_iter().enumerate().map(zip).collect();
    let table = Table::new(table.columns().to_vec(), rows).unwrap();
    let policy = Policy::parse(&policy(5, 0.05, search)).unwrap();
    let problem = posed(&policy, &table).unwrap();
    let decision = decide(&policy, &problem, None, &Watch::none()).unwrap();
    let figures = decision.figures(&policy, &problem, &Watch::none()).unwrap();
    hints((&policy, &problem, &no_file), (&decision, &figures), &Watch::none()).unwrap()
}

#[test]
fn hints_propose_the_portfolio_and_no_role_that_is_out_of_the_question() {
    let levels = "[search]\nalgorithm = \"auto\"\nloss = \"entropy\"\n";
    for (rows, tried) in [(300, true), (20_000, false)] {
        let found = hinted(rows, levels);
        let best = found.iter().find(|hint| hint.change.contains("search.algorithm = \"best\""));
        // What costs more than a hint may is measured on a part of the table.
        assert_eq!(best.map(|hint| hint.tried_on.is_none()), Some(tried), "{found:?}");
        assert!(found.iter().all(|hint| hint.stars.after <= hint.stars.before), "{found:?}");
        // Outsiders know age, postal code, sex and children.
        assert!(found.iter().all(|hint| hint.without.is_none()), "{found:?}");
    }
    // Methods of the portfolio are not tried again beside it.
    assert!(hinted(300, "").iter().all(|hint| !hint.change.contains("algorithm")), "{:?}", hinted(300, ""));
}

#[test]
fn a_release_that_lost_nothing_has_no_hints() {
    let columns = ["age", "zip", "sex", "children", "illness", "cost"].map(String::from).to_vec();
    let row = |i: usize| {
        let cells = [["20", "02139", "f", "1", "flu", "9"], ["30", "02140", "m", "2", "flu", "9"]][i % 2];
        cells.map(|cell| Some(cell.to_owned())).to_vec()
    };
    let table = Table::new(columns, (0..12).map(row).collect()).unwrap();
    let policy = Policy::parse(&policy(3, 0.0, "")).unwrap();
    let problem = posed(&policy, &table).unwrap();
    let decision = decide(&policy, &problem, None, &Watch::none()).unwrap();
    let figures = decision.figures(&policy, &problem, &Watch::none()).unwrap();
    assert_eq!(hints((&policy, &problem, &no_file), (&decision, &figures), &Watch::none()).unwrap(), []);
}

/// "best" may cost more than a hint may: then a part of the table stands for it, and loses more.
#[test]
fn large_tables_try_best_on_a_part() {
    let table = people(9_000, 11);
    let policy = |search: &str| Policy::parse(&policy(12, 0.0, search)).unwrap();
    let levels = policy("[search]\nalgorithm = \"auto\"\n");
    let problem = posed(&levels, &table).unwrap();
    let decision = decide(&levels, &problem, None, &Watch::none()).unwrap();
    let figures = decision.figures(&levels, &problem, &Watch::none()).unwrap();
    let found = hints((&levels, &problem, &no_file), (&decision, &figures), &Watch::none()).unwrap();
    let hint = found.iter().find(|hint| hint.tried_on.is_some()).unwrap();
    assert!(hint.change.contains("\"best\""), "{hint:?}");
    let rows = hint.tried_on.unwrap();
    assert!((500..9_000).contains(&rows) && hint.words().ends_with(&format!("(measured on {rows} rows)")));
    let best = policy("");
    let problem = problem.again(&best, &no_file, &Watch::none()).unwrap();
    let decision = decide(&best, &problem, None, &Watch::none()).unwrap();
    let whole = decision.figures(&best, &problem, &Watch::none()).unwrap().loss["lm"];
    assert!(whole <= hint.lm.after && hint.lm.after < hint.lm.before, "{whole} {hint:?}");
    // A model that compares classes with the whole table cannot be judged on a part.
    let close = "[search]\nalgorithm = \"auto\"\n[[privacy.models]]\nt_closeness = { column = \"illness\", t = 0.4 }\n";
    let close = Policy::parse(&format!("{POLICY}[privacy]\nk = 12\nsuppression = 0.0\n{close}")).unwrap();
    let problem = posed(&close, &table).unwrap();
    let decision = decide(&close, &problem, None, &Watch::none()).unwrap();
    let figures = decision.figures(&close, &problem, &Watch::none()).unwrap();
    let found = hints((&close, &problem, &no_file), (&decision, &figures), &Watch::none()).unwrap();
    assert!(found.iter().all(|hint| hint.tried_on.is_none()), "{found:?}");
}

#[test]
fn a_classifier_learns_less_from_stars_and_never_more_than_there_is() {
    let table = people(400, 7);
    let policy = Policy::parse(&policy(5, 0.02, "")).unwrap();
    let found = suggested(&policy, &table, scope(&[100]), &Watch::none()).unwrap();
    let classifier = found.classifier.as_ref().unwrap();
    assert_eq!((classifier.column.as_str(), classifier.classes), ("illness", 2));
    assert!(classifier.original.auc > 0.7, "{classifier:?}");
    let auc = |k: u64| {
        let of = |point: &&Point| point.settings.k == Some(k) && point.settings.change.is_none();
        let points = found.points.iter().filter(of);
        points.filter_map(|point| Some(point.measured.as_ref()?.classifier?.auc)).fold(0.0, f64::max)
    };
    assert!(auc(5) > 0.65 && auc(100) <= auc(5) + 0.05, "{} {}", auc(5), auc(100));
    let pairs = &found.points[0].measured.as_ref().unwrap().correlations;
    assert!(pairs[0].before > 0.4, "{pairs:?}");
    let samples = &found.points[0].measured.as_ref().unwrap().samples;
    assert!(samples.len() == 5 && samples.iter().all(|row| row.before.len() == 4));
}

#[test]
fn plans_depend_on_seconds_and_a_watch_ends_them() {
    let table = people(60, 3);
    let policy = Policy::parse(&policy(3, 0.05, "")).unwrap();
    let whole = suggested(&policy, &table, scope(&[4, 9]), &Watch::none()).unwrap();
    assert!(whole.finished && !whole.shortened);
    let ks: Vec<u64> = whole.points.iter().filter_map(|point| point.settings.k).collect();
    assert!([3, 4, 9].iter().all(|k| ks.contains(k)) && ks.iter().all(|k| [3, 4, 9].contains(k)), "{ks:?}");
    let short = Scope { seconds: 1e-5, ..scope(&[4, 9]) };
    let short = suggested(&policy, &table, short, &Watch::none()).unwrap();
    assert!(short.finished && short.shortened && short.points.len() < whole.points.len());
    assert_eq!(short.points[0].measured, whole.points[0].measured);
    // A limit that has passed leaves the policy's own point, or what stopped it.
    let passed = suggested(&policy, &table, scope(&[]), &Watch::none().limited(|| true)).unwrap();
    assert!(!passed.finished && passed.points.len() == 1);
    let aborted = Watch::none();
    aborted.cancel().abort();
    assert!(suggested(&policy, &table, scope(&[]), &aborted).unwrap_err().is_cancelled());
    let alone = Scope { limits: false, ..scope(&[4]) };
    let alone = suggested(&policy, &table, alone, &Watch::none()).unwrap();
    assert!(alone.classifier.is_none() && alone.points.iter().all(|point| point.settings.change.is_none()));
    assert!(alone.points.iter().filter_map(|p| p.measured.as_ref()).all(|m| m.samples.is_empty()));
}

#[test]
fn what_cannot_be_met_says_so_and_what_helps_is_tried() {
    let table = people(40, 5);
    let text = policy(20, 0.0, "").replace("keep = [4, 3] } }", "keep = [4, 3] } }\nmax_level = 0");
    let policy = Policy::parse(&text).unwrap();
    let found = suggested(&policy, &table, scope(&[]), &Watch::none()).unwrap();
    assert_eq!(found.points[0].status, Status::NoSolution);
    assert!(found.points[0].reason.is_some());
    let raised =
        |point: &&Point| matches!(point.settings.change, Some(ColumnChange::MaxLevel { level: None, .. }));
    assert!(found.points.iter().any(|point| raised(&point) && point.status == Status::Solved));
    // k cannot exceed the rows.
    let beyond = suggested(&policy, &table, scope(&[41]), &Watch::none()).unwrap();
    let beyond: Vec<&Point> = beyond.points.iter().filter(|point| point.settings.k == Some(41)).collect();
    assert!(!beyond.is_empty() && beyond.iter().all(|point| point.status == Status::NoSolution));
}

#[test]
fn policies_without_a_choice_are_refused() {
    let table = people(40, 5);
    let without_k =
        "[privacy]\nsuppression = 0.1\nmodels = [{ l_diversity = { column = \"illness\", l = 2 } }]\n";
    let policy = Policy::parse(&format!("{POLICY}{without_k}")).unwrap();
    let error = suggested(&policy, &table, scope(&[3]), &Watch::none()).unwrap_err();
    assert!(error.has_code("suggest.no-k"), "{error}");
    let found = suggested(&policy, &table, scope(&[]), &Watch::none()).unwrap();
    assert!(found.points.iter().all(|point| point.settings.k.is_none()));
    found.points.iter().for_each(|point| check_release(point, &policy, &table));
}
