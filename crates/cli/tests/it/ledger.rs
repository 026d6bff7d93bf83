//! Releases beside earlier ones, `throng ledger`, `throng key` and signed certificates.
//!
//! Who could be narrowed down is counted from the released files alone: the column `tag` is unique
//! and released as it is, so that rows can be followed from one release to the next.

use std::collections::{BTreeMap, BTreeSet};

use crate::env::TestEnv;
use crate::people::Draw;

pub const SECRET: &str = "0123456789abcdef0123456789abcdef\n";

/// People with a unique tag; ages and places are drawn.
fn people(numbers: impl Iterator<Item = u64>) -> String {
    let mut text = String::from("id,tag,age,zip,illness\n");
    for number in numbers {
        let mut draw = Draw::new(number + 1);
        let (age, zip) = (20 + draw.below(40), 10 + draw.below(8));
        text +=
            &format!("P{number},{number},{age},0{zip}0,{}\n", draw.of(&["flu", "gout", "cold", "asthma"]));
    }
    text
}

/// A policy that fixes the levels of age and zip.
pub fn policy(input: &str, output: &str, levels: [usize; 2], more: &str) -> String {
    let [age, zip] = levels;
    format!(
        "version = 1\n[input]\npath = \"{input}\"\n[output]\npath = \"{output}\"\n[columns.id]\nrole = \"identifier\"\n\
         [columns.tag]\nrole = \"keep\"\n[columns.age]\nrole = \"quasi\"\nmin_level = {age}\nmax_level = {age}\n\
         hierarchy = {{ intervals = {{ widths = [10, 20], low = 20, high = 60 }} }}\n[columns.zip]\nrole = \"quasi\"\n\
         min_level = {zip}\nmax_level = {zip}\nhierarchy = {{ postal = {{ keep = [3, 2] }} }}\n\
         [columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = 3\nsuppression = 0.6\n[search]\nalgorithm = \"auto\"\n{more}"
    )
}

pub fn ledger(recipient: &str, on_conflict: &str) -> String {
    format!(
        "[ledger]\npath = \"ledger.db\"\nrecipient = \"{recipient}\"\non_conflict = \"{on_conflict}\"\nkey_file = \"secret.key\"\n"
    )
}

pub fn env() -> TestEnv {
    TestEnv::with(&[("secret.key", SECRET), ("people.csv", &people(0..240))])
}

/// Tag → class and illness of a release.
fn released(env: &TestEnv, file: &str) -> BTreeMap<String, (String, String)> {
    let mut found = BTreeMap::new();
    for row in csv::Reader::from_reader(&env.bytes(file)[..]).records() {
        let row = row.unwrap();
        found.insert(row[0].to_owned(), (format!("{}|{}", &row[1], &row[2]), row[3].to_owned()));
    }
    found
}

/// The fewest people with the same classes in all files, absence included.
fn fewest_candidates(env: &TestEnv, files: &[&str]) -> usize {
    let tables: Vec<_> = files.iter().map(|file| released(env, file)).collect();
    let people: BTreeSet<&String> = tables.iter().flat_map(BTreeMap::keys).collect();
    let mut traces: BTreeMap<Vec<Option<&str>>, usize> = BTreeMap::new();
    for person in people {
        let trace = tables.iter().map(|table| table.get(person).map(|(class, _)| class.as_str())).collect();
        *traces.entry(trace).or_default() += 1;
    }
    traces.into_values().min().unwrap()
}

/// The same with k = 5. At levels 2 and 0, or 1 and 2, classes are larger; those in common are not.
fn of_five(input: &str, output: &str, levels: [usize; 2], more: &str) -> String {
    policy(input, output, levels, more).replace("k = 3", "k = 5")
}

