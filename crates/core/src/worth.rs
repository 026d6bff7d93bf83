//! Information of columns and values about the targets: the worth of a column, and of every value
//! at every level.
//!
//! From [Katirai 2006]. The worth of a column is its mutual information with the target ("Method
//! 2"), that of a value the mean of its point-wise information over its rows ("Method 3"). The
//! value at each level is a field of its own, implied by the value below (*implied fields*): a
//! recipient who has a value has all its ancestors. So the worth of a value is the maximum of its
//! own and those of its ancestors; estimates can be larger above than below, and the maximum keeps
//! the loss from falling by generalization. Values with fewer than 6 rows, or as the policy says,
//! are excluded from the estimates: they are worth what their ancestors are. With several targets,
//! everything is the mean over them. A cell that is an interval or a set is worth the information
//! of its rows, and at least the worth of the least hierarchy value above it.
//!
//! Costs one pass over the histograms of the targets and a sort of the distinct pairs of value and
//! label, per column; nothing if there is no target.

use rustc_hash::FxHashMap;

use crate::classes::Classes;
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::information::{mutual, worth};
use crate::table::Code;

/// The information of one column.
#[derive(Debug, Clone)]
pub struct Worths {
    /// Of the column, in bits.
    mutual: f64,
    /// Level → value → its worth or that of a value above it, whichever is more.
    levels: Vec<Vec<f64>>,
    joints: Vec<Joint>,
}

/// How the values of a column and the labels of one target meet.
#[derive(Debug, Clone)]
struct Joint {
    /// Leaf → where its labels begin; one more at the end.
    starts: Vec<u32>,
    /// Label and rows, by leaf, in order.
    pairs: Vec<(u32, u64)>,
    /// Label → rows of the table.
    all: Vec<u64>,
    rows: u64,
    /// Fewer rows have no information.
    rare: u64,
}

impl Worths {
    /// The information of each column; none if there is no target.
    pub fn of(classes: &Classes, hierarchies: &[Hierarchy]) -> Vec<Worths> {
        let targets = &classes.histograms()[..classes.targets()];
        if targets.is_empty() {
            return Vec::new();
        }
        let column = |(column, hierarchy): (usize, &Hierarchy)| {
            let triples = targets.iter().map(|target| triples(classes, column, target));
            Worths::new(triples, hierarchy, classes.rare())
        };
        hierarchies.iter().enumerate().map(column).collect()
    }

    fn new(targets: impl Iterator<Item = Vec<(u32, u32, u64)>>, hierarchy: &Hierarchy, rare: u64) -> Self {
        let (mut sum, mut joints) = (0.0, Vec::new());
        for counts in targets {
            sum += mutual(&counts, rare);
            joints.push(Joint::new(&counts, hierarchy.leaf_count(), rare));
        }
        let mut worths = Worths { mutual: sum / joints.len().max(1) as f64, levels: Vec::new(), joints };
        let mut levels: Vec<Vec<f64>> =
            (0..=hierarchy.height()).map(|level| worths.own(hierarchy, level)).collect();
        if !hierarchy.nested() {
            worths.levels = with_all_above(hierarchy, &levels);
            return worths;
        }
        for level in (0..hierarchy.height()).rev() {
            let above = levels[level + 1].clone();
            for (leaf, &code) in hierarchy.codes(level).iter().enumerate() {
                let parent = above[hierarchy.generalize(leaf as Code, level + 1) as usize];
                levels[level][code as usize] = levels[level][code as usize].max(parent);
            }
        }
        worths.levels = levels;
        worths
    }

    /// Value of a level → its own worth.
    fn own(&self, hierarchy: &Hierarchy, level: usize) -> Vec<f64> {
        let mut under = vec![Vec::new(); hierarchy.size(level)];
        for (leaf, &code) in hierarchy.codes(level).iter().enumerate() {
            under[code as usize].push(leaf as Code);
        }
        under.iter().map(|leaves| self.of_rows(leaves)).collect()
    }

    /// The information of the rows of some leaves on their own, the mean over targets.
    pub fn of_rows(&self, leaves: &[Code]) -> f64 {
        self.joints.iter().map(|joint| joint.worth(leaves)).sum::<f64>() / self.joints.len().max(1) as f64
    }

    /// The mutual information of the column with the targets, in bits.
    pub fn mutual(&self) -> f64 {
        self.mutual
    }

