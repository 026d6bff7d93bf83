//! Argus against the definitions, counted row by row on labels, and the figures that Sweeney
//! prints.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::classes::Classes;
use crate::hierarchy::{Hierarchy, Path};
use crate::lattice::{Lattice, Limits};
use crate::recoding::RowCounter;
use crate::table::Code;

/// A table of texts with its hierarchies; an empty text is missing.
#[derive(Debug)]
pub(super) struct Table {
    names: Vec<String>,
    hierarchies: Vec<Hierarchy>,
    classes: Classes,
    lattice: Lattice,
    rows: Vec<Vec<Code>>,
}

impl Table {
    pub(super) fn new(names: &[&str], rows: &[Vec<String>], levels: &[fn(&str) -> Vec<String>]) -> Table {
        let mut hierarchies = Vec::new();
        for (column, labels) in levels.iter().enumerate() {
            let mut values: Vec<&str> = rows.iter().map(|row| row[column].as_str()).collect();
            values.sort_unstable();
            values.dedup();
            let present = values.iter().filter(|v| !v.is_empty());
            let paths = present.map(|v| Path { leaf: (*v).to_owned(), labels: labels(v) }).collect();
            hierarchies.push(Hierarchy::of_height(paths, 2, values.contains(&"")).unwrap());
        }
        let leaf = |column: usize, text: &String| {
            hierarchies[column].leaf(Some(text.as_str()).filter(|t| !t.is_empty())).unwrap()
        };
        let rows: Vec<Vec<Code>> =
            rows.iter().map(|row| row.iter().enumerate().map(|(c, t)| leaf(c, t)).collect()).collect();
        let limit = |(name, h): (&&str, &Hierarchy)| Limits {
            name: (*name).to_owned(),
            height: h.height(),
            min: None,
            max: None,
        };
        let limits: Vec<Limits> = names.iter().zip(&hierarchies).map(limit).collect();
        Table {
            names: names.iter().map(|n| (*n).to_owned()).collect(),
            lattice: Lattice::new(&limits, &[]).unwrap(),
            classes: Classes::of_rows(names.len(), rows.clone()).unwrap(),
            hierarchies,
            rows,
        }
    }

    pub(super) fn subject(&self) -> Subject<'_> {
        Subject {
            names: &self.names,
            hierarchies: &self.hierarchies,
            classes: &self.classes,
            lattice: &self.lattice,
        }
    }

    /// Every row as it is written, in the order of the rows.
    fn written(&self, argus: &Argus<'_>) -> Vec<Vec<Option<String>>> {
        let maps: Vec<Vec<Code>> =
            self.hierarchies.iter().map(|h| (0..h.leaf_count() as Code).collect()).collect();
        let recoding = argus.recoding(&maps);
        let width = self.hierarchies.len();
        let mut codes: Vec<Vec<Code>> =
            (0..width).map(|c| self.rows.iter().map(|row| row[c]).collect()).collect();
        assert!(recoding.recode(&mut codes, &[], &mut RowCounter::default()).is_none());
        let label = |r: usize, c: usize| recoding.columns[c].labels[codes[c][r] as usize].clone();
        (0..self.rows.len()).map(|r| (0..width).map(|c| label(r, c)).collect()).collect()
    }
}

fn policy(names: &[&str], k: u64, more: &str, weight: impl Fn(usize) -> Option<u8>) -> Policy {
    let column = |(i, name): (usize, &&str)| {
        let weight = weight(i).map_or(String::new(), |w| format!("identifying = {w}\n"));
        format!("[columns.{name}]\nrole = \"quasi\"\n{weight}")
    };
    let columns: String = names.iter().enumerate().map(column).collect();
    let text = format!("version = 1\n[input]\npath = \"t.csv\"\n{columns}[privacy]\nk = {k}\n{more}\n");
    Policy::parse(&text).unwrap()
}

