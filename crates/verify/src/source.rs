//! The original after the claimed steps: the rows that each step releases, and those that no step
//! releases.
//!
//! A step takes the remaining distinct tuples of the original, generalizes them to its levels, and
//! releases the classes that are safe among them; the others remain for the next step. Costs two
//! look-ups per remaining tuple and step. A single step works in place; several keep the remaining
//! tuples separately.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::classes::{Classes, Interner, MISSING, UNKNOWN};
use super::foreseen::Foreseen;
use super::groups::{Group, stable};
use super::identifiers::Identifiers;
use super::labels::Labels;
use super::levels::{Chain, number};
use super::models::{
    Rule, without_disclosed, without_labels, without_rare, without_smallest, without_unsafe,
};
use super::pace::Pace;
use super::people;
use super::population::{self, Comparison, People};
use super::predicted::{self, Prediction};
use super::sensitive::Values;
use super::side::Side;
use super::target_information::{TargetInformation, target_information};
use throng_terms::error::Result;
use throng_terms::policy::Missing;

/// The classes of the original, and the labels of its targets in them.
type Counted = (Classes, Vec<Labels>);

/// Level → something.
pub(super) type ByLevel<T> = BTreeMap<usize, T>;

/// The conditions for releasing a class.
#[derive(Clone, Copy)]
pub(super) struct Safety<'a> {
    pub(super) groups: &'a [Group],
    /// The people that a class needs, where rows belong to people.
    pub(super) k_people: Option<u64>,
    pub(super) rules: &'a [Rule],
    pub(super) comparisons: &'a [Comparison],
    pub(super) people: Option<&'a People>,
    pub(super) predictions: &'a [Prediction],
    pub(super) foreseen: Option<&'a Foreseen<'a>>,
    pub(super) missing: Missing,
    /// The rows that a value needs to have information about the targets.
    pub(super) few: f64,
    pub(super) pace: &'a Pace<'a>,
}

impl Safety<'_> {
    /// The rows per class that can stay. Models of people, and most of a sensitive column, judge
    /// every class by itself, so these go first; who is too few or has rare values then follows,
    /// and when none of these is left, whose label of a judged quasi-identifier is not hidden;
    /// then models that judge classes among those that are left, and who is too few after that:
    /// what such a model leaves stays safe in less company. Last come the models of the whole
    /// table, and what needs all rows.
    fn stable(self, classes: &Classes, values: &[Values], subjects: Option<&Values>) -> Result<Vec<u64>> {
        let pace = self.pace;
        let mut counts = classes.counts();
        let tuples = &classes.tuples;
        people::without_few(self.k_people, subjects, &mut counts, pace)?;
        without_unsafe(self.rules, tuples, values, &mut counts, pace)?;
        population::without_unsafe(self.comparisons, self.people, classes, &mut counts, pace)?;
        predicted::without_unsafe(self.predictions, self.foreseen, classes, &mut counts, pace)?;
        let stable = |mut counts| loop {
            counts = stable(tuples, counts, self.groups, self.missing, pace)?;
            let rare = without_rare(self.rules, tuples, values, &mut counts);
            if !rare && !without_labels(self.rules, tuples, &mut counts, pace)? {
                return Ok(counts);
            }
        };
        let mut counts = stable(counts)?;
        let before = counts.clone();
        without_disclosed(self.rules, values, &mut counts, pace)?;
        if counts != before {
            counts = stable(counts)?;
        }
        let mut counts = without_smallest(self.rules, counts, stable)?;
        population::all_or_none(self.comparisons, self.people, classes, &mut counts);
        Ok(counts)
    }
}

/// What a step makes of the rows that were left for it.
#[derive(Debug)]
pub(super) struct Layer {
    /// Column → level.
    pub(super) levels: Vec<usize>,
    /// The classes at these levels; with several steps, those alone that stay.
    pub(super) classes: Classes,
    /// The rows of `classes` that can stay; a class stays whole or not at all.
    pub(super) stay: Vec<u64>,
}

