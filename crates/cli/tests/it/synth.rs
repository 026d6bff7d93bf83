//! `throng synth`: the county, specifications of one's own, rows from a network.

use std::collections::BTreeSet;

use crate::env::TestEnv;
use crate::network::fixture;

#[test]
fn the_same_seed_makes_the_same_bytes() {
    let env = TestEnv::new();
    let json = env.run("synth county --rows 500 --out a.csv --seed 7 --json").ok().json();
    assert_eq!((json["rows"].as_u64(), json["columns"].as_array().map(Vec::len)), (Some(500), Some(7)));
    env.run("synth county --rows 500 --out b.csv --seed 7").ok();
    env.run("synth county --rows 500 --out c.csv --seed 8").ok();
    assert_eq!(env.bytes("a.csv"), env.bytes("b.csv"));
    assert_ne!(env.bytes("a.csv"), env.bytes("c.csv"));
    assert_eq!(env.text("a.csv").lines().count(), 501);
    assert!(
        env.text("a.csv").starts_with("block,age,sex,asthma,diabetes,hypertension,depression\n999908201")
    );
    // What is shown is a specification.
    let shown = env.run("synth county --show").ok().stdout;
    env.write("mine.toml", shown);
    env.run("synth mine.toml --rows 500 --out d.csv --seed 7").ok();
    assert_eq!(env.bytes("a.csv"), env.bytes("d.csv"));
}

#[test]
fn rows_from_a_network_hold_values_of_the_table_and_are_not_its_rows() {
    let env = fixture();
    env.write("s.toml", "version = 1\nnetwork = \"policy.toml\"\n");
    env.run("synth s.toml --rows 1000 --out s.csv --seed 2").ok();
    env.run("synth s.toml --rows 1000 --out t.csv --seed 2").ok();
    assert_eq!(env.bytes("s.csv"), env.bytes("t.csv"));
    let rows = |name: &str, columns: &[&str]| -> Vec<Vec<String>> {
        let text = env.text(name);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().unwrap().clone();
        let at: Vec<usize> = columns
            .iter()
            .map(|c| header.iter().position(|h| h == *c).unwrap_or_else(|| panic!("{c}")))
            .collect();
        reader
            .records()
            .map(|r| {
                let r = r.unwrap();
                at.iter().map(|&i| r[i].to_owned()).collect()
            })
            .collect()
    };
    let columns = ["birth_date", "sex", "zip", "ethnicity", "admission_date"];
    let (real, made) = (rows("patients.csv", &columns), rows("s.csv", &columns));
    assert_eq!(made.len(), 1000);
    for column in 0..columns.len() {
        let values: BTreeSet<&String> = real.iter().map(|row| &row[column]).collect();
        assert!(made.iter().all(|row| values.contains(&row[column])));
    }
    // A day of birth, a ZIP code and a day of admission are never met together again but by chance.
    let real: BTreeSet<&Vec<String>> = real.iter().collect();
    let copies = made.iter().filter(|row| real.contains(row)).count();
    assert!(copies < 3, "{copies} of 1000");
}

#[test]
fn mistakes_are_explained() {
    let env = TestEnv::with(&[(
        "s.toml",
        "version = 1\n[[columns]]\nname = \"a\"\nvalues = [\"x\"]\nweights = [1, 2]\n",
    )]);
    env.run("synth s.toml --rows 5 --out a.csv").fails(2).says(&["2 weights"]);
    env.run("synth conty --rows 5 --out a.csv").fails(2).says(&["county"]);
    env.run("synth county --rows 5 --out a.parquet").fails(2).says(&[".csv"]);
    env.run("synth county --rows 5").fails(2).says(&["--out"]);
    env.write("a.csv", "here");
    env.run("synth county --rows 5 --out a.csv").fails(2).says(&["--force"]);
    assert_eq!(env.text("a.csv"), "here");
    env.run("synth county --rows 5 --out a.csv --force").ok();
    assert_eq!(env.text("a.csv").lines().count(), 6);
}