fn lists(masks: &[u64]) -> Vec<Vec<usize>> {
    masks.iter().map(|&mask| shown::columns(mask).collect()).collect()
}

/// The twelve patients of figure 28, with years of birth as in figure 30 one level up.
fn patients() -> Table {
    let rows = [
        ("Black", "1965-09-20", "m", "02141"),
        ("Black", "1965-02-14", "m", "02141"),
        ("Black", "1965-10-23", "f", "02138"),
        ("Black", "1965-08-24", "f", "02138"),
        ("Black", "1964-11-07", "f", "02138"),
        ("Black", "1964-12-01", "f", "02138"),
        ("Caucasian", "1964-10-23", "m", "02138"),
        ("Caucasian", "1965-03-15", "f", "02139"),
        ("Caucasian", "1964-08-13", "m", "02139"),
        ("Caucasian", "1964-05-05", "m", "02139"),
        ("Caucasian", "1967-02-13", "m", "02138"),
        ("Caucasian", "1967-03-21", "m", "02138"),
    ];
    let rows: Vec<Vec<String>> =
        rows.iter().map(|(e, b, s, z)| [e, b, s, z].map(|t| (*t).to_owned()).to_vec()).collect();
    let none: fn(&str) -> Vec<String> = |_| Vec::new();
    let year: fn(&str) -> Vec<String> = |date| vec![date[..4].to_owned()];
    let zip: fn(&str) -> Vec<String> = |zip| vec![format!("{}*", &zip[..4])];
    Table::new(&["ethnicity", "birth", "sex", "zip"], &rows, &[none, year, none, zip])
}

const ALL_PAIRS_BUT_ONE: &str = r#"[argus]
combinations = [["ethnicity", "birth"], ["ethnicity", "sex"], ["ethnicity", "zip"], ["birth", "sex"], ["birth", "zip"]]"#;

fn blanks(rows: &[Vec<Option<String>>]) -> Vec<(usize, usize)> {
    let of_row = |(r, row): (usize, &Vec<Option<String>>)| {
        let empty: Vec<usize> = (0..row.len()).filter(|&c| row[c].is_none()).collect();
        empty.into_iter().map(move |c| (r + 1, c)).collect::<Vec<_>>()
    };
    rows.iter().enumerate().flat_map(of_row).collect()
}

#[test]
fn figure_30_is_what_its_author_prints() {
    let table = patients();
    let names = ["ethnicity", "birth", "sex", "zip"];
    let mut argus = Argus::new(&policy(&names, 2, ALL_PAIRS_BUT_ONE, |_| None), table.subject()).unwrap();
    assert_eq!(argus.generalize("birth", None).unwrap(), 1);
    assert_eq!(argus.suppress().unwrap(), 2);
    let written = table.written(&argus);
    assert_eq!(blanks(&written), [(8, 0), (8, 1)]);
    let row = |r: usize| written[r - 1].iter().map(|c| c.as_deref().unwrap_or("")).collect::<Vec<_>>();
    assert_eq!(row(8), ["", "", "f", "02139"]);
    assert_eq!(row(7), ["Caucasian", "1964", "m", "02138"]);
    assert_eq!(row(1), ["Black", "1965", "m", "02141"]);
    let verdict = argus.verdict().unwrap();
    assert!(verdict.safe && !verdict.k_anonymity.holds);
    // Row 7 is alone whatever a blank is; row 8 agrees with nobody either.
    assert_eq!(verdict.k_anonymity.blank_is_a_value, Side { holds: false, smallest: 1, rows: 2 });
    assert_eq!(verdict.k_anonymity.blank_is_anything, Side { holds: false, smallest: 1, rows: 2 });
    // (12 · 1/2 for births, one of them suppressed, which costs another 1/2, and 1 for the
    // suppressed ethnicity) / 48.
    assert!((verdict.loss - (12.0 * 0.5 + 0.5 + 1.0) / 48.0).abs() < 1e-12);
}

