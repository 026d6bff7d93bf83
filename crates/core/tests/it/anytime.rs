//! The default search where the lattice is too large to look at every node: the same on any number
//! of threads, exact when it ends, honest when it is stopped.

use throng::hierarchy::{Hierarchy, Path};
use throng::lattice::{Lattice, Limits};
use throng::loss::{self, Marginals};
use throng::model::KAnonymity;
use throng::policy::{Aggregate, LossParameters};
use throng::registry::LossKind;
use throng::search::{Account, Evaluator, Outcome, Problem, max_suppressed, solve, solve_scored, strategy};
use throng::synth::Wide;
use throng::watch::{Cancel, Event, Watch};

/// The first columns and rows of the wide table, with k = 5.
fn wide(columns: usize, rows: usize, suppression: f64, loss: (&str, Option<Aggregate>)) -> Problem {
    let hierarchies: Vec<Hierarchy> =
        (0..columns).map(|c| Hierarchy::new(Wide::paths(c), false).unwrap()).collect();
    let codes = Wide::new(1).rows().take(rows).map(|row| row[..columns].to_vec());
    let classes = throng::classes::Classes::of_rows(columns, codes).unwrap();
    let limits: Vec<Limits> = hierarchies
        .iter()
        .enumerate()
        .map(|(c, h)| Limits { name: Wide::name(c), height: h.height(), min: None, max: None })
        .collect();
    let parameters = LossParameters { aggregate: loss.1, ..LossParameters::new(loss.0.parse().unwrap()) };
    let marginals = Marginals::new(&classes, &hierarchies);
    Problem {
        names: (0..columns).map(Wide::name).collect(),
        measured: Vec::new(),
        lattice: Lattice::new(&limits, &[]).unwrap(),
        models: std::sync::Arc::new(vec![Box::new(KAnonymity::new(5, false))]),
        loss: loss::build(&parameters, &marginals, &vec![1.0; columns]).unwrap(),
        max_suppressed: max_suppressed(suppression, classes.rows()),
        people: None,
        hierarchies: hierarchies.into(),
        classes: classes.into(),
        profile: Default::default(),
        preference: None,
        deletion: None,
        utility: None,
    }
}

const LM: (&str, Option<Aggregate>) = ("lm", Some(Aggregate::Geometric));

fn on(threads: usize, problem: &Problem, stop_after: u64) -> (Outcome, Account) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let watch = Watch::new(cancel).listening(move |event| {
        if let Event::Searching(progress) = event
            && progress.checked >= stop_after
        {
            stop.finish();
        }
    });
    pool.install(|| solve_scored(problem, strategy("auto".parse().unwrap()).unwrap(), &watch).unwrap())
}

/// More cells than are worth a thread; a lattice that is walked, and one that is finished.
#[test]
fn threads_change_nothing() {
    let problem = wide(24, 17_000, 0.1, LM);
    assert!(problem.classes.len() * 24 > 400_000 && problem.lattice.nodes() > 1 << 20);
    let one = on(1, &problem, 400);
    assert!(one.1.score.is_some_and(|s| s > 0.0));
    assert_eq!(one, on(3, &problem, 400));
    let mut finished = wide(24, 17_000, 0.1, LM);
    let limits = finished.hierarchies.iter().enumerate().map(|(c, h)| Limits {
        name: Wide::name(c),
        height: h.height(),
        min: (c > 5).then_some(h.height()),
        max: None,
    });
    finished.lattice = Lattice::new(&limits.collect::<Vec<_>>(), &[]).unwrap();
    let one = on(1, &finished, u64::MAX);
    assert!(matches!(one.0, Outcome::Found { gap: 0.0, .. }));
    assert_eq!(one, on(2, &finished, u64::MAX));
}

