//! Comparisons: the file that asks for one, its samples, its runs against brute force, its votes
//! against their definitions.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use throng::compare::{
    Ballot, Comparison, Experiment, Measure, Run, Size, Status, Table, Vote, compare, csv, expand, markdown,
    rank,
};
use throng::error::{Kind, Result};
use throng::policy::Policy;
use throng::search::Grouped;
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::{Cancel, Event, Watch};

const EXPERIMENT: &str = r#"version = 1

[[tables]]
name = "patients"
synth = "patients"
rows = 300
seed = 3

[grid]
algorithms = ["datafly", "samarati", "ola", "incognito", "mingen"]
losses = ["prec", "entropy", "lm"]
k = [2, 5]
suppression = [0.6, 0.9]
sizes = [100, "all"]
repeats = 2
seed = 9
"#;

fn tables(experiment: &Experiment) -> Vec<Table> {
    let made = experiment.tables.iter().map(|t| {
        Table::made_up(t.name.clone(), t.synth.unwrap(), t.rows.unwrap(), t.seed.unwrap_or(1)).unwrap()
    });
    made.collect()
}

pub(crate) fn run(text: &str) -> Result<Comparison> {
    let experiment = Experiment::parse(text)?;
    compare(&experiment, &tables(&experiment), &|| 0.0, &Watch::none())
}

#[test]
fn every_combination_is_run_and_none_beats_the_optimum() {
    let comparison = run(EXPERIMENT).unwrap();
    // Two samples and the whole table twice, 3 losses × 2 limits × 2 k, 5 algorithms.
    assert_eq!(comparison.runs.len(), 4 * 12 * 5);
    assert_eq!((comparison.planned, comparison.finished), (240, true));
    let mut solved = 0;
    for point in comparison.runs.chunks(5) {
        let algorithms: Vec<&str> = point.iter().map(|r| r.algorithm.as_str()).collect();
        assert_eq!(algorithms, ["datafly", "samarati", "ola", "incognito", "mingen"]);
        let brute = &point[4];
        for run in point.iter().filter(|r| r.status == Status::Solved) {
            assert_eq!(run.optimum, brute.value, "the optimum is what brute force finds");
            let relative = run.relative.unwrap();
            assert!(relative >= 100.0, "{run:?}");
            if ["ola", "incognito", "mingen"].contains(&run.algorithm.as_str()) {
                assert_eq!((relative, run.value), (100.0, brute.value), "{run:?}");
                assert_eq!(run.levels, brute.levels);
            }
            assert!(run.suppressed.unwrap() <= (run.suppression * run.rows as f64) as u64);
            assert!(run.checked.unwrap() > 0 && run.score.unwrap() > 0.0 && run.compared.unwrap() > 0);
            solved += 1;
        }
        let refused = point.iter().find(|r| r.status == Status::Refused);
        assert_eq!(refused.is_some(), point[0].loss == "lm", "only OLA, only where the loss is not monotone");
        assert!(refused.is_none_or(|r| r.algorithm == "ola" && r.reason.as_ref().unwrap().contains("lm")));
    }
    assert!(solved > 90, "{solved}");
    assert_eq!(comparison.runs[0].rows, 100);
    assert_eq!(comparison.runs.last().unwrap().rows, 300);
}

#[test]
fn the_same_experiment_has_the_same_bytes() {
    let [first, second] = [(); 2].map(|()| run(EXPERIMENT).unwrap());
    assert_eq!(csv(&first), csv(&second));
    assert_eq!(markdown(&first), markdown(&second));
    assert_eq!(first, second);
    let other = run(&EXPERIMENT.replace("seed = 9", "seed = 10")).unwrap();
    let samples = |c: &Comparison| c.runs[..60].iter().map(|r| r.value).collect::<Vec<_>>();
    assert_ne!(samples(&first), samples(&other), "another seed takes other rows");
    assert_eq!(first.runs[120..], other.runs[120..], "the whole table has no seed");
}