#[test]
fn with_sex_and_zip_tested_too_other_cells_go() {
    let table = patients();
    let names = ["ethnicity", "birth", "sex", "zip"];
    // Sweeney's weights without the SSN, which nobody releases: more, more, more and just
    // identifying.
    let weights = |column: usize| Some(if column == 0 { 1 } else { 2 });
    let mut argus = Argus::new(&policy(&names, 2, "", weights), table.subject()).unwrap();
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(|p| p.to_vec());
    let singles = [0, 1, 2, 3].map(|c| vec![c]);
    assert_eq!(lists(&argus.tested), [&singles[..], &pairs[..]].concat());
    argus.generalize("birth", Some(1)).unwrap();
    assert_eq!(argus.suppress().unwrap(), 2);
    // Two cells are the fewest, in two ways of equal use; the first columns decide.
    assert_eq!(blanks(&table.written(&argus)), [(8, 0), (8, 3)]);
    let verdict = argus.verdict().unwrap();
    assert!(verdict.safe && !verdict.k_anonymity.holds);
    assert_eq!(verdict.k_anonymity.blank_is_a_value.rows, 2);
    // The woman born in 1965 could now be any of the three; the man born in 1964 is still alone.
    assert_eq!(verdict.k_anonymity.blank_is_anything, Side { holds: false, smallest: 1, rows: 1 });
}

/// The weights of the text with the SSN, 3: twelve numbers are unique and go, and break the tie.
#[test]
fn with_the_number_as_most_identifying_birth_and_sex_go() {
    let patients = patients();
    let label = |r: usize, c: usize| patients.hierarchies[c].leaf_value(patients.rows[r][c]).unwrap();
    let row = |r: usize| {
        let number = std::iter::once(format!("number {r}"));
        number.chain((0..4).map(|c| label(r, c).to_owned())).collect::<Vec<_>>()
    };
    let none: fn(&str) -> Vec<String> = |_| Vec::new();
    let year: fn(&str) -> Vec<String> = |date| vec![date[..4].to_owned()];
    let rows: Vec<Vec<String>> = (0..12).map(row).collect();
    let names = ["ssn", "ethnicity", "birth", "sex", "zip"];
    let table = Table::new(&names, &rows, &[none, none, year, none, none]);
    let weights = |column: usize| Some([3, 1, 2, 2, 2][column]);
    let mut argus = Argus::new(&policy(&names, 2, "", weights), table.subject()).unwrap();
    argus.generalize("birth", Some(1)).unwrap();
    assert_eq!(argus.suppress().unwrap(), 14);
    let blanked: Vec<usize> =
        blanks(&table.written(&argus)).into_iter().filter(|b| b.0 == 8).map(|b| b.1).collect();
    assert_eq!(blanked, [0, 2, 3], "number, birth and sex");
}

#[test]
fn weights_say_what_is_tested() {
    let names = ["a", "b", "c", "d"].map(String::from);
    let of = |weights: [u8; 4], more: &str| {
        let policy = policy(&["a", "b", "c", "d"], 2, more, |c| Some(weights[c]));
        tested(&policy, &names).map(|masks| lists(&masks)).map_err(|e| e.to_string())
    };
    assert_eq!(of([1, 1, 0, 0], ""), Ok(vec![vec![0], vec![1]]));
    assert_eq!(of([2, 1, 0, 1], ""), Ok(vec![vec![0], vec![1], vec![3], vec![0, 1], vec![0, 3]]));
    assert_eq!(
        of([3, 2, 1, 0], ""),
        Ok(vec![vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2], vec![0, 1, 2]])
    );
    // Two columns are more identifying and none is most: no triple.
    assert_eq!(of([2, 2, 1, 0], "").unwrap().len(), 3 + 3);
    assert_eq!(of([3, 3, 3, 3], "[argus]\nsize = 4").unwrap().len(), 15);
    assert_eq!(of([3, 3, 3, 3], "[argus]\nsize = 2").unwrap().len(), 10);
    assert!(of([0, 0, 0, 0], "").unwrap_err().contains("no column is identifying"));
    // Without weights, everything is tested.
    let all = tested(&policy(&["a", "b", "c", "d"], 2, "", |_| None), &names).unwrap();
    assert_eq!(all.len(), 4 + 6 + 4);
    let wide: Vec<String> = (0..30).map(|i| format!("c{i}")).collect();
    let refs: Vec<&str> = wide.iter().map(String::as_str).collect();
    let error = tested(&policy(&refs, 2, "", |_| None), &wide).unwrap_err().to_string();
    assert!(error.contains("argus.size: more than 1000 combinations"), "{error}");
}

