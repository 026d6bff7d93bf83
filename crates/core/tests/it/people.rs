//! Several rows per person: what is released belongs to k people, counted here row by row, and the
//! verifier agrees.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use throng::compare::{self, Experiment, Status};
use throng::decide::{DecidedAssignment, decide};
use throng::hierarchy;
use throng::memory::{Released, Table, release};
use throng::policy::Policy;
use throng::registry::Algorithm;
use throng::release::{Certificate, PeopleFacts};
use throng::rows::{Counted, Rows};
use throng::search::{Evaluator, Grouped, Problem};
use throng::verify::{Assignment, Inputs, Original, Verdict, verify};
use throng::watch::Watch;

use crate::assigned::{Texts, entries};

/// Person, age, place, month and illness.
type Visit = [String; 5];
const COLUMNS: [&str; 5] = ["person", "age", "place", "month", "illness"];

fn visits(people: u32) -> impl Strategy<Value = Vec<Visit>> {
    let age = prop::sample::select(vec!["21", "22", "35", "36", "57", "58"]);
    let place = prop::sample::select(vec!["Lynn", "Salem", "Boston"]);
    let month = prop::sample::select(vec!["1", "2"]);
    let illness = prop::sample::select(vec!["flu", "asthma"]);
    let visit = (0..people, age, place, month, illness);
    let visit = visit.prop_map(|(p, a, l, m, i)| [format!("p{p}"), a.into(), l.into(), m.into(), i.into()]);
    prop::collection::vec(visit, 20..60)
}

fn policy(algorithm: Algorithm, k: u64, more: &str) -> String {
    // Ages are numbers for the methods that measure distances.
    let age = match algorithm {
        Algorithm::Boxes | Algorithm::Mdav => "form = \"interval\"",
        _ => "hierarchy = { intervals = { widths = [10, 50] } }",
    };
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.person]\nrole = \"subject\"\n\
         [columns.age]\nrole = \"quasi\"\n{age}\n[columns.place]\nrole = \"quasi\"\nhierarchy = {{ priority = {{ keep = [2] }} }}\n\
         [columns.month]\nrole = \"quasi\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [privacy]\nk = {k}\nsuppression = 0.3\n[search]\nalgorithm = \"{algorithm}\"\n{more}"
    )
}

fn table(visits: &[Visit]) -> Table {
    let cells = |visit: &Visit| visit.iter().cloned().map(Some).collect();
    Table::new(COLUMNS.map(String::from).to_vec(), visits.iter().map(cells).collect()).unwrap()
}

fn no_file(_: &str) -> throng::error::Result<String> {
    unreachable!("no file is named")
}

fn problem(policy: &Policy, visits: &[Visit]) -> throng::error::Result<Problem> {
    let table = table(visits);
    let (quasi, measured) = policy.grouped_columns(table.columns());
    let places: Vec<usize> = quasi.iter().chain(&measured).map(|name| table.place(name).unwrap()).collect();
    let counted: Counted = table.count(&places, &Watch::none())?;
    Ok(Problem::new(policy, Grouped::new(quasi, measured, counted), &no_file)?.0)
}

/// Visit → its released cells, none where it is suppressed; and what is certified of people.
type Outcome = (Vec<Option<Vec<String>>>, Option<f64>, Option<PeopleFacts>);

fn outcome(policy: &str, visits: &[Visit]) -> throng::error::Result<Outcome> {
    let policy = Policy::parse(policy)?;
    let problem = problem(&policy, visits)?;
    let decision = decide(&policy, &problem, None, &Watch::none())?;
    let figures = decision.figures(&policy, &problem, &Watch::none())?;
    let texts = |cells: Texts| cells.into_iter().map(|c| c.unwrap_or_else(|| "?".into())).collect::<Vec<_>>();
    let entries = entries(&DecidedAssignment::new(&policy, &problem, &decision))?;
    let became = entries.into_iter().map(|(original, _, released)| (texts(original), released.map(texts)));
    let became: BTreeMap<_, _> = became.collect();
    // In name order: age, month, place.
    let tuple = |visit: &Visit| vec![visit[1].clone(), visit[3].clone(), visit[2].clone()];
    let of_visits = visits.iter().map(|visit| became[&tuple(visit)].clone()).collect();
    Ok((of_visits, figures.privacy["k-anonymity"].achieved, figures.people))
}

