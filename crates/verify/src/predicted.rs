//! Predicted people (j-anonymity), for the verifier.
//!
//! The structure of the network follows from the policy's seed and the original's rows, so nobody
//! can choose a convenient network: the verifier fits it again with the same code as the search,
//! and the certificate's must be equal. Everything else is computed independently: the tables of
//! the network are counted from the original's tuples, with one additional row per label spread
//! over its children; the probability of a class is summed over the leaves of its cells; limits and
//! probabilities come from `chances.rs`. Leaves of a cell that no edge distinguishes are summed
//! beforehand. Costs, for every class of fewer than k rows, one step per such group of leaves in
//! its cells and per pair of labels that an edge allows in them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::chances::{lower_limit, surely};
use super::claims::Judged;
use super::classes::{Classes, MISSING, UNKNOWN};
use super::levels::Chain;
use super::population::{People, told};
use super::side::Side;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::Result;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::network::{Entries, Fit, fit};
use throng_terms::policy::{JAnonymity, ModelSpec, Policy};
use throng_terms::release::{Certificate, Foresight, PredictedBy};
use throng_terms::table::Code;
use throng_terms::watch::Watch;

/// One guarantee about predicted people.
#[derive(Debug)]
pub(super) struct Prediction {
    /// The claim's name in a certificate.
    pub(super) claim: String,
    asked: JAnonymity,
}

/// Those of a policy.
pub(super) fn of(policy: &Policy) -> Vec<Prediction> {
    let prediction = |model: &ModelSpec| match model {
        ModelSpec::JAnonymity(asked) if asked.population.is_none() => {
            Some(Prediction { claim: model.claim(), asked: asked.clone() })
        }
        _ => None,
    };
    policy.privacy.models.iter().filter_map(prediction).collect()
}

impl Prediction {
    /// The requirement, as a certificate states it.
    pub(super) fn required(&self) -> f64 {
        self.asked.k as f64
    }

    /// The number of people, up to a limit, of a class with these rows and this probability, in a
    /// table of `all` rows.
    fn people(&self, rows: u64, probability: f64, all: u64, up_to: u64) -> u64 {
        let error = (1.0 - self.asked.confidence()) / 2.0;
        let others = self.asked.people.unwrap_or(0).saturating_sub(all);
        // One row belongs to the person in question, and one comes from smoothing: neither is
        // evidence about others.
        let told = probability * all as f64 - 2.0;
        let limit = if told > 0.0 { lower_limit(told, all as f64 - 1.0, error) } else { 0.0 };
        rows + surely(others, limit, error, up_to.saturating_sub(rows))
    }
}

/// A column in the network.
#[derive(Debug)]
struct Field<'a> {
    hierarchy: &'a Hierarchy,
    level: usize,
    /// The parent with its level, and the level of this column that it predicts: the highest where
    /// there is none.
    parent: Option<(usize, usize)>,
    at: usize,
    /// Leaf → its probability given its label at that level.
    within: Vec<f64>,
    /// Label at that level → its probability by itself.
    alone: Vec<f64>,
    /// Parent's label → its rows; both labels → their rows.
    parent_rows: Vec<u64>,
    both: FxHashMap<(Code, Code), u64>,
    /// Columns that this one is the parent of, with the level that predicts them.
    children: Vec<(usize, usize)>,
    /// Label at the claimed level → what leaves under it look like: the label at that level and
    /// those that predict the children, with the leaves' probabilities given the first.
    looks: Vec<BTreeMap<Vec<Code>, f64>>,
}

