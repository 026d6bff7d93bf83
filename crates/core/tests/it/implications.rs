//! (c, k)-safety against brute force: every world, every basic implication, every atom.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use throng::model::{self, PrivacyModel, Setting, Values};
use throng::policy::{CkSafety, ModelSpec};
use throng::search::{Evaluator, Outcome, solve, strategy};
use throng::table::Dictionary;
use throng::watch::Watch;

use crate::instances::{flat, instance, levels, problem};
use crate::naive::Instance;

/// The value that stands for a missing cell.
const MISSING: usize = 3;

/// The model of a measured column.
fn built(measured: usize, c: f64, knowledge: usize, strict: bool) -> Box<dyn PrivacyModel> {
    let texts = Dictionary::of([Some("0"), Some("1"), Some("2"), None]);
    let column = Values { name: "s", measured, texts: &texts, rows: &[1; 4], hierarchy: None, listed: false };
    let asked = ModelSpec::CkSafety(CkSafety { column: "s".into(), c, knowledge });
    model::build(&asked, &Setting { column: Some(&column), strict, ..Setting::default() }).unwrap()
}

/// A set of worlds: bit by bit.
type Event = u64;

/// All ways to deal the values of classes to their people: one list of values, person by person.
fn worlds(classes: &[Vec<usize>]) -> Vec<Vec<usize>> {
    fn deals(values: &[usize]) -> Vec<Vec<usize>> {
        if values.is_empty() {
            return vec![Vec::new()];
        }
        let mut all = BTreeSet::new();
        for at in 0..values.len() {
            let rest = [&values[..at], &values[at + 1..]].concat();
            all.extend(deals(&rest).into_iter().map(|deal| [vec![values[at]], deal].concat()));
        }
        all.into_iter().collect()
    }
    let join = |worlds: Vec<Vec<usize>>, class: &Vec<usize>| {
        let deals = deals(class);
        worlds.iter().flat_map(|w| deals.iter().map(move |d| [w.clone(), d.clone()].concat())).collect()
    };
    classes.iter().fold(vec![Vec::new()], join)
}

/// Everything that can be made of some events with an operation; none where that is too much to
/// try.
fn closed(events: &[Event], operation: impl Fn(Event, Event) -> Event) -> Option<BTreeSet<Event>> {
    let mut all: BTreeSet<Event> = events.iter().copied().collect();
    loop {
        let more: BTreeSet<Event> =
            all.iter().flat_map(|a| events.iter().map(|b| operation(*a, *b))).collect();
        let before = all.len();
        all.extend(more);
        if all.len() == before || all.len() > 600 {
            return (all.len() == before).then_some(all);
        }
    }
}

/// The largest probability of an atom about somebody in the first class, for an adversary who knows
/// this many basic implications; none if there are too many to try.
fn brute_force(classes: &[Vec<usize>], knowledge: usize) -> Option<f64> {
    let worlds = worlds(classes);
    if worlds.len() > 12 {
        return None;
    }
    let people = worlds[0].len();
    let atom = |person: usize, value: usize| {
        let has = worlds.iter().enumerate().filter(|(_, world)| world[person] == value);
        has.fold(0, |event, (at, _)| event | 1 << at)
    };
    let atoms = |people: usize| -> Vec<Event> {
        (0..people)
            .flat_map(|person| (0..3).map(move |value| (person, value)))
            .map(|(p, v)| atom(p, v))
            .collect()
    };
    let all: Event = (1 << worlds.len()) - 1;
    let (ifs, thens) = (closed(&atoms(people), |a, b| a & b)?, closed(&atoms(people), |a, b| a | b)?);
    let implications: BTreeSet<Event> =
        ifs.iter().flat_map(|i| thens.iter().map(move |t| (all & !i) | t)).collect();
    let mut known = BTreeSet::from([all]);
    for _ in 0..knowledge {
        if known.len() * implications.len() > 50_000 {
            return None;
        }
        known = known.iter().flat_map(|k| implications.iter().map(move |i| k & i)).collect();
    }
    let chance = |known: &Event| {
        let likeliest = atoms(classes[0].len()).into_iter().map(|atom| (atom & known).count_ones()).max();
        f64::from(likeliest.unwrap_or(0)) / f64::from(known.count_ones())
    };
    known.iter().filter(|known| **known != 0).map(chance).reduce(f64::max)
}

