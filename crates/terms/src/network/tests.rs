//! Inference against enumeration of all rows, and fitting against known structures.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use super::climb::climb;
use super::exact::{affordable, exact};
use super::plan::{Link, MOST_CELLS, plan};
use super::score::{Counts, Field, nats};
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

/// Rows with some labels, given by column and level.
fn count(rows: &[Vec<Code>], labels: &[(Field, Code)]) -> f64 {
    let hierarchies = hierarchies();
    let has = |row: &Vec<Code>, &((column, level), label): &(Field, Code)| {
        hierarchies[column].generalize(row[column], level) == label
    };
    rows.iter().filter(|row| labels.iter().all(|label| has(row, label))).count() as f64
}

/// The probability of a row of leaves, from the definition, the rows and the edges.
fn joint(network: &Network, rows: &[Vec<Code>], row: &[Code]) -> f64 {
    let (names, edges) = (names(), network.facts().edges);
    let at = |name: &str| names.iter().position(|other| other == name).unwrap();
    let label = |(column, level): Field| network.hierarchies[column].generalize(row[column], level);
    let mut p = 1.0;
    for (column, hierarchy) in network.hierarchies.iter().enumerate() {
        for level in 0..hierarchy.height() {
            let (own, up) = ((column, level), (column, level + 1));
            let mut siblings: Vec<Code> = (0..hierarchy.leaf_count() as Code)
                .filter(|&leaf| hierarchy.generalize(leaf, level + 1) == label(up))
                .map(|leaf| hierarchy.generalize(leaf, level))
                .collect();
            siblings.sort_unstable();
            siblings.dedup();
            let spread = 1.0 / siblings.len() as f64;
            let alone =
                (count(rows, &[(own, label(own))]) + spread) / (count(rows, &[(up, label(up))]) + 1.0);
            let here = edges.iter().filter(|edge| at(&edge.to) == column && edge.to_level == level);
            let parents: Vec<Field> = here.map(|edge| (at(&edge.from), edge.from_level)).collect();
            let known: Vec<(Field, Code)> = parents.iter().map(|&parent| (parent, label(parent))).collect();
            let with = |field: Field| count(rows, &[&known[..], &[(field, label(field))]].concat());
            p *= if parents.is_empty() { alone } else { (with(own) + alone) / (with(up) + 1.0) };
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
    fitted(&rows(seed, n, noise), Fit { seed: Some(seed), target, ..Fit::default() })
}

fn fitted(rows: &[Vec<Code>], asked: Fit) -> Network {
    fit(&names(), &hierarchies(), &entries(rows), asked, &Watch::none()).unwrap()
}

fn known(cells: &[Cell]) -> Vec<Known> {
    cells.iter().map(|&cell| Known::Label(cell)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn elimination_says_what_enumeration_says(
        seed in 0u64..1000,
        n in 8usize..200,
        noise in 0u32..11,
        parents in 0usize..4,
        picks in prop::collection::vec((0usize..4, 0u32..6), 4),
        some in prop::collection::btree_set(0u32..6, 1..4),
    ) {
        let table = rows(seed, n, noise);
        let network = fitted(&table, Fit { parents, ..Fit::default() });
        let cells: Vec<Cell> = picks.iter().zip(&network.hierarchies)
            .map(|(&(level, leaf), h)| {
                let level = level.min(h.height());
                Cell { level, code: h.generalize(leaf % h.leaf_count() as u32, level) }
            })
            .collect();
        let shares: Vec<(Vec<Code>, f64)> =
            all_rows().map(|row| { let p = joint(&network, &table, &row); (row, p) }).collect();
        prop_assert!((shares.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-12);
        let within = |row: &[Code]| row.iter().zip(&cells).zip(&network.hierarchies)
            .all(|((&leaf, cell), h)| h.generalize(leaf, cell.level) == cell.code);
        let mut inside = 0.0;
        let mut leaves = [6, 4, 3, 5].map(|n| vec![0.0; n]);
        for (row, p) in shares.iter().filter(|(row, _)| within(row)) {
            inside += p;
            row.iter().zip(&mut leaves).for_each(|(&leaf, sums)| sums[leaf as usize] += p);
        }
        prop_assert!((network.probability(&cells) - inside).abs() < 1e-12);
        prop_assert!((network.probability_known(&known(&cells)).unwrap() - inside).abs() < 1e-12);
        let levels: Vec<usize> = cells.iter().map(|cell| cell.level).collect();
        let mut at_node = network.at_node(&levels);
        // All classes of the node, one after the other: what one leaves behind must not change the
        // next.
        for row in all_rows() {
            let look: Vec<Cell> = row.iter().zip(&levels).zip(&network.hierarchies)
                .map(|((&leaf, &level), h)| Cell { level, code: h.generalize(leaf, level) })
                .collect();
            let labels: Vec<Code> = look.iter().map(|cell| cell.code).collect();
            let p = network.probability(&look);
            prop_assert!((at_node.probability(&labels) - p).abs() < 1e-12 * p);
        }
        for (column, sums) in leaves.iter().enumerate() {
            let found = network.posterior(column, &known(&cells)).unwrap();
            for (found, sum) in found.iter().zip(sums) {
                prop_assert!((found - sum / inside).abs() < 1e-9);
            }
            let (best, share) = network.predict(column, &known(&cells)).unwrap();
            prop_assert!(sums.iter().all(|&sum| sum <= sums[best as usize] + 1e-12));
            prop_assert!((share - sums[best as usize] / inside).abs() < 1e-9);
        }
        // A column whose leaf is known to be one of several.
        let mut sets = known(&cells);
        sets[0] = Known::Leaves(some.iter().copied().collect());
        let among = |row: &[Code]| some.contains(&row[0]) && row.iter().zip(&cells).zip(&network.hierarchies).skip(1)
            .all(|((&leaf, cell), h)| h.generalize(leaf, cell.level) == cell.code);
        let sum: f64 = shares.iter().filter(|(row, _)| among(row)).map(|(_, p)| p).sum();
        prop_assert!((network.probability_known(&sets).unwrap() - sum).abs() < 1e-12);
        let anything: Vec<Cell> = (0..4).map(|column| network.anything(column)).collect();
        prop_assert!((network.probability(&anything) - 1.0).abs() < 1e-12);
    }

    /// No move gains, no column is its own ancestor, and no field has more parents than it may; the
    /// score is at least that of no edges and at most that of the best structure.
    #[test]
    fn no_move_improves_what_is_found(
        seed in 0u64..1000, n in 1usize..250, noise in 0u32..8, parents in 0usize..4,
    ) {
        let (table, hierarchies) = (rows(seed, n, noise), hierarchies());
        let entries = entries(&table);
        let counts = Counts::new(&hierarchies, &entries);
        let found = climb(&counts, &hierarchies, parents, &Watch::none()).unwrap();
        let total = |links: &[Link]| -> i128 { total(&counts, links) };
        prop_assert_eq!(found.score, total(&found.families));
        let most = best(&counts, parents);
        prop_assert!(found.score >= total(&[]) && found.score <= most);
        let (links, score) = exact(&counts, 4, parents, &Watch::none()).unwrap();
        prop_assert!(affordable(&counts, 4, parents));
        prop_assert_eq!((score, total(&links)), (most, most));
        prop_assert!(acyclic(&links) && links.iter().all(|(_, over)| over.len() <= parents));
        for (_, over) in &found.families {
            let mut columns: Vec<usize> = over.iter().map(|(column, _)| *column).collect();
            columns.dedup();
            prop_assert!(over.len() <= parents && columns.len() == over.len());
        }
        for other in neighbours(&counts.fields(), &found.families, parents) {
            prop_assert!(total(&other) <= found.score, "{:?} {:?}", found.families, other);
        }
    }

    /// Neither the order of rows nor the number of threads matters.
    #[test]
    fn rows_have_no_order(seed in 0u64..1000, n in 20usize..200, noise in 0u32..8) {
        let table = rows(seed, n, noise);
        let mut other = table.clone();
        other.sort_by_key(|row| (row[3], row[1] * 7 % 5, row[0]));
        let asked = Fit { seed: Some(3), ..Fit::default() };
        let of = |rows: &[Vec<Code>], threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let entries = entries(rows).in_order(&hierarchies());
            pool.install(|| fit(&names(), &hierarchies(), &entries, asked, &Watch::none()).unwrap().facts())
        };
        prop_assert_eq!(of(&table, 1), of(&other, 4));
    }
}

/// The score of a structure.
fn total(counts: &Counts<'_>, links: &[Link]) -> i128 {
    let parents = |field: Field| links.iter().find(|(child, _)| *child == field).map_or(&[][..], |(_, p)| p);
    counts.fields().into_iter().map(|field| counts.score(field, parents(field)).unwrap()).sum()
}

/// The best score of all structures: one without cycles has an order in which parents come first.
fn best(counts: &Counts<'_>, parents: usize) -> i128 {
    let fields = counts.fields();
    let top = |field: Field, before: &[usize]| -> i128 {
        let mut sets: Vec<Vec<Field>> = vec![Vec::new()];
        for &column in before {
            let more: Vec<Vec<Field>> = sets
                .iter()
                .filter(|set| set.len() < parents)
                .flat_map(|set| {
                    let of_column = fields.iter().filter(move |other| other.0 == column);
                    of_column.map(move |&other| [set.clone(), vec![other]].concat())
                })
                .collect();
            sets.extend(more);
        }
        sets.iter().map(|set| counts.score(field, set).unwrap()).max().unwrap()
    };
    let score = |order: &Vec<usize>| -> i128 {
        let place = |field: Field| order.iter().position(|&column| column == field.0).unwrap();
        fields.iter().map(|&field| top(field, &order[..place(field)])).sum()
    };
    let columns = fields.iter().map(|field| field.0).max().map_or(0, |most| most + 1);
    orders(columns).iter().map(score).max().unwrap()
}

/// All orders of some columns.
fn orders(columns: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..columns {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let rest = (0..columns).filter(|column| !order.contains(column));
            rest.map(|column| [order.clone(), vec![column]].concat()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

/// Whether some order of the columns has all parents before their children.
fn acyclic(links: &[Link]) -> bool {
    orders(4).iter().any(|order| {
        let place = |column: usize| order.iter().position(|&other| other == column);
        links.iter().all(|(child, over)| over.iter().all(|parent| place(parent.0) < place(child.0)))
    })
}

/// All structures that differ by one edge, or by the direction or a level of one.
fn neighbours(fields: &[Field], links: &[Link], parents: usize) -> Vec<Vec<Link>> {
    let now: Vec<(Field, Field)> =
        links.iter().flat_map(|(child, over)| over.iter().map(|&parent| (parent, *child))).collect();
    let mut found = Vec::new();
    for &parent in fields {
        for &child in fields.iter().filter(|child| child.0 != parent.0) {
            let without: Vec<_> = now.iter().copied().filter(|edge| *edge != (parent, child)).collect();
            if without.len() < now.len() {
                found.push(without.clone());
                found.push([without.clone(), vec![(child, parent)]].concat());
                let levels = fields.iter().filter(|other| other.0 == parent.0 && **other != parent);
                found.extend(levels.map(|&other| [without.clone(), vec![(other, child)]].concat()));
            } else {
                found.push([without, vec![(parent, child)]].concat());
            }
        }
    }
    let link = |edges: Vec<(Field, Field)>| -> Option<Vec<Link>> {
        let of = |child: Field| -> Vec<Field> {
            edges.iter().filter(|edge| edge.1 == child).map(|edge| edge.0).collect()
        };
        let links: Vec<Link> =
            fields.iter().map(|&child| (child, of(child))).filter(|(_, over)| !over.is_empty()).collect();
        let twice = |over: &Vec<Field>| {
            over.iter().enumerate().any(|(at, one)| over[..at].iter().any(|other| other.0 == one.0))
        };
        let fits = links.iter().all(|(_, over)| over.len() <= parents && !twice(over));
        (fits && acyclic(&links)).then_some(links)
    };
    found.into_iter().filter_map(link).collect()
}

/// A case of networks.py.
#[derive(Deserialize)]
struct Case {
    columns: Vec<Vec<Vec<String>>>,
    rows: Vec<Vec<Code>>,
    families: Vec<Scored>,
    alone: f64,
    best: f64,
    questions: Vec<Asked>,
}

#[derive(Deserialize)]
struct Scored {
    field: Field,
    parents: Vec<Field>,
    bic: f64,
}

#[derive(Deserialize)]
struct Asked {
    known: Vec<(usize, String)>,
    probability: f64,
    ask: usize,
    posterior: Vec<f64>,
}

/// Scores and answers are those of networks.py, which enumerates and shares nothing with the
/// program. All structures that are found are the best; climbing alone finds 54.
#[test]
fn scores_and_answers_are_those_of_enumeration() {
    let (mut reached, mut climbed) = (0, 0);
    let cases: Vec<Case> = include_str!("../../tests/networks.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for case in &cases {
        let path = |path: &Vec<String>| Path { leaf: path[0].clone(), labels: path[1..].to_vec() };
        let hierarchies: Vec<Hierarchy> = case
            .columns
            .iter()
            .map(|paths| Hierarchy::new(paths.iter().map(path).collect(), false).unwrap())
            .collect();
        let names: Vec<String> = (0..hierarchies.len()).map(|column| format!("c{column}")).collect();
        let codes = (0..names.len()).map(|c| case.rows.iter().map(|row| row[c]).collect()).collect();
        let entries = Entries::new(codes, vec![1; case.rows.len()]).unwrap();
        let counts = Counts::new(&hierarchies, &entries);
        for family in &case.families {
            let score = nats(counts.score(family.field, &family.parents).unwrap());
            assert!((score - family.bic).abs() < 1e-4, "{score} {}", family.bic);
        }
        let facts = fit(&names, &hierarchies, &entries, Fit::default(), &Watch::none()).unwrap().facts();
        assert!((facts.bic_without_edges - case.alone).abs() < 1e-4);
        assert!(facts.optimal && facts.bic < case.best + 1e-4, "{} {}", facts.bic, case.best);
        reached += u32::from(facts.bic > case.best - 1e-4);
        climbed += u32::from(
            nats(climb(&counts, &hierarchies, 2, &Watch::none()).unwrap().score) > case.best - 1e-4,
        );
        let links: Vec<Link> =
            case.families.iter().map(|family| (family.field, family.parents.clone())).collect();
        let network = Network::of_structure(&names, &hierarchies, &entries, &links);
        for asked in &case.questions {
            let cell = |(&(level, ref label), h): (&(usize, String), &Hierarchy)| {
                let mut codes = 0..h.size(level) as Code;
                let code = codes.find(|&code| h.label(level, code) == Some(label)).unwrap();
                Known::Label(Cell { level, code })
            };
            let known: Vec<Known> = asked.known.iter().zip(&hierarchies).map(cell).collect();
            let p = network.probability_known(&known).unwrap();
            assert!((p - asked.probability).abs() < 1e-9, "{p} {}", asked.probability);
            let posterior = network.posterior(asked.ask, &known).unwrap();
            assert_eq!(posterior.len(), asked.posterior.len());
            for (found, right) in posterior.iter().zip(&asked.posterior) {
                assert!((found - right).abs() < 1e-9, "{found} {right}");
            }
        }
    }
    assert_eq!((cases.len(), reached, climbed), (60, 60, 54));
}

/// What depends on two columns together, and on neither by itself, needs two parents.
#[test]
fn two_columns_together_are_seen() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut bit = || random.next_u32() % 2;
    let table: Vec<Vec<Code>> = (0..400)
        .map(|at| {
            let (a, b) = (bit(), bit());
            // A weak tie to one of the two leads the way: an edge is added if it gains by itself.
            let c = if at % 5 == 0 { a } else { a ^ b };
            vec![a * 2, b * 2, c, 0]
        })
        .collect();
    let edges = |parents: usize| {
        let facts = fitted(&table, Fit { parents, ..Fit::default() }).facts();
        facts.edges.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect::<Vec<_>>()
    };
    assert!(edges(0).is_empty());
    let two = edges(2);
    let of = |name: &str| two.iter().filter(|(_, to)| to == name).count();
    assert_eq!(names().iter().map(|name| of(name)).max(), Some(2), "{two:?}");
    let one = edges(1);
    assert!(names().iter().all(|name| one.iter().filter(|(_, to)| to == name).count() <= 1), "{one:?}");
}

/// A column that says of every value whether it is even, and twenty more that depend on it and on
/// each other: inference stays within its limit, and the edges that were left out are counted.
#[test]
fn structures_stay_small_enough_for_inference() {
    let flat = |leaves: usize| {
        let path = |leaf: usize| Path { leaf: format!("{leaf:03}"), labels: Vec::new() };
        Hierarchy::new((0..leaves).map(path).collect(), false).unwrap()
    };
    let hierarchies: Vec<Hierarchy> = (0..5).map(|_| flat(150)).collect();
    let names: Vec<String> = (0..5).map(|column| format!("c{column}")).collect();
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut columns = vec![Vec::new(); 5];
    for _ in 0..2_000_000 / 40 {
        let (a, b) = (random.next_u32() % 150, random.next_u32() % 150);
        for (at, column) in columns.iter_mut().enumerate() {
            let value = [a, b, a, b, (a / 50) * 50 + b / 50][at];
            column.push(if random.next_u32() % 50 == 0 { random.next_u32() % 150 } else { value });
        }
    }
    let entries = Entries::new(columns, vec![1; 50_000]).unwrap();
    let network =
        fit(&names, &hierarchies, &entries, Fit { parents: 3, ..Fit::default() }, &Watch::none()).unwrap();
    let links: Vec<Link> = network
        .families
        .iter()
        .enumerate()
        .flat_map(|(column, families)| families.iter().map(move |f| ((column, f.level), f.parents.clone())))
        .collect();
    assert!(!links.is_empty() && plan(&hierarchies, &links).1 <= MOST_CELLS);
    // All values of a few columns given as a set: the question itself can be too large.
    let every: Vec<Known> = (0..5).map(|_| Known::Leaves((0..150).collect())).collect();
    let p = network.probability_known(&every);
    assert!(p.is_ok_and(|p| (p - 1.0).abs() < 1e-9));
}

#[test]
fn what_belongs_together_is_found_and_chance_is_not() {
    let tied = network(1, 400, 1, None).facts();
    let children: std::collections::BTreeSet<&str> = tied.edges.iter().map(|edge| edge.to.as_str()).collect();
    assert!(children.len() >= 3 && tied.edges.iter().all(|edge| edge.gain > 0.0), "{tied:?}");
    assert!(tied.bits.unwrap() < tied.bits_without_edges.unwrap() - 2.0 && tied.bic > tied.bic_without_edges);
    // With noise of ten in ten every column is by itself.
    let apart = network(1, 4000, 10, None).facts();
    assert!(apart.edges.is_empty(), "{apart:?}");
    assert_eq!(apart.bic, apart.bic_without_edges);
    let facts = network(1, 400, 1, Some(2)).facts();
    assert_eq!((facts.target.as_deref(), facts.parents), (Some("c"), 2));
    let shown = text(&facts);
    assert!(shown.contains("the target") && shown.contains("gain") && !shown.contains("v0"), "{shown}");
    let plain = fitted(&rows(1, 400, 1), Fit::default()).facts();
    assert_eq!((plain.test_rows, plain.bits), (0, None));
    assert_eq!(plain.edges, tied.edges);
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
        let facts = fit(
            &names,
            &[one.clone(), flat.clone()],
            &entries,
            Fit { seed: Some(seed), ..Fit::default() },
            &Watch::none(),
        )
        .unwrap();
        for edge in facts.facts().edges {
            assert_eq!((edge.from_level, edge.to_level), (0, 0), "{edge:?}");
        }
    }
}

/// The bits that a network says rows kept aside take are those of the definition, with the same
/// edges and the counts of the other rows.
#[test]
fn the_bits_are_those_of_rows_kept_aside() {
    let table = rows(5, 300, 4);
    let (train, test) = entries(&table).split(9);
    let whole = fitted(&table, Fit { seed: Some(9), ..Fit::default() });
    let of = |counts: &[u32]| -> Vec<Vec<Code>> {
        table.iter().zip(counts).filter(|(_, n)| **n > 0).map(|(row, _)| row.clone()).collect()
    };
    let (train, test) = (of(&train), of(&test));
    let bits: f64 =
        test.iter().map(|row| -joint(&whole, &train, row).log2()).sum::<f64>() / test.len() as f64;
    assert!(whole.facts().edges.len() > 1);
    assert!((bits - whole.facts().bits.unwrap()).abs() < 1e-9, "{bits} {:?}", whole.facts());
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
            assert!((share - joint(&network, &rows(2, n, 2), &row)).abs() < 0.01, "{n} rows: {row:?}");
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
        let cell = |column: usize| match column {
            2 => network.anything(2),
            _ => Cell { level: 0, code: row[column] },
        };
        let cells: Vec<Cell> = (0..4).map(cell).collect();
        let nothing: Vec<Cell> = (0..4).map(|column| network.anything(column)).collect();
        with -= network.posterior(2, &known(&cells)).unwrap()[row[2] as usize].log2();
        without -= network.posterior(2, &known(&nothing)).unwrap()[row[2] as usize].log2();
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
fn fitting_can_be_stopped_at_every_family() {
    let entries = entries(&rows(3, 100, 2));
    let fields = 7;
    for stop in [1, 2, fields, fields + 5] {
        let cancel = Cancel::new();
        let handle = cancel.clone();
        let watch = Watch::new(cancel).listening(move |event| {
            if matches!(event, Event::Done { stage: Stage::Measuring, done, .. } if done == stop) {
                handle.finish();
            }
        });
        let fitted = fit(&names(), &hierarchies(), &entries, Fit::default(), &watch);
        assert!(fitted.unwrap_err().is_cancelled(), "{stop}");
    }
}

/// Cells are values, labels or the top; what is wrong says so.
#[test]
fn questions_are_read_and_answered() {
    let table = rows(4, 300, 2);
    let network = fitted(&table, Fit::default());
    let ask = |given: &[(&str, &str)], ask: Option<&str>| {
        let given = given.iter().map(|(column, cell)| ((*column).into(), (*cell).into())).collect();
        network.answer(&Question { given, ask: ask.map(String::from) })
    };
    let answer = ask(&[("a", "g1"), ("b", "v2"), ("d", "*")], Some("c")).unwrap();
    let cells =
        [Cell { level: 1, code: 1 }, Cell { level: 0, code: 2 }, network.anything(2), network.anything(3)];
    assert_eq!((answer.rows, answer.probability), (300, network.probability(&cells)));
    assert!((answer.expected_rows - 300.0 * answer.probability).abs() < 1e-9);
    let shares = network.posterior(2, &known(&cells)).unwrap();
    assert_eq!(answer.distribution.len(), 3);
    assert!(answer.distribution.is_sorted_by(|a, b| a.probability >= b.probability));
    for likely in &answer.distribution {
        let leaf = network.hierarchies[2].leaf(likely.value.as_deref()).unwrap();
        assert_eq!(likely.probability, shares[leaf as usize]);
    }
    let shown = answer_text(&answer);
    assert!(
        shown.contains("of 300 rows") && shown.contains("c given these:") && shown.contains("v0"),
        "{shown}"
    );
    // What is asked about may be known in part.
    let within = ask(&[("a", "g1")], Some("a")).unwrap().distribution;
    assert_eq!(within.len(), 2);
    let row = ask(&[("a", "v0")], None).unwrap();
    assert!(row.column.is_none() && !answer_text(&row).contains("given these"));
    let wrong = |given: &[(&str, &str)], asked: Option<&str>| ask(given, asked).unwrap_err().to_string();
    assert!(wrong(&[("x", "v0")], None).contains("`x` is not in the network"));
    assert!(wrong(&[], Some("x")).contains("`x` is not in the network"));
    assert!(wrong(&[("a", "v0"), ("a", "v1")], None).contains("given twice"));
    assert!(wrong(&[("a", "v9")], None).contains("neither a value of `a`"));
    assert!(wrong(&[("a", "")], None).contains("neither"));
}

/// A census block lies in a tract and in a place: both are implied fields, and a cell of the poset
/// is all blocks that it covers.
#[test]
fn posets_take_part_with_their_ancestors() {
    let file = "*;1;\nT1;0.5;*\nT2;0.5;*\nP1;0.5;*\nP2;0.5;*\n\
                b1;0;T1;P1\nb2;0;T1;P2\nb3;0;T2;P1\nb4;0;T2;P2\n";
    let spec =
        crate::hierarchy::Spec::Poset(crate::poset::Spec::File(crate::hierarchy::File::Path("p.csv".into())));
    let mut dictionary = crate::table::Dictionary::new();
    for block in ["b1", "b2", "b3", "b4"] {
        dictionary.add(Some(block), 1);
    }
    let plain = crate::hierarchy::build(&spec, &dictionary, &|_: &str| Ok(file.to_owned())).unwrap();
    let block = plain.implied();
    // Tract and place together say which block it is, so that the tract is one level.
    assert_eq!((plain.height(), block.height(), block.size(1)), (1, 2, 2));
    assert_eq!(block.generalize(0, 1), block.generalize(1, 1));
    let path = |leaf: &str| Path { leaf: leaf.into(), labels: Vec::new() };
    let ill = Hierarchy::new(vec![path("no"), path("yes")], false).unwrap();
    let codes = vec![vec![0, 1, 2, 3, 0, 1, 2, 3], vec![0, 1, 0, 1, 0, 1, 0, 1]];
    let entries = Entries::new(codes, vec![40, 40, 40, 40, 1, 1, 1, 1]).unwrap();
    let names = ["block", "ill"].map(String::from);
    let network = fit(&names, &[block, ill], &entries, Fit::default(), &Watch::none()).unwrap();
    let given = vec![("block".to_owned(), "P2".to_owned())];
    let answer = network.answer(&Question { given, ask: Some("ill".into()) }).unwrap();
    assert!((answer.probability - 0.5).abs() < 1e-9, "{answer:?}");
    assert_eq!(answer.distribution[0].value.as_deref(), Some("yes"));
    assert!(answer.distribution[0].probability > 0.95, "{answer:?}");
}
