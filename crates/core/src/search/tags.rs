//! Predictive tagging [El Emam 2009, "Predictive Tagging"]: infers the status of nodes that were
//! never checked.
//!
//! If every model is monotone, a safe node makes all its generalizations safe and an unsafe node
//! all its specializations unsafe. Propagation stops at nodes that are already tagged, so all
//! tagging of a search costs nodes × dimensions.

use crate::lattice::Lattice;

/// The facts about a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Nothing.
    Unknown,
    /// It is safe.
    Safe,
    /// It is not.
    Unsafe,
}

/// One tag per node, by its position in the lattice.
pub(super) struct Tags {
    tags: Vec<Tag>,
    /// Size and stride of each dimension.
    strides: Vec<(usize, usize)>,
    stack: Vec<u32>,
}

impl Tags {
    pub(super) fn new(lattice: &Lattice) -> Self {
        Tags {
            tags: vec![Tag::Unknown; lattice.nodes() as usize],
            strides: lattice.strides(),
            stack: Vec::new(),
        }
    }

    pub(super) fn get(&self, node: usize) -> Tag {
        self.tags[node]
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

    fn put(&mut self, node: usize, tag: Tag) {
        if self.tags[node] != tag {
            debug_assert_eq!(self.tags[node], Tag::Unknown, "a model is not monotone");
            self.tags[node] = tag;
            self.stack.push(node as u32);
        }
    }

    fn neighbour(&self, node: usize, dimension: usize, up: bool) -> Option<usize> {
        let (size, stride) = self.strides[dimension];
        let level = node / stride % size;
        if up { (level + 1 < size).then(|| node + stride) } else { (level > 0).then(|| node - stride) }
    }
}