    /// The largest worth of a value, in bits: 0 if nothing can be lost.
    pub fn most(&self) -> f64 {
        self.levels[0].iter().copied().fold(0.0, f64::max)
    }

    /// The worth of a value at a level, in bits.
    pub fn at(&self, level: usize, code: Code) -> f64 {
        self.levels[level][code as usize]
    }

    /// The worth of a cell that covers some leaves, with their least common hierarchy value.
    pub fn of_cell(&self, leaves: &[Code], level: usize, code: Code) -> f64 {
        self.of_rows(leaves).max(self.at(level, code))
    }
}

/// Level → value → its worth or that of a value of a higher level that all its leaves have.
fn with_all_above(hierarchy: &Hierarchy, own: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let most = |(level, own_worths): (usize, &Vec<f64>)| {
        let mut most = own_worths.clone();
        for (above, worths) in own.iter().enumerate().skip(level + 1) {
            let mut shared: Vec<Option<Option<Code>>> = vec![None; hierarchy.size(level)];
            for (&code, &up) in hierarchy.codes(level).iter().zip(hierarchy.codes(above)) {
                let shared = shared[code as usize].get_or_insert(Some(up));
                *shared = shared.filter(|&only| only == up);
            }
            for (most, up) in most.iter_mut().zip(shared).filter_map(|(most, up)| Some((most, up??))) {
                *most = most.max(worths[up as usize]);
            }
        }
        most
    };
    own.iter().enumerate().map(most).collect()
}

impl Joint {
    fn new(counts: &[(u32, u32, u64)], leaves: usize, rare: u64) -> Self {
        let labels = counts.iter().map(|&(_, label, _)| label as usize + 1).max().unwrap_or(0);
        let mut all = vec![0; labels];
        let mut starts = vec![0; leaves + 1];
        for &(leaf, label, rows) in counts {
            all[label as usize] += rows;
            starts[leaf as usize + 1] += 1;
        }
        for leaf in 0..leaves {
            starts[leaf + 1] += starts[leaf];
        }
        let pairs = counts.iter().map(|&(_, label, rows)| (label, rows)).collect();
        Joint { starts, pairs, rows: all.iter().sum(), all, rare }
    }

    /// The information of the rows of some leaves about the target; 0 if they are few.
    fn worth(&self, leaves: &[Code]) -> f64 {
        let of = |&leaf: &Code| {
            let (from, to) = (self.starts[leaf as usize], self.starts[leaf as usize + 1]);
            &self.pairs[from as usize..to as usize]
        };
        let pairs: usize = leaves.iter().map(|leaf| of(leaf).len()).sum();
        // Labels are counted where they are met often, and put in order where they are not: then
        // there may be far more of them than pairs.
        let met = match pairs > self.all.len() / 8 {
            true => self.counted(leaves.iter().flat_map(of)),
            false => summed(leaves.iter().flat_map(of).copied().collect()),
        };
        if met.iter().map(|&(_, rows)| rows).sum::<u64>() < self.rare.max(1) {
            return 0.0;
        }
        let mut with: Vec<u64> = met.iter().map(|&(_, rows)| rows).collect();
        let mut all: Vec<u64> = met.iter().map(|&(label, _)| self.all[label as usize]).collect();
        // All other labels are one that they never met: it adds nothing but rows.
        with.push(0);
        all.push(self.rows - all.iter().sum::<u64>());
        worth(&with, &all)
    }

    /// Labels with their rows, in order.
    fn counted<'a>(&self, pairs: impl Iterator<Item = &'a (u32, u64)>) -> Vec<(u32, u64)> {
        let mut counts = vec![0; self.all.len()];
        pairs.for_each(|&(label, rows)| counts[label as usize] += rows);
        let counts = counts.into_iter().enumerate().filter(|&(_, rows)| rows > 0);
        counts.map(|(label, rows)| (label as u32, rows)).collect()
    }
}

/// Labels with their rows, in order, each once.
fn summed(mut pairs: Vec<(u32, u64)>) -> Vec<(u32, u64)> {
    pairs.sort_unstable();
    pairs.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    pairs
}