#[test]
fn steps_are_taken_back_and_mistakes_told() {
    let table = patients();
    let names = ["ethnicity", "birth", "sex", "zip"];
    let mut argus = Argus::new(&policy(&names, 2, "", |_| None), table.subject()).unwrap();
    let before = argus.verdict().unwrap();
    argus.generalize("birth", None).unwrap();
    argus.suppress().unwrap();
    assert!(argus.verdict().unwrap().suppressed > 0 && argus.verdict().unwrap().safe);
    argus.undo().unwrap();
    assert_eq!((argus.verdict().unwrap().suppressed, argus.verdict().unwrap().columns[1].level), (0, 1));
    argus.undo().unwrap();
    assert_eq!(argus.verdict().unwrap(), before);
    assert!(argus.undo().unwrap_err().to_string().contains("nothing to undo"));
    let says = |line: &str| argus.command(line).unwrap_err().to_string();
    assert!(says("generalise birth").contains("did you mean `generalize`?"));
    assert!(says("g brith").contains("did you mean `birth`?"));
    assert!(says("g birth high").contains("`high` is not a level"));
    assert!(says("g").contains("needs a column"));
    assert!(says("suppress all").contains("takes no argument"));
    assert_eq!(argus.command("g birth 2").unwrap(), Some(Command::Generalize("birth".into(), Some(2))));
    assert_eq!(argus.command(" # a remark").unwrap(), None);
    assert_eq!(argus.command("2").unwrap(), Some(Command::Take(2)));
    assert_eq!(argus.command("w a b.csv").unwrap(), Some(Command::Write(Some("a b.csv".into()))));
    let high = argus.generalize("birth", Some(3)).unwrap_err().to_string();
    assert!(high.contains("the highest is 2"), "{high}");
    let same = argus.generalize("birth", Some(0)).unwrap_err().to_string();
    assert!(same.contains("at level 0 already"), "{same}");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let table = patients();
    let with = |more: &str| {
        let text = policy(&["ethnicity", "birth", "sex", "zip"], 2, "", |_| None).to_toml().unwrap();
        let text = text.replace("k = 2\n", more);
        let policy = Policy::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        Argus::new(&policy, table.subject()).map(|_| ()).map_err(|e| e.to_string())
    };
    assert!(with("k = 2\n").is_ok());
    assert!(
        with("[privacy.quasi.all]\ncolumns = [\"ethnicity\", \"birth\", \"sex\", \"zip\"]\nk = 2\n")
            .unwrap_err()
            .contains("there is no k")
    );
    let text =
        policy(&["ethnicity", "birth", "sex", "zip"], 2, "[search]\nlinked = [[\"sex\", \"zip\"]]", |_| None);
    assert!(Argus::new(&text, table.subject()).unwrap_err().to_string().contains("search.linked"));
}

