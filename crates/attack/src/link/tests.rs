//! Links against brute force and against people who are known.

use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::cover::Missing;
use crate::cover::covers;
use crate::sample::generator;

fn table(columns: &[(&str, Vec<String>)]) -> Coded {
    let cell = |text: &String| if text.is_empty() { None } else { Some(text.clone()) };
    let column = |(name, cells): &(&str, Vec<String>)| {
        let cells: Vec<Option<String>> = cells.iter().map(cell).collect();
        Column::new(name, cells.iter().map(|cell| cell.as_deref()))
    };
    Coded::new(columns.iter().map(column).collect())
}

fn linked(release: &Coded, external: &Coded, on: usize, truth: bool) -> Linkage {
    let on: Vec<(String, String)> =
        (0..on).map(|at| (release.columns[at].name.clone(), external.columns[at].name.clone())).collect();
    let hierarchies = vec![None; on.len()];
    let request = Request {
        release,
        external,
        on: &on,
        hierarchies: &hierarchies,
        truth,
        threshold: 0.9,
        seed: 1,
        explained: 5,
    };
    link(&request, &Watch::none()).unwrap()
}

/// The page of a linkage: of a table without errors, or of one whose cells are all alike.
pub(super) fn linked_page(defended: bool) -> String {
    let (mut release, external) = people(200, false);
    if defended {
        for column in &mut release.columns[..3] {
            *column = Column::new(&column.name, column.codes.iter().map(|_| Some("*")));
        }
    }
    page(&linked(&release, &external, 4, true), "a<b>", "0.1.0")
}

/// People with names, dates of birth and towns; and errors in the release.
fn people(count: usize, errors: bool) -> (Coded, Coded) {
    let names = ["anderson", "baker", "carter", "dalton", "ellis", "fletcher", "gardner", "hudson", "irving"];
    let mut draw = generator(7, 1);
    let mut rows: Vec<[String; 5]> = Vec::new();
    for id in 0..count {
        let name = format!(
            "{}{}",
            names[draw.random_range(0..names.len())],
            names[draw.random_range(0..names.len())]
        );
        let born = format!(
            "{}-{:02}-{:02}",
            draw.random_range(1930..2000),
            draw.random_range(1..13),
            draw.random_range(1..29)
        );
        let town = format!("town{}", draw.random_range(0..20));
        let sex = if draw.random_range(0..2) == 0 { "F" } else { "M" };
        rows.push([name, born, town, sex.to_owned(), id.to_string()]);
    }
    let column = |rows: &[[String; 5]], at: usize| rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>();
    let make = |rows: &[[String; 5]]| {
        table(&[
            ("name", column(rows, 0)),
            ("born", column(rows, 1)),
            ("town", column(rows, 2)),
            ("sex", column(rows, 3)),
            ("id", column(rows, 4)),
        ])
    };
    let external = make(&rows);
    // The release has the first half in another order, some with a typing error.
    let mut release: Vec<[String; 5]> = rows[..count / 2].iter().rev().cloned().collect();
    if errors {
        for (at, row) in release.iter_mut().enumerate() {
            // One of three names and, apart from that, one of five dates.
            if at % 3 == 0 {
                row[0].insert(3, 'x');
            }
            if at % 5 == 0 {
                row[1].replace_range(8..10, "30");
            }
        }
    }
    (make(&release), external)
}

#[test]
fn a_table_without_errors_is_linked_exactly() {
    let (release, external) = people(2000, false);
    let found = linked(&release, &external, 4, true);
    assert_eq!((found.exact_join.links, found.exact_join.correct), (1000, Some(1000)));
    assert_eq!((found.links, found.correct, found.wrong, found.unresolved), (1000, Some(1000), Some(0), 0));
    assert!((found.expected.value - 1000.0).abs() < 10.0, "{:?}", found.expected);
    assert_eq!(found.strongest.len(), 5);
    assert!(found.strongest[0].agreement.iter().all(|column| column.level == "same"));
}

/// Every released row has one best guess, and the expected number of right ones is within the
/// ranges.
#[test]
fn guesses_are_counted_by_their_probability() {
    let (release, external) = people(400, true);
    let sexes = release.columns[3].clone();
    // Many rows with few tuples: counts of rows are not those of tuples.
    let few = Coded::new(vec![sexes, release.columns[2].clone()]);
    let others = Coded::new(vec![external.columns[3].clone(), external.columns[2].clone()]);
    for found in [linked(&release, &external, 4, true), linked(&few, &others, 2, false)] {
        assert_eq!(found.guesses.iter().map(|bin| bin.rows).sum::<u64>(), found.rows.released);
        let sum =
            |of: fn(&Guesses) -> f64| found.guesses.iter().map(|bin| of(bin) * bin.rows as f64).sum::<f64>();
        let (low, high) = (sum(|bin| bin.from), sum(|bin| bin.to));
        assert!(
            low <= found.expected.value && found.expected.value <= high,
            "{low} {high} {:?}",
            found.expected
        );
    }
}

