//! Differential privacy by sampling: the policies that may use it, searches on sampled rows, and
//! the verifier against a holder who works row by row, honest or not.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use throng::error::Result;
use throng::hierarchy::{self, Spec};
use throng::policy::Policy;
use throng::pseudonym::Key;
use throng::release::{
    Certificate, Claim, FileFacts, PolicyFacts, Release, Risks, RowRisk, SamplingFacts, SearchFacts,
};
use throng::rows::{Counted, Rows, Table};
use throng::sampling::{Draw, Sample, Sampling};
use throng::search::{self, Evaluator, Grouped, Outcome, Problem};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::verify::{Inputs, Original, Verdict, verify};
use throng::watch::Watch;

/// ε = 1 and δ = 0.02 draw 63 % of the rows and ask for classes of 16.
const POLICY: &str = r#"
version = 1
[input]
path = "people.csv"
missing = "value"
[output]
path = "release.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [10, 50], low = 0, high = 100 } }
min_level = 2
max_level = 2
[columns.sex]
role = "quasi"
hierarchy = { order = { fanout = [2], values = ["f", "m"] } }
max_level = 0
[privacy]
models = [{ differential_privacy = { epsilon = 1.0, delta = 0.02, key_env = "KEY" } }]
[search]
algorithm = "auto"
"#;

const SECRET: &[u8] = b"a secret of enough bytes";

fn refused(from: &str, to: &str) -> (String, String) {
    assert!(POLICY.contains(from), "{from}");
    let error = Policy::parse(&POLICY.replace(from, to)).expect_err(to);
    let fault = &error.faults()[0];
    assert_eq!(error.faults().len(), 1, "{to}: {error}");
    (fault.place.key.clone().unwrap(), format!("{}; {}", fault.message, fault.help.as_deref().unwrap()))
}

#[test]
fn what_would_tell_of_the_data_is_refused_with_the_remedy() {
    for (from, to, key, remedy) in [
        ("max_level = 2", "max_level = 3", "columns.age.max_level", "fix it"),
        ("min_level = 2\n", "", "columns.age.max_level", "fix it"),
        ("max_level = 0", "", "columns.sex.max_level", "min_level = 1, max_level = 1"),
        (", low = 0", "", "columns.age.hierarchy", "give `low` and `high`"),
        (", high = 100", "", "columns.age.hierarchy", "give `low` and `high`"),
        (", values = [\"f\", \"m\"]", "", "columns.sex.hierarchy", "list all values"),
        (
            "{ order = { fanout = [2], values = [\"f\", \"m\"] } }",
            "{ mask = {} }",
            "columns.sex.hierarchy",
            "file",
        ),
        (
            "{ order = { fanout = [2], values = [\"f\", \"m\"] } }",
            "{ postal = {} }",
            "columns.sex.hierarchy",
            "file",
        ),
        (
            "{ order = { fanout = [2], values = [\"f\", \"m\"] } }",
            "{ priority = { keep = [1] } }",
            "columns.sex.hierarchy",
            "file",
        ),
        ("role = \"identifier\"", "role = \"sensitive\"", "columns.name.role", "\"quasi\""),
        ("role = \"identifier\"", "role = \"keep\"", "columns.name.role", "\"drop\""),
        (
            "role = \"identifier\"",
            "role = \"identifier\"\ntransform = { substitute = { key_env = \"KEY\" } }",
            "columns.name.transform",
            "\"drop\"",
        ),
        ("[privacy]", "[privacy]\nsuppression = 0.1", "privacy.suppression", "remove it"),
        ("\"value\"", "\"wildcard\"", "input.missing", "\"suppress\""),
        ("[columns.name]", "suppressed = \"starred\"\n[columns.name]", "output.suppressed", "\"dropped\""),
        ("[columns.name]", "keep_order = true\n[columns.name]", "output.keep_order", "false"),
        ("algorithm = \"auto\"", "algorithm = \"ola\"", "search.algorithm", "\"auto\""),
        ("[privacy]", "[privacy.quasi.a]\ncolumns = [\"age\"]\nk = 3\n[privacy]", "privacy.quasi", "remove"),
        ("epsilon = 1.0", "epsilon = 0.0", "privacy.models.0.differential_privacy.epsilon", "0.001 to 10"),
        ("delta = 0.02", "delta = 0.7", "privacy.models.0.differential_privacy.delta", "below 0.6321"),
        (", key_env = \"KEY\"", "", "privacy.models.0.differential_privacy.key_file", "key_file ="),
        ("key_env = \"KEY\"", "key_env = \"\"", "privacy.models.0.differential_privacy.key_env", "key_env ="),
    ] {
        let (at, words) = refused(from, to);
        assert_eq!(at, key, "{to}");
        assert!(words.contains(remedy), "{to}: {words}");
    }
    let both = "models = [{ p_sensitive = { column = \"ill\", p = 2 } }, ";
    let error = Policy::parse(&POLICY.replace("models = [", both)).unwrap_err();
    assert!(error.faults().iter().any(|f| f.place.key.as_deref() == Some("privacy.models.0")), "{error}");
    assert!(Policy::parse(&POLICY.replace("\"value\"", "\"suppress\"")).is_ok());
    let read = Policy::parse(POLICY).unwrap();
    assert_eq!(Policy::parse(&read.to_toml().unwrap()).unwrap(), read);
}

