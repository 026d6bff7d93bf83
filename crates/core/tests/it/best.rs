//! The algorithm "best": never worse than its first method, the same on any number of threads, and
//! a release even when it is stopped; cells that a reader can use; levels where levels are needed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use throng::decide::{Chosen, DecidedAssignment, choose, decide, decide_as_certified};
use throng::error::{Kind, Result};
use throng::hierarchy::{self, Spec};
use throng::memory::{Released, Table, release};
use throng::policy::{Form, Policy};
use throng::registry::Algorithm;
use throng::release::Certificate;
use throng::rows::Rows;
use throng::search::{Grouped, Problem};
use throng::verify::{Assignment, Inputs, Original, Verdict, verify};
use throng::watch::{Cancel, Event, Watch};

use crate::assigned::{Entry, Stated, entries};

const POLICY: &str = "version = 1\n[input]\npath = \"people\"\n[columns]\nage.role = \"quasi\"\nzip.role = \"quasi\"\n\
    born.role = \"quasi\"\ntown.role = \"quasi\"\nill.role = \"sensitive\"\n[privacy]\nk = 4\nsuppression = 0.1\n";

/// Numbers that look like chance.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Ages, postal codes that begin with 0, dates of birth, towns and illnesses.
fn people(rows: usize, seed: u64) -> Table {
    let mut draws = Draws(seed);
    let columns = ["age", "zip", "born", "town", "ill"].map(String::from).to_vec();
    let mut row = || {
        let (year, month, day) = (1950 + draws.below(50), 1 + draws.below(12), 1 + draws.below(28));
        let town = ["Lynn", "Salem", "Boston", "Quincy", "Newton", "Malden"][draws.below(6) as usize];
        vec![
            Some((18 + draws.below(60)).to_string()),
            Some(format!("02{:03}", 100 + draws.below(9))),
            Some(format!("{year}-{month:02}-{day:02}")),
            Some(town.to_owned()),
            Some(["flu", "asthma", "angina"][draws.below(3) as usize].to_owned()),
        ]
    };
    Table::new(columns, (0..rows).map(|_| row()).collect()).unwrap()
}

fn no_file(_: &str) -> Result<String> {
    unreachable!("no file is named")
}

fn released(policy: &str, table: &Table, watch: &Watch) -> Result<Released> {
    release(policy, table, &no_file, watch)
}

fn problem(policy: &Policy, table: &Table) -> Problem {
    let (quasi, measured) = policy.grouped_columns(table.columns());
    let places: Vec<usize> = quasi.iter().chain(&measured).map(|name| table.place(name).unwrap()).collect();
    let counted = table.count(&places, &Watch::none()).unwrap();
    Problem::new(policy, Grouped::new(quasi, measured, counted), &no_file).unwrap().0
}

