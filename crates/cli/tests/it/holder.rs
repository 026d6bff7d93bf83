//! `greedy-rows`, which has to be accepted by name, and the files for the holder alone: which rows
//! were put together, and what each lost.

use crate::env::{Run, TestEnv};
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

const METHODS: [&str; 3] = ["mondrian", "k-similar", "greedy"];

fn asking(algorithm: &str, privacy: &str, table: &Table) -> TestEnv {
    let search = format!("suppression = 0.05\n[search]\nalgorithm = \"{algorithm}\"\nloss = \"lm\"\n");
    let changes = [
        ("k = 5\n", privacy),
        ("suppression = 0.05\n", search.as_str()),
        ("path = \"out.csv\"", "path = \"out.csv\"\nkeep_order = true"),
    ];
    let env = TestEnv::with(&[("people.csv", &table.write(',')), ("p.toml", &policy(&changes))]);
    std::fs::create_dir(env.path("private")).unwrap();
    env
}

const ACCEPTED: &str = "models = [{ k_one = { k = 5 } }]\n";

/// Standard output has these words.
#[track_caller]
fn prints(run: &Run, words: &[&str]) {
    words.iter().for_each(|word| assert!(run.stdout.contains(word), "`{word}`\n{}", run.said()));
}

#[test]
fn greedy_as_printed_is_refused_until_the_policy_accepts_what_it_is() {
    let table = people(300, 3);
    let env = asking("greedy-rows", "k = 5\n", &table);
    let before = env.listing();
    env.run("release p.toml").fails(2).says(&[
        "policy.algorithm-not-k-anonymous",
        "(k,1)-anonymous",
        "\"greedy\"",
        "k_one = { k = 5 }",
    ]);
    assert_eq!(env.listing(), before);
    let env = asking("greedy-rows", ACCEPTED, &table);
    let run = env.run("release p.toml").ok();
    prints(&run, &["(k,1)-anonymity holds: required 5", "notions     (k,1)", "not k-anonymous"]);
    assert!(!run.stdout.contains("k-anonymity holds"), "{}", run.said());
    let out = Table::read(&env.bytes("out.csv"), ',');
    assert_eq!(out.rows.len(), 300);
    let least = out.rarest(&QUASI).unwrap();
    let certificate = env.json("out.certificate.json");
    assert_eq!(certificate["notions"]["k-anonymity"], least);
    assert!(least < 5 && certificate["privacy"].get("k-anonymity").is_none(), "{certificate}");
    let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").ok().json();
    assert!(verdict.as_object().unwrap().values().all(|f| f.get("unchecked").is_none()), "{verdict}");
    assert!(verdict["(k,1)-anonymity"]["found"].as_str().unwrap().contains("(1,k)"), "{verdict}");
    let alone = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(alone["(k,1)-anonymity"]["unchecked"], true);
    let page = env.text("out.report.html");
    assert!(page.contains("(5,1)-anonymous") && page.contains("The sets") && !page.contains("5-anonymous:"));
}

/// The sets of a file: rows, and partners.
fn sets(env: &TestEnv, name: &str) -> Vec<[Vec<usize>; 2]> {
    let numbers = |part: &str| part.split_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<usize>>();
    let text = env.text(name);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("set,rows,partners"));
    let set = |line: &str| {
        let mut parts = line.split(',').skip(1).map(numbers);
        [parts.next().unwrap(), parts.next().unwrap()]
    };
    lines.map(set).collect()
}

