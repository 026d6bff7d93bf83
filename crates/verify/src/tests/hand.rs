//! A table of nine people that a reader can check by hand, and every manipulation of its release.

use std::collections::BTreeMap;

use super::{Case, Made, broken, strings};
use crate::{Inputs, Verdict, verify};
use throng_terms::error::Result;
use throng_terms::hierarchy::Path;
use throng_terms::rows::{Batch, Rows};
use throng_terms::watch::Watch;

pub(super) const POLICY: &str = r#"
version = 1
[input]
path = "people.csv"
[output]
suppressed = "SUPPRESSED"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { file = "age.csv" }
max_level = 2
[columns.zip]
role = "quasi"
hierarchy = { file = "zip.csv" }
weight = 2.0
[columns.illness]
role = "sensitive"
[columns.note]
role = "keep"
[privacy]
k = 2
suppression = 0.12
[privacy.quasi.neighbour]
columns = ["age"]
k = 3
[search]
loss = { name = "lm", aggregate = "geometric" }
"#;

/// Classes (30-39, 1*) of 4 and (40-49, 2*) of 4; gus is alone.
pub(super) fn people() -> Case {
    let rows = "ann 31 10 flu a;bob 32 10 flu b;cid 38 11 gout a;dan 39 11 flu c;eve 45 20 gout d;\
                fay 46 20 flu e;hal 46 21 flu e;ivy 47 21 mumps -;gus 71 90 gout f";
    let cell = |word: String| (word != "-").then_some(word);
    let path = |leaf: &str, labels: &str| Path { leaf: leaf.into(), labels: strings(labels) };
    let age = |leaf: &str| path(leaf, &format!("{}0-{}9", &leaf[..1], &leaf[..1]));
    let ages = ["31", "32", "38", "39", "45", "46", "47", "71"].map(age).to_vec();
    let zips = ["10", "11", "20", "21", "90"].map(|leaf| path(leaf, &format!("{}* *", &leaf[..1]))).to_vec();
    Case {
        policy: POLICY.replace("SUPPRESSED", "dropped"),
        columns: strings("name age zip illness note"),
        rows: rows.split(';').map(|row| strings(row).into_iter().map(cell).collect()).collect(),
        paths: BTreeMap::from([("age".into(), ages), ("zip".into(), zips)]),
        levels: BTreeMap::from([("age".into(), 1), ("zip".into(), 1)]),
        starred: Vec::new(),
        people: Vec::new(),
    }
}

fn starred() -> Case {
    Case { policy: POLICY.replace("SUPPRESSED", "starred"), ..people() }
}

pub(super) fn at(made: &Made, column: &str) -> usize {
    made.columns.iter().position(|c| c == column).unwrap()
}

/// Changes the release and expects exactly these claims to break, with the original and without.
/// The risk changes with every row, so that it may break wherever another claim does; it is
/// expected only where it is named.
pub(super) fn tamper(case: &Case, change: impl Fn(&mut Made), with: &str, without: &str) {
    let mut made = case.release();
    change(&mut made);
    let found = |verdict: &Verdict, expected: &[&str]| -> Vec<String> {
        let besides = !expected.is_empty() && !expected.contains(&"risk");
        let broken = broken(verdict).into_iter().filter(|claim| !(besides && *claim == "risk"));
        broken.map(String::from).collect()
    };
    let verdict = case.judge(&made, true);
    assert_eq!(found(&verdict, &words(with)), words(with), "with the original: {verdict:#?}");
    let verdict = case.judge(&made, false);
    assert_eq!(found(&verdict, &words(without)), words(without), "without the original: {verdict:#?}");
}

pub(super) fn words(claims: &str) -> Vec<&str> {
    claims.split(',').map(str::trim).filter(|claim| !claim.is_empty()).collect()
}

pub(super) fn set(column: &'static str, row: usize, value: &'static str) -> impl Fn(&mut Made) {
    move |made| {
        let at = at(made, column);
        made.rows[row][at] = Some(value.into());
    }
}

#[test]
fn a_true_release_holds() {
    for case in [people(), starred()] {
        let made = case.release();
        assert_eq!(made.certificate.release.suppressed, 1);
        let verdict = case.judge(&made, true);
        assert!(verdict.holds(), "{verdict:#?}");
        assert_eq!(verdict.unchecked().count(), 0, "{verdict:#?}");
        let claims: Vec<&str> = verdict.claims.keys().map(String::as_str).collect();
        let plain = "certificate,classes,columns,files,input,k-anonymity,k-anonymity: neighbour,levels";
        assert_eq!(claims[..8], words(plain));
        assert!(claims.contains(&"loss: lm") && claims.contains(&"truth"));
    }
}

