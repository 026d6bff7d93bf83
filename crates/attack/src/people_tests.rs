//! Attacks on releases with several rows per person: figures against the definition, over all ways
//! in which released rows can be rows of the original.

use proptest::prelude::*;
use throng_terms::cell::Cell;
use throng_terms::watch::Watch;

use crate::attack::{Finding, named, run};
use crate::findings_text;
use crate::owners::Chosen;
use crate::scene::{Roles, Scene, Settings, Tables};
use crate::table::{Coded, Column};

/// A row: person, age, town, diagnosis.
type Row = [String; 4];

const NAMES: [&str; 4] = ["person", "age", "town", "diagnosis"];

fn table(rows: &[Row], columns: &[usize]) -> Coded {
    let column = |&at: &usize| Column::new(NAMES[at], rows.iter().map(|row| Some(&*row[at])));
    Coded::new(columns.iter().map(column).collect())
}

fn roles(k: u64) -> Roles {
    Roles {
        quasi: vec!["age".into(), "town".into()],
        sensitive: vec!["diagnosis".into()],
        subject: Some("person".into()),
        k,
        ..Roles::default()
    }
}

/// Releases with their originals; a release has the cells of its rows, which may show their person.
struct Case {
    release: Vec<Row>,
    original: Vec<Row>,
    other: Option<[Vec<Row>; 2]>,
    shown: bool,
    k: u64,
}

impl Case {
    fn new(release: Vec<Row>, original: Vec<Row>) -> Self {
        Case { release, original, other: None, shown: false, k: 3 }
    }

    fn scene(&self) -> Scene {
        let released: &[usize] = if self.shown { &[0, 1, 2, 3] } else { &[1, 2, 3] };
        let (release, original) = (table(&self.release, released), table(&self.original, &[0, 1, 2, 3]));
        let other = self.other.as_ref().map(|[other, _]| table(other, released));
        let other_original = self.other.as_ref().map(|[_, original]| table(original, &[0, 1, 2, 3]));
        let tables = Tables {
            release: &release,
            other: other.as_ref(),
            original: Some(&original),
            other_original: other_original.as_ref(),
            population: None,
            truth: None,
            facts: &[],
            hierarchies: &[None, None],
        };
        Scene::new(&tables, roles(self.k), Settings::default()).unwrap()
    }

    fn found(&self, attack: &str) -> Vec<Finding> {
        run(named(attack).unwrap(), &self.scene(), &Watch::none()).unwrap()
    }
}

fn row(person: impl std::fmt::Display, age: impl std::fmt::Display, town: &str, value: &str) -> Row {
    [person.to_string(), age.to_string(), town.to_owned(), value.to_owned()]
}

/// Visits: `visits` of each of `people`, who live in towns of `towns` people.
fn visits(people: usize, visits: usize, towns: usize) -> Vec<Row> {
    let of = |at: usize| {
        let (person, visit) = (at / visits, at % visits);
        row(person, 30 + person % 40, &format!("town{}", person / towns), ["flu", "burn"][visit % 2])
    };
    (0..people * visits).map(of).collect()
}

/// The towns alone.
fn by_town(rows: &[Row]) -> Vec<Row> {
    rows.iter().map(|row| [row[0].clone(), "*".into(), row[2].clone(), row[3].clone()]).collect()
}

/// The ages alone, in tens.
fn by_age(rows: &[Row]) -> Vec<Row> {
    let cell = |row: &Row| {
        let low = row[1].parse::<u32>().unwrap() / 10 * 10;
        [row[0].clone(), format!("[{low}, {})", low + 10), "*".into(), row[3].clone()]
    };
    rows.iter().map(cell).collect()
}