#[test]
fn suggestions_are_what_would_happen() {
    let table = patients();
    let names = ["ethnicity", "birth", "sex", "zip"];
    let new = || Argus::new(&policy(&names, 2, "", |_| None), table.subject()).unwrap();
    let suggestions = new().suggestions().unwrap();
    assert_eq!(suggestions.len(), 4);
    assert!(suggestions.windows(2).all(|w| w[0].outlook.loss <= w[1].outlook.loss));
    assert_eq!(suggestions[0].column, "birth");
    for s in &suggestions {
        let mut argus = new();
        assert_eq!(argus.generalize(&s.column, None).unwrap(), s.level);
        assert_eq!(argus.verdict().unwrap().tested.iter().map(|t| t.rare).sum::<u64>(), s.outlook.rare);
        assert_eq!(argus.outlook().unwrap(), s.outlook);
        assert_eq!(argus.suppress().unwrap(), s.outlook.cells);
        assert_eq!(argus.verdict().unwrap().loss, s.outlook.loss);
        assert_eq!(argus.outlook().unwrap(), Outlook { rare: 0, cells: 0, loss: s.outlook.loss });
    }
    let mut done = new();
    done.suppress().unwrap();
    assert!(done.suggestions().unwrap().is_empty());
}

type Rows = Vec<Vec<Option<String>>>;

/// Combination of columns → values, all there → rows.
fn counted(rows: &Rows, columns: &[usize]) -> BTreeMap<Vec<String>, u64> {
    let mut counts = BTreeMap::new();
    for row in rows {
        if let Some(values) = columns.iter().map(|&c| row[c].clone()).collect::<Option<Vec<_>>>() {
            *counts.entry(values).or_default() += 1;
        }
    }
    counts
}

fn agree(a: &[Option<String>], b: &[Option<String>], blank_is_anything: bool) -> bool {
    let cell = |(a, b): (&Option<String>, &Option<String>)| {
        a == b || (blank_is_anything && (a.is_none() || b.is_none()))
    };
    a.iter().zip(b).all(cell)
}

fn naive_side(rows: &Rows, k: u64, blank_is_anything: bool) -> Side {
    let size = |row: &Vec<Option<String>>| {
        rows.iter().filter(|other| agree(row, other, blank_is_anything)).count() as u64
    };
    let sizes: Vec<u64> = rows.iter().map(size).collect();
    let below = sizes.iter().filter(|&&s| s < k).count() as u64;
    Side { holds: below == 0, smallest: sizes.iter().copied().min().unwrap_or(0), rows: below }
}

/// The cells that one row would lose in a round, by trying every choice.
fn naive_choice(rows: &Rows, row: &[Option<String>], tested: &[Vec<usize>], k: u64) -> Vec<usize> {
    let mut rare: Vec<&Vec<usize>> = Vec::new();
    let mut scores = vec![0u64; row.len()];
    for columns in tested {
        for (values, _) in counted(rows, columns).iter().filter(|(_, n)| **n < k) {
            let cells = || columns.iter().zip(values);
            if cells().all(|(&c, v)| row[c].as_ref() == Some(v)) {
                rare.push(columns);
            }
            cells().filter(|(c, v)| row[**c].as_ref() == Some(*v)).for_each(|(&c, _)| scores[c] += 1);
        }
    }
    let choices = (0..1usize << row.len()).map(|bits| (0..row.len()).filter(move |c| bits >> c & 1 == 1));
    let choices = choices.map(|c| c.collect::<Vec<usize>>());
    let hits = |choice: &Vec<usize>| rare.iter().all(|set| set.iter().any(|c| choice.contains(c)));
    let score = |choice: &Vec<usize>| choice.iter().map(|&c| scores[c]).sum::<u64>();
    choices.filter(hits).min_by_key(|c| (c.len(), std::cmp::Reverse(score(c)), c.clone())).unwrap()
}

fn suppressed_naively(mut rows: Rows, tested: &[Vec<usize>], k: u64) -> Rows {
    loop {
        let choices: Vec<Vec<usize>> = rows.iter().map(|row| naive_choice(&rows, row, tested, k)).collect();
        if choices.iter().all(Vec::is_empty) {
            return rows;
        }
        for (row, choice) in rows.iter_mut().zip(choices) {
            choice.into_iter().for_each(|c| row[c] = None);
        }
    }
}

