//! Every attack succeeds against a naive release and fails against a defended one; the tables of
//! `docs/attacks.md` are made here: `THRONG_BLESS=1 cargo test -p throng-attack --lib`.

use std::fmt::Write;
use std::path::Path;

use rand::RngExt;
use throng_terms::watch::Watch;

use crate::attack::{Finding, all, named, run};
use crate::sample::generator;
use crate::scene::{Bound, Roles, Scene, Settings, Tables};
use crate::table::{Coded, Column};
use crate::{findings_text, scorecard};

const K: u64 = 5;
const QUASI: [&str; 3] = ["age", "sex", "zip"];
/// Diagnoses.
const VALUES: u32 = 200;

/// A person: age, sex, ZIP code, diagnosis.
type Person = [String; 4];

/// People of a county. Diagnoses follow from nothing; some are frequent, unless they are even.
fn people(count: usize, seed: u64, even: bool) -> Vec<Person> {
    let mut draw = generator(seed, 0);
    let person = |_| {
        let age = draw.random_range(20..80u32).to_string();
        let sex = ["F", "M"][draw.random_range(0..2)].to_owned();
        let zip = format!("021{}", draw.random_range(30..80));
        let share: f64 = draw.random();
        let diagnosis = f64::from(VALUES) * if even { share } else { share.powi(3) };
        [age, sex, zip, format!("D{diagnosis:03.0}")]
    };
    (0..count).map(person).collect()
}

fn table(rows: &[Person]) -> Coded {
    let names = ["age", "sex", "zip", "diagnosis"];
    let column = |at: usize| Column::new(names[at], rows.iter().map(|row| Some(&*row[at])));
    Coded::new((0..4).map(column).collect())
}

/// Ages in intervals of a width, and no ZIP code.
fn general(rows: &[Person], width: u32) -> Vec<Person> {
    let cell = |row: &Person| {
        let low = row[0].parse::<u32>().unwrap() / width * width;
        [format!("[{low}, {})", low + width), row[1].clone(), "*".to_owned(), row[3].clone()]
    };
    rows.iter().map(cell).collect()
}

fn roles() -> Roles {
    Roles {
        quasi: QUASI.map(String::from).to_vec(),
        sensitive: vec!["diagnosis".to_owned()],
        k: K,
        ..Roles::default()
    }
}

/// A case of an attack: the tables that the adversary has.
struct Case {
    release: Vec<Person>,
    other: Option<Vec<Person>>,
    original: Vec<Person>,
    population: Option<Vec<Person>>,
    roles: Roles,
}

impl Case {
    fn new(release: Vec<Person>, original: &[Person]) -> Self {
        Case { release, other: None, original: original.to_vec(), population: None, roles: roles() }
    }

    fn scene(&self) -> Scene {
        let [release, original] = [&self.release, &self.original].map(|rows| table(rows));
        let other = self.other.as_ref().map(|rows| table(rows));
        let population = self.population.as_ref().map(|rows| table(rows));
        let tables = Tables {
            release: &release,
            other: other.as_ref(),
            original: Some(&original),
            population: population.as_ref(),
            hierarchies: &[None, None, None],
        };
        Scene::new(&tables, self.roles.clone(), Settings::default()).unwrap()
    }
}

/// Two people of one age and four of another, of whom the two are ill [Wong 2007].
fn minimal(spread: bool) -> Case {
    let mut rows = Vec::new();
    for town in 0..10 {
        for (person, age) in ["30", "30", "40", "40", "40", "40"].iter().enumerate() {
            let ill = if spread { person == 0 } else { person < 2 };
            let diagnosis = if ill { "flu".to_owned() } else { format!("other{person}") };
            rows.push([(*age).to_owned(), "F".into(), format!("town{town}"), diagnosis]);
        }
    }
    let cell = |row: &Person| ["[30, 41)".into(), row[1].clone(), row[2].clone(), row[3].clone()];
    let mut case = Case::new(rows.iter().map(cell).collect(), &rows);
    let share = if spread { 1.0 } else { 0.5 };
    case.roles.bounds = vec![("diagnosis".to_owned(), Bound::Share(share))];
    case.roles.k = 2;
    case
}