#[test]
fn what_needs_the_original_is_not_proof_without_it() {
    let case = people();
    let verdict = case.judge(&case.release(), false);
    assert!(verdict.holds(), "{verdict:#?}");
    let unchecked: Vec<&str> = verdict.unchecked().collect();
    // Hierarchies from files serve `levels`, `prec`, `vinterbo` and `relative`.
    let counted = ["absolute", "aecs", "dm", "height", "prec", "relative", "vinterbo"];
    let needs = |claim: &&str| match claim.split_once(": ") {
        Some(("loss" | "loss by column", loss)) => !counted.contains(&loss),
        _ => ["input", "truth"].contains(claim),
    };
    let expected: Vec<&str> = verdict.claims.keys().map(String::as_str).filter(needs).collect();
    assert!(expected.contains(&"loss: lm") && expected.contains(&"loss by column: entropy"));
    assert_eq!(unchecked, expected);
    assert_eq!(verdict.claims["truth"].found, "not checked without --original");
    let json = serde_json::to_value(&verdict).unwrap();
    assert_eq!(json["truth"]["unchecked"], true);
    assert_eq!(json["k-anonymity"]["holds"], true);
    assert_eq!(json["k-anonymity"].as_object().unwrap().len(), 2);
}

#[test]
fn a_hierarchy_that_hangs_on_the_data_is_not_checked_without_them() {
    let mut case = people();
    case.policy = case.policy.replace(r#"{ file = "age.csv" }"#, r#"{ order = { fanout = [2] } }"#);
    let verdict = case.judge(&case.release(), false);
    assert!(verdict.claims["levels"].unchecked);
    assert!(verdict.claims["levels"].found.ends_with("not checked without --original: age"));
}

#[test]
fn cells_that_were_changed() {
    let case = people();
    tamper(&case, set("illness", 0, "gout"), "truth", "");
    tamper(&case, set("note", 7, "x"), "truth", "");
    tamper(
        &case,
        set("age", 0, "40-49"),
        "classes, k-anonymity, k-anonymity: neighbour, loss: aecs, loss: dm, truth",
        "classes, k-anonymity, k-anonymity: neighbour, loss: aecs, loss: dm",
    );
    tamper(
        &case,
        set("zip", 0, "10"),
        "classes, k-anonymity, levels, loss: aecs, loss: dm, truth",
        "classes, k-anonymity, levels, loss: aecs, loss: dm",
    );
    tamper(
        &case,
        |made| {
            let at = at(made, "note");
            made.rows[0][at] = None;
        },
        "truth",
        "",
    );
}

#[test]
fn values_swapped_between_classes_and_within_one() {
    let swap = |a: usize, b: usize| {
        move |made: &mut Made| {
            let at = at(made, "illness");
            let kept = made.rows[a][at].clone();
            made.rows[a][at] = made.rows[b][at].clone();
            made.rows[b][at] = kept;
        }
    };
    tamper(&people(), swap(0, 4), "truth", "");
    // cid's gout goes to bob: the same illnesses in the class, but not with the same notes.
    tamper(&people(), swap(1, 2), "truth", "");
    // ann and bob both have the flu.
    tamper(&people(), swap(0, 1), "", "");
}

#[test]
fn the_order_of_rows_and_of_original_columns_does_not_matter() {
    let mut case = people();
    let mut made = case.release();
    made.rows.reverse();
    for row in &mut case.rows {
        row.swap(0, 4);
        row.swap(1, 3);
    }
    case.columns = strings("note illness zip age name");
    assert!(case.judge(&made, true).holds());
}

#[test]
fn rows_removed_added_and_doubled() {
    let counted = "classes, k-anonymity, k-anonymity: neighbour";
    tamper(
        &people(),
        |made| drop(made.rows.pop()),
        "k-anonymity, k-anonymity: neighbour, loss: dm, output, truth",
        "k-anonymity, k-anonymity: neighbour, loss: dm, output",
    );
    tamper(
        &people(),
        |made| made.rows.push(made.rows[0].clone()),
        "loss: dm, output, truth",
        "loss: dm, output",
    );
    tamper(&people(), |made| made.rows[1] = made.rows[0].clone(), "truth", "");
    tamper(
        &people(),
        |made| {
            let mut row = made.rows[0].clone();
            let (age, zip) = (at(made, "age"), at(made, "zip"));
            row[age] = Some("70-79".into());
            row[zip] = Some("9*".into());
            made.rows.push(row);
        },
        &format!("{counted}, loss: aecs, loss: dm, output, truth"),
        &format!("{counted}, loss: aecs, loss: dm, output"),
    );
}

#[test]
fn a_safe_class_left_out_is_named() {
    let case = people();
    let mut made = case.release();
    let age = at(&made, "age");
    made.rows.retain(|row| row[age].as_deref() != Some("40-49"));
    let found = &case.judge(&made, true).claims["truth"].found;
    assert_eq!(found, "a class is left out with 4 rows, though it is safe");
}

#[test]
fn columns_that_should_not_be_there() {
    let add = |name: &'static str| {
        move |made: &mut Made| {
            made.columns.push(name.into());
            made.certificate.columns.push(name.into());
            made.rows.iter_mut().enumerate().for_each(|(i, row)| row.push(Some(i.to_string())));
            made.seal();
        }
    };
    for name in ["index", "name", "note"] {
        tamper(&people(), add(name), "columns", "columns");
        let mut made = people().release();
        add(name)(&mut made);
        assert!(people().judge(&made, false).claims["columns"].found.contains(&format!("`{name}`")));
    }
    tamper(
        &people(),
        |made| {
            made.certificate.columns.reverse();
            made.seal();
        },
        "columns",
        "columns",
    );
    tamper(
        &people(),
        |made| {
            let at = at(made, "illness");
            made.columns.remove(at);
            made.rows.iter_mut().for_each(|row| drop(row.remove(at)));
        },
        "columns, truth",
        "columns",
    );
}