/// What is not refused does not look at the table: a value has the same labels whatever other
/// values there are.
#[test]
fn hierarchies_that_are_allowed_do_not_follow_the_values() {
    let load = |_: &str| Ok("5;odd\n12;even\n77;odd\n2020-02-01;day\nA15;code\nB20;code\n".to_owned());
    for (spec, values) in [
        ("\"suppress\"", ["5", "12", "77"]),
        ("{ file = \"f.csv\" }", ["5", "12", "77"]),
        ("{ intervals = { widths = [5, 20], low = 0, high = 60 } }", ["5", "12", "77"]),
        ("{ intervals = { bounds = [[0, 10, 20], [10]] } }", ["5", "12", "77"]),
        ("{ order = { fanout = [2, 2], values = [\"5\", \"77\", \"x\", \"12\"] } }", ["5", "12", "77"]),
        ("{ date = {} }", ["2020-02-01", "1999-12-31", "0044-03-15"]),
        ("\"icd10\"", ["A15", "B20.1", "A15.0"]),
        ("\"icd9\"", ["001", "250.0", "V10"]),
    ] {
        let policy = POLICY.replace("{ order = { fanout = [2], values = [\"f\", \"m\"] } }", spec);
        let spec: Spec = Policy::parse(&policy).unwrap().columns["sex"].hierarchy();
        let labels = |among: &[Option<&str>], value: &str| -> Vec<Option<String>> {
            let hierarchy = hierarchy::build(&spec, &Dictionary::of(among.iter().copied()), &load).unwrap();
            let leaf = hierarchy.leaf(Some(value)).unwrap();
            let label = |level| hierarchy.label(level, hierarchy.generalize(leaf, level)).map(String::from);
            (0..=hierarchy.height()).map(label).collect()
        };
        let all = [Some(values[0]), Some(values[1]), None, Some(values[2])];
        for value in values {
            assert_eq!(labels(&[Some(value)], value), labels(&all, value), "{spec:?}");
        }
    }
}

type Row = [Option<String>; 2];

fn row(age: u32, sex: &str) -> Row {
    let cell = |text: String| (!text.is_empty()).then_some(text);
    [cell(if age == 0 { String::new() } else { age.to_string() }), cell(sex.into())]
}

/// Three large classes, one that is too small when drawn, and one without an age.
fn people() -> Vec<Row> {
    let class = |age: u32, sex: &str, rows: usize| vec![row(age, sex); rows];
    [class(30, "f", 60), class(70, "f", 50), class(35, "m", 45), class(80, "m", 12), class(0, "m", 40)]
        .concat()
}

fn build(policy: &Policy, column: &str, values: &Dictionary) -> Result<hierarchy::Hierarchy> {
    hierarchy::build(&policy.columns[column].hierarchy(), values, &|_| unreachable!())
}

