//! `throng suggest` and `throng compare POLICY`: text, JSON, page, written policies, bad input; and
//! the hints of a release.

use serde_json::Value;

use crate::env::TestEnv;
use crate::people::{people, policy};

fn env(changes: &[(&str, &str)]) -> TestEnv {
    TestEnv::with(&[("people.csv", &people(300, 1).write(',')), ("p.toml", &policy(changes))])
}

/// Points of the JSON.
fn points(found: &Value) -> Vec<Value> {
    found["points"].as_array().unwrap().clone()
}

/// Without what is measured by a clock.
fn timeless(mut found: Value) -> Value {
    for point in found["points"].as_array_mut().unwrap() {
        point["seconds"] = Value::Null;
    }
    found
}

#[test]
fn the_json_has_the_policy_the_front_and_a_recommendation() {
    let env = env(&[]);
    let found = env.run("suggest p.toml --json").ok().json();
    let all = points(&found);
    assert!(all.len() > 8 && found["finished"] == true, "{found:#}");
    assert_eq!((&all[0]["current"], &all[0]["settings"]["k"]), (&Value::Bool(true), &5.into()));
    let recommended = found["recommended"].as_u64().unwrap();
    let best = all.iter().find(|point| point["id"] == recommended).unwrap();
    assert!(best["loss"].as_f64() <= all[0]["loss"].as_f64() && best["recommended"] == true);
    assert!(all.iter().any(|point| point["front"] == true));
    assert!(all.iter().any(|point| point["settings"]["k"] == 10));
    // The policy's own point is its release.
    let release = env.run("release p.toml --json").ok().json();
    assert_eq!((&all[0]["lm"], &all[0]["released"]), (&release["loss"]["lm"], &release["released"]));
    assert_eq!(all[0]["risk"]["smallest"], release["risk"]["after"]["smallest"]);
    let again = env.run("suggest p.toml --json").ok().json();
    assert_eq!(timeless(again), timeless(found));
}

