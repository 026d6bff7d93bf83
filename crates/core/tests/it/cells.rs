//! Steps, cell suppression and the losses of what comes of them, against the definitions row by
//! row.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use throng::classes::{Classes, Flags, Groups, View};
use throng::hierarchy::{Hierarchy, Path};
use throng::histogram::{Histogram, Scratch};
use throng::lattice::{Lattice, Limits, Node};
use throng::loss::{self, Marginals, Price};
use throng::model::{KAnonymity, ModelFacts, NoMissing, PrivacyModel, Requirement, Verdict, judge};
use throng::recode::{apply, cells, prove};
use throng::recoded::Recoded;
use throng::recoding::{RecodedColumn, Recoding, RowCounter, Steps};
use throng::watch::{Cancel, Event, Stage, Watch};

use crate::naive_losses::{Cells, Released, firsts, traded};

const HEIGHT: usize = 3;
const LEAVES: u32 = 6;

/// Columns of the leaves 0 to 5, in pairs at level 1 and in fours at level 2; a cell may be
/// missing.
#[derive(Debug, Clone)]
struct Table {
    width: usize,
    rows: Vec<Vec<Option<u32>>>,
    /// Whether a label can be the same text at several levels.
    repeats: bool,
    wildcard: bool,
    suppress: bool,
    k: usize,
    group: Option<(Vec<usize>, usize)>,
}

type Labels = Vec<Option<String>>;

impl Table {
    fn label(&self, cell: Option<u32>, level: usize) -> Option<String> {
        if level == HEIGHT {
            return Some("*".into());
        }
        let general = cell? >> level;
        Some(if self.repeats { general.to_string() } else { format!("{level}:{general}") })
    }

    fn labels(&self, row: &[Option<u32>], node: &[u8]) -> Labels {
        row.iter().zip(node).map(|(&cell, &level)| self.label(cell, level as usize)).collect()
    }

    fn missing(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row[column].is_none())
    }

    fn leaves(&self, column: usize) -> Vec<Option<u32>> {
        (0..LEAVES).map(Some).chain(self.missing(column).then_some(None)).collect()
    }

    fn hierarchies(&self) -> Vec<Hierarchy> {
        let path = |leaf: u32| Path {
            leaf: self.label(Some(leaf), 0).unwrap(),
            labels: (1..HEIGHT).map(|level| self.label(Some(leaf), level).unwrap()).collect(),
        };
        let of = |c| Hierarchy::new((0..LEAVES).map(path).collect(), self.missing(c)).unwrap();
        (0..self.width).map(of).collect()
    }

    fn classes(&self) -> Classes {
        let row = |row: &Vec<Option<u32>>| row.iter().map(|cell| cell.unwrap_or(LEAVES)).collect();
        Classes::of_rows(self.width, self.rows.iter().map(row)).unwrap()
    }

    /// The classes with the labels of their rows measured.
    fn labelled(&self) -> Classes {
        let classes = self.classes();
        let of = self.class_of(&classes).into_iter().enumerate();
        let triples: Vec<(u32, u32, u32)> = of.map(|(row, class)| (class as u32, label_of(row), 1)).collect();
        let histogram = Histogram::new(classes.len(), &triples).unwrap();
        classes.measured(vec![histogram]).unwrap()
    }

    /// The class of every row.
    fn class_of(&self, classes: &Classes) -> Vec<usize> {
        let same = |row: &Vec<Option<u32>>, class: usize| {
            (0..self.width).all(|c| classes.code(class, c) == row[c].unwrap_or(LEAVES))
        };
        self.rows.iter().map(|row| (0..classes.len()).find(|&class| same(row, class)).unwrap()).collect()
    }

    fn models(&self) -> Vec<Box<dyn PrivacyModel>> {
        let mut models: Vec<Box<dyn PrivacyModel>> =
            vec![Box::new(KAnonymity::new(self.k as u64, self.wildcard))];
        if self.suppress {
            models.push(Box::new(NoMissing::default()));
        }
        if let Some((columns, k)) = &self.group {
            models.push(Box::new(KAnonymity::of_group(*k as u64, self.wildcard, "g", columns.clone())));
        }
        models
    }

    fn lattice(&self, linked: &[Vec<usize>]) -> Lattice {
        let limits = |c: usize| Limits { name: c.to_string(), height: HEIGHT, min: None, max: None };
        Lattice::new(&(0..self.width).map(limits).collect::<Vec<_>>(), linked).unwrap()
    }

    /// The most of these rows that are safe by themselves.
    fn safe(&self, rows: &BTreeMap<usize, Labels>) -> Vec<usize> {
        let mut stay: Vec<usize> = rows.keys().copied().collect();
        stay.retain(|r| !self.suppress || !rows[r].contains(&None));
        let mut groups = vec![((0..self.width).collect(), self.k)];
        groups.extend(self.group.clone());
        let same = |a: &Labels, b: &Labels, c: usize| {
            a[c] == b[c] || self.wildcard && (a[c].is_none() || b[c].is_none())
        };
        let size = |stay: &[usize], row: usize, columns: &Vec<usize>| {
            let alike = |other: &&usize| columns.iter().all(|&c| same(&rows[&row], &rows[other], c));
            stay.iter().filter(alike).count()
        };
        loop {
            let short = |r: &usize| groups.iter().any(|(columns, k)| size(&stay, *r, columns) < *k);
            match stay.iter().position(short) {
                Some(at) => stay.remove(at),
                None => return stay,
            };
        }
    }

    /// The step of every row, by the definition.
    fn steps(&self, nodes: &[Node]) -> Vec<Option<usize>> {
        let mut step_of = vec![None; self.rows.len()];
        for (step, node) in nodes.iter().enumerate() {
            let left = (0..self.rows.len()).filter(|&r| step_of[r].is_none());
            let rows = left.map(|r| (r, self.labels(&self.rows[r], node.levels()))).collect();
            self.safe(&rows).into_iter().for_each(|r| step_of[r] = Some(step));
        }
        step_of
    }

    /// What the released rows look like.
    fn released(&self, nodes: &[Node], step_of: &[Option<usize>]) -> BTreeMap<usize, Labels> {
        let of = |(r, step): (usize, &Option<usize>)| {
            Some((r, self.labels(&self.rows[r], nodes[(*step)?].levels())))
        };
        step_of.iter().enumerate().filter_map(of).collect()
    }
}

