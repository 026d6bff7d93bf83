//! Inference against enumeration of all rows, and fitting against known structures.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::hierarchy::Path;
use crate::table::Code;
use crate::watch::{Cancel, Event, Stage, Watch};

/// Six leaves in three pairs, four leaves in two, three without levels between.
fn hierarchies() -> Vec<Hierarchy> {
    let build = |leaves: usize, groups: &[usize]| {
        let path = |leaf: usize| Path {
            leaf: format!("v{leaf}"),
            labels: groups.iter().map(|g| format!("g{}", leaf / g)).collect(),
        };
        Hierarchy::new((0..leaves).map(path).collect(), false).unwrap()
    };
    vec![build(6, &[2]), build(4, &[2]), build(3, &[]), build(5, &[2, 4])]
}

fn names() -> Vec<String> {
    ["a", "b", "c", "d"].map(String::from).to_vec()
}

fn entries(rows: &[Vec<Code>]) -> Entries {
    Entries {
        codes: (0..4).map(|c| rows.iter().map(|r| r[c]).collect()).collect(),
        counts: vec![1; rows.len()],
    }
}

/// Rows in which columns go along with each other more or less.
fn rows(seed: u64, n: usize, noise: u32) -> Vec<Vec<Code>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |end: u32| random.next_u32() % end;
    (0..n)
        .map(|_| {
            let a = below(6);
            let mut tied = |to: u32, size: u32| if below(10) < noise { below(size) } else { to % size };
            vec![a, tied(a / 2 + 1, 4), tied(a, 3), tied(a * 2, 5)]
        })
        .collect()
}

/// The probability of a row of leaves, straight from the definition.
fn joint(network: &Network, row: &[Code]) -> f64 {
    let mut p = 1.0;
    for (column, &leaf) in row.iter().enumerate() {
        let hierarchy = &network.hierarchies[column];
        let top = match &network.edges[column] {
            None => hierarchy.height(),
            Some(edge) => {
                let a = network.hierarchies[edge.parent].generalize(row[edge.parent], edge.above);
                p *= edge.given(hierarchy.generalize(leaf, edge.at), a);
                edge.at
            }
        };
        for level in 0..top {
            let (low, high) = (hierarchy.generalize(leaf, level), hierarchy.generalize(leaf, level + 1));
            let below = network.chains[column].below(level + 1, high);
            let n = below.iter().find(|(code, _)| *code == low).unwrap().1;
            let all: u64 = below.iter().map(|(_, n)| n).sum();
            p *= (n as f64 + 1.0 / below.len() as f64) / (all as f64 + 1.0);
        }
    }
    p
}

fn all_rows() -> impl Iterator<Item = Vec<Code>> {
    (0..6u32).flat_map(|a| {
        (0..4u32).flat_map(move |b| (0..3u32).flat_map(move |c| (0..5u32).map(move |d| vec![a, b, c, d])))
    })
}

fn network(seed: u64, n: usize, noise: u32, target: Option<usize>) -> Network {
    fit(&names(), &hierarchies(), &entries(&rows(seed, n, noise)), Fit { seed, target }, &Watch::none())
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn messages_say_what_enumeration_says(
        seed in 0u64..1000,
        n in 8usize..200,
        noise in 0u32..11,
        target in prop::option::of(0usize..4),
        picks in prop::collection::vec((0usize..4, 0u32..6), 4),
    ) {
        let network = network(seed, n, noise, target);
        let cells: Vec<Cell> = picks.iter().zip(&network.hierarchies)
            .map(|(&(level, leaf), h)| {
                let level = level.min(h.height());
                Cell { level, code: h.generalize(leaf % h.leaf_count() as u32, level) }
            })
            .collect();
        let within = |row: &[Code]| row.iter().zip(&cells).zip(&network.hierarchies)
            .all(|((&leaf, cell), h)| h.generalize(leaf, cell.level) == cell.code);
        let mut all = 0.0;
        let mut inside = 0.0;
        let mut leaves = [6, 4, 3, 5].map(|n| vec![0.0; n]);
        for row in all_rows() {
            let p = joint(&network, &row);
            all += p;
            if within(&row) {
                inside += p;
                row.iter().zip(&mut leaves).for_each(|(&leaf, sums)| sums[leaf as usize] += p);
            }
        }
        prop_assert!((all - 1.0).abs() < 1e-12);
        prop_assert!((network.probability(&cells) - inside).abs() < 1e-12);
        let levels: Vec<usize> = cells.iter().map(|cell| cell.level).collect();
        let mut at_node = network.at_node(&levels);
        // All classes of the node, one after the other, so that nothing is left over from one to
        // the next.
        for row in all_rows() {
            let look: Vec<Cell> = row.iter().zip(&levels).zip(&network.hierarchies)
                .map(|((&leaf, &level), h)| Cell { level, code: h.generalize(leaf, level) })
                .collect();
            let labels: Vec<Code> = look.iter().map(|cell| cell.code).collect();
            let p = network.probability(&look);
            prop_assert!((at_node.probability(&labels) - p).abs() < 1e-12 * p);
        }
        for (column, (found, sums)) in network.posterior(&cells).iter().zip(&leaves).enumerate() {
            for (found, sum) in found.iter().zip(sums) {
                prop_assert!((found - sum / inside).abs() < 1e-9);
            }
            let (best, share) = network.predict(column, &cells);
            prop_assert!(sums.iter().all(|&sum| sum <= sums[best as usize] + 1e-12));
            prop_assert!((share - sums[best as usize] / inside).abs() < 1e-9);
        }
        let anything: Vec<Cell> = (0..4).map(|column| network.anything(column)).collect();
        prop_assert!((network.probability(&anything) - 1.0).abs() < 1e-12);
    }

    /// Every column has at most one parent, and no column is its own ancestor.
    #[test]
    fn the_structure_is_a_forest(seed in 0u64..1000, n in 1usize..150, target in prop::option::of(0usize..4)) {
        let network = network(seed, n, 3, target);
        let mut seen = Vec::new();
        for &column in &network.order {
            prop_assert!(network.parent(column).is_none_or(|parent| seen.contains(&parent)));
            seen.push(column);
        }
        prop_assert_eq!(seen.len(), 4);
        for edge in network.facts().edges {
            prop_assert!(edge.gain > 0.0);
        }
    }
}

