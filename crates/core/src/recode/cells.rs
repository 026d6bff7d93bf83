//! Local cell suppression [Sweeney 2001, 6.3, after μ-Argus; El Emam 2009, discussion]: flagged
//! rows stay, with few quasi-identifier cells starred; rows that cannot be made safe are
//! suppressed.
//!
//! A step stars some columns of the remaining rows: it is the chosen node with these columns at the
//! top. Minimizing the number of starred cells is NP-hard [Meyerson 2004], so the algorithm is
//! greedy: steps that star one cell come first, then two, and so on; among steps of one size, the
//! one that helps the most rows is taken repeatedly. The number of remaining rows only decreases,
//! so the last count of a step is an upper bound for its next one, and only the best step is
//! counted again. Under a model that is not monotone the last count is an estimate, and steps of
//! one size are tried again as long as they help. Linked columns are starred together, because the
//! holder wants them at one level. A column at its top has nothing to star.
//!
//! Costs one grouping of the flagged classes per set of columns: all sets if they are few (nine
//! columns have 511), otherwise the best sets of each size extended by one column. The number of
//! visited cells is bounded, so it takes seconds on any table. On small random tables it stars 6 %
//! more cells than the minimum (`docs/numbers.md`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use rayon::prelude::*;

use super::group::group;
use crate::classes::{Classes, Flags, View};
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::lattice::{Lattice, Node};
use crate::model::{PrivacyModel, judge, measured_needs};
use crate::watch::{Stage, Watch};

/// The most cells that are visited in all: seconds.
const VISITS: u64 = 1 << 31;
/// The most sets of one size, and how many are tried at least where classes are very many.
const SETS: u64 = 1 << 10;
const FEW: u64 = 8;

/// Columns that are starred together.
struct Unit {
    columns: Vec<usize>,
    /// How many of them are not at the top already.
    cells: usize,
}

/// Units to be starred, as ascending places.
type Set = Vec<u16>;

/// The chosen node, and the nodes of the steps that star cells of its flagged rows.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn cells(
    view: &View<'_>,
    flags: &Flags,
    lattice: &Lattice,
    models: &[Box<dyn PrivacyModel>],
    watch: &Watch,
) -> Result<Vec<Node>> {
    let hierarchies = view.hierarchies();
    let units = units(view.node(), hierarchies, lattice);
    let all: usize = units.iter().map(|unit| unit.cells).sum();
    let mut chooser = Chooser {
        node: view.node(),
        hierarchies,
        models,
        needs: measured_needs(models),
        units,
        left: view.flagged_classes(flags),
        steps: vec![view.node().clone()],
        visits: VISITS,
        watch,
    };
    let flagged = chooser.left.len() as u64;
    let monotone = chooser.monotone();
    let mut ranked = BTreeMap::new();
    for size in 1..=all {
        if chooser.left.is_empty() {
            break;
        }
        let sets = chooser.sets(size, all, &ranked);
        let (again, mut left) = (sets.clone(), chooser.left.rows());
        ranked.insert(size, chooser.round(sets, flagged)?);
        // What a step releases can leave others safe under a model that is not monotone.
        while !monotone && chooser.left.rows() < left && chooser.visits > 0 {
            left = chooser.left.rows();
            chooser.round(again.clone(), flagged)?;
        }
    }
    Ok(chooser.steps)
}

/// The columns that can be starred; linked ones together.
fn units(node: &Node, hierarchies: &[Hierarchy], lattice: &Lattice) -> Vec<Unit> {
    let below = |column: &&usize| node.level(**column) < hierarchies[**column].height();
    let unit = |dimension| {
        let columns = lattice.columns_along(dimension);
        Unit { columns: columns.to_vec(), cells: columns.iter().filter(below).count() }
    };
    (0..lattice.dimensions()).map(unit).filter(|unit| unit.cells > 0).collect()
}

/// What is left and what was chosen.
struct Chooser<'a> {
    node: &'a Node,
    hierarchies: &'a [Hierarchy],
    models: &'a [Box<dyn PrivacyModel>],
    /// The measured columns that the models read.
    needs: Vec<usize>,
    units: Vec<Unit>,
    left: Classes,
    steps: Vec<Node>,
    /// Cells that may still be visited.
    visits: u64,
    watch: &'a Watch,
}