fn table() -> impl Strategy<Value = Table> {
    let cell = prop_oneof![6 => (0..LEAVES).prop_map(Some), 1 => Just(None)];
    (2_usize..5).prop_flat_map(move |width| {
        let rows = prop::collection::vec(prop::collection::vec(cell.clone(), width), 1..24);
        let group =
            prop::option::weighted(0.3, (prop::collection::btree_set(0..width, 1..=width), 1_usize..6));
        (rows, any::<bool>(), 0..3_u8, 1_usize..6, group).prop_map(move |(rows, repeats, mode, k, group)| {
            Table {
                width,
                rows,
                repeats,
                wildcard: mode == 1,
                suppress: mode == 2,
                k,
                group: group.map(|(columns, k)| (columns.into_iter().collect(), k)),
            }
        })
    })
}

fn nodes(width: usize) -> impl Strategy<Value = Vec<Node>> {
    let node = prop::collection::vec(0..=HEIGHT as u8, width).prop_map(Node::new);
    prop::collection::vec(node, 1..5)
}

fn table_and_nodes() -> impl Strategy<Value = (Table, Vec<Node>)> {
    table().prop_flat_map(|t| (nodes(t.width)).prop_map(move |nodes| (t.clone(), nodes)))
}

/// A node's groups, as the evaluator forms them.
fn groups(table: &Table, classes: &Classes, hierarchies: &[Hierarchy], node: &Node) -> Groups {
    let mut known: Vec<Vec<u32>> = Vec::new();
    let mut ids = Vec::new();
    let mut groups = Groups::default();
    for (class, &count) in classes.counts().iter().enumerate() {
        let code = |c: usize| hierarchies[c].generalize(classes.code(class, c), node.level(c));
        let key: Vec<u32> = (0..table.width).map(code).collect();
        match known.iter().position(|k| *k == key) {
            Some(at) => {
                groups.count[at] += count;
                ids.push(at as u32);
            }
            None => {
                ids.push(known.len() as u32);
                known.push(key);
                groups.first.push(class as u32);
                groups.count.push(count);
            }
        }
    }
    for histogram in classes.histograms() {
        let mut merged = Histogram::default();
        histogram.merge(&ids, groups.len(), &mut merged, &mut Scratch::default());
        groups.histograms.push(merged);
    }
    groups
}