/// The figure of a table of some classes.
fn figure(classes: &[Vec<usize>], knowledge: usize) -> f64 {
    let rows = classes.iter().enumerate().flat_map(|(class, values)| values.iter().map(move |v| (class, *v)));
    let (rows, values): (Vec<Vec<usize>>, Vec<usize>) = rows.map(|(class, v)| (vec![class], v)).unzip();
    let mut instance = flat(&[classes.len()], rows, "height");
    instance.labels = vec![values];
    let problem = problem(&instance).unwrap();
    let mut evaluator = Evaluator::measuring(&problem);
    let node = problem.lattice.bottom();
    let (view, _) = evaluator.classes(&node);
    let mut none = throng::classes::Flags::default();
    none.reset(view.len());
    built(0, 1.0, knowledge, false).verdict(&view, &none).unwrap().achieved.unwrap()
}

/// The same by trying all implications about the people of every class; none where these are too
/// many.
fn told(classes: &[Vec<usize>], knowledge: usize) -> Option<f64> {
    let first = |at: usize| {
        let mut classes = classes.to_vec();
        classes.rotate_left(at);
        brute_force(&classes, knowledge)
    };
    (0..classes.len()).map(first).collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}

fn class(most: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..3, 1..=most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_implications_tell_more_than_the_figure(
        classes in prop_oneof![
            class(4).prop_map(|a| vec![a]),
            (class(3), class(3)).prop_map(|(a, b)| vec![a, b]),
            (class(2), class(2), class(2)).prop_map(|(a, b, c)| vec![a, b, c]),
        ],
        knowledge in 0usize..3,
    ) {
        let Some(found) = told(&classes, knowledge) else { return Ok(()) };
        let figure = figure(&classes, knowledge);
        prop_assert!((figure - found).abs() < 1e-6, "{figure}, not {found}");
    }
}

/// Tables that random ones may not hit, with more knowledge, in one class and over several.
#[test]
fn small_tables_are_tried_in_full() {
    let tables: [&[&[usize]]; 7] = [
        &[&[0, 1, 2]],
        &[&[0, 0, 1, 1]],
        &[&[0, 0, 0, 1]],
        &[&[0, 1], &[0, 1]],
        &[&[0, 1], &[0, 0, 1]],
        &[&[0, 0, 1], &[1, 2]],
        &[&[0, 1], &[0], &[1, 2]],
    ];
    for table in tables {
        let classes: Vec<Vec<usize>> = table.iter().map(|class| class.to_vec()).collect();
        for knowledge in 0..=3 {
            let found = told(&classes, knowledge).expect("few worlds");
            let figure = figure(&classes, knowledge);
            assert!((figure - found).abs() < 1e-6, "{classes:?}, {knowledge}: {figure}, not {found}");
        }
    }
}

/// By the paper's formula, one class after the other, with every way to divide the atoms.
fn naive(classes: &[Vec<usize>], of: usize, atoms: usize) -> f64 {
    let counts = |class: &Vec<usize>| {
        let mut counts = [0usize; 3];
        class.iter().filter(|&&v| v != MISSING).for_each(|&v| counts[v] += 1);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    };
    fn avoid(counts: [usize; 3], person: usize, atoms: usize, most: usize) -> f64 {
        let n: usize = counts.iter().sum();
        if person >= n || atoms == 0 {
            return 1.0;
        }
        let one = |values: usize| {
            let top: usize = counts.iter().take(values).sum();
            (n - person).saturating_sub(top) as f64 / (n - person) as f64
                * avoid(counts, person + 1, atoms - values, values)
        };
        (1..=most.min(atoms)).map(one).fold(1.0, f64::min)
    }
    fn others(classes: &[[usize; 3]], atoms: usize) -> f64 {
        let Some((first, rest)) = classes.split_first() else { return 1.0 };
        let mine = |mine: usize| avoid(*first, 0, mine, mine) * others(rest, atoms - mine);
        (0..=atoms).map(mine).fold(1.0, f64::min)
    }
    let own = counts(&classes[of]);
    let n: usize = own.iter().sum();
    if n == 0 {
        return 0.0;
    }
    let rest = classes.iter().enumerate().filter(|(at, _)| *at != of).map(|(_, class)| counts(class));
    let rest: Vec<[usize; 3]> = rest.collect();
    let least = (1..=atoms).map(|mine| avoid(own, 0, mine, mine) * others(&rest, atoms - mine));
    let top = own[0] as f64 / n as f64;
    top / (top + least.fold(1.0, f64::min))
}