impl Chooser<'_> {
    /// The chosen node with some units at the top.
    fn starred(&self, set: &Set) -> Node {
        let mut levels = self.node.levels().to_vec();
        for &column in set.iter().flat_map(|&unit| &self.units[usize::from(unit)].columns) {
            levels[column] = self.hierarchies[column].height() as u8;
        }
        Node::new(levels)
    }

    /// Rows that a step would release, and which of the classes left would stay behind.
    ///
    /// # Errors
    /// When asked to stop.
    fn try_step(&self, node: &Node) -> Result<(u64, Vec<u32>)> {
        let (groups, of_class) = group(&self.left, self.hierarchies, node, &self.needs);
        let mut flags = Flags::default();
        judge(self.models, &View::new(&self.left, self.hierarchies, node, &groups), &mut flags)?;
        let behind = of_class.iter().enumerate().filter(|(_, group)| flags.has(**group as usize));
        Ok((self.left.rows() - flags.rows(), behind.map(|(class, _)| class as u32).collect()))
    }

    /// Whether rows that leave cannot make others safe.
    fn monotone(&self) -> bool {
        self.models.iter().all(|model| model.facts().monotone)
    }

    /// What a grouping of all classes that are left costs.
    fn cost(&self) -> u64 {
        (self.left.len() as u64 * self.hierarchies.len() as u64).max(1)
    }

    /// Counts groupings of all classes that are left; whether there was room for them.
    fn visit(&mut self, times: usize) -> bool {
        let visits = times as u64 * self.cost();
        let room = visits <= self.visits;
        self.visits = self.visits.saturating_sub(visits);
        room
    }

    /// The sets that star this many cells: all, or if these are too many, the best smaller ones
    /// extended by a unit, those first that help most on their own.
    fn sets(&self, size: usize, all: usize, ranked: &BTreeMap<usize, Vec<Set>>) -> Vec<Set> {
        let room = self.visits / (all - size + 1) as u64 / self.cost();
        let most = if size == 1 { self.units.len() } else { room.clamp(FEW, SETS) as usize };
        let mut sets = Vec::new();
        if self.enumerate(size, 0, &mut Vec::new(), &mut sets, most) {
            return sets;
        }
        let alone = ranked.values().flatten().filter(|set| set.len() == 1).flatten();
        let mut units: Vec<u16> = alone.copied().collect();
        units.extend((0..self.units.len() as u16).filter(|unit| !units.contains(unit)).collect::<Vec<_>>());
        let longest = ranked.values().map(Vec::len).max().unwrap_or(0);
        let mut extended = BTreeSet::new();
        for (place, &unit) in (0..longest).flat_map(|place| units.iter().map(move |unit| (place, unit))) {
            let smaller = size.checked_sub(self.units[usize::from(unit)].cells).and_then(|s| ranked.get(&s));
            let Some(set) = smaller.and_then(|sets| sets.get(place)) else { continue };
            if !set.contains(&unit) && extended.len() < most {
                let mut set = set.clone();
                set.push(unit);
                set.sort_unstable();
                extended.insert(set);
            }
        }
        extended.into_iter().collect()
    }

    /// Lists the sets of this many cells from a unit on, in order; returns whether there are at
    /// most `most`.
    fn enumerate(&self, cells: usize, from: usize, set: &mut Set, sets: &mut Vec<Set>, most: usize) -> bool {
        if cells == 0 {
            sets.push(set.clone());
            return sets.len() <= most;
        }
        let rest = |from: usize| self.units[from..].iter().map(|unit| unit.cells).sum::<usize>();
        for at in from..self.units.len() {
            if rest(at) < cells {
                break;
            }
            let Some(fewer) = cells.checked_sub(self.units[at].cells) else { continue };
            set.push(at as u16);
            let fits = self.enumerate(fewer, at + 1, set, sets, most);
            set.pop();
            if !fits {
                return false;
            }
        }
        true
    }

    /// Takes the step that helps most rows until none helps; the sets from the most helpful to the
    /// least, as they were at the beginning.
    fn round(&mut self, sets: Vec<Set>, flagged: u64) -> Result<Vec<Set>> {
        self.visit(sets.len());
        let this = &*self;
        let helped = sets.par_iter().map(|set| {
            this.watch.check()?;
            Ok(this.try_step(&this.starred(set))?.0)
        });
        let helped: Vec<u64> = helped.collect::<Result<_>>()?;
        let mut heap: BinaryHeap<(u64, Reverse<usize>)> =
            helped.iter().enumerate().filter(|(_, rows)| **rows > 0).map(|(i, &n)| (n, Reverse(i))).collect();
        let mut untouched = true;
        while let Some((rows, Reverse(at))) = heap.pop() {
            let chosen = flagged.saturating_sub(self.left.len() as u64);
            self.watch.done(Stage::ChoosingCells, chosen, Some(flagged))?;
            let node = self.starred(&sets[at]);
            let exact = untouched || !self.visit(1);
            let (now, behind) = self.try_step(&node)?;
            // Without room for more visits the order of the last counts is taken as it is.
            let foremost = exact || heap.peek().is_none_or(|next| (now, Reverse(at)) >= *next);
            debug_assert!(now <= rows || !self.monotone(), "a step helps more rows than were left");
            if now > 0 && foremost {
                self.left = self.left.part(&behind);
                self.steps.push(node);
                untouched = false;
            } else if now > 0 {
                heap.push((now, Reverse(at)));
            }
        }
        let mut order: Vec<usize> = (0..sets.len()).collect();
        order.sort_by_key(|&at| Reverse(helped[at]));
        Ok(order.into_iter().map(|at| sets[at].clone()).collect())
    }
}