#[test]
fn what_belongs_together_is_found_and_chance_is_not() {
    let tied = network(1, 400, 1, None);
    assert_eq!(tied.facts().edges.len(), 3, "{:?}", tied.facts());
    assert!(tied.facts().bits < tied.facts().bits_without_edges - 2.0);
    // With noise of ten in ten every column is by itself.
    let apart = network(1, 4000, 10, None);
    let gain: f64 = apart.facts().edges.iter().map(|edge| edge.gain).sum();
    assert!(gain < 0.01, "{:?}", apart.facts());
    let told = network(1, 400, 1, Some(2)).facts();
    assert!(told.edges.iter().any(|edge| edge.from == "c"), "{told:?}");
    assert_eq!(told.target.as_deref(), Some("c"));
    let shown = text(&told);
    assert!(shown.contains("the target") && shown.contains("gain") && !shown.contains("v0"), "{shown}");
}

/// Independent columns; one has a level with one label below the highest: no edge starts or ends
/// there.
#[test]
fn a_level_of_one_label_tells_nothing() {
    let path = |leaf: usize, labels: &[&str]| Path {
        leaf: format!("v{leaf}"),
        labels: labels.iter().map(|&label| label.into()).collect(),
    };
    let one = Hierarchy::new((0..3).map(|leaf| path(leaf, &["all", "*"])).collect(), false).unwrap();
    let flat = Hierarchy::new((0..3).map(|leaf| path(leaf, &[])).collect(), false).unwrap();
    assert_eq!((one.height(), one.size(1)), (2, 1));
    for seed in 0..40 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut column = || (0..300).map(|_| (random.next_u32() % 4).min(2)).collect::<Vec<Code>>();
        let entries = Entries::new(vec![column(), column()], vec![1; 300]).unwrap();
        let names = ["a", "b"].map(String::from);
        let facts =
            fit(&names, &[one.clone(), flat.clone()], &entries, Fit { seed, target: None }, &Watch::none())
                .unwrap();
        for edge in facts.facts().edges {
            assert_eq!((edge.from_level, edge.to_level), (0, 0), "{edge:?}");
        }
    }
}

/// The bits that a network says rows kept aside take are those of the definition, for a network of
/// the other rows.
#[test]
fn the_bits_are_those_of_rows_kept_aside() {
    let rows = rows(5, 300, 4);
    let entries = entries(&rows);
    let (train, test) = entries.split(9);
    let whole =
        fit(&names(), &hierarchies(), &entries, Fit { seed: 9, target: None }, &Watch::none()).unwrap();
    // The same structure over the rows to learn from alone.
    let mut part = whole.clone();
    for column in 0..4 {
        part.chains[column] = Chain::new(&part.hierarchies[column], &entries.codes[column], &train);
    }
    for column in 0..4 {
        let Some(edge) = whole.edges[column].clone() else { continue };
        let (up, down) = (&part.hierarchies[edge.parent], &part.hierarchies[column]);
        let pairs: Vec<_> = rows
            .iter()
            .zip(&train)
            .map(|(row, &n)| {
                (
                    up.generalize(row[edge.parent], edge.above),
                    down.generalize(row[column], edge.at),
                    u64::from(n),
                )
            })
            .collect();
        let pairs = crate::information::Contingency::new(&pairs);
        part.edges[column] = Some(Edge::new(
            (edge.parent, edge.above),
            edge.at,
            up.size(edge.above),
            &pairs,
            &part.chains[column],
        ));
    }
    let tested: Vec<&Vec<Code>> =
        rows.iter().zip(&test).filter(|(_, n)| **n > 0).map(|(row, _)| row).collect();
    let bits: f64 = tested.iter().map(|row| -joint(&part, row).log2()).sum::<f64>() / tested.len() as f64;
    assert!(whole.facts().edges.len() > 1);
    assert!((bits - whole.facts().bits).abs() < 1e-9, "{bits} {:?}", whole.facts());
}

