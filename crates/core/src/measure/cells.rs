//! The release as a recoding of its original: what every distinct tuple became, with the cells that
//! are not true of it.
//!
//! With correspondence, a class is a pair of an original and a released tuple. Without it, a class
//! is a released tuple, and one more class has the rows that are not in the release; what depends
//! on original values is then not used. Costs one look-up per cell of the distinct pairs.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::column::{Column, Meaning, Shown, Truth};
use super::read::{Paired, Side};
use super::{Correspondence, Inputs};
use crate::classes::{Classes, Codes};
use crate::error::Result;
use crate::fault;
use crate::hierarchy::TOP;
use crate::histogram::Histogram;
use crate::lattice::Node;
use crate::policy::{Policy, Suppressed};
use crate::recoded::{Recoded, TargetWorths, Values};
use crate::registry::Algorithm;
use crate::search::{Grouped, Problem, measured_labels};
use crate::space::form_of;
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;
use crate::worth::Worths;

/// A release beside its original.
pub(super) struct Compared {
    pub(super) problem: Problem,
    pub(super) recoded: Recoded,
    pub(super) measured: Vec<String>,
    /// Measured column → whether the release has it.
    pub(super) shown: Vec<bool>,
    /// The level of every column, where each has one.
    pub(super) node: Option<Node>,
    /// Column → its cells that are not true of the original, quasi-identifiers first.
    pub(super) untrue: BTreeMap<String, u64>,
    /// Whether some of these are not numbers: then entropies are not defined.
    pub(super) untrue_labels: bool,
    /// Whether cells of some column are numbers that only rows could explain.
    pub(super) unexplained: bool,
    /// Row of the original → its class; empty where rows do not correspond.
    pub(super) of_row: Vec<u32>,
}

/// One distinct pair of tuples.
struct Pair {
    /// Leaves of the original, where they are known.
    leaves: Option<Vec<Code>>,
    /// Texts of the release, unless the row is suppressed.
    texts: Option<Vec<Code>>,
    /// Codes of the measured columns.
    measured: Vec<Code>,
    rows: u32,
}

impl Compared {
    pub(super) fn new(inputs: &Inputs<'_>, paired: Paired) -> Result<Self> {
        let policy = inputs.policy;
        let Paired { names, measured, mut original, release, places, pairs, mut of_row } = paired;
        let texts = release_texts(policy, &names, &release);
        join_measured(policy, &measured, (&mut original, &release), (names.len(), &places));
        let dictionaries = original.dictionaries.clone();
        let labels = measured_labels(policy, &measured, &dictionaries[names.len()..], inputs.load)?;
        let grouped = Grouped {
            names: names.clone(),
            measured: measured.clone(),
            dictionaries: original.dictionaries.clone(),
            tuples: original.tuples.clone(),
            population: None,
        };
        let (problem, maps) = Problem::watched(policy, grouped, inputs.load, inputs.watch)?;
        let codes = measured_codes(policy, &measured, &labels, (&release, &places))?;
        let starred = inputs.starred || policy.output.suppressed == Suppressed::Starred;
        let sources = Sources { original: &original, release: &release, maps: &maps, labels: &labels };
        let (pairs, untrue_measured) = sources.pairs(starred, (&texts, &codes), (&places, &pairs));

        let worths = Worths::of(&problem.classes, &problem.hierarchies);
        let rows = leaf_rows(&problem);
        let columns = |regions: bool| -> Vec<Column<'_>> {
            let column = |at: usize| {
                let hierarchy = &problem.hierarchies[at];
                let form = regions.then(|| form_of(policy, &names[at], hierarchy));
                Column::new(&names[at], hierarchy, form, (&rows[at], worths.get(at)))
            };
            (0..names.len()).map(column).collect()
        };
        let levels = |columns: &[Column<'_>]| -> Vec<Option<usize>> {
            (0..names.len()).map(|at| one_level(&columns[at], at, &texts[at], &pairs)).collect()
        };
        // A policy that names no algorithm does not say how another program recoded the table: what
        // is at one level per column is measured so.
        let tried = (!policy.forms_regions() || policy.search.algorithm == Algorithm::Best)
            .then(|| columns(false))
            .map(|columns| (levels(&columns), columns));
        let (levels, columns) = tried
            .filter(|(levels, _)| !policy.forms_regions() || levels.iter().all(Option::is_some))
            .unwrap_or_else(|| (vec![None; names.len()], columns(true)));
        let node = levels.iter().copied().collect::<Option<Vec<usize>>>();
        let node =
            node.map(|levels| Node::new(levels.into_iter().map(|level| level as u8).collect::<Vec<u8>>()));
        let mut listed = Vec::new();
        for (at, column) in columns.iter().enumerate() {
            let held = node.as_ref().map(|node| node.level(at));
            let targets = worths.get(at).map(|worths| TargetWorths::new(worths, &problem.hierarchies[at]));
            listed.push(Listed::new(column, (at, &texts[at]), &pairs, (levels[at], held), targets)?);
        }
        let blind = matches!(inputs.rows, Correspondence::None);
        let mut untrue: BTreeMap<String, u64> = BTreeMap::new();
        if !blind {
            let quasi = names.iter().zip(&listed).map(|(name, l)| (name.clone(), l.moved + l.wrong));
            untrue.extend(quasi);
            untrue.extend(measured.iter().cloned().zip(untrue_measured).filter_map(|(n, u)| Some((n, u?))));
        }
        let untrue_labels = listed.iter().any(|column| column.wrong > 0);
        let unexplained = listed.iter().any(|column| column.unexplained);
        let (recoded, classes) = recoded(&problem, &pairs, listed)?;
        of_row.iter_mut().for_each(|pair| *pair = classes[*pair as usize]);
        let shown = places.iter().map(Option::is_some).collect();
        Ok(Compared { problem, recoded, measured, shown, node, untrue, untrue_labels, unexplained, of_row })
    }
}

