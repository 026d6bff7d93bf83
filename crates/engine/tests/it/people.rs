//! A register of visits from file to file: people are counted, subjects are numbered or keyed, and
//! dates are shifted per person.

use std::collections::{BTreeMap, BTreeSet};

use throng_engine::PolicyFile;

use crate::support::{ENGINE, Folder, read, release};
use throng::watch::Watch;

/// Person p has p % 3 + 1 visits; ids have unequal lengths.
fn visits(people: usize) -> String {
    let mut text = "patient,born,sex,seen,visit\n".to_owned();
    for person in 0..people {
        for visit in 0..=person % 3 {
            let (born, sex) = (1940 + person % 40, ["f", "m"][person % 2]);
            let (month, day) = (1 + (person + visit * 5) % 12, 1 + person % 28);
            text += &format!("P{person},{born},{sex},2020-{month:02}-{day:02},{person}.{visit}\n");
        }
    }
    text
}

fn policy(folder: &Folder, algorithm: &str, subject: &str, seen: &str) -> PolicyFile {
    folder.write("visits.csv", visits(120));
    folder.write("secret.key", "a secret of many bytes\n");
    folder.policy(&format!(
        "version = 1\n[input]\npath = \"visits.csv\"\n[output]\npath = \"out.csv\"\n\
         [columns.patient]\nrole = \"subject\"\n{subject}\n\
         [columns.born]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [10, 20] }} }}\n[columns.sex]\nrole = \"quasi\"\n\
         [columns.seen]\n{seen}\n[columns.visit]\nrole = \"keep\"\n\
         [privacy]\nk = 4\nsuppression = 0.1\n[search]\nalgorithm = \"{algorithm}\"\n"
    ))
}

const QUASI: &str =
    "role = \"quasi\"\nhierarchy = { date = { levels = [\"month\", \"quarter\", \"year\"] } }";

#[test]
fn every_class_belongs_to_k_people_and_verify_agrees() {
    for algorithm in ["auto", "datafly", "mondrian", "k-similar", "best"] {
        let folder = Folder::new();
        let policy = policy(&folder, algorithm, "", QUASI);
        let done = release(&policy).unwrap();
        assert!(done.verdict.holds() && !done.verdict.claims["k-anonymity"].unchecked, "{:?}", done.verdict);
        let (columns, rows) = read(&folder.path("out.csv"));
        assert_eq!(columns, ["born", "sex", "seen", "visit"]);
        let mut classes: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for row in &rows {
            let person = row[3].as_ref().unwrap().split('.').next().unwrap().to_owned();
            classes.entry(row[..3].to_vec()).or_default().insert(person);
        }
        let fewest = classes.values().map(BTreeSet::len).min().unwrap();
        assert!(fewest >= 4, "{algorithm}: {fewest}");
        let facts = &done.certificate.release;
        assert_eq!(facts.privacy["k-anonymity"].achieved, Some(fewest as f64));
        assert_eq!(facts.people.unwrap().people, 120);
        let source = folder.open("visits.csv").unwrap();
        let again =
            ENGINE.verify(&policy, &folder.path("out.csv"), &done.certificate, Some(&source), &Watch::none());
        assert!(again.unwrap().holds(), "{algorithm}");
        // The same visits of half as many people are another table, and nothing of it is proven.
        folder.write("other.csv", visits(120).replace("\nP1", "\nP"));
        let source = folder.open("other.csv").unwrap();
        let other =
            ENGINE.verify(&policy, &folder.path("out.csv"), &done.certificate, Some(&source), &Watch::none());
        assert!(other.is_ok_and(|verdict| !verdict.holds()), "{algorithm}");
    }
}

#[test]
fn subjects_of_any_length_are_numbered_or_keyed_where_k_people_share_all_rows() {
    for (transform, length) in [("number = {}", 3), ("keyed = { key_file = \"secret.key\" }", 24)] {
        let folder = Folder::new();
        let subject = format!("transform = {{ {transform} }}");
        // The quasi-identifiers of a person are the same in all rows.
        let done = release(&policy(&folder, "auto", &subject, "role = \"drop\"")).unwrap();
        assert!(done.verdict.claims["identifiers: patient"].holds);
        assert!(done.certificate.release.people.unwrap().alike.unwrap() >= 4);
        let (columns, rows) = read(&folder.path("out.csv"));
        assert_eq!(columns[0], "patient");
        let mut made: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in &rows {
            let person = row[3].as_ref().unwrap().split('.').next().unwrap().to_owned();
            made.entry(person).or_default().insert(row[0].clone().unwrap());
        }
        assert!(
            made.values().all(|made| made.len() == 1 && made.iter().all(|m| m.len() == length)),
            "{made:?}"
        );
        assert_eq!(made.values().collect::<BTreeSet<_>>().len(), made.len());
        let refused = release(&policy(&folder, "mondrian", &subject, QUASI)).unwrap_err();
        assert!(refused.has_code("people.rows-can-be-linked"), "{refused}");
    }
}

#[test]
fn dates_of_a_person_are_shifted_together() {
    let folder = Folder::new();
    let seen = "role = \"sensitive\"\ntransform = { shift = { days = 20, key_file = \"secret.key\" } }";
    let policy = policy(&folder, "k-similar", "", seen);
    let done = release(&policy).unwrap();
    assert!(done.verdict.holds(), "{:?}", done.verdict);
    let day = |text: &str| -> i64 {
        let parts: Vec<i64> = text.split('-').map(|part| part.parse().unwrap()).collect();
        // Days since some day, by the civil calendar.
        let (y, m) = if parts[1] > 2 { (parts[0], parts[1] - 3) } else { (parts[0] - 1, parts[1] + 9) };
        365 * y + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + parts[2]
    };
    let original: BTreeMap<String, i64> = visits(120)
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| (cells[4].to_owned(), day(cells[3])))
        .collect();
    let (_, rows) = read(&folder.path("out.csv"));
    let mut moved: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for row in &rows {
        let visit = row[3].clone().unwrap();
        let days = day(row[2].as_ref().unwrap()) - original[&visit];
        moved.entry(visit.split('.').next().unwrap().to_owned()).or_default().insert(days);
    }
    assert!(moved.values().all(|days| days.len() == 1 && days.iter().all(|d| d.abs() <= 20 && *d != 0)));
    assert!(moved.values().collect::<BTreeSet<_>>().len() > 10);
    // A release whose dates were shifted otherwise is found.
    let text = std::fs::read_to_string(folder.path("out.csv")).unwrap();
    let changed = text.replacen(",2020-", ",2018-", 1);
    assert_ne!(text, changed);
    folder.write("out.csv", changed);
    let source = folder.open("visits.csv").unwrap();
    let verdict =
        ENGINE.verify(&policy, &folder.path("out.csv"), &done.certificate, Some(&source), &Watch::none());
    assert!(!verdict.unwrap().claims["truth"].holds);
}
