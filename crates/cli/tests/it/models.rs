//! Models of sensitive columns, from the policy to the verdict: what is released is judged by
//! counting.

use std::collections::BTreeMap;

use throng::release::Certificate;

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

const DISTINCT: &str = "{ l_diversity = { column = \"illness\", l = 4 } }";
const ENTROPY: &str = "{ l_diversity = { column = \"illness\", kind = \"entropy\", l = 3.5 } }";
const RECURSIVE: &str = "{ l_diversity = { column = \"illness\", kind = \"recursive\", l = 3, c = 1.5 } }";

/// People and a policy with these models.
fn asking(models: &[&str], more: &[(&str, &str)]) -> TestEnv {
    let line = format!("k = 3\nmodels = [{}]", models.join(",\n"));
    let changes = [&[("k = 5", line.as_str()), ("suppression = 0.05", "suppression = 0.1")], more].concat();
    TestEnv::with(&[("people.csv", &people(600, 5).write(',')), ("p.toml", &policy(&changes))])
}

/// The rows of each illness, most first, class by class.
fn classes(table: &Table) -> Vec<Vec<f64>> {
    let (at, illness): (Vec<usize>, usize) =
        (QUASI.iter().map(|c| table.at(c)).collect(), table.at("illness"));
    let mut classes: BTreeMap<Vec<&str>, BTreeMap<&str, f64>> = BTreeMap::new();
    for row in &table.rows {
        let class = classes.entry(at.iter().map(|&i| row[i].as_str()).collect()).or_default();
        *class.entry(&row[illness]).or_default() += 1.0;
    }
    let sorted = |class: BTreeMap<&str, f64>| {
        let mut rows: Vec<f64> = class.into_values().collect();
        rows.sort_by(|a, b| b.total_cmp(a));
        rows
    };
    classes.into_values().map(sorted).collect()
}

fn entropy(rows: &[f64]) -> f64 {
    let all: f64 = rows.iter().sum();
    rows.iter().map(|n| -n / all * (n / all).ln()).sum()
}

#[test]
fn several_models_hold_together() {
    let env = asking(&[DISTINCT, ENTROPY, RECURSIVE], &[]);
    let release = env.run("release p.toml --json").ok().json();
    let classes = classes(&Table::read(&env.bytes("out.csv"), ','));
    assert!(classes.len() > 1);
    let privacy = &release["privacy"];
    let reached =
        |claim: &str| privacy[format!("{claim} l-diversity: illness")]["achieved"].as_f64().unwrap();
    let least = classes.iter().map(Vec::len).min().unwrap();
    assert!(least >= 4);
    assert_eq!(reached("distinct"), least as f64);
    let least = classes.iter().map(|rows| entropy(rows).exp()).fold(f64::MAX, f64::min);
    assert!(least >= 3.5 && (reached("entropy") - least).abs() < 1e-9);
    let most = classes.iter().map(|rows| rows[0] / rows[2..].iter().sum::<f64>()).fold(0.0, f64::max);
    assert!(most < 1.5 && (reached("recursive") - most).abs() < 1e-9);
    let verdict = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict["entropy l-diversity: illness"]["holds"], true);
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
}

