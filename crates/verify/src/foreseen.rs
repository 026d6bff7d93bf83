//! The network of the original, for the verifier.
//!
//! The structure of a network follows from the original's rows, so nobody can choose a convenient
//! one: it is fitted again with the same code as the search, and the certificate's must be equal.
//! Then it is checked by definition: no field has more parents than allowed, columns form no cycle,
//! and every edge pays for itself (BIC, computed naively here). All else is independent: tables are
//! counted from the original's tuples, with one additional row per configuration of parents spread
//! as the hierarchy does, and the probability of a class is the sum over all its states.
//!
//! Fields that nothing known depends on sum to 1 and are left out; columns are summed out one by
//! one, always the one that leaves the smallest table. Costs, per class, the cells of these tables.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::classes::{MISSING, UNKNOWN};
use super::levels::Chain;
use super::pace::Pace;
use super::population::People;
use super::side::Side;
use throng_terms::error::Result;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::network::{Entries, Fit, fit};
use throng_terms::release::PredictedBy;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

/// A level of a column.
type Field = (usize, usize);

/// The rows of a family: configurations of the parents with a label, and with the label above it.
#[derive(Debug, Default)]
struct Table {
    parents: Vec<Field>,
    both: FxHashMap<(u128, Code), u64>,
    over: FxHashMap<(u128, Code), u64>,
}

/// The number of a configuration of parents, given the leaf of each; inference in the network bounds
/// how many there are.
fn configuration(parents: &[Field], hierarchies: &[&Hierarchy], leaf: impl Fn(usize) -> Code) -> u128 {
    parents.iter().enumerate().fold(0, |number, (at, &(column, level))| {
        let hierarchy = hierarchies[column];
        number * hierarchy.size(level) as u128 + u128::from(hierarchy.generalize(leaf(at), level))
    })
}

/// A column in the network.
#[derive(Debug)]
struct Column<'a> {
    hierarchy: &'a Hierarchy,
    level: usize,
    /// Level → what it depends on besides the level above it.
    tables: BTreeMap<usize, Table>,
    /// Level → label → its probability given the label above it, without other columns.
    alone: Vec<Vec<f64>>,
    /// The lowest level that matters where labels of the claimed levels are known.
    needed: usize,
    /// Claimed label → a leaf of every label of that level below it.
    states: Vec<Vec<Code>>,
}

impl Column<'_> {
    /// The probability of a leaf's labels from the lowest level that matters on, as far as it depends
    /// on no other column.
    fn by_itself(&self, leaf: Code) -> f64 {
        let levels = (self.needed..self.hierarchy.height()).filter(|level| !self.tables.contains_key(level));
        levels.map(|level| self.alone[level][self.hierarchy.generalize(leaf, level) as usize]).product()
    }
}

/// The network of the original, and its classes at the claimed levels.
#[derive(Debug)]
pub(super) struct Foreseen<'a> {
    columns: Vec<Column<'a>>,
    pub(super) edges: Vec<PredictedBy>,
    pub(super) people: People,
    pub(super) rows: u64,
    /// What is wrong with the structure.
    pub(super) unfit: Option<&'static str>,
}

/// A table over the states of some columns, the last one changing first.
#[derive(Debug)]
struct Factor {
    columns: Vec<usize>,
    cells: Vec<f64>,
}

impl<'a> Foreseen<'a> {
    /// None where a value is in no hierarchy, or a level does not fit.
    pub(super) fn new(
        parents: usize,
        original: &Side,
        chains: &'a [Chain<'a>],
        (watch, pace): (&Watch, &Pace<'_>),
    ) -> Result<Option<Self>> {
        let known: Option<Vec<(&Hierarchy, usize)>> = chains.iter().map(|chain| chain.at(0)).collect();
        let (Some(known), Some(people)) = (known, People::new(original, chains, pace)?) else {
            return Ok(None);
        };
        let hierarchies: Vec<&Hierarchy> = known.iter().map(|(hierarchy, _)| *hierarchy).collect();
        let Some(tuples) = leaves_of(original, &hierarchies)?.filter(|tuples| !tuples.counts.is_empty())
        else {
            return Ok(None);
        };
        let edges = structure(parents, chains, &hierarchies, &tuples, watch)?;
        let place = |name: &str| chains.iter().position(|chain| chain.name == name);
        let mut families: BTreeMap<Field, Vec<Field>> = BTreeMap::new();
        for edge in &edges {
            let (Some(to), Some(from)) = (place(&edge.column), place(&edge.from)) else { return Ok(None) };
            families.entry((to, edge.level)).or_default().push((from, edge.from_level));
        }
        let unfit = unfit(&families, parents, &hierarchies, &tuples);
        let mut columns: Vec<Column<'a>> = Vec::new();
        for (column, &(hierarchy, level)) in known.iter().enumerate() {
            let of_column = families.iter().filter(|(field, _)| field.0 == column);
            let tables = of_column
                .map(|(&field, parents)| (field.1, counted(field, parents, &hierarchies, &tuples)))
                .collect();
            let alone = alone(hierarchy, column, &tuples);
            columns.push(Column { hierarchy, level, tables, alone, needed: level, states: Vec::new() });
        }
        need(&mut columns);
        columns.iter_mut().for_each(find_states);
        Ok(Some(Foreseen { columns, edges, people, rows: original.rows, unfit }))
    }

