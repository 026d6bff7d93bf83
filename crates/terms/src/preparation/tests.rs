use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::error::Error;
use crate::policy::Policy;
use crate::release::PreparationFacts;
use crate::rows::{Rows, Table};
use crate::watch::Watch;

type Cell = Option<String>;

/// A table; the first line has its columns, `-` is a missing cell.
fn table(lines: &[&str]) -> Table {
    let cells = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
    let row = |line: &&str| cells(line).into_iter().map(|cell| Some(cell).filter(|c| c != "-")).collect();
    Table::new(cells(lines[0]), lines[1..].iter().map(row).collect()).unwrap()
}

fn input(text: &str) -> Input {
    let policy = format!(
        "version = 1\n[columns.a]\nrole = \"quasi\"\n[privacy]\nk = 2\n[input]\npath = \"t.csv\"\n{text}\n"
    );
    Policy::parse(&policy).unwrap_or_else(|e| panic!("{text}: {e:?}")).input
}

/// A preparation over tables of these columns.
fn bound(text: &str, columns: &[String], files: &[&Table]) -> Result<Preparation> {
    let input = input(text);
    let mut files = files.iter();
    let joined = input.join.iter();
    let joined = joined.map(|join| JoinedFile::read(*files.next().unwrap(), join, &Watch::none()));
    let joined = joined.collect::<Result<Vec<_>>>()?;
    let present = input.prepare.iter().filter_map(|step| step.present_in.as_ref());
    let keyed = present.map(|present| KeyedFile::read(*files.next().unwrap(), present, &Watch::none()));
    let keyed = keyed.collect::<Result<Vec<_>>>()?;
    Preparation::new(&input, columns, joined, keyed)
}