#[test]
fn a_release_that_cuts_classes_differently_is_refused_and_can_be_recoded() {
    let env = env();
    env.write("one.toml", of_five("people.csv", "one.csv", [2, 0], &ledger("a", "refuse")));
    env.write("two.toml", of_five("people.csv", "two.csv", [1, 2], &ledger("a", "refuse")));
    let run = env.run("release one.toml");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("ledger      recipient a: compared with 0 earlier releases"),
        "{}",
        run.stdout
    );
    let run = env.run("release two.toml --json");
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("ledger.too-few-candidates"), "{}", run.stderr);
    assert!(!env.names().iter().any(|name| name.starts_with("two.") && name != "two.toml"));
    // Another recipient has nothing to compare with.
    env.write("b.toml", of_five("people.csv", "b.csv", [1, 2], &ledger("b", "refuse")));
    assert_eq!(env.run("release b.toml").code, 0);
    // One who may collude has.
    let colluding = ledger("c", "refuse") + "colludes_with = [\"a\"]\n";
    env.write("c.toml", of_five("people.csv", "c.csv", [1, 2], &colluding));
    assert_eq!(env.run("release c.toml").code, 1);
    env.write("two.toml", of_five("people.csv", "two.csv", [1, 2], &ledger("a", "recode")));
    let run = env.run("release two.toml --json");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let facts: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(facts["ledger"]["compared"], 1);
    assert!(facts["ledger"]["withheld"].as_u64().unwrap() > 0);
    assert!(facts["ledger"]["candidates"].as_u64().unwrap() >= 5);
    assert!(fewest_candidates(&env, &["one.csv", "two.csv"]) >= 5);
    // The naive second release would not have been safe.
    env.write("naive.toml", of_five("people.csv", "naive.csv", [1, 2], ""));
    assert_eq!(env.run("release naive.toml").code, 0);
    assert!(fewest_candidates(&env, &["one.csv", "naive.csv"]) < 5);
    let run = env.run("verify two.csv --policy two.toml --original people.csv");
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("entry 3 of 3"), "{}", run.stdout);
    assert_eq!(env.run("ledger check one.toml").code, 0);
}

#[test]
fn people_who_come_and_go_are_not_exposed() {
    let env = env();
    env.write("later.csv", people(3..244));
    env.write("one.toml", policy("people.csv", "one.csv", [1, 1], &ledger("a", "refuse")));
    env.write("two.toml", policy("later.csv", "two.csv", [1, 1], &ledger("a", "refuse")));
    assert_eq!(env.run("release one.toml").code, 0);
    assert_eq!(env.run("release two.toml").code, 1);
    env.write("two.toml", policy("later.csv", "two.csv", [1, 1], &ledger("a", "recode")));
    let run = env.run("release two.toml");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(fewest_candidates(&env, &["one.csv", "two.csv"]) >= 3);
    // Few are withheld: those who came, and some who hide those who left.
    assert!(released(&env, "two.csv").len() > 200, "{}", released(&env, "two.csv").len());
    // The same release once more reveals nothing new.
    env.write("again.toml", policy("people.csv", "again.csv", [1, 1], &ledger("a", "refuse")));
    env.write(
        "other.db.toml",
        policy("people.csv", "x.csv", [1, 1], &ledger("a", "refuse")).replace("ledger.db", "y.db"),
    );
    assert_eq!(env.run("release other.db.toml").code, 0);
    assert_eq!(env.run("release other.db.toml").code, 0);
    let shown = env.run("ledger show two.toml --json");
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["entries"].as_array().unwrap().len(), 2);
    // The ledger holds neither names nor values.
    let stored = env.bytes("ledger.db");
    for secret in ["P100", "asthma", "0123456789abcdef"] {
        assert!(!stored.windows(secret.len()).any(|part| part == secret.as_bytes()), "{secret}");
    }
}

