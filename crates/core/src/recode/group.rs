//! Groups classes at a node: keys are sums of code × radix, column by column, and then ranked.
//!
//! Simpler than the evaluator's roll-up, because only flagged classes are grouped. Costs classes ×
//! columns with more than one value, about 30 ns per class of nine columns.

use crate::classes::{Classes, Codes, Groups};
use crate::hierarchy::Hierarchy;
use crate::histogram::{Histogram, Scratch};
use crate::lattice::Node;
use crate::rank::Ranker;
use crate::table::Code;

/// Keys stay below this.
const LIMIT: u64 = 1 << 63;

/// The classes of a node with the values of the measured columns that are needed, and for each
/// class given the one that it is in.
pub(super) fn group(
    classes: &Classes,
    hierarchies: &[Hierarchy],
    node: &Node,
    needs: &[usize],
) -> (Groups, Vec<u32>) {
    let (mut groups, of_class) = count(classes, hierarchies, node);
    if !needs.is_empty() {
        let mut scratch = Scratch::default();
        groups.histograms = vec![Histogram::default(); classes.histograms().len()];
        for &measured in needs {
            let to = &mut groups.histograms[measured];
            classes.histograms()[measured].merge(&of_class, groups.first.len(), to, &mut scratch);
        }
    }
    (groups, of_class)
}

fn count(classes: &Classes, hierarchies: &[Hierarchy], node: &Node) -> (Groups, Vec<u32>) {
    let mut keys = vec![0u64; classes.len()];
    let mut space = 1u64;
    let mut ranker = Ranker::default();
    for (column, hierarchy) in hierarchies.iter().enumerate() {
        let level = node.level(column);
        let size = hierarchy.size(level) as u64;
        if size <= 1 {
            continue;
        }
        if space.checked_mul(size).is_none_or(|s| s > LIMIT) {
            ranker.begin(space, keys.len());
            ranker.replace(&mut keys);
            space = ranker.len().max(1) as u64;
        }
        let general = hierarchy.codes(level);
        match classes.codes() {
            Codes::Narrow(codes) => add(&mut keys, codes, classes.columns(), column, general, space),
            Codes::Wide(codes) => add(&mut keys, codes, classes.columns(), column, general, space),
        }
        space *= size;
    }
    ranker.begin(space, keys.len());
    let mut groups = Groups::default();
    ranker.replace(&mut keys);
    let of_class = keys.iter().enumerate().map(|(class, &id)| {
        let id = id as u32;
        if id as usize == groups.first.len() {
            groups.first.push(class as u32);
            groups.count.push(0);
        }
        groups.count[id as usize] += classes.counts()[class];
        id
    });
    let of_class = of_class.collect();
    (groups, of_class)
}

/// Adds code × radix of one column to every key.
fn add<T: Copy + Into<Code>>(
    keys: &mut [u64],
    codes: &[T],
    width: usize,
    column: usize,
    general: &[Code],
    radix: u64,
) {
    for (key, row) in keys.iter_mut().zip(codes.chunks_exact(width)) {
        let leaf: Code = row[column].into();
        *key += u64::from(general[leaf as usize]) * radix;
    }
}