/// The holder says what is true, but it is not enough.
#[test]
fn starred_rows() {
    let case = starred();
    assert_eq!(case.release().rows.len(), 9);
    tamper(&case, set("illness", 8, "flu"), "truth", "");
    tamper(&case, set("note", 8, "a"), "truth", "");
    let left_out = "output, truth";
    tamper(&case, |made| drop(made.rows.remove(8)), left_out, "output");
    // A second starred row is more than what is claimed to be suppressed: a class of its own.
    tamper(
        &case,
        |made| {
            for column in ["age", "zip"] {
                set(column, 0, "*")(made);
            }
        },
        "classes, k-anonymity, k-anonymity: neighbour, levels, loss: aecs, loss: dm, output, truth",
        "classes, k-anonymity, k-anonymity: neighbour, levels, loss: aecs, loss: dm, output",
    );
}

/// If all rows are at the top they are one class, and a missing cell equals all others.
#[test]
fn rows_at_the_top_are_one_class() {
    let mut case = starred();
    case.policy =
        case.policy.replace("path = \"people.csv\"", "path = \"people.csv\"\nmissing = \"suppress\"");
    case.levels = BTreeMap::from([("age".into(), 2), ("zip".into(), 2)]);
    case.rows[8][1] = None;
    let made = case.release();
    let facts = &made.certificate.release;
    assert_eq!((facts.withheld, made.certificate.classes), (0, 1));
    assert_eq!((facts.released, facts.suppressed), (0, facts.rows), "a row of nothing but * is suppressed");
    let all_starred = |row: &super::Row| row[..2].iter().all(|cell| cell.as_deref() == Some("*"));
    assert!(made.rows.iter().all(all_starred));
    let verdict = case.judge(&made, true);
    assert!(verdict.holds(), "{verdict:#?}");
    assert_eq!(verdict.claims["k-anonymity"].found, "the smallest class has 9 rows, 2 are required");
    tamper(&case, set("illness", 8, "flu"), "truth", "");
}

#[test]
fn no_rows_at_all() {
    let mut case = people();
    case.rows.clear();
    let mut made = case.release();
    // Nothing was lost of nothing.
    let release = &mut made.certificate.release;
    let losses =
        release.loss.values_mut().chain(release.loss_by_column.values_mut().flatten().map(|(_, v)| v));
    losses.filter(|loss| loss.is_nan()).for_each(|loss| *loss = 0.0);
    made.seal();
    tamper(&case, |m| *m = made.clone(), "", "");
    let mut case = people();
    case.policy = case.policy.replace("k = 2", "k = 20").replace("0.12", "1");
    let verdict = case.judge(&case.release(), true);
    assert!(verdict.holds(), "{verdict:#?}");
    assert_eq!(verdict.claims["k-anonymity"].found, "no row is released");
}