prop_compose! {
    fn instance()(
        rows in prop::collection::vec(prop::collection::vec(0u8..6, 4), 1..24),
        weights in prop::collection::vec(0u8..4, 4),
        k in 1u64..5,
        raised in prop::collection::vec(any::<bool>(), 4),
    ) -> (Table, Vec<u8>, u64, Vec<bool>) {
        // The last of six values is missing; two by two share a label above.
        let text = |v: &u8| if *v == 5 { String::new() } else { v.to_string() };
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(text).collect()).collect();
        let half: fn(&str) -> Vec<String> = |v| vec![format!("h{}", v.parse::<u8>().unwrap() / 2)];
        (Table::new(&["a", "b", "c", "d"], &rows, &[half; 4]), weights, k, raised)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn everything_is_as_defined((table, mut weights, k, raised) in instance()) {
        weights[0] = weights[0].max(1);
        let policy = policy(&["a", "b", "c", "d"], k, "", |c| Some(weights[c]));
        let mut argus = Argus::new(&policy, table.subject()).unwrap();
        for column in (0..4).filter(|&c| raised[c]) {
            argus.generalize(&table.names[column], None).unwrap();
        }
        let tested = lists(&argus.tested);
        let before = table.written(&argus);
        check_verdict(&argus.verdict().unwrap(), &before, &tested, k)?;
        let cells = argus.suppress().unwrap();
        let after = table.written(&argus);
        // Row by row what trying every choice gives, round after round.
        prop_assert_eq!(&after, &suppressed_naively(before.clone(), &tested, k));
        let absent = |rows: &Rows| rows.iter().flatten().filter(|c| c.is_none()).count() as u64;
        prop_assert_eq!(cells, absent(&after) - absent(&before));
        let verdict = argus.verdict().unwrap();
        prop_assert!(verdict.safe);
        prop_assert_eq!(verdict.suppressed, cells);
        check_verdict(&verdict, &after, &tested, k)?;
    }
}

fn check_verdict(
    verdict: &Verdict,
    rows: &Rows,
    tested: &[Vec<usize>],
    k: u64,
) -> std::result::Result<(), TestCaseError> {
    prop_assert_eq!(verdict.tested.len(), tested.len());
    for (facts, columns) in verdict.tested.iter().zip(tested) {
        let counts = counted(rows, columns);
        let rare: Vec<u64> = counts.values().copied().filter(|&n| n < k).collect();
        prop_assert_eq!(facts.rare, rare.len() as u64);
        prop_assert_eq!(facts.rows, rare.iter().sum::<u64>());
        prop_assert_eq!(facts.safe, rare.is_empty());
    }
    prop_assert_eq!(&verdict.k_anonymity.blank_is_a_value, &naive_side(rows, k, false));
    prop_assert_eq!(&verdict.k_anonymity.blank_is_anything, &naive_side(rows, k, true));
    prop_assert_eq!(verdict.k_anonymity.holds, verdict.k_anonymity.blank_is_a_value.holds);
    Ok(())
}

#[test]
fn every_look_at_the_table_can_be_stopped() {
    let table = patients();
    let names = ["ethnicity", "birth", "sex", "zip"];
    let argus = Argus::new(&policy(&names, 2, ALL_PAIRS_BUT_ONE, |_| None), table.subject()).unwrap();
    let watch = Watch::none();
    let mut argus = argus.watched(&watch);
    assert!(argus.suggestions().is_ok_and(|suggestions| !suggestions.is_empty()));
    watch.cancel().finish();
    assert!(argus.suppress().unwrap_err().is_cancelled());
    assert!(argus.verdict().unwrap_err().is_cancelled());
    assert!(argus.values(1).unwrap_err().is_cancelled());
    assert!(argus.outlook().unwrap_err().is_cancelled());
    assert!(argus.suggestions().unwrap_err().is_cancelled());
    assert!(argus.steps().is_empty(), "a step that was stopped is not taken");
}