/// One person of another sex in a town whose sex alone is suppressed; or sexes suppressed for k.
fn village(defended: bool) -> Case {
    let mut rows = people(4000, 5, false);
    rows.iter_mut().for_each(|row| row[1] = "F".into());
    for row in &mut rows[..3] {
        row[1] = "M".into();
    }
    let mut release = general(&rows, 20);
    let hidden = if defended { 600 } else { 3 };
    release[..hidden].iter_mut().for_each(|row| row[1] = "*".into());
    Case::new(release, &rows)
}

/// A case in which an attack succeeds, and one in which it fails.
fn cases(attack: &str) -> [Case; 2] {
    let original = people(2000, 1, matches!(attack, "complementary" | "composition"));
    let population: Vec<Person> = original.iter().cloned().chain(people(4000, 2, false)).collect();
    let naive = || Case { population: Some(population.clone()), ..Case::new(original.clone(), &original) };
    let defended =
        || Case { population: Some(population.clone()), ..Case::new(general(&original, 20), &original) };
    let two = |release: Vec<Person>, other: Vec<Person>| Case {
        other: Some(other),
        ..Case::new(release, &original)
    };
    // The same cells in another order.
    let shuffled = |rows: Vec<Person>| {
        let order = crate::sample::shuffled(rows.len(), 9, 9);
        order.iter().map(|&row| rows[row as usize].clone()).collect::<Vec<_>>()
    };
    match attack {
        // Ages in one release, ZIP codes in the other: together they are the original.
        "unsorted" | "complementary" | "composition" => {
            let zips: Vec<Person> = original
                .iter()
                .map(|row| ["*".into(), row[1].clone(), row[2].clone(), row[3].clone()])
                .collect();
            let ages: Vec<Person> = original
                .iter()
                .map(|row| [row[0].clone(), row[1].clone(), "*".into(), row[3].clone()])
                .collect();
            match attack {
                "unsorted" => [two(ages.clone(), zips.clone()), two(ages, shuffled(zips))],
                // The second release is the first one again.
                _ => [two(ages, zips), two(general(&original, 20), shuffled(general(&original, 20)))],
            }
        }
        // Few people were added to every class since the earlier release; or many were.
        "temporal" => {
            let release = general(&original, 20);
            let [few, many] = [12, 400].map(|added| release[added..].to_vec());
            [two(release.clone(), few), two(release, many)]
        }
        "rare" => [village(false), village(true)],
        "minimality" => [minimal(false), minimal(true)],
        _ => [naive(), defended()],
    }
}

fn found(attack: &str, case: &Case) -> Vec<Finding> {
    run(named(attack).unwrap(), &case.scene(), &Watch::none()).unwrap()
}

#[test]
fn every_attack_succeeds_once_and_fails_once() {
    for attack in all() {
        let [naive, defended] = cases(attack.name()).map(|case| found(attack.name(), &case));
        assert!(naive.iter().any(Finding::succeeds), "{}\n{}", attack.name(), findings_text(&naive));
        assert!(!defended.iter().any(Finding::succeeds), "{}\n{}", attack.name(), findings_text(&defended));
    }
}

#[test]
fn results_do_not_depend_on_the_order_of_rows() {
    for attack in all().iter().filter(|attack| attack.name() != "unsorted") {
        let [mut case, _] = cases(attack.name());
        let before = found(attack.name(), &case);
        case.release.reverse();
        case.original.reverse();
        case.population.iter_mut().for_each(|rows| rows.reverse());
        case.other.iter_mut().for_each(|rows| rows.reverse());
        assert_eq!(found(attack.name(), &case), before, "{}", attack.name());
    }
}

#[test]
fn a_scorecard_has_all_criteria() {
    let [naive, _] = cases("membership");
    let card = scorecard(&naive.scene(), &Watch::none()).unwrap();
    assert_eq!(card.criteria.len(), 3);
    assert!(card.criteria.iter().all(|score| !score.succeeding.is_empty()), "{}", crate::text(&card));
    assert!(card.skipped.iter().any(|skipped| skipped.attack == "unsorted"));
    let cap = &card.attribution[0];
    assert!(cap.cap > 0.5 && cap.baseline < 0.2 && cap.tcap.rate > 0.99, "{cap:?}");
    assert!(serde_json::to_value(&card).unwrap()["criteria"][0]["worst"]["risk"]["low"].is_number());
}