#[test]
fn seconds_are_the_clock_s_and_outside_the_score() {
    let experiment = Experiment::parse(&EXPERIMENT.replace("100, ", "")).unwrap();
    let ticks = AtomicU64::new(0);
    let clock = || ticks.fetch_add(1, Ordering::Relaxed) as f64;
    let comparison = compare(&experiment, &tables(&experiment), &clock, &Watch::none()).unwrap();
    assert!(comparison.runs.iter().filter(|r| r.status == Status::Solved).all(|r| r.seconds == Some(1.0)));
}

#[test]
fn a_stopped_comparison_keeps_what_was_run() {
    let experiment = Experiment::parse(EXPERIMENT).unwrap();
    let whole = run(EXPERIMENT).unwrap();
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let watch = Watch::new(cancel).listening(move |event| {
        // What happens within a run is not reported.
        let Event::Run { done, of, .. } = event else { panic!("{event:?}") };
        assert_eq!(of, 240);
        if done == 7 {
            stop.finish();
        }
    });
    let stopped = compare(&experiment, &tables(&experiment), &|| 0.0, &watch).unwrap();
    assert!(!stopped.finished);
    assert_eq!(stopped.runs, whole.runs[..stopped.runs.len()]);
    assert_eq!(stopped.runs.len(), 7);
    assert_eq!(stopped.rankings[0].ballots, 1, "the second point is not complete");
    assert!(markdown(&stopped).contains("7 of 240 runs were made; it was stopped"));
}

#[test]
fn points_without_a_solution_are_listed_as_such() {
    let comparison = run(&EXPERIMENT.replace("k = [2, 5]", "k = [2, 250]")).unwrap();
    let large: Vec<_> = comparison.runs.iter().filter(|r| r.k == 250).collect();
    assert!(large.iter().all(|r| r.status != Status::Solved && r.value.is_none() && r.relative.is_none()));
    let small = large.iter().filter(|r| r.size == Size::Rows(100));
    assert!(small.clone().count() > 0);
    assert!(small.clone().all(|r| r.reason.as_ref().unwrap().contains("larger than the 100 rows")));
    assert!(markdown(&comparison).contains("## Runs without an answer"));
    assert_eq!(comparison.rankings[0].ballots, 4 * 6);
}

#[test]
fn a_table_too_small_for_a_sample_and_a_loss_without_that_parameter_are_mistakes() {
    let error = run(&EXPERIMENT.replace("[100,", "[1000,")).unwrap_err();
    assert_eq!(error.faults()[0].kind, Kind::Data);
    assert!(error.to_string().contains("has 300 rows, not 1000"), "{error}");
    let error = run(&EXPERIMENT.replace("\"lm\"]", "{ name = \"dm\", aggregate = \"max\" }]")).unwrap_err();
    assert!(error.to_string().contains("grid.losses: loss \"dm\" has no aggregate"), "{error}");
}

#[test]
fn skewed_tables_are_made_up_with_their_hierarchies() {
    let text = EXPERIMENT
        .replace("\"patients\"\nrows = 300", "\"skewed\"\nrows = 60")
        .replace("sizes = [100, \"all\"]", "score = false")
        .replace("\"datafly\", \"samarati\", \"ola\", \"incognito\", \"mingen\"", "\"datafly\"");
    let comparison = run(&text).unwrap();
    assert!(comparison.runs.iter().all(|r| r.nodes == 25_920 && r.rows == 60 && r.score.is_none()));
    assert!(comparison.runs.iter().any(|r| r.status == Status::Solved));
}

