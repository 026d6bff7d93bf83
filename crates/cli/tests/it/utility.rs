//! `privacy.utility`: what a release promises, what a refusal says, and what is rejected.

use crate::env::TestEnv;

const POLICY: &str = "\
version = 1
[input]
path = \"people.csv\"
[output]
path = \"release.csv\"
certificate = \"certificate.json\"
[columns]
name.role = \"identifier\"
age = { role = \"quasi\", domain = [0, 100], hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } } }
town.role = \"quasi\"
ill.role = \"sensitive\"
[privacy]
k = 4
utility = [{ statistic = \"mean\", column = \"age\", width = 6 }]
[search]
algorithm = \"auto\"
loss = \"lm\"
";

fn people() -> String {
    let towns = ["Lynn", "Salem", "Boston"];
    let row = |n: usize| {
        let (age, town) = (20 + n * 7 % 50, towns[n * n % 3]);
        format!("P{n},{age},{town},{}\n", if n.is_multiple_of(4) { "flu" } else { "angina" })
    };
    "name,age,town,ill\n".to_owned() + &(0..160).map(row).collect::<String>()
}

fn env(policy: &str) -> TestEnv {
    TestEnv::with(&[("people.csv", &people()), ("p.toml", policy)])
}

#[test]
fn a_release_keeps_its_promise_and_proves_it() {
    let env = env(POLICY);
    let said = env.run("release p.toml").ok().stdout;
    assert!(said.contains("accuracy    mean of age: between") && said.contains("6 is allowed"), "{said}");
    let certificate = env.json("certificate.json");
    let claim = &certificate["utility"]["mean of age"];
    let end = |key: &str| claim[key].as_f64().unwrap();
    assert!(claim["holds"] == true && end("achieved") <= 6.0 && end("required") == 6.0, "{claim}");
    let truth = (0..160).map(|n| (20 + n * 7 % 50) as f64).sum::<f64>() / 160.0;
    assert!(end("low") <= truth && truth <= end("high"), "{claim}");
    let verdict = env.run("verify release.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict["utility: mean of age within 6"]["holds"], true);
    // A recipient computes no wider bounds.
    let found = env.run("stats release.csv --policy p.toml --column age --json").ok().json();
    let width =
        found["age"]["mean"]["high"].as_f64().unwrap() - found["age"]["mean"]["low"].as_f64().unwrap();
    assert!(width <= 6.0 + 1e-6, "{width}");
    // A release with wider cells is not the one that was promised.
    let widened: String = env
        .text("release.csv")
        .lines()
        .enumerate()
        .map(|(at, line)| match (at, line.find("\",")) {
            (0, _) | (_, None) => format!("{line}\n"),
            (_, Some(end)) => format!("\"[0, 100){}\n", &line[end..]),
        })
        .collect();
    env.write("release.csv", widened);
    let verdict = env.run("verify release.csv --policy p.toml --json").fails(1).json();
    assert_eq!(verdict["utility: mean of age within 6"]["holds"], false);
}

#[test]
fn a_refusal_says_by_how_much_and_what_helps() {
    let env = env(&POLICY.replace("k = 4", "k = 40").replace("width = 6", "width = 4"));
    let run = env.run("release p.toml");
    run.fails(1).says(&[
        "utility.not-met",
        "mean of age: bounds of width",
        "4 is required",
        "tried on this table",
    ]);
    assert!(!env.path("release.csv").exists());
    let json = env.run("release p.toml --json").fails(1);
    assert!(json.stderr.contains("\"utility.not-met\""), "{}", json.stderr);
}

#[test]
fn the_largest_k_is_reached_and_proven() {
    let env = env(&POLICY.replace("k = 4", "k = 2\nmaximize = \"k\""));
    let json = env.run("release p.toml --json").ok().json();
    let k = json["search"]["k"].as_u64().unwrap();
    let required = json["privacy"]["k-anonymity"]["required"].as_f64();
    assert!(k > 2 && required == Some(k as f64), "{json}");
    let verdict = env.run("verify release.csv --policy p.toml --original people.csv --json").ok().json();
    assert_eq!(verdict["maximize: k"]["holds"], true);
    env.write("q.toml", POLICY.replace("k = 4", &format!("k = {}", k + 1)));
    env.run("release q.toml").fails(1);
}

#[test]
fn regions_promise_as_well() {
    for algorithm in ["boxes", "mondrian", "best", "k-similar"] {
        let policy = POLICY.replace("\"auto\"", &format!("\"{algorithm}\""));
        let env = env(&policy
            .replace(", hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }", ""));
        env.run("release p.toml").ok();
        let verdict = env.run("verify release.csv --policy p.toml --original people.csv --json").ok().json();
        assert_eq!(verdict["utility: mean of age within 6"]["holds"], true, "{algorithm}");
    }
}

#[test]
fn mistakes_are_named() {
    let refused = |from: &str, to: &str, said: &[&str]| {
        env(&POLICY.replace(from, to)).run("release p.toml").fails(2).says(said);
    };
    refused("\"mean\"", "\"meen\"", &["no statistic \"meen\"", "did you mean \"mean\"?"]);
    refused("width = 6", "width = -1", &["policy.utility-width-negative", "0 or more"]);
    refused("column = \"age\"", "column = \"name\"", &["policy.utility-of-other-role", "identifier"]);
    refused("column = \"age\"", "column = \"town\"", &["utility.not-numbers", "is not a number"]);
    refused("column = \"age\"", "column = \"aeg\"", &["did you mean `age`?"]);
    refused("domain = [0, 100]", "domain = [0, 30]", &["utility.outside-domain", "columns.age.domain"]);
    // A column that is suppressed throughout has no bound without a domain.
    let policy = POLICY.replace("domain = [0, 100]", "min_level = 4");
    env(&policy).run("release p.toml").fails(1).says(&["without a domain", "columns.NAME.domain"]);
}
