//! Releases by regions: random regions of random tables become cells; every cell is compared with
//! the rows behind it by its meaning, every loss with a second definition, and the verifier must
//! accept exactly what is true.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use throng::cell::Cell;
use throng::classes::Flags;
use throng::hierarchy::build;
use throng::loss::Price;
use throng::policy::{LossParameters, Policy};
use throng::recode::region::Share;
use throng::recode::{Regional, axes, made};
use throng::recoding::{Contents, Recoding, RowCounter};
use throng::registry::LossKind;
use throng::release::{
    Certificate, Claim, FileFacts, PolicyFacts, RegionFacts, Release, Risks, RowRisk, SearchFacts,
};
use throng::rows::{self, ContentKey};
use throng::search::{Grouped, Problem};
use throng::space::Space;
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::verify::{Inputs, Original, Verdict, verify};
use throng::watch::Watch;

use crate::assigned::{Entry, Stated};

/// Labels nest; "north" stands at two levels, and a leaf has the name of its label.
const ZIP: &str = "n1;north;north\nn2;north;north\nx;x;north\ns1;south;south\nsouth;south;south\n";
/// The kinds, in an order that is not that of their texts.
const KINDS: [&str; 4] = ["C, D", "B", " e", "A"];
const COLUMNS: [&str; 6] = ["age", "kind", "pay", "zip", "note", "target"];

/// Age is an interval, kind a set or a range, pay a mean or a median, zip a label; then a column
/// that is kept and one with labels.
#[derive(Debug, Clone)]
struct Table {
    rows: Vec<[Option<&'static str>; 6]>,
    median: bool,
    suppress: bool,
    max_level: bool,
    min_level: bool,
    /// Whether kinds stay as they are.
    kinds: bool,
    /// Whether kinds are ranges of an order.
    ranges: bool,
}

impl Table {
    fn policy(&self) -> String {
        let pay = if self.median { "median" } else { "mean" };
        let missing = if self.suppress { "suppress" } else { "value" };
        let least = if self.min_level { "columns.zip.min_level = 1\n" } else { "" };
        let most = if self.max_level { "columns.zip.max_level = 2\n" } else { "" };
        let kinds = if self.kinds { "columns.kind.max_level = 0\n" } else { "" };
        let order = format!("columns.kind.hierarchy = {{ order = {{ values = {KINDS:?} }} }}\n");
        let order = if self.ranges { order.as_str() } else { "" };
        format!(
            "version = 1\ninput.path = \"x.csv\"\ninput.missing = \"{missing}\"\n{least}{most}{kinds}{order}columns.age.role = \"quasi\"\n\
             columns.kind.role = \"quasi\"\ncolumns.pay.role = \"quasi\"\ncolumns.pay.form = \"{pay}\"\n\
             columns.zip.role = \"quasi\"\ncolumns.zip.hierarchy = {{ file = \"zip.csv\" }}\ncolumns.note.role = \"keep\"\n\
             columns.target.role = \"target\"\nprivacy.k = 1\nprivacy.suppression = 1.0\nsearch.algorithm = \"mondrian\"\n\
             search.loss = \"lm\"\n"
        )
    }

    fn grouped(&self) -> Grouped {
        let order = [0, 1, 2, 3, 5];
        let mut dictionaries = vec![Dictionary::new(); 5];
        let mut tuples = Tuples::new(5);
        for row in &self.rows {
            let codes = order.iter().zip(&mut dictionaries).map(|(&c, d)| d.add(row[c], 1));
            tuples.insert(&codes.collect::<Vec<_>>(), 1);
        }
        let names = COLUMNS[..4].iter().map(|n| (*n).to_owned()).collect();
        Grouped { names, measured: vec!["target".into()], dictionaries, tuples, population: None }
    }
}

fn table() -> impl Strategy<Value = Table> {
    let cell = |values: &'static [&'static str]| prop_oneof![9 => prop::sample::select(values).prop_map(Some), 1 => Just(None)];
    let row = (
        cell(&["7", "20", "20.0", "35", "-1.5", "100"]),
        cell(&KINDS),
        cell(&["1", "2", "4", "10", "10.50"]),
        cell(&["n1", "n2", "x", "s1", "south"]),
        cell(&["p", "q"]),
        cell(&["yes", "no"]),
    );
    let rows = prop::collection::vec(row, 1..24);
    (rows, any::<[bool; 6]>()).prop_map(|(rows, [median, suppress, max_level, min_level, kinds, ranges])| {
        Table {
            rows: rows.into_iter().map(|(a, b, c, d, e, f)| [a, b, c, d, e, f]).collect(),
            median,
            suppress,
            max_level,
            min_level,
            kinds,
            ranges,
        }
    })
}