/// Cell suppression after a node: the steps.
fn chosen(table: &Table, node: &Node, linked: &[Vec<usize>]) -> Vec<Node> {
    let (classes, hierarchies, models) = (table.classes(), table.hierarchies(), table.models());
    let groups = groups(table, &classes, &hierarchies, node);
    let view = View::new(&classes, &hierarchies, node, &groups);
    let mut flags = Flags::default();
    judge(&models, &view, &mut flags).unwrap();
    let chosen = cells(&view, &flags, &table.lattice(linked), &models, &Watch::none()).unwrap();
    if chosen.len() > 1 {
        can_be_stopped(|watch| cells(&view, &flags, &table.lattice(linked), &models, watch));
    }
    chosen
}

/// Choosing that takes at least a step can be stopped before each.
fn can_be_stopped(choose: impl Fn(&Watch) -> throng::error::Result<Vec<Node>>) {
    let cancel = Cancel::new();
    let handle = cancel.clone();
    let watch = Watch::new(cancel).listening(move |event| {
        assert!(matches!(event, Event::Done { stage: Stage::ChoosingCells, of: Some(_), .. }), "{event:?}");
        handle.finish();
    });
    assert!(choose(&watch).unwrap_err().is_cancelled());
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// The label of a row, for the classification metric.
fn label_of(row: usize) -> u32 {
    (row * row % 7 % 3) as u32
}

/// The release as the definitions of losses see it: every row with the node that it was released at,
/// or suppressed at the first.
fn released(table: &Table, nodes: &[Node], weights: &[f64]) -> Released {
    let step_of = table.steps(nodes);
    let node = |row: usize| &nodes[step_of[row].unwrap_or(0)];
    let rows = 0..table.rows.len();
    let column = |c: usize| {
        let under = |row: usize| {
            let level = node(row).level(c);
            let label = table.label(table.rows[row][c], level);
            table.leaves(c).into_iter().filter(|&leaf| table.label(leaf, level) == label).count()
        };
        let labels = |level| table.rows.iter().map(|row| table.label(row[c], level)).collect::<Vec<_>>();
        Cells {
            weight: weights[c],
            leaves: table.leaves(c).len(),
            first: nodes[0].level(c),
            level: rows.clone().map(|row| node(row).level(c)).collect(),
            under: rows.clone().map(under).collect(),
            values: (0..=HEIGHT).map(|level| firsts(&labels(level))).collect(),
        }
    };
    let looks = rows.clone().map(|row| table.labels(&table.rows[row], node(row).levels()));
    Released {
        stay: step_of.iter().map(Option::is_some).collect(),
        classes: firsts(&looks.collect::<Vec<_>>()),
        columns: (0..table.width).map(column).collect(),
        targets: vec![rows.clone().map(|row| label_of(row) as usize).collect()],
    }
}

proptest! {
    #[test]
    fn steps_are_what_their_definition_says((table, nodes) in table_and_nodes()) {
        let (classes, hierarchies, models) = (table.classes(), table.hierarchies(), table.models());
        let steps = apply(&Arc::new(classes.clone()), &hierarchies, &models, nodes.clone()).unwrap();
        let expected = table.steps(&nodes);
        for (class, step) in table.class_of(&classes).into_iter().zip(&expected) {
            prop_assert_eq!(steps.of(class), *step);
        }
        // The rows of all steps together are safe, and so says the proof.
        let released = table.released(&nodes, &expected);
        prop_assert_eq!(table.safe(&released).len(), released.len());
        let recoded = Recoded::of_steps(&Arc::new(classes.clone()), &hierarchies, &steps).unwrap();
        let proof = prove(&recoded, &models).unwrap();
        let looks: std::collections::BTreeSet<&Labels> = released.values().collect();
        prop_assert_eq!(proof.view().len(), looks.len());
        let verdicts: Vec<Verdict> =
            models.iter().filter_map(|m| m.verdict(&proof.view(), &{
                let mut flags = Flags::default();
                flags.reset(proof.view().len());
                flags
            })).collect();
        prop_assert!(verdicts.iter().all(|v| v.holds));
    }

    #[test]
    fn losses_of_cells_are_those_of_their_definitions(
        (table, nodes) in table_and_nodes(),
        weights in prop::collection::vec(prop::sample::select(vec![1.0, 0.5, 3.0]), 4),
    ) {
        let (classes, hierarchies, models) = (table.labelled(), table.hierarchies(), table.models());
        let steps = apply(&Arc::new(classes.clone()), &hierarchies, &models, nodes.clone()).unwrap();
        let recoded = Recoded::of_steps(&Arc::new(classes.clone()), &hierarchies, &steps).unwrap();
        let price = Price::new(&recoded, &nodes[0]);
        let weights = &weights[..table.width];
        let expected = released(&table, &nodes, weights);
        for asked in traded() {
            let (found, expected) = (price.loss(&asked, weights).unwrap(), expected.loss(&asked));
            prop_assert!(near(found, expected), "{asked:?}: {found} {expected}");
        }
    }

    #[test]
    fn losses_of_one_step_are_those_of_the_search(
        (table, nodes) in table_and_nodes(),
        weights in prop::collection::vec(prop::sample::select(vec![1.0, 0.5, 3.0]), 4),
    ) {
        let (classes, hierarchies, models) = (table.labelled(), table.hierarchies(), table.models());
        let node = &nodes[0];
        let groups = groups(&table, &classes, &hierarchies, node);
        let view = View::new(&classes, &hierarchies, node, &groups);
        let mut flags = Flags::default();
        judge(&models, &view, &mut flags).unwrap();
        let steps = apply(&Arc::new(classes.clone()), &hierarchies, &models, vec![node.clone()]).unwrap();
        let recoded = Recoded::of_steps(&Arc::new(classes.clone()), &hierarchies, &steps).unwrap();
        prop_assert_eq!(recoded.suppressed_rows(), flags.rows());
        prop_assert_eq!(recoded.classes().count(), view.len() - flags.classes());
        let price = Price::new(&recoded, node);
        let marginals = Marginals::new(&classes, &hierarchies);
        let weights = &weights[..table.width];
        for loss in traded() {
            let expected = loss::build(&loss, &marginals, weights).unwrap().loss(&view, &flags);
            let found = price.loss(&loss, weights).unwrap();
            prop_assert!(near(found, expected), "{loss:?}: {found} {expected}");
            let parts = loss::build(&loss, &marginals, weights).unwrap().parts(&view, &flags);
            let found = price.parts(&loss, weights);
            let same = parts.len() == found.len() && parts.iter().zip(&found).all(|(a, b)| near(*a, *b));
            prop_assert!(same, "{loss:?}: {found:?} {parts:?}");
        }
    }

    #[test]
    fn rows_are_rewritten_as_their_step_says((table, nodes) in table_and_nodes()) {
        let (classes, hierarchies, models) = (table.classes(), table.hierarchies(), table.models());
        let names: Vec<String> = (0..table.width).map(|c| c.to_string()).collect();
        // Dictionaries with the leaves the other way round.
        let maps: Vec<Vec<u32>> =
            hierarchies.iter().map(|h| (0..h.leaf_count() as u32).rev().collect()).collect();
        let classes = Arc::new(classes);
        let steps = apply(&classes, &hierarchies, &models, nodes.clone()).unwrap();
        let recoded = Recoded::of_steps(&classes, &hierarchies, &steps).unwrap();
        let recoding = Recoding::new(&names, &maps, &recoded);
        let step_of = table.steps(&nodes);
        let released = table.released(&nodes, &step_of);
        prop_assert_eq!(recoding.suppressed_rows() as usize, table.rows.len() - released.len());
        let raw = |row: &Vec<Option<u32>>, c: usize| hierarchies[c].leaf_count() as u32 - 1 - row[c].unwrap_or(LEAVES);
        let mut codes: Vec<Vec<u32>> =
            (0..table.width).map(|c| table.rows.iter().map(|row| raw(row, c)).collect()).collect();
        let kept = recoding.recode(&mut codes, &[], &mut RowCounter::default());
        let kept = kept.unwrap_or_else(|| (0..table.rows.len() as u32).collect());
        let labels_of = |r: usize| -> Vec<Option<String>> {
            let label = |(column, codes): (&RecodedColumn, &Vec<u32>)| column.labels[codes[r] as usize].clone();
            recoding.columns.iter().zip(&codes).map(label).collect()
        };
        for r in 0..table.rows.len() {
            let labels = kept.contains(&(r as u32)).then(|| labels_of(r));
            prop_assert_eq!(labels, released.get(&r).cloned());
        }
    }

    #[test]
    fn starring_helps_and_never_costs_more_than_leaving_out((table, nodes) in table_and_nodes(), link: bool) {
        let mut node = nodes[0].levels().to_vec();
        let linked = if link { vec![vec![0, table.width - 1]] } else { Vec::new() };
        if link { node[0] = node[table.width - 1]; }
        let node = Node::new(node);
        let steps = chosen(&table, &node, &linked);
        prop_assert_eq!(&steps[0], &node);
        let open = |s: &Node| (0..table.width).filter(|&c| s.level(c) < HEIGHT).count();
        for (i, step) in steps.iter().enumerate().skip(1) {
            let starred = |c: usize| step.level(c) == HEIGHT || step.level(c) == node.level(c);
            prop_assert!((0..table.width).all(starred));
            prop_assert!(open(step) < open(&node) && !steps[..i].contains(step));
            prop_assert!(open(step) <= open(&steps[i - 1]), "fewer cells come first");
            prop_assert!(!link || step.level(0) == step.level(table.width - 1));
        }
        let step_of = table.steps(&steps);
        for step in 1..steps.len() {
            prop_assert!(step_of.contains(&Some(step)), "a step that releases nothing");
        }
        // No other set that stars as few would have helped more rows.
        for (step, chosen) in steps.iter().enumerate().skip(1) {
            let left: Vec<usize> = (0..table.rows.len()).filter(|&r| step_of[r].is_none_or(|s| s >= step)).collect();
            let helped = step_of.iter().filter(|s| **s == Some(step)).count();
            for set in 0_u32..1 << table.width {
                let level = |c: usize| if set >> c & 1 == 1 { HEIGHT as u8 } else { node.levels()[c] };
                let other = Node::new((0..table.width).map(level).collect::<Vec<u8>>());
                let linked = !link || other.level(0) == other.level(table.width - 1);
                if linked && open(&other) == open(chosen) {
                    let rows = left.iter().map(|&r| (r, table.labels(&table.rows[r], other.levels()))).collect();
                    prop_assert!(table.safe(&rows).len() <= helped);
                }
            }
        }
        // Nothing is left that any set of columns could still help.
        let left: Vec<usize> = (0..table.rows.len()).filter(|&r| step_of[r].is_none()).collect();
        for set in 0_u32..1 << table.width {
            let level = |c: usize| if set >> c & 1 == 1 { HEIGHT as u8 } else { node.levels()[c] };
            let levels: Vec<u8> = (0..table.width).map(level).collect();
            if link && levels[0] != levels[table.width - 1] { continue; }
            let rows = left.iter().map(|&r| (r, table.labels(&table.rows[r], &levels))).collect();
            prop_assert!(table.safe(&rows).is_empty());
        }
    }
}

#[test]
fn the_same_steps_on_any_number_of_threads() {
    let mut dice = 7_u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (dice >> 33) % sides
    };
    let rows = (0..400).map(|_| (0..7).map(|_| Some(roll(6).min(roll(6)) as u32)).collect()).collect();
    let table = Table { width: 7, rows, repeats: false, wildcard: false, suppress: false, k: 3, group: None };
    let node = Node::new(vec![0, 1, 1, 1, 2, 1, 0]);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| chosen(&table, &node, &[]))
    };
    let steps = with(1);
    assert!(steps.len() > 10);
    assert_eq!(steps, with(4));
    // Among steps that star as many cells, one that helps more rows comes first.
    let (classes, hierarchies) = (table.classes(), table.hierarchies());
    let rows = apply(&Arc::new(classes.clone()), &hierarchies, &table.models(), steps.clone())
        .unwrap()
        .rows(&classes);
    let stars = |step: &Node| (0..7).filter(|&c| step.level(c) == HEIGHT).count();
    let order: Vec<_> =
        steps.iter().zip(&rows).skip(1).map(|(s, &n)| (stars(s), std::cmp::Reverse(n))).collect();
    assert!(order.is_sorted(), "{order:?}");
}

