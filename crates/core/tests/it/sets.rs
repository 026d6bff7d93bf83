//! Sets of more values than the policy lists: they become the least label above their values, or the
//! interval of their numbers where nothing is above them, by every method that writes sets; the loss
//! is that of the leaves, and the verifier finds cells that are not true.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use throng::cell::{Cell, number, write_set};
use throng::error::{Kind, Result};
use throng::hierarchy::build;
use throng::measure::{Correspondence, measure};
use throng::memory::{self, Released, Table, release_from_population};
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

/// One number is written in two ways.
const DOSES: [&str; 9] = ["-2", "0", "1", "1.0", "2.5", "4", "7", "12", "100"];
/// Where the code among them occurs, nothing is a number.
const CODES: [&str; 5] = ["1", "2", CODE, "4", "5"];
const CODE: &str = "03";

/// The column of sets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Column {
    Towns,
    Doses,
    Codes,
}

impl Column {
    fn values(self) -> Vec<&'static str> {
        match self {
            Column::Towns => TOWNS.map(|(leaf, _)| leaf).to_vec(),
            Column::Doses => DOSES.to_vec(),
            Column::Codes => CODES.to_vec(),
        }
    }

    /// The values that count: a file has those that do not occur, too.
    fn leaves(self, rows: &[Row]) -> BTreeSet<Option<&'static str>> {
        let file = self.values().into_iter().filter(|_| self == Column::Towns).map(Some);
        file.chain(rows.iter().map(|row| row.0)).collect()
    }

    /// The definition: what is written in place of a set.
    fn in_place(self, set: &[&str], leaves: &BTreeSet<Option<&str>>) -> String {
        match self {
            Column::Towns => {
                let common = |level: usize| {
                    let all: BTreeSet<&str> = set.iter().map(|town| labels(town)[level]).collect();
                    all.first().copied().filter(|label| all.len() == 1 && CLEAR.contains(label))
                };
                common(0).or_else(|| common(1)).unwrap_or("*").into()
            }
            Column::Codes if leaves.contains(&Some(CODE)) => "*".into(),
            Column::Doses | Column::Codes => {
                let sizes = || set.iter().map(|dose| number(dose).unwrap());
                let (low, high) = (sizes().fold(f64::MAX, f64::min), sizes().fold(f64::MIN, f64::max));
                let same = |size: f64| leaves.iter().flatten().filter(move |leaf| number(leaf) == Some(size));
                format!("[{}, {}]", same(low).min().unwrap(), same(high).max().unwrap())
            }
        }
    }

    /// The definition: what a class of rows with these values shows.
    fn expected(
        self,
        values: &BTreeSet<Option<&str>>,
        (leaves, most): (&BTreeSet<Option<&str>>, usize),
    ) -> Option<String> {
        if let [only] = Vec::from_iter(values)[..] {
            return only.map(String::from);
        }
        let Some(present) = values.iter().copied().collect::<Option<Vec<&str>>>() else {
            return Some("*".into());
        };
        let all = present.len() == leaves.iter().flatten().count() && present.len() > 2;
        if all || present.len() > most {
            return Some(self.in_place(&present, leaves));
        }
        Some(write_set(present))
    }

    /// The values that a cell is true of, by the definition.
    fn covered<'a>(
        self,
        cell: Option<&str>,
        leaves: &BTreeSet<Option<&'a str>>,
    ) -> BTreeSet<Option<&'a str>> {
        let parsed = cell.map(Cell::parse);
        // A set of values that the column does not have is not one.
        if let Some(Cell::Set(values)) = &parsed
            && values.iter().any(|value| !leaves.contains(&Some(value)))
        {
            return BTreeSet::new();
        }
        let holds = |value: &Option<&str>| match (cell, &parsed, value) {
            (Some("*"), ..) => true,
            (Some(label), _, Some(town)) if self == Column::Towns && self.shows(label) => {
                labels(town).contains(&label)
            }
            // A range is none of the cells of a set column.
            (_, Some(cell), Some(value)) if !matches!(cell, Cell::Range(..)) => cell.covers(value),
            (cell, _, value) => cell == *value,
        };
        leaves.iter().copied().filter(holds).collect()
    }

    /// Whether a cell is in place of a set, and is not `*`.
    fn shows(self, cell: &str) -> bool {
        match self {
            Column::Towns => CLEAR.contains(&cell) && !TOWNS.iter().any(|(leaf, _)| *leaf == cell),
            Column::Doses => cell.starts_with('['),
            Column::Codes => false,
        }
    }

    /// What a forger may write in its place: siblings, labels below it, labels with another meaning,
    /// other bounds, sets and unknown texts.
    fn forged(self) -> &'static [&'static str] {
        match self {
            Column::Towns => {
                &["A", "AB", "b1", "C", "D", "E", "nowhere", "{a1, a2}", "{c1, c2, c3}", "{a1, A}"]
            }
            Column::Doses => {
                &["[0, 4]", "(1, 12]", "[-2, 7)", "< 12", ">= 1", "[0, 99]", "0 - 4", "nowhere", "{0, 1, 4}"]
            }
            Column::Codes => &[],
        }
    }

    fn hierarchy(self) -> &'static str {
        if self == Column::Towns { ", hierarchy = { file = \"towns.csv\" }" } else { "" }
    }
}