#[test]
fn the_text_marks_points_and_the_page_is_for_the_holder() {
    let env = env(&[]);
    let said = env.run("suggest p.toml --k 3,11 --page a.html").ok().stdout;
    for words in
        ["settings", "auto by entropy", "k-similar by lm", "Recommended: ", "a.html; it shows rows", "AUC"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let losses: Vec<f64> = said
        .lines()
        .filter_map(|line| {
            line.split_whitespace().find_map(|word| word.parse().ok().filter(|_| word.contains('.')))
        })
        .collect();
    assert!(losses.len() > 8 && losses[..8].is_sorted(), "{said}");
    let page = env.text("a.html");
    for words in
        ["Do not pass this page on", "Sample rows", "Most affected columns", "Means and deviations", "<svg"]
    {
        assert!(page.contains(words), "{words}");
    }
    for foreign in ["http://", "https://", "<script", "url(", "NaN"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    env.run("suggest p.toml --page a.html").fails(2).says(&["a.html", "exists already", "--force"]);
    env.run("suggest p.toml --page a.html --force").ok();
    assert_eq!(env.names(), ["a.html", "p.toml", "people.csv"]);
}

#[test]
fn a_written_policy_keeps_its_comments_and_releases_what_was_measured() {
    let env = env(&[("k = 5", "k = 5 # as the board decided")]);
    let found = env.run("suggest p.toml --json --write q.toml").ok().json();
    let text = env.text("q.toml");
    assert!(text.contains("k = 5 # as the board decided") && text.contains("[columns.illness]"), "{text}");
    let best = found["recommended"].as_u64().unwrap();
    let best = points(&found).into_iter().find(|point| point["id"] == best).unwrap();
    assert_ne!(best["current"], true, "another method keeps more here");
    let release = env.run("release q.toml --json --out q.csv").ok().json();
    assert_eq!((&best["lm"], &best["suppressed"]), (&release["loss"]["lm"], &release["suppressed"]));
    assert_eq!(best["risk"]["smallest"], release["risk"]["after"]["smallest"]);
    // Any point can be picked.
    let ten =
        points(&found).into_iter().find(|p| p["settings"]["k"] == 10 && p["status"] == "solved").unwrap();
    let said = env.run(&format!("suggest p.toml --write r.toml --pick {}", ten["id"])).ok().stdout;
    assert!(said.contains("wrote       r.toml"), "{said}");
    assert!(env.text("r.toml").contains("k = 10 # was 5; as the board decided"), "{}", env.text("r.toml"));
    let release = env.run("release r.toml --json --out r.csv").ok().json();
    assert_eq!(ten["lm"], release["loss"]["lm"]);
    env.run("suggest p.toml --write s.json").ok();
    env.run("policy check s.json").ok();
}

#[test]
fn what_is_there_is_not_written_over() {
    let env = env(&[]);
    env.run("suggest p.toml --write p.toml --force").fails(2).says(&["would be written over the policy"]);
    env.run("suggest p.toml --page out.csv").fails(2).says(&["the release of the policy"]);
    env.write("q.toml", "mine");
    env.run("suggest p.toml --write q.toml").fails(2).says(&["exists already"]);
    assert_eq!(env.text("q.toml"), "mine");
    std::fs::create_dir(env.path("d")).unwrap();
    env.run("suggest p.toml --write d/q.toml").fails(2).says(&["another folder than the policy"]);
    env.run("suggest p.toml --write new.toml --pick 999").fails(2).says(&["no point 999", "numbered from 1"]);
    assert_eq!(env.names(), ["d", "p.toml", "people.csv", "q.toml"]);
}

#[test]
fn bad_input_is_explained() {
    let env = env(&[]);
    for (line, words) in [
        ("suggest p.toml --k 3,x", &["'x'", "k must be a whole number"][..]),
        ("suggest p.toml --k 3,0", &["'0'"]),
        ("suggest p.toml --k ,", &["k must be a whole number"]),
        ("suggest p.toml --seconds 0", &["above 0"]),
        ("suggest p.toml --seconds soon", &["above 0"]),
        ("suggest p.toml --pick 2", &["--write"]),
        ("suggest none.toml", &["none.toml", "there is no such file"]),
        ("suggest people.csv", &["is a table, not a policy"]),
    ] {
        env.run(line).fails(2).says(words);
    }
    let unmet = self::env(&[
        ("k = 5", "k = 200"),
        ("suppression = 0.05", "suppression = 0"),
        ("role = \"quasi\"\nhierarchy = { postal", "role = \"quasi\"\nmax_level = 0\nhierarchy = { postal"),
    ]);
    // Where nothing releases a row, the exit code says so.
    let run = unmet.run("suggest p.toml --json");
    assert_eq!(run.code, i32::from(run.json()["recommended"].is_null()), "{}", run.said());
    assert_eq!(points(&run.json())[0]["status"], "no-solution");
    let found = unmet.run("suggest p.toml --k 5 --json").ok().json();
    assert_eq!(points(&found).iter().find(|point| point["recommended"] == true).unwrap()["settings"]["k"], 5);
}

#[test]
fn a_policy_is_compared_by_method_and_k() {
    let env = env(&[]);
    let said = env.run("compare p.toml --k 3,10 --out results").ok().stdout;
    for words in ["method", "seconds", "mondrian by lm", "auto by entropy", "index.html"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let names: Vec<String> = ["index.html", "loss.svg", "results.csv"].map(String::from).to_vec();
    let mut found: Vec<String> = std::fs::read_dir(env.path("results"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, names);
    assert!(env.text("results/loss.svg").starts_with("<svg"));
    assert!(env.text("results/results.csv").lines().count() > 9);
    let all = points(&env.run("compare p.toml --json").ok().json());
    assert!(all.iter().all(|point| point.get("samples").is_none()));
    let ks: Vec<u64> = all.iter().filter_map(|point| point["settings"]["k"].as_u64()).collect();
    assert!([3, 5, 10].iter().all(|k| ks.contains(k)), "{ks:?}");
    // No value of a cell.
    assert!(!env.text("results/index.html").contains("Köln"));
    env.write("results/results.csv", "mine");
    std::fs::remove_file(env.path("results/loss.svg")).unwrap();
    env.run("compare p.toml --out results").fails(2).says(&["exists already"]);
    env.write(
        "e.toml",
        "version = 1\n[[tables]]\nname = \"t\"\npolicy = \"p.toml\"\n[grid]\nalgorithms = [\"ola\"]\n\
         losses = [\"entropy\"]\nk = [2]\nsuppression = [0.05]\n",
    );
    env.run("compare e.toml --json").ok();
    env.run("compare e.toml --k 3 --seconds 2").fails(2).says(&["--k goes with a policy", "--seconds goes"]);
}

#[test]
fn a_release_ends_with_what_would_keep_more() {
    let env = env(&[]);
    let said = env.run("release p.toml").ok().stdout;
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("To keep more: ")).collect();
    assert!(!lines.is_empty() && lines.len() <= 3, "{said}");
    assert!(lines.iter().all(|line| line.contains("LM ") && line.contains(" → ")), "{said}");
    assert!(env.text("out.report.html").contains("<h2>To keep more</h2>"));
    let release = env.run("release p.toml --json").ok().json();
    let hints = release["suggestions"].as_array().unwrap();
    assert_eq!(hints.len(), lines.len());
    for hint in hints {
        assert!(hint["lm"]["after"].as_f64() < hint["lm"]["before"].as_f64(), "{hint}");
    }
    assert!(hints[0]["stars"]["before"].is_number());
    let certificate = env.text("out.certificate.json");
    assert!(!certificate.contains("suggestions"));
    // The same release has the same hints.
    let again = env.run("release p.toml --json").ok().json();
    assert_eq!(again["suggestions"], release["suggestions"]);
}
