//! k-map [Sweeney 2001, 5] with regions of rows against `k_map.py`, and every method that forms
//! regions against the definition.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use throng::memory::{Released, Table, release_from_population};
use throng::policy::Policy;
use throng::recode::{axes, made};
use throng::recoding::Share;
use throng::registry::Algorithm;
use throng::release::Certificate;
use throng::search::{Grouped, Population, Problem};
use throng::space::Space;
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::verify::{Inputs, Verdict, verify};
use throng::watch::Watch;

use super::{Row, cases, codes, recorded, row};

const FOUND: &str = include_str!("k_map.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    people: Vec<Row>,
    rows: Vec<Row>,
    regions: Vec<(Row, u32)>,
    /// Cells, rows and people.
    classes: Vec<(Row, u32, u32)>,
}

fn names() -> Vec<String> {
    ["zip", "age", "job"].map(String::from).into()
}

fn counted(rows: &[Row]) -> (Vec<Dictionary>, Tuples) {
    let mut dictionaries = vec![Dictionary::new(); 3];
    let mut tuples = Tuples::new(3);
    for row in rows {
        let codes: Vec<u32> =
            dictionaries.iter_mut().zip(row).map(|(d, cell)| d.add(cell.as_deref(), 1)).collect();
        tuples.insert(&codes, 1);
    }
    (dictionaries, tuples)
}

fn problem(policy: &Policy, rows: &[Row], people: &[Row]) -> Problem {
    let (dictionaries, tuples) = counted(people);
    let population = Some(Population { dictionaries, tuples });
    let (dictionaries, tuples) = counted(rows);
    let grouped = Grouped { names: names(), measured: Vec::new(), dictionaries, tuples, population };
    Problem::new(policy, grouped, &|_| unreachable!()).unwrap().0
}

#[test]
fn people_are_those_of_the_script() {
    let (mut safe, mut unsafe_ones) = (0, 0);
    for (line, case) in cases::<Case>(FOUND) {
        let policy = Policy::parse(&case.policy).unwrap();
        let problem = problem(&policy, &case.rows, &case.people);
        let ground = problem.ground();
        let space = Space::new(ground.classes, axes(&policy, &ground).unwrap());
        let share = |class: usize| {
            let cell = |c: usize| problem.hierarchies[c].leaf_value(problem.classes.code(class, c));
            let tuple: Row = (0..3).map(|c| cell(c).map(String::from)).collect();
            let region = case.regions.iter().find(|(row, _)| *row == tuple).unwrap().1;
            Share { point: class as u32, region, rows: problem.classes.counts()[class] }
        };
        let shares = (0..problem.classes.len()).map(share).collect();
        let least = case.classes.iter().map(|class| u64::from(class.2)).min().unwrap();
        let k = problem.models[0].scope().people().unwrap();
        match made(&ground, &space, shares) {
            Err(error) => {
                assert!(least < k && codes(&error) == ["search.regions-not-safe"], "{error}: {line}");
                unsafe_ones += 1;
            }
            Ok(regional) => {
                assert!(least >= k, "{line}");
                let view = regional.released.view();
                let label = |class: usize, c: usize| view.hierarchies()[c].leaf_value(view.code(class, c));
                let people = view.people().unwrap();
                let class = |at: usize| {
                    let cells: Row = (0..3).map(|c| label(at, c).map(String::from)).collect();
                    (cells, view.counts()[at], people[at])
                };
                let mut found: Vec<_> = (0..view.len()).map(class).collect();
                let mut expected = case.classes.clone();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{line}");
                safe += 1;
            }
        }
    }
    assert!(safe > 40 && unsafe_ones > 40, "{safe} safe, {unsafe_ones} not");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("k_map.py", FOUND);
}

fn policy(algorithm: Algorithm, privacy: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.zip]\nrole = \"quasi\"\n\
         hierarchy = {{ mask = {{ from = \"right\" }} }}\n[columns.age]\nrole = \"quasi\"\nform = \"interval\"\n\
         [columns.job]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\n{privacy}\
         [search]\nalgorithm = \"{algorithm}\"\nloss = \"lm\"\n"
    )
}

fn table(rows: &[Row], columns: usize) -> Table {
    let names = ["zip", "age", "job", "ill"].map(String::from);
    let rows = rows.iter().map(|row| row[..columns].to_vec()).collect();
    Table::new(names[..columns].to_vec(), rows).unwrap()
}