/// Column → code → text of the release; missing, however it is written, is none.
fn release_texts(policy: &Policy, names: &[String], release: &Side) -> Vec<Vec<Option<String>>> {
    let present = |text: &&str| !policy.input.null.iter().any(|null| null == text);
    let text = |d: &Dictionary, code: Code| d.value(code).filter(present).map(String::from);
    let texts = |d: &Dictionary| (0..d.len() as Code).map(|code| text(d, code)).collect();
    release.dictionaries[..names.len()].iter().map(texts).collect()
}

/// Gives values of measured columns that only the release has a code, so that models can judge
/// them. A column with a level has labels in the release instead.
fn join_measured(
    policy: &Policy,
    measured: &[String],
    (original, release): (&mut Side, &Side),
    (quasi, places): (usize, &[Option<usize>]),
) {
    for (at, name) in measured.iter().enumerate() {
        let leveled = policy.columns.get(name).is_some_and(|column| column.level.is_some());
        let Some(place) = places[at].filter(|_| !leveled) else { continue };
        let theirs = &release.dictionaries[place];
        // By value: their order in the release must not matter.
        for code in theirs.by_value() {
            original.dictionaries[quasi + at].add(theirs.value(code), 0);
        }
    }
}

/// Measured column → code of the release → code of its labels; empty where the release lacks it.
fn measured_codes(
    policy: &Policy,
    measured: &[String],
    labels: &[(Dictionary, Vec<Code>)],
    (release, places): (&Side, &[Option<usize>]),
) -> Result<Vec<Vec<Code>>> {
    let column = |(at, name): (usize, &String)| {
        let Some(place) = places[at] else { return Ok(Vec::new()) };
        let theirs = &release.dictionaries[place];
        let code = |code: Code| {
            let text = theirs.value(code).filter(|text| !policy.input.null.iter().any(|null| null == text));
            labels[at].0.get(text).ok_or_else(|| {
                fault!(
                    Data,
                    "measure.unknown-cell",
                    "`{value}` is not a label of the column's hierarchy and covers none of its values",
                    value = text.unwrap_or_default()
                )
                .column(name)
                .into()
            })
        };
        (0..theirs.len() as Code).map(code).collect::<Result<Vec<Code>>>()
    };
    measured.iter().enumerate().map(column).collect()
}

/// Where pairs come from.
struct Sources<'a> {
    original: &'a Side,
    release: &'a Side,
    /// Quasi-identifier → code of the original → leaf.
    maps: &'a [Vec<Code>],
    /// Measured column → its labels, and code of the original → label.
    labels: &'a [(Dictionary, Vec<Code>)],
}