/// A sensitive column that somebody can link on: its level is searched, and every set of rows that
/// are equal in all other quasi-identifiers has two of its labels.
#[test]
fn a_quasi_identifier_can_be_judged_too() {
    let model = "{ l_diversity = { column = \"age\", l = 2 } }";
    let env =
        asking(&[DISTINCT, model], &[("path = \"out.csv\"", "path = \"out.csv\"\nreport = \"r.html\"")]);
    let release = env.run("release p.toml --json").ok().json();
    let out = Table::read(&env.bytes("out.csv"), ',');
    let others: Vec<usize> = ["zip", "sex", "city"].iter().map(|c| out.at(c)).collect();
    let mut sets: BTreeMap<Vec<&str>, std::collections::BTreeSet<&str>> = BTreeMap::new();
    for row in &out.rows {
        let set: Vec<&str> = others.iter().map(|&at| row[at].as_str()).collect();
        sets.entry(set).or_default().insert(&row[out.at("age")]);
    }
    let least = sets.values().map(|ages| ages.len()).min().unwrap();
    assert!(least >= 2);
    assert_eq!(release["privacy"]["distinct l-diversity: age"]["achieved"].as_f64(), Some(least as f64));
    assert!(release["levels"]["age"].as_u64().unwrap() < 4, "at the top all ages are one label");
    assert!(classes(&out).iter().all(|class| class.len() >= 4), "ages tell nobody's illness");
    assert!(env.text("r.html").contains("judged by distinct l-diversity: age"));
    for line in [
        "verify out.csv --policy p.toml --json",
        "verify out.csv --policy p.toml --original people.csv --json",
    ] {
        let verdict = env.run(line).ok().json();
        assert_eq!(verdict["distinct l-diversity: age"]["holds"], true, "{verdict}");
    }
    let tags = asking(
        &[model],
        &[("[columns.id]", "[search]\nalgorithm = \"ola\"\nloss = \"height\"\n[columns.id]")],
    );
    tags.run("release p.toml").fails(2).says(&["needs monotone models", "distinct l-diversity: age"]);
}

#[test]
fn models_cost_what_k_does_not_see() {
    let plain = asking(&[], &[]);
    plain.run("release p.toml").ok();
    let without = classes(&Table::read(&plain.bytes("out.csv"), ','));
    assert!(without.iter().any(|rows| rows.len() < 4), "k alone must let a poor class through");
}

#[test]
fn rows_kept_with_starred_cells_are_diverse_too() {
    let env = asking(&[DISTINCT], &[("path = \"out.csv\"", "path = \"out.csv\"\nsuppressed = \"cells\"")]);
    let release = env.run("release p.toml --json").ok().json();
    assert!(release["steps"].as_array().is_some_and(|steps| steps.len() > 1), "nothing was starred");
    assert!(classes(&Table::read(&env.bytes("out.csv"), ',')).iter().all(|rows| rows.len() >= 4));
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
}

#[test]
fn changed_sensitive_values_are_found() {
    let env = asking(&[DISTINCT, ENTROPY], &[]);
    env.run("release p.toml").ok();
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    let illness = table.at("illness");
    let at: Vec<usize> = QUASI.iter().map(|c| table.at(c)).collect();
    let first: Vec<String> = at.iter().map(|&i| table.rows[0][i].clone()).collect();
    for row in table.rows.iter_mut().filter(|row| at.iter().map(|&i| &row[i]).eq(first.iter())) {
        row[illness] = "flu, bad".into();
    }
    env.write("out.csv", table.write(','));
    let verdict = env.run("verify out.csv --policy p.toml --json").fails(1).json();
    for claim in ["distinct l-diversity: illness", "entropy l-diversity: illness"] {
        assert_eq!(verdict[claim]["holds"], false, "{claim}");
        assert!(verdict[claim]["found"].as_str().unwrap().contains("reaches 1"), "{verdict}");
    }
}

#[test]
fn forged_figures_are_found() {
    let env = asking(&[ENTROPY], &[]);
    env.run("release p.toml").ok();
    let claim = "entropy l-diversity: illness";
    for (required, more) in [(3.5, 0.1), (3.0, 0.0)] {
        let mut c: Certificate = serde_json::from_value(env.json("out.certificate.json")).unwrap();
        let stated = c.release.privacy.get_mut(claim).unwrap();
        stated.required = required;
        stated.achieved = stated.achieved.map(|figure| figure + more);
        let sealed = Certificate::new(c.release, c.columns, c.classes).unwrap();
        env.write("forged.json", serde_json::to_string(&sealed).unwrap());
        env.run("verify out.csv --policy p.toml --certificate forged.json").fails(1);
    }
}

#[test]
fn what_no_table_can_reach_is_refused() {
    let env = asking(&["{ l_diversity = { column = \"illness\", l = 7 } }"], &[]);
    let run = env.run("release p.toml").fails(2);
    for part in ["p.toml:28", "privacy.models.0.l_diversity.l", "`illness` has 6 values", "lower l"] {
        assert!(run.said().contains(part), "{} lacks {part}", run.said());
    }
    let env = asking(&[ENTROPY], &[]);
    env.write("q.toml", env.text("p.toml").replace("algorithm = \"auto\"", "algorithm = \"incognito\""));
    let run = env.run("release q.toml").fails(2);
    assert!(
        run.said().contains("entropy l-diversity: illness") && run.said().contains("\"auto\""),
        "{}",
        run.said()
    );
}