#[test]
fn a_changed_ledger_stops_releases_and_is_reported() {
    let env = env();
    env.write("one.toml", policy("people.csv", "one.csv", [1, 1], &ledger("a", "refuse")));
    assert_eq!(env.run("release one.toml").code, 0);
    let (before, whole) = (env.bytes("one.csv"), env.bytes("ledger.db"));
    assert_eq!(env.run("ledger check one.toml").code, 0);
    // One bit of a stored digest.
    let mut changed = whole.clone();
    let at = changed.windows(11).position(|part| part == b"\"recipient\"").unwrap();
    changed[at + 13] ^= 1;
    env.write("ledger.db", &changed);
    let run = env.run("ledger check one.toml --json");
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&found["holds"], &found["faults"][0]["code"]),
        (&false.into(), &"ledger.broken-chain".into())
    );
    let run = env.run("release one.toml");
    assert!(run.code == 2 && run.stderr.contains("restore the last backup"), "{}", run.stderr);
    assert_eq!(env.bytes("one.csv"), before);
    // A lost key, and another one.
    env.write("ledger.db", &whole);
    env.write("secret.key", "another key than before, long enough\n");
    let run = env.run("release one.toml --json");
    assert!(run.code == 2 && run.stderr.contains("ledger.other-key"), "{}", run.stderr);
    std::fs::remove_file(env.path("secret.key")).unwrap();
    let run = env.run("ledger show one.toml");
    assert!(run.code == 2 && run.stderr.contains("openssl rand"), "{}", run.stderr);
    // An older copy of the ledger does not have the release.
    env.write("secret.key", SECRET);
    std::fs::remove_file(env.path("ledger.db")).unwrap();
    env.write("b.toml", policy("people.csv", "b.csv", [1, 1], &ledger("b", "refuse")));
    assert_eq!(env.run("release b.toml").code, 0);
    let run = env.run("verify one.csv --policy one.toml");
    assert!(run.code == 1 && run.stdout.contains("does not have this release"), "{}", run.stdout);
}

#[test]
fn who_received_what_is_exported() {
    let env = env();
    let colluding = ledger("hospital <x>", "refuse") + "colludes_with = [\"insurer\"]\n";
    env.write("one.toml", policy("people.csv", "one.csv", [1, 1], &colluding));
    assert_eq!(env.run("release one.toml").code, 0);
    for file in ["ledger.json", "ledger.svg", "ledger.html"] {
        assert_eq!(env.run(&format!("ledger export one.toml --out {file}")).code, 0, "{file}");
    }
    assert_eq!(env.json("ledger.json")["entries"][0]["recipient"], "hospital <x>");
    for file in ["ledger.svg", "ledger.html"] {
        let text = env.text(file);
        assert!(
            text.contains("hospital &lt;x&gt;") && text.contains("insurer") && !text.contains("<x>"),
            "{text}"
        );
    }
    assert_eq!(env.run("ledger export one.toml --out ledger.json").code, 2);
    assert_eq!(env.run("ledger export one.toml --out ledger.txt").code, 2);
    assert_eq!(env.run("ledger export one.toml --out ledger.db --force").code, 2);
    env.write("none.toml", policy("people.csv", "none.csv", [1, 1], ""));
    assert!(env.run("ledger show none.toml").stderr.contains("the policy names no ledger"));
}

/// A signed release, and what `verify --signed-by` says of it.
fn signed(env: &TestEnv, more: &str) {
    let more = format!("{}[certificate]\nsign_with = \"signing.key\"\n{more}", ledger("a", "refuse"));
    env.write("one.toml", policy("people.csv", "one.csv", [1, 1], &more));
    let run = env.run("release one.toml");
    assert_eq!(run.code, 0, "{}", run.stderr);
}

fn verified(env: &TestEnv, key: &str) -> (i32, String) {
    let run = env.run(&format!("verify one.csv --policy one.toml --signed-by {key} --json"));
    let verdict: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    (run.code, verdict["signature"]["found"].as_str().unwrap_or(&run.stderr).to_owned())
}

