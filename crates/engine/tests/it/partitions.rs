//! The same table in another order of rows, in several files, in another format and read by other
//! numbers of threads: the same rows are released, and the same figures are certified.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use throng::rows::Rows;
use throng::watch::Watch;
use throng_engine::{Digesting, FileTable};

use crate::support::{
    ENGINE, Folder, Row, batch, effort, read, release, row, sorted, strings, write_parquet,
};

const COLUMNS: [&str; 4] = ["age", "place", "illness", "name"];

/// Levels, regions, regions that divide equal rows, and sampled rows.
const WAYS: [&str; 4] = [
    "search.algorithm = \"auto\"\nprivacy.k = 2\nprivacy.suppression = 0.5\n",
    "search.algorithm = \"mondrian\"\nprivacy.k = 2\n",
    "search.algorithm = \"mondrian\"\nsearch.mondrian.cut = \"relaxed\"\nprivacy.k = 2\n",
    "privacy.models = [{ differential_privacy = { epsilon = 2.0, delta = 0.2, key_file = \"key\" } }]\n",
];

fn policy(input: &str, way: usize) -> String {
    // What differential privacy requires: fixed levels, and nothing beside the quasi-identifiers.
    let (age, place, illness, name) = match way {
        3 => (
            "hierarchy = { intervals = { widths = [20], low = 0, high = 100 } }\nmin_level = 1\nmax_level = 1",
            "hierarchy = { order = { fanout = [2], values = [\"Ulm\", \"Bonn\", \"Kiel\"] } }\nmax_level = 0",
            "role = \"drop\"",
            "role = \"identifier\"",
        ),
        // Relaxed cuts cannot be verified where identifiers are replaced.
        2 => ("hierarchy = { intervals = { widths = [20] } }", "", "role = \"sensitive\"", "role = \"keep\""),
        _ => (
            "hierarchy = { intervals = { widths = [20] } }",
            "",
            "role = \"sensitive\"",
            "role = \"identifier\"\ntransform = { substitute = { key_file = \"key\" } }",
        ),
    };
    format!(
        "version = 1\ninput.path = \"{input}\"\noutput.path = \"out.csv\"\n{}[columns.age]\nrole = \"quasi\"\n{age}\n\
         [columns.place]\nrole = \"quasi\"\n{place}\n[columns.illness]\n{illness}\n[columns.name]\n{name}\n",
        WAYS[way]
    )
}

/// A row: an age, a place, an illness and a name, which may have a line break.
fn cells() -> impl Strategy<Value = Row> {
    let name = prop::sample::select(vec!["Ann", "Bob", "Cy, the elder", "Di\n\"D\"", "Eve"]);
    let place = prop::sample::select(vec!["Ulm", "Bonn", "Kiel"]);
    (0u32..5, place, prop::sample::select(vec!["flu", "gout"]), name)
        .prop_map(|(age, place, illness, name)| row(&[&(age * 13 + 5).to_string(), place, illness, name]))
}

fn csv(rows: &[Row]) -> String {
    let cell = |cell: &Option<String>| format!("\"{}\"", cell.as_deref().unwrap_or("").replace('"', "\"\""));
    let line = |row: &Row| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
    format!("{}\n{}", COLUMNS.join(","), rows.iter().map(line).collect::<String>())
}

fn parquet(rows: &[Row], folder: &Folder) {
    let column = |at: usize| {
        let cells: StringArray = rows.iter().map(|row| row[at].clone()).collect();
        (COLUMNS[at], Arc::new(cells) as ArrayRef)
    };
    write_parquet(&folder.path("t.parquet"), &[batch((0..4).map(column).collect())]);
}

/// What is released, sorted, and what is certified of it; or why nothing is.
fn released(folder: &Folder, input: &str, way: usize) -> Result<(Vec<Row>, String), String> {
    folder.write("key", "a secret of enough bytes");
    let policy = folder.policy(&policy(input, way));
    let done = release(&policy).map_err(|e| e.faults()[0].code.to_owned())?;
    assert!(done.verdict.holds());
    let mut facts = done.certificate.release.clone();
    // Facts about the files, the policy that names them, and the clock.
    facts.input.sha256.clear();
    facts.input.path.clear();
    facts.output.sha256.clear();
    facts.output.path.clear();
    facts.policy.sha256.clear();
    facts.search.seconds = 0.0;
    Ok((sorted(read(&folder.path("out.csv")).1), format!("{facts:?}")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(effort(12)))]

    #[test]
    fn a_release_is_the_same_however_its_table_is_stored(
        rows in prop::collection::vec(cells(), 8..60),
        order in any::<u64>(),
        cut in 0usize..60,
    ) {
        let mut other = rows.clone();
        other.sort_by_key(|row| row.iter().flatten().flat_map(|c| c.bytes()).fold(order, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)));
        let (first, second) = other.split_at(cut.min(other.len()));
        for way in 0..WAYS.len() {
            let folder = Folder::new();
            folder.write("t.csv", csv(&rows));
            let whole = released(&folder, "t.csv", way);
            // The draw depends on the text of the policy, which names the input.
            let folder = Folder::new();
            folder.write("t.csv", csv(&other));
            prop_assert_eq!(&released(&folder, "t.csv", way), &whole, "another order, way {}", way);
            if way == 3 {
                continue;
            }
            folder.write("part-1.csv", csv(first));
            folder.write("part-2.csv", csv(second));
            prop_assert_eq!(&released(&folder, "part-*.csv", way), &whole, "two files, way {}", way);
            parquet(&other, &folder);
            prop_assert_eq!(&released(&folder, "t.parquet", way), &whole, "Parquet, way {}", way);
        }
    }
}

/// A table of many pieces, with line breaks in cells: all rows are counted once, in any number of
/// threads, and its fingerprint is that of its bytes.
#[test]
fn all_cores_read_what_one_reads() {
    let folder = Folder::new();
    let line = |i: u32| format!("{},\"{}\nx\"\"{}\",{}\n", i % 97, i % 13, "y".repeat(40), i % 7);
    let text = String::from("a,b,c\n") + &(0..200_000).map(line).collect::<String>();
    assert!(text.len() > 8 << 20, "several pieces");
    let path = folder.write("t.csv", &text);
    let source = folder.open("t.csv").unwrap();
    let count = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let source = source.digested(Digesting::Published);
        let table = FileTable::new(&ENGINE, &source).unwrap();
        let counted = pool.install(|| table.count(&[0, 1, 2], &Watch::none())).unwrap();
        let fingerprint = table.fingerprint(&Watch::none()).unwrap();
        let tuple = |at: usize| {
            let value =
                |c: usize| counted.dictionaries[c].value(counted.tuples.code(at, c)).map(String::from);
            ((0..3).map(value).collect::<Vec<_>>(), counted.tuples.counts()[at])
        };
        ((0..counted.tuples.len()).map(tuple).collect::<Vec<_>>(), fingerprint)
    };
    let (tuples, fingerprint) = count(1);
    assert_eq!(tuples.len(), 97 * 13 * 7);
    assert_eq!(tuples.iter().map(|(_, rows)| rows).sum::<u32>(), 200_000);
    assert_eq!(
        tuples[0].0,
        strings(&["0", &format!("0\nx\"{}", "y".repeat(40)), "0"]).into_iter().map(Some).collect::<Vec<_>>()
    );
    // Even in the same order, because pieces are merged in theirs.
    assert_eq!(count(2).0, tuples);
    assert_eq!(count(5).0, tuples);
    assert_eq!(fingerprint, throng_engine::digest_file(&path, &Watch::none()).unwrap());
}
