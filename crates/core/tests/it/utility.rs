//! Statistics that a policy limits: every accepted release bounds the original narrowly enough, by
//! any method; searches agree with trying every node and every k; and the verifier detects releases
//! and certificates that do not keep what they claim.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::error::{Kind, Result};
use throng::memory::{Released, Table, release};
use throng::policy::Policy;
use throng::release::Certificate;
use throng::rows::Rows;
use throng::verify::{Inputs, Verdict, verify};
use throng::watch::Watch;

const COLUMNS: &str = "version = 1\n[input]\npath = \"people\"\n\
    [columns.age]\nrole = \"quasi\"\ndomain = [0, 100]\nhierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }\n\
    [columns.weight]\nrole = \"quasi\"\ndomain = [30, 160]\nhierarchy = { intervals = { widths = [10, 20], low = 0 } }\n\
    [columns.town]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n";

struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn people(rows: usize, seed: u64) -> Table {
    let mut draws = Draws(seed);
    let columns = ["age", "weight", "town", "ill"].map(String::from).to_vec();
    let mut row = || {
        let age = 18 + draws.below(60);
        vec![
            Some(age.to_string()),
            Some((40 + age / 2 + draws.below(40)).to_string()),
            Some(["Lynn", "Salem", "Boston"][draws.below(3) as usize].to_owned()),
            Some(["flu", "asthma"][draws.below(2) as usize].to_owned()),
        ]
    };
    Table::new(columns, (0..rows).map(|_| row()).collect()).unwrap()
}

fn no_file(_: &str) -> Result<String> {
    unreachable!("no file is named")
}

fn released(policy: &str, table: &Table) -> Result<Released> {
    release(policy, table, &no_file, &Watch::none())
}

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    let at = table.place(column).unwrap();
    table.rows().iter().map(|row| row[at].as_ref().unwrap().parse().unwrap()).collect()
}

/// A statistic by its definition.
fn value(statistic: &str, xs: &[f64], ys: &[f64]) -> f64 {
    let n = xs.len() as f64;
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
    let together = |v: &[f64], w: &[f64]| {
        let (m, o) = (mean(v), mean(w));
        v.iter().zip(w).map(|(a, b)| (a - m) * (b - o)).sum::<f64>()
    };
    let quantile = |share: f64| {
        let mut sorted = xs.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = share * (n - 1.0);
        let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
        low + at.fract() * (high - low)
    };
    match statistic {
        "mean" => mean(xs),
        "median" => quantile(0.5),
        "q25" => quantile(0.25),
        "q95" => quantile(0.95),
        "min" => quantile(0.0),
        "variance" => together(xs, xs) / (n - 1.0),
        "variance_population" => together(xs, xs) / n,
        "stddev" => (together(xs, xs) / (n - 1.0)).sqrt(),
        "covariance" => together(xs, ys) / (n - 1.0),
        "correlation" => together(xs, ys) / (together(xs, xs) * together(ys, ys)).sqrt(),
        other => panic!("{other}"),
    }
}

/// Statistics with widths that are sometimes met.
const ASKED: [(&str, f64); 10] = [
    ("mean", 9.0),
    ("median", 12.0),
    ("q25", 12.0),
    ("q95", 25.0),
    ("min", 30.0),
    ("variance", 500.0),
    ("variance_population", 500.0),
    ("stddev", 12.0),
    ("covariance", 300.0),
    ("correlation", 1.5),
];

fn limits(which: &[usize], factor: f64) -> String {
    let one = |&at: &usize| {
        let (statistic, width) = ASKED[at];
        let with = if at >= 8 { ", with = \"weight\"" } else { "" };
        format!("{{ statistic = \"{statistic}\", column = \"age\"{with}, width = {} }}", width * factor)
    };
    which.iter().map(one).collect::<Vec<_>>().join(", ")
}

const METHODS: [&str; 7] = [
    "algorithm = \"auto\"",
    "algorithm = \"auto\"\nlocal = true",
    "algorithm = \"ola\"",
    "algorithm = \"mondrian\"",
    "algorithm = \"k-similar\"",
    "algorithm = \"boxes\"",
    "",
];

fn policy(k: u64, suppression: f64, privacy: &str, search: &str) -> String {
    format!("{COLUMNS}[privacy]\nk = {k}\nsuppression = {suppression}\n{privacy}\n[search]\n{search}\n")
}