/// Released cells → people.
fn people_of_classes(visits: &[Visit], became: &[Option<Vec<String>>]) -> Vec<u64> {
    let mut classes: BTreeMap<&Vec<String>, BTreeSet<&String>> = BTreeMap::new();
    for (visit, cells) in visits.iter().zip(became) {
        if let Some(cells) = cells {
            classes.entry(cells).or_default().insert(&visit[0]);
        }
    }
    classes.into_values().map(|people| people.len() as u64).collect()
}

/// The algorithms that are accepted with a subject.
fn accepted() -> impl Iterator<Item = Algorithm> {
    Algorithm::k_anonymous().filter(|a| *a != Algorithm::CellMinGen)
}

/// All of them, and all options of theirs that decide which rows are put together or how cells of
/// numbers are written: what a policy says, and what to replace in it.
fn accepted_options() -> Vec<(Algorithm, &'static str, [&'static str; 2])> {
    use Algorithm::{Auto, Best, Boxes, Greedy, KSimilar, Mdav, Mondrian, Partition};
    const SAME: [&str; 2] = ["", ""];
    const AGES: &str = "hierarchy = { intervals = { widths = [10, 50] } }";
    const MONTHS: [&str; 2] = ["[columns.month]", "[columns.month]\nform = \"interval\""];
    let intervals = "form = \"interval\"";
    accepted()
        .map(|algorithm| (algorithm, "", SAME))
        .chain([
            (Mondrian, "choose = 'if(is(month), 10, 1) * range'\n", SAME),
            (Mondrian, "choose = 'if(is(age) and depth < 3, 10, 1) * values'\n", SAME),
            (Mondrian, "mondrian = { by = \"gain\" }\n", SAME),
            (Mondrian, "mondrian = { by = \"entropy\" }\n", [AGES, "form = \"mean\""]),
            (KSimilar, "", [AGES, "form = \"median\""]),
            (KSimilar, "", [AGES, "form = \"set\""]),
            (Best, "", [AGES, "form = \"interval\""]),
            (Best, "loss = \"entropy\"\n", SAME),
            (Mdav, "", [intervals, "form = \"mean\""]),
            (Mdav, "", [intervals, "form = \"median\""]),
            (Boxes, "boxes = { statistic = \"variance\", columns = [\"age\"] }\n", SAME),
            (Boxes, "boxes = { statistic = \"correlation\" }\n", MONTHS),
            (Boxes, "boxes = { statistic = \"covariance\", columns = [\"age\", \"month\"] }\n", MONTHS),
            (Greedy, "greedy = { beam = 3 }\n", SAME),
            (Partition, "partition = { tries = 1 }\n", SAME),
            (Auto, "loss = \"lm\"\n", ["[privacy]", "[output]\nsuppressed = \"starred\"\n[privacy]"]),
        ])
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Every class of every algorithm belongs to k people, and what is certified is counted right.
    #[test]
    fn every_algorithm_releases_k_people_or_more(visits in visits(12), k in 2u64..5) {
        for algorithm in accepted() {
            let Ok((became, achieved, facts)) = outcome(&policy(algorithm, k, ""), &visits) else { continue };
            let people = people_of_classes(&visits, &became);
            prop_assert!(people.iter().all(|&n| n >= k), "{}: {:?}", algorithm, people);
            prop_assert_eq!(achieved, people.iter().min().map(|&n| n as f64), "{}", algorithm);
            let with = |kept: bool| -> BTreeSet<&String> {
                let rows = visits.iter().zip(&became).filter(|(_, cells)| cells.is_some() == kept);
                rows.map(|(visit, _)| &visit[0]).collect()
            };
            let (kept, lost) = (with(true), with(false));
            let facts = facts.unwrap();
            prop_assert_eq!(facts.people, kept.union(&lost).count() as u64);
            prop_assert_eq!(facts.released, kept.len() as u64);
            prop_assert_eq!(facts.withheld, lost.difference(&kept).count() as u64);
            prop_assert_eq!(facts.partly, lost.intersection(&kept).count() as u64);
            prop_assert!(facts.withheld as f64 <= 0.3 * facts.people as f64 + 1e-9, "{}", algorithm);
        }
    }

    /// A problem that is posed again on the same classes, with a column less or another k, counts
    /// people as one that is posed on the table.
    #[test]
    fn problems_posed_again_count_people(visits in visits(12), k in 2u64..5) {
        for algorithm in [Algorithm::Auto, Algorithm::Mondrian] {
            let first = problem(&Policy::parse(&policy(algorithm, 2, "")).unwrap(), &visits).unwrap();
            let less = policy(algorithm, k, "").replace("[columns.month]\nrole = \"quasi\"", "[columns.month]\nrole = \"keep\"");
            let at = first.names.iter().position(|name| name == "month").unwrap();
            for (text, without) in [(policy(algorithm, k, ""), None), (less, Some(at))] {
                let policy = Policy::parse(&text).unwrap();
                let again = match without {
                    None => first.again(&policy, &no_file, &Watch::none()),
                    Some(at) => first.again_without(at, &policy, &no_file, &Watch::none()),
                }
                .unwrap();
                let found = |problem: &Problem| {
                    let decision = decide(&policy, problem, None, &Watch::none()).ok()?;
                    let figures = decision.figures(&policy, problem, &Watch::none()).ok()?;
                    Some((decision.loss, figures.privacy["k-anonymity"].achieved, figures.people))
                };
                let posed = problem(&policy, &visits).unwrap();
                prop_assert_eq!(again.people, posed.people);
                prop_assert_eq!(found(&again), found(&posed), "{}", algorithm);
            }
        }
    }

    /// The whole path: the verifier, which counts by itself, agrees.
    #[test]
    fn the_verifier_counts_the_same_people(visits in visits(10), k in 2u64..4, starred: bool) {
        for algorithm in accepted() {
            let mut text = policy(algorithm, k, "");
            if starred && !algorithm.entry().forms_regions {
                text = text.replace("[privacy]", "[output]\nsuppressed = \"starred\"\n[privacy]");
            }
            match release(&text, &table(&visits), &no_file, &Watch::none()) {
                Ok(released) => {
                    prop_assert!(released.verdict.claims["people"].holds);
                    prop_assert!(!released.verdict.claims["k-anonymity"].unchecked);
                    prop_assert!(!released.table.columns().contains(&"person".to_owned()));
                }
                Err(error) => prop_assert!(!error.to_string().contains("verifier"), "{}: {}", algorithm, error),
            }
        }
    }

    /// Searches that are exact find the best of all nodes at which k people share every class.
    #[test]
    fn the_best_node_is_that_of_the_definition(visits in visits(9), k in 2u64..4, loss in prop::sample::select(vec!["height", "lm"])) {
        let text = policy(Algorithm::Auto, k, &format!("loss = \"{loss}\"\n"));
        let parsed = Policy::parse(&text).unwrap();
        let problem = problem(&parsed, &visits).unwrap();
        let limit = problem.people.unwrap();
        let leaf = |visit: &Visit, column: usize| {
            let at = COLUMNS.iter().position(|name| *name == problem.names[column]).unwrap();
            problem.hierarchies[column].leaf(Some(&visit[at])).unwrap()
        };
        let mut best: Option<f64> = None;
        for node in problem.lattice.iter() {
            let look = |visit: &Visit| -> Vec<u32> {
                (0..3).map(|c| problem.hierarchies[c].generalize(leaf(visit, c), node.level(c))).collect()
            };
            let mut people: BTreeMap<Vec<u32>, BTreeSet<&String>> = BTreeMap::new();
            visits.iter().for_each(|visit| { people.entry(look(visit)).or_default().insert(&visit[0]); });
            let (kept, lost): (Vec<&Visit>, Vec<&Visit>) =
                visits.iter().partition(|visit| people[&look(visit)].len() as u64 >= k);
            let kept: BTreeSet<&String> = kept.into_iter().map(|visit| &visit[0]).collect();
            let withheld = limit.people - kept.len() as u64;
            if lost.len() as u64 <= problem.max_suppressed && withheld <= limit.max_withheld {
                let found = Evaluator::new(&problem).solution(&node).loss;
                best = Some(best.map_or(found, |best| best.min(found)));
            }
        }
        let exact = match loss {
            "height" => vec![Algorithm::Auto, Algorithm::Ola, Algorithm::Incognito, Algorithm::MinGen],
            _ => vec![Algorithm::Auto],
        };
        for algorithm in exact {
            let policy = Policy::parse(&text.replace("\"auto\"", &format!("\"{algorithm}\""))).unwrap();
            let found = decide(&policy, &problem, None, &Watch::none()).ok().map(|decision| decision.loss);
            prop_assert_eq!(found, best, "{}", algorithm);
        }
    }

    /// Values count that are those of different people, and the verifier finds the same.
    #[test]
    fn diverse_values_are_those_of_different_people(visits in visits(25), l in 2u64..3) {
        let mut values: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
        visits.iter().for_each(|visit| { values.entry(&visit[0]).or_default().insert(&visit[4]); });
        let models = format!("suppression = 0.9\nmodels = [{{ l_diversity = {{ column = \"illness\", l = {l} }} }}]\n");
        for algorithm in [Algorithm::Auto, Algorithm::Ola, Algorithm::Mondrian, Algorithm::KSimilar, Algorithm::Best] {
            let text = policy(algorithm, 2, "").replace("suppression = 0.3\n", &models);
            let (parsed, made) = (Policy::parse(&text).unwrap(), release(&text, &table(&visits), &no_file, &Watch::none()));
            let made = match made {
                Ok(made) => made,
                Err(error) => { prop_assert!(!error.to_string().contains("verifier"), "{}: {}", algorithm, error); continue }
            };
            prop_assert!(parsed.subject().is_some());
            let (became, ..) = outcome(&text, &visits).unwrap();
            let mut classes: BTreeMap<&Vec<String>, BTreeSet<&String>> = BTreeMap::new();
            for (visit, cells) in visits.iter().zip(&became) {
                let Some(cells) = cells else { continue };
                let class = classes.entry(cells).or_default();
                if values[&visit[0]].len() == 1 {
                    class.insert(&visit[4]);
                }
            }
            let fewest = classes.values().map(|values| values.len() as u64).min();
            prop_assert!(fewest.is_none_or(|fewest| fewest >= l), "{}: {:?}", algorithm, classes);
            let claim = &made.certificate.release.privacy["distinct l-diversity: illness"];
            prop_assert_eq!(claim.achieved, fewest.map(|fewest| fewest as f64));
            prop_assert!(!made.verdict.claims["distinct l-diversity: illness"].unchecked);
        }
    }

    /// Neither the order of rows nor the number of threads decides anything.
    #[test]
    fn order_and_threads_decide_nothing(visits in visits(12), k in 2u64..4, turn in 1usize..19) {
        let mut other = visits.clone();
        other.rotate_left(turn);
        other.reverse();
        let classes = |visits: &[Visit], policy: &str| {
            outcome(policy, visits).map_err(|e| e.to_string()).map(|(became, achieved, facts)| {
                let mut fates: Vec<_> = visits.iter().cloned().zip(became).collect();
                fates.sort();
                (fates, achieved, facts)
            })
        };
        let on = |threads: usize, visits: &[Visit], policy: &str| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| classes(visits, policy))
        };
        for algorithm in accepted() {
            let policy = policy(algorithm, k, "");
            let one = on(1, &visits, &policy);
            prop_assert_eq!(&one, &on(2, &visits, &policy), "{}", algorithm);
            prop_assert_eq!(&one, &on(2, &other, &policy), "{}", algorithm);
        }
    }
}