#[test]
fn samples_have_their_size_and_losing_nothing_is_optimal() {
    let text = EXPERIMENT
        .replace("sizes = [100, \"all\"]\nrepeats = 2", "sizes = [60]\nrepeats = 20\nscore = false")
        .replace("\"datafly\", \"samarati\", \"ola\", \"incognito\", \"mingen\"", "\"datafly\"")
        .replace("\"prec\", \"entropy\", \"lm\"", "\"entropy\"")
        .replace("k = [2, 5]", "k = [1]")
        .replace("[0.6, 0.9]", "[0.0]");
    let comparison = run(&text).unwrap();
    assert_eq!(comparison.runs.len(), 20);
    assert!(comparison.runs.iter().all(|r| r.rows == 60 && r.status == Status::Solved));
    // With k = 1 nothing is lost, and the optimum of 0 is reached.
    assert!(comparison.runs.iter().all(|r| r.value == Some(0.0) && r.relative == Some(100.0)));
}

const MISTAKES: &[(&str, &str, &[&str])] = &[
    ("version = 1", "version = 2", &["version 2", "version = 1"]),
    ("algorithms", "algoritms", &["`algoritms`", "did you mean `algorithms`?"]),
    ("\"ola\"", "\"olla\"", &["grid.algorithms", "no algorithm \"olla\"", "did you mean \"ola\"?"]),
    ("\"entropy\"", "\"model\"", &["grid.losses", "no search minimizes it", "greedy+model", "column-mi"]),
    ("\"entropy\"", "\"entropie\"", &["grid.losses", "no loss \"entropie\"", "did you mean \"entropy\"?"]),
    ("k = [2, 5]", "k = []", &["grid.k", "is empty"]),
    ("k = [2, 5]", "k = [2, 0]", &["grid.k", "1 or more"]),
    ("k = [2, 5]", "k = [2, 2]", &["grid.k", "has 2 twice"]),
    ("0.9]", "20]", &["grid.suppression", "20 is not a share", "0.05 is 5 %"]),
    ("[100, ", "[0, ", &["grid.sizes", "nothing to release"]),
    ("\"all\"", "\"al\"", &["\"al\"", "a number of rows or \"all\""]),
    ("[100, ", "[-1, ", &["`-1`", "a number of rows or \"all\""]),
    ("repeats = 2", "repeats = 0", &["grid.repeats", "1 or more"]),
    ("synth = \"patients\"", "synth = \"pacients\"", &["`pacients`", "did you mean `patients`?"]),
    ("rows = 300\n", "", &["tables.0", "needs rows"]),
    ("rows = 300", "rows = 0", &["tables.0.rows", "needs rows"]),
    ("rows = 300", "rows = 300\nfolder = \"x\"", &["tables.0.folder", "remove `folder`"]),
    ("synth = \"patients\"", "policy = \"p.toml\"", &["tables.0.rows", "tables.0.seed", "grid.sizes"]),
    ("synth = \"patients\"", "synth = \"patients\"\npolicy = \"p.toml\"", &["tables.0", "both"]),
    ("synth = \"patients\"\n", "", &["table `patients` has no rows", "synth = \"patients\""]),
    ("seed = 9", "seed = 9\n[plots]\nlosses = [\"precc\"]", &["plots.losses", "did you mean \"prec\"?"]),
    ("seed = 9", "seed = 9\n[plots]\nsuppression = [0.1]", &["plots.suppression", "no suppression 0.1"]),
];

#[test]
fn mistakes_are_named_with_their_place() {
    assert!(Experiment::parse(EXPERIMENT).is_ok());
    for (from, to, says) in MISTAKES {
        assert_eq!(EXPERIMENT.matches(from).count(), 1, "`{from}` stands there once");
        let text = EXPERIMENT.replace(from, to);
        let error = Experiment::parse(&text).unwrap_err();
        let said = error.to_string();
        assert!(says.iter().all(|word| said.contains(word)), "{from} → {to}: {said}");
        assert!(error.faults().iter().all(|f| f.place.span.is_some()), "{from} → {to}: {error:?}");
    }
    let text = EXPERIMENT.replace("k = [2, 5]", "k = []").replace("repeats = 2", "repeats = 0");
    assert_eq!(Experiment::parse(&text).unwrap_err().faults().len(), 2, "both at once");
}