#[test]
fn rows_of_a_region_look_alike_and_the_file_is_private() {
    let table = people(300, 4);
    for method in METHODS {
        let env = asking(method, "k = 5\n", &table);
        let run = env.run("release p.toml --sets private/sets.csv").ok();
        prints(&run, &["WARNING", "private/sets.csv", "keep it to yourself"]);
        let out = Table::read(&env.bytes("out.csv"), ',');
        let found = sets(&env, "private/sets.csv");
        let mut all: Vec<usize> = found.iter().flat_map(|set| set[0].clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (1..=300).collect::<Vec<_>>());
        for [rows, partners] in &found {
            let cells = |row: usize| QUASI.map(|column| out.rows[row - 1][out.at(column)].clone());
            assert!(rows.len() >= 5 && partners.is_empty());
            assert!(rows.iter().all(|&row| cells(row) == cells(rows[0])), "{method}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(env.path("private/sets.csv")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}

#[test]
fn sets_of_their_own_do_not_depend_on_threads_and_are_no_part_of_the_json() {
    let env = asking("greedy-rows", ACCEPTED, &people(300, 5));
    let mut files = Vec::new();
    for threads in ["1", "3"] {
        let args = ["release", "p.toml", "--sets", "./sets.csv", "--json"];
        let run = env.run_args(&args, &[("RAYON_NUM_THREADS", threads)]);
        assert!(run.code == 0 && run.stderr.contains("keep it to yourself"), "{}", run.said());
        assert!(!run.stdout.contains("sets.csv"));
        files.push((env.bytes("sets.csv"), env.bytes("out.csv")));
    }
    assert!(files[0] == files[1]);
    let found = sets(&env, "sets.csv");
    assert!(found.iter().all(|[rows, partners]| rows.len() + partners.len() >= 5));
    assert!(found.iter().any(|[_, partners]| !partners.is_empty()));
    assert!(!env.text("out.certificate.json").contains("sets.csv"));
}

/// The cells of a column of a file for the holder.
fn column(env: &TestEnv, file: &str, name: &str) -> Vec<String> {
    let table = Table::read(&env.bytes(file), ',');
    table.column(name).into_iter().map(String::from).collect()
}

fn mean(cells: &[String]) -> f64 {
    cells.iter().map(|cell| cell.parse::<f64>().unwrap()).sum::<f64>() / cells.len() as f64
}

#[test]
fn figures_of_rows_have_the_certified_mean_and_are_measured_again() {
    let table = people(300, 7);
    for (algorithm, privacy) in [("auto", "k = 5\n"), ("k-similar", "k = 5\n"), ("greedy-rows", ACCEPTED)] {
        let env = asking(algorithm, privacy, &table);
        let run = env.run("release p.toml --rows private/rows.csv").ok();
        prints(&run, &["private/rows.csv", "keep it to yourself"]);
        let certificate = env.json("out.certificate.json");
        for loss in ["prec", "vinterbo", "lm", "ambiguity"] {
            let found = mean(&column(&env, "private/rows.csv", loss));
            let stated = certificate["loss"][loss].as_f64().unwrap();
            assert!(
                (found - stated).abs() < 1e-9 * stated.max(1.0),
                "{loss} by {algorithm}: {found} {stated}"
            );
        }
        let numbers: Vec<String> = (1..=300).map(|row| row.to_string()).collect();
        assert_eq!(column(&env, "private/rows.csv", "row"), numbers);
        if certificate["withheld"] != 0 {
            continue;
        }
        // The rows keep their order, so that the release can be measured row by row.
        let measure = "measure out.csv --original people.csv --policy p.toml";
        let line = format!("{measure} --same-order --rows private/again.csv");
        let run = env.run(&line);
        assert!(run.code <= 1 && run.stderr.contains("keep it to yourself"), "{}", run.said());
        for figure in ["suppressed", "class_size", "precision", "prec", "lm"] {
            let [own, again] =
                ["private/rows.csv", "private/again.csv"].map(|file| column(&env, file, figure));
            assert_eq!(own, again, "{figure} by {algorithm}");
        }
        env.run(&line).fails(2).says(&["file.exists", "--force"]);
        assert!(env.run(&format!("{line} --force")).code <= 1);
        let refused = |options: &str, says: &[&str]| {
            env.run(&format!("{measure} {options}")).fails(2).says(says);
        };
        refused("--rows private/blind.csv", &["measure.rows-do-not-correspond", "--same-order"]);
        refused("--same-order --force --rows ./people.csv", &["file.would-overwrite"]);
        refused("--same-order --rows rows.csv", &["file.holder-file-beside-release"]);
    }
}

#[test]
fn a_file_for_the_holder_is_not_put_beside_the_release_unasked_or_over_anything_read() {
    let env = asking("mondrian", "k = 5\n", &people(60, 6));
    let before = env.listing();
    for (sets, says) in [
        ("sets.csv", "file.holder-file-beside-release"),
        ("./people.csv", "file.would-overwrite"),
        ("./p.toml", "file.would-overwrite"),
        ("./out.csv", "file.would-overwrite"),
        ("./out.certificate.json", "file.would-overwrite"),
        ("none/sets.csv", "file.no-folder"),
    ] {
        let run = env.run(&format!("release p.toml --sets {sets}")).fails(2);
        run.says(&[says]);
        assert_eq!(env.listing(), before, "{}", run.said());
    }
    // Where nothing safe is found, nothing is left behind.
    let env = asking("mondrian", "k = 61\n", &people(60, 6));
    let before = env.listing();
    assert!(env.run("release p.toml --sets private/sets.csv").code > 0);
    assert_eq!(env.listing(), before);
}
