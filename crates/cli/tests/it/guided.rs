//! Greedy guided by a model: one that is fitted here, and commands that answer, or do not.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::env::TestEnv;
use crate::naive::Table;

const QUASI: [&str; 3] = ["age", "sex", "zip"];

/// Cost follows from age and sex, and not from zip.
fn table(rows: u64) -> Table {
    let mut state = 11u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::from("age,sex,zip,cost\n");
    for _ in 0..rows {
        let (age, sex, zip) = (20 + next(60), next(2), 10_000 + 37 * next(200));
        let cost = 10 * age + 300 * sex + next(5);
        text += &format!("{age},{},{zip},{cost}\n", ["f", "m"][sex as usize]);
    }
    Table::read(text.as_bytes(), ',')
}

fn policy(model: &str) -> String {
    format!(
        "version = 1
[input]
path = \"t.csv\"
[output]
path = \"out.csv\"
keep_order = true
[privacy]
k = 4
[search]
algorithm = \"greedy\"
loss = \"lm\"
{model}
[columns]
age = {{ role = \"quasi\" }}
sex = {{ role = \"quasi\", hierarchy = \"suppress\" }}
zip = {{ role = \"quasi\", hierarchy = {{ mask = {{ from = \"right\" }} }} }}
cost = {{ role = \"target\" }}
"
    )
}

/// Σ of what 10 · middle of the ages + 300 · (share of men) is off, from released rows.
fn error(env: &TestEnv) -> f64 {
    let out = Table::read(&env.bytes("out.csv"), ',');
    assert!(out.rarest(&QUASI).unwrap() >= 4);
    let row = |row: &Vec<String>| {
        let number = |text: &str| text.trim().parse::<f64>().unwrap();
        let age = match row[out.at("age")].trim_matches(['[', ']']).split_once(',') {
            Some((low, high)) => f64::midpoint(number(low), number(high)),
            None => number(&row[out.at("age")]),
        };
        let sex = match row[out.at("sex")].as_str() {
            "f" => 0.0,
            "m" => 300.0,
            _ => 150.0,
        };
        (10.0 * age + sex - number(&row[out.at("cost")])).abs()
    };
    out.rows.iter().map(row).sum()
}

#[test]
fn a_model_keeps_what_it_needs() {
    let original = table(400);
    let env = TestEnv::with(&[("t.csv", &original.write(',')), ("p.toml", &policy(""))]);
    env.run("release p.toml").ok();
    let plain = error(&env);
    let command = "model = { command = [\"awk\", \"-F,\", \"NR > 1 { print 10 * $1 + 300 * ($2 == \\\"m\\\") }\"], target = \"cost\", features = [\"age\", \"sex\"] }";
    for model in ["model = { builtin = \"linear\", target = \"cost\" }", command] {
        env.write("p.toml", policy(model));
        env.run("release p.toml").ok();
        let guided = error(&env);
        assert!(guided < 0.95 * plain, "{guided} {plain}");
        let verdict = env.run("verify out.csv --policy p.toml --original t.csv --json").ok().json();
        let unchecked = |(_, f): &(&String, &serde_json::Value)| f.get("unchecked").is_some();
        let unchecked: Vec<&String> =
            verdict.as_object().unwrap().iter().filter(unchecked).map(|c| c.0).collect();
        assert_eq!(unchecked, ["loss: model", "model"], "{verdict}");
    }
}

/// The three figures in a row of the report's table of errors.
fn reported(report: &str, row: &str) -> [f64; 3] {
    let table = report.rsplit("Errors of the model").next().unwrap();
    let cells = table.split(&format!("{row}</th>")).nth(1).unwrap();
    let cells: Vec<&str> = cells.split("<td class=\"n\">").skip(1).take(3).collect();
    let number = |cell: &&str| cell.split('<').next().unwrap().replace(',', "").parse().unwrap();
    let numbers: Vec<f64> = cells.iter().map(number).collect();
    numbers.try_into().unwrap()
}

/// The error of a command whose predictions are known, computed here from the released file.
#[test]
fn the_error_of_the_model_is_in_json_certificate_and_report() {
    let original = table(120);
    let command = "command = [\"awk\", \"-F,\", \"NR > 1 { print 10 * $1 + 300 * ($2 == \\\"m\\\") }\"], target = \"cost\", features = [\"age\", \"sex\"]";
    for (algorithm, more) in [("greedy", ""), ("k-similar", ", guides = false")] {
        let policy = policy(&format!("model = {{ {command}{more} }}"))
            .replace("\"greedy\"", &format!("\"{algorithm}\""));
        let env = TestEnv::with(&[("t.csv", &original.write(',')), ("p.toml", &policy)]);
        let json = env.run("release p.toml --json").ok().json();
        let model = &json["model"];
        let total = model["released"]["total"].as_f64().unwrap();
        let mine = error(&env);
        assert!((total - mine).abs() < 1e-6 * mine, "{total} {mine}");
        assert_eq!(
            (model["rows"].as_u64(), model["guides"].as_bool()),
            (Some(120), Some(algorithm == "greedy"))
        );
        // 10 · age + 300 · sex + at most 4 is the cost.
        assert!(model["original"]["mean"].as_f64().unwrap() <= 4.0);
        assert_eq!(json["loss"]["model"], model["moved"]["mean"]);
        let certificate = env.json("out.certificate.json");
        assert_eq!(&certificate["model"], model);
        let report = String::from_utf8(env.bytes("out.report.html")).unwrap();
        for (line, key) in [
            ("from released rows", "released"),
            ("from the same rows, untouched", "original"),
            ("the one against the other", "moved"),
        ] {
            let shown = reported(&report, line);
            for (shown, figure) in shown.iter().zip(["mean", "total", "deviation"]) {
                let is = model[key][figure].as_f64().unwrap();
                // Three digits at least.
                assert!((shown - is).abs() <= 0.005 * is + 5e-5, "{line}: {shown} {is}");
            }
        }
        let mean =
            format!("a mean error of {:.4} from released rows", model["released"]["mean"].as_f64().unwrap());
        let said = env.run("release p.toml --rows ./rows.csv").ok().stdout;
        let rows = Table::read(&env.bytes("rows.csv"), ',');
        let moved: Vec<f64> = rows.column("model").iter().map(|cell| cell.parse().unwrap()).collect();
        let average = moved.iter().sum::<f64>() / moved.len() as f64;
        assert!(
            (average - json["loss"]["model"].as_f64().unwrap()).abs() < 1e-9 * (1.0 + average),
            "{average}"
        );
        for words in ["model       command predicts cost", &mean, "not verified"] {
            assert!(said.contains(words), "{said}");
        }
        let verdict = env.run("verify out.csv --policy p.toml --original t.csv --json").ok().json();
        assert!(
            verdict["model"]["found"]
                .as_str()
                .unwrap()
                .starts_with("not checked: the model is not fitted again")
        );
    }
}

/// It is asked twice when the table is released, and the verifier does not need it.
#[cfg(unix)]
#[test]
fn a_model_that_only_measures_is_not_asked_by_the_verifier() {
    for algorithm in ["auto", "k-similar"] {
        let env = scripted("echo run >> runs; awk -F, 'NR > 1 { print 10 * $1 }'", 20);
        let policy = env.text("p.toml").replace("seconds = 20", "guides = false");
        env.write("p.toml", policy.replace("\"greedy\"", &format!("\"{algorithm}\"")));
        let json = env.run("release p.toml --json").ok().json();
        assert!(json["loss"]["model"].as_f64().unwrap() > 0.0);
        assert_eq!(env.text("runs").lines().count(), 2);
        let said = env.run("verify out.csv --policy p.toml --original t.csv").ok().stdout;
        assert!(said.contains("loss: model"), "{said}");
        assert_eq!(env.text("runs").lines().count(), 2);
    }
}

#[test]
fn commands_that_do_not_answer_are_named_and_nothing_is_written() {
    let original = table(40);
    let env = TestEnv::with(&[("t.csv", &original.write(','))]);
    for (command, parts) in [
        ("[\"no-such-program-at-all\"]", vec!["no-such-program-at-all"]),
        ("[\"false\"]", vec!["exit code 1"]),
        ("[\"sleep\", \"30\"]", vec!["second"]),
        ("[\"head\", \"-n\", \"1\"]", vec!["line"]),
        ("[\"awk\", \"NR > 1 { print NR == 5 ? \\\"x\\\" : 1 }\"]", vec!["line 4"]),
    ] {
        let model = format!("model = {{ command = {command}, target = \"cost\", seconds = 1 }}");
        env.write("p.toml", policy(&model));
        let names = env.names();
        let run = env.run("release p.toml");
        assert!(run.code != 0, "{}", run.said());
        run.says(&parts);
        assert_eq!(env.names(), names);
    }
}

/// A model that a shell script is.
fn scripted(script: &str, seconds: u64) -> TestEnv {
    let model = format!(
        "model = {{ command = [\"sh\", \"model.sh\"], target = \"cost\", features = [\"age\", \"sex\"], seconds = {seconds} }}"
    );
    TestEnv::with(&[("t.csv", &table(40).write(',')), ("model.sh", script), ("p.toml", &policy(&model))])
}

#[test]
fn what_a_failing_model_writes_is_not_repeated() {
    let script = "cat >&2; echo 'KeyError: age' >&2; exit 3";
    let run = scripted(script, 20).run("release p.toml").fails(2);
    run.says(&["p.toml", "search.model.command", "exit code 3", "bytes to its standard error", "by hand"]);
    assert!(
        !run.stderr.contains("KeyError") && !run.stderr.contains("age,sex") && run.stderr.len() < 2_000,
        "{}",
        run.said()
    );
}

/// The verifier queries the model again and must get the same answers.
#[test]
fn a_model_that_does_not_repeat_itself_is_refused() {
    // Every run of it is another's neighbour.
    let env = scripted(
        "echo x >> runs; n=$(wc -l < runs); awk -v n=$n 'NR > 1 { print (NR * n * 7919) % 1013 }'",
        20,
    );
    let run = env.run("release p.toml").fails(2);
    run.says(&["search.model.command", "other numbers for the same rows", "fixed seed"]);
    assert!(!env.path("out.csv").exists() && !env.path("out.certificate.json").exists());
}

/// Waits until a file is there, and gives what is in it.
#[cfg(unix)]
fn appears(env: &TestEnv, name: &str) -> String {
    let ends = Instant::now() + Duration::from_secs(20);
    while Instant::now() < ends {
        if let Ok(text) = std::fs::read_to_string(env.path(name))
            && text.ends_with('\n')
        {
            return text.trim().to_owned();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{name} does not appear");
}

/// Whether a process goes on; one that nobody has waited for does not.
#[cfg(unix)]
fn goes_on(id: &str) -> bool {
    let asked = Command::new("ps").args(["-o", "stat=", "-p", id]).output().unwrap();
    let state = String::from_utf8(asked.stdout).unwrap();
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

#[cfg(unix)]
fn ends(id: &str) {
    let until = Instant::now() + Duration::from_secs(5);
    while goes_on(id) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    let went_on = goes_on(id);
    if went_on {
        let _ = Command::new("kill").args(["-9", id]).status();
    }
    assert!(!went_on, "process {id} goes on");
}

/// A command that waits for a process of its own, whose number it writes down.
#[cfg(unix)]
const WAITS: &str = "cat > /dev/null; trap '' INT; sleep 300 & echo $! > started; wait";

#[cfg(unix)]
#[test]
fn a_model_that_is_late_ends_with_what_it_started() {
    let env = scripted(WAITS, 1);
    env.run("release p.toml").fails(2).says(&["within 1 seconds"]);
    ends(&appears(&env, "started"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_model_that_is_waited_for() {
    let env = scripted(WAITS, 100);
    let asked = Instant::now();
    let running = env.start(&["release", "p.toml"]);
    let started = appears(&env, "started");
    running.signal("INT");
    let (code, _, said) = running.ended();
    assert_eq!(code, 130, "{said}");
    assert!(said.contains("stopped; nothing was written"), "{said}");
    assert!(asked.elapsed() < Duration::from_secs(60));
    assert!(!env.path("out.csv").exists());
    ends(&started);
}

/// Proving a release asks the model, too.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_model_that_a_proof_waits_for() {
    let env = scripted("awk -F, 'NR > 1 { print 10 * $1 }'", 100);
    env.run("release p.toml").ok();
    env.write("model.sh", WAITS);
    let running = env.start(&["verify", "out.csv", "--policy", "p.toml", "--original", "t.csv"]);
    let started = appears(&env, "started");
    running.signal("INT");
    let (code, _, said) = running.ended();
    assert_eq!(code, 130, "{said}");
    assert!(said.contains("stopped"), "{said}");
    ends(&started);
}

#[test]
fn a_model_that_cannot_predict_the_target_is_told_at_its_line() {
    let original = table(40);
    let mut text = original.write(',');
    for (i, row) in original.rows.iter().enumerate() {
        let cost = &row[original.at("cost")];
        text = text.replacen(&format!(",{cost}\n"), if i % 2 == 0 { ",low\n" } else { ",high\n" }, 1);
    }
    let model = "model = { builtin = \"linear\", target = \"cost\" }";
    let env = TestEnv::with(&[("t.csv", &text), ("p.toml", &policy(model))]);
    env.run("release p.toml").fails(2).says(&[
        "p.toml:12",
        "search.model.builtin",
        "does not predict classes",
    ]);
}
