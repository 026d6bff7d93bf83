//! Predictive tagging (O, "Predictive Tagging"): what is known of nodes that were never checked.
//!
//! A safe node makes all its generalizations safe, an unsafe one all its specializations unsafe, as
//! long as every model is monotone. Spreading stops at nodes tagged before, so that all tagging of
//! a search together costs nodes × dimensions.

use crate::lattice::Lattice;

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Nothing.
    Unknown,
    /// It is safe.
    Safe,
    /// It is not, or it is of no use.
    Unsafe,
}

/// One tag per node, by its position in the lattice.
pub(super) struct Tags {
    tags: Vec<Tag>,
    /// Size and stride of each dimension.
    strides: Vec<(usize, usize)>,
    stack: Vec<u32>,
    settled: u64,
}

impl Tags {
    pub(super) fn new(lattice: &Lattice) -> Self {
        Tags {
            tags: vec![Tag::Unknown; lattice.nodes() as usize],
            strides: lattice.strides(),
            stack: Vec::new(),
            settled: 0,
        }
    }

    pub(super) fn get(&self, node: usize) -> Tag {
        self.tags[node]
    }

    /// Nodes with a tag.
    pub(super) fn settled(&self) -> u64 {
        self.settled
    }

    /// Tags a node, and with it everything above (safe) or below (unsafe).
    pub(super) fn set(&mut self, node: usize, safe: bool) {
        let tag = if safe { Tag::Safe } else { Tag::Unsafe };
        self.put(node, tag);
        while let Some(node) = self.stack.pop() {
            for d in 0..self.strides.len() {
                if let Some(next) = self.neighbour(node as usize, d, safe) {
                    self.put(next, tag);
                }
            }
        }
    }

    /// Direct generalizations.
    pub(super) fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.strides.len()).filter_map(move |d| self.neighbour(node, d, true))
    }

    /// A safe node may turn out to be of no use later; what is of no use never becomes safe.
    fn put(&mut self, node: usize, tag: Tag) {
        let before = self.tags[node];
        if before == tag {
            return;
        }
        debug_assert_ne!(before, Tag::Unsafe, "a model is not monotone");
        self.tags[node] = tag;
        self.settled += u64::from(before == Tag::Unknown);
        self.stack.push(node as u32);
    }

    fn neighbour(&self, node: usize, dimension: usize, up: bool) -> Option<usize> {
        let (size, stride) = self.strides[dimension];
        let level = node / stride % size;
        if up { (level + 1 < size).then(|| node + stride) } else { (level > 0).then(|| node - stride) }
    }
}