/// The rows that are drawn, sorted: a holder sorts the table, hashes it, and draws row by row.
fn drawn(policy: &str, rows: &[Row]) -> Vec<Row> {
    let mut sorted = rows.to_vec();
    sorted.sort();
    let mut bytes = Vec::new();
    let add = |bytes: &mut Vec<u8>, cell: Option<&str>| {
        bytes.extend(cell.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        bytes.extend(cell.unwrap_or_default().bytes());
    };
    ["age", "sex"].into_iter().for_each(|name| add(&mut bytes, Some(name)));
    for same in sorted.chunk_by(|a, b| a == b) {
        same[0].iter().for_each(|cell| add(&mut bytes, cell.as_deref()));
        bytes.extend((same.len() as u64).to_le_bytes());
    }
    let sampling = Sampling::new(1.0, 0.02).unwrap();
    let table: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut draw = Draw::new(&sampling, &Key::new(SECRET).unwrap(), 7, &Policy::digest(policy), &table);
    sorted.into_iter().filter(|_| draw.next_row()).collect()
}

const RISK: RowRisk = RowRisk {
    rows: 207,
    classes: 5,
    unique_rows: 0,
    smallest: 12,
    prosecutor: 1.0 / 12.0,
    marketer: 5.0 / 207.0,
    at_risk: 0.0,
};
const RISKS: Risks = Risks { threshold: 0.2, before: RISK, after: RISK };

/// What a holder hands out.
#[derive(Clone)]
struct Made {
    rows: Vec<Row>,
    release: Release,
    classes: u64,
}

/// The age that is released: level 2 is [0, 50) and [50, 100).
fn general(row: &Row) -> Row {
    let age = row[0].as_deref().map(|age| age.parse::<u32>().unwrap());
    let label = |age| if age < 50 { "[0, 50)" } else { "[50, 100)" };
    [age.map(|age| label(age).to_owned()), row[1].clone()]
}

/// Releases the drawn rows of classes that are large enough, row by row.
fn release(policy: &str, rows: &[Row]) -> Made {
    let suppress = policy.contains("\"suppress\"");
    let drawn: Vec<Row> = drawn(policy, rows).iter().map(general).collect();
    let size = |row: &Row| drawn.iter().filter(|other| *other == row).count() as u64;
    let whole = |row: &Row| !suppress || row.iter().all(Option::is_some);
    let released: Vec<Row> = drawn.iter().filter(|row| size(row) >= 16 && whole(row)).cloned().collect();
    let least = released.iter().map(size).min().map(|size| size as f64);
    let mut classes = released.clone();
    classes.sort();
    classes.dedup();
    let file = |sha256: &str, rows| FileFacts { path: "file".into(), sha256: sha256.into(), rows };
    let release = Release {
        rows: drawn.len() as u64,
        released: released.len() as u64,
        suppressed: (drawn.len() - released.len()) as u64,
        people: None,
        withheld: (drawn.len() - released.len()) as u64,
        deleted: None,
        levels: [("age".into(), 2), ("sex".into(), 0)].into(),
        steps: Vec::new(),
        text: BTreeMap::new(),
        regions: None,
        preparation: None,
        population: None,
        notions: None,
        utility: BTreeMap::new(),
        predicted: BTreeMap::new(),
        model: None,
        risk: Some(RISKS),
        loss: [("prec".into(), 0.3)].into(),
        loss_by_column: BTreeMap::new(),
        sampling: Some(SamplingFacts {
            epsilon: 1.0,
            delta: 0.02,
            beta: Sampling::new(1.0, 0.02).unwrap().beta(),
            k: 16,
        }),
        privacy: [("differential privacy".into(), Claim { required: 16.0, achieved: least, holds: true })]
            .into(),
        search: SearchFacts {
            algorithm: "auto".into(),
            method: None,
            reason: None,
            k: None,
            nodes: 1,
            checked: 1,
            optimal: true,
            gap: 0.0,
            seconds: 0.1,
        },
        input: file("in", rows.len() as u64),
        output: file("out", released.len() as u64),
        policy: PolicyFacts { sha256: Policy::digest(policy) },
        template: None,
        ledger: None,
        files: BTreeMap::new(),
        seed: 7,
        version: "0".into(),
    };
    Made { rows: released, release: release.published(), classes: classes.len() as u64 }
}

/// What a release draws from rows that were counted with the columns the other way round.
fn sampled(policy: &str, rows: &[Row]) -> Counted {
    let table = table(rows);
    let counted = table.count(&[1, 0], &Watch::none()).unwrap();
    let names = ["sex".to_owned(), "age".to_owned()];
    let sampling = Sampling::new(1.0, 0.02).unwrap();
    let (key, digest) = (Key::new(SECRET).unwrap(), Policy::digest(policy));
    Sample::new(&sampling, &key, (7, &digest), &names, &counted).of(&counted)
}

fn table(rows: &[Row]) -> Table {
    let rows = rows.iter().map(|row| row.to_vec()).collect();
    Table::new(vec!["age".into(), "sex".into()], rows).unwrap()
}

/// Judges what was made, with the original and a secret where given.
fn judge(text: &str, made: &Made, original: Option<(&[Row], Option<&[u8]>)>) -> Result<Verdict> {
    let policy = Policy::parse(text).unwrap();
    let columns = vec!["age".to_owned(), "sex".to_owned()];
    let certificate = Certificate::new(made.release.clone(), columns, made.classes).unwrap();
    let rows = original.map(|(rows, _)| table(rows).identified_by("in"));
    let secret = original.and_then(|(_, secret)| secret);
    verify(&Inputs {
        policy: &policy,
        policy_sha256: &Policy::digest(text),
        certificate: &certificate,
        files: None,
        release: &table(&made.rows).identified_by("out"),
        original: rows.as_ref().map(|rows| Original {
            rows,
            assignment: None,
            secret,
            counted: None,
            notes: None,
        }),
        population: None,
        build: &|column, values| build(&policy, column, values),
        watch: &Watch::none(),
    })
}

fn broken(verdict: &Verdict) -> Vec<&str> {
    verdict.claims.iter().filter(|(_, finding)| !finding.holds).map(|(claim, _)| claim.as_str()).collect()
}

/// The claims that do not hold when something was changed: with the original, and without.
fn found(change: impl Fn(&mut Made)) -> [String; 2] {
    let rows = people();
    let mut made = release(POLICY, &rows);
    change(&mut made);
    let with = judge(POLICY, &made, Some((&rows, Some(SECRET)))).unwrap();
    let without = judge(POLICY, &made, None).unwrap();
    [broken(&with).join(", "), broken(&without).join(", ")]
}

#[test]
fn a_true_release_holds() {
    assert_eq!(Sampling::new(1.0, 0.02).unwrap().k(), 16);
    for policy in [POLICY.to_owned(), POLICY.replace("\"value\"", "\"suppress\"")] {
        let rows = people();
        let made = release(&policy, &rows);
        let missing = made.rows.iter().any(|row| row[0].is_none());
        assert_eq!(missing, policy == POLICY, "a missing cell is a value, or its row is suppressed");
        assert!(made.release.released > 60 && !made.rows.contains(&general(&row(80, "m"))));
        let verdict = judge(&policy, &made, Some((&rows, Some(SECRET)))).unwrap();
        assert!(verdict.holds(), "{verdict:#?}");
        assert_eq!(verdict.unchecked().count(), 0, "{verdict:#?}");
        let verdict = judge(&policy, &made, None).unwrap();
        assert!(verdict.holds(), "{verdict:#?}");
        assert_eq!(verdict.unchecked().collect::<Vec<_>>(), ["input", "levels", "truth"]);
        assert!(verdict.claims["differential privacy"].found.contains("16 are required"));
    }
}

#[test]
fn a_certificate_must_tell_the_draw_and_nothing_else() {
    let told = |change: fn(&mut Release)| found(|made| change(&mut made.release));
    let wrong = ["certificate".to_owned(), "certificate".to_owned()];
    assert_eq!(told(|r| r.input.sha256 = "in".into()), wrong);
    assert_eq!(told(|r| r.input.rows = 207), wrong);
    assert_eq!(told(|r| (r.rows, r.suppressed, r.withheld) = (r.rows + 7, 7, 7)), wrong);
    assert_eq!(told(|r| r.search.seconds = 0.1), wrong);
    let risk = told(|r| r.risk = Some(RISKS));
    assert!(risk.iter().all(|broken| broken.contains("certificate")), "{risk:?}");
    assert_eq!(told(|r| r.sampling.as_mut().unwrap().k = 15), wrong);
    assert_eq!(told(|r| r.sampling.as_mut().unwrap().epsilon = 0.5), wrong);
    assert_eq!(told(|r| r.sampling.as_mut().unwrap().delta = 0.01), wrong);
    assert!(told(|r| r.sampling = None)[1].contains("certificate"));
    assert!(told(|r| r.sampling.as_mut().unwrap().beta += 0.01)[0].contains("certificate"));
    let lost = told(|r| r.loss.extend([("height".into(), 2.0)]));
    assert!(lost.iter().all(|broken| broken.contains("certificate")), "{lost:?}");
    let claim = |r: &mut Release| r.privacy.get_mut("differential privacy").unwrap().required = 2.0;
    assert_eq!(found(|made| claim(&mut made.release)), wrong);
}

/// Takes or adds rows with all numbers of the certificate made to fit.
fn refit(made: &mut Made, change: impl Fn(&mut Vec<Row>)) {
    change(&mut made.rows);
    let size = |row: &Row| made.rows.iter().filter(|other| *other == row).count() as f64;
    let least = made.rows.iter().map(size).reduce(f64::min);
    let rows = made.rows.len() as u64;
    (made.release.rows, made.release.released, made.release.output.rows) = (rows, rows, rows);
    made.release.privacy.get_mut("differential privacy").unwrap().achieved = least;
    let mut classes = made.rows.clone();
    classes.sort();
    classes.dedup();
    made.classes = classes.len() as u64;
}

#[test]
fn another_draw_is_found() {
    let gone = found(|made| refit(made, |rows| drop(rows.remove(0))));
    assert_eq!(gone, ["truth", ""], "a drawn row is left out");
    let more = found(|made| refit(made, |rows| rows.push(rows[0].clone())));
    assert_eq!(more, ["truth", ""], "a row that was not drawn is released");
    let small = found(|made| refit(made, |rows| rows.extend(vec![general(&row(80, "m")); 5])));
    assert_eq!(small, ["certificate, differential privacy, truth", "certificate, differential privacy"]);
    let rows = people();
    let made = release(POLICY, &rows);
    let other = judge(POLICY, &made, Some((&rows, Some(b"another secret, long enough")))).unwrap();
    assert_eq!(broken(&other), ["truth"]);
}

/// What k-anonymity lets through: all rows of all classes of 16, so that who is missing in a class
/// is seen.
#[test]
fn rows_that_were_not_drawn_at_all_are_found() {
    let rows: Vec<Row> = people().into_iter().filter(|row| row[0].as_deref() != Some("80")).collect();
    let mut made = release(POLICY, &rows);
    refit(&mut made, |released| *released = rows.iter().map(general).collect());
    assert!(judge(POLICY, &made, None).unwrap().holds(), "the release alone cannot show how it was drawn");
    assert_eq!(broken(&judge(POLICY, &made, Some((&rows, Some(SECRET)))).unwrap()), ["truth"]);
}

#[test]
fn without_the_secret_nothing_is_said_of_the_original() {
    let error = judge(POLICY, &release(POLICY, &people()), Some((&people(), None))).unwrap_err();
    assert!(error.to_string().contains("secret"), "{error}");
}

/// What the verifier derives from ε and δ, against the parameters of a release.
fn derived_alike(epsilon: f64, delta: f64) -> bool {
    let text =
        POLICY.replace("epsilon = 1.0, delta = 0.02", &format!("epsilon = {epsilon:?}, delta = {delta:?}"));
    let sampling = Sampling::new(epsilon, delta).unwrap();
    let mut made = release(&text, &[]);
    made.release.sampling = Some(SamplingFacts { epsilon, delta, beta: sampling.beta(), k: sampling.k() });
    made.release.privacy.get_mut("differential privacy").unwrap().required = sampling.k() as f64;
    judge(&text, &made, None).unwrap().holds()
}

#[test]
fn the_judge_derives_the_same_at_the_ends_of_the_range() {
    for (epsilon, delta) in [
        (std::f64::consts::LN_2, 1e-5),
        (std::f64::consts::LN_2 / 2.0, 1e-5),
        (3f64.ln(), 1e-6),
        (0.001, 1e-6),
        (0.001, 0.0009),
        (0.01, 1e-30),
        (5.0, 1e-9),
        (10.0, 1e-6),
        (10.0, 0.9),
    ] {
        assert!(derived_alike(epsilon, delta), "epsilon {epsilon}, delta {delta}");
    }
}

fn grouped(rows: &[Row]) -> Grouped {
    let mut dictionaries = vec![Dictionary::new(); 2];
    let mut tuples = Tuples::new(2);
    let mut codes = vec![Vec::new(); 2];
    for (column, dictionary) in dictionaries.iter_mut().enumerate() {
        codes[column].extend(rows.iter().map(|row| dictionary.add(row[column].as_deref(), 1)));
    }
    tuples.add(&codes, rows.len()).unwrap();
    Grouped {
        names: vec!["age".into(), "sex".into()],
        measured: Vec::new(),
        dictionaries,
        tuples,
        population: None,
    }
}

/// Suppressed rows at the node that is found, and the verdict of the model.
fn searched(policy: &str, drawn: &[Row]) -> (u64, Option<f64>) {
    let policy = Policy::parse(policy).unwrap();
    let (problem, _) = Problem::new(&policy, grouped(drawn), &|_| unreachable!()).unwrap();
    assert_eq!(problem.lattice.nodes(), 1);
    let watch = Watch::none();
    let (outcome, _) =
        search::solve(&problem, search::strategy("auto".parse().unwrap()).unwrap(), &watch).unwrap();
    let Outcome::Found { best, gap } = outcome else { panic!("there is always a release") };
    assert_eq!(gap, 0.0);
    let mut evaluator = Evaluator::measuring(&problem);
    let (view, flags) = evaluator.classes(&best.node);
    let verdict = problem.models.last().unwrap().verdict(&view, flags).unwrap();
    assert!(verdict.holds && verdict.required == 16.0 && problem.models.last().unwrap().facts().monotone);
    (best.suppressed, verdict.achieved)
}

#[test]
fn no_table_is_too_small() {
    assert_eq!(searched(POLICY, &[]), (0, None));
    assert_eq!(searched(POLICY, &[row(30, "f")]), (1, None));
    assert_eq!(searched(&POLICY.replace("[privacy]", "[privacy]\nk = 500"), &people()).0, 207);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_judge_derives_the_same(epsilon in 0.02f64..4.0, digits in 2f64..9.0) {
        prop_assert!(derived_alike(epsilon, 10f64.powf(-digits)), "epsilon {epsilon}, {digits} digits");
    }

    /// Exactly the rows of classes that are too small are suppressed, and the verifier agrees with
    /// what is left.
    #[test]
    fn searches_and_judge_agree_with_rows_that_are_counted(
        sizes in prop::collection::vec((0u32..4, any::<bool>(), 0usize..60), 0..6),
        suppress in any::<bool>(),
    ) {
        let class = |&(age, sex, rows): &(u32, bool, usize)| vec![row(age * 30, if sex { "f" } else { "m" }); rows];
        let rows: Vec<Row> = sizes.iter().flat_map(class).collect();
        let policy = if suppress { POLICY.replace("\"value\"", "\"suppress\"") } else { POLICY.to_owned() };
        let made = release(&policy, &rows);
        let drawn = drawn(&policy, &rows);
        // The release draws from grouped rows, in whatever order they came.
        let mut shuffled = rows.clone();
        shuffled.sort_by_key(|row| row[1].clone());
        for rows in [&rows, &shuffled] {
            let sample = sampled(&policy, rows);
            prop_assert_eq!(sample.tuples.rows(), drawn.len() as u64);
            let sampled: BTreeMap<Row, u32> = (0..sample.tuples.len())
                .map(|at| {
                    let cell = |c: usize| sample.dictionaries[c].value(sample.tuples.code(at, c)).map(String::from);
                    ([cell(1), cell(0)], sample.tuples.counts()[at])
                })
                .collect();
            let mut expected: BTreeMap<Row, u32> = BTreeMap::new();
            drawn.iter().for_each(|row| *expected.entry(row.clone()).or_default() += 1);
            prop_assert_eq!(sampled, expected);
        }
        let (suppressed, least) = searched(&policy, &drawn);
        prop_assert_eq!(suppressed, drawn.len() as u64 - made.release.released);
        prop_assert_eq!(least, made.release.privacy["differential privacy"].achieved);
        let verdict = judge(&policy, &made, Some((&rows, Some(SECRET)))).unwrap();
        prop_assert!(verdict.holds(), "{verdict:#?}");
    }
}