#[test]
fn a_mistake_in_the_second_table_is_shown_there() {
    let text =
        EXPERIMENT.replace("[grid]", "[[tables]]\nname = \"more\"\nsynth = \"skewed\"\nrows = 0\n\n[grid]");
    let error = Experiment::parse(&text).unwrap_err();
    let span = error.faults()[0].place.span.clone().unwrap();
    assert_eq!(&text[span.clone()], "0");
    assert_eq!(text[..span.start].matches('\n').count() + 1, 12);
}

#[test]
fn variables_in_paths_are_replaced_or_named() {
    let known = |name: &str| (name == "DATA_1").then(|| "/data".to_owned());
    for (path, expanded) in [
        ("$DATA_1/adult", "/data/adult"),
        ("a/$DATA_1-x/$DATA_1", "a//data-x//data"),
        ("plain.toml", "plain.toml"),
        ("cash$/5$", "cash$/5$"),
    ] {
        assert_eq!(expand(path, &known).unwrap(), expanded);
    }
    let error = expand("$OTHER/x", &known).unwrap_err().to_string();
    assert!(error.contains("OTHER is not set") && error.contains("OTHER=/path"), "{error}");
}

fn ballots() -> impl Strategy<Value = (usize, Vec<Ballot>)> {
    (1usize..5).prop_flat_map(|algorithms| {
        let vote = prop::option::weighted(0.85, (1u8..5, any::<bool>()));
        let vote = vote.prop_map(|v| {
            v.map(|(loss, told)| Vote {
                loss: f64::from(loss),
                error: (told || loss > 1).then(|| f64::from(loss) * 10.0),
            })
        });
        (Just(algorithms), prop::collection::vec(prop::collection::vec(vote, algorithms), 0..12))
    })
}

proptest! {
    /// Every winner by its definition, counted anew.
    #[test]
    fn votes_are_counted_as_defined((algorithms, ballots) in ballots()) {
        let names: Vec<String> = (0..algorithms).map(|i| format!("a{i}")).collect();
        let ranking = rank("t", &names, &ballots);
        let best = |scores: &[i64]| -> BTreeSet<String> {
            let most = scores.iter().max().copied();
            (0..algorithms).filter(|&i| Some(scores[i]) == most).map(|i| names[i].clone()).collect()
        };
        let firsts: Vec<i64> = (0..algorithms).map(|i| {
            ballots.iter().filter(|b| {
                let least = b.iter().flatten().map(|v| v.loss).fold(f64::INFINITY, f64::min);
                b[i].map(|v| v.loss) == Some(least)
            }).count() as i64
        }).collect();
        let races = Cell::new(0);
        let won: Vec<i64> = (0..algorithms).map(|a| (0..algorithms).filter(|&b| b != a).filter(|&b| {
            races.set(races.get() + 1);
            let both: Vec<(f64, f64)> = ballots.iter()
                .filter_map(|x| Some((x[a]?.loss, x[b]?.loss))).collect();
            both.iter().filter(|(a, b)| a < b).count() > both.iter().filter(|(a, b)| b < a).count()
        }).count() as i64).collect();
        let shared: Vec<Vec<f64>> = ballots.iter()
            .filter_map(|b| b.iter().map(|v| (*v)?.error).collect::<Option<Vec<f64>>>()).collect();
        let errors: Vec<i64> = (0..algorithms).map(|i| -shared.iter().map(|b| b[i]).sum::<f64>() as i64).collect();
        let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        let voted = ballots.iter().any(|b| b.iter().any(Option::is_some));
        prop_assert_eq!(set(&ranking.majority), if voted { best(&firsts) } else { BTreeSet::new() });
        prop_assert_eq!(set(&ranking.condorcet), if voted { best(&won) } else { BTreeSet::new() });
        prop_assert_eq!(set(&ranking.total), if shared.is_empty() { BTreeSet::new() } else { best(&errors) });
        prop_assert_eq!(ranking.common, shared.len() as u64);
        let lost: u64 = ranking.standings.iter().map(|s| s.lost).sum();
        prop_assert_eq!(lost as i64, won.iter().sum::<i64>(), "a race that is won is lost by the other");
        for (i, standing) in ranking.standings.iter().enumerate() {
            prop_assert_eq!((standing.first as i64, standing.won as i64), (firsts[i], won[i]));
        }
    }
}