fn load(_: &str) -> throng::error::Result<String> {
    Ok(ZIP.into())
}

/// Everything that a release is, made as the engine does.
struct Made {
    text: String,
    certificate: Certificate,
    /// Released rows in the order of the table, and the place of each there.
    rows: Vec<(usize, Vec<Option<String>>)>,
    /// The hint for the verifier: source cells, rows, released cells.
    hint: Hint,
}

/// Puts points into regions by a seed: whole, or each part of its rows by itself.
fn shares(problem: &Problem, suppress: bool, seed: &[u8], parted: bool) -> Vec<Share> {
    let mut shares: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut at = 0;
    let mut next = || {
        at += 1;
        u32::from(seed[(at - 1) % seed.len()]) % 4
    };
    for class in 0..problem.classes.len() {
        let missing = |c: usize| problem.hierarchies[c].missing() == Some(problem.classes.code(class, c));
        if suppress && (0..4).any(missing) {
            continue;
        }
        let whole = next();
        // Nothing that the limit keeps apart may meet.
        let zip = problem.classes.code(class, 3);
        let kind =
            problem.hierarchies[1].generalize(problem.classes.code(class, 1), problem.lattice.range(1).1);
        let branch = (problem.hierarchies[3].generalize(zip, problem.lattice.range(3).1) * 8 + kind) * 4;
        for _ in 0..problem.classes.counts()[class] {
            let region = branch + if parted { next() } else { whole };
            *shares.entry((class as u32, region)).or_default() += 1;
        }
    }
    let used: BTreeSet<u32> = shares.keys().map(|k| k.1).collect();
    let number = |region: u32| used.iter().position(|&u| u == region).unwrap() as u32;
    shares.into_iter().map(|((point, region), rows)| Share { point, region: number(region), rows }).collect()
}

fn release(table: &Table, seed: &[u8], parted: bool) -> Made {
    let text = table.policy();
    let policy = Policy::parse(&text).unwrap();
    let (problem, maps) = Problem::new(&policy, table.grouped(), &load).unwrap();
    let ground = problem.ground();
    let space = Space::new(&problem.classes, axes(&policy, &ground).unwrap());
    let regional = made(&ground, &space, shares(&problem, table.suppress, seed, parted)).unwrap();
    let labels: Vec<_> = regional.recoded.columns().iter().map(|c| c.labels.clone()).collect();
    let mut recoding = Recoding::new(&problem.names, &maps, &regional.recoded);
    let grouped = table.grouped();
    let code = |row: &[Option<&str>; 6], c: usize| grouped.dictionaries[c].get(row[c]).unwrap();
    let mut codes: Vec<Vec<u32>> =
        (0..4).map(|c| table.rows.iter().map(|row| code(row, c)).collect()).collect();
    let keys: Vec<u64> = table.rows.iter().map(|row| content(&row[4..])).collect();
    assert_eq!(recoding.divides(), divided(&regional), "a tuple in several regions");
    let mut contents = Contents::new(4);
    contents.add(&codes, &keys);
    recoding.divide_by(&contents).unwrap();
    let kept = recoding.recode(&mut codes, &keys, &mut RowCounter::default());
    let kept = kept.unwrap_or_else(|| (0..table.rows.len() as u32).collect());
    let mut rows: Vec<(usize, Vec<Option<String>>)> = Vec::new();
    for at in kept.into_iter().map(|at| at as usize) {
        let cells = codes.iter().zip(&labels).map(|(codes, labels)| labels[codes[at] as usize].clone());
        let others = table.rows[at][4..].iter().map(|cell| cell.map(String::from));
        rows.push((at, cells.chain(others).collect()));
    }
    assert_eq!(table.rows.len() as u64 - recoding.suppressed_rows(), rows.len() as u64);
    let star = Some("*".to_owned());
    let blank = rows.iter().filter(|(_, row)| row[..4].iter().all(|cell| *cell == star)).count();
    let certificate = certificate(table, &text, &problem, &regional, (rows.len() as u64, blank as u64));
    Made { text, certificate, rows, hint: hint(&problem, &regional) }
}

/// The number of what a row keeps.
fn content(cells: &[Option<&str>]) -> u64 {
    let mut key = ContentKey::default();
    cells.iter().for_each(|cell| key.cell(*cell));
    key.finish()
}

