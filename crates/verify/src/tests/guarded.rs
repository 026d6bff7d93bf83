//! Personalized privacy: guarding nodes come from the original only, and a breach is found.

use super::{Case, broken, strings};
use throng_terms::hierarchy::Path;

fn case(breach: &str) -> Case {
    let policy = format!(
        "version = 1\n[input]\npath = \"x.csv\"\n[columns]\na.role = \"quasi\"\ng.role = \"drop\"\n\
         d = {{ role = \"sensitive\", hierarchy = {{ file = \"d.csv\" }} }}\n[search]\nloss = \"height\"\n\
         [privacy]\nk = 2\nsuppression = 1.0\n\
         models = [{{ personalized = {{ column = \"d\", guard = \"g\", breach = {breach} }} }}]\n"
    );
    let path = |leaf: &str, label: &str| Path { leaf: leaf.into(), labels: vec![label.into()] };
    let kinds = vec![path("flu", "lungs"), path("asthma", "lungs"), path("gout", "joints")];
    let row = |cells: [&str; 3]| cells.map(|cell| (cell != "-").then(|| cell.to_owned())).into();
    Case {
        policy,
        columns: strings("a d g"),
        rows: [
            ["1", "flu", "lungs"],
            ["1", "gout", "-"],
            ["1", "asthma", "joints"],
            ["2", "flu", "-"],
            ["2", "asthma", "-"],
            ["3", "flu", "lungs"],
            ["3", "asthma", "flu"],
        ]
        .map(row)
        .into(),
        paths: [
            ("a".to_owned(), vec![path("1", "x"), path("2", "x"), path("3", "x")]),
            ("d".to_owned(), kinds),
        ]
        .into(),
        levels: [("a".to_owned(), 0)].into(),
        starred: Vec::new(),
        people: Vec::new(),
    }
}

const CLAIM: &str = "personalized privacy: d";

#[test]
fn it_is_proven_with_the_original_and_left_open_without() {
    // The third class has lungs alone, and somebody in it fears that: at 0.7 it is suppressed.
    let (case, made) = (case("0.7"), case("0.7").release());
    assert_eq!(made.certificate.release.suppressed, 2);
    assert_eq!(made.columns, strings("a d"));
    let verdict = case.judge(&made, true);
    assert!(verdict.holds() && verdict.unchecked().count() == 0, "{verdict:#?}");
    assert!(verdict.claims[CLAIM].found.contains("0.6666"), "{verdict:#?}");
    let verdict = case.judge(&made, false);
    assert!(verdict.claims[CLAIM].unchecked);
}

#[test]
fn a_breach_is_found() {
    // What a holder who asks for less lets out.
    let mut made = case("1").release();
    assert_eq!(made.certificate.release.suppressed, 0);
    let strict = case("0.7");
    let claim = made.certificate.release.privacy.get_mut(CLAIM).unwrap();
    (claim.required, claim.holds) = (0.7, false);
    made.policy_sha256 = strict.release().policy_sha256;
    made.certificate.release.policy.sha256 = made.policy_sha256.clone();
    made.seal();
    let verdict = strict.judge(&made, true);
    assert!(broken(&verdict).contains(&CLAIM), "{verdict:#?}");
    assert!(verdict.claims[CLAIM].found.contains("reaches 1, 0.7 is required; 2 rows"), "{verdict:#?}");
    assert!(broken(&verdict).contains(&"truth"), "it had to be suppressed");
}
