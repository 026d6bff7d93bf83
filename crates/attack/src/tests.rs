//! Every attack succeeds against a naive release and fails against a defended one; the tables of
//! `docs/attacks.md` are made here: `THRONG_BLESS=1 cargo test -p throng-attack --lib`.

use std::fmt::Write;
use std::path::Path;

use rand::RngExt;
use throng_terms::watch::Watch;

use crate::attack::{Finding, all, named, run};
use crate::bayes::tests::evidence_of;
use crate::database::{AttackDatabase, Fact};
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
    other_original: Option<Vec<Person>>,
    population: Option<Vec<Person>>,
    roles: Roles,
}

impl Case {
    fn new(release: Vec<Person>, original: &[Person]) -> Self {
        Case {
            release,
            other: None,
            original: original.to_vec(),
            other_original: None,
            population: None,
            roles: roles(),
        }
    }

    fn scene(&self) -> Scene {
        let [release, original] = [&self.release, &self.original].map(|rows| table(rows));
        let other = self.other.as_ref().map(|rows| table(rows));
        let population = self.population.as_ref().map(|rows| table(rows));
        let other_original = self.other_original.as_ref().map(|rows| table(rows));
        let tables = Tables {
            release: &release,
            other: other.as_ref(),
            original: Some(&original),
            other_original: other_original.as_ref(),
            population: population.as_ref(),
            truth: None,
            facts: &[],
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
        // Few people were added to every class since the earlier release, and others left; or many.
        "temporal" => [12, 400].map(|changed| {
            let (later, earlier) = (&original[..original.len() - changed], &original[changed..]);
            Case {
                other: Some(general(earlier, 20)),
                other_original: Some(earlier.to_vec()),
                ..Case::new(general(later, 20), later)
            }
        }),
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
        assert!(naive.iter().all(Finding::succeeds), "{}\n{}", attack.name(), findings_text(&naive));
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
        case.other_original.iter_mut().for_each(|rows| rows.reverse());
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

#[test]
fn a_scorecard_has_a_page() {
    let [naive, defended] = cases("membership");
    for (case, verdict) in [(naive, "Attacks succeed:"), (defended, "No attack succeeds:")] {
        let page = crate::page(&scorecard(&case.scene(), &Watch::none()).unwrap(), "a<b>", "0.1.0");
        crate::drawn::tests::check_page(&page);
        assert!(page.contains(verdict) && page.contains("a&lt;b&gt;") && page.contains("Not run"), "{page}");
    }
    for attack in all() {
        assert!(!crate::card_page::remedy(attack.name()).is_empty(), "{}", attack.name());
    }
}

/// Where everybody has a double, no condition singles anybody out; where nobody has, the cells of
/// all columns do.
#[test]
fn a_condition_singles_out_one_person_and_not_two() {
    let original = people(500, 6, false);
    let doubled: Vec<Person> = original.iter().chain(&original).cloned().collect();
    assert_eq!(found("singling-out", &Case::new(doubled.clone(), &doubled))[0].success.successes, 0);
    assert!(found("singling-out", &Case::new(original.clone(), &original))[0].success.successes > 0);
}

/// The model without a person is that of a release without the person's row.
#[test]
fn a_model_without_a_person_is_trained_again() {
    let original = people(120, 8, false);
    let mut release = general(&original, 10);
    release[..30].iter_mut().for_each(|row| row[1] = "*".into());
    release[30..60].clone_from_slice(&original[30..60]);
    let scene = Case::new(release.clone(), &original).scene();
    for target in (0..120).step_by(7) {
        let (with, without, row) = evidence_of(&scene, target);
        let mut rest = release.clone();
        rest.remove(row.unwrap() as usize);
        // A value that is gone is now the last one: the order of values is that of tables.
        let again = Case::new(rest, &original).scene();
        let (retrained, ..) = evidence_of(&again, target);
        assert_ne!(with, without);
        let sorted = |mut evidence: Vec<f64>| {
            evidence.sort_by(f64::total_cmp);
            evidence
        };
        for (a, b) in sorted(without).iter().zip(sorted(retrained)) {
            assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        }
    }
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

/// What an adversary has about the people of a case: their names with one column, and if they are
/// rich another table with a second one to join, and dates of birth to infer ages from.
fn database(case: &Case, rich: bool, first: usize) -> Coded {
    let second = if first == 1 { 2 } else { 1 };
    let names = ["age", "sex", "zip"];
    let rows = people_of(case);
    let id = |at: usize| at.to_string();
    let born = |row: &Person| format!("{}-01-01", 2000 - row[0].parse::<u32>().unwrap());
    let ids: Vec<String> = (0..rows.len()).map(id).collect();
    let borns: Vec<String> = rows.iter().map(born).collect();
    let column = |name: &str, at: usize| Column::new(name, rows.iter().map(|row| Some(&*row[at])));
    let texts = |name: &str, texts: &[String]| Column::new(name, texts.iter().map(|text| Some(&**text)));
    let voters = Coded::new(vec![texts("id", &ids), column(names[first], first), texts("born", &borns)]);
    let other = Coded::new(vec![texts("owner", &ids), column(names[second], second)]);
    let declared =
        "version = 1\npeople = \"voters\"\n[tables.voters]\npath = \"v\"\n[tables.other]\npath = \"o\"\n";
    let more = "[[joins]]\ntable = \"other\"\non = { id = \"owner\" }\n[[inferences]]\ncolumn = \"age\"\nfrom = \"born\"\nby = { age_at = \"2000-06-15\" }\n";
    let declared = declared.to_owned() + if rich { more } else { "" };
    let tables = [("voters".to_owned(), voters), ("other".to_owned(), other)].into();
    AttackDatabase::parse(&declared).unwrap().assemble(&tables, &|_| Ok(String::new())).unwrap()
}

/// Everybody of a case: those in the originals first.
fn people_of(case: &Case) -> Vec<Person> {
    let outside = case.population.iter().flatten().skip(case.original.len());
    // Those who left are the first ones of the earlier original.
    let earlier = case.other_original.iter().flatten();
    case.original.iter().chain(earlier).chain(outside).cloned().collect()
}

/// A table with a column that names people, from a number on.
fn with_ids(rows: &[Person], from: usize) -> Coded {
    let mut made = table(rows);
    let ids: Vec<String> = (from..from + rows.len()).map(|id| id.to_string()).collect();
    made.columns.push(Column::new("id", ids.iter().map(|id| Some(&**id))));
    made
}

/// Runs an attack with a database; an attack that needs more than it knows does not succeed.
fn with_database(attack: &str, case: &Case, database: &Coded, facts: (&[Fact], usize)) -> bool {
    let release = table(&case.release);
    let other = case.other.as_ref().map(|rows| table(rows));
    let original = with_ids(&case.original, 0);
    let other_original = case.other_original.as_ref().map(|rows| with_ids(rows, case.original.len()));
    let released: Vec<String> = release.columns.iter().map(|column| column.name.clone()).collect();
    let roles = case.roles.clone().known_to(database, &released, Some("id")).unwrap();
    let hierarchies = vec![None; roles.quasi.len()];
    let tables = Tables {
        release: &release,
        other: other.as_ref(),
        original: Some(&original),
        other_original: other_original.as_ref(),
        population: Some(database),
        truth: Some("id"),
        facts: facts.0,
        hierarchies: &hierarchies,
    };
    let scene = Scene::new(&tables, roles, Settings { facts: facts.1, ..Settings::default() }).unwrap();
    let found = run(named(attack).unwrap(), &scene, &Watch::none());
    found.is_ok_and(|found| found.iter().any(Finding::succeeds))
}

/// A join and an inference make every attack succeed that fails without them.
#[test]
fn what_a_database_knows_decides_about_attacks() {
    for attack in all() {
        let name = attack.name();
        let case = match name {
            // Few in every class, and enough among all of one sex.
            "temporal" => {
                let original = people(2000, 1, false);
                let mut case = Case::new(general(&original, 20), &original);
                case.other = Some(general(&original[20..], 20));
                case
            }
            _ => {
                let [naive, _] = cases(name);
                naive
            }
        };
        // The rare value is a sex; everywhere else the sex alone gives nobody away.
        let first = if name == "rare" { 2 } else { 1 };
        assert!(with_database(name, &case, &database(&case, true, first), (&[], 1)), "{name}: rich");
        assert!(!with_database(name, &case, &database(&case, false, first), (&[], 1)), "{name}: poor");
    }
}

/// A target is known by the values of the database, right or wrong.
#[test]
fn targets_are_known_by_the_values_of_the_database() {
    let [case, _] = cases("linkability");
    let mut wrong = database(&case, true, 1);
    let zip = wrong.columns.iter().position(|column| column.name == "zip").unwrap();
    wrong.columns[zip] = Column::new("zip", (0..wrong.rows).map(|_| Some("99999")));
    assert!(with_database("homogeneity", &case, &database(&case, true, 1), (&[], 1)));
    assert!(!with_database("homogeneity", &case, &wrong, (&[], 1)));
}

/// Facts of a database rule out sensitive values: nobody but women has one of two diagnoses.
#[test]
fn facts_rule_values_out() {
    let rows: Vec<Person> = (0..400)
        .map(|at| {
            let sex = ["F", "M"][at % 2];
            let diagnosis = if sex == "F" && at % 4 == 0 { "ovary" } else { ["heart", "lung"][at / 8 % 2] };
            [(20 + at / 8).to_string(), sex.into(), "1".into(), diagnosis.into()]
        })
        .collect();
    // Sexes are not released, so that every class has two values.
    let released = |row: &Person| [row[0].clone(), "*".into(), row[2].clone(), row[3].clone()];
    let case = Case::new(rows.iter().map(released).collect(), &rows);
    let known = database(&case, true, 1);
    let fact = Fact {
        column: "diagnosis".into(),
        from: "sex".into(),
        ruled_out: [("M".to_owned(), vec!["ovary".to_owned()])].into_iter().collect(),
    };
    assert!(!with_database("background", &case, &known, (&[], 0)));
    assert!(with_database("background", &case, &known, (&[fact], 0)));
}

/// A population of nobody but the people in the release is no control.
#[test]
fn people_inside_are_not_a_control() {
    let [mut case, _] = cases("linkability");
    case.population = Some(case.original.clone());
    for attack in ["singling-out", "linkability", "membership"] {
        let found = found(attack, &case);
        assert!(found[0].succeeds(), "{}", findings_text(&found));
    }
}

/// A column that the policy keeps is known if the database has it.
#[test]
fn a_kept_column_is_known_to_a_database() {
    let known = Coded::new(vec![
        Column::new("sex", [Some("F")]),
        Column::new("phone", [Some("1")]),
        Column::new("id", [Some("1")]),
    ]);
    let released = ["age", "sex", "zip", "phone", "id"].map(String::from);
    let asked = Roles { kept: vec!["phone".into(), "id".into()], ..roles() };
    let found = asked.clone().known_to(&known, &released, Some("id")).unwrap();
    assert_eq!((found.quasi, found.partly_known), (vec!["sex".to_owned(), "phone".to_owned()], true));
    let nothing = Coded::new(vec![Column::new("car", [Some("red")])]);
    assert!(asked.known_to(&nothing, &released, None).unwrap_err().has_code("attack.database-knows-nothing"));
}

/// Where rows have a subject, people are the targets.
#[test]
fn a_person_with_several_rows_is_one_target() {
    let rows = people(300, 4, false);
    let mut original = table(&rows);
    let owner: Vec<String> = (0..rows.len()).map(|row| (row / 3).to_string()).collect();
    original.columns.push(Column::new("patient", owner.iter().map(|id| Some(&**id))));
    let scene = |roles: Roles| {
        let tables = Tables {
            release: &table(&rows),
            other: None,
            original: Some(&original),
            other_original: None,
            population: None,
            truth: None,
            facts: &[],
            hierarchies: &[None, None, None],
        };
        Scene::new(&tables, roles, Settings::default()).unwrap().targets.unwrap().len()
    };
    assert_eq!(scene(roles()), 300);
    assert_eq!(scene(Roles { subject: Some("patient".into()), ..roles() }), 100);
}

/// Claims of membership and exposed values by their definition.
#[test]
fn claims_and_differences_are_those_of_all_pairs() {
    let original = people(200, 3, false);
    let outside = people(150, 12, false);
    let mut release = general(&original, 10);
    release[..60].clone_from_slice(&original[..60]);
    release[60..80].iter_mut().zip(&original[60..80]).for_each(|(row, person)| row[2].clone_from(&person[2]));
    let population: Vec<Person> = original.iter().chain(&outside).cloned().collect();
    let case = Case { population: Some(population.clone()), ..Case::new(release.clone(), &original) };
    let covers = |row: &Person, person: &Person| {
        (0..3).all(|at| throng_terms::cell::Cell::parse(&row[at]).covers(&person[at]))
    };
    let claimed = |person: &&Person| {
        release.iter().filter(|row| covers(row, person)).any(|row| {
            let rows = release.iter().filter(|other| other[..3] == row[..3]).count();
            2 * rows >= population.iter().filter(|person| covers(row, person)).count()
        })
    };
    let finding = &found("membership", &case)[0];
    assert_eq!(finding.success.successes, original.iter().filter(claimed).count() as u64);
    let apart = |person: &&Person| original.iter().all(|other| other[..3] != person[..3]);
    assert_eq!(finding.control.successes, outside.iter().filter(apart).filter(claimed).count() as u64);
    let alike = |row: &Person, columns: &[usize]| {
        release.iter().filter(|other| columns.iter().all(|&at| other[at] == row[at])).count() as u64
    };
    let exposed = |row: &&Person| {
        alike(row, &[0, 1, 2]) == 1 && [[1, 2], [0, 2], [0, 1]].iter().any(|columns| alike(row, columns) > K)
    };
    let differences = release.iter().filter(exposed).count() as u64;
    assert!(differences > 0);
    assert_eq!(found("differencing", &case)[0].success.successes, differences);
}

/// Where people only left, nobody looks new.
#[test]
fn people_who_left_are_not_those_who_came() {
    let earlier = people(600, 9, false);
    let later = &earlier[3..];
    let mut case = Case::new(general(later, 20), later);
    case.other = Some(general(&earlier, 20));
    case.other_original = Some(earlier.clone());
    let found = found("temporal", &case);
    assert_eq!((found[0].form, found[0].success.targets), (Some("added"), 0));
    assert_eq!(found[1].form, Some("removed"));
    assert!(found[1].success.targets >= 3 && found[1].succeeds(), "{}", findings_text(&found));
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
        let form = found.form.map_or(String::new(), |form| format!(" ({form})"));
        let _ = writeln!(
            text,
            "| `{}`{form} | {release} | {} | {} | {} | {risk} | {} |",
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