/// Seed 3, 40,000 rows: every share within 0.01 of its probability, and the same rows for the same
/// seed. Of networks of 3 rows too, where a quarter of all draws is the one row more that is spread
/// over what is possible.
#[test]
fn drawn_rows_have_their_probabilities() {
    for n in [3, 60] {
        let network = network(2, n, 2, None);
        let mut sampler = network.sampler(3);
        let mut counts = std::collections::BTreeMap::<Vec<Code>, u32>::new();
        for _ in 0..40_000 {
            *counts.entry(sampler.row()).or_default() += 1;
        }
        for row in all_rows() {
            let share = f64::from(counts.get(&row).copied().unwrap_or(0)) / 40_000.0;
            assert!((share - joint(&network, &row)).abs() < 0.01, "{n} rows: {row:?}");
        }
    }
    let network = network(2, 60, 2, None);
    let again: Vec<_> = {
        let mut s = network.sampler(3);
        (0..5).map(|_| s.row()).collect()
    };
    let other: Vec<_> = {
        let mut s = network.sampler(4);
        (0..5).map(|_| s.row()).collect()
    };
    let mut first = network.sampler(3);
    assert_eq!(again, (0..5).map(|_| first.row()).collect::<Vec<_>>());
    assert_ne!(again, other);
}

/// A target of three values among informative columns: the network's prediction of it is better
/// than its shares alone.
#[test]
fn a_target_is_told_better_than_by_its_shares() {
    let network = network(7, 500, 3, Some(2));
    let (mut with, mut without) = (0.0, 0.0);
    for row in rows(8, 500, 3) {
        let known = |column: usize| match column {
            2 => network.anything(2),
            _ => Cell { level: 0, code: row[column] },
        };
        let cells: Vec<Cell> = (0..4).map(known).collect();
        let nothing: Vec<Cell> = (0..4).map(|column| network.anything(column)).collect();
        with -= network.posterior(&cells)[2][row[2] as usize].log2();
        without -= network.posterior(&nothing)[2][row[2] as usize].log2();
    }
    assert!(with < 0.75 * without, "{with} {without}");
}

/// However rows come and are coded, the same ones are kept aside and the same edges found.
#[test]
fn entries_in_order_know_no_other() {
    let rows = rows(3, 300, 4);
    let mut backwards = rows.clone();
    backwards.reverse();
    let [a, b] = [&rows, &backwards].map(|rows| entries(rows).in_order(&hierarchies()));
    assert_eq!((&a.codes, &a.counts), (&b.codes, &b.counts));
    assert_ne!(entries(&rows).codes, a.codes);
    // The last leaf is coded 0 instead of the first.
    let flipped: Vec<Hierarchy> = hierarchies()
        .iter()
        .map(|h| {
            let leaves = (0..h.leaf_count() as Code).rev();
            let path = |leaf: Code| Path {
                leaf: h.leaf_value(leaf).unwrap().into(),
                labels: (1..h.height())
                    .map(|level| h.label(level, h.generalize(leaf, level)).unwrap().into())
                    .collect(),
            };
            Hierarchy::new(leaves.map(path).collect(), false).unwrap()
        })
        .collect();
    let last: Vec<Code> = hierarchies().iter().map(|h| h.leaf_count() as Code - 1).collect();
    let coded: Vec<Vec<Code>> =
        rows.iter().map(|row| row.iter().zip(&last).map(|(code, last)| last - code).collect()).collect();
    let c = entries(&coded).in_order(&flipped);
    let texts = |entries: &Entries, hierarchies: &[Hierarchy]| -> Vec<Vec<String>> {
        let texts = entries.codes.iter().zip(hierarchies);
        texts.map(|(codes, h)| codes.iter().map(|&c| h.leaf_value(c).unwrap().to_owned()).collect()).collect()
    };
    assert_eq!(texts(&a, &hierarchies()), texts(&c, &flipped));
    assert!(Entries::new(vec![vec![0], vec![0, 1]], vec![1]).is_err());
}

#[test]
fn no_rows_are_refused() {
    let error = fit(&names(), &hierarchies(), &entries(&[]), Fit::default(), &Watch::none()).unwrap_err();
    assert!(error.to_string().contains("needs rows"));
}

#[test]
fn fitting_can_be_stopped_at_every_pair() {
    let entries = entries(&rows(3, 100, 2));
    let pairs = 4 * 3 / 2;
    for stop in 0..=pairs {
        let cancel = Cancel::new();
        let handle = cancel.clone();
        let watch = Watch::new(cancel).listening(move |event| {
            if matches!(event, Event::Done { stage: Stage::Measuring, done, of: Some(6) } if done == stop) {
                handle.finish();
            }
        });
        let fitted = fit(&names(), &hierarchies(), &entries, Fit { seed: 3, target: Some(0) }, &watch);
        match stop {
            0 => assert!(fitted.is_ok(), "no event says that nothing is done"),
            _ => assert!(fitted.unwrap_err().is_cancelled(), "{stop} of {pairs}"),
        }
    }
}