    /// The probability of a class of the generalized original; none if it is not a class of the
    /// hierarchies.
    pub(super) fn probability(&self, tuple: &[u32]) -> Option<f64> {
        let cells = self.columns.iter().zip(tuple).map(|(column, &number)| {
            let code = match number {
                UNKNOWN => return None,
                MISSING => column.hierarchy.missing_at(column.level)?,
                number => number - 1,
            };
            column.states.get(code as usize).map(Vec::as_slice)
        });
        let cells: Vec<&[Code]> = cells.collect::<Option<_>>()?;
        let mut factors = self.factors(&cells);
        let mut left: BTreeSet<usize> = factors.iter().flat_map(|factor| factor.columns.clone()).collect();
        let sizes: Vec<usize> = cells.iter().map(|states| states.len()).collect();
        while let Some(next) = smallest(&left, &factors, &sizes) {
            left.remove(&next);
            let (with, rest): (Vec<Factor>, Vec<Factor>) =
                factors.into_iter().partition(|factor| factor.columns.contains(&next));
            factors = rest;
            factors.push(summed(next, &with, &sizes));
        }
        Some(factors.iter().map(|factor| factor.cells[0]).product::<f64>().min(1.0))
    }

    /// The factors of all fields that matter, over the states of some cells.
    fn factors(&self, cells: &[&[Code]]) -> Vec<Factor> {
        let mut factors = Vec::new();
        let hierarchies: Vec<&Hierarchy> = self.columns.iter().map(|column| column.hierarchy).collect();
        for (at, column) in self.columns.iter().enumerate() {
            if column.needed == column.hierarchy.height() {
                continue;
            }
            let shares = cells[at].iter().map(|&leaf| column.by_itself(leaf));
            factors.push(Factor { columns: vec![at], cells: shares.collect() });
            for (&level, table) in column.tables.range(column.needed..) {
                let columns: Vec<usize> = table.parents.iter().map(|parent| parent.0).chain([at]).collect();
                let sizes: Vec<usize> = columns.iter().map(|&column| cells[column].len()).collect();
                let cell = |places: &[usize]| {
                    let leaf = |of: usize| cells[columns[of]][places[of]];
                    let number = configuration(&table.parents, &hierarchies, leaf);
                    let own = leaf(columns.len() - 1);
                    let label = |level: usize| column.hierarchy.generalize(own, level);
                    given(table, number, (label(level), label(level + 1)), &column.alone[level])
                };
                let cells = combinations(&sizes).iter().map(|places| cell(places)).collect();
                factors.push(Factor { columns, cells });
            }
        }
        factors
    }
}

/// p(q | u, a).
fn given(table: &Table, configuration: u128, (q, u): (Code, Code), alone: &[f64]) -> f64 {
    let rows = |counts: &FxHashMap<(u128, Code), u64>, label: Code| {
        counts.get(&(configuration, label)).copied().unwrap_or(0) as f64
    };
    (rows(&table.both, q) + alone[q as usize]) / (rows(&table.over, u) + 1.0)
}

/// All places in tables of some sizes, the last one changing first.
fn combinations(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![Vec::new()], |starts, &size| {
        let longer = |start: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..size).map(|place| [&start[..], &[place]].concat()).collect()
        };
        starts.iter().flat_map(longer).collect()
    })
}

/// The columns of some factors that contain one column, but for that column.
fn beside(column: usize, factors: &[Factor]) -> BTreeSet<usize> {
    let with = factors.iter().filter(|factor| factor.columns.contains(&column));
    with.flat_map(|factor| factor.columns.iter().copied()).filter(|&other| other != column).collect()
}

