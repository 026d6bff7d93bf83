//! `throng compare`: the experiments that are shipped, files that are wrong, and Ctrl-C.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::env::TestEnv;
use crate::people::{people, policy};

/// A file of the project's experiments.
fn shipped(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../experiments").join(name)
}

const EXPERIMENT: &str = r#"version = 1
[[tables]]
name = "people"
policy = "p.toml"
[grid]
algorithms = ["datafly", "ola", "auto"]
losses = ["entropy", "lm"]
k = [2, 10]
suppression = [0.05]
sizes = [150, "all"]
"#;

fn env(experiment: &str) -> TestEnv {
    TestEnv::with(&[
        ("people.csv", &people(300, 1).write(',')),
        ("p.toml", &policy(&[])),
        ("e.toml", experiment),
    ])
}

/// Without the seconds, which seven columns without commas follow.
fn without_seconds(csv: &str) -> String {
    assert_eq!(csv.lines().next().unwrap().rsplit(',').nth(7), Some("seconds"));
    let line = |line: &str| {
        let mut parts: Vec<&str> = line.rsplitn(9, ',').collect();
        parts.remove(7);
        parts.join(",") + "\n"
    };
    csv.lines().map(line).collect()
}

#[test]
fn the_shipped_experiment_runs_and_is_the_same_each_time() {
    let env = TestEnv::new();
    let path = shipped("patients.toml");
    let run = |out: &str| {
        let args = ["compare", path.to_str().unwrap(), "--out", out, "--json"];
        env.run_args(&args, &[]).ok().json()
    };
    let (first, _) = (run("a"), run("b"));
    assert_eq!(without_seconds(&env.text("a/results.csv")), without_seconds(&env.text("b/results.csv")));
    let runs = first["runs"].as_array().unwrap();
    assert_eq!((runs.len() as u64, &first["finished"]), (240, &Value::Bool(true)));
    assert_eq!(env.text("a/results.csv").lines().count(), 241);
    for run in runs.iter().filter(|r| r["status"] == "solved") {
        assert!(run["relative"].as_f64().unwrap() >= 100.0, "{run}");
        assert!(run["checked"].as_u64() > Some(0) && run["score"].as_f64() > Some(0.0), "{run}");
    }
    let refused = runs.iter().filter(|r| r["status"] == "refused");
    assert!(refused.clone().all(|r| r["algorithm"] == "ola" && r["loss"] == "lm"));
    assert_eq!(refused.count(), 16);
    let winners = first["rankings"][0]["condorcet"].as_array().unwrap();
    assert!(winners.contains(&"auto".into()) && !winners.contains(&"datafly".into()));
    for file in env.listing().keys().filter(|f| f.extension().is_some_and(|e| e == "svg")) {
        let name = file.strip_prefix(env.path("")).unwrap().to_str().unwrap();
        if name.starts_with("a/") && !name.contains("seconds") {
            assert_eq!(env.text(name), env.text(&name.replacen("a/", "b/", 1)), "{name}");
        }
    }
    let page = env.text("a/index.html");
    assert!(page.contains("Condorcet") && !page.contains("<script") && !page.contains("http:"));
    assert!(env.text("a/results.md").contains("incognito as % of ola"));
}

#[test]
fn the_optimum_is_what_a_release_finds_and_samples_are_smaller() {
    let env = env(EXPERIMENT);
    let runs = env.run("compare e.toml --json").ok().json()["runs"].clone();
    env.write("q.toml", policy(&[("k = 5", "k = 10")]));
    let release = env.run("release q.toml --json").ok().json();
    let runs = runs.as_array().unwrap();
    let is = |r: &&&Value| {
        r["size"] == "all" && r["k"] == 10 && r["loss"] == "entropy" && r["algorithm"] == "auto"
    };
    let run = runs.iter().find(|r| is(&r)).unwrap();
    assert_eq!((&run["levels"], &run["suppressed"]), (&release["levels"], &release["suppressed"]));
    let (found, known) = (run["value"].as_f64().unwrap(), release["loss"]["entropy"].as_f64().unwrap());
    assert!((found - known).abs() <= 1e-9 * known, "{found} {known}");
    assert!(runs.iter().all(|r| r["rows"] == if r["size"] == 150 { 150 } else { 300 }));
    assert_eq!(
        env.names(),
        ["e.toml", "out.certificate.json", "out.csv", "out.report.html", "p.toml", "people.csv", "q.toml"]
    );
}

const MISTAKES: &[(&str, &str, &[&str])] = &[
    ("version = 1", "version = = 1", &["e.toml:1"]),
    ("[grid]", "[gird]", &["e.toml:5", "`gird`", "did you mean `grid`"]),
    ("algorithms", "algoritms", &["e.toml:6", "did you mean `algorithms`"]),
    ("\"ola\"", "\"olla\"", &["e.toml:6", "grid.algorithms", "did you mean \"ola\""]),
    ("\"lm\"", "\"ml\"", &["e.toml:7", "no loss \"ml\"", "did you mean \"lm\""]),
    ("k = [2, 10]", "k = [2, 0]", &["e.toml:8", "1 or more"]),
    ("[0.05]", "[5]", &["e.toml:9", "5 is not a share"]),
    ("[150, ", "[301, ", &["e.toml:10", "has 300 rows, not 301"]),
    ("policy = \"p.toml\"", "policy = \"none.toml\"", &["none.toml", "no such file"]),
    (
        "policy = \"p.toml\"",
        "policy = \"$NO_SUCH_VARIABLE/p.toml\"",
        &["e.toml:4", "NO_SUCH_VARIABLE is not set"],
    ),
    ("policy = \"p.toml\"", "policy = \"p.toml\"\nfolder = \"none\"", &["people.csv"]),
    ("policy = \"p.toml\"", "policy = \"p.toml\"\nsynth = \"patients\"", &["e.toml:2", "both"]),
    ("\"lm\"]", "{ name = \"dm\", aggregate = \"max\" }]", &["e.toml:7", "has no aggregate"]),
];

