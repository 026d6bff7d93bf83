//! Tables with notes: scrubbed with their rows, verified by other code, and refused when changed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use throng::release::{Certificate, Release};

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::Draw;

const FIRST: [&str; 12] =
    ["Will", "May", "Virginia", "Mark", "Grace", "Rose", "José", "Dot", "Anna", "Hope", "Young", "Bo"];
const LAST: [&str; 12] = [
    "Townsend", "White", "Long", "Lang", "Hodgkins", "Müller", "O'Brien", "Street", "Hayes", "Frank",
    "Price", "Ng",
];
const CITIES: [&str; 4] = ["Lynn", "Salem", "Boston", "Reading"];
const JOBS: [&str; 4] = ["nurse", "airline pilot", "teacher", "baker"];

/// Patients with notes that name them, their age, place, dates and job, in several ways.
fn patients(rows: usize) -> Table {
    let mut draw = Draw::new(7);
    let columns = ["mrn", "name", "age", "zip", "city", "admitted", "job", "illness", "note"];
    let mut patient = |i: usize| {
        let (first, last) = (draw.of(&FIRST), draw.of(&LAST));
        let (age, city) = (20 + draw.below(60), draw.below(4) as usize);
        let (month, day, year) = (1 + draw.below(12), 1 + draw.below(28), 2020 + draw.below(3));
        let zip = format!("019{:02}", draw.below(20));
        let mrn = format!("{:02}-{:05}", 10 + draw.below(80), i * 7 + 1000);
        let (job, illness) = (draw.of(&JOBS), draw.of(&["asthma", "gout", "diabetes"]));
        let (iso, us) = (format!("{year}-{month:02}-{day:02}"), format!("{month}/{day}/{}", year % 100));
        let city = CITIES[city];
        let note = match draw.below(4) {
            0 => format!(
                "{age}-year-old {job} from {city}, {first} {last} (MRN {mrn}), admitted on {us} with {illness}. Metoprolol 50 mg."
            ),
            1 => format!(
                "Mr. {} was seen on {iso}. He will return. {} years, lives in {city} {zip}.",
                last.to_uppercase(),
                age
            ),
            2 => {
                format!("Spoke with {first}'s mother. {illness} is stable; record {}.", mrn.replace('-', ""))
            }
            _ => format!("{last}, {first}: follow-up, aged {age}, works as a {job}. BP 120/80, {illness}."),
        };
        vec![
            mrn,
            format!("{first} {last}"),
            age.to_string(),
            zip,
            city.into(),
            iso,
            job.into(),
            illness.into(),
            note,
        ]
    };
    Table { columns: columns.map(String::from).to_vec(), rows: (0..rows).map(&mut patient).collect() }
}

const POLICY: &str = r#"version = 1
[input]
path = "patients.csv"
[output]
path = "out.csv"
[columns.mrn]
role = "identifier"
transform = { substitute = { key_file = "secret.key" } }
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [10, 20], low = 0, high = 100 } }
[columns.zip]
role = "quasi"
hierarchy = { postal = { keep = [3, 2] } }
[columns.city]
role = "quasi"
[columns.admitted]
role = "quasi"
hierarchy = { date = { levels = ["month", "year"] } }
[columns.job]
role = "quasi"
[columns.illness]
role = "sensitive"
[columns.note]
role = "text"
transform = { scrub = { key_file = "secret.key" } }
[privacy]
k = 4
suppression = 0.3
[search]
algorithm = "auto"
"#;

const SECRET: &str = "9f2c1b7a-no-one-will-guess-this\n";
const VERIFY: &str = "verify out.csv --policy p.toml --original patients.csv";

fn folder(rows: usize, changes: &[(&str, &str)]) -> TestEnv {
    let policy = changes.iter().fold(POLICY.to_owned(), |policy, (from, to)| {
        assert!(policy.contains(from), "{from}");
        policy.replace(from, to)
    });
    TestEnv::with(&[
        ("patients.csv", &patients(rows).write(',')),
        ("p.toml", &policy),
        ("secret.key", SECRET),
    ])
}

/// The released notes with the pseudonyms of their rows.
fn notes(env: &TestEnv) -> Vec<(String, String)> {
    let out = Table::read(&env.bytes("out.csv"), ',');
    let cell = |row: &[String], name: &str| row[out.at(name)].clone();
    out.rows.iter().map(|row| (cell(row, "mrn"), cell(row, "note"))).collect()
}

