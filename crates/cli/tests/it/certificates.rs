//! Releases that earlier versions certified still verify, and changed copies of them do not; a
//! certificate has the digests of the files that its policy names.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::env::TestEnv;

const KINDS: [&str; 3] = ["levels", "steps", "regions"];

/// A copy of a release that a version with this format wrote, with all that it was made from.
fn fixture(format: u32, kind: &str) -> TestEnv {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures/certificate");
    let env = TestEnv::new();
    for entry in std::fs::read_dir(root.join(format!("format-{format}")).join(kind)).unwrap() {
        let path = entry.unwrap().path();
        env.write(path.file_name().unwrap().to_str().unwrap(), std::fs::read(&path).unwrap());
    }
    env
}

const ALONE: &str = "verify out.csv --policy p.toml --json";
const WITH_ORIGINAL: &str = "verify out.csv --policy p.toml --original people.csv --json";

/// The claims that do not hold.
#[track_caller]
fn refuted(env: &TestEnv, line: &str) -> Vec<String> {
    let verdict = env.run(line).fails(1).json();
    let wrong = verdict.as_object().unwrap().iter().filter(|(_, finding)| finding["holds"] == false);
    wrong.map(|(claim, _)| claim.clone()).collect()
}

fn edit(env: &TestEnv, change: impl FnOnce(&mut Value)) {
    let mut certificate = env.json("out.certificate.json");
    change(&mut certificate);
    env.write("out.certificate.json", certificate.to_string());
}

#[test]
fn releases_of_every_format_verify() {
    for format in [0, 1, 2] {
        for kind in KINDS {
            let env = fixture(format, kind);
            assert_eq!(env.json("out.certificate.json").get("format").is_some(), format > 0);
            // Regions of format 0 cannot be formed again: that is said, with the version that can.
            let formed_again = format > 0 || kind != "regions";
            for line in [ALONE, WITH_ORIGINAL] {
                if line == WITH_ORIGINAL && !formed_again {
                    env.run(line).fails(2).says(&["throng 0.1.0", "format 0", "without --original"]);
                    continue;
                }
                let verdict = env.run(line).ok().json();
                assert_eq!(verdict["files"]["holds"], true, "format {format}, {kind}: {verdict}");
                assert_eq!(verdict["files"]["unchecked"] == true, format == 0, "{verdict}");
            }
            // Laid out otherwise it is the same certificate.
            edit(&env, |_| ());
            env.run(if formed_again { WITH_ORIGINAL } else { ALONE }).ok();
        }
    }
}

/// The private key is gone; the public one and the certificate are enough.
#[test]
fn signatures_of_earlier_versions_are_valid() {
    for kind in KINDS {
        let env = fixture(2, kind);
        let line = format!("{WITH_ORIGINAL} --signed-by signing.key.pub");
        let verdict = env.run(&line).ok().json();
        let found = verdict["signature"]["found"].as_str().unwrap();
        assert!(verdict["signature"]["holds"] == true && found.contains("2999-12-31"), "{kind}: {verdict}");
        let certificate = env.bytes("out.certificate.json");
        let edits: [fn(&mut Value); 4] = [
            |c| c["signature"]["expires"] = json!("3999-12-31"),
            |c| c["signature"]["value"] = json!("00".repeat(64)),
            |c| c["signature"]["key"] = json!("07".repeat(32)),
            |c| drop(c.as_object_mut().unwrap().remove("signature")),
        ];
        for change in edits {
            edit(&env, change);
            assert!(refuted(&env, &line).contains(&"signature".into()), "{kind}");
            env.write("out.certificate.json", &certificate);
        }
    }
}

#[test]
fn changed_copies_of_every_format_fail() {
    for format in [0, 1, 2] {
        for kind in KINDS {
            let env = fixture(format, kind);
            let certificate = env.bytes("out.certificate.json");
            let edits: [fn(&mut Value); 5] = [
                |c| c["seed"] = json!(99),
                |c| c["note"] = json!("checked by hand"),
                |c| c["search"]["note"] = json!(1),
                |c| c["loss"]["entropy"] = json!(c["loss"]["entropy"].as_f64().unwrap() + 1e-9),
                |c| drop(c.as_object_mut().unwrap().remove("risk")),
            ];
            for change in edits {
                edit(&env, change);
                assert!(refuted(&env, ALONE).contains(&"certificate".into()), "format {format}, {kind}");
                env.write("out.certificate.json", &certificate);
            }
            let release = env.text("out.csv");
            env.write("out.csv", release.replacen(",F,", ",M,", 1));
            assert_ne!(env.text("out.csv"), release);
            let line = if format == 0 && kind == "regions" { ALONE } else { WITH_ORIGINAL };
            assert!(refuted(&env, line).contains(&"output".into()), "format {format}, {kind}");
        }
    }
}

