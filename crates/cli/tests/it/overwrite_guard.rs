//! What a command reads is not written over, whatever `--force` says, and what else is there only
//! with it: every command that writes.

use crate::env::TestEnv;

const TABLE: &str = "zip,age,note\n02138,30,a\n02139,31,b\n02138,30,c\n02139,31,d\n";

const POLICY: &str = r#"version = 1
[input]
path = "t.csv"
[output]
path = "o.csv"
[columns.zip]
role = "quasi"
hierarchy = { file = "zip.csv" }
[columns.age]
role = "quasi"
[columns.note]
role = "keep"
[privacy]
k = 2
"#;

/// Nodes of a poset in place of the hierarchy.
fn with_nodes(poset: &str) -> String {
    POLICY.replace("hierarchy = { file = \"zip.csv\" }", poset) + "[search]\nalgorithm = \"greedy\"\n"
}

fn env() -> TestEnv {
    let env = TestEnv::with(&[
        ("t.csv", TABLE),
        ("zip.csv", "02138;0213*;*\n02139;0213*;*\n"),
        ("nodes.csv", "*;2\n0213;1;*\n02138;0;0213\n02139;0;0213\n"),
        ("p.toml", POLICY),
        ("nodes.toml", &with_nodes("poset = { file = \"nodes.csv\" }")),
        ("codes.toml", &with_nodes("poset = { codes = { file = \"nodes.csv\", most = 2 } }")),
        ("network.toml", "version = 1\nnetwork = \"p.toml\"\n"),
        ("values.csv", "value,count\na,3\nb,1\n"),
        ("synth.toml", "version = 1\n[[columns]]\nname = \"v\"\nfile = \"values.csv\"\n"),
        ("other.csv", "mine\n"),
    ]);
    std::fs::create_dir(env.path("folder.csv")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(env.path("t.csv"), env.path("link.csv")).unwrap();
    env
}

/// Refused with these words, and everything stays as it was.
#[track_caller]
fn refused(env: &TestEnv, line: &str, says: &[&str]) {
    let before = env.listing();
    let run = env.run(line).fails(2);
    run.says(says);
    assert!(run.stderr.contains("help:"), "there is no remedy\n{}", run.said());
    assert_eq!(env.listing(), before, "{}", run.said());
}

/// What every command that has `--force` writes to a place, with the files that it reads.
const WRITERS: [(&str, &[(&str, &str)]); 9] = [
    (
        "network p.toml --out",
        &[
            ("t.csv", "the input"),
            ("p.toml", "the policy"),
            ("zip.csv", "a hierarchy"),
            ("o.csv", "the release"),
        ],
    ),
    (
        "explore p.toml --out",
        &[
            ("./folder.csv/../t.csv", "the input"),
            ("p.toml", "the policy"),
            ("o.certificate.json", "the release"),
        ],
    ),
    ("augment p.toml --out", &[("t.csv", "the input"), ("zip.csv", "a hierarchy"), ("o.csv", "the release")]),
    (
        "hierarchy build {file=\"zip.csv\"} --input t.csv --column zip --out",
        &[("t.csv", "the input"), ("zip.csv", "a hierarchy")],
    ),
    ("inspect t.csv --write", &[("t.csv", "the input")]),
    (
        "policy bundle p.toml --out",
        &[
            ("t.csv", "the input"),
            ("p.toml", "the policy"),
            ("zip.csv", "a hierarchy"),
            ("o.csv", "the release"),
        ],
    ),
    (
        "risk t.csv --qi zip,age --policy p.toml --report",
        &[("t.csv", "the input"), ("p.toml", "the policy"), ("zip.csv", "a hierarchy")],
    ),
    ("synth network.toml --rows 3 --out", &[("t.csv", "the input"), ("zip.csv", "a hierarchy")]),
    ("synth synth.toml --rows 3 --out", &[("values.csv", "the values of a column")]),
];

#[test]
fn what_is_read_is_never_written_over() {
    let env = env();
    for (line, read) in WRITERS {
        for (file, what) in read {
            for force in ["", " --force"] {
                refused(
                    &env,
                    &format!("{line} {file}{force}"),
                    &[file, &format!("would be written over {what}"), "another name"],
                );
            }
        }
    }
    #[cfg(unix)]
    refused(&env, "network p.toml --out link.csv --force", &["over the input"]);
    refused(&env, "argus p.toml --do s --out zip.csv --force", &["over a hierarchy"]);
    // Hierarchies that are found by their names.
    env.write("hierarchy_zip.csv", env.text("zip.csv"));
    refused(&env, "inspect t.csv --write hierarchy_zip.csv --force", &["over a hierarchy"]);
}

#[test]
fn what_else_is_there_is_replaced_only_with_force() {
    for (line, _) in WRITERS {
        let env = env();
        refused(&env, &format!("{line} other.csv"), &["other.csv", "exists already", "--force"]);
        refused(&env, &format!("{line} folder.csv --force"), &["it is a folder"]);
        env.run(&format!("{line} other.csv --force")).ok();
        assert_ne!(env.text("other.csv"), "mine\n", "{line}");
        env.run(&format!("{line} new.csv")).ok();
        assert!(env.path("new.csv").exists(), "{line}");
        assert!(env.names().iter().all(|name| !name.starts_with(".throng")), "{:?}", env.names());
    }
}

#[test]
fn argus_replaces_what_it_wrote_itself() {
    let env = env();
    let argus = |more: &[&str]| env.run_args(&[&["argus", "p.toml", "--do", "w x.csv"], more].concat(), &[]);
    argus(&["--do", "s", "--do", "w x.csv"]).ok();
    argus(&[]).fails(2).says(&["x.csv", "x.verdict.json", "exists already", "--force"]);
    argus(&["--force"]).ok();
}

/// A release, its certificate and its report leave the nodes of posets alone.
#[test]
fn nodes_of_posets_are_not_overwritten() {
    for policy in ["nodes.toml", "codes.toml"] {
        let env = env();
        refused(
            &env,
            &format!("release {policy} --out nodes.csv"),
            &["would be written over the nodes of a poset"],
        );
        for part in ["report", "certificate"] {
            let output = format!("path = \"o.csv\"\n{part} = \"nodes.csv\"");
            env.write("q.toml", env.text(policy).replace("path = \"o.csv\"", &output));
            refused(&env, "release q.toml", &["q.toml:6", &format!("output.{part}"), "the nodes of a poset"]);
        }
        env.run(&format!("release {policy}")).ok();
        // An older release is replaced, as ever.
        env.run(&format!("release {policy}")).ok();
    }
    let env = env();
    refused(
        &env,
        "hierarchy build {poset={file=\"nodes.csv\"}} --input t.csv --column zip --out nodes.csv --force",
        &["nodes.csv"],
    );
}

/// What proves a release is not replaced by its fields.
#[test]
fn a_certificate_is_not_overwritten() {
    let env = env();
    env.run("release p.toml --out shared.csv").ok();
    for (file, what) in
        [("shared.csv", "the input"), ("shared.certificate.json", "the certificate of the release")]
    {
        refused(&env, &format!("augment p.toml --release shared.csv --out {file} --force"), &[file, what]);
    }
    env.run("verify shared.csv --policy p.toml --original t.csv").ok();
}

#[test]
fn a_model_is_not_overwritten() {
    let env = env();
    env.write("model.csv", "NR > 1 { print $1 }\n");
    let model = "model = { command = [\"awk\", \"-F,\", \"-f\", \"model.csv\"], target = \"cost\" }";
    env.write("t.csv", "zip,age,cost\n02138,30,1\n02138,30,2\n");
    let policy = with_nodes("poset = { file = \"nodes.csv\" }") + model + "\n";
    env.write(
        "m.toml",
        policy.replace("[columns.note]\nrole = \"keep\"", "[columns.cost]\nrole = \"target\""),
    );
    refused(&env, "release m.toml --out model.csv", &["would be written over a part of the model"]);
}

const HIERARCHY: &str = r#"<Hierarchies>
<MatrixPoset Name="t" RootNode="i0">
<Node ID="i0" Name="*" Value="1" Parents="i0"/>
<Node ID="i1" Name="02138" Value="0" Parents="i0"/>
<Node ID="i2" Name="02139" Value="0" Parents="i0"/>
</MatrixPoset>
<PassThroughPoset Name="P"/>
</Hierarchies>
"#;

const COLUMNS: &str = r#"<TableDescription>
<Column Name="zip" Poset="t"/>
<Column Name="age" Poset="P"/>
<Column Name="note" Poset="P"/>
</TableDescription>
"#;

#[test]
fn a_conversion_does_not_overwrite_its_files_or_its_table() {
    let env = env();
    env.write("H.xml", HIERARCHY);
    env.write("C.xml", COLUMNS);
    let line = "hierarchy convert H.xml C.xml --table t.csv --write";
    // The poset `t` becomes t.csv, which is the table.
    refused(&env, &format!("{line} q.toml --force"), &["t.csv: would be written over the input"]);
    env.write("H.xml", HIERARCHY.replace("Name=\"t\"", "Name=\"M\""));
    env.write("C.xml", COLUMNS.replace("Poset=\"t\"", "Poset=\"M\""));
    refused(&env, &format!("{line} t.csv --force"), &["t.csv: would be written over the input"]);
    refused(&env, &format!("{line} H.xml --force"), &["H.xml: would be written over the declarations"]);
    refused(&env, &format!("{line} C.xml --force"), &["C.xml: would be written over the bindings"]);
    refused(
        &env,
        &format!("{line} M.csv --force"),
        &["M.csv: would be written over another file that is written"],
    );
    env.run(&format!("{line} q.toml")).ok();
    assert!(env.path("M.csv").exists() && env.text("t.csv") == TABLE);
}

#[test]
fn a_comparison_does_not_overwrite_its_experiment() {
    let env = env();
    let experiment = "version = 1\n[[tables]]\nname = \"t\"\npolicy = \"q.toml\"\n[grid]\nalgorithms = [\"ola\"]\nlosses = [\"lm\"]\nk = [2]\nsuppression = [0.5]\n";
    env.write("all/e.toml", experiment);
    env.write("all/results.csv", TABLE);
    env.write("all/q.toml", POLICY.replace("t.csv", "results.csv").replace("zip.csv", "../zip.csv"));
    refused(
        &env,
        "compare all/e.toml --out all --force",
        &["results.csv", "would be written over the input"],
    );
    env.write("mine/index.html", "mine");
    refused(&env, "compare all/e.toml --out mine", &["index.html", "exists already", "--force"]);
    env.run("compare all/e.toml --out mine --force").ok();
    // An earlier comparison is replaced.
    env.run("compare all/e.toml --out mine").ok();
}

/// A cell of any length does not fill the screen.
#[test]
fn long_cells_are_cut_in_messages() {
    let env = env();
    let long = "x".repeat(20_000);
    env.write("t.csv", TABLE.replacen("02138", &long, 1));
    let run = env.run("release nodes.toml").fails(2);
    assert!(run.stderr.len() < 2_000, "{}", run.stderr.len());
    run.says(&[&format!("`{}…`", "x".repeat(60))]);
    // Of values that are read in one way, the others are counted.
    env.write("t.csv", TABLE.replace("30", "old").replacen("31", "young", 1));
    env.write(
        "p.toml",
        with_nodes("poset = { file = \"nodes.csv\" }")
            .replace("[columns.age]\n", "[columns.age]\nposet = { range = {} }\n"),
    );
    env.run("release p.toml").fails(2).says(&["and neither is one other"]);
}