/// With very many columns not all sets are tried, and all the same nothing that is safe with all
/// starred is left.
#[test]
fn many_columns_are_no_trouble() {
    let width = 60;
    let cell = |r: usize, c: usize| Some(if c == r % width { 1 } else { 0 });
    let rows: Vec<Vec<Option<u32>>> = (0..40)
        .map(|r| (0..width).map(|c| if r < 37 { cell(r, c) } else { Some((r % 6) as u32) }).collect())
        .collect();
    let table = Table { width, rows, repeats: false, wildcard: false, suppress: false, k: 3, group: None };
    let steps = chosen(&table, &Node::new(vec![0; width]), &[]);
    let step_of = table.steps(&steps);
    assert!(step_of.iter().all(Option::is_some), "three rows and more can all be starred: {step_of:?}");
}

/// At least this many values of the measured column in every class.
struct Varied(usize, ModelFacts);

impl Varied {
    fn new(least: usize) -> Self {
        let facts = ModelFacts::monotone(Requirement::Custom, "varied");
        Varied(least, ModelFacts { needs: vec![0], ..facts })
    }
}

impl PrivacyModel for Varied {
    fn facts(&self) -> &ModelFacts {
        &self.1
    }
    fn violations(&self, view: &View<'_>, flags: &mut Flags) {
        let few = |class: &usize| view.histogram(0, *class).0.len() < self.0;
        (0..view.len()).filter(few).for_each(|class| flags.flag(class, view.counts()[class]));
    }
    fn verdict(&self, view: &View<'_>, _: &Flags) -> Option<Verdict> {
        let least =
            (0..view.len()).map(|class| view.histogram(0, class).0.len() as f64).min_by(f64::total_cmp);
        Some(Verdict::new(self.0 as f64, least, least.is_none_or(|n| n >= self.0 as f64)))
    }
}