#[test]
fn what_an_attack_needs_is_named() {
    let [case, _] = cases("homogeneity");
    let error = run(named("unsorted").unwrap(), &case.scene(), &Watch::none()).unwrap_err();
    assert!(error.has_code("attack.need-not-met"));
    let Err(error) = named("homogenity") else { panic!() };
    assert_eq!(error.faults()[0].help.as_deref(), Some("did you mean `homogeneity`?"));
}

/// Counts by their definition, of every target against every released row.
#[test]
fn beliefs_are_those_of_all_pairs() {
    let original = people(150, 3, false);
    let mut release = general(&original, 10);
    release[..20].iter_mut().for_each(|row| row[1] = "*".into());
    release[20..25].iter_mut().for_each(|row| (row[0], row[1]) = ("*".into(), "*".into()));
    let case = Case::new(release.clone(), &original);
    let covers = |cell: &str, value: &str| throng_terms::cell::Cell::parse(cell).covers(value);
    let hidden = |row: &Person| row[..3].iter().all(|cell| cell == "*");
    let candidates = |target: &Person| -> Vec<&str> {
        let fits = |row: &&Person| !hidden(row) && (0..3).all(|at| covers(&row[at], &target[at]));
        release.iter().filter(fits).map(|row| row[3].as_str()).collect()
    };
    let uniform = |target: &&Person| {
        let values = candidates(target);
        !values.is_empty() && values.iter().all(|value| *value == target[3])
    };
    let unique = |target: &&Person| candidates(target).len() == 1;
    let two = |target: &&Person| {
        let mut values = candidates(target);
        values.sort_unstable();
        values.dedup();
        values.len() <= 2 && values.contains(&target[3].as_str())
    };
    let count =
        |test: &dyn Fn(&&Person) -> bool| original.iter().filter(|person| test(person)).count() as u64;
    assert_eq!(found("homogeneity", &case)[0].success.successes, count(&uniform));
    assert_eq!(found("linkability", &case)[0].success.successes, count(&unique));
    assert_eq!(found("background", &case)[0].success.successes, count(&two));
}

/// The tables of the page.
fn tables() -> String {
    let mut text = String::new();
    let mut row = |release: &str, found: &Finding| {
        let percent = |rate: &crate::Rate| {
            format!("{:.1} % ({:.1}–{:.1})", 100.0 * rate.rate, 100.0 * rate.low, 100.0 * rate.high)
        };
        let risk = format!(
            "{:.1} % ({:.1} to {:.1})",
            100.0 * found.risk.value,
            100.0 * found.risk.low,
            100.0 * found.risk.high
        );
        let _ = writeln!(
            text,
            "| `{}` | {release} | {} | {} | {} | {risk} | {} |",
            found.attack,
            found.success.targets,
            percent(&found.success),
            percent(&found.control),
            if found.succeeds() { "succeeds" } else { "fails" }
        );
    };
    for attack in all() {
        let [naive, defended] = cases(attack.name()).map(|case| found(attack.name(), &case));
        naive.iter().for_each(|found| row("naive", found));
        defended.iter().for_each(|found| row("defended", found));
    }
    "| attack | release | targets | success (95 %) | control (95 %) | risk above control (95 %) | |\n| --- | --- | --- | --- | --- | --- | --- |\n".to_owned()
        + &text
}

/// What each attack does, as the page lists it.
fn descriptions() -> String {
    let line = |attack: &&dyn crate::Attack| {
        format!("| `{}` | {} | {} |\n", attack.name(), attack.criterion().name(), attack.means())
    };
    "| attack | criterion | the attack succeeds if |\n| --- | --- | --- |\n".to_owned()
        + &all().iter().map(line).collect::<String>()
}

#[test]
fn the_page_has_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/attacks.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut made = page.clone();
    for (name, content) in [("attacks", descriptions()), ("cases", tables())] {
        let (start, end) = (format!("<!-- {name}: generated -->\n"), format!("<!-- {name}: end -->"));
        let from = made.find(&start).unwrap() + start.len();
        let to = made.find(&end).unwrap();
        made.replace_range(from..to, &content);
    }
    if std::env::var_os("THRONG_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert_eq!(page, made, "run THRONG_BLESS=1 cargo test -p throng-attack --lib");
}
