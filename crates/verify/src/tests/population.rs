//! People counted by hand: verdicts on k-map and δ-presence, and on exchanged populations.

use super::{Case, broken, strings};
use throng_terms::hierarchy::Path;
use throng_terms::watch::Watch;

/// Six people of two towns and three ages, four of them patients; released by age group.
fn case(models: &str) -> Case {
    let path = |leaf: &str, label: &str| Path { leaf: leaf.into(), labels: vec![label.into()] };
    let row = |words: &str| strings(words).into_iter().map(Some).collect::<Vec<_>>();
    Case {
        policy: format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[columns]\nage.role = \"quasi\"\ntown.role = \"quasi\"\n\
             ill.role = \"sensitive\"\n[privacy]\nsuppression = 1.0\nmodels = [{models}]\n"
        ),
        columns: strings("town age ill"),
        rows: ["Ulm 31 flu", "Ulm 32 flu", "Bonn 31 flu", "Bonn 55 flu"].map(row).into(),
        paths: [
            ("age".to_owned(), vec![path("31", "young"), path("32", "young"), path("55", "old")]),
            ("town".to_owned(), vec![path("Ulm", "South"), path("Bonn", "North")]),
        ]
        .into(),
        levels: [("age".to_owned(), 1), ("town".to_owned(), 0)].into(),
        starred: Vec::new(),
        people: vec![row("32 Bonn"), row("55 Ulm")],
    }
}

const MAP: &str = "{ k_map = { k = 2, population = \"p.csv\" } }";

/// Young people of Ulm and of Bonn are two, the old one of Bonn is alone: he is released by nobody.
#[test]
fn people_are_counted_who_are_not_in_the_table() {
    let case = case(MAP);
    let made = case.release();
    assert_eq!(made.rows.len(), 3, "the single young row of Bonn has a mate in the population");
    assert_eq!(made.certificate.release.privacy["k-map"].achieved, Some(2.0));
    for original in [true, false] {
        let verdict = case.judge(&made, original);
        assert_eq!(broken(&verdict), Vec::<&str>::new(), "{verdict:#?}");
        assert_eq!(verdict.claims["k-map"].found, "the worst class of the population has 2, 2 is required");
        assert!(!verdict.claims["k-map"].unchecked, "the population shows the values of the original");
    }
}

/// The old man of Bonn put into the release all the same.
#[test]
fn a_row_of_too_few_people_is_found() {
    let case = case(MAP);
    let mut made = case.release();
    made.rows.push(vec![Some("Bonn".into()), Some("old".into()), Some("flu".into())]);
    let release = &mut made.certificate.release;
    (release.released, release.suppressed, release.withheld, release.output.rows) = (4, 0, 0, 4);
    made.certificate.classes += 1;
    made.seal();
    let verdict = case.judge(&made, false);
    assert_eq!(broken(&verdict), ["k-map", "loss: dm", "risk"], "{verdict:#?}");
    assert!(verdict.claims["k-map"].found.contains("the worst has 1, 2 is required"));
    assert!(broken(&case.judge(&made, true)).contains(&"truth"));
}

/// Everybody young in Ulm is a patient, so knowing one reveals that. Of the young of Bonn half are.
#[test]
fn shares_of_people() {
    let most = case("{ delta_presence = { population = \"p.csv\", max = 0.5 } }");
    let made = most.release();
    assert_eq!(made.rows.len(), 1);
    assert_eq!(made.certificate.release.privacy["delta-presence: most"].achieved, Some(0.5));
    assert_eq!(broken(&most.judge(&made, true)), Vec::<&str>::new());

    // Nobody old of Ulm is a patient, and that is known too.
    let mut both = case("{ delta_presence = { population = \"p.csv\", min = 0.4, max = 1.0 } }");
    assert_eq!(both.release().rows.len(), 0);
    both.levels.insert("town".into(), 2);
    let made = both.release();
    assert_eq!(made.rows.len(), 4);
    let privacy = &made.certificate.release.privacy;
    assert_eq!(privacy["delta-presence: least"].achieved, Some(0.5));
    assert_eq!(privacy["delta-presence: most"].achieved, Some(0.75));
    for original in [true, false] {
        assert_eq!(broken(&both.judge(&made, original)), Vec::<&str>::new());
    }
    // Without the old nobody of their class is in the release, and everybody can see that.
    let mut less = made.clone();
    less.rows.retain(|row| row[1].as_deref() != Some("old"));
    let verdict = both.judge(&less, true);
    let found = broken(&verdict);
    assert!(found.contains(&"delta-presence: least") && found.contains(&"truth"), "{found:?}");
    let found = &verdict.claims["delta-presence: least"].found;
    assert!(found.contains("the worst has 0, 0.4 is required"), "a class that nobody is left of: {found}");
}

#[test]
fn another_population_is_found() {
    let mut case = case(MAP);
    let made = case.release();
    // Nobody beside the patients: the young one of Bonn has no mate.
    case.people.clear();
    let verdict = case.judge(&made, true);
    let found = broken(&verdict);
    assert!(found.contains(&"population") && found.contains(&"k-map"), "{found:?}");
}

#[test]
fn a_population_without_the_original_is_found() {
    let mut case = case(MAP);
    let made = case.release();
    // One more patient than the population has.
    case.people[1] = vec![Some("55".into()), Some("Ulm".into())];
    let extra = case.rows[3].clone();
    case.rows.push(extra);
    case.people.pop();
    let original = case.table(&made);
    case.rows.pop();
    let people = case.people_table();
    let verdict = case.judge_with(&made, Some(&original), Some(&people), &Watch::none()).unwrap();
    assert!(verdict.claims["population"].found.contains("1 combination has more rows"), "{verdict:#?}");
}

#[test]
fn a_population_that_is_not_there_is_no_proof() {
    let case = case(MAP);
    let made = case.release();
    let verdict = case.judge_with(&made, None, None, &Watch::none()).unwrap();
    assert!(!verdict.claims["population"].holds);
    assert!(verdict.claims["k-map"].unchecked);
}