proptest! {
    /// Measured columns go along: a model that reads them judges every step and the whole.
    #[test]
    fn measured_columns_go_along((table, nodes) in table_and_nodes(), values in prop::collection::vec(0_u32..4, 24)) {
        let classes = table.classes();
        let class_of = table.class_of(&classes);
        let triples: Vec<(u32, u32, u32)> =
            class_of.iter().zip(&values).map(|(&class, &value)| (class as u32, value, 1)).collect();
        let histogram = Histogram::new(classes.len(), &triples).unwrap();
        let classes = classes.measured(vec![histogram]).unwrap();
        let hierarchies = table.hierarchies();
        let models: Vec<Box<dyn PrivacyModel>> = vec![Box::new(Varied::new(2))];
        let groups = groups(&table, &classes, &hierarchies, &nodes[0]);
        let view = View::new(&classes, &hierarchies, &nodes[0], &groups);
        let mut flags = Flags::default();
        judge(&models, &view, &mut flags).unwrap();
        let chosen = cells(&view, &flags, &table.lattice(&[]), &models, &Watch::none()).unwrap();
        let steps = apply(&Arc::new(classes.clone()), &hierarchies, &models, chosen.clone()).unwrap();
        let recoded = Recoded::of_steps(&Arc::new(classes.clone()), &hierarchies, &steps).unwrap();
        let proof = prove(&recoded, &models).unwrap();
        let step_of: Vec<Option<usize>> = class_of.iter().map(|&class| steps.of(class)).collect();
        let mut seen: BTreeMap<Labels, std::collections::BTreeSet<u32>> = BTreeMap::new();
        for (row, labels) in table.released(&chosen, &step_of) {
            seen.entry(labels).or_default().insert(values[row]);
        }
        prop_assert!(seen.values().all(|values| values.len() >= 2));
        let least = seen.values().map(|values| values.len() as f64).min_by(f64::total_cmp);
        let mut none = Flags::default();
        none.reset(proof.view().len());
        prop_assert_eq!(models[0].verdict(&proof.view(), &none).unwrap().achieved, least);
    }
}