#[test]
fn notes_are_released_without_what_identifies_their_rows_by_every_algorithm() {
    const AUTO: &str = "algorithm = \"auto\"";
    const OUT: &str = "path = \"out.csv\"";
    const SUBSTITUTE: &str = "transform = { substitute = { key_file = \"secret.key\" } }\n";
    let ways: [&[(&str, &str)]; 8] = [
        &[],
        &[(AUTO, "algorithm = \"auto\"\nlocal = true")],
        &[(AUTO, "algorithm = \"mondrian\"")],
        &[(AUTO, "algorithm = \"mondrian\"\nmondrian = { cut = \"relaxed\" }"), (SUBSTITUTE, "")],
        &[(OUT, "path = \"out.csv\"\nsuppressed = \"starred\"")],
        &[(OUT, "path = \"out.csv\"\nsuppressed = \"cells\"")],
        &[("scrub = { ", "scrub = { mode = \"tag\", ")],
        &[("k = 4\n", "k = 4\nmodels = [ { rare_values = { k = 58, columns = [\"job\"] } } ]\n")],
    ];
    for (at, way) in ways.into_iter().enumerate() {
        let env = folder(240, way);
        let release = env.run("release p.toml --json").ok().json();
        let texts = &release["text"]["note"];
        assert_eq!(texts["texts"], release["output"]["rows"], "{way:?}");
        assert!(texts["found"]["person"].as_u64().unwrap() > 50, "{texts}");
        let verdict = env.run(&format!("{VERIFY} --json")).ok().json();
        assert_eq!(verdict["text: note"]["holds"], true, "{way:?} {}", verdict["text: note"]);
        assert!(verdict["text: note"].get("unchecked").is_none());
        let alone = env.run("verify out.csv --policy p.toml --json").ok().json();
        assert_eq!(alone["text: note"]["unchecked"], true);
        if at == 0 {
            let words: BTreeSet<String> =
                notes(&env).into_iter().flat_map(|(_, note)| words(&note)).collect();
            for name in ["Townsend", "Virginia", "Hodgkins", "TOWNSEND", "02151"] {
                assert!(!words.contains(name), "{name}");
            }
            assert!(words.contains("Metoprolol") && words.contains("mother"), "{words:?}");
        }
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).map(String::from).collect()
}

#[test]
fn a_number_in_a_note_is_the_pseudonym_of_its_row() {
    let env = folder(240, &[]);
    env.run("release p.toml").ok();
    let with_number: Vec<(String, String)> =
        notes(&env).into_iter().filter(|(_, note)| note.contains("MRN")).collect();
    assert!(with_number.len() > 20);
    let same = with_number.iter().filter(|(mrn, note)| note.contains(mrn.as_str())).count();
    assert!(same * 10 >= with_number.len() * 9, "{same} of {}", with_number.len());
}

#[test]
fn the_same_rows_are_released_at_any_number_of_threads() {
    let bytes: BTreeSet<Vec<u8>> = ["1", "2", "5"]
        .into_iter()
        .map(|threads| {
            let env = folder(300, &[]);
            let run = env.run_args(&["release", "p.toml"], &[("RAYON_NUM_THREADS", threads)]);
            run.ok();
            env.bytes("out.csv")
        })
        .collect();
    assert_eq!(bytes.len(), 1);
}

