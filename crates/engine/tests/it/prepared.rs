//! Tables that are prepared while they are read: eligible rows, lists of codes, steps; the same from
//! every format and at any number of threads, certified, and found out when changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Float64Array, Int64Array, StringArray};
use rayon::ThreadPoolBuilder;
use throng::release::{Certificate, PreparationFacts};
use throng::watch::Watch;
use throng_engine::{PolicyFile, Source};

use crate::support::{ENGINE, Folder, Row, batch, read, release, sorted, write_parquet};

/// A person: id, age, state, day of birth as days since 1970, count of a code in a pair of columns.
struct Person {
    id: i64,
    age: Option<i64>,
    state: &'static str,
    born: i32,
    count: Option<f64>,
}

fn people() -> Vec<Person> {
    let person = |id: i64| Person {
        id,
        age: (id % 11 != 0).then_some(id * 7 % 100),
        state: ["MA", "NH", "VT"][(id % 3) as usize],
        born: (id * 131 % 20_000) as i32 - 10_000,
        count: (id % 4 > 0).then_some((id % 4) as f64),
    };
    (1..=600).map(person).collect()
}

fn date(days: i32) -> String {
    let day = Date32Array::from(vec![days]);
    let text = arrow::compute::cast(&day, &arrow::datatypes::DataType::Utf8).unwrap();
    arrow::array::AsArray::as_string::<i32>(&text).value(0).to_owned()
}

fn csv(people: &[Person]) -> String {
    let mut text = String::from("id,age,state,born,dx1,n1\n");
    for p in people {
        let age = p.age.map(|age| age.to_string()).unwrap_or_default();
        let (code, count) = p.count.map_or((String::new(), String::new()), |n| ("401".into(), n.to_string()));
        writeln!(text, "{},{age},{},{},{code},{count}", p.id, p.state, date(p.born)).unwrap();
    }
    text
}

/// The same with types.
fn parquet(people: &[Person], folder: &Folder, name: &str) {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(people.iter().map(|p| p.id).collect::<Int64Array>())),
        ("age", Arc::new(people.iter().map(|p| p.age).collect::<Int64Array>())),
        ("state", Arc::new(people.iter().map(|p| Some(p.state)).collect::<StringArray>())),
        ("born", Arc::new(people.iter().map(|p| Some(p.born)).collect::<Date32Array>())),
        ("dx1", Arc::new(people.iter().map(|p| p.count.map(|_| "401")).collect::<StringArray>())),
        ("n1", Arc::new(people.iter().map(|p| p.count).collect::<Float64Array>())),
    ];
    write_parquet(&folder.path(name), &[batch(columns)]);
}

/// Diagnoses of two in three people, and of nobody.
fn diagnoses() -> String {
    let mut text = String::from("patient,dx\n");
    for id in (1..=600).filter(|id| id % 3 > 0) {
        for turn in 0..id % 5 + 1 {
            writeln!(text, "{id},{}", ["250", "401", "427.89"][((id + turn) % 3) as usize]).unwrap();
        }
    }
    text + "9001,250\n"
}

const CODES: &str = "*;;\nendocrine;;*\nheart;;*\n250;;endocrine\n401;;heart\n427.89;;heart\n";

