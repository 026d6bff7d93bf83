//! Links released tuples with external rows: which entities a tuple maps to, and which tuples map
//! to an entity.
//!
//! Entities with one external tuple are counted by the tree. Entities with several are listed, so
//! that nobody counts twice.

use rustc_hash::FxHashSet;

use super::{Entity, External, System, UNKNOWN};
use crate::consistency::Cover;
use crate::consistency::tree::{Range, Tree};
use crate::table::Code;
use crate::tuples::Tuples;

/// The cells of distinct released tuples.
pub(super) struct Boxes<'a> {
    system: &'a System,
    tuples: Tuples,
    /// Row → its tuple.
    pub(super) of_row: Vec<u32>,
}

impl<'a> Boxes<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        let width = system.sizes.len();
        let mut tuples = Tuples::new(width);
        let of_row = system.released.cells.chunks_exact(width).map(|row| tuples.insert(row, 1)).collect();
        Boxes { system, tuples, of_row }
    }

    pub(super) fn len(&self) -> usize {
        self.tuples.len()
    }

    /// The rows of a tuple.
    pub(super) fn rows(&self, tuple: usize) -> u64 {
        u64::from(self.tuples.counts()[tuple])
    }

    fn cover(&self, tuple: usize, column: usize) -> &Cover {
        &self.system.covers[column][self.tuples.code(tuple, column) as usize]
    }

    fn ranges(&self, tuple: usize) -> Vec<Range> {
        (0..self.system.sizes.len()).map(|column| self.cover(tuple, column).range).collect()
    }

    /// Whether every cell covers some value.
    fn possible(&self, tuple: usize) -> bool {
        (0..self.system.sizes.len()).all(|column| {
            let Range { low, high } = self.cover(tuple, column).range;
            low <= high
        })
    }

    /// Whether every cell of a tuple is true of some values.
    fn covers(&self, tuple: usize, values: &[u32]) -> bool {
        let mut cells = values.iter().enumerate();
        cells.all(|(column, &value)| value == UNKNOWN || self.cover(tuple, column).has(value))
    }
}

/// The tuples that map to an entity.
pub(super) struct TuplesOf<'a> {
    boxes: &'a Boxes<'a>,
    tree: Tree,
}

impl<'a> TuplesOf<'a> {
    pub(super) fn new(boxes: &'a Boxes<'a>) -> Self {
        // Items are numbered as tuples, so those that map to nobody are there as well.
        let ranges: Vec<Range> = (0..boxes.len()).flat_map(|tuple| boxes.ranges(tuple)).collect();
        let rows: Vec<u64> = (0..boxes.len()).map(|tuple| boxes.rows(tuple)).collect();
        TuplesOf { boxes, tree: Tree::new(boxes.system.sizes.len(), &ranges, &rows) }
    }

    /// Whether at least two released rows map to an entity with these external tuples.
    pub(super) fn several<'b>(&self, external: impl Iterator<Item = &'b [u32]>) -> bool {
        let mut found = FxHashSet::default();
        let mut rows = 0;
        for values in external {
            let query = point(values, &self.boxes.system.sizes);
            self.tree.each(&query, |tuple| {
                let maps = self.boxes.possible(tuple) && self.boxes.covers(tuple, values);
                if maps && found.insert(tuple) {
                    rows += self.boxes.rows(tuple);
                }
                rows < 2
            });
        }
        rows >= 2
    }
}

/// The range of a value in every column: all values where it is not known.
fn point(values: &[u32], sizes: &[u32]) -> Vec<Range> {
    let range = |(&value, &size): (&u32, &u32)| match value {
        UNKNOWN => Range { low: 0, high: size.saturating_sub(1) },
        _ => Range { low: value, high: value },
    };
    values.iter().zip(sizes).map(range).collect()
}

/// The external rows of every entity.
pub(super) struct ByEntity {
    /// Entity and row, in order.
    rows: Vec<(Entity, u32)>,
}

impl ByEntity {
    pub(super) fn new(entities: impl Iterator<Item = Option<Entity>>) -> Self {
        let mut rows: Vec<(Entity, u32)> =
            entities.enumerate().filter_map(|(row, entity)| Some((entity?, row as u32))).collect();
        rows.sort_unstable();
        ByEntity { rows }
    }

    /// The rows of an entity.
    pub(super) fn rows(&self, entity: Entity) -> impl Iterator<Item = usize> + Clone {
        let start = self.rows.partition_point(|row| row.0 < entity);
        let mine = self.rows[start..].iter().take_while(move |row| row.0 == entity);
        mine.map(|row| row.1 as usize)
    }
}

