//! Releases beside a population, from the policy to the verdict: people are counted from the files
//! again.

use std::collections::BTreeMap;

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

/// The first 300 of 1,500 people are in the table; everybody is in the population, which has fewer
/// columns.
fn asking(models: &str, more: &[(&str, &str)]) -> TestEnv {
    let everybody = people(1500, 9);
    let table = Table { rows: everybody.rows[..300].to_vec(), ..everybody.clone() };
    let at: Vec<usize> = QUASI.iter().rev().map(|c| everybody.at(c)).collect();
    let town = Table {
        columns: QUASI.iter().rev().map(|c| (*c).to_owned()).collect(),
        rows: everybody.rows.iter().map(|row| at.iter().map(|&i| row[i].clone()).collect()).collect(),
    };
    let line = format!("models = [{models}]");
    let changes = [&[("k = 5", line.as_str()), ("suppression = 0.05", "suppression = 0.1")], more].concat();
    TestEnv::with(&[
        ("people.csv", &table.write(',')),
        ("town.csv", &town.write(',')),
        ("p.toml", &policy(&changes)),
    ])
}

/// Rows per combination of labels in the release, and the people of the town behind each: those
/// whose cells the labels hold.
fn shares(env: &TestEnv) -> Vec<(u64, u64)> {
    let (released, town) =
        (Table::read(&env.bytes("out.csv"), ','), Table::read(&env.bytes("town.csv"), ','));
    let mut classes: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    for row in &released.rows {
        *classes.entry(QUASI.iter().map(|c| row[released.at(c)].as_str()).collect()).or_default() += 1;
    }
    // Labels are [20, 25), 021** and *, or the cell itself.
    let holds = |label: &str, cell: &str| match label.strip_prefix('[').and_then(|l| l.strip_suffix(')')) {
        Some(range) => {
            let (low, high) = range.split_once(", ").unwrap();
            let number = |text: &str| text.parse::<f64>().unwrap();
            number(low) <= number(cell) && number(cell) < number(high)
        }
        None => label == cell || label.ends_with('*') && cell.starts_with(label.trim_end_matches('*')),
    };
    let people = |labels: &Vec<&str>| {
        let fits =
            |row: &&Vec<String>| QUASI.iter().zip(labels).all(|(c, label)| holds(label, &row[town.at(c)]));
        town.rows.iter().filter(fits).count() as u64
    };
    classes.iter().map(|(labels, &rows)| (rows, people(labels))).collect()
}

#[test]
fn a_row_may_be_alone_where_others_could_be_meant() {
    let env = asking("{ k_map = { k = 12, population = \"town.csv\" } }", &[]);
    let release = env.run("release p.toml --json").ok().json();
    let counted = shares(&env);
    let least = counted.iter().map(|&(_, people)| people).min().unwrap();
    assert!(least >= 12);
    assert_eq!(release["privacy"]["k-map"]["achieved"].as_f64(), Some(least as f64));
    assert!(counted.iter().any(|&(rows, _)| rows < 12), "k-anonymity would have asked for more");
    assert_eq!(release["population"]["rows"], 1500);
    for line in [
        "verify out.csv --policy p.toml --json",
        "verify out.csv --policy p.toml --original people.csv --json",
    ] {
        let verdict = env.run(line).ok().json();
        assert_eq!(verdict["k-map"]["holds"], true, "{verdict}");
        assert_eq!(verdict["k-map"].get("unchecked"), None, "the population tells without the original");
        assert_eq!(verdict["population"]["holds"], true, "{verdict}");
    }
    env.run("explore p.toml --json").ok();
}

#[test]
fn another_population_is_found() {
    let env = asking("{ k_map = { k = 12, population = \"town.csv\" } }", &[]);
    env.run("release p.toml").ok();
    // The table's own people alone.
    let town = Table::read(&env.bytes("town.csv"), ',');
    env.write("town.csv", Table { rows: town.rows[..300].to_vec(), ..town }.write(','));
    let verdict = env.run("verify out.csv --policy p.toml --json").fails(1).json();
    assert_eq!(verdict["population"]["holds"], false);
    assert_eq!(verdict["k-map"]["holds"], false);
}

#[test]
fn nobody_is_known_to_be_in_the_table() {
    let env = asking("{ delta_presence = { population = \"town.csv\", min = 0.1, max = 0.3 } }", &[]);
    let release = env.run("release p.toml --json").ok().json();
    let counted = shares(&env);
    assert_eq!(counted.iter().map(|&(_, people)| people).sum::<u64>(), 1500, "everybody looks like somebody");
    let all = counted.iter().map(|&(rows, people)| rows as f64 / people as f64);
    let (least, most) = (all.clone().fold(1.0, f64::min), all.fold(0.0, f64::max));
    assert!(least >= 0.1 && most <= 0.3, "{least} to {most}");
    assert_eq!(release["privacy"]["delta-presence: least"]["achieved"].as_f64(), Some(least));
    assert_eq!(release["privacy"]["delta-presence: most"]["achieved"].as_f64(), Some(most));
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
    // A class left out: of its people nobody is in the table, as everybody can see.
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    let first: Vec<String> = QUASI.iter().map(|c| table.rows[0][table.at(c)].clone()).collect();
    let at: Vec<usize> = QUASI.iter().map(|c| table.at(c)).collect();
    table.rows.retain(|row| !at.iter().map(|&i| &row[i]).eq(first.iter()));
    env.write("out.csv", table.write(','));
    let verdict = env.run("verify out.csv --policy p.toml --json").fails(1).json();
    assert_eq!(verdict["delta-presence: least"]["holds"], false, "{verdict}");
}