#[test]
fn regions_and_steps_take_part_beside_levels() {
    let text = "version = 1\n[[tables]]\nname = \"s\"\nsynth = \"skewed\"\nrows = 400\n[grid]\n\
                algorithms = [\"auto\", \"auto+local\", \"mondrian\", \"k-similar\"]\nlosses = [\"lm\", \"height\"]\nk = [3]\nsuppression = [0.0]\n\
                score = false\n";
    let experiment = Experiment::parse(text).unwrap();
    let tables = vec![Table::made_up("s".into(), throng::compare::Synth::Skewed, 400, 1).unwrap()];
    let comparison = compare(&experiment, &tables, &|| 0.0, &Watch::none()).unwrap();
    let value = |loss: &str, name: &str| {
        comparison.runs.iter().find(|run| run.loss == loss && run.algorithm == name).unwrap()
    };
    let optimum = value("lm", "auto").value.unwrap();
    for name in ["auto+local", "mondrian", "k-similar"] {
        let run = value("lm", name);
        assert!(run.value.unwrap() < optimum && run.relative.unwrap() < 100.0, "{run:?}");
        assert_eq!(run.suppressed, Some(0));
    }
    // Total errors are beyond the least at a point, which here is below the optimum of levels.
    let standings = &comparison.rankings[0].standings;
    assert!(standings.iter().all(|s| s.error >= 0.0) && standings.iter().any(|s| s.error == 0.0));
    assert!(standings[0].error > 0.0, "{standings:?}");
    assert_eq!(comparison.baseline, "optimum of levels");
    let text_of = markdown(&comparison);
    assert!(
        text_of.contains("In % of the optimum of levels")
            && text_of.contains("below 100: auto+local, mondrian")
    );
    assert!(!markdown(&run(EXPERIMENT).unwrap()).contains("below 100"), "searches of levels alone");
    assert_eq!(value("height", "mondrian").status, Status::Refused);
    assert!(value("height", "mondrian").reason.as_ref().unwrap().contains("adds up levels"));
    let wrong = text.replace("auto+local", "mondrian+local");
    assert!(Experiment::parse(&wrong).unwrap_err().to_string().contains("mondrian+local"));
}

/// A table with a cost that hangs on the age alone, and a policy with these lines.
pub(crate) fn costs(lines: &str) -> Table {
    costs_by("greedy", lines)
}

/// The same with the algorithm of the policy.
fn costs_by(algorithm: &str, lines: &str) -> Table {
    let policy = Policy::parse(&format!(
        "version = 1\ninput.path = \"x.csv\"\ncolumns.age.role = \"quasi\"\ncolumns.sex.role = \"quasi\"\n\
         columns.cost.role = \"target\"\nprivacy.k = 2\nsearch.algorithm = \"{algorithm}\"\nsearch.loss = \"lm\"\n{lines}"
    ))
    .unwrap();
    let mut dictionaries = vec![Dictionary::new(); 3];
    let mut tuples = Tuples::new(3);
    for at in 0..60u32 {
        let row = [
            (at * 7 % 40).to_string(),
            ["f", "m"][at as usize / 3 % 2].into(),
            (at * 7 % 40 * 100).to_string(),
        ];
        let codes: Vec<u32> =
            row.iter().zip(&mut dictionaries).map(|(cell, d)| d.add(Some(cell), 1)).collect();
        tuples.insert(&codes, 1);
    }
    let names = vec!["age".into(), "sex".into()];
    let grouped = Grouped { names, measured: vec!["cost".into()], dictionaries, tuples, population: None };
    Table::new("costs".into(), policy, grouped, Box::new(|_| unreachable!()))
}

