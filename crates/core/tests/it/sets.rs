//! Sets of columns that have a hierarchy: a set of more values than the policy lists becomes the
//! least label above them, by every method that writes sets; its loss is that of its leaves, and the
//! verifier finds labels that are not true.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use throng::cell::{Cell, write_set};
use throng::error::{Kind, Result};
use throng::hierarchy::build;
use throng::measure::{Correspondence, measure};
use throng::memory::{self, Released, Table};
use throng::policy::Policy;
use throng::registry::Algorithm;
use throng::verify::{Inputs, Original, verify};
use throng::watch::Watch;

use crate::assigned::{Entry, Stated};

/// `b1` is a label and a value, and `D` stands for other leaves at the second level than at the
/// first: neither can stand for a set. `CC` has the leaves of `C`.
const TOWNS: [(&str, [&str; 3]); 12] = [
    ("a1", ["A", "AB", "all"]),
    ("a2", ["A", "AB", "all"]),
    ("a3", ["A", "AB", "all"]),
    ("b1", ["b1", "AB", "all"]),
    ("b2", ["b1", "AB", "all"]),
    ("b3", ["b1", "AB", "all"]),
    ("c1", ["C", "CC", "all"]),
    ("c2", ["C", "CC", "all"]),
    ("c3", ["C", "CC", "all"]),
    ("d1", ["D", "D", "all"]),
    ("d2", ["D", "D", "all"]),
    ("e", ["E", "D", "all"]),
];
const CLEAR: [&str; 5] = ["A", "AB", "C", "CC", "E"];

fn load(_: &str) -> Result<String> {
    Ok(TOWNS.map(|(leaf, labels)| format!("{leaf};{}\n", labels.join(";"))).concat())
}

fn labels(town: &str) -> [&'static str; 3] {
    TOWNS.iter().find(|(leaf, _)| *leaf == town).unwrap().1
}

/// The definition: what a class of rows with these towns shows.
fn expected(towns: &BTreeSet<Option<&str>>, most: usize) -> Option<String> {
    if let [only] = Vec::from_iter(towns)[..] {
        return only.map(String::from);
    }
    let Some(present) = towns.iter().copied().collect::<Option<Vec<&str>>>() else { return Some("*".into()) };
    if present.len() <= most {
        return Some(write_set(present));
    }
    let common = |level: usize| {
        let all: BTreeSet<&str> = present.iter().map(|town| labels(town)[level]).collect();
        all.first().copied().filter(|label| all.len() == 1 && CLEAR.contains(label))
    };
    Some(common(0).or_else(|| common(1)).unwrap_or("*").into())
}

/// The towns that a cell is true of, by the definition.
fn covered(cell: Option<&str>) -> BTreeSet<Option<&str>> {
    let all = || TOWNS.iter().map(|(leaf, _)| Some(*leaf)).chain([None]);
    let leaf = |cell: &str| TOWNS.iter().any(|(leaf, _)| *leaf == cell);
    let holds = |town: &Option<&str>| match (cell, town) {
        (Some("*"), _) => true,
        (Some(cell), Some(town)) if CLEAR.contains(&cell) && !leaf(cell) => labels(town).contains(&cell),
        (Some(cell), Some(town)) => Cell::parse(cell).covers(town),
        (cell, town) => cell == *town,
    };
    all().filter(holds).collect()
}

type Row = (Option<&'static str>, u8);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let towns: Vec<&str> = TOWNS.map(|(leaf, _)| leaf).to_vec();
    // Towns of one branch are often neighbours in age, so that regions have several of them.
    let row = (prop::option::weighted(0.95, 0..towns.len()), 0..3u8);
    let row = row.prop_map(move |(town, age)| {
        (town.map(|town| towns[town]), town.map_or(age, |town| (town / 3) as u8 * 2 + age))
    });
    prop::collection::vec(row, 12..60)
}

fn table(rows: &[Row]) -> Table {
    let row = |(at, (town, age)): (usize, &Row)| {
        vec![Some(at.to_string()), town.map(String::from), Some(age.to_string())]
    };
    let columns = ["id", "town", "age"].map(String::from).to_vec();
    Table::new(columns, rows.iter().enumerate().map(row).collect()).unwrap()
}

fn policy(algorithm: &str, loss: &str, k: usize, most: usize) -> String {
    format!(
        "version = 1\ninput.path = \"x.csv\"\ncolumns.id.role = \"keep\"\ncolumns.age.role = \"quasi\"\n\
         columns.town = {{ role = \"quasi\", form = \"set\", hierarchy = {{ file = \"towns.csv\" }} }}\n\
         output.longest_set = {most}\nprivacy.k = {k}\nsearch.algorithm = \"{algorithm}\"\nsearch.loss = \"{loss}\"\n"
    )
}

/// A release, and none where the method does not write sets.
fn release(text: &str, original: &Table) -> Option<Released> {
    match memory::release(text, original, &load, &Watch::none()) {
        Err(error) if error.is_all(Kind::Input) => None,
        made => Some(made.unwrap()),
    }
}

fn original_row(row: &[Option<String>]) -> usize {
    row[0].as_ref().unwrap().parse().unwrap()
}