/// The column that leaves the smallest table; none if no column is left.
fn smallest(left: &BTreeSet<usize>, factors: &[Factor], sizes: &[usize]) -> Option<usize> {
    let cells =
        |column: usize| -> f64 { beside(column, factors).iter().map(|&other| sizes[other] as f64).product() };
    left.iter().copied().min_by(|&a, &b| cells(a).total_cmp(&cells(b)))
}

/// The product of some factors, with one column summed out.
fn summed(column: usize, factors: &[Factor], sizes: &[usize]) -> Factor {
    let columns: Vec<usize> = beside(column, factors).into_iter().collect();
    let mut places = vec![0; sizes.len()];
    let mut cells = Vec::new();
    loop {
        let mut sum = 0.0;
        for state in 0..sizes[column] {
            places[column] = state;
            let at = |factor: &Factor| {
                let index = factor.columns.iter().fold(0, |index, &of| index * sizes[of] + places[of]);
                factor.cells[index]
            };
            sum += factors.iter().map(at).product::<f64>();
        }
        cells.push(sum);
        let Some(&next) = columns.iter().rev().find(|&&of| places[of] + 1 < sizes[of]) else { break };
        places[next] += 1;
        columns.iter().filter(|&&of| of > next).for_each(|&of| places[of] = 0);
    }
    Factor { columns, cells }
}

/// The lowest level that matters of every column: that of its cell, or one that a field that matters
/// depends on.
fn need(columns: &mut [Column<'_>]) {
    loop {
        let mut parents: Vec<Field> = Vec::new();
        for column in columns.iter() {
            parents.extend(column.tables.range(column.needed..).flat_map(|(_, table)| table.parents.iter()));
        }
        let lower = |&(column, level): &Field| level < columns[column].needed;
        let Some((column, level)) = parents.into_iter().find(lower) else { return };
        columns[column].needed = level;
    }
}

/// The states under every label of a column.
fn find_states(column: &mut Column<'_>) {
    let hierarchy = column.hierarchy;
    let mut seen = BTreeSet::new();
    column.states = vec![Vec::new(); hierarchy.size(column.level)];
    for leaf in 0..hierarchy.leaf_count() as Code {
        if seen.insert(hierarchy.generalize(leaf, column.needed)) {
            column.states[hierarchy.generalize(leaf, column.level) as usize].push(leaf);
        }
    }
}

/// Level → label → its probability given the label above it: every label has one row more, spread
/// evenly over those below it.
fn alone(hierarchy: &Hierarchy, column: usize, tuples: &Entries) -> Vec<Vec<f64>> {
    let mut rows = vec![0u64; hierarchy.leaf_count()];
    let leaves = tuples.codes[column].iter().zip(&tuples.counts);
    leaves.for_each(|(&leaf, &count)| rows[leaf as usize] += u64::from(count));
    let level = |level: usize| {
        let mut counts = vec![0u64; hierarchy.size(level)];
        let mut over = vec![0u64; hierarchy.size(level + 1)];
        let mut above = vec![0; counts.len()];
        for (leaf, &rows) in rows.iter().enumerate() {
            let [q, u] = [level, level + 1].map(|level| hierarchy.generalize(leaf as Code, level) as usize);
            counts[q] += rows;
            over[u] += rows;
            above[q] = u;
        }
        let mut siblings = vec![0u64; over.len()];
        above.iter().for_each(|&u| siblings[u] += 1);
        let share =
            |(q, &u): (usize, &usize)| (counts[q] as f64 + 1.0 / siblings[u] as f64) / (over[u] as f64 + 1.0);
        above.iter().enumerate().map(share).collect()
    };
    (0..hierarchy.height()).map(level).collect()
}

/// The rows of a family.
fn counted((column, level): Field, parents: &[Field], hierarchies: &[&Hierarchy], tuples: &Entries) -> Table {
    let mut table = Table { parents: parents.to_vec(), ..Table::default() };
    for (at, &count) in tuples.counts.iter().enumerate() {
        let number = configuration(parents, hierarchies, |parent| tuples.codes[parents[parent].0][at]);
        let label = |level: usize| hierarchies[column].generalize(tuples.codes[column][at], level);
        *table.over.entry((number, label(level + 1))).or_default() += u64::from(count);
        *table.both.entry((number, label(level))).or_default() += u64::from(count);
    }
    table
}

/// Scores are compared in whole numbers of 2⁻²⁴ when edges are chosen, one rounding for each cell of a
/// table of at most 2²⁰ or so.
const ROUNDING: f64 = 0.1;

/// The BIC of a family: how likely its labels are given its parents, less half a logarithm of the
/// rows for every parameter; only labels that occur have any.
fn bic(field: Field, parents: &[Field], hierarchies: &[&Hierarchy], tuples: &Entries) -> f64 {
    let table = counted(field, parents, hierarchies, tuples);
    let n_log_n = |n: &u64| *n as f64 * (*n as f64).ln();
    let likelihood: f64 =
        table.both.values().map(n_log_n).sum::<f64>() - table.over.values().map(n_log_n).sum::<f64>();
    let occurring = |(column, level): Field| {
        let mut occurs = vec![false; hierarchies[column].size(level)];
        let labels = tuples.codes[column].iter().map(|&leaf| hierarchies[column].generalize(leaf, level));
        labels.for_each(|label| occurs[label as usize] = true);
        occurs.iter().filter(|occurs| **occurs).count() as f64
    };
    let free = occurring(field) - occurring((field.0, field.1 + 1));
    let parameters = parents.iter().fold(free, |product, &parent| product * occurring(parent));
    let rows: f64 = tuples.counts.iter().map(|&count| f64::from(count)).sum();
    likelihood - rows.ln() / 2.0 * parameters
}

/// What is wrong with a structure.
fn unfit(
    families: &BTreeMap<Field, Vec<Field>>,
    most: usize,
    hierarchies: &[&Hierarchy],
    tuples: &Entries,
) -> Option<&'static str> {
    if families.values().any(|parents| parents.len() > most) {
        return Some("a field of the network has more parents than the policy allows");
    }
    let mut free: BTreeSet<usize> = BTreeSet::new();
    let ready = |column: usize, free: &BTreeSet<usize>| {
        let mut parents = families.iter().filter(|(field, _)| field.0 == column).flat_map(|(_, over)| over);
        parents.all(|parent| free.contains(&parent.0))
    };
    while let Some(column) =
        (0..hierarchies.len()).find(|column| !free.contains(column) && ready(*column, &free))
    {
        free.insert(column);
    }
    if free.len() < hierarchies.len() {
        return Some("columns of the network depend on each other in a circle");
    }
    for (&field, parents) in families {
        let with = bic(field, parents, hierarchies, tuples);
        let pays = |parent: &Field| {
            let others: Vec<Field> = parents.iter().copied().filter(|other| other != parent).collect();
            bic(field, &others, hierarchies, tuples) < with + ROUNDING
        };
        if !parents.iter().all(pays) {
            return Some("an edge of the network does not pay for itself");
        }
    }
    None
}