/// A case in which rows are at least k and people fewer, and one in which people are k.
fn cases(attack: &str) -> [Case; 2] {
    let alone = visits(60, 4, 1);
    let together = visits(60, 4, 6);
    match attack {
        // Eight rows of two people are left, or sixty rows of fifteen: those with a diagnosis that
        // people of one age have.
        "complementary" => [8, 60].map(|people| {
            let of_town = |town: usize| {
                let mut rows = visits(people, 4, people);
                for row in &mut rows {
                    let person: usize = row[0].parse().unwrap();
                    let group = person * 4 / people;
                    *row = [
                        format!("{town}/{person}"),
                        (30 + 10 * group).to_string(),
                        format!("town{town}"),
                        format!("D{group}"),
                    ];
                }
                rows
            };
            let rows: Vec<Row> = (0..20).flat_map(of_town).collect();
            let mut case = Case::new(by_town(&rows), rows.clone());
            case.other = Some([by_age(&rows), rows]);
            case
        }),
        // One person with four rows joined every town, and one left; or six did.
        "temporal" => [1, 6].map(|changed| {
            let of = |from: usize| -> Vec<Row> {
                let visits = |at: usize| {
                    let (town, person) = (at / 48, from + at % 48 / 4);
                    row(format!("{town}/{person}"), 40, &format!("town{town}"), &format!("D{person}"))
                };
                (0..20 * 48).map(visits).collect()
            };
            let (earlier, later) = (of(0), of(changed));
            let mut case = Case::new(by_town(&later), later);
            case.other = Some([by_town(&earlier), earlier]);
            case
        }),
        // The other release is in the same order.
        "unsorted" => [alone, together].map(|rows| {
            let mut case = Case::new(by_town(&rows), rows.clone());
            case.other = Some([by_town(&rows), rows]);
            case
        }),
        _ => [Case::new(by_town(&alone), alone), Case::new(by_town(&together), together)],
    }
}

const ATTACKS: [&str; 8] = [
    "singling-out",
    "rare",
    "linkability",
    "unsorted",
    "complementary",
    "temporal",
    "membership",
    "differencing",
];

/// Every attack that counts candidates finds people who have k rows for themselves, and nobody who
/// shares them with k people.
#[test]
fn a_person_with_many_rows_is_one_candidate() {
    for attack in ATTACKS {
        for shown in [false, true] {
            let [naive, defended] = cases(attack).map(|case| Case { shown, ..case }.found(attack));
            let hits =
                |found: &[Finding]| found.iter().map(|found| found.success.successes).collect::<Vec<_>>();
            // A membership is claimed for everybody; its control is that of the others alone.
            let succeeds = |found: &Finding| match attack {
                "membership" => found.control.successes < found.success.successes,
                "unsorted" | "singling-out" => found.success.successes > 0,
                _ => found.succeeds(),
            };
            assert!(naive.iter().all(succeeds), "{attack}: {}", findings_text(&naive));
            assert!(
                !defended.iter().any(succeeds),
                "{attack}: {} {:?}",
                findings_text(&defended),
                hits(&defended)
            );
        }
    }
}

/// All ways in which released rows are different rows of the original that they cover, with the
/// same diagnosis; `take` is called with the original row of every released row.
fn ways(release: &[Row], original: &[Row], chosen: &mut Vec<usize>, take: &mut impl FnMut(&[usize])) {
    let Some(next) = release.get(chosen.len()) else { return take(chosen) };
    for (at, row) in original.iter().enumerate() {
        let covers = (1..3).all(|column| Cell::parse(&next[column]).covers(&row[column]));
        if covers && next[3] == row[3] && !chosen.contains(&at) {
            chosen.push(at);
            ways(release, original, chosen, take);
            chosen.pop();
        }
    }
}

/// The people who own some released rows, in one way.
fn owners(rows: &[usize], way: &[usize], original: &[Row]) -> usize {
    let mut people: Vec<&str> = rows.iter().map(|&row| original[way[row]][0].as_str()).collect();
    people.sort_unstable();
    people.dedup();
    people.len()
}

/// Sets of a number of rows with each value, out of some rows.
fn choices<'a>(
    rows: &'a [usize],
    release: &'a [Row],
    wanted: &'a [usize],
) -> impl Iterator<Item = Vec<usize>> + 'a {
    (0..1usize << rows.len()).filter_map(move |bits| {
        let set: Vec<usize> = (0..rows.len()).filter(|at| bits >> at & 1 == 1).map(|at| rows[at]).collect();
        let of = |value: &str| set.iter().filter(|&&row| release[row][3] == value).count();
        (of("a") == wanted[0] && of("b") == wanted[1]).then_some(set)
    })
}

fn cells() -> impl Strategy<Value = (u32, usize, usize, usize)> {
    // Age, the person, the diagnosis, and how its age is released.
    (20..24u32, 0..3usize, 0..2usize, 0..4usize)
}

