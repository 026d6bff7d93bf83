//! OLA against a naive replay of its walkthrough [El Emam 2009, "Algorithm Walkthrough"]: the same
//! nodes in the same order, every k-minimal node, and the optimum of brute force.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use throng::classes::{Flags, View};
use throng::model::{ModelFacts, PrivacyModel, Requirement, Verdict};
use throng::search::{Account, Outcome, Problem, solve, strategy};
use throng::watch::{Cancel, Event, Watch};

use crate::instances::{flat, instance, levels, problem};
use crate::naive::{Column, Instance};

type Levels = Vec<usize>;

fn below(a: &[usize], b: &[usize]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}

/// The walkthrough by the definitions: every set of nodes is found by looking at all nodes, and
/// nothing is remembered but tags.
struct Replay<'a> {
    nodes: &'a [Levels],
    /// One column of each set of linked ones: those rise together, by one step.
    counted: Vec<usize>,
    safe: &'a dyn Fn(&[usize]) -> bool,
    tags: BTreeMap<Levels, bool>,
    /// In the order of the walk.
    evaluated: Vec<Levels>,
    /// The list of k-minimal solutions.
    minimal: Vec<Levels>,
}

impl<'a> Replay<'a> {
    fn new(nodes: &'a [Levels], linked: &[Vec<usize>], safe: &'a dyn Fn(&[usize]) -> bool) -> Self {
        let first = |c: &usize| linked.iter().all(|g| !g.contains(c) || g.iter().min() == Some(c));
        let counted = (0..nodes[0].len()).filter(first).collect();
        let mut replay = Replay {
            nodes,
            counted,
            safe,
            tags: BTreeMap::new(),
            evaluated: Vec::new(),
            minimal: Vec::new(),
        };
        replay.search(&nodes[0], &nodes[nodes.len() - 1]);
        replay
    }

    fn height(&self, node: &[usize]) -> usize {
        self.counted.iter().map(|&c| node[c]).sum()
    }

    fn search(&mut self, bottom: &Levels, top: &Levels) {
        let (low, high) = (self.height(bottom), self.height(top));
        if high - low <= 1 {
            if !self.evaluate(bottom) {
                self.evaluate(top);
            }
            return;
        }
        for node in self.nodes.iter().filter(|n| below(bottom, n) && below(n, top)) {
            if self.height(node) != low + (high - low) / 2 {
                continue;
            }
            if self.evaluate(node) {
                self.search(bottom, node);
            } else {
                self.search(node, top);
            }
        }
    }

    fn evaluate(&mut self, node: &Levels) -> bool {
        if let Some(&safe) = self.tags.get(node) {
            return safe;
        }
        let safe = (self.safe)(node);
        self.evaluated.push(node.clone());
        for other in self.nodes {
            let (low, high) = if safe { (node, other) } else { (other, node) };
            if below(low, high) {
                self.tags.insert(other.clone(), safe);
            }
        }
        if safe {
            self.minimal.retain(|m| !below(node, m));
            self.minimal.push(node.clone());
        }
        safe
    }
}

/// Records every node that is judged. Flags all classes of the nodes that `safe` denies, if given.
struct Recorder {
    facts: ModelFacts,
    seen: Arc<Mutex<Vec<Levels>>>,
    safe: Option<fn(&[usize]) -> bool>,
}

impl PrivacyModel for Recorder {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }
    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let node = levels(classes.node());
        if self.safe.is_some_and(|safe| !safe(&node)) {
            (0..classes.len()).for_each(|c| flags.flag(c, classes.counts()[c]));
        }
        self.seen.lock().unwrap().push(node);
    }
    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }
}

/// What `ola` does, and the nodes that it checked, in order.
fn recorded(problem: &mut Problem, safe: Option<fn(&[usize]) -> bool>) -> (Outcome, Account, Vec<Levels>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let facts = ModelFacts { monotone: true, ..ModelFacts::new(Requirement::Custom, "recorder") };
    let recorder = Recorder { facts, seen: Arc::clone(&seen), safe };
    // First: a node is not judged to the end once too many rows are unsafe.
    Arc::get_mut(&mut problem.models).unwrap().insert(0, Box::new(recorder));
    let (outcome, account) = ola(problem, &Watch::none());
    // Models with a fixpoint judge a node repeatedly; the k-minimal nodes are seen again when
    // they are compared on loss.
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    seen.dedup();
    seen.truncate(account.checked as usize);
    (outcome, account, seen)
}