#[test]
fn a_model_of_the_policy_guides_greedy_or_is_refused() {
    let text = "version = 1\n[[tables]]\nname = \"costs\"\npolicy = \"p.toml\"\n[grid]\n\
                algorithms = [\"greedy\", \"greedy-rows\", \"k-similar\"]\nlosses = [\"lm\"]\nk = [4]\nsuppression = [0.0]\nscore = false\n";
    let run = |text: &str, lines: &str| {
        compare(&Experiment::parse(text).unwrap(), &[costs(lines)], &|| 0.0, &Watch::none())
    };
    let (plain, guided) = (
        run(text, "").unwrap().runs,
        run(text, "search.model = { builtin = \"linear\", target = \"cost\" }").unwrap().runs,
    );
    assert!(guided[0].value.unwrap() > plain[0].value.unwrap(), "sex is not worth keeping: {:?}", guided[0]);
    assert_eq!((plain[1].status, guided[1].status), (Status::Solved, Status::Refused));
    assert!(guided[1].reason.as_ref().unwrap().contains("not guided by a model"));
    assert_eq!(guided[2], plain[2], "k-similar is guided by none");
    let unfit = run(text, "search.model = { builtin = \"logistic\", target = \"cost\" }").unwrap().runs;
    assert_eq!(unfit[0].status, Status::Refused);
    let command = "search.model = { command = [\"model\"], target = \"cost\" }";
    let error = run(text, command).unwrap_err();
    assert!(error.to_string().contains("runs no commands"), "{error}");
    assert_eq!(error.faults()[0].kind, Kind::Input);
    let others = text.replace("\"greedy\", \"greedy-rows\", ", "");
    for model in [command, "search.model = { builtin = \"linear\", target = \"cost\", guides = false }"] {
        let error = run(&others, model).unwrap_err();
        assert!(error.has_code("experiment.model-not-used"), "{error}");
    }
    assert!(run(&others, "").is_ok());
}

/// Sixteen pairs of four values each: of two columns that tie, either will do, and one weighs more.
fn tied() -> Table {
    let policy = Policy::parse(
        "version = 1\ninput.path = \"x.csv\"\ncolumns.a = { role = \"quasi\", weight = 3.0 }\ncolumns.b.role = \"quasi\"\n\
         privacy.k = 2\n",
    )
    .unwrap();
    let mut dictionaries = vec![Dictionary::new(); 2];
    let mut tuples = Tuples::new(2);
    for at in 0..16u32 {
        let row = [format!("a{}", at / 4), format!("b{}", at % 4)];
        let codes: Vec<u32> =
            row.iter().zip(&mut dictionaries).map(|(cell, d)| d.add(Some(cell), 1)).collect();
        tuples.insert(&codes, 1);
    }
    let names = vec!["a".into(), "b".into()];
    let grouped = Grouped { names, measured: Vec::new(), dictionaries, tuples, population: None };
    Table::new("tied".into(), policy, grouped, Box::new(|_| unreachable!()))
}

#[test]
fn ties_are_averaged_over_repeats_of_the_whole_table() {
    let text = "version = 1\n[[tables]]\nname = \"tied\"\npolicy = \"p.toml\"\n[grid]\nalgorithms = [\"datafly\", \"ola\"]\n\
                losses = [\"prec\"]\nk = [2]\nsuppression = [0.0]\nrepeats = 40\nscore = false\n";
    let run =
        |text: &str| compare(&Experiment::parse(text).unwrap(), &[tied()], &|| 0.0, &Watch::none()).unwrap();
    let comparison = run(text);
    assert_eq!((comparison.planned, comparison.runs.len()), (80, 80));
    let (datafly, ola): (Vec<&Run>, Vec<&Run>) =
        comparison.runs.iter().partition(|r| r.algorithm == "datafly");
    assert!(datafly.iter().enumerate().all(|(i, run)| run.repeat as usize == i + 1));
    let relative: Vec<f64> = datafly.iter().map(|run| run.relative.unwrap()).collect();
    // Generalizing `a` loses three times as much as generalizing `b`.
    assert!(relative.contains(&100.0) && relative.contains(&300.0), "{relative:?}");
    assert!(ola.iter().all(|run| (run.relative, &run.levels) == (Some(100.0), &ola[0].levels)));
    let panel = &comparison.panels()[0];
    let mean = comparison.series(panel, "datafly", Measure::Relative)[0].unwrap();
    assert!((mean - relative.iter().sum::<f64>() / 40.0).abs() < 1e-9 && mean > 100.0 && mean < 300.0);
    assert_eq!(comparison.rankings[0].ballots, 40);
    let once = run(&text.replace("repeats = 40", "repeats = 1"));
    assert_eq!(once.runs[..], comparison.runs[..2], "the first repeat has the seed of the policy");
    let without = run(&text.replace("\"datafly\", ", ""));
    assert_eq!(without.planned, 1, "nothing that another seed could change");
}