type Row = (Option<&'static str>, u8);

fn rows(column: Column) -> impl Strategy<Value = Vec<Row>> {
    let values = column.values();
    // Towns of one branch are often neighbours in age, so that regions have several of them.
    let row = (prop::option::weighted(0.95, 0..values.len()), 0..3u8);
    let row = row.prop_map(move |(value, age)| {
        (value.map(|value| values[value]), value.map_or(age, |value| (value / 3) as u8 * 2 + age))
    });
    prop::collection::vec(row, 12..60)
}

fn table(rows: &[Row]) -> Table {
    let row = |(at, (value, age)): (usize, &Row)| {
        vec![Some(at.to_string()), value.map(String::from), Some(age.to_string())]
    };
    let columns = ["id", "value", "age"].map(String::from).to_vec();
    Table::new(columns, rows.iter().enumerate().map(row).collect()).unwrap()
}

fn policy(column: Column, (algorithm, loss): (&str, &str), (k, most): (usize, usize)) -> String {
    let hierarchy = column.hierarchy();
    format!(
        "version = 1\ninput.path = \"x.csv\"\ncolumns.id.role = \"keep\"\ncolumns.age.role = \"quasi\"\n\
         columns.value = {{ role = \"quasi\", form = \"set\"{hierarchy} }}\n\
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

/// Whether the verifier finds the cells true when a cell of the sets is replaced in its column: in
/// the table and in the stated assignment.
fn still_true(text: &str, (original, made): (&Table, &Released), (from, to): (&str, &str)) -> bool {
    // Ages can be written in the same way.
    let other = |row: &Vec<Option<String>>| {
        let mut row = row.clone();
        row[1] = row[1].take().map(|cell| if cell == from { to.to_owned() } else { cell });
        row
    };
    let rows: Vec<Vec<Option<String>>> = made.table.rows().iter().map(other).collect();
    let mut hint: BTreeMap<_, u64> = BTreeMap::new();
    for row in &rows {
        let source = original.rows()[original_row(row)].clone();
        // The verifier has columns in the order of the policy's names.
        let swapped = |row: &[Option<String>]| vec![row[2].clone(), row[1].clone()];
        *hint.entry((swapped(&source), Some(swapped(row)))).or_default() += 1;
    }
    let hint: Vec<Entry> = hint.into_iter().map(|((source, shown), n)| (source, n, shown)).collect();
    let policy = Policy::parse(text).unwrap();
    let columns = ["id", "value", "age"].map(String::from).to_vec();
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

fn check(text: &str, (column, rows, most): (Column, &[Row], usize), (original, made): (&Table, &Released)) {
    let (mut lost, mut shown) = (0.0, BTreeMap::<String, BTreeSet<Option<&str>>>::new());
    let leaves = column.leaves(rows);
    for (cells, members) in classes(made) {
        let values: BTreeSet<Option<&str>> = members.iter().map(|&row| rows[row].0).collect();
        let cell = cells[0].as_deref();
        assert_eq!(cell, column.expected(&values, (&leaves, most)).as_deref(), "{text}{values:?}");
        let covered = column.covered(cell, &leaves);
        assert!(values.is_subset(&covered), "{values:?} {cell:?}");
        lost += (members.len() * (covered.len() - 1)) as f64 / (leaves.len() - 1).max(1) as f64;
        if let Some(cell) = cell.filter(|cell| column.shows(cell)) {
            shown.entry(cell.to_owned()).or_default().extend(values);
        }
    }
    // The verifier counted the same: it accepts no other loss.
    let stated = made.certificate.release.loss_by_column["lm"]["value"];
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
    for (cell, values) in shown.into_iter().take(3) {
        assert!(still_true(text, (original, made), (&cell, &cell)));
        for other in column.forged() {
            let holds = values.is_subset(&column.covered(Some(other), &leaves));
            let found = still_true(text, (original, made), (&cell, other));
            assert_eq!(found, holds, "{text}{other} for {cell}, which is {values:?}");
        }
    }
}

fn columns_with_rows() -> impl Strategy<Value = (Column, Vec<Row>)> {
    let column =
        prop::sample::select(vec![Column::Towns, Column::Towns, Column::Doses, Column::Doses, Column::Codes]);
    column.prop_flat_map(|column| (Just(column), rows(column)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn long_sets_become_the_least_label_above_them_or_an_interval(
        (column, rows) in columns_with_rows(),
        (k, most) in (2..7usize, 1..4usize),
        loss in prop::sample::select(vec!["lm", "prec", "entropy"]),
    ) {
        let original = table(&rows);
        let mut able = BTreeSet::new();
        // Methods that write no sets, or promise less than k rows per class, refuse the policy.
        for algorithm in Algorithm::keys_with(|entry| entry.forms_regions && !entry.small_tables) {
            let text = policy(column, (algorithm, loss), (k, most));
            if let Some(made) = release(&text, &original) {
                check(&text, (column, &rows, most), (&original, &made));
                able.insert(algorithm);
            }
        }
        prop_assert!(able.len() >= 3 && able.contains("mondrian"), "{:?}", able);
    }

    /// People of a population match what is in place of a set; the verifier counts them by itself.
    #[test]
    fn people_match_what_is_in_place_of_sets(
        (column, people) in columns_with_rows(),
        (k, most) in (1..4usize, 1..4usize),
        algorithm in prop::sample::select(vec!["mondrian", "k-similar"]),
    ) {
        let rows = &people[..people.len() / 2];
        let text = policy(column, (algorithm, "lm"), (k, most));
        let text = format!("{text}privacy.models = [{{ k_map = {{ k = 5, population = \"p.csv\" }} }}]\n");
        let (original, everybody) = (table(rows), table(&people));
        // The whole table matches all of its people.
        let made = release_from_population(&text, &original, &everybody, &load, &Watch::none()).unwrap();
        let leaves = column.leaves(&people);
        for (cells, members) in classes(&made) {
            let values: BTreeSet<Option<&str>> = members.iter().map(|&row| rows[row].0).collect();
            prop_assert_eq!(&cells[0], &column.expected(&values, (&leaves, most)));
        }
    }
}