fn matches(column: usize, text: Option<&str>, value: Option<&str>) -> bool {
    let (Some(text), Some(value)) = (text, value) else { return text == Some("*") || text == value };
    let number = |text: &str| text.parse::<f64>().unwrap();
    match column {
        _ if text == "*" || text == value => true,
        0 => text.ends_with('*') && text[..1] == value[..1],
        1 => text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).is_some_and(|t| {
            let (low, high) = t.split_once(", ").unwrap();
            (number(low)..=number(high)).contains(&number(value))
        }),
        _ => text.starts_with('{') && text[1..text.len() - 1].split(", ").any(|shown| shown == value),
    }
}

/// The people who match a released row.
fn crowd(row: &Row, people: &[Row]) -> usize {
    let cell = |row: &Row, c: usize| row[c].clone();
    let like =
        |person: &&Row| (0..3).all(|c| matches(c, cell(row, c).as_deref(), cell(person, c).as_deref()));
    people.iter().filter(like).count()
}

fn people() -> impl Strategy<Value = Vec<Row>> {
    let zip = prop::option::weighted(0.95, prop::sample::select(vec!["11", "12", "13", "21", "22", "31"]));
    let job = prop::option::weighted(0.95, prop::sample::select(vec!["a", "b", "c", "d"]));
    let person =
        (zip, prop::option::weighted(0.95, 20..45u8), job, 0..3u8).prop_map(|(zip, age, job, ill)| {
            vec![
                zip.map(String::from),
                age.map(|n| n.to_string()),
                job.map(String::from),
                Some(ill.to_string()),
            ]
        });
    prop::collection::vec(person, 2..70)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Everything released matches k people, the verifier counts the same, and where nothing is
    /// released, not even one region of all rows would do.
    #[test]
    fn every_method_keeps_k_map(
        people in people(),
        drawn in 1..40usize,
        k in 1..9u64,
        more in prop::sample::select(vec!["", "k = 2\n", "k = 3\n", "suppression = 0.3\n"]),
        diverse in any::<bool>(),
    ) {
        let rows = &people[..drawn.min(people.len())];
        let k = k.min(people.len() as u64);
        let diverse = if diverse { ", { l_diversity = { column = \"ill\", l = 2 } }" } else { "" };
        let privacy = format!("{more}models = [{{ k_map = {{ k = {k}, population = \"p.csv\" }} }}{diverse}]\n");
        let methods = |a: &&Algorithm| a.forms_regions() && a.entry().k_anonymous && !a.entry().small_tables;
        for &algorithm in Algorithm::ALL.iter().filter(methods) {
            let (asked, from) = (table(rows, 4), table(&people, 3));
            let policy = policy(algorithm, &privacy);
            match release_from_population(&policy, &asked, &from, &|_| unreachable!(), &Watch::none()) {
                Ok(released) => {
                    prop_assert!(released.verdict.holds(), "{algorithm}");
                    let claim = &released.verdict.claims["k-map"];
                    prop_assert!(!claim.unchecked, "{algorithm}: {claim:?}");
                    let matched: Vec<usize> = released.table.rows().iter().map(|row| crowd(row, &people)).collect();
                    prop_assert!(matched.iter().all(|&n| n as u64 >= k), "{algorithm}: {matched:?}");
                    let achieved = released.certificate.release.privacy["k-map"].achieved;
                    prop_assert_eq!(achieved, matched.iter().min().map(|&n| n as f64), "{}", algorithm);
                }
                Err(error) => {
                    let solvable = codes(&error).iter().any(|code| !IMPOSSIBLE.contains(code));
                    prop_assert!(!solvable, "{algorithm}: {error}");
                }
            }
        }
    }
}

/// What cannot be helped: too few rows, values or people.
const IMPOSSIBLE: [&str; 4] = [
    "search.models-out-of-reach",
    "search.too-many-suppressed",
    "model.k-above-rows",
    "model.l-above-values",
];