/// The original at the claimed levels.
#[derive(Debug)]
pub(super) struct Generalized {
    pub(super) rows: u64,
    /// Rows that were deleted before.
    pub(super) deleted: u64,
    /// The texts of each quasi-identifier, with counts.
    pub(super) interners: Vec<Interner>,
    /// Column → level → number of the text → number of its generalized value.
    pub(super) maps: Vec<ByLevel<Vec<u32>>>,
    /// One per step.
    pub(super) layers: Vec<Layer>,
    /// Column → level → number of the text → rows that have it and are released at that level; the
    /// rows that no step releases are counted at the first.
    pub(super) texts: Vec<ByLevel<Vec<u64>>>,
    /// The rows that no step releases, as they look at the first.
    pub(super) held: Classes,
    /// Column → level → number of a generalized value → number of its label, the same at every
    /// level; empty where there is one step.
    pub(super) looks: Vec<ByLevel<Vec<u32>>>,
    /// Target → rows that are released and do not have the most frequent label of their class.
    pub(super) minorities: Vec<u64>,
    /// The information of the columns about the targets; none if not needed or unknown.
    pub(super) information: Option<Vec<TargetInformation>>,
    /// The identifiers that are replaced.
    pub(super) identifiers: Vec<Identifiers>,
    /// Class of the original → the step that releases it, and its class there; none where no step
    /// does. Only where identifiers are replaced, models judge sensitive columns or people are
    /// counted.
    pub(super) moved: Vec<Option<(u32, u32)>>,
    /// The same whether or not it is safe; only where there is one step and rows are guarded or
    /// people are counted.
    pub(super) shown: Vec<Option<(u32, u32)>>,
    /// The values of the sensitive columns that models judge, and the guarding nodes, in every
    /// class of the original.
    pub(super) values: Vec<Values>,
    /// The people whom the rows of every class of the original belong to, where it names them.
    pub(super) subjects: Option<Values>,
}

