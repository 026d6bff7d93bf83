//! Verdicts on predicted people, and on certificates that predict too many.

use super::{Case, broken, strings};
use throng_terms::hierarchy::Path;
use throng_terms::release::{Foresight, PredictedBy};

/// Ages go with towns, mostly; forty rows of a hundred thousand people.
fn case(models: &str) -> Case {
    let path = |leaf: &str, label: &str| Path { leaf: leaf.into(), labels: vec![label.into()] };
    let row = |i: usize| {
        let age = ["31", "32", "55"][[0, 0, 0, 1, 1, 2, 2][i % 7]];
        let town = if age == "55" || i.is_multiple_of(11) { "Bonn" } else { "Ulm" };
        [town, age, "flu"].map(|cell| Some(cell.to_owned())).to_vec()
    };
    let mut rows: Vec<Vec<Option<String>>> = (0..39).map(row).collect();
    // The only old one of Ulm.
    rows.push(strings("Ulm 55 flu").into_iter().map(Some).collect());
    Case {
        policy: format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[columns]\nage.role = \"quasi\"\ntown.role = \"quasi\"\n\
             ill.role = \"sensitive\"\n[privacy]\nsuppression = 1.0\nmodels = [{models}]\n"
        ),
        columns: strings("town age ill"),
        rows,
        paths: [
            ("age".to_owned(), vec![path("31", "young"), path("32", "young"), path("55", "old")]),
            ("town".to_owned(), vec![path("Ulm", "South"), path("Bonn", "North")]),
        ]
        .into(),
        levels: [("age".to_owned(), 0), ("town".to_owned(), 0)].into(),
        starred: Vec::new(),
        people: Vec::new(),
    }
}

const PREDICTED: &str = "{ j_anonymity = { k = 12, people = 100000, confidence = 0.9 } }";
const CLAIM: &str = "j-anonymity: predicted";

#[test]
fn small_classes_stay_where_people_are_predicted() {
    let case = case(PREDICTED);
    let made = case.release();
    let facts = &made.certificate.release.predicted[CLAIM];
    assert_eq!((facts.k, facts.people, facts.from), (12, 100_000, Foresight::Network));
    // Ten old people of Bonn and ten of 32 of Ulm; those that are alone, or two, are not there.
    assert!(facts.rows == 20 && !facts.edges.is_empty(), "{facts:?}");
    let verdict = case.judge(&made, true);
    assert_eq!(broken(&verdict), Vec::<&str>::new(), "{verdict:#?}");
    assert!(!verdict.claims[CLAIM].unchecked);
    assert!(verdict.claims[CLAIM].found.contains("predicted people of 100000, 12 are required"));
    let verdict = case.judge(&made, false);
    assert_eq!(broken(&verdict), Vec::<&str>::new(), "{verdict:#?}");
    assert!(verdict.claims[CLAIM].unchecked, "only the original tells what a network predicts");
}

/// The number of parents changes the network: what one of them allows, another need not.
#[test]
fn the_number_of_parents_is_the_policys() {
    for parents in 0..3 {
        let case = case(&PREDICTED.replace("0.9 }", &format!("0.9, parents = {parents} }}")));
        let made = case.release();
        let facts = &made.certificate.release.predicted[CLAIM];
        assert_eq!(facts.edges.is_empty(), parents == 0, "{facts:?}");
        assert_eq!(broken(&case.judge(&made, true)), Vec::<&str>::new());
    }
}

/// Without anybody beside the table only classes of k rows stay; what predictions would have let
/// out is found.
#[test]
fn rows_that_nobody_is_predicted_for_are_found() {
    let few = case("{ j_anonymity = { k = 12, people = 40, confidence = 0.9 } }");
    let made = few.release();
    assert_eq!(made.certificate.release.predicted[CLAIM].rows, 0);
    assert!(made.rows.len() < case(PREDICTED).release().rows.len());
    let mut made = case(PREDICTED).release();
    made.certificate.release.policy.sha256 = few.release().certificate.release.policy.sha256;
    made.certificate.release.predicted.get_mut(CLAIM).unwrap().people = 40;
    made.policy_sha256 = made.certificate.release.policy.sha256.clone();
    made.seal();
    let verdict = few.judge(&made, true);
    assert!(broken(&verdict).contains(&CLAIM) && broken(&verdict).contains(&"truth"), "{verdict:#?}");
    assert!(verdict.claims[CLAIM].found.contains("12 are required"), "{verdict:#?}");
}

#[test]
fn another_network_or_another_number_is_found() {
    let case = case(PREDICTED);
    let made = case.release();
    for forge in 0..7 {
        let mut made = made.clone();
        let release = &mut made.certificate.release;
        let facts = release.predicted.get_mut(CLAIM).unwrap();
        match forge {
            0 => facts.edges.clear(),
            1 => facts.edges[0].from_level = 1 - facts.edges[0].from_level,
            2 => facts.edges.push(PredictedBy {
                column: "x".into(),
                level: 0,
                from: "age".into(),
                from_level: 0,
            }),
            3 => facts.rows -= 1,
            4 => facts.confidence = 0.8,
            5 => facts.from = Foresight::Population,
            _ => release.privacy.get_mut(CLAIM).unwrap().achieved = Some(9_999.0),
        }
        made.seal();
        assert_eq!(broken(&case.judge(&made, true)), [CLAIM], "{forge}");
        // Edges and people follow from the original; the rest is checked from the release.
        assert_eq!(broken(&case.judge(&made, false)).is_empty(), [0, 1, 2, 6].contains(&forge), "{forge}");
    }
    let mut made = made;
    let facts = made.certificate.release.predicted.remove(CLAIM).unwrap();
    made.seal();
    assert_eq!(broken(&case.judge(&made, false)), [CLAIM]);
    made.certificate.release.predicted.insert(CLAIM.into(), facts.clone());
    made.certificate.release.predicted.insert("k-map".into(), facts);
    made.seal();
    assert_eq!(broken(&case.judge(&made, false)), ["certificate"]);
}