fn policy(input: &str) -> String {
    format!(
        r#"
version = 1
[input]
path = "{input}"
where = "age >= 18 AND state IN ('MA', 'NH') OR age IS NULL"

[[input.pairs]]
column = "procedures"
names = "dx{{n}}"
counts = "n{{n}}"

[[input.join]]
path = "dx.csv"
key = "id"
file_key = "patient"
codes = "dx"
column = "diagnoses"
unmatched = "drop"

[[input.prepare]]
drop_rows = "born > DATE '1990-01-01'"
[[input.prepare]]
clear = {{ columns = ["state"], where = "age BETWEEN 50 AND 55" }}
[[input.prepare]]
cap = {{ column = "age", from = 90, label = "90" }}
[[input.prepare]]
cut = {{ column = "diagnoses", most = 2 }}

[output]
path = "out.csv"
[columns]
id.role = "identifier"
age = {{ role = "quasi", hierarchy = {{ intervals = {{ widths = [10, 50], low = 0, high = 100 }} }} }}
state.role = "quasi"
born.role = "drop"
procedures.role = "keep"
diagnoses = {{ role = "quasi", poset = {{ codes = {{ file = "codes.csv", most = 5 }} }} }}
[privacy]
k = 4
[search]
algorithm = "partition"
"#
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", csv(&people()));
    folder.write("dx.csv", diagnoses());
    folder.write("codes.csv", CODES);
    folder
}

/// What is released, sorted, and what is certified of the preparation.
fn released(folder: &Folder, input: &str) -> (Vec<Row>, PreparationFacts) {
    let done = release(&folder.policy(&policy(input))).unwrap();
    assert!(done.verdict.holds(), "{:?}", done.verdict);
    assert!(!done.verdict.claims["preparation"].unchecked);
    let facts = done.certificate.release.preparation.clone().unwrap();
    assert_eq!(facts.rows, done.certificate.release.rows);
    (sorted(read(&folder.path("out.csv")).1), facts)
}

#[test]
fn every_format_and_number_of_threads_gives_the_same_rows() {
    let folder = folder();
    let (rows, facts) = released(&folder, "t.csv");
    // By definition.
    let eligible = |p: &&Person| p.age.is_none_or(|age| age >= 18 && p.state != "VT");
    assert_eq!(facts.read, 600);
    assert_eq!(facts.eligible, people().iter().filter(eligible).count() as u64);
    let young = |p: &&Person| p.born > 20 * 365 + 5;
    let dropped = people().iter().filter(eligible).filter(young).count() as u64;
    assert_eq!((facts.steps[0].rows, facts.rows), (dropped, facts.eligible - dropped));
    assert_eq!(rows.len() as u64, facts.rows);
    let people = people();
    let (first, second) = people.split_at(250);
    folder.write("part-1.csv", csv(first));
    folder.write("part-2.csv", csv(second));
    parquet(&people, &folder, "t.parquet");
    parquet(first, &folder, "piece-1.parquet");
    parquet(second, &folder, "piece-2.parquet");
    for input in ["part-*.csv", "t.parquet", "piece-*.parquet"] {
        assert_eq!(released(&folder, input), (rows.clone(), facts.clone()), "{input}");
    }
    for threads in [1, 2, 5] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(
            pool.install(|| released(&folder, "t.csv")),
            (rows.clone(), facts.clone()),
            "{threads} threads"
        );
    }
}

/// Rows as a policy without regions releases them, so that cells can be compared one by one.
#[test]
fn cells_are_those_of_the_definition() {
    let folder = Folder::new();
    folder.write(
        "t.csv",
        "id,age,dx1,n1,dx2,n2\n1,17,a,2,b,1\n2,42,,,,\n3,95,b,1,b,4\n4,,a,1,,\n5,30,c,3,a,1\n",
    );
    folder.write("dx.csv", "id,code\n2,x\n5,y\n2,z\n2,z\n5,y\n");
    let policy = folder.policy(
        "version = 1\ninput.path = \"t.csv\"\ninput.where = \"age >= 18 OR age IS NULL\"\n\
         input.pairs = [{ column = \"pairs\", names = \"dx{n}\", counts = \"n{n}\" }]\n\
         input.join = [{ path = \"dx.csv\", key = \"id\", codes = \"code\", column = \"codes\" }]\n\
         input.prepare = [{ cap = { column = \"age\", from = 90, label = \"90+\" } }]\n\
         output = { path = \"out.csv\", keep_order = true }\n\
         columns = { id.role = \"identifier\", age.role = \"keep\", pairs.role = \"keep\", codes.role = \"quasi\" }\n\
         privacy.k = 1\n",
    );
    let done = release(&policy).unwrap();
    let (columns, rows) = read(&folder.path("out.csv"));
    assert_eq!(columns, ["age", "codes", "pairs"]);
    let cell = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let expected: Vec<Row> =
        [["42", "z:2; x", ""], ["90+", "", "b:5"], ["", "", "a"], ["30", "y:2", "c:3; a"]]
            .map(|row| row.map(cell).to_vec())
            .to_vec();
    assert_eq!(rows, expected);
    let facts = done.certificate.release.preparation.unwrap();
    assert_eq!((facts.read, facts.eligible, facts.rows), (5, 4, 4));
    let join = &facts.joined[0];
    assert_eq!((join.rows, join.keys, join.unmatched_rows, join.empty), (5, 2, 0, 2));
    assert_eq!(facts.steps[0].cells, 1);
    assert_eq!(done.certificate.release.input.rows, 4);
    assert!(done.certificate.release.files.contains_key("dx.csv"));
}

fn verify(policy: &PolicyFile, certificate: &Certificate, folder: &Folder) -> BTreeMap<String, bool> {
    let source = Source::open(&policy.policy.input, policy.folder()).unwrap();
    let output = folder.path("out.csv");
    let verdict = ENGINE.verify(policy, &output, certificate, Some(&source), &Watch::none()).unwrap();
    verdict.claims.into_iter().map(|(claim, finding)| (claim, finding.holds)).collect()
}