/// Puts a changed release in place, with a certificate of its digest.
fn forge(env: &TestEnv, table: &Table) {
    env.write("out.csv", table.write(','));
    let digest = {
        use sha2::Digest;
        let digest = sha2::Sha256::digest(env.bytes("out.csv"));
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let certificate: Certificate = serde_json::from_value(env.json("out.certificate.json")).unwrap();
    let mut release: Release = certificate.release;
    release.output.sha256 = digest;
    let sealed = Certificate::new(release, certificate.columns, certificate.classes).unwrap();
    env.write("out.certificate.json", serde_json::to_string(&sealed).unwrap());
}

/// The claims that do not hold.
fn refuted(env: &TestEnv) -> BTreeMap<String, Value> {
    let verdict = env.run(&format!("{VERIFY} --json")).fails(1).json();
    let claims = verdict.as_object().unwrap().clone();
    claims.into_iter().filter(|(_, finding)| finding["holds"] == false).collect()
}

#[test]
fn a_changed_note_is_found() {
    for algorithm in ["auto", "mondrian"] {
        let env = folder(240, &[("algorithm = \"auto\"", &format!("algorithm = {algorithm:?}"))]);
        env.run("release p.toml").ok();
        let released = Table::read(&env.bytes("out.csv"), ',');
        let at = released.at("note");
        let changes: [fn(&str) -> String; 4] = [
            |note| format!("{note} Townsend"),
            |note| format!("{note} 47-year-old"),
            |_| String::from("nothing"),
            |note| note.to_uppercase(),
        ];
        for change in changes {
            let mut table = released.clone();
            let row = table.rows.len() / 2;
            table.rows[row][at] = change(&table.rows[row][at]);
            forge(&env, &table);
            let wrong = refuted(&env);
            assert!(wrong.contains_key("text: note"), "{wrong:?}");
            assert!(!wrong["text: note"].to_string().contains("Townsend"), "a verdict names no value");
        }
        // Two notes that change places.
        let mut table = released.clone();
        let other = table.rows.iter().position(|row| row[at] != table.rows[0][at]).unwrap();
        let (a, b) = (table.rows[0][at].clone(), table.rows[other][at].clone());
        (table.rows[0][at], table.rows[other][at]) = (b, a);
        forge(&env, &table);
        assert!(refuted(&env).contains_key("text: note"));
    }
}

#[test]
fn without_the_key_texts_are_named_as_not_checked() {
    let env = folder(240, &[]);
    env.run("release p.toml").ok();
    std::fs::remove_file(env.path("secret.key")).unwrap();
    let verdict = env.run(&format!("{VERIFY} --json")).ok().json();
    let texts = &verdict["text: note"];
    assert_eq!(texts["unchecked"], true, "{texts}");
    assert!(texts["found"].as_str().unwrap().contains("openssl"), "{texts}");
    assert_eq!(verdict["truth"]["holds"], true);
    env.run("release p.toml --out other.csv").fails(2).says(&["secret.key"]);
}

#[test]
fn dates_of_notes_move_with_their_person() {
    let shift = "scrub = { dates = \"shift\", days = 20, ";
    let env = folder(
        240,
        &[
            ("scrub = { ", shift),
            ("[columns.mrn]\nrole = \"identifier\"", "[columns.mrn]\nrole = \"subject\""),
            ("algorithm = \"auto\"", "algorithm = \"mondrian\""),
        ],
    );
    env.run("release p.toml").ok();
    env.run(VERIFY).ok();
}

#[test]
fn reports_and_certificates_count_and_name_nobody() {
    let env = folder(240, &[]);
    let run = env.run("release p.toml").ok();
    assert!(run.stdout.contains("scrubbed    note: "), "{}", run.said());
    let report = env.text("out.report.html");
    assert!(report.contains("scrubbed: ") && report.contains("person"));
    let certificate = env.text("out.certificate.json");
    for name in ["Townsend", "Virginia", "Hodgkins"] {
        assert!(!report.contains(name) && !certificate.contains(name), "{name}");
    }
    for (name, bytes) in env.listing() {
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        assert_eq!(text.contains(SECRET.trim()), name.ends_with("secret.key"), "{name:?}");
    }
}

#[test]
fn inspect_offers_to_scrub_and_text_is_removed_without() {
    let env = folder(240, &[]);
    env.run("inspect patients.csv --write proposed.toml").ok();
    let proposed = env.text("proposed.toml");
    assert!(proposed.contains("# transform = { scrub = {} }"), "{proposed}");
    env.write("plain.toml", POLICY.replace("transform = { scrub = { key_file = \"secret.key\" } }\n", ""));
    env.run("release plain.toml --out plain.csv").ok();
    assert!(!env.text("plain.csv").lines().next().unwrap().contains("note"));
    env.run("argus p.toml --do show").fails(2).says(&["argus.scrubs-text", "columns.note.transform"]);
}

#[test]
fn lists_and_mistakes_of_a_policy() {
    let env = folder(240, &[("scrub = { ", "scrub = { lists = [\"staff.txt\"], ")]);
    env.run("release p.toml").fails(2).says(&["staff.txt"]);
    env.write("staff.txt", "# words\nfollow-up\n");
    env.run("release p.toml").ok();
    env.run(VERIFY).ok();
    assert!(notes(&env).iter().all(|(_, note)| !note.contains("follow-up")));
    assert!(env.json("out.certificate.json")["files"]["staff.txt"].is_string());
    env.write(
        "pattern.toml",
        POLICY.replace("scrub = { ", "scrub = { patterns = { dose = \"[0-9]+ mg\" }, "),
    );
    env.run("release pattern.toml --out pattern.csv").ok();
    assert!(!env.text("pattern.csv").contains("50 mg"));
    env.run("verify pattern.csv --policy pattern.toml --original patients.csv").ok();
    for (from, to, words) in [
        ("scrub = { ", "scrub = { patterns = { dose = \"[\" }, ", "text.bad-pattern"),
        ("role = \"text\"", "role = \"keep\"", "policy.scrub-of-other-role"),
        ("scrub = { ", "scrub = { threshold = 7, ", "policy.scrub-threshold-out-of-range"),
        ("scrub = { ", "scrub = { mode = \"erase\", ", "erase"),
        ("scrub = { ", "scrub = { dates = \"shift\", ", "people.shift-without-subject"),
    ] {
        env.write("bad.toml", POLICY.replacen(from, to, 1));
        env.run("release bad.toml --out bad.csv").fails(2).says(&[words]);
    }
}