/// The rows of some columns, as lines, and what was counted.
fn prepared(text: &str, of: &Table, files: &[&Table]) -> Result<(Vec<String>, PreparationFacts)> {
    let preparation = bound(text, of.columns(), files)?;
    let prepared = PreparedTable::new(of, &preparation);
    let rows = read(&prepared)?;
    let line =
        |row: &Vec<Cell>| row.iter().map(|c| c.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(",");
    let header = prepared.columns().join(",");
    let lines = std::iter::once(header).chain(rows.iter().map(line)).collect();
    Ok((lines, prepared.preparation().unwrap().clone()))
}

fn read(table: &dyn Rows) -> Result<Vec<Vec<Cell>>> {
    let columns: Vec<usize> = (0..table.columns().len()).collect();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    table.read(&columns, &Watch::none(), &mut |batch| {
        let before = rows.len();
        rows.resize(before + batch.rows(), Vec::new());
        for &column in &columns {
            let mut at = before;
            batch.each(column, &mut |cell| {
                rows[at].push(cell.map(String::from));
                at += 1;
            });
        }
        Ok(())
    })?;
    Ok(rows)
}

fn fails(text: &str, of: &Table, files: &[&Table]) -> Error {
    prepared(text, of, files).map(|found| found.0).expect_err(text)
}

fn people() -> Table {
    table(&["id,age,state", "1,17,MA", "2,42,MA", "3,-,MA", "4,old,MA", "5,50,NH"])
}

#[test]
fn only_eligible_rows_are_left() {
    let (lines, facts) = prepared("where = \"age >= 18 AND state = 'MA'\"", &people(), &[]).unwrap();
    assert_eq!(lines, ["id,age,state", "2,42,MA"]);
    assert_eq!((facts.read, facts.eligible, facts.rows), (5, 1, 1));
    assert_eq!(facts.condition.as_deref(), Some("age >= 18 AND state = 'MA'"));
    assert_eq!(facts.unreadable, BTreeMap::from([("age".to_owned(), 1)]));
    let error = fails("where = \"age > 99\"", &people(), &[]);
    assert_eq!(
        (error.faults()[0].code, error.faults()[0].place.key.as_deref()),
        ("prepare.no-row-left", Some("input.where"))
    );
    let error = fails("where = \"agee > 99\"", &people(), &[]);
    assert_eq!(error.faults()[0].code, "predicate.no-such-column");
    assert_eq!(error.faults()[0].place.key.as_deref(), Some("input.where"));
}

#[test]
fn pairs_of_columns_become_lists() {
    let wide = table(&[
        "id,dx1,n1,dx2,n2,dx3,n3,dx9",
        "1,427.89,10,031,2,-,-,x",
        "2,401,1,401,2,250,1,x",
        "3,-,-,-,-,-,-,x",
        "4,401,0,250,1.0,-,0,x",
    ]);
    let pairs = "pairs = [{ column = \"codes\", names = \"dx{n}\", counts = \"n{n}\" }]";
    let (lines, facts) = prepared(pairs, &wide, &[]).unwrap();
    // Columns are numbered without a gap.
    assert_eq!(lines, ["id,dx9,codes", "1,x,427.89:10; 031:2", "2,x,401:3; 250", "3,x,-", "4,x,250"]);
    assert_eq!((facts.read, facts.rows), (4, 4));
    let twice = table(&["dx01,dx02", "b,a", "a,a"]);
    let (lines, _) = prepared("pairs = [{ column = \"codes\", names = \"dx{nn}\" }]", &twice, &[]).unwrap();
    assert_eq!(lines, ["codes", "b; a", "a:2"]);
}

#[test]
fn pairs_that_are_none_are_refused() {
    let pairs = "pairs = [{ column = \"codes\", names = \"d{n}\", counts = \"n{n}\" }]";
    for (cells, code) in [
        ("a,-", "prepare.half-a-pair"),
        ("-,2", "prepare.half-a-pair"),
        ("a,1.5", "prepare.not-a-count"),
        ("a,-1", "prepare.not-a-count"),
        ("a,many", "prepare.not-a-count"),
        ("a;b,1", "prepare.not-a-code"),
        ("a:3,1", "prepare.not-a-code"),
    ] {
        let error = fails(pairs, &table(&["d1,n1", cells]), &[]);
        assert!(error.has_code(code), "{cells}: {error:?}");
    }
    let error = fails(pairs, &table(&["d1,d2,n1", "a,b,1"]), &[]);
    assert!(error.has_code("prepare.uneven-pairs"), "{error:?}");
    assert!(fails(pairs, &table(&["e1,n1", "a,1"]), &[]).has_code("prepare.no-such-pairs"));
    let known = "pairs = [{ column = \"id\", names = \"d{n}\" }]";
    assert!(fails(known, &table(&["id,d1", "1,a"]), &[]).has_code("prepare.column-exists"));
}

const JOIN: &str = "[[input.join]]\npath = \"dx.csv\"\nkey = \"id\"\nfile_key = \"patient\"\n\
                    codes = \"code\"\ncolumn = \"codes\"\n";

#[test]
fn rows_of_a_file_become_lists() {
    let visits = table(&["patient,code", "2,401", "1,250", "2,250", "2,401", "5,250", "3,-", "1,V10"]);
    let (lines, facts) = prepared(JOIN, &people(), &[&visits]).unwrap();
    assert_eq!(
        lines,
        [
            "id,age,state,codes",
            "1,17,MA,250; V10",
            "2,42,MA,401:2; 250",
            "3,-,MA,-",
            "4,old,MA,-",
            "5,50,NH,250"
        ]
    );
    let join = &facts.joined[0];
    assert_eq!((join.rows, join.keys, join.unmatched_rows, join.empty), (7, 4, 0, 2));
    // Not being eligible does not make a person nobody.
    let text = format!("where = \"state = 'NH'\"\n{JOIN}");
    let (lines, facts) = prepared(&text, &people(), &[&visits]).unwrap();
    assert_eq!(lines, ["id,age,state,codes", "5,50,NH,250"]);
    assert_eq!((facts.joined[0].unmatched_rows, facts.joined[0].empty), (0, 0));
}

#[test]
fn rows_that_belong_to_nobody_are_refused_or_dropped() {
    let visits = table(&["patient,code", "1,a", "77,b", "77,c", "-,d"]);
    let error = fails(JOIN, &people(), &[&visits]);
    assert_eq!(error.faults()[0].code, "prepare.unmatched-rows");
    assert_eq!(error.faults()[0].message, "3 rows with 1 keys belong to no row of the table");
    let drop = format!("{JOIN}unmatched = \"drop\"\n");
    let (lines, facts) = prepared(&drop, &people(), &[&visits]).unwrap();
    assert_eq!(lines[1], "1,17,MA,a");
    assert_eq!((facts.joined[0].unmatched_rows, facts.joined[0].unmatched_keys), (3, 1));
    let twice = table(&["id,age", "1,2", "1,3", "4,4"]);
    let error = fails(JOIN, &twice, &[&table(&["patient,code", "1,a"])]);
    assert_eq!(error.faults()[0].code, "prepare.key-not-unique");
    assert!(!error.to_string().contains('3'), "{error}");
}

#[test]
fn counts_of_a_file_are_added_up() {
    let visits = table(&["patient,code,n", "1,a,2", "1,b,7", "1,a,4", "2,c,0", "2,d,-"]);
    let text = format!("{JOIN}counts = \"n\"\n");
    let (lines, _) = prepared(&text, &people(), &[&visits]).unwrap();
    assert_eq!(lines[1..3], ["1,17,MA,b:7; a:6", "2,42,MA,-"]);
    let wrong = table(&["patient,code,n", "1,a,x"]);
    assert!(fails(&text, &people(), &[&wrong]).has_code("prepare.not-a-count"));
    let error = fails(JOIN, &people(), &[&table(&["patients,code", "1,a"])]);
    assert_eq!(error.faults()[0].help.as_deref(), Some("did you mean `patients`?"));
}

#[test]
fn steps_follow_each_other_and_count() {
    let of = table(&[
        "id,age,born,in,out,race,race_full,country",
        "1,0,1920-01-01,2003-01-01,2003-01-05,1,WHITE,US",
        "2,95,1908-01-01,2003-01-01,2003-01-05,2,BLACK,US",
        "3,30,1973-01-01,2003-01-09,2003-01-05,1,WHITE,US",
        "4,130,1873-01-01,2003-01-01,2003-01-05,2,BLACK,US",
        "5,-,1960-01-01,2003-01-01,2003-01-05,-,-,US",
    ]);
    let text = r#"
prepare = [
    { drop_rows = "CAST(out AS DATE) < \"in\"" },
    { clear = { columns = ["age"], where = "age = 0 AND born < DATE '2000-01-01' OR age > 120" } },
    { cap = { column = "age", from = 90, label = "90+" } },
    { redundant = { column = "race_full", of = "race" } },
    { redundant = { column = "country" } },
    { present_in = { path = "demo_04.csv", key = "id" } },
]"#;
    let later = table(&["id", "1", "2", "3", "5"]);
    let (lines, facts) = prepared(text, &of, &[&later]).unwrap();
    assert_eq!(
        lines,
        [
            "id,age,born,in,out,race",
            "1,-,1920-01-01,2003-01-01,2003-01-05,1",
            "2,90+,1908-01-01,2003-01-01,2003-01-05,2",
            "5,-,1960-01-01,2003-01-01,2003-01-05,-",
        ]
    );
    let counts: Vec<(u64, u64)> = facts.steps.iter().map(|step| (step.rows, step.cells)).collect();
    assert_eq!(counts, [(1, 0), (2, 2), (1, 1), (0, 0), (0, 0), (1, 0)]);
    assert_eq!((facts.read, facts.eligible, facts.rows), (5, 5, 3));
    assert_eq!(facts.steps[2].step, "cap age: from 90 on 90+");
}

#[test]
fn what_is_not_redundant_is_refused() {
    let of = table(&["a,b", "1,x", "1,y", "2,x", "-,x", "-,-"]);
    let error = fails("prepare = [{ redundant = { column = \"b\", of = \"a\" } }]", &of, &[]);
    assert_eq!(error.faults()[0].code, "prepare.not-redundant");
    assert!(error.faults()[0].arguments.contains(&("values", "2".to_owned())), "{error:?}");
    assert!(
        fails("prepare = [{ redundant = { column = \"a\" } }]", &of, &[]).has_code("prepare.not-redundant")
    );
    // A step cannot look at a column that an earlier one removed.
    let gone = "prepare = [{ redundant = { column = \"a\", of = \"b\" } }, { drop_rows = \"a = '1'\" }]";
    assert!(fails(gone, &of, &[]).has_code("predicate.no-such-column"));
}

#[test]
fn lists_are_cut_to_their_most_frequent_pairs() {
    let of = table(&["codes", "a; b:3; c:3; d", "x:2", "-", "b; a"]);
    let text = "prepare = [{ cut = { column = \"codes\", most = 2 } }]";
    let (lines, facts) = prepared(text, &of, &[]).unwrap();
    assert_eq!(lines, ["codes", "b:3; c:3", "x:2", "-", "b; a"]);
    assert_eq!((facts.steps[0].rows, facts.steps[0].cells), (1, 1));
    let one = text.replace("most = 2", "most = 1");
    assert_eq!(prepared(&one, &of, &[]).unwrap().0, ["codes", "b:3", "x:2", "-", "a"]);
    assert!(fails(text, &table(&["codes", "a;;b"]), &[]).has_code("prepare.not-a-list"));
}

#[test]
fn policies_are_checked_without_a_table() {
    let check = |text: &str| {
        let policy = format!(
            "version = 1\n[columns.a]\nrole = \"quasi\"\n[privacy]\nk = 2\n[input]\npath = \"t.csv\"\n{text}\n"
        );
        let error = Policy::parse(&policy).expect_err(text);
        let fault = error.faults()[0].clone();
        (fault.code, fault.place.key.unwrap_or_default())
    };
    let pairs = |rest: &str| format!("pairs = [{{ column = \"c\", {rest} }}]");
    let step = |step: &str| format!("prepare = [{{ {step} }}]");
    let cases = [
        ("where = \"age >=\"".to_owned(), "predicate.unexpected-word", "input.where"),
        ("where = \"\"".to_owned(), "predicate.empty", "input.where"),
        (pairs("names = \"dx\""), "prepare.no-number-in-pattern", "input.pairs.0.names"),
        (
            pairs("names = \"dx{n}\", counts = \"{m}\""),
            "prepare.no-number-in-pattern",
            "input.pairs.0.counts",
        ),
        (step(""), "prepare.not-one-action", "input.prepare.0"),
        (
            step("drop_rows = \"TRUE\", cap = { column = \"a\", from = 1, label = \"x\" }"),
            "prepare.not-one-action",
            "input.prepare.0",
        ),
        (step("drop_rows = \"count(*) > 1\""), "predicate.aggregate", "input.prepare.0.drop_rows"),
        (
            step("clear = { columns = [], where = \"TRUE\" }"),
            "prepare.no-columns",
            "input.prepare.0.clear.columns",
        ),
        (step("cut = { column = \"a\", most = 0 }"), "prepare.cut-to-nothing", "input.prepare.0.cut.most"),
        (
            step("cap = { column = \"a\", from = inf, label = \"x\" }"),
            "prepare.not-a-limit",
            "input.prepare.0.cap.from",
        ),
        (
            step("redundant = { column = \"a\", of = \"a\" }"),
            "prepare.redundant-of-itself",
            "input.prepare.0.redundant.of",
        ),
        (
            "join = [{ path = \"\", key = \"a\", codes = \"c\", column = \"d\" }]".to_owned(),
            "policy.no-input-path",
            "input.join.0.path",
        ),
        (
            "join = [{ path = \"x.csv\", key = \"a\", codes = \"c\", column = \"d\" },\n\
             { path = \"y.csv\", key = \"a\", codes = \"c\", column = \"d\" }]"
                .to_owned(),
            "prepare.new-column-twice",
            "input.join.1.column",
        ),
    ];
    for (text, code, key) in cases {
        assert_eq!(check(&text), (code, key.to_owned()), "{text}");
    }
}

#[test]
fn sampled_tables_are_prepared_row_by_row() {
    let policy = |rest: &str| {
        Policy::parse(&format!(
            "version = 1\n[columns.a]\nrole = \"quasi\"\nmin_level = 1\nmax_level = 1\n\
             hierarchy = {{ intervals = {{ widths = [20], low = 0, high = 100 }} }}\n\
             [privacy]\nmodels = [{{ differential_privacy = {{ epsilon = 1, delta = 1e-6, key_env = \"K\" }} }}]\n\
             [input]\npath = \"t.csv\"\n{rest}\n"
        ))
    };
    policy("where = \"a = '1'\"\nprepare = [{ drop_rows = \"a = '2'\" }]").unwrap();
    for rest in [
        "join = [{ path = \"x.csv\", key = \"a\", codes = \"c\", column = \"d\" }]",
        "prepare = [{ redundant = { column = \"b\" } }]",
        "prepare = [{ present_in = { path = \"x.csv\", key = \"a\" } }]",
    ] {
        assert!(policy(rest).expect_err(rest).has_code("prepare.not-by-row"), "{rest}");
    }
}

/// A column of a batch.
struct Part<'a>(&'a [Vec<Cell>], usize);