/// A table whose columns have another number of cells than it says.
struct Uneven(Vec<String>, usize);

impl Batch for Uneven {
    fn rows(&self) -> usize {
        2
    }

    fn each(&self, _: usize, take: &mut dyn FnMut(Option<&str>)) {
        (0..self.1).for_each(|_| take(None));
    }
}

impl Rows for Uneven {
    fn columns(&self) -> &[String] {
        &self.0
    }

    fn read(&self, _: &[usize], _: &Watch, each: &mut dyn FnMut(&dyn Batch) -> Result<()>) -> Result<()> {
        each(self)
    }

    fn fingerprint(&self, _: &Watch) -> Result<String> {
        Ok(String::new())
    }
}

#[test]
fn columns_of_different_lengths_are_refused() {
    let case = people();
    let made = case.release();
    for cells in [1, 3] {
        let error = verify(&Inputs {
            policy: &case.policy(),
            policy_sha256: "",
            certificate: &made.certificate,
            files: None,
            release: &Uneven(made.columns.clone(), cells),
            original: None,
            population: None,
            build: &|_, _| panic!("judged what cannot be read"),
            watch: &Watch::none(),
        });
        let found = error.unwrap_err().to_string();
        assert!(found.contains(&format!("of 2 rows gave {cells} cells")), "{found}");
    }
}

#[test]
fn judging_can_be_stopped() {
    let case = people();
    let watch = Watch::none();
    watch.cancel().finish();
    let error = case.judge_with(&case.release(), None, None, &watch).unwrap_err();
    assert!(error.is_cancelled(), "{error}");
}

/// [El Emam 2009]: 1,000 people, 50 of them of one sex, lose 286 bits when sex is suppressed; 500 lose 1,000.
#[test]
fn entropy_of_el_emam() {
    for (few, bits) in [(50, 286.0), (500, 1_000.0)] {
        let leaf = |leaf: &str| Path { leaf: leaf.into(), labels: Vec::new() };
        let case = Case {
            policy:
                "version = 1\n[input]\npath = \"x.csv\"\n[columns.sex]\nrole = \"quasi\"\n[privacy]\nk = 2"
                    .into(),
            columns: strings("sex"),
            rows: (0..1_000).map(|i| vec![Some(if i < few { "f" } else { "m" }.into())]).collect(),
            paths: BTreeMap::from([("sex".into(), vec![leaf("f"), leaf("m")])]),
            levels: BTreeMap::from([("sex".into(), 1)]),
            starred: Vec::new(),
            people: Vec::new(),
        };
        let verdict = case.judge(&case.release(), true);
        assert!(verdict.holds(), "{verdict:#?}");
        let found = &verdict.claims["loss: entropy"].found;
        let found: f64 = found.split(',').next().unwrap().parse().unwrap();
        assert_eq!(found.round(), bits);
    }
}

#[test]
fn anonymity_level_1_is_the_most_general_release() {
    let mut case = people();
    case.policy = case
        .policy
        .replacen("k = 2", "anonymity = 1\nanonymity_table = [[0.5, 2]]", 1)
        .replace("[search]", "[search]\nalgorithm = \"datafly\"");
    let verdict = case.judge(&case.release(), true);
    assert_eq!(broken(&verdict), ["levels"]);
    let found = &verdict.claims["levels"].found;
    assert!(found.contains("`age` is at level 1, anonymity level 1 requires 2"), "{found}");
    case.levels = BTreeMap::from([("age".into(), 2), ("zip".into(), 2)]);
    assert!(case.judge(&case.release(), true).holds());
    // A profile does not limit levels, max_level does.
    case.policy = case.policy.replace("max_level = 2", "max_level = 2\ntolerance = 0.1");
    assert!(case.judge(&case.release(), true).holds());
    case.policy = case.policy.replace("max_level = 2", "max_level = 1");
    case.levels = BTreeMap::from([("age".into(), 1), ("zip".into(), 2)]);
    assert!(case.judge(&case.release(), true).claims["levels"].holds);
    // Linked columns go as far as both may.
    case.policy = case.policy.replace("[search]", "[search]\nlinked = [[\"age\", \"zip\"]]");
    case.levels = BTreeMap::from([("age".into(), 1), ("zip".into(), 1)]);
    assert!(case.judge(&case.release(), true).claims["levels"].holds);
}