/// Person → the released cells of a column, in name order: age, month, place.
fn cells_of_people<'a>(
    visits: &'a [Visit],
    became: &'a [Option<Vec<String>>],
    column: usize,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut cells: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (visit, became) in visits.iter().zip(became) {
        if let Some(became) = became {
            cells.entry(&visit[0]).or_default().insert(&became[column]);
        }
    }
    cells
}

/// Visits: age and place are constant per person, months and illnesses differ.
fn constant_visits(people: u32) -> impl Strategy<Value = Vec<Visit>> {
    visits(people).prop_map(|mut visits| {
        let first: BTreeMap<String, Visit> = visits.iter().rev().map(|v| (v[0].clone(), v.clone())).collect();
        for visit in &mut visits {
            (visit[1], visit[2]) = (first[&visit[0]][1].clone(), first[&visit[0]][2].clone());
        }
        visits
    })
}

/// Fifty people or more with two visits or three each.
fn register() -> impl Strategy<Value = Vec<Visit>> {
    let age = prop::sample::select(vec!["21", "22", "35", "36", "57", "58"]);
    let place = prop::sample::select(vec!["Lynn", "Salem", "Boston"]);
    let months = prop::collection::vec(prop::sample::select(vec!["1", "2", "3"]), 2..4);
    let people = prop::collection::vec((age, place, months), 50..60);
    people.prop_map(|people| {
        let visit = |(at, (age, place, months)): (usize, (&str, &str, Vec<&str>))| {
            let visit = move |month: &str| [&format!("p{at}"), age, place, month, "flu"].map(String::from);
            months.into_iter().map(visit).collect::<Vec<Visit>>()
        };
        people.into_iter().enumerate().flat_map(visit).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// What is constant per person is written identically in all rows of a person, whatever varies,
    /// in every release that is possible with a subject; and the verifier accepts it.
    #[test]
    fn constant_values_are_written_identically(visits in constant_visits(30), k in 2u64..4) {
        for (algorithm, more, [from, to]) in accepted_options() {
            let text = policy(algorithm, k, more);
            prop_assert!(text.contains(from), "{}", text);
            let text = text.replacen(from, to, usize::from(!from.is_empty()));
            let (became, ..) = match outcome(&text, &visits) {
                Ok(found) => found,
                Err(error) => {
                    let unsolvable = error.is_all(throng::error::Kind::Unsolvable);
                    prop_assert!(unsolvable, "{} {}: {}", algorithm, more, error);
                    continue
                }
            };
            let people = people_of_classes(&visits, &became);
            prop_assert!(people.iter().all(|&people| people >= k), "{} {}", algorithm, more);
            for column in [0, 2] {
                let cells = cells_of_people(&visits, &became, column);
                prop_assert!(cells.values().all(|cells| cells.len() == 1), "{} {}: {:?}", algorithm, more, cells);
            }
            let made = release(&text, &table(&visits), &no_file, &Watch::none());
            prop_assert!(made.is_ok(), "{} {} {}: {}", algorithm, more, to, made.unwrap_err());
        }
    }

    /// Columns that rise together are of one tier: a place that is linked with the month is written
    /// as that is, and the age still identically.
    #[test]
    fn linked_columns_rise_together(visits in constant_visits(30), k in 2u64..4) {
        for algorithm in accepted().filter(|algorithm| algorithm.forms_regions()) {
            let text = policy(algorithm, k, "linked = [[\"month\", \"place\"]]\n");
            let text = text.replace("hierarchy = { priority = { keep = [2] } }", "hierarchy = \"suppress\"");
            let text = text.replace("[columns.month]\n", "[columns.month]\nhierarchy = \"suppress\"\n");
            let Ok((became, ..)) = outcome(&text, &visits) else { continue };
            for cells in became.iter().flatten() {
                prop_assert_eq!(cells[1] == "*", cells[2] == "*", "{}: {:?}", algorithm, cells);
            }
            let cells = cells_of_people(&visits, &became, 0);
            prop_assert!(cells.values().all(|cells| cells.len() == 1), "{}: {:?}", algorithm, cells);
            prop_assert!(release(&text, &table(&visits), &no_file, &Watch::none()).is_ok(), "{}", algorithm);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// One person of fifty with a corrected age changes nothing for the others, and nothing for the
    /// place of that person, which is constant for everybody.
    #[test]
    fn a_corrected_value_changes_nothing_for_others(visits in register(), k in 2u64..4, corrected: bool) {
        let mut visits = visits;
        if corrected {
            visits[0][1] = "61".into();
        }
        for algorithm in accepted().filter(|algorithm| algorithm.forms_regions()) {
            let text = policy(algorithm, k, "");
            let (became, ..) = outcome(&text, &visits).unwrap();
            prop_assert!(people_of_classes(&visits, &became).iter().all(|&people| people >= k));
            for (column, excepted) in [(0, "p0"), (2, "")] {
                let mut cells = cells_of_people(&visits, &became, column);
                cells.remove(excepted);
                prop_assert!(cells.values().all(|cells| cells.len() == 1), "{}: {:?}", algorithm, cells);
            }
            let made = release(&text, &table(&visits), &no_file, &Watch::none());
            prop_assert!(made.is_ok(), "{}: {}", algorithm, made.unwrap_err());
        }
    }

    /// Where somebody has two values in every column that is constant for the others, those are
    /// still written identically for all others.
    #[test]
    fn somebody_who_moves_changes_nothing_for_others(visits in register(), k in 2u64..4) {
        let mut visits = visits;
        (visits[0][1], visits[0][2]) = ("61".into(), "Concord".into());
        for algorithm in accepted().filter(|algorithm| algorithm.forms_regions()) {
            let text = policy(algorithm, k, "");
            let (became, ..) = outcome(&text, &visits).unwrap();
            for column in [0, 2] {
                let mut cells = cells_of_people(&visits, &became, column);
                cells.remove("p0");
                prop_assert!(cells.values().all(|cells| cells.len() == 1), "{}: {:?}", algorithm, cells);
            }
            let made = release(&text, &table(&visits), &no_file, &Watch::none());
            prop_assert!(made.is_ok(), "{}: {}", algorithm, made.unwrap_err());
        }
    }
}

/// A comparison runs what a policy may ask for with a subject, and refuses the rest by name.
#[test]
fn comparisons_refuse_what_a_policy_may_not_ask_for() {
    let visit = |at: usize| {
        let (person, age) = (format!("p{}", at / 2), 20 + at / 2);
        [person, age.to_string(), "Lynn".into(), (1 + at % 2).to_string(), (age * 3).to_string()]
    };
    let visits: Vec<Visit> = (0..120).map(visit).collect();
    let text = policy(Algorithm::Greedy, 3, "loss = \"lm\"\n").replace("\"sensitive\"", "\"target\"");
    let policy = Policy::parse(&text).unwrap();
    let table = table(&visits);
    let (quasi, measured) = policy.grouped_columns(table.columns());
    let places: Vec<usize> = quasi.iter().chain(&measured).map(|name| table.place(name).unwrap()).collect();
    let grouped = Grouped::new(quasi, measured, table.count(&places, &Watch::none()).unwrap());
    let table = compare::Table::new("visits".into(), policy, grouped, Box::new(no_file));
    let refused = ["auto+local", "greedy+linear", "greedy+model", "greedy-rows", "cell-mingen"];
    let solved = ["auto", "best", "mondrian", "k-similar", "mdav", "greedy", "partition"];
    let names: Vec<String> = refused.iter().chain(&solved).map(|name| format!("{name:?}")).collect();
    let experiment = format!(
        "version = 1\n[[tables]]\nname = \"visits\"\npolicy = \"p.toml\"\n[grid]\nalgorithms = [{}]\nlosses = [\"lm\"]\n\
         k = [3]\nsuppression = [0.5]\nscore = false\nsizes = [60]\n\
         [prediction]\ntarget = \"illness\"\nfeatures = [\"age\"]\ntrain = 60\n",
        names.join(", ")
    );
    let experiment = Experiment::parse(&experiment).unwrap();
    let runs = compare::compare(&experiment, &[table], &|| 0.0, &Watch::none()).unwrap().runs;
    for run in runs {
        let expected =
            if refused.contains(&run.algorithm.as_str()) { Status::Refused } else { Status::Solved };
        assert_eq!(run.status, expected, "{run:?}");
        assert!(run.status == Status::Solved || run.reason.as_ref().unwrap().contains("person"), "{run:?}");
    }
}

/// Ten visits of two people, and three people with one each.
fn ten_of_two() -> Vec<Visit> {
    let visit = |person: &str, age: &str, month: &str| [person, age, "Lynn", month, "flu"].map(String::from);
    let two = (0..10).map(|i| visit(["a", "b"][i / 5], "21", "1"));
    two.chain(["c", "d", "e"].map(|person| visit(person, "35", "2"))).collect()
}

#[test]
fn ten_rows_of_two_people_are_a_class_of_two() {
    let made =
        release(&policy(Algorithm::Auto, 2, ""), &table(&ten_of_two()), &no_file, &Watch::none()).unwrap();
    let facts = &made.certificate.release;
    assert_eq!(facts.privacy["k-anonymity"].achieved, Some(2.0));
    assert_eq!(facts.people, Some(PeopleFacts { people: 5, released: 5, ..PeopleFacts::default() }));
    let risk = facts.risk.unwrap();
    assert_eq!((risk.after.smallest, risk.after.prosecutor, risk.after.rows), (2, 0.5, 13));
    assert!((risk.after.marketer - (10.0 / 2.0 + 3.0 / 3.0) / 13.0).abs() < 1e-12);
    // By rows, the class of ten would do for k = 3.
    let (became, achieved, _) = outcome(&policy(Algorithm::Auto, 3, ""), &ten_of_two()).unwrap();
    assert!(became.iter().all(|cells| cells == &became[0]), "{became:?}");
    assert_eq!(achieved, Some(5.0));
}

#[test]
fn people_may_not_be_left_out_more_than_rows() {
    // Two people with one visit each are 2 of 22 rows, and 2 of 4 people.
    let mut visits: Vec<Visit> = ten_of_two().into_iter().take(10).collect();
    visits.extend(visits.clone());
    visits.extend(["y", "z"].map(|person| [person, "57", "Salem", "2", "flu"].map(String::from)));
    visits[21][3] = "3".into();
    let fixed = |text: String| {
        text.replace("[columns.month]\nrole = \"quasi\"", "[columns.month]\nrole = \"quasi\"\nmax_level = 0")
    };
    let text = fixed(policy(Algorithm::Auto, 2, "")).replace("suppression = 0.3", "suppression = 0.1");
    let error = outcome(&text, &visits).unwrap_err();
    assert!(error.has_code("search.no-safe-node"), "{error}");
    let text = text.replace("\"auto\"", "\"mondrian\"");
    let error = outcome(&text, &visits).unwrap_err();
    assert!(error.has_code("people.too-many-withheld"), "{error}");
    let (became, ..) = outcome(&text.replace("= 0.1", "= 0.5"), &visits).unwrap();
    assert_eq!(became.iter().filter(|cells| cells.is_none()).count(), 2);
}

#[test]
fn rows_that_can_be_linked_need_k_people_with_all_of_them() {
    let linked = |algorithm, k| {
        policy(algorithm, k, "")
            .replace("role = \"subject\"", "role = \"subject\"\ntransform = { number = {} }")
    };
    // c, d and e have the same rows, but a and b have each others' alone.
    let (_, _, facts) = outcome(&linked(Algorithm::Auto, 2), &ten_of_two()).unwrap();
    assert_eq!(facts.unwrap().alike, Some(2));
    let error = outcome(&linked(Algorithm::Auto, 3), &ten_of_two()).unwrap_err();
    assert!(error.has_code("people.rows-can-be-linked"), "{error}");
    assert!(error.faults()[0].help.as_ref().unwrap().contains("transform"), "{error}");
    // One more visit of a tells it from b, whatever the classes.
    let mut visits = ten_of_two();
    visits.push(visits[0].clone());
    let error = outcome(&linked(Algorithm::KSimilar, 2), &visits).unwrap_err();
    assert!(error.has_code("people.rows-can-be-linked"), "{error}");
    assert!(error.to_string().contains("has size 1; 2 are required"), "{error}");
    assert!(outcome(&policy(Algorithm::KSimilar, 2, ""), &visits).is_ok());
}

#[test]
fn everybody_is_named_and_there_are_k() {
    let mut visits = ten_of_two();
    let error = outcome(&policy(Algorithm::Auto, 6, ""), &visits).unwrap_err();
    assert!(error.has_code("people.k-above-people"), "{error}");
    visits[3][0] = String::new();
    let error = outcome(&policy(Algorithm::Auto, 2, ""), &visits).unwrap_err();
    assert!(error.has_code("people.row-without-subject"), "{error}");
}

/// Judges a release with another original, which is certified to be the one that was released.
fn judged(policy: &str, made: &Released, original: &Table, forge: impl Fn(&mut Certificate)) -> Verdict {
    judged_by(policy, made, (original, None), forge)
}

/// The same with what rows became, where regions were formed.
fn judged_by(
    policy: &str,
    made: &Released,
    (original, assignment): (&Table, Option<&dyn Assignment>),
    forge: impl Fn(&mut Certificate),
) -> Verdict {
    let sha256 = Policy::digest(policy);
    let policy = Policy::parse(policy).unwrap();
    let mut certificate = made.certificate.clone();
    certificate.release.input.sha256 = original.fingerprint(&Watch::none()).unwrap();
    forge(&mut certificate);
    let Certificate { release, columns, classes, .. } = certificate;
    let certificate = Certificate::new(release, columns, classes).unwrap();
    verify(&Inputs {
        policy: &policy,
        policy_sha256: &sha256,
        certificate: &certificate,
        files: None,
        release: &made.table,
        original: Some(Original { rows: original, assignment, secret: None, counted: None, notes: None }),
        population: None,
        build: &|column, values| hierarchy::build(&policy.columns[column].hierarchy(), values, &no_file),
        watch: &Watch::none(),
    })
    .unwrap()
}

#[test]
fn a_class_of_k_rows_and_fewer_people_is_found() {
    let policy = policy(Algorithm::Auto, 3, "");
    let visit = |person: usize| [&format!("p{person}"), "21", "Lynn", "1", "flu"].map(String::from);
    let visits: Vec<Visit> = (0..3).map(visit).collect();
    let made = release(&policy, &table(&visits), &no_file, &Watch::none()).unwrap();
    assert!(judged(&policy, &made, &table(&visits), |_| {}).holds());
    // The same rows of two people: the release is as before, and nothing else shows it.
    let mut two = visits.clone();
    two[2][0] = "p0".into();
    let honest = |certificate: &mut Certificate| {
        certificate.release.people = Some(PeopleFacts { people: 2, released: 2, ..PeopleFacts::default() });
        certificate.release.privacy.get_mut("k-anonymity").unwrap().achieved = Some(2.0);
    };
    let verdict = judged(&policy, &made, &table(&two), |_| {});
    for claim in ["k-anonymity", "people", "risk", "truth"] {
        assert!(!verdict.claims[claim].holds, "{claim}: {verdict:#?}");
    }
    let verdict = judged(&policy, &made, &table(&two), honest);
    for claim in ["k-anonymity", "certificate", "truth"] {
        assert!(!verdict.claims[claim].holds, "{claim}: {verdict:#?}");
    }
    // An original that does not name people cannot prove anything.
    let unnamed = Table::new(
        COLUMNS[1..].iter().map(|name| (*name).to_owned()).collect(),
        visits.iter().map(|visit| visit[1..].iter().cloned().map(Some).collect()).collect(),
    );
    let verdict = judged(&policy, &made, &unnamed.unwrap(), |_| {});
    assert!(!verdict.claims["k-anonymity"].holds && !verdict.claims["input"].holds, "{verdict:#?}");
}

#[test]
fn ten_rows_of_two_people_are_refused_by_the_verifier() {
    let visit = |person: usize| [&format!("p{person}"), "21", "Lynn", "1", "flu"].map(String::from);
    let ten: Vec<Visit> = (0..10).map(visit).collect();
    let two: Vec<Visit> = (0..10).map(|row| visit(row / 5)).collect();
    for algorithm in [Algorithm::Auto, Algorithm::Mondrian, Algorithm::KSimilar, Algorithm::Best] {
        let text = policy(algorithm, 3, "");
        let made = release(&text, &table(&ten), &no_file, &Watch::none()).unwrap();
        let parsed = Policy::parse(&text).unwrap();
        let problem = problem(&parsed, &ten).unwrap();
        let decision = decide(&parsed, &problem, None, &Watch::none()).unwrap();
        let assigned = DecidedAssignment::new(&parsed, &problem, &decision);
        let assigned = parsed.forms_regions().then_some(&assigned as &dyn Assignment);
        assert!(judged_by(&text, &made, (&table(&ten), assigned), |_| {}).holds(), "{algorithm}");
        let stated = |certificate: &mut Certificate| {
            certificate.release.people =
                Some(PeopleFacts { people: 2, released: 2, ..PeopleFacts::default() });
        };
        let verdict = judged_by(&text, &made, (&table(&two), assigned), stated);
        assert!(!verdict.claims["k-anonymity"].holds, "{algorithm}: {verdict:#?}");
        let found = &verdict.claims["k-anonymity"].found;
        assert!(found.contains("belongs to 2 people, 3 are required"), "{algorithm}: {verdict:#?}");
        assert!(verdict.claims["people"].holds, "{algorithm}: {verdict:#?}");
    }
}

#[test]
fn stated_people_are_checked_without_the_original() {
    let policy = policy(Algorithm::Auto, 2, "");
    let made = release(&policy, &table(&ten_of_two()), &no_file, &Watch::none()).unwrap();
    let (parsed, sha256) = (Policy::parse(&policy).unwrap(), Policy::digest(&policy));
    let without = |forge: &dyn Fn(&mut Certificate)| {
        let mut certificate = made.certificate.clone();
        forge(&mut certificate);
        let Certificate { release, columns, classes, .. } = certificate;
        let certificate = Certificate::new(release, columns, classes).unwrap();
        verify(&Inputs {
            policy: &parsed,
            policy_sha256: &sha256,
            certificate: &certificate,
            files: None,
            release: &made.table,
            original: None,
            population: None,
            build: &|column, values| hierarchy::build(&parsed.columns[column].hierarchy(), values, &no_file),
            watch: &Watch::none(),
        })
        .unwrap()
    };
    let verdict = without(&|_| {});
    assert!(verdict.holds(), "{verdict:#?}");
    for claim in ["k-anonymity", "people", "risk"] {
        assert!(verdict.claims[claim].unchecked, "{claim}");
    }
    let more = |c: &mut Certificate| c.release.privacy.get_mut("k-anonymity").unwrap().achieved = Some(4.0);
    assert!(!without(&more).claims["k-anonymity"].holds);
    assert!(!without(&|c| c.release.people = None).claims["certificate"].holds);
    let lost = |c: &mut Certificate| {
        c.release.people =
            Some(PeopleFacts { people: 5, released: 3, withheld: 2, ..PeopleFacts::default() });
    };
    assert!(!without(&lost).claims["certificate"].holds);
}
