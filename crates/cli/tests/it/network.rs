//! `throng network`: what it finds in synthetic patients, and its picture.

use throng::synth::{demo_policy, patients};
use throng::watch::Watch;

use crate::env::TestEnv;

pub fn fixture() -> TestEnv {
    let policy = demo_policy(3_000);
    TestEnv::with(&[
        ("patients.csv", &patients::csv(3_000, 3, &Watch::none()).unwrap()),
        ("policy.toml", &policy),
    ])
}

#[test]
fn what_goes_together_is_found_and_drawn() {
    let env = fixture();
    let json = env.run("network policy.toml --out net.svg --json").ok().json();
    assert_eq!(json["rows"], 3000);
    let edges = json["edges"].as_array().unwrap();
    assert!(!edges.is_empty(), "{json}");
    assert!(json["bits"].as_f64() < json["bits_without_edges"].as_f64());
    // Every column has at most one parent.
    let children: Vec<_> = edges.iter().map(|edge| edge["to"].as_str().unwrap()).collect();
    assert!(children.iter().enumerate().all(|(i, child)| !children[..i].contains(child)), "{json}");
    let svg = env.text("net.svg");
    assert_eq!(svg.matches("class=\"edge\"").count(), edges.len());
    let text = env.run("network policy.toml").ok().stdout;
    assert!(text.contains("kept aside") && text.contains("gain"), "{text}");
    assert_eq!(text, env.run("network policy.toml").ok().stdout);
}

#[test]
fn nothing_to_learn_from_is_refused() {
    let env = TestEnv::with(&[("t.csv", "a,b\n1,2\n")]);
    env.write("p.toml", "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"o.csv\"\n[columns.a]\nrole = \"keep\"\n[columns.b]\nrole = \"keep\"\n[privacy]\nk = 2\n");
    env.run("network p.toml").fails(2);
}