impl Sources<'_> {
    /// The distinct pairs, and per measured column the released cells that are not the original's.
    fn pairs(
        &self,
        starred: bool,
        (texts, codes): (&[Vec<Option<String>>], &[Vec<Code>]),
        (places, pairs): (&[Option<usize>], &Tuples),
    ) -> (Vec<Pair>, Vec<Option<u64>>) {
        let quasi = self.maps.len();
        let starred = self.starred(starred, texts);
        let mut untrue: Vec<Option<u64>> = places.iter().map(|place| place.map(|_| 0)).collect();
        let mut found = Vec::with_capacity(pairs.len());
        for at in 0..pairs.len() {
            let [before, after] = [0, 1].map(|side| (pairs.code(at, side) as usize).checked_sub(1));
            let rows = pairs.counts()[at];
            let after = after.filter(|&tuple| !starred[tuple]);
            let own = |column: usize| {
                let code = self.original.tuples.code(before?, quasi + column);
                Some(self.labels[column].1[code as usize])
            };
            let theirs = |column: usize| {
                let code = self.release.tuples.code(after?, places[column]?);
                Some(codes[column][code as usize])
            };
            for (column, untrue) in untrue.iter_mut().enumerate() {
                if let (Some(own), Some(theirs), Some(untrue)) = (own(column), theirs(column), untrue) {
                    *untrue += if own == theirs { 0 } else { u64::from(rows) };
                }
            }
            let leaf = |tuple: usize| {
                let leaf =
                    |column: usize| self.maps[column][self.original.tuples.code(tuple, column) as usize];
                (0..quasi).map(leaf).collect()
            };
            let text = |tuple: usize| (0..quasi).map(|c| self.release.tuples.code(tuple, c)).collect();
            let measured = (0..places.len()).map(|c| theirs(c).or_else(|| own(c)).unwrap_or(0)).collect();
            found.push(Pair { leaves: before.map(leaf), texts: after.map(text), measured, rows });
        }
        (found, untrue)
    }

    /// Tuple of the release → whether its rows are suppressed, where suppressed rows have `*` in
    /// every quasi-identifier. If all rows have that, it is the most general release.
    fn starred(&self, suppressed: bool, texts: &[Vec<Option<String>>]) -> Vec<bool> {
        let tuples = &self.release.tuples;
        let star = |tuple: usize, column: usize| {
            texts[column][tuples.code(tuple, column) as usize].as_deref() == Some(TOP)
        };
        let starred = |tuple: usize| (0..texts.len()).all(|column| star(tuple, column));
        let starred: Vec<bool> = (0..tuples.len()).map(starred).collect();
        let suppressed = suppressed && starred.contains(&false);
        starred.into_iter().map(|starred| starred && suppressed).collect()
    }
}

/// Column → leaf → rows of the original.
fn leaf_rows(problem: &Problem) -> Vec<Vec<u64>> {
    let mut rows: Vec<Vec<u64>> =
        problem.hierarchies.iter().map(|hierarchy| vec![0; hierarchy.leaf_count()]).collect();
    for (class, &count) in problem.classes.counts().iter().enumerate() {
        for (column, rows) in rows.iter_mut().enumerate() {
            rows[problem.classes.code(class, column) as usize] += u64::from(count);
        }
    }
    rows
}

/// The least level whose labels all cells of a column are.
fn one_level(column: &Column<'_>, at: usize, texts: &[Option<String>], pairs: &[Pair]) -> Option<usize> {
    let mut possible = vec![true; column.hierarchy().height() + 1];
    let cells = pairs.iter().filter_map(|pair| Some((pair.texts.as_ref()?[at], leaf(pair, at))));
    for (text, leaf) in cells.collect::<BTreeSet<_>>() {
        let here = column.levels(texts[text as usize].as_deref(), leaf);
        possible.iter_mut().zip(here).for_each(|(possible, here)| *possible &= here);
    }
    possible.iter().position(|&possible| possible)
}

fn leaf(pair: &Pair, column: usize) -> Option<Code> {
    pair.leaves.as_ref().map(|leaves| leaves[column])
}

/// The values of a column, each once, and where they are.
struct Listed {
    values: Values,
    /// Text, or none of a suppressed row, and leaf → place.
    places: FxHashMap<(Option<Code>, Option<Code>), Code>,
    /// Cells that are another number than the original, and cells that are not true otherwise.
    moved: u64,
    wrong: u64,
    /// Whether there are numbers that only rows could explain.
    unexplained: bool,
}