/// Every run has a policy that passes its checks: without parameters of other algorithms, and
/// refused where its algorithm does not go with the rest.
#[test]
fn a_policy_is_checked_again_with_the_algorithm_of_the_run() {
    let run = |table: Table, algorithms: &str| {
        let text = format!(
            "version = 1\n[[tables]]\nname = \"costs\"\npolicy = \"p.toml\"\n[grid]\nalgorithms = [{algorithms}]\n\
             losses = [\"lm\"]\nk = [4]\nsuppression = [0.5]\nscore = false\n"
        );
        let experiment = Experiment::parse(&text).unwrap();
        compare(&experiment, &[table], &|| 0.0, &Watch::none()).unwrap().runs
    };
    let all = "\"auto\", \"datafly\", \"mondrian\", \"boxes\", \"k-similar\", \"partition\", \"greedy\"";
    let plain = run(costs(""), all);
    for (algorithm, lines) in [
        ("mondrian", "search.mondrian = { cut = \"relaxed\" }\ncolumns.sex.form = \"set\""),
        ("mondrian", "search.choose = \"values\""),
        ("datafly", "columns.sex.linking = 0.5"),
        ("samarati", "search.prefer = \"absolute\""),
    ] {
        for (run, plain) in run(costs_by(algorithm, lines), all).into_iter().zip(&plain) {
            assert_eq!(run.status, Status::Solved, "{algorithm}: {run:?}");
            let same = run.algorithm == algorithm || algorithm == "mondrian" || run == *plain;
            assert!(same || run.algorithm == "k-similar", "{run:?} {plain:?}");
        }
    }
    let starred =
        run(costs_by("auto", "output.suppressed = \"starred\""), "\"auto\", \"mondrian\", \"greedy-rows\"");
    let statuses: Vec<Status> = starred.iter().map(|run| run.status).collect();
    assert_eq!(statuses, [Status::Solved, Status::Refused, Status::Refused]);
    assert!(starred[1].reason.as_ref().unwrap().contains("releases every row that it can"), "{starred:?}");
}

pub(crate) const PREDICTION: &str = r#"version = 1

[[tables]]
name = "hospital"
synth = "hospital_all"
rows = 500
seed = 3

[grid]
algorithms = ["ola", "datafly+local", "mondrian", "k-similar"]
losses = ["vinterbo", "column-mi", "value-mi"]
k = [3]
suppression = [0.2]
sizes = [40, 80]
repeats = 2
score = false

[prediction]
target = "next_cost"
features = ["age", "sex", "diagnosis", "second", "diagnoses"]
train = 300
"#;