impl Field<'_> {
    /// Label → its probability given the label of a level above it: every label has one row more,
    /// spread evenly over those below it.
    fn given(hierarchy: &Hierarchy, rows: &[u64], level: usize, above: usize) -> Vec<f64> {
        let mut shares = vec![1.0; hierarchy.size(level)];
        for step in level..above {
            let mut counts = vec![0u64; hierarchy.size(step)];
            let mut over = vec![0u64; hierarchy.size(step + 1)];
            let mut siblings = vec![BTreeSet::new(); hierarchy.size(step + 1)];
            for (leaf, &rows) in rows.iter().enumerate() {
                let pair = [step, step + 1].map(|level| hierarchy.generalize(leaf as Code, level) as usize);
                counts[pair[0]] += rows;
                over[pair[1]] += rows;
                siblings[pair[1]].insert(pair[0]);
            }
            let mut done = vec![false; shares.len()];
            for leaf in 0..rows.len() as Code {
                let label = hierarchy.generalize(leaf, level) as usize;
                if !std::mem::replace(&mut done[label], true) {
                    let pair = [step, step + 1].map(|level| hierarchy.generalize(leaf, level) as usize);
                    let spread = 1.0 / siblings[pair[1]].len() as f64;
                    shares[label] *= (counts[pair[0]] as f64 + spread) / (over[pair[1]] as f64 + 1.0);
                }
            }
        }
        shares
    }

    /// Adds leaves up that look alike; when the children are known.
    fn look(&mut self) {
        for leaf in 0..self.hierarchy.leaf_count() as Code {
            let levels = [self.at].into_iter().chain(self.children.iter().map(|(_, level)| *level));
            let look: Vec<Code> = levels.map(|level| self.hierarchy.generalize(leaf, level)).collect();
            let cell = self.hierarchy.generalize(leaf, self.level) as usize;
            *self.looks[cell].entry(look).or_default() += self.within[leaf as usize];
        }
    }

    /// The probability of a label given the parent's.
    fn after(&self, label: Code, parent: Code) -> f64 {
        let both = self.both.get(&(parent, label)).copied().unwrap_or(0) as f64;
        (both + self.alone[label as usize]) / (self.parent_rows[parent as usize] as f64 + 1.0)
    }
}

/// The network of the original, and its classes at the claimed levels.
#[derive(Debug)]
pub(super) struct Foreseen<'a> {
    fields: Vec<Field<'a>>,
    /// Columns, children before their parents.
    order: Vec<usize>,
    edges: Vec<PredictedBy>,
    people: People,
    rows: u64,
}

impl<'a> Foreseen<'a> {
    /// None where a value is in no hierarchy, or a level does not fit.
    pub(super) fn new(
        policy: &Policy,
        original: &Side,
        chains: &'a [Chain<'a>],
        watch: &Watch,
    ) -> Result<Option<Self>> {
        let known: Option<Vec<(&Hierarchy, usize)>> = chains.iter().map(|chain| chain.at(0)).collect();
        let (Some(known), Some(people)) = (known, People::new(original, chains)) else { return Ok(None) };
        let hierarchies: Vec<&Hierarchy> = known.iter().map(|(hierarchy, _)| *hierarchy).collect();
        let Some(tuples) = leaves_of(original, &hierarchies).filter(|tuples| !tuples.is_empty()) else {
            return Ok(None);
        };
        let edges = structure(policy, chains, &hierarchies, &tuples, watch)?;
        let field = |(column, &(hierarchy, level)): (usize, &(&'a Hierarchy, usize))| {
            let edge = edges.iter().find(|edge| edge.column == chains[column].name);
            let parent = edge.and_then(|edge| {
                Some((chains.iter().position(|chain| chain.name == edge.from)?, edge.from_level))
            });
            counted(
                (column, parent, edge.map_or(hierarchy.height(), |e| e.level)),
                (hierarchy, level),
                &hierarchies,
                &tuples,
            )
        };
        let mut fields: Vec<Field<'a>> = known.iter().enumerate().map(field).collect();
        for child in 0..fields.len() {
            if let Some((parent, level)) = fields[child].parent {
                fields[parent].children.push((child, level));
            }
        }
        fields.iter_mut().for_each(Field::look);
        let Some(order) = children_first(&fields) else { return Ok(None) };
        Ok(Some(Foreseen { fields, order, edges, people, rows: original.rows }))
    }

    /// The probability of a class of the generalized original; none if it is not a class of the
    /// hierarchies.
    fn probability(&self, tuple: &[u32]) -> Option<f64> {
        let cells = self.fields.iter().zip(tuple).map(|(field, &number)| {
            let code = match number {
                UNKNOWN => return None,
                MISSING => field.hierarchy.missing_at(field.level)?,
                number => number - 1,
            };
            field.looks.get(code as usize)
        });
        let cells: Vec<&BTreeMap<Vec<Code>, f64>> = cells.collect::<Option<_>>()?;
        // Column → parent's label → probability of the cells of the column and all below it.
        let mut said: Vec<BTreeMap<Code, f64>> = vec![BTreeMap::new(); self.fields.len()];
        let mut probability = 1.0;
        for &column in &self.order {
            let field = &self.fields[column];
            let mut labels: BTreeMap<Code, f64> = BTreeMap::new();
            for (look, &within) in cells[column] {
                let mut share = within;
                for ((child, _), label) in field.children.iter().zip(&look[1..]) {
                    share *= said[*child].get(label)?;
                }
                *labels.entry(look[0]).or_default() += share;
            }
            let Some((parent, _)) = field.parent else {
                probability *= labels.values().sum::<f64>();
                continue;
            };
            let place = self.fields[parent].children.iter().position(|(child, _)| *child == column)?;
            let possible: BTreeSet<Code> = cells[parent].keys().map(|look| look[1 + place]).collect();
            let message = |a: Code| labels.iter().map(|(&q, below)| field.after(q, a) * below).sum();
            said[column] = possible.into_iter().map(|a| (a, message(a))).collect();
        }
        Some(probability.min(1.0))
    }
}

