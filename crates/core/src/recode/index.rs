//! A k-d tree of bounding boxes for finding the nearest remaining points.
//!
//! Every node stores the bounding box of its remaining points; a box that cannot contain a nearer
//! point is skipped [Friedman 1977]. The [`Probe`] defines the distance: its bound for a box must
//! not exceed its key for any point in it. The answer then equals that of a full scan: the least
//! keys, with ties ordered by the number of the point.
//!
//! Building costs points · log points, 4 · (columns + 2) bytes per point and as much again for the
//! boxes. A removal costs the points of a leaf and the path to the root. The number of points that
//! a search visits depends on the table: few if columns are correlated, all of them if there are
//! many uncorrelated columns.

use crate::table::Code;

/// What distance is: the key of a point, and a bound for all points in a box.
pub trait Probe {
    /// How far a point is.
    fn key(&self, point: &[Code]) -> u64;

    /// At most the key of any point in a box.
    fn bound(&self, ranges: &[(Code, Code)]) -> u64;
}

/// How far apart two ranks of a column are.
pub type Spread<'a> = &'a (dyn Fn(usize, Code, Code) -> u64 + Sync);

/// Most points of a leaf.
const LEAF: usize = 24;

/// Part of the points: the slots from `start` on; the first `live` remain.
struct Node {
    parent: u32,
    /// The first of two children that follow each other; 0 for a leaf.
    children: u32,
    start: u32,
    live: u32,
    /// No point of it has a lower number.
    least: u32,
}

/// Points that can be searched and removed. They are numbered from 0.
pub struct Index {
    width: usize,
    nodes: Vec<Node>,
    /// Node → column → least and highest rank of the points left.
    boxes: Vec<(Code, Code)>,
    /// Slot → point, and its ranks.
    points: Vec<u32>,
    ranks: Vec<Code>,
    /// Point → slot, and leaf.
    slots: Vec<u32>,
    leaves: Vec<u32>,
}

/// What a search found, and what it needs meanwhile.
#[derive(Default)]
pub struct Found {
    /// Key and point, the nearest first.
    pub nearest: Vec<(u64, u32)>,
    open: Vec<(u64, u32)>,
}

impl Index {
    /// Of points laid end to end. `spread` says how far apart two ranks of a column are.
    pub fn new(width: usize, points: &[Code], spread: Spread<'_>) -> Self {
        let count = points.len() / width.max(1);
        let order: Vec<u32> = (0..count as u32).collect();
        let mut index = Index {
            width,
            nodes: Vec::new(),
            boxes: Vec::new(),
            points: order,
            ranks: Vec::new(),
            slots: vec![0; count],
            leaves: vec![0; count],
        };
        index.grow(points, spread);
        for (slot, &point) in index.points.iter().enumerate() {
            index.slots[point as usize] = slot as u32;
            index.ranks.extend_from_slice(&points[point as usize * width..][..width]);
        }
        index
    }

    /// Cuts nodes in two until they are leaves.
    fn grow(&mut self, points: &[Code], spread: Spread<'_>) {
        let mut order = std::mem::take(&mut self.points);
        self.push(0, 0, &order, points);
        let mut node = 0;
        while node < self.nodes.len() {
            let Node { start, live, .. } = self.nodes[node];
            let slots = &mut order[start as usize..(start + live) as usize];
            let cut = match slots.len() > LEAF {
                true => cut(slots, self.ranges(node), points, spread),
                false => None,
            };
            match cut {
                Some(cut) => {
                    self.nodes[node].children = self.nodes.len() as u32;
                    let (left, right) = slots.split_at(cut);
                    self.push(node as u32, start, left, points);
                    self.push(node as u32, start + cut as u32, right, points);
                }
                None => slots.iter().for_each(|&point| self.leaves[point as usize] = node as u32),
            }
            node += 1;
        }
        self.points = order;
    }