fn ola(problem: &Problem, watch: &Watch) -> (Outcome, Account) {
    solve(problem, strategy("ola".parse().unwrap()).unwrap(), watch).unwrap()
}

/// The instance, with a loss that `ola` takes.
fn accepted(mut instance: Instance) -> Option<(Instance, Problem)> {
    let refuses = |p: &Problem| strategy("ola".parse().unwrap()).unwrap().refuses(p).is_some();
    let found = problem(&instance)?;
    if refuses(&found) {
        instance = Instance { loss: "entropy", aggregate: None, counted: None, tradeoff: None, ..instance };
        return problem(&instance).map(|p| (instance, p));
    }
    Some((instance, found))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn the_walk_is_the_walkthrough(instance in instance()) {
        let Some((instance, mut problem)) = accepted(instance) else { return Ok(()) };
        let nodes = instance.nodes();
        let safe = |n: &[usize]| instance.evaluate(n).suppressed <= instance.max_suppressed;
        let replay = Replay::new(&nodes, &instance.linked, &safe);
        // The replay itself: every verdict is right, and its list holds the k-minimal nodes.
        prop_assert!(nodes.iter().all(|n| replay.tags.get(n) == Some(&safe(n))));
        let lower = |n: &Levels| nodes.iter().any(|b| b != n && below(b, n) && safe(b));
        let minimal: Vec<&Levels> = nodes.iter().filter(|n| safe(n) && !lower(n)).collect();
        let mut listed: Vec<&Levels> = replay.minimal.iter().collect();
        listed.sort();
        prop_assert_eq!(&listed, &minimal);

        let (outcome, account, seen) = recorded(&mut problem, None);
        prop_assert_eq!(account.checked as usize, replay.evaluated.len());
        prop_assert_eq!(seen, replay.evaluated);
        prop_assert_eq!(account.compared as usize, minimal.len());
        match (outcome, instance.best()) {
            (Outcome::Found { best, gap }, Some((_, ties))) => {
                prop_assert_eq!(gap, 0.0);
                prop_assert!(ties.iter().any(|t| t.levels == levels(&best.node)), "{:?} {:?}", best, ties);
            }
            (Outcome::Infeasible { least }, None) => {
                prop_assert_eq!(least, instance.evaluate(&nodes[nodes.len() - 1]).suppressed as u64);
            }
            (outcome, expected) => prop_assert!(false, "{:?} against {:?}", outcome, expected),
        }
    }

    /// Stopped after any number of checks, it has a safe node wherever there is one.
    #[test]
    fn a_stopped_walk_has_a_safe_node_and_an_honest_gap(instance in instance(), patience in 0u64..12) {
        let Some((instance, problem)) = accepted(instance) else { return Ok(()) };
        let (_, whole) = ola(&problem, &Watch::none());
        let cancel = Cancel::new();
        let stop = cancel.clone();
        if patience == 0 {
            cancel.finish();
        }
        let watch = Watch::new(cancel).listening(move |event| {
            if let Event::Searching(progress) = event
                && progress.checked >= patience
            {
                stop.finish();
            }
        });
        let (outcome, account) = ola(&problem, &watch);
        prop_assert!(account.checked <= patience + 2 && account.checked <= whole.checked + 1);
        match (outcome, instance.best()) {
            (Outcome::Found { best, gap }, Some((optimum, _))) => {
                let naive = instance.evaluate(&levels(&best.node));
                prop_assert!(naive.suppressed <= instance.max_suppressed);
                let slack = 1e-9 * optimum.loss.abs().max(1.0);
                prop_assert!(gap >= 0.0 && best.loss - gap <= optimum.loss + slack, "{:?} {}", best, gap);
            }
            (Outcome::Infeasible { .. }, None) => {}
            (outcome, expected) => prop_assert!(false, "{:?} against {:?}", outcome, expected),
        }
    }
}

