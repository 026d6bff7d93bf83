//! Sequences of releases about people with several rows, who join and leave, to several recipients
//! some of whom are declared to collude late. After every accepted release an adversary, written
//! from the definition in docs/ledger.md, looks for people with fewer than k candidates and for
//! values that are certain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use throng_ledger::chain::SensitiveColumn;
use throng_ledger::members::{Members, Record};
use throng_ledger::{Ledger, Offer, OnConflict, PUBLIC};
use throng_terms::watch::Watch;

use crate::support::{AT, facts, open};

const NAMES: [&str; 4] = [PUBLIC, "a", "b", "c"];
const PEOPLE: usize = 14;

/// A row of a person: whose it is, its content, its class and its value.
type Row = (usize, u64, u64, u64);

/// A release as recipients have it.
#[derive(Debug, Clone)]
struct Released {
    to: usize,
    k: u64,
    values: u32,
    rows: Vec<Row>,
}

/// A release that is offered.
#[derive(Debug, Clone)]
struct Step {
    to: usize,
    with: Option<usize>,
    recode: bool,
    k: u64,
    values: u32,
    /// Person → whether the person is in the table; row of a person → class that it moves to, and
    /// whether it is missing; how many classes there are.
    present: Vec<bool>,
    moved: Vec<Option<u64>>,
    gone: Vec<bool>,
    classes: u64,
}

/// Person → how many rows, and class and value of each.
type World = Vec<Vec<(u64, u64)>>;

fn world() -> impl Strategy<Value = World> {
    let rows = prop::collection::vec((0..4u64, 0..3u64), 1..3);
    prop::collection::vec(rows, PEOPLE)
}

/// Few people come and go and few rows move, and in calm steps nobody and none, so that many
/// releases are accepted.
fn step() -> impl Strategy<Value = Step> {
    let often = |share: f64| prop::collection::vec(prop::bool::weighted(share), PEOPLE * 2);
    let moved = prop::collection::vec(prop::option::weighted(0.04, 0..4u64), PEOPLE * 2);
    let who = (0..4usize, prop::option::weighted(0.25, 1..4usize));
    let asked = (any::<bool>(), 2..4u64, 2..4u32, 1..4u64, prop::bool::weighted(0.4));
    (who, asked, often(0.93), moved, often(0.04)).prop_map(|((to, with), asked, present, moved, gone)| {
        let (recode, k, values, classes, calm) = asked;
        let step = Step { to, with, recode, k, values, present, moved, gone, classes };
        match calm {
            true => Step {
                present: vec![true; PEOPLE * 2],
                moved: vec![None; PEOPLE * 2],
                gone: vec![false; PEOPLE * 2],
                ..step
            },
            false => step,
        }
    })
}

/// The rows of a step that are safe by themselves: every class has k people.
fn rows(world: &World, step: &Step, withheld: &BTreeSet<usize>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (person, own) in world.iter().enumerate() {
        for (at, (class, value)) in own.iter().enumerate() {
            let place = person * 2 + at;
            if step.present[person] && !step.gone[place] && !withheld.contains(&person) {
                let class = step.moved[place].unwrap_or(*class) % step.classes;
                rows.push((person, at as u64 * 10 + 1, class, *value));
            }
        }
    }
    let people = |class: u64| {
        let of_class = rows.iter().filter(|row| row.2 == class);
        of_class.map(|row| row.0).collect::<BTreeSet<usize>>().len() as u64
    };
    let safe: BTreeSet<u64> = (0..4).filter(|&class| people(class) >= step.k).collect();
    rows.into_iter().filter(|row| safe.contains(&row.2)).collect()
}

/// Offers a release and returns what was accepted of it.
fn release(ledger: &mut Ledger, world: &World, step: &Step, number: usize) -> Option<Vec<Row>> {
    let mut withheld = BTreeSet::new();
    for _ in 0..PEOPLE {
        let rows = rows(world, step, &withheld);
        let record = |&(person, content, class, value): &Row| Record {
            subject: (person as u128 + 1) << 40,
            content,
            class,
            values: vec![value],
        };
        let offer = Offer {
            recipient: NAMES[step.to].into(),
            colludes_with: step.with.iter().map(|&with| NAMES[with].to_owned()).collect(),
            k: step.k,
            sensitive: vec![SensitiveColumn { column: "ill".into(), values: step.values }],
            members: Members::new(rows.iter().map(record).collect(), 1),
            withheld: Vec::new(),
        };
        let on_conflict = if step.recode { OnConflict::Recode } else { OnConflict::Refuse };
        let accepted = ledger.judge(&offer, on_conflict, &Watch::none()).ok()?;
        if accepted.withhold.is_empty() {
            ledger.append_release(&offer, facts(&number.to_string()), AT.into(), &Watch::none()).unwrap();
            return Some(rows);
        }
        withheld.extend(accepted.withhold.iter().map(|subject| (subject >> 40) as usize - 1));
    }
    None
}