    fn push(&mut self, parent: u32, start: u32, slots: &[u32], points: &[Code]) {
        let least = slots.iter().min().copied().unwrap_or(0);
        self.nodes.push(Node { parent, children: 0, start, live: slots.len() as u32, least });
        let mut ranges = vec![(Code::MAX, 0); self.width];
        for &point in slots {
            widen(&mut ranges, &points[point as usize * self.width..][..self.width]);
        }
        self.boxes.extend(ranges);
    }

    fn ranges(&self, node: usize) -> &[(Code, Code)] {
        &self.boxes[node * self.width..][..self.width]
    }

    /// Takes a point away that is left.
    pub fn remove(&mut self, point: u32) {
        let leaf = self.leaves[point as usize] as usize;
        let (slot, last) = (
            self.slots[point as usize] as usize,
            (self.nodes[leaf].start + self.nodes[leaf].live - 1) as usize,
        );
        let moved = self.points[last];
        self.points.swap(slot, last);
        (0..self.width).for_each(|c| self.ranks.swap(slot * self.width + c, last * self.width + c));
        self.slots[moved as usize] = slot as u32;
        self.slots[point as usize] = last as u32;
        self.nodes[leaf].live -= 1;
        self.shrink_leaf(leaf);
        let mut node = leaf;
        while node > 0 {
            node = self.nodes[node].parent as usize;
            self.nodes[node].live -= 1;
            self.shrink(node);
        }
    }

    fn shrink_leaf(&mut self, leaf: usize) {
        let Node { start, live, .. } = self.nodes[leaf];
        let ranges = &mut self.boxes[leaf * self.width..][..self.width];
        ranges.fill((Code::MAX, 0));
        for slot in start..start + live {
            widen(ranges, &self.ranks[slot as usize * self.width..][..self.width]);
        }
    }

    fn shrink(&mut self, node: usize) {
        let children = self.nodes[node].children as usize;
        for column in 0..self.width {
            // The box of a child without points is the other way round and widens nothing.
            let (a, b) = (
                self.boxes[children * self.width + column],
                self.boxes[(children + 1) * self.width + column],
            );
            self.boxes[node * self.width + column] = (a.0.min(b.0), a.1.max(b.1));
        }
    }

    /// Finds the nearest `count` remaining points, or fewer if there are fewer.
    pub fn nearest(&self, probe: &impl Probe, count: usize, found: &mut Found) {
        found.nearest.clear();
        found.open.clear();
        if self.nodes[0].live > 0 && count > 0 {
            found.open.push((probe.bound(self.ranges(0)), 0));
        }
        while let Some((bound, node)) = found.open.pop() {
            let node = &self.nodes[node as usize];
            if found.full(count, (bound, node.least)) {
                continue;
            }
            if node.children == 0 {
                self.look(probe, node, count, found);
                continue;
            }
            let bound = |child: u32| match self.nodes[child as usize].live {
                // A child without points has no box.
                0 => None,
                _ => Some((probe.bound(self.ranges(child as usize)), child)),
            };
            let (first, second) = (bound(node.children), bound(node.children + 1));
            // The nearer one is pushed last and looked into first.
            let (far, near) = if second < first { (first, second) } else { (second, first) };
            found.open.extend(far.into_iter().chain(near));
        }
    }

    fn look(&self, probe: &impl Probe, node: &Node, count: usize, found: &mut Found) {
        for slot in node.start as usize..(node.start + node.live) as usize {
            let key = (probe.key(&self.ranks[slot * self.width..][..self.width]), self.points[slot]);
            if !found.full(count, key) {
                let place = found.nearest.partition_point(|other| *other < key);
                found.nearest.truncate(count - 1);
                found.nearest.insert(place.min(found.nearest.len()), key);
            }
        }
    }
}

impl Found {
    /// Whether there are enough that are nearer.
    fn full(&self, count: usize, key: (u64, u32)) -> bool {
        self.nearest.len() == count && self.nearest.last().is_some_and(|last| *last < key)
    }
}