impl CellSource for Part<'_> {
    fn get(&self, row: usize) -> Option<&str> {
        self.0[row][self.1].as_deref()
    }
}

proptest! {
    /// Parts of a table, on several threads, give the counts of the whole.
    #[test]
    fn counts_do_not_depend_on_batches_or_threads(
        rows in prop::collection::vec((0u8..6, 0u8..4), 1..60),
        visits in prop::collection::vec((0u8..60, 0u8..3), 0..40),
        part in 1usize..20,
    ) {
        let cell = |value: u8| (value > 0).then(|| value.to_string());
        let rows: Vec<Vec<Cell>> = rows
            .iter()
            .enumerate()
            .map(|(id, &(a, b))| vec![Some(id.to_string()), cell(a), cell(b)])
            .collect();
        let columns: Vec<String> = ["id", "a", "b"].map(String::from).to_vec();
        let files = Table::new(columns.clone(), rows.clone()).unwrap();
        let visits: Vec<Vec<Cell>> =
            visits.iter().map(|&(id, code)| vec![Some(id.to_string()), cell(code)]).collect();
        let visits = Table::new(["patient", "code"].map(String::from).to_vec(), visits).unwrap();
        let text = format!(
            "where = \"a < 4 OR a IS NULL\"\n\
             prepare = [{{ drop_rows = \"b = 2\" }}, {{ clear = {{ columns = [\"b\"], where = \"a = 3\" }} }}]\n\
             {JOIN}unmatched = \"drop\"\n"
        );
        let preparation = bound(&text, &columns, &[&visits]).unwrap();
        let whole = PreparedTable::new(&files, &preparation);
        let all = read(&whole);
        let run = preparation.run();
        std::thread::scope(|scope| {
            for rows in rows.chunks(part) {
                let run = &run;
                scope.spawn(move || {
                    let cells: Vec<Part<'_>> = (0..3).map(|column| Part(rows, column)).collect();
                    let cells: Vec<Option<&dyn CellSource>> =
                        cells.iter().map(|cells| Some(cells as &dyn CellSource)).collect();
                    run.apply(rows.len(), &cells).unwrap();
                });
            }
        });
        let parts = run.finish();
        // By definition.
        let eligible = |row: &&Vec<Cell>| row[1].as_deref().is_none_or(|a| a < "4");
        let left: Vec<&Vec<Cell>> =
            rows.iter().filter(eligible).filter(|row| row[2].as_deref() != Some("2")).collect();
        if left.is_empty() {
            prop_assert!(parts.unwrap_err().has_code("prepare.no-row-left"));
            return Ok(());
        }
        let facts = parts.unwrap();
        prop_assert_eq!(facts.eligible, rows.iter().filter(eligible).count() as u64);
        prop_assert_eq!(facts.rows, left.len() as u64);
        prop_assert_eq!(Some(&facts), whole.preparation());
        let all = all.unwrap();
        prop_assert_eq!(all.len(), left.len());
        for (found, row) in all.iter().zip(left) {
            let cleared = row[1].as_deref() == Some("3");
            prop_assert_eq!(&found[..2], &row[..2]);
            prop_assert_eq!(&found[2], if cleared { &None } else { &row[2] });
            let mut counts = BTreeMap::new();
            for visit in visits.rows().iter().filter(|visit| visit[0] == row[0]) {
                if let Some(code) = &visit[1] {
                    *counts.entry(code.clone()).or_insert(0) += 1;
                }
            }
            let read = found[3].as_deref().map(|text| list::read(text).unwrap()).unwrap_or_default();
            prop_assert_eq!(read.into_iter().collect::<BTreeMap<_, _>>(), counts);
        }
    }
}