#[test]
fn a_model_predicts_from_what_is_released() {
    let comparison = run(PREDICTION).unwrap();
    assert_eq!(comparison.runs.len(), 4 * 3 * 4);
    let solved: Vec<_> = comparison.runs.iter().filter(|run| run.status == Status::Solved).collect();
    assert!(solved.len() > 40, "{}", solved.len());
    for run in &solved {
        let found = run.predicted.unwrap();
        // Means are totals over all rows, suppressed ones too, and the model was the same for all.
        for errors in [found.released, found.original, found.moved] {
            assert!((errors.mean * run.rows as f64 - errors.total).abs() < 1e-6 * errors.total.max(1.0));
        }
        assert!(found.moved.mean > 0.0, "something was lost: {run:?}");
        // A prediction that is moved by so much cannot be worse by more.
        assert!((found.released.total - found.original.total).abs() <= found.moved.total + 1e-6);
        let same = |other: &&&Run| (other.size, other.repeat) == (run.size, run.repeat);
        assert!(solved.iter().filter(same).all(|other| other.predicted.unwrap().original == found.original));
    }
    let text = markdown(&comparison);
    assert!(
        text.contains("### Mean absolute error of predictions: hospital") && text.contains("original rows")
    );
    assert!(text.contains("### Which loss serves the model best: hospital, mondrian, without samples of 40"));
    assert!(
        csv(&comparison)
            .lines()
            .next()
            .unwrap()
            .ends_with("original_error_total,moved_mean,moved_deviation,notion")
    );
    assert_eq!(csv(&comparison), csv(&run(PREDICTION).unwrap()));
}

#[test]
fn what_is_not_generalized_is_predicted_as_before() {
    let text = PREDICTION.replace("k = [3]", "k = [1]").replace(", \"k-similar\"", "");
    for model in ["linear", "forest"] {
        let comparison =
            run(&text.replace("train = 300", &format!("train = 300\nmodel = \"{model}\""))).unwrap();
        for run in &comparison.runs {
            let found = run.predicted.unwrap();
            assert_eq!((found.moved.total, found.released), (0.0, found.original), "{run:?}");
        }
    }
}

#[test]
fn votes_on_losses_are_counted_from_the_runs() {
    let comparison = run(PREDICTION).unwrap();
    // One table, four algorithms, with and without the smaller samples.
    assert_eq!(comparison.measures.len(), 8);
    for (ranking, algorithm) in comparison.measures.iter().step_by(2).zip(&comparison.algorithms) {
        let of = |loss: &str| -> Vec<f64> {
            let runs = comparison.runs.iter().filter(|r| r.algorithm == *algorithm && r.loss == loss);
            runs.filter_map(|run| Some(run.predicted?.released.total)).collect()
        };
        let [a, b, c] = ["vinterbo", "column-mi", "value-mi"].map(of);
        if [&a, &b, &c].iter().any(|errors| errors.len() != 4) {
            continue;
        }
        assert_eq!((ranking.ballots, ranking.common), (4, 4));
        assert!((ranking.standings[1].error - b.iter().sum::<f64>()).abs() < 1e-6);
        let best = (0..4).filter(|&i| c[i] <= a[i].min(b[i])).count() as u64;
        assert_eq!(ranking.standings[2].first, best);
    }
}

#[test]
fn predictions_that_cannot_be_are_refused_by_name() {
    let wrong = |from: &str, to: &str, parts: &[&str]| {
        assert!(PREDICTION.contains(from));
        let text = run(&PREDICTION.replace(from, to)).unwrap_err().to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    wrong("train = 300", "train = 0", &["prediction.train", "needs rows"]);
    wrong("train = 300", "train = 490", &["prediction.train", "460 rows beside a sample of 40, not 490"]);
    wrong(
        "train = 300",
        "train = 300\nmodel = \"lineer\"",
        &["prediction.model", "did you mean \"linear\"?"],
    );
    wrong(
        "train = 300",
        "train = 300\nmodel = \"logistic\"",
        &["prediction.model", "does not predict numbers"],
    );
    wrong("\"next_cost\"", "\"nextcost\"", &["prediction.target", "did you mean `next_cost`?"]);
    wrong("\"sex\", ", "\"sexe\", ", &["prediction.features", "did you mean `sex`?"]);
    wrong("\"sex\", ", "\"age\", ", &["prediction.features", "`age` twice"]);
    wrong("[40, 80]", "[40, \"all\"]", &["grid.sizes", "leaves none"]);
}