impl Generalized {
    /// Generalizes the original; none where a level is not known or does not fit.
    pub(super) fn new(mut original: Side, chains: &[Chain<'_>], safety: Safety<'_>) -> Result<Option<Self>> {
        let pace = safety.pace;
        pace.look()?;
        let (values, subjects) = (original.take_values(), original.subjects());
        let leveled = original.has_levels;
        let Side { classes, interners, rows, deleted, labels, identifiers, .. } = original;
        let steps = chains.first().map_or(1, |chain| chain.levels.len());
        let level = |step: usize| move |chain: &Chain<'_>| chain.at(step).map(|(_, level)| level);
        let levels: Option<Vec<Vec<usize>>> =
            (0..steps).map(|step| chains.iter().map(level(step)).collect()).collect();
        let Some(levels) = levels else { return Ok(None) };
        let maps = maps_of(chains, &interners, pace)?;
        let information = target_information(&labels, &interners, chains, safety.few, pace)?;
        let mut source = Generalized {
            rows,
            deleted,
            information,
            texts: vec![ByLevel::new(); interners.len()],
            held: Classes::new(interners.len()),
            interners,
            maps,
            layers: Vec::new(),
            looks: Vec::new(),
            minorities: Vec::new(),
            moved: vec![
                None;
                if identifiers.is_empty() && values.is_empty() && subjects.is_none() && !leveled {
                    0
                } else {
                    classes.len()
                }
            ],
            shown: Vec::new(),
            identifiers,
            values,
            subjects,
        };
        match <[Vec<usize>; 1]>::try_from(levels) {
            Ok([only]) => source.settle((classes, labels), only, safety)?,
            Err(levels) => {
                source.looks = chains.iter().map(looks).collect();
                source.walk((classes, labels), levels, safety)?;
            }
        }
        Ok(Some(source))
    }

    /// The only step: every row is at its levels, released or not.
    fn settle(&mut self, (classes, labels): Counted, levels: Vec<usize>, safety: Safety<'_>) -> Result<()> {
        let pace = safety.pace;
        for (column, interner) in self.interners.iter().enumerate() {
            let counts = (0..interner.len() as u32).map(|text| interner.count(text)).collect();
            self.texts[column].insert(levels[column], counts);
        }
        let mut moved = Vec::with_capacity(self.moved.len());
        let maps = self.maps_at(&levels);
        let generalize = |tuple: &mut [u32]| {
            for (cell, map) in tuple.iter_mut().zip(&maps) {
                *cell = map.map_or(UNKNOWN, |map| map[*cell as usize]);
            }
        };
        let stays = |tuple: &[u32]| !forced(tuple, safety.missing);
        let observe = |place| {
            if !self.moved.is_empty() {
                moved.push(place);
            }
        };
        let (classes, forced) = classes.regroup(generalize, stays, observe, pace)?;
        let moves = || moved.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?)));
        let values: Vec<Values> = self.values.iter().map(|v| v.merged(moves, classes.len())).collect();
        let subjects = self.subjects.as_ref().map(|people| people.merged(moves, classes.len()));
        let stay = safety.stable(&classes, &values, subjects.as_ref())?;
        let staying = |place: &usize| stay[*place] > 0;
        if safety.k_people.is_some() || safety.rules.iter().any(Rule::has_guard) {
            self.shown = moved.iter().map(|place| place.map(|place| (0, place as u32))).collect();
        }
        self.moved = moved.into_iter().map(|p| p.filter(staying).map(|place| (0, place as u32))).collect();
        let maps: Vec<&[u32]> = self.maps_at(&levels).into_iter().map(Option::unwrap_or_default).collect();
        let minority = |labels: Labels| labels.minority(&maps, &classes, &stay, pace);
        self.minorities = labels.into_iter().map(minority).collect::<Result<_>>()?;
        for class in (0..classes.len()).filter(|&class| stay[class] == 0) {
            self.held.add(classes.tuples.tuple(class), classes.tally(class));
        }
        for class in 0..forced.len() {
            self.held.add(forced.tuples.tuple(class), forced.tally(class));
        }
        self.layers.push(Layer { levels, classes, stay });
        pace.look()
    }

    /// Several steps.
    fn walk(
        &mut self,
        (classes, mut labels): Counted,
        steps: Vec<Vec<usize>>,
        safety: Safety<'_>,
    ) -> Result<()> {
        let first = steps.first().cloned().unwrap_or_default();
        let mut origins = (0..self.moved.len() as u32).collect();
        let mut left = classes;
        for levels in steps {
            left = self.step(&left, &mut origins, levels, safety)?;
            for labels in &mut labels {
                labels.release(|tuple, look| self.look(tuple, look), safety.pace)?;
            }
        }
        self.minorities = labels.into_iter().map(Labels::released_minority).collect();
        let mut general = vec![MISSING; left.tuples.width()];
        for class in 0..left.len() {
            let (tuple, tally) = (left.tuples.tuple(class), left.tally(class));
            self.count(tuple, &first, tally.rows);
            self.generalize(tuple, &first, &mut general);
            self.held.add(&general, tally);
        }
        safety.pace.look()
    }

    /// Whether the last step releases a tuple of the original, and what it then looks like.
    fn look(&self, tuple: &[u32], look: &mut [u32]) -> bool {
        let Some(layer) = self.layers.last() else { return false };
        self.generalize(tuple, &layer.levels, look);
        // Only the classes that stay are kept in a layer.
        if layer.classes.tuples.get(look).is_none() {
            return false;
        }
        for (column, cell) in look.iter_mut().enumerate() {
            let numbers = self.looks[column].get(&layer.levels[column]);
            *cell = numbers.and_then(|numbers| numbers.get(*cell as usize).copied()).unwrap_or(UNKNOWN);
        }
        true
    }

    /// One of several steps: adds its layer, and gives what it leaves. `origins` are the classes of
    /// the original that are left, where identifiers are replaced or models judge sensitive
    /// columns.
    fn step(
        &mut self,
        left: &Classes,
        origins: &mut Vec<u32>,
        levels: Vec<usize>,
        safety: Safety<'_>,
    ) -> Result<Classes> {
        let width = left.tuples.width();
        let mut classes = Classes::new(width);
        let mut general = vec![MISSING; width];
        let mut class_of = Vec::with_capacity(left.len());
        for class in 0..left.len() {
            safety.pace.steps(4)?;
            self.generalize(left.tuples.tuple(class), &levels, &mut general);
            let free = !forced(&general, safety.missing);
            class_of.push(free.then(|| classes.add(&general, left.tally(class))));
        }
        let origin_of = origins.iter().zip(&class_of);
        let moves = || origin_of.clone().filter_map(|(origin, to)| Some((*origin as usize, (*to)?)));
        let values: Vec<Values> = self.values.iter().map(|v| v.merged(moves, classes.len())).collect();
        let subjects = self.subjects.as_ref().map(|people| people.merged(moves, classes.len()));
        let stay = safety.stable(&classes, &values, subjects.as_ref())?;
        let mut kept = Classes::new(width);
        let keep = |class: usize| {
            (stay[class] > 0).then(|| kept.add(classes.tuples.tuple(class), classes.tally(class)))
        };
        let kept_at: Vec<Option<usize>> = (0..classes.len()).map(keep).collect();
        let (mut behind, mut behind_origins) = (Classes::new(width), Vec::new());
        for (class, at) in class_of.into_iter().enumerate() {
            let (tuple, tally) = (left.tuples.tuple(class), left.tally(class));
            let origin = origins.get(class).copied();
            if let Some(at) = at.and_then(|at| kept_at[at]) {
                self.count(tuple, &levels, tally.rows);
                if let Some(origin) = origin {
                    self.moved[origin as usize] = Some((self.layers.len() as u32, at as u32));
                }
            } else {
                behind.add(tuple, tally);
                behind_origins.extend(origin);
            }
        }
        *origins = behind_origins;
        self.layers.push(Layer { levels, stay: kept.counts(), classes: kept });
        Ok(behind)
    }

    /// Column → number of the text → number of its value at a level, where that is known.
    fn maps_at(&self, levels: &[usize]) -> Vec<Option<&[u32]>> {
        self.maps.iter().zip(levels).map(|(maps, level)| maps.get(level).map(Vec::as_slice)).collect()
    }

    fn generalize(&self, tuple: &[u32], levels: &[usize], general: &mut [u32]) {
        for (column, (cell, &text)) in general.iter_mut().zip(tuple).enumerate() {
            let map = self.maps[column].get(&levels[column]);
            *cell = map.map_or(UNKNOWN, |map| map[text as usize]);
        }
    }

    /// Counts rows under their texts at the levels that they are released at.
    fn count(&mut self, tuple: &[u32], levels: &[usize], rows: u64) {
        for (column, &text) in tuple.iter().enumerate() {
            let len = self.interners[column].len();
            self.texts[column].entry(levels[column]).or_insert_with(|| vec![0; len])[text as usize] += rows;
        }
    }

    /// Columns with values that their hierarchy does not know, with the number of such cells.
    pub(super) fn unknown(&self) -> Vec<(usize, u64)> {
        let cells = |(maps, interner): (&ByLevel<Vec<u32>>, &Interner)| {
            let map = maps.values().next().map_or(&[][..], Vec::as_slice);
            (0..map.len() as u32)
                .filter(|&text| map[text as usize] == UNKNOWN)
                .map(|text| interner.count(text))
                .sum()
        };
        let columns = self.maps.iter().zip(&self.interners).map(cells).enumerate();
        columns.filter(|&(_, cells)| cells > 0).collect()
    }
}

