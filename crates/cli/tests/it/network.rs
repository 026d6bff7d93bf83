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
    assert!(json["bic"].as_f64() > json["bic_without_edges"].as_f64());
    // A level depends on at most two others, or on at most as many as `--parents` allows.
    let most = |json: &serde_json::Value| {
        let edges = json["edges"].as_array().unwrap();
        let to = |edge: &serde_json::Value| (edge["to"].to_string(), edge["to_level"].to_string());
        let same = |edge: &serde_json::Value| edges.iter().filter(|other| to(other) == to(edge)).count();
        edges.iter().map(same).max().unwrap_or(0)
    };
    assert!(most(&json) <= 2, "{json}");
    assert!(most(&env.run("network policy.toml --parents 1 --json").ok().json()) <= 1);
    assert!(
        env.run("network policy.toml --parents 0 --json").ok().json()["edges"].as_array().unwrap().is_empty()
    );
    env.run("network policy.toml --parents 9").fails(2);
    let svg = env.text("net.svg");
    assert_eq!(svg.matches("class=\"edge\"").count(), edges.len());
    let text = env.run("network policy.toml").ok().stdout;
    assert!(text.contains("kept aside") && text.contains("gain"), "{text}");
    assert_eq!(text, env.run("network policy.toml").ok().stdout);
}

#[test]
fn questions_are_answered() {
    let env = fixture();
    let json = env.run("network policy.toml --given sex=F --ask diagnosis --json").ok().json();
    assert_eq!((json["rows"].as_u64(), json["column"].as_str()), (Some(3000), Some("diagnosis")));
    let shares = json["distribution"].as_array().unwrap();
    let sum: f64 = shares.iter().map(|likely| likely["probability"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9 && shares.len() > 5, "{json}");
    let p = json["probability"].as_f64().unwrap();
    assert!((0.3..0.7).contains(&p), "{json}");
    let text = env.run("network policy.toml --given sex=F --ask diagnosis").ok().stdout;
    assert!(text.contains("of 3000 rows") && text.contains("diagnosis given these:"), "{text}");
    let row = env.run("network policy.toml --given sex=F --given zip=*").ok().stdout;
    assert!(row.contains("probability") && !row.contains("given these"), "{row}");
    for wrong in
        ["--given sex", "--given sex=X9", "--given size=3", "--ask size", "--given sex=F --given sex=M"]
    {
        env.run(&format!("network policy.toml {wrong}")).fails(2);
    }
}

#[test]
fn nothing_to_learn_from_is_refused() {
    let env = TestEnv::with(&[("t.csv", "a,b\n1,2\n")]);
    env.write("p.toml", "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"o.csv\"\n[columns.a]\nrole = \"keep\"\n[columns.b]\nrole = \"keep\"\n[privacy]\nk = 2\n");
    env.run("network p.toml").fails(2);
}