#[test]
fn counts_and_joined_files_are_proven() {
    let folder = folder();
    let policy = folder.policy(&policy("t.csv"));
    let done = release(&policy).unwrap();
    let certificate = &done.certificate;
    assert!(verify(&policy, certificate, &folder).values().all(|holds| *holds));
    // A forged count.
    let mut forged = certificate.release.clone();
    forged.preparation.as_mut().unwrap().steps[1].cells += 1;
    let forged = Certificate::new(forged, certificate.columns.clone(), certificate.classes).unwrap();
    let verdict = verify(&policy, &forged, &folder);
    assert!(!verdict["preparation"] && verdict["certificate"] && verdict["truth"], "{verdict:?}");
    // A forged number of rows does not fit the rest.
    let mut forged = certificate.release.clone();
    forged.preparation.as_mut().unwrap().rows -= 1;
    let forged = Certificate::new(forged, certificate.columns.clone(), certificate.classes).unwrap();
    assert!(!verify(&policy, &forged, &folder)["certificate"]);
    let mut forged = certificate.release.clone();
    forged.preparation = None;
    let forged = Certificate::new(forged, certificate.columns.clone(), certificate.classes).unwrap();
    assert!(!verify(&policy, &forged, &folder)["certificate"]);
    // Another diagnosis.
    folder.write("dx.csv", diagnoses().replacen("250", "401", 1));
    assert!(!verify(&policy, certificate, &folder)["files"]);
    // Without the file nothing else is checked.
    std::fs::remove_file(folder.path("dx.csv")).unwrap();
    assert_eq!(verify(&policy, certificate, &folder), BTreeMap::from([("files".to_owned(), false)]));
}

#[test]
fn mistakes_are_at_their_keys() {
    let folder = folder();
    let fails = |from: &str, to: &str| {
        let text = policy("t.csv").replacen(from, to, 1);
        assert_ne!(text, policy("t.csv"), "{from}");
        let error = release(&folder.policy(&text)).unwrap_err();
        let fault = error.faults()[0].clone();
        (fault.code, fault.place.key.unwrap_or_default(), fault.message)
    };
    let (code, key, _) = fails("age >= 18", "agee >= 18");
    assert_eq!((code, key.as_str()), ("predicate.no-such-column", "input.where"));
    let (code, key, message) = fails("unmatched = \"drop\"", "unmatched = \"refuse\"");
    assert_eq!((code, key.as_str()), ("prepare.unmatched-rows", "input.join.0.path"));
    assert!(!message.contains("9001"), "{message}");
    let (code, key, _) = fails("codes = \"dx\"", "codes = \"icd\"");
    assert_eq!((code, key.as_str()), ("predicate.no-such-column", "input.join.0"));
    let (code, key, _) = fails("columns = [\"state\"]", "columns = [\"states\"]");
    assert_eq!((code, key.as_str()), ("predicate.no-such-column", "input.prepare.1.clear.columns"));
    let (code, _, _) = fails("dx{n}", "px{n}");
    assert_eq!(code, "prepare.no-such-pairs");
    // A column that is gone has no role, and a new one needs one.
    let (code, key, _) = fails("born.role = \"drop\"", "born.role = \"drop\"\ndx1.role = \"drop\"");
    assert_eq!((code, key.as_str()), ("policy.column-not-in-table", "columns.dx1"));
    let (code, _, _) = fails("procedures.role = \"keep\"\n", "");
    assert_eq!(code, "policy.columns-without-role");
}

#[test]
fn a_joined_file_is_not_written_over() {
    let folder = folder();
    let policy = folder.policy(&policy("t.csv").replace("out.csv", "dx.csv"));
    let before = std::fs::read(folder.path("dx.csv")).unwrap();
    assert!(release(&policy).is_err());
    assert_eq!(std::fs::read(folder.path("dx.csv")).unwrap(), before);
}

/// A table without rows that are eligible is refused, whatever its format.
#[test]
fn no_eligible_row_is_an_error() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b\n1,x\n2,y\n");
    let policy = folder.policy(
        "version = 1\ninput = { path = \"t.csv\", where = \"a > 5\" }\noutput.path = \"out.csv\"\n\
         columns = { a.role = \"quasi\", b.role = \"keep\" }\nprivacy.k = 1\n",
    );
    assert!(release(&policy).unwrap_err().has_code("prepare.no-row-left"));
    assert!(!folder.path("out.csv").exists());
}