/// Safe where all rows of a class have one value: classes that are safe apart can be unsafe
/// together.
struct Unmixed(ModelFacts);

impl Unmixed {
    fn new() -> Self {
        Unmixed(ModelFacts { needs: vec![0], ..ModelFacts::new(Requirement::Custom, "unmixed") })
    }
}

impl PrivacyModel for Unmixed {
    fn facts(&self) -> &ModelFacts {
        &self.0
    }
    fn violations(&self, view: &View<'_>, flags: &mut Flags) {
        let mixed = |class: &usize| view.histogram(0, *class).0.len() > 1;
        (0..view.len()).filter(mixed).for_each(|class| flags.flag(class, view.counts()[class]));
    }
    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }
}

/// The classes of a table with values of its rows measured, and the class of each row.
fn valued(table: &Table, values: &[u32]) -> (Classes, Vec<usize>) {
    let classes = table.classes();
    let class_of = table.class_of(&classes);
    let triple = |(&class, &value): (&usize, &u32)| (class as u32, value, 1);
    let triples: Vec<_> = class_of.iter().zip(values).map(triple).collect();
    let histogram = Histogram::new(classes.len(), &triples).unwrap();
    (classes.measured(vec![histogram]).unwrap(), class_of)
}

/// A step joins what was released before only as far as all of it is safe.
#[test]
fn rows_that_are_unsafe_beside_an_earlier_step_stay_behind() {
    let leaves = [0, 0, 1, 2];
    let table = Table {
        width: 1,
        rows: leaves.map(|leaf| vec![Some(leaf)]).to_vec(),
        repeats: true,
        wildcard: false,
        suppress: false,
        k: 2,
        group: None,
    };
    let models = |class_wise: bool| -> Vec<Box<dyn PrivacyModel>> {
        let Unmixed(facts) = Unmixed::new();
        vec![Box::new(KAnonymity::new(2, false)), Box::new(Unmixed(ModelFacts { class_wise, ..facts }))]
    };
    let (classes, class_of) = valued(&table, &[7, 7, 8, 8]);
    let (classes, hierarchies) = (Arc::new(classes), table.hierarchies());
    // Leaf 0, and leaves 0 to 3 at level 2, are both written 0.
    let nodes = |levels: &[u8]| levels.iter().map(|&level| Node::new(vec![level])).collect::<Vec<_>>();
    let step_of = |levels: &[u8]| {
        let steps = apply(&classes, &hierarchies, &models(false), nodes(levels)).unwrap();
        let recoded = Recoded::of_steps(&classes, &hierarchies, &steps).unwrap();
        prove(&recoded, &models(false)).unwrap();
        class_of.iter().map(|&class| steps.of(class)).collect::<Vec<_>>()
    };
    assert_eq!(step_of(&[0, 2]), [Some(0), Some(0), None, None]);
    assert_eq!(step_of(&[0, 2, 3]), [Some(0), Some(0), Some(2), Some(2)], "* is another label");
    assert_eq!(step_of(&[2, 3]), [None; 4], "the values of all are mixed");
    // A model that claims to be class-wise and is not would be found out.
    let steps = apply(&classes, &hierarchies, &models(true), nodes(&[0, 2])).unwrap();
    let recoded = Recoded::of_steps(&classes, &hierarchies, &steps).unwrap();
    assert!(prove(&recoded, &models(true)).is_err());
}