/// The lattice of [El Emam 2009, figure 2]: admission date to d2, gender to g1, age to a4.
fn lattice(rows: Vec<Levels>) -> Instance {
    let column = |paths: Vec<Levels>| Column { min: 0, max: paths[0].len() - 1, paths, weight: 1.0 };
    let dates = column(vec![vec![0, 0, 0], vec![1, 0, 0]]);
    let genders = column(vec![vec![0, 0], vec![1, 0]]);
    // 13, 18, 19, 21, 22, 23 in years, 5, 10 and 20 years, and all.
    let fives = [0, 1, 1, 2, 2, 2];
    let ages = column((0..6).map(|a| vec![a, fives[a], usize::from(a > 2), usize::from(a > 2), 0]).collect());
    Instance { columns: vec![dates, genders, ages], k: 3, max_suppressed: 3, ..flat(&[], rows, "prec") }
}

/// The ten records of [El Emam 2009, figure 3], k = 3 and MaxSup = 30 %: 8 of 30 nodes are
/// evaluated.
#[test]
fn figure_3_takes_eight_checks() {
    let rows = [
        [0, 0, 1],
        [0, 0, 1],
        [0, 0, 1],
        [0, 0, 0],
        [0, 0, 2],
        [1, 1, 1],
        [1, 1, 4],
        [1, 1, 5],
        [1, 1, 3],
        [0, 0, 4],
    ];
    let mut problem = problem(&lattice(rows.iter().map(|r| r.to_vec()).collect())).unwrap();
    assert_eq!(problem.lattice.nodes(), 30);
    let (outcome, account, seen) = recorded(&mut problem, None);
    let expected = [[0, 0, 3], [0, 0, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [2, 0, 0], [2, 1, 0]];
    assert_eq!((account.checked, seen), (8, expected.iter().map(|n| n.to_vec()).collect()));
    let Outcome::Found { best, gap } = outcome else { panic!("{outcome:?}") };
    assert_eq!((levels(&best.node), best.suppressed, gap), (vec![0, 0, 1], 3, 0.0));
}

/// The steps that the walkthrough describes, by the suppression that its figure 4 prints: ⟨d0, g0,
/// a3⟩ 9 %, ⟨d0, g1, a4⟩ 1.8 %, ⟨d0, g0, a4⟩ 7 %, ⟨d0, g1, a3⟩ 3.4 % and ⟨d1, g0, a4⟩ 5.2 %, at most
/// 5 %. The other nodes of figure 4 are safe.
#[test]
fn the_walkthrough_goes_into_sub_lattices_at_once() {
    fn safe(node: &[usize]) -> bool {
        below(&[0, 1, 3], node) || below(&[2, 0, 3], node)
    }
    let mut instance = lattice(vec![vec![0, 0, 0]; 4]);
    instance.max_suppressed = 0;
    let (_, account, seen) = recorded(&mut problem(&instance).unwrap(), Some(safe));
    let described = [[0, 0, 3], [0, 1, 4], [0, 0, 4], [0, 1, 3], [1, 0, 4]];
    assert_eq!(seen[..5], described.map(|n| n.to_vec()));
    let nodes = instance.nodes();
    let replay = Replay::new(&nodes, &[], &safe);
    assert_eq!((account.checked as usize, seen), (replay.evaluated.len(), replay.evaluated));
}

/// A lattice whose top is unsafe is given up after one check per halving.
#[test]
fn no_safe_node_is_found_out_in_a_few_checks() {
    let mut instance = lattice(vec![vec![0, 0, 0]; 2]);
    instance.max_suppressed = 1;
    let (outcome, account, seen) = recorded(&mut problem(&instance).unwrap(), None);
    assert_eq!(outcome, Outcome::Infeasible { least: 2 });
    let expected = [[0, 0, 3], [0, 1, 4], [1, 1, 4], [2, 1, 4]];
    assert_eq!((account.checked, seen), (4, expected.map(|n| n.to_vec()).to_vec()));
}
