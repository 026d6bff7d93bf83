//! What a command that fails says: of a table whose every cell is a secret, at most the one value
//! that is wrong.

use std::collections::BTreeSet;

use crate::env::{Run, TestEnv};

const ROWS: usize = 12;

/// A table in which no two cells are the same; what a column holds is written as people write it.
fn table(delimiter: char) -> String {
    let mut text =
        ["name", "born", "zip", "sex", "illness", "note", "weight"].join(&delimiter.to_string()) + "\n";
    for row in 0..ROWS {
        let cells = ["N", "B", "Z", "S", "I", "T", "W"].map(|column| format!("SECRET{column}{row:03}"));
        text += &(cells.join(&delimiter.to_string()) + "\n");
    }
    text
}

const POLICY: &str = r#"version = 1
[input]
path = "t.csv"
[output]
path = "out.csv"
[columns.name]
role = "identifier"
[columns.born]
role = "quasi"
[columns.zip]
role = "quasi"
[columns.sex]
role = "quasi"
[columns.illness]
role = "sensitive"
[columns.note]
role = "text"
[columns.weight]
role = "keep"
[privacy]
k = 2
suppression = 1
"#;

fn policy(replaced: &[(&str, &str)]) -> String {
    replaced.iter().fold(POLICY.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// The secrets in what was said.
fn secrets(run: &Run) -> BTreeSet<String> {
    let said = format!("{}\n{}", run.stdout, run.stderr);
    let starts = said.match_indices("SECRET").map(|(at, _)| &said[at..]);
    let word = |text: &str| text.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
    starts.map(word).collect()
}

/// Runs a command that must fail, and counts what it quotes.
#[track_caller]
fn quotes_at_most(env: &TestEnv, line: &[&str], most: usize) {
    let run = env.run_args(line, &[]);
    assert!(run.code != 0 && !run.stderr.is_empty() || run.code == 1, "it did not fail\n{}", run.said());
    let quoted = secrets(&run);
    assert!(quoted.len() <= most, "{quoted:?}\n{}", run.said());
}

fn env() -> TestEnv {
    TestEnv::with(&[("t.csv", &table(',')), ("p.toml", POLICY)])
}

#[test]
fn a_table_in_place_of_another_file_is_not_quoted() {
    let env = env();
    let json: String =
        (0..ROWS).map(|row| format!("{{\"name\":\"SECRETN{row:03}\",\"age\":{row}}}\n")).collect();
    env.write("t.json", json);
    env.write("semi.dat", table(';'));
    env.write("tab.txt", table('\t'));
    env.write("plain", table(','));
    env.write("word.toml", "SECRETA is ill = SECRETB\n");
    let headless: String = table(',').lines().skip(1).map(|line| format!("{line}\n")).collect();
    env.write("headless.csv", headless);
    let files = ["t.csv", "t.json", "semi.dat", "tab.txt", "plain", "word.toml", "headless.csv"];
    for file in files {
        for line in [
            &["release", file][..],
            &["policy", "check", file],
            &["policy", "bundle", file, "--out", "new.json"],
            &["explore", file],
            &["network", file],
            &["argus", file, "--do", "show"],
            &["augment", file, "--out", "new.csv"],
            &["compare", file],
            &["synth", file, "--rows", "3", "--out", "new.csv"],
            &["verify", "t.csv", "--policy", file],
            &["verify", "t.csv", "--policy", "p.toml", "--certificate", file],
            &["risk", "t.csv", "--policy", file],
            &["risk", "t.csv", "--certificate", file],
            &["hierarchy", "convert", file, file, "--table", "t.csv", "--write", "new.toml"],
        ] {
            quotes_at_most(&env, line, 0);
        }
    }
    env.run("release t.csv")
        .fails(2)
        .says(&["t.csv: is a table, not a policy", "throng inspect t.csv --write policy.toml"]);
    env.run("compare t.csv").fails(2).says(&["is a table, not an experiment", "experiments/patients.toml"]);
    env.run("synth t.csv --rows 3 --out n.csv").fails(2).says(&["is a table, not a specification"]);
}

#[test]
fn cells_that_do_not_fit_are_quoted_one_at_a_time() {
    let cases: &[&[(&str, &str)]] = &[
        &[(
            "[columns.born]\nrole = \"quasi\"",
            "[columns.born]\nrole = \"quasi\"\nhierarchy = { date = { levels = [\"year\"] } }",
        )],
        &[(
            "[columns.born]\nrole = \"quasi\"",
            "[columns.born]\nrole = \"quasi\"\nhierarchy = { intervals = { widths = [5] } }",
        )],
        &[("[columns.zip]\nrole = \"quasi\"", "[columns.zip]\nrole = \"quasi\"\nhierarchy = \"icd10\"")],
        &[(
            "[columns.zip]\nrole = \"quasi\"",
            "[columns.zip]\nrole = \"quasi\"\nhierarchy = { file = \"t.csv\" }",
        )],
        &[(
            "[columns.zip]\nrole = \"quasi\"",
            "[columns.zip]\nrole = \"quasi\"\nhierarchy = { file = \"zip.csv\" }",
        )],
        &[(
            "[columns.zip]\nrole = \"quasi\"",
            "[columns.zip]\nrole = \"quasi\"\nhierarchy = { order = { fanout = [2], values = [\"a\"] } }",
        )],
        &[("role = \"keep\"", "role = \"weight\"")],
        &[("k = 2", "k = 2\nmodels = [{ k_e = { column = \"illness\", e = 1 } }]")],
        &[(
            "k = 2",
            "k = 2\nmodels = [{ t_closeness = { column = \"illness\", t = 0.1, distance = \"ordered\" } }]",
        )],
        &[("k = 2", "k = 2\nmodels = [{ l_diversity = { column = \"illness\", l = 99 } }]")],
        &[("k = 2\nsuppression = 1", "k = 99\nsuppression = 0")],
        &[("k = 2\nsuppression = 1", "k = 5\nsuppression = 0\n[search]\nloss = \"nothing\"")],
        &[("[columns.sex]\nrole = \"quasi\"\n", "")],
        &[("[columns.sex]", "[columns.sexx]")],
        &[("path = \"t.csv\"", "path = \"t.csv\"\ndelimiter = \";\"")],
        &[("path = \"t.csv\"", "path = \"t.csv\"\nformat = \"parquet\"")],
        &[("path = \"t.csv\"", "path = \"t.csv\"\nformat = \"json\"")],
        &[("path = \"t.csv\"", "path = \"t.csv\"\nformat = \"arrow\"")],
        &[("path = \"t.csv\"", "path = \"ragged.csv\"")],
        &[("path = \"t.csv\"", "path = \"open.csv\"")],
        &[("path = \"t.csv\"", "path = \"part-*.csv\"")],
        &[("path = \"t.csv\"", "path = \"mixed.json\"")],
        &[("path = \"t.csv\"", "path = \"latin.csv\"")],
    ];
    for replaced in cases {
        let env = env();
        env.write("zip.csv", "SECRETZ000;SECRETX;*\nSECRETZ001;SECRETX;SECRETY\nSECRETZ002;SECRETX;*\n");
        env.write("ragged.csv", table(',') + "SECRETA,SECRETB\n");
        env.write("open.csv", table(',') + "\"SECRETA,SECRETB\n");
        env.write("part-1.csv", table(','));
        env.write("part-2.csv", table(',').replacen("name,born", "SECRETA,SECRETB", 1));
        env.write(
            "mixed.json",
            "{\"name\":\"SECRETA\",\"born\":\"SECRETB\"}\n{\"name\":7,\"born\":\"SECRETC\"\n",
        );
        env.write("latin.csv", [table(',').as_bytes(), b"SECRETA,\xe9SECRETB,a,b,c,d,e\n"].concat());
        env.write("q.toml", policy(replaced));
        quotes_at_most(&env, &["release", "q.toml"], 1);
    }
}

#[test]
fn hierarchy_files_that_are_wrong_are_quoted_once() {
    let env = env();
    env.write("ragged.csv", "SECRETA;SECRETB;*\nSECRETC;*\nSECRETD;*\nSECRETE;*\nSECRETF;SECRETG;*\n");
    env.write("twice.csv", "SECRETA;SECRETB;*\nSECRETA;SECRETC;*\nSECRETA;SECRETD;*\n");
    env.write("crossed.csv", "SECRETA;SECRETB;SECRETC\nSECRETD;SECRETB;SECRETE\nSECRETF;SECRETB;SECRETG\n");
    for file in ["ragged.csv", "twice.csv", "crossed.csv"] {
        quotes_at_most(&env, &["hierarchy", "check", file], 1);
        quotes_at_most(&env, &["hierarchy", "show", file], 1);
    }
    env.write("few.csv", "SECRETZ000;*\n");
    quotes_at_most(&env, &["hierarchy", "check", "few.csv", "--input", "t.csv", "--column", "zip"], 1);
    quotes_at_most(&env, &["hierarchy", "check", "few.csv", "--input", "t.csv", "--column", "zap"], 0);
    quotes_at_most(&env, &["hierarchy", "build", "icd9", "--input", "t.csv", "--column", "zip"], 1);
    quotes_at_most(&env, &["screen", "t.csv", "--target", "weight", "--above", "3"], 1);
    quotes_at_most(&env, &["screen", "t.csv", "--target", "nothing"], 0);
    quotes_at_most(&env, &["risk", "t.csv", "--qi", "nothing"], 0);
    quotes_at_most(&env, &["risk", "t.csv", "--qi", "sex", "--weights", "weight"], 1);
}

/// A raw table that is given as a release fails many claims, and none of them quotes it.
#[test]
fn a_verdict_does_not_quote_cells() {
    let env = env();
    let safe: String = "name,born,zip,sex,illness,note,weight\n".to_owned()
        + &"A,B,C,D,E,F,G\n".repeat(4)
        + &"A,H,I,J,K,L,M\n".repeat(4);
    env.write("safe.csv", safe);
    env.write("q.toml", policy(&[("\"t.csv\"", "\"safe.csv\"")]));
    env.run("release q.toml").ok();
    for original in [&[][..], &["--original", "t.csv"], &["--original", "safe.csv"]] {
        let line =
            [&["verify", "t.csv", "--policy", "q.toml", "--certificate", "out.certificate.json"], original]
                .concat();
        quotes_at_most(&env, &line, 0);
        let line = [&line[..], &["--json"]].concat();
        quotes_at_most(&env, &line, 0);
    }
}

#[test]
fn texts_that_cannot_be_scrubbed_are_not_quoted() {
    let env = env();
    env.write("short.key", "SECRETKEY");
    env.write("words.txt", b"SECRETW\xff\n");
    let text = "[columns.note]\nrole = \"text\"";
    for scrub in [
        "key_file = \"none.key\"",
        "key_file = \"short.key\"",
        "key_env = \"THRONG_NO_SUCH_VARIABLE\"",
        "lists = [\"words.txt\"]",
        "lists = [\"none.txt\"]",
        "mode = \"all\"",
    ] {
        env.write("n.toml", policy(&[(text, &format!("{text}\ntransform = {{ scrub = {{ {scrub} }} }}"))]));
        quotes_at_most(&env, &["release", "n.toml"], 0);
    }
    let all = format!("{text}\ntransform = {{ scrub = {{}} }}");
    env.write("n.toml", policy(&[(text, &all)]));
    env.run("release n.toml").ok();
    let said = env.run("verify out.csv --policy n.toml --original t.csv").ok();
    assert!(secrets(&said).is_empty(), "{}", said.said());
    for line in [
        &["scrub", "t.csv"][..],
        &["scrub", "t.csv", "--column", "nothing"],
        &["scrub", "short.key", "--key-file", "short.key"],
    ] {
        quotes_at_most(&env, line, 0);
    }
}