proptest! {
    /// Whatever the steps, what they release together is safe, and the first releases all that is
    /// safe by itself.
    #[test]
    fn steps_are_safe_together_where_classes_are_not_safe_with_each_other(
        (table, nodes) in table_and_nodes(),
        values in prop::collection::vec(0_u32..2, 24),
    ) {
        let table = Table { repeats: true, wildcard: false, suppress: false, group: None, ..table };
        let models: Vec<Box<dyn PrivacyModel>> =
            vec![Box::new(KAnonymity::new(table.k as u64, false)), Box::new(Unmixed::new())];
        let (classes, class_of) = valued(&table, &values);
        let (classes, hierarchies) = (Arc::new(classes), table.hierarchies());
        let steps = apply(&classes, &hierarchies, &models, nodes.clone()).unwrap();
        prove(&Recoded::of_steps(&classes, &hierarchies, &steps).unwrap(), &models).unwrap();
        let step_of: Vec<Option<usize>> = class_of.iter().map(|&class| steps.of(class)).collect();
        let mut seen: BTreeMap<Labels, Vec<u32>> = BTreeMap::new();
        for (row, labels) in table.released(&nodes, &step_of) {
            seen.entry(labels).or_default().push(values[row]);
        }
        let safe = |values: &Vec<u32>| values.len() >= table.k && values.iter().all(|v| *v == values[0]);
        prop_assert!(seen.values().all(safe), "{:?}", seen);
        let mut first: BTreeMap<Labels, Vec<u32>> = BTreeMap::new();
        for (row, value) in table.rows.iter().zip(&values) {
            first.entry(table.labels(row, nodes[0].levels())).or_default().push(*value);
        }
        for (row, step) in table.rows.iter().zip(&step_of) {
            prop_assert_eq!(*step == Some(0), safe(&first[&table.labels(row, nodes[0].levels())]));
        }
    }
}

