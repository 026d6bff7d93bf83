//! Checks a system: its properties, and the three models.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::links::{Boxes, ByEntity, Linker, TuplesOf, maps_to, row_of};
use super::{
    Adherence, DataSystem, Entity, EntityCounts, Private, Property, Protection, System, TupleCounts,
};
use crate::error::Result;
use crate::watch::Watch;

/// Distinct tuples between two looks at the watch.
const STRIDE: usize = 4096;

const NO_TRUTH: &str = "the subjects are not known";
const NO_ROWS: &str = "row correspondence is not known";
const NOT_ADS0: &str = "the release is not an ADS0";
const TWO_TUPLES: &str = "a release of one or two tuples cannot hide who was swapped";

/// Checks a system.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub(crate) fn check(system: &System, watch: &Watch) -> Result<Protection> {
    let boxes = Boxes::new(system);
    let private = system.private.as_ref().map(Subjects::new);
    let links = Links::new(system, &boxes, private.as_ref(), watch)?;
    let counts = links.counts();
    let disclosed = match &private {
        Some(subjects) => Some(links.disclosed(subjects, watch)?),
        None => None,
    };
    let ads0 = data_system(system, private.as_ref(), disclosed);
    let entities = EntityCounts {
        population: system.population.iter().filter(|there| **there).count() as u64,
        subjects: private.as_ref().map(|subjects| subjects.count),
        external: distinct(&system.external.entities),
    };
    Ok(Protection {
        k: system.k,
        entities,
        tuples: counts.tuples,
        null_map: null_map(&counts, &ads0),
        wrong_map: wrong_map(&counts, &ads0),
        k_map: k_map(&counts, &ads0),
        ads0,
    })
}

fn distinct(entities: &[Entity]) -> u64 {
    let mut entities = entities.to_vec();
    entities.sort_unstable();
    entities.dedup();
    entities.len() as u64
}

/// The subjects, and their rows of the private table.
struct Subjects<'a> {
    private: &'a Private,
    rows: ByEntity,
    count: u64,
}

impl<'a> Subjects<'a> {
    fn new(private: &'a Private) -> Self {
        let rows = ByEntity::new(private.subjects.iter().copied());
        let named: Vec<Entity> = private.subjects.iter().flatten().copied().collect();
        Subjects { private, rows, count: distinct(&named) }
    }

    fn has(&self, entity: Entity) -> bool {
        self.rows.rows(entity).next().is_some()
    }
}

/// What a distinct tuple maps to.
#[derive(Clone, Copy)]
struct Link {
    /// How many entities; where they are more than both k and the least of all, perhaps fewer.
    entities: u64,
    /// How many subjects, up to 2.
    subjects: u64,
    /// The only entity, and the only subject.
    entity: Option<Entity>,
    subject: Option<Entity>,
}

struct Links<'a> {
    system: &'a System,
    boxes: &'a Boxes<'a>,
    by_entity: ByEntity,
    /// Tuple → what it maps to.
    links: Vec<Link>,
    subjects_known: bool,
}

impl<'a> Links<'a> {
    fn new(
        system: &'a System,
        boxes: &'a Boxes<'a>,
        subjects: Option<&Subjects<'_>>,
        watch: &Watch,
    ) -> Result<Self> {
        let all = Linker::new(&system.external, &system.sizes, |_| true);
        let own = subjects
            .map(|subjects| Linker::new(&system.external, &system.sizes, |entity| subjects.has(entity)));
        watch.check()?;
        let least = AtomicU64::new(u64::MAX);
        let link = |tuple: usize| {
            let limit = system.k.max(2).max(least.load(Ordering::Relaxed));
            let entities = all.count(boxes, tuple, limit);
            least.fetch_min(entities, Ordering::Relaxed);
            let found = own.as_ref().map_or(0, |own| own.count(boxes, tuple, 2));
            let subject = own.as_ref().filter(|_| found == 1).and_then(|own| own.only(boxes, tuple));
            let entity = if entities == 1 { all.only(boxes, tuple) } else { None };
            Link { entities, subjects: found.min(2), entity, subject }
        };
        let mut links = Vec::with_capacity(boxes.len());
        for start in (0..boxes.len()).step_by(STRIDE) {
            watch.check()?;
            links.par_extend((start..boxes.len().min(start + STRIDE)).into_par_iter().map(link));
        }
        let by_entity = ByEntity::new(system.external.entities.iter().map(|&entity| Some(entity)));
        Ok(Links { system, boxes, by_entity, links, subjects_known: subjects.is_some() })
    }