#[test]
fn people_are_estimated_from_their_number() {
    let env = asking("{ k_map = { k = 12, population = 1500 } }", &[]);
    let release = env.run("release p.toml --json").ok().json();
    let claim = &release["privacy"]["k-map: estimated"];
    let (required, achieved) = (claim["required"].as_f64().unwrap(), claim["achieved"].as_f64().unwrap());
    assert!(required > 1.0 && required < 12.0 && achieved >= required, "{claim}");
    Table::read(&env.bytes("out.csv"), ',').is_anonymous(&QUASI, required as u64);
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
}

/// A part of the people is the larger table: t is less than k, and more than k − 1 people are
/// likely behind every class.
#[test]
fn a_larger_table_tells_of_people() {
    let env = asking("{ j_anonymity = { k = 12, population = \"town.csv\", people = 6000 } }", &[]);
    let release = env.run("release p.toml --json").ok().json();
    let counted = shares(&env);
    let claim = &release["privacy"]["j-anonymity"];
    assert!(claim["achieved"].as_f64().unwrap() >= 12.0, "{claim}");
    assert!(
        counted.iter().any(|&(_, people)| people < 12),
        "fewer than 12 rows of the larger table are enough"
    );
    let told = &release["predicted"]["j-anonymity"];
    let small: u64 = counted.iter().map(|&(rows, _)| rows).filter(|&rows| rows < 12).sum();
    assert_eq!((told["rows"].as_u64(), told["from"].as_str()), (Some(small), Some("population")));
    assert!(small > 0);
    for line in [
        "verify out.csv --policy p.toml --json",
        "verify out.csv --policy p.toml --original people.csv --json",
    ] {
        let verdict = env.run(line).ok().json();
        assert_eq!(verdict["j-anonymity"].get("unchecked"), None, "{verdict}");
    }
    // With everybody in the larger table it is k-map.
    let whole = asking("{ j_anonymity = { k = 12, population = \"town.csv\" } }", &[]);
    let map = asking("{ k_map = { k = 12, population = \"town.csv\" } }", &[]);
    let (whole, map) =
        (whole.run("release p.toml --json").ok().json(), map.run("release p.toml --json").ok().json());
    assert_eq!(whole["levels"], map["levels"]);
    assert_eq!(whole["privacy"]["j-anonymity"], map["privacy"]["k-map"]);
}

#[test]
fn people_are_predicted_from_the_table() {
    let env = asking("{ j_anonymity = { k = 6, people = 500000, confidence = 0.9 } }", &[]);
    let release = env.run("release p.toml --json").ok().json();
    let told = &release["predicted"]["j-anonymity: predicted"];
    assert_eq!((told["people"].as_u64(), told["from"].as_str()), (Some(500_000), Some("network")));
    let small: u64 = shares(&env).iter().map(|&(rows, _)| rows).filter(|&rows| rows < 6).sum();
    assert_eq!(told["rows"].as_u64(), Some(small));
    assert!(small > 0, "{told}");
    assert!(env.text("out.report.html").contains("as a network of the table predicts"));
    // The structure is published, and none of its counts.
    let certificate = env.json("out.certificate.json");
    for edge in certificate["predicted"]["j-anonymity: predicted"]["edges"].as_array().into_iter().flatten() {
        let keys: Vec<&String> = edge.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["column", "from", "from_level", "level"]);
    }
    // Another seed shuffles other rows and fits the same network.
    env.run("release p.toml --seed 9 --out other.csv --json").ok();
    let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").ok().json();
    assert_eq!(verdict["j-anonymity: predicted"].get("unchecked"), None, "{verdict}");
    let verdict = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict["j-anonymity: predicted"]["unchecked"], true, "{verdict}");
    // One row of a small class twice: its class has more rows than the certificate's.
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    let first = table.rows[0].clone();
    table.rows.push(first);
    env.write("out.csv", table.write(','));
    env.run("verify out.csv --policy p.toml --original people.csv --json").fails(1);
}

#[test]
fn populations_that_do_not_fit_are_refused() {
    let env = asking("{ k_map = { k = 12, population = \"town.csv\" } }", &[]);
    let whole = env.text("town.csv");
    env.write("town.csv", whole.replacen("zip", "postcode", 1));
    let run = env.run("release p.toml").fails(2);
    for part in ["town.csv", "has no column `zip`", "privacy.models.0.k_map.population"] {
        assert!(run.said().contains(part), "{} lacks {part}", run.said());
    }
    let town = Table::read(whole.as_bytes(), ',');
    env.write("town.csv", Table { rows: town.rows[1..].to_vec(), ..town }.write(','));
    let run = env.run("release p.toml").fails(2);
    for part in ["1 combination of quasi-identifiers has more rows", "holds everybody in the table"] {
        assert!(run.said().contains(part), "{} lacks {part}", run.said());
    }
    env.write("q.toml", env.text("p.toml").replace("town.csv", "nowhere.csv"));
    let run = env.run("release q.toml").fails(2);
    assert!(run.said().contains("nowhere.csv") && run.said().contains("no such file"), "{}", run.said());
    let run = env.run("release p.toml --out town.csv").fails(2);
    assert!(run.said().contains("would be written over the population"), "{}", run.said());
}