fn chosen(policy: &str, table: &Table) -> Chosen {
    let policy = Policy::parse(policy).unwrap();
    choose(&policy, &problem(&policy, table), None, &Watch::none()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Its first result is that of Mondrian, and only one that loses less replaces it.
    #[test]
    fn it_never_loses_more_than_mondrian(rows in 12..150usize, seed: u64, k in 2..6u32) {
        let (table, policy) = (people(rows, seed), POLICY.replace("k = 4", &format!("k = {k}")));
        let best = chosen(&policy, &table);
        let search = "[search]\nloss = \"lm\"\nalgorithm = \"mondrian\"\nmondrian = { by = \"gain\" }\n";
        let mondrian = chosen(&format!("{policy}{search}"), &table);
        match best.method {
            Some(Algorithm::Mondrian) => prop_assert_eq!(best.loss, mondrian.loss),
            Some(Algorithm::KSimilar) => prop_assert!(best.loss < mondrian.loss),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

#[test]
fn threads_change_nothing() {
    let table = people(600, 5);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let made = pool.install(|| released(POLICY, &table, &Watch::none()).unwrap());
        (made.table.rows().to_vec(), format!("{:?}", made.certificate))
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn stopped_by_time_it_releases_the_first_result() {
    let table = people(400, 3);
    let stopped = released(POLICY, &table, &Watch::none().limited(|| true)).unwrap();
    assert!(stopped.verdict.holds());
    assert_eq!(stopped.certificate.release.search.method.as_deref(), Some("mondrian"));
    let all = released(POLICY, &table, &Watch::none()).unwrap();
    assert_eq!(all.certificate.release.search.method.as_deref(), Some("k-similar"));
    assert!(all.certificate.release.loss["lm"] < stopped.certificate.release.loss["lm"]);
    // Interrupted before there is a result, there is none.
    let cancel = Cancel::new();
    cancel.finish();
    let error = released(POLICY, &table, &Watch::new(cancel)).unwrap_err();
    assert!(error.is_all(Kind::Cancelled), "{error}");
}

#[test]
fn every_better_result_is_reported_when_it_is_found() {
    let table = people(400, 3);
    let found = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&found);
    let watch = Watch::none().listening(move |event| {
        if let Event::Found { method, loss, value } = event {
            noted.lock().unwrap().push((method.to_owned(), loss.to_owned(), value));
        }
    });
    let made = released(POLICY, &table, &watch).unwrap();
    let found = found.lock().unwrap();
    let names: Vec<(&str, &str)> = found.iter().map(|(m, l, _)| (m.as_str(), l.as_str())).collect();
    assert_eq!(names, [("mondrian", "lm"), ("k-similar", "lm")]);
    assert!(found[1].2 < found[0].2);
    assert_eq!(found[1].2, made.certificate.release.loss["lm"]);
}

#[test]
fn cells_are_intervals_dates_and_short_sets() {
    let table = people(300, 11);
    let made = released(POLICY, &table, &Watch::none()).unwrap();
    let forms = &made.certificate.release.regions.as_ref().unwrap().forms;
    let form = |name: &str| forms[name];
    assert_eq!((form("age"), form("zip")), (Form::Interval, Form::Set), "postal codes are no numbers");
    assert_eq!((form("born"), form("town")), (Form::Range, Form::Set));
    let column = |name: &str| {
        let at = made.table.place(name).unwrap();
        made.table.rows().iter().map(move |row| row[at].clone().unwrap())
    };
    assert!(column("born").all(|cell| !cell.contains('{')), "no list of dates");
    assert!(column("born").any(|cell| cell.contains(" - ")));
    assert!(column("zip").all(|cell| !cell.starts_with('[')));
    for name in ["zip", "town"] {
        assert!(column(name).all(|cell| cell.matches(", ").count() < 8), "at most 8 values are listed");
    }
    let asked = POLICY.replace("born.role = \"quasi\"", "born = { role = \"quasi\", form = \"interval\" }");
    let made = released(&asked, &table, &Watch::none()).unwrap();
    assert_eq!(made.certificate.release.regions.as_ref().unwrap().forms["born"], Form::Range);
}

#[test]
fn a_set_of_many_values_is_anything() {
    let columns = ["code", "ill"].map(String::from).to_vec();
    let row = |i: usize| vec![Some(format!("c{i:02}")), Some("flu".to_owned())];
    let table = Table::new(columns, (0..40).map(row).collect()).unwrap();
    let policy = |k: u32| {
        format!(
            "version = 1\n[input]\npath = \"t\"\n[columns]\ncode.role = \"quasi\"\nill.role = \"keep\"\n\
             [privacy]\nk = {k}\n"
        )
    };
    for (k, stars) in [(5, false), (20, true)] {
        let made = released(&policy(k), &table, &Watch::none()).unwrap();
        let starred = made.table.rows().iter().filter(|row| row[0].as_deref() == Some("*")).count();
        assert_eq!(starred, if stars { 40 } else { 0 }, "k = {k}");
        assert!(made.verdict.holds());
    }
}

#[test]
fn settings_of_levels_are_searched_by_levels() {
    let table = people(200, 2);
    for (more, part) in [
        ("[output]\nsuppressed = \"starred\"\n", "output.suppressed"),
        ("[search]\nlocal = true\n", "search.local"),
        ("[search]\nprefer = \"suppression\"\n", "search.prefer"),
        ("[search]\nloss = \"height\"\n", "\"height\""),
    ] {
        let text = format!("{POLICY}{more}").replace("suppression = 0.1", "suppression = 1.0");
        let policy = Policy::parse(&text).unwrap();
        assert!(!policy.forms_regions());
        let made = released(&text, &table, &Watch::none()).unwrap();
        let search = &made.certificate.release.search;
        assert_eq!((&*search.algorithm, search.method.as_deref()), ("best", Some("auto")), "{more}");
        assert!(search.reason.as_ref().is_some_and(|reason| reason.contains(part)), "{search:?}");
        assert!(made.certificate.release.regions.is_none());
        let same = text.replace("[search]\n", "[search]\nalgorithm = \"auto\"\n");
        let same = if more.contains("[search]") {
            same
        } else {
            same + "[search]\nalgorithm = \"auto\"\nloss = \"lm\"\n"
        };
        let same = if same.contains("loss") { same } else { same + "loss = \"lm\"\n" };
        let auto = released(&same, &table, &Watch::none()).unwrap();
        assert_eq!(auto.certificate.release.levels, made.certificate.release.levels, "{more}");
    }
    let judged = POLICY.replace("[privacy]\n", "[privacy]\nmodels = [{ average_risk = { max = 0.05 } }]\n");
    let made = released(&judged.replace("0.1", "1.0"), &table, &Watch::none()).unwrap();
    assert!(made.certificate.release.search.reason.unwrap().contains("all classes together"));
}

/// An assignment in which the cells of two tuples are exchanged.
fn exchanged(assignment: &dyn Assignment) -> Vec<Entry> {
    let mut entries = entries(assignment).unwrap();
    let other = (1..entries.len()).find(|&at| entries[at].2 != entries[0].2).unwrap();
    let first = entries[0].2.take();
    entries[0].2 = std::mem::replace(&mut entries[other].2, first);
    entries
}

fn judged(
    (table, made): (&Table, &Released),
    certificate: &Certificate,
    assignment: &dyn Assignment,
) -> Verdict {
    let policy = Policy::parse(POLICY).unwrap();
    verify(&Inputs {
        policy: &policy,
        policy_sha256: &Policy::digest(POLICY),
        certificate,
        files: Some(&BTreeMap::new()),
        release: &made.table,
        original: Some(Original {
            rows: table,
            assignment: Some(assignment),
            secret: None,
            counted: None,
            notes: None,
        }),
        population: None,
        build: &|_, values| hierarchy::build(&Spec::Suppress, values, &no_file),
        watch: &Watch::none(),
    })
    .unwrap()
}

#[test]
fn what_is_not_true_is_refuted() {
    let table = people(200, 7);
    let made = released(POLICY, &table, &Watch::none()).unwrap();
    let policy = Policy::parse(POLICY).unwrap();
    let problem = problem(&policy, &table);
    let decision = decide(&policy, &problem, None, &Watch::none()).unwrap();
    let assignment = DecidedAssignment::new(&policy, &problem, &decision);
    assert!(judged((&table, &made), &made.certificate, &assignment).holds());
    let exchanged = judged((&table, &made), &made.certificate, &Stated(&exchanged(&assignment)));
    assert!(!exchanged.holds(), "{exchanged:?}");
    // The method must be one that can be chosen.
    for method in [None, Some("mdav"), Some("auto")] {
        let mut release = made.certificate.release.clone();
        release.search.method = method.map(String::from);
        let Certificate { columns, classes, .. } = made.certificate.clone();
        let certificate = Certificate::new(release, columns, classes).unwrap();
        let verdict = judged((&table, &made), &certificate, &assignment);
        assert!(!verdict.claims["certificate"].holds, "{method:?}");
    }
    // By the certificate only the method that was chosen is run again.
    let facts = &made.certificate.release.search;
    let again = decide_as_certified(&policy, &problem, None, facts, &Watch::none()).unwrap();
    assert_eq!((again.loss, &again.search.method), (decision.loss, &decision.search.method));
    let mut first = facts.clone();
    first.method = Some("mondrian".into());
    let other = decide_as_certified(&policy, &problem, None, &first, &Watch::none()).unwrap();
    assert!(other.loss > again.loss);
}