    /// The subject of a released row, where it is known.
    fn own(&self, row: usize) -> Option<Entity> {
        let origin = *self.system.released.origin.get(row)?;
        self.system.private.as_ref()?.subjects[origin as usize]
    }

    fn counts(&self) -> Counts {
        let (boxes, k) = (self.boxes, self.system.k);
        let mut counts = Counts::new(self.subjects_known, !self.system.released.origin.is_empty());
        counts.tuples.least = self.links.iter().map(|link| link.entities).min();
        for (row, &tuple) in boxes.of_row.iter().enumerate() {
            let tuple = tuple as usize;
            let link = self.links[tuple];
            let own = self.own(row);
            let to_own =
                own.is_some_and(|own| maps_to(boxes, (&self.system.external, &self.by_entity), tuple, own));
            counts.add(link, k, (own, to_own));
        }
        counts
    }

    /// The released rows that disclose a subject's information.
    fn disclosed(&self, subjects: &Subjects<'_>, watch: &Watch) -> Result<u64> {
        let rows = self.boxes.of_row.iter().enumerate();
        let candidate = |(row, &tuple): (usize, &u32)| {
            let entity = self.links[tuple as usize].entity?;
            let alone = self.boxes.rows(tuple as usize) == 1;
            (alone && subjects.has(entity) && self.accurate(row, entity, subjects)).then_some(entity)
        };
        let candidates: Vec<Entity> = rows.filter_map(candidate).collect();
        if candidates.is_empty() {
            return Ok(0);
        }
        let tuples_of = TuplesOf::new(self.boxes);
        let (values, width) = (&self.system.external.values, self.system.sizes.len());
        let mut disclosed = 0;
        for part in candidates.chunks(STRIDE) {
            watch.check()?;
            let alone = |entity: &&Entity| {
                !tuples_of.several(self.by_entity.rows(**entity).map(|row| row_of(values, row, width)))
            };
            disclosed += part.par_iter().filter(alone).count() as u64;
        }
        Ok(disclosed)
    }

    /// Whether a released row shows something outside QI, and all of it is true of a subject.
    fn accurate(&self, row: usize, subject: Entity, subjects: &Subjects<'_>) -> bool {
        let (released, private) = (&self.system.released, subjects.private);
        let width = released.texts.len();
        let shown: Vec<_> = row_of(&released.shown, row, width)
            .iter()
            .zip(&released.texts)
            .map(|(&code, texts)| texts[code as usize].as_ref())
            .collect();
        let says = |row: usize| {
            let values = row_of(&private.values, row, width).iter().zip(&private.texts);
            shown.iter().zip(values).all(|(cell, (&code, texts))| match (cell, &texts[code as usize]) {
                (None, _) => true,
                (Some(cell), Some(value)) => cell.is_true_of(value),
                (Some(_), None) => false,
            })
        };
        shown.iter().any(Option::is_some) && subjects.rows.rows(subject).any(says)
    }
}

/// Tuples by what they map to, and by the models that they violate.
struct Counts {
    tuples: TupleCounts,
    /// Rows that map to a subject.
    to_subjects: u64,
    /// Rows that do not map to exactly one subject, or map to their own.
    not_wrong: u64,
    /// Rows that map to fewer than k entities, or not to their own subject.
    not_k: u64,
    subjects_known: bool,
    rows_known: bool,
}

impl Counts {
    fn new(subjects_known: bool, corresponds: bool) -> Self {
        let rows_known = subjects_known && corresponds;
        let tuples = TupleCounts {
            released: 0,
            nobody: 0,
            unique: 0,
            unique_and_correct: rows_known.then_some(0),
            wrong_only: rows_known.then_some(0),
            no_subject: subjects_known.then_some(0),
            fewer_than_k: 0,
            least: None,
        };
        Counts { tuples, to_subjects: 0, not_wrong: 0, not_k: 0, subjects_known, rows_known }
    }