/// The recipients who can put their releases together with those of one.
fn together(of: usize, collusions: &[(usize, usize)]) -> BTreeSet<usize> {
    let mut all = BTreeSet::from([of, 0]);
    for _ in NAMES {
        for &(a, b) in collusions.iter().filter(|(a, b)| *a != 0 && *b != 0) {
            if all.contains(&a) || all.contains(&b) {
                all.extend([a, b]);
            }
        }
    }
    all
}

/// A row that the adversary follows: release → its class and value.
type Path = BTreeMap<usize, (u64, u64)>;

/// The rows of a person from release to release: by content, and rows of other content continue
/// those that are not continued otherwise, in order.
fn paths(seen: &[&Released], person: usize) -> Vec<Path> {
    let mut paths: Vec<(BTreeSet<u64>, Path)> = Vec::new();
    for (at, release) in seen.iter().enumerate() {
        let mut own: Vec<(u64, u64, u64)> =
            release.rows.iter().filter(|row| row.0 == person).map(|row| (row.1, row.2, row.3)).collect();
        own.sort_unstable();
        let before = paths.len();
        let mut continued = BTreeSet::new();
        let mut others = Vec::new();
        for row in own {
            let same = (0..before).find(|path| !continued.contains(path) && paths[*path].0.contains(&row.0));
            match same {
                Some(path) => {
                    continued.insert(path);
                    paths[path].1.insert(at, (row.1, row.2));
                }
                None => others.push(row),
            }
        }
        let mut free = (0..before).filter(|path| !continued.contains(path)).collect::<Vec<_>>().into_iter();
        for (content, class, value) in others {
            match free.next() {
                Some(path) => {
                    paths[path].0.insert(content);
                    paths[path].1.insert(at, (class, value));
                }
                None => paths.push(([content].into(), [(at, (class, value))].into())),
            }
        }
    }
    paths.into_iter().map(|(_, path)| path).collect()
}

/// Everybody has enough candidates, and nobody a value that is more certain than promised.
fn attack(seen: &[&Released]) -> Result<(), TestCaseError> {
    let all: Vec<Vec<Path>> = (0..PEOPLE).map(|person| paths(seen, person)).collect();
    let trace = |path: &Path| path.iter().map(|(at, (class, _))| (*at, *class)).collect::<Vec<_>>();
    for own in all.iter().flatten() {
        let alike = |path: &&Path| trace(path) == trace(own);
        let candidates = all.iter().filter(|paths| paths.iter().any(|path| alike(&path))).count() as u64;
        let k = own.keys().map(|&at| seen[at].k).max().unwrap_or(0);
        prop_assert!(candidates >= k, "{candidates} candidates, {k} promised: {:?}", trace(own));
        for (&at, &(class, _)) in own {
            let of_class = seen[at].rows.iter().filter(|row| row.2 == class);
            let of_class: BTreeSet<u64> = of_class.map(|row| row.3).collect();
            let values: BTreeSet<u64> = all.iter().flatten().filter(alike).map(|path| path[&at].1).collect();
            let promised = of_class.len().min(seen[at].values as usize);
            prop_assert!(values.len() >= promised, "{} values, {promised} promised", values.len());
        }
    }
    Ok(())
}

/// What the sequences were about: releases accepted after others of their view, by way; releases
/// refused; sequences with a late collusion that was accepted.
static ACCEPTED: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

fn sequence(world: &World, steps: &[Step]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = open(&folder.path().join("ledger.db")).unwrap();
    let (mut released, mut collusions): (Vec<Released>, Vec<(usize, usize)>) = Default::default();
    for (number, step) in steps.iter().enumerate() {
        let Some(rows) = release(&mut ledger, world, step, number) else {
            ACCEPTED[2].fetch_add(1, Ordering::Relaxed);
            continue;
        };
        let later = released.iter().any(|release| together(step.to, &collusions).contains(&release.to));
        if later && !rows.is_empty() {
            ACCEPTED[usize::from(step.recode)].fetch_add(1, Ordering::Relaxed);
        }
        if let Some(with) = step.with {
            let late = released.iter().any(|release| release.to == with && with != 0);
            ACCEPTED[3].fetch_add(usize::from(late && !rows.is_empty()), Ordering::Relaxed);
            collusions.push((step.to, with));
        }
        released.push(Released { to: step.to, k: step.k, values: step.values, rows });
        for of in 0..NAMES.len() {
            let view = together(of, &collusions);
            let seen: Vec<&Released> = released.iter().filter(|release| view.contains(&release.to)).collect();
            attack(&seen)?;
        }
    }
    prop_assert!(ledger.check(&Watch::none()).unwrap().holds);
    Ok(())
}

#[test]
fn no_accepted_sequence_leaves_anybody_with_fewer_than_k_candidates() {
    let steps = prop::collection::vec(step(), 2..7);
    let mut runner = prop::test_runner::TestRunner::new_with_rng(
        ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() },
        prop::test_runner::TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha),
    );
    runner.run(&(world(), steps), |(world, steps)| sequence(&world, &steps)).unwrap();
    let counted: Vec<usize> = ACCEPTED.iter().map(|count| count.load(Ordering::Relaxed)).collect();
    assert!(counted.iter().all(|&count| count > 20), "the sequences show too little: {counted:?}");
}