/// Illnesses by kind, for people whose illness is one of six.
const KINDS: &str = "\"flu, bad\",infection,*\n\"so-called \"\"cold\"\"\",infection,*\ngout; mild,other,*\n\
                     tab\there,other,*\nnone|yet,other,*\n\"two\nlines\",other,*\n";

#[test]
fn classes_are_close_to_the_table() {
    let close = "{ t_closeness = { column = \"illness\", t = 0.3 } }";
    let near = "{ t_closeness = { column = \"illness\", distance = \"hierarchical\", t = 0.22 } }";
    let file = ("role = \"sensitive\"", "role = \"sensitive\"\nhierarchy = { file = \"kinds.csv\" }");
    let env = asking(&[close, near, DISTINCT], &[file]);
    env.write("kinds.csv", KINDS);
    let release = env.run("release p.toml --json").ok().json();
    assert!(release["suppressed"].as_u64() > Some(0), "all rows are released");
    let original = people(600, 5);
    let table = Table::read(&env.bytes("out.csv"), ',');
    let (at, illness): (Vec<usize>, usize) =
        (QUASI.iter().map(|c| table.at(c)).collect(), table.at("illness"));
    let share =
        |rows: &[&str], value: &str| rows.iter().filter(|v| **v == value).count() as f64 / rows.len() as f64;
    let all = original.column("illness");
    let mut worst = 0.0f64;
    for row in &table.rows {
        let mates = table.rows.iter().filter(|other| at.iter().all(|&i| other[i] == row[i]));
        let mates: Vec<&str> = mates.map(|other| other[illness].as_str()).collect();
        let values: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        let differ: f64 = values.iter().map(|v| (share(&mates, v) - share(&all, v)).abs()).sum();
        worst = worst.max(differ / 2.0);
    }
    let stated = release["privacy"]["equal t-closeness: illness"]["achieved"].as_f64().unwrap();
    assert!(worst <= 0.3 && (worst - stated).abs() < 1e-9, "{worst}, not {stated}");
    // What was suppressed belongs to the whole table, which only the original shows.
    let verdict = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict["equal t-closeness: illness"]["unchecked"], true);
    let line = "verify out.csv --policy p.toml --original people.csv --json";
    let verdict = env.run(line).ok().json();
    for claim in ["equal t-closeness: illness", "hierarchical t-closeness: illness"] {
        assert_eq!(verdict[claim]["holds"], true, "{verdict}");
        assert_eq!(verdict[claim].get("unchecked"), None);
    }
}

#[test]
fn the_other_models_hold_together_and_are_proven_again() {
    let models = [
        "{ p_sensitive = { column = \"illness\", p = 3 } }",
        "{ alpha_k = { column = \"illness\", alpha = 0.4, values = [\"gout; mild\"] } }",
        "{ delta_disclosure = { column = \"illness\", delta = 1.2 } }",
        "{ beta_likeness = { column = \"illness\", beta = 1.5, kind = \"enhanced\" } }",
    ];
    let env = asking(&models, &[]);
    let release = env.run("release p.toml --json").ok().json();
    for class in classes(&Table::read(&env.bytes("out.csv"), ',')) {
        assert_eq!(class.len(), 6, "a class without a value tells that it is not there");
    }
    assert_eq!(release["privacy"].as_object().unwrap().len(), 5);
    let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").ok().json();
    for claim in release["privacy"].as_object().unwrap().keys() {
        assert_eq!(verdict[claim]["holds"], true, "{claim}");
        assert_eq!(verdict[claim].get("unchecked"), None, "{claim}");
    }
    env.write("q.toml", env.text("p.toml").replace("\"gout; mild\"", "\"gout\""));
    let run = env.run("release q.toml").fails(2);
    assert!(run.said().contains("`illness` has no value `gout`"), "{}", run.said());
}