/// Leaf, label and rows of a column and a target, in order.
fn triples(classes: &Classes, column: usize, target: &Histogram) -> Vec<(u32, u32, u64)> {
    let mut counts: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    for class in 0..target.len() {
        let leaf = classes.code(class, column);
        let (labels, rows) = target.class(class);
        for (&label, &rows) in labels.iter().zip(rows) {
            *counts.entry((leaf, label)).or_default() += u64::from(rows);
        }
    }
    let mut triples: Vec<_> = counts.into_iter().map(|((leaf, label), rows)| (leaf, label, rows)).collect();
    triples.sort_unstable();
    triples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Codes;
    use crate::hierarchy::Path;

    /// Four leaves under two values: 8 rows each of a, b and c, and 2 of d; a is always 1, b always
    /// 0, c and d are even.
    fn worths() -> Worths {
        let path =
            |leaf: &str, above: &str| Path { leaf: leaf.into(), labels: vec![above.into(), "*".into()] };
        let paths = vec![path("a", "x"), path("b", "x"), path("c", "y"), path("d", "y")];
        let hierarchy = Hierarchy::new(paths, false).unwrap();
        let classes = Classes::new(1, Codes::Wide(vec![0, 1, 2, 3]), vec![8, 8, 8, 2]).unwrap();
        let triples = [(0, 1, 8), (1, 0, 8), (2, 0, 4), (2, 1, 4), (3, 0, 1), (3, 1, 1)];
        let classes = classes.measured(vec![Histogram::new(4, &triples).unwrap()]).unwrap().with_targets(1);
        Worths::of(&classes, &[hierarchy]).remove(0)
    }

    #[test]
    fn values_are_worth_what_they_tell() {
        let worths = worths();
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}");
        // Labels are even in the table: a and b carry one bit, c nothing, x and y nothing.
        for (code, bits) in [1.0, 1.0, 0.0, 0.0].into_iter().enumerate() {
            near(worths.at(0, code as Code), bits);
        }
        near(worths.at(1, 0), 0.0);
        near(worths.at(2, 0), 0.0);
        // d is left out: of 24 rows, 16 carry one bit.
        near(worths.mutual(), 2.0 / 3.0);
        // A set of a and c: 12 of 16 are 1, ¾·log2(1.5) + ¼·log2(2).
        near(worths.of_cell(&[0, 2], 2, 0), 0.75 * 1.5f64.log2() + 0.25);
    }

    #[test]
    fn rare_values_are_worth_what_lies_above_them() {
        let path =
            |leaf: &str, above: &str| Path { leaf: leaf.into(), labels: vec![above.into(), "*".into()] };
        let paths = vec![path("a", "x"), path("b", "x"), path("c", "y")];
        let hierarchy = Hierarchy::new(paths, false).unwrap();
        let classes = Classes::new(1, Codes::Wide(vec![0, 1, 2]), vec![3, 3, 6]).unwrap();
        let triples = [(0, 0, 3), (1, 0, 3), (2, 1, 6)];
        let classes = classes.measured(vec![Histogram::new(3, &triples).unwrap()]).unwrap().with_targets(1);
        let worths = Worths::of(&classes, &[hierarchy]).remove(0);
        assert!((worths.at(0, 0) - 1.0).abs() < 1e-12 && (worths.at(1, 0) - 1.0).abs() < 1e-12);
    }

    /// Ten labels; one leaf meets one and another nine: counted or sorted, the same.
    #[test]
    fn many_labels_are_added_up_as_few_are() {
        let pairs: Vec<(u32, u32, u64)> = (0..20).map(|n| (n % 3, n * 7 % 10, u64::from(n) + 1)).collect();
        let mut counts = pairs.clone();
        counts.sort_unstable();
        let joint = Joint::new(&counts, 3, 6);
        let some: Vec<(u32, u64)> = pairs.iter().map(|&(_, label, rows)| (label, rows)).collect();
        let by_hand: Vec<(u32, u64)> = (0..10u32)
            .map(|label| (label, some.iter().filter(|pair| pair.0 == label).map(|pair| pair.1).sum()))
            .collect();
        assert_eq!(joint.counted(some.iter()), by_hand);
        assert_eq!(summed(some), by_hand);
    }

    #[test]
    fn without_a_target_nothing_is_counted() {
        let classes = Classes::new(1, Codes::Wide(vec![0]), vec![1]).unwrap();
        let hierarchy = Hierarchy::new(vec![Path { leaf: "a".into(), labels: Vec::new() }], false).unwrap();
        assert!(Worths::of(&classes, &[hierarchy]).is_empty());
    }
}