#[test]
fn errors_are_bridged_by_weights() {
    let (release, external) = people(2000, true);
    let found = linked(&release, &external, 4, true);
    let exact = found.exact_join.links;
    assert!(exact < 600, "{exact} exact links");
    let (links, correct) = (found.links, found.correct.unwrap());
    assert!(correct > 900 && links - correct < 10, "{links} links, {correct} correct");
    assert!((found.expected.value - correct as f64).abs() < 40.0, "{:?} beside {correct}", found.expected);
    // m follows the errors: a third of the names and of the dates are not the same.
    let name = &found.model.columns[0];
    assert!(name.estimated);
    let same = name.levels.iter().find(|level| level.level == "same").unwrap();
    assert!((same.m - 0.67).abs() < 0.05, "{}", same.m);
    // u of a column of two values is one half.
    let sex = found.model.columns[3].levels.iter().find(|level| level.level == "same").unwrap();
    assert!((sex.u - 0.5).abs() < 0.02);
}

#[test]
fn a_generalized_table_is_not_linked() {
    let (release, external) = people(2000, false);
    let general = |at: usize, cell: &dyn Fn(&str) -> String| -> Vec<String> {
        let column = &release.columns[at];
        (0..release.rows).map(|row| cell(column.cell(row).unwrap())).collect()
    };
    let decade = |born: &str| format!("[{}0, {}0)", &born[..3], born[..3].parse::<u32>().unwrap() + 1);
    let defended = table(&[
        ("born", general(1, &decade)),
        ("town", general(2, &|_| "*".to_owned())),
        ("sex", general(3, &str::to_owned)),
        ("id", general(4, &str::to_owned)),
    ]);
    let outside = Coded::new([1, 2, 3, 4].map(|at| external.columns[at].clone()).to_vec());
    let found = linked(&defended, &outside, 3, true);
    assert_eq!((found.links, found.exact_join.links), (0, 0));
    assert_eq!(found.unresolved, 1000);
    // Fourteen groups of a hundred and more people: about one right guess per group.
    assert!(found.expected.value < 30.0, "{:?}", found.expected);
}

#[test]
fn bad_requests_are_refused() {
    let one = table(&[("a", vec!["x".into()])]);
    let other = table(&[("a", vec!["y".into()])]);
    let none = table(&[("a", vec![])]);
    let on = [("a".to_owned(), "a".to_owned())];
    let run = |release: &Coded, external: &Coded, on: &[(String, String)], threshold: f64| {
        let hierarchies = vec![None; on.len()];
        let request = Request {
            release,
            external,
            on,
            hierarchies: &hierarchies,
            truth: false,
            threshold,
            seed: 1,
            explained: 0,
        };
        link(&request, &Watch::none()).unwrap_err().faults()[0].code
    };
    assert_eq!(run(&one, &none, &on, 0.9), "attack.no-rows");
    assert_eq!(run(&one, &other, &on, 0.9), "attack.no-common-values");
    assert_eq!(run(&one, &one, &on, 0.4), "attack.threshold");
    assert_eq!(run(&one, &one, &[], 0.9), "attack.number-of-columns");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The exact join by all pairs of rows, and results that know no order of rows.
    #[test]
    fn the_exact_join_is_that_of_all_pairs(
        external in prop::collection::vec([0..6u32, 0..4u32], 1..25),
        release in prop::collection::vec([0..9u32, 0..5u32], 1..20),
    ) {
        // Cells 6 to 8 are intervals, and 4 is anything.
        let first = |x: u32| match x {
            6 => "[0, 2]".to_owned(),
            7 => "[3, 5]".to_owned(),
            8 => "{1, 4}".to_owned(),
            x => x.to_string(),
        };
        let second = |x: u32| if x == 4 { "*".to_owned() } else { x.to_string() };
        let rows = |release: &[[u32; 2]]| table(&[
            ("a", release.iter().map(|row| first(row[0])).collect()),
            ("b", release.iter().map(|row| second(row[1])).collect()),
        ]);
        let outside = rows(&external);
        let released = rows(&release);
        let all: Vec<Vec<_>> = (0..2)
            .map(|at| covers(&released.columns[at], &outside.columns[at], None, Missing::Unknown))
            .collect();
        let fits = |row: usize, other: usize| (0..2).all(|at| {
            all[at][released.columns[at].codes[row] as usize].runs.has(outside.columns[at].codes[other])
        });
        let alone: Vec<Option<usize>> = (0..release.len())
            .map(|row| {
                let mut found = (0..external.len()).filter(|&other| fits(row, other));
                let first = found.next();
                first.filter(|_| found.next().is_none())
            })
            .collect();
        let links = alone.iter().flatten().filter(|id| alone.iter().flatten().filter(|other| other == id).count() == 1).count();
        let shared = |at: usize| all[at].iter().any(|covered| !covered.anything && covered.share > 0.0);
        prop_assume!(alone.iter().any(Option::is_some) && shared(0) && shared(1));
        let found = linked(&released, &outside, 2, false);
        prop_assert_eq!(found.exact_join.links as usize, links);
        prop_assert_eq!(found.links + found.unresolved, release.len() as u64);
        prop_assert!(found.expected.value <= release.len() as f64 + 1e-9);
        let (mut backward, mut others) = (release.clone(), external.clone());
        backward.reverse();
        others.reverse();
        let again = linked(&rows(&backward), &rows(&others), 2, false);
        prop_assert_eq!(again.links, found.links);
        prop_assert_eq!(again.expected, found.expected);
        prop_assert_eq!(again.model, found.model);
    }
}