/// Distinct rows in leaf codes with their counts; none where a value is in no hierarchy.
fn leaves_of(original: &Side, hierarchies: &[&Hierarchy]) -> Result<Option<Entries>> {
    let classes = &original.classes;
    let mut columns = Vec::with_capacity(hierarchies.len());
    for (column, (hierarchy, texts)) in hierarchies.iter().zip(&original.interners).enumerate() {
        // A text is looked up once, however many tuples have it.
        let leaves: Vec<Option<Code>> =
            (0..texts.len() as u32).map(|text| hierarchy.leaf(texts.value(text))).collect();
        let cells = (0..classes.len()).map(|class| leaves[classes.tuples.tuple(class)[column] as usize]);
        let Some(cells) = cells.collect::<Option<Vec<Code>>>() else { return Ok(None) };
        columns.push(cells);
    }
    let rows = (0..classes.len()).map(|class| u32::try_from(classes.tally(class).rows).ok());
    let Some(rows) = rows.collect::<Option<Vec<u32>>>() else { return Ok(None) };
    Entries::new(columns, rows).map(|entries| Some(entries.merged()))
}

/// Which fields predict which.
fn structure(
    parents: usize,
    chains: &[Chain<'_>],
    hierarchies: &[&Hierarchy],
    tuples: &Entries,
    watch: &Watch,
) -> Result<Vec<PredictedBy>> {
    let names: Vec<String> = chains.iter().map(|chain| chain.name.to_owned()).collect();
    let hierarchies: Vec<Hierarchy> = hierarchies.iter().map(|&hierarchy| hierarchy.clone()).collect();
    let facts = fit(&names, &hierarchies, tuples, Fit { parents, ..Fit::default() }, watch)?.facts();
    let edge = |e: throng_terms::network::EdgeFacts| PredictedBy {
        column: e.to,
        level: e.to_level,
        from: e.from,
        from_level: e.from_level,
    };
    Ok(facts.edges.into_iter().map(edge).collect())
}