/// The fewest cells: rows are partitioned into classes of k or more, each starred wherever its rows
/// differ; a row that is left out costs all its cells.
fn fewest(rows: &[Vec<u32>], k: usize) -> usize {
    let n = rows.len();
    let mut best = vec![usize::MAX; 1 << n];
    best[0] = 0;
    let cost = |set: usize| {
        let members: Vec<&Vec<u32>> = (0..n).filter(|i| set >> i & 1 == 1).map(|i| &rows[i]).collect();
        let differ = |c: &usize| members.iter().any(|r| r[*c] != members[0][*c]);
        members.len() * (0..rows[0].len()).filter(differ).count()
    };
    let costs: Vec<usize> = (0..1_usize << n).map(|set| if set == 0 { 0 } else { cost(set) }).collect();
    for set in 1_usize..1 << n {
        let first = set & set.wrapping_neg();
        let rest = set & !first;
        let mut least = best[rest] + rows[0].len();
        let mut others = rest;
        loop {
            let class = others | first;
            if class.count_ones() as usize >= k {
                least = least.min(costs[class] + best[set & !class]);
            }
            if others == 0 {
                break;
            }
            others = (others - 1) & rest;
        }
        best[set] = least;
    }
    best[(1 << n) - 1]
}

/// How far greed is from the fewest cells over 300 tables, and in how many it finds them; the
/// figures are in docs/numbers.md.
#[test]
fn greed_stars_little_more_than_the_fewest() {
    let mut dice = 1_u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (dice >> 33) % sides
    };
    let (mut greedy, mut fewest_cells, mut whole, mut same, mut tables) = (0, 0, 0, 0, 0);
    while tables < 300 {
        let (width, n, k) = (2 + roll(3) as usize, 6 + roll(13) as usize, 2 + roll(2) as usize);
        let rows: Vec<Vec<Option<u32>>> =
            (0..n).map(|_| (0..width).map(|_| Some(roll(3) as u32 * 2)).collect()).collect();
        let table = Table { width, rows, repeats: false, wildcard: false, suppress: false, k, group: None };
        let steps = chosen(&table, &Node::new(vec![0; width]), &[]);
        let step_of = table.steps(&steps);
        let flagged: Vec<Vec<u32>> = (0..n)
            .filter(|&r| step_of[r] != Some(0))
            .map(|r| table.rows[r].iter().map(|c| c.unwrap()).collect())
            .collect();
        if flagged.is_empty() || flagged.len() > 10 {
            continue;
        }
        let stars = |step: usize| (0..width).filter(|&c| steps[step].level(c) == HEIGHT).count();
        let found: usize = step_of.iter().map(|s| s.map_or(width, stars)).sum();
        let least = fewest(&flagged, k);
        assert!(least <= found && found <= width * flagged.len(), "{least} {found}: {table:?}");
        tables += 1;
        greedy += found;
        fewest_cells += least;
        whole += width * flagged.len();
        same += usize::from(found == least);
    }
    assert_eq!((greedy, fewest_cells, whole, same), (3089, 2908, 5590, 212));
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    assert!(Steps::new(Vec::new(), []).is_err());
    assert!(Steps::new(vec![Node::new(vec![0])], [Some(1)]).is_err());
    assert!(Steps::new(vec![Node::new(vec![0])], [Some(0), None]).is_ok());
}