/// Distinct external tuples with their entities.
struct Points {
    width: usize,
    values: Vec<u32>,
    /// Tuple → where its entities start; one more at the end.
    starts: Vec<u32>,
    entities: Vec<Entity>,
    tree: Tree,
}

impl Points {
    /// Of pairs of tuple and entity, in order.
    fn new(tuples: &Tuples, pairs: &[(u32, Entity)], sizes: &[u32]) -> Self {
        let (mut values, mut starts, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        for (at, &(tuple, _)) in pairs.iter().enumerate() {
            if last != Some(tuple) {
                last = Some(tuple);
                starts.push(at as u32);
                let own: Vec<u32> =
                    (0..sizes.len()).map(|column| tuples.code(tuple as usize, column)).collect();
                ranges.extend(point(&own, sizes));
                values.extend(own);
            }
        }
        starts.push(pairs.len() as u32);
        let rows: Vec<u64> = starts.windows(2).map(|pair| u64::from(pair[1] - pair[0])).collect();
        let tree = Tree::new(sizes.len(), &ranges, &rows);
        let entities = pairs.iter().map(|pair| pair.1).collect();
        Points { width: sizes.len(), values, starts, entities, tree }
    }

    fn values(&self, item: usize) -> &[u32] {
        &self.values[item * self.width..][..self.width]
    }

    fn entities(&self, item: usize) -> &[Entity] {
        &self.entities[self.starts[item] as usize..self.starts[item + 1] as usize]
    }
}

/// The entities that tuples map to.
pub(super) struct Linker {
    /// Tuples of entities that have one, and of entities that have several.
    single: Points,
    several: Points,
}

impl Linker {
    /// Links with external rows, as far as they are about some entities.
    pub(super) fn new(external: &External, sizes: &[u32], about: impl Fn(Entity) -> bool) -> Self {
        let mut tuples = Tuples::new(sizes.len());
        let rows = external.entities.iter().zip(external.values.chunks_exact(sizes.len()));
        let mut pairs: Vec<(Entity, u32)> = rows
            .filter(|(entity, _)| about(**entity))
            .map(|(&entity, values)| (entity, tuples.insert(values, 1)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let (mut single, mut several) = (Vec::new(), Vec::new());
        for own in pairs.chunk_by(|a, b| a.0 == b.0) {
            let list = if own.len() == 1 { &mut single } else { &mut several };
            list.extend(own.iter().map(|&(entity, tuple)| (tuple, entity)));
        }
        single.sort_unstable();
        several.sort_unstable();
        let points = |pairs: &[(u32, Entity)]| Points::new(&tuples, pairs, sizes);
        Linker { single: points(&single), several: points(&several) }
    }

    /// How many entities a tuple maps to; at least `limit` where there are that many or more.
    pub(super) fn count(&self, boxes: &Boxes<'_>, tuple: usize, limit: u64) -> u64 {
        if !boxes.possible(tuple) {
            return 0;
        }
        let query = boxes.ranges(tuple);
        let whole = (0..query.len()).all(|column| boxes.cover(tuple, column).scattered.is_none());
        let matches = |item: usize| boxes.covers(tuple, self.single.values(item));
        let mut count = self.single.tree.count(&query, (limit, whole), matches);
        let mut found = FxHashSet::default();
        self.several.tree.each(&query, |item| {
            if boxes.covers(tuple, self.several.values(item)) {
                let new = self.several.entities(item).iter().filter(|&&entity| found.insert(entity));
                count += new.count() as u64;
            }
            count < limit
        });
        count
    }

    /// The first entity that is found of those that a tuple maps to: the only one, where there is
    /// one.
    pub(super) fn only(&self, boxes: &Boxes<'_>, tuple: usize) -> Option<Entity> {
        if !boxes.possible(tuple) {
            return None;
        }
        let query = boxes.ranges(tuple);
        let mut only = None;
        for points in [&self.single, &self.several] {
            points.tree.each(&query, |item| {
                if only.is_none() && boxes.covers(tuple, points.values(item)) {
                    only = points.entities(item).first().copied();
                }
                only.is_none()
            });
        }
        only
    }
}

/// Whether a tuple maps to an entity.
pub(super) fn maps_to(
    boxes: &Boxes<'_>,
    (external, by_entity): (&External, &ByEntity),
    tuple: usize,
    entity: Entity,
) -> bool {
    let width = boxes.system.sizes.len();
    boxes.possible(tuple)
        && by_entity.rows(entity).any(|row| boxes.covers(tuple, &external.values[row * width..][..width]))
}

/// The codes of a row.
pub(super) fn row_of(codes: &[Code], row: usize, width: usize) -> &[Code] {
    &codes[row * width..][..width]
}