#[test]
fn mistakes_are_shown_at_their_line_and_nothing_is_written() {
    for (from, to, says) in MISTAKES {
        assert_eq!(EXPERIMENT.matches(from).count(), 1, "`{from}`");
        let env = env(&EXPERIMENT.replace(from, to));
        env.run("compare e.toml --out results").fails(2).says(says);
        assert_eq!(env.names(), ["e.toml", "p.toml", "people.csv"]);
    }
}

#[test]
fn a_variable_in_a_path_is_replaced_and_a_policy_can_stand_apart_from_its_table() {
    let text = EXPERIMENT.replace("\"p.toml\"", "\"p.toml\"\nfolder = \"$PEOPLE/data\"");
    let env = TestEnv::with(&[
        ("elsewhere/data/people.csv", &people(300, 1).write(',')),
        ("p.toml", &policy(&[])),
        ("e.toml", &text),
    ]);
    let folder = env.path("elsewhere");
    let variable = [("PEOPLE", folder.to_str().unwrap())];
    env.run_args(&["compare", "e.toml", "--json"], &variable).ok();
    env.run("compare e.toml").fails(2).says(&["PEOPLE is not set", "tables.0.folder"]);
}

/// A command of the experiment judges, and one of the policy guides; both run where their file is.
#[cfg(unix)]
#[test]
fn commands_of_models_take_part() {
    let mut rows = String::from("age,sex,cost\n");
    for at in 0..60 {
        let age = 20 + at * 7 % 40;
        rows += &format!("{age},{},{}\n", ["f", "m"][at / 3 % 2], 100 * age);
    }
    let model = "model = { command = [\"sh\", \"guide.sh\"], target = \"cost\", features = [\"age\"] }";
    let policy = format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns]\nage.role = \"quasi\"\nsex.role = \"quasi\"\ncost.role = \"target\"\n\
         [privacy]\nk = 3\n[search]\nalgorithm = \"greedy\"\nloss = \"lm\"\n{model}\n"
    );
    let experiment = "version = 1\n[[tables]]\nname = \"t\"\npolicy = \"data/p.toml\"\n[grid]\n\
                      algorithms = [\"greedy\", \"greedy+model\"]\nlosses = [\"lm\"]\nk = [4]\nsuppression = [0.0]\nscore = false\n\
                      [prediction]\ntarget = \"cost\"\ncommand = [\"sh\", \"judge.sh\"]\nfeatures = [\"age\"]\n";
    let script = "echo run >> ran; awk 'NR > 1 { print 100 * $1 }'";
    let env = TestEnv::with(&[
        ("data/t.csv", &rows),
        ("data/p.toml", &policy),
        ("data/guide.sh", script),
        ("judge.sh", script),
        ("e.toml", experiment),
    ]);
    let runs = env.run("compare e.toml --json").ok().json()["runs"].clone();
    let total = |at: usize, of: &str| runs[at]["predicted"][of]["total"].as_f64().unwrap();
    assert!(total(1, "released") < total(0, "released"), "{runs}");
    assert_eq!((total(0, "original"), total(1, "original")), (0.0, 0.0));
    // One query per run of the judge, and at most one per row that joins a set of the guide.
    assert_eq!(env.text("ran").lines().count(), 2);
    assert!((1..=3).contains(&env.text("data/ran").lines().count()));
    env.write("judge.sh", "exit 3");
    env.run("compare e.toml").fails(2).says(&["prediction.command", "exit code 3"]);
    env.run("compare e.toml --out judge.sh").fails(2).says(&["judge.sh"]);
}

#[test]
fn results_do_not_go_where_there_is_no_folder() {
    let env = env(EXPERIMENT);
    env.run("compare e.toml --out p.toml").fails(2).says(&["p.toml", "not a folder"]);
    env.run("compare e.toml --out none/results").fails(2).says(&["none/results"]);
    env.run("compare e.toml --out results").ok();
    env.run("compare e.toml --out results").ok();
    assert_eq!(env.names(), ["e.toml", "p.toml", "people.csv", "results"]);
}

#[test]
fn the_comparison_of_the_paper_asks_for_its_table() {
    let path = shipped("ola.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    let run = command.arg("compare").arg(path).env_remove("THRONG_DATA").output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(said.contains("THRONG_DATA is not set"), "{said}");
}

/// A grid that takes much longer than the test waits.
#[cfg(unix)]
#[test]
fn ctrl_c_writes_what_was_run() {
    let text = "version = 1\n[[tables]]\nname = \"t\"\nsynth = \"skewed\"\nrows = 20000\n[grid]\n\
                algorithms = [\"datafly\", \"mingen\"]\nlosses = [\"entropy\"]\nk = [2, 3, 4, 5, 6, 7, 8, 9]\n\
                suppression = [0.05, 0.1]\n";
    let env = TestEnv::with(&[("e.toml", text)]);
    let mut running = env.start(&["compare", "e.toml", "--out", "results"]);
    running.says("run 2 of 32: t, mingen, k = 2");
    running.signal("INT");
    let (code, _, said) = running.ended();
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("stopped: ") && said.contains(" of 32 runs were made"), "{said}");
    assert!(env.text("results/results.md").contains("it was stopped"));
    assert!(env.text("results/results.csv").lines().count() < 33);
    assert_eq!(env.names(), ["e.toml", "results"]);
}