/// Columns, each before its parent; none where some are each other's.
fn children_first(fields: &[Field<'_>]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < fields.len() {
        let ready = |column: &usize| {
            let parent = fields[*column].parent.map(|(parent, _)| parent);
            !order.contains(column) && parent.is_none_or(|parent| order.contains(&parent))
        };
        let next = (0..fields.len()).find(ready)?;
        order.push(next);
    }
    order.reverse();
    Some(order)
}

/// Distinct rows in leaf codes with their counts; none where a value is in no hierarchy.
fn leaves_of(original: &Side, hierarchies: &[&Hierarchy]) -> Option<BTreeMap<Vec<Code>, u32>> {
    let mut tuples = BTreeMap::new();
    for class in 0..original.classes.len() {
        let cells = original.classes.tuples.tuple(class).iter().enumerate();
        let leaf =
            |(column, &text): (usize, &u32)| hierarchies[column].leaf(original.interners[column].value(text));
        let leaves: Vec<Code> = cells.map(leaf).collect::<Option<_>>()?;
        *tuples.entry(leaves).or_default() += u32::try_from(original.classes.tally(class).rows).ok()?;
    }
    Some(tuples)
}

/// Which columns predict which.
fn structure(
    policy: &Policy,
    chains: &[Chain<'_>],
    hierarchies: &[&Hierarchy],
    tuples: &BTreeMap<Vec<Code>, u32>,
    watch: &Watch,
) -> Result<Vec<PredictedBy>> {
    let names: Vec<String> = chains.iter().map(|chain| chain.name.to_owned()).collect();
    let hierarchies: Vec<Hierarchy> = hierarchies.iter().map(|&hierarchy| hierarchy.clone()).collect();
    let codes = |column: usize| tuples.keys().map(|tuple| tuple[column]).collect();
    let entries = Entries::new((0..names.len()).map(codes).collect(), tuples.values().copied().collect())?;
    let seed = Fit { seed: policy.search.seed, target: None };
    let facts = fit(&names, &hierarchies, &entries.in_order(&hierarchies), seed, watch)?.facts();
    let edge = |e: throng_terms::network::EdgeFacts| PredictedBy {
        column: e.to,
        level: e.to_level,
        from: e.from,
        from_level: e.from_level,
    };
    Ok(facts.edges.into_iter().map(edge).collect())
}

/// A column with its tables.
fn counted<'a>(
    (column, parent, at): (usize, Option<(usize, usize)>, usize),
    (hierarchy, level): (&'a Hierarchy, usize),
    hierarchies: &[&Hierarchy],
    tuples: &BTreeMap<Vec<Code>, u32>,
) -> Field<'a> {
    let mut rows = vec![0u64; hierarchy.leaf_count()];
    let mut parent_rows = parent.map_or(Vec::new(), |(of, above)| vec![0; hierarchies[of].size(above)]);
    let mut both: FxHashMap<(Code, Code), u64> = FxHashMap::default();
    for (tuple, &count) in tuples {
        rows[tuple[column] as usize] += u64::from(count);
        if let Some((of, above)) = parent {
            let label = hierarchies[of].generalize(tuple[of], above);
            parent_rows[label as usize] += u64::from(count);
            *both.entry((label, hierarchy.generalize(tuple[column], at))).or_default() += u64::from(count);
        }
    }
    Field {
        hierarchy,
        level,
        parent,
        at,
        within: Field::given(hierarchy, &rows, 0, at),
        alone: Field::given(hierarchy, &rows, at, hierarchy.height()),
        parent_rows,
        both,
        children: Vec::new(),
        looks: vec![BTreeMap::new(); hierarchy.size(level)],
    }
}