    fn add(&mut self, link: Link, k: u64, (own, to_own): (Option<Entity>, bool)) {
        let tuples = &mut self.tuples;
        let bump = |count: &mut Option<u64>, counts: bool| {
            count.iter_mut().for_each(|count| *count += u64::from(counts));
        };
        tuples.released += 1;
        tuples.nobody += u64::from(link.entities == 0);
        tuples.unique += u64::from(link.entities == 1);
        tuples.fewer_than_k += u64::from(link.entities < k);
        bump(&mut tuples.unique_and_correct, link.entities == 1 && to_own);
        bump(&mut tuples.wrong_only, own.is_some() && !to_own && link.entities > 0);
        bump(&mut tuples.no_subject, link.subjects == 0);
        self.to_subjects += u64::from(link.subjects > 0);
        self.not_wrong += u64::from(link.subjects != 1 || link.subject == own && own.is_some());
        self.not_k += u64::from(link.entities < k || self.rows_known && !to_own);
    }
}

/// The properties of ADS0 that tables can violate.
fn data_system(system: &System, subjects: Option<&Subjects<'_>>, disclosed: Option<u64>) -> DataSystem {
    let property = |violations: u64, means: &'static str| Property {
        holds: violations == 0,
        violations,
        means,
        columns: Vec::new(),
    };
    let outside = |mut entities: Vec<Entity>| {
        entities.retain(|&entity| !system.population[entity as usize]);
        distinct(&entities)
    };
    let mut properties = BTreeMap::new();
    if let Some(subjects) = subjects {
        let named: Vec<Entity> = subjects.private.subjects.iter().flatten().copied().collect();
        let rows = subjects.private.subjects.len() as u64;
        properties.insert(3, property(rows - subjects.count, "the private table has one row per subject"));
        properties.insert(2, property(outside(named), "every subject is in the population"));
    }
    let linkable = Property {
        columns: system.unprotected.clone(),
        ..property(
            system.unprotected.len() as u64,
            "every released column that external tables have is a quasi-identifier",
        )
    };
    properties.insert(4, linkable);
    let external = outside(system.external.entities.clone());
    properties.insert(7, property(external, "external tables are about the population"));
    if let Some(disclosed) = disclosed {
        properties.insert(9, property(disclosed, "no tuple discloses a subject's information"));
    }
    let violated = properties.values().any(|property| !property.holds);
    let holds = if violated { Some(false) } else { subjects.map(|_| true) };
    DataSystem { holds, properties }
}

/// A model of a system, given whether its own condition holds, and why not if not.
fn adherence(
    ads0: &DataSystem,
    own: Option<bool>,
    violations: u64,
    reason: Option<&'static str>,
) -> Adherence {
    match ads0.holds {
        Some(false) => Adherence { holds: Some(false), violations, reason: Some(reason.unwrap_or(NOT_ADS0)) },
        _ => Adherence { holds: own, violations, reason },
    }
}

fn null_map(counts: &Counts, ads0: &DataSystem) -> Adherence {
    let nobody = counts.tuples.nobody == counts.tuples.released;
    match counts.subjects_known {
        true if counts.to_subjects > 0 => {
            adherence(ads0, Some(false), counts.to_subjects, Some("tuples map to subjects"))
        }
        true => adherence(ads0, Some(true), 0, None),
        false if nobody => adherence(ads0, Some(true), 0, None),
        false => adherence(ads0, None, 0, Some(NO_TRUTH)),
    }
}

fn wrong_map(counts: &Counts, ads0: &DataSystem) -> Adherence {
    if counts.tuples.released <= 2 {
        return adherence(ads0, Some(false), counts.tuples.released, Some(TWO_TUPLES));
    }
    match (counts.subjects_known, counts.not_wrong) {
        (false, _) => adherence(ads0, None, 0, Some(NO_TRUTH)),
        (true, 0) if counts.rows_known => adherence(ads0, Some(true), 0, None),
        (true, 0) => adherence(ads0, None, 0, Some(NO_ROWS)),
        (true, rows) => {
            adherence(ads0, Some(false), rows, Some("tuples do not map to exactly one wrong subject"))
        }
    }
}

fn k_map(counts: &Counts, ads0: &DataSystem) -> Adherence {
    let few = counts.tuples.fewer_than_k > 0;
    match counts.not_k {
        0 => adherence(ads0, Some(true), 0, None),
        rows if few => adherence(ads0, Some(false), rows, Some("tuples map to fewer than k entities")),
        rows => adherence(ads0, Some(false), rows, Some("tuples do not map to their subject")),
    }
}
