//! Several rows per person: `role = "subject"` from the policy to the verdict, and `throng risk
//! --subject`.

use crate::env::TestEnv;

/// Ten visits of two people, and three people with one each.
fn env(more: &str) -> TestEnv {
    let visits = (0..10).map(|visit| format!("{},21,f,flu\n", ["a", "bb"][visit / 5]));
    let others = ["c", "d", "e"].map(|person| format!("{person},35,m,asthma\n"));
    let table: String =
        ["patient,age,sex,illness\n".to_owned()].into_iter().chain(visits).chain(others).collect();
    let policy = format!(
        "version = 1\n[input]\npath = \"visits.csv\"\n[output]\npath = \"out.csv\"\n[privacy]\nk = 2\n\
         [columns.patient]\nrole = \"subject\"\n{more}\n[columns.age]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n\
         [columns.illness]\nrole = \"sensitive\"\n"
    );
    TestEnv::with(&[("visits.csv", &table), ("p.toml", &policy)])
}

#[test]
fn a_release_counts_people_and_says_so() {
    let env = env("");
    let text = env.run("release p.toml").ok().stdout;
    assert!(text.contains("people      5 read, 5 released, 0 left out"), "{text}");
    let json = env.json("out.certificate.json");
    assert_eq!(json["privacy"]["k-anonymity"]["achieved"], 2.0);
    assert_eq!(json["people"]["people"], 5);
    assert!(env.text("out.report.html").contains("shared by at least 2 people"));
    assert!(!env.text("out.csv").contains("patient"));
    let verdict = env.run("verify out.csv --policy p.toml --original visits.csv --json").ok().json();
    assert_eq!(verdict["people"]["holds"], true);
    assert!(verdict["k-anonymity"].get("unchecked").is_none());
    let verdict = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict["k-anonymity"]["unchecked"], true);
}

#[test]
fn rows_that_can_be_linked_are_refused_with_a_remedy() {
    let env = env("transform = { number = {} }");
    env.run("release p.toml").ok();
    assert!(env.text("out.csv").starts_with("patient,"));
    env.write("p.toml", env.text("p.toml").replace("k = 2", "k = 3"));
    env.run("release p.toml --out other.csv").fails(1).says(&["people.rows-can-be-linked", "one row per"]);
}

#[test]
fn risk_counts_people() {
    let env = env("");
    let json = env.run("risk visits.csv --qi age,sex --subject patient --json").ok().json();
    assert_eq!(json["smallest_class"]["value"], 2.0);
    assert_eq!(json["people"]["value"], 5.0);
    let json = env.run("risk visits.csv --policy p.toml --json").ok().json();
    assert_eq!(json["smallest_class"]["value"], 2.0);
    let json = env.run("risk visits.csv --qi age,sex --json").ok().json();
    assert_eq!(json["smallest_class"]["value"], 3.0);
    env.run("risk visits.csv --policy p.toml --population 1000").fails(2).says(&["one row per person"]);
    env.run("release p.toml").ok();
    env.run("risk out.csv --policy p.toml").fails(2).says(&["certificate"]);
}