impl Listed {
    /// `level` is that of all cells of the column, `held` that at which suppressed rows count.
    fn new(
        column: &Column<'_>,
        (at, texts): (usize, &[Option<String>]),
        pairs: &[Pair],
        (level, held): (Option<usize>, Option<usize>),
        targets: Option<TargetWorths>,
    ) -> Result<Self> {
        let hierarchy = column.hierarchy();
        let (height, leaves) = (hierarchy.height(), hierarchy.leaf_count());
        let values = Values { values: Vec::new(), labels: Vec::new(), height, leaves, targets };
        let mut listed =
            Listed { values, places: FxHashMap::default(), moved: 0, wrong: 0, unexplained: false };
        let mut meanings: FxHashMap<Code, Meaning> = FxHashMap::default();
        let mut labels: FxHashMap<Option<String>, Code> = FxHashMap::default();
        let mut known: FxHashMap<(Option<String>, Shown), Code> = FxHashMap::default();
        let rows = rows_by_cell(pairs, (at, texts));
        for ((_, text, leaf), rows) in rows {
            let (label, shown, value) = match text {
                None => {
                    let (label, shown) = column.leaf(leaf.unwrap_or(0), held.unwrap_or(0));
                    let value = column.value((label, &Meaning::Missing), shown);
                    (label.map(String::from), shown, value)
                }
                Some(text) => {
                    let label = texts[text as usize].as_deref();
                    if let std::collections::hash_map::Entry::Vacant(entry) = meanings.entry(text) {
                        entry.insert(column.meaning(label)?);
                    }
                    let cell = (label, &meanings[&text]);
                    let found = column.shown(cell, leaf, level);
                    listed.unexplained |= found.is_none();
                    let (shown, truth) = found.unwrap_or((Shown::All, Truth::True));
                    listed.moved += if truth == Truth::Moved { rows } else { 0 };
                    listed.wrong += if truth == Truth::False { rows } else { 0 };
                    (label.map(String::from), shown, column.value(cell, shown))
                }
            };
            let Values { values, labels: texts, .. } = &mut listed.values;
            let number = *labels.entry(label.clone()).or_insert_with(|| {
                texts.push(label.clone());
                texts.len() as Code - 1
            });
            let place = *known.entry((label, shown)).or_insert_with(|| {
                values.push(crate::recoded::Value { label: number, ..value });
                values.len() as Code - 1
            });
            listed.places.insert((text, leaf), place);
        }
        Ok(listed)
    }
}

/// A cell in an order that does not depend on that of rows: its text, then its code (none of a
/// suppressed row) and the leaf behind it.
type CellKey<'a> = (Option<&'a str>, Option<Code>, Option<Code>);

/// The distinct cells of a column with their rows.
fn rows_by_cell<'a>(
    pairs: &[Pair],
    (at, texts): (usize, &'a [Option<String>]),
) -> BTreeMap<CellKey<'a>, u64> {
    let mut rows = BTreeMap::new();
    for pair in pairs {
        let text = pair.texts.as_ref().map(|texts| texts[at]);
        let shown = text.and_then(|text| texts[text as usize].as_deref());
        *rows.entry((shown, text, leaf(pair, at))).or_default() += u64::from(pair.rows);
    }
    rows
}

/// What every pair became, as losses and models see it; and pair → class.
fn recoded(problem: &Problem, pairs: &[Pair], listed: Vec<Listed>) -> Result<(Recoded, Vec<u32>)> {
    let quasi = listed.len();
    // Leaves, cells and fate make a class.
    let mut tuples = Tuples::new(2 * quasi + 1);
    let measured = problem.classes.histograms().len();
    let mut triples = vec![Vec::with_capacity(pairs.len()); measured];
    let mut row = vec![0; 2 * quasi + 1];
    let mut of_pair = Vec::with_capacity(pairs.len());
    for pair in pairs {
        for (at, column) in listed.iter().enumerate() {
            let text = pair.texts.as_ref().map(|texts| texts[at]);
            row[at] = leaf(pair, at).unwrap_or(0);
            row[quasi + at] = column.places[&(text, leaf(pair, at))];
        }
        row[2 * quasi] = Code::from(pair.texts.is_none());
        let class = tuples.insert(&row, pair.rows);
        of_pair.push(class);
        let codes = triples.iter_mut().zip(&pair.measured);
        codes.for_each(|(triples, &code)| triples.push((class, code, pair.rows)));
    }
    let histograms = triples.iter().map(|t| Histogram::new(tuples.len(), t)).collect::<Result<Vec<_>>>()?;
    let (codes, counts) = tuples.into_parts();
    let first = Classes::new(2 * quasi + 1, codes, counts)?.measured(histograms)?;
    let places = places_sorted(&first);
    of_pair.iter_mut().for_each(|class| *class = places[*class as usize]);
    let all = first.sorted();
    let codes = |from: usize| -> Vec<Code> {
        (0..all.len())
            .flat_map(|class| (from..from + quasi).map(move |c| (class, c)))
            .map(|(class, c)| all.code(class, c))
            .collect()
    };
    let suppressed = (0..all.len()).map(|class| all.code(class, 2 * quasi) == 1).collect();
    let base = Classes::new(quasi, Codes::Wide(codes(0)), all.counts().to_vec())?;
    let base = base.measured(all.histograms().to_vec())?.with_targets(problem.classes.targets());
    let values = listed.into_iter().map(|column| column.values).collect();
    Ok((Recoded::of_parts(base, values, codes(quasi), suppressed)?, of_pair))
}

/// Class → its place when all are sorted. All classes differ.
fn places_sorted(classes: &Classes) -> Vec<u32> {
    let codes = |class: u32| (0..classes.columns()).map(move |c| classes.code(class as usize, c));
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    order.sort_by(|&a, &b| codes(a).cmp(codes(b)));
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &class)| places[class as usize] = place as u32);
    places
}