/// Each column doubles the lattice, so 21 of them make a large one whose safe nodes can still be
/// found by hand: eight rows that differ in every column must be equal in all of them.
#[test]
fn a_large_lattice_is_finished_exactly() {
    let paths = || (0..8).map(|i| Path { leaf: format!("v{i}"), labels: Vec::new() }).collect::<Vec<_>>();
    let columns = 21;
    let hierarchies: Vec<Hierarchy> = (0..columns).map(|_| Hierarchy::new(paths(), false).unwrap()).collect();
    // Columns 3 and 17 are the same in all rows, column 9 in pairs of four; all others differ.
    let rows = (0..8u32).map(|row| {
        (0..columns).map(move |c| match c {
            3 | 17 => 0,
            9 => row / 4,
            _ => (row + c as u32) % 8,
        })
    });
    let classes = throng::classes::Classes::of_rows(columns, rows.map(Iterator::collect)).unwrap();
    let limits: Vec<Limits> =
        (0..columns).map(|c| Limits { name: format!("c{c}"), height: 1, min: None, max: None }).collect();
    let marginals = Marginals::new(&classes, &hierarchies);
    let parameters = LossParameters::new(LossKind::Lm);
    let problem = Problem {
        names: (0..columns).map(|c| format!("c{c}")).collect(),
        measured: Vec::new(),
        lattice: Lattice::new(&limits, &[]).unwrap(),
        models: std::sync::Arc::new(vec![Box::new(KAnonymity::new(4, false))]),
        loss: loss::build(&parameters, &marginals, &vec![1.0; columns]).unwrap(),
        max_suppressed: 0,
        people: None,
        hierarchies: hierarchies.into(),
        classes: classes.into(),
        profile: Default::default(),
        preference: None,
        deletion: None,
        utility: None,
    };
    assert!(problem.lattice.nodes() > 1 << 20);
    let (outcome, _) = solve(&problem, strategy("auto".parse().unwrap()).unwrap(), &Watch::none()).unwrap();
    let Outcome::Found { best, gap } = outcome else { panic!("{outcome:?}") };
    let expected: Vec<u8> = (0..columns).map(|c| u8::from(!matches!(c, 3 | 9 | 17))).collect();
    assert_eq!((best.node.levels(), best.suppressed, gap), (&expected[..], 0, 0.0));
}

/// The loss where the best step down from the top is no longer better.
fn descend(problem: &Problem) -> f64 {
    let mut evaluator = Evaluator::new(problem);
    let mut at = evaluator.solution(&problem.lattice.top());
    loop {
        let below: Vec<_> = problem.lattice.predecessors(&at.node).collect();
        let best = below.iter().map(|n| evaluator.solution(n)).min_by(|a, b| a.loss.total_cmp(&b.loss));
        match best {
            Some(best) if best.loss < at.loss => at = best,
            _ => return at.loss,
        }
    }
}

/// Whenever it is stopped: the node is safe and has the stated loss, it is no worse than before,
/// and no node of a sample is better than the gap allows.
#[test]
fn a_stopped_search_is_honest() {
    let problem = wide(24, 600, 1.0, LM);
    let mut evaluator = Evaluator::new(&problem);
    let (mut before, mut found) = (f64::INFINITY, Vec::new());
    for stop_after in [1, 40, 400, 4_000] {
        let (Outcome::Found { best, gap }, _) = on(2, &problem, stop_after) else { panic!("nothing found") };
        assert!(evaluator.judge(&best.node).safe);
        assert_eq!(evaluator.solution(&best.node), best);
        assert!(gap > 0.0 && best.loss <= before, "{gap}, {} after {before}", best.loss);
        before = best.loss;
        found.push(best.loss - gap);
    }
    let top = problem.lattice.top();
    for (i, row) in Wide::new(2).rows().take(3_000).enumerate() {
        // Random levels, the nearer to the top the later in the sample.
        let level = |c: usize| top.level(c).saturating_sub(row[c] as usize % (2 + (3_000 - i) / 750)) as u8;
        let node = throng::lattice::Node::new((0..24).map(level).collect::<Vec<u8>>());
        if evaluator.judge(&node).safe {
            let loss = evaluator.solution(&node).loss;
            assert!(found.iter().all(|bound| *bound <= loss + 1e-12), "{loss} is below a bound of {found:?}");
        }
    }
}

/// In a lattice that cannot be finished the walk finds what going down from the top (0.734) and
/// cutting boxes alone (0.699 after as many checks) do not; the table is the same to the bit on
/// every platform.
#[test]
fn the_walk_goes_further_than_down() {
    let problem = wide(24, 3_000, 1.0, LM);
    let (Outcome::Found { best, .. }, account) = on(2, &problem, 2_500) else { panic!("nothing found") };
    assert!(best.loss < descend(&problem));
    assert!(best.loss < 0.696, "{} after {} checks", best.loss, account.checked);
}