/// Whether a tuple is in several classes of the release, one after the other.
fn divided(regional: &Regional) -> bool {
    let base = regional.recoded.base();
    let tuple = |class: usize| (0..4).map(|c| base.code(class, c)).collect::<Vec<_>>();
    (1..base.len()).any(|class| tuple(class) == tuple(class - 1))
}

type Hint = Vec<Entry>;

fn hint(problem: &Problem, regional: &Regional) -> Hint {
    let base = regional.recoded.base();
    let entry = |class: usize| {
        let text = |c: usize| problem.hierarchies[c].leaf_value(base.code(class, c)).map(String::from);
        let label = |c: usize| regional.recoded.label(class, c).map(String::from);
        let released = (!regional.recoded.suppresses(class)).then(|| (0..4).map(label).collect());
        ((0..4).map(text).collect(), u64::from(base.counts()[class]), released)
    };
    (0..base.len()).map(entry).collect()
}

/// From the rows of the released classes; of the risk before, only the rows are looked at by the
/// judge.
fn risks(rows: u64, classes: &[u32]) -> Risks {
    let released: u64 = classes.iter().map(|&size| u64::from(size)).sum();
    let small: u64 = classes.iter().filter(|&&size| size < 5).map(|&size| u64::from(size)).sum();
    let share = |part: u64| if released == 0 { 0.0 } else { part as f64 / released as f64 };
    let smallest = classes.iter().copied().min().unwrap_or(0);
    let after = RowRisk {
        rows: released,
        classes: classes.len() as u64,
        unique_rows: classes.iter().filter(|&&size| size == 1).count() as u64,
        smallest: u64::from(smallest),
        prosecutor: if smallest == 0 { 0.0 } else { 1.0 / f64::from(smallest) },
        marketer: share(classes.len() as u64),
        at_risk: share(small),
    };
    Risks { threshold: 0.2, before: RowRisk { rows, ..RowRisk::default() }, after }
}

fn certificate(
    table: &Table,
    text: &str,
    problem: &Problem,
    regional: &Regional,
    (written, blank): (u64, u64),
) -> Certificate {
    let price = Price::new(&regional.recoded, &problem.lattice.bottom());
    let value = |kind: LossKind| price.loss(&LossParameters::new(kind), &[1.0; 4]).unwrap();
    let kinds = LossKind::of_tables().filter(|k| !(k.sums_levels() || regional.parted && k.counts_labels()));
    let parts = |kind: LossKind| {
        let parts = price.parts(&LossParameters::new(kind), &[1.0; 4]);
        (kind.to_string(), problem.names.iter().cloned().zip(parts).collect::<BTreeMap<_, _>>())
    };
    let view = regional.released.view();
    let mut flags = Flags::default();
    flags.reset(view.len());
    let claims = problem.models.iter().filter_map(|model| {
        let v = model.verdict(&view, &flags)?;
        Some((
            model.facts().claim.clone(),
            Claim { required: v.required, achieved: v.achieved, holds: v.holds },
        ))
    });
    let rows = table.rows.len() as u64;
    let file = |sha256: &str, rows| FileFacts { path: "x".into(), sha256: sha256.into(), rows };
    let asked = Policy::parse(text).unwrap().search;
    let (algorithm, gap) = (asked.algorithm.to_string(), value(asked.loss.parameters().kind));
    let (optimal, method) = (gap == 0.0, None);
    let search = SearchFacts {
        algorithm,
        method,
        reason: None,
        k: None,
        nodes: 0,
        checked: 0,
        optimal,
        gap,
        seconds: 0.0,
    };
    let release = Release {
        rows,
        released: written - blank,
        suppressed: rows - written + blank,
        people: None,
        withheld: rows - written,
        deleted: None,
        levels: BTreeMap::new(),
        steps: Vec::new(),
        regions: Some(RegionFacts {
            count: regional.shares.iter().map(|share| u64::from(share.region) + 1).max().unwrap_or(0),
            forms: problem.names.iter().cloned().zip(regional.forms.iter().copied()).collect(),
            parted: regional.parted,
        }),
        preparation: None,
        population: None,
        notions: None,
        utility: BTreeMap::new(),
        predicted: BTreeMap::new(),
        model: None,
        risk: Some(risks(rows, view.counts())),
        text: BTreeMap::new(),
        sampling: None,
        loss: kinds.map(|kind| (kind.to_string(), value(kind))).collect(),
        loss_by_column: LossKind::of_tables().map(parts).filter(|(_, parts)| !parts.is_empty()).collect(),
        privacy: claims.collect(),
        search,
        input: file("in", rows),
        output: file("out", written),
        policy: PolicyFacts { sha256: Policy::digest(text) },
        template: None,
        ledger: None,
        files: BTreeMap::new(),
        seed: 0,
        version: "0".into(),
    };
    let columns = COLUMNS.iter().map(|c| (*c).to_owned()).collect();
    Certificate::new(release, columns, view.len() as u64).unwrap()
}