/// A policy whose numbers are written as intervals.
fn in_intervals(policy: &str) -> String {
    let wide = "hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }\n";
    let narrow = "hierarchy = { intervals = { widths = [10, 20], low = 0 } }\n";
    policy.replace(wide, "form = \"interval\"\n").replace(narrow, "form = \"interval\"\n")
}

/// What is required of a release.
#[derive(Debug, Clone)]
struct Case {
    rows: usize,
    seed: u64,
    k: u64,
    suppression: f64,
    which: Vec<usize>,
    factor: f64,
    method: usize,
    starred: bool,
}

/// An accepted release bounds every limited statistic narrowly enough, the original lies within,
/// and a refusal says what is wrong.
fn keeps_its_promise(case: Case) {
    let Case { rows, seed, k, suppression, which, factor, method, starred } = case;

    let table = people(rows, seed);
    let mut text =
        policy(k, suppression, &format!("utility = [{}]", limits(&which, factor)), METHODS[method]);
    if METHODS[method].contains("boxes") {
        text = in_intervals(&text);
    }
    if starred && method < 3 && METHODS[method].contains("auto\"") && !METHODS[method].contains("local") {
        text = text.replace("[columns.age]", "[output]\nsuppressed = \"starred\"\n[columns.age]");
    }
    match released(&text, &table) {
        Ok(made) => {
            assert!(made.verdict.holds());
            let claims = &made.certificate.release.utility;
            assert_eq!(claims.len(), which.len());
            let (xs, ys) = (numbers(&table, "age"), numbers(&table, "weight"));
            for (name, claim) in claims {
                let truth = value(name.split(' ').next().unwrap(), &xs, &ys);
                let slack = 1e-9 * truth.abs().max(1.0);
                let (low, high) = (claim.low.unwrap(), claim.high.unwrap());
                assert!(low <= truth + slack && truth - slack <= high, "{name}: {truth} {claim:?}");
                assert!(claim.holds && high - low <= claim.required * (1.0 + 1e-6), "{name} {claim:?}");
                let proven =
                    made.verdict.claims.keys().any(|key| key.starts_with(&format!("utility: {name} within")));
                assert!(proven, "{name}");
            }
        }
        Err(error) => {
            assert!(error.is_all(Kind::Unsolvable), "{error}");
            let codes: Vec<&str> = error.faults().iter().map(|fault| fault.code).collect();
            assert!(codes == ["utility.not-met"] || codes == ["search.no-safe-node"], "{error}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn accepted_releases_keep_what_they_promise(
        rows in 12..90usize,
        seed: u64,
        k in 2..6u64,
        suppression in prop_oneof![Just(0.0), Just(0.1)],
        which in proptest::sample::subsequence((0..ASKED.len()).collect::<Vec<_>>(), 1..4),
        factor in prop_oneof![Just(0.4), Just(1.0), Just(3.0)],
        method in 0..METHODS.len(),
        starred: bool,
    ) {
        keeps_its_promise(Case { rows, seed, k, suppression, which, factor, method, starred });
    }
}

/// Every node by itself: the loss and utility of the release there, if it is accepted.
fn nodes(k: u64, suppression: f64, privacy: &str, search: &str, table: &Table) -> Vec<(f64, u64)> {
    let mut found = Vec::new();
    for (age, weight, town) in (0..5).flat_map(|a| (0..4).flat_map(move |w| (0..2).map(move |t| (a, w, t)))) {
        let fixed = |text: &str, column: &str, level: usize| {
            let head = format!("[columns.{column}]\n");
            text.replace(&head, &format!("{head}min_level = {level}\nmax_level = {level}\n"))
        };
        let text = policy(k, suppression, privacy, search);
        let text = fixed(&fixed(&fixed(&text, "age", age), "weight", weight), "town", town);
        if let Ok(made) = released(&text, table) {
            let release = &made.certificate.release;
            let loss = Policy::parse(&text).unwrap().search.loss.parameters().kind;
            found.push((release.loss[loss.key()], release.privacy["k-anonymity"].achieved.unwrap() as u64));
        }
    }
    found
}

/// The search finds the least loss, or the least width, among nodes that are accurate enough.
fn finds_what_every_node_shows(case: Case, width: bool) {
    let Case { rows, seed, k, suppression, which, factor, .. } = case;
    let table = people(rows, seed);
    let privacy = format!("utility = [{}]", limits(&which, factor));
    let search = match width {
        true => {
            "algorithm = \"auto\"\nloss = { name = \"width\", statistics = [{ statistic = \"mean\", column = \"weight\" }, \
                 { statistic = \"covariance\", column = \"age\", with = \"weight\" }] }"
        }
        false => "algorithm = \"auto\"\nloss = \"lm\"",
    };
    let every = nodes(k, suppression, &privacy, search, &table);
    let least = every.iter().map(|found| found.0).fold(f64::INFINITY, f64::min);
    for search in [search.to_owned(), search.replace("auto", "mingen")] {
        match released(&policy(k, suppression, &privacy, &search), &table) {
            Ok(made) => {
                let release = &made.certificate.release;
                let loss = release.loss[if width { "width" } else { "lm" }];
                assert!((loss - least).abs() <= 1e-9 * least.max(1.0), "{loss} for {least}");
                assert!(release.search.optimal);
            }
            Err(error) => assert!(every.is_empty(), "{error}: {every:?}"),
        }
    }
}

/// The largest k for which some node is accurate enough.
fn finds_the_largest_k(case: Case) {
    let Case { rows, seed, suppression, which, .. } = case;
    let table = people(rows, seed);
    let privacy = format!("utility = [{}]", limits(&which, 1.6));
    let search = "algorithm = \"auto\"\nloss = \"lm\"";
    let works = |k: u64| released(&policy(k, suppression, &privacy, search), &table).is_ok();
    let largest = (2..=rows as u64).rev().find(|&k| works(k));
    let found = released(&policy(2, suppression, &format!("{privacy}\nmaximize = \"k\""), search), &table);
    match (found, largest) {
        (Ok(made), Some(k)) => {
            let release = &made.certificate.release;
            assert_eq!(release.search.k, Some(k));
            assert_eq!(release.privacy["k-anonymity"].required, k as f64);
            assert!(made.verdict.claims["maximize: k"].holds);
        }
        (Err(error), None) => assert!(error.is_all(Kind::Unsolvable), "{error}"),
        (found, largest) => {
            panic!("{:?} for {largest:?}", found.map(|made| made.certificate.release.search.k))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn searches_find_what_trying_every_node_finds(
        rows in 12..50usize,
        seed: u64,
        k in 2..5u64,
        suppression in prop_oneof![Just(0.0), Just(0.2)],
        which in proptest::sample::subsequence((0..ASKED.len()).collect::<Vec<_>>(), 1..3),
        factor in prop_oneof![Just(0.7), Just(1.5)],
        width: bool,
    ) {
        let case = Case { rows, seed, k, suppression, which, factor, method: 0, starred: false };
        finds_what_every_node_shows(case, width);
    }

    #[test]
    fn the_largest_k_is_that_of_trying_every_k(
        rows in 10..30usize,
        seed: u64,
        suppression in prop_oneof![Just(0.0), Just(0.2)],
        which in proptest::sample::subsequence((0..8).collect::<Vec<_>>(), 1..3),
    ) {
        let case = Case { rows, seed, k: 2, suppression, which, factor: 1.6, method: 0, starred: false };
        finds_the_largest_k(case);
    }
}

const MEAN: &str = "utility = [{ statistic = \"mean\", column = \"age\", width = 12 }, \
    { statistic = \"covariance\", column = \"age\", with = \"weight\", width = 5000 }]";

fn judged(policy: &str, certificate: &Certificate, table: &Table) -> Verdict {
    let parsed = Policy::parse(policy).unwrap();
    let files = BTreeMap::new();
    verify(&Inputs {
        policy: &parsed,
        policy_sha256: &Policy::digest(policy),
        certificate,
        files: Some(&files),
        release: table,
        original: None,
        population: None,
        build: &|column, values| {
            let spec = parsed.columns[column].hierarchy();
            throng::hierarchy::build(&spec, values, &no_file)
        },
        watch: &Watch::none(),
    })
    .unwrap()
}

/// The certificate of another table, sealed anew, so that nothing but the statistics is wrong.
fn resealed(made: &Released, table: &Table, change: impl Fn(&mut throng::release::Release)) -> Certificate {
    let mut release = made.certificate.release.clone();
    release.output.sha256 = table.fingerprint(&Watch::none()).unwrap();
    change(&mut release);
    Certificate::new(release, made.certificate.columns.clone(), made.certificate.classes).unwrap()
}

#[test]
fn the_verifier_detects_releases_and_certificates_that_are_not_as_accurate() {
    let table = people(200, 7);
    let text = policy(3, 0.05, MEAN, "algorithm = \"auto\"\nloss = \"lm\"");
    let made = released(&text, &table).unwrap();
    let claim = "utility: mean of age within 12";
    let same = judged(&text, &made.certificate, &made.table);
    assert!(same.claims[claim].holds && same.holds(), "{:?}", same.claims);
    // Wider cells in place of the released ones.
    let at = made.table.place("age").unwrap();
    let wider = made.table.rows().iter().map(|row| {
        let mut row = row.clone();
        row[at] = Some("[0, 100)".into());
        row
    });
    let wider = Table::new(made.table.columns().to_vec(), wider.collect()).unwrap();
    let verdict = judged(&text, &resealed(&made, &wider, |_| {}), &wider);
    assert!(!verdict.claims[claim].holds);
    assert!(verdict.claims[claim].found.contains("at most 12 is allowed"), "{}", verdict.claims[claim].found);
    // Cells that are not numbers, and missing ones.
    for cell in [Some("old".to_owned()), None] {
        let unread = made.table.rows().iter().map(|row| {
            let mut row = row.clone();
            row[at] = cell.clone();
            row
        });
        let unread = Table::new(made.table.columns().to_vec(), unread.collect()).unwrap();
        let verdict = judged(&text, &resealed(&made, &unread, |_| {}), &unread);
        assert!(!verdict.claims[claim].holds, "{:?}", verdict.claims[claim]);
    }
    // Another number of rows of the original: more of them are unknown.
    let verdict = judged(&text, &resealed(&made, &made.table, |release| release.rows += 500), &made.table);
    assert!(!verdict.claims[claim].holds);
    // Other figures.
    let name = "mean of age";
    type Change<'a> = &'a dyn Fn(&mut throng::release::UtilityClaim);
    let changes: [Change<'_>; 4] = [
        &|claim| claim.low = claim.low.map(|low| low + 0.5),
        &|claim| claim.high = None,
        &|claim| claim.required = 9.0,
        &|claim| claim.holds = false,
    ];
    for change in changes {
        let forged = resealed(&made, &made.table, |release| change(release.utility.get_mut(name).unwrap()));
        assert!(!judged(&text, &forged, &made.table).claims[claim].holds);
    }
    let silent = resealed(&made, &made.table, |release| {
        release.utility.remove(name);
    });
    assert!(!judged(&text, &silent, &made.table).claims[claim].holds);
    // A k that was not reached.
    let text = policy(2, 0.05, &format!("{MEAN}\nmaximize = \"k\""), "algorithm = \"auto\"\nloss = \"lm\"");
    let made = released(&text, &table).unwrap();
    let reached = made.certificate.release.search.k.unwrap();
    assert!(reached > 2 && judged(&text, &made.certificate, &made.table).holds());
    let forged = resealed(&made, &made.table, |release| {
        release.search.k = Some(reached + 50);
        release.privacy.get_mut("k-anonymity").unwrap().required += 50.0;
    });
    assert!(!judged(&text, &forged, &made.table).claims["maximize: k"].holds);
    let forged = resealed(&made, &made.table, |release| release.search.k = None);
    assert!(!judged(&text, &forged, &made.table).claims["certificate"].holds);
}

#[test]
fn refusals_name_the_miss_and_changes_that_were_tried() {
    let table = people(200, 7);
    let text = policy(
        30,
        0.0,
        "utility = [{ statistic = \"mean\", column = \"age\", width = 6 }]",
        "algorithm = \"auto\"\nloss = \"lm\"",
    );
    let error = released(&text, &table).unwrap_err();
    let [fault] = error.faults() else { panic!("{error}") };
    assert_eq!((fault.code, fault.kind), ("utility.not-met", Kind::Unsolvable));
    assert!(fault.message.contains("mean of age: bounds of width"), "{}", fault.message);
    let help = fault.help.as_deref().unwrap();
    // Each change really helps: the smaller k, and the wider limit.
    let k: u64 = help
        .split("privacy.k = ")
        .nth(1)
        .unwrap()
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap()
        .parse()
        .unwrap();
    released(&text.replace("k = 30", &format!("k = {k}")), &table).unwrap();
    assert!(released(&text.replace("k = 30", &format!("k = {}", k + 1)), &table).is_err());
    let width = help.split("mean of age within ").nth(1).unwrap().trim();
    released(&text.replace("width = 6", &format!("width = {width}")), &table).unwrap();
}

#[test]
fn columns_without_bounds_are_refused() {
    let code = |text: &str, table: &Table| released(text, table).unwrap_err().faults()[0].code;
    let table = people(40, 1);
    let asked = |column: &str, more: &str| {
        policy(
            2,
            0.0,
            &format!("utility = [{{ statistic = \"mean\", column = \"{column}\", width = 5{more} }}]"),
            "algorithm = \"auto\"",
        )
    };
    assert_eq!(code(&asked("town", ""), &table), "utility.not-numbers");
    assert_eq!(code(&asked("ill", ""), &table), "policy.utility-of-other-role");
    assert_eq!(code(&asked("agee", ""), &table), "policy.no-such-column");
    assert_eq!(code(&asked("age", ", with = \"weight\""), &table), "policy.utility-of-one-column");
    assert_eq!(
        code(&asked("age", "").replace("width = 5", "width = -5"), &table),
        "policy.utility-width-negative"
    );
    assert_eq!(code(&asked("age", "").replace(", width = 5", ""), &table), "policy.utility-without-width");
    assert_eq!(code(&asked("age", "").replace("\"mean\"", "\"means\""), &table), "registry.unknown-name");
    assert_eq!(
        code(&asked("age", "").replace("\"mean\"", "\"correlation\""), &table),
        "policy.utility-needs-two-columns"
    );
    assert_eq!(code(&asked("age", "").replace("[0, 100]", "[30, 100]"), &table), "utility.outside-domain");
    assert_eq!(code(&asked("age", "").replace("[0, 100]", "[100, 0]"), &table), "policy.domain-inverted");
    assert_eq!(code(&policy(2, 0.0, "maximize = \"k\"", ""), &table), "policy.maximize-without-utility");
    assert_eq!(code(&policy(2, 0.0, "", "loss = \"width\""), &table), "policy.width-without-statistics");
    let statistics = "loss = { name = \"lm\", statistics = [{ statistic = \"mean\", column = \"age\" }] }";
    assert_eq!(code(&policy(2, 0.0, "", statistics), &table), "policy.statistics-of-other-loss");
    let mut rows = table.rows().to_vec();
    rows[3][0] = None;
    let missing = Table::new(table.columns().to_vec(), rows).unwrap();
    assert_eq!(code(&asked("age", ""), &missing), "utility.missing-cells");
    // A suppressed column without a domain has no bound; with one it has.
    let text = asked("age", "").replace("domain = [0, 100]\n", "min_level = 4\n");
    let error = released(&text, &table).unwrap_err();
    assert!(error.faults()[0].message.contains("without a domain"), "{error}");
    let text = asked("age", "").replace("domain = [0, 100]\n", "domain = [0, 100]\nmin_level = 4\n");
    assert!(released(&text.replace("width = 5", "width = 100"), &table).unwrap().verdict.holds());
}

#[test]
fn boxes_are_narrow_where_the_statistics_are_sensitive() {
    let table = people(300, 9);
    let width = |of: &str, measured: &str| {
        let asked = |column: &str| format!("{{ statistic = \"mean\", column = \"{column}\", width = 100 }}");
        let narrow = asked(of).replace("width = 100", "width = 0.5");
        let search = format!("algorithm = \"boxes\"\nloss = {{ name = \"width\", statistics = [{narrow}] }}");
        let text = policy(5, 0.0, &format!("utility = [{}]", asked(measured)), &search)
            .replace(
                "hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }\n",
                "form = \"interval\"\n",
            )
            .replace("hierarchy = { intervals = { widths = [10, 20], low = 0 } }\n", "form = \"interval\"\n");
        let made = released(&text, &table).unwrap();
        made.certificate.release.utility[&format!("mean of {measured}")].achieved.unwrap()
    };
    assert!(width("age", "age") < 0.6 * width("weight", "age"));
    assert!(width("weight", "weight") < 0.6 * width("age", "weight"));
}