/// Two young patients and nobody else of their age: their interval is true of no third person, and
/// no wider one is true of the rows alone. A search of levels finds the hierarchy's.
#[test]
fn where_all_rows_together_match_too_few_people_nothing_is_released() {
    let all = "11 20 a 0;11 21 a 1;11 60 a 0;12 61 a 1;13 62 b 0";
    let people: Vec<Row> = all.split(';').map(row).collect();
    let asked = |k: u64| format!("models = [{{ k_map = {{ k = {k}, population = \"p.csv\" }} }}]\n");
    let run = |k: u64, rows: usize| {
        let (table, from) = (table(&people[..rows], 4), table(&people, 3));
        let policy = policy(Algorithm::Mondrian, &asked(k));
        release_from_population(&policy, &table, &from, &|_| unreachable!(), &Watch::none())
    };
    let error = run(3, 2).unwrap_err();
    assert_eq!(codes(&error), ["search.models-out-of-reach"]);
    let fault = &error.faults()[0];
    assert!(fault.message.contains("not even all 2 rows together satisfy k-map"), "{fault}");
    assert!(fault.help.as_ref().unwrap().contains("ask for at most 2 of k-map"), "{:?}", fault.help);
    assert_eq!(run(2, 2).unwrap().table.rows().len(), 2);
    // A single row that enough people match may be a region of its own.
    let alone: Vec<Row> = [&people[..], &people[..1]].concat();
    let policy = policy(Algorithm::KSimilar, &asked(2));
    let from = table(&alone, 3);
    let one =
        release_from_population(&policy, &table(&people[..1], 4), &from, &|_| unreachable!(), &Watch::none());
    assert_eq!(one.unwrap().table.rows(), &[row("11 20 a 0")]);
}

fn judged(policy: &str, released: &Released, certificate: &Certificate, people: &[Row]) -> Verdict {
    let policy_sha256 = Policy::digest(policy);
    let policy = Policy::parse(policy).unwrap();
    let from = table(people, 3);
    verify(&Inputs {
        policy: &policy,
        policy_sha256: &policy_sha256,
        certificate,
        files: None,
        release: &released.table,
        original: None,
        population: Some(&from),
        build: &|column, values| {
            throng::hierarchy::build(&policy.columns[column].hierarchy(), values, &|_| unreachable!())
        },
        watch: &Watch::none(),
    })
    .unwrap()
}

#[test]
fn the_verifier_counts_people_by_itself() {
    let all = "11 20 a 0;11 21 a 1;11 22 a 0;12 31 b 1;13 32 b 0;12 33 b 1;21 50 c 0;22 51 c 1";
    let people: Vec<Row> = all.split(';').map(row).collect();
    let privacy = "models = [{ k_map = { k = 2, population = \"p.csv\" } }]\n";
    for algorithm in [Algorithm::Mondrian, Algorithm::KSimilar, Algorithm::Greedy] {
        let policy = policy(algorithm, privacy);
        let (asked, from) = (table(&people[..7], 4), table(&people, 3));
        let released =
            release_from_population(&policy, &asked, &from, &|_| unreachable!(), &Watch::none()).unwrap();
        let certificate = &released.certificate;
        let verdict = judged(&policy, &released, certificate, &people);
        assert!(verdict.claims["k-map"].holds && !verdict.claims["k-map"].unchecked, "{verdict:#?}");
        // Fewer people than were counted.
        let verdict = judged(&policy, &released, certificate, &people[..1]);
        assert!(!verdict.claims["k-map"].holds && !verdict.claims["population"].holds, "{verdict:#?}");
        // A better figure than there is.
        let mut facts = certificate.release.clone();
        let claim = facts.privacy.get_mut("k-map").unwrap();
        claim.achieved = claim.achieved.map(|people| people + 1.0);
        let forged = Certificate::new(facts, certificate.columns.clone(), certificate.classes).unwrap();
        let verdict = judged(&policy, &released, &forged, &people);
        assert!(verdict.claims["certificate"].holds && !verdict.claims["k-map"].holds, "{verdict:#?}");
    }
}

#[test]
fn other_models_of_a_population_are_refused_with_a_reason() {
    let refused = |model: &str, more: &str| -> BTreeMap<&'static str, String> {
        let policy = policy(Algorithm::Mondrian, &format!("models = [{model}]\n"))
            .replace("form = \"interval\"", more);
        let error = Policy::parse(&policy).unwrap_err();
        error.faults().iter().map(|fault| (fault.code, fault.message.clone())).collect()
    };
    for (model, reason) in [
        ("{ k_map = { k = 2, population = 1000 } }", "formed around rows"),
        ("{ j_anonymity = { k = 2, population = \"p.csv\" } }", "formed around rows"),
        ("{ delta_presence = { population = \"p.csv\", max = 0.5 } }", "add up"),
    ] {
        let found = refused(model, "form = \"interval\"");
        assert!(found["policy.model-without-regions"].contains(reason), "{model}: {found:?}");
    }
    let mean = refused("{ k_map = { k = 2, population = \"p.csv\" } }", "form = \"mean\"");
    assert!(mean.contains_key("model.population-with-untrue-cells"), "{mean:?}");
}