/// Takes the rows of every class away that is not likely to have k people; without a network, of
/// all that have fewer than k rows.
pub(super) fn without_unsafe(
    predictions: &[Prediction],
    foreseen: Option<&Foreseen<'_>>,
    classes: &Classes,
    counts: &mut [u64],
) {
    for prediction in predictions {
        let k = prediction.asked.k;
        for (class, count) in counts.iter_mut().enumerate().filter(|(_, count)| (1..k).contains(*count)) {
            let people = foreseen.and_then(|foreseen| {
                let probability = foreseen.probability(classes.tuples.tuple(class))?;
                Some(prediction.people(*count, probability, foreseen.rows, k))
            });
            if people.is_none_or(|people| people < k) {
                *count = 0;
            }
        }
    }
}

/// Compares the class with the fewest predicted people with the requirement and the certificate.
pub(super) fn claim(
    prediction: &Prediction,
    certificate: &Certificate,
    (original, foreseen): (bool, Option<&Foreseen<'_>>),
    (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
) -> Finding {
    let asked = &prediction.asked;
    let mut wrong = Wrong::default();
    let people = asked.people.unwrap_or(0);
    let facts = certificate.release.predicted.get(&prediction.claim);
    wrong.extend(told(facts, (asked, people), Foresight::Network, judged));
    let Some(foreseen) = foreseen else {
        if original {
            wrong.push("no network can be made of the original");
        }
        return match Finding::of(&wrong, String::new) {
            finding if finding.holds => Finding::unchecked(WITHOUT_ORIGINAL),
            finding => finding,
        };
    };
    if facts.is_some_and(|facts| facts.edges != foreseen.edges) {
        wrong.push("the network of the original has other edges than the certificate says");
    }
    let least = fewest(prediction, foreseen, (chains, released, judged), &mut wrong);
    let number = |people: Option<u64>| people.map_or("none".to_owned(), |people| people.to_string());
    if let Some(found) = least.filter(|&least| least < asked.k) {
        wrong.push(format!("the class of fewest has {found} predicted people, {} are required", asked.k));
    }
    let stated = certificate.release.privacy.get(&prediction.claim).map(|claim| claim.achieved);
    // For large numbers of people, a relative difference of 10⁻⁸ exceeds that between two
    // implementations, and is irrelevant.
    let alike = |stated: Option<f64>| match (stated, least) {
        (Some(stated), Some(least)) => (stated - least as f64).abs() <= 1e-8 * least as f64,
        (stated, least) => stated.is_none() && least.is_none(),
    };
    if !stated.is_some_and(alike) {
        wrong.push(format!(
            "the class of fewest has {} predicted people, the certificate says {}",
            number(least),
            stated.flatten().map_or("none".to_owned(), |stated| stated.to_string())
        ));
    }
    Finding::of(&wrong, || match least {
        Some(least) => format!(
            "the class of fewest has {least} predicted people of {people}, {} are required; {} in classes of fewer rows",
            asked.k,
            several(facts.map_or(0, |facts| facts.rows), "row")
        ),
        None => "no row is released".into(),
    })
}

/// The people of the released class that has fewest.
fn fewest(
    prediction: &Prediction,
    foreseen: &Foreseen<'_>,
    (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
    wrong: &mut Wrong,
) -> Option<u64> {
    let looks = foreseen.people.looks(chains, released);
    let mut classes: Vec<(u64, usize)> = Vec::new();
    for (class, &rows) in judged.counts.iter().enumerate().filter(|(_, rows)| **rows > 0) {
        match looks.get(&class) {
            Some(&of) => classes.push((rows, of)),
            None => wrong.add(|| "a released class is none of the original".into()),
        }
    }
    classes.sort_unstable();
    let mut least: Option<u64> = None;
    for (rows, of) in classes {
        // No class has fewer people than rows.
        if least.is_some_and(|least| least <= rows) {
            break;
        }
        let probability = foreseen.probability(foreseen.people.tuple(of)).unwrap_or(0.0);
        let found = prediction.people(rows, probability, foreseen.rows, least.unwrap_or(u64::MAX));
        least = Some(least.map_or(found, |least| least.min(found)));
    }
    least
}