fn released((age, _, value, form): (u32, usize, usize, usize)) -> Row {
    let cell = match form {
        0 => age.to_string(),
        1 => format!("[{}, {})", age / 2 * 2, age / 2 * 2 + 2),
        2 => "[20, 24)".to_owned(),
        _ => format!("[{}, {})", age, age + 2),
    };
    row("?", cell, "t", ["a", "b"][value])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The fewest and the most people bound those of every way, for all rows of a set of classes
    /// and for every choice among them. Where classes do not overlap and nothing is withheld, they
    /// are the number of people.
    #[test]
    fn people_are_bounded_by_all_ways(
        rows in prop::collection::vec(cells(), 2..7),
        withheld in 0..3usize,
        apart in any::<bool>(),
        picked in prop::collection::vec(any::<bool>(), 7),
        wanted in [0..4usize, 0..4usize],
    ) {
        let rows: Vec<_> = rows.iter().map(|&(age, person, value, form)| (age, person, value, if apart { 1 } else { form })).collect();
        let original: Vec<Row> = rows.iter().map(|&(age, person, value, _)| row(person, age, "t", ["a", "b"][value])).collect();
        let kept = rows.len() - if apart { 0 } else { withheld.min(rows.len() - 1) };
        let release: Vec<Row> = rows[..kept].iter().copied().map(released).collect();
        let scene = Case::new(release.clone(), original.clone()).scene();
        let view = &scene.view;
        let classes: Vec<u32> = (0..view.classes.len() as u32).filter(|&class| picked[class as usize % 7]).collect();
        prop_assume!(!classes.is_empty());
        let within: Vec<usize> = classes.iter().flat_map(|&class| view.classes.rows(class as usize)).map(|&row| row as usize).collect();
        let (fewest, most) = (view.fewest(&classes, None, 99), view.most(&classes, within.len() as u64, 99));
        let value = |of: &str| scene.view.values[0].iter().zip(&release).find(|(_, row)| row[3] == of).map(|(code, _)| *code);
        let chosen: Vec<(u32, u32)> = {
            let mut all: Vec<(u32, u32)> = ["a", "b"].iter().zip(wanted)
                .filter_map(|(of, rows)| value(of).filter(|_| rows > 0).map(|code| (code, rows as u32))).collect();
            all.sort_unstable();
            all
        };
        let source = &view.owners.as_ref().unwrap().values[0];
        let of_chosen = view.fewest(&classes, Some(&Chosen { rows: &chosen, values: source }), 99);
        let mut counts: Vec<usize> = Vec::new();
        let mut of_choices: Vec<usize> = Vec::new();
        ways(&release, &original, &mut Vec::new(), &mut |way| {
            counts.push(owners(&within, way, &original));
            of_choices.extend(choices(&within, &release, &wanted).map(|set| owners(&set, way, &original)));
        });
        let (least, greatest) = (*counts.iter().min().unwrap() as u64, *counts.iter().max().unwrap() as u64);
        prop_assert!(fewest <= least && greatest <= most, "{fewest} to {most}, by all ways {least} to {greatest}");
        if apart {
            prop_assert_eq!((fewest, most), (least, greatest));
        }
        if let Some(&least) = of_choices.iter().min() {
            prop_assert!(of_chosen <= least as u64, "{of_chosen} of {least}");
        }
    }

    /// Successes of linkability and rare values are never fewer than those that the true owners
    /// give.
    #[test]
    fn successes_are_never_understated(rows in prop::collection::vec(cells(), 2..12)) {
        let original: Vec<Row> = rows.iter().map(|&(age, person, value, _)| row(person, age, "t", ["a", "b"][value])).collect();
        let release: Vec<Row> = rows.iter().copied().map(released).collect();
        let case = Case { k: 2, ..Case::new(release.clone(), original.clone()) };
        let scene = case.scene();
        let targets = scene.targets().unwrap();
        let people = |fits: &dyn Fn(&Row) -> bool| {
            let rows: Vec<usize> = (0..release.len()).filter(|&at| fits(&release[at])).collect();
            owners(&rows, &(0..release.len()).collect::<Vec<_>>(), &original) as u64
        };
        let mut linked = 0;
        for group in 0..targets.groups.len() {
            let code = targets.groups.tuple(group)[0];
            let age = original.iter().map(|row| &row[1]).find(|age| {
                let ages: Vec<&String> = { let mut all: Vec<&String> = original.iter().map(|row| &row[1]).collect(); all.sort(); all.dedup(); all };
                ages.get(code as usize) == Some(age)
            }).unwrap();
            if people(&|row| Cell::parse(&row[1]).covers(age)) == 1 {
                linked += u64::from(targets.groups.count(group));
            }
        }
        prop_assert!(case.found("linkability")[0].success.successes >= linked);
    }
}