impl Layer {
    /// The classes that the step releases, with their rows.
    pub(super) fn kept(&self) -> impl Iterator<Item = (&[u32], u64)> {
        let kept = (0..self.classes.len()).filter(|&class| self.stay[class] > 0);
        kept.map(|class| (self.classes.tuples.tuple(class), self.stay[class]))
    }

    /// Rows that the step releases.
    pub(super) fn rows(&self) -> u64 {
        self.stay.iter().sum()
    }
}

/// Level → number of a generalized value → number of its label, the same at every level.
fn looks(chain: &Chain<'_>) -> ByLevel<Vec<u32>> {
    let mut interner = Interner::new();
    let mut numbers = ByLevel::new();
    for (hierarchy, level) in (0..chain.levels.len()).filter_map(|step| chain.at(step)) {
        numbers.entry(level).or_insert_with(|| {
            let label = |code: usize| interner.add(hierarchy.label(level, code as u32));
            std::iter::once(MISSING).chain((0..hierarchy.size(level)).map(label)).collect()
        });
    }
    numbers
}

/// Whether a row must be suppressed because a quasi-identifier is missing. At the highest level a
/// missing cell equals all others.
fn forced(tuple: &[u32], missing: Missing) -> bool {
    missing == Missing::Suppress && tuple.contains(&MISSING)
}

/// Column → level → number of a text → number of its generalized value, on all cores.
pub(super) fn maps_of(
    chains: &[Chain<'_>],
    interners: &[Interner],
    pace: &Pace<'_>,
) -> Result<Vec<ByLevel<Vec<u32>>>> {
    let shared = pace.shared();
    let columns = chains.par_iter().zip(interners).enumerate();
    columns.map(|(at, (chain, interner))| maps(chain, interner, &shared.of_thread(at))).collect()
}

/// Level → number of a text → number of its generalized value.
fn maps(chain: &Chain<'_>, interner: &Interner, pace: &Pace<'_>) -> Result<ByLevel<Vec<u32>>> {
    let mut maps = ByLevel::new();
    let Some(hierarchy) = &chain.hierarchy else { return Ok(maps) };
    let mut leaves = Vec::with_capacity(interner.len());
    for text in 0..interner.len() as u32 {
        pace.step()?;
        leaves.push(hierarchy.leaf(interner.value(text)));
    }
    for (hierarchy, level) in (0..chain.levels.len()).filter_map(|step| chain.at(step)) {
        let generalize = |(text, leaf): (usize, &Option<u32>)| match leaf {
            Some(leaf) => number(hierarchy, level, hierarchy.generalize(*leaf, level)),
            // Without a leaf of its own a missing cell stays missing.
            None if text == MISSING as usize => MISSING,
            None => UNKNOWN,
        };
        maps.entry(level).or_insert_with(|| leaves.iter().enumerate().map(generalize).collect());
    }
    Ok(maps)
}