/// Released cells → the rows of the table that have them.
fn classes(made: &Released) -> BTreeMap<Vec<Option<String>>, Vec<usize>> {
    let mut classes: BTreeMap<Vec<Option<String>>, Vec<usize>> = BTreeMap::new();
    for row in made.table.rows() {
        classes.entry(row[1..].to_vec()).or_default().push(original_row(row));
    }
    classes
}

/// Whether the verifier finds the cells true when a town cell is replaced wherever it stands: in the
/// table and in the stated assignment.
fn still_true(text: &str, (original, made): (&Table, &Released), (from, to): (&str, &str)) -> bool {
    let other = |cell: &Option<String>| match cell.as_deref() {
        Some(cell) if cell == from => Some(to.to_owned()),
        _ => cell.clone(),
    };
    let rows: Vec<Vec<Option<String>>> =
        made.table.rows().iter().map(|row| row.iter().map(other).collect()).collect();
    let mut hint: BTreeMap<_, u64> = BTreeMap::new();
    for row in &rows {
        let source = original.rows()[original_row(row)].clone();
        // The verifier has columns in the order of the policy's names.
        let swapped = |row: &[Option<String>]| vec![row[2].clone(), row[1].clone()];
        *hint.entry((swapped(&source), Some(swapped(row)))).or_default() += 1;
    }
    let hint: Vec<Entry> = hint.into_iter().map(|((source, shown), n)| (source, n, shown)).collect();
    let policy = Policy::parse(text).unwrap();
    let columns = ["id", "town", "age"].map(String::from).to_vec();
    let verdict = verify(&Inputs {
        policy: &policy,
        policy_sha256: &Policy::digest(text),
        certificate: &made.certificate,
        files: None,
        release: &Table::new(columns, rows).unwrap(),
        original: Some(Original {
            rows: original,
            assignment: Some(&Stated(&hint)),
            secret: None,
            counted: None,
            notes: None,
        }),
        population: None,
        build: &|name, values| build(&policy.columns[name].hierarchy(), values, &load),
        watch: &Watch::none(),
    });
    verdict.unwrap().claims["cells"].holds
}

/// What a forger may write in place of a label: siblings, labels below it, labels with another
/// meaning, sets and unknown texts.
const FORGED: [&str; 10] = ["A", "AB", "b1", "C", "D", "E", "nowhere", "{a1, a2}", "{c1, c2, c3}", "{a1, A}"];

fn check(text: &str, (rows, most): (&[Row], usize), original: &Table, made: &Released) {
    let (mut lost, mut shown) = (0.0, BTreeMap::<String, BTreeSet<Option<&str>>>::new());
    let leaves = TOWNS.len() + usize::from(rows.iter().any(|row| row.0.is_none()));
    for (cells, members) in classes(made) {
        let towns: BTreeSet<Option<&str>> = members.iter().map(|&row| rows[row].0).collect();
        let cell = cells[0].as_deref();
        assert_eq!(cell, expected(&towns, most).as_deref(), "{text}{towns:?}");
        let covered = covered(cell);
        assert!(towns.is_subset(&covered), "{towns:?} {cell:?}");
        let width = if cell == Some("*") { leaves } else { covered.len() };
        lost += (members.len() * (width - 1)) as f64 / (leaves - 1) as f64;
        if let Some(label) = cell.filter(|cell| CLEAR.contains(cell)) {
            shown.entry(label.to_owned()).or_default().extend(towns);
        }
    }
    // The verifier counted the same: it accepts no other loss.
    let stated = made.certificate.release.loss_by_column["lm"]["town"];
    assert!((stated - lost / rows.len() as f64).abs() < 1e-9, "{text}{stated} {lost}");
    let found = measure(&throng::measure::Inputs {
        policy: &Policy::parse(text).unwrap(),
        original,
        release: &made.table,
        rows: Correspondence::Key("id"),
        starred: false,
        load: &load,
        watch: &Watch::none(),
    });
    let found = found.unwrap();
    for (name, loss) in &made.certificate.release.loss {
        assert!((found.loss[name] - loss).abs() < 1e-9, "{text}{name}: {} {loss}", found.loss[name]);
    }
    for (label, towns) in shown {
        assert!(still_true(text, (original, made), (&label, &label)));
        for other in FORGED {
            let holds = towns.is_subset(&covered(Some(other)));
            let found = still_true(text, (original, made), (&label, other));
            assert_eq!(found, holds, "{text}{other} for {label}, which is {towns:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn long_sets_become_the_least_label_above_them(
        rows in rows(),
        (k, most) in (2..7usize, 1..4usize),
        loss in prop::sample::select(vec!["lm", "prec", "entropy"]),
    ) {
        let original = table(&rows);
        let mut able = BTreeSet::new();
        // Methods that write no sets, or promise less than k rows per class, refuse the policy.
        for algorithm in Algorithm::keys_with(|entry| entry.forms_regions && !entry.small_tables) {
            let text = policy(algorithm, loss, k, most);
            if let Some(made) = release(&text, &original) {
                check(&text, (&rows, most), &original, &made);
                able.insert(algorithm);
            }
        }
        prop_assert!(able.len() >= 3 && able.contains("mondrian"), "{:?}", able);
    }
}