/// The original, from the last row to the first: their order does not matter.
fn original(table: &Table) -> rows::Table {
    let columns = COLUMNS.iter().map(|c| (*c).to_owned()).collect();
    let row = |row: &[Option<&str>; 6]| row.iter().map(|cell| cell.map(String::from)).collect();
    rows::Table::new(columns, table.rows.iter().rev().map(row).collect()).unwrap().identified_by("in")
}

fn judge(table: &Table, made: &Made) -> Verdict {
    let policy = Policy::parse(&made.text).unwrap();
    let columns: Vec<String> = COLUMNS.iter().map(|c| (*c).to_owned()).collect();
    let released = made.rows.iter().rev().map(|(_, row)| row.clone()).collect();
    verify(&Inputs {
        policy: &policy,
        policy_sha256: &Policy::digest(&made.text),
        certificate: &made.certificate,
        files: None,
        release: &rows::Table::new(columns, released).unwrap().identified_by("out"),
        original: Some(Original {
            rows: &original(table),
            assignment: Some(&Stated(&made.hint)),
            secret: None,
            counted: None,
            notes: None,
        }),
        population: None,
        build: &|name, values| build(&policy.columns[name].hierarchy(), values, &load),
        watch: &Watch::none(),
    })
    .unwrap()
}

/// Whether a cell is true of a value, by what it says; labels by the file.
fn true_of(column: usize, cell: Option<&str>, value: Option<&str>) -> bool {
    match (column, cell, value) {
        (_, cell, value) if cell == value => true,
        (_, Some("*"), _) => true,
        (3, Some(label), Some(value)) => {
            let line = ZIP.lines().find(|line| line.starts_with(&format!("{value};"))).unwrap();
            line.split(';').any(|part| part == label)
        }
        // Whether it is the right number is looked at with all of its class.
        (2, Some(number), Some(_)) => number.parse::<f64>().is_ok(),
        (_, Some(cell), Some(value)) => match Cell::parse(cell) {
            Cell::Range(first, last) => {
                let place = |kind: &str| KINDS.iter().position(|k| *k == kind).unwrap();
                (place(&first)..=place(&last)).contains(&place(value))
            }
            cell => cell.covers(value),
        },
        _ => false,
    }
}

fn told(verdict: &Verdict) -> String {
    let wrong = verdict.claims.iter().filter(|(_, f)| !f.holds);
    wrong.map(|(claim, f)| format!("{claim}: {}", f.found)).collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn cells_are_true_of_their_rows_and_the_judge_agrees(
        table in table(),
        seed in prop::collection::vec(any::<u8>(), 8),
        parted: bool,
    ) {
        let made = release(&table, &seed, parted);
        for (at, row) in &made.rows {
            for (column, cell) in row[..4].iter().enumerate() {
                let (cell, value) = (cell.as_deref(), table.rows[*at][column]);
                prop_assert!(true_of(column, cell, value), "{:?} for {:?}", cell, value);
            }
        }
        let verdict = judge(&table, &made);
        prop_assert!(verdict.holds(), "{}\n{:?}", told(&verdict), made.rows);
        // The files of the policy are not at hand here.
        let unchecked: Vec<&str> = verdict.unchecked().filter(|claim| *claim != "files").collect();
        prop_assert!(unchecked.is_empty(), "{:?}", unchecked);
    }

    #[test]
    fn the_judge_finds_what_was_changed(
        table in table(),
        seed in prop::collection::vec(any::<u8>(), 8),
        (at, column, kind) in (any::<prop::sample::Index>(), 0usize..6, 0usize..3),
        other in prop::sample::select(vec!["7", "[0, 1000]", "{A, B}", "*", "5.00", "north", "q", "no"]),
    ) {
        let mut made = release(&table, &seed, false);
        if made.rows.is_empty() {
            return Ok(());
        }
        let at = at.index(made.rows.len());
        let before = made.rows.clone();
        match kind {
            0 => made.rows[at].1[column] = Some(other.into()),
            1 => {
                let last = made.rows.len() - 1;
                let cell = made.rows[last].1[column].clone();
                made.rows[last].1[column] = made.rows[at].1[column].clone();
                made.rows[at].1[column] = cell;
            }
            // Somebody says that all rows of a point were suppressed.
            _ => {
                let at = at % made.hint.len();
                made.hint[at].2 = None;
            }
        }
        let cells = |rows: &[(usize, Vec<Option<String>>)]| {
            let mut cells: Vec<_> = rows.iter().map(|r| r.1.clone()).collect();
            cells.sort();
            cells
        };
        let held = made.hint.iter().filter(|h| h.2.is_none()).map(|h| h.1).sum::<u64>();
        let same = cells(&before) == cells(&made.rows) && held == made.certificate.release.withheld;
        prop_assert_eq!(judge(&table, &made).holds(), same);
    }
}

