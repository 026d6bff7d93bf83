//! Greedy guided by a model: one that is fitted here, and commands that answer, or do not.

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
        assert!(verdict.as_object().unwrap().values().all(|f| f.get("unchecked").is_none()), "{verdict}");
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