#[test]
fn a_newer_format_is_refused_with_the_version_that_wrote_it() {
    let env = fixture(1, "levels");
    edit(&env, |c| {
        c["format"] = json!(3);
        c["version"] = json!("0.9.0");
    });
    let said = env.run(ALONE).fails(2).said();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("written by throng 0.9.0 (format 3)"), "{said}");
    assert!(said.contains("out.certificate.json"), "{said}");
    env.run("risk out.csv --certificate out.certificate.json").fails(2);
}

#[test]
fn a_changed_file_of_the_policy_is_named() {
    for (kind, file) in
        [("levels", "zip.csv"), ("levels", "population.csv"), ("steps", "zip.csv"), ("regions", "places.csv")]
    {
        let env = fixture(1, kind);
        let text = env.text(file);
        // The same table to every reader, in other bytes.
        env.write(file, text.replace('\n', "\r\n"));
        let verdict = env.run(ALONE).fails(1).json();
        assert_eq!(verdict["files"]["holds"], false, "{kind}, {file}: {verdict}");
        let found = verdict["files"]["found"].as_str().unwrap();
        assert!(found.contains(&format!("`{file}` was changed")), "{found}");
        env.write(file, text);
        env.run(ALONE).ok();
    }
}

#[test]
fn a_missing_file_of_the_policy_fails_the_claim() {
    for format in [0, 1] {
        for (kind, file) in [
            ("levels", "zip.csv"),
            ("levels", "population.csv"),
            ("steps", "zip.csv"),
            ("regions", "places.csv"),
        ] {
            let env = fixture(format, kind);
            std::fs::remove_file(env.path(file)).unwrap();
            for line in [ALONE, WITH_ORIGINAL] {
                assert_eq!(refuted(&env, line), ["files"], "format {format}, {kind}");
                let found = env.run(line).json()["files"]["found"].to_string();
                assert!(found.contains(&format!("`{file}` is missing")), "{found}");
            }
        }
    }
}

#[test]
fn several_files_of_a_population_have_one_digest() {
    let env = fixture(1, "levels");
    let people = env.text("population.csv");
    let (head, rows) = people.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    for (name, rows) in [("part-1.csv", &rows[..100]), ("part-2.csv", &rows[100..])] {
        env.write(name, format!("{head}\n{}\n", rows.join("\n")));
    }
    env.write("p.toml", env.text("p.toml").replace("population.csv", "part-*.csv"));
    let release = env.run("release p.toml --json").ok().json();
    assert_eq!(release["files"]["part-*.csv"], release["population"]["sha256"]);
    assert_eq!(release["files"].as_object().unwrap().len(), 2);
    env.run(WITH_ORIGINAL).ok();
    let part = env.text("part-2.csv");
    env.write("part-2.csv", part.replace('\n', "\r\n"));
    assert!(refuted(&env, ALONE).contains(&"files".into()));
    for name in ["part-1.csv", "part-2.csv"] {
        std::fs::remove_file(env.path(name)).unwrap();
    }
    assert_eq!(refuted(&env, ALONE), ["files"]);
}

/// Hierarchies stay known by their digests; the table and the secret do not.
#[test]
fn with_differential_privacy_only_hierarchies_have_digests() {
    let env = fixture(1, "levels");
    env.write("secret.key", "a secret that is long enough for a draw of rows\n");
    env.write(
        "p.toml",
        "version = 1\n[input]\npath = \"people.csv\"\n[output]\npath = \"out.csv\"\n\
         [columns]\nage = { role = \"drop\" }\nillness = { role = \"drop\" }\n\
         sex = { role = \"quasi\", max_level = 0 }\n\
         zip = { role = \"quasi\", hierarchy = { file = \"zip.csv\" }, min_level = 2, max_level = 2 }\n\
         [privacy]\nmodels = [ { differential_privacy = { epsilon = 2.0, delta = 1e-3, key_file = \"secret.key\" } } ]\n",
    );
    let release = env.run("release p.toml --json").ok().json();
    let files: Vec<&String> = release["files"].as_object().unwrap().keys().collect();
    assert_eq!(files, ["zip.csv"]);
    assert_eq!(release["input"]["sha256"], "");
    env.run(WITH_ORIGINAL).ok();
    env.write("zip.csv", env.text("zip.csv").replace('\n', "\r\n"));
    assert_eq!(refuted(&env, ALONE), ["files"]);
}