/// A forger releases another cell in a whole class, and gives the verifier a matching hint.
fn forge(made: &mut Made, class: &[Option<String>], column: usize, cell: &str) {
    let other = |row: &mut [Option<String>]| {
        if row[..4] == *class {
            row[column] = Some(cell.into());
        }
    };
    made.rows.iter_mut().for_each(|(_, row)| other(row));
    made.hint.iter_mut().filter_map(|(_, _, cells)| cells.as_mut()).for_each(|cells| other(cells));
}

proptest! {
    #[test]
    fn a_cell_that_is_not_true_or_not_allowed_is_found_though_all_else_agrees(
        table in table(),
        seed in prop::collection::vec(any::<u8>(), 8),
        (at, column) in (any::<prop::sample::Index>(), 0usize..4),
    ) {
        let mut made = release(&table, &seed, false);
        if made.rows.is_empty() {
            return Ok(());
        }
        let at = at.index(made.rows.len());
        let (row, class) = (made.rows[at].0, made.rows[at].1[..4].to_vec());
        // No value is after the last; ends are in their order.
        let kind = if table.ranges { "A - B" } else { "{Z, Y}" };
        forge(&mut made, &class, column, ["[1000, 2000]", kind, "777.00", "nowhere"][column]);
        prop_assert!(!judge(&table, &made).claims["cells"].holds);
        let mut made = release(&table, &seed, false);
        if let (true, 1, Some(value)) = (table.ranges, column, table.rows[row][1]) {
            // True of all others, and not of this one.
            let cell = if value == "A" || value == " e" { "\"C, D\" - B" } else { "\" e\" - A" };
            forge(&mut made, &class, column, cell);
            prop_assert!(!judge(&table, &made).claims["cells"].holds);
        }

        // True of everything, but above the highest level.
        let mut made = release(&table, &seed, false);
        let class = made.rows[at].1[..4].to_vec();
        forge(&mut made, &class, 3, "*");
        prop_assert_eq!(judge(&table, &made).claims["cells"].holds, !table.max_level || class[3].as_deref() == Some("*"));

        let mut made = release(&table, &seed, false);
        forge(&mut made, &class, 1, "*");
        prop_assert_eq!(judge(&table, &made).claims["cells"].holds, !table.kinds);

        // The value itself, which is true where all rows have it, and below the least level.
        let mut made = release(&table, &seed, false);
        let alike = made.rows.iter().filter(|r| r.1[..4] == class).all(|r| table.rows[r.0][3] == table.rows[row][3]);
        if let (true, Some(value)) = (alike, table.rows[row][3]) {
            forge(&mut made, &class, 3, value);
            // Some labels are what the value is called, too.
            let label = class[3].as_deref() == Some(value) || value == "x" || value == "south";
            prop_assert_eq!(judge(&table, &made).claims["cells"].holds, !table.min_level || label);
        }
    }
}

#[test]
fn without_being_told_the_judge_says_so() {
    let table = Table {
        rows: vec![[Some("7"), Some("A"), Some("1"), Some("n1"), None, None]; 3],
        median: false,
        suppress: false,
        max_level: false,
        min_level: false,
        kinds: false,
        ranges: false,
    };
    let mut made = release(&table, &[0], false);
    assert!(judge(&table, &made).holds());
    made.hint.clear();
    let verdict = judge(&table, &made);
    assert!(!verdict.claims["truth"].holds);
    assert!(verdict.claims["truth"].found.contains("no assignment"), "{}", verdict.claims["truth"].found);
}
