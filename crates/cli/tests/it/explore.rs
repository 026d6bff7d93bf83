//! `throng explore`: its JSON, its page, its exit codes, and that it agrees with `throng release`.

use serde_json::Value;

use crate::env::TestEnv;
use crate::people::{QUASI, people, policy};

fn env(changes: &[(&str, &str)]) -> TestEnv {
    TestEnv::with(&[("people.csv", &people(300, 1).write(',')), ("p.toml", &policy(changes))])
}

fn nodes(explored: &Value, of: &str) -> Vec<Value> {
    let nodes = explored["nodes"].as_array().unwrap().iter();
    nodes.filter(|n| n[of] == true).map(|n| n["levels"].clone()).collect()
}

#[test]
fn the_json_lists_every_node_and_the_one_that_a_release_chooses() {
    let env = env(&[]);
    let explored = env.run("explore p.toml --json").ok().json();
    let release = env.run("release p.toml --json").ok().json();
    assert_eq!(explored["columns"], serde_json::json!(QUASI));
    assert_eq!(explored["nodes"].as_array().unwrap().len() as u64, release["search"]["nodes"]);
    let chosen = nodes(&explored, "chosen");
    assert_eq!(chosen.len(), 1);
    assert_eq!(explored["summary"]["chosen"], chosen[0]);
    for (i, column) in QUASI.iter().enumerate() {
        assert_eq!(chosen[0][i], release["levels"][column]);
    }
    let node = explored["nodes"].as_array().unwrap().iter().find(|n| n["chosen"] == true).unwrap();
    assert_eq!(node["loss"], release["loss"]["entropy"]);
    assert_eq!(node["suppressed"], release["suppressed"]);
    assert_eq!((&node["safe"], &node["minimal"]), (&Value::Bool(true), &Value::Bool(true)));
    for (key, of) in [("safe", "safe"), ("tagged", "tagged"), ("minimal", "minimal")] {
        assert_eq!(explored["summary"][key], nodes(&explored, of).len(), "{key}");
    }
    let heights = explored["summary"]["heights"].as_array().unwrap();
    let sum: u64 = heights.iter().map(|h| h["nodes"].as_u64().unwrap()).sum();
    assert_eq!(explored["summary"]["listed"], sum);
}

#[test]
fn the_same_each_time_and_a_page_that_needs_nothing() {
    let env = env(&[]);
    let said = env.run("explore p.toml --out a.html").ok().stdout;
    assert!(said.contains("k-minimal nodes, by loss") && said.contains("a.html"), "{said}");
    env.run("explore p.toml --json --out b.html").ok().json();
    assert_eq!(env.bytes("a.html"), env.bytes("b.html"));
    let page = env.text("a.html");
    for foreign in ["http://", "https://", "<script", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("The lattice, node by node") && page.contains("k-minimal nodes"));
    assert_eq!(env.names(), ["a.html", "b.html", "p.toml", "people.csv"]);
}

#[test]
fn the_report_of_a_release_has_the_picture() {
    let env = env(&[]);
    env.run("release p.toml").ok();
    assert!(env.text("out.report.html").contains("The lattice, node by node"));
}

#[test]
fn without_a_safe_node_the_lattice_is_shown_and_the_answer_is_no() {
    let env = env(&[
        ("k = 5", "k = 200"),
        ("suppression = 0.05", "suppression = 0.0"),
        ("role = \"quasi\"\nhierarchy = { postal", "role = \"quasi\"\nmax_level = 0\nhierarchy = { postal"),
    ]);
    let run = env.run("explore p.toml --json").fails(1);
    assert_eq!(run.json()["summary"]["chosen"], Value::Null);
    assert_eq!(run.json()["summary"]["safe"], 0);
    assert!(env.run("explore p.toml").fails(1).stdout.contains("no node is safe"));
    env.run("explore p.toml --around 1").fails(1).says(&["no node was chosen"]);
}

#[test]
fn around_lists_the_neighbours_of_the_chosen_node() {
    let env = env(&[]);
    let whole = env.run("explore p.toml --json").ok().json();
    let near = env.run("explore p.toml --json --around 1").ok().json();
    let centre = &whole["summary"]["chosen"];
    let steps = |node: &&Value| -> i64 {
        let level = |v: &Value, i: usize| v[i].as_i64().unwrap();
        (0..QUASI.len()).map(|i| (level(&node["levels"], i) - level(centre, i)).abs()).sum()
    };
    let expected: Vec<&Value> = whole["nodes"].as_array().unwrap().iter().filter(|n| steps(n) <= 1).collect();
    let found = near["nodes"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        for key in ["levels", "safe", "suppressed", "loss", "minimal", "chosen"] {
            assert_eq!(found[key], expected[key]);
        }
    }
    assert_eq!((&near["summary"]["around"], &near["summary"]["tagged"]), (&Value::from(1), &Value::Null));
}

#[test]
fn a_lattice_too_large_is_refused_with_the_way_out() {
    let columns: Vec<String> = (0..18).map(|i| format!("c{i}")).collect();
    let row = |v: usize| vec![v.to_string(); 18].join(",");
    let table = format!("{}\n{}\n{}\n", columns.join(","), row(1), row(2));
    let mut text = "version = 1\n[input]\npath = \"t.csv\"\n[privacy]\nk = 2\nsuppression = 1\n".to_owned();
    columns.iter().for_each(|c| text += &format!("[columns.{c}]\nrole = \"quasi\"\n"));
    let env = TestEnv::with(&[("t.csv", &table), ("p.toml", &text)]);
    env.run("explore p.toml").fails(2).says(&["262144 nodes", "200000", "--around", "max_level"]);
    assert_eq!(env.run("explore p.toml --json --around 1").ok().json()["summary"]["nodes"], 262_144);
}

#[test]
fn mistakes_are_shown_as_a_release_shows_them() {
    let env = env(&[("{ postal = { keep = [3, 2] } }", "{ postal = { keap = [3, 2] } }")]);
    env.run("explore p.toml").fails(2).says(&["p.toml:15", "`keap`"]);
    env.run("explore none.toml").fails(2).says(&["none.toml", "no such file"]);
    let env = self::env(&[]);
    env.run("explore p.toml --out none/a.html").fails(2).says(&["no folder none"]);
    env.write("q.toml", policy(&[("[privacy]", "[search]\nalgorithm = \"olla\"\n[privacy]")]));
    env.run("explore q.toml").fails(2).says(&["olla", "did you mean \"ola\""]);
}