/// The rows that k, then the model of a class by itself, then among the others, leaves unsafe at a
/// node.
fn unsafe_rows(instance: &Instance, c: f64, atoms: usize, node: &[usize]) -> u64 {
    let values = instance.labels.last().unwrap();
    let mut classes: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (row, &value) in instance.rows.iter().zip(values) {
        let label = |c: usize| instance.columns[c].paths[row[c]][node[c]];
        classes.entry((0..row.len()).map(label).collect()).or_default().push(value);
    }
    let (left, few): (Vec<_>, Vec<_>) = classes.into_values().partition(|class| class.len() >= instance.k);
    let alone = |class: &Vec<usize>| naive(std::slice::from_ref(class), 0, atoms) >= c - 1e-9;
    let (telling, left): (Vec<_>, Vec<_>) = left.into_iter().partition(alone);
    let told = (0..left.len()).filter(|&of| naive(&left, of, atoms) >= c - 1e-9);
    few.iter().chain(&telling).map(|class| class.len() as u64).sum::<u64>()
        + told.map(|of| left[of].len() as u64).sum::<u64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn searches_find_what_brute_force_finds(instance in instance(), c in 3u8..=10, knowledge in 0usize..2) {
        let instance = Instance { groups: Vec::new(), ..instance };
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let c = f64::from(c) / 10.0;
        let strict = problem.max_suppressed == 0;
        std::sync::Arc::get_mut(&mut problem.models).unwrap().push(built(instance.labels.len() - 1, c, knowledge, strict));
        let mut evaluator = Evaluator::new(&problem);
        let mut best: Option<f64> = None;
        for node in problem.lattice.iter() {
            let judgement = evaluator.judge(&node);
            prop_assert_eq!(judgement.suppressed, unsafe_rows(&instance, c, knowledge + 1, &levels(&node)));
            let (view, flags) = evaluator.classes(&node);
            prop_assert!(problem.models.last().unwrap().verdict(&view, flags).unwrap().holds, "what is left holds");
            if judgement.safe {
                let loss = evaluator.solution(&node).loss;
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
        }
        for name in ["mingen", "auto", "ola"] {
            let strategy = strategy(name.parse().unwrap()).unwrap();
            if strategy.refuses(&problem).is_some() {
                prop_assert!(name == "ola" && !(strict && problem.loss.monotone()));
                continue;
            }
            match (solve(&problem, strategy, &Watch::none()).unwrap().0, best) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best: found, .. }, Some(best)) => {
                    prop_assert!((found.loss - best).abs() <= 1e-9 * best.abs().max(1.0), "{}", name);
                }
                (outcome, best) => prop_assert!(false, "{name}: {outcome:?} against {best:?}"),
            }
        }
    }

    /// The theorem of the paper: merging classes makes the worst figure no worse.
    #[test]
    fn merging_tells_no_more(classes in prop::collection::vec(class(5), 2..5), knowledge in 0usize..4) {
        let worst = |classes: &[Vec<usize>]| {
            (0..classes.len()).map(|of| naive(classes, of, knowledge + 1)).fold(0.0, f64::max)
        };
        let mut merged = classes.clone();
        let last = merged.pop().unwrap();
        merged[0].extend(last);
        prop_assert!(worst(&merged) <= worst(&classes) + 1e-9);
    }
}

/// A class of two values is 2-diverse, and its top value has half of the rows. One implication, "not
/// the one value, then the other", leaves one value; with three values it takes one implication more.
#[test]
fn knowledge_defeats_diversity() {
    assert!((figure(&[vec![0, 0, 1, 1]], 0) - 0.5).abs() < 1e-6);
    assert!((figure(&[vec![0, 0, 1, 1]], 1) - 1.0).abs() < 1e-6);
    let three = [vec![0, 1, 2, 0, 1, 2]];
    // Neither of two people has the one value: 4/6 · 3/5 = 2/5, or one person neither of two: 1/3.
    assert!((figure(&three, 1) - 1.0 / 3.0 / (1.0 / 3.0 + 1.0 / 3.0)).abs() < 1e-6);
    assert!((figure(&three, 2) - 1.0).abs() < 1e-6);
    // A missing cell protects nobody.
    assert!((figure(&[vec![0, 0, 1, MISSING, MISSING]], 0) - 2.0 / 3.0).abs() < 1e-6);
    assert!(figure(&[vec![MISSING, MISSING]], 3) < 1e-6);
}

/// Where rows may be suppressed it is not monotone: a safe class merged with an unsafe one is lost.
#[test]
fn a_safe_class_can_be_lost_in_another() {
    let safe = vec![0, 1, 2];
    assert!(naive(std::slice::from_ref(&safe), 0, 1) < 0.5);
    assert!(naive(&[[safe, vec![0; 9]].concat()], 0, 1) > 0.5);
    assert!(built(0, 0.5, 0, true).facts().monotone && !built(0, 0.5, 0, false).facts().monotone);
}