fn widen(ranges: &mut [(Code, Code)], point: &[Code]) {
    for ((low, high), &rank) in ranges.iter_mut().zip(point) {
        (*low, *high) = ((*low).min(rank), (*high).max(rank));
    }
}

/// Cuts points in two in the column whose ends are farthest apart: sorts them so that one side
/// comes first, and says where the other starts. None where all points are the same.
fn cut(slots: &mut [u32], ranges: &[(Code, Code)], points: &[Code], spread: Spread<'_>) -> Option<usize> {
    let wide = |column: usize| spread(column, ranges[column].0, ranges[column].1);
    let differ = (0..ranges.len()).filter(|&column| ranges[column].0 < ranges[column].1);
    let column = differ.max_by_key(|&column| (wide(column), std::cmp::Reverse(column)))?;
    cut_in(column, slots, (ranges.len(), points), spread).map(|cut| cut.2)
}

/// Cuts points in a column, among the middle half of them where neighbours are farthest apart:
/// whether there is a cut in the middle half, how far they are apart, and where the other side
/// starts. None where the column has one value.
pub fn cut_in(
    column: usize,
    slots: &mut [u32],
    (width, points): (usize, &[Code]),
    spread: Spread<'_>,
) -> Option<(bool, u64, usize)> {
    let rank = |point: u32| points[point as usize * width + column];
    slots.sort_unstable_by_key(|&point| (rank(point), point));
    let count = slots.len();
    let judged = |place: usize| {
        let central = (count / 4..=count - count / 4).contains(&place);
        let apart = spread(column, rank(slots[place - 1]), rank(slots[place]));
        (central, if central { apart } else { 0 }, place)
    };
    let places = (1..count).filter(|&place| rank(slots[place - 1]) < rank(slots[place]));
    places.map(judged).max_by_key(|&(central, apart, place)| {
        (central, apart, std::cmp::Reverse(place.abs_diff(count / 2)), std::cmp::Reverse(place))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Distance by the sum of differences, with many ties.
    struct Sum<'a>(&'a [Code]);

    impl Probe for Sum<'_> {
        fn key(&self, point: &[Code]) -> u64 {
            self.0.iter().zip(point).map(|(&a, &b)| u64::from(a.abs_diff(b))).sum()
        }

        fn bound(&self, ranges: &[(Code, Code)]) -> u64 {
            let apart =
                |(&a, &(low, high)): (&Code, &(Code, Code))| u64::from(a.abs_diff(a.clamp(low, high)));
            self.0.iter().zip(ranges).map(apart).sum()
        }
    }

    proptest! {
        /// Searches and removals in turn give what looking at all points gives.
        #[test]
        fn the_nearest_are_those_of_looking_at_all(
            width in 1..5usize,
            cells in proptest::collection::vec(0..12u32, 1..1200),
            turns in proptest::collection::vec((any::<u16>(), 1..9usize), 1..60),
        ) {
            let points = &cells[..cells.len() / width * width];
            let count = points.len() / width;
            prop_assume!(count > 0);
            let mut index = Index::new(width, points, &|_, a, b| u64::from(a.abs_diff(b)));
            let mut left: Vec<u32> = (0..count as u32).collect();
            let mut found = Found::default();
            for (at, wanted) in turns {
                let at = at as usize % count;
                let probe = Sum(&points[at * width..][..width]);
                index.nearest(&probe, wanted, &mut found);
                let key = |&point: &u32| (probe.key(&points[point as usize * width..][..width]), point);
                let mut keys: Vec<_> = left.iter().map(key).collect();
                keys.sort_unstable();
                keys.truncate(wanted);
                prop_assert_eq!(&found.nearest, &keys);
                for &(_, point) in keys.iter().step_by(2) {
                    index.remove(point);
                    left.retain(|&other| other != point);
                }
            }
        }
    }
}