#[test]
fn a_signature_says_who_certified_a_release() {
    let env = env();
    assert_eq!(env.run("key new signing.key").code, 0);
    let run = env.run("key new signing.key");
    assert!(run.code == 2 && run.stderr.contains("never overwritten"), "{}", run.stderr);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(env.path("signing.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(env.run("key new other.key").code, 0);
    signed(&env, "expires = \"2999-12-31\"\n");
    let (code, found) = verified(&env, "signing.key.pub");
    assert!(code == 0 && found.contains("valid until 2999-12-31"), "{found}");
    let (code, found) = verified(&env, "other.key.pub");
    assert!(code == 1 && found.contains("not with the given one"), "{found}");
    assert_eq!(verified(&env, "signing.key").0, 2);
    // A later day than was signed.
    let whole = env.text("one.certificate.json");
    env.write("one.certificate.json", whole.replace("2999-12-31", "3999-12-31"));
    let (code, found) = verified(&env, "signing.key.pub");
    assert!(code == 1 && found.contains("changed after it was signed"), "{found}");
    // No signature.
    let mut bare: serde_json::Value = serde_json::from_str(&whole).unwrap();
    bare.as_object_mut().unwrap().remove("signature");
    env.write("one.certificate.json", bare.to_string());
    let (code, found) = verified(&env, "signing.key.pub");
    assert!(code == 1 && found.contains("not signed"), "{found}");
    // A key that follows, and one that is revoked.
    env.write("one.certificate.json", &whole);
    assert_eq!(env.run("key rotate one.toml --from other.key --to signing.key.pub").code, 0);
    assert_eq!(verified(&env, "other.key.pub").0, 0);
    let revoke = ["key", "revoke", "one.toml", "signing.key.pub", "--reason", "stolen laptop"];
    assert_eq!(env.run_args(&revoke, &[]).code, 0);
    let (code, found) = verified(&env, "signing.key.pub");
    assert!(code == 1 && found.contains("stolen laptop"), "{found}");
    assert!(env.run("ledger show one.toml").stdout.contains("revoked: stolen laptop"));
    // Nobody would accept what a revoked key signs.
    let released = env.bytes("one.csv");
    let run = env.run("release one.toml");
    assert!(run.code == 2 && run.stderr.contains("certificate.key-revoked"), "{}", run.said());
    assert!(run.stderr.contains("stolen laptop") && env.bytes("one.csv") == released, "{}", run.said());
}

#[test]
fn an_expired_signature_and_a_key_that_others_can_read_are_refused() {
    let env = env();
    assert_eq!(env.run("key new signing.key").code, 0);
    signed(&env, "expires = \"2020-01-31\"\n");
    let (code, found) = verified(&env, "signing.key.pub");
    assert!(code == 1 && found.contains("expired on 2020-01-31"), "{found}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(env.path("signing.key"), open).unwrap();
        let run = env.run("release one.toml");
        assert!(run.code == 2 && run.stderr.contains("chmod 600"), "{}", run.stderr);
    }
}

#[test]
fn the_digest_of_the_input_is_keyed_with_a_secret() {
    let env = env();
    env.write(
        "one.toml",
        policy("people.csv", "one.csv", [1, 1], "[certificate]\nkey_file = \"secret.key\"\n"),
    );
    assert_eq!(env.run("release one.toml").code, 0);
    let digest = env.json("one.certificate.json")["input"]["sha256"].as_str().unwrap().to_owned();
    assert!(digest.starts_with("hmac-sha256:"), "{digest}");
    let verify = "verify one.csv --policy one.toml --original people.csv";
    let run = env.run(verify);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // Without the key, the rest can be verified.
    assert_eq!(env.run("verify one.csv --policy one.toml").code, 0);
    env.write("secret.key", "another key than before, long enough\n");
    let run = env.run(verify);
    assert!(run.code == 1 && run.stdout.contains("input"), "{}", run.stdout);
    std::fs::remove_file(env.path("secret.key")).unwrap();
    assert_eq!(env.run(verify).code, 2);
    assert_eq!(env.run("verify one.csv --policy one.toml").code, 0);
}
